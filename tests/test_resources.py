"""Which call sees or changes what: known agents, shells, names, and the user's rules."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tool_sessions import Call, session
from trimtab.config import Settings
from trimtab.errors import InputError
from trimtab.resources import DEFAULT, KINDS, observations, parse_rules, rules_of
from trimtab.resources.naming import path, url
from trimtab.resources.shell import read_command
from trimtab.resources.spans import END, covers, span_of

KEYS = ("command", "cmd", "commands", "path", "file_path", "files", "view_range", "offset", "limit")
FILE = "\n".join(f"line {n}" for n in range(40))
WINDOW = (
    "[File: /repo/a.py (300 lines total)]\n(99 more lines above)\n100:x\n101:y\n"
    "(199 more lines below)"
)
PATCH = "*** Begin Patch\n*** Update File: a.py\n@@\n-x\n+y\n*** Add File: b.py\n+z\n*** End Patch"
PAGE = (
    "### Page state\n- Page URL: https://Shop.example/cart#top\n- Page Snapshot:\n- button [ref=e1]"
)


def seen(*calls: Call, dialect: str = "anthropic", system: str = "") -> list[tuple[str, str]]:
    """The observations of some calls in a row, each as its kind and what it is about."""
    return [
        (o.kind, o.shown) for o in observations(session(*calls, dialect=dialect, system=system))
    ]


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        # Claude Code
        (Call("Read", {"file_path": "/repo/a.py"}, FILE), [("read", "/repo/a.py")]),
        (
            Call("Read", {"file_path": "/repo/a.py", "offset": 5, "limit": 10}, FILE),
            [("read", "/repo/a.py lines 5-14")],
        ),
        (
            Call("Edit", {"file_path": "/repo/a.py", "old_string": "x", "new_string": "y"}),
            [("write", "/repo/a.py")],
        ),
        (Call("MultiEdit", {"file_path": "/repo/a.py", "edits": []}), [("write", "/repo/a.py")]),
        (Call("Write", {"file_path": "/repo/./a.py", "content": "x"}), [("write", "/repo/a.py")]),
        (
            Call("NotebookEdit", {"notebook_path": "/repo/n.ipynb", "new_source": "x"}),
            [("write", "/repo/n.ipynb")],
        ),
        (
            Call("Grep", {"pattern": "x", "path": "/repo/"}),
            [("read", "Grep path=/repo, pattern=x")],
        ),
        (Call("Glob", {"pattern": "**/*.py"}), [("read", "Glob pattern=**/*.py")]),
        (Call("LS", {"path": "/repo"}), [("read", "LS path=/repo")]),
        (
            Call("Bash", {"command": "cat /repo/a.py", "description": "look"}, FILE),
            [("read", "/repo/a.py")],
        ),
        (Call("TodoWrite", {"todos": []}), [("write", "plan")]),
        (
            Call("WebFetch", {"url": "https://x.example/a", "prompt": "what?"}),
            [("read", "WebFetch prompt=what?, url=https://x.example/a")],
        ),
        (Call("mcp__files__read_file", {"path": "/repo/a.py"}, FILE), [("read", "/repo/a.py")]),
        # Codex
        (
            Call(
                "shell", {"command": ["bash", "-lc", "sed -n 1,20p a.py"], "workdir": "/repo"}, FILE
            ),
            [("read", "/repo/a.py lines 1-20")],
        ),
        (
            Call("exec_command", {"cmd": "cat a.py b.py", "workdir": "/repo"}, FILE),
            [("read", "/repo/a.py"), ("read", "/repo/b.py")],
        ),
        (
            Call("apply_patch", PATCH),
            [("write", "a.py"), ("write", "b.py")],
        ),
        (
            Call(
                "shell",
                {
                    "command": [
                        "apply_patch",
                        "*** Begin Patch\n*** Delete File: a.py\n*** End Patch",
                    ]
                },
            ),
            [("write", "a.py")],
        ),
        (Call("update_plan", {"plan": []}), [("write", "plan")]),
        # OpenHands
        (
            Call("str_replace_editor", {"command": "view", "path": "/repo/a.py"}, FILE),
            [("read", "/repo/a.py")],
        ),
        (
            Call(
                "file_editor",
                {"command": "view", "path": "/repo/a.py", "view_range": [3, -1]},
                FILE,
            ),
            [("read", "/repo/a.py lines 3-")],
        ),
        (
            Call(
                "str_replace_editor",
                {"command": "str_replace", "path": "/repo/a.py", "old_str": "x", "new_str": "y"},
                "The file /repo/a.py has been edited.",
            ),
            [("write", "/repo/a.py")],
        ),
        (
            Call("str_replace_editor", {"command": "undo_edit", "path": "/repo/a.py"}),
            [("write", "/repo/a.py")],
        ),
        (Call("execute_bash", {"command": "git status"}), [("read", "git status")]),
        (Call("terminal", {"command": "head -20 a.py"}, FILE), [("read", "a.py lines 1-20")]),
        # SWE-agent
        (Call("open", {"path": "a.py"}, WINDOW), [("read", "/repo/a.py lines 100-101")]),
        (Call("scroll_down", {}, WINDOW), [("read", "/repo/a.py lines 100-101")]),
        (
            Call("edit", {"search": "x", "replace": "y"}, WINDOW.replace("\n", " edited\n", 1)),
            [("write", "/repo/a.py")],
        ),
        # browsers and forms
        (Call("browser_snapshot", {}, PAGE), [("view", "page https://shop.example/cart")]),
        (
            Call("mcp__playwright__browser_click", {"ref": "e1"}, PAGE),
            [("view", "page https://shop.example/cart")],
        ),
        (Call("browser_close", {}, "closed"), []),
        (Call("get_form", {"form_id": 17}, "Total: 3"), [("view", "form 17")]),
        (Call("form_set_values", {"values": {}}, "Total: 4"), [("view", "form")]),
        # others
        (Call("read", {"filePath": "/repo/a.py"}, FILE), [("read", "/repo/a.py")]),
        (
            Call(
                "read_files",
                {"files": [{"path": "/a", "start_line": 2, "end_line": 9}, {"path": "/b"}]},
            ),
            [("read", "/a lines 2-9"), ("read", "/b")],
        ),
        (Call("replace", {"file_path": "/a", "old_string": "x"}), [("write", "/a")]),
        # what is tracked by no rule, or says nothing
        (Call("Task", {"prompt": "x"}), []),
        (Call("Read", "[REDACTED len=3]", FILE), []),
        (Call("Read", {"file_path": None}, FILE), []),
        (Call("read_file", {"path": "/repo/*.py"}, FILE), []),
        # no observation: an error, an empty answer, a stub, "unchanged"
        (Call("Read", {"file_path": "/a"}, "boom", error=True), []),
        (
            Call(
                "Read", {"file_path": "/a"}, "<tool_use_error>File does not exist.</tool_use_error>"
            ),
            [],
        ),
        (Call("Edit", {"file_path": "/a"}, "String to replace not found in file."), []),
        (Call("Bash", {"command": "cat /a"}, "cat: /a: No such file or directory"), []),
        (Call("bash", {"command": "cat /a"}, "x\n\nCommand exited with code 1"), []),
        (Call("Read", {"file_path": "/a"}, ""), []),
        (Call("Read", {"file_path": "/a"}, "[Old tool result content cleared]"), []),
        (
            Call(
                "Read",
                {"file_path": "/a"},
                "File unchanged since last read. The earlier result is current.",
            ),
            [],
        ),
    ],
    ids=lambda value: value.tool if isinstance(value, Call) else "",
)
def test_what_the_calls_of_known_agents_see_and_change(
    call: Call, expected: list[tuple[str, str]]
) -> None:
    assert seen(call) == expected
    if isinstance(call.given, dict):  # the same as an OpenAI client has it: arguments as text
        assert seen(call, dialect="openai") == expected or call.error


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("cat a.py", ["read a.py"]),
        ("cat -n a.py b.py", ["read a.py", "read b.py"]),
        ("cat 'my file.py'", ["read my file.py"]),
        ("cd /repo && cat a.py", ["read /repo/a.py"]),
        ("cd sub && cat ../a.py", ["read a.py"]),
        ("sed -n '1,20p' a.py", ["read a.py 1-20"]),
        ("sed -n 5p a.py", ["read a.py 5-5"]),
        ("cat a.py | sed -n 3,9p", ["read a.py 3-9"]),
        ("nl -ba a.py | sed -n '3,$p'", [f"read a.py 3-{END}"]),
        ("head -n 5 a.py", ["read a.py 1-5"]),
        ("tail -5 a.py", ["read a.py -5--1"]),
        ("tail -n +5 a.py", [f"read a.py 5-{END}"]),
        ("cat a.py 2>/dev/null", ["read a.py"]),
        ("cat a.py 2>&1 | head -20", ["read a.py 1-20"]),
        ("echo === && cat a.py", ["read a.py"]),
        ("FOO=1 cat a.py", ["read a.py"]),
        ("ls -la src", ["query ls -la src"]),
        ("git diff --stat", ["query git diff --stat"]),
        ("git -C /x --no-pager log -3", ["query git -C /x --no-pager log -3"]),
        ("git status && git diff", ["query git status", "query git diff"]),
        ("grep -n '>' a.py", ["query grep -n > a.py"]),
        ("grep -rn foo src | head", ["query grep -rn foo src | head"]),
        ("ls *.py", ["query ls *.py"]),
        ("wc -l < a.py", ["query wc -l <a.py"]),
        # changes
        ("echo x > a.py", ["write a.py"]),
        ("echo x >> a.py; cat a.py", ["write a.py", "read a.py"]),
        ("cat > a.py <<'EOF'\nrm b.py\n$(x)\nEOF", ["write a.py"]),
        ("cat <<EOF | tee a.py b.py\nx\nEOF", ["write a.py", "write b.py"]),
        ("sed -i 's/x/y/' a.py b.py", ["write a.py", "write b.py"]),
        ("rm -f a.py", ["write a.py"]),
        ("mv a.py b.py", ["write a.py", "write b.py"]),
        ("cp a.py b.py", ["write b.py"]),
        ("git checkout -- a.py", ["write a.py"]),
        ("make > build.log 2>&1", ["write build.log"]),
        ("pytest -q && sed -i s/x/y/ a.py", ["write a.py"]),
        # nothing is certain
        ("pytest -q && cat a.py", []),
        ("cat a.py || cat b.py", []),
        ("cat $FILE", []),
        ("cat $(ls)", []),
        ("cat `ls`", []),
        ("(cd x; cat a.py)", []),
        ("for f in a b; do cat $f; done", []),
        ("cat a.py | python x.py", []),
        ("tail -f a.log", []),
        ("find . -delete", []),
        ("find . -name '*.pyc' -exec rm {} +", []),
        ("cat 'a.py", []),
        ("cat a.py &", []),
        ("python a.py", []),
        ("rm *.py", []),
        ("git commit -m x", []),
        ("cat <<EOF\nx\nEOF", []),
        ("", []),
    ],
)
def test_a_shell_command_is_read_where_that_is_certain(command: str, expected: list[str]) -> None:
    found = [
        f"{act.kind} {act.name}" + (f" {act.span[0]}-{act.span[1]}" if act.span else "")
        for act in read_command(command, "").acts
    ]
    assert found == expected


def test_relative_names_are_relative_to_the_stated_directory() -> None:
    calls = (
        Call("Read", {"file_path": "/repo/a.py"}, FILE),
        Call("Read", {"file_path": "./a.py"}, FILE),
        Call("Bash", {"command": "cat sub/../a.py"}, FILE),
    )
    assert {what for _, what in seen(*calls, system="Working directory: /repo\nBe brief.")} == {
        "/repo/a.py"
    }
    assert len({what for _, what in seen(*calls)}) == 2  # not stated: `/repo/a.py` and `a.py`


def test_after_a_change_of_directory_names_are_not_the_same_unless_the_shell_says_where_it_is() -> (
    None
):
    before = Call("Bash", {"command": "cat a.py"}, FILE)
    move = Call("Bash", {"command": "cd sub"}, "ok")
    after = Call("Bash", {"command": "cat a.py"}, FILE)
    names = [what for _, what in seen(before, move, after)]
    assert len(set(names)) == 2
    told = Call("Bash", {"command": "cd sub"}, "ok\n[Current working directory: /repo/sub]")
    assert [what for _, what in seen(before, told, after)] == ["a.py", "/repo/sub/a.py"]
    fresh = [Call("exec_command", c.given, c.result) for c in (before, move, after)]
    assert len({what for _, what in seen(*fresh)}) == 1  # each call starts where the first did


def test_paths_and_addresses_have_one_form() -> None:
    assert path("./src//a.py") == "src/a.py" == path("src/x/../a.py")
    assert path("a.py", "/repo/") == "/repo/a.py" == path("/repo/./a.py", "/other")
    assert path("Src/A.py") != path("src/a.py")
    assert path("C:\\x\\a.py") == "C:/x/a.py"
    assert path("../a.py", "?1") != path("a.py")
    assert (
        url("HTTPS://X.example/a?b=1#c") == "https://x.example/a?b=1" != url("https://x.example/a")
    )
    assert url("http://[") == "http://["


def test_ranges_are_read_and_compared() -> None:
    assert span_of({"offset": 5, "limit": 10}, ("offset+limit",)) == (5, 14)
    assert span_of({"limit": 10}, ("offset+limit",)) == (1, 10)
    assert span_of({"view_range": [3, -1]}, ("view_range",)) == (3, END)
    assert span_of({"start_line": 3}, ("a..b", "start_line..end_line")) == (3, END)
    assert span_of({"pages": "2-4"}, ("pages",)) == (2, 4)
    assert span_of({"path": "a"}, ("offset+limit", "view_range")) is None
    for new, old in ((None, (3, 9)), ((1, 9), (3, 9)), ((-9, -1), (-3, -1)), (None, None)):
        assert covers(new, old)
    for new, old in (((1, END), None), ((3, 9), (1, 9)), ((1, 9), (-3, -1)), ((1, 9), (5, 10))):
        assert not covers(new, old)


def test_the_users_rules_come_first() -> None:
    rules = parse_rules(
        [
            {
                "tool": ["ledger_*"],
                "kind": "view",
                "resource": "book",
                "names": "text",
                "name": "ledger",
            },
            {"tool": "Read", "kind": "none"},
            {"tool": "*_report", "kind": "query", "when": {"mode": ["full", "short"]}},
        ]
    )
    history = session(
        Call("ledger_show", {"book": "2026"}, "x"),
        Call("Read", {"file_path": "/a"}, FILE),
        Call("cash_report", {"mode": "full"}, "x"),
        Call("cash_report", {"mode": "none"}, "x"),
        Call("Write", {"file_path": "/a", "content": "x"}),
    )
    found = [(o.kind, o.shown) for o in observations(history, (*rules, *DEFAULT))]
    assert found == [
        ("view", "ledger 2026"),
        ("read", "cash_report mode=full"),
        ("write", "/a"),
    ]
    given = Settings(tables={"resources": [{"tool": "Read", "kind": "none"}]})
    assert rules_of(given)[1:] == DEFAULT
    assert rules_of(Settings()) is DEFAULT


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ({"kind": "read"}, "tool is missing"),
        ({"tool": "x"}, "kind is missing"),
        ({"tool": "x", "kind": "look"}, "kind 'look': write one of read, view"),
        ({"tool": 3, "kind": "read"}, "tool is a text or a list of texts"),
        ({"tool": [], "kind": "read"}, "tool is a text or a list"),
        ({"tool": "x", "kind": "read", "rnge": "a"}, "'rnge' is no key of a rule"),
        ({"tool": "x", "kind": "read", "names": "id"}, "names 'id': write one of path, url, text"),
        ({"tool": "x", "kind": "read", "shows": "("}, "is no regular expression"),
        ({"tool": "x", "kind": "read", "found": "a"}, "found needs one group"),
        ({"tool": "x", "kind": "read", "when": "a"}, "when is a table"),
        ({"tool": "x", "kind": "read", "lines": -1}, "lines is a whole number"),
        ({"tool": "x", "kind": "shell", "fresh": 1}, "fresh is true or false"),
        ({"tool": "x", "kind": "read", "name": 1}, "name is a text"),
    ],
)
def test_a_rule_that_is_none_is_one_clear_line(entry: dict[str, object], said: str) -> None:
    given = Settings(tables={"resources": [{"tool": "ok", "kind": "read"}, entry]})
    with pytest.raises(InputError, match=re.escape(said)) as raised:
        rules_of(given)
    assert str(raised.value).startswith("trimtab.toml, [[resources]] 2: ")
    assert "\n" not in str(raised.value)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*KEYS, "x"]), inner, max_size=3)
    ),
    max_leaves=8,
)
TOOLS = sorted({name.replace("*", "x") for rule in DEFAULT for name in rule.tool})


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(TOOLS),
    st.dictionaries(st.sampled_from(KEYS), json_values, max_size=4) | json_values,
    st.text(max_size=60) | st.sampled_from([FILE, WINDOW, PAGE]),
)
def test_no_arguments_and_no_result_break_it(tool: str, given: object, result: str) -> None:
    history = session(Call(tool, given, result), Call(tool, given, result))
    for each in observations(history):
        assert each.shown
        assert each.result[0] in (2, 4)


@settings(max_examples=400, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            re.findall(
                r"\S+|\n",
                "cat sed -n -i 1,5p a.py b.py | && ; || > >> 2> <<EOF EOF ' \" \\ $X $( ) ` cd /x"
                " .. head tail +3 git diff -- checkout rm * # tee & < { \n",
            )
        ),
        max_size=14,
    ).map(" ".join)
    | st.text(max_size=60)
)
def test_no_command_breaks_it_and_names_are_of_the_command(command: str) -> None:
    for act in read_command(command, "").acts:
        assert act.kind in ("read", "query", "write")
        if act.kind != "query":
            assert act.name.strip("./").split("/")[-1] in command.replace("\\", "").replace("'", "")


@pytest.mark.parametrize(
    "said",
    [
        "... [1200 lines truncated] ...",
        "[Output truncated: showing 30 of 256 lines]",
        "[... Observation truncated due to length ...]",
        "<response clipped><NOTE>To save on context only part of this file has been shown.</NOTE>",
        "… 1,234 tokens truncated …",
        "...9000 characters omitted...",
        "[Showing lines 1-500 of 1200. Use offset=501 to continue]",
        "[123 more lines in file. Use offset=501 to continue]",
        "... 45 more lines",
        "(12 more lines below)",
        "(truncated)",
        "Output too large (40KB). Saved to /tmp/x",
    ],
)
def test_what_was_cut_short_is_known_by_the_words_of_its_tool(said: str) -> None:
    for text in (f"{FILE}\n{said}", f"{said}\n{FILE}", f"{FILE}\n{said}\n{FILE}"):
        [seen] = observations(session(Call("Read", {"file_path": "/a"}, text)))
        assert not seen.whole
    [seen] = observations(session(Call("Read", {"file_path": "/a"}, f"{FILE}\nthe rest is more\n")))
    assert seen.whole


def test_long_results_and_commands_are_read_in_proportion() -> None:
    for text in ("[" * 400_000, "[truncated " * 40_000, "(1 more lines " * 40_000, "." * 400_000):
        history = session(Call("Read", {"file_path": "/a"}, text), Call("open", {}, text))
        assert len(observations(history)) <= 1
    for command in ("cat " * 100_000, "'" * 30_001, "cat <<A\n" * 20_000, "a" * 2_000_000):
        assert read_command(command, "").acts == []


def test_the_rules_on_the_page_are_rules() -> None:
    page = Path(__file__).resolve().parent.parent / "docs" / "policies" / "supersede.md"
    [block] = re.findall(r"```toml\n(.+?)```", page.read_text("utf-8"), re.DOTALL)
    rules = rules_of(Settings(tables=tomllib.loads(block)))
    assert [rule.kind for rule in rules[: -len(DEFAULT)]] == ["view", "read", "query", "none"]
    assert set(re.findall(r"^\| `(\w+)` \| ", page.read_text("utf-8"), re.MULTILINE)) >= set(KINDS)
