"""What nobody reads: base64, binary, minified code. Its kind and size are enough."""

from __future__ import annotations

import re

from trimtab.slimming.cutting import cut, note
from trimtab.slimming.page import Page
from trimtab.slimming.slimmed import Slimmed

_BASE64 = re.compile(r"(?<![A-Za-z0-9+/_-])(?:data:[\w/+.;=-]{1,80},)?[A-Za-z0-9+/_-]{200,}={0,2}")
_HEX = re.compile(r"[0-9a-fA-F]{200,}")
_MAGIC = {
    "iVBORw0KGgo": "PNG picture",
    "/9j/": "JPEG picture",
    "R0lGOD": "GIF picture",
    "JVBERi": "PDF document",
    "UEsDB": "ZIP archive",
    "H4sI": "gzip archive",
    "PHN2Zy": "SVG picture",
    "UklGR": "WebP picture or sound",
}
_SHORT = 400
_MINIFIED = re.compile(r"[;{}]")


def blob(page: Page) -> Slimmed | None:
    """Text of which long runs are base64, or that is binary or minified as a whole."""
    text = page.text
    sample = text[:20_000]
    odd = sum(map(sample.count, "\0\ufffd\x01\x02\x03\x04\x05"))
    if odd > len(sample) // 50:
        kept = page.limit // 10
        clean = "".join(c if c >= " " or c == "\n" else "\ufffd" for c in text[: kept * 2])
        told = note(f"binary, {len(text):,} characters")
        return Slimmed(f"{cut(clean, kept)}\n{told}", "binary output", len(page.lines))
    short, replaced = _without_runs(text)
    if replaced and len(short) < len(text) // 2:
        if len(short) > page.limit:
            inner = Page(short, short, page.limit - 100, page.tool, page.command)
            made = inner.fit(inner.sheet(), "text")
            if made is None:
                return None
            return Slimmed(made.text, "text with base64 data", made.dropped_lines)
        return Slimmed(short, "base64 data", 0)
    if len(text) > 4_000 and text.count("\n") < len(text) // 1_000 and _minified(sample):
        told = note(f"minified code, {len(text):,} characters")
        most = min(_SHORT, page.limit // 2)
        head = cut(text, most)
        return Slimmed(f"{told}\n{head}", "minified code", len(page.lines))
    return None


def _minified(sample: str) -> bool:
    marks = len(_MINIFIED.findall(sample))
    spaces = sample.count(" ")
    return (
        marks > len(sample) // 60
        and spaces < len(sample) // 12
        and not sample.startswith(("{", "[", "<"))
    )


def _without_runs(text: str) -> tuple[str, int]:
    """`text` with each long unbroken run of base64 named instead, and how many there were."""
    count = 0

    def named(match: re.Match[str]) -> str:
        nonlocal count
        run = match.group()
        if not _dense(run):
            return run
        count += 1
        body = run.rpartition(",")[2]
        magic = next((name for start, name in _MAGIC.items() if body.startswith(start)), "")
        kind = "hexadecimal" if _HEX.fullmatch(body) else "base64"
        said = f"{kind}, {len(run):,} characters" + (f", a {magic}" if magic else "")
        if run.startswith("data:"):
            said = f"{run.partition(',')[0]}: {said}"
        return "\n" + note(said) + "\n"

    return _BASE64.sub(named, text), count


def _dense(run: str) -> bool:
    """It has the many different characters of data, not those of a word or a ruler."""
    body = run[:400]
    kinds = len(set(body))
    digits = sum(map(str.isdigit, body))
    mixed = any(map(str.isupper, body)) and any(map(str.islower, body)) and digits
    return kinds >= 12 and (bool(mixed) or _HEX.fullmatch(body) is not None) and "//" not in body
