"""What comes back from a provider is believed only as far as it is proved (ATTACK-11)."""

from __future__ import annotations

import asyncio
import base64
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit
from uuid import uuid4

import jwt as pyjwt
import pytest

from backend.auth.providers.talk import Providers
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api
from tests.backend.auth.providers.conftest import CLIENT_ID, SITE, Answer, Browser, OpenId, id_token_claims
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


def _returned(location: str) -> dict[str, str]:
    return {name: values[0] for name, values in parse_qs(urlsplit(location).query).items()}


async def _call_back(api: Api, **query: str) -> Answer:
    answer = await api.client.get(f"/auth/v1/callback?{urlencode(query)}")
    assert answer.status_code == 302
    assert answer.headers["cache-control"] == "no-store"
    return Answer(answer.headers["location"])


@pytest.mark.parametrize(
    ("state", "code"),
    [
        ("", "bad_oauth_callback"),
        ("nonsense", "bad_oauth_state"),
        ("6f4bd6a0-60b4-4d4a-9d9a-1f8f2e8b1a55", "bad_oauth_state"),
    ],
    ids=["missing", "malformed", "unknown"],
)
async def test_a_forged_state_leads_home_with_the_reason(api: Api, state: str, code: str) -> None:
    answer = await _call_back(api, code="x", state=state, redirect_to="https://evil.example")
    assert answer.location.startswith(f"{SITE}?")
    assert answer.query["error_code"] == answer.fragment["error_code"] == code
    assert answer.query["error"] == "invalid_request"


async def test_the_state_of_a_mails_flow_is_no_state_of_a_provider(api: Api, resources: Resources) -> None:
    challenge = {"code_challenge": "c" * 50, "code_challenge_method": "s256"}
    await api.sign_up("giulia@socio.example", **challenge)
    async with db.connection(resources.pool) as connection:
        flow_id = await connection.fetchval("select id from auth.flow_state")
    assert (await _call_back(api, code="x", state=str(flow_id))).query["error_code"] == "bad_oauth_state"


async def test_a_state_works_once(browser: Browser, api: Api) -> None:
    returned = await browser.visit(await browser.authorize())
    assert "access_token" in (await browser.come_back(returned)).fragment
    again = await browser.come_back(returned)
    assert again.query["error_code"] == "flow_state_already_used"
    assert "access_token" not in again.fragment


async def test_a_state_works_once_also_for_ten_at_the_same_time(browser: Browser) -> None:
    returned = await browser.visit(await browser.authorize())
    answers = await asyncio.gather(*(browser.come_back(returned) for _ in range(10)))
    assert sum("access_token" in answer.fragment for answer in answers) == 1


async def test_a_state_expires(browser: Browser, now: Clock) -> None:
    returned = await browser.visit(await browser.authorize())
    now.advance(minutes=10)
    assert (await browser.come_back(returned)).query["error_code"] == "flow_state_expired"


async def test_states_that_nobody_came_back_with_are_forgotten(
    browser: Browser, resources: Resources, now: Clock
) -> None:
    for _ in range(3):
        await browser.authorize()
    now.advance(minutes=21)
    await browser.authorize()
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.flow_state") == 1
        assert await connection.fetchval("select count(*) from auth.oauth_client_states") == 1


async def test_a_code_of_another_sign_in_is_refused(browser: Browser, api: Api) -> None:
    """Injected into the victim's flow: the verifier of that flow does not fit (RFC 7636)."""
    stolen = _returned(await browser.visit(await browser.authorize()))
    mine = _returned(await browser.visit(await browser.authorize()))
    answer = await _call_back(api, code=stolen["code"], state=mine["state"], iss=mine["iss"])
    assert answer.query["error_description"] == "Unable to exchange external code"


async def test_an_answer_of_another_issuer_is_refused_before_its_code_goes_anywhere(
    browser: Browser, api: Api, openid: OpenId
) -> None:
    """Mix-up: the code of an honest provider must not be handed to another one (RFC 9207)."""
    for iss in ({"iss": openid.https}, {"iss": ""}, {}):
        returned = _returned(await browser.visit(await browser.authorize()))
        answer = await _call_back(api, code=returned["code"], state=returned["state"], **iss)
        assert answer.query["error_code"] == "bad_oauth_callback", iss


async def test_of_a_parameter_that_comes_twice_the_first_counts(browser: Browser, api: Api) -> None:
    returned = await browser.visit(await browser.authorize())
    answer = await api.client.get(f"{returned}&error=access_denied&state={uuid4()}&code=other")
    # `error` came once; state and code are the provider's, not the appended ones.
    assert Answer(answer.headers["location"]).query == {"error": "access_denied"}


async def test_a_callback_without_a_code_is_refused(browser: Browser, api: Api) -> None:
    state = _returned(await browser.authorize())["state"]
    assert (await _call_back(api, state=state)).query["error_code"] == "bad_oauth_callback"


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.example",
        "//evil.example",
        "https:evil.example",
        "\\\\evil.example",
        f"{SITE}@evil.example",
        "http://2130706433/",
        "http://[::ffff:7f00:1]/",
        "javascript:alert(1)",
        "data:text/html,x",
        f"{SITE}\r\nSet-Cookie: a=b",
        "http://127。0。0。1:54321",
        f"{SITE}.evil.example",
        "https%3A%2F%2Fevil.example",
    ],
)
async def test_a_refused_target_becomes_the_site(api: Api, browser: Browser, target: str) -> None:
    location = await browser.authorize(redirect_to=target)
    answer = await _call_back(api, state=_returned(location)["state"], error="access_denied")
    assert answer.location.startswith(f"{SITE}?error=")


async def test_what_the_provider_says_is_encoded_and_cut(browser: Browser, api: Api) -> None:
    state = _returned(await browser.authorize())["state"]
    description = "</script>\r\nSet-Cookie: a=b #access_token=x&y" + "z" * 9999
    answer = await _call_back(api, state=state, error="x&access_token=forged", error_description=description)
    assert set(answer.query) == set(answer.fragment) == {"error", "error_description"}
    assert len(answer.location) < 3000


@pytest.mark.parametrize(
    ("change", "header"),
    [
        ({"iss": "https://evil.example"}, {}),
        ({"aud": "another-client"}, {}),
        ({"aud": [CLIENT_ID, "another"], "azp": "another"}, {}),
        ({"aud": None}, {}),
        ({"nonce": "another"}, {}),
        ({"nonce": None}, {}),
        ({"exp": 1}, {}),
        ({"exp": "never"}, {}),
        ({"iat": 99999999999}, {}),
        ({"nbf": 99999999999}, {}),
        ({"sub": ""}, {}),
        ({"sub": 7}, {}),
        ({"sub": "s" * 300}, {}),
        ({"at_hash": "another"}, {}),
        ({}, {"kid": "unknown"}),
        ({}, {"kid": 7}),
    ],
    ids=str,
)
async def test_a_bad_token_of_the_token_endpoint_lets_nobody_in(
    browser: Browser,
    openid: OpenId,
    now: Clock,
    monkeypatch: pytest.MonkeyPatch,
    change: dict[str, Any],
    header: dict[str, Any],
) -> None:
    location = await browser.authorize()
    nonce = _returned(location)["nonce"]
    claims = {**id_token_claims(openid, now), "nonce": nonce, **change}
    claims = {name: value for name, value in claims.items() if value is not None}
    if isinstance(header.get("kid"), int):
        forged = openid.sign(claims).split(".")
        forged[0] = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":7}').rstrip(b"=").decode()
        token = ".".join(forged)
    else:
        token = openid.sign(claims, **header)
    answer = await _with_token(browser, location, token, monkeypatch)
    assert "access_token" not in answer.fragment
    assert answer.query["error_description"] == "Error getting user profile from external provider"


async def test_tokens_without_a_proof_let_nobody_in(
    browser: Browser, openid: OpenId, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No signature, the public key as a shared secret, a key of one's own brought along."""
    public, claims = openid.key["n"], id_token_claims(openid, now)
    tokens = [
        pyjwt.encode(claims, "", algorithm="none"),
        pyjwt.encode(claims, public, algorithm="HS256", headers={"kid": openid.key["kid"]}),
        openid.sign(claims, alg="RS256", kid="mine", jku="https://evil.example/jwks"),
        openid.sign(claims)[:-8] + "AAAAAAAA",
        "nonsense",
        "",
    ]
    for token in tokens:
        location = await browser.authorize()
        answer = await _with_token(browser, location, token, monkeypatch)
        assert "access_token" not in answer.fragment


async def _with_token(browser: Browser, location: str, token: str, monkeypatch: pytest.MonkeyPatch) -> Answer:
    """As if the token endpoint had answered this ID token."""
    from dataclasses import replace

    exchange = Providers.exchange

    async def forged(self: Providers, *arguments: Any) -> Any:
        return replace(await exchange(self, *arguments), id_token=token)

    returned = await browser.visit(location)
    with monkeypatch.context() as patch:
        patch.setattr(Providers, "exchange", forged)
        return await browser.come_back(returned)


async def test_the_same_token_unforged_lets_in(
    browser: Browser, openid: OpenId, now: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the tests above would prove nothing."""
    location = await browser.authorize()
    claims = {**id_token_claims(openid, now), "nonce": _returned(location)["nonce"]}
    answer = await _with_token(browser, location, openid.sign(claims), monkeypatch)
    assert "access_token" in answer.fragment


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_junk_never_breaks_the_callback(api: Api, method: str) -> None:
    for junk in ("state=%00", "state=%ff%fe", "&" * 500, "state=" + "x" * 10_000, "a=b&" * 60, "%", "state[]=1"):
        if method == "GET":
            answer = await api.client.get(f"/auth/v1/callback?{junk}")
        else:
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            answer = await api.client.post("/auth/v1/callback", content=junk, headers=headers)
        assert answer.status_code == (302 if method == "GET" else 303)
        assert answer.headers["location"].startswith(f"{SITE}?error=invalid_request")
