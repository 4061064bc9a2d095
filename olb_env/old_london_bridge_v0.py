"""# Old London Bridge

Two to four builders each build a section of the bridge, twelve spaces from left to right. Every round they bid with
cards for the order of turns, place a pawn on a rondel whose coins turn from stack to stack, and build what lies on
top. Numbers must fall from left to right, or a building is replaced; crests of one colour make chapels, gates, inns
and mercers stronger. Most money wins.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/old_london_bridge-v0")`, after `import olb_env` |
| or | `from olb_env import old_london_bridge_v0; old_london_bridge_v0.env()` |
| Agents | `player_0` … `player_3`, or fewer |
| Actions | `Discrete(46)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: one agent decides at a time |
| Rendering | `render_mode`: `"ansi"` text, `"svg"` a drawing, `"rgb_array"` its pixels, `"human"` a window |

## Arguments

```python
old_london_bridge_v0.env(
    num_players=4,        # 2, 3 or 4
    scoring="board",      # "board", "random", or {area: name}; areas left out use the board
    reward="rank",        # "rank", "win" or "money"
    memory="perfect",     # "perfect" or "table"
    board=None,           # parts of the board to replace, see below
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`scoring`: four areas are scored, each by what the board prints or by one of four tile sides; `"random"` draws a tile
side for each.

<!-- scoring -->
| area | names |
|---|---|
| chapel | `board`, `most chapels`, `leader each round`, `lead over last`, `coins again` |
| gate | `board`, `most gates`, `leader each round`, `steps`, `unused tiles` |
| inn | `board`, `most inns`, `highest card`, `hand size`, `card sets` |
| bridge | `board`, `longest run`, `lowest number each round`, `low numbers`, `full sets` |
<!-- end of scoring -->

`board` replaces components: `tiles` (kind to twelve `[number, crest]`), `coins` (six around the rondel, one of them
`"X"`), `stack_order` (six kinds clockwise), `chapel_track` (`{"length": 14, "coins": {2: 1, 5: 2, 8: 3, 11: 5}}`) and
`gate_track` (`{"length": 15, "bonus": [3, 6, 9, 12]}`). A board that makes no sense is refused with the reason.

`reset(seed=7)` deals the same game on every machine. Without a seed, the following game of the last seed is dealt.
`reset(options={...})` takes `scoring`, `memory` and `board` for one game; keys it does not know are left to wrappers.

## Decisions

The environment asks one question at a time, and never one with a single answer. Players pick their cards in chapel
order, unseen: a card picked shows to the others only when all have picked. In a round come ladies, cards, boosts, then
the turns: tiles before placing, a place for the pawn, a building to replace, cards to hire, bonus tiles to choose,
tiles after building. A random game asks about 118, 89 and 59 questions with four, three and two players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0–4 | `play 0` … `play 4` | pick a card of that value face down |
| 5–10 | `rondel chapel` … `rondel park` | place the pawn on the outer space beside that stack and take its top building |
| 11–16 | `centre chapel` … `centre park` | place the pawn on the centre for £2 and take the top building of that stack |
| 17–28 | `replace 1` … `replace 12` | put the new building in place of the one on that space of the bridge |
| 29–32 | `hire 1` … `hire 4` | inn: take a card of that value, never a higher one than before |
| 33–35 | `bonus 1` … `bonus 3` | take the face-up bonus tile of that pile |
| 36–43 | `use lady` … `use gate` | use a bonus tile of that kind; `use boost` boosts the higher of two cards |
| 44 | `boost low` | two players: boost the lower of the two cards as played |
| 45 | `done` | use no more tiles, hire no more cards, end the turn, or pass where no placement is legal |
<!-- end of actions -->

`env` ends the game for an agent that chooses an illegal action, as PettingZoo's own games do, with -1, or with the
worst loss there can be on the printed board if the reward is `money`. `raw_env` raises `ValueError` and leaves the game
as it was. What is no action at all (46, -1, 1.5, "done") is a `ValueError` in both.

## Observations

`{"observation": float32, "action_mask": int8[46]}`. The observation has the same length and meaning for two, three and
four players: the table, the own seat, then the others in seat order (`next1`, `next2`, `next3`), absent seats all zero.
Numbers are divided by the unit given; named slices are in `olb_env.old_london_bridge.OBSERVATION`, for example
`OBSERVATION["own.bridge.number"]`. The mask is all zero for agents that are not asked.

With `memory="perfect"` an agent sees everything that anybody who remembers could know: all money and hands, which
numbers, markers and bonus tiles are still to come. With `memory="table"` the others' money and cards are zero; how many
cards they hold stays, and so does the supply, which lies on the table. Neither shows what nobody can know. Lengths,
coins and bonus spaces of a board of one's own are not in the observation: they are what the caller chose.

Kinds come in the order chapel, gate, inn, mercer, guild, park; crests blue, orange, grey, green; bonus tiles lady,
boost, share, free, cross, recall, chapel, gate.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0–59 | `table.number_left` | 60 | 1 | 1 | house numbers 1–60: still in a stack, its top included |
| 60–63 | `table.parks_left` | 4 | 3 | 4 | parks still in the stack, by crest |
| 64–66 | `table.markers_left` | 3 | 5 | 1 | round markers 1, 2, 3 not revealed yet, the unused ones included |
| 67–90 | `table.pile_holds` | 3×8 | 1 | 1 | bonus piles: tiles still in each, the top one included |
| 91–93 | `table.pile_left` | 3 | 8 | 1 | tiles left in each bonus pile |
| 94–98 | `table.supply` | 5 | 10 | 1.5 | cards in the supply, by value (no zeros) |
| 99–104 | `table.stack_left` | 6 | 12 | 1 | buildings left in each stack |
| 105–110 | `table.top_number` | 6 | 60 | 1 | number on top of each stack |
| 111–116 | `table.coin` | 6 | 3 | 3 | coins on the outer space beside each stack |
| 117–122 | `table.crossed` | 6 | 1 | 1 | the outer space beside this stack is the X |
| 123–129 | `table.pawns` | 7 | 1 | 4 | pawns on each outer space and on the centre |
| 130 | `table.rounds_left` | 1 | 12 | 1 | rounds still to come after this one |
| 131 | `table.lowest` | 1 | 60 | 1 | lowest house number built this round, 0 for none |
| 132–134 | `table.used` | 3 | 1 | 1 | share, free, cross used in this turn and not yet placed by |
| 135 | `table.recalled` | 1 | 1 | 1 | recall used in this turn |
| 136 | `table.hire_power` | 1 | 12 | 1 | card values the inn may still bring |
| 137 | `table.hire_highest` | 1 | 4 | 1 | highest card the inn may still bring |
| 138 | `table.bonus_due` | 1 | 4 | 7.5 | bonus tiles still to be chosen |
| 139 | `table.tile_number` | 1 | 60 | 1 | number of the building that asks for a replacement |
| 140–142 | `table.players` | 3 | 1 | 1 | 2, 3 or 4 players |
| 143–150 | `table.phase` | 8 | 1 | 1 | the question: lady, play, boost, place, replace, hire, bonus, after; none when the game is over |
| 151–154 | `table.actor` | 4 | 1 | 1 | who is asked, counted from the own seat |
| 155–174 | `table.scoring` | 4×5 | 1 | 1 | the scoring of chapel, gate, inn, bridge |
| 175–198 | `table.top_crest` | 6×4 | 1 | 1 | crests on top of each stack: blue, orange, grey, green; all for a guild |
| 199–222 | `table.pile_top` | 3×8 | 1 | 1 | the face-up tile of each bonus pile |
| 223–226 | `table.lowest_seat` | 4 | 1 | 1 | who built the lowest number of this round, counted from the own seat |
| 227–232 | `table.tile_kind` | 6 | 1 | 1 | kind of the building that asks for a replacement |
| 233–236 | `table.tile_crest` | 4 | 1 | 1 | its crests |
| 237 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 238–249 | `own.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or nothing |
| 250–261 | `own.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for nothing |
| 262–273 | `own.bridge.crest` | 12 | 5 | 1 | crest on each space: blue, orange, grey, green, all; 0 for nothing |
| 274 | `own.built` | 1 | 12 | 1 | spaces built on |
| 275–278 | `own.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 279–284 | `own.kinds` | 6 | 4 | 3 | buildings of each kind on the bridge |
| 285–292 | `own.tiles` | 8 | 2 | 1.5 | bonus tiles held, of each kind |
| 293–300 | `own.fresh` | 8 | 2 | 1.5 | of these, tiles gained this round and not usable yet |
| 301 | `own.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 302 | `own.gate` | 1 | 15 | 2 | space on the gate track |
| 303 | `own.standing` | 1 | 3 | 1 | place in chapel order, 0 is best |
| 304–305 | `own.card` | 2 | 5 | 1 | cards revealed this round, the higher first: value + 1, 0 for none |
| 306–307 | `own.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 308–309 | `own.queue` | 2 | 4 | 1 | when these cards have their turn: 1 is first, 0 is done or not known |
| 310–316 | `own.pawn` | 7 | 1 | 1 | where the pawn stands: an outer space or the centre |
| 317–321 | `own.hand` | 5 | 4 | 3.75 | cards in hand, by value; a card picked leaves it when it is revealed |
| 322 | `own.money` | 1 | 50 | 40 | pounds |
| 323 | `own.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 324 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 325–336 | `next1.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or nothing |
| 337–348 | `next1.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for nothing |
| 349–360 | `next1.bridge.crest` | 12 | 5 | 1 | crest on each space: blue, orange, grey, green, all; 0 for nothing |
| 361 | `next1.built` | 1 | 12 | 1 | spaces built on |
| 362–365 | `next1.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 366–371 | `next1.kinds` | 6 | 4 | 3 | buildings of each kind on the bridge |
| 372–379 | `next1.tiles` | 8 | 2 | 1.5 | bonus tiles held, of each kind |
| 380–387 | `next1.fresh` | 8 | 2 | 1.5 | of these, tiles gained this round and not usable yet |
| 388 | `next1.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 389 | `next1.gate` | 1 | 15 | 2 | space on the gate track |
| 390 | `next1.standing` | 1 | 3 | 1 | place in chapel order, 0 is best |
| 391–392 | `next1.card` | 2 | 5 | 1 | cards revealed this round, the higher first: value + 1, 0 for none |
| 393–394 | `next1.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 395–396 | `next1.queue` | 2 | 4 | 1 | when these cards have their turn: 1 is first, 0 is done or not known |
| 397–403 | `next1.pawn` | 7 | 1 | 1 | where the pawn stands: an outer space or the centre |
| 404–408 | `next1.hand` | 5 | 4 | 3.75 | cards in hand, by value; a card picked leaves it when it is revealed |
| 409 | `next1.money` | 1 | 50 | 40 | pounds |
| 410 | `next1.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 411 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 412–423 | `next2.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or nothing |
| 424–435 | `next2.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for nothing |
| 436–447 | `next2.bridge.crest` | 12 | 5 | 1 | crest on each space: blue, orange, grey, green, all; 0 for nothing |
| 448 | `next2.built` | 1 | 12 | 1 | spaces built on |
| 449–452 | `next2.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 453–458 | `next2.kinds` | 6 | 4 | 3 | buildings of each kind on the bridge |
| 459–466 | `next2.tiles` | 8 | 2 | 1.5 | bonus tiles held, of each kind |
| 467–474 | `next2.fresh` | 8 | 2 | 1.5 | of these, tiles gained this round and not usable yet |
| 475 | `next2.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 476 | `next2.gate` | 1 | 15 | 2 | space on the gate track |
| 477 | `next2.standing` | 1 | 3 | 1 | place in chapel order, 0 is best |
| 478–479 | `next2.card` | 2 | 5 | 1 | cards revealed this round, the higher first: value + 1, 0 for none |
| 480–481 | `next2.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 482–483 | `next2.queue` | 2 | 4 | 1 | when these cards have their turn: 1 is first, 0 is done or not known |
| 484–490 | `next2.pawn` | 7 | 1 | 1 | where the pawn stands: an outer space or the centre |
| 491–495 | `next2.hand` | 5 | 4 | 3.75 | cards in hand, by value; a card picked leaves it when it is revealed |
| 496 | `next2.money` | 1 | 50 | 40 | pounds |
| 497 | `next2.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 498 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 499–510 | `next3.bridge.number` | 12 | 60 | 1 | house number on each space, 0 for a park or nothing |
| 511–522 | `next3.bridge.kind` | 12 | 6 | 1 | kind on each space, from 1 chapel to 6 park; 0 for nothing |
| 523–534 | `next3.bridge.crest` | 12 | 5 | 1 | crest on each space: blue, orange, grey, green, all; 0 for nothing |
| 535 | `next3.built` | 1 | 12 | 1 | spaces built on |
| 536–539 | `next3.power` | 4 | 6 | 2 | crests of each colour on the bridge, guilds included |
| 540–545 | `next3.kinds` | 6 | 4 | 3 | buildings of each kind on the bridge |
| 546–553 | `next3.tiles` | 8 | 2 | 1.5 | bonus tiles held, of each kind |
| 554–561 | `next3.fresh` | 8 | 2 | 1.5 | of these, tiles gained this round and not usable yet |
| 562 | `next3.chapel` | 1 | 14 | 2.14 | space on the chapel track |
| 563 | `next3.gate` | 1 | 15 | 2 | space on the gate track |
| 564 | `next3.standing` | 1 | 3 | 1 | place in chapel order, 0 is best |
| 565–566 | `next3.card` | 2 | 5 | 1 | cards revealed this round, the higher first: value + 1, 0 for none |
| 567–568 | `next3.boost` | 2 | 2 | 1.5 | boosts on these cards |
| 569–570 | `next3.queue` | 2 | 4 | 1 | when these cards have their turn: 1 is first, 0 is done or not known |
| 571–577 | `next3.pawn` | 7 | 1 | 1 | where the pawn stands: an outer space or the centre |
| 578–582 | `next3.hand` | 5 | 4 | 3.75 | cards in hand, by value; a card picked leaves it when it is revealed |
| 583 | `next3.money` | 1 | 50 | 40 | pounds |
| 584 | `next3.cards` | 1 | 8 | 7.5 | number of cards in hand |
| 585–589 | `own.pick` | 5 | 1 | 2 | cards picked and not revealed yet, by value |
| 590–637 | `own.bridge.colour` | 12×4 | 1 | 1 | the crests on each space: blue, orange, grey, green; all for a guild |
<!-- end of observation -->

## Rewards

Only at the end, for everybody at once, and they sum to zero. `rank`: from +1 for the first to -1 for the last in equal
steps. `win`: +1 for the winner, -1 / (n - 1) for the others. `money`: the own money less the mean of the others',
divided by 10.

## Infos

Empty while the game is on. At the end `money` and `ranking` (seats, best first) of all, and the own `breakdown`: what
was there `in_play`, what each area brought, what `empty_spaces` cost and `bonus_tiles` paid. Money paid round by round
counts as in play.

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
        board: str | Mapping[str, Any] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(
            reward=reward,
            render_mode=render_mode,
            num_players=num_players,
            scoring=scoring,
            memory=memory,
            board=board,
        )


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """The environment as most clients want it; takes the options of `raw_env`."""
    return CheckedEnv(raw_env(**options))
