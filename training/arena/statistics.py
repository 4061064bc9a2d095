"""From games to numbers: win rates, money and ranks with 95% intervals, bootstrapped over deals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from training.arena.playing import Played
from training.arena.schedule import Plan

RESAMPLES = 2000
BOOTSTRAP_SEED = 2**31 - 1


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval."""

    value: float
    low: float
    high: float

    @property
    def half_width(self) -> float:
        """How far the interval reaches to the wider side."""
        return max(self.high - self.value, self.value - self.low)


@dataclass(frozen=True)
class Row:
    """What is known of one agent."""

    agent: str
    games: int  # seats it held, all rotations counted
    win_rate: Estimate
    score: Estimate
    rank: Estimate
    milliseconds: float  # a decision, on average
    faults: int
    first_fault: str | None


def summarise(plan: Plan, played: Sequence[Played]) -> list[Row]:
    """The table, best win rate first. Deals are what is drawn at random, so deals are what is resampled."""
    names = list(dict.fromkeys(plan.agents))
    deals = sorted({unit.deal for unit in played})
    # By deal and agent: seats held, wins, score and rank in all.
    sums = np.zeros((len(deals), len(names), 4))
    seconds, decisions = np.zeros(len(names)), np.zeros(len(names))
    faults: list[list[str]] = [[] for _ in names]
    position = {deal: at for at, deal in enumerate(deals)}
    index = [names.index(name) for name in plan.agents]
    for unit in played:
        for game in unit.games:
            for seat, place in enumerate(game.seats):
                agent = index[place]
                sums[position[unit.deal], agent] += (1, game.ranks[seat] == 1, game.scores[seat], game.ranks[seat])
                seconds[agent] += game.seconds[seat]
                decisions[agent] += game.decisions[seat]
                if seat in game.faults:
                    faults[agent].append(game.faults[seat])
    means = _bootstrap(sums)
    rows = [
        Row(
            agent=name,
            games=int(sums[:, agent, 0].sum()),
            win_rate=_estimate(sums, means, agent, 1),
            score=_estimate(sums, means, agent, 2),
            rank=_estimate(sums, means, agent, 3),
            milliseconds=float(1000 * seconds[agent] / max(decisions[agent], 1)),
            faults=len(faults[agent]),
            first_fault=faults[agent][0] if faults[agent] else None,
        )
        for agent, name in enumerate(names)
    ]
    return sorted(rows, key=lambda row: (-row.win_rate.value, row.agent))


def _bootstrap(sums: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Means per seat held [RESAMPLES, agents, 3] when deals are drawn anew with replacement."""
    deals = len(sums)
    chance = np.random.default_rng(BOOTSTRAP_SEED)
    weights = chance.multinomial(deals, np.full(deals, 1 / deals), RESAMPLES)
    drawn = np.tensordot(weights, sums, axes=1)
    with np.errstate(invalid="ignore", divide="ignore"):
        means: npt.NDArray[np.float64] = drawn[:, :, 1:] / drawn[:, :, :1]
    return means


def _estimate(sums: Any, means: Any, agent: int, column: int) -> Estimate:
    value = float(sums[:, agent, column].sum() / sums[:, agent, 0].sum())
    low, high = np.nanpercentile(means[:, agent, column - 1], [2.5, 97.5])
    return Estimate(value, float(low), float(high))
