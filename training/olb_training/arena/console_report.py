"""The result of a tournament in a terminal."""

from __future__ import annotations

from typing import Any

from rich import box
from rich.table import Table

from olb_env.core.console import plain_console
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate, Row

HEADINGS = ("games", "wins %", "rating", "rank", "utility", "ms/move", "forfeits")

LONGEST_OPTION = 60  # letters of an option in a title; a whole board is longer
MOST_WITH_INTERVALS = 5  # agents, in the table of head to head; a page of 80 columns is full then


def print_tables(plan: Plan, rows: list[Row], deals: int) -> None:
    """Everything there is to say, for people."""
    console = plain_console()
    console.print(title(plan, deals), _standing(plan, rows), sep="\n")
    if len(rows) > 1:
        what = "head to head: % of games in which the row came before the column"
        console.print(what, _head_to_head(rows), sep="\n")
    console.print(f"wins % by {plan.rules().records.start_name}", _by_start(plan, rows), sep="\n")
    console.print("± is the wider side of the 95% interval, bootstrapped over deals.")
    if deals < 2:
        console.print("Of fewer than two whole deals nothing can be said about how sure it is.")
    for row in rows:
        if row.first_fault is not None:
            console.print(f"{row.agent} forfeited {row.faults} games: {row.first_fault}")


def title(plan: Plan, deals: int) -> str:
    """What was played."""
    chosen = "".join(f", {_option(name, value)}" for name, value in plan.options.items())
    return (
        f"{plan.game}{chosen}, {plan.players} players, {deals:,} deals, seed {plan.seed}, all seats; "
        f"par is {100 / plan.players:.0f}%"
    )


def _option(name: str, value: Any) -> str:
    text = f"{name} {value}"
    return text if len(text) <= LONGEST_OPTION else f"own {name}"


def _standing(plan: Plan, rows: list[Row]) -> Table:
    """Without forfeits, which are told below: it fits into 80 columns."""
    table = _table("agent", *HEADINGS[:3], plan.rules().score, *HEADINGS[3:-1])
    for row in rows:
        table.add_row(*standing(row)[:-1])
    return table


def standing(row: Row) -> list[str]:
    """An agent's line, as the headings say."""
    return [
        row.agent,
        f"{row.games:,}",
        cell(row.win_rate, 100),
        cell(row.rating, digits=0),
        cell(row.score),
        f"{row.rank.value:.2f}",  # as sure as the utility
        cell(row.utility, digits=2),
        milliseconds(row.milliseconds),
        str(row.faults),
    ]


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at, heading in enumerate(headings):
        if at:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(heading, overflow="fold", min_width=8)  # long names give way, numbers do not
    return table


def _head_to_head(rows: list[Row]) -> Table:
    """With intervals if few agents played; else numbered, so that it fits into 80 columns."""
    few = len(rows) <= MOST_WITH_INTERVALS
    short = [row.agent if len(row.agent) <= 12 else f"…{row.agent[-11:]}" for row in rows]
    table = _table("", *(short if few else [str(number) for number in range(1, len(rows) + 1)]))
    for number, row in enumerate(rows, start=1):
        found = [cell(row.ahead_of.get(other.agent), 100, 1 if few else 0) for other in rows]
        if few:
            table.add_row(row.agent, *found)
        else:
            table.add_row(f"{number} {short[number - 1]}", *(text.partition("±")[0] for text in found))
    return table


def _by_start(plan: Plan, rows: list[Row]) -> Table:
    start = plan.rules().records.start_name
    begun = sorted({begun for row in rows for begun in row.by_start})
    table = _table("agent", *(f"{start} {name}" for name in begun))
    for row in rows:
        table.add_row(row.agent, *(cell(row.by_start.get(name), 100) for name in begun))
    return table


def milliseconds(estimate: Estimate) -> str:
    """A time, to two digits or to the millisecond; how sure it is the machine decides more than the deals."""
    return f"{estimate.value:.0f}" if estimate.value >= 10 else f"{estimate.value:.2g}"


def cell(estimate: Estimate | None, unit: float = 1, digits: int = 1) -> str:
    """A number and how sure it is."""
    if estimate is None:
        return "·"
    return f"{unit * estimate.value:z.{digits}f}±{unit * estimate.half_width:.{digits}f}"
