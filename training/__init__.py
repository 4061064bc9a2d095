"""Training and measuring agents."""
