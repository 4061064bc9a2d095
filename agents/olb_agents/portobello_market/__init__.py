"""Heuristics for Portobello Market: evaluation of positions, styles of scripted players, inputs for networks."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.portobello_market.action_scores import playout, score_actions
from olb_agents.portobello_market.afterstates import AFTERSTATES, VALUE
from olb_agents.portobello_market.features import FEATURE_LAYOUT, write_features
from olb_agents.portobello_market.styles import STYLES

INITIAL_VALUE_WEIGHT = 2.25  # an action that is three points better than another is nearly always chosen

register_heuristics(
    "portobello_market",
    Heuristics(
        styles=STYLES,
        score_actions=score_actions,
        playout=playout,
        feature_sizes=(FEATURE_LAYOUT.size,),
        afterstate_size=len(AFTERSTATES),
        initial_afterstate_weights=tuple(INITIAL_VALUE_WEIGHT * (name == VALUE) for name in AFTERSTATES),
        write_features=write_features,
        default_style="scout",
        training_settings={
            "num_envs": (192, 32, 800),
            "features": "afterstates",
            "imitation_timesteps": 0,  # its initial policy is nearly that of the scout
            "value_warmup_timesteps": 800_000,  # four games at every table
            "update_epochs": 2,
            "learning_rate": 8e-4,  # a game has two hundred decisions, so there are few outcomes to learn from
            "ent_coef": (0.004, 0.0005),  # little is hidden, so there is hardly a reason to mix actions
            "gae_lambda": 0.95,  # not tuned on its own
            "margin_coef": 0.6,
            "self_play_fraction": 0.5,
        },
    ),
)
