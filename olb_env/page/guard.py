"""The request filter of the server: it admits short requests from its own page on this machine and refuses others.

It is the outermost part of the application, so every answer gets the security headers: those of errors too.
"""

from __future__ import annotations

import re
import sys
import traceback
from collections.abc import Mapping

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from olb_env.core.checking import shown
from olb_env.page.errors import PageError

LOOPBACK = "127.0.0.1"
MAX_REQUEST_BYTES = 64 * 1024
MAX_HEADER_BYTES = 16 * 1024
MAX_ADDRESS_BYTES = 2000
MAX_ERROR_LENGTH = 600
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
SECURITY_HEADERS: Mapping[str, str] = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
# Any port, so that the page can be forwarded to another one; the name is what a foreign site cannot have.
HOST = re.compile(r"(?:127\.0\.0\.1|localhost)(?::[0-9]{1,5})?", re.IGNORECASE)
IGNORED_HEADERS = (b"range", b"if-range")  # every file here is short


def error_response(status: int, message: str, headers: Mapping[str, str] | None = None) -> JSONResponse:
    """Return an error for the page: one line of limited length that can be encoded."""
    line = " ".join(message.split())
    line = line if len(line) <= MAX_ERROR_LENGTH else line[: MAX_ERROR_LENGTH - 3] + "..."
    return JSONResponse({"error": line.encode("utf-8", "replace").decode()}, status_code=status, headers=headers)


class Guard:
    """An application around the page that refuses foreign and oversized requests, and adds the security headers."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve or refuse one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        received, started = 0, False

        async def receive_limited() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            _check_length(received)
            return message

        async def send_with_headers(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                security = [(name.encode(), value.encode()) for name, value in SECURITY_HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", ()), *security]}
            await send(message)

        headers = [(name, value) for name, value in scope["headers"] if name not in IGNORED_HEADERS]
        try:
            _check_request({**scope, "headers": headers})
            await self._app({**scope, "headers": headers}, receive_limited, send_with_headers)
        except PageError as error:
            await error_response(error.status, str(error))(scope, receive, send_with_headers)
        except Exception as error:  # noqa: BLE001  # a mistake of ours: it belongs on the terminal, and the server goes on
            traceback.print_exception(error, file=sys.stderr)
            if not started:
                await error_response(500, f"the page failed: {type(error).__name__}")(scope, receive, send_with_headers)


def _check_request(scope: Scope) -> None:
    """Raise PageError for a request that is too long, or that does not come from this server's own page."""
    address = scope.get("raw_path") or scope["path"].encode()
    if not address.startswith(b"/"):
        raise PageError(400, f"the address is {shown(scope['path'])}: expected one that begins with /")
    if len(address) + len(scope["query_string"]) > MAX_ADDRESS_BYTES:
        raise PageError(414, f"the address is too long: expected at most {MAX_ADDRESS_BYTES} bytes")
    if sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
        raise PageError(431, f"the headers are too long: expected at most {MAX_HEADER_BYTES} bytes")
    hosts = _values(scope, b"host")
    if len(hosts) != 1 or HOST.fullmatch(hosts[0]) is None:
        raise PageError(403, f"this server only serves {LOOPBACK}")
    if any(origin.lower() != f"http://{hosts[0]}".lower() for origin in _values(scope, b"origin")):
        raise PageError(403, "this server only serves its own page")
    if any(site not in ("same-origin", "none") for site in _values(scope, b"sec-fetch-site")):
        raise PageError(403, "this server only serves its own page")
    for length in _values(scope, b"content-length"):
        _check_length(int(length) if length.isascii() and length.isdigit() and len(length) < 10 else sys.maxsize)


def _values(scope: Scope, name: bytes) -> list[str]:
    """Return every value of a header."""
    return [value.decode("latin-1") for key, value in scope["headers"] if key.lower() == name]


def _check_length(received: int) -> None:
    """Raise PageError if a request is too long."""
    if received > MAX_REQUEST_BYTES:
        raise PageError(413, f"the request is too long: expected at most {MAX_REQUEST_BYTES} bytes")
