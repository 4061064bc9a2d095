"""Errors show values and texts in one short line, whatever they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_env.core.checking import MOST_SHOWN, read_whole_numbers, shortened, shown


class Unprintable:
    def __repr__(self) -> str:
        raise SystemExit("no repr")

    __str__ = __repr__


class Breaking:
    def __repr__(self) -> str:
        return "one\n  two\x00\x1b[31m"


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth):
        value = [value]
    return value


def endless() -> Any:
    value: dict[str, Any] = {}
    value["again"] = value
    return value


@pytest.mark.parametrize(
    "value",
    [1, -3, 0.5, None, True, "text", "it's", b"bytes", [], [1, "a"], (), (1,), (1, 2), {}, {"a": [1], 2: (3,)}, {1, 2}],
)
def test_a_short_value_is_shown_as_its_repr(value: object) -> None:
    assert shown(value) == repr(value)


@pytest.mark.parametrize(
    "value",
    [
        "x" * 10_000, "\x00" * 10_000, b"\xff" * 10_000, 10**100_000, -(10**5_000), [10**5_000], list(range(10**6)),
        tuple(range(10**6)), dict.fromkeys(range(10**5)), {"a" * 10_000: "b" * 10_000}, set(range(10**4)),
        nested(100_000), endless(), np.zeros((50, 50)), np.arange(10**5), Unprintable(), [Unprintable()], Breaking(),
        "\ud800" * 1000, 1e308, float("nan"), object(), type,
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_any_value_is_shown_in_one_short_line(value: object) -> None:
    for text in (shown(value), shown(value, 20)):
        assert text.isprintable()
        text.encode()
    assert 0 < len(shown(value)) <= MOST_SHOWN
    assert 0 < len(shown(value, 20)) <= 20


def test_a_cut_is_marked() -> None:
    assert shown("x" * 200, 10) == "'" + "x" * 8 + "…"
    assert shown([1, 2, 3, 4, 5], 10) == "[1, 2, 3,…"
    assert shown(Unprintable()) == "<Unprintable>"
    assert shown(10**5000) == "<a whole number of 16610 bits>"
    assert shown(Breaking()) == r"one   two\x00\x1b[31m"


@pytest.mark.parametrize(
    "given",
    [
        [2**63, 1], np.array([2**63, 1], object), (2**63, np.int8(1)), np.array([2**63, 1], np.uint64),
    ],
    ids=lambda given: type(given).__name__,
)  # fmt: skip
def test_whole_numbers_of_any_kind_are_read(given: Any) -> None:
    numbers = read_whole_numbers("seeds", given, below=2**64)
    assert type(numbers) is np.ndarray
    assert numbers.dtype.kind in "iu"
    assert numbers.tolist() == [2**63, 1]


@pytest.mark.parametrize("empty", [[], (), np.array([]), np.array([], object)])
def test_no_numbers_are_read_as_none(empty: Any) -> None:
    assert read_whole_numbers("seeds", empty, below=3).tolist() == []


class Refusing:
    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError("no\narray")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([2**63, -1], "seeds have -1: expected 0 to 18446744073709551615"),
        (np.array([1, 2**64], object), "seeds have 18446744073709551616: expected"),
        (np.array([1, 1.0], object), "expected a list of whole numbers"),
        ([[1], [2, 3]], "expected a list of whole numbers"),
        (Refusing(), "expected a list of whole numbers"),
    ],
)
def test_anything_but_whole_numbers_is_named(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        read_whole_numbers("seeds", given, below=2**64)


def test_text_is_shortened_in_the_middle() -> None:
    assert shortened("runs/first") == "runs/first"
    assert shortened("a" * 500 + "/games.jsonl", 21) == "a" * 10 + "…ames.jsonl"
    assert len(shortened("\x00" * 10_000)) == MOST_SHOWN
    assert shortened("one\ntwo\x00") == r"one two\x00"
    assert shortened(ValueError(Unprintable())) == "<ValueError>"
    assert shortened("") == ""
