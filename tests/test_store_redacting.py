"""A redacting store: no secret gets in by any way, and the ids that are named are found."""

from __future__ import annotations

import base64
import json
import re
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.secrets_made import TOKENS, Maker
from tests.stores import Backend, backend
from trimtab import Session
from trimtab.context.blocks import block_id
from trimtab.errors import InputError
from trimtab.formats.record import REDACTED
from trimtab.history.rules import validate
from trimtab.store.memory_tool import MemoryTool
from trimtab.store.open import open_store, opened
from trimtab.store.protocol import Indexed, Store
from trimtab.store.redacting_store import RedactingStore
from trimtab.store.sql_store import SqlStore

__all__ = ["backend"]  # fixture

SECRET = TOKENS["github-token"][0](Maker(1))
GONE = "[redacted: github-token]"


@pytest.fixture
def store(backend: Backend) -> Store:
    return RedactingStore(backend.open())


def everything(store: Store) -> bytes:
    """All that a store would give away again."""
    kept = [b"".join(store.export_session(info.id)) for info in store.sessions()]
    kept += [store.get_block(id) for id in store.block_ids()]
    kept += [note.value.encode() for note in store.notes()]
    kept += [store.memory_get(file.path) or b"" for file in store.memory_list()]
    kept += [info.title.encode() for info in store.sessions()]
    return b"\n".join(kept)


# -- every way in ----------------------------------------------------------------------------------


def test_a_redacting_store_has_all_that_a_store_has() -> None:
    own = {name for name in vars(Store) if not name.startswith("_")}
    assert own <= set(dir(RedactingStore))
    assert own <= set(dir(SqlStore))


def test_nothing_that_is_written_holds_the_secret(store: Store) -> None:
    text = f"the key is {SECRET}, keep it"
    data = text.encode()
    store.create_session("one", dialect="neutral", model=None, title=text, meta=data)
    id = block_id(store.prepare(data))
    indexed = Indexed("one", 0, 0, id, text)
    store.append(
        "one", 0, [("message", json.dumps({"text": text}).encode())], blocks=[data], texts=[indexed]
    )
    store.append("one", 1, [("edits", data), ("odd", b"\xff" + data)], refs=[id])
    store.change_session("one", title=text, meta=data)
    assert store.put_block(b"1 " + data) == block_id(
        b"1 " + data.replace(SECRET.encode(), GONE.encode())
    )
    store.put_blocks([b"2 " + data, b"no secret"])
    store.put_note("key", text)
    assert store.memory_put("/memories/a", data)
    kept = everything(store)
    assert SECRET.encode() not in kept
    assert kept.count(GONE.encode()) >= 9
    assert store.meta("one") == data.replace(SECRET.encode(), GONE.encode())
    assert b"no secret" in kept
    assert store.check() == []
    (hit,) = store.search("keep it", session="one")
    assert SECRET not in hit.text
    assert store.get_block(hit.block).decode() == text.replace(SECRET, GONE)
    assert store.search(SECRET) == []


def test_not_even_in_the_file_itself(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    secret = f"{SECRET} and {SECRET}"
    with RedactingStore(open_store(path)) as store:
        store.create_session("one", dialect="neutral", model=None)
        for n in range(20):
            store.append(
                "one", n, [("message", secret.encode())], blocks=[f"{n} {secret}".encode()]
            )
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    db.close()
    for file in tmp_path.iterdir():
        assert SECRET.encode() not in file.read_bytes()


def test_a_match_aborts_nothing(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    bodies = [
        SECRET.encode() * 3,
        b"{" + SECRET.encode(),
        b'["\\ud800 ' + SECRET.encode() + b'"]',
        b"\xff",
    ]
    store.append("one", 0, [("message", body) for body in bodies])
    assert len(list(store.events("one"))) == 4
    assert SECRET.encode() not in everything(store)


def test_a_message_says_that_it_was_redacted(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    plain = b'{ "text" : "nothing" }'
    store.append("one", 0, [("message", plain), ("message", b'{"text":"%s"}' % SECRET.encode())])
    first, second = (event.body for event in store.events("one"))
    assert first == plain
    assert json.loads(second) == {"text": GONE, REDACTED: True}


def test_an_id_of_unredacted_bytes_becomes_that_of_the_kept_ones(store: Store) -> None:
    store.create_session("one", dialect="neutral", model=None)
    data = SECRET.encode()
    told = block_id(data)
    text = Indexed("one", 0, 0, told, "words to find")
    store.append("one", 0, [("edits", f"recall {told}".encode())], blocks=[data], texts=[text])
    right = block_id(GONE.encode())
    (event,) = store.events("one")
    assert event.body == f"recall {right}".encode()
    assert [hit.block for hit in store.search("words to find")] == [right]
    assert store.get_block(right) == GONE.encode()


def test_memory_files_can_still_be_edited(store: Store) -> None:
    memory = MemoryTool.in_store(store)
    memory.call(
        {"command": "create", "path": "/memories/a.md", "file_text": f"one {SECRET}\ntwo\n"}
    )
    memory.call(
        {"command": "str_replace", "path": "/memories/a.md", "old_str": "two", "new_str": "2"}
    )
    memory.call(
        {"command": "insert", "path": "/memories/a.md", "insert_line": 0, "insert_text": SECRET}
    )
    assert store.memory_get("/memories/a.md") == f"{GONE}\none {GONE}\n2\n".encode()


def test_an_imported_session(backend: Backend, tmp_path: Path) -> None:
    whole = open_store(tmp_path / "whole.db")
    whole.create_session("one", dialect="neutral", model=None, title=SECRET, meta=SECRET.encode())
    blocks = [f"a {SECRET}".encode(), b"\xff " + SECRET.encode(), b"plain"]
    ids = [block_id(data) for data in blocks]
    whole.append(
        "one",
        0,
        [("message", SECRET.encode()), ("edits", " ".join(ids).encode())],
        blocks=blocks,
        texts=[Indexed("one", 0, 0, ids[0], f"found {SECRET}")],
    )
    store = RedactingStore(backend.open())
    assert store.import_session(whole.export_session("one")) == "one"
    assert SECRET.encode() not in everything(store)
    assert SECRET.encode() not in base64.b64decode(base64.b64encode(everything(store)))
    assert store.check() == []
    named = list(store.events("one"))[1].body.decode().split()
    kept = [store.get_block(id) for id in named]
    assert kept == [data.replace(SECRET.encode(), GONE.encode()) for data in blocks]
    assert [hit.block for hit in store.search("found")] == [named[0]]
    again = open_store(tmp_path / "again.db")
    again.import_session(store.export_session("one"))
    with pytest.raises(InputError):
        store.import_session([b"not JSON"], id="two")
    whole.close()
    again.close()


# -- whether one is wanted -------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, and a home of no one's."""
    for name in ("HOME", "XDG_CONFIG_HOME", "TRIMTAB_HOME"):
        monkeypatch.setenv(name, str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_as_the_program_says_or_else_as_the_settings_say(folder: Path) -> None:
    def redacts(redact: bool | None) -> bool:
        store, ours = opened(folder / "s.db", redact)
        assert ours
        with store:
            return store.prepare(SECRET.encode()) == GONE.encode()

    assert [redacts(None), redacts(False), redacts(True)] == [False, False, True]
    (folder / "trimtab.toml").write_text("[store]\nredact = true\n")
    assert [redacts(None), redacts(False), redacts(True)] == [True, False, True]
    (folder / "trimtab.toml").write_text("[store]\nredacted = true\n")
    with pytest.warns(UserWarning, match="redacted is no setting"):
        opened(":memory:")[0].close()
    (folder / "trimtab.toml").write_text("[store]\nredact = true\n")
    with open_store(folder / "s.db") as store, open_store(folder / "s.db", redact=False) as plain:
        assert not opened(store)[1]
        assert opened(store)[0] is store
        MemoryTool.in_store(store).call(
            {"command": "create", "path": "/memories/a", "file_text": SECRET}
        )
        assert plain.memory_get("/memories/a") == GONE.encode()
        assert plain.prepare(SECRET.encode()) == SECRET.encode()
    (folder / "trimtab.toml").write_text("[store")
    with pytest.raises(InputError):
        open_store(folder / "new.db")
    assert not (folder / "new.db").exists()


# -- with a session --------------------------------------------------------------------------------


def rounds(count: int, *, secret_at: int, signed: bool = False) -> list[dict[str, Any]]:
    """A tool loop; one result holds the secret. `signed`: with signed thinking in each answer."""
    made: list[dict[str, Any]] = [{"role": "user", "content": "Look into the files."}]
    for n in range(count):
        text = f"file {n}: " + "some words of it " * 60
        if n == secret_at:
            text += f"\nexport GITHUB_TOKEN={SECRET}\n"
        call = {"type": "tool_use", "id": f"t{n}", "name": "read", "input": {"path": f"f{n}"}}
        thought = {"type": "thinking", "thinking": f"thought {n}", "signature": f"sig{n}"}
        made.append({"role": "assistant", "content": [thought, call] if signed else [call]})
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        made.append({"role": "user", "content": [result]})
    return made


@pytest.mark.parametrize(
    "policy", ["auto", "clear-tool-results:keep=2", "offload:keep=2", "required-first"]
)
def test_the_context_is_unaltered_and_its_ids_are_found(backend: Backend, policy: str) -> None:
    budget = 3_000
    inner = backend.open()
    session = Session(
        model="claude-sonnet-4-5", policy=policy, store=inner, budget=budget, redact=True
    )
    plain = Session(model="claude-sonnet-4-5", policy=policy, store=inner, budget=budget)
    seen = ""
    for message in rounds(12, secret_at=3):
        session.append(message)
        plain.append(message)
        said, other = json.dumps(session.context()), json.dumps(plain.context())
        assert (SECRET in said) == (SECRET in other)
        assert len(said) == len(other)
        seen += said
    assert SECRET in seen
    assert SECRET not in json.dumps(session.context())  # it has left
    hit = session.search("GITHUB_TOKEN")[0]
    data = session.recall(hit.block).decode()
    assert GONE in data
    assert "some words of it" in data
    kept = b"".join(inner.export_session(session.id))
    assert SECRET.encode() not in kept
    assert inner.check() == []
    restored = Session.restore(session.id, store=inner, redact=True)
    assert restored.context() == session.context()
    named = set(re.findall("blk_[0-9a-z]{12}", seen))
    assert named or policy == "required-first"
    for id in named:
        session.recall(id)


def test_thinking_signed_behind_what_was_redacted_is_void_after_a_restart(tmp_path: Path) -> None:
    url = tmp_path / "s.db"
    with Session(model="claude-sonnet-4-5", policy="append", store=url, redact=True) as session:
        for message in rounds(6, secret_at=2, signed=True):
            session.append(message)
        live = session.context()
        assert json.dumps(live).count('"thinking"') == 12  # type and key of each
        id = session.id
    with Session.restore(id, store=url) as restored:
        sent = restored.context()
        thoughts = [
            block["thinking"]
            for message in sent["messages"]
            for block in message["content"]
            if isinstance(block, dict) and block.get("type") == "thinking"
        ]
        assert thoughts == ["thought 0", "thought 1", "thought 2"]
        history = restored.history
        assert not validate(
            restored.view.messages,
            "anthropic",
            tools=history.tools,
            envelope=restored.view.envelope,
        )
        restored.append({"role": "user", "content": "go on"})
        restored.refresh()
        assert restored.context()["messages"][:-1] == sent["messages"]
    with Session.restore(id, store=url) as again:
        assert again.context()["messages"][:-1] == sent["messages"]


def test_without_secrets_nothing_is_different(tmp_path: Path) -> None:
    made = []
    for redact in (False, True):
        with Session(
            model="claude-sonnet-4-5",
            store=tmp_path / f"{redact}.db",
            budget=3_000,
            redact=redact,
            id="s",
        ) as session:
            for message in rounds(12, secret_at=-1, signed=True):
                session.append(message)
                session.context()
            made.append(
                [(e.kind, e.body) for e in open_store(tmp_path / f"{redact}.db").events("s")]
            )
    assert made[0] == made[1]
