"""The mail server of a person's account: the session, the letter, and what the errors mean.

An own server is named by the person, so the connection is made by `context.http.connect`, which never reaches into our
own network. The password crosses a network only by TLS. The shared sender uses the operator's server.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import aiosmtplib

from backend.edge import api

PORTS = (465, 587, 2525, 25)
ADDRESS = re.compile(r"[!-?A-~]{1,64}@[!-?A-~]+\.[!-?A-~]+")
COMMAND_TIMEOUT_S = 30
GOODBYE_TIMEOUT_S = 5
# Servers that look into a mail take their time. Shorter than the lease of private.begin_mail_content.
CONTENT_TIMEOUT_S = 300
# Not every server takes 8 bits.
WIRE = SMTP.clone(cte_type="7bit")
# What context.seal encrypts a password for, in the row of its person.
PURPOSE = "mail passwords"


class Failure(Exception):
    """A mail was not taken; `code` is a public.mail_error, `reply` what the server said."""

    def __init__(self, code: str, reply: str = "", *, is_temporary: bool = False) -> None:
        super().__init__(f"{code}: {reply}")
        self.code = code
        self.reply = reply
        self.is_temporary = is_temporary


class Uncertain(Exception):
    """The connection broke after the content had begun to leave."""


@dataclass(frozen=True)
class Server:
    """The server and the sender of a person's mail; the shared sender has no host, and answers go elsewhere."""

    host: str
    port: int
    security: str
    username: str
    password: str = field(repr=False)
    from_address: str
    from_name: str | None
    is_certified: bool = False
    is_shared: bool = False
    reply_to: str = ""
    # The password is an access token of a provider (XOAUTH2).
    is_token: bool = False

    def letter(self, recipient: str, subject: str, text: str, message_id: str, html: str | None = None) -> EmailMessage:
        """Compose a mail in plain text, and as HTML too. Raises Failure for an address or a line that is none."""
        letter = EmailMessage(policy=WIRE)
        try:
            letter["From"] = Address(self.from_name or "", addr_spec=self.from_address)
            letter["To"] = Address(addr_spec=recipient)
            letter["Subject"] = subject
            letter["Message-ID"] = message_id
            letter["MIME-Version"] = "1.0"
            # Fails for an address that SMTP without extensions cannot carry.
            recipient.encode("ascii")
        except ValueError as error:
            raise Failure("bad_address") from error
        letter.set_content(text)
        if html is not None:
            letter.add_alternative(html, subtype="html")
        return letter


def server(row: Mapping[str, Any], password: str) -> Server:
    """Read a row of private.mail_account_of; `password` is what mail_logins.password returns for it."""
    return Server(
        **{
            name: row[name]
            for name in ("host", "port", "security", "username", "from_address", "from_name", "is_certified")
        },
        password=password,
        is_token=row["provider"] is not None,
    )


@asynccontextmanager
async def session(context: api.Context, server: Server) -> AsyncIterator[aiosmtplib.SMTP]:
    """Connect and sign in. Raises Failure, also for what the server refuses inside."""
    async with translated(), await _client(context, server) as client:
        yield client


class Line:
    """A connection to a server, kept for the next mail."""

    def __init__(self, context: api.Context, server: Server) -> None:
        self._context = context
        self.server = server
        self._client: aiosmtplib.SMTP | None = None

    async def announce(self, recipient: str, sender: str | None = None) -> aiosmtplib.SMTP:
        """Announce a mail, and return the connection that takes its content. Raises Failure.

        Servers report to `sender`, the account's own address if None.
        """
        sender = sender or self.server.from_address
        if self._client is not None:
            try:
                async with translated():
                    return await _announce(self._client, sender, recipient)
            except Failure as failure:
                # Servers close connections that are idle or took many mails.
                if failure.code not in ("unreachable", "busy"):
                    raise
        await self.close()
        async with translated():
            self._client = client = await _client(self._context, self.server)
            await client.connect()
            return await _announce(client, sender, recipient)

    async def close(self) -> None:
        """Say goodbye; a goodbye that fails says nothing about the mails."""
        client, self._client = self._client, None
        if client is not None:
            try:
                await client.quit(timeout=GOODBYE_TIMEOUT_S)
            except (aiosmtplib.SMTPException, OSError):
                client.close()


async def _announce(client: aiosmtplib.SMTP, sender: str, recipient: str) -> aiosmtplib.SMTP:
    await client.mail(sender)
    await client.rcpt(recipient)
    return client


async def _client(context: api.Context, server: Server) -> aiosmtplib.SMTP:
    if server.is_shared:
        return context.mail_client()
    is_own = context.http.is_own_machine(server.host)
    return aiosmtplib.SMTP(
        hostname=server.host,
        sock=await _socket(context, server),
        use_tls=server.security == "tls",
        # On a developer's machine nothing is crossed.
        start_tls=False if server.security == "tls" else (None if is_own else True),
        username=server.username,
        password=None if server.is_token else server.password,
        oauth_token_generator=_token_of(server) if server.is_token else None,
        local_hostname="localhost",
        timeout=COMMAND_TIMEOUT_S,
    )


def _token_of(server: Server) -> Callable[[], Awaitable[str]]:
    async def token() -> str:
        return server.password

    return token


@asynccontextmanager
async def translated() -> AsyncIterator[None]:
    """Turn what the library raises into Failure."""
    try:
        yield
    except aiosmtplib.SMTPAuthenticationError as error:
        raise Failure("auth", _reply(error)) from error
    except aiosmtplib.SMTPRecipientRefused as error:
        raise _refusal(error, "bad_address") from error
    except aiosmtplib.SMTPResponseException as error:
        raise _refusal(error, "refused") from error
    except (aiosmtplib.SMTPConnectError, aiosmtplib.SMTPTimeoutError, aiosmtplib.SMTPServerDisconnected) as error:
        raise Failure(_connection_code(error), is_temporary=True) from error
    except aiosmtplib.SMTPException as error:  # no STARTTLS, or no way to sign in that both know
        raise Failure("tls" if "TLS" in str(error) else "auth", str(error)) from error
    except OSError as error:
        raise Failure(_connection_code(error), is_temporary=True) from error


async def _socket(context: api.Context, server: Server) -> Any:
    try:
        return await context.http.connect(server.host, server.port, PORTS)
    except api.OutwardError as error:
        raise Failure("unreachable", is_temporary=True) from error


async def send_content(client: aiosmtplib.SMTP, content: bytes) -> str:
    """Hand the content over and return the server's answer. Raises Uncertain; a refusal is a Failure of the session."""
    try:
        return (await client.data(content, timeout=CONTENT_TIMEOUT_S)).message
    except (aiosmtplib.SMTPServerDisconnected, aiosmtplib.SMTPTimeoutError, OSError) as error:
        raise Uncertain from error


def _refusal(error: aiosmtplib.SMTPResponseException, code: str) -> Failure:
    is_temporary = error.code < 500
    return Failure("busy" if is_temporary else code, _reply(error), is_temporary=is_temporary)


def _reply(error: aiosmtplib.SMTPResponseException) -> str:
    return f"{error.code} {error.message}"


def _connection_code(error: Exception) -> str:
    cause: BaseException | None = error
    while cause is not None:
        if type(cause).__module__ == "ssl":
            return "tls"
        cause = cause.__cause__ or cause.__context__
    return "unreachable"
