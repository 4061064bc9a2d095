"""Every setting has bounds: what lies beyond them is refused in one line, whatever it is and wherever it comes from."""

from __future__ import annotations

import dataclasses
import math
import random
import tracemalloc
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_env.core.game import game_names
from olb_training.ppo import memory
from olb_training.ppo.memory import check_memory, memory_needed
from olb_training.ppo.presets import PRESETS, SB3_SETTINGS, WITHOUT_FLAG, best_response_of, preset_of
from olb_training.ppo.run import Run
from olb_training.ppo.settings import Settings, bounds_of_settings
from tests.support.small_runs import SMALL, SMALL_PPO_FLAGS

BOUNDS = bounds_of_settings()
NUMBERS = [name for name, bounds in BOUNDS.items() if bounds.kind is not str]
TEXTS = [name for name, bounds in BOUNDS.items() if bounds.kind is str]
FLAGS = [field.name for field in dataclasses.fields(Settings) if field.name not in WITHOUT_FLAG]
LONG = "Xyzzy" * 2000
WRONG = ["-1", "1e999", "nan", "inf", "-inf", "1" + 23 * "0", "1" + 5000 * "0", "", "ten", LONG, "1.5.2", "0x10"]


def flag(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def check_refusal(words: list[str], typed: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Check that a command is refused in one line that shows little of what was typed; return the line."""
    try:
        code: Any = main(["train", *words, "--out", str(folder)])
    except SystemExit as exit_:
        code = exit_.code
    said = capsys.readouterr()
    assert code == 2
    assert said.out == ""
    assert said.err.count("\n") == 1, said.err
    if len(typed) > 200:
        assert typed[:201] not in said.err
    assert len(said.err) < 700
    assert not folder.exists()
    return said.err


@pytest.mark.parametrize("name", [name for name in FLAGS if name in NUMBERS])
def test_numbers_beyond_their_bounds_are_refused(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bounds = BOUNDS[name]
    assert -1 < bounds.least <= bounds.most < math.inf
    beyond = [str(int(bounds.most) + 1), str(2 * int(bounds.most) + 2)]
    if bounds.least > 0:
        beyond += ["0", "0.0"]
    if bounds.kind is int:
        beyond += ["1.5", "1e3"]
    for text in [*WRONG, *beyond]:
        line = check_refusal([f"{flag(name)}={text}"], text, tmp_path / "run", capsys)
        assert name in line or flag(name) in line
        assert "expected" in line


@pytest.mark.parametrize("name", [name for name in FLAGS if name in TEXTS])
@pytest.mark.parametrize(
    "text",
    [LONG, "a/" * 400 + "b.safetensors", "no\0thing", "x" * 10_000_000],
    ids=["long", "a path", "null", "longer"],
)
def test_long_texts_are_refused_without_repeating_them(
    name: str, text: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    check_refusal([f"{flag(name)}={text}"], text, tmp_path / "run", capsys)


@pytest.mark.parametrize(
    "option", ["--exploit", "--preset", "--algo", "--minutes", "--players", "--board", "--scoring"]
)
def test_other_long_texts_are_refused_without_repeating_them(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for text in (LONG, "/".join(["folder"] * 200) + "/board.toml", "9" * 3000):
        check_refusal([option, text], text, tmp_path / "run", capsys)


@pytest.mark.parametrize("option", ["--out", "--resume"])
def test_long_paths_are_refused_without_repeating_them(
    option: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for text in (LONG, "/".join(["folder"] * 1000), "/dev/null/" + "x" * 240, "a\0b"):
        assert main(["train", *(SMALL_PPO_FLAGS if option == "--out" else ()), option, text]) == 2
        error = capsys.readouterr().err
        assert error.count("\n") == 1
        assert text[:201] not in error


@pytest.mark.parametrize("name", BOUNDS)
def test_settings_of_a_file_have_their_types(name: str) -> None:
    values, bounds = asdict(SMALL), BOUNDS[name]
    wrong: list[Any] = [None, {}, {"a": 1}, b"x", math.nan, math.inf, 10**400, -(10**400), [[1]], [None], object()]
    if bounds.kind is not str:
        wrong += [True, "1", ["1"]]
    if bounds.kind is int:
        wrong += [1.5]
    wrong += [3] if bounds.most_values or bounds.kind is str else [[3]]
    wrong += [[values[name][0] if values[name] else "a"] * 100_000] if bounds.most_values else []
    for value in wrong:
        with pytest.raises(ValueError, match=name) as caught:
            Settings.from_dict({**values, name: value})
        assert len(str(caught.value)) < 500
        assert "\n" not in str(caught.value)


def settings_or_reason(values: Any) -> tuple[Settings | None, str]:
    try:
        return Settings.from_dict(values), ""
    except ValueError as error:
        return None, str(error)


def test_anything_in_place_of_settings_is_refused_in_one_line(trials: Callable[[int, int], int]) -> None:
    """Each is refused with a ValueError, or is what settings can be."""
    rng = random.Random(3)
    values: list[Any] = [
        None, True, -1, 0, 1, 2, 10**6, 10**30, -0.5, 0.5, 1e300, math.nan, "", "random", "x" * 5000, "mcts:5ms",
        "a.toml", [], [1], [0, 0], ["a=b"], [1.0, 2.0], {}, {"coins": 1}, {"board": "x.json"}, [[]], (1,), b"",
    ]  # fmt: skip
    names, refused = [field.name for field in dataclasses.fields(Settings)], 0
    count = trials(400, 60_000)
    for _ in range(count):
        changed = {rng.choice(names): rng.choice(values) for _ in range(rng.randint(1, 3))}
        settings, reason = settings_or_reason({**asdict(SMALL), **changed})
        if settings is None:
            refused += 1
            assert "\n" not in reason
            assert 0 < len(reason) < 700
        else:
            assert Settings.from_dict(asdict(settings)) == settings
            assert memory_needed(settings)
    assert 0 < refused < count


@pytest.mark.parametrize("game", game_names())
def test_presets_are_within_bounds_and_need_little_memory(game: str) -> None:
    presets = [Settings(**preset_of(name, game)) for name in PRESETS]
    presets.append(Settings(**best_response_of("random", game)))
    for settings in presets:
        assert sum(memory_needed(settings).values()) < 6 * 2**30
        check_memory(settings)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"pool_size": 1000, "hidden_sizes": (8192, 8192)}, "pool_size"),
        ({"hidden_sizes": (8192,) * 16, "pool_size": 1}, "hidden_sizes"),
        ({"num_envs": (8000, 0, 0), "num_steps": 250, "features": "afterstates"}, "num_steps or num_envs"),
    ],
)
def test_what_needs_too_much_memory_is_refused_before_anything_is_allocated(
    changes: dict[str, Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "machine_memory", lambda: 16 * 2**30)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match=rf"need about .* GiB of memory, .* 16\.0 GiB: lower .*{name}"):
            Run.begin(tmp_path / "run", replace(Settings(**preset_of("quick", "old_london_bridge")), **changes))
        assert tracemalloc.get_traced_memory()[1] < 50 * 2**20
    finally:
        tracemalloc.stop()
    assert not (tmp_path / "run").exists()


def test_sb3_trains_only_with_seeds_that_it_can_have(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = check_refusal(["--algo", "sb3", "--seed", str(2**53 - 1)], "", tmp_path / "run", capsys)
    assert "seed is 9007199254740991: expected less than" in line


def test_settings_of_sb3_are_settings() -> None:
    assert {field.name for field in dataclasses.fields(Settings)} >= SB3_SETTINGS
