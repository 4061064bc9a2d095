"""What search asks at a node, and who answers: a game's mind with a style, or a trained network.

`policy_logits` writes a logit for every legal action, `values_of` how well the game should end for every seat.
Compiled search picks the implementation by the type of the evaluator: a style is an array, a network a tuple of its
weights, its sizes and the default style of the game.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
from numba import types

from olb_agents.heuristics import default_style_of, playout, tell, weigh
from olb_agents.network import EPSILON, Network
from olb_env.core.compiling import implements, rule
from olb_env.core.game import Game, State
from olb_env.core.verbs import observe

TEMPERATURE = 2.0  # how much better an action must look to a style to be much likelier

Evaluator = Any  # a style [..., W], or (weights, sizes, adviser) of a network


def network_evaluator(
    network: Network,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64], npt.NDArray[np.float64]]:
    """A network as search takes it: all weights in one row; widths of layers, of all it is told, of the observation,
    of the actions, and how many traits; the style that advises it.
    """
    shape = network.shape
    sizes = [
        shape.trunk_inputs,
        *shape.hidden_sizes,
        shape.outputs,
        shape.inputs,
        shape.observation_size,
        shape.num_actions,
        shape.afterstate_size,
    ]
    weights = np.concatenate([weight.ravel() for weight in network.weights.values()])
    return weights, np.array(sizes), default_style_of(shape.game)


def room_for(game: Game, evaluator: Evaluator) -> npt.NDArray[np.float32]:
    """Room for what a evaluator computes: an observation and two layers."""
    wide = max([game.observation.size, *(evaluator[1].tolist() if isinstance(evaluator, tuple) else [])])
    return np.zeros((3, wide), np.float32)


@rule
def ask_network(state: State, seat: int, evaluator: Any, scratch: Any, numbers: Any, layers: Any) -> int:
    """What a network says to what a seat sees; answers the row of `layers` that it stands in."""
    weights, sizes, adviser = evaluator
    count = sizes.shape[0] - 5
    told, observed, actions, traits = sizes[count + 1], sizes[count + 2], sizes[count + 3], sizes[count + 4]
    observe(state, seat, layers[2, :observed])
    if told > observed:
        tell(state, seat, actions, traits, adviser, scratch, numbers, layers[2, observed:told])
    at, x = 0, 2
    for layer in range(count):
        wide, size = sizes[layer], sizes[layer + 1]
        last = layer == count - 1
        y = layer % 2
        bias = at + wide * size
        pass_on(layers[x], wide, weights[at:bias], weights[bias : bias + size], layers[y])
        at = bias + size
        if not last:
            normalise(layers[y], weights[at : at + size], weights[at + size : at + 2 * size])
            at += 2 * size
        x = y
    counts = sizes[count] - traits  # where the head says how much each trait counts
    for action in range(actions if traits > 0 else 0):
        for trait in range(traits):
            layers[x, action] += layers[x, counts + trait] * layers[2, sizes[0] + action * traits + trait]
    return x


@rule
def pass_on(x: Any, wide: int, weights: Any, bias: Any, out: Any) -> None:
    """One layer: what is 0 is left out, as most of an observation is and half of what a layer says.

    Four inputs at a time, in plain loops over rows: so it becomes vector instructions.
    """
    size = bias.shape[0]
    rows = np.empty(wide, np.int64)
    count = 0
    for i in range(wide):
        if x[i] != 0:
            rows[count] = i
            count += 1
    for j in range(size):
        out[j] = bias[j]
    whole = count - count % 4
    for k in range(0, whole, 4):
        a, b, c, d = x[rows[k]], x[rows[k + 1]], x[rows[k + 2]], x[rows[k + 3]]
        first = weights[rows[k] * size : (rows[k] + 1) * size]
        second = weights[rows[k + 1] * size : (rows[k + 1] + 1) * size]
        third = weights[rows[k + 2] * size : (rows[k + 2] + 1) * size]
        fourth = weights[rows[k + 3] * size : (rows[k + 3] + 1) * size]
        for j in range(size):
            out[j] += a * first[j] + b * second[j] + c * third[j] + d * fourth[j]
    for k in range(whole, count):
        a = x[rows[k]]
        first = weights[rows[k] * size : (rows[k] + 1) * size]
        for j in range(size):
            out[j] += a * first[j]


@rule
def normalise(x: Any, scale: Any, shift: Any) -> None:
    """To a mean of 0 and a spread of 1, then scaled and shifted, and cut off below zero."""
    size = scale.shape[0]
    mean = np.float32(0)
    for i in range(size):
        mean += x[i]
    mean /= np.float32(size)
    spread = np.float32(0)
    for i in range(size):
        spread += (x[i] - mean) * (x[i] - mean)
    factor = np.float32(1 / math.sqrt(spread / size + EPSILON))
    for i in range(size):
        x[i] = max(np.float32(0), (x[i] - mean) * factor * scale[i] + shift[i])


@rule
def prefer_by_style(state: State, seat: int, evaluator: Any, scratch: Any, numbers: Any, layers: Any) -> None:
    """By what each action is worth to the style."""
    weigh(state, seat, evaluator, scratch, numbers)
    for action in range(numbers.shape[1]):
        numbers[0, action] /= TEMPERATURE


@rule
def appraise_by_style(
    state: State, seat: int, fresh: bool, evaluator: Any, chance: int, scratch: Any, numbers: Any, layers: Any, out: Any
) -> None:
    """By playing on in that style."""
    playout(state, evaluator, chance, scratch, numbers, out)


@rule
def prefer_by_network(state: State, seat: int, evaluator: Any, scratch: Any, numbers: Any, layers: Any) -> None:
    """By the network's preferences; what it expects for the seats is left behind them."""
    sizes = evaluator[1]
    row = ask_network(state, seat, evaluator, scratch, numbers, layers)
    for i in range(sizes[sizes.shape[0] - 5] - sizes[sizes.shape[0] - 1]):
        numbers[0, i] = layers[row, i]


@rule
def appraise_by_network(
    state: State, seat: int, fresh: bool, evaluator: Any, chance: int, scratch: Any, numbers: Any, layers: Any, out: Any
) -> None:
    """By what the network expects; `fresh` says that it was just asked about this very state."""
    if not fresh:
        prefer_by_network(state, seat, evaluator, scratch, numbers, layers)
    players, sizes = out.shape[0], evaluator[1]
    actions = sizes[sizes.shape[0] - 2]
    for on in range(players):
        out[(seat + on) % players] = math.tanh(numbers[0, actions + on])


def policy_logits(state: State, seat: int, evaluator: Any, scratch: Any, numbers: Any, layers: Any) -> None:
    """How promising each legal action is, into `numbers[0]`, as logarithms of how likely."""
    by = prefer_by_network if isinstance(evaluator, tuple) else prefer_by_style
    by(state, seat, evaluator, scratch, numbers, layers)


def values_of(
    state: State, seat: int, fresh: bool, evaluator: Any, chance: int, scratch: Any, numbers: Any, layers: Any, out: Any
) -> None:
    """How well the game should end for each seat [P], -1 to 1; the state may be played on."""
    by = appraise_by_network if isinstance(evaluator, tuple) else appraise_by_style
    by(state, seat, fresh, evaluator, chance, scratch, numbers, layers, out)


@implements(policy_logits)
def _prefer(state: Any, seat: Any, evaluator: Any, scratch: Any, numbers: Any, layers: Any) -> Any:
    by = prefer_by_network if isinstance(evaluator, types.BaseTuple) else prefer_by_style
    return lambda state, seat, evaluator, scratch, numbers, layers: by(state, seat, evaluator, scratch, numbers, layers)


@implements(values_of)
def _appraise(
    state: Any, seat: Any, fresh: Any, evaluator: Any, chance: Any, scratch: Any, numbers: Any, layers: Any, out: Any
) -> Any:
    by = appraise_by_network if isinstance(evaluator, types.BaseTuple) else appraise_by_style
    return lambda state, seat, fresh, evaluator, chance, scratch, numbers, layers, out: by(
        state, seat, fresh, evaluator, chance, scratch, numbers, layers, out
    )
