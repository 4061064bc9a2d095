"""Many games at once: loops over an array of states, compiled for each game.

B games, P players, A actions, D entries of an observation. Rows are independent: what happens to a game depends only on
its own state, action and seed. Arrays must have the shapes given here, since machine code does not check them.
"""

from __future__ import annotations

from typing import Any

from olb_env.core.compiling import kernel
from olb_env.core.game import States
from olb_env.core.rng import below, next_rng_state, stream
from olb_env.core.verbs import actor, apply, deal, legal, observe, possible, random_action, resample, returns, secret

ILLEGAL = -2


@kernel
def deal_rows(states: States, setups: Any, seeds: Any) -> None:
    """Deal every game from its seed [B], with one setup for all games [1] or one for each [B]."""
    for row in range(states.shape[0]):
        deal(states[row], setups[row % setups.shape[0]], seeds[row])


@kernel
def write_masks(states: States, masks: Any) -> None:
    """Write the legal actions [B, A] of the seat to act in every game."""
    for row in range(states.shape[0]):
        legal(states[row], masks[row])


@kernel
def write_views(states: States, observations: Any, masks: Any) -> None:
    """Write observation [B, D] and mask [B, A] of the seat to act in every game; zeros where it is over."""
    for row in range(states.shape[0]):
        seat = actor(states[row])
        if seat < 0:
            observations[row, :] = 0
        else:
            observe(states[row], seat, observations[row])
        legal(states[row], masks[row])


@kernel
def observe_rows(states: States, seats: Any, observations: Any) -> None:
    """Write the observation [B, D] of one seat [B] in every game."""
    for row in range(states.shape[0]):
        observe(states[row], seats[row], observations[row])


@kernel
def apply_rows(states: States, actions: Any, applied: Any) -> None:
    """Apply one action [B] in every game; write into `applied` [B] whether it was legal. Other games do not change."""
    for row in range(states.shape[0]):
        applied[row] = apply(states[row], actions[row])


@kernel
def actor_rows(states: States, seats: Any) -> None:
    """Write the seat to act [B] in every game, -1 where it is over."""
    for row in range(states.shape[0]):
        seats[row] = actor(states[row])


@kernel
def write_secrecy(states: States, is_secret: Any) -> None:
    """Write whether the next action of every game [B] stays hidden until a reveal."""
    for row in range(states.shape[0]):
        is_secret[row] = secret(states[row]) > 0


@kernel
def resample_rows(states: States, seats: Any, seeds: Any) -> None:
    """Redraw what one seat [B] of every game may not know."""
    for row in range(states.shape[0]):
        resample(states[row], seats[row], seeds[row])


@kernel
def copy_rows(states: States, rows: Any, out: States) -> None:
    """Copy the games in some rows [N] to `out` [N]."""
    for i in range(rows.shape[0]):
        out[i] = states[rows[i]]


@kernel
def draw_seeds(keys: Any, numbers: Any, seeds: Any) -> None:
    """Write a seed [N] for each decision, from the key of its player and the number of the decision."""
    for i in range(keys.shape[0]):
        seeds[i] = stream(keys[i], numbers[i])


@kernel
def choose_at_random(masks: Any, seeds: Any, actions: Any) -> None:
    """Draw one of the legal actions of each mask [N, A], all equally likely; write the actions [N]."""
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
    """Write ranks and scores [B, P] of finished games."""
    for row in range(states.shape[0]):
        returns(states[row], ranks[row], scores[row])


@kernel
def first_impossible(states: States) -> int:
    """Return the number of the first state that could not have come from a game, or -1."""
    for row in range(states.shape[0]):
        if not possible(states[row]):
            return row
    return -1


@kernel
def actor_one(states: States) -> int:
    """Return the seat to act in a single game [1], -1 when it is over."""
    return actor(states[0])


@kernel
def apply_one(states: States, action: int) -> int:
    """Apply an action in a single game [1]; return the next seat to act, or ILLEGAL if nothing changed."""
    return actor(states[0]) if apply(states[0], action) else ILLEGAL


@kernel
def view_one(states: States, seat: int, observation: Any, mask: Any) -> None:
    """Write observation and mask of a seat in a single game [1]; the mask is empty unless it is to act."""
    observe(states[0], seat, observation)
    if actor(states[0]) == seat:
        legal(states[0], mask)
    else:
        mask[:] = 0


@kernel
def replay_row(state: States, actions: Any, seats: Any, masks: Any) -> int:
    """Apply actions [N] to a single game [1] up to the first illegal one; return how many were legal.

    Write the seat [N] and mask [N, A] of each decision.
    """
    for i in range(actions.shape[0]):
        seats[i] = actor(state[0])
        legal(state[0], masks[i])
        if not apply(state[0], actions[i]):
            return i
    return int(actions.shape[0])


@kernel
def play_random(
    states: States, setups: Any, seeds: Any, rng_states: Any, steps: int, observations: Any, masks: Any
) -> Any:
    """Play `steps` random decisions in each game, dealing a new game after each end; return (decisions, games ended).

    `seeds` [B] are those of the current games. `rng_states` [B] are the states of the random streams that actions are
    drawn from. Both are updated. If `observations` and `masks` have a row for each game, those of the seat to act are
    written before each decision.
    """
    ended = 0
    observed = observations.shape[0] == states.shape[0]
    for _ in range(steps):
        for row in range(states.shape[0]):
            game = states[row]
            if observed:
                observe(game, actor(game), observations[row])
                legal(game, masks[row])
            rng_states[row] = next_rng_state(rng_states[row])
            apply(game, random_action(game, rng_states[row]))
            if actor(game) < 0:
                ended += 1
                seeds[row] += states.shape[0]
                deal(game, setups[row % setups.shape[0]], seeds[row])
    return steps * states.shape[0], ended
