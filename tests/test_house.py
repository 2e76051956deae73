"""The rules of the house: who may import whom, how long a file may be, what may be committed."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src"
PACKAGE = SOURCE / "trimtab"

FLOORS = {
    "errors": 0,
    "history": 0,
    "pins": 1,
    "tokens": 1,
    "formats": 1,
    "config": 1,
    "slimming": 1,
    "resources": 1,
    "context": 2,
    "store": 3,
    "triggers": 3,
    "pricing": 3,
    "summaries": 3,
    "policies": 4,
    "session": 5,
    "evaluation": 6,
    "integrations": 6,
    "report": 7,
    "proxy": 8,
    "surface": 8,  # `trimtab/__init__.py`: what it names is public
    "cli": 9,
    "start": 10,  # `python -m trimtab`
}
LONGEST = 400
HEAVY = ("msgspec", "click", "rich", "zstandard", "toktok")


# -- what imports what ----------------------------------------------------------------------------


@cache
def modules() -> dict[str, Path]:
    """Module name -> file, for all of the package."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def part(module: str) -> str:
    """The part of the house that a module belongs to: its folder, or its own name.

    A module beside the folders that is no part by itself (`_pin_prose.py`, `session_log.py`)
    belongs to the part that its first word names.
    """
    if module == "trimtab":
        return "surface"
    name = module.split(".")[1]
    if name == "__main__":
        return "start"
    first = name.strip("_").partition("_")[0]
    if name in FLOORS:
        return name
    return next((known for known in FLOORS if known in (first, first + "s")), name)


def imports(module: str) -> Iterator[tuple[str, int]]:
    """The modules of this package that `module` imports, anywhere in its file, with the line."""
    path = modules()[module]
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            package = module if path.name == "__init__.py" else module.rpartition(".")[0]
            for _ in range(node.level - 1):
                package = package.rpartition(".")[0]
            base = ".".join(filter(None, [package if node.level else "", node.module]))
            # Anyone may state the version: it is a constant, and loads nothing.
            whole = [f"{base}.{a.name}" for a in node.names if a.name != "__version__"]
            names = [name if name in modules() else base for name in whole]
        else:
            continue
        for name in names:
            if name.partition(".")[0] == "trimtab":
                yield name, node.lineno


@pytest.mark.parametrize("module", sorted(modules()))
def test_every_module_has_a_floor(module: str) -> None:
    assert part(module) in FLOORS, f"{module} is new: give its part a floor in DESIGN and here"


def test_imports_go_to_lower_floors_or_to_neighbours() -> None:
    wrong = [
        f"{modules()[module].relative_to(ROOT)}:{line} imports {name}"
        for module in modules()
        for name, line in imports(module)
        if part(module) != part(name) and FLOORS[part(module)] <= FLOORS[part(name)]
    ]
    # `errors` and `history` share the ground floor; `errors` imports nothing.
    wrong = [line for line in wrong if not line.endswith("imports trimtab.errors")]
    assert wrong == []
    assert list(imports("trimtab.errors")) == []


def test_there_is_no_circle() -> None:
    graph = {module: {name for name, _ in imports(module)} for module in modules()}
    # The package's own surface loads what it names on first use; it is imported by all.
    graph["trimtab"] = set()
    done: set[str] = set()

    def visit(module: str, path: tuple[str, ...]) -> None:
        assert module not in path, " -> ".join((*path[path.index(module) :], module))
        if module not in done:
            for name in sorted(graph.get(module, ())):
                visit(name, (*path, module))
            done.add(module)

    for module in sorted(graph):
        visit(module, ())


@pytest.mark.parametrize(
    ("importer", "forbidden"),
    [("policies", ("formats", "store")), ("formats", ("policies",)), ("store", ("policies",))],
)
def test_parts_that_do_not_know_each_other(importer: str, forbidden: tuple[str, ...]) -> None:
    wrong = [
        f"{module}:{line} imports {name}"
        for module in modules()
        if part(module) == importer
        for name, line in imports(module)
        if part(name) in forbidden
    ]
    assert wrong == []


def test_the_import_reader_sees_every_way_to_import() -> None:
    """The rules above would hold of a reader that sees nothing."""
    seen = {name for name, _ in imports("trimtab.evaluation.compare")}
    assert {"trimtab.errors", "trimtab.policies.registry", "trimtab.tokens"} <= seen
    assert "trimtab.history.log" in {name for name, _ in imports("trimtab")}


# -- files ------------------------------------------------------------------------------------


def committed() -> list[Path]:
    """The files that git knows; without git, all but what is generated."""
    git = ["git", "-c", f"safe.directory={ROOT}", "ls-files", "-z"]
    try:
        listed = subprocess.run(git, cwd=ROOT, check=True, capture_output=True, text=True)
        names = [name for name in listed.stdout.split("\0") if name]
    except (OSError, subprocess.CalledProcessError):
        names = []
    if names:
        return [ROOT / name for name in names if (ROOT / name).is_file()]
    generated = {"build", "dist", "demo-out", "__pycache__"}
    return [
        path
        for path in ROOT.rglob("*")
        if path.is_file()
        and not any(
            name.startswith(".") or name in generated for name in path.relative_to(ROOT).parts[:-1]
        )
    ]


@pytest.mark.parametrize("module", sorted(modules()))
def test_no_file_is_too_long(module: str) -> None:
    lines = modules()[module].read_text("utf-8").count("\n")
    assert lines <= LONGEST, f"{lines} lines: split it by subject"


def test_every_source_folder_says_what_lives_there() -> None:
    folders = {path.parent for path in modules().values()} - {PACKAGE}
    folders |= {ROOT / "bench"}
    missing = [str(f.relative_to(ROOT)) for f in sorted(folders) if not (f / "README.md").is_file()]
    assert missing == []


def spelt(*pieces: str) -> str:
    """Put together here, so that this file does not contain what it looks for."""
    return "".join(pieces)


FORBIDDEN = tuple(
    re.compile(pattern)
    for pattern in (
        # folders of the machine that a commit was made on
        spelt(r"(?<![\w.-])/", r"work/"),
        spelt(r"(?<![\w.-])/", r"opt/(pypi|wheels)"),
        spelt(r"(?<![\w.-])/tmp/", r"tt\b"),
        spelt(r"(?<![\w.-])/", r"root/"),
        spelt("bash", "_jobs"),
        # package registries: which one serves is the installing machine's choice
        spelt("pypi", r"\.org/simple"),
        spelt("files.python", "hosted"),
        spelt("registry.npm", "js"),
        spelt("--(extra-)?index", "-url"),
        spelt("--trusted", "-host"),
    )
)


def test_nothing_committed_mentions_a_machine_or_a_registry() -> None:
    found = []
    for path in committed():
        try:
            text = path.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        for pattern in FORBIDDEN:
            match = pattern.search(text)
            if match:
                line = text.count("\n", 0, match.start()) + 1
                found.append(f"{path.relative_to(ROOT)}:{line}: {match.group()}")
    assert found == []


@pytest.mark.parametrize("text", [spelt("/", "work/main"), spelt("at /", "opt/wheels now")])
def test_the_scan_would_find_one(text: str) -> None:
    assert any(pattern.search(text) for pattern in FORBIDDEN)


# -- the import is light ----------------------------------------------------------------------


def loaded_after(statement: str) -> set[str]:
    """The top-level packages that a fresh interpreter has loaded after `statement`."""
    code = f"import sys\n{statement}\nprint(*{{n.partition('.')[0] for n in sys.modules}})"
    run = [sys.executable, "-c", code]
    result = subprocess.run(run, check=True, capture_output=True, text=True)
    return set(result.stdout.split())


def test_the_import_loads_nothing_heavy() -> None:
    assert loaded_after("import trimtab") & set(HEAVY) == set()


def test_the_check_of_what_is_loaded_would_notice() -> None:
    assert "msgspec" in loaded_after("import msgspec")
