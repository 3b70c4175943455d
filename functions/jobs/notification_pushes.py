"""Push what is due of each person's notifications: one message for each of their devices.

The deliveries are marked in the transaction that enqueues the messages, so a process that dies loses none and enqueues
none twice.
"""

from datetime import timedelta
from typing import Any

from backend.edge import api

EVERY = timedelta(minutes=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Claim for one person in each transaction until nothing is due."""
    while await claim(context):
        pass


async def claim(context: api.Context) -> bool:
    """Enqueue what one person is told; False when nothing is due."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.claim_notification_push()")
        if row is None:
            return False
        deliveries = [str(each) for each in row["deliveries"]]
        for device in row["devices"]:
            payload = {"device": str(device), "deliveries": deliveries}
            await api.enqueue(connection, "push_message", payload, user_id=str(row["user_id"]))
    return True
