"""The server of the page: it maps requests to the games that are played or shown. Answers are JSON."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import secrets
import sys
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp

from olb_env.core import svg
from olb_env.core.checking import shortened
from olb_env.core.game import Game
from olb_env.core.positions import font_files
from olb_env.core.records import Record, to_json_line
from olb_env.page.adviser import Adviser
from olb_env.page.agent_pool import AgentPool
from olb_env.page.bodies import json_body
from olb_env.page.errors import PageError
from olb_env.page.guard import Guard, error_response
from olb_env.page.replays import ReplayViewer
from olb_env.page.rules_page import render_rules, rules_address, rules_file
from olb_env.page.sessions import PRINTED_BOARD, GameSession, Given, start_session
from olb_env.playing import AgentError, agent_for, agent_names

T = TypeVar("T")

STATIC_FOLDER = Path(__file__).parent / "static"
STATIC_TYPES = {".css": "text/css", ".js": "text/javascript"}
MAX_GAMES = 200  # at once; a new game then replaces the one that was not looked at for longest
THINKING = 4  # requests at once in which agents think; all others are answered meanwhile
SEARCHING_AGENTS = ("mcts:100", "mcts:1000", "champion:64")  # offered as opponents besides the registered names


class _Count(Convertor[int]):
    """A number in an address; no game needs more than nine digits."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the number as text."""
        return str(value)


register_url_convertor("count", _Count())


class Endpoints:
    """The requests that the server answers, with the games, records and adviser that they are about."""

    def __init__(
        self,
        game: Game,
        agents: Sequence[str],
        adviser: Adviser | None,
        viewer: ReplayViewer | None,
        seed: int | None,
        given: Mapping[str, Given],
    ) -> None:
        self.game, self.adviser, self.viewer, self.seed, self.given = game, adviser, viewer, seed, given
        self.agents = available_agents(game, agents)
        self._sessions: collections.OrderedDict[str, GameSession] = collections.OrderedDict()
        self._pool, self._threads = AgentPool(), ThreadPoolExecutor(THINKING, thread_name_prefix="thinking")

    async def setup(self, request: Request) -> Any:
        """Return what the page needs before there is a game: the choices for a new one, the adviser, the rules."""
        game = self.game
        options = {name: _option(game, name, self.given.get(name)) for name in game.commands.help}
        return {
            "game": game.name,
            "title": game.title,
            "players": list(game.players),
            "options": {name: option for name, option in options.items() if option is not None},
            "agents": self.agents,
            "adviser": None if self.adviser is None else self.adviser.name,
            "rules": rules_address(game),
        }

    async def _think(self, function: Callable[..., T], *arguments: Any) -> T:
        """Call a function that may take long; few such calls run at once, so that short ones find a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, function, *arguments)

    # Games that are played.

    def _session(self, request: Request) -> GameSession:
        """Return the game that a request is about."""
        key = request.path_params["key"]
        if key not in self._sessions:
            raise PageError(404, "there is no such game here: start a new one")
        self._sessions.move_to_end(key)
        return self._sessions[key]

    async def start(self, request: Request) -> Any:
        """Start a new game and return its key."""
        body = await json_body(request)
        session = await self._think(start_session, self.game, body, self.agents, self._pool, self.given, self.seed)
        key = secrets.token_urlsafe(12)
        self._sessions[key] = session
        while len(self._sessions) > MAX_GAMES:
            self._sessions.popitem(last=False)
        return {"key": key}

    async def snapshot(self, request: Request) -> Any:
        """Return a game as it is now."""
        return await run_in_threadpool(self._session(request).snapshot)

    async def move(self, request: Request) -> Any:
        """Make a move of the person."""
        body, session = await json_body(request), self._session(request)
        await self._think(session.move, body.get("action"), body.get("revision"))
        return await run_in_threadpool(session.snapshot)

    async def undo(self, request: Request) -> Any:
        """Undo the last move of the person."""
        body, session = await json_body(request), self._session(request)
        await run_in_threadpool(session.undo, body.get("revision"))
        return await run_in_threadpool(session.snapshot)

    async def advice(self, request: Request) -> Any:
        """Return what the adviser thinks of the person's choices."""
        session = self._session(request)
        return await self._think(session.advice, self._adviser())

    async def position(self, request: Request) -> Any:
        """Return an earlier position."""
        return await run_in_threadpool(self._session(request).position, request.path_params["moves"])

    async def record(self, request: Request) -> Response:
        """Return a finished game as a file."""
        return _record_file(await run_in_threadpool(self._session(request).record))

    def _adviser(self) -> Adviser:
        if self.adviser is None:
            raise PageError(404, f"there is no adviser for {self.game.name}")
        return self.adviser

    # Recorded games.

    def _viewer(self) -> ReplayViewer:
        assert self.viewer is not None  # noqa: S101  # otherwise there is no route here
        return self.viewer

    async def replays(self, request: Request) -> Any:
        """Return the list of recorded games."""
        return self._viewer().games()

    async def replay(self, request: Request) -> Any:
        """Return the moves of a recorded game."""
        return await run_in_threadpool(self._viewer().game, request.path_params["number"])

    async def replay_position(self, request: Request) -> Any:
        """Return a position of a recorded game, with its choices."""
        params = request.path_params
        return await self._think(self._viewer().position, params["number"], params["moves"], self.adviser)

    async def replay_evaluations(self, request: Request) -> Any:
        """Return the adviser's evaluation of some moves of a recorded game."""
        params = request.path_params
        return await self._think(self._viewer().evaluations, params["number"], params["first"], self._adviser())

    async def replay_record(self, request: Request) -> Response:
        """Return a recorded game as a file."""
        return _record_file(self._viewer().record(request.path_params["number"]))


def _record_file(record: Record) -> Response:
    name = "-".join([record["game"], *([str(record["seed"])] if type(record.get("seed")) is int else [])])
    headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
    return Response(to_json_line(record), media_type="application/x-ndjson", headers=headers)


def _option(game: Game, name: str, given: Given | None) -> dict[str, Any] | None:
    """Return an option as the form offers it, or None if there is nothing to choose.

    That is a text field, or a list of words with the parts it can be made of. What the user gave in the terminal is
    chosen at first.
    """
    option: dict[str, Any] = {"help": game.commands.help[name], "default": None if given is None else given.text}
    choices = game.commands.choices.get(name)
    if choices is not None:
        words, parts = list(choices.words), {part: list(values) for part, values in choices.parts.items()}
    elif name == "board" and game.boards is not None:  # a file, which only the terminal can name
        words, parts = [PRINTED_BOARD], {}
    else:
        return option
    if given is not None and given.text not in words:
        words.append(given.text)
    return {**option, "words": words, "parts": parts} if len(words) > 1 or parts else None


def available_agents(game: Game, more: Sequence[str]) -> list[str]:
    """Return the agents that play a game: `more`, all registered names that need no argument, and some that search."""
    found = []
    for name in dict.fromkeys([*more, *agent_names(), *SEARCHING_AGENTS]):
        try:
            agent_for(name, game)
        except ValueError:
            continue
        found.append(name)
    return found


def _json(endpoint: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        answer = await endpoint(request)
        return answer if isinstance(answer, Response) else JSONResponse(answer)

    return respond


def _html(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        return FileResponse(STATIC_FOLDER / name, media_type="text/html; charset=utf-8")

    return respond


async def _rules(request: Request) -> Response:
    """Return the rules of a game, or another page that they link to."""
    file = rules_file(request.path_params["name"])
    if file is None:
        raise PageError(404, "there are no such rules here")
    return HTMLResponse(await run_in_threadpool(render_rules, file))


async def _font(request: Request) -> Response:
    """Return the typeface if it is installed; the page works without it."""
    with contextlib.suppress(ImportError):
        file = font_files().get(request.path_params["font"])
        if file is not None:
            return FileResponse(file, media_type="font/ttf")
    raise PageError(404, "there is no such typeface here")


async def _colours(request: Request) -> Response:
    """Return the colours of the pictures, for the page around them."""
    return Response(svg.style_sheet(), media_type="text/css")


async def _static(request: Request) -> Response:
    """Return a script or the style sheet."""
    name = request.path_params["name"]
    file = next((file for file in STATIC_FOLDER.iterdir() if file.name == name and file.suffix in STATIC_TYPES), None)
    if file is None:
        raise PageError(404, "there is no such file here")
    return FileResponse(file, media_type=STATIC_TYPES[file.suffix])


async def _error(request: Request, error: Exception) -> Response:
    if isinstance(error, PageError):
        return error_response(error.status, str(error))
    if isinstance(error, HTTPException):
        asked = f"{shortened(request.method, 20)} {shortened(request.scope['path'])}"
        return error_response(error.status_code, f"{asked}: {error.detail}", error.headers)
    if not isinstance(error, AgentError):  # a mistake of ours, which the guard reports in the terminal
        return error_response(500, f"the page failed: {type(error).__name__}")
    with contextlib.suppress(OSError):  # nobody may read the terminal any more
        print(error, file=sys.stderr)  # the page must not show what only the agent's seat knows
    return error_response(500, error.public)


def make_app(
    game: Game,
    agents: Sequence[str] = (),
    adviser: Adviser | None = None,
    viewer: ReplayViewer | None = None,
    seed: int | None = None,
    given: Mapping[str, Given] | None = None,
) -> ASGIApp:
    """Return the server as an application: the page for playing or, with a viewer, the page that shows records.

    New games have the options `given` unless the page chooses others.
    """
    endpoints = Endpoints(game, agents, adviser, viewer, seed, given or {})
    one, number = "/api/games/{key}", "/api/replays/{number:count}"
    playing = [
        Route("/", _html("play.html")),
        Route("/game/{key}", _html("play.html")),
        Route("/api/games", _json(endpoints.start), methods=["POST"]),
        Route(one, _json(endpoints.snapshot)),
        Route(f"{one}/move", _json(endpoints.move), methods=["POST"]),
        Route(f"{one}/undo", _json(endpoints.undo), methods=["POST"]),
        Route(f"{one}/advice", _json(endpoints.advice)),
        Route(f"{one}/positions/{{moves:count}}", _json(endpoints.position)),
        Route(f"{one}/record", _json(endpoints.record)),
    ]
    replaying = [
        Route("/", _html("replay.html")),
        Route("/api/replays", _json(endpoints.replays)),
        Route(number, _json(endpoints.replay)),
        Route(f"{number}/positions/{{moves:count}}", _json(endpoints.replay_position)),
        Route(f"{number}/evaluations/{{first:count}}", _json(endpoints.replay_evaluations)),
        Route(f"{number}/record", _json(endpoints.replay_record)),
    ]
    routes = [
        *(playing if viewer is None else replaying),
        Route("/api/setup", _json(endpoints.setup)),
        Route("/rules/{name}.md", _rules),
        Route("/colours.css", _colours),
        Route("/font/{font}", _font),
        Route("/static/{name}", _static),
    ]
    handlers: dict[Any, Any] = {PageError: _error, HTTPException: _error, AgentError: _error, Exception: _error}
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return Guard(app)
