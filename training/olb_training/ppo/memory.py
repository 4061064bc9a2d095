"""How much memory a run needs, so that one that needs too much is refused before it begins."""

from __future__ import annotations

import math

from olb_env.core.game import find
from olb_training.ppo.bounds import GIB, machine_memory
from olb_training.ppo.settings import Settings

FLOAT = 4
PROCESS = 150 * 2**20  # bytes of a worker process before it learns anything
# How many times over a process holds the weights of the learner: gradients, both means of Adam, and copies.
WEIGHTS_PER_LEARNER = 12
# And how many times over the first process holds all past selves while it writes a checkpoint.
POOL_IN_CHECKPOINT = 4


def check_memory(settings: Settings) -> None:
    """Raise ValueError if a run needs more memory than this machine has; the error names what to lower."""
    needed, there = memory_needed(settings), machine_memory()
    if (total := sum(needed.values())) > there:
        raise ValueError(
            f"these settings need about {_gib(total)} of memory, and this machine has {_gib(there)}: "
            f"lower {max(needed, key=lambda name: needed[name])}"
        )


def memory_needed(settings: Settings) -> dict[str, int]:
    """Return the bytes that a run needs at most, by the setting that they grow with."""
    shape, game = settings.network_shape(), find(settings.game)
    weights = FLOAT * sum(map(math.prod, shape.tensors().values()))
    actions = shape.num_actions
    decision = FLOAT * (shape.inputs + 3 * shape.num_seats + 8) + actions
    if settings.imitation_timesteps:
        decision += FLOAT * actions
    units = sum(shape.hidden_sizes) + shape.outputs
    rollout = settings.timesteps_per_iteration()
    at_once = max(min(settings.minibatch_size, rollout), sum(settings.num_envs))
    return {
        "hidden_sizes": weights * WEIGHTS_PER_LEARNER * settings.workers,
        "pool_size": weights * settings.pool_size * (settings.workers + POOL_IN_CHECKPOINT),
        "num_steps or num_envs": rollout * decision
        + sum(settings.num_envs) * (3 * game.rules.dtype.itemsize + 2 * FLOAT * shape.inputs),
        "minibatch_size": at_once * FLOAT * (2 * shape.inputs + 6 * units),
        "workers": settings.workers * PROCESS,
    }


def _gib(size: int) -> str:
    return f"{size / GIB:,.1f} GiB"
