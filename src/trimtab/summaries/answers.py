"""A model's answer, read: the summary in it, or why there is none, and what is wrong with it.

What each finding leads to is in `model_outcomes.py`. Nothing here asks a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from trimtab.history.message import Usage
from trimtab.summaries.model_outcomes import Finding
from trimtab.summaries.prompt import language_of
from trimtab.summaries.request import NOTHING
from trimtab.summaries.template import HEADINGS, SECTIONS, Line, Parsed, Summary, parse

LONGEST = 100_000
"""Characters: what an answer has beyond these is not read; it is taken as cut off there."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered, whatever the provider.

    Attributes:
        text: its text, joined; empty where there is none.
        stop: `end`, `length`, `refusal` or `tools`.
        thinking: it holds thinking.
        calls: the names of the tools that it calls.
        refusal: the provider's words in a refusal.
        usage: what was reported.
    """

    text: str
    stop: str = "end"
    thinking: bool = False
    calls: tuple[str, ...] = ()
    refusal: str = ""
    usage: Usage = NOTHING


@dataclass(frozen=True, slots=True)
class Answer:
    """A reply as it was understood.

    Attributes:
        summary: `None` where there is none in it.
        missing: the sections that it lacks.
        findings: what is wrong with it; empty: nothing.
    """

    summary: Summary | None
    missing: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True)
class Record:
    """What an answer is compared with.

    Attributes:
        said: the words of the user and of the assistant in what was read.
        results: the words of tools' results in it.
        tools: the names of tools that were called or offered.
        language: the user's, where known.
    """

    said: str
    results: str
    tools: Collection[str] = ()
    language: str = ""


def read_answer(reply: Reply, record: Record) -> Answer:
    """The summary in a reply, or why there is none. Sizes and values are judged elsewhere."""
    if len(reply.text) > LONGEST:
        stop = "length" if reply.stop == "end" else reply.stop
        reply = replace(reply, text=reply.text[:LONGEST], stop=stop)
    missing_text = _no_text(reply)
    if missing_text is not None:
        return Answer(None, findings=(missing_text,))
    parsed = parse(reply.text)
    if reply.stop == "refusal":
        return _none("refused", _start(reply.refusal or reply.text))
    if len(parsed.missing) == len(SECTIONS):
        return _none(_instead(reply), _start(reply.text))
    if not len(parsed.summary):
        return _none("placeholder", _start(reply.text))
    return _with_findings(reply, parsed, record)


def _none(outcome: str, detail: str = "") -> Answer:
    return Answer(None, findings=(Finding(outcome, detail),))


def _no_text(reply: Reply) -> Finding | None:
    if reply.text.strip():
        return None
    if reply.stop == "refusal" or reply.refusal:
        return Finding("refused", _start(reply.refusal))
    if reply.calls or reply.stop == "tools":
        return Finding("tool-call", ", ".join(reply.calls))
    return Finding("only-thinking" if reply.thinking or reply.stop == "length" else "empty")


_REFUSAL = re.compile(
    r"\W*(?:i['’]?m |i am |we['’]?re )?(?:very |really )?(?:sorry|unable to|afraid)\b.{0,200}"
    r"|\W*(?:i|we) (?:can(?:no|['’])?t|won['’]?t|will not|am not able|must decline|do not feel)\b"
    r".{0,200}"
    r"|.{0,40}(?:申し訳|お手伝いできません|お応えできません|対応できません|できかねます)",
    re.IGNORECASE | re.DOTALL,
)
_CALL_MARKUP = re.compile(
    r"\W*(?:<\|?(?:tool_calls?|function_calls?|antml:|invoke|python_tag|tool_call_begin)"
    r"|\{\s*\"(?:name|tool|function|tool_calls|recipient_name)\"\s*:|to=functions\."
    r"|\[TOOL_CALLS\]|Action\s*:\s*\w+)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"\W*(?:user|human|assistant|ai)\s*[:：]|\W*(?:sure|okay|ok|certainly|of course|got it|great"
    r"|understood|let me|i['’]?ll|i will|now i|next,? i|here is|here['’]s)\b|\W*(?:はい|承知|了解"
    r"|わかりました|それでは)",
    re.IGNORECASE,
)
_EMPTY = re.compile(r"\(?\W*none\b.{0,40}\bempty\b|empty conversation|会話は空", re.IGNORECASE)
_SHORT = 600


def _instead(reply: Reply) -> str:
    """What an answer without any section is."""
    text = reply.text
    if reply.refusal or (len(text) <= _SHORT and _REFUSAL.match(text)):
        return "refused"
    if reply.calls or _CALL_MARKUP.match(text):
        return "tool-call"
    if len(text) <= _SHORT and _EMPTY.search(text):
        return "placeholder"
    return "continued" if _GOES_ON.match(text) else "no-template"


# -- lines that may not stay as they are -----------------------------------------------------------

_OTHER_SPEAKER = re.compile(
    r"\W*(?:<\|?(?:im_start\|>)?)?(user|human|assistant|ai|利用者|ユーザー)\s*(?:\|?>)?\s*[:：]\s*"
    r"(?=\S)",
    re.IGNORECASE,
)
_JSON_CALL = re.compile(r"\W*\{\s*\"(?:name|tool|function|arguments|input)\"\s*:")
_BRACKETED = re.compile(r"\[(?:assistant |model )?(?:tool|function)[ _](?:call|use)", re.IGNORECASE)


def _with_findings(reply: Reply, parsed: Parsed, record: Record) -> Answer:
    summary, findings = parsed.summary, []
    if reply.stop == "length":
        findings.append(Finding("cut-off", f"after {_start(_last(summary), 60)}"))
        summary = _without_last(summary)
    if parsed.missing:
        findings.append(Finding("missing-sections", _names(parsed.missing)))
    summary, found = _without_speakers(summary, record)
    findings += found
    summary, found = _without_calls(summary, record)
    findings += found
    summary, found = _without_echoes(summary, record)
    findings += found
    wanted = record.language
    written = language_of("\n".join(line.text for _, line in summary.lines()))
    if wanted and written != wanted:
        findings.append(Finding("other-language", f"{written or 'another'}, not {wanted}"))
    if not len(summary):
        return _none("placeholder", _start(reply.text))
    return Answer(summary, parsed.missing, tuple(findings))


def _names(sections: Sequence[str]) -> str:
    return ", ".join(HEADINGS[SECTIONS.index(name)].rstrip(":") for name in sections)


def _last(summary: Summary) -> str:
    return [line.text for _, line in summary.lines()][-1] if len(summary) else ""


def _without_last(summary: Summary) -> Summary:
    """Without the line in which an answer was cut off, if another is left."""
    if len(summary) < 2:
        return summary
    name = [name for name, _ in summary.lines()][-1]
    return replace(summary, **{name: summary.section(name)[:-1]})


def _without_speakers(summary: Summary, record: Record) -> tuple[Summary, list[Finding]]:
    """`User: ...` goes on with the conversation, unless it is quoted from it."""
    said = _plain(record.said)
    found: list[str] = []

    def heard(line: Line) -> Line | None:
        match = _OTHER_SPEAKER.match(line.text)
        if match is None:
            return line
        words = line.text[match.end() :]
        found.append(line.text)
        if _plain(words).strip(" .!。！") not in said:
            return None
        speaker = "assistant" if match[1].lower() in ("assistant", "ai") else "user"
        return replace(line, text=f'The {speaker} said: "{words}"')

    kept = Summary(
        *(
            tuple(line for line in map(heard, summary.section(name)) if line is not None)
            for name in SECTIONS
        )
    )
    return kept, [Finding("other-speakers", _start(found[0]))] if found else []


def _without_calls(summary: Summary, record: Record) -> tuple[Summary, list[Finding]]:
    """Calls as the model wrote them; what the user said in such words stays as the user said it."""
    said = _plain(record.said)

    def fine(text: str) -> bool:
        looks = _CALL_MARKUP.match(text) or _JSON_CALL.match(text)
        return not looks or _plain(text) in said

    summary, findings = _filtered(summary, "call-like", fine)
    names = sorted((name for name in record.tools if name), key=len, reverse=True)
    if not names:
        return summary, findings
    written = re.compile(rf"(?<![\w.])({'|'.join(map(re.escape, names))})\(([^()\n]*)\)")
    reworded: list[str] = []

    def reword(line: Line) -> Line:
        if _plain(line.text) in said or not (
            written.search(line.text) or _BRACKETED.search(line.text)
        ):
            return line
        reworded.append(line.text)
        text = written.sub(lambda m: f"{m[1]} with {m[2]}" if m[2].strip() else m[1], line.text)
        return replace(line, text=text)

    summary = Summary(*(tuple(map(reword, summary.section(name))) for name in SECTIONS))
    if reworded and not findings:
        findings = [Finding("call-like", _start(reworded[0]))]
    return summary, findings


_OVERRIDE = re.compile(
    r"\b(?:ignore|disregard|forget|override)\b.{0,40}\b(?:previous|prior|above|earlier|all|your)\b"
    r".{0,30}\b(?:instructions?|prompts?|rules|messages|context)\b"
    r"|(?:以前|上記|これまで|前)の(?:指示|命令|プロンプト).{0,12}(?:無視|忘れ)",
    re.IGNORECASE,
)


def _without_echoes(summary: Summary, record: Record) -> tuple[Summary, list[Finding]]:
    """An order that only a tool's result holds is no goal of the user's and no next step.

    It is told as said by a result; one that would set instructions aside is not told at all.
    """
    results, said = _plain(record.results), _plain(record.said)
    found: list[str] = []
    told: list[Line] = []

    def own(line: Line, *, order: bool) -> bool:
        words = _plain(line.text).strip(" .!。！")
        override = _OVERRIDE.search(line.text) is not None
        if words in said or not (override or (order and len(words) >= 12 and words in results)):
            return True
        found.append(line.text)
        if not override:
            told.append(Line(f"A tool's result says: \"{line.text}\" (no order of the user's)"))
        return False

    kept = {
        name: tuple(
            line
            for line in summary.section(name)
            if own(line, order=name in ("goal", "next_steps"))
        )
        for name in SECTIONS
    }
    if not found:
        return summary, []
    kept["facts"] += tuple(told)
    return Summary(**kept), [Finding("echoed", _start(found[0], 120))]


def _filtered(
    summary: Summary, outcome: str, fine: Callable[[str], object]
) -> tuple[Summary, list[Finding]]:
    gone = [line.text for _, line in summary.lines() if not fine(line.text)]
    if not gone:
        return summary, []
    kept = Summary(
        *(tuple(ln for ln in summary.section(name) if fine(ln.text)) for name in SECTIONS)
    )
    return kept, [Finding(outcome, _start(gone[0]))]


def _plain(text: str) -> str:
    """For comparison: case, quotation marks, bullets and white space do not count."""
    return " ".join(re.sub(r"[\"'“”‘’`*「」>]", "", text.casefold()).split())


def _start(text: str, length: int = 80) -> str:
    line = " ".join(text.split())
    return line if len(line) <= length else line[: length - 1] + "…"
