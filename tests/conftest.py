"""How much random testing there is: less when the rules run as plain Python."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from tests.support import toy_game  # noqa: F401  # so that its game is known by name
from tests.support.running import INTERPRETED

settings.register_profile(
    "tests",
    max_examples=2 if INTERPRETED else 60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("tests")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "compiled: about machine code, or too long for plain Python")
