"""Stripe through its official package, over our own way out: bounded in time and size, and never blocking.

`STRIPE_API_BASE` is another address of the API, for the fake of a developer's machine; the way out refuses one on
loopback wherever the product is reached by https.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

import stripe

from backend.edge import api

TIMEOUT_S = 12.0
RETRIES = 2


# The package leaves this one constructor without types.
unreachable: Callable[..., stripe.APIConnectionError] = stripe.APIConnectionError


class Transport(stripe.HTTPClient):
    """Carries the package's requests."""

    name = "socio"

    def __init__(self, context: api.Context) -> None:
        super().__init__()
        self._outward = context.http

    async def request_async(
        self, method: str, url: str, headers: Mapping[str, str], post_data: Any = None
    ) -> tuple[bytes, int, Mapping[str, str]]:
        """One request. Raises APIConnectionError."""
        try:
            answer = await self._outward.request(method, url, headers=headers, data=post_data, timeout_s=TIMEOUT_S)
        except api.OutwardError as error:
            raise unreachable(str(error), should_retry=True) from error
        # The package asks for some names in small letters and for others not.
        lower = {name.lower(): value for name, value in answer.headers.items()}
        return answer.body, answer.status, {**answer.headers, **lower}

    async def sleep_async(self, secs: float) -> None:
        """Between two attempts."""
        await asyncio.sleep(secs)

    async def close_async(self) -> None:
        """Nothing is kept open."""


def connect(context: api.Context) -> stripe.StripeClient:
    """The account of this installation. Raises MissingSecret."""
    base = context.secret("STRIPE_API_BASE") if context.has_secret("STRIPE_API_BASE") else stripe.DEFAULT_API_BASE
    return stripe.StripeClient(
        context.secret("STRIPE_SECRET_KEY"),
        base_addresses={"api": base},
        max_network_retries=RETRIES,
        http_client=Transport(context),
    )


def refuse_job(error: stripe.StripeError) -> NoReturn:
    """What a job does about it: waits while Stripe is away or busy, gives up when it said no."""
    if isinstance(error, stripe.APIConnectionError | stripe.RateLimitError) or (error.http_status or 0) >= 500:
        raise api.Away(str(error)) from error
    raise api.PermanentError(str(error)) from error


def plain(made: stripe.StripeObject) -> dict[str, Any]:
    """What Stripe said, as the JSON that it came in: its objects are not dictionaries."""
    told: dict[str, Any] = json.loads(str(made))
    return told
