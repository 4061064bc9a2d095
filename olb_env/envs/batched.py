"""BatchedEnv: many games of learners against opponents. All environments but PettingZoo's are made of it.

A step takes one action for each table and plays on until a learner is to act again or the game is over. This module
checks what users pass in and asks agents for their actions; the loops are in `step_kernels`. It knows no learning
library.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.batch import actor_rows
from olb_env.core.checking import read_whole_numbers, shown
from olb_env.core.compiling import specialize
from olb_env.core.game import Game, State, States, copy_of, find
from olb_env.core.positions import Position
from olb_env.core.possible import check_states
from olb_env.core.rewards import RANK, illegal_reward, reward_kind
from olb_env.core.rng import SEED_LIMIT, hashed_seed
from olb_env.envs import step_kernels as kernels
from olb_env.envs.common import fresh_seed, read_seed, setup_for, setup_with, without_files
from olb_env.envs.step_kernels import (
    DISABLED,
    EVERY_SEAT,
    NEXT_STEP,
    NO_ROW,
    NOBODY,
    RANDOM_SEAT,
    SAME_STEP,
    TABLE,
    Batch,
    LearnerView,
    Results,
    StepOptions,
)
from olb_env.playing import Agent, RandomAgent, Views, decide, seat_opponents

__all__ = ["DISABLED", "NEXT_STEP", "NO_ROW", "SAME_STEP", "BatchedEnv", "KeepsView", "LearnerView"]

Flags = npt.NDArray[np.bool_]
FLAGS = ("game_over", "seeded")  # of a table
MAX_ENVS = 1_000_000
MAX_COUNT = 2**62  # of games and decisions at a table
ARGUMENTS = ("game", "num_envs", "_autoreset", "_reward", "_seat", "_game_options")


class SpecializedKernels(NamedTuple):
    """The kernels as machine code for one game: a step of a single table costs less than numba's check of types."""

    step_games: Callable[..., int]
    take_learner_actions: Callable[..., int]
    take_opponent_actions: Callable[..., None]
    write_results: Callable[..., None]
    deal_next_games: Callable[..., None]
    write_learner_views: Callable[..., None]


@functools.cache
def _specialized_kernels(name: str) -> SpecializedKernels:
    game = find(name)
    batch = Batch(game.new_states(1), np.zeros(1, TABLE), np.zeros(1, game.rules.setup_dtype))
    options = StepOptions(EVERY_SEAT, np.zeros(1, np.bool_), len(game.actions), DISABLED, RANK, 1.0)
    results, view = Results.zeros(game, 1, 2), LearnerView.zeros(game, 1)
    flags, actions, rows = np.zeros(1, np.bool_), np.zeros(1, np.int64), np.zeros(1, np.int64)
    return SpecializedKernels(
        specialize(kernels.step_games, batch, actions, options, results, view),
        specialize(kernels.take_learner_actions, batch, actions, options),
        specialize(kernels.take_opponent_actions, batch, rows, actions, options),
        specialize(kernels.write_results, batch, flags, options, results),
        specialize(kernels.deal_next_games, batch, flags, options),
        specialize(kernels.write_learner_views, batch, options, view),
    )


class BatchedEnv:
    """B tables of P players. If `seat` is None all seats learn; otherwise one does, and `opponents` hold the others.

    `opponents[0]` sits after the learner, `opponents[1]` after that, and so on around the table. `autoreset` says when
    the next game is dealt at a table where one is over: DISABLED, NEXT_STEP or SAME_STEP.
    """

    def __init__(
        self,
        game: Game,
        num_envs: int,
        autoreset: int,
        *,
        reward: str,
        seat: int | str | None,
        opponents: Any,
        options: dict[str, Any],
    ) -> None:
        if isinstance(num_envs, bool) or not isinstance(num_envs, int | np.integer) or not 1 <= num_envs <= MAX_ENVS:
            raise ValueError(f"num_envs is {shown(num_envs)}: expected a whole number from 1 to {MAX_ENVS:,}")
        self.game = game
        self.num_envs = int(num_envs)
        setup = setup_for(game, options)
        self._game_options = without_files(options)
        self._autoreset, self._reward, self._seat = autoreset, reward, seat
        opponents = [] if seat is None else seat_opponents(opponents, game.num_players(setup[0]) - 1, game)
        self._begin(opponents, setup)

    def _begin(self, opponents: list[tuple[str, Agent]], setup: Any) -> None:
        """Set everything that follows from the arguments, with no game dealt yet."""
        game = self.game
        self.num_players = game.num_players(setup[0])
        self._batch = Batch(game.new_states(self.num_envs), np.zeros(self.num_envs, TABLE), setup)
        self._batch.tables["game_over"] = True
        self._opponents = opponents
        at_random = [type(agent) is RandomAgent for _, agent in opponents]
        self._asks_agents = not all(at_random)
        self._options = StepOptions(
            learner=EVERY_SEAT if self._seat is None else _read_seat(self._seat, self.num_players),
            random_opponents=np.array(at_random or [False] * (self.num_players - 1), np.bool_),
            num_actions=len(game.actions),
            autoreset=self._autoreset,
            reward_kind=reward_kind(game, self._reward),
            reward_unit=game.score_unit,
        )
        self.illegal_reward = illegal_reward(game, self._options.reward_kind)
        self.results = Results.zeros(game, self.num_envs, self.num_players)  # of the last step
        self._observations_shape = (self.num_envs, game.observation.size)
        self._masks_shape = (self.num_envs, len(game.actions))
        self._kernels = _specialized_kernels(game.name)

    def __getstate__(self) -> dict[str, Any]:
        kept = {name: getattr(self, name) for name in (*ARGUMENTS, "_opponents", "results")}
        return {**kept, "states": self._batch.states, "tables": self._batch.tables}  # code cannot be copied

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Build the environment anew, and take over its games after checking them."""
        arguments = {name.removeprefix("_"): state[name] for name in ARGUMENTS}
        options = arguments.pop("game_options")
        type(self).__init__(self, opponents="random", options=options, **arguments)
        opponents = state["_opponents"]
        if len(opponents) != len(self._opponents):
            raise ValueError(f"the environment has {len(opponents)} opponents: expected {len(self._opponents)}")
        self._begin(opponents, self._batch.setups)
        states, tables = self._checked(state["states"], state["tables"])
        self._batch.states[:], self._batch.tables[:] = states, tables
        _take_over(self.results, state["results"])

    def taken_over(self, view: Any) -> LearnerView:
        """Return a copy of the last view of an unpickled environment; ValueError if it is none of this one."""
        own = LearnerView.zeros(self.game, self.num_envs)
        _take_over(own, view)
        return own

    @property
    def learners(self) -> npt.NDArray[np.int64]:
        """The seat of the learner at each table [B], -1 if all seats learn."""
        return self._batch.tables["learner"].astype(np.int64)

    @property
    def game_over(self) -> Flags:
        """Where no game is in progress [B]."""
        return self._batch.tables["game_over"].copy()

    @property
    def decisions(self) -> int:
        """The number of decisions of all seats in all games so far."""
        return int(self._batch.tables["decisions"].sum())

    def state(self, row: int) -> Any:
        """Return the state of the game at one table."""
        return self._batch.states[row]

    def position(self, row: int) -> Position:
        """Return the position at one table, with the names of its players."""
        self._check_dealt(row)
        learner, names = int(self._batch.tables["learner"][row]), []
        for seat in range(self.num_players):
            opponent = (seat - learner - 1) % self.num_players
            names.append("learner" if learner < 0 or seat == learner else self._opponents[opponent][0])
        return Position(self.game, self.state(row), tuple(names))

    def legal_actions(self, row: int) -> list[str]:
        """Return the names of the legal actions at one table."""
        self._check_dealt(row)
        return self.game.legal_actions(self.state(row))

    def _check_dealt(self, row: int) -> None:
        if not self._batch.tables["seeded"][row]:
            raise ValueError("there is no game to show yet: call reset() first")

    def views(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> Views:
        """Return the decisions to make at some tables [N], for agents; seeds [N] as in `Views`."""
        numbers = read_whole_numbers("rows", rows, below=self.num_envs)
        keys = read_whole_numbers("seeds", seeds, below=2**64)
        if len(keys) != len(numbers):
            raise ValueError(f"the number of seeds is {len(keys)}: expected {len(numbers)}, one for each row")
        return Views(self.game, self._batch.states, keys.astype(np.uint64), numbers.astype(np.int64))

    def save(self) -> dict[str, npt.NDArray[np.uint8]]:
        """Return all games as plain bytes, to continue them with `restore`."""
        parts = {"states": self._batch.states, "tables": self._batch.tables}
        return {name: np.frombuffer(part.tobytes(), np.uint8) for name, part in parts.items()}

    def restore(self, saved: Mapping[str, npt.NDArray[np.uint8]]) -> None:
        """Continue games saved by an environment with the same game and number of tables.

        Bytes that no such environment saves raise ValueError, and no game changes.
        """
        if not isinstance(saved, Mapping):
            raise ValueError(f"saved games are {shown(saved)}: expected what save() returned")
        parts = []
        for name, part in (("states", self._batch.states), ("tables", self._batch.tables)):
            given = saved.get(name)
            if not isinstance(given, np.ndarray) or given.dtype.hasobject:
                raise ValueError(f"saved {name} are {shown(given)}: expected an array of bytes")
            if given.nbytes != part.nbytes:
                raise ValueError(
                    f"saved {name} have {given.nbytes} bytes: expected {part.nbytes} for {self.num_envs} tables"
                )
            parts.append(np.frombuffer(given.tobytes(), part.dtype))
        states, tables = self._checked(*parts)
        if not tables["seeded"].all():
            row = int(tables["seeded"].argmin())
            raise ValueError(f"table {row} was saved before its first game: expected games in progress")
        self._batch.states[:], self._batch.tables[:] = states, tables

    def _checked(self, states: Any, tables: Any) -> tuple[States, npt.NDArray[Any]]:
        """Return copies of states and tables; a ValueError says why no environment like this one can have them."""
        for name, part, own in (("states", states, self._batch.states), ("tables", tables, self._batch.tables)):
            if not isinstance(part, np.ndarray) or part.dtype != own.dtype or part.shape != (self.num_envs,):
                raise ValueError(f"saved {name} are not those of {self.num_envs} tables of {self.game.title}")
        states, tables = copy_of(states), copy_of(tables)
        flags = np.stack([tables[name].view(np.uint8) for name in FLAGS])
        if (flags > 1).any():
            raise ValueError(f"saved tables are impossible: expected flags of 0 or 1, got {flags.max()}")
        check_states(self.game, states[tables["seeded"]])
        actors = np.empty(self.num_envs, np.int64)
        actor_rows(states, actors)
        for row in range(self.num_envs):
            if not self._is_possible(states[row], tables[row], int(actors[row])):
                raise ValueError(f"table {row} is impossible: no environment like this one comes to it")
        return states, tables

    def _is_possible(self, state: State, table: Any, actor: int) -> bool:
        """Return whether a table and the seat to act agree with each other and with this environment."""
        counts = table.games_dealt, table.decisions
        if min(table.base_seed, table.seed, *counts) < 0 or max(counts) >= MAX_COUNT:
            return False
        if max(table.base_seed, table.seed) >= SEED_LIMIT:
            return False
        if not table.seeded:
            return bool(table.game_over and table.games_dealt == 0 and not any(state.tobytes()))
        learner = self._options.learner
        is_seat = 0 <= table.learner < self.num_players if learner == RANDOM_SEAT else table.learner == learner
        if not is_seat or table.waiting_for != NOBODY or self.game.num_players(state) != self.num_players:
            return False
        if table.game_over:  # also where an illegal action ended it, or before the next deal
            return self._options.autoreset != SAME_STEP
        return actor >= 0 and (learner == EVERY_SEAT or actor == table.learner)

    def new_view(self) -> LearnerView:
        """Return arrays to write a view into."""
        return LearnerView(
            np.empty(self.num_envs, np.int64),
            np.empty(self._observations_shape, np.float32),
            np.empty(self._masks_shape, np.int8),
        )

    def write_view(self, view: LearnerView) -> None:
        """Write what the learners see now."""
        self._kernels.write_learner_views(self._batch, self._options, view)

    def deal(
        self, view: LearnerView, seed: Any = None, which: Flags | None = None, changes: dict[str, Any] | None = None
    ) -> None:
        """Deal the next game at all tables, or where `which` [B] says; `changes` are options of the game for it.

        A seed n is n for the first table, n + 1 for the second, and so on; a list has a seed or None for each. At a
        table without a seed the next game follows from its last one.
        """
        batch = self._batch
        if changes:
            batch = batch._replace(setups=setup_with(self.game, self._game_options, changes))
        seeds = self._read_seeds(seed)
        selected = np.ones(self.num_envs, np.bool_) if which is None else which
        self._undo_on_error(self._seed_and_deal, batch, seeds, selected)
        self.write_view(view)

    def _read_seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.num_envs
        if isinstance(seed, list | tuple) or (isinstance(seed, np.ndarray) and seed.ndim > 0):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed has {len(seed)} entries: expected {self.num_envs}, one for each game")
            return [None if given is None else read_seed(given) for given in seed]
        first = read_seed(seed)
        return [read_seed(first + row) for row in range(self.num_envs)]

    def _seed_and_deal(self, batch: Batch, seeds: list[int | None], which: Flags) -> None:
        tables = batch.tables
        for row in np.flatnonzero(which):
            given = seeds[row]
            if given is not None or not tables["seeded"][row]:
                base_seed = fresh_seed() if given is None else given
                tables["base_seed"][row], tables["opponents_key"][row] = base_seed, hashed_seed(base_seed)
                tables["games_dealt"][row], tables["seeded"][row] = 0, True
        self._deal(batch, which)

    def _deal(self, batch: Batch, which: Flags) -> None:
        while which.any():
            self._kernels.deal_next_games(batch, which, self._options)
            self._ask_agents()
            which = which & batch.tables["game_over"]  # again where agents ended the game before the learner acted

    def step(self, actions: Any, view: LearnerView) -> Flags:
        """Take one action [B] at each table with a game in progress, write the view, and return where a game ended.

        An illegal action raises ValueError, and no game changes.
        """
        chosen = self._read_actions(actions)
        illegal = self.try_step(chosen, view)
        if illegal != NO_ROW:
            raise ValueError(self.explain_illegal(illegal, int(chosen[illegal])))
        return self.results.ended.copy()

    def try_step(self, actions: npt.NDArray[np.int64], view: LearnerView) -> int:
        """Step as above, but return the first row whose action is not legal, or NO_ROW."""
        if not self._asks_agents:
            return self._kernels.step_games(self._batch, actions, self._options, self.results, view)
        illegal: int = self._undo_on_error(self._step_with_agents, actions)
        if illegal == NO_ROW:
            self.write_view(view)
        return illegal

    def _step_with_agents(self, actions: npt.NDArray[np.int64]) -> int:
        over = self.game_over
        illegal = self._kernels.take_learner_actions(self._batch, actions, self._options)
        if illegal == NO_ROW:
            self._ask_agents()
            self._kernels.write_results(self._batch, ~over, self._options, self.results)
            if self._options.autoreset == SAME_STEP:
                self._deal(self._batch, self.results.ended)
            elif self._options.autoreset == NEXT_STEP:
                self._deal(self._batch, over)
        return illegal

    def _ask_agents(self) -> None:
        """Let agents act until no table waits for one; all tables that wait for the same agent make one call."""
        waiting_for = self._batch.tables["waiting_for"]
        while (rows := np.flatnonzero(waiting_for != NOBODY)).size:
            to_act = [self._opponents[opponent] for opponent in waiting_for[rows]]
            name, agent = to_act[0]
            rows = rows[[other is agent for _, other in to_act]]
            seeds = [hashed_seed(int(rng_state)) for rng_state in self._batch.tables["rng_state"][rows]]
            actions = decide(agent, name, Views(self.game, self._batch.states, seeds, rows))
            self._kernels.take_opponent_actions(self._batch, rows, actions, self._options)

    def _undo_on_error(self, play: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function that asks agents; if one of them fails, all games return to where they were."""
        if not self._asks_agents:
            return play(*arguments)
        before = copy_of(self._batch.states), self._batch.tables.copy()
        try:
            return play(*arguments)
        except BaseException:
            self._batch.states[:], self._batch.tables[:] = before
            raise

    def abandon(self, row: int) -> None:
        """End the game at a table without a result."""
        self._batch.tables["game_over"][row] = True

    def explain_illegal(self, row: int, action: int) -> str:
        """Return an error message that says which actions are legal at a table."""
        names, ids = self.game.names(self.state(row)), self.game.ids(self.state(row))
        if not 0 <= action < len(names):
            return f"row {row}: action is {action}: expected a whole number from 0 to {len(names) - 1}"
        legal = ", ".join(f"{ids[name]} {name!r}" for name in self.legal_actions(row))
        return f"row {row}: action {action} ({names[action]!r}) is not legal: expected one of {legal}"

    def _read_actions(self, actions: Any) -> npt.NDArray[np.int64]:
        """Return actions as whole numbers [B]; whether they are legal is not checked yet."""
        try:
            given = np.asarray(actions)
        except ValueError:  # rows of different lengths
            given = np.empty(0, object)
        if given.shape != (self.num_envs,):
            raise ValueError(f"actions have shape {given.shape}: expected ({self.num_envs},), one for each game")
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions have dtype {given.dtype}: expected whole numbers")
        if given.dtype == np.uint64 and (given > np.uint64(2**62)).any():  # it would become a negative int64
            row = int((given > np.uint64(2**62)).argmax())
            raise ValueError(self.explain_illegal(row, int(given[row])))
        return np.ascontiguousarray(given, np.int64)


class KeepsView:
    """A part of environments: their last view is checked when they are unpickled, since machine code writes to it."""

    _env: BatchedEnv
    _view: LearnerView

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._view = self._env.taken_over(self._view)


def _take_over(own: Results | LearnerView, given: Any) -> None:
    """Copy the arrays of a tuple to one of this environment; a ValueError says which have another shape."""
    for name, array in own._asdict().items():
        other = np.asarray(getattr(given, name, None))
        if other.shape != array.shape or other.dtype != array.dtype:
            raise ValueError(f"{name} have the shape {other.shape}: expected {array.shape} of {array.dtype}")
        array[:] = other


def _read_seat(seat: Any, players: int) -> int:
    if isinstance(seat, str) and seat == "random":
        return RANDOM_SEAT
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < players:
        raise ValueError(f"seat is {shown(seat)}: expected 0 to {players - 1}, or 'random'")
    return int(seat)
