"""Masked PPO by self-play: the learner, its opponents, its runs and their checkpoints.

It is independent of the rules of any game.
"""

import os

# Set before torch is imported: its threads sleep while they wait. Otherwise they take time from other processes on the
# same cores, and learning is four times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
