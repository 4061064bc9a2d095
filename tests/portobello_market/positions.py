"""Positions made by hand: the words of the rulebook for setting up and playing a game of Portobello Market.

Everything here goes through the rules as plain Python, so that a test steps through what it reads.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from olb_env.portobello_market import GAME, rules
from olb_env.portobello_market.bobby import reset_barred
from olb_env.portobello_market.components import (
    ALLEY_NAMES,
    BURGHER,
    CUSTOMERS,
    DISTRICT_NAMES,
    ENDS,
    LORD,
    PLAZA_NAMES,
    SERVANT,
)
from olb_env.portobello_market.legal_actions import write_legal_set
from olb_env.portobello_market.state import ACT, OVER, PHASES, TURN

BAG = ("servant", "burgher") * 5
# Two lots everywhere: no room for all stalls, so that alleys are soon full and actions forfeited.
SHORT_BOARD = {
    "alleys": {
        name: {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": [number % 3 + 1, 2]}
        for number, (name, ends) in enumerate(zip(ALLEY_NAMES, ENDS, strict=True), start=1)
    }
}
# A10 joins P1 and P6 instead of P2 and P5, which D1 and D2 follow.
OTHER_PLAN = {
    "alleys": {"A10": {"ends": ["P1", "P6"], "values": [2, 3, 2]}},
    "districts": {"D1": ["A1", "A10", "A11"], "D2": ["A9", "A10", "A15"]},
}


class Position:
    """A game that tests arrange: seat 0 is the start player, the Bobby is in D1 unless told, seat 0 has its turn."""

    def __init__(
        self,
        players: int = 3,
        *,
        bobby: str | None = "D1",
        start_score: int = 10,
        start_player: int = 0,
        bag: Iterable[str] = BAG,
        board: Any = None,
        customers: str = "hidden",
    ) -> None:
        setup = GAME.rules.configure(num_players=players, start_score=start_score, board=board, customers=customers)
        states = GAME.new_states(1)
        GAME.rules.deal(states[0], setup[0], 1)
        record = GAME.records.describe_setup(states[0])
        record["setup"]["start_player"] = start_player
        record["setup"]["customers"] = list(bag)
        self.states = GAME.records.read_setup(record)
        self.game = self.states[0]
        self.players = players
        if bobby is not None:
            self.act(f"bobby {bobby}")

    # What the game says.

    @property
    def actor(self) -> int:
        return int(self.game.actor)

    @property
    def phase_name(self) -> str:
        return "over" if self.game.phase == OVER else PHASES[self.game.phase]

    @property
    def over(self) -> bool:
        return self.phase_name == "over"

    @property
    def legal(self) -> list[str]:
        return GAME.legal_actions(self.game)

    def legal_of(self, word: str) -> list[str]:
        """The legal answers that begin with a word, without it."""
        return [name.partition(" ")[2] for name in self.legal if name.partition(" ")[0] == word]

    @property
    def scores(self) -> list[int]:
        return [int(score) for score in self.game.score[: self.players]]

    @property
    def bobby(self) -> str:
        return DISTRICT_NAMES[int(self.game.bobby)]

    @property
    def actions_left(self) -> int:
        return int(self.game.table.actions_left)

    @property
    def round_number(self) -> int:
        return int(self.game.round_number)

    @property
    def rank(self) -> list[int]:
        found: list[int] = GAME.records.describe_end(self.game)["rank"]
        return found

    def hand(self, seat: int) -> int:
        return int(self.game.seats[seat].hand)

    def tokens(self, seat: int) -> list[int]:
        return [int(value) for value in self.game.seats[seat].token_value]

    def face_up(self, seat: int) -> list[bool]:
        return [bool(up) for up in self.game.seats[seat].token_up]

    def lots(self, alley: str) -> list[int | None]:
        """Whose stalls stand in an alley, from its first end to its second."""
        at = ALLEY_NAMES.index(alley)
        return [int(owner) - 1 if owner else None for owner in self.game.lot[at, : self.game.length[at]]]

    def customer(self, plaza: str) -> str:
        return CUSTOMERS[self.game.customer[PLAZA_NAMES.index(plaza)]]

    # Arranging. Each change answers the question that stands anew.

    def refresh(self) -> None:
        write_legal_set(self.game)

    def set_score(self, seat: int, points: int) -> None:
        self.game.score[seat] = points
        self.refresh()

    def set_hand(self, seat: int, stalls: int) -> None:
        self.game.seats[seat].hand = stalls
        self.refresh()

    def set_tokens(self, seat: int, *up: bool) -> None:
        """Which tokens of a seat are face up."""
        self.game.seats[seat].token_up[:] = up
        self.refresh()

    def set_bobby(self, district: str) -> None:
        self.game.bobby = DISTRICT_NAMES.index(district)
        reset_barred(self.game)
        self.refresh()

    def fill(self, alley: str, *owners: int, end: int = 0) -> None:
        """Stalls of some seats, from the first end of an alley or its second, out of their hands; nothing is scored."""
        game, at = self.game, ALLEY_NAMES.index(alley)
        kept = {name: game[name].copy() for name in ("actor", "phase", "score")}
        left, quiet = int(game.table.actions_left), int(game.table.quiet)
        for seat in owners:
            game.actor = seat
            rules.place_stall(game, at, end)
        for name, value in kept.items():
            game[name] = value
        game.table.actions_left, game.table.quiet = left, quiet
        self.refresh()

    def fill_everything(self, *but: str, owner: int = 0) -> None:
        """All lots of all alleys but some; the stalls come from nowhere."""
        for name in ALLEY_NAMES:
            free = int(self.game.table.alley_free[ALLEY_NAMES.index(name)])
            if name not in but:
                hand, last = self.hand(owner), int(self.game.table.last_round)
                self.game.seats[owner].hand = free + 1
                end = 1 if self.game.table.alley_offer[ALLEY_NAMES.index(name), 0] == 0 else 0
                self.fill(name, *[owner] * free, end=end)
                self.game.seats[owner].hand, self.game.table.last_round = hand, last
        self.refresh()

    def stand(self, **customers: str) -> None:
        """Customers on plazas, out of the bag; nothing is scored."""
        game = self.game
        for plaza, name in customers.items():
            game.customer[PLAZA_NAMES.index(plaza)] = CUSTOMERS.index(name)
        out = [int(who) for who in game.customer if who in (SERVANT, BURGHER)]
        rest = [SERVANT] * (5 - out.count(SERVANT)) + [BURGHER] * (5 - out.count(BURGHER))
        game.order[:] = out + rest
        game.table.bag[:] = [rest.count(SERVANT), rest.count(BURGHER)]
        self.refresh()

    def crowd(self, *, free: str, lord: bool = False) -> None:
        """All ten customers are out, servants on the first plazas; one plaza is free, or has the Lord."""
        others = [plaza for plaza in PLAZA_NAMES if plaza != free]
        names = ["servant"] * 5 + ["burgher"] * 5
        self.stand(**dict(zip(others, names, strict=True)))
        if lord:
            self.game.customer[PLAZA_NAMES.index(free)] = LORD
            self.game.table.alley_scored[:] = self.game.table.alley_free == 0
        self.refresh()

    def turn_of(self, seat: int) -> None:
        """It is a seat's turn, in this round."""
        self.game.actor = seat
        self.game.turn = (seat - int(self.game.start_player)) % self.players
        self.game.phase = TURN
        self.game.table.actions_left = 0
        self.game.table.quiet = 1
        reset_barred(self.game)
        self.refresh()

    def acting(self, seat: int, actions: int, district: str | None = None) -> None:
        """A seat is in the middle of its turn: so many actions are left."""
        self.turn_of(seat)
        self.game.phase = ACT
        self.game.table.actions_left = actions
        self.set_bobby(district or self.bobby)

    # Playing.

    def act(self, *names: str) -> None:
        """Answer one question after another."""
        for name in names:
            assert rules.apply(self.game, GAME.ids(self.game)[name]), f"{name!r} is not legal: {self.legal}"

    def advance(self) -> None:
        """Take forced answers, as after every answer."""
        rules.advance(self.game)

    def pass_turn(self) -> None:
        """The acting seat marks a district, which ends its turn."""
        seat = self.actor
        self.act(next(name for name in self.legal if name.startswith("mark")))
        assert self.actor != seat


def neighbours(district: str) -> list[str]:
    """The districts beside one on the printed board."""
    position = Position()
    at = DISTRICT_NAMES.index(district)
    return [DISTRICT_NAMES[there] for there in position.game.beyond[at] if there >= 0]


def ends_of(alley: str) -> list[str]:
    return [PLAZA_NAMES[plaza] for plaza in ENDS[ALLEY_NAMES.index(alley)]]
