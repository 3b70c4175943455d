"""Fill an account with the made-up business, its invoices through the product's own reader."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from functions._shared import fatturapa
from functions._shared.documents import conclusions
from tests.business import agenda, files, papers, people
from tests.business.papers import Invoice, Paper
from tests.business.people import Contact
from tests.db import crm, documents, work
from tests.db.accounts import Connection

ROME = ZoneInfo("Europe/Rome")


async def load(connection: Connection, user_id: UUID, today: date | None = None) -> dict[str, UUID]:
    """Write the whole business for this account and return the ids of its contacts by key."""
    today = today or datetime.now(ROME).date()
    await profile(connection, user_id)
    ids = await _contacts(connection, user_id)
    await diary(connection, user_id, ids, today)
    await _invoices(connection, user_id, ids, today)
    for paper in papers.PAPERS.values():
        await _paper(connection, user_id, ids, paper, today)
    return ids


async def profile(connection: Connection, user_id: UUID) -> None:
    """Say who the owner of this account is."""
    await connection.execute(
        """
        insert into public.profiles (user_id, full_name, business_name, vat_number, tax_code)
        values ($1, $2, $3, $4, $5)
        on conflict (user_id) do update set full_name = excluded.full_name, business_name = excluded.business_name,
          vat_number = excluded.vat_number, tax_code = excluded.tax_code
        """,
        user_id,
        people.OWNER_NAME,
        people.OWNER_BUSINESS,
        people.OWNER_VAT,
        people.OWNER_TAX_CODE,
    )


def moment(day: date, hour: int = 0) -> datetime:
    """Return this hour of a day in Rome."""
    return datetime.combine(day, time(hour), ROME).astimezone(UTC)


async def _contacts(connection: Connection, user_id: UUID) -> dict[str, UUID]:
    ids: dict[str, UUID] = {}
    tags = {
        name: await connection.fetchval(
            "insert into public.tags (user_id, name) values ($1, $2) returning id", user_id, name
        )
        for name in ("Cliente", "Fornitore")
    }
    # Companies come first, because people refer to them.
    for each in sorted(people.CONTACTS.values(), key=lambda each: each.business is None):
        ids[each.key] = contact_id = await crm.contact(connection, user_id, **_columns(each, ids))
        await _details(connection, user_id, contact_id, each)
        for role in each.roles:
            await connection.execute(
                "insert into public.contact_tags (user_id, contact_id, tag_id) values ($1, $2, $3)",
                user_id,
                contact_id,
                tags[role],
            )
    return ids


def _columns(of: Contact, ids: dict[str, UUID]) -> dict[str, Any]:
    province, postal_code, _ = people.CITIES[of.city]
    return {
        "type": "azienda" if of.business else "persona",
        "business_name": of.business,
        "first_name": of.first,
        "last_name": of.last,
        "company_id": ids[of.company] if of.company else None,
        "job_title": of.job,
        "vat_number": of.vat_number,
        "tax_code": of.tax_code,
        "address": json.dumps(
            {
                "street": "Via Emilia 1",
                "city": of.city,
                "province": province,
                "postal_code": postal_code,
                "country": "IT",
            }
        ),
    }


async def _details(connection: Connection, user_id: UUID, contact_id: UUID, of: Contact) -> None:
    if of.phone:
        await connection.execute(
            "insert into public.contact_phones (user_id, contact_id, value, norm) values ($1, $2, $3, $4)",
            user_id,
            contact_id,
            of.phone,
            f"+39{of.phone.replace(' ', '')}",
        )
    if of.email:
        await connection.execute(
            "insert into public.contact_emails (user_id, contact_id, value) values ($1, $2, $3)",
            user_id,
            contact_id,
            of.email,
        )


async def diary(connection: Connection, user_id: UUID, ids: dict[str, UUID], today: date) -> None:
    """Write what the owner notes by hand: talks, notes, projects, tasks and deals."""
    for talk in agenda.TALKS:
        await connection.execute(
            "insert into public.interactions (user_id, contact_id, kind, at, summary) "
            "values ($1, $2, $3::text::public.interaction_kind, $4, $5)",
            user_id,
            ids[talk.contact],
            talk.kind,
            moment(today - timedelta(days=talk.age), 10),
            talk.summary,
        )
    for key, note in agenda.NOTES:
        await connection.execute(
            "insert into public.notes (user_id, contact_id, body) values ($1, $2, $3)", user_id, ids[key], note
        )
    projects = {
        each.name: (
            await work.project(
                connection,
                user_id,
                name=each.name,
                contact_id=ids[each.contact],
                status=each.status,
                due_on=today + timedelta(days=each.due_in),
                budget_cents=each.budget_cents,
            )
        )["id"]
        for each in agenda.PROJECTS
    }
    for task in agenda.TASKS:
        await work.task(
            connection,
            user_id,
            title=task.title,
            due_at=None if task.due_in is None else moment(today + timedelta(days=task.due_in)),
            contact_id=ids[task.contact] if task.contact else None,
            project_id=projects[task.project] if task.project else None,
            state=task.state,
            priority=task.priority,
            completed_at=moment(today - timedelta(days=1), 9) if task.state == "fatto" else None,
        )
    await _deals(connection, user_id, ids, today)


async def _deals(connection: Connection, user_id: UUID, ids: dict[str, UUID], today: date) -> None:
    async with connection.transaction():
        claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
        await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
        stages = {
            row["name"]: row["id"] for row in await connection.fetch("select id, name from public.ensure_stages()")
        }
    for place, deal in enumerate(agenda.DEALS):
        since = moment(today - timedelta(days=deal.since))
        began = since if deal.stage == "Contatto" else since - timedelta(days=20)
        first = stages["Contatto"]
        deal_id = await connection.fetchval(
            """
            insert into public.deals (
              user_id, contact_id, title, amount_cents, stage_id, position, expected_close, stage_since, created_at
            ) values ($1, $2, $3, $4, $5, $6, $7, $8, $8) returning id
            """,
            user_id,
            ids[deal.contact],
            deal.title,
            deal.cents,
            first,
            f"a{place:02}",
            None if deal.closes is None else today + timedelta(days=deal.closes),
            began,
        )
        if deal.stage != "Contatto":
            await connection.execute(
                "update public.deals set stage_id = $2, stage_since = $3, lost_reason = $4 where id = $1",
                deal_id,
                stages[deal.stage],
                since,
                deal.reason,
            )


async def _invoices(connection: Connection, user_id: UUID, ids: dict[str, UUID], today: date) -> None:
    rows = {f"{each.key}.xml": each for each in papers.INVOICES.values()}
    for filename, content in files.invoices(today):
        each = rows[filename.split("_")[1]]
        found = conclusions.of_invoices(fatturapa.read(content), people.OWNER_VAT, people.OWNER_TAX_CODE)
        issued_on = each.issued_on(today)
        document_id = await documents.document(
            connection,
            user_id,
            filename=filename,
            kind="fattura",
            mime="application/xml",
            contact_id=ids[each.contact],
            supplier=json.dumps(dict(found.counterparty)),
            issued_on=issued_on,
            due_on=found.day("due_on"),
            total_cents=found.total_cents,
        )
        for of in found.fields:
            await documents.field(connection, document_id, of.key, of.value, 1.0, source="fatturapa")
        text = [f"Fattura {found.value('number')} di {found.value('supplier')} a {found.value('customer')}"]
        text += [f"{line.text} {files.euros(line.cents).replace('.', ',')}" for line in each.lines]
        await documents.page(connection, document_id, "\n".join(text))
        [invoice_id] = await documents.store_invoices(connection, document_id, *found.invoices)
        await pay(connection, user_id, invoice_id, each, issued_on)


async def pay(connection: Connection, user_id: UUID, invoice_id: UUID, of: Invoice, issued_on: date) -> None:
    """Mark the paid parts, as the owner does."""
    parts = await connection.fetch(
        "select id from public.invoice_schedules where invoice_id = $1 order by no, due_on", invoice_id
    )
    assert len(parts) == len(of.parts), (of.key, parts)
    async with connection.transaction():
        claims = json.dumps({"sub": str(user_id), "role": "authenticated"})
        await connection.execute("select set_config('request.jwt.claims', $1, true)", claims)
        for row, part in zip(parts, of.parts, strict=True):
            if part.paid_after is not None:
                paid_on = issued_on + timedelta(days=part.paid_after)
                await connection.execute("select public.mark_schedule_paid($1, $2)", row["id"], paid_on)


async def _paper(connection: Connection, user_id: UUID, ids: dict[str, UUID], of: Paper, today: date) -> None:
    issued_on = None if of.issued_in is None else today + timedelta(days=of.issued_in)
    due_on = None if of.due_in is None else today + timedelta(days=of.due_in)
    document_id = await documents.document(
        connection,
        user_id,
        filename=of.filename,
        kind=of.kind,
        contact_id=ids[of.contact] if of.contact else None,
        issued_on=issued_on,
        due_on=due_on,
        total_cents=of.total_cents,
    )
    await documents.page(connection, document_id, of.written(today))
    known = {"issued_on": issued_on, "due_on": due_on, "total": of.total_cents}
    for key, value in known.items():
        if value is not None:
            await documents.field(connection, document_id, key, str(value), 0.95, source="testo")
