"""Positions for tests of The Wobbly Bridge, arranged and played in the words of the rulebook.

Everything here runs the rules as plain Python, so that a debugger can step through a test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from olb_env.wobbly_bridge import ACTIONS, GAME, rules
from olb_env.wobbly_bridge.components import CARDS, EVENTS, NORMALS
from olb_env.wobbly_bridge.state import OVER, PICK
from olb_env.wobbly_bridge.text import played_in

CALM_FIRST = ("calm", "calm", "calm", "calm", "east", "west")


class Table:
    """A game whose seats hold the given special cards, with the given events and rulings."""

    def __init__(
        self, *specials: str, events: Sequence[str] = CALM_FIRST, rulings: Mapping[str, str] | None = None
    ) -> None:
        setup = {"specials": list(specials), "events": list(events)}
        self.states = GAME.records.read_setup({"players": len(specials), "rulings": rulings, "setup": setup})
        self.game: Any = self.states[0]
        self.players = len(specials)

    # Reading the position

    @property
    def actor(self) -> int:
        return int(self.game.actor)

    @property
    def over(self) -> bool:
        return int(self.game.phase) == OVER

    @property
    def match(self) -> int:
        return int(self.game.match_number)

    @property
    def spaces(self) -> list[int]:
        return [int(self.game.seats[seat].space) for seat in range(self.players)]

    @property
    def legal(self) -> list[str]:
        return [card for action, card in enumerate(CARDS) if int(self.game.legal) >> action & 1]

    @property
    def deck(self) -> dict[str, int]:
        return dict(zip(EVENTS, self.game.deck.tolist(), strict=True))

    @property
    def revealed(self) -> int:
        return int(self.game.revealed)

    def normals(self, seat: int) -> list[str]:
        return [CARDS[card] for card in range(NORMALS) for _ in range(int(self.game.seats[seat].hand[card]))]

    def shown(self, match: int) -> list[str]:
        """Return what everybody showed in a match: a card, or an idea and another card."""
        return [" ".join(CARDS[card] for card in played_in(self.game, match, seat)) for seat in range(self.players)]

    def rank(self) -> list[int]:
        rank: list[int] = GAME.records.describe_end(self.game)["rank"]
        return rank

    # Arranging the position

    def put_explorers(self, *spaces: int) -> None:
        for seat, space in enumerate(spaces):
            self.game.seats[seat].space = space

    def hold(self, seat: int, *cards: str) -> None:
        player = self.game.seats[seat]
        for card in range(NORMALS):
            player.hand[card] = cards.count(CARDS[card])
        player.holds_special = CARDS[int(self.game.special[seat])] in cards

    def begin_match(self, number: int) -> None:
        """Begin a match as if the matches before had been played and their events revealed."""
        while self.revealed < number - 1:
            rules.reveal_event(self.game)
        self.game.match_number = number - 1
        rules.begin_match(self.game)
        rules.advance(self.game)

    # Playing

    def act(self, card: str) -> None:
        name = f"play {card}"
        assert rules.apply(self.game, ACTIONS.index(name)), f"{name} is not legal: {self.legal}"

    def pick(self, *cards: str) -> None:
        """Let everybody with a choice pick these cards; stop before ideas are replaced."""
        match = self.match
        while not self.over and self.match == match and int(self.game.phase) == PICK:
            self.act(cards[self.actor])

    def play(self, *cards: str) -> list[int]:
        """Play a match with these cards and return the spaces; "idea dash" is an idea replaced by a dash."""
        match = self.match
        self.pick(*(card.split()[0] for card in cards))
        while not self.over and self.match == match:
            self.act(cards[self.actor].split()[1])
        assert self.shown(match) == list(cards)
        return self.spaces

    def steps(self, *cards: str) -> list[int]:
        """Play a match with these cards and return everybody's steps to the east."""
        before = self.spaces
        return [after - space for after, space in zip(self.play(*cards), before, strict=True)]
