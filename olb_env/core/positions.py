"""Positions to look at: as text, as a picture, as pixels. In a notebook they show themselves."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from olb_env.core import svg
from olb_env.core.game import Game, State

FACES = ("SourceSansPro-Regular.ttf", "SourceSansPro-Bold.ttf")
LINE_HEIGHT, LETTER_WIDTH, LETTERS = 17, 7.3, 13  # of a picture that is text


def font_files() -> dict[str, Path]:
    """The files of the typeface that pictures are set in, by name."""
    import font_source_sans_pro

    return {face: Path(font_source_sans_pro.font_directory) / face for face in FACES}


@dataclass(frozen=True)
class Position:
    """A game as it stands, as everybody at the table sees it; `names` say who sits where."""

    game: Game
    state: State
    names: tuple[str, ...] = ()
    done: str = ""  # what led here

    def __str__(self) -> str:
        return self.game.display.text(self.state)

    def svg(self) -> str:
        """As a picture: the game's own, or else its text."""
        if self.game.display.svg is None:
            return _text_picture(str(self))
        return self.game.display.svg(self.state, distinct_names(self.names), self.done)

    def _repr_svg_(self) -> str:
        return self.svg()

    def png(self, width: int | None = None) -> bytes:
        """As a PNG file, as wide as the picture is drawn or as asked for."""
        try:
            import resvg_py

            files = [str(file) for file in font_files().values()]
        except ImportError as error:
            raise ValueError(f"pictures as pixels need more ({error}): pip install olb-env[render]") from None
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=self.svg(), width=width, skip_system_fonts=True, font_files=files,
                sans_serif_family="Source Sans Pro", monospace_family="Source Sans Pro",
            )
        )  # fmt: skip

    def pixels(self, width: int | None = None) -> npt.NDArray[np.uint8]:
        """As an image [height, width, 3]."""
        data = self.png(width)
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Who sits where, for people: equal names with the number of their seat."""
    return tuple(f"{name} {seat}" if names.count(name) > 1 else name for seat, name in enumerate(names))


def words_for(names: tuple[str, ...], seat: int, action: str, *, hidden: bool) -> str:
    """What was done, in words; an answer that is still hidden is not told."""
    name = distinct_names(names)[seat] if seat < len(names) else f"seat {seat}"
    return f"{name} has decided" if hidden else f"{name}: {action}"


def _text_picture(text: str) -> str:
    lines = text.splitlines()
    width, height = LETTER_WIDTH * max(map(len, lines)) + 40, LINE_HEIGHT * len(lines) + 40
    rows = [
        svg.words(20, 32 + LINE_HEIGHT * row, line, LETTERS, font_family="monospace", style="white-space:pre")
        for row, line in enumerate(lines)
    ]
    return svg.document(width, height, lines[0], svg.box(0, 0, width, height, svg.PAPER), *rows)
