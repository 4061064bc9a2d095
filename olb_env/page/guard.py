"""The request filter of the server: it admits short requests from its own page on this machine and refuses others."""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from olb_env.page.errors import PageError

LOOPBACK = "127.0.0.1"
MAX_REQUEST_BYTES = 64 * 1024
MAX_ERROR_LENGTH = 600
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


def error_response(status: int, message: str) -> JSONResponse:
    """Return an error for the page: one line of limited length that can be encoded."""
    line = " ".join(message.split())
    line = line if len(line) <= MAX_ERROR_LENGTH else line[: MAX_ERROR_LENGTH - 3] + "..."
    return JSONResponse({"error": line.encode("utf-8", "replace").decode()}, status_code=status)


class Guard:
    """Middleware that refuses foreign and oversized requests, and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = _refusal(Request(scope))
        if refusal is not None:
            await refusal(scope, receive, send)
            return
        received = 0

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > MAX_REQUEST_BYTES:
                raise PageError(413, f"the request is too long: expected at most {MAX_REQUEST_BYTES} bytes")
            return message

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] += [
                    (b"content-security-policy", CONTENT_SECURITY_POLICY.encode()),
                    (b"x-content-type-options", b"nosniff"),
                    (b"referrer-policy", b"no-referrer"),
                    (b"cache-control", b"no-store"),
                    (b"cross-origin-resource-policy", b"same-origin"),
                ]
            await send(message)

        await self._app(scope, receive_limited, send_with_headers)


def _refusal(request: Request) -> Response | None:
    """Return the response to a request that does not come from this server's own page, else None."""
    host = request.headers.get("host", "")
    if host.partition(":")[0] not in (LOOPBACK, "localhost"):
        return error_response(403, f"this server only serves {LOOPBACK}")
    origin = request.headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return error_response(403, "this server only serves its own page")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return error_response(403, "this server only serves its own page")
    return None
