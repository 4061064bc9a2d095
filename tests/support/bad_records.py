"""Records with one thing wrong: each is refused with its reason, wherever it is read or written."""

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

Corruption = tuple[str, Callable[[dict[str, Any]], Any], str]  # (name, change to a record, reason for refusing it)


def swap(record: dict[str, Any], *keys: Any, value: Any) -> None:
    """Replace a value deep inside a record."""
    parent = record
    for key in keys[:-1]:
        parent = parent[key]
    parent[keys[-1]] = value


def every_corruption(corruptions: list[Corruption]) -> pytest.MarkDecorator:
    """Parametrize a test with all corruptions."""
    names = [name for name, _, _ in corruptions]
    return pytest.mark.parametrize(("corrupt", "reason"), [corruption[1:] for corruption in corruptions], ids=names)


def check_refused(record: dict[str, Any], corrupt: Callable[[dict[str, Any]], Any], reason: str, folder: Path) -> None:
    """Check that a corrupted record is refused alone, in a file, and for writing, which then writes nothing."""
    end_keys = find(record["game"]).records.end_keys
    good = copy.deepcopy({key: value for key, value in record.items() if key not in end_keys})
    good["moves"] = []
    corrupt(record)
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
