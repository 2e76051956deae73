"""Units of measure and currencies, as they are written and as they are compared."""

from __future__ import annotations

import re
from collections.abc import Iterable

# canonical unit <- how it is written, with how many of the canonical it is
_TIME = {
    "0.000000001": "ns nanosecond nanoseconds ナノ秒",
    "0.000001": "us µs μs microsecond microseconds マイクロ秒",
    "0.001": "ms msec msecs millisecond milliseconds ミリ秒",
    "1": "s sec secs second seconds 秒 秒間",
    "60": "min mins minute minutes 分 分間",
    "3600": "h hr hrs hour hours 時間",
    "86400": "d day days 日 日間",
    "604800": "w wk wks week weeks 週 週間",
}
_MONTHS = {
    "1": "month months か月 ヶ月 カ月 ヵ月 ケ月 か月間 ヶ月間",
    "12": "yr yrs year years 年間",
}
_SIZES = {
    "byte": "B byte bytes バイト",
    "bit": "bit bits ビット",
    "kb": "kB KB Kb kilobyte kilobytes キロバイト",
    "mb": "MB Mb mb megabyte megabytes メガバイト",
    "gb": "GB Gb gb gigabyte gigabytes ギガバイト",
    "tb": "TB Tb tb terabyte terabytes テラバイト",
    "pb": "PB",
    "kib": "KiB kib",
    "mib": "MiB mib",
    "gib": "GiB gib",
    "tib": "TiB tib",
    "kbps": "kbps Kbps",
    "mbps": "Mbps mbps",
    "gbps": "Gbps gbps",
    "mb/s": "MB/s",
    "gb/s": "GB/s",
    "hz": "Hz hz",
    "khz": "kHz KHz",
    "mhz": "MHz",
    "ghz": "GHz",
    "bday": "business-days business-day working-days working-day 営業日",
    "px": "px pixel pixels ピクセル",
    "pt": "pt",
    "rem": "rem",
    "degc": "°C ℃ 度C",
    "degf": "°F ℉",
    "deg": "° degrees",
    "dpi": "dpi",
    "fps": "fps",
    "rpm": "rpm",
    "w": "W watts",
    "kw": "kW",
    "kwh": "kWh",
    "v": "V volts",
    "m": "m metre metres meter meters メートル",
    "mm": "mm millimetres millimeters ミリメートル",
    "cm": "cm centimetres centimeters センチ センチメートル",
    "km": "km kilometres kilometers kilometre kilometer キロメートル",
    "inch": "inch inches インチ",
    "ft": "ft feet foot フィート",
    "mile": "miles mile マイル",
    "mg": "mg",
    "g": "g grams gram グラム",
    "kg": "kg kilos kilograms kilogram キログラム",
    "lb": "lb lbs",
    "/s": "rps qps req/s requests/s requests/sec",
    "pp": "percentage-points percentage-point pp ポイント",
}
_CURRENCIES = {
    "USD": "USD US$ US-dollars US-dollar dollars dollar ドル 米ドル",
    "EUR": "EUR € euros euro ユーロ",
    "GBP": "GBP £ ポンド",
    "JPY": "JPY 円 yen ¥",
    "CNY": "CNY RMB 人民元 元 yuan",
    "KRW": "KRW ₩ ウォン won",
    "INR": "INR ₹ rupees",
    "CHF": "CHF francs",
    "cent": "cents ¢ セント",
}
SYMBOLS = {"US$": "USD", "$": "USD", "€": "EUR", "£": "GBP", "¥": "JPY", "₩": "KRW", "₹": "INR"}
"""What stands before an amount."""

_PERCENT = "% percent per-cent pct パーセント プロセント"

UNITS: dict[str, tuple[str, str]] = {}
"""Unit as written -> canonical unit and factor."""

for _factors, _canon in ((_TIME, "s"), (_MONTHS, "month")):
    for _factor, _names in _factors.items():
        for _name in _names.split():
            UNITS[_name] = (_canon, _factor)
for _table in (_SIZES, _CURRENCIES):
    for _canon, _names in _table.items():
        for _name in _names.split():
            UNITS[_name] = (_canon, "1")
for _name in _PERCENT.split():
    UNITS[_name] = ("%", "1")
for _name in tuple(UNITS):  # `5 Minutes`, `5 MIN`
    if len(_name) > 2 and _name.isascii() and _name.isalpha() and _name.islower():
        UNITS.setdefault(_name.capitalize(), UNITS[_name])
        UNITS.setdefault(_name.upper(), UNITS[_name])
    if "-" in _name:
        UNITS.setdefault(_name.replace("-", " "), UNITS[_name])

CURRENCIES = frozenset(_CURRENCIES)


def alternation(words: Iterable[str]) -> str:
    """A pattern for any of the words, the longest first; ASCII words end at a letter's end."""
    names = sorted(words, key=len, reverse=True)
    plain = [re.escape(name) for name in names if name[-1].isascii() and name[-1].isalnum()]
    other = [re.escape(name) for name in names if not (name[-1].isascii() and name[-1].isalnum())]
    return rf"(?:(?:{'|'.join(plain)})(?![A-Za-z0-9_])|(?:{'|'.join(other)}))"


UNIT = alternation(UNITS)
"""The pattern of a unit behind its number."""

# A unit that stands away from its numbers: in a key, a column's head, a remark.
_LONE = re.compile(
    r"(?:_|[a-z](?=[A-Z])|[(\[/]|単位 ?[:：] ?)(?P<unit>"
    r"milliseconds|millis|msecs|msec|ms|seconds|secs|sec|s|minutes|mins|min|hours|hrs|hour|h"
    r"|days|day|bytes|kb|mb|gb|KB|MB|GB|B|usd|USD|eur|EUR|jpy|JPY|yen|円|秒|分|percent|pct|%|px"
    r"|Ms|Millis|Milliseconds|Seconds|Secs|Sec|Minutes|Hours|Days|Bytes|Usd|Percent|Pct)"
    r"(?![A-Za-z0-9])"
)
_LASTING = ("sleep", "timeout", "delay", "interval", "ttl", "duration", "elapsed", "タイムアウト")
_LASTS = re.compile(r"\b(?:sleep|timeout|delay|interval|ttl|duration|elapsed)\b|タイムアウト")


def lone_units(text: str) -> set[str]:
    """The units (as `unit:…` keys) that the text names without a number: `timeout_ms`, `(%)`."""
    found = set()
    for lone in _LONE.finditer(text):
        name = lone["unit"]
        known = UNITS.get(name) or UNITS.get(name.lower()) or _SPELT.get(name.lower())
        if known is not None:
            found.add(f"unit:{known[0]}*{known[1]}")
    lower = text.lower()
    if any(word in lower for word in _LASTING) and _LASTS.search(lower):
        found |= {"unit:s*1", "unit:s*0.001"}
    return found


_SPELT = {
    "millis": ("s", "0.001"),
    "hrs": ("s", "3600"),
    "usd": ("USD", "1"),
    "eur": ("EUR", "1"),
    "jpy": ("JPY", "1"),
}
