"""Find out by playing what each feature of a seat counts in each match: how the planner and `mixed` judge.

    python -m olb_agents.wobbly_bridge.fit_evaluation --games 1000 --generations 3 --seed 1

In every generation tables of every size are mixed and play (`mixing.py`), judging by what the generation before found;
the first judges like the greedy player. Before each match it is noted what every seat has, and at the end who came
ahead of whom: features count so that the one tells the other best (logistic regression).
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from olb_agents.heuristics import room
from olb_agents.sampling import draw, fraction
from olb_agents.wobbly_bridge.evaluation import FEATURES, describe
from olb_agents.wobbly_bridge.regret_matching import chances_of, mix_table, room_to_mix
from olb_agents.wobbly_bridge.styles import LEARNED, Counts, greedy_counts, save_counts, style
from olb_env.core import batch
from olb_env.core.compiling import kernel
from olb_env.core.rng import DRAWS, advance, following_seed, stream
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import CARDS, MATCHES, PLAYERS
from olb_env.wobbly_bridge.legal_actions import legal_set, sample_action
from olb_env.wobbly_bridge.rules import finish_phase
from olb_env.wobbly_bridge.state import OVER, PICK

Floats = npt.NDArray[np.float64]
ROUNDS: Final = 60  # of imagining a match
STRAY: Final = 0.1  # how often any card is picked, so that it is also learned what becomes of hands nobody would keep
STEPS: Final = 12  # of Newton's method
RIDGE: Final = 2.0  # what is not seen to matter counts nothing
DECIMALS: Final = 3  # so that machines agree


@kernel
def play_mixed(states: Any, rounds: int, style: Any, seeds: Any, scratch: Any, numbers: Any, seen: Any) -> None:
    """Play games [B] to their ends; `seen` [B, M, P, F] describes the seats before each match, nan if there is none."""
    regrets, drawn = room_to_mix()
    seen[:] = np.nan
    for row in range(states.shape[0]):
        game = states[row]
        chance = stream(seeds[row], DRAWS)
        while game.phase != OVER:
            mix_table(game, rounds, style, scratch, numbers, regrets, drawn)
            for seat in range(game.players):
                if game.phase == PICK:
                    describe(game, seat, seen[row, int(game.match_number) - 1, seat])
                if legal_set(game, seat) != 0:
                    chances_of(game, seat, drawn, numbers[0])
                    chance = advance(chance)
                    game.pick[seat] = draw(numbers[0, : len(CARDS)], chance) + 1
                    chance = advance(chance)
                    if fraction(chance) < STRAY:
                        chance = advance(chance)
                        game.pick[seat] = sample_action(legal_set(game, seat), chance) + 1
            finish_phase(game)


def fit(seen: Floats, ahead: Floats) -> Floats:
    """What each feature counts [F], where one seat came ahead [N] (1, or 0, or level a half) that differs by [N, F]."""
    found = np.zeros(seen.shape[1])
    for _ in range(STEPS):
        expected = 1 / (1 + np.exp(-seen @ found))
        slope = seen.T @ (ahead - expected) - RIDGE * found
        bend = (seen * (expected * (1 - expected))[:, None]).T @ seen + RIDGE * np.eye(len(found))
        found += np.linalg.solve(bend, slope)
    return found


def learn_table(players: int, games: int, rounds: int, counts: Counts, seed: int) -> tuple[Floats, float]:
    """What counts at tables of one size [M, F], and how many of all pairs stand before the last match as they end."""
    states = GAME.new_states(games)
    seeds = np.array([following_seed(seed, number) for number in range(games)])
    batch.deal_rows(states, GAME.rules.configure(num_players=players), seeds)
    seen = np.empty((games, MATCHES, players, len(FEATURES)))
    scratch, numbers, _ = room(GAME)
    play_mixed(states, rounds, style(counts, 0), seeds, scratch, numbers, seen)
    ends = states["seats"]["space"][:, :players].astype(np.float64)
    one, other = np.triu_indices(players, 1)
    ahead = (np.sign(ends[:, other] - ends[:, one]) + 1) / 2
    found, right = np.zeros((MATCHES, len(FEATURES))), 0.0
    for match in range(MATCHES):
        played = ~np.isnan(seen[:, match, 0, 0])
        differ = (seen[played, match][:, one] - seen[played, match][:, other]).reshape(-1, len(FEATURES))
        result = ahead[played].ravel()
        found[match] = fit(differ, result)
        right = float((np.sign(differ @ found[match]) == np.sign(result - 0.5)).sum() / max(len(result), 1))
    return np.round(found, DECIMALS), right


def learn(games: int, generations: int, rounds: int, seed: int) -> Counts:
    """What counts [TABLES, M, F], from a number of games at tables of each size in each generation."""
    counts, began = greedy_counts(), time.monotonic()
    for generation in range(1, generations + 1):
        rows = []
        for players in PLAYERS:
            row, right = learn_table(players, games, rounds, counts, seed + 100 * generation + players)
            rows.append(row)
            elapsed = time.monotonic() - began
            print(
                f"generation {generation}, {players} players, {elapsed:.0f} s: before the last match "
                f"{100 * right:.1f} % of pairs stand as they end",
                flush=True,
            )
        counts = np.stack(rows)
    return counts


def main() -> None:
    """Learn, and keep what came out."""
    parser = argparse.ArgumentParser(description="Find out by playing what each feature counts in each match.")
    parser.add_argument("--games", type=int, default=1000, help="of each generation at tables of each size")
    parser.add_argument("--generations", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each match is imagined")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, default=LEARNED)
    options = parser.parse_args()
    save_counts(options.out, learn(options.games, options.generations, options.rounds, options.seed))


if __name__ == "__main__":
    main()
