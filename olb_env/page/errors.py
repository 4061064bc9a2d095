"""The error that every part of the page raises for a request that it cannot serve."""

from __future__ import annotations


class PageError(Exception):
    """A request that cannot be served, with its HTTP status."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
