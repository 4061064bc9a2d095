"""The engine against the reference: random games with random options, compared at every decision."""

from __future__ import annotations

import pytest

from tests.tools.compare import COMPARED, ROWS, compare

GAMES = {"old_london_bridge": 2000, "portobello_market": 600, "wobbly_bridge": 2000}  # compared when compiled
PLAIN_GAMES = {"old_london_bridge": 9, "portobello_market": 6, "wobbly_bridge": 24}  # compared as plain Python
DECISIONS = {"old_london_bridge": 50, "portobello_market": 50, "wobbly_bridge": 10}  # fewest in a game, on average


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("name", "first"), [(name, first) for name in COMPARED for first in range(0, GAMES[name], ROWS)]
)
def test_engine_and_reference_agree_at_every_decision(name: str, first: int) -> None:
    assert compare(name, first, ROWS) > DECISIONS[name] * ROWS


@pytest.mark.parametrize("name", COMPARED)
def test_engine_and_reference_agree_as_plain_python(name: str) -> None:
    assert compare(name, 50_000, PLAIN_GAMES[name]) > DECISIONS[name] * PLAIN_GAMES[name]
