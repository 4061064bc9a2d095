"""# The Wobbly Bridge

Three to six explorers stand in the middle of a rope bridge, safety in the west, pursuers in the east. In each of six
matches all choose a card at the same time. The highest green number runs west, the highest red number stumbles east,
and whoever shares one is worse off; three kinds of special card upset the comparison, and now and then the wind blows.
Furthest west wins.

| | |
|---|---|
| Creation | `pettingzoo.make("aec", "olb_env/wobbly_bridge-v0")`, after `import olb_env` |
| or | `from olb_env import wobbly_bridge_v0; wobbly_bridge_v0.env()` |
| Agents | `player_0` … `player_5`, or fewer |
| Actions | `Discrete(8)`, masked |
| Observation | `Box`, float32, one dimension, with an action mask |
| Parallel API | no: one agent decides at a time, unseen by the others |
| Rendering | `render_mode`: `"ansi"` text, `"svg"` a drawing, `"rgb_array"` its pixels, `"human"` a window |

## Arguments

```python
wobbly_bridge_v0.env(
    num_players=4,        # 3 to 6
    reward="rank",        # "rank", "win" or "spaces"
    render_mode=None,     # None, "ansi", "svg", "rgb_array" or "human"
)
```

`reset(seed=7)` deals the same game on every machine. Without a seed, the following game of the last seed is dealt.

## Decisions

The environment asks one question at a time, and never one with a single answer. In every match the players pick a card
in seat order; a card picked shows to the others only when all have picked. Then whoever played idea plays another card:
in the open if nobody else did, face down until all have chosen if several did. The sixth match is never asked about:
everybody has one card left. A random game asks about 14, 19, 24 and 29 questions with three, four, five and six
players.

## Actions

<!-- actions -->
| ids | actions | what they do |
|---|---|---|
| 0 | `play leap` | green 3, red 1 |
| 1 | `play dash` | green 4, red 0 |
| 2 | `play panic` | green 0, red 4 |
| 3 | `play careful` | green 2, red 2 |
| 4 | `play vertigo` | green 1, red 3 |
| 5 | `play idea` | another card instead of this one, then a careful for later matches |
| 6 | `play order` | without heavy: 2 west, and every highest red 3 east |
| 7 | `play heavy` | without order: every highest green and every highest red 3 east |
<!-- end of actions -->

`env` ends the game for an agent that chooses an illegal action, as PettingZoo's own games do, with -1, or with the
worst loss there can be on the printed board if the reward is `spaces`. `raw_env` raises `ValueError` and leaves the game
as it was. What is no action at all (8, -1, 1.5, "leap") is a `ValueError` in both.

## Observations

`{"observation": float32, "action_mask": int8[8]}`. The observation has the same length and meaning for three to six
players: the table, the own seat, then the others in seat order (`next1` … `next5`), absent seats all zero. Numbers are
divided by the unit given; named slices are in `olb_env.wobbly_bridge.OBSERVATION`, for example
`OBSERVATION["own.hand"]`. The mask is all zero for agents that are not asked.

An agent sees everything that anybody who remembers could know: where all stand, the normal cards that each still holds,
which special cards have been played and which are still with somebody, which events are left in the deck. It does not
see who holds which special card, what others have picked, or what the wind will do.

Normal cards come in the order leap, dash, panic, careful, vertigo; special cards idea, order, heavy; cards in both.

<!-- observation -->
| entries | field | shape | 1.0 is | largest | meaning |
|---|---|---|---|---|---|
| 0 | `table.calm` | 1 | 4 | 1 | calm events still in the deck |
| 1–2 | `table.winds` | 2 | 1 | 1 | east wind, west wind still in the deck |
| 3 | `table.matches_left` | 1 | 5 | 1 | matches still to come after this one |
| 4–7 | `table.players` | 4 | 1 | 1 | 3, 4, 5 or 6 players |
| 8–9 | `table.phase` | 2 | 1 | 1 | the question: pick, replace; none when the game is over |
| 10–15 | `table.actor` | 6 | 1 | 1 | who is asked, counted from the own seat |
| 16–21 | `table.match` | 6 | 1 | 1 | which match it is |
| 22 | `table.unseen_ideas` | 1 | 4 | 1 | ideas that others still hold, whoever it is |
| 23–24 | `table.unseen_lone` | 2 | 1 | 1 | order, heavy: another still holds it, whoever it is |
| 25 | `own.present` | 1 | 1 | 1 | somebody plays at this seat |
| 26 | `own.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 27–31 | `own.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 32 | `own.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 33–35 | `own.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 36–43 | `own.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 44 | `own.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 45 | `next1.present` | 1 | 1 | 1 | somebody plays at this seat |
| 46 | `next1.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 47–51 | `next1.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 52 | `next1.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 53–55 | `next1.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 56–63 | `next1.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 64 | `next1.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 65 | `next2.present` | 1 | 1 | 1 | somebody plays at this seat |
| 66 | `next2.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 67–71 | `next2.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 72 | `next2.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 73–75 | `next2.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 76–83 | `next2.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 84 | `next2.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 85 | `next3.present` | 1 | 1 | 1 | somebody plays at this seat |
| 86 | `next3.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 87–91 | `next3.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 92 | `next3.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 93–95 | `next3.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 96–103 | `next3.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 104 | `next3.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 105 | `next4.present` | 1 | 1 | 1 | somebody plays at this seat |
| 106 | `next4.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 107–111 | `next4.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 112 | `next4.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 113–115 | `next4.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 116–123 | `next4.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 124 | `next4.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 125 | `next5.present` | 1 | 1 | 1 | somebody plays at this seat |
| 126 | `next5.space` | 1 | 21 | 1 | where its explorer stands, 1 west to 21 east |
| 127–131 | `next5.hand` | 5 | 1 | 2 | normal cards in hand; a card picked leaves it when it is revealed |
| 132 | `next5.holds_special` | 1 | 1 | 1 | its special card has not been played |
| 133–135 | `next5.special` | 3 | 1 | 1 | its special card once played: idea, order, heavy |
| 136–143 | `next5.card` | 8 | 1 | 1 | the card revealed in this match, while ideas are replaced |
| 144 | `next5.chosen` | 1 | 1 | 1 | a card that it has chosen lies face down |
| 145–147 | `own.holds` | 3 | 1 | 1 | the special card in hand: idea, order, heavy |
| 148–155 | `own.pick` | 8 | 1 | 1 | the own card that lies face down |
<!-- end of observation -->

## Rewards

Only at the end, for everybody at once, and they sum to zero. `rank`: from +1 for the first to -1 for the last in equal
steps. `win`: +1 for the winner, -1 / (n - 1) for the others. `spaces`: how many spaces the own explorer is away from
the pursuers, less the mean of the others', divided by 10, which is the way from the start to either end. Explorers on
one space share their rank, and what their places would bring.

## Infos

Empty while the game is on. At the end `positions` and `rank` of all, by seat: 1 is best, equal if shared.

## Beyond PettingZoo

On `env.unwrapped`: `record(legal=False)` is the game so far as a record that replays anywhere; `clone()` is a second
environment at the same point; `legal_actions()` names what may be chosen. `copy.deepcopy` and `pickle` keep the game.

## Version history

* v0: first version.
"""

from __future__ import annotations

from typing import Any

from pettingzoo import AECEnv

from olb_env.envs.aec import CheckedEnv, GameEnv, Observation, metadata_of
from olb_env.wobbly_bridge import GAME

__all__ = ["env", "raw_env"]


class raw_env(GameEnv):  # noqa: N801  # the name PettingZoo gives it
    """The environment without wrappers: an illegal action raises ValueError."""

    game = GAME
    metadata = metadata_of(GAME)

    def __init__(self, num_players: int = 4, reward: str = "rank", render_mode: str | None = None) -> None:
        super().__init__(reward=reward, render_mode=render_mode, num_players=num_players)


def env(**options: Any) -> AECEnv[str, Observation, int]:
    """The environment as most clients want it; takes the options of `raw_env`."""
    return CheckedEnv(raw_env(**options))
