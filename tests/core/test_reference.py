"""The engine against the reference: random games with random options, every question compared."""

from __future__ import annotations

import pytest

from tests.tools.compare import COMPARED, ROWS, compare

pytestmark = pytest.mark.compiled

# Of each game: how many are compared, and how many as plain Python; how many decisions one has at least on average.
MANY = {"old_london_bridge": 2000, "portobello_market": 2000, "wobbly_bridge": 2000}
SOME = {"old_london_bridge": 9, "portobello_market": 6, "wobbly_bridge": 24}
DECISIONS = {"old_london_bridge": 50, "portobello_market": 50, "wobbly_bridge": 10}
FIRSTS = [(name, first) for name in COMPARED for first in range(0, MANY[name], ROWS)]


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "first"), FIRSTS)
def test_engine_and_reference_agree_on_every_question(name: str, first: int) -> None:
    assert compare(name, first, ROWS) > DECISIONS[name] * ROWS


@pytest.mark.parametrize("name", COMPARED)
def test_engine_and_reference_agree_as_plain_python(name: str) -> None:
    assert compare(name, 50_000, SOME[name]) > DECISIONS[name] * SOME[name]
