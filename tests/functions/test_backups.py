"""Backups that the worker keeps and tests: what came back is compared, tried by a stranger, signed and reported."""

from __future__ import annotations

import json
import shutil
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from backend.core import backup, db, disk, restore_test
from backend.core.config import Settings
from backend.core.config_storage import byte_size
from backend.core.resources import Resources, open_all
from backend.edge.api import Away, Context
from functions.jobs import backups
from tests.conftest import Clock
from tests.databases import connected
from tests.db import accounts
from tests.disks import largest_file

pytestmark = [pytest.mark.anyio, pytest.mark.long]

REPORT = "select content from private.admin_snapshots where name = $1 order by slot desc limit 1"
LIGHT = "select private.light(s) from private.admin_snapshots as s where name = $1 order by slot desc limit 1"


@pytest.fixture
async def kept(settings: Settings, now: Clock, tmp_path: Path) -> AsyncIterator[Resources]:
    """Open an installation that keeps backups; somebody has an account in it."""
    (root := tmp_path / "backups").mkdir()
    async with open_all(replace(settings, backups=root), now) as opened:
        async with db.connection(opened.pool) as connection:
            await accounts.create(connection)
        yield opened


async def run(resources: Resources, **payload: bool) -> None:
    await backups.handler(payload, Context("backups", {"role": "service_role"}, "", resources))


async def report(resources: Resources, name: str) -> tuple[str, dict[str, Any]]:
    async with db.connection(resources.pool) as connection:
        light: str = await connection.fetchval(LIGHT, name)
        content: dict[str, Any] = await connection.fetchval(REPORT, name)
    return light, content


async def databases(resources: Resources) -> list[str]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            "select datname from pg_database where datname like '%' || $1", restore_test.SUFFIX
        )
    return [row[0] for row in rows]


async def test_a_backup_is_made_daily_tested_weekly_and_reported(kept: Resources, now: Clock) -> None:
    root = kept.settings.backups
    assert root is not None
    # Left by a run and by a test that were killed.
    (root / f"half{backup.UNFINISHED}").mkdir()
    async with connected(kept.settings.database_url) as owner:
        name = await owner.fetchval("select current_database()")
        await owner.execute(f'create database "{name}{restore_test.SUFFIX}"')
    await run(kept)
    light, content = await report(kept, "backups")
    assert (light, content["figures"]["backups"], content["figures"]["restore_failed"]) == ("ok", 1, 0), content
    assert [test["outcome"] for test in content["tables"]["tests"]] == ["Tutto tornato"]
    light, content = await report(kept, "isolation")
    assert (light, content["figures"]["reached"], content["figures"]["rules_changed"]) == ("ok", 0, 0), content
    assert content["figures"]["attempts"] > 300
    assert (await databases(kept), [path.suffix for path in root.iterdir()]) == ([], [""])

    # Nothing is due; then a backup is, but no test; then both are.
    await run(kept)
    now.advance(days=1)
    await run(kept)
    assert (len(backup.find(root)), (await report(kept, "backups"))[1]["figures"]["restore_age_h"]) == (2, 24)
    now.advance(days=6)
    async with db.connection(kept.pool) as connection:
        await connection.execute("update private.restore_tests set content = content || '{\"rows\": 1}'")
    await run(kept)
    light, content = await report(kept, "backups")
    assert [test["is_genuine"] for test in content["tables"]["tests"]] == [True, False]
    assert (light, content["figures"]["forged"]) == ("error", 1)


async def test_what_does_not_come_back_is_said(kept: Resources, now: Clock) -> None:
    root = kept.settings.backups
    assert root is not None
    await backup.keep(kept.settings, kept.now())
    manifest = backup.find(root)[0].folder / backup.MANIFEST
    saved = json.loads(manifest.read_text())
    saved["rows"]["public.profiles"] += 1
    manifest.write_text(json.dumps(saved))
    async with db.connection(kept.pool) as connection:
        await connection.execute("create policy hole on public.profiles for select to authenticated using (true)")
    await run(kept)
    light, content = await report(kept, "backups")
    outcome = "1 tabelle con un altro numero di righe: public.profiles"
    assert (light, content["tables"]["tests"][0]["outcome"]) == ("error", outcome)
    # The hole was made after the backup: what is proved are the rules of the backup, and the report says so.
    light, content = await report(kept, "isolation")
    assert (light, content["figures"]["reached"], content["figures"]["rules_changed"]) == ("warning", 0, 1)

    (manifest.parent / backup.DUMP).write_bytes(b"PGDMP")
    now.advance(minutes=1)
    await run(kept, now=True)
    light, content = await report(kept, "backups")
    assert (light, content["tables"]["tests"][0]["outcome"].split(":")[0]) == ("error", "pg_restore")
    assert await databases(kept) == []


async def test_a_backup_begins_only_where_its_space_is_free_and_leaves_no_part_on_a_full_disk(
    kept: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, settings = kept.settings.backups, kept.settings
    assert root is not None
    # No disk of any machine has an exbibyte free.
    without = replace(kept, settings=replace(settings, disk_reserve=byte_size("1048576TiB")))
    copied: list[Path] = []
    monkeypatch.setattr(backup, "_copy_files", lambda source, *_: copied.append(source))
    await run(without)
    monkeypatch.undo()
    light, content = await report(kept, "backups")
    assert (light, content["figures"]["backup_failed"], copied, list(root.iterdir())) == ("error", 1, [], [])
    assert content["tables"]["error"] == [{"error": backups.NO_SPACE}]

    blob = settings.storage_folder / "ab" / "ab000000-0000-4000-8000-000000000000"
    blob.parent.mkdir(parents=True)
    blob.write_bytes(bytes(3_000_000))
    # A copied file, then the dump.
    for size_bytes in (2_000_000, 20_000):
        with largest_file(size_bytes), pytest.raises(backup.BackupError) as failed:
            await backup.keep(settings, kept.now())
        assert list(root.iterdir()) == []
        assert isinstance(failed.value, backup.NoSpaceForBackup) == blob.exists()
        blob.unlink(missing_ok=True)
    assert len(await backup.keep(settings, kept.now())) == 1


async def test_a_backup_needs_space_for_what_the_one_before_lacks(
    kept: Resources, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = kept.settings.storage_folder / "ab"
    shelf.mkdir(parents=True)
    asked: list[int] = []
    require = disk.require

    def note(settings: Settings, needed_bytes: Mapping[Path, int]) -> None:
        asked.extend(needed_bytes.values())
        require(settings, needed_bytes)

    monkeypatch.setattr(disk, "require", note)
    for name, size_bytes in (("old", 30_000_000), ("new", 1_000_000)):
        (shelf / f"ab{name}").write_bytes(bytes(size_bytes))
        await backup.keep(kept.settings, kept.now())
        now.advance(days=1)
    assert 28_000_000 < asked[0] - asked[1] < 30_000_000


def test_folders_on_one_disk_share_its_space(tmp_path: Path, settings: Settings) -> None:
    roomy = replace(settings, disk_reserve=byte_size("0"))
    most = shutil.disk_usage(tmp_path).free * 3 // 5
    for name in ("a", "b"):
        disk.require(roomy, {tmp_path / name: most})
    with pytest.raises(OSError, match="are free"):
        disk.require(roomy, {tmp_path / "a": most, tmp_path / "b": most})


async def test_without_a_folder_it_says_so_and_two_do_not_work_at_once(kept: Resources, settings: Settings) -> None:
    async with open_all(settings) as without:
        await run(without)
        light, content = await report(without, "backups")
    assert (light, content["figures"]) == ("warning", {"backups": 0, "backup_failed": 0, "forged": 0})
    async with backup.alone(kept.settings):
        with pytest.raises(Away):
            await run(kept)


async def test_the_oldest_go_and_only_those_with_a_name_of_ours(kept: Resources, now: Clock) -> None:
    root = kept.settings.backups
    assert root is not None
    days = [f"{now() - timedelta(days=age):{backup.NAME}}" for age in range(backup.KEPT + 2)]
    for age, name in enumerate([*days, "by-hand"]):
        (root / name).mkdir()
        (root / name / backup.MANIFEST).write_text(json.dumps({"made_at": (now() - timedelta(days=age)).isoformat()}))
    left = await backup.keep(kept.settings, now())
    assert [found.folder.name for found in left] == [*days[: backup.KEPT], "by-hand"]
    assert {path.name for path in root.iterdir()} == {*days[: backup.KEPT], "by-hand"}


async def test_after_ninety_days_a_backup_goes_even_where_no_newer_one_can_be_made(
    kept: Resources, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = kept.settings.backups
    assert root is not None
    ages = {"old": timedelta(days=90, minutes=1), "young": timedelta(days=89)}
    names = {which: f"{now() - age:{backup.NAME}}" for which, age in ages.items()}
    for which, name in [*names.items(), ("old", "by-hand")]:
        (root / name).mkdir()
        (root / name / backup.MANIFEST).write_text(json.dumps({"made_at": (now() - ages[which]).isoformat()}))

    async def fail(*_: object, **__: object) -> None:
        raise backup.BackupError("the disk is full")

    monkeypatch.setattr(backup, "make", fail)
    with pytest.raises(backup.BackupError):
        await backup.keep(kept.settings, now())
    assert {path.name for path in root.iterdir()} == {names["young"], "by-hand"}
