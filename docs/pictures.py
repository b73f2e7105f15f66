"""Draw the pictures of README and of the explanation: python docs/pictures.py

Writes docs/_static/pictures/*.svg. All are about the board `instances/seeds/altsquare.puz`. Their
figures are those that `solve --optimal -v` prints for it, and the sizes of the layers of a
breadth-first search that its 6-6-3 pattern databases prune.
"""

from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

FOLDER = Path(__file__).parent / "_static" / "pictures"
START = (15, 14, 8, 6, 13, 2, 9, 5, 4, 0, 10, 11, 3, 7, 12, 1)
GOAL = (*range(1, 16), 0)
PLAN = "ULLDRRRDDLUURDDLULUURDRULDRDLULDLDRRUURDLLLDRRRULLULURRDLLU"
PATTERNS = ((2, 3, 4, 6, 7, 8), (10, 11, 12, 13, 14, 15), (1, 5, 9))
DISTANCES = (19, 18, 12)
NODES = {49: 20, 51: 233, 53: 1_629, 55: 10_700, 57: 66_806, 59: 10_666}
LAYERS = (
    *(1, 4, 10, 20, 38, 80, 172, 349, 600, 993, 1433, 1974, 2583, 3102, 3660, 4007, 4274, 4364),
    *(4229, 4139, 3693, 3565, 3016, 2731, 2111, 1725, 1276, 1028, 721, 571, 378, 280, 170, 123),
    *(70, 41, 27, 17, 10, 8, 5, 4, 2, 0),
)
TEAL, ORANGE, VIOLET = "#2d7d70", "#b8561b", "#6a63b5"
COLOURS = (TEAL, ORANGE, VIOLET)
# A picture follows the system's colours; in the site, plansolve.css has it follow the theme.
STYLE = (
    "<style>.picture{color:#1f2328;font-family:system-ui,sans-serif}"
    "@media(prefers-color-scheme:dark){.picture{color:#e6edf3}}</style>"
)


def text(x: float, y: float, words: str, size: int = 15, colour: str = "", more: str = "") -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" fill="{colour or "currentColor"}" {more}>'
        f"{escape(words)}</text>"
    )


def middle(x: float, y: float, words: str, size: int = 15, colour: str = "") -> str:
    return text(x, y, words, size, colour, 'text-anchor="middle" font-weight="600"')


def box(x: float, y: float, width: float, height: float, colour: str = "none") -> str:
    line = ' stroke="currentColor" stroke-opacity=".45"' if colour == "none" else ""
    size = f'width="{width:g}" height="{height:g}"'
    return f'<rect x="{x:g}" y="{y:g}" {size} rx="5" fill="{colour}"{line}/>'


def arrow(x: float, y: float, dx: float, dy: float) -> str:
    """Return a short straight arrow, right or down."""
    head = "l-7,-5v10z" if dx else "l-5,-7h10z"
    line = f'<path d="M{x:g},{y:g}l{dx:g},{dy:g}" stroke="currentColor" stroke-width="2"/>'
    return f'{line}<path d="M{x + dx:g},{y + dy:g}{head}" fill="currentColor"/>'


def board(x: float, y: float, cell: int, tiles: Sequence[int], colour: Callable[[int], str]) -> str:
    """Return a 4x4 board; tiles without a colour are left out."""
    parts = [box(x - 4, y - 4, 4 * cell + 8, 4 * cell + 8)]
    for place, tile in enumerate(tiles):
        if tile and (fill := colour(tile)):
            left, top = x + place % 4 * cell, y + place // 4 * cell
            parts.append(box(left + 1.5, top + 1.5, cell - 3, cell - 3, fill))
            size = cell * 9 // 20
            parts.append(
                middle(left + cell / 2, top + cell / 2 + size * 0.36, str(tile), size, "#fff")
            )
    return "".join(parts)


def pattern_of(tile: int) -> int:
    return next(number for number, pattern in enumerate(PATTERNS) if tile in pattern)


def answer() -> str:
    parts = [
        board(34, 14, 38, START, lambda tile: TEAL),
        board(294, 14, 38, GOAL, lambda tile: TEAL),
    ]
    parts += [middle(240, 76, "59 moves", 17), arrow(202, 92, 76, 0)]
    for line, moves in enumerate((PLAN[:30], PLAN[30:])):
        more = 'font-family="ui-monospace,monospace" textLength="412" text-anchor="middle"'
        more = more if line == 0 else more.replace("412", "398")
        parts.append(text(240, 212 + 24 * line, moves, 18, "", more))
    parts += [
        box(112, 254, 256, 34, TEAL),
        middle(240, 277, "59 moves, proved shortest", 16, "#fff"),
    ]
    return "".join(parts)


def horizon() -> str:
    parts = [text(0, 22, "Is there a plan of this length?", 16, "", 'font-weight="600"')]
    rows = [(47, "no: the tiles are too far away")]
    rows += [(length, f"no, after {nodes:,} boards") for length, nodes in NODES.items()]
    rows[-1] = (59, "yes: here is a plan")
    for number, (length, says) in enumerate(rows):
        y = 58 + 32 * number
        good = length == 59
        parts.append(box(0, y - 18, 56, 26, TEAL if good else ORANGE))
        parts.append(middle(28, y, str(length), 16, "#fff"))
        parts.append(text(68, y, says))
    parts += [
        arrow(360, 42, 0, 150),
        middle(360, 212, "lower bound", 14),
        middle(360, 230, "rises", 14),
        text(0, 290, "48, 50, 52 …: no, by parity. So 59 is the shortest."),
    ]
    return "".join(parts)


def pattern_database() -> str:
    parts = [board(4, 6, 40, START, lambda tile: COLOURS[pattern_of(tile)])]
    parts += [text(190, 40, "Three patterns,"), text(190, 62, "each with a table:")]
    parts += [
        text(190, 96, "how many moves do its", 14),
        text(190, 116, "tiles need, if nothing", 14),
    ]
    parts += [text(190, 136, "else is in their way?", 14)]
    for number, (pattern, moves) in enumerate(zip(PATTERNS, DISTANCES, strict=True)):
        x, colour = 4 + 146 * number, COLOURS[number]
        parts.append(board(x, 200, 28, START, lambda t, p=pattern, c=colour: c if t in p else ""))
        parts.append(middle(x + 56, 344, f"{moves} moves", 17))
        if number:
            parts.append(middle(x - 17, 262, "+", 22))
    parts.append(middle(210, 384, "19 + 18 + 12 = 49: no plan has fewer moves", 16))
    return "".join(parts)


def perimeter() -> str:
    left, bottom, wide, high = 8, 208, 6.8, 170 / max(LAYERS)
    points = [(left + wide * move, bottom - high * size) for move, size in enumerate(LAYERS)]
    path = "L".join(f"{x:.1f},{y:.1f}" for x, y in points)
    parts = [
        text(0, 22, "Boards that a plan of 57 moves can pass", 16, "", 'font-weight="600"'),
        f'<path d="M{path}L{points[-1][0]:.1f},{bottom}H{left}z" fill="{TEAL}"/>',
        f'<path d="M{left},{bottom}H{left + wide * 57:.1f}" stroke="currentColor"/>',
        text(left + 26 * wide, 70, "4,364 boards", 14),
        text(left + 26 * wide, 89, "after 17 moves", 14),
        text(left + 36 * wide, 176, "none after 43:", 14, ORANGE, 'font-weight="600"'),
        text(left + 36 * wide, 195, "no such plan", 14, ORANGE, 'font-weight="600"'),
        *(middle(left + wide * move, 228, str(move), 13) for move in (0, 10, 20, 30, 43, 57)),
        middle(210, 250, "moves made", 14),
    ]
    return "".join(parts)


def certificate() -> str:
    boxes = [
        ("plansolve certify", "engines, tables, SAT solvers:", "you need not trust them"),
        ("a folder", "the board, the plan, and a proof", "that no plan is shorter"),
        (
            "plansolve check",
            "replays the plan, makes its own tables",
            "and searches again, or checks proofs",
        ),
        ("proved: 59 moves are optimal", "or the place of the first mistake", ""),
    ]
    parts = []
    for number, (title, *lines) in enumerate(boxes):
        y, last = 4 + 108 * number, number == 3
        parts.append(box(40, y, 340, 62 if last else 82, TEAL if last else "none"))
        parts.append(middle(210, y + 26, title, 17, "#fff" if last else ""))
        for place, line in enumerate(lines):
            more = 'text-anchor="middle"'
            parts.append(text(210, y + 48 + 20 * place, line, 15, "#fff" if last else "", more))
        if not last:
            parts.append(arrow(210, y + 84, 0, 22))
    return "".join(parts)


def rounds() -> str:
    parts = [text(0, 22, "Boards visited, limit by limit", 16, "", 'font-weight="600"')]
    for number, (limit, nodes) in enumerate(NODES.items()):
        y, width = 56 + 34 * number, 270 * nodes / max(NODES.values())
        parts.append(text(0, y, str(limit), 15, "", 'font-weight="600"'))
        parts.append(box(34, y - 17, max(width, 2), 24, TEAL if limit == 59 else ORANGE))
        words = f"{nodes:,}" + (": the plan" if limit == 59 else "")
        inside = width > 200
        parts.append(text(46 if inside else 42 + width, y, words, 15, "#fff" if inside else ""))
    return "".join(parts)


PICTURES = (
    (answer, 480, 300, "A 15-puzzle board, the goal, and a plan of 59 moves."),
    (
        horizon,
        420,
        304,
        "Lengths from 47 to 57 moves are refuted one by one; 59 has a plan.",
    ),
    (
        pattern_database,
        420,
        398,
        "Three patterns of tiles; their distances add up to 49 moves.",
    ),
    (
        perimeter,
        420,
        260,
        "Layers of boards grow to 4,364 and die out after 43 moves.",
    ),
    (
        certificate,
        420,
        396,
        "certify writes a folder, and check proves the length again.",
    ),
    (
        rounds,
        420,
        248,
        "Up to 57, each limit visits at least six times as many boards as the one before.",
    ),
)
"""The function that draws a picture, its width and height, and its text for a screen reader."""


def pictures() -> dict[str, str]:
    """Return the SVG of each file."""
    return {
        f"{draw.__name__.replace('_', '-')}.svg": (
            '<svg xmlns="http://www.w3.org/2000/svg" class="picture" '
            f'width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'role="img" aria-label="{escape(label)}">\n'
            f"{STYLE}\n{draw()}\n</svg>\n"
        )
        for draw, width, height, label in PICTURES
    }


if __name__ == "__main__":
    for name, svg in pictures().items():
        (FOLDER / name).write_text(svg, encoding="utf-8")
