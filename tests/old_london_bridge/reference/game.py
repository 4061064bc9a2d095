"""The interface of the reference game: set up from a record, played action by action (§8), and inspected."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.reference_game import GeneratorGame

from .rounds import Course
from .table import Table


class ReferenceGame(GeneratorGame):
    """A game that is set up from a record and then played action by action."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.table = Table(record)
        self.course = Course(self.table)
        self.begin(self.course.play())

    # -- the position -------------------------------------------------------

    @property
    def money(self) -> list[int]:
        return [player.money for player in self.table.players]

    @property
    def chapel(self) -> list[int]:
        return [self.table.chapel.position(player.seat) for player in self.table.players]

    @property
    def chapel_order(self) -> list[int]:
        return self.table.chapel.order()

    @property
    def gate(self) -> list[int]:
        return list(self.table.gate.positions)

    @property
    def hands(self) -> list[list[int]]:
        return [list(player.hand.counts) for player in self.table.players]

    @property
    def supply(self) -> list[int]:
        return list(self.table.supply.counts)

    @property
    def tiles(self) -> list[dict[str, int]]:
        """Return for each seat the number of tiles held of every kind, zeros included."""
        return [player.tiles.counts() for player in self.table.players]

    @property
    def bridges(self) -> list[list[tuple[str, int, str]]]:
        return [
            [(building.kind, building.number, building.crest) for building in player.bridge.buildings]
            for player in self.table.players
        ]

    # -- the result ---------------------------------------------------------

    @property
    def ranking(self) -> list[int] | None:
        """Return the seats, the winner first; None while the game is on."""
        return self.course.ranking

    @property
    def breakdown(self) -> list[dict[str, int]] | None:
        """Return where each seat's money came from; None while the game is on."""
        return self.course.breakdown
