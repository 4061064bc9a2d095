"""# Old London Bridge

Two to four builders each put up a section of the bridge, twelve spaces from left to right. In every round they bid with
cards for the order of turns, place a pawn on a rondel whose coins turn from stack to stack, and build the top building
of a stack. House numbers must fall from left to right; a building that does not fit replaces another. Crests of one
colour make chapels, gates, inns and mercers stronger. The player with the most money wins. The complete
[rules](../docs/rules/old_london_bridge.md) have numbered sections, which the code cites.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/old_london_bridge-v0")`, after `import olb_env` |
| or | `from olb_env import old_london_bridge_v0; old_london_bridge_v0.env()` |
| Agents | `player_0` … `player_3`, or fewer |
| Actions | `Discrete(46)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: agents act one at a time |
| Rendering | `render_mode`: `"ansi"` for text, `"svg"` for a picture, `"rgb_array"` for pixels, `"human"` for a window |

## Arguments

```python
old_london_bridge_v0.env(
    num_players=4,        # 2, 3 or 4
    scoring="board",      # "board", "random", or {area: name}; an area without a name uses the board
    reward="rank",        # "rank", "win" or "money", see Rewards
    memory="perfect",     # "perfect" or "table", see Observations
    board=None,           # None, "first", "second", a file, or the parts of the board to replace, see below
    rulings=None,         # {name: value} where the rulebooks leave a choice, see below
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`scoring` decides how the four areas are scored: as the board prints it, or by one of four tile sides. `"random"` draws
a tile side for each area.

<!-- scoring -->
| area | names |
|---|---|
| chapel | `board`, `most chapels`, `leader each round`, `lead over last`, `coins again` |
| gate | `board`, `most gates`, `leader each round`, `steps`, `unused tiles` |
| inn | `board`, `most inns`, `highest card`, `hand size`, `card sets` |
| bridge | `board`, `longest run`, `lowest number each round`, `low numbers`, `full sets` |
<!-- end of scoring -->

`board="first"` is the default. `board="second"` has the rondel coins £1, £1, £2, £2, £3, X and a chapel track of 15
spaces with £1 on 3, £2 on 6, £3 on 9, £5 on 12. For a board of your own, `board` is a mapping, or the path of a TOML or
JSON file that holds one; `olb board new` writes such a file for you to change, and `olb board check FILE` checks it.
The mapping has any of these keys. What is left out, a part of a track or a kind of tile included, is as on the first
board:

* `tiles`: for each kind twelve `[number, crest]`. Parks have the number 0 and may have the crest `"none"`.
* `bonus_piles`: three lists of eight bonus tiles, three of each kind in all.
* `coins`: pounds from 0 to 99 on the six spaces around the rondel, clockwise; any of them may be `"X"`.
* `stack_order`: the six kinds, clockwise.
* `chapel_track` and `gate_track`: `length` up to 30, `coins` (pounds by space), `bonus` (a list of spaces) and `end`
  (pounds for reaching the last space), for example `{"length": 15, "coins": {3: 1}, "bonus": [6, 15], "end": 10}`.

An invalid board raises a `ValueError` that says why, and in which line if it came from a file.

`rulings` decides what no rulebook does. The first value is the default.

<!-- rulings -->
| name | values | what it decides | assumption |
|---|---|---|---|
| `tile_side_minimum` | `"one"`, `"none"` | how many of what it counts a tile side asks for at least | A9 |
| `coins_again_end` | `"no"`, `"yes"` | whether `coins again` repeats the reward at the end of the track | A10 |
| `debts` | `"forgiven"`, `"owed"` | what becomes of a price for empty spaces that a player cannot pay | A11 |
<!-- end of rulings -->

`reset(seed=7)` deals the same game on every machine. Without a seed, each reset deals the next game of the last seed.
`reset(options={...})` sets `scoring`, `memory`, `board` and `rulings` for one game; it ignores unknown keys, which
wrappers may use.

## Decisions

Agents act one at a time, and only when there is a choice: a decision with one legal action is made automatically. Cards
are picked in chapel order but in secret: the others see a card only after all have picked. In a round, the decisions
are: use ladies, pick cards, use boosts. Then, in each turn: use tiles before placing, place the pawn, replace a
building, hire cards, choose bonus tiles, use tiles after building. A game between random players has about 118, 89 and
59 decisions with four, three and two players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0–4 | `play 0` … `play 4` | pick a card of that value face down |
| 5–10 | `rondel chapel` … `rondel park` | place the pawn on the outer space beside that stack and take its top building |
| 11–16 | `centre chapel` … `centre park` | place the pawn on the centre for £2 and take the top building of that stack |
| 17–28 | `replace 1` … `replace 12` | replace the building on that space of the bridge by the new one |
| 29–32 | `hire 1` … `hire 4` | hire a card of that value at the inn, never higher than the one before |
| 33–35 | `bonus 1` … `bonus 3` | take the face-up bonus tile of that pile |
| 36–43 | `use lady` … `use gate` | use a bonus tile of that kind; `use boost` boosts the higher of two cards |
| 44 | `boost low` | two players: boost the lower of the two cards as played |
| 45 | `done` | use no more tiles, hire no more cards, end the turn, or pass if no placement is legal |
<!-- end of actions -->

An illegal action ends the game in `env`, as in PettingZoo's own games: the agent receives -1, or the largest possible
loss on the default board if the reward is `money`. In `raw_env` it raises a `ValueError` and leaves the game as it was.
Anything that is not an action (46, -1, 1.5, "done") raises a `ValueError` in both.

## Observations

An observation is a dictionary: `{"observation": float32, "action_mask": int8[46]}`. The vector has the same length and
layout for two, three and four players: the table, the agent's own seat, then the other seats in order (`next1`,
`next2`, `next3`), with zeros for absent seats. Numbers are divided by the unit in the column "1.0 is". The slices of
the fields are in `olb_env.old_london_bridge.OBSERVATION`, for example `OBSERVATION["own.bridge.number"]`. The mask is
all zeros for agents that are not to act.

With `memory="perfect"` an agent sees everything that a player with a perfect memory knows: the money and hands of all,
and which numbers, markers and bonus tiles are still to come. With `memory="table"` the money and cards of the others
are zero; the number of their cards and the supply, which lies on the table, are still there. Neither shows hidden
information. The copies of a game that agents search agree with that: with `memory="table"` they hold other hands of the
same size, and an estimate of the others' money. Text and pictures then show no money and no hands before the end.

The last entries describe the board: what the tracks pay on which space, the rulings, and where the stacks lie. So one
network can learn to play on all boards. They do not change during a game.

Kinds come in the order chapel, gate, inn, mercer, guild, park; crests in the order blue, orange, grey, green; bonus
tiles in the order lady, boost, share, free, cross, recall, chapel, gate.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0–59 | `table.number_left` | 60 | 1 | 1 | house numbers 1–60 still in a stack, including its top |
| 60–63 | `table.parks_left` | 4 | 3 | 4 | parks still in the stack, by crest; those without one are not counted |
| 64–66 | `table.markers_left` | 3 | 5 | 1 | round markers 1, 2, 3 not revealed yet, including those left in the box |
| 67–90 | `table.pile_holds` | 3×8 | 1 | 3 | tiles still in each bonus pile, including its top |
| 91–93 | `table.pile_left` | 3 | 8 | 1 | number of tiles left in each bonus pile |
| 94–98 | `table.supply` | 5 | 10 | 1.5 | cards in the supply, by value (never a zero) |
| 99–104 | `table.stack_left` | 6 | 12 | 1 | number of buildings left in each stack |
| 105–110 | `table.top_number` | 6 | 60 | 1 | house number on top of each stack |
| 111–116 | `table.coin` | 6 | 3 | 33 | coins on the outer space beside each stack |
| 117–122 | `table.crossed` | 6 | 1 | 1 | the outer space beside this stack is an X |
| 123–129 | `table.pawns` | 7 | 1 | 4 | number of pawns on each outer space and on the centre |
| 130 | `table.rounds_left` | 1 | 12 | 1 | rounds still to come after this one |
| 131 | `table.lowest` | 1 | 60 | 1 | lowest house number built in this round, 0 for none |
| 132–134 | `table.used` | 3 | 1 | 1 | share, free, cross used in this turn for a placement still to come |
| 135 | `table.recalled` | 1 | 1 | 1 | recall has been used in this turn |
| 136 | `table.hire_power` | 1 | 12 | 1 | total value of the cards that may still be hired at the inn |
| 137 | `table.hire_highest` | 1 | 4 | 1 | highest card that may still be hired at the inn |
| 138 | `table.bonus_due` | 1 | 4 | 7.5 | number of bonus tiles still to be chosen |
| 139 | `table.tile_number` | 1 | 60 | 1 | house number of the building that has to replace another |
| 140–142 | `table.players` | 3 | 1 | 1 | number of players: 2, 3 or 4 |
| 143–150 | `table.phase` | 8 | 1 | 1 | phase: lady, play, boost, place, replace, hire, bonus, after; none when the game is over |
| 151–154 | `table.actor` | 4 | 1 | 1 | seat to act, counted from the observer |
| 155–174 | `table.scoring` | 4×5 | 1 | 1 | scoring of chapel, gate, inn and bridge |
| 175–198 | `table.top_crest` | 6×4 | 1 | 1 | crests on top of each stack: blue, orange, grey, green; all four for a guild |
| 199–222 | `table.pile_top` | 3×8 | 1 | 1 | face-up tile of each bonus pile |
| 223–226 | `table.lowest_seat` | 4 | 1 | 1 | builder of the lowest number this round, counted from the observer |
| 227–232 | `table.tile_kind` | 6 | 1 | 1 | kind of the building that has to replace another |
| 233–236 | `table.tile_crest` | 4 | 1 | 1 | crests of that building |
| 237 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 238–249 | `own.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or an empty space |
| 250–261 | `own.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for an empty space |
| 262–273 | `own.bridge.crest` | 12 | 5 | 1 | crest on each space, from 1 blue, orange, grey, green to 5 all; 0 for none |
| 274 | `own.built` | 1 | 12 | 1 | number of spaces built on |
| 275–278 | `own.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 279–284 | `own.kinds` | 6 | 4 | 3 | number of buildings of each kind on the bridge |
| 285–292 | `own.tiles` | 8 | 2 | 1.5 | bonus tiles held, by kind |
| 293–300 | `own.fresh` | 8 | 2 | 1.5 | those of them gained in this round and not usable yet |
| 301 | `own.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 302 | `own.gate` | 1 | 15 | 2 | space on the gate track |
| 303 | `own.standing` | 1 | 3 | 1 | place in chapel order, 0 for the best |
| 304–305 | `own.card` | 2 | 5 | 1 | cards revealed in this round, the higher first: value + 1, 0 for none |
| 306–307 | `own.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 308–309 | `own.queue` | 2 | 4 | 1 | place of these cards in the order of turns, from 1; 0 if done or not known yet |
| 310–316 | `own.pawn` | 7 | 1 | 1 | space of the pawn: an outer space or the centre |
| 317–321 | `own.hand` | 5 | 4 | 3.75 | cards in hand, by value; a picked card stays here until it is revealed |
| 322 | `own.money` | 1 | 50 | 247 | pounds; 0 for debts at the end |
| 323 | `own.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 324 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 325–336 | `next1.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or an empty space |
| 337–348 | `next1.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for an empty space |
| 349–360 | `next1.bridge.crest` | 12 | 5 | 1 | crest on each space, from 1 blue, orange, grey, green to 5 all; 0 for none |
| 361 | `next1.built` | 1 | 12 | 1 | number of spaces built on |
| 362–365 | `next1.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 366–371 | `next1.kinds` | 6 | 4 | 3 | number of buildings of each kind on the bridge |
| 372–379 | `next1.tiles` | 8 | 2 | 1.5 | bonus tiles held, by kind |
| 380–387 | `next1.fresh` | 8 | 2 | 1.5 | those of them gained in this round and not usable yet |
| 388 | `next1.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 389 | `next1.gate` | 1 | 15 | 2 | space on the gate track |
| 390 | `next1.standing` | 1 | 3 | 1 | place in chapel order, 0 for the best |
| 391–392 | `next1.card` | 2 | 5 | 1 | cards revealed in this round, the higher first: value + 1, 0 for none |
| 393–394 | `next1.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 395–396 | `next1.queue` | 2 | 4 | 1 | place of these cards in the order of turns, from 1; 0 if done or not known yet |
| 397–403 | `next1.pawn` | 7 | 1 | 1 | space of the pawn: an outer space or the centre |
| 404–408 | `next1.hand` | 5 | 4 | 3.75 | cards in hand, by value; a picked card stays here until it is revealed |
| 409 | `next1.money` | 1 | 50 | 247 | pounds; 0 for debts at the end |
| 410 | `next1.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 411 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 412–423 | `next2.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or an empty space |
| 424–435 | `next2.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for an empty space |
| 436–447 | `next2.bridge.crest` | 12 | 5 | 1 | crest on each space, from 1 blue, orange, grey, green to 5 all; 0 for none |
| 448 | `next2.built` | 1 | 12 | 1 | number of spaces built on |
| 449–452 | `next2.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 453–458 | `next2.kinds` | 6 | 4 | 3 | number of buildings of each kind on the bridge |
| 459–466 | `next2.tiles` | 8 | 2 | 1.5 | bonus tiles held, by kind |
| 467–474 | `next2.fresh` | 8 | 2 | 1.5 | those of them gained in this round and not usable yet |
| 475 | `next2.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 476 | `next2.gate` | 1 | 15 | 2 | space on the gate track |
| 477 | `next2.standing` | 1 | 3 | 1 | place in chapel order, 0 for the best |
| 478–479 | `next2.card` | 2 | 5 | 1 | cards revealed in this round, the higher first: value + 1, 0 for none |
| 480–481 | `next2.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 482–483 | `next2.queue` | 2 | 4 | 1 | place of these cards in the order of turns, from 1; 0 if done or not known yet |
| 484–490 | `next2.pawn` | 7 | 1 | 1 | space of the pawn: an outer space or the centre |
| 491–495 | `next2.hand` | 5 | 4 | 3.75 | cards in hand, by value; a picked card stays here until it is revealed |
| 496 | `next2.money` | 1 | 50 | 247 | pounds; 0 for debts at the end |
| 497 | `next2.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 498 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 499–510 | `next3.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or an empty space |
| 511–522 | `next3.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for an empty space |
| 523–534 | `next3.bridge.crest` | 12 | 5 | 1 | crest on each space, from 1 blue, orange, grey, green to 5 all; 0 for none |
| 535 | `next3.built` | 1 | 12 | 1 | number of spaces built on |
| 536–539 | `next3.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 540–545 | `next3.kinds` | 6 | 4 | 3 | number of buildings of each kind on the bridge |
| 546–553 | `next3.tiles` | 8 | 2 | 1.5 | bonus tiles held, by kind |
| 554–561 | `next3.fresh` | 8 | 2 | 1.5 | those of them gained in this round and not usable yet |
| 562 | `next3.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 563 | `next3.gate` | 1 | 15 | 2 | space on the gate track |
| 564 | `next3.standing` | 1 | 3 | 1 | place in chapel order, 0 for the best |
| 565–566 | `next3.card` | 2 | 5 | 1 | cards revealed in this round, the higher first: value + 1, 0 for none |
| 567–568 | `next3.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 569–570 | `next3.queue` | 2 | 4 | 1 | place of these cards in the order of turns, from 1; 0 if done or not known yet |
| 571–577 | `next3.pawn` | 7 | 1 | 1 | space of the pawn: an outer space or the centre |
| 578–582 | `next3.hand` | 5 | 4 | 3.75 | cards in hand, by value; a picked card stays here until it is revealed |
| 583 | `next3.money` | 1 | 50 | 247 | pounds; 0 for debts at the end |
| 584 | `next3.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 585–589 | `own.pick` | 5 | 1 | 2 | cards picked and not revealed yet, by value |
| 590–637 | `own.bridge.colour` | 12×4 | 1 | 1 | crests on each space: blue, orange, grey, green; all four for a guild |
| 638 | `board.chapel.length` | 1 | 15 | 2 | number of spaces on the chapel track |
| 639 | `board.chapel.end` | 1 | 10 | 9.9 | pounds at the end of the chapel track |
| 640–669 | `board.chapel.coins` | 30 | 5 | 19.8 | pounds printed on each space of the chapel track |
| 670–699 | `board.chapel.bonus` | 30 | 1 | 1 | bonus spaces of the chapel track |
| 700 | `board.gate.length` | 1 | 15 | 2 | number of spaces on the gate track |
| 701 | `board.gate.end` | 1 | 10 | 9.9 | pounds at the end of the gate track |
| 702–731 | `board.gate.coins` | 30 | 5 | 19.8 | pounds printed on each space of the gate track |
| 732–761 | `board.gate.bonus` | 30 | 1 | 1 | bonus spaces of the gate track |
| 762–764 | `board.rulings` | 3 | 1 | 1 | the second reading applies: tile_side_minimum, coins_again_end, debts |
| 765–770 | `board.place` | 6 | 5 | 1 | place of each stack around the rondel, clockwise from the top |
<!-- end of observation -->

## Rewards

All agents are rewarded at the end of the game, and only then. The rewards sum to zero.

* `rank`: from +1 for the first to -1 for the last, in equal steps.
* `win`: +1 for the winner, -1 / (n - 1) for each of the others.
* `money`: the agent's money minus the mean of the others', divided by 10.

## Infos

Infos are empty until the game is over. Then they hold the `money` of all seats, the `ranking` (seats, best first), and
the agent's own `breakdown`: the money `in_play`, what each area paid, what `empty_spaces` cost and `bonus_tiles` paid.
Money that is paid round by round counts as in play.

## Beyond PettingZoo

`env.unwrapped` has three more methods. `record(legal=False)` returns the game so far as a record that can be replayed
on any machine. `clone()` returns a second environment at the same point. `legal_actions()` returns the names of the
legal actions. Environments can also be copied with `copy.deepcopy` and pickled in the middle of a game.

## Version history

* v0: first version.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

from pettingzoo import AECEnv

from olb_env.envs.aec import CheckedEnv, GameEnv, Observation, metadata_of
from olb_env.old_london_bridge import GAME

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name PettingZoo gives it
    """The environment without wrappers: an illegal action raises ValueError."""

    game = GAME
    metadata = metadata_of(GAME)

    def __init__(
        self,
        num_players: int = 4,
        scoring: str | Mapping[str, str] = "board",
        reward: str = "rank",
        memory: str = "perfect",
        board: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        rulings: Mapping[str, str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            reward=reward,
            render_mode=render_mode,
            num_players=num_players,
            scoring=scoring,
            memory=memory,
            board=board,
            rulings=rulings,
        )


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """Return the environment with PettingZoo's usual checks; it takes the arguments of `raw_env`."""
    return CheckedEnv(raw_env(**options))
