"""How Portobello Market is thought about: what alleys promise, judgement of positions, styles, scripted players."""

from __future__ import annotations

from agents.portobello_market.deciding import playout, weigh
from agents.portobello_market.insight import INSIGHT, write_insight
from agents.portobello_market.styles import STYLES
from agents.portobello_market.traits import TRAITS
from agents.verbs import Mind, register_mind

register_mind(
    "portobello_market",
    Mind(
        styles=STYLES,
        weigh=weigh,
        playout=playout,
        insight=(INSIGHT.size,),
        traits=len(TRAITS),
        write_insight=write_insight,
        lessons={
            "tables": (512, 64, 448),
            "insight": 3,
            "epochs": 2,
            "rate": 6e-4,  # a game has two hundred decisions, so there are few results to learn from
            "entropy": (0.006, 0.001),  # little is hidden: there is hardly anything to be undecided about
            "margin": 0.3,
        },
    ),
)
