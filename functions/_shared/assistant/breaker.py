"""A breaker for one provider in this process: whoever does not answer is left alone for a while."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable

MOST_FAILURES, WITHIN_S, OPEN_S = 5, 30.0, 30.0


class Breaker:
    """Five failures within thirty seconds open it for thirty seconds; then one request may try."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._failures: deque[float] = deque(maxlen=MOST_FAILURES)
        self._opened_at: float | None = None
        self._trying = False

    def open_for_s(self) -> float:
        """Seconds until somebody may try again; 0 when it is closed."""
        return 0.0 if self._opened_at is None else max(0.0, self._opened_at + OPEN_S - self._clock())

    def admit(self) -> bool:
        """Whether a request may go out now; one that may must be told how it ended."""
        if self._opened_at is None:
            return True
        if self._trying or self.open_for_s():
            return False
        self._trying = True
        return True

    def succeeded(self) -> None:
        """The provider answers."""
        self._failures.clear()
        self._opened_at, self._trying = None, False

    def failed(self) -> None:
        """The provider was away, broke down or was too slow."""
        now = self._clock()
        self._failures.append(now)
        if self._trying or (len(self._failures) == MOST_FAILURES and self._failures[0] >= now - WITHIN_S):
            self._opened_at, self._trying = now, False

    def gave_up(self) -> None:
        """The request ended before anything could be said about the provider."""
        self._trying = False
