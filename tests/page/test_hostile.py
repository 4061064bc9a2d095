"""Everything that a hostile client can send to the page: a real server has to answer it in one line, and go on."""

from __future__ import annotations

import contextlib
import itertools
import json
import random
from collections.abc import Callable, Iterator, Sequence

import pytest

from olb_env.core.records import save_records
from olb_env.page import server
from tests.page.attacks import Server, check_answer, exchange, post, raw, served
from tests.page.oddities import (
    ANYTHING,
    BODIES,
    CHUNKS,
    FILES,
    FOREIGN,
    FRAMINGS,
    HOSTS,
    METHODS,
    PATHS,
    STRANGE_PATHS,
    UPWARDS,
)
from tests.support.pages import some_records

pytestmark = pytest.mark.compiled

Trials = Callable[[int, int], int]

MOST_GROWTH = 25.0  # MB; a server holds about 300


@pytest.fixture(scope="module")
def playing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("playing") / "errors", "play", "--seed", "1", "--adviser", "none") as started:
        yield started


@pytest.fixture(scope="module")
def replaying(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("replaying")
    save_records(folder / "games.jsonl", some_records(1))
    with served(folder / "errors", "replay", str(folder / "games.jsonl"), "--adviser", "none") as started:
        yield started


@pytest.fixture(params=["playing", "replaying"])
def page(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


def check_all(page: Server, requests: Sequence[bytes]) -> list[int]:
    """Check that every request is answered as it should be, and that the page still works; return the statuses."""
    statuses = [check_answer(sent, answer) for sent, answer in zip(requests, exchange(page, requests), strict=True)]
    assert page.ask("GET", "/api/setup")[0] == 200
    return statuses


def test_every_method_on_every_path(page: Server) -> None:
    game = page.some_game()
    before = page.ask("GET", game)
    requests = [raw(method, path.replace("{game}", game)) for method in METHODS for path in (*PATHS, *STRANGE_PATHS)]
    statuses = check_all(page, requests)
    assert {200, 400, 404, 405, 414} <= set(statuses)
    assert page.ask("GET", game) == before


def test_files_outside_the_page_are_not_served(page: Server) -> None:
    spelt = [(up + file, up * 8 + file, (up + file).replace("/", "%2f")) for up in UPWARDS for file in FILES]
    targets = [
        f"{folder}/{path}{end}"
        for folder in ("/static", "/rules", "/font", "", "/static/..", "/game")
        for path in itertools.chain.from_iterable(spelt)
        for end in ("", ".md", "%00.md")
    ]
    requests = [raw("GET", target) for target in targets]
    for sent, answer in zip(requests, exchange(page, requests), strict=True):
        check_answer(sent, answer)
        for secret in (b"root:", b"[project]", b"make_app", b"import "):
            assert secret not in answer
    assert page.ask("GET", "/api/setup")[0] == 200


def test_foreign_hosts_and_origins_are_refused(page: Server) -> None:
    hosts = [raw("GET", target, host=host) for host in HOSTS for target in ("/", "/api/setup", "/nowhere")]
    assert set(check_all(page, hosts)) <= {400, 403}
    foreign = [raw("GET", target, header) for header in FOREIGN for target in ("/", "/api/setup", "/nowhere")]
    assert set(check_all(page, foreign)) <= {403}
    own = [raw("GET", "/", f"Origin: http://{host}", host=host) for host in ("127.0.0.1", "LOCALHOST:80")]
    assert set(check_all(page, own)) == {200}


def test_odd_bodies_and_headers_are_refused(playing: Server) -> None:
    game = playing.start()
    before = playing.ask("GET", game)
    targets = ("/api/games", f"{game}/move", f"{game}/undo", "/api/setup")
    requests = [post(target, body) for body in BODIES for target in targets]
    requests += [post(target, b"{}", framing) for framing in FRAMINGS for target in targets]
    headers = "Transfer-Encoding: chunked", "Content-Type: application/json"
    requests += [raw("POST", target, *headers, body=body) for body in CHUNKS for target in targets]
    assert 200 not in check_all(playing, requests)
    assert playing.ask("GET", game) == before


def test_websockets_are_not_spoken(page: Server) -> None:
    headers = ("Upgrade: websocket", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==")
    answers = exchange(
        page, [raw("GET", path, *headers).replace(b": close", b": Upgrade, close") for path in ("/", "/ws")]
    )
    assert [answer[:12] for answer in answers] == [b"HTTP/1.1 200", b"HTTP/1.1 404"]


def test_requests_for_games_with_odd_values(playing: Server, trials: Trials) -> None:
    rng, requests = random.Random(1), []
    keys = ("players", "seat", "opponents", "options", "action", "revision")
    game = playing.start()
    before = playing.ask("GET", game)
    for _ in range(trials(300, 8000)):
        body = {"players": 2, "opponents": ["random"], "seat": 0, "options": {}, "action": "", "revision": 0}
        for key in rng.sample(keys, rng.randint(1, 3)):
            body[key] = rng.choice(ANYTHING)
        requests.append(post(rng.choice(("/api/games", f"{game}/move", f"{game}/undo")), json.dumps(body).encode()))
    statuses = set(check_all(playing, requests))
    assert {200, 409, 422} <= statuses
    assert playing.ask("GET", game)[1] in (before[1], {"error": "there is no such game here: start a new one"})


def test_random_bytes(page: Server, trials: Trials) -> None:
    """Requests that are almost right: a part is missing, doubled, exchanged or random."""
    rng, requests = random.Random(2), []
    good = [
        raw("GET", "/api/setup", "Accept: */*", "Range: bytes=0-10"),
        raw("GET", "/static/page.js", "If-None-Match: x"),
        post("/api/games", b'{"players": 2, "opponents": ["random"], "options": {"scoring": "gate=steps"}}'),
        raw("POST", "/api/games", "Transfer-Encoding: chunked", body=b"2\r\n{}\r\n0\r\n\r\n"),
    ]
    count = trials(300, 4000)
    for _ in range(count):
        sent = bytearray(rng.choice(good))
        for _ in range(rng.randint(1, 6)):
            at = rng.randrange(len(sent) + 1)
            end = min(len(sent), at + rng.randint(1, 30))
            change = rng.randrange(4)
            if change == 0:
                del sent[at:end]
            elif change == 1:
                sent[at:at] = sent[at:end] * rng.randint(1, 40)
            elif change == 2:
                sent[at:at] = rng.randbytes(rng.randint(1, 20))
            else:
                sent[at:end] = rng.choice(
                    (b"\r\n", b"\n", b"\x00", b": ", b" HTTP/1.1", b"\xff", b"%", b",", b"\r\n\r\n")
                )
        requests.append(bytes(sent))
    answered = 0
    for sent, answer in zip(requests, exchange(page, requests, complete=False), strict=True):
        if answer:
            check_answer(sent, answer)
            answered += 1
    assert answered > count / 2
    assert page.ask("GET", "/api/setup")[0] == 200


def test_half_open_connections_keep_nobody_from_playing(playing: Server, trials: Trials) -> None:
    parts = (b"", b"G", b"GET / HTTP/1.1\r\n", post("/api/games", b"{}", "Content-Length: 999"))
    for _ in range(trials(200, 2000) // 200):
        with contextlib.ExitStack() as stack:
            held = [stack.enter_context(playing.connect()) for _ in range(200)]
            for number, client in enumerate(held):
                with contextlib.suppress(ConnectionError):  # the server has closed those that are too many
                    client.sendall(parts[number % len(parts)])
            game = playing.start()
            snapshot = playing.ask("GET", game)[1]
            move = {"action": snapshot["choices"][0]["action"], "revision": 0}
            assert playing.ask("POST", f"{game}/move", move)[0] == 200


def test_games_that_are_begun_and_left_take_a_bounded_memory(playing: Server, trials: Trials) -> None:
    def begin(count: int) -> list[str]:
        games = []
        for number in range(count):
            opponent, seat = ("mcts:1000" if number % 50 == 0 else "random"), number // 50 % 2  # in one it moves first
            game = playing.start(opponents=[opponent], seat=seat)
            games.append(game)
            if number % 10 == 0:
                snapshot = playing.ask("GET", game)[1]
                choice = {"action": snapshot["choices"][0]["action"], "revision": 0}
                assert playing.ask("POST", f"{game}/move", choice)[0] == 200
        return games

    begin(server.MAX_GAMES + 50)  # all that is kept is there, and what the first requests need
    before, count = playing.memory(), trials(250, 1500)
    games = begin(count)
    assert playing.memory() - before < MOST_GROWTH
    assert [playing.ask("GET", game)[0] for game in (games[0], games[-server.MAX_GAMES - 1])] == [404, 404]
    assert [playing.ask("GET", game)[0] for game in (games[-server.MAX_GAMES], games[-1])] == [200, 200]


def test_memory_stays_flat_over_many_requests(page: Server, trials: Trials) -> None:
    rng = random.Random(3)
    game = page.some_game()
    paths = [path.replace("{game}", game) for path in PATHS]

    def use(count: int) -> None:
        requests = [raw("GET", rng.choice(paths)) for _ in range(count)]
        for sent, answer in zip(requests, exchange(page, requests), strict=True):
            check_answer(sent, answer)

    use(400)
    before = page.memory()
    use(trials(1000, 5000))
    assert page.memory() - before < MOST_GROWTH
