"""By what traits networks are told where an answer leads: numbers of the position some turns later.

A network says how much each of them counts here, so it can weigh a position otherwise than the style that foresees it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from agents.portobello_market.judgement import (
    FACE_UP,
    HAND,
    MAJORITIES,
    MARK_FOUR,
    MARK_TWO,
    SCORE,
    TOKENS,
    describe,
)
from agents.portobello_market.prospects import MANY, STAGES, expected_factors
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.components import CUSTOMERS
from olb_env.portobello_market.rules import ACTION_COUNT, is_legal

POINT, STALL, TOKEN = 1.5, 0.75, 0.75  # units: small ones, meant to let it be learned sooner what a trait counts

OF_SEAT: Final = (  # the own, then the mean of the others
    "points",
    "promised, nobody to come",
    "promised, one to come",
    "promised, both to come",
    "marks",  # what they would bring
    "hand",
    "tokens",
    "face up",
    "majorities",
)
JUDGEMENT: Final = "judgement"
TRAITS: Final = (*OF_SEAT, *(f"others' {name}" for name in OF_SEAT), JUDGEMENT)
POINTS, PROMISED, MARKS, STALLS, VALUES, USABLE, OWNED = (OF_SEAT.index(name) for name in (
    "points", "promised, nobody to come", "marks", "hand", "tokens", "face up", "majorities"
))  # fmt: skip


@rule
def add_traits(game: State, seat: int, judged: float, chance: float, described: Any, out: Any) -> None:
    """The traits [T] of a position that a seat comes to with some chance; `described` is scratch."""
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for other in range(game.players):
        describe(game, other, expected, described)
        at, share = (0, chance) if other == seat else (len(OF_SEAT), chance / (int(game.players) - 1))
        out[at + POINTS] += share * described[SCORE] / POINT
        for stage in range(len(STAGES)):
            out[at + PROMISED + stage // (MANY + 1)] += share * described[stage] / POINT
        out[at + MARKS] += share * (described[MARK_FOUR] + described[MARK_TWO]) / POINT
        out[at + STALLS] += share * described[HAND] / STALL
        out[at + VALUES] += share * described[TOKENS] / TOKEN
        out[at + USABLE] += share * described[FACE_UP] / TOKEN
        out[at + OWNED] += share * described[MAJORITIES] / STALL
    out[len(TRAITS) - 1] += chance * judged / POINT


@rule
def centre(game: State, traits: Any) -> None:
    """Tell traits [A, T] as they differ from the mean of all legal actions."""
    legal = 0
    for action in range(ACTION_COUNT):
        legal += is_legal(game, action)
    for trait in range(traits.shape[1]):
        mean = traits[:, trait].sum() / max(1, legal)
        for action in range(ACTION_COUNT):
            if is_legal(game, action):
                traits[action, trait] -= mean
