"""The scoring of the four areas and of the end of the game (§7)."""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    BOARD,
    BONUS_TILES,
    BRIDGE_AREA,
    CARD_SET_REWARD,
    CARD_SETS,
    CARD_VALUES,
    CHAPEL,
    CHAPEL_AREA,
    CHAPEL_LEADER,
    COINS_AGAIN,
    COINS_AGAIN_END,
    DEBTS,
    EMPTY_SPACE_COSTS,
    EMPTY_SPACES,
    FULL_SET_REWARD,
    FULL_SETS,
    GATE,
    GATE_AREA,
    GATE_LEADER,
    HAND_SIZE,
    HAND_SIZE_REWARDS,
    HIGHEST_CARD,
    HIGHEST_CARD_REWARD,
    IN_PLAY,
    INN,
    INN_AREA,
    KINDS,
    LEAD_OVER_LAST,
    LEADER_REWARD,
    LEDGER,
    LONGEST_RUN,
    LOW_NUMBER,
    LOW_NUMBER_REWARD,
    LOW_NUMBERS,
    LOWEST_NUMBER,
    LOWEST_NUMBER_REWARD,
    MOST_CHAPELS,
    MOST_GATES,
    MOST_INNS,
    PRIZES,
    SPACES,
    STEPS,
    STEPS_REWARDS,
    TILE_SIDE_MINIMUM,
    TILES,
    UNUSED_TILES,
    UNUSED_TILES_REWARDS,
)
from olb_env.old_london_bridge.mechanics import track_pays

CHAPEL_RULE, GATE_RULE, INN_RULE, BRIDGE_RULE = range(4)  # indices of `scoring`
AWARDED = -1  # in place of the count of a seat that has a prize


@jitable
def score_reveal(game: State) -> None:
    """Pay for the highest card as played, after the reveal (§4.4)."""
    if game.scoring[INN_RULE] != HIGHEST_CARD:
        return
    best = game.order[0]  # the cards are values + 1: among zeros only, the first in chapel order is paid
    highest = 0
    for i in range(game.players):
        seat = game.order[i]
        if game.seats[seat].card[0] > highest:
            highest = game.seats[seat].card[0]
            best = seat
    game.money[best] += HIGHEST_CARD_REWARD


@jitable
def score_round(game: State) -> None:
    """Pay the leaders and the lowest number at the end of a round (§4.8)."""
    least = side_minimum(game)  # A9: the leader must have left the stairs or the start
    if game.scoring[CHAPEL_RULE] == CHAPEL_LEADER:
        leader = game.order[0]
        if game.seats[leader].chapel >= least:
            game.money[leader] += LEADER_REWARD
    if game.scoring[GATE_RULE] == GATE_LEADER:
        leader = game.order[0]
        for i in range(1, game.players):
            seat = game.order[i]
            if game.seats[seat].gate > game.seats[leader].gate:
                leader = seat
        if game.seats[leader].gate >= least:
            game.money[leader] += LEADER_REWARD
    if game.scoring[BRIDGE_RULE] == LOWEST_NUMBER and game.table.lowest > 0:
        game.money[game.lowest_seat] += LOWEST_NUMBER_REWARD


@jitable
def side_minimum(game: State) -> int:
    """Return how many of what it counts a tile side asks for at least (§7, A9)."""
    return 0 if game.board.rulings[TILE_SIDE_MINIMUM] else 1


@jitable
def score_end(game: State) -> None:
    """Fill the ledger, which says where the money of each seat comes from, and set the money to its total (§7)."""
    count_end(game, game.money, game.ledger)
    for seat in range(game.players):
        game.money[seat] = total_of(game.ledger, seat)


@jitable
def count_end(game: State, in_play: Any, ledger: Any) -> None:
    """Add the final scoring to an empty ledger, in this order: areas, empty spaces, bonus tiles (§7).

    `in_play` is the money of each seat before it.
    """
    score_areas(game, ledger)
    for seat in range(game.players):
        ledger[seat, IN_PLAY] = in_play[seat]
        money = 0
        for column in range(IN_PLAY, EMPTY_SPACES):
            money += ledger[seat, column]
        empty = SPACES - game.seats[seat].built
        cost = EMPTY_SPACE_COSTS[min(empty, len(EMPTY_SPACE_COSTS) - 1)]
        if not game.board.rulings[DEBTS]:
            cost = min(cost, money)  # A11: nobody pays more than they have
        ledger[seat, EMPTY_SPACES] = -cost
        tiles = 0
        for tile in range(len(TILES)):
            tiles += game.seats[seat].tiles[tile]
        if game.scoring[GATE_RULE] == UNUSED_TILES:
            tiles = UNUSED_TILES_REWARDS[min(tiles, len(UNUSED_TILES_REWARDS) - 1)]
        ledger[seat, BONUS_TILES] = tiles


@jitable
def total_of(ledger: Any, seat: int) -> int:
    """Return the total of a seat in a ledger."""
    money = 0
    for column in range(len(LEDGER)):
        money += ledger[seat, column]
    return money


@jitable
def score_areas(game: State, ledger: Any) -> None:
    """Write what the four areas would pay each seat if the game ended now into an empty ledger.

    The column of the bonus tiles, which are counted last, serves as scratch space.
    """
    counted = ledger[:, BONUS_TILES]
    _score_chapel(game, counted, ledger)
    _score_gate(game, counted, ledger)
    _score_inn(game, counted, ledger)
    _score_bridge(game, counted, ledger)


@jitable
def award_prizes(game: State, column: int, least: int, counted: Any, ledger: Any) -> None:
    """Award the prizes for the largest counts of at least `least`; chapel order breaks ties (§7)."""
    prizes = PRIZES[game.players]
    for place in range(len(prizes)):
        best = -1
        for i in range(game.players):
            seat = game.order[i]
            if counted[seat] >= least and (best < 0 or counted[seat] > counted[best]):
                best = seat
        if best < 0 or prizes[place] == 0:
            return
        ledger[best, column] = prizes[place]
        counted[best] = AWARDED


@jitable
def _least(game: State, chosen: int) -> int:
    """Return the least count that wins a prize: 1 by the board, and what the ruling says by a tile side."""
    return 1 if chosen == BOARD else side_minimum(game)


@jitable
def _score_chapel(game: State, counted: Any, ledger: Any) -> None:
    chosen = game.scoring[CHAPEL_RULE]
    if chosen == BOARD or chosen == MOST_CHAPELS:
        for seat in range(game.players):
            player = game.seats[seat]
            counted[seat] = player.chapel if chosen == BOARD else player.kinds[CHAPEL]
        award_prizes(game, CHAPEL_AREA, _least(game, chosen), counted, ledger)
    elif chosen == LEAD_OVER_LAST:
        last = game.seats[game.order[game.players - 1]].chapel
        for seat in range(game.players):
            ledger[seat, CHAPEL_AREA] = game.seats[seat].chapel - last
    elif chosen == COINS_AGAIN:
        for seat in range(game.players):
            pounds = track_pays(game.board.chapel, 0, game.seats[seat].chapel)
            at_end = game.seats[seat].chapel == game.board.chapel.length
            if at_end and not game.board.rulings[COINS_AGAIN_END]:
                pounds -= game.board.chapel.end  # A10: the reward at the end is not a coin
            ledger[seat, CHAPEL_AREA] = pounds


@jitable
def _score_gate(game: State, counted: Any, ledger: Any) -> None:
    chosen = game.scoring[GATE_RULE]
    if chosen == BOARD or chosen == MOST_GATES:
        for seat in range(game.players):
            player = game.seats[seat]
            counted[seat] = player.gate if chosen == BOARD else player.kinds[GATE]
        award_prizes(game, GATE_AREA, _least(game, chosen), counted, ledger)
    elif chosen == STEPS:
        for seat in range(game.players):
            ledger[seat, GATE_AREA] = reward_for(game.seats[seat].gate, STEPS_REWARDS)


@jitable
def _score_inn(game: State, counted: Any, ledger: Any) -> None:
    chosen = game.scoring[INN_RULE]
    if chosen == BOARD or chosen == MOST_INNS:
        for seat in range(game.players):
            player = game.seats[seat]
            counted[seat] = player.kinds[INN]
            if chosen == BOARD:
                counted[seat] = 0
                for value in range(CARD_VALUES):
                    counted[seat] += value * player.hand[value]
        award_prizes(game, INN_AREA, _least(game, chosen), counted, ledger)
    elif chosen == HAND_SIZE:
        for seat in range(game.players):
            cards = 0
            for value in range(CARD_VALUES):
                cards += game.seats[seat].hand[value]
            ledger[seat, INN_AREA] = reward_for(cards, HAND_SIZE_REWARDS)
    elif chosen == CARD_SETS:
        for seat in range(game.players):
            hand = game.seats[seat].hand
            # Every set needs a 1 and a 2, and each further value adds the same amount. So as many sets as possible
            # get a 3, and as many of those as possible a 4.
            pairs = min(hand[1], hand[2])
            triples = min(pairs, hand[3])
            fours = min(triples, hand[4])
            ledger[seat, INN_AREA] = CARD_SET_REWARD * (int(pairs) + int(triples) + int(fours))


@jitable
def _score_bridge(game: State, counted: Any, ledger: Any) -> None:
    chosen = game.scoring[BRIDGE_RULE]
    if chosen == BOARD or chosen == LONGEST_RUN:
        for seat in range(game.players):
            counted[seat] = game.seats[seat].built if chosen == BOARD else longest_run(game.seats[seat])
        award_prizes(game, BRIDGE_AREA, _least(game, chosen), counted, ledger)
    elif chosen == LOW_NUMBERS:
        for seat in range(game.players):
            low = 0
            for space in range(SPACES):
                low += 0 < game.seats[seat].bridge_number[space] <= LOW_NUMBER
            ledger[seat, BRIDGE_AREA] = LOW_NUMBER_REWARD * low
    elif chosen == FULL_SETS:
        for seat in range(game.players):
            sets = SPACES
            for kind in range(len(KINDS)):
                sets = min(sets, game.seats[seat].kinds[kind])
            ledger[seat, BRIDGE_AREA] = FULL_SET_REWARD * sets


@jitable
def longest_run(player: State) -> int:
    """Return the longest run: numbers fall from park to park (§6.1), so it is the longest stretch without a park."""
    longest = 0
    run = 0
    for space in range(player.built):
        run = run + 1 if player.bridge_number[space] > 0 else 0
        longest = max(longest, run)
    return longest


@jitable
def reward_for(count: int, rewards: Any) -> int:
    """Return the reward of the highest threshold that a count reaches."""
    for least, reward in rewards:
        if count >= least:
            return int(reward)
    return 0


@jitable
def beats(game: State, seat: int, other: int) -> bool:
    """Return whether a seat finishes ahead of another: more money, then chapel order (§7)."""
    if game.money[seat] != game.money[other]:
        return bool(game.money[seat] > game.money[other])
    return bool(game.seats[seat].standing < game.seats[other].standing)


@jitable
def returns(game: State, ranks: Any, scores: Any) -> None:
    """Write each seat's rank and money; no two seats share a rank (§7)."""
    for seat in range(game.players):
        rank = 1
        for other in range(game.players):
            if other != seat and beats(game, other, seat):
                rank += 1
        ranks[seat] = rank
        scores[seat] = game.money[seat]
