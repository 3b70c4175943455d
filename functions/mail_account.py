"""`/functions/v1/mail_account`: a person's own mail server, connected and tried, or the operator's shared sender.

    GET                             what the shared sender offers the caller
        200 {is_offered, sender, name, reply_to, takes_answers, left, resumes_at, pause_reason, paused_until}
                                    not offered: the operator has set none; reply_to null: the login is not confirmed
    PUT {is_shared: true}
        200 {id}                    mails leave by the shared sender, without a password
        404 not_offered
        409 unconfirmed, own_mailbox, frozen
    PUT {host, port, security, username, password, from_address, from_name, signature, imap, is_certified}
        200 {id}                    signed in with these, and kept; the password rests encrypted
                                    imap {host, port, security}: mail is read there with the same name and password
                                    is_certified: a mailbox of certified mail (PEC)
        400 validation_failed       a value that is none
        422 auth, tls, unreachable, busy, refused    what the server, or the way to it, refused
    POST                            send a test mail to the account's own address, or to the login address
        200 {recipient}
        404 not_connected           no account is connected
        422 as above
    429 too_many_requests           a moment after the last one

An account is disconnected in its table, by its owner: its password goes with it.
"""

from __future__ import annotations

import re
from email.utils import make_msgid
from typing import Any
from uuid import UUID

import asyncpg

from backend.edge import api
from functions._shared import mail_logins, requests, shared_sender, smtp
from functions._shared.received_mail import address, mailbox

TIMEOUT_S = 120
BODY_LIMIT_BYTES = 16 * 1024
PAUSE_S = 3
# A test mail by the shared sender burdens everybody.
SHARED_PAUSE_S = 60
HOST = re.compile(r"[A-Za-z0-9.:-]{1,253}")
IMAP_REFUSALS = {
    "auth": "Il server IMAP non accetta nome utente o password",
    "tls": "Il server IMAP non offre un collegamento cifrato valido su questa porta",
    "unreachable": "Il server IMAP non risponde a questo indirizzo e a questa porta",
    "refused": "Il server IMAP ha rifiutato il collegamento",
}
REFUSALS = {
    "auth": "Il server non accetta nome utente o password",
    "tls": "Il server non offre un collegamento cifrato valido su questa porta",
    "unreachable": "Il server non risponde a questo indirizzo e a questa porta",
    "busy": "Il server è occupato: riprova tra qualche minuto",
    "refused": "Il server ha rifiutato il messaggio",
    "bad_address": "Il server non accetta il tuo indirizzo",
}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 409, 422 and 429."""
    requests.only(request, "GET", "PUT", "POST")
    user_id = UUID(requests.caller(context))
    if request.method == "GET":
        return await shared(context, user_id)
    body = await api.json_object(request) if request.method == "PUT" else {}
    # Nobody tries passwords through us.
    if await context.call("private.take_lease", user_id, "mail account", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    if request.method == "PUT":
        is_shared = body.get("is_shared") is True
        return await (share(context, user_id) if is_shared else connect(context, user_id, body))
    return await try_out(context, user_id)


async def shared(context: api.Context, user_id: UUID) -> api.Response:
    """Say what the shared sender offers."""
    sender = shared_sender.sender(context)
    state = await shared_sender.state_of(context, user_id)
    resumes_at, paused_until = state["resumes_at"], state["paused_until"]
    return api.JSONResponse(
        {
            "is_offered": sender is not None,
            "sender": sender,
            "name": shared_sender.display_name(state["name"]),
            "reply_to": state["reply_to"],
            "takes_answers": address.domain(context) is not None,
            "left": state["remaining"],
            "resumes_at": resumes_at and resumes_at.isoformat(),
            "pause_reason": state["pause_reason"],
            "paused_until": paused_until and paused_until.isoformat(),
        },
        headers={"Cache-Control": "no-store"},
    )


async def share(context: api.Context, user_id: UUID) -> api.Response:
    """Have mails leave by the shared sender."""
    sender = shared_sender.sender(context)
    if sender is None:
        raise api.Refused(
            404, "not_offered", "Su questo server non si può inviare tramite Socio: collega la tua casella"
        )
    try:
        account_id = await context.call("private.save_shared_account", user_id, sender)
    except asyncpg.PostgresError as error:
        frozen = (409, "frozen", "Il tuo account è sospeso: potrai inviare quando è di nuovo attivo")
        refusal = frozen if error.sqlstate == "SD001" else shared_sender.refusal(error)
        if refusal is None:
            raise
        raise api.Refused(*refusal) from error
    return api.JSONResponse({"id": str(account_id)})


async def connect(context: api.Context, user_id: UUID, body: dict[str, Any]) -> api.Response:
    """Sign in, then keep the account."""
    server = asked(body)
    inbox = asked_inbox(body, server)
    signature = text(body, "signature", 2000, is_long=True)
    try:
        async with smtp.session(context, server):
            pass
        if inbox is not None:
            async with mailbox.session(context, inbox):
                pass
    except (smtp.Failure, mailbox.Failure) as failure:
        raise refused(failure) from failure
    async with context.as_service() as connection:
        former = await connection.fetchrow("select * from private.mail_account_of($1)", user_id)
    account_id = await context.call(
        "private.save_mail_account", user_id, server.host, server.port, server.security, server.username,
        server.from_address, server.from_name, signature, context.seal(smtp.PURPOSE, user_id, server.password),
        server.is_certified,
    )  # fmt: skip
    is_other = former is not None and former["username"] != server.username
    place = (None, None, None) if inbox is None else (inbox.host, inbox.port, inbox.security)
    await context.call("private.save_mail_inbox", user_id, *place, is_other)
    if inbox is not None:
        async with context.as_service() as connection:
            await api.enqueue(connection, "mail_fetch", {"user_id": str(user_id)}, user_id=str(user_id))
    return api.JSONResponse({"id": str(account_id)})


async def try_out(context: api.Context, user_id: UUID) -> api.Response:
    """Send a mail to the person."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.mail_account_of($1)", user_id)
    if row is None:
        raise api.Refused(404, "not_connected", "Non hai ancora collegato una casella")
    try:
        server = await shared_sender.server_of(context, user_id, dict(row))
    except smtp.Failure as failure:
        if row["provider"] is not None and failure.code == "auth":
            name = mail_logins.KNOWN[row["provider"]].name
            raise api.Refused(422, "auth", f"Accesso scaduto: ricollega {name}") from failure
        raise refused(failure) from failure
    if server is None:
        raise api.Refused(404, "not_offered", "L’invio tramite Socio adesso non è disponibile: collega la tua casella")
    if server.is_shared and await context.call("private.take_lease", user_id, "shared trial", SHARED_PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Hai appena provato: aspetta un minuto e riprova")
    recipient = server.reply_to or server.from_address
    letter = server.letter(
        recipient,
        "Prova da Socio",
        "Se leggi questa email, Socio può inviare a nome tuo: i destinatari vedono questo mittente.\n",
        make_msgid(domain=server.from_address.rpartition("@")[2]),
    )
    letter["Date"] = context.now()
    try:
        async with smtp.session(context, server) as client:
            await client.mail(server.from_address)
            await client.rcpt(recipient)
            await smtp.send_content(client, letter.as_bytes())
    except (smtp.Failure, smtp.Uncertain) as error:
        cause = error if isinstance(error, smtp.Failure) else smtp.Failure("unreachable")
        if cause.code == "auth" and server.is_token:
            await context.call("private.drop_mail_access", user_id)
        await context.call("private.note_mail_account", user_id, cause.code, cause.reply)
        raise refused(cause) from error
    await context.call("private.note_mail_account", user_id, None, None)
    return api.JSONResponse({"recipient": recipient})


def asked(body: dict[str, Any]) -> smtp.Server:
    """Read the account. Raises Refused 400."""
    host, port, security = endpoint(body, "smtps.aruba.it", "465 o 587")
    address = text(body, "from_address", 254)
    username, password = text(body, "username", 320), body.get("password")
    if address is None or not smtp.ADDRESS.fullmatch(address):
        raise invalid("Scrivi il tuo indirizzo email")
    if username is None or not isinstance(password, str) or not 0 < len(password) <= 1000:
        raise invalid("Scrivi nome utente e password")
    name, is_certified = text(body, "from_name", 200), body.get("is_certified") is True
    return smtp.Server(host, port, security, username, password, address, name, is_certified)


def asked_inbox(body: dict[str, Any], account: smtp.Server) -> mailbox.Server | None:
    """Read where mail is read; None when it is not. Raises Refused 400."""
    inbox = body.get("imap")
    if inbox is None:
        return None
    if not isinstance(inbox, dict):
        raise invalid("Scrivi il server IMAP e la sua porta")
    return mailbox.Server(*endpoint(inbox, "imaps.aruba.it", "993"), account.username, account.password)


def endpoint(body: dict[str, Any], host_example: str, usual_ports: str) -> tuple[str, int, str]:
    """Read a host, a port and how the connection is encrypted. Raises Refused 400."""
    host, port, security = text(body, "host", 253), body.get("port"), body.get("security")
    if host is None or not HOST.fullmatch(host):
        raise invalid(f"Scrivi il nome del server, per esempio {host_example}")
    if not isinstance(port, int) or isinstance(port, bool) or not 1 <= port <= 65535:
        raise invalid(f"Scrivi la porta del server, di solito {usual_ports}")
    if security not in ("tls", "starttls"):
        raise invalid("Scegli come cifrare il collegamento")
    return host.lower(), port, security


def text(body: dict[str, Any], name: str, most: int, *, is_long: bool = False) -> str | None:
    """Read a text; None for an empty one. Raises Refused 400."""
    value = body.get(name)
    if value is None:
        return None
    if not isinstance(value, str) or len(value) > most or (not is_long and not value.isprintable()):
        raise invalid("Un campo è troppo lungo o contiene caratteri che non si possono usare")
    return value.strip() or None


def invalid(message: str) -> api.Refused:
    """Make the refusal of a value."""
    return api.Refused(400, "validation_failed", message)


def refused(failure: smtp.Failure | mailbox.Failure) -> api.Refused:
    """Make the refusal of what the server said, with its own words."""
    told = (IMAP_REFUSALS if isinstance(failure, mailbox.Failure) else REFUSALS)[failure.code]
    return api.Refused(422, failure.code, f"{told}. Ha risposto: {failure.reply[:200]}" if failure.reply else told)
