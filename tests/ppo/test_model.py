"""The network in torch is the network in numpy, and actions are sampled from its policy."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from olb_agents.network import Network, Shape
from olb_env.core.game import find
from olb_training.ppo.loss import STATISTICS, PPOLoss
from olb_training.ppo.model import ActorCritic, mask_logits, sample_actions
from olb_training.ppo.rollout_buffer import RolloutBuffer
from olb_training.ppo.widen import can_widen, widen


@pytest.mark.parametrize("features", ["observation", "afterstates"])
def test_it_has_the_outputs_of_the_network_that_plays(features: str) -> None:
    shape = Shape.of_game(find("portobello_market"), (16, 8), features)
    rng = np.random.default_rng(3)
    weights = {name: rng.normal(size=size).astype(np.float32) for name, size in shape.tensors().items()}
    network, inputs = Network(shape, weights), rng.random((5, shape.inputs), np.float32)
    model = ActorCritic.of_network(network)
    with torch.no_grad():
        outputs = model(torch.from_numpy(inputs))
    for ours, expected in zip(outputs, network(inputs), strict=True):
        np.testing.assert_allclose(ours.numpy(), expected, rtol=1e-4, atol=1e-4)
    copy = model.to_network()
    assert all((copy.weights[name] == weight).all() for name, weight in weights.items())


def test_a_wider_network_with_more_features_has_the_same_outputs() -> None:
    game = find("portobello_market")
    old, new = Shape.of_game(game, (8, 4), "observation"), Shape.of_game(game, (16, 12), "afterstates")
    assert can_widen(old, new)
    assert not can_widen(new, old)
    rng = np.random.default_rng(3)
    network = Network(old, {name: rng.normal(size=size) for name, size in old.tensors().items()})
    inputs = rng.random((5, new.inputs), np.float32)
    for wide, narrow in zip(
        widen(network, new)(inputs), network(inputs[:, : old.observation_size].copy()), strict=True
    ):
        np.testing.assert_allclose(wide, narrow, rtol=1e-3, atol=1e-4)


def test_illegal_actions_have_no_probability() -> None:
    logits = torch.tensor([[5.0, 1.0, 1.0]])
    probs = torch.softmax(mask_logits(logits, torch.tensor([[0, 1, 1]])), dim=1)
    assert probs.tolist() == [[0, 0.5, 0.5]]


def test_actions_are_sampled_from_the_softmax_of_legal_logits() -> None:
    probs = np.array([0.5, 0.3, 0.2, 0.0])
    logits = np.tile(np.log(np.maximum(probs, 1e-9)), (20_000, 1)).astype(np.float32)
    masks = np.tile([1, 1, 1, 0], (20_000, 1))
    logits[:, 3] = 50  # large, but not legal
    drawn = np.bincount(sample_actions(logits, masks, np.random.default_rng(2)), minlength=4) / 20_000
    np.testing.assert_allclose(drawn, probs, atol=0.015)


def make_loss(**changes: object) -> PPOLoss:
    """Return the loss of one decision, whose action now is twice as likely as when it was sampled."""
    shape = Shape.of_game(find("pebbles"), (4,), "observation")
    model, buffer = ActorCritic(shape), RolloutBuffer.zeros(1, 1, shape)
    buffer.masks[:] = 1
    with torch.no_grad():
        logits, _ = model(buffer.inputs[0])
    buffer.log_probs[0, 0] = torch.log_softmax(logits, dim=1)[0, 0] - np.log(2)
    buffer.advantages[0, 0] = 3.0
    parts = {
        "seat_exists": torch.tensor([[1.0, 1.0, 0.0]]), "advantage_mean": 1.0, "advantage_std": 2.0, "clip_coef": 0.2,
        "ent_coef": 0.0, "vf_coef": 0.5, "others_vf_coef": 0.25, "imitate": False, "values_only": False,
    }  # fmt: skip
    return PPOLoss(model, buffer, **{**parts, **changes})  # type: ignore[arg-type]


def statistics(loss: PPOLoss) -> dict[str, float]:
    return dict(zip(STATISTICS, loss.gradients(torch.tensor([0]))[1].tolist(), strict=True))


def test_the_policy_loss_is_clipped() -> None:
    """The ratio is 2, and the normalised advantage 1: the surrogate stops at 1.2."""
    found = statistics(make_loss())
    assert found["policy_loss"] == pytest.approx(-1.2)
    assert found["approx_kl"] == pytest.approx(1 - np.log(2))
    assert found["clip_fraction"] == 1
    assert statistics(make_loss(clip_coef=2.0))["policy_loss"] == pytest.approx(-2)


def test_the_policy_loss_is_reported_without_the_entropy_bonus() -> None:
    plain, with_bonus = make_loss(), make_loss(ent_coef=1.0)
    with_bonus.model.load_state_dict(plain.model.state_dict())
    (gradients, found), (others, reported) = (loss.gradients(torch.tensor([0])) for loss in (plain, with_bonus))
    assert reported.tolist() == found.tolist()
    assert not torch.equal(gradients[-1], others[-1])


def test_a_loss_of_values_only_has_no_gradient_for_logits() -> None:
    loss = make_loss(values_only=True, clip_coef=2.0)
    loss.buffer.value_targets[0] = 1
    gradients, _ = loss.gradients(torch.tensor([0]))
    num_actions = loss.model.shape.num_actions
    assert not gradients[-1][:num_actions].any()
    assert gradients[-1][num_actions:].any()
    assert make_loss(clip_coef=2.0).gradients(torch.tensor([0]))[0][-1][:num_actions].any()


def test_the_value_loss_counts_the_seats_that_exist() -> None:
    loss = make_loss()
    with torch.no_grad():
        _, values = loss.model(loss.buffer.inputs[0])
    loss.buffer.value_targets[0] = values + torch.tensor([1.0, 2.0, 5.0])
    assert statistics(loss)["value_loss"] == pytest.approx(1 + 0.25 * 4)


def test_an_empty_minibatch_has_no_gradient() -> None:
    gradients, found = make_loss().gradients(torch.zeros(0, dtype=torch.int64))
    assert not any(gradient.any() for gradient in gradients)
    assert not found.any()
