"""What goes on without a question: the agents with a mandate, and the month's packet for the accountant."""

from __future__ import annotations

import re
from datetime import date, timedelta
from typing import Any

from pydantic import Field

from functions._shared import italian_dates
from functions._shared.assistant.tools import wording
from functions._shared.assistant.tools.answers import Answer, Arguments, Read, listed, present
from functions._shared.assistant.tools.tasks import Nothing
from functions._shared.assistant.turn import Turn
from functions._shared.goals import agents

OPEN_GOALS = """
    select agent, state::text, wait::text, waiting, waiting_cents, coalesce(uses_whatsapp, false) as uses_whatsapp,
      coalesce(uses_pec, false) as uses_pec
    from public.goals cross join lateral (
      select count(*) as waiting, coalesce(sum((preview ->> 'cents')::bigint), 0)::bigint as waiting_cents
      from public.goal_steps
      where goal_steps.user_id = goals.user_id and goal_id = goals.id and goal_steps.state = 'in_approvazione'
    ) as steps
    left join (
      select agent, uses_whatsapp, uses_pec from public.agent_mandates where action = 'mail' and revoked_at is null
    ) as mandates using (agent)
    where state not in ('completato', 'fallito', 'annullato')
"""
REMINDERS = "recupero_crediti"
WEEK = ("sent", "tidied", "refused", "blocked")
_MONTH = re.compile(r"\d{4}-\d{2}", re.ASCII)


class MonthPacket(Arguments):
    """Arguments of `month_packet`."""

    month: str | None = Field(
        default=None, pattern=_MONTH, description="YYYY-MM; the month before this one when absent"
    )


async def list_agents(turn: Turn, _given: Nothing) -> Answer:
    """List the agents that work on their own, each on or off, with how many proposals wait for the person's yes.

    Also by which channels reminders go, and what the agents did in the last seven days. Nobody but the person starts,
    stops or approves: on `page`.
    """
    async with turn.database() as connection:
        goals = {row["agent"]: row for row in await connection.fetch(OPEN_GOALS)}
        stopped = await connection.fetchval("select public.agents_stopped()")
        week = await connection.fetchval("select public.agent_week()")
    done = {name: week[name] for name in WEEK if week[name]}
    if week["cashed_cents"]:
        done["cashed"] = wording.euros(week["cashed_cents"])
    rows = [_agent(name, title, goals.get(name)) for name, title in agents.TITLES.items()]
    stopped_by = "us" if stopped["all"] else "person" if stopped["mine"] else None
    return listed(rows, **present({"stopped_by": stopped_by, "last_7_days": done or None, "page": page()}))


def page(agent: str = "") -> str:
    """Return where agents are seen, or the rehearsal and mandate of one (web/src/paths.ts)."""
    return "/projects?vista=obiettivi" + (f"&mandato={agent}" if agent else "")


def _agent(name: str, title: str, goal: Any) -> Answer:
    if goal is None:
        return {"agent": name, "title": title, "state": "spento", "page": page(name)}
    waiting = goal["waiting"] or None
    return present(
        {
            "agent": name,
            "title": title,
            "state": goal["wait"] or goal["state"],
            "channels": _channels(goal) if name == REMINDERS else None,
            "waiting": waiting,
            "waiting_total": wording.euros(goal["waiting_cents"]) if goal["waiting_cents"] else None,
            "page": page(name),
        }
    )


def _channels(goal: Any) -> str:
    then = ["poi su WhatsApp"] * goal["uses_whatsapp"] + ["l’ultimo per PEC"] * goal["uses_pec"]
    return ", ".join(["per email", *then])


async def month_packet(turn: Turn, given: MonthPacket) -> Answer:
    """Tell what the packet for the accountant of a month holds: sums of invoices, papers, and what is missing.

    The person downloads it on `page`; nothing is sent to anybody.
    """
    month = _first_day(given.month, turn.local_now.date())
    if month is None:
        return {"refused": True, "reason": "Il mese si scrive così: 2026-10"}
    async with turn.database() as connection:
        row = await connection.fetchrow("select sums, findings, papers from public.month_packet($1)", month)
    assert row is not None
    return {
        "month": italian_dates.month_and_year(month),
        # Bears the month out, in the check of figures.
        "from": month.isoformat(),
        "sums": [_sum(each) for each in row["sums"]],
        # Their texts name counterparties: the titles say enough.
        "to_do": [each["title"] for each in row["findings"]],
        "papers": len(row["papers"]),
        "page": f"/documents/fatture?pacchetto={month:%Y-%m}",
    }


def _first_day(month: str | None, today: date) -> date | None:
    if month is None:
        return (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    try:
        return date.fromisoformat(f"{month}-01")
    except ValueError:
        return None


def _sum(row: dict[str, Any]) -> Answer:
    side = "autofatture" if row["is_self_invoice"] else {"attiva": "emesse", "passiva": "ricevute"}[row["direction"]]
    return {"side": side, "count": row["times"], "total": wording.euros(row["total_cents"], row["currency"])}


READS = (
    Read("list_agents", "Guardo che cosa fanno gli agenti…", Nothing, list_agents),
    Read("month_packet", "Guardo che cosa c’è per il commercialista…", MonthPacket, month_packet),
)
