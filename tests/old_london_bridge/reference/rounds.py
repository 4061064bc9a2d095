"""The course of a game: rounds (§4) and turns (§5), as generators of decisions."""

from __future__ import annotations

from collections.abc import Generator

from tests.support.reference_game import Decision, Flow

from .pieces import CARD_VALUES, PlayedCard, choose
from .rondel import Placement
from .scoring import final_ranking, score_end, score_reveal, score_round
from .table import Player, Table
from .tracks import ChapelTrack, GateTrack

PLACEMENT_TILES = ("share", "free", "cross")
STEP_TILES = ("chapel", "gate")
STEPS_PER_TILE = 2
EMPTY_STACKS_TO_END = 3


class Course:
    """The course of one game on a table; at the end it holds the ranking and the breakdown."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.round = 0
        self.in_play: list[PlayedCard] = []  # revealed cards whose turn has not come yet
        self.built: list[tuple[int, int]] = []  # (house number, seat) of this round
        self.ranking: list[int] | None = None
        self.breakdown: list[dict[str, int]] | None = None

    def play(self) -> Flow:
        for marker in self.table.markers:
            self.round += 1
            yield from self.play_round(marker)
            if self.table.rondel.empty_stacks() >= EMPTY_STACKS_TO_END:
                break
        self.breakdown = score_end(self.table)
        self.ranking = final_ranking(self.table)

    def play_round(self, marker: int) -> Flow:
        table = self.table
        self.built = []
        table.rondel.rotate(marker)
        yield from self.lady_step()
        cards = yield from self.card_step()
        score_reveal(table, cards)
        yield from self.boost_step(cards)
        for card in self.turn_order(cards):
            yield from self.turn(card)
        table.rondel.clear_pawns()
        score_round(table, self.built)
        for player in table.players:
            player.tiles.wake()

    # -- before the turns ---------------------------------------------------

    def lady_step(self) -> Flow:
        """Offer lady tiles, which bring 2s into hand (§4.2)."""
        for player in self.table.in_chapel_order():
            while player.tiles.can_use("lady") and self.table.supply.has(2):
                action = yield from choose(player.seat, ["use lady", "done"])
                if action == "done":
                    break
                player.tiles.use("lady")
                self.table.supply.remove(2)
                player.hand.add(2)

    def card_step(self) -> Generator[Decision, str, list[PlayedCard]]:
        """Let all pick in secret; then all picks leave the hands at once (§4.3)."""
        cards: list[PlayedCard] = []
        for player in self.table.in_chapel_order():
            left = list(player.hand.counts)
            for _ in range(self.table.cards_each):
                choices = [f"play {value}" for value in CARD_VALUES if left[value]]
                action = yield from choose(player.seat, choices)
                value = int(action.split()[1])
                left[value] -= 1
                cards.append(PlayedCard(player.seat, value))
        for card in cards:
            self.table.players[card.seat].hand.remove(card.value)
        self.in_play = list(cards)
        return cards

    def boost_step(self, cards: list[PlayedCard]) -> Flow:
        """Offer boost tiles, which raise a card in the order of this round (§4.5)."""
        for player in self.table.in_chapel_order():
            own = [card for card in cards if card.seat == player.seat]
            own.sort(key=lambda card: -card.value)  # with two cards: the higher, the lower
            while player.tiles.can_use("boost"):
                choices = ["use boost", "done"] + (["boost low"] if self.table.two_player else [])
                action = yield from choose(player.seat, choices)
                if action == "done":
                    break
                player.tiles.use("boost")
                boosted = own[-1] if action == "boost low" else own[0]
                boosted.boosts += 1

    def turn_order(self, cards: list[PlayedCard]) -> list[PlayedCard]:
        """Return the cards, highest first; ties by chapel order, then the card that was higher as played (§4.6)."""
        rank = self.table.chapel.order().index
        return sorted(cards, key=lambda card: (-card.rank, rank(card.seat), -card.value))

    # -- a turn -------------------------------------------------------------

    def turn(self, card: PlayedCard) -> Flow:
        table = self.table
        player = table.players[card.seat]
        self.give_back(player, card)
        placement = yield from self.placing(player)
        if placement is None:
            return
        player.money += placement.money
        table.rondel.pawns[player.seat] = placement.space
        building = table.rondel.take_top(placement.kind)
        yield from table.build(player, building)
        if not building.is_park:
            self.built.append((building.number, player.seat))
        yield from table.resolve_effect(player, building)
        yield from self.after_building(player, card)

    def give_back(self, player: Player, card: PlayedCard) -> None:
        """Return a played card to the supply, a zero to its owner (§5.1)."""
        self.in_play = [other for other in self.in_play if other is not card]
        (player.hand if card.value == 0 else self.table.supply).add(card.value)

    def placing(self, player: Player) -> Generator[Decision, str, Placement | None]:
        """Let a player use tiles and choose a placement; None if the turn passes (§5.2, §5.4, §5.5)."""
        used: frozenset[str] = frozenset()
        while True:
            ways = self.table.rondel.placements(player.seat, player.money)
            open_now = {way.action: way for way in ways if way.needs == used}
            tiles = [tile for tile in PLACEMENT_TILES if self.tile_opens_a_way(player, tile, used, ways)]
            tiles += self.usable_step_tiles(player)
            choices = [*open_now, *(f"use {tile}" for tile in tiles)]
            if not open_now and not used:
                choices.append("done")
            action = yield from choose(player.seat, choices)
            if action == "done":
                return None
            if action in open_now:
                return open_now[action]
            tile = action.split()[1]
            if tile in STEP_TILES:
                yield from self.use_step_tile(player, tile)
            else:
                player.tiles.use(tile)
                used |= {tile}

    def tile_opens_a_way(self, player: Player, tile: str, used: frozenset[str], ways: list[Placement]) -> bool:
        """Return whether a placement tile may be used, which is only if it cannot be wasted.

        Some space must need this tile and all tiles used so far, and the player must hold whatever else it needs.
        """
        if tile in used or not player.tiles.can_use(tile):
            return False
        laid = used | {tile}
        return any(laid <= way.needs and all(player.tiles.can_use(other) for other in way.needs - laid) for way in ways)

    def usable_step_tiles(self, player: Player) -> list[str]:
        """Return the usable chapel and gate tiles, as long as the marker is not at the end of its track."""
        tracks: dict[str, ChapelTrack | GateTrack] = {"chapel": self.table.chapel, "gate": self.table.gate}
        held = [tile for tile in STEP_TILES if player.tiles.can_use(tile)]
        return [tile for tile in held if not tracks[tile].at_end(player.seat)]

    def use_step_tile(self, player: Player, tile: str) -> Flow:
        player.tiles.use(tile)
        track = self.table.chapel if tile == "chapel" else self.table.gate
        yield from self.table.walk(track, player, STEPS_PER_TILE)

    def after_building(self, player: Player, card: PlayedCard) -> Flow:
        """Offer tiles after building, until the player ends the turn (§5.4)."""
        recalled = False
        while True:
            tiles = self.usable_step_tiles(player)
            if not recalled and self.can_recall(player, card):
                tiles.append("recall")
            action = yield from choose(player.seat, [*(f"use {tile}" for tile in tiles), "done"])
            if action == "done":
                return
            tile = action.split()[1]
            if tile == "recall":
                recalled = True
                player.tiles.use("recall")
                self.table.supply.remove(card.value)
                player.hand.add(card.value)
            else:
                yield from self.use_step_tile(player, tile)

    def can_recall(self, player: Player, card: PlayedCard) -> bool:
        return card.value > 0 and player.tiles.can_use("recall") and self.table.supply.has(card.value)
