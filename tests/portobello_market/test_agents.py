"""Scripted players and search in Portobello Market: they play legally, sensibly, and as strongly as they should."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_agents.portobello_market.action_scores import playout
from olb_agents.portobello_market.evaluation import TURNS_AHEAD
from olb_agents.portobello_market.styles import STYLES
from olb_agents.scratch import new_scratch
from olb_agents.scripted import decide_rows
from olb_env import replay
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.playing import Views, agent_names, decide, make_agent, play_game
from olb_env.portobello_market import ACTIONS, GAME
from olb_env.portobello_market.state import ACT
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.portobello_market.positions import SHORT_BOARD, Position
from tests.support.playthroughs import walk

NAMES = ["planner", "scout", "greedy"]


def win_rate(agent: str, others: str, players: int, deals: int) -> float:
    """How often an agent wins against copies of another, in every seat of every deal."""
    plan = Plan(GAME.name, (agent, *[others] * (players - 1)), players, deals, 7000)
    tournament = Tournament(plan, workers=1)
    tournament.play()
    return {row.agent: row.win_rate.value for row in tournament.tally.rows(deals)}[agent]


def some_decisions(seed: int, every: int, **options: Any) -> Iterator[States]:
    """Some decisions of a random game, as copies."""
    for number, states in enumerate(walk(seed, GAME, **options)):
        if batch.actor_one(states) >= 0 and number % every == 0:
            yield states.copy()


def choice(name: str, states: States) -> str:
    return ACTIONS[decide(make_agent(name), name, Views(GAME, states, [1]))[0]]


def test_every_style_is_an_agent() -> None:
    assert set(NAMES) == set(STYLES) <= set(agent_names())


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*NAMES, "mcts:4", "flat:4"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_whole_games_are_legal(name: str, players: int) -> None:
    """Also on a board of short alleys, with an open bag, and with nothing to pay tolls with."""
    for options in ({}, {"board": SHORT_BOARD}, {"customers": "open"}, {"start_score": 0}):
        setup = GAME.rules.configure(num_players=players, **options)
        assert replay(play_game(GAME, setup, 5, [name] * players)).over


@pytest.mark.compiled
def test_greedy_beats_random() -> None:
    """The limits are far below what many games show, and far above what luck could do in these."""
    assert win_rate("greedy", "random", 2, 25) > 0.9
    assert win_rate("greedy", "random", 3, 15) > 0.85
    assert win_rate("greedy", "random", 4, 10) > 0.8


@pytest.mark.compiled
def test_planner_beats_greedy() -> None:
    assert win_rate("planner", "greedy", 2, 25) > 0.85
    assert win_rate("planner", "greedy", 3, 15) > 0.65
    assert win_rate("planner", "greedy", 4, 15) > 0.55


def test_the_scout_is_a_planner_that_looks_ahead_fewer_turns() -> None:
    planner, scout = STYLES["planner"], STYLES["scout"]
    two, *more = (np.flatnonzero(planner[table] != scout[table]).tolist() for table in range(len(planner)))
    assert two == []
    assert more == [[TURNS_AHEAD], [TURNS_AHEAD]]
    assert (scout[1:, TURNS_AHEAD] < planner[1:, TURNS_AHEAD]).all()


@pytest.mark.compiled
def test_with_four_players_the_scout_beats_the_planner() -> None:
    assert win_rate("scout", "planner", 4, 40) > 0.28


@pytest.mark.compiled
def test_search_holds_its_own_against_the_planner() -> None:
    assert win_rate("mcts:50", "planner", 2, 10) > 0.4


@pytest.mark.compiled
@pytest.mark.parametrize("name", NAMES)
def test_many_decisions_at_once_are_those_one_by_one(name: str) -> None:
    states = np.concatenate(list(some_decisions(4, 10, num_players=2)))
    views = Views(GAME, states, range(len(states)))
    agent = make_agent(name)
    many = decide(agent, name, views)
    assert many.tolist() == [agent.act(views[index]) for index in range(len(views))]


@pytest.mark.compiled
def test_scoring_actions_leaves_the_game_as_it_is() -> None:
    for states in some_decisions(3, 5, num_players=3):
        before = states.tobytes()
        decide_rows(
            states, np.array([int(states[0].actor)]), STYLES["planner"], new_scratch(GAME), np.zeros(1, np.int64)
        )
        assert states.tobytes() == before


def last_turn(players: int = 2) -> Position:
    """The last turn of the game is the last seat's, which has five stalls around D1 and three around D12."""
    position = Position(players, bobby="D5")
    for alley in ("A1", "A9"):
        position.fill(alley, *[players - 1] * int(position.game.length[int(alley[1:]) - 1]))
    position.fill("A17", players - 1)
    position.game.table.last_round = 1
    position.turn_of(players - 1)
    return position


def test_the_last_turn_of_the_game_marks_the_district_with_most_stalls() -> None:
    assert choice("planner", last_turn().states) == "mark D1 4"


@pytest.mark.parametrize("name", NAMES)
def test_a_stall_completes_an_alley_between_burghers(name: str) -> None:
    """One lot worth 3 is free in A1, and the player has all the others: 21 points."""
    position = Position(2, bobby="D1")
    position.put_customers(P1="burgher", P2="burgher")
    position.fill("A1", 0, 0)
    position.acting(0, 1, "D1")
    assert choice(name, position.states) == "stall A1 P1"


@pytest.mark.parametrize("name", NAMES)
def test_a_burgher_goes_where_the_full_alleys_of_the_player_meet(name: str) -> None:
    position = Position(2, bobby="D5")
    position.put_customers(P2="burgher", P8="burgher")
    position.fill("A1", 0, 0, 0)
    position.fill("A8", 0, 0, 0, 0, 0, 0)
    position.acting(0, 1, "D5")
    position.game.order[2:] = [2] * 3 + [1] * 5
    position.act("draw")
    assert choice(name, position.states) == "plaza P1"


@pytest.mark.parametrize("players", [2, 4])
def test_a_playout_values_the_seat_that_is_ahead(players: int) -> None:
    position = last_turn(players)
    position.game.score[0] = 200
    out = np.zeros(players)
    playout(position.game, STYLES["planner"], 1, new_scratch(GAME), out)
    assert position.over
    assert out[0] > 0.9
    assert (out[1:] < -0.9).all()
    assert (np.abs(out) <= 1).all()


def test_a_playout_goes_on_for_one_round() -> None:
    position = Position(2, bobby="D1")
    position.act("token 1")
    assert position.game.phase == ACT
    playout(position.game, STYLES["planner"], 1, new_scratch(GAME), np.zeros(2))
    assert (position.round_number, position.actor) == (2, 0)
    assert position.phase_name == "turn"
