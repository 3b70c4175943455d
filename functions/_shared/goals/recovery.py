"""Decide whom «Recupero crediti» reminds on a day, and write the letter: pure, all texts from templates.

A part of an invoice is asked for four times: three days before it is due, and 1, 8 and 20 days after. One letter per
client names all that is open. The first letter about a part that is late already is the second, not a harder one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

AGENT = "recupero_crediti"
TOOL = "mail"
# Days after the due date, by level.
OFFSETS = (-3, 1, 8, 20)
# Days between a letter of this level and the one before about the same part.
GAPS = (0, 4, 7, 12)
# Nobody gets two letters within so many days.
REST_DAYS = 4
# By level: kind, kind, firm, last.
TONES = (1, 1, 2, 3)
TONE_NAMES = {1: "cortese", 2: "deciso", 3: "fermo"}
MONTHS = (
    *("gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno"),
    *("luglio", "agosto", "settembre", "ottobre", "novembre", "dicembre"),
)


@dataclass(frozen=True)
class Item:
    """A part of an invoice that a client has not paid; a credit note is negative."""

    invoice_id: UUID
    no: int
    number: str
    issued_on: date
    due_on: date
    cents: int
    iban: str | None
    paid_on: date | None


@dataclass(frozen=True)
class Client:
    """A client with all that is open."""

    id: UUID
    name: str
    is_company: bool
    email: str | None
    items: tuple[Item, ...]


@dataclass(frozen=True)
class Sent:
    """What a client was asked before: the day, and the level of each part."""

    day: date
    levels: Mapping[tuple[UUID, int], int]


@dataclass(frozen=True)
class Letter:
    """A reminder to one client, as a step of the goal carries it out."""

    client: Client
    level: int
    items: tuple[Item, ...]
    levels: Mapping[tuple[UUID, int], int]
    subject: str
    body: str

    @property
    def cents(self) -> int:
        """Return the sum that it is about."""
        return sum(item.cents for item in self.items)

    @property
    def tone(self) -> int:
        """Return 1 kind, 2 firm, 3 last."""
        return TONES[self.level - 1]

    def args(self) -> dict[str, Any]:
        """Return what is carried out, and what is compared with the register right before."""
        return {
            "level": self.level,
            "items": [
                {
                    "invoice_id": str(item.invoice_id),
                    "no": item.no,
                    "cents": item.cents,
                    "due_on": item.due_on.isoformat(),
                    "iban": item.iban,
                    "level": self.levels[(item.invoice_id, item.no)],
                }
                for item in self.items
            ],
        }

    def preview(self) -> dict[str, Any]:
        """Return what the person is shown."""
        return {
            "title": f"Sollecito a {self.client.name}"[:200],
            "subject": self.subject,
            "body": self.body,
            "cents": self.cents,
            "tone": self.tone,
            "lines": [
                {"label": f"Fattura {item.number}", "cents": item.cents, "due_on": item.due_on.isoformat()}
                for item in self.items
            ],
        }


def clients(rows: Iterable[Mapping[str, Any]]) -> list[Client]:
    """Group the rows of private.recovery_items, which come ordered by client."""
    grouped = groupby(rows, key=lambda row: row["contact_id"])
    return [_client(list(of_client)) for _, of_client in grouped]


def _client(rows: Sequence[Mapping[str, Any]]) -> Client:
    first = rows[0]
    fields = ("invoice_id", "no", "number", "issued_on", "due_on", "cents", "iban", "paid_on")
    items = tuple(Item(**{field: row[field] for field in fields} | {"number": _line(row["number"])}) for row in rows)
    return Client(first["contact_id"], _line(first["contact_name"]), first["is_company"], first["email"], items)


def _line(text: str) -> str:
    """Return what a paper says in one line: a break in it would end the subject of a mail."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def due_letter(client: Client, history: Sequence[Sent], day: date, sender: str) -> Letter | None:
    """Return the letter that a client gets on a day, None where nothing is to be asked."""
    if history and day < max(sent.day for sent in history) + timedelta(days=REST_DAYS):
        return None
    items = tuple(item for item in client.items if item.due_on + timedelta(days=OFFSETS[0]) <= day)
    before = {(item.invoice_id, item.no): _asked(item, history) for item in items}
    due = {
        (item.invoice_id, item.no): level
        for item in items
        if item.cents > 0 and (level := _due_level(item, before[(item.invoice_id, item.no)], day))
    }
    if not due or sum(item.cents for item in items) <= 0:
        return None
    levels = {key: due.get(key, level) for key, (level, _day) in before.items()}
    subject, body = _text(client, items, max(due.values()), day, sender)
    return Letter(client, max(due.values()), items, levels, subject, body)


def _asked(item: Item, history: Sequence[Sent]) -> tuple[int, date | None]:
    """Return the highest level that a part was asked at, and when it was last asked for."""
    asked = [(sent.levels[key], sent.day) for sent in history if (key := (item.invoice_id, item.no)) in sent.levels]
    return (max(level for level, _ in asked), max(day for _, day in asked)) if asked else (0, None)


def _due_level(item: Item, asked: tuple[int, date | None], day: date) -> int | None:
    level, last = asked
    following = level + 1
    if level == 0 and day >= item.due_on + timedelta(days=OFFSETS[1]):
        following = 2
    if following > len(OFFSETS) or day < item.due_on + timedelta(days=OFFSETS[following - 1]):
        return None
    if last is not None and day < last + timedelta(days=GAPS[following - 1]):
        return None
    return following


def euros(cents: int) -> str:
    """Write an amount: «1.220,00 €»."""
    whole, rest = divmod(abs(cents), 100)
    return f"{'-' if cents < 0 else ''}{whole:,}".replace(",", ".") + f",{rest:02d} €"


def long_day(day: date) -> str:
    """Write a day: «3 marzo 2026»."""
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def _text(client: Client, items: Sequence[Item], level: int, day: date, sender: str) -> tuple[str, str]:
    what = "Promemoria di pagamento" if level == 1 else "Sollecito di pagamento"
    numbers = ", ".join(dict.fromkeys(item.number for item in items))
    subject = f"{what}: fattura {numbers}" if len(items) == 1 else f"{what}: fatture {numbers}"
    listed = "\n".join(
        f"- fattura n. {item.number} del {long_day(item.issued_on)}: {euros(item.cents)}, "
        f"{'scadenza' if item.due_on >= day else 'scaduta il'} {long_day(item.due_on)}"
        for item in items
    )
    total = f"\n\nTotale: {euros(sum(item.cents for item in items))}." if len(items) > 1 else ""
    hello, opening, closing, bye = (_COMPANY if client.is_company else _PERSON)[level - 1]
    body = f"{hello} {client.name},\n\n{opening}\n\n{listed}{total}\n\n{closing}\n\n{bye}"
    return subject[:200], f"{body}\n{sender}" if sender else body


_VOI, _LEI = "Spett.le", "Gentile"
# By level: hello, opening, closing, bye. The same voice as web/src/strings/reminders.ts.
_COMPANY = (
    (_VOI, "Vi ricordo che tra poco scade:",
     "Se il pagamento è già partito, non tenete conto di questo messaggio.", "Cordiali saluti"),
    (_VOI, "Risulta ancora da saldare:",
     "Mi fate sapere quando pensate di poter pagare? Se il pagamento è già partito, non tenete conto di questa email.",
     "Cordiali saluti"),
    (_VOI, "Nonostante il mio messaggio precedente, risulta ancora da saldare:",
     "Vi chiedo di saldare entro sette giorni, o di dirmi entro quella data come intendete procedere.",
     "Cordiali saluti"),
    (_VOI, "Dopo i messaggi precedenti, rimasti senza esito, risulta ancora da saldare:",
     "Vi chiedo di saldare entro sette giorni. In mancanza dovrò valutare come tutelare il mio credito.",
     "Distinti saluti"),
)  # fmt: skip
_PERSON = (
    (_LEI, "Le ricordo che tra poco scade:",
     "Se il pagamento è già partito, non tenga conto di questo messaggio.", "Un cordiale saluto"),
    (_LEI, "Risulta ancora da saldare:",
     "Mi fa sapere quando pensa di poter pagare? Se il pagamento è già partito, non tenga conto di questo messaggio.",
     "Un cordiale saluto"),
    (_LEI, "Nonostante il mio messaggio precedente, risulta ancora da saldare:",
     "Le chiedo di saldare entro sette giorni, o di dirmi entro quella data come intende procedere.",
     "Un cordiale saluto"),
    (_LEI, "Dopo i messaggi precedenti, rimasti senza esito, risulta ancora da saldare:",
     "Le chiedo di saldare entro sette giorni. In mancanza dovrò valutare come tutelare il mio credito.",
     "Distinti saluti"),
)  # fmt: skip
