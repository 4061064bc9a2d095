"""Agents for tests of commands, as a user might write them."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from olb_env.playing import RandomAgent, View, Views


class First:
    """Always the first legal action, by name."""

    def act(self, view: View) -> str:
        return view.legal[0]


class Undecided:
    """Is thrice as sure of the first legal action as of the last."""

    def act(self, view: View) -> str:
        return view.legal[0]

    def action_probabilities(self, view: View) -> Any:
        sure = np.zeros(len(view.mask))
        sure[int(np.flatnonzero(view.mask)[-1])] += 0.25
        sure[int(np.flatnonzero(view.mask)[0])] += 0.75
        return sure


class Cheat:
    """Never a legal action."""

    def act(self, view: View) -> str:
        return "fly"


class Mute:
    """Not an agent."""


class Broken:
    """Fails at its first decision."""

    def act(self, view: View) -> str:
        raise RuntimeError("no idea")


class Babbles:
    """Fails at its first decision, and tells what it could have done."""

    def act(self, view: View) -> str:
        raise RuntimeError(f"no idea which of {view.legal}")


class Last:
    """Always the last legal action, for many games at once; remembers how many it was asked about."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.seats: set[int] = set()

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.mask)[-1])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        self.asked.append(len(views))
        self.seats |= set(views.seats.tolist())
        return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)


class Watcher:
    """Plays at random and remembers in which seats."""

    def __init__(self) -> None:
        self.seats: list[int] = []

    def act(self, view: View) -> int:
        self.seats.append(view.seat)
        return int(view.chance.choice(np.flatnonzero(view.mask)))


class FailsLater:
    """Plays a while, then fails."""

    def __init__(self, after: int) -> None:
        self.left = after

    def act(self, view: View) -> str:
        self.left -= 1
        if self.left < 0:
            raise RuntimeError("tired")
        return view.legal[0]


class Tires(FailsLater):
    """Plays three moves, then fails."""

    def __init__(self) -> None:
        super().__init__(after=3)


class Slow:
    """Takes its time."""

    def act(self, view: View) -> str:
        time.sleep(0.02)
        return view.legal[0]


class AlsoRandom(RandomAgent):
    """Chance by another name."""


class Hang:
    """Never answers, and lets nothing stop it."""

    def act(self, view: View) -> int:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.001)


class Exit:
    """Wants to end it all."""

    def act(self, view: View) -> int:
        sys.exit(0)


class Forger:
    """Allows itself everything, and then fails."""

    def act(self, view: View) -> str:
        view.mask[:] = 1
        return "fly"


class Marker:
    """Fails in words that mean something to a terminal."""

    def act(self, view: View) -> int:
        raise RuntimeError("no such tag [/x] or [columns]")


class Odd:
    """Answers something that is not even willing to be looked at."""

    def act(self, view: View) -> Any:
        class Strange:
            def __index__(self) -> int:
                raise KeyError("strange")

            def __repr__(self) -> str:
                raise KeyError("stranger")

        return Strange()


class Thoughtful(RandomAgent):
    """Finds all actions equally likely, and seats better the later they come."""

    def evaluate(self, views: Views) -> tuple[Any, Any]:
        players = views.game.seats(views.states[0])
        likely = views.masks / views.masks.sum(axis=1, keepdims=True)
        return likely, np.tile(np.linspace(-1, 1, players), (len(views), 1))


class Confused(RandomAgent):
    """Has opinions, but cannot say them."""

    def evaluate(self, views: Views) -> tuple[Any, Any]:
        raise ValueError("no idea\nat all")


class Chatty(RandomAgent):
    """Thinks aloud."""

    def act(self, view: View) -> int:
        print("hmm")
        return super().act(view)

    act_many = None  # type: ignore[assignment]


class Onlooker:
    """Compares what it is shown at once."""

    seen: ClassVar[list[int]] = []

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.mask)[0])

    def act_many(self, views: Views) -> Any:
        self.seen.append(len(views))
        return np.array([self.act(views[index]) for index in range(len(views))])
