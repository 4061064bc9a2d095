"""The form of a new game, and names that hold markup, in a real browser."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from olb_env.core.boards import template
from olb_env.core.game import find
from olb_env.core.records import save_records
from tests.page.attacks import served
from tests.page.browsing import NEEDS_BROWSER, revision_of, start_game, wait_for_change
from tests.support.pages import some_records

pytestmark = NEEDS_BROWSER

HURT = "window.hurt = 1"
NAMES = (f'"><img src=x onerror="{HURT}">', f"<script>{HURT}</script></text><b>&amp;' {{{HURT}}}")
GAMES = ("old_london_bridge", "portobello_market", "wobbly_bridge")
SETTINGS = {
    "old_london_bridge": {"scoring": "gate=steps,inn=card sets", "memory": "table", "rulings": "debts=owed"},
    "portobello_market": {"start_score": "0"},
    "wobbly_bridge": {},
}
BOT = "class First:\n    def act(self, view):\n        return view.legal[0]\n"


def own_board(folder: Path, name: str) -> list[str]:
    """Write a board unlike the default one, if the game has boards, and return the option that names it."""
    boards = find(name).boards
    if boards is None:
        return []
    board: dict[str, Any] = json.loads(json.dumps(boards.printed()))
    if name == "old_london_bridge":
        board["coins"] = [9, 8, 7, 6, 5, 4]
    else:
        board["alleys"]["A1"]["values"][0] = 9
    file = folder / "mine <b>.toml"
    file.write_text(template(boards.about, board, boards.comments), "utf-8")
    return ["--board", str(file)]


@pytest.fixture(scope="module", params=GAMES)
def offering(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, str]]:
    """A game, and the address of a server with options from the terminal."""
    name = request.param
    words = [part for option, text in SETTINGS[name].items() for part in (f"--{option.replace('_', '-')}", text)]
    words += own_board(tmp_path_factory.mktemp("boards"), name)
    errors = tmp_path_factory.mktemp("offering") / "errors"
    with served(errors, "play", "--game", name, "--adviser", "none", *words) as server:
        yield name, server.address


def start_and_read(page: Any) -> dict[str, str]:
    """Start the game that the form describes, and return the options that were sent."""
    with page.expect_response("**/api/games") as answered:
        page.get_by_role("button", name="Start").click()
    assert answered.value.status == 200, answered.value.text()
    page.wait_for_selector("#table[aria-busy=false]")
    sent: dict[str, str] = answered.value.request.post_data_json["options"]
    return sent


def test_what_the_terminal_gave_is_chosen_and_played(page: Any, offering: tuple[str, str]) -> None:
    name, address = offering
    page.goto(address)
    page.wait_for_selector("#setup:not([hidden])")
    expected = {**SETTINGS[name], **({} if find(name).boards is None else {"board": "mine <b>.toml"})}
    for option, text in expected.items():
        expect(page.locator(f"#option-{option}")).to_have_value(text)
        assert page.locator(f"#option-{option} option").all_text_contents().count(text) == 1
    page.set_viewport_size({"width": 360, "height": 700})
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    sent = start_and_read(page)
    assert sent.items() >= expected.items()
    shown = page.locator("#board").inner_text()
    if name == "old_london_bridge":
        assert "steps" in shown
        page.get_by_text("The table as text").click()
        assert "£9" in page.locator("#as-text").inner_text()
    page.reload()
    page.wait_for_selector("#table[aria-busy=false]")


def test_every_choice_of_every_list_can_be_played(page: Any, offering: tuple[str, str]) -> None:
    name, address = offering
    game = find(name)
    page.goto(address)
    page.wait_for_selector("#setup:not([hidden])")
    lists = {
        option: page.locator(f"#option-{option} option").all_text_contents()
        for option in game.commands.help
        if page.locator(f"select#option-{option}").count()
    }
    assert lists.keys() == game.commands.help.keys()  # every option of these games is a list
    for place in range(max(map(len, lists.values()))):
        page.goto(address)
        page.wait_for_selector("#setup:not([hidden])")
        expected = {option: texts[min(place, len(texts) - 1)] for option, texts in lists.items()}
        for option, text in expected.items():
            page.locator(f"#option-{option}").select_option(text)
            if text == "custom":
                parts = game.commands.choices[option].parts
                for part, values in parts.items():
                    page.locator(f"#option-{option}-{part}").select_option(values[-1])
                expected[option] = ",".join(f"{part}={values[-1]}" for part, values in parts.items())
        assert start_and_read(page) == expected


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    file = tmp_path_factory.mktemp("records") / "games.jsonl"
    save_records(file, [{**record, "agents": list(NAMES)} for record in some_records(2)])
    with served(file.with_name("errors"), "replay", str(file)) as server:
        yield server.address


def check_unhurt(page: Any) -> None:
    assert page.evaluate("() => window.hurt") is None
    assert page.locator("img, #board script, option b, .player b").count() == 0


def test_names_in_records_are_shown_as_text(page: Any, replaying: str) -> None:
    page.goto(replaying)
    page.wait_for_selector("#choices tr.chosen")
    page.keyboard.press("End")
    expect(page.locator("#situation")).to_have_text("The game is over")
    assert page.locator("#games option").first.text_content() == f"1: {', '.join(NAMES)}"
    for seat, name in enumerate(NAMES):
        assert page.locator("#legend .player").nth(seat).inner_text().endswith(name)
    drawn = page.locator("#board").text_content()
    assert "<img src=x" in drawn
    assert "<script>" in drawn
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#situation")).to_contain_text(" chose ")
    check_unhurt(page)


def test_counts_of_one_are_in_the_singular(page: Any, replaying: str) -> None:
    wanted = {"blunder": 0, "mistake": 0}

    def answer(route: Any) -> None:
        kinds = [kind for kind, count in wanted.items() for _ in range(count)]
        verdicts = [{"loss": 0.5, "verdict": kind} for kind in kinds]
        about = {"adviser": "it", "utilities_by_rank": [1, -1]}
        route.fulfill(json={"values": [[0.0, 0.0]] * len(kinds), "verdicts": verdicts, "done": True, **about})

    page.route("**/evaluations/*", answer)
    for blunders, mistakes, text in (
        (1, 0, "it finds 1 blunder and 0 mistakes."),
        (0, 1, "it finds 0 blunders and 1 mistake."),
        (2, 2, "it finds 2 blunders and 2 mistakes."),
    ):
        wanted.update(blunder=blunders, mistake=mistakes)
        page.goto("about:blank")
        page.goto(replaying)
        expect(page.locator("#progress")).to_contain_text(text)


def test_names_of_opponents_are_shown_as_text(page: Any, tmp_path: Path) -> None:
    (tmp_path / f"<img src=x onerror='{HURT}'>.py").write_text(BOT)
    name = f"<img src=x onerror='{HURT}'>.py:First"
    words = ("play", "--adviser", "none", "--agents", name)
    with served(tmp_path / "errors", *words, folder=tmp_path) as server:
        start_game(page, server.address, opponent=name)
        while name not in page.locator("#moves").inner_text():
            before = revision_of(page)
            page.locator("#choices button").first.click()
            wait_for_change(page, before)
        assert "<img src=x" in page.locator("#board").text_content()
        check_unhurt(page)
