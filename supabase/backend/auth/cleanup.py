"""Delete expired sessions, tokens, codes and counters of the auth service.

Requests clear away a few as they go; this job sees to the rest, also when nobody comes. Everything stays a while
after its end, so that a late click is answered "expired" and not "unknown".
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from backend.auth.queries import cleanup
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources

logger = logging.getLogger("backend.auth")

JOB = "auth.cleanup"
EVERY = timedelta(hours=1)
AFTERLIFE = timedelta(days=1)
REVOKED_TOKENS_KEPT = timedelta(days=30)


async def forget(resources: Resources, _payload: dict[str, Any]) -> None:
    """Delete the expired rows of each table."""
    counts: dict[str, int] = {}
    for table, over, before in what_is_over(resources.settings, resources.now()):
        deleted = cleanup.BATCH
        while deleted == cleanup.BATCH:
            async with db.connection(resources.pool) as connection:
                deleted = await cleanup.delete(connection, table, over, before)
            counts[table] = counts.get(table, 0) + deleted
    logger.info("expired rows deleted", extra={table: count for table, count in counts.items() if count})


def what_is_over(settings: Settings, now: datetime) -> Iterator[tuple[str, str, datetime]]:
    """(table, condition on $1, the moment $1)."""
    limits, ended = settings.auth.sessions, now - AFTERLIFE
    yield "sessions", "not_after < $1", ended
    if limits.timebox is not None:
        yield "sessions", "created_at < $1", ended - limits.timebox
    if limits.inactivity_timeout is not None:
        last_used = "coalesce(refreshed_at at time zone 'UTC', created_at) < $1"
        yield "sessions", last_used, ended - limits.inactivity_timeout
    yield "refresh_tokens", cleanup.REVOKED_TOKENS, now - REVOKED_TOKENS_KEPT
    # People come back to last week's mail.
    lifetime = max(timedelta(seconds=settings.auth.email.otp_expiry), timedelta(days=7))
    yield "one_time_tokens", "created_at at time zone 'UTC' < $1", ended - lifetime
    yield "flow_state", "created_at < $1", ended - AFTERLIFE
    yield "oauth_client_states", "created_at < $1", ended - AFTERLIFE
    yield "oauth_authorizations", "expires_at < $1", ended
    yield "mfa_challenges", "created_at < $1", ended
    yield "mfa_factors", "status = 'unverified' and created_at < $1", ended
    yield "webauthn_challenges", "expires_at < $1", ended
    yield "mail_requests", "requested_at < $1", ended
    yield "rate_limits", "full_at < $1", now
    # Of a clock that was wrong: no limit counts in so long a period.
    yield "rate_limits", "full_at > $1", now + AFTERLIFE
    yield "attempts", "forgotten_at < $1", now
