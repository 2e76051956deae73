"""Input that breaks programs: packing that unpacks to gigabytes, pipes, odd line ends, absurd
sizes, histories that make careless code quadratic."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.command import Command, chat, session_with_tools, written
from trimtab.context.budget import Budget, parse_size
from trimtab.errors import BudgetInfeasible, InputError, UnknownFormatError, UsageError
from trimtab.formats import source
from trimtab.formats.folder import sessions_in
from trimtab.formats.recording import read_recording
from trimtab.formats.wire import read_request
from trimtab.history.exchanges import ExchangeIndex
from trimtab.history.log import History
from trimtab.history.message import Message
from trimtab.policies import index_text
from trimtab.policies.clear_thinking import ClearThinking
from trimtab.policies.clear_tool_results import ClearToolResults
from trimtab.policies.registry import fit, parse_policy
from trimtab.tokens import counter_for


@pytest.fixture
def command(tmp_path: Path) -> Command:
    return Command(tmp_path / "home")


def bomb(kind: str, size: int) -> bytes:
    """A session of one message of `size` letters, packed."""
    pieces = (b'[{"role":"user","content":"', *[b"x" * (1 << 16)] * (size >> 16), b'"}]')
    if kind == "gzip":
        return gzip.compress(b"".join(pieces))
    packed = io.BytesIO()
    with zstandard.ZstdCompressor().stream_writer(packed, closefd=False) as into:
        for piece in pieces:
            into.write(piece)
    return packed.getvalue()


@pytest.mark.parametrize("kind", ["gzip", "zstd"])
def test_a_small_file_that_unpacks_to_more_than_the_limit(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bomb"
    path.write_bytes(bomb(kind, 1 << 26))
    assert path.stat().st_size < 1 << 18
    assert len(source.open_source(path).data) > 1 << 26
    unpacked: list[int] = []
    stepwise = source._stepwise

    def measured(*args: Any) -> tuple[bytes, str]:
        found = stepwise(*args)
        unpacked.append(len(found[0]))
        return found

    monkeypatch.setattr(source, "_stepwise", measured)
    with pytest.raises(InputError, match="unpacks to more than 1,048,576 bytes"):
        source.open_source(path, 1 << 20)
    # A look at the beginning, as for each file of a folder, unpacks no more than it needs.
    assert len(source.unpacked_beginning(path.read_bytes(), 1 << 16)) == 1 << 16
    assert len(unpacked) == 2
    assert all(size < 1 << 26 for size in unpacked)


def test_what_is_packed_in_several_frames_is_read_to_the_end(tmp_path: Path) -> None:
    lines = [json.dumps({"role": "user", "content": str(n)}).encode() + b"\n" for n in range(3)]
    path = tmp_path / "frames"
    for pack in (gzip.compress, zstandard.ZstdCompressor().compress):
        path.write_bytes(b"".join(map(pack, lines)))
        assert [m.text for m in read_recording(path).history] == ["0", "1", "2"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_named_pipe_is_read_once_and_not_waited_for_in_a_folder(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="without sessions"):
        sessions_in(tmp_path)
    data = json.dumps(session_with_tools()).encode()
    writer = threading.Thread(target=lambda: pipe.write_bytes(data))
    writer.start()
    assert len(read_recording(pipe).history) == 13
    writer.join()


def test_standard_input_that_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_recording("-")


def test_a_folder_that_holds_itself_and_one_that_may_not_be_read(tmp_path: Path) -> None:
    inside = tmp_path / "a"
    inside.mkdir()
    written(inside, chat(("user", "hi")))
    (inside / "again").symlink_to(tmp_path, target_is_directory=True)
    (inside / "loop.jsonl").symlink_to(inside / "loop.jsonl")
    (inside / "nowhere.jsonl").symlink_to(inside / "missing")
    assert sessions_in(tmp_path) == [inside / "session.json"]
    with pytest.raises(InputError, match=r"loop\.jsonl: cannot be read"):
        read_recording(inside / "loop.jsonl")


def test_carriage_returns_alone_end_lines(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'{"role":"user","content":"a"}\r{"role":"assistant","content":"b"}\r')
    read = read_recording(path)
    assert [m.text for m in read.history] == ["a", "b"]
    assert read.problems == ()


def test_utf_32_keeps_every_character(tmp_path: Path) -> None:
    path = tmp_path / "wide.json"
    path.write_bytes(json.dumps(chat(("user", "🚀変更")), ensure_ascii=False).encode("utf-32"))
    read = read_recording(path)
    assert read.history[0].text == "🚀変更"
    assert "UTF-32" in read.problems[0].reason


@pytest.mark.parametrize("block", [5, None, "x", [], {}])
def test_a_list_content_that_holds_no_block(block: object, tmp_path: Path) -> None:
    path = written(tmp_path, [{"role": "user", "content": [block]}])
    with pytest.raises(InputError, match="is expected here"):
        read_recording(path)


def test_the_message_that_keeps_a_request_from_being_one_is_named(tmp_path: Path) -> None:
    messages: list[Any] = [{"role": "user", "content": "x"}, {"role": "alien", "content": "y"}]
    with pytest.raises(UnknownFormatError, match=r"messages\[1\] has the role 'alien'"):
        read_recording(written(tmp_path, {"messages": messages}))
    with pytest.raises(UnknownFormatError, match=r"messages\[0\] is no message"):
        read_recording(written(tmp_path, {"messages": [7]}))


@pytest.mark.parametrize("text", ["9" * 5_000, "9" * 5_000 + "%", "1." + "9" * 5_000, "1e9%"])
def test_a_size_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(UsageError, match="write a number such as") as refused:
        parse_size(text, whole=100)
    assert len(str(refused.value)) < 200


def test_sizes_in_full_width_characters() -> None:
    assert parse_size("５０％", whole=10) == parse_size("50%", whole=10) == 5


@pytest.mark.parametrize("number", ["²", "9" * 5_000, "-1", "", "1.5"])
def test_a_policy_parameter_that_is_no_whole_number(number: str) -> None:
    for spec in ("prune:N", "truncate:messages", "auto:keep", "offload:keep"):
        if (spec, number) == ("truncate:messages", ""):
            continue  # none
        with pytest.raises(UsageError) as refused:
            parse_policy(f"{spec}={number}")
        assert len(str(refused.value)) < 200
    for trigger in (number or "x", f"tool_uses:{number}", f"input_tokens:{number}"):
        with pytest.raises(UsageError):
            ClearToolResults(trigger=trigger)
    for keep in (number, f"thinking_turns:{number}", "0", 0):
        with pytest.raises(UsageError):
            ClearThinking(keep=keep)


def test_a_parameter_given_twice_is_refused() -> None:
    with pytest.raises(UsageError, match="N is given twice"):
        parse_policy("prune:N=1,N=2")


class _Counting(list[Any]):
    """A list that notes how many of its members are looked at one by one."""

    looked = 0

    def __iter__(self) -> Any:
        _Counting.looked += len(self)
        return super().__iter__()


def test_many_open_calls_are_not_searched_at_each_exchange() -> None:
    """Each exchange tells in a few steps whether it is open, however many others are."""
    index = ExchangeIndex()
    for message in _calls_without_results(3_000):
        index.add(message)
    index._waiting = _Counting(index._waiting)
    _Counting.looked = 0
    assert sum(index[n].open for n in range(len(index))) == 3_000
    assert _Counting.looked == 0


def _calls_without_results(count: int) -> list[Message]:
    calls = [
        {"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        for n in range(count)
    ]
    messages = [{"role": "assistant", "content": None, "tool_calls": [call]} for call in calls]
    return list(read_request({"model": "gpt-4o", "messages": messages}))


def test_open_calls_of_one_id_are_closed_one_by_one() -> None:
    call, result = (
        {"role": "assistant", "tool_calls": [{"id": "c", "function": {"name": "f"}}]},
        {"role": "tool", "tool_call_id": "c", "content": "r"},
    )
    history = read_request([call, call, result, call, result])
    exchanges = history.exchanges
    assert [exchanges[n].open for n in range(len(exchanges))] == [True, False, False]
    history.append(read_request([result])[0])
    assert not any(exchanges[n].open for n in range(len(history.exchanges)))


def test_an_index_of_many_blocks_is_fitted_without_counting_it_for_each() -> None:
    counter = counter_for("gpt-4o")
    lines = [f"blk_{n:012d} - what it holds, number {n}" for n in range(2_000)]

    class Asked:
        unit, name, exact, times = "tokens", "asked", True, 0

        def text(self, text: str) -> int:
            self.times += 1
            return counter.text(text)

    asked: Any = Asked()
    text = index_text.fitted("Index:", lines, "Status: done", asked, 300)
    assert asked.times < 20
    kept = index_text.lines_of(text)
    assert kept == lines[-len(kept) :]
    assert counter.text(text) <= 300
    larger = text.replace(f"{kept[0]}\n", f"{lines[-len(kept) - 1]}\n{kept[0]}\n")
    assert counter.text(larger) > 300


@pytest.mark.parametrize("messages", [[], [("system", "s")], [("assistant", "a")]])
@pytest.mark.parametrize("policy", ["required-first", "truncate:messages=1", "prune", "auto"])
def test_histories_without_a_word_of_the_user(messages: list[tuple[str, str]], policy: str) -> None:
    body = chat(*messages)
    history = read_request(body) if messages else History(dialect="openai")
    plan = fit(history, Budget(1_000), policy)
    assert plan.edits == ()
    assert len(plan.projection.context()) == len(messages)
    if messages:
        with pytest.raises(BudgetInfeasible):
            fit(history, Budget(1), policy)


def test_a_narrow_terminal_still_says_everything(command: Command, tmp_path: Path) -> None:
    path = written(tmp_path, session_with_tools())
    for words in (("inspect", path), ("compact", path, "--budget", "80%", "--explain")):
        shown = command(*words, COLUMNS="20")
        assert shown.exit_code == 0, shown.output
        assert max(map(len, shown.stdout.splitlines())) <= 200


def run_shell(command: str, tmp_path: Path) -> subprocess.CompletedProcess[str]:
    """One shell line; `$T` runs trimtab."""
    environment = {**os.environ, "TRIMTAB_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)}
    environment["T"] = f"{sys.executable} -m trimtab"
    return subprocess.run(
        ["bash", "-c", command], cwd=tmp_path, env=environment, capture_output=True, text=True
    )


@pytest.mark.parametrize(
    ("command", "status", "said"),
    [
        ("cmp <($T compact <(cat s.json) --budget 99k) <($T compact s.json --budget 99k)", 0, ""),
        ("$T validate s.json > /dev/full", 2, "standard output: cannot be written"),
        ("$T validate s.json >&-", 2, "standard output"),
        ("$T inspect - - < s.json", 2, "once only"),
        ("$T inspect ''", 2, "FILE is empty"),
        ("$T inspect $'a\\nb'", 2, "a b"),
    ],
)
def test_odd_places_for_input_and_output_get_one_line(
    tmp_path: Path, command: str, status: int, said: str
) -> None:
    request = [{"role": "user", "content": "Mend it."}, {"role": "assistant", "content": "Done."}]
    (tmp_path / "s.json").write_text(json.dumps(request, indent=2) + "\n", "utf-8")
    done = run_shell(command, tmp_path)
    assert done.returncode == status, done.stderr
    assert said in done.stderr
    assert done.stderr.count("\n") == bool(said)
    assert "Traceback" not in done.stderr
    assert "internal fault" not in done.stderr
