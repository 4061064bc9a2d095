"""Agents that play by a trained network: `policy:FILE` by its first thought, `policy:FILE:64` after 64 simulations.

`champion` and `champion:64` do the same with the network that comes with the package for each game.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.evaluators import network_evaluator
from olb_agents.heuristics import heuristics_of
from olb_agents.network import Network, load_network, told
from olb_agents.sampling import draw_rows, secret_rows
from olb_agents.search import SearchAgent
from olb_env.core.game import Game
from olb_env.playing import Agent, Evaluation, View, Views, register_agent

ROWS_AT_ONCE = 1024
EXPLORE = 1.0  # in search: a network's first thoughts are better than a style's
CHAMPIONS = Path(__file__).parent / "champions"  # a network for each game, by its name


class PolicyAgent:
    """Does what the network prefers; where secret answers should not be foreseen, it draws what it does by chance."""

    def __init__(self, network: Network) -> None:
        self.network = network
        mind = heuristics_of(network.shape.game)
        self._mixes = mind is not None and mind.mixes

    def check(self, game: Game) -> None:
        """A ValueError says that the network is for another game."""
        if game.name != self.network.shape.game:
            raise ValueError(f"the network plays {self.network.shape.game}, not {game.name}")

    def act(self, view: View) -> int:
        """For one game."""
        seats, seeds = np.array([view.seat]), np.array([view.seed], np.uint64)
        return int(self._choose(view.game, view.observation[None], view.mask[None], view.clone(), seats, seeds)[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """For many games at once."""
        return self._choose(views.game, views.observations, views.masks, views.states, views.seats, views.seeds)

    def evaluate(self, views: Views) -> Evaluation:
        """How likely it would choose each action [N, A], and how it expects games to end for every seat [N, P]."""
        self.check(views.game)
        shape, players = self.network.shape, views.game.seats(views.states[0])
        preferences, values = self.network(told(shape, views.observations, views.states, views.seats))
        first = views.seats[:, None]  # values stand by seat from the one that is asked
        by_seat = np.take_along_axis(values, (np.arange(players) - first) % players, axis=1)
        return Evaluation(_likely(preferences, views.masks), by_seat.astype(np.float64))

    def _choose(
        self, game: Game, observations: Any, masks: Any, states: Any, seats: Any, seeds: Any
    ) -> npt.NDArray[np.int64]:
        self.check(game)
        actions = np.empty(len(masks), np.int64)
        for first in range(0, len(masks), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            preferences, _ = self.network(told(self.network.shape, observations[rows], states[rows], seats[rows]))
            actions[rows] = np.where(masks[rows] > 0, preferences, -np.inf).argmax(axis=1)
            if self._mixes:
                hidden = np.empty(len(actions[rows]), np.bool_)
                secret_rows(states[rows], hidden)
                drawn = np.empty(len(hidden), np.int64)
                draw_rows(_likely(preferences, masks[rows]), seeds[rows], drawn)
                actions[rows] = np.where(hidden, drawn, actions[rows])
        return actions


def _likely(preferences: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """How likely each legal action [N, A] is by how much it is preferred."""
    logits = np.where(masks > 0, preferences.astype(np.float64), -np.inf)
    likely = np.exp(logits - logits.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))


class Champion:
    """Plays every game there is a network for, each with its own."""

    def __init__(self, simulations: int | None) -> None:
        self._simulations = simulations
        self._made: dict[Network, Agent] = {}

    def check(self, game: Game) -> None:
        """A ValueError says that there is no champion of this game."""
        self.player(game.name)

    def act(self, view: View) -> int | str:
        """For one game."""
        return self.player(view.game.name).act(view)

    def act_many(self, views: Views) -> Any:
        """For many games at once."""
        agent = self.player(views.game.name)
        if isinstance(agent, PolicyAgent):
            return agent.act_many(views)
        return [agent.act(views[index]) for index in range(len(views))]

    def evaluate(self, views: Views) -> Evaluation:
        """What the network thinks, before any search."""
        return PolicyAgent(self.network(views.game.name)).evaluate(views)

    def player(self, game: str) -> Agent:
        """Who plays a game: its network, with search or without."""
        network = self.network(game)
        if network not in self._made:
            self._made[network] = _by_network(network, self._simulations)
        return self._made[network]

    def network(self, game: str) -> Network:
        """The champion's network for a game."""
        file = CHAMPIONS / f"{game}.safetensors"
        if not file.exists():
            raise ValueError(f"there is no champion of {game} yet")
        return network_at(str(file))


def _by_network(network: Network, simulations: int | None) -> Agent:
    if simulations is None:
        return PolicyAgent(network)
    return SearchAgent(simulations, evaluator=network_evaluator(network), plays=network.shape.game, explore=EXPLORE)


@functools.lru_cache(maxsize=64)
def _load(path: str, _changed: int) -> Network:
    return load_network(Path(path))


def network_at(path: str) -> Network:
    """The network in a file, read once unless it changes."""
    changed = Path(path).stat().st_mtime_ns if Path(path).exists() else 0
    return _load(path, changed)


def read_simulations(text: str, name: str) -> int:
    """A number of simulations, as it stands behind the colon of a name."""
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 9_999_999:
        raise ValueError(f"agent '{name}:{text}': expected a number of simulations ({name}:64)")
    return int(text)


def _make_policy(rest: str) -> Agent:
    file, _, simulations = rest.rpartition(":")
    if not file.endswith(".safetensors"):
        return _by_network(network_at(rest), None)
    return _by_network(network_at(file), read_simulations(simulations, f"policy:{file}"))


def register_policies() -> None:
    """Name the agents that play by a network."""
    register_agent("policy", _make_policy)
    register_agent("champion", lambda rest: Champion(read_simulations(rest, "champion") if rest else None))
