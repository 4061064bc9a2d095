"""Agents are found by name: registered ones, and classes in the user's modules and files."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from olb_env import replay
from olb_env.core.game import find
from olb_env.old_london_bridge import GAME
from olb_env.playing import (
    BatchAgent,
    EvaluatingAgent,
    GameCheckingAgent,
    SoftTeacher,
    View,
    agent_for,
    agent_names,
    is_registered,
    make_agent,
    play_game,
    register_agent,
    registry,
)
from tests.support.some_agents import Chatty, First, Last, Thoughtful, Undecided


class _Lowest:
    def act(self, view: View) -> int:
        return int(view.mask.argmax())


def test_a_registered_agent_plays_under_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_factories", dict(registry._factories))
    setup = GAME.rules.configure(num_players=2)
    by_name = play_game(GAME, setup, 4, ["tests.support.some_agents:First"] * 2)
    register_agent("lowest", lambda _rest: _Lowest())
    by_id = play_game(GAME, setup, 4, ["lowest"] * 2)
    assert by_name["moves"] == by_id["moves"]
    assert "lowest" in agent_names()
    assert is_registered("lowest:7")
    assert not is_registered("tests.support.some_agents:First")


def test_a_class_is_found_by_module_and_name() -> None:
    assert isinstance(make_agent("tests.support.some_agents:First"), First)


@pytest.mark.parametrize("name", ["clever", "tests.support.some_agents:Nobody", "tests.no_such_module:Bot"])
def test_an_unknown_agent_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(ValueError, match=f"{name}.*expected one of"):
        make_agent(name)


BOT = "class Bot:\n    def act(self, view):\n        return view.legal[0]\n"


def test_a_module_in_the_current_folder_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bot_in_this_folder.py").write_text(BOT)
    assert type(make_agent("bot_in_this_folder:Bot")).__name__ == "Bot"
    assert sys.path[-1] == ""


def test_files_in_the_current_folder_hide_no_installed_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The current folder is searched for the user's own agents only, and last."""
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry])
    monkeypatch.chdir(tmp_path)
    (tmp_path / "colorsys.py").write_text("raise RuntimeError('not the library')\n")
    monkeypatch.delitem(sys.modules, "colorsys", raising=False)
    (tmp_path / "bot_with_library.py").write_text("import colorsys\n" + BOT)
    agent_names()
    make_agent("random")
    assert "" not in sys.path
    assert type(make_agent("bot_with_library:Bot")).__name__ == "Bot"


def test_a_file_is_found_by_its_path_and_finds_the_files_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "names_beside_it.py").write_text("FIRST = 'play 0'\n")
    (tmp_path / "bot.py").write_text(
        "from names_beside_it import FIRST\nclass Bot:\n    def act(self, view):\n        return FIRST\n"
    )
    assert type(make_agent(f"{tmp_path / 'bot.py'}:Bot")).__name__ == "Bot"
    with pytest.raises(ValueError, match="there is no file"):
        make_agent(f"{tmp_path / 'missing.py'}:Bot")


def test_protocols_tell_which_optional_methods_an_agent_has() -> None:
    assert isinstance(Last(), BatchAgent)
    assert isinstance(Thoughtful(), EvaluatingAgent)
    assert isinstance(Undecided(), SoftTeacher)
    assert isinstance(make_agent("planner"), GameCheckingAgent)
    assert not isinstance(First(), BatchAgent | EvaluatingAgent | SoftTeacher | GameCheckingAgent)
    assert not isinstance(Chatty(), BatchAgent)  # a method that is None counts as absent


def test_an_agent_that_does_not_play_a_game_says_so() -> None:
    with pytest.raises(ValueError, match="wobbly_bridge has no style 'guilds'"):
        agent_for("guilds", find("wobbly_bridge"))


def test_a_bot_in_a_users_file_plays(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(BOT)
    record = play_game(GAME, GAME.rules.configure(num_players=2), 3, [f"{file}:Bot", "random"])
    assert replay(record).over
    with pytest.raises(ValueError, match=r"cannot load agent '.*nobody.py:Bot'.*there is no file"):
        make_agent(f"{tmp_path}/nobody.py:Bot")
    with pytest.raises(ValueError, match=r"cannot load agent '.*my_bot.py:Nobody'"):
        make_agent(f"{file}:Nobody")
