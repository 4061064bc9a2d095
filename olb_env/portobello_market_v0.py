"""# Portobello Market

Two to four stallholders share a market of alleys, plazas and districts. A token says how many actions a turn has: a
stall into an alley around the policeman's district, or a customer onto any plaza. The policeman, called the Bobby, is
led from district to district for a toll. An alley that is full, with a customer at each end, pays for its lots. Instead
of acting a player may mark a district for the stalls around it. Most points win.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/portobello_market-v0")`, after `import olb_env` |
| or | `from olb_env import portobello_market_v0; portobello_market_v0.env()` |
| Agents | `player_0` … `player_3`, or fewer |
| Actions | `Discrete(97)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: one agent decides at a time |
| Rendering | `render_mode`: `"ansi"` text, `"svg"` a drawing, `"rgb_array"` its pixels, `"human"` a window |

## Arguments

```python
portobello_market_v0.env(
    num_players=4,        # 2, 3 or 4
    customers="hidden",   # "hidden", or "open": everybody knows the order of the bag
    start_score=10,       # points that everybody begins with
    reward="rank",        # "rank", "win" or "points"
    board=None,           # parts of the board to replace, see below
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`board` replaces parts of the board: `plazas` (where each is drawn, `[x, y]` from 0 to 120), `alleys` (each
`{"ends": ["P1", "P2"], "values": [3, 1, 3]}`, two to six lots worth 1 to 9) and `districts` (the three alleys around
each, which meet at three plazas; an alley has one or two districts beside it). Each is a list of all, or a mapping of
those to replace: `{"A1": {...}}`. Stalls are named after the plazas of their alley, so on another plan of the market
actions 39 to 82 have other words. A board that makes no sense is refused with the reason. Records do not tell where
plazas are drawn, and observations do not tell the plan.

`reset(seed=7)` deals the same game on every machine. Without a seed, the following game of the last seed is dealt.
`reset(options={...})` takes `customers`, `start_score` and `board` for one game; keys it does not know are left to
wrappers.

## Decisions

The environment asks one question at a time, and never one with a single answer. First the seat before the start player
puts the Bobby into a district. In a turn a player chooses a token or a mark; with a token it is asked for each action
and each step of the Bobby, for the plaza of a customer it drew, and once more after its last action while the Bobby
could still move. Between two actions of a turn the Bobby does not go back to where he has been; each turn begins anew
with that. Actions must be taken while any can be: `done` is offered before that only where nothing can be placed
and no way that can be paid leads to a free lot. A random game asks about 236, 217 and 222 questions with four, three
and two players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0–2 | `token 1` … `token 3` | use the token that is, or replaced, one's own 2, 3 or 4: so many actions |
| 3–14 | `mark D1 2` … `mark D12 2` | mark that district with one's own 2 instead of taking actions |
| 15–26 | `mark D1 4` … `mark D12 4` | mark it with one's own 4 |
| 27–38 | `bobby D1` … `bobby D12` | move the Bobby there; before the first turn: put him there |
| 39–82 | `stall A1 P1` … `stall A22 P11` | put a stall into that alley, which fills from that end |
| 83 | `draw` | draw a customer |
| 84–94 | `plaza P1` … `plaza P11` | put the customer drawn on that plaza |
| 95 | `lord` | put the Lord on the last free plaza |
| 96 | `done` | end the turn: no action is left, or none can be taken |
<!-- end of actions -->

`env` ends the game for an agent that chooses an illegal action, as PettingZoo's own games do, with -1, or with the
worst loss there can be on the printed board if the reward is `points`. `raw_env` raises `ValueError` and leaves the game
as it was. What is no action at all (97, -1, 1.5, "done") is a `ValueError` in both.

## Observations

`{"observation": float32, "action_mask": int8[97]}`. The observation has the same length and meaning for two, three and
four players: the table, the own seat, then the others in seat order (`next1`, `next2`, `next3`), absent seats all zero.
Numbers are divided by the unit given; named slices are in `olb_env.portobello_market.OBSERVATION`, for example
`OBSERVATION["own.stalls"]`. The mask is all zero for agents that are not asked.

All is public but the order of the bag, which is in the observation only with `customers="open"`. Of a board of one's
own the observation tells how many lots are free and what the next ones are worth; the rest is what the caller chose.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0–21 | `table.alley.filled` | 22 | 6 | 1 | stalls in each alley |
| 22–43 | `table.alley.free` | 22 | 6 | 1 | free lots in it |
| 44–87 | `table.alley.offer` | 22×2 | 3 | 3 | value of the lot that the next stall from either end takes, 0: none |
| 88–109 | `table.alley.scored` | 22 | 1 | 1 | the alley is full between two customers and has been scored |
| 110–121 | `table.marked` | 12 | 1 | 1 | districts somebody has marked |
| 122–133 | `table.barred` | 12 | 1 | 1 | districts the Bobby has been in since the last action: he does not go back there |
| 134–135 | `table.bag` | 2 | 5 | 1 | servants and burghers still in the bag |
| 136 | `table.actions_left` | 1 | 4 | 1 | actions still to be taken in this turn |
| 137 | `table.neutral_left` | 1 | 8 | 1 | neutral tokens not taken yet |
| 138 | `table.neutral_next` | 1 | 3 | 1 | value of the top one, 0 for none |
| 139 | `table.quiet` | 1 | 1 | 1 | nobody has marked or placed anything in this round yet |
| 140 | `table.last_round` | 1 | 1 | 1 | somebody has placed its last stall: the game ends with this round |
| 141–143 | `table.players` | 3 | 1 | 1 | 2, 3 or 4 players |
| 144–147 | `table.phase` | 4 | 1 | 1 | the question: setup, turn, act, plaza; none when the game is over |
| 148–151 | `table.actor` | 4 | 1 | 1 | who is asked, counted from the own seat |
| 152–155 | `table.start_player` | 4 | 1 | 1 | who begins each round, counted from the own seat |
| 156–167 | `table.bobby` | 12 | 1 | 1 | the district the Bobby stands in; none before he is placed |
| 168–200 | `table.plaza` | 11×3 | 1 | 1 | who stands on each plaza: servant, burgher, Lord |
| 201–202 | `table.drawn` | 2 | 1 | 1 | the customer that waits for a plaza: servant, burgher |
| 203 | `table.open` | 1 | 1 | 1 | the order of the bag is known |
| 204–223 | `table.coming` | 10×2 | 1 | 1 | if so, the next customers in order: servant, burgher; none where the bag ends |
| 224 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 225 | `own.hand` | 1 | 20 | 1.5 | stalls not placed yet |
| 226–247 | `own.stalls` | 22 | 3 | 2 | stalls in each alley |
| 248–269 | `own.worth` | 22 | 6 | 9 | sum of the values of their lots |
| 270–281 | `own.mark` | 12 | 4 | 1 | districts marked: the 2 or the 4 that lies there |
| 282–284 | `own.token.value` | 3 | 4 | 1 | tokens in the slots of the 2, the 3 and the 4 |
| 285–287 | `own.token.up` | 3 | 1 | 1 | these are face up |
| 288–290 | `own.token.own` | 3 | 1 | 1 | these are the player's own, not neutral |
| 291 | `own.score` | 1 | 100 | 93.3 | points |
| 292 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 293 | `next1.hand` | 1 | 20 | 1.5 | stalls not placed yet |
| 294–315 | `next1.stalls` | 22 | 3 | 2 | stalls in each alley |
| 316–337 | `next1.worth` | 22 | 6 | 9 | sum of the values of their lots |
| 338–349 | `next1.mark` | 12 | 4 | 1 | districts marked: the 2 or the 4 that lies there |
| 350–352 | `next1.token.value` | 3 | 4 | 1 | tokens in the slots of the 2, the 3 and the 4 |
| 353–355 | `next1.token.up` | 3 | 1 | 1 | these are face up |
| 356–358 | `next1.token.own` | 3 | 1 | 1 | these are the player's own, not neutral |
| 359 | `next1.score` | 1 | 100 | 93.3 | points |
| 360 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 361 | `next2.hand` | 1 | 20 | 1.5 | stalls not placed yet |
| 362–383 | `next2.stalls` | 22 | 3 | 2 | stalls in each alley |
| 384–405 | `next2.worth` | 22 | 6 | 9 | sum of the values of their lots |
| 406–417 | `next2.mark` | 12 | 4 | 1 | districts marked: the 2 or the 4 that lies there |
| 418–420 | `next2.token.value` | 3 | 4 | 1 | tokens in the slots of the 2, the 3 and the 4 |
| 421–423 | `next2.token.up` | 3 | 1 | 1 | these are face up |
| 424–426 | `next2.token.own` | 3 | 1 | 1 | these are the player's own, not neutral |
| 427 | `next2.score` | 1 | 100 | 93.3 | points |
| 428 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 429 | `next3.hand` | 1 | 20 | 1.5 | stalls not placed yet |
| 430–451 | `next3.stalls` | 22 | 3 | 2 | stalls in each alley |
| 452–473 | `next3.worth` | 22 | 6 | 9 | sum of the values of their lots |
| 474–485 | `next3.mark` | 12 | 4 | 1 | districts marked: the 2 or the 4 that lies there |
| 486–488 | `next3.token.value` | 3 | 4 | 1 | tokens in the slots of the 2, the 3 and the 4 |
| 489–491 | `next3.token.up` | 3 | 1 | 1 | these are face up |
| 492–494 | `next3.token.own` | 3 | 1 | 1 | these are the player's own, not neutral |
| 495 | `next3.score` | 1 | 100 | 93.3 | points |
<!-- end of observation -->

## Rewards

Only at the end, for everybody at once, and they sum to zero. `rank`: from +1 for the first to -1 for the last in equal
steps. `win`: +1 for the winner, -1 / (n - 1) for the others. `points`: the own points less the mean of the others',
divided by 10. Seats that share a rank share what their places would bring.

## Infos

Empty while the game is on. At the end `scores` and `rank` of all seats; rank 1 is best, equal points share it.

## Beyond PettingZoo

On `env.unwrapped`: `record(legal=False)` is the game so far as a record that replays anywhere; `clone()` is a second
environment at the same point; `legal_actions()` names what may be chosen. `copy.deepcopy` and `pickle` keep the game.

## Version history

* v0: first version.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv

from olb_env.envs.aec import CheckedEnv, GameEnv, Observation, metadata_of
from olb_env.portobello_market import GAME

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name PettingZoo gives it
    """The environment without wrappers: an illegal action raises ValueError."""

    game = GAME
    metadata = metadata_of(GAME)

    def __init__(
        self,
        num_players: int = 4,
        customers: str = "hidden",
        start_score: int = 10,
        reward: str = "rank",
        board: Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            reward=reward,
            render_mode=render_mode,
            num_players=num_players,
            customers=customers,
            start_score=start_score,
            board=board,
        )


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """The environment as most clients want it; takes the options of `raw_env`."""
    return CheckedEnv(raw_env(**options))
