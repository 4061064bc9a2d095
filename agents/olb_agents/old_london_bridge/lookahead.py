"""Inputs for networks that look ahead: how the round would go on, and the afterstate features of every action.

Everybody is assumed to play on in one style, quickly: tiles stay unused, and an inn brings the highest cards it can.
Nothing hidden is used. Of the buildings below the top of a stack, the middle one of those left is assumed to come next.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from olb_agents.inputs import score_input
from olb_agents.old_london_bridge.action_scores import best_follow_up, score_bids
from olb_agents.old_london_bridge.evaluation import (
    EXPECTED,
    FEATURES,
    MONEY,
    ROUND_END,
    TRIAL,
    describe,
    evaluate_position,
    evaluate_seats,
    final_ledger,
    weight_now,
)
from olb_agents.scratch import Scratch
from olb_env.core.bits import bit, first_of
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    KINDS,
    MAX_PLAYERS,
    MAX_TURNS,
    PICKS,
    PILES,
    PLAYERS,
    ROUNDS,
    STACK_SIZE,
    TILES,
)
from olb_env.old_london_bridge.dealing import sort
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.notation import ACTIONS, DONE, HIRE_CARD, PLAY_CARD, TO_CENTRE, TO_RONDEL
from olb_env.old_london_bridge.rules import advance, apply, reveal, visit
from olb_env.old_london_bridge.state import BONUS, HIRE, OVER, PLACE, PLAY, REPLACE

K: Final = len(KINDS)
BUILDING_VALUE_UNIT: Final = 8.0
# Keys of `value_cache`, by what a seat has taken since the decision: no building, one building (numbered from
# ONE_BUILDING on, by its stack and its place there), or anything else, which is not cached.
NO_BUILDING, ONE_BUILDING = 0, 1
NOT_CACHED: Final = -1
NUM_CACHE_KEYS: Final = ONE_BUILDING + K * MAX_TURNS
# Where an action leads: the features of the position at the end of the round, those of the seat and the mean of the
# others', as they differ from action to action.
AFTERSTATES: Final = (*FEATURES, *(f"others' {name}" for name in FEATURES))
AFTERSTATE_UNITS: Final = np.array([8, 8, 8, 4, 2, 2, 1, 1, 1, 4, 2, 4, 2, 4, 2, 6, 1, 6, 4] * 2, np.float64)


@jitable
def write_building_values(game: State, seat: int, style_weights: Any, scratch: Scratch, values: Any, out: Any) -> None:
    """Write how much the top of each stack [K] would improve the position of a seat, wherever it may go.

    `values` [K] gets the value of that position. It overwrites features and the games TRIAL, FOLLOW_UP and ENDED.
    """
    weights = style_weights[int(game.players) - PLAYERS[0]]
    now = evaluate_position(game, seat, weights, scratch)
    for kind in range(K):
        if game.table.stack_left[kind] > 0:
            values[kind] = _value_after_turn(game, seat, kind, weights, scratch)
            out[kind] = (values[kind] - now) / BUILDING_VALUE_UNIT


@jitable
def _value_after_turn(game: State, seat: int, kind: int, weights: Any, scratch: Scratch) -> float:
    """Return the value of the position after a seat takes the top of a stack as if it had the first turn of a round."""
    scratch.games[TRIAL] = game
    guess = scratch.games[TRIAL]
    guess.phase, guess.actor, guess.turn = PLACE, seat, 0
    for turn in range(2):  # the next seat has the second one
        guess.turn_seat[turn] = (seat + turn) % guess.players
        guess.turn_card[turn] = 0
        guess.seats[guess.turn_seat[turn]].card[0] = 1
    visit(guess, CENTRE, kind)
    if guess.phase == REPLACE or guess.phase == HIRE or guess.phase == BONUS:
        advance(guess)
        if guess.actor == seat:
            _decide_follow_ups_quickly(guess, weights, scratch)
    return evaluate_position(guess, seat, weights, scratch)


@jitable
def write_round_end_scores(
    game: State, seat: int, style_weights: Any, scratch: Scratch, value_cache: Any, out: Any, afterstates: Any
) -> None:
    """Write how far ahead the seat would be at the end of the round after each action [A]: 1 the best, others less.

    If `afterstates` [A, F] has a width, write the features of the position that it would be in then.
    `value_cache` is explained at `_choose_place`.
    """
    players = int(game.players)
    weights, now = style_weights[players - PLAYERS[0]], int(game.round_number)
    picks = np.zeros((MAX_PLAYERS, 2), np.int64)
    card_scores = np.zeros(CARD_VALUES)
    cache_keys = np.zeros(MAX_PLAYERS, np.int64)  # of each seat, in `value_cache`
    scratch.games[EXPECTED] = game
    expected = scratch.games[EXPECTED]
    _fill_in_expected(expected)
    if game.phase == PLAY:
        _predict_picks(expected, seat, weights, scratch, picks, card_scores)
    best = -1e300
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            scratch.games[ROUND_END] = scratch.games[EXPECTED]
            end = scratch.games[ROUND_END]
            cache_keys[:] = NO_BUILDING
            if game.phase == PLAY:
                _reveal_all(end, seat, action - PLAY_CARD, picks, card_scores)
            else:
                if game.phase == PLACE and TO_RONDEL <= action < TO_CENTRE + K:
                    cache_keys[seat] = ONE_BUILDING + (action - TO_RONDEL) % K * MAX_TURNS
                elif game.phase >= PLACE:
                    cache_keys[seat] = NOT_CACHED
                apply(end, action)
            _play_round_quickly(end, now, weights, scratch, value_cache, cache_keys)
            out[action] = _lead(end, seat, weights, scratch)
            if afterstates.shape[1] > 0:
                _write_afterstate(end, seat, scratch, afterstates[action])
            best = max(best, float(out[action]))
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            out[action] = score_input(out[action], best)
    if afterstates.shape[1] > 0:
        _subtract_means(game, afterstates)


@jitable
def _write_afterstate(game: State, seat: int, scratch: Scratch, out: Any) -> None:
    """Write the features [F] of a position for a seat, and their mean for the others."""
    ledger, features = final_ledger(game, scratch), scratch.features
    count = len(FEATURES)
    for other in range(int(game.players)):
        describe(game, other, ledger, features)
        for i in range(count):
            if other == seat:
                out[i] = features[i] / AFTERSTATE_UNITS[i]
            else:
                out[count + i] += features[i] / AFTERSTATE_UNITS[i] / (game.players - 1)


@jitable
def _subtract_means(game: State, afterstates: Any) -> None:
    """Subtract from each feature its mean over all legal actions: what all have in common decides nothing."""
    for i in range(afterstates.shape[1]):
        total, count = 0.0, 0
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0:
                total += afterstates[action, i]
                count += 1
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0:
                afterstates[action, i] -= total / count


@jitable
def _lead(game: State, seat: int, weights: Any, scratch: Scratch) -> float:
    """Return how many pounds a seat is ahead of the best of the others by a style.

    It overwrites features, values and the game ENDED.
    """
    evaluate_seats(game, weights, scratch)
    others = -1e300
    for other in range(int(game.players)):
        if other != seat:
            others = max(others, scratch.values[other])
    return float(scratch.values[seat] - others)


@jitable
def _fill_in_expected(game: State) -> None:
    """Replace what is hidden with what is expected: in each stack, the middle building comes next."""
    for kind in range(K):
        first = STACK_SIZE - int(game.table.stack_left[kind]) + 1
        if first < STACK_SIZE:
            stack = game.hidden.stack[kind]
            sort(stack, first, STACK_SIZE)
            middle = (first + STACK_SIZE) // 2
            held = stack[middle]
            stack[middle] = stack[first]
            stack[first] = held
    for pile in range(PILES):
        sort(game.hidden.pile[pile], len(TILES) - int(game.table.pile_left[pile]) + 1, len(TILES))
    for i in range(int(game.round_number), ROUNDS[int(game.players)]):
        game.hidden.marker[i] = 1


@jitable
def _predict_picks(game: State, seat: int, weights: Any, scratch: Scratch, picks: Any, card_scores: Any) -> None:
    """Write what the others would pick [P, 2], as 1 + the value of the card, and the scores of the seat's own cards."""
    scratch.games[ROUND_END] = game
    guess = scratch.games[ROUND_END]
    for other in range(int(game.players)):
        if other == seat:
            score_bids(game, seat, weights, scratch)
            for value in range(CARD_VALUES):
                card_scores[value] = scratch.scores[PLAY_CARD + value]
            continue
        for any_seat in range(int(game.players)):
            for i in range(PICKS[int(game.players)]):
                guess.seats[any_seat].pick[i] = 1 if any_seat != other else 0
        guess.actor = other
        guess.turn = guess.seats[other].standing
        for i in range(PICKS[int(game.players)]):
            guess.legal = legal_set(guess)
            score_bids(guess, other, weights, scratch)
            best = -1
            for value in range(CARD_VALUES):
                legal = guess.legal & bit(PLAY_CARD + value) != 0
                if legal and (best < 0 or scratch.scores[PLAY_CARD + value] > scratch.scores[PLAY_CARD + best]):
                    best = value
            guess.seats[other].pick[i] = best + 1
            picks[other, i] = best + 1


@jitable
def _reveal_all(game: State, seat: int, value: int, picks: Any, card_scores: Any) -> None:
    """Reveal all cards: of `seat` the one of this value, with two players also a second one, and the others' picks.

    The second card is the one picked before, if any, else the best of the rest.
    """
    for other in range(int(game.players)):
        if other != seat:
            for i in range(2):
                game.seats[other].pick[i] = picks[other, i]
    player = game.seats[seat]
    if player.pick[0] > 0:
        player.pick[1] = value + 1
    else:
        player.pick[0] = value + 1
        if PICKS[int(game.players)] == 2:
            best = -1
            for second in range(CARD_VALUES):
                held = player.hand[second] - (1 if second == value else 0)
                if held > 0 and (best < 0 or card_scores[second] > card_scores[best]):
                    best = second
            player.pick[1] = best + 1
    reveal(game)
    advance(game)


@jitable
def _play_round_quickly(
    game: State, now: int, weights: Any, scratch: Scratch, value_cache: Any, cache_keys: Any
) -> None:
    """Let everybody play round `now` to its end; it overwrites features and the games TRIAL, FOLLOW_UP and ENDED."""
    while game.phase != OVER and game.round_number == now:
        if game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS:
            _decide_follow_ups_quickly(game, weights, scratch)
        elif game.phase == PLACE:
            apply(game, _choose_place(game, weights, scratch, value_cache, cache_keys))
        else:
            apply(game, DONE)


@jitable
def _choose_place(game: State, weights: Any, scratch: Scratch, value_cache: Any, cache_keys: Any) -> int:
    """Return the place where the pawn of the acting seat does best, and update the cache key of that seat.

    `value_cache` [P, NUM_CACHE_KEYS, K, buildings of the stack gone since] caches the value of each building to a seat
    that has taken none or one since the decision; NaN where it is not computed yet. All actions of a decision share it,
    since it hardly depends on what others do meanwhile.
    """
    seat = int(game.actor)
    key = cache_keys[seat]
    pound = weight_now(weights, MONEY, game.table.rounds_left / ROUNDS[int(game.players)])
    best, highest, chosen_key = -1, 0.0, 0
    for kind in range(K):
        outer = game.legal & bit(TO_RONDEL + kind) != 0
        if outer or game.legal & bit(TO_CENTRE + kind) != 0:
            gone = int(scratch.games[EXPECTED].table.stack_left[kind]) - int(game.table.stack_left[kind])
            if key == NOT_CACHED:
                value = _value_after_turn(game, seat, kind, weights, scratch)
            else:
                if math.isnan(value_cache[seat, key, kind, gone]):
                    value_cache[seat, key, kind, gone] = _value_after_turn(game, seat, kind, weights, scratch)
                value = value_cache[seat, key, kind, gone]
            value += pound * (game.table.coin[kind] if outer else -CENTRE_COST)
            if best < 0 or value > highest:
                best, highest = TO_RONDEL + kind if outer else TO_CENTRE + kind, value
                chosen_key = ONE_BUILDING + kind * MAX_TURNS + gone
    if best < 0:
        return DONE if game.legal & bit(DONE) != 0 else first_of(game.legal)
    cache_keys[seat] = chosen_key if key == NO_BUILDING else NOT_CACHED
    return best


@jitable
def _decide_follow_ups_quickly(game: State, weights: Any, scratch: Scratch) -> None:
    """Make the decisions that follow from the building a seat took.

    It overwrites features and the games FOLLOW_UP and ENDED.
    """
    seat = int(game.actor)
    while game.actor == seat and (game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS):
        action = first_of(game.legal)
        if game.phase == HIRE:
            for card in range(1, CARD_VALUES):
                if game.legal & bit(HIRE_CARD + card) != 0:
                    action = HIRE_CARD + card
        elif game.phase == REPLACE:
            action = best_follow_up(game, seat, weights, scratch)
        apply(game, action)
