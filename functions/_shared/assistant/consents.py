"""Read what keeps a question from a provider: no consent, the wish for local mode alone, the stop of an admin."""

from __future__ import annotations

from uuid import UUID

from backend.edge import api
from functions._shared.assistant import provider


async def is_given(connection: api.Connection, user_id: str, choice: provider.Choice) -> bool:
    """Whether they agreed to this provider where it is asked: the same one elsewhere is another."""
    given: bool = await connection.fetchval(
        "select exists (select from private.ai_consents where user_id = $1 and host = $2)", UUID(user_id), choice.host
    )
    return given


async def is_local_only(connection: api.Connection, user_id: str) -> bool:
    """Whether they want nothing sent to any provider, whatever they agreed to before."""
    wanted: bool = await connection.fetchval("select private.is_local_only($1)", UUID(user_id))
    return wanted


async def is_stopped(connection: api.Connection) -> bool:
    """Return whether an admin has stopped the AI for everybody."""
    stopped: bool = await connection.fetchval("select private.is_ai_stopped()")
    return stopped


async def give(connection: api.Connection, user_id: str, choice: provider.Choice) -> None:
    """Writes down that they agree, and what they were told of the provider; once."""
    await connection.execute(
        """
        insert into private.ai_consents (user_id, host, provider, in_eu) values ($1, $2, $3, $4)
        on conflict do nothing
        """,
        UUID(user_id),
        choice.host,
        choice.label,
        choice.in_eu,
    )
