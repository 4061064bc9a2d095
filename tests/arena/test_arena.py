"""The arena: fair schedules, reproducible results, agents that fail, runs that are continued, the command."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import olb_env
from olb_env.commands.olb import main
from olb_training.arena.console_report import print_report
from olb_training.arena.schedule import MAX_LINEUPS, Plan, Unit, make_lineups, rotations, units
from olb_training.arena.statistics import Estimate, Row
from olb_training.arena.worker import play_units
from tests.support.running import INTERPRETED, OLB_WITH_SIGINT
from tests.support.small_tournaments import DEALS, plan, rows_of
from tests.support.toy_game import PEBBLES


def arena(*words: str) -> int:
    return main(["arena", "--players", "2", "--deals", str(DEALS), "--seed", "1", *words])


def report_of(*words: str, tmp_path: Path) -> dict[str, Any]:
    """Return the JSON that a run writes, without the times."""
    out = tmp_path / "report.json"
    assert main(["arena", *words, "--json", str(out)]) == 0
    report: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
    for row in report["rows"]:
        del row["milliseconds"]
    return report


ONLOOKER = """
class Onlooker:
    def act(self, view):
        return int(view.mask.argmax())

    def act_many(self, views):
        with open({log!r}, "a") as file:
            file.write(f"{{len(views)}}\\n")
        return views.masks.argmax(axis=1)
"""


def test_few_agents_play_in_all_groups() -> None:
    assert make_lineups(4, 2, seed=1) == [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)]
    assert make_lineups(4, 4, seed=1) == [(0, 1, 2, 3)]


@pytest.mark.parametrize(("agents", "players"), [(13, 4), (20, 3), (30, 2)])
def test_many_agents_play_equally_often(agents: int, players: int) -> None:
    lineups = make_lineups(agents, players, seed=1)
    assert len(lineups) == MAX_LINEUPS
    assert all(len(set(lineup)) == players for lineup in lineups)
    counts = Counter(agent for lineup in lineups for agent in lineup)
    assert max(counts.values()) - min(counts.values()) <= 1
    assert len(set(lineups)) == MAX_LINEUPS  # no group plays twice


def test_every_one_of_very_many_agents_plays() -> None:
    lineups = make_lineups(130, 2, seed=1)
    assert {agent for lineup in lineups for agent in lineup} == set(range(130))


def test_every_agent_sits_in_every_seat() -> None:
    assert rotations((4, 7, 9)) == [(4, 7, 9), (7, 9, 4), (9, 4, 7)]


def test_too_few_agents_are_refused() -> None:
    with pytest.raises(ValueError, match="2 agents for a table of 3: name at least 3; a name may be repeated"):
        plan("random", "random", players=3)


def test_a_unit_does_not_depend_on_the_others() -> None:
    contest = plan("random", "tests.support.some_agents:Watcher", "tests.support.some_agents:First")
    schedule = list(units(contest))
    together = play_units(contest, schedule)
    for unit, found in zip(schedule, together, strict=True):
        (alone,) = play_units(contest, [unit])
        assert (alone.ranks, alone.scores, alone.decisions) == (found.ranks, found.scores, found.decisions)


def test_rotations_play_the_same_deal() -> None:
    """With an agent in all seats that always takes the first choice, all rotations are the same game."""
    contest = plan("tests.support.some_agents:First", "tests.support.some_agents:First")
    (found,) = play_units(contest, [Unit(0, 0)])
    assert found.scores[0] == found.scores[1]


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3])
def test_an_agent_wins_exactly_its_share_against_copies_of_itself(players: int) -> None:
    contest = Plan("old_london_bridge", ("random",) * players, players, 2 if INTERPRETED else 10, 1)
    (row,) = rows_of(contest).values()
    assert row.win_rate.value == pytest.approx(1 / players, abs=1e-12)
    assert row.win_rate.half_width == pytest.approx(0, abs=1e-12)


@pytest.mark.compiled
@pytest.mark.parametrize("players", [2, 3])
def test_agents_that_play_alike_win_equally_often(players: int) -> None:
    """They have different names, so their wins are counted apart; the rotations make them equal."""
    contest = plan(*["random"] * (players - 1), "tests.support.some_agents:AlsoRandom", players=players)
    for row in rows_of(contest).values():
        assert row.win_rate.value == pytest.approx(1 / players, abs=1e-12)


@pytest.mark.parametrize("limit", [None, 60.0])
@pytest.mark.parametrize(
    ("agent", "message"),
    [
        ("tests.support.some_agents:Broken", "RuntimeError: no idea"),
        ("tests.support.some_agents:Cheat", "chose 'fly'"),
        ("tests.support.some_agents:Forger", "chose 'fly'"),
        ("tests.support.some_agents:Exit", "SystemExit"),
        ("tests.support.some_agents:Odd", "KeyError: 'strange'"),
    ],
)
def test_an_agent_that_fails_forfeits_and_the_others_play_on(agent: str, message: str, limit: float | None) -> None:
    contest = plan(agent, "random", "tests.support.some_agents:First", players=3, move_limit=limit)
    rows = rows_of(contest)
    assert rows[agent].win_rate.value == 0
    assert rows[agent].rank.value == 3
    assert rows[agent].forfeits == rows[agent].games
    assert message in str(rows[agent].first_forfeit)
    assert rows["random"].forfeits == 0
    assert rows["random"].win_rate.value + rows["tests.support.some_agents:First"].win_rate.value == pytest.approx(1)


def test_a_slow_agent_forfeits() -> None:
    contest = plan("tests.support.some_agents:Slow", "random", deals=2, move_limit=0.005)
    rows = rows_of(contest)
    assert rows["tests.support.some_agents:Slow"].forfeits == 4
    assert "took longer than 0.005 s" in str(rows["tests.support.some_agents:Slow"].first_forfeit)


def test_an_agent_that_hangs_forfeits() -> None:
    rows = rows_of(plan("tests.support.some_agents:Hang", "random", deals=2, move_limit=0.5))
    assert rows["tests.support.some_agents:Hang"].forfeits == 4
    assert rows["random"].win_rate.value == 1


def test_nobody_wins_a_game_that_all_forfeit() -> None:
    rows = rows_of(plan("tests.support.some_agents:Broken", "tests.support.some_agents:Cheat", deals=2))
    assert all(row.win_rate.value == 0 and row.rank.value == 2 for row in rows.values())
    assert all(row.rank_reward.value == -1 for row in rows.values())


def test_a_users_agent_never_sees_two_games_of_a_deal_at_once(tmp_path: Path) -> None:
    bot = tmp_path / "onlooker.py"
    bot.write_text(ONLOOKER.format(log=str(tmp_path / "log")), encoding="utf-8")
    contest = plan(f"{bot}:Onlooker", "random", "random", deals=4)
    play_units(contest, list(units(contest)))
    assert max(map(int, (tmp_path / "log").read_text(encoding="utf-8").split())) == 4


def test_errors_are_printed_verbatim(capsys: pytest.CaptureFixture[str]) -> None:
    assert (
        arena("--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:Marker", "--workers", "1") == 0
    )
    assert "RuntimeError: no such tag [/x] or [columns]" in " ".join(capsys.readouterr().out.split())


def test_the_output_of_agents_does_not_mix_with_the_report(capfd: pytest.CaptureFixture[str]) -> None:
    words = ("--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:Chatty", "--workers", "1")
    assert arena(*words, "--json", "-") == 0
    shown = capfd.readouterr()
    assert json.loads(shown.out)["deals"] == DEALS
    assert "tests.support.some_agents:Chatty: hmm\n" in shown.err


def test_files_are_written_even_if_the_reader_of_the_report_has_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def closed_pipe(*_: Any) -> None:
        raise BrokenPipeError

    monkeypatch.setattr("olb_training.commands.arena.print_report", closed_pipe)
    monkeypatch.setattr("os.dup2", lambda *_: None)
    out = tmp_path / "report.json"
    words = ("--game", PEBBLES.name, "--agents", "random", "random", "--workers", "1", "--json", str(out))
    assert arena(*words) == 1
    assert json.loads(out.read_text(encoding="utf-8"))["deals"] == DEALS


@pytest.mark.compiled
def test_the_number_of_workers_changes_nothing(tmp_path: Path) -> None:
    words = ("--agents", "planner", "greedy", "random", "--deals", "20", "--seed", "1")
    found = [report_of(*words, "--workers", workers, tmp_path=tmp_path) for workers in ("1", "2")]
    assert found[0] == found[1]
    assert [row["agent"] for row in found[0]["rows"]] == ["planner", "greedy", "random"]


@pytest.mark.compiled
def test_a_run_stops_at_the_same_precision_whatever_the_workers(tmp_path: Path) -> None:
    words = ("--agents", "greedy", "random", "planner", "--until", "6", "--seed", "1")
    found = [report_of(*words, "--workers", workers, tmp_path=tmp_path) for workers in ("1", "2")]
    assert found[0] == found[1]
    assert 20 <= found[0]["deals"] < 1000
    widths = [max(rate["high"] - rate["value"], rate["value"] - rate["low"]) for rate in rates(found[0])]
    assert max(widths) <= 0.06


def rates(report: dict[str, Any]) -> list[dict[str, float]]:
    return [row["win_rate"] for row in report["rows"]]


def test_a_continued_run_ends_with_the_same_report_and_records(tmp_path: Path) -> None:
    words = ("--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:First", "random", "--deals", "30")
    unbroken = report_of(*words, "--records", str(tmp_path / "all.jsonl"), tmp_path=tmp_path)
    journal, records = tmp_path / "run", tmp_path / "games.jsonl"
    kept = ("--resume", str(journal), "--records", str(records))
    report_of(*words, *kept, tmp_path=tmp_path)
    whole = journal.read_text(encoding="utf-8").splitlines(keepends=True)
    # As after a power cut in the middle of a line. Records are written first, so there are more of them.
    journal.write_text("".join(whole[:20]) + whole[20][:30], encoding="utf-8")
    games = records.read_text(encoding="utf-8")
    records.write_text(games[: games.index("\n", 3 * len(games) // 4) + 20], encoding="utf-8")
    continued = report_of("--game", PEBBLES.name, *kept, tmp_path=tmp_path)
    assert continued == unbroken
    # Nothing was played twice: the lines are the same, with their times.
    assert journal.read_text(encoding="utf-8").splitlines(keepends=True)[:20] == whole[:20]
    assert len(journal.read_text(encoding="utf-8").splitlines()) == len(whole)
    assert records.read_text(encoding="utf-8") == (tmp_path / "all.jsonl").read_text(encoding="utf-8")
    assert len(olb_env.load_records(records)) == 30 * 3 * 2


@pytest.mark.compiled
def test_a_continued_run_stops_at_the_same_precision(tmp_path: Path) -> None:
    words = ("--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:First", "--until", "9")
    unbroken, journal = report_of(*words, tmp_path=tmp_path), tmp_path / "run"
    report_of(*words, "--resume", str(journal), tmp_path=tmp_path)
    journal.write_text("".join(journal.read_text("utf-8").splitlines(keepends=True)[:15]), encoding="utf-8")
    assert report_of("--game", PEBBLES.name, "--resume", str(journal), tmp_path=tmp_path) == unbroken


def test_a_finished_run_can_be_continued_with_more_deals(tmp_path: Path) -> None:
    words = ("--game", PEBBLES.name, "--agents", "random", "tests.support.some_agents:First")
    kept = ("--resume", str(tmp_path / "run"))
    report_of(*words, "--deals", "10", *kept, tmp_path=tmp_path)
    more = report_of("--game", PEBBLES.name, "--deals", "25", *kept, tmp_path=tmp_path)
    assert more == report_of(*words, "--deals", "25", tmp_path=tmp_path)


def damage(lines: list[str], how: str) -> str:
    if how == "foreign":
        return "roses are red\n"
    if how == "later":
        lines[0] = lines[0].replace('"arena":3', '"arena":99')
    if how == "missing":
        del lines[3]
    if how == "rank":
        lines[4] = lines[4].replace('"ranks":[[1', '"ranks":[[7').replace('"ranks":[[2', '"ranks":[[7')
    if how == "forfeit":
        lines[4] = lines[4].replace('"forfeits":[]', '"forfeits":[[0,9,"?"]]')
    if how == "agents":
        lines[0] = lines[0].replace('"agents":["random","random"]', '"agents":[1,2]')
    if how == "torn":
        return lines[0].rstrip("\n")
    if how == "nonsense":
        lines[4] = lines[4].replace('"ranks":[[', '"ranks":[["x",')
    return "".join(lines)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ("foreign", "is not a tournament of olb arena"),
        ("later", "format 99, expected 3"),
        ("missing", "line 4: not the next result of this tournament (deal 3, lineup 0; expected 2, 0)"),
        ("nonsense", "line 5: not the next result"),
        ("rank", "ranks has impossible entries"),
        ("forfeit", "forfeits has games or seats that do not exist"),
        ("agents", "its plan has unexpected keys or agents"),
        ("torn", "its first line is incomplete"),
    ],
)
def test_a_damaged_file_is_refused(how: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run"
    words = ("--game", PEBBLES.name, "--agents", "random", "random", "--deals", "10", "--workers", "1")
    assert main(["arena", *words, "--resume", str(file)]) == 0
    changed = damage(file.read_text(encoding="utf-8").splitlines(keepends=True), how)
    file.write_text(changed, encoding="utf-8")
    assert main(["arena", *words, "--resume", str(file)]) == 2
    assert message in capsys.readouterr().err
    assert file.read_text(encoding="utf-8") == changed


def test_another_tournament_is_not_continued(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["arena", "--game", PEBBLES.name, "--workers", "1", "--deals", "2", "--resume", str(tmp_path / "run")]
    assert main([*words, "--agents", "random", "random"]) == 0
    assert main([*words, "--agents", "random", "tests.support.some_agents:First"]) == 2
    assert "holds a tournament with another --agents" in capsys.readouterr().err
    assert main([*words, "--records", str(tmp_path / "new.jsonl"), "--deals", "3"]) == 2
    assert "new.jsonl" in capsys.readouterr().err
    precious = tmp_path / "precious"
    precious.write_bytes(b"\xff line\n" * 50)
    assert main([*words, "--records", str(precious), "--deals", "3"]) == 2
    assert "precious does not hold the 4 games" in capsys.readouterr().err
    assert precious.read_bytes() == b"\xff line\n" * 50


def test_the_html_report_needs_no_other_file(tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    agents = ("random", "tests.support.some_agents:First", "tests.support.some_agents:Broken")
    assert main(["arena", "--game", PEBBLES.name, "--agents", *agents, "--deals", "4", "--html", str(file)]) == 0
    text = file.read_text(encoding="utf-8")
    HTMLParser().feed(text)
    assert text.count("<svg ") == 5
    assert all(name in text for name in agents)
    assert "RuntimeError: no idea" in text
    linked = re.findall(r"(?:src|href)=[\"']([^\"'#][^\"']*)", text)
    assert linked == []


@pytest.mark.compiled
def test_an_interrupted_run_reports_what_it_has(tmp_path: Path) -> None:
    kept = tmp_path / "run"
    words = ["arena", "--agents", "random", "random", "--players", "2", "--deals", "1000000", "--workers", "2"]
    words += ["--resume", str(kept)]
    process = subprocess.Popen(
        [sys.executable, "-c", OLB_WITH_SIGINT, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while (not kept.exists() or kept.read_bytes().count(b"\n") < 20) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    out, err = (text.decode() for text in process.communicate(timeout=300))
    assert process.returncode == 130
    assert "olb arena: interrupted after" in err
    assert "Traceback" not in err
    assert " 50.0 " in out  # exactly, as it plays against itself


def test_the_report_shows_par_and_forfeits(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--agents", "random", "tests.support.some_agents:Broken", "--deals", "2", "--workers", "1")
    assert arena(*words) == 0
    shown = " ".join(capsys.readouterr().out.split())  # whatever the width of the terminal
    assert "par is 50%" in shown
    assert "rank reward" in shown
    assert "forfeited 4 games: agent 'tests.support.some_agents:Broken'" in shown


def test_the_report_fits_into_80_columns(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def row(agent: str) -> Row:
        rating, score, reward = Estimate(1500, 1490, 1512), Estimate(54.3, 53, 55), Estimate(-0.001, -0.1, 0.04)
        share, rank, times = Estimate(0.254, 0.24, 0.27), Estimate(2.5, 2.4, 2.7), Estimate(0.012, 0.011, 0.014)
        return Row(agent, 12_000, share, rating, score, rank, reward, times, {}, {"1": share}, 3, "no idea")

    monkeypatch.setenv("COLUMNS", "80")
    agents = ["planner", f"policy:{'x' * 40}"]
    print_report(plan(*agents), [row(agent) for agent in agents], 100)
    shown = capsys.readouterr().out.splitlines()
    assert max(map(len, shown)) <= 80
    (line,) = [line for line in shown if "12,000" in line and "planner" in line]
    assert line.split() == ["planner", "12,000", "25.4±1.6", "1500±12", "54.3±1.3", "2.50", "0.00±0.10", "0.012"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "no agents given"),
        (("--agents", "random"), "1 agents for a table of 2"),
        (("--agents", "random", "clever"), "unknown agent 'clever'"),
        (("--agents", "random", "random", "--scoring", "none"), "scoring"),
        (("--agents", "random:", "random"), "has nothing after its colon"),
        (("--agents", "random", "champion:0"), "expected a number of simulations"),
        (("--agents", "random", "sys:exit"), "cannot load agent 'sys:exit' (SystemExit"),
        (("--agents", "random", f"policy:{'x' * 5000}"), "cannot load agent"),
        (("--agents", "random", "random", "--html", "-"), "--html needs a file"),
        (("--agents", "random", "random", "--json", "x", "--html", "./x"), "name the same file"),
        (("--game", PEBBLES.name, "--agents", "random", "planner"), "pebbles has no style 'planner'"),
        *(
            (("--agents", "random", "random", option, "/no/such/x"), "cannot write /no/such/x")
            for option in ("--json", "--html", "--records", "--resume")
        ),
    ],
)
def test_mistakes_are_reported_in_a_line(
    words: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert arena("--deals", "2", "--workers", "1", *words) == 2
    assert message in capsys.readouterr().err


LONG = "x" * 5000


@pytest.mark.parametrize(
    "words",
    [
        ("--agents", "random", LONG),
        ("--agents", "random", f"{LONG}.py:Bot"),
        ("--agents", "random", f"{LONG}:{LONG}"),
        ("--agents", "random", f"no.such.module:{LONG}"),
        ("--agents", "random", f"policy:{LONG}"),
        ("--agents", "random", f"mcts:{LONG}"),
        ("--agents", "random", f"random:{LONG}"),
        ("--agents", "random", "random", "--json", f"/no/{LONG}"),
        ("--agents", "random", "random", "--resume", f"/no/{LONG}"),
        ("--agents", "random", "random", "--coins", LONG),
        *(
            ("--agents", "random", "random", option, LONG)
            for option in ("--until", "--deals", "--seed", "--players", "--workers", "--move-limit", "--memory-limit")
        ),
    ],
)
def test_mistakes_never_repeat_more_than_200_characters(
    words: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(["arena", "--game", PEBBLES.name, *words])
    except SystemExit as exit_:
        code = int(str(exit_.code))
    shown = capfd.readouterr()
    assert code == 2
    assert shown.out == ""
    assert shown.err.count("\n") == 1
    assert shown.err.count("x") < 260  # those of other words too
    assert len(shown.err) < 1300
