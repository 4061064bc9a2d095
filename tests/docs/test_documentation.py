"""The documentation agrees with the code: tables, pictures, examples and links."""

from __future__ import annotations

import dataclasses
import doctest
import importlib
import re
from pathlib import Path

import pytest

from olb_agents.heuristics import Heuristics
from olb_env.core.game import BoardFormat, CommandOptions, Display, Game, RecordFormat, Rules
from olb_env.core.layout import Field, Layout
from tests.tools.tables import GAMES, MEANINGS, PAGES, PICTURE, ROOT, picture, tables_of, with_tables

pytestmark = pytest.mark.compiled

every_game = pytest.mark.parametrize("name", GAMES)
MARKDOWN = [*ROOT.glob("*.md"), *sorted((ROOT / "docs").rglob("*.md"))]


def test_every_game_has_an_environment_page() -> None:
    assert set(PAGES) == set(GAMES)


@every_game
def test_the_tables_of_the_page_are_up_to_date(name: str) -> None:
    page = PAGES[name].read_text(encoding="utf-8")
    assert page == with_tables(page, tables_of(name)), "the page and the code differ: run `make tables`"


def test_the_picture_of_the_readme_is_up_to_date() -> None:
    assert PICTURE.read_text(encoding="utf-8") == picture(), "the picture and the code differ: run `make tables`"


@every_game
def test_the_page_is_the_docstring_of_the_module_and_names_every_field(name: str) -> None:
    page = importlib.import_module(f"olb_env.{PAGES[name].stem}").__doc__ or ""
    assert page.startswith("# ")
    assert page.splitlines()[0].removeprefix("# ").removeprefix("The ") == name.replace("_", " ").title()
    for field in GAMES[name].observation:
        assert f"`{field}`" in page
    assert not re.search(r"[A-Z]{6,}", page.replace("OBSERVATION", "")), "the name of a constant"


def test_a_page_without_the_markers_of_a_table_is_refused() -> None:
    with pytest.raises(ValueError, match="no markers for the table 'observation'"):
        with_tables("nothing here", {"observation": str})


@every_game
def test_every_action_has_exactly_one_meaning(name: str) -> None:
    covered = [action for first, count, _ in MEANINGS[name] for action in range(first, first + count)]
    assert covered == list(range(len(GAMES[name].actions)))


@every_game
def test_the_layout_of_observations_has_no_gaps(name: str) -> None:
    layout = GAMES[name].observation
    ends = [0, *(where.stop for where in layout.values())]
    assert [where.start for where in layout.values()] == ends[:-1]
    assert layout.size == ends[-1]
    assert len(layout) == len(layout.fields)


def test_two_fields_with_the_same_name_are_refused() -> None:
    field = Field("money", (), 1, 1, "pounds")
    with pytest.raises(ValueError, match=r"two fields named 'own\.money'"):
        Layout([("own", (field, field))])


@pytest.mark.parametrize(
    "page", sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")]), ids=lambda path: path.name
)
def test_the_examples_run(page: Path) -> None:
    examples = doctest.DocTestParser().get_doctest(page.read_text(encoding="utf-8"), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    assert runner.run(examples).failed == 0


def test_the_readme_has_examples_and_names_only_existing_files_and_commands() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert ">>> env.reset(seed=7)" in readme
    for target in re.findall(r"`make ([\w-]+)`", readme):
        assert f"\n{target}:" in (ROOT / "Makefile").read_text(encoding="utf-8"), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", MARKDOWN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for link, anchor in re.findall(r"\]\((?!https?:)([^)#]*)#?([^)]*)\)", page.read_text(encoding="utf-8")):
        target = page.parent / link if link else page
        assert target.exists(), link
        assert not anchor or anchor in anchors(target), f"{link}#{anchor}"


def test_adding_a_game_explains_every_part_of_a_game_and_of_its_heuristics() -> None:
    page = (ROOT / "docs" / "adding_a_game.md").read_text(encoding="utf-8")
    for part in (Game, Rules, RecordFormat, Display, CommandOptions, BoardFormat, Heuristics):
        for field in dataclasses.fields(part):
            assert f"`{field.name}`" in page, f"{part.__name__}.{field.name}"
