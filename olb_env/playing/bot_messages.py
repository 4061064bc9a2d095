"""What a caller and the process of a user's bot send each other: plain bytes, nothing that is executed.

A request holds what views contain: seeds, seats, masks and resampled games. An answer holds numbers of actions, or a
short text. Every message has a head with its number, its kind and the length of the rest.
"""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterable

import numpy as np

from olb_env.core.game import Game
from olb_env.playing.views import Views

HEAD = struct.Struct("<IBI")  # number of the request, kind, bytes that follow
ASK, READY, REFUSED, ACTIONS, FAILED, EXHAUSTED = range(6)  # kinds; only the first is a request
MAX_TEXT = 8000  # bytes of a text; a longer one is cut off

# Between the caller and the keeper of a bot's process.
THAW, FREEZE = b"g", b"s"
REPORT = struct.Struct("<Bi")  # how a process ended, and its exit code or signal
FROZEN, EXITED, SIGNALLED, MEMORY, PROCESSES = range(5)


class ReceivedViews(Views):
    """Views that were resampled elsewhere: bit by bit the same as there."""

    def __init__(self, game: Game, count: int, content: bytes) -> None:
        actions, size = len(game.actions), game.rules.dtype.itemsize
        ends = np.cumsum([8 * count, 8 * count, actions * count, size * count]).tolist()
        if len(content) != ends[-1]:
            raise ValueError(f"{len(content)} bytes for {count} views: expected {ends[-1]}")
        writable = bytearray(content)
        self.game = game
        self.seeds = np.frombuffer(writable, np.uint64, count)
        self.seats = np.frombuffer(writable, np.int64, count, ends[0])
        self.masks = np.frombuffer(writable, np.int8, actions * count, ends[1]).reshape(count, actions)
        self.states = np.frombuffer(bytearray(writable[ends[2] :]), game.rules.dtype, count)
        self._own_seats = self.seats.copy()


def request(number: int, views: Views) -> bytes:
    """Return the request for decisions on some views."""
    content = b"".join(part.tobytes() for part in (views.seeds, views.seats, views.masks, views.states))
    return HEAD.pack(number, ASK, len(content)) + content


def count_of(game: Game, length: int) -> int:
    """Return the number of views in a request with this many bytes after its head."""
    return length // (16 + len(game.actions) + game.rules.dtype.itemsize)


def text_answer(number: int, kind: int, message: str, public: str = "") -> bytes:
    """Return an answer of two texts: one for everybody who may know all, one for everybody."""
    parts = [text.replace("\0", " ").encode(errors="replace")[: MAX_TEXT // 2 - 1] for text in (message, public)]
    content = b"\0".join(parts)
    return HEAD.pack(number, kind, len(content)) + content


def read_texts(content: bytes) -> tuple[str, str]:
    """Return the two texts of an answer."""
    message, _, public = content.partition(b"\0")
    return message.decode(errors="replace"), public.decode(errors="replace")


def readable(connections: Iterable[socket.socket], seconds: float | None) -> list[socket.socket]:
    """Return the connections that can be read or have ended, after waiting for one of them."""
    poll = select.poll()
    by_number = {connection.fileno(): connection for connection in connections}
    for number in by_number:
        poll.register(number, select.POLLIN)
    return [by_number[number] for number, _ in poll.poll(None if seconds is None else 1000 * seconds)]


def receive_exactly(connection: socket.socket, count: int) -> bytes:
    """Return the next bytes; EOFError if the other side has closed."""
    parts: list[bytes] = []
    while count:
        part = connection.recv(min(count, 1 << 20))
        if not part:
            raise EOFError
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
