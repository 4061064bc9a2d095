"""Bots of users, asked from a process that holds the true games while they run in processes of their own.

A bot's process gets what its views contain, and what comes back is read as numbers of actions or as a short text. The
caller checks the actions. So a bot that crashes, hangs, exhausts memory or changes what it can reach costs itself at
most. It runs with the rights of the user nevertheless: files, the network and other processes are open to it.
"""

from __future__ import annotations

import os
import threading
import weakref

import numpy as np
import numpy.typing as npt

from olb_env.core.checking import shortened
from olb_env.core.game import Game
from olb_env.playing.bot_connection import BotConnection, BotDiedError, BotTimeoutError
from olb_env.playing.bot_starter import MAX_REASON, BotStarter, ServerDiedError
from olb_env.playing.decisions import AgentError, decide
from olb_env.playing.views import View, Views

MEMORY_LIMIT = 4096  # MB for each bot
LONGEST_DECISION = 300.0  # seconds, where no other limit is given, and for loading a bot
MAX_NAME = 4096
SERVER_ATTEMPTS = 3


class HostedBots:
    """All bots of users that one caller asks for decisions in one game, each in a process of its own."""

    def __init__(self, game: Game, memory_limit: int = MEMORY_LIMIT) -> None:
        self._game, self._memory_limit = game, memory_limit
        self._server: BotStarter | None = None
        self._bots: dict[str, BotConnection] = {}
        self._lock = threading.Lock()
        _all.add(self)

    def prepare(self) -> None:
        """Start what starts bots, so that processes forked from now on need not start their own."""
        with self._lock:
            self._server = self._server or BotStarter(self._game)

    def check(self, name: str) -> None:
        """Load a bot; a ValueError says why that is not possible."""
        with self._lock:
            self._running(name)

    def decide(self, name: str, views: Views, limit: float | None = None) -> tuple[npt.NDArray[np.int64], float]:
        """Return the action that a bot chooses for each view [N], and the seconds that it took.

        All actions are legal. An AgentError says that the bot failed, a BotTimeoutError that it took too long.
        A bot whose process dies is asked once more in a new one, so that nothing depends on what it did before.
        """
        with self._lock:
            try:
                return self._decide(name, views, LONGEST_DECISION if limit is None else limit)
            except ValueError as error:
                raise error if isinstance(error, AgentError) else AgentError(str(error)) from None
            except BotTimeoutError:
                self._end(name)
                raise
            except BaseException:  # such as Ctrl-C: answers may be on their way
                self._close()
                raise

    def end_bots(self) -> None:
        """End the processes of all bots; when they are needed again, they start again."""
        with self._lock:
            for name in list(self._bots):
                self._end(name)

    def close(self) -> None:
        """End all processes, also the one that starts bots, which otherwise ends with this process."""
        with self._lock:
            self._close()

    def _close(self) -> None:
        for bot in self._bots.values():
            bot.close()
        self._bots.clear()
        if self._server is not None:
            self._server.close()
            self._server = None

    def start_anew(self) -> None:
        """Leave the bots to the parent in a process that was just forked, and share only what starts them."""
        self._lock = threading.Lock()
        for bot in self._bots.values():
            bot.close()
        self._bots = {}
        if self._server is not None:
            self._server.share()

    def _decide(self, name: str, views: Views, limit: float) -> tuple[npt.NDArray[np.int64], float]:
        who = f"{name!r} in seat {views.seats[0]}" if len(views) == 1 else repr(name)
        servers_lost = 0
        while True:
            bot = self._running(name)
            fresh, bot.used = not bot.used, True
            try:
                answer, seconds = bot.ask(views, limit)
            except BotDiedError as death:
                lost = self._server is not None and self._server.has_ended()  # perhaps by another bot
                servers_lost += lost
                self._end(name)
                if fresh and not (lost and servers_lost < SERVER_ATTEMPTS):
                    raise AgentError(f"agent {who} {death}") from None
                continue
            if isinstance(answer, AgentError):
                raise self._readable(answer, name)
            return decide(_Answered(answer), name, views), seconds

    def _readable(self, error: AgentError, name: str) -> AgentError:
        """Return the error of a bot in one short line that begins with its name."""
        texts = [shortened(text, MAX_REASON) for text in (str(error), error.public)]
        begin = shortened(f"agent {name!r}", MAX_REASON)
        return AgentError(*(text if text.startswith(begin) else f"{begin} failed" for text in texts))

    def _running(self, name: str) -> BotConnection:
        """Return a bot that is loaded and waits; a ValueError says why it cannot be loaded."""
        bot = self._bots.get(name)
        if bot is not None and bot.can_be_asked():
            return bot
        if len(name) > MAX_NAME:
            raise ValueError(f"cannot load agent {shortened(name)!r}: the name is too long")
        for attempt in range(SERVER_ATTEMPTS):
            try:
                self._end(name)
                return self._start(name)
            except ServerDiedError:
                self._close()
                if attempt == SERVER_ATTEMPTS - 1:
                    raise ValueError(f"agent {shortened(name)!r} cannot run: the process that starts it ends") from None
            except BotDiedError as death:
                self._end(name)
                raise ValueError(f"cannot load agent {shortened(name)!r}: it {death}") from None
            except BotTimeoutError:
                self._end(name)
                raise ValueError(
                    f"cannot load agent {shortened(name)!r}: it took longer than {LONGEST_DECISION:g} s"
                ) from None
        raise AssertionError

    def _start(self, name: str) -> BotConnection:
        if self._server is None:
            self._server = BotStarter(self._game)
        bot = self._server.start(name, self._memory_limit * 2**20)
        self._bots[name] = bot
        error = bot.load(LONGEST_DECISION)
        if error is not None:
            raise ValueError(shortened(error, MAX_REASON))
        return bot

    def _end(self, name: str) -> None:
        """End a bot and all that it has started, if it runs."""
        bot = self._bots.pop(name, None)
        if bot is None:
            return
        bot.close()
        if self._server is not None:
            try:
                self._server.end(bot)
            except ServerDiedError:
                self._close()


class _Answered:
    """An agent that has answered already, so that `decide` can check what it chose."""

    def __init__(self, actions: npt.NDArray[np.int64]) -> None:
        self._actions = actions

    def act(self, view: View) -> int:
        """Return the action for one view."""
        return int(self._actions[0])

    def act_many(self, views: Views) -> npt.NDArray[np.int64]:
        """Return the action for each view [N]."""
        return self._actions


_all: weakref.WeakSet[HostedBots] = weakref.WeakSet()


def _start_all_anew() -> None:
    for bots in list(_all):
        bots.start_anew()


os.register_at_fork(after_in_child=_start_all_anew)
