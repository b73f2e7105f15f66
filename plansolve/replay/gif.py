"""A plan as an animated GIF, for documents and slides; needs Pillow."""

from collections.abc import Iterator
from io import BytesIO
from typing import TYPE_CHECKING

from plansolve.errors import OptionError
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, Puzzle
from plansolve.replay.steps import Step, steps

if TYPE_CHECKING:
    from PIL.Image import Image

__all__ = ["plan_gif"]

# The same colours as in the SVG pictures.
_BOARD, _INK, _ACCENT, _ACCENT_INK, _DEEP = "#e8e2d5", "#2b2824", "#2c6e66", "#ffffff", "#123f3a"
_PAPER, _EDGE = "#fffdf8", "#d5cdbd"

_PITCH, _LARGEST_SIDE = 64, 900
_MOST_FRAMES = 2000
# Milliseconds: GIFs count in hundredths of a second, and browsers slow down what is faster.
_FASTEST, _LAST = 20, 1500


def plan_gif(problem: Problem, plan: Plan, speed: float = 2.0) -> bytes:
    """The picture of each board of a legal plan, `speed` moves a second, over and over.

    The last board stays a little longer. Raises `PlanError` for a plan that is not legal, and
    `OptionError` without Pillow or for a plan of thousands of moves.
    """
    try:
        import PIL  # noqa: F401 - an extra: what follows imports its parts
    except ImportError:
        raise OptionError("GIFs need Pillow: install plansolve with the extra [gif]") from None
    if len(plan) > _MOST_FRAMES:
        raise OptionError(f"a GIF of {len(plan)} moves is too long: {_MOST_FRAMES} are the most")
    first, *rest = _frames(problem.puzzle, steps(problem, plan))
    pause = max(_FASTEST, round(1000 / speed))
    stream = BytesIO()
    first.save(
        stream,
        "GIF",
        save_all=True,
        append_images=rest,
        duration=[pause] * len(rest) + [max(pause, _LAST)],
        loop=0,
        disposal=1,
    )
    return stream.getvalue()


def _frames(puzzle: Puzzle, boards: Iterator[Step]) -> Iterator["Image"]:
    from PIL import Image, ImageDraw, ImageFont

    pitch = max(8, min(_PITCH, _LARGEST_SIDE // max(puzzle.rows, puzzle.columns)))
    gap = max(1, pitch // 11)
    size = (puzzle.columns * pitch + gap, puzzle.rows * pitch + gap)
    longest = max(len(label) for label in puzzle.labels)
    font = ImageFont.load_default(max(6, min(pitch * 0.42, pitch * 1.3 / longest)))
    for step in boards:
        image = Image.new("RGB", size, _BOARD)
        draw = ImageDraw.Draw(image)
        for cell, tile in enumerate(step.board):
            if tile == BLANK:
                continue
            row, column = divmod(cell, puzzle.columns)
            x, y, side = column * pitch + gap, row * pitch + gap, pitch - gap
            is_home = tile == puzzle.goal[cell]
            edge = _DEEP if cell in step.changed and is_home else _EDGE
            if cell in step.changed and not is_home:
                edge = _ACCENT
            draw.rounded_rectangle(
                (x, y, x + side - 1, y + side - 1),
                side // 6,
                fill=_ACCENT if is_home else _PAPER,
                outline=_ACCENT if is_home and cell not in step.changed else edge,
                width=max(1, pitch // 20) if cell in step.changed else 1,
            )
            draw.text(
                (x + side / 2, y + side / 2),
                puzzle.labels[tile],
                fill=_ACCENT_INK if is_home else _INK,
                font=font,
                anchor="mm",
            )
        yield image.quantize(16)
