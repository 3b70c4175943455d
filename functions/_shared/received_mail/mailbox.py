"""A person's mailbox over IMAP: one session, one message in memory at a time, and a deadline for each answer.

imapclient waits in a thread; the socket's timeout ends a server that says nothing, and closing the socket ends one that
says too little. Messages are read with BODY.PEEK: the person's own «unread» stays as it is.
"""

from __future__ import annotations

import asyncio
import imaplib
import socket
import ssl
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, TypeVar

from imapclient import IMAPClient  # type: ignore[import-untyped]
from imapclient.exceptions import IMAPClientError, LoginError  # type: ignore[import-untyped]

from backend.edge import api

PORTS = (993, 143)
ANSWER_TIMEOUT_S = 30
MAX_BYTES = 25 * 1024 * 1024
# How many sizes are asked for at once.
BATCH = 200
T = TypeVar("T")


class Failure(Exception):
    """The mailbox cannot be read; `code` is a public.mail_error, `reply` what the server said."""

    def __init__(self, code: str, reply: str = "") -> None:
        super().__init__(f"{code}: {reply}")
        self.code = code
        self.reply = reply[:500]


@dataclass(frozen=True)
class Server:
    """Where and as whom a person's mail is read."""

    host: str
    port: int
    security: str
    username: str
    password: str = field(repr=False)
    # The password is an access token of a provider (XOAUTH2).
    is_token: bool = False


@dataclass(frozen=True)
class Folder:
    """A selected folder; UIDs hold as long as `uidvalidity` is the same.

    `modseq` counts changes of marks (CONDSTORE, RFC 7162 3.1.2); 0 where the server does not.
    """

    name: str
    uidvalidity: int
    uidnext: int
    modseq: int = 0


@dataclass(frozen=True)
class Raw:
    """One message as the server has it; its headers only when it is too large."""

    uid: int
    content: bytes = field(repr=False)
    size_bytes: int
    arrived_at: datetime | None
    is_whole: bool


class _Wire(imaplib.IMAP4):
    """imaplib on a socket that was made, and checked, by `context.http.connect`."""

    def __init__(self, sock: socket.socket) -> None:
        self._given = sock
        super().__init__()

    def _create_socket(self, timeout: float | None) -> socket.socket:  # noqa: ARG002 - imaplib's signature
        return self._given


class _Client(IMAPClient):  # type: ignore[misc]
    """imapclient on the same."""

    def __init__(self, sock: socket.socket) -> None:
        self._given = sock
        # Without it imapclient takes the timeout off the socket.
        super().__init__("localhost", use_uid=True, ssl=False, timeout=ANSWER_TIMEOUT_S)

    def _create_IMAP4(self) -> imaplib.IMAP4:  # noqa: N802 - imapclient's name
        return _Wire(self._given)


class Mailbox:
    """An open session. All methods wait for the server: call them in a thread."""

    def __init__(self, client: IMAPClient) -> None:
        self._client = client

    def folders(self) -> Mapping[str, str]:
        """Return the folders to read, {role: name}: `ricevuti`, and `inviati` where the server has one."""
        found = {"ricevuti": "INBOX"}
        sent = self._client.find_special_folder(b"\\Sent")
        if sent:
            found["inviati"] = sent
        return found

    def select(self, name: str) -> Folder:
        """Open a folder for reading only."""
        answer = self._client.select_folder(name, readonly=True)
        numbers = [int(answer.get(key, 0)) for key in (b"UIDVALIDITY", b"UIDNEXT", b"HIGHESTMODSEQ")]
        return Folder(name, *numbers)

    def uids(self, after: int, since: date) -> list[int]:
        """List the messages after a UID that arrived since a day, ascending."""
        found = self._client.search(["UID", f"{after + 1}:*", "SINCE", since])
        # `n:*` names the last message even when it is before n.
        return sorted(uid for uid in found if uid > after)

    def answered(self, since: date, after_modseq: int) -> list[int]:
        """List the messages since a day that some program has marked as answered, after a change of marks."""
        changed = ["MODSEQ", after_modseq + 1] if after_modseq else []
        return list(self._client.search(["ANSWERED", "SINCE", since, *changed]))

    def can_idle(self) -> bool:
        """Check whether the server tells of new mail by itself."""
        return bool(self._client.has_capability("IDLE"))

    def begin_idle(self) -> bool:
        """Have the server tell of new mail; true when it has already told something."""
        self._client.idle()
        sock = self.socket
        sock.settimeout(0)
        try:
            # What came in the same packet waits in imaplib's buffer, where no event loop sees it.
            return bool(self._client._imap.file.peek(1))  # noqa: SLF001 - imapclient has no way to ask
        except ssl.SSLWantReadError:
            return False
        finally:
            sock.settimeout(ANSWER_TIMEOUT_S)

    def end_idle(self) -> bool:
        """Have the server be quiet; true when it told of a new message."""
        _, told = self._client.idle_done()
        return any(len(each) > 1 and each[1] in (b"EXISTS", b"RECENT") for each in told)

    @property
    def socket(self) -> socket.socket:
        """The connection, to wait for."""
        sock: socket.socket = self._client.socket()
        return sock

    def messages(self, uids: list[int]) -> Iterator[Raw]:
        """Fetch messages one by one; those that are gone meanwhile are left out."""
        for start in range(0, len(uids), BATCH):
            batch = uids[start : start + BATCH]
            known = self._client.fetch(batch, ["RFC822.SIZE", "INTERNALDATE"])
            for uid in batch:
                if uid in known:
                    size, moment = int(known[uid].get(b"RFC822.SIZE", 0)), known[uid].get(b"INTERNALDATE")
                    yield from self._message(uid, size, moment)

    def _message(self, uid: int, size: int, moment: datetime | None) -> Iterator[Raw]:
        is_whole = size <= MAX_BYTES
        part = "BODY.PEEK[]" if is_whole else "BODY.PEEK[HEADER]"
        answer: dict[bytes, Any] = self._client.fetch([uid], [part]).get(uid, {})
        content = answer.get(part.replace(".PEEK", "").encode())
        if isinstance(content, bytes):
            yield Raw(uid, content, size, None if moment is None else moment.astimezone(UTC), is_whole)


def server(row: Mapping[str, Any], password: str) -> Server:
    """Read a row of private.mail_inbox_of; `password` is what mail_logins.password returns for it."""
    return Server(
        **{name: row[name] for name in ("host", "port", "security", "username")},
        password=password,
        is_token=row["provider"] is not None,
    )


@asynccontextmanager
async def session(context: api.Context, server: Server) -> AsyncIterator[Mailbox]:
    """Connect and sign in. Raises Failure, also for what breaks inside."""
    try:
        sock = await context.http.connect(server.host, server.port, PORTS)
    except api.OutwardError as error:
        raise Failure("unreachable") from error
    is_own = context.http.is_own_machine(server.host)
    held: list[socket.socket] = [sock]
    try:
        box = await step(_opened, held, server, is_own)
        yield box
        await step(box._client.logout)  # noqa: SLF001 - its own module
    finally:
        # Ends the thread that may still wait for an answer.
        for each in held:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()


async def step(work: Callable[..., T], *arguments: Any) -> T:
    """Do one thing with a mailbox in a thread. Raises Failure."""
    try:
        return await asyncio.to_thread(work, *arguments)
    except LoginError as error:
        # imapclient calls it so whatever ended a sign-in, a BYE too.
        was_cut = isinstance(error.__context__, imaplib.IMAP4.abort)
        raise Failure("unreachable" if was_cut else "auth", str(error)) from error
    except ssl.SSLError as error:
        raise Failure("tls", str(error)) from error
    except imaplib.IMAP4.abort as error:  # BYE, or the end of the connection
        raise Failure("unreachable", str(error)) from error
    except (IMAPClientError, imaplib.IMAP4.error) as error:
        raise Failure("refused", str(error)) from error
    except (OSError, EOFError) as error:
        raise Failure("unreachable", str(error)) from error


async def idle(box: Mailbox, longest_s: float) -> bool:
    """Wait without a thread until the server tells something; true for new mail. Raises Failure, TimeoutError."""
    async with asyncio.timeout(2 * ANSWER_TIMEOUT_S):
        has_told = await step(box.begin_idle)
    if not has_told:
        await _readable(box.socket, longest_s)
    async with asyncio.timeout(2 * ANSWER_TIMEOUT_S):
        return await step(box.end_idle)


async def _readable(sock: socket.socket, longest_s: float) -> None:
    ready, loop, number = asyncio.Event(), asyncio.get_running_loop(), sock.fileno()
    loop.add_reader(number, ready.set)
    try:
        with suppress(TimeoutError):
            async with asyncio.timeout(longest_s):
                await ready.wait()
    finally:
        loop.remove_reader(number)


def _opened(held: list[socket.socket], server: Server, is_own: bool) -> Mailbox:
    """Make the connection private and sign in."""
    sock = held[0]
    sock.setblocking(True)
    sock.settimeout(ANSWER_TIMEOUT_S)
    if server.security == "tls":
        sock = held[0] = ssl.create_default_context().wrap_socket(sock, server_hostname=server.host)
    client = _Client(sock)
    if server.security == "starttls" and not (is_own and not client.has_capability("STARTTLS")):
        context = ssl.create_default_context()
        if is_own:
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        client.starttls(context)
        # The socket in it gave its connection away.
        held.append(client.socket())
    if server.is_token:
        client.sasl_login("XOAUTH2", _xoauth2(server))
    else:
        client.login(server.username, server.password)
    return Mailbox(client)


def _xoauth2(server: Server) -> Callable[[bytes], bytes]:
    """Make the answers to the server: the token, then an empty line to the challenge that tells of an error.

    imapclient's oauth2_login would send the token again, and wait for the end of a sign-in that goes on.
    """
    answers = iter([f"user={server.username}\1auth=Bearer {server.password}\1\1".encode()])
    return lambda _challenge: next(answers, b"")
