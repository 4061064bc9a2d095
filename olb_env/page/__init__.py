"""A page in the browser, served on this machine alone: play a game, watch recorded ones. Knows no game's rules."""
