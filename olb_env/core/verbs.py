"""The nine verbs, for any game: each looks up the game by the dtype of the record it is given.

Inside compiled code the look-up happens while compiling, so that a loop over a batch is specialised for its
game and costs nothing more than calling the game's own function.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from olb_env.core import game as registry
from olb_env.core.compiling import implements
from olb_env.core.game import State


def deal(state: State, setup: Any, seed: int) -> None:
    """Deal a new game into `state`, as `setup` asks, all chance drawn from `seed`."""
    registry.of_dtype(state.dtype).rules.deal(state, setup, seed)


def legal(state: State, mask: Any) -> int:
    """Write 1 into `mask` for every action the acting seat may choose, 0 elsewhere; answers how many there are."""
    return registry.of_dtype(state.dtype).rules.legal(state, mask)


def random_action(state: State, chance: int) -> int:
    """One of the legal actions, each equally likely, drawn from a state of a stream of chance."""
    return registry.of_dtype(state.dtype).rules.random_action(state, chance)


def apply(state: State, action: int) -> bool:
    """Let the acting seat choose `action`; answers False, and changes nothing, if that is not legal."""
    return registry.of_dtype(state.dtype).rules.apply(state, action)


def actor(state: State) -> int:
    """The seat that decides now, or -1 when the game is over."""
    return registry.of_dtype(state.dtype).rules.actor(state)


def secret(state: State) -> int:
    """0 if the others see the answer to the question that stands; else a number that stays until it is revealed."""
    return registry.of_dtype(state.dtype).rules.secret(state)


def observe(state: State, seat: int, out: Any) -> None:
    """Write what `seat` may know into `out`."""
    registry.of_dtype(state.dtype).rules.observe(state, seat, out)


def resample(state: State, seat: int, seed: int) -> None:
    """Draw anew all that `seat` may not know, keeping all that it may."""
    registry.of_dtype(state.dtype).rules.resample(state, seat, seed)


def returns(state: State, ranks: Any, scores: Any) -> None:
    """Write each seat's rank (1 is best, equal if shared) and final score."""
    registry.of_dtype(state.dtype).rules.returns(state, ranks, scores)


def _own(state: Any, verb: str) -> Callable[..., Any] | None:
    """The function that a game uses for a verb, while numba compiles a call with this type of state."""
    game = registry.of_numba_type(state) if isinstance(state, types.Record) else None
    return None if game is None else getattr(game.rules, verb)


@implements(deal)
def _deal(state: Any, setup: Any, seed: Any) -> Any:
    own = _own(state, "deal")
    return own and (lambda state, setup, seed: own(state, setup, seed))


@implements(legal)
def _legal(state: Any, mask: Any) -> Any:
    own = _own(state, "legal")
    return own and (lambda state, mask: own(state, mask))


@implements(random_action)
def _random_action(state: Any, chance: Any) -> Any:
    own = _own(state, "random_action")
    return own and (lambda state, chance: own(state, chance))


@implements(apply)
def _apply(state: Any, action: Any) -> Any:
    own = _own(state, "apply")
    return own and (lambda state, action: own(state, action))


@implements(actor)
def _actor(state: Any) -> Any:
    own = _own(state, "actor")
    return own and (lambda state: own(state))


@implements(secret)
def _secret(state: Any) -> Any:
    own = _own(state, "secret")
    return own and (lambda state: own(state))


@implements(observe)
def _observe(state: Any, seat: Any, out: Any) -> Any:
    own = _own(state, "observe")
    return own and (lambda state, seat, out: own(state, seat, out))


@implements(resample)
def _resample(state: Any, seat: Any, seed: Any) -> Any:
    own = _own(state, "resample")
    return own and (lambda state, seat, seed: own(state, seat, seed))


@implements(returns)
def _returns(state: Any, ranks: Any, scores: Any) -> Any:
    own = _own(state, "returns")
    return own and (lambda state, ranks, scores: own(state, ranks, scores))
