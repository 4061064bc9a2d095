"""A page in the browser, served on this machine only, to play and to watch recorded games. It knows no game's rules."""
