"""The report on recorded games: intervals only where they mean something, and within what is possible."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd
import pytest

from olb_training.analysis.estimates import share_interval
from olb_training.analysis.summary import INTERVALS, LEAST_GAMES, report
from tests.support.toy_game import PEBBLES

NUMBER = r"-?\d+(?:\.\d+)?"
INTERVAL = rf"{NUMBER}±{NUMBER}|{NUMBER} \({NUMBER}(?:–| to ){NUMBER}\)|[≤≥]{NUMBER}"


def seats_of(games: Sequence[Sequence[tuple[str, float, float]]]) -> pd.DataFrame:
    """Return the seats of games, given the agent, its part of the win and its coins for each seat."""
    rows = [
        (game, seat, len(seats), agent, "AB"[seat % 2], won, coins)
        for game, seats in enumerate(games)
        for seat, (agent, won, coins) in enumerate(seats)
    ]
    return pd.DataFrame(rows, columns=["game", "seat", "players", "agent", "start", "won", PEBBLES.score])


def cells(text: str, name: str) -> list[str]:
    """Return the cells of the row of an agent or a start."""
    (line,) = re.findall(rf"^.*\b{name} +(\d.*)$", text, re.MULTILINE)
    return re.split(r"  +", line)


def duel(one_wins: int, games: int) -> pd.DataFrame:
    """Return games of two agents; the winner has 4 coins, the loser 2."""
    return seats_of(
        [[("one", 1.0, 4.0), ("two", 0.0, 2.0)]] * one_wins
        + [[("one", 0.0, 2.0), ("two", 1.0, 4.0)]] * (games - one_wins)
    )


@pytest.mark.parametrize("one_wins", [0, 1, 2, 3])
def test_few_games_have_no_intervals(one_wins: int) -> None:
    text = report(PEBBLES, duel(one_wins, 3))
    tables, notes = text.split(INTERVALS)
    assert notes == ""
    assert not re.search("[±≥≤(]", tables)
    assert cells(tables, "one") == ["3", f"{100 * one_wins / 3:.1f}", f"{2 + 2 * one_wins / 3:.1f}"]
    assert f"fewer than {LEAST_GAMES} games" in INTERVALS


def test_the_least_number_of_games_has_intervals() -> None:
    half = len(range(0, LEAST_GAMES, 2))
    assert cells(report(PEBBLES, duel(half, LEAST_GAMES)), "one") == ["30", "50.0±17.1", "3.0±0.4"]
    assert cells(report(PEBBLES, duel(half, LEAST_GAMES - 1)), "one") == ["29", "51.7", "3.0"]


def test_an_agent_in_all_seats_has_the_share_of_its_seats() -> None:
    seats = seats_of([[("one", 1.0, 4.0), ("one", 0.0, 2.0), ("one", 0.0, float(game % 2))] for game in range(60)])
    text = report(PEBBLES, seats)
    games, wins, coins = cells(text, "one")
    assert (games, wins) == ("60", "33.3")
    assert re.fullmatch(rf"2\.2±{NUMBER}", coins)
    by_start = cells(text, "A")
    assert by_start[1].startswith("50.0±")  # it is not fixed how often it wins where


def test_an_agent_that_always_wins_has_a_bound() -> None:
    text = report(PEBBLES, duel(40, 40))
    assert cells(text, "one")[1] == "≥91.2"
    assert cells(text, "two")[1] == "≤8.8"
    assert cells(text, "one")[2] == "4.0"  # the same in all games
    assert text.endswith("whose other end the results do not tell.")


def test_no_interval_leaves_the_possible_range(trials: Callable[[int, int], int]) -> None:
    """Whoever wins however often, with shared wins, and whatever the coins: no number is below 0 or above the most."""
    rng, seen = random.Random(8), 0
    for _ in range(trials(30, 300)):
        games, rate, most = rng.choice((2, 29, 30, 31, 60, 200)), rng.choice((0, 0.01, 0.1, 0.5, 0.97, 1)), 9.0
        played = []
        for _ in range(games):
            won = 0.5 if rng.random() < 0.05 else float(rng.random() < rate)
            rich = most if rng.random() < rate else 0.0
            played.append([("one", won, rich), ("two", 1 - won, most - rich)])
        text = report(PEBBLES, seats_of(played))
        for name in ("one", "two", "A", "B"):
            _, wins, coins = cells(text, name)
            assert bool(re.fullmatch(INTERVAL, wins)) == (games >= LEAST_GAMES), wins
            for cell, top in ((wins, 100), (coins, most)):
                numbers = [float(number) for number in re.findall(NUMBER, cell.replace("–", " "))]
                assert all(0 <= number <= top for number in numbers), cell
                if "±" in cell:
                    middle, half = numbers
                    assert middle - half > -0.11, cell
                    assert middle + half < top + 0.11, cell
                    assert half > 0
                    seen += 1
    assert seen


@pytest.mark.compiled
@pytest.mark.parametrize("truth", [0.03, 0.3, 0.9])
def test_intervals_of_shares_hold_the_truth(truth: float) -> None:
    """Also where plain ones would not: of 40 games of an agent that wins 3% of them, three in ten have no win."""
    rng, held = np.random.default_rng(2), 0
    for _ in range(2000):
        won = rng.random(40) < truth
        share = float(won.mean())
        error = float(won.std(ddof=1)) / np.sqrt(40)
        low, high = share_interval(share, error, 40)
        assert 0 <= low <= share <= high <= 1
        held += low <= truth <= high
    assert held / 2000 > 0.91
