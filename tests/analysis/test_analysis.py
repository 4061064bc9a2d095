"""Recorded games as arrays and data frames, and estimates whose intervals hold what they promise."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from olb_env.core.game import find
from olb_env.core.records import RecordError, replay, save_records
from olb_env.old_london_bridge.components import AREAS, CRESTS, FREE, KINDS, SCORINGS, SHARE, TILES
from olb_env.playing import play_game
from olb_training.analysis import __main__ as command
from olb_training.analysis import old_london_bridge as olb
from olb_training.analysis import old_london_bridge_replay as decisions
from olb_training.analysis import summary
from olb_training.analysis.estimates import difference, effects, means, paired_difference
from olb_training.analysis.games import Games, read_games
from tests.old_london_bridge.positions import first_turn
from tests.old_london_bridge.reference import ReferenceGame
from tests.old_london_bridge.reference.table import Player
from tests.support.running import INTERPRETED
from tests.support.toy_game import PEBBLES

GAME = find("old_london_bridge")
IN_PLAY = 2  # the tile side of every area that pays during the game


def scoring_of(number: int) -> dict[str, str]:
    """In games 0 to 3 every area scores by another tile side, one of them in play; in game 4 all score in play."""
    sides = [1 + (number + place) % 4 if number < 4 else IN_PLAY for place in range(len(AREAS))]
    return {area: SCORINGS[area][side] for area, side in zip(AREAS, sides, strict=True)}


@pytest.fixture(scope="module")
def records() -> list[Any]:
    """Without the compiler only one game, of random players."""
    found = []
    for players in (2,) if INTERPRETED else (2, 3, 4):
        for seed in (4,) if INTERPRETED else range(5):
            setup = GAME.rules.configure(num_players=players, scoring=scoring_of(seed))
            names = ["random"] * 2 if INTERPRETED else ["planner", *["greedy"] * (players - 1)]
            found.append(play_game(GAME, setup, seed, names))
    return found


@pytest.fixture(scope="module")
def games(records: list[Any]) -> Games:
    return read_games(records)


@pytest.fixture(scope="module")
def frames(games: Games) -> tuple[pd.DataFrame, pd.DataFrame]:
    return olb.frames(games, stakes=True)


@pytest.mark.compiled
def test_games_are_read_with_their_results(records: list[Any], games: Games, tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    save_records(file, records)
    assert (read_games(file).actions == games.actions).all()
    assert len(read_games(file, most=3)) == 3
    seats = games.seats()
    for number, record in enumerate(records):
        own = seats[seats["game"] == number]
        assert own["money"].tolist() == record["money"]
        assert own.sort_values("rank")["seat"].tolist() == record["ranking"]
        assert own["agent"].tolist() == record["agents"]
        assert own["won"].sum() == 1
        assert [record["setup"]["chapel_start"]["ABCD".index(start)] for start in own["start"]] == own["seat"].tolist()
    two = games.with_players(2)
    assert len(two) == 5
    assert two.actions.tolist() == games.actions[: games.first[5]].tolist()
    assert set(two.seats()["players"]) == {2}


def test_ties_share_a_win() -> None:
    setup = PEBBLES.rules.configure(num_players=2, coins=6)
    played = read_games([play_game(PEBBLES, setup, seed, ["random", "random"]) for seed in range(40)])
    seats = played.seats()
    assert (seats.groupby("game")["won"].sum() == 1).all()
    assert {0.0, 0.5, 1.0} == set(seats["won"])


def test_records_that_cannot_be_analysed_are_refused(records: list[Any]) -> None:
    other = play_game(PEBBLES, PEBBLES.rules.configure(), 1, ["random", "random"])
    short = {key: value for key, value in records[0].items() if key not in GAME.records.end_keys}
    short["moves"] = short["moves"][:-1]
    for wrong, words in (([], "no games"), ([records[0], other], "record 2 is of pebbles"), ([short], "stops before")):
        with pytest.raises(RecordError, match=words):
            read_games(wrong)


def test_decisions_are_what_the_records_say(records: list[Any], frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    """They are compared with the states of each replay."""
    rows = frames[0].itertuples()
    for number, record in enumerate(records):
        for state, seat, action in replay(record):
            row, player = next(rows), state.seats[seat]
            assert (row.game, row.seat, GAME.actions[row.action]) == (number, seat, action)
            assert (row.round, row.money, row.built) == (state.round_number, state.money[seat], player.built)
            assert row.legal == len(GAME.legal_actions(state))
            assert row.agent == record["agents"][seat]
            verb, _, rest = action.partition(" ")
            if verb in ("rondel", "centre"):
                kind = KINDS.index(rest)
                assert (row.decision, row.kind) == (decisions.PLACEMENT, kind)
                assert (row.number, row.crest) == (state.table.top_number[kind], state.top_crest[kind])
                free = bool(state.table.used[FREE - SHARE])
                assert row.centre == (verb == "centre")
                assert row.coin == ((0 if free else -2) if verb == "centre" else state.table.coin[kind])
                last = int(player.bridge_number[player.built - 1]) if player.built else 0
                assert row.fits == (row.number == 0 or last == 0 or last > row.number)
            elif verb == "replace":
                space = int(rest) - 1
                assert (row.lost_kind + 1, row.lost_number) == (player.bridge_kind[space], player.bridge_number[space])
            elif verb == "bonus":
                left = int(state.table.pile_left[int(rest) - 1])
                assert TILES[row.tile] == TILES[state.hidden.pile[int(rest) - 1, len(TILES) - left]]
            elif verb == "play":
                assert row.decision == decisions.BID
                assert row.stake >= 0
            elif verb == "use":
                assert (row.decision, TILES[row.tile]) == (decisions.TILE_USE, rest)
    assert next(rows, None) is None


def test_the_centre_costs_nothing_with_a_free_tile() -> None:
    game, centre = first_turn(), GAME.actions.index("centre mercer")
    game.give(0, "free")
    assert decisions.coins_for(game.game, centre) == -2
    game.act("use free")
    assert decisions.coins_for(game.game, centre) == 0


@pytest.mark.compiled
def test_frames_of_seats_and_choices_add_up(records: list[Any], frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    frame, seats = frames
    for row, (number, record) in zip(
        seats.to_dict("records"), [(n, r) for n, r in enumerate(records) for _ in range(r["players"])], strict=True
    ):
        assert row["game"] == number
        assert sum(row[f"£ {source}"] for source in olb.SOURCES) == row["money"]
        assert row["chapel scoring"] == record["scoring"]["chapel"]
        others = [money for seat, money in enumerate(record["money"]) if seat != row["seat"]]
        assert row["margin"] == pytest.approx(row["money"] - np.mean(others))
    taken = sum(move[1].startswith("bonus") for record in records for move in record["moves"])
    assert sum(int(seats[f"took {tile}"].sum()) for tile in TILES) == taken
    built = olb.buildings(frame)
    assert set(built["crest"]) <= set(CRESTS[1:])
    whole = olb.shares(built, "kind")
    assert means(whole, "share", ["round", "kind"])["mean"].groupby("round").sum().to_numpy() == pytest.approx(1)
    choices = olb.bonus_choices(frame)
    assert choices["taken"].between(0, 1).all()
    assert set(olb.by_last_number(frame)["park"]) == {0.0, 1.0}
    assert olb.bids(frame)["card"].between(0, 4).all()


@pytest.mark.compiled
def test_every_scoring_pays_somebody(frames: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    _, seats = frames
    for area in AREAS:
        most = seats.groupby(f"{area} scoring", observed=True)[f"£ {area}"].max()
        assert set(most.index) == set(SCORINGS[area][1:])
        assert (most > 0).all()


def reference_accounts(record: Any, monkeypatch: pytest.MonkeyPatch) -> list[Counter[str]]:
    """The money of each seat by the function of the reference implementation that changed it."""
    accounts: list[Counter[str]] = [Counter() for _ in range(record["players"])]

    def change(player: Player, money: int) -> None:
        before = player.__dict__.get("pounds", 0)
        player.__dict__["pounds"] = money
        frame = sys._getframe(1)
        place = frame.f_code.co_name
        if place == "walk":
            place = type(frame.f_locals["track"]).__name__
        if place == "turn":
            place = "rondel coins" if money > before else "centre"
        accounts[player.seat][place] += money - before

    with monkeypatch.context() as patched:
        patched.setattr(Player, "money", property(lambda player: player.__dict__["pounds"], change), raising=False)
        game = ReferenceGame(record)
        for _, action in record["moves"]:
            game.apply(action)
    return accounts


def test_accounts_are_those_of_the_reference_implementation(
    records: list[Any], games: Games, frames: tuple[pd.DataFrame, pd.DataFrame], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, seats = frames
    for number, record in enumerate(records):
        for seat, expected in enumerate(reference_accounts(record, monkeypatch)):
            own = seats[(seats["game"] == number) & (seats["seat"] == seat)].iloc[0]
            end, final = Counter(record["breakdown"][seat]), games.final[number]
            paid = {area: own[f"£ {area}"] - end[area] for area in AREAS}  # in play, or for unused tiles
            tiles = int(final.seats[seat].tiles.sum())
            assert own["£ start"] == expected["__init__"]
            assert own["£ rondel coins"] == expected["rondel coins"]
            assert own["£ centre"] == expected["centre"]
            assert own["£ mercers"] == expected["resolve_effect"]
            assert own["£ chapel coins"] + own["£ chapel end"] == expected["ChapelTrack"]
            assert own["£ chapel end"] == 10 * (final.seats[seat].chapel == final.board.chapel.length)
            assert own["£ gate end"] == expected["GateTrack"]
            assert own["£ empty spaces"] == end["empty_spaces"]
            assert own["£ bonus tiles"] == tiles
            assert paid["inn"] == expected["score_reveal"]
            if record["scoring"]["gate"] == "unused tiles":
                assert paid.pop("gate") == end["bonus_tiles"] - tiles
            assert paid["chapel"] + paid.get("gate", 0) + paid["bridge"] == expected["score_round"]
            for area, pounds in paid.items():
                assert pounds == 0 or record["scoring"][area] == SCORINGS[area][IN_PLAY]


@pytest.mark.compiled
def test_the_command_prints_a_report(
    records: list[Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    file, other = tmp_path / "games.jsonl", tmp_path / "pebbles.jsonl"
    save_records(file, records)
    save_records(
        other, [play_game(PEBBLES, PEBBLES.rules.configure(), seed, ["random", "random"]) for seed in range(3)]
    )
    monkeypatch.setattr(summary, "PART", 4)
    assert command.main([str(file)]) == 0
    printed, moves = capsys.readouterr().out, sum(len(record["moves"]) for record in records)
    assert printed.startswith(f"15 games, {moves:,} decisions in ")
    assert all(
        source in printed for source in (*olb.SOURCES, "planner", "stair", "wins, %", "no intervals for fewer than 30")
    )
    assert "±" not in printed[: printed.index("± is the wider side")]
    assert command.main([str(other)]) == 0
    assert "coins" in capsys.readouterr().out
    both = tmp_path / "both.jsonl"
    both.write_bytes(file.read_bytes() + other.read_bytes())
    for wrong, why in ((tmp_path / "none.jsonl", "No such file"), (both, "record 16 is of pebbles")):
        assert command.main([str(wrong)]) == 2
        error = capsys.readouterr().err
        assert why in error
        assert error.count("\n") == 1


@pytest.mark.compiled
def test_bids_of_all_games_have_the_same_intervals_of_stakes(
    games: Games, frames: tuple[pd.DataFrame, pd.DataFrame]
) -> None:
    bids = olb.bids(frames[0])
    low, high = (olb.bids(frames[0][frames[0]["game"] == game]) for game in (0, 14))
    assert list(low["at_stake"].cat.categories) == list(high["at_stake"].cat.categories)
    assert not bids["at_stake"].isna().any()
    assert olb.bids(olb.frames(games)[0])["at_stake"].isna().all()  # stakes were not computed
    assert bids.groupby("at_stake", observed=True)["stake"].min().is_monotonic_increasing
    assert list(means(bids, "card", "at_stake").index.categories) == list(bids["at_stake"].cat.categories)


def test_means_count_rows_and_games() -> None:
    frame = pd.DataFrame({"game": [1, 1, 2, 2, 3], "of": list("aabbb"), "x": [1.0, 3.0, 5.0, 5.0, 8.0]})
    found = means(frame, "x", "of")
    assert found.loc["a", ["mean", "rows", "games"]].tolist() == [2, 2, 1]
    assert found.loc["b", ["mean", "rows", "games"]].tolist() == [6, 3, 2]
    assert means(frame, "x").loc[0, "mean"] == pytest.approx(4.4)
    alike = pd.concat([frame.assign(x=frame["x"] + 1), frame])
    assert (means(alike, "x")["rows"] == 10).all()


@pytest.mark.compiled
def test_intervals_hold_the_truth_in_95_percent_of_cases() -> None:
    """Moves of a game are alike, so intervals that took every move for an independent draw would be too narrow."""
    rng, held, hits = np.random.default_rng(3), 0, 0
    for _ in range(400):
        of_game = rng.normal(0, 1, 60)
        game = np.repeat(np.arange(60), 20)
        x = rng.normal(0, 1, len(game))
        frame = pd.DataFrame({"game": game, "y": 2.0 + of_game[game] + rng.normal(0, 1, len(game))})
        found = means(frame, "y").loc[0]
        held += found["low"] <= 2 <= found["high"]
        by_game = rng.normal(0, 1, 60)[game]
        slope = effects(frame.assign(y=frame["y"] + 0.5 * x - by_game, x=x, z=by_game), "y", ["x", "z"])
        hits += (slope["low"] <= [0.5, -1.0]).all() and (slope["high"] >= [0.5, -1.0]).all()
    assert 0.91 <= held / 400 <= 0.98
    assert 0.84 <= hits / 400 <= 0.97  # two at once


def test_the_interval_of_a_difference_combines_both_intervals() -> None:
    one = pd.DataFrame({"mean": [3.0], "low": [2.7], "high": [3.3]}, index=["a"])
    other = pd.DataFrame({"mean": [1.0], "low": [0.6], "high": [1.4]}, index=["a"])
    found = difference(one, other).loc["a"]
    assert found.tolist() == pytest.approx([2.0, 1.5, 2.5])


@pytest.mark.compiled
def test_games_with_the_same_deals_are_compared_deal_by_deal() -> None:
    """What a deal does to both sets cancels out, and the interval still holds the truth in 95% of cases."""
    rng, held = np.random.default_rng(5), 0
    for attempt in range(400):
        game = np.repeat(np.arange(80), 4)
        deal = rng.normal(0, 3, 80)[game]
        one, other = (
            pd.DataFrame({"game": game, "y": deal + shift + rng.normal(0, 1, len(game))}) for shift in (0.5, 0.0)
        )
        found = paired_difference(one, other, "y").loc[0]
        held += found["low"] <= 0.5 <= found["high"]
        if attempt % 20 == 0:
            apart = difference(means(one, "y"), means(other, "y")).loc[0]
            assert found["mean"] == pytest.approx(apart["mean"])
            assert found["high"] - found["low"] < 0.5 * (apart["high"] - apart["low"])
    assert 0.91 <= held / 400 <= 0.98
    assert paired_difference(one, other[other["game"] < 30], "y").loc[0, "games"] == 30
