"""Golden games, replayed line by line."""

from __future__ import annotations

import pytest

from olb_env import load_records
from tests.golden_games import FOLDER, GAMES, tell
from tests.reference import ReferenceGame


def test_none_is_missing_and_none_is_left_over() -> None:
    expected = {f"{name}.{ending}" for name in GAMES for ending in ("jsonl", "txt")}
    assert {path.name for path in FOLDER.iterdir()} == expected


@pytest.mark.parametrize("name", GAMES)
def test_a_golden_game_reads_as_it_did(name: str) -> None:
    (record,) = load_records(FOLDER / f"{name}.jsonl")
    told = tell(record).splitlines()
    kept = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    for number, (line, expected) in enumerate(zip(told, kept, strict=False), start=1):
        assert line == expected, f"line {number}"
    assert len(told) == len(kept)


@pytest.mark.parametrize("name", GAMES)
def test_the_reference_plays_a_golden_game_to_the_same_end(name: str) -> None:
    (record,) = load_records(FOLDER / f"{name}.jsonl")
    reference = ReferenceGame(record)
    for seat, action, legal in record["moves"]:
        assert (reference.actor, reference.legal) == (seat, legal)
        reference.apply(action)
    assert reference.over
    assert list(reference.money) == record["money"]
    assert reference.ranking == record["ranking"]
    assert reference.breakdown == record["breakdown"]
