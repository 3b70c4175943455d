"""Spans with OpenTelemetry's SDK, sent by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/).

Imported only where the settings name an address (core/tracing.py). The provider is ours alone and not the global one:
a library that records spans of its own would put prompts or addresses into them.

A span holds names from our code and schema, statuses and kinds of errors; no text of a request, no parameter of a
statement, no message of an exception.
"""

from __future__ import annotations

import asyncio
import hmac
import threading
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from contextvars import Token
from types import TracebackType
from typing import Any, Self

import asyncpg
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision
from opentelemetry.trace import SpanKind, Status, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from backend.core import config, statements, tracing
from backend.core.config import Settings
from backend.core.errors import ApiError
from backend.core.jwt import KeyRing
from backend.core.tracing import Attributes, Kind

# How long the end of a process waits for the last spans to be sent.
ENDING_S = 5.0
# The name of our entry in `tracestate`.
STATE = "socio"
KINDS = {Kind.REQUEST: SpanKind.SERVER, Kind.JOB: SpanKind.CONSUMER}
UNTOLD = ("BEGIN", "ROLLBACK")

_PROPAGATOR = TraceContextTextMapPropagator()
_NOTHING = Context()


class Span:
    """A span of the SDK that is current between `with` and its end."""

    __slots__ = ("_has_failed", "_token", "_tracer", "context", "is_sampled", "span")

    def __init__(self, tracer: OtelTracer, span: trace.Span) -> None:
        self._tracer = tracer
        self.span = span
        self.context = trace.set_span_in_context(span, _NOTHING)
        # Not is_recording, which ends with the span: work may go on in the background.
        self.is_sampled = span.get_span_context().trace_flags.sampled
        self._has_failed = False
        self._token: Token[tracing.Span | None] | None = None

    @property
    def traceparent(self) -> str:
        """Its place in a trace, as W3C Trace Context writes it."""
        own = self.span.get_span_context()
        return f"00-{own.trace_id:032x}-{own.span_id:016x}-{own.trace_flags:02x}"

    @property
    def headers(self) -> Mapping[str, str]:
        """Request headers by which one of our own servers continues the trace."""
        return self._tracer.headers(self.traceparent)

    def child(self, name: str, attributes: Attributes) -> Span:
        """Begin a span within this one; one that is not recorded stands for what is in it."""
        if not self.is_sampled:
            return Span(self._tracer, self.span)
        return self._tracer.start(name, SpanKind.INTERNAL, attributes, self.context)

    def rename(self, name: str, attributes: Attributes) -> None:
        """Give it the name and attributes that are known only at its end."""
        self.span.update_name(name)
        self.span.set_attributes(attributes)

    def fail(self, kind: str) -> None:
        """Mark it as failed, with the kind of the error and never its message."""
        self._has_failed = True
        self.span.set_attribute("error.type", kind)
        self.span.set_status(Status(StatusCode.ERROR))

    def __enter__(self) -> Self:
        self._token = tracing.current.set(self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        if self._token is not None:
            tracing.current.reset(self._token)
        if kind is not None and not self._has_failed:
            if isinstance(error, ApiError) and error.status < 500:
                self.span.set_attribute("error.type", str(error.code))
            else:
                self.fail(kind.__name__)
        self.span.end()


class Unrecorded:
    """A trace that the sampler left out: what follows from it learns so, and nothing is recorded."""

    __slots__ = ("_token", "_trace_id", "_tracer")
    is_sampled = False

    def __init__(self, tracer: OtelTracer, trace_id: int) -> None:
        self._tracer = tracer
        self._trace_id = trace_id
        self._token: Token[tracing.Span | None] | None = None

    @property
    def traceparent(self) -> str:
        """Its place in a trace, as W3C Trace Context writes it."""
        return f"00-{self._trace_id:032x}-{self._tracer.ids.generate_span_id():016x}-00"

    @property
    def headers(self) -> Mapping[str, str]:
        """Request headers by which one of our own servers continues the trace."""
        return self._tracer.headers(self.traceparent)

    def child(self, name: str, attributes: Attributes) -> AbstractContextManager[Unrecorded]:  # noqa: ARG002
        """Stand for the spans within it."""
        return nullcontext(self)

    def rename(self, name: str, attributes: Attributes) -> None:
        """Do nothing."""

    def fail(self, kind: str) -> None:
        """Do nothing."""

    def __enter__(self) -> Self:
        self._token = tracing.current.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            tracing.current.reset(self._token)


class Ids(RandomIdGenerator):
    """Make ids; a trace whose sampling was decided before gets the id that it was decided for."""

    decided: int | None = None

    def generate_trace_id(self) -> int:
        """Return the id of the next trace."""
        found, self.decided = self.decided, None
        return super().generate_trace_id() if found is None else found


class OtelTracer:
    """Begin traces with the SDK."""

    def __init__(self, provider: TracerProvider, ids: Ids, key: bytes) -> None:
        self._tracer = provider.get_tracer("backend", config.version())
        self._sampler = provider.sampler
        self.ids = ids
        self._key = key

    def root(self, name: str, kind: Kind, attributes: Attributes, traceparent: str | None) -> Span | Unrecorded:
        """Begin the first span of this process, within the trace of `traceparent` where there is one.

        The SDK takes three times as long to leave a request out, and where few are traced that is most of the cost.
        """
        if traceparent:
            parent = _PROPAGATOR.extract({"traceparent": traceparent}, _NOTHING)
            return self.start(name, KINDS[kind], attributes, parent)
        trace_id = self.ids.generate_trace_id()
        decided = self._sampler.should_sample(_NOTHING, trace_id, name, KINDS[kind], attributes)
        if decided.decision is Decision.DROP:
            return Unrecorded(self, trace_id)
        self.ids.decided = trace_id
        return self.start(name, KINDS[kind], attributes, _NOTHING)

    def start(self, name: str, kind: SpanKind, attributes: Attributes, context: Context) -> Span:
        """Begin a span."""
        return Span(self, self._tracer.start_span(name, context, kind, attributes, record_exception=False))

    def headers(self, traceparent: str) -> Mapping[str, str]:
        """Return the request headers that hand a place in a trace to one of our own servers."""
        return {"traceparent": traceparent, "tracestate": f"{STATE}={self.signature(traceparent)}"}

    def signature(self, traceparent: str) -> str:
        """Sign a place in a trace, so that a server of this installation knows it for its own."""
        return hmac.digest(self._key, traceparent.encode(), "sha256")[:16].hex()

    def is_own(self, traceparent: str, tracestate: str) -> bool:
        """Check whether a server of this installation wrote these headers."""
        given = tracestate.removeprefix(f"{STATE}=").encode()
        return hmac.compare_digest(given, self.signature(traceparent).encode())

    def statement(self, query: Any) -> None:
        """Add the span of a statement that has ended: asyncpg's LoggedQuery.

        asyncpg calls this in the context of the statement. https://opentelemetry.io/docs/specs/semconv/database/
        """
        parent = tracing.current.get()
        if not isinstance(parent, Span) or not parent.is_sampled:
            return
        name = statements.summary(query.query)
        if name in UNTOLD:
            return
        ended_ns = time.time_ns()
        attributes = {"db.system.name": "postgresql", "db.query.summary": name}
        began_ns = ended_ns - int(query.elapsed * 1e9)
        span = self._tracer.start_span(name, parent.context, SpanKind.CLIENT, attributes, start_time=began_ns)
        if query.exception is not None:
            span.set_attribute("error.type", type(query.exception).__name__)
            if isinstance(query.exception, asyncpg.PostgresError) and query.exception.sqlstate:
                span.set_attribute("db.response.status_code", query.exception.sqlstate)
            span.set_status(Status(StatusCode.ERROR))
        span.end(ended_ns)


@asynccontextmanager
async def opened(settings: Settings, keys: KeyRing, role: str) -> AsyncIterator[OtelTracer]:
    """Open the tracer and send the last spans at the end, in bounded time."""
    ours = Resource({"service.name": f"{settings.project_id}-{role}", "service.version": config.version()})
    resource = Resource.create().merge(ours).merge(OTELResourceDetector().detect())
    provider = TracerProvider(resource=resource, shutdown_on_exit=False, id_generator=(ids := Ids()))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.traces_url)))
    try:
        yield OtelTracer(provider, ids, keys.derive("traceparent"))
    finally:
        # A thread that nothing joins: where the receiver is away, the SDK tries for half a minute.
        ending = threading.Thread(target=provider.shutdown, daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, ENDING_S)
