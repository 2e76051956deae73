"""The words of numbers, in English and Japanese, with what each stands for."""

from __future__ import annotations

ONES = {
    word: number
    for number, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
        ]
    )
}
TENS = {
    word: 10 * number
    for number, word in enumerate(
        ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], 2
    )
}
SCALES = {"hundred": 100, "thousand": 1_000, "million": 10**6, "billion": 10**9}
KANJI_ONES = {sign: number for number, sign in enumerate("〇一二三四五六七八九")}
KANJI_TENS = {"十": 10, "百": 100, "千": 1_000}
