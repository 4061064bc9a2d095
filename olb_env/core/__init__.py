"""What every game shares: verbs, batches, records, chance. Nothing here knows a rule of any game."""
