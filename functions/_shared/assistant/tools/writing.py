"""What every write keeps to: it is resolved and previewed when a model asks for it, and carried out or taken back when
the person says so; each step runs as that person, in the transaction of the one who calls.

A write never trusts what it wrote down itself: the arguments come back from the browser, edited or not, and what is
needed to undo lies in a row that its owner may write.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Annotated, Any, ClassVar, Generic, Literal, TypeVar
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, StringConstraints, ValidationError

from backend.edge import api
from functions._shared.assistant.tools.answers import Arguments
from functions._shared.assistant.turn import ROME, RefKind, Turn

Risk = Literal["basso", "medio", "alto"]
# What lies in the trash is erased after so long (functions/_shared/retention.py).
TRASH = timedelta(days=30)


# How models cite: in a text of its own it says nothing.
_CITED = re.compile(r"[ \t]*\[\[r\d{1,4}\]\]")


def _uncited(value: Any) -> Any:
    return _CITED.sub("", value) if isinstance(value, str) else value


def _one_line(value: str) -> str:
    return " ".join(value.split())


Line = Annotated[
    str,
    BeforeValidator(_uncited),
    StringConstraints(strip_whitespace=True, min_length=1, max_length=200),
    AfterValidator(_one_line),
]
MAX_TEXT = 5_000
Text = Annotated[
    str, BeforeValidator(_uncited), StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_TEXT)
]
# A name or a handle, as models give it.
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class Impossible(Exception):
    """The arguments will not do, and others would: `field` says which one, the message what to do, in Italian."""

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class Gone(Exception):
    """What it was about is not there any more; the message says so in Italian."""


@dataclass(frozen=True)
class Work:
    """Where a write is done: a transaction with the person's rights, and the time. `call_id` is that of the proposal:
    what it creates has this id, so that it cannot be created twice."""

    connection: api.Connection
    now: datetime
    call_id: str = ""
    conversation_id: str | None = None

    @property
    def today(self) -> date:
        """On the clock in Rome."""
        return self.now.astimezone(ROME).date()


@dataclass(frozen=True)
class Preview:
    """What the person is shown, and what the rules look at."""

    title: str
    lines: tuple[tuple[str, str | None], ...] = ()
    body: str | None = None
    before: str | None = None
    # Names of the records that it touches.
    about: tuple[str, ...] = ()
    # What a model, or an edit, wrote.
    texts: tuple[str, ...] = ()
    recipients: int = 0
    # What the contact said to messages of this channel: 'dato', 'negato', 'revocato', 'non_richiesto'.
    consent: str | None = None
    marketing: str | None = None
    # How many messages they got, or were drafted for them, in seven days.
    recent: int = 0
    # The person wrote its text themselves: no figure of it is doubted, and models are not shown it.
    is_own_text: bool = False

    def to_json(self) -> dict[str, Any]:
        """As tool_calls.preview has it."""
        lines = [{"label": label, "value": value} for label, value in self.lines if value]
        return {"title": self.title, "lines": lines} | {
            name: value for name, value in (("body", self.body), ("before", self.before)) if value
        }


@dataclass(frozen=True)
class Done:
    """What came of it: a sentence, the record, and what is needed to take it back (None: it cannot be)."""

    text: str
    kind: RefKind | None = None
    id: str | None = None
    label: str = ""
    undo: dict[str, Any] | None = None
    undo_until: datetime | None = None
    more: dict[str, Any] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """As tool_calls.result has it."""
        ref = {"kind": self.kind, "id": self.id, "label": self.label} if self.kind and self.id else None
        return {"ref": ref, "text": self.text, **self.more}


Asked = TypeVar("Asked", bound=Arguments)
Args = TypeVar("Args", bound=Arguments)


class Write(ABC, Generic[Asked, Args]):
    """A tool that changes something. Its docstring is what models read."""

    name: ClassVar[str]
    # The person reads these: the title of a card, and what is going on.
    label: ClassVar[str]
    step: ClassVar[str]
    risk: ClassVar[Risk] = "basso"
    reversible: ClassVar[bool] = True
    outward: ClassVar[bool] = False
    deletes: ClassVar[bool] = False
    # It says something about the person's money.
    money: ClassVar[bool] = False
    needs_memory: ClassVar[bool] = False
    # What a model says, and what is kept: names have become ids.
    asked: type[Asked]
    args: type[Args]

    @abstractmethod
    async def resolve(self, work: Work, turn: Turn, asked: Asked) -> Args:
        """What is meant. Raises Unanswered, Impossible or Gone."""

    @abstractmethod
    async def preview(self, work: Work, args: Args) -> Preview:
        """Exactly what would be stored. Raises Impossible or Gone."""

    @abstractmethod
    async def execute(self, work: Work, args: Args) -> Done:
        """Does it. Raises Impossible or Gone."""

    @abstractmethod
    async def undo(self, work: Work, undo: dict[str, Any]) -> None:
        """Takes it back. Raises Impossible when something came in between, or Gone."""

    async def edited(self, _work: Work, _before: Args, after: Args) -> Args:
        """What an edit means, where more than the field decides: the day, or a name. Raises Impossible."""
        return after

    @property
    def description(self) -> str:
        """What models read."""
        return " ".join((self.__doc__ or "").split())


def uuid(undo: dict[str, Any], key: str) -> UUID:
    """An id of what was kept to undo. Raises Impossible."""
    try:
        return UUID(str(undo[key]))
    except (KeyError, ValueError) as error:
        raise Impossible("Questa azione non si può annullare") from error


def uuids(undo: dict[str, Any], key: str) -> list[UUID]:
    """Ids of what was kept to undo. Raises Impossible."""
    return [uuid({key: each}, key) for each in undo.get(key) or ()]


def moment(value: Any) -> datetime | None:
    """A moment of what was kept to undo."""
    return datetime.fromisoformat(value) if isinstance(value, str) else None


def fields_of(error: ValidationError) -> dict[str, str]:
    """What is wrong with which argument, in Italian."""
    return {str(each["loc"][0]) if each["loc"] else "": _sentence(each) for each in error.errors()}


def _sentence(error: Any) -> str:
    context = error.get("ctx", {})
    return {
        "missing": "Manca",
        "string_too_short": f"Almeno {context.get('min_length')} caratteri"
        if context.get("min_length", 1) > 1
        else "Scrivi qualcosa",
        "string_too_long": f"Al massimo {context.get('max_length')} caratteri",
        "string_type": "Scrivi qualcosa",
        "value_error": str(context.get("error", "Non valido")),
        "extra_forbidden": "Questo campo non c’è",
    }.get(error["type"], "Non valido")
