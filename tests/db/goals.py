"""Goals for tests: a mandate, a goal that runs, clients who owe, and what became of the steps."""

from __future__ import annotations

import json
from datetime import date, datetime, time
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from backend.core import db
from tests.db import crm, documents

ROME = ZoneInfo("Europe/Rome")
AGENT = "recupero_crediti"
# What the mandate of an agent is about, where it isn't letters.
ACTIONS = {"pulizia_contatti": "archivio", "chiusura_mese": "archivio"}
IBAN = "IT60X0542811101000000123456"


async def as_person(connection: db.Connection, user_id: UUID, function: str, *arguments: Any) -> Any:
    """Call a function of the API as a person."""
    places = ", ".join(f"${place}" for place in range(1, len(arguments) + 1))
    async with connection.transaction():
        claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
        await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
        answer = await connection.fetchrow(f"select * from public.{function}({places})", *arguments)
        await connection.execute("select set_config('request.jwt.claims', '', true)")
    return answer


async def mandate(connection: db.Connection, user_id: UUID, autonomy: str = "supervisionata", **limits: Any) -> UUID:
    """Give the agent a mandate; answers its id."""
    row = await as_person(
        connection, user_id, "give_mandate", agent := limits.get("agent", AGENT), ACTIONS.get(agent, "mail"), autonomy,
        limits.get("max_cents", 10_000_000), limits.get("max_recipients_day", 20), limits.get("last_tone", 3),
        limits.get("ibans", [IBAN]), limits.get("claims_interest", False), limits.get("uses_whatsapp", False),
        limits.get("uses_pec", False), limits.get("letter_credits"), limits.get("letter_budget"),
        limits.get("letter_style"), limits.get("skipped_steps", []),
    )  # fmt: skip
    mandate_id: UUID = row["id"]
    return mandate_id


async def start(connection: db.Connection, user_id: UUID, agent: str = AGENT) -> UUID:
    """Start the goal; answers its id."""
    goal_id: UUID = (await as_person(connection, user_id, "start_goal", agent, "Un obiettivo"))["id"]
    return goal_id


async def client(connection: db.Connection, user_id: UUID, name: str, address: str | None) -> UUID:
    """Add a company, with an address unless it has none."""
    contact_id = await crm.contact(connection, user_id, type="azienda", first_name=None, business_name=name)
    if address:
        await connection.execute(
            "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
            user_id,
            contact_id,
            address,
        )
    return contact_id


async def invoice(
    connection: db.Connection,
    user_id: UUID,
    contact_id: UUID,
    number: str,
    due_on: date,
    cents: int = 100_000,
    **told: Any,
) -> UUID:
    """Add an invoice to a client."""
    document_id = await documents.document(connection, user_id, kind="fattura", contact_id=contact_id)
    return (
        await documents.store_invoices(
            connection,
            document_id,
            {
                "number": number,
                "total_cents": cents,
                "direction": "attiva",
                "issued_on": told.pop("issued_on", due_on.replace(day=1)).isoformat(),
                "schedules": [{"due_on": due_on.isoformat(), "amount_cents": cents, "iban": told.pop("iban", IBAN)}],
                **told,
            },
        )
    )[0]


async def quote(
    connection: db.Connection, user_id: UUID, contact_id: UUID, title: str, sent_on: date, cents: int = 250_000
) -> UUID:
    """Add a deal that has been in the stage of quotes since the morning of a day."""
    await as_person(connection, user_id, "ensure_stages")
    deal_id: UUID = await connection.fetchval(
        """
        insert into public.deals (user_id, contact_id, title, amount_cents, stage_id, stage_since)
        select $1, $2, $3, $4, id, $5 from public.stages where user_id = $1 and name = 'Preventivo' returning id
        """,
        user_id, contact_id, title, cents, at(sent_on),
    )  # fmt: skip
    return deal_id


async def steps(connection: db.Connection, user_id: UUID) -> list[dict[str, Any]]:
    """List the steps of a person, oldest first."""
    rows = await connection.fetch(
        "select *, public.hash(goal_steps) from public.goal_steps where user_id = $1 order by created_at, id", user_id
    )
    return [{**dict(row), **{key: _parsed(row[key]) for key in ("args", "preview", "rules")}} for row in rows]


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value


def at(day: date, hour: int = 10) -> datetime:
    """Return a moment of a day in Italy."""
    return datetime.combine(day, time(hour), ROME)


async def populate(connection: db.Connection, owner: UUID, contact_id: UUID) -> dict[str, str]:
    """Insert a row of each table for the owner; answers the names that cells use."""
    await mandate(connection, owner)
    goal_id = await start(connection, owner)
    await connection.execute(
        "select private.plan_goal_step($1, $2, 'mail', '{}', '{}', '{}', now())", goal_id, contact_id
    )
    await connection.execute("insert into private.autonomy_stops (user_id) values ($1)", owner)
    # Of an account that is gone.
    await connection.execute(
        """
        insert into public.ethical_logs (chain, seq, action, inputs_hash, at, prev_hash, hash)
        values (gen_random_uuid(), 1, 'prova', repeat('0', 64), now(), '', repeat('0', 64))
        """
    )
    return {"owner_goal": str(goal_id)}
