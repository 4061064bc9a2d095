"""Win rates of a network against fixed opponents, measured in the arena on the same deals every time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from olb_agents.network import Network
from olb_env.core.game import Game
from olb_env.playing import agent_for
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate
from olb_training.arena.tournament import Tournament

EVAL_SEED = 77_000
EVAL_OPPONENTS = ("random", "planner")

WinRates = dict[str, Estimate]  # by opponent and table size, as in planner_2p


def eval_opponents_of(game: Game) -> list[str]:
    """Return those of EVAL_OPPONENTS that play a game."""
    return [name for name in EVAL_OPPONENTS if can_play(name, game)]


def can_play(name: str, game: Game) -> bool:
    """Return whether an agent plays a game."""
    try:
        agent_for(name, game)
    except ValueError:
        return False
    return True


def evaluate(
    network: Network,
    file: Path,
    opponents: Sequence[str],
    sizes: Sequence[int],
    deals: int,
    options: Mapping[str, Any],
) -> WinRates:
    """Return the win rates of a network against copies of each opponent, at tables of each size with these options.

    The network is written to `file` while it plays. Its name must be new, since the arena keeps one agent per name.
    """
    try:
        network.save(file)
        return {
            f"{opponent}_{players}p": win_rate(network.shape.game, f"policy:{file}", opponent, players, deals, options)
            for opponent in opponents
            for players in sizes
        }
    finally:
        file.unlink(missing_ok=True)
        file.with_suffix(".json").unlink(missing_ok=True)


def evaluation_label(name: str) -> str:
    """Return the name of a win rate as people read it: `against planner, 2p`."""
    opponent, _, size = name.rpartition("_")
    return f"against {opponent}, {size}"


def win_rate(
    game: str,
    agent: str,
    opponent: str,
    players: int,
    deals: int,
    options: Mapping[str, Any] | None = None,
    workers: int = 1,
) -> Estimate:
    """Return the win rate of an agent against copies of another, with its interval."""
    plan = Plan(game, (agent, *[opponent] * (players - 1)), players, deals, EVAL_SEED, dict(options or {}))
    tournament = Tournament(plan, workers=workers)
    tournament.play()
    return tournament.tally.win_rates()[agent]
