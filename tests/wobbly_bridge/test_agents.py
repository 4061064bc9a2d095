"""Players of The Wobbly Bridge, scripted, searching and randomizing: legal, fair, and as strong as they should be."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from olb_agents.heuristics import heuristics_of
from olb_agents.scratch import new_scratch
from olb_agents.scripted import decide_rows
from olb_agents.wobbly_bridge import fit_evaluation
from olb_agents.wobbly_bridge.fit_evaluation import fit_logistic, fit_weights
from olb_agents.wobbly_bridge.mixed_agent import MixedAgent
from olb_agents.wobbly_bridge.styles import LEARNED, STYLES, greedy_weights, load_weights, save_weights
from olb_env import old_london_bridge, replay
from olb_env.core import batch
from olb_env.playing import Views, agent_for, decide, make_agent, play_games
from olb_env.wobbly_bridge import GAME
from olb_env.wobbly_bridge.components import CARDS, MATCHES, PLAYERS
from olb_env.wobbly_bridge.state import OVER
from olb_training.arena.schedule import Plan
from olb_training.arena.tournament import Tournament
from tests.support.playthroughs import walk
from tests.support.running import INTERPRETED
from tests.wobbly_bridge.table import Table

QUICK = "mixed:30"
SIMULATIONS = 20
LEAP, DASH, PANIC, CAREFUL, VERTIGO, IDEA, ORDER, HEAVY = range(len(CARDS))


def win_rate(agent: str, others: str, players: int, deals: int) -> float:
    """How often an agent wins against copies of another, in every seat of every deal."""
    contest = Tournament(Plan(GAME.name, (agent, *[others] * (players - 1)), players, deals, 7000))
    contest.play()
    return {row.agent: row.win_rate.value for row in contest.tally.rows(deals)}[agent]


def choice(name: str, table: Table, seed: int = 1) -> str:
    """The card that an agent chooses at a table."""
    return CARDS[decide(make_agent(name), name, Views(GAME, table.states, [seed]))[0]]


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_agents_play_whole_games(players: int) -> None:
    """Every action is legal, or a game would not come to its end."""
    names = [*STYLES, QUICK, f"mcts:{SIMULATIONS}", f"flat:{SIMULATIONS}", "random"][:players]
    for record in play_games(GAME, GAME.rules.configure(num_players=players), list(range(25)), names):
        assert replay(record).over


@pytest.mark.compiled
def test_many_decisions_at_once_are_those_one_by_one() -> None:
    states = GAME.new_states(3)
    batch.deal_rows(states, GAME.rules.configure(num_players=3), np.arange(3))
    for name in (*STYLES, QUICK):
        agent, views = make_agent(name), Views(GAME, states, [5, 6, 7])
        assert decide(agent, name, views).tolist() == [agent.act(views[row]) for row in range(3)]


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_hidden_information_changes_no_decision(players: int) -> None:
    """Games that differ in what the seat cannot know get the same action, even if no view has redrawn them."""
    mixed, differed = MixedAgent(10), 0
    for number, states in enumerate(walk(players, GAME, num_players=players)):
        seat, other = np.array([batch.actor_one(states)]), states.copy()
        if seat[0] < 0:
            break
        batch.resample_rows(other, seat, np.array([number]))
        differed += states.tobytes() != other.tobytes()
        strategies = [mixed.mixed_strategy(GAME, version, seat) for version in (states, other)]
        np.testing.assert_array_equal(*strategies)
        for style in STYLES.values():
            chosen = np.full((2, 1), -1)
            for version, actions in zip((states, other), chosen, strict=True):
                decide_rows(version, seat, style, new_scratch(GAME), actions)
            assert chosen[0] == chosen[1]
    assert differed > 0


@pytest.mark.compiled
@pytest.mark.parametrize("players", PLAYERS)
def test_planner_beats_greedy_and_greedy_beats_random(players: int) -> None:
    """The limits are far below what many games show, and far above what luck could do in these."""
    fair = 1 / players
    assert win_rate("greedy", "random", players, 100) > fair + 0.02
    assert win_rate("planner", "greedy", players, 60) > fair + 0.06


@pytest.mark.compiled
def test_mixed_beats_players_that_can_be_foreseen() -> None:
    assert win_rate("mixed:100", "planner", 4, 40) > 0.32
    assert win_rate("mixed:100", "greedy", 4, 40) > 0.32


@pytest.mark.compiled
def test_the_champion_beats_players_that_can_be_foreseen() -> None:
    """The limits are far below what many games show."""
    assert win_rate("champion", "planner", 4, 40) > 0.4
    assert win_rate("champion", "greedy", 4, 40) > 0.4


@pytest.mark.compiled
def test_search_beats_greedy() -> None:
    assert win_rate("mcts:100", "greedy", 3, 15) > 0.4


@pytest.mark.parametrize("name", [*STYLES, "mixed:20"])
def test_a_player_that_can_win_at_once_does(name: str) -> None:
    """Two spaces from safety, order leads there whatever the others do, if heavy is out of the game."""
    table = Table("order", "heavy", "idea")
    table.hold(0, "panic", "order")
    table.hold(1, "careful", "vertigo")
    table.hold(2, "careful", "idea")
    table.put_explorers(3, 8, 16)
    table.begin_match(5)
    assert choice(name, table) == "order"


@pytest.mark.parametrize("name", [*STYLES, "mixed:20"])
def test_a_lone_idea_is_replaced_by_the_best_card(name: str) -> None:
    """In the last match all other cards are on the table, and only the east wind can blow."""
    table = Table("idea", "order", "heavy", events=("west", "calm", "calm", "calm", "calm", "east"))
    table.hold(0, "panic", "leap", "dash", "idea")
    table.hold(1, "leap")
    table.hold(2, "vertigo")
    table.put_explorers(9, 8, 12)
    table.begin_match(6)
    table.pick("idea", "leap", "vertigo")
    assert table.legal == ["leap", "dash", "panic"]
    assert choice(name, table) == "dash"  # 4 west and so ahead; leap would move both of its owners by 1


@pytest.mark.compiled
def test_mixed_draws_from_its_mixed_strategy() -> None:
    """Over many seeds each card comes as often as the strategy says, and more than one card does."""
    agent, games = MixedAgent(40), 400
    table = Table("idea", "order", "heavy", "idea")
    (strategy,) = agent.mixed_strategy(GAME, table.states, np.array([0]))
    assert strategy.sum() == pytest.approx(1)
    assert (strategy > 0).sum() > 1
    assert not strategy[[ORDER, HEAVY]].any()
    states, seeds = np.repeat(table.states, games), np.random.default_rng(1).integers(2**63, size=games)
    drawn = decide(agent, "mixed", Views(GAME, states, seeds))
    frequencies = np.bincount(drawn, minlength=len(CARDS)) / games
    np.testing.assert_allclose(frequencies, strategy, atol=4 * 0.5 / np.sqrt(games))
    assert not frequencies[strategy == 0].any()


def test_mixed_plays_no_other_game() -> None:
    with pytest.raises(ValueError, match="plays wobbly_bridge, not old_london_bridge"):
        agent_for("mixed", old_london_bridge.GAME)
    assert agent_for("mixed", GAME)


@pytest.mark.parametrize("rest", ["0", "x", "-3", "1.5", "99999999"])
def test_mixed_takes_a_number_of_iterations(rest: str) -> None:
    with pytest.raises(ValueError, match=r"expected a number of iterations \(mixed:300\)"):
        make_agent(f"mixed:{rest}")


def test_playouts_end_the_game_and_their_values_add_up_to_zero() -> None:
    heuristics = heuristics_of(GAME.name)
    assert heuristics is not None
    table = Table("idea", "order", "heavy", "idea", "idea")
    results = []
    for rng_state in range(3 if INTERPRETED else 20):
        state, out = table.states.copy(), np.full(5, np.nan)
        heuristics.playout(state[0], heuristics.styles["planner"], rng_state, new_scratch(GAME), out)
        assert out.sum() == pytest.approx(0)
        assert state["phase"][0] == OVER
        results.append(out.tolist())
    assert len(np.unique(results, axis=0)) > 1


@pytest.mark.compiled
def test_fitting_again_finds_the_same_weights(tmp_path: Path) -> None:
    """They are equal bit for bit, and other games give other weights."""
    runs = [fit_weights(games=2, generations=1, iterations=20, seed=seed) for seed in (1, 1, 2)]
    for number, run in enumerate(runs):
        assert run.shape == greedy_weights().shape
        save_weights(tmp_path / str(number), run)
    first, second, other = ((tmp_path / str(number)).read_bytes() for number in range(3))
    assert first == second != other
    np.testing.assert_array_equal(load_weights(tmp_path / "0"), runs[0].astype(np.float32))


def test_the_fitting_command_saves_weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fit_evaluation, "PLAYERS", PLAYERS[:1])
    file = tmp_path / "weights.safetensors"
    fit_evaluation.main(["--games", "1", "--generations", "1", "--iterations", "1", "--out", str(file)])
    assert load_weights(file).shape == greedy_weights()[:1].shape


def test_logistic_regression_finds_the_weights_behind_the_results() -> None:
    rng = np.random.default_rng(3)
    features, weights = rng.normal(size=(4000, 3)), np.array([1.5, -0.5, 0.0])
    results = (rng.random(4000) < 1 / (1 + np.exp(-features @ weights))).astype(np.float64)
    np.testing.assert_allclose(fit_logistic(features, results), weights, atol=0.15)


def test_learned_weights_make_sense() -> None:
    """Spaces count more and more towards the end; dash and order are good to keep, panic is not."""
    weights = load_weights()
    assert LEARNED.stat().st_size < 1_000_000
    assert weights.shape == (len(PLAYERS), MATCHES, greedy_weights().shape[-1])
    assert (weights[:, 1:, 0] > 0.1).all()
    assert (weights[:, -1, 0] > weights[:, 1, 0]).all()
    assert (weights[:, 1:, 1 + DASH] > weights[:, 1:, 1 + CAREFUL]).all()
    assert (weights[:, 1:, 1 + PANIC] < weights[:, 1:, 1 + VERTIGO]).all()
    assert (weights[:, 1:, 1 + ORDER] > 0).all()
