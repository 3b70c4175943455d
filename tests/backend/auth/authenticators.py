"""What people hold in their hands: an authenticator app (RFC 6238) and a security key or passkey (WebAuthn).

Written from the standards, not with the code under test.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import struct
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

ORIGIN = "http://localhost:54321"
RP_ID = "localhost"


def totp(secret: str, moment: datetime) -> str:
    """The six digits an app shows at this moment."""
    counter = struct.pack(">Q", int(moment.timestamp()) // 30)
    digest = hmac.new(base64.b32decode(secret), counter, hashlib.sha1).digest()
    offset = digest[-1] & 0xF
    return f"{(struct.unpack('>I', digest[offset : offset + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def b64url(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@dataclass
class SecurityKey:
    """An ES256 authenticator with attestation "none"; what it claims about page and domain can be falsified."""

    origin: str = ORIGIN
    rp_id: str = RP_ID
    sign_count: int = 1
    aaguid: bytes = bytes(16)
    credential_id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    private_key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    user_handle: str = ""
    # By PIN or finger; without, a touch is all it asks for.
    verifies_user: bool = True

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """navigator.credentials.create()"""
        self.user_handle = options["user"]["id"]
        client_data = self._client_data("webauthn.create", options["challenge"])
        point = self.private_key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: point.x.to_bytes(32, "big"), -3: point.y.to_bytes(32, "big")}
        attested = self.aaguid + struct.pack(">H", len(self.credential_id)) + self.credential_id + cbor2.dumps(cose)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._authenticator_data(0x45) + attested}
        return self._credential(
            {
                "clientDataJSON": b64url(client_data),
                "attestationObject": b64url(cbor2.dumps(attestation)),
                "transports": ["internal"],
            }
        )

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """navigator.credentials.get()"""
        self.sign_count += 1
        client_data = self._client_data("webauthn.get", options["challenge"])
        authenticator_data = self._authenticator_data(0x05)
        signed = authenticator_data + hashlib.sha256(client_data).digest()
        return self._credential(
            {
                "clientDataJSON": b64url(client_data),
                "authenticatorData": b64url(authenticator_data),
                "signature": b64url(self.private_key.sign(signed, ec.ECDSA(hashes.SHA256()))),
                "userHandle": self.user_handle,
            }
        )

    def _client_data(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _authenticator_data(self, flags: int) -> bytes:
        flags &= 0xFF if self.verifies_user else ~0x04
        return hashlib.sha256(self.rp_id.encode()).digest() + bytes([flags]) + struct.pack(">I", self.sign_count)

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        identity = b64url(self.credential_id)
        return {
            "id": identity,
            "rawId": identity,
            "type": "public-key",
            "authenticatorAttachment": "platform",
            "clientExtensionResults": {},
            "response": response,
        }
