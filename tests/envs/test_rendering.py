"""The render modes of all environments, a real window, and real videos."""

from __future__ import annotations

import base64
import copy
import pickle
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from stable_baselines3.common.vec_env import VecVideoRecorder

import olb_env  # noqa: F401  # registers the environments
from olb_env import old_london_bridge_v0
from olb_env.envs.sb3 import SeatVecEnv
from olb_env.envs.selfplay import SelfPlay
from olb_env.envs.vector import SeatVectorEnv
from tests.support.toy_game import PebblesEnv

ID = "olb_env/OldLondonBridge-v0"


@pytest.fixture
def window(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Use a screen that nobody sees; return the function that gets its window."""
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    import pygame

    monkeypatch.setattr("olb_env.envs.rendering.FRAMES_PER_SECOND", 1000)
    yield pygame.display.get_surface
    pygame.display.quit()


def after_moves(env: Any, moves: int) -> Any:
    """Reset an environment, play some random moves, and return it."""
    env.reset(seed=3)
    for _ in range(moves):
        env.step(env.action_space(env.agent_selection).sample(env.observe(env.agent_selection)["action_mask"]))
    return env


def test_the_aec_environment_renders_in_every_mode(window: Any) -> None:
    modes = ("ansi", "svg", "rgb_array", "human")
    envs = {mode: old_london_bridge_v0.env(num_players=2, render_mode=mode) for mode in modes}
    rendered = {mode: after_moves(env, 0).render() for mode, env in envs.items()}
    assert rendered["ansi"].startswith("Old London Bridge, round 1 of 6")
    assert rendered["svg"].startswith("<svg ")
    assert rendered["rgb_array"].dtype == np.uint8
    assert rendered["human"] is None


@pytest.mark.compiled
def test_a_window_shows_every_move_and_closes(window: Any) -> None:
    import pygame

    env = old_london_bridge_v0.env(num_players=2, render_mode="human")
    env.reset(seed=1)
    first = pygame.surfarray.array3d(window())
    assert (first[20:200, 15:40] < 100).any()  # ink
    after_moves(env, 12)
    assert (pygame.surfarray.array3d(window()) != first).any()
    twin = pickle.loads(pickle.dumps(copy.deepcopy(env.unwrapped)))  # copies have no window
    twin.step(int(np.flatnonzero(twin.observe(twin.agent_selection)["action_mask"])[0]))
    env.close()
    assert not pygame.display.get_init()
    env.close()


@pytest.mark.compiled
def test_the_seat_environment_renders_and_passes_gymnasiums_check(window: Any) -> None:
    env = gymnasium.make(ID, num_players=2, render_mode="rgb_array", opponents="random")
    check_env(env.unwrapped)
    env.reset(seed=1)
    assert env.render().shape[1:] == (1000, 3)
    assert env.unwrapped._repr_svg_().startswith("<svg ")
    watched = gymnasium.make(ID, num_players=2, render_mode="human").unwrapped
    assert watched._repr_svg_() is None
    watched.reset(seed=1)
    before = window().copy()
    for _ in range(4):  # cards picked in secret do not show at once
        watched.step(int(np.flatnonzero(watched.action_masks())[0]))
    assert before.get_buffer().raw != window().get_buffer().raw
    watched.close()


def test_the_picture_names_the_learner_and_its_opponents() -> None:
    env = gymnasium.make(ID, num_players=3, seat=1, opponents=["greedy", "random"], render_mode="svg")
    env.reset(seed=1)
    assert env.unwrapped.position().names == ("random", "learner", "greedy")


def test_batches_render_every_table_but_have_no_window() -> None:
    envs = SeatVectorEnv("old_london_bridge", 2, num_players=2, render_mode="rgb_array")
    envs.reset(seed=1)
    pictures = envs.render()
    assert len(pictures) == 2
    assert (pictures[0] != pictures[1]).any()
    with pytest.raises(ValueError, match="expected None or one of 'ansi', 'svg', 'rgb_array'"):
        SeatVectorEnv("old_london_bridge", 2, render_mode="human")


@pytest.mark.compiled
def test_gymnasium_records_a_video(tmp_path: Path) -> None:
    env = gymnasium.make(ID, num_players=2, render_mode="rgb_array")
    env = gymnasium.wrappers.RecordVideo(env, str(tmp_path / "new"), episode_trigger=lambda episode: True)
    _, info = env.reset(seed=1)
    over = False
    while not over:
        _, _, over, _, info = env.step(int(np.flatnonzero(info["action_mask"])[0]))
    env.close()
    (video,) = tmp_path.glob("new/*.mp4")
    assert video.stat().st_size > 5000


@pytest.mark.compiled
def test_pettingzoo_frames_make_a_video(tmp_path: Path) -> None:
    from moviepy.video.io.ImageSequenceClip import ImageSequenceClip

    env = old_london_bridge_v0.env(num_players=2, render_mode="rgb_array")
    env.reset(seed=1)
    frames = [env.render()]
    for move, _ in enumerate(env.agent_iter()):
        observed, _, over, _, _ = env.last()
        env.step(None if over else int(np.flatnonzero(observed["action_mask"])[0]))
        frames += [env.render()] if move % 4 == 0 or over else []
    assert len(frames) > 15
    assert len({frame.shape for frame in frames}) == 1
    ImageSequenceClip(frames, fps=4).write_videofile(str(tmp_path / "game.mp4"), logger=None)
    assert (tmp_path / "game.mp4").stat().st_size > 5000


@pytest.mark.compiled
def test_sb3_records_a_video(tmp_path: Path) -> None:
    env = VecVideoRecorder(
        SeatVecEnv("old_london_bridge", 2, num_players=2, render_mode="rgb_array"), str(tmp_path),
        record_video_trigger=lambda step: step == 0, video_length=6,
    )  # fmt: skip
    env.reset()
    for _ in range(8):
        masks = env.env_method("action_masks")
        env.step(np.array([np.flatnonzero(mask)[0] for mask in masks]))
    env.close()
    (video,) = tmp_path.glob("*.mp4")
    assert video.stat().st_size > 2000


def test_the_error_says_how_to_install_a_missing_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "resvg_py", None)
    env = PebblesEnv(render_mode="rgb_array")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"pip install olb-env\[render\]"):
        env.render()


@pytest.mark.parametrize("batch", [SeatVectorEnv, SeatVecEnv, SelfPlay])
def test_batches_show_some_of_their_games_in_a_notebook(batch: Any) -> None:
    envs = batch("old_london_bridge", 5, num_players=2)
    assert envs._repr_html_() is None  # before the deal there is no position
    envs.reset()
    html = envs._repr_html_()
    assert "5 tables, the first 4 of them" in html
    pictures = re.findall(r"base64,([^\"]+)", html)
    assert [base64.b64decode(picture).decode() for picture in pictures] == [
        envs._env.position(row).svg() for row in range(4)
    ]
