"""The report at the end of a run: the network in the arena, or how much it gains against the agent it exploits."""

from __future__ import annotations

from pathlib import Path

from olb_env.core.console import plain_console
from olb_env.core.game import find
from olb_training.arena.console_report import format_share, print_report
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from olb_training.ppo.options import options_text
from olb_training.ppo.run_folder import NETWORK_FILE
from olb_training.ppo.settings import Settings
from olb_training.ppo.win_rates import can_play, win_rate

FINAL_DEALS, BEST_RESPONSE_DEALS = 1.5, 10  # times the deals of an evaluation
FINAL_OPPONENTS = ("planner", "greedy", "random")


def print_arena(folder: Path, settings: Settings, sizes: list[int]) -> None:
    """Let the network play the scripted agents at tables of some sizes, and print the arena's report."""
    game, deals = find(settings.game), round(FINAL_DEALS * settings.eval_deals)
    agent = f"policy:{folder / NETWORK_FILE}"
    opponents = [name for name in FINAL_OPPONENTS if can_play(name, game)]
    if options := settings.main_options():
        plain_console().print(f"all games {options_text(options)}", markup=False)
    for players in sizes:
        field = (agent, *opponents, *[opponents[0]] * (players - 1 - len(opponents)))
        plan = Plan(game.name, field, players, deals, 1, options)
        tournament = Tournament(plan, workers=settings.workers)
        tournament.play()
        print_report(plan, tournament.tally.rows(deals), deals)


def print_exploitability(folder: Path, settings: Settings, seconds: float) -> None:
    """Print how much more than its share a best response wins."""
    players, deals = settings.table_sizes()[0], round(BEST_RESPONSE_DEALS * settings.eval_deals)
    target = settings.best_response_to
    network, options = f"policy:{folder / NETWORK_FILE}", settings.main_options()
    rate = win_rate(settings.game, network, target, players, deals, options, settings.workers)
    on_options = f", {options_text(options)}" if options else ""
    par = 100 / players
    plain_console().print(
        f"after {seconds / 60:.0f} minutes the approximate best response wins {format_share(rate)}% against "
        f"{target} ({players} players, {deals:,} deals, all seats{on_options}): "
        f"it gains {100 * rate.value - par:+.1f} points over {par:.0f}%",
        markup=False,
    )
