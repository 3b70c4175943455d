"""Send one push message to one device, if anything in it is still wanted.

What the push service answers (RFC 8030) decides: 404 and 410 delete the device, 413 is tried again with nothing but the
signal, 429 waits as long as it says, 5xx and silence wait like every service that is away. When a process dies after
sending, the message is sent again; the browser shows it in place of the first, without a sound.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import web_push

TIMEOUT_S = 60
SEND_TIMEOUT_S = 20
ANSWER_BYTES = 64 * 1024
# Nobody wants to be woken for yesterday's news.
KEPT_BY_SERVICE_S = 24 * 3600
WAIT_S = 60
LONGEST_WAIT_S = 24 * 3600
# A device that was off gets the newest message only.
TOPIC = "novita"


async def handler(payload: dict[str, Any], context: api.Context) -> None:
    """Ask again what is wanted, then send. Raises Away and PermanentError."""
    deliveries = [UUID(each) for each in payload["deliveries"]]
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.push_message($1, $2, $3)", UUID(payload["device"]), deliveries, context.now()
        )
    if row is None:
        return
    if row["quiet_until"] is not None:
        await later(context, payload, (row["quiet_until"] - context.now()).total_seconds())
        return
    browser = web_push.Browser(row["endpoint"], row["p256dh"], row["auth_secret"])
    told = json.dumps({"id": payload["deliveries"][0], "news": row["news"], "url": row["url"]}).encode()
    answer = await send(context, browser, told)
    if answer.status == 413:
        answer = await send(context, browser, b"")
    await settle(context, payload, answer)


async def send(context: api.Context, browser: web_push.Browser, content: bytes) -> api.Answer:
    """Hand a message, or the bare signal, to the push service. Raises Away when it cannot be reached."""
    headers = {
        "Authorization": web_push.authorization(context, browser.endpoint),
        "TTL": str(KEPT_BY_SERVICE_S),
        "Topic": TOPIC,
        "Urgency": "normal",
    }
    if content:
        headers |= {"Content-Encoding": "aes128gcm", "Content-Type": "application/octet-stream"}
    data = web_push.encrypted(content, browser) if content else None
    try:
        return await context.http.request(
            "POST", browser.endpoint, headers=headers, data=data, timeout_s=SEND_TIMEOUT_S, max_bytes=ANSWER_BYTES
        )
    except api.OutwardError as error:
        raise api.Away(f"The push service cannot be reached: {error}") from error


async def settle(context: api.Context, payload: dict[str, Any], answer: api.Answer) -> None:
    """Do what the answer asks for. Raises Away and PermanentError."""
    if answer.status in (404, 410):
        async with context.as_service() as connection:
            await connection.execute("delete from public.push_subscriptions where id = $1", UUID(payload["device"]))
    elif answer.status == 429:
        await later(context, payload, wait_s(answer, context.now()))
    elif answer.status >= 500:
        raise api.Away(f"The push service answered {answer.status}")
    elif answer.status >= 300:
        raise api.PermanentError(f"The push service answered {answer.status}")


async def later(context: api.Context, payload: dict[str, Any], delay_s: float) -> None:
    """Send it after a while, when what is wanted is asked again."""
    async with context.as_service() as connection:
        await api.enqueue(connection, "push_message", payload, delay_s=delay_s, user_id=context.user_id)


def wait_s(answer: api.Answer, now: datetime) -> float:
    """Read Retry-After, in seconds or as a date (RFC 9110 10.2.3); bounded."""
    text = next((value for name, value in answer.headers.items() if name.lower() == "retry-after"), "")
    try:
        asked = float(text) if text.isdigit() else (parsedate_to_datetime(text).astimezone(UTC) - now).total_seconds()
    except ValueError:
        asked = WAIT_S
    return min(max(asked, 1), LONGEST_WAIT_S)
