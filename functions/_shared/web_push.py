"""Web push: a message for one browser, encrypted for it and signed by this installation.

RFC 8291 encrypts the content for the browser (aes128gcm of RFC 8188), so its push service cannot read it. RFC 8292
(VAPID) signs the request with a key that the browser was told when it subscribed. The key is derived from a secret of
the installation that rotating the signing keys keeps, so subscriptions stay valid.
"""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from backend.edge import api

CURVE = ec.SECP256R1()
# The order of its group (SEC 2, secp256r1).
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
AUTH_BYTES = 16
SALT_BYTES = 16
# One record holds any message: push services refuse more than 4096 bytes.
RECORD_BYTES = 4096
# The delimiter of the last record.
LAST = b"\x02"
# RFC 8292 allows a day; clocks differ.
SIGNED_FOR = timedelta(hours=12)


class BadKeys(Exception):
    """The keys of a browser are not a point of P-256 and 16 bytes."""


@dataclass(frozen=True)
class Browser:
    """A subscription as the browser gives it, its keys in base64url."""

    endpoint: str
    p256dh: str
    auth: str

    @property
    def public_key(self) -> ec.EllipticCurvePublicKey:
        """The key to encrypt for. Raises BadKeys."""
        try:
            return ec.EllipticCurvePublicKey.from_encoded_point(CURVE, unpadded(self.p256dh))
        except ValueError as error:
            raise BadKeys("p256dh is not a point of P-256") from error

    @property
    def secret(self) -> bytes:
        """What only the browser and its server know. Raises BadKeys."""
        try:
            secret = unpadded(self.auth)
        except ValueError as error:
            raise BadKeys("auth is not base64url") from error
        if len(secret) != AUTH_BYTES:
            raise BadKeys("auth is not 16 bytes")
        return secret


def encrypted(
    content: bytes, browser: Browser, *, ours: ec.EllipticCurvePrivateKey | None = None, salt: bytes | None = None
) -> bytes:
    """Encrypt a message for one browser; key and salt are fresh but in tests. Raises BadKeys."""
    ours = ours or ec.generate_private_key(CURVE)
    salt = salt or os.urandom(SALT_BYTES)
    theirs = browser.public_key
    shared = ours.exchange(ec.ECDH(), theirs)
    info = b"WebPush: info\0" + encoded(theirs) + encoded(ours.public_key())
    material = _derived(shared, browser.secret, info, 32)
    key = _derived(material, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(material, salt, b"Content-Encoding: nonce\0", 12)
    point = encoded(ours.public_key())
    header = salt + RECORD_BYTES.to_bytes(4, "big") + len(point).to_bytes(1, "big") + point
    return header + AESGCM(key).encrypt(nonce, content + LAST, None)


def signing_key(context: api.Context) -> ec.EllipticCurvePrivateKey:
    """Derive the key that signs for this installation."""
    return ec.derive_private_key(int.from_bytes(context.key("web push"), "big") % (ORDER - 1) + 1, CURVE)


def public_key(context: api.Context) -> str:
    """Return the key that a browser needs to subscribe (`applicationServerKey`)."""
    return padless(encoded(signing_key(context).public_key()))


def authorization(context: api.Context, endpoint: str) -> str:
    """Sign for the push service of an endpoint (RFC 8292)."""
    service = urlsplit(endpoint)
    claims = {
        "aud": f"{service.scheme}://{service.netloc}",
        "exp": int((context.now() + SIGNED_FOR).timestamp()),
        "sub": context.site_url,
    }
    token = jwt.encode(claims, signing_key(context), algorithm="ES256")
    return f"vapid t={token}, k={public_key(context)}"


def encoded(key: ec.EllipticCurvePublicKey) -> bytes:
    """Return the uncompressed point of a public key."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def padless(content: bytes) -> str:
    """Encode in base64url without padding."""
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


def unpadded(text: str) -> bytes:
    """Decode base64url without padding. Raises ValueError."""
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _derived(material: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(material)
