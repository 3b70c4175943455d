"""Connecting a WhatsApp number: what Meta says of it, its webhook, and its row with the secrets."""

from __future__ import annotations

from typing import Any

import asyncpg

from backend.edge import api
from functions._shared.whatsapp import graph, numbers, templates

FIELDS = "id,display_phone_number,quality_rating,whatsapp_business_manager_messaging_limit"
TIERS = {"TIER_250": 250, "TIER_2K": 2000, "TIER_10K": 10_000, "TIER_100K": 100_000, "TIER_UNLIMITED": 1_000_000}
# The token is gone, or may no longer speak for the account: nobody can tell Meta any more.
GONE_CODES = frozenset({10, graph.BAD_TOKEN, 200})
FAILURES = (graph.Refused, graph.Unreachable, graph.Uncertain)


async def connect(
    context: api.Context,
    number: numbers.Number,
    told: dict[str, Any],
    *,
    is_on_phone: bool = False,
    pin: str | None = None,
) -> None:
    """Keep a number, have Meta deliver to us, and read its templates. Raises FAILURES, and Refused 409.

    With a PIN the number is registered for the Cloud API. A first number that could not be connected to the end is
    forgotten. A person who changes to a number of another account leaves the former one.
    """
    way = graph.Graph(context, number.token)
    former = await numbers.of_person(context, number.user_id)
    try:
        waba = await way.request("GET", f"{number.waba_id}?fields=owner_business_info")
        portfolio = waba.get("owner_business_info")
        await save(
            context, number, str(portfolio["id"]) if isinstance(portfolio, dict) else number.waba_id, told,
            is_on_phone=is_on_phone,
        )  # fmt: skip
        await subscribe(context, number)
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
    if former is not None and former.waba_id != number.waba_id:
        await release(context, former)


async def subscribe(context: api.Context, number: numbers.Number) -> None:
    """Have Meta deliver about the account of a number. Raises FAILURES.

    An app has one address for each account: a number that another person has in it is delivered there too.
    """
    await graph.Graph(context, number.token).request(
        "POST", f"{number.waba_id}/subscribed_apps", numbers.webhook(context, number)
    )


async def release(context: api.Context, number: numbers.Number) -> bool:
    """End what Meta delivers about a number whose row is gone; return whether its app is no longer asked to.

    Numbers of one account and app have one subscription, so it stays while another person needs it. The address of each
    app that remains is set again: it may be that of this number, or gone because two secrets were of one app. Another
    attempt of jobs/whatsapp_releases.py follows unless Meta knows, or its token is gone. Without a token that can be
    decrypted nothing is asked now: the next attempt may find the key again.
    """
    if not number.token:
        return False
    is_over, is_last = True, True
    others = await neighbours(context, number)
    if number.app_secret not in {one.app_secret for one in others}:
        try:
            await graph.Graph(context, number.token).request("DELETE", f"{number.waba_id}/subscribed_apps")
        except FAILURES as error:
            is_over = False
            is_last = isinstance(error, graph.Refused) and error.code in GONE_CODES
            context.log.warning("Meta still delivers", extra={"cause": str(error)})
        # Including one that was connected meanwhile.
        others = await neighbours(context, number)
    for one in {one.app_secret: one for one in others}.values():
        try:
            await subscribe(context, one)
        except FAILURES as error:
            # Then Meta has the address of a number that is gone, which takes deliveries about the others too.
            context.log.warning("the webhook of a WhatsApp account was not set", extra={"cause": str(error)})
    if is_last:
        await context.call("private.end_whatsapp_release", number.id)
    return is_over


async def neighbours(context: api.Context, number: numbers.Number) -> list[numbers.Number]:
    """Return the other connected numbers of its account."""
    named = await numbers.named(context, None, [number.waba_id])
    return [one for one in named if one.waba_id == number.waba_id and one.id != number.id]


async def save(
    context: api.Context,
    number: numbers.Number,
    portfolio: str,
    told: dict[str, Any],
    *,
    is_on_phone: bool,
) -> None:
    """Keep a number with its secrets. Raises Refused 409."""
    try:
        await context.call(
            "private.save_whatsapp_account", number.id, number.user_id, portfolio, number.waba_id,
            number.phone_number_id, str(told.get("display_phone_number") or ""),
            context.seal(numbers.TOKENS, number.id, number.token),
            None if number.is_by_app else context.seal(numbers.APP_SECRETS, number.id, number.app_secret), is_on_phone,
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
    if error.code == graph.BAD_TOKEN:
        return api.Refused(422, "refused", "Meta non accetta il token: creane uno nuovo e riprova")
    return api.Refused(422, "refused", f"Meta non accetta questi dati. Ha risposto: {error.detail[:200]}")
