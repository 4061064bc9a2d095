"""What networks are told of a position beside the observation is true, and tells nothing that is hidden."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_agents.heuristics import ADVICE_UNIT, FEATURES, LEAST_ADVICE, afterstate_size, append_features, feature_size
from olb_agents.old_london_bridge.features import INSIGHT
from olb_agents.old_london_bridge.lookahead import TRAIT_UNITS, TRAITS, WANTS_UNIT
from olb_env.core import batch
from olb_env.old_london_bridge import ACTIONS, GAME, OBSERVATION
from olb_env.old_london_bridge.components import HAND_SIZE, INN, KINDS
from olb_env.old_london_bridge.notation import TO_CENTRE
from olb_env.old_london_bridge.state import LADY_PHASE, PLACE
from olb_env.playing import Views, decide, make_agent
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.conftest import INTERPRETED

pytestmark = pytest.mark.compiled

SEEN = INSIGHT["own.wants"].start  # of insight, what is seen at once


def read(layout: Any, numbers: Any) -> dict[str, list[int]]:
    """Field by field, in whole numbers."""
    return {
        name: [round(float(number) * field.unit) for number in numbers[layout[name]]]
        for name, field in layout.fields.items()
    }


def look(state: Any, seat: int) -> dict[str, list[int]]:
    """Observation and insight of one seat."""
    seats, observation = np.array([seat]), np.empty((1, OBSERVATION.size), np.float32)
    insight = np.zeros(INSIGHT.size)
    insight[:SEEN] = tell(state, seat, "derived")[:SEEN]
    batch.observe_rows(state, seats, observation)
    assert (insight <= INSIGHT.highest()).all()
    return read(OBSERVATION, observation[0]) | read(INSIGHT, insight)


def worth_a_look(chance: np.random.Generator) -> bool:
    """What is foreseen takes long without the compiler: then few decisions are looked at."""
    return not INTERPRETED or chance.random() < 0.02


def tell(state: Any, seat: int, features: str = "afterstates") -> Any:
    """All that a network is told of one decision beside the observation."""
    traits = afterstate_size(GAME.name, features)
    out = np.full((1, feature_size(GAME.name, features) + len(ACTIONS) * traits), np.nan, np.float32)
    append_features(GAME, state, np.array([seat]), out, 0, traits)
    return out[0]


def deal(seed: int, **options: Any) -> Any:
    state = GAME.new_states(1)
    batch.deal_rows(state, GAME.rules.configure(**options), np.array([seed]))
    return state


def actor(state: Any) -> int:
    seats = np.zeros(1, np.int64)
    batch.actor_rows(state, seats)
    return int(seats[0])


def step(state: Any, chance: np.random.Generator) -> str:
    """Any legal action."""
    mask = np.zeros((1, len(ACTIONS)), np.int8)
    batch.write_masks(state, mask)
    action = int(chance.choice(np.flatnonzero(mask[0])))
    batch.apply_rows(state, np.array([action]), np.zeros(1, np.bool_))
    return ACTIONS[action]


def test_what_the_stacks_offer_is_what_they_bring() -> None:
    """Limits, fits and powers at every decision; when a building goes on the first free space, what was said comes."""
    paid = dict.fromkeys(KINDS, 0)
    for seed in range(12):
        state, chance = deal(seed, num_players=2), np.random.default_rng(seed)
        while (seat := actor(state)) >= 0:
            seen = look(state, seat)
            built, numbers = seen["own.built"][0], seen["own.bridge.number"]
            limit = 61 if not built or not numbers[built - 1] else numbers[built - 1]
            assert seen["own.limit"] == [limit]
            tops, left, power = seen["table.top_number"], seen["table.stack_left"], seen["own.power"]
            fits = [int(top < limit and some > 0) for top, some in zip(tops, left, strict=True)]
            assert seen["own.offer.fits"] == fits
            crests = np.reshape(seen["table.top_crest"], (6, 4))
            expected = [int(power[row.argmax()]) + 1 if row.any() else 0 for row in crests[:4]]
            assert seen["own.offer.power"] == [*expected, 0, 0]
            word, _, what = step(state, chance).partition(" ")
            kind = KINDS.index(what) if what in KINDS else 0
            if word == "rondel" and fits[kind] and actor(state) >= 0:
                now = look(state, seat)
                gain = now["own.money"][0] - seen["own.money"][0]
                assert gain == seen["own.offer.pays"][kind] + seen["table.coin"][kind]
                if what == "gate":
                    due = seen["own.offer.tiles"][0]
                    assert now["table.bonus_due"][0] == (due if actor(state) == seat else 0)
                paid[what] += seen["own.offer.pays"][kind] > 0
    assert min(paid["chapel"], paid["mercer"]) > 0
    assert paid["guild"] == paid["park"] == 0


@pytest.mark.parametrize("players", [2, 3, 4])
def test_areas_end_as_what_they_bring(players: int) -> None:
    for seed in range(20):
        state, chance = deal(seed, num_players=players, scoring="random"), np.random.default_rng(seed)
        while actor(state) >= 0:
            step(state, chance)
        for seat in range(players):
            seen = look(state, seat)
            for on, name in enumerate(("own", "next1", "next2", "next3")):
                told = state["ledger"][0, (seat + on) % players, 1:5].tolist() if on < players else [0] * 4
                assert seen[f"{name}.areas"] == told


@pytest.mark.parametrize("memory", ["perfect", "table"])
def test_insight_tells_nothing_hidden(memory: str) -> None:
    """It is the same of games that are redrawn, and with a short memory it does not depend on others' hands."""
    chance = np.random.default_rng(3)
    for seed in range(6):
        state = deal(seed, num_players=3, scoring="random" if seed % 2 else "board", memory=memory)
        while (seat := actor(state)) >= 0:
            views = Views(GAME, state, [int(chance.integers(2**63))])
            if not worth_a_look(chance):
                step(state, chance)
                continue
            if memory == "table":
                views.states["seats"]["hand"][0, (seat + 1) % 3] = 0
            played, redrawn = tell(state, seat), tell(views.states, seat)
            known = np.ones(len(played), np.bool_)
            if memory == "table":
                # Who judges in a style remembers all that was ever public, as scripted players do.
                known[SEEN:] = False
            if memory == "table" and state["scoring"][0, 2] == HAND_SIZE:
                for name in ("own", "next1", "next2"):
                    known[INSIGHT[f"{name}.areas"].start + 2] = False  # the size of hands is public
            assert (played[known] == redrawn[known]).all()
            step(state, chance)


def test_a_game_without_a_mind_has_none() -> None:
    assert feature_size("pebbles", "afterstates") == 0
    assert afterstate_size("pebbles", "afterstates") == 0
    assert feature_size(GAME.name, "afterstates") == INSIGHT.size + len(ACTIONS)
    assert afterstate_size(GAME.name, "afterstates") == len(TRAITS) == len(TRAIT_UNITS)


def test_there_is_more_of_it_at_each_level() -> None:
    """At the first level nothing is foreseen, the rest is the same."""
    chance = np.random.default_rng(9)
    state = deal(4, num_players=3)
    while (seat := actor(state)) >= 0:
        if worth_a_look(chance):
            less, more, most = (tell(state, seat, level) for level in FEATURES[1:])
            assert (less == np.concatenate([more[:SEEN], more[INSIGHT.size :]])).all()
            assert (more == most[: len(more)]).all()
        step(state, chance)


def test_advice_is_what_the_planner_would_do() -> None:
    """The best action is told as 1, other legal ones as less, and what is not legal as 0."""
    planner, chance = make_agent("planner"), np.random.default_rng(5)
    for seed in range(4):
        state = deal(seed, num_players=4, scoring="random")
        while (seat := actor(state)) >= 0:
            views = Views(GAME, state, [seed])
            advice = tell(state, seat, "derived")[SEEN:]
            assert (advice[views.masks[0] == 0] == 0).all()
            assert (advice[views.masks[0] == 1] >= np.float32(LEAST_ADVICE)).all()
            assert advice.max() == 1
            assert advice.argmax() == decide(planner, "planner", views)[0]
            step(state, chance)


@pytest.mark.parametrize("players", [2, 4])
def test_wants_are_what_the_planner_gives_for_a_building(players: int) -> None:
    """At the centre any stack can be had for the same price: there wants differ as advice does.

    But for inns, where wants take the highest cards, and for a pound that may be worth more as change.
    """
    compared, chance = 0, np.random.default_rng(7)
    for seed in range(8):
        state = deal(seed, num_players=players)
        while (seat := actor(state)) >= 0:
            if not worth_a_look(chance):
                step(state, chance)
                continue
            told, game = tell(state, seat), state[0]
            advice, wants = told[INSIGHT.size :][: len(ACTIONS)], told[INSIGHT["own.wants"]] * WANTS_UNIT
            last = game["turn"] == len(game["turn_seat"]) - 1  # what comes after is another round
            if game["phase"] == PLACE and not last:
                near = [kind for kind in range(6) if kind != INN and advice[TO_CENTRE + kind] > LEAST_ADVICE + 0.05]
                worth = [ADVICE_UNIT * np.log((advice[TO_CENTRE + kind] - LEAST_ADVICE) / 0.8) for kind in near]
                for kind, pounds in zip(near, worth, strict=True):
                    assert wants[kind] - wants[near[0]] == pytest.approx(pounds - worth[0], abs=0.8)
                    compared += 1
            step(state, chance)
    assert compared > 100 or INTERPRETED


def test_everybody_is_told_the_same_of_who_wants_what() -> None:
    chance, names = np.random.default_rng(8), ("own", "next1", "next2")
    for seed in range(3):
        state = deal(seed, num_players=3, scoring="random")
        while actor(state) >= 0:
            looked_at = worth_a_look(chance)
            told = [tell(state, seat) for seat in range(3)] if looked_at else []
            for seat in range(3 if looked_at else 0):
                own = told[seat][INSIGHT["own.wants"]]
                for on in range(1, 3):
                    assert (told[seat - on][INSIGHT[f"{names[on]}.wants"]] == own).all()
                turns = state["seats"]["queue"][0, seat].any() or state["phase"][0] < PLACE
                assert own.any() == (turns and state["phase"][0] <= PLACE)
                assert not own[state["table"]["stack_left"][0] == 0].any()
                assert not told[seat][INSIGHT["next3.wants"]].any()
            step(state, chance)


def test_traits_say_where_an_answer_leads() -> None:
    """They differ from answer to answer as positions do at the end of the round: in its last turn they are exact."""
    compared, chance = 0, np.random.default_rng(11)
    for seed in range(6):
        state = deal(seed, num_players=2)
        while (seat := actor(state)) >= 0:
            if worth_a_look(chance):
                traits = tell(state, seat)[feature_size(GAME.name, "afterstates") :].reshape(len(ACTIONS), -1)
                mask = np.zeros((1, len(ACTIONS)), np.int8)
                batch.write_masks(state, mask)
                legal = np.flatnonzero(mask[0])
                assert not traits[mask[0] == 0].any()
                np.testing.assert_allclose(traits[legal].mean(axis=0), 0, atol=1e-5)
                compared += _built_as_told(state, seat, legal, traits)
            step(state, chance)
    assert compared > 20 or INTERPRETED


def _built_as_told(state: Any, seat: int, legal: Any, traits: Any) -> int:
    """In the last turn of a round, where nothing else is asked: what money and bridge are then; how many compared."""
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
    traced = [TRAITS.index(name) for name in ("built", "power", "chapel", "gate")]
    told, found = traits[np.ix_(ends, traced)] * TRAIT_UNITS[traced], np.array(found)
    if ends:
        np.testing.assert_allclose(told - told[0], found - found[0], atol=1e-4)
    return len(ends)


class Foresighted:
    """Does what the outlook says, and where there is none what the planner advises."""

    def act_many(self, views: Views) -> Any:
        told = np.zeros((len(views), feature_size(GAME.name, "lookahead")), np.float32)
        append_features(GAME, views.states, views.seats, told, 0, 0)
        outlook, advice = told[:, INSIGHT["own.outlook"]], told[:, INSIGHT.size :]
        assert ((outlook > 0) <= (views.masks > 0)).all()
        seen = outlook.max(axis=1) > 0
        assert (outlook.max(axis=1)[seen] == 1).all()
        assert (seen == (views.states["phase"] != LADY_PHASE)).all()
        return np.where(seen, outlook.argmax(axis=1), advice.argmax(axis=1))

    def act(self, view: Any) -> int:
        raise NotImplementedError


@pytest.mark.compiled
def test_who_follows_the_outlook_beats_the_planner() -> None:
    plan = Plan(GAME.name, (f"{__name__}:Foresighted", "planner"), 2, 100, 3)
    tournament = Tournament(plan, workers=1)
    tournament.play()
    rates = {row.agent: row.win_rate.value for row in tournament.tally.rows(plan.deals)}
    assert rates[plan.agents[0]] > 0.55
