"""Writes the questions by which the local model tells the nearest reading of what no rule understands.

Taken from the sentences that it was tuned on (tests/vectors/assistant), never from those held out. Orders and what is
none of its business are counted as well: who asks for those is not answered with something else.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from functions._shared.assistant.local.match import WRITES
from scripts.paths import ROOT

VECTORS = ROOT / "tests" / "vectors" / "assistant"
OUTPUT = ROOT / "functions" / "_shared" / "assistant" / "local" / "examples.json"
# The slots that belong to a reading; names and days are read from the sentence itself.
_KEPT = {"tasks": ("when",), "deals": ("state",), "invoices": ("state", "direction")}
_OTHER = ("unknown", "recall", "cannot", "incomplete", "decide")


def written() -> str:
    """The file as it should stand."""
    return json.dumps(_examples(), ensure_ascii=False, indent=1) + "\n"


def _examples() -> dict[str, list[str]]:
    found: dict[str, set[str]] = {}
    for phrase in _phrases():
        found.setdefault(_reading(phrase), set()).add(phrase["text"])
    return {reading: sorted(found[reading]) for reading in sorted(found)}


def _phrases() -> Iterator[dict[str, Any]]:
    for file in sorted(VECTORS.glob("*.json")):
        if file.name != "answers.json":
            yield from (each for each in json.loads(file.read_text("utf-8")) if _stands_alone(each))


def _stands_alone(phrase: dict[str, Any]) -> bool:
    return "before" not in phrase and phrase["intent"] != "*read"


def _reading(phrase: dict[str, Any]) -> str:
    intent = phrase["intent"]
    if intent in WRITES:
        return "order"
    if intent in _OTHER:
        return "other"
    slots = (f"{name}:{phrase[name]}" for name in _KEPT.get(intent, ()) if name in phrase)
    return " ".join((intent, *slots))


if __name__ == "__main__":
    OUTPUT.write_text(written(), "utf-8")
