"""The model behind AI_MODEL: `<provider>:<model>`, with AI_API_KEY and, for an address of one's own, AI_BASE_URL.

    openai:<model>       anthropic:<model>       mistral:<model>       compatible:<model> (Ollama, vLLM, LM Studio, …)

This module says what is chosen and whether it answers, and is light; the libraries are imported by `model` in a thread.
The key is never logged and stands in no error.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from backend.edge import api
from functions._shared.assistant.breaker import Breaker

if TYPE_CHECKING:
    from pydantic_ai.models import Model

LABELS = {"openai": "OpenAI", "anthropic": "Anthropic", "mistral": "Mistral"}
BASE_URLS = {
    "openai": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    # The endpoint that stays in Europe; api.mistral.ai goes anywhere.
    "mistral": "https://api.eu.mistral.ai/v1",
}
# Where their operators say that a request is read and answered within the European Union (Mistral: or EFTA).
EU_HOSTS = {"api.eu.mistral.ai", "eu.api.openai.com"}

LOCAL_MODE = "Riprova tra poco o usa la modalità locale."
STOPPED = (
    "Abbiamo fermato l’IA per tutti, per il momento: non ti costa nulla. "
    "La modalità locale (0 crediti) e tutto il resto funzionano."
)
MESSAGES = {
    "ai_unavailable": f"L’IA non risponde in questo momento. {LOCAL_MODE}",
    "ai_busy": f"L’IA ha troppe richieste in questo momento. {LOCAL_MODE}",
    "ai_timeout": f"L’IA ci mette troppo a rispondere. {LOCAL_MODE}",
    "ai_cut": "La risposta si è interrotta. Riprova: questa non ti costa nulla.",
    "ai_refused": "Il fornitore dell’IA ha rifiutato la richiesta. Usa la modalità locale.",
    "ai_misconfigured": "L’IA non è configurata bene su questa installazione. Usa la modalità locale.",
    "ai_garbage": "L’IA ha dato una risposta inutilizzabile. Riprova con altre parole.",
    "ai_too_long": "La richiesta è troppo lunga per l’IA. Accorciala o apri una nuova conversazione.",
    "ai_limit": "La richiesta chiede troppi passaggi in una volta. Dividila in più domande.",
}


class Unavailable(Exception):
    """The model gave no answer; `message_it` is for the person, `cause` for the log, without the key.

    `code` is one of MESSAGES; `retriable` says whether the same request may work in a while, `retry_after_s` when.
    """

    def __init__(
        self, code: str, *, cause: str = "", retriable: bool = False, retry_after_s: float | None = None
    ) -> None:
        super().__init__(f"{code}: {cause}" if cause else code)
        self.code, self.message_it, self.cause = code, MESSAGES[code], cause
        self.retriable, self.retry_after_s = retriable, retry_after_s


@dataclass(frozen=True)
class Choice:
    """Which model is set: its provider (openai, anthropic, mistral, compatible), name and address."""

    kind: str
    name: str
    base_url: str
    key: str = field(repr=False)

    @property
    def host(self) -> str:
        """Where it is asked."""
        return urlsplit(self.base_url).hostname or self.kind

    @property
    def label(self) -> str:
        """The provider as people know it."""
        return LABELS.get(self.kind) or self.host

    @property
    def in_eu(self) -> bool | None:
        """Whether its operator serves it from the European Union; None when that is not known."""
        if self.kind == "compatible":
            return None
        return self.host in EU_HOSTS


@dataclass(frozen=True)
class Limits:
    """How long an answer may take, and how often a request that got no byte is sent. In seconds."""

    connect_s: float = 5.0
    first_byte_s: float = 25.0
    between_bytes_s: float = 25.0
    whole_s: float = 110.0
    attempts: int = 3
    backoff_s: float = 0.5
    # A provider that asks for a longer pause is not waited for.
    longest_wait_s: float = 15.0
    # Whether silence in the middle of an answer tells anything about the provider: some think without a word.
    is_silence_blamed: bool = True


# Of a model that is asked to think hard.
DEEP = Limits(first_byte_s=60.0, between_bytes_s=60.0, is_silence_blamed=False)


# One for each provider that this process has asked; nobody changes them while it runs.
_breakers: dict[Choice, Breaker] = {}


def choice(context: api.Context) -> Choice | None:
    """What AI_MODEL names, None when it is not set. Raises Unavailable `ai_misconfigured`."""
    kind, _, name = _secret(context, "AI_MODEL").partition(":")
    if not kind:
        return None
    base_url = (_secret(context, "AI_BASE_URL") or BASE_URLS.get(kind, "")).rstrip("/")
    if not name or kind not in (*BASE_URLS, "compatible"):
        raise Unavailable("ai_misconfigured", cause="AI_MODEL must be <provider>:<model>")
    if not base_url:
        raise Unavailable("ai_misconfigured", cause="compatible: needs AI_BASE_URL")
    key = _secret(context, "AI_API_KEY")
    if not key and kind != "compatible":
        raise Unavailable("ai_misconfigured", cause="AI_API_KEY is not set")
    try:
        context.http.refuse_bad(base_url)
    except api.OutwardError as error:
        raise Unavailable("ai_misconfigured", cause=f"AI_BASE_URL: {error}") from None
    return Choice(kind, name, base_url, key)


def _secret(context: api.Context, name: str) -> str:
    return context.secret(name).strip() if context.has_secret(name) else ""


def breaker(chosen: Choice) -> Breaker:
    """The one of this process."""
    return _breakers.setdefault(chosen, Breaker())


def refuse_if_open(chosen: Choice) -> None:
    """Before anything is charged or begun. Raises Unavailable `ai_unavailable` while the provider is left alone."""
    if wait_s := breaker(chosen).open_for_s():
        raise Unavailable("ai_unavailable", cause="breaker open", retriable=True, retry_after_s=wait_s)


async def model(context: api.Context, limits: Limits | None = None) -> Model | None:
    """The chosen model, guarded; None when none is set. It belongs to one turn. Raises Unavailable."""
    chosen = choice(context)
    return await asyncio.to_thread(_built, chosen, limits or Limits()) if chosen else None


def _built(chosen: Choice, limits: Limits) -> Model:
    # Seconds of imports, at the first use.
    from functions._shared.assistant import guard

    return guard.built(chosen, breaker(chosen), limits)


def translate(error: BaseException) -> Unavailable | None:
    """What an error of a run of a model means to people; None when it is none of the model's."""
    if isinstance(error, Unavailable):
        return error
    from functions._shared.assistant import guard

    return guard.understood(error)
