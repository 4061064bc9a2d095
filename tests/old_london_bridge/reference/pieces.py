"""The small things on the table: buildings, cards, tiles and questions (§1, §8)."""

from __future__ import annotations

from collections.abc import Generator, Iterable
from dataclasses import dataclass

from tests.support.reference_game import Question

KINDS: tuple[str, ...] = ("chapel", "gate", "inn", "mercer", "guild", "park")
TILES: tuple[str, ...] = ("lady", "boost", "share", "free", "cross", "recall", "chapel", "gate")
CARD_VALUES: tuple[int, ...] = (0, 1, 2, 3, 4)
BRIDGE_SPACES = 12
ALL_CRESTS = "all"

# The 46 answers of §8; an answer's place in this tuple is its id.
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
    """One building tile; parks carry the number 0, guilds the crest "all" (§1)."""

    kind: str
    number: int
    crest: str

    @property
    def is_park(self) -> bool:
        return self.kind == "park"

    def shows(self, crest: str) -> bool:
        """Whether this crest can be seen on the tile; a guild shows every one."""
        return self.crest in (crest, ALL_CRESTS)


class Cards:
    """Some character cards, counted by value: a hand, or the common supply."""

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
    """All numbered cards of the box (§1); the zeros never lie in the supply."""
    return Cards([0, 15, 15, 11, 10])


@dataclass
class PlayedCard:
    """A revealed card: what is printed on it, and how often it was boosted (§4.5)."""

    seat: int
    value: int
    boosts: int = 0

    @property
    def rank(self) -> int:
        """The value that counts for this round's order."""
        return self.value + self.boosts


class TilePouch:
    """The bonus tiles of one player; those gained this round still rest (§5.4)."""

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
        """End of a round: what was gained in it may be used from now on (§4.8)."""
        self.usable += self.resting
        self.resting = []

    @property
    def size(self) -> int:
        return len(self.usable) + len(self.resting)

    def counts(self) -> dict[str, int]:
        held = self.usable + self.resting
        return {tile: held.count(tile) for tile in TILES}


def ask(seat: int, answers: Iterable[str]) -> Generator[Question, str, str]:
    """Put one question, its answers in the order of §8, and hand back the reply."""
    legal = tuple(sorted(set(answers), key=ACTIONS.index))
    if not legal:
        raise RuntimeError("a question without any answer")
    reply = yield Question(seat, legal)
    return reply
