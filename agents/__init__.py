"""Agents for the games of olb_env: scripted players with a style, and search. Importing this names them all."""

from __future__ import annotations

from agents import old_london_bridge, portobello_market, wobbly_bridge  # each registers its mind
from agents.policy import register_policies
from agents.scripted import register_scripted
from agents.search import register_search

__all__ = ["old_london_bridge", "portobello_market", "wobbly_bridge"]

register_scripted()
register_search()
register_policies()
