"""Small tournaments of the toy game, played or invented, for the tests of the arena."""

from __future__ import annotations

from olb_training.arena.schedule import Plan, Unit
from olb_training.arena.statistics import Row
from olb_training.arena.tournament import Tournament
from olb_training.arena.worker import UnitResult
from tests.support.running import INTERPRETED
from tests.support.toy_game import PEBBLES

DEALS = 3 if INTERPRETED else 20


def plan(*agents: str, players: int = 2, deals: int = DEALS, move_limit: float | None = None) -> Plan:
    return Plan(PEBBLES.name, agents, players, deals, 1, {}, move_limit)


def rows_of(contest: Plan) -> dict[str, Row]:
    tournament = Tournament(contest)
    tournament.play()
    return {row.agent: row for row in tournament.tally.rows(contest.deals)}


def result(ranks: list[list[int]], deal: int = 0, starts: list[list[str]] | None = None) -> UnitResult:
    """Return a result of the first lineup; everything but ranks and starts is the same for all seats."""
    size = len(ranks)
    same = [[1] * size] * size
    return UnitResult(Unit(deal, 0), ranks, same, starts or [["0", "1"]] * size, same, same, [], [])
