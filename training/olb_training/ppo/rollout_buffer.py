"""The decisions of one rollout: T steps, B tables, P seats of the largest table, D inputs, A actions."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from olb_agents.network import Shape


@dataclass
class RolloutBuffer:
    """Everything that one update learns from."""

    inputs: Tensor  # [T, B, D] observation and features
    masks: Tensor  # [T, B, A] legal actions
    teacher_probs: Tensor  # [T, B, A] policy of the teacher; A is 0 without imitation
    actions: Tensor  # [T, B] sampled from the learner's policy
    log_probs: Tensor  # [T, B] of these actions when they were sampled
    advantages: Tensor  # [T, B]
    values: Tensor  # [T, B, P] when the actions were sampled, the deciding seat first
    value_targets: Tensor  # [T, B, P] in the same order
    utilities: Tensor  # [T, B, P] of games that ended with the step, by seat
    seats: Tensor  # [T, B] the deciding seat
    is_learner: Tensor  # [T, B] whether the learner holds that seat
    dones: Tensor  # [T, B] whether the game ended with the step

    @classmethod
    def zeros(cls, num_steps: int, num_tables: int, shape: Shape, *, imitation: bool = False) -> RolloutBuffer:
        """Return an empty buffer."""
        size = (num_steps, num_tables)
        return cls(
            inputs=torch.zeros(*size, shape.inputs),
            masks=torch.zeros(*size, shape.num_actions, dtype=torch.int8),
            teacher_probs=torch.zeros(*size, shape.num_actions if imitation else 0),
            actions=torch.zeros(*size, dtype=torch.int64),
            log_probs=torch.zeros(size),
            advantages=torch.zeros(size),
            values=torch.zeros(*size, shape.num_seats),
            value_targets=torch.zeros(*size, shape.num_seats),
            utilities=torch.zeros(*size, shape.num_seats),
            seats=torch.zeros(*size, dtype=torch.int64),
            is_learner=torch.zeros(*size, dtype=torch.bool),
            dones=torch.zeros(*size, dtype=torch.bool),
        )
