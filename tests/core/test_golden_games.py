"""Golden games, replayed line by line."""

from __future__ import annotations

import pytest

from tests.tools.compare import COMPARED
from tests.tools.golden_games import FOLDER, GOLDEN, NAMES, load_golden, transcript
from tests.tools.tables import PAGES


def test_every_game_has_golden_games() -> None:
    assert set(GOLDEN) == set(PAGES)
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("game", GOLDEN)
def test_the_folder_holds_exactly_the_golden_games(game: str) -> None:
    expected = {f"{name}.{ending}" for name in GOLDEN[game] for ending in ("jsonl", "txt")}
    assert {path.name for path in (FOLDER / game).iterdir()} == expected


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_a_golden_game_reads_as_before(game: str, name: str) -> None:
    record, text = load_golden(game, name)
    lines, expected = transcript(record).splitlines(), text.splitlines()
    for number, (line, before) in enumerate(zip(lines, expected, strict=False), start=1):
        assert line == before, f"line {number}"
    assert len(lines) == len(expected)


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_the_reference_plays_a_golden_game_to_the_same_end(game: str, name: str) -> None:
    compared, (record, _) = COMPARED[game], load_golden(game, name)
    reference = compared.ReferenceGame(record)
    for seat, action, legal in record["moves"]:
        assert (reference.actor, reference.legal) == (seat, legal)
        reference.apply(action)
    assert reference.over
    assert compared.reference_end(reference) == {key: record[key] for key in compared.GAME.records.end_keys}
