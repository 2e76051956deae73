"""Which observations are stale: never too early, never too late, and for good."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tool_sessions import Call, add, session
from trimtab.history.log import History
from trimtab.history.message import Message, Text, ToolCall, ToolResult
from trimtab.resources import observations, superseded_observations

FILE = "\n".join(f"line {n}" for n in range(40))
PAGE = "### Page state\n- Page URL: https://x.example/{}\n- Page Snapshot:\n" + "- row\n" * 60


def stale(history: History, **options: bool | int) -> dict[tuple[int, int], str]:
    found = superseded_observations(history, **options)  # type: ignore[arg-type]
    return {(each.message, each.block): each.reason for each in found}


def read(name: str = "/a.py", **given: int) -> Call:
    return Call("Read", {"file_path": name, **given}, FILE)


def edit(
    name: str = "/a.py", result: str = "The file has been updated.", error: bool = False
) -> Call:
    return Call("Edit", {"file_path": name, "old_string": "x", "new_string": "y"}, result, error)


def test_the_same_file_by_whatever_tool_is_one_resource() -> None:
    tools = (
        read("/r/a.py"),
        Call("Bash", {"command": "cat /r/a.py"}, FILE),
        Call("str_replace_editor", {"command": "view", "path": "/r//a.py"}, FILE),
        Call("read_file", {"path": "/r/./a.py"}, FILE),
        Call("shell", {"command": ["cat", "a.py"], "workdir": "/r"}, FILE),
    )
    assert stale(session(*tools)) == {
        (2, 0): "/r/a.py was seen again in message 4",
        (4, 0): "/r/a.py was seen again in message 6",
        (6, 0): "/r/a.py was seen again in message 8",
        (8, 0): "/r/a.py was seen again in message 10",
    }


def test_a_change_makes_what_was_read_before_stale_and_says_so() -> None:
    history = session(read(), edit(), read("/b.py"))
    assert stale(history) == {(2, 0): "/a.py was changed by message 3"}
    assert stale(history, changes=False) == {}
    assert list(stale(session(read(), edit(), read()))) == [(2, 0), (4, 0)]
    assert list(stale(session(read(), edit(), read()), changes=False)) == [(2, 0), (4, 0)]


def test_what_failed_or_shows_less_replaces_nothing() -> None:
    cut = FILE + "\n... [1200 lines truncated] ..."
    long = "\n".join(f"{n}→x" for n in range(2_000))
    for later in (
        edit(result="String to replace not found in file.", error=False),
        edit(error=True),
        Call("Read", {"file_path": "/a.py"}, "boom", error=True),
        Call("Read", {"file_path": "/a.py"}, ""),
        Call("Read", {"file_path": "/a.py"}, "[Old tool result content cleared]"),
        Call("Read", {"file_path": "/a.py"}, "File unchanged since last read."),
        Call("Read", {"file_path": "/a.py"}, cut),
        Call("Read", {"file_path": "/a.py"}, long),
        Call("Bash", {"command": "cat /a.py"}, FILE + "\n... [9000 characters truncated] ..."),
        Call("Bash", {"command": "head -5 /a.py"}, FILE),
        Call("Bash", {"command": "sed -i s/x/y/ /a.py"}, "sed: can't read /a.py: No such file"),
        Call("Bash", {"command": "grep x /a.py"}, "1:x"),
        read(offset=2, limit=5),
        read("/A.py"),
        read("/b/a.py"),
    ):
        assert stale(session(read(), later)) == {}, later


def test_ranges_give_way_to_what_covers_them() -> None:
    assert list(stale(session(read(offset=5, limit=5), read()))) == [(2, 0)]
    assert list(stale(session(read(offset=5, limit=5), read(offset=1, limit=20)))) == [(2, 0)]
    assert list(stale(session(read(offset=5, limit=5), read(offset=5, limit=5)))) == [(2, 0)]
    assert stale(session(read(offset=5, limit=5), read(offset=7, limit=5))) == {}
    assert stale(session(read(), read(offset=5, limit=5))) == {}
    window = "[File: /a.py (90 lines total)]\n{}:x\n{}:y\n(3 more lines below)"
    opened = Call("open", {"path": "a.py"}, window.format(1, 50))
    scrolled = Call("scroll_down", {}, window.format(51, 87))
    assert stale(session(opened, scrolled)) == {}
    assert list(stale(session(opened, scrolled, opened))) == [(2, 0)]
    edited = Call("edit", {"search": "x"}, window.format(1, 50))
    assert list(stale(session(opened, scrolled, edited))) == [(2, 0), (4, 0)]


def test_a_page_a_form_and_a_query_give_way_to_the_same_again() -> None:
    first, other = PAGE.format("cart"), PAGE.format("help")
    snapshots = (
        Call("browser_navigate", {"url": "https://x.example/cart"}, first),
        Call("browser_snapshot", {}, other),
        Call("browser_click", {"ref": "e3"}, first.replace("/cart", "/cart#top")),
        Call("browser_type", {"ref": "e3"}, "Typed."),
    )
    assert list(stale(session(*snapshots))) == [(2, 0)]
    forms = (
        Call("get_form", {"form_id": 7}, "Total: 3 " * 40),
        Call("get_form", {"form_id": 8}, "Total: 3 " * 40),
        Call("update_form", {"form_id": 7, "Total": 4}, "saved"),
        Call("get_form", {"form_id": 7}, "Total: 4 " * 40),
    )
    assert list(stale(session(*forms))) == [(2, 0), (6, 0)]
    grep = Call("Grep", {"pattern": "x", "path": "/r", "-n": True}, "a:1:x")
    again = Call("Grep", {"-n": True, "path": "/r/", "pattern": "x", "description": "b"}, "none")
    unlike = Call("Grep", {"pattern": "X", "path": "/r", "-n": True}, "a:1:X")
    assert list(stale(session(grep, unlike, again))) == [(2, 0)]


def test_a_result_that_shows_several_things_is_stale_when_all_of_them_are() -> None:
    both = Call("Bash", {"command": "cat /a.py /b.py"}, FILE)
    assert stale(session(both, read("/a.py"))) == {}
    assert stale(session(both, read("/a.py"), read("/b.py"))) == {
        (2, 0): "/a.py, /b.py was seen again in message 6"
    }
    patch = "*** Begin Patch\n*** Update File: /a.py\n*** Update File: /b.py\n*** End Patch"
    assert list(stale(session(both, Call("apply_patch", patch)))) == [(2, 0)]


def test_a_parallel_group_counts_in_the_order_of_its_calls() -> None:
    assert list(stale(session([read(), read()]))) == [(2, 0)]
    assert list(stale(session([read(), edit()]))) == [(2, 0)]
    assert stale(session([edit(), read()])) == {(2, 0): "/a.py was seen again in message 2"}
    history = History(dialect="openai")
    history.append(Message("user", (Text("go"),)))
    calls = tuple(ToolCall(f"c{n}", "Read", {"file_path": "/a.py"}) for n in range(2))
    history.append(Message("assistant", calls))
    for id in ("c1", "c0"):  # answered in the other order
        history.append(Message("tool", (ToolResult(id, (Text(FILE),)),)))
    assert list(stale(history)) == [(3, 0)]


def test_a_late_answer_is_as_old_as_its_call() -> None:
    history = History(dialect="openai")
    history.append(Message("user", (Text("go"),)))
    history.append(Message("assistant", (ToolCall("late", "Read", {"file_path": "/a.py"}),)))
    history.append(Message("assistant", (ToolCall("next", "Read", {"file_path": "/a.py"}),)))
    history.append(Message("tool", (ToolResult("next", (Text(FILE),)),)))
    assert stale(history) == {}
    history.append(Message("tool", (ToolResult("late", (Text(FILE),)),)))
    assert list(stale(history)) == [(4, 0)]


def test_keep_is_how_many_of_the_newest_stay() -> None:
    reads = session(*[read() for _ in range(5)])
    assert list(stale(reads, keep=2)) == [(2, 0), (4, 0), (6, 0)]
    assert list(stale(session(read(), edit(), edit()), keep=2)) == [(2, 0)]


# -- by rule ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Op:
    """One call in a made-up run: what it does to which file, and whether it worked."""

    kind: str
    file: str
    first: int
    last: int
    works: bool

    def call(self) -> Call:
        if self.kind == "edit":
            return edit(self.file, error=not self.works)
        given: dict[str, object] = {"file_path": self.file}
        if self.kind == "range":
            given |= {"offset": self.first, "limit": self.last - self.first + 1}
        if self.kind == "cat":
            result = FILE if self.works else f"cat: {self.file}: No such file or directory"
            return Call("Bash", {"command": f"cat {self.file}"}, result)
        return Call("Read", given, FILE if self.works else "no", error=not self.works)

    def makes_stale(self, older: Op) -> bool:
        """What a reader of the rules would say, in other words than the code's."""
        if not (self.works and older.works and self.file == older.file):
            return False
        if self.kind in ("read", "cat"):
            return True
        if self.kind == "edit":
            return True
        lines = set(range(self.first, self.last + 1))
        return older.kind == "range" and set(range(older.first, older.last + 1)) <= lines


ops = st.builds(
    lambda kind, file, first, length, works: Op(kind, file, first, first + length, works),
    st.sampled_from(["read", "range", "range", "edit", "cat"]),
    st.sampled_from(["/a", "/b"]),
    st.integers(1, 6),
    st.integers(0, 6),
    st.sampled_from([True, True, True, False]),
)
groups = st.lists(st.lists(ops, min_size=1, max_size=3), max_size=12)


@settings(max_examples=150, deadline=None)
@given(groups, st.integers(1, 3), st.sampled_from(["anthropic", "openai"]))
def test_stale_is_what_was_seen_again_or_changed_and_nothing_else(
    turns: list[list[Op]], keep: int, dialect: str
) -> None:
    history = session(*[[op.call() for op in turn] for turn in turns], dialect=dialect)
    flat = [op for turn in turns for op in turn]
    places = [
        (number, at)
        for number, message in enumerate(history)
        for at, block in enumerate(message.blocks)
        if isinstance(block, ToolResult)
    ]
    expected = {
        places[n]
        for n, op in enumerate(flat)
        if op.works and sum(later.makes_stale(op) for later in flat[n + 1 :]) >= keep
    }
    assert set(stale(history, keep=keep)) == expected


@settings(max_examples=60, deadline=None)
@given(groups)
def test_message_by_message_gives_what_the_whole_gives_and_only_grows(
    turns: list[list[Op]],
) -> None:
    whole = session()
    growing = History(list(whole)[:1], dialect="anthropic")
    before: list[object] = []
    for n, turn in enumerate(turns):
        add(growing, [op.call() for op in turn], f"c{n}")
        now = [(s.message, s.block, s.reason) for s in superseded_observations(growing)]
        assert now[: len(before)] == before
        before = list(now)
    at_once = session(*[[op.call() for op in turn] for turn in turns])
    assert stale(at_once) == stale(growing)
    assert list(observations(at_once)) == list(observations(growing))


def test_each_call_is_read_once() -> None:
    history = session(*[read(f"/f{n}") for n in range(30)])
    first = observations(history)
    count = len(first)
    add(history, [read("/f3")], "more")
    assert observations(history) is first
    assert len(first) == count + 1
    assert list(stale(history)) == [(8, 0)]
