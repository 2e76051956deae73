"""Our memory tool against the one of the `anthropic` package: the same calls, the same answers."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import memory_calls as calls
from tests.memory_calls import DIFFERENT, SAME, Call
from trimtab.store.memory_folder import FolderFiles
from trimtab.store.memory_tool import MemoryTool
from trimtab.store.open import open_store

# By name, so that the type checker need not read the whole package.
sdk: Any = import_module("anthropic.lib.tools._beta_builtin_memory_tool")
ToolError: Any = import_module("anthropic.lib.tools").ToolError

Answer = tuple[str, bool]
Ask = Callable[[Mapping[str, object]], Answer]


@pytest.fixture(autouse=True)
def no_power_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing here cuts the power: waiting for the disk would only make the tests slow."""
    monkeypatch.setattr(os, "fsync", lambda file: None)


def sdk_on(folder: Path) -> Ask:
    """The SDK's tool, its answers as its runner would give them to the model."""
    tool: Any = sdk.BetaLocalFilesystemMemoryTool(str(folder))

    def ask(given: Mapping[str, object]) -> Answer:
        try:
            return str(tool.call(given)), False
        except ToolError as error:
            return str(error), True
        except (AttributeError, NotImplementedError, OSError, TypeError, ValueError) as error:
            return f"bare {error!r}", True

    return ask


def ours_on(folder: Path, **options: bool) -> Ask:
    return MemoryTool(FolderFiles(folder / "memories", **options)).answer


def test_the_same_calls_have_the_same_answers(tmp_path: Path) -> None:
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for number, call in enumerate(SAME):
        expected = theirs(call.input)
        assert ours(call.input) == expected, f"call {number}: {call.input}"
        assert expected[1] is call.error, f"call {number}: {call.input} -> {expected}"
        assert not expected[0].startswith("bare "), f"call {number}: {call.input} -> {expected}"
    assert tree(tmp_path / "ours") == tree(tmp_path / "sdk")


def tree(folder: Path) -> dict[str, bytes | None]:
    """Everything below a folder: the bytes of the files, `None` for a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("call", DIFFERENT, ids=lambda call: f"{call.input}"[:80])
def test_where_ours_differs(call: Call, tmp_path: Path) -> None:
    """Each difference is one, has a reason, and is what it says: none is left when the SDK's
    answer becomes ours."""
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for ask in theirs, ours:
        for before in (
            calls.create(calls.N, calls.NOTES),
            calls.create("/memories/empty", ""),
            calls.create("/memories/project/plan.md", "1"),
            calls.create(calls.COMPOSED, "accent"),
        ):
            assert not ask(before)[1]
    answer = ours(call.input)
    assert answer == (call.ours, call.error)
    assert theirs(call.input) != answer
    assert call.reason


def test_a_rename_that_fails_makes_no_folder(tmp_path: Path) -> None:
    """The SDK makes the folders of the new path before it looks for the old one."""
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    given = calls.rename("/memories/none", "/memories/new/place")
    assert ours(given) == theirs(given) == ("The path /memories/none does not exist", True)
    assert tree(tmp_path / "sdk") == {"memories": None, "memories/new": None}
    assert tree(tmp_path / "ours") == {"memories": None}


def test_links_that_stay_inside(tmp_path: Path) -> None:
    """The SDK follows them; here no link is followed, as it may lead elsewhere a moment later."""
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for name, ask in ("sdk", theirs), ("ours", ours):
        ask(calls.create("/memories/real.md", "x"))
        (tmp_path / name / "memories" / "link.md").symlink_to("real.md")
    given = calls.view("/memories/link.md")
    assert theirs(given)[1] is False
    assert ours(given) == ("Path would escape /memories directory via symlink", True)
    assert "/memories/link.md" in theirs(calls.view("/memories"))[0]
    assert "/memories/link.md" not in ours(calls.view("/memories"))[0]


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for name in "sdk", "ours":
        (tmp_path / name / "memories" / "image").write_bytes(b"\x89PNG\xff")
    given = calls.view("/memories/image")
    assert theirs(given)[0].startswith("bare UnicodeDecodeError")
    assert ours(given) == ("Unsupported file type for /memories/image", True)


def test_a_pipe_is_no_file(tmp_path: Path) -> None:
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for name in "sdk", "ours":
        os.mkfifo(tmp_path / name / "memories" / "pipe")
    for asked in (
        calls.view("/memories/pipe"),
        calls.view("/memories"),
        calls.swap("/memories/pipe", "a", "b"),
        calls.insert("/memories/pipe", 0, "b"),
        calls.create("/memories/pipe", "b"),
        calls.delete("/memories/pipe"),
    ):
        assert ours(asked) == theirs(asked), asked


def test_too_many_lines(tmp_path: Path) -> None:
    theirs, ours = sdk_on(tmp_path / "sdk"), ours_on(tmp_path / "ours")
    for name in "sdk", "ours":
        (tmp_path / name / "memories" / "most").write_text("\n" * 999_998)
        (tmp_path / name / "memories" / "more").write_text("\n" * 999_999)
    for asked in calls.view("/memories/more"), calls.view("/memories/most", 999_998, -1):
        assert ours(asked) == theirs(asked), asked
    assert "exceeds maximum line limit" in ours(calls.view("/memories/more"))[0]


def test_clearing(tmp_path: Path) -> None:
    theirs: Any = sdk.BetaLocalFilesystemMemoryTool(str(tmp_path / "sdk"))
    ours = MemoryTool.on_folder(tmp_path / "ours")
    for tool in theirs, ours:
        for path in "/memories/a", "/memories/.b/c", "/memories/d/e/f":
            tool.call(calls.create(path))
    assert ours.clear_all_memory() == theirs.clear_all_memory() == "All memory cleared"
    assert tree(tmp_path / "ours") == tree(tmp_path / "sdk") == {"memories": None}


def test_the_definition_is_the_same(tmp_path: Path) -> None:
    theirs: Any = sdk.BetaLocalFilesystemMemoryTool(str(tmp_path / "sdk"))
    assert MemoryTool.on_folder(tmp_path / "ours").definition() == theirs.to_dict()


def test_each_opens_what_the_other_wrote(tmp_path: Path) -> None:
    theirs, ours = sdk_on(tmp_path), ours_on(tmp_path)
    for number, call in enumerate(SAME):
        (theirs if number % 2 else ours)(call.input)
    for call in SAME:
        if call.input["command"] == "view":
            assert ours(call.input) == theirs(call.input), call.input


# -- a folder without descriptors, and a store, answer as the folder does -------------------------


def test_a_folder_by_its_paths_answers_alike(tmp_path: Path) -> None:
    folder, paths = ours_on(tmp_path / "a"), ours_on(tmp_path / "b", descriptors=False)
    for number, call in enumerate([*SAME, *DIFFERENT]):
        assert paths(call.input) == folder(call.input), f"call {number}: {call.input}"
    assert tree(tmp_path / "a") == tree(tmp_path / "b")


def test_a_store_answers_alike(tmp_path: Path) -> None:
    folder = ours_on(tmp_path / "a")
    with open_store(tmp_path / "store.db") as store:
        stored = MemoryTool.in_store(store).answer
        for number, call in enumerate([*SAME, *DIFFERENT]):
            expected = known_sizes(folder(call.input), call.input)
            assert stored(call.input) == expected, f"call {number}: {call.input}"
        kept = {file.path.rstrip("/"): file for file in store.memory_list()}
    names = {"/" + name: data for name, data in tree(tmp_path / "a").items() if data is not None}
    assert {path for path, file in kept.items() if not file.path.endswith("/")} == set(names)


def known_sizes(answer: Answer, given: Mapping[str, object]) -> Answer:
    """A listing with folders as large as ext4 makes them: the file system of the test may not."""
    text, error = answer
    if error or given["command"] != "view" or not text.startswith("Here're"):
        return answer
    header, own, *lines = text.split("\n")
    lines = [own, *lines]
    sized = [
        f"4K\t{line.partition(chr(9))[2]}" if number == 0 or line.endswith("/") else line
        for number, line in enumerate(lines)
    ]
    return "\n".join([header, *sized]), False


# -- calls in any order ---------------------------------------------------------------------------

START = [
    calls.create("/memories/a", "ab\na\r\né\n"),
    calls.create("/memories/d/b.md", "b"),
    calls.create("/memories/d/日本/é", "日\n\nb\n"),
]
PATHS = st.one_of(
    st.sampled_from(["/memories/a", "/memories/d/b.md", "/memories/d/日本/é", "/memories/new"]),
    st.sampled_from(["/memories", "/memories/d", "/memories/d/日本", "/memories/new/c"]),
    st.lists(st.sampled_from(["a", "d", "é", "日本", ".h", ".", "", ".."]), max_size=4).map(
        lambda names: "/".join(["/memories", *names])
    ),
)
TEXTS = st.text(st.sampled_from("ab\n\r é日"), max_size=8)
OLD_TEXTS = st.sampled_from(["b", "ab", "é", "日", "\n", "a\r\n"])
NUMBERS = st.integers(-1, 4)
CALLS = st.one_of(
    st.builds(calls.view, PATHS),
    st.builds(calls.view, PATHS, NUMBERS, NUMBERS),
    st.builds(calls.create, PATHS, TEXTS),
    st.builds(calls.create, PATHS, TEXTS),
    st.builds(calls.swap, PATHS, OLD_TEXTS, TEXTS),
    st.builds(calls.insert, PATHS, NUMBERS, TEXTS),
    st.builds(calls.delete, PATHS),
    st.builds(calls.rename, PATHS, PATHS),
)


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(script=st.lists(CALLS, min_size=1, max_size=25))
def test_any_calls_have_the_same_answers(
    tmp_path_factory: pytest.TempPathFactory, script: list[dict[str, object]]
) -> None:
    place = tmp_path_factory.mktemp("any")
    theirs, ours = sdk_on(place / "sdk"), ours_on(place / "ours")
    with open_store(":memory:") as store:
        stored = MemoryTool.in_store(store).answer
        for given_ in [*START, *script]:
            if leaves_a_trace_of_failure(place / "sdk", given_):
                continue
            expected = theirs(given_)
            answer = ours(given_)
            if expected[0].startswith("bare "):
                assert answer[1], (given_, expected)
            else:
                assert answer == expected, given_
            assert stored(given_) == known_sizes(answer, given_), given_
    assert tree(place / "ours") == tree(place / "sdk")


def leaves_a_trace_of_failure(folder: Path, given_: Mapping[str, object]) -> bool:
    """A rename that fails after the SDK has made the new path's folders."""
    if given_["command"] != "rename":
        return False
    old, new = (os.path.normpath(f"{folder}{given_[key]}") for key in ("old_path", "new_path"))
    return not os.path.exists(old) or new.startswith(old + "/")
