"""The arena: who plays whom on which deals, what came of it, and how sure that is."""
