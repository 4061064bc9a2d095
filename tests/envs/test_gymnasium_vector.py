"""The Gymnasium environment for one seat of many games in a batch."""

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
from tests.conftest import INTERPRETED
from tests.support.playthroughs import choose
from tests.support.some_agents import Cheat, FailsLater, Last

ID = "olb_env/OldLondonBridge-v0"
MODES = list(AutoresetMode)
STEPS = 12 if INTERPRETED else 150


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("players", [2, 3])
def test_a_batch_is_what_gymnasium_makes_of_single_environments(mode: AutoresetMode, players: int) -> None:
    """The native batch against Gymnasium's own vector environment around single ones, step by step."""
    rows, options = 5, {"num_players": players, "seat": "random", "opponents": "random"}
    native = gymnasium.make_vec(ID, num_envs=rows, autoreset_mode=mode, **options)
    theirs = SyncVectorEnv([lambda: SeatEnv("old_london_bridge", **options)] * rows, autoreset_mode=mode)
    assert native.metadata["autoreset_mode"] == mode == theirs.metadata["autoreset_mode"]
    assert native.single_observation_space == theirs.single_observation_space
    assert native.action_space == theirs.action_space
    (mine, my_info), (other, their_info) = native.reset(seed=11), theirs.reset(seed=11)
    chance, ended, resting = np.random.default_rng(0), 0, np.zeros(rows, np.bool_)
    for _ in range(STEPS):
        assert mine.tobytes() == other.tobytes()
        shown = ~resting if mode is AutoresetMode.NEXT_STEP else np.ones(rows, np.bool_)
        for key in ("action_mask", "seat"):
            assert (my_info[key][shown] == their_info[key][shown]).all()
        if mode is AutoresetMode.NEXT_STEP:
            assert (my_info["action_mask"][resting] == 1).all()
        actions = choose(my_info["action_mask"], chance)
        (mine, *my_rest, my_info), (other, *their_rest, their_info) = native.step(actions), theirs.step(actions)
        for my_values, their_values in zip(my_rest, their_rest, strict=True):
            assert (my_values == their_values).all()
        resting = my_rest[1]
        ended += int(resting.sum())
        if mode is AutoresetMode.SAME_STEP and resting.any():
            assert (my_info["_final_obs"] == their_info["_final_obs"]).all()
            for row in np.flatnonzero(resting):
                assert my_info["final_obs"][row].tobytes() == their_info["final_obs"][row].tobytes()
            assert (my_info["final_info"]["seat"] == their_info["final_info"]["seat"]).all()
            assert not my_info["final_info"]["action_mask"].any()
        if mode is AutoresetMode.DISABLED and resting.any():
            with pytest.raises(ValueError, match=f"row {int(resting.argmax())}: no game is on: call reset"):
                native.step(actions)
            asked = {"reset_mask": resting}
            (mine, my_info), (other, their_info) = native.reset(options=asked), theirs.reset(options=dict(asked))
            assert (my_info["_action_mask"] == their_info["_action_mask"]).all()
            assert mine.tobytes() == other.tobytes()
            for key in ("action_mask", "seat"):
                assert (my_info[key][resting] == their_info[key][resting]).all()
            their_info = my_info  # theirs tells of the rows that were reset only
    assert ended > 0 or INTERPRETED


@pytest.mark.parametrize(
    "opponents", ["random", "tests.support.some_agents:First", "tests.support.some_agents:Watcher"]
)
def test_a_row_does_not_depend_on_how_many_there_are(opponents: str) -> None:
    """Row i from seed n is the single environment from seed n + i, in small and in large batches."""
    few, many = (
        SeatVectorEnv("old_london_bridge", rows, opponents, seat="random", num_players=3, autoreset_mode="SameStep")
        for rows in (2, 9)
    )
    (seen, info), (seen_by_many, _) = few.reset(seed=3), many.reset(seed=3)
    chance = np.random.default_rng(1)
    for _ in range(STEPS):
        assert (seen == seen_by_many[:2]).all()
        actions = choose(many.action_masks(), chance)
        seen, reward, _, _, info = few.step(actions[:2])
        seen_by_many, reward_in_many, _, _, _ = many.step(actions)
        assert (reward == reward_in_many[:2]).all()
        assert (info["action_mask"] == many.action_masks()[:2]).all()


def test_opponents_decide_in_batches() -> None:
    agent = Last()
    envs = SeatVectorEnv("old_london_bridge", 20, [agent, "random", agent], num_players=4)
    _, info = envs.reset(seed=1)
    chance = np.random.default_rng(1)
    for _ in range(STEPS):
        _, _, _, _, info = envs.step(choose(info["action_mask"], chance))
    assert agent.seats == {1, 3}
    assert max(agent.asked) >= 10
    assert np.mean(agent.asked) > 4


def test_opponents_given_alike_by_name_and_as_objects_play_alike() -> None:
    by_name, as_object = (
        SeatVectorEnv("old_london_bridge", 4, opponents, num_players=2)
        for opponents in ("tests.support.some_agents:Last", Last())
    )
    (seen, info), (other, _) = by_name.reset(seed=1), as_object.reset(seed=1)
    chance = np.random.default_rng(1)
    for _ in range(STEPS):
        assert (seen == other).all()
        actions = choose(info["action_mask"], chance)
        (seen, _, _, _, info), (other, *_) = by_name.step(actions), as_object.step(actions)


def test_results_tell_how_games_came_out() -> None:
    envs = SeatVectorEnv("pebbles", 6, num_players=3, seat="random", reward="coins", coins=7)
    _, info = envs.reset(seed=1)
    found = 0
    chance = np.random.default_rng(0)
    for _ in range(10):
        _, reward, ended, _, info = envs.step(choose(info["action_mask"], chance))
        if ended.any():
            found += 1
            assert (info["_coins"] == ended).all()
            assert (info["coins"][ended].sum(axis=1) == 7).all()
            own = info["coins"][np.arange(6), info["seat"]]
            others = (info["coins"].sum(axis=1) - own) / 2
            assert reward[ended] == pytest.approx((own - others)[ended])
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
def test_a_wrong_action_names_its_row_and_harms_no_game(actions: Any, message: str) -> None:
    envs, twin = (SeatVectorEnv("old_london_bridge", 3, num_players=2) for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    with pytest.raises(ValueError, match=f"^{message}"):
        envs.step(actions)
    for mine, other in zip(envs.step([1, 2, 3])[:4], twin.step([1, 2, 3])[:4], strict=True):
        assert (mine == other).all()


def test_an_unsigned_action_too_large_is_named_as_it_is() -> None:
    envs = SeatVectorEnv("old_london_bridge", 2, num_players=2)
    envs.reset(seed=1)
    with pytest.raises(ValueError, match="row 1: action is 9223372036854775815"):
        envs.step(np.array([0, 2**63 + 7], np.uint64))


@pytest.mark.parametrize("mode", MODES)
def test_a_seed_reaches_only_the_rows_that_are_reset(mode: AutoresetMode) -> None:
    envs, twin = (SeatVectorEnv("pebbles", 2, autoreset_mode=mode) for _ in range(2))
    envs.reset(seed=1)
    twin.reset(seed=1)
    envs.reset(seed=50, options={"reset_mask": np.array([True, False])})
    for _ in range(12):
        over = envs._batch.over
        if mode is AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
        over = twin._batch.over
        if mode is AutoresetMode.DISABLED and over.any():
            twin.reset(options={"reset_mask": over})
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


def test_seeds_may_be_numbers_of_numpy() -> None:
    env = SeatEnv("old_london_bridge", num_players=2)
    assert (env.reset(seed=np.int64(3))[0] == env.reset(seed=3)[0]).all()  # type: ignore[arg-type]


def test_what_is_told_belongs_to_the_caller() -> None:
    envs = SeatVectorEnv("pebbles", 2)
    _, info = envs.reset(seed=1)
    for key in ("_action_mask", "_seat"):
        info[key][:] = False
    _, _, ended, _, _ = envs.step([0, 0])
    ended[:] = True
    seen, info = envs.reset(seed=1)
    assert (seen[:, 0] == 1).all()
    assert info["_action_mask"].all()


def test_masks_before_the_first_game_are_empty() -> None:
    assert not SeatVectorEnv("old_london_bridge", 2).action_masks().any()
    assert not SeatEnv("old_london_bridge").action_masks().any()


def test_small_integer_types_are_actions_too() -> None:
    envs = SeatVectorEnv("old_london_bridge", 3, num_players=2)
    envs.reset(seed=1)
    for dtype in (np.int8, np.uint16, np.int32):
        mask = envs.action_masks()
        envs.step(mask.argmax(axis=1).astype(dtype))


def test_a_step_needs_games() -> None:
    with pytest.raises(ValueError, match="no game is on: call reset"):
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
        ({"options": {"reset_mask": np.zeros(3, np.bool_)}}, "never dealt"),
        ({"options": {"scoring": "none"}}, "scoring is 'none'"),
    ],
)
def test_wrong_resets_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv("old_london_bridge", 3, num_players=2).reset(**arguments)


def test_seeds_may_be_given_row_by_row() -> None:
    envs = SeatVectorEnv("old_london_bridge", 3, num_players=2)
    first, _ = envs.reset(seed=[8, None, 10])
    second, _ = envs.reset(seed=[None, 9, 10])
    alone = SeatEnv("old_london_bridge", num_players=2)
    series = [alone.reset(seed=8)[0], alone.reset()[0]]
    assert (first[0] == series[0]).all()
    assert (second[0] == series[1]).all()
    assert (first[2] == second[2]).all()
    assert (second[1] == alone.reset(seed=9)[0]).all()


@pytest.mark.parametrize("agent", [FailsLater(after=30), Cheat()])
def test_an_opponent_that_fails_is_named_and_harms_no_game(agent: Any) -> None:
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


def test_arrays_are_the_callers_own_unless_told_otherwise() -> None:
    for own in (True, False):
        envs = SeatVectorEnv("old_london_bridge", 3, num_players=2, copy=own)
        first, info = envs.reset(seed=1)
        kept = first.copy()
        second, _, _, _, later = envs.step([0, 1, 2])
        assert (first is second) is not own
        assert (info["action_mask"] is later["action_mask"]) is not own
        assert (first.tobytes() == kept.tobytes()) is own


def test_gymnasiums_wrappers_for_batches_apply() -> None:
    envs = gymnasium.wrappers.vector.RecordEpisodeStatistics(SeatVectorEnv("pebbles", 4, coins=12))
    _, info = envs.reset(seed=1)
    chance, lengths = np.random.default_rng(0), []
    for _ in range(20):
        _, _, _, _, info = envs.step(choose(info["action_mask"], chance))
        if "episode" in info:
            lengths += info["episode"]["l"][info["_episode"]].tolist()
    assert len(lengths) >= 8
    assert all(2 <= length <= 7 for length in lengths)


def test_batches_render_as_texts() -> None:
    envs = SeatVectorEnv("pebbles", 2, render_mode="ansi")
    envs.reset(seed=1)
    texts = envs.render()
    assert texts is not None
    assert [text.startswith("12 pebbles left") for text in texts] == [True, True]
    with pytest.raises(ValueError, match="no game is on"):
        SeatVectorEnv("pebbles", 2, render_mode="ansi").render()
    plain = SeatVectorEnv("pebbles", 2)
    plain.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None


@pytest.mark.compiled
def test_memory_stays_flat_over_ten_million_steps() -> None:
    rows, steps = 512, 10_000_000
    envs = SeatVectorEnv("old_london_bridge", rows, "random", num_players=2, seat="random")
    _, info = envs.reset(seed=1)
    chance = np.random.default_rng(0)
    sizes = []
    for step in range(steps // rows + 1):
        if step % 2000 == 0:
            gc.collect()
            sizes.append(_resident_bytes())
        _, _, _, _, info = envs.step(choose(info["action_mask"], chance))
    sizes.append(_resident_bytes())
    assert max(sizes[2:]) - sizes[1] < 8e6, sizes


def _resident_bytes() -> int:
    """Of memory that no file stands for: pages of files come and go."""
    status = Path("/proc/self/status").read_text(encoding="utf-8")
    (found,) = re.findall(r"RssAnon:\s+(\d+) kB", status)
    return 1024 * int(found)
