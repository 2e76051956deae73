"""`python -m bench [--quick] [--only NAME,...] [--out FOLDER]`."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import platform
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from bench.render import chapter, number, page, yes

FOLDER = Path(__file__).resolve().parent
SECTIONS = (
    "compacting", "turns", "storing", "finding", "startup", "precision", "counting", "reading",
    "checking", "quoting",
)  # fmt: skip
"""Modules of this folder, in the order of the page."""
PACKAGES = ("toktok-rs", "tiktoken", "langchain-core", "openai-agents")


def run(sections: tuple[str, ...] = SECTIONS, quick: bool = False) -> dict[str, Any]:
    """Measure; the results as they are written to `results.json`."""
    results: dict[str, Any] = {}
    for name in sections:
        print(f"{name} ...", file=sys.stderr, flush=True)
        results[name] = importlib.import_module(f"bench.{name}").measure(quick)
    return {"machine": machine(), "sections": results}


def machine() -> dict[str, Any]:
    """What the figures depend on, without saying which machine it was."""
    packages = {}
    for name in PACKAGES:
        try:
            packages[name] = version(name)
        except PackageNotFoundError:
            continue
    return {"cores": os.cpu_count(), "python": platform.python_version(), "packages": packages}


def main() -> int:
    """Measure, write, and print figures and aims. A missed aim is shown, it is no failure."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny sizes; writes only with --out")
    parser.add_argument("--only", default="", help="sections, separated by commas")
    parser.add_argument("--out", type=Path, help="folder for results.json and RESULTS.md")
    options = parser.parse_args()
    only = tuple(name for name in options.only.split(",") if name)
    unknown = [name for name in only if name not in SECTIONS]
    if unknown:
        parser.error(f"no section {', '.join(unknown)}; there are {', '.join(SECTIONS)}")
    results = run(only or SECTIONS, options.quick)
    folder = options.out or (None if options.quick else FOLDER)
    if folder is not None:
        write(results, folder, keep=bool(only))
    for section in results["sections"].values():
        print(chapter(section))
    for section in results["sections"].values():
        for aim in section["aims"]:
            print(f"{aim['what']}: {number(aim['figure'])} {aim['unit']} "
                  f"(aim: {aim['aim']}; met: {yes(aim['met'])})")  # fmt: skip
    return 0


def write(results: dict[str, Any], folder: Path, keep: bool) -> None:
    """Write both files.

    Args:
        keep: sections that were not run stay as they are in the folder's `results.json`.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "results.json"
    if keep and file.exists():
        before = json.loads(file.read_text("utf-8"))
        merged = {**before["sections"], **results["sections"]}
        results = {**results, "sections": {n: merged[n] for n in SECTIONS if n in merged}}
    file.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", "utf-8")
    (folder / "RESULTS.md").write_text(page(results), "utf-8")


if __name__ == "__main__":
    sys.exit(main())
