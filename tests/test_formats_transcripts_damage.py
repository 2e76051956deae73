"""Damaged files: what is broken is reported with its line, and the rest is read."""

from __future__ import annotations

import gzip
import io
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.transcripts import GOLDEN, told, written
from trimtab.errors import InputError, TrimtabError, UnknownFormatError, UsageError
from trimtab.formats.recording import read_recording, read_source
from trimtab.formats.source import Source, open_source


def said(uuid: str, parent: str | None, text: str, kind: str = "user") -> dict[str, Any]:
    message: dict[str, Any] = {"role": kind, "content": text}
    if kind == "assistant":
        message = {**message, "id": f"m-{uuid}", "content": [{"type": "text", "text": text}]}
    row = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "s"}
    return {**row, "isSidechain": False, "message": message}


FIRST, SECOND, THIRD = (
    said("a", None, "One."),
    said("b", "a", "Two.", "assistant"),
    said("c", "b", "Three."),
)
ALL = ["user*: One.", "assistant: Two.", "user*: Three."]


def line(row: dict[str, Any]) -> bytes:
    return json.dumps(row).encode()


# -- lines ------------------------------------------------------------------------------------


def test_a_torn_last_line_is_reported_and_the_rest_read(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(FIRST) + b"\n" + line(SECOND) + b"\n" + line(THIRD)[:-20])
    recording = read_recording(path)
    assert told(recording.history) == ALL[:2]
    (problem,) = recording.problems
    assert problem.where == f"{path}:3"
    assert "torn last line" in problem.reason
    assert "skipped" in problem.done


def test_the_record_glued_to_a_torn_line_is_not_lost(tmp_path: Path) -> None:
    torn = line(SECOND)[:60]
    path = written(tmp_path, [FIRST, torn + line(said("b", "a", "Two.", "assistant")), THIRD])
    recording = read_recording(path)
    assert told(recording.history) == ALL
    (problem,) = recording.problems
    assert problem.where == f"{path}:2"
    assert "60 bytes of it lost" in problem.done


def test_two_whole_records_on_one_line_are_both_read(tmp_path: Path) -> None:
    path = written(tmp_path, [line(FIRST) + line(SECOND), THIRD])
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert len(recording.problems) == 1


def test_a_part_of_a_torn_record_is_no_record(tmp_path: Path) -> None:
    """The message inside must not be taken for a line of its own."""
    whole = line(SECOND)
    cut = whole[: whole.rindex(b"}")]  # the outermost brace is missing
    path = written(tmp_path, [FIRST, cut, said("c", "a", "Three.")])
    recording = read_recording(path)
    assert told(recording.history) == ["user*: One.", "user*: Three."]
    assert "skipped it" in recording.problems[0].done


def test_a_last_line_without_newline_counts(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\n".join(map(line, (FIRST, SECOND, THIRD))))
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert recording.problems == ()


@pytest.mark.parametrize("nul", [b"\0" * 4096, b"\0" * 7 + b"\n", b"\n\0\0\n"])
def test_nul_bytes_in_the_middle_cost_nothing_else(tmp_path: Path, nul: bytes) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(line(FIRST) + b"\n" + nul + line(SECOND) + b"\n" + line(THIRD) + b"\n")
    recording = read_recording(path)
    assert told(recording.history) == ALL
    (problem,) = recording.problems
    assert "NUL" in problem.done
    assert problem.where.startswith(f"{path}:")


def test_a_bad_line_does_not_end_the_reading(tmp_path: Path) -> None:
    path = written(tmp_path, [FIRST, b"{broken", SECOND, b"[1, 2]", b"7", THIRD])
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert [p.where for p in recording.problems] == [f"{path}:{n}" for n in (2, 4, 5)]


def test_a_broken_first_line_does_not_hide_the_format(tmp_path: Path) -> None:
    path = written(tmp_path, [b'{"type":"summary","summ', FIRST, SECOND, THIRD])
    recording = read_recording(path)
    assert recording.format == "claude-code"
    assert told(recording.history) == ALL
    assert recording.problems[0].where == f"{path}:1"


def test_a_byte_order_mark_and_carriage_returns(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b"\r\n".join(map(line, (FIRST, SECOND, THIRD))))
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert "byte order mark" in recording.problems[0].reason


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le"])
def test_utf_16(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "s.jsonl"
    path.write_bytes("\n".join(json.dumps(r) for r in (FIRST, SECOND, THIRD)).encode(encoding))
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert "UTF-16" in recording.problems[0].reason


def test_bytes_that_are_no_utf_8_are_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, [line(FIRST).replace(b"One.", b"On\xff."), SECOND, THIRD])
    recording = read_recording(path)
    assert told(recording.history) == ["user*: On\ufffd.", *ALL[1:]]
    assert recording.problems[0].where == f"{path}:1"


def test_a_lone_surrogate_is_replaced_at_the_door(tmp_path: Path) -> None:
    """A provider refuses every request that holds one."""
    bad = said("b", "a", "cut \ud83d here", "assistant")
    path = written(tmp_path, [FIRST, bad, said("c", "b", "whole \U0001f680")])
    recording = read_recording(path)
    assert told(recording.history)[1:] == ["assistant: cut \ufffd here", "user*: whole \U0001f680"]
    assert "surrogate" in recording.problems[0].done
    assert "\ud83d" not in json.dumps([m.raw for m in recording.history], ensure_ascii=False)


def test_a_lone_surrogate_in_a_document_is_replaced_too(tmp_path: Path) -> None:
    value: dict[str, Any] = {"agent": "a", "sessionId": "1", "system_prompt": "x"}
    value["messages"] = [{"role": "user", "content": "cut \udc00"}]
    path = tmp_path / "s.json"
    path.write_text(json.dumps(value))
    recording = read_recording(path)
    assert told(recording.history)[1] == "user*: cut \ufffd"
    assert len(recording.problems) == 1


def test_a_request_keeps_its_surrogates(tmp_path: Path) -> None:
    """It is written back as it was read."""
    path = tmp_path / "r.json"
    path.write_text(json.dumps([{"role": "user", "content": "cut \ud83d"}]))
    assert read_recording(path).history[0].text == "cut \ud83d"


def test_a_line_of_50_megabytes_is_read(tmp_path: Path) -> None:
    big = "x" * 50_000_000
    path = written(tmp_path, [FIRST, said("b", "a", big, "assistant"), THIRD])
    recording = read_recording(path)
    assert recording.problems == ()
    assert len(recording.history) == 3
    assert recording.history[1].text == big


def test_a_torn_line_of_50_megabytes_is_reported(tmp_path: Path) -> None:
    big = line(said("b", "a", '{"type": ' + "x" * 50_000_000, "assistant"))[:-4]
    path = written(tmp_path, [FIRST, big, said("c", "a", "Three.")])
    recording = read_recording(path)
    assert told(recording.history) == ["user*: One.", "user*: Three."]
    (problem,) = recording.problems
    assert problem.where == f"{path}:2"
    assert "50,0" in problem.reason


@pytest.mark.parametrize("depth", [2_000, 200_000])
def test_a_line_nested_too_deep_is_skipped(tmp_path: Path, depth: int) -> None:
    deep = b'{"type":"user","x":' + b"[" * depth + b"]" * depth + b"}"
    recording = read_recording(written(tmp_path, [FIRST, deep, SECOND, THIRD]))
    assert told(recording.history) == ALL


# -- packed -----------------------------------------------------------------------------------


def packed(data: bytes) -> Iterator[tuple[str, bytes]]:
    half = data.index(b"\n") + 1
    yield "gzip", gzip.compress(data)
    yield "gzip in two members", gzip.compress(data[:half]) + gzip.compress(data[half:])
    compress = zstandard.ZstdCompressor().compress
    yield "zstd", compress(data)
    yield "zstd in two frames", compress(data[:half]) + compress(data[half:])
    stream = zstandard.ZstdCompressor().compressobj()
    yield "zstd of unknown size", stream.compress(data) + stream.flush()


PACKED = dict(packed(b"\n".join(map(line, (FIRST, SECOND, THIRD))) + b"\n"))


@pytest.mark.parametrize("kind", PACKED)
def test_packed_files_are_recognised_by_content(tmp_path: Path, kind: str) -> None:
    path = tmp_path / "named-like-nothing"
    path.write_bytes(PACKED[kind])
    recording = read_recording(path)
    assert told(recording.history) == ALL
    assert recording.problems == ()


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_packed_file_cut_short_gives_what_it_can(tmp_path: Path, kind: str) -> None:
    draw = random.Random(7)
    rows = [said(str(n), str(n - 1) if n else None, f"{draw.random()}") for n in range(2_000)]
    data = b"\n".join(map(line, rows))
    whole = gzip.compress(data) if kind == "gzip" else zstandard.compress(data)
    path = tmp_path / "s"
    path.write_bytes(whole[: len(whole) * 3 // 4])
    recording = read_recording(path)
    assert 100 < len(recording.history) < 2_000
    assert f"broken {kind} data (cut short)" in recording.problems[0].reason


def test_packed_rubbish_is_one_clear_line(tmp_path: Path) -> None:
    path = tmp_path / "s.gz"
    path.write_bytes(b"\x1f\x8b rubbish")
    with pytest.raises(InputError, match="broken gzip data"):
        read_recording(path)


# -- what is no session -----------------------------------------------------------------------

NOTHING = {
    "empty": (b"", "empty"),
    "blank": (b" \n\n", "empty"),
    "text": (b"hello there\nand more\n", "not JSON"),
    "binary": (b"\x7fELF\0\0\0\0", "binary"),
    "picture": (b"\x89PNG\r\n\x1a\n\0", "picture"),
    "zip": (b"PK\x03\x04\0\0", "zip"),
    "xz": (b"\xfd7zXZ\0", "xz"),
    "cut off": (b'{"messages": [{"role": "user", "con', "not complete JSON"),
    "a number": (b"17", "JSON int"),
    "an empty object": (b"{}", "an empty JSON object"),
    "an empty list": (b"[]", "JSON []"),
    "another object": (b'{"name": "x", "version": 1}', "keys name, version"),
    "claude.ai export": (b'[{"uuid": "1", "name": "x", "chat_messages": []}]', "chat_messages"),
    "other lines": (b'{"level": 1}\n{"level": 2}\n', "keys level"),
    "no messages": (b'{"messages": []}', "holds no messages"),
    "no rows": (b'{"type":"summary","summary":"x","leafUuid":"y"}\n', "holds no messages"),
}


@pytest.mark.parametrize("what", NOTHING)
def test_what_is_no_session_gets_one_clear_line(tmp_path: Path, what: str) -> None:
    data, reason = NOTHING[what]
    path = tmp_path / "file"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read_recording(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert reason in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_recording(tmp_path / "missing.jsonl")
    with pytest.raises(InputError, match="a directory"):
        read_recording(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        read_recording("a\0b")


def test_a_file_that_may_not_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(InputError, match="permission denied"):
        open_source(tmp_path / "s.jsonl")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stdin:
        buffer = io.BytesIO(PACKED["gzip"])

    monkeypatch.setattr("sys.stdin", Stdin())
    recording = read_recording("-")
    assert recording.path == "-"
    assert told(recording.history) == ALL


def test_a_format_that_is_told(tmp_path: Path) -> None:
    path = written(tmp_path, [FIRST, SECOND])
    assert read_recording(path, format="claude-code").format == "claude-code"
    with pytest.raises(InputError):
        read_recording(path, format="codex")
    with pytest.raises(UsageError, match="no format 'klaud'"):
        read_recording(path, format="klaud")
    path.write_text('{"a": 1}')
    with pytest.raises(UnknownFormatError, match="first a JSON int; that is not swe-agent"):
        read_source(Source("f", b"[1]", 3), format="swe-agent")


# -- whatever happens to a file ---------------------------------------------------------------

JUNK: tuple[Any, ...] = (
    None, 0, -1, 1.5, True, "", [], {}, "x", [None], [1], {"a": 1}, "\ud800",
    {"type": "text"}, [{"type": "tool_result"}], 1e308, 10**30,
)  # fmt: skip


def spots(value: Any, at: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if at:
        yield at
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from spots(value[key], (*at, key))


def spoil(value: Any, draw: random.Random) -> None:
    """Replace or remove one value somewhere inside."""
    *above, key = draw.choice(list(spots(value)))
    for step in above:
        value = value[step]
    if draw.random() < 0.3:
        del value[key]
    else:
        value[key] = draw.choice(JUNK)


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_no_value_in_a_file_leads_to_a_traceback(name: str) -> None:
    draw = random.Random(name)
    text = (GOLDEN / name).read_text()
    lines = name.endswith(".jsonl")
    read = many = 0
    for _ in range(150):
        rows = [json.loads(row) for row in text.splitlines()] if lines else json.loads(text)
        for _ in range(draw.choice((1, 1, 2, 4))):
            spoil(rows, draw)
        data = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
        try:
            recording = read_source(Source("f", data.encode(), 0), whole=draw.random() < 0.5)
            for thread in (recording.history, *recording.threads.values()):
                told(thread)
            read += 1
        except TrimtabError as error:
            many += str(error).count("\n")
    assert read > 50
    assert many == 0


@pytest.mark.parametrize("name", ["claude_code_forks.jsonl", "codex.jsonl", "pi.jsonl"])
def test_a_log_cut_anywhere_still_tells_what_is_before(name: str) -> None:
    data = (GOLDEN / name).read_bytes()
    least = data.index(b"\n", data.index(b'"role"')) + 1
    for cut in range(least, len(data), 41):
        recording = read_source(Source("f", data[:cut], 0))
        assert len(recording.history) > 0
