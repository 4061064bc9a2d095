"""How good a position is for a seat: what it would score if the game ended now, and what it can still become.

A position is described by a few numbers, a style weighs them. What the end would bring is counted by the rules
themselves, under whatever scoring is played; everything else is potential, and counts by how much is still to come.
"""

from __future__ import annotations

from typing import Any, Final

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    COLOURS,
    EMPTY_SPACE_COSTS,
    EMPTY_SPACES,
    GUILD,
    HIGHEST_NUMBER,
    MERCER,
    PARK,
    PICKS,
    ROUNDS,
    SPACES,
    TILES,
)
from olb_env.old_london_bridge.scoring import count_end, total_of
from olb_env.old_london_bridge.state import OVER

FEATURES: Final = (
    "money",  # if the game ended now, without what empty spaces cost
    "best other",  # the most that another would have
    "mean other",
    "cost of empty spaces",  # of those that cannot be filled any more
    "built",
    "room",  # how much still fits behind the last building
    "parks",
    "guilds",
    "mercers",
    "power",  # crests, all colours
    "best power",  # of the strongest colour
    "hand value",
    "high cards",  # 3 and 4
    "cards",
    "tiles",
    "chapel",
    "standing",  # in chapel order, 1 is first
    "gate",
    "change",  # money to go to the centre with
)
(
    MONEY, BEST_OTHER, MEAN_OTHER, EMPTY, BUILT, ROOM, PARKS, GUILDS, MERCERS, POWER, BEST_POWER, HAND_VALUE,
    HIGH_CARDS, HAND_CARDS, HELD_TILES, CHAPEL_SPACE, STANDING, GATE_SPACE, CHANGE,
) = range(len(FEATURES))  # fmt: skip
WEIGHTS: Final = 2 * len(FEATURES)  # each counts for itself, and once more times what is left of the game


@rule
def describe(game: State, seat: int, ledger: Any, out: Any) -> None:
    """The numbers of a position for a seat [FEATURES], with what the end would bring everybody in a ledger."""
    players = int(game.players)
    own = total_of(ledger, seat) - ledger[seat, EMPTY_SPACES]
    best, total = -1000.0, 0.0
    for other in range(players):
        if other != seat:
            money = float(total_of(ledger, other))
            best = max(best, money)
            total += money
    player = game.seats[seat]
    turns = int(game.table.rounds_left) * PICKS[players]
    empty = max(0, SPACES - int(player.built) - turns)
    out[MONEY] = own
    out[BEST_OTHER] = best
    out[MEAN_OTHER] = total / (players - 1)
    out[EMPTY] = EMPTY_SPACE_COSTS[min(empty, len(EMPTY_SPACE_COSTS) - 1)]
    out[BUILT] = player.built
    last = HIGHEST_NUMBER
    if player.built > 0 and player.bridge_number[player.built - 1] > 0:
        last = int(player.bridge_number[player.built - 1])
    spaces = SPACES - int(player.built)
    out[ROOM] = spaces * last / HIGHEST_NUMBER
    out[PARKS] = player.kinds[PARK]
    out[GUILDS] = player.kinds[GUILD]
    out[MERCERS] = player.kinds[MERCER]
    power, strongest = 0, 0
    for colour in range(COLOURS):
        power += int(player.power[colour])
        strongest = max(strongest, int(player.power[colour]))
    out[POWER] = power
    out[BEST_POWER] = strongest
    out[HAND_VALUE] = player.hand[1] + 2 * player.hand[2] + 3 * player.hand[3] + 4 * player.hand[4]
    out[HIGH_CARDS] = player.hand[3] + player.hand[4]
    out[HAND_CARDS] = player.hand[1] + player.hand[2] + player.hand[3] + player.hand[4]
    tiles = 0
    for tile in range(len(TILES)):
        tiles += int(player.tiles[tile])
    out[HELD_TILES] = tiles
    out[CHAPEL_SPACE] = player.chapel
    out[STANDING] = 1 - player.standing / (players - 1)
    out[GATE_SPACE] = player.gate
    out[CHANGE] = min(int(game.money[seat]), 4)


@rule
def judge(game: State, seat: int, style: Any, ended: Any, described: Any) -> float:
    """How a style [WEIGHTS] values a position; `ended` [1] is scratch, for its ledger, and so is `described`."""
    return _weigh_position(game, seat, style, close(game, ended[0]), described)


@rule
def judge_all(game: State, style: Any, ended: Any, described: Any, out: Any) -> None:
    """How good a position is for each seat [P]: its money when the game is over, else how a style values it."""
    ledger = close(game, ended[0])
    for seat in range(int(game.players)):
        over = game.phase == OVER
        out[seat] = game.money[seat] if over else _weigh_position(game, seat, style, ledger, described)


@rule
def close(game: State, ended: Any) -> Any:
    """What everybody would have from where if the game ended now."""
    if game.phase == OVER:
        return game.ledger
    ledger = ended.ledger
    ledger[:] = 0
    count_end(game, ledger)
    return ledger


@rule
def _weigh_position(game: State, seat: int, style: Any, ledger: Any, described: Any) -> float:
    describe(game, seat, ledger, described)
    if game.phase == OVER:
        return 10 * (game.money[seat] - described[BEST_OTHER])
    left = game.table.rounds_left / ROUNDS[int(game.players)]
    value = 0.0
    for i in range(len(FEATURES)):
        value += described[i] * (style[i] + left * style[len(FEATURES) + i])
    return value
