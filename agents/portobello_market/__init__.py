"""How Portobello Market is thought about: what alleys promise, judgement of positions, styles, scripted players."""

from __future__ import annotations

from agents.portobello_market.deciding import playout, weigh
from agents.portobello_market.insight import LEVELS, TRAITS, write_insight
from agents.portobello_market.styles import STYLES
from agents.verbs import Mind, register_mind

register_mind(
    "portobello_market",
    Mind(styles=STYLES, weigh=weigh, playout=playout, insight=LEVELS, traits=len(TRAITS), write_insight=write_insight),
)
