"""Words that people read in many places, and hostile text made fit for a message."""

PROVED = "proved shortest"
"""Said of a plan that is as short as a plan can be."""

_QUOTED = 30


def counted(count: int, noun: str) -> str:
    """Return a number and its noun, "1 move" or "2 moves"; the noun only takes an s."""
    return f"{count} {noun}{'s' * (count != 1)}"


def at_least(bound: int | None, noun: str = "") -> str:
    """Return what a proved lower bound says: "every plan has 17 or more", perhaps with a noun."""
    return f"every plan has {counted(bound or 0, noun) if noun else bound} or more"


def within(length: int, bound: int | None) -> str:
    """Compare a plan with the shortest, by a proved bound: "at most 1.46 times the shortest".

    The ratio is rounded up; empty if nothing is proved, or no plan can be shorter.
    """
    if not bound or length <= bound:
        return ""
    hundredths = -(-100 * length // bound)
    return f"at most {hundredths / 100:g} times the shortest"


def suffice(count: int, noun: str = "move") -> str:
    """Return "1 move suffices" or "2 moves suffice"; without a noun "2 suffice"."""
    return f"{counted(count, noun) if noun else count} suffice{'s' * (count == 1)}"


def one_line(name: str) -> str:
    """Return a name for a message, with escapes if it would be invisible or break the line."""
    return name if name.isprintable() and name.strip() else repr(name)


def visible(text: str) -> str:
    """Return the text on one line, with escapes for what is invisible."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shown(text: str, longest: int = 200) -> str:
    """Return somebody else's text as one printable line of at most about `longest` characters."""
    line = visible(" ".join(text[: 4 * longest].split()))
    return line if len(line) <= longest and len(text) <= 4 * longest else f"{line[:longest]}..."


def quote(text: str) -> str:
    """Return `text` in quotation marks for a message: printable, at most about 30 characters."""
    shown = repr(text[:_QUOTED])
    if len(text) > _QUOTED or len(shown) > _QUOTED + 2:
        shown = f"{shown[:_QUOTED]}...{shown[0]}"
    return shown


_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def without_formula(value: object) -> object:
    """Return a value for a table, in which no spreadsheet takes somebody's text for a formula."""
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value
