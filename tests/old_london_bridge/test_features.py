"""The inputs of networks besides the observation are true, and give away nothing hidden."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_agents.inputs import (
    FEATURE_SETS,
    MIN_SCORE_INPUT,
    SCORE_UNIT,
    afterstate_size,
    feature_size,
    write_extra_inputs,
)
from olb_agents.old_london_bridge.features import FEATURE_LAYOUT
from olb_agents.old_london_bridge.lookahead import AFTERSTATE_UNITS, AFTERSTATES, BUILDING_VALUE_UNIT
from olb_env.core import batch
from olb_env.old_london_bridge import ACTIONS, GAME, OBSERVATION
from olb_env.old_london_bridge.components import HAND_SIZE, INN, KINDS
from olb_env.old_london_bridge.notation import TO_CENTRE
from olb_env.old_london_bridge.state import LADY_PHASE, PLACE
from olb_env.playing import Views, decide, make_agent
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.support.running import INTERPRETED

DERIVED = FEATURE_LAYOUT["own.building_values"].start  # the number of derived features


def read(layout: Any, numbers: Any) -> dict[str, list[int]]:
    """Read a layout field by field, in whole numbers."""
    return {
        name: [round(float(number) * field.unit) for number in numbers[layout[name]]]
        for name, field in layout.fields.items()
    }


def read_all(state: Any, seat: int) -> dict[str, list[int]]:
    """Read the observation and the derived features of one seat."""
    seats, observation = np.array([seat]), np.empty((1, OBSERVATION.size), np.float32)
    features = np.zeros(FEATURE_LAYOUT.size)
    features[:DERIVED] = inputs_of(state, seat, "derived")[:DERIVED]
    batch.observe_rows(state, seats, observation)
    assert (features <= FEATURE_LAYOUT.highest()).all()
    return read(OBSERVATION, observation[0]) | read(FEATURE_LAYOUT, features)


def inputs_of(state: Any, seat: int, features: str = "afterstates") -> Any:
    """The inputs for one decision besides the observation."""
    width = afterstate_size(GAME.name, features)
    out = np.full((1, feature_size(GAME.name, features) + len(ACTIONS) * width), np.nan, np.float32)
    write_extra_inputs(GAME, state, np.array([seat]), out, 0, width)
    return out[0]


def deal(seed: int, **options: Any) -> Any:
    state = GAME.new_states(1)
    batch.deal_rows(state, GAME.rules.configure(**options), np.array([seed]))
    return state


def actor(state: Any) -> int:
    seats = np.zeros(1, np.int64)
    batch.actor_rows(state, seats)
    return int(seats[0])


def step(state: Any, rng: np.random.Generator) -> str:
    """Apply a random legal action, and return its name."""
    mask = np.zeros((1, len(ACTIONS)), np.int8)
    batch.write_masks(state, mask)
    action = int(rng.choice(np.flatnonzero(mask[0])))
    batch.apply_rows(state, np.array([action]), np.zeros(1, np.bool_))
    return ACTIONS[action]


def checked_decisions(state: Any, rng: np.random.Generator, every: int = 40) -> Iterator[int]:
    """Play a game at random; yield the seat to act at every decision, or without the compiler only at some."""
    number = 0
    while (seat := actor(state)) >= 0:
        if not INTERPRETED or number % every == 0:
            yield seat
        step(state, rng)
        number += 1


def test_stacks_bring_what_they_offer() -> None:
    """Limits, fits and powers are right at every decision; a building on the first free space pays what it offered."""
    paid = dict.fromkeys(KINDS, 0)
    for seed in range(1 if INTERPRETED else 12):
        state, rng = deal(seed, num_players=2), np.random.default_rng(seed)
        decisions = 0
        while (seat := actor(state)) >= 0 and (decisions := decisions + 1) < (60 if INTERPRETED else 1000):
            seen = read_all(state, seat)
            built, numbers = seen["own.built"][0], seen["own.bridge.number"]
            limit = 61 if not built or not numbers[built - 1] else numbers[built - 1]
            assert seen["own.limit"] == [limit]
            tops, left, power = seen["table.top_number"], seen["table.stack_left"], seen["own.power"]
            fits = [int(top < limit and some > 0) for top, some in zip(tops, left, strict=True)]
            assert seen["own.offer.fits"] == fits
            crests = np.reshape(seen["table.top_crest"], (6, 4))
            expected = [int(power[row.argmax()]) + 1 if row.any() else 0 for row in crests[:4]]
            assert seen["own.offer.power"] == [*expected, 0, 0]
            word, _, what = step(state, rng).partition(" ")
            kind = KINDS.index(what) if what in KINDS else 0
            if word == "rondel" and fits[kind] and actor(state) >= 0:
                now = read_all(state, seat)
                gain = now["own.money"][0] - seen["own.money"][0]
                assert gain == seen["own.offer.pays"][kind] + seen["table.coin"][kind]
                if what == "gate":
                    due = seen["own.offer.tiles"][0]
                    assert now["table.bonus_due"][0] == (due if actor(state) == seat else 0)
                paid[what] += seen["own.offer.pays"][kind] > 0
    assert min(paid["chapel"], paid["mercer"]) > 0 or INTERPRETED
    assert paid["guild"] == paid["park"] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_areas_bring_at_the_end_what_they_promised_then(players: int) -> None:
    for seed in range(1 if INTERPRETED else 20):
        state, rng = deal(seed, num_players=players, scoring="random"), np.random.default_rng(seed)
        while actor(state) >= 0:
            step(state, rng)
        for seat in range(players):
            seen = read_all(state, seat)
            for on, name in enumerate(("own", "next1", "next2", "next3")):
                paid = state["ledger"][0, (seat + on) % players, 1:5].tolist() if on < players else [0] * 4
                assert seen[f"{name}.areas"] == paid


@pytest.mark.parametrize("memory", ["perfect", "table"])
def test_features_give_away_nothing_hidden(memory: str) -> None:
    """They are the same for redrawn games. With a short memory, derived ones do not depend on others' hands."""
    rng = np.random.default_rng(3)
    for seed in range(2 if INTERPRETED else 6):
        state = deal(seed, num_players=3, scoring="random" if seed % 2 else "board", memory=memory)
        for seat in checked_decisions(state, rng, 100):
            views = Views(GAME, state, [int(rng.integers(2**63))])
            if memory == "table":
                views.states["seats"]["hand"][0, (seat + 1) % 3] = 0
            played, redrawn = inputs_of(state, seat), inputs_of(views.states, seat)
            known = np.ones(len(played), np.bool_)
            if memory == "table":
                known[DERIVED:] = False  # lookahead remembers all that was ever public, as scripted players do
            if memory == "table" and state["scoring"][0, 2] == HAND_SIZE:
                for name in ("own", "next1", "next2"):
                    known[FEATURE_LAYOUT[f"{name}.areas"].start + 2] = False  # the size of hands is public
            assert (played[known] == redrawn[known]).all()


def test_a_game_without_heuristics_has_no_features() -> None:
    assert feature_size("pebbles", "afterstates") == 0
    assert afterstate_size("pebbles", "afterstates") == 0
    assert feature_size(GAME.name, "afterstates") == FEATURE_LAYOUT.size + len(ACTIONS)
    assert afterstate_size(GAME.name, "afterstates") == len(AFTERSTATES) == len(AFTERSTATE_UNITS)


def test_each_set_of_features_has_those_of_the_sets_before_it() -> None:
    rng = np.random.default_rng(9)
    state = deal(4, num_players=3)
    for seat in checked_decisions(state, rng, 60):
        less, more, most = (inputs_of(state, seat, features) for features in FEATURE_SETS[1:])
        assert (less == np.concatenate([more[:DERIVED], more[FEATURE_LAYOUT.size :]])).all()
        assert (more == most[: len(more)]).all()


def test_action_scores_are_those_of_the_planner() -> None:
    """The input for the best action is 1, less for other legal ones, and 0 for those that are not legal."""
    planner, rng = make_agent("planner"), np.random.default_rng(5)
    for seed in range(1 if INTERPRETED else 4):
        state = deal(seed, num_players=4, scoring="random")
        for seat in checked_decisions(state, rng, 20):
            views = Views(GAME, state, [seed])
            scores = inputs_of(state, seat, "derived")[DERIVED:]
            assert (scores[views.masks[0] == 0] == 0).all()
            assert (scores[views.masks[0] == 1] >= np.float32(MIN_SCORE_INPUT)).all()
            assert scores.max() == 1
            assert scores.argmax() == decide(planner, "planner", views)[0]


@pytest.mark.parametrize("players", [2, 4])
def test_building_values_are_those_of_the_planner(players: int) -> None:
    """At the centre any stack has the same price, so there building values differ as action scores do.

    Inns are an exception, where building values assume the highest cards; and a pound may be worth more as cash.
    """
    compared, rng = 0, np.random.default_rng(7)
    for seed in range(1 if INTERPRETED else 8):
        state = deal(seed, num_players=players)
        for seat in checked_decisions(state, rng):
            inputs, game = inputs_of(state, seat), state[0]
            scores = inputs[FEATURE_LAYOUT.size :][: len(ACTIONS)]
            values = inputs[FEATURE_LAYOUT["own.building_values"]] * BUILDING_VALUE_UNIT
            last = game["turn"] == len(game["turn_seat"]) - 1  # the next turn is in another round
            if game["phase"] == PLACE and not last:
                near = [kind for kind in range(6) if kind != INN and scores[TO_CENTRE + kind] > MIN_SCORE_INPUT + 0.05]
                pounds = [SCORE_UNIT * np.log((scores[TO_CENTRE + kind] - MIN_SCORE_INPUT) / 0.8) for kind in near]
                for kind, score in zip(near, pounds, strict=True):
                    assert values[kind] - values[near[0]] == pytest.approx(score - pounds[0], abs=0.8)
                    compared += 1
    assert compared > 100 or INTERPRETED


def test_building_values_of_a_seat_are_the_same_to_everybody() -> None:
    rng, names = np.random.default_rng(8), ("own", "next1", "next2")
    for seed in range(1 if INTERPRETED else 3):
        state = deal(seed, num_players=3, scoring="random")
        for _ in checked_decisions(state, rng, 60):
            inputs = [inputs_of(state, seat) for seat in range(3)]
            for seat in range(3):
                own = inputs[seat][FEATURE_LAYOUT["own.building_values"]]
                for on in range(1, 3):
                    assert (inputs[seat - on][FEATURE_LAYOUT[f"{names[on]}.building_values"]] == own).all()
                turns = state["seats"]["queue"][0, seat].any() or state["phase"][0] < PLACE
                assert own.any() == (turns and state["phase"][0] <= PLACE)
                assert not own[state["table"]["stack_left"][0] == 0].any()
                assert not inputs[seat][FEATURE_LAYOUT["next3.building_values"]].any()


def test_afterstates_say_where_an_action_leads() -> None:
    """They differ from action to action as positions do at the end of the round; in its last turn they are exact."""
    compared, rng = 0, np.random.default_rng(11)
    for seed in range(1 if INTERPRETED else 6):
        state = deal(seed, num_players=2)
        for seat in checked_decisions(state, rng):
            afterstates = inputs_of(state, seat)[feature_size(GAME.name, "afterstates") :].reshape(len(ACTIONS), -1)
            mask = np.zeros((1, len(ACTIONS)), np.int8)
            batch.write_masks(state, mask)
            legal = np.flatnonzero(mask[0])
            assert not afterstates[mask[0] == 0].any()
            np.testing.assert_allclose(afterstates[legal].mean(axis=0), 0, atol=1e-5)
            compared += _compare_in_last_turn(state, seat, legal, afterstates)
    assert compared > 20 or INTERPRETED


def _compare_in_last_turn(state: Any, seat: int, legal: Any, afterstates: Any) -> int:
    """Compare bridge and tracks after the last turn of a round, where no decision follows; return how often."""
    if state["phase"][0] != PLACE or state["turn"][0] != 3 or state["round_number"][0] == 6:
        return 0
    ends, found = [], []
    for action in legal:
        after = state.copy()
        batch.apply_rows(after, np.array([action]), np.zeros(1, np.bool_))
        if after["round_number"][0] > state["round_number"][0]:
            ends.append(action)
            player = after["seats"][0, seat]
            found.append([player["built"], player["power"].sum(), player["chapel"], player["gate"]])
    columns = [AFTERSTATES.index(name) for name in ("built", "power", "chapel", "gate")]
    written, exact = afterstates[np.ix_(ends, columns)] * AFTERSTATE_UNITS[columns], np.array(found)
    if ends:
        np.testing.assert_allclose(written - written[0], exact - exact[0], atol=1e-4)
    return len(ends)


class LooksAhead:
    """Takes the action after which the round ends best, or the best score where there is no lookahead."""

    def act_many(self, views: Views) -> Any:
        inputs = np.zeros((len(views), feature_size(GAME.name, "lookahead")), np.float32)
        write_extra_inputs(GAME, views.states, views.seats, inputs, 0, 0)
        round_end, scores = inputs[:, FEATURE_LAYOUT["own.round_end"]], inputs[:, FEATURE_LAYOUT.size :]
        assert ((round_end > 0) <= (views.masks > 0)).all()
        seen = round_end.max(axis=1) > 0
        assert (round_end.max(axis=1)[seen] == 1).all()
        assert (seen == (views.states["phase"] != LADY_PHASE)).all()
        return np.where(seen, round_end.argmax(axis=1), scores.argmax(axis=1))

    def act(self, view: Any) -> int:
        raise NotImplementedError


@pytest.mark.compiled
def test_looking_ahead_beats_the_planner() -> None:
    plan = Plan(GAME.name, (f"{__name__}:LooksAhead", "planner"), 2, 100, 3)
    tournament = Tournament(plan, workers=1)
    tournament.play()
    rates = {row.agent: row.win_rate.value for row in tournament.tally.rows(plan.deals)}
    assert rates[plan.agents[0]] > 0.55
