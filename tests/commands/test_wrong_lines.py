"""Whatever is typed, a command works or says in one line why not, and loses nothing."""

from __future__ import annotations

import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from olb_env import benchmarks, load_records
from olb_env.commands import bench, record
from olb_env.commands.olb import main
from tests.commands.wrong_lines import Begun, Lines, Outcome, check, contents, fill_precious_folder, run
from tests.support.running import INTERPRETED

COMMANDS = ("arena", "bench", "board", "play", "record", "replay", "train")
MOST_MEMORY = 6 * 2**30  # of the process of the tests, so that reading without end fails soon


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("games") / "games.jsonl"
    assert main(["record", "--games", "1", "--players", "2", "--out", str(file)]) == 0
    return file


@pytest.fixture
def precious(tmp_path: Path, games: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The current folder, with files that matter; nothing that takes long begins."""
    fill_precious_folder(tmp_path, games)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(record, "_lines", lambda *_: (f"{{}}{number}\n" for number in range(2)))
    keys = [figure.key for figure in benchmarks.MEASUREMENTS]
    monkeypatch.setattr(bench, "measure", lambda _game, players, *_: {"players": players, **dict.fromkeys(keys, 1.0)})
    monkeypatch.setattr(bench, "connect_four", lambda _seconds: 1.0)
    monkeypatch.setattr(bench, "pgx_connect_four", lambda _seconds: 1.0)
    monkeypatch.setattr(bench, "measure_many", lambda *_: {"games": 1, "megabytes": 1.0, "seconds": 1.0})
    monkeypatch.setattr(bench, "_measure_training", begin)
    if "arena" in COMMANDS:
        monkeypatch.setattr("olb_training.arena.tournament.Tournament.play", begin)
    if "play" in COMMANDS or "replay" in COMMANDS:
        monkeypatch.setattr("olb_env.page.server.make_app", begin)
    if "train" in COMMANDS:
        for run_class in ("run.Run", "sb3_run.Sb3Run"):
            monkeypatch.setattr(f"olb_training.ppo.{run_class}.begin", begin)
            monkeypatch.setattr(f"olb_training.ppo.{run_class}.resume", begin)
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_MEMORY, before[1]))
    yield tmp_path
    resource.setrlimit(resource.RLIMIT_DATA, before)


def begin(*_: Any, **__: Any) -> Any:
    raise Begun


def test_odd_command_lines_work_or_are_refused_in_one_line(
    precious: Path, games: Path, trials: Callable[[int, int], int]
) -> None:
    lines, refused = Lines(1, COMMANDS), 0
    count = trials(40 if INTERPRETED else 300, 3_000)
    for _ in range(count):
        words, before = lines.one(), contents(precious)
        outcome = run(words)
        after = contents(precious)
        try:
            check(words, outcome, before, after)
        except AssertionError as error:
            raise AssertionError(f"{[word[:60] for word in words]}: {outcome}") from error
        refused += outcome.code == 2
        if after != before:
            fill_precious_folder(precious, games)
    assert 0.5 * count < refused < 0.99 * count


@pytest.mark.compiled
def test_processes_of_their_own_do_the_same(tmp_path: Path, games: Path) -> None:
    """The words go through the operating system, and the errors through a real terminal's stream."""
    fill_precious_folder(tmp_path, games)
    before = contents(tmp_path)
    for words in (
        ["record", "--out", "precious.jsonl", "--agents", "policy:" + "x" * 10_000],
        ["record", "--out", "precious.jsonl", "--agents", "shouts.py:Bot", "--games", "9" * 5000],
        ["bench", "--json", "link.jsonl", "--board", "\udcff.toml"],
        ["board", "check", "zero.toml", "--svg", "precious.jsonl"],
        ["\x1b[31m" * 1000],
    ):
        command = [sys.executable, "-m", "olb_env", *words]
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False, cwd=tmp_path)
        check(words, Outcome(done.returncode, done.stdout, done.stderr), before, contents(tmp_path))
        assert done.returncode == 2


def test_a_word_that_names_the_game_may_be_cut_short(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The game decides which options there are, so it has to be the same for them and for the command."""
    assert main(["board", "new", "--gam", "portobello_market"]) == 0
    assert "[alleys]" in capsys.readouterr().out
    words = ["record", "--gam", "portobello_market", "--out", str(tmp_path / "games.jsonl")]
    with pytest.raises(SystemExit) as stopped:
        main(words)
    assert stopped.value.code == 2
    assert "--gam could be any of --game, --games" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_what_agents_print_is_no_record(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    agents = ["--agents", "tests.support.some_agents:Chatty"]
    assert main(["record", "--games", "1", "--players", "2", *agents, "--out", "-"]) == 0
    printed = capfd.readouterr()
    assert "hmm" in printed.err
    file = tmp_path / "games.jsonl"
    file.write_text(printed.out)
    assert len(load_records(file)) == 1


def test_the_name_of_an_agent_that_no_record_could_hold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("odd\a.py").write_text("class Bot:\n    def act(self, view):\n        return view.legal[0]\n")
    done = run(["record", "--games", "1", "--agents", "odd\a.py:Bot", "--out", "games.jsonl"])
    assert done.code == 2
    assert "agent 'odd\\x07.py:Bot': expected a name of printable characters" in done.err
    assert not Path("games.jsonl").exists()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["record", "--games", str(10**12)], "'1000000000000' given, expected a whole number from 1 to 100,000,000"),
        (["record", "--workers", "257"], "'257' given, expected a whole number from 1 to 256"),
        (["record", "--seed", str(2**53)], "given, expected a whole number from 0 to 9,007,199,254,740,991"),
        (["bench", "--batch", "100001"], "'100001' given, expected a whole number from 1 to 100,000"),
        (["bench", "--seconds", "nan"], "'nan' given, expected seconds from 0.01 to 3600"),
        (["record", "--agents", "mcts:10000000"], "(mcts:200) or milliseconds (mcts:500ms) from 1 to 9,999,999"),
        (["record", "--agents", "flat:0"], "expected a number of simulations (flat:200) from 1 to 9,999,999"),
        (["record", "--agents", "champion:10000000"], "simulations (champion:64) from 1 to 9,999,999"),
        (["record", "--agents", "mixed:1000001"], "expected a number of iterations (mixed:300) from 1 to 1,000,000"),
    ],
)
def test_every_number_has_bounds_that_its_error_names(words: list[str], message: str, tmp_path: Path) -> None:
    done = run([*words, *(["--out", str(tmp_path / "x")] if words[0] == "record" else [])])
    assert done.code == 2
    assert message in done.err
    assert list(tmp_path.iterdir()) == []
