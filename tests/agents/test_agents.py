"""Scripted players and search: legal under every scoring, as strong as they should be, and blind to what is hidden."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from olb_agents.heuristics import heuristics_of, outcome, register_heuristics, room, weigh
from olb_agents.old_london_bridge.styles import STYLES
from olb_agents.search import SearchAgent
from olb_env import replay
from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.old_london_bridge import GAME
from olb_env.old_london_bridge.components import GUILD, MERCER, PARK, SCORINGS
from olb_env.playing import View, Views, agent_names, decide, make_agent, play_game
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.conftest import INTERPRETED
from tests.support.playthroughs import deal_one, walk
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled

SIMULATIONS = 2 if INTERPRETED else 8
SCRIPTED = ["planner", "greedy", "guilds", "merchant", "chapel", "gate", "gardener", "hoarder"]


def win_rate(agent: str, others: str, players: int, deals: int, game: Game = GAME, **options: Any) -> float:
    """How often an agent wins against copies of another, in every seat of every deal."""
    contest = Plan(game.name, (agent, *[others] * (players - 1)), players, deals, 7000, options)
    tournament = Tournament(contest)
    tournament.play()
    return {row.agent: row.win_rate.value for row in tournament.tally.rows(deals)}[agent]


def views_of(states: States, seed: int = 1, game: Game = GAME) -> Views:
    return Views(game, states, [seed])


def questions(seed: int, **options: Any) -> Iterator[States]:
    """Every question of a game, as copies."""
    for states in walk(seed, **options):
        if batch.actor_one(states) >= 0:
            yield states.copy()


def test_all_agents_have_names() -> None:
    assert set(SCRIPTED) | {"random", "mcts", "flat"} <= set(agent_names())
    assert set(SCRIPTED) == set(STYLES)


@pytest.mark.parametrize("name", SCRIPTED)
def test_a_scripted_player_plays_whole_games(name: str) -> None:
    for players in (2,) if INTERPRETED else (2, 3, 4):
        record = play_game(GAME, GAME.rules.configure(num_players=players, scoring="random"), 5, [name] * players)
        assert replay(record).over


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("area", "side"), [(area, side) for area, sides in SCORINGS.items() for side in sides], ids=lambda value: value
)
def test_scripted_players_play_sensibly_under_every_scoring(area: str, side: str) -> None:
    """None of them knows one scoring only: each beats random players under all."""
    for name in SCRIPTED:
        assert win_rate(name, "random", 2, 20, scoring={area: side}) > 0.7, name


@pytest.mark.compiled
def test_greedy_beats_random_and_planner_beats_greedy() -> None:
    """Far below what is measured over many games, far above what chance could do over these."""
    assert win_rate("greedy", "random", 2, 50) > 0.9
    assert win_rate("greedy", "random", 4, 30) > 0.75
    assert win_rate("planner", "greedy", 2, 60) > 0.7
    assert win_rate("planner", "greedy", 4, 40) > 0.45


@pytest.mark.compiled
def test_no_scripted_player_beats_the_planner_clearly() -> None:
    for name in SCRIPTED[1:]:
        assert win_rate("planner", name, 2, 100) > 0.42, name


@pytest.mark.compiled
def test_search_beats_what_it_thinks_with() -> None:
    assert win_rate("mcts:60", "planner", 2, 15) > 0.6
    assert win_rate("flat:60", "random", 2, 10) > 0.7


@pytest.mark.compiled
@pytest.mark.parametrize("name", [*SCRIPTED[1:], "random"])
def test_styles_differ(name: str) -> None:
    """In a few games there are decisions where a style does not do what the planner does."""
    other, planner = make_agent(name), make_agent("planner")
    differ = 0
    for states in itertools.chain.from_iterable(questions(seed) for seed in range(3)):
        views = views_of(states)
        differ += decide(other, name, views)[0] != decide(planner, "planner", views)[0]
    assert differ > 5


def shown(name: str, player: Any) -> int:
    """How much of what a style is fond of a player has at the end."""
    kinds = {"guilds": GUILD, "merchant": MERCER, "gardener": PARK}
    if name in kinds:
        return int(player.kinds[kinds[name]])
    return int({"chapel": player.chapel, "gate": player.gate, "hoarder": player.hand[1:].sum()}[name])


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["guilds", "merchant", "chapel", "gate", "gardener", "hoarder"])
def test_each_style_ends_with_more_of_what_it_is_fond_of(name: str) -> None:
    """Than the planner it plays with, over some deals in both seats."""
    own = others = 0
    for seed in range(20):
        for seat in range(2):
            agents = [name, "planner"] if seat == 0 else ["planner", name]
            final = replay(play_game(GAME, GAME.rules.configure(num_players=2), seed, agents)).final[0]
            own += shown(name, final.seats[seat])
            others += shown(name, final.seats[1 - seat])
    assert own > others


@pytest.mark.parametrize("name", ["planner", "greedy", f"mcts:{SIMULATIONS}", f"flat:{SIMULATIONS}"])
def test_what_is_hidden_changes_no_decision(name: str) -> None:
    """Two games that differ only in what the seat cannot know get the same answer."""
    agent = make_agent(name)
    for number, states in enumerate(questions(2, num_players=3)):
        if number % (40 if INTERPRETED else 9) == 0:
            other = states.copy()
            batch.resample_rows(other, np.array([batch.actor_one(states)]), np.array([number + 100]))
            chosen = [decide(agent, name, views_of(version))[0] for version in (states, other)]
            assert chosen[0] == chosen[1]


@pytest.mark.parametrize("name", ["planner", f"mcts:{SIMULATIONS}", f"flat:{SIMULATIONS}"])
def test_one_and_many_decide_alike(name: str) -> None:
    agent = make_agent(name)
    states = np.concatenate(list(questions(4, num_players=2))[:: 30 if INTERPRETED else 7])
    views = Views(GAME, states, range(len(states)))
    many = decide(agent, name, views)
    assert many.tolist() == [agent.act(views[index]) for index in range(len(views))]


def test_weighing_leaves_the_game_as_it_is() -> None:
    style = STYLES["planner"]
    for states in itertools.islice(questions(3), 0, None, 30 if INTERPRETED else 1):
        before = states.tobytes()
        scratch, numbers, _ = room(GAME)
        weigh(states[0], int(states[0].actor), style, scratch, numbers)
        assert states.tobytes() == before


@pytest.mark.parametrize("name", ["mcts:60", "flat:60"])
def test_search_finds_the_best_move_of_a_game_nobody_thought_about(name: str) -> None:
    """Pebbles with a coin under each: taking three is best at any time, and two of the last four leave one."""
    assert heuristics_of("pebbles") is None
    states = deal_one(1, PEBBLES, coins=12)
    answer = decide(make_agent(name), name, views_of(states, game=PEBBLES))[0]
    assert PEBBLES.actions[answer] == "take 3"


def test_the_outcome_counts_rank_and_winning() -> None:
    states = deal_one(1, PEBBLES, num_players=3, coins=12)
    for action in (2, 1, 0, 2, 1):
        batch.apply_one(states, action)
    assert batch.actor_one(states) < 0
    out = np.zeros(3)
    outcome(states[0], out)
    assert out.sum() == pytest.approx(0)
    assert out.argmax() == states[0].purse[:3].argmax()


def test_a_mind_that_lacks_whom_it_listens_to_is_refused() -> None:
    mind = heuristics_of(GAME.name)
    assert mind is not None
    for lacking in (replace(mind, adviser="nobody"), replace(mind, styles={"greedy": mind.styles["greedy"]})):
        with pytest.raises(ValueError, match=r"the mind of pebbles has no style '(nobody|planner)': it has .*greedy"):
            register_heuristics(PEBBLES.name, lacking)
    assert heuristics_of(PEBBLES.name) is None


def test_search_may_be_limited_by_time() -> None:
    """More time, more simulations."""
    view = views_of(deal_one(1, PEBBLES), game=PEBBLES)[0]
    short, long = (SearchAgent(None, seconds).search(view)[0].sum() for seconds in (0.0001, 1.0))
    assert long > short > 0


@pytest.mark.parametrize(
    "name", ["mcts", "mcts:", "mcts:0", "mcts:many", "mcts:5s", "flat:5ms", "planner:3", "flat:-2"]
)
def test_wrong_numbers_are_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"agent '{name.partition(':')[0]}"):
        make_agent(name)


def test_a_game_without_styles_says_so() -> None:
    with pytest.raises(ValueError, match="pebbles has no style 'planner': its styles are none"):
        decide(make_agent("planner"), "planner", views_of(deal_one(1, PEBBLES), game=PEBBLES))


BOT = '''
import numpy as np


class Miser:
    """Goes where most coins lie, and plays its lowest card."""

    def act(self, view):
        return view.legal[0]
'''


def test_a_users_bot_joins_from_its_file(tmp_path: Path) -> None:
    file = tmp_path / "my_bot.py"
    file.write_text(BOT, encoding="utf-8")
    record = play_game(GAME, GAME.rules.configure(num_players=2), 3, [f"{file}:Miser", "random"])
    assert replay(record).over
    with pytest.raises(ValueError, match=r"cannot load agent '.*nobody.py:Bot'.*there is no file"):
        make_agent(f"{tmp_path}/nobody.py:Bot")
    with pytest.raises(ValueError, match=r"cannot load agent '.*my_bot.py:Nobody'"):
        make_agent(f"{file}:Nobody")


def test_hidden_fields_are_not_reachable_through_a_view() -> None:
    """Whatever an agent finds in its view was redrawn, or is public."""
    states = deal_one(3)
    batch.apply_one(states, 4)
    true = states[0].hidden.tobytes()
    view = views_of(states, seed=5)[0]
    found = [value for value in _reachable(view) if isinstance(value, np.ndarray) and value.dtype == GAME.rules.dtype]
    assert found
    for games in found:
        assert all(game.hidden.tobytes() != true for game in games.reshape(-1))


def _reachable(view: View) -> list[Any]:
    """Everything an agent can get at by following attributes and bases of arrays."""
    seen: dict[int, Any] = {}
    open_ends: list[Any] = [view, view.clone(), view.clone(1)]
    while open_ends:
        value = open_ends.pop()
        if id(value) in seen or isinstance(value, Game | type):
            continue
        seen[id(value)] = value
        if isinstance(value, np.ndarray):
            open_ends.append(value.base)
        elif hasattr(value, "__dict__"):
            open_ends += vars(value).values()
    return list(seen.values())
