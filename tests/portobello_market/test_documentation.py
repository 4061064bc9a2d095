"""What the page says is what the code does."""

from __future__ import annotations

import re

from olb_env import portobello_market_v0
from olb_env.portobello_market import ACTIONS, OBSERVATION
from olb_env.portobello_market.notation import MEANINGS
from tests.portobello_market.tables import PAGE, with_tables


def test_the_tables_of_the_page_are_those_of_the_code() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert page == with_tables(page), "they differ: run `python -m tests.portobello_market.tables`"


def test_the_page_is_the_modules_documentation() -> None:
    page = portobello_market_v0.__doc__ or ""
    assert page.startswith("# Portobello Market")
    assert all(f"`{name}`" in page for name in OBSERVATION)
    assert not re.search(r"[A-Z]{6,}", page.replace("OBSERVATION", ""))


def test_every_action_has_one_meaning() -> None:
    covered = [action for first, count, _ in MEANINGS for action in range(first, first + count)]
    assert covered == list(range(len(ACTIONS)))


def test_actions_have_the_numbers_of_the_rules() -> None:
    """§5."""
    known = {0: "token 1", 3: "mark D1 2", 14: "mark D12 2", 15: "mark D1 4", 26: "mark D12 4", 27: "bobby D1"}
    known |= {38: "bobby D12", 39: "stall A1 P1", 40: "stall A1 P2", 41: "stall A2 P2", 82: "stall A22 P11"}
    known |= {83: "draw", 84: "plaza P1", 94: "plaza P11", 95: "lord", 96: "done"}
    assert {action: ACTIONS[action] for action in known} == known
    assert len(set(ACTIONS)) == len(ACTIONS) == 97


def test_the_layout_has_no_gaps() -> None:
    ends = [0, *(where.stop for where in OBSERVATION.values())]
    assert [where.start for where in OBSERVATION.values()] == ends[:-1]
    assert OBSERVATION.size == ends[-1]
