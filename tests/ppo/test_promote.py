"""The history of a champion: its commands can be typed again, and its evaluations are kept."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from olb_agents.network import load_network
from olb_agents.policy_agent import CHAMPIONS
from olb_env.commands.olb import main
from olb_env.core.game import game_names
from olb_training.ppo import promote
from olb_training.ppo.curve import draw_curve
from olb_training.ppo.presets import BEST_RESPONSE, command_for, preset_of
from olb_training.ppo.run import Run
from olb_training.ppo.settings import Settings
from tests.commands.wrong_lines import check_one_line
from tests.support.small_runs import SHORT, quiet

FIRST = replace(SHORT, total_timesteps=600, eval_interval=2, eval_deals=2)


def train(folder: Path, settings: Settings) -> Path:
    run = Run.begin(folder, settings)
    assert not run.train(quiet, limit=0.0)  # a first iteration, the rest in another session
    run.close()
    run = Run.resume(folder)
    assert run.train(quiet)
    run.close()
    draw_curve(folder)
    return folder


def history_of(champion: Path) -> list[dict[str, Any]]:
    lines = champion.with_suffix(promote.HISTORY).read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines]


def test_a_champion_has_the_history_of_all_stages(tmp_path: Path) -> None:
    champions = tmp_path / "champions"
    champion = promote.promote(train(tmp_path / "first", FIRST), champions)
    assert champion == champions / "pebbles.safetensors"
    second = replace(FIRST, init_from=str(champion), total_timesteps=300)
    promote.promote(train(tmp_path / "second", second), champions)
    stages = load_network(champion).about["stages"]
    assert [stage["timesteps"] for stage in stages] == [600, 400]
    assert [stage["command"] for stage in stages] == [command_for(FIRST), command_for(second)]
    assert [stage["settings"]["init_from"] for stage in stages] == ["", str(champion)]
    assert all(stage["minutes"] >= 0 for stage in stages)
    history = history_of(champion)
    assert [(entry["stage"], entry["iteration"]) for entry in history] == [(1, 2), (1, 3), (2, 2)]
    assert all(entry["win_rates"] for entry in history)
    assert (champions / "pebbles.png").read_bytes().startswith(b"\x89PNG")


def test_stages_that_were_never_champion_are_in_its_history(tmp_path: Path) -> None:
    first = train(tmp_path / "first", FIRST)
    second = replace(FIRST, init_from=str(first / "network.safetensors"), total_timesteps=300)
    champion = promote.promote(train(tmp_path / "second", second), tmp_path / "champions")
    stages = load_network(champion).about["stages"]
    assert [stage["settings"]["total_timesteps"] for stage in stages] == [600, 300]
    assert [(entry["stage"], entry["iteration"]) for entry in history_of(champion)] == [(1, 2), (1, 3), (2, 2)]


@pytest.mark.parametrize(
    "settings",
    [
        *(Settings(**preset_of("quick", game)) for game in game_names()),
        Settings(
            **{
                **preset_of("champion", "old_london_bridge"),
                "init_from": "a file.safetensors",
                "hidden_sizes": (32, 16),
                "ent_coef": (0.1, 0.01),
                "opponents": (),
            }
        ),
        Settings(
            **{
                **BEST_RESPONSE,
                "num_envs": (0, 0, 64),
                "opponents": ("planner",),
                "best_response_to": "planner",
                "learning_rate": 2e-3,
            }
        ),
        Settings(
            **{
                **preset_of("quick", "old_london_bridge"),
                "options": {"board": {"coins": [3, 3, "X", 1, 0, 4]}, "scoring": {"gate": "steps"}, "memory": "table"},
                "env_kwargs": (),
            }
        ),
        Settings(
            **{
                **preset_of("quick", "old_london_bridge"),
                "options": {"scoring": {"gate": "steps"}},
                "env_kwargs": ("scoring=random", 'board={"coins": [3, 3, "X", 1, 0, 4]}'),
                "env_kwargs_fraction": 0.5,
            }
        ),
    ],
    ids=[*game_names(), "champion", "exploit", "options", "other options at some tables"],
)
def test_the_command_of_a_run_gives_its_settings(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_command(command_for(settings), settings, tmp_path, monkeypatch)


def test_the_commands_beside_champions_give_the_settings_they_were_trained_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for champion in CHAMPIONS.glob("*.safetensors"):
        for stage in load_network(champion).about["stages"]:
            check_command(stage["command"], Settings.from_dict(stage["settings"]), tmp_path, monkeypatch)


def test_the_evaluations_beside_champions_have_the_metrics_of_runs() -> None:
    for champion in CHAMPIONS.glob("*.safetensors"):
        stages = load_network(champion).about["stages"]
        for entry in history_of(champion):
            assert {"timesteps", "entropy", "approx_kl", "explained_variance", "seconds"} <= set(entry)
            assert entry["timesteps"] <= stages[entry["stage"] - 1]["timesteps"]
            assert all(rate["low"] <= rate["value"] <= rate["high"] for rate in entry["win_rates"].values())


def check_command(command: str, settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    def begin(folder: Path, given: Settings) -> Run:
        begun.append((folder, given))
        raise ValueError("enough")

    monkeypatch.setattr(Run, "begin", begin)
    words = shlex.split(command)
    assert words[:2] == ["olb", "train"]
    assert main([*words[1:], "--out", str(tmp_path / "run")]) == 2
    assert begun == [(tmp_path / "run", settings)]


def test_a_network_for_other_options_does_not_become_the_champion(tmp_path: Path) -> None:
    folder = train(tmp_path / "run", replace(FIRST, options={"coins": 12}))
    with pytest.raises(ValueError, match="trained for games with coins 12: a champion plays the game as it is"):
        promote.promote(folder, tmp_path / "champions")
    assert not (tmp_path / "champions").exists()


def test_the_command_line_promotes_a_run_or_says_why_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    Run.begin(tmp_path / "begun", SHORT)
    for folder, reason in (("nothing", "No such file"), ("begun", "its training has not ended")):
        monkeypatch.setattr("sys.argv", ["promote", str(tmp_path / folder)])
        assert promote.main() == 2
        error = capsys.readouterr().err
        assert "cannot be promoted" in error
        assert reason in error
        assert error.count("\n") == 1
    for words in ([], ["a", "b", "x" * 3000]):
        monkeypatch.setattr("sys.argv", ["promote", *words])
        with pytest.raises(SystemExit):
            promote.main()
        check_one_line(words, capsys.readouterr().err)
    monkeypatch.setattr("sys.argv", ["promote", "run"])
    monkeypatch.setattr(promote, "promote", lambda folder: tmp_path / "champion.safetensors")
    assert promote.main() == 0
    assert capsys.readouterr().out == f"{tmp_path / 'champion.safetensors'}\n"
