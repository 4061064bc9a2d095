"""BatchedEnv: many games at once between learners and their opponents, the one machine inside all batched environments.

A step takes one action for each table and plays on until a learner is asked again or the game is over; where a game is
over, the next is dealt in the same step, in the next, or when the caller says so.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.compiling import entry_point
from olb_env.core.game import Game, copy_of, find
from olb_env.core.positions import Position
from olb_env.core.rewards import reward_for_cheating, reward_kind
from olb_env.core.rng import private_key
from olb_env.envs import step_kernels as kernels
from olb_env.envs.common import fresh_seed, read_seed, setup_for, setup_with
from olb_env.envs.step_kernels import ANY_SEAT, EVERY_SEAT, NEVER, NEXT_STEP, NOBODY, SAME_STEP, TABLE
from olb_env.playing import RandomAgent, Views, decide, seat_opponents

__all__ = ["NEVER", "NEXT_STEP", "NOBODY", "SAME_STEP", "BatchedEnv", "LearnerView"]

Flags = npt.NDArray[np.bool_]


class LearnerView(NamedTuple):
    """What the learners see: who is asked at each table, or who learned there if its game is over."""

    seats: npt.NDArray[np.int64]  # [B]
    observations: npt.NDArray[np.float32]  # [B, D]
    masks: npt.NDArray[np.int8]  # [B, A]


class Code(NamedTuple):
    """The kernels as machine code for one game: a step of a single table costs less than looking at types."""

    step: Callable[..., int]
    answer: Callable[..., int]
    answer_for_opponents: Callable[..., None]
    end: Callable[..., None]
    deal: Callable[..., None]
    view: Callable[..., None]


@functools.cache
def _code_for(name: str) -> Code:
    game = find(name)
    states, tables, setups = game.new_states(1), np.zeros(1, TABLE), np.zeros(1, game.rules.setup_dtype)
    flags, numbers, many = np.zeros(1, np.bool_), np.zeros(1, np.int64), np.zeros((1, 1), np.int64)
    floats, seen, masks = np.zeros((1, 1)), np.zeros((1, 1), np.float32), np.zeros((1, 1), np.int8)
    pay = flags, floats, many, floats, seen
    shown = numbers, seen, masks
    return Code(
        entry_point(kernels.step_tables, states, tables, setups, numbers, 0, flags, 0, 0, 1.0, masks[0], *pay, *shown),
        entry_point(kernels.answer_tables, states, tables, numbers, flags, masks[0], flags),
        entry_point(kernels.answer_for_opponents, states, tables, numbers, numbers, flags),
        entry_point(kernels.end_tables, states, tables, 0, 1.0, *pay),
        entry_point(kernels.deal_tables, states, tables, setups, flags, 0, flags),
        entry_point(kernels.view_tables, states, tables, 0, *shown),
    )


class BatchedEnv:
    """B tables of P players. With `seat` None all seats learn; else one does, and `opponents` hold the others.

    `opponents[0]` sits after the learner, `opponents[1]` after that, and so on around the table. `mode` says when a new
    game is dealt where one is over.
    """

    def __init__(
        self,
        game: Game,
        rows: int,
        mode: int,
        *,
        reward: str,
        seat: int | str | None,
        opponents: Any,
        options: dict[str, Any],
    ) -> None:
        if isinstance(rows, bool) or not isinstance(rows, int | np.integer) or rows < 1:
            raise ValueError(f"num_envs is {rows!r}: expected a whole number from 1 on")
        self.game = game
        self.rows = int(rows)
        self.mode = mode
        self._code = _code_for(game.name)
        self._kind = reward_kind(game, reward)
        self._options = options
        self._setup = setup_for(game, options)
        self.players = game.seats(self._setup[0])
        self._learner = EVERY_SEAT if seat is None else _read_seat(seat, self.players)
        self._opponents = [] if seat is None else seat_opponents(opponents, self.players - 1, game)
        at_random = [type(agent) is RandomAgent for _, agent in self._opponents]
        self._at_random = np.array(at_random or [False] * (self.players - 1), np.bool_)
        self._waits = not all(at_random)  # for opponents that no kernel plays
        self._states = game.new_states(self.rows)
        self._tables = np.zeros(self.rows, TABLE)
        self._tables["over"] = True
        self._scratch = np.zeros(len(game.actions), np.int8)
        self.rewards = np.zeros((self.rows, self.players))  # [B, P] of the last step
        self.ranks = np.zeros((self.rows, self.players), np.int64)  # [B, P] of the last game that ended
        self.scores = np.zeros((self.rows, self.players))
        self.last_observations = np.zeros((self.rows, game.observation.size), np.float32)  # [B, D] after its end
        self._seen, self._allowed = self.last_observations.shape, (self.rows, len(game.actions))
        self._begin = self._states, self._tables, self._setup
        self._how = self._kind, game.score_unit
        self.cheating = reward_for_cheating(game, self._kind)
        self._middle = self._learner, self._at_random, mode, *self._how, self._scratch
        self._results = self.rewards, self.ranks, self.scores, self.last_observations

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_code"}  # code cannot be copied

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._code = _code_for(self.game.name)

    @property
    def learners(self) -> npt.NDArray[np.int64]:
        """The seat that learns at each table [B], -1 if all do."""
        return self._tables["learner"].astype(np.int64)

    @property
    def over(self) -> Flags:
        """Where no game is on [B]."""
        return self._tables["over"].copy()

    @property
    def played(self) -> int:
        """How many decisions there were in all games so far, opponents' included."""
        return int(self._tables["played"].sum())

    def state(self, row: int) -> Any:
        """The game at one table."""
        return self._states[row]

    def position(self, row: int) -> Position:
        """The game at one table, to look at."""
        learner, names = int(self._tables["learner"][row]), []
        for seat in range(self.players):
            after = (seat - learner - 1) % self.players
            names.append("learner" if learner < 0 or seat == learner else self._opponents[after][0])
        return Position(self.game, self._states[row], tuple(names))

    def legal_actions(self, row: int) -> list[str]:
        """The names of what may be chosen at one table."""
        return self.game.legal_actions(self._states[row])

    def views(self, rows: npt.NDArray[np.int64], seeds: npt.NDArray[np.uint64]) -> Views:
        """The decisions that stand at some tables."""
        return Views(self.game, self._states, seeds, rows)

    def save(self) -> dict[str, npt.NDArray[np.uint8]]:
        """All games as they stand, as plain bytes."""
        kept = {"states": self._states, "tables": self._tables}
        return {name: np.frombuffer(part.tobytes(), np.uint8) for name, part in kept.items()}

    def restore(self, saved: Mapping[str, npt.NDArray[np.uint8]]) -> None:
        """Go on with games as they stood at as many tables of the same game."""
        for name, part in (("states", self._states), ("tables", self._tables)):
            if saved[name].nbytes != part.nbytes:
                raise ValueError(f"{name} have {saved[name].nbytes} bytes: expected {part.nbytes}, as of these tables")
            part[:] = np.frombuffer(saved[name].tobytes(), part.dtype)

    def no_view(self) -> LearnerView:
        """What is seen before the first deal: nothing."""
        view = self.new_view()
        for part in view:
            part[:] = 0
        return view

    def new_view(self) -> LearnerView:
        """Room for what the learners see."""
        return LearnerView(
            np.empty(self.rows, np.int64), np.empty(self._seen, np.float32), np.empty(self._allowed, np.int8)
        )

    def deal(
        self, view: LearnerView, seed: Any = None, which: Flags | None = None, changes: dict[str, Any] | None = None
    ) -> None:
        """The next game at all tables, or at those named [B], with options of the game changed for it.

        A seed n is n for the first table, n + 1 for the second, and so on; a list has one or None for each. A table
        without a seed goes on with the games that follow from its last one.
        """
        setup = setup_with(self.game, self._options, changes) if changes else self._setup
        seeds = self._read_seeds(seed)
        rows = np.ones(self.rows, np.bool_) if which is None else which
        self._safely(self._seed_and_deal, seeds, rows, setup)
        self._code.view(self._states, self._tables, self.mode, *view)

    def _read_seeds(self, seed: Any) -> list[int | None]:
        if seed is None:
            return [None] * self.rows
        if isinstance(seed, list | tuple | np.ndarray):
            if len(seed) != self.rows:
                raise ValueError(f"seed has {len(seed)} entries: expected {self.rows}, one for each game")
            return [None if given is None else read_seed(given) for given in seed]
        first = read_seed(seed)
        return [read_seed(first + row) for row in range(self.rows)]

    def _seed_and_deal(self, seeds: list[int | None], which: Flags, setup: Any) -> None:
        for row in np.flatnonzero(which):
            given = seeds[row]
            if given is not None or not self._tables["seeded"][row]:
                origin = fresh_seed() if given is None else given
                self._tables["origin"][row], self._tables["key"][row] = origin, private_key(origin)
                self._tables["dealt"][row], self._tables["seeded"][row] = 0, True
        self._deal(which, setup)

    def _deal(self, which: Flags, setup: Any) -> None:
        while which.any():
            self._code.deal(self._states, self._tables, setup, which, self._learner, self._at_random)
            self._ask_opponents()
            which = which & self._tables["over"]  # again where a game ended before its learner was asked

    def step(self, actions: Any, view: LearnerView) -> Flags:
        """One action [B] for each table where a game is on; answers where one ended.

        An action that is not legal raises ValueError, and no game goes on.
        """
        chosen = self._read_actions(actions)
        ended = np.empty(self.rows, np.bool_)
        row = self.answer(chosen, ended, view)
        if row != NOBODY:
            raise ValueError(self.refusal(row, int(chosen[row])))
        return ended

    def answer(self, actions: npt.NDArray[np.int64], ended: Flags, view: LearnerView) -> int:
        """A step with arrays [B] of just these types; answers the row that is refused, or NOBODY."""
        if not self._waits:
            return self._code.step(*self._begin, actions, *self._middle, ended, *self._results, *view)
        row: int = self._safely(self._answer_and_wait, actions, ended)
        if row == NOBODY:
            self._code.view(self._states, self._tables, self.mode, *view)
        return row

    def _answer_and_wait(self, actions: Any, ended: Flags) -> int:
        """The same step in pieces, with opponents asked in between."""
        resting = self.over
        row = self._code.answer(self._states, self._tables, actions, self._at_random, self._scratch, ended)
        if row == NOBODY:
            self._ask_opponents()
            self._code.end(self._states, self._tables, *self._how, ended, *self._results)
            if self.mode != NEVER:
                self._deal(ended if self.mode == SAME_STEP else resting, self._setup)
        return row

    def _ask_opponents(self) -> None:
        """Let opponents answer, all tables that wait for the same one at once, until a learner is asked everywhere."""
        while (rows := np.flatnonzero(self._tables["waiting"] != NOBODY)).size:
            asked = [self._opponents[opponent] for opponent in self._tables["waiting"][rows]]
            name, agent = asked[0]
            rows = rows[[other is agent for _, other in asked]]
            seeds = [private_key(int(chance)) for chance in self._tables["chance"][rows]]
            views = Views(self.game, self._states, seeds, rows)
            actions = decide(agent, name, views)
            self._code.answer_for_opponents(self._states, self._tables, rows, actions, self._at_random)

    def _safely(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Do something in which opponents may fail: if one does, all games go back to what they were."""
        if not self._waits:
            return act(*arguments)
        before = copy_of(self._states), self._tables.copy()
        try:
            return act(*arguments)
        except BaseException:
            self._states[:], self._tables[:] = before
            raise

    def view(self, view: LearnerView) -> None:
        """See all tables again."""
        self._code.view(self._states, self._tables, self.mode, *view)

    def abandon(self, row: int) -> None:
        """End the game at a table as it stands."""
        self._tables["over"][row] = True

    def refusal(self, row: int, action: int) -> str:
        """Why an action cannot be taken."""
        names, ids = self.game.names(self._states[row]), self.game.ids(self._states[row])
        if not 0 <= action < len(names):
            return f"row {row}: action is {action}: expected a whole number from 0 to {len(names) - 1}"
        legal = ", ".join(f"{ids[name]} {name!r}" for name in self.legal_actions(row))
        return f"row {row}: action {action} ({names[action]!r}) is not legal: expected one of {legal}"

    def _read_actions(self, actions: Any) -> npt.NDArray[np.int64]:
        """One whole number for each table."""
        try:
            given = np.asarray(actions)
        except ValueError:  # rows of different lengths
            given = np.empty(0, object)
        if given.shape != (self.rows,):
            raise ValueError(f"actions have shape {given.shape}: expected ({self.rows},), one for each game")
        if given.dtype.kind not in "iu":
            raise ValueError(f"actions have dtype {given.dtype}: expected whole numbers")
        if given.dtype == np.uint64 and (given > np.uint64(2**62)).any():  # no action, and no int64 either
            row = int((given > np.uint64(2**62)).argmax())
            raise ValueError(self.refusal(row, int(given[row])))
        return np.ascontiguousarray(given, np.int64)


def _read_seat(seat: Any, players: int) -> int:
    if isinstance(seat, str) and seat == "random":
        return ANY_SEAT
    if isinstance(seat, bool) or not isinstance(seat, int | np.integer) or not 0 <= seat < players:
        raise ValueError(f"seat is {seat!r}: expected 0 to {players - 1}, or 'random'")
    return int(seat)
