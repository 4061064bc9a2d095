"""What follows from a position, for networks: how far each own card takes everybody, and how that looks to the planner.

The first part is seen by trying every card while the others pick any of theirs; the second, which takes longer, is with
what chances the cards should be drawn (`mixing.py`). A seat is told only what follows from what it knows.
"""

from __future__ import annotations

from typing import Any, Final

from olb_agents.wobbly_bridge.action_scores import WORLDS, imagine, try_card, weigh
from olb_agents.wobbly_bridge.evaluation import judge
from olb_agents.wobbly_bridge.regret_matching import chances_of, mix_table, room_to_mix
from olb_env.core.compiling import rule
from olb_env.core.game import State
from olb_env.core.layout import Field, Layout
from olb_env.wobbly_bridge.components import CARDS, EAST_END, MOST_PLAYERS, PLAYERS, WEST_END
from olb_env.wobbly_bridge.legal_actions import legal_set
from olb_env.wobbly_bridge.state import OVER

A, P = len(CARDS), MOST_PLAYERS
STEPS_UNIT: Final = 4.0
ROUNDS: Final = 60  # of mixing

OF_CARDS: Final = (
    Field("steps", (A, P), STEPS_UNIT, EAST_END - WEST_END, "steps east of each explorer, the own first, by own card"),
    Field("over", (A,), 1, 1, "how likely the game is over then"),
    Field("result", (A,), 1, 1, "how the planner judges that, from -1 for the last rank to 1 for the first"),
)
MIX: Final = (Field("mix", (A,), 1, 1, "with what chances the cards should be drawn"),)
INSIGHT: Final = Layout([("own", OF_CARDS), ("own", MIX)])
LEVELS: Final = (INSIGHT["own.mix"].start, INSIGHT.size)  # of insight: without what takes longer, and with it

AT_STEPS: Final = INSIGHT["own.steps"].start
AT_OVER: Final = INSIGHT["own.over"].start
AT_RESULT: Final = INSIGHT["own.result"].start
AT_MIX: Final = INSIGHT["own.mix"].start


@rule
def write_features(game: State, seat: int, style: Any, scratch: Any, numbers: Any, out: Any, traits: Any) -> None:
    """Of all cards that a seat may choose; zero of others. There are no traits."""
    out[:] = 0
    if game.phase == OVER:
        return
    found = legal_set(game, seat)
    for number in range(WORLDS):
        scratch[0] = game
        chance = imagine(scratch[0], seat, number)
        for card in range(A):
            if (found >> card) & 1:
                _add_try(game, seat, card, style, chance, scratch, numbers, out)
    if found != 0 and out.shape[0] == LEVELS[1]:
        regrets, drawn = room_to_mix()
        mix_table(game, ROUNDS, style, scratch, numbers, regrets, drawn)
        chances_of(game, seat, drawn, out[AT_MIX:])
    weigh(game, seat, style, scratch, numbers)


@rule
def _add_try(game: State, seat: int, card: int, style: Any, chance: int, scratch: Any, numbers: Any, out: Any) -> None:
    """What becomes of a card in the imagined `scratch[0]`, as one of `WORLDS`."""
    own = style[int(game.players) - PLAYERS[0]]
    try_card(scratch[0], seat, card, own, chance, scratch[1:], numbers)
    tried = scratch[1]
    for i in range(game.players):
        other = (seat + i) % int(game.players)
        steps = int(tried.seats[other].space) - int(game.seats[other].space)
        out[AT_STEPS + card * P + i] += steps / (WORLDS * STEPS_UNIT)
    out[AT_OVER + card] += (tried.phase == OVER) / WORLDS
    out[AT_RESULT + card] += judge(tried, seat, own, numbers) / WORLDS
