"""The tables of the page, generated from the code: ``python -m tests.portobello_market.tables`` writes them anew."""

from __future__ import annotations

from pathlib import Path

from olb_env.portobello_market import OBSERVATION
from olb_env.portobello_market.notation import action_table

PAGE = Path(__file__).parent.parent.parent / "olb_env" / "portobello_market_v0.py"
TABLES = {"observation": OBSERVATION.table, "actions": action_table}


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


if __name__ == "__main__":
    main()
