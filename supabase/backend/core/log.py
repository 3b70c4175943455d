"""The log: one JSON object a line for machines, a short line for a person at a terminal; every line knows its request.

Nothing secret is ever passed to a logger: no token, no key, no mail content, no query string.
"""

from __future__ import annotations

import asyncio
import atexit
import json
import logging
import sys
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import TextIO

# Empty outside a request or job; set by the HTTP middleware and by the worker.
request_id: ContextVar[str] = ContextVar("request_id", default="")

ACCESS = "backend.access"
# How long a line of the access log may wait for others.
FLUSH_S = 0.05

# Made once: json.dumps makes a new one for each line.
_encode = json.JSONEncoder(ensure_ascii=False, default=str).encode

# What every LogRecord has by itself; anything beyond was passed as `extra` and belongs in the line.
_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}


def _extras(record: logging.LogRecord) -> dict[str, object]:
    return {name: value for name, value in vars(record).items() if name not in _STANDARD}


class JsonFormatter(logging.Formatter):
    """One object a line: time, level, logger, message, request_id, extras, and the traceback when there is one."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        if current := request_id.get():
            line["request_id"] = current
        line.update(_extras(record))
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return _encode(line)


class ReadableFormatter(logging.Formatter):
    """Time, level, message, extras as name=value."""

    def format(self, record: logging.LogRecord) -> str:
        extras = {**_extras(record)}
        if current := request_id.get():
            extras["request_id"] = current
        moment = datetime.fromtimestamp(record.created, UTC).strftime("%H:%M:%S")
        pairs = "".join(f" {name}={value}" for name, value in extras.items())
        text = f"{moment} {record.levelname.lower():7} {record.getMessage()}{pairs}"
        return f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text


class AccessLog:
    """One line a request, for machines; written together with those of the same moment.

    A line through the logging module, written by itself, costs more than the whole rest of a small request.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._lines: list[str] = []
        atexit.register(self.flush)

    def add(self, method: str, path: str, status: int, duration_ms: float) -> None:
        """Add the line of a request, without its query, which may hold tokens of links and personal data."""
        moment = datetime.now(UTC).isoformat(timespec="milliseconds")
        if not self._lines:
            asyncio.get_running_loop().call_later(FLUSH_S, self.flush)
        self._lines.append(
            f'{{"time": "{moment}", "level": "info", "logger": "{ACCESS}", "message": "request", '
            f'"request_id": "{request_id.get()}", "method": "{method}", "path": {_encode(path)}, '
            f'"status": {status}, "duration_ms": {duration_ms:.1f}}}\n'
        )

    def flush(self) -> None:
        """Write the waiting lines."""
        lines, self._lines = self._lines, []
        if lines:
            self._stream.write("".join(lines))
            self._stream.flush()


# Set in a process whose log is read by machines.
access_log: AccessLog | None = None


def access(method: str, path: str, status: int, duration_ms: float) -> None:
    """Write the access log's line about a request."""
    if access_log is not None:
        access_log.add(method, path, status, duration_ms)
        return
    details = {"method": method, "path": path, "status": status, "duration_ms": round(duration_ms, 1)}
    logging.getLogger(ACCESS).info("request", extra=details)


def configure(stream: TextIO = sys.stderr) -> None:
    """Send every logger of this process to one stream."""
    global access_log
    access_log = None if stream.isatty() else AccessLog(stream)
    handler = logging.StreamHandler(stream)
    handler.setFormatter(ReadableFormatter() if stream.isatty() else JsonFormatter())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    # What no line of ours shows need not be looked up for each.
    logging.logThreads = logging.logProcesses = logging.logMultiprocessing = False
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "pgqueuer"):
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    # Our middleware writes the access log, with the request id and without the query.
    logging.getLogger("uvicorn.access").disabled = True
