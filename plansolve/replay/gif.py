"""A plan as an animated GIF, or a board as PNG, for documents and slides; needs Pillow."""

from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

from plansolve.errors import OptionError
from plansolve.extras import require
from plansolve.model.problem import Problem
from plansolve.model.puzzle import BLANK, Plan, Puzzle
from plansolve.replay.drawing import (
    BOARD,
    LOOKS,
    WALL,
    bonds,
    colour_of,
    geometry,
    joined_sides,
    look,
    painted,
    shown_labels,
)
from plansolve.replay.steps import ReplayStep, steps

if TYPE_CHECKING:
    from PIL.Image import Image


Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""

_PITCH, _LARGEST_SIDE = 64, 900
_MOST_FRAMES = 2000
# Milliseconds: GIFs count in hundredths of a second, and browsers slow down faster ones.
_FASTEST, _LAST = 20, 1500
# Colours between a tile and its label, for smooth letters.
_SHADES = 8
# The size of a palette: red, green and blue of 256 colours.
_MOST_VALUES = 768
_NOTHING = "#ffffff"


def plan_gif(problem: Problem, plan: Plan, speed: float = 2.0) -> bytes:
    """Return a looping GIF of the boards of a plan, with `speed` moves per second.

    Raise `PlanError` for an illegal plan, and `OptionError` without Pillow or for thousands of
    moves.
    """
    require("gif", "a GIF", "PIL")
    if len(plan) > _MOST_FRAMES:
        raise OptionError(f"a GIF of {len(plan)} moves is too long: at most {_MOST_FRAMES}")
    return b"".join(_parts(problem.puzzle, steps(problem, plan), len(plan), 1000 / speed))


def board_png(problem: Problem) -> bytes:
    """Return a picture of the board; raise `OptionError` without Pillow."""
    require("gif", "a PNG", "PIL")
    painter, stream = _Painter(problem.puzzle), BytesIO()
    painter.paint(next(iter(steps(problem, ()))), None)
    painter.image.save(stream, "PNG")
    return stream.getvalue()


def _parts(
    puzzle: Puzzle, boards: Iterator[ReplayStep], last: int, pause: float
) -> Iterator[bytes]:
    """Yield the file in parts: the whole first board, then the changes to each next one."""
    from PIL.GifImagePlugin import getdata

    painter, before = _Painter(puzzle), None
    for step in boards:
        box = painter.paint(step, before)
        milliseconds = max(_FASTEST, round(pause), _LAST if step.number == last else 0)
        if before is None:
            stream = BytesIO()
            painter.image.save(
                stream, "GIF", optimize=False, loop=0, duration=milliseconds, disposal=1
            )
            # Without the trailer, a byte that ends the file.
            yield stream.getvalue()[:-1]
        else:
            part = painter.image.crop(box)
            yield from getdata(part, offset=box[:2], duration=milliseconds, disposal=1)
        before = step
    yield b";"


class _Painter:
    """Keeps one picture, and paints the changes of each step on it."""

    def __init__(self, puzzle: Puzzle) -> None:
        from PIL import Image, ImageFont

        self._puzzle = puzzle
        self._shape = geometry(puzzle)
        longest_side = max(self._shape.width, self._shape.height)
        self._pitch = max(8, min(_PITCH, int(_LARGEST_SIDE / longest_side)))
        self._gap = max(1, self._pitch // 11)
        # Between the parts of a piece there is no gap.
        self._around = self._gap if bonds(puzzle) else 0
        self._labels = shown_labels(puzzle)
        longest = max(map(len, self._labels))
        self._font = ImageFont.load_default(
            max(6, min(self._pitch * 0.42, self._pitch * 1.3 / longest))
        )
        self._palette = Image.new("P", (1, 1))
        self._palette.putpalette(bytes(islice(_colours(puzzle), _MOST_VALUES)))
        sides = (self._shape.width, self._shape.height)
        width, height = (round(side * self._pitch) + self._gap for side in sides)
        image = Image.new("RGB", (width, height), BOARD)
        self._draw_lines(image)
        self.image = self._in_palette(image)
        self._mask = self._ball() if self._shape.round else None
        self._tile = cache(self._draw)

    def paint(self, step: ReplayStep, before: ReplayStep | None) -> Box:
        """Paint a board over the one before it; return the smallest box around the changes."""
        cells: Iterable[int] = range(self._puzzle.cells)
        if before is not None:
            changed = {c for c in cells if step.board[c] != before.board[c]}
            # A frame without changes cannot be empty.
            cells = changed | step.changed | before.changed or {0}
        boxes = []
        for cell in cells:
            if cell in self._shape.holes:
                continue
            tile = step.board[cell]
            is_home, is_marked = tile == self._puzzle.goal[cell], cell in step.changed
            x, y = (round(at * self._pitch) + self._gap for at in self._shape.positions[cell])
            x, y = x - self._around // 2, y - self._around // 2
            picture = self._tile(
                tile, is_home, is_marked, joined_sides(self._puzzle, step.board, cell)
            )
            self.image.paste(picture, (x, y), self._mask)
            boxes.append((x, y, x + picture.width, y + picture.height))
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        return min(lefts), min(tops), max(rights), max(bottoms)

    def _draw_lines(self, image: "Image") -> None:
        """Draw the tracks and the walls of a layout, below the tiles."""
        from PIL import ImageDraw

        draw, half = ImageDraw.Draw(image), self._gap / 2
        track, wall = (LOOKS[0].edge, self._gap), (WALL, max(1, self._gap - 2))
        for lines, (colour, width) in ((self._shape.tracks, track), (self._shape.walls, wall)):
            for line in lines:
                ends = [(x * self._pitch + half, y * self._pitch + half) for x, y in line]
                draw.line(ends, fill=colour, width=width)
        for hole in self._shape.holes:
            x, y = (round(at * self._pitch + half) for at in self._shape.positions[hole])
            draw.rectangle((x, y, x + self._pitch, y + self._pitch), fill=_NOTHING)

    def _ball(self) -> "Image":
        """Return the mask of a ball in its square, so that it does not hide its neighbours."""
        from PIL import Image, ImageDraw

        side = self._pitch - self._gap
        mask = Image.new("L", (side, side), 0)
        ImageDraw.Draw(mask).ellipse((0, 0, side - 1, side - 1), fill=255)
        return mask

    def _draw(self, tile: int, is_home: bool, is_marked: bool, sides: tuple[bool, ...]) -> "Image":
        """Return the picture of a cell with that tile, or of an empty one.

        The tile has no edge on the sides where its piece goes on.
        """
        from PIL import Image, ImageDraw

        side, begin = self._pitch - self._gap, self._around // 2
        image = Image.new("RGB", (side + self._around,) * 2, BOARD)
        if tile != BLANK:
            draw, colour = ImageDraw.Draw(image), colour_of(self._puzzle, tile)
            kind = painted(colour, is_marked) if colour else look(is_home, is_marked)
            draw.rounded_rectangle(
                (
                    *(begin - side * is_joined for is_joined in sides[:2]),
                    *(begin + side - 1 + side * is_joined for is_joined in sides[2:]),
                ),
                side // 2 if self._shape.round else side // 6,
                fill=kind.fill,
                outline=kind.edge,
                width=max(1, self._pitch // 20) if is_marked else 1,
            )
            middle = (begin + side / 2,) * 2
            draw.text(middle, self._labels[tile], fill=kind.ink, font=self._font, anchor="mm")
        return self._in_palette(image)

    def _in_palette(self, image: "Image") -> "Image":
        from PIL.Image import Dither

        return image.quantize(palette=self._palette, dither=Dither.NONE)


def _colours(puzzle: Puzzle) -> Iterator[int]:
    """Yield the palette that all frames share: red, green and blue of each colour."""
    from PIL.ImageColor import getrgb

    yield from getrgb(BOARD)
    yield from getrgb(_NOTHING)
    colours = dict.fromkeys(puzzle.layout.colours if puzzle.layout else ())
    for colour in colours:
        yield from getrgb(colour)
    for kind in (*LOOKS, *(painted(colour, mark) for colour in colours for mark in (False, True))):
        yield from getrgb(kind.edge)
        for shade in range(_SHADES + 1):
            for fill, ink in zip(getrgb(kind.fill), getrgb(kind.ink), strict=True):
                yield fill + (ink - fill) * shade // _SHADES
