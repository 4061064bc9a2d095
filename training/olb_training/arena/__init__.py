"""The arena: tournaments between agents on the same deals, and statistics of the results."""
