"""Search for any game: `flat:N` tries every action in playouts, `mcts:N` grows a tree of what each seat can know.

Every simulation redraws what the searching seat does not know. A node of the tree is what has happened as far as the
seat to act has seen it, whatever was drawn: a secret answer reaches the others' nodes only when it is revealed, so that
simultaneous bids are chosen as such. In every node the seat to act looks after itself.
"""

from __future__ import annotations

import math
import re
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.evaluators import Evaluator, policy_logits, room_for, values_of
from olb_agents.heuristics import default_style_of, outcome, room
from olb_env.core.compiling import kernel, rule
from olb_env.core.game import Game, State
from olb_env.core.rng import DRAWS, mix, stream
from olb_env.core.verbs import actor, apply, legal, resample, secret
from olb_env.playing import View, register_agent

MOST_NODES = 50_000
MOST_STEPS = 48  # of a path inside the tree
CHUNK = 50  # simulations between two looks at the clock
EXPLORE = 0.7  # how much a likely action is tried before it has proved itself
DOUBT = 0.05  # how much of a chance even the least likely has
CHANCES = 2**35  # streams of playouts


class Tree:
    """Room for the nodes of a search: what each seat knows, and what became of each action there."""

    def __init__(self, nodes: int, actions: int) -> None:
        size = 1 << max(8, (2 * nodes - 1).bit_length())
        self.index = np.zeros(size, np.int32)  # a node + 1 at the place its key hashes to, or behind it
        self.keys = np.zeros(nodes, np.uint64)
        self.visits = np.zeros((nodes, actions), np.int32)
        self.totals = np.zeros((nodes, actions))
        self.priors = np.zeros((nodes, actions))
        self.used = np.zeros(1, np.int64)

    def clear(self) -> None:
        """Forget everything."""
        self.index[:] = 0
        self.used[0] = 0

    @property
    def parts(self) -> tuple[Any, ...]:
        """As the kernel takes them."""
        return self.index, self.keys, self.visits, self.totals, self.priors, self.used


@rule
def find_place(index: Any, keys: Any, key: int) -> int:
    """Where in the index a key is, or would be."""
    at = np.int64(mix(key) >> 8) % index.shape[0]
    while index[at] != 0 and keys[index[at] - 1] != key:
        at = (at + 1) % index.shape[0]
    return int(at)


@rule
def open_node(
    state: State, seat: int, evaluator: Any, scratch: Any, numbers: Any, layers: Any, mask: Any, visits: Any,
    totals: Any, priors: Any,
) -> None:  # fmt: skip
    """A new node: how likely each action seems at first sight."""
    count = legal(state, mask)
    policy_logits(state, seat, evaluator, scratch, numbers, layers)
    best = -1e300
    for action in range(mask.shape[0]):
        visits[action] = 0
        totals[action] = 0
        if mask[action]:
            best = max(best, numbers[0, action])
    total = 0.0
    for action in range(mask.shape[0]):
        priors[action] = math.exp(numbers[0, action] - best) + DOUBT if mask[action] else 0.0
        total += priors[action]
    for action in range(mask.shape[0]):
        priors[action] = priors[action] / total if mask[action] else 1.0 / count


@rule
def choose(mask: Any, visits: Any, totals: Any, priors: Any, explore: float) -> int:
    """The legal action that promises most: by what became of it, and by how likely it seemed."""
    tried = 0
    earned = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            tried += visits[action]
            earned += totals[action]
    expected = earned / tried if tried > 0 else 0.0
    scale = explore * math.sqrt(tried + 1.0)
    best = -1
    most = 0.0
    for action in range(mask.shape[0]):
        if mask[action]:
            value = totals[action] / visits[action] if visits[action] > 0 else expected - 0.1
            value += scale * priors[action] / (1 + visits[action])
            if best < 0 or value > most:
                best, most = action, value
    return best


@kernel
def simulate(
    states: Any,
    seat: int,
    seed: int,
    first: int,
    count: int,
    deep: bool,
    explore: float,
    evaluator: Any,
    index: Any,
    keys: Any,
    visits: Any,
    totals: Any,
    priors: Any,
    used: Any,
    scratch: Any,
    numbers: Any,
    mask: Any,
    layers: Any,
    out: Any,
) -> None:
    """Simulations number `first` and on, of the game [1] as the seat knows it; results stay in the tree.

    With `deep` False nothing grows below the first decision, and its actions are tried in turn.
    """
    players = out.shape[0]
    path = np.zeros((MOST_STEPS, 3), np.int64)  # node, action, seat
    heard = np.zeros(players, np.uint64)  # what each seat has seen happen
    state = scratch[scratch.shape[0] - 1]
    for number in range(first, first + count):
        scratch[scratch.shape[0] - 1] = states[0]
        resample(state, seat, stream(seed, DRAWS + number))
        heard[:] = 1
        pending = np.uint64(0)
        length = 0
        while True:
            who = actor(state)
            if who < 0:
                outcome(state, out)
                break
            key = np.uint64(mix(heard[who] ^ np.uint64(who)))
            place = find_place(index, keys, key)
            if index[place] == 0 and used[0] < keys.shape[0] and (deep or length == 0):
                node = used[0]
                used[0] += 1
                index[place] = node + 1
                keys[node] = key
                open_node(
                    state, who, evaluator, scratch, numbers, layers, mask, visits[node], totals[node], priors[node]
                )
                fresh = True
            else:
                fresh = False
            if length > 0 and (fresh or index[place] == 0 or length == MOST_STEPS or not deep):
                chance = stream(seed, CHANCES + number)
                values_of(state, who, fresh, evaluator, chance, scratch, numbers, layers, out)
                break
            node = index[place] - 1
            legal(state, mask)
            if deep:
                action = choose(mask, visits[node], totals[node], priors[node], explore)
            else:
                action = least_tried(mask, visits[node])
            path[length, 0] = node
            path[length, 1] = action
            path[length, 2] = who
            length += 1
            until = secret(state)
            apply(state, action)
            told = np.uint64(mix(np.uint64(who * 1024 + action + 1)))
            if until > 0:
                heard[who] = mix(heard[who] ^ told)
                pending = np.uint64(mix(pending ^ told))
                if secret(state) != until:
                    for other in range(players):
                        heard[other] = mix(heard[other] ^ pending)
                    pending = np.uint64(0)
            else:
                for other in range(players):
                    heard[other] = mix(heard[other] ^ told)
        for step in range(length):
            visits[path[step, 0], path[step, 1]] += 1
            totals[path[step, 0], path[step, 1]] += out[path[step, 2]]


@rule
def least_tried(mask: Any, visits: Any) -> int:
    """The legal action with the fewest visits, the first of equals."""
    best = -1
    for action in range(mask.shape[0]):
        if mask[action] and (best < 0 or visits[action] < visits[best]):
            best = action
    return best


class SearchAgent:
    """Simulates, then does what proved best: most visited in a tree, best on average without one."""

    def __init__(
        self,
        simulations: int | None,
        seconds: float | None = None,
        *,
        deep: bool = True,
        evaluator: Evaluator | None = None,  # the game's planner, if not given
        plays: str | None = None,  # the game that the evaluator is for, if for one alone
        explore: float = EXPLORE,
    ) -> None:
        self._explore = explore
        self._plays = plays
        self._thinker = evaluator
        self._simulations = simulations
        self._seconds = seconds
        self._deep = deep
        self._tree: Tree | None = None

    def check(self, game: Game) -> None:
        """A ValueError says that what guides it is for another game."""
        if self._plays is not None and game.name != self._plays:
            raise ValueError(f"the network plays {self._plays}, not {game.name}")

    def act(self, view: View) -> int:
        """Search for one decision."""
        visits, totals = self.search(view)
        if self._deep:
            return int(np.lexsort((totals, visits))[-1])
        return int(np.where(visits > 0, totals / np.maximum(visits, 1), -np.inf).argmax())

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """How sure it is of each action [A]: by how much of its tree it gave to it; without a tree, of one alone."""
        if self._deep:
            visits, _ = self.search(view)
            return np.asarray(visits / visits.sum())
        found = np.zeros(len(view.game.actions))
        found[self.act(view)] = 1
        return found

    def search(self, view: View) -> tuple[Any, Any]:
        """How often each action was tried, and what it earned in all."""
        game = view.game
        self.check(game)
        tree = self._room_for(game)
        evaluator = default_style_of(game.name) if self._thinker is None else self._thinker
        state = view.clone()
        out = np.zeros(game.seats(state[0]))
        thinking = *tree.parts, *room(game), room_for(game, evaluator), out
        done, began = 0, time.perf_counter()
        while True:
            count = CHUNK if self._simulations is None else min(CHUNK, self._simulations - done)
            simulate(
                state, view.seat, np.uint64(view.seed), done, count, self._deep, self._explore, evaluator, *thinking
            )
            done += count
            if done == self._simulations or (
                self._seconds is not None and time.perf_counter() - began >= self._seconds
            ):
                return tree.visits[0], tree.totals[0]

    def _room_for(self, game: Game) -> Tree:
        nodes = MOST_NODES if self._simulations is None else min(MOST_NODES, self._simulations + 1)
        if self._tree is None or self._tree.visits.shape != (nodes, len(game.actions)):
            self._tree = Tree(nodes, len(game.actions))
        self._tree.clear()
        return self._tree


def _make(name: str, *, deep: bool) -> Any:
    def make(rest: str) -> SearchAgent:
        wanted = re.fullmatch(r"([1-9][0-9]{0,6})(ms)?", rest)
        if wanted is None or (wanted[2] and not deep):
            times = " or a time (500ms)" if deep else ""
            raise ValueError(f"agent '{name}:{rest}': expected a number of simulations ({name}:200){times}")
        number = int(wanted[1])
        return SearchAgent(None, number / 1000, deep=deep) if wanted[2] else SearchAgent(number, None, deep=deep)

    return make


def register_search() -> None:
    """Name the searching agents."""
    register_agent("mcts", _make("mcts", deep=True))
    register_agent("flat", _make("flat", deep=False))
