"""The outside of the reference game: one question at a time, forced answers taken silently (§8)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .pieces import Question
from .rounds import Course
from .table import Table


class ReferenceGame:
    """A game that is laid out from a record and then answered action by action."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        self.table = Table(record)
        self.course = Course(self.table)
        self._flow = self.course.play()
        self._question: Question | None = None
        self._advance(None)

    def _advance(self, answer: str | None) -> None:
        """Answer, and go on answering for as long as there is nothing to choose."""
        try:
            question = next(self._flow) if answer is None else self._flow.send(answer)
            while len(question.legal) == 1:
                question = self._flow.send(question.legal[0])
        except StopIteration:
            self._question = None
        else:
            self._question = question

    # -- asking and answering -----------------------------------------------

    @property
    def over(self) -> bool:
        return self._question is None

    @property
    def actor(self) -> int | None:
        return None if self._question is None else self._question.seat

    @property
    def legal(self) -> list[str]:
        return [] if self._question is None else list(self._question.legal)

    def apply(self, name: str) -> None:
        if name not in self.legal:
            raise ValueError(f"{name!r} is not among the legal answers {self.legal}")
        self._advance(name)

    # -- looking at the table -----------------------------------------------

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
        """For each seat all eight tile names with the number held, zeros included."""
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
        """Seats, winner first; None while the game goes on."""
        return self.course.ranking

    @property
    def breakdown(self) -> list[dict[str, int]] | None:
        """Where each seat's money came from; None while the game goes on."""
        return self.course.breakdown
