"""The wheel and the sdist: what they hold, and what they say of the project."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path, PurePosixPath

import pytest
from packaging.metadata import Metadata
from packaging.specifiers import SpecifierSet

import olb_env
from tests.packaging.conftest import Distributions
from tests.support.paths import ROOT
from tests.tools.tables import GAMES

pytestmark = pytest.mark.compiled  # a build is the same without the compiler: once is enough

PACKAGES = {"olb_env": ROOT, "olb_agents": ROOT / "agents", "olb_training": ROOT / "training"}
DIST_INFO = f"olb_env-{olb_env.__version__}.dist-info"


@pytest.fixture
def names(distributions: Distributions) -> set[str]:
    """The files in the wheel."""
    with zipfile.ZipFile(distributions.wheel) as wheel:
        return set(wheel.namelist())


@pytest.fixture
def metadata(distributions: Distributions) -> Metadata:
    """What the wheel says of itself, checked against the specification of such files."""
    with zipfile.ZipFile(distributions.wheel) as wheel:
        return Metadata.from_email(wheel.read(f"{DIST_INFO}/METADATA"), validate=True)


def test_the_wheel_installs_three_packages_and_nothing_else(names: set[str]) -> None:
    """Other distributions install top-level packages named agents, training, tests and docs."""
    assert {PurePosixPath(name).parts[0] for name in names} == {*PACKAGES, DIST_INFO}


def test_every_module_is_in_the_wheel(names: set[str]) -> None:
    for package, folder in PACKAGES.items():
        for path in (folder / package).rglob("*.py"):
            assert path.relative_to(folder).as_posix() in names


def test_the_champions_are_in_the_wheel(names: set[str]) -> None:
    for game in GAMES:
        for ending in ("safetensors", "json"):
            assert f"olb_agents/champions/{game}.{ending}" in names


def test_the_files_of_the_page_are_in_the_wheel(names: set[str]) -> None:
    static = {path.relative_to(ROOT).as_posix() for path in (ROOT / "olb_env" / "page" / "static").iterdir()}
    assert len(static) > 3
    assert static <= names


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_may_read_the_types_of_every_package(package: str, names: set[str]) -> None:
    assert f"{package}/py.typed" in names


def test_the_wheel_holds_no_files_of_development(names: set[str]) -> None:
    for name in map(PurePosixPath, names):
        assert not {"tests", "notebooks", "docs", "__pycache__"} & set(name.parts), name
        assert not name.name.startswith(("test_", "conftest")), name
        assert name.suffix not in {".ipynb", ".pyc"}, name
        assert name.suffix != ".md" or name.parent == PurePosixPath("olb_env/page/rules"), name


def test_the_sdist_is_enough_to_build_the_same_wheel(distributions: Distributions) -> None:
    assert distributions.wheel.read_bytes() == distributions.wheel_of_checkout.read_bytes()


def test_the_sdist_holds_what_tests_and_documentation_need(distributions: Distributions) -> None:
    with tarfile.open(distributions.sdist) as sdist:
        folder = os.path.commonpath(sdist.getnames())
        held = {str(PurePosixPath(name).relative_to(folder)) for name in sdist.getnames()}
    assert {"Makefile", "constraints.txt", "pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE"} <= held
    for top, pattern in (("tests", "*.py"), ("tests/golden", "*.jsonl"), ("docs", "*.md"), ("notebooks", "*.ipynb")):
        paths = list((ROOT / top).rglob(pattern))
        assert paths
        assert {path.relative_to(ROOT).as_posix() for path in paths} <= held


def test_an_index_would_take_both(distributions: Distributions, tmp_path: Path) -> None:
    words = [sys.executable, "-m", "twine", "check", "--strict", str(distributions.sdist), str(distributions.wheel)]
    done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("PASSED") == 2


def test_the_metadata_describes_the_project(metadata: Metadata) -> None:
    assert (metadata.name, str(metadata.version)) == ("olb-env", olb_env.__version__)
    assert metadata.summary is not None
    assert "Old London Bridge" in metadata.summary
    assert metadata.author == "olb-env contributors"
    assert (metadata.license_expression, metadata.license_files) == ("MIT", ["LICENSE"])
    assert metadata.keywords
    assert metadata.requires_python == SpecifierSet(">=3.11")
    assert metadata.description_content_type == "text/markdown"


def test_the_classifiers_name_the_python_of_these_tests(metadata: Metadata) -> None:
    classifiers = metadata.classifiers or []
    assert "Programming Language :: Python :: {}.{}".format(*sys.version_info) in classifiers
    assert "Typing :: Typed" in classifiers
    assert not [name for name in classifiers if name.startswith("License ::")], "the SPDX expression says it"


def test_the_licence_is_in_the_wheel(names: set[str]) -> None:
    assert f"{DIST_INFO}/licenses/LICENSE" in names
