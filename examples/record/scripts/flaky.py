"""The session about flaky tests: three causes, each found by making it happen every time."""

# ruff: noqa: E501  (words and commands stand here as they are recorded)

from __future__ import annotations

from examples.record.steps import Script, edit, found, grep, list_dir, read, run, say, user

SYSTEM = """
You are a coding agent in one git repository at /repo. Tools: read_file, write_file, edit_file, run, grep,
list_dir. Read before you change, reproduce before you repair, say briefly what you do and why.
""".strip()

TASK = """
CI is red since Monday, with 7 failures in one run and 8 in the next, and my colleague sees other ones than I do. Find
out why and repair it. Conditions:

- You must not skip tests, mark them xfail, retry them or loosen an assertion. The tests are right.
- Do not change pyproject.toml or the CI's command, which is `python -m pytest`.
- No sleep, and no fixed PYTHONHASHSEED as the "repair".
- At most 4 files changed. One commit a cause, message "flaky: ...". Do not push.
- A plan has to be the same on every machine, README.md says so.
"""

SEEDS = 'for s in {seeds}; do PYTHONHASHSEED=$s python -m pytest -q --tb=no {files} | tail -n 1 | sed "s/^/seed $s: /"; done'


def seeds(first: int, last: int, files: str = "") -> str:
    """A command that runs the tests once for each hash seed."""
    return SEEDS.format(
        seeds=" ".join(str(n) for n in range(first, last + 1)), files=files
    ).replace("  |", " |")


def session() -> Script:
    """From "it fails sometimes" to three causes and three commits."""
    yield user(TASK)
    yield say(
        "What is there, and how large is it?",
        list_dir(".", deep=True),
        run("git log --format='%h %ad %s' --date=short"),
    )
    yield say(
        "The promise about plans, and the settings that I must not change.",
        read("README.md"),
        read("pyproject.toml"),
    )
    yield say("One run, as CI does it.", run("python -m pytest"), expect="failed")
    yield say(
        "And a second one, nothing changed in between.",
        run("python -m pytest -q --tb=no"),
        expect="failed",
    )
    yield say(
        "The same failures twice, but my shell has a fixed hash seed, and CI has none. What is set here?",
        run(
            "env | grep -i hashseed; env -u PYTHONHASHSEED python -c \"print(hash('a') == hash('a'), list({'a','b','c','d'}))\""
        ),
        expect="PYTHONHASHSEED=0",
    )
    yield say("So I let the seed vary, 12 runs.", run(seeds(1, 12)), expect="seed 12:")
    yield say(
        "The number of failures depends on the seed. Which tests, and how often each?",
        run(
            "for s in $(seq 1 12); do PYTHONHASHSEED=$s python -m pytest -q --tb=no | grep ^FAILED | cut -d' ' -f2; done "
            "| sort | uniq -c | sort -rn"
        ),
        expect="test_graph.py",
    )
    yield say(
        "One of the graph's four comes and goes with the seed, the other seven always fail. The graph first.",
        read("taskq/graph.py"),
        read("tests/test_graph.py"),
        expect="ready.pop()",
    )
    yield say(
        "`ready` is a set and `ready.pop()` takes whatever the hash puts first. That is cause 1. Is there a seed under "
        "which test_graph.py passes at all?",
        run(
            "for s in $(seq 1 40); do PYTHONHASHSEED=$s python -m pytest -q --tb=no tests/test_graph.py | tail -n 1; done "
            "| sed 's/ in .*//' | sort | uniq -c"
        ),
        expect="failed",
    )
    yield say(
        "Under none of 40; three of its tests fail always. The cycle's message lists names in the order of a dict, so the seed should not matter there?",
        run(
            "for s in 1 2 3 4 5 6; do PYTHONHASHSEED=$s python -m pytest -q --tb=line tests/test_graph.py -k cycle | tail -n 2; done"
        ),
    )
    yield say(
        "It does not, it fails always. README.md: of the ready the first in the alphabet. So `min(ready)`, and names in the message sorted, since the "
        'test wants "a, b" for a dict that begins with b.',
        edit("taskq/graph.py", "        name = ready.pop()", "        name = min(ready)"),
        edit("taskq/graph.py", '", ".join(waiting)', '", ".join(sorted(waiting))'),
        run(
            "for s in $(seq 1 30); do PYTHONHASHSEED=$s python -m pytest -q --tb=no tests/test_graph.py | tail -n 1; done | sed 's/ in .*//' | sort | uniq -c"
        ),
        expect="30 5 passed",
    )
    (slow,) = yield say(
        "30 of 30. `min` in each round is quadratic; with how many tasks does one notice?",
        run(
            'python - <<"END"\nimport time\nfrom taskq.graph import plan\nfor n in (100, 1000, 3000):\n'
            "    t = time.perf_counter()\n    plan({f't{i}': [] for i in range(n)})\n"
            "    print(n, f'{time.perf_counter() - t:.2f} s')\nEND"
        ),
        expect="3000",
    )
    took = found(r"3000 ([\d.]+) s", slow)
    yield say(
        f"{took} s for 3000 tasks, and the old code was quadratic as well (it builds `ready` anew each round). A heap gives the same order "
        "at once; it is the same cause and the same file, so I do it now.",
        read("taskq/graph.py", 10, 20),
    )
    yield say(
        "The loop with a heap and the reverse edges:",
        edit(
            "taskq/graph.py",
            """
    order: list[str] = []
    while waiting:
        ready = {name for name, needs in waiting.items() if not needs}
        if not ready:
            raise CycleError(", ".join(sorted(waiting)))
        name = min(ready)
        order.append(name)
        del waiting[name]
        for needs in waiting.values():
            needs.discard(name)
    return order
""",
            """
    needed_by: dict[str, list[str]] = {name: [] for name in waiting}
    for name, needs in waiting.items():
        for need in needs:
            needed_by[need].append(name)
    ready = [name for name, needs in waiting.items() if not needs]
    heapify(ready)
    order: list[str] = []
    while ready:
        name = heappop(ready)
        order.append(name)
        del waiting[name]
        for other in needed_by[name]:
            waiting[other].discard(name)
            if not waiting[other]:
                heappush(ready, other)
    if waiting:
        raise CycleError(", ".join(sorted(waiting)))
    return order
""",
        ),
        edit(
            "taskq/graph.py",
            "from collections.abc import Iterable, Mapping",
            "from collections.abc import Iterable, Mapping\nfrom heapq import heapify, heappop, heappush",
        ),
        run("python -m pytest -q tests/test_graph.py"),
        expect="5 passed",
    )
    yield say(
        "Same order as before? A thousand random graphs against the short version from git, under three seeds.",
        run(
            "git show HEAD:taskq/graph.py | sed 's/ready.pop()/min(ready)/' > taskq/old_graph.py\n"
            'for s in 1 2 3; do PYTHONHASHSEED=$s python - <<"END"\nimport random\nfrom taskq.graph import plan\n'
            "from taskq.old_graph import plan as old\nrandom.seed(5)\nsame = 0\nfor _ in range(1000):\n"
            "    n = random.randrange(1, 25)\n"
            "    t = {f'k{i}': [f'k{j}' for j in range(i) if random.random() < 0.2] for i in range(n)}\n"
            "    same += plan(t) == old(t)\nprint(same)\nEND\ndone; rm taskq/old_graph.py; git status --short"
        ),
        expect="1000",
    )
    yield say(
        "1000 of 1000, three times. Commit for cause 1.",
        run(
            "git commit -qam 'flaky: a plan no longer depends on the hash seed' && git log --oneline -1; "
            + 'python - <<"END"\nimport time\nfrom taskq.graph import plan\nt = time.perf_counter()\nplan({f"t{i}": [] for i in range(3000)})\nprint(f"{time.perf_counter() - t:.3f} s")\nEND'
        ),
        expect="flaky: a plan",
    )
    yield say("What is left, over 12 seeds again?", run(seeds(1, 12)), expect="seed 12:")
    yield say(
        "Stable now, and still failing. The runner:",
        read("taskq/runner.py"),
        read("tests/test_runner.py"),
        expect="log: list[str] = []",
    )
    yield say(
        "`log: list[str] = []` in the signature is one list for all calls: cause 2. If I am right, each test passes alone and they "
        "fail together.",
        run(
            'for t in test_results test_everything_is_run_once test_the_second_time_comes_from_the_cache test_a_log_of_ones_own; do python -m pytest -q --tb=no tests/test_runner.py -k $t | tail -n 1 | sed "s/^/$t: /"; done; python -m pytest -q --tb=no tests/test_runner.py | tail -n 4'
        ),
        expect="test_results: 1 passed",
    )
    yield say(
        "Not quite: the one about the cache fails alone too, since it calls run_all twice itself. That fits the shared list as well. Its "
        "failure in full, before I touch anything:",
        run("python -m pytest -q tests/test_runner.py -k second"),
        expect="cached one",
    )
    yield say(
        "The list begins with the first call's lines. A list for each call:",
        edit(
            "taskq/runner.py",
            "log: list[str] = []) -> Outcome:",
            "log: list[str] | None = None) -> Outcome:",
        ),
        edit(
            "taskq/runner.py",
            "    outcome = Outcome(log=log)",
            "    outcome = Outcome(log=[] if log is None else log)",
        ),
        run("python -m pytest -q --tb=short tests/test_runner.py"),
        expect="failed",
    )
    yield say(
        'Fewer, but a fresh tmp_path answers "cached". An empty folder cannot know anything, so it must come from memory: `_known` '
        "in the cache.",
        read("taskq/cache.py"),
        read("tests/test_cache.py"),
        expect="_known",
    )
    yield say(
        "`_known` is keyed by name and inputs, not by folder, and lives as long as the process: cause 3. To prove it, the order of the "
        "files decides:",
        run(
            "python -m pytest -q --tb=no tests/test_cache.py tests/test_runner.py | tail -n 6; echo; python -m pytest -q --tb=no tests/test_runner.py::test_everything_is_run_once | tail -n 1"
        ),
        expect="1 passed",
    )
    yield say(
        "Commit for cause 2 first, alone.",
        run(
            "git commit -qam 'flaky: run_all keeps no log between calls' && git show --stat --format=%s HEAD"
        ),
        expect="taskq/runner.py",
    )
    yield say(
        "Does anything rely on `_known` from outside?", grep("_known"), expect="taskq/cache.py"
    )
    yield say(
        "Nobody. Keyed by folder as well, the memory stays useful within a run and cannot leak between folders.",
        edit(
            "taskq/cache.py",
            "_known: dict[str, object] = {}",
            "_known: dict[tuple[Path, str], object] = {}",
        ),
        edit(
            "taskq/cache.py",
            """
    if wanted not in _known:
        path = folder / f"{wanted}.json"
        if not path.exists():
            raise KeyError(wanted)
        _known[wanted] = json.loads(path.read_text())
    return _known[wanted]
""",
            """
    at = (folder.resolve(), wanted)
    if at not in _known:
        path = folder / f"{wanted}.json"
        if not path.exists():
            raise KeyError(wanted)
        _known[at] = json.loads(path.read_text())
    return _known[at]
""",
        ),
        edit(
            "taskq/cache.py",
            "    _known[wanted] = result",
            "    _known[folder.resolve(), wanted] = result",
        ),
        run("python -m pytest -q --tb=short"),
        expect="13 passed",
    )
    yield say(
        "13 of 13, with seed 0. Now the 12 seeds:", run(seeds(1, 12)), expect="seed 12: 13 passed"
    )
    yield say(
        "All pass with any fixed seed. CI has none at all, so the same without one, six times:",
        run(
            "for n in 1 2 3 4 5 6; do env -u PYTHONHASHSEED python -m pytest -q --tb=no | tail -n 2; done"
        ),
        expect="test_another_process_finds_the_entry",
    )
    yield say(
        "One left, and only there: `test_another_process_finds_the_entry`. With a fixed seed both processes agree by luck. I should have "
        "looked without a seed from the start. `key` uses hash() of strings:",
        run(
            "for n in 1 2 3; do env -u PYTHONHASHSEED python -c \"from taskq.cache import key; print(key('fetch', ('x',)))\"; done"
        ),
        expect="fetch-",
    )
    yield say(
        "Three processes, three names for the same entry: the cache on disk never worked between runs. Cause 4. Commit cause 3, then a digest "
        "of the JSON form.",
        run(
            "git commit -qam 'flaky: the cache in memory belongs to its folder' && git log --oneline -3"
        ),
    )
    yield say(
        "Inputs are results, and results are JSON values, so JSON is their exact form. sha256, the first 16 digits; 8 would be few for a "
        "large folder.",
        edit(
            "taskq/cache.py",
            '    return f"{name}-{hash((name, inputs)) & 0xFFFFFFFF:08x}"',
            '    text = json.dumps([name, inputs], sort_keys=True)\n    return f"{name}-{sha256(text.encode()).hexdigest()[:16]}"',
        ),
        edit("taskq/cache.py", "import json\n", "import json\nfrom hashlib import sha256\n"),
        run(
            "for n in 1 2 3; do env -u PYTHONHASHSEED python -c \"from taskq.cache import key; print(key('fetch', ('x',)))\"; done"
        ),
        expect="fetch-",
    )
    yield say(
        "The same name three times. Without a seed, 20 runs:",
        run(
            "for n in $(seq 1 20); do env -u PYTHONHASHSEED python -m pytest -q --tb=no | tail -n 1; done | sed 's/ in .*//' | sort | uniq -c"
        ),
        expect="20 13 passed",
    )
    yield say(
        "20 of 20. Two things that hash() told apart and JSON might not: 1 and True, (1,) and [1].",
        run(
            "python -c \"from taskq.cache import key; print(key('a', (1,)), key('a', (True,)), key('a', ((1,),)), key('a', ([1],)))\""
        ),
        expect="a-",
    )
    yield say(
        "1 and True differ now (hash() confused them); a tuple and a list are one, as they are after a trip through the file. Commit.",
        run(
            "git commit -qam 'flaky: cache keys are the same in every process' && git diff --stat main"
        ),
        expect="3 files changed",
    )
    yield say(
        "Order of the tests as a last suspect: files reversed, and each file alone.",
        run(
            "python -m pytest -q --tb=no tests/test_runner.py tests/test_graph.py tests/test_cache.py | tail -n 1; for f in tests/test_*.py; do python -m pytest -q --tb=no $f | tail -n 1; done"
        ),
        expect="13 passed",
    )
    yield say(
        "Your conditions: no skip, no xfail, no retry, no sleep, pyproject.toml and tests as they were.",
        run(
            "git diff --stat main -- tests pyproject.toml README.md | wc -l; git diff main | grep -ciE 'skip|xfail|retry|sleep|hashseed'; git diff --name-only main | wc -l; git log --format=%s main.."
        ),
        expect="flaky: cache keys",
    )
    (last,) = yield say(
        "And the command of CI, without a seed, verbose.",
        run("env -u PYTHONHASHSEED python -m pytest -v"),
        expect="13 passed",
    )
    took = found(r"13 passed in ([\d.]+)s", last)
    yield say("The whole difference:", run("git diff main"), expect="heappush")
    yield say(
        f"Repaired: 13 tests pass in {took} s, 20 of 20 runs without a seed. Four causes, four commits, 3 files of 4:\n\n"
        "1. taskq/graph.py: `plan` took from a set, so the order followed the hash seed. Now a heap, the alphabet decides.\n"
        "2. taskq/runner.py: one list `log` for all calls.\n"
        "3. taskq/cache.py: `_known` answered for other folders.\n"
        "4. taskq/cache.py: keys from hash() differ in each process, so the cache on disk never hit between runs. Old cache files are not found "
        "any more; they never were.\n\n"
        "Tests, pyproject.toml and README.md are unchanged; nothing is pushed."
    )
    yield user(
        "Number 4 explains our slow nightly, too. Does the fix of `log` change anything for a caller who passes a list?"
    )
    yield say(
        "A caller's list is used as before. I check that it is the very same object.",
        run(
            "python -c \"\nimport tempfile, pathlib\nfrom taskq.runner import Task, run_all\nlog = []\nwith tempfile.TemporaryDirectory() as d:\n    print(run_all({'a': Task(lambda: 1)}, pathlib.Path(d), log).log is log, log)\n\""
        ),
        expect="True",
    )
    yield say(
        "It is: `True ['ran a']`. `[] if log is None else log` leaves an empty list of the caller alone, which `log or []` would not have done."
    )
