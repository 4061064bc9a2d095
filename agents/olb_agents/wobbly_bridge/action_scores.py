"""How a scripted player decides: it imagines what the others may hold and pick, and judges how each answer ends.

Everybody chooses at once, so a player needs a belief about how the others choose. Some take any card, and the others
what looks best to them if everybody else takes any: how many of the latter there are is the sureness of a style. What
is drawn is the same in every game, so that a player always does the same in the same position.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from olb_agents.sampling import fraction
from olb_agents.wobbly_bridge.evaluation import FEATURES, judge
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.rng import advance, stream
from olb_env.wobbly_bridge.components import CARDS, MOST_PLAYERS, PLAYERS
from olb_env.wobbly_bridge.dealing import resample
from olb_env.wobbly_bridge.legal_actions import SIZE_OF, legal_set, sample_action
from olb_env.wobbly_bridge.rules import finish_phase
from olb_env.wobbly_bridge.state import OVER, PICK, REPLACE

# A style [TABLES, MATCHES, STYLE_SIZE]: what each feature counts in each match, then its sureness.
SURENESS: Final = len(FEATURES)
STYLE_SIZE: Final = SURENESS + 1
WORLDS: Final = 48  # imagined for a decision
LOOKS: Final = 16  # of them, to see what looks best to the others
WORTH_UNIT: Final = 0.05  # of a result, which runs from -1 to 1: so differences that matter are about 1


@rule
def weigh(game: State, seat: int, style: Any, scratch: Any, numbers: Any) -> None:
    """What each legal answer is worth to a style, into `numbers[0]`; the rest is scratch."""
    own = style[int(game.players) - PLAYERS[0]]
    sureness = own[int(game.match_number) - 1, SURENESS]
    looks = np.zeros((MOST_PLAYERS, len(CARDS)))
    if sureness > 0:
        look_for_others(game, seat, own, scratch, numbers, looks)
    numbers[0, : len(CARDS)] = 0
    world = scratch[0]
    for number in range(WORLDS):
        scratch[0] = game
        chance = imagine(world, seat, number)
        for other in range(game.players):
            chance = advance(chance)
            found = legal_set(world, other)
            if found != 0 and fraction(chance) < sureness:
                world.pick[other] = best_of(found, looks[other]) + 1
        try_cards(world, seat, np.int64(game.legal), own, chance, scratch[1:], numbers)
        for card in range(len(CARDS)):
            numbers[0, card] += numbers[1, card] / (WORLDS * WORTH_UNIT)


@rule
def look_for_others(game: State, seat: int, style: Any, scratch: Any, numbers: Any, looks: Any) -> None:
    """How each card looks to each other seat [P, A] if everybody else picks any; without their special cards known."""
    tries = np.zeros((MOST_PLAYERS, len(CARDS)))
    world = scratch[0]
    for number in range(LOOKS):
        scratch[0] = game
        chance = imagine(world, seat, WORLDS + number)
        for other in range(game.players):
            found = legal_set(world, other)
            if other != seat and SIZE_OF[found] > 1:
                try_cards(world, other, found, style, chance, scratch[1:], numbers)
                for card in range(len(CARDS)):
                    tries[other, card] += (found >> card) & 1
                    looks[other, card] += numbers[1, card]
    for other in range(game.players):
        for card in range(len(CARDS)):
            looks[other, card] /= max(tries[other, card], 1.0)


@rule
def imagine(game: State, seat: int, number: int) -> int:
    """Redraw what a seat does not know, and let all pick any card; answers the chance to go on with."""
    chance = stream(WORLDS, number)
    resample(game, seat, chance)
    return pick_any(game, 0, chance)


@rule
def pick_any(game: State, first: int, chance: int) -> int:
    """Any card for all who have one to choose, from a seat on; answers the chance to go on with."""
    for seat in range(first, int(game.players)):
        found = legal_set(game, seat)
        if found != 0:
            chance = advance(chance)
            game.pick[seat] = sample_action(found, chance) + 1
    return chance


@rule
def best_of(found: int, worth: Any) -> int:
    """The card of a set that is worth most, the first of equals."""
    best = -1
    for card in range(len(CARDS)):
        if (found >> card) & 1 and (best < 0 or worth[card] > worth[best]):
            best = card
    return best


@rule
def try_cards(world: State, seat: int, found: int, style: Any, chance: int, scratch: Any, numbers: Any) -> None:
    """How the match ends for a seat with each card of a set, the others' picks as they are, into `numbers[1]`."""
    for card in range(len(CARDS)):
        numbers[1, card] = 0
        if (found >> card) & 1:
            try_card(world, seat, card, style, chance, scratch, numbers)
            numbers[1, card] = judge(scratch[0], seat, style, numbers)


@rule
def try_card(world: State, seat: int, card: int, style: Any, chance: int, scratch: Any, numbers: Any) -> None:
    """Play the match in `scratch[0]` with a card of a seat, the others' picks as they are."""
    scratch[0] = world
    scratch[0].pick[seat] = card + 1
    play_match(scratch[0], style, chance, scratch[1:], numbers)


@rule
def play_match(game: State, style: Any, chance: int, scratch: Any, numbers: Any) -> None:
    """All have chosen: reveal, let ideas be replaced, move."""
    asked = game.phase
    finish_phase(game)
    if asked == PICK and game.phase == REPLACE:
        pick_any(game, 0, chance)
        if game.ideas == 1:
            replace_lone_idea(game, style, scratch, numbers)
        finish_phase(game)


@rule
def replace_lone_idea(game: State, style: Any, scratch: Any, numbers: Any) -> None:
    """Who alone had an idea sees all cards and plays the best."""
    for seat in range(game.players):
        found = legal_set(game, seat)
        most = -2.0
        for card in range(len(CARDS)):
            if (found >> card) & 1:
                scratch[0] = game
                scratch[0].pick[seat] = card + 1
                finish_phase(scratch[0])
                worth = judge(scratch[0], seat, style, numbers)
                if worth > most:
                    most = worth
                    game.pick[seat] = card + 1


@rule
def playout(game: State, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """Play to the end, everybody any card; answers how good that is for each seat [P], from -1 to 1."""
    own = style[int(game.players) - PLAYERS[0]]
    while game.phase != OVER:
        chance = pick_any(game, int(game.actor), chance)
        play_match(game, own, chance, scratch, numbers)
    for seat in range(game.players):
        out[seat] = judge(game, seat, own, numbers)
