"""`/functions/v1/mail_login`: a mail account of Microsoft or Google, connected by its owner's login (OAuth).

    GET                         which providers the operator has set up
        200 {microsoft, google}     true or false
    POST {provider}             begin: where the person signs in
        200 {url}
        404 not_offered             the operator has set no client
        409 own_mailbox             another own mailbox is connected
    PUT {state, code}           end: exchange the code, try the mailbox, keep the account
    PUT {state, error}          the provider's refusal
        200 {id, address}
        400 access_denied           the person, or the provider, said no
        400 invalid_state           used, unknown, or another person's
        400 expired_state           begun more than ten minutes ago
        400 other_session           begun in another browser or session
        409 wrong_mailbox           another mailbox than the one that is connected again
        409 frozen                  the account is suspended
        422 no_permission, no_address, code_refused, auth, tls, unreachable, busy, refused
        503 provider_unavailable    the provider does not answer
    429 too_many_requests       a moment after the last one

A state is used once, whatever comes of it. Nothing is kept before the mailbox let us in, to send and to read.
"""

from __future__ import annotations

import secrets
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import mail_logins, requests, returns, shared_sender, smtp
from functions._shared.received_mail import mailbox

TIMEOUT_S = 120
BODY_LIMIT_BYTES = 16 * 1024
PAUSE_S = 2
MAX_NAME = 200
REFUSALS = {
    "auth": "{name} ti ha fatto entrare, ma la casella non si apre ai programmi: attiva IMAP e «SMTP autenticato» "
    "nelle sue impostazioni, o chiedilo a chi gestisce il dominio",
    "tls": "Il server di {name} non offre un collegamento cifrato valido: riprova più tardi",
    "unreachable": "Il server di posta di {name} non risponde: riprova tra qualche minuto",
    "busy": "Il server di posta di {name} è occupato: riprova tra qualche minuto",
    "refused": "Il server di posta di {name} ha rifiutato il collegamento",
    "bad_address": "Il server di posta di {name} non accetta il tuo indirizzo",
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 409, 422, 429 and 503."""
    requests.only(request, "GET", "POST", "PUT")
    user_id = UUID(requests.caller(context))
    if request.method == "GET":
        offered = {key: mail_logins.provider(context, key) is not None for key in mail_logins.KNOWN}
        return api.JSONResponse(offered, headers={"Cache-Control": "no-store"})
    body = await api.json_object(request)
    if await context.call("private.take_lease", user_id, f"mail login {request.method}", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    if request.method == "POST":
        return await begin(context, user_id, body)
    return await end(context, user_id, body)


async def begin(context: api.Context, user_id: UUID, body: dict[str, Any]) -> api.Response:
    """Keep a state of this session and return where the person signs in."""
    provider = mail_logins.provider(context, str(body.get("provider")))
    if provider is None:
        raise api.Refused(
            404, "not_offered", "Su questo server questo accesso non è attivo: chiedilo a chi lo gestisce"
        )
    state = secrets.token_urlsafe(32)
    try:
        address = await context.call(
            "private.begin_mail_login", user_id, provider.key, returns.state_hash(state), requests.session_of(context)
        )
    except asyncpg.PostgresError as error:
        if error.sqlstate != "SM018":
            raise
        raise api.Refused(409, "own_mailbox", "Hai già una casella collegata: scollegala prima") from error
    url = mail_logins.authorize_url(context, provider, state, address)
    return api.JSONResponse({"url": url}, headers={"Cache-Control": "no-store"})


async def end(context: api.Context, user_id: UUID, body: dict[str, Any]) -> api.Response:
    """Use the state up, then connect the mailbox that signed in."""
    state = str(body.get("state") or "")
    provider, expected = await take(context, user_id, state)
    if body.get("error"):
        told = {"access_denied": f"Non hai dato il permesso: la casella di {provider.name} non è collegata"}
        reason = str(body["error"])[:60]
        context.log.info("mail login refused", extra={"provider": provider.key, "cause": reason})
        raise api.Refused(
            400,
            "access_denied",
            told.get(reason, f"{provider.name} ha rifiutato l’accesso: riprova tra qualche minuto"),
        )
    tokens = await exchanged(context, provider, str(body.get("code") or ""), state)
    address = None
    try:
        address = checked(context, provider, tokens, state, expected)
        account_id = await connect(context, user_id, provider, tokens, address)
    except api.Refused:
        # What is not kept is given back.
        if provider.revoke_url and tokens.refresh:
            sealed = context.seal(mail_logins.PURPOSE, user_id, tokens.refresh)
            await context.call("private.revoke_mail_token", user_id, address or expected, sealed)
        raise
    return api.JSONResponse({"id": str(account_id), "address": address}, headers={"Cache-Control": "no-store"})


async def take(context: api.Context, user_id: UUID, state: str) -> tuple[mail_logins.Provider, str | None]:
    """Use a state up; return its provider and the mailbox that must come back. Raises Refused 400, 404."""
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.take_mail_login($1, $2, $3)",
            user_id, returns.state_hash(state), requests.session_of(context),
        )  # fmt: skip
    if row is None:
        raise api.Refused(400, "invalid_state", "Questo accesso è già stato usato o non è tuo: ricomincia da «Collega»")
    if row["is_expired"]:
        raise api.Refused(400, "expired_state", "Sono passati più di dieci minuti: ricomincia da «Collega»")
    if not row["is_same_session"]:
        raise api.Refused(400, "other_session", "L’accesso era cominciato in un’altra sessione: ricomincia da qui")
    provider = mail_logins.provider(context, row["provider"])
    if provider is None:
        raise api.Refused(404, "not_offered", "Su questo server questo accesso non è più attivo")
    return provider, row["address"]


async def exchanged(context: api.Context, provider: mail_logins.Provider, code: str, state: str) -> mail_logins.Tokens:
    """Exchange the code. Raises Refused 422, 503."""
    try:
        return await mail_logins.exchange(context, provider, code, state)
    except mail_logins.Gone as error:
        raise api.Refused(
            422, "code_refused", f"{provider.name} non accetta più questo accesso: ricomincia da «Collega»"
        ) from error
    except mail_logins.Unavailable as error:
        context.log.warning("mail login not exchanged", extra={"provider": provider.key, "cause": str(error)})
        raise api.Refused(
            503, "provider_unavailable", f"{provider.name} adesso non risponde: ricomincia tra qualche minuto"
        ) from error


def checked(
    context: api.Context, provider: mail_logins.Provider, tokens: mail_logins.Tokens, state: str, expected: str | None
) -> str:
    """Return the address of the mailbox, with all permissions given. Raises Refused 409, 422."""
    if not tokens.refresh or not tokens.scopes.issuperset(provider.needed):
        raise api.Refused(
            422,
            "no_permission",
            f"{provider.name} non ha dato tutti i permessi: ricomincia e lascia ogni casella spuntata",
        )
    try:
        address = mail_logins.identity(context, provider, tokens, state)
    except mail_logins.BadIdentity as error:
        context.log.warning("mail login without identity", extra={"provider": provider.key, "cause": str(error)})
        raise api.Refused(
            422, "no_address", f"{provider.name} non ha detto con certezza di quale casella si tratta: riprova"
        ) from error
    if expected is not None and address.lower() != expected:
        raise api.Refused(
            409,
            "wrong_mailbox",
            f"Hai scelto {address}, ma è collegata {expected}: ricomincia e scegli quella, o prima scollegala",
        )
    return address


async def connect(
    context: api.Context, user_id: UUID, provider: mail_logins.Provider, tokens: mail_logins.Tokens, address: str
) -> UUID:
    """Enter the mailbox to send and to read, then keep the account. Raises Refused 422."""
    send, read = provider.smtp, provider.imap
    server = smtp.Server(send.host, send.port, send.security, address, tokens.access, address, None, is_token=True)
    inbox = mailbox.Server(read.host, read.port, read.security, address, tokens.access, is_token=True)
    try:
        async with smtp.session(context, server):
            pass
        async with mailbox.session(context, inbox):
            pass
    except (smtp.Failure, mailbox.Failure) as failure:
        told = REFUSALS[failure.code].format(name=provider.name)
        reply = f". Ha risposto: {failure.reply[:200]}" if failure.reply else ""
        raise api.Refused(422, failure.code, told + reply) from failure
    try:
        return await keep(context, user_id, provider, tokens, address)
    except asyncpg.PostgresError as error:
        if error.sqlstate != "SD001":
            raise
        raise api.Refused(
            409, "frozen", "Il tuo account è sospeso: potrai collegare una casella quando è di nuovo attivo"
        ) from error


async def keep(
    context: api.Context, user_id: UUID, provider: mail_logins.Provider, tokens: mail_logins.Tokens, address: str
) -> UUID:
    """Keep the account, and have its mail read and sent."""
    send, read = provider.smtp, provider.imap
    name = (await shared_sender.state_of(context, user_id))["name"]
    async with context.as_service() as connection:
        former = await connection.fetchrow(
            "select from_name, signature, from_address from public.mail_accounts where user_id = $1 and not is_shared",
            user_id,
        )
        account_id: UUID = await connection.fetchval(
            "select private.save_mail_account($1, $2, $3, $4, $5, $6, $7, $8, $9, false, $10, $11, $12)",
            user_id, send.host, send.port, send.security, address,
            former["from_address"] if former else address,
            former["from_name"] if former else (name or "")[:MAX_NAME] or None,
            former["signature"] if former else None,
            context.seal(mail_logins.PURPOSE, user_id, tokens.refresh), provider.key,
            context.seal(mail_logins.PURPOSE, user_id, tokens.access), tokens.expires_at,
        )  # fmt: skip
        await connection.execute(
            "select private.save_mail_inbox($1, $2, $3, $4, $5)",
            user_id, read.host, read.port, read.security, former is None,
        )  # fmt: skip
        for job in ("mail_fetch", "mail_outbox"):
            await api.enqueue(connection, job, {"user_id": str(user_id)}, user_id=str(user_id))
    return account_id
