"""The file that a long tournament is saved in, unit by unit, so that a stopped run can be continued.

Its first line is the plan; every other line is the result of a unit, in the order of the schedule. A last line that is
incomplete, as after a power cut, is played again. Nothing else is ever played twice.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import stat
from collections.abc import Iterable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from olb_env.core.checking import shortened, shown
from olb_env.core.rng import SEED_LIMIT
from olb_training.arena.schedule import Plan, Unit, units
from olb_training.arena.worker import UnitResult

FORMAT = 3
MALFORMED = (ValueError, KeyError, TypeError, AttributeError, RecursionError)  # what reading a foreign file may raise


class JournalError(ValueError):
    """A file that holds no tournament, or a different one."""


def read_plan(path: Path) -> Plan | None:
    """Return the plan of the tournament in a file, or None if the file is missing or empty."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    with path.open("rb") as file:
        try:
            line = file.readline()
            head = json.loads(line)
            if head["arena"] != FORMAT:
                raise ValueError(f"format {shown(head['arena'])}, expected {FORMAT}")
            if not line.endswith(b"\n"):
                raise ValueError("its first line is incomplete")
            plan = _parse_plan(head["plan"])
            if head["version"] != plan.find_game().version:
                raise ValueError(f"played with version {shown(head['version'])} of {plan.game}")
        except MALFORMED as error:
            raise JournalError(
                f"{shortened(path)} is not a tournament of olb arena ({shortened(error)}): name another --resume file"
            ) from None
    return plan


def _parse_plan(content: dict[str, Any]) -> Plan:
    types: dict[str, Any] = {
        "game": str, "agents": list, "players": int, "deals": int, "seed": int, "options": dict,
        "move_limit": int | float | None, "memory_limit": int, "until": int | float | None,
    }  # fmt: skip
    for name, expected in types.items():
        if not isinstance(content[name], expected) or isinstance(content[name], bool):
            raise ValueError(f"{name} is {shown(content[name])}")
    if set(content) != set(types) or not all(isinstance(agent, str) for agent in content["agents"]):
        raise ValueError("its plan has unexpected keys or agents")
    plan = Plan(**{**content, "agents": tuple(content["agents"])})
    if plan.deals < 1 or not 0 <= plan.seed < SEED_LIMIT or plan.memory_limit < 1:
        raise ValueError(f"{shown(plan.deals)} deals, seed {shown(plan.seed)}, {shown(plan.memory_limit)} MB")
    plan.setup()
    return plan


def read_results(path: Path, plan: Plan) -> list[UnitResult]:
    """Return the results in a file; an incomplete last line is removed from it."""
    results: list[UnitResult] = []
    expected = units(replace(plan, deals=2**53))
    with path.open("r+b") as file:
        file.readline()
        while line := file.readline():
            if not line.endswith(b"\n"):
                file.truncate(file.tell() - len(line))
                break
            try:
                results.append(_parse_result(line, next(expected), plan.players))
            except MALFORMED as error:
                where, why = f"{shortened(path)}, line {len(results) + 2}", shortened(error)
                raise JournalError(
                    f"{where}: not the next result of this tournament ({why}): "
                    "delete the file from that line on, or name another --resume file"
                ) from None
    return results


def _parse_result(line: bytes, unit: Unit, players: int) -> UnitResult:
    content = json.loads(line)
    if (content["deal"], content["lineup"]) != (unit.deal, unit.lineup):
        given = f"deal {shown(content['deal'], 20)}, lineup {shown(content['lineup'], 20)}"
        raise ValueError(f"{given}; expected {unit.deal}, {unit.lineup}")
    lists = {name: content[name] for name in ("ranks", "scores", "starts", "seconds", "decisions")}
    for name, games in lists.items():
        if len(games) != players or any(len(seats) != players for seats in games):
            raise ValueError(f"{name} of {len(games)} games: expected {players} of {players} seats")
        if not all(_is_valid(name, entry, players) for seats in games for entry in seats):
            raise ValueError(f"{name} has impossible entries")
    forfeits = [(int(game), int(seat), str(reason)) for game, seat, reason in content["forfeits"]]
    if not all(0 <= game < players and 0 <= seat < players for game, seat, _ in forfeits):
        raise ValueError("forfeits has games or seats that do not exist")
    return UnitResult(unit=unit, forfeits=forfeits, records=[], **lists)


def _is_valid(name: str, entry: Any, players: int) -> bool:
    if name == "starts":
        return isinstance(entry, str)
    if name == "ranks":
        return type(entry) is int and 1 <= entry <= players
    return isinstance(entry, int | float) and math.isfinite(entry)


class Journal:
    """An open file that results are appended to."""

    def __init__(self, path: Path, plan: Plan, *, new: bool) -> None:
        self._file = GrowingFile(path, new=new)
        if new:
            head = {"arena": FORMAT, "version": plan.find_game().version, "plan": plan.settings()}
            try:
                self._file.append([_line(head)])
            except OSError:
                self.close()
                raise

    def add(self, results: Iterable[UnitResult]) -> None:
        """Append the results of some units, and return when they are on the disk."""
        lines = []
        for result in results:
            content = asdict(result)
            del content["unit"], content["records"]
            lines.append(_line({"deal": result.unit.deal, "lineup": result.unit.lineup, **content}))
        self._file.append(lines)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _line(content: dict[str, Any]) -> bytes:
    return json.dumps(content, separators=(",", ":")).encode() + b"\n"


class GrowingFile:
    """A file that lines are appended to: all that are given at once, or none of them if the disk is full."""

    def __init__(self, path: Path, *, new: bool) -> None:
        self._path = path
        number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND | (os.O_TRUNC if new else 0), 0o666)
        self._file = open(number, "ab", buffering=0)  # noqa: SIM115  # until `close`
        self._regular = stat.S_ISREG(os.fstat(number).st_mode)  # and no pipe or device

    def append(self, lines: Iterable[bytes]) -> None:
        """Append lines, and return when they are on the disk; an OSError names the file."""
        content = memoryview(b"".join(lines))
        end = os.fstat(self._file.fileno()).st_size
        try:
            while content:
                content = content[self._file.write(content) :]
            if self._regular:
                os.fsync(self._file.fileno())
        except OSError as error:
            if self._regular:
                with contextlib.suppress(OSError):  # then the next run drops the incomplete line
                    self._file.truncate(end)
            raise OSError(error.errno, error.strerror, str(self._path)) from None

    def close(self) -> None:
        """Close the file."""
        self._file.close()
