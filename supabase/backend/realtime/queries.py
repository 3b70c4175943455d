"""The statements of the realtime service, as its own login."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from backend.core.db import Connection


@dataclass(frozen=True)
class Message:
    """A message sent from the database."""

    id: UUID
    topic: str
    event: str
    payload: Any
    binary_payload: bytes | None
    private: bool


COLUMNS = "id, topic, coalesce(event, '') as event, payload, binary_payload, coalesce(private, false) as private"


async def messages(connection: Connection, ids: Sequence[UUID]) -> list[Message]:
    """Those of these messages that are there, oldest first."""
    rows = await connection.fetch(
        f"select {COLUMNS} from realtime.messages where id = any($1::uuid[]) order by inserted_at",  # noqa: S608
        ids,
    )
    return [Message(**dict(row)) for row in rows]


async def replay(connection: Connection, topic: str, since: datetime, limit: int) -> list[Message]:
    """The last messages of a private channel since a moment (UTC, without zone), oldest first."""
    rows = await connection.fetch(
        f"""
        select {COLUMNS} from realtime.messages
         where topic = $1 and private and extension = 'broadcast' and inserted_at >= $2
         order by inserted_at desc limit $3
        """,  # noqa: S608
        topic,
        since,
        limit,
    )
    return [Message(**dict(row)) for row in reversed(rows)]


async def beat(connection: Connection, node: UUID, silence_s: float) -> set[UUID]:
    """Says that this process is there; answers which others are."""
    await connection.execute(
        "insert into realtime.nodes (id) values ($1) on conflict (id) do update set seen_at = now()", node
    )
    await connection.execute("delete from realtime.nodes where seen_at < now() - make_interval(secs => $1)", silence_s)
    rows = await connection.fetch("select id from realtime.nodes where id <> $1", node)
    return {row["id"] for row in rows}


async def leave(connection: Connection, node: UUID) -> None:
    await connection.execute("delete from realtime.nodes where id = $1", node)


async def notify(connection: Connection, channel: str, contents: Sequence[str]) -> None:
    await connection.execute("select pg_notify($1, content) from unnest($2::text[]) content", channel, contents)


async def put_parcel(connection: Connection, content: str) -> int:
    """Leaves something for the other processes; what is older than a minute goes."""
    await connection.execute("delete from realtime.parcels where created_at < now() - interval '1 minute'")
    parcel_id: int = await connection.fetchval(
        "insert into realtime.parcels (content) values ($1) returning id", content
    )
    return parcel_id


async def parcel(connection: Connection, parcel_id: int) -> str | None:
    content: str | None = await connection.fetchval("select content from realtime.parcels where id = $1", parcel_id)
    return content
