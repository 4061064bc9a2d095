"""Old London Bridge by its records: what players bid, take, build, use and earn, decision by decision.

Every table here has a row for each decision of a kind, or for each seat of each game; `estimating` makes means with
intervals of them. Words for columns are those of the rules.
"""

from __future__ import annotations

import itertools
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from olb_agents.heuristics import default_style_of, room
from olb_agents.old_london_bridge.lookahead import WANTS_UNIT, write_wants
from olb_env.core.bits import first_of, size_of
from olb_env.core.compiling import kernel, rule
from olb_env.core.game import State, copy_of
from olb_env.old_london_bridge.components import (
    AREAS,
    BOARD,
    BONUS_TILES,
    CENTRE_COST,
    CHAPEL_AREA,
    CRESTS,
    EMPTY_SPACES,
    END_OF_TRACK,
    FREE,
    IN_PLAY,
    KINDS,
    MOST_PLAYERS,
    PAID_IN_PLAY,
    PILES,
    SCORINGS,
    SHARE,
    START_MONEY,
    TILES,
    TURNS,
    UNUSED_TILES,
)
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.mechanics import chapel_pays, fits_behind, take_building
from olb_env.old_london_bridge.notation import (
    HIRE_CARD,
    REPLACE_SPACE,
    TAKE_BONUS,
    TO_CENTRE,
    TO_RONDEL,
    USE_TILE,
)
from olb_env.old_london_bridge.rules import perform
from olb_env.old_london_bridge.scoring import GATE_RULE
from olb_env.old_london_bridge.state import OVER, PLACE, PLAY
from olb_training.analysis.games import Games

K: Final = len(KINDS)
NAME: Final = "old_london_bridge"
OTHER, BID, PLACEMENT, REPLACEMENT, BONUS_CHOICE, TILE_USE = range(6)  # kinds of decision
DECISION: Final = np.dtype(
    [
        ("game", "i4"),
        ("stake", "f4"),  # of a bid, see `stake_of`; NaN where nobody asked for it
        ("money", "i2"),
        ("what", "i1"),  # kind of decision
        ("seat", "i1"),
        ("round", "i1"),
        ("players", "i1"),
        ("action", "i1"),
        ("legal", "i1"),  # how many there were
        ("standing", "i1"),  # in chapel order, 0 is best
        ("built", "i1"),
        ("kind", "i1"),  # of the building taken
        ("number", "i1"),
        ("crest", "i1"),
        ("power", "i1"),  # that its crest would have on the bridge, behind the last building
        ("coin", "i1"),  # gained on the rondel, or paid on the centre
        ("centre", "i1"),  # whether it was taken from there
        ("fits", "i1"),  # whether it goes behind the last building
        ("left", "i1"),  # the last number of the bridge, 0 if there is none or it is a park
        ("lost_kind", "i1"),  # the building that leaves
        ("lost_number", "i1"),
        ("tile", "i1"),  # the bonus tile taken or used
        ("offered", "i1", (PILES,)),  # face up, -1 where a pile is empty
    ]
)
STAKES: Final = (0, 2, 4, 6, 8, 10)  # where bids are parted by what is at stake, the same for all sets of games

# Where money comes from: what is gained in turns, the areas whenever they pay, and the rest of the end.
SOURCES: Final = (
    "start", "rondel coins", "centre", "mercers", "chapel coins", "chapel end", "gate end", *AREAS, "empty spaces",
    "bonus tiles",
)  # fmt: skip
START, RONDEL, CENTRE, MERCERS, COINS, CHAPEL_END, GATE_END = range(7)
FIRST_AREA: Final = SOURCES.index(AREAS[0])
EMPTY, TILES_LEFT = range(FIRST_AREA + len(AREAS), len(SOURCES))


@rule
def stake_of(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> float:
    """What there is to win by choosing first, in pounds: the best building less the one that is left for the last.

    Buildings are worth what the planner would give for them in the seat's place, and the coins beside them.
    """
    wants = np.full(K, -1e9, np.float64)
    write_wants(game, seat, style, scratch, numbers[1], np.zeros(K), wants)
    for kind in range(K):
        if game.table.crossed[kind] or game.table.stack_left[kind] == 0:
            wants[kind] = -1e9
        else:
            wants[kind] = wants[kind] * WANTS_UNIT + game.table.coin[kind]
    wants.sort()
    last = K - int(game.players)
    while last < K - 1 and wants[last] < -1e8:
        last += 1
    return float(wants[K - 1] - wants[last])


@rule
def coins_for(game: State, action: int) -> int:
    """What placing the pawn brings on the rondel, or costs on the centre."""
    if action < TO_CENTRE:
        return int(game.table.coin[action - TO_RONDEL])
    return 0 if game.table.used[FREE - SHARE] else -CENTRE_COST


@rule
def note(game: State, action: int, row: Any, stakes: bool, style: Any, scratch: Any, numbers: Any) -> None:
    """Write down a decision before it is made."""
    seat = int(game.actor)
    player = game.seats[seat]
    row.seat, row.round, row.players = seat, game.round_number, game.players
    row.action, row.money, row.standing, row.built = action, game.money[seat], player.standing, player.built
    row.legal = size_of(game.legal)
    row.what = OTHER
    row.left = player.bridge_number[player.built - 1] if player.built > 0 else 0
    if game.phase == PLAY:
        row.what = BID
        row.stake = stake_of(game, seat, style, scratch, numbers) if stakes else np.nan
    elif TO_RONDEL <= action < REPLACE_SPACE:
        row.what = PLACEMENT
        kind = action - TO_RONDEL if action < TO_CENTRE else action - TO_CENTRE
        row.coin, row.centre = coins_for(game, action), action >= TO_CENTRE
        scratch[0] = game
        after = scratch[0]
        take_building(after, kind)
        row.kind, row.number, row.crest = kind, after.table.tile_number, after.tile_crest
        row.fits = fits_behind(after, seat)
        row.power = 0 if after.tile_crest > 4 else player.power[after.tile_crest - 1] + 1
    elif REPLACE_SPACE <= action <= HIRE_CARD:
        row.what = REPLACEMENT
        space = action - REPLACE_SPACE
        row.kind, row.number, row.crest = game.tile_kind, game.table.tile_number, game.tile_crest
        row.lost_kind, row.lost_number = player.bridge_kind[space] - 1, player.bridge_number[space]
    elif TAKE_BONUS <= action < USE_TILE:
        row.what = BONUS_CHOICE
        for pile in range(PILES):
            left = game.table.pile_left[pile]
            row.offered[pile] = game.hidden.pile[pile, len(TILES) - left] if left > 0 else -1
        row.tile = row.offered[action - TAKE_BONUS]
    elif USE_TILE <= action < USE_TILE + len(TILES):
        row.what = TILE_USE
        row.tile = action - USE_TILE


@rule
def in_play(game: State, seat: int) -> int:
    """The money of a seat before the end is scored."""
    return int(game.ledger[seat, IN_PLAY] if game.phase == OVER else game.money[seat])


@rule
def note_areas(game: State, action: int, scratch: Any, account: Any) -> None:
    """Add what areas pay in play when an answer is given: what is missing where an area pays at the end alone."""
    last = game.players if game.phase == PLAY else TURNS[game.players]
    if game.turn + 1 < last:
        return  # neither a reveal nor the end of a round
    for area in range(len(AREAS)):
        if game.scoring[area] == PAID_IN_PLAY[area]:
            scratch[0] = game
            scratch[1] = game
            scratch[1].scoring[area] = BOARD
            perform(scratch[0], action)
            perform(scratch[1], action)
            for seat in range(game.players):
                account[seat, FIRST_AREA + area] += in_play(scratch[0], seat) - in_play(scratch[1], seat)


@rule
def settle(game: State, action: int, scratch: Any, account: Any) -> None:
    """Give an answer, and add the money that it moves in play to the accounts [P, SOURCES].

    What nothing else explains came from mercers.
    """
    seat = int(game.actor)
    player, own = game.seats[seat], account[seat]
    chapel, gate = int(player.chapel), int(player.gate)
    if game.phase == PLACE and TO_RONDEL <= action < REPLACE_SPACE:
        own[RONDEL if action < TO_CENTRE else CENTRE] += coins_for(game, action)
    note_areas(game, action, scratch, account)
    perform(game, action)
    if player.chapel > chapel:
        end = END_OF_TRACK if player.chapel == game.chapel_length else 0
        own[CHAPEL_END] += end
        own[COINS] += chapel_pays(game, chapel, player.chapel - chapel) - end
    if gate < player.gate == game.gate_length:
        own[GATE_END] += END_OF_TRACK
    own[MERCERS] += in_play(game, seat) - own.sum()


@rule
def close(game: State, account: Any) -> None:
    """Add what the end brought; for tiles that are left only what they bring without the scoring of the gate."""
    for seat in range(game.players):
        own, ledger = account[seat], game.ledger[seat]
        for area in range(len(AREAS)):
            own[FIRST_AREA + area] += ledger[CHAPEL_AREA + area]
        own[EMPTY] += ledger[EMPTY_SPACES]
        tiles = ledger[BONUS_TILES]
        if game.scoring[GATE_RULE] == UNUSED_TILES:
            tiles = game.seats[seat].tiles.sum()
        own[TILES_LEFT] += tiles
        own[FIRST_AREA + GATE_RULE] += ledger[BONUS_TILES] - tiles


@kernel
def note_games(
    states: Any, first: Any, actions: Any, stakes: bool, style: Any, scratch: Any, numbers: Any, rows: Any,
    accounts: Any,
) -> None:  # fmt: skip
    """Write down all decisions [M] of games [G] and the accounts [G, P, SOURCES] of their seats: play them through."""
    for game in range(states.shape[0]):
        state, account = states[game], accounts[game]
        for seat in range(state.players):
            account[seat, START] = START_MONEY
        for move in range(first[game], first[game + 1]):
            rows[move].game = game
            note(state, actions[move], rows[move], stakes, style, scratch, numbers)
            settle(state, actions[move], scratch, account)
            while state.phase != OVER:
                state.legal = legal_set(state)
                if size_of(state.legal) > 1:
                    break
                settle(state, first_of(state.legal), scratch, account)
        close(state, account)


def tables(games: Games, *, stakes: bool = False) -> tuple[pd.DataFrame, pd.DataFrame]:
    """A row for each decision, and a row for each seat of each game; `agent` says whose.

    What is at stake in each bid is found out if it is asked for: that takes longer than all the rest.
    """
    rows = np.zeros(len(games.actions), np.dtype((np.record, DECISION)))
    accounts = np.zeros((len(games), MOST_PLAYERS, len(SOURCES)), np.int16)
    (scratch, numbers, _), style = room(games.game), default_style_of(NAME)
    note_games(copy_of(games.initial), games.first, games.actions, stakes, style, scratch, numbers, rows, accounts)
    columns: dict[str, Any] = {name: rows[name] for name in DECISION.names or () if name != "offered"}
    columns |= {f"offered_{pile + 1}": rows["offered"][:, pile] for pile in range(PILES)}
    names, codes = _agent_codes(games)
    columns["agent"] = pd.Categorical.from_codes(codes[rows["game"], rows["seat"]], names)
    decisions = pd.DataFrame(columns)
    return decisions, _seats(games, decisions, accounts)


def _agent_codes(games: Games) -> tuple[list[str], npt.NDArray[np.int16]]:
    """The names of agents, and which of them sat where [G, P]."""
    names = sorted({name for seats in games.agents for name in seats})
    place = {name: code for code, name in enumerate(names)}
    codes = np.full((len(games), max(games.game.players)), -1, np.int16)
    for game, seats in enumerate(games.agents):
        codes[game, : len(seats)] = [place[name] for name in seats]
    return names, codes


def bids(frame: pd.DataFrame) -> pd.DataFrame:
    """The cards picked, with what was at stake, if that is known also in parts from little to much."""
    found = frame[frame["what"] == BID][["game", "seat", "agent", "players", "round", "action", "stake", "standing"]]
    found = found.rename(columns={"action": "card"})
    labels = [*(f"{low}–{high}" for low, high in itertools.pairwise(STAKES)), f"> {STAKES[-1]}"]
    return found.assign(at_stake=pd.cut(found["stake"], [*STAKES, np.inf], labels=labels, include_lowest=True))


def buildings(frame: pd.DataFrame) -> pd.DataFrame:
    """The buildings taken: kind, crest, its power, whether it fits behind the last one, and if the centre was paid."""
    found = frame[frame["what"] == PLACEMENT]
    kept = ["game", "seat", "agent", "players", "round", "number", "power", "coin", "fits", "left", "built"]
    return found[kept].assign(
        kind=pd.Categorical.from_codes(found["kind"], list(KINDS)),
        crest=pd.Categorical.from_codes(found["crest"] - 1, list(CRESTS[1:])),
        centre=found["centre"].astype(float),
        paid=(found["coin"] < 0).astype(float),
    )


def shares(frame: pd.DataFrame, column: str) -> pd.DataFrame:
    """A categorical column as one row for each of its values, 1 where it is that value: its means are shares."""
    values = frame[column].cat.categories
    parts = [frame.assign(**{column: value, "share": (frame[column] == value).astype(float)}) for value in values]
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(**{column: pd.Categorical(whole[column], values)})


def room_below(frame: pd.DataFrame) -> pd.DataFrame:
    """Buildings taken by the last number of the bridge: how often a park is built, and how often the run is broken.

    A run is broken by a building that does not fit behind the last one: it replaces another.
    """
    found = buildings(frame)
    found = found[found["left"] > 0]
    edges = [0, 10, 20, 30, 40, 50, 60]
    labels = [f"{low + 1}–{high}" for low, high in itertools.pairwise(edges)]
    return found.assign(
        last=pd.cut(found["left"], edges, labels=labels),
        park=(found["kind"] == "park").astype(float),
        broken=(found["fits"] == 0).astype(float),
    )


def bonus_choices(frame: pd.DataFrame) -> pd.DataFrame:
    """For every bonus tile that lay face up at a choice, whether it was taken; choices between equals are left out."""
    found = frame[frame["what"] == BONUS_CHOICE]
    offered = found[[f"offered_{pile + 1}" for pile in range(PILES)]].to_numpy()
    parts = []
    for tile, name in enumerate(TILES):
        there = (offered == tile).any(axis=1) & ((offered >= 0) & (offered != tile)).any(axis=1)
        rows = found[there]
        taken = (rows["tile"] == tile).astype(float)
        parts.append(rows[["game", "seat", "agent", "players", "round"]].assign(tile=name, taken=taken))
    whole = pd.concat(parts, ignore_index=True)
    return whole.assign(tile=pd.Categorical(whole["tile"], list(TILES)))


def source_column(source: str) -> str:
    """What a seat has from a source, as tables of seats call it."""
    return f"£ {source}"


def _seats(games: Games, frame: pd.DataFrame, accounts: npt.NDArray[np.int16]) -> pd.DataFrame:
    """A row for each seat of each game: result, account, scoring, what was built, bonus tiles taken and used."""
    found = games.seats()
    game, seat = found["game"].to_numpy(), found["seat"].to_numpy()
    final = games.final
    total = np.zeros(len(games))
    np.add.at(total, game, found["money"])
    found["margin"] = found["money"] - (total[game] - found["money"]) / (found["players"] - 1)
    for place, source in enumerate(SOURCES):
        found[source_column(source)] = accounts[game, seat, place].astype(float)
    for place, area in enumerate(AREAS):
        found[f"{area} scoring"] = pd.Categorical.from_codes(final["scoring"][game, place], list(SCORINGS[area]))
    kinds = final["seats"]["kinds"][game, seat]
    for place, kind in enumerate(KINDS):
        found[kind] = kinds[:, place]
    found["spaces built"] = final["seats"]["built"][game, seat]
    for what, verb in ((BONUS_CHOICE, "took"), (TILE_USE, "used")):
        chosen = frame.loc[frame["what"] == what, ["game", "seat", "tile"]]
        counts = np.zeros((len(games), max(games.game.players), len(TILES)), np.int16)
        np.add.at(counts, (chosen["game"], chosen["seat"], chosen["tile"]), 1)
        for tile, name in enumerate(TILES):
            found[f"{verb} {name}"] = counts[game, seat, tile]
    return found
