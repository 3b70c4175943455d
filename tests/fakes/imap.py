"""An IMAP server on loopback that behaves as badly as a test wants; the good one of the tests is Dovecot.

`bye_at` is the command at which it says BYE and hangs up, `silent_at` the one it never answers, `cut_after` how many
bytes of a message it sends before the connection breaks.
"""

from __future__ import annotations

import asyncio
import base64
import re
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress


class Server:
    """One account with INBOX and Sent."""

    def __init__(self, password: str) -> None:
        self.password = password
        self.port = 0
        self.uidvalidity = 1
        self.folders: dict[str, dict[int, bytes]] = {"INBOX": {}, "Sent": {}}
        self.commands: list[str] = []
        self.bye_at: str | None = None
        self.silent_at: str | None = None
        self.cut_after: int | None = None
        # Checks the answer to AUTHENTICATE XOAUTH2, and counts refusals that were answered with an empty line.
        self.lets_in: Callable[[bytes], bool] | None = None
        self.closed_challenges = 0
        self.can_idle = True
        # UIDs in INBOX that another program has answered, with the change that marked them.
        self.answered: dict[int, int] = {}
        self.counts_changes = True
        self.idling: set[Session] = set()
        # Mails that come between a command and IDLE: told in the packet that answers it.
        self.at_idle: list[bytes] = []
        self.internal_date = "20-Nov-2026 10:00:00 +0100"
        # Sizes that it tells instead of the true ones.
        self.told_size: dict[int, int] = {}

    def add(self, content: bytes, folder: str = "INBOX") -> int:
        """Deliver a message; answers its UID."""
        uid = max(self.folders[folder], default=0) + 1
        self.folders[folder][uid] = content
        for session in self.idling:
            if session.folder == folder:
                session.known = len(self.folders[folder])
                session.tell(f"* {session.known} EXISTS")
        return uid

    def end_idling(self, last: str | None = None) -> None:
        """Cut the connections that wait, after a last line if there is one."""
        for session in list(self.idling):
            if last is not None:
                session.tell(last)
            session.writer.close()


class Session:
    """One connection."""

    def __init__(self, server: Server, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.server, self.reader, self.writer = server, reader, writer
        self.folder = "INBOX"
        # How many mails the client was told of.
        self.known = 0

    async def run(self) -> None:
        """Answer until the client leaves."""
        self._send("* OK hello")
        while line := (await self.reader.readline()).decode():
            tag, _, rest = line.strip().partition(" ")
            self.server.commands.append(rest)
            name = " ".join(rest.split()[:2]).upper() if rest.upper().startswith("UID") else rest.split()[0].upper()
            if name == self.server.silent_at:
                await self.reader.read()
                return
            if name == self.server.bye_at:
                self._send("* BYE see you")
                return
            if not await self._answer(tag, name, rest):
                return

    async def _answer(self, tag: str, name: str, rest: str) -> bool:
        mails = self.server.folders[self.folder]
        match name:
            case "CAPABILITY":
                self._send("* CAPABILITY IMAP4rev1 SPECIAL-USE AUTH=XOAUTH2" + " IDLE" * self.server.can_idle)
            case "IDLE":
                await self._idle()
            case "AUTHENTICATE":
                return await self._authenticate(tag)
            case "LOGIN":
                if not rest.endswith(f'"{self.server.password}"'):
                    self._send(f"{tag} NO [AUTHENTICATIONFAILED] wrong")
                    return True
            case "LIST":
                self._send('* LIST (\\HasNoChildren) "." INBOX')
                self._send('* LIST (\\HasNoChildren \\Sent) "." Sent')
            case "EXAMINE":
                self.folder = rest.split(" ", 1)[1].strip('"')
                mails = self.server.folders[self.folder]
                self.known = len(mails)
                self._send(f"* {len(mails)} EXISTS")
                self._send(f"* OK [UIDVALIDITY {self.server.uidvalidity}] x")
                self._send(f"* OK [UIDNEXT {max(mails, default=0) + 1}] x")
                if self.server.counts_changes:
                    self._send(f"* OK [HIGHESTMODSEQ {max(self.server.answered.values(), default=1)}] x")
            case "UID SEARCH":
                self._send("* SEARCH " + " ".join(map(str, self._found(rest))))
            case "UID FETCH":
                return self._fetch(tag, rest)
            case "LOGOUT":
                self._send("* BYE bye")
        self._send(f"{tag} OK done")
        return True

    def _found(self, asked: str) -> list[int]:
        if "ANSWERED" in asked:
            changed = re.search(r"MODSEQ (\d+)", asked)
            return [uid for uid, at in self.server.answered.items() if at >= (int(changed[1]) if changed else 0)]
        mails = self.server.folders[self.folder]
        first = re.search(r"UID (\d+):\*", asked)
        # As RFC 3501 wants it: the last message is always in n:*.
        return [uid for uid in mails if uid >= (int(first[1]) if first else 1)] or list(mails)[-1:]

    async def _idle(self) -> None:
        while self.server.at_idle:
            self.server.add(self.server.at_idle.pop())
        mails = self.server.folders[self.folder]
        self._send("+ idling" if len(mails) == self.known else f"+ idling\r\n* {len(mails)} EXISTS")
        self.known = len(mails)
        self.server.idling.add(self)
        try:
            await self.reader.readline()
        finally:
            self.server.idling.discard(self)

    def tell(self, line: str) -> None:
        """Say something unasked."""
        self._send(line)

    async def _authenticate(self, tag: str) -> bool:
        self._send("+ ")
        shown = base64.b64decode(await self.reader.readline())
        if self.server.lets_in is not None and self.server.lets_in(shown):
            self._send(f"{tag} OK done")
            return True
        self._send("+ " + base64.b64encode(b'{"status":"401"}').decode())
        self.server.closed_challenges += (await self.reader.readline()).strip() == b""
        self._send(f"{tag} NO [AUTHENTICATIONFAILED] wrong")
        return True

    def _fetch(self, tag: str, rest: str) -> bool:
        mails = self.server.folders[self.folder]
        for uid in map(int, rest.split()[2].split(",")):
            if uid not in mails:
                continue
            number, content = list(mails).index(uid) + 1, mails[uid]
            if "RFC822.SIZE" in rest:
                size = self.server.told_size.get(uid, len(content))
                self._send(
                    f'* {number} FETCH (UID {uid} RFC822.SIZE {size} INTERNALDATE "{self.server.internal_date}")'
                )
                continue
            part = "BODY[HEADER]" if "HEADER" in rest else "BODY[]"
            body = content.split(b"\r\n\r\n")[0] + b"\r\n\r\n" if "HEADER" in rest else content
            self.writer.write(f"* {number} FETCH (UID {uid} {part} {{{len(body)}}}\r\n".encode())
            self.writer.write(body[: self.server.cut_after])
            if self.server.cut_after is not None:
                return False
            self._send(")")
        self._send(f"{tag} OK done")
        return True

    def _send(self, line: str) -> None:
        self.writer.write(line.encode() + b"\r\n")


@asynccontextmanager
async def serving(password: str, port: int = 0, tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    """Serve on this port, a free one by default."""
    server = Server(password)
    sessions: set[asyncio.Task[None]] = set()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        sessions.add(task)
        try:
            with suppress(ConnectionError):
                await Session(server, reader, writer).run()
                await writer.drain()
        finally:
            writer.close()
            sessions.discard(task)

    listening = await asyncio.start_server(connected, "127.0.0.1", port, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(sessions):
            task.cancel()
        await asyncio.gather(*sessions, return_exceptions=True)
