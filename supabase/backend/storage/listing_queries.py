"""The statements behind the two lists; they run as the caller, so each sees what policies let them see."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.core.db import Connection

# Sorts behind every name that begins alike, in the C collation.
_AFTER = chr(0x10FFFF)


@dataclass(frozen=True)
class Entry:
    """A file, or a folder when `id` is None."""

    name: str
    id: UUID | None
    metadata: dict[str, Any] | None
    created_at: datetime | None
    updated_at: datetime | None
    last_accessed_at: datetime | None


@dataclass(frozen=True)
class Page:
    """One page of list v2; `after` is the sort value and the name of the last entry before it."""

    prefix: str
    by_folder: bool
    column: str
    order: str
    limit: int
    after: tuple[str, str] | None


async def folder(
    connection: Connection,
    bucket_id: str,
    prefix: str,
    *,
    search: str,
    column: str,
    order: str,
    limit: int,
    offset: int,
) -> list[Entry]:
    """Folders and then files directly below `prefix` ("" or ending in a slash) whose names begin with `search`."""
    direction = "desc" if order == "desc" else "asc"
    rows = await connection.fetch(
        f"""
        with below as (
          select substr(name, length($2) + 1) as rest, id, metadata, created_at, updated_at, last_accessed_at
            from storage.objects
           where bucket_id = $1 and name >= $2 and name < $2 || $6 and starts_with(name, $2)
             and starts_with(lower(substr(name, length($2) + 1)), lower($3))
        ),
        entries as (
          select split_part(rest, '/', 1) as name, null::uuid as id, null::jsonb as metadata,
                 null::timestamptz as created_at, null::timestamptz as updated_at, null::timestamptz as last_accessed_at
            from below where strpos(rest, '/') > 0 group by 1
          union all
          select rest, id, metadata, created_at, updated_at, last_accessed_at from below where strpos(rest, '/') = 0
        )
        select * from entries
         order by id is not null, case when id is null then name end {direction}, {column} {direction}, name
         limit $4 offset $5
        """,  # noqa: S608 - column and direction from closed lists
        bucket_id,
        prefix,
        search,
        limit,
        offset,
        _AFTER,
    )
    return [Entry(**dict(row)) for row in rows]


async def page(connection: Connection, bucket_id: str, wanted: Page) -> list[Entry]:
    """One entry more than the page holds, so that the caller knows whether there is another page."""
    direction, sign = ("desc", "<") if wanted.order == "desc" else ("asc", ">")
    kind = "text" if wanted.column == "name" else "timestamptz"
    after, after_name = wanted.after or (None, None)
    # Times come back as texts: from our own cursor, in ISO form.
    bound = f"$4::text::{kind}"
    rows = await connection.fetch(
        f"""
        with below as (
          select name, substr(name, length($2) + 1) as rest, id, metadata, created_at, updated_at, last_accessed_at
            from storage.objects
           where bucket_id = $1 and name >= $2 and name < $2 || $6 and starts_with(name, $2)
        ),
        entries as (
          select $2 || split_part(rest, '/', 1) || '/' as name, null::uuid as id, null::jsonb as metadata,
                 min(created_at) as created_at, max(updated_at) as updated_at, max(last_accessed_at) as last_accessed_at
            from below where $3 and strpos(rest, '/') > 0 group by 1
          union all
          select name, id, metadata, created_at, updated_at, last_accessed_at
            from below where not $3 or strpos(rest, '/') = 0
        )
        select * from entries
         where $4::text is null or ({wanted.column}, name collate "C") {sign} ({bound}, $5::text collate "C")
         order by {wanted.column} {direction}, name collate "C" {direction}
         limit $7
        """,  # noqa: S608 - column and direction from closed lists
        bucket_id,
        wanted.prefix,
        wanted.by_folder,
        after,
        after_name,
        _AFTER,
        wanted.limit + 1,
    )
    return [Entry(**dict(row)) for row in rows]
