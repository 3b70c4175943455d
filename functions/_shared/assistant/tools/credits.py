"""Credits: what is left, what is held, and how long it will last."""

from __future__ import annotations

from functions._shared.assistant.tools import wording
from functions._shared.assistant.tools.answers import Answer, Read, present
from functions._shared.assistant.tools.tasks import Nothing
from functions._shared.assistant.turn import Turn


async def credits_left(turn: Turn, _given: Nothing) -> Answer:
    """The person's credits: balance, held by work in progress, used in 30 days and by day, until when they last."""
    async with turn.database() as connection:
        wallet = await connection.fetchrow(
            """
            select forecast.*, overview.used_this_month, overview.monthly_cap
            from public.credit_forecast() as forecast cross join public.credit_overview() as overview
            """
        )
    if wallet is None:
        return {"none": True, "query": "crediti"}
    return present(
        {
            "ref": turn.refs.add("credits", turn.user_id, "I tuoi crediti"),
            "balance": wallet["balance"],
            "held": wallet["held"],
            "used_30d": wallet["used_30d"],
            "per_day": float(wallet["per_day"]),
            "lasts_until": wallet["lasts_until"] and wallet["lasts_until"].isoformat(),
            "used_this_month": wallet["used_this_month"],
            "monthly_cap": wallet["monthly_cap"],
            "next_expiry": wording.wall(wallet["next_expiry_at"]),
            "next_expiry_credits": wallet["next_expiry_credits"],
        }
    )


READS = (Read("credits", "Guardo i crediti…", Nothing, credits_left),)
