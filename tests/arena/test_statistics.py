"""Statistics of results: intervals that hold, shared ranks, ratings that recover the true strengths."""

from __future__ import annotations

import itertools
import json
import re
import sys

import numpy as np
import pytest

from olb_env.commands.olb import main
from olb_training.arena.console_report import format_estimate, format_share, row_cells
from olb_training.arena.html_report import render_report
from olb_training.arena.statistics import (
    Estimate,
    Row,
    Tally,
    capped_rank_rewards,
    fit_ratings,
    natural_order,
    rarest,
)
from tests.support.small_tournaments import plan, result
from tests.support.toy_game import PEBBLES


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


def one_sided(deals: int) -> tuple[Row, Row]:
    """Return the rows of an agent that won all games of some deals, and of one that lost them."""
    tally = Tally(plan("random", "tests.support.some_agents:First"))
    tally.add(result([[1, 2], [2, 1]], deal) for deal in range(deals))
    winner, loser = tally.rows(deals)
    return winner, loser


@pytest.mark.parametrize(("deals", "least"), [(2, "15.8"), (20, "83.2"), (200, "98.2")])
def test_a_one_sided_result_is_a_bound(deals: int, least: str) -> None:
    winner, loser = one_sided(deals)
    assert format_share(winner.win_rate) == f"≥{least}"
    assert format_share(loser.win_rate) == f"≤{100 - float(least):.1f}"
    assert row_cells(winner)[-4:-2] == ["1.00", f"≥{2 * float(least) / 100 - 1:.2f}"]
    assert (winner.rank.bound, loser.rank.bound) == ("high", "low")
    assert winner.rating is not None
    assert loser.rating is not None
    assert (winner.rating.bound, loser.rating.bound) == ("low", "high")
    assert winner.rating.low < winner.rating.value == winner.rating.high
    assert (winner.rating.low > 1500) == (deals > 2)
    assert format_estimate(winner.rating, digits=0).startswith("≥")
    assert format_estimate(loser.rating, digits=0).startswith("≤")


def test_more_deals_make_a_one_sided_rating_more_certain() -> None:
    lows = [winner.rating.low for winner, _ in map(one_sided, (5, 50, 500)) if winner.rating is not None]
    assert len(lows) == 3
    assert lows[0] + 100 < lows[1] < lows[2] - 100


@pytest.mark.parametrize("deals", [2, 20, 200])
def test_agents_that_share_every_deal_are_not_known_to_be_equal(deals: int) -> None:
    """Whoever moves first has won so far; deals that end otherwise may still come."""
    tally = Tally(plan("random", "tests.support.some_agents:First"))
    tally.add(result([[1, 2], [1, 2]], deal) for deal in range(deals))
    for row in tally.rows(deals):
        assert row.win_rate.value == 0.5
        assert row.win_rate.half_width == pytest.approx(rarest(deals) / 2)
        assert row.rating is not None
        assert row.rating.bound is None
        assert min(1500 - row.rating.low, row.rating.high - 1500) > 1
        for share in (row.win_rate, *row.ahead_of.values()):
            assert 0 <= share.low < share.high <= 1


def test_no_interval_goes_beyond_what_is_possible() -> None:
    """Of all ways in which a few deals can end, none shows a share below 0 or above 100, or a certain one."""
    ways = ([[1, 2], [2, 1]], [[2, 1], [1, 2]], [[1, 2], [1, 2]], [[1, 1], [1, 2]])
    for chosen in itertools.combinations_with_replacement(ways, 3):
        tally = Tally(plan("random", "tests.support.some_agents:First"))
        tally.add(result(way, deal) for deal, way in enumerate(chosen))
        for row in tally.rows(3):
            shares = [row.win_rate, *row.ahead_of.values(), *row.by_start.values()]
            for text in map(format_share, shares):
                numbers = [float(number) for number in re.findall(r"[\d.]+", text)]
                middle, _, half = text.partition("±")
                assert all(0 <= number <= 100 for number in numbers)
                assert re.search("[±(≤≥]", text), text
                assert not half or 0 <= float(middle) - float(half) <= float(middle) + float(half) <= 100
            assert row.rating is not None
            assert row.rating.high - row.rating.low > 1


def test_intervals_are_ranges_where_half_widths_would_go_too_far() -> None:
    assert format_share(Estimate(0.98, 0.9, 1.0)) == "98 (90–100)"
    assert format_share(Estimate(0.9, 0.85, 0.95)) == "90.0±5.0"
    assert format_estimate(Estimate(0.9, 0.5, 1.0), digits=2, within=(-1, 1)) == "0.9 (0.5–1.0)"
    assert format_estimate(Estimate(1500, 1500, 1500), digits=0) == "1500"


def test_starts_are_in_their_natural_order() -> None:
    names = ["fourth", "second", "D", "first", "10", "third", "A", "2"]
    assert sorted(names, key=natural_order) == ["first", "2", "second", "third", "fourth", "10", "A", "D"]
    tally = Tally(plan("random", *["tests.support.some_agents:First"] * 3, players=4))
    starts = [["second", "third", "fourth", "first"]] * 4
    tally.add([result([[1, 2, 3, 4]] * 4, 0, starts)])
    for row in tally.rows(1):
        assert list(row.by_start) == ["first", "second", "third", "fourth"]


def test_without_choix_there_are_no_ratings(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "choix", None)  # as if it were not installed
    words = ["arena", "--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:First", "--deals", "4"]
    assert main([*words, "--workers", "1"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("Ratings need choix: pip install olb-env[train]") == 1
    assert main([*words, "--workers", "1", "--json", "-"]) == 0
    assert [row["rating"] for row in json.loads(capsys.readouterr().out)["rows"]] == [None, None]
    rows = one_sided(5)
    page = render_report(plan("random", "tests.support.some_agents:First"), list(rows), 5)
    assert "Ratings need choix" in page
    assert "Plackett" not in page


def test_a_single_deal_has_no_intervals() -> None:
    winner, loser = one_sided(1)
    for row in (winner, loser):
        assert not re.search("[±≥≤(]", "".join(row_cells(row)))
    assert row_cells(winner)[2] == "100.0"
