"""Checks of arguments and records that all games share. A ValueError says what was given and what was expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

MOST_SHOWN = 100  # characters of a value that an error shows


def shown(value: object, limit: int = MOST_SHOWN) -> str:
    """Return a value as an error shows it: its repr in one line, cut off at the end if it is long.

    Any object will do: however large or deep, and even if its repr fails.
    """
    text = ""
    try:
        for part in _parts(value, limit):
            text += part
            if len(text) > limit:
                break
    except RecursionError:
        text = "something nested too deeply"
    text = _in_one_line(text)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def shortened(text: object, limit: int = MOST_SHOWN) -> str:
    """Return text, a path or an exception as an error shows it: in one line, without the middle if it is long."""
    try:
        given = str(text)
    except (Exception, SystemExit):  # noqa: BLE001  # an exception of the user may do anything
        given = f"<{type(text).__name__}>"
    if len(given) > 2 * limit:
        given = f"{given[:limit]}…{given[-limit:]}"
    given = _in_one_line(given)
    start = limit // 2
    return given if len(given) <= limit else f"{given[:start]}…{given[len(given) - (limit - start - 1) :]}"


def _parts(value: Any, limit: int) -> Iterator[str]:
    """Yield the repr of a value part by part, so that the rest of a large one is never computed."""
    kind = type(value)  # a subclass may have a repr of its own
    if kind in (str, bytes):
        yield repr(value[:limit])
    elif kind is int and value.bit_length() > 4 * limit:
        yield f"<a whole number of {value.bit_length()} bits>"  # Python refuses to print the longest ones
    elif kind is list:
        yield from _joined("[", value, "]", limit)
    elif kind is tuple:
        yield from _joined("(", value, ",)" if len(value) == 1 else ")", limit)
    elif kind is dict:
        yield "{"
        for number, (key, item) in enumerate(value.items()):
            yield ", " if number else ""
            yield from _parts(key, limit)
            yield ": "
            yield from _parts(item, limit)
        yield "}"
    else:
        try:
            yield repr(value)
        except (Exception, SystemExit):  # noqa: BLE001  # an object of the user may do anything
            yield f"<{kind.__name__}>"


def _joined(start: str, values: Sequence[Any], end: str, limit: int) -> Iterator[str]:
    yield start
    for number, value in enumerate(values):
        yield ", " if number else ""
        yield from _parts(value, limit)
    yield end


def _in_one_line(text: str) -> str:
    """Return text without line breaks, and with the escape of every other character that cannot be printed."""
    text = " ".join(text.splitlines()) if "\n" in text or "\r" in text else text
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in text)


def is_int(value: Any) -> bool:
    """Return whether a value is an int of Python or numpy, and not a bool."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_list(value: Any) -> bool:
    """Return whether a value is a sequence of Python or an array of numpy, and not text."""
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, Sequence) and not isinstance(value, str)


def check_setup(setup: Any, keys: Sequence[str], optional: Sequence[str] = ()) -> None:
    """Raise ValueError unless a record's setup has all of these keys, and none besides but optional ones."""
    if not isinstance(setup, Mapping):
        raise ValueError(f"setup is {shown(setup)}: expected a mapping")
    missing = [key for key in keys if key not in setup]
    if missing:
        raise ValueError(f"setup lacks {missing[0]!r}: expected {', '.join(keys)}")
    unknown = [key for key in setup if key not in keys and key not in optional]
    if unknown:
        raise ValueError(f"setup has {shown(unknown[0])}: expected {', '.join(keys)}")


def read_whole_numbers(name: str, given: Any, below: int) -> npt.NDArray[Any]:
    """Return a caller's whole numbers [N] as an array, after checking that they are from 0 to `below` - 1."""
    numbers = _array_of(given)
    if numbers is None or numbers.ndim != 1:
        raise ValueError(f"{name} are {shown(given)}: expected a list of whole numbers")
    if numbers.dtype == object and all(map(is_int, numbers)):
        wrong = next((number for number in numbers if not 0 <= number < below), None)
        if wrong is not None:
            raise ValueError(f"{name} have {shown(wrong)}: expected 0 to {below - 1}")
        numbers = numbers.astype(np.uint64)
    if not numbers.size:
        return np.empty(0, np.int64)
    if numbers.dtype.kind not in "iu":
        raise ValueError(f"{name} are {shown(given)}: expected a list of whole numbers")
    if not 0 <= int(numbers.min()) <= int(numbers.max()) < below:
        wrong = int(numbers.min() if numbers.min() < 0 else numbers.max())
        raise ValueError(f"{name} have {wrong}: expected 0 to {below - 1}")
    return np.ascontiguousarray(numbers)


def _array_of(given: Any) -> npt.NDArray[Any] | None:
    """Return an array of what a caller gave, or None if there is none; numbers that need it stay Python's."""
    try:
        numbers = np.asarray(given)
        if numbers.dtype.kind == "f" and not isinstance(given, np.ndarray):  # 64 bits cannot hold all of a list
            return np.asarray(given, object)
    except Exception:  # noqa: BLE001  # an object of the user may do anything
        return None
    return numbers
