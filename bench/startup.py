"""How long a process takes before it does anything."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from time import perf_counter

from bench.clock import typical
from bench.shape import Section, at_most, rounded

IMPORT_LIMIT = 60.0
HELP_LIMIT = 150.0
BARE = "a bare interpreter"
IMPORT = "import trimtab"
HELP = "trimtab --help"


def measure(quick: bool = False) -> Section:
    """Bare interpreter, import, and help, in turn, each in a process of its own."""
    script = Path(sys.executable).with_name("trimtab")
    commands = {
        BARE: [sys.executable, "-c", "pass"],
        IMPORT: [sys.executable, "-c", "import trimtab"],
        HELP: [str(script), "--help"],
    }
    taken: dict[str, list[float]] = {name: [] for name in commands}
    for at in range(3 if quick else 16):
        for name, command in commands.items():
            start = perf_counter()
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            if at:  # the first run of each fills the file cache
                taken[name].append((perf_counter() - start) * 1e3)
    whole = {name: typical(runs) for name, runs in taken.items()}
    above = {name: figure - whole[BARE] for name, figure in whole.items()}
    return Section(
        title="Start",
        about="Median of 15 processes each, taken in turn.",
        rows=[
            {
                "process": name,
                "whole": rounded(whole[name]),
                "above bare": rounded(above[name]) if name != BARE else 0.0,
            }
            for name in commands
        ],
        units={"whole": "ms", "above bare": "ms"},
        aims=[
            at_most(f"{IMPORT}, above bare", above[IMPORT], IMPORT_LIMIT, "ms"),
            at_most(f"{HELP}, above bare", above[HELP], HELP_LIMIT, "ms"),
        ],
    )
