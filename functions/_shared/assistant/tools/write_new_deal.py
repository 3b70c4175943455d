"""A new deal: with whom, for what, and what it is worth."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any
from uuid import UUID

from pydantic import AfterValidator, Field

from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.write_deals import stage_of
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Line, Name, Preview, Work, Write, uuid
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

# As the column has it.
MOST_CENTS = 100_000_000_000


def _amount(value: str) -> str:
    cents = wording.cents(value)
    if cents is None:
        raise ValueError("Scrivi un importo, come 1.500 o 1.500,50")
    if cents > MOST_CENTS:
        raise ValueError("L’importo è troppo grande")
    return value


Amount = Annotated[Line, AfterValidator(_amount)]


class NewDeal(Arguments):
    """What a model says for `create_deal`."""

    title: Line | None = Field(default=None, description="What it is about: «Sito nuovo»")
    contact: Name | None = Field(default=None, description="Whom it is with: a name, or a handle like r3")
    amount: Amount | None = Field(default=None, description="Its worth in euro, as said: «3.000», «3mila euro»")
    stage: Line | None = Field(default=None, description="The stage by its name; left out: the first")
    expected_close: date | None = Field(default=None, description="When it may close, like 2026-01-31")


class NewDealArgs(Arguments):
    """A deal to be made."""

    title: Line
    contact_id: UUID | None = None
    amount: Amount | None = None
    stage: Line
    expected_close: date | None = None


class CreateDeal(Write[NewDeal, NewDealArgs]):
    """Proposes a new deal on the person's board: title, contact, amount in euro, stage."""

    name = "create_deal"
    label = "Nuova trattativa"
    step = "Preparo una trattativa…"
    asked = NewDeal
    args = NewDealArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewDeal) -> NewDealArgs:
        found = await resolving.find(work.connection, turn, "contact", asked.contact) if asked.contact else None
        if not asked.title and not found:
            raise Impossible("Scrivi con chi è la trattativa, o per che cosa", "title")
        stage = await stage_of(work, asked.stage) if asked.stage else await _first_stage(work)
        return NewDealArgs(
            title=asked.title or f"Trattativa con {found.label if found else ''}"[:200],
            contact_id=UUID(found.id) if found else None,
            amount=asked.amount,
            stage=stage["name"],
            expected_close=asked.expected_close,
        )

    async def preview(self, work: Work, args: NewDealArgs) -> Preview:
        contact, stage = await _contact(work, args), await stage_of(work, args.stage)
        alike = await work.connection.fetchval(
            """
            select string_agg(title, ', ' order by title) from public.deals
            where deleted_at is null and won_at is null and lost_at is null
              and (contact_id = $1 or lower(title) = lower($2))
            """,
            args.contact_id,
            args.title,
        )
        return Preview(
            f"{self.label}: {args.title}",
            (
                ("Titolo", args.title),
                ("Contatto", contact),
                ("Valore", money.euros(_cents(args))),
                ("Fase", stage["name"]),
                ("Chiusura prevista", wording.day(args.expected_close, work.today) if args.expected_close else None),
                ("Già aperte", alike and alike[:200]),
            ),
            about=(contact,) if contact else (),
            texts=tuple(filter(None, (args.title, args.amount))),
        )

    async def execute(self, work: Work, args: NewDealArgs) -> Done:
        await _contact(work, args)
        stage = await stage_of(work, args.stage)
        await work.connection.execute(
            """
            insert into public.deals (id, title, contact_id, amount_cents, stage_id, expected_close)
            values ($1, $2, $3, $4, $5, $6)
            """,
            work.call_id,
            args.title,
            args.contact_id,
            _cents(args),
            stage["id"],
            args.expected_close,
        )
        text = f"Ho aggiunto la trattativa «{args.title}» in «{stage['name']}»."
        return Done(text, "deal", work.call_id, args.title, {"deal_id": work.call_id})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.deals set deleted_at = now() where id = $1 and deleted_at is null", uuid(undo, "deal_id")
        )


def _cents(args: NewDealArgs) -> int:
    return wording.cents(args.amount) or 0 if args.amount else 0


async def _first_stage(work: Work) -> Any:
    return await work.connection.fetchrow(
        "select id, name::text from public.ensure_stages() where kind = 'aperta' order by position limit 1"
    )


async def _contact(work: Work, args: NewDealArgs) -> str | None:
    """The name of whom it is with. Raises Gone."""
    if args.contact_id is None:
        return None
    name: str | None = await work.connection.fetchval(
        "select name from public.contact_list where id = $1", args.contact_id
    )
    if name is None:
        raise Gone("Il contatto di questa trattativa non c’è più")
    return name


WRITES: tuple[Write[Any, Any], ...] = (CreateDeal(),)
