"""Names: URLs, addresses, paths, hashes, versions, error codes and identifiers."""

from __future__ import annotations

import errno
import re
from collections.abc import Iterator

from trimtab.summaries.values_kinds import Need, Value
from trimtab.summaries.values_numbers import plain, shorter

# --- URLs and addresses -------------------------------------------------------------------------

_URL = re.compile(
    r"(?<![A-Za-z0-9])(?:[a-z][a-z0-9+]{1,11}://|www\.)[^\s<>\"'`、。「」『』（）"
    r"|\\^{}\x00\u3000-\u30ff"
    r"一-鿿]+",
    re.I,
)
_TLD = (
    "com|org|net|io|dev|ai|app|co|jp|de|uk|fr|eu|us|edu|gov|info|local|example|test|internal|cloud"
    "|invalid|localhost"
)
_HOST = re.compile(
    rf"(?<![\w@./\\-])(?:[a-z0-9](?:[a-z0-9-]{{0,40}}+)\.){{1,5}}(?:{_TLD})(?![\w-]|\.[a-z0-9])"
    r"(?::[0-9]{1,5})?(?:/[^\s<>\"'`、。「」『』（）)\]|\x00\u3000-\u30ff一-鿿]*+)?",
    re.I | re.A,
)
_EMAIL = re.compile(
    r"(?<![\w.+-])[\w+-](?:[\w.+-]{0,63}+)@(?:[A-Za-z0-9-]{1,63}\.){1,6}[A-Za-z]{2,24}(?![\w-])",
    re.A,
)
_IP = re.compile(
    r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?:/[0-9]{1,2})?(?P<port>:[0-9]{1,5})?(?![\w]"
    r"|\.[0-9])",
    re.A,
)
_END = ".,;:!?)]}>*_"


def urls(text: str) -> Iterator[Value]:
    """URLs and bare host names of a folded text."""
    if "://" in text or "www." in text:
        for found in _URL.finditer(text):
            yield _url(text, found.start(), found.end())
    if "." in text:
        for found in _HOST.finditer(text):
            yield _url(text, found.start(), found.end())


def _url(text: str, start: int, end: int) -> Value:
    while end > start and text[end - 1] in _END:
        if text[end - 1] == ")" and text.count("(", start, end) >= text.count(")", start, end):
            break
        end -= 1
    url = text[start:end]
    scheme, mark, rest = url.rpartition("://")
    host, slash, tail = rest.partition("/")
    norm = scheme.lower() + mark + host.lower() + slash + tail
    norm = norm.rstrip("/") or norm
    bare = (host.lower() + slash + tail).rstrip("/")
    gives = [f"url:{norm}", f"url:{bare}", f"url:{host.lower()}"]
    gives += (f"i:#{n}" for n in re.findall(r"/(?:pull|issues|merge_requests)/([0-9]+)", tail))
    gives += (f"n:{plain(n)}" for n in re.findall(r"(?<![\w.])[0-9]+(?![\w])", rest, re.A))
    return Value("url", url, start, end, norm, ((f"url:{norm}",), (f"text:{url}",)), tuple(gives))


def addresses(text: str) -> Iterator[Value]:
    """E-mail and IP addresses."""
    if "@" in text:
        for found in _EMAIL.finditer(text):
            norm = found.group().lower()
            yield _simple("email", found, norm, (f"mail:{norm}", f"url:{norm.split('@')[1]}"))
    if "." in text:
        for found in _IP.finditer(text):
            norm = found.group()
            host = norm.split(":")[0]
            gives = [f"ip:{norm}", f"ip:{host}"]
            if found["port"]:
                gives.append(f"n:{found['port'][1:]}")
            yield _simple("identifier", found, norm, tuple(gives))


# --- paths ---------------------------------------------------------------------------------------

_EXT = (
    "py|pyi|ipynb|js|jsx|ts|tsx|mjs|cjs|json|jsonl|yaml|yml|toml|ini|cfg|conf|env|lock|md|rst"
    "|txt|csv"
    "|tsv|html|htm|css|scss|xml|svg|png|jpg|jpeg|gif|webp|pdf|docx?|xlsx?|pptx?|zip|gz|tar|tgz|zst"
    "|sh|bash|zsh|bat|ps1|sql|db|sqlite|log|c|h|cc|cpp|hpp|rs|go|java|kt|rb|php|pl|swift|scala|lua"
    "|vue|proto|tf|gradle|exe|dll|so|bin|dat|parquet|bak|tmp|pem|key|crt|diff|patch|whl|jar"
    "|wasm|ics"
)
_SEG = r"[\w.@+%~$#-]"
_PATH = re.compile(rf"(?<![\w@:.~/<\\-])(?:~|\.{{1,2}})?/?{_SEG}++(?:/{_SEG}++)*+/?", re.A)
_SLASHED = re.compile(
    r"(?<![\w@~/<\\.-])(?:(?:~|\.{1,2}|[\w@+%$.#-]++)?/[\w.@+%~$#*-]++(?:/[\w.@+%~$#*-]++)*+/?"
    r"|[\w@+%$.#-]++/(?![\w/]))",
    re.A,
)
_FILE = re.compile(
    rf"(?<![\w@/\\.-])\.?[A-Za-z0-9_](?:[\w.-]*?[\w-])?\.(?:{_EXT})(?![\w/-]|\.\w)", re.A
)
_WINDOWS = re.compile(
    r"(?<![\w\\])(?:[A-Za-z]:[\\/]{1,2}|\\\\[\w.$-]+\\)(?:[^\s\\/:*?\"<>"
    r"|、。「」`',;)\x00]+[\\/]{0,2})*",
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ROOTS = _words(
    """
    src source lib libs test tests docs doc app apps bin etc usr var home tmp opt srv mnt
    packages cmd internal pkg scripts config configs build dist node_modules data assets
    public static examples .github root work workspace users
    """
)
_LINE = re.compile(r"[0-9]")


def paths(text: str) -> Iterator[Value]:
    """Windows and POSIX paths, and names of files with a known ending."""
    if ":\\" in text or "\\\\" in text or ":/" in text:
        for found in _WINDOWS.finditer(text):
            start, end = _trim(text, *found.span())
            shown = text[start:end]
            norm = re.sub(r"[\\/]+", "/", shown).rstrip("/").lower()
            last = norm.rpartition("/")[2]
            yield Value(
                "path", shown, start, end, norm, ((f"p:{norm}",),), (f"p:{norm}", f"p:{last}")
            )
    if "/" in text:
        for found in _SLASHED.finditer(text):
            start, end = _trim(text, *found.span())
            if start < end and _is_path(text[start:end]):
                yield _path(text, start, end)
    if "." in text:
        for found in _FILE.finditer(text):
            yield _path(text, *found.span())


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while end > start and text[end - 1] in ".,;:!?)]}*'_" and text[start:end] not in ("..", "."):
        end -= 1
    return start, end


def _is_path(shown: str) -> bool:
    """Not `and/or` or `km/h`: rooted, or with an ending, or in a folder that projects have."""
    segments = shown.split("/")
    if "/" not in shown or not any(c.isalpha() for c in shown):
        return False
    if shown[0] in "/~" or shown.startswith(("./", "../")):
        return len(shown) > 2
    if re.search(rf"\.(?:{_EXT})$", shown):
        return True
    if segments[0].lower() in _ROOTS:
        return True
    if shown.endswith("/"):
        return True
    return len(segments) > 2 and any(re.search(r"[\d_.-]", part) for part in segments)


def _path(text: str, start: int, end: int) -> Value:
    shown = text[start:end]
    norm = shown.rstrip("/") or "/"
    while norm.startswith("./"):
        norm = norm[2:]
    last = norm.rpartition("/")[2]
    gives = [f"p:{norm}", f"p:{last}"]
    gives += (f"i:{part.lower()}" for part in re.split(r"[/]", norm) if _LINE.search(part))
    gives += (f"n:{plain(n)}" for n in re.findall(r"(?<![\w.])[0-9]{1,24}(?![\w])", norm, re.A))
    return Value("path", shown, start, end, norm, ((f"p:{norm}",), (f"path:{norm}",)), tuple(gives))


# --- hashes --------------------------------------------------------------------------------------

_UUID = re.compile(
    r"(?<![0-9A-Za-z])[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}(?![0-9A-Za-z])",
    re.I,
)
_HEX = re.compile(
    r"[0-9a-fA-F](?<![0-9A-Za-z_-].)(?:(?<=0)x[0-9a-fA-F]{1,64}|[0-9a-f]{6,63}+|[0-9A-F]{6,63}+)"
    r"(?![0-9A-Za-z_])"
)


def hashes(text: str) -> Iterator[Value]:
    """UUIDs, and hexadecimal runs that hold a letter and a digit."""
    if "-" in text:
        for found in _UUID.finditer(text):
            norm = found.group().lower()
            yield _simple("identifier", found, norm, (f"i:{norm}",))
    for found in _HEX.finditer(text):
        norm = found.group().lower()
        if norm.startswith("0x") or (not norm.isdigit() and not norm.isalpha()):
            if re.fullmatch(r"[0-9]+e[0-9]+", norm):
                continue
            yield _simple(
                "hash", found, norm, (f"h:{norm}",), ((f"h:{norm}",), (f"prefix:{norm}",))
            )


# --- error codes ---------------------------------------------------------------------------------

_ERRNO = frozenset(errno.errorcode.values()) | {"ENOTFOUND", "EAI_AGAIN", "ERESOLVE", "EINTEGRITY"}
_ERRNO_WORD = re.compile(r"E(?<![A-Za-z0-9_].)[A-Z0-9]{2,14}(?![A-Za-z0-9_])")
_HTTP = re.compile(
    r"(?:(?:HTTP|http|Http)(?:/[0-9.]{1,3})?(?: status)?(?: code)?(?: error)?"
    r"|(?:status|Status)(?:[ _-]?[Cc]ode)?|ステータス(?:コード)?)[\"']?[ :=]{0,3}"
    r"(?P<a>[1-5][0-9]{2})(?![0-9]|[.,][0-9])"
    r"|[1-5](?<![0-9A-Za-z.,$€£¥-].)(?P<b>[0-9]{2})(?= (?:Not Found|Forbidden|Unauthorized"
    r"|Bad Request|Internal Server Error|Too Many Requests|Service Unavailable|Bad Gateway"
    r"|Gateway Time|Conflict|Unprocessable|OK\b|Created\b|No Content|Found\b|Moved))"
)
_EXIT = re.compile(
    r"(?:(?:exit|Exit)(?:ed|s)?(?: with)?(?:[ _-]?(?:[Cc]ode|[Ss]tatus|value))?(?: of| was| is)?"
    r"|(?:return|Return)(?:ed)?[ _]?[Cc]ode|rc|(?:status|Status|error|Error) code"
    r"|終了コード(?:は)?)"
    r"[\"']?[ :=(<>]{0,4}(?P<n>-?[0-9]{1,3})(?![0-9%A-Za-z]|[.,][0-9])"
)
_SQL = re.compile(
    r"(?<![A-Za-z])SQLSTATE[\"']?[ :=(\[]{0,3}(?P<n>[0-9A-Z]{5})(?![0-9A-Za-z])", re.I
)


def errors(text: str) -> Iterator[Value]:
    """Names and numbers of errors."""
    for found in _ERRNO_WORD.finditer(text):
        if found.group() in _ERRNO:
            yield _simple("error", found, found.group(), (f"e:{found.group()}",))
    for found in _HTTP.finditer(text):
        number = found["a"] or found.group()
        gives: tuple[str, ...] = (f"e:HTTP {number}", f"n:{number}")
        needs = ((f"e:HTTP {number}",), (f"n:{number}",))
        yield _simple("error", found, f"HTTP {number}", gives, needs)
    for found in _EXIT.finditer(text):
        if found.start() and text[found.start() - 1].isalpha() and found.group()[0] != "終":
            continue
        number = found["n"]
        gives = (f"e:exit code {number}", f"n:{number}", f"n:{number.lstrip('-')}")
        yield _simple("error", found, f"exit code {number}", gives)
    if "SQLSTATE" in text or "sqlstate" in text:
        for found in _SQL.finditer(text):
            number = found["n"].upper()
            gives = (f"e:SQLSTATE {number}", f"n:{plain(number) if number.isdigit() else number}")
            yield _simple("error", found, f"SQLSTATE {number}", gives)


# --- versions and identifiers --------------------------------------------------------------------

_PRE = r"(?:-?(?:rc|alpha|beta|dev|post|a|b)[.-]?[0-9]{0,4})?"
_VERSION = re.compile(
    r"(?:[vV](?<![\w.-].)(?:er(?:sion|\.)? ?)?|バージョン ?)"
    rf"(?P<a>[0-9]{{1,5}}(?:\.[0-9]{{1,6}}){{0,4}}{_PRE})(?![\w]|\.[0-9])"
    rf"|[0-9](?<![\w.-].)(?P<b>[0-9]{{0,4}}(?:\.[0-9]{{1,6}}){{2,4}}{_PRE})(?![\w]|\.[0-9])",
    re.A,
)
_TRACKER = re.compile(
    r"(?:#|(?:PR|MR|GH|pr|pull request|Pull request|Pull Request|merge request|Merge request"
    r"|Merge Request|issue|Issue|ticket|Ticket|bug|Bug)(?:[ -]#?|#))(?P<n>[0-9]{1,9})"
    r"(?![\w]|[.,][0-9])",
    re.A,
)
_IDENTIFIER = re.compile(
    r"[A-Za-z_](?<![A-Za-z0-9_-].)(?:(?<=_)"
    r"|[A-Za-z-]*+(?=[0-9_]))[A-Za-z0-9_-]*+(?:\.[0-9][A-Za-z0-9_-]*+)*+"
)
_NUMBERS = re.compile(r"[0-9]+(?:\.[0-9]+)*")


def versions(text: str) -> Iterator[Value]:
    """`v1.2.3`, `1.2.3`, `version 2`, and numbers behind the name of a product."""
    for found in _VERSION.finditer(text):
        number = (found["a"] or found.group()).lower()
        gives = [f"v:{number}", f"i:v{number}", *shorter(number)]
        if number.count(".") < 2:
            gives.append(
                f"n:{plain(number.partition('-')[0])}" if number[-1:].isdigit() else f"v:{number}"
            )
        needs = ((f"v:{number}",), (f"word:{number}",), (f"word:v{number}",))
        yield _simple("version", found, number, tuple(gives), needs)


def identifiers(text: str) -> Iterator[Value]:
    """Names with digits or underscores, and numbers of issues."""
    for found in _TRACKER.finditer(text):
        before = text[found.start() - 1] if found.start() else " "
        if before.isascii() and (before.isalnum() or before in "_-"):
            continue
        number = found["n"].lstrip("0") or "0"
        issue = (f"i:#{number}", f"n:{number}", f"i:pr-{number}")
        yield _simple("identifier", found, f"#{number}", issue, ((f"i:#{number}",),))
    for found in _IDENTIFIER.finditer(text):
        name = found.group().rstrip("-_")
        if len(name) < 2 or not name.strip("_-"):
            continue
        lower = name.lower()
        end = found.start() + len(name)
        gives = [f"i:{lower}"]
        for number in _NUMBERS.findall(lower):
            gives += (
                f"n:{plain(number)}" if number.count(".") < 2 else f"v:{number}",
                f"v:{number}",
            )
        needs: tuple[Need, ...] = ((f"i:{lower}",), (f"word:{lower}",))
        yield Value("identifier", name, found.start(), end, lower, needs, tuple(gives))


def _simple(
    kind: str,
    found: re.Match[str],
    norm: str,
    gives: Need,
    needs: tuple[Need, ...] | None = None,
) -> Value:
    start, end = found.span()
    return Value(kind, found.group(), start, end, norm, needs or ((gives[0],),), gives)
