"""`olb_env.batch`: what users do with arrays of games, and that no mistake reaches machine code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from olb_env import batch
from olb_env.core import batch as unchecked
from olb_env.core.game import Game, find
from olb_env.playing import Views
from tests.support.options import OPTIONS

every_game = pytest.mark.parametrize("game", [find(name) for name in OPTIONS], ids=lambda game: game.name)
GAMES = 3


@pytest.fixture
def games() -> Any:
    return batch.deal("wobbly_bridge", [1, 2, 3], num_players=3)


def play_to_the_end(states: Any) -> None:
    """Play with the first legal actions; games that are over wait for the others."""
    while (running := np.flatnonzero(batch.actors(states) >= 0)).size:
        some = states[running]
        batch.step(some, batch.legal_masks(some).argmax(axis=1))
        states[running] = some


@every_game
def test_it_plays_as_the_unchecked_functions_do(game: Game) -> None:
    players = game.players[0]
    states = batch.deal(game.name, range(GAMES), num_players=players)
    other = game.new_states(GAMES)
    unchecked.deal_rows(other, game.rules.configure(num_players=players), np.arange(GAMES))
    assert states.tobytes() == other.tobytes()
    observations = np.empty((GAMES, game.observation.size), np.float32)
    masks = np.empty((GAMES, len(game.actions)), np.int8)
    unchecked.write_views(other, observations, masks)
    assert (batch.observations(states) == observations).all()
    assert (batch.legal_masks(states) == masks).all()
    unchecked.observe_rows(other, np.ones(GAMES, np.int64), observations)
    assert (batch.observations(states, [1] * GAMES) == observations).all()
    batch.resample(states, [1] * GAMES, range(GAMES))
    unchecked.resample_rows(other, np.ones(GAMES, np.int64), np.arange(GAMES, dtype=np.uint64))
    assert states.tobytes() == other.tobytes()
    seats = batch.step(states, masks.argmax(axis=1))
    unchecked.apply_rows(other, masks.argmax(axis=1), np.empty(GAMES, np.bool_))
    assert states.tobytes() == other.tobytes()
    assert seats.tolist() == batch.actors(other).tolist()


def test_finished_games_have_ranks_scores_and_nothing_to_do(games: Any) -> None:
    play_to_the_end(games)
    ranks, scores = batch.returns(games)
    assert ranks.shape == scores.shape == (3, 3)
    assert (ranks.min(axis=1) == 1).all()
    assert not batch.legal_masks(games).any()
    assert not batch.observations(games).any()
    assert batch.observations(games, [0, 1, 2]).any(axis=1).all()


def test_a_clone_of_a_view_can_be_repeated_and_searched() -> None:
    games = batch.deal("old_london_bridge", [5], num_players=2, memory="table")
    view = Views(find("old_london_bridge"), games, [9])[0]
    clones = np.concatenate([view.clone(draw) for draw in range(4)])
    choices = np.flatnonzero(batch.legal_masks(clones)[0])
    after = np.repeat(clones, len(choices))
    assert len(batch.step(after, np.tile(choices, 4))) == 4 * len(choices)


BAD: list[tuple[Callable[[Any], Any], str]] = [
    (lambda games: batch.deal("chess", [1]), "unknown game 'chess'"),
    (lambda games: batch.deal("wobbly_bridge", [-1]), "seeds have -1: expected 0 to 9007199254740991"),
    (lambda games: batch.deal("wobbly_bridge", [2**53]), "seeds have 9007199254740992: expected 0 to"),
    (lambda games: batch.deal("wobbly_bridge", 7), "seeds are 7: expected a list of whole numbers"),
    (lambda games: batch.deal("wobbly_bridge", [1], num_players=9), "num_players is 9"),
    (lambda games: batch.deal("wobbly_bridge", [1], dice=9), "unknown option 'dice'"),
    (lambda games: batch.actors(None), "states are None: expected an array, as deal or View.clone returns"),
    (lambda games: batch.actors(np.zeros(3)), "no game has states of dtype float64"),
    (lambda games: batch.actors(np.ma.array(games)), "states are .*: expected an array, as deal or View.clone returns"),
    (lambda games: batch.actors(games[None]), "these are no states of The Wobbly Bridge"),
    (lambda games: batch.actors(games[::2]), "these states are a view or cannot be written to: copy them first"),
    (lambda games: batch.step(games, [0, 1]), "the number of actions is 2: expected 3, one for each game"),
    (lambda games: batch.step(games, [0, 1, 8]), "actions have 8: expected 0 to 7"),
    (lambda games: batch.step(games, [0, 1, -1]), "actions have -1: expected 0 to 7"),
    (lambda games: batch.step(games, [0.0, 1.0, 1.0]), "actions are .*: expected a list of whole numbers"),
    (lambda games: batch.observations(games, [0, 1, 3]), "row 2: seat is 3: expected 0 to 2"),
    (lambda games: batch.observations(games, [0, 1, 6]), "seats have 6: expected 0 to 5"),
    (lambda games: batch.resample(games, [0, 1, 2], [1, 2]), "the number of seeds is 2: expected 3"),
    (lambda games: batch.resample(games, [0, 1, 2], [1, 2, 2**64]), "seeds have 18446744073709551616: expected 0 to"),
    (batch.returns, "row 0: the game is not over"),
]


@pytest.mark.parametrize(("call", "message"), BAD, ids=[message for _, message in BAD])
def test_mistakes_are_refused_and_change_nothing(games: Any, call: Callable[[Any], Any], message: str) -> None:
    before = games.tobytes()
    with pytest.raises(ValueError, match=message):
        call(games)
    assert games.tobytes() == before


def test_an_illegal_action_is_named_with_the_legal_ones_and_no_game_changes(games: Any) -> None:
    legal = batch.legal_masks(games)
    actions = legal.argmax(axis=1)
    actions[1] = legal[1].argmin()
    before = games.tobytes()
    with pytest.raises(ValueError, match=r"row 1: '[a-z ]+' is not legal: expected play leap, play dash"):
        batch.step(games, actions)
    assert games.tobytes() == before
    play_to_the_end(games)
    with pytest.raises(ValueError, match="is not legal: expected none, for the game is over"):
        batch.step(games, [0, 0, 0])


def test_states_that_cannot_be_written_are_read_only(games: Any) -> None:
    games.flags.writeable = False
    assert len(batch.actors(games)) == 3
    with pytest.raises(ValueError, match="cannot be written to"):
        batch.step(games, [0, 0, 0])


def test_impossible_states_are_refused(games: Any) -> None:
    games["seats"]["space"][1, 0] = 5
    for call in (batch.actors, batch.legal_masks, batch.observations, batch.returns):
        with pytest.raises(ValueError, match="state 1 is impossible: The Wobbly Bridge never comes to it"):
            call(games)


def test_games_with_different_numbers_of_players_have_no_common_returns() -> None:
    games = np.concatenate([batch.deal("wobbly_bridge", [1], num_players=players) for players in (3, 4)])
    play_to_the_end(games)
    with pytest.raises(ValueError, match="the games have 3 to 4 players: expected the same number in all"):
        batch.returns(games)
