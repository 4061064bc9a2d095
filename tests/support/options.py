"""Seeds and options of every game, as hypothesis draws them for tests of properties."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from olb_env.core.rng import SEED_LIMIT
from olb_env.core.rulings import Rulings
from olb_env.old_london_bridge.board import MEMORIES
from olb_env.old_london_bridge.components import PLAYERS as BUILDERS
from olb_env.old_london_bridge.components import SCORINGS
from olb_env.portobello_market.components import PLAYERS as STALLHOLDERS
from olb_env.portobello_market.components import RULINGS as MARKET_RULINGS
from olb_env.wobbly_bridge.components import PLAYERS as EXPLORERS
from olb_env.wobbly_bridge.components import RULINGS as BRIDGE_RULINGS
from tests.portobello_market.positions import PARALLEL_PLAN, SHORT_BOARD

seeds = st.integers(0, SEED_LIMIT - 1)


def some_rulings(rulings: Rulings) -> st.SearchStrategy[dict[str, str]]:
    return st.fixed_dictionaries({}, optional={name: st.sampled_from(one.values) for name, one in rulings.items()})


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
            "board": st.sampled_from((None, SHORT_BOARD, PARALLEL_PLAN)),
            "rulings": some_rulings(MARKET_RULINGS),
        }
    ),
    "wobbly_bridge": st.fixed_dictionaries(
        {"num_players": st.sampled_from(EXPLORERS), "rulings": some_rulings(BRIDGE_RULINGS)}
    ),
}
