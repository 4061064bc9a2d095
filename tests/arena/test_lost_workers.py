"""Worker processes that die: their work is done again, and given up only if that never ends."""

from __future__ import annotations

import os
import signal
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path

import pytest

from olb_env.core.processes import map_in_order

pytestmark = pytest.mark.compiled


class Work:
    """Squares numbers; where it is told to, it kills its own process at the first attempts."""

    def __init__(self, folder: Path, deaths: dict[int, int]) -> None:
        self.folder, self.deaths = folder, deaths

    def __call__(self, number: int) -> int:
        for attempt in range(self.deaths.get(number, 0)):
            mark = self.folder / f"{number}-{attempt}"
            if not mark.exists():
                mark.touch()
                os.kill(os.getpid(), signal.SIGKILL)
        return number * number


@pytest.mark.parametrize("deaths", [{0: 1}, {3: 2}, {1: 1, 2: 1, 9: 2}])
def test_what_a_dead_process_had_to_do_is_done_again(deaths: dict[int, int], tmp_path: Path) -> None:
    found = list(map_in_order(Work(tmp_path, deaths), range(12), workers=2, attempts=8))
    assert found == [number * number for number in range(12)]
    assert len(list(tmp_path.iterdir())) == sum(deaths.values())


def test_work_that_always_kills_its_process_is_given_up(tmp_path: Path) -> None:
    results = map_in_order(Work(tmp_path, {5: 1000}), range(1000), workers=2, attempts=3)
    found: list[int] = []
    with pytest.raises(BrokenProcessPool):
        found.extend(results)
    assert found == [0, 1, 4, 9, 16]
    assert 3 <= len(list(tmp_path.iterdir())) <= 3 * 6  # a result in between starts the count anew
