"""Connected WhatsApp numbers: their rows with secrets, and the addresses at which Meta delivers about them."""

from __future__ import annotations

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared.whatsapp import meta_app

# What context.seal encrypts for, in the row of the account.
TOKENS = "whatsapp tokens"
APP_SECRETS = "whatsapp app secrets"
WEBHOOKS = "whatsapp webhooks"


@dataclass(frozen=True)
class Number:
    """A row of private.whatsapp_account, its secrets decrypted.

    A secret that cannot be decrypted is empty, and so is the app secret of an app that the operator no longer has. Such
    a number is not used: graph.Graph refuses an empty token, and an empty app secret signs no delivery.
    """

    id: UUID
    user_id: UUID
    portfolio: str
    waba_id: str
    phone_number_id: str
    token: str = field(repr=False)
    app_secret: str = field(repr=False)
    # Connected by the operator's app, whose secret is a setting and not kept with the number.
    is_by_app: bool


async def find(context: api.Context, account_id: UUID) -> Number | None:
    """Return a connected number; None when there is none."""
    async with context.as_service() as connection:
        return await read(context, connection, account_id)


async def read(context: api.Context, connection: api.Connection, account_id: UUID) -> Number | None:
    """Read a number in a transaction as service_role; None when it is not connected."""
    row = await connection.fetchrow("select * from private.whatsapp_account($1)", account_id)
    return decrypted(context, dict(row)) if row else None


async def named(context: api.Context, address: UUID | None, ids: Sequence[str]) -> list[Number]:
    """Return the numbers that a delivery may be about, that of its address first.

    Any connected number is named by its phone_number_id or by its account.
    """
    rows = await context.call("private.named_whatsapp_accounts", address, ids)
    return [decrypted(context, {**row, "id": UUID(row["id"]), "user_id": UUID(row["user_id"])}) for row in rows]


def decrypted(context: api.Context, row: Mapping[str, Any]) -> Number:
    """Decrypt the secrets of a row; one that cannot be decrypted is empty."""
    token = context.unseal_if_possible(TOKENS, row["id"], row["sealed_token"]) or ""
    return Number(
        **{name: row[name] for name in ("id", "user_id", "portfolio", "waba_id", "phone_number_id")},
        token=token,
        app_secret=_app_secret(context, row, token),
        is_by_app=row["sealed_app_secret"] is None,
    )


def _app_secret(context: api.Context, row: Mapping[str, Any], token: str) -> str:
    if row["sealed_app_secret"]:
        return context.unseal_if_possible(APP_SECRETS, row["id"], row["sealed_app_secret"]) or ""
    return meta_app.secret_of(context, token)


async def of_person(context: api.Context, user_id: UUID) -> Number | None:
    """Return the number of a person; None when there is none."""
    account_id = await context.call("private.whatsapp_account_of", user_id)
    return await find(context, account_id) if account_id else None


def webhook(context: api.Context, number: Number) -> dict[str, str]:
    """Return the address at which Meta is to deliver about a number, with its verify token, as Meta takes them.

    Numbers of the operator's app have the address of the app. Others have their own, because Meta must prove it before
    their app is known here.
    """
    url = f"{context.api_url}/functions/v1/whatsapp_webhook"
    if number.is_by_app and (app := meta_app.of(context)):
        return {"override_callback_uri": url, "verify_token": app.configuration_id}
    return {
        "override_callback_uri": f"{url}?account={number.id}", "verify_token": verify_token(context, number.id),
    }  # fmt: skip


def verify_token(context: api.Context, account_id: UUID) -> str:
    """Return what Meta must know to verify the address of a number. It needs no row: Meta asks before there is one."""
    return hmac.digest(context.key(WEBHOOKS), account_id.bytes, "sha256").hex()


def signature(app_secret: str, body: bytes) -> str:
    """Return the X-Hub-Signature-256 of a delivery: HMAC-SHA256 of the body as it came, by the secret of the app."""
    return "sha256=" + hmac.digest(app_secret.encode(), body, "sha256").hex()
