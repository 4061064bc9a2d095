"""The server itself: bad requests, foreign requests, files, and the rules of the games."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from olb_env.core.game import find, game_names
from olb_env.page import rules_page
from olb_env.page.replays import ReplayViewer
from tests.support.pages import HOME, client, start
from tests.support.paths import ROOT
from tests.support.toy_game import PEBBLES


def test_bad_requests_get_one_clear_line_and_change_no_game() -> None:
    page = client()
    game = start(page)
    before = page.get(game).json()
    move = {"action": before["choices"][0]["action"], "revision": before["revision"]}
    cases: list[tuple[str, Any, int, str]] = [
        (f"{game}/move", {**move, "action": "replace 12"}, 422, "'replace 12' is not legal now: expected one of play"),
        (f"{game}/move", {**move, "action": ["play 1"]}, 422, "is not legal now"),
        (f"{game}/move", {**move, "action": None}, 422, "None is not legal now"),
        (f"{game}/move", {**move, "revision": 99}, 409, "the game has changed in another tab: revision is 99"),
        (f"{game}/move", {**move, "revision": False}, 409, "the game has changed"),
        (f"{game}/move", {**move, "revision": "x" * 9000}, 409, "the game has changed"),
        (f"{game}/undo", {}, 409, "the game has changed"),
        (f"{game}/move", {}, 409, "the game has changed"),
        (f"{game}/move", [], 400, "not a JSON object"),
        ("/api/games/nobody/move", move, 404, "there is no such game here: start a new one"),
        ("/api/games", {"players": 9}, 422, "players is 9: expected one of 2, 3, 4"),
        ("/api/games", {"players": 2, "opponents": []}, 422, "opponents is []: expected a list with the name of one"),
        ("/api/games", {"players": 3, "opponents": []}, 422, "opponents is []: expected a list with the names of 2"),
        ("/api/games", {"players": 2, "opponents": ["os:system"]}, 422, "unknown opponent 'os:system'"),
        ("/api/games", {"players": 2, "opponents": ["mcts:9999999"]}, 422, "unknown opponent 'mcts:9999999'"),
        ("/api/games", {"players": 2, "opponents": ["policy:/etc/x.safetensors"]}, 422, "unknown opponent"),
        ("/api/games", {"players": 2, "opponents": ["\ud800\n"]}, 422, "unknown opponent"),
        ("/api/games", {"players": 2, "opponents": ["random"], "seat": 2}, 422, "seat is 2: expected 0 to 1"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": []}, 422, "options is []"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": {"x": "1"}}, 422, "unknown option 'x'"),
        ("/api/games", {"players": 2, "opponents": ["random"], "options": {"scoring": "?"}}, 422, "scoring"),
    ]
    for path, body, status, message in cases:
        response = page.post(path, content=json.dumps(body), headers={"content-type": "application/json"})
        assert response.status_code == status, (body, response.text)
        assert message in response.json()["error"]
        assert "\n" not in response.json()["error"]
        assert len(response.json()["error"]) <= 600
    for content, content_type, status in (
        (b"{", "application/json", 400),
        (b"[" * 100_000, "application/json", 413),
        (b'"' + b"x" * 70_000 + b'"', "application/json", 413),
        (b"{}", "text/plain", 415),
        (b'{"action": NaN}', "application/json", 400),
        (b'{"action": "play 0", "action": "play 1"}', "application/json", 400),
        ('{"action": "é"}'.encode("latin-1"), "application/json", 400),
        (b"9" * 5000, "application/json", 400),
    ):
        response = page.post(f"{game}/move", content=content, headers={"content-type": content_type})
        assert (response.status_code, list(response.json())) == (status, ["error"])
    for path, status in (
        (f"{game}/positions/999", 404),
        (f"{game}/positions/{'9' * 1500}", 404),
        ("/nowhere", 404),
        ("/api/replays", 404),
        (f"{game}/advice", 404),
    ):
        assert (page.get(path).status_code, list(page.get(path).json())) == (status, ["error"])
    assert page.delete(game).status_code == 405
    assert page.get(game).json() == before


def test_no_other_origin_and_no_other_host_is_served() -> None:
    page = client()
    game = start(page)
    for headers in (
        {"origin": "http://evil.example"},
        {"origin": "null"},
        {"host": "evil.example:8000"},
        {"host": "127.0.0.1.evil.example:8000"},
        {"host": "127.0.0.1:8000:1"},
        {"host": "me@127.0.0.1:8000"},
        {"host": "[::1]:8000"},
        {"host": ""},
        {"origin": "http://127.0.0.1:8001"},
        {"origin": "https://127.0.0.1:8000"},
        {"origin": "http://localhost:8000"},
        {"sec-fetch-site": "cross-site"},
    ):
        for response in (page.get(game, headers=headers), page.post(f"{game}/undo", json={}, headers=headers)):
            assert response.status_code == 403
            assert "svg" not in response.text
    assert page.get(game, headers={"host": "127.0.0.1"}).status_code == 200  # as a browser writes port 80
    response = page.get(game, headers={"origin": HOME, "sec-fetch-site": "same-origin"})
    assert response.status_code == 200
    assert "access-control-allow-origin" not in response.headers
    assert page.get(game, headers={"host": "localhost:9000"}).status_code == 200  # a port that is forwarded to this one


def test_every_answer_has_the_security_headers(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(viewer: ReplayViewer) -> Any:
        raise RuntimeError("a mistake of ours")

    page, replays = client(), client(viewer=ReplayViewer([]))
    monkeypatch.setattr(ReplayViewer, "games", fail)
    for response, status in (
        (page.get("/"), 200),
        (page.head("/static/page.js"), 200),
        (page.get("/rules/old_london_bridge.md"), 200),
        (page.get("/api/setup", headers={"range": "bytes=0-3"}), 200),
        (page.get("/nowhere"), 404),
        (page.get("/api/setup/"), 404),  # and no redirection
        (page.delete("/"), 405),
        (page.post("/api/games"), 415),
        (page.post("/api/games", content=b" " * 70_000, headers={"content-type": "application/json"}), 413),
        (page.get("/", headers={"host": "evil.example"}), 403),
        (page.get("/" + "x" * 3000), 414),
        (page.get("/", headers={"cookie": "x" * 20_000}), 431),
        (replays.get("/api/replays"), 500),
    ):
        assert response.status_code == status
        policy = response.headers.get_list("content-security-policy")
        assert len(policy) == 1
        assert "default-src 'none'" in policy[0]
        assert "frame-ancestors 'none'" in policy[0]
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["x-frame-options"] == "DENY"


def test_a_mistake_of_ours_is_reported_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(viewer: ReplayViewer) -> Any:
        raise RuntimeError("what went wrong")

    monkeypatch.setattr(ReplayViewer, "games", fail)
    response = client(viewer=ReplayViewer([])).get("/api/replays")
    assert (response.status_code, response.json()) == (500, {"error": "the page failed: RuntimeError"})
    assert "what went wrong" in capsys.readouterr().err


def test_pages_and_their_files_are_served() -> None:
    page = client()
    for path, text in (("/", "olb play"), ("/game/any", "olb play"), ("/static/page.js", "use strict"),
                       ("/static/play.js", "choose"), ("/static/page.css", "--ink")):  # fmt: skip
        response = page.get(path)
        assert response.status_code == 200
        assert text in response.text
    assert page.get("/font/SourceSansPro-Bold.ttf").headers["content-type"] == "font/ttf"
    assert page.get("/colours.css").text.startswith(":root{--ink:")
    for path in ("/font/%2e%2e%2f%2e%2e%2fsecret", "/static/%2e%2e/server.py", "/static/..%2fserver.py"):
        assert page.get(path).status_code == 404


class _Page(HTMLParser):
    """The headings, links and tags of a page; every tag must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.tags: set[str] = set()
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag not in ("meta", "link", "br"):
            self.open.append(tag)
        self.ids += [str(value) for name, value in attrs if name == "id"]
        self.links += [str(value) for name, value in attrs if name == "href" and tag == "a"]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", [name for name in game_names() if name != PEBBLES.name])
def test_the_rules_of_every_game_are_served(name: str) -> None:
    """With a table of contents that leads to every section, and no link that leads nowhere."""
    page = client(game=find(name))
    address = page.get("/api/setup").json()["rules"]
    response = page.get(address)
    assert response.headers["content-type"].startswith("text/html")
    assert "script-src 'self'" in response.headers["content-security-policy"]
    found = _Page(response.text)
    assert found.tags >= {"nav", "main", "table", "h1", "h2"}
    assert "script" not in found.tags
    headings = (ROOT / "docs" / "rules" / f"{name}.md").read_text("utf-8").count("\n## §")
    contents = [link for link in found.links if link.startswith("#section-") and "." not in link]
    assert len(set(contents)) == headings
    for link in found.links:
        assert link.removeprefix("#") in found.ids if link.startswith("#") else page.get(f"/rules/{link}").is_success
    assert "records.md" in found.links


def test_rules_are_linked_from_recorded_games_too() -> None:
    page = client(viewer=ReplayViewer([]))
    assert page.get(page.get("/api/setup").json()["rules"]).is_success


def test_a_game_without_written_rules_has_no_link() -> None:
    page = client(game=PEBBLES)
    assert page.get("/api/setup").json()["rules"] is None
    for path in ("/rules/pebbles.md", "/rules/..%2f..%2fREADME.md", "/rules/*.md", "/rules/"):
        assert page.get(path).status_code == 404


def test_rules_show_raw_html_as_text(tmp_path: Path) -> None:
    file = tmp_path / "game.md"
    file.write_text("# A <b>game</b>\n\n## §1 Goal\n\n<script>alert(1)</script> [x](javascript:y) §1 §7\n", "utf-8")
    text = rules_page.render_rules(file)
    assert "<script" not in text
    assert "<b>" not in text
    assert "<title>A &lt;b&gt;game&lt;/b&gt;</title>" in text
    assert _Page(text).links == ["#section-1", "#section-1"]  # the contents, and §1; there is no §7


def test_rules_are_found_in_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There they lie beside the module, where the build puts docs/rules."""
    build = (ROOT / "pyproject.toml").read_text("utf-8")
    assert '"docs/rules" = "olb_env/page/rules"' in build
    installed, repository = rules_page.FOLDERS
    assert installed == Path(rules_page.__file__).parent / "rules"
    assert repository == ROOT / "docs" / "rules"
    (tmp_path / "old_london_bridge.md").write_text("# Rules\n")
    monkeypatch.setattr(rules_page, "FOLDERS", (tmp_path, tmp_path / "missing"))
    assert rules_page.rules_file("old_london_bridge") == tmp_path / "old_london_bridge.md"
    assert rules_page.rules_file("wobbly_bridge") is None
