"""Scoring: what pays during the game and what pays at its end (§7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .pieces import PlayedCard

if TYPE_CHECKING:
    from .table import Player, Table

AREAS: dict[str, tuple[str, ...]] = {
    "chapel": ("board", "most chapels", "leader each round", "lead over last", "coins again"),
    "gate": ("board", "most gates", "leader each round", "steps", "unused tiles"),
    "inn": ("board", "most inns", "highest card", "hand size", "card sets"),
    "bridge": ("board", "longest run", "lowest number each round", "low numbers", "full sets"),
}
PRIZES: dict[int, tuple[int, ...]] = {4: (5, 3, 1), 3: (5, 3), 2: (5,)}
LEADER_PAY = 1
HIGHEST_CARD_PAY = 2
LOWEST_NUMBER_PAY = 2

# Pounds by threshold: the largest threshold that is reached counts.
GATE_STEPS = {4: 3, 7: 5, 10: 9, 13: 12}
UNUSED_TILES = {1: 1, 2: 4, 3: 9, 4: 16}
HAND_SIZE = {3: 4, 5: 7, 8: 10}
EMPTY_SPACES = {1: 1, 2: 4, 3: 7, 4: 10, 5: 14}


class ScoringPlan:
    """The scoring of each of the four areas."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self.names = {area: names[area] for area in AREAS}
        for area, name in self.names.items():
            if name not in AREAS[area]:
                raise ValueError(f"the {area} area has no scoring {name!r}: expected one of {AREAS[area]}")

    def uses(self, area: str, name: str) -> bool:
        if name not in AREAS[area]:
            raise RuntimeError(f"misspelt scoring {name!r}")
        return self.names[area] == name


def by_threshold(table: Mapping[int, int], amount: int) -> int:
    reached = [threshold for threshold in table if threshold <= amount]
    return table[max(reached)] if reached else 0


def best_card_sets(counts: Sequence[int]) -> int:
    """Return the most that a hand pays when split into sets 1+2, 1+2+3 and 1+2+3+4."""
    best = 0
    for length, pay in ((2, 5), (3, 10), (4, 15)):
        if all(counts[value] > 0 for value in range(1, length + 1)):
            rest = [count - (1 <= value <= length) for value, count in enumerate(counts)]
            best = max(best, pay + best_card_sets(rest))
    return best


def pay_prizes(table: Table, amounts: Sequence[int], least: int = 1) -> list[int]:
    """Return the prizes for the largest amounts of at least `least`; chapel order breaks ties."""
    rank = table.chapel.order().index
    contenders = [seat for seat, amount in enumerate(amounts) if amount >= least]
    contenders.sort(key=lambda seat: (-amounts[seat], rank(seat)))
    pay = [0] * len(amounts)
    for seat, prize in zip(contenders, PRIZES[len(amounts)], strict=False):
        pay[seat] = prize
    return pay


# -- during the game ----------------------------------------------------------


def score_reveal(table: Table, cards: Sequence[PlayedCard]) -> None:
    """Pay the highest card as played, right after the reveal (§4.4)."""
    if not table.plan.uses("inn", "highest card"):
        return
    rank = table.chapel.order().index
    best = min(cards, key=lambda card: (-card.value, rank(card.seat)))
    table.players[best.seat].money += HIGHEST_CARD_PAY


def score_round(table: Table, built: Sequence[tuple[int, int]]) -> None:
    """Pay what is due at the end of a round; `built` holds the (house number, seat) of its buildings."""
    order = table.chapel.order()
    if table.plan.uses("chapel", "leader each round"):
        leader = order[0]
        if table.chapel.position(leader) >= table.side_minimum:
            table.players[leader].money += LEADER_PAY
    if table.plan.uses("gate", "leader each round"):
        leader = min(order, key=lambda seat: (-table.gate.positions[seat], order.index(seat)))
        if table.gate.positions[leader] >= table.side_minimum:
            table.players[leader].money += LEADER_PAY
    if table.plan.uses("bridge", "lowest number each round") and built:
        _, seat = min(built)
        table.players[seat].money += LOWEST_NUMBER_PAY


# -- at the end ---------------------------------------------------------------


def chapel_area(table: Table) -> list[int]:
    players, plan = table.players, table.plan
    positions = [table.chapel.position(player.seat) for player in players]
    if plan.uses("chapel", "board"):
        return pay_prizes(table, positions)
    if plan.uses("chapel", "most chapels"):
        return pay_prizes(table, [player.bridge.count("chapel") for player in players], table.side_minimum)
    if plan.uses("chapel", "lead over last"):
        return [position - min(positions) for position in positions]
    if plan.uses("chapel", "coins again"):
        end = table.chapel.printed.end if table.end_counts_again else 0
        return [
            table.chapel.coins_passed(player.seat) + (end if table.chapel.at_end(player.seat) else 0)
            for player in players
        ]
    return [0] * len(players)  # paid round by round


def gate_area(table: Table) -> list[int]:
    players, plan = table.players, table.plan
    if plan.uses("gate", "board"):
        return pay_prizes(table, table.gate.positions)
    if plan.uses("gate", "most gates"):
        return pay_prizes(table, [player.bridge.count("gate") for player in players], table.side_minimum)
    if plan.uses("gate", "steps"):
        return [by_threshold(GATE_STEPS, position) for position in table.gate.positions]
    return [0] * len(players)  # paid round by round, or with the bonus tiles


def inn_area(table: Table) -> list[int]:
    players, plan = table.players, table.plan
    if plan.uses("inn", "board"):
        return pay_prizes(table, [player.hand.total_value for player in players])
    if plan.uses("inn", "most inns"):
        return pay_prizes(table, [player.bridge.count("inn") for player in players], table.side_minimum)
    if plan.uses("inn", "hand size"):
        return [by_threshold(HAND_SIZE, player.hand.size) for player in players]
    if plan.uses("inn", "card sets"):
        return [best_card_sets(player.hand.counts) for player in players]
    return [0] * len(players)  # paid at each reveal


def bridge_area(table: Table) -> list[int]:
    players, plan = table.players, table.plan
    if plan.uses("bridge", "board"):
        return pay_prizes(table, [len(player.bridge) for player in players])
    if plan.uses("bridge", "longest run"):
        return pay_prizes(table, [player.bridge.longest_run() for player in players], table.side_minimum)
    if plan.uses("bridge", "low numbers"):
        return [2 * player.bridge.low_numbers(30) for player in players]
    if plan.uses("bridge", "full sets"):
        return [10 * player.bridge.full_sets() for player in players]
    return [0] * len(players)  # paid round by round


def tile_pay(table: Table, player: Player) -> int:
    if table.plan.uses("gate", "unused tiles"):
        return by_threshold(UNUSED_TILES, player.tiles.size)
    return player.tiles.size


def score_end(table: Table) -> list[dict[str, int]]:
    """Pay everything due at the end, in the right order, and return the breakdown of each seat."""
    breakdown = [{"in_play": player.money} for player in table.players]

    def pay(player: Player, heading: str, pounds: int) -> None:
        player.money += pounds
        breakdown[player.seat][heading] = pounds

    areas = {"chapel": chapel_area, "gate": gate_area, "inn": inn_area, "bridge": bridge_area}
    for heading, area in areas.items():
        pounds = area(table)
        for player in table.players:
            pay(player, heading, pounds[player.seat])
    for player in table.players:
        due = by_threshold(EMPTY_SPACES, player.bridge.empty_spaces)
        pay(player, "empty_spaces", -due if table.debts_are_owed else -min(due, player.money))
    for player in table.players:
        pay(player, "bonus_tiles", tile_pay(table, player))
    return breakdown


def final_ranking(table: Table) -> list[int]:
    """Return the seats by money, the richest first; chapel order breaks ties."""
    return sorted(table.chapel.order(), key=lambda seat: -table.players[seat].money)
