"""The pieces of Portobello Market and every number printed on them.

All facts about components live here and nowhere else. What no rulebook states is an assumption with a tag: P1 the
board, P2 the points at the start, P3 neutral tokens come face up, P4 where the Bobby may not go back to, P5 when a game
without progress is over, P6 nobody leads the Bobby without paying. The caller can replace P1 and P2 (`board.py`), and
choose another ruling on P3 to P5.

The board with the names of its parts (eleven plazas, twelve three-sided districts, alleys between two plazas):

            P2 ──A2── P3 ────A3──── P4
       A1 ╱  │╲   D3  ╱╲      D5   ╱ │
     P1  D1  │ A11   A12 A13     A14 │
      │╲    A10 ╲   ╱  D4  ╲    ╱    │
      │ A9   │ D2╲ ╱        ╲  ╱  D6 │
      │   ╲  │    ╳          ╲╱      A4
      A8   P5 A15 P6 ──A16── P7      │
      │D12╱ ╲ D10 │╲   D8   ╱ ╲A22   │
      │ A17 A18  A19 A20  A21 D7 ╲   │
      │ ╱ D11 ╲   │ D9 ╲  ╱       P11
     P8 ──A7── P9 ──A6── P10 ──A5──╯
"""

from __future__ import annotations

from typing import Final

from olb_env.core.rulings import Ruling

PLAYERS: Final = (2, 3, 4)
MAX_PLAYERS: Final = 4
STALLS: Final = (0, 0, 30, 20, 16)  # of each player, indexed by the number of players
START_SCORE: Final = 10  # P2

# Action tokens. A slot holds the player's own token, or the neutral one that replaced it.
OWN_TOKENS: Final = (2, 3, 4)
SLOTS: Final = len(OWN_TOKENS)
NEUTRAL_TOKENS: Final = (3, 3, 2, 2, 1, 1, 1, 1)  # top first
MARKING_SLOTS: Final = (0, 2)  # the slots of the player's own 2 and 4, which can mark a district
MAX_ACTIONS: Final = max(OWN_TOKENS)

# Customers; 0 stands for a free plaza, or for nobody.
CUSTOMERS: Final = ("", "servant", "burgher", "lord")
SERVANT, BURGHER, LORD = range(1, 4)
OF_EACH: Final = 5  # servants and burghers
BAG_SIZE: Final = 2 * OF_EACH

# The factor for the lots of an alley, by the customers at its two ends (§4).
FACTORS: Final = (
    (0, 0, 0, 0),
    (0, 1, 2, 3),
    (0, 2, 3, 4),
    (0, 3, 4, 0),
)
HIGHEST_FACTOR: Final = 4

# P1: where each plaza is drawn, [x, y].
PLAZAS: Final = (
    (6, 17), (39, 10), (72, 12), (103, 12), (28, 30), (48, 36), (85, 42), (14, 68), (41, 65), (73, 72), (95, 60),
)  # fmt: skip

# P1: for each alley the numbers of its two plazas, its lot values from the first to the second, and its districts.
_ALLEYS: Final[tuple[tuple[tuple[int, int], tuple[int, ...], tuple[int, ...]], ...]] = (
    ((1, 2), (3, 1, 3), (1,)),
    ((2, 3), (1, 3, 1), (3,)),
    ((3, 4), (3, 1, 3), (5,)),
    ((4, 11), (3, 2, 1, 2, 3), (6,)),
    ((10, 11), (2, 2), (7,)),
    ((9, 10), (3, 1, 3), (9,)),
    ((8, 9), (1, 3, 1), (11,)),
    ((1, 8), (3, 2, 1, 1, 2, 3), (12,)),
    ((1, 5), (1, 3), (1, 12)),
    ((2, 5), (2, 2), (1, 2)),
    ((2, 6), (1, 3, 1), (2, 3)),
    ((3, 6), (3, 1, 3), (3, 4)),
    ((3, 7), (1, 3, 1), (4, 5)),
    ((4, 7), (3, 1, 1, 3), (5, 6)),
    ((5, 6), (3, 1), (2, 10)),
    ((6, 7), (1, 3, 3, 1), (4, 8)),
    ((5, 8), (3, 1, 1, 3), (11, 12)),
    ((5, 9), (1, 3, 3, 1), (10, 11)),
    ((6, 9), (3, 1, 3), (9, 10)),
    ((6, 10), (1, 2, 3, 2, 1), (8, 9)),
    ((7, 10), (1, 3, 1), (7, 8)),
    ((7, 11), (2, 2), (6, 7)),
)
DISTRICT_COUNT: Final = 12
SIDES: Final = 3  # alleys around a district
PLAZA_NAMES: Final = tuple(f"P{number}" for number in range(1, len(PLAZAS) + 1))
ALLEY_NAMES: Final = tuple(f"A{number}" for number in range(1, len(_ALLEYS) + 1))
DISTRICT_NAMES: Final = tuple(f"D{number}" for number in range(1, DISTRICT_COUNT + 1))
ENDS: Final = tuple((first - 1, second - 1) for (first, second), _, _ in _ALLEYS)  # the plazas of each alley
LOTS: Final = tuple(values for _, values, _ in _ALLEYS)  # the values of its lots
DISTRICTS: Final = tuple(
    tuple(alley for alley, (_, _, borders) in enumerate(_ALLEYS) if district in borders)
    for district in range(1, DISTRICT_COUNT + 1)
)  # the alleys around each district

# An upper bound on the default board: one player owns every alley between the best customers, marks with both tokens
# among its stalls, and collects all points of the others as tolls.
MAX_POINTS: Final = (
    MAX_PLAYERS * START_SCORE
    + HIGHEST_FACTOR * sum(map(sum, LOTS))
    + sum(OWN_TOKENS[slot] for slot in MARKING_SLOTS) * SIDES * max(map(len, LOTS))
)

# Limits for a caller's own board.
SHORTEST_ALLEY, LONGEST_ALLEY = 2, 6
HIGHEST_VALUE: Final = 9  # of a lot; printed lots go up to 3
HIGHEST_START: Final = 1000
FURTHEST: Final = 120  # the largest coordinate of a plaza

# Rulings: what else no rulebook settles.
RULINGS: Final = {
    "neutral_side": Ruling("P3", ("up", "down"), "which side of a neutral token is up when a player gets it"),
    "bobby_returns": Ruling("P4", ("never", "once"), "how often the Bobby may return to a district before an action"),
    "idle_rounds": Ruling("P5", ("one", "three"), "how many rounds in a row without progress end the game"),
}
NEUTRAL_SIDE, BOBBY_RETURNS, IDLE_ROUNDS = range(3)
RETURNS: Final = (0, 1)  # to a district, by the ruling on P4
IDLE_LIMITS: Final = (1, 3)  # by the ruling on P5; in three rounds every player has a turn with all tokens face up

# So many rounds in a row without progress end a game. In all others somebody places a stall, a customer or the Lord, or
# marks a district.
MARKS: Final = MAX_PLAYERS * len(MARKING_SLOTS)
MOST_PROGRESS: Final = max(count * STALLS[count] for count in PLAYERS) + BAG_SIZE + 1 + MARKS
MAX_ROUNDS: Final = max(IDLE_LIMITS) * (MOST_PROGRESS + 1)
