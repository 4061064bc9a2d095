"""Whole games as text, kept beside their records: a change of rules or of drawing shows as a difference to read.

``make golden`` writes them anew, after a change that is meant.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np

from olb_env import load_records, replay, save_records
from olb_env.core import batch
from olb_env.core.records import make_record
from olb_env.old_london_bridge import ACTIONS, GAME
from tests.comparing import weigh
from tests.playthroughs import deal_one

FOLDER = Path(__file__).parent / "golden"
GAMES: dict[str, dict[str, Any]] = {
    "two_players_board": {"num_players": 2},
    "three_players_random_scoring": {"num_players": 3, "scoring": "random"},
    "four_players_board": {"num_players": 4},
    "four_players_own_board": {
        "num_players": 4,
        "scoring": {"chapel": "coins again", "gate": "unused tiles", "inn": "highest card", "bridge": "full sets"},
        "board": {
            "coins": [3, "X", 0, 2, 2, 1],
            "stack_order": ["park", "gate", "mercer", "guild", "inn", "chapel"],
            "chapel_track": {"length": 6, "coins": {1: 2, 5: 4}},
            "gate_track": {"length": 24, "bonus": list(range(1, 24, 2))},
        },
    },
}


def play(name: str) -> dict[str, Any]:
    """The record of a golden game: random play that likes bonus tiles."""
    seed = list(GAMES).index(name)
    states, chance = deal_one(seed, **GAMES[name]), random.Random(seed)
    initial, actions = states.copy(), []
    mask = np.zeros((1, len(ACTIONS)), np.int8)
    while batch.actor_one(states) >= 0:
        batch.write_masks(states, mask)
        legal = [ACTIONS[action] for action in np.flatnonzero(mask[0])]
        actions.append(ACTIONS.index(chance.choices(legal, weigh(legal, eager=True))[0]))
        batch.apply_one(states, actions[-1])
    return make_record(GAME, initial, actions, seed=seed, legal=True)


def tell(record: dict[str, Any]) -> str:
    """A game as text: the position when a round begins and at the end, and every decision between."""
    lines: list[str] = []
    replayed = replay(record)
    shown = 0
    for number, (state, seat, action) in enumerate(replayed, start=1):
        if int(state.round_number) > shown:
            shown = int(state.round_number)
            lines += ["", GAME.draw(state), ""]
        lines.append(f"{number:3d}. seat {seat}: {action}   of {', '.join(GAME.legal_actions(state))}")
    lines += ["", GAME.draw(replayed.final[0])]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()).lstrip("\n") + "\n"


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    for name in GAMES:
        record = play(name)
        save_records(FOLDER / f"{name}.jsonl", [record])
        (FOLDER / f"{name}.txt").write_text(tell(load_records(FOLDER / f"{name}.jsonl")[0]), encoding="utf-8")


if __name__ == "__main__":
    main()
