"""How long an action stays hidden from the other seats: the one place that knows.

Some questions are answered in secret. `secret(state)` is then the number of the reveal that the answer waits for, and
it stays the same until that reveal. So an action is hidden exactly while the number it was chosen under still stands.
"""

from __future__ import annotations

from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.verbs import secret


@rule
def still_hidden(reveal: int, state: State) -> bool:
    """Return whether an action is hidden in `state`, where `reveal` is what `secret` was before it was chosen."""
    return bool(reveal > 0 and secret(state) == reveal)
