"""By what traits networks are told where an answer leads: numbers of the position some turns later.

A network says how much each of them counts here, so it can weigh a position otherwise than the style that foresees it.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.portobello_market.alley_values import MANY, STAGES, expected_factors
from olb_agents.portobello_market.evaluation import (
    FACE_UP,
    FOUR,
    HAND,
    MAJORITIES,
    MARK_FOUR,
    MARK_TWO,
    SCORE,
    TOKENS,
    TWO,
    describe,
)
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.portobello_market.components import CUSTOMERS
from olb_env.portobello_market.rules import ACTION_COUNT, is_legal

POINT, STALL, TOKEN = 1.5, 0.75, 0.75  # units: small ones, meant to let it be learned sooner what a trait counts

OF_ANY: Final = ("points", "marks", "hand", "tokens", "face up", "majorities")  # marks: what they would bring
TO_COME: Final = ("promised, nobody to come", "promised, one to come", "promised, both to come")
OWN: Final = (*OF_ANY, "four", "two", *(f"promised, {stage}" for stage in STAGES))
OTHERS: Final = tuple(f"others' {name}" for name in (*OF_ANY, *TO_COME))  # the mean of them
AFTER_TURN: Final = "judgement after the turn"
JUDGEMENT: Final = "judgement"  # after the next seat's turn too, like all the other traits
TRAITS: Final = (*OWN, *OTHERS, AFTER_TURN, JUDGEMENT)
POINTS, MARKS, STALLS, VALUES, USABLE, OWNED = range(len(OF_ANY))
OWN_FOUR, OWN_TWO, OWN_PROMISED = (OWN.index(name) for name in ("four", "two", f"promised, {STAGES[0]}"))
OTHERS_PROMISED: Final = len(OF_ANY)
AT_OTHERS: Final = len(OWN)
AT_AFTER_TURN, AT_JUDGEMENT = (TRAITS.index(name) for name in (AFTER_TURN, JUDGEMENT))


@rule
def add_traits(game: State, seat: int, soon: float, judged: float, chance: float, described: Any, out: Any) -> None:
    """The traits [T] of a position that a seat comes to with some chance; `described` is scratch."""
    expected = np.zeros(len(CUSTOMERS))
    expected_factors(game, expected)
    for other in range(game.players):
        describe(game, other, expected, described)
        at, share = (0, chance) if other == seat else (AT_OTHERS, chance / (int(game.players) - 1))
        out[at + POINTS] += share * described[SCORE] / POINT
        out[at + MARKS] += share * (described[MARK_FOUR] + described[MARK_TWO]) / POINT
        out[at + STALLS] += share * described[HAND] / STALL
        out[at + VALUES] += share * described[TOKENS] / TOKEN
        out[at + USABLE] += share * described[FACE_UP] / TOKEN
        out[at + OWNED] += share * described[MAJORITIES] / STALL
        for stage in range(len(STAGES)):
            promised = OWN_PROMISED + stage if other == seat else AT_OTHERS + OTHERS_PROMISED + stage // (MANY + 1)
            out[promised] += share * described[stage] / POINT
        if other == seat:
            out[OWN_FOUR] += share * described[FOUR]
            out[OWN_TWO] += share * described[TWO]
    out[AT_AFTER_TURN] += chance * soon / POINT
    out[AT_JUDGEMENT] += chance * judged / POINT


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
