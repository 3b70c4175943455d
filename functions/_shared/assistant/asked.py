"""What a client asks of the assistant, read strictly: the body of `POST /functions/v1/chat`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, get_args
from uuid import UUID

from backend.edge import api
from functions._shared.assistant import agents_data, limits
from functions._shared.assistant.turn import RefKind

LABEL_CHARACTERS = 200
MOST_CREDITS = 1_000_000


@dataclass(frozen=True)
class Question:
    """One question, as `private.begin_turn` takes it."""

    content: str
    mode: str
    client_key: str
    conversation_id: str | None
    parent_id: str | None
    # An answer that shall be given anew; the question stays.
    regenerate: str | None
    attachments: tuple[str, ...]
    # The record that was pointed at: {kind, id, label}.
    picked: Mapping[str, str] | None
    agent: str | None
    is_deep: bool
    is_temporary: bool
    # The price that the person was shown; None where there was none to show.
    max_credits: int | None

    def to_json(self) -> dict[str, Any]:
        """The turn for the database, without its model."""
        return asdict(self)


def invalid(reason: str) -> api.Refused:
    """400."""
    return api.Refused(400, "validation_failed", reason)


def of_body(body: Mapping[str, Any]) -> Question:
    """A question. Raises Refused 400 with what is wrong with it."""
    regenerate = _optional_identifier(body, "regenerate")
    mode, agent = body.get("mode"), body.get("agent")
    if mode not in ("locale", "ia"):
        raise invalid("Scegli la modalità: locale o ia")
    if not (agent is None or agent in agents_data.CHOICES):
        raise invalid("Questo agente non esiste")
    return Question(
        content="" if regenerate else _content(body.get("content")),
        mode=mode,
        client_key=identifier(body.get("client_key"), "client_key"),
        conversation_id=_optional_identifier(body, "conversation_id"),
        parent_id=_optional_identifier(body, "parent_id"),
        regenerate=regenerate,
        attachments=_attachments(body.get("attachments")),
        picked=_picked(body.get("picked")),
        agent=agent,
        is_deep=_flag(body, "deep"),
        is_temporary=_flag(body, "is_temporary"),
        max_credits=_credits(body.get("max_credits")),
    )


def identifier(value: object, name: str) -> str:
    """An id. Raises Refused 400."""
    try:
        return str(UUID(value)) if isinstance(value, str) else str(UUID(""))
    except ValueError as error:
        raise invalid(f"{name} non è un identificativo") from error


def _optional_identifier(body: Mapping[str, Any], name: str) -> str | None:
    return None if body.get(name) is None else identifier(body[name], name)


def _flag(body: Mapping[str, Any], name: str) -> bool:
    value = body.get(name, False)
    if not (value is None or isinstance(value, bool)):
        raise invalid(f"{name} è vero o falso")
    return bool(value)


def _credits(given: object) -> int | None:
    if given is None:
        return None
    # True is a number for Python.
    if isinstance(given, bool) or not isinstance(given, int) or not 0 <= given <= MOST_CREDITS:
        raise invalid("max_credits è un numero di crediti")
    return given


def _content(typed: object) -> str:
    if not isinstance(typed, str):
        raise invalid("Scrivi una domanda")
    text = limits.written(typed)
    if not text:
        raise invalid("Scrivi una domanda")
    if len(text) > limits.QUESTION_CHARACTERS:
        length = f"{len(text):,}".replace(",", ".")
        raise invalid(f"La domanda ha {length} caratteri: al massimo possono essere 20.000")
    return text


def _attachments(given: object) -> tuple[str, ...]:
    if given is None:
        return ()
    if not isinstance(given, list):
        raise invalid("Gli allegati sono un elenco di documenti")
    if len(given) > limits.MOST_ATTACHMENTS:
        raise invalid(f"Al massimo {limits.MOST_ATTACHMENTS} documenti per domanda")
    return tuple(dict.fromkeys(identifier(each, "attachments") for each in given))


def _picked(given: object) -> dict[str, str] | None:
    if given is None:
        return None
    if not isinstance(given, dict) or given.get("kind") not in get_args(RefKind):
        raise invalid("La voce scelta non esiste")
    label = given.get("label")
    if not isinstance(label, str) or not 1 <= len(label) <= LABEL_CHARACTERS:
        raise invalid("La voce scelta non ha un nome")
    return {"kind": given["kind"], "id": identifier(given.get("id"), "picked"), "label": limits.clean(label)}
