"""Contacts: new ones, notes about them, and throwing one away."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Annotated, Any, Literal
from uuid import UUID

import asyncpg
from pydantic import AfterValidator, Field

from functions._shared import tax_ids
from functions._shared.assistant.tools import resolving
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import (
    TRASH,
    Done,
    Gone,
    Impossible,
    Line,
    Name,
    Preview,
    Text,
    Work,
    Write,
    uuid,
)
from functions._shared.assistant.turn import Turn

_EMAIL = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+")


def _email(value: str) -> str:
    if not _EMAIL.fullmatch(value):
        raise ValueError("Questo indirizzo email non è valido")
    return value


def _vat_number(value: str) -> str:
    number = tax_ids.vat_number(value)
    if number is None:
        raise ValueError("Questa partita IVA non è valida: controlla le 11 cifre")
    return number


def e164(value: str) -> str | None:
    """A telephone number as it is dialled from anywhere; without a country it is Italian. None for what is none."""
    digits = re.sub(r"[\s()./-]", "", value)
    digits = "+" + digits[2:] if digits.startswith("00") else digits
    digits = digits if digits.startswith("+") else f"+39{digits}"
    return digits if re.fullmatch(r"\+[1-9][0-9]{6,14}", digits) else None


def _phone(value: str) -> str:
    if e164(value) is None:
        raise ValueError("Questo numero di telefono non è valido")
    return value


class NewContact(Arguments):
    """A contact to be made: what a model says, and what is kept."""

    name: Line = Field(description="Name and surname of a person, or the name of a company")
    type: Literal["persona", "azienda"] = "persona"
    email: Annotated[Line, AfterValidator(_email)] | None = None
    phone: Annotated[Line, AfterValidator(_phone)] | None = None
    vat_number: Annotated[Line, AfterValidator(_vat_number)] | None = None


class NewNote(Arguments):
    """What a model says for `add_note`."""

    contact: Name = Field(description="A name, or a handle like r3")
    body: Text


class NoteArgs(Arguments):
    """A note to be written."""

    contact_id: UUID
    body: Text


class OneContact(Arguments):
    """What names a contact."""

    contact: Name = Field(description="A name, or a handle like r3")


class ContactArgs(Arguments):
    """A contact."""

    contact_id: UUID


async def meant(work: Work, turn: Turn, words: str) -> UUID:
    """The contact of a name or a handle. Raises Unanswered."""
    return UUID((await resolving.find(work.connection, turn, "contact", words)).id)


async def contact_row(work: Work, contact_id: UUID) -> Any:
    """A contact of the list. Raises Gone."""
    row = await work.connection.fetchrow(
        "select id, name, email, phone, company_name from public.contact_list where id = $1", contact_id
    )
    if row is None:
        raise Gone("Questo contatto non c’è più")
    return row


class CreateContact(Write[NewContact, NewContact]):
    """Proposes a new contact, a person or a company, with the address and numbers that the person said."""

    name = "create_contact"
    label = "Nuovo contatto"
    step = "Preparo un contatto…"
    asked = NewContact
    args = NewContact

    async def resolve(self, _work: Work, _turn: Turn, asked: NewContact) -> NewContact:
        return asked

    async def preview(self, work: Work, args: NewContact) -> Preview:
        draft = {key: value for key, value in _columns(args).items() if key != "phones"}
        draft["phones"] = [e164(args.phone)] if args.phone else []
        alike = await work.connection.fetch("select name, reasons from public.similar_contacts($1::jsonb)", draft)
        return Preview(
            f"{self.label}: {args.name}",
            (
                ("Nome", args.name),
                ("Tipo", args.type),
                ("Email", args.email),
                ("Telefono", args.phone),
                ("Partita IVA", args.vat_number),
                ("Somiglia a", ", ".join(row["name"] for row in alike[:3]) or None),
            ),
            about=(args.name,),
            texts=tuple(filter(None, (args.email, args.phone))),
        )

    async def execute(self, work: Work, args: NewContact) -> Done:
        columns = {"id": work.call_id, **_columns(args)}
        try:
            async with work.connection.transaction():
                await work.connection.execute("select public.save_contact($1::jsonb)", columns)
        except asyncpg.UniqueViolationError as error:
            field = "email" if "email" in (error.constraint_name or "") else "phone"
            what = "questo indirizzo" if field == "email" else "questo numero"
            raise Impossible(f"Un altro contatto ha già {what}", field) from error
        return Done(f"Ho aggiunto {args.name}.", "contact", work.call_id, args.name, {"contact_id": work.call_id})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.contacts set deleted_at = now() where id = $1 and deleted_at is null",
            uuid(undo, "contact_id"),
        )


def _columns(args: NewContact) -> dict[str, Any]:
    """As save_contact takes it: the first word of a person's name is the first name."""
    first, _, last = args.name.partition(" ")
    is_person = args.type == "persona"
    return {
        "type": args.type,
        "first_name": first if is_person else None,
        "last_name": last or None if is_person else None,
        "business_name": None if is_person else args.name,
        "vat_number": args.vat_number,
        "emails": [args.email] if args.email else [],
        "phones": [{"value": args.phone, "norm": e164(args.phone)}] if args.phone else [],
    }


class AddNote(Write[NewNote, NoteArgs]):
    """Proposes a note about a contact, in the person's words."""

    name = "add_note"
    label = "Nuova nota"
    step = "Preparo una nota…"
    asked = NewNote
    args = NoteArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewNote) -> NoteArgs:
        return NoteArgs(contact_id=await meant(work, turn, asked.contact), body=asked.body)

    async def preview(self, work: Work, args: NoteArgs) -> Preview:
        row = await contact_row(work, args.contact_id)
        title = f"{self.label} su {row['name']}"
        return Preview(title, (("Contatto", row["name"]),), args.body, about=(row["name"],), texts=(args.body,))

    async def execute(self, work: Work, args: NoteArgs) -> Done:
        row = await contact_row(work, args.contact_id)
        note = "insert into public.notes (id, contact_id, body) values ($1, $2, $3)"
        await work.connection.execute(note, work.call_id, args.contact_id, args.body)
        text = f"Ho aggiunto la nota su {row['name']}."
        return Done(text, "contact", str(args.contact_id), row["name"], {"note_id": work.call_id})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.notes set deleted_at = now() where id = $1 and deleted_at is null", uuid(undo, "note_id")
        )


class DeleteContact(Write[OneContact, ContactArgs]):
    """Proposes to throw a contact away; it stays in the trash for thirty days."""

    name = "delete_contact"
    label = "Elimina contatto"
    step = "Preparo l’eliminazione…"
    risk = "alto"
    deletes = True
    asked = OneContact
    args = ContactArgs

    async def resolve(self, work: Work, turn: Turn, asked: OneContact) -> ContactArgs:
        return ContactArgs(contact_id=await meant(work, turn, asked.contact))

    async def preview(self, work: Work, args: ContactArgs) -> Preview:
        row = await contact_row(work, args.contact_id)
        hanging = await work.connection.fetchrow(
            """
            select (select count(*) from public.tasks
                where contact_id = $1 and state <> 'fatto' and deleted_at is null) as tasks,
              (select count(*) from public.deals
                where contact_id = $1 and won_at is null and lost_at is null and deleted_at is null) as deals
            """,
            args.contact_id,
        )
        return Preview(
            f"{self.label}: {row['name']}",
            (
                ("Contatto", row["name"]),
                ("Azienda", row["company_name"]),
                ("Email", row["email"]),
                ("Attività aperte", str(hanging["tasks"]) if hanging and hanging["tasks"] else None),
                ("Trattative aperte", str(hanging["deals"]) if hanging and hanging["deals"] else None),
            ),
            about=(row["name"],),
        )

    async def execute(self, work: Work, args: ContactArgs) -> Done:
        row = await contact_row(work, args.contact_id)
        await work.connection.execute("update public.contacts set deleted_at = now() where id = $1", args.contact_id)
        undo, until = {"contact_id": str(args.contact_id)}, work.now + TRASH - timedelta(minutes=5)
        return Done(f"Ho eliminato {row['name']}.", "contact", str(args.contact_id), row["name"], undo, until)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        back = "update public.contacts set deleted_at = null where id = $1 returning 1"
        if await work.connection.fetchval(back, uuid(undo, "contact_id")) is None:
            raise Gone("Questo contatto non c’è più")


WRITES: tuple[Write[Any, Any], ...] = (CreateContact(), AddNote(), DeleteContact())
