"""Pictures and files as they travel in JSON: data URLs, base64, and a picture's size in pixels."""

from __future__ import annotations

import base64
import binascii
import struct
from typing import Any

from trimtab.history.message import Image

_HEADER_CHARS = 88  # base64 of the 64 bytes in which PNG, GIF and WebP state their size
_JPEG_CHARS = 262_144  # a JPEG states it behind its metadata and thumbnail


def split_data_url(url: str) -> tuple[str, str] | None:
    """`(media type, base64 data)` of a `data:` URL; `None` where it is another URL."""
    if not url.startswith("data:"):
        return None
    head, comma, data = url[5:].partition(",")
    if not comma or not head.endswith(";base64"):
        return None
    return head.removesuffix(";base64"), data


def data_url(media_type: str, data: str) -> str:
    """A `data:` URL from a media type and base64 data."""
    return f"data:{media_type or 'application/octet-stream'};base64,{data}"


def read_image(*, media_type: str = "", data: str = "", url: str = "", raw: Any) -> Image:
    """An image block; a `data:` URL is taken apart, and the pixels are read from the data."""
    if url:
        parts = split_data_url(url)
        if parts is not None:
            media_type, data = parts
            url = ""
    width, height = pixel_size(data) if data else (0, 0)
    return Image(media_type, data, url, width, height, raw=raw)


def pixel_size(data: str) -> tuple[int, int]:
    """Width and height of a base64 PNG, GIF, WebP or JPEG; `(0, 0)` where unknown.

    Only the head of the data is decoded.
    """
    head = _decode(data[:_HEADER_CHARS])
    if head.startswith(b"\xff\xd8"):
        return _jpeg_size(_decode(data[:_JPEG_CHARS]))
    if head.startswith(b"\x89PNG") and len(head) >= 24:
        width, height = struct.unpack_from(">II", head, 16)
        return width, height
    if head.startswith(b"GIF8") and len(head) >= 10:
        width, height = struct.unpack_from("<HH", head, 6)
        return width, height
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP" and len(head) >= 30:
        return _webp_size(head)
    return 0, 0


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text[: len(text) // 4 * 4])
    except (binascii.Error, ValueError):
        return b""


def _webp_size(head: bytes) -> tuple[int, int]:
    kind = head[12:16]
    if kind == b"VP8X":
        return (
            int.from_bytes(head[24:27], "little") + 1,
            int.from_bytes(head[27:30], "little") + 1,
        )
    if kind == b"VP8L":
        bits = int.from_bytes(head[21:25], "little")
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if kind == b"VP8 ":
        width, height = struct.unpack_from("<HH", head, 26)
        return width & 0x3FFF, height & 0x3FFF
    return 0, 0


def _jpeg_size(body: bytes) -> tuple[int, int]:
    at = 2
    while at + 9 <= len(body) and body[at] == 0xFF:
        marker = body[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", body, at + 5)
            return width, height
        if marker == 0xFF:  # fill byte
            at += 1
            continue
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:  # markers without a length
            at += 2
            continue
        at += 2 + int(struct.unpack_from(">H", body, at + 2)[0])
    return 0, 0
