"""Information-set Monte Carlo tree search (ISMCTS), compiled: select, expand, evaluate, back up.

Every simulation starts from a redrawn game (a determinization): what the searching seat does not know is drawn anew. A
node of the tree is an information set, identified by the actions that the deciding seat has seen since the root. Chance
events do not count, so a node averages over them. A secret action reaches the nodes of other seats only when it is
revealed, so simultaneous bids are chosen without knowing each other. At every node the deciding seat maximizes its own
value.

Axes: A actions, P seats, N nodes. This module is independent of any game; `search_agent` has the agents.
"""

from __future__ import annotations

import math
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_agents.evaluators import Evaluator, policy_logits, values_of
from olb_agents.heuristics import write_final_utilities
from olb_agents.scratch import SIMULATED, Scratch
from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import State
from olb_env.core.rng import DRAWS, mix, stream
from olb_env.core.secrecy import still_hidden
from olb_env.core.verbs import actor, apply, legal, resample, secret

MAX_DEPTH: Final = 48  # of a path inside the tree
PRIOR_FLOOR: Final = 0.05  # added to every legal action before priors are normalized
# First-play urgency: an untried action counts as the mean value of its node, less this.
FPU_REDUCTION: Final = 0.1
PLAYOUT_STREAMS: Final = 2**35  # the number of the first random stream of playouts
MISSING: Final = -1  # in place of a node that is not in the tree


class Tree(NamedTuple):
    """The nodes of a search, and a hash table that finds them by their keys."""

    slots: npt.NDArray[np.int32]  # [size] 1 + a node, in the slot its key hashes to or in a later one; 0 if empty
    keys: npt.NDArray[np.uint64]  # [N]
    visits: npt.NDArray[np.int32]  # [N, A]
    totals: npt.NDArray[np.float64]  # [N, A] the sum of the deciding seat's values over all visits
    priors: npt.NDArray[np.float64]  # [N, A]
    used: npt.NDArray[np.int64]  # [1] how many nodes there are


def new_tree(nodes: int, actions: int) -> Tree:
    """Return an empty tree with space for this many nodes."""
    return Tree(
        slots=np.zeros(1 << max(8, (2 * nodes - 1).bit_length()), np.int32),
        keys=np.zeros(nodes, np.uint64),
        visits=np.zeros((nodes, actions), np.int32),
        totals=np.zeros((nodes, actions)),
        priors=np.zeros((nodes, actions)),
        used=np.zeros(1, np.int64),
    )


def clear_tree(tree: Tree) -> None:
    """Remove all nodes."""
    tree.slots[:] = 0
    tree.used[0] = 0


class SearchOptions(NamedTuple):
    """How to search."""

    grow_tree: bool  # if False, only the root is a node, and its actions are tried in turn
    c_puct: float  # the weight of priors against values in the choice of actions


class Path(NamedTuple):
    """The decisions of one simulation inside the tree."""

    nodes: npt.NDArray[np.int64]  # [MAX_DEPTH]
    actions: npt.NDArray[np.int64]  # [MAX_DEPTH]
    seats: npt.NDArray[np.int64]  # [MAX_DEPTH]


class Histories(NamedTuple):
    """The actions that each seat has seen in one simulation, as hashes."""

    seen: npt.NDArray[np.uint64]  # [P]
    hidden: npt.NDArray[np.uint64]  # [1] of the secret actions that wait for their reveal


@jitable
def clear_histories(histories: Histories) -> None:
    """Begin a new simulation."""
    histories.seen[:] = 1
    histories.hidden[0] = 0


@jitable
def information_set_key(histories: Histories, seat: int) -> Any:
    """Return the key of the node where a seat decides."""
    return np.uint64(mix(histories.seen[seat] ^ np.uint64(seat)))


@jitable
def show_to_all(histories: Histories, event: Any) -> None:
    """Let every seat see an event."""
    for seat in range(histories.seen.shape[0]):
        histories.seen[seat] = mix(histories.seen[seat] ^ event)


@jitable
def apply_and_track(state: State, seat: int, action: int, histories: Histories) -> None:
    """Apply an action, and let the seats see it: the others see a secret action only when it is revealed."""
    reveal = secret(state)
    apply(state, action)
    event = np.uint64(mix(seat * 1024 + action + 1))
    if reveal > 0:
        histories.seen[seat] = mix(histories.seen[seat] ^ event)
        histories.hidden[0] = np.uint64(mix(histories.hidden[0] ^ event))
        if not still_hidden(reveal, state):
            show_to_all(histories, histories.hidden[0])
            histories.hidden[0] = 0
    else:
        show_to_all(histories, event)


@jitable
def find_slot(tree: Tree, key: Any) -> int:
    """Return the slot of `tree.slots` where a key is, or where it would be."""
    slot = np.int64(mix(key) >> 8) % tree.slots.shape[0]
    while tree.slots[slot] != 0 and tree.keys[tree.slots[slot] - 1] != key:
        slot = (slot + 1) % tree.slots.shape[0]
    return int(slot)


@jitable
def select_action(tree: Tree, node: int, mask: Any, options: SearchOptions) -> int:
    """Return the legal action to try next at a node."""
    if options.grow_tree:
        return best_by_puct(tree.visits[node], tree.totals[node], tree.priors[node], mask, options)
    return least_visited(tree.visits[node], mask)


@jitable
def best_by_puct(visits: Any, totals: Any, priors: Any, mask: Any, options: SearchOptions) -> int:
    """Return the legal action with the highest upper bound: its mean value, and more the higher its prior (PUCT)."""
    tried = 0
    earned = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            tried += visits[action]
            earned += totals[action]
    expected = earned / tried if tried > 0 else 0.0
    scale = options.c_puct * math.sqrt(tried + 1.0)
    best = -1
    highest = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            value = totals[action] / visits[action] if visits[action] > 0 else expected - FPU_REDUCTION
            value += scale * priors[action] / (1 + visits[action])
            if best < 0 or value > highest:
                best, highest = action, value
    return best


@jitable
def least_visited(visits: Any, mask: Any) -> int:
    """Return the legal action with the fewest visits, the first in case of a tie."""
    best = -1
    for action in range(mask.shape[0]):
        if mask[action] and (best < 0 or visits[action] < visits[best]):
            best = action
    return best


@jitable
def expand(tree: Tree, slot: int, key: Any, state: State, seat: int, evaluator: Evaluator, scratch: Scratch) -> int:
    """Add the node of a state to the tree, with priors from the evaluator; return it."""
    node = tree.used[0]
    tree.used[0] += 1
    tree.slots[slot] = node + 1
    tree.keys[node] = key
    visits, totals, priors = tree.visits[node], tree.totals[node], tree.priors[node]
    policy_logits(state, seat, evaluator, scratch)
    mask, logits = scratch.mask, scratch.scores
    count = legal(state, mask)
    highest = -1e300
    for action in range(mask.shape[0]):
        visits[action] = 0
        totals[action] = 0
        if mask[action]:
            highest = max(highest, logits[action])
    total = 0.0
    for action in range(mask.shape[0]):
        priors[action] = math.exp(logits[action] - highest) + PRIOR_FLOOR if mask[action] else 0.0
        total += priors[action]
    for action in range(mask.shape[0]):
        # Actions that are not legal in this redrawn game may be legal at the same node in another one.
        priors[action] = priors[action] / total if mask[action] else 1.0 / count
    return int(node)


@jitable
def descend(
    tree: Tree,
    state: State,
    path: Path,
    histories: Histories,
    options: SearchOptions,
    evaluator: Evaluator,
    scratch: Scratch,
) -> tuple[int, bool]:
    """Play a redrawn game down the tree to a leaf; return the length of the path and whether the leaf is a new node.

    A leaf is a finished game, a new node below the root, a state that has no node because the tree is full or only the
    root is a node, or the state at which the path reaches MAX_DEPTH.
    """
    length = 0
    while True:
        seat = actor(state)
        if seat < 0:
            return length, False
        key = information_set_key(histories, seat)
        slot = find_slot(tree, key)
        node = tree.slots[slot] - 1
        is_new_node = node == MISSING and tree.used[0] < tree.keys.shape[0] and (options.grow_tree or length == 0)
        if is_new_node:
            node = expand(tree, slot, key, state, seat, evaluator, scratch)
        if length > 0 and (is_new_node or node == MISSING or length == MAX_DEPTH or not options.grow_tree):
            return length, is_new_node
        legal(state, scratch.mask)
        action = select_action(tree, node, scratch.mask, options)
        path.nodes[length], path.actions[length], path.seats[length] = node, action, seat
        length += 1
        apply_and_track(state, seat, action, histories)


@jitable
def evaluate_leaf(
    state: State, is_new_node: bool, evaluator: Evaluator, rng_state: int, scratch: Scratch, out: Any
) -> None:
    """Write the values [P] of a leaf: the utilities of a finished game, else what the evaluator says.

    `is_new_node` says that `expand` was just called for this state.
    """
    seat = actor(state)
    if seat < 0:
        write_final_utilities(state, out)
    else:
        values_of(state, seat, is_new_node, evaluator, rng_state, scratch, out)


@jitable
def back_up(tree: Tree, path: Path, length: int, values: Any) -> None:
    """Add the values [P] of a leaf to the decisions on the path to it, each by the value of its own seat."""
    for step in range(length):
        node, action = path.nodes[step], path.actions[step]
        tree.visits[node, action] += 1
        tree.totals[node, action] += values[path.seats[step]]


@kernel
def simulate(
    root: Any,
    seat: int,
    seed: Any,
    first: int,
    count: int,
    options: SearchOptions,
    evaluator: Evaluator,
    tree: Tree,
    scratch: Scratch,
    values: Any,
) -> None:
    """Run `count` simulations, numbered from `first` on, of the game `root` [1] as `seat` knows it.

    The results go into the tree. `values` [P] is overwritten.
    """
    path = Path(np.zeros(MAX_DEPTH, np.int64), np.zeros(MAX_DEPTH, np.int64), np.zeros(MAX_DEPTH, np.int64))
    histories = Histories(np.zeros(values.shape[0], np.uint64), np.zeros(1, np.uint64))
    state = scratch.games[SIMULATED]
    for number in range(first, first + count):
        scratch.games[SIMULATED] = root[0]
        resample(state, seat, stream(seed, DRAWS + number))
        clear_histories(histories)
        length, is_new_node = descend(tree, state, path, histories, options, evaluator, scratch)
        evaluate_leaf(state, is_new_node, evaluator, stream(seed, PLAYOUT_STREAMS + number), scratch, values)
        back_up(tree, path, length, values)
