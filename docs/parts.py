"""The generated parts of the pages: one function each, called by the name in the page's mark."""

from __future__ import annotations

import ast
import inspect
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping

from docs import example, japanese
from docs.console import console, help_text, workplace
from docs.demo import demo
from docs.figures import turns
from docs.markdown import fenced, first_line, shown_value, table
from docs.picture import holds, picture
from docs.signatures import arguments, methods
from docs.snippets import printed, typed_after
from trimtab.context.budget import Budget, parse_size
from trimtab.context.explain import explain
from trimtab.context.plan import Plan
from trimtab.policies.registry import POLICIES, fit, parameters, policy_class

COUNTED_MODELS = (
    "gpt-5",
    "gpt-4.1",
    "gpt-4o",
    "o3",
    "gpt-oss-120b",
    "gpt-4",
    "claude-sonnet-4-5",
    "claude-opus-4-7",
    "gemini-2.5-pro",
    "deepseek-chat",
    "another-model",
)


def part(mark: str) -> str:
    """The text of one generated part.

    Args:
        mark: the function's name and its arguments, as in the page: `picture prune:N=2,W=2 5k`.

    Raises:
        KeyError: there is no such function.
    """
    name, *arguments = shlex.split(mark)
    return PARTS[name](*arguments).rstrip()


# -- policies --------------------------------------------------------------------------------


def policies(folder: str = "", said: Mapping[str, str] | None = None) -> str:
    """Every policy with its parameters.

    Args:
        folder: where the pages of the policies are, seen from the page.
        said: what each does, in another language.
    """
    rows = []
    for name in POLICIES:
        given = ", ".join(f"`{p.name}={shown_value(p.default)}`" for p in parameters(name))
        does = said[name] if said else first_line(policy_class(name))
        rows.append((f"[`{name}`]({folder}{name}.md)", does, given or "–"))
    head = ("ポリシー", "働き", "パラメーターと既定値")
    return table(head if said else ("policy", "what it does", "parameters and defaults"), rows)


def policies_in_japanese(folder: str = "") -> str:
    """The same in Japanese."""
    return policies(folder, japanese.POLICIES)


def parameter_table(policy: str) -> str:
    """The parameters of one policy."""
    found = parameters(policy)
    if not found:
        return "No parameters."
    rows = [
        (f"`{p.name}`", f"`{p.type}`", f"`{shown_value(p.default) or '()'}`", p.meaning)
        for p in found
    ]
    return table(("parameter", "type", "default", "meaning"), rows)


def plan_of(spec: str, budget: str, unit: str = "tokens") -> Plan:
    """The plan of a policy on the example session."""
    history = example.history()
    whole = fit(history, Budget(10**9, unit), "append").before
    return fit(history, Budget(parse_size(budget, whole=whole), unit), spec)


def picture_of(spec: str, budget: str) -> str:
    """The example's message list before and after, and the edits between."""
    plan = plan_of(spec, budget)
    said = f"`{spec}`, budget {budget}: {len(plan.edits)} edits, {plan.reduction:.0%} smaller."
    return f"{said}\n\n{fenced(picture(plan))}"


def edits_of(spec: str, budget: str) -> str:
    """The edits of that plan with their reasons."""
    rows = [
        (e.kind, e.target, f"`{e.block}`" if e.block else "", e.reason)
        for e in explain(plan_of(spec, budget))
    ]
    return table(("edit", "of", "block", "reason"), rows)


def summary_of(spec: str, budget: str) -> str:
    """The text of the summary that a plan puts in."""
    found = [edit.text for edit in plan_of(spec, budget).edits if edit.kind == "summarise"]
    return fenced("\n\n".join(found))


# -- history and tokens ------------------------------------------------------------------------


def exchanges() -> str:
    """The exchanges of the example session."""
    history = example.history()
    rows = []
    for exchange in (history.exchanges[n] for n in range(len(history.exchanges))):
        messages = history[exchange.start : exchange.stop]
        numbers = str(exchange.start)
        if exchange.stop - exchange.start > 1:
            numbers += f"-{exchange.stop - 1}"
        held = "; ".join(f"{m.role}: {holds(m)}" for m in messages)
        rows.append((str(exchange.index), numbers, held))
    return table(("exchange", "messages", "what they hold"), rows)


def counters() -> str:
    """How the names of some models count."""
    from trimtab.tokens import counter_for, window_of

    rows = []
    for model in COUNTED_MODELS:
        counter = counter_for(model)
        window = window_of(model)
        kind = "exact" if counter.exact else "estimate"
        shown = f"{window:,}" if window else "unknown"
        rows.append((f"`{model}`", kind, f"`{counter.name}`", shown))
    return table(("model", "texts", "counter", "window"), rows)


def factors() -> str:
    """The starting factors of the estimates."""
    from trimtab.tokens.classes import CLASSES
    from trimtab.tokens.estimate import FACTORS

    rows = [
        (f"`{family}`", *(f"{values[name]:g}" for name in CLASSES))
        for family, values in FACTORS.items()
    ]
    return table(("family", *CLASSES), rows)


# -- rules, pins, formats ----------------------------------------------------------------------


def pin_rules() -> str:
    """Every rule that finds a requirement."""
    from trimtab.pins import RULES

    return table(("rule", "finds"), [(f"`{name}`", finds) for name, finds in RULES.items()])


def provider_rules() -> str:
    """Every provider rule, by format: what it asks for, and the names of what breaks it."""
    from trimtab.history.rules import RULES

    parts = []
    for dialect, rules in RULES.items():
        rows = [
            (first_line(rule), ", ".join(f"`{name}`" for name in broken_names(rule)))
            for rule in rules
        ]
        parts.append(f"### {dialect}\n\n{table(('rule', 'named when broken'), rows)}")
    return "\n\n".join(parts)


def broken_names(rule: Callable[..., object]) -> list[str]:
    """The names of the violations that a rule's function and those it calls can find."""
    module = sys.modules[rule.__module__]
    found: dict[str, None] = {}
    waiting, seen = [rule.__name__], set[str]()
    while waiting:
        name = waiting.pop()
        function = getattr(module, name, None)
        if name in seen or getattr(function, "__module__", None) != rule.__module__:
            continue
        seen.add(name)
        if function is None or not inspect.isfunction(function):
            continue
        for node in ast.walk(ast.parse(inspect.getsource(function))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                waiting.append(node.func.id)
                if node.func.id == "Violation" and isinstance(node.args[0], ast.Constant):
                    found[str(node.args[0].value)] = None
    return sorted(found)


def formats() -> str:
    """Every format."""
    from trimtab.formats.registry import FORMATS

    rows = [
        (f"`{name}`", f.kind, "yes" if f.reads else "", "yes" if f.writes else "", f.about)
        for name, f in FORMATS.items()
    ]
    return table(("format", "kind", "read", "written", "what it is"), rows)


def problems() -> str:
    """A broken file, and what was done about it."""
    from trimtab.formats.recording import read_recording

    lines = (
        b'\xef\xbb\xbf{"role": "user", "content": "Fix the rounding."}',
        b'{"role": "assistant", "content": [{"type": "tool_call", "id": "1", "name": "run",'
        b' "input": {"command": "pytest"}}]}',
        b'\x00\x00{"role": "user", "content": "Never mind, look at the tests first."}',
        b'{"role": "assistant", "content": "I look at the te',
    )
    with workplace() as place:
        (place / "broken.jsonl").write_bytes(b"\n".join(lines))
        recording = read_recording("broken.jsonl")
    rows = [(f"`{p.where}`", p.reason, p.done) for p in recording.problems]
    said = f"Of 4 lines, {len(recording.history)} messages were read."
    return f"{table(('where', 'reason', 'done'), rows)}\n\n{said}"


# -- the command line, the library -------------------------------------------------------------


def commands() -> str:
    """The help of every command."""
    from trimtab.cli.root import COMMANDS

    parts = ["```\n" + help_text() + "```"]
    for words in _command_words(COMMANDS):
        parts.append(f"### trimtab {' '.join(words)}\n\n```\n{help_text(*words)}```")
    return "\n\n".join(parts)


def _command_words(names: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """Every command as it is typed, each group before what is in it."""
    import click

    from trimtab.cli.root import trimtab

    context = click.Context(trimtab)
    for name in names:
        yield (name,)
        command = trimtab.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((name, sub) for sub in command.list_commands(context))


def command_list() -> str:
    """Every command in one line."""
    from trimtab.cli.root import COMMANDS

    return table(("command", "what it does"), [(f"`trimtab {n}`", d) for n, d in COMMANDS.items()])


def command_list_in_japanese() -> str:
    """The same in Japanese."""
    from trimtab.cli.root import COMMANDS

    rows = [(f"`trimtab {name}`", japanese.COMMANDS[name]) for name in COMMANDS]
    return table(("コマンド", "働き"), rows)


def public_names() -> str:
    """What `import trimtab` offers."""
    import trimtab

    rows = []
    for name in trimtab.__all__:
        found = getattr(trimtab, name)
        module = getattr(found, "__module__", "")
        said = first_line(found) if callable(found) else "All policies by name."
        rows.append((f"`{name}`", f"`{module}`" if module else "", said))
    return table(("name", "where it lives", "what it is"), rows)


def errors() -> str:
    """The error tree with exit codes."""
    from trimtab import errors as module

    found = [
        value
        for value in vars(module).values()
        if isinstance(value, type) and issubclass(value, module.TrimtabError)
    ]
    rows = []
    for error in found:
        parent = error.__base__
        above = parent.__name__ if parent is not None and parent in found else ""
        rows.append((f"`{error.__name__}`", above, str(error.exit_code), first_line(error)))
    return table(("error", "is a", "exit status", "means"), rows)


# -- what runs print ---------------------------------------------------------------------------


def console_of(*command: str) -> str:
    """A command and what it printed."""
    return console(command)


def printed_by(page: str, number: str) -> str:
    """What a page's snippet of this number printed."""
    return fenced(printed(page, number))


def demo_table(*sections: str) -> str:
    """The tables that `make demo` prints.

    Args:
        sections: how the lines begin that head the tables wanted; all where none is given.

    Raises:
        KeyError: the demo prints no such table.
    """
    printed = demo()[0].strip("\n")
    if not sections:
        return fenced(printed)
    heads = "examples/sessions/|All |less: "
    tables = [t.strip("\n") for t in re.split(rf"^(?={heads})", printed, flags=re.M)]
    found = []
    for section in (*sections, "less: "):
        fitting = [t for t in tables if t.startswith(section)]
        if not fitting:
            raise KeyError(section)
        found += fitting
    return fenced("\n\n".join(found))


def measures() -> str:
    """Every measure as its function defines it."""
    from trimtab.evaluation import metrics

    found = (metrics.reduction, metrics.required_retention, metrics.verbatim_fidelity)
    rows = [(f"`{m.__name__}`", _definition(m)) for m in (*found, metrics.validity)]
    return table(("measure", "definition"), rows)


def _definition(documented: object) -> str:
    """A docstring up to its `Args:`."""
    doc = getattr(documented, "__doc__", None) or ""
    return " ".join(doc.partition("Args:")[0].split())


PARTS: dict[str, Callable[..., str]] = {
    "policies": policies,
    "policies-ja": policies_in_japanese,
    "parameters": parameter_table,
    "picture": picture_of,
    "edits": edits_of,
    "summary": summary_of,
    "exchanges": exchanges,
    "counters": counters,
    "factors": factors,
    "pin-rules": pin_rules,
    "provider-rules": provider_rules,
    "formats": formats,
    "problems": problems,
    "commands": commands,
    "command-list": command_list,
    "command-list-ja": command_list_in_japanese,
    "public-names": public_names,
    "errors": errors,
    "arguments": arguments,
    "methods": methods,
    "printed": printed_by,
    "console": console_of,
    "console-after": typed_after,
    "demo": demo_table,
    "measures": measures,
    "turns": turns,
}
