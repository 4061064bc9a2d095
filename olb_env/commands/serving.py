"""How a page is served: on loopback, until it is interrupted."""

from __future__ import annotations

import argparse
import socket
import webbrowser
from collections.abc import Sequence

from olb_env.commands.arguments import whole
from olb_env.commands.olb import UsageError
from olb_env.core.game import Game
from olb_env.core.records import Record
from olb_env.playing import make_agent


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """What every page can be told."""
    parser.add_argument("--port", type=whole(0, 65535), default=0, help="where to serve (default: any free port)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only say where it is")
    parser.add_argument(
        "--critic", default="champion", metavar="AGENT", help="whose opinion is shown, or none (default: champion)"
    )


def serve(
    options: argparse.Namespace, game: Game, agents: Sequence[str] = (), records: Sequence[Record] | None = None
) -> int:
    """Serve the page to play on, or the one that shows records."""
    try:
        import uvicorn

        from olb_env.page.opinions import Critic
        from olb_env.page.server import LOOPBACK, make_app
        from olb_env.page.showing import Showing
    except ImportError as error:
        raise UsageError(f"the page needs a server ({error}): pip install olb-env[play]") from None
    try:
        for name in agents:
            make_agent(name)
        critic = _critic(options.critic, game, Critic)
    except ValueError as error:
        raise UsageError(str(error)) from None
    showing = None if records is None else Showing(records)
    with socket.socket() as listening:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, options.port))
        except OSError as error:
            raise UsageError(f"cannot serve on port {options.port}: {error.strerror}; name another --port") from None
        where = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
        print(f"{where}   (Ctrl-C stops)", flush=True)
        if not options.no_browser:
            webbrowser.open(where)
        server = uvicorn.Server(uvicorn.Config(make_app(game, agents, critic, showing), log_level="warning"))
        server.run(sockets=[listening])
    return 0


def _critic(name: str, game: Game, make: type) -> str:
    """Who is asked for opinions; a game without a champion simply has nobody."""
    if name == "none":
        return ""
    try:
        make(name, game)
    except ValueError:
        if name != "champion":
            raise
        return ""
    return name
