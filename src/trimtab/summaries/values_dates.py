"""Dates and times, in English, Japanese and ISO forms, and the ISO form they are compared in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trimtab.summaries.values_kinds import Need, Value

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_ERAS = {"令和": 2018, "平成": 1988, "昭和": 1925}
_DAY = r"(?:st|nd|rd|th)?(?![0-9A-Za-z]|[.:,][0-9]|-[0-9])"

# Each pattern begins with the characters it must have, so that most of a text is passed over fast.
_ISO = re.compile(
    r"(?P<y>(?:19|20|21)(?<![0-9.,/-]..)[0-9]{2})(?P<s>[-/.])(?P<m>0?[1-9]|1[0-2])"
    r"(?:(?P=s)(?P<d>3[01]|[12][0-9]|0?[1-9]))?(?![0-9/]|[-.][0-9])"
)
_PARTIAL_ISO = re.compile(r"(?<![0-9-])--(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])(?![0-9-])")
_NUMERIC = re.compile(
    r"(?P<a>[0-9](?<![0-9./A-Za-z-].)[0-9]?)/(?P<b>[0-9]{1,2})(?:/(?P<y>(?:19|20)[0-9]{2}"
    r"|[0-9]{2}))?"
    r"(?![0-9/A-Za-z]|[.,][0-9]|-[0-9])"
)
_FRACTION = re.compile(
    r"\s{0,2}(?:of\b|tests?\b|files?\b|steps?\b|passed|passing|failed|failing|done|checks?\b"
    r"|cases?\b|items?\b|tasks?\b|complete|ok\b|件|個|回|枚|人|名|社|本|[)\]]?\s?%|\s?\()",
    re.I,
)
_ENGLISH = re.compile(
    r"[JFMASOND](?:an(?:uary)?|eb(?:ruary)?|ar(?:ch)?|pr(?:il)?|ay|une?|uly?|ug(?:ust)?"
    r"|ep(?:t(?:ember)?)?"
    r"|ct(?:ober)?|ov(?:ember)?|ec(?:ember)?)(?![A-Za-z0-9_])\.?"
)
_DAY_BEFORE = re.compile(r"(?<![0-9A-Za-z.,/:-])(?P<d>[0-9]{1,2})(?:st|nd|rd|th)?(?: of)?[ -]$")
_BEHIND_MONTH = re.compile(
    rf"(?:[ -](?P<d>[0-9]{{1,2}}){_DAY})?(?:,? ?-?(?P<y>(?:19|20|21)[0-9]{{2}})(?![0-9]))?"
)
_JAPANESE = re.compile(
    r"(?:(?:(?P<era>令和|平成|昭和) ?(?P<ey>元|[0-9]{1,2})|(?P<y>[0-9]{4})) ?年(?:度)? ?)?"
    r"(?P<m>1[0-2]|0?[1-9])月 ?(?P<d>3[01]|[12][0-9]|0?[1-9])日"
    r"|(?:(?P<era2>令和|平成|昭和) ?(?P<ey2>元|[0-9]{1,2})|(?P<y2>[0-9]{4})) ?年"
    r"(?! ?間)(?: ?(?P<m2>1[0-2]|0?[1-9])月)?"
)
_CLOCK = re.compile(
    r"(?P<h>[0-9](?<![0-9A-SU-Za-z.:/-].)(?<![^0-9]T.)[0-9]?):(?P<m>[0-5][0-9])"
    r"(?::(?P<s>[0-5][0-9])(?P<f>[.,][0-9]{1,9})?)?(?![0-9:])"
    r"(?: ?(?P<half>[aApP])\.?[mM]\b\.?)?(?P<z>Z|[+-][0-9]{2}:?[0-9]{2})?(?![0-9A-Za-z])"
)
_HOUR = re.compile(r"(?P<h>[0-9](?<![0-9A-Za-z.:/-].)[0-9]?) ?(?P<half>[aApP])\.?[mM]\b\.?")
_JI = re.compile(
    r"(?P<half>午前|午後)? ?(?<![0-9.:])(?P<h>[01]?[0-9]|2[0-4])時(?!間)"
    r"(?:(?P<m>[0-5]?[0-9])分|(?P<half2>半))?"
)


def dates(text: str) -> Iterator[Value]:
    """The dates and times of a folded text; they may overlap, the first found counts."""
    ascii_only = text.isascii()
    for found in _ISO.finditer(text):
        if found["d"] is None and found["s"] == ".":
            continue  # 2026.1 is a version
        yield _date(text, found.span(), int(found["y"]), int(found["m"]), _int(found["d"]))
    if "--" in text:
        for found in _PARTIAL_ISO.finditer(text):
            yield _date(text, found.span(), None, int(found[1]), int(found[2]))
    if "/" in text:
        yield from _slashed(text)
    for found in _ENGLISH.finditer(text):
        value = _in_words(text, found)
        if value is not None:
            yield value
    if ":" in text:
        for found in _CLOCK.finditer(text):
            hour = _hour(int(found["h"]), found["half"])
            if hour <= 24:
                yield _time(text, found.span(), hour, found["m"], found["s"], found["z"])
    for found in _HOUR.finditer(text):
        if 1 <= int(found["h"]) <= 12:
            hour = _hour(int(found["h"]), found["half"])
            yield _time(text, found.span(), hour, "00", None, None)
    if not ascii_only:
        yield from _japanese(text)


def _in_words(text: str, found: re.Match[str]) -> Value | None:
    """`March 5`, `5 March 2026`, `Mar 2026`; a month alone is none."""
    start = found.start()
    month = _MONTHS.get(found.group().rstrip(".").lower())
    if month is None or (text[start - 1 : start].isalnum() and start):
        return None
    before = _DAY_BEFORE.search(text, max(0, start - 9), start)
    behind = _BEHIND_MONTH.match(text, found.end())
    day, year, end = None, None, found.end()
    if behind:
        day, year, end = behind["d"], behind["y"], behind.end()
    if day is None and before:
        day, start = before["d"], before.start()
    if (day is None and year is None) or (day is not None and not 1 <= int(day) <= 31):
        return None
    return _date(text, (start, end), _int(year), month, _int(day))


def _slashed(text: str) -> Iterator[Value]:
    for found in _NUMERIC.finditer(text):
        first, second = int(found["a"]), int(found["b"])
        if not (1 <= first <= 31 and 1 <= second <= 31) or (first > 12 and second > 12):
            continue
        if found["y"] is None and _FRACTION.match(text, found.end()):
            continue
        year = found["y"]
        if year is not None and len(year) == 2:
            year = "20" + year
        month, day = (first, second) if first <= 12 else (second, first)
        value = _date(text, found.span(), _int(year), month, day)
        if first <= 12 and second <= 12:
            other = _date(text, found.span(), _int(year), day, month)
            gives = (*value.gives, *other.gives, f"n:{first}", f"n:{second}")
            value = Value(
                "date", value.text, value.start, value.end, value.norm, value.needs, gives
            )
        yield value


def _japanese(text: str) -> Iterator[Value]:
    if "月" in text or "年" in text:
        for found in _JAPANESE.finditer(text):
            era, era_year = found["era"] or found["era2"], found["ey"] or found["ey2"]
            year = found["y"] or found["y2"]
            whole = int(year) if year else None
            if era is not None:
                whole = _ERAS[era] + (1 if era_year == "元" else int(era_year))
            month = found["m"] or found["m2"]
            span = found.span()
            yield _date(text, span, whole, _int(month), _int(found["d"]))
    if "時" in text:
        for found in _JI.finditer(text):
            half = {"午前": "a", "午後": "p"}.get(found["half"] or "")
            minute = "30" if found["half2"] else (found["m"] or "00").zfill(2)
            yield _time(text, found.span(), _hour(int(found["h"]), half), minute, None, None)


def _date(
    text: str, span: tuple[int, int], year: int | None, month: int | None, day: int | None
) -> Value:
    gives: list[str] = []
    needs: list[Need] = []
    if month is None:
        norm = f"{year:04d}"
        gives = [f"n:{year}"]
        needs = [(f"n:{year}",)]
    elif day is None:
        norm = f"{year:04d}-{month:02d}"
        gives = [f"d:{norm}", f"n:{year}"]
        needs = [(f"d:{norm}",)]
    elif year is None:
        norm = f"--{month:02d}-{day:02d}"
        gives = [f"d:{norm}", f"partial:{norm}", f"day:{day}"]
        needs = [(f"d:{norm}",)]
    else:
        partial = f"--{month:02d}-{day:02d}"
        norm = f"{year:04d}-{month:02d}-{day:02d}"
        gives = [f"d:{norm}", f"d:{partial}", f"d:{year:04d}-{month:02d}", f"n:{year}"]
        gives.append(f"day:{day}")
        # The source may have the day, and the year elsewhere.
        needs = [(f"d:{norm}",), (f"partial:{partial}", f"n:{year}")]
    start, end = span
    while end > start and text[end - 1] in " .,":
        end -= 1
    return Value("date", text[start:end], start, end, norm, tuple(needs), tuple(gives))


def _time(
    text: str, span: tuple[int, int], hour: int, minute: str, second: str | None, zone: str | None
) -> Value:
    short = f"{hour:02d}:{minute}"
    norm = short if second is None else f"{short}:{second}"
    keys = [f"t:{short}", f"t:{norm}"]
    if zone is not None and zone != "Z":
        norm += f"{zone[:3]}:{zone[-2:]}"
        keys.append(f"t:{norm}")
    start, end = span
    found = text[start:end]
    return Value("time", found, start, end, norm, ((f"t:{norm}",),), tuple(dict.fromkeys(keys)))


def _hour(hour: int, half: str | None) -> int:
    if half is None:
        return hour
    return hour % 12 + (12 if half in "pP" else 0)


def _int(number: str | None) -> int | None:
    return None if number is None else int(number)
