"""Counting a text's tokens with a vocabulary that ships inside `toktok-rs`: exact, offline.

`vocabulary(name)` is one shared object per vocabulary, so every counter of it shares one cache.
The vocabulary itself (about 0.3 s) is loaded by the first count, not by an import.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from trimtab.tokens.cache import ContentCache

LARGEST = 8_000_000
"""Texts of more characters than this are counted in pieces, so that memory stays bounded."""

AFTER_FAILURE = 20_000
"""Piece size, in characters, when the tokenizer refused a text as a whole."""

_NO_LIMIT = 1 << 60


class Vocabulary:
    """Token counts by one vocabulary, cached by content.

    Args:
        name: `o200k_base` or `cl100k_base`, as toktok names them.

    Text that spells a special token (`<|endoftext|>`) counts as the ordinary text that it is.
    A lone surrogate counts as U+FFFD, which is what a provider receives in its place.
    """

    __slots__ = ("_cache", "_truncate", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._cache: ContentCache[int] = ContentCache()
        self._truncate: Callable[[str, int, str], tuple[str, int]] | None = None

    def count(self, text: str) -> int:
        """The number of tokens in `text`; a text seen before is not tokenised again."""
        key = self._cache.key(text)
        found = self._cache.get(key)
        if found is None:
            found = self._tokenise(text)
            self._cache.put(key, found)
        return found

    def _tokenise(self, text: str) -> int:
        if len(text) > LARGEST:
            return sum(self._tokenise(piece) for piece in pieces(text, LARGEST))
        count = self._truncate
        if count is None:
            count = self._truncate = self._load()
        try:
            return count(text, _NO_LIMIT, self.name)[1]
        except UnicodeEncodeError:
            return count(clean(text), _NO_LIMIT, self.name)[1]
        except BaseException as failure:
            if not _is_panic(failure):
                raise
        if len(text) <= AFTER_FAILURE:
            return len(text.encode("utf-8", "replace"))  # no token is shorter than a byte
        return sum(self._tokenise(piece) for piece in pieces(text, AFTER_FAILURE))

    @staticmethod
    def _load() -> Callable[[str, int, str], tuple[str, int]]:
        """`truncate` returns the count of the whole text with the shortened text.

        Without a limit to cut at, it costs a fraction of a batch of one (0.7 against 30
        microseconds before the first token).
        """
        from toktok import truncate  # type: ignore[import-untyped]

        count: Callable[[str, int, str], tuple[str, int]] = truncate
        return count


def _is_panic(failure: BaseException) -> bool:
    """A Rust panic: pyo3 raises it outside `Exception`, and its class cannot be imported."""
    return type(failure).__name__ == "PanicException" or isinstance(
        failure, (ValueError, RuntimeError, OverflowError)
    )


def clean(text: str) -> str:
    """`text` without lone surrogates: pairs are joined, single ones become U+FFFD."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Run by run: the codec's own `replace` calls back for each character, and takes a third
        # of a second for a million of them.
        text = re.sub("(?:[\ud800-\udbff][\udc00-\udfff])+", _joined, text)
        return re.sub("[\ud800-\udfff]+", lambda run: "\ufffd" * len(run[0]), text)
    return text


def _joined(pairs: re.Match[str]) -> str:
    return pairs[0].encode("utf-16", "surrogatepass").decode("utf-16")


def pieces(text: str, size: int) -> Iterable[str]:
    """`text` in pieces of at most `size` characters, cut where it changes no count if possible.

    Between a line end and a letter or digit the tokenizers never join, so a cut there is exact.
    Where a piece has no such place it is cut at `size`, and may count a token or two too many.
    """
    start = 0
    while start < len(text):
        stop = start + size
        if stop < len(text):
            at = stop
            while (at := text.rfind("\n", start, at)) >= 0:
                if text[at + 1].isalnum():
                    stop = at + 1
                    break
        yield text[start:stop]
        start = stop


_vocabularies: dict[str, Vocabulary] = {}


def vocabulary(name: str) -> Vocabulary:
    """The one shared `Vocabulary` of this name."""
    return _vocabularies.setdefault(name, Vocabulary(name))
