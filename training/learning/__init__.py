"""Learning by self-play: the learner, whom it plays with, and what is kept of it."""
