"""Search: its four steps, what it may know, and how strong it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from olb_agents import mcts
from olb_agents.heuristics import default_style_weights, heuristics_of, write_final_utilities
from olb_agents.scratch import new_scratch
from olb_agents.search_agent import SearchAgent
from olb_env.core import batch
from olb_env.core.game import Game, States
from olb_env.old_london_bridge import GAME
from olb_env.playing import Views, decide, make_agent
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.support.playthroughs import deal_one, walk
from tests.support.running import INTERPRETED
from tests.support.toy_game import PEBBLES

SIMULATIONS = 2 if INTERPRETED else 8
SEARCHING = [f"mcts:{SIMULATIONS}", pytest.param(f"flat:{SIMULATIONS}", marks=pytest.mark.compiled)]
DEEP, FLAT = mcts.SearchOptions(True, 1.0), mcts.SearchOptions(False, 1.0)


def some_decisions(seed: int, every: int, players: int) -> list[States]:
    found = [states.copy() for states in walk(seed, num_players=players)][:-1]
    return found[::every]


def simulate(states: States, tree: mcts.Tree, count: int, options: mcts.SearchOptions, game: Game = PEBBLES) -> Any:
    """Run simulations in plain Python or compiled; return the values of the last leaf."""
    values = np.zeros(game.num_players(states[0]))
    weights, seat = default_style_weights(game.name), batch.actor_one(states)
    mcts.simulate(states, seat, np.uint64(3), 0, count, options, weights, tree, new_scratch(game), values)
    return values


@pytest.mark.parametrize("name", ["mcts:60", "flat:60"])
def test_search_finds_the_best_action_without_heuristics(name: str) -> None:
    """Pebbles with a coin under each: taking three is best at any time."""
    assert heuristics_of("pebbles") is None
    states = deal_one(1, PEBBLES, coins=12)
    action = decide(make_agent(name), name, Views(PEBBLES, states, [1]))[0]
    assert PEBBLES.actions[action] == "take 3"


def test_every_simulation_visits_the_root_and_adds_one_node() -> None:
    """As long as no simulation ends inside the tree."""
    tree = mcts.new_tree(50, len(PEBBLES.actions))
    simulate(deal_one(1, PEBBLES), tree, 5, DEEP)
    assert tree.visits[0].sum() == 5
    assert tree.used[0] == 6  # the root comes with the first one
    np.testing.assert_allclose(tree.priors[: tree.used[0]].sum(axis=1), 1)
    mcts.clear_tree(tree)
    assert tree.used[0] == 0
    assert not tree.slots.any()


def test_a_flat_search_tries_all_actions_alike() -> None:
    tree = mcts.new_tree(50, len(PEBBLES.actions))
    simulate(deal_one(1, PEBBLES), tree, 7, FLAT)
    assert tree.visits[0].tolist() == [3, 2, 2]
    assert tree.used[0] == 1


def test_a_full_tree_still_searches() -> None:
    tree = mcts.new_tree(3, len(PEBBLES.actions))
    simulate(deal_one(1, PEBBLES), tree, 20, DEEP)
    assert tree.used[0] == 3
    assert tree.visits[0].sum() == 20


def test_the_values_of_a_leaf_are_backed_up_to_the_seats_that_decided() -> None:
    tree = mcts.new_tree(2, 3)
    path = mcts.Path(np.array([0, 1, 0]), np.array([2, 1, 2]), np.array([0, 1, 0]))
    mcts.back_up(tree, path, 2, np.array([0.25, -0.5]))
    assert tree.visits.tolist() == [[0, 0, 1], [0, 1, 0]]
    assert tree.totals.tolist() == [[0, 0, 0.25], [0, -0.5, 0]]


def test_actions_are_selected_by_value_and_by_prior() -> None:
    tree, mask = mcts.new_tree(1, 3), np.array([1, 1, 0], np.int8)
    tree.priors[0] = [0.2, 0.8, 1.0]
    assert mcts.select_action(tree, 0, mask, DEEP) == 1  # nothing is known but the priors; 2 is not legal
    tree.visits[0], tree.totals[0] = [10, 10, 0], [9.0, -9.0, 0]
    assert mcts.select_action(tree, 0, mask, DEEP) == 0  # the better mean value
    tree.visits[0] = [10, 9, 0]
    assert mcts.select_action(tree, 0, mask, FLAT) == 1  # the fewest visits


def test_keys_that_hash_to_the_same_slot_are_told_apart() -> None:
    tree = mcts.new_tree(200, 1)
    keys = np.arange(1, 201, dtype=np.uint64)
    for node, key in enumerate(keys):
        slot = mcts.find_slot(tree, key)
        assert tree.slots[slot] == 0
        tree.slots[slot], tree.keys[node] = node + 1, key
    assert [int(tree.slots[mcts.find_slot(tree, key)]) - 1 for key in keys] == list(range(200))


def test_a_secret_action_reaches_the_others_with_its_reveal() -> None:
    """In Old London Bridge all pick a card in secret; the last pick reveals them."""
    keys = []
    for picks in ((0, 1), (1, 1)):
        states = deal_one(5, num_players=3)
        histories = mcts.Histories(np.ones(3, np.uint64), np.zeros(1, np.uint64))
        first = batch.actor_one(states)
        mcts.apply_and_track(states[0], first, picks[0], histories)
        second = batch.actor_one(states)
        before = [int(mcts.information_set_key(histories, seat)) for seat in (first, second)]
        mcts.apply_and_track(states[0], second, picks[1], histories)
        mcts.apply_and_track(states[0], batch.actor_one(states), 1, histories)
        assert histories.hidden[0] == 0
        keys.append((*before, int(mcts.information_set_key(histories, second))))
    (own, unseen, revealed), (other_own, other_unseen, other_revealed) = keys
    assert own != other_own
    assert unseen == other_unseen
    assert revealed != other_revealed


def test_the_utilities_of_a_finished_game_count_rank_and_winning() -> None:
    states = deal_one(1, PEBBLES, num_players=3, coins=12)
    for action in (2, 1, 0, 2, 1):
        batch.apply_one(states, action)
    assert batch.actor_one(states) < 0
    out = np.zeros(3)
    write_final_utilities(states[0], out)
    assert out.sum() == pytest.approx(0)
    assert out.argmax() == states[0].purse[:3].argmax()


@pytest.mark.parametrize("name", SEARCHING)
def test_hidden_information_changes_no_decision(name: str) -> None:
    """Two games that differ only in what the seat cannot know get the same action."""
    agent = make_agent(name)
    for number, states in enumerate(some_decisions(2, 90 if INTERPRETED else 9, 3)):
        other = states.copy()
        batch.resample_rows(other, np.array([batch.actor_one(states)]), np.array([number + 100]))
        chosen = [decide(agent, name, Views(GAME, version, [1]))[0] for version in (states, other)]
        assert chosen[0] == chosen[1]


@pytest.mark.parametrize("name", SEARCHING)
def test_many_decisions_are_those_one_by_one(name: str) -> None:
    agent = make_agent(name)
    states = np.concatenate(some_decisions(4, 70 if INTERPRETED else 7, 2))
    views = Views(GAME, states, range(len(states)))
    many = decide(agent, name, views)
    assert many.tolist() == [agent.act(views[index]) for index in range(len(views))]


def test_action_probabilities_are_shares_of_the_tree_or_the_best_action() -> None:
    view = Views(PEBBLES, deal_one(0, PEBBLES), [0])[0]
    tree, flat = SearchAgent(12), SearchAgent(12, grow_tree=False)
    assert tree.action_probabilities(view).sum() == pytest.approx(1)
    assert tree.action_probabilities(view).argmax() == tree.act(view)
    assert flat.action_probabilities(view).tolist() == np.eye(3)[flat.act(view)].tolist()


def test_search_may_be_limited_by_time() -> None:
    """More time allows more simulations."""
    view = Views(PEBBLES, deal_one(1, PEBBLES), [1])[0]
    short, long = (SearchAgent(None, seconds).search(view)[0].sum() for seconds in (0.0001, 1.0))
    assert long > short > 0
    assert make_agent("mcts:1ms").act(view) in range(3)


@pytest.mark.parametrize("name", ["mcts", "mcts:", "mcts:0", "mcts:many", "mcts:5s", "flat:5ms", "flat:-2"])
def test_wrong_numbers_are_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match=f"agent '{name.partition(':')[0]}"):
        make_agent(name)


@pytest.mark.compiled
def test_search_beats_the_styles_that_it_plays_on_with() -> None:
    for agents, deals, limit in ((("mcts:60", "planner"), 15, 0.6), (("flat:60", "random"), 10, 0.7)):
        tournament = Tournament(Plan(GAME.name, agents, 2, deals, 7000))
        tournament.play()
        rates = {row.agent: row.win_rate.value for row in tournament.tally.rows(deals)}
        assert rates[agents[0]] > limit
