"""Compile everything once, so that tests that run side by side find it on disk."""

from __future__ import annotations

from olb_env.core.game import Game
from olb_env.old_london_bridge import GAME
from tests.playthroughs import play_everything
from tests.toy_game import PEBBLES


def warm(game: Game) -> None:
    play_everything(game, seed=0)


if __name__ == "__main__":
    warm(GAME)
    warm(PEBBLES)
