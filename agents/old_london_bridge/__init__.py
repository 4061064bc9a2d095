"""How Old London Bridge is thought about: judgement of positions, styles, scripted players."""

from __future__ import annotations

from agents.old_london_bridge.deciding import playout, weigh
from agents.old_london_bridge.foresight import TRAITS
from agents.old_london_bridge.insight import LEVELS, write_insight
from agents.old_london_bridge.styles import STYLES
from agents.verbs import Mind, register_mind

register_mind(
    "old_london_bridge",
    Mind(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=LEVELS,
        traits=len(TRAITS),
        write_insight=write_insight,
        lessons={"tables": (512, 64, 448), "options": ("scoring=random",)},
    ),
)
