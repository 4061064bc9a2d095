"""A slow, readable reference implementation of The Wobbly Bridge.

It is written from the rules alone and shares nothing with the engine: cards and events are words, a hand is a list, and
the course of the game is a generator that yields one decision after the other. Section marks refer to the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.reference_game import Decision, Flow, GeneratorGame

NUMBERS = {"leap": (3, 1), "dash": (4, 0), "panic": (0, 4), "careful": (2, 2), "vertigo": (1, 3)}  # green, red
NAMES = (*NUMBERS, "idea", "order", "heavy")
WEST, MIDDLE, EAST = 1, 11, 21


@dataclass
class Explorer:
    """A player: the space on the bridge, the cards in hand, and the card of this match."""

    seat: int
    special: str
    space: int = MIDDLE
    hand: list[str] = field(default_factory=list)
    card: str | None = None  # the card that counts in this match
    shown: list[str] = field(default_factory=list)  # all cards shown so far

    def __post_init__(self) -> None:
        self.hand = [*NUMBERS, self.special]

    def play(self, card: str) -> None:
        self.hand.remove(card)
        self.shown.append(card)
        self.card = card

    @property
    def green(self) -> int:
        return NUMBERS.get(str(self.card), (0, 0))[0]

    @property
    def red(self) -> int:
        return NUMBERS.get(str(self.card), (0, 0))[1]


class ReferenceGame(GeneratorGame):
    """A game that is set up from a record and then played action by action."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        setup = record["setup"]
        self.explorers = [Explorer(seat, special) for seat, special in enumerate(setup["specials"])]
        self.events: list[str] = list(setup["events"])
        self.revealed: list[str] = []
        rulings = record.get("rulings", {})
        self.comparing = {"none": set(NUMBERS), "zeros": {*NUMBERS, "order", "heavy"}}[
            rulings.get("special_numbers", "none")
        ]
        self.stops_at_once = rulings.get("steps_at_ends", "added") == "separate"
        self.always_an_event = rulings.get("event_at_end", "no") == "yes"
        self.match = 0
        self.begin(self._play())

    # The course of a game (§2).

    def _play(self) -> Flow:
        while self.match < 6:
            self.match += 1
            yield from self._choose(self.explorers)
            having_ideas = [one for one in self.explorers if one.card == "idea"]
            yield from self._choose([one for one in having_ideas if one.hand])
            for one in having_ideas:
                if one.card != "idea":
                    one.hand.append("careful")
            self._move()
            ended = self._at_an_end()
            if not ended or self.always_an_event:
                self._event()
            if ended or self._at_an_end():
                return

    def _choose(self, choosing: list[Explorer]) -> Flow:
        """Let explorers choose a card of their hands; the cards are revealed only when all have chosen."""
        chosen = []
        for one in choosing:
            action = yield Decision(one.seat, tuple(f"play {card}" for card in NAMES if card in one.hand))
            chosen.append(action.removeprefix("play "))
        for one, card in zip(choosing, chosen, strict=True):
            one.play(card)

    def _move(self) -> None:
        """Find everybody's steps first, then move all (§2.3)."""
        steps = [self._steps(one) for one in self.explorers]
        for one, (west, east) in zip(self.explorers, steps, strict=True):
            if self.stops_at_once:
                one.space = on_the_bridge(on_the_bridge(one.space - west) + east)
            else:
                one.space = on_the_bridge(one.space - west + east)

    def _steps(self, one: Explorer) -> tuple[int, int]:
        """Return the steps to the west and to the east."""
        numbered = [other for other in self.explorers if other.card in self.comparing]
        greenest = [o for o in numbered if o.green == max(p.green for p in numbered)]
        reddest = [o for o in numbered if o.red == max(p.red for p in numbered)]
        special = {other.card for other in self.explorers} & {"order", "heavy"}
        if one.card == "idea":
            return 0, 3
        if one.card == "order" and special == {"order"}:
            return 2, 0
        if one.card in ("order", "heavy"):
            return 0, 0
        if special == {"order"}:
            return 0, 3 if one in reddest else 0
        if special == {"heavy"}:
            return 0, 3 if one in greenest or one in reddest else 0
        west = east = 0
        if one in greenest:
            west = one.green if greenest == [one] else 1
        if one in reddest:
            east = one.red if reddest == [one] else one.red + 2
        return west, east

    def _event(self) -> None:
        """Reveal an event and let the wind blow (§2.5); the record lists the events with all shuffles applied."""
        event = self.events[len(self.revealed)]
        self.revealed.append(event)
        spaces = [one.space for one in self.explorers]
        for one, space in zip(self.explorers, spaces, strict=True):
            if event == "east" and space == max(spaces):
                one.space = on_the_bridge(space - 3)
            if event == "west" and space == min(spaces):
                one.space = on_the_bridge(space + 3)

    def _at_an_end(self) -> bool:
        return any(one.space in (WEST, EAST) for one in self.explorers)

    # The result.

    @property
    def positions(self) -> list[int]:
        return [one.space for one in self.explorers]

    @property
    def rank(self) -> list[int]:
        """Return the rank of each seat: further west is better, and equal spaces share the better rank."""
        order = sorted(self.positions)
        return [order.index(space) + 1 for space in self.positions]


def on_the_bridge(space: int) -> int:
    """Return the space, or the end of the bridge that lies before it."""
    return max(WEST, min(space, EAST))


def could_be_revealed(events: Iterable[str]) -> bool:
    """Return whether some shuffle of the event deck reveals these events in this order (§2.5)."""
    whole = ["calm"] * 4 + ["east", "west"]
    deck = list(whole)
    for event in events:
        if event not in deck:
            return False
        deck.remove(event)
        if "east" not in deck and "west" not in deck:
            deck = list(whole)
    return True
