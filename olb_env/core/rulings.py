"""Rulings: the readings of a rule among which no rulebook decides, and the choice that a game was dealt with.

A game lists its rulings by name, each with its values, the default first. Callers give a mapping such as
`{"debts": "owed"}`, commands and records the same. A state holds the number of each chosen value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from olb_env.core.checking import shown

DEFAULT = "default"  # what a user may type for "all as they are"


@dataclass(frozen=True)
class Ruling:
    """The possible readings of one rule."""

    tag: str  # of the assumption, in the rules of the game
    values: tuple[str, ...]  # the first is the default
    question: str  # what the values answer


Rulings = Mapping[str, Ruling]


def read_rulings(given: Any, rulings: Rulings) -> list[int]:
    """Return the number of the value of each ruling; those that are not given are as by default."""
    if given is None or given == DEFAULT:
        given = {}
    names = ", ".join(rulings)
    if not isinstance(given, Mapping):
        raise ValueError(f"rulings are {shown(given)}: expected a mapping with any of {names}")
    for name in given:
        if name not in rulings:
            raise ValueError(f"rulings have {shown(name)}: expected any of {names}")
    chosen = []
    for name, ruling in rulings.items():
        value = given.get(name, ruling.values[0])
        if value not in ruling.values:
            raise ValueError(f"the ruling on {name} is {shown(value)}: expected {' or '.join(ruling.values)}")
        chosen.append(ruling.values.index(value))
    return chosen


def parse_rulings(text: str) -> Any:
    """Return rulings as typed in a command: `name=value,name=value`."""
    if text == DEFAULT:
        return text
    if "=" not in text:
        raise ValueError(f"rulings are {shown(text)}: expected NAME=VALUE, or {DEFAULT}")
    return parse_pairs("rulings", text)


def parse_pairs(option: str, text: str) -> dict[str, str]:
    """Return the parts of an option as typed in a command, `name=value,name=value`; no name may be there twice."""
    found: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name in found:
            raise ValueError(f"{option} names {shown(name)} twice: expected once")
        found[name] = value
    return found


def describe_rulings(chosen: Iterable[int], rulings: Rulings) -> dict[str, str]:
    """Return the rulings that are not as by default, by name."""
    pairs = zip(rulings.items(), map(int, chosen), strict=True)
    return {name: ruling.values[value] for (name, ruling), value in pairs if value}


def rulings_text(chosen: Iterable[int], rulings: Rulings) -> str:
    """Return the rulings that are not as by default in one line, for people."""
    parts = describe_rulings(chosen, rulings).items()
    return ", ".join(f"{name.replace('_', ' ')}: {value}" for name, value in parts)


def rulings_markdown(rulings: Rulings) -> str:
    """Return the table of a game's rulings."""
    rows = ["| name | values | what it decides | assumption |", "|---|---|---|---|"]
    for name, ruling in rulings.items():
        values = ", ".join(f'`"{value}"`' for value in ruling.values)
        rows.append(f"| `{name}` | {values} | {ruling.question} | {ruling.tag} |")
    return "\n".join(rows)


def rulings_help(rulings: Rulings) -> str:
    """Return the help text of the option."""
    lists = [f"{name}={'|'.join(ruling.values)}" for name, ruling in rulings.items()]
    return f"readings of the rules where no rulebook decides: {', '.join(lists)} (default: the first of each)"
