"""Every game through every interface: Gymnasium, single and batched, stable-baselines3, and the commands."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from olb_env import benchmarks, load_records, replay
from olb_env.commands import bench
from olb_env.commands.olb import main
from olb_env.core.game import Game, find
from olb_env.envs.common import gymnasium_id
from tests.support.options import OPTIONS
from tests.support.playthroughs import choose
from tests.support.running import INTERPRETED

ROWS = 4
every_game = pytest.mark.parametrize("game", [find(name) for name in OPTIONS], ids=OPTIONS)


def id_of(value: Any) -> str:
    return value.name if isinstance(value, Game) else str(value)


every_number_of_players = pytest.mark.parametrize(
    ("game", "players"), [(find(name), players) for name in OPTIONS for players in find(name).players], ids=id_of
)


@every_number_of_players
def test_the_environment_passes_gymnasiums_check(game: Game, players: int) -> None:
    env = gymnasium.make(gymnasium_id(game), num_players=players, opponents="random", seat="random")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having an `spec`.*")
        check_env(env.unwrapped, skip_render_check=True)
    assert env.observation_space.shape == (game.observation.size,)


@every_game
def test_a_batch_gives_every_reward_only_at_the_end_of_a_game(game: Game) -> None:
    players = game.players[-1]
    for reward in game.rewards[: 1 if INTERPRETED else None]:
        env = gymnasium.make_vec(gymnasium_id(game), num_envs=ROWS, num_players=players, reward=reward, seat="random")
        _, info = env.reset(seed=3)
        rng, ended = np.random.default_rng(0), 0
        while ended < (1 if INTERPRETED else 3 * ROWS):
            observations, rewards, terminated, truncated, info = env.step(choose(info["action_mask"], rng))
            assert observations.shape == (ROWS, game.observation.size)
            assert not truncated.any()
            assert not rewards[~terminated].any()
            assert (np.abs(rewards) <= 1).all() or reward == game.score
            ended += int(terminated.sum())


@every_game
def test_reset_takes_a_seed_and_every_option_but_the_number_of_players(game: Game) -> None:
    env = gymnasium.make(gymnasium_id(game), num_players=game.players[-1], opponents="random")
    first, _ = env.reset(seed=5)
    again, _ = env.reset(
        seed=5, options={name: value for name, value in game.rules.options.items() if name != "num_players"}
    )
    assert (first == again).all()
    with pytest.raises(ValueError, match="num_players"):
        env.reset(options={"num_players": game.players[0]})


@pytest.mark.compiled
@every_game
def test_stable_baselines3_learns_from_a_batch(game: Game) -> None:
    from sb3_contrib import MaskablePPO

    from olb_env.envs.sb3 import SeatVecEnv

    env = SeatVecEnv(game.name, ROWS, num_players=game.players[0], opponents="random")
    model = MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=32, n_epochs=1, seed=1, device="cpu")
    before = [weight.detach().clone() for weight in model.policy.parameters()]
    model.learn(2 * 16 * ROWS)
    assert model.num_timesteps == 2 * 16 * ROWS
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))


@every_game
def test_olb_record_writes_games_that_replay(game: Game, tmp_path: Path) -> None:
    out = tmp_path / "games.jsonl"
    count = 1 if INTERPRETED else 4
    words = ["--players", "mixed", "--agents", "random", "--seed", "1", "--legal", "--out", str(out)]
    assert main(["record", "--game", game.name, "--games", str(count), *words]) == 0
    records = load_records(out)
    assert [record["players"] for record in records] == [game.players[at % len(game.players)] for at in range(count)]
    assert all(replay(record).over for record in records)


@every_game
def test_olb_bench_measures_every_figure(
    game: Game, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bench, "MANY_GAMES", 20)
    if INTERPRETED:
        monkeypatch.setattr(benchmarks, "STEPS", 3)
    words = ["--players", str(game.players[0]), "--seconds", "0.02", "--batch", "4", "--json", "-"]
    assert main(["bench", "--game", game.name, *words]) == 0
    result = json.loads(capsys.readouterr().out)
    assert result["game"] == game.name
    (row,) = result["decisions_per_second"]
    assert all(row[figure.key] > 0 for figure in benchmarks.MEASUREMENTS)


@pytest.mark.compiled
@every_game
def test_a_network_is_trained_and_played_in_the_arena(game: Game, tmp_path: Path) -> None:
    """Train with the game's own settings, but for few decisions."""
    run, table = tmp_path / "run", tmp_path / "arena.json"
    tables = ["--num-envs", *["4"] * len(game.players), "--num-steps", "16", "--minibatch-size", "128"]
    few = ["--total-timesteps", "1000", "--imitation-timesteps", "400", "--hidden-sizes", "16", "--workers", "1",
           "--eval-interval", "1000", "--eval-deals", "3"]  # fmt: skip
    assert main(["train", "--game", game.name, *tables, *few, "--out", str(run)]) == 0
    players = game.players[0]
    rated = ["--agents", f"policy:{run}/network.safetensors", *["random"] * (players - 1), "--players", str(players)]
    assert main(["arena", "--game", game.name, *rated, "--deals", "3", "--workers", "1", "--json", str(table)]) == 0
    assert len(json.loads(table.read_text(encoding="utf-8"))["rows"]) == 2
