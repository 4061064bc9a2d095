"""The arena: fair schedules, results that any number of workers repeats, honest intervals, bots that fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from olb_env.commands.olb import main
from tests.conftest import HEEDING, INTERPRETED
from tests.toy_game import PEBBLES
from training.arena.playing import play_units
from training.arena.schedule import MOST_LINEUPS, Plan, Unit, make_lineups, rotations, units
from training.arena.statistics import summarise

DEALS = 3 if INTERPRETED else 20


def plan(*agents: str, players: int = 2, deals: int = DEALS, move_limit: float | None = None) -> Plan:
    return Plan(PEBBLES.name, agents, players, deals, 1, {}, move_limit)


def arena(*words: str) -> int:
    return main(["arena", "--players", "2", "--deals", str(DEALS), "--seed", "1", *words])


def test_few_agents_play_in_all_groups() -> None:
    assert make_lineups(4, 2, seed=1) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert make_lineups(4, 4, seed=1) == [(0, 1, 2, 3)]


@pytest.mark.parametrize(("agents", "players"), [(13, 4), (20, 3), (30, 2)])
def test_many_agents_play_equally_often(agents: int, players: int) -> None:
    lineups = make_lineups(agents, players, seed=1)
    assert len(lineups) == MOST_LINEUPS
    assert all(len(set(lineup)) == players for lineup in lineups)
    counts = Counter(agent for lineup in lineups for agent in lineup)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_every_agent_sits_in_every_seat() -> None:
    assert rotations((4, 7, 9)) == [(4, 7, 9), (7, 9, 4), (9, 4, 7)]


def test_too_few_agents_are_refused() -> None:
    with pytest.raises(ValueError, match="2 agents for a table of 3: name at least 3; a name may be repeated"):
        plan("random", "random", players=3)


def test_a_unit_does_not_depend_on_those_played_with_it() -> None:
    contest = plan("random", "tests.some_agents:Watcher", "tests.some_agents:First")
    todo = units(contest)
    together = play_units(contest, todo)
    for unit, found in zip(todo, together, strict=True):
        (alone,) = play_units(contest, [unit])
        assert [(game.seats, game.ranks, game.scores) for game in alone.games] == [
            (game.seats, game.ranks, game.scores) for game in found.games
        ]


def test_rotations_of_a_deal_are_the_same_deal() -> None:
    """A player that always takes the first choice in all seats: all rotations are one and the same game."""
    contest = plan("tests.some_agents:First", "tests.some_agents:First")
    (found,) = play_units(contest, [Unit(0, 0)])
    assert found.games[0].scores == found.games[1].scores


@pytest.mark.parametrize("players", [2, 3])
def test_an_agent_against_copies_of_itself_wins_its_share_exactly(players: int) -> None:
    contest = Plan("old_london_bridge", ("random",) * players, players, 2 if INTERPRETED else 10, 1)
    (row,) = summarise(contest, play_units(contest, units(contest)))
    assert row.win_rate.value == pytest.approx(1 / players, abs=1e-12)
    assert row.win_rate.half_width == pytest.approx(0, abs=1e-12)


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    """Many small tournaments of equals: the interval holds one half in nearly all of them."""
    from training.arena.playing import Game, Played

    chance, held = np.random.default_rng(0), 0
    contest = Plan(PEBBLES.name, ("random", "tests.some_agents:First"), 2, 60, 1)
    for _ in range(60):
        played = []
        for deal in range(60):
            ranks = [1, 2] if chance.random() < 0.5 else [2, 1]
            again = [1, 2] if chance.random() < 0.5 else [2, 1]
            games = [
                Game([0, 1], ranks, [3.0, 3.0], seconds=[0.0, 0.0], decisions=[1, 1]),
                Game([1, 0], again, [3.0, 3.0], seconds=[0.0, 0.0], decisions=[1, 1]),
            ]
            played.append(Played(deal, 0, games))
        rate = summarise(contest, played)[0].win_rate
        held += rate.low <= 0.5 <= rate.high
    assert held >= 52


@pytest.mark.parametrize("limit", [None, 60.0])
@pytest.mark.parametrize(
    ("agent", "message"),
    [("tests.some_agents:Broken", "RuntimeError: no idea"), ("tests.some_agents:Cheat", "chose 'fly'")],
)
def test_an_agent_that_fails_forfeits_and_the_rest_goes_on(agent: str, message: str, limit: float | None) -> None:
    contest = plan(agent, "random", "tests.some_agents:First", players=3, move_limit=limit)
    rows = {row.agent: row for row in summarise(contest, play_units(contest, units(contest)))}
    assert rows[agent].win_rate.value == 0
    assert rows[agent].rank.value == 3
    assert rows[agent].faults == rows[agent].games
    assert message in str(rows[agent].first_fault)
    assert rows["random"].faults == 0
    assert rows["random"].win_rate.value + rows["tests.some_agents:First"].win_rate.value == pytest.approx(1)


def test_a_slow_agent_forfeits() -> None:
    contest = plan("tests.some_agents:Slow", "random", deals=2, move_limit=0.005)
    rows = {row.agent: row for row in summarise(contest, play_units(contest, units(contest)))}
    assert rows["tests.some_agents:Slow"].faults == 4
    assert "took longer than 0.005 s" in str(rows["tests.some_agents:Slow"].first_fault)


@pytest.mark.compiled
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    found = []
    for workers in ("1", "2"):
        out = tmp_path / f"{workers}.json"
        assert arena("--agents", "planner", "greedy", "random", "--workers", workers, "--json", str(out)) == 0
        table = json.loads(out.read_text(encoding="utf-8"))
        for row in table["rows"]:
            del row["milliseconds"]
        found.append(table)
    assert found[0] == found[1]
    assert [row["agent"] for row in found[0]["rows"]] == ["planner", "greedy", "random"]


@pytest.mark.compiled
def test_an_interrupted_run_tells_what_there_is() -> None:
    words = ["arena", "--agents", "random", "random", "--players", "2", "--deals", "1000000", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-c", HEEDING, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    time.sleep(20)
    os.killpg(process.pid, signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=300))
    assert process.returncode == 130
    assert "olb arena: interrupted after" in err
    assert "Traceback" not in err
    assert "50.0 ± 0.0" in out


def test_the_table_is_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--agents", "random", "tests.some_agents:Broken", "--deals", "2", "--workers", "1")
    assert arena(*words) == 0
    shown = capsys.readouterr().out
    assert "par is 50%" in shown
    assert "forfeited 4 games: agent 'tests.some_agents:Broken'" in shown


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agents", "random"), "1 agents for a table of 2"),
        (("--agents", "random", "clever"), "unknown agent 'clever'"),
        (("--agents", "random", "random", "--scoring", "none"), "scoring"),
        (("--agents", "random", "random", "--json", "/no/such/folder/x"), "cannot write /no/such/folder/x"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_line(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena("--deals", "2", "--workers", "1", *words) == 2
    assert message in capsys.readouterr().err
