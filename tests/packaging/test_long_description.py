"""The README as a package index shows it: alone, without the files that it links to."""

from __future__ import annotations

import re
import tomllib
import zipfile
from html.parser import HTMLParser

import pytest
import readme_renderer.markdown
from packaging.metadata import Metadata

from tests.packaging.conftest import Distributions
from tests.support.paths import ROOT
from tests.tools.tables import DRAWING, drawing

pytestmark = pytest.mark.compiled  # a build is the same without the compiler: once is enough

README = (ROOT / "README.md").read_text(encoding="utf-8")
HOOK = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["hatch"]["metadata"]["hooks"]
SETTINGS = HOOK["fancy-pypi-readme"]


class Page(HTMLParser):
    """The text of a page, and the addresses in it."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text = ""
        self.addresses: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.addresses += [value or "" for name, value in attrs if name in {"href", "src", "srcset"}]

    def handle_data(self, data: str) -> None:
        self.text += data


@pytest.fixture
def description(distributions: Distributions) -> str:
    """The long description of the package, as Markdown."""
    with zipfile.ZipFile(distributions.wheel) as wheel:
        (name,) = (name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        return Metadata.from_email(wheel.read(name)).description or ""


@pytest.fixture
def page(description: str) -> Page:
    """The page that an index makes of it; a warning of the renderer would be an error here."""
    html = readme_renderer.markdown.render(description)
    assert html is not None
    return Page(html)


def test_every_address_works_without_the_files_of_the_project(page: Page) -> None:
    assert page.addresses
    for address in page.addresses:
        assert address.startswith(("https://", "#")), f"{address} is relative: see fancy-pypi-readme in pyproject.toml"


def test_the_picture_is_shown_as_text(page: Page) -> None:
    assert DRAWING.read_text(encoding="utf-8").strip() in page.text


def test_the_text_of_the_picture_is_what_the_code_draws() -> None:
    assert DRAWING.read_text(encoding="utf-8") == drawing(), "they differ: run `make tables`"


def test_headings_and_examples_of_the_readme_are_kept(description: str) -> None:
    kept = re.findall(r"^#+ [^\n]*$|^```.*?^```$", README, re.MULTILINE | re.DOTALL)
    assert len(kept) > 3
    for part in kept:
        assert part in description


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[text](docs/page.md)", "text (`docs/page.md`)"),
        ("[text](docs/page.md#part)", "text (`docs/page.md`)"),
        ('[text](docs/page.md "title")', "text (`docs/page.md`)"),
        ("[two\nlines](docs/page.md)", "two\nlines (`docs/page.md`)"),
        ("[`name`](docs/page.md)", "`name` (`docs/page.md`)"),
        ("[a](b.md), [c](d.md)", "a (`b.md`), c (`d.md`)"),
        ("[olb_env/core](olb_env/core)", "`olb_env/core`"),
        ("[`olb_env/core`](olb_env/core/)", "`olb_env/core`"),
        ("![picture](docs/picture.svg)", "picture"),
        ("[![picture](docs/picture.svg)](docs/page.md)", "picture (`docs/page.md`)"),
        ("[text](#part)", "[text](#part)"),
        ("[text](https://pettingzoo.farama.org)", "[text](https://pettingzoo.farama.org)"),
        ("![picture](https://pettingzoo.farama.org/a.svg)", "![picture](https://pettingzoo.farama.org/a.svg)"),
        ("agents[name](game)", "agents[name](game)"),
    ],
)
def test_links_to_files_become_words_and_paths(written: str, shown: str) -> None:
    for substitution in SETTINGS["substitutions"]:
        written = re.sub(substitution["pattern"], substitution["replacement"], written)
    assert written == shown


def test_a_readme_without_the_picture_is_kept_whole() -> None:
    """The text of the position then follows at the end."""
    before, after = (part["pattern"] for part in SETTINGS["fragments"] if part.get("path") == "README.md")
    readme = "# Title\n\n![another](docs/another.svg)\n"
    found = [re.search(pattern, readme, re.DOTALL) for pattern in (before, after)]
    assert [match and match[1] for match in found] == [readme, ""]
