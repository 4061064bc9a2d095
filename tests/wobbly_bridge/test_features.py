"""What networks are told of The Wobbly Bridge beside the observation is true, and tells nothing that is hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_agents.heuristics import afterstate_size, append_features, feature_size
from olb_agents.wobbly_bridge.features import INSIGHT, MIX, STEPS_UNIT
from olb_env.core import batch
from olb_env.playing import Views, decide, make_agent
from olb_env.wobbly_bridge import ACTIONS, GAME
from olb_env.wobbly_bridge.components import CARDS
from tests.support.playthroughs import walk
from tests.wobbly_bridge.table import Table

GAMES = 4


def tell(states: Any, seat: int, features: str = "afterstates") -> Any:
    """All that a network is told of one decision beside the observation."""
    out = np.full((1, feature_size(GAME.name, features)), np.nan, np.float32)
    append_features(GAME, states, np.array([seat]), out, 0, 0)
    return out[0]


def read(states: Any, seat: int, name: str, features: str = "derived") -> Any:
    """A field of the insight, as it is shaped."""
    return tell(states, seat, features)[INSIGHT[name]].reshape(INSIGHT.fields[name].shape)


def decisions(players: int) -> Iterator[Any]:
    """All decisions of some games."""
    for seed in range(GAMES):
        for states in walk(seed, GAME, num_players=players):
            if batch.actor_one(states) >= 0:
                yield states


@pytest.mark.compiled
@pytest.mark.parametrize("players", [3, 4, 5, 6])
def test_insight_tells_nothing_hidden(players: int) -> None:
    """It is the same of games that differ in special cards of others, picks face down, and events to come."""
    differed = 0
    for number, states in enumerate(decisions(players)):
        seat, other = batch.actor_one(states), states.copy()
        batch.resample_rows(other, np.array([seat]), np.array([number + 100]))
        differed += other.tobytes() != states.tobytes()
        np.testing.assert_array_equal(tell(states, seat), tell(other, seat))
    assert differed > 0


@pytest.mark.compiled
def test_there_is_more_of_it_at_the_second_level() -> None:
    assert afterstate_size(GAME.name, "afterstates") == 0
    assert feature_size(GAME.name, "afterstates") == feature_size(GAME.name, "lookahead") == INSIGHT.size + len(ACTIONS)
    assert feature_size(GAME.name, 1) == feature_size(GAME.name, "lookahead") - len(CARDS)
    table = Table("idea", "order", "heavy")
    less, more = tell(table.states, 0, "derived"), tell(table.states, 0, "lookahead")
    mix = INSIGHT[f"own.{MIX[0].name}"]
    np.testing.assert_array_equal(less, np.delete(more, np.arange(mix.start, mix.stop)))


@pytest.mark.compiled
def test_cards_that_one_may_not_play_are_nothing() -> None:
    for states in decisions(4):
        seat, mask = batch.actor_one(states), np.zeros((1, len(ACTIONS)), np.int8)
        batch.write_masks(states, mask)
        assert not read(states, seat, "own.steps")[mask[0] == 0].any()
        assert not read(states, seat, "own.steps")[:, 4:].any()  # nobody sits there
        mix = read(states, seat, "own.mix", features="lookahead")
        assert not mix[mask[0] == 0].any()
        assert mix.sum() == pytest.approx(1, abs=1e-5)


def last_cards() -> Table:
    """The last match, all calm so far: what the others play is certain, but not what the wind does."""
    table = Table("order", "heavy", "idea")
    table.hold(0, "leap", "order")
    table.hold(1, "dash")
    table.hold(2, "panic")
    table.stand(12, 8, 16)
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


def test_a_game_may_be_over_before_its_time() -> None:
    """On space 3, order leads to safety: the game ends and is won."""
    table = last_cards()
    table.stand(3, 8, 16)
    table.begin_match(5)
    order, leap = CARDS.index("order"), CARDS.index("leap")
    over, result = read(table.states, 0, "own.over"), read(table.states, 0, "own.result")
    assert over[order] == pytest.approx(1)
    assert over[leap] == pytest.approx(0)
    assert result[order] == pytest.approx(1)
    assert result[leap] < 1


@pytest.mark.compiled
def test_advice_is_what_the_planner_would_do() -> None:
    planner = make_agent("planner")
    for states in decisions(5):
        advice = tell(states, batch.actor_one(states), "derived")[-len(ACTIONS) :]
        assert advice.argmax() == decide(planner, "planner", Views(GAME, states, [1]))[0]
