"""What one turn of a conversation knows, and what its tools leave behind: citable records and proposed writes.

A model never sees an id. A tool registers the records it returns and hands out handles (`r1`, `r2`, …); a model
cites by `[[r1]]`, and what was not handed out in this turn cannot be cited (CHAT-07).
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal
from zoneinfo import ZoneInfo

from backend.edge import api
from functions._shared.assistant import origins

ROME = ZoneInfo("Europe/Rome")

RefKind = Literal[
    "contact",
    "deal",
    "task",
    "project",
    "document",
    "invoice",
    "memory",
    "note",
    "draft",
    "credits",
    "mail",
    "whatsapp",
    "goal",
]


@dataclass(frozen=True)
class Ref:
    """A record that a tool returned. `place` says where in a document: {page, word_from, word_to, quote}."""

    handle: str
    kind: RefKind
    id: str
    label: str
    place: Mapping[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """As the client and `messages.refs` have it."""
        return {
            "kind": self.kind,
            "id": self.id,
            "label": self.label,
            "place": dict(self.place) if self.place else None,
        }


class Refs:
    """The records that tools returned in this turn; the same record and place keeps its handle."""

    def __init__(self) -> None:
        self._known: dict[str, Ref] = {}

    def add(self, kind: RefKind, id_: object, label: str, place: Mapping[str, Any] | None = None) -> str:
        """The handle of a record."""
        for ref in self._known.values():
            if (ref.kind, ref.id, ref.place) == (kind, str(id_), place):
                return ref.handle
        # Anybody may have written it; a browser shows it, and tools say it back.
        ref = Ref(f"r{len(self._known) + 1}", kind, str(id_), origins.bare(label), place)
        self._known[ref.handle] = ref
        return ref.handle

    def get(self, handle: str) -> Ref | None:
        """The record of a handle, if it was handed out."""
        return self._known.get(handle)

    def all(self) -> list[Ref]:
        """In the order in which tools returned them."""
        return list(self._known.values())


@dataclass
class Turn:
    """One turn: the dependencies (`deps`) of every tool. Only its owner's rights are at hand (RLS)."""

    context: api.Context
    user_id: str
    conversation_id: str
    message_id: str
    # What the person wrote, as they wrote it: the only text that may instruct.
    question: str
    now: datetime
    # The documents they attached, and the record they pointed at (a suggestion that was clicked).
    attachments: tuple[str, ...] = ()
    picked: Ref | None = None
    uses_memory: bool = True
    # No rule read what the person wants, only likeness to other sentences: whatever is proposed asks.
    is_read_by_likeness: bool = False
    # Tools that may act at once in this conversation (reversible internal writes only).
    auto_approve: frozenset[str] = frozenset()
    refs: Refs = field(default_factory=Refs)
    # Ids of memories that stood beside the question.
    memories: list[str] = field(default_factory=list)
    # Origins of what this turn has read that strangers may have written: «documento», «contatto», «nota», «e-mail».
    tainted_by: set[str] = field(default_factory=set)
    # Those texts themselves: what of them comes back in a proposal is told (E-09).
    untrusted: list[str] = field(default_factory=list)
    # What tools returned, for the check of figures.
    results: list[Any] = field(default_factory=list)
    # Figures that earlier answers of the conversation had from tools, for the same check.
    earlier: list[str] = field(default_factory=list)
    # Rows of public.tool_calls that this turn proposed.
    proposals: list[dict[str, Any]] = field(default_factory=list)
    # Answers that the person may click: {label, text, ref: {kind, id, label} | None}.
    suggestions: list[dict[str, Any]] = field(default_factory=list)

    @property
    def local_now(self) -> datetime:
        """The person's wall clock."""
        return self.now.astimezone(ROME)

    def database(self) -> AbstractAsyncContextManager[api.Connection]:
        """A transaction with the rights of the person who asks."""
        return self.context.as_caller()
