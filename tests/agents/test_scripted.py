"""Styles become agents by name: what is refused, in any game."""

from __future__ import annotations

from dataclasses import replace

import pytest

from olb_agents.heuristics import heuristics_of, register_heuristics
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views, decide, make_agent
from tests.support.playthroughs import deal_one
from tests.support.toy_game import PEBBLES


def test_heuristics_without_their_default_style_are_refused() -> None:
    heuristics = heuristics_of(GAME.name)
    assert heuristics is not None
    greedy_only = {"greedy": heuristics.styles["greedy"]}
    for lacking in (replace(heuristics, default_style="nobody"), replace(heuristics, styles=greedy_only)):
        with pytest.raises(ValueError, match=r"heuristics of pebbles have no style '(nobody|planner)': .*greedy"):
            register_heuristics(PEBBLES.name, lacking)
    assert heuristics_of(PEBBLES.name) is None


def test_a_game_without_heuristics_has_no_styles() -> None:
    with pytest.raises(ValueError, match="pebbles has no style 'planner': its styles are none"):
        decide(make_agent("planner"), "planner", Views(PEBBLES, deal_one(1, PEBBLES), [1]))


def test_a_style_takes_no_number() -> None:
    with pytest.raises(ValueError, match="agent 'planner' takes nothing after a colon, but was given '3'"):
        make_agent("planner:3")
