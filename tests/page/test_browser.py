"""The pages in a real browser: a game by mouse, one by keyboard alone, a replay, a narrow screen, names, contrast."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

from olb_env.commands.olb import INTERRUPTED
from olb_env.core.game import find
from olb_env.core.records import load_records, save_records
from olb_env.playing import play_game
from tests.conftest import HEEDING
from tests.support.looks import BROKEN_WORDS, CONTRASTS, PICTURE_CONTRASTS
from tests.support.pages import GAME

expect.set_options(timeout=30_000)  # as all other waiting; a busy machine takes its time

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [
    pytest.mark.compiled,
    pytest.mark.skipif(
        CHROMIUM is None and os.environ.get("CI") != "true", reason="needs a browser: apt-get install chromium"
    ),
]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


def serve(*words: str) -> Iterator[str]:
    command = [sys.executable, "-c", HEEDING, *words, "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:\d+/", line)
        assert found, line
        yield found.group()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=20) == INTERRUPTED


@pytest.fixture(scope="module")
def playing() -> Iterator[str]:
    yield from serve("play", "--seed", "1")


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    setup = GAME.rules.configure(num_players=2)
    save_records(file, [play_game(GAME, setup, seed, ["random", "planner"]) for seed in (1, 2)])
    yield from serve("replay", str(file))


OTHER_GAMES = [("portobello_market", 3, "none"), ("wobbly_bridge", 5, "champion")]


@pytest.fixture(scope="module", params=OTHER_GAMES, ids=lambda told: str(told[0]))
def other_game(request: Any) -> tuple[str, int, str]:
    """A game, how many play it, and who is asked what to think of it."""
    found: tuple[str, int, str] = request.param
    return found


@pytest.fixture(scope="module")
def playing_other(other_game: tuple[str, int, str]) -> Iterator[str]:
    yield from serve("play", "--seed", "1", "--game", other_game[0])


@pytest.fixture(scope="module")
def replaying_other(other_game: tuple[str, int, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name, players, critic = other_game
    game, file = find(name), tmp_path_factory.mktemp("records") / "games.jsonl"
    save_records(file, [play_game(game, game.rules.configure(num_players=players), 1, ["random"] * players)])
    yield from serve("replay", "--game", name, "--critic", critic, str(file))


@pytest.fixture
def page(browser: Any) -> Iterator[Any]:
    context = browser.new_context(viewport={"width": 1360, "height": 1000}, reduced_motion="reduce")
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    opened, wrong = context.new_page(), []
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    opened.wrong = wrong
    yield opened
    context.close()
    assert not wrong


def sit_down(page: Any, home: str, players: int = 2, opponent: str = "random") -> None:
    page.goto(home)
    page.get_by_label(str(players), exact=True).check()
    for number in range(1, players):
        page.get_by_label(f"Opponent {number}").select_option(opponent)
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#table[aria-busy=false]")


def moves_seen(page: Any) -> str:
    seen: str = page.get_attribute("#table", "data-revision")
    return seen


def answered(page: Any, before: str) -> None:
    page.wait_for_selector(f'#table[aria-busy=false]:not([data-revision="{before}"])')


def click_through(page: Any) -> int:
    """Play to the end, on the picture where it offers a choice; answers how often it did."""
    on_picture = 0
    while page.locator("#choices button").count():
        before = moves_seen(page)
        places = page.locator("#board .can")
        if places.count():
            places.last.click()
            on_picture += 1
            if page.locator(f'#table[aria-busy=false][data-revision="{before}"]').count():
                page.locator("#choices button").last.click()  # the place stands for several choices
        else:
            page.locator("#choices button").last.click()
        answered(page, before)
    return on_picture


def check_the_end_fits(page: Any) -> None:
    """The account needs no scrolling on a wide screen nor on a narrow one, and no word of it is broken."""
    for width in (1360, 360):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert page.locator("#end").evaluate("(end) => end.scrollWidth <= end.clientWidth")
        assert not page.evaluate(BROKEN_WORDS)


def test_a_whole_game_by_clicking(page: Any, playing: str, tmp_path: Path) -> None:
    """On the picture where it offers the choice, else in the list; saved at the end."""
    sit_down(page, playing)
    assert click_through(page) > 10
    assert page.locator("#question").inner_text().startswith("The game is over: ")
    assert page.locator("#end thead th").count() == 2
    assert page.locator("#end tfoot td").count() == 2
    check_the_end_fits(page)
    page.get_by_role("button", name="Copy record").click()
    expect(page.locator("#share")).to_have_text("Copied")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save record").click()
    download.value.save_as(tmp_path / "saved.jsonl")
    (record,) = load_records(tmp_path / "saved.jsonl")
    assert "human" in record["agents"]
    assert record["seed"] == 1  # as the server was told
    assert json.loads(page.evaluate("() => navigator.clipboard.readText()")) == record


def test_every_game_is_played_and_replayed(
    page: Any, other_game: tuple[str, int, str], playing_other: str, replaying_other: str
) -> None:
    name, players, critic = other_game
    page.goto(playing_other)
    expect(page.get_by_label("Opponent 1")).to_have_value("champion")  # the strongest there is
    sit_down(page, playing_other, players)
    assert not page.evaluate(PICTURE_CONTRASTS)
    assert click_through(page) > 2
    assert page.locator("#question").inner_text().startswith("The game is over: ")
    assert page.locator("#end thead th").count() == players
    assert not page.evaluate(PICTURE_CONTRASTS)
    check_the_end_fits(page)
    wide = "() => document.documentElement.scrollWidth"
    record = json.loads(page.evaluate("async () => (await fetch(document.querySelector('#save').href)).text()"))
    assert record["game"] == name
    page.goto(replaying_other)
    page.wait_for_selector("#choices tr.chosen")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=move 1 of")
    assert page.evaluate(wide) <= 360
    page.keyboard.press("End")
    expect(page.locator("#question")).to_have_text("The end")
    nobody = "Nobody was asked what to think of the moves."
    judged = nobody if critic == "none" else re.compile(r"^champion finds \d+ blunders and \d+ mistakes\.")
    expect(page.locator("#judging")).to_have_text(judged)
    expect(page.locator("#charted")).to_be_visible(visible=critic != "none")


def test_a_whole_game_by_keyboard_alone(page: Any, playing: str) -> None:
    page.goto(playing)
    page.wait_for_selector("#new button")
    page.locator("#players input").first.focus()
    for _ in range(12):  # to the button, by Tab alone
        if page.evaluate("() => document.activeElement.textContent") == "Begin":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#table[aria-busy=false]")
    chosen = 0
    while page.locator("#choices button").count():
        before = moves_seen(page)
        if chosen % 2:
            page.keyboard.press("ArrowDown")
            assert page.evaluate("() => document.activeElement.dataset.action")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("1")
        answered(page, before)
        chosen += 1
        if chosen == 3:
            before = moves_seen(page)
            page.keyboard.press("u")
            answered(page, before)
    assert chosen > 10


def test_a_reload_goes_on_and_tabs_do_not_mix(page: Any, playing: str) -> None:
    sit_down(page, playing)
    before = moves_seen(page)
    page.locator("#choices button").first.click()
    answered(page, before)
    there, board = moves_seen(page), page.locator("#board text").all_text_contents()
    other = page.context.new_page()
    sit_down(other, playing, players=4)
    assert other.url != page.url
    page.reload()
    page.wait_for_selector("#table[aria-busy=false]")
    assert (moves_seen(page), page.locator("#board text").all_text_contents()) == (there, board)


def test_two_tabs_of_one_game_do_not_answer_for_each_other(page: Any, playing: str) -> None:
    sit_down(page, playing)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#table[aria-busy=false]")
    before = moves_seen(page)
    page.locator("#choices button").first.click()
    answered(page, before)
    other.locator("#choices button").first.click()
    other.wait_for_selector("#error:not([hidden])")
    assert "has gone on in another tab" in other.locator("#error").inner_text()
    expect(other.locator("#table")).to_have_attribute("data-revision", moves_seen(page))  # as it stands now


def test_others_moves_are_shown_one_by_one_unless_skipped(page: Any, playing: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    sit_down(page, playing, players=4)
    page.get_by_label("Others' moves").select_option("one by one")
    pictures = page.evaluate_handle(
        """() => { const seen = []; new MutationObserver(() => seen.push(document.querySelector("#board").textContent))
            .observe(document.querySelector("#board"), { childList: true }); return seen; }"""
    )
    while pictures.evaluate("(seen) => seen.length") < 3:
        before = moves_seen(page)
        page.locator("#choices button").first.click()
        answered(page, before)
    page.get_by_label("Others' moves").select_option("slowly")
    page.route("**/move", lambda route: route.continue_())  # not before Esc has been pressed
    others = 0
    while others < 3:
        before, seen = moves_seen(page), pictures.evaluate("(seen) => seen.length")
        page.locator("#choices button").first.click()
        page.keyboard.press("Escape")
        answered(page, before)
        others = page.locator("#moves .new").count() - 1
        assert pictures.evaluate("(seen) => seen.length") <= seen + 2  # how it stands now, and one that was on its way


def test_a_key_held_down_answers_one_question(page: Any, playing: str) -> None:
    sit_down(page, playing)
    before = moves_seen(page)
    page.keyboard.down("1")
    answered(page, before)
    once = moves_seen(page)
    for _ in range(3):
        page.keyboard.down("1")  # as a key that is held repeats
    page.keyboard.up("1")
    page.wait_for_timeout(300)
    assert moves_seen(page) == once


def test_scoring_is_chosen_area_by_area(page: Any, playing: str) -> None:
    page.goto(playing)
    page.get_by_label("scoring").select_option("chosen one by one")
    page.get_by_label("gate", exact=True).select_option("steps")
    page.get_by_label("board", exact=True).select_option("second")
    page.get_by_role("button", name="Begin").click()
    page.wait_for_selector("#table[aria-busy=false]")
    assert "steps" in page.locator("#board").inner_text()
    page.get_by_text("The table as text").click()
    assert "steps" in page.locator("#as-text").inner_text()


def test_advice_is_shown_and_goes_away(page: Any, playing: str) -> None:
    sit_down(page, playing, opponent="planner")
    page.keyboard.press("a")
    page.wait_for_selector("#choices .thought")
    thoughts = page.locator("#choices .thought").all_inner_texts()
    assert len(thoughts) == page.locator("#choices button").count()
    assert all(re.fullmatch(r"champion: (> )?\d+%, expects [+−]\d\.\d\d", text) for text in thoughts)
    assert page.locator("#choices .best").count() == 1
    page.keyboard.press("a")
    assert page.locator("#choices .thought").count() == 0


def test_an_unknown_game_is_told_and_a_way_out_offered(page: Any, playing: str) -> None:
    page.goto(f"{playing}game/nobody")
    page.wait_for_selector("#error:not([hidden])")
    assert "there is no such game here" in page.locator("#error").inner_text()
    page.get_by_role("link", name="New game").first.click()
    page.wait_for_selector("#setup:not([hidden])")
    page.wrong.clear()  # the browser notes every answer that is an error


def test_everything_fits_a_narrow_screen(page: Any, playing: str, replaying: str) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    sit_down(page, playing, players=4)
    wide = "() => document.documentElement.scrollWidth"
    assert page.evaluate(wide) <= 360
    button = page.locator("#choices button").first.bounding_box()
    assert button["height"] >= 24
    assert button["y"] < page.locator("#board").bounding_box()["y"]
    page.goto(replaying)
    page.wait_for_selector("#choices tbody tr")
    assert page.evaluate(wide) <= 360
    assert page.locator("#steps").bounding_box()["y"] < page.locator("#board").bounding_box()["y"]
    assert "more" in page.get_attribute("#board", "class")  # what lies outside is hinted at
    page.locator("#board").focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#board').scrollLeft > 100")
    assert page.locator("#where").inner_text().startswith("move 0 of")


def test_long_lists_of_choices_stay_beside_the_picture(page: Any, playing: str) -> None:
    page.set_viewport_size({"width": 1360, "height": 700})
    sit_down(page, playing)
    page.evaluate("() => { told.choices = Array(30).fill(told.choices[0]); listChoices(); }")
    assert page.locator("#choices").bounding_box()["height"] <= 0.6 * 700 + 1
    undo = page.locator("#undo").bounding_box()
    assert undo["y"] + undo["height"] < page.locator("#choices").bounding_box()["y"]


def test_a_replay_is_stepped_played_and_judged(page: Any, replaying: str) -> None:
    page.goto(replaying)
    page.wait_for_selector("#choices tr.chosen")
    assert page.locator("#where").inner_text().startswith("move 0 of")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=move 1 of")
    page.keyboard.press("PageDown")
    expect(page.get_by_label("Round")).to_have_value("2")
    page.get_by_label("Round").select_option("5")
    expect(page.locator("#where")).to_have_text(re.compile(r"move [2-9]\d of"))
    page.keyboard.press("End")
    expect(page.locator("#question")).to_have_text("The end")
    page.wait_for_selector("#chart polyline", timeout=120_000)
    assert page.locator("#chart polyline").count() == 2
    assert page.locator("#chart circle").count() > 0
    page.locator("#blunders button").first.click()
    page.wait_for_selector("#question .blunder")
    here = page.locator("#where").inner_text()
    page.reload()
    page.wait_for_selector("#choices tr.chosen")
    assert page.locator("#where").inner_text() == here
    page.get_by_label("Game").select_option("2")
    page.wait_for_selector("text=move 0 of")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#where")).to_have_text(re.compile(r"^move ([2-9]|\d\d+) of"))
    page.get_by_role("button", name="Play").click()


def test_controls_have_names_and_text_has_contrast(page: Any, playing: str, replaying: str) -> None:
    """Every control is named for those who do not see it, and all text stands out by 4.5 to 1 at least."""
    for open_page in (lambda: sit_down(page, playing), lambda: page.goto(replaying)):
        open_page()
        page.wait_for_selector("#choices :is(button, td)")
        controls = page.locator("button:visible, a:visible, select:visible, input:visible")
        for number in range(controls.count()):
            snapshot = controls.nth(number).aria_snapshot()
            assert re.search(r'"[^"]+"|: \S', snapshot), snapshot
        assert not page.evaluate(CONTRASTS)
        assert not page.evaluate(PICTURE_CONTRASTS)
