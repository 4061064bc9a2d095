"""The rules of the games as pages: docs/rules, rendered with a table of contents.

Raw HTML in a rules file is shown as text. Sections cite each other as §2.3, which becomes a link. Links between rules
files work; links to other files of the repository become plain text, since the server does not have them.
"""

from __future__ import annotations

import html
import itertools
import re
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from olb_env.core.game import Game

PACKAGE_FOLDER = Path(__file__).parent
FOLDERS = PACKAGE_FOLDER / "rules", PACKAGE_FOLDER.parents[1] / "docs" / "rules"  # in a wheel, in the repository
SECTION = re.compile(r"§(\d+(?:\.\d+)?)")
CONTENTS_TAGS = ("h2", "h3")
TEMPLATE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/colours.css">
<link rel="stylesheet" href="/static/page.css">
</head>
<body class="rules">
<nav aria-label="Contents">
<h2>Contents</h2>
{contents}
</nav>
<main>
{body}
</main>
</body>
</html>
"""


def rules_file(name: str) -> Path | None:
    """Return the rules file of that name, such as the name of a game, or None."""
    found = (file for folder in FOLDERS for file in folder.glob("*.md") if file.stem == name)
    return next(found, None)


def rules_address(game: Game) -> str | None:
    """Return the address of the rules of a game on the server, or None if it has no rules file."""
    return None if rules_file(game.name) is None else f"/rules/{game.name}.md"


def render_rules(file: Path) -> str:
    """Return a rules file as an HTML page."""
    markdown = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = markdown.parse(file.read_text(encoding="utf-8"))
    headings = _mark_headings(tokens)
    anchors = {number.group(1) for _, text in headings if (number := SECTION.match(text))}
    for before, token in itertools.pairwise(tokens):
        if token.type == "inline" and before.type != "heading_open":
            token.children = _link_sections(_drop_foreign_links(token.children or []), anchors)
    title = next((token.content for token in tokens if token.type == "inline"), file.stem)
    body = markdown.renderer.render(tokens, markdown.options, {})
    return TEMPLATE.format(title=html.escape(title), contents=_contents(headings), body=body)


def _mark_headings(tokens: list[Token]) -> list[tuple[str, str]]:
    """Give the headings of the contents an id, and return (tag, text) of each."""
    found = []
    for token, inline in itertools.pairwise(tokens):
        if token.type == "heading_open" and token.tag in CONTENTS_TAGS:
            token.attrSet("id", _anchor(inline.content))
            found.append((token.tag, inline.content))
    return found


def _anchor(heading: str) -> str:
    """Return the id of a heading: its section number, or its words."""
    number = SECTION.match(heading)
    return f"section-{number.group(1)}" if number else re.sub(r"\W+", "-", heading.lower()).strip("-")


def _contents(headings: list[tuple[str, str]]) -> str:
    """Return the table of contents: a list of sections with lists of their subsections."""
    parts, depth = [], 0
    for tag, text in headings:
        level = 1 + CONTENTS_TAGS.index(tag)
        parts.append("<ul>" * (level - depth) if level > depth else "</li>" + "</ul></li>" * (depth - level))
        parts.append(f'<li><a href="#{html.escape(_anchor(text))}">{html.escape(text)}</a>')
        depth = level
    return "".join(parts) + "</li></ul>" * depth


def _drop_foreign_links(children: list[Token]) -> list[Token]:
    """Return inline tokens without the links that this server cannot follow; their text stays."""
    kept, dropping = [], False
    for token in children:
        if token.type == "link_open":
            address = Path(str(token.attrGet("href")))
            dropping = address.suffix != ".md" or len(address.parts) != 1 or rules_file(address.stem) is None
        if not (dropping and token.type in ("link_open", "link_close")):
            kept.append(token)
    return kept


def _link_sections(children: list[Token], anchors: set[str]) -> list[Token]:
    """Return inline tokens in which citations of sections are links."""
    linked: list[Token] = []
    for token in children:
        if token.type != "text":
            linked.append(token)
            continue
        for place, part in enumerate(SECTION.split(token.content)):  # text, number, text, number, ...
            text = Token("text", "", 0, content=f"§{part}" if place % 2 else part)
            if place % 2 and part in anchors:
                link = Token("link_open", "a", 1, attrs={"href": f"#section-{part}"})
                linked += [link, text, Token("link_close", "a", -1)]
            else:
                linked.append(text)
    return linked
