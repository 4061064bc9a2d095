"""Environments for learning libraries. Nothing here knows the rules of a game, or any particular agent."""
