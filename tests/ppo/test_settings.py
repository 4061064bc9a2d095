"""Settings: what cannot be trained is refused in one line, before anything is written."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from olb_env.commands.olb import main
from olb_training.ppo.settings import Settings
from tests.support.small_runs import SMALL


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "name a folder"),
        (("--out", "x", "--resume", "y"), "name a folder"),
        (("--out", ""), "--out is empty"),
        (("--out", "x", "--minutes", "0"), "--minutes is 0"),
        (("--out", "x", "--num-envs", "1", "2", "3", "4"), "a number of tables for each of 2, 3, 4 players"),
        (
            ("--out", "x", "--num-envs", "2", "0", "0", "--num-steps", "2000000"),
            "num_steps times num_envs is 4,000,000: expected at most 2,000,000",
        ),
        (("--out", "x", "--num-envs", "2", "0", "0", "--workers", "3"), "workers is 3: expected at most 2"),
        (("--out", "x", "--env-kwargs", "num_players=3"), "env_kwargs has 'num_players=3': expected NAME=VALUE"),
        (("--out", "x", "--hidden-sizes", "0"), "hidden_sizes is 0: expected a whole number from 1 to 8,192"),
        (("--out", "x", "--hidden-sizes", "9999"), "hidden_sizes is 9999: expected a whole number from 1"),
        (("--out", "x", "--features", "all"), "features is 'all': expected one of observation, derived, lookahead"),
        (("--out", "x", "--init-from", "nowhere.safetensors"), "cannot read"),
        (("--out", "x", "--learning-rate", "nan"), "learning_rate is nan: expected a number from 0 to 10"),
        (("--out", "x", "--gae-lambda", "2"), "gae_lambda is 2.0: expected a number from 0 to 1"),
        (("--out", "x", "--ent-coef", "0.1"), "ent_coef is [0.1]: expected two numbers, initial and final"),
        (("--out", "x", "--update-epochs", "0"), "update_epochs is 0: expected a whole number from 1 to 1,000"),
        (("--out", "x", "--seed", "-1"), "seed is -1"),
        (("--out", "x", "--self-play-fraction", "0.99"), "are 0.99 and 0.05: expected at most 1 together"),
        (("--out", "x", "--opponents", "nobody"), "unknown agent 'nobody'"),
        (("--out", "x", "--opponents", "random", "mcts:5ms"), "agent 'mcts:5ms' is limited by time"),
        (("--out", "x", "--workers", "1", "--opponents", "policy:nowhere.safetensors"), "cannot read"),
        (
            ("--out", "x", "--imitation-timesteps", "-1"),
            "imitation_timesteps is -1: expected a whole number from 0 to 1,000,000,000,000",
        ),
        (("--out", "x", "--value-warmup-timesteps", "-1"), "value_warmup_timesteps is -1: expected a whole number"),
        (("--out", "x", "--teacher", "", "--imitation-timesteps", "9"), "imitation_timesteps is 9, but there is no"),
        (("--out", "x", "--eval-deals", "1000000000"), "eval_deals is 1000000000: expected a whole number from 1"),
        (("--out", "x", "--players", "2"), "--players is for --algo sb3 and --exploit"),
        (("--out", "x", "--exploit", "planner", "--preset", "quick"), "leave out --preset"),
        (("--out", "x", "--exploit", "planner", "--opponents", "greedy"), "leave out --opponents"),
        (("--out", "x", "--exploit", "random", "--players", "3", "--num-envs", "0", "9", "0"), "leave one out"),
        (
            ("--out", "x", "--game", "wobbly_bridge", "--players", "5", "--algo", "sb3", "--minutes", "1"),
            "no --minutes",
        ),
        (("--out", "x", "--algo", "sb3", "--minutes", "3"), "no --minutes"),
        (("--out", "x", "--algo", "sb3", "--preset", "quick"), "has no --preset"),
        (("--out", "x", "--algo", "sb3", "--teacher", "planner"), "--teacher is not for --algo sb3"),
        (("--out", "x", "--algo", "sb3", "--self-play-fraction", "0.5"), "--self-play-fraction is not for --algo sb3"),
        (("--out", "x", "--algo", "sb3", "--init-from", "champion"), "--init-from is not for --algo sb3"),
        (("--resume", "nowhere"), "holds no checkpoints"),
        (("--resume", "nowhere", "--algo", "sb3"), "leave out all settings"),
        (("--resume", "nowhere", "--seed", "3"), "leave out all settings"),
    ],
)
def test_what_cannot_be_trained_is_refused_in_one_line(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", *words]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "x").exists()  # nothing was written


def test_settings_come_back_from_json() -> None:
    assert Settings.from_dict(json.loads(json.dumps(asdict(SMALL)))) == SMALL


def test_unknown_and_missing_settings_are_refused() -> None:
    values = {**asdict(SMALL), "old": 3}
    del values["learning_rate"]
    with pytest.raises(
        ValueError, match=r"the run and this version have different settings \(learning_rate, old\): start a new"
    ):
        Settings.from_dict(values)


def test_learning_rate_and_entropy_fall_linearly() -> None:
    settings = Settings(game=SMALL.game, learning_rate=1.0, ent_coef=(0.3, 0.1))
    assert [settings.learning_rate_at(left) for left in (1, 0)] == pytest.approx([1, 0.05])
    assert [settings.ent_coef_at(left) for left in (1, 0.5, 0)] == pytest.approx([0.3, 0.2, 0.1])


def test_a_fraction_of_the_tables_has_the_options() -> None:
    settings = Settings(game=SMALL.game, num_envs=(10, 4), env_kwargs=("coins=3",), env_kwargs_fraction=0.5)
    specs = [(spec.num_players, spec.count, dict(spec.options)) for spec in settings.table_specs()]
    assert specs == [(2, 5, {}), (2, 5, {"coins": 3}), (3, 2, {}), (3, 2, {"coins": 3})]
    assert settings.table_sizes() == [2, 3]
