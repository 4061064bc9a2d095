"""What the server lets through: requests of its own page, from this machine, not too long; and how it refuses."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from olb_env.page.sessions import PageError

LOOPBACK = "127.0.0.1"
MOST_BYTES = 64 * 1024  # of a request
MOST_LETTERS = 600  # of an error
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def error_response(status: int, message: str) -> JSONResponse:
    """An error as the page is told it: one line, not too long, of letters that can be sent."""
    line = " ".join(message.split())
    line = line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 3] + "..."
    return JSONResponse({"error": line.encode("utf-8", "replace").decode()}, status_code=status)


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
    if host.partition(":")[0] not in (LOOPBACK, "localhost"):
        return error_response(403, f"this server is for {LOOPBACK} alone")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return error_response(403, "this server serves its own page alone")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return error_response(403, "this server serves its own page alone")
    return None
