"""Parts of requests that no browser sends, or not to this page."""

from __future__ import annotations

from typing import Any

from olb_env.page.guard import MAX_REQUEST_BYTES


def words(text: str) -> list[str]:
    return text.split()


METHODS = (*words("GET HEAD POST PUT DELETE PATCH OPTIONS TRACE CONNECT BREW get"), "X" * 300)

# {game} stands for the address of a game that is going on.
PATHS = words("""
    / /game/any /api/games {game} {game}/move {game}/undo {game}/advice {game}/positions/0 {game}/positions/1
    {game}/record /api/setup /api/replays /api/replays/1 /api/replays/1/positions/0 /api/replays/1/evaluations/0
    /api/replays/1/record /rules/old_london_bridge.md /colours.css /font/SourceSansPro-Bold.ttf /static/page.js
""")
STRANGE_PATHS = [
    *words(r"""
    * // ///evil.example/ /[ [ //[ /% /%00 /%ff%fe /\..\.. http://127.0.0.1/ http://[/ https://evil.example/
    127.0.0.1:80 evil.example:443 ? /api/games/{game} {game}/positions/-1 {game}/positions/99999999999
    {game}/positions/1e3
    {game}/positions/%31 /api/replays/0 /api/replays/999999999 /api/replays/1/positions/999999999
    /api/replays/1/evaluations/999999999 /api/setup/ /api//setup /API/SETUP /api/setup;x /api/setup#x
    /api/setup?<script>alert(1)</script> /<script>alert(1)</script> /rules/ /rules/.md /rules/*.md /rules/<b>.md /font/
    /font/x.ttf
    """),
    "/?" + "x" * 1500, "/" + "x" * 1900, "/" + "%41" * 600, "/" + "x" * 3000, "/" + "x" * 20_000,
    "/api/games/" + "x" * 1500, "{game}/positions/" + "9" * 1500,
]  # fmt: skip
FILES = words("server.py ../server.py ../../../pyproject.toml /etc/passwd page.js/../../server.py play.html")
UPWARDS = ["", *words("../ ..%2f %2e%2e/ ..%5c ....// %252e%252e%252f /")]

HOSTS = [
    *words("""
    evil.example 127.0.0.1.evil.example evil.example:80 127.0.0.1:1:2 localhost:1:2 localhost:x localhost: localhost.
    me@localhost 127.0.0.1@evil.example 127.0.0.2 127.1 2130706433 [::1] [::1]:80 [::ffff:127.0.0.1] ::1 [
    127.0.0.1:123456 127.0.0.1,evil.example 127.0.0.1/ xn--localhost
    """),
    None, "", "127.0.0.1, evil.example", "l\xf6calhost", "x" * 9000,
]  # fmt: skip
ORIGINS = [
    *words("""
    null http://evil.example https://127.0.0.1 http://127.0.0.1:1 http://localhost http://127.0.0.1.evil.example
    http://127.0.0.1/ http://[::1] file:// http://evil.example@127.0.0.1
    """),
    "", "http://127.0.0.1 http://evil.example", "x" * 9000,
]  # fmt: skip
FOREIGN = [
    *(f"Origin: {origin}" for origin in ORIGINS),
    *(f"Sec-Fetch-Site: {site}" for site in ("cross-site", "same-site", "", "none, cross-site", "x" * 900)),
    "Origin: http://127.0.0.1\r\nOrigin: http://evil.example", "oRIGIN: http://evil.example",
]  # fmt: skip

BODIES: tuple[bytes, ...] = (
    b"", b"{", b"[]", b"null", b"1", b'"x"', b"NaN", b"{}", b'{"a":1,"a":2}', b"\xff\xfe{\x00}\x00", b"\xef\xbb\xbf{}",
    b'{"action":"\xe9"}', b'{"action":"\xed\xa0\x80"}', b'{"action":"\\ud800","revision":0}', b'{"revision":Infinity}',
    b'{"revision":' + b"9" * 5000 + b"}", b'{"revision":1e999}', b'{"revision":-1}', b'{"revision":0,"action":{}}',
    b'{"action":"' + b"x" * 60_000 + b'"}', b'{"action":' + b"[" * 30_000,
    b'{"action":' + b"[" * 25_000 + b"]" * 25_000 + b"}", b'{"action":' + b'{"a":' * 10_000 + b"1" + b"}" * 10_001,
    b"x" * (MAX_REQUEST_BYTES + 1),
)  # fmt: skip
FRAMINGS = [  # of the body {}
    *(f"Content-Length: {length}" for length in ("-1", "1e3", "0x10", "+2", "2, 3", "9" * 19, "9" * 400)),
    *(f"Content-Length: 2\r\n{header}" for header in (
        "Content-Length: 3", "Content-Encoding: gzip", "Transfer-Encoding: gzip", "Expect: 100-continue",
        "Upgrade: websocket\r\nConnection: Upgrade", "Upgrade: h2c", "Range: bytes=0-0", "Expect: magic",
        "X: " + "y" * 15_000, "X: " + "y" * 60_000, "\r\n".join(["X: y"] * 5000), "X: \x00", " folded", "No colon",
        ": y", "X-Forwarded-Host: evil.example",
    )),
]  # fmt: skip
CHUNKS = (
    b"zz\r\n", b"-2\r\n{}\r\n0\r\n\r\n", b"2\r\n{}\r\n0\r\nX: " + b"y" * 40_000, b"2;x=y\r\n{}\r\n0\r\n\r\n",
    b"2\r\n{}xx\r\n", b"9" * 5000 + b"\r\n",
)  # fmt: skip
ANYTHING: tuple[Any, ...] = (
    None, True, 0, -1, 3, 2.5, 1e308, 10**300, "", "2", "random", "mcts:9999999", "\ud800", "\x00\n\x1b[2J", "x" * 3000,
    "<img src=x onerror=alert(1)>", [], ["random"], ["random"] * 3, [[]] * 50, {}, {"board": "/etc/passwd"},
    {"board": "pyproject.toml"}, {"board": "/dev/zero.json"}, {"scoring": "gate=,,,==", "x": "y"}, {"memory": 1},
    {"rulings": "a=b" * 300}, {"scoring": "gate=steps," * 90},
)  # fmt: skip
