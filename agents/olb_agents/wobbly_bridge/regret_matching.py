"""How a table is mixed: with what chances everybody should draw a card, so that nobody can do much better.

The whole table is imagined to play this match again and again. Each time cards are dealt that fit what everybody has
seen, all draw their picks, and everybody regrets the cards that would have ended better. The more a card is regretted,
the likelier it is drawn the next time; what was drawn on average are the chances (regret matching). They follow from
what is public, for every special card that a seat may hold: who knows how they are found does not know the card.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.sampling import draw
from olb_agents.wobbly_bridge.action_scores import try_cards
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.rng import advance, stream
from olb_env.wobbly_bridge.components import CARDS, MOST_PLAYERS, NORMALS, PLAYERS, SPECIALS
from olb_env.wobbly_bridge.dealing import resample
from olb_env.wobbly_bridge.legal_actions import SIZE_OF, legal_set

NOBODY: Final = -1  # who knows what is public and nothing else
SELDOM: Final = 0.03  # what is drawn less often than this is not drawn at all
SIZE: Final = (MOST_PLAYERS, 1 + SPECIALS, len(CARDS))  # of each seat, with no special card or one of them in hand
ROUNDS_FIRST: Final = 2**36  # streams of rounds


@rule
def holding(game: State, seat: int) -> int:
    """Which special card a seat has in hand, counted from 1; 0 for none."""
    return int(game.special[seat]) - NORMALS + 1 if game.seats[seat].holds_special else 0


@rule
def mix_table(game: State, rounds: int, style: Any, scratch: Any, numbers: Any, regrets: Any, drawn: Any) -> None:
    """How often every seat should draw each card, for the question that stands; `regrets` and `drawn` are of SIZE."""
    own = style[int(game.players) - PLAYERS[0]]
    regrets[:] = 0
    drawn[:] = 0
    world = scratch[0]
    for number in range(rounds):
        scratch[0] = game
        chance = stream(ROUNDS_FIRST, number)
        resample(world, NOBODY, chance)
        for seat in range(game.players):
            found = legal_set(world, seat)
            if found != 0:
                held = holding(world, seat)
                share(found, regrets[seat, held], numbers[0])
                for card in range(len(CARDS)):
                    drawn[seat, held, card] += (number + 1) * numbers[0, card]  # later rounds are wiser
                chance = advance(chance)
                world.pick[seat] = draw(numbers[0, : len(CARDS)], chance) + 1
        for seat in range(game.players):
            found = legal_set(world, seat)
            if SIZE_OF[found] > 1:
                try_cards(world, seat, found, own, chance, scratch[1:], numbers)
                regret(found, numbers, regrets[seat, holding(world, seat)])


@rule
def regret(found: int, numbers: Any, regrets: Any) -> None:
    """Count how much better each card of a set was than what is drawn, never below nothing; `numbers[0]` is scratch."""
    share(found, regrets, numbers[0])
    expected = 0.0
    for card in range(len(CARDS)):
        expected += numbers[0, card] * numbers[1, card]
    for card in range(len(CARDS)):
        if (found >> card) & 1:
            regrets[card] = max(0.0, regrets[card] + numbers[1, card] - expected)


@rule
def share(found: int, counted: Any, out: Any) -> None:
    """Chances for the cards of a set, as much for each as it counts; all alike if none does."""
    total = 0.0
    for card in range(len(CARDS)):
        if (found >> card) & 1:
            total += counted[card]
    for card in range(len(CARDS)):
        out[card] = 0.0
        if (found >> card) & 1:
            out[card] = counted[card] / total if total > 0 else 1 / SIZE_OF[found]


@rule
def chances_of(game: State, seat: int, drawn: Any, out: Any) -> None:
    """With what chances [A] a seat draws its answer, when its table is mixed; what was only tried is left out."""
    found = legal_set(game, seat)
    own = drawn[seat, holding(game, seat)]
    share(found, own, out)
    for card in range(len(CARDS)):
        if out[card] < SELDOM:
            own[card] = 0.0
    share(found, own, out)


@rule
def room_to_mix() -> Any:
    """For `mix_table`."""
    return np.zeros(SIZE), np.zeros(SIZE)
