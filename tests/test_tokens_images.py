"""Pictures count by their pixels: the providers' own examples, measured bills, file headers."""

from __future__ import annotations

from base64 import b64encode
from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.history.message import Image, Message, Text
from trimtab.tokens import counter_for
from trimtab.tokens.images import UNKNOWN, dimensions, header_size


def size(model: str, width: int, height: int, detail: str = "") -> int:
    raw = {"image_url": {"url": "https://x.example/a.png", "detail": detail}} if detail else None
    return counter_for(model).block(Image(width=width, height=height, raw=raw))


@pytest.mark.parametrize(
    ("model", "width", "height", "tokens"),
    [
        # OpenAI, guide "Images and vision"
        ("gpt-4o", 1024, 1024, 765),
        ("gpt-4o", 2048, 4096, 1105),
        ("gpt-4o", 4096, 8192, 1105),
        ("gpt-4o", 1, 1, 255),
        ("gpt-4.1-mini", 1024, 1024, 1659),  # 1024 patches x 1.62
        ("gpt-4.1-mini", 1800, 2400, 2353),  # 1452 patches x 1.62
        ("gpt-5", 1024, 1024, 630),
        # Measured bills of the API, less the text beside the picture
        ("gpt-5.5", 256, 256, 77),
        ("gpt-5.5", 1920, 1080, 2448),
        ("gpt-5.5", 4032, 3024, 11868),
        ("gpt-6-sol", 4032, 3024, 14364),
        ("claude-haiku-4-5", 512, 512, 361),
        ("claude-haiku-4-5", 1920, 1080, 1560),
        ("claude-haiku-4-5", 2000, 1500, 1564),
        ("claude-opus-5-5", 1024, 1024, 1369),
        ("claude-opus-5-5", 1920, 1080, 2691),
        ("claude-opus-5-5", 2000, 1500, 3888),
        # Google's guide
        ("gemini-2.5-pro", 384, 384, 258),
        ("gemini-2.5-pro", 1024, 1024, 1032),
    ],
)
def test_published_figures(model: str, width: int, height: int, tokens: int) -> None:
    assert size(model, width, height) == tokens


def test_detail_changes_the_bill() -> None:
    assert size("gpt-4o", 3000, 3000, "low") == 85
    assert size("gpt-6-sol", 2560, 1440, "high") == 2931
    assert size("gpt-6-sol", 2560, 1440, "auto") == 4320
    responses = Image(width=3000, height=3000, raw={"type": "input_image", "detail": "low"})
    assert counter_for("gpt-4o").block(responses) == 85


@given(
    width=st.integers(1, 100_000),
    height=st.integers(1, 100_000),
    model=st.sampled_from(
        ["gpt-4o", "gpt-4o-mini", "gpt-4.1-nano", "o4-mini", "gpt-5.4", "claude-opus-4-8", "x"]
    ),
)
def test_every_size_costs_something_bounded(width: int, height: int, model: str) -> None:
    assert 1 <= size(model, width, height) <= 50_000


@given(edge=st.integers(1, 1560))
def test_claude_counts_28_pixel_patches_of_what_needs_no_shrinking(edge: int) -> None:
    tokens = -(-edge // 28) * -(-28 // 28)
    assert size("claude-sonnet-4-5", edge, 28) == tokens


def png(width: int, height: int) -> bytes:
    return b"\x89PNG\r\n\x1a\n" + pack(">I4sII", 13, b"IHDR", width, height) + bytes(100)


def jpeg(width: int, height: int, before: int = 0) -> bytes:
    """With `before` bytes of metadata segments in front of the frame header."""
    segments = b""
    while before > 0:
        part = min(before, 60_000)
        segments += pack(">BBH", 0xFF, 0xE1, part + 2) + bytes(part)
        before -= part
    frame = pack(">BBHBHHB", 0xFF, 0xC0, 17, 8, height, width, 3) + bytes(9)
    return b"\xff\xd8" + segments + frame + b"\xff\xd9"


def webp(kind: bytes, width: int, height: int) -> bytes:
    if kind == b"VP8 ":
        body = bytes(3) + b"\x9d\x01\x2a" + pack("<HH", width, height)
    elif kind == b"VP8L":
        body = b"\x2f" + ((width - 1) | (height - 1) << 14).to_bytes(4, "little") + bytes(8)
    else:
        body = bytes(4) + (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    head = b"RIFF" + pack("<I", len(body) + 12) + b"WEBP" + kind + pack("<I", len(body))
    return head + body


pixels = st.integers(1, 16_000)


@given(width=pixels, height=pixels, before=st.sampled_from([0, 40, 700, 5_000, 300_000]))
def test_headers_tell_the_size(width: int, height: int, before: int) -> None:
    files = [
        png(width, height),
        b"GIF89a" + pack("<HH", width, height) + bytes(20),
        jpeg(width, height, before),
        webp(b"VP8 ", width, height),
        webp(b"VP8L", width, height),
        webp(b"VP8X", width, height),
        b"BM" + bytes(16) + pack("<ii", width, -height) + bytes(30),
    ]
    for data in files:
        text = b64encode(data).decode()
        assert dimensions(Image(data=text)) == (width, height)
        assert dimensions(Image(url=f"data:image/x;base64,{text}")) == (width, height)


@given(st.binary(max_size=200), st.sampled_from([b"", b"\xff\xd8", b"\x89PNG\r\n\x1a\n", b"BM"]))
def test_any_bytes_are_read_without_failing(data: bytes, head: bytes) -> None:
    found = header_size(head + data)
    assert found is None or min(found) > 0


@given(st.text(max_size=300))
def test_any_text_for_base64_is_read_without_failing(text: str) -> None:
    assert min(dimensions(Image(data=text))) > 0
    assert min(dimensions(Image(url="data:" + text))) > 0


def test_unknown_size_is_a_stated_default() -> None:
    assert dimensions(Image(url="https://x.example/a.png")) == UNKNOWN
    assert dimensions(Image(data="not a picture")) == UNKNOWN
    assert dimensions(Image(width=10, height=20, data=b64encode(png(3, 4)).decode())) == (10, 20)


@pytest.mark.parametrize("model", ["gpt-4o", "claude-opus-4-5", None])
def test_base64_of_a_picture_is_never_counted_as_text(model: str | None) -> None:
    counter = counter_for(model)
    small = Image(media_type="image/png", data=b64encode(png(800, 600)).decode())
    large = Image(media_type="image/png", data=b64encode(png(800, 600) + bytes(9**6)).decode())
    assert counter.block(small) == counter.block(large) < 2_000
    with_text = counter.message(Message("user", (Text("look"), large)))
    assert with_text - counter.message(Message("user", (Text("look"),))) == counter.block(large)
