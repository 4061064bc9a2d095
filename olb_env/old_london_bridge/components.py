"""The pieces of Old London Bridge and every number printed on them.

All facts about components live here and nowhere else. What no rulebook states is an assumption with a tag: A1 tiles,
A2 bonus piles, A3 rondel coins, A4 stacks around the rondel, A5 chapel track, A6 gate track, A7 stairs with fewer
players, A8 order of lady and boost, A9 the minimum that a tile side asks for, A10 coins again without the reward of
the end, A11 nobody pays more than it has, A12 face-up stacks, crests of parks, the first position of the rondel and
turns without a placement. The caller can replace A1 to A6 and the crests of parks (`board.py`), and choose another
ruling on A9 to A11.

The table with the ids of the kinds (stacks clockwise, coins of an unturned rondel):

              chapel(0) X                  chapel track: stairs A-D, then 1 .. 14
        mercer(3) 1     guild(4) 1         gate track:   start, then 1 .. 15
               ( centre £2 )
        park(5) 2       inn(2) 2           bridge: spaces 1 .. 12, left to right
              gate(1) 3
"""

from __future__ import annotations

from typing import Final

from olb_env.core.rulings import Ruling

# Kinds of building, in the order of §1.
KINDS: Final = ("chapel", "gate", "inn", "mercer", "guild", "park")
CHAPEL, GATE, INN, MERCER, GUILD, PARK = range(6)
STACK_SIZE: Final = 12
SPACES: Final = 12  # of a bridge
HIGHEST_NUMBER: Final = 60

# Crests.
CRESTS: Final = ("", "blue", "orange", "grey", "green", "all")
NO_CREST: Final = 0  # of an empty space, and of a park on a caller's own board
BLUE, ORANGE, GREY, GREEN, ALL_CRESTS = range(1, 6)
COLOURS: Final = 4

# Bonus tiles, in the order of §8; three of each kind in three piles, each with every kind once (A2).
TILES: Final = ("lady", "boost", "share", "free", "cross", "recall", "chapel", "gate")
LADY, BOOST, SHARE, FREE, CROSS, RECALL, CHAPEL_TILE, GATE_TILE = range(8)
PILES: Final = 3
TILES_OF_A_KIND: Final = 3
TRACK_TILE_STEPS: Final = 2

# Character cards by value. Zeros belong to the players: one each, or two each in a game for two.
CARDS: Final = (0, 15, 15, 11, 10)
CARD_VALUES: Final = len(CARDS)

MARKERS: Final = (5, 5, 5)  # round markers of 1, 2 and 3
PLAYERS: Final = (2, 3, 4)
MAX_PLAYERS: Final = 4
# Indexed by the number of players.
ROUNDS: Final = (0, 0, 6, 12, 12)
ZEROS: Final = (0, 0, 2, 1, 1)
PICKS: Final = (0, 0, 2, 1, 1)  # cards that each player plays in a round
TURNS: Final = (0, 0, 4, 3, 4)  # turns in a round: one for each card played
MAX_ROUNDS: Final = 12
MAX_TURNS: Final = 4

START_MONEY: Final = 5
CENTRE_COST: Final = 2
END_OF_TRACK: Final = 10  # pounds
EMPTY_STACKS_TO_END: Final = 3

# The rondel: six outer spaces, named by the stack beside them, and the centre.
CENTRE: Final = 6
CROSSED_OUT: Final = -1  # an X among the coins
RONDEL_COINS: Final = (CROSSED_OUT, 1, 2, 3, 2, 1)  # A3, clockwise
STACK_ORDER: Final = (CHAPEL, GUILD, INN, GATE, PARK, MERCER)  # A4, clockwise

STAIRS: Final = "ABCD"  # where chapel markers begin, A7

# Limits for a caller's own board.
LONGEST_TRACK: Final = 30
MOST_COINS: Final = 99  # on one space, and at the end of a track

CHAPEL_LENGTH: Final = 14  # A5
CHAPEL_COINS: Final = {2: 1, 5: 2, 8: 3, 11: 5}  # A5
GATE_LENGTH: Final = 15  # A6
GATE_BONUS: Final = (3, 6, 9, 12)  # A6

# Other choices for A3 and A5, written as a caller's own board: to see which results depend on ours.
SECOND_BOARD: Final = {
    "coins": (1, 1, 2, 2, 3, "X"),
    "chapel_track": {"length": 15, "coins": {3: 1, 6: 2, 9: 3, 12: 5}},
}

# A1: the kind follows from the number mod 5; within a kind the crests cycle through four colours.
KIND_OF_REMAINDER: Final = (INN, GATE, CHAPEL, MERCER, GUILD)
CREST_CYCLES: Final = {
    MERCER: (ORANGE, BLUE, GREY, GREEN),
    GATE: (BLUE, GREY, GREEN, ORANGE),
    CHAPEL: (GREEN, ORANGE, BLUE, GREY),
    INN: (GREY, GREEN, ORANGE, BLUE),
    GUILD: (ALL_CRESTS,) * 4,
}


def printed_tiles() -> dict[int, list[tuple[int, int]]]:
    """Return the (number, crest) of the twelve tiles of every kind (A1); a park has number 0 and one crest (A12)."""
    tiles: dict[int, list[tuple[int, int]]] = {kind: [] for kind in range(len(KINDS))}
    for number in range(1, HIGHEST_NUMBER + 1):
        kind = KIND_OF_REMAINDER[number % 5]
        tiles[kind].append((number, CREST_CYCLES[kind][(number - 1) // 5 % 4]))
    tiles[PARK] = [(0, crest) for crest in range(BLUE, GREEN + 1) for _ in range(STACK_SIZE // COLOURS)]
    return tiles


# Scoring, §7: each area is scored as the board prints it, or by one of four tile sides.
AREAS: Final = ("chapel", "gate", "inn", "bridge")
SCORINGS: Final = {
    "chapel": ("board", "most chapels", "leader each round", "lead over last", "coins again"),
    "gate": ("board", "most gates", "leader each round", "steps", "unused tiles"),
    "inn": ("board", "most inns", "highest card", "hand size", "card sets"),
    "bridge": ("board", "longest run", "lowest number each round", "low numbers", "full sets"),
}
OPTIONS_PER_AREA: Final = 5
BOARD: Final = 0  # the index of `board` in every area
MOST_CHAPELS, CHAPEL_LEADER, LEAD_OVER_LAST, COINS_AGAIN = range(1, 5)
MOST_GATES, GATE_LEADER, STEPS, UNUSED_TILES = range(1, 5)
MOST_INNS, HIGHEST_CARD, HAND_SIZE, CARD_SETS = range(1, 5)
LONGEST_RUN, LOWEST_NUMBER, LOW_NUMBERS, FULL_SETS = range(1, 5)
PAID_IN_PLAY: Final = (CHAPEL_LEADER, GATE_LEADER, HIGHEST_CARD, LOWEST_NUMBER)  # in each area: paid during the game
RANDOM_SIDE: Final = OPTIONS_PER_AREA  # in a setup: draw one of the four tile sides

PRIZES: Final = ((0, 0, 0), (0, 0, 0), (5, 0, 0), (5, 3, 0), (5, 3, 1))  # indexed by the number of players
LEADER_REWARD: Final = 1  # each round, for chapel and gate
HIGHEST_CARD_REWARD: Final = 2
LOWEST_NUMBER_REWARD: Final = 2
STEPS_REWARDS: Final = ((13, 12), (10, 9), (7, 5), (4, 3))  # (at least so many, pounds)
HAND_SIZE_REWARDS: Final = ((8, 10), (5, 7), (3, 4))
UNUSED_TILES_REWARDS: Final = (0, 1, 4, 9, 16)  # by the number of tiles; the last entry also for more
CARD_SET_REWARD: Final = 5  # for 1+2, and again for each further value in the set
LOW_NUMBER: Final = 30
LOW_NUMBER_REWARD: Final = 2
FULL_SET_REWARD: Final = 10
EMPTY_SPACE_COSTS: Final = (0, 1, 4, 7, 10, 14)  # by the number of spaces; the last entry also for more

LEDGER: Final = ("in_play", "chapel", "gate", "inn", "bridge", "empty_spaces", "bonus_tiles")
IN_PLAY, CHAPEL_AREA, GATE_AREA, INN_AREA, BRIDGE_AREA, EMPTY_SPACES, BONUS_TILES = range(7)

# Rulings: what else no rulebook settles.
RULINGS: Final = {
    "tile_side_minimum": Ruling("A9", ("one", "none"), "how many of what it counts a tile side asks for at least"),
    "coins_again_end": Ruling("A10", ("no", "yes"), "whether `coins again` repeats the reward at the end of the track"),
    "debts": Ruling("A11", ("forgiven", "owed"), "what becomes of a price for empty spaces that a player cannot pay"),
}
TILE_SIDE_MINIMUM, COINS_AGAIN_END, DEBTS = range(3)
