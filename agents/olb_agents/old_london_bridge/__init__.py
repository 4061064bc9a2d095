"""How Old London Bridge is thought about: judgement of positions, styles, scripted players."""

from __future__ import annotations

from olb_agents.heuristics import Mind, register_mind
from olb_agents.old_london_bridge.action_scores import playout, weigh
from olb_agents.old_london_bridge.features import LEVELS, write_insight
from olb_agents.old_london_bridge.lookahead import TRAITS
from olb_agents.old_london_bridge.styles import STYLES

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
