import pytest

from plansolve.errors import BoardError
from plansolve.formats import MAX_BYTES, decode_text
from plansolve.text import quote


def test_line_ends_and_byte_order_mark_are_normalised():
    assert decode_text(b"\xef\xbb\xbf1 2\r\n3 .\r\n") == "1 2\n3 .\n"
    assert decode_text(b"1 2\r3 .") == "1 2\n3 ."
    for encoding in "utf-16-le", "utf-16-be":
        assert decode_text("\ufeff1 2\r\n3 .".encode(encoding)) == "1 2\n3 ."
    assert decode_text("U → L".encode()) == "U → L"


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the input is empty: a board is expected"),
        (b"\xef\xbb\xbf \n", "the input is empty: a board is expected"),
        (b"1 2\x003", "not a text file: byte 0x00 at offset 3"),
        (b"\xef\xbb\xbf1\x1b[2J", "not a text file: byte 0x1b at offset 4"),
        (b"1 2\xff", "not a text file: byte 0xff at offset 3"),
        (b"1 2\n3 \xe4", "not a text file: byte 0xe4 at offset 6, line 2; save the file as UTF-8"),
        (
            "1 2\n3 0".encode("utf-16-le"),
            "not a text file: byte 0x00 at offset 1: it looks like UTF",
        ),
        (b"\xff\xfe1\x00 ", "not a text file: UTF-16 that breaks off; save it as UTF-8"),
        (b"1" * (MAX_BYTES + 1), "the input is larger than any board: more than 512 KiB"),
    ],
)
def test_what_is_no_text_is_refused(data, message):
    with pytest.raises(BoardError) as caught:
        decode_text(data)
    assert str(caught.value).startswith(message)


def test_the_largest_input_is_read():
    assert len(decode_text(b"1" * MAX_BYTES)) == MAX_BYTES


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
