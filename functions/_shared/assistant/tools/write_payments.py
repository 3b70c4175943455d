"""Invoices that were paid: the person's word about money, so it is always asked for."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Name, Preview, Work, Write, uuid, uuids
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money


class Paid(Arguments):
    """What a model says for `mark_invoice_paid`."""

    invoice: Name = Field(description="Its number, whom it is of or to, or a handle like r3")
    direction: Literal["attiva", "passiva"] | None = Field(
        default=None, description="attiva: a client paid the person; passiva: the person paid; left out: either"
    )
    part: int | None = Field(default=None, ge=1, le=99, description="Only this instalment was paid: 1 is the first")
    paid_on: date | None = Field(default=None, description="The day of the payment, like 2026-01-31; left out: today")


class PaidArgs(Arguments):
    """An invoice or one of its instalments, and the day on which the rest of it was paid."""

    invoice_id: UUID
    schedule_id: UUID | None = None
    paid_on: date


class MarkInvoicePaid(Write[Paid, PaidArgs]):
    """Proposes to enter that an invoice, or one of its instalments, was paid or cashed, with the day. It moves no
    money."""

    name = "mark_invoice_paid"
    label = "Segna come pagata"
    step = "Preparo il pagamento…"
    risk = "medio"
    money = True
    asked = Paid
    args = PaidArgs

    async def resolve(self, work: Work, turn: Turn, asked: Paid) -> PaidArgs:
        found = await resolving.find(work.connection, turn, "invoice", asked.invoice)
        part = await _part(work, UUID(found.id), asked.part) if asked.part else None
        args = PaidArgs(invoice_id=UUID(found.id), schedule_id=part, paid_on=asked.paid_on or work.today)
        if asked.direction and (await _open_invoice(work, args))["direction"] != asked.direction:
            kind = "emessa" if asked.direction == "attiva" else "ricevuta"
            raise Impossible(f"Nessuna fattura {kind} ancora aperta corrisponde: c’è solo «{found.label}»", "invoice")
        return args

    async def preview(self, work: Work, args: PaidArgs) -> Preview:
        row = await _open_invoice(work, args)
        is_income = row["direction"] == "attiva"
        parts = f"{row['parts']} rate, tutte quelle aperte" if row["parts"] > 1 else None
        return Preview(
            f"Segna come {_paid(row)}: {_what(row, args)}",
            (
                ("Fattura", f"{row['number']} del {row['issued_on']:%d/%m/%Y}"),
                ("Cliente" if is_income else "Fornitore", row["who"]),
                ("Importo", money.euros(row["open_cents"], row["currency"])),
                ("Rata" if args.schedule_id else "Rate", _which(row) if args.schedule_id else parts),
                (
                    "Incassata il" if row["direction"] == "attiva" else "Pagata il",
                    wording.day(args.paid_on, work.today),
                ),
            ),
            before="da incassare" if is_income else "da pagare",
            about=tuple(filter(None, (row["number"], row["who"]))),
        )

    async def execute(self, work: Work, args: PaidArgs) -> Done:
        row = await _open_invoice(work, args)
        undo = {
            "invoice_id": str(args.invoice_id),
            "paid_on": args.paid_on.isoformat(),
            # What was paid before stays paid.
            "schedules": [str(each) for each in row["open_schedules"]],
            "tasks": [str(each) for each in row["open_tasks"]],
        }
        if args.schedule_id:
            await work.connection.execute("select public.mark_schedule_paid($1, $2)", args.schedule_id, args.paid_on)
        else:
            await work.connection.execute("select public.mark_invoice_paid($1, $2)", args.invoice_id, args.paid_on)
        when = wording.day(args.paid_on, work.today)
        text = f"Ho segnato come {_paid(row)} la {_what(row, args)}: {when}."
        return Done(text, "document", str(row["document_id"]), f"Fattura {row['number']}", undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        invoice_id, schedules = uuid(undo, "invoice_id"), uuids(undo, "schedules")
        days = await work.connection.fetchval(
            """
            select array_agg(distinct paid_on::text) from (
              select paid_on from public.invoices where id = $1 and cardinality($2::uuid[]) = 0
              union all select paid_on from public.invoice_schedules where invoice_id = $1 and id = any ($2)
            ) as paid
            """,
            invoice_id,
            schedules,
        )
        if days != [undo.get("paid_on")]:
            raise Impossible("Nel frattempo il pagamento di questa fattura è stato cambiato")
        if not schedules:
            await work.connection.execute("select public.mark_invoice_paid($1, null)", invoice_id)
        for schedule in schedules:
            await work.connection.execute("select public.mark_schedule_paid($1, null)", schedule)
        await work.connection.execute(
            "select public.reopen_task(id) from public.tasks where id = any ($1::uuid[]) and deleted_at is null",
            uuids(undo, "tasks"),
        )


async def _part(work: Work, invoice_id: UUID, number: int) -> UUID:
    """The instalment of this number. Raises Impossible."""
    parts = await work.connection.fetch(
        "select id from public.invoice_schedules where invoice_id = $1 order by no", invoice_id
    )
    if number > len(parts):
        there = {0: "non ha rate", 1: "ha una rata sola"}.get(len(parts), f"ha {len(parts)} rate")
        raise Impossible(f"Questa fattura {there}", "part")
    part: UUID = parts[number - 1]["id"]
    return part


def _what(row: Any, args: PaidArgs) -> str:
    part = f"rata {row['place']}, " if args.schedule_id else ""
    return f"{part}fattura {row['number']}"


def _which(row: Any) -> str:
    due = f", scade il {row['due_on']:%d/%m/%Y}" if row["due_on"] else ""
    return f"{row['place']} di {row['all_parts']}{due}"


def _paid(row: Any) -> str:
    return "incassata" if row["direction"] == "attiva" else "pagata"


async def _open_invoice(work: Work, args: PaidArgs) -> Any:
    """The invoice with what is still open of it. Raises Gone, and Impossible when it is paid or the day is to come."""
    row = await work.connection.fetchrow(
        """
        select invoices.document_id, invoices.number, invoices.direction::text,
          invoices.issued_on, invoices.currency, invoices.paid_on,
          coalesce(invoices.counterparty_name, contacts.name) as who, count(parts.id) as parts,
          min(parts.due_on) as due_on, whole.parts as all_parts, whole.place,
          -- Without dates it is due as a whole.
          coalesce(sum(parts.amount_cents)::bigint, invoices.due_cents, invoices.total_cents) as open_cents,
          coalesce(array_agg(parts.id order by parts.no) filter (where parts.id is not null), '{}') as open_schedules,
          coalesce(array_agg(tasks.id) filter (where tasks.id is not null), '{}') as open_tasks
        from public.invoices
        join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
          and documents.deleted_at is null
        left join public.contacts on contacts.user_id = invoices.user_id and contacts.id = invoices.contact_id
        left join public.invoice_schedules as parts on parts.user_id = invoices.user_id
          and parts.invoice_id = invoices.id and parts.paid_on is null and ($2::uuid is null or parts.id = $2)
        left join public.tasks on tasks.user_id = parts.user_id and tasks.id = parts.task_id
          and tasks.state <> 'fatto' and tasks.deleted_at is null
        cross join lateral (
          select count(*) as parts, count(*) filter (
              where no <= (select no from public.invoice_schedules where id = $2)
            ) as place
          from public.invoice_schedules as every where every.user_id = invoices.user_id and invoice_id = invoices.id
        ) as whole
        where invoices.id = $1
        group by invoices.id, contacts.name, whole.parts, whole.place
        """,
        args.invoice_id,
        args.schedule_id,
    )
    if row is None:
        raise Gone("Questa fattura non c’è più")
    if row["paid_on"] is not None:
        raise Impossible(f"La fattura {row['number']} è già segnata come {_paid(row)}")
    if args.schedule_id and not row["parts"]:
        raise Impossible(f"Questa rata della fattura {row['number']} è già segnata come {_paid(row)}")
    if args.paid_on > work.today:
        raise Impossible("Il giorno del pagamento non può essere nel futuro", "paid_on")
    return row


WRITES: tuple[Write[Any, Any], ...] = (MarkInvoicePaid(),)
