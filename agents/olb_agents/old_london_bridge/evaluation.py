"""The value of a position for a seat: what it would score if the game ended now, and what it can still become.

A position is described by a few features, which a style weighs. What the end would bring is counted by the rules
themselves, under whatever scoring is played. Everything else is potential, and counts by how much is still to come.
"""

from __future__ import annotations

from typing import Any, Final

from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
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
    "best of others",  # the most that another would have
    "mean of others",
    "cost of empty spaces",  # of those that cannot be filled any more
    "built",
    "capacity",  # free spaces, counting less the lower the number they must stay below
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
    "cash",  # money to go to the centre with
)
(
    MONEY, BEST_OF_OTHERS, MEAN_OF_OTHERS, EMPTY, BUILT, CAPACITY, PARKS, GUILDS, MERCERS, POWER, BEST_POWER,
    HAND_VALUE, HIGH_CARDS, HAND_CARDS, HELD_TILES, CHAPEL_SPACE, STANDING, GATE_SPACE, CASH,
) = range(len(FEATURES))  # fmt: skip
NUM_WEIGHTS: Final = 2 * len(FEATURES)  # each feature has one weight, and another times what is left of the game
WIN_FACTOR: Final = 10.0  # what a pound ahead counts when the game is over

# Slots of `Scratch.games`.
TRIAL: Final = 0  # the position after an action, or after an imagined turn
FOLLOW_UP: Final = 1  # the position after a decision that follows from that
GOING_FIRST: Final = 2  # the game if a seat chose first
ENDED: Final = 3  # holds the ledger of the game if it ended now
ROUND_END: Final = 4  # the game played on to the end of the round
EXPECTED: Final = 5  # the game with what is to be expected in place of what is hidden


@jitable
def weight_now(weights: Any, feature: int, left: float) -> float:
    """Return what a feature counts when this share of the game is left."""
    return float(weights[feature] + left * weights[len(FEATURES) + feature])


@jitable
def describe(game: State, seat: int, ledger: Any, out: Any) -> None:
    """Write the features of a position for a seat, with a ledger of what everybody would have if the game ended now."""
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
    out[BEST_OF_OTHERS] = best
    out[MEAN_OF_OTHERS] = total / (players - 1)
    out[EMPTY] = EMPTY_SPACE_COSTS[min(empty, len(EMPTY_SPACE_COSTS) - 1)]
    out[BUILT] = player.built
    last = HIGHEST_NUMBER
    if player.built > 0 and player.bridge_number[player.built - 1] > 0:
        last = int(player.bridge_number[player.built - 1])
    spaces = SPACES - int(player.built)
    out[CAPACITY] = spaces * last / HIGHEST_NUMBER
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
    out[CASH] = min(int(game.money[seat]), 4)


@jitable
def evaluate_position(game: State, seat: int, weights: Any, scratch: Scratch) -> float:
    """Return the value of a position for a seat by a style, of which only the first NUM_WEIGHTS weights are used.

    It overwrites `scratch.features` and the game ENDED.
    """
    return _weighted_features(game, seat, weights, final_ledger(game, scratch), scratch.features)


@jitable
def evaluate_seats(game: State, weights: Any, scratch: Scratch) -> None:
    """Write the value of a position for every seat to `scratch.values`: its money when the game is over.

    It overwrites `scratch.features` and the game ENDED as well.
    """
    ledger = final_ledger(game, scratch)
    for seat in range(int(game.players)):
        over = game.phase == OVER
        scratch.values[seat] = (
            game.money[seat] if over else _weighted_features(game, seat, weights, ledger, scratch.features)
        )


@jitable
def final_ledger(game: State, scratch: Scratch) -> Any:
    """Return the ledger of a game as if it ended now; it overwrites the game ENDED."""
    if game.phase == OVER:
        return game.ledger
    ledger = scratch.games[ENDED].ledger
    ledger[:] = 0
    count_end(game, game.money, ledger)
    return ledger


@jitable
def _weighted_features(game: State, seat: int, weights: Any, ledger: Any, features: Any) -> float:
    describe(game, seat, ledger, features)
    if game.phase == OVER:
        return float(WIN_FACTOR * (game.money[seat] - features[BEST_OF_OTHERS]))
    left = game.table.rounds_left / ROUNDS[int(game.players)]
    value = 0.0
    for i in range(len(FEATURES)):
        value += features[i] * (weights[i] + left * weights[len(FEATURES) + i])
    return value
