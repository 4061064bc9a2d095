"""Positions for tests of Old London Bridge, arranged and played in the words of the rulebook.

Everything here runs the rules as plain Python, so that a debugger can step through a test.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from olb_env.old_london_bridge import ACTIONS, GAME, mechanics, rules
from olb_env.old_london_bridge.components import (
    CENTRE,
    CRESTS,
    KINDS,
    PARK,
    SPACES,
    STACK_SIZE,
    TILES,
    printed_tiles,
)
from olb_env.old_london_bridge.legal_actions import legal_set
from olb_env.old_london_bridge.scoring import score_end
from olb_env.old_london_bridge.state import CODE_BASE, OVER, PHASES, tile_code

Building = tuple[str, int, str]


def building(text: str) -> Building:
    """Return a printed building by name: "mercer 43" (the crest follows from the number) or "park green"."""
    kind, _, rest = text.partition(" ")
    if kind == "park":
        return kind, 0, rest
    crests = dict(printed_tiles()[KINDS.index(kind)])
    return kind, int(rest), CRESTS[crests[int(rest)]]


class Position:
    """A game dealt from a seed for a test to arrange; seats 0, 1, … begin on stairs A, B, … ."""

    def __init__(
        self,
        players: int = 4,
        scoring: str | Mapping[str, str] = "board",
        board: Any = None,
        seed: int = 1,
        rulings: Mapping[str, str] | None = None,
    ) -> None:
        if isinstance(scoring, Mapping):
            scoring = {"chapel": "board", "gate": "board", "inn": "board", "bridge": "board", **scoring}
        setup = GAME.rules.configure(num_players=players, scoring=scoring, board=board, rulings=rulings)
        self.states = GAME.new_states(1)
        self.game = self.states[0]
        GAME.rules.deal(self.game, setup[0], seed)
        self.players = players
        record = GAME.records.describe_setup(self.game)
        record["setup"]["chapel_start"] = list(range(players))
        self.states = GAME.records.read_setup(record)
        self.game = self.states[0]

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
        return [name for action, name in enumerate(ACTIONS) if int(self.game.legal) >> action & 1]

    def seat(self, seat: int) -> Any:
        return self.game.seats[seat]

    def money(self, seat: int) -> int:
        return int(self.game.money[seat])

    def all_money(self) -> list[int]:
        return [self.money(seat) for seat in range(self.players)]

    def hand(self, seat: int) -> list[int]:
        """Return the cards in hand, highest first."""
        counts = self.seat(seat).hand
        return [value for value in range(4, -1, -1) for _ in range(counts[value])]

    def bridge(self, seat: int) -> list[int]:
        """Return the house numbers from left to right, 0 for a park."""
        return [int(number) for number in self.seat(seat).bridge_number[: self.seat(seat).built]]

    def tiles(self, seat: int) -> list[str]:
        return [TILES[tile] for tile, count in enumerate(self.seat(seat).tiles) for _ in range(count)]

    def chapel_order(self) -> list[int]:
        return [int(seat) for seat in self.game.order[: self.players]]

    def coin_beside(self, kind: str) -> int | str:
        at = KINDS.index(kind)
        return "X" if self.game.table.crossed[at] else int(self.game.table.coin[at])

    def supply(self, value: int) -> int:
        return int(self.game.table.supply[value])

    def ledger(self, seat: int) -> dict[str, int]:
        breakdown: dict[str, int] = GAME.records.describe_end(self.game)["breakdown"][seat]
        return breakdown

    def ledger_entry(self, entry: str) -> list[int]:
        """Return one entry of the ledger, by seat."""
        return [self.ledger(seat)[entry] for seat in range(self.players)]

    def ranking(self) -> list[int]:
        """Return the seats by final money, best first."""
        ranking: list[int] = GAME.records.describe_end(self.game)["ranking"]
        return ranking

    # Arranging the position

    def refresh(self) -> None:
        """Find the legal actions anew, after a change."""
        self.game.legal = legal_set(self.game)

    def set_money(self, seat: int, pounds: int) -> None:
        self.game.money[seat] = pounds
        self.refresh()

    def set_hand(self, seat: int, *cards: int) -> None:
        """Exchange a hand with the supply; zeros never come from the supply."""
        player, supply = self.seat(seat), self.game.table.supply
        for value in range(1, 5):
            supply[value] += player.hand[value] - cards.count(value)
        player.hand[:] = [cards.count(value) for value in range(5)]
        self.refresh()

    def set_supply(self, value: int, count: int) -> None:
        self.game.table.supply[value] = count
        self.refresh()

    def give(self, seat: int, *tiles: str, fresh: bool = False) -> None:
        """Give a seat bonus tiles, usable at once unless `fresh`."""
        for name in tiles:
            self.seat(seat).tiles[TILES.index(name)] += 1
            self.seat(seat).fresh[TILES.index(name)] += fresh
        self.refresh()

    def set_bridge(self, seat: int, *buildings: str | Building) -> None:
        """Set a bridge from left to right: "mercer 43", "park green", or (kind, number, crest)."""
        player = self.seat(seat)
        for name in ("bridge_number", "bridge_kind", "bridge_crest", "power", "kinds"):
            player[name] = 0
        player.built = 0
        for text in buildings:
            self._hold(building(text) if isinstance(text, str) else text)
            mechanics.build(self.game, seat, int(player.built))
        self.game.table.lowest = 0
        self.refresh()

    def _hold(self, tile: Building) -> None:
        kind, number, crest = tile
        self.game.tile_kind = KINDS.index(kind)
        self.game.table.tile_number = number
        self.game.tile_crest = CRESTS.index(crest)

    def set_chapel(self, *spaces: int) -> None:
        """Set the space of each seat on the chapel track; on a shared space the lower seat is on top."""
        for seat, space in enumerate(spaces):
            self.seat(seat).chapel = space
        self.set_chapel_order(*sorted(range(self.players), key=lambda seat: (-spaces[seat], seat)))

    def set_chapel_order(self, *seats: int) -> None:
        for place, seat in enumerate(seats):
            self.game.order[place] = seat
            self.seat(seat).standing = place
        if self.phase_name in ("lady", "play", "boost"):
            self.game.actor = self.game.order[self.game.turn]
        self.refresh()

    def set_gate(self, *spaces: int) -> None:
        for seat, space in enumerate(spaces):
            self.seat(seat).gate = space
        self.refresh()

    def put_on_top(self, tile: str | Building) -> None:
        """Bring a tile to the top of its stack; a tile that is not in the stack replaces the top one."""
        kind, number, crest = building(tile) if isinstance(tile, str) else tile
        at = KINDS.index(kind)
        stack, code = self.game.hidden.stack[at], tile_code(number, CRESTS.index(crest))
        top = STACK_SIZE - self.game.table.stack_left[at]
        below = [i for i in range(top, STACK_SIZE) if stack[i] == code]
        if below:
            stack[below[0]] = stack[top]
        stack[top] = code
        mechanics.show_top(self.game, at)
        self.refresh()

    def empty_stack(self, *kinds: str) -> None:
        for kind in kinds:
            at = KINDS.index(kind)
            self.game.table.stack_left[at] = 0
            for code in self.game.hidden.stack[at]:
                if at == PARK:
                    self.game.table.parks_left[code % CODE_BASE - 1] = 0
                else:
                    self.game.table.number_left[code // CODE_BASE - 1] = 0
            mechanics.show_top(self.game, at)
        self.refresh()

    def turn_rondel_to(self, kind: str, coin: int | str) -> None:
        """Turn the rondel until the space beside a stack shows a coin or the X."""
        for _ in KINDS:
            if self.coin_beside(kind) == coin:
                self.refresh()
                return
            mechanics.turn_rondel(self.game, 1)
        raise AssertionError(f"no space of the rondel shows {coin}")

    def put_pawn(self, seat: int, space: str) -> None:
        """Put a seat's pawn on the outer space beside a stack, or on the centre."""
        at = CENTRE if space == "centre" else KINDS.index(space)
        self.seat(seat).pawn[:] = 0
        self.seat(seat).pawn[at] = 1
        self.game.table.pawns[:] = sum(self.seat(other).pawn for other in range(self.players))
        self.refresh()

    def set_piles(self, *piles: Sequence[str]) -> None:
        """Set the bonus piles, top first; tiles left out have been taken."""
        for pile, names in enumerate(piles):
            gone = [tile for tile in TILES if tile not in names]
            self.game.hidden.pile[pile] = [TILES.index(tile) for tile in (*gone, *names)]
            self.game.table.pile_holds[pile] = [tile in names for tile in TILES]
            self.game.table.pile_left[pile] = len(names)
        self.refresh()

    def set_next_marker(self, value: int) -> None:
        """Set the marker of the next round."""
        self.game.hidden.marker[self.game.round_number] = value

    def walk_chapel(self, seat: int, steps: int) -> None:
        """Move a marker on the chapel track outside its player's turn, and pay what it passes."""
        mechanics.walk_chapel(self.game, seat, steps)
        self.refresh()

    def walk_gate(self, seat: int, steps: int) -> int:
        """Move a marker on the gate track; return how many bonus spaces it passed, without taking their tiles."""
        due = int(mechanics.walk_gate(self.game, seat, steps))
        self.refresh()
        return due

    # Playing

    def act(self, *names: str) -> None:
        """Carry out one action after another."""
        for name in names:
            assert rules.apply(self.game, ACTIONS.index(name)), f"{name!r} is not legal: {self.legal}"

    def play_cards(self, *cards: int | tuple[int, int]) -> None:
        """Let everybody pick: a card by seat, or two with two players; missing cards come from the supply."""
        assert self.phase_name == "play", self.phase_name
        for seat, picked in enumerate(cards):
            wanted = picked if isinstance(picked, tuple) else (picked,)
            for value in set(wanted):
                lacking = wanted.count(value) - self.seat(seat).hand[value]
                if lacking > 0:
                    self.seat(seat).hand[value] += lacking
                    self.game.table.supply[value] -= lacking
        self.refresh()
        for seat in self.chapel_order():
            picked = cards[seat]
            for value in picked if isinstance(picked, tuple) else (picked,):
                if self.phase_name == "play" and self.actor == seat and len(self.legal) > 1:
                    self.act(f"play {value}")

    def finish_turn(self) -> None:
        """Finish the turn with `done` where it is legal, else with the first legal action."""
        turn = (int(self.game.round_number), int(self.game.turn))
        while not self.over and (int(self.game.round_number), int(self.game.turn)) == turn:
            self.act(self.legal[-1] if "done" in self.legal else self.legal[0])

    def finish_round(self) -> list[int]:
        """Finish the round in the same way; return the seats that had a turn, in order."""
        number, seats = int(self.game.round_number), []
        while not self.over and int(self.game.round_number) == number:
            if self.phase_name in ("lady", "play", "boost"):
                self.act(self.legal[-1] if "done" in self.legal else self.legal[0])
            else:
                seats.append(self.actor)
                self.finish_turn()
        return seats

    def build(self, seat: int, tile: str, *, at: int | None = None) -> int:
        """Let a seat build a tile outside its turn, on the first free space or on space `at` (1–12).

        Return its power; its effect is not resolved.
        """
        self._hold(building(tile))
        space = int(self.seat(seat).built) if at is None else at - 1
        assert 0 <= space < SPACES
        return int(mechanics.build(self.game, seat, space))

    def score_end(self) -> None:
        """End and score the game at once."""
        score_end(self.game)

    def scored(self, entry: str) -> list[int]:
        """End and score the game at once; return one entry of the ledger, by seat."""
        self.score_end()
        return self.ledger_entry(entry)


def first_turn(
    players: int = 4, *, cross: str | None = "park", scoring: str | Mapping[str, str] = "board", board: Any = None
) -> Position:
    """Return a position in which seat 0 has to place its pawn; the others follow in order of their seats.

    With two players the seats alternate. With the X beside the park stack, the coins are: mercer 1, chapel 2, guild 3,
    inn 2, gate 1. With `cross=None` the rondel is left as it was dealt.
    """
    position = Position(players, scoring, board)
    if cross is not None:
        position.turn_rondel_to(cross, "X")
    if players == 2:
        position.play_cards((4, 2), (3, 1))
    else:
        position.play_cards(*range(4, 4 - players, -1))
    return position
