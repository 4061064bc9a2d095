"""Rulings as callers give them, as users type them, and as records hold them."""

from __future__ import annotations

from typing import Any

import pytest

from olb_env.core.rulings import Ruling, describe_rulings, parse_rulings, read_rulings, rulings_help

RULINGS = {"toll": Ruling("A1", ("free", "paid"), "who pays"), "tide": Ruling("A2", ("low", "mean", "high"), "where")}


@pytest.mark.parametrize(
    ("given", "chosen"),
    [(None, [0, 0]), ("default", [0, 0]), ({}, [0, 0]), ({"tide": "high"}, [0, 2]), ({"toll": "paid"}, [1, 0])],
)
def test_what_is_not_given_is_as_by_default(given: Any, chosen: list[int]) -> None:
    assert read_rulings(given, RULINGS) == chosen


@pytest.mark.parametrize("given", [{}, {"tide": "mean"}, {"toll": "paid", "tide": "high"}])
def test_a_description_has_what_differs_from_the_default(given: dict[str, str]) -> None:
    assert describe_rulings(read_rulings(given, RULINGS), RULINGS) == given


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("strict", "rulings are 'strict': expected a mapping with any of toll, tide"),
        (["toll"], r"rulings are \['toll'\]: expected a mapping"),
        ({"fee": "paid"}, "rulings have 'fee': expected any of toll, tide"),
        ({"tide": "paid"}, "the ruling on tide is 'paid': expected low or mean or high"),
        ({"tide": ["low"]}, r"the ruling on tide is \['low'\]: expected low or mean or high"),
    ],
)
def test_what_is_no_ruling_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_rulings(given, RULINGS)


def test_rulings_are_typed_as_names_and_values() -> None:
    assert parse_rulings("toll=paid, tide = high") == {"toll": "paid", "tide": "high"}
    assert parse_rulings("default") == "default"
    assert "toll=free|paid, tide=low|mean|high" in rulings_help(RULINGS)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("debts", "rulings are 'debts': expected NAME=VALUE, or default"),
        ("debts=owed,debts=forgiven", "rulings names 'debts' twice: expected once"),
    ],
)
def test_rulings_typed_wrongly_are_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        parse_rulings(text)


def test_rulings_are_typed_as_pairs() -> None:
    assert parse_rulings("debts=owed, coins_again_end = yes") == {"debts": "owed", "coins_again_end": "yes"}
    assert parse_rulings("default") == "default"
