"""How reports show numbers and names: intervals that still say something, names that are told apart, 80 columns."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from olb_training.arena.console_report import (
    MAX_AGENTS_WITH_INTERVALS,
    MAX_NAME,
    format_estimate,
    format_share,
    print_report,
    short_names,
)
from olb_training.arena.html_report import render_report
from olb_training.arena.statistics import Estimate, Row
from tests.support.small_tournaments import plan

NUMBER = r"-?\d+(?:\.\d+)?"


def row(agent: str, share: Estimate, others: tuple[str, ...] = ()) -> Row:
    """Return a row in which all shares are the same, and the rank reward goes with them."""
    reward = Estimate(2 * share.value - 1, 2 * share.low - 1, 2 * share.high - 1, share.bound)
    return Row(
        agent, 12_000, share, Estimate(1500, 1380, 1612), Estimate(154.3, 152.1, 155), Estimate(3.99, 3.9, 4), reward,
        Estimate(12.3, 12, 13), dict.fromkeys(others, share), dict.fromkeys("ABCD", share), 0, None,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (Estimate(0.9996, 0.996, 1.0), "99.96 (99.60–100.00)"),
        (Estimate(0.996, 0.98, 1.0), "99.6 (98.0–100.0)"),
        (Estimate(0.0025, 0.0, 0.005), "0.2±0.2"),
        (Estimate(0.003, 0.001, 0.01), "0.3 (0.1–1.0)"),
        (Estimate(0.00001, 0.0, 0.004), "0.001 (0.000–0.400)"),
        (Estimate(0.98, 0.9, 1.0), "98 (90–100)"),
    ],
)
def test_shares_near_an_end_have_as_many_digits_as_they_need(share: Estimate, text: str) -> None:
    assert format_share(share) == text


@pytest.mark.parametrize(
    ("reward", "text"),
    [
        (Estimate(-0.98, -1.0, -0.95), "-0.98 (-1.00 to -0.95)"),
        (Estimate(0.4, -0.71, 0.92), "0.4 (-0.7 to 0.9)"),
        (Estimate(0.9, 0.5, 1.0), "0.9 (0.5–1.0)"),
    ],
)
def test_an_end_that_is_negative_is_not_behind_a_dash(reward: Estimate, text: str) -> None:
    assert format_estimate(reward, digits=2, within=(-1, 1)) == text
    page = render_report(plan("random", "random"), [replace(row("random", reward), rank_reward=reward)], 5)
    assert f"<td>{text}</td>" in page


def test_a_dash_is_never_before_a_minus_and_no_interval_collapses(trials: Callable[[int, int], int]) -> None:
    """Whatever the interval: its ends and the number are told apart if they differ by a thousandth of the range."""
    rng, ranges = random.Random(5), 0
    for _ in range(trials(2000, 50_000)):
        low, value, high = sorted(rng.choice((rng.random(), rng.random() ** 8, 1 - rng.random() ** 8)) for _ in "lvh")
        for text in (
            format_share(Estimate(value, low, high)),
            format_estimate(Estimate(2 * value - 1, 2 * low - 1, 2 * high - 1), digits=2, within=(-1, 1)),
        ):
            assert "–-" not in text
            found = re.fullmatch(rf"({NUMBER}) \(({NUMBER})(?:–| to )({NUMBER})\)", text)
            assert found or re.fullmatch(rf"{NUMBER}±{NUMBER}", text), text
            if found and min(value - low, high - value) > 0.001:
                middle, first, last = map(float, found.groups())
                assert first < middle < last, text
                ranges += 1
    assert ranges > 100


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("planner", "planner"),
        ("champion:500", "champion:500"),
        ("champion:100000", "…pion:100000"),
        ("policy:a.safetensors", "policy:a"),
        ("policy:runs/network.safetensors", "…network"),
        ("policy:runs/network.safetensors:64", "…network:64"),
        ("policy:runs/a/net.safetensors", "…runs/a/net"),
        ("bots/of/mine.py:Bot", "…mine.py:Bot"),
        ("deep/a/b.py:VeryLongName", "…eryLongName"),
        ("x" * 40, "…" + "x" * 11),
    ],
)
def test_a_long_name_is_its_end(name: str, short: str) -> None:
    assert short_names([name], MAX_NAME) == {name: short}


@pytest.mark.parametrize(
    "names",
    [
        ["policy:runs/a/network.safetensors", "policy:runs/b/network.safetensors"],
        ["policy:runs/a/network.safetensors", "policy:runs/a/network.safetensors:64"],
        ["policy:runs/network", "policy:runs/network.safetensors"],
        ["…runs/network", "policy:runs/network.safetensors"],
        ["a" + "x" * 300, "b" + "x" * 300, "c" + "x" * 299],
    ],
)
def test_short_names_are_told_apart(names: list[str]) -> None:
    assert short_names([], MAX_NAME) == {}
    for most in (1, MAX_NAME, 16):
        found = short_names(names, most)
        assert list(found) == names
        assert len(set(found.values())) == len(names)


WIDEST = (Estimate(0.0004, 0.00001, 0.0021), Estimate(0.9996, 0.997, 1.0), Estimate(0.25, 0.2, 0.3))


@pytest.mark.parametrize("share", WIDEST)
@pytest.mark.parametrize("count", [2, MAX_AGENTS_WITH_INTERVALS, MAX_AGENTS_WITH_INTERVALS + 3])
def test_the_widest_numbers_fit_into_80_columns(
    share: Estimate, count: int, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """No number is cut or broken in two, and names keep a line of their own."""
    monkeypatch.setenv("COLUMNS", "80")
    agents = ("planner", *(f"policy:runs/{number}/network.safetensors" for number in range(1, count)))
    print_report(plan(*agents, players=count), [row(agent, share, agents) for agent in agents], 100)
    shown = capsys.readouterr().out
    lines = shown.splitlines()
    assert max(map(len, lines)) <= 80
    names = short_names(agents, MAX_NAME)
    for name in agents[1:]:
        assert f"{names[name]} is {name}" in lines
    standings, rest = shown.split("head to head")
    pairs, starts = rest.split("wins % by")
    whole = format_share(share)
    reward = format_estimate(row("x", share).rank_reward, digits=2, within=(-1, 1))
    check_table(standings, [*names.values(), whole, reward, "1500±120", "154.3±2.2", "12,000", "3.99", "12"])
    check_table(starts, [*names.values(), whole])
    if count <= MAX_AGENTS_WITH_INTERVALS:
        check_table(pairs, [*names.values(), whole])
    else:
        assert len(re.findall(rf" {100 * share.value:.0f}\b", pairs)) >= count**2
        assert "(" not in pairs


def check_table(text: str, expected: list[str]) -> None:
    """Check that a table has all of some names and numbers, broken at most between the parts of an interval."""
    words = text.split()
    for word in " ".join(expected).split():
        assert word in words or set(word.replace("–", "– ").split()) <= set(words), word
    assert set(re.findall(r"\S*…\S*", text)) <= set(expected)  # no number is cut


def test_a_table_that_fits_has_intervals_beside_numbers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    print_report(plan("random", "random"), [row("random", WIDEST[1])], 100)
    shown = capsys.readouterr().out
    assert shown.count(" 99.96 (99.70–100.00) ") >= 1
    assert "is random" not in shown
