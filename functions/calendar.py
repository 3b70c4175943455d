"""`GET /functions/v1/calendar?secret=…`: a person's tasks and days of payment for calendar programs, to read only.

    200 text/calendar   tasks with a date and unpaid days of payment as events, open tasks without a date as to-dos
    304                 to If-None-Match, while nothing has changed
    404                 a secret that opens nothing: revoked, mistyped, made up, of an account that is banned or deleted
    429 busy            too many feeds are being written, or this one is

Calendar programs cannot sign in: the secret in the address is the key, and the database knows its digest only
(public.renew_calendar_secret). A series appears with its rule, unless its dates depend on when it will be completed.

They ask all day long, so whether anything changed is asked of the database, and only what changed is written: in a
thread, for a feed is megabytes at most.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any, TypeAlias
from uuid import UUID

from backend.edge import api
from functions._shared import ics, requests

# A row of public.tasks, with the names of its project and contact; a day of payment; a document with a deadline.
Task: TypeAlias = Mapping[str, Any]
Due: TypeAlias = Mapping[str, Any]

SECRET = re.compile(r"[0-9a-f]{64}")
# Programs ask again after that long; the feed is a page of text, so more would be waste.
CACHE_S = 900
# What was done stays in the calendar for a while.
DONE_KEPT = timedelta(days=90)
# A feed is bounded: those that are open and near come first, and the link in each leads to all that is noted.
MAX_TASKS = 2_000
MAX_NOTES = 1_000
MAX_DUE = 500
# Raise it when the same tasks are written in another way: it is in the tag, so programs fetch them again.
FORMAT = 3
# Writing a feed takes up to half a second of the processor.
PLACES = api.Places(at_once=2, each=1)
# Our steps (3 is high) as those of RFC 5545 (1 is high).
PRIORITIES = {1: "9", 2: "5", 3: "1"}


# Of $1 at the time $2.
SHOWN = """
select tasks.id, tasks.updated_at, tasks.title, left(tasks.notes, $5) as notes, tasks.priority, tasks.due_at,
  tasks.due_is_allday, tasks.rrule, tasks.repeat_from, tasks.completed_at, projects.name as project,
  contacts.name as contact
from public.tasks
left join public.projects on projects.user_id = tasks.user_id and projects.id = project_id
  and projects.deleted_at is null
left join public.contacts on contacts.user_id = tasks.user_id and contacts.id = tasks.contact_id
  and contacts.deleted_at is null
where tasks.user_id = $1 and tasks.deleted_at is null and not someday
  and (state <> 'fatto' or due_at is not null and completed_at > $2::timestamptz - $3::interval)
order by state = 'fatto', due_at is null, abs(extract(epoch from due_at - $2)), tasks.id limit $4
"""
# What falls due besides tasks, of $1 around the time $2: unpaid parts of invoices that no open task reminds of on that
# day, and papers with a deadline.
DUE = """
select * from (
  select format('%s-%s', part.invoice_id, part.no) as id, part.due_on, part.document_id, invoices.created_at,
    private.payment_title(invoices, part.cents) as title
  from public.invoice_parts as part
  join public.invoices on invoices.user_id = part.user_id and invoices.id = part.invoice_id
  where part.user_id = $1 and counts and part.paid_on is null and due_on is not null and not exists (
    select from public.tasks
    where tasks.user_id = part.user_id and tasks.id = part.task_id and deleted_at is null and state <> 'fatto'
      and (due_at at time zone 'Europe/Rome')::date = due_on
  )
  union all
  select format('%s-due', documents.id), due_on, documents.id, created_at,
    'Scade: ' || coalesce(title, filename)
  from public.documents
  where user_id = $1 and deleted_at is null and due_on is not null and not exists (
    select from public.invoices where invoices.user_id = documents.user_id and invoices.document_id = documents.id
  )
) as due
order by abs(due_on - $2::timestamptz::date), id limit $3
"""
# `updated_at` moves with every column of a task that is shown. No text of a task is read for it.
TAG = f"""
select md5(coalesce(string_agg(row(id, updated_at, project, contact)::text, '' order by id), ''))
from ({SHOWN}) as shown
"""  # noqa: S608 - a constant
DUE_TAG = f"select md5(coalesce(string_agg(due::text, '' order by id), '')) from ({DUE}) as due"  # noqa: S608


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the feed. Refuses with 404, 405 and 429 busy."""
    requests.only(request, "GET", "HEAD")
    user_id = await owner_of(context, request.query_params.get("secret", ""))
    [(digest,)] = await _asked(context, TAG, user_id)
    [(due_digest,)] = await _due(context, DUE_TAG, user_id)
    tag = f'"{FORMAT}-{digest}-{due_digest}"'
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={CACHE_S}", "X-Robots-Tag": "noindex"}
    known = {each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")}
    if tag in known:
        return api.Response(status_code=304, headers=headers)
    try:
        async with PLACES.one(str(user_id)):
            tasks = await _asked(context, SHOWN, user_id)
            due = await _due(context, DUE, user_id)
            body = await asyncio.to_thread(written, tasks, due, context.site_url)
    except api.Full as error:
        raise api.Refused(
            429, "busy", "Troppi calendari insieme: riprova tra poco", headers={"Retry-After": "1"}
        ) from error
    headers["Content-Disposition"] = 'inline; filename="socio.ics"'
    return api.Response(body, media_type="text/calendar; charset=utf-8", headers=headers)


async def owner_of(context: api.Context, secret: str) -> UUID:
    """Whose feed this secret opens. Raises Refused 404."""
    if not SECRET.fullmatch(secret):
        raise no_such_feed()
    user_id: UUID | None = await context.call("private.calendar_feed_owner", hashlib.sha256(secret.encode()).digest())
    if user_id is None:
        raise no_such_feed()
    return user_id


async def _asked(context: api.Context, query: str, user_id: UUID) -> Sequence[Any]:
    """The rows of SHOWN or of what is made of it; of the notes one character too many says that they are cut."""
    async with context.as_service() as connection:
        return await connection.fetch(query, user_id, context.now(), DONE_KEPT, MAX_TASKS, MAX_NOTES + 1)


async def _due(context: api.Context, query: str, user_id: UUID) -> Sequence[Any]:
    """Return the rows of DUE or of what is made of it."""
    async with context.as_service() as connection:
        return await connection.fetch(query, user_id, context.now(), MAX_DUE)


def no_such_feed() -> api.Refused:
    """The same for every wrong secret."""
    return api.Refused(404, "not_found", "Questo calendario non esiste")


def written(tasks: Iterable[Task], due: Iterable[Due], site_url: str) -> bytes:
    """Return the whole feed."""
    return ics.written(calendar(tasks, due, site_url))


def calendar(tasks: Iterable[Task], due: Iterable[Due], site_url: str) -> Iterator[ics.Property]:
    """Yield the lines of the feed."""
    yield from (
        ("BEGIN", "VCALENDAR"),
        ("VERSION", "2.0"),
        ("PRODID", "-//Socio//Attività//IT"),
        ("CALSCALE", "GREGORIAN"),
        ("METHOD", "PUBLISH"),
        ("X-WR-CALNAME", "Socio: attività"),
        ("X-WR-TIMEZONE", "Europe/Rome"),
        ("REFRESH-INTERVAL;VALUE=DURATION", "PT1H"),
        ("X-PUBLISHED-TTL", "PT1H"),
    )
    yield from ics.TIMEZONE
    for task in tasks:
        kind = "VEVENT" if task["due_at"] else "VTODO"
        yield ("BEGIN", kind)
        yield from _common(task, f"{site_url}/tasks?attivita={task['id']}")
        yield from _event(task) if task["due_at"] else [("STATUS", "NEEDS-ACTION")]
        yield ("END", kind)
    for each in due:
        yield from _due_event(each, f"{site_url}/documents/{each['document_id']}")
    yield ("END", "VCALENDAR")


def _due_event(due: Due, link: str) -> Iterator[ics.Property]:
    """Yield a day of payment or a deadline as an event of the whole day."""
    yield ("BEGIN", "VEVENT")
    yield ("UID", f"{due['id']}@socio")
    yield ("DTSTAMP", ics.utc(due["created_at"]))
    yield ("SUMMARY", ics.text(due["title"]))
    yield ("DESCRIPTION", ics.text(link))
    yield ("URL", link)
    yield ("DTSTART;VALUE=DATE", due["due_on"].strftime("%Y%m%d"))
    yield ("TRANSP", "TRANSPARENT")
    yield ("END", "VEVENT")


def _common(task: Task, link: str) -> Iterator[ics.Property]:
    """What events and to-dos have alike."""
    done = "✓ " if task["completed_at"] else ""
    about: dict[str, Any] = {"Progetto": task["project"], "Contatto": task["contact"]}
    lines = [f"{label}: {name}" for label, name in about.items() if name]
    yield ("UID", f"{task['id']}@socio")
    yield ("DTSTAMP", ics.utc(task["updated_at"]))
    yield ("SUMMARY", ics.text(done + task["title"]))
    yield ("DESCRIPTION", ics.text("\n".join([*lines, *_notes(task), link])))
    yield ("URL", link)
    if task["priority"]:
        yield ("PRIORITY", PRIORITIES[task["priority"]])


def _notes(task: Task) -> list[str]:
    """What is noted, or where it begins."""
    notes = task["notes"]
    if notes and len(notes) > MAX_NOTES:
        return [f"{notes[: MAX_NOTES - 1]}…"]
    return [notes] if notes else []


def _event(task: Task) -> Iterator[ics.Property]:
    """When it is due: a whole day or half an hour, in which its owner is not busy."""
    all_day = task["due_is_allday"]
    yield ics.start(task["due_at"], all_day=all_day)
    if not all_day:
        yield ("DURATION", "PT30M")
    if task["rrule"] and task["repeat_from"] == "scadenza" and not task["completed_at"]:
        yield ("RRULE", ics.rule(task["rrule"], all_day=all_day))
    yield ("TRANSP", "TRANSPARENT")
