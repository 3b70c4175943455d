"""The fake's webhooks: each copy of an event is signed and sent until somebody says 2xx, as Stripe does, only sooner.

https://docs.stripe.com/webhooks#verify-manually: `t` is the time, each `v1` an HMAC-SHA256 of `t.body`; while a
secret is being changed there are two of them.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import logging
from contextlib import suppress

from tests.fakes.stripe.account import Account, Delivery, Object

logger = logging.getLogger("fakes.stripe")

MOST_ATTEMPTS = 16
FIRST_DELAY_S = 0.25
LONGEST_DELAY_S = 60.0
ENDED = 299


def body_of(event: Object, *, forged: bool = False) -> bytes:
    """The bytes that are sent and signed."""
    if forged:
        about = event["data"]["object"]
        event = {**event, "id": f"{event['id']}_f", "data": {"object": {**about, "amount_total": 10}}}
    return json.dumps(event, indent=2, ensure_ascii=False).encode()


def signature(body: bytes, secrets: tuple[str, ...], timestamp: int) -> str:
    """The header `Stripe-Signature`."""
    signed = f"{timestamp}.".encode() + body
    values = [hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={value}" for value in values)])


class Sender:
    """Sends what is due; woken when there is something new."""

    def __init__(self, account: Account, url: str, secrets: tuple[str, ...]) -> None:
        self._account = account
        self._url = url
        self._secrets = secrets
        self._news = asyncio.Event()
        self._running: set[asyncio.Task[None]] = set()

    def wake(self) -> None:
        """Something happened to the account."""
        self._news.set()

    async def run(self) -> None:
        """Sends until it is cancelled."""
        try:
            while True:
                self._news.clear()
                for due in self._due():
                    due.due_at = self._account.now() + LONGEST_DELAY_S  # not twice at once
                    task = asyncio.create_task(self._send(due))
                    self._running.add(task)
                    task.add_done_callback(self._running.discard)
                with suppress(TimeoutError):
                    # Not wait_for, which loses a cancellation that comes with the news (until Python 3.12).
                    async with asyncio.timeout(self._pause_s()):
                        await self._news.wait()
        finally:
            for task in self._running:
                task.cancel()

    def _waiting(self) -> list[Delivery]:
        return [each for each in self._account.deliveries.values() if each.status is None]

    def _due(self) -> list[Delivery]:
        moment = self._account.now()
        return [each for each in self._waiting() if each.due_at <= moment]

    def _pause_s(self) -> float:
        next_at = min((each.due_at for each in self._waiting()), default=self._account.now() + LONGEST_DELAY_S)
        return max(next_at - self._account.now(), 0.0)

    async def _send(self, due: Delivery) -> None:
        # Loaded by the first sale: its client takes 8 MB and a quarter of a second, and most stacks sell nothing.
        from tests.fakes.stripe import delivery

        event = self._account.objects[due.event_id]
        body = body_of(event, forged=due.forged)
        secrets = ("whsec_of_nobody",) if due.forged else self._secrets
        header = signature(body, secrets, int(self._account.now()))
        headers = {"Stripe-Signature": header, "Content-Type": "application/json; charset=utf-8"}
        status = await delivery.post(self._url, body, headers)
        due.attempts += 1
        over = 200 <= status <= ENDED or due.attempts >= MOST_ATTEMPTS or due.forged
        due.status = status if over else None
        due.due_at = self._account.now() + min(FIRST_DELAY_S * 2**due.attempts, LONGEST_DELAY_S)
        self._account.save()
        self.wake()
        logger.info("%s answered %s (attempt %s)", event["type"], status or "nothing", due.attempts)
