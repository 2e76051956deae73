"""The rules for the tools of known agents. Later rules count where no earlier one fits.

Sources: the tools as recorded sessions and the agents' own sources have them: Claude Code, Codex,
OpenHands, SWE-agent, mini-swe-agent, Cline, pi, Gemini CLI, opencode, Cursor, Windsurf, GitHub
Copilot, Playwright MCP, browser-use, computer use, MCP file and fetch servers.
"""

from __future__ import annotations

from trimtab.resources.rules import Rule, Rules

PATHS = (
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "target_file",
    "AbsolutePath",
    "TargetFile",
    "filename",
    "file_name",
    "file",
    "notebook_path",
    "uri",
)
RANGES = (
    "offset+limit",
    "view_range",
    "start_line..end_line",
    "startLine..endLine",
    "StartLine..EndLine",
    "start_line_one_indexed..end_line_one_indexed_inclusive",
    "line_start..line_end",
    "start..end",
    "line_range",
    "head+",
    "tail-",
    "pages",
)
PAGE = r'(?:Page URL|Current URL|"url")\s*:\s*"?([^\s"\]]+)'
SNAPSHOT = r"(?i)snapshot|accessibility tree|interactive_elements|current url|<html|\[\d+\]<"

_EDITORS = ("str_replace_editor", "str_replace_based_edit_tool", "file_editor", "text_editor")


def _editor(kind: str, *commands: str) -> Rule:
    return Rule(
        _EDITORS,
        kind,
        PATHS,
        when=(("command", commands),),
        range=RANGES if kind == "read" else (),
    )


DEFAULT: Rules = (
    # files in one tool with a command: OpenHands, SWE-agent, Anthropic's text editor
    _editor("read", "view"),
    _editor("write", "create", "str_replace", "insert", "undo_edit"),
    Rule(("memory",), "read", ("path",), "memory", when=(("command", ("view",)),), range=RANGES),
    Rule(
        ("memory",),
        "write",
        ("path",),
        "memory",
        when=(("command", ("create", "str_replace", "insert", "delete")),),
    ),
    # files, one tool an action
    Rule(("Read",), "read", PATHS, range=RANGES, lines=2_000),
    Rule(
        (
            "read_file",
            "view_file",
            "open_file",
            "read_text_file",
            "get_file_contents",
            "file_read",
            "view",
            "cat",
            "fs_read",
        ),
        "read",
        PATHS,
        range=RANGES,
    ),
    Rule(("read_files", "read_many_files", "read_multiple_files"), "read", PATHS, items="files"),
    Rule(("read_multiple_files", "read_many_files"), "read", PATHS, items="paths"),
    Rule(
        (
            "Write",
            "Edit",
            "MultiEdit",
            "NotebookEdit",
            "write_file",
            "edit_file",
            "create_file",
            "delete_file",
            "append_file",
            "replace",
            "search_replace",
            "str_replace",
            "replace_in_file",
            "write_to_file",
            "replace_string_in_file",
            "insert_edit_into_file",
            "file_write",
            "file_edit",
            "apply_diff",
            "insert_content",
            "editor",
            "edit_notebook",
            "fs_write",
        ),
        "write",
        PATHS,
    ),
    Rule(("move_file", "rename_file"), "write", ("source", "old_path", "from", "path")),
    # SWE-agent's windowed viewer: the result names the file
    Rule(("open", "goto", "scroll_up", "scroll_down"), "window"),
    Rule(
        ("edit", "insert", "create"), "write", PATHS, found=r"\[File: (.+?) \(\d+ lines total\)\]"
    ),
    # patches and shells
    Rule(("apply_patch",), "patch"),
    Rule(
        ("shell", "exec_command", "container.exec", "local_shell", "shell_command"),
        "shell",
        fresh=True,
    ),
    Rule(
        (
            "Bash",
            "run",
            "execute_bash",
            "terminal",
            "run_shell_command",
            "run_terminal_cmd",
            "run_in_terminal",
            "execute_command",
            "run_command",
            "run_commands",
        ),
        "shell",
    ),
    # looking around
    Rule(
        (
            "LS",
            "list_dir",
            "list_directory",
            "list_files",
            "directory_tree",
            "glob",
            "glob_search",
            "grep",
            "grep_search",
            "search_file_content",
            "search_files",
            "file_search",
            "codebase_search",
            "find",
            "find_by_name",
            "find_file",
            "search",
            "search_dir",
            "search_file",
            "list_code_definition_names",
        ),
        "query",
        PATHS,
    ),
    Rule(("WebSearch", "web_search", "google_web_search"), "query"),
    Rule(("WebFetch",), "query", ("url",), names="url"),
    Rule(
        ("web_fetch", "fetch", "fetch_url", "read_url", "read_url_content", "get_url"),
        "read",
        ("url", "Url", "urls"),
        names="url",
        range=("start_index+max_length",),
    ),
    # plans
    Rule(
        ("TodoWrite", "update_plan", "write_todos", "todo_write", "task_tracker"),
        "write",
        name="plan",
    ),
    Rule(("TodoRead", "todo_read", "read_todos"), "read", name="plan"),
    # pages, forms, screens: a snapshot is one of the page that it names
    Rule(("browser_take_screenshot", "screenshot", "take_screenshot"), "view", name="screenshot"),
    Rule(("computer", "computer_use"), "view", name="screen"),
    Rule(
        (
            "browser",
            "browser_*",
            "browser_interactive",
            "get_page",
            "take_snapshot",
            "navigate_page",
        ),
        "view",
        name="page",
        names="url",
        shows=SNAPSHOT,
        found=PAGE,
    ),
    Rule(
        ("get_form", "open_form", "form_*", "*_form", "*_form_*"),
        "view",
        ("form_id", "formId", "form", "form_name", "formName"),
        "form",
        "text",
    ),
)
"""The rules that hold without any of the user's."""
