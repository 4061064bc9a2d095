"""The engine that all games share: verbs, batches, records, random streams. Nothing here knows a rule of any game."""
