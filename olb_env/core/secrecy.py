"""The secrecy of actions: how long one stays hidden from the other seats.

Some actions are chosen in secret. Then `secret(state)` is the number of the reveal that will show them, and it keeps
that value until the reveal. An action is therefore hidden exactly as long as `secret` has the value it had when the
action was chosen.
"""

from __future__ import annotations

from olb_env.core.compiling import jitable
from olb_env.core.game import State
from olb_env.core.verbs import secret


@jitable
def still_hidden(reveal: int, state: State) -> bool:
    """Return whether an action is still hidden in `state`; `reveal` is the value of `secret` when it was chosen."""
    return bool(reveal > 0 and secret(state) == reveal)
