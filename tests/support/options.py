"""Seeds and options of every game, as hypothesis draws them for tests of properties."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from olb_env.core.rng import SEED_LIMIT
from olb_env.old_london_bridge.board import MEMORIES
from olb_env.old_london_bridge.components import PLAYERS as BUILDERS
from olb_env.old_london_bridge.components import SCORINGS
from olb_env.portobello_market.components import PLAYERS as STALLHOLDERS
from olb_env.wobbly_bridge.components import PLAYERS as EXPLORERS
from tests.portobello_market.positions import SHORT_BOARD

seeds = st.integers(0, SEED_LIMIT - 1)

OPTIONS: dict[str, st.SearchStrategy[dict[str, Any]]] = {
    "old_london_bridge": st.fixed_dictionaries(
        {
            "num_players": st.sampled_from(BUILDERS),
            "scoring": st.fixed_dictionaries({area: st.sampled_from(names) for area, names in SCORINGS.items()}),
            "memory": st.sampled_from(MEMORIES),
        }
    ),
    "portobello_market": st.fixed_dictionaries(
        {
            "num_players": st.sampled_from(STALLHOLDERS),
            "start_score": st.sampled_from((0, 3, 10)),
            "board": st.sampled_from((None, SHORT_BOARD)),
        }
    ),
    "wobbly_bridge": st.fixed_dictionaries({"num_players": st.sampled_from(EXPLORERS)}),
}
