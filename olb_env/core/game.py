"""What a game is to everything else: a dtype, nine verbs, names, and how it is written down.

A game registers itself when its folder is imported; nothing here lists games or imports one.
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from olb_env.core import compiling
from olb_env.core.layout import Layout

State = Any  # one record of a game's dtype: `state.field` reads and writes it
States = npt.NDArray[Any]  # an array of such records


# Of records with many fields: numpy's own `zeros` and `copy` look at every field, which takes a hundred times as long.
def zeros_of(count: int, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    """Some records, all zero."""
    return np.frombuffer(bytearray(count * dtype.itemsize), dtype)


def copy_of(records: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The same records once more."""
    return np.frombuffer(bytearray(records.tobytes()), records.dtype)


DEFAULT_GAME = "old_london_bridge"  # where nobody says which


def no_words(state: State, about: int) -> str:
    """Nothing to say."""
    return ""


def no_option(option: str, text: str) -> Any:
    """Refuse every option."""
    raise ValueError(f"unknown option {option!r}: this game offers none")


def who_decides(state: State, names: Sequence[str]) -> str:
    """What stands, of any game."""
    seat = of_dtype(state.dtype).rules.actor(state)
    return "the game is over" if seat < 0 else f"{names[seat]} decides"


@dataclass(frozen=True)
class Choices:
    """The texts that an option accepts: one of `words`, or `part=word` for some of its parts."""

    words: tuple[str, ...]  # the first is the default
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Rules:
    """What the engine needs of a game: its state, its options, and nine verbs that work in place.

    Randomness comes in as a seed, or as the state of a random stream.
    """

    dtype: np.dtype[Any]  # the state of a game
    setup_dtype: np.dtype[Any]  # what the caller chooses before the deal
    options: Mapping[str, Any]  # keyword options with their defaults
    configure: Callable[..., Any]  # options -> a setup of one row; ValueError says what is wrong
    deal: Callable[[State, Any, int], None]  # (state, setup, seed)
    legal: Callable[[State, Any], int]  # (state, mask): the number of legal actions
    random_action: Callable[[State, int], int]  # (state, rng_state): a legal action, all equally likely
    apply: Callable[[State, int], bool]  # (state, action): False, and nothing changed, if it is not legal
    actor: Callable[[State], int]  # the seat to act, or -1 when the game is over
    secret: Callable[[State], int]  # 0, or the number of the reveal until which the action stays hidden
    observe: Callable[[State, int, Any], None]  # (state, seat, out)
    resample: Callable[[State, int, int], None]  # (state, seat, seed)
    returns: Callable[[State, Any, Any], None]  # (state, ranks, scores), per seat; rank 1 is best


@dataclass(frozen=True)
class RecordFormat:
    """The game as plain data: records, infos of environments, and tables of results."""

    describe_setup: Callable[[State], dict[str, Any]]  # the record's keys from `players` to `setup`
    read_setup: Callable[[Mapping[str, Any]], States]  # the game of one row that those keys describe
    describe_end: Callable[[State], dict[str, Any]]  # the record's keys of a finished game
    end_keys: tuple[str, ...]  # the names of those keys
    final_infos: Callable[[State], list[dict[str, Any]]]  # the `info` of each seat when the game is over
    start_name: str  # what seats differ in at the start, such as "stair"
    starts: Callable[[State], list[str]]  # the start of each seat, from any state of the game


@dataclass(frozen=True)
class Display:
    """The game as people see it: text, pictures and words."""

    text: Callable[[State], str]  # the position as text
    svg: Callable[[State, Sequence[str], str], str] | None = None  # (state, names of seats, last action)
    situation: Callable[[State, Sequence[str]], str] = who_decides  # (state, names of seats): who has to decide what
    explain: Callable[[State, int], str] = no_words  # (state, action): what it would bring the seat to act
    private: Callable[[State, int], str] = no_words  # (state, seat): what only that seat knows
    round_of: Callable[[State], int] | None = None  # the number of the round, in games that have rounds
    account: Callable[[State], list[dict[str, str]]] | None = None  # where the score of each seat came from
    title: str = ""  # the full name, where the words of `Game.name` are not enough
    score_title: str = ""  # what is counted, where `Game.score` does not say it


@dataclass(frozen=True)
class CommandOptions:
    """The options of a game that commands and the page offer."""

    help: Mapping[str, str] = field(default_factory=dict)  # the help text of each option
    parse: Callable[[str, str], Any] = no_option  # (option, text typed by a user) -> its value
    choices: Mapping[str, Choices] = field(default_factory=dict)  # of options with a fixed list of texts


@dataclass(frozen=True)
class Game:
    """A game that the engine can carry. See docs/adding_a_game.md for each part."""

    name: str
    version: int
    players: tuple[int, ...]  # the numbers of players it is for
    actions: tuple[str, ...]  # the name of every action, by id
    observation: Layout
    score: str  # what is counted at the end; also the name of the reward made of it
    score_unit: float  # how much of it is worth a reward of 1
    largest_deficit: float  # no seat ends with so much less than the others, on the printed board
    rules: Rules
    records: RecordFormat
    display: Display
    commands: CommandOptions = CommandOptions()
    action_names: Callable[[State], tuple[str, ...]] | None = None  # where the board names the actions

    @property
    def title(self) -> str:
        """Its name for people."""
        return self.display.title or self.name.replace("_", " ").title()

    def names(self, state: State) -> tuple[str, ...]:
        """The name of every action in this game, by id."""
        return self.actions if self.action_names is None else self.action_names(state)

    def ids(self, state: State) -> Mapping[str, int]:
        """The id of every action in this game, by name."""
        return _numbered(self.names(state))

    @cached_property
    def rewards(self) -> tuple[str, ...]:
        """The names of the rewards it offers."""
        return ("rank", "win", self.score)

    @cached_property
    def numba_type(self) -> Any:
        """The dtype as numba sees it."""
        return numba.from_dtype(self.rules.dtype)

    @cached_property
    def stamp(self) -> str:
        """A digest of the sources of the game's folder."""
        file = Path(inspect.getfile(inspect.unwrap(getattr(self.rules.apply, "py_func", self.rules.apply))))
        inside = (file.parent / "__init__.py").exists() and compiling.PACKAGE in file.parents
        return compiling.source_hash(file.parent) if inside else hashlib.sha256(file.read_bytes()).hexdigest()

    def new_states(self, count: int) -> States:
        """Room for some games, not dealt yet."""
        return zeros_of(count, self.rules.dtype)

    def seats(self, state: State) -> int:
        """How many play this game."""
        return int(state.players)

    def legal_actions(self, state: State) -> list[str]:
        """The names of what the acting seat may answer now."""
        mask = np.zeros(len(self.actions), np.int8)
        self.rules.legal(state, mask)
        names = self.names(state)
        return [names[action] for action in np.flatnonzero(mask)]


@lru_cache(256)
def _numbered(names: tuple[str, ...]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


_by_name: dict[str, Game] = {}


def register(game: Game) -> Game:
    """Make a game known to verbs, records and commands."""
    _by_name[game.name] = game
    return game


def games() -> Sequence[str]:
    """The names of the games there are."""
    return sorted(_by_name)


def find(name: str) -> Game:
    """The game of that name."""
    if name not in _by_name:
        raise ValueError(f"unknown game {name!r}: expected one of {', '.join(games())}")
    return _by_name[name]


def of_dtype(dtype: np.dtype[Any]) -> Game:
    """The game whose states have this dtype."""
    for game in _by_name.values():
        if game.rules.dtype == dtype:
            return game
    raise ValueError(f"no game has states of dtype {dtype}")


def of_numba_type(record: Any) -> Game | None:
    """The game whose states numba knows as this record type, if any."""
    return next((game for game in _by_name.values() if game.numba_type == record), None)


def _stamp_of(signature: Any) -> str:
    """For the cache of machine code: which sources of a game a signature was compiled with."""
    records = [getattr(argument, "dtype", argument) for argument in signature]
    found = [of_numba_type(record) for record in records if isinstance(record, numba.types.Record)]
    return " ".join(game.stamp for game in found if game is not None)


compiling.stamps.append(_stamp_of)
