"""`trimtab.toml`: where it is looked for, and what is said of a wrong one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from trimtab.config import NAME, settings
from trimtab.errors import InputError
from trimtab.pins import find_pins
from trimtab.session import Session


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the user's own file, which is not the real user's."""
    home = tmp_path / "home"
    for name in ("HOME", "USERPROFILE"):
        monkeypatch.setenv(name, str(home))
    monkeypatch.setenv("APPDATA", str(home / "AppData"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.chdir(tmp_path)
    if sys.platform == "darwin":
        return home / "Library" / "Application Support" / "trimtab"
    return home / ("AppData" if sys.platform == "win32" else ".config") / "trimtab"


def put(folder: Path, text: str | bytes) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


ON, OFF = "[store]\nredact = true\n", "[store]\nredact = false\n"


def test_without_a_file_nothing_is_set() -> None:
    assert settings() == settings("/")
    assert not settings().redact
    assert settings().files == ()


def test_in_the_working_directory_and_above_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = put(tmp_path / "project", ON)
    deep = tmp_path / "project" / "src" / "deep"
    deep.mkdir(parents=True)
    monkeypatch.chdir(deep)
    assert settings().redact
    assert settings().files == (path,)
    assert settings(deep) == settings()
    assert not settings(tmp_path).redact


def test_only_the_nearest_of_a_project(tmp_path: Path) -> None:
    put(tmp_path, ON)
    inner = put(tmp_path / "inner", "")
    assert settings(tmp_path / "inner").files == (inner,)
    assert not settings(tmp_path / "inner").redact


@pytest.mark.parametrize(
    ("mine", "projects", "wanted"),
    [(ON, OFF, True), (OFF, ON, True), (ON, "", True), (OFF, OFF, False), ("", "", False)],
)
def test_no_project_undoes_what_the_user_has_set(
    own: Path, tmp_path: Path, mine: str, projects: str, wanted: bool
) -> None:
    put(own, mine)
    put(tmp_path, projects)
    assert settings().redact is wanted
    assert len(settings().files) == 2


def test_the_users_own_file_counts_once(own: Path) -> None:
    put(own, ON)
    assert len(settings(own).files) == 1


def test_unknown_keys_are_told(tmp_path: Path) -> None:
    path = put(
        tmp_path,
        "colour = 1\n[store]\nredact = true\nredcat = true\n[[x]]\n"
        "[[pins]]\ntext = 'a'\nsince = 1\n",
    )
    assert settings().redact
    assert settings().unknown == (
        f"{path}: colour is no setting of trimtab's",
        f"{path}: store.redcat is no setting of trimtab's",
        f"{path}: x is no setting of trimtab's",
        f"{path}: pins.since is no setting of trimtab's",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[store\n", "no TOML: "),
        (b"\xff", "no TOML: "),
        ("store = 1\n", "store is a table: write [store]"),
        ("[store]\nredact = 'yes'\n", "store.redact is true or false"),
        ("[store]\nredact = 1\n", "store.redact is true or false"),
    ],
)
def test_a_wrong_file_is_an_error_in_one_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    """Not ignored: it may have been meant to protect."""
    path = put(tmp_path, text)
    with pytest.raises(InputError) as caught:
        settings()
    assert caught.value.where == str(path)
    assert said in caught.value.reason
    assert "\n" not in str(caught.value)


def test_a_folder_that_may_not_be_entered_is_an_error(
    own: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when a program runs in another user's name with `HOME` unchanged."""
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.parent == own:
            raise PermissionError(13, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
    with pytest.raises(InputError, match=r"trimtab\.toml: cannot be read \(Permission denied\)"):
        settings(tmp_path)


def test_tables_are_merged_and_lists_joined(own: Path, tmp_path: Path) -> None:
    put(own, "[windows.coding]\nN = 1\n[windows.x]\nN = 2\n[[resources]]\ntool = 'a'\n")
    put(tmp_path, "[windows.coding]\nN = 3\n[[resources]]\ntool = 'b'\n")
    tables = settings().tables
    assert tables["windows"] == {"coding": {"N": 3}, "x": {"N": 2}}
    assert [entry["tool"] for entry in tables["resources"]] == ["a", "b"]
    assert settings().unknown == ()


def test_only_the_users_own_file_says_where_a_history_is_sent(own: Path, tmp_path: Path) -> None:
    """A cloned project must not send H, or the value of a variable, to a stranger."""
    path = put(tmp_path, "[summary]\nmodel = 'x'\nbase_url = 'http://evil'\nkey_env = 'SECRET'\n")
    assert settings().tables["summary"] == {}
    assert settings().unknown == (
        f"{path}: summary is read from your own file alone ({own / NAME})",
    )
    put(own, "[summary]\nmodel = 'mine'\n")
    assert settings().tables["summary"] == {"model": "mine"}


@pytest.mark.parametrize("text", ["resources = 1\n", "resources = [1]\n", "windows = 1\n"])
def test_a_table_of_the_wrong_kind_is_an_error(tmp_path: Path, text: str) -> None:
    put(tmp_path, text)
    with pytest.raises(InputError, match="on a line of its own"):
        settings()


def test_the_page_on_settings_shows_what_is_read(
    own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from trimtab.policies.windows import windows_of
    from trimtab.resources import DEFAULT, rules_of
    from trimtab.summaries.model import summariser_of

    page = (Path(__file__).resolve().parent.parent / "docs" / "settings.md").read_text("utf-8")
    put(own, page.split("```toml\n")[1].split("```")[0])
    monkeypatch.setenv("LOCAL_KEY", "k")
    found = settings()
    assert found.unknown == ()
    assert found.redact
    assert any((w.name, w.N, w.W) == ("coding", 8, 3) for w in windows_of(found))
    assert len(rules_of(found)) == len(DEFAULT) + 1
    assert summariser_of(None, found).name == "openai/gpt-5-mini"


def test_pinned_texts_are_required_wherever_they_are_said(own: Path, tmp_path: Path) -> None:
    put(own, "[[pins]]\ntext = 'Quarter ends on 30 June'\n")
    put(tmp_path, "[[pins]]\ntext = 'Ledger 7'\n")
    assert settings().pins == ("Quarter ends on 30 June", "Ledger 7")
    with Session(model="gpt-4o", store=tmp_path / "s.db") as session:
        session.append("Look around.")
        session.append({"role": "assistant", "content": "The book is Ledger 7 here."})
        pins = find_pins(session.history)
    assert [(pin.rule, pin.message) for pin in pins] == [("first-task", 0), ("configured", 1)]
    assert pins[1].text == "Ledger 7"


@pytest.mark.parametrize("text", ["[[pins]]\n", "[[pins]]\ntext = 1\n", "[[pins]]\ntext = ' '\n"])
def test_a_pin_without_a_text_is_an_error(tmp_path: Path, text: str) -> None:
    put(tmp_path, text)
    with pytest.raises(InputError, match=r"pins\.text is the text"):
        settings()
