"""# Portobello Market

Two to four stallholders share a market of alleys, plazas and districts. A token gives a turn its number of actions: each
places a stall in an alley around the policeman's district, or a customer on any plaza. The policeman, called the Bobby,
can be led from district to district for a toll. A full alley with a customer at each end pays for its lots. Instead of
taking actions a player may mark a district and score its stalls around it. The player with the most points wins. The
complete [rules](../docs/rules/portobello_market.md) have numbered sections, which the code cites.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/portobello_market-v0")`, after `import olb_env` |
| or | `from olb_env import portobello_market_v0; portobello_market_v0.env()` |
| Agents | `player_0` … `player_3`, or fewer |
| Actions | `Discrete(97)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: agents act one at a time |
| Rendering | `render_mode`: `"ansi"` for text, `"svg"` for a picture, `"rgb_array"` for pixels, `"human"` for a window |

## Arguments

```python
portobello_market_v0.env(
    num_players=4,        # 2, 3 or 4
    customers="hidden",   # "hidden", or "open": everybody knows the order of the bag
    start_score=10,       # points of every player at the start
    reward="rank",        # "rank", "win" or "points", see Rewards
    board=None,           # the parts of the board to replace, or a file, see below
    rulings=None,         # other readings of the rules, see below
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`board` replaces parts of the board: `plazas` (where each is drawn, `[x, y]` from 0 to 120), `alleys` (each
`{"ends": ["P1", "P2"], "values": [3, 1, 3]}`, with two to six lots worth 1 to 9) and `districts` (the three alleys
around each, which must meet at three plazas). Each is a list of all, or a mapping of those to replace: `{"A1": {...}}`.
In such a mapping an alley may leave out its ends or its values.
Several alleys may join the same two plazas. Every alley borders one or two districts, and two districts share at most
one alley. Actions 39 to 82 are named after the plazas of their alley, so their names depend on the board. `board` can
also be the path of a file, `"mine.toml"` or `"mine.json"`, that holds such a mapping; `olb board new --game
portobello_market` prints the default board as TOML to change, and `olb board check` says what is wrong with a file. An
invalid board raises a `ValueError` that says why and, for a file, in which line. Observations do not contain the places
where plazas are drawn.

`rulings` chooses how to read the rules where no rulebook decides, as in `{"neutral_side": "down"}`. The default is the
first value of each:

<!-- rulings -->
| name | values | what it decides | assumption |
|---|---|---|---|
| `neutral_side` | `"up"`, `"down"` | which side of a neutral token is up when a player gets it | P3 |
| `bobby_returns` | `"never"`, `"once"` | how often the Bobby may return to a district before an action | P4 |
| `idle_rounds` | `"one"`, `"three"` | how many rounds in a row without progress end the game | P5 |
<!-- end of rulings -->

`reset(seed=7)` deals the same game on every machine. Without a seed, each reset deals the next game of the last seed.
`reset(options={...})` sets `customers`, `start_score`, `board` and `rulings` for one game; it ignores unknown keys, which
wrappers may use.

## Decisions

Agents act one at a time, and only when there is a choice: a decision with one legal action is made automatically. First
the seat before the start player places the Bobby in a district. A turn begins with the choice of a token or a mark.
With a token, the player decides on each action, on each step of the Bobby and on the plaza of each customer drawn, and
once more after the last action if the Bobby could still move. Until the next action or the next turn, the Bobby does
not return to a district where he has been. Actions must be taken if possible: before the last action, `done` is legal
only if nothing can be placed and no way that the player can pay for leads to a free lot. A game between random players
has about 229, 212 and 215 decisions with four, three and two players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0–2 | `token 1` … `token 3` | use the token in the slot of the 2, the 3 or the 4: its value is the number of actions |
| 3–14 | `mark D1 2` … `mark D12 2` | mark that district with the player's own 2 instead of taking actions |
| 15–26 | `mark D1 4` … `mark D12 4` | mark that district with the player's own 4 |
| 27–38 | `bobby D1` … `bobby D12` | lead the Bobby to that district; before the first turn, place him there |
| 39–82 | `stall A1 P1` … `stall A22 P11` | place a stall in that alley, which fills from that end |
| 83 | `draw` | draw a customer |
| 84–94 | `plaza P1` … `plaza P11` | place the customer drawn on that plaza |
| 95 | `lord` | place the Lord on the last free plaza |
| 96 | `done` | end the turn, after the last action or if none can be taken |
<!-- end of actions -->

An illegal action ends the game in `env`, as in PettingZoo's own games: the agent receives -1, or the largest possible
loss on the default board if the reward is `points`. In `raw_env` it raises a `ValueError` and leaves the game as it was.
Anything that is not an action (97, -1, 1.5, "done") raises a `ValueError` in both.

## Observations

An observation is a dictionary: `{"observation": float32, "action_mask": int8[97]}`. The vector has the same length and
layout for two, three and four players: the table, the agent's own seat, then the other seats in order (`next1`,
`next2`, `next3`), with zeros for absent seats. Numbers are divided by the unit in the column "1.0 is". The slices of
the fields are in `olb_env.portobello_market.OBSERVATION`, for example `OBSERVATION["own.stalls"]`. The mask is all
zeros for agents that are not to act.

Everything is public but the order of the bag, which is part of the observation only with `customers="open"`. The last
fields tell the plan of the board with the values of all lots, and the rulings, so one network can learn all of them.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0–21 | `table.alley.filled` | 22 | 6 | 1 | number of stalls in each alley |
| 22–43 | `table.alley.free` | 22 | 6 | 1 | number of free lots in each alley |
| 44–87 | `table.alley.offer` | 22×2 | 3 | 3 | value of the next lot from either end of each alley, 0 for none |
| 88–109 | `table.alley.scored` | 22 | 1 | 1 | the alley is complete and has been scored |
| 110–121 | `table.marked` | 12 | 1 | 1 | districts that somebody has marked |
| 122–133 | `table.been` | 12 | 1 | 2 | how often the Bobby has been there since the last action or turn |
| 134–145 | `table.barred` | 12 | 1 | 1 | districts that the Bobby may not enter until the next action or turn |
| 146–147 | `table.bag` | 2 | 5 | 1 | servants and burghers still in the bag |
| 148 | `table.actions_left` | 1 | 4 | 1 | actions left in this turn |
| 149 | `table.neutral_left` | 1 | 8 | 1 | number of neutral tokens left |
| 150 | `table.neutral_next` | 1 | 3 | 1 | value of the top neutral token, 0 for none |
| 151 | `table.quiet` | 1 | 1 | 1 | nobody has marked a district or placed anything in this round yet |
| 152 | `table.idle` | 1 | 1 | 2 | rounds in a row before this one in which nobody did |
| 153 | `table.last_round` | 1 | 1 | 1 | somebody has placed its last stall, so the game ends with this round |
| 154–156 | `table.players` | 3 | 1 | 1 | number of players: 2, 3 or 4 |
| 157–160 | `table.phase` | 4 | 1 | 1 | phase: setup, turn, act, plaza; none when the game is over |
| 161–164 | `table.actor` | 4 | 1 | 1 | seat to act, counted from the observer |
| 165–168 | `table.start_player` | 4 | 1 | 1 | start player of each round, counted from the observer |
| 169–180 | `table.bobby` | 12 | 1 | 1 | district of the Bobby; none before he is placed |
| 181–213 | `table.plaza` | 11×3 | 1 | 1 | customer on each plaza: servant, burgher, Lord |
| 214–215 | `table.drawn` | 2 | 1 | 1 | customer drawn and not placed yet: servant, burgher |
| 216 | `table.open` | 1 | 1 | 1 | the order of the bag is public |
| 217–236 | `table.coming` | 10×2 | 1 | 1 | if so, the next customers in order: servant, burgher; none after the last |
| 237 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 238 | `own.hand` | 1 | 20 | 1.5 | number of stalls in hand |
| 239–260 | `own.stalls` | 22 | 3 | 2 | number of this player's stalls in each alley |
| 261–282 | `own.worth` | 22 | 6 | 9 | total value of their lots |
| 283–294 | `own.mark` | 12 | 4 | 1 | token that marks each district, 2 or 4; 0 for none |
| 295–297 | `own.token.value` | 3 | 4 | 1 | value of the token in the slot of the 2, the 3 and the 4 |
| 298–300 | `own.token.up` | 3 | 1 | 1 | these tokens are face up |
| 301–303 | `own.token.own` | 3 | 1 | 1 | these tokens are the player's own, not neutral |
| 304 | `own.score` | 1 | 100 | 93.3 | points |
| 305 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 306 | `next1.hand` | 1 | 20 | 1.5 | number of stalls in hand |
| 307–328 | `next1.stalls` | 22 | 3 | 2 | number of this player's stalls in each alley |
| 329–350 | `next1.worth` | 22 | 6 | 9 | total value of their lots |
| 351–362 | `next1.mark` | 12 | 4 | 1 | token that marks each district, 2 or 4; 0 for none |
| 363–365 | `next1.token.value` | 3 | 4 | 1 | value of the token in the slot of the 2, the 3 and the 4 |
| 366–368 | `next1.token.up` | 3 | 1 | 1 | these tokens are face up |
| 369–371 | `next1.token.own` | 3 | 1 | 1 | these tokens are the player's own, not neutral |
| 372 | `next1.score` | 1 | 100 | 93.3 | points |
| 373 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 374 | `next2.hand` | 1 | 20 | 1.5 | number of stalls in hand |
| 375–396 | `next2.stalls` | 22 | 3 | 2 | number of this player's stalls in each alley |
| 397–418 | `next2.worth` | 22 | 6 | 9 | total value of their lots |
| 419–430 | `next2.mark` | 12 | 4 | 1 | token that marks each district, 2 or 4; 0 for none |
| 431–433 | `next2.token.value` | 3 | 4 | 1 | value of the token in the slot of the 2, the 3 and the 4 |
| 434–436 | `next2.token.up` | 3 | 1 | 1 | these tokens are face up |
| 437–439 | `next2.token.own` | 3 | 1 | 1 | these tokens are the player's own, not neutral |
| 440 | `next2.score` | 1 | 100 | 93.3 | points |
| 441 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 442 | `next3.hand` | 1 | 20 | 1.5 | number of stalls in hand |
| 443–464 | `next3.stalls` | 22 | 3 | 2 | number of this player's stalls in each alley |
| 465–486 | `next3.worth` | 22 | 6 | 9 | total value of their lots |
| 487–498 | `next3.mark` | 12 | 4 | 1 | token that marks each district, 2 or 4; 0 for none |
| 499–501 | `next3.token.value` | 3 | 4 | 1 | value of the token in the slot of the 2, the 3 and the 4 |
| 502–504 | `next3.token.up` | 3 | 1 | 1 | these tokens are face up |
| 505–507 | `next3.token.own` | 3 | 1 | 1 | these tokens are the player's own, not neutral |
| 508 | `next3.score` | 1 | 100 | 93.3 | points |
| 509–640 | `board.values` | 22×6 | 3 | 3 | value of each lot of each alley, 0 after the last lot |
| 641–684 | `board.ends` | 22×2 | 11 | 0.909 | the plaza at either end of each alley: 0 for P1 to 10 for P11 |
| 685–720 | `board.around` | 12×3 | 22 | 0.955 | the alleys around each district: 0 for A1 to 21 for A22 |
| 721–723 | `board.rulings` | 3 | 1 | 1 | the second reading applies: neutral_side, bobby_returns, idle_rounds |
<!-- end of observation -->

## Rewards

All agents are rewarded at the end of the game, and only then. The rewards sum to zero.

* `rank`: from +1 for the first to -1 for the last, in equal steps.
* `win`: +1 for the winner, -1 / (n - 1) for each of the others.
* `points`: the agent's points minus the mean of the others', divided by 10.

Agents that share a rank each receive the mean reward of the places they share.

## Infos

Infos are empty until the game is over. Then they hold the `scores` and the `rank` of all seats. Rank 1 is the best;
equal points share a rank.

## Beyond PettingZoo

`env.unwrapped` has three more methods. `record(legal=False)` returns the game so far as a record that can be replayed
on any machine. `clone()` returns a second environment at the same point. `legal_actions()` returns the names of the
legal actions. Environments can also be copied with `copy.deepcopy` and pickled in the middle of a game.

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
        board: str | Mapping[str, Any] | None = None,
        rulings: str | Mapping[str, str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            reward=reward,
            render_mode=render_mode,
            num_players=num_players,
            customers=customers,
            start_score=start_score,
            board=board,
            rulings=rulings,
        )


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """Return the environment with PettingZoo's usual checks; it takes the arguments of `raw_env`."""
    return CheckedEnv(raw_env(**options))
