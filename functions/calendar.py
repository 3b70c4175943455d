"""`GET /functions/v1/calendar?secret=…`: a person's tasks for calendar programs, to read only.

    200 text/calendar   tasks with a date as events, open ones without a date as to-dos
    304                 to If-None-Match, while nothing has changed
    404                 a secret that opens nothing, whether it was revoked, mistyped or made up

Calendar programs cannot sign in: the secret in the address is the key, and the database knows its digest only
(public.renew_calendar_secret). A series appears with its rule, unless its dates depend on when it will be completed.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import timedelta
from typing import Any, TypeAlias

from backend.edge import api
from functions._shared import ics, requests

# A row of public.tasks, with the names of its project and contact.
Task: TypeAlias = Mapping[str, Any]

SECRET = re.compile(r"[0-9a-f]{64}")
# Programs ask again after that long; the feed is a page of text, so more would be waste.
CACHE_S = 900
# What was done stays in the calendar for a while.
DONE_KEPT = timedelta(days=90)
MAX_TASKS = 2_000
# Our steps (3 is high) as those of RFC 5545 (1 is high).
PRIORITIES = {1: "9", 2: "5", 3: "1"}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers the feed. Refuses with 404 and 405."""
    requests.only(request, "GET", "HEAD")
    tasks = await tasks_of(context, request.query_params.get("secret", ""))
    body = ics.written(calendar(tasks, context.site_url)).encode()
    tag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": tag, "Cache-Control": f"private, max-age={CACHE_S}", "X-Robots-Tag": "noindex"}
    known = {each.strip().removeprefix("W/") for each in request.headers.get("if-none-match", "").split(",")}
    if tag in known:
        return api.Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = 'inline; filename="socio.ics"'
    return api.Response(body, media_type="text/calendar; charset=utf-8", headers=headers)


async def tasks_of(context: api.Context, secret: str) -> list[Task]:
    """The tasks that this secret opens. Raises Refused 404."""
    if not SECRET.fullmatch(secret):
        raise no_such_feed()
    async with context.as_service() as connection:
        user_id = await connection.fetchval(
            "select user_id from private.calendar_feeds where secret_hash = $1",
            hashlib.sha256(secret.encode()).digest(),
        )
        if user_id is None:
            raise no_such_feed()
        rows = await connection.fetch(
            """
            select tasks.*, projects.name as project, contacts.name as contact from public.tasks
            left join public.projects on projects.user_id = tasks.user_id and projects.id = project_id
              and projects.deleted_at is null
            left join public.contacts on contacts.user_id = tasks.user_id and contacts.id = tasks.contact_id
              and contacts.deleted_at is null
            where tasks.user_id = $1 and tasks.deleted_at is null and not someday
              and (state <> 'fatto' or due_at is not null and completed_at > $2)
            order by due_at desc nulls last, tasks.id limit $3
            """,
            user_id,
            context.now() - DONE_KEPT,
            MAX_TASKS,
        )
    return [dict(row) for row in rows]


def no_such_feed() -> api.Refused:
    """The same for every wrong secret."""
    return api.Refused(404, "not_found", "Questo calendario non esiste")


def calendar(tasks: Iterable[Task], site_url: str) -> Iterator[ics.Property]:
    """The whole feed, line by line."""
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
    yield ("END", "VCALENDAR")


def _common(task: Task, link: str) -> Iterator[ics.Property]:
    """What events and to-dos have alike."""
    done = "✓ " if task["completed_at"] else ""
    about: dict[str, Any] = {"Progetto": task["project"], "Contatto": task["contact"]}
    lines = [f"{label}: {name}" for label, name in about.items() if name]
    yield ("UID", f"{task['id']}@socio")
    yield ("DTSTAMP", ics.utc(task["updated_at"]))
    yield ("SUMMARY", ics.text(done + task["title"]))
    yield ("DESCRIPTION", ics.text("\n".join([*lines, *filter(None, [task["notes"]]), link])))
    yield ("URL", link)
    if task["priority"]:
        yield ("PRIORITY", PRIORITIES[task["priority"]])


def _event(task: Task) -> Iterator[ics.Property]:
    """When it is due: a whole day or half an hour, in which its owner is not busy."""
    all_day = task["due_is_allday"]
    yield ics.start(task["due_at"], all_day=all_day)
    if not all_day:
        yield ("DURATION", "PT30M")
    if task["rrule"] and task["repeat_from"] == "scadenza" and not task["completed_at"]:
        yield ("RRULE", ics.rule(task["rrule"], all_day=all_day))
    yield ("TRANSP", "TRANSPARENT")
