"""Set upstream's default limits, and ours where it has none (REALTIME-08)."""

from __future__ import annotations

from collections import deque

MAX_SOCKETS = 10_000
# An office behind one address has some dozens of people with a few tabs each.
MAX_SOCKETS_PER_PLACE = 200
MAX_CHANNELS_PER_SOCKET = 100
MAX_JOINS_PER_S = 100
MAX_EVENTS_PER_S = 100
MAX_PRESENCE_CALLS = 5
PRESENCE_WINDOW_S = 30.0
MAX_MESSAGE_BYTES = 3000 * 1024
MAX_TOPIC_BYTES = 255
MAX_REPLAY = 25
# What a client makes us keep, times its channels, must stay small; upstream lets a message's size through.
MAX_JOIN_BYTES = 64 * 1024
MAX_PRESENCE_BYTES = 8 * 1024
MAX_KEY_BYTES = 255
MAX_REFERENCE_CHARS = 255
MAX_CHANGES_PER_SOCKET = 200
MAX_SELECT = 100
MAX_NAME_BYTES = 63
BYTES_PER_S = 100_000
# What may wait for one client while it does not take what it is being sent. A slower one is let go: it joins again and
# fetches anew.
MAX_WAITING_BYTES = 512 * 1024
MAX_WAITING_MESSAGES = 5000
# What may come for one client in the same moment: a thousand rows change in one transaction.
MAX_BURST_BYTES = 4 * 1024 * 1024
# What all clients together keep waiting, and on its way.
MAX_HELD_BYTES = 128 * 1024 * 1024
# Broadcasts over HTTP, of each caller: as many a second as a socket may send, of which those of ten seconds are saved.
# A long one counts for several.
MAX_BROADCASTS_PER_S = MAX_EVENTS_PER_S
MAX_BROADCASTS_AT_ONCE = 1000
BYTES_OF_A_BROADCAST = 10_000
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


class Allowance:
    """So many bytes a second for one client, of which what was not used is saved up to the longest message."""

    def __init__(self, per_s: int, most: int) -> None:
        self._per_s = per_s
        self._most = most
        self._left: float = most
        self._told_s: float | None = None

    def pause_s(self, size_bytes: int, now_s: float) -> float:
        """Counts a message; returns how long the next thing must wait."""
        passed_s = 0.0 if self._told_s is None else now_s - self._told_s
        self._told_s = now_s
        self._left = min(self._most, self._left + passed_s * self._per_s) - size_bytes
        return max(0.0, -self._left / self._per_s)


class Budgets:
    """So much a second for each caller, of which what was not spent is saved up to `most`."""

    def __init__(self, per_s: float, most: float) -> None:
        self._per_s = per_s
        self._most = most
        # What was left when, in the order of the times; whoever has spent nothing of late is not in it.
        self._left: dict[str, tuple[float, float]] = {}

    def admits(self, whose: str, amount: float, now_s: float) -> bool:
        """Spends so much, unless it is more than there is."""
        self._forget_idle(now_s)
        left, told_s = self._left.get(whose, (self._most, now_s))
        left = min(self._most, left + (now_s - told_s) * self._per_s)
        if amount > left:
            return False
        self._left.pop(whose, None)
        self._left[whose] = (left - amount, now_s)
        return True

    def _forget_idle(self, now_s: float) -> None:
        full_since_s = now_s - self._most / self._per_s
        while self._left and (oldest := next(iter(self._left.items())))[1][1] <= full_since_s:
            del self._left[oldest[0]]
