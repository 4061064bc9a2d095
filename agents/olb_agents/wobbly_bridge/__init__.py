"""Heuristics for The Wobbly Bridge: evaluation of positions, scripted players, one that randomizes, network inputs."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.wobbly_bridge.action_scores import playout, score_actions
from olb_agents.wobbly_bridge.features import FEATURE_SIZES, write_features
from olb_agents.wobbly_bridge.mixed_agent import register_mixed
from olb_agents.wobbly_bridge.styles import STYLES

register_heuristics(
    "wobbly_bridge",
    Heuristics(
        styles=STYLES,
        score_actions=score_actions,
        playout=playout,
        feature_sizes=FEATURE_SIZES,
        afterstate_size=0,
        write_features=write_features,
        training_settings={
            "features": "observation",  # without more, ten times as many games are played
            "self_play_fraction": 0.85,
        },
        randomizes_secrets=True,
    ),
)
register_mixed()
