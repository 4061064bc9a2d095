"""Games as environments: what learning libraries call. Nothing here knows the rules of a game, or any agent."""
