"""Every SQL statement of the auth service: one module per table, one function per statement, typed rows out."""

from backend.auth.queries import (
    attempts,
    audit,
    factors,
    flow_states,
    hooks,
    identities,
    mail_requests,
    mfa_challenges,
    one_time_tokens,
    passkeys,
    rate_limits,
    recovery_codes,
    refresh_tokens,
    revoked_sessions,
    sessions,
    users,
)

__all__ = [
    "attempts",
    "audit",
    "factors",
    "flow_states",
    "hooks",
    "identities",
    "mail_requests",
    "mfa_challenges",
    "one_time_tokens",
    "passkeys",
    "rate_limits",
    "recovery_codes",
    "refresh_tokens",
    "revoked_sessions",
    "sessions",
    "users",
]
