"""The compiled loops that step many games from one decision of the learners to the next.

B tables, P players, A actions, D entries of an observation. Some seats of a table belong to learners, whose actions the
caller passes in, the others to opponents. Random opponents play inside these loops; for any other opponent a table
waits until the caller has asked its agent. Nothing here knows the rules of a game, checks what users pass in, or calls
agents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from olb_env.core.compiling import jitable, kernel
from olb_env.core.game import Game, State, States
from olb_env.core.rewards import write_rewards
from olb_env.core.rng import SEATS, below, following_seed, next_rng_state, stream
from olb_env.core.verbs import actor, apply, deal, legal, observe, random_action, returns

EVERY_SEAT, RANDOM_SEAT = -1, -2  # instead of the learner's seat: all seats learn, or one is drawn for each game
NOBODY = -1  # instead of an opponent
NO_ROW = -1  # instead of a table
DISABLED, NEXT_STEP, SAME_STEP = range(3)  # when the next game is dealt, as in Gymnasium's AutoresetMode

TABLE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("base_seed", "i8"),  # the seeds of all games at this table follow from it
                ("games_dealt", "i8"),  # since the base seed was set
                ("seed", "i8"),  # of the current game
                ("opponents_key", "u8"),  # the random streams of the opponents follow from it
                ("rng_state", "u8"),  # of the opponent to act
                ("decisions", "i8"),  # of all seats in all games
                ("learner", "i1"),  # a seat, or EVERY_SEAT
                ("waiting_for", "i1"),  # the opponent to act, counted from the seat after the learner's, or NOBODY
                ("game_over", "?"),
                ("seeded", "?"),  # whether the base seed was ever set
            ]
        ),
    )
)


class Batch(NamedTuple):
    """The games at all tables."""

    states: States  # [B]
    tables: npt.NDArray[Any]  # [B] records of TABLE
    setups: npt.NDArray[Any]  # one for all tables [1], or one for each [B]


class StepOptions(NamedTuple):
    """What stays the same in every step."""

    learner: int  # a seat, EVERY_SEAT or RANDOM_SEAT
    random_opponents: npt.NDArray[np.bool_]  # [P - 1] which opponents are random; the first sits after the learner
    num_actions: int  # A
    autoreset: int  # DISABLED, NEXT_STEP or SAME_STEP
    reward_kind: int
    reward_unit: float


class Results(NamedTuple):
    """The outcome of a step. Ranks, scores and last observations are those of the last game that ended at a table."""

    ended: npt.NDArray[np.bool_]  # [B] where a game ended in this step
    rewards: npt.NDArray[np.float64]  # [B, P] of this step
    ranks: npt.NDArray[np.int64]  # [B, P]
    scores: npt.NDArray[np.float64]  # [B, P]
    last_observations: npt.NDArray[np.float32]  # [B, D] what the learner saw after the end

    @classmethod
    def zeros(cls, game: Game, num_envs: int, num_players: int) -> Results:
        """Return the results before the first step."""
        return cls(
            np.zeros(num_envs, np.bool_),
            np.zeros((num_envs, num_players)),
            np.zeros((num_envs, num_players), np.int64),
            np.zeros((num_envs, num_players)),
            np.zeros((num_envs, game.observation.size), np.float32),
        )


class LearnerView(NamedTuple):
    """What the learner to act sees at each table, or the learner of a game that is over."""

    seats: npt.NDArray[np.int64]  # [B]
    observations: npt.NDArray[np.float32]  # [B, D]
    masks: npt.NDArray[np.int8]  # [B, A]

    @classmethod
    def zeros(cls, game: Game, num_envs: int) -> LearnerView:
        """Return the view before the first deal."""
        return cls(
            np.zeros(num_envs, np.int64),
            np.zeros((num_envs, game.observation.size), np.float32),
            np.zeros((num_envs, len(game.actions)), np.int8),
        )


@jitable
def play_random_opponents(state: State, table: Any, options: StepOptions) -> None:
    """Let random opponents act until a learner or another opponent is to act, or the game is over."""
    players = options.random_opponents.shape[0] + 1
    while True:
        seat = actor(state)
        table.game_over = seat < 0
        table.waiting_for = NOBODY
        if seat < 0 or table.learner == EVERY_SEAT or seat == table.learner:
            return
        table.rng_state = next_rng_state(table.rng_state)
        opponent = (seat - table.learner - 1 + players) % players
        if not options.random_opponents[opponent]:
            table.waiting_for = opponent
            return
        table.decisions += 1
        apply(state, random_action(state, table.rng_state))


@jitable
def deal_next_game(state: State, table: Any, setup: Any, options: StepOptions) -> None:
    """Deal the table's next game; deal again while random opponents end it before the learner has acted."""
    while True:
        if table.games_dealt == 0:
            table.seed = table.base_seed
        else:
            table.seed = following_seed(table.base_seed, table.games_dealt)
        table.rng_state = stream(table.opponents_key, table.games_dealt)
        table.games_dealt += 1
        table.learner = options.learner
        if options.learner == RANDOM_SEAT:
            table.learner = below(stream(table.seed, SEATS), options.random_opponents.shape[0] + 1)
        deal(state, setup, table.seed)
        play_random_opponents(state, table, options)
        if not table.game_over:
            return


@jitable
def act(state: State, table: Any, action: int, options: StepOptions) -> None:
    """Take a legal action of the seat to act, then let random opponents act."""
    table.decisions += 1
    apply(state, action)
    play_random_opponents(state, table, options)


@jitable
def write_result(state: State, table: Any, row: int, options: StepOptions, results: Results) -> None:
    """Write the result of a game that ended in this step."""
    results.ended[row] = True
    returns(state, results.ranks[row], results.scores[row])
    write_rewards(
        options.reward_kind, options.reward_unit, results.ranks[row], results.scores[row], results.rewards[row]
    )
    if table.learner != EVERY_SEAT:
        observe(state, table.learner, results.last_observations[row])


@jitable
def write_learner_view(state: State, table: Any, row: int, options: StepOptions, view: LearnerView) -> None:
    """Write what the learner sees. Where the next step will ignore its action and deal, the mask allows all."""
    seat = actor(state) if table.learner == EVERY_SEAT else int(table.learner)
    view.seats[row] = seat
    if seat < 0:
        view.observations[row, :] = 0
    else:
        observe(state, seat, view.observations[row])
    if table.game_over:
        view.masks[row, :] = options.autoreset == NEXT_STEP
    else:
        legal(state, view.masks[row])


@jitable
def first_illegal_row(batch: Batch, actions: Any, options: StepOptions) -> int:
    """Return the first table with a game in progress where the action [B] is not legal, or NO_ROW."""
    mask = np.empty(options.num_actions, np.int8)
    for row in range(batch.states.shape[0]):
        if not batch.tables[row].game_over:
            legal(batch.states[row], mask)
            if actions[row] < 0 or actions[row] >= options.num_actions or not mask[actions[row]]:
                return row
    return NO_ROW


@kernel
def step_games(batch: Batch, actions: Any, options: StepOptions, results: Results, view: LearnerView) -> int:
    """Play a whole step with the learners' actions [B], where all opponents are random.

    Return NO_ROW, or the first row whose action is not legal; then nothing has changed.
    """
    illegal = first_illegal_row(batch, actions, options)
    if illegal != NO_ROW:
        return illegal
    for row in range(batch.states.shape[0]):
        state, table, setup = batch.states[row], batch.tables[row], batch.setups[row % batch.setups.shape[0]]
        results.ended[row] = False
        results.rewards[row, :] = 0
        if not table.game_over:
            act(state, table, actions[row], options)
            if table.game_over:
                write_result(state, table, row, options, results)
                if options.autoreset == SAME_STEP:
                    deal_next_game(state, table, setup, options)
        elif options.autoreset == NEXT_STEP:
            deal_next_game(state, table, setup, options)
        write_learner_view(state, table, row, options, view)
    return NO_ROW


# The parts of a step, for tables where the caller asks agents in between.


@kernel
def take_learner_actions(batch: Batch, actions: Any, options: StepOptions) -> int:
    """Take the learners' actions [B] at the tables with a game in progress.

    Return NO_ROW, or the first row whose action is not legal; then nothing has changed.
    """
    illegal = first_illegal_row(batch, actions, options)
    if illegal != NO_ROW:
        return illegal
    for row in range(batch.states.shape[0]):
        if not batch.tables[row].game_over:
            act(batch.states[row], batch.tables[row], actions[row], options)
    return NO_ROW


@kernel
def take_opponent_actions(batch: Batch, rows: Any, actions: Any, options: StepOptions) -> None:
    """Take the legal actions [N] of the opponents that the tables in `rows` [N] wait for."""
    for i in range(rows.shape[0]):
        act(batch.states[rows[i]], batch.tables[rows[i]], actions[i], options)


@kernel
def write_results(batch: Batch, in_progress: Any, options: StepOptions, results: Results) -> None:
    """Write the results of the step; `in_progress` [B] says where there was a game before it."""
    for row in range(batch.states.shape[0]):
        results.ended[row] = False
        results.rewards[row, :] = 0
        if in_progress[row] and batch.tables[row].game_over:
            write_result(batch.states[row], batch.tables[row], row, options, results)


@kernel
def deal_next_games(batch: Batch, which: Any, options: StepOptions) -> None:
    """Deal the next game at the tables that `which` [B] selects."""
    for row in range(batch.states.shape[0]):
        if which[row]:
            deal_next_game(batch.states[row], batch.tables[row], batch.setups[row % batch.setups.shape[0]], options)


@kernel
def write_learner_views(batch: Batch, options: StepOptions, view: LearnerView) -> None:
    """Write what the learner sees at every table."""
    for row in range(batch.states.shape[0]):
        write_learner_view(batch.states[row], batch.tables[row], row, options, view)
