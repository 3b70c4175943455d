"""Whether the demo account is to be filled: when it is new, and again when its days are old and nobody changed it."""

from __future__ import annotations

from datetime import date
from uuid import UUID

from backend.core import db
from backend.core.config import Settings
from backend.core.db import Connection

EMAIL = "demo@socio.example"
# What the owner of an account writes. What jobs write (insights, notices, the page /home) says nothing about it.
WRITTEN = (
    "contacts", "contact_emails", "contact_phones", "contact_tags", "tags", "notes", "interactions", "consents",
    "deals", "projects", "tasks", "documents", "document_fields", "invoices", "invoice_schedules", "conversations",
    "messages", "memories", "profiles", "contact_requests",
)  # fmt: skip


async def is_due(settings: Settings) -> bool:
    """Whether filling the demo account of this installation has something to do."""
    connection = await db.connect(settings)
    try:
        user_id, filled_on = await state(connection)
        if user_id is None or filled_on == await today(connection):
            return False
        return filled_on is None or await is_untouched(connection, user_id)
    finally:
        await connection.close()


async def state(connection: Connection) -> tuple[UUID | None, date | None]:
    """Return the account, and the day for which it was filled: None when it is new. No account: nothing to fill."""
    row = await connection.fetchrow(
        """
        select id, (raw_app_meta_data #>> '{demo,on}')::date as filled_on,
          exists (select from public.contacts where user_id = users.id)
            or exists (select from public.documents where user_id = users.id) as is_used
        from auth.users where email = $1 and deleted_at is null
        """,
        EMAIL,
    )
    # Of an account from before this seed, what is in it is its user's.
    if row is None or (row["filled_on"] is None and row["is_used"]):
        return None, None
    return row["id"], row["filled_on"]


async def today(connection: Connection) -> date:
    """Return today in Italy, as the database reckons."""
    found: date = await connection.fetchval("select private.today()")
    return found


async def is_untouched(connection: Connection, user_id: UUID) -> bool:
    """Whether everything is as it was filled."""
    kept = await connection.fetchval(
        "select raw_app_meta_data #>> '{demo,digest}' from auth.users where id = $1", user_id
    )
    return bool(kept == await _digest(connection, user_id))


async def mark(connection: Connection, user_id: UUID, day: date) -> None:
    """Note for which day the account was filled, and with what."""
    await connection.execute(
        """
        update auth.users set raw_app_meta_data = raw_app_meta_data
          || jsonb_build_object('demo', jsonb_build_object('on', $2::date, 'digest', $3::text))
        where id = $1
        """,
        user_id,
        day,
        await _digest(connection, user_id),
    )


async def remove(connection: Connection, user_id: UUID) -> None:
    """Delete the account with all that it has."""
    await connection.execute("delete from auth.users where id = $1", user_id)


async def _digest(connection: Connection, user_id: UUID) -> str:
    rows = " union all ".join(
        # Without what is null: a column that a migration adds is no change of hers.
        f"select jsonb_strip_nulls(to_jsonb(t))::text as row from public.{name} as t where user_id = $1"  # noqa: S608
        for name in WRITTEN
    )
    # Nor is an account made again whose login somebody has changed: it would have the public password again.
    rows += " union all select encrypted_password from auth.users where id = $1"
    rows += " union all select id::text from auth.mfa_factors where user_id = $1"
    query = f"select md5(string_agg(row, '' order by row)) from ({rows}) as written"  # noqa: S608
    found: str = await connection.fetchval(query, user_id)
    return found
