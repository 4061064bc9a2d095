"""The outside of every reference game: one question at a time, and forced answers are taken silently.

Nothing here is shared with the engine, and nothing knows a rule.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True)
class Question:
    """Somebody is asked to choose one of the legal answers."""

    seat: int
    legal: tuple[str, ...]


Flow = Generator[Question, str, None]


class AskingGame:
    """A game whose course is a generator that asks its questions one after the other."""

    def begin(self, course: Flow) -> None:
        """Walk to the first question."""
        self._course = course
        self._question: Question | None = None
        self._go_on(None)

    def _go_on(self, answer: str | None) -> None:
        """Answer, and go on answering for as long as there is nothing to choose."""
        try:
            question = next(self._course) if answer is None else self._course.send(answer)
            while len(question.legal) == 1:
                question = self._course.send(question.legal[0])
        except StopIteration:
            self._question = None
        else:
            self._question = question

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
        self._go_on(name)
