"""How Portobello Market is thought about: what alleys promise, judgement of positions, styles, scripted players."""

from __future__ import annotations

from olb_agents.heuristics import Heuristics, register_heuristics
from olb_agents.portobello_market.action_scores import playout, weigh
from olb_agents.portobello_market.afterstates import JUDGEMENT, TRAITS
from olb_agents.portobello_market.features import INSIGHT, write_features
from olb_agents.portobello_market.styles import STYLES

JUDGED = 2.25  # what is three points better than another answer is chosen nearly always

register_heuristics(
    "portobello_market",
    Heuristics(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=(INSIGHT.size,),
        traits=len(TRAITS),
        initial_afterstate_weights=tuple(
            JUDGED * (name == JUDGEMENT) for name in TRAITS
        ),  # at first it does as the scout does
        write_features=write_features,
        adviser="scout",
        training_settings={
            "num_envs": (192, 32, 800),
            "features": "afterstates",
            "imitation_timesteps": 0,  # its initial policy is nearly that of the scout
            "value_warmup_timesteps": 800_000,  # four games at every table
            "update_epochs": 2,
            "learning_rate": 8e-4,  # a game has two hundred decisions, so there are few outcomes to learn from
            "ent_coef": (0.004, 0.0005),  # little is hidden, so there is hardly a reason to mix actions
            "gae_lambda": 0.95,  # this value was not compared alone with others
            "margin_coef": 0.6,
            "self_play_fraction": 0.5,
        },
    ),
)
