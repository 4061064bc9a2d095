"""A game written outside the package, with the same verbs, batches, records, environments and commands."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from pettingzoo.test import api_test, seed_test

from olb_env import load_records, replay, save_records
from olb_env.commands.olb import main
from olb_env.core import batch
from olb_env.core.verbs import actor, apply, deal, legal, observe, resample, returns
from olb_env.envs.aec import CheckedEnv
from olb_env.playing import play_game
from tests.support.playthroughs import play_random
from tests.support.toy_game import HEAP, PEBBLES, PebblesEnv


def test_the_verbs_find_the_game_by_its_dtype() -> None:
    states = PEBBLES.new_states(1)
    deal(states[0], PEBBLES.rules.configure(num_players=3)[0], 5)
    mask, observation = np.zeros(3, np.int8), np.zeros(PEBBLES.observation.size, np.float32)
    assert legal(states[0], mask) == 3
    assert actor(states[0]) == 0
    assert apply(states[0], 2)
    assert not apply(states[0], 3)
    observe(states[0], 1, observation)
    assert observation[0] == np.float32((HEAP - 3) / HEAP)
    resample(states[0], 1, 3)
    while actor(states[0]) >= 0:
        apply(states[0], 0)
    ranks, scores = np.zeros(3, np.int64), np.zeros(3)
    returns(states[0], ranks, scores)
    assert scores.sum() == 6
    assert ranks.min() == 1


def test_batches_play_any_game() -> None:
    states, seeds = PEBBLES.new_states(50), np.arange(50)
    batch.deal_rows(states, PEBBLES.rules.configure(), seeds)
    assert len({tuple(coin) for coin in states["coin"]}) > 25
    decisions, ended = play_random(PEBBLES, states, PEBBLES.rules.configure(), steps=40)
    assert decisions == 2000
    assert ended > 100


@pytest.mark.parametrize("players", [2, 3])
def test_the_environment_passes_pettingzoos_tests(players: int) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        api_test(CheckedEnv(PebblesEnv(num_players=players)), num_cycles=100)
        seed_test(lambda: CheckedEnv(PebblesEnv(num_players=players)))


def test_ties_share_the_reward() -> None:
    env = PebblesEnv(num_players=2, coins=12)
    env.reset(seed=1)
    for action in (2, 2, 2, 2):
        env.step(action)
    assert env.rewards == {"player_0": 0.0, "player_1": 0.0}
    assert env.infos["player_0"] == {"coins": 6, "rank": 1}


def test_a_record_is_saved_loaded_and_replayed(tmp_path: Path) -> None:
    record = play_game(PEBBLES, PEBBLES.rules.configure(), 3, ["random", "random"], legal=True)
    assert replay(record).over
    save_records(tmp_path / "pebbles.jsonl", [record])
    assert load_records(tmp_path / "pebbles.jsonl") == [record]


def test_olb_record_plays_any_registered_game(tmp_path: Path) -> None:
    out = tmp_path / "pebbles.jsonl"
    words = ["record", "--game", "pebbles", "--games", "6", "--players", "mixed", "--coins", "4", "--out", str(out)]
    assert main(words) == 0
    assert [record["players"] for record in load_records(out)] == [2, 3, 2, 3, 2, 3]
    assert all(sum(record["coins"]) == 4 for record in load_records(out))
