"""The page on architecture: every file and function it names exists, its layers are those of the contracts."""

from __future__ import annotations

import ast
import re
import tomllib

import pytest

from tests.support.paths import ROOT

PAGE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
NAMED = re.findall(r"\[`([\w.]+)`\]\(\.\./([\w/]+\.py)\)", PAGE)
WALKS = re.findall(r"^## One (.*)$", PAGE, re.MULTILINE)


def names_in(path: str) -> set[str]:
    """Return all functions, classes, methods and constants that a file defines at its top level or in a class."""
    found: set[str] = set()

    def add(body: list[ast.stmt], prefix: str) -> None:
        for node in body:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                found.add(prefix + node.name)
                if isinstance(node, ast.ClassDef):
                    add(node.body, f"{prefix}{node.name}.")
            elif isinstance(node, ast.Assign | ast.AnnAssign):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                found.update(prefix + target.id for target in targets if isinstance(target, ast.Name))

    add(ast.parse((ROOT / path).read_text(encoding="utf-8")).body, "")
    return found


def test_the_page_shows_four_walks() -> None:
    assert WALKS == ["training decision", "`env.step`", "click on the page", "arena game"]
    assert len(NAMED) >= 30


@pytest.mark.parametrize(("name", "path"), sorted(set(NAMED)))
def test_everything_it_names_exists(name: str, path: str) -> None:
    assert (ROOT / path).is_file(), path
    assert name in names_in(path), f"{path} defines no {name}"


@pytest.mark.parametrize("walk", WALKS)
def test_no_two_steps_of_a_walk_have_the_same_name(walk: str) -> None:
    """A reader who hears a name knows which layer is meant."""
    section = PAGE.split(f"## One {walk}\n")[1].split("\n## ")[0]
    steps = [name for name, _ in re.findall(r"^\d+\. .*?\[`([\w.]+)`\]\(\.\./([\w/]+\.py)\)", section, re.MULTILINE)]
    assert len(steps) >= 4
    assert len(set(steps)) == len(steps)


def test_its_layers_are_those_of_the_import_contracts() -> None:
    drawing = PAGE.split("```text\n")[1].split("```")[0]
    drawn = re.findall(r"\bolb_\w+(?:\.\w+)*", drawing)
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    layers = [
        [name.strip() for name in layer.split("|")]
        for contract in contracts
        if contract["type"] == "layers" and "olb_env.commands" in contract["layers"]
        for layer in contract["layers"]
    ]
    own = [name for name in drawn if name.startswith("olb_env.")]
    assert own == [name for layer in layers for name in layer if not name.endswith("_v0")]
