"""The regime forfettario: what came in this year, what to set aside of it, and how far the threshold is."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions._shared.assistant.tools.answers import Answer, Read, present
from functions._shared.assistant.tools.tasks import Nothing
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import money


async def flat_rate(turn: Turn, _given: Nothing) -> Answer:
    """Estimate what to set aside of this year's takings for tax and contributions in the Italian regime forfettario.

    An estimate of what /home shows too. Without `set_aside` the person has another `regime` or has not chosen
    activity and INPS yet: say so and estimate nothing. `rates` are per cent, each with its source."""
    async with turn.database() as connection:
        # The page of /home, computed again when something has changed: both say the same.
        told = await connection.fetchval("select public.home_overview() -> 'flat_rate'")
        regime = await connection.fetchval("select tax_regime from public.profiles")
    if told is None or told["threshold_cents"] is None:
        return {"regime": regime or "unknown"}
    left_cents = max(told["threshold_cents"] - told["cash_cents"], 0)
    return {
        "regime": regime,
        "year": told["year"],
        "cash": money.euros(told["cash_cents"]),
        "threshold": money.euros(told["threshold_cents"]),
        "left": money.euros(left_cents),
        **present({"other_currencies": told["other_currencies"] or None, "over_on": told["over_threshold_on"]}),
        **_estimate(told),
    }


def _estimate(told: Mapping[str, Any]) -> Answer:
    """Return what to set aside with its parts and rates; nothing where a choice or a figure of the law is missing."""
    choices, aside = told["choices"], told["set_aside"]
    if not choices or not aside or aside["cents"] is None:
        return {}
    names = {"coefficient": choices["activity"], "tax": "imposta_avvio" if choices["is_startup"] else "imposta"}
    if choices["contributions"] == "gestione_separata":
        names["contribution"] = "gestione_separata"
    figures = {name: told["figures"][key] for name, key in names.items()}
    return {
        "set_aside": money.euros(aside["cents"]),
        "income": money.euros(aside["income_cents"]),
        "contribution": money.euros(aside["contribution_cents"]),
        "tax": money.euros(aside["tax_cents"]),
        "rates": {
            name: {"value": money.decimal(str(figure["value"])), "source": figure["source"]}
            for name, figure in figures.items()
        },
    }


READS = (Read("flat_rate", "Guardo il forfettario…", Nothing, flat_rate),)
