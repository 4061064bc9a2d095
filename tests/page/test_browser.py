"""The pages in a real browser: by mouse, by keyboard alone, on a narrow screen; names of controls and contrast."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from olb_env.core.game import find
from olb_env.core.records import load_records, save_records
from olb_env.playing import play_game
from tests.page.browsing import NEEDS_BROWSER, revision_of, start_game, wait_for_change
from tests.support.page_checks import BROKEN_WORDS, CONTRASTS, PICTURE_CONTRASTS
from tests.support.pages import GAME
from tests.support.running import serve_page

pytestmark = NEEDS_BROWSER


@pytest.fixture(scope="module")
def playing() -> Iterator[str]:
    yield from serve_page("play", "--seed", "1")


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    setup = GAME.rules.configure(num_players=2)
    save_records(file, [play_game(GAME, setup, seed, ["random", "planner"]) for seed in (1, 2)])
    yield from serve_page("replay", str(file))


OTHER_GAMES = [("portobello_market", 3, "none"), ("wobbly_bridge", 5, "champion")]


@pytest.fixture(scope="module", params=OTHER_GAMES, ids=lambda game: str(game[0]))
def other_game(request: Any) -> tuple[str, int, str]:
    """Return a game, its number of players and its adviser."""
    game: tuple[str, int, str] = request.param
    return game


@pytest.fixture(scope="module")
def playing_other(other_game: tuple[str, int, str]) -> Iterator[str]:
    yield from serve_page("play", "--seed", "1", "--game", other_game[0])


@pytest.fixture(scope="module")
def replaying_other(other_game: tuple[str, int, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    name, players, adviser = other_game
    game, file = find(name), tmp_path_factory.mktemp("records") / "games.jsonl"
    save_records(file, [play_game(game, game.rules.configure(num_players=players), 1, ["random"] * players)])
    yield from serve_page("replay", "--game", name, "--adviser", adviser, str(file))


def click_through(page: Any) -> int:
    """Play to the end, with clicks on the picture where possible, and return how many there were."""
    on_picture = 0
    while page.locator("#choices button").count():
        before = revision_of(page)
        shapes = page.locator("#board .legal")
        if shapes.count():
            shapes.last.click()
            on_picture += 1
            if page.locator(f'#table[aria-busy=false][data-revision="{before}"]').count():
                page.locator("#choices button").last.click()  # the shape stands for several choices
        else:
            page.locator("#choices button").last.click()
        wait_for_change(page, before)
    return on_picture


def check_the_end_fits(page: Any) -> None:
    """Check that the final scores need no scrolling on a wide or narrow screen, and that no word is broken."""
    for width in (1360, 360):
        page.set_viewport_size({"width": width, "height": 700})
        assert page.evaluate("() => document.documentElement.scrollWidth") <= width
        assert page.locator("#end").evaluate("(end) => end.scrollWidth <= end.clientWidth")
        assert not page.evaluate(BROKEN_WORDS)


def test_a_whole_game_is_played_by_mouse(page: Any, playing: str, tmp_path: Path) -> None:
    """In the picture where possible, else in the list; the record is saved at the end."""
    start_game(page, playing)
    assert click_through(page) > 10
    assert page.locator("#situation").inner_text().startswith("The game is over: ")
    assert page.locator("#end thead th").count() == 2
    assert page.locator("#end tfoot td").count() == 2
    check_the_end_fits(page)
    page.get_by_role("button", name="Copy record").click()
    expect(page.locator("#copy")).to_have_text("Copied")
    with page.expect_download() as download:
        page.get_by_role("link", name="Save record").click()
    download.value.save_as(tmp_path / "saved.jsonl")
    (record,) = load_records(tmp_path / "saved.jsonl")
    assert "human" in record["agents"]
    assert record["seed"] == 1  # the seed of the server
    assert json.loads(page.evaluate("() => navigator.clipboard.readText()")) == record


def test_every_other_game_is_played_and_replayed(
    page: Any, other_game: tuple[str, int, str], playing_other: str, replaying_other: str
) -> None:
    name, players, adviser = other_game
    page.goto(playing_other)
    expect(page.get_by_label("Opponent 1")).to_have_value("champion")  # the strongest there is
    start_game(page, playing_other, players)
    assert not page.evaluate(PICTURE_CONTRASTS)
    assert click_through(page) > 2
    assert page.locator("#situation").inner_text().startswith("The game is over: ")
    assert page.locator("#end thead th").count() == players
    assert not page.evaluate(PICTURE_CONTRASTS)
    check_the_end_fits(page)
    width = "() => document.documentElement.scrollWidth"
    record = json.loads(page.evaluate("async () => (await fetch(document.querySelector('#save').href)).text()"))
    assert record["game"] == name
    page.goto(replaying_other)
    page.wait_for_selector("#choices tr.chosen")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=move 1 of")
    assert page.evaluate(width) <= 360
    page.keyboard.press("End")
    expect(page.locator("#situation")).to_have_text("The game is over")
    absent, present = "There is no adviser to evaluate the moves.", r"^champion finds \d+ blunders? and \d+ mistakes?\."
    expect(page.locator("#progress")).to_have_text(absent if adviser == "none" else re.compile(present))
    expect(page.locator("#chart-title")).to_be_visible(visible=adviser != "none")


def test_a_whole_game_is_played_by_keyboard_alone(page: Any, playing: str) -> None:
    page.goto(playing)
    page.wait_for_selector("#new button")
    page.locator("#players input").first.focus()
    for _ in range(14):  # by Tab to the button
        if page.evaluate("() => document.activeElement.textContent") == "Start":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#table[aria-busy=false]")
    chosen = 0
    while page.locator("#choices button").count():
        before = revision_of(page)
        if chosen % 2:
            page.keyboard.press("ArrowDown")
            assert page.evaluate("() => document.activeElement.dataset.action")
            page.keyboard.press("Enter")
        else:
            page.keyboard.press("1")
        wait_for_change(page, before)
        chosen += 1
        if chosen == 3:
            before = revision_of(page)
            page.keyboard.press("u")
            wait_for_change(page, before)
    assert chosen > 10


def test_a_reload_keeps_the_game_and_tabs_have_their_own(page: Any, playing: str) -> None:
    start_game(page, playing)
    before = revision_of(page)
    page.locator("#choices button").first.click()
    wait_for_change(page, before)
    revision, board = revision_of(page), page.locator("#board text").all_text_contents()
    other = page.context.new_page()
    start_game(other, playing, players=4)
    assert other.url != page.url
    page.reload()
    page.wait_for_selector("#table[aria-busy=false]")
    assert (revision_of(page), page.locator("#board text").all_text_contents()) == (revision, board)


def test_a_tab_that_is_behind_cannot_move(page: Any, playing: str) -> None:
    start_game(page, playing)
    other = page.context.new_page()
    other.goto(page.url)
    other.wait_for_selector("#table[aria-busy=false]")
    before = revision_of(page)
    page.locator("#choices button").first.click()
    wait_for_change(page, before)
    other.locator("#choices button").first.click()
    other.wait_for_selector("#error:not([hidden])")
    assert "has changed in another tab" in other.locator("#error").inner_text()
    expect(other.locator("#table")).to_have_attribute(
        "data-revision", revision_of(page)
    )  # it shows the game as it is now


def test_opponents_moves_are_shown_one_by_one_unless_skipped(page: Any, playing: str) -> None:
    page.emulate_media(reduced_motion="no-preference")
    start_game(page, playing, players=4)
    page.get_by_label("Opponents' moves").select_option("one by one")
    pictures = page.evaluate_handle(
        """() => { const seen = []; new MutationObserver(() => seen.push(document.querySelector("#board").textContent))
            .observe(document.querySelector("#board"), { childList: true }); return seen; }"""
    )
    while pictures.evaluate("(seen) => seen.length") < 3:
        before = revision_of(page)
        page.locator("#choices button").first.click()
        wait_for_change(page, before)
    page.get_by_label("Opponents' moves").select_option("slowly")
    page.route("**/move", lambda route: route.continue_())  # so that Esc is pressed first
    others = 0
    while others < 3:
        before, seen = revision_of(page), pictures.evaluate("(seen) => seen.length")
        page.locator("#choices button").first.click()
        page.keyboard.press("Escape")
        wait_for_change(page, before)
        others = page.locator("#moves .new").count() - 1
        assert (
            pictures.evaluate("(seen) => seen.length") <= seen + 2
        )  # the final picture, and one that was already requested


def test_a_key_held_down_makes_one_move(page: Any, playing: str) -> None:
    start_game(page, playing)
    before = revision_of(page)
    page.keyboard.down("1")
    wait_for_change(page, before)
    once = revision_of(page)
    for _ in range(3):
        page.keyboard.down("1")  # as a key repeats that is held
    page.keyboard.up("1")
    page.wait_for_timeout(300)
    assert revision_of(page) == once


def test_scoring_can_be_chosen_for_each_area(page: Any, playing: str) -> None:
    page.goto(playing)
    page.get_by_label("scoring").select_option("custom")
    page.get_by_label("gate", exact=True).select_option("steps")
    page.get_by_label("board", exact=True).select_option("second")
    page.get_by_role("button", name="Start").click()
    page.wait_for_selector("#table[aria-busy=false]")
    assert "steps" in page.locator("#board").inner_text()
    page.get_by_text("The table as text").click()
    assert "steps" in page.locator("#as-text").inner_text()


def test_advice_is_shown_and_hidden(page: Any, playing: str) -> None:
    start_game(page, playing, opponent="planner")
    page.keyboard.press("a")
    page.wait_for_selector("#choices .opinion")
    opinions = page.locator("#choices .opinion").all_inner_texts()
    assert len(opinions) == page.locator("#choices button").count()
    assert all(re.fullmatch(r"champion: (> )?\d+%, value [+−]\d\.\d\d", text) for text in opinions)
    assert page.locator("#choices .best").count() == 1
    page.keyboard.press("a")
    assert page.locator("#choices .opinion").count() == 0


def test_the_rules_open_from_every_page(page: Any, playing: str, replaying: str) -> None:
    for open_page in (lambda: page.goto(playing), lambda: start_game(page, playing), lambda: page.goto(replaying)):
        open_page()
        with page.expect_popup() as opened:
            page.get_by_role("link", name="Rules").click()
        rules = opened.value
        expect(rules.locator("h1")).to_have_text("Old London Bridge: the rules")
        rules.get_by_role("navigation").get_by_role("link", name="§6.1 ").click()
        expect(rules.locator(":target")).to_have_text(re.compile("^§6.1 "))
        rules.set_viewport_size({"width": 360, "height": 700})
        assert rules.evaluate("() => document.documentElement.scrollWidth") <= 360
        rules.close()


def test_an_unknown_game_is_reported_with_a_link_to_a_new_one(page: Any, playing: str) -> None:
    page.goto(f"{playing}game/nobody")
    page.wait_for_selector("#error:not([hidden])")
    assert "there is no such game here" in page.locator("#error").inner_text()
    page.get_by_role("link", name="New game").first.click()
    page.wait_for_selector("#setup:not([hidden])")
    page.wrong.clear()  # the browser logs every error response


def test_everything_fits_a_narrow_screen(page: Any, playing: str, replaying: str) -> None:
    page.set_viewport_size({"width": 360, "height": 700})
    start_game(page, playing, players=4)
    width = "() => document.documentElement.scrollWidth"
    assert page.evaluate(width) <= 360
    button = page.locator("#choices button").first.bounding_box()
    assert button["height"] >= 24
    assert button["y"] < page.locator("#board").bounding_box()["y"]
    page.goto(replaying)
    page.wait_for_selector("#choices tbody tr")
    assert page.evaluate(width) <= 360
    assert page.locator("#steps").bounding_box()["y"] < page.locator("#board").bounding_box()["y"]
    assert "faded" in page.get_attribute("#board", "class")  # a hint that there is more of the picture
    page.locator("#board").focus()
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => document.querySelector('#board').scrollLeft > 100")
    assert page.locator("#place").inner_text().startswith("move 0 of")


def test_long_lists_of_choices_stay_beside_the_picture(page: Any, playing: str) -> None:
    page.set_viewport_size({"width": 1360, "height": 700})
    start_game(page, playing)
    page.evaluate("() => { game.choices = Array(30).fill(game.choices[0]); listChoices(); }")
    assert page.locator("#choices").bounding_box()["height"] <= 0.6 * 700 + 1
    undo = page.locator("#undo").bounding_box()
    assert undo["y"] + undo["height"] < page.locator("#choices").bounding_box()["y"]


def test_a_replay_is_stepped_through_played_and_evaluated(page: Any, replaying: str) -> None:
    page.goto(replaying)
    page.wait_for_selector("#choices tr.chosen")
    assert page.locator("#place").inner_text().startswith("move 0 of")
    page.keyboard.press("ArrowRight")
    page.wait_for_selector("text=move 1 of")
    page.keyboard.press("PageDown")
    expect(page.get_by_label("Round")).to_have_value("2")
    page.get_by_label("Round").select_option("5")
    expect(page.locator("#place")).to_have_text(re.compile(r"move [2-9]\d of"))
    page.keyboard.press("End")
    expect(page.locator("#situation")).to_have_text("The game is over")
    page.wait_for_selector("#chart polyline", timeout=120_000)
    assert page.locator("#chart polyline").count() == 2
    assert page.locator("#chart circle").count() > 0
    page.locator("#blunders button").first.click()
    page.wait_for_selector("#situation .blunder")
    here = page.locator("#place").inner_text()
    page.reload()
    page.wait_for_selector("#choices tr.chosen")
    assert page.locator("#place").inner_text() == here
    page.get_by_label("Game").select_option("2")
    page.wait_for_selector("text=move 0 of")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#place")).to_have_text(re.compile(r"^move ([2-9]|\d\d+) of"))
    page.get_by_role("button", name="Play").click()


def test_controls_have_names_and_text_has_contrast(page: Any, playing: str, replaying: str) -> None:
    """Every control has a name for screen readers, and all text a contrast of at least 4.5 to 1."""
    for open_page, ready in (
        (lambda: start_game(page, playing), "#choices button"),
        (lambda: page.goto(replaying), "#choices td"),
        (lambda: page.goto(f"{playing}rules/old_london_bridge.md"), "main table"),
    ):
        open_page()
        page.wait_for_selector(ready)
        controls = page.locator("button:visible, a:visible, select:visible, input:visible")
        for number in range(controls.count()):
            snapshot = controls.nth(number).aria_snapshot()
            assert re.search(r'"[^"]+"|: \S', snapshot), snapshot
        assert not page.evaluate(CONTRASTS)
        assert not page.evaluate(PICTURE_CONTRASTS)
