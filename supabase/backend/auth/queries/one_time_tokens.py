"""Statements on auth.one_time_tokens, whose moments upstream keeps without time zone: they hold UTC."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING
from uuid import UUID

if TYPE_CHECKING:
    from backend.core.db import Connection


# A token `t` of the user `u` is about an address or number, and counts only while that is still the one.
_STILL_ABOUT = """
  case t.token_type
    when 'email_change_token_new' then t.relates_to = u.email_change
    when 'phone_change_token' then t.relates_to = u.phone_change
    else t.relates_to in (u.email, u.phone)
  end
"""


async def put(
    connection: Connection,
    *,
    token_id: UUID,
    user_id: UUID,
    token_type: str,
    token_hash: str,
    email: str,
    now: datetime,
) -> None:
    """A newer token of a kind replaces the older one."""
    await connection.execute(
        """
        insert into auth.one_time_tokens (id, user_id, token_type, token_hash, relates_to, created_at, updated_at)
        values ($1, $2, $3, $4, $5, $6::timestamptz at time zone 'UTC', $6::timestamptz at time zone 'UTC')
        on conflict (user_id, token_type) do update
           set id = excluded.id, token_hash = excluded.token_hash, relates_to = excluded.relates_to,
               created_at = excluded.created_at, updated_at = excluded.updated_at
        """,
        token_id,
        user_id,
        token_type,
        token_hash,
        email,
        now,
    )


async def take(
    connection: Connection, token_hashes: list[str], token_types: list[str]
) -> tuple[UUID, str, str, datetime] | None:
    """Removes the token and returns (user id, type, address, created at): of two at the same time only one gets it.

    Its user is locked before, as by everybody who changes an address and then ends the tokens sent to it.
    """
    row = await connection.fetchrow(
        f"""
        with found as (
          select t.id from auth.one_time_tokens t join auth.users u on u.id = t.user_id
           where t.token_hash = any($1::text[]) and t.token_type = any($2::text[]::auth.one_time_token_type[])
             and {_STILL_ABOUT} for no key update of u)
        delete from auth.one_time_tokens t using found where t.id = found.id
        returning t.user_id, t.token_type::text, t.relates_to, t.created_at at time zone 'UTC' as created_at
        """,  # noqa: S608 - a constant
        token_hashes,
        token_types,
    )
    return (row["user_id"], row["token_type"], row["relates_to"], row["created_at"]) if row else None


async def exists(connection: Connection, token_hash: str, token_types: list[str]) -> bool:
    found: bool = await connection.fetchval(
        f"""
        select exists (select from auth.one_time_tokens t join auth.users u on u.id = t.user_id
                        where t.token_hash = $1 and t.token_type = any($2::text[]::auth.one_time_token_type[])
                          and {_STILL_ABOUT})
        """,  # noqa: S608 - a constant
        token_hash,
        token_types,
    )
    return found


async def has(connection: Connection, user_id: UUID, token_type: str) -> bool:
    """Tell whether a token of this kind waits for the user."""
    found: bool = await connection.fetchval(
        """
        select exists (select from auth.one_time_tokens
                        where user_id = $1 and token_type = $2::text::auth.one_time_token_type)
        """,
        user_id,
        token_type,
    )
    return found
