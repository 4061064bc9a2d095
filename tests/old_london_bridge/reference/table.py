"""Everything on the table, and what happens to it independently of rounds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tests.support.reference_game import Flow

from .bridge import Bridge
from .pieces import KINDS, Building, Cards, TilePouch, choose, full_supply
from .rondel import Rondel
from .scoring import ScoringPlan
from .tracks import ChapelTrack, GateTrack, Print

STARTING_MONEY = 5


class Player:
    """A builder: money, hand, bonus tiles and a section of the bridge."""

    def __init__(self, seat: int, stair: int, zeros: int) -> None:
        self.seat = seat
        self.money = STARTING_MONEY
        self.tiles = TilePouch()
        self.bridge = Bridge()
        # One of each numbered card, and a second copy of one: on stair A a 1, ... on D a 4 (§2.4).
        self.hand = Cards([zeros, 1, 1, 1, 1])
        self.hand.add(stair + 1)


class Table:
    """The shared state of a game, set up from a record (§2)."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        setup = record["setup"]
        count = int(record["players"])
        if count not in (2, 3, 4):
            raise ValueError(f"two to four can play, not {count}")
        start = [int(seat) for seat in setup["chapel_start"]]
        if sorted(start) != list(range(count)):
            raise ValueError(f"the chapel stairs do not hold each seat once: {start}")

        self.plan = ScoringPlan(record["scoring"])
        self.two_player = count == 2
        self.markers = [int(marker) for marker in setup["markers"]][: self.rounds]
        if len(self.markers) != self.rounds:
            raise ValueError(f"{self.rounds} round markers are needed")

        zeros = self.cards_each
        self.players = [Player(seat, start.index(seat), zeros) for seat in range(count)]
        self.supply = full_supply()
        for player in self.players:
            for value in (1, 2, 3, 4):
                for _ in range(player.hand.counts[value]):
                    self.supply.remove(value)

        stacks = {
            kind: [Building(kind, int(number), crest) for number, crest in setup["stacks"][kind]] for kind in KINDS
        }
        rondel = setup["rondel"]
        self.rondel = Rondel(rondel["coins"], setup["stack_order"], int(rondel["turn"]), stacks)
        self.chapel = ChapelTrack(Print.read(setup["chapel_track"]), start)
        self.gate = GateTrack(Print.read(setup["gate_track"]), count)
        rulings = record.get("rulings", {})
        self.side_minimum = {"one": 1, "none": 0}[rulings.get("tile_side_minimum", "one")]
        self.end_counts_again = rulings.get("coins_again_end", "no") == "yes"
        self.debts_are_owed = rulings.get("debts", "forgiven") == "owed"
        self.bonus_piles: list[list[str]] = [list(pile) for pile in setup["bonus"]]  # top first

    @property
    def rounds(self) -> int:
        return 6 if self.two_player else 12

    @property
    def cards_each(self) -> int:
        """Return how many cards each player plays in a round; also the number of zeros each player owns."""
        return 2 if self.two_player else 1

    def in_chapel_order(self) -> list[Player]:
        return [self.players[seat] for seat in self.chapel.order()]

    # -- tracks -------------------------------------------------------------

    def walk(self, track: ChapelTrack | GateTrack, player: Player, steps: int) -> Flow:
        """Move a marker all the way and pay what lies on it, then let the player choose the bonus tiles."""
        walk = track.advance(player.seat, steps)
        player.money += track.printed.pounds_on(walk.entered)
        if walk.arrived:
            player.money += track.printed.end
        for _ in range(track.printed.bonuses_on(walk.entered)):
            yield from self._choose_bonus(player)

    def _choose_bonus(self, player: Player) -> Flow:
        choices = [f"bonus {place}" for place, pile in enumerate(self.bonus_piles, start=1) if pile]
        if not choices:
            return
        action = yield from choose(player.seat, choices)
        pile = self.bonus_piles[int(action.split()[1]) - 1]
        player.tiles.gain(pile.pop(0))

    # -- building -----------------------------------------------------------

    def build(self, player: Player, new: Building) -> Flow:
        """Put a building on the bridge (§6.1)."""
        if player.bridge.can_append(new):
            player.bridge.append(new)
            return
        spaces = player.bridge.replaceable_spaces(new)
        action = yield from choose(player.seat, [f"replace {space}" for space in spaces])
        player.bridge.replace(int(action.split()[1]), new)

    def resolve_effect(self, player: Player, new: Building) -> Flow:
        """Resolve the effect of a new building (§6.2); guilds and parks have none."""
        if new.kind in ("guild", "park"):
            return
        power = player.bridge.power(new.crest)
        if new.kind == "chapel":
            yield from self.walk(self.chapel, player, power)
        elif new.kind == "gate":
            yield from self.walk(self.gate, player, power)
        elif new.kind == "inn":
            yield from self._hire(player, power)
        elif new.kind == "mercer":
            player.money += power

    def _hire(self, player: Player, power: int) -> Flow:
        """Let a player hire cards from the supply, one by one, never rising, up to the power of the inn."""
        left, highest = power, 4
        while True:
            limit = min(left, highest)
            offers = [value for value in (1, 2, 3, 4) if value <= limit and self.supply.has(value)]
            action = yield from choose(player.seat, [*(f"hire {value}" for value in offers), "done"])
            if action == "done":
                return
            value = int(action.split()[1])
            self.supply.remove(value)
            player.hand.add(value)
            left, highest = left - value, value
