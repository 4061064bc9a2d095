"""The course of a game: who decides what, and what follows once all have chosen (§2, §3).

A game waits at a decision, given by its phase and its actor. `apply` carries out an action, then `advance` plays on to
the next decision with more than one legal action, making forced choices on the way. Nothing here is random: `deal` has
drawn all events.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.wobbly_bridge.components import (
    CALM,
    CAREFUL,
    EAST_END,
    EAST_WIND,
    EVENT_AT_END,
    EVENT_DECK,
    EVENTS,
    IDEA,
    MATCHES,
    NORMALS,
    WEST_WIND,
)
from olb_env.wobbly_bridge.legal_actions import ACTION_COUNT, FIRST_OF, SIZE_OF, legal_set, sample_action
from olb_env.wobbly_bridge.movement import blow, end_reached, move_explorers
from olb_env.wobbly_bridge.state import OVER, PHASES, PICK, REPLACE


@jitable
def legal(game: State, mask: Any) -> int:
    """Write the mask of legal actions and return how many there are."""
    actions = np.int64(game.legal)
    for action in range(ACTION_COUNT):
        mask[action] = (actions >> action) & 1
    return int(SIZE_OF[actions])


@jitable
def random_action(game: State, rng_state: int) -> int:
    """Draw a legal action, all equally likely."""
    return sample_action(np.int64(game.legal), rng_state)


@jitable
def apply(game: State, action: int) -> bool:
    """Carry out an action and advance to the next decision; return False and change nothing if it is illegal."""
    if action < 0 or action >= ACTION_COUNT or (np.int64(game.legal) >> action) & 1 == 0:
        return False
    choose(game, action)
    advance(game)
    return True


@jitable
def actor(game: State) -> int:
    """Return the seat to act, or -1 when the game is over."""
    return int(game.actor)


@jitable
def secret(game: State) -> int:
    """Return the number of the reveal that the next action waits for, or 0 if the action is public (§2.1, §2.2).

    Cards are chosen face down and revealed together. Only a player who is alone with an idea replaces it openly. The
    last seat to choose chooses in secret too: nothing of the others' choices may show before it has chosen.
    """
    hidden = game.phase == PICK or (game.phase == REPLACE and game.ideas > 1)
    return len(PHASES) * int(game.match_number) + int(game.phase) if hidden else 0


@jitable
def advance(game: State) -> None:
    """Play on until a decision has more than one legal action, or the game is over."""
    while game.phase != OVER:
        if game.actor == game.players:
            finish_phase(game)
            continue
        actions = legal_set(game, game.actor)
        if SIZE_OF[actions] > 1:
            game.legal = actions
            return
        if actions != 0:
            choose(game, FIRST_OF[actions])
        else:
            game.actor += 1  # no decision: this seat has not played idea, or holds no card to replace it
    game.legal = 0
    game.actor = -1


@jitable
def choose(game: State, card: int) -> None:
    """Note the choice of the acting seat; the card stays in hand, unseen, until all have chosen."""
    game.pick[game.actor] = card + 1
    game.actor += 1


@jitable
def finish_phase(game: State) -> None:
    """Reveal what was chosen face down, then go on to the ideas or finish the match."""
    if game.phase == PICK:
        reveal(game)
    else:
        replace_ideas(game)
    if game.phase == PICK and game.ideas > 0:
        game.phase = REPLACE
        game.actor = 0
    else:
        finish_match(game)


@jitable
def begin_match(game: State) -> None:
    """Begin the next match (§2.1)."""
    game.match_number += 1
    game.phase = PICK
    game.actor = 0
    game.ideas = 0


@jitable
def reveal(game: State) -> None:
    """Show all picked cards together and take them from the hands (§2.1)."""
    for seat in range(game.players):
        card = int(game.pick[seat]) - 1
        game.played[int(game.match_number) - 1, seat] = card + 1
        game.pick[seat] = 0
        if card < NORMALS:
            game.seats[seat].hand[card] -= 1
        else:
            game.seats[seat].holds_special = 0
            game.ideas += card == IDEA


@jitable
def replace_ideas(game: State) -> None:
    """Show the cards that replace ideas; each replaced idea brings a careful, one that could not be brings nothing."""
    for seat in range(game.players):
        card = int(game.pick[seat]) - 1
        if card >= 0:
            game.instead[int(game.match_number) - 1, seat] = card + 1
            game.pick[seat] = 0
            game.seats[seat].hand[card] -= 1
            game.seats[seat].hand[CAREFUL] += 1


@jitable
def finish_match(game: State) -> None:
    """Move everybody, reveal an event unless an end is reached (W3), and end the match or the game (§2.3 to §2.6)."""
    move_explorers(game)
    reached = end_reached(game)
    if not reached or game.rulings[EVENT_AT_END]:
        blow(game, reveal_event(game))
    if reached or end_reached(game) or game.match_number == MATCHES:
        game.phase = OVER
    else:
        begin_match(game)


@jitable
def reveal_event(game: State) -> int:
    """Reveal and return the next event; refill the deck once both winds are out (§2.5)."""
    event = int(game.event[game.revealed])
    game.revealed += 1
    game.deck[event] -= 1
    if game.deck[EAST_WIND] == 0 and game.deck[WEST_WIND] == 0:
        fill_deck(game)
    return event


@jitable
def fill_deck(game: State) -> None:
    """Put all six events back into the deck."""
    for event in range(CALM, len(EVENTS)):
        game.deck[event] = EVENT_DECK[event]


@jitable
def returns(game: State, ranks: Any, scores: Any) -> None:
    """Write each seat's rank and score: furthest west is first, and the score is the distance from the pursuers.

    Equal spaces share a rank (§2.6).
    """
    for seat in range(game.players):
        space = int(game.seats[seat].space)
        rank = 1
        for other in range(game.players):
            rank += game.seats[other].space < space
        ranks[seat] = rank
        scores[seat] = EAST_END - space
