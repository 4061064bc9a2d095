"""The file that a long tournament is kept in, unit by unit, so that it can go on after it was stopped.

Its first line is the plan, every other line what came of a unit, in the order of the plan. Whatever is torn off at the
end, as by a power cut, is played again; everything else is never played twice.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import IO, Any

from olb_env.core.rng import SEED_LIMIT
from olb_training.arena.schedule import Plan, Unit, units
from olb_training.arena.unit_play import Played

FORMAT = 1


class JournalError(ValueError):
    """A file that does not hold a tournament, or another one."""


def read_plan(path: Path) -> Plan | None:
    """The plan of a tournament that was begun, None where there is none yet."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    with path.open("rb") as file:
        try:
            line = file.readline()
            head = json.loads(line)
            if head["arena"] != FORMAT:
                raise ValueError(f"format {head['arena']!r}, expected {FORMAT}")
            if not line.endswith(b"\n"):
                raise ValueError("its first line is torn off")
            plan = _check_plan(head["plan"])
            if head["version"] != plan.rules().version:
                raise ValueError(f"played with version {head['version']!r} of {plan.game}")
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise JournalError(f"{path} is no tournament of olb arena ({error}): name another --resume file") from None
    return plan


def _check_plan(told: dict[str, Any]) -> Plan:
    kinds: dict[str, Any] = {
        "game": str, "agents": list, "players": int, "deals": int, "seed": int, "options": dict,
        "move_limit": int | float | None, "until": int | float | None,
    }  # fmt: skip
    for name, kind in kinds.items():
        if not isinstance(told[name], kind) or isinstance(told[name], bool):
            raise ValueError(f"{name} is {told[name]!r}")
    if set(told) != set(kinds) or not all(isinstance(agent, str) for agent in told["agents"]):
        raise ValueError("its plan has other parts")
    plan = Plan(**{**told, "agents": tuple(told["agents"])})
    if plan.deals < 1 or not 0 <= plan.seed < SEED_LIMIT:
        raise ValueError(f"{plan.deals} deals, seed {plan.seed}")
    plan.setup()
    return plan


def read_played(path: Path, plan: Plan) -> list[Played]:
    """What was played so far; what is torn off at the end of the file is cut off."""
    found: list[Played] = []
    expected = units(replace(plan, deals=2**53))
    with path.open("r+b") as file:
        file.readline()
        while line := file.readline():
            if not line.endswith(b"\n"):
                file.truncate(file.tell() - len(line))
                break
            try:
                found.append(_read(line, next(expected), plan.players))
            except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
                raise JournalError(
                    f"{path}, line {len(found) + 2}: not the next result of this tournament ({error}): "
                    "cut the file before that line, or name another --resume file"
                ) from None
    return found


def _read(line: bytes, unit: Unit, players: int) -> Played:
    told = json.loads(line)
    if (told["deal"], told["lineup"]) != (unit.deal, unit.lineup):
        raise ValueError(f"deal {told['deal']}, lineup {told['lineup']}; expected {unit.deal}, {unit.lineup}")
    parts = {name: told[name] for name in ("ranks", "scores", "starts", "seconds", "decisions")}
    for name, part in parts.items():
        if len(part) != players or any(len(row) != players for row in part):
            raise ValueError(f"{name} of {len(part)} games: expected {players} of {players} seats")
        if not all(_sound(name, entry, players) for row in part for entry in row):
            raise ValueError(f"{name} that cannot be")
    faults = [(int(game), int(seat), str(why)) for game, seat, why in told["faults"]]
    if not all(0 <= game < players and 0 <= seat < players for game, seat, _ in faults):
        raise ValueError("faults of games or seats that are not there")
    return Played(unit=unit, faults=faults, records=[], **parts)


def _sound(name: str, entry: Any, players: int) -> bool:
    if name == "starts":
        return isinstance(entry, str)
    if name == "ranks":
        return type(entry) is int and 1 <= entry <= players
    return isinstance(entry, int | float) and math.isfinite(entry)


class Journal:
    """Keeps results as they come."""

    def __init__(self, path: Path, plan: Plan, *, new: bool) -> None:
        self._file: IO[str] = path.open("w" if new else "a", encoding="utf-8")
        if new:
            self._write({"arena": FORMAT, "version": plan.rules().version, "plan": plan.settings()})
            self._file.flush()

    def _write(self, told: dict[str, Any]) -> None:
        self._file.write(json.dumps(told, separators=(",", ":")) + "\n")

    def add(self, played: Iterable[Played]) -> None:
        """Keep some units for good."""
        for unit in played:
            told = asdict(unit)
            del told["unit"], told["records"]
            self._write({"deal": unit.unit.deal, "lineup": unit.unit.lineup, **told})
        self._file.flush()
        os.fsync(self._file.fileno())

    def close(self) -> None:
        """No more comes."""
        self._file.close()
