"""Nothing that an agent, a person or a spectator can get hold of depends on what its seat may not know.

Each test plays in two worlds that look the same to one seat: a game, and a copy in which everything hidden from that
seat has been drawn again.
"""

from __future__ import annotations

import importlib
import json
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from olb_env.core import batch
from olb_env.core.game import Game, States, copy_of, find
from olb_env.core.positions import Position
from olb_env.envs.single import SeatEnv
from olb_env.envs.vector import SeatVectorEnv
from olb_env.playing import Views
from tests.support.playthroughs import redraw, view, walk_some

WORLDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("old_london_bridge", {"num_players": 4, "memory": "perfect", "scoring": "random"}),
    ("old_london_bridge", {"num_players": 2, "memory": "perfect"}),
    ("old_london_bridge", {"num_players": 3, "memory": "table"}),
    ("old_london_bridge", {"num_players": 2, "memory": "table", "scoring": "random"}),
    ("portobello_market", {"num_players": 3}),
    ("wobbly_bridge", {"num_players": 5}),
)
every_world = pytest.mark.parametrize(("name", "options"), WORLDS, ids=lambda part: str(part).strip("{}"))
pytestmark = pytest.mark.compiled
DEALS = 4


def twins(game: Game, options: dict[str, Any], every: int) -> Iterator[tuple[int, States, States]]:
    """Yield a seat that is to act, a game [1], and the same game as that seat could imagine it."""
    different = 0
    for seed in range(DEALS):
        for number, states in enumerate(walk_some(every, seed, game, **options)):
            seat = batch.actor_one(states)
            if seat >= 0:
                twin = redraw(states, seat, 1000 * seed + number)
                different += twin.tobytes() != states.tobytes()
                yield seat, states, twin
    assert different > 10


@every_world
def test_views_and_clones(name: str, options: dict[str, Any]) -> None:
    game = find(name)
    for seat, states, twin in twins(game, options, every=1):
        for one, other in zip(view(states, seat, game), view(twin, seat, game), strict=True):
            assert one.tobytes() == other.tobytes()
        here, there = Views(game, states, [7]), Views(game, twin, [7])
        assert here.states.tobytes() == there.states.tobytes()
        assert here.observations.tobytes() == there.observations.tobytes()
        for draw in (0, 1):
            assert here[0].clone(draw).tobytes() == there[0].clone(draw).tobytes()


@every_world
def test_what_environments_return(name: str, options: dict[str, Any]) -> None:
    """Observations, masks, infos and renderings, of PettingZoo's, Gymnasium's and the batched environments."""
    game = find(name)
    aec = importlib.import_module(f"olb_env.{name}_v0").raw_env(**options, render_mode="ansi")
    aec.reset(seed=1)
    single = {seat: SeatEnv(name, seat=seat, render_mode="ansi", **options) for seat in range(options["num_players"])}
    vectors = {seat: SeatVectorEnv(name, 1, seat=seat, render_mode="ansi", **options) for seat in single}
    for env in (*single.values(), *vectors.values()):
        env.reset(seed=1)
    for seat, states, twin in twins(game, options, every=3):
        returned = []
        for world in (states, twin):
            aec._states, aec._initial, aec._actions = copy_of(world), copy_of(world), []
            aec.agent_selection = aec.possible_agents[seat]
            shown: list[Any] = [aec.last(), aec.infos, aec.legal_actions(), aec.render()]
            for env in (single[seat], vectors[seat]):
                env._env._batch.states[:] = world
                env._env.write_view(env._view)
                shown += [env._view, env.render()]
            shown += [single[seat]._info(), vectors[seat]._infos(np.ones(1, np.bool_))]
            returned.append(pickle.dumps(shown))
        assert returned[0] == returned[1]


@every_world
def test_text_pictures_and_all_that_the_page_says(name: str, options: dict[str, Any]) -> None:
    game, names = find(name), tuple(f"player {seat}" for seat in range(options["num_players"]))
    display = game.display
    for seat, states, twin in twins(game, options, every=7):
        answers = []
        for world in (states[0], twin[0]):
            choices = {action: display.explain(world, game.ids(world)[action]) for action in game.legal_actions(world)}
            answers.append(
                json.dumps(
                    {
                        "text": display.text(world),
                        "repr": repr(Position(game, world, names)),
                        "svg": Position(game, world, names).svg(),
                        "situation": display.situation(world, names),
                        "private": display.private(world, seat),
                        "choices": choices,
                    }
                )
            )
        assert answers[0] == answers[1]


def test_without_memory_clones_keep_what_lies_on_the_table() -> None:
    """The sizes of hands, one's own cards and money, and every sum: no card appears or gets lost."""
    game = find("old_london_bridge")
    redrawn = 0
    for seat, states, twin in twins(game, {"num_players": 3, "memory": "table"}, every=1):
        here, there = states["seats"]["hand"][0], twin["seats"]["hand"][0]
        assert (here[seat] == there[seat]).all()
        assert (here.sum(axis=1) == there.sum(axis=1)).all()
        assert (here.sum(axis=0) == there.sum(axis=0)).all()
        assert states["money"][0, seat] == twin["money"][0, seat]
        redrawn += (here != there).any() and (states["money"] != twin["money"]).any()
    assert redrawn > 100


def test_without_memory_estimates_of_money_are_near_it() -> None:
    """They come from the table alone, but are no nonsense: within a few pounds on average."""
    game = find("old_london_bridge")
    errors = [
        int(twin["money"][0, other]) - int(states["money"][0, other])
        for seat, states, twin in twins(game, {"num_players": 3, "memory": "table"}, every=1)
        for other in range(3)
        if other != seat
    ]
    assert abs(np.mean(errors)) < 5
    assert np.std(errors) < 10
