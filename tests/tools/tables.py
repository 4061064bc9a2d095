"""The tables and the picture of the documentation, generated from the code.

``make tables`` writes them into the pages; a test fails while a page and the code differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from olb_env import Position, load_records, old_london_bridge, portobello_market, replay, wobbly_bridge
from olb_env.core.layout import actions_markdown
from olb_env.core.rulings import rulings_markdown
from olb_env.old_london_bridge.components import AREAS, SCORINGS
from olb_env.old_london_bridge.notation import MEANINGS as OLD_LONDON_BRIDGE
from olb_env.portobello_market.notation import MEANINGS as PORTOBELLO_MARKET
from olb_env.wobbly_bridge.notation import MEANINGS as WOBBLY_BRIDGE
from tests.support.paths import ROOT

PAGES = {path.stem.removesuffix("_v0"): path for path in (ROOT / "olb_env").glob("*_v0.py")}
PICTURE, SHOWN_AFTER = ROOT / "docs" / "position.svg", 92
DRAWING = PICTURE.with_suffix(".txt")  # what a package index shows in place of the picture

GAMES = {module.GAME.name: module.GAME for module in (old_london_bridge, portobello_market, wobbly_bridge)}
MEANINGS = {
    "old_london_bridge": OLD_LONDON_BRIDGE,
    "portobello_market": PORTOBELLO_MARKET,
    "wobbly_bridge": WOBBLY_BRIDGE,
}
Tables = Mapping[str, Callable[[], str]]


def scoring_table() -> str:
    """Return the table of the scoring options of Old London Bridge."""
    rows = ["| area | names |", "|---|---|"]
    rows += [f"| {area} | {', '.join(f'`{name}`' for name in SCORINGS[area])} |" for area in AREAS]
    return "\n".join(rows)


def tables_of(name: str) -> Tables:
    """Return the tables of a game's page by name, each as a function that makes it."""
    game = GAMES[name]
    tables = {
        "observation": game.observation.markdown,
        "actions": partial(actions_markdown, game.actions, MEANINGS[name]),
    }
    if game.rulings:
        tables["rulings"] = partial(rulings_markdown, game.rulings)
    if name == "old_london_bridge":
        tables["scoring"] = scoring_table
    return tables


def shown_position() -> Position:
    """Return a position of a golden game, for the first page."""
    (record,) = load_records(ROOT / "tests" / "golden" / "old_london_bridge" / "four_players_board.jsonl")
    return replay(record).position(SHOWN_AFTER)


def picture() -> str:
    """Return the position as a picture."""
    return shown_position().svg() + "\n"


def drawing() -> str:
    """Return the same position as text."""
    return f"{shown_position()}\n"


def with_tables(text: str, tables: Tables) -> str:
    """Return a page with every table made anew."""
    for name, make in tables.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"the page has no markers for the table {name!r}: expected {begin.strip()} and {end}")
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


def main() -> None:
    """Write all tables and the picture."""
    for name, page in PAGES.items():
        page.write_text(with_tables(page.read_text(encoding="utf-8"), tables_of(name)), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")
    DRAWING.write_text(drawing(), encoding="utf-8")


if __name__ == "__main__":
    main()
