"""How each provider wants to be spoken to: all are nearly alike, and refuse what the others ask for.

OpenAI's newer models take tools by its responses API only, which keeps what it is sent unless told not to; Mistral's
refuses fields that it does not know; servers of one's own refuse more tokens than their model has left; what a model
thinks counts as written with OpenAI and Anthropic. Imports the provider's package: in a thread.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, cast

from pydantic_ai.models import Model
from pydantic_ai.settings import ModelSettings

from functions._shared.assistant import limits
from functions._shared.assistant.provider import Choice

if TYPE_CHECKING:
    import httpx2
    from pydantic_ai.models.openai import OpenAIChatModel

# The most that pydantic-ai lets a model think when it is asked to think hard.
THINKING_TOKENS = 16_384


def model(chosen: Choice, client: httpx2.AsyncClient, whole_s: float) -> Model:
    """The model of a choice, over this client; retries are somebody else's."""
    settings = ModelSettings(request_timeout=whole_s, max_retries=0)
    if chosen.kind in {"openai", "anthropic"}:
        settings["max_tokens"] = limits.ANSWER_TOKENS + THINKING_TOKENS
    elif chosen.kind == "mistral":
        settings["max_tokens"] = limits.ANSWER_TOKENS
    make = {"openai": _openai, "anthropic": _anthropic}.get(chosen.kind, _completions)
    return make(chosen, client, settings)


def _openai(chosen: Choice, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.openai import OpenAIProvider

    own = OpenAIProvider(base_url=chosen.base_url, api_key=chosen.key, http_client=client)
    nothing_kept = cast("ModelSettings", {**settings, "openai_store": False})
    return OpenAIResponsesModel(chosen.name, provider=own, settings=nothing_kept)


def _completions(chosen: Choice, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    """OpenAI's older way, which all the others speak."""
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.profiles import merge_profile
    from pydantic_ai.profiles.mistral import mistral_model_profile
    from pydantic_ai.profiles.openai import OpenAIModelProfile
    from pydantic_ai.providers.openai_compatible import OpenAICompatibleProvider

    profile = OpenAIModelProfile(
        openai_chat_supports_max_completion_tokens=False,
        openai_supports_strict_tool_definition=False,
        # A body that ends before its answer does is a cut, however politely; but some servers never say how it ended.
        openai_chat_streaming_requires_finish_reason=chosen.kind == "mistral",
    )
    other = OpenAICompatibleProvider(
        chosen.kind, base_url=chosen.base_url, api_key=chosen.key or None, http_client=client
    )
    if chosen.kind == "mistral":
        merged = merge_profile(mistral_model_profile(chosen.name), profile)
        return _mistral()(chosen.name, provider=other, profile=merged, settings=settings)
    return OpenAIChatModel(chosen.name, provider=other, profile=profile, settings=settings)


@cache
def _mistral() -> type[OpenAIChatModel]:
    from openai import omit
    from pydantic_ai.models.openai import OpenAIChatModel

    class Mistral(OpenAIChatModel):
        """Tells what was used without being asked, and refuses the question."""

        def _get_stream_options(self, model_settings: Any) -> Any:  # noqa: ARG002  # what it overrides has it
            return omit

    return Mistral


def _anthropic(chosen: Choice, client: httpx2.AsyncClient, settings: ModelSettings) -> Model:
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.providers.anthropic import AnthropicProvider

    own = AnthropicProvider(api_key=chosen.key, base_url=chosen.base_url, http_client=client)
    return AnthropicModel(chosen.name, provider=own, settings=settings)
