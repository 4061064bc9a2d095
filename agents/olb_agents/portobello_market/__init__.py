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
            "tables": (192, 32, 800),
            "features": "afterstates",
            "taught": 0,  # it begins by doing what the scout would
            "expecting": 800_000,  # four games at every table
            "epochs": 2,
            "rate": 8e-4,  # a game has two hundred decisions, so there are few results to learn from
            "entropy": (0.004, 0.0005),  # little is hidden: there is hardly anything to be undecided about
            "trust": 0.95,  # not compared alone with other values
            "margin": 0.6,
            "self_share": 0.5,
        },
    ),
)
