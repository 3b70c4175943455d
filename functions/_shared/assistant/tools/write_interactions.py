"""Calls, mails, messages and meetings that were: what the cadence of a contact counts."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from functions._shared.assistant.tools import past_moments, wording
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.write_contacts import contact_row, meant
from functions._shared.assistant.tools.writing import Done, Impossible, Line, Name, Preview, Text, Work, Write, uuid
from functions._shared.assistant.turn import Turn

Kind = Literal["chiamata", "email", "whatsapp", "incontro", "altro"]
Direction = Literal["uscita", "entrata"]
_NAMES: dict[tuple[Kind, Direction | None], str] = {
    ("chiamata", None): "chiamata",
    ("chiamata", "uscita"): "chiamata fatta",
    ("chiamata", "entrata"): "chiamata ricevuta",
    ("email", None): "email",
    ("email", "uscita"): "email inviata",
    ("email", "entrata"): "email ricevuta",
    ("whatsapp", None): "WhatsApp",
    ("whatsapp", "uscita"): "WhatsApp inviato",
    ("whatsapp", "entrata"): "WhatsApp ricevuto",
    ("incontro", None): "incontro",
}


class _Said(Arguments):
    kind: Kind = Field(default="altro", description="chiamata: on the telephone; incontro: face to face; altro: unsaid")
    direction: Direction | None = Field(
        default=None, description="entrata: the contact began it; uscita: the person did; left out for a meeting"
    )
    when: Line | None = Field(
        default=None, description="Day and hour in the past, as said: «ieri alle 15», «lunedì»; left out: now"
    )
    summary: Text | None = Field(default=None, description="What it was about, in the person's own words")


class NewInteraction(_Said):
    """What a model says for `log_interaction`."""

    contact: Name = Field(description="With whom: a name, or a handle like r3")


class InteractionArgs(_Said):
    """An interaction to be written down, read as of the moment at which it was said."""

    contact_id: UUID
    said_at: datetime


class LogInteraction(Write[NewInteraction, InteractionArgs]):
    """Proposes to log a call, mail, message or meeting with a contact that took place; the cadence begins again."""

    name = "log_interaction"
    label = "Registra contatto"
    step = "Preparo la registrazione…"
    asked = NewInteraction
    args = InteractionArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewInteraction) -> InteractionArgs:
        said = asked.model_dump(exclude={"contact"})
        return InteractionArgs(contact_id=await meant(work, turn, asked.contact), said_at=turn.now, **said)

    async def preview(self, work: Work, args: InteractionArgs) -> Preview:
        row = await contact_row(work, args.contact_id)
        at = wording.wall(_at(args), is_allday=False)
        return Preview(
            f"{self.label}: {row['name']}",
            (("Contatto", row["name"]), ("Tipo", _kind(args)), ("Quando", wording.due(at, work.today))),
            args.summary,
            about=(row["name"],),
            texts=(args.summary,) if args.summary else (),
        )

    async def execute(self, work: Work, args: InteractionArgs) -> Done:
        row = await contact_row(work, args.contact_id)
        await work.connection.execute(
            """
            insert into public.interactions (id, contact_id, kind, direction, at, summary)
            values ($1, $2, $3::text::public.interaction_kind, $4::text::public.interaction_direction, $5, $6)
            """,
            work.call_id,
            args.contact_id,
            args.kind,
            args.direction,
            _at(args),
            args.summary,
        )
        when = wording.due(wording.wall(_at(args), is_allday=False), work.today)
        text = f"Ho registrato con {row['name']}: {_kind(args)}, {when}."
        return Done(text, "contact", str(args.contact_id), row["name"], {"interaction_id": work.call_id})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute("delete from public.interactions where id = $1", uuid(undo, "interaction_id"))

    async def edited(self, work: Work, before: InteractionArgs, after: InteractionArgs) -> InteractionArgs:
        return after if after.when == before.when else after.model_copy(update={"said_at": work.now})


def _at(args: InteractionArgs) -> datetime:
    """Return when it was. Raises Impossible for words that name no day of the past."""
    at = past_moments.read(args.when or "", args.said_at)
    if at is None:
        raise Impossible("Non capisco quando: scrivi per esempio «ieri alle 15» o «lunedì»", "when")
    return at


def _kind(args: InteractionArgs) -> str:
    return _NAMES.get((args.kind, args.direction)) or _NAMES.get((args.kind, None), "contatto")


WRITES: tuple[Write[Any, Any], ...] = (LogInteraction(),)
