"""Connecting a WhatsApp number: what Meta says of it, its webhook, and its row with the secrets."""

from __future__ import annotations

from typing import Any

import asyncpg

from backend.edge import api
from functions._shared.whatsapp import graph, numbers, templates

FIELDS = "id,display_phone_number,quality_rating,whatsapp_business_manager_messaging_limit"
TIERS = {"TIER_250": 250, "TIER_2K": 2000, "TIER_10K": 10_000, "TIER_100K": 100_000, "TIER_UNLIMITED": 1_000_000}
FAILURES = (graph.Refused, graph.Unreachable, graph.Uncertain)


async def connect(
    context: api.Context,
    number: numbers.Number,
    told: dict[str, Any],
    *,
    is_by_app: bool = False,
    is_on_phone: bool = False,
    pin: str | None = None,
) -> None:
    """Keep a number, have Meta deliver to us, and read its templates. Raises FAILURES, and Refused 409.

    The secret of the operator's app (`is_by_app`) is a setting and not kept with the number. With a PIN the number is
    registered for the Cloud API. A first number that could not be connected to the end is forgotten.
    """
    way = graph.Graph(context, number.token)
    former = await numbers.of_person(context, number.user_id)
    try:
        waba = await way.request("GET", f"{number.waba_id}?fields=owner_business_info")
        portfolio = waba.get("owner_business_info")
        await save(
            context, number, str(portfolio["id"]) if isinstance(portfolio, dict) else number.waba_id, told,
            is_by_app=is_by_app, is_on_phone=is_on_phone,
        )  # fmt: skip
        await way.request(
            "POST",
            f"{number.waba_id}/subscribed_apps",
            {
                "override_callback_uri": numbers.webhook_url(context, number.id),
                "verify_token": numbers.verify_token(context, number.id),
            },
        )
        if pin is not None:
            await way.request(
                "POST", f"{number.phone_number_id}/register", {"messaging_product": "whatsapp", "pin": pin}
            )
        await templates.refresh(context, number)
    except FAILURES:
        if former is None:
            await context.call("private.drop_whatsapp_account", number.user_id)
        raise
    await note(context, number, told)


async def save(
    context: api.Context,
    number: numbers.Number,
    portfolio: str,
    told: dict[str, Any],
    *,
    is_by_app: bool,
    is_on_phone: bool,
) -> None:
    """Keep a number with its secrets. Raises Refused 409."""
    try:
        await context.call(
            "private.save_whatsapp_account", number.id, number.user_id, portfolio, number.waba_id,
            number.phone_number_id, str(told.get("display_phone_number") or ""),
            context.seal(numbers.TOKENS, number.id, number.token),
            None if is_by_app else context.seal(numbers.APP_SECRETS, number.id, number.app_secret), is_on_phone,
        )  # fmt: skip
    except asyncpg.UniqueViolationError as error:
        message = "Questo numero è già collegato a un altro account di Socio"
        raise api.Refused(409, "connected_elsewhere", message) from error


async def listed(way: graph.Graph, waba_id: str, fields: str = FIELDS, proof: str = "") -> list[dict[str, Any]]:
    """Return the numbers of an account. Raises FAILURES."""
    answer = await way.request("GET", f"{waba_id}/phone_numbers?fields={fields}{proof}")
    rows = answer.get("data")
    return [one for one in (rows if isinstance(rows, list) else []) if isinstance(one, dict)]


async def note(context: api.Context, number: numbers.Number, told: dict[str, Any]) -> None:
    """Record what Meta says of a number."""
    await context.call(
        "private.note_whatsapp_number", number.id, str(told.get("display_phone_number") or ""),
        str(told.get("quality_rating") or ""), TIERS.get(str(told.get("whatsapp_business_manager_messaging_limit"))),
    )  # fmt: skip


def refused(error: graph.Refused | graph.Unreachable | graph.Uncertain) -> api.Refused:
    """Make the refusal of what Meta said, with its own words."""
    if not isinstance(error, graph.Refused):
        return api.Refused(422, "refused", "Meta non risponde: riprova tra qualche minuto")
    if error.code == 190:
        return api.Refused(422, "refused", "Meta non accetta il token: creane uno nuovo e riprova")
    return api.Refused(422, "refused", f"Meta non accetta questi dati. Ha risposto: {error.detail[:200]}")
