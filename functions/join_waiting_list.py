"""`/functions/v1/join_waiting_list`: who wants to hear of the next early bird, with proof and with a way out.

    POST /                {email, consent: true}   202; the mail with the link is a job's work
    POST /confirm         {token}                  the link's page sends it when its button is pressed
    POST /leave           {token}                  away at once, confirmed or not, from an older mail too

Joining answers the same for every address and does the same work for each: whether somebody is on the list is decided
later, by the job (jobs/waiting_list_mail.py). No GET changes anything, for scanners open links too.
"""

import hashlib
import hmac
import re
from datetime import timedelta
from ipaddress import IPv6Address, ip_address, ip_network

from backend.edge import api
from functions._shared import requests

# The words of the landing's consent line; another wording is another version.
CONSENT_VERSION = "2025-11-03"
# One person with a few addresses may join; a script may not fill strangers' mailboxes.
REQUESTS_AN_HOUR = 5
# What every mail server takes (RFC 5321 4.1.2): a local part of dot-atoms in ASCII and a domain of valid labels, which
# for «città.it» is its xn-- form. Any other address would make a mail that nobody can send.
ATOM = r"[a-z0-9!#$%&'*+/=?^_`{|}~-]+"
LABEL = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
EMAIL = re.compile(rf"(?=[^@]{{1,64}}@){ATOM}(?:\.{ATOM})*@(?:{LABEL}\.)+(?=[a-z])(?=..){LABEL}")
MAX_EMAIL_LENGTH = 254
TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Answers `{"state": "mail_sent" | "confirmed" | "left"}`. Refuses with 400, 404, 405, 410 and 429."""
    actions = {"": join, "confirm": confirm, "leave": leave}
    action = actions.get(request.path_params.get("rest", "").strip("/"))
    if action is None:
        raise api.Refused(404, "not_found", "Questo indirizzo non esiste")
    requests.only(request, "POST")
    return await action(request, context)


async def join(request: api.Request, context: api.Context) -> api.Response:
    """Takes the request down; who is asked, and whether a mail goes out, is the job's business."""
    body = await api.json_object(request)
    email = plausible(body.get("email"))
    if body.get("consent") is not True:
        raise api.Refused(400, "validation_failed", "Serve il tuo consenso per scriverti")
    payload = {"email": email, "consent_at": context.now().isoformat(), "consent_version": CONSENT_VERSION}
    async with context.as_service() as connection:
        await refuse_too_many(connection, context)
        await api.enqueue(connection, "waiting_list_mail", payload)
    return api.JSONResponse({"state": "mail_sent"}, 202)


def plausible(email: object) -> str:
    """The address in lower case; whether it exists is for the mail to find out. Raises Refused 400."""
    if isinstance(email, str):
        address = email.strip().lower()
        if len(address) <= MAX_EMAIL_LENGTH and EMAIL.fullmatch(address):
            return address
    raise api.Refused(400, "validation_failed", "Email non valida")


async def refuse_too_many(connection: api.Connection, context: api.Context) -> None:
    """Counts this request; one caller at a time, so that a burst is counted right. Raises Refused 429."""
    caller = caller_digest(context)
    await connection.execute("select pg_advisory_xact_lock(hashtextextended('waiting_list ' || $1, 0))", caller)
    recent = await connection.fetchval(
        "select count(*) from private.waiting_list_requests where caller = $1 and requested_at > $2",
        caller,
        context.now() - timedelta(hours=1),
    )
    if recent >= REQUESTS_AN_HOUR:
        raise api.Refused(
            429, "over_request_rate_limit", "Troppe richieste: riprova tra un’ora", headers={"Retry-After": "3600"}
        )
    await connection.execute(
        "insert into private.waiting_list_requests (caller, requested_at) values ($1, $2)", caller, context.now()
    )


def caller_digest(context: api.Context) -> str:
    """The caller's address as a keyed digest of today; an IPv6 network of one household counts as one."""
    address = ip_address(context.client_ip) if context.client_ip else None
    if isinstance(address, IPv6Address):
        address = ip_network((address, 64), strict=False).network_address
    day = context.now().date().isoformat()
    return hmac.new(context.key("waiting_list"), f"{day} {address}".encode(), hashlib.sha256).hexdigest()[:32]


async def confirm(request: api.Request, context: api.Context) -> api.Response:
    """The address is its owner's; a second press says the same. Raises Refused 410 for a link of the past."""
    token_hash = await token_hash_of(request)
    async with context.as_service() as connection:
        known = await connection.fetchval(
            """
            update public.waiting_list set confirmed_at = coalesce(confirmed_at, $2)
            where token_hash = $1 returning true
            """,
            token_hash,
            context.now(),
        )
    if not known:
        raise link_expired()
    return api.JSONResponse({"state": "confirmed"})


async def leave(request: api.Request, context: api.Context) -> api.Response:
    """Forgets the address; a second press says the same. Raises Refused 410 for a token that led nowhere."""
    token_hash = await token_hash_of(request)
    async with context.as_service() as connection:
        await connection.execute(
            """
            with gone as (
              delete from public.waiting_list where token_hash = $1 or earlier_token_hashes @> array[$1::bytea]
              returning array_append(earlier_token_hashes, token_hash) as token_hashes
            )
            insert into private.waiting_list_left (token_hash, left_at) select unnest(token_hashes), $2 from gone
            """,
            token_hash,
            context.now(),
        )
        # A statement of its own: of two presses at once the second sees what the first has done.
        has_left = await connection.fetchval(
            "select exists (select from private.waiting_list_left where token_hash = $1)", token_hash
        )
    if not has_left:
        raise link_expired()
    return api.JSONResponse({"state": "left"})


def link_expired() -> api.Refused:
    """410: no address of the list was ever given this token, or it is long ago."""
    return api.Refused(410, "link_expired", "Questo link non vale più")


async def token_hash_of(request: api.Request) -> bytes:
    """What the list knows of the token in the body. Raises Refused 400."""
    token = (await api.json_object(request)).get("token")
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise api.Refused(400, "validation_failed", "Il link non è completo")
    return hashlib.sha256(token.encode()).digest()
