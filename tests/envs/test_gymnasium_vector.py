"""The Gymnasium vector environment: one learner in each of many games."""

from __future__ import annotations

import gc
import re
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from olb_env.envs.single import SeatEnv
from olb_env.envs.vector import SeatVectorEnv
from olb_env.playing import AgentError
from tests.support.playthroughs import choose
from tests.support.running import INTERPRETED
from tests.support.some_agents import Cheat, FailsLater, Last

ID = "olb_env/OldLondonBridge-v0"
MODES = list(AutoresetMode)
STEPS = 12 if INTERPRETED else 150


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", [2, 3])
def test_a_batch_plays_like_gymnasiums_vector_of_single_environments(mode: AutoresetMode, players: int) -> None:
    rows, options = 5, {"num_players": players, "seat": "random", "opponents": "random"}
    ours = gymnasium.make_vec(ID, num_envs=rows, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: SeatEnv("old_london_bridge", **options)] * rows, autoreset_mode=mode)
    assert ours.metadata["autoreset_mode"] == mode == theirs.metadata["autoreset_mode"]
    assert ours.single_observation_space == theirs.single_observation_space
    assert ours.action_space == theirs.action_space
    (our_obs, our_info), (their_obs, their_info) = ours.reset(seed=11), theirs.reset(seed=11)
    rng, ended, terminated = np.random.default_rng(0), 0, np.zeros(rows, np.bool_)
    for _ in range(STEPS):
        assert our_obs.tobytes() == their_obs.tobytes()
        compared = ~terminated if mode is AutoresetMode.NEXT_STEP else np.ones(rows, np.bool_)
        for key in ("action_mask", "seat"):
            assert (our_info[key][compared] == their_info[key][compared]).all()
        if mode is AutoresetMode.NEXT_STEP:
            assert (our_info["action_mask"][terminated] == 1).all()
        actions = choose(our_info["action_mask"], rng)
        (our_obs, *our_rest, our_info), (their_obs, *their_rest, their_info) = ours.step(actions), theirs.step(actions)
        for our_values, their_values in zip(our_rest, their_rest, strict=True):
            assert (our_values == their_values).all()
        terminated = our_rest[1]
        ended += int(terminated.sum())
        if mode is AutoresetMode.SAME_STEP and terminated.any():
            assert (our_info["_final_obs"] == their_info["_final_obs"]).all()
            for row in np.flatnonzero(terminated):
                assert our_info["final_obs"][row].tobytes() == their_info["final_obs"][row].tobytes()
            assert (our_info["final_info"]["seat"] == their_info["final_info"]["seat"]).all()
            assert not our_info["final_info"]["action_mask"].any()
        if mode is AutoresetMode.DISABLED and terminated.any():
            with pytest.raises(ValueError, match=f"row {int(terminated.argmax())}: no game is in progress: call reset"):
                ours.step(actions)
            options = {"reset_mask": terminated}
            (our_obs, our_info), (their_obs, their_info) = (env.reset(options=dict(options)) for env in (ours, theirs))
            assert (our_info["_action_mask"] == their_info["_action_mask"]).all()
            assert our_obs.tobytes() == their_obs.tobytes()
            for key in ("action_mask", "seat"):
                assert (our_info[key][terminated] == their_info[key][terminated]).all()
            their_info = our_info  # theirs has only the rows that were reset
    assert ended > 0 or INTERPRETED


@pytest.mark.compiled
@pytest.mark.parametrize(
    "opponents", ["random", "tests.support.some_agents:First", "tests.support.some_agents:Watcher"]
)
def test_a_row_does_not_depend_on_the_number_of_rows(opponents: str) -> None:
    few, many = (
        SeatVectorEnv("old_london_bridge", rows, opponents, seat="random", num_players=3, autoreset_mode="SameStep")
        for rows in (2, 9)
    )
    (observations, info), (more_observations, _) = few.reset(seed=3), many.reset(seed=3)
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        assert (observations == more_observations[:2]).all()
        actions = choose(many.action_masks(), rng)
        observations, rewards, _, _, info = few.step(actions[:2])
        more_observations, more_rewards, _, _, _ = many.step(actions)
        assert (rewards == more_rewards[:2]).all()
        assert (info["action_mask"] == many.action_masks()[:2]).all()


@pytest.mark.compiled
def test_opponents_decide_for_many_tables_in_one_call() -> None:
    agent = Last()
    envs = SeatVectorEnv("old_london_bridge", 20, [agent, "random", agent], num_players=4)
    _, info = envs.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        _, _, _, _, info = envs.step(choose(info["action_mask"], rng))
    assert agent.seats == {1, 3}
    assert max(agent.batch_sizes) >= 10
    assert np.mean(agent.batch_sizes) > 4


def test_an_opponent_plays_the_same_whether_given_by_name_or_as_an_object() -> None:
    by_name, as_object = (
        SeatVectorEnv("old_london_bridge", 4, opponents, num_players=2)
        for opponents in ("tests.support.some_agents:Last", Last())
    )
    (observations, info), (others, _) = by_name.reset(seed=1), as_object.reset(seed=1)
    rng = np.random.default_rng(1)
    for _ in range(STEPS):
        assert (observations == others).all()
        actions = choose(info["action_mask"], rng)
        (observations, _, _, _, info), (others, *_) = by_name.step(actions), as_object.step(actions)


def test_the_info_has_ranks_and_scores_of_all_seats_when_a_game_ends() -> None:
    envs = SeatVectorEnv("pebbles", 6, num_players=3, seat="random", reward="coins", coins=7)
    _, info = envs.reset(seed=1)
    found = 0
    rng = np.random.default_rng(0)
    for _ in range(10):
        _, rewards, ended, _, info = envs.step(choose(info["action_mask"], rng))
        if ended.any():
            found += 1
            assert (info["_coins"] == ended).all()
            assert (info["coins"][ended].sum(axis=1) == 7).all()
            own = info["coins"][np.arange(6), info["seat"]]
            others = (info["coins"].sum(axis=1) - own) / 2
            assert rewards[ended] == pytest.approx((own - others)[ended])
            assert (info["rank"][ended].min(axis=1) == 1).all()
        else:
            assert "coins" not in info
    assert found > 1


@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([0, 0], r"actions have shape \(2,\): expected \(3,\)"),
        ([[0, 0, 0]], r"actions have shape \(1, 3\): expected \(3,\)"),
        (0, r"actions have shape \(\): expected \(3,\)"),
        ([[0], [0, 1], []], r"actions have shape .*: expected \(3,\)"),
        ([0.0, 1.0, 2.0], "actions have dtype float64: expected whole numbers"),
        (["play 0"] * 3, "actions have dtype <U6: expected whole numbers"),
        ([True, False, True], "actions have dtype bool: expected whole numbers"),
        ([None, 0, 0], "actions have dtype object: expected whole numbers"),
        ([0, 46, 0], "row 1: action is 46: expected a whole number from 0 to 45"),
        ([0, 0, -1], "row 2: action is -1: expected a whole number from 0 to 45"),
        ([0, 40, 0], r"row 1: action 40 \('.*'\) is not legal: expected one of 0 'play 0', 1 'play 1'"),
        (np.array([0, 0, 2**63 - 1]), "row 2: action is 9223372036854775807"),
    ],
)
def test_the_error_of_a_wrong_action_names_its_row_and_no_game_changes(actions: Any, message: str) -> None:
    envs, twin = (SeatVectorEnv("old_london_bridge", 3, num_players=2) for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    with pytest.raises(ValueError, match=f"^{message}"):
        envs.step(actions)
    for mine, other in zip(envs.step([1, 2, 3])[:4], twin.step([1, 2, 3])[:4], strict=True):
        assert (mine == other).all()


def test_the_error_shows_an_unsigned_action_too_large_for_int64_as_given() -> None:
    envs = SeatVectorEnv("old_london_bridge", 2, num_players=2)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="row 1: action is 9223372036854775815"):
        envs.step(np.array([0, 2**63 + 7], np.uint64))


@pytest.mark.parametrize("mode", MODES)
def test_a_seed_changes_only_the_rows_that_are_reset(mode: AutoresetMode) -> None:
    envs, twin = (SeatVectorEnv("pebbles", 2, autoreset_mode=mode) for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    envs.reset(seed=50, options={"reset_mask": np.array([True, False])})
    for _ in range(12):
        for env in (envs, twin):
            over = env._env.game_over
            if mode is AutoresetMode.DISABLED and over.any():
                env.reset(options={"reset_mask": over})
        mine, other = (env.step(env.action_masks().argmax(axis=1)) for env in (envs, twin))
        assert (mine[0][1] == other[0][1]).all()
        assert mine[1][1] == other[1][1]


def test_a_reset_that_is_refused_changes_nothing() -> None:
    envs, twin = (SeatVectorEnv("pebbles", 2, autoreset_mode="SameStep") for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    with pytest.raises(ValueError, match="num_players"):
        envs.reset(seed=99, options={"num_players": 3})
    for _ in range(12):
        mine, other = (env.step(env.action_masks().argmax(axis=1)) for env in (envs, twin))
        assert (mine[0] == other[0]).all()


def test_seeds_can_be_numpy_integers() -> None:
    env = SeatEnv("old_london_bridge", num_players=2)
    assert (env.reset(seed=np.int64(3))[0] == env.reset(seed=3)[0]).all()  # type: ignore[arg-type]


def test_the_caller_may_change_the_arrays_it_gets() -> None:
    envs = SeatVectorEnv("pebbles", 2)
    _, info = envs.reset(seed=1)
    for key in ("_action_mask", "_seat"):
        info[key][:] = False
    _, _, ended, _, _ = envs.step([0, 0])
    ended[:] = True
    observations, info = envs.reset(seed=1)
    assert (observations[:, 0] == 1).all()
    assert info["_action_mask"].all()


def test_masks_are_empty_before_the_first_reset() -> None:
    assert not SeatVectorEnv("old_london_bridge", 2).action_masks().any()
    assert not SeatEnv("old_london_bridge").action_masks().any()


def test_actions_can_have_any_integer_type() -> None:
    envs = SeatVectorEnv("old_london_bridge", 3, num_players=2)
    envs.reset(seed=1)
    for dtype in (np.int8, np.uint16, np.int32):
        mask = envs.action_masks()
        envs.step(mask.argmax(axis=1).astype(dtype))


def test_a_step_before_the_first_reset_raises() -> None:
    with pytest.raises(ValueError, match="no game is in progress: call reset"):
        SeatVectorEnv("old_london_bridge", 3, num_players=2).step([0, 0, 0])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"seed": [1, 2]}, "seed has 2 entries: expected 3"),
        ({"seed": [1, 2, -5]}, "seed is -5"),
        ({"seed": "one"}, "seed is 'one'"),
        ({"seed": 2**53 - 2}, "seed is 9007199254740992"),
        ({"options": {"reset_mask": [True, False, False]}}, "reset_mask"),
        ({"options": {"reset_mask": np.ones(2, np.bool_)}}, "reset_mask"),
        ({"options": {"reset_mask": np.zeros(3, np.bool_)}}, "never dealt a game"),
        ({"options": {"scoring": "none"}}, "scoring is 'none'"),
    ],
)
def test_the_error_names_a_wrong_argument_of_reset(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv("old_london_bridge", 3, num_players=2).reset(**arguments)


def test_each_row_can_have_its_own_seed() -> None:
    envs = SeatVectorEnv("old_london_bridge", 3, num_players=2)
    first, _ = envs.reset(seed=[8, None, 10])
    second, _ = envs.reset(seed=[None, 9, 10])
    alone = SeatEnv("old_london_bridge", num_players=2)
    games = [alone.reset(seed=8)[0], alone.reset()[0]]
    assert (first[0] == games[0]).all()
    assert (second[0] == games[1]).all()
    assert (first[2] == second[2]).all()
    assert (second[1] == alone.reset(seed=9)[0]).all()


@pytest.mark.parametrize("agent", [FailsLater(after=30), Cheat()])
def test_the_error_names_an_opponent_that_fails_and_no_game_changes(agent: Any) -> None:
    envs = SeatVectorEnv("old_london_bridge", 3, [agent], num_players=2)
    name = type(agent).__name__
    with pytest.raises(AgentError, match=f"agent '{name}' in seat 1"):
        _play_until_failure(envs)
    if name == "FailsLater":
        agent.left = 10**9
        before = envs.action_masks()
        assert before.any(axis=1).all()
        envs.step(before.argmax(axis=1))


def _play_until_failure(envs: SeatVectorEnv) -> None:
    _, info = envs.reset(seed=1)
    for _ in range(100):
        _, _, _, _, info = envs.step(info["action_mask"].argmax(axis=1))


def test_arrays_are_copies_unless_the_caller_wants_none() -> None:
    for copied in (True, False):
        envs = SeatVectorEnv("old_london_bridge", 3, num_players=2, copy=copied)
        first, info = envs.reset(seed=1)
        kept = first.copy()
        second, _, _, _, later = envs.step([0, 1, 2])
        assert (first is second) is not copied
        assert (info["action_mask"] is later["action_mask"]) is not copied
        assert (first.tobytes() == kept.tobytes()) is copied


def test_gymnasiums_wrappers_for_vector_environments_work() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(SeatVectorEnv("pebbles", 4, coins=12))
    _, info = envs.reset(seed=1)
    rng, lengths = np.random.default_rng(0), []
    for _ in range(20):
        _, _, _, _, info = envs.step(choose(info["action_mask"], rng))
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    assert len(lengths) >= 8
    assert all(2 <= length <= 7 for length in lengths)


def test_ansi_rendering_is_a_text_for_each_table_and_needs_a_render_mode() -> None:
    envs = SeatVectorEnv("pebbles", 2, render_mode="ansi")
    envs.reset(seed=1)
    texts = envs.render()
    assert texts is not None
    assert [text.startswith("12 pebbles left") for text in texts] == [True, True]
    with pytest.raises(ValueError, match="no game is in progress"):
        SeatVectorEnv("pebbles", 2, render_mode="ansi").render()
    plain = SeatVectorEnv("pebbles", 2)
    plain.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None


@pytest.mark.compiled
def test_memory_does_not_grow_over_ten_million_steps() -> None:
    rows, steps = 512, 10_000_000
    envs = SeatVectorEnv("old_london_bridge", rows, "random", num_players=2, seat="random")
    _, info = envs.reset(seed=1)
    rng = np.random.default_rng(0)
    sizes = []
    for step in range(steps // rows + 1):
        if step % 2000 == 0:
            gc.collect()
            sizes.append(_resident_bytes())
        _, _, _, _, info = envs.step(choose(info["action_mask"], rng))
    sizes.append(_resident_bytes())
    assert max(sizes[2:]) - sizes[1] < 8e6, sizes


def _resident_bytes() -> int:
    """Return the anonymous memory of this process: the pages of mapped files come and go."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (found,) = re.findall(r"RssAnon:\s+(\d+) kB", status)
    return 1024 * int(found)
