"""Tasks that are done, moved and thrown away."""

from __future__ import annotations

import re
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from pydantic import Field

from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.writing import (
    TRASH,
    Done,
    Gone,
    Impossible,
    Line,
    Name,
    Preview,
    Work,
    Write,
    uuid,
)
from functions._shared.assistant.tools.writing import moment as moment_of
from functions._shared.assistant.turn import ROME, Turn
from functions._shared.quick_add.parse import parse

_UNDATED = re.compile(r"(senza|nessuna|togli(?:ere)?(?: la)?) data", re.IGNORECASE)


class OneTask(Arguments):
    """What names a task."""

    task: Name = Field(description="Its title or a part of it, or a handle like r3")


class TaskArgs(Arguments):
    """A task."""

    task_id: UUID


class Move(OneTask):
    """What a model says for `move_task`."""

    when: Line = Field(description="The new day and hour, as said: «lunedì alle 10», or «senza data»")


class MoveArgs(TaskArgs):
    """A task and its new date, read as of the moment at which it was said."""

    when: Line
    said_at: datetime


async def task_named(work: Work, turn: Turn, asked: OneTask) -> UUID:
    """The id of the task that is meant. Raises Unanswered."""
    return UUID((await resolving.find(work.connection, turn, "task", asked.task)).id)


async def open_task(work: Work, task_id: UUID, *, is_open: bool = True) -> Any:
    """The row of a task, of any one unless `is_open`. Raises Gone, or Impossible for one that is done."""
    row = await work.connection.fetchrow(
        """
        select tasks.*, tasks.title::text as name, contacts.name as contact, sequel.due_at as next_due,
          parents.title::text as parent
        from public.tasks
        left join public.tasks as parents on parents.user_id = tasks.user_id and parents.id = tasks.parent_id
        left join public.contacts on contacts.user_id = tasks.user_id and contacts.id = tasks.contact_id
        left join lateral public.task_sequel(tasks) as sequel on tasks.rrule is not null
        where tasks.id = $1 and tasks.deleted_at is null
        """,
        task_id,
    )
    if row is None:
        raise Gone("Questa attività non c’è più")
    if is_open and row["state"] == "fatto":
        raise Impossible("Questa attività è già fatta")
    return row


def _when(work: Work, row: Any) -> str:
    return wording.due(wording.wall(row["due_at"], is_allday=row["due_is_allday"]), work.today)


def _about(row: Any) -> tuple[str, ...]:
    return tuple(filter(None, (row["name"], row["contact"])))


class CompleteTask(Write[OneTask, TaskArgs]):
    """Proposes to tick a task off as done, with its open subtasks; a repeating one gets its next date."""

    name = "complete_task"
    label = "Completa attività"
    step = "Preparo il completamento…"
    asked = OneTask
    args = TaskArgs

    async def resolve(self, work: Work, turn: Turn, asked: OneTask) -> TaskArgs:
        return TaskArgs(task_id=await task_named(work, turn, asked))

    async def preview(self, work: Work, args: TaskArgs) -> Preview:
        row = await open_task(work, args.task_id)
        follows = wording.wall(row["next_due"], is_allday=row["due_is_allday"])
        return Preview(
            f"{self.label}: {row['name']}",
            (
                ("Attività", row["name"]),
                ("Scadenza", _when(work, row)),
                ("Passo di", row["parent"]),
                ("Contatto", row["contact"]),
                ("La prossima volta", wording.due(follows, work.today) if follows else None),
            ),
            about=_about(row),
        )

    async def execute(self, work: Work, args: TaskArgs) -> Done:
        row = await open_task(work, args.task_id)
        await work.connection.execute("select public.complete_task($1)", args.task_id)
        undo = {"task_id": str(args.task_id)}
        return Done(f"Ho segnato come fatta «{row['name']}».", "task", str(args.task_id), row["name"], undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        task_id = uuid(undo, "task_id")
        await open_task(work, task_id, is_open=False)
        await work.connection.execute("select public.reopen_task($1)", task_id)


class MoveTask(Write[Move, MoveArgs]):
    """Proposes another day or hour for a task. Without an hour the task keeps its own."""

    name = "move_task"
    label = "Sposta attività"
    step = "Preparo lo spostamento…"
    asked = Move
    args = MoveArgs

    async def resolve(self, work: Work, turn: Turn, asked: Move) -> MoveArgs:
        return MoveArgs(task_id=await task_named(work, turn, asked), when=asked.when, said_at=turn.now)

    async def preview(self, work: Work, args: MoveArgs) -> Preview:
        row = await open_task(work, args.task_id)
        due, is_allday = _new_date(row, args)
        new = wording.due(wording.wall(due, is_allday=is_allday), work.today)
        return Preview(
            f"{self.label}: {row['name']}",
            (
                ("Attività", row["name"]),
                ("Contatto", row["contact"]),
                ("Nuova data", new),
                ("Si ripete", "non più" if due is None and row["rrule"] else None),
            ),
            before=_when(work, row),
            about=_about(row),
            texts=(args.when,),
        )

    async def execute(self, work: Work, args: MoveArgs) -> Done:
        row = await open_task(work, args.task_id)
        due, is_allday = _new_date(row, args)
        await work.connection.execute(
            """
            update public.tasks set due_at = $2, due_is_allday = $3, someday = false,
              remind_at = array(
                -- A task of a whole day may have reminded at an hour that is after its new one.
                select case when due_is_allday and not $3 then least(moment, $2) else moment end
                from unnest(remind_at) as former, public.shift_moment(former, $4) as moment
                where moment is not null
              ),
              rrule = case when $2::timestamptz is not null then rrule end
            where id = $1
            """,
            args.task_id,
            due,
            is_allday,
            _shift(row, due),
        )
        undo = {
            "task_id": str(args.task_id),
            "moved_to": due and due.isoformat(),
            "due_at": row["due_at"] and row["due_at"].isoformat(),
            "due_is_allday": row["due_is_allday"],
            "someday": row["someday"],
            "rrule": row["rrule"],
            "remind_at": [each.isoformat() for each in row["remind_at"]],
        }
        when = wording.due(wording.wall(due, is_allday=is_allday), work.today)
        return Done(f"Ho spostato «{row['name']}»: {when}.", "task", str(args.task_id), row["name"], undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        task_id = uuid(undo, "task_id")
        row = await open_task(work, task_id, is_open=False)
        if row["due_at"] != moment_of(undo.get("moved_to")):
            raise Impossible("Nel frattempo l’attività è stata spostata di nuovo")
        await work.connection.execute(
            """
            update public.tasks set due_at = $2, due_is_allday = $3, someday = $4, rrule = $5, remind_at = $6
            where id = $1
            """,
            task_id,
            moment_of(undo.get("due_at")),
            bool(undo.get("due_is_allday", True)),
            bool(undo.get("someday")),
            undo.get("rrule"),
            [moment_of(each) for each in undo.get("remind_at", [])],
        )

    async def edited(self, work: Work, before: MoveArgs, after: MoveArgs) -> MoveArgs:
        return after if after.when == before.when else after.model_copy(update={"said_at": work.now})


def _new_date(row: Any, args: MoveArgs) -> tuple[datetime | None, bool]:
    """The moment that is meant. Raises Impossible for words that name none."""
    if _UNDATED.search(args.when):
        return None, True
    parsed = parse(args.when, args.said_at.astimezone(ROME))
    if parsed["due"] is None or parsed["rrule"]:
        raise Impossible("Non capisco la data: scrivi per esempio «lunedì alle 10»", "when")
    due = parsed["due"]
    if parsed["all_day"] and row["due_at"] is not None and not row["due_is_allday"]:
        due = f"{due}T{row['due_at'].astimezone(ROME):%H:%M}"
    return wording.instant(due), len(due) == 10


def _shift(row: Any, due: datetime | None) -> timedelta | None:
    """How far a task moves on the clock on the wall: by whole days, and from hour to hour if it had one."""
    if due is None or row["due_at"] is None:
        return None
    new, former = (moment.astimezone(ROME).replace(tzinfo=None) for moment in (due, row["due_at"]))
    return timedelta(days=(new.date() - former.date()).days) if row["due_is_allday"] else new - former


class DeleteTask(Write[OneTask, TaskArgs]):
    """Proposes to throw a task away, with its subtasks; it stays in the trash for thirty days."""

    name = "delete_task"
    label = "Elimina attività"
    step = "Preparo l’eliminazione…"
    risk = "medio"
    deletes = True
    asked = OneTask
    args = TaskArgs

    async def resolve(self, work: Work, turn: Turn, asked: OneTask) -> TaskArgs:
        return TaskArgs(task_id=await task_named(work, turn, asked))

    async def preview(self, work: Work, args: TaskArgs) -> Preview:
        row = await open_task(work, args.task_id, is_open=False)
        return Preview(
            f"{self.label}: {row['name']}",
            (("Attività", row["name"]), ("Scadenza", _when(work, row)), ("Contatto", row["contact"])),
            about=_about(row),
        )

    async def execute(self, work: Work, args: TaskArgs) -> Done:
        row = await open_task(work, args.task_id, is_open=False)
        await work.connection.execute("update public.tasks set deleted_at = now() where id = $1", args.task_id)
        undo, until = {"task_id": str(args.task_id)}, work.now + TRASH - timedelta(minutes=5)
        return Done(f"Ho eliminato «{row['name']}».", "task", str(args.task_id), row["name"], undo, until)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        back = "update public.tasks set deleted_at = null where id = $1 returning 1"
        if await work.connection.fetchval(back, uuid(undo, "task_id")) is None:
            raise Gone("Questa attività non c’è più")


WRITES: tuple[Write[Any, Any], ...] = (CompleteTask(), MoveTask(), DeleteTask())
