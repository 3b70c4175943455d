"""A mail server on loopback that answers what a test wants.

`hang_up` cuts the line after the content, `thinks_s` lets it think about it; with a `password` it wants a sign-in.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as parsed

from aiosmtpd.smtp import SMTP, AuthResult, Envelope, LoginPassword, Session


class Server:
    """aiosmtpd's handler."""

    def __init__(self, password: str | None = None) -> None:
        self.password = password
        self.port = 0
        self.received: list[Envelope] = []
        self.announced: list[str] = []
        self.needs_sign_in = False
        self.recipient_answer = "250 OK"
        self.answer = "250 OK"
        self.hang_up = False
        # How many connections were made, and after how many mails one is closed.
        self.connections = 0
        self.most_mails: int | None = None
        self.thinks_s = 0.0
        # Waits here before it answers to a recipient.
        self.at_recipient: asyncio.Event | None = None

    async def handle_RCPT(  # noqa: N802 - aiosmtpd's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.announced.append(address)
        if self.needs_sign_in and not session.authenticated:
            return "530 5.7.0 Authentication required"
        if self.at_recipient is not None:
            await self.at_recipient.wait()
        if self.recipient_answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return self.recipient_answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        self.received.append(envelope)
        if self.hang_up and isinstance(server.transport, asyncio.Transport):
            server.transport.abort()
        await asyncio.sleep(self.thinks_s)
        if self.most_mails and len(self.received) % self.most_mails == 0 and server.transport is not None:
            # After the answer, which leaves in this turn of the loop.
            asyncio.get_running_loop().call_soon(server.transport.close)
        return self.answer

    def letters(self) -> list[EmailMessage]:
        """Parse what was received."""
        contents = [envelope.content for envelope in self.received]
        return [message_from_bytes(each, policy=parsed) for each in contents if isinstance(each, bytes)]

    def authenticate(
        self, _server: SMTP, _session: Session, _envelope: Envelope, _mechanism: str, shown: object
    ) -> AuthResult:
        """Compare the password."""
        right = isinstance(shown, LoginPassword) and shown.password.decode() == self.password
        return AuthResult(success=right, handled=False)


def text_of(letter: EmailMessage) -> str:
    """Return the plain text of a mail, whatever else is in it."""
    part = letter.get_body(("plain",))
    assert part is not None
    return str(part.get_content())


class Connection(SMTP):
    """One connection; `open_ones` are those that are not closed yet."""

    open_ones: set[Connection]

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.open_ones.add(self)

    def connection_lost(self, error: Exception | None) -> None:
        super().connection_lost(error)
        self.open_ones.discard(self)


@asynccontextmanager
async def serving(
    password: str | None = None,
    tls: ssl.SSLContext | None = None,
    *,
    is_upgraded: bool = False,
    handler: Server | None = None,
) -> AsyncIterator[Server]:
    """Serve on a free port; by TLS from the beginning, or from STARTTLS on if `is_upgraded`.

    A handler of its own may say otherwise who signs in.
    """
    handler = handler or Server(password)
    wants = password is not None
    open_ones: set[Connection] = set()

    def protocol() -> SMTP:
        connection = Connection(
            handler,
            hostname="localhost",
            authenticator=handler.authenticate if wants else None,
            auth_require_tls=False,
            tls_context=tls if is_upgraded else None,
        )
        connection.open_ones = open_ones
        handler.connections += 1
        return connection

    listening = await asyncio.get_running_loop().create_server(
        protocol, "127.0.0.1", 0, ssl=None if is_upgraded else tls
    )
    handler.port = listening.sockets[0].getsockname()[1]
    try:
        yield handler
    finally:
        listening.close()
        await listening.wait_closed()
        async with asyncio.timeout(10):
            while open_ones:
                for each in list(open_ones):
                    if isinstance(each.transport, asyncio.Transport):
                        each.transport.close()
                    if tls is not None:
                        # What broke off while it changed to TLS is told of no end.
                        open_ones.discard(each)
                await asyncio.sleep(0.01)
