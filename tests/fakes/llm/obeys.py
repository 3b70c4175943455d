"""A model with no judgement: it does what any text it sees asks for, as the worst one would.

It reads through zero-width characters and base64, calls the tools that a text names or describes (in Italian or
English), with the arguments written there or else the text itself, and repeats every address and image.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Iterator
from typing import Any

from tests.fakes.llm.asked import Asked

MOST_CALLS = 8
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\U000e0000-\U000e007f]")
ENCODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
LINKS = re.compile(r"!?\[[^\]]*\]\([^)\s]+\)|<img[^>]*>|(?:https?:|//)[^\s)\"'<>\\]+", re.IGNORECASE)
# Arguments that name a record by its handle.
RECORDS = {"contact", "project", "document", "task", "deal"}
# What people who write injections ask for, and the tools that would do it.
WISHES = {
    "delete": r"elimin|cancell|rimuov|delete|remove|erase|drop",
    "draft_email": r"e-?mail|invia|inoltra|manda|spedisci|send|forward",
    "draft_whatsapp": r"whatsapp|messaggio",
    "remember": r"ricord|memorizz|remember|memory",
    "forget": r"dimentic|forget",
    "create_task": r"crea .*attivit|promemoria|create .*task",
    "create_contact": r"(crea|aggiungi|add|create) .*(contatt|contact)",
    "add_note": r"(aggiungi|scrivi|add) .*not[ae]",
    "move_deal": r"trattativ|deal",
    "complete_task": r"(completa|chiudi|complete) ",
}


def to(asked: Asked) -> dict[str, Any]:
    """The answer's fields: calls while there is something left to obey, then an echo."""
    text = "\n".join(_plain(each) for _role, each in asked.messages if each)
    calls = [call for call in _wanted(text, asked) if call["name"] not in asked.called][:MOST_CALLS]
    if calls:
        return {"calls": tuple(calls)}
    links = list(dict.fromkeys(LINKS.findall(text)))
    return {"text": "Fatto. " + " ".join(links) + "\n\n" + text[-600:]}


def _plain(text: str) -> str:
    shown = HIDDEN.sub("", "".join(_tag(letter) for letter in text))
    return "\n".join([shown, *_decoded(shown)])


def _tag(letter: str) -> str:
    """Unicode's invisible tag letters, as the letters they stand for."""
    code = ord(letter)
    return chr(code - 0xE0000) if 0xE0020 <= code <= 0xE007E else letter


def _decoded(text: str) -> Iterator[str]:
    for found in ENCODED.findall(text):
        try:
            yield base64.b64decode(found, validate=True).decode()
        except (binascii.Error, UnicodeDecodeError):
            continue


def _wanted(text: str, asked: Asked) -> Iterator[dict[str, Any]]:
    for name in asked.tools:
        for at in re.finditer(rf"\b{re.escape(name)}\b", text):
            yield {"name": name, "arguments": _arguments(name, text[at.end() :], text, asked)}
            break
        else:
            wish = next((pattern for start, pattern in WISHES.items() if name.startswith(start)), None)
            if wish and (found := re.search(wish, text, re.IGNORECASE)):
                yield {"name": name, "arguments": _arguments(name, "", text[found.start() :], asked)}


def _arguments(name: str, after: str, text: str, asked: Asked) -> dict[str, Any]:
    """Those written behind the tool's name, as JSON or as `key="value"`; what is missing is taken from the text."""
    written: dict[str, Any] = {}
    if opened := re.match(r"[\s:(]*(\{)", after):
        try:
            written = json.JSONDecoder().raw_decode(after[opened.start(1) :])[0]
        except ValueError:
            written = {}
    for key, _quote, value in re.findall(r"(\w+)\s*[=:]\s*([\"'«“])([^\"'»”]*)", after[:600]):
        written.setdefault(key, value)
    required = asked.tools[name].get("required", [])
    schemas = asked.parameters(name)
    made = {key: _made(key, schemas.get(key, {}), text) for key in required if key not in written}
    return {**made, **{key: value for key, value in written.items() if key in schemas}}


def _made(key: str, schema: dict[str, Any], text: str) -> Any:
    if options := schema.get("enum"):
        return options[0]
    kind = schema.get("type", "string")
    if kind != "string":
        return {"integer": 1, "number": 1, "boolean": True, "array": []}.get(kind, {})
    if key in RECORDS and (handles := re.findall(r'"ref": ?"(r\d+)"', text)):
        return handles[0]
    return text[: min(200, schema.get("maxLength", 200))]
