"""Spans with OpenTelemetry's SDK, sent by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/).

Imported only where the settings name an address (core/tracing.py). Its sampler, batches and exporter are used, and not
its tracer, which takes 40 µs a span for what we know at its end anyway. Nothing is global: a library that records spans
of its own would put prompts or addresses into them.

A span holds names from our code and schema, statuses and kinds of errors; no text of a request, no parameter of a
statement, no message of an exception.
"""

from __future__ import annotations

import asyncio
import hmac
import threading
import time
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, contextmanager, nullcontext
from contextvars import Token
from types import TracebackType
from typing import Any, Self

import asyncpg
from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
from opentelemetry.sdk.trace.sampling import Decision, Sampler
from opentelemetry.sdk.util.instrumentation import InstrumentationScope
from opentelemetry.trace import SpanContext, SpanKind, Status, StatusCode, TraceFlags
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
# Traces that are decided about at a time. A sampler that is asked once a request takes three times as long, for the
# processor has forgotten it.
MOST_DECIDED = 1000

_IDS = RandomIdGenerator()
_PROPAGATOR = TraceContextTextMapPropagator()
_NOTHING = Context()
_OK, _ERROR = Status(StatusCode.UNSET), Status(StatusCode.ERROR)
_SAMPLED = TraceFlags.SAMPLED
# Sampled, and with an id of random bits (https://www.w3.org/TR/trace-context-2/#trace-flags).
_OURS = TraceFlags(_SAMPLED | 2)


class Span:
    """A span that is recorded, current between `with` and its end."""

    __slots__ = ("_attributes", "_has_failed", "_kind", "_name", "_parent", "_token", "_tracer", "began_ns", "context")
    is_sampled = True

    def __init__(
        self,
        tracer: OtelTracer,
        name: str,
        kind: SpanKind,
        attributes: Attributes,
        parent: SpanContext | None,
        context: SpanContext,
    ) -> None:
        self._tracer = tracer
        self._name = name
        self._kind = kind
        self._attributes = dict(attributes)
        self._parent = parent
        self._has_failed = False
        self._token: Token[tracing.Span | None] | None = None
        self.began_ns = time.time_ns()
        self.context = context

    @property
    def traceparent(self) -> str:
        """Its place in a trace, as W3C Trace Context writes it."""
        return f"00-{self.context.trace_id:032x}-{self.context.span_id:016x}-{self.context.trace_flags:02x}"

    @property
    def headers(self) -> Mapping[str, str]:
        """Request headers by which one of our own servers continues the trace."""
        return self._tracer.headers(self.traceparent)

    def child(self, name: str, attributes: Attributes) -> Span:
        """Begin a span within this one."""
        return Span(self._tracer, name, SpanKind.INTERNAL, attributes, self.context, _below(self.context))

    def rename(self, name: str, attributes: Attributes) -> None:
        """Give it the name and attributes that are known only at its end."""
        self._name = name
        self._attributes |= attributes

    def fail(self, kind: str) -> None:
        """Mark it as failed, with the kind of the error and never its message."""
        self._has_failed = True
        self._attributes["error.type"] = kind

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
                self._attributes["error.type"] = str(error.code)
            else:
                self.fail(kind.__name__)
        self.end(time.time_ns())

    def end(self, ended_ns: int) -> None:
        """Send it with the next batch."""
        tracer = self._tracer
        ended = ReadableSpan(
            name=self._name,
            context=self.context,
            parent=self._parent,
            resource=tracer.resource,
            attributes=self._attributes,
            kind=self._kind,
            instrumentation_scope=tracer.scope,
            status=_ERROR if self._has_failed else _OK,
            start_time=self.began_ns,
            end_time=ended_ns,
        )
        tracer.processor.on_end(ended)


class Unrecorded:
    """The traces that the sampler leaves out: what follows from one learns so, and nothing is recorded.

    All of them have one place, which samplers leave out: a server or job that gets it records nothing either.
    """

    is_sampled = False
    traceparent = f"00-{2**128 - 1:032x}-{2**64 - 1:016x}-00"

    def __init__(self, headers: Mapping[str, str]) -> None:
        self.headers = headers

    def child(self, name: str, attributes: Attributes) -> AbstractContextManager[Unrecorded]:  # noqa: ARG002
        """Stand for the spans within it."""
        return nullcontext(self)

    def rename(self, name: str, attributes: Attributes) -> None:
        """Do nothing."""

    def fail(self, kind: str) -> None:
        """Do nothing."""


class OtelTracer:
    """Begin traces, and hand the SDK the spans that have ended."""

    def __init__(self, sampler: Sampler, processor: SpanProcessor, resource: Resource, key: bytes) -> None:
        self._sampler = sampler
        self.processor = processor
        self.resource = resource
        self.scope = InstrumentationScope("backend", config.version())
        self._key = key
        self._unrecorded = Unrecorded(self.headers(Unrecorded.traceparent))
        # How many traces are left out until one is recorded, and the id for which the sampler said so.
        self._to_leave_out = 0
        self._next_id: int | None = None

    def left_out(self) -> tracing.Span | None:
        """Return what stands for the next trace if the sampler leaves it out; else None, until `root` begins it."""
        if not self._to_leave_out and self._next_id is None:
            self._decide()
        if not self._to_leave_out:
            return None
        self._to_leave_out -= 1
        return self._unrecorded

    def _decide(self) -> None:
        """Ask the sampler, which knows nothing of a trace but its id, about the next traces."""
        while self._to_leave_out < MOST_DECIDED and self._next_id is None:
            trace_id = _IDS.generate_trace_id()
            if self._is_sampled(_NOTHING, trace_id):
                self._next_id = trace_id
            else:
                self._to_leave_out += 1

    def _is_sampled(self, parent: Context, trace_id: int) -> bool:
        return self._sampler.should_sample(parent, trace_id, "").decision is not Decision.DROP

    def root(
        self, name: str, kind: Kind, attributes: Attributes, traceparent: str | None
    ) -> AbstractContextManager[tracing.Span]:
        """Begin the first span of this process, within the trace of `traceparent` where there is one."""
        parent = _PROPAGATOR.extract({"traceparent": traceparent}, _NOTHING) if traceparent else _NOTHING
        place = trace.get_current_span(parent).get_span_context()
        if not place.is_valid:
            if (left_out := self.left_out()) is not None:
                return _within(left_out)
            return Span(self, name, KINDS[kind], attributes, None, self._next_place())
        if self._is_sampled(parent, place.trace_id):
            return Span(self, name, KINDS[kind], attributes, place, _below(place))
        return _within(self._unrecorded)

    def _next_place(self) -> SpanContext:
        """Use the id of the next trace to record."""
        trace_id, self._next_id = self._next_id, None
        assert trace_id is not None
        return SpanContext(trace_id, _IDS.generate_span_id(), is_remote=False, trace_flags=_OURS)

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
        if not isinstance(parent, Span):
            return
        name = statements.summary(query.query)
        if name in UNTOLD:
            return
        ended_ns = time.time_ns()
        attributes = {"db.system.name": "postgresql", "db.query.summary": name}
        span = Span(self, name, SpanKind.CLIENT, attributes, parent.context, _below(parent.context))
        span.began_ns = ended_ns - int(query.elapsed * 1e9)
        error = query.exception
        if error is not None:
            span.fail(type(error).__name__)
            if isinstance(error, asyncpg.PostgresError) and error.sqlstate:
                span.rename(name, {"db.response.status_code": error.sqlstate})
        span.end(ended_ns)


def _below(parent: SpanContext) -> SpanContext:
    """Make the place of a span within another one."""
    flags = TraceFlags(parent.trace_flags | _SAMPLED)
    return SpanContext(parent.trace_id, _IDS.generate_span_id(), is_remote=False, trace_flags=flags)


@contextmanager
def _within(span: tracing.Span) -> Iterator[tracing.Span]:
    token = tracing.current.set(span)
    try:
        yield span
    finally:
        tracing.current.reset(token)


@asynccontextmanager
async def opened(settings: Settings, keys: KeyRing, role: str) -> AsyncIterator[OtelTracer]:
    """Open the tracer and send the last spans at the end, in bounded time."""
    ours = Resource({"service.name": f"{settings.project_id}-{role}", "service.version": config.version()})
    resource = Resource.create().merge(ours).merge(OTELResourceDetector().detect())
    processor = BatchSpanProcessor(OTLPSpanExporter(endpoint=settings.traces_url))
    # It reads OTEL_TRACES_SAMPLER.
    sampler = TracerProvider(resource=resource, shutdown_on_exit=False).sampler
    try:
        yield OtelTracer(sampler, processor, resource, keys.derive("traceparent"))
    finally:
        # A thread that nothing joins: where the receiver is away, the SDK tries for half a minute.
        ending = threading.Thread(target=processor.shutdown, daemon=True)
        ending.start()
        await asyncio.to_thread(ending.join, ENDING_S)
