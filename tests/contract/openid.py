"""Starts tests/oidc/server.mjs where the stack looks for its provider, and walks there and back as a browser does."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx
import jwt
from cryptography.hazmat.primitives.asymmetric import ec

from scripts.paths import ROOT
from tests.contract import stack

# New people in each run: the stack remembers who they are.
RUN = secrets.token_hex(4)
NAMES = ("giulia", "marco", "lucia")
KID = "contract"


@dataclass(frozen=True)
class OpenId:
    """The running provider."""

    issuer: str
    client_id: str
    key: ec.EllipticCurvePrivateKey

    def id_token(self, **claims: Any) -> str:
        """As the provider would make it for an app of ours."""
        now = int(time.time())
        body = {"iss": self.issuer, "aud": self.client_id, "iat": now, "exp": now + 600, **claims}
        return jwt.encode(body, self.key, algorithm="ES256", headers={"kid": KID})

    def account(self, name: str) -> str:
        """The `login_hint` of somebody the provider knows; nobody else says yes."""
        return f"{name}-{RUN}"

    def travel(self, url: str) -> httpx.URL:
        """Follows redirects until a page of the product."""
        product, at = httpx.URL(stack.run()["url"]), httpx.URL(url)
        with httpx.Client() as browser:
            while at.port != product.port or at.path.startswith("/auth/v1/"):
                answer = browser.get(at)
                assert answer.is_redirect, answer.text
                at = at.join(answer.headers["location"])
        return at


def _key() -> ec.EllipticCurvePrivateKey:
    """Follows from the stack's secret, so that whoever starts the provider next has the key the stack remembers."""
    digest = hashlib.sha256(stack.run()["secret_key"].encode()).digest()
    return ec.derive_private_key(int.from_bytes(digest, "big"), ec.SECP256R1())


def _jwk(key: ec.EllipticCurvePrivateKey) -> dict[str, str]:
    numbers = key.private_numbers()
    parts = {"d": numbers.private_value, "x": numbers.public_numbers.x, "y": numbers.public_numbers.y}
    encoded = {name: base64.urlsafe_b64encode(part.to_bytes(32)).rstrip(b"=").decode() for name, part in parts.items()}
    return {"kty": "EC", "crv": "P-256", "kid": KID, "use": "sig", "alg": "ES256", **encoded}


@contextmanager
def running() -> Iterator[OpenId]:
    """The provider, for as long as the block lasts; it ends with its stdin."""
    settings = {name: os.environ[f"SUPABASE_AUTH_EXTERNAL_KEYCLOAK_{name}"] for name in ("URL", "CLIENT_ID", "SECRET")}
    provider = OpenId(settings["URL"], settings["CLIENT_ID"], _key())
    client = {
        "client_id": provider.client_id,
        "client_secret": settings["SECRET"],
        "redirect_uris": [f"{stack.run()['url']}/auth/v1/callback"],
        "id_token_signed_response_alg": "ES256",
    }
    port = httpx.URL(provider.issuer).port
    people = {
        provider.account(name): {"email": f"{name}-{RUN}@openid.example", "email_verified": True, "name": name.title()}
        for name in NAMES
    }
    given = {"clients": [client], "jwks": {"keys": [_jwk(provider.key)]}, "accounts": people, "port": port}
    command = ["node", str(ROOT / "tests/oidc/server.mjs")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{json.dumps(given)}\n")
        child.stdin.flush()
        child.stdout.readline()
        yield provider
