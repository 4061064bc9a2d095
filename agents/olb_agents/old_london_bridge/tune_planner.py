"""Find the planner's weights by playing: a population of styles, the best of which breed the next.

    python -m olb_agents.old_london_bridge.tune_planner --players 4 --minutes 20 --out weights.json

Every candidate plays the same deals in every seat against the planner of before and against the other styles, at tables
of one size, under the board's scoring and under random ones. The mean of the best candidates becomes the next
generation's (cross-entropy method). The result is printed as lines for `styles.py`.
"""

from __future__ import annotations

import argparse
import json
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import best_action, room
from olb_agents.old_london_bridge.action_scores import RIVALRY, STYLE_SIZE, TABLES, THRIFT
from olb_agents.old_london_bridge.evaluation import FEATURES, MONEY
from olb_agents.old_london_bridge.styles import STYLES
from olb_env.core import batch
from olb_env.core.compiling import kernel
from olb_env.core.verbs import actor, apply
from olb_env.old_london_bridge import GAME

Style = npt.NDArray[np.float64]
CANDIDATES, KEPT = 32, 8
GAMES = 120  # of a candidate against an opponent, under each scoring
GENERATIONS_A_RIVAL = 6  # until the mean of that time joins the opponents


@kernel
def play_styles(states: Any, styles: Any, seated: Any, scratch: Any, numbers: Any, mask: Any) -> None:
    """Play games [B] to their ends; `seated` [B, P] says which of the `styles` sits where."""
    for row in range(states.shape[0]):
        state = states[row]
        seat = actor(state)
        while seat >= 0:
            apply(state, best_action(state, seat, styles[seated[row, seat]], scratch, numbers, mask))
            seat = actor(state)


def match(candidate: Style, other: Style, players: int, deals: int, seed: int, scoring: str) -> tuple[float, float]:
    """One candidate against copies of another style, in every seat of every deal: win rate, and how clearly."""
    count = deals * players
    styles = np.stack([np.broadcast_to(style, (TABLES, STYLE_SIZE)) for style in (candidate, other)])
    states, seeds = GAME.new_states(count), np.repeat(np.arange(seed, seed + deals), players)
    batch.deal_rows(states, GAME.rules.configure(num_players=players, scoring=scoring), seeds)
    own, rows = np.tile(np.arange(players), deals), np.arange(count)
    seated = np.ones((count, players), np.int64)
    seated[rows, own] = 0
    play_styles(states, styles, seated, *room(GAME))
    ranks, scores = np.zeros((count, players), np.int64), np.zeros((count, players))
    batch.return_rows(states, ranks, scores)
    mine = scores[rows, own]
    scores[rows, own] = -np.inf
    return float((ranks[rows, own] == 1).mean()), float(np.tanh((mine - scores.max(axis=1)) / 12).mean())


def fitness(candidate: Style, opponents: list[Style], players: int, seed: int) -> float:
    """How well a candidate does against some opponents."""
    total = 0.0
    for number, other in enumerate(opponents):
        for scoring in ("board", "random"):
            wins, margin = match(candidate, other, players, GAMES // players, seed + 1000 * number, scoring)
            total += wins * players / 2 + margin
    return total / len(opponents)


def main() -> None:
    """Tune, and print what came out."""
    parser = argparse.ArgumentParser(description="Find the planner's weights by playing.")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), required=True)
    parser.add_argument("--minutes", type=float, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument(
        "--spread", type=float, default=0.15, help="how far the first candidates are from today's planner"
    )
    parser.add_argument("--out", type=Path, default=Path("weights.json"))
    options = parser.parse_args()
    chance = np.random.default_rng(options.seed)
    known = {name: style[options.players - 2] for name, style in STYLES.items()}
    mean, spread = known["planner"].copy(), np.full(STYLE_SIZE, options.spread)
    spread[MONEY] = 0  # everything else is relative to it
    rivals = [known["planner"], *(style for name, style in known.items() if name not in ("planner", "greedy"))]
    began, generation = time.monotonic(), 0
    with ProcessPoolExecutor(options.workers) as pool:
        while time.monotonic() - began < 60 * options.minutes:
            candidates = mean + spread * chance.standard_normal((CANDIDATES, STYLE_SIZE))
            opponents = [rivals[-1], *(rivals[i] for i in chance.choice(len(rivals), 2, replace=False))]
            seeds = [10_000_000 + 10_000 * generation] * CANDIDATES
            tables = [options.players] * CANDIDATES
            found = np.array(list(pool.map(fitness, candidates, [opponents] * CANDIDATES, tables, seeds)))
            best = candidates[np.argsort(-found)[:KEPT]]
            mean = 0.3 * mean + 0.7 * best.mean(axis=0)
            spread = np.where(spread > 0, np.maximum(0.6 * spread + 0.4 * best.std(axis=0), 0.02), 0)
            generation += 1
            if generation % GENERATIONS_A_RIVAL == 0:
                rivals.append(mean.copy())
                options.out.write_text(json.dumps(mean.tolist()), encoding="utf-8")
                report(mean, known, options.players, generation, time.monotonic() - began)
    for feature, name in enumerate(FEATURES):
        print(f'    "{name}": ({mean[feature]:.2f}, {mean[len(FEATURES) + feature]:.2f}),')
    print(f"rivalry {mean[RIVALRY]:.2f}, thrift {mean[THRIFT]:.2f}")


def report(mean: Style, known: dict[str, Style], players: int, generation: int, elapsed: float) -> None:
    """Win rates against the styles there are."""
    rates = [
        f"{name} {100 * match(mean, style, players, 600 // players, 5_000_000, 'board')[0]:.0f}"
        for name, style in known.items()
    ]
    print(f"generation {generation}, {elapsed:.0f} s, wins in % against {', '.join(rates)}", flush=True)


if __name__ == "__main__":
    main()
