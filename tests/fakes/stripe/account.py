"""The fake's memory: what a Stripe account would hold, in one small file, so that a kill -9 forgets nothing.

Objects are plain JSON in the shapes of https://docs.stripe.com/api; only the fields that somebody reads are there.
"""

from __future__ import annotations

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

Object = dict[str, Any]


@dataclass
class Faults:
    """How badly webhooks are delivered; all of it off is how Stripe behaves on a good day."""

    # Further copies of every event.
    duplicates: int = 0
    # Each delivery waits so long, and up to this much more by chance, so that events overtake each other.
    delay_s: float = 0.0
    reorder_within_s: float = 0.0
    # So many of the next events are never sent.
    drop: int = 0
    # So many of the next requests with a key end in a 500, which the key keeps.
    fail: int = 0
    # Somebody who does not know the secret sends each event as well, for another amount.
    forge: bool = False


@dataclass
class Delivery:
    """One copy of an event on its way; `due_at` in seconds of the epoch."""

    id: str
    event_id: str
    due_at: float
    attempts: int = 0
    forged: bool = False
    # The answer's status once it is over.
    status: int | None = None


@dataclass
class Account:
    """Everything there is; `save` after each change."""

    path: Path | None = None
    objects: dict[str, Object] = field(default_factory=dict)
    # Answers by idempotency key (https://docs.stripe.com/api/idempotent_requests).
    answers: dict[str, Object] = field(default_factory=dict)
    deliveries: dict[str, Delivery] = field(default_factory=dict)
    faults: Faults = field(default_factory=Faults)
    now: Callable[[], float] = time.time

    @classmethod
    def load(cls, path: Path) -> Account:
        """The account as it was when the last process ended; an empty one the first time."""
        if not path.exists():
            return cls(path)
        stored = json.loads(path.read_text())
        # What was on its way when the process died is sent again at once.
        deliveries = {each["id"]: Delivery(**{**each, "due_at": 0.0}) for each in stored["deliveries"]}
        return cls(path, stored["objects"], stored["answers"], deliveries, Faults(**stored["faults"]))

    def save(self) -> None:
        """Writes the file anew; it appears complete or not at all."""
        if self.path is None:
            return
        content = {
            "objects": self.objects,
            "answers": self.answers,
            "deliveries": [asdict(each) for each in self.deliveries.values()],
            "faults": asdict(self.faults),
        }
        scratch = self.path.with_suffix(".new")
        scratch.write_text(json.dumps(content))
        scratch.chmod(0o600)
        scratch.replace(self.path)

    def add(self, prefix: str, kind: str, **content: Any) -> Object:
        """A new object with an id of its kind."""
        made = {
            "id": f"{prefix}_{secrets.token_hex(12)}",
            "object": kind,
            "created": int(self.now()),
            "livemode": False,
            **content,
        }
        self.objects[made["id"]] = made
        return made

    def find(self, object_id: str, kind: str) -> Object | None:
        """An object by id, None when there is none of this kind."""
        found = self.objects.get(object_id)
        return found if found is not None and found["object"] == kind else None

    def all(self, kind: str, **wanted: Any) -> list[Object]:
        """The objects of a kind with these fields, the newest first."""
        found = [
            each
            for each in self.objects.values()
            if each["object"] == kind and all(each.get(name) == value for name, value in wanted.items())
        ]
        return found[::-1]
