"""Agents by name: registered ones, and classes in modules or files of the user.

`random` is registered here. Other packages register theirs in modules that they name as entry points of the group
`olb_env.agents`; this module imports none of them by name.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game
from olb_env.playing.protocols import Agent, GameCheckingAgent
from olb_env.playing.random_agent import RandomAgent

Factory = Callable[[str], Agent]  # called with the text after the colon of the name
_factories: dict[str, Factory] = {}


def register_agent(name: str, factory: Factory) -> None:
    """Make an agent known by `name` to commands and environments."""
    _factories[name] = factory


def agent_names() -> list[str]:
    """Return the names of all registered agents."""
    _import_agents()
    return sorted(_factories)


def is_registered(name: str) -> bool:
    """Return whether `name` is that of a registered agent, and not a class of the user."""
    head = name.partition(":")[0]
    if head not in _factories:
        _import_agents()
    return head in _factories


def make_agent(name: str) -> Agent:
    """Return a new agent of that name; a ValueError says why there is none."""
    if is_registered(name):
        head, colon, rest = name.partition(":")
        if colon and not rest:
            raise ValueError(f"agent {shown(name)} has nothing after its colon: leave the colon out")
        try:
            return _factories[head](rest)
        except OSError as error:
            raise ValueError(f"cannot load agent {shown(name)}: {error.strerror or shortened(error)}") from None
    expected = f"expected one of {', '.join(agent_names())}, package.module:Class or path/to/file.py:Class"
    module, _, class_name = name.rpartition(":")
    if not module or not class_name:
        raise ValueError(f"unknown agent {shown(name)}: {expected}")
    try:
        loaded = _load_module(module)
        if not hasattr(loaded, class_name):
            raise ValueError(f"it has no class {shortened(class_name)}")
        agent = getattr(loaded, class_name)()
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a module of the user may do anything
        reason = f"cannot load agent {shown(name)} ({type(error).__name__}: {shortened(error)})"
        raise ValueError(reason if module.endswith(".py") else f"{reason}: {expected}") from None
    if not callable(getattr(agent, "act", None)):
        raise ValueError(f"agent {shown(name)} has no method act(view): {expected}")
    made: Agent = agent
    return made


def agent_for(name: str, game: Game) -> Agent:
    """Return a new agent of that name; a ValueError says why there is none, or why it does not play `game`."""
    agent = make_agent(name)
    _check(agent, name, game)
    return agent


def seat_opponents(opponents: Any, count: int, game: Game) -> list[tuple[str, Agent]]:
    """Return the agents of `count` seats with their names, from what a caller gave as opponents.

    That is one agent for all seats or a list with one for each, and an agent is a name or an object.
    """
    if opponents is None:
        opponents = "random"
    listed = [opponents] * count if isinstance(opponents, str) or hasattr(opponents, "act") else opponents
    if not isinstance(listed, list | tuple):
        raise ValueError(f"opponents is {shown(opponents)}: expected an agent or a list of {count}")
    if len(listed) != count:
        raise ValueError(f"opponents has {len(listed)} agents: expected {count}, one for each other player")
    made = {name: agent_for(name, game) for name in listed if isinstance(name, str)}  # one for all seats of that name
    return [(name, made[name]) if isinstance(name, str) else _named(name, game) for name in listed]


def _named(opponent: Any, game: Game) -> tuple[str, Agent]:
    """Return the name of an agent that was given as an object, and the agent."""
    if isinstance(opponent, type) or not callable(getattr(opponent, "act", None)):
        raise ValueError(f"opponent {shown(opponent)} is not an agent: expected a name, or an object with act(view)")
    name = type(opponent).__name__
    _check(opponent, name, game)
    return name, opponent


def _check(agent: Agent, name: str, game: Game) -> None:
    """Raise ValueError if an agent says that it does not play a game."""
    if not isinstance(agent, GameCheckingAgent):
        return
    try:
        agent.check(game)
    except ValueError:
        raise
    except (Exception, SystemExit) as error:  # noqa: BLE001  # a class of the user may do anything
        raise ValueError(f"agent {shown(name)} failed with {type(error).__name__}: {shortened(error)}") from None


@functools.cache
def _import_agents() -> None:
    """Import the modules that register agents."""
    for entry in importlib.metadata.entry_points(group="olb_env.agents"):
        entry.load()


@functools.cache
def _load_module(module: str) -> Any:
    """Import a module by its name, or by the path of its file.

    Either finds the modules beside it: a name is looked for in the current folder too. Both folders come last in
    `sys.path`, so that no file in them hides an installed module.
    """
    if not module.endswith(".py"):
        _append_to_path("")  # the current folder
        return importlib.import_module(module)
    path = Path(module).resolve()
    name = f"olb_env_agent_{hashlib.sha256(str(path).encode()).hexdigest()[:16]}"
    _append_to_path(str(path.parent))
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None or not path.is_file():  # a pipe or a device may have no end
        raise FileNotFoundError(f"there is no file {shortened(module)}")
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return loaded


def _append_to_path(folder: str) -> None:
    if folder not in sys.path:
        sys.path.append(folder)


def _make_random(rest: str) -> Agent:
    if rest:
        raise ValueError(f"agent 'random' takes nothing after a colon, but was given {shown(rest)}")
    return RandomAgent()


register_agent("random", _make_random)
