"""A real OpenID provider beside the tests (tests/oidc/server.mjs), and a browser that goes there and back."""

from __future__ import annotations

import html
import ipaddress
import json
import re
import shutil
import ssl
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import jwt as pyjwt
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.x509.oid import NameOID
from jwt.algorithms import RSAAlgorithm

from backend.core.config import ROOT, Settings
from backend.core.config_providers import External
from tests.backend.auth.conftest import Api
from tests.conftest import Clock

CLIENT_ID = "socio"
SECRET = "not:a&secret=%2F+"
# Where the product sends people when a test does not say otherwise.
SITE = "http://localhost:54321"

ACCOUNTS: dict[str, dict[str, Any]] = {
    "giulia": {
        "email": "Giulia@socio.example",
        "email_verified": True,
        "name": "Giulia Ferri",
        "picture": "https://pictures.example/giulia.png",
        "department": "Cucina",
    },
    "giulia-too": {"email": "giulia@socio.example", "email_verified": True, "name": "Giulia F."},
    "marco": {"email": "marco@socio.example", "email_verified": False, "name": "Marco"},
    "claims-to-be-giulia": {"email": "giulia@socio.example", "email_verified": False},
    "no-address": {"name": "Nessuno"},
}


@dataclass(frozen=True)
class OpenId:
    """The running provider, with the key it signs with."""

    http: str
    https: str
    certificate: Path
    key: dict[str, Any]

    def sign(self, claims: dict[str, Any], **header: Any) -> str:
        """An ID token as this provider would make it."""
        private: Any = RSAAlgorithm.from_jwk(self.key)
        return pyjwt.encode(claims, private, algorithm="RS256", headers={"kid": self.key["kid"], **header})


def _certificate(folder: Path) -> tuple[Path, Path]:
    """For 127.0.0.1, signed by itself."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "provider of the tests")])
    now = datetime.now(UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    paths = folder / "certificate.pem", folder / "key.pem"
    paths[0].write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    paths[1].write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return paths


@pytest.fixture(scope="session")
def openid(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenId]:
    certificate, key = _certificate(tmp_path_factory.mktemp("openid"))
    jwk: dict[str, Any] = RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048), as_dict=True)
    jwk |= {"kid": "of the tests", "use": "sig", "alg": "RS256"}
    jwk.pop("key_ops", None)
    client = {"client_id": CLIENT_ID, "client_secret": SECRET, "redirect_uris": [f"{SITE}/auth/v1/callback"]}
    given = {
        "clients": [client],
        "jwks": {"keys": [jwk]},
        "accounts": ACCOUNTS,
        "tls": {"cert": certificate.read_text(), "key": key.read_text()},
    }
    node = shutil.which("node", path=str(Path(sys.executable).parent)) or "node"
    with subprocess.Popen(
        [node, str(ROOT / "tests/oidc/server.mjs")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(f"{json.dumps(given)}\n")
        child.stdin.flush()
        issuers = json.loads(child.stdout.readline())
        yield OpenId(issuers["http"], issuers["https"], certificate, jwk)


@pytest.fixture
def changes() -> dict[str, Any]:
    """What a test wants to be different in the settings: `parametrize("changes", [{…}])`."""
    return {}


@pytest.fixture
def provider_changes() -> dict[str, Any]:
    """The same for the settings of every provider."""
    return {}


@pytest.fixture
def settings(
    settings: Settings,
    openid: OpenId,
    monkeypatch: pytest.MonkeyPatch,
    changes: dict[str, Any],
    provider_changes: dict[str, Any],
) -> Settings:
    """Two providers at the same place: the one that says it is Apple gets its answers by POST."""
    monkeypatch.setenv("SSL_CERT_FILE", str(openid.certificate))
    mine = External(client_id=f"{CLIENT_ID}, socio-mobile", secret=SECRET, url=openid.http, **provider_changes)
    external = {"keycloak": mine, "apple": replace(mine, url=openid.https), "google": External(enabled=False)}
    auth = replace(settings.auth, **{"external": external, "enable_manual_linking": True, **changes})
    return replace(settings, auth=auth)


@dataclass(frozen=True)
class Answer:
    """Where somebody ended up."""

    location: str

    @property
    def query(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.location).query).items()}

    @property
    def fragment(self) -> dict[str, str]:
        return {name: values[0] for name, values in parse_qs(urlsplit(self.location).fragment).items()}


@dataclass(frozen=True)
class Browser:
    """Follows redirects between the product and the provider, with the provider's cookies."""

    api: Api
    outside: httpx.AsyncClient

    async def authorize(self, provider: str = "keycloak", account: str = "giulia", **query: str) -> str:
        """The provider's address that a sign-in begins at."""
        parameters = {"provider": provider, "login_hint": account, **query}
        answer = await self.api.get("/authorize", params=parameters)
        assert answer.status_code == 302, answer.text
        return str(answer.headers["location"])

    async def visit(self, location: str) -> str:
        """What the provider sends the browser back with; a form is submitted as the page's script would."""
        self.outside.cookies.clear()  # else the provider takes the next person for the last one
        for _ in range(10):
            answer = await self.outside.get(location)
            if "<form" in answer.text:
                return answer.text
            assert answer.is_redirect, answer.text
            location = str(httpx.URL(location).join(answer.headers["location"]))
            if location.startswith(SITE):
                return location
        raise AssertionError("too many redirects")

    async def come_back(self, returned: str) -> Answer:
        if not returned.startswith("<"):
            return Answer((await self.api.client.get(returned)).headers["location"])
        fields = re.findall(r'name="(\w+)" value="([^"]*)"', returned)
        answer = await self.api.client.post(
            "/auth/v1/callback", data={name: html.unescape(value) for name, value in fields}
        )
        assert answer.status_code == 303
        return Answer(answer.headers["location"])

    async def sign_in(self, provider: str = "keycloak", account: str = "giulia", **query: str) -> Answer:
        """There and back."""
        return await self.come_back(await self.visit(await self.authorize(provider, account, **query)))


@pytest.fixture
async def browser(api: Api, openid: OpenId) -> AsyncIterator[Browser]:
    trusted = ssl.create_default_context(cafile=str(openid.certificate))
    async with httpx.AsyncClient(verify=trusted, trust_env=False) as outside:
        yield Browser(api, outside)


def id_token_claims(openid: OpenId, now: Clock, **more: Any) -> dict[str, Any]:
    """What an ID token of `giulia` for us says now."""
    issued = int(now().timestamp())
    return {
        "iss": openid.http,
        "sub": "giulia",
        "aud": CLIENT_ID,
        "iat": issued,
        "exp": issued + 600,
        "email": "giulia@socio.example",
        "email_verified": True,
        **more,
    }
