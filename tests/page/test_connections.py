"""Connections of clients that are slow, silent, too many, or do not speak HTTP. The server has little patience here."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send

from olb_env.page import connections
from olb_env.page.connections import BoundedProtocol
from olb_env.page.guard import MAX_HEADER_BYTES, SECURITY_HEADERS, Guard

PATIENCE = 60.0  # seconds for anything that must happen
LARGE = 30_000_000  # bytes of an answer that no socket can hold
GOOD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


async def app(scope: Scope, receive: Receive, send: Send) -> None:
    """Answer with the length of the body, or with very much."""
    body, more = b"", True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return
        body, more = body + message["body"], message["more_body"]
    answer = str(len(body)).encode()
    headers = [] if scope["path"] == "/large" else [(b"content-length", str(len(answer)).encode())]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    if scope["path"] == "/large":
        for _ in range(LARGE // 1_000_000):
            await send({"type": "http.response.body", "body": b"x" * 1_000_000, "more_body": True})
    await send({"type": "http.response.body", "body": answer})


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[uvicorn.Server]:
    """A server with much patience."""
    for name in ("REQUEST_SECONDS", "ANSWER_SECONDS", "LINGER_SECONDS"):
        monkeypatch.setattr(connections, name, PATIENCE)
    config = uvicorn.Config(Guard(app), http=BoundedProtocol, ws="none", lifespan="off", log_level="critical")
    started = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        config.port = listening.getsockname()[1]
        thread = threading.Thread(target=started.run, kwargs={"sockets": [listening]})
        thread.start()
        yield started
        started.should_exit = True
        thread.join(PATIENCE)
        assert not thread.is_alive()
        assert not started.server_state.tasks


@pytest.fixture
def port(server: uvicorn.Server) -> int:
    return server.config.port


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


def read_all(client: socket.socket) -> bytes:
    """Return everything until the server closes the connection."""
    found = b""
    with contextlib.suppress(ConnectionError):
        while part := client.recv(65536):
            found += part
    return found


def asked(port: int, sent: bytes) -> bytes:
    with connect(port) as client:
        client.sendall(sent)
        return read_all(client)


UNFINISHED = {
    "nothing": b"",
    "half a line": b"GET / HT",
    "half the headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n",
    "half a body": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n12345",
    "half the chunks": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n",
    "half a second request": GOOD.replace(b"Connection: close\r\n", b"") + b"GET /",
}


@pytest.mark.parametrize("sent", UNFINISHED.values(), ids=UNFINISHED)
def test_a_connection_without_a_whole_request_is_closed(
    sent: bytes, port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr(connections, "REQUEST_SECONDS", 0.5)
        answer = asked(port, sent)
        assert answer == b"" or (answer.startswith(b"HTTP/1.1 200") and answer.count(b"HTTP/1.1") == 1)
    assert asked(port, GOOD).endswith(b"\r\n\r\n0")


def test_a_request_that_comes_byte_by_byte_is_not_waited_for(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as impatient:
        impatient.setattr(connections, "REQUEST_SECONDS", 0.5)
        with connect(port) as client:
            closed = threading.Event()
            reader = threading.Thread(target=lambda: (read_all(client), closed.set()))
            reader.start()
            with contextlib.suppress(ConnectionError):
                while not closed.is_set():
                    client.sendall(b"x")
                    closed.wait(0.02)
            reader.join()
    assert asked(port, GOOD).endswith(b"\r\n\r\n0")


def test_requests_in_two_parts_are_served(port: int) -> None:
    with connect(port) as client:
        for _ in range(3):
            client.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 4\r\n\r\n12")
            time.sleep(0.05)
            client.sendall(b"34")
            received = b""
            while not received.endswith(b"\r\n\r\n4"):
                part = client.recv(65536)
                assert part
                received += part
            assert received.startswith(b"HTTP/1.1 200")


def test_an_answer_that_nobody_takes_is_dropped(server: uvicorn.Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "ANSWER_SECONDS", 0.3)
    with connect(server.config.port) as client:
        client.sendall(GOOD.replace(b"GET /", b"GET /large"))
        assert client.recv(1)
        end = time.monotonic() + PATIENCE
        while server.server_state.connections and time.monotonic() < end:
            time.sleep(0.02)
        assert 0 < len(read_all(client)) < LARGE
    assert asked(server.config.port, GOOD).endswith(b"\r\n\r\n0")


def test_the_slowest_of_too_many_connections_is_closed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MAX_CONNECTIONS", 3)
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(port)) for _ in range(3)]
        assert asked(port, GOOD).endswith(b"\r\n\r\n0")
        assert read_all(clients[0]) == b""
        clients[2].sendall(GOOD)
        assert read_all(clients[2]).endswith(b"\r\n\r\n0")
        clients[1].sendall(GOOD)
        assert read_all(clients[1]).endswith(b"\r\n\r\n0")


def test_a_server_that_stops_waits_for_no_client(server: uvicorn.Server) -> None:
    with contextlib.ExitStack() as stack:
        clients = [stack.enter_context(connect(server.config.port)) for _ in (*UNFINISHED, *NOT_HTTP)]
        for client, sent in zip(clients, (*UNFINISHED.values(), *NOT_HTTP.values()), strict=True):
            client.sendall(sent)
        assert asked(server.config.port, GOOD).endswith(b"\r\n\r\n0")
        server.should_exit = True
        for client in clients:
            read_all(client)  # until the server closes it


NOT_HTTP = {
    "words": b"hello there\r\n\r\n",
    "another protocol": b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(range(256)),
    "no host": b"GET / HTTP/1.1\r\n\r\n",
    "two hosts": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n\r\n",
    "wrong length": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
    "two lengths": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n12",
    "wrong chunks": b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n",
    "endless headers": b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + b"X: y\r\n" * MAX_HEADER_BYTES,
}


@pytest.mark.parametrize("sent", NOT_HTTP.values(), ids=NOT_HTTP)
def test_what_is_not_http_gets_an_answer_like_any_error(sent: bytes, port: int) -> None:
    head, _, body = asked(port, sent).partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    assert status == "HTTP/1.1 400 Bad Request"
    headers = dict(line.split(": ", 1) for line in lines)
    assert headers["connection"] == "close"
    assert headers.items() >= SECURITY_HEADERS.items()
    assert int(headers["content-length"]) == len(body)
    assert json.loads(body)["error"].startswith("the server cannot read this request: expected HTTP/1.1")
    assert asked(port, GOOD).endswith(b"\r\n\r\n0")


def test_many_connections_at_once_leave_room_for_others(port: int, trials: Callable[[int, int], int]) -> None:
    count = trials(200, 2000)
    for _ in range(count // 200):
        with contextlib.ExitStack() as stack:
            for number in range(200):
                stack.enter_context(connect(port)).sendall(list(UNFINISHED.values())[number % len(UNFINISHED)])
            assert asked(port, GOOD).endswith(b"\r\n\r\n0")
