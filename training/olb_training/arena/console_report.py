"""The results of a tournament in a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich import box
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table

from olb_env.core.console import plain_console
from olb_training.arena.schedule import Plan
from olb_training.arena.statistics import Estimate, Row, natural_order

HEADINGS = ("games", "wins %", "rating", "rank", "rank reward", "ms/move", "forfeits")

MAX_OPTION_LENGTH = 60  # characters of an option in the title; a whole board is longer
BOUNDS = "≥ or ≤ is the end of an interval whose other end the results do not tell."
NO_RATINGS = "Ratings need choix: pip install olb-env[train]"
MAX_AGENTS_WITH_INTERVALS = 5  # in the head-to-head report, which has to fit into 80 columns
MAX_NAME = 12  # characters of an agent's name
NETWORK_SUFFIX = ".safetensors"  # which short names leave out
UNLIMITED = 10_000  # columns, more than any table has
BREAKS = ({" (": "\n("}, {"–": "–\n", " to ": " to\n"})  # how intervals become narrower, one after the other


def print_report(plan: Plan, rows: list[Row], deals: int) -> None:
    """Print all results."""
    console, names = plain_console(), short_names([row.agent for row in rows], MAX_NAME)
    console.print(title(plan, deals), _standings(console, plan, rows, names), sep="\n")
    if len(rows) > 1:
        caption = "head to head: % of games in which the row finished ahead of the column"
        console.print(caption, _head_to_head(console, rows, names), sep="\n")
    by_start = _by_start(console, plan, rows, names)
    console.print(f"wins % by {plan.find_game().records.start_name}", by_start, sep="\n")
    for name, short in names.items():
        if short != name:
            console.print(f"{short} is {name}")
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


def short_names(names: Iterable[str], most: int) -> dict[str, str]:
    """Return what to call agents where there is little room: the ends of names with more than `most` characters.

    If some of them would have the same end, all may be longer.
    """
    full = dict.fromkeys(names)
    for limit in range(most, max(map(len, full), default=0) + 1):
        short = {name: _end(name, limit) for name in full}
        if len(set(short.values())) == len(short):
            return short
    return {name: name for name in full}


def _end(name: str, limit: int) -> str:
    """Return the end of a name, from the beginning of a part of its path if enough is left."""
    if len(name) <= limit:
        return name
    text = name.replace(NETWORK_SUFFIX, "")
    if len(text) <= limit:
        return text
    first = len(text) - limit + 1
    parts = (place for place in range(first, len(text) - limit // 2 + 1) if text[place - 1] == "/")
    return f"…{text[next(parts, first) :].lstrip(':')}"


def _standings(console: Console, plan: Plan, rows: list[Row], names: dict[str, str]) -> Table:
    """Return the main table; forfeits are left out to fit into 80 columns, and printed at the end."""
    headings = ("agent", *HEADINGS[:3], plan.find_game().score, *HEADINGS[3:-1])
    return _table(console, headings, [[names[row.agent], *row_cells(row)[1:-1]] for row in rows])


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


def _table(console: Console, headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    """Return a table; in one that is too wide, intervals in brackets go below their numbers, or take two lines."""
    table = _new_table(headings, lines)
    for breaks in BREAKS:
        if Measurement.get(console, console.options.update_width(UNLIMITED), table).maximum <= console.width:
            break
        if breaks is BREAKS[-1]:
            headings = [heading.replace(" ", "\n") for heading in headings]
        lines = [[line[0], *(_broken(cell, breaks) for cell in line[1:])] for line in lines]
        table = _new_table(headings, lines)
    return table


def _broken(cell: str, breaks: Mapping[str, str]) -> str:
    """Return the text of a cell with line breaks."""
    for text, broken in breaks.items():
        cell = cell.replace(text, broken)
    return cell


def _new_table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for at, heading in enumerate(headings):
        if at:
            table.add_column(heading, justify="right", no_wrap=True)
        else:
            table.add_column(heading, overflow="fold", min_width=8)  # long names wrap, numbers do not
    for line in lines:
        table.add_row(*line)
    return table


def _head_to_head(console: Console, rows: list[Row], names: dict[str, str]) -> Table:
    """Return the pairs, with intervals for few agents; for many, columns are numbered to fit into 80 columns."""
    if len(rows) <= MAX_AGENTS_WITH_INTERVALS:
        lines = [[names[row.agent], *(format_share(row.ahead_of.get(other.agent)) for other in rows)] for row in rows]
        return _table(console, ("", *names.values()), lines)
    lines = [
        [f"{number} {names[row.agent]}", *(_whole_share(row.ahead_of.get(other.agent)) for other in rows)]
        for number, row in enumerate(rows, start=1)
    ]
    return _table(console, ("", *map(str, range(1, len(rows) + 1))), lines)


def _whole_share(estimate: Estimate | None) -> str:
    """Return a share in whole percent without its interval."""
    if estimate is None or estimate.bound is not None:
        return format_share(estimate, 0)
    return f"{100 * estimate.value:.0f}"


def _by_start(console: Console, plan: Plan, rows: list[Row], names: dict[str, str]) -> Table:
    start, starts = plan.find_game().records.start_name, start_names(rows)
    lines = [[names[row.agent], *(format_share(row.by_start.get(name)) for name in starts)] for row in rows]
    return _table(console, ("agent", *(f"{start} {name}" for name in starts)), lines)


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
        return _range(unit * estimate.value, unit * estimate.low, unit * estimate.high, digits)
    return f"{unit * estimate.value:z.{digits}f}±{unit * half:.{digits}f}"


def _range(value: float, low: float, high: float, digits: int) -> str:
    """Return a number and its interval in brackets, with a digit less than usual if that tells all three apart.

    If it does not, there are as many digits as it takes, up to two more than usual.
    """
    roundings = (
        [f"{number:z.{places}f}" for number in (value, low, high)] for places in range(max(0, digits - 1), digits + 3)
    )
    middle, first, last = max(roundings, key=lambda texts: len(set(texts)))  # the shortest of those that tell most
    between = " to " if "-" in first + last else "–"
    return f"{middle} ({first}{between}{last})"


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
