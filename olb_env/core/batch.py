"""Many games at once: loops over an array of states, compiled for the game they are given.

B games, A actions, D entries of an observation. Rows never touch each other: what happens to a game depends on
its own state, action and seed only. Arrays must have the shapes named here: machine code does not check them.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import kernel
from olb_env.core.game import States
from olb_env.core.rng import advance, below, stream
from olb_env.core.verbs import actor, apply, deal, legal, observe, random_action, resample, returns

ILLEGAL = -2


@kernel
def deal_rows(states: States, setups: Any, seeds: Any) -> None:
    """Deal every game [B]; one setup for all, or one for each."""
    for row in range(states.shape[0]):
        deal(states[row], setups[row % setups.shape[0]], seeds[row])


@kernel
def write_masks(states: States, masks: Any) -> None:
    """The legal actions of every game's actor, masks [B, A]."""
    for row in range(states.shape[0]):
        legal(states[row], masks[row])


@kernel
def write_views(states: States, observations: Any, masks: Any) -> None:
    """Observation [B, D] and mask [B, A] of every game's actor; zeros when the game is over."""
    for row in range(states.shape[0]):
        seat = actor(states[row])
        if seat < 0:
            observations[row, :] = 0
        else:
            observe(states[row], seat, observations[row])
        legal(states[row], masks[row])


@kernel
def observe_rows(states: States, seats: Any, observations: Any) -> None:
    """What one seat of every game sees, seats [B]."""
    for row in range(states.shape[0]):
        observe(states[row], seats[row], observations[row])


@kernel
def apply_rows(states: States, actions: Any, done: Any) -> None:
    """One action in every game; `done` [B] tells where it was legal. The others stay as they were."""
    for row in range(states.shape[0]):
        done[row] = apply(states[row], actions[row])


@kernel
def actor_rows(states: States, seats: Any) -> None:
    """Who decides in every game, -1 where it is over."""
    for row in range(states.shape[0]):
        seats[row] = actor(states[row])


@kernel
def resample_rows(states: States, seats: Any, seeds: Any) -> None:
    """Redraw in every game what one of its seats does not know."""
    for row in range(states.shape[0]):
        resample(states[row], seats[row], seeds[row])


@kernel
def take_rows(states: States, rows: Any, out: States) -> None:
    """Copies of some games [N], those of the rows named."""
    for i in range(rows.shape[0]):
        out[i] = states[rows[i]]


@kernel
def draw_seeds(keys: Any, numbers: Any, seeds: Any) -> None:
    """A seed [N] for each decision: that of its number under the key of whoever decides."""
    for i in range(keys.shape[0]):
        seeds[i] = stream(keys[i], numbers[i])


@kernel
def choose_at_random(masks: Any, seeds: Any, actions: Any) -> None:
    """Any legal action [N] of each mask [N, A]."""
    for i in range(masks.shape[0]):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        left = below(seeds[i], count)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    actions[i] = action
                    break
                left -= 1


@kernel
def return_rows(states: States, ranks: Any, scores: Any) -> None:
    """Ranks and scores [B, seats] of finished games."""
    for row in range(states.shape[0]):
        returns(states[row], ranks[row], scores[row])


@kernel
def actor_one(states: States) -> int:
    """Who decides in the one game [1], -1 when it is over."""
    return actor(states[0])


@kernel
def apply_one(states: States, action: int) -> int:
    """One action in the one game [1]; answers who decides next, or ILLEGAL, and then nothing has changed."""
    return actor(states[0]) if apply(states[0], action) else ILLEGAL


@kernel
def view_one(states: States, seat: int, observation: Any, mask: Any) -> None:
    """What a seat of the one game [1] sees; its mask is empty unless it is asked."""
    observe(states[0], seat, observation)
    if actor(states[0]) == seat:
        legal(states[0], mask)
    else:
        mask[:] = 0


@kernel
def replay_row(state: States, actions: Any, seats: Any, masks: Any) -> int:
    """Apply a list of actions to one game [1], noting each actor and mask; answers how many were legal."""
    for i in range(actions.shape[0]):
        seats[i] = actor(state[0])
        legal(state[0], masks[i])
        if not apply(state[0], actions[i]):
            return i
    return int(actions.shape[0])


@kernel
def play_random(
    states: States, setups: Any, seeds: Any, chances: Any, steps: int, observations: Any, masks: Any
) -> Any:
    """Random play, `steps` decisions in each game, a new deal after each end; answers (decisions, games ended).

    `seeds` [B] are those of the games on and become those of the next; `chances` [B] are states of streams that the
    choices are drawn from. With as many rows of `observations` and `masks` as there are games, those of the actor are
    written before each choice.
    """
    ended = 0
    watched = observations.shape[0] == states.shape[0]
    for _ in range(steps):
        for row in range(states.shape[0]):
            game = states[row]
            if watched:
                observe(game, actor(game), observations[row])
                legal(game, masks[row])
            chances[row] = advance(chances[row])
            apply(game, random_action(game, chances[row]))
            if actor(game) < 0:
                ended += 1
                seeds[row] += states.shape[0]
                deal(game, setups[row % setups.shape[0]], seeds[row])
    return steps * states.shape[0], ended
