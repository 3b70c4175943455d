"""A new task from a sentence, as quick-add reads it."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import Field

from functions._shared import names
from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import Arguments, Unanswered
from functions._shared.assistant.tools.writing import Done, Gone, Impossible, Line, Name, Preview, Work, Write, uuid
from functions._shared.assistant.turn import ROME, Turn
from functions._shared.quick_add.parse import Parsed, parse

ORIGIN = "assistente"
# One or more words that begin with a capital letter, not at the beginning of the line.
_PROPER = re.compile(r"(?<=\s)[A-ZÀ-Ý][\w’'.&-]*(?:\s+[A-ZÀ-Ý][\w’'.&-]*)*")


class NewTask(Arguments):
    """What a model says for `create_task`."""

    text: Line = Field(description="The task in Italian, with day and hour as said: «domani alle 15 chiamare Rossi»")
    contact: Name | None = Field(default=None, description="Whom it is about: a name, or a handle like r3")


class NewTaskArgs(Arguments):
    """A task to be made, read as of the moment at which it was said."""

    text: Line
    said_at: datetime
    contact_id: UUID | None = None
    project_id: UUID | None = None


class CreateTask(Write[NewTask, NewTaskArgs]):
    """Proposes a new task, read by the quick-add grammar: day, hour, «ogni lunedì», !alta, @contact, #project."""

    name = "create_task"
    label = "Nuova attività"
    step = "Preparo un’attività…"
    asked = NewTask
    args = NewTaskArgs

    async def resolve(self, work: Work, turn: Turn, asked: NewTask) -> NewTaskArgs:
        parsed = parse(asked.text, turn.local_now)
        named = asked.contact or parsed["contact"]
        contact = await resolving.id_of(work.connection, turn, "contact", named) if named else None
        project = None
        try:
            project = await resolving.id_of(work.connection, turn, "project", parsed["project"])
        except Unanswered as unsure:
            # A word with # that is no project stays in the title.
            if "ambiguous" in unsure.answer:
                raise
        if contact is None:
            contact, _ = await _in_title(work, parsed["title"])
        return NewTaskArgs(
            text=asked.text,
            said_at=turn.now,
            contact_id=UUID(contact) if contact else None,
            project_id=UUID(project) if project else None,
        )

    async def preview(self, work: Work, args: NewTaskArgs) -> Preview:
        parsed = parse(args.text, args.said_at.astimezone(ROME))
        contact, project = await _names(work, args)
        title = title_of(args, parsed, contact)
        repeats = wording.repetition(parsed["rrule"], parsed["repeat_from"]) if parsed["rrule"] else None
        return Preview(
            f"{self.label}: {title}",
            (
                ("Titolo", title),
                ("Quando", "un giorno" if parsed["someday"] else wording.due(parsed["due"], work.today)),
                ("Si ripete", repeats),
                ("Priorità", wording.PRIORITIES[parsed["priority"]] if parsed["priority"] else None),
                ("Contatto", contact or (await _in_title(work, title))[1]),
                ("Progetto", project),
            ),
            texts=(args.text,),
            about=(contact,) if contact else (),
        )

    async def execute(self, work: Work, args: NewTaskArgs) -> Done:
        parsed = parse(args.text, args.said_at.astimezone(ROME))
        contact, _ = await _names(work, args)
        title = title_of(args, parsed, contact)
        await work.connection.execute(
            """
            insert into public.tasks
              (id, title, due_at, due_is_allday, someday, rrule, repeat_from, priority, contact_id, project_id, origin)
            values ($1, $2, $3, $4, $5, $6, $7::text::public.task_repeat_from, $8, $9, $10, $11)
            """,
            work.call_id,
            title,
            wording.instant(parsed["due"]) if parsed["due"] else None,
            parsed["all_day"],
            parsed["someday"],
            parsed["rrule"],
            parsed["repeat_from"],
            parsed["priority"],
            args.contact_id,
            args.project_id,
            ORIGIN,
        )
        when = f": {wording.due(parsed['due'], work.today)}" if parsed["due"] else ""
        return Done(f"Ho aggiunto «{title}»{when}.", "task", work.call_id, title, {"task_id": work.call_id})

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.tasks set deleted_at = now() where id = $1 and deleted_at is null", uuid(undo, "task_id")
        )

    async def edited(self, work: Work, before: NewTaskArgs, after: NewTaskArgs) -> NewTaskArgs:
        if after.text == before.text:
            return after
        parsed = parse(after.text, work.now.astimezone(ROME))
        contact = await _meant(work, before, parsed)
        return after.model_copy(update={"said_at": work.now, "contact_id": UUID(contact) if contact else None})


def title_of(args: NewTaskArgs, parsed: Parsed, contact: str | None) -> str:
    """What is left of the line; who is named in it stays, by the whole name. Raises Impossible for nothing."""
    stays = [
        part["start"]
        for part in parsed["parts"]
        if part["kind"] == "contact" or (part["kind"] == "project" and args.project_id is None)
    ]
    title = parse(args.text, args.said_at.astimezone(ROME), stays)["title"] if stays else parsed["title"]
    for part in parsed["parts"]:
        if part["kind"] == "contact":
            title = title.replace(part["text"], contact or parsed["contact"] or "")
    if not title:
        raise Impossible("Scrivi anche che cosa c’è da fare", "text")
    return title[:200]


async def _in_title(work: Work, title: str) -> tuple[str | None, str | None]:
    """The contact whom a title names, when that is sure; else what to say of a name that several have."""
    for found in _PROPER.finditer(title):
        called = await resolving.called(work.connection, "contact", found[0])
        if len(called) == 1:
            return called[0].id, None
        if called:
            return None, f"nessuno: «{found[0]}» sono in {len(called)}, scrivi il nome intero per collegarlo"
    return None, None


async def _meant(work: Work, before: NewTaskArgs, parsed: Parsed) -> str | None:
    """The contact of an edited line: the one with @, else the one that its title names. Raises Impossible."""
    if parsed["contact"]:
        called = await resolving.called(work.connection, "contact", parsed["contact"])
        if len(called) != 1:
            raise Impossible(f"Non so chi sia «{parsed['contact']}»: scrivi il nome intero, senza @", "text")
        return called[0].id
    contact, _ = await _in_title(work, parsed["title"])
    former, _ = await _names(work, before)
    is_named = former and set(names.words(former).split()) & set(names.words(parsed["title"]).split())
    return contact or (str(before.contact_id) if is_named else None)


async def _names(work: Work, args: NewTaskArgs) -> tuple[str | None, str | None]:
    """Of contact and project. Raises Gone."""
    row = await work.connection.fetchrow(
        """
        select (select name from public.contact_list where id = $1) as contact,
          (select name::text from public.projects where id = $2 and deleted_at is null) as project
        """,
        args.contact_id,
        args.project_id,
    )
    assert row is not None
    if (args.contact_id and row["contact"] is None) or (args.project_id and row["project"] is None):
        raise Gone("Il contatto o il progetto di questa attività non c’è più")
    return row["contact"], row["project"]


WRITES: tuple[Write[Any, Any], ...] = (CreateTask(),)
