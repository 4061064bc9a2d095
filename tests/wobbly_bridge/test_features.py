"""The inputs of networks besides the observation in The Wobbly Bridge are true, and give away nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_agents.inputs import afterstate_size, feature_size, write_extra_inputs
from olb_agents.wobbly_bridge.features import FEATURE_LAYOUT, STEPS_UNIT
from olb_env.core import batch
from olb_env.playing import Views, decide, make_agent
from olb_env.wobbly_bridge import ACTIONS, GAME
from olb_env.wobbly_bridge.components import CARDS
from tests.support.playthroughs import walk
from tests.wobbly_bridge.table import Table

GAMES = 4


def inputs_of(states: Any, seat: int, features: str = "afterstates") -> Any:
    """The inputs for one decision besides the observation."""
    out = np.full((1, feature_size(GAME.name, features)), np.nan, np.float32)
    write_extra_inputs(GAME, states, np.array([seat]), out, 0, 0)
    return out[0]


def read(states: Any, seat: int, name: str, features: str = "derived") -> Any:
    """A field of the inputs, in its shape."""
    return inputs_of(states, seat, features)[FEATURE_LAYOUT[name]].reshape(FEATURE_LAYOUT.fields[name].shape)


def decisions(players: int) -> Iterator[Any]:
    """All decisions of some games."""
    for seed in range(GAMES):
        for states in walk(seed, GAME, num_players=players):
            if batch.actor_one(states) >= 0:
                yield states


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_inputs_give_away_nothing_hidden(players: int) -> None:
    """They are the same for games that differ in special cards of others, picks face down, and events to come."""
    differed = 0
    for number, states in enumerate(decisions(players)):
        seat, other = batch.actor_one(states), states.copy()
        batch.resample_rows(other, np.array([seat]), np.array([number + 100]))
        differed += other.tobytes() != states.tobytes()
        np.testing.assert_array_equal(inputs_of(states, seat), inputs_of(other, seat))
    assert differed > 0


@pytest.mark.compiled
def test_lookahead_adds_a_mixed_strategy_to_the_derived_features() -> None:
    assert afterstate_size(GAME.name, "afterstates") == 0
    assert (
        feature_size(GAME.name, "afterstates")
        == feature_size(GAME.name, "lookahead")
        == FEATURE_LAYOUT.size + len(ACTIONS)
    )
    assert feature_size(GAME.name, "derived") == feature_size(GAME.name, "lookahead") - len(CARDS)
    table = Table("idea", "order", "heavy")
    less, more = inputs_of(table.states, 0, "derived"), inputs_of(table.states, 0, "lookahead")
    strategy = FEATURE_LAYOUT["own.strategy"]
    np.testing.assert_array_equal(less, np.delete(more, np.arange(strategy.start, strategy.stop)))


@pytest.mark.compiled
def test_inputs_of_illegal_cards_are_zero() -> None:
    for states in decisions(4):
        seat, mask = batch.actor_one(states), np.zeros((1, len(ACTIONS)), np.int8)
        batch.write_masks(states, mask)
        assert not read(states, seat, "own.steps")[mask[0] == 0].any()
        assert not read(states, seat, "own.steps")[:, 4:].any()  # nobody sits there
        strategy = read(states, seat, "own.strategy", features="lookahead")
        assert not strategy[mask[0] == 0].any()
        assert strategy.sum() == pytest.approx(1, abs=1e-5)


def last_cards() -> Table:
    """The last match, with calm events so far: what the others play is certain, but not the wind."""
    table = Table("order", "heavy", "idea")
    table.hold(0, "leap", "order")
    table.hold(1, "dash")
    table.hold(2, "panic")
    table.put_explorers(12, 8, 16)
    table.begin_match(6)
    return table


def test_steps_are_those_of_the_match() -> None:
    """With order: 2 west, panic 3 east. With leap: dash 4 west, panic 4 east."""
    table = last_cards()
    table.game.deck[1:] = 0  # only calm is left
    table.game.deck[0] = 1
    steps = read(table.states, 0, "own.steps") * STEPS_UNIT
    np.testing.assert_allclose(steps[CARDS.index("order"), :3], [-2, 0, 3], atol=1e-5)
    np.testing.assert_allclose(steps[CARDS.index("leap"), :3], [0, -4, 4], atol=1e-5)
    np.testing.assert_allclose(read(table.states, 0, "own.over")[[0, 6]], 1, atol=1e-5)
    result = read(table.states, 0, "own.result")
    np.testing.assert_allclose(result[[0, 6]], 0, atol=1e-5)  # second of three, with either


def test_a_card_that_leads_to_safety_ends_and_wins_the_game() -> None:
    """From space 3, order leads to safety."""
    table = last_cards()
    table.put_explorers(3, 8, 16)
    table.begin_match(5)
    order, leap = CARDS.index("order"), CARDS.index("leap")
    over, result = read(table.states, 0, "own.over"), read(table.states, 0, "own.result")
    assert over[order] == pytest.approx(1)
    assert over[leap] == pytest.approx(0)
    assert result[order] == pytest.approx(1)
    assert result[leap] < 1


@pytest.mark.compiled
def test_action_scores_are_those_of_the_planner() -> None:
    planner = make_agent("planner")
    for states in decisions(5):
        scores = inputs_of(states, batch.actor_one(states), "derived")[-len(ACTIONS) :]
        assert scores.argmax() == decide(planner, "planner", Views(GAME, states, [1]))[0]


def test_a_mixed_strategy_is_among_the_lookahead_features() -> None:
    """It has a probability for each card in hand."""
    table = last_cards()
    strategy = read(table.states, 0, "own.strategy", "lookahead")
    assert strategy.sum() == pytest.approx(1, abs=1e-5)
    assert set(np.flatnonzero(strategy)) <= {CARDS.index("order"), CARDS.index("leap")}
