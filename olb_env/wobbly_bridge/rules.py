"""The course of a game: who is asked what, and what follows when all have chosen (§2, §3).

A game stands at a question: a phase and an actor. `apply` answers it, then `advance` walks on to the next question
with more than one answer, taking forced answers on the way. All chance was drawn at the deal.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.rng import below
from olb_env.wobbly_bridge.components import (
    CALM,
    CAREFUL,
    EAST_END,
    EAST_WIND,
    EVENT_DECK,
    EVENTS,
    IDEA,
    MATCHES,
    NORMALS,
    WEST_WIND,
)
from olb_env.wobbly_bridge.movement import blow, end_reached, move_explorers
from olb_env.wobbly_bridge.notation import ACTIONS
from olb_env.wobbly_bridge.state import OVER, PHASES, PICK, REPLACE

ACTION_COUNT = len(ACTIONS)

# Of every set of actions as bits: how many there are, and the lowest.
SIZE_OF = np.array([found.bit_count() for found in range(1 << ACTION_COUNT)], np.int64)
FIRST_OF = np.array([max((found & -found).bit_length() - 1, 0) for found in range(1 << ACTION_COUNT)], np.int64)


@rule
def legal(game: State, mask: Any) -> int:
    """The answers to the question that stands, and how many they are."""
    found = np.int64(game.legal)
    for action in range(ACTION_COUNT):
        mask[action] = (found >> action) & 1
    return int(SIZE_OF[found])


@rule
def random_action(game: State, chance: int) -> int:
    """Any answer to the question that stands."""
    return any_of(np.int64(game.legal), chance)


@rule
def any_of(found: Any, chance: int) -> int:
    """Any action of a set, each equally likely."""
    for _ in range(below(chance, SIZE_OF[found])):
        found &= found - 1
    return int(FIRST_OF[found])


@rule
def apply(game: State, action: int) -> bool:
    """Answer the question that stands; a wrong answer changes nothing."""
    if action < 0 or action >= ACTION_COUNT or (np.int64(game.legal) >> action) & 1 == 0:
        return False
    choose(game, action)
    advance(game)
    return True


@rule
def actor(game: State) -> int:
    """The seat that is asked, -1 when the game is over."""
    return int(game.actor)


@rule
def secret(game: State) -> int:
    """§2.1, §2.2: cards are chosen face down and revealed together, but who alone had an idea replaces it openly.

    The last one to choose is asked in secret too: until it has answered, nothing of the others' choice may show.
    """
    hidden = game.phase == PICK or (game.phase == REPLACE and game.ideas > 1)
    return len(PHASES) * int(game.match_number) + int(game.phase) if hidden else 0


@rule
def advance(game: State) -> None:
    """Walk on until a question has more than one answer, or the game is over."""
    while game.phase != OVER:
        if game.actor == game.players:
            go_on(game)
            continue
        found = answers(game, game.actor)
        if SIZE_OF[found] > 1:
            game.legal = found
            return
        if found != 0:
            choose(game, FIRST_OF[found])
        else:
            game.actor += 1  # not asked: it has not played idea, or has nothing left to replace it by
    game.legal = 0
    game.actor = -1


@rule
def answers(game: State, seat: int) -> int:
    """What a seat may choose in this phase, as a set of bits; empty if it has nothing to choose."""
    if game.phase == REPLACE and game.played[int(game.match_number) - 1, seat] != IDEA + 1:
        return 0
    player = game.seats[seat]
    found = 0
    for card in range(NORMALS):
        found |= int(player.hand[card] > 0) << card
    if player.holds_special:
        found |= 1 << int(game.special[seat])
    return found


@rule
def choose(game: State, card: int) -> None:
    """The card stays in hand, unseen by the others, until all have chosen."""
    game.pick[game.actor] = card + 1
    game.actor += 1


@rule
def go_on(game: State) -> None:
    """All have chosen: what was face down is revealed."""
    if game.phase == PICK:
        reveal(game)
    else:
        replace_ideas(game)
    if game.phase == PICK and game.ideas > 0:
        game.phase = REPLACE
        game.actor = 0
    else:
        finish_match(game)


@rule
def begin_match(game: State) -> None:
    """§2.1."""
    game.match_number += 1
    game.phase = PICK
    game.actor = 0
    game.ideas = 0


@rule
def reveal(game: State) -> None:
    """§2.1: all cards are shown together and leave the hands."""
    for seat in range(game.players):
        card = int(game.pick[seat]) - 1
        game.played[int(game.match_number) - 1, seat] = card + 1
        game.pick[seat] = 0
        if card < NORMALS:
            game.seats[seat].hand[card] -= 1
        else:
            game.seats[seat].holds_special = 0
            game.ideas += card == IDEA


@rule
def replace_ideas(game: State) -> None:
    """§2.2: the cards instead of ideas; each brings a careful. An idea without another card brings nothing."""
    for seat in range(game.players):
        card = int(game.pick[seat]) - 1
        if card >= 0:
            game.instead[int(game.match_number) - 1, seat] = card + 1
            game.pick[seat] = 0
            game.seats[seat].hand[card] -= 1
            game.seats[seat].hand[CAREFUL] += 1


@rule
def finish_match(game: State) -> None:
    """§2.3 to §2.6: everybody moves, and if nobody has come to an end (W3), an event is revealed."""
    move_explorers(game)
    if not end_reached(game):
        blow(game, reveal_event(game))
    if end_reached(game) or game.match_number == MATCHES:
        game.phase = OVER
    else:
        begin_match(game)


@rule
def reveal_event(game: State) -> int:
    """§2.5: the next event; when both winds are out, the deck is whole again."""
    event = int(game.event[game.revealed])
    game.revealed += 1
    game.deck[event] -= 1
    if game.deck[EAST_WIND] == 0 and game.deck[WEST_WIND] == 0:
        fill_deck(game)
    return event


@rule
def fill_deck(game: State) -> None:
    """All six events are in the deck."""
    for event in range(CALM, len(EVENTS)):
        game.deck[event] = EVENT_DECK[event]


@rule
def returns(game: State, ranks: Any, scores: Any) -> None:
    """Furthest west is first, equal spaces share their rank; the score is how far away the pursuers are."""
    for seat in range(game.players):
        space = int(game.seats[seat].space)
        rank = 1
        for other in range(game.players):
            rank += game.seats[other].space < space
        ranks[seat] = rank
        scores[seat] = EAST_END - space
