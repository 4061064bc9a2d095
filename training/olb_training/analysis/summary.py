"""The report on a file of recorded games: win rates, scores, and where the scores came from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pandas as pd

from olb_env.core.game import Game
from olb_env.core.records import iterate_replays
from olb_training.analysis.estimates import means
from olb_training.analysis.games import Games, read_parts

PART = 4000  # games in memory at once


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
    parts = [
        pd.DataFrame(
            {"wins, %": _with_interval(seats, "won", by, 100), game.score: _with_interval(seats, game.score, by)}
        )
        for by in (["players", "agent"], ["players", "start"])
    ]
    if (module := module_of(game)) is not None:
        sources = {
            source: _with_interval(seats, module.source_column(source), ["players"]) for source in module.SOURCES
        }
        parts.append(pd.DataFrame(sources).T.rename_axis(f"{game.score} of a seat from", axis=0))
    return "\n\n".join(part.rename_axis(index={"start": game.records.start_name}).to_string() for part in parts)


def _with_interval(seats: pd.DataFrame, value: str, by: Sequence[str], factor: float = 1.0) -> pd.Series[str]:
    """Return the means of a column, each as text with half of its interval."""
    found = factor * means(seats, value, by)[["mean", "high"]]
    return found["mean"].map("{:.1f}".format) + (found["high"] - found["mean"]).map(" ± {:.1f}".format)
