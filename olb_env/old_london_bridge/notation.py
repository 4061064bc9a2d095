"""The actions by id and by name (§8)."""

from __future__ import annotations

from typing import Final

from olb_env.old_london_bridge.components import KINDS, PILES, SPACES, TILES

PLAY_CARD: Final = 0  # + value 0..4
TO_RONDEL: Final = 5  # + kind
TO_CENTRE: Final = 11  # + kind
REPLACE_SPACE: Final = 17  # + space 0..11
HIRE_CARD: Final = 28  # + value 1..4
TAKE_BONUS: Final = 33  # + pile 0..2
USE_TILE: Final = 36  # + tile
BOOST_LOW: Final = 44
DONE: Final = 45

ACTIONS: Final[tuple[str, ...]] = (
    *(f"play {value}" for value in range(5)),
    *(f"rondel {kind}" for kind in KINDS),
    *(f"centre {kind}" for kind in KINDS),
    *(f"replace {space}" for space in range(1, SPACES + 1)),
    *(f"hire {value}" for value in range(1, 5)),
    *(f"bonus {pile}" for pile in range(1, PILES + 1)),
    *(f"use {tile}" for tile in TILES),
    "boost low",
    "done",
)

# For the documentation: the first id of a group of actions, the size of the group, and what its actions do.
MEANINGS: Final = (
    (PLAY_CARD, 5, "pick a card of that value face down"),
    (TO_RONDEL, 6, "place the pawn on the outer space beside that stack and take its top building"),
    (TO_CENTRE, 6, "place the pawn on the centre for £2 and take the top building of that stack"),
    (REPLACE_SPACE, 12, "replace the building on that space of the bridge by the new one"),
    (HIRE_CARD + 1, 4, "hire a card of that value at the inn, never higher than the one before"),
    (TAKE_BONUS, 3, "take the face-up bonus tile of that pile"),
    (USE_TILE, 8, "use a bonus tile of that kind; `use boost` boosts the higher of two cards"),
    (BOOST_LOW, 1, "two players: boost the lower of the two cards as played"),
    (DONE, 1, "use no more tiles, hire no more cards, end the turn, or pass if no placement is legal"),
)
