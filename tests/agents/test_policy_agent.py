"""Agents with a network: alone, with search, and the champions that come with the package."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from olb_agents.network import load_network
from olb_agents.policy_agent import CHAMPIONS, PolicyAgent, masked_softmax
from olb_env.core import batch
from olb_env.core.game import find
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views, decide, make_agent
from olb_env.wobbly_bridge import GAME as WOBBLY_BRIDGE
from tests.support.playthroughs import deal_one
from tests.support.running import INTERPRETED
from tests.support.some_networks import some_network, some_states
from tests.support.toy_game import PEBBLES
from tests.wobbly_bridge.table import Table


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "net.safetensors"
    some_network().save(file, {"by": "a test"})
    return file


def test_policies_decide_alone_in_batches_and_with_search(saved: Path) -> None:
    states = some_states(2, every=30 if INTERPRETED else 9)
    views = Views(GAME, states, range(len(states)))
    policy = make_agent(f"policy:{saved}")
    many = decide(policy, "policy", views)
    assert many.tolist() == [int(policy.act(views[index])) for index in range(len(views))]
    for index in (0, len(views) - 1):
        once = make_agent(f"policy:{saved}:1")  # a single simulation takes the best action of the network
        assert once.act(views[index]) == many[index]
    simulations, count = (2, 1) if INTERPRETED else (16, 3)
    few = Views(GAME, states[:count], range(count))
    searched = decide(make_agent(f"policy:{saved}:{simulations}"), "guided", few)
    assert all(few.masks[row, action] for row, action in enumerate(searched))


def test_hidden_information_changes_no_decision_of_a_policy(saved: Path) -> None:
    for states in some_states(every=70 if INTERPRETED else 20):
        one = np.array([states], GAME.rules.dtype)
        other = one.copy()
        batch.resample_rows(other, np.array([batch.actor_one(one)]), np.array([99]))
        for name in (f"policy:{saved}", f"policy:{saved}:{2 if INTERPRETED else 4}"):
            actions = [decide(make_agent(name), name, Views(GAME, state, [5]))[0] for state in (one, other)]
            assert actions[0] == actions[1]


def test_secret_actions_are_drawn_from_the_policy_where_the_heuristics_say_so() -> None:
    """In other games, the best action is taken."""
    for game in (WOBBLY_BRIDGE, GAME):
        states, many = game.new_states(1), 600
        batch.deal_rows(states, game.rules.configure(num_players=3), np.array([3]))
        views = Views(game, np.repeat(states, many), np.arange(many))
        agent = PolicyAgent(some_network(game=game, features="observation"))
        policy = agent.evaluate(views).policy[0]
        drawn = np.bincount(agent.act_many(views), minlength=len(game.actions)) / many
        if game is GAME:
            assert drawn.max() == 1
        else:
            assert drawn == pytest.approx(policy, abs=0.07)
            assert drawn.max() < 0.9
        assert [agent.act(views[row]) for row in range(5)] == agent.act_many(views)[:5].tolist()


def test_an_action_in_the_open_is_not_drawn() -> None:
    """The only seat with an idea replaces it when all other cards are revealed."""
    table = Table("idea", "order", "heavy")
    table.pick("idea", "leap", "dash")
    assert len(table.legal) > 1
    views = Views(WOBBLY_BRIDGE, np.repeat(table.states, 50), np.arange(50))
    agent = PolicyAgent(some_network(game=WOBBLY_BRIDGE, features="observation"))
    assert set(agent.act_many(views)) == {int(agent.evaluate(views).policy[0].argmax())}


def test_illegal_actions_have_no_probability() -> None:
    logits, masks = np.array([[0.0, 50.0, 0.0]], np.float32), np.array([[1, 0, 1]], np.int8)
    assert masked_softmax(logits, masks).tolist() == [[0.5, 0, 0.5]]


def test_an_evaluation_has_a_probability_for_each_action_and_a_value_for_each_seat() -> None:
    views = Views(PEBBLES, deal_one(1, PEBBLES, num_players=3), [1])
    agent = PolicyAgent(some_network(game=PEBBLES, features="observation"))
    evaluation = agent.evaluate(views)
    assert evaluation.policy.shape == (1, 3)
    assert evaluation.policy.sum() == pytest.approx(1)
    assert evaluation.values.shape == (1, 3)


def test_a_policy_refuses_another_game(saved: Path) -> None:
    for name in (f"policy:{saved}", f"policy:{saved}:4"):
        with pytest.raises(ValueError, match="plays old_london_bridge, not pebbles"):
            decide(make_agent(name), "policy", Views(PEBBLES, deal_one(1, PEBBLES), [1]))


@pytest.mark.parametrize("weights", sorted(CHAMPIONS.glob("*.safetensors")), ids=lambda file: file.stem)
def test_a_champion_comes_with_its_history(weights: Path) -> None:
    """Weights under 5 MB, the commands that made them, every evaluation on the way; and it beats the planner."""
    assert weights.stat().st_size < 5e6
    stages = load_network(weights).about["stages"]
    assert all(stage["command"].startswith("olb train") and stage["minutes"] > 0 for stage in stages)
    history = [json.loads(line) for line in weights.with_suffix(".metrics.jsonl").read_text("utf-8").splitlines()]
    assert {entry["stage"] for entry in history} == set(range(1, len(stages) + 1))
    assert history[-1]["timesteps"] == stages[-1]["timesteps"]
    fewest = find(weights.stem).players[0]
    assert history[-1]["win_rates"][f"planner_{fewest}p"]["low"] > 1 / fewest + 0.1
    assert weights.with_suffix(".png").exists()


@pytest.mark.compiled
def test_the_champion_plays_with_and_without_search() -> None:
    states = some_states(4, every=40)
    views = Views(GAME, states, range(len(states)))
    file = CHAMPIONS / f"{GAME.name}.safetensors"
    assert (decide(make_agent("champion"), "champion", views) == decide(make_agent(f"policy:{file}"), "", views)).all()
    few = Views(GAME, states[:2], range(2))
    searched = decide(make_agent("champion:3"), "champion:3", few)
    assert (searched == decide(make_agent(f"policy:{file}:3"), "", few)).all()


def test_the_champion_of_a_small_network_plays_and_evaluates() -> None:
    """That of The Wobbly Bridge sees the observation alone, so plain Python is quick enough."""
    states = WOBBLY_BRIDGE.new_states(2)
    batch.deal_rows(states, WOBBLY_BRIDGE.rules.configure(num_players=3), np.arange(2))
    views, champion = Views(WOBBLY_BRIDGE, states, [1, 2]), make_agent("champion")
    many = decide(champion, "champion", views)
    assert many.tolist() == [champion.act(views[row]) for row in range(2)]
    assert champion.evaluate(views).policy.shape == (2, len(WOBBLY_BRIDGE.actions))  # type: ignore[attr-defined]
    searched = decide(make_agent("champion:2"), "champion:2", Views(WOBBLY_BRIDGE, states[:1], [1]))
    assert views.masks[0, searched[0]]


def test_a_game_without_a_champion_is_refused() -> None:
    with pytest.raises(ValueError, match="there is no champion of pebbles yet"):
        make_agent("champion").check(PEBBLES)  # type: ignore[attr-defined]


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # makes its import fail
from olb_env import old_london_bridge_v0
from olb_env.commands.olb import main
sys.exit(main(["record", "--games", "1", "--players", "2", "--agents", sys.argv[1], "random", "--out", sys.argv[2]]))
"""


@pytest.mark.compiled
def test_a_policy_plays_without_torch(saved: Path, tmp_path: Path) -> None:
    words = [f"policy:{saved}", str(tmp_path / "games.jsonl")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_TORCH, *words], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "games.jsonl").read_text(encoding="utf-8").count("\n") == 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("policy:nowhere.safetensors", "cannot read"),
        ("policy:weights.pt", "expected a .safetensors file"),
        ("policy:net.safetensors:many", "expected a number of simulations"),
        ("champion:0", "expected a number of simulations"),
    ],
)
def test_names_that_cannot_be_loaded_are_refused(
    name: str, message: str, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    with pytest.raises(ValueError, match=message):
        make_agent(name)
