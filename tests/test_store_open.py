"""Which store a URL or path means."""

from __future__ import annotations

from pathlib import Path

import pytest

from trimtab.errors import UsageError
from trimtab.store.open import open_store


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TRIMTAB_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.delenv("TRIMTAB_STORE", raising=False)
    return tmp_path


@pytest.mark.parametrize(
    ("url", "path"),
    [
        (None, "home/trimtab.db"),
        ("a.db", "a.db"),
        ("sub/a.db", "sub/a.db"),
        (Path("sub/a.db"), "sub/a.db"),
        ("sqlite:///a.db", "a.db"),
        ("SQLite:///sub/a.db", "sub/a.db"),
        ("sqlite:///with%20space.db", "with space.db"),
        ("~/a.db", "user/a.db"),
        ("予算.db", "予算.db"),
        ("a?b#c.db", "a?b#c.db"),
    ],
)
def test_a_path_or_url_means_a_file(here: Path, url: str | Path | None, path: str) -> None:
    with open_store(url) as store:
        store.create_session("one", dialect="neutral", model=None)
        assert (here / path).is_file()
        assert Path(str(store.stats()["store"])).resolve() == here / path
    with open_store(here / path) as store:
        assert store.session("one").id == "one"


def test_the_environment_names_the_store_of_this_machine(
    here: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIMTAB_STORE", "sqlite:///elsewhere.db")
    with open_store() as store:
        store.put_note("a", "b")
    with open_store(here / "elsewhere.db") as store:
        assert store.note("a") == "b"
    open_store("named.db").close()  # what is named comes first
    assert (here / "named.db").exists()
    monkeypatch.setenv("TRIMTAB_STORE", "mysql://x")
    with pytest.raises(UsageError, match="is not known"):
        open_store()
    monkeypatch.setenv("TRIMTAB_STORE", "")
    open_store().close()
    assert (here / "home" / "trimtab.db").exists()


def test_a_url_with_four_slashes_is_absolute(here: Path) -> None:
    open_store(f"sqlite:///{here}/deep/a.db").close()
    assert (here / "deep" / "a.db").is_file()


def test_a_store_in_memory_leaves_nothing(here: Path) -> None:
    with open_store(":memory:") as store:
        store.create_session("one", dialect="neutral", model=None)
        store.append("one", 0, [("message", b"x")], blocks=[b"block"])
        assert [event.body for event in store.events("one")] == [b"x"]
        store.gc(-1)
        assert store.check() == []
    assert list(here.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "",
        "sqlite://",
        "sqlite:///",
        "sqlite://a.db",
        "mysql://host/name",
        "https://host",
        "file:a.db",
    ],
)
def test_what_means_no_store(here: Path, url: str) -> None:
    with pytest.raises(UsageError):
        open_store(url)
    assert list(here.iterdir()) == []
