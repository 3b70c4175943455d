"""What one turn may take, and what of a person's text is kept: nothing that is not writing."""

from __future__ import annotations

import re

# What a person may write, and what a model is shown of the conversation so far.
QUESTION_CHARACTERS = 20_000
HISTORY_MESSAGES, HISTORY_CHARACTERS = 30, 24_000
# Of one attached document, and of all of a turn.
DOCUMENT_CHARACTERS, DOCUMENTS_CHARACTERS = 8_000, 24_000
MOST_ATTACHMENTS = 10

ANSWER_TOKENS, ANSWER_CHARACTERS = 8_000, 40_000
MODEL_STEPS, TOOL_CALLS = 8, 12
# The whole turn, and silence of whoever answers: a little longer than the provider's connection may be silent, which
# can tell why (provider.Limits). Who thinks deeply is silent for longer.
TURN_S, STALL_S, DEEP_STALL_S = 120.0, 30.0, 65.0

TITLE_CHARACTERS = 60
# What is no writing: control characters but line and tab, halves of surrogates, and overrides of the direction, which
# make a text look like another one.
_NO_WRITING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\u202a-\u202e\u2066-\u2069]")


def clean(text: str) -> str:
    """A text, or a piece of one, without what is no writing."""
    return _NO_WRITING.sub("", text)


def written(typed: str) -> str:
    """What a person typed, as it is kept."""
    return clean(typed.replace("\r\n", "\n").replace("\r", "\n")).strip()


def title(question: str) -> str | None:
    """What a conversation is called after its first question: its first words, on one line."""
    line = " ".join(question.split())
    if len(line) > TITLE_CHARACTERS:
        line = line[: TITLE_CHARACTERS - 1].rsplit(" ", 1)[0].rstrip(" ,;:.-–(") + "…"
    return line[:1].upper() + line[1:] or None
