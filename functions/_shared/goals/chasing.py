"""Letters that ask clients about what is open, level by level: plan them, and compare them with the database.

A level is one more time that the same item is asked about. One letter per client names all its items. Each agent of
this kind is a `Chase`: a query, and a pure function that decides on a letter and writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby
from typing import Any, Generic, Protocol, TypeVar
from uuid import UUID

from backend.edge import api
from functions._shared.goals import channels
from functions._shared.goals.proposals import Proposal, Step, skipped

TOOL = "mail"
# What was asked, or refused by its person or by a rule, is not asked again at the same level.
HISTORY = """
select contact_id, (coalesce(done_at, created_at) at time zone 'Europe/Rome')::date as day, args
from public.goal_steps
where user_id = $1 and contact_id is not null and state in ('fatto', 'rifiutato', 'bloccato') and exists (
  select from public.goals where goals.user_id = $1 and goals.id = goal_id and agent = $2
)
"""
SENDER = "select coalesce(business_name, full_name)::text from public.profiles where user_id = $1"


class Item(Protocol):
    """Something open that a client is asked about."""

    @property
    def cents(self) -> int:
        """The sum that it is about."""

    def facts(self) -> dict[str, Any]:
        """Return its ids, and all that a letter about it relies on, as JSON."""

    def line(self) -> dict[str, Any]:
        """Return what the person is shown of it: {label, cents, …}."""


ItemT = TypeVar("ItemT", bound=Item)


@dataclass(frozen=True)
class Client(Generic[ItemT]):
    """A client with all that is open."""

    id: UUID
    name: str
    is_company: bool
    email: str | None
    items: tuple[ItemT, ...]

    def told(self, sender: str, purpose: str) -> dict[str, str]:
        """Return what the assistant is told of the client, and why it writes."""
        return {
            "cliente": self.name,
            "tipo": "azienda: dai del Voi" if self.is_company else "persona: dai del Lei",
            "mittente": sender,
            "scopo": purpose,
        }


@dataclass(frozen=True)
class Sent:
    """What a client was asked before: the day, and the level of each item by its key."""

    day: date
    levels: Mapping[str, int]


@dataclass(frozen=True)
class Letter(Generic[ItemT]):
    """A letter to one client, as a step of the goal carries it out. Tone: 1 kind, 2 firm, 3 last.

    `brief` is what the assistant may write it from: {facts: {…, items}, block} (letters.py).
    """

    title: str
    subject: str
    body: str
    level: int
    tone: int
    items: tuple[ItemT, ...]
    levels: Mapping[str, int]
    brief: dict[str, Any]

    def args(self) -> dict[str, Any]:
        """Return what is carried out, and what is compared with the database right before."""
        facts = [item.facts() for item in self.items]
        return {"level": self.level, "items": [{**each, "level": self.levels[key(each)]} for each in facts]}

    def preview(self) -> dict[str, Any]:
        """Return what the person is shown."""
        return {
            "title": self.title[:200],
            "subject": self.subject[:200],
            "body": self.body,
            "cents": sum(item.cents for item in self.items),
            "tone": self.tone,
            "lines": [item.line() for item in self.items],
        }


@dataclass(frozen=True)
class Chase(Generic[ItemT]):
    """An agent that writes letters about what `query` (person, day) finds; `gone`: why a step is not true any more."""

    name: str
    steps: tuple[Step, ...]
    query: str
    gone: str
    item: Callable[[Mapping[str, Any]], ItemT]
    letter: Callable[[Client[ItemT], Sequence[Sent], date, str, frozenset[str]], Letter[ItemT] | None]
    # The values of the template by WhatsApp; None where all letters go by mail.
    values: Callable[[Client[ItemT], Letter[ItemT]], Mapping[str, str]] | None = None
    rehearsal_days: int = 90

    async def propose(self, connection: api.Connection, user_id: UUID, day: date) -> list[Proposal]:
        """Return the letters that are due on a day. The connection acts as the service."""
        sender = await connection.fetchval(SENDER, user_id) or ""
        history = await self._history(connection, user_id)
        left_out = await skipped(connection, user_id, self)
        letters = [
            (client, letter)
            for client in await self.clients(connection, user_id, day)
            if (letter := self.letter(client, history.get(client.id, []), day, sender, left_out))
        ]
        mails = [
            Proposal(
                client.id, TOOL, letter.args(), letter.preview(), (client.email,) if client.email else (), letter.brief
            )
            for client, letter in letters
        ]
        if self.values is None:
            return mails
        values = [self.values(client, letter) for client, letter in letters]
        return await channels.addressed(connection, user_id, self.name, list(zip(mails, values, strict=True)))

    async def change(self, connection: api.Connection, step: Mapping[str, Any], day: date) -> str | None:
        """Return why a letter is not true any more, None while it is."""
        clients = await self.clients(connection, UUID(step["user_id"]), day)
        known = {key(facts): (facts, str(client.id)) for client in clients for facts in map(_facts, client.items)}
        for item in step["args"]["items"]:
            if key(item) not in known:
                return self.gone
        for item in step["args"]["items"]:
            facts, contact_id = known[key(item)]
            if {name: item.get(name) for name in facts} != facts or contact_id != step["contact_id"]:
                return "changed"
        return await channels.change(connection, step)

    async def clients(self, connection: api.Connection, user_id: UUID, day: date) -> list[Client[ItemT]]:
        """Return the clients with something open, as the database knew on a day."""
        rows = await connection.fetch(self.query, user_id, day)
        grouped = groupby(map(dict, rows), key=lambda row: row["contact_id"])
        return [self._client(list(of_client)) for _, of_client in grouped]

    def _client(self, rows: Sequence[Mapping[str, Any]]) -> Client[ItemT]:
        first = rows[0]
        items = tuple(self.item(row) for row in rows)
        return Client(first["contact_id"], one_line(first["contact_name"]), first["is_company"], first["email"], items)

    async def _history(self, connection: api.Connection, user_id: UUID) -> dict[UUID, list[Sent]]:
        asked: dict[UUID, list[Sent]] = {}
        for row in await connection.fetch(HISTORY, user_id, self.name):
            levels = {key(item): item["level"] for item in row["args"].get("items", [])}
            asked.setdefault(row["contact_id"], []).append(Sent(row["day"], levels))
        return asked


def key(facts: Mapping[str, Any]) -> str:
    """Return what tells an item of a person from the others: a part of an invoice, or a deal."""
    return ":".join(str(facts[name]) for name in ("invoice_id", "no", "deal_id") if name in facts)


def next_level(level: int, left_out: frozenset[str]) -> int:
    """Return the level after one, past those that the person left out."""
    following = level + 1
    while str(following) in left_out:
        following += 1
    return following


def _facts(item: Item) -> dict[str, Any]:
    return item.facts()


def last_asked(item: Item, history: Sequence[Sent]) -> tuple[int, date | None]:
    """Return the highest level that an item was asked at, 0 for never, and when it was last asked about."""
    own = key(item.facts())
    asked = [(sent.levels[own], sent.day) for sent in history if own in sent.levels]
    return (max(level for level, _ in asked), max(day for _, day in asked)) if asked else (0, None)


def one_line(text: str) -> str:
    """Return what a row says in one line: a break in it would end the subject of a mail."""
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())
