"""The steps of a task: adding some. One that is done is ticked off as tasks are."""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from pydantic import Field

from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.tools.write_tasks import OneTask, open_task, task_named
from functions._shared.assistant.tools.writing import Done, Impossible, Preview, Text, Work, Write, uuids
from functions._shared.assistant.turn import Turn

MAX_STEPS = 20
_BULLET = re.compile(r"^(?:[-*•–]|\d{1,3}[.)])(?:\s+|$)")


class Steps(OneTask):
    """What a model says for `add_subtasks`."""

    steps: Text = Field(description="What is to be done, one step a line")


class StepsArgs(Arguments):
    """A task and its new steps, one a line."""

    task_id: UUID
    steps: Text


class AddSubtasks(Write[Steps, StepsArgs]):
    """Proposes to add steps (subtasks) to a task that is there already."""

    name = "add_subtasks"
    label = "Aggiungi passi"
    step = "Preparo i passi…"
    asked = Steps
    args = StepsArgs

    async def resolve(self, work: Work, turn: Turn, asked: Steps) -> StepsArgs:
        return StepsArgs(task_id=await task_named(work, turn, asked), steps=asked.steps)

    async def preview(self, work: Work, args: StepsArgs) -> Preview:
        row, steps = await open_task(work, args.task_id), _steps(args)
        if row["parent_id"] is not None:
            raise Impossible(f"«{row['name']}» è già un passo di un’altra attività: i livelli sono due")
        return Preview(
            f"{self.label}: {row['name']}",
            (("Attività", row["name"]), ("Contatto", row["contact"]), ("Passi nuovi", str(len(steps)))),
            body="\n".join(f"• {each}" for each in steps),
            about=(row["name"],),
            texts=tuple(steps),
        )

    async def execute(self, work: Work, args: StepsArgs) -> Done:
        row, steps = await open_task(work, args.task_id), _steps(args)
        made = await work.connection.fetch("select id from public.add_subtasks($1, $2::text[])", args.task_id, steps)
        what = f"il passo «{steps[0]}»" if len(steps) == 1 else f"{len(steps)} passi"
        undo = {"steps": [str(each["id"]) for each in made]}
        return Done(f"Ho aggiunto {what} a «{row['name']}».", "task", str(args.task_id), row["name"], undo)

    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        await work.connection.execute(
            "update public.tasks set deleted_at = now() where id = any ($1::uuid[]) and deleted_at is null",
            uuids(undo, "steps"),
        )


def _steps(args: StepsArgs) -> list[str]:
    """One a line, without what makes a list of them. Raises Impossible."""
    steps = [step for line in args.steps.splitlines() if (step := _BULLET.sub("", line.strip()).strip())]
    if not steps:
        raise Impossible("Scrivi almeno un passo", "steps")
    if len(steps) > MAX_STEPS:
        raise Impossible(f"Al massimo {MAX_STEPS} passi alla volta", "steps")
    if any(len(each) > 200 for each in steps):
        raise Impossible("Ogni passo può avere al massimo 200 caratteri", "steps")
    return steps


WRITES: tuple[Write[Any, Any], ...] = (AddSubtasks(),)
