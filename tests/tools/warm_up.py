"""Compile everything once, in two processes, so that tests that run side by side find the machine code on disk."""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable

import numpy as np

from olb_agents.evaluators import network_evaluator
from olb_agents.heuristics import heuristics_of
from olb_agents.network import Network, Shape
from olb_agents.policy_agent import PolicyAgent
from olb_agents.search_agent import SearchAgent
from olb_env import old_london_bridge, portobello_market, wobbly_bridge
from olb_env.core.game import Game
from olb_env.playing import Agent, Views, decide, make_agent, play_game
from olb_training.analysis.games import read_games
from olb_training.analysis.old_london_bridge import frames
from tests.support.playthroughs import deal_one, play_everything
from tests.support.toy_game import PEBBLES

PROCESSES = 2


def decide_once(agent: Agent, game: Game) -> None:
    decide(agent, "warm-up", Views(game, deal_one(0, game), [0]))


def zero_network(game: Game) -> Network:
    shape = Shape.of_game(game, (2, 2))
    return Network(shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()})


def engine(game: Game) -> None:
    play_everything(game, seed=0)


def search(game: Game) -> None:
    decide_once(make_agent("mcts:2"), game)


def network_search(game: Game) -> None:
    decide_once(SearchAgent(2, evaluator=network_evaluator(zero_network(game))), game)


def planner_and_network(game: Game) -> None:
    if heuristics_of(game.name):
        decide_once(make_agent("planner"), game)
    decide_once(PolicyAgent(zero_network(game)), game)


def analysis(game: Game) -> None:
    frames(read_games([play_game(game, game.rules.configure(), 0, ["random"] * 4)]))


NETWORK_SEARCH_GAMES = (
    old_london_bridge.GAME,
    wobbly_bridge.GAME,
    PEBBLES,
)  # those that tests search with a network
GAMES = (old_london_bridge.GAME, portobello_market.GAME, wobbly_bridge.GAME, PEBBLES)

# The parts that take longest come first.
PARTS: tuple[tuple[Callable[[Game], None], Game], ...] = (
    *((network_search, game) for game in NETWORK_SEARCH_GAMES),
    *((part, game) for part in (search, engine, planner_and_network) for game in GAMES),
    (analysis, old_london_bridge.GAME),
)


def warm_up(number: int) -> None:
    part, game = PARTS[number]
    part(game)


if __name__ == "__main__":
    with multiprocessing.get_context("spawn").Pool(PROCESSES) as pool:
        pool.map(warm_up, range(len(PARTS)), chunksize=1)
