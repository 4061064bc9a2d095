"""Positions for people: as text, as a picture, as pixels. Notebooks show them as pictures.

This module draws what the game's `display` says and is itself independent of any game.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from olb_env.core import svg
from olb_env.core.game import Game, State

FONTS = ("SourceSansPro-Regular.ttf", "SourceSansPro-Bold.ttf")
LINE_HEIGHT, LETTER_WIDTH, FONT_SIZE = 17, 7.3, 13  # of a picture that shows the text of a position


def font_files() -> dict[str, Path]:
    """Return the files of the typeface of the pictures, by name."""
    import font_source_sans_pro

    return {font: Path(font_source_sans_pro.font_directory) / font for font in FONTS}


@dataclass(frozen=True, repr=False)  # the state holds what nobody at the table sees
class Position:
    """A position as everybody at the table sees it."""

    game: Game
    state: State
    names: tuple[str, ...] = ()  # the player of each seat
    last_move: str = ""  # the move that led here, in words

    def __str__(self) -> str:
        return self.game.display.text(self.state)

    def __repr__(self) -> str:
        last_move = f", last move: {self.last_move}" if self.last_move else ""
        return f"<Position: {self.game.title}, {self.game.num_players(self.state)} players{last_move}>"

    def svg(self) -> str:
        """Return the picture of the position; a game without pictures shows its text."""
        if self.game.display.svg is None:
            return _text_picture(str(self))
        return self.game.display.svg(self.state, distinct_names(self.names), self.last_move)

    def _repr_svg_(self) -> str:
        return self.svg()

    def png(self, width: int | None = None) -> bytes:
        """Return the picture as a PNG file, `width` pixels wide or as wide as it was drawn."""
        try:
            import resvg_py

            files = [str(file) for file in font_files().values()]
        except ImportError as error:
            raise ValueError(
                f"pictures as pixels need another package ({error}): pip install olb-env[render]"
            ) from None
        return bytes(
            resvg_py.svg_to_bytes(
                svg_string=self.svg(), width=width, skip_system_fonts=True, font_files=files,
                sans_serif_family="Source Sans Pro", monospace_family="Source Sans Pro",
            )
        )  # fmt: skip

    def pixels(self, width: int | None = None) -> npt.NDArray[np.uint8]:
        """Return the picture as an image [height, width, 3]."""
        data = self.png(width)
        from PIL import Image

        return np.asarray(Image.open(io.BytesIO(data)).convert("RGB"))


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names with the number of the seat after those that occur more than once."""
    return tuple(f"{name} {seat}" if names.count(name) > 1 else name for seat, name in enumerate(names))


def describe_move(names: tuple[str, ...], seat: int, action: str, *, hidden: bool) -> str:
    """Return a move in words; a hidden one keeps its action to itself."""
    name = distinct_names(names)[seat] if seat < len(names) else f"seat {seat}"
    return f"{name} has decided" if hidden else f"{name}: {action}"


def _text_picture(text: str) -> str:
    lines = text.splitlines()
    width, height = LETTER_WIDTH * max(map(len, lines)) + 40, LINE_HEIGHT * len(lines) + 40
    rows = [
        svg.words(20, 32 + LINE_HEIGHT * row, line, FONT_SIZE, font_family="monospace", style="white-space:pre")
        for row, line in enumerate(lines)
    ]
    return svg.document(width, height, lines[0], svg.box(0, 0, width, height, svg.PAPER), *rows)
