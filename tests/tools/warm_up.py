"""Compile everything once, on both cores, so that tests that run side by side find it on disk."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable

import numpy as np

from olb_agents.evaluators import network_evaluator
from olb_agents.heuristics import heuristics_of
from olb_agents.network import Network, Shape
from olb_agents.policy import PolicyAgent
from olb_agents.search import SearchAgent
from olb_env import old_london_bridge, portobello_market, wobbly_bridge
from olb_env.core.game import Game
from olb_env.playing import Agent, Views, decide, make_agent
from tests.support.playthroughs import deal_one, play_everything
from tests.support.toy_game import PEBBLES

PROCESSES = 2


def ask(agent: Agent, game: Game) -> None:
    decide(agent, "warming", Views(game, deal_one(0, game), [0]))


def blank(game: Game) -> Network:
    shape = Shape.of_game(game, (2, 2))
    return Network(shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()})


def everything(game: Game) -> None:
    play_everything(game, seed=0)


def search(game: Game) -> None:
    ask(make_agent("mcts:2"), game)


def guided_search(game: Game) -> None:
    ask(SearchAgent(2, evaluator=network_evaluator(blank(game))), game)


def one_by_one(game: Game) -> None:
    if heuristics_of(game.name):
        ask(make_agent("planner"), game)
    ask(PolicyAgent(blank(game)), game)


GUIDED = (old_london_bridge.GAME, PEBBLES)  # the games that tests search with a network
GAMES = (old_london_bridge.GAME, portobello_market.GAME, wobbly_bridge.GAME, PEBBLES)

# What takes longest comes first.
PARTS: tuple[tuple[Callable[[Game], None], Game], ...] = (
    *((guided_search, game) for game in GUIDED),
    *((part, game) for part in (search, everything, one_by_one) for game in GAMES),
)


def warm(number: int) -> None:
    part, game = PARTS[number]
    part(game)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        pool.map(warm, range(len(PARTS)), chunksize=1)
