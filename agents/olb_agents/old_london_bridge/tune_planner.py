"""Tune the weights of the planner by self-play, with the cross-entropy method.

    python -m olb_agents.old_london_bridge.tune_planner --players 4 --minutes 20 --out weights.json

Every candidate of a generation plays the same deals in every seat, with one number of players, under the board's
scoring and under random ones. Its opponents are the last of a list of rivals and two drawn from the list, which at
first has all styles but `greedy`; every few generations the current mean is added. The next generation is drawn around
the mean of the best candidates. The result is printed as lines for `styles.py`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import best_action
from olb_agents.old_london_bridge.action_scores import PLAYER_COUNTS, RIVALRY, STYLE_SIZE, THRIFT
from olb_agents.old_london_bridge.evaluation import FEATURES, MONEY
from olb_agents.old_london_bridge.styles import STYLES
from olb_agents.scratch import Scratch, new_scratch
from olb_agents.tool_arguments import ToolParser, between, new_file
from olb_env.core import batch
from olb_env.core.compiling import kernel
from olb_env.core.files import write_atomically
from olb_env.core.processes import MAX_WORKERS
from olb_env.core.rng import SEED_LIMIT
from olb_env.core.verbs import actor, apply
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import PLAYERS

PROGRAM = "python -m olb_agents.old_london_bridge.tune_planner"
Weights = npt.NDArray[np.float64]  # [STYLE_SIZE]
CANDIDATES, ELITES = 32, 8  # of each generation
GAMES = 120  # of a candidate against an opponent, under each scoring
REPORT_GAMES = 600
GENERATIONS_PER_RIVAL = 6  # until the current mean joins the opponents, and win rates are printed
MIN_SPREAD = 0.02


@kernel
def play_styles(states: Any, styles: Any, seated: Any, scratch: Scratch) -> None:
    """Play games [B] to their ends; `seated` [B, P] says which of the `styles` sits where."""
    for row in range(states.shape[0]):
        state = states[row]
        seat = actor(state)
        while seat >= 0:
            apply(state, best_action(state, seat, styles[seated[row, seat]], scratch))
            seat = actor(state)


def play_against(
    candidate: Weights, other: Weights, players: int, deals: int, seed: int, scoring: str
) -> tuple[float, float]:
    """Return the win rate of a candidate against copies of another, and the mean of its margins, each squashed by tanh.

    The candidate plays every deal in every seat.
    """
    count = deals * players
    styles = np.stack([np.broadcast_to(style, (PLAYER_COUNTS, STYLE_SIZE)) for style in (candidate, other)])
    states, seeds = GAME.new_states(count), np.repeat(np.arange(seed, seed + deals), players)
    batch.deal_rows(states, GAME.rules.configure(num_players=players, scoring=scoring), seeds)
    own, rows = np.tile(np.arange(players), deals), np.arange(count)
    seated = np.ones((count, players), np.int64)
    seated[rows, own] = 0
    play_styles(states, styles, seated, new_scratch(GAME))
    ranks, scores = np.zeros((count, players), np.int64), np.zeros((count, players))
    batch.return_rows(states, ranks, scores)
    mine = scores[rows, own]
    scores[rows, own] = -np.inf
    return float((ranks[rows, own] == 1).mean()), float(np.tanh((mine - scores.max(axis=1)) / 12).mean())


def fitness(candidate: Weights, opponents: list[Weights], players: int, seed: int) -> float:
    """Return how well a candidate does against some opponents."""
    total = 0.0
    for number, other in enumerate(opponents):
        for scoring in ("board", "random"):
            wins, margin = play_against(candidate, other, players, GAMES // players, seed + 1000 * number, scoring)
            total += wins * players / 2 + margin
    return total / len(opponents)


def next_generation(
    mean: Weights, spread: Weights, candidates: npt.NDArray[np.float64], fitnesses: npt.NDArray[np.float64]
) -> tuple[Weights, Weights]:
    """Return the mean and the spread of the next generation, from those of this one and its candidates."""
    best = candidates[np.argsort(-fitnesses)[:ELITES]]
    mean = 0.3 * mean + 0.7 * best.mean(axis=0)
    spread = np.where(spread > 0, np.maximum(0.6 * spread + 0.4 * best.std(axis=0), MIN_SPREAD), 0)
    return mean, spread


def tune(players: int, minutes: float, seed: int, workers: int, spread_at_first: float, out: Path) -> Weights:
    """Return the tuned weights for a number of players, after writing them to a file; print win rates now and then."""
    rng = np.random.default_rng(seed)
    known = {name: style[players - PLAYERS[0]] for name, style in STYLES.items()}
    mean: Weights = known["planner"].copy()
    spread: Weights = np.full(STYLE_SIZE, spread_at_first)
    spread[MONEY] = 0  # all other weights are relative to this one
    rivals = [known["planner"], *(style for name, style in known.items() if name not in ("planner", "greedy"))]
    began, generation = time.monotonic(), 0
    with ProcessPoolExecutor(workers) as pool:
        while time.monotonic() - began < 60 * minutes:
            candidates = mean + spread * rng.standard_normal((CANDIDATES, STYLE_SIZE))
            opponents = [rivals[-1], *(rivals[i] for i in rng.choice(len(rivals), 2, replace=False))]
            seeds = [10_000_000 + 10_000 * generation] * CANDIDATES
            everyone = pool.map(fitness, candidates, [opponents] * CANDIDATES, [players] * CANDIDATES, seeds)
            mean, spread = next_generation(mean, spread, candidates, np.array(list(everyone)))
            generation += 1
            if generation % GENERATIONS_PER_RIVAL == 0:
                rivals.append(mean.copy())
                _save(out, mean)
                print_win_rates(mean, known, players, generation, time.monotonic() - began)
    _save(out, mean)
    return mean


def _save(out: Path, mean: Weights) -> None:
    write_atomically(out, json.dumps(mean.tolist()).encode())


def print_win_rates(mean: Weights, known: dict[str, Weights], players: int, generation: int, elapsed: float) -> None:
    """Print win rates against all existing styles."""
    rates = [
        f"{name} {100 * play_against(mean, style, players, REPORT_GAMES // players, 5_000_000, 'board')[0]:.0f}"
        for name, style in known.items()
    ]
    print(f"generation {generation}, {elapsed:.0f} s, wins in % against {', '.join(rates)}", flush=True)


def main(arguments: Sequence[str] | None = None) -> None:
    """Tune the weights, and print them."""
    parser = ToolParser(prog=PROGRAM, description="Tune the weights of the planner by self-play.")
    parser.add_argument("--players", type=int, choices=PLAYERS, required=True)
    parser.add_argument("--minutes", type=between(float, 0.01, 10_000), default=20)
    parser.add_argument("--seed", type=between(int, 0, SEED_LIMIT - 1), default=1)
    parser.add_argument("--workers", type=between(int, 1, MAX_WORKERS), default=2)
    parser.add_argument(
        "--spread",
        type=between(float, 0, 10),
        default=0.15,
        help="standard deviation of the first candidates around today's planner",
    )
    parser.add_argument("--out", type=new_file, default=Path("weights.json"))
    options = parser.parse_args(arguments)
    mean = tune(options.players, options.minutes, options.seed, options.workers, options.spread, options.out)
    for feature, name in enumerate(FEATURES):
        print(f'    "{name}": ({mean[feature]:.2f}, {mean[len(FEATURES) + feature]:.2f}),')
    print(f"rivalry {mean[RIVALRY]:.2f}, thrift {mean[THRIFT]:.2f}")


if __name__ == "__main__":
    main()
