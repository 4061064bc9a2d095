"""Learning: every seat from its own end, and leagues that send the hard ones."""

from __future__ import annotations

import itertools
import json
from dataclasses import asdict, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from olb_env.commands.olb import main
from olb_env.core import batch
from olb_env.old_london_bridge import GAME as OLD_LONDON_BRIDGE
from olb_env.playing import Views, make_agent
from olb_training.ppo.collector import Collector, teacher_of
from olb_training.ppo.crew import Crew
from olb_training.ppo.gae import compute_gae
from olb_training.ppo.learner import FIGURES, Learner
from olb_training.ppo.mixed_tables import LEARNER, write_utilities
from olb_training.ppo.opponent_pool import OpponentPool, sample
from olb_training.ppo.run import win_rate
from olb_training.ppo.settings import Settings
from tests.conftest import INTERPRETED
from tests.support.playthroughs import deal_one
from tests.support.small_runs import SMALL, TWO
from tests.support.toy_game import PEBBLES

pytestmark = pytest.mark.compiled


def utilities(ranks: Any, scores: Any, margin: float) -> Any:
    found = np.zeros(ranks.shape)
    write_utilities(ranks, scores, 1.0, margin, found)
    return found


@pytest.mark.parametrize("players", [2, 3, 4])
def test_utilities_sum_to_nothing_and_follow_the_ranks(players: int) -> None:
    orders = np.array(list(itertools.permutations(range(1, players + 1))))
    found = utilities(orders, -3.0 * orders, margin=0.2)
    assert np.abs(found.sum(axis=1)).max() < 0.2  # what the score adds is cut off, the rest sums to zero
    for row, order in zip(found, orders, strict=True):
        assert (np.diff(row[order.argsort()]) < 0).all()
    np.testing.assert_allclose(utilities(orders, -3.0 * orders, margin=0).sum(axis=1), 0, atol=1e-12)
    level = utilities(np.ones((1, players), np.int64), np.ones((1, players)), margin=0.3)
    np.testing.assert_allclose(level, 0, atol=1e-12)


def slow_look_back(seats: Any, learns: Any, over: Any, ends: Any, values: Any, after: Any, trust: float) -> Any:
    """The same for one table, decision by decision, looking ahead."""
    steps = len(seats)
    advantages, targets = np.zeros(steps), np.zeros((steps, after.shape[0]))
    for step in range(steps - 1, -1, -1):
        if not learns[step]:
            continue
        seat, factor, expected = seats[step], 1.0, values[step, 0]
        total, now = 0.0, step
        while True:  # along the seat's own decisions
            following = next(
                (t for t in range(now, steps) if over[t] or (t > now and seats[t] == seat and learns[t])), None
            )
            if following is None:
                total += factor * (after[seat] - values[now, 0])
                break
            if following == now or seats[following] != seat or not learns[following]:  # the game ended first
                total += factor * (ends[following, seat] - values[now, 0])
                break
            total += factor * (values[following, 0] - values[now, 0])
            factor *= trust
            now = following
        advantages[step] = total
        targets[step, 0] = expected + total
        end = next((ends[t] for t in range(step, steps) if over[t]), after)
        for on in range(1, after.shape[0]):
            targets[step, on] = end[(seat + on) % after.shape[0]]
    return advantages, targets


@pytest.mark.parametrize("players", [2, 3])
def test_looking_back_goes_along_the_decisions_of_each_seat(players: int) -> None:
    chance, steps, tables = np.random.default_rng(4), 40, 6
    seats = chance.integers(players, size=(steps, tables))
    learns, over = chance.random((steps, tables)) < 0.7, chance.random((steps, tables)) < 0.1
    ends, values = chance.normal(size=(2, steps, tables, players)).astype(np.float32)
    after = chance.normal(size=(tables, players)).astype(np.float32)
    advantages, targets = np.zeros((steps, tables), np.float32), np.zeros((steps, tables, players), np.float32)
    compute_gae(seats, learns, over, ends, values, after, np.full(tables, players), 0.9, advantages, targets)
    for row in range(tables):
        expected = slow_look_back(
            seats[:, row], learns[:, row], over[:, row], ends[:, row], values[:, row], after[row], 0.9
        )
        np.testing.assert_allclose(advantages[:, row], expected[0], atol=1e-5)
        np.testing.assert_allclose(targets[:, row], expected[1], atol=1e-5)


def test_actions_are_drawn_as_often_as_they_are_preferred() -> None:
    chances = np.array([0.5, 0.3, 0.2, 0.0])
    preferences = np.tile(np.log(np.maximum(chances, 1e-9)), (20_000, 1)).astype(np.float32)
    masks = np.tile([1, 1, 1, 0], (20_000, 1))
    preferences[:, 3] = 50  # much preferred, but not legal
    drawn = np.bincount(sample(preferences, masks, np.random.default_rng(2)), minlength=4) / 20_000
    np.testing.assert_allclose(drawn, chances, atol=0.015)


def test_harder_members_come_oftener() -> None:
    league, chance = OpponentPool(2, 2, Learner(SMALL).shape), np.random.default_rng(1)
    for _ in range(20):  # the first is easily beaten
        league.note(np.array([7, 100, 100, 0, 0]), np.array([3, 90, -50, 0, 0]))
    drawn = np.array([league.draw(np.array([1, 2]), chance) for _ in range(1000)])
    assert (drawn == 2).mean() > 0.9
    assert (drawn == 1).any()


def test_the_oldest_self_makes_room() -> None:
    learner = Learner(SMALL)
    for _ in range(5):
        learner.league.add(learner.network())
    assert learner.league.taken == 6  # one is there from the first
    assert learner.league.past.tolist() == [3, 4, 5]


def test_it_learns() -> None:
    """Pebbles with a coin under each: whoever takes more wins. Better than chance after a little practice."""
    changed = {"decisions": 8000 if INTERPRETED else 40_000, "rate": 3e-3, "agents": ()}
    learner = Learner(Settings(**{**asdict(SMALL), **changed}))
    before = _utility(learner)
    while learner.done < 1:
        learner.iterate()
    assert _utility(learner) > before + 0.1


def _utility(learner: Learner) -> float:
    """How the learner does against chance, on average over many games."""
    chance, network = np.random.default_rng(8), learner.network()
    states = PEBBLES.new_states(200)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=2, coins=12), np.arange(200))
    own, actors, done = np.arange(200) % 2, np.zeros(200, np.int64), np.zeros(200, np.bool_)
    for step in range(12):
        batch.actor_rows(states, actors)
        actions = np.zeros(200, np.int64)
        for preferring in (False, True):
            rows = np.flatnonzero((actors >= 0) & ((actors == own) == preferring))
            if len(rows):
                views = Views(PEBBLES, states, rows * 100 + step, rows)
                actions[rows] = sample(network(views.observations)[0] * preferring, views.masks, chance)
        batch.apply_rows(states, actions, done)
    ranks, scores = np.zeros((200, 2), np.int64), np.zeros((200, 2))
    batch.return_rows(states, ranks, scores)
    return float(utilities(ranks, scores, 0.0)[np.arange(200), own].mean())


def test_it_does_as_its_teacher_does() -> None:
    """Of one that always takes the first choice everything can be learned."""
    changed = {"teacher": "tests.support.some_agents:First", "taught": 100_000, "decisions": 100_000, "rate": 3e-3}
    learner = Learner(Settings(**{**asdict(SMALL), **changed}))
    for _ in range(8):
        learner.iterate()
    states = PEBBLES.new_states(50)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=3), np.arange(50))
    views = Views(PEBBLES, states, range(50))
    assert (learner.network()(views.observations)[0].argmax(axis=1) == 0).all()


def test_of_a_teacher_who_searches_it_learns_how_much_each_answer_is_searched() -> None:
    changed = {"teacher": "tests.support.some_agents:Undecided", "taught": 100_000, "decisions": 100_000, "rate": 3e-3}
    learner = Learner(Settings(**{**asdict(SMALL), **changed}))
    for _ in range(25):
        learner.iterate()
    states = PEBBLES.new_states(50)
    batch.deal_rows(states, PEBBLES.rules.configure(num_players=3), np.arange(50))
    preferences = learner.network()(Views(PEBBLES, states, range(50)).observations)[0]
    likely = np.exp(preferences) / np.exp(preferences).sum(axis=1, keepdims=True)
    assert np.abs(likely.mean(axis=0) - [0.75, 0, 0.25]).max() < 0.1


@pytest.mark.compiled
def test_a_teacher_who_searches_tells_how_sure_it_is() -> None:
    """By its tree if it has one; without a tree it tries all actions alike, and is sure of the best alone."""
    views = Views(PEBBLES, deal_one(0, PEBBLES), [0])
    deep, flat = make_agent("mcts:12"), make_agent("flat:12")
    assert deep.action_probabilities(views[0]).sum() == pytest.approx(1)
    assert deep.action_probabilities(views[0]).argmax() == deep.act(views[0])
    assert flat.action_probabilities(views[0]).tolist() == np.eye(len(PEBBLES.actions))[flat.act(views[0])].tolist()


def test_the_champion_teaches_with_search_if_it_searches() -> None:
    assert hasattr(teacher_of("champion:16", OLD_LONDON_BRIDGE), "action_probabilities")
    assert not hasattr(teacher_of("champion", OLD_LONDON_BRIDGE), "action_probabilities")


def test_who_is_to_be_exploited_has_all_seats_but_one() -> None:
    changed = {"tables": (0, 40), "exploit": "random", "agents": ("random",), "self_share": 0.0, "past_share": 0.0}
    learner = Learner(replace(SMALL, **changed))
    learner._collect()
    seating = learner._collector._seating[:, :3]
    assert ((seating == LEARNER).sum(axis=1) == 1).all()


def test_every_seed_deals_other_games() -> None:
    """Also the greatest, and no table of one seed is another table of the next."""
    halls = [Learner(replace(SMALL, seed=seed))._collector.hall for seed in (1, 2, 2**53 - 1)]
    dealt = [state.tobytes() for hall in halls for state in hall.batches[0]._batch._states]
    assert len(set(dealt)) > 0.8 * len(dealt)


def test_processes_that_learn_together_agree_and_learn_from_all_tables() -> None:
    """Each has its share of the tables; the networks of all are the same to the last bit."""
    crew = Crew(TWO)
    sizes = {name: len(part) for name, part in crew.save().items() if name.endswith("seating")}
    assert sizes == {"tables.0.seating": 10, "tables.1.seating": 10}
    for _ in range(3):
        report = crew.iterate()
    assert report.decisions == 3 * 10 * 20
    first, second = (one.weights["head.weight"] for one in crew.together("network"))
    assert (first == second).all()


@pytest.mark.compiled
@pytest.mark.parametrize("shares", [(10, 0), (3, 7)])
def test_gradients_of_all_count_by_their_decisions(shares: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """One process's decisions pull the weights up, the other's down, each as much as it has decisions."""

    def step(self: Learner) -> float:
        slope = -1.0 if self._number == 0 else 1.0
        slopes = [torch.full_like(part, slope) for part in self.model.parameters()]
        self.settings = replace(self.settings, gradient=1e9)
        lesson: Any = SimpleNamespace(gradient=lambda rows: (slopes, torch.zeros(FIGURES)))
        self._step(lesson, torch.arange(shares[self._number]))
        return float(next(self.model.parameters()).grad.mean())  # type: ignore[union-attr]

    monkeypatch.setattr(Learner, "one_step", step, raising=False)
    crew = Crew(TWO)
    expected = (shares[1] - shares[0]) / sum(shares)
    assert crew.together("one_step") == [pytest.approx(expected)] * 2


@pytest.mark.compiled
def test_training_is_measured_beside_single_environments(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = {"tables": (4, 2, 2), "steps": 3, "minibatch": 16, "hidden": (8,), "workers": 1, "agents": ("random",)}
    monkeypatch.setattr("olb_training.ppo.benchmark.preset_of", lambda name, game: {**small, "game": game})
    assert main(["bench", "--train", "--seconds", "0.01", "--json", "-"]) == 0
    figures = json.loads(capsys.readouterr().out)["decisions_per_second"]
    assert len(figures) == 6
    assert min(figures.values()) > 0


def test_win_rates_come_with_intervals() -> None:
    rate = win_rate(PEBBLES.name, "tests.support.some_agents:First", "random", 2, 6)
    assert rate.low <= rate.value <= rate.high


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "say where"),
        (("--out", "x", "--resume", "y"), "say where"),
        (("--out", "x", "--tables", "1", "2", "3", "4"), "expected how many of 2, 3, 4 players each"),
        (("--out", "x", "--hidden", "0"), "expected one width or more"),
        (("--out", "x", "--agents", "nobody"), "unknown agent 'nobody'"),
        (("--out", "x", "--agents", "random", "mcts:5ms"), "agent 'mcts:5ms' goes by the clock"),
        (("--out", "x", "--start", "nowhere.safetensors"), "cannot read"),
        (("--out", "x", "--self-share", "2"), "expected at most 1 together"),
        (("--out", "x", "--minutes", "0"), "--minutes is 0"),
        (("--out", "x", "--rate", "nan"), "rate is nan: expected a number from 0 on"),
        (("--out", "x", "--seed", "-1"), "seed is -1"),
        (("--out", "x", "--hidden", "9999"), "each at most 8192"),
        (("--out", "x", "--options", "num_players=3"), "option 'num_players=3': expected NAME=VALUE"),
        (("--out", "x", "--workers", "1", "--agents", "policy:nowhere.safetensors"), "cannot read"),
        (("--out", "x", "--algo", "sb3", "--minutes", "3"), "no --minutes"),
        (("--out", "x", "--algo", "sb3", "--taught", "3"), "--taught is not for --algo sb3"),
        (("--out", "x", "--algo", "sb3", "--self-share", "0.5"), "--self-share is not for --algo sb3"),
        (("--out", "x", "--taught", "-1"), "taught is -1: expected a whole number from 0 on"),
        (("--out", "x", "--expecting", "-1"), "expecting is -1: expected a whole number from 0 on"),
        (("--out", "x", "--deals", "1000000000"), "deals is 1000000000: expected at most 1,000,000"),
        (("--out", "x", "--trust", "2"), "trust is 2.0: expected at most 1"),
        (("--out", "x", "--exploit", "planner", "--agents", "greedy"), "leave out --agents"),
        (
            ("--out", "x", "--features", "all"),
            "features is 'all': expected one of observation, derived, lookahead",
        ),
        (("--out", "x", "--teacher", "", "--taught", "9"), "taught without a teacher"),
        (("--out", "x", "--players", "2"), "--players is for --algo sb3 and --exploit"),
        (("--out", "x", "--algo", "sb3", "--preset", "quick"), "has no --preset"),
        (("--out", ""), "--out is empty"),
        (("--out", "x", "--algo", "sb3", "--start", "champion"), "--start is not for --algo sb3"),
        (("--out", "x", "--exploit", "random", "--players", "3", "--tables", "0", "9", "0"), "leave one out"),
        (("--out", "x", "--tables", "2", "0", "0", "--steps", "100000000"), "expected at most 2,000,000"),
        (("--resume", "nowhere", "--algo", "sb3"), "leave out all settings"),
        (("--resume", "nowhere"), "holds no checkpoints"),
        (("--resume", "nowhere", "--seed", "3"), "leave out all settings"),
    ],
)
def test_what_cannot_be_trained_is_said_in_a_line(
    words: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["train", *words]) == 2
    assert message in capsys.readouterr().err
    assert not (tmp_path / "x").exists()  # nothing was written


@pytest.mark.compiled
def test_what_agents_by_name_are_not_told_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """They find out for themselves; it only saves time."""
    settings = Settings(
        hidden=(16,), features="derived", tables=(6, 0, 6), steps=30, minibatch=128, self_share=0.2, past_share=0.2,
        past=2, agents=("greedy",), workers=1,
    )  # fmt: skip
    learners = []
    for deaf in (Collector._deaf, lambda collector: np.zeros_like(collector._seating, np.bool_)):
        monkeypatch.setattr(Collector, "_deaf", deaf)
        learners.append(Learner(settings))
        for _ in range(4):
            learners[-1].iterate()
    one, other = (learner.network().weights for learner in learners)
    assert all((one[name] == other[name]).all() for name in one)
    assert (learners[0]._collector._seating == 1).any()


def test_at_first_only_expectations_may_be_learned() -> None:
    """What decides stays as it is, until so many decisions are made."""
    once = SMALL.steps * sum(SMALL.tables)
    learner = Learner(replace(SMALL, expecting=2 * once))
    actions, changed = learner.shape.num_actions, []
    for _ in range(3):
        before = learner.model.head.weight.detach().clone()
        learner.iterate()
        differs = (learner.model.head.weight != before).any(dim=1)
        changed.append((bool(differs[:actions].any()), bool(differs[actions:].all())))
    assert changed == [(False, True), (False, True), (True, True)]
