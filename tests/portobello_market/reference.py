"""A slow, readable reference implementation of Portobello Market, written from the rules alone.

It shares nothing with the engine. Everything is called by its name ("A3", "P7", "D12"), and the course of the game is a
generator that yields one decision after the other. Section marks such as §3 refer to the rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.support.reference_game import Decision, Flow, GeneratorGame

PLAZAS = [f"P{n}" for n in range(1, 12)]
DISTRICTS = [f"D{n}" for n in range(1, 13)]
STALLS_EACH = {2: 30, 3: 20, 4: 16}
PAIRS = {
    frozenset(["servant"]): 1,
    frozenset(["servant", "burgher"]): 2,
    frozenset(["burgher"]): 3,
    frozenset(["lord", "servant"]): 3,
    frozenset(["lord", "burgher"]): 4,
}


@dataclass
class Token:
    """A token of a player; `printed` is the 2, 3 or 4 that is or was in its slot."""

    printed: int
    value: int
    up: bool = True
    neutral: bool = False


@dataclass
class Player:
    seat: int
    score: int
    stalls: int
    tokens: list[Token] = field(default_factory=lambda: [Token(value, value) for value in (2, 3, 4)])


@dataclass
class Alley:
    """Lots between two plazas; `fills_from` is the end of the first stall."""

    name: str
    ends: list[str]
    values: list[int]
    owners: list[int | None]
    fills_from: str | None = None
    scored: bool = False

    @property
    def full(self) -> bool:
        return None not in self.owners

    def ends_to_build_from(self) -> list[str]:
        if self.full:
            return []
        return list(self.ends) if self.fills_from is None else [self.fills_from]

    def build(self, seat: int, end: str) -> None:
        """Put a stall on the free lot nearest to the end that the alley fills from."""
        self.fills_from = end
        lots = list(range(len(self.values)))
        if end == self.ends[1]:
            lots.reverse()
        self.owners[next(lot for lot in lots if self.owners[lot] is None)] = seat

    def count(self, seat: int) -> int:
        return self.owners.count(seat)

    def lot_value(self, seat: int) -> int:
        return sum(value for value, owner in zip(self.values, self.owners, strict=True) if owner == seat)


class ReferenceGame(GeneratorGame):
    """A game that is set up from a record and then played action by action."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        setup = record["setup"]
        count = record["players"]
        self.players = [Player(seat, setup["start_score"], STALLS_EACH[count]) for seat in range(count)]
        self.start = setup["start_player"]
        self.bag = list(setup["customers"])
        self.alleys = {
            f"A{n}": Alley(f"A{n}", list(alley["ends"]), list(alley["values"]), [None] * len(alley["values"]))
            for n, alley in enumerate(setup["alleys"], start=1)
        }
        self.sides = dict(zip(DISTRICTS, setup["districts"], strict=True))
        self.neutral = [3, 3, 2, 2, 1, 1, 1, 1]
        self.customers: dict[str, str] = {}
        self.marks: dict[str, tuple[int, int]] = {}  # district -> seat and token
        self.bobby: str | None = None
        self.in_use: Token | None = None  # the token whose actions are being taken; it turns face down afterwards
        self.been: Counter[str] = Counter()  # how often the Bobby has been in a district since the last action
        self.rounds = 0
        rulings = record.get("rulings", {})
        self.neutrals_come_up = rulings.get("neutral_side", "up") == "up"
        self.visits = {"never": 1, "once": 2}[rulings.get("bobby_returns", "never")]
        self.patience = {"one": 1, "three": 3}[rulings.get("idle_rounds", "one")]
        self.rank: list[int] | None = None
        self._order = self._all_actions()
        self.begin(self._play())

    def _all_actions(self) -> list[str]:
        """Return every action in the order of its id (§5)."""
        return [
            *(f"token {n}" for n in (1, 2, 3)),
            *(f"mark {district} {token}" for token in (2, 4) for district in DISTRICTS),
            *(f"bobby {district}" for district in DISTRICTS),
            *(f"stall {alley.name} {end}" for alley in self.alleys.values() for end in alley.ends),
            "draw",
            *(f"plaza {plaza}" for plaza in PLAZAS),
            "lord",
            "done",
        ]

    def _choose(self, seat: int, legal: Iterable[str]) -> Generator[Decision, str, str]:
        legal = tuple(sorted(legal, key=self._order.index))
        if not legal:
            raise RuntimeError("a decision without any legal action")
        return (yield Decision(seat, legal))

    # -- the course of the game ---------------------------------------------

    def _play(self) -> Flow:
        count = len(self.players)
        action = yield from self._choose((self.start - 1) % count, [f"bobby {district}" for district in DISTRICTS])
        self.bobby = action.split()[1]
        in_vain = 0  # rounds in a row without any progress
        while all(player.stalls > 0 for player in self.players) and in_vain < self.patience:
            self.rounds += 1
            before = self._things_done()
            for place in range(count):
                yield from self._turn(self.players[(self.start + place) % count])
            in_vain = 0 if self._things_done() != before else in_vain + 1
        self._final_scoring()

    def _things_done(self) -> tuple[int, int, int]:
        """Return counts that grow exactly when somebody marks a district or places something [P5]."""
        stalls = sum(owner is not None for alley in self.alleys.values() for owner in alley.owners)
        return len(self.marks), stalls, len(self.customers)

    def _turn(self, player: Player) -> Flow:
        legal = [f"token {n}" for n, token in enumerate(player.tokens, start=1) if token.up]
        for token in player.tokens:
            if token.up and not token.neutral and token.printed in (2, 4):
                legal += [f"mark {district} {token.printed}" for district in DISTRICTS if district not in self.marks]
        action = yield from self._choose(player.seat, legal)
        words = action.split()
        if words[0] == "mark":
            self._mark(player, words[1], int(words[2]))
        else:
            self.in_use = player.tokens[int(words[1]) - 1]
            yield from self._act(player, self.in_use.value)
            self.in_use.up = False
            self.in_use = None
        if not any(token.up for token in player.tokens):
            for token in player.tokens:
                token.up = True

    def _mark(self, player: Player, district: str, value: int) -> None:
        stalls = sum(self.alleys[alley].count(player.seat) for alley in self.sides[district])
        player.score += stalls * value
        self.marks[district] = (player.seat, value)
        place = next(i for i, token in enumerate(player.tokens) if token.printed == value)
        player.tokens[place] = Token(value, self.neutral.pop(0), up=self.neutrals_come_up, neutral=True)

    def _act(self, player: Player, actions: int) -> Flow:
        """Let a player take exactly this many actions, and lead the Bobby at any time."""
        assert self.bobby is not None
        self.been = Counter([self.bobby])
        while True:
            steps = [f"bobby {district}" for district in self._steps_from(self.bobby, player, player.score)]
            placings = self._placings(player) if actions > 0 else []
            legal = steps + placings
            can_act = bool(placings) or self._some_way(self.bobby, player, player.score, {self.bobby})
            if actions > 0 and can_act:
                legal = placings + [step for step in steps if self._can_act_after(step, player)]
            else:
                legal.append("done")
            action = yield from self._choose(player.seat, legal)
            words = action.split()
            if words[0] == "done":
                return
            if words[0] == "bobby":
                self._cross(player, self._alley_between(self.bobby, words[1]))
                self.bobby = words[1]
                self.been[self.bobby] += 1
                continue
            if words[0] == "stall":
                self._place_stall(player, words[1], words[2])
            elif words[0] == "draw":
                yield from self._place_customer(player)
            else:
                (free,) = self._free_plazas()
                self._put_customer(free, "lord")
            actions -= 1
            self.been = Counter([self.bobby])

    def _placings(self, player: Player) -> list[str]:
        found = []
        if player.stalls > 0:
            assert self.bobby is not None
            for name in self.sides[self.bobby]:
                found += [f"stall {name} {end}" for end in self.alleys[name].ends_to_build_from()]
        if self.bag:
            found.append("draw")
        elif "lord" not in self.customers.values():
            found.append("lord")
        return found

    # -- the Bobby -----------------------------------------------------------

    def _alley_between(self, one: str, other: str) -> Alley:
        (name,) = set(self.sides[one]) & set(self.sides[other])
        return self.alleys[name]

    def _who_is_paid(self, player: Player, alley: Alley) -> tuple[int, list[Player]]:
        """Return what crossing an alley costs, and which opponents get a point each (§3.2)."""
        counts = [alley.count(other.seat) for other in self.players]
        most = max(counts)
        with_most = [other for other in self.players if counts[other.seat] == most]
        if most == 0:
            return 1, []
        if player in with_most:
            return (0, []) if len(with_most) == 1 else (1, [])
        return len(with_most), with_most

    def _cross(self, player: Player, alley: Alley) -> None:
        cost, paid = self._who_is_paid(player, alley)
        player.score -= cost
        for other in paid:
            other.score += 1

    def _steps_from(self, here: str, player: Player, purse: int) -> list[str]:
        """Return the districts that a step can lead to [P4] [P6]."""
        found = []
        for there in DISTRICTS:
            if here != there and self.been[there] < self.visits and set(self.sides[here]) & set(self.sides[there]):
                cost, _ = self._who_is_paid(player, self._alley_between(here, there))
                if cost <= purse:
                    found.append(there)
        return found

    def _can_act_after(self, step: str, player: Player) -> bool:
        """Return whether a player with actions left could still take one after this step of the Bobby."""
        assert self.bobby is not None
        if self.bag or "lord" not in self.customers.values():
            return True
        there = step.split()[1]
        if player.stalls > 0 and any(not self.alleys[name].full for name in self.sides[there]):
            return True
        cost, _ = self._who_is_paid(player, self._alley_between(self.bobby, there))
        return self._some_way(there, player, player.score - cost, {there})

    def _some_way(self, here: str, player: Player, purse: int, way: set[str]) -> bool:
        """Return whether any way that can be paid leads to a free lot.

        It enters no district of the `way` so far again: a detour only costs more.
        """
        if player.stalls == 0:
            return False
        for there in self._steps_from(here, player, purse):
            if there in way:
                continue
            if any(not self.alleys[name].full for name in self.sides[there]):
                return True
            cost, _ = self._who_is_paid(player, self._alley_between(here, there))
            if self._some_way(there, player, purse - cost, way | {there}):
                return True
        return False

    # -- placing and scoring --------------------------------------------------

    def _place_stall(self, player: Player, name: str, end: str) -> None:
        player.stalls -= 1
        self.alleys[name].build(player.seat, end)
        self._score_complete_alleys()

    def _free_plazas(self) -> list[str]:
        return [plaza for plaza in PLAZAS if plaza not in self.customers]

    def _place_customer(self, player: Player) -> Flow:
        customer = self.bag.pop(0)
        action = yield from self._choose(player.seat, [f"plaza {plaza}" for plaza in self._free_plazas()])
        self._put_customer(action.split()[1], customer)

    def _put_customer(self, plaza: str, customer: str) -> None:
        self.customers[plaza] = customer
        self._score_complete_alleys()

    def _score_complete_alleys(self) -> None:
        for alley in self.alleys.values():
            if alley.full and not alley.scored and all(end in self.customers for end in alley.ends):
                alley.scored = True
                self._pay(alley)

    def _pay(self, alley: Alley) -> None:
        factor = PAIRS[frozenset(self.customers[end] for end in alley.ends)]
        for player in self.players:
            player.score += alley.lot_value(player.seat) * factor

    def _final_scoring(self) -> None:
        for alley in self.alleys.values():
            if not alley.full and "lord" in [self.customers.get(end) for end in alley.ends]:
                self._pay(alley)
        self.rank = [1 + sum(other.score > player.score for other in self.players) for player in self.players]
