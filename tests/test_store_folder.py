"""The folder of blocks: what goes in comes out, or an error says why."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import trimtab.store.folder as folder_module
from trimtab.context.blocks import block_id
from trimtab.errors import BlockDamaged, BlockNotFound, StoreError, TrimtabError
from trimtab.store import BlockFolder, home


@pytest.fixture
def folder(tmp_path: Path) -> BlockFolder:
    return BlockFolder(tmp_path / "blocks")


def only_file(folder: BlockFolder) -> Path:
    (found,) = [path for path in folder.path.rglob("*") if path.is_file()]
    return found


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary())
def test_what_goes_in_comes_out(folder: BlockFolder, data: bytes) -> None:
    id = folder.put(data)
    assert id == block_id(data)
    assert folder.has(id)
    assert folder.get(id) == data


def test_layout_and_ids(folder: BlockFolder) -> None:
    ids = sorted(folder.put(bytes([n])) for n in range(20))
    assert list(folder.ids()) == ids
    for id in ids:
        assert (folder.path / id[4:6] / f"{id}.zst").is_file()
    assert len([p for p in folder.path.rglob("*") if p.is_file()]) == 20


def test_the_same_bytes_are_written_once(folder: BlockFolder) -> None:
    folder.put(b"same")
    before = only_file(folder).stat()
    folder.put(b"same")
    after = only_file(folder).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_it_is_compressed(folder: BlockFolder) -> None:
    folder.put(b"word " * 10_000)
    assert only_file(folder).stat().st_size < 500


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_only_the_owner_can_read(tmp_path: Path) -> None:
    old = os.umask(0)
    try:
        folder = BlockFolder(tmp_path / "deep" / "blocks")
        folder.put(b"secret")
    finally:
        os.umask(old)
    assert stat.S_IMODE(only_file(folder).stat().st_mode) == 0o600
    for path in (only_file(folder).parent, folder.path, folder.path.parent):
        assert stat.S_IMODE(path.stat().st_mode) == 0o700


def test_nothing_is_made_before_the_first_put(folder: BlockFolder) -> None:
    assert not folder.has("blk_000000000000")
    assert list(folder.ids()) == []
    with pytest.raises(BlockNotFound, match="no block blk_000000000000 in"):
        folder.get("blk_000000000000")
    assert not folder.path.exists()


@pytest.mark.parametrize("id", ["", "blk_", "blk_../../../x", "blk_00000000000l", "latest"])
def test_what_is_no_id_is_not_looked_up(folder: BlockFolder, id: str) -> None:
    assert not folder.has(id)
    with pytest.raises(BlockNotFound, match="is no block id"):
        folder.get(id)


@pytest.mark.parametrize("damage", ["flip", "cut", "other", "empty", "header"])
def test_damage_is_found_and_healed_by_the_next_put(folder: BlockFolder, damage: str) -> None:
    data = bytes(range(256)) * 8
    id = folder.put(data)
    path = only_file(folder)
    packed = bytearray(path.read_bytes())
    if damage == "flip":
        packed[-1] ^= 1
        packed[len(packed) // 2] ^= 255
    elif damage == "cut":
        del packed[-3:]
    elif damage == "empty":
        packed.clear()
    elif damage == "header":
        packed[4:8] = b"\xff\xff\xff\xff"
    else:
        packed = bytearray(zstandard.compress(b"other"))
    path.write_bytes(bytes(packed))
    with pytest.raises(BlockDamaged, match=id):
        folder.get(id)
    assert folder.put(data) == id
    assert folder.get(id) == data


def test_a_collision_is_refused(folder: BlockFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folder_module, "block_id", lambda data: "blk_000000000000")
    folder.put(b"one")
    with pytest.raises(StoreError, match="same id"):
        folder.put(b"two")
    assert folder.get("blk_000000000000") == b"one"


def test_a_failed_write_leaves_nothing(
    folder: BlockFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(StoreError, match="the disk is full") as caught:
        folder.put(b"data")
    assert isinstance(caught.value, TrimtabError)
    assert caught.value.exit_code == 2
    assert [p for p in folder.path.rglob("*") if p.is_file()] == []


def test_a_folder_that_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "blocks").write_text("a file")
    folder = BlockFolder(tmp_path / "blocks")
    with pytest.raises(StoreError, match=r"cannot be written.*TRIMTAB_HOME"):
        folder.put(b"data")
    with pytest.raises(BlockNotFound):
        folder.get(block_id(b"data"))


@pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may write anywhere"
)
def test_a_folder_without_permission(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(StoreError, match="cannot be written"):
            BlockFolder(tmp_path / "blocks").put(b"data")
    finally:
        tmp_path.chmod(0o700)


def test_home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    for name in ("TRIMTAB_HOME", "XDG_DATA_HOME", "LOCALAPPDATA"):
        monkeypatch.delenv(name, raising=False)
    assert home() == tmp_path / ".local" / "share" / "trimtab"
    monkeypatch.setenv("XDG_DATA_HOME", "relative")
    assert home() == tmp_path / ".local" / "share" / "trimtab"
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    assert home() == tmp_path / "data" / "trimtab"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert home() == tmp_path / "Library" / "Application Support" / "trimtab"
    monkeypatch.setattr(sys, "platform", "win32")
    assert home() == tmp_path / "AppData" / "Local" / "trimtab"
    monkeypatch.setenv("LOCALAPPDATA", str(tmp_path / "local"))
    assert home() == tmp_path / "local" / "trimtab"
    monkeypatch.setenv("TRIMTAB_HOME", str(tmp_path / "mine"))
    assert home() == tmp_path / "mine"


def test_home_without_a_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> Path:
        raise RuntimeError("no home")

    monkeypatch.delenv("TRIMTAB_HOME", raising=False)
    monkeypatch.setattr(Path, "home", none)
    with pytest.raises(StoreError, match="set TRIMTAB_HOME"):
        home()
