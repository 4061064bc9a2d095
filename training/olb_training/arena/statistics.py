"""Statistics of a tournament: numbers for every agent, each with a 95% interval.

Intervals come from a bootstrap over deals: deals are drawn at random, so whole deals are resampled, with all games
played on them. A number that was the same on all deals gets an interval too, as long as other deals could change it.
"""

from __future__ import annotations

import functools
import importlib.util
import itertools
import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from olb_env.core.rewards import rank_rewards
from olb_training.arena.schedule import Plan, rotations
from olb_training.arena.worker import UnitResult

Numbers = npt.NDArray[np.float64]

RESAMPLES, RATING_RESAMPLES = 2000, 400
BOOTSTRAP_SEED = 2**31 - 1
MAX_WEIGHTS = 4_000_000  # numbers in memory at once while resampling
ELO = 400 / math.log(10)  # whoever is rated this much higher is e times as likely to finish ahead
MEAN_RATING = 1500
PRIOR_WINS = 0.5  # added both ways to every pair that met, so that an agent that never lost has a rating too
REGULARISATION = 1e-9  # so that there is a solution even if some agents have no games in common, directly or not

ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth")

GAMES, WINS, SCORE, RANK_REWARD, MILLISECONDS, DECISIONS = range(6)  # columns of the sums


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval."""

    value: float
    low: float
    high: float
    bound: Literal["low", "high"] | None = None  # the only end that the results tell, if it is only one

    @property
    def half_width(self) -> float:
        """The distance from the value to the farther end of the interval."""
        return max(self.high - self.value, self.value - self.low)


@dataclass(frozen=True)
class Row:
    """The statistics of one agent, a row of the report."""

    agent: str
    games: int  # seats that it held, in all rotations
    win_rate: Estimate
    rating: Estimate | None  # None without choix, and for an agent that met no other
    score: Estimate
    rank: Estimate  # 1 is best; shared places count as their middle
    rank_reward: Estimate  # the reward `rank`: 1 for the first, -1 for the last
    milliseconds: Estimate  # per decision
    ahead_of: dict[str, Estimate]  # how often it finished ahead of each other agent that it met
    by_start: dict[str, Estimate]  # the win rate by where it started
    forfeits: int  # forfeited games
    first_forfeit: str | None  # the reason of the first one


class Tally:
    """Sums over the games of each deal for N agents: everything that the statistics need."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._names = list(dict.fromkeys(plan.agents))
        indices = [self._names.index(name) for name in plan.agents]
        self._seatings = [  # by lineup, rotation and seat
            [[indices[agent] for agent in seating] for seating in rotations(lineup)] for lineup in plan.lineups()
        ]
        self._sums: list[Numbers] = []  # by deal: [N, 6]
        self._pairs: list[Numbers] = []  # by deal: how often one finished ahead of another [N, N]
        self._starts: list[dict[str, Numbers]] = []  # by deal and start: games and wins [N, 2]
        self._forfeits: dict[str, list[tuple[int, str]]] = {name: [] for name in self._names}  # (deal, reason)

    @property
    def deals(self) -> int:
        """The number of deals, complete or not."""
        return len(self._sums)

    def add(self, results: Iterable[UnitResult]) -> None:
        """Add the results of some units."""
        count = len(self._names)
        for result in results:
            while self.deals <= result.unit.deal:
                self._sums.append(np.zeros((count, 6)))
                self._pairs.append(np.zeros((count, count)))
                self._starts.append({})
            for game, seating in enumerate(self._seatings[result.unit.lineup]):
                self._add_game(result, game, seating)

    def _add_game(self, result: UnitResult, game: int, seating: list[int]) -> None:
        deal, count = result.unit.deal, len(self._names)
        sums, pairs, starts = self._sums[deal], self._pairs[deal], self._starts[deal]
        ranks = result.ranks[game]
        win = 1 / max(1, ranks.count(1))  # the first share the win; there is none if all have forfeited
        rewards = capped_rank_rewards(tuple(ranks))
        for seat, agent in enumerate(seating):
            won = win if ranks[seat] == 1 else 0.0
            milliseconds, decisions = 1000 * result.seconds[game][seat], result.decisions[game][seat]
            sums[agent] += (1, won, result.scores[game][seat], rewards[seat], milliseconds, decisions)
            starts.setdefault(result.starts[game][seat], np.zeros((count, 2)))[agent] += (1, won)
            for other in range(seat):
                if seating[other] != agent:
                    ahead = 0.5 + 0.5 * np.sign(ranks[other] - ranks[seat])
                    pairs[agent, seating[other]] += ahead
                    pairs[seating[other], agent] += 1 - ahead
        for forfeited_game, seat, reason in result.forfeits:
            if forfeited_game == game:
                self._forfeits[self._names[seating[seat]]].append((deal, reason))

    def win_rates(self) -> dict[str, Estimate]:
        """Return the win rate of each agent, as in `rows` for all deals, but much faster."""
        sums = np.array(self._sums)
        return dict(zip(self._names, self._win_rates(sums, _resample(sums)), strict=True))

    def _win_rates(self, sums: Numbers, drawn: Numbers) -> list[Estimate]:
        if len(self._names) == 1:  # it plays against itself only, and wins exactly its share
            share = float(sums[:, 0, WINS].sum() / max(1.0, sums[:, 0, GAMES].sum()))
            return [Estimate(share, share, share)]
        return _ratios(_share, sums, drawn, WINS, GAMES)

    def max_half_width(self) -> float:
        """Return the largest half width of a win rate."""
        return max(estimate.half_width for estimate in self.win_rates().values())

    def rows(self, deals: int) -> list[Row]:
        """Return the statistics of the first deals, the agent with the best win rate first."""
        count = len(self._names)
        start_names = sorted({start for starts in self._starts for start in starts}, key=natural_order)
        nothing = np.zeros((count, 2))
        sums, pairs = np.array(self._sums[:deals]), np.array(self._pairs[:deals])
        starts = np.array(  # [D, S, N, 2]
            [[by_start.get(start, nothing) for start in start_names] for by_start in self._starts[:deals]]
        )
        parts = sums, pairs, starts
        drawn = _resample(np.concatenate([part.reshape(deals, -1) for part in parts], axis=1))
        ends = np.cumsum([part[0].size for part in parts])[:-1]
        sums_drawn, pairs_drawn, starts_drawn = (
            columns.reshape(RESAMPLES, *part.shape[1:])
            for columns, part in zip(np.split(drawn, ends, axis=1), parts, strict=True)
        )
        met, met_drawn = pairs + pairs.transpose(0, 2, 1), pairs_drawn + pairs_drawn.transpose(0, 2, 1)
        win_rates = self._win_rates(sums, sums_drawn)
        scores, rewards = _ratios(_ratio, sums, sums_drawn, SCORE, GAMES), _rank_rewards(sums, sums_drawn)
        times = _ratios(_ratio, sums, sums_drawn, MILLISECONDS, DECISIONS)
        ratings = _ratings(pairs, pairs_drawn[:RATING_RESAMPLES])
        rows = []
        for agent, name in enumerate(self._names):
            ahead = {
                other: _share(
                    pairs[:, agent, at], met[:, agent, at], pairs_drawn[:, agent, at], met_drawn[:, agent, at]
                )
                for at, other in enumerate(self._names)
                if met[:, agent, at].any()
            }
            by_start = {
                start: _share(*starts[:, at, agent].T[::-1], *starts_drawn[:, at, agent].T[::-1])
                for at, start in enumerate(start_names)
                if starts[:, at, agent].any()
            }
            forfeits = [reason for deal, reason in self._forfeits[name] if deal < deals]
            rows.append(
                Row(
                    agent=name,
                    games=int(sums[:, agent, GAMES].sum()),
                    win_rate=win_rates[agent],
                    rating=ratings[agent],
                    score=scores[agent],
                    rank=_rank_of(rewards[agent], self._plan.players),
                    rank_reward=rewards[agent],
                    milliseconds=times[agent],
                    ahead_of=ahead,
                    by_start=by_start,
                    forfeits=len(forfeits),
                    first_forfeit=forfeits[0] if forfeits else None,
                )
            )
        return sorted(rows, key=lambda row: (-row.win_rate.value, row.agent))


@functools.cache
def capped_rank_rewards(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """Return the reward `rank` of each seat; agents that forfeited are all last, and none gets less than -1."""
    return tuple(max(reward, -1.0) for reward in rank_rewards(ranks))


def natural_order(name: str) -> tuple[int, str]:
    """Return a key that sorts first, second, third and 1, 2, 10 as people do, and other names by their letters."""
    if name in ORDINALS:
        return 1 + ORDINALS.index(name), name
    number = re.match(r"\d{1,9}", name)
    return (int(number.group()) if number else 10**9), name


def _rank_rewards(sums: Numbers, drawn: Numbers) -> list[Estimate]:
    """Return the mean of the reward `rank` for each agent, as the share of the way from -1 to 1."""
    way, way_drawn = sums.copy(), drawn.copy()
    for columns in (way, way_drawn):
        columns[..., RANK_REWARD] = (columns[..., RANK_REWARD] + columns[..., GAMES]) / 2
    shares = _ratios(_share, way, way_drawn, RANK_REWARD, GAMES)
    return [Estimate(2 * one.value - 1, 2 * one.low - 1, 2 * one.high - 1, one.bound) for one in shares]


def _rank_of(reward: Estimate, players: int) -> Estimate:
    """Return the mean rank that corresponds to a mean of the reward `rank`."""
    value, high, low = (1 + (1 - part) / 2 * (players - 1) for part in (reward.value, reward.low, reward.high))
    return Estimate(value, low, high, {"low": "high", "high": "low", None: None}[reward.bound])


def _resample(columns: Numbers) -> Numbers:
    """Return sums [R, ...] of columns [D, ...] over deals drawn with replacement; every call draws the same deals."""
    deals = len(columns)
    flat = columns.reshape(deals, -1)
    rng = np.random.default_rng(BOOTSTRAP_SEED)
    at_once = max(1, MAX_WEIGHTS // deals)
    parts = [
        rng.multinomial(deals, np.full(deals, 1 / deals), min(at_once, RESAMPLES - first)).astype(float) @ flat
        for first in range(0, RESAMPLES, at_once)
    ]
    return np.concatenate(parts).reshape(RESAMPLES, *columns.shape[1:])


def _ratio(
    numerators: Numbers, denominators: Numbers, drawn_numerators: Numbers, drawn_denominators: Numbers
) -> Estimate:
    """Return the sum of one column [D] divided by that of another, with its interval from the resamples [R]."""
    value = float(numerators.sum() / denominators.sum()) if denominators.any() else 0.0
    defined = drawn_denominators > 0
    if not defined.any():
        return Estimate(value, value, value)
    return _interval(value, drawn_numerators[defined] / drawn_denominators[defined])


def _share(
    numerators: Numbers, denominators: Numbers, drawn_numerators: Numbers, drawn_denominators: Numbers
) -> Estimate:
    """Return a ratio from 0 to 1.

    If it was the same on all deals, it is the same in all resamples. Then the interval reaches as far as a deal in
    `rare` could move it: the rate at which other deals would have come up at least once with a probability of 97.5%.
    """
    estimate = _ratio(numerators, denominators, drawn_numerators, drawn_denominators)
    if len(numerators) < 2:
        return estimate
    value, rare = estimate.value, rarest(max(1, int(np.count_nonzero(denominators))))
    if np.allclose(numerators, value * denominators, rtol=0, atol=1e-9):
        bound: Literal["low", "high"] | None = "high" if value == 0 else "low" if value == 1 else None
        return Estimate(value, value - rare * value, value + rare * (1 - value), bound)
    return Estimate(value, estimate.low, estimate.high)


def rarest(deals: int, probability: float = 0.025) -> float:
    """Return the rate of an event that is missing on this many deals with this probability."""
    return float(1 - probability ** (1 / deals))


def _ratios(
    kind: Callable[..., Estimate], sums: Numbers, drawn: Numbers, numerator: int, denominator: int
) -> list[Estimate]:
    """Return the ratio of two columns for each agent, from sums [D, N, C] and their resamples [R, N, C]."""
    return [
        kind(
            sums[:, agent, numerator],
            sums[:, agent, denominator],
            drawn[:, agent, numerator],
            drawn[:, agent, denominator],
        )
        for agent in range(sums.shape[1])
    ]


def _interval(value: float, drawn: Numbers) -> Estimate:
    low, high = np.percentile(drawn, [2.5, 97.5])
    return Estimate(value, float(low), float(high))


def fit_ratings(pairs: Numbers) -> Numbers:
    """Return Plackett-Luce strengths [N] on the Elo scale, from how often each finished ahead of each other [N, N].

    In this model the order of two agents does not depend on the others at the table, so all pairs of all rankings can
    be fitted together. The pairs of a game are not independent; the intervals allow for that by resampling deals.
    """
    import choix

    met = (pairs + pairs.T) > 0
    wins = pairs + PRIOR_WINS * met
    try:
        strengths = choix.ilsr_pairwise_dense(wins, alpha=REGULARISATION, max_iter=1000)
    except RuntimeError:  # it did not converge: a rating needs less precision
        strengths = choix.ilsr_pairwise_dense(wins, alpha=REGULARISATION, max_iter=10_000, tol=1e-3)
    ratings: Numbers = MEAN_RATING + ELO * strengths
    return ratings


def has_choix() -> bool:
    """Return whether ratings can be fitted."""
    try:
        return importlib.util.find_spec("choix") is not None
    except ValueError:  # it is blocked
        return False


def _ratings(pairs: Numbers, drawn: Numbers) -> list[Estimate | None]:
    """Return the ratings [N] from pairs on each deal [D, N, N] and in each resample [R, N, N]; None without choix.

    An agent that always finished ahead of all others, or never, has a rating that only the added half wins keep finite:
    its estimate is a bound.
    """
    total = pairs.sum(axis=0)
    if not has_choix() or not total.any():
        return [None] * len(total)
    if len(pairs) < 2:
        return [Estimate(rating, rating, rating) for rating in fit_ratings(total).tolist()]
    drawn = _vary_constant_pairs(pairs, drawn)
    resampled = np.array([fit_ratings(resample) for resample in drawn])
    estimates: list[Estimate | None] = []
    for agent, value in enumerate(fit_ratings(total)):
        one = _interval(float(value), resampled[:, agent])
        low, high = min(one.low, one.value), max(one.high, one.value)
        bound: Literal["low", "high"] | None = None
        if not total[:, agent].any():
            bound = "low"
        elif not total[agent].any():
            bound = "high"
        estimates.append(Estimate(one.value, low, high, bound))
    return estimates


def _vary_constant_pairs(pairs: Numbers, drawn: Numbers) -> Numbers:
    """Return resamples in which also those pairs vary that ended alike on all deals, as other deals may end otherwise.

    How far follows from the same rates as the intervals of shares.
    """
    varied, rng = drawn.copy(), np.random.default_rng(BOOTSTRAP_SEED)
    for one, other in itertools.combinations(range(pairs.shape[1]), 2):
        ahead, met = pairs[:, one, other], pairs[:, one, other] + pairs[:, other, one]
        if not met.any():
            continue
        share = ahead.sum() / met.sum()
        if not np.allclose(ahead, share * met, rtol=0, atol=1e-9):
            continue
        deals = int(np.count_nonzero(met))
        moved = 1 - rng.random(len(drawn)) ** (1 / deals)  # of all deals
        up = rng.random(len(drawn)) < 0.5 if 0 < share < 1 else share == 0
        shares = np.where(up, share + moved * (1 - share), share - moved * share)
        met_drawn = drawn[:, one, other] + drawn[:, other, one]
        varied[:, one, other], varied[:, other, one] = shares * met_drawn, (1 - shares) * met_drawn
    return varied
