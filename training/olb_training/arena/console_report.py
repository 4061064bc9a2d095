"""The results of a tournament in a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich import box
from rich.table import Table

from olb_env.core.console import plain_console
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate, Row, natural_order

HEADINGS = ("games", "wins %", "rating", "rank", "rank reward", "ms/move", "forfeits")

MAX_OPTION_LENGTH = 60  # characters of an option in the title; a whole board is longer
BOUNDS = "≥ or ≤ is the end of an interval whose other end the results do not tell."
NO_RATINGS = "Ratings need choix: pip install olb-env[train]"
MAX_AGENTS_WITH_INTERVALS = 5  # in the head-to-head report, which has to fit into 80 columns


def print_report(plan: Plan, rows: list[Row], deals: int) -> None:
    """Print all results."""
    console = plain_console()
    console.print(title(plan, deals), _standings(plan, rows), sep="\n")
    if len(rows) > 1:
        caption = "head to head: % of games in which the row finished ahead of the column"
        console.print(caption, _head_to_head(rows), sep="\n")
    console.print(f"wins % by {plan.find_game().records.start_name}", _by_start(plan, rows), sep="\n")
    console.print("± is the wider side of the 95% interval, bootstrapped over deals.")
    if any_bounds(rows):
        console.print(BOUNDS)
    if deals < 2:
        console.print("There are no intervals for fewer than two complete deals.")
    if ratings_are_missing(rows):
        console.print(NO_RATINGS)
    for row in rows:
        if row.first_forfeit is not None:
            console.print(f"{row.agent} forfeited {row.forfeits} games: {row.first_forfeit}")


def title(plan: Plan, deals: int) -> str:
    """Return what was played, in one line."""
    options = "".join(f", {_option(name, value)}" for name, value in plan.options.items())
    return (
        f"{plan.game}{options}, {plan.players} players, {deals:,} deals, seed {plan.seed}, all seats; "
        f"par is {100 / plan.players:.0f}%"
    )


def _option(name: str, value: Any) -> str:
    text = f"{name} {value}"
    return text if len(text) <= MAX_OPTION_LENGTH else f"custom {name}"


def _standings(plan: Plan, rows: list[Row]) -> Table:
    """Return the main table; forfeits are left out to fit into 80 columns, and printed at the end."""
    table = _new_table("agent", *HEADINGS[:3], plan.find_game().score, *HEADINGS[3:-1])
    for row in rows:
        table.add_row(*row_cells(row)[:-1])
    return table


def row_cells(row: Row) -> list[str]:
    """Return the cells of an agent's row, in the order of the headings."""
    return [
        row.agent,
        f"{row.games:,}",
        format_share(row.win_rate),
        format_estimate(row.rating, digits=0),
        format_estimate(row.score),
        f"{row.rank.value:.2f}",  # its interval is that of the reward, on another scale
        format_estimate(row.rank_reward, digits=2, within=(-1.0, 1.0)),
        format_milliseconds(row.milliseconds),
        str(row.forfeits),
    ]


def _new_table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at, heading in enumerate(headings):
        if at:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(heading, overflow="fold", min_width=8)  # long names wrap, numbers do not
    return table


def _head_to_head(rows: list[Row]) -> Table:
    """Return the pairs, with intervals for few agents; for many, columns are numbered to fit into 80 columns."""
    few = len(rows) <= MAX_AGENTS_WITH_INTERVALS
    short = [row.agent if len(row.agent) <= 12 else f"…{row.agent[-11:]}" for row in rows]
    table = _new_table("", *(short if few else [str(number) for number in range(1, len(rows) + 1)]))
    for number, row in enumerate(rows, start=1):
        cells = [format_share(row.ahead_of.get(other.agent), 1 if few else 0) for other in rows]
        if few:
            table.add_row(row.agent, *cells)
        else:
            table.add_row(f"{number} {short[number - 1]}", *(re.split("[± ]", text)[0] for text in cells))
    return table


def _by_start(plan: Plan, rows: list[Row]) -> Table:
    start = plan.find_game().records.start_name
    names = start_names(rows)
    table = _new_table("agent", *(f"{start} {name}" for name in names))
    for row in rows:
        table.add_row(row.agent, *(format_share(row.by_start.get(name)) for name in names))
    return table


def format_milliseconds(estimate: Estimate) -> str:
    """Return a time to two digits or to the millisecond, without an interval: it depends on the machine."""
    return f"{estimate.value:.0f}" if estimate.value >= 10 else f"{estimate.value:.2g}"


def format_estimate(
    estimate: Estimate | None, unit: float = 1, digits: int = 1, within: tuple[float, float] | None = None
) -> str:
    """Return a number with the half width of its interval, or its interval, or the only bound that is known.

    `within` are the least and the greatest value that are possible: no interval is shown that goes beyond.
    """
    if estimate is None:
        return "·"
    if estimate.bound is not None:
        sign, end = ("≥", estimate.low) if estimate.bound == "low" else ("≤", estimate.high)
        return f"{sign}{unit * end:z.{digits}f}"
    half = estimate.half_width
    if half == 0:
        return f"{unit * estimate.value:z.{digits}f}"
    if within is not None and not within[0] <= estimate.value - half <= estimate.value + half <= within[1]:
        fewer = max(0, digits - 1)
        low, high = (f"{unit * end:z.{fewer}f}" for end in (estimate.low, estimate.high))
        return f"{unit * estimate.value:z.{fewer}f} ({low}–{high})"
    return f"{unit * estimate.value:z.{digits}f}±{unit * half:.{digits}f}"


def format_share(estimate: Estimate | None, digits: int = 1) -> str:
    """Return a share in percent."""
    return format_estimate(estimate, 100, digits, within=(0.0, 1.0))


def any_bounds(rows: Sequence[Row]) -> bool:
    """Return whether the reports show a number of which only one bound is known."""
    return any(
        estimate is not None and estimate.bound is not None
        for row in rows
        for estimate in (row.win_rate, row.rating, row.rank_reward, *row.ahead_of.values(), *row.by_start.values())
    )


def ratings_are_missing(rows: Sequence[Row]) -> bool:
    """Return whether agents that met have no ratings."""
    return len(rows) > 1 and all(row.rating is None for row in rows)


def start_names(rows: Sequence[Row]) -> list[str]:
    """Return how agents may start, in their natural order."""
    return sorted({name for row in rows for name in row.by_start}, key=natural_order)
