"""How The Wobbly Bridge is thought about: judgement of positions, styles, scripted players, and one that mixes."""

from __future__ import annotations

from agents.verbs import Mind, register_mind
from agents.wobbly_bridge.deciding import playout, weigh
from agents.wobbly_bridge.insight import LEVELS, write_insight
from agents.wobbly_bridge.mixed import register_mixed
from agents.wobbly_bridge.styles import STYLES

register_mind(
    "wobbly_bridge",
    Mind(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=LEVELS,
        traits=0,
        write_insight=write_insight,
        lessons={"insight": 0, "self_share": 0.85},  # without insight it sees ten times the games
        mixes=True,
    ),
)
register_mixed()
