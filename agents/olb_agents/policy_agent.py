"""Agents that play with a trained network: `policy:FILE` takes its best action, `policy:FILE:64` searches with it.

`champion` and `champion:64` do the same with the network that comes with the package for each game.
"""

from __future__ import annotations

import functools
import re
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.evaluators import network_evaluator
from olb_agents.heuristics import heuristics_of
from olb_agents.network import Network, encode_inputs, load_network
from olb_agents.sampling import sample_rows
from olb_agents.search_agent import MAX_SIMULATIONS, SIMULATIONS, SearchAgent
from olb_env.core import batch
from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game, States
from olb_env.playing import Agent, Evaluation, View, Views, register_agent

ROWS_AT_ONCE: Final = 1024
C_PUCT: Final = 1.0  # in search: the priors of a network deserve more trust than those of a style
CHAMPIONS: Final = Path(__file__).parent / "champions"  # a network for each game, by its name


class PolicyAgent:
    """A player that takes the action with the highest logit.

    Where the game's heuristics say so, it draws secret actions from the policy, so that nobody can foresee them.
    """

    def __init__(self, network: Network) -> None:
        self.network = network
        heuristics = heuristics_of(network.shape.game)
        self._randomizes_secrets = heuristics is not None and heuristics.randomizes_secrets

    def check(self, game: Game) -> None:
        """Raise a ValueError if the network is for another game."""
        if game.name != self.network.shape.game:
            raise ValueError(f"the network plays {self.network.shape.game}, not {game.name}")

    def act(self, view: View) -> int:
        """Return the action for one decision."""
        seats, seeds = np.array([view.seat]), np.array([view.seed], np.uint64)
        return int(self._decide(view.game, view.observation[None], view.mask[None], view.clone(), seats, seeds)[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Return the actions for many decisions at once."""
        return self._decide(views.game, views.observations, views.masks, views.states, views.seats, views.seeds)

    def evaluate(self, views: Views) -> Evaluation:
        """Return the policy [N, A] of the network and the values [N, P] that it expects."""
        self.check(views.game)
        players = views.game.num_players(views.states[0])
        logits, values = self.network(encode_inputs(self.network.shape, views.observations, views.states, views.seats))
        first = views.seats[:, None]  # values are in the order of play, the deciding seat first
        by_seat = np.take_along_axis(values, (np.arange(players) - first) % players, axis=1)
        return Evaluation(masked_softmax(logits, views.masks), by_seat.astype(np.float64))

    def _decide(
        self,
        game: Game,
        observations: npt.NDArray[np.float32],
        masks: npt.NDArray[np.int8],
        states: States,
        seats: npt.NDArray[np.int64],
        seeds: npt.NDArray[np.uint64],
    ) -> npt.NDArray[np.int64]:
        self.check(game)
        actions = np.empty(len(masks), np.int64)
        for first in range(0, len(masks), ROWS_AT_ONCE):
            rows = slice(first, first + ROWS_AT_ONCE)
            logits, _ = self.network(encode_inputs(self.network.shape, observations[rows], states[rows], seats[rows]))
            actions[rows] = np.where(masks[rows] > 0, logits, -np.inf).argmax(axis=1)
            if self._randomizes_secrets:
                is_secret = np.empty(len(actions[rows]), np.bool_)
                batch.write_secrecy(states[rows], is_secret)
                drawn = np.empty(len(is_secret), np.int64)
                sample_rows(masked_softmax(logits, masks[rows]), seeds[rows], drawn)
                actions[rows] = np.where(is_secret, drawn, actions[rows])
        return actions


def masked_softmax(logits: npt.NDArray[np.float32], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.float64]:
    """Return the probability of each action [N, A], 0 for those that are not legal."""
    legal_logits = np.where(masks > 0, logits.astype(np.float64), -np.inf)
    exponentials = np.exp(legal_logits - legal_logits.max(axis=1, keepdims=True))
    return np.asarray(exponentials / exponentials.sum(axis=1, keepdims=True))


class Champion:
    """The networks that come with the package, as one agent that plays each game with its own network."""

    def __init__(self, simulations: int | None) -> None:
        self._simulations = simulations
        self._agents: dict[Network, Agent] = {}

    def check(self, game: Game) -> None:
        """Raise a ValueError if this game has no champion."""
        self.agent_for(game.name)

    def act(self, view: View) -> int | str:
        """Return the action for one decision."""
        return self.agent_for(view.game.name).act(view)

    def act_many(self, views: Views) -> Any:
        """Return the actions for many decisions, all at once if there is no search."""
        agent = self.agent_for(views.game.name)
        if isinstance(agent, PolicyAgent):
            return agent.act_many(views)
        return [agent.act(views[index]) for index in range(len(views))]

    def evaluate(self, views: Views) -> Evaluation:
        """Return the policy and values of the network, without search."""
        return PolicyAgent(self.network(views.game.name)).evaluate(views)

    def agent_for(self, game: str) -> Agent:
        """Return the agent that plays a game: its network, with search or without."""
        network = self.network(game)
        if network not in self._agents:
            self._agents[network] = _network_agent(network, self._simulations)
        return self._agents[network]

    def network(self, game: str) -> Network:
        """Return the champion's network for a game."""
        file = CHAMPIONS / f"{game}.safetensors"
        if not file.exists():
            raise ValueError(f"there is no champion of {game} yet")
        return network_at(str(file))


def _network_agent(network: Network, simulations: int | None) -> Agent:
    if simulations is None:
        return PolicyAgent(network)
    evaluator = network_evaluator(network)
    return SearchAgent(simulations, evaluator=evaluator, game=network.shape.game, c_puct=C_PUCT)


@functools.lru_cache(maxsize=64)
def _load(path: str, _changed: int) -> Network:
    return load_network(Path(path))


def network_at(path: str) -> Network:
    """Return the network in a file, which is read again only when it changes."""
    changed = Path(path).stat().st_mtime_ns if Path(path).exists() else 0
    return _load(path, changed)


def read_simulations(text: str, name: str) -> int:
    """Return the number of simulations given after the colon in an agent's name."""
    if re.fullmatch(SIMULATIONS, text) is None:
        raise ValueError(
            f"agent {shown(f'{name}:{text}')}: expected a number of simulations "
            f"({shortened(name)}:64) from 1 to {MAX_SIMULATIONS:,}"
        )
    return int(text)


def _make_policy(rest: str) -> Agent:
    file, _, simulations = rest.rpartition(":")
    if not file.endswith(".safetensors"):
        return _network_agent(network_at(rest), None)
    return _network_agent(network_at(file), read_simulations(simulations, f"policy:{file}"))


def register_policies() -> None:
    """Register the agents that play with a network."""
    register_agent("policy", _make_policy)
    register_agent("champion", lambda rest: Champion(read_simulations(rest, "champion") if rest else None))
