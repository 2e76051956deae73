"""The memory tool as a program uses it: limits, definitions, its place in a loop, and sessions."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.memory_calls import DIFFERENT, SAME, create, delete, insert, rename, swap, view
from tests.stores import Backend, backend
from trimtab.errors import TrimtabError, UsageError
from trimtab.store.memory_definition import COMMANDS, SCHEMA
from trimtab.store.memory_errors import MemoryToolError
from trimtab.store.memory_folder import FolderFiles
from trimtab.store.memory_stored import StoredFiles
from trimtab.store.memory_text import file_view, replaced
from trimtab.store.memory_tool import MemoryTool
from trimtab.store.open import open_store

__all__ = ["backend"]

N = "/memories/notes.md"


@pytest.fixture(params=["folder", "store"])
def made(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    """A function that makes a tool on the same place with limits of its own."""
    if request.param == "folder":
        yield lambda **limits: MemoryTool.on_folder(tmp_path, **limits)
        return
    with open_store(":memory:") as store:
        yield lambda **limits: MemoryTool.in_store(store, **limits)


# -- limits ---------------------------------------------------------------------------------------


def test_a_file_has_a_limit(made: Any) -> None:
    tool = made(max_file=10)
    tool.call(create(N, "0123456789"))
    for given in (
        create("/memories/more", "0123456789a"),
        create("/memories/more", "é" * 6),  # bytes, not characters
        swap(N, "9", "9a"),
        insert(N, 0, ""),
    ):
        text, error = tool.answer(given)
        assert error
        assert "at most 10 are allowed" in text
    assert tool.call(view(N)).endswith("\t0123456789")
    assert tool.answer(view("/memories/more"))[1]
    tool.call(swap(N, "789", "abc"))
    tool.call(swap(N, "abc", ""))


def test_all_files_have_a_limit(made: Any) -> None:
    tool = made(max_total=20)
    tool.call(create(N, "0123456789"))
    tool.call(create("/memories/d/.hidden", "012345678"))
    for given in (
        create("/memories/more", "ab"),
        create("/memories/new/folder/more", "ab"),
        swap(N, "9", "9ab"),
        insert(N, 0, "a"),
    ):
        text, error = tool.answer(given)
        assert error
        assert "at most 20 are allowed" in text
    assert "/memories/new" not in tool.call(view("/memories"))
    tool.call(create("/memories/more", "a"))
    tool.call(swap(N, "0123456789", "shorter"))  # a full memory can be tidied
    tool.call(delete("/memories/d"))
    tool.call(create("/memories/again", "0123456789"))


def test_files_and_folders_have_a_limit(made: Any) -> None:
    tool = made(max_files=4)
    tool.call(create("/memories/a/b/c.md"))
    for given in create("/memories/d/e"), rename("/memories/a/b/c.md", "/memories/x/y/z"):
        text, error = tool.answer(given)
        assert error
        assert "at most 4 are allowed" in text
    tool.call(create("/memories/d"))
    assert tool.answer(create("/memories/e"))[1]
    tool.call(rename("/memories/d", "/memories/a/d"))
    tool.call(delete("/memories/a/b"))
    tool.call(create("/memories/e"))


def test_what_is_above_a_limit_already_can_be_made_smaller(made: Any) -> None:
    made().call(create(N, "0123456789"))
    tool = made(max_file=4, max_total=100, max_files=1)
    assert tool.answer(swap(N, "9", "99"))[1]
    tool.call(swap(N, "9", ""))
    assert tool.call(view(N)).endswith("\t012345678")


def test_a_file_without_end_is_not_read(made: Any) -> None:
    made().call(create(N, "0123456789"))
    text, error = made(max_file=4, max_total=9).answer(view(N))
    assert (text, error) == (f"The file {N} has more than 9 bytes", True)


@pytest.mark.parametrize("limits", [{"max_file": 0}, {"max_total": -1}, {"max_files": 0}])
def test_limits_that_cannot_be_meant(tmp_path: Path, limits: dict[str, int]) -> None:
    with pytest.raises(UsageError, match="must be 1 or more"):
        MemoryTool.on_folder(tmp_path, **limits)


def test_the_limits_unless_given(made: Any) -> None:
    tool = made()
    tool.call(create(N, "x" * 256 * 1024))
    assert tool.answer(create("/memories/more", "x" * (256 * 1024 + 1)))[1]


# -- what the model sends -------------------------------------------------------------------------


def test_input_as_json_text(made: Any) -> None:
    tool = made()
    assert tool.call(json.dumps(create(N, "é"))) == f"File created successfully at: {N}"
    for text in "", "{", "[]", "3", "null", '"view"', "[" * 100_000, '{"command": "view"':
        answer, error = tool.answer(text)
        assert error
        assert "JSON" in answer


def test_input_that_is_no_object(made: Any) -> None:
    for given in ["view"], None, 3:
        assert made().answer(given) == ("The input of the memory tool must be a JSON object", True)


def test_lone_surrogates_never_come_out(made: Any) -> None:
    tool = made()
    half = "\ud83e"
    given: list[dict[str, object]] = [
        create(N, f"a {half} \ud83e\udded"), view(N), swap(N, f"a {half}", f"b{half}"), view(N),
        swap(N, f"none{half}", "x"), create(f"/memories/{half}", "x"), view(half),
        insert(N, 0, half), {"command": half}, {"command": "view", "path": N, half: half},
    ]  # fmt: skip
    for one in given:
        tool.answer(one).text.encode()
    assert tool.call(view(N)).endswith("     1\t\ufffd\n     2\tb\ufffd 🧭\n     3\t")


def test_every_error_is_one_type(made: Any) -> None:
    tool = made()
    assert issubclass(MemoryToolError, TrimtabError)
    for call in [*SAME, *DIFFERENT]:
        if not call.error:
            tool.call(call.input)
            continue
        with pytest.raises(MemoryToolError) as caught:
            tool.call(call.input)
        assert tool.answer(call.input) == (str(caught.value), True)


def test_occurrences_without_number_are_cut() -> None:
    with pytest.raises(MemoryToolError) as caught:
        replaced(N, "a\n" * 200_000, "a", "b")
    assert str(caught.value).endswith(" 999, 1000, …. Please ensure it is unique")


def test_a_view_of_many_lines_is_quick_enough() -> None:
    assert file_view(N, "x\n" * 500_000, (499_999, -1)).endswith("500000\tx\n500001\t")


# -- what the program sends -----------------------------------------------------------------------


def test_definitions(made: Any) -> None:
    tool = made()
    assert tool.definition() == {"type": "memory_20250818", "name": "memory"}
    chat = tool.openai_definition()
    assert chat["type"] == "function"
    assert chat["function"]["name"] == "memory"
    assert tool.openai_definition(responses=True) == {
        "type": "function", "strict": False, **chat["function"],
    }  # fmt: skip
    json.dumps(chat)
    chat["function"]["parameters"]["properties"].clear()
    assert tool.openai_definition()["function"]["parameters"] == SCHEMA


def test_the_schema_names_what_the_commands_need() -> None:
    assert SCHEMA["properties"]["command"]["enum"] == list(COMMANDS)
    needed = {name for names in COMMANDS.values() for name in names}
    assert set(SCHEMA["properties"]) == needed | {"command", "view_range"}
    for call in SAME:
        assert set(call.input) <= set(SCHEMA["properties"]) | {"more"}


def test_ten_lines_of_an_agent_loop(made: Any) -> None:
    memory = made()
    replies: Iterator[list[dict[str, Any]]] = iter(
        [
            [{"type": "tool_use", "id": "t1", "name": "memory", "input": view("/memories/x")}],
            [{"type": "tool_use", "id": "t2", "name": "memory", "input": create(N, "at most 3")}],
            [{"type": "text", "text": "done"}],
        ]
    )
    messages: list[dict[str, Any]] = []
    while True:
        content = next(replies)
        messages.append({"role": "assistant", "content": content})
        results = []
        for block in content:
            if block["type"] == "tool_use":
                text, is_error = memory.answer(block["input"])
                results.append({"type": "tool_result", "tool_use_id": block["id"],
                                "content": text, "is_error": is_error})  # fmt: skip
        if not results:
            break
        messages.append({"role": "user", "content": results})
    answers = [m["content"][0] for m in messages if m["role"] == "user"]
    assert [answer["is_error"] for answer in answers] == [True, False]
    json.dumps(messages)


# -- in a store: SQLite and PostgreSQL ------------------------------------------------------------


def test_what_one_session_noted_the_next_finds(backend: Backend) -> None:
    note = "予算は三万円まで。Never push to main."
    with backend.open() as store:
        store.create_session("first", dialect="anthropic", model=None)
        MemoryTool.in_store(store).call(create("/memories/limits/money.md", note))
    with backend.open() as store:
        store.create_session("second", dialect="openai", model=None)
        store.delete_session("first")
        store.gc(0)
        tool = MemoryTool.in_store(store)
        assert "/memories/limits/money.md" in tool.call(view("/memories"))
        assert tool.call(view("/memories/limits/money.md")).endswith(f"     1\t{note}")
        assert store.check() == []


def test_what_one_process_noted_the_next_finds(tmp_path: Path) -> None:
    code = """
import sys
from trimtab.store.memory_tool import MemoryTool
from trimtab.store.open import open_store
for tool in MemoryTool.on_folder(sys.argv[1]), MemoryTool.in_store(open_store(sys.argv[2])):
    print(tool.call(sys.argv[3]))
"""
    places = [str(tmp_path / "folder"), str(tmp_path / "store.db")]
    outputs = [
        subprocess.run(
            [sys.executable, "-c", code, *places, json.dumps(given)],
            check=True,
            capture_output=True,
            text=True,
        ).stdout
        for given in (create(N, "at most 3"), view(N))
    ]
    assert outputs[1].count("     1\tat most 3\n") == 2


def test_every_store_answers_as_the_folder_does(backend: Backend, tmp_path: Path) -> None:
    folder = MemoryTool(FolderFiles(tmp_path / "memories"))
    stored = MemoryTool.in_store(backend.open())
    for call in [*SAME, *DIFFERENT]:
        answer, error = stored.answer(call.input)
        expected, failed = folder.answer(call.input)
        assert error is failed, call.input
        assert answer.split("\n")[2:] == expected.split("\n")[2:] or "\t/memories" in answer
        assert answer.split("\n")[0] == expected.split("\n")[0], call.input


def test_two_tools_on_one_store_lose_no_edit(backend: Backend) -> None:
    """Each with a connection of its own, as two processes have them."""
    tools = [MemoryTool.in_store(backend.open()) for _ in range(2)]
    tools[0].call(create(N, "(end)"))
    wrong: list[str] = []

    def run(tool: MemoryTool, name: str) -> None:
        for number in range(25):
            text, error = tool.answer(swap(N, "(end)", f"{name}{number}\n(end)"))
            if error:
                wrong.append(text)

    threads = [
        threading.Thread(target=run, args=(tool, name))
        for tool, name in zip(tools, ("one-", "two-"), strict=True)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    lines = tools[0].call(view(N)).split("\n")
    for name in "one-", "two-":
        mine = [line.split("\t")[-1] for line in lines if f"\t{name}" in line]
        assert mine == [f"{name}{number}" for number in range(25)]


def test_a_file_of_a_store_that_somebody_keeps_changing_is_reported() -> None:
    with open_store(":memory:") as store:
        files = StoredFiles(store)
        tool = MemoryTool(files)
        tool.call(create(N, "one\n"))
        read, number = files.read, iter(range(1_000))

        def meanwhile(names: tuple[str, ...], most: int) -> bytes | None:
            data = read(names, most)
            store.memory_put(N, f"one\n{next(number)}".encode())
            return data

        files.read = meanwhile  # type: ignore[method-assign]
        text, error = tool.answer(insert(N, 0, "ours"))
        assert error
        assert "Somebody else changed" in text
        assert b"ours" not in (store.memory_get(N) or b"")


def test_files_of_a_store_that_are_no_text(made: Any) -> None:
    with open_store(":memory:") as store:
        store.memory_put(N, b"\xff\xfe")
        tool = MemoryTool.in_store(store)
        for given in view(N), swap(N, "a", "b"), insert(N, 0, "x"):
            assert tool.answer(given) == (f"Unsupported file type for {N}", True)
        store.memory_put("/elsewhere", b"kept")
        assert "elsewhere" not in tool.call(view("/memories"))
        tool.clear_all_memory()
        assert [file.path for file in store.memory_list()] == ["/elsewhere"]


def test_a_folder_moves_only_where_its_files_can_be_named(made: Any) -> None:
    tool = made()
    tool.call(create("/memories/a/." + "n" * 200, "x"))
    tool.call(create("/memories/" + "b" * 200 + "/" + "c" * 100 + "/d", "x"))
    text, error = tool.answer(rename("/memories/a", "/memories/" + "b" * 200 + "/" + "c" * 100))
    assert (error, text.endswith("already exists")) == (True, True)
    given = rename("/memories/a", "/memories/" + "b" * 200 + "/" + "c" * 100 + "/e")
    text, error = tool.answer(given)
    assert error
    assert "would be too long" in text
    deep = "/memories/" + "/".join("d" * 31)
    tool.call(create(f"{deep}/f"))
    text, error = tool.answer(rename("/memories/d/d", "/memories/x/y/z"))
    assert error
    assert "would be too long" in text
    tool.call(rename("/memories/d/d", "/memories/x/y"))
