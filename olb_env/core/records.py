"""Games as data: one JSON object a game, one game a line. What is read is replayed move by move before it is used.

A record replays from its setup and moves alone. A bad one is refused as a whole, with the line, the number of the
move and the reason.
"""

from __future__ import annotations

import contextlib
import json
import operator
import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of, find
from olb_env.core.positions import Position, words_for
from olb_env.core.rng import SEED_LIMIT

FIRST, SECOND = operator.itemgetter(0), operator.itemgetter(1)  # of a move: its seat and its action


class Record(dict[str, Any]):
    """A game as data, as it is written; in a notebook it shows how the game stands at its end."""

    def _repr_html_(self) -> str | None:
        try:
            return replay(self)._repr_html_()
        except RecordError:
            return None  # somebody changed it: it is shown as what it is, a dict


class RecordError(ValueError):
    """A record that no game could have left."""


@dataclass(frozen=True)
class Replay:
    """A record played through. Iterating gives (state before the move, seat, action name) for every move."""

    game: Game
    initial: States  # [1]
    final: States  # [1]
    seats: npt.NDArray[np.int64]  # [moves]
    actions: npt.NDArray[np.int64]  # [moves]
    masks: npt.NDArray[np.int8]  # [moves, A]
    names: tuple[str, ...] = ()  # who sat where, if the record tells

    def __len__(self) -> int:
        return len(self.actions)

    @cached_property
    def words(self) -> list[str]:
        """The name of the action of every move."""
        names = self.game.names(self.initial[0])
        return [names[action] for action in self.actions.tolist()]

    def legal(self, number: int) -> list[str]:
        """The names of what could be answered instead of a move, the first of which is 0, and of itself."""
        names = self.game.names(self.initial[0])
        return [names[action] for action in np.flatnonzero(self.masks[number])]

    def __iter__(self) -> Iterator[tuple[Any, int, str]]:
        states = copy_of(self.initial)
        for seat, action, name in zip(self.seats.tolist(), self.actions.tolist(), self.words, strict=True):
            yield copy_of(states)[0], seat, name
            batch.apply_one(states, action)

    @property
    def over(self) -> bool:
        """Whether the record reaches the end of its game."""
        return bool(batch.actor_one(self.final) < 0)

    def position(self, moves: int | None = None) -> Position:
        """The game after some moves, or after all of them."""
        count = len(self) if moves is None else operator.index(moves)
        if not 0 <= count <= len(self):
            raise ValueError(f"moves is {moves}: expected 0 to {len(self)}")
        states, done = copy_of(self.initial), ""
        for number, action in enumerate(self.actions[:count].tolist(), start=1):
            until = self.game.rules.secret(states[0]) if number == count else 0
            batch.apply_one(states, action)
            if number == count:
                hidden = until > 0 and self.game.rules.secret(states[0]) == until
                done = words_for(self.names, int(self.seats[number - 1]), self.words[number - 1], hidden=hidden)
        return Position(self.game, states[0], self.names, done)

    def _repr_html_(self) -> str:
        players = self.game.seats(self.initial[0])
        return f"<p>{self.game.title}, {players} players, {len(self)} moves</p>{self.position().svg()}"


def play_through(game: Game, initial: States, actions: Sequence[int], names: Sequence[str] = ()) -> tuple[Replay, int]:
    """Play actions as far as they are legal; answers how many were."""
    count = len(actions)
    states = copy_of(initial)
    ids = np.array(actions, np.int64)
    seats = np.full(count, -1, np.int64)
    masks = np.zeros((count, len(game.actions)), np.int8)
    legal = batch.replay_row(states, ids, seats, masks)
    return Replay(game, initial, states, seats, ids, masks, tuple(names)), int(legal)


def make_record(
    game: Game,
    initial: States,
    actions: Sequence[int],
    *,
    seed: int | None = None,
    agents: Sequence[str] | None = None,
    legal: bool = False,
) -> Record:
    """The record of a game that began as `initial` and saw these actions; `legal` lists every legal set too."""
    replayed, _ = play_through(game, initial, actions)
    began = game.records.describe_setup(initial[0])
    record = Record(game=game.name, version=game.version, players=began.pop("players"))
    if seed is not None:
        record["seed"] = seed
    if agents is not None:
        record["agents"] = list(agents)
    record.update(began)
    moves: list[list[Any]] = [list(move) for move in zip(replayed.seats.tolist(), replayed.words, strict=True)]
    if legal:
        for number, move in enumerate(moves):
            move.append(replayed.legal(number))
    record["moves"] = moves
    if replayed.over:
        record.update(game.records.describe_end(replayed.final[0]))
    return record


def replay(record: Mapping[str, Any]) -> Replay:
    """Play a record through; a RecordError says which move cannot be, and why."""
    game, initial = _read_head(record)
    moves = record["moves"]
    actions, broken = _read_moves(game.ids(initial[0]), moves)
    replayed, legal = play_through(game, initial, actions, record.get("agents") or ())
    as_told = legal == len(actions) and list(map(FIRST, moves[:legal])) == replayed.seats.tolist()
    if not as_told or 3 in map(len, moves[:legal]):
        for number, move in enumerate(moves[: len(actions)], start=1):
            _check_move(replayed, number, move, number <= legal)
    if broken:
        raise RecordError(f"move {len(actions) + 1}: {broken}")
    _check_end(replayed, record)
    return replayed


def _read_head(record: Mapping[str, Any]) -> tuple[Game, States]:
    """Everything before the moves."""
    if not isinstance(record, Mapping):
        raise RecordError(f"expected a JSON object, got {in_short(record)}")
    for key in ("game", "version", "players", "setup", "moves"):
        if key not in record:
            raise RecordError(f"the record has no {key!r}")
    try:
        game = find(record["game"]) if isinstance(record["game"], str) else None
        if game is None:
            raise ValueError(f"game is {in_short(record['game'])}: expected a name")
        if record["version"] != game.version or type(record["version"]) is not int:
            raise ValueError(f"version is {in_short(record['version'])}: expected {game.version}")
        initial = game.records.read_setup(record)
    except (ValueError, TypeError) as error:
        raise RecordError(str(error)) from None
    except RecursionError:
        raise RecordError("the record is nested too deeply") from None
    players = game.seats(initial[0])
    agents = record.get("agents")
    if agents is not None and (
        not isinstance(agents, list)
        or len(agents) != players
        or not all(isinstance(name, str) and name.isprintable() for name in agents)
    ):
        raise RecordError(f"agents are {in_short(agents)}: expected {players} names, of letters that can be shown")
    seed = record.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed < SEED_LIMIT):
        raise RecordError(f"seed is {in_short(seed)}: expected a whole number from 0 to 2**53 - 1")
    if not isinstance(record["moves"], list):
        raise RecordError(f"moves are {in_short(record['moves'])}: expected a list")
    return game, initial


def _read_moves(ids: Mapping[str, int], moves: list[Any]) -> tuple[list[int], str]:
    """The ids of the moves up to the first that is none, and what is wrong with that."""
    usual = set(map(type, moves)) <= {list} and set(map(len, moves)) <= {2, 3}
    if usual and set(map(type, map(FIRST, moves))) <= {int}:
        with contextlib.suppress(KeyError, TypeError):  # one of them is unknown: it is looked for below
            return list(map(ids.__getitem__, map(SECOND, moves))), ""
    actions: list[int] = []
    for move in moves:
        if not isinstance(move, list) or len(move) not in (2, 3):
            return actions, f"{in_short(move)} is no move: expected [seat, action] or [seat, action, legal actions]"
        if not isinstance(move[0], int) or isinstance(move[0], bool):
            return actions, f"the seat is {in_short(move[0])}: expected a number from 0 on"
        if not isinstance(move[1], str) or move[1] not in ids:
            return actions, f"unknown action {in_short(move[1])}"
        actions.append(ids[move[1]])
    return actions, ""


def _check_move(replayed: Replay, number: int, move: list[Any], legal: bool) -> None:
    """Whether a move could be made where it stands, and its legal set, if any, is the true one."""
    actor = int(replayed.seats[number - 1])
    allowed = replayed.legal(number - 1)
    if actor < 0:
        raise RecordError(f"move {number}: the game was over after {number - 1} moves")
    if move[0] != actor:
        raise RecordError(f"move {number}: seat {move[0]} moves, but seat {actor} is asked")
    if not legal:
        raise RecordError(f"move {number}: {move[1]!r} is not legal, expected one of {', '.join(allowed)}")
    if len(move) == 3 and (not isinstance(move[2], list) or sorted(map(str, move[2])) != sorted(allowed)):
        raise RecordError(f"move {number}: the legal actions are {', '.join(allowed)}, not {in_short(move[2])}")


def _check_end(replayed: Replay, record: Mapping[str, Any]) -> None:
    """Whether what the record says of the end is what the moves led to."""
    if replayed.over:
        for key, value in replayed.game.records.describe_end(replayed.final[0]).items():
            if key in record and record[key] != value:
                raise RecordError(f"{key} is {in_short(record[key])}: the moves lead to {in_short(value)}")
        return
    for key in replayed.game.records.end_keys:
        if key in record:
            raise RecordError(f"{key} is given, but the game is not over after {len(replayed)} moves")


def in_short(value: Any) -> str:
    """A value as it is told in an error."""
    try:
        text = repr(value)
    except RecursionError:
        text = "something nested too deeply"
    return text if len(text) <= 120 else text[:117] + "..."


def to_line(record: Mapping[str, Any]) -> str:
    """A record as one line of JSON."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


def save_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to a file, whole or not at all; each is replayed first. Answers how many."""
    target = Path(path)
    count = 0
    with tempfile.NamedTemporaryFile(
        "w", encoding="utf-8", dir=target.parent, prefix=target.name, suffix=".part", delete=False
    ) as file:
        try:
            for count, record in enumerate(records, start=1):
                try:
                    replay(record)
                except RecordError as error:
                    raise RecordError(f"record {count}: {error}") from None
                file.write(to_line(record))
            file.close()
            Path(file.name).chmod(0o666 & ~_umask())
            Path(file.name).replace(target)
        except BaseException:
            file.close()
            Path(file.name).unlink()
            raise
    return count


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def load_records(path: str | os.PathLike[str]) -> list[Record]:
    """Read and replay every record of a file; a RecordError names the line of the first bad one."""
    return list(iterate_records(path))


def iterate_records(path: str | os.PathLike[str]) -> Iterator[Record]:
    """The records of a file one by one, each replayed before it is handed out."""
    for record, _ in _read_lines(path):
        yield record


def iterate_replays(source: str | os.PathLike[str] | Iterable[Mapping[str, Any]]) -> Iterator[Replay]:
    """The same played through, of a file or of records."""
    if isinstance(source, str | os.PathLike):
        for _, found in _read_lines(source):
            yield found
    else:
        for record in source:
            yield replay(record)


def _read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[Record, Replay]]:
    with open(path, "rb") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{os.fspath(path)}, line {number}: not JSON: {error}") from None
            try:
                found = replay(record)
            except RecordError as error:
                raise RecordError(f"{os.fspath(path)}, line {number}: {error}") from None
            yield Record(record), found
