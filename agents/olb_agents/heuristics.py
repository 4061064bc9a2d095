"""What agents know about a game beyond its rules: how to score actions, play on, and describe positions to networks.

A game registers its `Heuristics` from the folder of its name in this package. Compiled code finds their functions by
the dtype of a state, while it is compiled. A game without heuristics has no scripted agents, and search plays it at
random to the end. This module is independent of any game.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.scratch import Scratch
from olb_env.core import game as registry
from olb_env.core.checking import shown
from olb_env.core.compiling import implements, jitable
from olb_env.core.game import State
from olb_env.core.rewards import write_utilities
from olb_env.core.rng import next_rng_state
from olb_env.core.verbs import actor, apply, legal, random_action, returns

PLANNER = "planner"
REQUIRED_STYLES = (PLANNER, "greedy")  # that every game with heuristics has


@dataclass(frozen=True)
class Heuristics:
    """The heuristics of one game.

    Its functions are compiled helpers (`olb_env.core.compiling.jitable`). They may overwrite all of `scratch` but
    `scratch.games[SIMULATED]`. Unless said otherwise, they leave the state as it is.
    """

    # The weights of every named player, in whatever shape the functions below expect.
    styles: Mapping[str, npt.NDArray[np.float64]]

    # (state, seat, style_weights, scratch): write the score of every legal action for the seat to `scratch.scores`.
    # Scores are comparable within one decision only. In a state resampled for the seat they reveal nothing.
    score_actions: Callable[[State, int, Any, Scratch], None]

    # (state, style_weights, rng_state, scratch, out): play on as far as is useful, which changes the state, and write
    # the value of where that leads for every seat to `out` [P], from -1 to 1.
    playout: Callable[[State, Any, int, Scratch, Any], None]

    # The length of `out` below: for "derived", and for "lookahead" too if that has more features.
    feature_sizes: tuple[int, ...]

    # The width F of `afterstates` below; 0 if this game has none.
    afterstate_size: int

    # (state, seat, style_weights, scratch, out, afterstates): write inputs for networks to `out` [feature size], and
    # where each action leads to `afterstates` [A, F], which has a width of 0 unless afterstates are asked for. Write
    # the scores of `score_actions` to `scratch.scores` as well. In a state resampled for the seat all this reveals
    # nothing.
    write_features: Callable[[State, int, Any, Scratch, Any, Any], None]

    # How much each afterstate feature adds to the logits of an untrained network; 0 for those that are missing.
    initial_afterstate_weights: tuple[float, ...] = ()

    # Settings of `olb train` that suit this game better than the defaults.
    training_settings: Mapping[str, Any] = field(default_factory=dict)

    # The style whose scores networks get as inputs, and which search plays on with.
    default_style: str = PLANNER

    # Whether networks draw secret actions from their policy, because an action that can be foreseen loses.
    randomizes_secrets: bool = False


_by_game: dict[str, Heuristics] = {}


def register_heuristics(game: str, heuristics: Heuristics) -> None:
    """Make the heuristics of a game known."""
    for style in (*REQUIRED_STYLES, heuristics.default_style):
        if style not in heuristics.styles:
            known = ", ".join(heuristics.styles) or "none"
            raise ValueError(f"the heuristics of {game} have no style {shown(style)}: their styles are {known}")
    _by_game[game] = heuristics


def heuristics_of(game: str) -> Heuristics | None:
    """Return the heuristics of a game, or None if it has none."""
    return _by_game.get(game)


def all_heuristics() -> list[Heuristics]:
    """Return the heuristics of all games that have some."""
    return list(_by_game.values())


def default_style_weights(game: str) -> npt.NDArray[np.float64]:
    """Return the weights of a game's default style, or zeros if it has no heuristics."""
    heuristics = heuristics_of(game)
    return np.zeros((1, 1)) if heuristics is None else heuristics.styles[heuristics.default_style]


@jitable
def write_final_utilities(state: State, out: Any) -> None:
    """Write the utility of every seat [P] in a finished game."""
    ranks, scores = np.zeros(out.shape[0], np.int64), np.zeros(out.shape[0])
    returns(state, ranks, scores)
    write_utilities(ranks, scores, out)


@jitable
def score_actions_equally(state: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Give every action the same score, to `scratch.scores`."""
    scratch.scores[:] = 0


@jitable
def random_playout(state: State, style_weights: Any, rng_state: int, scratch: Scratch, out: Any) -> None:
    """Play at random to the end, and write the utility of every seat [P]."""
    while actor(state) >= 0:
        rng_state = next_rng_state(rng_state)
        apply(state, random_action(state, rng_state))
    write_final_utilities(state, out)


@jitable
def no_features(state: State, seat: int, style_weights: Any, scratch: Scratch, out: Any, afterstates: Any) -> None:
    """Write the scores of all actions, and no features."""
    score_actions(state, seat, style_weights, scratch)


@jitable
def best_action(state: State, seat: int, style_weights: Any, scratch: Scratch) -> int:
    """Return the legal action with the highest score, the first in case of a tie."""
    score_actions(state, seat, style_weights, scratch)
    legal(state, scratch.mask)
    best = -1
    for action in range(scratch.mask.shape[0]):
        if scratch.mask[action] and (best < 0 or scratch.scores[action] > scratch.scores[best]):
            best = action
    return best


def score_actions(state: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Write the score of every legal action for a seat to `scratch.scores`."""
    _function(registry.of_dtype(state.dtype), "score_actions", score_actions_equally)(
        state, seat, style_weights, scratch
    )


def playout(state: State, style_weights: Any, rng_state: int, scratch: Scratch, out: Any) -> None:
    """Play on as far as is useful, and write the value for every seat to `out` [P], from -1 to 1."""
    _function(registry.of_dtype(state.dtype), "playout", random_playout)(state, style_weights, rng_state, scratch, out)


def write_features(state: State, seat: int, style_weights: Any, scratch: Scratch, out: Any, afterstates: Any) -> None:
    """Write inputs for networks to `out` and `afterstates`, and the score of every action to `scratch.scores`."""
    _function(registry.of_dtype(state.dtype), "write_features", no_features)(
        state, seat, style_weights, scratch, out, afterstates
    )


def _function(game: registry.Game | None, name: str, default: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function of a game's heuristics with this name, or the default if it has no heuristics."""
    heuristics = _by_game.get(game.name) if game is not None else None
    found: Callable[..., Any] = default if heuristics is None else getattr(heuristics, name)
    return found


@implements(score_actions)
def _score_actions(state: Any, seat: Any, style_weights: Any, scratch: Any) -> Any:
    own = _function(registry.of_numba_type(state), "score_actions", score_actions_equally)
    return lambda state, seat, style_weights, scratch: own(state, seat, style_weights, scratch)


@implements(playout)
def _playout(state: Any, style_weights: Any, rng_state: Any, scratch: Any, out: Any) -> Any:
    own = _function(registry.of_numba_type(state), "playout", random_playout)
    return lambda state, style_weights, rng_state, scratch, out: own(state, style_weights, rng_state, scratch, out)


@implements(write_features)
def _write_features(state: Any, seat: Any, style_weights: Any, scratch: Any, out: Any, afterstates: Any) -> Any:
    own = _function(registry.of_numba_type(state), "write_features", no_features)
    return lambda state, seat, style_weights, scratch, out, afterstates: own(
        state, seat, style_weights, scratch, out, afterstates
    )
