"""How processes that learn together add up what each of them found."""

from __future__ import annotations

import multiprocessing
from multiprocessing.sharedctypes import RawValue

import torch
from torch import Tensor

FORK = multiprocessing.get_context("fork")
GLANCE = 0.2  # seconds between two looks whether the others are still there


class GoneError(Exception):
    """Another process that learns is gone."""


class Exchange:
    """One member's end of memory that all members share.

    Each tells each other one that it has written, and nobody waits for a lock that a dead process may hold.
    """

    def __init__(self, members: int = 1, size: int = 0) -> None:
        self.members = members
        self._written = [[FORK.Semaphore(0) for _ in range(members)] for _ in range(members)]  # by whom, for whom
        self._broken = RawValue("b", 0)
        self._rooms = torch.zeros(2, members, size)  # two, so that one can be read while one is written
        if members > 1:
            self._rooms.share_memory_()
        self._number, self._turn = 0, 0

    def become(self, number: int) -> None:
        """Be the end of another member: said once, in its process."""
        self._number = number

    def give_up(self) -> None:
        """Somebody is gone: nobody waits any longer."""
        self._broken.value = 1

    def add_up(self, mine: Tensor) -> Tensor:
        """The sum of what all members bring [N], the same to the last bit for each; all must come."""
        if self.members == 1:
            return mine
        room = self._rooms[self._turn, :, : len(mine)]
        self._turn = 1 - self._turn
        room[self._number] = mine
        others = [number for number in range(self.members) if number != self._number]
        for other in others:
            self._written[self._number][other].release()
        for other in others:
            while not self._written[other][self._number].acquire(timeout=GLANCE):
                if self._broken.value:
                    raise GoneError
        return room.sum(dim=0)
