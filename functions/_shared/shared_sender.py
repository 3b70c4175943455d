"""The operator's shared sender, «tramite Socio»: its address and headers, and the addresses of answers and bounces.

`r+<token>@<inbound domain>` takes answers to one sent mail, `b+<token>@…` what servers report about it. A token is the
id of the mail and a code derived from the installation's key, so it cannot be made up and needs no row of its own.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from collections.abc import Mapping
from datetime import datetime
from email.headerregistry import Address
from email.message import EmailMessage
from typing import Any, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

import asyncpg

from backend.edge import api
from functions._shared import italian_dates, mail_logins, smtp
from functions._shared.received_mail import address as inbound_address

Kind = Literal["r", "b"]

SETTING = "SOCIO_SHARED_SENDER"
ADDRESS = re.compile(r"[A-Za-z0-9._-]{1,64}@(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+")
PURPOSE = "addresses of shared mails"
KINDS: tuple[Kind, ...] = ("r", "b")
CODE_BYTES = 14
TOKEN = re.compile(r"[a-z2-7]{48}")
MAX_NAME = 60
# Characters with a meaning in a header, and an @, which would show another address than the real one.
UNFIT = re.compile(r"[<>@\"\\,;:()\[\]]")
SUFFIX = "tramite Socio"
NAMELESS = "Tramite Socio"
ROME = ZoneInfo("Europe/Rome")


def sender(context: api.Context) -> str | None:
    """Return the shared address; None when the operator has set none, or no address."""
    value = context.secret(SETTING).strip() if context.has_secret(SETTING) else ""
    return value if ADDRESS.fullmatch(value) and len(value) <= 254 else None


def display_name(name: str | None) -> str:
    """Write the name that recipients see: «Giulia Ferri tramite Socio»."""
    printable = "".join(each if each.isprintable() else " " for each in name or "")
    plain = " ".join(UNFIT.sub(" ", printable).split())[:MAX_NAME].strip()
    return f"{plain} {SUFFIX}" if plain else NAMELESS


async def server_of(context: api.Context, user_id: UUID, row: Mapping[str, Any]) -> smtp.Server | None:
    """Read a row of private.mail_account_of: an own server or the shared one; None when that may not be used.

    Raises smtp.Failure when the login of its provider cannot be used.
    """
    if not row["is_shared"]:
        return smtp.server(row, await mail_logins.password(context, user_id, row))
    state = await state_of(context, user_id)
    from_address = sender(context)
    if from_address is None or state["reply_to"] is None:
        return None
    return smtp.Server(
        "", 0, "tls", "", "", from_address, display_name(state["name"]), is_shared=True, reply_to=state["reply_to"]
    )


async def state_of(context: api.Context, user_id: UUID) -> dict[str, Any]:
    """Ask what the shared sender says and allows for a person."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.shared_state($1)", user_id)
    assert row is not None
    return dict(row)


def lead_back(context: api.Context, server: smtp.Server, letter: EmailMessage, mail_id: UUID) -> None:
    """Write to whom answers to a mail go."""
    domain = inbound_address.domain(context)
    name = server.from_name or NAMELESS
    back = [Address(name.removesuffix(SUFFIX).strip() if name != NAMELESS else "", addr_spec=server.reply_to)]
    if domain is not None:
        back.append(Address(name, addr_spec=written(context, "r", mail_id, domain)))
    letter["Reply-To"] = back


def return_path(context: api.Context, server: smtp.Server, mail_id: UUID) -> str:
    """Return the address for what servers report about a mail."""
    domain = inbound_address.domain(context)
    return written(context, "b", mail_id, domain) if domain else server.from_address


def written(context: api.Context, kind: Kind, mail_id: UUID, domain: str) -> str:
    """Write the address of a sent mail for answers (`r`) or reports (`b`)."""
    content = mail_id.bytes + _code(context, kind, mail_id)
    return f"{kind}+{base64.b32encode(content).decode().lower()}@{domain}"


def mail_of(context: api.Context, to: str) -> tuple[Kind, UUID] | None:
    """Return which mail an address belongs to, and for what; None for any other address."""
    domain = inbound_address.domain(context)
    local, _, host = to.strip().lower().rpartition("@")
    kind, plus, token = local.partition("+")
    found = _read(context, token) if domain is not None and host == domain and plus else None
    return found if found is not None and found[0] == kind else None


def address_of_token(context: api.Context, token: str) -> str | None:
    """Return the address whose token a provider names alone; None for any other token."""
    domain = inbound_address.domain(context)
    found = _read(context, token.strip().lower()) if domain else None
    return written(context, found[0], found[1], domain) if found and domain else None


def _read(context: api.Context, token: str) -> tuple[Kind, UUID] | None:
    if not TOKEN.fullmatch(token):
        return None
    try:
        content = base64.b32decode(token.upper())
    except binascii.Error:
        return None
    mail_id, code = UUID(bytes=content[:16]), content[16:]
    for kind in KINDS:
        if hmac.compare_digest(code, _code(context, kind, mail_id)):
            return kind, mail_id
    return None


def _code(context: api.Context, kind: Kind, mail_id: UUID) -> bytes:
    return hmac.digest(context.key(PURPOSE), kind.encode() + mail_id.bytes, hashlib.sha256)[:CODE_BYTES]


def refusal(error: asyncpg.PostgresError) -> tuple[int, str, str] | None:
    """Put a refusal of db/schemas/43_mail_shared.sql into words; None for any other error."""
    detail = getattr(error, "detail", None) or ""
    match error.sqlstate:
        case "SM014":
            return 409, "shared_limit", (
                f"Hai raggiunto il limite di email al giorno tramite Socio. {_resumes(detail)} "
                "Con la tua casella questo limite non c’è: collegala in Impostazioni → Canali."
            )  # fmt: skip
        case "SM015":
            return (
                409,
                "shared_promotion",
                "Tramite Socio non si inviano promozioni: per le campagne collega la tua casella",
            )
        case "SM016":
            reason, _, until = detail.partition("|")
            why = (
                "un destinatario ha segnalato una tua email come spam"
                if reason == "reclamo"
                else "più email sono tornate indietro da indirizzi che non esistono"
            )
            return 409, "shared_paused", (
                f"L’invio tramite Socio è in pausa: {why}. {_resumes(until)} "
                "Per continuare subito collega la tua casella in Impostazioni → Canali."
            )  # fmt: skip
        case "SM017":
            return 409, "unconfirmed", "Conferma prima l’indirizzo email con cui accedi a Socio"
        case "SM018":
            return 409, "own_mailbox", "Hai già una casella collegata: le email partono da lì"
    return None


def _resumes(moment: str) -> str:
    if not moment:
        return "Riprende quando sono partite le email in attesa."
    local = datetime.fromisoformat(moment).astimezone(ROME)
    return f"Riprende il {italian_dates.long_day(local.date())} alle {local:%H:%M}."
