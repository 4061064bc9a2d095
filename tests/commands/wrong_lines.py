"""Wrong and odd command lines, made from the options that commands have, and what every one of them has to lead to."""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import os
import random
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from olb_env.commands.olb import main, make_parser
from olb_env.core.game import find

GAMES = ("old_london_bridge", "portobello_market", "wobbly_bridge")
MOST_ECHOED, MOST_PRINTED = 200, 1200  # characters of one word that was typed, and of an error

# Command lines that work, in the folder of `precious_folder`.
VALID: dict[str, list[str]] = {
    "arena": ["--agents", "random", "random", "random", "--players", "3", "--deals", "2", "--workers", "1"],
    "bench": ["--players", "3", "--seconds", "0.01", "--batch", "8"],
    "board": ["check", "board.toml"],
    "play": ["--no-browser", "--adviser", "none"],
    "record": ["--players", "3", "--games", "2", "--out", "new.jsonl"],
    "replay": ["games.jsonl", "--no-browser", "--adviser", "none"],
    "train": ["--out", "run", "--workers", "1"],
}
OUTPUTS = ("--out", "--json", "--svg", "--html", "--records", "--resume")  # options that name files to write
AGENT_OPTIONS = ("--agents", "--adviser", "--exploit", "--opponents", "--teacher", "--init-from")

TEXTS = (
    "", " ", "-", "--", "---", "=", ":", "x", "0", "1", "-1", "-0", "+3", "1.5", "-1.5", "1e9", "-1e9", "0x10", "1_0",
    "٣", "²", str(10**12), str(-(10**12)), str(10**23), "9" * 5000, "-" + "9" * 5000, "nan", "-nan", "inf", "-inf",
    "1e400", "None", "True", "[]", "{}", "\x1b[31mred", "\a\b\r", "two\nlines", "two\u2028lines", "\u202eback",
    "a\tb", "%s %(prog)s", "[/bold] {0}", "x" * 10_000, "x\n" * 5000, "\x1b" * 10_000, "£" * 10_000, "\udcff",
    "\ud800", "\udcff" * 10_000, "a,b", "a=b", "a=b,a=c", "=" * 10_000, "," * 10_000, "chapel=board", "debts=owed",
    "debts=" + "x" * 10_000, "x" * 10_000 + "=owed",
)  # fmt: skip
PATHS = (
    "missing", "missing/file", "folder", "folder/", ".", "..", "/", "precious.jsonl", "precious.jsonl/below", "loop",
    "loop.toml", "board.toml", "board.json", "bad.toml", "latin.toml", "games.jsonl", "link.jsonl", "x" * 300,
    "x/" * 2000, "x/" * 3000, "x" * 300 + ".toml", "x/" * 2000 + ".json", "missing.toml", "folder.toml", "/dev/null",
    "/dev/full", "/proc/self/mem", "~", "$HOME",
)  # fmt: skip
ENDLESS = ("zero.toml", "zero.json", "/dev/zero", "/dev/full", "/dev/urandom")
AGENTS = (
    "genius", "Random", "random ", "random:", "random:7", "mcts", "mcts:", "mcts:-1", "mcts:0", "mcts:1.5",
    "mcts:nan", "mcts:1e9ms", "mcts:0ms", "mcts:10000000000000", "mcts:" + "9" * 5000, "mcts:" + "x" * 10_000,
    "mcts:5\n", "flat:5ms", "flat:-3", "policy", "policy:", "policy::", "policy:/dev/null", "policy:/dev/zero",
    "policy:folder", "policy:missing.safetensors", "policy:missing.safetensors:0",
    "policy:missing.safetensors:" + "9" * 5000, "policy:" + "x" * 10_000, "policy:" + "x/" * 2000,
    "policy:damaged.safetensors", "champion:0", "champion:-1", "champion:1.5", "champion:" + "9" * 5000, "champion:x",
    "mixed:0", "mixed:-1", "mixed:1000001", "mixed:" + "9" * 5000, "guilds", "planner:3", "scout", ":", "::", "x.py:",
    ":x", "x.py", "missing.py:Bot", "folder:Bot", "folder.py:Bot", "raises.py:Bot", "raises.py:Nobody",
    "shouts.py:Bot", "exits.py:Bot", "syntax.py:Bot", "endless.py:Bot", "long.py:Bot", "loop.py:Bot", "works.py:Bot",
    "works.py:Mute", "works.py:" + "x" * 10_000, "x" * 10_000 + ".py:Bot", "x/" * 2000 + ".py:Bot",
    "x." * 2000 + "x:Bot", "os:sep", ".:x", "..:x", ".x:y", "\udcff:x", "\ud800.py:Bot", "no\nmodule:x",
)  # fmt: skip

BOTS = {
    "raises": "raise RuntimeError('no\\nidea ' * 3000)",
    "shouts": "class Bot:\n    def __init__(self):\n        raise KeyError('\\x1b' * 3000)",
    "exits": "import sys\nsys.exit('gone ' * 3000)",
    "syntax": "def (",
    "long": "x" * 300_000,
    "works": "class Bot:\n    def act(self, view):\n        return view.legal[0]\n\n\nclass Mute:\n    pass",
}


def fill_precious_folder(folder: Path, games: Path) -> None:
    """Empty a folder, and put files into it that no wrong command line may change."""
    for path in folder.iterdir():
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()
    (folder / "folder").mkdir()
    (folder / "folder.toml").mkdir()
    (folder / "folder.py").mkdir()
    (folder / "precious.jsonl").write_text("precious\n")
    (folder / "link.jsonl").symlink_to("precious.jsonl")
    (folder / "games.jsonl").write_bytes(games.read_bytes())
    (folder / "board.toml").write_text('coins = ["X", 9, 9, 9, 9, 9]\n')
    (folder / "board.json").write_text('{"coins": ["X", 9, 9, 9, 9, 9]}')
    (folder / "bad.toml").write_text("coins = 7\n")
    (folder / "latin.toml").write_bytes(b'# caf\xe9\ncoins = ["X", 9, 9, 9, 9, 9]\n')
    (folder / "damaged.safetensors").write_bytes(b"\xff" * 100)
    (folder / "damaged.json").write_text("{}")
    for name in ("loop", "loop.toml", "loop.py"):
        (folder / name).symlink_to(name)
    for name in ("zero.toml", "zero.json", "endless.py"):
        (folder / name).symlink_to("/dev/zero")
    for name, code in BOTS.items():
        (folder / f"{name}.py").write_text(code + "\n")


def contents(folder: Path) -> dict[str, Any]:
    """Return all that is in a folder, by path."""
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        if "__pycache__" in path.parts:
            continue
        if path.is_symlink():
            found[str(path.relative_to(folder))] = ("link", path.readlink())
        else:
            found[str(path.relative_to(folder))] = path.read_bytes() if path.is_file() else "folder"
    return found


def parser_of(command: str, game: str) -> argparse.ArgumentParser:
    """Return the parser of a subcommand."""
    parser = make_parser(find(game), command)
    (action,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    found: argparse.ArgumentParser = action.choices[command]
    return found


class Lines:
    """A source of odd command lines; those of a seed are always the same."""

    def __init__(self, seed: int, commands: Sequence[str]) -> None:
        self._random, self._commands = random.Random(seed), commands
        self._parsers = {game: {name: parser_of(name, game) for name in commands} for game in GAMES}

    def one(self) -> list[str]:
        """Return an odd command line."""
        rng = self._random
        command, game = rng.choice(self._commands), rng.choice(GAMES)
        words = [*VALID[command], "--game", game]
        if command == "board" and game != GAMES[0]:
            words[0:2] = rng.choice((["new"], ["check", "board.toml"]))
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3))):
            self._spoil(words, command, game)
        if rng.random() < 0.02:
            return self._somewhere(words, [self._value()])
        return [command, *words]

    def _spoil(self, words: list[str], command: str, game: str) -> None:
        rng, parsers = self._random, self._parsers[game]
        kind = rng.random()
        if kind < 0.6:
            words[:] = self._somewhere(words, self._option(parsers[command]), options_last=True)
        elif kind < 0.7:
            words[:] = self._somewhere(words, self._option(parsers[rng.choice(list(parsers))]), options_last=True)
        elif kind < 0.78:
            words[:] = self._somewhere(words, [self._value()])
        elif kind < 0.86:
            dashes = rng.choice(("-", "--", "--s", "--no", "-h", "--agents=", "--legal=", "--game="))
            words[:] = self._somewhere(words, [dashes + self._value()])
        elif words:
            del words[rng.randrange(len(words))]

    def _option(self, parser: argparse.ArgumentParser) -> list[str]:
        """Return one of the options of a parser, with values or without."""
        rng = self._random
        action = rng.choice([action for action in parser._actions if action.option_strings and action.dest != "help"])
        name = rng.choice(action.option_strings)
        if rng.random() < 0.05:
            name = name[: rng.randint(3, len(name))]
        values = [self._value(name) for _ in range(3 if action.nargs in ("+", "*") else 1)]
        if action.choices and rng.random() < 0.3:
            values = [str(rng.choice(list(action.choices)))]
        kind = rng.random()
        if kind < 0.08 or (action.nargs == 0 and kind < 0.8):
            return [name]
        if kind < 0.25:
            return [f"{name}={values[0]}"]
        return [name, *values] * (2 if kind > 0.9 else 1)

    def _value(self, option: str = "") -> str:
        rng = self._random
        if option in AGENT_OPTIONS and rng.random() < 0.8:
            return rng.choice(AGENTS)
        kind = rng.random()
        if kind < 0.45:
            return rng.choice(TEXTS)
        if kind < 0.8:
            return rng.choice(PATHS)
        if kind < 0.85:
            return rng.choice(ENDLESS)
        return rng.choice(AGENTS)

    def _somewhere(self, words: list[str], more: list[str], *, options_last: bool = False) -> list[str]:
        place = len(words) if options_last and self._random.random() < 0.7 else self._random.randint(0, len(words))
        return [*words[:place], *more, *words[place:]]


@dataclass(frozen=True)
class Outcome:
    """What a command did."""

    code: int
    out: str
    err: str


class Begun(BaseException):
    """The command line was valid, and long work would begin now."""


def run(words: Sequence[str], program: Callable[[Sequence[str]], int] = main, stdout: Any = None) -> Outcome:
    """Run a command in this process, with pipes as its output; a `stdout` of the caller is not read."""
    with (
        _Pipe() as out,
        _Pipe() as err,
        contextlib.redirect_stdout(out.input if stdout is None else stdout),
        contextlib.redirect_stderr(err.input),
    ):
        try:
            code: Any = program(words)
        except SystemExit as stopped:
            code = stopped.code
        except Begun:
            code = 0
        return Outcome(code, out.read(), err.read())


class _Pipe:
    """A pipe that takes a megabyte before anybody has to read."""

    def __enter__(self) -> Self:
        self._output, written = os.pipe()
        fcntl.fcntl(written, fcntl.F_SETPIPE_SZ, 2**20)
        self.input = open(written, "w", encoding="utf-8")
        return self

    def read(self) -> str:
        self.input.close()
        with open(self._output, "rb", closefd=False) as output:
            return output.read().decode()

    def __exit__(self, *_: object) -> None:
        self.input.close()
        os.close(self._output)


def check(words: Sequence[str], outcome: Outcome, before: dict[str, Any], after: dict[str, Any]) -> None:
    """Check that a command line was either carried out, or refused in one short line without any harm."""
    assert outcome.code in (0, 2)
    assert "Traceback" not in outcome.err
    named = {word.partition("=")[2] if word.startswith("--") else word for word in words}
    for name, content in before.items():
        assert after.get(name) == content or (outcome.code == 0 and (name in named or "link.jsonl" in named)), name
    if outcome.code == 0:
        return
    assert set(after) == set(before)
    check_one_line(words, outcome.err)
    assert not outcome.out or "cannot write" in outcome.err  # figures that took long are printed at least


def check_one_line(words: Sequence[str], text: str) -> None:
    """Check that an error is one printable line that does not repeat what was typed at length."""
    assert text.endswith("\n")
    line = text[:-1]
    assert line.isprintable(), line
    assert 10 < len(line) <= MOST_PRINTED, line
    for word in words:
        for start in range(0, max(0, len(word) - MOST_ECHOED), 10):
            assert word[start : start + MOST_ECHOED + 1] not in line, line
