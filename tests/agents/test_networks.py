"""Networks: the same answer from torch, from numpy and inside search; files that are not what they should be."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from olb_agents.evaluators import appraise_by_network, ask_network, network_evaluator, room_for
from olb_agents.heuristics import FEATURES, room
from olb_agents.network import Network, NetworkError, Shape, load_network, told
from olb_agents.policy import CHAMPIONS, PolicyAgent
from olb_env.core import batch
from olb_env.core.game import Game, find
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views, decide, make_agent
from olb_env.wobbly_bridge import GAME as WOBBLY_BRIDGE
from tests.conftest import INTERPRETED
from tests.support.playthroughs import deal_one, walk
from tests.support.toy_game import PEBBLES
from tests.wobbly_bridge.table import Table

pytestmark = pytest.mark.compiled

HIDDEN = (12, 8)


def some_network(
    hidden: tuple[int, ...] = HIDDEN, seed: int = 3, features: str = "derived", game: Game = GAME
) -> Network:
    chance = np.random.default_rng(seed)
    shape = Shape.of_game(game, hidden, features)
    return Network(shape, {name: chance.normal(0, 0.4, size) for name, size in shape.tensors().items()})


def some_states(players: int = 3, every: int = 25) -> Any:
    return np.concatenate([states.copy() for states in walk(5, num_players=players)][:-1:every])


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "net.safetensors"
    some_network().save(file, {"by": "a test"})
    return file


@pytest.mark.parametrize("features", FEATURES)
def test_torch_and_numpy_say_the_same(features: str) -> None:
    torch = pytest.importorskip("torch")
    from olb_training.ppo.model import ActorCritic

    network = some_network(features=features)
    model = ActorCritic(network.shape)
    model.copy_weights(network)
    seen = np.random.default_rng(1).random((20, network.shape.inputs), np.float32)
    with torch.no_grad():
        preferences, values = model(torch.from_numpy(seen))
    again = model.to_network()
    for made in (network, again):
        np.testing.assert_allclose(made(seen)[0], preferences.numpy(), atol=1e-4)
        np.testing.assert_allclose(made(seen)[1], values.numpy(), atol=1e-4)


@pytest.mark.parametrize("features", FEATURES[:-1])
def test_a_network_that_is_told_more_says_the_same_at_first(features: str) -> None:
    pytest.importorskip("torch")
    from olb_training.ppo.widen import can_widen, widen

    network = some_network(features=features)
    states = some_states(every=60 if INTERPRETED else 25)
    views = Views(GAME, states, range(len(states)))
    before = network(told(network.shape, views.observations, views.states, views.seats))
    for more in FEATURES[FEATURES.index(features) + 1 :]:
        shape = Shape.of_game(GAME, HIDDEN, more)
        assert can_widen(network.shape, shape)
        assert not can_widen(shape, network.shape)
        after = widen(network, shape)(told(shape, views.observations, views.states, views.seats))
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("times", [(2, 1), (1, 3), (3, 2)])
def test_a_network_with_wider_layers_says_the_same_at_first(times: tuple[int, int]) -> None:
    pytest.importorskip("torch")
    from olb_training.ppo.widen import can_widen, widen

    network = some_network(features="derived")
    shape = Shape.of_game(GAME, (HIDDEN[0] * times[0], HIDDEN[1] * times[1]), "derived")
    assert can_widen(network.shape, shape)
    assert not can_widen(shape, network.shape)
    assert not can_widen(network.shape, Shape.of_game(GAME, (HIDDEN[0] + 1, HIDDEN[1]), "derived"))
    seen = np.random.default_rng(1).random((20, network.shape.inputs), np.float32)
    wider = widen(network, shape)
    for one, other in zip(network(seen), wider(seen), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    after = "1.weight" if times[0] > 1 else "head.weight"
    copies = wider.weights[after].reshape(times[0] if times[0] > 1 else times[1], -1)
    assert (copies[0] != copies[1]).mean() > 0.9  # they part ways from the first lesson on


@pytest.mark.parametrize("features", FEATURES)
def test_search_hears_what_numpy_computes(features: str) -> None:
    network = some_network(features=features)
    evaluator = network_evaluator(network)
    layers = room_for(GAME, evaluator)
    states = some_states(every=60 if INTERPRETED else 25)
    views = Views(GAME, states, range(len(states)))
    preferences, values = network(told(network.shape, views.observations, views.states, views.seats))
    for row, state in enumerate(views.states):
        seat = int(views.seats[row])
        scratch, numbers, _ = room(GAME)
        at = ask_network(state, seat, evaluator, scratch, numbers, layers)
        np.testing.assert_allclose(layers[at, : len(GAME.actions)], preferences[row], atol=1e-4)
        out = np.zeros(3)
        appraise_by_network(state, seat, False, evaluator, 0, scratch, numbers, layers, out)
        np.testing.assert_allclose([out[(seat + on) % 3] for on in range(3)], values[row, :3], atol=1e-4)


def test_a_network_comes_back_as_it_was(saved: Path) -> None:
    again = load_network(saved)
    assert again.shape == some_network().shape
    assert again.shape.features == "derived"
    assert all(np.array_equal(again.weights[name], weight) for name, weight in some_network().weights.items())
    assert json.loads(saved.with_suffix(".json").read_text(encoding="utf-8"))["about"] == {"by": "a test"}


def test_policies_play_alone_in_batches_and_with_search(saved: Path) -> None:
    states = some_states(2, every=9)
    views = Views(GAME, states, range(len(states)))
    policy = make_agent(f"policy:{saved}")
    many = decide(policy, "policy", views)
    assert many.tolist() == [int(policy.act(views[index])) for index in range(len(views))]
    for index in (0, 5):
        once = make_agent(f"policy:{saved}:1")  # a single simulation goes where the network would
        assert once.act(views[index]) == many[index]
    simulations = 2 if INTERPRETED else 16
    found = decide(make_agent(f"policy:{saved}:{simulations}"), "guided", Views(GAME, states[:3], range(3)))
    assert all(views.masks[row, action] for row, action in enumerate(found))


def test_what_a_policy_says_does_not_depend_on_what_is_hidden(saved: Path) -> None:
    for states in some_states(every=20):
        one = np.array([states], GAME.rules.dtype)
        other = one.copy()
        batch.resample_rows(other, np.array([batch.actor_one(one)]), np.array([99]))
        for name in (f"policy:{saved}", f"policy:{saved}:4"):
            answers = [decide(make_agent(name), name, Views(GAME, state, [5]))[0] for state in (one, other)]
            assert answers[0] == answers[1]


def test_secret_answers_are_drawn_where_the_mind_asks_for_it() -> None:
    """As often as the network says; elsewhere, and wherever all is open, what it prefers is done."""
    for game in (WOBBLY_BRIDGE, GAME):
        states, many = game.new_states(1), 600
        batch.deal_rows(states, game.rules.configure(num_players=3), np.array([3]))
        views = Views(game, np.repeat(states, many), np.arange(many))
        agent = PolicyAgent(some_network(game=game))
        likely, _ = agent.evaluate(views)
        drawn = np.bincount(agent.act_many(views), minlength=len(game.actions)) / many
        if game is GAME:
            assert drawn.max() == 1
        else:
            assert drawn == pytest.approx(likely[0], abs=0.07)
            assert drawn.max() < 0.9
        assert [agent.act(views[row]) for row in range(5)] == agent.act_many(views)[:5].tolist()


def test_who_alone_answers_openly_does_what_it_prefers() -> None:
    table = Table("idea", "order", "heavy")
    table.pick("idea", "leap", "dash")
    assert len(table.legal) > 1
    views = Views(WOBBLY_BRIDGE, np.repeat(table.states, 50), np.arange(50))
    agent = PolicyAgent(some_network(game=WOBBLY_BRIDGE))
    likely, _ = agent.evaluate(views)
    assert set(agent.act_many(views)) == {int(likely[0].argmax())}


def test_a_policy_of_another_game_says_so(saved: Path) -> None:
    for name in (f"policy:{saved}", f"policy:{saved}:4"):
        with pytest.raises(ValueError, match="plays old_london_bridge, not pebbles"):
            decide(make_agent(name), "policy", Views(PEBBLES, deal_one(1, PEBBLES), [1]))


@pytest.mark.parametrize("weights", sorted(CHAMPIONS.glob("*.safetensors")), ids=lambda file: file.stem)
def test_a_champion_comes_with_its_story(weights: Path) -> None:
    """Weights under 5 MB, the commands that made them, every evaluation on the way; and it beats the planner."""
    assert weights.stat().st_size < 5e6
    stages = load_network(weights).about["stages"]
    assert all(stage["command"].startswith("olb train") and stage["minutes"] > 0 for stage in stages)
    told = [json.loads(line) for line in weights.with_suffix(".metrics.jsonl").read_text("utf-8").splitlines()]
    assert {entry["stage"] for entry in told} == set(range(1, len(stages) + 1))
    assert told[-1]["decisions"] == stages[-1]["decisions"]
    fewest = find(weights.stem).players[0]
    assert told[-1]["rates"][f"planner {fewest}p"]["low"] > 1 / fewest + 0.1
    assert weights.with_suffix(".png").exists()


def test_the_champion_plays_with_and_without_search() -> None:
    states = some_states(4, every=40)
    views = Views(GAME, states, range(len(states)))
    file = CHAMPIONS / f"{GAME.name}.safetensors"
    assert (decide(make_agent("champion"), "champion", views) == decide(make_agent(f"policy:{file}"), "", views)).all()
    few = Views(GAME, states[:2], range(2))
    searched = decide(make_agent("champion:3"), "champion:3", few)
    assert (searched == decide(make_agent(f"policy:{file}:3"), "", few)).all()
    with pytest.raises(ValueError, match="there is no champion of pebbles yet"):
        make_agent("champion").check(PEBBLES)  # type: ignore[attr-defined]


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # as if it were not there
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


def test_a_network_keeps_its_weights_to_itself() -> None:
    network = some_network()
    weights = {name: weight.copy() for name, weight in network.weights.items()}
    copied = Network(network.shape, network.weights)
    for name in weights:
        network.weights[name] += 1
    assert all(np.array_equal(copied.weights[name], weights[name]) for name in weights)


class Bomb:
    """Whoever unpickles it leaves a trace."""

    def __init__(self, trace: Path) -> None:
        self.trace = trace

    def __reduce__(self) -> Any:
        return Path.touch, (self.trace,)


def test_a_hostile_file_runs_no_code(saved: Path, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    bomb = pickle.dumps(Bomb(trace))
    pickle.loads(bomb)
    assert trace.exists()  # it would go off
    trace.unlink()
    for file in (saved, saved.with_suffix(".json")):
        whole = file.read_bytes()
        file.write_bytes(bomb)
        with pytest.raises(NetworkError):
            load_network(saved)
        file.write_bytes(whole)
    assert not trace.exists()
    load_network(saved)


def change(file: Path, **told: Any) -> None:
    beside = file.with_suffix(".json")
    beside.write_text(json.dumps({**json.loads(beside.read_text(encoding="utf-8")), **told}), encoding="utf-8")


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({"format": 9}, "format 9, expected 2"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"version": 4}, "made for version 4"),
        ({"observation_size": 3}, "made for observation_size 3"),
        ({"hidden_sizes": [10**9]}, "hidden_sizes"),
        ({"hidden_sizes": "wide"}, "hidden_sizes"),
        ({"hidden_sizes": [12, 9]}, "is (8,), expected (9,)"),
    ],
)
def test_a_network_for_something_else_is_refused(saved: Path, told: dict[str, Any], message: str) -> None:
    change(saved, **told)
    with pytest.raises(NetworkError) as caught:
        load_network(saved)
    assert message in str(caught.value)


def test_weights_that_are_no_numbers_are_refused(saved: Path) -> None:
    weights = load_file(saved)
    weights["0.bias"] = np.full_like(weights["0.bias"], np.nan)
    save_file(weights, saved)
    with pytest.raises(NetworkError, match=r"0\.bias is not made of finite"):
        load_network(saved)


@pytest.mark.parametrize("kind", ["F8_E4M3", "BF16"])
def test_numbers_that_numpy_does_not_know_are_refused(kind: str, saved: Path) -> None:
    size = {"F8_E4M3": 1, "BF16": 2}[kind]
    about = json.dumps({"0.bias": {"dtype": kind, "shape": [1], "data_offsets": [0, size]}}).encode()
    saved.write_bytes(len(about).to_bytes(8, "little") + about + bytes(size))
    with pytest.raises(NetworkError, match="is damaged, or no safetensors file that numpy can read"):
        load_network(saved)


def test_a_torn_file_is_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(NetworkError, match="damaged"):
        load_network(saved)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("policy:nowhere.safetensors", "cannot read"),
        ("policy:weights.pt", "expected a .safetensors file"),
        ("policy:net.safetensors:many", "expected a number of simulations"),
        ("champion:0", "expected a number of simulations"),
    ],
)
def test_names_that_mean_nothing_are_refused(
    name: str, message: str, saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(saved.parent)
    with pytest.raises(ValueError, match=message):
        make_agent(name)
