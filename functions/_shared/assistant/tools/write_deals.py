"""Deals: from one stage into another."""

from __future__ import annotations

from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from functions._shared import names
from functions._shared.assistant.tools import resolving
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Line, Name, Preview, Work, Write, uuid
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money


class Move(Arguments):
    """What a model says for `move_deal`."""

    deal: Name = Field(description="Its title, whom it is with, or a handle like r3")
    stage: Line = Field(description="The stage by its name: «Trattativa», «Vinta», «Persa»")


class MoveArgs(Arguments):
    """A deal, and the name of the stage it goes to."""

    deal_id: UUID
    stage: Line


class MoveDeal(Write[Move, MoveArgs]):
    """Proposes to move a deal into another stage of the person's board, won and lost included."""

    name = "move_deal"
    label = "Sposta trattativa"
    step = "Preparo lo spostamento…"
    risk = "medio"
    asked = Move
    args = MoveArgs

    async def resolve(self, work: Work, turn: Turn, asked: Move) -> MoveArgs:
        deal = await resolving.find(work.connection, turn, "deal", asked.deal)
        stage = await stage_of(work, asked.stage)
        return MoveArgs(deal_id=UUID(deal.id), stage=stage["name"])

    async def preview(self, work: Work, args: MoveArgs) -> Preview:
        row, stage = await _deal(work, args), await stage_of(work, args.stage)
        if row["stage_id"] == stage["id"]:
            raise Impossible(f"La trattativa è già in «{stage['name']}»", "stage")
        return Preview(
            f"{self.label}: {row['name']}",
            (
                ("Trattativa", row["name"]),
                ("Contatto", row["contact"]),
                ("Valore", money.euros(row["amount_cents"], row["currency"])),
                ("Nuova fase", stage["name"]),
            ),
            before=row["stage"],
            about=tuple(filter(None, (row["name"], row["contact"]))),
        )

    async def execute(self, work: Work, args: MoveArgs) -> Done:
        row, stage = await _deal(work, args), await stage_of(work, args.stage)
        await work.connection.execute(
            "update public.deals set stage_id = $2, lost_reason = null where id = $1", args.deal_id, stage["id"]
        )
        undo = {
            "deal_id": str(args.deal_id),
            "moved_to": str(stage["id"]),
            "stage_id": str(row["stage_id"]),
            "stage_since": row["stage_since"].isoformat(),
            "lost_reason": row["lost_reason"],
        }
        text = f"Ho spostato «{row['name']}» in «{stage['name']}»."
        return Done(text, "deal", str(args.deal_id), row["name"], undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        since = undo.get("stage_since")
        moved = await work.connection.fetchval(
            "select public.take_back_deal($1, $2, $3, $4, $5)",
            uuid(undo, "deal_id"),
            uuid(undo, "moved_to"),
            uuid(undo, "stage_id"),
            datetime.fromisoformat(since) if since else None,
            undo.get("lost_reason"),
        )
        if not moved:
            raise Impossible("Nel frattempo la trattativa è stata spostata di nuovo")


async def _deal(work: Work, args: MoveArgs) -> Any:
    row = await work.connection.fetchrow(
        """
        select deals.*, deals.title::text as name, stages.name::text as stage, contacts.name as contact
        from public.deals
        join public.stages on stages.user_id = deals.user_id and stages.id = deals.stage_id
        left join public.contacts on contacts.user_id = deals.user_id and contacts.id = deals.contact_id
        where deals.id = $1 and deals.deleted_at is null
        """,
        args.deal_id,
    )
    if row is None:
        raise Gone("Questa trattativa non c’è più")
    return row


async def stage_of(work: Work, words: str) -> Any:
    """The stage of this name. Raises Impossible, with the names there are."""
    stages = await work.connection.fetch("select id, name::text from public.ensure_stages()")
    wanted = names.words(words)
    fits = [row for row in stages if names.words(row["name"]) == wanted] or [
        # «vinto», «persa», «in trattativa»: the name but for its last letter.
        row
        for row in stages
        if names.words(row["name"])[:-1] in (word[:-1] for word in wanted.split())
    ]
    if len(fits) != 1:
        raise Impossible(f"Scegli una fase: {', '.join(row['name'] for row in stages)}", "stage")
    return fits[0]


WRITES: tuple[Write[Any, Any], ...] = (MoveDeal(),)
