"""The pieces of the game: buildings, cards and tiles, and its actions (§1, §8)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass

from tests.support.reference_game import Decision

KINDS: tuple[str, ...] = ("chapel", "gate", "inn", "mercer", "guild", "park")
TILES: tuple[str, ...] = ("lady", "boost", "share", "free", "cross", "recall", "chapel", "gate")
CARD_VALUES: tuple[int, ...] = (0, 1, 2, 3, 4)
BRIDGE_SPACES = 12
ALL_CRESTS = "all"

# The 46 actions of §8; the index of an action is its id.
ACTIONS: tuple[str, ...] = (
    *(f"play {value}" for value in CARD_VALUES),
    *(f"rondel {kind}" for kind in KINDS),
    *(f"centre {kind}" for kind in KINDS),
    *(f"replace {space}" for space in range(1, BRIDGE_SPACES + 1)),
    *(f"hire {value}" for value in CARD_VALUES[1:]),
    *(f"bonus {pile}" for pile in (1, 2, 3)),
    *(f"use {tile}" for tile in TILES),
    "boost low",
    "done",
)


@dataclass(frozen=True)
class Building:
    """A building tile; a park has the number 0, a guild the crest "all" (§1)."""

    kind: str
    number: int
    crest: str

    @property
    def is_park(self) -> bool:
        return self.kind == "park"

    def shows(self, crest: str) -> bool:
        """Return whether the tile shows this crest; a guild shows all of them."""
        return self.crest in (crest, ALL_CRESTS)


class Cards:
    """Character cards, counted by value: a hand, or the supply."""

    def __init__(self, counts: Iterable[int]) -> None:
        self.counts = list(counts)

    def has(self, value: int) -> bool:
        return self.counts[value] > 0

    def add(self, value: int) -> None:
        self.counts[value] += 1

    def remove(self, value: int) -> None:
        if not self.has(value):
            raise RuntimeError(f"there is no card {value} to take")
        self.counts[value] -= 1

    @property
    def size(self) -> int:
        return sum(self.counts)

    @property
    def total_value(self) -> int:
        return sum(value * count for value, count in enumerate(self.counts))


def full_supply() -> Cards:
    """Return all numbered cards of the game (§1); zeros are never in the supply."""
    return Cards([0, 15, 15, 11, 10])


@dataclass
class PlayedCard:
    """A revealed card: its value, and how often it was boosted (§4.5)."""

    seat: int
    value: int
    boosts: int = 0

    @property
    def rank(self) -> int:
        """Return the value that counts for the order of this round."""
        return self.value + self.boosts


class TilePouch:
    """The bonus tiles of a player; those gained in this round are not usable yet (§5.4)."""

    def __init__(self) -> None:
        self.usable: list[str] = []
        self.resting: list[str] = []

    def gain(self, tile: str) -> None:
        self.resting.append(tile)

    def can_use(self, tile: str) -> bool:
        return tile in self.usable

    def use(self, tile: str) -> None:
        self.usable.remove(tile)

    def wake(self) -> None:
        """Make the tiles gained in this round usable, at its end (§4.8)."""
        self.usable += self.resting
        self.resting = []

    @property
    def size(self) -> int:
        return len(self.usable) + len(self.resting)

    def counts(self) -> dict[str, int]:
        held = self.usable + self.resting
        return {tile: held.count(tile) for tile in TILES}


def choose(seat: int, actions: Iterable[str]) -> Generator[Decision, str, str]:
    """Let a seat choose among actions, in the order of §8, and return the one chosen."""
    legal = tuple(sorted(set(actions), key=ACTIONS.index))
    if not legal:
        raise RuntimeError("a decision without any legal action")
    chosen = yield Decision(seat, legal)
    return chosen
