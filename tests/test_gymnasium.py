"""The Gymnasium environments: one seat of one game, and of many games in a batch."""

from __future__ import annotations

import copy
import gc
import pickle
import warnings
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from olb_env.core.rng import below
from olb_env.envs.single import SeatEnv
from olb_env.envs.vector import SeatVectorEnv
from olb_env.old_london_bridge import GAME
from olb_env.playing import AgentError, View
from tests.conftest import INTERPRETED
from tests.some_agents import Cheat, FailsLater, Last, Mute, Watcher
from tests.toy_game import PEBBLES

ID = "olb_env/OldLondonBridge-v0"
MODES = list(AutoresetMode)
STEPS = 12 if INTERPRETED else 150


def choose(masks: Any, chance: np.random.Generator) -> Any:
    """A random legal action in each row."""
    return (chance.random(masks.shape) * masks).argmax(axis=1)


def play(env: gymnasium.Env[Any, Any], seed: int | None, chance: int = 0) -> tuple[float, dict[str, Any], list[int]]:
    """A game at random: final reward, final info and the actions."""
    _, info = env.reset(seed=seed)
    source, actions, terminated, reward = np.random.default_rng(chance), [], False, 0.0
    while not terminated:
        assert reward == 0
        actions.append(int(source.choice(np.flatnonzero(info["action_mask"]))))
        _, reward, terminated, truncated, info = env.step(actions[-1])  # type: ignore[assignment]
        assert not truncated
    return reward, info, actions


# One seat.


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("seat", [0, 1, "random"])
def test_gymnasium_finds_nothing_to_complain_about(players: int, seat: int | str) -> None:
    env = gymnasium.make(ID, num_players=players, opponents=["random"] * (players - 1), seat=seat)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*not having an `spec`.*")
        check_env(env.unwrapped, skip_render_check=True)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("reward", GAME.rewards)
def test_the_reward_is_that_of_the_learners_seat(players: int, reward: str) -> None:
    for seat in range(players):
        env = gymnasium.make(ID, num_players=players, seat=seat, reward=reward)
        earned, info, _ = play(env, seed=seat)
        place, money = info["ranking"].index(seat), info["money"]
        others = [money[other] for other in range(players) if other != seat]
        expected = {
            "rank": 1 - 2 * place / (players - 1),
            "win": 1.0 if place == 0 else -1 / (players - 1),
            "money": (money[seat] - sum(others) / len(others)) / 10,
        }
        assert earned == pytest.approx(expected[reward])
        assert info["seat"] == seat
        assert sum(info["breakdown"].values()) == money[seat]


def test_the_reward_comes_even_if_another_ends_the_game() -> None:
    """Six pebbles: the learner takes one, the opponent the rest."""
    env = SeatEnv("pebbles", opponents=Last(), coins=12, reward="coins")
    env.reset(seed=1)
    rewards = []
    for _ in range(3):
        _, reward, terminated, _, info = env.step(0)  # 1 against 3, three times: after that one is asked no more
        rewards.append(reward)
    assert terminated
    assert rewards == [0, 0, 3 - 9]
    assert info["coins"] == 3


def test_opponents_sit_around_the_table_from_the_learner_on() -> None:
    opponents = [Watcher() for _ in range(3)]
    env = gymnasium.make(ID, num_players=4, seat=2, opponents=opponents)
    play(env, seed=3)
    assert [set(opponent.seats) for opponent in opponents] == [{3}, {0}, {1}]


def test_a_random_seat_is_drawn_for_each_game() -> None:
    env = SeatEnv("pebbles", num_players=3, seat="random")
    seats = [env.reset(seed=0 if game == 0 else None)[1]["seat"] for game in range(30)]
    assert set(seats) == {0, 1, 2}
    again = [env.reset(seed=0 if game == 0 else None)[1]["seat"] for game in range(30)]
    assert again == seats


def test_masks_are_in_the_info_and_under_the_name_that_sb3_looks_for() -> None:
    env = gymnasium.make(ID, num_players=2)
    _, info = env.reset(seed=1)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == np.bool_
    assert (masks == info["action_mask"]).all()
    names = env.get_wrapper_attr("legal_actions")()
    assert names == [GAME.actions[action] for action in np.flatnonzero(masks)]


def test_one_seed_gives_one_game_and_a_series_after_it() -> None:
    env = gymnasium.make(ID, num_players=3, seat="random")
    first = [play(env, seed=5 if game == 0 else None) for game in range(3)]
    second = [play(env, seed=5 if game == 0 else None) for game in range(3)]
    assert [game[1]["money"] for game in first] == [game[1]["money"] for game in second]
    assert first[0][1]["money"] != first[1][1]["money"]


def test_opponents_choose_by_chance_that_a_seed_repeats() -> None:
    """Pebbles begins alike in every game: so what differs is what the opponent chose."""
    env = SeatEnv("pebbles", opponents=Watcher(), coins=12)

    def left_after_a_step(seed: int) -> float:
        env.reset(seed=seed)
        return float(env.step(0)[0][0])

    found = [left_after_a_step(seed) for seed in range(40)]
    assert len(set(found)) == 3
    assert found == [left_after_a_step(seed) for seed in range(40)]


class Spy:
    """Tries to tell what a random player picked face down just before, from the chance it is handed itself."""

    def __init__(self) -> None:
        self.env: SeatEnv | None = None
        self.hits: list[bool] = []

    def act(self, view: View) -> int:
        assert self.env is not None
        other = self.env._tables.state(0).seats[1]
        if view.legal[0].startswith("play") and other.pick[0] > 0:
            chance = (view.seed - 0x9E3779B97F4A7C15) % 2**64  # what came before it, if its chance were theirs
            hand = np.flatnonzero(other.hand)
            self.hits.append(int(hand[below(chance, len(hand))]) == other.pick[0] - 1)
        return int(view.mask.argmax())


def test_what_an_agent_is_handed_does_not_tell_what_another_picked() -> None:
    spy = Spy()
    env = spy.env = SeatEnv("old_london_bridge", num_players=3, opponents=["random", spy])
    for game in range(4 if INTERPRETED else 40):
        env.reset(seed=game)
        while not env._over:
            env.step(int(env.action_masks().argmax()))
    assert len(spy.hits) > (5 if INTERPRETED else 100)
    assert np.mean(spy.hits) < 0.6  # with the chance of the other in hand it would be 1


def test_reset_may_change_options_for_one_game() -> None:
    env = SeatEnv("pebbles", coins=6)
    assert env.reset(seed=1, options={"coins": 12})[0][1] == 1.0
    assert env.reset(seed=1)[0][1] == 0.5
    with pytest.raises(ValueError, match="num_players"):
        env.reset(options={"num_players": 3})


def test_an_illegal_action_loses_the_game() -> None:
    env = gymnasium.make(ID, num_players=2)
    env.reset(seed=1)
    _, reward, terminated, truncated, info = env.step(40)
    assert (reward, terminated, truncated) == (-1.0, True, False)
    assert info["illegal_action"] == GAME.actions[40]
    with pytest.raises(ValueError, match="no game is on"):
        env.step(0)
    env.reset()
    env.step(0)


@pytest.mark.parametrize(("reward", "penalty"), [("rank", -1.0), ("win", -1.0), ("money", -10.0)])
def test_cheating_never_pays(reward: str, penalty: float) -> None:
    env = SeatEnv("old_london_bridge", num_players=4, reward=reward)
    env.reset(seed=1)
    assert env.step(40)[1] == penalty


def test_an_illegal_action_raises_if_asked_to_and_changes_nothing() -> None:
    env = SeatEnv("old_london_bridge", num_players=2, illegal="raise")
    _, info = env.reset(seed=1)
    with pytest.raises(ValueError, match=r"^action 40 \('.*'\) is not legal: expected one of 0 'play 0', 1"):
        env.step(40)
    assert (env.action_masks() == info["action_mask"]).all()
    assert env.step(0)[2] is False


@pytest.mark.parametrize("action", [-1, 46, 1.5, "play 0", None, True, [0]])
def test_what_is_no_action_raises(action: Any) -> None:
    env = SeatEnv("old_london_bridge", num_players=2)
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action is .*expected a whole number from 0 to 45"):
        env.step(action)


def test_a_step_needs_a_game() -> None:
    with pytest.raises(ValueError, match="no game is on: call reset"):
        SeatEnv("old_london_bridge", num_players=2).step(0)


BAD_ARGUMENTS = [
    ({"opponents": ["random"]}, "opponents has 1 agents: expected 3"),
    ({"opponents": ["random"] * 4}, "opponents has 4 agents: expected 3"),
    ({"opponents": "clever"}, "unknown agent 'clever'"),
    ({"opponents": ["random", "random", "clever"]}, "unknown agent 'clever'"),
    ({"opponents": [Mute(), "random", "random"]}, "is no agent"),
    ({"opponents": 7}, "opponents is 7: expected an agent or a list of 3"),
    ({"seat": 4}, "seat is 4: expected 0 to 3, or 'random'"),
    ({"seat": "first"}, "seat is 'first'"),
    ({"seat": True}, "seat is True"),
    ({"reward": "fame"}, "reward is 'fame'"),
    ({"num_players": 5}, "num_players is 5"),
    ({"scoring": "none"}, "scoring is 'none'"),
    ({"render_mode": "svg"}, "render_mode is 'svg'"),
    ({"players": 3}, "unknown option 'players' of old_london_bridge: expected some of num_players, scoring"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS)
def test_wrong_arguments_are_named(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        SeatEnv("old_london_bridge", **arguments)
    with pytest.raises(ValueError, match=message):
        SeatVectorEnv("old_london_bridge", num_envs=2, **arguments)


def test_more_wrong_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="illegal is 'ignore'"):
        SeatEnv("old_london_bridge", illegal="ignore")
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        SeatEnv("chess")
    with pytest.raises(ValueError, match="num_envs is 0"):
        SeatVectorEnv("old_london_bridge", num_envs=0)
    with pytest.raises(ValueError, match=r"autoreset_mode is 'Never'.*'NextStep', 'SameStep', 'Disabled'"):
        SeatVectorEnv("old_london_bridge", num_envs=2, autoreset_mode="Never")


def test_copies_of_an_environment_go_on_alike() -> None:
    env = SeatEnv("old_london_bridge", num_players=2, opponents="random")
    env.reset(seed=1)
    env.step(2)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert (other.action_masks() == env.action_masks()).all()
        legal = int(env.action_masks().argmax())
        assert (other.step(legal)[0] == copy.deepcopy(env).step(legal)[0]).all()


def test_rendering_is_text() -> None:
    env = gymnasium.make(ID, num_players=2, render_mode="ansi")
    env.reset(seed=1)
    assert "Round 1" in str(env.render()) or "round 1" in str(env.render())
    plain = SeatEnv("old_london_bridge", num_players=2)
    plain.reset(seed=1)
    with pytest.warns(UserWarning, match="render_mode"):
        assert plain.render() is None


# Many games.


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


@pytest.mark.parametrize("opponents", ["random", "tests.some_agents:First", "tests.some_agents:Watcher"])
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
        for opponents in ("tests.some_agents:Last", Last())
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
        over = envs._tables.over
        if mode is AutoresetMode.DISABLED and over.any():
            envs.reset(options={"reset_mask": over})
        over = twin._tables.over
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
    return int(Path("/proc/self/statm").read_text(encoding="utf-8").split()[1]) * 4096


def test_the_toy_game_is_carried_as_well() -> None:
    assert PEBBLES.name == "pebbles"
    env = SeatEnv("pebbles", num_players=3, opponents=["random", "tests.some_agents:First"], seat="random")
    for game in range(5):
        reward, info, _ = play(env, seed=game)
        assert -1 <= reward <= 1
        assert "coins" in info
