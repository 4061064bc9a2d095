"""Whatever an agent does, it ends in a legal action or in an error that names the agent."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env.envs.vector import SeatVectorEnv
from olb_env.old_london_bridge import ACTIONS, GAME
from olb_env.playing import AgentError, RandomAgent, View, Views, decide
from tests.support.playthroughs import deal_one
from tests.support.some_agents import Chatty, First, Last, Thoughtful


class _Scribbler:
    """Overwrites its view, and chooses a legal action nevertheless."""

    def act(self, view: View) -> int:
        first = int(view.mask.argmax())
        view.mask[:] = 0
        view.observation[:] = 7
        return first


class _Forger:
    """Marks everything as legal."""

    def act(self, view: View) -> int:
        view.mask[:] = 1
        return len(ACTIONS) - 1


class _BatchForger:
    """Marks everything as legal for seats that nobody has, and looks at what they see."""

    def act(self, view: View) -> int:
        raise NotImplementedError

    def act_many(self, views: Views) -> Any:
        views.masks[:] = 1
        views.seats[:] = 10**7
        assert views.observations.any()
        assert all(len(views[index].clone()) == 1 for index in range(len(views)))
        return np.full(len(views), len(ACTIONS) - 1)


class _Returns:
    """Returns a given object for all views."""

    def __init__(self, actions: Any) -> None:
        self.actions = actions

    def act(self, view: View) -> int:
        raise NotImplementedError

    def act_many(self, views: Views) -> Any:
        return self.actions


def test_a_random_agent_chooses_every_legal_action() -> None:
    states = deal_one(3)
    assert {RandomAgent().act(Views(GAME, states, [seed])[0]) for seed in range(200)} == {0, 1, 2, 3, 4}


@pytest.mark.parametrize("agent", [RandomAgent(), Last()])
def test_deciding_at_once_is_deciding_one_by_one(agent: Any) -> None:
    states = GAME.new_states(5)
    for row in range(5):
        states[row] = deal_one(row)[0]
    views = Views(GAME, states, range(5))
    assert decide(agent, "agent", views).tolist() == [agent.act(view) for view in views]


def test_an_agent_may_choose_by_name() -> None:
    assert decide(First(), "first", Views(GAME, deal_one(3), [1])).tolist() == [0]


@pytest.mark.parametrize("agent", [Thoughtful(), Chatty()])
def test_a_method_that_is_none_counts_as_absent(agent: Any) -> None:
    assert decide(agent, "agent", Views(GAME, deal_one(3), [1])).shape == (1,)


def test_an_agent_that_overwrites_its_view_harms_nobody() -> None:
    states = deal_one(3)
    assert decide(_Scribbler(), "scribbler", Views(GAME, states, [1])).tolist() == [0]
    with pytest.raises(
        AgentError, match=r"agent 'forger' in seat \d chose 45: expected one of play 0, play 1"
    ) as caught:
        decide(_Forger(), "forger", Views(GAME, states, [1]))
    assert caught.value.public.endswith("chose an illegal action")


def test_an_agent_that_overwrites_all_its_views_harms_nobody() -> None:
    views = Views(GAME, np.concatenate([deal_one(3), deal_one(4)]), [1, 2])
    with pytest.raises(AgentError, match=r"agent 'forger' in seat [0-3] chose np.int64\(45\): expected one of play 0"):
        decide(_BatchForger(), "forger", views)


def test_opponents_inside_an_environment_cannot_forge_what_is_legal() -> None:
    envs = SeatVectorEnv("old_london_bridge", 2, opponents=_BatchForger())
    with pytest.raises(AgentError, match="expected one of play 0"):
        envs.reset(seed=1)


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        (None, "agent 'odd' failed with TypeError"),
        ((1 // 0 for _ in range(1)), "agent 'odd' failed with ZeroDivisionError"),
        ([2**70], "chose 1180591620717411303424: expected one of play 0"),
        ([1.5], "chose 1.5: expected one of play 0"),
        ([True], "chose True: expected one of play 0"),
        ([0, 0], "returned 2 actions: expected 1"),
    ],
)
def test_errors_name_the_agent_and_what_it_returned(actions: Any, message: str) -> None:
    with pytest.raises(AgentError, match=message):
        decide(_Returns(actions), "odd", Views(GAME, deal_one(3), [1]))
