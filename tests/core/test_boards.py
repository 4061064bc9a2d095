"""Files with boards of the caller's own: what is read, and how errors say where something is wrong."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from olb_env.core import boards
from olb_env.core.boards import BoardError, checked_board, line_of, template

TOML = """\
# The word coins in a comment is no key.
name = "coins = 7"
coins = [1, 2,  # two of them
    3, 4]

[track]
length = 9
bonus = [3, 6]
coins = { 2 = 1, 5 = 99 }

[tiles]
inn = [
    [5, "grey"], [10, "green"],
    [15, "orange"],
]
"park.new" = [[0, "] ["], [0, "blue"]]
"""
JSON = """\
{"name": "coins: 7",
 "coins": [1, 2,
           3, 4],
 "track": {"length": 9,
           "bonus": [3, 6],
           "coins": {"2": 1,
                     "5": 99}},
 "tiles": {
   "inn": [[5, "grey"], [10, "green"],
           [15, "orange"]],
   "park.new": [[0, "] ["],
                [0, "blue"]]}}
"""


def line_with(text: str, start: str) -> int:
    """Return the number of the first line that begins like this."""
    return next(number for number, line in enumerate(text.splitlines(), 1) if line.strip().startswith(start))


@pytest.mark.parametrize(
    ("where", "toml", "json_"),
    [
        (("name",), "name", '{"name'),
        (("coins",), "coins", '"coins"'),
        (("coins", 1), "coins", '"coins"'),
        (("coins", 2), "3, 4]", "3, 4]"),
        (("track",), "[track]", '"track"'),
        (("track", "length"), "length", '"track"'),
        (("track", "bonus", 1), "bonus", '"bonus"'),
        (("track", "coins", "5"), "coins = {", '"5"'),
        (("track", "end"), "[track]", '"track"'),
        (("tiles", "inn", 1), "[5,", '"inn"'),
        (("tiles", "inn", 2), "[15,", "[15,"),
        (("tiles", "park.new", 1), '"park.new"', "[0, "),
        (("dice",), "# The word", '{"name'),
    ],
)
def test_the_line_of_a_part_is_found(where: tuple[str | int, ...], toml: str, json_: str) -> None:
    """The last of `where` may be missing: then it is the line of the part around it."""
    assert tomllib.loads(TOML) == json.loads(JSON) | {"name": "coins = 7"}
    assert line_of(TOML, where, json_format=False) == line_with(TOML, toml)
    assert line_of(JSON, where, json_format=True) == line_with(JSON, json_)


def read_small(board: Mapping[str, Any]) -> int:
    """Read a board that is one number from 1 to 3."""
    size = board.get("size", 1)
    if size not in (1, 2, 3):
        raise BoardError(f"size is {size!r}: expected 1 to 3", "size")
    return int(size)


def check_small(given: Any) -> int:
    return checked_board(given, {"big": {"size": 3}}, ("size", "colour"), read_small)


def test_a_board_is_nothing_a_name_a_mapping_or_a_file(tmp_path: Path) -> None:
    toml, json_ = tmp_path / "own.toml", tmp_path / "OWN.JSON"
    toml.write_bytes("\ufeffsize = 2\n".encode())  # as some editors write it
    json_.write_text('{"size": 3}')
    assert check_small(None) == 1
    assert check_small("big") == 3
    assert check_small({"size": 2}) == 2
    assert check_small(toml) == check_small(str(toml)) == 2
    assert check_small(json_) == 3


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("small", "board is 'small': expected big, FILE.toml or FILE.json, or a mapping with any of size, colour"),
        (7, "board is 7: expected big"),
        ({"size": 9}, "size is 9: expected 1 to 3"),
        ({"weight": 9}, "board has the key 'weight': expected any of size, colour"),
        ({5: 9}, "board has the key 5: expected any of size, colour"),
    ],
)
def test_what_is_no_board_is_refused(given: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_small(given)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("own.toml", b"colour = 3\nsize = 9\n", "own.toml, line 2: size is 9: expected 1 to 3"),
        ("own.toml", b"\n\nweight = 9\n", "own.toml, line 3: board has the key 'weight'"),
        ("own.toml", b"size = \n", "own.toml is not TOML: Invalid value"),
        ("own.toml", b"size = 1\nsize = 2\n", "own.toml is not TOML: Cannot overwrite a value"),
        ("own.toml", b"size = 1" + b"0" * 5000, "own.toml is not TOML: Exceeds the limit"),
        ("own.toml", b"\xff\xfe", "cannot read .*own.toml: it is not text in UTF-8"),
        ("own.toml", b"#" * boards.MOST_BYTES + b"\n", "own.toml is too long for a board: expected at most 1,000,000"),
        ("own.json", b'{\n"size": 9}', "own.json, line 2: size is 9: expected 1 to 3"),
        ("own.json", b'{"size": 1,\n', "own.json, line 2: not JSON: Expecting property name"),
        ("own.json", b'{"size": 1, "size": 2}', "own.json is not JSON: the key 'size' is there twice"),
        ("own.json", b"[1, 2]", r"own.json holds \[1, 2\]: expected a mapping"),
        ("own.json", b"null", "own.json holds None: expected a mapping"),
        ("own.json", b"[" * 100_000, "own.json is not JSON: maximum recursion depth"),
        ("own.json", b"", "own.json, line 1: not JSON: Expecting value"),
    ],
)
def test_a_bad_file_is_refused_with_the_reason_in_one_line(
    name: str, content: bytes, message: str, tmp_path: Path
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(ValueError, match=message) as refused:
        check_small(file)
    assert "\n" not in str(refused.value)
    assert len(str(refused.value)) < 400


@pytest.mark.parametrize("name", ["none.toml", "folder.json", "a\0b.toml"])
def test_a_file_that_cannot_be_read_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder.json").mkdir()
    with pytest.raises(ValueError, match="cannot read "):
        check_small(str(tmp_path / name))


def test_a_template_is_the_board_with_comments() -> None:
    board = {"names": ["a"] * 40, "track": {"2": 1, "end": {"coins": {}, "more": {"x": 2}}}, "size": 3, "text": 'a"b'}
    text = template("About this.\nAnd that.", board, {key: f"About {key}.\nMore." for key in board})
    assert tomllib.loads(text) == board
    assert text.startswith("# About this.\n# And that.\n\n# About names.\n# More.\nnames = [\n")
    assert max(map(len, text.splitlines())) <= boards.LONGEST_LINE
