"""Statistics of results: intervals that hold, shared ranks, ratings that recover the true strengths."""

from __future__ import annotations

import numpy as np
import pytest

from olb_training.arena.statistics import Row, Tally, capped_rank_rewards, fit_ratings
from tests.support.small_tournaments import plan, result


def test_intervals_contain_the_truth_about_as_often_as_they_should() -> None:
    """In nearly all of many small tournaments of equal agents the interval contains one half."""
    rng, held = np.random.default_rng(0), 0
    contest = plan("random", "tests.support.some_agents:First")
    sides = [[1, 2], [2, 1]]
    for _ in range(60):
        tally = Tally(contest)
        tally.add(result([sides[rng.integers(2)] for _ in range(2)], deal) for deal in range(60))
        rate = tally.win_rates()["random"]
        held += rate.low <= 0.5 <= rate.high
        assert 0.06 < rate.half_width < 0.13  # 1.96 standard errors of 120 games are 0.09
    assert held >= 52
    assert {row.agent: row.win_rate for row in tally.rows(60)} == tally.win_rates()


def test_an_event_that_never_happened_keeps_an_interval() -> None:
    """Sixty deals without a win do not prove that there will never be one: 0.94^60 is 2.5%."""
    tally = Tally(plan("random", "tests.support.some_agents:First"))
    tally.add(result([[1, 2], [2, 1]], deal) for deal in range(60))
    winner, loser = tally.rows(60)
    assert (loser.win_rate.low, loser.win_rate.value) == (0, 0)
    assert loser.win_rate.high == pytest.approx(0.06, abs=0.001)
    assert winner.win_rate.low == pytest.approx(0.94, abs=0.001)


def test_a_shared_first_rank_is_a_shared_win() -> None:
    tally = Tally(plan("random", "tests.support.some_agents:First"))
    tally.add(result([[1, 1], [1, 2]], deal) for deal in range(2))
    rows = {row.agent: row for row in tally.rows(2)}
    assert rows["random"].win_rate.value == pytest.approx(0.25)
    assert rows["random"].ahead_of["tests.support.some_agents:First"].value == pytest.approx(0.25)


def rows_with(*ranks: list[int]) -> tuple[Row, ...]:
    """Return the rows of two agents, sorted by name, if all deals end with these ranks."""
    tally = Tally(plan("random", "tests.support.some_agents:First", *["random"] * (len(ranks) - 2), players=len(ranks)))
    starts = [["0"] * len(ranks)] * len(ranks)
    tally.add(result(list(ranks), deal, starts) for deal in range(3))
    return tuple(sorted(tally.rows(3), key=lambda row: row.agent))


def test_the_rank_reward_falls_from_one_to_minus_one() -> None:
    first, second = rows_with([1, 2], [1, 2])
    assert (first.rank_reward.value, first.rank.value) == (second.rank_reward.value, second.rank.value) == (0, 1.5)
    always, never = rows_with([1, 2], [2, 1])
    assert (always.rank_reward.value, always.rank.value) == (1, 1)
    assert (never.rank_reward.value, never.rank.value) == (-1, 2)


def test_shared_places_count_as_their_middle() -> None:
    one, other = rows_with(*[[1, 1, 1, 1]] * 4)
    assert one.rank.value == other.rank.value == 2.5
    assert one.rank_reward.value == other.rank_reward.value == 0
    assert capped_rank_rewards((1, 3, 1, 3)) == pytest.approx((2 / 3, -2 / 3) * 2)
    assert capped_rank_rewards((2, 1, 2)) == (-0.5, 1, -0.5)


def test_all_agents_that_forfeit_are_last() -> None:
    assert capped_rank_rewards((3, 1, 3)) == (-1, 1, -1)
    assert capped_rank_rewards((2, 2)) == (-1, -1)


def test_rank_and_its_reward_have_the_same_interval() -> None:
    """Neither of two equal agents is clearly ahead, and one interval is the mirror image of the other."""
    tally, rng = Tally(plan("random", "tests.support.some_agents:First")), np.random.default_rng(3)
    sides = [[1, 2], [2, 1], [1, 1]]
    tally.add(result([sides[rng.integers(3)] for _ in range(2)], deal) for deal in range(60))
    for row in tally.rows(60):
        assert row.rank_reward.low < 0 < row.rank_reward.high
        mirrored = (1.5 - row.rank_reward.value / 2, 1.5 - row.rank_reward.high / 2, 1.5 - row.rank_reward.low / 2)
        assert (row.rank.value, row.rank.low, row.rank.high) == pytest.approx(mirrored)


def test_head_to_head_and_starts_follow_the_seating() -> None:
    """If the first of two seats wins both games of a deal, each agent wins where it started on A."""
    tally = Tally(plan("random", "tests.support.some_agents:First"))
    tally.add(result([[1, 2], [1, 2]], deal, [["A", "B"], ["A", "B"]]) for deal in range(5))
    for row, other in zip(tally.rows(5), reversed(tally.rows(5)), strict=True):
        assert {start: found.value for start, found in row.by_start.items()} == {"A": 1, "B": 0}
        assert {name: found.value for name, found in row.ahead_of.items()} == {other.agent: 0.5}
        assert row.rating.value == pytest.approx(1500)


def test_ratings_recover_the_strengths_behind_the_rankings() -> None:
    """In a Plackett-Luce model the next agent is drawn by strength among those left."""
    rng, strengths = np.random.default_rng(1), np.array([8.0, 4.0, 2.0, 1.0])
    pairs = np.zeros((4, 4))
    for _ in range(5000):
        order = np.argsort(-(np.log(strengths) + rng.gumbel(size=4)))
        for place, ahead in enumerate(order):
            pairs[ahead, order[place + 1 :]] += 1
    expected = 1500 + 400 * np.log10(strengths / np.exp(np.log(strengths).mean()))
    assert fit_ratings(pairs) == pytest.approx(expected, abs=15)


def test_half_a_win_each_way_is_added_to_every_pair_that_met() -> None:
    """3:0 counts as 3.5:0.5, a difference of 400 log10(7); an agent that met nobody has a finite rating too."""
    pairs = np.zeros((3, 3))
    pairs[0, 1] = 3
    first, second, alone = fit_ratings(pairs)
    assert first - second == pytest.approx(400 * np.log10(7), abs=0.1)
    assert np.isfinite(alone)
