"""How an answer reaches the client: at its pace, or cut, stalled or spoiled."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from starlette.types import Receive, Scope, Send

from tests.fakes.llm.frames import Frame
from tests.fakes.llm.script import Answer, Fake, Received

GARBAGE = 'event: content_block_delta\ndata: {"choices": [{"delta": {"content": \n\n'


class Cut(Exception):
    """The connection ends here, in the middle."""


@dataclass
class Delivery:
    """An ASGI answer that may be left unfinished, at which uvicorn closes the connection."""

    fake: Fake
    received: Received
    answer: Answer
    frames: Iterator[Frame]
    media_type: str

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Sends until the end, the cut, or until the client has gone."""
        sending = asyncio.create_task(self._send(send))
        leaving = asyncio.create_task(_left(receive))
        await asyncio.wait({sending, leaving}, return_when=asyncio.FIRST_COMPLETED)
        self.received.state = "left"
        if sending.done():
            self.received.state = "cut" if isinstance(sending.exception(), Cut) else "done"
        for task in (sending, leaving):
            task.cancel()
        await asyncio.gather(sending, leaving, return_exceptions=True)

    async def _send(self, send: Send) -> None:
        await self._behave(0)
        headers = [(b"content-type", self.media_type.encode())]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for text, tokens in self.frames:
            if tokens:
                if self.answer.short_after == self.received.tokens:
                    break
                await self._behave(self.received.tokens)
                self.received.tokens += tokens
            await send({"type": "http.response.body", "body": text.encode(), "more_body": True})
        await send({"type": "http.response.body", "body": b""})

    async def _behave(self, sent: int) -> None:
        """Raises Cut."""
        if self.answer.cut_after == sent:
            raise Cut
        if self.answer.stall_after == sent:
            await self.fake.released.wait()
        if self.answer.pace_s and sent:
            await asyncio.sleep(self.answer.pace_s)
        elif sent:
            # An endless answer lets others have their turn.
            await asyncio.sleep(0)


async def _left(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        continue


def spoiled(frames: Iterator[Frame], *, stream: bool) -> Iterator[Frame]:
    """The first three pieces as they should be, then what is no JSON."""
    if stream:
        yield from (frame for frame, _ in zip(frames, range(3), strict=False))
        yield GARBAGE, 0
    else:
        yield '{"choices": [{"mess', 1


def whole(body: dict[str, Any]) -> Iterator[Frame]:
    """An answer that is no stream: one piece."""
    yield json.dumps(body), 1
