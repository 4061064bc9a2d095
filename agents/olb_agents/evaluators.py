"""Evaluators: what search asks at a node, either a style of a game's heuristics or a trained network.

`policy_logits` writes a logit for every legal action, `values_of` the value of a state for every seat. Compiled search
picks the implementation by the type of the evaluator: a style is the array of its weights, a network is a
`NetworkEvaluator`. A network is computed here for one state at a time, in plain loops that compile to vector
instructions. `Network` computes the same for many at once.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from numba import types

from olb_agents.heuristics import default_style_weights, playout, score_actions
from olb_agents.inputs import write_inputs
from olb_agents.network import EPSILON, Network
from olb_agents.scratch import Scratch
from olb_env.core.compiling import implements, jitable
from olb_env.core.game import State
from olb_env.core.verbs import observe

TEMPERATURE = 2.0  # of the policy that the scores of a style make: higher is closer to uniform


class NetworkEvaluator(NamedTuple):
    """A network as compiled code takes it, with space for what it computes."""

    weights: npt.NDArray[np.float32]  # all tensors in the order of `Shape.tensors`, flattened
    layer_sizes: npt.NDArray[np.int64]  # inputs of the first layer, hidden layers, outputs of the head
    num_inputs: int  # those of the first layer, then the afterstate features of every action
    observation_size: int
    num_actions: int
    num_seats: int
    afterstate_size: int
    style_weights: npt.NDArray[np.float64]  # of the style whose scores are among the inputs
    inputs: npt.NDArray[np.float32]  # [num_inputs], overwritten
    activations: npt.NDArray[np.float32]  # [2, largest layer] of the layers in turn, overwritten


Evaluator = npt.NDArray[np.float64] | NetworkEvaluator  # the weights of a style, or a network


def network_evaluator(network: Network) -> NetworkEvaluator:
    """Return a network as an evaluator for search."""
    shape = network.shape
    layer_sizes = np.array([shape.trunk_inputs, *shape.hidden_sizes, shape.outputs])
    return NetworkEvaluator(
        weights=np.concatenate([weight.ravel() for weight in network.weights.values()]),
        layer_sizes=layer_sizes,
        num_inputs=shape.inputs,
        observation_size=shape.observation_size,
        num_actions=shape.num_actions,
        num_seats=shape.num_seats,
        afterstate_size=shape.afterstate_size,
        style_weights=default_style_weights(shape.game),
        inputs=np.zeros(shape.inputs, np.float32),
        activations=np.zeros((2, layer_sizes.max()), np.float32),
    )


@jitable
def run_network(state: State, seat: int, network: NetworkEvaluator, scratch: Scratch) -> Any:
    """Return the outputs of a network for what a seat sees: logits, values before tanh, afterstate weights.

    The result is a row of `network.activations`. The afterstate features are already counted in the logits.
    """
    inputs, weights, sizes = network.inputs, network.weights, network.layer_sizes
    actions, afterstates = network.num_actions, network.afterstate_size
    observe(state, seat, inputs[: network.observation_size])
    if network.num_inputs > network.observation_size:
        extra = inputs[network.observation_size : network.num_inputs]
        write_inputs(state, seat, actions, afterstates, network.style_weights, scratch, extra)
    last = sizes.shape[0] - 2
    at, x = 0, inputs
    for layer in range(last + 1):
        num_inputs, size = sizes[layer], sizes[layer + 1]
        y = network.activations[layer % 2]
        bias = at + num_inputs * size
        linear(x, num_inputs, weights[at:bias], weights[bias : bias + size], y)
        at = bias + size
        if layer < last:
            layer_norm_relu(y, weights[at : at + size], weights[at + size : at + 2 * size])
            at += 2 * size
        x = y
    first = sizes[last + 1] - afterstates  # of the outputs that say how much each afterstate feature counts
    for action in range(actions if afterstates > 0 else 0):
        for i in range(afterstates):
            x[action] += x[first + i] * inputs[sizes[0] + action * afterstates + i]
    return x


@jitable
def linear(x: Any, num_inputs: int, weights: Any, bias: Any, out: Any) -> None:
    """Write a linear layer of `x` [num_inputs], skipping inputs that are 0: most of an observation, half of any layer.

    It takes four inputs at a time, in plain loops over rows of the weights, so that it becomes vector instructions.
    """
    size = bias.shape[0]
    rows = np.empty(num_inputs, np.int64)
    count = 0
    for i in range(num_inputs):
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


@jitable
def layer_norm_relu(x: Any, scale: Any, shift: Any) -> None:
    """Apply layer normalization and a ReLU in place."""
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


@jitable
def style_logits(state: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Write the scores of a style, divided by a temperature, to `scratch.scores`."""
    score_actions(state, seat, style_weights, scratch)
    for action in range(scratch.scores.shape[0]):
        scratch.scores[action] /= TEMPERATURE


@jitable
def style_values(
    state: State, seat: int, has_logits: bool, style_weights: Any, rng_state: int, scratch: Scratch, out: Any
) -> None:
    """Write the value of every seat [P] after a playout in that style."""
    playout(state, style_weights, rng_state, scratch, out)


@jitable
def network_logits(state: State, seat: int, network: NetworkEvaluator, scratch: Scratch) -> None:
    """Write the logits of a network to `scratch.scores`, and its values before tanh to `scratch.values`.

    Values are in the order of play, the deciding seat first.
    """
    outputs = run_network(state, seat, network, scratch)
    for action in range(network.num_actions):
        scratch.scores[action] = outputs[action]
    for i in range(network.num_seats):
        scratch.values[i] = outputs[network.num_actions + i]


@jitable
def network_values(
    state: State, seat: int, has_logits: bool, network: NetworkEvaluator, rng_state: int, scratch: Scratch, out: Any
) -> None:
    """Write the values [P] that a network expects.

    If `has_logits`, `network_logits` was just called for this state and scratch, and the network need not run again.
    """
    if not has_logits:
        network_logits(state, seat, network, scratch)
    players = out.shape[0]
    for i in range(players):
        out[(seat + i) % players] = math.tanh(scratch.values[i])


def policy_logits(state: State, seat: int, evaluator: Evaluator, scratch: Scratch) -> None:
    """Write a logit for every legal action to `scratch.scores`."""
    if isinstance(evaluator, NetworkEvaluator):
        network_logits(state, seat, evaluator, scratch)
    else:
        style_logits(state, seat, evaluator, scratch)


def values_of(
    state: State, seat: int, has_logits: bool, evaluator: Evaluator, rng_state: int, scratch: Scratch, out: Any
) -> None:
    """Write the value of a state for every seat [P], from -1 to 1; it may change the state.

    `has_logits` says that `policy_logits` was the last to use this scratch, for this state, so that a network need not
    run again.
    """
    if isinstance(evaluator, NetworkEvaluator):
        network_values(state, seat, has_logits, evaluator, rng_state, scratch, out)
    else:
        style_values(state, seat, has_logits, evaluator, rng_state, scratch, out)


@implements(policy_logits)
def _policy_logits(state: Any, seat: Any, evaluator: Any, scratch: Any) -> Any:
    write = network_logits if isinstance(evaluator, types.BaseTuple) else style_logits
    return lambda state, seat, evaluator, scratch: write(state, seat, evaluator, scratch)


@implements(values_of)
def _values_of(state: Any, seat: Any, has_logits: Any, evaluator: Any, rng_state: Any, scratch: Any, out: Any) -> Any:
    write = network_values if isinstance(evaluator, types.BaseTuple) else style_values
    return lambda state, seat, has_logits, evaluator, rng_state, scratch, out: write(
        state, seat, has_logits, evaluator, rng_state, scratch, out
    )
