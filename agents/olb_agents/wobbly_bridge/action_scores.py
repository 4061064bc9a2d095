"""How scripted players of The Wobbly Bridge score cards: imagine what the others hold and pick, and play the match.

Everybody chooses at once, so a player needs a belief about how the others choose. Each of them picks the card that
seems best if everybody else picks at random, with a probability that belongs to the style; else it picks at random
itself. The random numbers are the same for every decision, so a player always does the same in the same position.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.sampling import uniform
from olb_agents.scratch import Scratch
from olb_agents.wobbly_bridge.evaluation import FEATURES, evaluate_position
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rng import next_rng_state, stream
from olb_env.wobbly_bridge.components import CARDS, MAX_PLAYERS, PLAYERS
from olb_env.wobbly_bridge.dealing import resample
from olb_env.wobbly_bridge.legal_actions import SIZE_OF, legal_set, sample_action
from olb_env.wobbly_bridge.rules import finish_phase
from olb_env.wobbly_bridge.state import OVER, PICK, REPLACE

# A style [PLAYER_COUNTS, MATCHES, STYLE_SIZE]: the weights of features, then how likely others pick what seems best.
RATIONALITY: Final = len(FEATURES)
STYLE_SIZE: Final = RATIONALITY + 1
WORLDS: Final = 48  # imagined for a decision
WORLDS_OF_OTHERS: Final = 16  # imagined besides, to find what seems best to the others
SCORE_UNIT: Final = 0.05  # of a value, which runs from -1 to 1: so differences that matter are about 1

# Slots of `Scratch.games`.
WORLD: Final = 0  # an imagined game, with everybody's pick
TRIAL: Final = 1  # that game with another pick of one seat, played on
REPLACED: Final = 2  # that one with another card in place of an idea


@jitable
def score_actions(game: State, seat: int, style_weights: Any, scratch: Scratch) -> None:
    """Write the score of every legal card by a style to `scratch.scores`."""
    weights = style_weights[int(game.players) - PLAYERS[0]]
    rationality = weights[int(game.match_number) - 1, RATIONALITY]
    others_scores = np.zeros((MAX_PLAYERS, len(CARDS)))
    if rationality > 0:
        score_for_others(game, seat, weights, scratch, others_scores)
    scratch.scores[:] = 0
    world = scratch.games[WORLD]
    for number in range(WORLDS):
        scratch.games[WORLD] = game
        rng_state = imagine(world, seat, number)
        for other in range(game.players):
            rng_state = next_rng_state(rng_state)
            cards = legal_set(world, other)
            if cards != 0 and uniform(rng_state) < rationality:
                world.pick[other] = best_of(cards, others_scores[other]) + 1
        try_cards(world, seat, int(np.int64(game.legal)), weights, rng_state, scratch)
        for card in range(len(CARDS)):
            scratch.scores[card] += scratch.estimates[card] / (WORLDS * SCORE_UNIT)


@jitable
def score_for_others(game: State, seat: int, weights: Any, scratch: Scratch, out: Any) -> None:
    """Write the mean value of each card to each other seat [P, A] if everybody else picks at random.

    Their special cards are imagined, as `seat` does not know them.
    """
    tries = np.zeros((MAX_PLAYERS, len(CARDS)))
    world = scratch.games[WORLD]
    for number in range(WORLDS_OF_OTHERS):
        scratch.games[WORLD] = game
        rng_state = imagine(world, seat, WORLDS + number)
        for other in range(game.players):
            cards = legal_set(world, other)
            if other != seat and SIZE_OF[cards] > 1:
                try_cards(world, other, cards, weights, rng_state, scratch)
                for card in range(len(CARDS)):
                    tries[other, card] += (cards >> card) & 1
                    out[other, card] += scratch.estimates[card]
    for other in range(game.players):
        for card in range(len(CARDS)):
            out[other, card] /= max(tries[other, card], 1.0)


@jitable
def imagine(game: State, seat: int, number: int) -> int:
    """Redraw what a seat does not know, and let all pick at random; return the next state of the random stream."""
    rng_state = stream(WORLDS, number)
    resample(game, seat, rng_state)
    return pick_at_random(game, 0, rng_state)


@jitable
def pick_at_random(game: State, first: int, rng_state: int) -> int:
    """Let all seats from `first` on pick at random; return the next state of the random stream."""
    for seat in range(first, int(game.players)):
        cards = legal_set(game, seat)
        if cards != 0:
            rng_state = next_rng_state(rng_state)
            game.pick[seat] = sample_action(cards, rng_state) + 1
    return rng_state


@jitable
def best_of(cards: int, scores: Any) -> int:
    """Return the card of a set with the highest score, the first in case of a tie."""
    best = -1
    for card in range(len(CARDS)):
        if (cards >> card) & 1 and (best < 0 or scores[card] > scores[best]):
            best = card
    return best


@jitable
def try_cards(world: State, seat: int, cards: int, weights: Any, rng_state: int, scratch: Scratch) -> None:
    """Write the value to a seat of the position after the match, for each card of a set, to `scratch.estimates`.

    Other cards get 0. The others' picks stay as they are. It overwrites features, values and the games TRIAL and
    REPLACED as well.
    """
    for card in range(len(CARDS)):
        scratch.estimates[card] = 0
        if (cards >> card) & 1:
            try_card(world, seat, card, weights, rng_state, scratch)
            scratch.estimates[card] = evaluate_position(scratch.games[TRIAL], seat, weights, scratch)


@jitable
def try_card(world: State, seat: int, card: int, weights: Any, rng_state: int, scratch: Scratch) -> None:
    """Play the match in the game TRIAL with a card of a seat; the others' picks stay as they are.

    It overwrites features, values and the game REPLACED as well.
    """
    scratch.games[TRIAL] = world
    scratch.games[TRIAL].pick[seat] = card + 1
    play_match(scratch.games[TRIAL], weights, rng_state, scratch)


@jitable
def play_match(game: State, weights: Any, rng_state: int, scratch: Scratch) -> None:
    """Reveal the picks of all, let ideas be replaced, and move.

    It overwrites features, values and the game REPLACED.
    """
    phase = game.phase
    finish_phase(game)
    if phase == PICK and game.phase == REPLACE:
        pick_at_random(game, 0, rng_state)
        if game.ideas == 1:
            replace_lone_idea(game, weights, scratch)
        finish_phase(game)


@jitable
def replace_lone_idea(game: State, weights: Any, scratch: Scratch) -> None:
    """Let the only seat with an idea, which sees all cards, play its best one.

    It overwrites features, values and the game REPLACED.
    """
    for seat in range(game.players):
        cards = legal_set(game, seat)
        highest = -2.0
        for card in range(len(CARDS)):
            if (cards >> card) & 1:
                scratch.games[REPLACED] = game
                scratch.games[REPLACED].pick[seat] = card + 1
                finish_phase(scratch.games[REPLACED])
                value = evaluate_position(scratch.games[REPLACED], seat, weights, scratch)
                if value > highest:
                    highest = value
                    game.pick[seat] = card + 1


@jitable
def playout(game: State, style_weights: Any, rng_state: int, scratch: Scratch, out: Any) -> None:
    """Play to the end with random picks, and write the value for every seat [P], from -1 to 1.

    A seat that alone has an idea replaces it with its best card.
    """
    weights = style_weights[int(game.players) - PLAYERS[0]]
    while game.phase != OVER:
        rng_state = pick_at_random(game, int(game.actor), rng_state)
        play_match(game, weights, rng_state, scratch)
    for seat in range(game.players):
        out[seat] = evaluate_position(game, seat, weights, scratch)
