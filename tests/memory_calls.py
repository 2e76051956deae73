"""A long conversation with a memory tool, and where ours answers it in another way than the SDK's.

Every call is made in turn, so that each finds what those before it left.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

Input = Mapping[str, object]


@dataclass(frozen=True, slots=True)
class Call:
    """One call; with `ours`, our answer where it is not the SDK's, and why it is not.

    Args:
        input: the tool call's input.
        error: our answer is an error.
        ours: our answer, or `None` where it is the SDK's.
        reason: why it differs.
    """

    input: Input
    error: bool = False
    ours: str | None = None
    reason: str = field(default="", repr=False)


def view(path: object, *window: object) -> dict[str, object]:
    given: dict[str, object] = {"view_range": list(window)} if window else {}
    return {"command": "view", "path": path, **given}


def create(path: object, text: object = "x") -> dict[str, object]:
    return {"command": "create", "path": path, "file_text": text}


def swap(path: object, old: object, new: object) -> dict[str, object]:
    return {"command": "str_replace", "path": path, "old_str": old, "new_str": new}


def insert(path: object, line: object, text: object) -> dict[str, object]:
    return {"command": "insert", "path": path, "insert_line": line, "insert_text": text}


def delete(path: object) -> dict[str, object]:
    return {"command": "delete", "path": path}


def rename(old: object, new: object) -> dict[str, object]:
    return {"command": "rename", "old_path": old, "new_path": new}


def ok(*inputs: Input) -> list[Call]:
    return [Call(given) for given in inputs]


def bad(*inputs: Input) -> list[Call]:
    return [Call(given, error=True) for given in inputs]


NOTES = "# Notes\n\nlimit: 3\nlimit: 4\nowner: Ada\nlast line"
N = "/memories/notes.md"
COMPOSED = unicodedata.normalize("NFC", "/memories/café.md")
DECOMPOSED = unicodedata.normalize("NFD", COMPOSED)

SAME: list[Call] = [
    # an empty memory
    *ok(view("/memories"), view("/memories/")),
    *bad(
        view("/memories/none"),
        view("/memories/none/deeper.md"),
        swap("/memories/none", "a", "b"),
        insert("/memories/none", 0, "a"),
        delete("/memories/none"),
        rename("/memories/none", "/memories/other"),
    ),
    # create, and view with every kind of range
    *ok(create(N, NOTES), view("/memories"), view(N)),
    *bad(create(N, "again"), create("/memories", "x"), create("/memories/", "x")),
    *ok(
        view(N, 1, 2), view(N, 3, 3), view(N, 2, -1), view(N, 0, 2), view(N, -5, 2), view(N, 5, 3),
        view(N, 6, 99), view(N, 98, 99), view(N, 1, 0), view(N, 1, -2), view(N, 3, -3),
        view(N, 2), view(N, 1, 2, 3), {**view(N), "view_range": []},
        {**view(N), "view_range": None},
        view("/memories", 1, 2), {**view(N), "more": "ignored"}, view("/memories/notes.md/"),
    ),
    # str_replace
    *ok(swap(N, "Ada", "Grace"), view(N)),
    *bad(swap(N, "Ada", "x"), swap(N, "limit", "x"), swap(N, "", "x"), swap(N, "owner: ada", "x")),
    *ok(
        swap(N, "# Notes", "# Notes\n\n- one\n- two"),
        swap(N, "last line", "the end"),
        swap(N, "limit: 3\nlimit: 4\n", ""),
        swap(N, "\n\n- one", "\n- 1"),
        swap(N, "the end", ""),
        view(N),
    ),
    *bad(swap("/memories", "a", "b"), insert("/memories", 0, "a")),
    # insert
    *ok(insert(N, 0, "first"), insert(N, 2, "third\n\n\n"), view(N)),
    *bad(insert(N, -1, "x"), insert(N, 99, "x")),
    *ok(insert(N, 6, "two\nlines"), insert(N, 1, ""), insert(N, 1, "\n"), view(N)),
    # empty files, and files that are line ends
    *ok(
        create("/memories/empty", ""), view("/memories/empty"), view("/memories/empty", 1, -1),
        swap("/memories/empty", "", "no longer"), view("/memories/empty"),
        create("/memories/void", ""), insert("/memories/void", 0, "a"), view("/memories/void"),
        create("/memories/ends", "\n\n\n"), view("/memories/ends"),
        insert("/memories/ends", 3, "z"), view("/memories/ends"),
        create("/memories/open", "no end"), insert("/memories/open", 1, "more"),
        view("/memories/open"),
    ),
    *bad(insert("/memories/void", 2, "x"), swap("/memories/ends", "\n", "")),
    # CR and other line ends, tabs, NUL, a mark at the start
    *ok(
        create("/memories/crlf", "one\r\ntwo\r\nthree\r\n"), view("/memories/crlf"),
        insert("/memories/crlf", 1, "1.5"), swap("/memories/crlf", "two\r", "2\r"),
        view("/memories/crlf", 2, 3),
        create("/memories/seps", "a\u2028b\x0bc\x0cd\x85e\rf"), view("/memories/seps"),
        create("/memories/odd", "\ufeffmark\tand\0nul\x1b[31m"), view("/memories/odd"),
        swap("/memories/odd", "\0", "\0\0"), view("/memories/odd"),
    ),
    # occurrences that overlap, and that span lines
    *ok(create("/memories/aa", "aaa\naa\nb\n\nb\n")),
    *bad(
        swap("/memories/aa", "aa", "x"), swap("/memories/aa", "b\n", "x"),
        swap("/memories/aa", "\n", "x"), swap("/memories/aa", "a", "x"),
    ),
    # folders
    *ok(
        create("/memories/project/plan.md", "1"), create("/memories/project/api/v1/routes.md", "2"),
        create("/memories/project/api/hidden/.secret", "3"), create("/memories/.hidden/in", "4"),
        create("/memories/project/.dot", "5"),
        view("/memories"), view("/memories/project"), view("/memories/project/"),
        view("/memories/project/api"), view("/memories/project/api/v1"), view("/memories/.hidden"),
        view("/memories/project/.dot"), view("/memories//project/./api"),
        view("/memories/project/../project/api/v1/../v1/routes.md"),
        create("/memories/project/../up.md", "6"), view("/memories/up.md"),
        create("/memories//twice//slashed.md", "7"), view("/memories/twice/slashed.md"),
        create("/memories/last/", "8"), view("/memories/last"),
    ),
    *bad(
        create("/memories/project", "x"), view("/memories/project/plan.md/below"),
        swap("/memories/project", "a", "b"), swap("/memories/project/plan.md/below", "a", "b"),
        insert("/memories/project/plan.md/below", 0, "b"),
        delete("/memories/project/plan.md/below"),
        delete("/memories"), delete("/memories/"), delete("/memories/project/.."),
        rename("/memories", "/memories/x"), rename("/memories/project/..", "/memories/x"),
    ),
    # rename
    *ok(
        rename("/memories/up.md", "/memories/moved/far/up.md"), view("/memories"),
        rename("/memories/project/api", "/memories/api"), view("/memories"),
        rename("/memories/moved/far", "/memories/far"), view("/memories/moved"),
        rename("/memories/moved", "/memories/project/moved"), view("/memories/project"),
    ),
    *bad(
        rename(N, N), rename(N, "/memories/project"), rename("/memories/project", N),
        rename(N, "/memories"), rename("/memories/none", "/memories/new"),
        rename("/memories/none", N), rename("/memories/project", "/memories/project"),
    ),
    # delete
    *ok(
        delete("/memories/api/v1/routes.md"), view("/memories/api"), view("/memories/api/v1"),
        delete("/memories/api"), delete("/memories/.hidden"), delete("/memories/last/"),
        view("/memories"),
    ),
    *bad(delete("/memories/api"), view("/memories/api"), delete("/memories/api/v1/routes.md")),
    # names and texts of every kind
    *ok(
        create("/memories/日本語/メモ.md", "締め切りは三日。\n予算を超えないこと。\n"),
        swap("/memories/日本語/メモ.md", "三日", "四日"),
        insert("/memories/日本語/メモ.md", 1, "追記"),
        view("/memories/日本語/メモ.md"), view("/memories/日本語"),
        create(COMPOSED, "accent"), view(COMPOSED), create("/memories/👩‍💻 plan.md", "🧭"),
        view("/memories/👩‍💻 plan.md"), create("/memories/-rf", "dash"),
        create("/memories/~", "tilde"), create("/memories/$HOME", "dollar"),
        create("/memories/a;b|c&d`e`", "shell"), create("/memories/100%", "percent"),
        create("/memories/50%25", "percent"), create("/memories/．．", "full-width dots"),
        create("/memories/a／b", "full-width slash"), create("/memories/..a", "leading dots"),
        create("/memories/ space", "leading space"), create("/memories/12:30", "colon"),
        create("/memories/memories/memories", "itself"), create("/memories/NOTES.md", "case"),
        create("/memories/" + "n" * 255, "as long as can be"),
        view("/memories"), delete("/memories/．．"),
    ),
    *bad(swap("/memories/日本語/メモ.md", "五日", "六日"), delete("/memories/～")),
    # sizes as they are shown
    *ok(*(
        create(f"/memories/sizes/{size}", "s" * size)
        for size in (1, 1023, 1024, 1025, 1535, 1536, 10_239, 10_240, 100_000)
    )),
    *ok(view("/memories/sizes"), delete("/memories/sizes")),
    # paths that are refused alike
    *bad(
        view("/memories/../secret"), view("/memories/.."), view("/memories/a/../../secret"),
        create("/memories/../../etc/cron.d/x"), delete("/memories/../memories-old"),
        rename(N, "/memories/../x"), rename("/memories/../x", N), swap("/memories/../x", "a", "b"),
        insert("/memories/../x", 0, "a"), view("/etc/passwd"), view("memories/notes.md"),
        view("notes.md"), view(""), view("/"), view("//memories/notes.md"), view("/Memories"),
        view("/MEMORIES/notes.md"), view("/memorie"), view(" /memories"), view("~/memories"),
        view("C:/memories"), view("\\memories\\notes.md"), view("file:///memories/notes.md"),
    ),
]  # fmt: skip

_RAW = "the SDK raises a bare Python exception here, which its runner shows with a real path in it"
_HOLE = "the SDK lets /memoriesX pass, as /memories/X"
_KEPT_OUT = "a name that another system or decoder would take for a way out, or drops silently"
_TYPES = "the SDK checks no types"

DIFFERENT: list[Call] = [
    Call(
        view("/memoriesX/../notes.md"), True,
        "Path must start with /memories, got: /memoriesX/../notes.md", _HOLE,
    ),
    Call(view("/memories-old"), True, "Path must start with /memories, got: /memories-old", _HOLE),
    Call(
        create("/memories.md", "x"), True, "Path must start with /memories, got: /memories.md",
        _HOLE,
    ),
    Call(
        view("/memories/../memories/notes.md"), True,
        "Path /memories/../memories/notes.md would escape /memories directory",
        "it leaves the root and comes back by the name that the folder happens to have",
    ),
    *(
        Call(
            create(f"/memories/{name}", "x"), True,
            f"Path /memories/{name} would escape /memories directory", _KEPT_OUT,
        )
        for name in ("%2e%2e", "%252E%252e", "a%2fb", "a\\b", "C:", "%00", "%c0%ae")
    ),
    *(
        Call(
            create(f"/memories/{name}", "x"), True,
            f"Invalid path /memories/{name}: a name ends in a dot or a space", _KEPT_OUT,
        )
        for name in ("dots...", "space ", "...")
    ),
    Call(
        create("/memories/a\n4K\t/memories/b", "x"), True,
        "Invalid path /memories/a\\n4K\\t/memories/b: a name holds a control character",
        "a line end in a name would forge a line of the listing",
    ),
    Call(
        create("/memories/txt.\u202egnp", "x"), True,
        "Invalid path /memories/txt.\\u202egnp: a name holds a control character",
        "characters that reorder text show another name than the file has",
    ),
    Call(
        view("/memories/nul\0"), True,
        "Invalid path /memories/nul\\x00: a name holds a control character", _RAW,
    ),
    Call(
        view("/memories/" + "n" * 256), True,
        f"Invalid path /memories/{'n' * 256}: a name has more than 255 bytes", _RAW,
    ),
    Call(
        create("/memories/" + "d/" * 40 + "x", "x"), True,
        f"Invalid path /memories/{'d/' * 40}x: at most 32 names may follow one another",
        "a bound on how deep folders go",
    ),
    Call(
        create("/memories/" + "/".join(["p" * 100] * 5), "x"), True,
        f"Invalid path /memories/{'/'.join(['p' * 100] * 5)}: it has more than 480 characters",
        "a store's keys have at most 500 characters, and a memory can be moved there",
    ),
    Call(
        create(DECOMPOSED, "y"), True, f"File {DECOMPOSED} already exists",
        "names that differ in their Unicode form alone are one name; nobody can see two",
    ),
    Call(
        create(f"{N}/below", "x"), True, f"The path {N} is not a directory.", _RAW,
    ),
    Call(
        rename("/memories/empty", f"{N}/below"), True, f"The path {N} is not a directory.", _RAW,
    ),
    Call(
        rename("/memories/project/plan.md/x", "/memories/new"), True,
        "The path /memories/project/plan.md/x does not exist", _RAW,
    ),
    Call(
        rename("/memories/project", "/memories/project/inner"), True,
        "Cannot rename /memories/project to /memories/project/inner, which is inside it", _RAW,
    ),
    Call(
        create("/memories/half.md", "\ud83e\udded \ud83e"), False,
        "File created successfully at: /memories/half.md",
        "a lone surrogate becomes U+FFFD; the SDK raises, and leaves an empty file",
    ),
    Call({"command": "undo"}, True, "Unknown command: undo", _RAW),
    Call({}, True, "Unknown command: None", _RAW),
    Call({"command": "view"}, True, "The command view needs the parameter `path`", _RAW),
    Call(view(5), True, "Invalid `path` parameter: it must be a string", _TYPES),
    Call(
        {"command": "create", "path": "/memories/untold"}, True,
        "The command create needs the parameter `file_text`",
        "the SDK raises, and leaves an empty file",
    ),
    Call(
        create("/memories/number", 5), True, "Invalid `file_text` parameter: it must be a string",
        _TYPES,
    ),
    Call(
        insert(N, "1", "x"), True, "Invalid `insert_line` parameter: it must be an integer", _TYPES,
    ),
    Call(
        insert(N, True, "x"), True, "Invalid `insert_line` parameter: it must be an integer",
        _TYPES,
    ),
    Call(
        view(N, "1", "2"), True, "Invalid `view_range` parameter: it must be two integers", _TYPES,
    ),
    Call(
        view(N, 1.0, 2.0), True, "Invalid `view_range` parameter: it must be two integers", _TYPES,
    ),
]  # fmt: skip
