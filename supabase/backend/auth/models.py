"""The rows of the auth schema as frozen dataclasses, and the JSON the clients see of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import asyncpg


def timestamp(moment: datetime) -> str:
    """RFC 3339 with microseconds and Z, as GoTrue writes it."""
    utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    return utc.isoformat(timespec="microseconds")[:-6] + "Z"


@dataclass(frozen=True)
class Identity:
    """One way in: an address, or an account at a provider."""

    id: UUID
    provider_id: str
    user_id: UUID
    identity_data: dict[str, Any]
    provider: str
    last_sign_in_at: datetime | None
    created_at: datetime
    updated_at: datetime
    email: str | None

    def public(self) -> dict[str, Any]:
        """The identity as clients see it: their `id` is the provider's subject."""
        return {
            "identity_id": str(self.id),
            "id": self.provider_id,
            "user_id": str(self.user_id),
            "identity_data": self.identity_data,
            "provider": self.provider,
            "last_sign_in_at": timestamp(self.last_sign_in_at) if self.last_sign_in_at else None,
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            **({"email": self.email} if self.email else {}),
        }


@dataclass(frozen=True)
class User:
    """An account. NULL and '' of token and address columns both read as ''."""

    id: UUID
    aud: str
    role: str
    email: str
    phone: str
    app_metadata: dict[str, Any]
    user_metadata: dict[str, Any]
    created_at: datetime
    updated_at: datetime
    encrypted_password: str = field(default="", repr=False)
    email_change: str = ""
    email_change_confirm_status: int = 0
    phone_change: str = ""
    invited_at: datetime | None = None
    email_confirmed_at: datetime | None = None
    phone_confirmed_at: datetime | None = None
    confirmed_at: datetime | None = None
    confirmation_sent_at: datetime | None = None
    recovery_sent_at: datetime | None = None
    email_change_sent_at: datetime | None = None
    phone_change_sent_at: datetime | None = None
    reauthentication_sent_at: datetime | None = None
    last_sign_in_at: datetime | None = None
    banned_until: datetime | None = None
    deleted_at: datetime | None = None
    is_sso_user: bool = False
    is_anonymous: bool = False
    identities: tuple[Identity, ...] = ()
    factors: tuple[dict[str, Any], ...] = ()

    @property
    def has_verified_factor(self) -> bool:
        """Whether a second factor stands ready, so that changes of the ways in ask for it."""
        return any(factor["status"] == "verified" for factor in self.factors)

    def is_banned(self, now: datetime) -> bool:
        """Whether the account is locked at this moment."""
        return self.banned_until is not None and self.banned_until > now

    def public(self) -> dict[str, Any]:
        """Return the user as clients see it (AUTH-05), with moments and pending changes only when there are any."""
        known = {name: getattr(self, name) for name in MOMENTS}
        return {
            "id": str(self.id),
            "aud": self.aud,
            "role": self.role,
            "email": self.email,
            "phone": self.phone,
            **{name: timestamp(moment) for name, moment in known.items() if moment is not None},
            **({"new_email": self.email_change} if self.email_change else {}),
            **({"new_phone": self.phone_change} if self.phone_change else {}),
            "app_metadata": self.app_metadata,
            "user_metadata": self.user_metadata,
            **({"factors": self.public_factors()} if self.factors else {}),
            "identities": [identity.public() for identity in self.identities],
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            "is_anonymous": self.is_anonymous,
        }

    def public_before_factor(self) -> dict[str, Any]:
        """Return what a session may know that owes the second factor: the account's address, and how to answer."""
        factors = [factor for factor in self.public_factors() if factor["status"] == "verified"]
        return {
            "id": str(self.id),
            "aud": self.aud,
            "role": self.role,
            "email": self.email,
            "phone": "",
            "app_metadata": {},
            "user_metadata": {},
            "factors": factors,
            "identities": [],
            "created_at": timestamp(self.created_at),
            "updated_at": timestamp(self.updated_at),
            "is_anonymous": self.is_anonymous,
        }

    def public_factors(self) -> list[dict[str, Any]]:
        """The second factors, never their secrets."""
        return [_public_factor(factor) for factor in self.factors]


MOMENTS = (
    "email_confirmed_at",
    "invited_at",
    "phone_confirmed_at",
    "confirmation_sent_at",
    "confirmed_at",
    "recovery_sent_at",
    "email_change_sent_at",
    "phone_change_sent_at",
    "reauthentication_sent_at",
    "last_sign_in_at",
    "banned_until",
    "deleted_at",
)


@dataclass(frozen=True)
class Session:
    """One sign-in on one device."""

    id: UUID
    user_id: UUID
    created_at: datetime
    aal: str
    not_after: datetime | None
    refreshed_at: datetime | None
    # Methods used, newest first: (name, moment).
    amr: tuple[tuple[str, datetime], ...]

    # Set where another application holds the session, with what it was allowed (AUTH-26).
    oauth_client_id: UUID | None = None
    scopes: str = ""

    def owes_factor(self, user: User) -> bool:
        """Tell whether the account has a second factor that this session has not answered for.

        An application was let in by a session that had answered, so it owes nothing.
        """
        return self.aal == "aal1" and user.has_verified_factor and not self.oauth_client_id

    def public_amr(self) -> list[dict[str, Any]]:
        """The claim `amr`."""
        return [{"method": method, "timestamp": int(moment.timestamp())} for method, moment in self.amr]


@dataclass(frozen=True)
class AuditEntry:
    """One line of the audit log."""

    id: UUID
    payload: dict[str, Any]
    created_at: datetime
    ip_address: str

    def public(self) -> dict[str, Any]:
        """The entry as admins see it."""
        return {
            "id": str(self.id),
            "payload": self.payload,
            "created_at": timestamp(self.created_at),
            "ip_address": self.ip_address,
        }


@dataclass(frozen=True)
class ListedSession:
    """A session as its owner recognises it."""

    session: Session
    user_agent: str | None
    ip: str | None

    def public(self, current: UUID | None) -> dict[str, Any]:
        """The session as lists show it; `current` is the one that asks."""
        session = self.session
        return {
            "id": str(session.id),
            "created_at": timestamp(session.created_at),
            "refreshed_at": timestamp(session.refreshed_at) if session.refreshed_at else None,
            "user_agent": self.user_agent,
            "ip": self.ip,
            "aal": session.aal,
            "current": session.id == current,
        }


@dataclass(frozen=True)
class RefreshToken:
    """One link of a session's chain of refresh tokens."""

    token: str = field(repr=False)
    parent: str = field(repr=False)
    revoked: bool
    updated_at: datetime


@dataclass(frozen=True)
class Chain:
    """A token that was given, its session, and the session's active token, which may be the same."""

    session: Session
    given: RefreshToken
    active: RefreshToken | None


@dataclass(frozen=True)
class Factor:
    """A second factor with what proves it: a sealed TOTP secret, a phone, or a WebAuthn credential."""

    id: UUID
    user_id: UUID
    factor_type: str
    status: str
    friendly_name: str
    secret: str = field(repr=False)
    phone: str
    last_challenged_at: datetime | None
    # go-webauthn's JSON, as upstream stores it.
    web_authn_credential: dict[str, Any] | None

    @property
    def is_verified(self) -> bool:
        return self.status == "verified"


@dataclass(frozen=True)
class MfaChallenge:
    """A challenge of one factor; `same_address` tells whether it was asked for from where it is answered."""

    id: UUID
    created_at: datetime
    verified_at: datetime | None
    same_address: bool
    otp_code: str = field(repr=False)
    session_data: dict[str, Any] | None


@dataclass(frozen=True)
class RecoveryCodeSet:
    """The recovery codes of one user, without the codes."""

    id: UUID
    factor_id: UUID
    friendly_name: str
    failed_count: int
    locked_until: datetime | None
    total: int
    remaining: int


@dataclass(frozen=True)
class Passkey:
    """A credential that signs somebody in without a password."""

    id: UUID
    user_id: UUID
    credential_id: bytes
    public_key: bytes = field(repr=False)
    sign_count: int
    friendly_name: str
    created_at: datetime
    last_used_at: datetime | None

    def public(self) -> dict[str, Any]:
        """The passkey as lists show it."""
        return {
            "id": str(self.id),
            **({"friendly_name": self.friendly_name} if self.friendly_name else {}),
            "created_at": timestamp(self.created_at),
            **({"last_used_at": timestamp(self.last_used_at)} if self.last_used_at else {}),
        }


@dataclass(frozen=True)
class FlowState:
    """A PKCE flow under way: what was asked for, and the code that goes with its verifier."""

    id: UUID
    user_id: UUID | None
    code_challenge: str
    code_challenge_method: str
    authentication_method: str
    created_at: datetime
    auth_code_issued_at: datetime | None
    provider_type: str
    provider_access_token: str = field(repr=False)
    provider_refresh_token: str = field(repr=False)


def user(row: asyncpg.Record | dict[str, Any]) -> User:
    """One row of queries.USER."""
    values = dict(row)
    values["identities"] = tuple(_identity(each) for each in values["identities"])
    values["factors"] = tuple(values["factors"])
    return User(**values)


def session(row: asyncpg.Record | dict[str, Any]) -> Session:
    """One row of queries.SESSION."""
    values = dict(row)
    values["amr"] = tuple((method, datetime.fromisoformat(moment)) for method, moment in values["amr"])
    return Session(**values)


def chain(row: asyncpg.Record) -> Chain:
    """One row of queries.refresh_tokens: a session with two of its tokens beside it."""
    values = dict(row)
    given, active = values.pop("given"), values.pop("active")
    return Chain(session(values), _refresh_token(given), _refresh_token(active) if active else None)


def _refresh_token(row: dict[str, Any]) -> RefreshToken:
    return RefreshToken(**{**row, "updated_at": datetime.fromisoformat(row["updated_at"])})


def listed_session(row: asyncpg.Record) -> ListedSession:
    """One row of queries.SESSION with the device beside it."""
    values = dict(row)
    values["amr"] = tuple((method, datetime.fromisoformat(moment)) for method, moment in values["amr"])
    user_agent, ip = values.pop("user_agent"), values.pop("ip")
    return ListedSession(Session(**values), user_agent, ip)


def _identity(row: dict[str, Any]) -> Identity:
    moments = ("created_at", "updated_at", "last_sign_in_at")
    parsed = {name: datetime.fromisoformat(row[name]) if row[name] else None for name in moments}
    return Identity(**{**row, **parsed, "id": UUID(row["id"]), "user_id": UUID(row["user_id"])})


def _public_factor(factor: dict[str, Any]) -> dict[str, Any]:
    """Upstream's mixture: a phone is '' and a moment null when missing, name and model are left out."""
    challenged_at = factor["last_challenged_at"]
    return {
        "id": factor["id"],
        "created_at": timestamp(datetime.fromisoformat(factor["created_at"])),
        "updated_at": timestamp(datetime.fromisoformat(factor["updated_at"])),
        "status": factor["status"],
        **({"friendly_name": factor["friendly_name"]} if factor["friendly_name"] else {}),
        "factor_type": factor["factor_type"],
        "phone": factor["phone"] or "",
        "last_challenged_at": timestamp(datetime.fromisoformat(challenged_at)) if challenged_at else None,
        **({"web_authn_aaguid": factor["web_authn_aaguid"]} if factor["web_authn_aaguid"] else {}),
    }
