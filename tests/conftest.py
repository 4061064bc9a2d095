"""How much random testing there is: less when the rules run as plain Python, more with ``--hostile``."""

from __future__ import annotations

from collections.abc import Callable

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

HOSTILE = "--hostile"
TRIALS = "trials"  # the fixture, and the property of a test's report


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        HOSTILE, action="store_true", help="run only tests that mean harm, with many trials, and count them"
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "compiled: about machine code, or too long for plain Python")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Function]) -> None:
    if config.getoption(HOSTILE):
        chosen = [item for item in items if TRIALS in item.fixturenames]
        config.hook.pytest_deselected(items=[item for item in items if TRIALS not in item.fixturenames])
        items[:] = chosen


@pytest.fixture
def trials(request: pytest.FixtureRequest, record_property: Callable[[str, object], None]) -> Callable[[int, int], int]:
    """Return a function of two numbers of trials: it returns the first, or with ``--hostile`` the second."""

    def number(few: int, many: int) -> int:
        chosen = many if request.config.getoption(HOSTILE) else few
        record_property(TRIALS, chosen)
        return chosen

    return number


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption(HOSTILE):
        return
    counts = {
        report.nodeid: sum(count for name, count in report.user_properties if name == TRIALS)
        for report in terminalreporter.getreports("passed")
    }
    terminalreporter.section("trials that held")
    for test, count in sorted(counts.items()):
        terminalreporter.write_line(f"{count:>9,}  {test}")
    terminalreporter.write_line(f"{sum(counts.values()):>9,}  in all, in {len(counts)} tests")
