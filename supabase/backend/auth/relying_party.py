"""WebAuthn seen from our side (https://www.w3.org/TR/webauthn-2/): options for the browser, checks of its answers.

Attestation is not asked for: any authenticator will do, we only need its key. The user's handle is the text of their
id, as upstream has it, so that credentials of an imported database keep working.
"""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import webauthn
from cryptography.exceptions import UnsupportedAlgorithm
from webauthn.helpers import base64url_to_bytes, options_to_json_dict, parse_registration_credential_json
from webauthn.helpers.exceptions import WebAuthnException
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    CredentialDeviceType,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from backend.auth.models import User
from backend.core.config import Auth

CHALLENGE_LIFE_S = 300
LOCAL = "localhost"
# What bytes of a stranger can end in inside the parsers, beside the library's own exceptions.
_MALFORMED = (WebAuthnException, UnsupportedAlgorithm, ValueError, TypeError, LookupError, AttributeError)


class VerificationError(Exception):
    """The answer of the authenticator does not prove what it should."""


@dataclass(frozen=True)
class RelyingParty:
    """The domain that credentials belong to, and the addresses of the pages that may use them."""

    id: str
    name: str
    origins: list[str]


@dataclass(frozen=True)
class Registered:
    """A new credential."""

    credential_id: bytes
    public_key: bytes
    sign_count: int
    aaguid: UUID
    attestation_type: str
    transports: list[str]
    user_verified: bool
    backup_eligible: bool
    backed_up: bool


@dataclass(frozen=True)
class Known:
    """A credential as it was registered, with the counter it has reached."""

    credential_id: bytes
    public_key: bytes
    sign_count: int


@dataclass(frozen=True)
class Used:
    """A known credential that has just signed."""

    sign_count: int
    backed_up: bool


def of(settings: Auth) -> RelyingParty:
    """From the settings; origins of other domains than the credentials' are left over from elsewhere."""
    site = urlsplit(settings.site_url)
    host = site.hostname or ""
    configured = settings.webauthn.rp_id
    domain = configured if configured not in ("", LOCAL) else _domain(host)
    own = f"{site.scheme}://{site.netloc}".replace(host, _domain(host), 1)
    origins = {own, *settings.webauthn.rp_origins}
    return RelyingParty(domain, settings.webauthn.rp_display_name, sorted(filter(partial(_belongs, domain), origins)))


def _domain(host: str) -> str:
    """Credentials belong to a domain, never to an address (WebAuthn 5.1.2); that of the own machine has a name."""
    try:
        return LOCAL if ip_address(host).is_loopback else host
    except ValueError:
        return host


def _belongs(domain: str, origin: str) -> bool:
    """Apps have origins without a host, such as android:apk-key-hash."""
    host = urlsplit(origin).hostname
    return host is None or host == domain or host.endswith(f".{domain}")


def creation_options(party: RelyingParty, user: User, known: Sequence[bytes], *, passkey: bool) -> dict[str, Any]:
    """What navigator.credentials.create() is called with; authenticators that hold a known credential refuse.

    A passkey is a way in by itself, so its holder proves by PIN or finger who they are, here and wherever `passkey`
    is asked below; a second factor comes after a password.
    """
    name = user.email or user.phone or str(user.id)
    full_name = user.user_metadata.get("full_name")
    options = webauthn.generate_registration_options(
        rp_id=party.id,
        rp_name=party.name,
        user_id=user_handle(user.id),
        user_name=name,
        user_display_name=full_name if isinstance(full_name, str) and full_name else name,
        timeout=CHALLENGE_LIFE_S * 1000,
        exclude_credentials=[PublicKeyCredentialDescriptor(id=each) for each in known],
        authenticator_selection=AuthenticatorSelectionCriteria(
            resident_key=ResidentKeyRequirement.REQUIRED if passkey else ResidentKeyRequirement.DISCOURAGED,
            user_verification=_verification(passkey=passkey),
        ),
    )
    return options_to_json_dict(options)


def request_options(party: RelyingParty, allowed: Sequence[bytes], *, passkey: bool) -> dict[str, Any]:
    """What navigator.credentials.get() is called with; none allowed by name means any passkey of this domain."""
    options = webauthn.generate_authentication_options(
        rp_id=party.id,
        timeout=CHALLENGE_LIFE_S * 1000,
        allow_credentials=[PublicKeyCredentialDescriptor(id=each) for each in allowed],
        user_verification=_verification(passkey=passkey),
    )
    return options_to_json_dict(options)


def _verification(*, passkey: bool) -> UserVerificationRequirement:
    return UserVerificationRequirement.REQUIRED if passkey else UserVerificationRequirement.PREFERRED


def user_handle(user_id: UUID) -> bytes:
    """The name of the account towards authenticators."""
    return str(user_id).encode()


def register(party: RelyingParty, challenge: str, response: dict[str, Any], *, passkey: bool) -> Registered:
    """Checks the answer to creation options. Raises VerificationError."""
    try:
        parsed = parse_registration_credential_json(response)
        verified = webauthn.verify_registration_response(
            credential=parsed,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=party.id,
            expected_origin=party.origins,
            require_user_verification=passkey,
        )
        return Registered(
            credential_id=verified.credential_id,
            public_key=verified.credential_public_key,
            sign_count=verified.sign_count,
            aaguid=UUID(verified.aaguid),
            attestation_type=str(verified.fmt),
            transports=[transport.value for transport in parsed.response.transports or []],
            user_verified=verified.user_verified,
            backup_eligible=verified.credential_device_type is CredentialDeviceType.MULTI_DEVICE,
            backed_up=verified.credential_backed_up,
        )
    except _MALFORMED as error:
        raise VerificationError(str(error)) from error


def authenticate(party: RelyingParty, challenge: str, response: dict[str, Any], known: Known, *, passkey: bool) -> Used:
    """Checks the answer to request options; a counter that stands still betrays a copy. Raises VerificationError."""
    try:
        verified = webauthn.verify_authentication_response(
            credential=response,
            expected_challenge=base64url_to_bytes(challenge),
            expected_rp_id=party.id,
            expected_origin=party.origins,
            credential_public_key=known.public_key,
            credential_current_sign_count=known.sign_count,
            require_user_verification=passkey,
        )
        return Used(verified.new_sign_count, verified.credential_backed_up)
    except _MALFORMED as error:
        raise VerificationError(str(error)) from error


def credential_of(response: dict[str, Any]) -> tuple[bytes, bytes | None]:
    """The credential and the user's handle an answer names, both still to be proved. Raises VerificationError."""
    inner = response.get("response")
    handle = inner.get("userHandle") if isinstance(inner, dict) else None
    try:
        return base64url_to_bytes(response["id"]), base64url_to_bytes(handle) if handle else None
    except _MALFORMED as error:
        raise VerificationError(str(error)) from error


def to_json(registered: Registered) -> dict[str, Any]:
    """A credential as upstream keeps it in a factor (go-webauthn's Credential)."""
    return {
        "id": base64.b64encode(registered.credential_id).decode(),
        "publicKey": base64.b64encode(registered.public_key).decode(),
        "attestationType": registered.attestation_type,
        "transport": registered.transports,
        "flags": {
            "userPresent": True,
            "userVerified": registered.user_verified,
            "backupEligible": registered.backup_eligible,
            "backupState": registered.backed_up,
        },
        "authenticator": {
            "AAGUID": base64.b64encode(registered.aaguid.bytes).decode(),
            "signCount": registered.sign_count,
            "cloneWarning": False,
        },
    }


def from_json(stored: dict[str, Any]) -> Known:
    """A credential kept so."""
    return Known(
        credential_id=base64.b64decode(stored["id"]),
        public_key=base64.b64decode(stored["publicKey"]),
        sign_count=stored["authenticator"]["signCount"],
    )
