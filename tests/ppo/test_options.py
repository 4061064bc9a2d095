"""The options that a run trains with are those that it is measured with, in every kind of run."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env.commands.olb import main
from olb_env.core.game import find
from olb_env.core.typed_options import read_option
from olb_training.arena.statistics import Tally
from olb_training.arena.tournament import Tournament
from olb_training.ppo import final_report, win_rates
from olb_training.ppo.checkpoint import CHECKPOINTS, list_checkpoints, read_checkpoint
from olb_training.ppo.metrics import read_metrics
from olb_training.ppo.options import options_text, plain_options
from olb_training.ppo.run import Run
from olb_training.ppo.sb3_run import Sb3Run
from olb_training.ppo.settings import Settings
from tests.support.playthroughs import deal_one
from tests.support.small_runs import SHORT, SMALL_FLAGS, SMALL_PPO_FLAGS
from tests.support.toy_game import HEAP, PEBBLES

BOARD = 'coins = [3, 3, "X", 1, 0, 4]\n\n[gate_track]\nlength = 9\nbonus = [2, 5, 9]\n'
SAME_BOARD = {"coins": [3, 3, "X", 1, 0, 4], "gate_track": {"length": 9, "bonus": [2, 5, 9]}}
KINDS = {
    "ppo": SMALL_PPO_FLAGS,
    "exploit": (*SMALL_FLAGS, "--num-envs", "8", "4", "--exploit", "random"),
    "sb3": (*SMALL_FLAGS, "--num-envs", "8", "4", "--opponents", "random", "--algo", "sb3"),
}


@pytest.fixture
def coins_in_games(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """How many coins were won together in every game that the arena counts."""
    found: list[float] = []
    add = Tally.add

    def spy(tally: Tally, results: Any) -> None:
        results = list(results)
        found.extend(sum(scores) for result in results for scores in result.scores)
        add(tally, results)

    monkeypatch.setattr(Tally, "add", spy)
    return found


def states_of(run: Run | Sb3Run) -> Any:
    """Return the games at the tables of a run."""
    if isinstance(run, Sb3Run):
        run.env.reset()
        return run.env._env._batch.states
    return np.concatenate([batch._env._batch.states for batch in run.learner._collector.tables.batches])


def stopped(kind: str, folder: Path, *options: str) -> None:
    """Begin a run and break it off after its first iterations."""

    class StoppedError(KeyboardInterrupt):
        pass

    def stop(metrics: Any) -> None:
        if metrics["iteration"] >= 2:
            raise StoppedError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("olb_training.ppo.progress.ProgressDisplay.update", lambda _self, metrics: stop(metrics))
        assert main(["train", *KINDS[kind], *options, "--out", str(folder)]) == 130


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS)
def test_training_evaluations_reports_and_resumed_runs_have_the_same_options(
    kind: str, tmp_path: Path, coins_in_games: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    """With a coin under every pebble there are twelve in every game, and six by default."""
    folder = tmp_path / "run"
    stopped(kind, folder, "--coins", "12", "--eval-interval", "1")
    evaluated = len(coins_in_games)
    assert evaluated > 0
    run: Any = (Sb3Run if kind == "sb3" else Run).resume(folder)
    assert run.settings.options == {"coins": 12}
    assert (states_of(run)["coins"] == HEAP).all()
    run.close()
    assert main(["train", "--resume", str(folder)]) == 0
    games = len(coins_in_games)
    assert games > evaluated
    assert set(coins_in_games) == {12}
    entries = [entry for entry in read_metrics(folder) if "win_rates" in entry]
    assert all(entry["eval_options"] == {"coins": 12} for entry in entries)
    said = " ".join(capsys.readouterr().out.split())
    assert ("all seats, with coins 12)" if kind == "exploit" else "all games with coins 12 pebbles") in said


def test_games_have_six_coins_if_nobody_says_otherwise(
    tmp_path: Path, coins_in_games: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["train", *SMALL_PPO_FLAGS, "--out", str(tmp_path / "run")]) == 0
    assert set(coins_in_games) == {6}
    assert "all games" not in capsys.readouterr().out


def test_evaluations_have_the_options_of_most_tables(tmp_path: Path, coins_in_games: list[float]) -> None:
    words = [*SMALL_PPO_FLAGS, "--coins", "12", "--env-kwargs", "coins=3"]
    assert main(["train", *words, "--env-kwargs-fraction", "0.8", "--out", str(tmp_path / "most")]) == 0
    assert set(coins_in_games) == {3}
    coins_in_games.clear()
    assert main(["train", *words, "--env-kwargs-fraction", "0.4", "--out", str(tmp_path / "few")]) == 0
    assert set(coins_in_games) == {12}


@pytest.fixture
def plans(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """The plans of all tournaments that are played."""
    found: list[Any] = []
    play = Tournament.play

    def spy(tournament: Tournament) -> None:
        found.append(tournament.plan)
        play(tournament)

    monkeypatch.setattr(Tournament, "play", spy)
    monkeypatch.setattr(win_rates, "EVAL_OPPONENTS", ("random",))
    monkeypatch.setattr(final_report, "FINAL_OPPONENTS", ("random",))
    return found


SMALL_BRIDGE = (
    "--num-envs", "6", "0", "0", "--num-steps", "12", "--total-timesteps", "200", "--features", "observation",
    "--hidden-sizes", "8", "--workers", "1", "--opponents", "random", "--teacher", "", "--imitation-timesteps", "0",
    "--eval-deals", "2",
)  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_run_keeps_its_board_when_the_file_is_gone(
    suffix: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plans: list[Any]
) -> None:
    board = tmp_path / f"mine.{suffix}"
    board.write_text(BOARD if suffix == "toml" else json.dumps(SAME_BOARD), encoding="utf-8")
    folder = tmp_path / "run"
    assert main(["train", *SMALL_BRIDGE, "--board", str(board), "--minutes", "0.00001", "--out", str(folder)]) == 0
    board.unlink()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    run, game = Run.resume(folder), find("old_london_bridge")
    assert run.settings.options == {"board": SAME_BOARD}
    assert game.boards is not None
    expected = game.boards.describe(deal_one(1, num_players=2, board=SAME_BOARD)[0])
    states = states_of(run)
    assert len(states) == 6
    assert all(game.boards.describe(state) == expected for state in states)
    assert expected != game.boards.describe(deal_one(1, num_players=2)[0])
    run.close()
    assert main(["train", "--resume", str(folder)]) == 0
    assert len(plans) == 2  # the last evaluation and the arena
    assert all(plan.options == {"board": SAME_BOARD} for plan in plans)
    assert "mine" not in list_checkpoints(folder / CHECKPOINTS)[-1].read_text(encoding="latin-1")


def test_a_board_at_some_of_the_tables_is_kept_too(tmp_path: Path) -> None:
    board = tmp_path / "mine.toml"
    board.write_text(BOARD, encoding="utf-8")
    settings = Settings(env_kwargs=(f"board={board}", "memory=table"), workers=1)
    board.unlink()
    again = Settings.from_dict(json.loads(json.dumps(asdict(settings))))
    assert again == settings
    changed = [dict(spec.options) for spec in again.table_specs() if spec.options]
    assert changed == [{"board": SAME_BOARD, "memory": "table"}] * 3
    assert again.main_options() == {}


def test_a_preset_does_not_change_an_option_that_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Settings] = []

    def begin(_folder: Path, settings: Settings) -> Run:
        begun.append(settings)
        raise ValueError("enough")

    monkeypatch.setattr(Run, "begin", begin)
    out = ["--out", str(tmp_path / "run")]
    for words in (["--memory", "table"], ["--scoring", "gate=steps"], ["--scoring", "random"]):
        assert main(["train", *words, *out]) == 2
    memory, gate, chance = begun
    assert (memory.options, memory.env_kwargs) == ({"memory": "table"}, ("scoring=random",))
    assert (gate.options, gate.env_kwargs) == ({"scoring": {"gate": "steps"}}, ())
    assert chance.options == {"scoring": "random"}
    assert {spec.num_players: dict(spec.options) for spec in chance.table_specs()} == {
        players: {"scoring": "random"} for players in (2, 3, 4)
    }


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--board", "nowhere.toml"), "cannot read nowhere.toml: No such file"),
        (("--board", "third"), "board is 'third': expected first, second"),
        (("--board", "{"), "board is '{': not JSON"),
        (("--board", "{" + '"coins": {' * 5000), "nested too deeply"),
        (("--board", '{"coins": 3}'), "coins"),
        (("--scoring", "gate=steps,moat=wide"), "scoring names the area 'moat'"),
        (("--memory", "x" * 5000), "memory is 'xxx"),
        (("--rulings", "debts=doubled"), "the ruling on debts"),
        (("--env-kwargs", "board=nowhere.json"), "cannot read nowhere.json"),
        (("--env-kwargs", "board"), "env_kwargs has 'board': expected NAME=VALUE"),
        (("--algo", "sb3", "--env-kwargs", "scoring=random"), "--env-kwargs is not for --algo sb3"),
        (("--algo", "sb3", "--board", "third"), "board is 'third'"),
        (("--exploit", "random", "--board", "third"), "board is 'third'"),
    ],
)
def test_wrong_options_are_refused_in_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", "--out", "run", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert len(error) < 600
    assert not (tmp_path / "run").exists()


def test_options_cannot_be_changed_when_a_run_is_resumed(ended_run: Path, capsys: Any) -> None:
    assert main(["train", "--game", PEBBLES.name, "--coins", "3", "--resume", str(ended_run)]) == 2
    assert "leave out all settings" in capsys.readouterr().err


@pytest.mark.parametrize(
    "options",
    [{"board": "mine.toml"}, {"coins": 3}, {"scoring": {1, 2}}, [], "board"],
    ids=lambda options: str(options),
)
def test_options_of_a_run_are_plain_data_that_the_game_knows(options: Any) -> None:
    values = {**asdict(Settings()), "options": options}
    with pytest.raises(ValueError, match=r"not a file|options have|options are"):
        Settings.from_dict(values)


def test_a_run_that_names_a_file_for_some_tables_is_refused() -> None:
    with pytest.raises(ValueError, match="expected the board itself, not a file"):
        Settings.from_dict({**asdict(Settings()), "env_kwargs": ["board=/etc/mine.toml"]})


def test_options_that_are_as_by_default_are_left_out() -> None:
    game = find("old_london_bridge")
    assert plain_options(game, {"memory": "perfect", "scoring": "board", "board": None}) == {}
    assert replace(SHORT, options={"coins": 6}) == SHORT


def test_a_mapping_may_be_typed_as_json() -> None:
    game = find("old_london_bridge")
    assert read_option(game, "board", json.dumps(SAME_BOARD)) == SAME_BOARD
    assert read_option(game, "scoring", '{"gate": "steps"}') == read_option(game, "scoring", "gate=steps")


def test_options_are_shown_in_a_few_words() -> None:
    options = {"board": SAME_BOARD, "scoring": {"gate": "steps"}, "memory": "table"}
    assert options_text(options) == "on a board of your own, with scoring gate=steps; memory table"
    assert options_text({"board": SAME_BOARD}) == "on a board of your own"
    assert options_text({"memory": "table"}) == "with memory table"
    assert options_text({}) == "with the options of the game as they are by default"


def test_older_runs_without_options_can_be_resumed(run_copy: Path) -> None:
    values = read_checkpoint(list_checkpoints(run_copy / CHECKPOINTS)[-1])[1]["settings"]
    del values["options"]
    assert Settings.from_dict(values) == SHORT
