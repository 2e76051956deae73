"""The values in a text: what is found, how it is compared, and that no text breaks it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trimtab.summaries.values import KINDS, values


def norms(text: str) -> list[tuple[str, str]]:
    """Kind and norm of each value."""
    return [(value.kind, value.norm) for value in values(text)]


@pytest.mark.parametrize(
    ("kind", "forms"),
    [
        (
            "number",
            ["1,204", "1204", "１２０４", "1_204", "1204.0", "1 204".replace(" ", "\u202f")],
        ),
        ("number", ["50k", "50,000", "50 thousand", "5万"]),
        ("number", ["345000000", "3億4,500万", "345 million"]),
        (
            "quantity",
            ["30 s", "30s", "30 seconds", "30秒", "0.5 min", "30,000 ms", "thirty seconds"],
        ),
        ("quantity", ["90 min", "1.5 hours", "90分", "90-minute"]),
        ("quantity", ["512 MB", "512MB", "512 megabytes"]),
        ("quantity", ["three days", "3 days", "3日間", "三日", "72 h"]),
        (
            "money",
            [
                "$500",
                "500 dollars",
                "500 USD",
                "USD 500",
                "US$500",
                "five hundred dollars",
                "$500.00",
            ],
        ),
        ("money", ["50万円", "500,000円", "¥500000", "５０万円", "JPY 500,000", "五十万円"]),
        ("money", ["€1.2M", "1.2 million euros", "EUR 1,200,000"]),
        ("percentage", ["5%", "5 %", "5 percent", "５％", "5パーセント", "5.0%"]),
        (
            "date",
            [
                "2026-03-05",
                "March 5, 2026",
                "5 Mar 2026",
                "2026年3月5日",
                "令和8年3月5日",
                "2026/3/5",
                "3/5/2026",
                "5th of March 2026",
            ],
        ),
        ("date", ["March 5", "3月5日", "3/5", "5 March", "--03-05"]),
        ("time", ["15:00", "3 pm", "3:00 PM", "午後3時", "15時"]),
        ("version", ["v1.2.3", "1.2.3", "version 1.2.3"]),
        ("path", ["src/app.py", "./src/app.py"]),
        ("path", ["C:\\temp\\a.txt", "c:/temp/a.txt", "C:\\\\temp\\\\a.txt"]),
        ("url", ["https://Example.com/a", "https://example.com/a/", "https://example.com/a."]),
        ("email", ["ann@example.com", "Ann@Example.com"]),
        ("identifier", ["PR-123", "PR #123", "#123", "pull request 123"]),
        ("error", ["HTTP 404", "status code 404", "404 Not Found"]),
        ("error", ["exit code 1", "exited with code 1", '"exit_code": 1', "終了コード1"]),
    ],
)
def test_one_value_in_its_forms(kind: str, forms: list[str]) -> None:
    found = {
        form: [v.norm for v in values(f"It is {form} here") if v.kind == kind] for form in forms
    }
    first = found[forms[0]]
    assert len(first) == 1
    assert all(norm == first for norm in found.values()), found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("30 s", "30 min"),
        ("350 ms", "350 s"),
        ("$500", "€500"),
        ("5万円", "5億円"),
        ("5%", "5 pp"),
        ("1.5", "15"),
        ("1,204", "1,240"),
        ("3.1", "3.10.1"),
        ("-5 °C", "5 °C"),
        ("2026-03-05", "2026-05-03"),
        ("午前3時", "午後3時"),
        ("v1.2.3", "v1.2.30"),
        ("a/b.py", "a/c.py"),
        ("PR-12", "PR-21"),
        ("HTTP 404", "HTTP 403"),
        ("exit code 1", "exit code 2"),
        ("512 MB", "512 GB"),
        ("12 GiB", "12 GB"),
    ],
)
def test_two_values(one: str, other: str) -> None:
    assert norms(f"It is {one} here") != norms(f"It is {other} here")


@pytest.mark.parametrize(
    "text",
    [
        "1. First\n2) Second\n(3) Third",
        "Step 2 comes after step 1, see section 3.1 and message 40.",
        "第3章、ステップ2を見る。",
        "## 4.2 Results",
        "and/or, input/output, km/h, read and write",
        "It works. E.g. this one, i.e. that.",
        "On Monday, in March, he may go.",
    ],
)
def test_numbering_and_prose_hold_no_value(text: str) -> None:
    assert [v for v in values(text) if v.kind not in ("count", "negation")] == []


@pytest.mark.parametrize(
    "text", ["fixed 3 tests", "three files", "twelve of them", "5件", "the 3rd run"]
)
def test_what_a_writer_may_have_counted(text: str) -> None:
    assert [value.kind for value in values(text)] == ["count"]


@pytest.mark.parametrize(
    "text", ["port 8", "at most 5", "line 12", "retries = 3", "5 or more", "5回以内", "limit: 10"]
)
def test_what_names_or_bounds_is_no_count(text: str) -> None:
    assert "number" in [value.kind for value in values(text)]


@pytest.mark.parametrize(
    ("text", "kind", "shown"),
    [
        ("see (src/app.py).", "path", "src/app.py"),
        ("open ~/notes/a.md, then", "path", "~/notes/a.md"),
        ("in src/trimtab/ only", "path", "src/trimtab/"),
        (
            "id 550e8400-e29b-41d4-a716-446655440000!",
            "identifier",
            "550e8400-e29b-41d4-a716-446655440000",
        ),
        ("commit 9f3c2ab41 of", "hash", "9f3c2ab41"),
        ("block blk_0123456789ab", "identifier", "blk_0123456789ab"),
        ("gives ENOENT at", "error", "ENOENT"),
        ("SQLSTATE 23505 came", "error", "SQLSTATE 23505"),
        ("host 192.168.0.1:8080 is", "identifier", "192.168.0.1:8080"),
        ('he said "do it now" twice', "quote", '"do it now"'),
        ("これは「未承認」です", "quote", "「未承認」"),
        ("名前はtest_case_7です", "identifier", "test_case_7"),
        ("https://example.com/a?b=1)を見る", "url", "https://example.com/a?b=1"),
        ("Do not push", "negation", "Do not"),
        ("変更しないこと", "negation", "しないこと"),
    ],
)
def test_what_is_found(text: str, kind: str, shown: str) -> None:
    assert shown in [value.text for value in values(text) if value.kind == kind]


def test_a_longer_value_gives_the_shorter_ones() -> None:
    (value,) = [v for v in values("1,204 s") if v.kind == "quantity"]
    assert "n:1204" in value.gives
    (path,) = values("src/queue/worker.py")
    assert "p:worker.py" in path.gives
    stamp = values("2026-03-05T10:30:00Z")
    assert [v.norm for v in stamp] == ["2026-03-05", "10:30:00"]


PIECES = (
    *"""
    1,204 12 0.5 -3 50k $500 50万円 500,000円 5% ５％ 30 s ms 2026-03-05 3/5 10:30 pm v1.2.3 a/b.py
    /etc/hosts C:\\a\\b https://e.com/a a@b.com PR-12 #7 x_1 deadbeef1 0x1f ENOENT HTTP 404
    exit code 1 "a b" `c` 「変更」 三日 five hundred dollars 令和8年3月5日
    not never only at most 以内 . 。 , ( ) - /
    : ; ' " ` 万 億 年 月 日 é ﷽
    """.split(),  # noqa: SIM905
    "\n",
    "\ud800",
    "\u202e",
)
texts = st.one_of(st.text(), st.lists(st.sampled_from([*PIECES, " "])).map("".join))
spaced = st.lists(st.sampled_from(PIECES)).map(" ".join)


@given(st.one_of(texts, spaced))
def test_a_value_is_a_piece_of_its_text(text: str) -> None:
    last = 0
    for value in values(text):
        assert text[value.start : value.end] == value.text != ""
        assert value.start >= last
        assert value.kind in KINDS
        last = value.start


@given(spaced)
def test_a_norm_is_its_own_norm(text: str) -> None:
    again = ("number", "quantity", "money", "percentage", "date", "error", "email", "hash", "path")
    for value in values(text):
        if value.kind in again:
            assert (value.kind, value.norm) in norms(f"is = {value.norm} ,"), value


@given(spaced)
def test_other_values_are_apart(text: str) -> None:
    plain = [v for v in values(text) if v.kind not in ("quote", "negation")]
    for one, other in pairwise(plain):
        assert one.end <= other.start


HOSTILE = (
    "9" * 100_000,
    "9," * 50_000,
    "1." * 50_000,
    "1:" * 50_000,
    "1/" * 50_000,
    "a-" * 50_000,
    "a_" * 50_000,
    "/a" * 50_000,
    "a." * 50_000,
    "'a " * 40_000,
    '"' * 100_000,
    "`a" * 50_000,
    "a@" * 50_000,
    "\\a" * 50_000,
    "C:\\" * 30_000,
    "https://" * 15_000,
    "one " * 30_000,
    "hundred " * 15_000,
    "万1" * 50_000,
    "一" * 100_000,
    "「" * 100_000,
    "2026-" * 30_000,
    "not " * 30_000,
    "exit " * 30_000,
    "- " * 50_000 + "1.",
    "\n" * 100_000,
    " " * 100_000,
    "\u202e1" * 50_000,
    "\ud8001" * 50_000,
    "v1." * 40_000,
    "#1" * 50_000,
    "Mar " * 30_000,
)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: repr(text[:6]))
def test_work_grows_with_the_text(text: str) -> None:
    """With steps that grow with the square of the length it would not end here within minutes."""
    assert all(text[value.start : value.end] == value.text for value in values(text))
