"""Golden games: whole games as text beside their records, so that a change of the rules or of the text shows as a diff.

``make golden`` writes them anew after an intended change.
"""

from __future__ import annotations

import random
from typing import Any

from olb_env import load_records, replay, save_records
from olb_env.core import batch
from olb_env.core.records import make_record
from tests.old_london_bridge import golden as old_london_bridge
from tests.portobello_market import golden as portobello_market
from tests.support.paths import TESTS
from tests.support.playthroughs import deal_one
from tests.tools.compare import COMPARED
from tests.wobbly_bridge import golden as wobbly_bridge

FOLDER = TESTS / "golden"
GOLDEN = {
    "old_london_bridge": old_london_bridge.GAMES,
    "portobello_market": portobello_market.GAMES,
    "wobbly_bridge": wobbly_bridge.GAMES,
}
NAMES = [(game, name) for game, games in GOLDEN.items() for name in games]


def load_golden(game: str, name: str) -> tuple[dict[str, Any], str]:
    """Return the saved record of a golden game and its text."""
    (record,) = load_records(FOLDER / game / f"{name}.jsonl")
    return record, (FOLDER / game / f"{name}.txt").read_text(encoding="utf-8")


def play(name_of_game: str, name: str) -> dict[str, Any]:
    """Play a golden game at random, with the action weights of its game, and return its record."""
    game, action_weights = COMPARED[name_of_game].GAME, COMPARED[name_of_game].action_weights
    number, options = GOLDEN[name_of_game][name]
    seed = list(GOLDEN[name_of_game]).index(name)
    states, rng = deal_one(seed, game, **options), random.Random(seed)
    initial, actions = states.copy(), []
    while batch.actor_one(states) >= 0:
        legal = game.legal_actions(states[0])
        actions.append(game.ids(states[0])[rng.choices(legal, action_weights(legal, number))[0]])
        batch.apply_one(states, actions[-1])
    return make_record(game, initial, actions, seed=seed, legal=True)


def transcript(record: dict[str, Any]) -> str:
    """Return a game as text: the position at the start of each round and at the end, and every decision in between."""
    lines: list[str] = []
    replayed = replay(record)
    game, shown = replayed.game, None
    for number, (state, seat, action) in enumerate(replayed, start=1):
        if game.display.round_of(state) != shown:
            shown = game.display.round_of(state)
            lines += ["", game.display.text(state), ""]
        lines.append(f"{number:3d}. seat {seat}: {action}   of {', '.join(game.legal_actions(state))}")
    lines += ["", game.display.text(replayed.final[0])]
    return "\n".join(line.rstrip() for line in "\n".join(lines).splitlines()).lstrip("\n") + "\n"


def main() -> None:
    """Play and write all golden games."""
    for game, name in NAMES:
        path = FOLDER / game / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        save_records(path, [play(game, name)])
        path.with_suffix(".txt").write_text(transcript(load_records(path)[0]), encoding="utf-8")


if __name__ == "__main__":
    main()
