"""The map in the picture: districts, alleys with their lots, plazas with their customers, and the Bobby."""

from __future__ import annotations

from dataclasses import dataclass
from math import hypot
from typing import Final

from olb_env.core.game import State
from olb_env.core.svg import CARD, FAINT, INK, LINE, box, centred, choice, disc, element, tooltip
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    DISTRICT_COUNT,
    DISTRICT_NAMES,
    LORD,
    MARKING_SLOTS,
    OWN_TOKENS,
    PLAZA_NAMES,
)
from olb_env.portobello_market.picture_pieces import (
    EDGE,
    GROUND,
    GROUND_BOBBY,
    LOT_SIZE,
    STREET,
    STREET_DONE,
    STREET_EDGE,
    WIDTH,
    bobby,
    chip,
    customer,
    lot,
    mark,
    polygon,
    tick,
)
from olb_env.portobello_market.state import TURN
from olb_env.portobello_market.text import mark_on

MAP_TOP, MAP_HEIGHT = 168, 640
INSET: Final = 44  # between the edge of the map and the middle of a plaza
PLAZA_RADIUS: Final = 25
LOT_GAP: Final = 12
ALLEY_GAP: Final = LOT_SIZE + 3  # between the middles of alleys that join the same plazas
Point = tuple[float, float]


@dataclass(frozen=True)
class Plan:
    """The places of plazas, alleys and districts in the picture."""

    plazas: list[Point]
    alleys: list[tuple[Point, Point]]
    centres: list[Point]  # of districts
    corners: list[list[Point]]

    @classmethod
    def of(cls, game: State) -> Plan:
        """Return the plan of a game's board, stretched to fill the map."""
        places = [(int(x), int(y)) for x, y in game.place]
        plazas = [
            (
                _spread(x, [place[0] for place in places], EDGE + INSET, WIDTH - EDGE - INSET),
                _spread(y, [place[1] for place in places], MAP_TOP + INSET, MAP_TOP + MAP_HEIGHT - INSET),
            )
            for x, y in places
        ]
        ends = [(int(first), int(second)) for first, second in game.board.ends]
        alleys = [_beside_others(plazas, ends, alley) for alley in range(len(ends))]
        corners = []
        for around in game.board.around.tolist():
            numbers = sorted({plaza for alley in around for plaza in game.board.ends[alley].tolist()})
            corners.append([plazas[plaza] for plaza in numbers])
        return cls(plazas, alleys, [_middle(points) for points in corners], corners)


def _beside_others(plazas: list[Point], ends: list[tuple[int, int]], alley: int) -> tuple[Point, Point]:
    """Return where an alley begins and ends; alleys between the same two plazas lie side by side."""
    first, second = ends[alley]
    same = [number for number, two in enumerate(ends) if set(two) == {first, second}]
    away = (same.index(alley) - (len(same) - 1) / 2) * ALLEY_GAP * (1 if first < second else -1)
    (ax, ay), (bx, by) = plazas[first], plazas[second]
    far = max(hypot(bx - ax, by - ay), 1.0)
    across_x, across_y = away * (ay - by) / far, away * (bx - ax) / far
    return (ax + across_x, ay + across_y), (bx + across_x, by + across_y)


def _middle(corners: list[Point]) -> Point:
    """Return the centre of the circle inscribed in a triangle."""
    (ax, ay), (bx, by), (cx, cy) = corners
    a, b, c = hypot(bx - cx, by - cy), hypot(ax - cx, ay - cy), hypot(ax - bx, ay - by)
    around = max(a + b + c, 1.0)
    return (a * ax + b * bx + c * cx) / around, (a * ay + b * by + c * cy) / around


def _spread(value: int, values: list[int], low: float, high: float) -> float:
    span = max(values) - min(values)
    return (low + high) / 2 if span == 0 else low + (value - min(values)) * (high - low) / span


def market_map(game: State) -> str:
    """Draw the board and everything on it."""
    plan = Plan.of(game)
    frame = box(EDGE, MAP_TOP, WIDTH - 2 * EDGE, MAP_HEIGHT, CARD, 8, stroke=LINE, stroke_width=1)
    grounds = [_ground(game, plan, district) for district in range(DISTRICT_COUNT)]
    alleys = [_alley(game, plan, alley) for alley in range(len(ALLEY_NAMES))]
    plazas = [_plaza(game, plan, plaza) for plaza in range(len(PLAZA_NAMES))]
    inside = [_district(game, plan, district) for district in range(DISTRICT_COUNT)]
    return "".join([frame, *grounds, *alleys, *plazas, *inside])


def _ground(game: State, plan: Plan, district: int) -> str:
    """Draw the ground of a district, which can be clicked to lead the Bobby there."""
    name = DISTRICT_NAMES[district]
    fill = GROUND_BOBBY if int(game.bobby) == district else GROUND
    return choice([f"bobby {name}"], tooltip(name, polygon(plan.corners[district], fill)))


def _district(game: State, plan: Plan, district: int) -> str:
    """Draw the name of a district, its mark or the tokens that could mark it, and the Bobby if he is there."""
    x, y = plan.centres[district]
    name, placed, here = DISTRICT_NAMES[district], mark_on(game, district), int(game.bobby) == district
    tokens = [] if placed else _could_mark_with(game)
    wide = 40.0 if here else 0.0
    parts = [choice([f"bobby {name}"], bobby(x - 20, y + 2, 1.1))] if here else []
    at_x = x + wide / 2
    parts.append(centred(at_x, y - (13 if placed or tokens else 0), name, 13, fill=FAINT))
    if placed:
        parts.append(mark(at_x, y + 11, *placed))
    for place, value in enumerate(tokens):
        down = y + 6 + 20 * place
        parts.append(choice([f"mark {name} {value}"], chip(at_x, down, f"×{value}")))
    return "".join(parts)


def _could_mark_with(game: State) -> list[int]:
    """Return the tokens with which the acting seat can mark now."""
    if int(game.phase) != TURN:
        return []
    player = game.seats[int(game.actor)]
    return [OWN_TOKENS[slot] for slot in MARKING_SLOTS if player.token_up[slot] and player.token_own[slot]]


def _alley(game: State, plan: Plan, alley: int) -> str:
    """Draw an alley with its lots; those that the next stall would take can be clicked."""
    name, length = ALLEY_NAMES[alley], int(game.length[alley])
    (ax, ay), (bx, by) = plan.alleys[alley]
    far = max(hypot(bx - ax, by - ay), 1.0)
    along_x, along_y = (bx - ax) / far, (by - ay) / far
    done = bool(game.table.alley_scored[alley])
    lines = {"x1": ax, "y1": ay, "x2": bx, "y2": by, "stroke_linecap": "round"}
    parts = [
        element("line", **lines, stroke=STREET_EDGE, stroke_width=28),
        element("line", **lines, stroke=STREET_DONE if done else STREET, stroke_width=25),
    ]
    space = far - 2 * PLAZA_RADIUS - 4
    step = min(space / length, LOT_SIZE + LOT_GAP)  # keeps lots away from plazas, where alleys come close
    scale = min(1.0, step / (LOT_SIZE + 3))
    for number in range(length):
        away = far / 2 + step * (number - (length - 1) / 2)
        owner = int(game.lot[alley, number]) - 1
        x, y = ax + along_x * away, ay + along_y * away
        drawn = lot(x, y, int(game.board.values[alley, number]), owner if owner >= 0 else None, scale)
        end = _taken_next(game, alley, number)
        parts.append(
            drawn if end is None else choice([f"stall {name} {PLAZA_NAMES[int(game.board.ends[alley, end])]}"], drawn)
        )
    # The name is written before the first lot; a tick behind the last one shows that the alley has been scored.
    margin = (PLAZA_RADIUS + far / 2 - step * length / 2) / 2
    parts.append(
        tooltip(
            f"{name}, scored" if done else name,
            centred(ax + along_x * margin, ay + along_y * margin, name, 10.5, fill=INK, bold=done),
        )
    )
    if done:
        parts.append(tick(bx - along_x * margin, by - along_y * margin))
    return "".join(parts)


def _taken_next(game: State, alley: int, number: int) -> int | None:
    """Return the end from which the next stall would take this lot, or None."""
    filled, length = int(game.table.alley_filled[alley]), int(game.length[alley])
    for end, lot_next in enumerate((filled, length - 1 - filled)):
        if game.table.alley_offer[alley, end] and lot_next == number:
            return end
    return None


def _plaza(game: State, plan: Plan, plaza: int) -> str:
    """Draw a plaza with the customer on it."""
    x, y = plan.plazas[plaza]
    name, who = PLAZA_NAMES[plaza], int(game.customer[plaza])
    ground = disc(x, y, PLAZA_RADIUS, CARD, stroke=STREET_EDGE, stroke_width=2)
    if who:
        label = box(x - 13, y + 13, 26, 13, CARD, 6, stroke=STREET_EDGE, stroke_width=1)
        inside = customer(x, y - 5, who, 1.15) + label + centred(x, y + 19.5, name, 10)
        return tooltip(name, ground, inside)
    free = sum(int(standing) == 0 for standing in game.customer)
    last = LORD not in game.customer and free == 1
    actions = [f"plaza {name}", *(["lord"] if last else [])]
    return choice(actions, ground, centred(x, y, name, 14))
