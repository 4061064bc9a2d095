"""# The Wobbly Bridge

Three to six explorers stand in the middle of a rope bridge, with safety in the west and pursuers in the east. In each of
up to six matches all choose a card at the same time. The highest green number runs west, the highest red number
stumbles east, and a tie is worse for all who share it. Three kinds of special card change the comparison, and now and
then the wind blows. The player furthest west at the end wins. The complete
[rules](../docs/rules/wobbly_bridge.md) have numbered sections, which the code cites.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/wobbly_bridge-v0")`, after `import olb_env` |
| or | `from olb_env import wobbly_bridge_v0; wobbly_bridge_v0.env()` |
| Agents | `player_0` … `player_5`, or fewer |
| Actions | `Discrete(8)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: agents act one at a time, and hidden choices stay hidden until all have chosen |
| Rendering | `render_mode`: `"ansi"` for text, `"svg"` for a picture, `"rgb_array"` for pixels, `"human"` for a window |

## Arguments

```python
wobbly_bridge_v0.env(
    num_players=4,        # 3 to 6
    reward="rank",        # "rank", "win" or "spaces", see Rewards
    rulings=None,         # other readings of the rules, see below
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`rulings` chooses how to read the rules where no rulebook decides, as in `{"event_at_end": "yes"}`. The default is the
first value of each:

<!-- rulings -->
| name | values | what it decides | assumption |
|---|---|---|---|
| `special_numbers` | `"none"`, `"zeros"` | which numbers order and heavy have in the comparison | W1 |
| `steps_at_ends` | `"added"`, `"separate"` | whether an end stops the sum of the steps, or each of them | W2 |
| `event_at_end` | `"no"`, `"yes"` | whether an event is revealed after an end is reached | W3 |
<!-- end of rulings -->

`reset(seed=7)` deals the same game on every machine. Without a seed, each reset deals the next game of the last seed.
`reset(options={...})` sets `rulings` for one game; it ignores unknown keys, which wrappers may use.

## Decisions

Agents act one at a time, and only when there is a choice: a decision with one legal action is made automatically. In
every match the players pick a card in seat order but in secret: the others see it only after all have picked. Then
whoever played idea plays another card: openly if nobody else played idea, otherwise face down until all of them have
chosen. The sixth match needs no decision, since everybody has one card left. A game between random players has about
14, 19, 24 and 29 decisions with three, four, five and six players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0 | `play leap` | green 3, red 1 |
| 1 | `play dash` | green 4, red 0 |
| 2 | `play panic` | green 0, red 4 |
| 3 | `play careful` | green 2, red 2 |
| 4 | `play vertigo` | green 1, red 3 |
| 5 | `play idea` | replace this card by another one, and gain a careful for later matches |
| 6 | `play order` | unless heavy is played: move 2 west, and everybody with the highest red moves 3 east |
| 7 | `play heavy` | unless order is played: everybody with the highest green or the highest red moves 3 east |
<!-- end of actions -->

An illegal action ends the game in `env`, as in PettingZoo's own games: the agent receives -1, or the largest possible
loss if the reward is `spaces`. In `raw_env` it raises a `ValueError` and leaves the game as it was. Anything that is not
an action (8, -1, 1.5, "leap") raises a `ValueError` in both.

## Observations

An observation is a dictionary: `{"observation": float32, "action_mask": int8[8]}`. The vector has the same length and
layout for three to six players: the table, the agent's own seat, then the other seats in order (`next1` … `next5`),
with zeros for absent seats. Numbers are divided by the unit in the column "1.0 is". The slices of the fields are in
`olb_env.wobbly_bridge.OBSERVATION`, for example `OBSERVATION["own.hand"]`. The mask is all zeros for agents that are
not to act.

An agent sees everything that a player with a perfect memory knows: where all explorers stand, which normal cards each
player still holds, which special cards have been played, and which events are left in the deck. It does not see who
holds which special card, what others have picked, or the order of the events to come.

Normal cards come in the order leap, dash, panic, careful, vertigo; special cards in the order idea, order, heavy. A
field of all cards has the normal cards first.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0 | `table.calm` | 1 | 4 | 1 | calm events still in the deck |
| 1–2 | `table.winds` | 2 | 1 | 1 | east wind and west wind, if still in the deck |
| 3 | `table.matches_left` | 1 | 5 | 1 | matches still to come after this one |
| 4–7 | `table.players` | 4 | 1 | 1 | number of players: 3, 4, 5 or 6 |
| 8–9 | `table.phase` | 2 | 1 | 1 | phase: pick, replace; none when the game is over |
| 10–15 | `table.actor` | 6 | 1 | 1 | seat to act, counted from the observer |
| 16–21 | `table.match` | 6 | 1 | 1 | number of the match |
| 22 | `table.unseen_ideas` | 1 | 4 | 1 | ideas that the other seats still hold |
| 23–24 | `table.unseen_lone` | 2 | 1 | 1 | order and heavy, if another seat still holds them |
| 25 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 26 | `own.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 27–31 | `own.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 32 | `own.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 33–35 | `own.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 36–43 | `own.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 44 | `own.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 45 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 46 | `next1.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 47–51 | `next1.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 52 | `next1.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 53–55 | `next1.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 56–63 | `next1.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 64 | `next1.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 65 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 66 | `next2.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 67–71 | `next2.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 72 | `next2.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 73–75 | `next2.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 76–83 | `next2.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 84 | `next2.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 85 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 86 | `next3.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 87–91 | `next3.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 92 | `next3.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 93–95 | `next3.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 96–103 | `next3.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 104 | `next3.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 105 | `next4.present` | 1 | 1 | 1 | somebody plays at this seat |
| 106 | `next4.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 107–111 | `next4.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 112 | `next4.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 113–115 | `next4.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 116–123 | `next4.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 124 | `next4.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 125 | `next5.present` | 1 | 1 | 1 | somebody plays at this seat |
| 126 | `next5.space` | 1 | 21 | 1 | space of the explorer, from 1 in the west to 21 in the east |
| 127–131 | `next5.hand` | 5 | 1 | 2 | normal cards in hand; a picked card stays here until it is revealed |
| 132 | `next5.holds_special` | 1 | 1 | 1 | the special card has not been played yet |
| 133–135 | `next5.special` | 3 | 1 | 1 | special card, once played: idea, order, heavy |
| 136–143 | `next5.card` | 8 | 1 | 1 | card revealed in this match, while ideas are replaced |
| 144 | `next5.chosen` | 1 | 1 | 1 | has chosen a card, which lies face down |
| 145–147 | `own.holds` | 3 | 1 | 1 | special card in hand: idea, order, heavy |
| 148–155 | `own.pick` | 8 | 1 | 1 | chosen card, which lies face down |
| 156–158 | `table.rulings` | 3 | 1 | 1 | the second reading applies: special_numbers, steps_at_ends, event_at_end |
<!-- end of observation -->

## Rewards

All agents are rewarded at the end of the game, and only then. The rewards sum to zero.

* `rank`: from +1 for the first to -1 for the last, in equal steps.
* `win`: +1 for the winner, -1 / (n - 1) for each of the others.
* `spaces`: the distance of the agent's explorer from the pursuers minus the mean of the others', divided by 10, which is
  the distance from the start to either end.

Agents that share a rank each receive the mean reward of the places they share.

## Infos

Infos are empty until the game is over. Then they hold the `positions` and the `rank` of all seats. Rank 1 is the best;
explorers on the same space share a rank.

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
from olb_env.wobbly_bridge import GAME

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name PettingZoo gives it
    """The environment without wrappers: an illegal action raises ValueError."""

    game = GAME
    metadata = metadata_of(GAME)

    def __init__(
        self,
        num_players: int = 4,
        reward: str = "rank",
        rulings: str | Mapping[str, str] | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__(reward=reward, render_mode=render_mode, num_players=num_players, rulings=rulings)


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """Return the environment with PettingZoo's usual checks; it takes the arguments of `raw_env`."""
    return CheckedEnv(raw_env(**options))
