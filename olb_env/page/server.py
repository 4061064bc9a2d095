"""The server of the page: which request asks what of the games that are played or shown. Answers are JSON."""

from __future__ import annotations

import collections
import contextlib
import json
import secrets
import sys
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from olb_env.core import svg
from olb_env.core.game import Game
from olb_env.core.positions import font_files
from olb_env.core.records import Record, to_line
from olb_env.page.critic import Critic
from olb_env.page.guard import Guard, error_response
from olb_env.page.replays import ReplayViewer
from olb_env.page.sessions import GameSession, PageError, begin
from olb_env.playing import AgentError, agent_for, agent_names

HERE = Path(__file__).parent / "static"
MOST_GAMES = 200  # at once; the ones not looked at for longest make room
SUGGESTED = ("mcts:100", "mcts:1000", "champion:64")


class Count(Convertor[int]):
    """A number in an address; longer ones than any game needs are no address."""

    regex = "[0-9]{1,9}"

    def convert(self, value: str) -> int:
        """As it is typed."""
        return int(value)

    def to_string(self, value: int) -> str:
        """As it is written."""
        return str(value)


register_url_convertor("count", Count())


class Pages:
    """What the server knows: the games that are played, the records that are shown, and who is asked for opinions."""

    def __init__(
        self, game: Game, agents: Sequence[str], critic: Critic | None, showing: ReplayViewer | None, seed: int | None
    ) -> None:
        self.game, self.critic, self.showing, self.seed = game, critic, showing, seed
        self.agents = suggested(game, agents)
        self._sittings: collections.OrderedDict[str, GameSession] = collections.OrderedDict()

    def sitting(self, request: Request) -> GameSession:
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
            "title": game.title,
            "players": list(game.players),
            "options": {name: _option(game, name, text) for name, text in game.commands.help.items()},
            "agents": self.agents,
            "advice": self.critic is not None,
        }

    async def begin(self, request: Request) -> Any:
        """A new game."""
        asked = await _body(request)
        sitting = await run_in_threadpool(begin, self.game, asked, self.agents, self.seed)
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
        await run_in_threadpool(sitting.move, asked.get("action"), asked.get("revision"))
        return await run_in_threadpool(sitting.told)

    async def undo(self, request: Request) -> Any:
        """Take the last answer back."""
        asked, sitting = await _body(request), self.sitting(request)
        await run_in_threadpool(sitting.undo, asked.get("revision"))
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

    def _shown(self) -> ReplayViewer:
        assert self.showing is not None  # noqa: S101  # only then is there a way here
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
        """What the critic expected at some of the moves, and where somebody did much worse than possible."""
        if self.critic is None:
            raise PageError(404, f"nobody has opinions on {self.game.name}")
        params = request.path_params
        return await run_in_threadpool(self._shown().judged, params["number"], params["first"], self.critic)

    async def recorded_file(self, request: Request) -> Response:
        """It as a file."""
        return _file(self._shown().record(request.path_params["number"]))


def _file(record: Record) -> Response:
    name = "-".join([record["game"], *([str(record["seed"])] if type(record.get("seed")) is int else [])])
    headers = {"content-disposition": f'attachment; filename="{name}.jsonl"'}
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


def _option(game: Game, name: str, help_text: str) -> dict[str, Any]:
    """An option as the form offers it: a text, or a list of words with the parts it can be made of."""
    values = game.commands.choices.get(name)
    listed = {} if values is None else {"words": values.words, "parts": dict(values.parts)}
    return {"help": help_text, **listed}


def suggested(game: Game, more: Sequence[str]) -> list[str]:
    """Agents that play a game: those asked for, all that need no more than a name, and some that search."""
    found = []
    for name in dict.fromkeys([*more, *agent_names(), *SUGGESTED]):
        try:
            agent_for(name, game)
        except ValueError:
            continue
        found.append(name)
    return found


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


async def _colours(request: Request) -> Response:
    """The look of the pictures, for the page around them."""
    return Response(svg.style_sheet(), media_type="text/css")


async def _failed(request: Request, error: Exception) -> Response:
    if isinstance(error, PageError):
        return error_response(error.status, str(error))
    if isinstance(error, HTTPException):
        return error_response(error.status_code, f"{request.method} {request.url.path}: {error.detail}")
    if isinstance(error, AgentError):
        print(error, file=sys.stderr)  # the page is told nothing that only the agent's seat knows
        return error_response(500, error.public)
    return error_response(500, f"{type(error).__name__}: {error}")


def make_app(
    game: Game,
    agents: Sequence[str] = (),
    critic: Critic | None = None,
    showing: ReplayViewer | None = None,
    seed: int | None = None,
) -> Starlette:
    """The whole server as an application: the page to play on or, where records are shown, the one that shows them."""
    pages = Pages(game, agents, critic, showing, seed)
    one, number = "/api/games/{key}", "/api/replays/{number:count}"
    playing = [
        Route("/", _page("play.html")),
        Route("/game/{key}", _page("play.html")),
        Route("/api/games", _json(pages.begin), methods=["POST"]),
        Route(one, _json(pages.told)),
        Route(f"{one}/move", _json(pages.move), methods=["POST"]),
        Route(f"{one}/undo", _json(pages.undo), methods=["POST"]),
        Route(f"{one}/advice", _json(pages.advice)),
        Route(f"{one}/positions/{{moves:count}}", _json(pages.picture)),
        Route(f"{one}/record", _json(pages.record)),
    ]
    replaying = [
        Route("/", _page("replay.html")),
        Route("/api/replays", _json(pages.games)),
        Route(number, _json(pages.recorded)),
        Route(f"{number}/positions/{{moves:count}}", _json(pages.recorded_position)),
        Route(f"{number}/judged/{{first:count}}", _json(pages.judged)),
        Route(f"{number}/record", _json(pages.recorded_file)),
    ]
    routes = [
        *(playing if showing is None else replaying),
        Route("/api/setup", _json(pages.setup)),
        Route("/colours.css", _colours),
        Route("/font/{face}", _font),
        Mount("/static", StaticFiles(directory=HERE)),
    ]
    handlers: dict[Any, Any] = {PageError: _failed, HTTPException: _failed, AgentError: _failed, Exception: _failed}
    return Starlette(routes=routes, middleware=[Middleware(Guard)], exception_handlers=handlers)
