"""The server of the page: on loopback alone, for its own page alone; answers JSON, errors in one line."""

from __future__ import annotations

import collections
import contextlib
import functools
import json
import secrets
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from olb_env.core.game import Game
from olb_env.core.positions import font_files
from olb_env.core.records import Record, to_line
from olb_env.page.opinions import Critic
from olb_env.page.showing import Showing
from olb_env.page.sittings import PageError, Sitting, begin
from olb_env.playing import agent_names, make_agent

HERE = Path(__file__).parent / "static"
LOOPBACK = "127.0.0.1"
MOST_BYTES = 64 * 1024  # of a request
MOST_GAMES = 500  # at once; the ones not looked at for longest make room
SUGGESTED = ("mcts:100", "mcts:1000", "champion:64")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class Guard:
    """Lets through what this page asks of this server, and not too much of it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """One request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        refused = _refusal(request)
        if refused is not None:
            await refused(scope, receive, send)
            return
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > MOST_BYTES:
                raise PageError(413, f"the request is too long: expected at most {MOST_BYTES} bytes")
            return message

        async def marked(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [
                    (b"content-security-policy", POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cache-control", b"no-store"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                ]
            await send(message)

        await self._app(scope, counted, marked)


def _refusal(request: Request) -> Response | None:
    """Why a request is not served, if it is not from this page."""
    host = request.headers.get("host", "")
    if host.rpartition(":")[0] not in (LOOPBACK, "localhost"):
        return _error(403, f"this server is for {LOOPBACK} alone")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return _error(403, "this server serves its own page alone")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return _error(403, "this server serves its own page alone")
    return None


def _error(status: int, message: str) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status)


class Pages:
    """What the server knows: the games that are played, the records that are shown, and who is asked for opinions."""

    def __init__(self, game: Game, agents: Sequence[str], critic: str, showing: Showing | None) -> None:
        self.game, self.showing = game, showing
        self._critic_name = critic
        self.agents = suggested(game, agents)
        self._sittings: collections.OrderedDict[str, Sitting] = collections.OrderedDict()

    @functools.cached_property
    def critic(self) -> Critic | None:
        """Who gives opinions, if anybody does."""
        try:
            return Critic(self._critic_name, self.game) if self._critic_name else None
        except ValueError:
            return None

    def sitting(self, request: Request) -> Sitting:
        """The game that a request is about."""
        key = request.path_params["key"]
        if key not in self._sittings:
            raise PageError(404, "there is no such game here: begin a new one")
        self._sittings.move_to_end(key)
        return self._sittings[key]

    async def setup(self, request: Request) -> Any:
        """What a new game can be."""
        game = self.game
        return {
            "game": game.name,
            "title": title(game),
            "players": list(game.players),
            "options": dict(game.command_options),
            "agents": self.agents,
            "advice": self.critic is not None,
            "replay": self.showing is not None,
        }

    async def begin(self, request: Request) -> Any:
        """A new game."""
        asked = await _body(request)
        sitting = await run_in_threadpool(begin, self.game, asked, self.agents)
        key = secrets.token_urlsafe(12)
        self._sittings[key] = sitting
        while len(self._sittings) > MOST_GAMES:
            self._sittings.popitem(last=False)
        return {"key": key}

    async def told(self, request: Request) -> Any:
        """A game as it stands."""
        return await run_in_threadpool(self.sitting(request).told)

    async def move(self, request: Request) -> Any:
        """An answer of the person."""
        asked, sitting = await _body(request), self.sitting(request)
        await run_in_threadpool(sitting.move, asked.get("action"), asked.get("after"))
        return await run_in_threadpool(sitting.told)

    async def undo(self, request: Request) -> Any:
        """Take the last answer back."""
        await _body(request)
        sitting = self.sitting(request)
        await run_in_threadpool(sitting.undo)
        return await run_in_threadpool(sitting.told)

    async def advice(self, request: Request) -> Any:
        """What the critic would do."""
        sitting = self.sitting(request)
        if self.critic is None:
            raise PageError(404, f"nobody gives advice on {self.game.name}")
        return await run_in_threadpool(sitting.advice, self.critic)

    async def picture(self, request: Request) -> Any:
        """A position on the way."""
        return await run_in_threadpool(self.sitting(request).picture, request.path_params["moves"])

    async def record(self, request: Request) -> Response:
        """A finished game as a file."""
        return _file(await run_in_threadpool(self.sitting(request).record))

    # Recorded games.

    def _shown(self) -> Showing:
        if self.showing is None:
            raise PageError(404, "no records are shown here: olb replay FILE shows some")
        return self.showing

    async def games(self, request: Request) -> Any:
        """The recorded games there are."""
        return self._shown().games()

    async def recorded(self, request: Request) -> Any:
        """One of them: its moves."""
        return await run_in_threadpool(self._shown().told, request.path_params["number"])

    async def recorded_position(self, request: Request) -> Any:
        """A position in it, with what could have been done there."""
        params = request.path_params
        return await run_in_threadpool(self._shown().position, params["number"], params["moves"], self.critic)

    async def judged(self, request: Request) -> Any:
        """What the critic expected all along, and where somebody did much worse than possible."""
        if self.critic is None:
            raise PageError(404, f"nobody has opinions on {self.game.name}")
        return await run_in_threadpool(self._shown().judged, request.path_params["number"], self.critic)

    async def recorded_file(self, request: Request) -> Response:
        """It as a file."""
        return _file(self._shown().record(request.path_params["number"]))


def _file(record: Record) -> Response:
    headers = {"content-disposition": f'attachment; filename="{record["game"]}.jsonl"'}
    return Response(to_line(record), media_type="application/x-ndjson", headers=headers)


async def _body(request: Request) -> dict[str, Any]:
    """What a request says, as JSON."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise PageError(415, "expected JSON, with that content type")
    try:
        asked = json.loads(await request.body())
    except (ValueError, RecursionError):
        raise PageError(400, "the request is no JSON") from None
    if not isinstance(asked, dict):
        raise PageError(400, "the request is no JSON object")
    return asked


def suggested(game: Game, more: Sequence[str]) -> list[str]:
    """Agents that play a game, strongest last."""
    found = []
    for name in dict.fromkeys([*more, *agent_names(), *SUGGESTED]):
        try:
            getattr(make_agent(name), "check", lambda game: None)(game)
        except ValueError:
            continue
        found.append(name)
    return found


def title(game: Game) -> str:
    """A game's name for people."""
    return game.name.replace("_", " ").title()


def _json(answer: Callable[[Request], Awaitable[Any]]) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        found = await answer(request)
        return found if isinstance(found, Response) else JSONResponse(found)

    return respond


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def respond(request: Request) -> Response:
        return FileResponse(HERE / name, media_type="text/html; charset=utf-8")

    return respond


async def _font(request: Request) -> Response:
    """The typeface, if it is installed; the page does without it."""
    with contextlib.suppress(ImportError):
        file = font_files().get(request.path_params["face"])
        if file is not None:
            return FileResponse(file, media_type="font/ttf")
    raise PageError(404, "there is no such typeface here")


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, PageError):
        return _error(error.status, str(error))
    assert isinstance(error, HTTPException)  # noqa: S101  # it is registered for these two alone
    return _error(error.status_code, f"{request.method} {request.url.path}: {error.detail}")


def make_app(
    game: Game, agents: Sequence[str] = (), critic: str = "champion", showing: Showing | None = None
) -> Starlette:
    """The whole server as an application."""
    pages = Pages(game, agents, critic, showing)
    one, number = "/api/games/{key}", "/api/replays/{number:int}"
    routes = [
        Route("/", _page("replay.html" if showing else "play.html")),
        Route("/game/{key}", _page("play.html")),
        Route("/api/setup", _json(pages.setup)),
        Route("/api/games", _json(pages.begin), methods=["POST"]),
        Route(one, _json(pages.told)),
        Route(f"{one}/move", _json(pages.move), methods=["POST"]),
        Route(f"{one}/undo", _json(pages.undo), methods=["POST"]),
        Route(f"{one}/advice", _json(pages.advice)),
        Route(f"{one}/positions/{{moves:int}}", _json(pages.picture)),
        Route(f"{one}/record", _json(pages.record)),
        Route("/api/replays", _json(pages.games)),
        Route(number, _json(pages.recorded)),
        Route(f"{number}/positions/{{moves:int}}", _json(pages.recorded_position)),
        Route(f"{number}/judged", _json(pages.judged)),
        Route(f"{number}/record", _json(pages.recorded_file)),
        Route("/font/{face}", _font),
        Mount("/static", StaticFiles(directory=HERE)),
    ]
    handlers: dict[Any, Any] = {PageError: _failed, HTTPException: _failed}
    return Starlette(routes=routes, middleware=[Middleware(Guard)], exception_handlers=handlers)
