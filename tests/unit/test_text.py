"""Words for messages."""

import pytest

from plansolve.text import quote


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("abc", "'abc'"),
        ("it's", '"it\'s"'),
        ("\x1b[2J\n", r"'\x1b[2J\n'"),
        ("\u202eabc", r"'\u202eabc'"),
        ("a" * 1000, f"'{'a' * 29}...'"),
        ("\x00" * 1000, "'" + r"\x00" * 7 + r"\...'"),
    ],
)
def test_quoted_text_is_short_and_printable(text, quoted):
    assert quote(text) == quoted
    assert quote(text).isprintable()
    assert len(quote(text)) <= 36
