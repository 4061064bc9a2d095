"""Short texts that tell a player what each action would bring.

They use only what that player can know: the public position and the immediate consequences of the action. Nothing is
played further than that.
"""

from __future__ import annotations

import numpy as np

from olb_env.core.game import State
from olb_env.portobello_market.bobby import most_of_others, toll
from olb_env.portobello_market.components import (
    CUSTOMERS,
    DISTRICT_COUNT,
    LORD,
    MARKING_SLOTS,
    NEUTRAL_SIDE,
    PLAZA_NAMES,
    SIDES,
)
from olb_env.portobello_market.notation import (
    BOBBY_TO,
    DRAW,
    MARK,
    PUT_LORD,
    PUT_STALL,
    TO_PLAZA,
)
from olb_env.portobello_market.rules import place_customer, place_lord, place_stall
from olb_env.portobello_market.scoring import mark_points
from olb_env.portobello_market.state import SETUP_BOBBY
from olb_env.portobello_market.text import bag_contents, coming, points


def explain(game: State, action: int) -> str:
    """Return what an action would bring the acting seat, or an empty text."""
    if action < MARK:
        return _token(game, action)
    if action < BOBBY_TO:
        district, slot = (action - MARK) % DISTRICT_COUNT, MARKING_SLOTS[(action - MARK) // DISTRICT_COUNT]
        return _mark(game, district, slot)
    if action < PUT_STALL:
        return _bobby(game, action - BOBBY_TO)
    if action < DRAW:
        return _stall(game, (action - PUT_STALL) // 2, (action - PUT_STALL) % 2)
    if action == DRAW:
        return f"a {coming(game)[0]}" if game.open else f"one of {bag_contents(game)}"
    if action < PUT_LORD:
        after = _copy(game)
        place_customer(after, action - TO_PLAZA, int(game.drawn))
        return _joined(_beside(game, action - TO_PLAZA), _brings(game, after))
    if action == PUT_LORD:
        after = _copy(game)
        place_lord(after)
        plaza = after.customer.tolist().index(LORD)
        return _joined(f"on {PLAZA_NAMES[plaza]}", _brings(game, after))
    left = int(game.table.actions_left)
    return f"ends the turn and gives up {_actions(left)}" if left else "ends the turn"


def _joined(*parts: str) -> str:
    return "; ".join(part for part in parts if part)


def _actions(count: int) -> str:
    return f"{count} action" if count == 1 else f"{count} actions"


def _copy(game: State) -> State:
    copy = np.zeros(1, game.dtype)
    copy[0] = game
    return copy[0]


def _token(game: State, slot: int) -> str:
    player = game.seats[int(game.actor)]
    return _joined(_actions(int(player.token_value[slot])), _turned_up(game))


def _turned_up(game: State) -> str:
    """Return what happens if the acting seat turns another token face down."""
    others = sum(int(up) for up in game.seats[int(game.actor)].token_up) - 1
    return "" if others else "then all tokens turn up again"


def _mark(game: State, district: int, slot: int) -> str:
    seat = int(game.actor)
    token = int(game.seats[seat].token_value[slot])
    brings = int(mark_points(game, seat, district, token))
    stalls = brings // token
    down = bool(game.board.rulings[NEUTRAL_SIDE])
    return _joined(
        f"{stalls} stall{'' if stalls == 1 else 's'} × {token} = {points(brings)}",
        f"a neutral {int(game.table.neutral_next)} in its place{', face down' if down else ''}",
        _turned_up(game) if down else "",
    )


def _bobby(game: State, district: int) -> str:
    free = sum(int(game.table.alley_free[alley]) for alley in game.board.around[district])
    lots = f"{free} free lot{'' if free == 1 else 's'} around"
    if int(game.phase) == SETUP_BOBBY:
        return lots
    return _joined(_toll(game, district), lots)


def _toll(game: State, district: int) -> str:
    seat, here = int(game.actor), int(game.bobby)
    side = next(side for side in range(SIDES) if int(game.beyond[here, side]) == district)
    alley = int(game.board.around[here, side])
    cost = int(toll(game, seat, alley))
    if not cost:
        return "free"
    most = int(most_of_others(game, seat, alley))
    if int(game.seats[seat].stalls[alley]) == most:
        return f"pay {cost} to nobody"
    seats = [other for other in range(int(game.players)) if int(game.seats[other].stalls[alley]) == most]
    return f"pay 1 {'' if len(seats) == 1 else 'each '}to {' and '.join(f'seat {other}' for other in seats)}"


def _stall(game: State, alley: int, end: int) -> str:
    after = _copy(game)
    place_stall(after, alley, end)
    left = int(after.table.alley_free[alley])
    state = "the alley is full" if not left else f"{left} left in the alley"
    last = "the last stall in hand" if int(after.seats[int(game.actor)].hand) == 0 else ""
    return _joined(f"a lot worth {int(game.table.alley_offer[alley, end])}", state, _brings(game, after), last)


def _beside(game: State, plaza: int) -> str:
    """Return the customers at the other ends of a plaza's alleys."""
    others = dict.fromkeys(
        first + second - plaza for first, second in game.board.ends.tolist() if plaza in (first, second)
    )
    standing = [
        f"{PLAZA_NAMES[other]} {CUSTOMERS[int(game.customer[other])]}" for other in others if game.customer[other]
    ]
    return f"beside {', '.join(standing)}" if standing else ""


def _brings(game: State, after: State) -> str:
    """Return the points that everybody gains from a placement."""
    seat = int(game.actor)
    won = (after.score - game.score).tolist()
    if not any(won):
        return ""
    others = [
        f"seat {other} gains {points(won[other])}" for other in range(int(game.players)) if other != seat and won[other]
    ]
    return _joined(f"gain {points(won[seat])}", ", ".join(others))
