"""Learning by self-play: the learner, whom it plays with, and what is kept of it."""

import os

# Before torch is imported: its threads sleep while they wait. Else, where something else runs on the same cores, they
# take time from each other, and learning is four times slower.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
