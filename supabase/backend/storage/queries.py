"""Every statement of the storage service; rows come back typed.

Those on buckets and objects run as the caller unless their name says otherwise: row level security decides.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from backend.core.db import Connection
from backend.storage.models import Bucket, Object, Upload

BUCKET = "id, name, public, file_size_limit, allowed_mime_types, type::text, created_at, updated_at, owner_id"
OBJECT = (
    "id, bucket_id, name, owner_id, version, metadata, user_metadata, created_at, updated_at, "
    "coalesce(last_accessed_at, updated_at) as last_accessed_at"
)
BucketColumn = Literal["id", "name", "created_at", "updated_at"]
SORTED_DOWN = {"asc": "asc", "desc": "desc"}


def told(operation: str, method: str, path: str) -> dict[str, str]:
    """What policies may ask about the request, as settings of its transaction; the service itself may delete rows."""
    return {
        "storage.operation": operation,
        "request.method": method,
        "request.path": path,
        "storage.allow_delete_query": "true",
    }


async def buckets(
    connection: Connection, search: str, column: BucketColumn, order: str, limit: int, offset: int
) -> list[Bucket]:
    rows = await connection.fetch(
        f"""
        select {BUCKET} from storage.buckets
         where $1 = '' or strpos(lower(name), lower($1)) > 0
         order by {column} {SORTED_DOWN[order]}, id limit $2 offset $3
        """,  # noqa: S608 - both from closed lists
        search,
        limit,
        offset,
    )
    return [Bucket.of(row) for row in rows]


async def bucket(connection: Connection, bucket_id: str) -> Bucket | None:
    row = await connection.fetchrow(f"select {BUCKET} from storage.buckets where id = $1", bucket_id)  # noqa: S608
    return None if row is None else Bucket.of(row)


async def insert_bucket(
    connection: Connection,
    bucket_id: str,
    *,
    public: bool,
    size_limit: int | None,
    mime_types: Sequence[str] | None,
    owner_id: str | None,
) -> None:
    await connection.execute(
        """
        insert into storage.buckets (id, name, public, file_size_limit, allowed_mime_types, owner, owner_id)
        values ($1, $1, $2, $3, $4, $5::uuid, $5::text)
        """,
        bucket_id,
        public,
        size_limit,
        mime_types,
        owner_id,
    )


async def update_bucket(connection: Connection, bucket_id: str, changes: dict[str, Any]) -> bool:
    """Changes some of public, file_size_limit, allowed_mime_types; False when there is none to change."""
    columns = [name for name in ("public", "file_size_limit", "allowed_mime_types") if name in changes]
    assignments = "".join(f", {name} = ${position}" for position, name in enumerate(columns, start=2))
    status = await connection.execute(
        f"update storage.buckets set updated_at = now(){assignments} where id = $1",  # noqa: S608
        bucket_id,
        *(changes[name] for name in columns),
    )
    return status != "UPDATE 0"


async def delete_bucket(connection: Connection, bucket_id: str) -> bool:
    status = await connection.execute("delete from storage.buckets where id = $1", bucket_id)
    return status != "DELETE 0"


async def has_objects(connection: Connection, bucket_id: str) -> bool:
    """For the owner of the schema: whether a bucket holds anything, whoever may see it."""
    return bool(
        await connection.fetchval("select exists (select from storage.objects where bucket_id = $1)", bucket_id)
    )


async def object_named(connection: Connection, bucket_id: str, name: str) -> Object | None:
    row = await connection.fetchrow(
        f"select {OBJECT} from storage.objects where bucket_id = $1 and name = $2",  # noqa: S608
        bucket_id,
        name,
    )
    return None if row is None else Object.of(row)


async def readable(connection: Connection, bucket_id: str, names: Sequence[str]) -> set[str]:
    """Which of these names the caller may read."""
    rows = await connection.fetch(
        "select name from storage.objects where bucket_id = $1 and name = any($2::text[])", bucket_id, names
    )
    return {row["name"] for row in rows}


async def insert_object(
    connection: Connection, object_id: UUID, upload: Upload, version: str, metadata: dict[str, Any]
) -> None:
    """A new row. No RETURNING: whoever may only insert need not be able to read."""
    await connection.execute(
        """
        insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
        values ($1, $2, $3, $4::uuid, $4::text, $5, $6, $7)
        """,
        object_id,
        upload.bucket,
        upload.name,
        upload.owner_id,
        version,
        metadata,
        upload.user_metadata,
    )


async def upsert_object(
    connection: Connection, object_id: UUID, upload: Upload, version: str, metadata: dict[str, Any]
) -> UUID:
    """A new row, or the old one with new content; returns its id. Needs select, insert and update."""
    found: UUID = await connection.fetchval(
        """
        insert into storage.objects (id, bucket_id, name, owner, owner_id, version, metadata, user_metadata)
        values ($1, $2, $3, $4::uuid, $4::text, $5, $6, $7)
        on conflict (bucket_id, name) do update
          set version = excluded.version, metadata = excluded.metadata, owner = excluded.owner,
              owner_id = excluded.owner_id, user_metadata = excluded.user_metadata
        returning id
        """,
        object_id,
        upload.bucket,
        upload.name,
        upload.owner_id,
        version,
        metadata,
        upload.user_metadata,
    )
    return found


async def move_object(connection: Connection, object_id: UUID, bucket_id: str, name: str) -> bool:
    status = await connection.execute(
        "update storage.objects set bucket_id = $2, name = $3 where id = $1", object_id, bucket_id, name
    )
    return status != "UPDATE 0"


async def delete_objects(connection: Connection, bucket_id: str, names: Sequence[str]) -> list[Object]:
    """Removes what the caller may see and delete; returns the removed rows."""
    rows = await connection.fetch(
        f"delete from storage.objects where bucket_id = $1 and name = any($2::text[]) returning {OBJECT}",  # noqa: S608
        bucket_id,
        names,
    )
    return [Object.of(row) for row in rows]


async def moment(connection: Connection) -> datetime:
    """The database's time."""
    found: datetime = await connection.fetchval("select clock_timestamp()")
    return found


async def delete_some_of_bucket(connection: Connection, bucket_id: str, until: datetime, limit: int) -> list[str]:
    """A piece of emptying a bucket: versions that were there when it was asked for; what was changed since stays."""
    rows = await connection.fetch(
        """
        delete from storage.objects where id in (
          select id from storage.objects where bucket_id = $1 and updated_at <= $2 limit $3 for update skip locked
        ) returning version
        """,
        bucket_id,
        until,
        limit,
    )
    return [row["version"] for row in rows]


async def superfluous(connection: Connection, versions: Sequence[str] | None, limit: int) -> list[str]:
    """Blobs whose object is gone; of these versions, or the oldest ones."""
    rows = await connection.fetch(
        """
        select version from storage.superfluous_blobs
         where $1::text[] is null or version = any($1) order by created_at limit $2
        """,
        versions,
        limit,
    )
    return [row["version"] for row in rows]


async def forget_superfluous(connection: Connection, versions: Sequence[str]) -> None:
    await connection.execute("delete from storage.superfluous_blobs where version = any($1::text[])", versions)


async def named_versions(connection: Connection, versions: Sequence[str]) -> set[str]:
    """Which of these blobs an object or an upload that is being finished needs, or are already known as superfluous."""
    rows = await connection.fetch(
        """
        select version from storage.objects where version = any($1::text[])
        union select version from storage.resumable_uploads where version = any($1::text[])
        union select version from storage.superfluous_blobs where version = any($1::text[])
        """,
        versions,
    )
    return {row["version"] for row in rows}


async def stored_bytes(connection: Connection, owner_id: str, bucket_id: str, but_for: str) -> int:
    """How long an account's objects are together, but for the one of this name."""
    total: int = await connection.fetchval(
        """
        select (coalesce(sum(size), 0) - coalesce((
          select size from storage.objects where owner_id = $1 and bucket_id = $2 and name = $3
        ), 0))::bigint
        from storage.objects where owner_id = $1
        """,
        owner_id,
        bucket_id,
        but_for,
    )
    return total


async def is_version_of_object(connection: Connection, version: str) -> bool:
    """Whether an object has this blob."""
    return bool(await connection.fetchval("select exists (select from storage.objects where version = $1)", version))


async def objects_after(
    connection: Connection, after: UUID, until: datetime, limit: int
) -> list[tuple[UUID, str, str]]:
    """Id, path and version of objects that were there at a moment, in the order of their ids."""
    rows = await connection.fetch(
        """
        select id, bucket_id || '/' || name as path, coalesce(version, '') as version from storage.objects
         where id > $1 and updated_at <= $2 order by id limit $3
        """,
        after,
        until,
        limit,
    )
    return [(row["id"], row["path"], row["version"]) for row in rows]


async def versions_of(connection: Connection, ids: Sequence[UUID]) -> dict[UUID, str]:
    rows = await connection.fetch(
        "select id, coalesce(version, '') as version from storage.objects where id = any($1::uuid[])", ids
    )
    return {row["id"]: row["version"] for row in rows}
