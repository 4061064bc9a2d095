"""Connections to the page: what becomes of clients that are slow, silent, too many, or do not speak HTTP.

The server underneath closes a connection that stays silent after an answer. Here the same holds for one that never
sends a whole request or never takes its answer, and what is not HTTP gets an answer like any other error.
"""

from __future__ import annotations

import asyncio
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from olb_env.page.guard import MAX_HEADER_BYTES, SECURITY_HEADERS, error_response

REQUEST_SECONDS = 10.0  # for a client to send a whole request, from the end of the last answer
ANSWER_SECONDS = 30.0  # for a client to take more of its answer
LINGER_SECONDS = 2.0  # for a client to read why it was refused
MAX_CONNECTIONS = 128  # at once; a new one then replaces the one whose client has been slow for longest
NOT_HTTP = f"the server cannot read this request: expected HTTP/1.1 with at most {MAX_HEADER_BYTES} bytes of headers"


class BoundedProtocol(H11Protocol):
    """HTTP/1.1 in which no client can hold a connection without using it."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._deadline: asyncio.TimerHandle | None = None  # set while it is the client's turn
        self._refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first request; of too many connections, the slowest is closed."""
        super().connection_made(transport)
        self._watch()
        others = (one for one in self.connections if isinstance(one, BoundedProtocol))
        open_now = [one for one in others if not one.transport.is_closing()]
        if len(open_now) > MAX_CONNECTIONS:
            due = [(one._deadline.when(), one.transport) for one in open_now if one._deadline is not None]
            min(due, key=lambda pair: pair[0])[1].abort()  # at the latest, this connection itself

    def data_received(self, data: bytes) -> None:
        """Take a part of a request."""
        if not self._refused:  # else it is read only so that the client gets to read its answer
            super().data_received(data)
            self._watch()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._watch()

    def pause_writing(self) -> None:
        """Wait until the client has taken more of its answer."""
        super().pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """Go on with the answer."""
        super().resume_writing()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        super().connection_lost(exc)
        self._stop_watching()

    def send_400_response(self, msg: str) -> None:
        """Answer what is not HTTP, and take no more requests from this connection."""
        self._refused = True
        self._stop_watching()
        if self.cycle is not None:  # a request whose body turned out wrong: its answer is this one
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):  # else an answer is under way
            self.transport.write(_refusal())
        self.flow.resume_reading()
        self.transport.write_eof()
        self._deadline = self.loop.call_later(LINGER_SECONDS, self.transport.abort)

    def shutdown(self) -> None:
        """Close the connection when the server stops: at once if it is the client's turn, else after the answer."""
        if self._deadline is None:
            super().shutdown()
        else:
            self.transport.abort()

    def _watch(self) -> None:
        """Let the client's time run while it is the client's turn, and only then."""
        if self._refused:
            return
        sending = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        taking = self.flow.write_paused or self.transport.is_closing()  # which ends when the answer has been taken
        if not sending and not taking:
            self._stop_watching()
        elif self._deadline is None:
            seconds = ANSWER_SECONDS if taking else REQUEST_SECONDS
            self._deadline = self.loop.call_later(seconds, self.transport.abort)

    def _stop_watching(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


def _refusal() -> bytes:
    """Return the whole answer to what is not HTTP."""
    answer = error_response(400, NOT_HTTP, {**SECURITY_HEADERS, "connection": "close"})
    headers = b"".join(name + b": " + value + b"\r\n" for name, value in answer.raw_headers)
    return b"HTTP/1.1 400 Bad Request\r\n" + headers + b"\r\n" + bytes(answer.body)
