"""Asking an agent for actions, and checking what it returns.

Agents may be the user's own, so everything can happen here: exceptions, illegal actions, objects that cannot even be
printed. All of it becomes an `AgentError` that names the agent.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core.game import Game, State
from olb_env.playing.protocols import Agent
from olb_env.playing.views import Views


class AgentError(ValueError):
    """An agent that failed or chose an illegal action; `public` leaves out what only its seat may know."""

    def __init__(self, message: str, public: str = "") -> None:
        super().__init__(message)
        self.public = public or message


def decide(agent: Agent, name: str, views: Views) -> npt.NDArray[np.int64]:
    """Return the id of the action that an agent chooses for each view [N]; all of them are legal.

    An AgentError says that the agent failed, or what it returned instead. `name` is what the error calls it.
    """
    act_many, legal, count = getattr(agent, "act_many", None), views.masks.copy(), len(views)  # it may overwrite views
    seats = views.seats.tolist()
    if act_many is None:
        answers = [_call(agent.act, views[index], f"{name!r} in seat {seats[index]}") for index in range(count)]
    else:
        answers = _call(act_many, views, repr(name))
        if _all_legal(answers, legal):
            return np.asarray(answers, np.int64)
        answers = _call(list, answers, repr(name))
    if len(answers) != count:
        raise AgentError(f"agent {name!r} returned {len(answers)} actions: expected {count}, one for each view")
    actions = np.empty(count, np.int64)
    for index, answer in enumerate(answers):
        actions[index] = _legal_action(answer, views, index, legal[index], f"{name!r} in seat {seats[index]}")
    return actions


def _legal_action(answer: Any, views: Views, index: int, legal: npt.NDArray[np.int8], agent: str) -> int:
    """Return the id of the action that an agent named for one view, if it is legal."""
    game, state = views.game, views.states[index]
    action: int = _call(partial(_action_id, game=game, state=state), answer, agent)
    if not 0 <= action < len(game.actions) or not legal[action]:
        names = game.names(state)
        expected = ", ".join(names[number] for number in np.flatnonzero(legal))
        raise AgentError(
            f"agent {agent} chose {_call(repr, answer, agent)[:100]}: expected one of {expected}",
            f"agent {agent} chose an illegal action",
        )
    return action


def _action_id(answer: Any, game: Game, state: State) -> int:
    """Return the id of an action given by id or name, or -1 if it is neither."""
    if isinstance(answer, str):
        return game.ids(state).get(answer, -1)
    try:
        return -1 if isinstance(answer, bool | np.bool_) else operator.index(answer)
    except TypeError:
        return -1


def _all_legal(answers: Any, legal: npt.NDArray[np.int8]) -> bool:
    """Return whether `answers` is an array of ids of legal actions, as nearly always, without a loop over it."""
    return bool(
        isinstance(answers, np.ndarray)
        and answers.dtype.kind in "iu"
        and answers.shape == legal.shape[:1]
        and ((answers >= 0) & (answers < legal.shape[1])).all()
        and legal[np.arange(len(answers)), answers.astype(np.int64)].all()
    )


def _call(function: Callable[[Any], Any], argument: Any, agent: str) -> Any:
    """Call code of an agent; whatever it raises becomes an AgentError."""
    try:
        return function(argument)
    except (Exception, SystemExit) as error:
        reason = " ".join(str(error).split())[:300]
        public = f"agent {agent} failed with {type(error).__name__}"
        raise AgentError(f"{public}: {reason}", public) from error
