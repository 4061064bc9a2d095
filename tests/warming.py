"""Compile everything once, so that tests that run side by side find it on disk."""

from __future__ import annotations

import numpy as np

from agents.network import Network, Shape
from agents.policy import PolicyAgent
from agents.search import SearchAgent
from agents.thinking import thinker_of
from agents.verbs import mind_of
from olb_env.core.game import Game
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views, decide, make_agent
from tests.playthroughs import deal_one, play_everything
from tests.toy_game import PEBBLES


def warm(game: Game) -> None:
    play_everything(game, seed=0)
    for name in ["mcts:2", *(["planner"] if mind_of(game.name) else [])]:
        decide(make_agent(name), name, Views(game, deal_one(0, game), [0]))
    shape = Shape.of_game(game, (2, 2))
    blank = Network(shape, {name: np.zeros(size, np.float32) for name, size in shape.tensors().items()})
    guided = SearchAgent(2, thinker=thinker_of(blank))
    for agent in (guided, PolicyAgent(blank)):
        decide(agent, "blank", Views(game, deal_one(0, game), [0]))


if __name__ == "__main__":
    warm(GAME)
    warm(PEBBLES)
