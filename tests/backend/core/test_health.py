"""core.health: a monitor hears of what stands still."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import asyncpg
import pytest

from backend.core import backup, config, health
from backend.core.config import Settings

pytestmark = pytest.mark.anyio

MIGRATIONS = config.ROOT / "db" / "migrations"


async def problems(settings: Settings) -> list[str]:
    """But for PostgREST, which does not run here."""
    found = await health.problems(settings, MIGRATIONS)
    assert "PostgREST does not answer" in found[-1]
    return found[:-1]


async def test_all_is_well_with_a_fresh_installation(settings: Settings) -> None:
    assert await problems(settings) == []


async def test_postgrest_that_answers_is_no_problem(postgrest: Settings) -> None:
    assert await health.problems(postgrest, MIGRATIONS) == []


JOB = """
insert into jobs.pgqueuer (priority, status, entrypoint, created, updated, heartbeat, execute_after)
values (0, 'queued', 'x', now(), now(), now(), now() - interval '10 minutes')
"""
PERIODIC_JOB = "insert into jobs.periodic (name, due_at) values ('x', now() - interval '10 minutes')"
MAIL = """
insert into jobs.mails (recipient, subject, html, plain, purpose, message_id, created_at)
values ('a@b.it', '', '', '', 'x', 'x', now() - interval '10 minutes')
"""
DEAD_LETTER = "insert into jobs.dead_letters (job_id, name, payload, attempts, error) values (1, 'x', '{}', 5, 'e')"
MIGRATION = "delete from supabase_migrations.schema_migrations where name = 'baseline'"


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (JOB, "is a worker running"),
        (PERIODIC_JOB, "is a worker running"),
        (MAIL, "1 mails wait"),
        (DEAD_LETTER, "python -m backend jobs dead"),
        (MIGRATION, "_baseline.sql is not applied"),
    ],
    ids=["job", "periodic job", "mail", "dead letter", "migration"],
)
async def test_what_stands_still_is_named(settings: Settings, statement: str, problem: str) -> None:
    connection = await asyncpg.connect(settings.database_url)
    await connection.execute(statement)
    await connection.close()
    [found] = await problems(settings)
    assert problem in found


async def test_a_database_that_is_away_is_a_sentence(settings: Settings) -> None:
    away = replace(settings, database_url="postgresql://nobody@127.0.0.1:1/none")
    [found] = await problems(away)
    assert found.startswith("the database is not usable")


async def test_a_missing_and_an_old_backup_are_named(settings: Settings, tmp_path: Path) -> None:
    settings = replace(settings, backups=tmp_path / "backups")

    async def last_problem() -> str:
        return (await health.problems(settings, MIGRATIONS))[-1]

    assert "there is no backup in" in await last_problem()
    for hours, problem in ((40, "is 40 hours old"), (27, "PostgREST does not answer")):
        made_at = datetime.now(UTC) - timedelta(hours=hours, minutes=5)
        (folder := tmp_path / "backups" / str(hours)).mkdir(parents=True)
        (folder / backup.MANIFEST).write_text(json.dumps({"made_at": made_at.isoformat()}))
        assert problem in await last_problem()


async def test_a_full_disk_is_named(settings: Settings, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(health, "DISK_FREE_AT_LEAST", 1.1)
    assert "of the disk" in (await health.problems(settings, MIGRATIONS))[-1]
