"""Slimming: each kind of text on short samples, and what holds for any text."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from trimtab.history.placeholders import cleared, slimmed
from trimtab.slimming import Slimmed, slim
from trimtab.slimming.cutting import boundary, cut
from trimtab.slimming.json_values import selected
from trimtab.slimming.outliers import outliers

quick = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


def form(text: str, limit: int = 2_000, fields: tuple[str, ...] = ()) -> Slimmed:
    made = slim(text, limit=limit, fields=fields)
    assert made is not None
    assert len(made.text) < len(text)
    assert len(made.text) <= limit
    return made


# -- kinds ---------------------------------------------------------------------------------------


def test_json_stays_json_and_keeps_the_outliers() -> None:
    items = [{"id": n, "price": 10.5, "state": "ok"} for n in range(300)]
    items[137] = {"id": 137, "price": 10.5, "state": "failed", "error": "no stock"}
    items[200]["price"] = -99.0
    made = form(json.dumps({"items": items, "total": 300}, indent=1))
    body, _, told = made.text.rpartition("\n")
    value = json.loads(body)
    ids = [item["id"] for item in value["items"]]
    assert ids[0] == 0
    assert ids[-1] == 299
    assert {137, 200} <= set(ids)
    assert value["total"] == 300
    assert "of 300 items kept" in told
    assert made.what == "JSON"


def test_json_numbers_stay_as_written() -> None:
    text = '{"a": 1.10, "b": 123456789012345678901234567890, "c": 1E5, "d": "' + "x" * 3_000 + '"}'
    body = form(text).text.rpartition("\n")[0]
    assert '"a": 1.10' in body
    assert '"b": 123456789012345678901234567890' in body
    assert '"c": 1E5' in body


def test_chosen_fields_of_json() -> None:
    rows = [{"id": n, "name": f"n{n}", "note": "long " * 20} for n in range(6)]
    text = json.dumps({"items": rows, "total": 6, "page": 1})
    made = form(text, fields=("items[].id", "total"))
    value = json.loads(made.text.rpartition("\n")[0])
    assert value == {"items": [{"id": n} for n in range(6)], "total": 6}
    assert slim(made.text, fields=("items[].id", "total")) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a.b", {"a": {"b": 1}}),
        ("l[].x", {"l": [{"x": 1}, {}]}),
        ("l[0].x", {"l": [{"x": 1}]}),
        ("none", {}),
        ("a.none", {}),
    ],
)
def test_paths_of_fields(path: str, expected: object) -> None:
    value = {"a": {"b": 1, "c": 2}, "l": [{"x": 1, "y": 2}, {"y": 3}]}
    assert selected(value, [path]) == expected


def test_a_table_keeps_header_nulls_and_extremes() -> None:
    rows = [f"{n},{100 + n % 5},shop{n % 3}" for n in range(400)]
    rows[150] = "150,99999,shop0"
    rows[222] = "222,,shop1"
    made = form("\n".join(["id,amount,shop", *rows]))
    assert made.what == "comma-separated table"
    for line in ("id,amount,shop", "0,100,shop0", "399,104,shop0", rows[150], rows[222]):
        assert line in made.text.split("\n")
    assert "rows ...]" in made.text


def test_a_psql_table_keeps_its_count() -> None:
    rows = [f" {n:4} | name {n} | open" for n in range(200)]
    text = "\n".join(["  id  | name | state", "------+------+-------", *rows, "(200 rows)"])
    made = form(text)
    assert made.text.startswith("  id  | name | state\n------+------+-------\n")
    assert made.text.endswith("(200 rows)")


def test_a_log_keeps_errors_and_tells_the_times() -> None:
    lines = [f"2025-03-01 10:{n // 60:02}:{n % 60:02} INFO request {n} served" for n in range(600)]
    lines[300] = "2025-03-01 10:05:00 ERROR invoice INV-7 cannot be booked"
    lines[400] = "2025-03-01 10:06:40 WARN disk at 91%"
    made = form("\n".join(lines))
    assert made.what == "log"
    assert lines[300] in made.text
    assert lines[400] in made.text
    assert "info lines, 2025-03-01 10:" in made.text


def test_a_page_keeps_title_fields_and_links() -> None:
    noise = "".join(
        f"<p>Filler {n} says nothing that anyone would ever need.</p>" for n in range(80)
    )
    text = (
        "<!DOCTYPE html><html><head><title>Order &amp; pay</title><style>p{}</style></head><body>"
        f"<script>var secret = 1;</script><h1>Basket</h1>{noise}"
        '<form action="/pay" method="post"><label>Card</label><input type="text" name="card" '
        'value="4111"><select name="ship"><option>slow<option selected>fast</select>'
        '<input type="hidden" name="csrf" value="t0k"><button name="go">Pay now</button></form>'
        '<a href="/help">Help</a></body></html>'
    )
    made = form(text)
    assert made.what == "HTML page"
    for part in ("Order & pay", "# Basket", "form: post /pay", "name=card value=4111", "fast",
                 "Pay now", "csrf=t0k", "Help (/help)"):  # fmt: skip
        assert part in made.text
    assert "secret" not in made.text


def test_a_snapshot_keeps_what_can_be_acted_on() -> None:
    lines = ["- Page URL: https://shop.example/pay", "- main:"]
    for n in range(120):
        lines += [f"  - paragraph [ref=p{n}]: words {n}", f"  - generic [ref=g{n}]:"]
    lines += ['  - textbox "Card" [ref=e7]: "4111"', '  - button "Pay" [ref=e8]',
              '  - alert: "Card refused"']  # fmt: skip
    made = form("\n".join(lines * 1))
    assert made.what == "text" or made.what == "page snapshot"
    for line in ("- Page URL: https://shop.example/pay", *lines[-3:]):
        assert line in made.text


def test_a_lock_file_is_only_named() -> None:
    text = "\n".join(
        ["diff --git a/package-lock.json b/package-lock.json", "@@ -1,9 +1,900 @@"]
        + [f"+    dep {n}" for n in range(900)]
        + ["diff --git a/app.py b/app.py", "@@ -1,2 +1,2 @@ def pay():", "-    return 1",
           "+    return 2"]
    )  # fmt: skip
    made = form(text)
    assert "diff --git a/package-lock.json" in made.text
    assert "901 lines of a generated file" in made.text
    assert "+    dep" not in made.text
    assert "-    return 1\n+    return 2" in made.text


def test_progress_and_repeats_become_counts() -> None:
    bars = "\r".join(f"{n}%|####| {n}/100 [00:01<00:02, 3.1it/s]" for n in range(100))
    text = f"start\n{bars}\n" + "Downloading wheel 12 kB\n" * 90 + "same\n" * 500 + "done\n"
    made = form(text)
    assert made.text.startswith("start\n")
    assert made.text.rstrip().endswith("done")
    assert "progress updates" in made.text
    assert "[... 499 more of the line above ...]" in made.text


def test_base64_is_named() -> None:
    import base64

    data = base64.b64encode(bytes(range(256)) * 40).decode()
    made = form(f"picture follows\ndata:image/png;base64,{data}\nend of it")
    assert "picture follows" in made.text
    assert "end of it" in made.text
    assert "base64, " in made.text
    assert data[100:200] not in made.text


def test_source_becomes_an_outline_with_line_numbers() -> None:
    lines = [f"{n:6}\t    x = {n}" for n in range(1, 400)]
    lines[99] = "   100\tdef pay(order: Order) -> None:"
    lines[199] = "   200\t    # TODO: the tax of 2026"
    lines[0] = "     1\timport os"
    lines[299] = "   300\tclass Shop:"
    lines[349] = "   350\tdef close(shop: Shop) -> None:"
    made = form("\n".join(lines))
    assert made.what == "source code"
    assert lines[99] in made.text
    assert lines[199] in made.text


def test_a_long_error_keeps_head_and_tail() -> None:
    text = "Error: build failed\n" + "".join(f"step {n} says a lot\n" for n in range(900))
    made = form(text + "exit code 3")
    assert made.text.startswith("Error: build failed\n")
    assert made.text.endswith("exit code 3")


def test_an_alarm_in_the_middle_stays() -> None:
    lines = [f"line {n} of quiet words" for n in range(900)]
    lines[450] = "cannot open /etc/shop.conf: Permission denied"
    assert lines[450] in form("\n".join(lines)).text


def test_outliers_by_kind() -> None:
    rows = [{"a": str(n * 7 % 50), "b": "ok"} for n in range(100)]
    rows[40] = {"a": "-5", "b": "ok"}
    rows[41] = {"a": "3", "b": "timeout"}
    rows[42] = {"a": "", "b": "ok"}
    rows[43] = {"a": "3"}
    found = outliers(rows)
    assert found[40] == "lowest"
    assert found[41] in ("rare", "failing")
    assert found[42] == "empty"
    assert found[43] == "shape"


# -- what holds for any text ---------------------------------------------------------------------

TOKENS = st.sampled_from(
    ["ok", "FAILED a::b", "E   x", "\n", "\n\n", "\r\n", "\r", "\x1b[31m", "\x1b[0m", "\x1b]", "\0",
     "{", "}", "[", "]", '"', ",", ":", "|", "---", "@@ -1 +1 @@", "diff --git a/x b/x", "<p>",
     "</", "<form>", "a.py:3: error: bad", "Traceback (most recent call last):",
     '  File "a", line 1',
     "👨‍👩‍👧", "e\u0301", "\ud83d", "\ude00", "🇯🇵", "エラー", " ", "    at f (a.js:1:2)", "12%|##",
     "x" * 90,
     "2025-01-01 10:00:00 ERROR ", "commit " + "a" * 40, "| a | b |", "├── x", "[... 3 lines ...]",
     "- button \"x\" [ref=e1]", "=== 1 passed in 1s ===", "\u200d", "\x08", "del/x.py", "1;2"]
)  # fmt: skip
TEXTS = st.one_of(
    st.lists(TOKENS, min_size=1, max_size=120).map("".join),
    st.lists(TOKENS, min_size=1, max_size=60).map("\n".join),
    st.tuples(st.lists(TOKENS, min_size=1, max_size=6), st.integers(1, 200)).map(
        lambda parts: ("".join(parts[0]) + "\n") * parts[1]
    ),
    st.text(max_size=1_500),
)


@quick
@given(TEXTS, st.integers(200, 900))
def test_a_form_is_shorter_within_the_limit_and_final(text: str, limit: int) -> None:
    made = slim(text, limit=limit)
    if len(text) <= limit:
        assert made is None
        return
    assert made is not None
    assert len(made.text) < len(text)
    assert len(made.text) <= limit
    assert slim(made.text, limit=limit) is None
    assert slim(text, limit=limit) == made
    assert "\x1b" not in made.text
    assert made.dropped_lines >= 0
    assert len(made.what) < 60
    assert "\n" not in made.what


@quick
@given(TEXTS, st.integers(200, 900))
def test_what_is_slimmed_or_a_placeholder_is_left_alone(text: str, limit: int) -> None:
    block = "blk_" + "0" * 12
    assert slim(slimmed(text * 3, "text", "9 tokens", block), limit=limit) is None
    assert slim(cleared("read", "9 tokens", block), limit=limit) is None


@quick
@given(
    st.recursive(
        st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=80)),
        lambda inner: st.one_of(
            st.lists(inner, max_size=30), st.dictionaries(st.text(max_size=8), inner, max_size=20)
        ),
        max_leaves=120,
    ).filter(lambda value: isinstance(value, (dict, list))),
    st.booleans(),
)
def test_json_in_json_out(value: object, pretty: bool) -> None:
    text = json.dumps(value, indent=4 if pretty else None)
    made = slim(text, limit=400)
    if made is None or made.what != "JSON":
        return
    body, _, told = made.text.rpartition("\n[... ")  # names in the note may hold line breaks
    assert told.endswith(" ...]")
    assert type(json.loads(body)) is type(value)


@quick
@given(st.lists(TOKENS, max_size=60).map("".join), st.integers(0, 400))
def test_a_cut_splits_no_character(text: str, at: int) -> None:
    place = boundary(text, at)
    assert 0 <= place <= len(text)
    if 0 < place < len(text):
        left, right = text[place - 1], text[place]
        assert not ("\ud800" <= left <= "\udbff" and "\udc00" <= right <= "\udfff")
        assert not unicodedata.category(right).startswith("M")
        assert "\u200d" not in (left, right)
        assert (left, right) != ("\r", "\n")


@quick
@given(st.text(max_size=900), st.integers(120, 300))
def test_a_cut_is_within_its_length(text: str, most: int) -> None:
    made = cut(text, most)
    assert len(made) <= max(most, 0) or made == text


HOSTILE = {
    "one line": "x" * 10_000_000,
    "brackets": "[" * 100_000,
    "objects": '{"a":' * 100_000,
    "closed brackets": "[" * 100_000 + "]" * 100_000,
    "broken JSON": '{"a": [1, 2, {"b": ' * 900,
    "NULs": "\0" * 50_000,
    "lone surrogates": "\ud800" * 50_000,
    "escapes": "\x1b[" * 100_000,
    "open tags": "<html>" + "<a " * 50_000,
    "open comments": "<html>" + "<!--" * 50_000,
    "open scripts": "<html>" + "<script>" * 30_000,
    "open quotes": "<html>" + '<a b="' * 50_000,
    "marks": "e" + "\u0301" * 100_000,
    "long digits": "[" + "9" * 50_000 + "]",
    "digits": "9" * 50_000,
    "carriage returns": "a\r" * 100_000,
    "dotted": "a." * 100_000 + "Error",
    "dashes": "-" * 100_000,
    "quotes": '"' * 100_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_is_brought_down(name: str) -> None:
    form(HOSTILE[name])
