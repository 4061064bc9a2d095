"""The engine against the reference: random games with random options, every question compared."""

from __future__ import annotations

import pytest

from tests.portobello_market.comparing import ROWS, compare


@pytest.mark.compiled
@pytest.mark.parametrize("first", range(0, 600, ROWS))
def test_engine_and_reference_agree_on_every_question(first: int) -> None:
    assert compare(first, ROWS) > 80 * ROWS


def test_engine_and_reference_agree_as_plain_python() -> None:
    assert compare(50_000, 12) > 12 * 50
