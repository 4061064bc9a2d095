"""What agents know of a game beyond its rules, as verbs that compiled code looks up by the dtype of a state.

A game without `Heuristics` has no scripted agents, and search plays it at random to the end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import game as registry
from olb_env.core.compiling import implements, kernel, rule
from olb_env.core.game import State
from olb_env.core.rewards import RANK, WIN, write_rewards
from olb_env.core.rng import advance
from olb_env.core.verbs import actor, apply, legal, random_action, returns

DEFAULT_STYLE = "planner"  # a style that every mind has: networks and search listen to it, unless the mind knows better
LEAST_ADVICE, ADVICE_UNIT = 0.2, 3.0  # what the worst legal action is told as, and how quickly worse ones fall to it
# The sets of inputs that a network can have, each with all of the sets before it.
FEATURES = ("observation", "derived", "lookahead", "afterstates")
SCRATCH_GAMES, SCRATCH_ROWS, SCRATCH_NUMBERS = 7, 4, 64  # room to think in: games, and rows of numbers


@dataclass(frozen=True)
class Heuristics:
    """How a game is thought about. Styles are arrays of numbers that only the functions of the mind understand."""

    styles: Mapping[str, npt.NDArray[np.float64]]
    # (state, seat, style, scratch, numbers): what each legal action is worth to the seat, into numbers[0]
    weigh: Callable[[State, int, Any, Any, Any], None]
    # (state, style, chance, scratch, numbers, out): play on as far as is useful; out [P] is how good it is, -1 to 1
    playout: Callable[[State, Any, int, Any, Any, Any], None]
    # (state, seat, style, scratch, numbers, out, traits): what follows from what the seat knows, as numbers for
    # networks; there is more of it at each level, and `out` is as long as the level says. `traits` [A, T] describes
    # where each action leads, only at the last level: elsewhere it is empty. It weighs, too, into numbers[0]
    insight: tuple[int, ...]
    traits: int
    write_features: Callable[[State, int, Any, Any, Any, Any, Any], None]
    # How much each trait counts for a network that has learned nothing yet; nothing unless told
    initial_afterstate_weights: tuple[float, ...] = ()
    # How the game is best learned: settings of training by their names, where others suit it better than most games
    training_settings: Mapping[str, Any] = field(default_factory=dict)
    adviser: str = DEFAULT_STYLE  # the style that networks and search listen to
    mixes: bool = False  # whether secret answers are to be drawn by their chances, because foreseen ones lose


_by_game: dict[str, Heuristics] = {}


def register_heuristics(game: str, mind: Heuristics) -> None:
    """Tell how a game is thought about."""
    for style in (DEFAULT_STYLE, mind.adviser):
        if style not in mind.styles:
            raise ValueError(f"the mind of {game} has no style {style!r}: it has {', '.join(mind.styles) or 'none'}")
    _by_game[game] = mind


def heuristics_of(game: str) -> Heuristics | None:
    """How a game is thought about, if anybody did."""
    return _by_game.get(game)


def all_heuristics() -> list[Heuristics]:
    """Of all games."""
    return list(_by_game.values())


def room(game: registry.Game) -> tuple[npt.NDArray[Any], npt.NDArray[np.float64], npt.NDArray[np.int8]]:
    """Room to think in: games, numbers and a mask."""
    numbers = np.zeros((SCRATCH_ROWS, max(SCRATCH_NUMBERS, len(game.actions) + max(game.players))))
    return game.new_states(SCRATCH_GAMES), numbers, np.zeros(len(game.actions), np.int8)


@rule
def weigh_alike(state: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """Every action is worth the same."""
    numbers[0, :] = 0


@rule
def no_features(state: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """Nothing but what each action is worth."""
    weigh(state, seat, style, scratch, numbers)


@rule
def random_playout(state: State, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """Play at random to the end."""
    while actor(state) >= 0:
        chance = advance(chance)
        apply(state, random_action(state, chance))
    outcome(state, out)


@rule
def outcome(state: State, out: Any) -> None:
    """How a finished game came out for each seat [P]: half for the rank, half for winning."""
    players = out.shape[0]
    ranks, scores, wins = np.zeros(players, np.int64), np.zeros(players), np.zeros(players)
    returns(state, ranks, scores)
    write_rewards(RANK, 1.0, ranks, scores, out)
    write_rewards(WIN, 1.0, ranks, scores, wins)
    for seat in range(players):
        out[seat] = (out[seat] + wins[seat]) / 2


def weigh(state: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """What each legal action is worth to a seat, into `numbers[0]`."""
    _own(registry.of_dtype(state.dtype), "weigh", weigh_alike)(state, seat, style, scratch, numbers)


def playout(state: State, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """Play on as far as is useful, and say how good that is for each seat."""
    _own(registry.of_dtype(state.dtype), "playout", random_playout)(state, style, chance, scratch, numbers, out)


def write_features(state: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """What follows from what a seat knows, for networks, into `out`, and where each action leads, into `traits`.

    It leaves in `numbers[0]` what each legal action is worth, as `weigh` does.
    """
    own = _own(registry.of_dtype(state.dtype), "write_features", no_features)
    own(state, seat, style, scratch, numbers, out, traits)


def _own(game: registry.Game | None, verb: str, otherwise: Callable[..., Any]) -> Callable[..., Any]:
    mind = _by_game.get(game.name) if game is not None else None
    found: Callable[..., Any] = otherwise if mind is None else getattr(mind, verb)
    return found


@implements(weigh)
def _weigh(state: Any, seat: Any, style: Any, scratch: Any, numbers: Any) -> Any:
    own = _own(registry.of_numba_type(state), "weigh", weigh_alike)
    return lambda state, seat, style, scratch, numbers: own(state, seat, style, scratch, numbers)


@implements(playout)
def _playout(state: Any, style: Any, chance: Any, scratch: Any, numbers: Any, out: Any) -> Any:
    own = _own(registry.of_numba_type(state), "playout", random_playout)
    return lambda state, style, chance, scratch, numbers, out: own(state, style, chance, scratch, numbers, out)


@implements(write_features)
def _write_insight(state: Any, seat: Any, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> Any:
    own = _own(registry.of_numba_type(state), "write_features", no_features)
    return lambda state, seat, style, scratch, numbers, out, traits: own(
        state, seat, style, scratch, numbers, out, traits
    )


@rule
def write_advice(state: State, worth: Any, out: Any) -> None:
    """How each action [A] looks by its worth: 1 the best, others less by how much worse they are, 0 if not legal."""
    mask = np.zeros(out.shape[0], np.int8)
    legal(state, mask)
    best = -1e300
    for action in range(out.shape[0]):
        if mask[action]:
            best = max(best, worth[action])
    for action in range(out.shape[0]):
        out[action] = 0
        if mask[action]:
            out[action] = LEAST_ADVICE + (1 - LEAST_ADVICE) * math.exp((worth[action] - best) / ADVICE_UNIT)


@rule
def tell(state: State, seat: int, actions: int, traits: int, style: Any, scratch: Any, numbers: Any, out: Any) -> None:
    """All that a network is told beside the observation: the mind's insight, the advice of a style, traits."""
    insight = out.shape[0] - actions - actions * traits
    leads_to = out[insight + actions :].reshape(actions, traits)
    write_features(state, seat, style, scratch, numbers, out[:insight], leads_to)
    write_advice(state, numbers[0], out[insight : insight + actions])


@kernel
def write_feature_rows(
    states: Any, seats: Any, actions: int, traits: int, style: Any, scratch: Any, numbers: Any, out: Any, first: int
) -> None:
    """The same in every game [N], into `out` [N, first + I + A * T]."""
    for row in range(states.shape[0]):
        tell(states[row], seats[row], actions, traits, style, scratch, numbers, out[row, first:])


def append_features(
    game: registry.Game, states: registry.States, seats: Any, out: npt.NDArray[np.float32], first: int, traits: int
) -> None:
    """What networks are told of decisions beside the observation, into the columns of `out` from `first` on."""
    scratch, numbers, _ = room(game)
    write_feature_rows(
        states, seats, len(game.actions), traits, default_style_of(game.name), scratch, numbers, out, first
    )


def feature_size(game: str, features: str) -> int:
    """Return the number of inputs beside the observation that one of the `FEATURES` gives, afterstates aside."""
    heuristics, level = heuristics_of(game), FEATURES.index(features)
    if heuristics is None or level == 0:
        return 0
    return heuristics.insight[min(level, len(heuristics.insight)) - 1] + len(registry.find(game).actions)


def afterstate_size(game: str, features: str) -> int:
    """Return the number of features that describe where each action leads."""
    heuristics = heuristics_of(game)
    return 0 if heuristics is None or features != FEATURES[-1] else heuristics.traits


def initial_afterstate_weights(game: str, traits: int) -> tuple[float, ...]:
    """How much each of so many traits counts at first."""
    mind = heuristics_of(game)
    told = mind.initial_afterstate_weights if mind is not None else ()
    return (*told, *[0.0] * (traits - len(told))) if traits else ()


def default_style_of(game: str) -> npt.NDArray[np.float64]:
    """The style that networks and search listen to; a blank one if nobody has thought about the game."""
    mind = heuristics_of(game)
    return np.zeros((1, 1)) if mind is None else mind.styles[mind.adviser]


@rule
def best_action(state: State, seat: int, style: Any, scratch: Any, numbers: Any, mask: Any) -> int:
    """The legal action that is worth most, the first of equals; `mask` [A] is scratch."""
    legal(state, mask)
    weigh(state, seat, style, scratch, numbers)
    best = -1
    for action in range(mask.shape[0]):
        if mask[action] and (best < 0 or numbers[0, action] > numbers[0, best]):
            best = action
    return best
