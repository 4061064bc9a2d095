"""Scripted players of Old London Bridge: they play under every scoring, as strongly and in the style they should."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_agents.heuristics import score_actions
from olb_agents.old_london_bridge.styles import STYLES
from olb_agents.scratch import new_scratch
from olb_env import replay
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import GUILD, MERCER, PARK, SCORINGS
from olb_env.playing import Views, agent_names, decide, make_agent, play_game
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.support.playthroughs import walk
from tests.support.running import INTERPRETED

SCRIPTED = ["planner", "greedy", "guilds", "merchant", "chapel", "gate", "gardener", "hoarder"]


def win_rate(agent: str, others: str, players: int, deals: int, **options: Any) -> float:
    """How often an agent wins against copies of another, in every seat of every deal."""
    tournament = Tournament(Plan(GAME.name, (agent, *[others] * (players - 1)), players, deals, 7000, options))
    tournament.play()
    return {row.agent: row.win_rate.value for row in tournament.tally.rows(deals)}[agent]


def decisions(seed: int, **options: Any) -> Iterator[States]:
    """Every decision of a random game, as copies."""
    for states in walk(seed, **options):
        if batch.actor_one(states) >= 0:
            yield states.copy()


def test_every_style_is_an_agent() -> None:
    assert set(SCRIPTED) | {"random", "mcts", "flat"} <= set(agent_names())
    assert set(SCRIPTED) == set(STYLES)


@pytest.mark.compiled
@pytest.mark.parametrize("name", SCRIPTED)
def test_scripted_players_play_whole_games(name: str) -> None:
    for players in (2, 3, 4):
        record = play_game(GAME, GAME.rules.configure(num_players=players, scoring="random"), 5, [name] * players)
        assert replay(record).over


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("area", "side"), [(area, side) for area, sides in SCORINGS.items() for side in sides], ids=lambda value: value
)
def test_scripted_players_beat_random_ones_under_every_scoring(area: str, side: str) -> None:
    for name in SCRIPTED:
        assert win_rate(name, "random", 2, 20, scoring={area: side}) > 0.7, name


@pytest.mark.compiled
def test_greedy_beats_random_and_planner_beats_greedy() -> None:
    """The limits are far below what many games show, and far above what luck could do in these."""
    assert win_rate("greedy", "random", 2, 50) > 0.9
    assert win_rate("greedy", "random", 4, 30) > 0.75
    assert win_rate("planner", "greedy", 2, 60) > 0.7
    assert win_rate("planner", "greedy", 4, 40) > 0.45


@pytest.mark.compiled
def test_no_scripted_player_beats_the_planner_clearly() -> None:
    for name in SCRIPTED[1:]:
        assert win_rate("planner", name, 2, 100) > 0.42, name


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*SCRIPTED[1:], "random"])
def test_styles_differ_from_the_planner(name: str) -> None:
    other, planner = make_agent(name), make_agent("planner")
    different = 0
    for states in itertools.chain.from_iterable(decisions(seed) for seed in range(3)):
        views = Views(GAME, states, [1])
        different += decide(other, name, views)[0] != decide(planner, "planner", views)[0]
    assert different > 5


def amount_of_specialty(name: str, player: Any) -> int:
    """How much of what a style specializes in a player has at the end."""
    kinds = {"guilds": GUILD, "merchant": MERCER, "gardener": PARK}
    if name in kinds:
        return int(player.kinds[kinds[name]])
    return int({"chapel": player.chapel, "gate": player.gate, "hoarder": player.hand[1:].sum()}[name])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["guilds", "merchant", "chapel", "gate", "gardener", "hoarder"])
def test_each_style_ends_with_more_of_its_specialty_than_the_planner(name: str) -> None:
    own = others = 0
    for seed in range(20):
        for seat in range(2):
            agents = [name, "planner"] if seat == 0 else ["planner", name]
            final = replay(play_game(GAME, GAME.rules.configure(num_players=2), seed, agents)).final[0]
            own += amount_of_specialty(name, final.seats[seat])
            others += amount_of_specialty(name, final.seats[1 - seat])
    assert own > others


@pytest.mark.parametrize("name", ["planner", "greedy"])
def test_hidden_information_changes_no_decision(name: str) -> None:
    """Two games that differ only in what the seat cannot know get the same action."""
    agent = make_agent(name)
    for number, states in enumerate(decisions(2, num_players=3)):
        if number % (40 if INTERPRETED else 9) == 0:
            other = states.copy()
            batch.resample_rows(other, np.array([batch.actor_one(states)]), np.array([number + 100]))
            chosen = [decide(agent, name, Views(GAME, version, [1]))[0] for version in (states, other)]
            assert chosen[0] == chosen[1]


def test_many_decisions_at_once_are_those_one_by_one() -> None:
    agent = make_agent("planner")
    states = np.concatenate(list(decisions(4, num_players=2))[:: 20 if INTERPRETED else 7])
    views = Views(GAME, states, range(len(states)))
    many = decide(agent, "planner", views)
    assert many.tolist() == [agent.act(views[index]) for index in range(len(views))]


def test_scoring_actions_leaves_the_game_as_it_is() -> None:
    for states in itertools.islice(decisions(3), 0, None, 20 if INTERPRETED else 1):
        before = states.tobytes()
        score_actions(states[0], int(states[0].actor), STYLES["planner"], new_scratch(GAME))
        assert states.tobytes() == before
