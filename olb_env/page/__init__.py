"""A page in the browser, served on this machine only: play a game, watch recorded ones. It knows no game's rules."""
