"""Many tables at once, where learners hold some seats and opponents the others: the loops between two decisions.

B tables, P players. A table is a game and a `TABLE` record beside it: where its chance comes from, which seat learns,
and who is asked. Opponents that answer at random play here, in machine code; for any other the table waits.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import kernel, rule
from olb_env.core.game import State, States
from olb_env.core.rewards import write_rewards
from olb_env.core.rng import SEATS, advance, below, following_seed, stream
from olb_env.core.verbs import actor, apply, deal, legal, observe, random_action, returns

EVERY_SEAT, ANY_SEAT = -1, -2  # who learns: all seats, or one drawn for each game
NOBODY = -1
NEVER, NEXT_STEP, SAME_STEP = range(3)  # when a new game is dealt where one is over

TABLE = np.dtype(
    (
        np.record,
        np.dtype(
            [
                ("origin", "i8"),  # the seed that all games of this table follow from
                ("dealt", "i8"),  # games since then
                ("seed", "i8"),  # of the game that is played
                ("key", "u8"),  # where the opponents' chance comes from
                ("chance", "u8"),  # its state, for the opponent that is asked
                ("played", "i8"),  # decisions of anyone in all games
                ("learner", "i1"),  # a seat, or EVERY_SEAT
                ("waiting", "i1"),  # which opponent is asked, counted from the seat after the learner's, or NOBODY
                ("over", "?"),
                ("seeded", "?"),
            ]
        ),
    )
)


@rule
def settle(state: State, table: Any, at_random: Any) -> None:
    """Play while an opponent is asked that answers at random; `at_random` [P - 1] tells which do."""
    players = at_random.shape[0] + 1
    while True:
        seat = actor(state)
        table.over = seat < 0
        table.waiting = NOBODY
        if seat < 0 or table.learner == EVERY_SEAT or seat == table.learner:
            return
        table.chance = advance(table.chance)
        opponent = (seat - table.learner - 1 + players) % players
        if not at_random[opponent]:
            table.waiting = opponent
            return
        table.played += 1
        apply(state, random_action(state, table.chance))


@rule
def deal_next(state: State, table: Any, setup: Any, learner: int, at_random: Any) -> None:
    """The table's next game in which its learner is asked at all, as far as that is known without waiting."""
    while True:
        table.seed = table.origin if table.dealt == 0 else following_seed(table.origin, table.dealt)
        table.chance = stream(table.key, table.dealt)
        table.dealt += 1
        table.learner = learner
        if learner == ANY_SEAT:
            table.learner = below(stream(table.seed, SEATS), at_random.shape[0] + 1)
        deal(state, setup, table.seed)
        settle(state, table, at_random)
        if not table.over:
            return


@rule
def answer(state: State, table: Any, action: int, at_random: Any) -> None:
    """The action of whoever is asked, a legal one."""
    table.played += 1
    apply(state, action)
    settle(state, table, at_random)


@rule
def end(state: State, table: Any, kind: int, unit: float, rewards: Any, ranks: Any, scores: Any, last: Any) -> None:
    """How a game came out for its seats [P], and what its learner sees last [D]."""
    returns(state, ranks, scores)
    write_rewards(kind, unit, ranks, scores, rewards)
    if table.learner != EVERY_SEAT:
        observe(state, table.learner, last)


@rule
def view(state: State, table: Any, mode: int, observation: Any, mask: Any) -> int:
    """What who is asked sees, or who learned if the game is over; answers the seat.

    Where the next step deals anew and ignores the action, all are allowed.
    """
    seat = actor(state) if table.learner == EVERY_SEAT else int(table.learner)
    if seat < 0:
        observation[:] = 0
    else:
        observe(state, seat, observation)
    if table.over:
        mask[:] = mode == NEXT_STEP
    else:
        legal(state, mask)
    return seat


@rule
def refused_row(states: States, tables: Any, actions: Any, mask: Any) -> int:
    """The first table whose game is on and where its action [B] is not legal, or NOBODY; `mask` [A] is scratch."""
    for row in range(states.shape[0]):
        if not tables[row].over:
            legal(states[row], mask)
            if actions[row] < 0 or actions[row] >= mask.shape[0] or not mask[actions[row]]:
                return row
    return NOBODY


@kernel
def step_tables(
    states: States,
    tables: Any,
    setups: Any,
    actions: Any,
    learner: int,
    at_random: Any,
    mode: int,
    kind: int,
    unit: float,
    scratch: Any,
    ended: Any,
    rewards: Any,
    ranks: Any,
    scores: Any,
    last: Any,
    seats: Any,
    observations: Any,
    masks: Any,
) -> int:
    """A whole step where no opponent has to be waited for: answers the row that is refused, and then no game goes on.

    Takes `actions` [B]; writes where a game `ended` [B], `rewards` [B, P], for those that ended `ranks` and `scores`
    [B, P] and the `last` observation [B, D], then `seats` [B], `observations` [B, D] and `masks` [B, A].
    """
    refused = refused_row(states, tables, actions, scratch)
    if refused != NOBODY:
        return refused
    for row in range(states.shape[0]):
        state, table, setup = states[row], tables[row], setups[row % setups.shape[0]]
        rewards[row, :] = 0
        ended[row] = False
        if not table.over:
            answer(state, table, actions[row], at_random)
            if table.over:
                ended[row] = True
                end(state, table, kind, unit, rewards[row], ranks[row], scores[row], last[row])
                if mode == SAME_STEP:
                    deal_next(state, table, setup, learner, at_random)
        elif mode == NEXT_STEP:
            deal_next(state, table, setup, learner, at_random)
        seats[row] = view(state, table, mode, observations[row], masks[row])
    return NOBODY


# The same in pieces, for tables that wait for opponents in between.


@kernel
def answer_tables(states: States, tables: Any, actions: Any, at_random: Any, scratch: Any, live: Any) -> int:
    """The learners' actions [B] where a game is on, as `live` [B] tells; answers the row that is refused."""
    refused = refused_row(states, tables, actions, scratch)
    if refused != NOBODY:
        return refused
    for row in range(states.shape[0]):
        live[row] = not tables[row].over
        if live[row]:
            answer(states[row], tables[row], actions[row], at_random)
    return NOBODY


@kernel
def answer_for_opponents(states: States, tables: Any, rows: Any, actions: Any, at_random: Any) -> None:
    """The actions [N], legal ones, of opponents that the tables in `rows` [N] waited for."""
    for i in range(rows.shape[0]):
        answer(states[rows[i]], tables[rows[i]], actions[i], at_random)


@kernel
def end_tables(
    states: States, tables: Any, kind: int, unit: float, ended: Any, rewards: Any, ranks: Any, scores: Any, last: Any
) -> None:
    """What `step_tables` writes where games ended. `ended` [B] says where one was on, then where it is over."""
    for row in range(states.shape[0]):
        rewards[row, :] = 0
        ended[row] = ended[row] and tables[row].over
        if ended[row]:
            end(states[row], tables[row], kind, unit, rewards[row], ranks[row], scores[row], last[row])


@kernel
def deal_tables(states: States, tables: Any, setups: Any, which: Any, learner: int, at_random: Any) -> None:
    """The next game at every table that `which` [B] names."""
    for row in range(states.shape[0]):
        if which[row]:
            deal_next(states[row], tables[row], setups[row % setups.shape[0]], learner, at_random)


@kernel
def view_tables(states: States, tables: Any, mode: int, seats: Any, observations: Any, masks: Any) -> None:
    """Seat [B], observation [B, D] and mask [B, A] at every table."""
    for row in range(states.shape[0]):
        seats[row] = view(states[row], tables[row], mode, observations[row], masks[row])
