"""Serving a page on the loopback interface until it is interrupted."""

from __future__ import annotations

import argparse
import os
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from olb_env.commands.arguments import whole
from olb_env.commands.olb import UsageError
from olb_env.core import batch
from olb_env.core.boards import is_board_file
from olb_env.core.checking import shortened, shown
from olb_env.core.game import Game
from olb_env.core.positions import Position
from olb_env.core.records import Record
from olb_env.playing import agent_for

DEFAULT_ADVISER = "champion"
SHUTDOWN_SECONDS = 2  # for requests that are still running when the server stops


def add_server_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options that all pages share."""
    parser.add_argument("--port", type=whole(0, 65535), default=0, help="port to serve on (default: any free port)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page, only print its address")
    parser.add_argument(
        "--adviser",
        default=DEFAULT_ADVISER,
        metavar="AGENT",
        help="agent that evaluates moves, or none (default: %(default)s)",
    )


def check_packages() -> None:
    """Raise UsageError if the packages of the page are missing, before anything slow begins."""
    try:
        import h11  # noqa: F401
        import markdown_it  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        raise UsageError(f"the page needs more packages ({error}): pip install olb-env[play]") from None


def serve(
    options: argparse.Namespace,
    game: Game,
    agents: Sequence[str] = (),
    records: Sequence[Record] | None = None,
    seed: int | None = None,
    given: Mapping[str, tuple[str, Any]] | None = None,
) -> int:
    """Serve the page for playing or, if there are records, the page that shows them.

    `given` are the options of new games unless the page chooses others, each as typed and as its value.
    """
    import uvicorn

    from olb_env.page.adviser import Adviser
    from olb_env.page.connections import BoundedProtocol
    from olb_env.page.guard import LOOPBACK, MAX_HEADER_BYTES
    from olb_env.page.replays import ReplayViewer
    from olb_env.page.server import make_app
    from olb_env.page.sessions import Given

    try:
        for name in agents:
            agent_for(name, game)
            if not name.isprintable():  # no record could hold it
                raise ValueError(f"agent {shown(name)}: expected a name of printable characters")
        adviser = _make_adviser(options.adviser, game, Adviser)
    except ValueError as error:
        raise UsageError(str(error)) from None
    offered = {name: Given(_label(text), value) for name, (text, value) in (given or {}).items()}
    viewer = None if records is None else ReplayViewer(records)
    app = make_app(game, agents, adviser, viewer, seed, offered)
    with socket.socket() as listening:
        if os.name == "posix":  # reuse a port that was just closed; elsewhere this option would share it
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((LOOPBACK, options.port))
            listening.listen()
        except OSError as error:
            raise UsageError(f"cannot serve on port {options.port}: {error.strerror}; name another --port") from None
        _warm_up(game, adviser)
        address = f"http://{LOOPBACK}:{listening.getsockname()[1]}/"
        print(f"{address}   (Ctrl-C stops)", flush=True)
        if not options.no_browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        config = uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            lifespan="off",
            h11_max_incomplete_event_size=2 * MAX_HEADER_BYTES,  # the guard says what is too long, if it can be read
            log_level="critical",  # what somebody sends is no news, and mistakes of ours are reported by the guard
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        uvicorn.Server(config).run(sockets=[listening])
    return 0


def _label(text: str) -> str:
    """Return the text that stands for an option on the page: of a file its name, without the folders."""
    return shortened(Path(text).name if is_board_file(text) else text)


def _warm_up(game: Game, adviser: Any) -> None:
    """Compile what every page needs while the terminal can still report it."""
    states = game.new_states(1)
    batch.deal_rows(states, game.rules.configure(), np.array([0]))
    Position(game, states[0]).svg()
    if adviser is not None:
        adviser.opinion(states, 0)


def _make_adviser(name: str, game: Game, make: Callable[[str, Game], Any]) -> Any:
    """Return the adviser, or None; a game without a champion, the default adviser, gets a warning and no adviser."""
    if name == "none":
        return None
    try:
        return make(name, game)
    except ValueError as error:
        if name != DEFAULT_ADVISER:
            raise
        print(f"moves are not evaluated: {error}", file=sys.stderr)
        return None
