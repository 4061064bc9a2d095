"""Agents for tests of commands, as a user might write them."""

from __future__ import annotations

from olb_env.playing import View


class First:
    """Always the first legal action, by name."""

    def act(self, view: View) -> str:
        return view.legal[0]


class Cheat:
    """Never a legal action."""

    def act(self, view: View) -> str:
        return "fly"


class Mute:
    """Not an agent."""


class Broken:
    """Fails at its first decision."""

    def act(self, view: View) -> str:
        raise RuntimeError("no idea")
