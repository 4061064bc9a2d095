"""Agents that no game is asking at the moment. Games borrow them for one decision, so that games left behind hold none.

An agent may decide for any number of games: it knows of each what its view tells. A search keeps a tree of many
megabytes, though, so there should not be one for every game.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator

from olb_env.playing import Agent, AgentError, make_agent

MAX_IDLE = 8  # agents that are kept; the one that was not used for longest goes first


class AgentPool:
    """Agents by name, each used by one thread at a time."""

    def __init__(self) -> None:
        self._idle: list[tuple[str, Agent]] = []  # the last used at the end
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._idle)

    @contextlib.contextmanager
    def borrowed(self, name: str) -> Iterator[Agent]:
        """Lend an agent of that name: one that is idle, or a new one. An agent that fails does not come back."""
        agent = self._take(name)
        yield agent
        with self._lock:
            self._idle.append((name, agent))
            del self._idle[:-MAX_IDLE]

    def _take(self, name: str) -> Agent:
        with self._lock:
            for place in range(len(self._idle) - 1, -1, -1):
                if self._idle[place][0] == name:
                    return self._idle.pop(place)[1]
        try:
            return make_agent(name)
        except ValueError as error:  # it could be made when the server started
            raise AgentError(str(error), f"agent {name!r} cannot be loaded") from None
