"""Regret matching+ with linear averaging: an approximate mixed strategy for every seat of a match.

The match is imagined again and again (an iteration). Each time, cards are dealt that fit what everybody has seen, and
all draw their picks from their current strategies. Every seat then regrets the cards that would have done better. The
more it regrets a card, the likelier it draws it the next time. The result is the mean of all strategies, in which
later iterations weigh more. It is computed from public information alone, for every special card that a seat may hold,
so it gives no card away.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.sampling import sample
from olb_agents.scratch import Scratch
from olb_agents.wobbly_bridge.action_scores import WORLD, try_cards
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.rng import next_rng_state, stream
from olb_env.wobbly_bridge.components import CARDS, MAX_PLAYERS, NORMALS, PLAYERS, SPECIALS
from olb_env.wobbly_bridge.dealing import resample
from olb_env.wobbly_bridge.legal_actions import SIZE_OF, legal_set

PUBLIC: Final = -1  # in place of a seat: an observer who knows what is public and nothing else
MIN_PROBABILITY: Final = 0.03  # cards with less than this in the mean strategy are left out
SHAPE: Final = (MAX_PLAYERS, 1 + SPECIALS, len(CARDS))  # by seat, and by the special card in its hand or none
ITERATION_STREAMS: Final = 2**36  # the seed of the random streams of iterations


@jitable
def special_in_hand(game: State, seat: int) -> int:
    """Return which special card a seat has in hand, counted from 1; 0 for none."""
    return int(game.special[seat]) - NORMALS + 1 if game.seats[seat].holds_special else 0


@jitable
def new_regrets() -> Any:
    """Return arrays of SHAPE for `run_regret_matching`: regrets, and sums of strategies."""
    return np.zeros(SHAPE), np.zeros(SHAPE)


@jitable
def run_regret_matching(
    game: State, iterations: int, style_weights: Any, scratch: Scratch, regrets: Any, strategy_sums: Any
) -> None:
    """Write the sums of all seats' strategies for the current decision to `strategy_sums`."""
    weights = style_weights[int(game.players) - PLAYERS[0]]
    regrets[:] = 0
    strategy_sums[:] = 0
    world, strategy = scratch.games[WORLD], scratch.scores
    for number in range(iterations):
        scratch.games[WORLD] = game
        rng_state = stream(ITERATION_STREAMS, number)
        resample(world, PUBLIC, rng_state)
        for seat in range(game.players):
            cards = legal_set(world, seat)
            if cards != 0:
                held = special_in_hand(world, seat)
                normalize(cards, regrets[seat, held], strategy)
                for card in range(len(CARDS)):
                    strategy_sums[seat, held, card] += (number + 1) * strategy[card]  # later iterations are better
                rng_state = next_rng_state(rng_state)
                world.pick[seat] = sample(strategy, rng_state) + 1
        for seat in range(game.players):
            cards = legal_set(world, seat)
            if SIZE_OF[cards] > 1:
                try_cards(world, seat, cards, weights, rng_state, scratch)
                add_regrets(cards, scratch, regrets[seat, special_in_hand(world, seat)])


@jitable
def add_regrets(cards: int, scratch: Scratch, regrets: Any) -> None:
    """Add how much better each card of a set did than the current strategy on average, never going below 0.

    `scratch.estimates` has the values of the cards. It overwrites scores.
    """
    strategy, values = scratch.scores, scratch.estimates
    normalize(cards, regrets, strategy)
    expected = 0.0
    for card in range(len(CARDS)):
        expected += strategy[card] * values[card]
    for card in range(len(CARDS)):
        if (cards >> card) & 1:
            regrets[card] = max(0.0, regrets[card] + values[card] - expected)


@jitable
def normalize(cards: int, amounts: Any, out: Any) -> None:
    """Write probabilities for the cards of a set in proportion to their amounts; equal ones if all are 0."""
    total = 0.0
    for card in range(len(CARDS)):
        if (cards >> card) & 1:
            total += amounts[card]
    for card in range(len(CARDS)):
        out[card] = 0.0
        if (cards >> card) & 1:
            out[card] = amounts[card] / total if total > 0 else 1 / SIZE_OF[cards]


@jitable
def write_mixed_strategy(game: State, seat: int, strategy_sums: Any, out: Any) -> None:
    """Write the probabilities [A] with which a seat should draw its card, after `run_regret_matching`.

    Cards below MIN_PROBABILITY are left out, also from `strategy_sums`.
    """
    cards = legal_set(game, seat)
    own = strategy_sums[seat, special_in_hand(game, seat)]
    normalize(cards, own, out)
    for card in range(len(CARDS)):
        if out[card] < MIN_PROBABILITY:
            own[card] = 0.0
    normalize(cards, own, out)
