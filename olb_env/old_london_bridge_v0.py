"""Old London Bridge as a PettingZoo environment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv

from olb_env.envs.aec import CheckedEnv, GameEnv, Observation
from olb_env.old_london_bridge import GAME

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name PettingZoo gives it
    """The environment without wrappers: an illegal action raises ValueError."""

    game = GAME
    metadata = {  # noqa: RUF012  # as PettingZoo declares it
        "name": "old_london_bridge_v0",
        "render_modes": ["ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        num_players: int = 4,
        scoring: str | Mapping[str, str] = "board",
        reward: str = "rank",
        memory: str = "perfect",
        board: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            reward=reward,
            render_mode=render_mode,
            num_players=num_players,
            scoring=scoring,
            memory=memory,
            board=board,
        )


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """The environment as most clients want it; takes the options of `raw_env`."""
    return CheckedEnv(raw_env(**options))
