"""How a scripted player decides: every answer is tried on a copy of the game and judged by the player's style.

A bid cannot be judged like that, since nothing happens before all have bid. So a player imagines to be first, looks at
what each place it could go to is worth, and pays for being early only what the difference is worth to it.
"""

from __future__ import annotations

import math
from typing import Any, Final

from olb_agents.old_london_bridge.evaluation import (
    FEATURES,
    HAND_CARDS,
    HAND_VALUE,
    HIGH_CARDS,
    WEIGHTS,
    judge,
    judge_all,
)
from olb_env.core.bits import bit
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.old_london_bridge.components import CARD_VALUES, PICKS, ROUNDS
from olb_env.old_london_bridge.notation import ACTIONS, DONE, PLAY_CARD
from olb_env.old_london_bridge.rules import apply
from olb_env.old_london_bridge.scoring import beats
from olb_env.old_london_bridge.state import BONUS, HIRE, OVER, PLACE, PLAY, REPLACE

# Behind the weights of a style: how surely the others take what one wants oneself, and how dear cards are.
RIVALRY, THRIFT = range(WEIGHTS, WEIGHTS + 2)
STYLE_SIZE: Final = WEIGHTS + 2
TABLES: Final = 3  # a style has one set of weights for two players, one for three and one for four
MARGIN: Final = 12.0  # pounds ahead that make a win likely


@rule
def weigh(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """What each legal answer is worth to a style [TABLES, STYLE_SIZE], into `numbers[0]`; the rest is scratch."""
    own = style[int(game.players) - 2]
    if game.phase == PLAY:
        weigh_bids(game, seat, own, scratch, numbers)
    else:
        judge_answers(game, seat, own, scratch, numbers[0], numbers[1])


@rule
def judge_answers(game: State, seat: int, style: Any, scratch: Any, values: Any, described: Any) -> None:
    """What each legal answer is worth, with what the seat would choose itself after it."""
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            scratch[0] = game
            apply(scratch[0], action)
            finish(scratch[0], seat, style, scratch, described)
            values[action] = judge(scratch[0], seat, style, scratch[3:], described)


@rule
def finish(game: State, seat: int, style: Any, scratch: Any, described: Any) -> None:
    """Answer what the seat is asked because of its own last answer, each time by the best look of it."""
    while game.actor == seat and (game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS):
        best, most = -1, 0.0
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0:
                scratch[1] = game
                apply(scratch[1], action)
                value = judge(scratch[1], seat, style, scratch[3:], described)
                if best < 0 or value > most:
                    best, most = action, value
        apply(game, best)


@rule
def weigh_bids(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """What each card is worth: what its place in the order will still find, less what it is worth in hand."""
    options = look_first(game, seat, style, scratch, numbers)
    player = game.seats[seat]
    first_pick = int(player.pick[0]) - 1
    left = game.table.rounds_left / ROUNDS[int(game.players)]
    for value in range(CARD_VALUES):
        if game.legal & bit(PLAY_CARD + value) == 0:
            continue
        ahead = expected_ahead(game, seat, value) * style[RIVALRY]
        if first_pick >= value:
            ahead += 1  # the other card goes first
        worth = 0.0
        if options > 0:
            place = min(ahead, options - 1.0)
            low = int(place)
            high = min(low + 1, options - 1)
            worth = numbers[2, low] + (place - low) * (numbers[2, high] - numbers[2, low])
        if value > 0:
            price = value * weight(style, HAND_VALUE, left) + weight(style, HAND_CARDS, left)
            if value >= 3:
                price += weight(style, HIGH_CARDS, left)
            worth -= price * style[THRIFT]
        numbers[0, PLAY_CARD + value] = worth


@rule
def weight(style: Any, feature: int, left: float) -> float:
    """What a feature counts now."""
    return float(style[feature] + left * style[len(FEATURES) + feature])


@rule
def expected_ahead(game: State, seat: int, value: int) -> float:
    """How many cards of others come before one of this value, if they pick any of theirs."""
    ahead = 0.0
    for other in range(int(game.players)):
        if other == seat:
            continue
        cards, higher = 0, 0.0
        for theirs in range(CARD_VALUES):
            count = int(game.seats[other].hand[theirs])
            cards += count
            if theirs > value or (theirs == value and game.seats[other].standing < game.seats[seat].standing):
                higher += count
        if cards > 0:
            ahead += PICKS[int(game.players)] * higher / cards
    return ahead


@rule
def look_first(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> int:
    """The values of what the seat could do if it went first, best first, into `numbers[2]`; answers how many."""
    scratch[2] = game
    guess = scratch[2]
    guess.seats[seat].hand[CARD_VALUES - 1] += 2
    for other in range(int(guess.players)):
        if other != seat:
            for i in range(2):
                if guess.seats[other].pick[i] > 0:
                    guess.seats[other].pick[i] = 1
    for _ in range(40):
        if guess.actor < 0 or (guess.actor == seat and guess.phase == PLACE):
            break
        answer = DONE
        if guess.phase == PLAY:
            answer = PLAY_CARD + CARD_VALUES - 1 if guess.actor == seat else PLAY_CARD
        if not apply(guess, answer):
            return 0
    if guess.phase != PLACE or guess.actor != seat:
        return 0
    judge_answers(guess, seat, style, scratch, numbers[0], numbers[1])
    count = 0
    for action in range(len(ACTIONS)):
        if guess.legal & bit(action) != 0:
            at = count  # keep them in order, the best first
            while at > 0 and numbers[2, at - 1] < numbers[0, action]:
                numbers[2, at] = numbers[2, at - 1]
                at -= 1
            numbers[2, at] = numbers[0, action]
            count += 1
    return count


@rule
def play_out_round(game: State, style: Any, scratch: Any, numbers: Any) -> None:
    """Let everybody play this round to its end in one style: in between, who has moved looks better than the rest."""
    now = int(game.round_number)
    while game.phase != OVER and game.round_number == now:
        weigh(game, int(game.actor), style, scratch, numbers)
        best = -1
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0 and (best < 0 or numbers[0, action] > numbers[0, best]):
                best = action
        apply(game, best)


@rule
def playout(game: State, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """Play this round to its end; answers how good that is for each seat [P], from -1 to 1."""
    play_out_round(game, style, scratch, numbers)
    players = int(game.players)
    over = game.phase == OVER
    judge_all(game, style[players - 2], scratch[3:], numbers[1], numbers[2])
    for seat in range(players):
        best = -1e9
        won = 1.0
        for other in range(players):
            if other != seat:
                best = max(best, numbers[2, other])
                if over and beats(game, other, seat):
                    won = -1.0
        out[seat] = math.tanh((numbers[2, seat] - best) / MARGIN)
        if over:
            out[seat] = (out[seat] + won) / 2
