"""Sizes in characters: the texts, joined by one newline each."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from trimtab.history.message import (
    Block,
    Document,
    Image,
    Message,
    Opaque,
    Text,
    Thinking,
    ToolCall,
    ToolResult,
)
from trimtab.tokens import counter_for

words = st.text(max_size=40)
content = st.one_of(
    words.map(Text),
    st.builds(Image, width=st.integers(0, 3000), height=st.integers(0, 3000)),
    st.builds(Document, title=words, text=words, url=words),
    st.builds(Opaque, kind=st.just("x"), raw=st.dictionaries(words, words, max_size=3)),
)
blocks: st.SearchStrategy[Block] = st.one_of(
    content,
    st.builds(Thinking, text=words, signature=st.none() | words),
    st.builds(
        ToolCall,
        id=words,
        name=words,
        input=st.none() | words | st.dictionaries(words, st.integers() | words, max_size=3),
    ),
    st.builds(ToolResult, call_id=words, content=st.lists(content, max_size=3).map(tuple)),
)


@given(some=st.lists(blocks, max_size=5))
def test_characters_are_all_texts_joined_by_newlines(some: list[Block]) -> None:
    def texts(block: Block) -> list[str]:
        match block:
            case Text(text=text):
                return [text]
            case ToolCall(name=name, input=None | ""):
                return [name]
            case ToolCall(name=name, input=str() as given):
                return [name, given]
            case ToolCall(name=name, input=given):
                return [name, json.dumps(given, ensure_ascii=False, separators=(",", ":"))]
            case ToolResult(content=parts):
                return [text for part in parts for text in texts(part)]
            case Thinking(text=text) | Document(text=text):
                return [text] if text else []
            case Opaque(raw=raw):
                return [json.dumps(raw, ensure_ascii=False, separators=(",", ":"))]
        return []

    counter = counter_for(None, "chars")
    joined = "\n".join(text for block in some for text in texts(block))
    assert counter.message(Message("user", tuple(some))) == len(joined) + 1


@given(st.lists(st.text(st.characters(exclude_categories=[]), max_size=30), max_size=12))
def test_plain_records_in_characters(records: list[str]) -> None:
    counter = counter_for(None, "chars")
    messages = [Message("user", (Text(record),)) for record in records]
    assert [counter.message(m) for m in messages] == [len(r) + 1 for r in records]
    assert counter.total(sum(map(counter.message, messages)), len(messages)) == len(
        "\n".join(records)
    )


def test_characters_are_code_points() -> None:
    counter = counter_for("gpt-4o", "chars")
    assert counter.text("漢字😀é\ud800") == 5
    assert counter.block(ToolCall("id", "ls", {"path": "あ"})) == len('ls\n{"path":"あ"}')
    assert counter.block(Image(data="A" * 5000)) == 0
