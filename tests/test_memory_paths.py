"""No path of the model's leads out of the memory: not by its letters, by links, or by a race."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.memory_calls import create, delete, insert, rename, swap, view
from trimtab.store.memory_dirs import DESCRIPTORS
from trimtab.store.memory_errors import MemoryToolError, shown, well_formed
from trimtab.store.memory_folder import FolderFiles
from trimtab.store.memory_paths import (
    DEEPEST,
    LONGEST_NAME,
    LONGEST_PATH,
    is_name,
    names_of,
    path_of,
)
from trimtab.store.memory_tool import MemoryTool
from trimtab.store.open import open_store

SECRET = "the secret of the neighbour"

REFUSED = [
    # up and out
    "/memories/..",
    "/memories/../",
    "/memories/../secret",
    "/memories/../memories-old/secret",
    "/memories/../memories/inside.md",
    "/memories/./../secret",
    "/memories//../secret",
    "/memories/a/../../secret",
    "/memories/a/b/../../../secret",
    "/memories/inside.md/../../secret",
    "/memories/none/../../secret",
    "/memories/../../../../../../../../etc/passwd",
    "/memories/.././../secret",
    "/memories/..//secret",
    "/memories/" + "../" * 100 + "etc/passwd",
    # a neighbour with the same beginning
    "/memories-old/secret",
    "/memoriesX",
    "/memoriesX/inside.md",
    "/memories.bak/secret",
    "/memories..",
    "/memories../secret",
    "/memories /secret",
    "/memories\0/secret",
    "/memories~",
    # elsewhere altogether
    "",
    "/",
    ".",
    "..",
    "../secret",
    "secret",
    "memories/inside.md",
    "./memories/inside.md",
    "/etc/passwd",
    "//memories/inside.md",
    "///memories/inside.md",
    "~/memories",
    "~root/.ssh/id_rsa",
    "$HOME/memories",
    "file:///etc/passwd",
    "file:///memories/inside.md",
    "\t/memories/inside.md",
    " /memories/inside.md",
    # encoded
    "/memories/%2e%2e/secret",
    "/memories/%2E%2E/secret",
    "/memories/.%2e/secret",
    "/memories/%2e./secret",
    "/memories/%2e%2e%2fsecret",
    "/memories/..%2fsecret",
    "/memories/..%5csecret",
    "/memories/%252e%252e/secret",
    "/memories/%25252e%25252e%25252fsecret",
    "/memories/a%2f..%2f..%2fsecret",
    "/memories/%c0%ae%c0%ae/secret",
    "/memories/..%c0%afsecret",
    "/memories/..%c1%9csecret",
    "/memories/%00",
    "/memories/inside.md%00.png",
    "%2fmemories/inside.md",
    "/%6demories/inside.md",
    # NUL and what cannot be seen
    "/memories/\0",
    "/memories/inside.md\0",
    "/memories/../secret\0.md",
    "/memories/a\nb",
    "/memories/a\rb",
    "/memories/\x1b[2J",
    "/memories/\x7f",
    "/memories/a\u2028b",
    "/memories/\u202esecret",
    "/memories/\ud800",
    "/memories/\udcff",
    # backslashes, drives, devices' shares
    "/memories\\..\\secret",
    "/memories/..\\secret",
    "/memories/..\\..\\secret",
    "/memories/a\\b",
    "\\memories\\inside.md",
    "\\\\server\\share\\memories",
    "/memories/\\\\server\\share",
    "C:\\memories\\inside.md",
    "C:/memories/inside.md",
    "/C:/memories/inside.md",
    "/memories/C:",
    "/memories/C:/secret",
    "/memories/c:secret",
    "/memories/\\\\?\\C:\\secret",
    # case
    "/Memories",
    "/MEMORIES/inside.md",
    "/mEmories/../secret",
    # dots and spaces that Windows drops
    "/memories/...",
    "/memories/.../secret",
    "/memories/.. /secret",
    "/memories/. ./secret",
    "/memories/inside.md.",
    "/memories/inside.md ",
    "/memories/ ",
    "/memories/a./../../secret",
    # look-alikes of the root and of the slash after it
    "／memories/inside.md",
    "/memories／..／secret",
    "/memories∕inside.md",
    "/memories⁄inside.md",
    "/ｍemories/inside.md",
    "/mеmories/inside.md",  # a Cyrillic е
    "/memories\u200b/inside.md",
    "/memories\u00ad/inside.md",
    # too long, too deep, not ours to use
    "/memories/" + "n" * 256,
    "/memories/" + "日" * 86,
    "/memories/" + "/".join(["d"] * 33),
    "/memories/" + "/".join(["d" * 60] * 9),
    "/memories/" + "n" * 100_000,
    "/memories/.trimtab-0123456789abcdef.new",
    "/memories/.TRIMTAB-0123456789ABCDEF.NEW",
]

NAMES = [
    "/memories/．．",
    "/memories/．．／secret",
    "/memories/‥",
    "/memories/…",
    "/memories/..∕..∕secret",
    "/memories/..⁄secret",
    "/memories/․․",
    "/memories/..secret",
    "/memories/.hidden",
    "/memories/~",
    "/memories/~root",
    "/memories/$HOME",
    "/memories/`id`",
    "/memories/$(id)",
    "/memories/-rf",
    "/memories/*",
    "/memories/etc/passwd",
    "/memories/memories/..a",
    "/memories/%",
    "/memories/%2",
    "/memories/%41",
    "/memories/%u002e%u002e",
    "/memories/&#46;&#46;",
    "/memories/a/../b",
    "/memories/a/../a/../secret",
    "/memories/" + "n" * 255,
    "/memories/" + "/".join(["d"] * 32),
]


def fingerprint(folder: Path, but: Path | None = None) -> dict[str, str]:
    """What is below a folder, links as links, with a hash of each file's bytes."""
    found = {}
    for above, folders, files in os.walk(folder):
        if but is not None and Path(above) == but:
            folders.clear()
            continue
        for name in [*folders, *files]:
            path = Path(above) / name
            if path.is_symlink():
                found[str(path)] = f"-> {os.readlink(path)}"
            elif path.is_file():
                found[str(path)] = hashlib.sha256(path.read_bytes()).hexdigest()
            elif path != but:
                found[str(path)] = "folder"
    return found


class Place:
    """A memory with neighbours whose secret it must neither tell nor change."""

    def __init__(self, folder: Path, tool: MemoryTool) -> None:
        self.folder = folder
        self.tool = tool
        for name in "secret", "memories-old/secret", "memories.bak/secret", "memoriesX/inside.md":
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(SECRET)
        tool.call(create("/memories/inside.md", "inside"))
        self.outside = fingerprint(folder, folder / "memories")

    def ask(self, given: Mapping[str, object]) -> tuple[str, bool]:
        answer = self.tool.answer(given)
        assert SECRET not in answer.text
        assert str(self.folder) not in answer.text
        answer.text.encode()  # and so it can be sent
        return answer

    def unharmed(self) -> bool:
        return fingerprint(self.folder, self.folder / "memories") == self.outside


@pytest.fixture(params=["folder", "paths", "store"])
def place(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Place]:
    """A memory on a folder, on a folder without descriptors, and in a store."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "place"
    folder.mkdir()
    if request.param == "store":
        with open_store(":memory:") as store:
            yield Place(folder, MemoryTool.in_store(store))
        return
    assert DESCRIPTORS, "this system should have them"
    files = FolderFiles(folder / "memories", descriptors=request.param == "folder")
    yield Place(folder, MemoryTool(files))


def attempts(path: str) -> list[dict[str, object]]:
    """Every way to use a path."""
    return [
        view(path),
        swap(path, "secret", "known"),
        insert(path, 0, "known"),
        create(path, "known"),
        view(path),
        rename("/memories/inside.md", path),
        rename(path, "/memories/taken.md"),
        view("/memories/taken.md"),
        delete(path),
    ]


def test_there_are_enough_of_them() -> None:
    assert len(set(REFUSED)) == len(REFUSED) >= 60
    assert len(set(NAMES)) == len(NAMES)


@pytest.mark.parametrize("path", REFUSED, ids=lambda path: ascii(path[:60]))
def test_a_hostile_path_is_refused(place: Place, path: str) -> None:
    for given_ in attempts(path):
        answer, error = place.ask(given_)
        assert error, (given_, answer)
        assert len(answer) < 2_000
    assert place.unharmed()
    assert place.ask(view("/memories/inside.md"))[0].endswith("1\tinside")
    assert len(place.ask(view("/memories"))[0].split("\n")) == 3  # nothing came to be


@pytest.mark.parametrize("path", NAMES, ids=lambda path: ascii(path[:60]))
def test_a_strange_name_is_a_name_inside(place: Place, path: str) -> None:
    for given_ in attempts(path):
        place.ask(given_)
    assert place.unharmed()
    assert place.ask(create(path, "mine")) == (f"File created successfully at: {path}", False)
    assert place.ask(view(path))[0].endswith("\tmine")
    assert place.unharmed()
    root = place.folder / "memories"
    if root.is_dir():
        mine = [found for found in root.rglob("*") if found.is_file() and not found.is_symlink()]
        assert [found.read_text() for found in mine].count("mine") == 1


def test_a_path_of_letters_from_anywhere_never_leaves(place: Place) -> None:
    """Many paths made of the pieces that hostile ones are made of."""
    pieces = ["..", ".", "", "/", "%2e%2e", "\\", "\0", "secret", "memories", "-old", "C:", "．．"]
    for first in pieces:
        for second in pieces:
            for third in pieces:
                path = f"/memories/{first}/{second}{third}"
                place.ask(create(path, "known"))
                place.ask(view(path))
                place.ask(rename(path, f"/memories/{third}{second}/{first}"))
                place.ask(delete(path))
    assert place.unharmed()


@given(st.text(st.sampled_from("./\\%25eE2fF:\0\n memories．~C-") | st.characters(), max_size=40))
def test_what_names_are_never_leads_out(tail: str) -> None:
    try:
        names = names_of("/memories/" + tail)
    except MemoryToolError as error:
        refusal = str(error)
        names = ()
    else:
        refusal = ""
    refusal.encode()
    assert "\n" not in refusal
    inside = "/".join(["/root", *names])
    assert os.path.normpath(inside) == inside
    for name in names:
        assert name not in ("", ".", "..")
        assert not set(name) & set("/\\\0\n")
        assert unicodedata.is_normalized("NFC", name)
    assert names_of(path_of(names)) == names


@given(st.text())
def test_what_is_shown_stands_on_one_line(text: str) -> None:
    line = shown(text)
    assert line.splitlines() in ([line], [])
    line.encode()
    well_formed(text).encode()


def test_windows_names() -> None:
    for name in (
        "con",
        "NUL",
        "aux.txt",
        "Com1",
        "lpt9.md",
        "COM¹",
        "nul .txt",
        "notes:stream",
        "prn",
    ):
        assert names_of(f"/memories/{name}", windows=False) == (name,)
        with pytest.raises(MemoryToolError, match="would escape"):
            names_of(f"/memories/{name}", windows=True)
    for name in "console", "nulls", "com10", "aux-notes.txt":
        assert names_of(f"/memories/{name}", windows=True) == (name,)


def test_the_bounds_are_where_they_are_said_to_be() -> None:
    assert names_of("/memories/" + "n" * LONGEST_NAME)
    assert len(names_of("/memories" + "/d" * DEEPEST)) == DEEPEST
    longest = "/memories" + ("/" + "n" * 156) * 3
    assert len(longest) == LONGEST_PATH
    assert names_of(longest)
    with pytest.raises(MemoryToolError):
        names_of(longest + "n")
    assert [is_name(name) for name in ("a", "..", "", "a/b", "a\n")] == [True] + [False] * 4


# -- links ----------------------------------------------------------------------------------------


@pytest.fixture(params=["folder", "paths"])
def linked(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Place:
    """A memory in which somebody has left links."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "place"
    folder.mkdir()
    files = FolderFiles(folder / "memories", descriptors=request.param == "folder")
    place = Place(folder, MemoryTool(files))
    root = folder / "memories"
    (root / "d").mkdir()
    for name, target in {
        "file": "../secret",
        "folder": "../memories-old",
        "absolute": str(folder / "secret"),
        "up": "..",
        "self": ".",
        "loop": "loop",
        "dangling": "../nothing",
        "inside": "inside.md",
        "d/deep": "../../secret",
        "d/parent": "../..",
    }.items():
        (root / name).symlink_to(target)
    return place


LINKS = [
    "file", "folder", "folder/secret", "folder/new", "absolute", "up", "up/secret",
    "up/memories/inside.md", "self", "self/inside.md", "loop", "loop/x", "dangling", "dangling/x",
    "inside", "d/deep", "d/parent", "d/parent/secret", "d/parent/memories-old/secret", "folder/a/b",
]  # fmt: skip


@pytest.mark.parametrize("name", LINKS)
def test_a_link_is_never_followed(linked: Place, name: str) -> None:
    before = fingerprint(linked.folder)
    for given_ in attempts(f"/memories/{name}"):
        if given_ != view("/memories/taken.md"):
            answer = linked.ask(given_)
            assert answer == ("Path would escape /memories directory via symlink", True), given_
    assert fingerprint(linked.folder) == before


def test_links_are_not_listed(linked: Place) -> None:
    lines = linked.ask(view("/memories"))[0].split("\n")[2:]
    assert [line.partition("\t")[2] for line in lines] == ["/memories/d/", "/memories/inside.md"]


def test_deleting_a_folder_removes_the_links_in_it_alone(linked: Place) -> None:
    assert linked.ask(delete("/memories/d"))[1] is False
    assert linked.unharmed()
    linked.tool.clear_all_memory()
    assert linked.unharmed()
    assert list((linked.folder / "memories").iterdir()) == []


def test_a_root_that_became_a_link_is_refused(linked: Place) -> None:
    from trimtab.errors import StoreError

    root = linked.folder / "memories"
    root.rename(linked.folder / "moved")
    root.symlink_to("memories-old")
    for given_ in view("/memories"), create("/memories/x", "y"), delete("/memories/secret"):
        with pytest.raises(StoreError, match="symbolic link"):
            linked.tool.call(given_)
    with pytest.raises(StoreError, match="symbolic link"):
        MemoryTool.on_folder(linked.folder)
    assert (linked.folder / "memories-old" / "secret").read_text() == SECRET


def test_a_listing_cannot_be_forged_by_names_that_others_left(linked: Place) -> None:
    root = linked.folder / "memories"
    for name in "a\n4K\tforged", "a\\b", "dot.", "%2e%2e", "\u202ename":
        (root / name).write_text("x")
    with open(os.fsencode(root) + b"/\xff\xfe", "w") as file:
        file.write("x")
    lines = linked.ask(view("/memories"))[0].split("\n")
    assert lines[2:] == [line for line in lines[2:] if line.endswith(("/d/", "/inside.md"))]


def test_a_name_that_others_left_in_another_form_is_found(linked: Place) -> None:
    root = linked.folder / "memories"
    apart = unicodedata.normalize("NFD", "é")
    (root / apart).mkdir()
    (root / apart / f"{apart}.md").write_text("x")
    for form in "NFC", "NFD":
        path = unicodedata.normalize(form, "/memories/é/é.md")
        assert linked.ask(view(path))[0].endswith("\tx")
        assert linked.ask(create(path, "y"))[1] is True
    assert linked.ask(create("/memories/é/other", "y"))[1] is False
    assert len(list(root.glob("?*/other"))) == 1
    assert linked.ask(delete("/memories/é/é.md"))[1] is False


FLIPPER = """
import ctypes, sys, time
exchange = ctypes.CDLL(None, use_errno=True).renameat2
one, other = (name.encode() for name in sys.argv[1:3])
flips, ends = 0, time.monotonic() + float(sys.argv[3])
print("ready", flush=True)
while time.monotonic() < ends:
    assert exchange(-100, one, -100, other, 2) == 0, ctypes.get_errno()
    flips += 1
print(flips)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="two names are exchanged at once on Linux")
def test_a_race_does_not_lead_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder becomes a link and a folder again, as fast as another process can do it, while the
    tool works below it."""
    monkeypatch.setattr(os, "fsync", lambda file: None)
    folder = tmp_path / "place"
    folder.mkdir()
    place = Place(folder, MemoryTool.on_folder(folder))
    flips = folder / "memories" / "flips"
    flips.mkdir()
    (flips / "secret").write_text("inside")
    (folder / "link").symlink_to("../memories-old")
    command = [sys.executable, "-c", FLIPPER, str(flips), str(folder / "link"), "1.0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as flipper:
        assert flipper.stdout is not None
        assert flipper.stdout.readline() == "ready\n"
        outcomes = {True: 0, False: 0}
        number = 0
        while flipper.poll() is None:
            number += 1
            for given_ in (
                view("/memories/flips/secret"),
                create(f"/memories/flips/new{number}", "x"),
                swap("/memories/flips/secret", "secret", "known"),
                rename("/memories/inside.md", "/memories/flips/in/inside.md"),
                rename("/memories/flips/in/inside.md", "/memories/inside.md"),
                delete(f"/memories/flips/new{number}"),
                view("/memories"),
            ):
                outcomes[place.ask(given_)[1]] += 1
        assert int(flipper.stdout.readline()) > 100
    assert min(outcomes.values()) > 10, outcomes
    assert {path.name for path in (folder / "memories-old").iterdir()} == {"secret"}
    assert (folder / "memories-old" / "secret").read_text() == SECRET
