"""Every SQL statement of the auth service: one module per table, one function per statement, typed rows out."""

from backend.auth.queries import (
    audit,
    factors,
    flow_states,
    identities,
    mail_requests,
    mfa_challenges,
    one_time_tokens,
    passkeys,
    recovery_codes,
    refresh_tokens,
    sessions,
    users,
)

__all__ = [
    "audit",
    "factors",
    "flow_states",
    "identities",
    "mail_requests",
    "mfa_challenges",
    "one_time_tokens",
    "passkeys",
    "recovery_codes",
    "refresh_tokens",
    "sessions",
    "users",
]
