"""The process in which a user's bot decides: it answers requests until its caller has gone.

Whatever the bot does, it does here: the true games are in another process. The only descriptors are the null device for
input, a pipe for what is printed, and the socket to the caller.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import socket
import sys
from dataclasses import dataclass
from typing import NoReturn

from olb_env.core.game import Game
from olb_env.playing import bot_messages as messages
from olb_env.playing.decisions import AgentError, decide
from olb_env.playing.process_tree import die_with, handle_signals_as_usual
from olb_env.playing.protocols import Agent
from olb_env.playing.registry import agent_for

SOCKET = 3  # the descriptor of the socket to the caller


@dataclass(frozen=True)
class Order:
    """What is needed to start a bot."""

    name: str
    game: Game
    memory_limit: int  # bytes
    folder: str  # the current folder of the caller
    path: list[str]  # where the caller looks for modules


def become_bot(order: Order, caller: socket.socket, printed: int, keeper: int) -> NoReturn:
    """Turn a process that has just been forked into that of a bot, and never return.

    `printed` is the descriptor of the pipe for output, `keeper` the process that forked.
    """
    code = 1
    try:
        die_with(keeper)
        os.setsid()
        handle_signals_as_usual()
        _keep_only(caller, printed)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_DATA, (order.memory_limit, order.memory_limit))
        sys.path[:] = order.path
        with contextlib.suppress(OSError):  # the caller's folder is gone, and paths from there lead nowhere
            os.chdir(order.folder)
        answer_requests(socket.socket(fileno=SOCKET), order.name, order.game)
        code = 0
    except BaseException as error:  # noqa: BLE001  # nothing may reach the code that forked
        print(f"{type(error).__name__}: {error}", file=sys.stderr)
    finally:
        os._exit(code)


def _keep_only(caller: socket.socket, printed: int) -> None:
    """Close all descriptors but those that the bot needs, and give these their usual numbers."""
    null = os.open(os.devnull, os.O_RDONLY)
    given = (null, printed, printed, caller.detach())
    high = [fcntl.fcntl(number, fcntl.F_DUPFD, SOCKET + 1) for number in given]  # so that none is overwritten
    for number, kept in enumerate(high):
        os.dup2(kept, number, inheritable=number < SOCKET)
    os.closerange(SOCKET + 1, os.sysconf("SC_OPEN_MAX"))
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors="replace", buffering=1, closefd=False)  # noqa: SIM115
        for number, mode in enumerate("rww")
    )


def answer_requests(caller: socket.socket, name: str, game: Game) -> None:
    """Load a bot, and answer requests until the caller closes the connection."""
    try:
        agent = agent_for(name, game)
    except ValueError as error:
        caller.sendall(messages.text_answer(0, messages.REFUSED, str(error)))
        return
    except BaseException as error:  # noqa: BLE001  # a module of the user may do anything
        text = f"cannot load agent {name!r} ({type(error).__name__}: {error})"
        caller.sendall(messages.text_answer(0, messages.REFUSED, text))
        return
    caller.sendall(messages.HEAD.pack(0, messages.READY, 0))
    own = os.getpid()
    while True:
        try:
            head = messages.receive_exactly(caller, messages.HEAD.size)
        except EOFError:
            return
        number, _, length = messages.HEAD.unpack(head)
        content = messages.receive_exactly(caller, length)
        answer = _answer(agent, name, game, number, content)
        if os.getpid() != own:
            os._exit(0)  # the bot has forked, and this is its child
        caller.sendall(answer)


def _answer(agent: Agent, name: str, game: Game, number: int, content: bytes) -> bytes:
    """Return the answer to a request."""
    try:
        views = messages.ReceivedViews(game, messages.count_of(game, len(content)), content)
        actions = decide(agent, name, views)
        return messages.HEAD.pack(number, messages.ACTIONS, actions.nbytes) + actions.tobytes()
    except AgentError as error:
        kind = messages.EXHAUSTED if isinstance(error.__cause__, MemoryError) else messages.FAILED
        return messages.text_answer(number, kind, str(error), error.public)
    except BaseException as error:  # noqa: BLE001  # a bot may raise anything
        kind = messages.EXHAUSTED if isinstance(error, MemoryError) else messages.FAILED
        public = f"agent {name!r} failed with {type(error).__name__}"
        return messages.text_answer(number, kind, f"{public}: {' '.join(str(error).split())[:200]}", public)
