"""Records spoiled one way at a time: each is refused, with its reason, wherever it is read or written."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from olb_env import RecordError, load_records, replay, save_records
from olb_env.core.game import find

Spoiling = tuple[str, Callable[[dict[str, Any]], Any], str]  # its name, what is done to a record, and the reason


def swap(record: dict[str, Any], *keys: Any, value: Any) -> None:
    """Another value in a record, somewhere below."""
    at = record
    for key in keys[:-1]:
        at = at[key]
    at[keys[-1]] = value


def every_spoiling(spoilings: list[Spoiling]) -> pytest.MarkDecorator:
    """A test for each."""
    names = [name for name, _, _ in spoilings]
    return pytest.mark.parametrize(("spoil", "reason"), [one[1:] for one in spoilings], ids=names)


def check_refused(record: dict[str, Any], spoil: Callable[[dict[str, Any]], Any], reason: str, folder: Path) -> None:
    """The record is refused alone, in a file, and when it is to be written: then nothing is."""
    ended = find(record["game"]).records.end_keys
    good = copy.deepcopy({key: value for key, value in record.items() if key not in ended})
    good["moves"] = []
    spoil(record)
    with pytest.raises(RecordError, match=re.escape(reason)) as caught:
        replay(record)
    assert "\n" not in str(caught.value)
    path = folder / "games.jsonl"
    path.write_text(json.dumps(good) + "\n" + json.dumps(record) + "\n", encoding="utf-8")
    with pytest.raises(RecordError, match=r"games\.jsonl, line 2: .*" + re.escape(reason)):
        load_records(path)
    untouched = folder / "kept.jsonl"
    save_records(untouched, [good])
    with pytest.raises(RecordError, match="record 2: .*" + re.escape(reason)):
        save_records(untouched, [good, record])
    assert load_records(untouched) == [good]
    assert [entry.name for entry in folder.iterdir() if "part" in entry.name] == []
