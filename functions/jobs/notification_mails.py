"""Mail what is due of each person's notifications, everything due in one letter.

The deliveries are marked in the transaction that puts the mail into the outbox, so a process that dies loses none and
sends none twice.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any, TypeAlias

from backend.edge import api
from functions._shared import letters

EVERY = timedelta(minutes=1)
# A letter names so many of one kind; the rest is counted.
NAMED = 10
SMALL = "Scegli che cosa ricevere, e quando, in Impostazioni → Notifiche."

Item: TypeAlias = Mapping[str, Any]


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Write to one person in each transaction until nothing is due."""
    while await write(context):
        pass


async def write(context: api.Context) -> bool:
    """Write to one person, unless nothing of what is due is wanted any more; False when nothing is due."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.claim_notification_mail()")
        if row is not None and row["email"] is not None:
            mail = letters.message(row["email"], letter(row["items"], context.site_url), "notifications")
            await api.send_mail(connection, mail)
    return row is not None


def letter(items: Sequence[Item], site_url: str) -> letters.Letter:
    """Compose the mail: one notice with its own button, or a list by kinds that leads to the page."""
    if len(items) == 1:
        (item,) = items
        return letters.Letter(
            title=item["title"],
            paragraphs=tuple(item["message"].split("\n\n")),
            button="Vai a oggi" if item["kind"] == "briefing" else "Apri",
            link=site_url + (item["action_url"] or "/notifications"),
            small=SMALL,
            greeting="",
        )
    return letters.Letter(
        title=subject(items),
        paragraphs=tuple(text for _, group in groupby(items, lambda item: item["kind"]) for text in part(list(group))),
        button="Vedi le notifiche",
        link=f"{site_url}/notifications",
        small=SMALL,
        greeting="",
    )


def subject(items: Sequence[Item]) -> str:
    """Say how much is new; a briefing comes first."""
    if items[0]["kind"] != "briefing":
        return f"{len(items)} novità da Socio"
    more = len(items) - 1
    return f"{items[0]['title']} e {'una' if more == 1 else more} novità"


def part(items: Sequence[Item]) -> tuple[str, ...]:
    """Compose the paragraphs of one kind: each notice, or its beginning and how many more there are."""
    first = items[0]
    if first["kind"] == "briefing":
        return tuple(first["message"].split("\n\n"))
    told = [f"{sentence(item['title'])} {item['message']}" for item in items[:NAMED]]
    more = len(items) - NAMED
    if more > 0:
        told.append("E un’altra di questo tipo." if more == 1 else f"E altre {more} di questo tipo.")
    return (f"{first['label']}:", *told) if len(items) > 1 else tuple(told)


def sentence(title: str) -> str:
    """End a title with a full stop, unless it ends a sentence already: «Confermi la riunione?»."""
    return title if title.endswith((".", "?", "!", "…")) else f"{title}."
