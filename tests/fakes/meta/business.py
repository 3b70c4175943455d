"""The fake Meta's state: a business with one number, the people who write to it, and a clock that can be moved."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

Payload = dict[str, Any]
IDS = count(1)


@dataclass(frozen=True)
class Person:
    """Somebody with WhatsApp. A person with a user name shows no number."""

    bsuid: str
    name: str | None = None
    digits: str | None = None
    username: str | None = None


@dataclass(frozen=True)
class Media:
    """A file at Meta. `trouble` is how it misbehaves: gone, busy, large, changed or away."""

    content: bytes = field(repr=False)
    mime: str
    trouble: str = ""

    @property
    def sha256(self) -> bytes:
        """Return the digest that Meta announces."""
        return hashlib.sha256(self.content).digest()


@dataclass
class Business:
    """A number of a business, as its app sees it."""

    phone_number_id: str = "1098"
    waba_id: str = "77"
    portfolio: str = "portfolio"
    token: str = "token"
    app_secret: str = "app-secret"
    display_number: str = "39021234567"
    # The number is in the WhatsApp Business app too, and Meta knows it as one of the Cloud API.
    is_on_phone: bool = False
    is_registered: bool = False
    offset: timedelta = timedelta()
    inbound_at: dict[str, datetime] = field(default_factory=dict)
    media: dict[str, Media] = field(default_factory=dict)

    def now(self) -> datetime:
        """Return the time of the virtual clock."""
        return datetime.now(UTC) + self.offset

    def message(self, person: Person, kind: str = "text", part: Any = None, **more: Any) -> Payload:
        """Write a message of a person to the business; `part` is the text or what its kind carries."""
        self.inbound_at[person.bsuid] = self.now()
        told: Payload = {
            "id": f"wamid.{next(IDS)}",
            "from_user_id": person.bsuid,
            "timestamp": str(int(self.now().timestamp())),
            "type": kind,
            kind: {"body": part} if kind == "text" else part,
        }
        if person.digits:
            told["from"] = person.digits
        return {name: value for name, value in {**told, **more}.items() if value is not None}

    def keep(self, content: bytes, mime: str, trouble: str = "") -> str:
        """Keep a file; answers its id."""
        media_id = f"media{next(IDS)}"
        self.media[media_id] = Media(content, mime, trouble)
        return media_id

    def file(self, person: Person, kind: str, content: bytes, mime: str, *, trouble: str = "", **part: Any) -> Payload:
        """Write a message with a file of a person to the business."""
        media_id = self.keep(content, mime, trouble)
        sha256 = base64.b64encode(self.media[media_id].sha256).decode()
        return self.message(person, kind, {"id": media_id, "mime_type": mime, "sha256": sha256, **part})

    def contact(self, person: Person) -> Payload:
        """Describe a person as `contacts` of a delivery does."""
        profile = {"name": person.name, "username": person.username}
        told: Payload = {"user_id": person.bsuid, "profile": {key: value for key, value in profile.items() if value}}
        return {**told, "wa_id": person.digits} if person.digits else told

    def value(self, **lists: list[Payload]) -> Payload:
        """Make the value of a change: messages, contacts, statuses."""
        metadata = {"display_phone_number": self.display_number, "phone_number_id": self.phone_number_id}
        return {"messaging_product": "whatsapp", "metadata": metadata, **lists}

    def delivery(self, *values: Payload, name: str = "messages") -> bytes:
        """Write a delivery as Meta does: other characters than ASCII are escaped."""
        changes = [{"field": name, "value": value} for value in values]
        told = {"object": "whatsapp_business_account", "entry": [{"id": self.waba_id, "changes": changes}]}
        return json.dumps(told).encode()

    def said(self, person: Person, *messages: Payload) -> bytes:
        """Write a delivery of messages of one person."""
        return self.delivery(self.value(contacts=[self.contact(person)], messages=list(messages)))

    def past(self, person: Person, text: str, *, age: timedelta, is_ours: bool = False, **more: Any) -> Payload:
        """Write an old message of the phone, of the person or of the business."""
        told: Payload = {
            "id": f"wamid.OLD{next(IDS)}", "from": _digits(self.display_number) if is_ours else person.digits,
            "timestamp": str(int((self.now() - age).timestamp())), "type": "text", "text": {"body": text},
        }  # fmt: skip
        return told | more

    def history(self, threads: dict[Person, list[Payload]], *, phase: int = 0, progress: int = 100) -> bytes:
        """Write a piece of the history of the phone."""
        told = {
            person.digits: [{**message, "history_context": {"status": "READ"}} for message in messages]
            for person, messages in threads.items()
        }
        piece = {
            "metadata": {"phase": phase, "chunk_order": 1, "progress": progress},
            "threads": [{"id": digits, "messages": messages} for digits, messages in told.items()],
        }
        return self.delivery(self.value(history=[piece]), name="history")

    def declined(self, code: int = 2593109) -> bytes:
        """Say that the owner did not share the history."""
        return self.delivery(self.value(history=[{"errors": [{"code": code, "message": "declined"}]}]), name="history")

    def echo(self, person: Person, text: str, **more: Any) -> bytes:
        """Write a delivery of what the owner wrote on the phone."""
        told = {**self.past(person, text, age=timedelta(), is_ours=True), "to": person.digits, **more}
        return self.delivery(self.value(message_echoes=[told]), name="smb_message_echoes")

    def address_book(self, *people: Person, action: str = "add") -> bytes:
        """Write a delivery of contacts of the phone."""
        told = [
            {"type": "contact", "action": action, "contact": {"full_name": one.name, "phone_number": one.digits},
             "metadata": {"timestamp": str(int(self.now().timestamp()))}}
            for one in people
        ]  # fmt: skip
        return self.delivery(self.value(state_sync=told), name="smb_app_state_sync")

    def headers(self, body: bytes) -> dict[str, str]:
        """Sign a body by the secret of the app."""
        digest = hmac.new(self.app_secret.encode(), body, hashlib.sha256).hexdigest()
        return {"X-Hub-Signature-256": f"sha256={digest}", "Content-Type": "application/json"}


def _digits(number: str) -> str:
    return "".join(letter for letter in number if letter.isdigit())
