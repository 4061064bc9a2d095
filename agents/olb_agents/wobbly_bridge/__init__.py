"""How The Wobbly Bridge is thought about: judgement of positions, styles, scripted players, and one that mixes."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.wobbly_bridge.action_scores import playout, weigh
from olb_agents.wobbly_bridge.features import LEVELS, write_features
from olb_agents.wobbly_bridge.mixed import register_mixed
from olb_agents.wobbly_bridge.styles import STYLES

register_heuristics(
    "wobbly_bridge",
    Heuristics(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=LEVELS,
        traits=0,
        write_features=write_features,
        training_settings={
            "features": "observation",  # without more, ten times as many games are played
            "self_play_fraction": 0.85,
        },
        mixes=True,
    ),
)
register_mixed()
