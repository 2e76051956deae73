"""The memory tool `memory_20250818`: files that a model keeps for itself, across sessions.

The commands, their answers and the wording of their errors are those of
`BetaLocalFilesystemMemoryTool` in the `anthropic` package, 2.14. Where that one lets something
through, or fails without a word for the model, this one differs; tests/test_memory_parity.py names
each such case with its reason.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any, NamedTuple, Self

from trimtab.errors import UsageError
from trimtab.store.memory_definition import ANTHROPIC, DESCRIPTION, SCHEMA, Input
from trimtab.store.memory_errors import MemoryToolError, well_formed
from trimtab.store.memory_files import Found, MemoryFiles
from trimtab.store.memory_folder import FolderFiles
from trimtab.store.memory_paths import DEEPEST, LONGEST_PATH, ROOT, Names, names_of, path_of
from trimtab.store.memory_stored import StoredFiles
from trimtab.store.memory_text import file_view, inserted, replaced, size_name
from trimtab.store.protocol import Store

_DEPTH = 2
_TRIES = 50  # of an edit, while others edit the same file


class Answer(NamedTuple):
    """What to answer the model: the text of the tool result, and its `is_error`."""

    text: str
    is_error: bool


class MemoryTool:
    """Runs the memory tool's commands, on a folder or in a store. Any thread may call it.

        memory = MemoryTool.on_folder("~/.my-agent")
        ...
        for block in response.content:
            if block.type == "tool_use" and block.name == "memory":
                text, is_error = memory.answer(block.input)
                results.append({"type": "tool_result", "tool_use_id": block.id,
                                "content": text, "is_error": is_error})

    Args:
        files: where the files are.
        max_file: bytes that a file may have.
        max_total: bytes that all files may have together.
        max_files: how many files and folders there may be.

    Writers in several processes on one store may each see room for one file that together they
    do not have; in a folder they wait for each other.
    """

    def __init__(
        self,
        files: MemoryFiles,
        *,
        max_file: int = 256 * 1024,
        max_total: int = 16 * 1024 * 1024,
        max_files: int = 1000,
    ) -> None:
        if min(max_file, max_total, max_files) < 1:
            raise UsageError("max_file, max_total and max_files must be 1 or more")
        self._files = files
        self._max_file = max_file
        self._max_total = max_total
        self._max_files = max_files
        self._commands: dict[str, Callable[[Input], str]] = {
            "view": self._view,
            "create": self._create,
            "str_replace": self._str_replace,
            "insert": self._insert,
            "delete": self._delete,
            "rename": self._rename,
        }

    @classmethod
    def on_folder(cls, path: str | Path, **limits: int) -> Self:
        """The memory in `path/memories`, made where it is missing, for its owner alone.

        Args:
            path: the folder above; `~` is the user's home.
            limits: `max_file`, `max_total`, `max_files`.

        Raises:
            StoreError: the folder cannot be made or opened.
        """
        return cls(FolderFiles(Path(path).expanduser() / ROOT[1:]), **limits)

    @classmethod
    def in_store(cls, store: Store, **limits: int) -> Self:
        """The memory in a store, beside its sessions. The store stays open.

        Args:
            store: the store.
            limits: `max_file`, `max_total`, `max_files`.
        """
        return cls(StoredFiles(store), **limits)

    def definition(self) -> dict[str, Any]:
        """The entry for `tools` of an Anthropic request."""
        return dict(ANTHROPIC)

    def openai_definition(self, *, responses: bool = False) -> dict[str, Any]:
        """The entry for `tools` of an OpenAI request: a function of the same commands.

        Args:
            responses: in the form of the Responses API, not of chat completions.
        """
        function = {"name": "memory", "description": DESCRIPTION, "parameters": deepcopy(SCHEMA)}
        if responses:
            return {"type": "function", **function, "strict": False}
        return {"type": "function", "function": function}

    def call(self, input: Mapping[str, object] | str) -> str:
        """Run one command and return the text for the tool result.

        Args:
            input: the tool call's input, as an object or as JSON text (OpenAI's `arguments`).

        Raises:
            MemoryToolError: it cannot be done; its text is the answer, with `is_error`.
            StoreError: the folder or the store cannot be read or written.
        """
        read = Input(input)
        return well_formed(self._commands[read.command](read))

    def answer(self, input: Mapping[str, object] | str) -> Answer:
        """As `call`, but what cannot be done is an answer too. Raises `StoreError` alone."""
        try:
            return Answer(self.call(input), False)
        except MemoryToolError as error:
            return Answer(str(error), True)

    def clear_all_memory(self) -> str:
        """Remove every file, hidden ones too. For the program: no command of the model's."""
        with self._files.locked():
            self._files.clear()
        return "All memory cleared"

    # -- the commands -----------------------------------------------------------------------------

    def _view(self, input: Input) -> str:
        path = input.path("path")
        names = names_of(path)
        found = self._there(path, names)
        if found.kind == "other":
            raise MemoryToolError(f"Unsupported file type for {path}")
        if found.kind == "folder":
            return self._listing(path, names, found.size)
        return file_view(path, self._text(path, names)[1], input.window("view_range"))

    def _listing(self, path: str, names: Names, size: int) -> str:
        lines = [
            f"Here're the files and directories up to {_DEPTH} levels deep in {path}, "
            "excluding hidden items:",
            f"{size_name(size)}\t{path}",
        ]
        for entry in self._files.below(names, _DEPTH):
            end = "/" if entry.folder else ""
            lines.append(f"{size_name(entry.size)}\t{path}/{'/'.join(entry.names)}{end}")
        return "\n".join(lines)

    def _create(self, input: Input) -> str:
        path = input.path("path")
        names = names_of(path)
        data = input.text("file_text").encode()
        taken = MemoryToolError(f"File {path} already exists")
        with self._files.locked():
            if self._files.look(names) is not None:
                raise taken
            self._check_size(path, len(data), 0)
            self._check_room(len(data), self._new_folders(names) + 1)
            if not self._files.create(names, data):
                raise taken if self._files.look(names) else _changed(path)
        return f"File created successfully at: {path}"

    def _str_replace(self, input: Input) -> str:
        path, old, new = input.path("path"), input.text("old_str"), input.text("new_str")
        return self._edit(path, lambda text: replaced(path, text, old, new))

    def _insert(self, input: Input) -> str:
        path, line, new = input.path("path"), input.number("insert_line"), input.text("insert_text")
        return self._edit(path, lambda text: inserted(path, text, line, new))

    def _edit(self, path: str, edit: Callable[[str], tuple[str, str]]) -> str:
        """Write a file anew. Made once more, on the new text, if it changed in between."""
        names = names_of(path)
        with self._files.locked():
            for _ in range(_TRIES):
                if self._there(path, names).kind != "file":
                    raise MemoryToolError(f"The path {path} is not a file.")
                data, text = self._text(path, names)
                text, answer = edit(text)
                edited = text.encode()
                self._check_size(path, len(edited), len(data))
                self._check_room(len(edited) - len(data), 0)
                if self._files.replace(names, data, edited):
                    return answer
        raise _changed(path)

    def _delete(self, input: Input) -> str:
        path = input.path("path")
        names = names_of(path)
        if not names:
            raise MemoryToolError(f"Cannot delete the {ROOT} directory itself")
        with self._files.locked():
            found = self._files.look(names)
            if found is None or found.kind == "other" or not self._files.delete(names):
                raise MemoryToolError(f"The path {path} does not exist")
        return f"Successfully deleted {path}"

    def _rename(self, input: Input) -> str:
        path, new_path = input.path("old_path"), input.path("new_path")
        old, new = names_of(path), names_of(new_path)
        if not old:
            raise MemoryToolError(f"Cannot rename the {ROOT} directory itself")
        taken = MemoryToolError(f"The destination {new_path} already exists")
        with self._files.locked():
            if self._files.look(new) is not None:
                raise taken
            found = self._files.look(old)
            if found is None:
                raise MemoryToolError(f"The path {path} does not exist")
            if new[: len(old)] == old:
                raise MemoryToolError(f"Cannot rename {path} to {new_path}, which is inside it")
            self._check_room(0, self._new_folders(new))
            if found.kind == "folder":
                self._check_depth(old, new)
            if not self._files.rename(old, new):
                raise taken if self._files.look(new) else _changed(path)
        return f"Successfully renamed {path} to {new_path}"

    # -- what they have in common -----------------------------------------------------------------

    def _there(self, path: str, names: Names) -> Found:
        found = self._files.look(names)
        if found is None:
            raise MemoryToolError(f"The path {path} does not exist. Please provide a valid path.")
        return found

    def _text(self, path: str, names: Names) -> tuple[bytes, str]:
        # A file that others put there may be larger than we would write, yet not without end.
        data = self._files.read(names, max(self._max_file, self._max_total))
        if data is None:
            raise MemoryToolError(
                f"The file {path} no longer exists (may have been deleted or renamed concurrently)."
            )
        try:
            return data, data.decode()
        except UnicodeDecodeError:
            raise MemoryToolError(f"Unsupported file type for {path}") from None

    def _new_folders(self, names: Names) -> int:
        """How many folders above it are missing. Raises where one of them is a file."""
        for end in range(1, len(names)):
            found = self._files.look(names[:end])
            if found is None:
                return len(names) - end
            if found.kind != "folder":
                raise MemoryToolError(f"The path {path_of(names[:end])} is not a directory.")
        return 0

    def _check_size(self, path: str, size: int, before: int) -> None:
        if size > max(self._max_file, before):
            raise MemoryToolError(
                f"The file {path} would have {size:,} bytes; at most {self._max_file:,} are "
                "allowed. Nothing was written."
            )

    def _check_room(self, bytes_more: int, files_more: int) -> None:
        """What is made smaller is always let through, so that a full memory can be tidied."""
        if bytes_more <= 0 and files_more <= 0:
            return
        files, size = self._files.usage()
        if bytes_more > 0 and size + bytes_more > self._max_total:
            raise MemoryToolError(
                f"The memory would have {size + bytes_more:,} bytes; at most "
                f"{self._max_total:,} are allowed. Nothing was written: delete or shorten what is "
                "no longer needed."
            )
        if files_more > 0 and files + files_more > self._max_files:
            raise MemoryToolError(
                f"The memory would have {files + files_more:,} files and folders; at most "
                f"{self._max_files:,} are allowed. Nothing was written: delete what is no longer "
                "needed, or write into a file that is there."
            )

    def _check_depth(self, old: Names, new: Names) -> None:
        """What a folder holds can still be named when the folder is elsewhere."""
        for entry in self._files.below(old, DEEPEST, hidden=True):
            moved = (*new, *entry.names)
            if len(moved) > DEEPEST or len(path_of(moved)) > LONGEST_PATH:
                raise MemoryToolError(
                    f"Cannot rename {path_of(old)} to {path_of(new)}: the paths in it would be "
                    "too long"
                )


def _changed(path: str) -> MemoryToolError:
    return MemoryToolError(
        f"Somebody else changed {path} at the same time; nothing was written. "
        "View it and try again."
    )
