"""The report on a file of recorded games: win rates, scores, and where the scores came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from olb_env.core.game import Game
from olb_env.core.records import iterate_replays
from olb_training.analysis.estimates import Z_95, means, share_interval
from olb_training.analysis.games import Games, read_parts
from olb_training.arena.console_report import format_estimate, format_share
from olb_training.arena.statistics import Estimate

PART = 4000  # games in memory at once
LEAST_GAMES = 30  # with an interval, which for fewer games might well miss the truth
ALIKE = 1e-9  # a standard error that is nothing but rounding
INTERVALS = (
    "± is the wider side of the 95% interval; each game is one sample. There are no intervals for fewer than "
    f"{LEAST_GAMES} games,\nfor an agent that held all seats, or for scores that are the same in all games."
)
BOUNDS = "≥ or ≤ is the end of an interval whose other end the results do not tell."


def analyse(file: Path, advance: Callable[[int], None]) -> tuple[Game, pd.DataFrame, int]:
    """Return the game, a row for each seat of each record, and the number of decisions.

    `advance` is called with the number of games after each part of the file.
    """
    parts, games, decisions = [], 0, 0
    for part in read_parts(iterate_replays(file), PART):
        seats = seats_of(part)
        parts.append(seats.assign(game=seats["game"] + games))
        games, decisions = games + len(part), decisions + len(part.actions)
        advance(len(part))
    return part.game, pd.concat(parts, ignore_index=True), decisions


def module_of(game: Game) -> Any:
    """Return the module for a game, or None: it has `frames`, and `SOURCES` of the score with `source_column`."""
    name = f"olb_training.analysis.{game.name}"
    return import_module(name) if find_spec(name) is not None else None


def seats_of(games: Games) -> pd.DataFrame:
    """Return a row for each seat of each game, with all columns that the module of the game has."""
    module = module_of(games.game)
    seats: pd.DataFrame = games.seats() if module is None else module.frames(games)[1]
    return seats


def report(game: Game, seats: pd.DataFrame) -> str:
    """Return the report as text."""
    parts = []
    for by in (["players", "agent"], ["players", "start"]):
        games = means(seats, "won", by)["games"]
        wins, scores = _wins(seats, by), _scores(seats, game.score, by)
        parts.append(pd.DataFrame({"games": games.map("{:,}".format), "wins, %": wins, game.score: scores}))
    if (module := module_of(game)) is not None:
        sources = {source: _scores(seats, module.source_column(source), ["players"]) for source in module.SOURCES}
        parts.append(pd.DataFrame(sources).T.rename_axis(f"{game.score} of a seat from", axis=0))
    tables = [part.rename_axis(index={"start": game.records.start_name}).to_string() for part in parts]
    notes = f"{INTERVALS}\n{BOUNDS}" if any(sign in text for text in tables for sign in "≥≤") else INTERVALS
    return "\n\n".join([*tables, notes])


@dataclass(frozen=True)
class _Mean:
    """The mean of a column in a group of seats, with its standard error."""

    value: float
    error: float  # 0 if it says nothing
    seats: int
    games: int


def _means(seats: pd.DataFrame, value: str, by: Sequence[str]) -> tuple[pd.Index, Iterator[_Mean]]:
    found = means(seats, value, by)
    errors = ((found["high"] - found["mean"]) / Z_95).where(lambda error: error > ALIKE, 0.0)
    columns = found["mean"], errors, found["rows"], found["games"]
    return found.index, (_Mean(*row) for row in zip(*(column.tolist() for column in columns), strict=True))


def _wins(seats: pd.DataFrame, by: Sequence[str]) -> pd.Series[str]:
    """Return the win rates as text with intervals; whoever held all seats of its games wins exactly its share."""
    index, found = _means(seats, "won", by)
    players = index.get_level_values("players").tolist()
    texts = []
    for mean, size in zip(found, players, strict=True):
        low = high = mean.value
        bound: Literal["low", "high"] | None = None
        if mean.games >= LEAST_GAMES and mean.seats < size * mean.games:
            low, high = share_interval(mean.value, mean.error, mean.games)
            bound = "high" if mean.value == 0 else "low" if mean.value == 1 else None
        texts.append(format_share(Estimate(mean.value, low, high, bound)))
    return pd.Series(texts, index)


def _scores(seats: pd.DataFrame, value: str, by: Sequence[str]) -> pd.Series[str]:
    """Return the means of a column as text with intervals, which end where the column's own range does."""
    least, greatest = float(seats[value].min()), float(seats[value].max())
    index, found = _means(seats, value, by)
    texts = []
    for mean in found:
        half = Z_95 * mean.error if mean.games >= LEAST_GAMES else 0.0
        estimate = Estimate(mean.value, max(least, mean.value - half), min(greatest, mean.value + half))
        texts.append(format_estimate(estimate, within=(least, greatest)))
    return pd.Series(texts, index)
