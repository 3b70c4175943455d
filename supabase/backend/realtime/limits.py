"""Upstream's default limits (api-reference 4.6)."""

from __future__ import annotations

from collections import deque

MAX_SOCKETS = 10_000
MAX_CHANNELS_PER_SOCKET = 100
MAX_JOINS_PER_S = 100
MAX_EVENTS_PER_S = 100
MAX_PRESENCE_CALLS = 5
PRESENCE_WINDOW_S = 30.0
MAX_MESSAGE_BYTES = 3000 * 1024
MAX_TOPIC_BYTES = 255
MAX_REPLAY = 25
# What may wait for one client. A slower one is let go: it joins again and fetches anew.
MAX_WAITING_BYTES = 4 * 1024 * 1024
MAX_WAITING_MESSAGES = 5000
# Clients send a heartbeat every 25 s.
SILENCE_S = 60.0


class Window:
    """At most `most` events in any `seconds`, counted for one client."""

    def __init__(self, most: int, seconds: float) -> None:
        self._most = most
        self._seconds = seconds
        self._times: deque[float] = deque(maxlen=most)

    def admits(self, now_s: float) -> bool:
        """Counts an event, unless it is one too many."""
        if len(self._times) == self._most and now_s - self._times[0] < self._seconds:
            return False
        self._times.append(now_s)
        return True
