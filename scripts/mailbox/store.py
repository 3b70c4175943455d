"""The mails as files: one `.eml` each, newest last by name, so that a restart loses nothing."""

from __future__ import annotations

import re
import secrets
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from email import message_from_bytes, policy
from email.headerregistry import Address
from email.message import EmailMessage
from pathlib import Path

MOST_MESSAGES = 500
MOST_BYTES = 100 * 1024 * 1024
ID = re.compile(r"[0-9a-f]{24}")


@dataclass(frozen=True)
class Mail:
    """One stored message."""

    id: str
    created: datetime
    size: int
    read: bool
    message: EmailMessage

    def addresses(self, header: str) -> list[Address]:
        """List the people in an address header; empty when it is missing or malformed."""
        return list(getattr(self.message[header], "addresses", ()))

    def text(self, header: str) -> str:
        """Return a header as one line of text."""
        return str(self.message[header] or "")

    def body(self, kind: str) -> str:
        """Return the `plain` or `html` body; empty when there is none."""
        part = self.message.get_body(preferencelist=(kind,))
        if part is None:
            return ""
        try:
            return str(part.get_content())
        except LookupError:  # a character set that does not exist
            payload = part.get_payload(decode=True)
            return payload.decode(errors="replace") if isinstance(payload, bytes) else ""


class Store:
    """A folder of mails, bounded in count and size; the oldest make room."""

    def __init__(self, folder: Path, *, most_messages: int = MOST_MESSAGES, most_bytes: int = MOST_BYTES) -> None:
        self._folder = folder
        self._most_messages = most_messages
        self._most_bytes = most_bytes
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)

    def add(self, content: bytes) -> str:
        """Store a mail, completely or not at all, and return its id."""
        # 16 hex digits of nanoseconds and 8 of chance: names sort by age.
        mail_id = f"{time.time_ns():016x}{secrets.token_hex(4)}"
        scratch = self._folder / f"{mail_id}.part"
        scratch.write_bytes(content)
        scratch.replace(self._path(mail_id))
        self._make_room()
        return mail_id

    def ids(self) -> list[str]:
        """All ids, the newest first."""
        return sorted((path.stem for path in self._folder.glob("*.eml")), reverse=True)

    def get(self, mail_id: str) -> Mail | None:
        """Return the mail with this id, or the newest for `latest`; None when there is none."""
        if mail_id == "latest":
            mail_id = next(iter(self.ids()), "")
        content = self.raw(mail_id)
        if content is None:
            return None
        created = datetime.fromtimestamp(int(mail_id[:16], 16) / 1e9, UTC)
        message = message_from_bytes(content, policy=policy.default)
        assert isinstance(message, EmailMessage)
        return Mail(mail_id, created, len(content), self.is_read(mail_id), message)

    def raw(self, mail_id: str) -> bytes | None:
        """Return a mail as it was received; None when there is none."""
        if not ID.fullmatch(mail_id):
            return None
        try:
            return self._path(mail_id).read_bytes()
        except FileNotFoundError:
            return None

    def unread(self) -> int:
        """How many nobody opened yet."""
        return len(self.ids()) - len(list(self._folder.glob("*.read")))

    def is_read(self, mail_id: str) -> bool:
        """Whether somebody opened the mail."""
        return self._mark(mail_id).exists()

    def mark_read(self, mail_id: str) -> None:
        """Remembers that somebody opened the mail."""
        self._mark(mail_id).touch()

    def delete(self, ids: list[str] | None = None) -> None:
        """Delete these mails, or all of them."""
        for mail_id in self.ids() if ids is None else filter(ID.fullmatch, ids):
            self._path(mail_id).unlink(missing_ok=True)
            self._mark(mail_id).unlink(missing_ok=True)

    def _make_room(self) -> None:
        kept_bytes = 0
        for number, mail_id in enumerate(self.ids()):
            kept_bytes += self._path(mail_id).stat().st_size
            if number >= self._most_messages or (kept_bytes > self._most_bytes and number > 0):
                self.delete([mail_id])

    def _path(self, mail_id: str) -> Path:
        return self._folder / f"{mail_id}.eml"

    def _mark(self, mail_id: str) -> Path:
        return self._folder / f"{mail_id}.read"
