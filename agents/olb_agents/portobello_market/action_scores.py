"""How a scripted player decides: every answer is tried on a copy of the game and judged by the player's style.

A turn has several actions, so a planner plays its turn to the end after an answer, and lets others have theirs, all by
quick answers (`hunch.py`), before it judges. Whom it would draw from the bag it does not know: it thinks of both.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.afterstates import add_traits
from olb_agents.portobello_market.evaluation import AHEAD, compare, judge, winning, worth_of_seats
from olb_agents.portobello_market.quick_policy import answer_quickly
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.components import BAG_SIZE, BURGHER, PLAYERS, SERVANT
from olb_env.portobello_market.notation import DRAW
from olb_env.portobello_market.rules import ACTION_COUNT, apply, is_legal
from olb_env.portobello_market.state import OVER, PLAZA

TABLES: Final = len(PLAYERS)  # a style has one set of weights for each number of players
MARGIN: Final = 20.0  # points ahead that make a win likely
GUESS, TRIAL, SPARE = 0, 1, 2  # games of the scratch


@rule
def weigh(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """What each legal answer is worth to a style [TABLES, STYLE_SIZE], into `numbers[0]`; the rest is scratch."""
    weigh_and_describe(game, seat, style, scratch, numbers, np.zeros((0, 0), np.float32))


@rule
def weigh_and_describe(game: State, seat: int, style: Any, scratch: Any, numbers: Any, traits: Any) -> None:
    """The same, and if there is room for it where each answer leads, into `traits` [A, T], which are 0 at first."""
    own = style[int(game.players) - 2]
    scratch[GUESS] = game
    guess = scratch[GUESS]
    conceal(guess)
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            if action == DRAW and not guess.open:
                numbers[0, action] = weigh_draw(guess, seat, own, scratch, numbers, traits)
            else:
                numbers[0, action] = weigh_answer(guess, seat, own, action, 1.0, scratch, numbers, traits)


@rule
def weigh_answer(
    guess: State, seat: int, style: Any, action: int, chance: float, scratch: Any, numbers: Any, traits: Any
) -> float:
    """What an answer is worth when some turns have been played to their ends after it, times a chance."""
    scratch[TRIAL] = guess
    trial, turn, soon = scratch[TRIAL], turns_taken(guess), 0.0
    apply(trial, action)
    if traits.shape[1] > 0:
        play_until(trial, turn + 1, style, scratch[SPARE:], numbers)
        soon = judge(trial, seat, style, numbers[1], numbers[2])
    play_until(trial, turn + int(style[AHEAD]), style, scratch[SPARE:], numbers)
    worth = judge(trial, seat, style, numbers[1], numbers[2])
    if traits.shape[1] > 0:
        add_traits(trial, seat, soon, worth, chance, numbers[1], traits[action])
    return chance * worth


@rule
def weigh_draw(guess: State, seat: int, style: Any, scratch: Any, numbers: Any, traits: Any) -> float:
    """What drawing is worth: whoever may come, by how likely."""
    bag, found = guess.table.bag, 0.0
    left = int(bag[0]) + int(bag[1])
    coming = guess.order[BAG_SIZE - left :]
    for who in range(SERVANT, BURGHER + 1):
        if bag[who - SERVANT] > 0:
            at = 0
            while coming[at] != who:
                at += 1
            coming[at], coming[0] = coming[0], who
            chance = int(bag[who - SERVANT]) / left
            found += weigh_answer(guess, seat, style, DRAW, chance, scratch, numbers, traits)
    conceal(guess)
    return found


@rule
def conceal(guess: State) -> None:
    """Put what is left in the bag in an order that tells nothing: always who is more numerous comes next."""
    if guess.open:
        return
    servants, burghers = int(guess.table.bag[0]), int(guess.table.bag[1])
    for at in range(BAG_SIZE - servants - burghers, BAG_SIZE):
        if servants > burghers:
            guess.order[at] = SERVANT
            servants -= 1
        else:
            guess.order[at] = BURGHER
            burghers -= 1


@rule
def turns_taken(game: State) -> int:
    """In the whole game so far; none before the first round."""
    return max(0, int(game.round_number) - 1) * int(game.players) + int(game.turn)


@rule
def play_until(game: State, turns: int, style: Any, scratch: Any, numbers: Any) -> None:
    """Play on by quick answers until so many turns are taken; a customer that was drawn is placed in any case."""
    while game.phase != OVER and (turns_taken(game) < turns or game.phase == PLAZA):
        apply(game, answer_quickly(game, style, scratch, numbers))


@rule
def playout(game: State, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """Play on for a round; answers how good that is for each seat [P], from -1 to 1."""
    players = int(game.players)
    own = style[players - 2]
    play_until(game, turns_taken(game) + players, own, scratch, numbers)
    worth = numbers[2]
    worth_of_seats(game, own, numbers[1], worth)
    for seat in range(players):
        out[seat] = math.tanh(compare(worth, players, seat, own) / MARGIN)
        if game.phase == OVER:
            out[seat] = (out[seat] + winning(game, seat)) / 2
