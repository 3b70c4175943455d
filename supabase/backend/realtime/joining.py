"""Parse what a client asks for when it joins a channel (REALTIME-02)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from backend.realtime.limits import MAX_KEY_BYTES, MAX_REPLAY

# Upstream's: what a client that waits asks for by default, and the most it gets (RealtimeChannel.ts).
CHANGES_WAIT_MS, CHANGES_LONGEST_WAIT_MS = 15_000, 20_000


class Refused(Exception):
    """A join that is not granted; the text is the reason in upstream's words."""


@dataclass(frozen=True)
class Config:
    """What a client asks for when it joins."""

    private: bool = False
    ack: bool = False
    self_broadcast: bool = False
    presence: bool = True
    presence_key: str = ""
    replay_since: datetime | None = None
    replay_limit: int = MAX_REPLAY
    replication_ready: bool = False
    changes: tuple[Mapping[str, Any], ...] = ()
    # The join is answered once changes are followed, or refused when they are not within this time.
    changes_wait_s: float | None = None

    @classmethod
    def of(cls, payload: Any) -> Config:
        """Reads the payload of phx_join; what is missing or odd is the default. Raises Refused for odd changes."""
        config = table(table(payload).get("config"))
        broadcast, presence = table(config.get("broadcast")), table(config.get("presence"))
        replay = table(broadcast.get("replay"))
        changes = config.get("postgres_changes") or []
        if not isinstance(changes, list) or not all(isinstance(each, dict) for each in changes) or len(changes) > 100:
            raise Refused("InvalidJoinPayload: postgres_changes must be a list of subscriptions")
        key = presence.get("key")
        if isinstance(key, str) and len(key.encode()) > MAX_KEY_BYTES:
            raise Refused(f"InvalidJoinPayload: presence.key has at most {MAX_KEY_BYTES} bytes")
        options = table(config.get("postgres_changes_options"))
        return cls(
            private=config.get("private") is True,
            ack=broadcast.get("ack") is True,
            self_broadcast=broadcast.get("self") is True,
            presence=presence.get("enabled") is not False,
            presence_key=key if isinstance(key, str) and key else uuid4().hex,
            replay_since=_moment(replay.get("since")),
            replay_limit=min(max(_number(replay.get("limit"), MAX_REPLAY), 1), MAX_REPLAY),
            replication_ready=broadcast.get("replication_ready") is True,
            changes=tuple(changes),
            changes_wait_s=_wait_s(options.get("timeout")) if options.get("wait") is True else None,
        )


def table(value: Any) -> Mapping[str, Any]:
    """A JSON object, empty when it is anything else."""
    return value if isinstance(value, dict) else {}


def _number(value: Any, default: int) -> int:
    return value if type(value) is int else default


def _wait_s(asked_ms: Any) -> float:
    return min(max(_number(asked_ms, CHANGES_WAIT_MS), 0), CHANGES_LONGEST_WAIT_MS) / 1000


def _moment(since_ms: Any) -> datetime | None:
    """Milliseconds since 1970 as the database's time without zone."""
    if type(since_ms) not in (int, float) or not 0 < since_ms < 253402300799000:
        return None
    return datetime.fromtimestamp(since_ms / 1000, UTC).replace(tzinfo=None)
