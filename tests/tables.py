"""The tables and the picture of the documentation, generated from the code and written where the pages keep them.

``make tables`` writes them anew; a test fails while a page and the code differ.
"""

from __future__ import annotations

from pathlib import Path

from olb_env import load_records, replay
from olb_env.old_london_bridge import OBSERVATION
from olb_env.old_london_bridge.components import AREAS, SCORINGS
from olb_env.old_london_bridge.notation import action_table

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "olb_env" / "old_london_bridge_v0.py"
PICTURE, SHOWN_AFTER = ROOT / "docs" / "position.svg", 92


def scoring_table() -> str:
    rows = ["| area | names |", "|---|---|"]
    rows += [f"| {area} | {', '.join(f'`{name}`' for name in SCORINGS[area])} |" for area in AREAS]
    return "\n".join(rows)


TABLES = {
    "observation": OBSERVATION.table,
    "actions": action_table,
    "scoring": scoring_table,
}


def picture() -> str:
    """A position of a golden game, for the first page."""
    (record,) = load_records(ROOT / "tests" / "golden" / "four_players_board.jsonl")
    return replay(record).position(SHOWN_AFTER).svg() + "\n"


def with_tables(text: str) -> str:
    """The page with every table as the code has it now."""
    for name, make in TABLES.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, found, rest = text.partition(begin)
        _, closed, after = rest.partition(end)
        if not found or not closed:
            raise ValueError(f"the page has no place for the table of {name}")
        text = f"{before}{begin}{make()}\n{end}{after}"
    return text


def main() -> None:
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PICTURE.write_text(picture(), encoding="utf-8")


if __name__ == "__main__":
    main()
