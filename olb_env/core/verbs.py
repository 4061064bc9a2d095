"""The ten verbs of a game. Each calls the function of the game whose states have the dtype of its argument.

Compiled code finds that function while it is compiled. A loop over a batch is therefore specialised for its game, and a
verb costs no more than a direct call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba import types

from olb_env.core import game as registry
from olb_env.core.compiling import implements
from olb_env.core.game import State


def deal(state: State, setup: Any, seed: int) -> None:
    """Write a new game into `state`, dealt according to `setup`; all randomness follows from `seed`."""
    registry.of_dtype(state.dtype).rules.deal(state, setup, seed)


def legal(state: State, mask: Any) -> int:
    """Write 1 into `mask` for every legal action of the seat to act, 0 elsewhere; return how many there are."""
    return registry.of_dtype(state.dtype).rules.legal(state, mask)


def random_action(state: State, rng_state: int) -> int:
    """Return one of the legal actions, all equally likely, drawn from the state of a random stream."""
    return registry.of_dtype(state.dtype).rules.random_action(state, rng_state)


def apply(state: State, action: int) -> bool:
    """Apply the action of the seat to act; return False, and change nothing, if it is not legal."""
    return registry.of_dtype(state.dtype).rules.apply(state, action)


def actor(state: State) -> int:
    """Return the seat to act, or -1 when the game is over."""
    return registry.of_dtype(state.dtype).rules.actor(state)


def secret(state: State) -> int:
    """Return 0 if the others will see the next action, or else the number of the reveal until which it is hidden."""
    return registry.of_dtype(state.dtype).rules.secret(state)


def observe(state: State, seat: int, out: Any) -> None:
    """Write into `out` what `seat` may know."""
    registry.of_dtype(state.dtype).rules.observe(state, seat, out)


def resample(state: State, seat: int, seed: int) -> None:
    """Redraw everything that `seat` may not know, and keep everything that it may know."""
    registry.of_dtype(state.dtype).rules.resample(state, seat, seed)


def returns(state: State, ranks: Any, scores: Any) -> None:
    """Write each seat's rank (1 is best, ties share a rank) and final score."""
    registry.of_dtype(state.dtype).rules.returns(state, ranks, scores)


def possible(state: State) -> bool:
    """Return whether a state could have come from a game. Every other verb relies on it."""
    return registry.of_dtype(state.dtype).rules.possible(state)


def _own(state: Any, verb: str) -> Callable[..., Any] | None:
    """Return a game's function for a verb while numba compiles a call with a state of this type, or None."""
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
def _random_action(state: Any, rng_state: Any) -> Any:
    own = _own(state, "random_action")
    return own and (lambda state, rng_state: own(state, rng_state))


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


@implements(possible)
def _possible(state: Any) -> Any:
    own = _own(state, "possible")
    return own and (lambda state: own(state))
