"""Searching agents for any game: `flat:N` spreads N simulations over the legal actions, `mcts:N` grows a tree.

`mcts:500ms` searches for half a second per decision. The search itself is in `mcts`; this module is independent of any
game.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from typing import Final

import numpy as np
import numpy.typing as npt

from olb_agents.evaluators import Evaluator
from olb_agents.heuristics import default_style_weights
from olb_agents.mcts import SearchOptions, Tree, clear_tree, new_tree, simulate
from olb_agents.scratch import new_scratch
from olb_env.core.checking import shown
from olb_env.core.game import Game
from olb_env.playing import Agent, View, register_agent

MAX_NODES: Final = 50_000
MAX_SIMULATIONS: Final = 9_999_999
SIMULATIONS: Final = "[1-9][0-9]{0,6}"  # how such a number is written in the name of an agent
CHUNK: Final = 50  # simulations between two looks at the clock
C_PUCT: Final = 0.7  # the weight of exploration


class SearchAgent:
    """A player that simulates, then takes the most visited action, or, without a tree, the one with the best mean."""

    def __init__(
        self,
        simulations: int | None,
        seconds: float | None = None,
        *,
        grow_tree: bool = True,
        evaluator: Evaluator | None = None,  # the game's default style if None
        game: str | None = None,  # the game of the evaluator; any if None
        c_puct: float = C_PUCT,
    ) -> None:
        self._simulations, self._seconds = simulations, seconds
        self._options = SearchOptions(grow_tree, c_puct)
        self._evaluator, self._game = evaluator, game
        self._tree: Tree | None = None

    def check(self, game: Game) -> None:
        """Raise a ValueError if the evaluator is for another game."""
        if self._game is not None and game.name != self._game:
            raise ValueError(f"the network plays {self._game}, not {game.name}")

    def act(self, view: View) -> int:
        """Return the action for one decision."""
        visits, totals = self.search(view)
        if self._options.grow_tree:
            return int(np.lexsort((totals, visits))[-1])
        return int(np.where(visits > 0, totals / np.maximum(visits, 1), -np.inf).argmax())

    def action_probabilities(self, view: View) -> npt.NDArray[np.float64]:
        """Return the share of simulations that each action [A] got in the tree; without a tree, 1 for the best one."""
        if self._options.grow_tree:
            visits, _ = self.search(view)
            return np.asarray(visits / visits.sum())
        chosen = np.zeros(len(view.game.actions))
        chosen[self.act(view)] = 1
        return chosen

    def search(self, view: View) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return how often each action [A] was tried, and the sum of the values that it led to."""
        game = view.game
        self.check(game)
        tree, root = self._empty_tree(game), view.clone()
        evaluator = default_style_weights(game.name) if self._evaluator is None else self._evaluator
        scratch, values = new_scratch(game), np.zeros(game.num_players(root[0]))
        seat, seed = view.seat, np.uint64(view.seed)
        done, began = 0, time.perf_counter()
        while True:
            count = CHUNK if self._simulations is None else min(CHUNK, self._simulations - done)
            simulate(root, seat, seed, done, count, self._options, evaluator, tree, scratch, values)
            done += count
            if done == self._simulations or (
                self._seconds is not None and time.perf_counter() - began >= self._seconds
            ):
                return tree.visits[0], tree.totals[0]

    def _empty_tree(self, game: Game) -> Tree:
        nodes = MAX_NODES if self._simulations is None else min(MAX_NODES, self._simulations + 1)
        if self._tree is None or self._tree.visits.shape != (nodes, len(game.actions)):
            self._tree = new_tree(nodes, len(game.actions))
        clear_tree(self._tree)
        return self._tree


def _factory(name: str, *, grow_tree: bool) -> Callable[[str], Agent]:
    def make(rest: str) -> Agent:
        wanted = re.fullmatch(f"({SIMULATIONS})(ms)?", rest)
        if wanted is None or (wanted[2] and not grow_tree):
            times = f" or milliseconds ({name}:500ms)" if grow_tree else ""
            given = shown(f"{name}:{rest}" if rest else name)
            raise ValueError(
                f"agent {given}: expected a number of simulations ({name}:200){times} from 1 to {MAX_SIMULATIONS:,}"
            )
        number = int(wanted[1])
        if wanted[2]:
            return SearchAgent(None, number / 1000, grow_tree=grow_tree)
        return SearchAgent(number, grow_tree=grow_tree)

    return make


def register_search() -> None:
    """Register the searching agents."""
    register_agent("mcts", _factory("mcts", grow_tree=True))
    register_agent("flat", _factory("flat", grow_tree=False))
