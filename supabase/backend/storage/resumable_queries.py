"""The statements on storage.resumable_uploads; they run as the service role."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.core.db import Connection
from backend.storage.models import Upload


@dataclass(frozen=True)
class Resumable:
    """An upload under way; `length_bytes` is None until the client knows it."""

    id: UUID
    bucket_id: str
    name: str
    owner_id: str | None
    version: str
    length_bytes: int | None
    mime_type: str
    cache_control: str
    user_metadata: Mapping[str, Any] | None
    upload_metadata: str
    upsert: bool
    expires_at: datetime
    finished_at: datetime | None

    @property
    def upload(self) -> Upload:
        """The object it is to become."""
        return Upload(
            self.bucket_id,
            self.name,
            self.mime_type,
            cache_control=self.cache_control,
            user_metadata=self.user_metadata,
            upsert=self.upsert,
            owner_id=self.owner_id,
        )


COLUMNS = ", ".join(Resumable.__dataclass_fields__)


async def create(
    connection: Connection, upload: Upload, length: int | None, upload_metadata: str, expires_at: datetime
) -> Resumable:
    row = await connection.fetchrow(
        f"""
        insert into storage.resumable_uploads
          (bucket_id, name, owner_id, length_bytes, mime_type, cache_control, user_metadata, upload_metadata, upsert,
           expires_at)
        values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
        returning {COLUMNS}
        """,  # noqa: S608
        upload.bucket,
        upload.name,
        upload.owner_id,
        length,
        upload.mime_type,
        upload.cache_control,
        upload.user_metadata,
        upload_metadata,
        upload.upsert,
        expires_at,
    )
    assert row is not None
    return Resumable(**dict(row))


async def unfinished(connection: Connection, owner_id: str, now: datetime) -> int:
    """How many uploads this account has begun and may go on with; until the transaction ends nobody else counts."""
    await connection.execute(
        "select pg_advisory_xact_lock(hashtextextended('storage.resumable_uploads ' || $1, 0))", owner_id
    )
    count: int = await connection.fetchval(
        """
        select count(*) from storage.resumable_uploads
        where owner_id = $1 and finished_at is null and expires_at > $2
        """,
        owner_id,
        now,
    )
    return count


async def find(connection: Connection, upload_id: UUID) -> Resumable | None:
    row = await connection.fetchrow(
        f"select {COLUMNS} from storage.resumable_uploads where id = $1",  # noqa: S608
        upload_id,
    )
    return None if row is None else Resumable(**dict(row))


async def set_length(connection: Connection, upload_id: UUID, length: int) -> None:
    await connection.execute("update storage.resumable_uploads set length_bytes = $2 where id = $1", upload_id, length)


async def mark_finished(connection: Connection, upload_id: UUID) -> None:
    await connection.execute("update storage.resumable_uploads set finished_at = now() where id = $1", upload_id)


async def delete(connection: Connection, upload_id: UUID) -> None:
    await connection.execute("delete from storage.resumable_uploads where id = $1", upload_id)


async def delete_expired(connection: Connection, now: datetime, spared: Sequence[str], limit: int) -> list[UUID]:
    """Forgets uploads that nobody finished in time, and finished ones, but for these; returns their ids."""
    rows = await connection.fetch(
        """
        delete from storage.resumable_uploads where id in (
          select id from storage.resumable_uploads
           where expires_at < $1 and id::text <> all($2::text[]) limit $3 for update skip locked
        ) returning id
        """,
        now,
        spared,
        limit,
    )
    return [row["id"] for row in rows]
