"""A fake push service on loopback, with a browser that subscribes to it and reads what arrives.

It decrypts and verifies by code of its own: HKDF from `hmac` (RFC 5869), the headers as RFC 8188, 8291 and 8292
describe them for the receiver. `answers` are the statuses of the next requests, with their headers; then it says 201.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from aiohttp import web
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

CURVE = ec.SECP256R1()


@dataclass
class Browser:
    """One subscription: a path at the service, and the keys of its browser."""

    endpoint: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(CURVE))
    auth: bytes = field(default_factory=lambda: os.urandom(16))

    def subscription(self) -> dict[str, Any]:
        """Write it as `PushSubscription.toJSON()` does."""
        keys = {"p256dh": written(point(self.key.public_key())), "auth": written(self.auth)}
        return {"endpoint": self.endpoint, "expirationTime": None, "keys": keys}

    def read(self, body: bytes) -> bytes:
        """Decrypt a message (RFC 8291 section 3, RFC 8188 section 2)."""
        salt, size, length = body[:16], int.from_bytes(body[16:20], "big"), body[20]
        sender, record = body[21 : 21 + length], body[21 + length :]
        assert length == 65
        assert len(record) <= size <= 4096
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(CURVE, sender))
        told = b"WebPush: info\x00" + point(self.key.public_key()) + sender
        secret = hkdf(self.auth, shared, told, 32)
        content_key = hkdf(salt, secret, b"Content-Encoding: aes128gcm\x00", 16)
        nonce = hkdf(salt, secret, b"Content-Encoding: nonce\x00", 12)
        plain = AESGCM(content_key).decrypt(nonce, record, None).rstrip(b"\x00")
        assert plain[-1:] == b"\x02", "the last record ends with 2"
        return plain[:-1]


@dataclass
class Received:
    """A message as it arrived, and who signed for it."""

    path: str
    headers: Mapping[str, str]
    body: bytes
    claims: Mapping[str, Any]
    signer: str


@dataclass
class Push:
    """The service; `received` is all that it was sent, refused or not."""

    url: str = ""
    answers: list[tuple[int, Mapping[str, str]]] = field(default_factory=list)
    received: list[Received] = field(default_factory=list)

    def browser(self, name: str = "one") -> Browser:
        """Subscribe a browser."""
        return Browser(f"{self.url}/push/{name}")

    async def take(self, request: web.Request) -> web.Response:
        """Take one message."""
        claims, signer = verified(request.headers["Authorization"])
        assert claims["aud"] == self.url
        body = await request.read()
        assert ("Content-Encoding" in request.headers) == bool(body)
        self.received.append(Received(request.path, dict(request.headers), body, claims, signer))
        status, headers = self.answers.pop(0) if self.answers else (201, {})
        return web.Response(status=status, headers=headers)


def verified(header: str) -> tuple[Mapping[str, Any], str]:
    """Check the signature of RFC 8292; return its claims and the public key."""
    scheme, _, rest = header.partition(" ")
    values = dict(part.strip().split("=", 1) for part in rest.split(","))
    assert scheme == "vapid"
    signed, _, signature = values["t"].rpartition(".")
    raw = read(signature)
    der = utils.encode_dss_signature(int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
    key = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, read(values["k"]))
    key.verify(der, signed.encode(), ec.ECDSA(SHA256()))
    head, claims = (json.loads(read(part)) for part in signed.split("."))
    assert head["alg"] == "ES256"
    return claims, values["k"]


def hkdf(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    """Derive up to 32 bytes (RFC 5869)."""
    pseudorandom = hmac.digest(salt, material, "sha256")
    return hmac.digest(pseudorandom, info + b"\x01", "sha256")[:length]


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """Write a public key as a browser does."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def written(content: bytes) -> str:
    """Write base64url without padding."""
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def read(text: str) -> bytes:
    """Read base64url without padding."""
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


@asynccontextmanager
async def serving() -> AsyncIterator[Push]:
    """Serve while the block lasts."""
    fake = Push()
    app = web.Application()
    app.router.add_post("/push/{name}", fake.take)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield fake
    finally:
        await runner.cleanup()
