"""Decide which quotes «Segui i preventivi» asks about on a day, and write the letter: pure, all texts from templates.

A quote without an answer is asked about twice: after seven days of silence, and after fourteen more. Silence begins
with the quote, and again with each word of the person to the client. A quote of more than ninety days is left alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID

from functions._shared import italian_dates
from functions._shared.goals import chasing
from functions._shared.goals.proposals import Step

# Days of silence before a letter, by level.
SILENCE_DAYS = (7, 14)
OLDEST_DAYS = 90
# The tone is the level.
STEPS = tuple(
    Step(str(level), chasing.TOOL, level, days, is_optional=level > 1)
    for level, days in enumerate(SILENCE_DAYS, start=1)
)
# By level, for the assistant.
PURPOSES = (
    "chiedere con garbo se ha guardato il preventivo, e offrire chiarimenti",
    "chiedere se vuole andare avanti: va bene anche un no",
)


@dataclass(frozen=True)
class Quote:
    """A quote that waits for an answer."""

    deal_id: UUID
    title: str
    cents: int
    sent_on: date
    silent_since: date
    document_id: UUID | None

    def facts(self) -> dict[str, Any]:
        """Return what a letter relies on."""
        return {
            "deal_id": str(self.deal_id),
            "title": self.title,
            "cents": self.cents,
            "sent_on": self.sent_on.isoformat(),
            "silent_since": self.silent_since.isoformat(),
            "document_id": str(self.document_id) if self.document_id else None,
        }

    def line(self) -> dict[str, Any]:
        """Return what the person is shown."""
        return {
            "label": f"Preventivo {self.title}",
            "cents": self.cents,
            "has_attachment": self.document_id is not None,
        }


def _item(row: Mapping[str, Any]) -> Quote:
    return Quote(
        row["deal_id"],
        chasing.one_line(row["title"]),
        row["cents"],
        row["sent_on"],
        row["silent_since"],
        row["document_id"],
    )


def due_letter(
    client: chasing.Client[Quote],
    history: Sequence[chasing.Sent],
    day: date,
    sender: str,
    left_out: frozenset[str] = frozenset(),
) -> chasing.Letter[Quote] | None:
    """Return the letter that a client gets on a day, None where nothing is to be asked; `left_out` are levels."""
    # Never two letters in one week, whichever quotes they are about.
    if any(day < sent.day + timedelta(days=SILENCE_DAYS[0]) for sent in history):
        return None
    levels = {item.deal_id: level for item in client.items if (level := _due_level(item, history, day, left_out))}
    items = tuple(item for item in client.items if item.deal_id in levels)
    if not items:
        return None
    level = max(levels.values())
    subject, body, brief = _text(client, items, level, sender)
    return chasing.Letter(
        f"Preventivo a {client.name}", subject, body, level, level, items,
        {str(deal_id): each for deal_id, each in levels.items()}, brief,
    )  # fmt: skip


def _due_level(item: Quote, history: Sequence[chasing.Sent], day: date, left_out: frozenset[str]) -> int | None:
    level, last = chasing.last_asked(item, history)
    following = chasing.next_level(level, left_out)
    if following > len(SILENCE_DAYS) or day > item.sent_on + timedelta(days=OLDEST_DAYS):
        return None
    silent_since = max(item.silent_since, last or item.silent_since)
    return following if day >= silent_since + timedelta(days=SILENCE_DAYS[following - 1]) else None


def _text(
    client: chasing.Client[Quote], items: Sequence[Quote], level: int, sender: str
) -> tuple[str, str, dict[str, Any]]:
    """Return subject and body of a letter, and what the assistant may write instead of its first lines."""
    number = int(len(items) > 1)
    subject = ("Il mio preventivo: ", "I miei preventivi: ")[number] + ", ".join(item.title for item in items)
    listed = "\n".join(f"- {item.title}, del {italian_dates.long_day(item.sent_on)}" for item in items)
    voice = _COMPANY if client.is_company else _PERSON
    opening, closing = voice[level - 1][number]
    again = sum(item.document_id is not None for item in items)
    attached = f"\n\n{('Lo allego', 'Li allego')[int(again > 1)]} di nuovo." if again == len(items) else ""
    hello = "Spett.le" if client.is_company else "Gentile"
    bye = "Cordiali saluti" if client.is_company else "Un cordiale saluto"
    end = f"{bye}\n{sender}" if sender else bye
    body = f"{hello} {client.name},\n\n{opening}\n\n{listed}{attached}\n\n{closing}\n\n{end}"
    return subject, body, {"facts": _facts(client, items, level, sender), "block": f"{listed}{attached}\n\n{end}"}


def _facts(client: chasing.Client[Quote], items: Sequence[Quote], level: int, sender: str) -> dict[str, Any]:
    """Return what the assistant is told: of this client only."""
    return {
        **client.told(sender, PURPOSES[level - 1]),
        "items": [{"preventivo": item.title, "sent_on": item.sent_on.isoformat()} for item in items],
    }


# By level, then for one quote and for several: opening, closing.
_COMPANY = (
    (
        ("Vi scrivo per il preventivo che Vi ho mandato:",
         "Avete avuto modo di guardarlo? Se qualcosa non è chiaro o va cambiato, rispondete pure a questa email."),
        ("Vi scrivo per i preventivi che Vi ho mandato:",
         "Avete avuto modo di guardarli? Se qualcosa non è chiaro o va cambiato, rispondete pure a questa email."),
    ),
    (
        ("Torno sul preventivo di cui non ho ancora avuto notizie:",
         "Mi fate sapere entro una settimana se volete andare avanti? Va bene anche un no: così non Vi disturbo più."),
        ("Torno sui preventivi di cui non ho ancora avuto notizie:",
         "Mi fate sapere entro una settimana se volete andare avanti? Va bene anche un no: così non Vi disturbo più."),
    ),
)  # fmt: skip
_PERSON = (
    (
        ("Le scrivo per il preventivo che Le ho mandato:",
         "Ha avuto modo di guardarlo? Se qualcosa non è chiaro o va cambiato, risponda pure a questa email."),
        ("Le scrivo per i preventivi che Le ho mandato:",
         "Ha avuto modo di guardarli? Se qualcosa non è chiaro o va cambiato, risponda pure a questa email."),
    ),
    (
        ("Torno sul preventivo di cui non ho ancora avuto notizie:",
         "Mi fa sapere entro una settimana se vuole andare avanti? Va bene anche un no: così non La disturbo più."),
        ("Torno sui preventivi di cui non ho ancora avuto notizie:",
         "Mi fa sapere entro una settimana se vuole andare avanti? Va bene anche un no: così non La disturbo più."),
    ),
)  # fmt: skip

CHASE = chasing.Chase(
    "segui_preventivi", STEPS, "select * from private.quote_items($1, $2)", "answered", _item, due_letter
)
