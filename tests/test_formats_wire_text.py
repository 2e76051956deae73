"""JSON text that never changes a value; pictures' sizes read from their data."""

from __future__ import annotations

import base64
import json
import math
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.formats.jsontext import dumps, dumps_text, loads
from trimtab.formats.media import data_url, pixel_size, read_image, split_data_url

# Two halves of a pair side by side are, in JSON, the whole pair: only one kind of half here.
TEXTS = st.text(max_size=12) | st.sampled_from(["\udc00", "a\udfff日本", '\x00\u2028"\\/'])
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**90), 2**90)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def same(one: Any, other: Any) -> bool:
    """Equal in value and in type: 1 is not 1.0, and 0.0 not -0.0."""
    return repr(one) == repr(other)


@given(VALUES)
def test_values_survive_being_written_and_read(value: Any) -> None:
    written = dumps(value)
    assert same(loads(written), value)
    assert same(loads(written.decode()), value)
    assert same(json.loads(written), value), "others read the same"


@given(VALUES)
def test_what_others_wrote_is_read_alike(value: Any) -> None:
    assert same(loads(json.dumps(value)), value)
    assert same(loads(json.dumps(value).encode()), value)


@pytest.mark.parametrize(
    "value",
    [
        1.0,
        -0.0,
        1e22,
        5e-324,
        1.7976931348623157e308,
        2**63,
        2**64,
        2**70,
        -(2**70),
        "\ud800",
        {"\ud800": 1},
    ],
)
def test_values_that_libraries_stumble_over(value: Any) -> None:
    assert same(loads(dumps(value)), value)
    assert same(loads(dumps([value, None])), [value, None])


def test_not_a_number_is_not_turned_into_null() -> None:
    assert dumps([math.nan, math.inf, None]) == b"[NaN,Infinity,null]"
    assert math.isnan(loads(b"[NaN]")[0])
    assert loads("1e400") == math.inf


def test_text_is_compact_utf8_with_escapes_for_halves_only() -> None:
    assert dumps({"a": ["日本", "\ud800"]}) == b'{"a":["\xe6\x97\xa5\xe6\x9c\xac","\\ud800"]}'
    assert dumps_text({"a": 1}) == '{"a":1}'


@pytest.mark.parametrize("text", ["", "{", "nope", "[1,]", "{} {}", b"\xff\xfe{", b'"\xff"'])
def test_what_is_no_json_is_a_value_error(text: str | bytes) -> None:
    with pytest.raises(ValueError, match=r".+"):
        loads(text)


def test_depth_is_a_value_error_not_a_crash() -> None:
    with pytest.raises(ValueError, match="deep"):
        loads("[" * 200_000)
    nested: list[Any] = []
    for _ in range(200_000):
        nested = [nested]
    with pytest.raises(ValueError, match="deep"):
        dumps(nested)


@pytest.mark.parametrize("text", ["\ufeff[1]", b"\xef\xbb\xbf[1]"])
def test_a_byte_order_mark_is_skipped(text: str | bytes) -> None:
    assert loads(text) == [1]


# -- pictures -------------------------------------------------------------------------------------


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + struct.pack(">II", width, height) + b"\x08" * 40


def gif(width: int, height: int) -> bytes:
    return b"GIF89a" + struct.pack("<HH", width, height) + b"\x00" * 40


def jpeg(width: int, height: int) -> bytes:
    metadata = b"\xff\xe1" + struct.pack(">H", 20_002) + b"\x00" * 20_000
    frame = b"\xff\xff\xc2" + struct.pack(">HBHHB", 17, 8, height, width, 3) + b"\x00" * 9
    return b"\xff\xd8" + metadata + frame


def webp_lossy(width: int, height: int) -> bytes:
    head = b"RIFF\x00\x00\x00\x00WEBPVP8 \x00\x00\x00\x00\x30\x01\x00\x9d\x01\x2a"
    return head + struct.pack("<HH", width, height) + b"\x00" * 20


def webp_lossless(width: int, height: int) -> bytes:
    bits = (width - 1) | (height - 1) << 14
    return b"RIFF\x00\x00\x00\x00WEBPVP8L\x00\x00\x00\x00\x2f" + struct.pack("<I", bits) + bytes(20)


def webp_extended(width: int, height: int) -> bytes:
    head = b"RIFF\x00\x00\x00\x00WEBPVP8X\x0a\x00\x00\x00\x00\x00\x00\x00"
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return head + sides + b"\x00" * 20


@pytest.mark.parametrize("made", [png, gif, jpeg, webp_lossy, webp_lossless, webp_extended])
@pytest.mark.parametrize("size", [(1, 1), (640, 480), (16_383, 7)])
def test_the_size_is_read_from_the_head_of_the_data(made: Any, size: tuple[int, int]) -> None:
    data = base64.b64encode(made(*size)).decode()
    assert pixel_size(data) == size
    image = read_image(url=data_url("image/x", data), raw=None)
    assert (image.width, image.height) == size
    assert (image.media_type, image.data, image.url) == ("image/x", data, "")


@given(
    st.binary(max_size=60) | st.sampled_from([png(3, 4)[:20], jpeg(3, 4)[:30], b"\xff\xd8\xff\xff"])
)
def test_any_data_has_some_size_or_none(data: bytes) -> None:
    width, height = pixel_size(base64.b64encode(data).decode())
    assert width >= 0
    assert height >= 0


@pytest.mark.parametrize("data", ["", "日本", "%%%%", "iVBOR", "/9j/4AAQ"])
def test_data_that_is_no_picture_has_no_size(data: str) -> None:
    assert pixel_size(data) == (0, 0)


def test_data_urls() -> None:
    assert split_data_url("data:image/png;base64,AAAA") == ("image/png", "AAAA")
    assert split_data_url("data:text/plain,hello") is None
    assert split_data_url("https://example.com/a.png") is None
    assert split_data_url("data:") is None
