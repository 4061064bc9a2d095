"""The chapel track, which also breaks every tie (§3), and the gate track (§6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Print:
    """What is printed along a track: pounds on spaces, bonus spaces, and the pounds at the end."""

    length: int
    coins: Mapping[int, int]
    bonus: frozenset[int]
    end: int

    @classmethod
    def read(cls, track: Mapping[str, Any]) -> Print:
        coins = {int(space): int(pounds) for space, pounds in track.get("coins", {}).items()}
        return cls(int(track["length"]), coins, frozenset(track.get("bonus", [])), int(track.get("end", 10)))

    def pounds_on(self, spaces: Iterable[int]) -> int:
        return sum(self.coins.get(space, 0) for space in spaces)

    def bonuses_on(self, spaces: Iterable[int]) -> int:
        return sum(1 for space in spaces if space in self.bonus)


@dataclass(frozen=True)
class Walk:
    """The result of a move on a track: the spaces entered, and whether it reached the end."""

    entered: tuple[int, ...]
    arrived: bool


class ChapelTrack:
    """The chapel track: a pile of markers on each space, as a list of seats from the best to the worst."""

    def __init__(self, printed: Print, start: Sequence[int]) -> None:
        self.printed = printed
        self.length = length = printed.length
        self.piles: list[list[int]] = [[] for _ in range(length + 1)]
        self.piles[0] = list(start)  # the stairs: A first, then B, C and D

    def position(self, seat: int) -> int:
        return next(space for space, pile in enumerate(self.piles) if seat in pile)

    def at_end(self, seat: int) -> bool:
        return self.position(seat) == self.length

    def order(self) -> list[int]:
        """Return all seats, best first: from the end of the track backwards, each pile from its top."""
        return [seat for pile in reversed(self.piles) for seat in pile]

    def advance(self, seat: int, steps: int) -> Walk:
        """Move a marker; steps beyond the end are lost."""
        before = self.position(seat)
        after = min(before + steps, self.length)
        if after == before:
            return Walk((), False)
        self.piles[before].remove(seat)
        if after == self.length:
            self.piles[after].append(seat)  # below those that came earlier
        else:
            self.piles[after].insert(0, seat)  # on top
        return Walk(tuple(range(before + 1, after + 1)), after == self.length)

    def coins_passed(self, seat: int) -> int:
        """Return the total of the printed coins that a marker has reached or passed."""
        return self.printed.pounds_on(range(1, self.position(seat) + 1))


class GateTrack:
    """The gate track: markers may share a space, and their order on it does not matter."""

    def __init__(self, printed: Print, players: int) -> None:
        self.printed = printed
        self.length = printed.length
        self.positions = [0] * players

    def at_end(self, seat: int) -> bool:
        return self.positions[seat] == self.length

    def advance(self, seat: int, steps: int) -> Walk:
        """Move a marker; steps beyond the end are lost."""
        before = self.positions[seat]
        after = min(before + steps, self.length)
        self.positions[seat] = after
        return Walk(tuple(range(before + 1, after + 1)), after == self.length != before)
