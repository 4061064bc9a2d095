"""Agents: what one is, what it sees, how it is named, and how a table of agents plays a game to its end."""

from olb_env.playing.decisions import AgentError, decide
from olb_env.playing.match import Match, play_game, play_games
from olb_env.playing.protocols import (
    Agent,
    BatchAgent,
    EvaluatingAgent,
    Evaluation,
    GameCheckingAgent,
    SoftTeacher,
)
from olb_env.playing.random_agent import RandomAgent
from olb_env.playing.registry import (
    agent_for,
    agent_names,
    is_registered,
    make_agent,
    register_agent,
    seat_opponents,
)
from olb_env.playing.views import View, Views, seat_keys

__all__ = [
    "Agent",
    "AgentError",
    "BatchAgent",
    "EvaluatingAgent",
    "Evaluation",
    "GameCheckingAgent",
    "Match",
    "RandomAgent",
    "SoftTeacher",
    "View",
    "Views",
    "agent_for",
    "agent_names",
    "decide",
    "is_registered",
    "make_agent",
    "play_game",
    "play_games",
    "register_agent",
    "seat_keys",
    "seat_opponents",
]
