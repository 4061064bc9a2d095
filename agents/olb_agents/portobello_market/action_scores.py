"""How scripted players of Portobello Market score actions: try each on a copy of the game and evaluate where it leads.

A turn has several actions. So a player plays its turn to the end after an action, and lets others have theirs, before
it evaluates; all of that with a quick policy (`quick_policy`). It does not know which kind of customer it would draw
from the bag, so it tries both kinds. `playout` plays on for a round; search asks it for the value of a leaf.
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.afterstates import add_afterstate
from olb_agents.portobello_market.evaluation import TURNS_AHEAD, evaluate_position, evaluate_seats, lead, win_score
from olb_agents.portobello_market.quick_policy import quick_action
from olb_agents.scratch import Scratch
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.portobello_market.components import BAG_SIZE, BURGHER, PLAYERS, SERVANT
from olb_env.portobello_market.notation import DRAW
from olb_env.portobello_market.rules import ACTION_COUNT, apply, is_legal
from olb_env.portobello_market.state import OVER, PLAZA

PLAYER_COUNTS: Final = len(PLAYERS)  # a style has a row of weights for each number of players
MARGIN: Final = 20.0  # points ahead that make a win likely

# Slots of `Scratch.games`; QUICK_TRIAL of `quick_policy` is another one.
CONCEALED: Final = 0  # the game without the order of the bag
TRIAL: Final = 1  # the position after an action


@jitable
def score_actions(game: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Write the score of every legal action by a style [PLAYER_COUNTS, STYLE_SIZE] to `scratch.scores`."""
    score_and_describe_actions(game, seat, style_weights, scratch, np.zeros((0, 0), np.float32))


@jitable
def score_and_describe_actions(game: State, seat: int, style_weights: Any, scratch: Scratch, afterstates: Any) -> None:
    """Write the score of every legal action to `scratch.scores`.

    If `afterstates` [A, F] has a width, add the features of the position that each action leads to; it must
    be all zeros on entry.
    """
    weights = style_weights[int(game.players) - PLAYERS[0]]
    scratch.games[CONCEALED] = game
    guess = scratch.games[CONCEALED]
    conceal_bag(guess)
    for action in range(ACTION_COUNT):
        if is_legal(guess, action):
            if action == DRAW and not guess.open:
                scratch.scores[action] = score_draw(guess, seat, weights, scratch, afterstates)
            else:
                scratch.scores[action] = score_action(guess, seat, weights, action, 1.0, scratch, afterstates)


@jitable
def score_action(
    guess: State, seat: int, weights: Any, action: int, probability: float, scratch: Scratch, afterstates: Any
) -> float:
    """Return the value of the position some turns after an action, times a probability.

    It overwrites all of scratch but scores and the game CONCEALED.
    """
    scratch.games[TRIAL] = guess
    trial, turn, soon = scratch.games[TRIAL], turns_taken(guess), 0.0
    apply(trial, action)
    if afterstates.shape[1] > 0:
        play_until(trial, turn + 1, weights, scratch)
        soon = evaluate_position(trial, seat, weights, scratch)
    play_until(trial, turn + int(weights[TURNS_AHEAD]), weights, scratch)
    value = evaluate_position(trial, seat, weights, scratch)
    if afterstates.shape[1] > 0:
        add_afterstate(trial, seat, soon, value, probability, scratch.features, afterstates[action])
    return probability * value


@jitable
def score_draw(guess: State, seat: int, weights: Any, scratch: Scratch, afterstates: Any) -> float:
    """Return the mean value of drawing a customer, over the kinds that may come."""
    bag, total = guess.table.bag, 0.0
    left = int(bag[0]) + int(bag[1])
    coming = guess.order[BAG_SIZE - left :]
    for who in range(SERVANT, BURGHER + 1):
        if bag[who - SERVANT] > 0:
            at = 0
            while coming[at] != who:
                at += 1
            coming[at], coming[0] = coming[0], who
            probability = int(bag[who - SERVANT]) / left
            total += score_action(guess, seat, weights, DRAW, probability, scratch, afterstates)
    conceal_bag(guess)
    return total


@jitable
def conceal_bag(guess: State) -> None:
    """Put what is left in the bag in an order that gives nothing away: the more numerous kind always comes next."""
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


@jitable
def turns_taken(game: State) -> int:
    """Return the number of turns in the whole game so far; 0 before the first round."""
    return max(0, int(game.round_number) - 1) * int(game.players) + int(game.turn)


@jitable
def play_until(game: State, turns: int, weights: Any, scratch: Scratch) -> None:
    """Play on by the quick policy until this many turns are taken; a customer that was drawn is placed in any case.

    It overwrites all of scratch but scores and the games CONCEALED and TRIAL.
    """
    while game.phase != OVER and (turns_taken(game) < turns or game.phase == PLAZA):
        apply(game, quick_action(game, weights, scratch))


@jitable
def playout(game: State, style_weights: Any, rng_state: int, scratch: Scratch, out: Any) -> None:
    """Play on for a round, and write the value for every seat [P], from -1 to 1."""
    players = int(game.players)
    weights = style_weights[players - PLAYERS[0]]
    play_until(game, turns_taken(game) + players, weights, scratch)
    evaluate_seats(game, weights, scratch)
    for seat in range(players):
        out[seat] = math.tanh(lead(scratch.values, players, seat, weights) / MARGIN)
        if game.phase == OVER:
            out[seat] = (out[seat] + win_score(game, seat)) / 2
