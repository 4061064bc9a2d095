"""Games as data: one JSON object per game, one game per line.

A record can be replayed from its setup and moves alone, and every record that is read is replayed before it is used. A
bad one is refused as a whole; the error names the line, the move and the reason. This module is independent of any
game: what a setup and an end look like is up to `Game.records`.
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
from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game, States, copy_of, find
from olb_env.core.positions import Position, describe_move
from olb_env.core.rng import SEED_LIMIT
from olb_env.core.secrecy import still_hidden

SEAT, ACTION = operator.itemgetter(0), operator.itemgetter(1)  # the parts of a move
LONGEST_LINE = 16 * 2**20  # bytes of a record


class Record(dict[str, Any]):
    """A game as data, as it is written to a file; a notebook shows its last position."""

    def _repr_html_(self) -> str | None:
        try:
            return replay(self)._repr_html_()
        except RecordError:
            return None  # it was changed: the notebook shows the dict


class RecordError(ValueError):
    """A record that no game could have produced."""


@dataclass(frozen=True)
class Replay:
    """A replayed record; iterating yields (state before the move, seat, action name) for every move."""

    game: Game
    initial: States  # [1]
    final: States  # [1]
    seats: npt.NDArray[np.int64]  # [moves]
    actions: npt.NDArray[np.int64]  # [moves]
    masks: npt.NDArray[np.int8]  # [moves, A]
    names: tuple[str, ...] = ()  # the player of each seat, if the record has them

    def __len__(self) -> int:
        return len(self.actions)

    @cached_property
    def action_names(self) -> list[str]:
        """The name of the action of every move."""
        names = self.game.names(self.initial[0])
        return [names[action] for action in self.actions.tolist()]

    def legal(self, number: int) -> list[str]:
        """Return the names of the actions that were legal at a move; the first move has the number 0."""
        names = self.game.names(self.initial[0])
        return [names[action] for action in np.flatnonzero(self.masks[number])]

    def __iter__(self) -> Iterator[tuple[Any, int, str]]:
        states = copy_of(self.initial)
        for seat, action, name in zip(self.seats.tolist(), self.actions.tolist(), self.action_names, strict=True):
            yield copy_of(states)[0], seat, name
            batch.apply_one(states, action)

    @property
    def over(self) -> bool:
        """Whether the record reaches the end of its game."""
        return bool(batch.actor_one(self.final) < 0)

    def position(self, moves: int | None = None) -> Position:
        """Return the position after some moves, or after all of them."""
        count = len(self) if moves is None else operator.index(moves)
        if not 0 <= count <= len(self):
            raise ValueError(f"moves is {moves}: expected 0 to {len(self)}")
        states, last_move = copy_of(self.initial), ""
        for number, action in enumerate(self.actions[:count].tolist()):
            last = number == count - 1
            reveal = self.game.rules.secret(states[0]) if last else 0
            batch.apply_one(states, action)
            if last:
                hidden = still_hidden(reveal, states[0])
                seat, name = int(self.seats[number]), self.action_names[number]
                last_move = describe_move(self.names, seat, name, hidden=hidden)
        return Position(self.game, states[0], self.names, last_move)

    def _repr_html_(self) -> str:
        players = self.game.num_players(self.initial[0])
        return f"<p>{self.game.title}, {players} players, {len(self)} moves</p>{self.position().svg()}"


def play_through(game: Game, initial: States, actions: Sequence[int], names: Sequence[str] = ()) -> tuple[Replay, int]:
    """Play actions up to the first illegal one; return the replay and the number of legal actions."""
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
    """Return the record of a game [1] from its initial state and its actions.

    `legal` adds the legal actions of every move.
    """
    replayed, _ = play_through(game, initial, actions)
    start = game.records.describe_setup(initial[0])
    record = Record(game=game.name, version=game.version, players=start.pop("players"))
    if seed is not None:
        record["seed"] = seed
    if agents is not None:
        record["agents"] = list(agents)
    record.update(start)
    moves: list[list[Any]] = [list(move) for move in zip(replayed.seats.tolist(), replayed.action_names, strict=True)]
    if legal:
        for number, move in enumerate(moves):
            move.append(replayed.legal(number))
    record["moves"] = moves
    if replayed.over:
        record.update(game.records.describe_end(replayed.final[0]))
    return record


def replay(record: Mapping[str, Any]) -> Replay:
    """Replay a record; a RecordError says which move is impossible, and why."""
    game, initial = _read_head(record)
    moves = record["moves"]
    actions, problem = _read_moves(game.ids(initial[0]), moves)
    replayed, legal = play_through(game, initial, actions, record.get("agents") or ())
    as_recorded = legal == len(actions) and list(map(SEAT, moves[:legal])) == replayed.seats.tolist()
    if not as_recorded or 3 in map(len, moves[:legal]):
        for number, move in enumerate(moves[: len(actions)], start=1):
            _check_move(replayed, number, move, number <= legal)
    if problem:
        raise RecordError(f"move {len(actions) + 1}: {problem}")
    _check_end(replayed, record)
    return replayed


def _read_head(record: Mapping[str, Any]) -> tuple[Game, States]:
    """Return the game of a record and its initial state, from everything but the moves."""
    if not isinstance(record, Mapping):
        raise RecordError(f"expected a JSON object, got {shown(record)}")
    for key in ("game", "version", "players", "setup", "moves"):
        if key not in record:
            raise RecordError(f"the record has no {key!r}")
    try:
        game = find(record["game"]) if isinstance(record["game"], str) else None
        if game is None:
            raise ValueError(f"game is {shown(record['game'])}: expected a name")
        if record["version"] != game.version or type(record["version"]) is not int:
            raise ValueError(f"version is {shown(record['version'])}: expected {game.version}")
        initial = game.records.read_setup(record)
    except (ValueError, TypeError) as error:
        raise RecordError(str(error)) from None
    except RecursionError:
        raise RecordError("the record is nested too deeply") from None
    players = game.num_players(initial[0])
    agents = record.get("agents")
    if agents is not None and (
        not isinstance(agents, list)
        or len(agents) != players
        or not all(isinstance(name, str) and name.isprintable() for name in agents)
    ):
        raise RecordError(f"agents are {shown(agents)}: expected {players} names of printable characters")
    seed = record.get("seed")
    if seed is not None and (type(seed) is not int or not 0 <= seed < SEED_LIMIT):
        raise RecordError(f"seed is {shown(seed)}: expected a whole number from 0 to 2**53 - 1")
    if not isinstance(record["moves"], list):
        raise RecordError(f"moves are {shown(record['moves'])}: expected a list")
    return game, initial


def _read_moves(ids: Mapping[str, int], moves: list[Any]) -> tuple[list[int], str]:
    """Return the action ids of the moves before the first malformed one, and what is wrong with that one."""
    usual = set(map(type, moves)) <= {list} and set(map(len, moves)) <= {2, 3}
    if usual and set(map(type, map(SEAT, moves))) <= {int}:
        with contextlib.suppress(KeyError, TypeError):  # an action is unknown: the loop below finds it
            return list(map(ids.__getitem__, map(ACTION, moves))), ""
    actions: list[int] = []
    for move in moves:
        if not isinstance(move, list) or len(move) not in (2, 3):
            expected = "expected [seat, action] or [seat, action, legal actions]"
            return actions, f"{shown(move)} is not a move: {expected}"
        if not isinstance(move[0], int) or isinstance(move[0], bool):
            return actions, f"the seat is {shown(move[0])}: expected a whole number from 0"
        if not isinstance(move[1], str) or move[1] not in ids:
            return actions, f"unknown action {shown(move[1])}"
        actions.append(ids[move[1]])
    return actions, ""


def _check_move(replayed: Replay, number: int, move: list[Any], legal: bool) -> None:
    """Raise RecordError if a move was impossible, or if it lists other legal actions than there were."""
    actor = int(replayed.seats[number - 1])
    allowed = replayed.legal(number - 1)
    if actor < 0:
        raise RecordError(f"move {number}: the game was over after {number - 1} moves")
    if move[0] != actor:
        raise RecordError(f"move {number}: seat {shown(move[0])} moves, but it is the turn of seat {actor}")
    if not legal:
        raise RecordError(f"move {number}: {move[1]!r} is not legal, expected one of {', '.join(allowed)}")
    if len(move) == 3 and (not isinstance(move[2], list) or sorted(map(str, move[2])) != sorted(allowed)):
        raise RecordError(f"move {number}: the legal actions are {', '.join(allowed)}, not {shown(move[2])}")


def _check_end(replayed: Replay, record: Mapping[str, Any]) -> None:
    """Raise RecordError if the record claims another end than its moves lead to."""
    if replayed.over:
        for key, value in replayed.game.records.describe_end(replayed.final[0]).items():
            if key in record and record[key] != value:
                raise RecordError(f"{key} is {shown(record[key])}: the moves lead to {shown(value)}")
        return
    for key in replayed.game.records.end_keys:
        if key in record:
            raise RecordError(f"{key} is given, but the game is not over after {len(replayed)} moves")


def to_json_line(record: Mapping[str, Any]) -> str:
    """Return a record as one line of JSON."""
    return json.dumps(record, separators=(",", ":"), ensure_ascii=False, allow_nan=False) + "\n"


def save_records(path: str | os.PathLike[str], records: Iterable[Mapping[str, Any]]) -> int:
    """Write records to a file, all of them or none, and return how many; each is replayed first."""
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
                file.write(to_json_line(record))
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
    """Yield the records of a file one by one; each is replayed first."""
    for record, _ in _read_lines(path):
        yield record


def iterate_replays(source: str | os.PathLike[str] | Iterable[Mapping[str, Any]]) -> Iterator[Replay]:
    """Yield the replays of a file, or of records."""
    if isinstance(source, str | os.PathLike):
        for _, replayed in _read_lines(source):
            yield replayed
    else:
        for record in source:
            yield replay(record)


def _read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[Record, Replay]]:
    with open(path, "rb") as file:
        for number, line in enumerate(iter(lambda: file.readline(LONGEST_LINE + 1), b""), start=1):
            if len(line) > LONGEST_LINE:
                expected = f"expected at most {LONGEST_LINE:,} bytes"
                raise RecordError(f"{shortened(path)}, line {number} is too long for a record: {expected}")
            if not line.strip():
                continue
            try:
                record = json.loads(line)
            except (ValueError, RecursionError) as error:
                raise RecordError(f"{shortened(path)}, line {number}: not JSON: {error}") from None
            try:
                replayed = replay(record)
            except RecordError as error:
                raise RecordError(f"{shortened(path)}, line {number}: {error}") from None
            yield Record(record), replayed
