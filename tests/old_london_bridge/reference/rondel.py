"""The rondel, the stacks around it, and the places a pawn may go to (§5.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .pieces import KINDS, Building

CENTRE = "centre"
CENTRE_COST = 2
CROSS = "X"


@dataclass(frozen=True)
class Placement:
    """A way to place the pawn: where, for which stack, with which tiles, and for how much money."""

    space: str  # the kind beside an outer space, or the centre
    kind: str  # the stack to take from
    needs: frozenset[str]  # exactly these of the tiles share, free and cross
    money: int  # gained, or paid when negative

    @property
    def action(self) -> str:
        return f"{'centre' if self.space == CENTRE else 'rondel'} {self.kind}"


class Rondel:
    """Six outer spaces that turn beside fixed stacks, and a centre."""

    def __init__(
        self,
        coins: Sequence[int | str],
        stack_order: Sequence[str],
        turn: int,
        stacks: Mapping[str, Sequence[Building]],
    ) -> None:
        self.coins = list(coins)
        self.stack_order = list(stack_order)
        self.turn = turn
        self.stacks = {kind: list(stacks[kind]) for kind in KINDS}  # top first
        self.pawns: dict[int, str] = {}  # seat -> the space its pawn stands on

    def rotate(self, marker: int) -> None:
        self.turn += marker

    def beside(self, kind: str) -> int | str:
        """Return what is printed on the outer space beside a stack."""
        place = self.stack_order.index(kind)
        return self.coins[(place - self.turn) % len(self.coins)]

    def take_top(self, kind: str) -> Building:
        return self.stacks[kind].pop(0)

    def empty_stacks(self) -> int:
        return sum(1 for stack in self.stacks.values() if not stack)

    def clear_pawns(self) -> None:
        self.pawns = {}

    # -- placing ------------------------------------------------------------

    def placements(self, seat: int, money: int) -> list[Placement]:
        """Return every way to place this pawn, given all of share, free and cross."""
        found: list[Placement] = []
        for kind in KINDS:
            if not self.stacks[kind]:
                continue
            found += self._outer(seat, kind)
            found += self._centre(seat, kind, money)
        return found

    def _outer(self, seat: int, kind: str) -> list[Placement]:
        if self._stands_on(seat, kind):
            return []  # a pawn must move to another space
        needs = self._sharing(seat, kind)
        printed = self.beside(kind)
        if printed == CROSS:
            return [Placement(kind, kind, needs | {"cross"}, 0)]
        return [Placement(kind, kind, needs, int(printed))]

    def _centre(self, seat: int, kind: str, money: int) -> list[Placement]:
        if self._stands_on(seat, CENTRE):
            return []
        needs = self._sharing(seat, CENTRE)
        ways = [Placement(CENTRE, kind, needs | {"free"}, 0)]
        if money >= CENTRE_COST:
            ways.append(Placement(CENTRE, kind, needs, -CENTRE_COST))
        return ways

    def _stands_on(self, seat: int, space: str) -> bool:
        return self.pawns.get(seat) == space

    def _sharing(self, seat: int, space: str) -> frozenset[str]:
        occupied = any(other != seat and where == space for other, where in self.pawns.items())
        return frozenset({"share"}) if occupied else frozenset()
