"""A provider's model that cannot hang, hammer or leak: timeouts, retries before the first byte, the breaker.

Imported in a thread only: pydantic-ai and the provider's package take seconds to load.
"""

from __future__ import annotations

import asyncio
import random
import ssl
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from typing import Any, TypeVar

import httpx2
from pydantic_ai import exceptions, messages
from pydantic_ai._run_context import RunContext
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from functions._shared.assistant import dialects
from functions._shared.assistant.breaker import Breaker
from functions._shared.assistant.provider import Choice, Limits, Unavailable

T = TypeVar("T")

# Of one answer; an endless one is cut.
MAX_BYTES = 4 * 1024 * 1024
# Of one call of a tool; no tool takes near as much, and it would be sent back with every further request.
ARGUMENTS_CHARACTERS = 50_000
CAUSE_LENGTH = 300

# By the first class that fits: the code, whether the same request may work later, whether the provider is to blame.
MEANINGS: tuple[tuple[type[Exception], str, bool, bool], ...] = (
    (exceptions.ModelQuotaExceededError, "ai_refused", False, False),
    (exceptions.ModelRateLimitError, "ai_busy", True, False),
    (exceptions.ModelTimeoutError, "ai_timeout", False, True),
    (exceptions.ModelRequestTimeout, "ai_timeout", False, True),
    (exceptions.ModelConnectionError, "ai_unavailable", True, True),
    (exceptions.ModelUnavailableError, "ai_unavailable", True, True),
    (exceptions.ModelServerError, "ai_unavailable", True, True),
    (exceptions.ModelContextWindowExceededError, "ai_too_long", False, False),
    (exceptions.ModelRequestRejectedError, "ai_refused", False, False),
    (exceptions.ModelAPIError, "ai_garbage", False, True),
    (exceptions.UsageLimitExceeded, "ai_limit", False, False),
    (exceptions.UnexpectedModelBehavior, "ai_garbage", False, False),
)

_SILENCES = (exceptions.ModelTimeoutError, exceptions.ModelRequestTimeout)


def understood(error: BaseException, key: str = "") -> Unavailable | None:
    """Our word for an error of the library, None for any other. `key` is taken out of the cause."""
    for kind, code, retriable, _blame in MEANINGS:
        if isinstance(error, kind):
            # The text may be the provider's, and it may repeat what we sent.
            cause = f"{type(error).__name__}: {str(error).replace(key, '…') if key else error}"[:CAUSE_LENGTH]
            wait_s = getattr(error, "retry_after", None)
            return Unavailable(code, cause=cause, retriable=retriable, retry_after_s=wait_s)
    return None


def _blamed(error: Exception) -> bool:
    return next((blame for kind, _code, _retriable, blame in MEANINGS if isinstance(error, kind)), False)


class Guarded(WrapperModel):
    """The provider's model; what goes wrong is an `Unavailable`, without the key and without a trace to it."""

    def __init__(self, wrapped: Model, breaker: Breaker, limits: Limits, key: str) -> None:
        super().__init__(wrapped)
        self._breaker, self._limits, self._key = breaker, limits, key

    async def request(
        self,
        messages: list[messages.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> messages.ModelResponse:
        """A whole answer. Raises Unavailable."""
        return await self._begun(lambda: self.wrapped.request(messages, model_settings, model_request_parameters))

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[messages.ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """An answer piece by piece; what began is never asked for again. Raises Unavailable."""
        asked = (messages, model_settings, model_request_parameters, run_context)
        failed: Unavailable | None = None
        try:
            async with AsyncExitStack() as stack:
                answer = await self._begun(lambda: stack.enter_async_context(self.wrapped.request_stream(*asked)))
                yield answer
                self._refuse_spoiled(answer.get())
        except exceptions.ModelAPIError as error:
            if self._limits.is_silence_blamed or not isinstance(error, _SILENCES):
                self._breaker.failed()
            failed = understood(error, self._key)
            if failed and failed.code in {"ai_unavailable", "ai_garbage"}:
                failed = Unavailable("ai_cut", cause=failed.cause, retriable=True)
        if failed:
            raise failed

    def _refuse_spoiled(self, answer: messages.ModelResponse) -> None:
        """Raises ModelConnectionError for an answer without an end, and Unavailable for absurd calls."""
        if answer.state in {"complete", "incomplete"} and answer.finish_reason is None:
            raise exceptions.ModelConnectionError(self.model_name, "the answer has no end")
        if any(len(call.args_as_json_str()) > ARGUMENTS_CHARACTERS for call in answer.tool_calls):
            raise Unavailable("ai_garbage", cause="a tool was called with too much")

    async def _begun(self, send: Callable[[], Awaitable[T]]) -> T:
        """Sends until there is a first byte, at most `attempts` times."""
        for attempt in range(1, self._limits.attempts + 1):
            failed, wait_s = await self._attempt(send, attempt)
            if not isinstance(failed, Unavailable):
                return failed
            if attempt == self._limits.attempts or wait_s is None:
                raise failed
            await asyncio.sleep(wait_s)
        raise AssertionError("unreachable")

    async def _attempt(self, send: Callable[[], Awaitable[T]], attempt: int) -> tuple[T | Unavailable, float | None]:
        """The answer; or why there is none, and in how many seconds another try is worth it."""
        if not self._breaker.admit():
            wait_s = self._breaker.open_for_s()
            return Unavailable("ai_unavailable", cause="breaker open", retriable=True, retry_after_s=wait_s), None
        try:
            begun = await send()
        except exceptions.ModelAPIError as error:
            if _blamed(error):
                self._breaker.failed()
            else:
                self._breaker.succeeded()
            failed = understood(error, self._key)
            assert failed is not None
            # Nothing of the request was read when no connection came about.
            again = failed.retriable or getattr(error, "phase", None) == "connect"
            return failed, self._pause_s(attempt, failed.retry_after_s) if again else None
        except BaseException:
            self._breaker.gave_up()
            raise
        self._breaker.succeeded()
        return begun, None

    def _pause_s(self, attempt: int, asked_s: float | None) -> float | None:
        """Longer each time and never the same, so that not everybody comes back at once; None when it is too long."""
        pause_s = self._limits.backoff_s * 2 ** (attempt - 1) * random.uniform(0.5, 1.5)
        pause_s = max(pause_s, asked_s or 0.0)
        return pause_s if pause_s <= self._limits.longest_wait_s else None


class Transport(httpx2.AsyncHTTPTransport):
    """Our own limits whatever the package asks for; no proxy of the environment, no connection kept open."""

    def __init__(self, limits: Limits) -> None:
        super().__init__(verify=_tls(), trust_env=False, limits=httpx2.Limits(max_keepalive_connections=0))
        self._limits = limits

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """One request; the first byte may take longer than the ones behind it."""
        limits = self._limits
        timeouts = {"connect": limits.connect_s, "pool": limits.connect_s, "write": limits.between_bytes_s}
        request.extensions = {**request.extensions, "timeout": {**timeouts, "read": limits.first_byte_s}}
        response = await super().handle_async_request(request)
        assert isinstance(response.stream, httpx2.AsyncByteStream)
        response.stream = _Watched(response.stream, limits.between_bytes_s)
        return response


class _Watched(httpx2.AsyncByteStream):
    """A body that neither stops in the middle nor goes on for ever."""

    def __init__(self, stream: httpx2.AsyncByteStream, between_bytes_s: float) -> None:
        self._stream, self._between_bytes_s = stream, between_bytes_s

    async def __aiter__(self) -> AsyncIterator[bytes]:
        pieces, size = aiter(self._stream), 0
        while True:
            try:
                async with asyncio.timeout(self._between_bytes_s):
                    piece = await anext(pieces)
            except StopAsyncIteration:
                return
            except TimeoutError:
                raise httpx2.ReadTimeout("nothing more came") from None
            size += len(piece)
            if size > MAX_BYTES:
                raise httpx2.RemoteProtocolError("the answer is too long")
            yield piece

    async def aclose(self) -> None:
        await self._stream.aclose()


@cache
def _tls() -> ssl.SSLContext:
    # Reading the system's certificates takes a while.
    return ssl.create_default_context()


def built(chosen: Choice, breaker: Breaker, limits: Limits) -> Guarded:
    """The model of a choice."""
    client = httpx2.AsyncClient(transport=Transport(limits), follow_redirects=False, trust_env=False)
    return Guarded(dialects.model(chosen, client, limits.whole_s), breaker, limits, chosen.key)
