"""What words on the command line may be."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from olb_env.core.rng import SEED_LIMIT


def whole(least: int, most: int | None = None) -> Callable[[str], int]:
    """A whole number within bounds."""
    expected = f"a whole number from {least} on" if most is None else f"a whole number from {least} to {most}"

    def read(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = least - 1
        if value < least or (most is not None and value > most):
            raise argparse.ArgumentTypeError(f"{text!r} given, expected {expected}")
        return value

    return read


def seconds(text: str) -> float:
    """A length of time."""
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0.01 <= value <= 3600:
        raise argparse.ArgumentTypeError(f"{text!r} given, expected seconds from 0.01 to 3600")
    return value


def seed(text: str) -> int:
    """A seed."""
    return whole(0, SEED_LIMIT - 1)(text)
