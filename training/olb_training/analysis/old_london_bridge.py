"""Data frames of recorded games of Old London Bridge: what players bid, take, build, use and earn.

Every data frame here has a row for each decision of a kind, or for each seat of each game. `estimates` computes means
with intervals from them. Columns are named with the words of the rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from olb_agents.heuristics import default_style_weights
from olb_agents.scratch import new_scratch
from olb_env.core.game import copy_of
from olb_env.old_london_bridge.components import AREAS, CRESTS, KINDS, MAX_PLAYERS, PILES, SCORINGS, TILES
from olb_training.analysis.games import Games
from olb_training.analysis.old_london_bridge_replay import (
    BID,
    BONUS_CHOICE,
    DECISION,
    PLACEMENT,
    SOURCES,
    TILE_USE,
    replay_games,
)

NAME: Final = "old_london_bridge"
STAKES: Final = (0, 2, 4, 6, 8, 10)  # limits of the intervals of `bids`, the same for all sets of games


def frames(games: Games, *, stakes: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return a row for each decision, and a row for each seat of each game; the column `agent` says whose.

    `stakes` computes what is at stake in each bid, which takes longer than all the rest.
    """
    rows = np.zeros(len(games.actions), np.dtype((np.record, DECISION)))
    accounts = np.zeros((len(games), MAX_PLAYERS, len(SOURCES)), np.int16)
    style_weights, scratch = default_style_weights(NAME), new_scratch(games.game)
    replay_games(copy_of(games.initial), games.first, games.actions, stakes, style_weights, scratch, rows, accounts)
    columns: dict[str, Any] = {name: rows[name] for name in DECISION.names or () if name != "offered"}
    columns |= {f"offered_{pile + 1}": rows["offered"][:, pile] for pile in range(PILES)}
    names, codes = _agent_codes(games)
    columns["agent"] = _categorical(codes[rows["game"], rows["seat"]], names)
    decisions = pd.DataFrame(columns)
    return decisions, _seats(games, decisions, accounts)


def _categorical(codes: Any, names: Sequence[str]) -> pd.Categorical[str]:
    return pd.Categorical.from_codes(codes, pd.Index(list(names)))


def _agent_codes(games: Games) -> tuple[list[str], npt.NDArray[np.int16]]:
    """Return the names of agents, and which of them sat where [G, P]."""
    names = sorted({name for seats in games.agents for name in seats})
    place = {name: code for code, name in enumerate(names)}
    codes = np.full((len(games), max(games.game.players)), -1, np.int16)
    for game, seats in enumerate(games.agents):
        codes[game, : len(seats)] = [place[name] for name in seats]
    return names, codes


def bids(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the cards picked, with what was at stake, and the interval of STAKES that this is in."""
    found = frame[frame["decision"] == BID].rename(columns={"action": "card"})
    found = found[["game", "seat", "agent", "players", "round", "card", "stake", "standing"]]
    labels = [*(f"{low}–{high}" for low, high in itertools.pairwise(STAKES)), f"> {STAKES[-1]}"]
    return found.assign(at_stake=pd.cut(found["stake"], [*STAKES, np.inf], labels=labels, include_lowest=True))


def buildings(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the buildings taken: kind, crest, power, whether each fits after the last, whether the centre was paid."""
    found = frame[frame["decision"] == PLACEMENT]
    kept = ["game", "seat", "agent", "players", "round", "number", "power", "coin", "fits", "last_number", "built"]
    return found[kept].assign(
        kind=_categorical(found["kind"], KINDS),
        crest=_categorical(found["crest"] - 1, CRESTS[1:]),
        centre=found["centre"].astype(float),
        paid=(found["coin"] < 0).astype(float),
    )


def shares(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return one row for each value of a categorical column, with `share` 1 for the value it has and 0 for the others.

    So the mean of `share` is how often a value occurs.
    """
    values = frame[column].cat.categories
    parts = [frame.assign(**{column: value, "share": (frame[column] == value).astype(float)}) for value in values]
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(**{column: pd.Categorical(whole[column], values)})


def by_last_number(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the buildings taken by intervals of the bridge's last number: whether each is a park, or breaks the run.

    A building that does not fit after the last one breaks the run: it replaces another.
    """
    found = buildings(frame)
    found = found[found["last_number"] > 0]
    edges = [0, 10, 20, 30, 40, 50, 60]
    labels = [f"{low + 1}–{high}" for low, high in itertools.pairwise(edges)]
    return found.assign(
        last=pd.cut(found["last_number"], edges, labels=labels),
        park=(found["kind"] == "park").astype(float),
        broken=(found["fits"] == 0).astype(float),
    )


def bonus_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every kind of bonus tile on offer at a choice, with `taken` 1 if it was chosen.

    Choices between tiles of one kind are left out.
    """
    found = frame[frame["decision"] == BONUS_CHOICE]
    offered = found[[f"offered_{pile + 1}" for pile in range(PILES)]].to_numpy()
    parts: list[pd.DataFrame] = []
    for tile, name in enumerate(TILES):
        there = (offered == tile).any(axis=1) & ((offered >= 0) & (offered != tile)).any(axis=1)
        rows = found[there]
        taken = (rows["tile"] == tile).astype(float)
        parts.append(rows[["game", "seat", "agent", "players", "round"]].assign(tile=name, taken=taken))
    whole: pd.DataFrame = pd.concat(parts, ignore_index=True)
    return whole.assign(tile=pd.Categorical(whole["tile"], list(TILES)))


def source_column(source: str) -> str:
    """Return the name of the column that says what a seat has from a source."""
    return f"£ {source}"


def _seats(games: Games, frame: pd.DataFrame, accounts: npt.NDArray[np.int16]) -> pd.DataFrame:
    """Return a row for each seat of each game: result, account, scoring, buildings, bonus tiles taken and used."""
    found = games.seats()
    game, seat = found["game"].to_numpy(), found["seat"].to_numpy()
    final = games.final
    total = np.zeros(len(games))
    np.add.at(total, game, found["money"])
    found["margin"] = found["money"] - (total[game] - found["money"]) / (found["players"] - 1)
    for place, source in enumerate(SOURCES):
        found[source_column(source)] = accounts[game, seat, place].astype(float)
    for place, area in enumerate(AREAS):
        found[f"{area} scoring"] = _categorical(final["scoring"][game, place], SCORINGS[area])
    kinds = final["seats"]["kinds"][game, seat]
    for place, kind in enumerate(KINDS):
        found[kind] = kinds[:, place]
    found["spaces built"] = final["seats"]["built"][game, seat]
    for decision, verb in ((BONUS_CHOICE, "took"), (TILE_USE, "used")):
        chosen = frame.loc[frame["decision"] == decision, ["game", "seat", "tile"]]
        counts = np.zeros((len(games), max(games.game.players), len(TILES)), np.int16)
        np.add.at(counts, (chosen["game"], chosen["seat"], chosen["tile"]), 1)
        for tile, name in enumerate(TILES):
            found[f"{verb} {name}"] = counts[game, seat, tile]
    return found
