"""The pages of the rules agree with the code: citations, assumptions, actions, record keys and links."""

from __future__ import annotations

import ast
import importlib
import io
import json
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from olb_env import replay
from olb_env.core import batch
from olb_env.core.game import find

ROOT = Path(__file__).parents[2]
RULES = ROOT / "docs" / "rules"
GAMES = ("old_london_bridge", "portobello_market", "wobbly_bridge")

TREES = ("olb_env", "agents", "training", "tests", "docs")
SUFFIXES = (".py", ".md", ".js")

# How a comment or docstring names an assumption. Plazas are called P1 to P11 too, so in Portobello Market the
# characters around the name decide.
TAGS = {
    "old_london_bridge": r"\bA\d+\b",
    "portobello_market": r"(?<=\[)P\d+(?=\])|(?<=\()P\d+(?=\))|\AP\d+(?=:|\Z)|(?<=\d, )P\d+(?=[.:]|\Z)",
    "wobbly_bridge": r"\bW\d+\b",
}

SECTION = r"\d+(?:\.\d+)?"
CITED = re.compile(rf"§({SECTION})(?:(?: to §|[–-]§?)({SECTION}))?")
HEADING = re.compile(r"(?:(?<=^## )§\d+|(?<=^### )§\d+\.\d+)(?= \S)", re.MULTILINE)
ASSUMPTIONS = "\n## Assumptions\n"
TABLE_OF_ASSUMPTIONS = "\n| tag | what no rulebook states | what we chose | how to change it |\n|---|---|---|---|\n"
TABLE_OF_ACTIONS = "\n| ids | notation | when |\n|---|---|---|\n"

every_game = pytest.mark.parametrize("name", GAMES)
pytestmark = pytest.mark.compiled  # pages are the same without the compiler: once is enough


class Mention(NamedTuple):
    """A section or an assumption that a file mentions."""

    path: Path  # from the root of the project
    line: int
    what: str

    @property
    def game(self) -> str:
        """Return the game whose rules are meant: that of the folder's or file's name, else the first game."""
        named = (name for name in GAMES[1:] if any(part.startswith(name) for part in self.path.parts))
        return next(named, GAMES[0])

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.what}"


def files() -> Iterator[Path]:
    """Yield all files that may cite the rules, except this one."""
    for tree in TREES:
        for path in sorted((ROOT / tree).rglob("*")):
            if path.suffix in SUFFIXES and path != Path(__file__):
                yield path


def sections_between(first: str, last: str) -> list[str]:
    """Return the sections from one to another if both are in the same chapter, else only these two."""
    *chapter, begin = first.split(".")
    *same, end = last.split(".")
    if chapter != same:
        return [first, last]
    return [".".join([*chapter, str(number)]) for number in range(int(begin), int(end) + 1)]


@cache
def citations() -> list[Mention]:
    """Return every citation of a section, with ranges expanded."""
    return [
        Mention(path.relative_to(ROOT), number, f"§{section}")
        for path in files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        for first, last in CITED.findall(line)
        for section in sections_between(first, last or first)
    ]


def remarks(source: str) -> Iterator[tuple[int, str]]:
    """Yield the comments and docstrings of a program, each with its first line number."""
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string.lstrip("# ")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node)
            if text is not None:
                yield node.body[0].lineno, text


@cache
def tags() -> list[Mention]:
    """Return every assumption that a comment or docstring names."""
    found = []
    for path in files():
        if path.suffix == ".py":
            whose = Mention(path.relative_to(ROOT), 0, "").game
            for line, text in remarks(path.read_text(encoding="utf-8")):
                named = re.findall(TAGS[whose], text)
                found += [Mention(path.relative_to(ROOT), line, tag) for tag in named]
    return found


@cache
def page_of(name: str) -> str:
    return (RULES / f"{name}.md").read_text(encoding="utf-8")


def sections_of(name: str) -> list[str]:
    return HEADING.findall(page_of(name))


def rows(page: str, heading: str) -> list[list[str]]:
    """Return the cells of the table with this heading, row by row."""
    assert page.count(heading) == 1
    table = page.partition(heading)[2].partition("\n\n")[0]
    return [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()]


def assumptions_of(name: str) -> list[str]:
    return [row[0] for row in rows(page_of(name), TABLE_OF_ASSUMPTIONS)]


@every_game
def test_the_table_of_assumptions_names_every_ruling_with_its_values(name: str) -> None:
    """And no others; the second reading of each is explained."""
    rulings = importlib.import_module(f"olb_env.{name}.components").RULINGS
    told = {row[0]: row[3] for row in rows(page_of(name), TABLE_OF_ASSUMPTIONS) if "ruling" in row[3]}
    assert told == {
        ruling.tag: f"ruling `{word}`: " + " or ".join(f"`{value}`" for value in ruling.values)
        for word, ruling in rulings.items()
    }
    assert [word for word, ruling in rulings.items() if f"\n- `{word}={ruling.values[1]}`: " not in page_of(name)] == []


def test_there_is_a_page_for_every_game_and_for_records_and_the_index_links_to_all() -> None:
    pages = {*GAMES, "records"}
    assert {path.stem for path in RULES.glob("*.md")} == {*pages, "README"}
    assert {link.removesuffix(".md") for link in re.findall(r"\]\(([^)]+)\)", page_of("README"))} == pages


@every_game
def test_sections_are_numbered_in_order(name: str) -> None:
    found = sections_of(name)
    assert found == sorted(set(found), key=lambda section: [int(number) for number in section[1:].split(".")])
    assert len(found) == len(re.findall(r"^#.*§", page_of(name), re.MULTILINE)), "a heading is not a section"


@every_game
def test_every_cited_section_exists(name: str) -> None:
    known = sections_of(name)
    unknown = [str(found) for found in citations() if found.game == name and found.what not in known]
    assert not unknown, f"the page of {name} has no such section:\n" + "\n".join(unknown)


@every_game
def test_every_section_is_cited_by_code_or_tests(name: str) -> None:
    cited = {found.what for found in citations() if found.game == name and found.path.parts[0] != "docs"}
    assert [section for section in sections_of(name) if section not in cited] == []


@every_game
def test_every_named_assumption_is_in_the_table(name: str) -> None:
    known = assumptions_of(name)
    unknown = [str(found) for found in tags() if found.game == name and found.what not in known]
    assert not unknown, f"the page of {name} has no such assumption:\n" + "\n".join(unknown)


@every_game
def test_the_code_names_every_assumption_of_the_table(name: str) -> None:
    named = {found.what for found in tags() if found.game == name and found.path.parts[0] == "olb_env"}
    assert [tag for tag in assumptions_of(name) if tag not in named] == []


@every_game
def test_the_page_ends_with_a_table_of_the_assumptions_in_its_text(name: str) -> None:
    text, _, end = page_of(name).partition(ASSUMPTIONS)
    letter = assumptions_of(name)[0][0]
    assert assumptions_of(name) == [f"{letter}{number}" for number in range(1, len(assumptions_of(name)) + 1)]
    assert set(re.findall(rf"`\[({letter}\d+)\]`", text)) == set(assumptions_of(name))
    assert end.splitlines()[-1].startswith(f"| {assumptions_of(name)[-1]} |")
    assert all(len(row) == 4 and all(row) for row in rows(end, TABLE_OF_ASSUMPTIONS))


@every_game
def test_the_table_of_actions_agrees_with_the_code(name: str) -> None:
    actions = find(name).actions
    following = 0
    for ids, names, _ in rows(page_of(name), TABLE_OF_ACTIONS):
        first, _, last = ids.partition("–")
        meant = list(actions[int(first) : int(last or first) + 1])
        before, gap, after = names.partition("…")
        begin, end = re.findall("`([^`]+)`", before), re.findall("`([^`]+)`", after)
        assert int(first) == following
        assert begin == meant[: len(begin)]
        assert end == meant[len(meant) - len(end) :]
        assert (begin and end) if gap else begin == meant
        following += len(meant)
    assert following == len(actions)


@every_game
def test_the_page_of_records_explains_every_key(name: str) -> None:
    part = page_of("records").partition(f"\n## {find(name).title}\n")[2].partition("\n## ")[0]
    keys = importlib.import_module(f"olb_env.{name}.record_format").SETUP_KEYS
    for key in (*keys, *find(name).records.end_keys):
        assert f"\n| `{key}` |" in part, key


def test_the_example_on_the_page_of_records_replays() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", page_of("records"), re.DOTALL)
    assert replay(json.loads(example)).over


@pytest.mark.parametrize("name", [*GAMES, "records"])
def test_links_lead_somewhere(name: str) -> None:
    for link in re.findall(r"\]\(([^)#:]+)\)", page_of(name)):
        assert (RULES / link).exists(), link


NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}


def decisions_told(text: str) -> dict[int, int]:
    """Return the number of decisions in a random game that a page tells for each number of players."""
    (sentence,) = re.findall(r"A game between random players has about [^.]*\.", " ".join(text.split()))
    counts = [int(count) for count in re.findall(r"\d+", sentence)]
    players = [NUMBERS[word] for word in re.findall("|".join(NUMBERS), sentence)]
    return dict(zip(players, counts, strict=True))


def decisions_in_random_games(name: str, players: int, games: int = 3000) -> float:
    """Return the mean number of decisions in whole random games."""
    game = find(name)
    states, rng = game.new_states(games), np.random.default_rng(players)
    batch.deal_rows(states, game.rules.configure(num_players=players), np.arange(games))
    masks, actors = np.zeros((games, len(game.actions)), np.int8), np.zeros(games, np.int64)
    done, decisions = np.zeros(games, np.bool_), 0
    while True:
        batch.actor_rows(states, actors)
        if (actors < 0).all():
            return decisions / games
        decisions += int((actors >= 0).sum())
        batch.write_masks(states, masks)
        batch.apply_rows(states, (masks * rng.random(masks.shape)).argmax(axis=1), done)


@every_game
def test_both_pages_tell_how_many_decisions_a_random_game_has(name: str) -> None:
    """Whole numbers of at most 1% or half a decision beside the mean of whole games."""
    told = decisions_told(page_of(name))
    assert set(told) == set(find(name).players)
    assert told == decisions_told((ROOT / "olb_env" / f"{name}_v0.py").read_text(encoding="utf-8"))
    for players, count in told.items():
        measured = decisions_in_random_games(name, players)
        assert abs(measured - count) <= max(0.6, measured / 100), (players, measured)
