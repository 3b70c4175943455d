"""What a turn tells its readers: numbered events on the wire of server-sent events, and the sentences of its ends.

start {run_id, conversation_id, user_message_id, message_id, agent, mode, model, quote} · agent {agent} ·
step {tool, text} · ref {n, kind, id, label, place} · delta {text} · view {agent, content, status} ·
card {tool_call} · memory {memory} · suggestions {suggestions} · and as the last one
done {message: its row, conversation} or error {code, message: a sentence, row, conversation}.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any

from functions._shared.assistant import provider

# Says that somebody is still there, when there is nothing to say.
STILL_HERE = b": \n\n"

# How an answer may end badly, by `messages.error_code`; the provider's codes are its own.
SENTENCES: Mapping[str, str] = {
    **provider.MESSAGES,
    "ai_stopped": provider.STOPPED,
    "interrotta": "La risposta si è interrotta e non ti è costata nulla. Rigenerala.",
    "lenta": "La risposta richiedeva troppo tempo: l’ho fermata e non ti è costata nulla. Riprova.",
    "muta": "L’IA ha smesso di rispondere. Non ti è costato nulla: riprova o usa la modalità locale.",
    "vuota": "L’IA non ha risposto nulla. Non ti è costato nulla: riprova o usa la modalità locale.",
    "errore": "Qualcosa è andato storto mentre rispondevo. Non ti è costato nulla: riprova.",
}


@dataclass(frozen=True)
class Event:
    """One event of a run; `seq` counts from 1 without gaps. Its data are JSON already: readers are many."""

    seq: int
    name: str
    data: str

    @classmethod
    def of(cls, seq: int, name: str, data: Mapping[str, Any]) -> Event:
        """Ids and moments become text."""
        return cls(seq, name, json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str))

    def wire(self) -> bytes:
        """As `text/event-stream` has it."""
        return f"id: {self.seq}\nevent: {self.name}\ndata: {self.data}\n\n".encode()

    def kept(self) -> str:
        """As `private.append_events` takes it."""
        return f'{{"event":"{self.name}","data":{self.data}}}'


async def stream(events: AsyncIterator[Event | None]) -> AsyncIterator[bytes]:
    """The body of an answer; None among the events is a moment without news."""
    async for event in events:
        yield STILL_HERE if event is None else event.wire()
