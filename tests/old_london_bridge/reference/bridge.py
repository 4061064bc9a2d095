"""A player's section of the bridge, and where buildings may go on it (§6.1)."""

from __future__ import annotations

from .pieces import BRIDGE_SPACES, KINDS, Building


class Bridge:
    """Up to twelve buildings, from left to right without gaps."""

    def __init__(self) -> None:
        self.buildings: list[Building] = []

    def __len__(self) -> int:
        return len(self.buildings)

    # -- building -----------------------------------------------------------

    def can_append(self, new: Building) -> bool:
        """Return whether the new building fits on the first free space, where it then must go."""
        if new.is_park or not self.buildings:
            return True
        last = self.buildings[-1]
        return last.is_park or last.number > new.number

    def replaceable_spaces(self, new: Building) -> list[int]:
        """Return the spaces, counted from 1, whose building the new one may replace."""
        return [space for space in range(1, len(self) + 1) if self._fits_at(space, new)]

    def _fits_at(self, space: int, new: Building) -> bool:
        if self.buildings[space - 1].is_park:
            return False
        left = self.buildings[space - 2] if space >= 2 else None
        right = self.buildings[space] if space < len(self) else None
        left_fits = left is None or left.is_park or left.number > new.number
        right_fits = right is None or right.is_park or right.number < new.number
        return left_fits and right_fits

    def append(self, new: Building) -> None:
        if len(self) >= BRIDGE_SPACES:
            raise RuntimeError("the bridge has no free space")
        self.buildings.append(new)

    def replace(self, space: int, new: Building) -> None:
        self.buildings[space - 1] = new

    # -- counting -----------------------------------------------------------

    def power(self, crest: str) -> int:
        """Return how many buildings show this crest (§6.2)."""
        return sum(1 for building in self.buildings if building.shows(crest))

    def count(self, kind: str) -> int:
        return sum(1 for building in self.buildings if building.kind == kind)

    @property
    def empty_spaces(self) -> int:
        return BRIDGE_SPACES - len(self)

    def longest_run(self) -> int:
        """Return the length of the longest run of falling numbers; a park ends a run (§7)."""
        longest = 0
        run: list[int] = []
        for building in self.buildings:
            if building.is_park:
                run = []
            elif run and run[-1] < building.number:
                run = [building.number]
            else:
                run.append(building.number)
            longest = max(longest, len(run))
        return longest

    def low_numbers(self, limit: int) -> int:
        return sum(1 for building in self.buildings if not building.is_park and building.number <= limit)

    def full_sets(self) -> int:
        """Return how many sets of all six kinds there are."""
        return min(self.count(kind) for kind in KINDS)
