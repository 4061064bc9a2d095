"""Positions for tests of Portobello Market, arranged and played in the words of the rulebook.

Everything here runs the rules as plain Python, so that a debugger can step through a test.
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
# Two lots in every alley, too few for all stalls: alleys are soon full, and actions have to be given up.
SHORT_BOARD = {
    "alleys": {
        name: {"ends": [PLAZA_NAMES[plaza] for plaza in ends], "values": [number % 3 + 1, 2]}
        for number, (name, ends) in enumerate(zip(ALLEY_NAMES, ENDS, strict=True), start=1)
    }
}
# A10 joins P1 and P6 instead of P2 and P5, and D1 and D2 have other alleys around them.
OTHER_PLAN = {
    "alleys": {"A10": {"ends": ["P1", "P6"], "values": [2, 3, 2]}},
    "districts": {"D1": ["A1", "A10", "A11"], "D2": ["A9", "A10", "A15"]},
}
# A17 and A20 both join P2 and P9, and no two districts share two alleys.
PARALLEL_PLAN = {
    "alleys": {
        "A9": {"ends": ["P2", "P8"], "values": [1, 3]},
        "A12": {"ends": ["P2", "P7"], "values": [3, 1, 3]},
        "A16": {"ends": ["P2", "P10"], "values": [1, 3, 3, 1]},
        "A17": {"ends": ["P2", "P9"], "values": [3, 1, 1, 3]},
        "A20": {"ends": ["P2", "P9"], "values": [1, 2, 3, 2, 1]},
    },
    "districts": {
        "D1": ["A1", "A8", "A9"],
        "D3": ["A2", "A12", "A13"],
        "D4": ["A11", "A19", "A20"],
        "D8": ["A12", "A16", "A21"],
        "D9": ["A6", "A16", "A20"],
        "D11": ["A10", "A17", "A18"],
        "D12": ["A7", "A9", "A17"],
    },
}


class Position:
    """A game for a test to arrange; by default seat 0 is the start player and has its turn, with the Bobby in D1."""

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
        rulings: Any = None,
    ) -> None:
        setup = GAME.rules.configure(
            num_players=players, start_score=start_score, board=board, customers=customers, rulings=rulings
        )
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

    # Reading the position

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
        """Return the legal actions that begin with a word, without that word."""
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
        rank: list[int] = GAME.records.describe_end(self.game)["rank"]
        return rank

    def hand(self, seat: int) -> int:
        return int(self.game.seats[seat].hand)

    def tokens(self, seat: int) -> list[int]:
        return [int(value) for value in self.game.seats[seat].token_value]

    def face_up(self, seat: int) -> list[bool]:
        return [bool(up) for up in self.game.seats[seat].token_up]

    def lots(self, alley: str) -> list[int | None]:
        """Return the owner of the stall on each lot of an alley, from its first end to its second."""
        at = ALLEY_NAMES.index(alley)
        return [int(owner) - 1 if owner else None for owner in self.game.lot[at, : self.game.length[at]]]

    def customer(self, plaza: str) -> str:
        return CUSTOMERS[self.game.customer[PLAZA_NAMES.index(plaza)]]

    # Arranging the position

    def refresh(self) -> None:
        """Find the legal actions anew, after a change."""
        write_legal_set(self.game)

    def set_score(self, seat: int, points: int) -> None:
        self.game.score[seat] = points
        self.refresh()

    def set_hand(self, seat: int, stalls: int) -> None:
        self.game.seats[seat].hand = stalls
        self.refresh()

    def set_tokens(self, seat: int, *up: bool) -> None:
        """Set which tokens of a seat are face up."""
        self.game.seats[seat].token_up[:] = up
        self.refresh()

    def set_bobby(self, district: str) -> None:
        self.game.bobby = DISTRICT_NAMES.index(district)
        reset_barred(self.game)
        self.refresh()

    def fill(self, alley: str, *owners: int, end: int = 0) -> None:
        """Place stalls of some seats from the first or second end of an alley, without scoring."""
        game, at = self.game, ALLEY_NAMES.index(alley)
        saved = {name: game[name].copy() for name in ("actor", "phase", "score")}
        left, quiet = int(game.table.actions_left), int(game.table.quiet)
        for seat in owners:
            game.actor = seat
            rules.place_stall(game, at, end)
        for name, value in saved.items():
            game[name] = value
        game.table.actions_left, game.table.quiet = left, quiet
        self.refresh()

    def fill_everything(self, *but: str, owner: int = 0) -> None:
        """Fill all alleys but some with stalls of one seat, without taking them from its hand."""
        for name in ALLEY_NAMES:
            free = int(self.game.table.alley_free[ALLEY_NAMES.index(name)])
            if name not in but:
                hand, last = self.hand(owner), int(self.game.table.last_round)
                self.game.seats[owner].hand = free + 1
                end = 1 if self.game.table.alley_offer[ALLEY_NAMES.index(name), 0] == 0 else 0
                self.fill(name, *[owner] * free, end=end)
                self.game.seats[owner].hand, self.game.table.last_round = hand, last
        self.refresh()

    def put_customers(self, **customers: str) -> None:
        """Place customers of the bag on plazas, without scoring."""
        game = self.game
        for plaza, name in customers.items():
            game.customer[PLAZA_NAMES.index(plaza)] = CUSTOMERS.index(name)
        out = [int(who) for who in game.customer if who in (SERVANT, BURGHER)]
        rest = [SERVANT] * (5 - out.count(SERVANT)) + [BURGHER] * (5 - out.count(BURGHER))
        game.order[:] = out + rest
        game.table.bag[:] = [rest.count(SERVANT), rest.count(BURGHER)]
        self.refresh()

    def fill_plazas(self, *, free: str, lord: bool = False) -> None:
        """Place all ten customers, servants on the first plazas; one plaza stays free, or holds the Lord."""
        others = [plaza for plaza in PLAZA_NAMES if plaza != free]
        names = ["servant"] * 5 + ["burgher"] * 5
        self.put_customers(**dict(zip(others, names, strict=True)))
        if lord:
            self.game.customer[PLAZA_NAMES.index(free)] = LORD
            self.game.table.alley_scored[:] = self.game.table.alley_free == 0
        self.refresh()

    def turn_of(self, seat: int) -> None:
        """Make it the turn of a seat, in this round."""
        self.game.actor = seat
        self.game.turn = (seat - int(self.game.start_player)) % self.players
        self.game.phase = TURN
        self.game.table.actions_left = 0
        self.game.table.quiet = 1
        reset_barred(self.game)
        self.refresh()

    def acting(self, seat: int, actions: int, district: str | None = None) -> None:
        """Put a seat into the middle of its turn, with this many actions left."""
        self.turn_of(seat)
        self.game.phase = ACT
        self.game.table.actions_left = actions
        self.set_bobby(district or self.bobby)

    # Playing

    def act(self, *names: str) -> None:
        """Carry out one action after another."""
        for name in names:
            assert rules.apply(self.game, GAME.ids(self.game)[name]), f"{name!r} is not legal: {self.legal}"

    def advance(self) -> None:
        """Carry out forced actions, as after every action."""
        rules.advance(self.game)

    def pass_turn(self) -> None:
        """Let the acting seat mark a district, which ends its turn."""
        seat = self.actor
        self.act(next(name for name in self.legal if name.startswith("mark")))
        assert self.actor != seat


def neighbours(district: str) -> list[str]:
    """Return the neighbours of a district on the printed board."""
    position = Position()
    at = DISTRICT_NAMES.index(district)
    return [DISTRICT_NAMES[there] for there in position.game.beyond[at] if there >= 0]


def ends_of(alley: str) -> list[str]:
    return [PLAZA_NAMES[plaza] for plaza in ENDS[ALLEY_NAMES.index(alley)]]
