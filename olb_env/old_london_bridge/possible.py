"""Whether a state could have come from a game: every index, every count and every sum in it is checked.

Machine code trusts states, so those from outside are checked first. What a game counts on the way is counted anew here
and compared. The checks run in this order because each relies on what those before it have found.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rawbytes import bytes_of
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    AREAS,
    BOOST,
    CARD_VALUES,
    CARDS,
    COLOURS,
    CROSSED_OUT,
    EMPTY_STACKS_TO_END,
    GUILD,
    HIGHEST_NUMBER,
    IN_PLAY,
    KINDS,
    LEDGER,
    LONGEST_TRACK,
    MARKERS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    MAX_TURNS,
    MOST_COINS,
    NO_CREST,
    OPTIONS_PER_AREA,
    PARK,
    PICKS,
    PILES,
    PLAYERS,
    ROUNDS,
    RULINGS,
    SPACES,
    STACK_SIZE,
    TILES,
    TILES_OF_A_KIND,
    TURNS,
    ZEROS,
)
from olb_env.old_london_bridge.encode import MOST_MONEY
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.mechanics import fits_after_last
from olb_env.old_london_bridge.scoring import count_end, total_of
from olb_env.old_london_bridge.state import (
    AFTER,
    BONUS,
    BOOST_PHASE,
    CODE_BASE,
    HIRE,
    OVER,
    PLACE,
    PLAY,
    REPLACE,
    SEAT,
)

K, C, V, T, P, S = len(KINDS), COLOURS, CARD_VALUES, len(TILES), PILES, SPACES
RULING_COUNT = len(RULINGS)
SEAT_BYTES = SEAT.itemsize


@jitable
def possible(game: State) -> bool:
    """Return whether a state could have come from a game."""
    return bool(
        _setting_is_possible(game)
        and _board_is_possible(game)
        and _stacks_are_possible(game)
        and _markers_are_possible(game)
        and _seats_are_possible(game)
        and _order_is_possible(game)
        and _bridges_are_possible(game)
        and _tiles_are_possible(game)
        and _turns_are_possible(game)
        and _cards_are_possible(game)
        and _picks_are_possible(game)
        and _pawns_are_possible(game)
        and _turn_in_progress_is_possible(game)
        and _money_is_possible(game)
        and _end_is_possible(game)
        and _legal_actions_are_right(game)
    )


@jitable
def in_turn(game: State) -> bool:
    """Return whether somebody has a turn: the phases from placing the pawn to the use of tiles after building."""
    return bool(PLACE <= game.phase <= AFTER)


@jitable
def _setting_is_possible(game: State) -> bool:
    if not min(PLAYERS) <= game.players <= max(PLAYERS) or not 0 <= game.perfect <= 1:
        return False
    for area in range(len(AREAS)):
        if not 0 <= game.scoring[area] < OPTIONS_PER_AREA:
            return False
    if not 0 <= game.phase <= OVER or not 1 <= game.round_number <= ROUNDS[game.players]:
        return False
    if not (game.resume == 0 or game.resume == PLACE or game.resume == AFTER):
        return False
    if not (0 <= game.tile_kind < K and 0 <= game.lowest_seat < game.players and 0 <= game.rotation < K):
        return False
    if game.phase == OVER:
        return bool(game.actor == -1 and game.turn == TURNS[game.players])
    turns = TURNS[game.players] if in_turn(game) else int(game.players)
    return bool(0 <= game.actor < game.players and 0 <= game.turn < turns)


@jitable
def is_permutation(items: Any, count: int) -> bool:
    """Return whether the first items are the numbers below `count`, each once, and the others zero."""
    seen = 0
    for i in range(items.shape[0]):
        if i < count:
            if not 0 <= items[i] < count:
                return False
            seen |= 1 << int(items[i])
        elif items[i] != 0:
            return False
    return bool(seen == (1 << count) - 1)


@jitable
def _board_is_possible(game: State) -> bool:
    for ruling in range(RULING_COUNT):
        if not 0 <= game.board.rulings[ruling] <= 1:
            return False
    if not _track_is_possible(game.board.chapel) or not _track_is_possible(game.board.gate):
        return False
    if not is_permutation(game.stack_order, K):
        return False
    for i in range(K):
        if not CROSSED_OUT <= game.rondel[i] <= MOST_COINS:
            return False
    for i in range(K):
        coin, kind = int(game.rondel[(i - int(game.rotation)) % K]), int(game.stack_order[i])
        if game.table.coin[kind] != max(coin, 0) or game.table.crossed[kind] != (coin == CROSSED_OUT):
            return False
    return True


@jitable
def _track_is_possible(track: State) -> bool:
    if not 1 <= track.length <= LONGEST_TRACK or not 0 <= track.end <= MOST_COINS:
        return False
    for space in range(LONGEST_TRACK):
        most = 1 if space < track.length else 0
        if not 0 <= track.coins[space] <= most * MOST_COINS or not 0 <= track.bonus[space] <= most:
            return False
    return True


@jitable
def _stacks_are_possible(game: State) -> bool:
    """Check that every number is on one tile, and that what is left in the stacks and on top is counted right."""
    table = game.table
    numbers = np.int64(0)
    for kind in range(K):
        left = int(table.stack_left[kind])
        if not 0 <= left <= STACK_SIZE:
            return False
        for i in range(STACK_SIZE):
            code = int(game.hidden.stack[kind, i])
            number, crest = code // CODE_BASE, code % CODE_BASE
            if not 0 <= number <= HIGHEST_NUMBER or not _may_show(kind, crest):
                return False
            if (kind == PARK) != (number == 0):
                return False
            if number > 0:
                if numbers >> (number - 1) & 1:
                    return False
                numbers |= np.int64(1) << (number - 1)
                if table.number_left[number - 1] != (i >= STACK_SIZE - left):
                    return False
        top = int(game.hidden.stack[kind, STACK_SIZE - left]) if left > 0 else 0
        if table.top_number[kind] != top // CODE_BASE or game.top_crest[kind] != top % CODE_BASE:
            return False
    for colour in range(C):
        if table.parks_left[colour] != parks_between(
            game, STACK_SIZE - int(table.stack_left[PARK]), STACK_SIZE, colour
        ):
            return False
    return True


@jitable
def _may_show(kind: int, crest: int) -> bool:
    """Return whether a building of that kind may show a crest (§1)."""
    if kind == GUILD:
        return crest == ALL_CRESTS
    return (NO_CREST if kind == PARK else 1) <= crest < ALL_CRESTS


@jitable
def parks_between(game: State, first: int, last: int, colour: int) -> int:
    """Return how many parks with a crest of that colour are at some places of their stack."""
    count = 0
    for i in range(first, last):
        count += int(game.hidden.stack[PARK, i]) % CODE_BASE == colour + 1
    return count


@jitable
def _markers_are_possible(game: State) -> bool:
    rounds = ROUNDS[game.players]
    if game.table.rounds_left != rounds - int(game.round_number):
        return False
    for i in range(MAX_ROUNDS):
        least, most = (1, len(MARKERS)) if i < rounds else (0, 0)
        if not least <= game.hidden.marker[i] <= most:
            return False
    for value in range(len(MARKERS)):
        revealed = 0
        drawn = 0
        for i in range(rounds):
            drawn += game.hidden.marker[i] == value + 1
            revealed += i < game.round_number and game.hidden.marker[i] == value + 1
        if drawn > MARKERS[value] or game.table.markers_left[value] != MARKERS[value] - revealed:
            return False
    return True


@jitable
def _seats_are_possible(game: State) -> bool:
    """Check that the first seats are taken, and that nothing is at the others."""
    for seat in range(MAX_PLAYERS):
        if seat < game.players:
            if game.seats[seat].present != 1:
                return False
        else:
            block = bytes_of(game.seats[seat], SEAT_BYTES)
            for i in range(SEAT_BYTES):
                if block[i] != 0:
                    return False
            if game.money[seat] != 0:
                return False
        if seat >= game.players or game.phase != OVER:
            for column in range(len(LEDGER)):
                if game.ledger[seat, column] != 0:
                    return False
    return True


@jitable
def _order_is_possible(game: State) -> bool:
    """Check that the chapel order agrees with the chapel track (§3)."""
    if not is_permutation(game.order, game.players) or not is_permutation(game.stairs, game.players):
        return False
    for place in range(game.players):
        player = game.seats[game.order[place]]
        if player.standing != place:
            return False
        if not 0 <= player.chapel <= game.board.chapel.length or not 0 <= player.gate <= game.board.gate.length:
            return False
        if place > 0 and game.seats[game.order[place - 1]].chapel < player.chapel:
            return False
    return True


@jitable
def _bridges_are_possible(game: State) -> bool:
    """Check that every building comes from its stack and stands once, that numbers fall, and that all parks stand."""
    standing = np.int64(0)
    for seat in range(game.players):
        player = game.seats[seat]
        if not 0 <= player.built <= S:
            return False
        for space in range(S):
            number, crest = int(player.bridge_number[space]), int(player.bridge_crest[space])
            kind = int(player.bridge_kind[space]) - 1
            if space >= player.built:
                if number != 0 or crest != 0 or kind != -1:
                    return False
                continue
            if not 0 <= kind < K or not 0 <= number <= HIGHEST_NUMBER or not 0 <= crest <= ALL_CRESTS:
                return False
            if not is_taken(game, kind, number * CODE_BASE + crest):
                return False
            if number > 0:
                if standing >> (number - 1) & 1:
                    return False
                standing |= np.int64(1) << (number - 1)
                if space > 0 and 0 < player.bridge_number[space - 1] < number:
                    return False
        if not _counts_are_right(player):
            return False
    taken = STACK_SIZE - int(game.table.stack_left[PARK])
    for colour in range(-1, C):  # -1: parks without a crest
        built = 0
        for seat in range(game.players):
            player = game.seats[seat]
            for space in range(player.built):
                built += player.bridge_kind[space] == PARK + 1 and player.bridge_crest[space] == colour + 1
        if built != parks_between(game, 0, taken, colour):
            return False
    return True


@jitable
def is_taken(game: State, kind: int, code: int) -> bool:
    """Return whether a tile with this code has been taken from a stack."""
    for i in range(STACK_SIZE - int(game.table.stack_left[kind])):
        if game.hidden.stack[kind, i] == code:
            return True
    return False


@jitable
def _counts_are_right(player: State) -> bool:
    """Check that the kinds and crests on a bridge are counted right."""
    for kind in range(K):
        count = 0
        for space in range(player.built):
            count += player.bridge_kind[space] == kind + 1
        if player.kinds[kind] != count:
            return False
    for colour in range(C):
        count = 0
        for space in range(player.built):
            count += player.bridge_crest[space] == colour + 1 or player.bridge_crest[space] == ALL_CRESTS
        if player.power[colour] != count:
            return False
    return True


@jitable
def _tiles_are_possible(game: State) -> bool:
    """Check that every bonus tile is in its pile, or with a seat, or has been used."""
    for pile in range(P):
        if not 0 <= game.table.pile_left[pile] <= T:
            return False
        for i in range(T):
            if not 0 <= game.hidden.pile[pile, i] < T:
                return False
    for tile in range(T):
        drawn = 0
        taken = 0
        for pile in range(P):
            held = 0
            for i in range(T):
                if game.hidden.pile[pile, i] == tile:
                    drawn += 1
                    held += i >= T - int(game.table.pile_left[pile])
                    taken += i < T - int(game.table.pile_left[pile])
            if game.table.pile_holds[pile, tile] != held:
                return False
        for seat in range(game.players):
            player = game.seats[seat]
            if not 0 <= player.fresh[tile] <= player.tiles[tile]:
                return False
            if player.fresh[tile] > 0 and not in_turn(game):
                return False
            taken -= int(player.tiles[tile])
            if tile == BOOST:  # those used in this round are known
                taken -= int(player.boost[0]) + int(player.boost[1])
        if drawn != TILES_OF_A_KIND or taken < 0:
            return False
    return True


@jitable
def _turns_are_possible(game: State) -> bool:
    """Check that the turns are those of all cards played, by value; before that they are those of an earlier round."""
    picks, turns, seen = PICKS[game.players], TURNS[game.players], 0
    for at in range(MAX_TURNS):
        seat, card = int(game.turn_seat[at]), int(game.turn_card[at])
        if not 0 <= seat < game.players or not 0 <= card < picks or (at >= turns and seat + card > 0):
            return False
        if at < turns:
            seen |= 1 << (2 * seat + card)
    if not in_turn(game):
        for seat in range(game.players):
            if game.seats[seat].queue[0] != 0 or game.seats[seat].queue[1] != 0:
                return False
        return bool(game.phase == OVER or game.actor == game.order[game.turn])
    for seat in range(game.players):
        for card in range(2):
            if (seen >> (2 * seat + card) & 1) != (card < picks):
                return False
            if card >= picks and game.seats[seat].queue[card] != 0:
                return False
    for at in range(turns):
        seat, card = int(game.turn_seat[at]), int(game.turn_card[at])
        if game.seats[seat].queue[card] != (at + 1 if at >= game.turn else 0):
            return False
        if at > 0:
            before, other = int(game.turn_seat[at - 1]), int(game.turn_card[at - 1])
            value = int(game.seats[seat].card[card]) + int(game.seats[seat].boost[card])
            value_before = int(game.seats[before].card[other]) + int(game.seats[before].boost[other])
            if value_before < value or (value_before == value and before == seat and other > card):
                return False
    return bool(game.actor == game.turn_seat[game.turn])


@jitable
def _cards_are_possible(game: State) -> bool:
    """Check that every card is in the supply, in a hand, or on the table."""
    revealed = game.phase == BOOST_PHASE or in_turn(game)
    picks = PICKS[game.players]
    for seat in range(game.players):
        player = game.seats[seat]
        for card in range(2):
            shown = revealed and card < picks
            if not (1 if shown else 0) <= player.card[card] <= (V if shown else 0):
                return False
            if not 0 <= player.boost[card] <= (TILES_OF_A_KIND if shown else 0):
                return False
        if player.card[1] > player.card[0]:
            return False
    for value in range(V):
        count = int(game.table.supply[value])
        if count < 0:
            return False
        for seat in range(game.players):
            own = int(game.seats[seat].hand[value])
            if own < 0:
                return False
            for card in range(picks):
                own += game.seats[seat].card[card] == value + 1 and _is_on_table(game, seat, card)
            if value == 0 and own != ZEROS[game.players]:
                return False
            count += own
        if value > 0 and count != CARDS[value]:
            return False
    return bool(game.table.supply[0] == 0)


@jitable
def _is_on_table(game: State, seat: int, card: int) -> bool:
    """Return whether a revealed card still lies before its owner: until its turn begins (§5.1)."""
    return bool(game.phase == BOOST_PHASE or game.seats[seat].queue[card] > game.turn + 1)


@jitable
def _picks_are_possible(game: State) -> bool:
    """Check that those before the actor have picked cards from their hands, and the actor at most one of two (§4.3)."""
    picks = PICKS[game.players]
    for place in range(game.players):
        player = game.seats[game.order[place]]
        least = 0
        most = 0
        if game.phase == PLAY and place < game.turn:
            least = picks
            most = picks
        elif game.phase == PLAY and place == game.turn:
            most = picks - 1
        count = int(player.pick[0] > 0) + int(player.pick[1] > 0)
        if not least <= count <= most or (player.pick[0] == 0 and player.pick[1] != 0):
            return False
        for i in range(2):
            if not 0 <= player.pick[i] <= V:
                return False
        for value in range(V):
            if player.hand[value] < int(player.pick[0] == value + 1) + int(player.pick[1] == value + 1):
                return False
    return True


@jitable
def _pawns_are_possible(game: State) -> bool:
    """Check that only those who have had a turn in this round have a pawn on the rondel, and only one."""
    for space in range(K + 1):
        count = 0
        for seat in range(game.players):
            if not 0 <= game.seats[seat].pawn[space] <= 1:
                return False
            count += int(game.seats[seat].pawn[space])
        if game.table.pawns[space] != count:
            return False
    for seat in range(game.players):
        pawns = 0
        for space in range(K + 1):
            pawns += int(game.seats[seat].pawn[space])
        has_placed = False
        must = False
        if in_turn(game):
            for at in range(game.turn):
                has_placed = has_placed or game.turn_seat[at] == seat
            must = game.turn_seat[game.turn] == seat and not _is_to_place(game)
        if pawns > int(has_placed or must) or pawns < int(must):
            return False
    return True


@jitable
def _is_to_place(game: State) -> bool:
    """Return whether the actor still has to place the pawn in this turn."""
    return bool(game.phase == PLACE or (game.phase == BONUS and game.resume == PLACE))


@jitable
def _turn_in_progress_is_possible(game: State) -> bool:
    """Check that what belongs to one phase is there in no other."""
    table = game.table
    for opener in range(3):
        if not 0 <= table.used[opener] <= int(_is_to_place(game)):
            return False
    if not 0 <= table.recalled <= int(in_turn(game) and not _is_to_place(game)):
        return False
    if table.recalled == 1 and (game.phase == REPLACE or game.phase == HIRE):
        return False
    if game.phase == HIRE:
        if not 0 <= table.hire_power <= S or not 0 <= table.hire_highest <= V - 1:
            return False
    elif table.hire_power != 0 or table.hire_highest != 0:
        return False
    if game.phase == BONUS:
        if not 1 <= table.bonus_due <= LONGEST_TRACK or game.resume == 0:
            return False
    elif table.bonus_due != 0:
        return False
    if not 0 <= table.lowest <= (HIGHEST_NUMBER if in_turn(game) else 0):
        return False
    if table.lowest > 0 and table.number_left[table.lowest - 1] != 0:
        return False
    return _taken_building_is_possible(game)


@jitable
def _taken_building_is_possible(game: State) -> bool:
    """Check that the building that has to replace another was the last one taken, and does not fit at the end."""
    number, crest = int(game.table.tile_number), int(game.tile_crest)
    if game.phase != REPLACE:
        return number == 0 and crest == 0
    taken = STACK_SIZE - int(game.table.stack_left[game.tile_kind])
    if taken == 0 or number == 0 or game.hidden.stack[game.tile_kind, taken - 1] != number * CODE_BASE + crest:
        return False
    for seat in range(game.players):
        for space in range(game.seats[seat].built):
            if game.seats[seat].bridge_number[space] == number:
                return False
    return not fits_after_last(game, game.actor)


@jitable
def _money_is_possible(game: State) -> bool:
    """Check that nobody has debts or too much while the game is on, and that the ledger is right at its end."""
    if game.phase != OVER:
        for seat in range(game.players):
            if not 0 <= game.money[seat] <= MOST_MONEY:
                return False
        return True
    in_play = np.zeros(MAX_PLAYERS, np.int64)
    for seat in range(game.players):
        in_play[seat] = game.ledger[seat, IN_PLAY]
        if not 0 <= in_play[seat] <= MOST_MONEY:
            return False
    ledger = np.zeros((MAX_PLAYERS, len(LEDGER)), np.int64)
    count_end(game, in_play, ledger)
    for seat in range(game.players):
        for column in range(len(LEDGER)):
            if game.ledger[seat, column] != ledger[seat, column]:
                return False
        if game.money[seat] != total_of(ledger, seat):
            return False
    return True


@jitable
def _end_is_possible(game: State) -> bool:
    """Check that no turn took two buildings, and that a game is over only after its last round or at empty stacks."""
    taken = 0
    empty = 0
    for kind in range(K):
        taken += STACK_SIZE - int(game.table.stack_left[kind])
        empty += game.table.stack_left[kind] == 0
    turns = TURNS[game.players] * (int(game.round_number) - 1)
    if in_turn(game) or game.phase == OVER:
        turns += int(game.turn)
        turns += int(in_turn(game) and not _is_to_place(game))
    if taken > turns:
        return False
    if game.phase == OVER:
        return bool(empty >= EMPTY_STACKS_TO_END or game.round_number == ROUNDS[game.players])
    return bool(in_turn(game) or empty < EMPTY_STACKS_TO_END)


@jitable
def _legal_actions_are_right(game: State) -> bool:
    """Check that a game that is on waits at a decision with a choice (§8)."""
    if game.phase == OVER:
        return bool(game.legal == 0)
    actions = legal_set(game)
    return bool(game.legal == actions and actions & (actions - 1) != 0)
