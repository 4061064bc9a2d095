"""What networks are told of a position of Portobello Market beside the observation: true, and nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from olb_agents.heuristics import (
    FEATURES,
    LEAST_ADVICE,
    afterstate_size,
    append_features,
    feature_size,
    initial_afterstate_weights,
    room,
    weigh,
)
from olb_agents.network import Shape
from olb_agents.policy import PolicyAgent
from olb_agents.portobello_market.afterstates import POINT, TRAITS
from olb_agents.portobello_market.evaluation import AHEAD
from olb_agents.portobello_market.features import INSIGHT, POINTS_UNIT, STALLS_UNIT
from olb_agents.portobello_market.styles import STYLES
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.playing import Views, decide, make_agent
from olb_env.portobello_market import ACTIONS, GAME
from olb_env.portobello_market.components import ALLEY_NAMES, DISTRICT_NAMES, PLAZA_NAMES
from olb_training.ppo.model import ActorCritic
from tests.portobello_market.positions import Position
from tests.support.playthroughs import walk

pytestmark = pytest.mark.compiled  # all that is told comes with advice, which plays on for two turns

SEEN = INSIGHT.size  # what is told before advice


def tell(states: States, seat: int, features: str = "afterstates") -> Any:
    """All that a network is told of one decision beside the observation."""
    traits = afterstate_size(GAME.name, features)
    out = np.full((1, feature_size(GAME.name, features) + len(ACTIONS) * traits), np.nan, np.float32)
    append_features(GAME, states, np.array([seat]), out, 0, traits)
    return out[0]


def traits_in(told: Any) -> Any:
    return told[feature_size(GAME.name, "afterstates") :].reshape(len(ACTIONS), len(TRAITS))


def some_questions(seed: int, every: int, **options: Any) -> Iterator[tuple[States, int, Any]]:
    """Some questions of a random game with who is asked and a mask."""
    for number, states in enumerate(walk(seed, GAME, **options)):
        seat = batch.actor_one(states)
        if seat >= 0 and number % every == 0:
            yield states.copy(), seat, mask_of(states)


def mask_of(states: States) -> Any:
    mask = np.zeros((1, len(ACTIONS)), np.int8)
    batch.write_masks(states, mask)
    return mask[0]


def field(told: Any, name: str, unit: float = POINTS_UNIT) -> Any:
    return told[INSIGHT[name]] * unit


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_order_of_the_bag_is_not_told(players: int) -> None:
    for states, seat, _ in some_questions(3, 3, num_players=players):
        other = states.copy()
        for seed in range(1, 20):
            batch.resample_rows(other, np.array([seat]), np.array([seed]))
            if (other["order"] != states["order"]).any():
                break
        assert (tell(states, seat) == tell(other, seat)).all()


def test_an_open_bag_is_used() -> None:
    """The same position, but the next customer is known to be another: drawing is worth something else."""
    position = Position(2, bobby="D1", customers="open")
    position.stand(P2="burgher", P8="burgher")
    position.fill("A1", 0, 0, 0)
    position.fill("A8", 0, 0, 0, 0, 0, 0)
    position.acting(0, 1, "D1")
    advice = []
    for order in ([1] * 5 + [2] * 3, [2] * 3 + [1] * 5):
        position.game.order[2:] = order
        advice.append(tell(position.states, 0, "derived")[SEEN:])
    assert (advice[0] != advice[1]).any()


def test_traits_are_told_at_the_last_level_besides() -> None:
    for states, seat, _ in some_questions(4, 7, num_players=3):
        less, more, most = (tell(states, seat, level) for level in FEATURES[1:])
        assert len(less) == len(more) == SEEN + len(ACTIONS)
        assert len(most) == len(less) + len(ACTIONS) * len(TRAITS)
        assert (less == more).all()
        assert (less == most[: len(less)]).all()


def test_advice_is_what_the_scout_would_do() -> None:
    scout = make_agent("scout")
    for states, seat, mask in some_questions(5, 5, num_players=4):
        advice = tell(states, seat, "derived")[SEEN:]
        assert (advice[mask == 0] == 0).all()
        assert (advice[mask == 1] >= np.float32(LEAST_ADVICE)).all()
        assert advice.max() == 1
        assert advice.argmax() == decide(scout, "scout", Views(GAME, states, [1]))[0]


def test_what_is_not_legal_is_zero() -> None:
    for states, seat, mask in some_questions(6, 5, num_players=3):
        told = tell(states, seat)
        for name in ("table.brings", "table.gives"):
            assert not told[INSIGHT[name]][mask == 0].any(), name
        traits = traits_in(told)
        assert not traits[mask == 0].any()
        np.testing.assert_allclose(traits[mask == 1].mean(axis=0), 0, atol=1e-4)


@pytest.mark.parametrize("players", [2, 4])
def test_what_an_action_brings_is_what_it_brings(players: int) -> None:
    scored = 0
    for states, seat, mask in some_questions(7, 2, num_players=players):
        told = tell(states, seat, "derived")
        before = states["score"][0, :players].astype(int)
        for action in np.flatnonzero(mask):
            after = states.copy()
            batch.apply_one(after, int(action))
            gained = after["score"][0, :players] - before
            assert field(told, "table.brings")[action] == pytest.approx(gained[seat])
            assert field(told, "table.gives")[action] == pytest.approx(gained.sum() - gained[seat])
            scored += gained.any()
    assert scored > 0


def arranged() -> Any:
    """Seat 0 is told of a game where A1 lies between a servant and a burgher, and A8 has one of them; D1 is marked."""
    position = Position(2, bobby="D12")
    position.stand(P1="servant", P2="burgher")
    position.fill("A1", 0, 1)  # lots worth 3 and 1
    position.fill("A8", 1, 1, 0)  # 3, 2 and 1
    position.game.table.marked[DISTRICT_NAMES.index("D1")] = 1
    position.acting(0, 2, "D12")
    return tell(position.states, 0)


def test_alleys_promise_their_lots_times_what_is_to_expect() -> None:
    """To a free plaza come four servants, four burghers or the Lord: beside a servant 1, 2 or 3 times the lots."""
    told = arranged()
    beside_servant = (4 * 1 + 4 * 2 + 1 * 3) / 9
    alleys = [ALLEY_NAMES.index(name) for name in ("A1", "A8", "A3")]
    assert field(told, "table.factor", 4)[alleys[:2]] == pytest.approx([2, beside_servant])
    assert field(told, "own.promise")[alleys] == pytest.approx([6, 1 * beside_servant, 0], rel=1e-5)
    assert field(told, "next1.promise")[alleys] == pytest.approx([2, 5 * beside_servant, 0], rel=1e-5)
    assert not field(told, "next2.promise").any()


def test_stalls_are_counted_around_districts_that_can_be_marked() -> None:
    told = arranged()
    districts = [DISTRICT_NAMES.index(name) for name in ("D1", "D12")]
    assert field(told, "own.around", STALLS_UNIT)[districts].tolist() == [0, 1]
    assert field(told, "next1.around", STALLS_UNIT)[districts].tolist() == [0, 2]


def test_tolls_are_told() -> None:
    """Nothing in an own majority, one to each of two opponents with the most, one to nobody in an empty alley."""
    position = Position(3, bobby="D12")
    position.fill("A1", 0)
    position.fill("A8", 1, 2)
    position.acting(0, 1, "D12")
    told = field(tell(position.states, 0, "derived"), "table.toll", 4)
    assert [told[ALLEY_NAMES.index(name)] for name in ("A1", "A8", "A3")] == [0, 2, 1]


def test_gains_say_where_a_stall_and_a_customer_pay() -> None:
    """The last lot of an own alley gains most, and its district; without a burgher, so does the plaza it lacks."""
    position = Position(2, bobby="D5")
    position.stand(P1="burgher", P2="burgher")
    position.fill("A1", 0, 0)
    position.acting(0, 2, "D5")
    told = tell(position.states, 0, "derived")
    stalls = field(told, "table.stall").reshape(-1, 2)
    assert np.unravel_index(stalls.argmax(), stalls.shape) == (ALLEY_NAMES.index("A1"), 0)
    assert stalls[ALLEY_NAMES.index("A1"), 1] == 0  # it fills from the other end
    assert field(told, "table.reach").argmax() == DISTRICT_NAMES.index("D1")
    position.game.customer[PLAZA_NAMES.index("P2")] = 0
    servant, burgher, lord = field(tell(position.states, 0, "derived"), "table.customer").reshape(3, -1)
    missing = PLAZA_NAMES.index("P2")
    assert burgher.argmax() == lord.argmax() == missing
    assert servant[missing] < burgher[missing] < lord[missing]


def test_traits_say_where_an_action_leads() -> None:
    """In the last turn of a game, a mark leads to the points that it brings."""
    position = Position(2, bobby="D5")
    position.fill("A1", 1, 1, 1)
    position.fill("A11", 1)
    position.game.table.last_round = 1
    position.turn_of(1)
    points = traits_in(tell(position.states, 1))[:, TRAITS.index("points")] * POINT
    most, less, none = (points[ACTIONS.index(name)] for name in ("mark D1 4", "mark D3 4", "mark D6 4"))
    assert most - none == pytest.approx(12, abs=1e-3)
    assert less - none == pytest.approx(4, abs=1e-3)


def test_traits_say_what_the_scout_makes_of_it() -> None:
    for states, seat, mask in some_questions(8, 60, num_players=4):  # weighed as plain Python, which takes its time
        scratch, numbers, _ = room(GAME)
        traits = traits_in(tell(states, seat))[mask == 1] * POINT
        for name, ahead in (("judgement", 2), ("judgement after the turn", 1)):
            style = STYLES["scout"].copy()
            style[:, AHEAD] = ahead
            weigh(states[0], seat, style, scratch, numbers)
            worth = numbers[0, : len(ACTIONS)][mask == 1]
            np.testing.assert_allclose(traits[:, TRAITS.index(name)], worth - worth.mean(), atol=1e-3)


def test_traits_tell_own_promises_by_how_far_alleys_are() -> None:
    """An own alley between a servant and a burgher lacks one lot: some answers fill it, and then none is promised."""
    position = Position(2, bobby="D1")
    position.stand(P1="servant", P2="burgher")
    position.fill("A1", 1, 1)  # lots worth 3 and 1, of three
    position.turn_of(1)
    traits = traits_in(tell(position.states, 1))[mask_of(position.states) == 1] * POINT
    lacking, full = (np.ptp(traits[:, TRAITS.index(f"promised, 0 to come, {free} free")]) for free in (1, 0))
    assert lacking == pytest.approx((3 + 1) * 2, abs=1e-3)
    assert full == pytest.approx(0, abs=1e-3)  # what is full is scored


def test_traits_tell_which_token_is_spent() -> None:
    position = Position(2, bobby="D5")
    position.fill("A1", 1, 1, 1)
    position.game.table.last_round = 1
    position.turn_of(1)
    traits = traits_in(tell(position.states, 1))
    four, two = (traits[:, TRAITS.index(name)] for name in ("four", "two"))
    spends_four, spends_two = (ACTIONS.index(name) for name in ("mark D1 4", "mark D1 2"))
    assert four[spends_four] < four[spends_two]
    assert two[spends_two] < two[spends_four]


def test_traits_of_the_others_are_their_mean() -> None:
    """Both others hold the last round's points; who marks first has no part in theirs."""
    position = Position(3, bobby="D5")
    position.fill("A1", 2, 2, 2)
    position.game.table.last_round = 1
    position.turn_of(2)
    traits = traits_in(tell(position.states, 2))
    legal = ACTIONS.index("mark D1 4"), ACTIONS.index("mark D6 4")
    own, others = (traits[list(legal), TRAITS.index(name)] * POINT for name in ("points", "others' points"))
    assert own[0] - own[1] == pytest.approx(12, abs=1e-3)
    assert others[0] == pytest.approx(others[1], abs=1e-3)


def test_a_network_that_has_learned_nothing_does_nearly_as_the_scout_does() -> None:
    torch.manual_seed(1)
    newborn = PolicyAgent(ActorCritic(Shape.of_game(GAME, (16, 16), "afterstates")).to_network())
    asked = [(states, seat) for states, seat, _ in some_questions(8, 2, num_players=3)]
    views = Views(GAME, np.concatenate([states for states, _ in asked]), range(len(asked)))
    same = newborn.act_many(views) == decide(make_agent("scout"), "scout", views)
    assert len(asked) > 30
    assert same.mean() > 0.9


def test_at_the_other_levels_nothing_counts_at_first() -> None:
    assert initial_afterstate_weights(GAME.name, afterstate_size(GAME.name, 1)) == ()
    assert len(initial_afterstate_weights(GAME.name, len(TRAITS))) == len(TRAITS)
    assert initial_afterstate_weights("old_london_bridge", 3) == (0.0, 0.0, 0.0)
