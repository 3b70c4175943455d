"""Every SQL statement of the auth service: one module per table, one function per statement, typed rows out."""

from backend.auth.queries import (
    audit,
    flow_states,
    identities,
    mail_requests,
    one_time_tokens,
    refresh_tokens,
    sessions,
    users,
)

__all__ = [
    "audit",
    "flow_states",
    "identities",
    "mail_requests",
    "one_time_tokens",
    "refresh_tokens",
    "sessions",
    "users",
]
