"""The mailbox's REST API, in the shapes of Mailpit's (https://mailpit.axllent.org/docs/api-v1/)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from email.headerregistry import Address
from functools import lru_cache
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from scripts.mailbox.store import MOST_MESSAGES, Mail, Store

SNIPPET_CHARACTERS = 250
DEFAULT_LIMIT = 50
MOST_BODY_BYTES = 64 * 1024


def routes() -> list[Route]:
    """Return the route table of the API."""
    return [
        Route("/api/v1/messages", list_messages, methods=["GET"]),
        Route("/api/v1/messages", delete_messages, methods=["DELETE"]),
        Route("/api/v1/message/{id}", show_message, methods=["GET"]),
        Route("/api/v1/message/{id}/headers", show_headers, methods=["GET"]),
        Route("/api/v1/message/{id}/raw", show_raw, methods=["GET"]),
        Route("/livez", live, methods=["GET"]),
    ]


def store_of(request: Request) -> Store:
    """Return the store of this app."""
    store: Store = request.app.state.store
    return store


def mail_of(request: Request) -> Mail:
    """Find the mail that the path names. Raises HTTPException 404."""
    mail = store_of(request).get(request.path_params["id"])
    if mail is None:
        raise HTTPException(404, "message not found")
    return mail


async def list_messages(request: Request) -> Response:
    """Newest first, `start` and `limit` as in Mailpit."""
    store = store_of(request)
    start = _number(request, "start", 0)
    limit = _number(request, "limit", DEFAULT_LIMIT)
    ids = store.ids()
    messages = list(_listed(store, ids[start : start + limit]))
    unread = store.unread()
    return JSONResponse(
        {
            "total": len(ids),
            "unread": unread,
            "count": len(messages),
            "messages_count": len(ids),
            "messages_unread": unread,
            "start": start,
            "tags": [],
            "messages": messages,
        }
    )


async def show_message(request: Request) -> Response:
    """One mail with its bodies; `latest` names the newest. Reading it marks it as read, as in Mailpit."""
    mail = mail_of(request)
    store_of(request).mark_read(mail.id)
    return JSONResponse(
        {
            **_envelope(mail),
            "Date": _moment(mail),
            "ReturnPath": "",
            "Text": mail.body("plain"),
            "HTML": mail.body("html"),
            "Inline": [],
            "Attachments": [
                {"FileName": part.get_filename() or "", "ContentType": part.get_content_type()}
                for part in mail.message.iter_attachments()
            ],
        }
    )


async def show_headers(request: Request) -> Response:
    """All headers: name to list of values."""
    headers: dict[str, list[str]] = {}
    for name, value in mail_of(request).message.items():
        headers.setdefault(name, []).append(str(value))
    return JSONResponse(headers)


async def show_raw(request: Request) -> Response:
    """Return the mail as it was received."""
    raw = store_of(request).raw(mail_of(request).id)
    return PlainTextResponse(raw or b"")


async def delete_messages(request: Request) -> Response:
    """Delete the mails of the body's `IDs`; delete all without a body."""
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MOST_BODY_BYTES:
            raise HTTPException(413, "the request is too large")
    try:
        wanted = json.loads(body).get("IDs") if body else None
    except (ValueError, AttributeError):
        raise HTTPException(400, "the body is not a JSON object") from None
    if wanted is not None and not (isinstance(wanted, list) and all(isinstance(each, str) for each in wanted)):
        raise HTTPException(400, "IDs must be a list of texts")
    store_of(request).delete(wanted or None)
    return PlainTextResponse("ok")


async def live(_: Request) -> Response:
    """For the supervisor."""
    return PlainTextResponse("ok")


def _listed(store: Store, ids: Iterable[str]) -> Iterator[dict[str, Any]]:
    for mail_id in ids:
        # Deleted while others were read.
        with suppress(FileNotFoundError):
            yield {**_summary(store, mail_id), "Read": store.is_read(mail_id)}


# A mail never changes, and tests list hundreds of them over and over: reading one takes milliseconds.
@lru_cache(maxsize=MOST_MESSAGES)
def _summary(store: Store, mail_id: str) -> dict[str, Any]:
    """Summarise a mail. Raises FileNotFoundError."""
    mail = store.get(mail_id)
    if mail is None:
        raise FileNotFoundError(mail_id)
    return {
        **_envelope(mail),
        "Created": _moment(mail),
        "Attachments": sum(1 for _ in mail.message.iter_attachments()),
        "Snippet": " ".join(mail.body("plain").split())[:SNIPPET_CHARACTERS],
    }


def _envelope(mail: Mail) -> dict[str, Any]:
    return {
        "ID": mail.id,
        "MessageID": mail.text("Message-ID").strip("<>"),
        "From": next(iter(_people(mail.addresses("From"))), None),
        "To": _people(mail.addresses("To")),
        "Cc": _people(mail.addresses("Cc")),
        "Bcc": _people(mail.addresses("Bcc")),
        "ReplyTo": _people(mail.addresses("Reply-To")),
        "Subject": mail.text("Subject"),
        "Username": "",
        "Tags": [],
        "Size": mail.size,
    }


def _people(addresses: Iterable[Address]) -> list[dict[str, str]]:
    return [{"Name": address.display_name, "Address": address.addr_spec} for address in addresses]


def _moment(mail: Mail) -> str:
    return mail.created.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _number(request: Request, name: str, default: int) -> int:
    given = request.query_params.get(name, "")
    return int(given) if given.isascii() and given.isdigit() and len(given) < 7 else default
