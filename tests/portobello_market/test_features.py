"""The inputs of networks besides the observation in Portobello Market are true, and give away nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from olb_agents.heuristics import score_actions
from olb_agents.inputs import (
    FEATURE_SETS,
    MIN_SCORE_INPUT,
    afterstate_size,
    feature_size,
    initial_afterstate_weights,
    write_extra_inputs,
)
from olb_agents.network import Shape
from olb_agents.policy_agent import PolicyAgent
from olb_agents.portobello_market.afterstates import AFTERSTATES, POINT
from olb_agents.portobello_market.evaluation import TURNS_AHEAD
from olb_agents.portobello_market.features import FEATURE_LAYOUT, POINTS_UNIT, STALLS_UNIT
from olb_agents.portobello_market.styles import STYLES
from olb_agents.scratch import new_scratch
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.playing import Views, decide, make_agent
from olb_env.portobello_market import ACTIONS, GAME
from olb_env.portobello_market.components import ALLEY_NAMES, DISTRICT_NAMES, PLAZA_NAMES
from olb_training.ppo.model import ActorCritic
from tests.portobello_market.positions import Position
from tests.support.playthroughs import walk

NUM_FEATURES = FEATURE_LAYOUT.size  # the action scores come after them


def inputs_of(states: States, seat: int, features: str = "afterstates") -> Any:
    """The inputs for one decision besides the observation."""
    width = afterstate_size(GAME.name, features)
    out = np.full((1, feature_size(GAME.name, features) + len(ACTIONS) * width), np.nan, np.float32)
    write_extra_inputs(GAME, states, np.array([seat]), out, 0, width)
    return out[0]


def afterstates_in(inputs: Any) -> Any:
    return inputs[feature_size(GAME.name, "afterstates") :].reshape(len(ACTIONS), len(AFTERSTATES))


def some_decisions(seed: int, every: int, **options: Any) -> Iterator[tuple[States, int, Any]]:
    """Some decisions of a random game, with the deciding seat and its mask."""
    for number, states in enumerate(walk(seed, GAME, **options)):
        seat = batch.actor_one(states)
        if seat >= 0 and number % every == 0:
            yield states.copy(), seat, mask_of(states)


def mask_of(states: States) -> Any:
    mask = np.zeros((1, len(ACTIONS)), np.int8)
    batch.write_masks(states, mask)
    return mask[0]


def field(inputs: Any, name: str, unit: float = POINTS_UNIT) -> Any:
    return inputs[FEATURE_LAYOUT[name]] * unit


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_order_of_the_bag_changes_nothing(players: int) -> None:
    for states, seat, _ in some_decisions(3, 3, num_players=players):
        other = states.copy()
        for seed in range(1, 20):
            batch.resample_rows(other, np.array([seat]), np.array([seed]))
            if (other["order"] != states["order"]).any():
                break
        assert (inputs_of(states, seat) == inputs_of(other, seat)).all()


def test_an_open_bag_is_used() -> None:
    """In the same position, drawing has another score if another customer is known to come next."""
    position = Position(2, bobby="D1", customers="open")
    position.put_customers(P2="burgher", P8="burgher")
    position.fill("A1", 0, 0, 0)
    position.fill("A8", 0, 0, 0, 0, 0, 0)
    position.acting(0, 1, "D1")
    scores = []
    for order in ([1] * 5 + [2] * 3, [2] * 3 + [1] * 5):
        position.game.order[2:] = order
        scores.append(inputs_of(position.states, 0, "derived")[NUM_FEATURES:])
    assert (scores[0] != scores[1]).any()


@pytest.mark.compiled
def test_afterstates_come_after_all_other_inputs() -> None:
    for states, seat, _ in some_decisions(4, 7, num_players=3):
        less, more, most = (inputs_of(states, seat, features) for features in FEATURE_SETS[1:])
        assert len(less) == len(more) == NUM_FEATURES + len(ACTIONS)
        assert len(most) == len(less) + len(ACTIONS) * len(AFTERSTATES)
        assert (less == more).all()
        assert (less == most[: len(less)]).all()


@pytest.mark.compiled
def test_action_scores_are_those_of_the_scout() -> None:
    scout = make_agent("scout")
    for states, seat, mask in some_decisions(5, 5, num_players=4):
        scores = inputs_of(states, seat, "derived")[NUM_FEATURES:]
        assert (scores[mask == 0] == 0).all()
        assert (scores[mask == 1] >= np.float32(MIN_SCORE_INPUT)).all()
        assert scores.max() == 1
        assert scores.argmax() == decide(scout, "scout", Views(GAME, states, [1]))[0]


@pytest.mark.compiled
def test_inputs_of_illegal_actions_are_zero() -> None:
    for states, seat, mask in some_decisions(6, 5, num_players=3):
        inputs = inputs_of(states, seat)
        for name in ("table.brings", "table.gives"):
            assert not inputs[FEATURE_LAYOUT[name]][mask == 0].any(), name
        afterstates = afterstates_in(inputs)
        assert not afterstates[mask == 0].any()
        np.testing.assert_allclose(afterstates[mask == 1].mean(axis=0), 0, atol=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 4])
def test_an_action_brings_the_points_that_its_inputs_say(players: int) -> None:
    scored = 0
    for states, seat, mask in some_decisions(7, 2, num_players=players):
        inputs = inputs_of(states, seat, "derived")
        before = states["score"][0, :players].astype(int)
        for action in np.flatnonzero(mask):
            after = states.copy()
            batch.apply_one(after, int(action))
            gained = after["score"][0, :players] - before
            assert field(inputs, "table.brings")[action] == pytest.approx(gained[seat])
            assert field(inputs, "table.gives")[action] == pytest.approx(gained.sum() - gained[seat])
            scored += gained.any()
    assert scored > 0


def arranged_inputs() -> Any:
    """The inputs of seat 0 where A1 lies between a servant and a burgher, A8 beside the servant, and D1 is marked."""
    position = Position(2, bobby="D12")
    position.put_customers(P1="servant", P2="burgher")
    position.fill("A1", 0, 1)  # lots worth 3 and 1
    position.fill("A8", 1, 1, 0)  # 3, 2 and 1
    position.game.table.marked[DISTRICT_NAMES.index("D1")] = 1
    position.acting(0, 2, "D12")
    return inputs_of(position.states, 0)


def test_alleys_promise_their_lots_times_the_expected_factor() -> None:
    """To a free plaza come four servants, four burghers or the Lord: beside a servant 1, 2 or 3 times the lots."""
    inputs = arranged_inputs()
    beside_servant = (4 * 1 + 4 * 2 + 1 * 3) / 9
    alleys = [ALLEY_NAMES.index(name) for name in ("A1", "A8", "A3")]
    assert field(inputs, "table.factor", 4)[alleys[:2]] == pytest.approx([2, beside_servant])
    assert field(inputs, "own.promise")[alleys] == pytest.approx([6, 1 * beside_servant, 0], rel=1e-5)
    assert field(inputs, "next1.promise")[alleys] == pytest.approx([2, 5 * beside_servant, 0], rel=1e-5)
    assert not field(inputs, "next2.promise").any()


def test_stalls_are_counted_around_districts_that_can_be_marked() -> None:
    inputs = arranged_inputs()
    districts = [DISTRICT_NAMES.index(name) for name in ("D1", "D12")]
    assert field(inputs, "own.around", STALLS_UNIT)[districts].tolist() == [0, 1]
    assert field(inputs, "next1.around", STALLS_UNIT)[districts].tolist() == [0, 2]


def test_tolls_are_those_of_the_deciding_seat() -> None:
    """Nothing in its own majority, one to each of two opponents with the most, one to nobody in an empty alley."""
    position = Position(3, bobby="D12")
    position.fill("A1", 0)
    position.fill("A8", 1, 2)
    position.acting(0, 1, "D12")
    tolls = field(inputs_of(position.states, 0, "derived"), "table.toll", 4)
    assert [tolls[ALLEY_NAMES.index(name)] for name in ("A1", "A8", "A3")] == [0, 2, 1]


def test_gains_say_where_a_stall_and_a_customer_pay() -> None:
    """The last lot of a seat's own alley gains most, and so does its district, or the plaza that lacks a burgher."""
    position = Position(2, bobby="D5")
    position.put_customers(P1="burgher", P2="burgher")
    position.fill("A1", 0, 0)
    position.acting(0, 2, "D5")
    inputs = inputs_of(position.states, 0, "derived")
    stalls = field(inputs, "table.stall").reshape(-1, 2)
    assert np.unravel_index(stalls.argmax(), stalls.shape) == (ALLEY_NAMES.index("A1"), 0)
    assert stalls[ALLEY_NAMES.index("A1"), 1] == 0  # it fills from the other end
    assert field(inputs, "table.reach").argmax() == DISTRICT_NAMES.index("D1")
    position.game.customer[PLAZA_NAMES.index("P2")] = 0
    servant, burgher, lord = field(inputs_of(position.states, 0, "derived"), "table.customer").reshape(3, -1)
    missing = PLAZA_NAMES.index("P2")
    assert burgher.argmax() == lord.argmax() == missing
    assert servant[missing] < burgher[missing] < lord[missing]


def test_afterstates_say_where_an_action_leads() -> None:
    """In the last turn of a game, a mark leads to the points that it brings."""
    position = Position(2, bobby="D5")
    position.fill("A1", 1, 1, 1)
    position.fill("A11", 1)
    position.game.table.last_round = 1
    position.turn_of(1)
    points = afterstates_in(inputs_of(position.states, 1))[:, AFTERSTATES.index("points")] * POINT
    most, less, none = (points[ACTIONS.index(name)] for name in ("mark D1 4", "mark D3 4", "mark D6 4"))
    assert most - none == pytest.approx(12, abs=1e-3)
    assert less - none == pytest.approx(4, abs=1e-3)


@pytest.mark.compiled
def test_afterstates_have_the_values_of_the_scout() -> None:
    for states, seat, mask in some_decisions(8, 60, num_players=4):  # scored as plain Python, which takes long
        scratch = new_scratch(GAME)
        afterstates = afterstates_in(inputs_of(states, seat))[mask == 1] * POINT
        for name, turns in (("value", 2), ("value after the turn", 1)):
            style = STYLES["scout"].copy()
            style[:, TURNS_AHEAD] = turns
            score_actions(states[0], seat, style, scratch)
            scores = scratch.scores[mask == 1]
            np.testing.assert_allclose(afterstates[:, AFTERSTATES.index(name)], scores - scores.mean(), atol=1e-3)


@pytest.mark.compiled
def test_afterstates_have_a_seats_promises_by_stage() -> None:
    """Its alley between a servant and a burgher lacks one lot: some actions fill it, and then nothing is promised."""
    position = Position(2, bobby="D1")
    position.put_customers(P1="servant", P2="burgher")
    position.fill("A1", 1, 1)  # lots worth 3 and 1, of three
    position.turn_of(1)
    afterstates = afterstates_in(inputs_of(position.states, 1))[mask_of(position.states) == 1] * POINT
    lacking, full = (np.ptp(afterstates[:, AFTERSTATES.index(f"promised, 0 to come, {free} free")]) for free in (1, 0))
    assert lacking == pytest.approx((3 + 1) * 2, abs=1e-3)
    assert full == pytest.approx(0, abs=1e-3)  # what is full is scored


def test_afterstates_show_which_token_is_spent() -> None:
    position = Position(2, bobby="D5")
    position.fill("A1", 1, 1, 1)
    position.game.table.last_round = 1
    position.turn_of(1)
    afterstates = afterstates_in(inputs_of(position.states, 1))
    four, two = (afterstates[:, AFTERSTATES.index(name)] for name in ("four", "two"))
    spends_four, spends_two = (ACTIONS.index(name) for name in ("mark D1 4", "mark D1 2"))
    assert four[spends_four] < four[spends_two]
    assert two[spends_two] < two[spends_four]


def test_afterstates_have_the_mean_of_the_others() -> None:
    """A mark brings points to the seat that makes it, and changes nothing for the others."""
    position = Position(3, bobby="D5")
    position.fill("A1", 2, 2, 2)
    position.game.table.last_round = 1
    position.turn_of(2)
    afterstates = afterstates_in(inputs_of(position.states, 2))
    legal = ACTIONS.index("mark D1 4"), ACTIONS.index("mark D6 4")
    own, others = (afterstates[list(legal), AFTERSTATES.index(name)] * POINT for name in ("points", "others' points"))
    assert own[0] - own[1] == pytest.approx(12, abs=1e-3)
    assert others[0] == pytest.approx(others[1], abs=1e-3)


@pytest.mark.compiled
def test_an_untrained_network_plays_nearly_like_the_scout() -> None:
    torch.manual_seed(1)
    untrained = PolicyAgent(ActorCritic(Shape.of_game(GAME, (16, 16), "afterstates")).to_network())
    decisions = [(states, seat) for states, seat, _ in some_decisions(8, 2, num_players=3)]
    views = Views(GAME, np.concatenate([states for states, _ in decisions]), range(len(decisions)))
    same = untrained.act_many(views) == decide(make_agent("scout"), "scout", views)
    assert len(decisions) > 30
    assert same.mean() > 0.9


def test_initial_weights_are_zero_where_heuristics_have_none() -> None:
    assert initial_afterstate_weights(GAME.name, afterstate_size(GAME.name, "derived")) == ()
    assert len(initial_afterstate_weights(GAME.name, len(AFTERSTATES))) == len(AFTERSTATES)
    assert initial_afterstate_weights("old_london_bridge", 3) == (0.0, 0.0, 0.0)
