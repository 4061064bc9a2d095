"""From games to numbers, each with a 95% interval.

Deals are what is drawn at random, so deals are what is resampled (bootstrap): all games on a deal stay together.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from olb_env.core import rewards
from olb_training.arena.schedule import Plan, rotations
from olb_training.arena.unit_play import Played

Numbers = npt.NDArray[np.float64]

RESAMPLES, RATING_RESAMPLES = 2000, 400
BOOTSTRAP_SEED = 2**31 - 1
WEIGHTS_AT_ONCE = 4_000_000  # numbers held at once while resampling
ELO = 400 / math.log(10)  # a player rated so much higher is e times as likely to come first
MEAN_RATING = 1500
HALF_A_WIN = 0.5  # added both ways to every pair that met, so that who never lost has a rating too
LOOSE = 1e-9  # ties agents that never met, not even by way of others, so that there is a solution

GAMES, WINS, SCORE, UTILITY, MILLISECONDS, DECISIONS = range(6)


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
    rating: Estimate
    score: Estimate
    rank: Estimate  # 1 is best; who shares places has the middle of them
    utility: Estimate  # of the rank, from -1 for the last to 1 for the first
    milliseconds: Estimate  # a decision, on average
    ahead_of: dict[str, Estimate]  # how often it came before each other agent it met
    by_start: dict[str, Estimate]  # win rate by where it began
    faults: int
    first_fault: str | None


class Tally:
    """Sums over the games of each deal, of N names: all that the table needs of them."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = list(dict.fromkeys(plan.agents))
        places = [self._names.index(name) for name in plan.agents]
        self._seats = [  # by lineup, rotation and seat
            [[places[place] for place in seats] for seats in rotations(lineup)] for lineup in plan.lineups()
        ]
        self._sums: list[Numbers] = []  # by deal: [N, 6]
        self._pairs: list[Numbers] = []  # by deal: how often one came before another [N, N]
        self._starts: list[dict[str, Numbers]] = []  # by deal and start: games and wins [N, 2]
        self._faults: dict[str, list[tuple[int, str]]] = {name: [] for name in self._names}  # deal, and why

    @property
    def deals(self) -> int:
        """How many are there, whole or in part."""
        return len(self._sums)

    def add(self, played: Iterable[Played]) -> None:
        """Count some units; those of a deal come together, deal after deal."""
        count = len(self._names)
        for unit in played:
            while self.deals <= unit.unit.deal:
                self._sums.append(np.zeros((count, 6)))
                self._pairs.append(np.zeros((count, count)))
                self._starts.append({})
            for game, seats in enumerate(self._seats[unit.unit.lineup]):
                self._add_game(unit, game, seats)

    def _add_game(self, unit: Played, game: int, seats: list[int]) -> None:
        deal, count = unit.unit.deal, len(self._names)
        sums, pairs, starts = self._sums[deal], self._pairs[deal], self._starts[deal]
        ranks = unit.ranks[game]
        share = 1 / max(1, ranks.count(1))  # who shares the first rank shares the win; all may have forfeited
        earned = utilities(tuple(ranks))
        for seat, name in enumerate(seats):
            won = share if ranks[seat] == 1 else 0.0
            milliseconds, decisions = 1000 * unit.seconds[game][seat], unit.decisions[game][seat]
            sums[name] += (1, won, unit.scores[game][seat], earned[seat], milliseconds, decisions)
            starts.setdefault(unit.starts[game][seat], np.zeros((count, 2)))[name] += (1, won)
            for other in range(seat):
                if seats[other] != name:
                    ahead = 0.5 + 0.5 * np.sign(ranks[other] - ranks[seat])
                    pairs[name, seats[other]] += ahead
                    pairs[seats[other], name] += 1 - ahead
        for where, seat, why in unit.faults:
            if where == game:
                self._faults[self._names[seats[seat]]].append((deal, why))

    def win_rates(self) -> dict[str, Estimate]:
        """Of each agent, the same as in the table of all deals; found much sooner than all that stands there."""
        sums = np.array(self._sums)
        return dict(zip(self._names, _ratios(_share, sums, _resample(sums), WINS, GAMES), strict=True))

    def widest(self) -> float:
        """The half width of the widest interval of a win rate."""
        return max(estimate.half_width for estimate in self.win_rates().values())

    def rows(self, deals: int) -> list[Row]:
        """The table of the first deals, best win rate first."""
        count = len(self._names)
        begun = sorted({start for starts in self._starts for start in starts})
        nothing = np.zeros((count, 2))
        sums, pairs = np.array(self._sums[:deals]), np.array(self._pairs[:deals])
        starts = np.array([[of.get(start, nothing) for start in begun] for of in self._starts[:deals]])  # [D, S, N, 2]
        parts = sums, pairs, starts
        drawn = _resample(np.concatenate([part.reshape(deals, -1) for part in parts], axis=1))
        ends = np.cumsum([part[0].size for part in parts])[:-1]
        sums_drawn, pairs_drawn, starts_drawn = (
            columns.reshape(RESAMPLES, *part.shape[1:])
            for columns, part in zip(np.split(drawn, ends, axis=1), parts, strict=True)
        )
        met, met_drawn = pairs + pairs.transpose(0, 2, 1), pairs_drawn + pairs_drawn.transpose(0, 2, 1)
        win_rates = _ratios(_share, sums, sums_drawn, WINS, GAMES)
        scores, earned = (_ratios(_ratio, sums, sums_drawn, column, GAMES) for column in (SCORE, UTILITY))
        times = _ratios(_ratio, sums, sums_drawn, MILLISECONDS, DECISIONS)
        ratings = _ratings(pairs.sum(axis=0), pairs_drawn[:RATING_RESAMPLES])
        found = []
        for name, agent in enumerate(self._names):
            ahead = {
                other: _share(pairs[:, name, at], met[:, name, at], pairs_drawn[:, name, at], met_drawn[:, name, at])
                for at, other in enumerate(self._names)
                if met[:, name, at].any()
            }
            by_start = {
                start: _share(*starts[:, at, name].T[::-1], *starts_drawn[:, at, name].T[::-1])
                for at, start in enumerate(begun)
                if starts[:, at, name].any()
            }
            faults = [why for deal, why in self._faults[agent] if deal < deals]
            found.append(
                Row(
                    agent=agent,
                    games=int(sums[:, name, GAMES].sum()),
                    win_rate=win_rates[name],
                    rating=ratings[name],
                    score=scores[name],
                    rank=_rank_of(earned[name], self._plan.players),
                    utility=earned[name],
                    milliseconds=times[name],
                    ahead_of=ahead,
                    by_start=by_start,
                    faults=len(faults),
                    first_fault=faults[0] if faults else None,
                )
            )
        return sorted(found, key=lambda row: (-row.win_rate.value, row.agent))


@functools.cache
def utilities(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """What each seat's rank earns, as in the reward of that name; who forfeited is last, however many there are."""
    found = np.zeros(len(ranks))
    rewards.write_rewards(rewards.RANK, 1.0, np.array(ranks), np.zeros(len(ranks)), found)
    return tuple(np.maximum(found, -1.0).tolist())


def _rank_of(utility: Estimate, players: int) -> Estimate:
    """The mean rank that a mean utility stands for."""
    value, high, low = (1 + (1 - found) / 2 * (players - 1) for found in (utility.value, utility.low, utility.high))
    return Estimate(value, low, high)


def _resample(columns: Numbers) -> Numbers:
    """Sums [R, ...] of columns [D, ...] when deals are drawn anew with replacement; the same draws every time."""
    deals = len(columns)
    flat = columns.reshape(deals, -1)
    chance = np.random.default_rng(BOOTSTRAP_SEED)
    at_once = max(1, WEIGHTS_AT_ONCE // deals)
    parts = [
        chance.multinomial(deals, np.full(deals, 1 / deals), min(at_once, RESAMPLES - first)).astype(float) @ flat
        for first in range(0, RESAMPLES, at_once)
    ]
    return np.concatenate(parts).reshape(RESAMPLES, *columns.shape[1:])


def _ratio(above: Numbers, below: Numbers, drawn_above: Numbers, drawn_below: Numbers) -> Estimate:
    """The sum of one column [D] over that of another, with what came of it in the resamples [R]."""
    value = float(above.sum() / below.sum()) if below.any() else 0.0
    there = drawn_below > 0
    if not there.any():
        return Estimate(value, value, value)
    return _interval(value, drawn_above[there] / drawn_below[there])


def _share(above: Numbers, below: Numbers, drawn_above: Numbers, drawn_below: Numbers) -> Estimate:
    """A ratio that is a part of a whole.

    What never happened is never drawn either: then the interval ends where it would have happened on some deal with a
    chance of 97.5%.
    """
    found = _ratio(above, below, drawn_above, drawn_below)
    seldom = 1 - 0.025 ** (1 / max(1, np.count_nonzero(below)))
    if not above.any():
        return Estimate(0.0, 0.0, seldom)
    if (above == below).all():
        return Estimate(1.0, 1 - seldom, 1.0)
    return found


def _ratios(kind: Callable[..., Estimate], sums: Numbers, drawn: Numbers, above: int, below: int) -> list[Estimate]:
    """One or the other of each name, of columns of sums [D, N, C] and [R, N, C]."""
    return [
        kind(sums[:, name, above], sums[:, name, below], drawn[:, name, above], drawn[:, name, below])
        for name in range(sums.shape[1])
    ]


def _interval(value: float, drawn: Numbers) -> Estimate:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def rate(pairs: Numbers) -> Numbers:
    """Plackett-Luce strengths [N] on the scale of Elo, from how often each came before each other [N, N].

    In that model who comes first of two does not depend on who else is at the table, so all pairs of all rankings can
    be fitted together. Pairs of a game are not independent; intervals allow for it, since deals are resampled.
    """
    import choix

    met = (pairs + pairs.T) > 0
    counted = pairs + HALF_A_WIN * met
    try:
        strengths = choix.ilsr_pairwise_dense(counted, alpha=LOOSE, max_iter=1000)
    except RuntimeError:  # not quite settled: nearly is good enough for a rating
        strengths = choix.ilsr_pairwise_dense(counted, alpha=LOOSE, max_iter=10_000, tol=1e-3)
    found: Numbers = MEAN_RATING + ELO * strengths
    return found


def _ratings(pairs: Numbers, drawn: Numbers) -> list[Estimate]:
    resampled = np.array([rate(again) for again in drawn])
    return [_interval(float(value), resampled[:, name]) for name, value in enumerate(rate(pairs))]
