"""A slow, readable reference implementation of Old London Bridge.

It is written from the rules alone and shares nothing with the engine. Everything favours readability over speed: each
thing on the table is an object, and the course of the game is a generator that yields one decision after the other.
Section marks such as §6.1 refer to the rules of the game.
"""

from .game import ReferenceGame
from .pieces import ACTIONS

__all__ = ["ACTIONS", "ReferenceGame"]
