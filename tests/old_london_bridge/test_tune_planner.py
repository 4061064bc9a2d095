"""Tuning of the planner's weights, with settings so small that it takes no time."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from olb_agents.old_london_bridge import tune_planner
from olb_agents.old_london_bridge.action_scores import STYLE_SIZE
from olb_agents.old_london_bridge.evaluation import FEATURES, MONEY
from olb_agents.old_london_bridge.styles import STYLES
from olb_agents.old_london_bridge.tune_planner import next_generation, play_against
from olb_agents.wobbly_bridge import fit_evaluation
from tests.commands.wrong_lines import check_one_line, run


@pytest.mark.compiled
def test_a_match_counts_wins_in_every_seat() -> None:
    planner, greedy = (STYLES[name][0] for name in ("planner", "greedy"))
    wins, margin = play_against(planner, greedy, 2, 30, 1, "board")
    losses, deficit = play_against(greedy, planner, 2, 30, 1, "board")
    assert wins > 0.6 > losses
    assert margin > 0 > deficit


def test_the_next_generation_is_drawn_around_the_best_candidates() -> None:
    candidates = np.linspace(-1, 1, 32)[:, None] * np.ones(3)
    mean, spread = np.zeros(3), np.array([0.5, 0.5, 0.0])
    better, narrower = next_generation(mean, spread, candidates, candidates[:, 0])
    assert better == pytest.approx(np.full(3, 0.7 * candidates[-8:, 0].mean()))
    assert (narrower[:2] < spread[:2]).all()
    assert narrower[2] == 0  # a weight that is fixed stays fixed


def test_the_command_prints_weights_by_feature(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One generation, in which the size of a weight decides instead of games."""
    monkeypatch.setattr(tune_planner, "ProcessPoolExecutor", ThreadPoolExecutor)
    monkeypatch.setattr(tune_planner, "GENERATIONS_PER_RIVAL", 1)
    monkeypatch.setattr(tune_planner, "fitness", lambda candidate, *_: float(candidate.sum()))
    monkeypatch.setattr(tune_planner, "play_against", lambda *_: (0.5, 0.0))
    clock = iter([0.0, 0.0, 0.0, 60.0])
    monkeypatch.setattr(tune_planner.time, "monotonic", lambda: next(clock))
    file = tmp_path / "weights.json"
    tune_planner.main(["--players", "3", "--minutes", "0.5", "--workers", "1", "--out", str(file)])
    weights, printed = json.loads(file.read_text(encoding="utf-8")), capsys.readouterr().out
    assert len(weights) == STYLE_SIZE
    assert weights[MONEY] == STYLES["planner"][1][MONEY]
    assert sum(weights) > STYLES["planner"][1].sum()
    assert "wins in % against planner 50, greedy 50" in printed
    assert all(f'"{name}": (' in printed for name in FEATURES)
    assert "rivalry" in printed


def test_fitness_plays_under_both_scorings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tune_planner, "GAMES", 2)
    monkeypatch.setattr(tune_planner, "play_against", lambda *words: (1.0 if words[-1] == "board" else 0.0, 0.25))
    assert tune_planner.fitness(np.zeros(STYLE_SIZE), [np.zeros(STYLE_SIZE)], 2, 1) == 1.0 + 2 * 0.25


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--players", "5"], "argument --players: invalid choice: 5 (choose from 2, 3, 4)"),
        (["--minutes", "nan"], "'nan' given, expected a number from 0.01 to 10,000"),
        (["--minutes", "-1"], "'-1' given, expected a number from 0.01 to 10,000"),
        (["--seed", "-1"], "'-1' given, expected a whole number from 0 to 9,007,199,254,740,991"),
        (["--seed", "9" * 5000], "expected a whole number from 0 to"),
        (["--workers", "0"], "'0' given, expected a whole number from 1 to 256"),
        (["--spread", "inf"], "'inf' given, expected a number from 0 to 10"),
        (
            ["--out", "missing/folder/x"],
            "'missing/folder/x' given, expected a file in a folder where it can be written",
        ),
        (["--out", "."], "'.' given, expected a file in a folder where it can be written"),
        (["--out", "x" * 10_000], "expected the path of a file"),
    ],
)
def test_mistakes_end_in_one_line_before_anything_is_played(
    words: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(["--players", "2", *words], tune_planner.main)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    check_one_line(words, done.err)


@pytest.mark.parametrize("option", ["--games", "--generations", "--iterations", "--seed", "--out"])
@pytest.mark.parametrize("value", ["-1", "nan", "1.5", "9" * 5000, "", "x" * 10_000])
def test_so_do_those_of_the_tool_that_fits_the_evaluation_of_another_game(
    option: str, value: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    if option == "--out":
        value = f"missing/x{value}"
    words = [option, value] if option == "--out" else [option, value, "--out", "weights"]
    done = run(words, fit_evaluation.main)
    assert (done.code, done.out) == (2, "")
    assert f"argument {option}: " in done.err
    assert " given, expected " in done.err
    check_one_line([value], done.err)


def test_weights_in_the_package_are_never_overwritten_unasked() -> None:
    done = run([], fit_evaluation.main)
    assert (done.code, done.out) == (2, "")
    assert "the following arguments are required: --out" in done.err
