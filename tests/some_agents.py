"""Agents for tests of commands, as a user might write them."""

from __future__ import annotations

import time

import numpy as np
import numpy.typing as npt

from olb_env.playing import View, Views


class First:
    """Always the first legal action, by name."""

    def act(self, view: View) -> str:
        return view.legal[0]


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


class Slow:
    """Takes its time."""

    def act(self, view: View) -> str:
        time.sleep(0.02)
        return view.legal[0]
