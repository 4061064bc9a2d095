"""Old London Bridge as a reinforcement-learning environment, on an engine that carries other games as well."""

from __future__ import annotations

import pettingzoo

from olb_env import old_london_bridge  # importing a game registers it
from olb_env.core.records import RecordError, load_records, replay, save_records

__all__ = ["RecordError", "__version__", "load_records", "old_london_bridge", "replay", "save_records"]
__version__ = "0.1.0"

if "olb_env/old_london_bridge-v0" not in pettingzoo.aec_registry:
    pettingzoo.register("aec", "olb_env/old_london_bridge-v0", "olb_env.old_london_bridge_v0:env")
