"""`python -m scripts.fakes`: what a development stack has instead of the world, on loopback, in one process.

The mailbox catches every mail. The fake Stripe takes test cards where the environment describes it
(`services.fake_payments`), the fake Meta WhatsApp messages, the fake Microsoft mail logins. Each would need an
interpreter of 30 MB of its own.
"""

from __future__ import annotations

import asyncio
import imaplib
import logging
import os
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from backend.core import config, quiet
from backend.core.config import Settings
from scripts.mailbox import app as mailbox
from scripts.mailbox.store import Store
from tests.fakes import imap, mail_provider
from tests.fakes.meta import server as meta
from tests.fakes.stripe import app as stripe


async def serve(settings: Settings, environ: Mapping[str, str]) -> None:
    """Serve until the process is told to stop."""
    store = Store(settings.home / "mailbox")
    async with (
        await mailbox.listen(store, settings.local_smtp.smtp_port),
        _meta(settings, environ),
        _mail_logins(store, environ),
    ):
        await quiet.serve(*_servers(settings, store, environ))


@asynccontextmanager
async def _meta(settings: Settings, environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Serve the fake Meta where the environment has one."""
    if "WHATSAPP_SANDBOX" not in environ:
        yield
        return
    url = environ["WHATSAPP_SANDBOX"]
    print(f"fake WhatsApp, to play the client: {url}", flush=True)
    async with meta.listening(urlsplit(url).port or 80, settings.home / "fake-meta.json"):
        yield


class LoginReceiver(mailbox.Receiver, mail_provider.TokenAuth):
    """The mailbox for mails of people with a login."""


@asynccontextmanager
async def _mail_logins(store: Store, environ: Mapping[str, str]) -> AsyncIterator[None]:
    """Serve the fake Microsoft with its mail servers where the environment has one."""
    if not environ.get(mail_provider.SETTING):
        yield
        return
    url, smtp_port, imap_port = environ[mail_provider.SETTING].split()
    async with (
        mail_provider.serving(urlsplit(url).port or 80) as provider,
        imap.serving("", int(imap_port)) as box,
    ):
        # Only mail of the last days waits for an answer.
        box.internal_date = imaplib.Time2Internaldate(time.time()).strip('"')
        receiver = LoginReceiver(store)
        receiver.provider, box.lets_in, provider.deliver = provider, provider.lets_in, box.add
        async with await mailbox.listening(receiver, int(smtp_port)):
            yield


def _servers(settings: Settings, store: Store, environ: Mapping[str, str]) -> Iterator[uvicorn.Config]:
    yield _on_loopback(mailbox.create_app(store), settings.local_smtp.port)
    if "FAKE_STRIPE_STATE" in environ:
        url = environ["STRIPE_API_BASE"]
        print(f"fake Stripe, no real money: {url}", flush=True)
        yield _on_loopback(stripe.of_environment(environ), urlsplit(url).port or 80)


def _on_loopback(app: ASGIApp, port: int) -> uvicorn.Config:
    return uvicorn.Config(app, host="127.0.0.1", port=port, log_level="warning", timeout_graceful_shutdown=2)


if __name__ == "__main__":
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    asyncio.run(serve(config.load(), os.environ))
