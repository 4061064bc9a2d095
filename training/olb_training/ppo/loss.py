"""PPO's clipped loss, with a value for every seat, and the loss of imitation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import torch
from torch import Tensor

from olb_training.ppo.model import ActorCritic, mask_logits
from olb_training.ppo.rollout_buffer import RolloutBuffer

STATISTICS: Final = ("policy_loss", "value_loss", "entropy", "approx_kl", "clip_fraction")
MIN_LOG_PROB = -1e4  # an illegal action has a probability of 0, and 0 times its logarithm must be 0


@dataclass(frozen=True)
class PPOLoss:
    """The loss of one iteration; a minibatch is a set of rows of the flattened rollout [T * B]."""

    model: ActorCritic
    buffer: RolloutBuffer
    seat_exists: Tensor  # [B, P] 1 for the seats of each table, 0 beyond its size
    advantage_mean: float  # over all workers
    advantage_std: float
    clip_coef: float
    ent_coef: float
    vf_coef: float
    others_vf_coef: float
    imitate: bool  # learn the teacher's policy by cross-entropy, instead of by PPO's policy loss
    values_only: bool  # learn only values; the shared hidden layers still change the policy a little

    def gradients(self, rows: Tensor) -> tuple[Sequence[Tensor], Tensor]:
        """Return the gradient of every parameter over some rows, and the `STATISTICS` of these rows."""
        buffer, parameters = self.buffer, list(self.model.parameters())
        if not len(rows):
            return [torch.zeros_like(parameter) for parameter in parameters], torch.zeros(len(STATISTICS))
        logits, values = self.model(buffer.inputs.flatten(0, 1)[rows])
        log_probs = torch.log_softmax(mask_logits(logits, buffer.masks.flatten(0, 1)[rows]), dim=1)
        chosen = log_probs.gather(1, buffer.actions.flatten()[rows][:, None])[:, 0]
        entropy = -(log_probs.exp() * log_probs.clamp(min=MIN_LOG_PROB)).sum(1).mean()
        if self.imitate:
            policy_loss, approx_kl, clip_fraction = self._cross_entropy(log_probs, rows), *torch.zeros(2)
            loss = policy_loss
        else:
            policy_loss, approx_kl, clip_fraction = self._clipped_surrogate(chosen, rows)
            loss = (policy_loss - self.ent_coef * entropy) * (not self.values_only)
        value_loss = self._value_loss(values, rows)
        gradients = torch.autograd.grad(loss + self.vf_coef * value_loss, parameters)
        return gradients, torch.stack([policy_loss, value_loss, entropy, approx_kl, clip_fraction]).detach()

    def _cross_entropy(self, log_probs: Tensor, rows: Tensor) -> Tensor:
        teacher_probs = self.buffer.teacher_probs.flatten(0, 1)[rows]
        return -(teacher_probs * log_probs.clamp(min=MIN_LOG_PROB)).sum(1).mean()

    def _clipped_surrogate(self, chosen: Tensor, rows: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return PPO's policy loss, the approximate KL divergence, and the fraction of ratios beyond the clip range.

        `chosen` are the log probabilities of the actions taken.
        """
        buffer = self.buffer
        log_ratio = chosen - buffer.log_probs.flatten()[rows]
        ratio = log_ratio.exp()
        advantages = (buffer.advantages.flatten()[rows] - self.advantage_mean) / self.advantage_std
        clipped = ratio.clamp(1 - self.clip_coef, 1 + self.clip_coef)
        loss = -torch.min(ratio * advantages, clipped * advantages).mean()
        with torch.no_grad():
            approx_kl = ((ratio - 1) - log_ratio).mean()
            clip_fraction = ((ratio - 1).abs() > self.clip_coef).float().mean()
        return loss, approx_kl, clip_fraction

    def _value_loss(self, values: Tensor, rows: Tensor) -> Tensor:
        errors = (values - self.buffer.value_targets.flatten(0, 1)[rows]).square()
        errors = errors * self.seat_exists[rows % len(self.seat_exists)]
        return (errors[:, 0] + self.others_vf_coef * errors[:, 1:].sum(1)).mean()
