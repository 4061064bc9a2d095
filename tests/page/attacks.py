"""A server of the page in a process of its own, and requests to it as raw bytes, many at once."""

from __future__ import annotations

import contextlib
import http.client
import io
import json
import re
import selectors
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from olb_env.commands.olb import INTERRUPTED
from olb_env.page.guard import MAX_ERROR_LENGTH, SECURITY_HEADERS
from tests.support.running import OLB_WITH_SIGINT

AT_ONCE = 40  # connections that are open at the same time
MOST_ECHOED = 200  # characters of a request that an error may show
PATIENCE = 300.0  # seconds for anything that must happen, even if a search is compiled first


@dataclass
class Server:
    """A running server."""

    port: int
    pid: int
    plays: bool  # or shows recorded games

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}/"

    def memory(self) -> float:
        """Return the megabytes of memory that the process holds."""
        status = Path(f"/proc/{self.pid}/status").read_text("ascii")
        return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) / 1024  # type: ignore[index]

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)

    def ask(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        """Send an ordinary request, and return the status and the JSON of its answer."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        with contextlib.closing(connection):
            content = None if body is None else json.dumps(body)
            connection.request(method, path, content, {"content-type": "application/json"})
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read())

    def start(self, players: int = 2, **changes: Any) -> str:
        """Start a game against random agents and return its address."""
        body = {"players": players, "opponents": ["random"] * (players - 1), "options": {}, **changes}
        status, answer = self.ask("POST", "/api/games", body)
        assert status == 200, answer
        return f"/api/games/{answer['key']}"

    def some_game(self) -> str:
        """Return the address of a new game, or of none if this server only shows recorded ones."""
        return self.start() if self.plays else "/api/games/none"


@contextlib.contextmanager
def served(errors: Path, *words: str, folder: Path | None = None) -> Iterator[Server]:
    """Run `olb play` or `olb replay`; at the end it must stop when it is asked to, and must have had no mistake."""
    command = [sys.executable, "-c", OLB_WITH_SIGINT, *words, "--no-browser"]
    pipe = subprocess.PIPE
    with (
        errors.open("w") as file,
        subprocess.Popen(command, stdout=pipe, stderr=file, text=True, cwd=folder) as process,
    ):
        assert process.stdout is not None
        try:
            found = re.match(r"http://127\.0\.0\.1:(\d+)/", process.stdout.readline())
            assert found, errors.read_text()
            yield Server(int(found[1]), process.pid, words[0] == "play")
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE) == INTERRUPTED
        finally:
            process.kill()
    assert "Traceback" not in errors.read_text()
    assert "Exception" not in errors.read_text()


def raw(method: str, target: str, *headers: str, host: str | None = "127.0.0.1", body: bytes = b"") -> bytes:
    """Return a request as bytes; its connection is closed after the answer."""
    lines = [f"{method} {target} HTTP/1.1", *([] if host is None else [f"Host: {host}"]), "Connection: close", *headers]
    return "\r\n".join([*lines, "", ""]).encode("latin-1", "replace") + body


def post(target: str, body: bytes, *headers: str) -> bytes:
    """Return a request with a JSON body as bytes."""
    length = () if any(header.lower().startswith("content-length") for header in headers) else (
        f"Content-Length: {len(body)}",
    )  # fmt: skip
    return raw("POST", target, "Content-Type: application/json", *length, *headers, body=body)


def exchange(server: Server, requests: Sequence[bytes], *, complete: bool = True) -> list[bytes]:
    """Send each request over a connection of its own, and return what the server answered to each.

    Requests that are not complete may have no answer: then the server waits for more of them.
    """
    found: list[bytes] = []
    for first in range(0, len(requests), AT_ONCE):
        found += _exchange_at_once(server, requests[first : first + AT_ONCE], complete)
    return found


def _exchange_at_once(server: Server, requests: Sequence[bytes], complete: bool, attempts: int = 5) -> list[bytes]:
    answers = [bytearray() for _ in requests]
    cut_off: set[int] = set()  # answers that were lost since the server closed the connection before it had read all
    with contextlib.ExitStack() as stack, selectors.DefaultSelector() as selector:
        unsent: dict[int, memoryview] = {}
        for number, sent in enumerate(requests):
            client = stack.enter_context(server.connect())
            client.setblocking(False)
            unsent[number] = memoryview(sent)
            selector.register(client, selectors.EVENT_READ | selectors.EVENT_WRITE, number)
        quiet = 0
        while selector.get_map():
            events = selector.select(PATIENCE if complete else 0.02)
            if not events and not any(_is_begun(answers[key.data]) for key in selector.get_map().values()):
                assert not complete, "a request was not answered"
                if quiet == 2:
                    break
                server.ask("GET", "/api/setup")  # what was sent before this has been read when the answer is there
            quiet = 0 if events else quiet + 1
            assert quiet < PATIENCE / 0.02, "an answer was not finished"
            for key, event in events:
                client, number = key.fileobj, key.data
                assert isinstance(client, socket.socket)
                try:
                    if event & selectors.EVENT_WRITE:
                        unsent[number] = unsent[number][client.send(unsent[number]) :]
                        if not unsent[number]:
                            selector.modify(client, selectors.EVENT_READ, number)
                    if event & selectors.EVENT_READ:
                        part = client.recv(65536)
                        answers[number] += part
                        if not part:
                            selector.unregister(client)
                except ConnectionError:
                    selector.unregister(client)
                    cut_off.add(number)
    for number in cut_off:
        assert attempts, "an answer was cut off every time"
        again = _exchange_at_once(server, [requests[number]], True, attempts - 1) if complete else [b""]
        answers[number] = bytearray(again[0])
    return [bytes(answer) for answer in answers]


def _is_begun(answer: bytearray) -> bool:
    """Return whether the rest of an answer is still to come."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"content-length: (\d+)", head)
    return bool(answer) and (length is None or len(body) < int(length[1]))


class _Answered(io.BytesIO):
    """An answer as `http.client` reads it."""

    def makefile(self, *_: Any) -> io.BytesIO:
        return self


def check_answer(sent: bytes, answer: bytes) -> int:
    """Check that an answer is one of 2xx or 4xx with the security headers, and an error one short line; its status."""
    statuses = [int(status) for status in re.findall(rb"^HTTP/1\.1 (\d{3}) ", answer, re.MULTILINE)]
    assert statuses, (sent[:300], answer[:300])
    assert all(status == 100 or status // 100 in (2, 4) for status in statuses), (sent[:300], answer[:300])
    response = http.client.HTTPResponse(_Answered(answer), method="HEAD" if sent[:5] == b"HEAD " else "GET")  # type: ignore[arg-type]
    response.begin()
    for name, value in SECURITY_HEADERS.items():
        assert response.headers.get_all(name) == [value], (sent[:300], name)
    content = response.read()
    if response.status >= 400 and content:
        error = json.loads(content)
        assert list(error) == ["error"]
        check_error(error["error"], sent)
    return response.status


def check_error(error: str, sent: bytes) -> None:
    """Check that an error is one line, not too long, and does not repeat much of the request."""
    assert 0 < len(error) <= MAX_ERROR_LENGTH
    assert error.isprintable(), error
    text = sent.decode("latin-1")
    for start in range(len(error) - MOST_ECHOED):
        assert error[start : start + MOST_ECHOED + 1] not in text
