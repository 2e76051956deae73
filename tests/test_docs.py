"""The pages say what the code does: generated parts are up to date, every snippet runs."""

from __future__ import annotations

import re
import shlex
import sys
from pathlib import Path

import pytest

from docs import example, generate
from docs.clients import RefusedRequest, stand_ins
from docs.console import run, workplace
from docs.picture import picture
from docs.snippets import fences, ran
from trimtab import POLICIES, fit, parse_policy, validate

ROOT = Path(__file__).resolve().parent.parent
PAGES = generate.pages()
_LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]+)(?:#([^)\s]*))?\)")


def ids(page: Path) -> str:
    """A page as it is named in the output of the tests."""
    return str(page.relative_to(ROOT))


COMMANDS = {
    page: [
        line
        for _, block in fences(page, "sh")
        for line in block.splitlines()
        if line.startswith("trimtab ")
    ]
    for page in PAGES
}


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_generated_parts_are_up_to_date(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text == generate.render(text), "run python -m docs"


def test_generated_files_are_up_to_date() -> None:
    for path, wanted in generate.files():
        if path.suffix != ".md":
            assert path.read_text(encoding="utf-8") == wanted, (
                f"{path.name}: python -m docs.generate"
            )


def test_a_drift_is_found(tmp_path: Path) -> None:
    text = (ROOT / "docs/policies/prune.md").read_text(encoding="utf-8")
    assert generate.render(text.replace("`N` | `int` | `5`", "`N` | `int` | `6`")) == text
    with pytest.raises(generate.PageError, match="each"):
        generate.render("<!-- generated: policies -->\n")
    with pytest.raises(KeyError):
        generate.render("<!-- generated: nothing-of-the-kind -->\n<!-- end -->")


def test_generation_gives_the_same_bytes_twice() -> None:
    page = (ROOT / "docs/context-and-edits.md").read_text(encoding="utf-8")
    assert generate.render(page) == generate.render(page)


@pytest.mark.parametrize("page", [p for p in PAGES if list(fences(p, "python"))], ids=ids)
def test_snippets_run_in_their_order(page: Path) -> None:
    ran(page)


def test_a_snippet_that_fails_is_found_by_its_line(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# page\n\n```python\nn = 1\n```\n\n```python\nassert n == 2\n```\n")
    with pytest.raises(AssertionError) as failed:
        ran(page)
    assert failed.traceback[-1].lineno == 7  # from 0
    assert ran(page, 1) == [""]


def test_the_stand_ins_refuse_what_a_provider_refuses() -> None:
    before = {name: sys.modules.get(name) for name in ("anthropic", "openai")}
    lost = {"type": "tool_result", "tool_use_id": "toolu_9", "content": "of no call"}
    with stand_ins():
        client = sys.modules["anthropic"].Anthropic()
        with pytest.raises(RefusedRequest):
            client.messages.create(
                model="claude-sonnet-4-5", messages=[{"role": "user", "content": [lost]}]
            )
    assert {name: sys.modules.get(name) for name in before} == before


@pytest.mark.parametrize("page", [p for p in PAGES if COMMANDS[p]], ids=ids)
def test_commands_run_in_their_order(page: Path) -> None:
    with workplace():
        for command in COMMANDS[page]:
            status, _, err = run(shlex.split(command, comments=True)[1:])
            assert status == 0, f"{command}: {err}"


@pytest.mark.parametrize("page", PAGES, ids=ids)
def test_links_lead_somewhere(page: Path) -> None:
    for target, _ in _LINK.findall(page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_every_policy_has_its_page_and_the_index_names_every_page() -> None:
    folder = ROOT / "docs/policies"
    assert {p.stem for p in folder.glob("*.md")} == {*POLICIES, "index"}
    index = (ROOT / "docs/index.md").read_text(encoding="utf-8")
    for page in (ROOT / "docs").glob("*.md"):
        assert page.name in ("index.md", "README.md") or f"({page.name})" in index


@pytest.mark.parametrize("policy", POLICIES)
def test_policy_pages_have_the_same_shape(policy: str) -> None:
    text = (ROOT / f"docs/policies/{policy}.md").read_text(encoding="utf-8")
    heads = re.findall(r"^## (.+)$", text, re.M)
    assert heads == ["Parameters", "Before and after", "Edge rules", "When to use it", "Try it"]
    assert text.startswith(f"# {policy}\n")
    assert "**Source:**" in text
    assert f"<!-- generated: parameters {policy} -->" in text
    shown = re.findall(r"<!-- generated: picture (\S+) ", text)
    assert {parse_policy(spec).name for spec in shown} == {policy}


def test_the_example_is_valid_and_its_pictures_add_up() -> None:
    history = example.history()
    assert not validate(history, history.dialect, tools=history.tools, envelope=history.envelope)
    for spec in ("append", "truncate:turns=2", "prune:N=1,W=-1", "clear-tool-results:keep=1"):
        plan = fit(history, 5_000, spec)
        rows = picture(plan).splitlines()
        head = re.findall(r"([\d,]+) tokens", rows[0])
        columns = [[0], [0]]
        for row in rows[2:]:
            for column, half in zip(columns, row.split("|"), strict=True):
                sizes = re.findall(r"([\d,]+) [█▌▏]+", half)
                column += [int(size.replace(",", "")) for size in sizes]
        assert [sum(column) for column in columns] == [int(n.replace(",", "")) for n in head]


def test_both_readmes_show_the_same() -> None:
    english, japanese = (p.read_text(encoding="utf-8") for p in PAGES[:2])
    for language in ("python", "sh"):
        for mark in (rf"```{language}\n(.*?)```",):
            assert re.findall(mark, english, re.S) == re.findall(mark, japanese, re.S)
    parts = r"<!-- generated: (.+?) -->"
    assert len(re.findall(parts, english)) == len(re.findall(parts, japanese))
    assert len(re.findall(r"^## ", english, re.M)) == len(re.findall(r"^## ", japanese, re.M))


def test_pages_name_no_place_of_their_making() -> None:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"/(?:work|tmp|root|home)/", text), page.name
