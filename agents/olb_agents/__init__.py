"""Agents for the games of olb_env: scripted players, search and trained networks. Importing this registers them all.

A game with heuristics has a folder of its name here, which registers them.
"""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from olb_agents.policy_agent import register_policies
from olb_agents.scripted import register_scripted
from olb_agents.search_agent import register_search
from olb_env.core.game import game_names

for _name in game_names():
    if find_spec(f"{__name__}.{_name}") is not None:
        import_module(f"{__name__}.{_name}")

register_scripted()
register_search()
register_policies()
