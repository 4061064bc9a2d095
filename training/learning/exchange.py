"""How processes that learn together add up what each of them found."""

from __future__ import annotations

import multiprocessing

import torch
from torch import Tensor


class Exchange:
    """One member's end of memory that all members share. A BrokenBarrierError says that another one is gone."""

    def __init__(self, members: int = 1, size: int = 0) -> None:
        self.members = members
        self.barrier = multiprocessing.get_context("fork").Barrier(members)
        self._rooms = torch.zeros(2, members, size).share_memory_()  # two, so that one can be read while one is written
        self._number, self._turn = 0, 0

    def become(self, number: int) -> None:
        """Be the end of another member: said once, in its process."""
        self._number = number

    def add_up(self, mine: Tensor) -> Tensor:
        """The sum of what all members bring [N], the same to the last bit for each; all must come."""
        if self.members == 1:
            return mine
        room = self._rooms[self._turn, :, : len(mine)]
        self._turn = 1 - self._turn
        room[self._number] = mine
        self.barrier.wait()
        return room.sum(dim=0)
