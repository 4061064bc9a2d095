"""How scripted players of Old London Bridge score actions: try each on a copy of the game and evaluate where it leads.

A bid cannot be tried like that, since nothing happens before everybody has bid. Instead a player imagines going first
and evaluates every place it could go to. A card scores the value of the place it can expect to get, less the value of
keeping the card. `playout` plays the rest of a round in this way; search asks it for the value of a leaf.
"""

from __future__ import annotations

import math
from typing import Any, Final

from olb_agents.old_london_bridge.evaluation import (
    FOLLOW_UP,
    GOING_FIRST,
    HAND_CARDS,
    HAND_VALUE,
    HIGH_CARDS,
    NUM_WEIGHTS,
    TRIAL,
    evaluate_position,
    evaluate_seats,
    weight_now,
)
from olb_agents.scratch import Scratch
from olb_env.core.bits import bit
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.old_london_bridge.components import CARD_VALUES, PICKS, PLAYERS, ROUNDS
from olb_env.old_london_bridge.notation import ACTIONS, DONE, PLAY_CARD
from olb_env.old_london_bridge.rules import apply
from olb_env.old_london_bridge.scoring import beats
from olb_env.old_london_bridge.state import BONUS, HIRE, OVER, PLACE, PLAY, REPLACE

# After the feature weights of a style: the factor on the number of cards expected to go first (RIVALRY), and the factor
# on the value of keeping a card (THRIFT).
RIVALRY, THRIFT = range(NUM_WEIGHTS, NUM_WEIGHTS + 2)
STYLE_SIZE: Final = NUM_WEIGHTS + 2
PLAYER_COUNTS: Final = len(PLAYERS)  # a style has a row of weights for each number of players
MARGIN: Final = 12.0  # pounds ahead that make a win likely


@jitable
def score_actions(game: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Write the score of every legal action by a style [PLAYER_COUNTS, STYLE_SIZE] to `scratch.scores`.

    It overwrites estimates, features and the games TRIAL to ENDED as well.
    """
    weights = style_weights[int(game.players) - PLAYERS[0]]
    if game.phase == PLAY:
        score_bids(game, seat, weights, scratch)
    else:
        score_by_evaluation(game, seat, weights, scratch)


@jitable
def score_by_evaluation(game: State, seat: int, weights: Any, scratch: Scratch) -> None:
    """Write the value of the position after every legal action to `scratch.scores`.

    Decisions that follow for the same seat are made too. It overwrites features and the games TRIAL, FOLLOW_UP and
    ENDED as well.
    """
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            scratch.games[TRIAL] = game
            apply(scratch.games[TRIAL], action)
            decide_follow_ups(scratch.games[TRIAL], seat, weights, scratch)
            scratch.scores[action] = evaluate_position(scratch.games[TRIAL], seat, weights, scratch)


@jitable
def decide_follow_ups(game: State, seat: int, weights: Any, scratch: Scratch) -> None:
    """Make the decisions that follow from the seat's own last action, each by the position right after it.

    It overwrites features and the games FOLLOW_UP and ENDED.
    """
    while game.actor == seat and (game.phase == REPLACE or game.phase == HIRE or game.phase == BONUS):
        apply(game, best_follow_up(game, seat, weights, scratch))


@jitable
def best_follow_up(game: State, seat: int, weights: Any, scratch: Scratch) -> int:
    """Return the action with the best position right after it.

    It overwrites features and the games FOLLOW_UP and ENDED.
    """
    best, highest = -1, 0.0
    for action in range(len(ACTIONS)):
        if game.legal & bit(action) != 0:
            scratch.games[FOLLOW_UP] = game
            apply(scratch.games[FOLLOW_UP], action)
            value = evaluate_position(scratch.games[FOLLOW_UP], seat, weights, scratch)
            if best < 0 or value > highest:
                best, highest = action, value
    return best


@jitable
def score_bids(game: State, seat: int, weights: Any, scratch: Scratch) -> None:
    """Write the score of every card to `scratch.scores`: the place it can expect to get, less the value of keeping it.

    It overwrites estimates, features and the games TRIAL to ENDED as well.
    """
    places = rank_places(game, seat, weights, scratch)
    ranked = scratch.estimates
    player = game.seats[seat]
    first_pick = int(player.pick[0]) - 1
    left = game.table.rounds_left / ROUNDS[int(game.players)]
    for value in range(CARD_VALUES):
        if game.legal & bit(PLAY_CARD + value) == 0:
            continue
        ahead = expected_cards_ahead(game, seat, value) * weights[RIVALRY]
        if first_pick >= value:
            ahead += 1  # the other card goes first
        score = 0.0
        if places > 0:
            place = min(ahead, places - 1.0)
            low = int(place)
            high = min(low + 1, places - 1)
            score = ranked[low] + (place - low) * (ranked[high] - ranked[low])
        if value > 0:
            price = value * weight_now(weights, HAND_VALUE, left) + weight_now(weights, HAND_CARDS, left)
            if value >= 3:
                price += weight_now(weights, HIGH_CARDS, left)
            score -= price * weights[THRIFT]
        scratch.scores[PLAY_CARD + value] = score


@jitable
def expected_cards_ahead(game: State, seat: int, value: int) -> float:
    """Return how many cards of others go before one of this value on average, if they pick at random."""
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


@jitable
def rank_places(game: State, seat: int, weights: Any, scratch: Scratch) -> int:
    """Write the scores of all places the seat could go to if it went first to `scratch.estimates`, best first.

    Return how many there are. It overwrites scores, features and the games TRIAL to ENDED as well.
    """
    scratch.games[GOING_FIRST] = game
    guess = scratch.games[GOING_FIRST]
    guess.seats[seat].hand[CARD_VALUES - 1] += 2
    for other in range(int(guess.players)):
        if other != seat:
            for i in range(2):
                if guess.seats[other].pick[i] > 0:
                    guess.seats[other].pick[i] = 1
    for _ in range(40):
        if guess.actor < 0 or (guess.actor == seat and guess.phase == PLACE):
            break
        action = DONE
        if guess.phase == PLAY:
            action = PLAY_CARD + CARD_VALUES - 1 if guess.actor == seat else PLAY_CARD
        if not apply(guess, action):
            return 0
    if guess.phase != PLACE or guess.actor != seat:
        return 0
    score_by_evaluation(guess, seat, weights, scratch)
    ranked, count = scratch.estimates, 0
    for action in range(len(ACTIONS)):
        if guess.legal & bit(action) != 0:
            at = count  # insertion sort, the best first
            while at > 0 and ranked[at - 1] < scratch.scores[action]:
                ranked[at] = ranked[at - 1]
                at -= 1
            ranked[at] = scratch.scores[action]
            count += 1
    return count


@jitable
def play_round(game: State, style_weights: Any, scratch: Scratch) -> None:
    """Let everybody play this round to its end in one style.

    Positions within a round are not comparable: whoever has moved already looks better than the rest.
    """
    now = int(game.round_number)
    while game.phase != OVER and game.round_number == now:
        score_actions(game, int(game.actor), style_weights, scratch)
        best = -1
        for action in range(len(ACTIONS)):
            if game.legal & bit(action) != 0 and (best < 0 or scratch.scores[action] > scratch.scores[best]):
                best = action
        apply(game, best)


@jitable
def playout(game: State, style_weights: Any, rng_state: int, scratch: Scratch, out: Any) -> None:
    """Play this round to its end, and write the value for every seat [P], from -1 to 1."""
    play_round(game, style_weights, scratch)
    players = int(game.players)
    over = game.phase == OVER
    evaluate_seats(game, style_weights[players - PLAYERS[0]], scratch)
    values = scratch.values
    for seat in range(players):
        best = -1e9
        won = 1.0
        for other in range(players):
            if other != seat:
                best = max(best, values[other])
                if over and beats(game, other, seat):
                    won = -1.0
        out[seat] = math.tanh((values[seat] - best) / MARGIN)
        if over:
            out[seat] = (out[seat] + won) / 2
