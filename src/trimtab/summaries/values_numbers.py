"""Numbers: bare, with a unit, a currency or a percent sign, in digits or in words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from trimtab.summaries.number_words import KANJI_ONES, KANJI_TENS, ONES, SCALES, TENS
from trimtab.summaries.values_kinds import Need, Value
from trimtab.summaries.values_units import CURRENCIES, SYMBOLS, UNIT, UNITS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LARGEST_COUNT = 20
"""A whole number up to this, without a unit and not naming anything, may be the writer's count."""

_DIGITS = 24
"""Longer runs of digits are compared as they stand."""

_BIG = {
    "k": 3,
    "K": 3,
    "thousand": 3,
    "M": 6,
    "mn": 6,
    "million": 6,
    "百万": 6,
    "B": 9,
    "bn": 9,
    "billion": 9,
    "十億": 9,
    "trillion": 12,
    "hundred": 2,
}
# It begins with a digit, so that most of a text is passed over fast; what stands before it is
# looked at afterwards.
_NUMBER = re.compile(
    r"(?P<num>[0-9](?:[0-9]{0,2}(?:[,_\u00a0\u202f\u2009][0-9]{3})++(?![0-9])(?:\.[0-9]++)?"
    r"|[0-9]*+(?:\.[0-9]++)?))"
    r"(?P<mult>(?:k|K|M|B|bn|mn| ?(?:thousand|million|billion|trillion))(?![A-Za-z0-9])|百万|十億)?"
    r"(?P<kanji>(?:兆|億|万|千)(?:[0-9,.]{1,12}(?:億|万|千))*(?:[0-9,]{1,7}(?![0-9.]))?)?"
    rf"(?:[ \u00a0-]?(?P<unit>{UNIT}))?"
)
_CURRENCY = re.compile(r"(?:US\$|[$€£¥₩₹]|(?<![A-Za-z])(?:USD|EUR|GBP|JPY|CNY|RMB|KRW|INR|CHF)) ?$")
_PRODUCTS = _words(
    """
    python node node.js ruby go java php ubuntu debian postgresql postgres mysql sqlite django
    flask react vue rust typescript kubernetes docker redis nginx macos ios android gpt claude
    fedora alpine npm pip pytest numpy pandas rails spring linux swift kotlin scala openssl jdk
    cuda pytorch tensorflow perl next.js terraform ansible kafka
    """
)
"""What a version stands behind."""

_PART = "|".join(sorted((*ONES, *TENS, *SCALES), key=len, reverse=True))
_FIRST = (*ONES, *TENS, "a hundred", "a thousand", "a million", "hundred", "thousand")
_WORDS = re.compile(
    rf"(?<![A-Za-z-])(?P<num>(?i:(?:{_PART}|an?(?= (?:hundred|thousand|million)))"
    rf"(?:[ -](?:and )?(?:{_PART})){{0,8}}+))(?![A-Za-z])(?:[ -](?P<unit>{UNIT}))?"
)
_KANJI = re.compile(
    rf"(?<![一-鿿])(?P<num>[一二三四五六七八九十百千][〇一二三四五六七八九十百千万億]{{0,12}}+)"
    rf"(?P<unit>{UNIT})?"
)

_NAMING = _words(
    """
    port line lines row column col page level retries attempt attempts timeout limit max
    maximum min minimum most least to than within under over above below exceed exceeding
    exceeds version id no number code size count depth priority threshold workers threads
    replicas seed index offset rank score rate ratio budget cap exactly batch is was
    """
)
_PREFIXED = ("ポート", "上限", "下限", "最大", "最小", "最低", "第", "番号")
_BOUNDING = re.compile(
    r"[ \w]{0,14}? ?(?:or (?:more|less|fewer)|max(?:imum)?\b|min(?:imum)?\b|at (?:most|least))"
    r"|[一-鿿ぁ-んァ-ヶ]{0,3}?(?:以内|以下|以上|未満|まで|を超え|番|行目)",
    re.I,
)


def numbers(text: str) -> Iterator[Value]:
    """The numbers of a folded text in which other kinds are blanked out."""
    for found in _NUMBER.finditer(text):
        yield from _number(text, found)


def number_words(text: str) -> Iterator[Value]:
    """Numbers written out, in English or Japanese."""
    for found in _written_out(text):
        amount = _english(found["num"].lower())
        if amount is not None:
            yield _written(text, found, str(amount))
    if not text.isascii():
        for found in _KANJI.finditer(text):
            if found["unit"] is None and len(found["num"]) > 1 and "十" not in found["num"]:
                continue  # 一千万円 needs its unit, 一三 is none
            amount = _kanji(found["num"])
            if amount is not None:
                yield _written(text, found, str(amount))


def _written_out(text: str) -> Iterator[re.Match[str]]:
    """English number words, found by their letters: a pattern would try at each character."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = text
    starts = set()
    for word in _FIRST:
        at = lower.find(word)
        while at >= 0:
            if not at or not (lower[at - 1].isalnum() or lower[at - 1] in "-_"):
                starts.add(at)
            at = lower.find(word, at + len(word))
    done = 0
    for at in sorted(starts):
        found = _WORDS.match(text, at) if at >= done else None
        if found is not None:
            done = found.end()
            yield found


def _written(text: str, found: re.Match[str], amount: str) -> Value:
    start, end = found.span()
    kind, norm, needs, gives = _measured("", amount, found["unit"])
    if kind == "number":  # `thirty files`: prose
        kind, needs = "count", ()
    return Value(kind, text[start:end], start, end, norm, needs, gives)


def plain(number: str) -> str:
    """A number's normal form: no separators, no leading and trailing zeros."""
    if number.isdigit() and number[0] != "0" and number.isascii():
        return number
    number = re.sub(r"[,_\s\u00a0\u202f\u2009]", "", number)
    whole, _, part = number.partition(".")
    part = part.rstrip("0")
    whole = whole.lstrip("0") or "0"
    return f"{whole}.{part}" if part else whole


def _number(text: str, found: re.Match[str]) -> Iterator[Value]:
    start, end = found.span()
    written, mult, kanji, unit = found.groups()
    before = text[start - 1 : start] if start else ""
    if before.isascii() and (before.isalnum() or before == "_"):
        return
    if before == "." and mult is None and not (start > 1 and text[start - 2].isalnum()):
        written, start = "0." + written, start - 1  # .5
        before = text[start - 1 : start] if start else ""
    sign = cur = None
    if before and before in "$€£¥₩₹ DRPYBFW":
        money = _CURRENCY.search(text, max(0, start - 5), start)
        if money is not None:
            cur, start = money.group(), money.start()
            before = text[start - 1 : start] if start else ""
    if before == "-" and (start < 2 or text[start - 2] in " \t\n([{=:,<>|~"):
        sign, start = "-", start - 1
    if unit is None and mult is None and kanji is None and cur is None:
        following = text[end : end + 1]
        if following.isascii() and (following.isalpha() or following == "_"):
            yield from _attached(text, start, end)
            return
        product = _product(text, start) if sign is None else ""
        if product and "," not in written:
            gives: tuple[str, ...] = (
                f"v:{written}",
                f"n:{plain(written)}",
                f"i:{product}{written}",
            )
            gives = (*gives, f"i:{product}-{written}", *shorter(written))
            yield Value("version", written, start, end, written, ((f"v:{written}",),), gives)
            return
    kind, norm, needs, gives = _meaning(sign, cur, written, mult, kanji, unit)
    if kind == "count" and _names(text, start, end):
        kind, needs = "number", ((f"n:{norm}",),)
    if "." in written and kind == "number":
        gives = (*gives, f"v:{written}")  # of a version without its name
    if "," in written and kind == "number" and before and before in "[(,":
        gives = (*gives, *(f"n:{plain(part)}" for part in written.split(",")))  # a list, no spaces
    yield Value(kind, text[start:end], start, end, norm, needs, gives)


def _product(text: str, start: int) -> str:
    """The product whose version the number at `start` is; empty for none."""
    if start == 0 or text[start - 1] not in " =<>~":
        return ""
    word = text[max(0, start - 16) : start].rstrip(" =<>~").rpartition(" ")[2].lower()
    return word if word in _PRODUCTS else ""


def shorter(number: str) -> Iterator[str]:
    """`3.11` and `3` of `3.11.2`, as keys."""
    while "." in number:
        number = number.rpartition(".")[0]
        yield f"v:{number}"


Meaning = tuple[str, str, tuple[Need, ...], Need]
"""Kind, norm, needs and gives of a number as it is written."""


@lru_cache(8192)
def _meaning(
    sign: str | None,
    currency: str | None,
    written: str,
    mult: str | None,
    kanji: str | None,
    unit: str | None,
) -> Meaning:
    amount = plain(written)
    if len(amount) <= _DIGITS:
        if mult:
            amount = _times(amount, _BIG[mult.strip()])
        if kanji:
            amount = _myriads(written + kanji)
    if currency and not unit:
        currency = currency.strip()
        unit = SYMBOLS.get(currency, currency)
    return _measured("-" if sign in ("-", "−") else "", amount, unit)


def _attached(text: str, start: int, end: int) -> Iterator[Value]:
    """`3rd`, `10x`, `7zip`: a number with letters behind it that are no unit."""
    tail = re.compile(r"[A-Za-z0-9_]*").match(text, end)
    stop = tail.end() if tail else end
    word = text[start:stop].lstrip("+-")
    start = stop - len(word)
    lower = word.lower()
    number = plain(re.sub(r"[A-Za-z_].*", "", word) or "0")
    if re.fullmatch(r"[0-9,.]+(?:st|nd|rd|th|x|s)", lower):
        small = number.isdigit() and len(number) <= 2 and int(number) <= LARGEST_COUNT
        kind = "count" if small else "number"
        needs: tuple[Need, ...] = () if small else ((f"n:{number}",),)
        gives: Need = (f"n:{number}", f"day:{number}")
        yield Value(kind, text[start:stop], start, stop, number, needs, gives)
        return
    key = f"i:{lower}"
    yield Value("identifier", text[start:stop], start, stop, lower, ((key,),), (key, f"n:{number}"))


def _measured(sign: str, amount: str, unit: str | None) -> Meaning:
    """What an amount with its unit is; without a unit, a number or a count."""
    if unit is None:
        norm = sign + amount
        gives = tuple(dict.fromkeys((f"n:{norm}", f"n:{amount}", f"bare:{amount}")))
        if amount.isdigit() and len(amount) <= 2 and int(amount) <= LARGEST_COUNT and not sign:
            return "count", norm, (), gives
        return "number", norm, ((f"n:{norm}",),), gives
    canon, factor = UNITS[unit]
    scaled = amount
    if factor != "1" and len(amount) <= _DIGITS:
        scaled = _decimal(Decimal(amount) * Decimal(factor))
    norm = f"{sign}{scaled} {canon}"
    kind = "money" if canon in CURRENCIES else "percentage" if canon == "%" else "quantity"
    gives = (f"q:{norm}", f"n:{sign}{amount}", f"n:{amount}")
    needs: tuple[Need, ...] = ((f"q:{norm}",), (f"bare:{amount}", f"unit:{canon}*{factor}"))
    if unit == "m" and not sign:  # metres or minutes
        minutes = _decimal(Decimal(amount) * 60) if len(amount) <= _DIGITS else amount
        gives = (*gives, f"q:{minutes} s")
        needs = (*needs, (f"q:{minutes} s",))
    if unit == "日" and len(amount) <= 2:  # five days, or the fifth
        gives = (*gives, f"day:{amount}")
        needs = (*needs, (f"day:{amount}",))
    return kind, norm, needs, gives


def _names(text: str, start: int, end: int) -> bool:
    """Whether the number at `start` names or bounds something, and counts nothing."""
    before = text[max(0, start - 24) : start].rstrip(" (")
    last = before[-1:]
    if last in _SIGNS and last:
        return True
    if last.isalpha():
        word = before.rsplit(None, 1)[-1].lower()
        if word in _NAMING or word.endswith(_PREFIXED):
            return True
    following = text[end : end + 2].lstrip()
    return (not following or following[0].isalpha()) and _BOUNDING.match(text, end) is not None


_SIGNS = "=:<>≥≤~±×"


def _times(amount: str, zeros: int) -> str:
    return _decimal(Decimal(amount) * (Decimal(10) ** zeros))


def _decimal(amount: Decimal) -> str:
    return plain(format(amount, "f"))


_MYRIAD = re.compile(r"([0-9,.]+)(兆|億|万|千)?")
_ZEROS = {"兆": 12, "億": 8, "万": 4, "千": 3, None: 0}


def _myriads(written: str) -> str:
    total = Decimal(0)
    for number, scale in _MYRIAD.findall(written):
        try:
            total += Decimal(plain(number)) * Decimal(10) ** _ZEROS[scale or None]
        except InvalidOperation:  # 1.2.3万 is no number
            return written
    return _decimal(total)


def _english(words: str) -> int | None:
    total = part = 0
    for word in words.replace("-", " ").split():
        if word in ONES:
            part += ONES[word]
        elif word in TENS:
            part += TENS[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in SCALES:
            total += (part or 1) * SCALES[word]
            part = 0
        elif word in ("a", "an"):
            part = 1
    return total + part


def _kanji(digits: str) -> int | None:
    total = section = ones = 0
    for sign in digits:
        if sign in KANJI_ONES:
            ones = ones * 10 + KANJI_ONES[sign]
        elif sign in KANJI_TENS:
            section += (ones or 1) * KANJI_TENS[sign]
            ones = 0
        else:
            total += ((section + ones) or 1) * (10**4 if sign == "万" else 10**8)
            section = ones = 0
    return total + section + ones
