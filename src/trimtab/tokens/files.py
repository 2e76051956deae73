"""Estimates for what no tokenizer sees: binary documents and sealed reasoning."""

from __future__ import annotations

from trimtab.history.message import Document

BYTES_PER_PAGE = 50_000
TOKENS_PER_PAGE = 2_250
"""A PDF page: Anthropic's guide gives 1,500 to 3,000 tokens of text a page; 50 kB is a common
size for a page of text with some pictures."""

UNKNOWN_DOCUMENT = 4 * TOKENS_PER_PAGE
"""A document of which only a URL or a file id is known: taken as four pages."""


def document_tokens(document: Document) -> int:
    """Tokens of a binary document, an estimate: pages by size, at least one.

    A document with text is counted by that text, and costs nothing here.
    """
    if document.text:
        return 0
    if document.data:
        size = len(document.data) * 3 // 4
        return TOKENS_PER_PAGE * max(1, round(size / BYTES_PER_PAGE))
    return UNKNOWN_DOCUMENT if document.url else 0


def sealed_tokens(characters: int) -> int:
    """Tokens behind sealed base64 (`encrypted_content`, redacted thinking), an estimate.

    Base64 holds 3 bytes in 4 characters, and a token of text is about 4 bytes, so 16 characters
    are 3 tokens.
    """
    return -(-characters * 3 // 16)
