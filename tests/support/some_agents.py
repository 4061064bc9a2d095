"""Agents as a user might write them, good and bad."""

from __future__ import annotations

import contextlib
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.playing import Evaluation, RandomAgent, View, Views


class First:
    """Chooses the first legal action, by name."""

    def act(self, view: View) -> str:
        return view.legal[0]


class Undecided:
    """Gives the first legal action three times the probability of the last."""

    def act(self, view: View) -> str:
        return view.legal[0]

    def action_probabilities(self, view: View) -> Any:
        probabilities = np.zeros(len(view.mask))
        probabilities[int(np.flatnonzero(view.mask)[-1])] += 0.25
        probabilities[int(np.flatnonzero(view.mask)[0])] += 0.75
        return probabilities


class Cheat:
    """Never chooses a legal action."""

    def act(self, view: View) -> str:
        return "fly"


class Mute:
    """Is not an agent."""


class Broken:
    """Fails at its first decision."""

    def act(self, view: View) -> str:
        raise RuntimeError("no idea")


class Babbles:
    """Fails at its first decision, with its legal actions in the message."""

    def act(self, view: View) -> str:
        raise RuntimeError(f"no idea which of {view.legal}")


class Last:
    """Chooses the last legal action for many games at once, and remembers the sizes of the batches."""

    def __init__(self) -> None:
        self.batch_sizes: list[int] = []
        self.seats: set[int] = set()

    def act(self, view: View) -> int:
        return int(np.flatnonzero(view.mask)[-1])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        self.batch_sizes.append(len(views))
        self.seats |= set(views.seats.tolist())
        return views.masks.shape[1] - 1 - views.masks[:, ::-1].argmax(axis=1)


class Watcher:
    """Plays at random, and remembers in which seats."""

    def __init__(self) -> None:
        self.seats: list[int] = []

    def act(self, view: View) -> int:
        self.seats.append(view.seat)
        return int(view.rng.choice(np.flatnonzero(view.mask)))


class FailsLater:
    """Plays some moves, then fails."""

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
    """Plays like `random` under another name."""


class Hang:
    """Never returns, and suppresses all exceptions."""

    def act(self, view: View) -> int:
        while True:
            with contextlib.suppress(Exception):
                time.sleep(0.001)


class Exit:
    """Exits the process."""

    def act(self, view: View) -> int:
        sys.exit(0)


class Forger:
    """Marks everything as legal, and then chooses what is not."""

    def act(self, view: View) -> str:
        view.mask[:] = 1
        return "fly"


class Marker:
    """Fails with a message that contains terminal markup."""

    def act(self, view: View) -> int:
        raise RuntimeError("no such tag [/x] or [columns]")


class Odd:
    """Returns an object that fails when it is converted or printed."""

    def act(self, view: View) -> Any:
        class Strange:
            def __index__(self) -> int:
                raise KeyError("strange")

            def __repr__(self) -> str:
                raise KeyError("stranger")

        return Strange()


class Thoughtful(RandomAgent):
    """Evaluates all legal actions as equally likely, and later seats as better."""

    def evaluate(self, views: Views) -> Evaluation:
        players = views.game.num_players(views.states[0])
        policy = views.masks / views.masks.sum(axis=1, keepdims=True)
        return Evaluation(policy, np.tile(np.linspace(-1, 1, players), (len(views), 1)))


class Confused(RandomAgent):
    """Fails when it should evaluate."""

    def evaluate(self, views: Views) -> Evaluation:
        raise ValueError("no idea\nat all")


class Chatty(RandomAgent):
    """Prints to standard output."""

    def act(self, view: View) -> int:
        print("hmm")
        return super().act(view)

    act_many = None  # type: ignore[assignment]
