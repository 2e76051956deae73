"""What `make demo` prints and draws: the same command, read from the Makefile."""

from __future__ import annotations

import re
from functools import cache

from docs.console import ROOT, run, workplace

CHART = ROOT / "docs" / "compare.svg"


def sessions() -> list[str]:
    """The bundled sessions, as the Makefile finds them."""
    folder = ROOT / "examples" / "sessions"
    return sorted(f"examples/sessions/{p.name}" for p in folder.iterdir() if p.suffix != ".md")


def setting(name: str) -> str:
    """A variable of the Makefile."""
    found = re.search(rf"^{name} := (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M)
    if found is None:
        raise RuntimeError(f"the Makefile sets no {name}")
    return found[1].strip()


@cache
def demo() -> tuple[str, str]:
    """The table that `make demo` prints, and its chart as SVG."""
    with workplace() as place:
        status, out, err = run(
            [
                "compare",
                *sessions(),
                *("--policies", setting("DEMO_POLICIES")),
                *("--budgets", setting("DEMO_BUDGETS")),
                *("--svg", "compare.svg"),
            ]
        )
        if status:
            raise RuntimeError(f"the demo failed: {err}")
        return out, (place / "compare.svg").read_text(encoding="utf-8")
