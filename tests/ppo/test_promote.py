"""How a champion came to be is told with it, and what is told can be typed."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from olb_agents.network import load_network
from olb_agents.policy import CHAMPIONS
from olb_env.commands.olb import main
from olb_env.core.game import games
from olb_training.ppo import promote
from olb_training.ppo.presets import EXPLOIT, command_of, preset_of
from olb_training.ppo.progress import draw_curve
from olb_training.ppo.run import Run
from olb_training.ppo.settings import Settings
from tests.support.small_runs import SMALL, quiet

pytestmark = pytest.mark.compiled


def train(folder: Path, settings: Settings) -> Path:
    run = Run.begin(folder, settings)
    assert not run.train(quiet, limit=0.0)  # a first iteration, then in another sitting
    assert Run.resume(folder).train(quiet)
    draw_curve(folder)
    return folder


def test_a_champion_tells_all_stages_of_its_training(tmp_path: Path) -> None:
    throne = tmp_path / "throne"
    first = train(tmp_path / "first", SMALL)
    champion = promote.promote(first, throne)
    assert champion == throne / "pebbles.safetensors"
    start = str(champion)
    second = train(tmp_path / "second", replace(SMALL, start=start, decisions=1500))
    promote.promote(second, throne)
    stages = load_network(champion).about["stages"]
    assert [stage["decisions"] for stage in stages] == [3000, 1600]
    assert [stage["command"] for stage in stages] == [
        command_of(SMALL),
        command_of(replace(SMALL, start=start, decisions=1500)),
    ]
    assert [stage["settings"]["start"] for stage in stages] == ["", start]
    assert all(stage["minutes"] >= 0 for stage in stages)
    story = [json.loads(line) for line in (throne / "pebbles.metrics.jsonl").read_text("utf-8").splitlines()]
    assert [(entry["stage"], entry["iteration"]) for entry in story] == [(1, 6), (1, 12), (1, 15), (2, 6), (2, 8)]
    assert all(entry["rates"] for entry in story)
    assert (throne / "pebbles.png").read_bytes().startswith(b"\x89PNG")


def test_stages_that_were_never_champion_are_told_too(tmp_path: Path) -> None:
    first = train(tmp_path / "first", SMALL)
    second = train(tmp_path / "second", replace(SMALL, start=str(first / "network.safetensors"), decisions=1500))
    champion = promote.promote(second, tmp_path / "throne")
    stages = load_network(champion).about["stages"]
    assert [stage["settings"]["decisions"] for stage in stages] == [SMALL.decisions, 1500]
    story = [json.loads(line) for line in champion.with_suffix(promote.STORY).read_text("utf-8").splitlines()]
    assert [(entry["stage"], entry["iteration"]) for entry in story] == [(1, 6), (1, 12), (1, 15), (2, 6), (2, 8)]


def test_a_run_begins_with_the_network_it_is_given(tmp_path: Path) -> None:
    first = train(tmp_path / "first", SMALL)
    start = str(first / "network.safetensors")
    run = Run.begin(tmp_path / "second", replace(SMALL, start=start))
    given, taken = load_network(Path(start)).weights, run.learner.network().weights
    assert all((given[name] == taken[name]).all() for name in given)
    past = run.learner.league.self_of(int(run.learner.league.past[0])).to_network().weights
    assert len(run.learner.league.past) == 1
    assert all((given[name] == past[name]).all() for name in given)


@pytest.mark.parametrize(
    "settings",
    [
        *(Settings(**preset_of("quick", game)) for game in games()),
        Settings(
            **{
                **preset_of("champion", "old_london_bridge"),
                "start": "a file.safetensors",
                "hidden": (32, 16),
                "entropy": (0.1, 0.01),
                "agents": (),
            }
        ),
        Settings(**{**EXPLOIT, "tables": (0, 0, 64), "agents": ("planner",), "exploit": "planner", "rate": 2e-3}),
    ],
)
def test_the_command_of_a_run_gives_its_settings(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_command(command_of(settings), settings, tmp_path, monkeypatch)


def test_the_commands_beside_champions_give_the_settings_they_were_trained_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for champion in CHAMPIONS.glob("*.safetensors"):
        for stage in load_network(champion).about["stages"]:
            check_command(stage["command"], Settings.read(stage["settings"]), tmp_path, monkeypatch)


def check_command(command: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    def begin(folder: Path, told: Settings) -> Run:
        begun.append((folder, told))
        raise ValueError("enough")

    monkeypatch.setattr(Run, "begin", begin)
    words = shlex.split(command)
    assert words[:2] == ["olb", "train"]
    assert main([*words[1:], "--out", str(tmp_path / "run")]) == 2
    assert begun == [(tmp_path / "run", settings)]


def test_what_cannot_be_crowned_is_said_in_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.begin(tmp_path / "begun", SMALL)
    for folder, why in (("nothing", "No such file"), ("begun", "its training has not ended")):
        monkeypatch.setattr("sys.argv", ["crowning", str(tmp_path / folder)])
        assert promote.main() == 2
        said = capsys.readouterr().err
        assert "cannot be crowned" in said
        assert why in said
        assert said.count("\n") == 1
