"""The mechanics of the table: markers move, buildings are taken and built, tiles change hands.

Nothing here knows about decisions or the order of turns; `rules.py` does.
"""

from __future__ import annotations

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    ALL_CRESTS,
    COLOURS,
    KINDS,
    NO_CREST,
    PICKS,
    PILES,
    SPACES,
    STACK_SIZE,
    TILES,
)
from olb_env.old_london_bridge.state import CODE_BASE

K, T, P = len(KINDS), len(TILES), PILES


@jitable
def walk_chapel(game: State, seat: int, steps: int) -> int:
    """Move a marker on the chapel track, pay the coins on its way, and update chapel order (§3, §6.2).

    Return how many bonus spaces it reached or passed.
    """
    player = game.seats[seat]
    track = game.board.chapel
    start = player.chapel
    length = track.length
    if start == length:
        return 0
    goal = min(start + steps, length)
    game.money[seat] += track_pays(track, start, steps)
    player.chapel = goal
    place = player.standing
    if goal == length:
        # §3: at the end of the track a marker goes below those already there.
        while place > 0 and game.seats[game.order[place - 1]].chapel < length:
            place = _pass_one(game, seat, place)
    else:
        while place > 0 and game.seats[game.order[place - 1]].chapel <= goal:
            place = _pass_one(game, seat, place)
    return bonus_spaces(track, start, steps)


@jitable
def track_pays(track: State, start: int, steps: int) -> int:
    """Return the pounds for some steps from a space of a track: its coins and the reward at its end (§6.2)."""
    length = track.length
    if start == length:
        return 0
    pounds = int(track.end) if start + steps >= length else 0
    for space in range(start, min(start + steps, length)):  # a space is one more than its place in the list
        pounds += int(track.coins[space])
    return pounds


@jitable
def bonus_spaces(track: State, start: int, steps: int) -> int:
    """Return how many bonus spaces some steps from a space of a track reach or pass (§6.2)."""
    count = 0
    for space in range(start, min(start + steps, track.length)):
        count += int(track.bonus[space])
    return count


@jitable
def _pass_one(game: State, seat: int, place: int) -> int:
    """Let a marker overtake the one directly before it; return its new place."""
    other = game.order[place - 1]
    game.order[place] = other
    game.seats[other].standing = place
    game.order[place - 1] = seat
    game.seats[seat].standing = place - 1
    return place - 1


@jitable
def walk_gate(game: State, seat: int, steps: int) -> int:
    """Move a marker on the gate track and pay the coins on its way (§6.2).

    Return how many bonus spaces it reached or passed.
    """
    player = game.seats[seat]
    track = game.board.gate
    start = player.gate
    player.gate = min(start + steps, track.length)
    game.money[seat] += track_pays(track, start, steps)
    return bonus_spaces(track, start, steps)


@jitable
def turn_rondel(game: State, spaces: int) -> None:
    """Turn the rondel clockwise by some spaces, so that other coins lie beside the stacks (§4.1)."""
    game.rotation = (game.rotation + spaces) % K
    table = game.table
    for i in range(K):
        coin = game.rondel[(i - game.rotation) % K]
        kind = game.stack_order[i]
        table.coin[kind] = max(coin, 0)
        table.crossed[kind] = coin < 0


@jitable
def move_pawn(game: State, seat: int, space: int) -> None:
    """Place a seat's pawn on a space; with two players it may come from another space (§5.2)."""
    player = game.seats[seat]
    if PICKS[game.players] == 2:
        for i in range(K + 1):
            game.table.pawns[i] -= player.pawn[i]
            player.pawn[i] = 0
    game.table.pawns[space] += 1
    player.pawn[space] = 1


@jitable
def show_top(game: State, kind: int) -> None:
    """Make the top tile of a stack public (A12)."""
    left = game.table.stack_left[kind]
    code = game.hidden.stack[kind, STACK_SIZE - left] if left > 0 else 0
    game.table.top_number[kind] = code // CODE_BASE
    game.top_crest[kind] = code % CODE_BASE


@jitable
def take_building(game: State, kind: int) -> None:
    """Take the top building of a stack; the columns `tile_*` hold it until it is built (§5.3)."""
    table = game.table
    number = table.top_number[kind]
    crest = game.top_crest[kind]
    if number > 0:
        table.number_left[number - 1] = 0
    elif crest != NO_CREST:
        table.parks_left[crest - 1] -= 1
    table.tile_number = number
    game.tile_kind = kind
    game.tile_crest = crest
    table.stack_left[kind] -= 1
    show_top(game, kind)


@jitable
def fits_after_last(game: State, seat: int) -> bool:
    """Return whether the new building fits on the first free space, where it then must go (§6.1)."""
    player = game.seats[seat]
    number = game.table.tile_number
    if player.built == 0 or number == 0:
        return True
    last = player.bridge_number[player.built - 1]
    return bool(last == 0 or last > number)


@jitable
def can_replace(game: State, seat: int, space: int) -> bool:
    """Return whether the new building may replace the one on a space (§6.1)."""
    bridge = game.seats[seat].bridge_number
    number = game.table.tile_number
    if bridge[space] == 0:
        return False  # parks are never replaced, and a free space has nothing to replace
    if space > 0 and 0 < bridge[space - 1] < number:
        return False
    # A free space to the right has the number 0, as a park has; any number fits before either.
    return space + 1 == SPACES or bridge[space + 1] < number


@jitable
def build(game: State, seat: int, space: int) -> int:
    """Put the new building on a space, replacing the one there if any; return its power (§6)."""
    player = game.seats[seat]
    if space < player.built:
        _count(game, seat, player.bridge_kind[space] - 1, player.bridge_crest[space], -1)
    else:
        player.built += 1
    number = game.table.tile_number
    kind = game.tile_kind
    crest = game.tile_crest
    player.bridge_number[space] = number
    player.bridge_kind[space] = kind + 1
    player.bridge_crest[space] = crest
    _count(game, seat, kind, crest, 1)
    if number > 0 and (game.table.lowest == 0 or number < game.table.lowest):
        game.table.lowest = number
        game.lowest_seat = seat
    game.table.tile_number = 0
    game.tile_crest = 0
    return 0 if crest == ALL_CRESTS or crest == NO_CREST else player.power[crest - 1]


@jitable
def _count(game: State, seat: int, kind: int, crest: int, change: int) -> None:
    """Update the counts of kinds and crests on a bridge; a guild counts for every colour."""
    player = game.seats[seat]
    player.kinds[kind] += change
    if crest == ALL_CRESTS:
        for colour in range(COLOURS):
            player.power[colour] += change
    elif crest != NO_CREST:
        player.power[crest - 1] += change


@jitable
def usable(game: State, seat: int, tile: int) -> bool:
    """Return whether a seat holds a bonus tile of this kind from an earlier round (§5.4)."""
    player = game.seats[seat]
    return bool(player.tiles[tile] > player.fresh[tile])


@jitable
def spend(game: State, seat: int, tile: int) -> None:
    """Remove a used bonus tile from the game (§5.4)."""
    game.seats[seat].tiles[tile] -= 1


@jitable
def take_bonus(game: State, seat: int, pile: int) -> None:
    """Take the face-up tile of a pile, usable from the next round on (§5.4, §6.2)."""
    tile = game.hidden.pile[pile, T - game.table.pile_left[pile]]
    game.table.pile_holds[pile, tile] -= 1
    game.table.pile_left[pile] -= 1
    player = game.seats[seat]
    player.tiles[tile] += 1
    player.fresh[tile] += 1


@jitable
def bonus_left(game: State) -> bool:
    """Return whether any pile has a tile left."""
    for pile in range(P):
        if game.table.pile_left[pile] > 0:
            return True
    return False
