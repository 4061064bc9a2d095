"""Agents: what one is, how it is named, and how a table of them plays a game to its end.

An agent sees a `View`: what its seat may know, and nothing else. `random` lives here; other agents register
themselves, or are named as `package.module:Class`.
"""

from __future__ import annotations

import hashlib
import importlib
import operator
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.core.records import Record, make_record
from olb_env.core.rng import SEED_LIMIT

AGENTS = 2**33  # the streams of agents' own chance, apart from those of the deal
VIEWS = 2**34  # and those of what a view redraws


class AgentError(ValueError):
    """An agent that fails, or answers what it may not."""


class View:
    """A decision as one seat sees it. The game behind it is redrawn: nothing the seat may not know is in it."""

    def __init__(self, game: Game, states: States, seat: int, seed: int) -> None:
        self.game = game
        self.seat = seat
        self.observation: npt.NDArray[np.float32] = np.empty(game.observation.size, np.float32)
        self.mask: npt.NDArray[np.int8] = np.empty(len(game.actions), np.int8)
        batch.view_one(states, seat, self.observation, self.mask)
        self._seed = seed
        self._states = states.copy()
        batch.resample_rows(self._states, np.array([seat]), np.array([seed]))

    @cached_property
    def legal(self) -> list[str]:
        """The names of the actions to choose from."""
        return [self.game.actions[action] for action in np.flatnonzero(self.mask)]

    def clone(self, draw: int = 0) -> States:
        """A game [1] that could be the one played; every `draw` gives another."""
        states = self._states.copy()
        batch.resample_rows(states, np.array([self.seat]), np.array([_seed_of(self._seed, VIEWS + draw)]))
        return states


class Agent(Protocol):
    """Anything that decides: by an action's id or its name."""

    def act(self, view: View) -> int | str:
        """The action to take."""
        ...


class RandomAgent:
    """Every legal action is equally likely."""

    def __init__(self, seed: int) -> None:
        self._chance = np.random.default_rng(seed)

    def act(self, view: View) -> int:
        """Any of them."""
        actions = np.flatnonzero(view.mask)
        return int(actions[self._chance.integers(len(actions))])


Factory = Callable[[str, int], Agent]  # (what follows the colon in the name, seed)
_factories: dict[str, Factory] = {}


def register_agent(name: str, factory: Factory) -> None:
    """Give an agent a name for commands and environments."""
    _factories[name] = factory


def agent_names() -> list[str]:
    """The names there are."""
    return sorted(_factories)


def make_agent(name: str, seed: int) -> Agent:
    """The agent of that name, its chance drawn from `seed`."""
    head, _, rest = name.partition(":")
    if head in _factories:
        return _factories[head](rest, seed)
    known = f"expected one of {', '.join(agent_names())}, or package.module:Class"
    if not rest:
        raise ValueError(f"unknown agent {name!r}: {known}")
    try:
        made: Agent = getattr(importlib.import_module(head), rest)()
    except Exception as error:  # noqa: BLE001  # whatever a user's module does
        raise ValueError(f"cannot load agent {name!r} ({type(error).__name__}: {error}): {known}") from None
    if not callable(getattr(made, "act", None)):
        raise ValueError(f"agent {name!r} has no method act(view): {known}")
    return made


def _make_random(rest: str, seed: int) -> Agent:
    if rest:
        raise ValueError(f"agent 'random' takes nothing after a colon, but was given {rest!r}")
    return RandomAgent(seed)


register_agent("random", _make_random)


def _seed_of(seed: int, name: int) -> int:
    """A seed that does not tell the one it came from: an agent must not find out the deal."""
    digest = hashlib.blake2b(f"{seed} {name}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % SEED_LIMIT


def read_answer(answer: int | str, game: Game) -> int:
    """The id of what an agent answered, -1 if it is no action."""
    if isinstance(answer, str):
        return game.action_ids.get(answer, -1)
    try:
        return -1 if isinstance(answer, bool | np.bool_) else operator.index(answer)
    except TypeError:
        return -1


def play_game(game: Game, setup: Any, seed: int, agents: Sequence[str], *, legal: bool = False) -> Record:
    """Let agents play the game dealt from a seed to its end; answers its record."""
    states = game.new_states(1)
    batch.deal_rows(states, setup, np.array([seed]))
    initial = states.copy()
    players = [make_agent(name, _seed_of(seed, AGENTS + seat)) for seat, name in enumerate(agents)]
    actions: list[int] = []
    seat = batch.actor_one(states)
    while seat >= 0:
        view = View(game, states, seat, _seed_of(seed, VIEWS + len(actions)))
        who = f"agent {agents[seat]!r} in seat {seat}"
        try:
            answer = players[seat].act(view)
        except Exception as error:
            raise AgentError(f"{who} failed with {type(error).__name__}: {error}") from error
        action = read_answer(answer, game)
        following = batch.apply_one(states, action)
        if following == batch.ILLEGAL:
            raise AgentError(f"{who} chose {answer!r}: expected one of {', '.join(view.legal)}")
        actions.append(action)
        seat = following
    return make_record(game, initial, actions, seed=seed, agents=agents, legal=legal)
