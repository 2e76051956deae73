"""Pictures count by their size in pixels, never by the length of their base64."""

from __future__ import annotations

from binascii import Error as Base64Error
from binascii import a2b_base64
from math import ceil, floor, sqrt
from typing import Any

from trimtab.history.message import Image
from trimtab.tokens.models import Pictures

UNKNOWN = (1024, 1024)
"""The size taken for a picture that does not tell its own (a plain URL, a broken header)."""

HEAD = 1024
"""How much base64 is decoded to read a header, in characters; JPEG may need more."""

JPEG_HEAD = 1_048_576


def image_tokens(image: Image, rule: Pictures) -> int:
    """Tokens of a picture by the published formula of its model family (`models`).

    A picture that OpenAI is asked to see in low `detail` costs the base alone, or what fits
    into 512 px.
    """
    if rule.rule == "flat":
        return rule.base
    width, height = dimensions(image)
    asked = detail(image)
    if rule.rule == "tiles":
        if asked == "low":
            return rule.base
        return rule.base + round(rule.each * _tiles(width, height))
    if rule.rule == "tiles-768":
        if width <= 384 and height <= 384:
            return rule.base
        return round(rule.each * ceil(width / 768) * ceil(height / 768))
    most = rule.most
    if asked == "low":
        most = 256
    elif asked in ("", "auto", "original") and rule.auto:
        most = rule.auto
    return ceil(_patches(width, height, rule._replace(most=most)) * rule.each)


def _tiles(width: int, height: int) -> int:
    """512 px tiles after fitting into 2048 px and then a short side of 768 px."""
    fit = min(1.0, 2048 / max(width, height))
    fit *= min(1.0, 768 / (min(width, height) * fit))
    # Rounded first: 768 px must not become 768.0000001 and cost a row of tiles.
    return ceil(round(width * fit, 3) / 512) * ceil(round(height * fit, 3) / 512)


def _patches(width: int, height: int, rule: Pictures) -> int:
    """Patches, each side rounded up; a picture of too many is shrunk until it fits.

    OpenAI shrinks to the area of `most` patches, and then until neither side needs one more.
    Anthropic takes the largest size that fits (both checked against measurements).
    """
    side = float(rule.patch)
    fit = min(1.0, rule.edge / max(width, height)) if rule.edge else 1.0
    across, down = width * fit / side, height * fit / side
    if _grid(across, down) > rule.most:
        shrink = sqrt(rule.most / (across * down))
        across, down = min(across, across * shrink), min(down, down * shrink)
        if not rule.edge:
            shrink = min(max(1, floor(across)) / across, max(1, floor(down)) / down, 1.0)
            across, down = across * shrink, down * shrink
        while _grid(across, down) > rule.most:
            shrink = max(_below(across), _below(down))
            across, down = across * shrink, down * shrink
    return max(1, _grid(across, down))


def _grid(across: float, down: float) -> int:
    # Rounded first: 30 patches must not become 30.0000001 and cost a row.
    return max(1, ceil(round(across, 6))) * max(1, ceil(round(down, 6)))


def _below(patches: float) -> float:
    """The scale that brings a side down to the next whole number of patches."""
    whole = ceil(round(patches, 6)) - 1
    return whole / patches if whole >= 1 else 0.0


def detail(image: Image) -> str:
    """OpenAI's `detail` of the picture, from its wire form; `""` where not given."""
    raw: Any = image.raw
    if not isinstance(raw, dict):
        return ""
    inner = raw.get("image_url")
    found = inner.get("detail") if isinstance(inner, dict) else raw.get("detail")
    return found if isinstance(found, str) else ""


def dimensions(image: Image) -> tuple[int, int]:
    """Width and height in pixels: as stated, else from the header, else `UNKNOWN`."""
    if image.width > 0 and image.height > 0:
        return image.width, image.height
    data = image.data
    if not data and image.url.startswith("data:"):
        data = image.url
    if data.startswith("data:"):
        data = data[data.find(",") + 1 :] if "," in data[:200] else ""
    if not data:
        return UNKNOWN
    head = _decode(data, HEAD)
    found = header_size(head)
    if found is None and head[:2] == b"\xff\xd8":
        found = header_size(_decode(data, JPEG_HEAD))
    return found or UNKNOWN


def _decode(data: str, characters: int) -> bytes:
    """The first bytes of a base64 text; what cannot be decoded is empty."""
    head = data[:characters].translate(_PLAIN)
    try:
        return a2b_base64(head[: len(head) // 4 * 4])
    except (Base64Error, ValueError):
        return b""


_PLAIN = {ord("-"): "+", ord("_"): "/", ord("\n"): None, ord("\r"): None, ord(" "): None}


def header_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the start of a PNG, GIF, JPEG, WebP or BMP file, where found."""
    size: tuple[int, int] | None = None
    if data.startswith(b"\x89PNG\r\n\x1a\n") and len(data) >= 24:
        size = _big(data, 16, 4), _big(data, 20, 4)
    elif data[:6] in (b"GIF87a", b"GIF89a") and len(data) >= 10:
        size = _little(data, 6, 2), _little(data, 8, 2)
    elif data.startswith(b"\xff\xd8"):
        size = _jpeg(data)
    elif data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        size = _webp(data)
    elif data.startswith(b"BM") and len(data) >= 26:
        height = int.from_bytes(data[22:26], "little", signed=True)
        size = _little(data, 18, 4), abs(height)
    if size is None or size[0] <= 0 or size[1] <= 0:
        return None
    return size


def _big(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "big")


def _little(data: bytes, at: int, size: int) -> int:
    return int.from_bytes(data[at : at + size], "little")


def _jpeg(data: bytes) -> tuple[int, int] | None:
    """The frame header (SOF) holds the size; the segments before it are skipped by length."""
    at = 2
    while at + 9 <= len(data):
        if data[at] != 0xFF:
            return None
        marker = data[at + 1]
        if marker == 0xFF:  # a fill byte
            at += 1
        elif marker in (0x01, *range(0xD0, 0xD9)):  # markers without a length
            at += 2
        elif 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return _big(data, at + 7, 2), _big(data, at + 5, 2)
        else:
            at += 2 + max(2, _big(data, at + 2, 2))
    return None


def _webp(data: bytes) -> tuple[int, int] | None:
    kind = data[12:16]
    if kind == b"VP8 " and len(data) >= 30:
        return _little(data, 26, 2) & 0x3FFF, _little(data, 28, 2) & 0x3FFF
    if kind == b"VP8L" and len(data) >= 25:
        bits = _little(data, 21, 4)
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8X" and len(data) >= 30:
        return _little(data, 24, 3) + 1, _little(data, 27, 3) + 1
    return None
