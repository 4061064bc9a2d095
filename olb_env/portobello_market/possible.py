"""Whether a state could have come from a game: every index, every count and every sum in it is checked.

Machine code trusts states, so those from outside are checked first. What a game counts on the way is counted anew here
and compared. Only points depend on more than the state shows, so they are checked for their range. The checks run in
this order because each relies on what those before it have found.
"""

from __future__ import annotations

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rawbytes import bytes_of
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BAG_SIZE,
    BOBBY_RETURNS,
    DISTRICT_COUNT,
    FURTHEST,
    HIGHEST_FACTOR,
    HIGHEST_START,
    HIGHEST_VALUE,
    IDLE_LIMITS,
    IDLE_ROUNDS,
    LONGEST_ALLEY,
    LORD,
    MARKING_SLOTS,
    MAX_ACTIONS,
    MAX_PLAYERS,
    MAX_ROUNDS,
    NEUTRAL_TOKENS,
    OF_EACH,
    OWN_TOKENS,
    PLAYERS,
    PLAZA_NAMES,
    RETURNS,
    SERVANT,
    SHORTEST_ALLEY,
    SIDES,
    SLOTS,
    STALLS,
)
from olb_env.portobello_market.legal_actions import write_legal_set
from olb_env.portobello_market.rules import CHOICE, forced_action
from olb_env.portobello_market.scoring import factor_of
from olb_env.portobello_market.state import ACT, OUTSIDE, OVER, PLAZA, SEAT, SETUP_BOBBY, TURN, R

A, D, P, L = len(ALLEY_NAMES), DISTRICT_COUNT, len(PLAZA_NAMES), LONGEST_ALLEY
SEAT_BYTES = SEAT.itemsize
# One player owns every lot between the best customers, marks twice, and collects the points that all began with.
MOST_POINTS = MAX_PLAYERS * HIGHEST_START + HIGHEST_FACTOR * A * L * HIGHEST_VALUE + sum(OWN_TOKENS) * SIDES * L


@jitable
def possible(game: State) -> bool:
    """Return whether a state could have come from a game."""
    return bool(
        _setting_is_possible(game)
        and _alleys_are_possible(game)
        and _districts_are_possible(game)
        and _seats_are_possible(game)
        and _stalls_are_possible(game)
        and _customers_are_possible(game)
        and _scored_alleys_are_right(game)
        and _marks_are_possible(game)
        and _tokens_are_possible(game)
        and _bobby_is_possible(game)
        and _turn_is_possible(game)
        and _legal_actions_are_right(game)
    )


@jitable
def _setting_is_possible(game: State) -> bool:
    if not min(PLAYERS) <= game.players <= max(PLAYERS) or not 0 <= game.open <= 1:
        return False
    for ruling in range(R):
        if not 0 <= game.board.rulings[ruling] <= 1:
            return False
    if not 0 <= game.start_score <= HIGHEST_START or not 0 <= game.start_player < game.players:
        return False
    if not 0 <= game.phase <= OVER:
        return False
    if game.phase == SETUP_BOBBY:
        before = int(game.start_player) + int(game.players) - 1
        return bool(game.round_number == 0 and game.turn == 0 and game.actor == before % int(game.players))
    if not 1 <= game.round_number <= MAX_ROUNDS:
        return False
    if game.phase == OVER:
        return bool(game.actor == -1 and game.turn == game.players)
    at_turn = (int(game.start_player) + int(game.turn)) % int(game.players)
    return bool(0 <= game.turn < game.players and game.actor == at_turn)


@jitable
def _alleys_are_possible(game: State) -> bool:
    for alley in range(A):
        if (
            not 0 <= game.board.ends[alley, 0] < P
            or not 0 <= game.board.ends[alley, 1] < P
            or game.board.ends[alley, 0] == game.board.ends[alley, 1]
        ):
            return False
        if not SHORTEST_ALLEY <= game.length[alley] <= L:
            return False
        for lot in range(L):
            is_there = lot < game.length[alley]
            if not (1 if is_there else 0) <= game.board.values[alley, lot] <= (HIGHEST_VALUE if is_there else 0):
                return False
    for plaza in range(P):
        for i in range(2):
            if not 0 <= game.place[plaza, i] <= FURTHEST:
                return False
    return True


@jitable
def _districts_are_possible(game: State) -> bool:
    """Check that three alleys enclose every district, and that neighbours share one alley."""
    for here in range(D):
        for side in range(SIDES):
            if not 0 <= game.board.around[here, side] < A:
                return False
    for alley in range(A):
        beside = 0
        for here in range(D):
            for side in range(SIDES):
                beside += game.board.around[here, side] == alley
        if not 1 <= beside <= 2:
            return False
    for here in range(D):
        for side in range(SIDES):
            for end in range(2):
                corner = int(game.board.ends[game.board.around[here, side], end])
                meeting = 0
                for other in range(SIDES):
                    ends = game.board.ends[game.board.around[here, other]]
                    meeting += int(ends[0] == corner) + int(ends[1] == corner)
                if meeting != 2:
                    return False
            if game.beyond[here, side] != district_beyond(game, here, side):
                return False
            for other in range(side):
                if game.beyond[here, side] != OUTSIDE and game.beyond[here, side] == game.beyond[here, other]:
                    return False
    return True


@jitable
def district_beyond(game: State, here: int, side: int) -> int:
    """Return the district on the other side of an alley, or OUTSIDE."""
    for there in range(D):
        for other in range(SIDES):
            if there != here and game.board.around[there, other] == game.board.around[here, side]:
                return there
    return OUTSIDE


@jitable
def _seats_are_possible(game: State) -> bool:
    """Check that the first seats are taken, and that nothing is at the others."""
    for seat in range(MAX_PLAYERS):
        player = game.seats[seat]
        if seat < game.players:
            if player.present != 1 or not 0 <= game.score[seat] <= MOST_POINTS:
                return False
            if game.phase == SETUP_BOBBY and game.score[seat] != game.start_score:
                return False
        else:
            block = bytes_of(player, SEAT_BYTES)
            for i in range(SEAT_BYTES):
                if block[i] != 0:
                    return False
            if game.score[seat] != 0:
                return False
    return True


@jitable
def _stalls_are_possible(game: State) -> bool:
    """Check that every alley is filled from one end, and that stalls and their lots are counted right (§3.2)."""
    for alley in range(A):
        length, filled = int(game.length[alley]), 0
        for lot in range(L):
            if not 0 <= game.lot[alley, lot] <= (int(game.players) if lot < length else 0):
                return False
            filled += game.lot[alley, lot] > 0
        if game.table.alley_filled[alley] != filled or game.table.alley_free[alley] != length - filled:
            return False
        from_first = game.lot[alley, 0] > 0
        for lot in range(length):
            place = lot if from_first else length - 1 - lot
            if (game.lot[alley, place] > 0) != (lot < filled):
                return False
        for end in range(2):
            following = filled if end == 0 else length - 1 - filled
            is_offered = filled == 0 or (filled < length and from_first == (end == 0))
            if game.table.alley_offer[alley, end] != (int(game.board.values[alley, following]) if is_offered else 0):
                return False
    placed = 0
    is_last_round = False
    for seat in range(game.players):
        player = game.seats[seat]
        stalls = 0
        for alley in range(A):
            count = 0
            worth = 0
            for lot in range(L):
                if game.lot[alley, lot] == seat + 1:
                    count += 1
                    worth += int(game.board.values[alley, lot])
            if player.stalls[alley] != count or player.worth[alley] != worth:
                return False
            stalls += count
        if player.hand != STALLS[game.players] - stalls or player.hand < 0:
            return False
        placed += stalls
        is_last_round = is_last_round or player.hand == 0
    return bool(game.table.last_round == is_last_round and (placed == 0 or game.phase != SETUP_BOBBY))


@jitable
def _customers_are_possible(game: State) -> bool:
    """Check that the customers drawn stand on plazas, but for one just drawn, and that the others are in the bag."""
    in_bag = int(game.table.bag[0]) + int(game.table.bag[1])
    if not 0 <= game.table.bag[0] <= OF_EACH or not 0 <= game.table.bag[1] <= OF_EACH:
        return False
    drawn = BAG_SIZE - in_bag
    if drawn > 0 and game.phase == SETUP_BOBBY:
        return False
    if game.drawn != (int(game.order[drawn - 1]) if game.phase == PLAZA and drawn > 0 else 0):
        return False
    if game.phase == PLAZA and drawn == 0:
        return False
    for kind in range(SERVANT, LORD):
        before = 0
        after = 0
        for i in range(BAG_SIZE):
            before += i < drawn and game.order[i] == kind
            after += i >= drawn and game.order[i] == kind
        if before + after != OF_EACH or game.table.bag[kind - SERVANT] != after:
            return False
        if before != customers_out(game, kind) + int(game.drawn == kind):
            return False
    for plaza in range(P):
        if not 0 <= game.customer[plaza] <= LORD:
            return False
    lords = customers_out(game, LORD)
    return bool(lords == 0 or (lords == 1 and in_bag == 0 and game.drawn == 0))


@jitable
def customers_out(game: State, kind: int) -> int:
    """Return how many customers of a kind stand on plazas."""
    count = 0
    for plaza in range(P):
        count += game.customer[plaza] == kind
    return count


@jitable
def _scored_alleys_are_right(game: State) -> bool:
    """Check that those alleys have been scored that are full and have both their customers (§4)."""
    for alley in range(A):
        is_complete = game.table.alley_free[alley] == 0 and factor_of(game, alley) > 0
        if game.table.alley_scored[alley] != is_complete:
            return False
    return True


@jitable
def _marks_are_possible(game: State) -> bool:
    """Check that every mark is a token of its player, and that each district has one mark at most (§3.1)."""
    marks = 0
    for district in range(D):
        here = 0
        for seat in range(game.players):
            mark = game.seats[seat].mark[district]
            if mark != 0 and mark != OWN_TOKENS[MARKING_SLOTS[0]] and mark != OWN_TOKENS[MARKING_SLOTS[1]]:
                return False
            here += mark != 0
        if here > 1 or game.table.marked[district] != here:
            return False
        marks += here
    left = len(NEUTRAL_TOKENS) - marks
    if game.table.neutral_left != left or (marks > 0 and game.phase == SETUP_BOBBY):
        return False
    return bool(game.table.neutral_next == (NEUTRAL_TOKENS[marks] if left > 0 else 0))


@jitable
def _tokens_are_possible(game: State) -> bool:
    """Check that a neutral token is in every slot whose token marks a district, and that all can still act (§3)."""
    for value in range(MAX_ACTIONS + 1):
        taken = 0
        held = 0
        for i in range(len(NEUTRAL_TOKENS) - int(game.table.neutral_left)):
            taken += NEUTRAL_TOKENS[i] == value
        for seat in range(game.players):
            for slot in range(SLOTS):
                held += game.seats[seat].token_own[slot] == 0 and game.seats[seat].token_value[slot] == value
        if held != taken:
            return False
    for seat in range(game.players):
        player = game.seats[seat]
        up = 0
        for slot in range(SLOTS):
            marks = 0
            for district in range(D):
                marks += player.mark[district] == OWN_TOKENS[slot]
            if marks > 1 or player.token_own[slot] != 1 - marks or not 0 <= player.token_up[slot] <= 1:
                return False
            if player.token_own[slot] == 1 and player.token_value[slot] != OWN_TOKENS[slot]:
                return False
            up += int(player.token_up[slot])
        is_acting = seat == game.actor and (game.phase == ACT or game.phase == PLAZA)
        if (up == 0 and not is_acting) or (game.phase == SETUP_BOBBY and up < SLOTS):
            return False
        if is_acting and not has_used_token(player, int(game.table.actions_left)):
            return False
    return True


@jitable
def has_used_token(player: State, actions: int) -> bool:
    """Return whether a token that allows so many actions lies face down."""
    for slot in range(SLOTS):
        if player.token_up[slot] == 0 and player.token_value[slot] >= actions:
            return True
    return False


@jitable
def _bobby_is_possible(game: State) -> bool:
    """Check that the districts he may not enter are those where he has been (§3.2, [P4])."""
    if game.phase == SETUP_BOBBY:
        if game.bobby != OUTSIDE:
            return False
    elif not 0 <= game.bobby < D or game.table.been[game.bobby] < 1:
        return False
    returns = RETURNS[game.board.rulings[BOBBY_RETURNS]]
    for district in range(D):
        most = returns + 1
        if game.phase == SETUP_BOBBY or (game.phase == TURN and district != game.bobby):
            most = 0
        elif game.phase == TURN:
            most = 1
        if not 0 <= game.table.been[district] <= most:
            return False
        if game.table.barred[district] != (game.table.been[district] > returns):
            return False
    return True


@jitable
def _turn_is_possible(game: State) -> bool:
    """Check what belongs to the turn and the round, and that a game is over at the end of its last round only (§4)."""
    table = game.table
    if not 0 <= table.quiet <= 1:
        return False
    limit = IDLE_LIMITS[game.board.rulings[IDLE_ROUNDS]]
    if not 0 <= table.idle < limit:
        return False
    if game.phase == SETUP_BOBBY and (table.quiet != 0 or table.idle != 0):
        return False
    least = 1 if game.phase == PLAZA else 0
    if not least <= table.actions_left <= (MAX_ACTIONS if game.phase == ACT or game.phase == PLAZA else 0):
        return False
    if game.phase != OVER:
        return True
    return bool(table.last_round == 1 or (table.quiet == 1 and table.idle + 1 == limit))


@jitable
def _legal_actions_are_right(game: State) -> bool:
    """Check that a game that is on waits at a decision with a choice (§5)."""
    before, after = int(game.legal[0]), int(game.legal[1])
    if game.phase == OVER:
        return before == 0 and after == 0
    write_legal_set(game)
    is_right = game.legal[0] == before and game.legal[1] == after and forced_action(game) == CHOICE
    game.legal[0] = before
    game.legal[1] = after
    return bool(is_right)
