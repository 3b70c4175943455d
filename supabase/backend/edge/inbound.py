"""The SMTP server: takes mail for the recipients that the function `inbound_mail` accepts, when a port is set.

250 after DATA means that the function has kept the mail for each recipient; whatever fails on our side is 451, and the
sending server tries again. A recipient that is not accepted is 550 5.1.1, for whatever reason. Nothing is relayed.

The function has, besides its handler: `accept(address, context)`, which returns what stands for a recipient and raises
Refused (429: try later); `receive(recipient, sender, content, context, peer)`; and `refuse_large(recipient, context)`.
"""

from __future__ import annotations

import asyncio
import logging
import ssl
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from ipaddress import ip_address
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session

from backend.core.config_inbound import Inbound
from backend.core.resources import Resources
from backend.edge.api import Context, Refused
from backend.edge.loader import Loader

logger = logging.getLogger("backend.edge")

FUNCTION = "inbound_mail"
MAX_BYTES = 25 * 1024 * 1024
# RFC 5321 says 1,000; programs that send longer lines lose no mail.
MAX_LINE_BYTES = 100_000
MAX_CONNECTIONS = 50
MAX_CONNECTIONS_EACH = 8
# So many mails are in memory at once.
MAX_TRANSFERS = 3
MAX_RECIPIENTS = 20
MAX_UNKNOWN = 3
MAX_COMMANDS = 200
IDLE_TIMEOUT_S = 60
TRANSFER_TIMEOUT_S = 600
UNKNOWN = "550 5.1.1 No such address"
BUSY = "421 4.7.0 Too many connections, try again later"
LATER = "451 4.3.0 Not taken, try again later"


class Limits:
    """The connections and transfers of one server."""

    def __init__(self) -> None:
        self.connections = Counter[str]()
        self.transfers = asyncio.Semaphore(MAX_TRANSFERS)

    def enter(self, peer: str) -> bool:
        """Count a connection; false, and uncounted, when there are too many."""
        is_full = self.connections.total() >= MAX_CONNECTIONS
        # A mail server in front is one address.
        if is_full or (self.connections[peer] >= MAX_CONNECTIONS_EACH and not _is_loopback(peer)):
            return False
        self.connections[peer] += 1
        return True

    def leave(self, peer: str) -> None:
        """Forget a connection that was counted."""
        self.connections[peer] -= 1
        self.connections += Counter()


class Receiver:
    """aiosmtpd's handler of one connection."""

    def __init__(self, resources: Resources, loader: Loader) -> None:
        self._resources = resources
        self._loader = loader
        self._unknown = 0
        self._accepted: dict[str, Any] = {}

    def _context(self) -> Context:
        return Context(FUNCTION, {"role": "service_role"}, "", self._resources, self._resources.keys.secret_key)

    async def handle_RCPT(  # noqa: N802 - aiosmtpd gives the methods their names
        self, server: SMTP, _session: Session, envelope: Envelope, address: str, _options: list[str]
    ) -> str:
        """Accept a recipient of ours."""
        if address in envelope.rcpt_tos:
            return "250 2.1.5 OK"
        if len(envelope.rcpt_tos) >= MAX_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        if self._unknown >= MAX_UNKNOWN:
            # Whoever guesses addresses connects again for each few.
            if server.transport is not None:
                asyncio.get_running_loop().call_soon(server.transport.close)
            return "421 4.7.0 Too many unknown addresses"
        try:
            self._accepted[address] = await self._loader.function(FUNCTION).accept(address, self._context())
        except Refused as refusal:
            if refusal.status == 429:
                return "452 4.2.1 Too many mails, try again later"
            self._unknown += 1
            return UNKNOWN
        except Exception:
            logger.exception("a recipient could not be looked up")
            return LATER
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, _server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        """Have the mail kept for each recipient; those for whom it was kept already bear a second time."""
        content, sender = envelope.content, (envelope.mail_from or "").strip("<>")
        assert isinstance(content, bytes)
        peer = str((session.peer or ("",))[0])
        function, taken = self._loader.function(FUNCTION), 0
        for address in envelope.rcpt_tos:
            try:
                await function.receive(self._accepted[address], sender, content, self._context(), peer)
                taken += 1
            except Refused:
                # Closed since it was accepted.
                logger.info("a recipient was closed while its mail came")
            except Exception:
                logger.exception("a mail could not be kept")
                return LATER
        return "250 2.0.0 Kept" if taken else UNKNOWN

    async def refuse_large(self, envelope: Envelope) -> None:
        """Tell the recipients that a mail was too large."""
        for address in envelope.rcpt_tos:
            try:
                await self._loader.function(FUNCTION).refuse_large(self._accepted[address], self._context())
            except Exception:
                logger.exception("a refusal could not be noted")

    async def handle_exception(self, error: Exception) -> str:
        """Answer for what went wrong in the server itself; the cause is in the log only."""
        logger.error("an SMTP session failed", exc_info=error)
        return LATER


class Server(SMTP):
    """One connection, with bounds of its own."""

    line_length_limit = MAX_LINE_BYTES

    def __init__(self, receiver: Receiver, limits: Limits, inbound: Inbound, tls: ssl.SSLContext | None) -> None:
        super().__init__(
            receiver, data_size_limit=MAX_BYTES, enable_SMTPUTF8=True, hostname=inbound.domain, ident="ESMTP",
            timeout=IDLE_TIMEOUT_S, tls_context=tls, command_call_limit=MAX_COMMANDS,
            auth_exclude_mechanism=["LOGIN", "PLAIN"],
        )  # fmt: skip
        self._receiver = receiver
        self._limits = limits
        self._peer: str | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Turn a connection away when there are too many; after STARTTLS it is the same one."""
        if self._peer is None:
            peer = str((transport.get_extra_info("peername") or ("",))[0])
            if self._limits.enter(peer):
                self._peer = peer
            else:
                assert isinstance(transport, asyncio.WriteTransport)
                transport.write(BUSY.encode() + b"\r\n")
                transport.close()
        super().connection_made(transport)

    def connection_lost(self, error: Exception | None) -> None:
        """Give the place back."""
        if self._peer is not None:
            self._limits.leave(self._peer)
            self._peer = None
        super().connection_lost(error)

    async def push(self, status: Any) -> None:
        """Send an answer, and note a mail that was too large."""
        if isinstance(status, str) and status.startswith("552") and self.envelope is not None:
            await self._receiver.refuse_large(self.envelope)
        await super().push(status)

    async def smtp_DATA(self, arg: str) -> None:  # noqa: N802
        """Take a mail when there is room for it, in bounded time."""
        if self._limits.transfers.locked():
            await self.push("452 4.3.1 Too many mails at once, try again later")
            return
        async with self._limits.transfers:
            # aiosmtpd's own limit is for the pause between two commands, and a large mail takes longer.
            self._reset_timeout(2 * TRANSFER_TIMEOUT_S)
            try:
                async with asyncio.timeout(TRANSFER_TIMEOUT_S):
                    await super().smtp_DATA(arg)
            except TimeoutError:
                if self.transport is not None and not self.transport.is_closing():
                    await self.push("421 4.4.2 Too slow")
                    self.transport.close()
        if self.transport is not None:
            self._reset_timeout()


@asynccontextmanager
async def listening(resources: Resources) -> AsyncIterator[None]:
    """Receive mail as long as the block lasts, when a port is set. Raises OSError when it is taken."""
    inbound = resources.settings.inbound
    if inbound is None:
        yield
        return
    # Its lines hold the addresses of recipients, which are secrets.
    logging.getLogger("mail.log").setLevel(logging.ERROR)
    limits, tls = Limits(), _tls(inbound)
    loader = Loader(resources.settings.functions_folders, reload=False)
    server = await asyncio.get_running_loop().create_server(
        lambda: Server(Receiver(resources, loader), limits, inbound, tls),
        inbound.host,
        inbound.port,
        # Several workers of one machine share it.
        reuse_port=True,
    )
    logger.info("mail is received", extra={"host": inbound.host, "port": inbound.port, "domain": inbound.domain})
    try:
        yield
    finally:
        server.close()


def _tls(inbound: Inbound) -> ssl.SSLContext | None:
    if inbound.cert is None or inbound.key is None:
        return None
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(inbound.cert, inbound.key)
    return context


def _is_loopback(peer: str) -> bool:
    try:
        return ip_address(peer).is_loopback
    except ValueError:
        return False
