"""Read what Meta delivers (developers.facebook.com, WhatsApp Cloud API, webhooks) into what the database keeps.

A field that is missing or of another type never loses a message: Meta leaves out telephone numbers of people with a
user name, and adds kinds of messages. What is not known is kept by its kind and shown as not supported.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from functions._shared import plain_text

LONGEST_BODY = 10_000
MEDIA = ("image", "video", "audio", "document", "sticker")
SUMMARIES = {"image": "Foto", "video": "Video", "audio": "Audio", "document": "Documento", "sticker": "Sticker"}
# A voice note that was played was read.
STATES = {"sent": "sent", "delivered": "delivered", "read": "read", "played": "read", "failed": "failed"}
UNSUPPORTED = "Messaggio non supportato"
PHONE = re.compile(r"[1-9][0-9]{6,14}")
# States of messages in the history of a phone.
PAST_STATES = {"DELIVERED": "delivered", "READ": "read", "PLAYED": "read", "ERROR": "failed"}
# The owner did not share the history.
NOT_SHARED = 2593109
PLACEHOLDER = "media_placeholder"
# Ids of accounts and numbers in a body that nobody has parsed yet, and how many of them are looked up.
IDS = re.compile(rb'"(?:phone_number_)?id"\s*:\s*"([0-9]{1,40})"')
MOST_IDS = 1000
# Changes of an account by which its owner, or Meta, ends the connection.
LOST = ("PARTNER_REMOVED", "PARTNER_APP_UNINSTALLED", "ACCOUNT_OFFBOARDED", "ACCOUNT_DELETED")


def changes(payload: Any) -> Iterator[tuple[str, dict[str, Any]]]:
    """Go through the changes of a delivery: the field and its value. They are lists in lists."""
    for entry in _objects(_part(payload, "entry")):
        for change in _objects(entry.get("changes")):
            yield _text(change.get("field"), 100), _object(change.get("value"))


def ids(body: bytes) -> list[str]:
    """Find what may be ids of accounts and numbers in a delivery.

    They say whose secret may have signed it, so they are found without parsing: what a stranger sends is searched only.
    """
    return list(dict.fromkeys(found.decode() for found in IDS.findall(body)))[:MOST_IDS]


def parts(payload: Any) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Go through the changes of a delivery: its account, the number that it names or "", and an entry with it alone."""
    for entry in _objects(_part(payload, "entry")):
        for change in _objects(entry.get("changes")):
            named = number_of(_object(change.get("value")))
            yield _text(entry.get("id"), 40), named, {**entry, "changes": [change]}


def delivery(entries: list[dict[str, Any]]) -> dict[str, Any]:
    """Write entries as a delivery of their own."""
    return {"object": "whatsapp_business_account", "entry": entries}


def is_lost(name: str, value: dict[str, Any]) -> bool:
    """Whether a change says that the connection of an account has ended."""
    return name == "account_update" and value.get("event") in LOST


def number_of(value: dict[str, Any]) -> str:
    """Return the phone_number_id that a change is about; empty when it names none."""
    return _text(_object(value.get("metadata")).get("phone_number_id"), 40)


def messages(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read the received messages of a change, as private.keep_whatsapp_message takes them."""
    people = list(_objects(value.get("contacts")))
    for message in _objects(value.get("messages")):
        if message_id := _text(message.get("id"), 200):
            yield _message(message_id, message, _sender(message, people))


def statuses(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read what became of sent messages, as private.keep_whatsapp_status takes it."""
    for status in _objects(value.get("statuses")):
        state = STATES.get(_text(status.get("status"), 20))
        if state is None:
            continue
        price, errors = _object(status.get("pricing")), list(_objects(status.get("errors")))
        error = errors[0] if errors else {}
        code, is_billable = error.get("code"), price.get("billable")
        yield {
            "our_id": _uuid(status.get("biz_opaque_callback_data")),
            "message_id": _text(status.get("id"), 200),
            "state": state,
            "at": _time(status.get("timestamp")).isoformat(),
            "code": code if isinstance(code, int) else None,
            "detail": _line(_object(error.get("error_data")).get("details"), 500),
            "price_category": _line(price.get("category"), 50),
            "price_kind": _line(price.get("type"), 50),
            "is_billable": is_billable if isinstance(is_billable, bool) else None,
        }


def echoes(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read what the owner wrote on the phone, as private.keep_phone_messages takes it."""
    for message in _objects(value.get("message_echoes")):
        person = _person(_text(message.get("to"), 30), _text(message.get("to_user_id"), 200))
        if told := _past(message, person, "uscita"):
            yield told


def history(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read old messages of the phone, as private.keep_phone_messages takes them.

    They come in threads, each of one person. What kind of file a message has comes apart from it, under `messages`.
    """
    ours = _digits(_object(value.get("metadata")).get("display_phone_number"))
    for piece in _objects(value.get("history")):
        for thread in _objects(piece.get("threads")):
            known = _object(thread.get("context"))
            person = _person(
                _text(known.get("wa_id") or thread.get("id"), 200), _text(known.get("user_id"), 200),
                _line(known.get("username"), 100),
            )  # fmt: skip
            for message in _objects(thread.get("messages")):
                is_ours = bool(ours) and _digits(message.get("from")) == ours
                if told := _past(message, person, "uscita" if is_ours else "entrata"):
                    yield told
    for message in _objects(value.get("messages")):
        is_ours = bool(ours) and _digits(message.get("from")) == ours
        other = _text(message.get("to" if is_ours else "from"), 200)
        if told := _past(message, _person(other), "uscita" if is_ours else "entrata"):
            yield told


def history_state(value: dict[str, Any]) -> tuple[str, int] | None:
    """Read the state and percentage of the history; None when a change has neither."""
    pieces = list(_objects(value.get("history")))
    codes = [error.get("code") for piece in pieces for error in _objects(piece.get("errors"))]
    if codes:
        return ("rifiutata" if NOT_SHARED in codes else "fallita"), 0
    told = [_object(piece.get("metadata")).get("progress") for piece in pieces]
    numbers = [
        int(one) for one in told if isinstance(one, int) or (isinstance(one, str) and one.isascii() and one.isdigit())
    ]
    return ("in_corso", min(max(numbers, default=0), 100)) if pieces else None


def address_book(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Read the contacts of the phone that were added or changed, as private.keep_phone_contacts takes them.

    One that was removed there stays a contact here.
    """
    for change in _objects(value.get("state_sync")):
        contact = _object(change.get("contact"))
        digits = _digits(contact.get("phone_number"))
        if change.get("type") == "contact" and change.get("action") != "remove" and PHONE.fullmatch(digits):
            name = _line(contact.get("full_name")) or _line(contact.get("first_name"))
            yield {"phone": f"+{digits}", "name": name}


def template(name: str, value: dict[str, Any]) -> dict[str, Any] | None:
    """Read a change of a template, as private.note_whatsapp_template takes it; None when it is about something else."""
    told = {
        "name": _text(value.get("message_template_name"), 512),
        "language": _text(value.get("message_template_language"), 20),
    }
    if name == "message_template_status_update":
        reason = _line(value.get("reason"), 500)
        return {**told, "state": _text(value.get("event"), 50), "reason": None if reason == "NONE" else reason}
    if name == "message_template_quality_update":
        return {**told, "quality": _text(value.get("new_quality_score"), 50)}
    if name == "template_category_update":
        return {**told, "category": _text(value.get("new_category"), 50)}
    return None


def _message(message_id: str, message: dict[str, Any], sender: dict[str, Any]) -> dict[str, Any]:
    kind = _text(message.get("type"), 50) or "unknown"
    part = _object(message.get(kind))
    body, summary, content = _content(kind, part, message)
    return {
        **sender,
        "message_id": message_id,
        "kind": kind,
        "body": body,
        "summary": summary,
        "refers_to": _refers_to(kind, part, message),
        "content": content,
        "at": _time(message.get("timestamp")).isoformat(),
    }


def _past(message: dict[str, Any], person: dict[str, Any], direction: str) -> dict[str, Any] | None:
    """Read a message of the phone; None without an id."""
    message_id = _text(message.get("id"), 200)
    if not message_id:
        return None
    state = PAST_STATES.get(_text(_object(message.get("history_context")).get("status"), 20), "sent")
    told = _message(message_id, message, person)
    summary = "Foto, video o altro file" if told["kind"] == PLACEHOLDER else told["summary"]
    return {**told, "summary": summary, "direction": direction, "state": state}


def _person(told: str, bsuid: str = "", username: str | None = None) -> dict[str, Any]:
    """Describe the other side of a message of the phone, known by its digits or by its BSUID."""
    digits = _digits(told) if re.fullmatch(r"[+0-9 ()-]+", told) else ""
    phone = f"+{digits}" if PHONE.fullmatch(digits) else None
    return {"bsuid": bsuid or (None if phone else told or None), "phone": phone, "name": None, "username": username}


def _sender(message: dict[str, Any], people: list[dict[str, Any]]) -> dict[str, Any]:
    """Find out who wrote; the entry of `contacts` has the name."""
    bsuid, digits = _text(message.get("from_user_id"), 200), _text(message.get("from"), 30)
    fitting = [
        one for one in people if _text(one.get("user_id"), 200) == bsuid or _text(one.get("wa_id"), 30) == digits
    ]
    person = fitting[0] if fitting else _object(people[0] if len(people) == 1 else None)
    profile = _object(person.get("profile"))
    bsuid = bsuid or _text(person.get("user_id"), 200)
    digits = digits or _text(person.get("wa_id"), 30)
    phone = f"+{digits}" if PHONE.fullmatch(digits) else None
    return {
        # A message without any identifier is kept too: under the one of its own.
        "bsuid": bsuid or (None if phone else f"message {_text(message.get('id'), 180)}"),
        "phone": phone,
        "name": _line(profile.get("name")),
        "username": _line(profile.get("username"), 100),
    }


def _content(kind: str, part: dict[str, Any], message: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    """Return the text, one line about it, and what is no text."""
    if kind in MEDIA:
        return _media(kind, part)
    body = _body(kind, part)
    if kind == "reaction":
        return body, f"Reazione: {body}" if body else "Reazione tolta", {}
    if kind == "location":
        place = {name: part[name] for name in ("latitude", "longitude") if isinstance(part.get(name), int | float)}
        names = {name: _line(part.get(name)) for name in ("name", "address")}
        return body, "Posizione", {"location": {**place, **names}}
    if kind == "contacts":
        people = [_line(_object(one.get("name")).get("formatted_name")) for one in _objects(message.get("contacts"))]
        return "", "Contatto condiviso", {"contacts": [name for name in people if name][:20]}
    if kind == "revoke":
        return "", "Messaggio eliminato", {}
    if body:
        return body, body[:10_000], {}
    codes = [error.get("code") for error in _objects(message.get("errors"))]
    return "", UNSUPPORTED, {"code": codes[0]} if codes and isinstance(codes[0], int) else {}


def _media(kind: str, part: dict[str, Any]) -> tuple[str, str, dict[str, Any]]:
    name, caption = _line(part.get("filename")), _text(part.get("caption"), LONGEST_BODY)
    is_voice = part.get("voice") is True
    media = {
        "id": _text(part.get("id"), 200),
        "mime": _line(part.get("mime_type"), 100),
        "sha256": _line(part.get("sha256"), 100),
        "name": name,
        "is_voice": is_voice,
    }
    label = "Messaggio vocale" if is_voice else SUMMARIES[kind]
    told = [text for text in (name, caption) if text]
    return caption, f"{label}: {' · '.join(told)}"[:10_000] if told else label, {"media": media}


def _body(kind: str, part: dict[str, Any]) -> str:
    """Return the words of a message without a file."""
    if kind == "interactive":
        reply = next(
            (_object(part.get(name)) for name in ("button_reply", "list_reply", "nfm_reply") if name in part), {}
        )
        return _text(reply.get("title") or reply.get("body"), LONGEST_BODY)
    if kind == "edit":
        return _text(_object(_object(part.get("message")).get("text")).get("body"), LONGEST_BODY)
    names = {"text": "body", "button": "text", "reaction": "emoji", "system": "body", "order": "text"}
    return _text(part.get(names.get(kind, "")), LONGEST_BODY)


def _refers_to(kind: str, part: dict[str, Any], message: dict[str, Any]) -> str | None:
    named = {"reaction": "message_id", "edit": "original_message_id", "revoke": "original_message_id"}.get(kind)
    told = part.get(named) if named else _object(message.get("context")).get("id")
    return _text(told, 200) or None


def _time(told: Any) -> datetime:
    """Read Unix seconds, a string; now when they are none."""
    try:
        return datetime.fromtimestamp(int(told), UTC)
    except (TypeError, ValueError, OverflowError, OSError):
        return datetime.now(UTC)


def _digits(told: Any) -> str:
    return re.sub(r"\D", "", _text(told, 200), flags=re.ASCII)


def _uuid(told: Any) -> str | None:
    try:
        return str(UUID(told))
    except (TypeError, ValueError, AttributeError):
        return None


def _part(told: Any, name: str) -> Any:
    return told.get(name) if isinstance(told, dict) else None


def _object(told: Any) -> dict[str, Any]:
    return told if isinstance(told, dict) else {}


def _objects(told: Any) -> Iterator[dict[str, Any]]:
    return (one for one in told if isinstance(one, dict)) if isinstance(told, list) else iter(())


def _text(told: Any, most: int) -> str:
    return plain_text.clean(told)[:most] if isinstance(told, str) else ""


def _line(told: Any, most: int = 200) -> str | None:
    return " ".join(_text(told, 2000).split())[:most] or None
