"""The JSON that requests carry."""

from __future__ import annotations

import json
from typing import Any

from starlette.requests import ClientDisconnect, Request

from olb_env.page.errors import PageError


async def json_body(request: Request) -> dict[str, Any]:
    """Return the JSON object that a request carries."""
    content_type = request.headers.get("content-type", "").partition(";")[0].strip()
    if content_type.lower() != "application/json":
        raise PageError(415, "expected JSON with the content type application/json")
    try:
        text = (await request.body()).decode()
        body = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_without_twins)
    except ClientDisconnect:
        raise PageError(400, "the request ended too early") from None
    except (ValueError, RecursionError):
        raise PageError(400, "the request is not JSON in UTF-8, or a key is there twice") from None
    if not isinstance(body, dict):
        raise PageError(400, "the request is not a JSON object")
    return body


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _without_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key is there twice")
    return found
