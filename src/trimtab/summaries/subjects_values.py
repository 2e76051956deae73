"""Which words of a statement are values: amounts, dates, names, codes, choices.

Read are texts in NFKC. A value has a kind, so that only like replaces like, and a normal form, so
that `$500` and `five hundred dollars` are one value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from trimtab.summaries.subject_words_values import ALIASES, CHOICES, ONLY_WITH
from trimtab.summaries.subjects_names import names
from trimtab.summaries.subjects_numbers import DIGITS, JAPANESE, WORDS, number_of

MEASURES = frozenset(
    [
        "money",
        "percent",
        "date",
        "time",
        "duration",
        "size",
        "distance",
        "number",
        "progress",
        "tz",
        "units",
        "currency",
        "style",
        "natlang",
        "proglang",
        "rounding",
        "frequency",
        "place",
        "casing",
        "encoding",
        "status",
        "loglevel",
        "pattern",
        "switch",
        "order",
    ]
)
"""Kinds that say how much, when or in which manner. The others name things."""


@dataclass(frozen=True, slots=True)
class Value:
    """One value: its kind, its normal form, and the span `start <= i < end` of the text."""

    kind: str
    norm: str
    start: int
    end: int
    facet: str = ""


_MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
_MONTH = (
    r"(?:January|February|March|April|May|June|July|August|September|October|November|December"
    r"|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\b\.?"
)
_DAY = r"(?:(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?)"
_N = rf"(?:{DIGITS}|{WORDS})"
_EXT = (
    "py|js|ts|tsx|jsx|go|rs|rb|java|kt|c|h|cc|cpp|hpp|cs|php|swift|scala|sh|sql|md|rst|txt|csv|tsv"
    "|json|jsonl|ya?ml|toml|ini|cfg|conf|env|lock|xml|html?|css|scss|log|pdf|docx?|xlsx?|pptx?|png"
    "|jpe?g|svg|gif|zip|tar|gz|db|sqlite|ipynb|parquet|proto|tf|bak|tmp|out"
)
_TLD = "internal|local|com|org|net|io|dev|example|corp|lan|test|jp|cloud|app|ai|co|de|uk|eu|invalid"

# Most words begin no value: they are passed over before the many kinds are tried.
_MAY_BE_FIRST = (
    r"(?=[^A-Za-z\s]|[A-Za-z]+[^A-Za-z\s,;!?)]"
    r"|(?i:yyyy|dd|mm|hh|yy|localhost|claude|gpt|gemini|llama|mistral|qwen|deepseek|haiku|sonnet"
    r"|opus|snake|camel|pascal|kebab|title|upper|lower|sentence|utf|shift|latin|us|cp932))"
)
_MAY_BE_LAST = (
    r"(?=[^A-Za-z\s]|[A-Za-z][A-Za-z0-9_.-]*\d|[A-Za-z][室棟館]"
    r"|(?:zer|one|two|twe|thr|thi|fou|for|fiv|fif|six|sev|eig|nin|ten|ele|jan|feb|mar|apr|may|jun"
    r"|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun|noo|mid|tom|ton|nea|ste|pha|sta|mil|par"
    r"|usd|eur|jpy|gbp|eve|onc|hou|dai|nig|wee|qua|yea|lin|pag|cha|sec|tic|iss|cas|ite|tas|roo|day"
    r"|spr|rou|que|poi|rul|tab|fig|app|sli|row|col))"
)

_FIRST = re.compile(
    rf"""(?<![A-Za-z0-9_]){_MAY_BE_FIRST}(?:
    (?P<quoted>`[^`\n]+`|"[^"\n]+"|“[^”\n]+”|「[^」\n]+」|『[^』\n]+』|(?<![\w'])'[^'\n]+'(?!\w))
    |(?P<url>\b(?:https?|ftp|ssh|git|wss?|postgres(?:ql)?|redis)://[^\s<>、。」)]+)
    |(?P<address>\b\d+[A-Za-z]?\ (?:[A-Z]\w+\ )+(?:Street|St|Road|Rd|Lane|Ln|Avenue|Ave|Drive|Dr
        |Way|Court|Place|
        Square|Boulevard|Blvd|Terrace|Close|Park)\b\.?(?:,\ [A-Z]\w+)*
        |[一-龥]{{1,7}}[都道府県市区町村](?:[一-龥ァ-ヴーぁ-ん]{{0,12}}?)[0-9][0-9丁目番地号の-]*)
    |(?P<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)
    |(?P<pattern>\b(?:YYYY|yyyy|DD|MM|dd|mm|HH|YY)(?:[-/.:年月 ]?(?:YYYY|yyyy|DD|MM|dd|mm|HH|ss|SS
        |YY|
        Mon))+\b)
    |(?P<tz>\b[A-Z][A-Za-z_]+/[A-Z][A-Za-z_]+\b|\b(?:UTC|GMT)[+-]\d{{1,2}}(?::?\d\d)?\b)
    |(?P<region>\b(?:us|eu|ap|sa|ca|me|af|asia|europe|australia|uk|japan)-(?:gov-)?
        (?:north|south|east|west|central|northeast|southeast|northwest|southwest)-?\d*[a-z]?\b)
    |(?P<host>\b(?:localhost|(?:[A-Za-z0-9-]+\.)+(?:{_TLD}))\b(?::\d+)?(?:/[\w./-]*)?
        |\b\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?::\d+)?\b)
    |(?P<model>\b(?i:claude|gpt|gemini|llama|mistral|qwen|deepseek|haiku|sonnet|opus)(?![A-Za-z])
        (?:-?[a-z0-9]+)*(?:[.-][\w]+)*\b)
    |(?P<casing>\b(?i:snake|camel|pascal|kebab|title|upper|lower|sentence)[ _-]?[Cc]ase\b
        |\bcamelCase\b|\bPascalCase\b)
    |(?P<encoding>\b(?i:utf-?8|utf-?16|shift[_-]?jis|euc-jp|cp932|latin-?1|iso-8859-\d+|us-ascii)\b)
    |(?P<ident>\b[A-Za-z]+(?:_[A-Za-z0-9]+)+\b)
    |(?P<image>(?<![\w/])[a-z][\w.-]*(?:/[\w.-]+)*:\d[\w.-]*)
    |(?P<date1>\b\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}\b|\b\d{{1,2}}/\d{{1,2}}(?:/\d{{2,4}})?\b
        |(?<![\w-])\d\d-\d\d(?![\w-]))
    |(?P<path>(?<![\w/])(?:\.{{1,2}}/|~/|/)?(?:[\w.-]*[a-z_][\w.-]*)(?:/[\w.-]+)+/?
        |(?<!\w)/[a-z][\w.-]*|(?<![\w.])[\w-]+\.(?:{_EXT})\b))
    """.replace("\n        ", ""),
    re.VERBOSE | re.ASCII,
)
_LAST = re.compile(
    rf"""(?<![A-Za-z0-9_]){_MAY_BE_LAST}(?:
    (?P<progress>\b(?:steps?|phase|stage|milestone|part)\s+{_N}(?:\s*-\s*\d+)?\s*(?:of|/
        |out\ of)\s*{_N}
        |第?\d+(?:段階|フェーズ|工程)目?|(?:フェーズ|ステップ|段階)\s*\d+)
    |(?P<date>\b(?:{_MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b
        |\b\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{_MONTH})(?:,?\s+\d{{4}})?
        |(?:\d+年)?\d{{1,2}}月(?:\d{{1,2}}日|末|上旬|中旬|下旬)|月末|(?:翌週|再来週|来週
        |今週)の?[月火水木金土日]曜日?|[月火水木金土日]曜日?
        |\b(?:January|February|March|April|June|July|August|September|October|November|December)\b
        (?:\ \d{{4}})?|(?:(?<=\bin\ )|(?<=\bby\ )|(?<=\bof\ ))May\b|\b{_DAY}\b|\b\d{{1,2}}(?:st|nd
        |rd|th)\b(?=\s*(?:$|[.,;]|of\ (?:the|each|every)))
        |(?<!starting\ )(?<!from\ )(?<!as\ of\ )\b(?:tomorrow|tonight)\b|明日(?!から)|明後日
        |(?:翌月|来月|今月|毎月|当月)の?(?:\d{{1,2}}日|末)(?!間))
    |(?P<time>\b\d{{1,2}}:\d\d(?:\s?[ap]\.?m\b\.?)?|\b\d{{1,2}}\s?[ap]\.?m\b\.?|\b(?:noon
        |midnight)\b
        |\d{{1,2}}時(?:半|\d{{1,2}}分)?(?!間)|正午)
    |(?P<rounding>\bnearest\s+(?:{_N}\s+)?(?:cents?|dollars?|euros?|yen|integer|whole\ number
        |tenth|hundredth
        |thousandth|hundred|thousand|minute|hour|percent)\b)
    |(?P<percent>(?:{DIGITS})\s?(?:%|percent\b|per\ cent\b|パーセント)|\b(?:{WORDS})\s(?:percent
        |per\ cent)\b
        |\d割)
    |(?P<money>[$€£¥]\s?(?:{DIGITS})\s?(?:[kKmM]\b|million\b|thousand\b)?
        |(?:{_N}|\b\d+[kK])(?:\s(?:thousand|million|billion))?[\s-](?:US\ |Canadian\ )?(?:dollars?
        |euros?|yen|pounds|cents?|bucks|francs?|USD|EUR|
        JPY|GBP)\b|(?:USD|EUR|JPY|GBP)\s?(?:{DIGITS})|{JAPANESE}(?:円|ドル|ユーロ|ポンド|セント|元))
    |(?P<duration>(?:{_N})[\s-]?(?:milliseconds?|msecs?|ms|seconds?|secs?|s|minutes?|mins?|hours?
        |hrs?|h|
        business\ days?|working\ days?|days?|weeks?|months?|years?)\b
        |{JAPANESE}(?:ミリ秒|秒|分|時間|営業日|日間|日|週間|か月|ヶ月|カ月|年間|年)(?!目))
    |(?P<size>(?:{DIGITS})\s?(?:[KMGTkmgt]i?[Bb]|bytes?|バイト)\b)
    |(?P<distance>(?:{_N})\s?(?:km|kilomet(?:er|re)s?|miles?|met(?:er|re)s?|cm|mm|kg|grams?|lbs?
        |kilo)\b
        |(?:{DIGITS})(?:キロ|メートル|センチ|グラム))
    |(?P<version>\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+[\w.-]*)
    |(?P<commit>\b(?=[0-9a-f]*\d)(?=[0-9a-f]*[a-f])[0-9a-f]{{7,40}}\b)
    |(?P<code>\b(?=[A-Za-z0-9_.-]*[A-Za-z])(?=[A-Za-z0-9_.-]*\d)[A-Za-z0-9_]+(?:[.-][A-Za-z0-9_]+)*\b)
    |(?P<frequency>\bevery\s+(?:other\s+)?(?:hour|day|night|week|month|quarter|year)\b
        |\bonce\s+an?\s+\w+
        |\b(?:hourly|daily|nightly|weekly|monthly|quarterly|yearly)\b(?=\s*(?:$|[.,;]|now\b
        |instead|from\ now)))
    |(?P<id>\b(?:step|phase|stage|line|page|chapter|section|part|ticket|issue|case|item|task|room
        |day|week|sprint
        |round|question|point|rule|table|figure|appendix|slide|row|column)s?\ \#?\d+\b|\#\d+\b)
    |(?P<place>\d+階(?:の?[A-Z]室)?|[A-Z](?:室|棟|館))
    |(?P<ordinal>第{JAPANESE})
    |(?P<number>(?<![\w.])(?:{DIGITS})(?![\w]*[A-Za-z])|\b(?!one\b(?!\s(?:hundred|thousand
        |million)))(?:{WORDS})\b
        |{JAPANESE}(?=回|名|人|個|件|文字|行|泊|枚|台|冊|本|部|室|つ|倍|階|点|社|箱|ページ|語|字
        |桁)))
    """.replace("\n        ", ""),
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_KEPT = re.compile(r"\b(?:and/or|he/she|n/a|w/o|i/o|read/write|yes/no|client/server)\b", re.I)


def _choices() -> tuple[dict[str, list[tuple[str, ...]]], dict[str, tuple[str, str, str, bool]]]:
    starts: dict[str, list[tuple[str, ...]]] = {}
    table: dict[str, tuple[str, str, str, bool]] = {}
    for kind, words in CHOICES.items():
        facet = ""
        for word in words.split():
            if word.startswith("="):
                facet = word[1:]
                continue
            plain = word.replace("-", " ").lower()
            exact = kind in ("proglang", "loglevel") and not word.islower()
            table[plain] = (kind, ALIASES.get(plain, plain), facet, exact)
            if plain.isascii():
                run = tuple(plain.split())
                starts.setdefault(run[0], []).append(run)
    for runs in starts.values():
        runs.sort(key=len, reverse=True)
    return starts, table


_STARTS, _TABLE = _choices()
_JAPANESE_CHOICE = re.compile(
    "|".join(sorted((re.escape(w) for w in _TABLE if not w.isascii()), key=lambda w: (-len(w), w)))
)
_ENGLISH_WORD = re.compile(r"(?<![\w.])[A-Za-z][A-Za-z0-9+#]*(?:\.[A-Za-z]\w*)*", re.ASCII)
_VERSION = re.compile(r"\s+v?(\d+(?:\.\d+)*)\b(?!\s*[%:/])", re.ASCII)
_SHORT_LANGUAGE = re.compile(r"(?:\bin|\bto|\b[Uu]se|\bis) $|[はをがも]\s?$")
_SHORT = ("Go", "Swift", "R", "C")
_VERSIONED = frozenset(
    ["db", "cache", "queue", "packages", "testing", "browser", "webframework", "runtime", "os"]
)
_ONLY = {word: re.compile(pattern, re.I) for word, pattern in ONLY_WITH.items()}


def _chosen(text: str) -> Iterator[Value]:
    """The words of `CHOICES` in a text, with the version that follows a product."""
    words = list(_ENGLISH_WORD.finditer(text))
    at = 0
    while at < len(words):
        match, step = words[at], 1
        for run in _STARTS.get(match[0].lower(), ()):
            last = words[min(at + len(run), len(words)) - 1]
            plain = " ".join(re.split(r"[\s-]+", text[match.start() : last.end()].lower()))
            if plain == " ".join(run) and _counts(plain, text[match.start() : last.end()], text):
                yield _choice(plain, match.start(), last.end(), text)
                step = len(run)
                break
        else:
            if match[0] in _SHORT and _SHORT_LANGUAGE.search(text[: match.start()]):
                yield Value("proglang", match[0].lower(), match.start(), match.end())
        at += step
    if not text.isascii():
        for match in _JAPANESE_CHOICE.finditer(text):
            if _counts(match[0], match[0], text):
                yield _choice(match[0], match.start(), match.end(), text)


def _counts(plain: str, written: str, text: str) -> bool:
    if _TABLE[plain][0] == "currency" and re.search(
        rf"\d\s?{re.escape(written)}|{re.escape(written)}\s?\d", text
    ):
        return False  # "EUR 40" is an amount
    if _TABLE[plain][3] and not (written[0].isupper() or written.isupper()):
        return False
    return plain not in _ONLY or bool(_ONLY[plain].search(text))


def _choice(plain: str, start: int, end: int, text: str) -> Value:
    kind, norm, facet, _ = _TABLE[plain]
    version = _VERSION.match(text, end)
    if version and (kind in _VERSIONED or kind == "proglang"):
        return Value(kind, f"{norm} {version[1]}", start, version.end(), facet)
    return Value(kind, norm, start, end, facet)


@lru_cache(maxsize=8192)
def find_values(text: str) -> tuple[Value, ...]:
    """All values of `text` (NFKC), by position. Spans do not overlap."""
    found: list[Value] = []
    rest = text
    for match in _FIRST.finditer(text):
        kind = (match.lastgroup or "").rstrip("1")
        if kind == "path" and _KEPT.fullmatch(match[0]):
            continue
        end = match.end()
        if kind in ("url", "path", "host", "email", "image"):
            end = match.start() + len(match[0].rstrip(".,:;"))
        found.append(_value(kind, text[match.start() : end], match.start()))
    rest = _blank(text, found)
    found.extend(_chosen(rest))
    rest = _blank(rest, found)
    found.extend(
        _value(match.lastgroup or "", match[0], match.start()) for match in _LAST.finditer(rest)
    )
    rest = _blank(rest, found)
    found.extend(Value("name", norm, start, end) for norm, start, end in names(rest))
    return tuple(sorted(found, key=lambda value: value.start))


def _blank(text: str, found: list[Value]) -> str:
    letters = list(text)
    for value in found:
        letters[value.start : value.end] = "\x01" * (value.end - value.start)
    return "".join(letters)


def _value(kind: str, text: str, start: int) -> Value:
    return Value(kind, _norm(kind, text), start, start + len(text))


_CURRENCY = re.compile(
    r"(?P<d>\$|dollar|usd|ドル|bucks)|(?P<e>€|euro|eur|ユーロ)|(?P<y>¥|yen|jpy|円)|(?P<p>£|pound|gbp|ポンド)"
    r"|(?P<c>cent|セント)|(?P<f>franc)"
)


_NUMERAL = re.compile(rf"\D*?({JAPANESE}|{WORDS}|{DIGITS})\s?([km]\b|million|thousand)?")


@lru_cache(maxsize=8192)
def _norm(kind: str, text: str) -> str:
    low = " ".join(text.lower().split())
    if kind == "quoted":
        return low[1:-1].strip()
    if kind == "date":
        return _date(low)
    if kind == "time":
        return _time(low)
    if kind == "address":
        return low.rstrip(".")
    if kind in ("money", "percent", "number", "duration", "size", "distance"):
        numeral = _NUMERAL.match(low)
        if numeral:
            number = number_of(numeral[1])
            scale = {"k": 1000, "m": 10**6, "million": 10**6, "thousand": 1000}.get(numeral[2], 1)
            unit = low[numeral.end() :].strip(" -").rstrip("s")
            if kind == "money":
                sign = _CURRENCY.search(low)
                unit = (sign.lastgroup if sign else "") or ""
            return low if number is None else f"{number * scale} {unit}".strip()
    return low


def _date(low: str) -> str:
    numbers = re.findall(r"\d+", low)
    year = next((f"@{number}" for number in numbers if len(number) == 4), "")
    numbers = [number for number in numbers if len(number) < 4] or numbers
    for at, month in enumerate(_MONTHS, 1):
        if re.search(rf"\b{month[:3]}", low) and "day" not in low:
            return f"{at}-{int(numbers[0])}{year}" if numbers else low
    if len(numbers) == 2:
        return f"{int(numbers[0])}-{int(numbers[1])}{year}"
    return low.rstrip("s")


def same(one: str, other: str) -> bool:
    """Whether two normal forms are one value; a date without a year is in any."""
    return one == other or (
        "@" in one + other
        and one.partition("@")[0] == other.partition("@")[0]
        and ("@" in one) != ("@" in other)
    )


def _time(low: str) -> str:
    numbers = [int(number) for number in re.findall(r"\d+", low)]
    if not numbers:
        return low
    hour, minute = numbers[0], numbers[1] if len(numbers) > 1 else 30 if "半" in low else 0
    if "p" in low and hour < 12:
        hour += 12
    return f"{hour}:{minute:02}"
