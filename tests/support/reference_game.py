"""The base class of the reference games: one decision at a time, with forced actions taken automatically.

Nothing here is shared with the engine, and nothing knows the rules of a game.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass


@dataclass(frozen=True)
class Decision:
    """The choice of a seat among its legal actions."""

    seat: int
    legal: tuple[str, ...]


Flow = Generator[Decision, str, None]  # yields decisions and receives the chosen actions


class GeneratorGame:
    """A game whose course is a generator that yields one decision after the other."""

    def begin(self, course: Flow) -> None:
        """Play to the first decision."""
        self._course = course
        self._decision: Decision | None = None
        self._play_on(None)

    def _play_on(self, action: str | None) -> None:
        """Carry out an action, and forced ones after it, up to the next decision with a choice."""
        try:
            decision = next(self._course) if action is None else self._course.send(action)
            while len(decision.legal) == 1:
                decision = self._course.send(decision.legal[0])
        except StopIteration:
            self._decision = None
        else:
            self._decision = decision

    @property
    def over(self) -> bool:
        return self._decision is None

    @property
    def actor(self) -> int | None:
        return None if self._decision is None else self._decision.seat

    @property
    def legal(self) -> list[str]:
        return [] if self._decision is None else list(self._decision.legal)

    def apply(self, name: str) -> None:
        if name not in self.legal:
            raise ValueError(f"{name!r} is not legal: expected one of {self.legal}")
        self._play_on(name)
