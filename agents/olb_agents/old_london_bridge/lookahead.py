"""How a round would go on, for networks: what each seat would give for each building, and where each answer leads.

Everybody is taken to play on in one style, quickly: tiles stay unused, an inn brings the highest cards it can. What
comes up below the top of a stack is taken to be the middle one of those that are left, so that nothing hidden is told.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from olb_agents.heuristics import ADVICE_UNIT, LEAST_ADVICE
from olb_agents.old_london_bridge.action_scores import weigh_bids, weight
from olb_agents.old_london_bridge.evaluation import FEATURES, MONEY, close, describe, judge, judge_all
from olb_env.core.bits import bit, first_of
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.old_london_bridge.components import (
    CARD_VALUES,
    CENTRE,
    CENTRE_COST,
    KINDS,
    MOST_PLAYERS,
    MOST_TURNS,
    PICKS,
    PILES,
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
GUESS, TRIAL, PLAYED, EXPECTED = 0, 1, 4, 5  # games of the scratch
WANTS_UNIT: Final = 8.0
NOTHING, BUILT = 0, 1  # what a seat has done since a question: with BUILT, which building of which stack
SINCE: Final = BUILT + K * MOST_TURNS  # how many such things there are
ELSE: Final = -1  # anything else
# Where an answer leads: the numbers of the position when the round is over, the own and the mean of the others', as
# they differ from answer to answer.
TRAITS: Final = (*FEATURES, *(f"others' {name}" for name in FEATURES))
TRAIT_UNITS: Final = np.array([8, 8, 8, 4, 2, 2, 1, 1, 1, 4, 2, 4, 2, 4, 2, 6, 1, 6, 4] * 2, np.float64)


@rule
def write_wants(game: State, seat: int, style: Any, scratch: Any, described: Any, worth: Any, out: Any) -> None:
    """What a style would give in a seat's place for the top of each stack [K]; how to get there is another matter.

    How good it would be to have it, which is more than what one would give for it, is left in `worth` [K].
    """
    own = style[int(game.players) - 2]
    now = judge(game, seat, own, scratch[3:], described)
    for kind in range(K):
        if game.table.stack_left[kind] > 0:
            worth[kind] = _imagine_turn(game, seat, kind, own, scratch, described)
            out[kind] = (worth[kind] - now) / WANTS_UNIT


@rule
def _imagine_turn(game: State, seat: int, kind: int, own: Any, scratch: Any, described: Any) -> float:
    """How good it is for a seat to have the top of a stack, in the first turn of a round."""
    scratch[GUESS] = game
    guess = scratch[GUESS]
    guess.phase, guess.actor, guess.turn = PLACE, seat, 0
    for turn in range(2):  # the next seat has the second one
        guess.turn_seat[turn] = (seat + turn) % guess.players
        guess.turn_card[turn] = 0
        guess.seats[guess.turn_seat[turn]].card[0] = 1
    visit(guess, CENTRE, kind)
    if guess.phase == REPLACE or guess.phase == HIRE or guess.phase == BONUS:
        advance(guess)
        if guess.actor == seat:
            _settle(guess, own, scratch, described)
    return judge(guess, seat, own, scratch[3:], described)


@rule
def write_outlook(
    game: State, seat: int, style: Any, scratch: Any, numbers: Any, worth: Any, out: Any, traits: Any
) -> None:
    """How far ahead the seat would be at the end of the round after each answer [A]: 1 the best, others less.

    If there is room for it, `traits` [A, T] describes the position that it would be in then.
    """
    players = int(game.players)
    own, now = style[players - 2], int(game.round_number)
    picks = np.zeros((MOST_PLAYERS, 2), np.int64)
    since = np.zeros(MOST_PLAYERS, np.int64)  # what each seat has done since the question
    scratch[EXPECTED] = game
    expected = scratch[EXPECTED]
    _expect(expected)
    if game.phase == PLAY:
        _guess_picks(expected, seat, own, scratch, numbers, picks)
    best = -1e300
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            scratch[PLAYED] = scratch[EXPECTED]
            end = scratch[PLAYED]
            since[:] = NOTHING
            if game.phase == PLAY:
                _reveal_all(end, seat, action - PLAY_CARD, picks, numbers[3])
            else:
                if game.phase == PLACE and TO_RONDEL <= action < TO_CENTRE + K:
                    since[seat] = BUILT + (action - TO_RONDEL) % K * MOST_TURNS
                elif game.phase >= PLACE:
                    since[seat] = ELSE
                apply(end, action)
            _rush_round(end, now, own, scratch, numbers[1], worth, since)
            out[action] = _lead(end, seat, own, scratch, numbers)
            if traits.shape[1] > 0:
                _write_traits(end, seat, scratch, numbers[1], traits[action])
            best = max(best, float(out[action]))
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            out[action] = LEAST_ADVICE + (1 - LEAST_ADVICE) * math.exp((out[action] - best) / ADVICE_UNIT)
    if traits.shape[1] > 0:
        _keep_differences(game, traits)


@rule
def _write_traits(game: State, seat: int, scratch: Any, described: Any, out: Any) -> None:
    """What a position is like for a seat, and on average for the others."""
    ledger = close(game, scratch[3])
    count = len(FEATURES)
    for other in range(int(game.players)):
        describe(game, other, ledger, described)
        for i in range(count):
            if other == seat:
                out[i] = described[i] / TRAIT_UNITS[i]
            else:
                out[count + i] += described[i] / TRAIT_UNITS[i] / (game.players - 1)


@rule
def _keep_differences(game: State, traits: Any) -> None:
    """What is the same after every answer tells nothing: take away the mean."""
    for i in range(traits.shape[1]):
        total, count = 0.0, 0
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0:
                total += traits[action, i]
                count += 1
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0:
                traits[action, i] -= total / count


@rule
def _lead(game: State, seat: int, own: Any, scratch: Any, numbers: Any) -> float:
    """How many pounds a seat is ahead of the best other, as a style sees it; `numbers` are scratch."""
    judge_all(game, own, scratch[3:], numbers[1], numbers[2])
    others = -1e300
    for other in range(int(game.players)):
        if other != seat:
            others = max(others, numbers[2, other])
    return float(numbers[2, seat] - others)


@rule
def _expect(game: State) -> None:
    """Put in place of what is hidden what is to be expected: of each stack the middle one comes next."""
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


@rule
def _guess_picks(game: State, seat: int, own: Any, scratch: Any, numbers: Any, picks: Any) -> None:
    """What the others would pick, into `picks` [P, 2]; what its own cards are worth to a seat, into `numbers[3]`."""
    scratch[PLAYED] = game
    guess = scratch[PLAYED]
    for other in range(int(game.players)):
        if other == seat:
            weigh_bids(game, seat, own, scratch, numbers)
            for value in range(CARD_VALUES):
                numbers[3, value] = numbers[0, PLAY_CARD + value]
            continue
        for any_seat in range(int(game.players)):
            for i in range(PICKS[int(game.players)]):
                guess.seats[any_seat].pick[i] = 1 if any_seat != other else 0
        guess.actor = other
        guess.turn = guess.seats[other].standing
        for i in range(PICKS[int(game.players)]):
            guess.legal = legal_set(guess)
            weigh_bids(guess, other, own, scratch, numbers)
            best = -1
            for value in range(CARD_VALUES):
                legal = guess.legal & bit(PLAY_CARD + value) != 0
                if legal and (best < 0 or numbers[0, PLAY_CARD + value] > numbers[0, PLAY_CARD + best]):
                    best = value
            guess.seats[other].pick[i] = best + 1
            picks[other, i] = best + 1


@rule
def _reveal_all(game: State, seat: int, value: int, picks: Any, worth: Any) -> None:
    """All cards are shown: one of a seat's own, with two players its best other one or the one before, and the rest."""
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
                if held > 0 and (best < 0 or worth[second] > worth[best]):
                    best = second
            player.pick[1] = best + 1
    reveal(game)
    advance(game)


@rule
def _rush_round(game: State, now: int, own: Any, scratch: Any, described: Any, worth: Any, since: Any) -> None:
    """Let everybody play round `now` to its end."""
    while game.phase != OVER and game.round_number == now:
        if game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS:
            _settle(game, own, scratch, described)
        elif game.phase == PLACE:
            apply(game, _choose_place(game, own, scratch, described, worth, since))
        else:
            apply(game, DONE)


@rule
def _choose_place(game: State, own: Any, scratch: Any, described: Any, worth: Any, since: Any) -> int:
    """Where the pawn does best.

    What buildings are worth to a seat that has built nothing since the question, or one building, is found out once for
    all answers, and stays in `worth` [P, since, K, how many are gone]: it hardly depends on what others do meanwhile.
    """
    seat = int(game.actor)
    done = since[seat]
    pound = weight(own, MONEY, game.table.rounds_left / ROUNDS[int(game.players)])
    best, most, chosen = -1, 0.0, 0
    for kind in range(K):
        outer = game.legal & bit(TO_RONDEL + kind) != 0
        if outer or game.legal & bit(TO_CENTRE + kind) != 0:
            gone = int(scratch[EXPECTED].table.stack_left[kind]) - int(game.table.stack_left[kind])
            if done == ELSE:
                value = _imagine_turn(game, seat, kind, own, scratch, described)
            else:
                if math.isnan(worth[seat, done, kind, gone]):
                    worth[seat, done, kind, gone] = _imagine_turn(game, seat, kind, own, scratch, described)
                value = worth[seat, done, kind, gone]
            value += pound * (game.table.coin[kind] if outer else -CENTRE_COST)
            if best < 0 or value > most:
                best, most = TO_RONDEL + kind if outer else TO_CENTRE + kind, value
                chosen = BUILT + kind * MOST_TURNS + gone
    if best < 0:
        return DONE if game.legal & bit(DONE) != 0 else first_of(game.legal)
    since[seat] = chosen if done == NOTHING else ELSE
    return best


@rule
def _settle(game: State, own: Any, scratch: Any, described: Any) -> None:
    """Answer what a seat is asked because of the building it took."""
    seat = int(game.actor)
    while game.actor == seat and (game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS):
        best, most = first_of(game.legal), 0.0
        if game.phase == HIRE:
            for value in range(1, CARD_VALUES):
                if game.legal & bit(HIRE_CARD + value) != 0:
                    best = HIRE_CARD + value
        elif game.phase == REPLACE:
            best = -1
            for action in range(len(ACTIONS)):
                if game.legal & bit(action) != 0:
                    scratch[TRIAL] = game
                    apply(scratch[TRIAL], action)
                    value = judge(scratch[TRIAL], seat, own, scratch[3:], described)
                    if best < 0 or value > most:
                        best, most = action, value
        apply(game, best)
