"""JSON that others have written."""

import pytest

from plansolve.json_text import JsonError, json_object


@pytest.mark.parametrize(
    "text", ['{"a": [1, null]}', b'{"a": [1, null]}', b'\xef\xbb\xbf{"a": [1, null]}']
)
def test_an_object_is_read(text):
    assert json_object(text) == {"a": [1, None]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: not a JSON document: Expecting value"),
        ('{"a":\n1,}', "line 2: not a JSON document: "),
        ('{"a": 1}\n{"a": 2}\n', "line 2: not a JSON document: more follows its end"),
        ('{"a": 1e999}', "'1e999' in the JSON document is too large a number"),
        ('{"a": 1}'.encode("utf-16-le"), "line 1: not a JSON document: "),
        (b"\xff\xfe{", "not a JSON document: not a text in UTF-8"),
        ('{"b": {"a": 1, "a": 2}}', "an object of the JSON document has the key 'a' twice"),
        ('{"a": NaN}', "NaN in the JSON document is no number"),
        ('{"a": -Infinity}', "-Infinity in the JSON document is no number"),
        ("[" * 100_000, "the JSON document is nested too deeply"),
        ("9" * 10_000, "the JSON document holds a number that is too long"),
        ("[1]", 'the JSON document must be an object: {"a": 1}'),
    ],
)
def test_anything_else_is_refused_in_one_sentence(text, said):
    with pytest.raises(JsonError) as caught:
        json_object(text, example='{"a": 1}')
    assert str(caught.value).startswith(said)
