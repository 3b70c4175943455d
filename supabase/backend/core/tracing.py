"""Spans of this process: which one is current, and how code begins another.

core/otel.py sends them with OpenTelemetry's SDK. It is imported only where the settings name an address, so that
without one nothing is loaded and nothing is recorded.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from contextvars import ContextVar
from enum import Enum
from typing import TYPE_CHECKING, Any, Protocol

from backend.core.config import Settings

if TYPE_CHECKING:
    from backend.core.jwt import KeyRing

Attributes = Mapping[str, str | int]
NO_ATTRIBUTES: Attributes = {}


class Kind(Enum):
    """What the first span of a process stands for in OpenTelemetry's terms."""

    REQUEST = "server"
    JOB = "consumer"


class Span(Protocol):
    """One piece of work. Names and attributes hold no value that a person or a stranger chose."""

    @property
    def is_sampled(self) -> bool:
        """True if it is recorded, and with it what follows."""

    @property
    def traceparent(self) -> str:
        """Its place in a trace, as W3C Trace Context writes it."""

    @property
    def headers(self) -> Mapping[str, str]:
        """Request headers by which one of our own servers continues the trace."""

    def child(self, name: str, attributes: Attributes) -> AbstractContextManager[Span]:
        """Begin a span within this one."""

    def rename(self, name: str, attributes: Attributes) -> None:
        """Give it the name and attributes that are known only at its end."""

    def fail(self, kind: str) -> None:
        """Mark it as failed, with the kind of the error and never its message."""


class Tracer(Protocol):
    """Begin traces and send them."""

    def root(
        self, name: str, kind: Kind, attributes: Attributes, traceparent: str | None
    ) -> AbstractContextManager[Span]:
        """Begin the first span of this process, within the trace of `traceparent` where there is one."""

    def left_out(self) -> Span | None:
        """Return what stands for the next trace if the sampler leaves it out; else None, until `root` begins it."""

    def is_own(self, traceparent: str, tracestate: str) -> bool:
        """Check whether a server of this installation wrote these headers."""

    def statement(self, query: Any) -> None:
        """Add the span of a statement that has ended: asyncpg's LoggedQuery."""


current: ContextVar[Span | None] = ContextVar("current_span", default=None)


@asynccontextmanager
async def opened(settings: Settings, keys: KeyRing, role: str) -> AsyncIterator[Tracer | None]:
    """Open the tracer of a process; None without the setting."""
    if not settings.traces_url:
        yield None
        return
    from backend.core import otel

    async with otel.opened(settings, keys, role) as tracer:
        yield tracer


def root(
    tracer: Tracer | None, name: str, kind: Kind, attributes: Attributes, traceparent: str | None
) -> AbstractContextManager[Span | None]:
    """Begin the first span of this process; without a tracer nothing happens."""
    return nullcontext() if tracer is None else tracer.root(name, kind, attributes, traceparent)


def span(name: str, attributes: Attributes = NO_ATTRIBUTES) -> AbstractContextManager[Span | None]:
    """Begin a span within the current one; without one nothing happens."""
    parent = current.get()
    return nullcontext() if parent is None else parent.child(name, attributes)


def is_sampled() -> bool:
    """Check whether a span is current that is recorded."""
    return (found := current.get()) is not None and found.is_sampled


def fail(kind: str) -> None:
    """Mark the current span as failed."""
    if (found := current.get()) is not None:
        found.fail(kind)


def traceparent() -> str | None:
    """Return the place of the current span in its trace."""
    return None if (found := current.get()) is None else found.traceparent


def headers() -> Mapping[str, str]:
    """Return the request headers for a call of our own servers; empty without a current span."""
    return {} if (found := current.get()) is None else found.headers
