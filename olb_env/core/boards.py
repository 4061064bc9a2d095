"""Boards of the caller's own: a name, a mapping, or a file in TOML or JSON that holds such a mapping.

A game checks the mapping. A part that is wrong raises a BoardError, which knows where in the mapping that part is. If
the board came from a file, the error names the file and the line.
"""

from __future__ import annotations

import json
import os
import re
import tomllib
from collections.abc import Callable, Mapping
from json.decoder import JSONDecoder
from pathlib import Path
from typing import Any, TypeVar

from olb_env.core.checking import shortened, shown

T = TypeVar("T")
Where = tuple[str | int, ...]  # the keys and indices that lead to a part of a board

SUFFIXES = (".toml", ".json")
MOST_BYTES = 1_000_000  # of a file
MOST_DOTS = 20  # of a line in TOML; the time and memory that Python's parser needs grow with their square
LONGEST_LINE = 100  # of a template


class BoardError(ValueError):
    """Something that no board can have; `where` leads to it."""

    def __init__(self, message: str, *where: str | int) -> None:
        super().__init__(message)
        self.where = where


def is_board_file(given: Any) -> bool:
    """Return whether the value of an option is the path of a file."""
    return isinstance(given, os.PathLike) or (isinstance(given, str) and given.lower().endswith(SUFFIXES))


def checked_board(given: Any, named: Mapping[str, Any], keys: tuple[str, ...], read: Callable[[Any], T]) -> T:
    """Return what `read` makes of a board: of its mapping, with any of `keys`, that a name or a file stands for."""
    if given is None:
        return read({})
    if isinstance(given, str) and given in named:
        return read(named[given])
    if is_board_file(given):
        return _checked_file(Path(given), lambda board: read(_with_keys(board, keys)))
    if not isinstance(given, Mapping):
        files = " or ".join(f"FILE{suffix}" for suffix in SUFFIXES)
        words = ", ".join([*named, files])
        raise ValueError(f"board is {shown(given)}: expected {words}, or a mapping with any of {', '.join(keys)}")
    return read(_with_keys(given, keys))


def _with_keys(board: Mapping[str, Any], keys: tuple[str, ...]) -> Mapping[str, Any]:
    for key in board:
        if key not in keys:
            raise BoardError(f"board has the key {shown(key)}: expected any of {', '.join(keys)}", str(key))
    return board


def _checked_file(path: Path, read: Callable[[Any], T]) -> T:
    board, text = _read_text_of(path)
    try:
        return read(board)
    except BoardError as error:
        line = line_of(text, error.where, json_format=path.suffix.lower() == ".json")
        raise ValueError(f"{shortened(path)}, line {line}: {error}") from None


def read_board_file(path: Path) -> Mapping[str, Any]:
    """Return the mapping in a file, or raise a ValueError that says why there is none."""
    return _read_text_of(path)[0]


def _read_text_of(path: Path) -> tuple[Mapping[str, Any], str]:
    """Return the mapping in a file, and the text of the file."""
    name = shortened(path)
    try:
        if not path.is_dir() and path.exists() and not path.is_file():  # nobody may ever write into a pipe
            raise ValueError("it is not a file")
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {name}: {getattr(error, 'strerror', None) or shortened(error)}") from None
    if len(content) > MOST_BYTES:
        raise ValueError(f"{name} is too long for a board: expected at most {MOST_BYTES:,} bytes")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(f"cannot read {name}: it is not text in UTF-8") from None
    try:
        if path.suffix.lower() == ".json":
            board = json.loads(text, object_pairs_hook=_without_twins)
        else:
            _check_dots(text)
            board = tomllib.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(f"{name}, line {error.lineno}: not JSON: {shortened(error.msg)}") from None
    except (ValueError, RecursionError) as error:
        kind = "JSON" if path.suffix.lower() == ".json" else "TOML"
        raise ValueError(f"{name} is not {kind}: {shortened(error)}") from None
    if not isinstance(board, Mapping):
        raise ValueError(f"{name} holds {shown(board)}: expected a mapping")
    return board, text


def _check_dots(text: str) -> None:
    """Raise ValueError if a line may have a key of so many parts that reading it takes too long."""
    for number, line in enumerate(text.split("\n"), start=1):
        if line.count(".") > MOST_DOTS and not line.lstrip().startswith("#"):
            raise ValueError(f"line {number} has more than {MOST_DOTS} dots, no key of a board has as many parts")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise ValueError(f"the key {shown(key)} is there twice")
            seen.add(key)
    return found


def line_of(text: str, where: Where, *, json_format: bool) -> int:
    """Return the line of a part of a board in a valid file, or of the innermost part around it that is there."""
    at = _find_in_json(text, 0, where) if json_format else _find_in_toml(text, where)
    return text.count("\n", 0, at) + 1


_SPACE = re.compile(r"[\s,:]*")


def _find_in_json(text: str, at: int, where: Where) -> int:
    """Return the place of a part of the JSON value that begins at `at`."""
    decoder = JSONDecoder()
    at = _SPACE.match(text, at).end()  # type: ignore[union-attr]  # it always matches
    if not where or text[at] not in "{[":
        return at
    is_object, number, place = text[at] == "{", 0, _SPACE.match(text, at + 1).end()  # type: ignore[union-attr]
    while text[place] not in "}]":
        key: str | int = number
        start = place
        if is_object:
            key, place = decoder.raw_decode(text, place)
            place = _SPACE.match(text, place).end()  # type: ignore[union-attr]
        if key == where[0]:
            return _find_in_json(text, place, where[1:]) if len(where) > 1 else start
        _, place = decoder.raw_decode(text, place)
        place, number = _SPACE.match(text, place).end(), number + 1  # type: ignore[union-attr]
    return at


def _find_in_toml(text: str, where: Where) -> int:
    """Return the place of a part of a TOML document: of the last of its keys, or of the element of a list."""
    at = 0
    for key in where:
        if isinstance(key, int):
            at = _element_in_toml(text, at, key)
            continue
        # A key comes before "=", or before "." or "]" in the header of a table.
        pattern = re.compile(rf"""(?:^|[\[{{,.])[ \t]*["']?({re.escape(key)})["']?[ \t]*[=.\]]""", re.MULTILINE)
        found = pattern.search(text, at)
        if found is None:
            break
        at = found.start(1)
    return at


_TOML_SPACE = re.compile(r"(?:\s|#[^\n]*)*")
_TOML_PARTS = re.compile(r"""#[^\n]*|"(?:\\.|[^"\\])*"|'[^']*'|[\[\]{},]""")


def _element_in_toml(text: str, at: int, number: int) -> int:
    """Return the place of an element of the list that comes next."""
    start = text.find("[", at)
    depth, count = 0, 0
    for part in _TOML_PARTS.finditer(text, max(start, at)):
        sign = part.group()
        if sign in ("[", "{"):
            depth += 1
            if depth == 1 and number == 0:
                return _TOML_SPACE.match(text, part.end()).end()  # type: ignore[union-attr]
        elif sign in ("]", "}"):
            depth -= 1
            if depth == 0:
                break
        elif sign == "," and depth == 1:
            count += 1
            if count == number:
                return _TOML_SPACE.match(text, part.end()).end()  # type: ignore[union-attr]
    return at


def template(about: str, board: Mapping[str, Any], comments: Mapping[str, str]) -> str:
    """Return a board as TOML for people to change, with a comment above each of its keys."""
    lines = [f"# {line}" for line in about.splitlines()]
    for key, value in sorted(board.items(), key=lambda item: isinstance(item[1], Mapping)):
        lines += ["", *(f"# {line}" for line in comments[key].splitlines())]
        if isinstance(value, Mapping):
            lines.append(f"[{key}]")
            lines += [f"{name} = {_toml(part)}" for name, part in value.items()]
        else:
            lines.append(f"{key} = {_toml(value)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Return a value as TOML, a long list with line breaks."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_toml(part)}" for key, part in value.items()) + " }" if value else "{}"
    text = json.dumps(value)
    if not isinstance(value, list) or len(text) <= LONGEST_LINE:
        return text
    lines = [""]
    for part in value:
        element = f"{json.dumps(part)},"
        if lines[-1] and len(lines[-1]) + len(element) > LONGEST_LINE:
            lines.append("")
        lines[-1] += f" {element}" if lines[-1] else f"    {element}"
    return "\n".join(["[", *lines, "]"])
