"""Have the provider of AI write down what a recording says (OpenAI's `POST /audio/transcriptions`).

`AI_VOICE_MODEL` names the model of the provider that AI_MODEL sets: whisper-1 at OpenAI, voxtral-mini-latest at
Mistral, any name of a server of one's own that speaks OpenAI's format. Anthropic has none. Without it recordings stay
as they are.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import aiohttp

from backend.edge import api
from functions._shared.assistant import limits, provider

# An answer is a text of some thousand characters.
MAX_ANSWER_BYTES = 1024 * 1024
# A recording of twenty minutes is heard within one.
TIMEOUT_S = 100.0
# Fast speech has twenty characters a second; a model that repeats itself in a loop has more than this.
MOST_CHARACTERS_A_S, SPARE_CHARACTERS = 40, 200


class Unheard(Exception):
    """There is no text. `reason` is a value of public.transcript_error, `cause` is for the log.

    `is_passing` says that the provider was away or busy, so that another try may help.
    """

    def __init__(self, reason: str, cause: str = "", *, is_passing: bool = False) -> None:
        super().__init__(f"{reason}: {cause}" if cause else reason)
        self.reason = reason
        self.is_passing = is_passing


def choice(context: api.Context) -> provider.Choice | None:
    """Return the model that hears, None when the installation has none; a wrong setting counts as none."""
    name = context.secret("AI_VOICE_MODEL").strip() if context.has_secret("AI_VOICE_MODEL") else ""
    try:
        chosen = provider.choice(context) if name else None
    except provider.Unavailable:
        return None
    return replace(chosen, name=name) if chosen and chosen.kind != "anthropic" else None


async def heard(
    context: api.Context, chosen: provider.Choice, filename: str, mime: str, content: bytes, length_s: int
) -> str:
    """Return the words of a recording: Ogg, MP3 or M4A, which all providers take. Raises Unheard."""
    breaker = provider.breaker(chosen)
    if not breaker.admit():
        raise Unheard("fornitore", "breaker open", is_passing=True)
    form = aiohttp.FormData({"model": chosen.name, "response_format": "json"})
    form.add_field("file", content, filename=filename, content_type=mime)
    try:
        answer = await context.http.request(
            "POST", f"{chosen.base_url}/audio/transcriptions", data=form,
            headers={"Authorization": f"Bearer {chosen.key}"} if chosen.key else {},
            timeout_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES,
        )  # fmt: skip
    except api.OutwardError as error:
        breaker.failed()
        raise Unheard("fornitore", str(error), is_passing=True) from error
    except asyncio.CancelledError:
        breaker.gave_up()
        raise
    if answer.status >= 500:
        breaker.failed()
    else:
        breaker.succeeded()
    return _words(answer, length_s)


def _words(answer: api.Answer, length_s: int) -> str:
    """Read the answer. Raises Unheard."""
    if answer.status == 429:
        raise Unheard("occupato", "status 429", is_passing=True)
    if answer.status in (400, 413, 415, 422):
        raise Unheard("file", f"status {answer.status}")
    if answer.status >= 500 or answer.status == 408:
        raise Unheard("fornitore", f"status {answer.status}", is_passing=True)
    if answer.status != 200:
        raise Unheard("rifiutato", f"status {answer.status}")
    try:
        told: Any = answer.json()
    except api.OutwardError as error:
        raise Unheard("fornitore", str(error)) from error
    text = told.get("text") if isinstance(told, dict) else None
    if not isinstance(text, str):
        raise Unheard("fornitore", "the answer has no text")
    words = limits.written(text)
    if not words:
        raise Unheard("vuoto")
    if len(words) > MOST_CHARACTERS_A_S * length_s + SPARE_CHARACTERS:
        raise Unheard("fornitore", f"{len(words)} characters for {length_s} s")
    return words
