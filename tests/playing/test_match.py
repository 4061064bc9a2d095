"""Games are played to their end, each as if it were alone."""

from __future__ import annotations

from typing import Any

import numpy as np

from olb_env.core.rng import stream
from olb_env.old_london_bridge import ACTIONS, GAME
from olb_env.playing import Match, decide, make_agent, play_game, play_games, seat_keys
from tests.support.toy_game import PEBBLES


def new_match(seeds: list[int], players: int = 3) -> Match:
    keys = np.array([seat_keys(seed, players) for seed in seeds])
    return Match(PEBBLES, PEBBLES.rules.configure(num_players=players), seeds, keys)


def random_choice(match: Match) -> Any:
    agent = make_agent("random")
    return lambda rows, seats: decide(agent, "random", match.views(rows, seats))


def test_the_same_seed_gives_the_same_game() -> None:
    setup = GAME.rules.configure(num_players=2)
    assert play_game(GAME, setup, 4, ["random"] * 2) == play_game(GAME, setup, 4, ["random"] * 2)


def test_a_game_does_not_depend_on_those_played_with_it() -> None:
    setup, agents = PEBBLES.rules.configure(num_players=3), ["random", "tests.support.some_agents:Watcher", "random"]
    together = play_games(PEBBLES, setup, [5, 6, 7], agents, legal=True)
    assert together == [play_game(PEBBLES, setup, seed, agents, legal=True) for seed in (5, 6, 7)]


def test_random_games_reach_nearly_every_action() -> None:
    """All but one: the twelfth space is built on in a player's last turn, so nothing replaces it."""
    seen: set[str] = set()
    for seed in range(60):
        players = 2 + seed % 3
        record = play_game(GAME, GAME.rules.configure(num_players=players), seed, ["random"] * players)
        seen |= {move[1] for move in record["moves"]}
        if len(seen) >= 40:
            break
    assert len(seen) >= 40
    assert "replace 12" not in seen
    assert seen <= set(ACTIONS)


def test_a_match_pauses_at_a_seat() -> None:
    match = new_match([1, 2, 3])
    match.play(random_choice(match), pause_at=2)
    assert set(match.actors()) <= {2, -1}
    assert any(match.actors() == 2)
    before = [match.actions(row) for row in range(3)]
    match.play(random_choice(match), pause_at=2)  # nothing to do
    assert [match.actions(row) for row in range(3)] == before
    match.play(random_choice(match))
    assert set(match.actors()) == {-1}


def test_pausing_changes_no_game() -> None:
    """The seed of a decision depends on the moves of its own game, not on when the game waited."""
    through, paused = new_match([1, 2, 3]), new_match([1, 2, 3])
    through.play(random_choice(through))
    for seat in (1, 0, 2, 0, -1):
        paused.play(random_choice(paused), pause_at=seat)
    assert paused.states.tobytes() == through.states.tobytes()
    assert [paused.actions(row) for row in range(3)] == [through.actions(row) for row in range(3)]


def test_a_rewound_match_goes_on_alike() -> None:
    match = new_match([4])
    match.play(random_choice(match))
    record, moves = match.record(), match.actions()
    match.rewind(2)
    assert match.actions() == moves[:2]
    match.play(random_choice(match))
    assert match.record() == record
    match.rewind(0)
    assert match.states.tobytes() == match.initial.tobytes()


def test_the_seed_of_a_decision_comes_from_its_seat_and_the_moves_before() -> None:
    match = new_match([8])
    for moves in range(3):
        (seat,) = match.actors()
        expected = stream(int(seat_keys(8, 3)[seat]), moves)
        assert match.seeds(np.array([0]), np.array([seat])).tolist() == [expected]
        assert match.views(np.array([0]), np.array([seat])).seeds.tolist() == [expected]
        match.step(random_choice(match)(np.array([0]), np.array([seat])))
