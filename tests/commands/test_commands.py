"""`olb`: what it prints and writes, and how it reports mistakes."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import time
from pathlib import Path

import pytest

from olb_env import benchmarks, load_records
from olb_env.commands import bench
from olb_env.commands.olb import main
from olb_env.old_london_bridge import GAME
from tests.support.running import INTERPRETED, OLB_WITH_SIGINT
from tests.support.toy_game import PEBBLES

OLB = [sys.executable, "-m", "olb_env"]


def record(out: Path, *words: str) -> int:
    return main(["record", "--games", "6", "--seed", "1", "--out", str(out), *words])


def test_help_lists_every_command_and_shows_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["--help"])
    assert stopped.value.code == 0
    assert "record" in (shown := capsys.readouterr().out)
    assert "bench" in shown
    for command in ("record", "bench"):
        with pytest.raises(SystemExit):
            main([command, "--help"])
        assert f"example:\n  olb {command}" in capsys.readouterr().out


@pytest.mark.compiled
def test_records_are_written_and_can_be_loaded(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    assert record(out, "--players", "mixed", "--scoring", "random", "--legal") == 0
    records = load_records(out)
    assert [game["players"] for game in records] == [2, 3, 4, 2, 3, 4]
    assert records[1]["agents"] == ["random"] * 3
    assert all(len(move) == 3 for game in records for move in game["moves"])


@pytest.mark.compiled
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    assert record(one, "--players", "2") == 0
    assert record(two, "--players", "2", "--workers", "2") == 0
    assert one.read_bytes() == two.read_bytes()


@pytest.mark.compiled
def test_another_seed_gives_other_games(tmp_path: Path) -> None:
    one, two = tmp_path / "one.jsonl", tmp_path / "two.jsonl"
    record(one, "--players", "2")
    record(two, "--players", "2", "--seed", "2")
    assert one.read_bytes() != two.read_bytes()


@pytest.mark.compiled
def test_scoring_can_be_chosen_for_each_area(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    assert record(out, "--scoring", "gate=steps, inn=card sets") == 0
    chosen = {"chapel": "board", "gate": "steps", "inn": "card sets", "bridge": "board"}
    assert all(game["scoring"] == chosen for game in load_records(out))


@pytest.mark.compiled
def test_a_users_agent_plays_under_its_name(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    assert record(out, "--players", "2", "--agents", "tests.support.some_agents:First", "random") == 0
    for game in load_records(out):
        assert game["agents"] == ["tests.support.some_agents:First", "random"]


def test_records_go_to_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["record", "--games", "2", "--players", "2", "--out", "-"]) == 0
    lines = capfd.readouterr().out.splitlines()
    assert [json.loads(line)["players"] for line in lines] == [2, 2]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["record"], "the following arguments are required: --out"),
        (["record", "--out", "x", "--games", "0"], "'0' given, expected a whole number from 1 to 100,000,000"),
        (["record", "--out", "x", "--games", "many"], "'many' given, expected a whole number from 1 to 100,000,000"),
        (["record", "--out", "x", "--players", "5"], "invalid choice: '5'"),
        (["record", "--out", "x", "--seed", "-3"], "'-3' given, expected a whole number from 0 to"),
        (["record", "--out", "x", "--scoring", "bored"], "scoring is 'bored': expected 'board', 'random'"),
        (["record", "--out", "x", "--scoring", "inn=beds"], "scoring of inn is 'beds': expected one of"),
        (["record", "--out", "x", "--scoring", "pub=board"], "scoring names the area 'pub'"),
        (["record", "--out", "x", "--agents", "genius"], "unknown agent 'genius': expected one of champion, chapel"),
        (["record", "--out", "x", "--agents", "random:7"], "agent 'random' takes nothing after a colon"),
        (["record", "--out", "x", "--agents", "no.module:Bot"], "cannot load agent 'no.module:Bot'"),
        (["record", "--out", "x", "--agents", "tests.support.some_agents:Nobody"], "it has no class Nobody"),
        (["record", "--out", "x", "--agents", "tests.support.some_agents:Mute"], "has no method act(view)"),
        (["record", "--out", "x", "--agents", ".x:Y"], "cannot load agent '.x:Y' (TypeError"),
        (["record", "--out", "x", "--agents", "os:sep"], "cannot load agent 'os:sep' (TypeError"),
        (["record", "--out", "x", "--workers", "9999"], "expected a whole number from 1 to 256"),
        (["record", "--game", "--out", "x"], "argument --game: expected one argument"),
        (["record", "--out", "x", "--agents", "random", "random"], "--agents names 2 agents: expected one"),
        (["record", "--out", "no/such/folder/x"], "cannot write no/such/folder/x: No such file or directory"),
        (["record", "--game", "chess", "--out", "x"], "invalid choice: 'chess'"),
        (["record", "--out", "x", "--game"], "expected one argument"),
        (["bench", "--seconds", "0"], "'0' given, expected seconds from 0.01 to 3600"),
        (["bench", "--batch", "0"], "'0' given, expected a whole number from 1 to"),
        (["dance"], "invalid choice: 'dance'"),
        (["record", "--otu", "x"], "olb record: unknown option --otu, did you mean --out? (see olb record --help)"),
        (["record", "--out", "x", "--gmaes=3"], "olb record: unknown option --gmaes, did you mean --games?"),
        (["record", "--out", "x", "--zzz", "3"], "olb record: unknown option --zzz (see olb record --help)"),
        (["arena", "--untli", "2"], "olb arena: unknown option --untli, did you mean --until? (see olb arena --help)"),
        (
            ["train", "--reusme", "x"],
            "olb train: unknown option --reusme, did you mean --resume? (see olb train --help)",
        ),
        (["play", "--sed", "1"], "olb play: unknown option --sed, did you mean --seed? (see olb play --help)"),
        (
            ["record", "--game", "wobbly_bridge", "--board", "own.toml"],
            "olb record: unknown option --board (see olb record --game wobbly_bridge --help)",
        ),
        (["record", "more", "--out", "x"], "olb record: unexpected argument 'more' (see olb record --help)"),
        (["record", "--out", "x", "-q"], "olb record: unexpected argument '-q' (see olb record --help)"),
        (
            ["--verison", "record", "--out", "x"],
            "olb: unknown option --verison, did you mean --version? (see olb --help)",
        ),
        (["record", "--game", "wobbly_bridge", "--scoring", "random", "--out", "x"], "unknown option --scoring"),
        ([], "required: COMMAND"),
    ],
)
def test_mistakes_end_in_one_line_and_exit_code_2(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    try:
        code = main(words)
    except SystemExit as stopped:
        code = stopped.code
    shown = capsys.readouterr().err.strip()
    assert code == 2
    assert message in shown
    assert "\n" not in shown
    assert not (tmp_path / "x").exists()


def test_an_abbreviated_option_is_understood(tmp_path: Path) -> None:
    assert record(tmp_path / "games.jsonl", "--play", "2") == 0


def test_a_command_does_not_look_for_modules_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    assert record(tmp_path / "games.jsonl", "--players", "2") == 0
    assert "" not in sys.path


@pytest.mark.parametrize(
    ("game", "agent", "message"),
    [
        ("wobbly_bridge", "guilds", "wobbly_bridge has no style 'guilds'"),
        ("portobello_market", "mixed", "agent 'mixed' plays wobbly_bridge, not portobello_market"),
        (PEBBLES.name, "champion", "pebbles"),
    ],
)
def test_an_agent_of_another_game_is_refused_before_the_file_is_touched(
    game: str, agent: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "games.jsonl"
    out.write_text("precious\n")
    assert record(out, "--game", game, "--players", "3", "--agents", agent) == 2
    shown = capsys.readouterr().err
    assert message in shown
    assert shown.count("\n") == 1
    assert out.read_text() == "precious\n"


def test_an_agent_that_cheats_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    assert record(out, "--players", "2", "--agents", "random", "tests.support.some_agents:Cheat") == 2
    shown = capsys.readouterr().err
    assert "agent 'tests.support.some_agents:Cheat' in seat 1 chose 'fly': expected one of play 0" in shown
    assert load_records(out) == []


def test_an_agent_that_fails_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "games.jsonl"
    assert record(out, "--players", "2", "--agents", "tests.support.some_agents:Broken") == 2
    assert "agent 'tests.support.some_agents:Broken' in seat" in (shown := capsys.readouterr().err)
    assert "failed with RuntimeError: no idea" in shown


def test_a_run_without_a_game_keeps_the_file_that_was_there(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    file.write_text("something longer than the records of a game without moves\n")
    before = file.read_bytes()
    words = ["record", "--games", "1", "--players", "2", "--out", str(file), "--agents"]
    assert main([*words, "tests.support.some_agents:Broken"]) == 2
    assert file.read_bytes() == before
    assert main([*words, "random"]) == 0
    assert len(load_records(file)) == 1


@pytest.mark.parametrize("answer", ["None", "0.7", "True", "99"])
def test_an_object_that_is_not_an_action_is_refused(
    answer: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    bot = f"bot_{answer.replace('.', '_')}".lower()
    (tmp_path / f"{bot}.py").write_text(f"class Bot:\n    def act(self, view):\n        return {answer}\n")
    assert record(tmp_path / "games.jsonl", "--players", "2", "--agents", f"{bot}:Bot") == 2
    assert f"chose {answer}: expected one of play 0" in capsys.readouterr().err


@pytest.mark.compiled
def test_a_mistake_in_the_module_run_as_a_program_ends_in_one_line(tmp_path: Path) -> None:
    done = subprocess.run([*OLB, "replay", "missing.jsonl"], check=False, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.startswith("olb replay: ")
    assert done.stderr.count("\n") == 1


@pytest.mark.compiled
def test_a_closed_pipe_ends_the_run_quietly() -> None:
    words = [*OLB, "record", "--games", "500", "--players", "2", "--out", "-"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(timeout=120) == 1
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


@pytest.mark.compiled
def test_an_interrupted_run_keeps_whole_lines(tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    words = [sys.executable, "-c", OLB_WITH_SIGINT, "record", "--games", "100000", "--workers", "2", "--out", str(out)]
    process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, start_new_session=True)
    deadline = time.monotonic() + 120
    while (not out.exists() or out.stat().st_size < 200_000) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    _, shown = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "olb record: interrupted," in shown
    assert "Traceback" not in shown
    records = load_records(out)
    assert f"{len(records)} of 100000 games written" in shown


@pytest.fixture
def many_games(monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many games `olb bench` deals at once; without compilation as many would take minutes."""
    if INTERPRETED:
        monkeypatch.setattr(bench, "MANY_GAMES", 20)
        monkeypatch.setattr(benchmarks, "STEPS", 3)
    return 20 if INTERPRETED else 100_000


def test_bench_prints_a_report_and_writes_json(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], many_games: int
) -> None:
    out = tmp_path / "bench.json"
    assert main(["bench", "--players", "2", "--seconds", "0.05", "--batch", "8", "--json", str(out)]) == 0
    assert "decisions per second on one of" in capsys.readouterr().out
    figures = json.loads(out.read_text(encoding="utf-8"))
    assert figures["bytes_per_game"] <= 1024
    assert figures["many_games"]["games"] == many_games
    (row,) = figures["decisions_per_second"]
    assert row["players"] == 2
    assert all(row[figure.key] > 0 for figure in benchmarks.MEASUREMENTS)


@pytest.mark.compiled
@pytest.mark.usefixtures("many_games")
def test_bench_writes_only_json_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--players", "2", "--seconds", "0.05", "--batch", "8", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["game"] == "old_london_bridge"


@pytest.mark.compiled
@pytest.mark.usefixtures("many_games")
def test_bench_reports_a_file_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["bench", "--players", "2", "--seconds", "0.05", "--batch", "8", "--json", "/no/such/folder/x"]
    assert main(words) == 2
    assert "cannot write /no/such/folder/x" in capsys.readouterr().err


@pytest.mark.compiled
def test_no_interface_falls_far_behind_the_kernels() -> None:
    """Ratios of medians of interleaved rounds; the bounds are well below the results of a quiet machine."""
    rounds = [
        {
            "rules": benchmarks.rules_alone(GAME, 4, 512, 0.2, {}).own,
            "observed": benchmarks.with_observations(GAME, 4, 512, 0.2, {}).own,
            "selfplay": benchmarks.selfplay_batch(GAME, 4, 512, 0.2, {}).own,
            "vector": benchmarks.gymnasium_vector(GAME, 4, 512, 0.2, {}).all,
            "sb3": getattr(benchmarks.sb3_vec_env(GAME, 4, 512, 0.2, {}), "all", 0),
            "aec": benchmarks.pettingzoo_env(GAME, 4, 1, 0.2, {}).own,
            "single": benchmarks.gymnasium_single(GAME, 4, 1, 0.2, {}).own,
            "peer": benchmarks.connect_four(0.2),
        }
        for _ in range(5)
    ]
    rate = {name: statistics.median(figures[name] for figures in rounds) for name in rounds[0]}
    assert rate["rules"] > 1.5 * rate["observed"]
    assert rate["selfplay"] > 0.3 * rate["observed"]
    assert rate["vector"] > 0.3 * rate["observed"]
    assert rate["sb3"] > 0.25 * rate["observed"]
    assert rate["aec"] > 2 * rate["peer"]
    assert rate["single"] > 2 * rate["peer"]


@pytest.mark.compiled
def test_bench_measures_the_peer_on_request(capsys: pytest.CaptureFixture[str], many_games: int) -> None:
    words = ["bench", "--players", "2", "--seconds", "0.05", "--batch", "8", "--peer"]
    assert main(words) == 0
    shown = capsys.readouterr().out
    assert "connect_four_v3 in the same loop" in shown
    assert "Pgx's connect_four, batch of 4096" in shown
    assert f"{many_games:,} games" in shown


def test_bench_names_the_package_that_the_peer_needs(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench.importlib.util, "find_spec", lambda _name: None)
    assert main(["bench", "--players", "2", "--peer"]) == 2
    assert "--peer needs pygame" in capsys.readouterr().err


@pytest.mark.usefixtures("many_games")
def test_bench_skips_packages_that_are_not_installed(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(benchmarks.importlib.util, "find_spec", lambda _name: None)
    assert main(["bench", "--players", "2", "--seconds", "0.05", "--batch", "8"]) == 0
    assert "not installed" in capsys.readouterr().out
