"""Heuristics for Old London Bridge: evaluation of positions, styles of scripted players, inputs for networks."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.old_london_bridge.action_scores import playout, score_actions
from olb_agents.old_london_bridge.features import FEATURE_SIZES, write_features
from olb_agents.old_london_bridge.lookahead import AFTERSTATES
from olb_agents.old_london_bridge.styles import STYLES

register_heuristics(
    "old_london_bridge",
    Heuristics(
        styles=STYLES,
        score_actions=score_actions,
        playout=playout,
        feature_sizes=FEATURE_SIZES,
        afterstate_size=len(AFTERSTATES),
        write_features=write_features,
        training_settings={"num_envs": (512, 64, 448), "env_kwargs": ("scoring=random",)},
    ),
)
