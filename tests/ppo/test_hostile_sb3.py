"""Runs of stable-baselines3 are resumed from files of others without running anything in them."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import pickle
import random
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from safetensors.numpy import load, save
from sb3_contrib import MaskablePPO

from olb_agents.network import NetworkError, load_network
from olb_env.commands.olb import main
from olb_training.ppo.run_folder import SB3_FILE
from olb_training.ppo.sb3_file import COUNTERS, OPTIMIZER, PAST_SELVES, POLICY
from olb_training.ppo.sb3_run import Sb3Run
from tests.agents.test_networks import Bomb
from tests.ppo.test_train_with_sb3 import SMALL
from tests.support.small_runs import SHORT, SMALL_PPO_FLAGS, network_bytes

Parts = dict[str, bytes]
FIRST_PAST_SELF = f"{PAST_SELVES}000"


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with optimiser and past selves in its file; tests must not change it."""
    folder = tmp_path_factory.mktemp("sb3") / "run"
    run = Sb3Run.begin(folder, SMALL, 2)
    run.train(lambda _: None)
    run.close()
    return folder


@pytest.fixture
def folder(begun: Path, tmp_path: Path) -> Path:
    """A copy of that run, to be changed."""
    return shutil.copytree(begun, tmp_path / "run")


def parts_of(file: Path) -> Parts:
    with zipfile.ZipFile(file) as whole:
        return {name: whole.read(name) for name in whole.namelist()}


def write_parts(file: Path, parts: Parts, packing: int = zipfile.ZIP_STORED) -> None:
    with zipfile.ZipFile(file, "w", packing) as changed:
        for name, content in parts.items():
            changed.writestr(name, content)


def check_refusal(folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    before = network_bytes(folder)
    assert main(["train", "--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert "sb3.zip" in error
    assert len(error) < 700
    assert network_bytes(folder) == before
    return error


def bombs(trace: Path) -> dict[str, bytes]:
    """Return malicious contents for the parts of SB3: a pickle in its JSON, plain ones, and one as torch writes it."""
    bomb, torch_file = pickle.dumps(Bomb(trace)), io.BytesIO()
    torch.save({"weight": torch.zeros(2), "more": Bomb(trace)}, torch_file)
    hidden = {":type:": "<class 'object'>", ":serialized:": base64.b64encode(bomb).decode()}
    return {
        "data": json.dumps({"policy_class": hidden, "observation_space": hidden}).encode(),
        "policy.pth": torch_file.getvalue(),
        "policy.optimizer.pth": bomb,
        "pytorch_variables.pth": bomb,
        "tensors.pth": torch_file.getvalue(),
        "env.reset.pth": bomb,
        "../../outside.pth": bomb,
        "/absolute.pth": bomb,
        "olb/more.pkl": bomb,
    }


def test_nothing_in_a_hostile_file_is_run(folder: Path, tmp_path: Path) -> None:
    """All parts of SB3 are malicious at once. The run goes on from ours."""
    trace, file = tmp_path / "trace", folder / SB3_FILE
    expected = Sb3Run.resume(folder)
    expected.close()
    parts = {**parts_of(file), **bombs(trace)}
    write_parts(file, parts)
    run = Sb3Run.resume(folder)
    run.save_checkpoint()
    run.close()
    assert not trace.exists()
    assert run.timesteps == expected.timesteps > 0
    for name, weight in expected.network().weights.items():
        assert np.array_equal(run.network().weights[name], weight)
    write_parts(file, parts)
    with contextlib.suppress(Exception):
        MaskablePPO.load(file)
    assert trace.exists()  # SB3's own loader runs it


def test_a_file_of_sb3_alone_is_refused(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    parts = parts_of(folder / SB3_FILE)
    write_parts(folder / SB3_FILE, {name: part for name, part in parts.items() if not name.startswith("olb/")})
    assert "olb/counters.json is missing" in check_refusal(folder, capsys)


@pytest.mark.parametrize("name", [COUNTERS, POLICY, OPTIMIZER, FIRST_PAST_SELF])
def test_a_pickle_in_place_of_tensors_is_refused(name: str, folder: Path, capsys: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    for content in (pickle.dumps(Bomb(trace)), bombs(trace)["policy.pth"]):
        write_parts(folder / SB3_FILE, {**parts_of(folder / SB3_FILE), name: content})
        check_refusal(folder, capsys)
    assert not trace.exists()


@pytest.mark.parametrize("name", [COUNTERS, POLICY, OPTIMIZER, FIRST_PAST_SELF])
def test_a_part_that_unpacks_to_much_more_is_refused(name: str, folder: Path, capsys: Any) -> None:
    file = folder / SB3_FILE
    write_parts(file, {**parts_of(file), name: bytes(300_000_000)}, zipfile.ZIP_DEFLATED)
    assert file.stat().st_size < 2_000_000
    assert f"{name} is too long" in check_refusal(folder, capsys)


def test_a_file_that_is_too_large_is_not_opened(folder: Path, capsys: Any) -> None:
    with (folder / SB3_FILE).open("r+b") as file:
        file.truncate(10**12)  # of holes
    assert "it is too large" in check_refusal(folder, capsys)


def change_tensors(content: bytes, change: Callable[[Any], Any]) -> bytes:
    tensors = load(content)
    name = min(tensors)
    tensors[name] = change(tensors[name].copy())
    return save(tensors)


@pytest.mark.parametrize("name", [POLICY, OPTIMIZER, FIRST_PAST_SELF])
@pytest.mark.parametrize(
    "change",
    [lambda part: part * np.nan, lambda part: part[None], lambda part: part.astype(np.float64)],
    ids=["nan", "shape", "dtype"],
)
def test_tensors_that_do_not_fit_are_refused(name: str, change: Any, folder: Path, capsys: Any) -> None:
    parts = parts_of(folder / SB3_FILE)
    write_parts(folder / SB3_FILE, {**parts, name: change_tensors(parts[name], change)})
    check_refusal(folder, capsys)


@pytest.mark.parametrize(
    "counters",
    ["[]", "{}", "null", "[1]", "[-128, 0]", "[1.5, 0]", '["1", 0]', "[1e400, 0]", "[128, -1]", "[128, NaN]",
     "[true, 1]", "[127, 1]", "[1000000000000, 1]", "[" * 500, "[128, [[]]]", "9" * 900],
)  # fmt: skip
def test_counters_that_no_run_has_are_refused(counters: str, folder: Path, capsys: Any) -> None:
    write_parts(folder / SB3_FILE, {**parts_of(folder / SB3_FILE), COUNTERS: counters.encode()})
    check_refusal(folder, capsys)


@pytest.mark.parametrize("names", [["999999"], ["000", "002"], ["000", "../001"], [f"{n:03d}" for n in range(3)]])
def test_past_selves_with_odd_names_or_too_many_are_refused(names: list[str], folder: Path, capsys: Any) -> None:
    parts = parts_of(folder / SB3_FILE)
    past_self = parts[FIRST_PAST_SELF]
    kept = {name: part for name, part in parts.items() if not name.startswith(PAST_SELVES)}
    write_parts(folder / SB3_FILE, kept | {f"{PAST_SELVES}{name}": past_self for name in names})
    assert "past selves, of odd names or more than 2" in check_refusal(folder, capsys)


@pytest.mark.parametrize("players", [None, "2", 2.0, True, [], 10**30, -1], ids=lambda players: f"{players!r} players")
def test_table_sizes_that_no_run_has_are_refused(players: Any, folder: Path, capsys: Any) -> None:
    file = folder / "settings.json"
    file.write_text(json.dumps({**json.loads(file.read_text(encoding="utf-8")), "players": players}), encoding="utf-8")
    assert main(["train", "--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert "names tables of" in error
    assert error.count("\n") == 1


@pytest.mark.compiled
def test_any_damaged_file_is_refused_or_resumed(
    begun: Path, folder: Path, tmp_path: Path, trials: Callable[[int, int], int]
) -> None:
    """Bytes are changed where our parts and the directory of the archive are, or parts change places."""
    rng, file, trace = random.Random(9), folder / SB3_FILE, tmp_path / "trace"
    whole, parts = (begun / SB3_FILE).read_bytes(), parts_of(begun / SB3_FILE)
    own = [name for name in parts if name.startswith("olb/")]
    start, refused = whole.index(COUNTERS.encode()), 0
    explosive = list(bombs(trace).values())
    count = trials(25, 700)
    for _ in range(count):
        if rng.random() < 0.5:
            content = bytearray(whole)
            for _ in range(rng.randint(1, 5)):
                content[rng.randrange(start, len(content))] = rng.randrange(256)
            file.write_bytes(bytes(content))
        else:
            changed = rng.choice(own)
            other = rng.choice([*explosive, *(parts[name] for name in own), b"", rng.randbytes(300)])
            write_parts(file, {**parts, changed: other})
        try:
            run = Sb3Run.resume(folder)
        except ValueError as error:
            refused += 1
            message = str(error)
        else:
            run.close()
            message = "resumed"
        assert "\n" not in message
        assert len(message) < 700
    assert refused > count / 3
    assert not trace.exists()


@pytest.mark.parametrize("option", ["--init-from", "--opponents", "--teacher", "--exploit"])
def test_hostile_networks_run_no_code_and_are_refused(
    option: str, ended_run: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    trace, network = tmp_path / "trace", tmp_path / "network.safetensors"
    for name in ("network.safetensors", "network.json"):
        shutil.copy(ended_run / name, tmp_path)
    contents = [pickle.dumps(Bomb(trace)), bombs(trace)["policy.pth"], b"", b"[" * 100_000, b"{}", b"null"]
    for file in (network, network.with_suffix(".json")):
        whole = file.read_bytes()
        for content in contents:
            file.write_bytes(content)
            with pytest.raises(NetworkError):
                load_network(network)
            value = str(network) if option == "--init-from" else f"policy:{network}"
            base = ("--game", SHORT.game) if option == "--exploit" else SMALL_PPO_FLAGS
            assert main(["train", *base, option, value, "--out", str(tmp_path / "run")]) == 2
            error = capsys.readouterr().err
            assert error.count("\n") == 1
            assert "network" in error
        file.write_bytes(whole)
    assert not trace.exists()
    assert not (tmp_path / "run").exists()
