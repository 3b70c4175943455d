"""A stateful fake of Stripe for development and for tests of faults.

`python -m scripts.fakes` serves it on loopback. Its environment tells it everything: STRIPE_API_BASE (its own address),
STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRETS (the same the product has), FAKE_STRIPE_WEBHOOK_URL and FAKE_STRIPE_STATE
(the file it remembers in).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from tests.fakes.stripe import answers, api, control, page, payments
from tests.fakes.stripe.account import Account
from tests.fakes.stripe.webhooks import Sender

EXPIRY_CHECK_S = 5.0


def create_app(
    account: Account, *, url: str, secret_key: str, webhook_url: str, webhook_secrets: tuple[str, ...]
) -> Starlette:
    """Make the fake; it sends webhooks while its lifespan lasts."""
    sender = Sender(account, webhook_url, webhook_secrets)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        chores = [asyncio.create_task(sender.run()), asyncio.create_task(keep_expiring(account, sender))]
        yield
        for chore in chores:
            chore.cancel()
            with suppress(asyncio.CancelledError):
                await chore

    app = Starlette(
        routes=[*api.routes(), *control.routes(), *page.routes(), Route("/livez", live)],
        # No website can reach it by DNS rebinding.
        middleware=[Middleware(TrustedHostMiddleware, allowed_hosts=["127.0.0.1", "localhost"], www_redirect=False)],
        exception_handlers={answers.Wrong: lost},
        lifespan=lifespan,
    )
    app.state.account, app.state.url, app.state.secret_key = account, url, secret_key
    app.state.wake = sender.wake
    return app


async def keep_expiring(account: Account, sender: Sender) -> None:
    """End checkouts that nobody completed in their time."""
    while True:
        late = [each for each in account.all("checkout.session", status="open") if each["expires_at"] <= account.now()]
        for session in late:
            payments.expire(account, session)
        if late:
            account.save()
            sender.wake()
        await asyncio.sleep(EXPIRY_CHECK_S)


async def live(_: Request) -> Response:
    """For the supervisor."""
    return PlainTextResponse("ok")


async def lost(_request: Request, _error: Exception) -> Response:
    """Answer for a checkout that does not exist."""
    return PlainTextResponse("Questa pagina di pagamento non esiste.", 404)


def of_environment(environ: Mapping[str, str]) -> Starlette:
    """Make the fake that the environment describes."""
    return create_app(
        Account.load(Path(environ["FAKE_STRIPE_STATE"])),
        url=environ["STRIPE_API_BASE"],
        secret_key=environ["STRIPE_SECRET_KEY"],
        webhook_url=environ["FAKE_STRIPE_WEBHOOK_URL"],
        webhook_secrets=tuple(environ["STRIPE_WEBHOOK_SECRETS"].split(",")),
    )
