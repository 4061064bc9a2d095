"""The process that starts bots, from its caller's side: one for the caller and all processes that it forks later."""

from __future__ import annotations

import contextlib
import json
import multiprocessing.util
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

from olb_env.core.checking import shortened
from olb_env.core.game import Game
from olb_env.playing import bot_messages as messages
from olb_env.playing.bot_connection import ANSWERING_SECONDS, BotConnection
from olb_env.playing.bot_server import MAX_MESSAGE, modules_of

STARTING_SECONDS = 900.0  # for a server, which may have to compile a game
MAX_REASON = 1000  # characters of an error
PROGRAM = "import sys, json; sys.path[:] = json.loads(sys.argv[1]); from olb_env.playing.bot_server import serve; "
PROGRAM += "serve(int(sys.argv[2]), sys.argv[3], sys.argv[4:])"


class BotServerError(RuntimeError):
    """Processes for bots that cannot be started, which is no bot's fault."""


class ServerDiedError(Exception):
    """A server that has ended, which no bot should bring about."""


class BotStarter:
    """A process that starts bots."""

    def __init__(self, game: Game) -> None:
        modules = modules_of(game)
        if not modules:
            raise BotServerError(
                f"a bot of your own runs in another process, which cannot import {game.name} from this script: "
                "put the game into a module"
            )
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            words = [json.dumps(sys.path), str(theirs.fileno()), game.name, *modules]
            try:
                process = subprocess.Popen(  # noqa: S603  # our own program
                    [sys.executable, "-c", PROGRAM, *words],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,
                    env={"OMP_NUM_THREADS": "1", **os.environ},
                )
            except OSError as error:
                ours.close()
                raise BotServerError(f"cannot start a process for bots: {error.strerror}") from None
        self._connection, self._numbers = ours, 0
        self._process: subprocess.Popen[bytes] | None = process  # None if another process has started it
        self._closing = multiprocessing.util.Finalize(None, self.close, exitpriority=10)
        try:
            answer = self._receive(STARTING_SECONDS)
        except BaseException as error:
            self.close()
            if isinstance(error, ServerDiedError):
                raise BotServerError("cannot start a process for bots: it ended or never began") from None
            raise
        if "error" in answer:
            self.close()
            reason = shortened(answer["error"], MAX_REASON)
            raise BotServerError(f"cannot load {game.name} in a process for bots: {reason}")

    def start(self, name: str, memory_limit: int) -> BotConnection:
        """Fork a keeper, which starts a bot."""
        if not self._closing.still_active():  # in a worker of a pool, which forgets what its parent registered
            self._closing = multiprocessing.util.Finalize(None, self.close, exitpriority=10)
        self._numbers += 1
        talk, talk_there = socket.socketpair()
        control, control_there = socket.socketpair()
        with talk_there, control_there, _standard_error() as errors:
            message = {
                "start": self._numbers,
                "name": name,
                "memory": memory_limit,
                "folder": _current_folder(),
                "path": sys.path,
            }
            try:
                socket.send_fds(
                    self._connection,
                    [json.dumps(message).encode()],
                    [control_there.fileno(), talk_there.fileno(), errors.fileno()],
                )
            except OSError:
                talk.close()
                control.close()
                raise ServerDiedError from None
        try:
            keeper = int(self._receive(ANSWERING_SECONDS)["process"])
        except BaseException:
            talk.close()
            control.close()
            raise
        return BotConnection(self._numbers, keeper, talk, control, memory_limit)

    def end(self, bot: BotConnection) -> None:
        """End a bot with its keeper and all that they have started; return when they are gone."""
        try:
            self._connection.send(json.dumps({"end": bot.number}).encode())
        except OSError:
            raise ServerDiedError from None
        self._receive(ANSWERING_SECONDS)

    def _receive(self, patience: float) -> dict[str, Any]:
        """Return the next message of the server, which runs no code of a bot."""
        content = b""
        with contextlib.suppress(OSError):
            if messages.readable((self._connection,), patience):
                content = self._connection.recv(MAX_MESSAGE)
        if not content:
            raise ServerDiedError
        message: dict[str, Any] = json.loads(content)
        return message

    def has_ended(self) -> bool:
        """Return whether the process has ended."""
        try:
            return self._connection.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) == b""
        except BlockingIOError:
            return False
        except OSError:
            return True

    def close(self) -> None:
        """End all bots of this caller, and the server unless others use it."""
        self._closing.cancel()
        with contextlib.suppress(OSError):
            self._connection.send(json.dumps({"leave": True}).encode())
            messages.readable((self._connection,), ANSWERING_SECONDS)  # until it closes the connection
        self._connection.close()
        if self._process is not None:
            try:
                self._process.wait(ANSWERING_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()

    def share(self) -> None:
        """Get a connection of its own for a process that was just forked, and leave its parent's alone."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs, contextlib.suppress(OSError):
            socket.send_fds(self._connection, [json.dumps({"caller": True}).encode()], [theirs.fileno()])
        self._connection.close()
        self._connection, self._numbers = ours, 0
        self._closing.cancel()
        if self._process is not None:
            self._process.returncode = 0  # it is no child of this process
            self._process = None


def _standard_error() -> IO[bytes]:
    """Return a file for what bots print: standard error, or nothing if this process has none."""
    try:
        return open(os.dup(2), "wb", buffering=0)
    except OSError:
        return open(os.devnull, "wb", buffering=0)


def _current_folder() -> str:
    try:
        return str(Path.cwd())
    except FileNotFoundError:  # somebody has deleted it
        return os.sep
