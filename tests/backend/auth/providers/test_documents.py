"""Discovery documents and keys: fetched once, kept for a while, looked for again with restraint (FAULT-20)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.algorithms import ECAlgorithm, RSAAlgorithm

from backend.auth.providers import documents
from backend.auth.providers.documents import Documents
from backend.auth.providers.model import Provider
from backend.core.egress import Answer, Egress, EgressError, Reach

pytestmark = pytest.mark.anyio

RSA: dict[str, Any] = RSAAlgorithm.to_jwk(rsa.generate_private_key(65537, 2048).public_key(), as_dict=True)
EC: dict[str, Any] = ECAlgorithm.to_jwk(ec.generate_private_key(ec.SECP256R1()).public_key(), as_dict=True)
URL = "https://provider.example/keys"


class Web(Egress):
    """The network edge: answers from a table, and counts."""

    def __init__(self, pages: dict[str, Any]) -> None:
        super().__init__()
        self.pages = pages
        self.asked: list[str] = []

    async def get(self, url: str, reach: Reach, headers: Any = None) -> Answer:
        self.asked.append(url)
        await asyncio.sleep(0)
        if url not in self.pages:
            return Answer(404, b"")
        return Answer(200, json.dumps(self.pages[url]).encode())


class Ticks:
    def __init__(self) -> None:
        self.now_s = 1000.0

    def __call__(self) -> float:
        return self.now_s


def _key(kid: str, **more: Any) -> dict[str, Any]:
    return {**{name: value for name, value in RSA.items() if name != "key_ops"}, "kid": kid, **more}


async def test_twenty_sign_ins_at_once_ask_once() -> None:
    web = Web({URL: {"keys": [_key("a")]}})
    kept = Documents(web)
    found = await asyncio.gather(*(kept.key(URL, Reach.PUBLIC, {"alg": "RS256", "kid": "a"}) for _ in range(20)))
    assert all(found)
    assert web.asked == [URL]


async def test_an_unknown_key_is_looked_for_at_most_once_a_minute() -> None:
    web, clock = Web({URL: {"keys": [_key("a")]}}), Ticks()
    kept = Documents(web, clock)
    header = {"alg": "RS256", "kid": "b"}
    for _ in range(50):
        assert await kept.key(URL, Reach.PUBLIC, header) is None
    assert len(web.asked) == 1
    clock.now_s += documents.RELOAD_INTERVAL_S
    web.pages[URL] = {"keys": [_key("a"), _key("b")]}
    assert await kept.key(URL, Reach.PUBLIC, header) is not None
    assert len(web.asked) == 2


async def test_a_withdrawn_key_is_forgotten_within_the_hour() -> None:
    web, clock = Web({URL: {"keys": [_key("a")]}}), Ticks()
    kept = Documents(web, clock)
    assert await kept.key(URL, Reach.PUBLIC, {"alg": "RS256", "kid": "a"})
    web.pages[URL] = {"keys": []}
    clock.now_s += documents.MAX_AGE_S
    assert await kept.key(URL, Reach.PUBLIC, {"alg": "RS256", "kid": "a"}) is None


async def test_the_number_of_documents_is_bounded() -> None:
    urls = [f"{URL}/{number}" for number in range(documents.MAX_ENTRIES + 20)]
    web = Web({url: {"keys": []} for url in urls})
    kept = Documents(web)
    for url in urls:
        await kept.key(url, Reach.PUBLIC, {"alg": "RS256", "kid": "a"})
    assert len(kept._entries) == documents.MAX_ENTRIES


@pytest.mark.parametrize(
    ("keys", "header", "found"),
    [
        ([_key("a")], {"alg": "RS256", "kid": "a"}, True),
        ([_key("a")], {"alg": "RS256"}, True),
        ([_key("a"), _key("b")], {"alg": "RS256"}, False),
        ([_key("a"), _key("a")], {"alg": "RS256", "kid": "a"}, False),
        ([_key("a")], {"alg": "ES256", "kid": "a"}, False),
        ([_key("a")], {"alg": "HS256", "kid": "a"}, False),
        ([_key("a")], {"alg": "none", "kid": "a"}, False),
        ([_key("a")], {"alg": ["RS256"], "kid": "a"}, False),
        ([_key("a")], {"kid": "a"}, False),
        ([_key("a", use="enc")], {"alg": "RS256", "kid": "a"}, False),
        ([_key("a", alg="RS512")], {"alg": "RS256", "kid": "a"}, False),
        ([{"kty": "oct", "k": "c2VjcmV0", "kid": "a"}], {"alg": "HS256", "kid": "a"}, False),
        ([{"kty": "RSA", "kid": "a"}], {"alg": "RS256", "kid": "a"}, False),
        ([{**EC, "kid": "a"}], {"alg": "ES256", "kid": "a"}, True),
        ([{**EC, "kid": "a"}], {"alg": "RS256", "kid": "a"}, False),
        (["nonsense", None, 7], {"alg": "RS256", "kid": "a"}, False),
        ("nonsense", {"alg": "RS256", "kid": "a"}, False),
    ],
    ids=[
        *("by-id", "only-one", "ambiguous", "twice", "other-kind", "shared-secret", "none", "odd-algorithm"),
        *("no-algorithm", "encryption", "other-algorithm", "oct", "broken", "elliptic", "elliptic-as-rsa"),
        *("junk", "no-list"),
    ],
)
async def test_which_key_a_header_means(keys: Any, header: dict[str, Any], found: bool) -> None:
    kept = Documents(Web({URL: {"keys": keys}}))
    assert (await kept.key(URL, Reach.PUBLIC, header) is not None) is found


def _provider(issuer: str, **more: Any) -> Provider:
    return Provider(
        name=more.pop("name", "custom:x"),
        client_ids=("x",),
        secret="",
        redirect_uri="",
        scopes=(),
        reach=Reach.PUBLIC,
        issuer=issuer,
        **more,
    )


@pytest.mark.parametrize(
    ("issuer", "document", "accepted"),
    [
        ("https://a.example", {"issuer": "https://a.example", "authorization_endpoint": "https://a.example/x"}, True),
        ("https://a.example", {"issuer": "https://b.example", "authorization_endpoint": "https://a.example/x"}, False),
        ("https://a.example", {"issuer": "https://a.example", "authorization_endpoint": "javascript:alert(1)"}, False),
        ("https://a.example", {"issuer": "https://a.example"}, False),
        ("https://a.example", {"issuer": ["https://a.example"]}, False),
        ("https://a.example", ["nonsense"], False),
    ],
    ids=["right", "another", "script", "nowhere", "odd", "no-object"],
)
async def test_which_document_is_believed(issuer: str, document: Any, accepted: bool) -> None:
    kept = Documents(Web({f"{issuer}/.well-known/openid-configuration": document}))
    if accepted:
        assert (await kept.endpoints(_provider(issuer))).issuer == issuer
    else:
        with pytest.raises(EgressError):
            await kept.endpoints(_provider(issuer))


async def test_azure_of_all_tenants_is_told_apart_by_the_token() -> None:
    issuer = "https://login.microsoftonline.com/common/v2.0"
    document = {
        "issuer": "https://login.microsoftonline.com/{tenantid}/v2.0",
        "authorization_endpoint": "https://login.microsoftonline.com/common/oauth2/v2.0/authorize",
    }
    kept = Documents(Web({f"{issuer}/.well-known/openid-configuration": document}))
    assert "{tenantid}" in (await kept.endpoints(_provider(issuer, name="azure"))).issuer
    with pytest.raises(EgressError):
        await kept.endpoints(_provider(issuer, name="keycloak"))
