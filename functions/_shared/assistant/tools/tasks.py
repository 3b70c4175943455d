"""Tasks and projects: what is due when, as the screen /tasks groups them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any, Literal
from uuid import UUID

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import (
    FOREIGN_ORIGINS,
    MAX_ROWS,
    OWN_ORIGINS,
    Answer,
    Arguments,
    Read,
    foreign,
    listed,
    present,
    short,
)
from functions._shared.assistant.tools.stems import fits, stems
from functions._shared.assistant.turn import ROME, Turn
from functions._shared.fatturapa import money

# Words are looked for among so many open tasks.
MOST_READ = 5_000

When = Literal["oggi", "domani", "settimana", "scaduti", "senza_data", "tutti"]

# What the lists show: subtasks stand in the count of their parent, and by themselves when they have a date.
OPEN = """
    select tasks.id, tasks.title::text, tasks.state::text, tasks.priority, tasks.due_at, tasks.due_is_allday,
      tasks.someday, tasks.rrule is not null as repeats, tasks.position, tasks.origin,
      contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin,
      projects.id as project_id, projects.name::text as project, projects.origin as project_origin,
      count(*) over () as total
    from public.tasks
    cross join lateral (select (tasks.due_at at time zone 'Europe/Rome')::date as day) as due
    left join public.contacts on contacts.user_id = tasks.user_id and contacts.id = tasks.contact_id
    left join public.projects on projects.user_id = tasks.user_id and projects.id = tasks.project_id
    where tasks.deleted_at is null and tasks.state <> 'fatto' and (tasks.parent_id is null or tasks.due_at is not null)
      and ($1::uuid is null or tasks.contact_id = $1 or tasks.waiting_for = $1)
      and ($2::uuid is null or tasks.project_id = $2)
      and case $3::text
        when 'oggi' then due.day = $4 when 'domani' then due.day = $4 + 1 when 'scaduti' then due.day < $4
        -- Until Sunday.
        when 'settimana' then due.day >= $4 and due.day < $4 + 8 - extract(isodow from $4::date)::integer
        when 'senza_data' then due.day is null and not tasks.someday else true
      end
      and ($6::date is null or due.day >= $6) and ($7::date is null or due.day <= $7)
      and ($8::smallint is null or tasks.priority = $8)
    order by due.day nulls last,
      case when tasks.due_is_allday then '' else to_char(tasks.due_at at time zone 'Europe/Rome', 'HH24:MI') end,
      tasks.priority desc, tasks.position, tasks.id
    limit $5
"""
STEPS = """
    select id, title::text, state::text, due_at, due_is_allday, origin from public.tasks
    where parent_id = $1 and deleted_at is null order by position, id limit 200
"""
PROJECTS = """
    select projects.id, projects.name::text, projects.status::text, projects.due_on, projects.budget_cents,
      projects.origin, contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin,
      (select count(*) from public.tasks where tasks.user_id = projects.user_id and tasks.project_id = projects.id
        and tasks.deleted_at is null and tasks.state <> 'fatto') as open,
      (select count(*) from public.tasks where tasks.user_id = projects.user_id and tasks.project_id = projects.id
        and tasks.deleted_at is null and tasks.state = 'fatto') as done
    from public.projects
    left join public.contacts on contacts.user_id = projects.user_id and contacts.id = projects.contact_id
    where projects.deleted_at is null
    order by projects.status, projects.name limit 1000
"""


@dataclass(frozen=True)
class Wish:
    """Which open tasks are wanted; days on which they are due, both included."""

    when: When = "tutti"
    contact_id: str | None = None
    project_id: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None
    priority: int | None = None


class ListTasks(Arguments):
    """What `list_tasks` may be told."""

    when: When = Field(
        default="tutti",
        description="oggi; domani; settimana: from today to Sunday; scaduti: late; senza_data: without a date; tutti",
    )
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    project: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    starts_on: date | None = Field(
        default=None, alias="from", description="First day on which they are due, like 2026-01-31; leave `when` out"
    )
    ends_on: date | None = Field(default=None, alias="to", description="Last day on which they are due")
    query: str | None = Field(
        default=None, max_length=200, description="Words of the title, the project or the contact's name"
    )
    priority: Literal[1, 2, 3] | None = Field(default=None, description="1 low, 2 medium, 3 high; left out: any")


class OneTask(Arguments):
    """What names a task."""

    task: str = Field(min_length=1, max_length=200, description="Its title or a part of it, or a handle like r3")


class ListProjects(Arguments):
    """What `list_projects` may be told."""

    query: str | None = Field(default=None, max_length=200, description="Words of the name or of the contact's name")
    status: Literal["attivo", "in_pausa", "chiuso"] | None = Field(default=None, description="Left out: all of them")


class Nothing(Arguments):
    """For tools that need not be told anything."""


async def list_tasks(turn: Turn, given: ListTasks) -> Answer:
    """Lists the person's open tasks, what is due first standing first. Dates are days or times in Italy."""
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        project = await resolving.id_of(connection, turn, "project", given.project)
        wish = Wish(given.when, contact, project, given.starts_on, given.ends_on, given.priority)
        return await open_tasks(connection, turn, wish, words=given.query or "")


async def list_subtasks(turn: Turn, given: OneTask) -> Answer:
    """Lists the steps (subtasks) of one of the person's open tasks, those that are done too."""
    async with turn.database() as connection:
        task = await resolving.find(connection, turn, "task", given.task)
        rows = await connection.fetch(STEPS, UUID(task.id))
    steps = [_step_row(turn, row) for row in rows]
    done = sum(row["state"] == "fatto" for row in rows)
    return listed(steps, task=task.label, task_ref=task.handle, done=done, open=len(rows) - done)


async def list_projects(turn: Turn, given: ListProjects) -> Answer:
    """List the person's projects with day of delivery, budget and how many of their tasks are open and done."""
    async with turn.database() as connection:
        rows = await connection.fetch(PROJECTS)
    own = [row for row in rows if given.status in (None, row["status"])]
    wanted = stems(given.query or "")
    # Whose it is tells less than its name.
    rows = [row for row in own if fits(wanted, row["name"])]
    rows = rows or [row for row in own if fits(wanted, f"{row['name']} {row['contact'] or ''}")]
    return listed([_project_row(turn, row) for row in rows[:50]], len(rows))


async def open_tasks(
    connection: api.Connection, turn: Turn, wish: Wish, most: int = MAX_ROWS, words: str = ""
) -> Answer:
    """Return the open tasks that are wanted, in the order of their dates, and how many there are."""
    rows = await connection.fetch(
        OPEN,
        wish.contact_id,
        wish.project_id,
        wish.when,
        turn.local_now.date(),
        MOST_READ if words else most,
        wish.starts_on,
        wish.ends_on,
        wish.priority,
    )
    if words:
        wanted = stems(words)
        fitting = [row for row in rows if fits(wanted, f"{row['title']} {row['project'] or ''} {row['contact'] or ''}")]
        return listed([task_row(turn, row) for row in fitting[:most]], len(fitting))
    return listed([task_row(turn, row) for row in rows], rows[0]["total"] if rows else 0)


def _day_of(row: Any) -> date | None:
    return row["due_at"].astimezone(ROME).date() if row["due_at"] else None


def task_row(turn: Turn, row: Any) -> Answer:
    """A task as models see it."""
    if row["origin"] not in OWN_ORIGINS:
        foreign(turn, "documento", row["title"])
    if row["project"] and row["project_origin"] not in OWN_ORIGINS:
        foreign(turn, "progetto", row["project"])
    day = _day_of(row)
    return present(
        {
            "ref": turn.refs.add("task", row["id"], row["title"]),
            "title": short(row["title"]),
            "due": wording.wall(row["due_at"], is_allday=row["due_is_allday"]),
            "late": True if day and day < turn.local_now.date() else None,
            "priority": row["priority"] or None,
            "state": row["state"],
            "someday": row["someday"] or None,
            "repeats": row["repeats"] or None,
            **named(turn, row),
            "project": row["project"],
        }
    )


def named(turn: Turn, row: Any) -> Answer:
    """Whom a row is about, with a handle of their own."""
    if row["contact_id"] is None:
        return {}
    if row["contact_origin"] in FOREIGN_ORIGINS:
        foreign(turn, "contatto", row["contact"])
    return {"contact": row["contact"], "contact_ref": turn.refs.add("contact", row["contact_id"], row["contact"])}


def _step_row(turn: Turn, row: Any) -> Answer:
    if row["origin"] not in OWN_ORIGINS:
        foreign(turn, "documento", row["title"])
    return present(
        {
            "ref": turn.refs.add("task", row["id"], row["title"]),
            "title": short(row["title"]),
            "state": row["state"],
            "due": wording.wall(row["due_at"], is_allday=row["due_is_allday"]),
        }
    )


def _project_row(turn: Turn, row: Any) -> Answer:
    if row["origin"] not in OWN_ORIGINS:
        foreign(turn, "progetto", row["name"])
    budget = row["budget_cents"]
    return present(
        {
            "ref": turn.refs.add("project", row["id"], row["name"]),
            "name": row["name"],
            "status": row["status"],
            "due": row["due_on"] and row["due_on"].isoformat(),
            "budget_cents": budget,
            "budget": money.euros(budget) if budget is not None else None,
            **named(turn, row),
        }
    ) | {"open": row["open"], "done": row["done"]}


READS = (
    Read("list_tasks", "Guardo le attività…", ListTasks, list_tasks),
    Read("list_subtasks", "Guardo i passi…", OneTask, list_subtasks),
    Read("list_projects", "Guardo i progetti…", ListProjects, list_projects),
)
