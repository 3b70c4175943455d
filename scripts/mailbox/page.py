"""The mailbox's page: a list and a reading view, without a line of script.

A mail is foreign content: its HTML stands in a sandboxed frame with a policy that lets it load nothing; only its
links work, in a new tab.
"""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from scripts.mailbox.api import mail_of, store_of
from scripts.mailbox.store import Mail

STYLE = Path(__file__).with_name("style.css")
PAGE_POLICY = (
    "default-src 'none'; style-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'"
)
MAIL_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'self'; frame-ancestors 'self'; "
    "sandbox allow-popups allow-popups-to-escape-sandbox"
)
HEADERS = {"x-content-type-options": "nosniff", "referrer-policy": "no-referrer", "cache-control": "no-store"}
LINK = re.compile(r"https?://[^\s<>\"']+")


def routes() -> list[Route]:
    """Return the route table of the pages."""
    return [
        Route("/", show_list, methods=["GET"]),
        Route("/messages/{id}", show_mail, methods=["GET"]),
        Route("/messages/{id}/html", show_html, methods=["GET"]),
        Route("/delete", delete_all, methods=["POST"]),
        Route("/style.css", style, methods=["GET"]),
    ]


async def show_list(request: Request) -> Response:
    """All mails, the newest first; the page looks again by itself."""
    store = store_of(request)
    mails = [mail for mail_id in store.ids() if (mail := store.get(mail_id))]
    if not mails:
        content = "<p class=empty>Nessun messaggio. Le email inviate da Socio compaiono qui.</p>"
    else:
        content = f"<ul>{''.join(map(_row, mails))}</ul>"
    button = "<form method=post action=/delete><button>Elimina tutti</button></form>" if mails else ""
    return _page("Posta di sviluppo", f"<header><h1>Posta di sviluppo</h1>{button}</header>{content}", refresh=True)


async def show_mail(request: Request) -> Response:
    """One mail: who, when, both bodies."""
    mail = mail_of(request)
    store_of(request).mark_read(mail.id)
    subject = escape(mail.text("Subject") or "(senza oggetto)")
    facts = "".join(
        f"<dt>{label}</dt><dd>{escape(mail.text(header))}</dd>"
        for label, header in (("Da", "From"), ("A", "To"), ("Rispondi a", "Reply-To"))
        if mail.text(header)
    )
    html = (
        f'<iframe title="Messaggio" src="/messages/{mail.id}/html"'
        ' sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>'
        if mail.body("html")
        else ""
    )
    text = f"<summary>Solo testo</summary><pre>{_linked(mail.body('plain'))}</pre>"
    text = f"<details{'' if html else ' open'}>{text}</details>"
    return _page(
        subject,
        f"<nav><a href=/>Tutti i messaggi</a></nav><header><h1>{subject}</h1></header>"
        f"<dl>{facts}<dt>Data</dt><dd>{_local(mail)}</dd></dl>{html}{text}",
    )


async def show_html(request: Request) -> Response:
    """Show only the HTML body, for the frame; links open in a new tab."""
    body = mail_of(request).body("html")
    return HTMLResponse(
        f'<!doctype html><base target="_blank">{body}', headers={**HEADERS, "content-security-policy": MAIL_POLICY}
    )


async def delete_all(request: Request) -> Response:
    """Delete all mails; refuse the form of another site."""
    if request.headers.get("origin") != f"http://{request.headers['host']}":
        raise HTTPException(403, "this form belongs to another page")
    store_of(request).delete()
    return RedirectResponse("/", status_code=303)


async def style(_: Request) -> Response:
    """Return the style sheet of both pages."""
    return FileResponse(STYLE, media_type="text/css", headers=HEADERS)


def _row(mail: Mail) -> str:
    people = ", ".join(address.addr_spec for address in mail.addresses("To")) or "(nessun destinatario)"
    state = "" if mail.read else " class=unread"
    return (
        f"<li{state}><a href=/messages/{mail.id}><strong>{escape(mail.text('Subject') or '(senza oggetto)')}</strong>"
        f"<span>{escape(people)}</span><time datetime={mail.created.isoformat()}>{_local(mail)}</time></a></li>"
    )


def _local(mail: Mail) -> str:
    return mail.created.astimezone().strftime("%d/%m/%Y %H:%M")


def _linked(text: str) -> str:
    """Escaped text in which web addresses can be followed."""
    parts, position = [], 0
    for found in LINK.finditer(text):
        address = escape(found[0].rstrip(".,;:!?)"))
        end = found.start() + len(found[0].rstrip(".,;:!?)"))
        parts.append(f'{escape(text[position : found.start()])}<a href="{address}" target="_blank">{address}</a>')
        position = end
    return "".join(parts) + escape(text[position:])


def _page(title: str, content: str, *, refresh: bool = False) -> HTMLResponse:
    again = '<meta http-equiv="refresh" content="5">' if refresh else ""
    return HTMLResponse(
        f'<!doctype html><html lang="it"><head><meta charset="utf-8"><title>{title}</title>{again}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<link rel="stylesheet" href="/style.css"></head><body><main>{content}</main></body></html>',
        headers={**HEADERS, "content-security-policy": PAGE_POLICY},
    )
