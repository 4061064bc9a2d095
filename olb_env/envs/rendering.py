"""The render modes of all environments: text, SVG, pixels, or a window."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from olb_env.core.checking import shown
from olb_env.core.positions import Position

MODES = ("ansi", "svg", "rgb_array", "human")
BATCH_MODES = MODES[:3]  # many positions have no window
FRAMES_PER_SECOND = 2
SCREEN_FRACTION = 0.9  # a window may take this much of the height of the screen
GALLERY_SIZE = 4  # tables of a batch that a notebook shows


def read_render_mode(render_mode: Any, allowed: tuple[str, ...] = MODES) -> str | None:
    """Return a caller's render mode; raise ValueError if it is not allowed."""
    if render_mode is not None and render_mode not in allowed:
        known = ", ".join(map(repr, allowed))
        raise ValueError(f"render_mode is {shown(render_mode)}: expected None or one of {known}")
    mode: str | None = render_mode
    return mode


def render_modes(modes: tuple[str, ...] = MODES) -> dict[str, Any]:
    """Return the entries of an environment's metadata that describe its render modes."""
    return {"render_modes": list(modes), "render_fps": FRAMES_PER_SECOND}


def gallery(tables: int, position: Callable[[int], Position]) -> str:
    """Return HTML that shows the first few tables of a batch side by side in a notebook."""
    shown = range(min(tables, GALLERY_SIZE))
    pictures = [base64.b64encode(position(row).svg().encode()).decode() for row in shown]
    cells = "".join(
        f'<img style="width:49%;margin:2px" alt="table {row + 1}" src="data:image/svg+xml;base64,{picture}">'
        for row, picture in zip(shown, pictures, strict=True)
    )
    return f"<p>{tables} tables{f', the first {GALLERY_SIZE} of them' if tables > GALLERY_SIZE else ''}</p>{cells}"


class Renderer:
    """The renderer of one environment, in its render mode. Copies of an environment do not share its window."""

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self._window: Any = None
        self._clock: Any = None

    def __getstate__(self) -> dict[str, Any]:
        return {"mode": self.mode, "_window": None, "_clock": None}

    def render(self, position: Position) -> str | npt.NDArray[np.uint8] | None:
        """Return the position as text, SVG or pixels, or show it in the window and return None."""
        if self.mode is None:
            gymnasium.logger.warn(f"render() needs an environment made with a render_mode: one of {', '.join(MODES)}")
            return None
        if self.mode == "ansi":
            return str(position)
        if self.mode == "svg":
            return position.svg()
        if self.mode == "rgb_array":
            return position.pixels()
        self._show(position)
        return None

    def follow(self, position: Position) -> None:
        """Show a new position if there is a window; other modes wait for `render`."""
        if self.mode == "human":
            self._show(position)

    def _show(self, position: Position) -> None:
        try:
            import pygame
        except ImportError as error:
            raise ValueError(f"render_mode 'human' needs a window ({error}): pip install olb-env[render]") from None
        pixels = position.pixels()
        if self._window is None:
            pygame.display.init()
            height, width = pixels.shape[:2]
            scale = min(1.0, SCREEN_FRACTION * pygame.display.Info().current_h / height)
            self._window = pygame.display.set_mode((int(width * scale), int(height * scale)))
            self._clock = pygame.time.Clock()
            pygame.display.set_caption(position.game.title)
        picture = pygame.surfarray.make_surface(pixels.swapaxes(0, 1))
        self._window.blit(pygame.transform.smoothscale(picture, self._window.get_size()), (0, 0))
        pygame.event.pump()
        pygame.display.flip()
        self._clock.tick(FRAMES_PER_SECOND)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            import pygame

            self._window = None
            pygame.display.quit()
