"""A process that has loaded a game but never seen one played, and forks the keepers of bots on request.

Forking is much faster than starting an interpreter, and what it has loaded is shared. It runs no code of a bot.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from olb_env.core import batch
from olb_env.core.game import Game, find, game_names
from olb_env.playing import bot_messages as messages
from olb_env.playing.bot_keeper import PATIENCE, become_keeper, new_allowance
from olb_env.playing.bot_process import Order
from olb_env.playing.process_tree import adopt_orphans, descendants, end_all, ignore_signals, is_stopped
from olb_env.playing.registry import agent_names
from olb_env.playing.views import Views

MAX_MESSAGE = 1 << 16
WAIT_SECONDS = 1.0  # for keepers to end by themselves


def modules_of(game: Game) -> list[str]:
    """Return the modules that know a game, so that importing one of them in another process registers it."""
    found = [
        name
        for name, module in list(sys.modules.items())
        if name != "__main__" and any(value is game for value in list(getattr(module, "__dict__", {}).values()))
    ]
    return sorted(found, key=len)


def serve(descriptor: int, game_name: str, modules: Sequence[str]) -> None:
    """Start and end keepers as the caller asks, until it closes the connection."""
    ignore_signals()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    adopt_orphans()
    caller = socket.socket(fileno=descriptor)
    try:
        game = _load(game_name, modules)
    except Exception as error:  # noqa: BLE001  # a game may be the user's own
        _send(caller, {"error": f"{type(error).__name__}: {error}"[: MAX_MESSAGE // 8]})
        return
    _send(caller, {"process": os.getpid()})
    _Server(caller, game).serve()


def _load(game_name: str, modules: Sequence[str]) -> Game:
    """Return a game, with the machine code that views need, and all registered agents."""
    for module in modules:
        if game_name in game_names():
            break
        importlib.import_module(module)
    game = find(game_name)
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(num_players=game.players[0]), np.array([0]))
    views = Views(game, states, [0])
    views[0].clone()
    views.observations.sum()
    agent_names()
    gc.collect()
    gc.freeze()
    return game


def _send(caller: socket.socket, message: dict[str, Any]) -> None:
    with contextlib.suppress(OSError):  # the caller has gone
        caller.send(json.dumps(message).encode())


class _Server:
    """Keepers, by the caller that asked for each and the number that it gave it.

    A process that the first caller forks can become a caller too: it sends one end of a connection of its own. Without
    the first caller there is no server.
    """

    def __init__(self, caller: socket.socket, game: Game) -> None:
        self._game = game
        self._callers = [caller]
        self._keepers: dict[tuple[socket.socket, int], int] = {}  # the process of each
        self._allowances: dict[str, int] = {}  # by bot: the descriptor that says how much of its output is shown

    def serve(self) -> None:
        """Serve all callers until the first has gone, and end all that is left."""
        first = self._callers[0]
        while first in self._callers:
            for caller in messages.readable(self._callers, None):
                try:
                    content, descriptors, *_ = socket.recv_fds(caller, MAX_MESSAGE, 3)
                except OSError:
                    content, descriptors = b"", []
                if content:
                    self._obey(caller, json.loads(content), descriptors)
                else:
                    self._dismiss(caller)
        self._end(list(self._keepers))

    def _obey(self, caller: socket.socket, message: dict[str, Any], descriptors: Sequence[int]) -> None:
        if "start" in message:
            self._start(caller, message, descriptors)
        elif "end" in message:
            self._end([(caller, message["end"])])
            _send(caller, {"ended": message["end"]})
        elif "leave" in message:
            self._dismiss(caller)
        else:
            self._callers += [socket.socket(fileno=descriptor) for descriptor in descriptors]

    def _start(self, caller: socket.socket, message: dict[str, Any], descriptors: Sequence[int]) -> None:
        name = message["name"]
        order = Order(name, self._game, message["memory"], message["folder"], message["path"])
        if name not in self._allowances:
            self._allowances[name] = new_allowance()
        control, bot = (socket.socket(fileno=descriptor) for descriptor in descriptors[:2])
        server, process = os.getpid(), os.fork()
        if process == 0:
            for other in self._callers:
                other.close()
            os.dup2(descriptors[2], 2)  # standard error of the caller
            become_keeper(order, control, bot, self._allowances[name], server)
        control.close()
        bot.close()
        os.close(descriptors[2])
        self._keepers[caller, message["start"]] = process
        _send(caller, {"process": process})

    def _dismiss(self, caller: socket.socket) -> None:
        """End all bots of a caller, and then the connection to it."""
        self._end([key for key in self._keepers if key[0] is caller])
        self._callers.remove(caller)
        caller.close()

    def _end(self, keys: Sequence[tuple[socket.socket, int]]) -> None:
        """End keepers, and every process that descends from this one and belongs to no keeper in use.

        Keepers whose caller has closed the connection end by themselves, and show what their bots have printed.
        """
        deadline = time.monotonic() + WAIT_SECONDS
        for process in [self._keepers.pop(key) for key in keys if key in self._keepers]:
            while os.waitpid(process, os.WNOHANG)[0] == 0 and not is_stopped(process) and time.monotonic() < deadline:
                time.sleep(0.001)
        end_all(lambda: descendants(os.getpid(), spared=self._keepers.values()), PATIENCE)
