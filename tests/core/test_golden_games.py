"""Golden games, replayed line by line."""

from __future__ import annotations

import pytest

from tests.tools.compare import COMPARED
from tests.tools.golden_games import FOLDER, GOLDEN, NAMES, kept, tell
from tests.tools.tables import PAGES


def test_every_game_has_some() -> None:
    assert set(GOLDEN) == set(PAGES)
    assert {path.name for path in FOLDER.iterdir()} == set(GOLDEN)


@pytest.mark.parametrize("game", GOLDEN)
def test_none_is_missing_and_none_is_left_over(game: str) -> None:
    expected = {f"{name}.{ending}" for name in GOLDEN[game] for ending in ("jsonl", "txt")}
    assert {path.name for path in (FOLDER / game).iterdir()} == expected


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_a_golden_game_reads_as_it_did(game: str, name: str) -> None:
    record, text = kept(game, name)
    told, expected = tell(record).splitlines(), text.splitlines()
    for number, (line, before) in enumerate(zip(told, expected, strict=False), start=1):
        assert line == before, f"line {number}"
    assert len(told) == len(expected)


@pytest.mark.parametrize(("game", "name"), NAMES)
def test_the_reference_plays_a_golden_game_to_the_same_end(game: str, name: str) -> None:
    compared, (record, _) = COMPARED[game], kept(game, name)
    reference = compared.ReferenceGame(record)
    for seat, action, legal in record["moves"]:
        assert (reference.actor, reference.legal) == (seat, legal)
        reference.apply(action)
    assert reference.over
    assert compared.reference_end(reference) == {key: record[key] for key in compared.GAME.records.end_keys}
