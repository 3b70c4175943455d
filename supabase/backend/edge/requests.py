"""A function's request, bounded: no body longer than the function allows, none that drips."""

from __future__ import annotations

import asyncio

from starlette.types import Message, Receive, Scope

from backend.core.errors import ApiError, Code
from backend.core.http import BODY_TIMEOUT_S


def bounded(scope: Scope, receive: Receive, limit_bytes: int) -> Receive:
    """What a function receives from. Raises ApiError 413 now or while it is read, 408 when it is sent too slowly."""
    too_large = ApiError(413, Code.REQUEST_ENTITY_TOO_LARGE, f"The body is limited to {limit_bytes} bytes")
    announced = next((value for name, value in scope["headers"] if name == b"content-length"), b"")
    if announced.isdigit() and int(announced) > limit_bytes:
        raise too_large
    received = 0
    whole = False

    async def receive_bounded() -> Message:
        nonlocal received, whole
        if whole:  # what comes now is the end of the connection
            return await receive()
        try:
            async with asyncio.timeout(BODY_TIMEOUT_S):
                message = await receive()
        except TimeoutError as error:
            raise ApiError(408, Code.REQUEST_TIMEOUT, "The body arrived too slowly", cause=error) from error
        received += len(message.get("body", b""))
        if received > limit_bytes:
            raise too_large
        whole = not message.get("more_body", False)
        return message

    return receive_bounded
