"""The interface of a game to the rest of the package: its rules, records, display and command options.

A game registers itself when its package is imported. Nothing here lists games or imports one.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from olb_env.core import cache_folders, code_cache
from olb_env.core.checking import shortened, shown
from olb_env.core.layout import Layout
from olb_env.core.rulings import Rulings

State = Any  # one record of a game's dtype: `state.field` reads and writes it
States = npt.NDArray[Any]  # an array of such records

DEFAULT_GAME = "old_london_bridge"


# numpy's own `zeros` and `copy` visit every field of a record: with many fields they take a hundred times as long.
def zeros_of(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Return an array of records that are all zero."""
    return np.frombuffer(bytearray(count * dtype.itemsize), dtype)


def copy_of(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return a copy of an array of records."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


def no_text(state: State, about: int) -> str:
    """Return an empty text: the default for games that explain nothing."""
    return ""


def no_remarks(state: State) -> list[str]:
    """Return nothing: the default for games whose boards cannot look wrong."""
    return []


def no_option(option: str, text: str) -> Any:
    """Raise ValueError: the default for games without command options."""
    raise ValueError(f"unknown option {shown(option)}: this game has no options")


def who_decides(state: State, names: Sequence[str]) -> str:
    """Return who is to act, in words that fit any game."""
    seat = of_dtype(state.dtype).rules.actor(state)
    return "the game is over" if seat < 0 else f"{names[seat]} decides"


@dataclass(frozen=True)
class Choices:
    """The texts that an option accepts: one of `words`, or `part=word` for each part that differs."""

    words: tuple[str, ...]  # the first is the default
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """The game as the engine plays it: its state, its options, and ten verbs that work in place.

    A verb gets its randomness as a seed, or as the state of a random stream.
    """

    dtype: np.dtype[Any]  # of a state
    setup_dtype: np.dtype[Any]  # of a setup: the options as `deal` reads them
    options: Mapping[str, Any]  # keyword options with their defaults
    configure: Callable[..., Any]  # (**options): an array of one setup; ValueError if an option is wrong
    deal: Callable[[State, Any, int], None]  # (state, setup, seed): write a new game
    legal: Callable[[State, Any], int]  # (state, mask): write the mask; the number of legal actions
    random_action: Callable[[State, int], int]  # (state, rng_state): a legal action, all equally likely
    apply: Callable[[State, int], bool]  # (state, action): False, and nothing changed, if it is not legal
    actor: Callable[[State], int]  # the seat to act, or -1 when the game is over
    secret: Callable[[State], int]  # 0, or the number of the reveal until which the action stays hidden
    observe: Callable[[State, int, Any], None]  # (state, seat, out): write what the seat may know
    resample: Callable[[State, int, int], None]  # (state, seat, seed): redraw what the seat may not know
    returns: Callable[[State, Any, Any], None]  # (state, ranks, scores): write them for each seat; rank 1 is best
    possible: Callable[[State], bool]  # whether a state could have come from a game; it may hold any bytes


@dataclass(frozen=True)
class RecordFormat:
    """The game as plain data: in records, in the infos of environments, and in reports of results."""

    describe_setup: Callable[[State], dict[str, Any]]  # the record's keys from `players` to `setup`
    read_setup: Callable[[Mapping[str, Any]], States]  # the initial state [1] that those keys describe
    describe_end: Callable[[State], dict[str, Any]]  # the record's keys of a finished game
    end_keys: tuple[str, ...]  # the keys that `describe_end` returns
    final_infos: Callable[[State], list[dict[str, Any]]]  # the `info` of each seat when the game is over
    start_name: str  # the name of what differs between seats at the start, such as "stair"
    starts: Callable[[State], list[str]]  # the start of each seat, from any state of the game


@dataclass(frozen=True)
class Display:
    """The game as people see it: text, pictures and explanations."""

    text: Callable[[State], str]  # the position as text
    svg: Callable[[State, Sequence[str], str], str] | None = None  # (state, names of seats, last action)
    situation: Callable[[State, Sequence[str]], str] = who_decides  # (state, names of seats): who is to decide what
    explain: Callable[[State, int], str] = no_text  # (state, action): its effect for the seat to act
    private: Callable[[State, int], str] = no_text  # (state, seat): what only that seat knows
    round_of: Callable[[State], int] | None = None  # the number of the round, in games that have rounds
    account: Callable[[State], list[dict[str, str]]] | None = None  # where the score of each seat came from
    title: str = ""  # the full name, if it differs from the words of `Game.name`
    score_title: str = ""  # the name of the score, if it differs from `Game.score`


@dataclass(frozen=True)
class CommandOptions:
    """The options of a game that users can type in commands or choose on the page."""

    help: Mapping[str, str] = field(default_factory=dict)  # the help text of each option
    parse: Callable[[str, str], Any] = no_option  # (option, text typed by a user): its value
    choices: Mapping[str, Choices] = field(default_factory=dict)  # of the options that have a fixed list of texts


@dataclass(frozen=True)
class BoardFormat:
    """The boards that a game can be played on, as mappings that people write in files."""

    printed: Callable[[], Mapping[str, Any]]  # the whole default board
    describe: Callable[[State], Mapping[str, Any]]  # the whole board of any state; equal boards give equal mappings
    about: str  # the text at the top of a file for people to change
    comments: Mapping[str, str]  # the comment above each key in it
    remarks: Callable[[State], list[str]] = no_remarks  # what looks like a mistake on a board that can be played


@dataclass(frozen=True)
class Game:
    """A game that the engine can play. docs/adding_a_game.md explains each part."""

    name: str
    version: int
    players: tuple[int, ...]  # the possible numbers of players
    actions: tuple[str, ...]  # the name of every action, by id
    observation: Layout
    score: str  # what is counted at the end, such as "money"; also the name of a reward
    score_unit: float  # a lead of this much is a reward of 1
    largest_deficit: float  # no seat ends this far behind the others, on the default board
    rules: Rules
    records: RecordFormat
    display: Display
    commands: CommandOptions = CommandOptions()
    rulings: Rulings = field(default_factory=dict)  # what no rulebook decides, and the caller may
    boards: BoardFormat | None = None  # None: there is nothing on the board that a user could replace
    action_names: Callable[[State], tuple[str, ...]] | None = None  # (state): if the names depend on the board

    @property
    def title(self) -> str:
        """The name for people."""
        return self.display.title or self.name.replace("_", " ").title()

    def names(self, state: State) -> tuple[str, ...]:
        """Return the name of every action in this game, by id."""
        return self.actions if self.action_names is None else self.action_names(state)

    def ids(self, state: State) -> Mapping[str, int]:
        """Return the id of every action in this game, by name."""
        return _ids_by_name(self.names(state))

    @cached_property
    def rewards(self) -> tuple[str, ...]:
        """The names of the rewards."""
        return ("rank", "win", self.score)

    @cached_property
    def numba_type(self) -> Any:
        """The numba type of a state."""
        return numba.from_dtype(self.rules.dtype)

    @cached_property
    def stamp(self) -> str:
        """A digest of the game's sources: of its package, or of its one file if it is outside olb_env."""
        file = Path(inspect.getfile(inspect.unwrap(getattr(self.rules.apply, "py_func", self.rules.apply))))
        inside = (file.parent / "__init__.py").exists() and cache_folders.PACKAGE in file.parents
        return cache_folders.source_hash(file.parent) if inside else hashlib.sha256(file.read_bytes()).hexdigest()

    def new_states(self, count: int) -> States:
        """Return states to deal games into."""
        return zeros_of(count, self.rules.dtype)

    def num_players(self, state: State) -> int:
        """Return the number of players of a state or setup."""
        return int(state.players)

    def legal_actions(self, state: State) -> list[str]:
        """Return the names of the legal actions of the seat to act."""
        mask = np.zeros(len(self.actions), np.int8)
        self.rules.legal(state, mask)
        names = self.names(state)
        return [names[action] for action in np.flatnonzero(mask)]


@lru_cache(256)
def _ids_by_name(names: tuple[str, ...]) -> dict[str, int]:
    return {name: action for action, name in enumerate(names)}


_by_name: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Make a game known to verbs, records and commands, and return it."""
    _by_name[game.name] = game
    return game


def game_names() -> Sequence[str]:
    """Return the names of all registered games."""
    return sorted(_by_name)


def find(name: str) -> Game:
    """Return the game of that name."""
    if name not in _by_name:
        raise ValueError(f"unknown game {shown(name)}: expected one of {', '.join(game_names())}")
    return _by_name[name]


def of_dtype(dtype: np.dtype[Any]) -> Game:
    """Return the game whose states have this dtype."""
    for game in _by_name.values():
        if game.rules.dtype == dtype:
            return game
    raise ValueError(f"no game has states of dtype {shortened(dtype)}")


def of_numba_type(record: Any) -> Game | None:
    """Return the game whose states have this numba type, or None."""
    return next((game for game in _by_name.values() if game.numba_type == record), None)


def _records_in(types: Iterable[Any]) -> Iterator[Any]:
    """Iterate over the record types in a signature: plain, in arrays, or in tuples of those."""
    for argument in types:
        if isinstance(argument, numba.types.BaseTuple):
            yield from _records_in(argument)
        elif isinstance(record := getattr(argument, "dtype", argument), numba.types.Record):
            yield record


def _stamp_of(signature: Any) -> str:
    """Return the stamps of the games that a signature is compiled for, which the cache of machine code compares."""
    found = [of_numba_type(record) for record in _records_in(signature)]
    return " ".join(game.stamp for game in found if game is not None)


code_cache.stamps.append(_stamp_of)
