"""Fit the weights of the evaluation to the results of self-play: what each feature counts in each match.

    python -m olb_agents.wobbly_bridge.fit_evaluation --games 1000 --generations 3 --seed 1

In every generation, tables of every size play by regret matching, with the weights that the generation before found;
the first one uses those of the greedy player. The features of every seat are recorded before each match, and at the end
who came ahead of whom. The weights are those that predict the one from the other best (logistic regression).
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.sampling import sample, uniform
from olb_agents.scratch import Scratch, new_scratch
from olb_agents.tool_arguments import ToolParser, between, new_file
from olb_agents.wobbly_bridge.evaluation import FEATURES, describe
from olb_agents.wobbly_bridge.regret_matching import new_regrets, run_regret_matching, write_mixed_strategy
from olb_agents.wobbly_bridge.styles import LEARNED, FeatureWeights, greedy_weights, save_weights, style_weights
from olb_env.core import batch
from olb_env.core.compiling import kernel
from olb_env.core.rng import DRAWS, SEED_LIMIT, following_seed, next_rng_state, stream
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import MATCHES, PLAYERS
from olb_env.wobbly_bridge.legal_actions import legal_set, sample_action
from olb_env.wobbly_bridge.rules import finish_phase
from olb_env.wobbly_bridge.state import OVER, PICK

PROGRAM: Final = "python -m olb_agents.wobbly_bridge.fit_evaluation"
Floats = npt.NDArray[np.float64]
ITERATIONS: Final = 60  # of regret matching
RANDOM_FRACTION: Final = 0.1  # how often a card is picked at random, so that hands nobody would keep are seen too
NEWTON_STEPS: Final = 12
RIDGE: Final = 2.0  # keeps weights of rare features near 0
DECIMALS: Final = 3  # weights are rounded, so that all machines find the same


@kernel
def self_play(states: Any, iterations: int, style_weights: Any, seeds: Any, scratch: Scratch, features: Any) -> None:
    """Play games [B] to their ends by regret matching.

    `features` [B, M, P, F] gets the features of all seats before each match, NaN if it was not played.
    """
    regrets, strategy_sums = new_regrets()
    strategy = scratch.scores
    features[:] = np.nan
    for row in range(states.shape[0]):
        game = states[row]
        rng_state = stream(seeds[row], DRAWS)
        while game.phase != OVER:
            run_regret_matching(game, iterations, style_weights, scratch, regrets, strategy_sums)
            for seat in range(game.players):
                if game.phase == PICK:
                    describe(game, seat, features[row, int(game.match_number) - 1, seat])
                if legal_set(game, seat) != 0:
                    write_mixed_strategy(game, seat, strategy_sums, strategy)
                    rng_state = next_rng_state(rng_state)
                    game.pick[seat] = sample(strategy, rng_state) + 1
                    rng_state = next_rng_state(rng_state)
                    if uniform(rng_state) < RANDOM_FRACTION:
                        rng_state = next_rng_state(rng_state)
                        game.pick[seat] = sample_action(legal_set(game, seat), rng_state) + 1
            finish_phase(game)


def fit_logistic(features: Floats, results: Floats) -> Floats:
    """Return the weights [F] of a logistic regression without intercept, by Newton's method with a ridge penalty.

    `features` [N, F] are differences between two seats, `results` [N] is 1 if the first came ahead, 0 if the other
    did, and a half if they were level.
    """
    weights = np.zeros(features.shape[1])
    for _ in range(NEWTON_STEPS):
        expected = 1 / (1 + np.exp(-features @ weights))
        gradient = features.T @ (results - expected) - RIDGE * weights
        hessian = (features * (expected * (1 - expected))[:, None]).T @ features + RIDGE * np.eye(len(weights))
        weights += np.linalg.solve(hessian, gradient)
    return weights


def fit_for_players(
    players: int, games: int, iterations: int, weights: FeatureWeights, seed: int
) -> tuple[Floats, float]:
    """Return the weights [M, F] for a number of players, and how well they predict the end before the last match.

    That is the share of pairs of seats whose final order they predict.
    """
    states = GAME.new_states(games)
    seeds = np.array([following_seed(seed, number) for number in range(games)])
    batch.deal_rows(states, GAME.rules.configure(num_players=players), seeds)
    features = np.empty((games, MATCHES, players, len(FEATURES)))
    self_play(states, iterations, style_weights(weights, 0), seeds, new_scratch(GAME), features)
    ends = states["seats"]["space"][:, :players].astype(np.float64)
    one, other = np.triu_indices(players, 1)
    ahead = (np.sign(ends[:, other] - ends[:, one]) + 1) / 2
    fitted, right = np.zeros((MATCHES, len(FEATURES))), 0.0
    for match in range(MATCHES):
        played = ~np.isnan(features[:, match, 0, 0])
        differences = (features[played, match][:, one] - features[played, match][:, other]).reshape(-1, len(FEATURES))
        results = ahead[played].ravel()
        fitted[match] = fit_logistic(differences, results)
        right = float((np.sign(differences @ fitted[match]) == np.sign(results - 0.5)).sum() / max(len(results), 1))
    return np.round(fitted, DECIMALS), right


def fit_weights(games: int, generations: int, iterations: int, seed: int) -> FeatureWeights:
    """Return weights [PLAYER_COUNTS, M, F], from this many games for each number of players in each generation."""
    weights, began = greedy_weights(), time.monotonic()
    for generation in range(1, generations + 1):
        rows = []
        for players in PLAYERS:
            row, right = fit_for_players(players, games, iterations, weights, seed + 100 * generation + players)
            rows.append(row)
            elapsed = time.monotonic() - began
            print(
                f"generation {generation}, {players} players, {elapsed:.0f} s: before the last match, "
                f"{100 * right:.1f}% of pairs are predicted",
                flush=True,
            )
        weights = np.stack(rows)
    return weights


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit the weights, and save them."""
    parser = ToolParser(prog=PROGRAM, description="Fit the weights of the evaluation to the results of self-play.")
    parser.add_argument(
        "--games",
        type=between(int, 1, 100_000),
        default=1000,
        help="games of each generation for each number of players",
    )
    parser.add_argument("--generations", type=between(int, 1, 1000), default=3)
    parser.add_argument(
        "--iterations", type=between(int, 1, 1_000_000), default=ITERATIONS, help="iterations of regret matching"
    )
    parser.add_argument("--seed", type=between(int, 0, SEED_LIMIT // 2), default=1)
    parser.add_argument("--out", type=new_file, required=True, help=f"file for them; the game uses {LEARNED.name}")
    options = parser.parse_args(arguments)
    save_weights(options.out, fit_weights(options.games, options.generations, options.iterations, options.seed))


if __name__ == "__main__":
    main()
