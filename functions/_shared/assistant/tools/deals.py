"""Deals: which are open, won, lost or stuck, and what they add up to, as the board of /crm counts them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from pydantic import Field

from backend.edge import api
from functions._shared.assistant.tools import resolving, wording
from functions._shared.assistant.tools.answers import (
    FOREIGN_ORIGINS,
    Answer,
    Arguments,
    Read,
    foreign,
    listed,
    present,
    short,
)
from functions._shared.assistant.tools.stems import fits, stems
from functions._shared.assistant.tools.tasks import Nothing, named
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money

State = Literal["aperte", "vinte", "perse", "ferme"]
# The board shows what was closed within a year; an older period has to be named.
CLOSED_DAYS = 365

DEALS = """
    select deals.id, deals.title::text, deals.amount_cents, deals.currency, deals.expected_close, deals.stage_since,
      deals.lost_reason::text, deals.origin::text, coalesce(deals.won_at, deals.lost_at) as closed_at,
      stages.id as stage_id, stages.name::text as stage, stages.position as stage_position,
      stages.kind::text as stage_kind,
      -- The owner's own guess counts while the deal is open.
      case when stages.kind = 'aperta' then coalesce(deals.probability, stages.probability)
        else stages.probability end as probability,
      habits.usual_days, contacts.id as contact_id, contacts.name as contact, contacts.origin::text as contact_origin
    from public.deals
    join public.stages on stages.user_id = deals.user_id and stages.id = deals.stage_id
    left join public.stage_habits() as habits on habits.stage_id = deals.stage_id
    left join public.contacts on contacts.user_id = deals.user_id and contacts.id = deals.contact_id
    cross join lateral (
      select (deals.won_at at time zone 'Europe/Rome')::date as won_on,
        (deals.lost_at at time zone 'Europe/Rome')::date as lost_on
    ) as closed
    where deals.deleted_at is null and ($1::uuid is null or deals.contact_id = $1)
      and case $2::text
        when 'vinte' then closed.won_on between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
        when 'perse' then closed.lost_on between coalesce($3::date, '-infinity') and coalesce($4::date, 'infinity')
        else deals.won_at is null and deals.lost_at is null
      end
    order by closed_at desc nulls last, stages.position desc, deals.amount_cents desc, deals.id
    limit 5000
"""


@dataclass(frozen=True)
class Wish:
    """Which deals are wanted; of those that are won or lost the days on which they were, both included."""

    state: State = "aperte"
    contact_id: str | None = None
    starts_on: date | None = None
    ends_on: date | None = None


class ListDeals(Arguments):
    """What `list_deals` may be told."""

    state: State = Field(
        default="aperte",
        description="aperte: open; vinte, perse: won, lost, without from and to within a year; ferme: open, longer in "
        "a stage than usual",
    )
    contact: str | None = Field(default=None, max_length=200, description="A name, or a handle like r3")
    query: str | None = Field(default=None, max_length=200, description="Words of the title or of the contact's name")
    stage: str | None = Field(default=None, max_length=100, description="The name of a stage, like Preventivo")
    closes_from: date | None = Field(default=None, description="First day of the expected close of open ones")
    closes_until: date | None = Field(default=None, description="Last day of the expected close of open ones")
    order: Literal["stage", "largest", "smallest", "longest", "likeliest"] = Field(
        default="stage", description="Which are first; longest: longest in their stage"
    )
    starts_on: date | None = Field(
        default=None, alias="from", description="First day on which vinte or perse were closed, like 2026-01-31"
    )
    ends_on: date | None = Field(default=None, alias="to", description="Last day on which vinte or perse were closed")


async def list_deals(turn: Turn, given: ListDeals) -> Answer:
    """Lists the person's deals with their amounts, the total, and the total weighted by probability."""
    async with turn.database() as connection:
        contact = await resolving.id_of(connection, turn, "contact", given.contact)
        rows = await matching(connection, turn, Wish(given.state, contact, given.starts_on, given.ends_on))
    wanted = stems(given.query or "")
    rows = [row for row in rows if fits(wanted, f"{row['title']} {row['contact'] or ''}")]
    if given.stage:
        rows = [row for row in rows if fits(stems(given.stage), row["stage"])]
    if given.closes_from or given.closes_until:
        first, last = given.closes_from or date.min, given.closes_until or date.max
        rows = [row for row in rows if row["expected_close"] and first <= row["expected_close"] <= last]
    if given.order == "longest":
        rows.sort(key=lambda row: row["stage_since"])
    elif given.order == "likeliest":
        rows.sort(key=lambda row: -row["probability"])
    elif given.order != "stage":
        rows.sort(key=lambda row: row["amount_cents"], reverse=given.order == "largest")
    return summed(turn, rows, 50)


async def deals_total(turn: Turn, _given: Nothing) -> Answer:
    """What all open deals add up to, plain and weighted by probability, for each stage, and the five largest."""
    async with turn.database() as connection:
        rows = await matching(connection, turn, Wish())
    stages: dict[str, list[Any]] = {}
    for row in sorted(rows, key=lambda each: each["stage_position"]):
        stages.setdefault(row["stage"], []).append(row)
    largest = sorted(rows, key=lambda each: -each["amount_cents"])[:5]
    return {
        **totals(rows),
        "stages": [{"stage": stage, "count": len(own), **totals(own)} for stage, own in stages.items()],
        "rows": [deal_row(turn, row) for row in largest],
        "count": len(rows),
        "more": len(rows) > len(largest),
    }


async def matching(connection: api.Connection, turn: Turn, wish: Wish) -> list[Any]:
    """The deals that are wanted, those closed last first."""
    starts_on, ends_on = wish.starts_on, wish.ends_on
    if not starts_on and not ends_on:
        starts_on = turn.local_now.date() - timedelta(days=CLOSED_DAYS)
    rows = await connection.fetch(DEALS, wish.contact_id, wish.state, starts_on, ends_on)
    return [row for row in rows if wish.state != "ferme" or is_stuck(turn, row)]


def summed(turn: Turn, rows: list[Any], most: int) -> Answer:
    """The first rows, and what all of them add up to."""
    return listed([deal_row(turn, row) for row in rows[:most]], len(rows), **totals(rows))


def totals(rows: list[Any]) -> Answer:
    """Plain and weighted by probability; half a cent rounds up, as on the board."""
    total = sum(row["amount_cents"] for row in rows)
    hundredths = sum(row["amount_cents"] * row["probability"] for row in rows)
    weighted = (hundredths + 50) // 100
    return {
        "total_cents": total,
        "amount": money.euros(total),
        "weighted_cents": weighted,
        "weighted": money.euros(weighted),
    }


def days_in_stage(turn: Turn, row: Any) -> int:
    """Whole days."""
    since: datetime = row["stage_since"]
    return max(0, (turn.now - since).days)


def is_stuck(turn: Turn, row: Any) -> bool:
    """Whether it is longer in its stage than is usual there."""
    return row["usual_days"] is not None and days_in_stage(turn, row) > row["usual_days"]


def deal_row(turn: Turn, row: Any) -> Answer:
    """A deal as models see it."""
    if row["origin"] in FOREIGN_ORIGINS:
        foreign(turn, "contatto", row["title"])
    is_open = row["stage_kind"] == "aperta"
    return present(
        {
            "ref": turn.refs.add("deal", row["id"], row["title"]),
            "title": short(row["title"]),
            "stage": row["stage"],
            "amount": money.euros(row["amount_cents"], row["currency"]),
            "probability": row["probability"] if is_open else None,
            "expected_close": row["expected_close"] and row["expected_close"].isoformat(),
            "closed_on": wording.wall(row["closed_at"]),
            "lost_reason": row["lost_reason"],
            "stuck": True if is_open and is_stuck(turn, row) else None,
            **named(turn, row),
        }
    ) | {"amount_cents": row["amount_cents"], "days_in_stage": days_in_stage(turn, row)}


READS = (
    Read("list_deals", "Guardo le trattative…", ListDeals, list_deals),
    Read("deals_total", "Sommo le trattative…", Nothing, deals_total),
)
