"""Inputs for networks of The Wobbly Bridge: how far each card takes everybody, and the value of that to the planner.

The derived features are found by trying every card while the others pick at random. The lookahead features, which take
longer, are the mixed strategy of regret matching. Nothing that the seat does not know changes any of them.
"""

from __future__ import annotations

from typing import Any, Final

from olb_agents.scratch import Scratch
from olb_agents.wobbly_bridge.action_scores import TRIAL, WORLD, WORLDS, imagine, score_actions, try_card
from olb_agents.wobbly_bridge.evaluation import evaluate_position
from olb_agents.wobbly_bridge.regret_matching import new_regrets, run_regret_matching, write_mixed_strategy
from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout
from olb_env.wobbly_bridge.components import CARDS, EAST_END, MAX_PLAYERS, PLAYERS, WEST_END
from olb_env.wobbly_bridge.legal_actions import legal_set
from olb_env.wobbly_bridge.state import OVER

A, P = len(CARDS), MAX_PLAYERS
STEPS_UNIT: Final = 4.0
ITERATIONS: Final = 60  # of regret matching

OF_CARDS: Final = (
    Field(
        "steps", (A, P), STEPS_UNIT, EAST_END - WEST_END, "steps east of each explorer, from the seat on, by its card"
    ),
    Field("over", (A,), 1, 1, "the probability that the game is over then"),
    Field("result", (A,), 1, 1, "the value of that to the planner, from -1 for the last rank to 1 for the first"),
)
STRATEGY: Final = (Field("strategy", (A,), 1, 1, "the probability of each card in a mixed strategy"),)
FEATURE_LAYOUT: Final = Layout([("own", OF_CARDS), ("own", STRATEGY)])
FEATURE_SIZES: Final = (FEATURE_LAYOUT["own.strategy"].start, FEATURE_LAYOUT.size)  # derived, lookahead

AT_STEPS: Final = FEATURE_LAYOUT["own.steps"].start
AT_OVER: Final = FEATURE_LAYOUT["own.over"].start
AT_RESULT: Final = FEATURE_LAYOUT["own.result"].start
AT_STRATEGY: Final = FEATURE_LAYOUT["own.strategy"].start


@jitable
def write_features(game: State, seat: int, style_weights: Any, scratch: Scratch, out: Any, afterstates: Any) -> None:
    """Write the features of all cards that a seat may choose, 0 for others; there are no afterstates.

    The score of every card goes to `scratch.scores`.
    """
    out[:] = 0
    if game.phase == OVER:
        return
    cards = legal_set(game, seat)
    for number in range(WORLDS):
        scratch.games[WORLD] = game
        rng_state = imagine(scratch.games[WORLD], seat, number)
        for card in range(A):
            if (cards >> card) & 1:
                _add_trial(game, seat, card, style_weights, rng_state, scratch, out)
    if cards != 0 and out.shape[0] == FEATURE_SIZES[1]:
        regrets, strategy_sums = new_regrets()
        run_regret_matching(game, ITERATIONS, style_weights, scratch, regrets, strategy_sums)
        write_mixed_strategy(game, seat, strategy_sums, out[AT_STRATEGY:])
    score_actions(game, seat, style_weights, scratch)


@jitable
def _add_trial(
    game: State, seat: int, card: int, style_weights: Any, rng_state: int, scratch: Scratch, out: Any
) -> None:
    """Add the result of a card in the game WORLD, with a weight of 1 / WORLDS."""
    weights = style_weights[int(game.players) - PLAYERS[0]]
    try_card(scratch.games[WORLD], seat, card, weights, rng_state, scratch)
    trial = scratch.games[TRIAL]
    for i in range(game.players):
        other = (seat + i) % int(game.players)
        steps = int(trial.seats[other].space) - int(game.seats[other].space)
        out[AT_STEPS + card * P + i] += steps / (WORLDS * STEPS_UNIT)
    out[AT_OVER + card] += (trial.phase == OVER) / WORLDS
    out[AT_RESULT + card] += evaluate_position(trial, seat, weights, scratch) / WORLDS
