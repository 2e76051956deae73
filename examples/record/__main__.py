"""`python -m examples.record FOLDER`: records the sessions anew, into a folder."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from examples.record.catalogue import RECIPES
from examples.record.loop import RecordingError, record
from examples.record.workplace import workplace


def main(arguments: Sequence[str] | None = None) -> int:
    """Records; 0 where all sessions were written, 1 where a script no longer fits."""
    parser = argparse.ArgumentParser(prog="python -m examples.record", description=__doc__)
    parser.add_argument("folder", type=Path, help="where the sessions are written")
    parser.add_argument("--only", choices=sorted(RECIPES), help="one session alone")
    parser.add_argument("--turns", type=int, help="stop after so many turns of the agent")
    options = parser.parse_args(arguments)
    options.folder.mkdir(parents=True, exist_ok=True)
    for name, recipe in RECIPES.items():
        if options.only in (None, name):
            with workplace(recipe.project()) as place:
                try:
                    session = record(
                        recipe.script(), place, recipe.system, recipe.model, options.turns
                    )
                except (RecordingError, LookupError) as error:
                    print(f"{name}: {error}", file=sys.stderr)
                    return 1
            text = json.dumps(recipe.write(session), ensure_ascii=False, indent=1) + "\n"
            (options.folder / recipe.file).write_text(text, encoding="utf-8")
            print(f"{recipe.file}: {session.turns} turns, {len(text):,} characters")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
