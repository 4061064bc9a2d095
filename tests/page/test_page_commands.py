"""The commands `olb play` and `olb replay`: what they refuse, and what they serve."""

from __future__ import annotations

import socket
import sys
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands import serving
from olb_env.commands.olb import main
from olb_env.core.records import save_records
from olb_env.playing import play_game
from tests.support.pages import GAME, some_records
from tests.support.toy_game import PEBBLES


@pytest.mark.compiled
def test_mistakes_are_reported_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    empty, bad, mixed = tmp_path / "empty.jsonl", tmp_path / "bad.jsonl", tmp_path / "mixed.jsonl"
    empty.write_text("")
    bad.write_text('{"game": "chess"}\n')
    setup = PEBBLES.rules.configure(num_players=2)
    save_records(mixed, [*some_records(1), play_game(PEBBLES, setup, 1, ["random", "random"])])
    own = tmp_path / "own.jsonl"
    save_records(own, some_records(1))
    for words, message in (
        (["replay", str(tmp_path / "none.jsonl")], "cannot read"),
        (["replay", str(empty)], "holds no games"),
        (["replay", str(bad)], "line 1"),
        (["replay", str(mixed)], "mixes records"),
        (["replay", "--game", PEBBLES.name, str(own)], "holds records of old_london_bridge, not of pebbles"),
        (["play", "--adviser", "random"], "cannot evaluate moves"),
        (["play", "--agents", "nobody"], "unknown agent 'nobody'"),
    ):
        assert main(words) == 2
        error = capsys.readouterr().err
        assert message in error
        assert error.count("\n") == 1


@pytest.mark.parametrize("named", [[], ["--game", PEBBLES.name]])
def test_records_are_shown_for_the_game_they_are_of(
    named: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, served = tmp_path / "games.jsonl", []
    save_records(file, [play_game(PEBBLES, PEBBLES.rules.configure(num_players=2), 1, ["random", "random"])])
    monkeypatch.setattr("olb_env.commands.replay.serve", lambda _options, game, records: served.append(game.name) or 0)
    assert main(["replay", *named, str(file)]) == 0
    assert served == [PEBBLES.name]


def test_a_port_in_use_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        assert main(["play", "--no-browser", "--port", str(taken.getsockname()[1])]) == 2
    assert "name another --port" in capsys.readouterr().err


def test_a_missing_server_is_reported_with_the_extra_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert main(["play"]) == 2
    assert "pip install olb-env[play]" in capsys.readouterr().err


def test_a_game_without_a_champion_is_served_without_an_adviser(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nobody(name: str, game: Any) -> Any:
        raise ValueError(f"there is no {name} of {game.name} yet")

    assert serving._make_adviser("champion", GAME, nobody) is None
    assert capsys.readouterr().err == "moves are not evaluated: there is no champion of old_london_bridge yet\n"
    with pytest.raises(ValueError, match="there is no other"):
        serving._make_adviser("other", GAME, nobody)
