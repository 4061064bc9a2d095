"""What agents get to see, and bots from a user's file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_env import replay
from olb_env.core import batch
from olb_env.core.game import Game
from olb_env.old_london_bridge import GAME
from olb_env.playing import View, Views, make_agent, play_game
from tests.support.playthroughs import deal_one

BOT = '''
import numpy as np


class Miser:
    """Takes the first legal action."""

    def act(self, view):
        return view.legal[0]
'''


def test_a_bot_in_a_users_file_plays(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(BOT, encoding="utf-8")
    record = play_game(GAME, GAME.rules.configure(num_players=2), 3, [f"{file}:Miser", "random"])
    assert replay(record).over
    with pytest.raises(ValueError, match=r"cannot load agent '.*nobody.py:Bot'.*there is no file"):
        make_agent(f"{tmp_path}/nobody.py:Bot")
    with pytest.raises(ValueError, match=r"cannot load agent '.*my_bot.py:Nobody'"):
        make_agent(f"{file}:Nobody")


def test_hidden_fields_are_not_reachable_through_a_view() -> None:
    """Whatever an agent finds in its view is redrawn or public."""
    states = deal_one(3)
    batch.apply_one(states, 4)
    true = states[0].hidden.tobytes()
    view = Views(GAME, states, [5])[0]
    found = [value for value in _reachable(view) if isinstance(value, np.ndarray) and value.dtype == GAME.rules.dtype]
    assert found
    for games in found:
        assert all(game.hidden.tobytes() != true for game in games.reshape(-1))


def _reachable(view: View) -> list[Any]:
    """Everything an agent can reach by following attributes and bases of arrays."""
    seen: dict[int, Any] = {}
    open_ends: list[Any] = [view, view.clone(), view.clone(1)]
    while open_ends:
        value = open_ends.pop()
        if id(value) in seen or isinstance(value, Game | type):
            continue
        seen[id(value)] = value
        if isinstance(value, np.ndarray):
            open_ends.append(value.base)
        elif hasattr(value, "__dict__"):
            open_ends += vars(value).values()
    return list(seen.values())
