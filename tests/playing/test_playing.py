"""Agents see what their seat may know, and play games to the end."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env import playing
from olb_env.core import batch
from olb_env.core.game import States
from olb_env.old_london_bridge import ACTIONS, GAME
from olb_env.playing import (
    AgentError,
    RandomAgent,
    View,
    Views,
    agent_names,
    decide,
    make_agent,
    play_game,
    register_agent,
)
from tests.support.playthroughs import deal_one, view
from tests.support.some_agents import First


def look(states: States, seed: int) -> View:
    return Views(GAME, states, [seed])[0]


def test_a_view_shows_the_decision() -> None:
    states = deal_one(3)
    seat = batch.actor_one(states)
    seen = look(states, seed=1)
    observation, mask = view(states, seat)
    assert (seen.observation == observation).all()
    assert (seen.mask == mask).all()
    assert seen.legal == ["play 0", "play 1", "play 2", "play 3", "play 4"]
    assert seen.seat == seat


def test_clones_of_a_view_are_games_the_seat_cannot_tell_apart() -> None:
    states = deal_one(3)
    batch.apply_one(states, 4)  # the first picks a card the second must not see
    seat = batch.actor_one(states)
    seen = look(states, seed=1)
    clones = [seen.clone(draw) for draw in range(20)]
    for clone in clones:
        assert view(clone, seat)[0].tobytes() == view(states, seat)[0].tobytes()
    assert len({clone.tobytes() for clone in clones}) == 20
    first = int(states[0].order[0])
    assert {int(clone[0].seats[first].pick[0]) for clone in clones} == {1, 2, 3, 4, 5}


def test_a_view_does_not_depend_on_what_is_hidden() -> None:
    states, other = deal_one(3), deal_one(3)
    seat = batch.actor_one(states)
    batch.resample_rows(other, np.array([seat]), np.array([99]))
    assert states.tobytes() != other.tobytes()
    assert look(states, 5).clone(2).tobytes() == look(other, 5).clone(2).tobytes()


def test_random_agents_with_one_seed_play_the_same() -> None:
    setup = GAME.rules.configure(num_players=2)
    assert play_game(GAME, setup, 4, ["random"] * 2) == play_game(GAME, setup, 4, ["random"] * 2)


def test_a_random_agent_chooses_every_legal_action() -> None:
    states = deal_one(3)
    assert {RandomAgent().act(look(states, seed)) for seed in range(200)} == {0, 1, 2, 3, 4}


def test_an_agent_may_answer_by_name_or_by_id(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(playing, "_factories", dict(playing._factories))
    setup = GAME.rules.configure(num_players=2)
    by_name = play_game(GAME, setup, 4, ["tests.support.some_agents:First"] * 2)
    register_agent("lowest", lambda _rest: _Lowest())
    by_id = play_game(GAME, setup, 4, ["lowest"] * 2)
    assert by_name["moves"] == by_id["moves"]
    assert "lowest" in agent_names()


class _Lowest:
    def act(self, view: View) -> int:
        return int(view.mask.argmax())


def test_a_class_is_found_by_module_and_name() -> None:
    assert isinstance(make_agent("tests.support.some_agents:First"), First)


@pytest.mark.parametrize("name", ["clever", "tests.support.some_agents:Nobody", "tests.no_such_module:Bot"])
def test_an_agent_nobody_knows_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*expected one of"):
        make_agent(name)


def test_actions_are_all_reachable_by_some_table() -> None:
    """Over many games every action comes up but one: the twelfth space is built on in a player's last turn."""
    seen: set[str] = set()
    for seed in range(60):
        record = play_game(GAME, GAME.rules.configure(num_players=2 + seed % 3), seed, ["random"] * (2 + seed % 3))
        seen |= {move[1] for move in record["moves"]}
        if len(seen) >= 40:
            break
    assert len(seen) >= 40
    assert "replace 12" not in seen
    assert seen <= set(ACTIONS)


class _Scribbler:
    """Writes into what it was shown, and answers legally all the same."""

    def act(self, view: View) -> int:
        first = int(view.mask.argmax())
        view.mask[:] = 0
        view.observation[:] = 7
        return first


class _Forger:
    """Allows itself what is not legal."""

    def act(self, view: View) -> int:
        view.mask[:] = 1
        return len(ACTIONS) - 1


class _Answers:
    """Answers many views with whatever it was told."""

    def __init__(self, answers: Any) -> None:
        self.answers = answers

    def act(self, view: View) -> int:
        raise NotImplementedError

    def act_many(self, views: Views) -> Any:
        return self.answers


def test_what_an_agent_does_to_its_view_harms_nobody() -> None:
    states = deal_one(3)
    views = Views(GAME, states, [1])
    assert decide(_Scribbler(), "scribbler", views).tolist() == [0]
    with pytest.raises(AgentError, match=r"agent 'forger' in seat \d chose 45: expected one of play 0, play 1"):
        decide(_Forger(), "forger", Views(GAME, states, [1]))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (None, "agent 'odd' failed with TypeError"),
        ((1 // 0 for _ in range(1)), "agent 'odd' failed with ZeroDivisionError"),
        ([2**70], "chose 1180591620717411303424: expected one of play 0"),
        ([1.5], "chose 1.5: expected one of play 0"),
        ([True], "chose True: expected one of play 0"),
        ([0, 0], "gave 2 answers: expected 1"),
    ],
)
def test_odd_answers_are_named_with_their_agent(answers: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        decide(_Answers(answers), "odd", Views(GAME, deal_one(3), [1]))
