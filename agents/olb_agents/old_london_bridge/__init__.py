"""How Old London Bridge is thought about: judgement of positions, styles, scripted players."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.old_london_bridge.action_scores import playout, weigh
from olb_agents.old_london_bridge.features import LEVELS, write_features
from olb_agents.old_london_bridge.lookahead import TRAITS
from olb_agents.old_london_bridge.styles import STYLES

register_heuristics(
    "old_london_bridge",
    Heuristics(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=LEVELS,
        traits=len(TRAITS),
        write_features=write_features,
        training_settings={"num_envs": (512, 64, 448), "env_kwargs": ("scoring=random",)},
    ),
)
