"""Networks: torch, numpy and search compute the same, and files that are not what they should be are refused."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from olb_agents.evaluators import network_evaluator, network_values, policy_logits, run_network, values_of
from olb_agents.heuristics import default_style_weights
from olb_agents.inputs import FEATURE_SETS
from olb_agents.network import Network, NetworkError, Shape, encode_inputs, load_network
from olb_agents.scratch import new_scratch
from olb_env.core import batch
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views
from tests.support.playthroughs import deal_one
from tests.support.running import INTERPRETED
from tests.support.some_networks import HIDDEN_SIZES, some_network, some_states
from tests.support.toy_game import PEBBLES


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    file = tmp_path / "net.safetensors"
    some_network().save(file, {"by": "a test"})
    return file


def inputs_of(shape: Shape, views: Views) -> Any:
    return encode_inputs(shape, views.observations, views.states, views.seats)


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_torch_and_numpy_compute_the_same(features: str) -> None:
    torch = pytest.importorskip("torch")
    from olb_training.ppo.model import ActorCritic

    network = some_network(features=features)
    model = ActorCritic(network.shape)
    model.copy_weights(network)
    inputs = np.random.default_rng(1).random((20, network.shape.inputs), np.float32)
    with torch.no_grad():
        logits, values = model(torch.from_numpy(inputs))
    for computed in (network(inputs), model.to_network()(inputs)):
        np.testing.assert_allclose(computed[0], logits.numpy(), atol=1e-4)
        np.testing.assert_allclose(computed[1], values.numpy(), atol=1e-4)


@pytest.mark.compiled
@pytest.mark.parametrize("features", FEATURE_SETS[:-1])
def test_a_network_with_more_inputs_computes_the_same_at_first(features: str) -> None:
    pytest.importorskip("torch")
    from olb_training.ppo.widen import can_widen, widen

    network = some_network(features=features)
    states = some_states()
    views = Views(GAME, states, range(len(states)))
    before = network(inputs_of(network.shape, views))
    for more in FEATURE_SETS[FEATURE_SETS.index(features) + 1 :]:
        shape = Shape.of_game(GAME, HIDDEN_SIZES, more)
        assert can_widen(network.shape, shape)
        assert not can_widen(shape, network.shape)
        after = widen(network, shape)(inputs_of(shape, views))
        for one, other in zip(before, after, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-4)


@pytest.mark.parametrize("times", [(2, 1), (1, 3), (3, 2)])
def test_a_network_with_wider_layers_computes_the_same_at_first(times: tuple[int, int]) -> None:
    pytest.importorskip("torch")
    from olb_training.ppo.widen import can_widen, widen

    network = some_network(features="derived")
    shape = Shape.of_game(GAME, (HIDDEN_SIZES[0] * times[0], HIDDEN_SIZES[1] * times[1]), "derived")
    assert can_widen(network.shape, shape)
    assert not can_widen(shape, network.shape)
    assert not can_widen(network.shape, Shape.of_game(GAME, (HIDDEN_SIZES[0] + 1, HIDDEN_SIZES[1]), "derived"))
    inputs = np.random.default_rng(1).random((20, network.shape.inputs), np.float32)
    wider = widen(network, shape)
    for one, other in zip(network(inputs), wider(inputs), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-4)
    after = "1.weight" if times[0] > 1 else "head.weight"
    copies = wider.weights[after].reshape(times[0] if times[0] > 1 else times[1], -1)
    assert (copies[0] != copies[1]).mean() > 0.9  # so that copies of a unit learn different things


@pytest.mark.parametrize("features", FEATURE_SETS)
def test_search_computes_what_numpy_computes(features: str) -> None:
    network = some_network(features=features)
    evaluator, scratch = network_evaluator(network), new_scratch(GAME)
    states = some_states(every=60 if INTERPRETED else 25)[: 2 if INTERPRETED else None]
    views = Views(GAME, states, range(len(states)))
    logits, values = network(inputs_of(network.shape, views))
    for row, state in enumerate(views.states):
        seat = int(views.seats[row])
        outputs = run_network(state, seat, evaluator, scratch)
        np.testing.assert_allclose(outputs[: len(GAME.actions)], logits[row], atol=1e-4)
        out = np.zeros(3)
        network_values(state, seat, False, evaluator, 0, scratch, out)
        np.testing.assert_allclose([out[(seat + i) % 3] for i in range(3)], values[row, :3], atol=1e-4)


def test_values_after_logits_need_no_second_computation() -> None:
    network = some_network(game=PEBBLES, features="observation")
    states, evaluator = deal_one(1, PEBBLES), network_evaluator(network)
    scratch, seat = new_scratch(PEBBLES), batch.actor_one(states)
    computed = []
    for has_logits in (False, True):
        policy_logits(states[0], seat, evaluator, scratch)
        computed.append(np.zeros(2))
        values_of(states[0], seat, has_logits, evaluator, 0, scratch, computed[-1])
    assert computed[0].tolist() == computed[1].tolist() != [0, 0]


def test_a_style_gives_logits_and_values_too() -> None:
    """Without heuristics all actions score the same, and a playout ends with the utilities of a finished game."""
    states, scratch, out = deal_one(1, PEBBLES), new_scratch(PEBBLES), np.zeros(2)
    policy_logits(states[0], 0, default_style_weights(PEBBLES.name), scratch)
    assert scratch.scores.tolist() == [0, 0, 0]
    values_of(states[0], 0, True, default_style_weights(PEBBLES.name), 7, scratch, out)
    assert batch.actor_one(states) < 0
    assert out.sum() == pytest.approx(0)


def test_a_saved_network_is_loaded_as_it_was(saved: Path) -> None:
    again = load_network(saved)
    assert again.shape == some_network().shape
    assert again.shape.features == "derived"
    assert all(np.array_equal(again.weights[name], weight) for name, weight in some_network().weights.items())
    assert json.loads(saved.with_suffix(".json").read_text(encoding="utf-8"))["about"] == {"by": "a test"}


def test_a_network_copies_its_weights() -> None:
    network = some_network()
    weights = {name: weight.copy() for name, weight in network.weights.items()}
    copied = Network(network.shape, network.weights)
    for name in weights:
        network.weights[name] += 1
    assert all(np.array_equal(copied.weights[name], weights[name]) for name in weights)


class Bomb:
    """Leaves a trace when it is unpickled."""

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


def change_config(file: Path, **changes: Any) -> None:
    config_file = file.with_suffix(".json")
    config = json.loads(config_file.read_text(encoding="utf-8"))
    config_file.write_text(json.dumps({**config, **changes}), encoding="utf-8")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 9}, "format 9, expected 2"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"version": 4}, "made for version 4"),
        ({"observation_size": 3}, "made for observation_size 3"),
        ({"hidden_sizes": [10**9]}, "hidden_sizes is [1000000000], expected 1 to 16 sizes of 1 to 8192"),
        ({"hidden_sizes": "wide"}, "hidden_sizes is 'wide'"),
        ({"hidden_sizes": [12, 9]}, "is (8,), expected (9,)"),
    ],
)
def test_a_network_that_does_not_fit_is_refused(saved: Path, changes: dict[str, Any], message: str) -> None:
    change_config(saved, **changes)
    with pytest.raises(NetworkError) as caught:
        load_network(saved)
    assert message in str(caught.value)


def test_weights_that_are_not_finite_are_refused(saved: Path) -> None:
    weights = load_file(saved)
    weights["0.bias"] = np.full_like(weights["0.bias"], np.nan)
    save_file(weights, saved)
    with pytest.raises(NetworkError, match=r"0\.bias is not made of finite"):
        load_network(saved)


@pytest.mark.parametrize("dtype", ["F8_E4M3", "BF16"])
def test_dtypes_that_numpy_lacks_are_refused(dtype: str, saved: Path) -> None:
    size = {"F8_E4M3": 1, "BF16": 2}[dtype]
    header = json.dumps({"0.bias": {"dtype": dtype, "shape": [1], "data_offsets": [0, size]}}).encode()
    saved.write_bytes(len(header).to_bytes(8, "little") + header + bytes(size))
    with pytest.raises(NetworkError, match="is damaged, or not a safetensors file that numpy can read"):
        load_network(saved)


def test_a_truncated_file_is_refused(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(NetworkError, match="damaged"):
        load_network(saved)


@pytest.mark.parametrize("suffix", [".safetensors", ".json"])
def test_a_pipe_is_refused_at_once(suffix: str, saved: Path) -> None:
    pipe = saved.with_suffix(suffix)
    pipe.unlink()
    os.mkfifo(pipe)  # into which nobody writes
    with pytest.raises(NetworkError, match="is not a file"):
        load_network(saved)
