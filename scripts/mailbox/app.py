"""The development mailbox: an SMTP server and a web page on loopback, mails in the home folder."""

from __future__ import annotations

import asyncio
from typing import Any

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, Session
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware

from scripts.mailbox import api, page
from scripts.mailbox.store import Store

LARGEST_MAIL_BYTES = 10 * 1024 * 1024


class Receiver:
    """aiosmtpd's handler: takes mail for anybody."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def handle_DATA(self, _server: SMTP, _session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Store the mail; aiosmtpd gives the method its name."""
        content = envelope.content
        self._store.add(content if isinstance(content, bytes) else (content or "").encode())
        return "250 OK"


def create_app(store: Store) -> Starlette:
    """Page and API. Only loopback names are answered, so that no website can read the mails by DNS rebinding."""
    hosts = Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"], www_redirect=False)
    app = Starlette(routes=[*api.routes(), *page.routes()], middleware=[hosts])
    app.state.store = store
    return app


async def listen(store: Store, smtp_port: int) -> asyncio.Server:
    """Open the SMTP server on loopback."""
    # A person's mail account may be this mailbox, with any password.
    return await listening(Receiver(store), smtp_port, authenticator=lambda *_: AuthResult(success=True))


async def listening(receiver: Receiver, smtp_port: int, **options: Any) -> asyncio.Server:
    """Hand mails that come to this port of loopback to a receiver."""
    return await asyncio.get_running_loop().create_server(
        lambda: SMTP(
            receiver,
            data_size_limit=LARGEST_MAIL_BYTES,
            enable_SMTPUTF8=True,
            hostname="localhost",
            auth_require_tls=False,
            **options,
        ),
        "127.0.0.1",
        smtp_port,
    )
