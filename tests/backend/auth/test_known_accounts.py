"""Strangers who name known accounts neither empty the mail budget nor keep an owner out (FAULT-47)."""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from hashlib import sha256
from ipaddress import ip_network
from itertools import count
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest

from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person, link_in
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
NEW_EMAIL = "nuova@socio.example"
HOME = "198.51.100.20"
VERIFIER = "v" * 43
CHALLENGE = {
    "code_challenge": urlsafe_b64encode(sha256(VERIFIER.encode()).digest()).decode().rstrip("="),
    "code_challenge_method": "s256",
}
REFUSED_MAIL = {"code": "over_email_send_rate_limit", "message": "email rate limit exceeded"}

Post = Callable[..., Awaitable[httpx.Response]]


def _with(resources: Resources, **limits: int) -> None:
    rate_limit = replace(resources.settings.auth.rate_limit, **limits)
    settings = replace(resources.settings, auth=replace(resources.settings.auth, rate_limit=rate_limit))
    object.__setattr__(resources, "settings", settings)


@pytest.fixture
def networks() -> Iterator[str]:
    """Networks that never asked for anything: a /64 each, of one provider's customer."""
    return (f"2001:db8:0:{n:x}::1" for n in count(1))


@pytest.fixture
def post(api: Api, resources: Resources) -> Post:
    """Send a request from a network, behind a proxy that is trusted. Only mails and guesses are limited."""
    trusting = replace(resources.settings, trusted_proxies=(ip_network("127.0.0.1"),))
    object.__setattr__(resources, "settings", trusting)
    _with(resources, sign_in_sign_ups=1000, token_verifications=1000)

    async def send(network: str, path: str, body: dict[str, Any], token: str = "", method: str = "POST") -> Any:
        return await api.call(method, path, body, token, headers={"X-Forwarded-For": network})

    return send


@pytest.fixture
async def session(person: Person, post: Post, now: Clock) -> dict[str, Any]:
    """Sign an owner in at home, two days ago and again now; return the fresh session."""
    await person(EMAIL)
    answer = await post(HOME, "/token?grant_type=password", {"email": EMAIL, "password": PASSWORD})
    assert answer.status_code == 200
    now.advance(days=2)
    answer = await post(HOME, "/token?grant_type=password", {"email": EMAIL, "password": PASSWORD})
    fresh: dict[str, Any] = answer.json()
    return fresh


@pytest.mark.parametrize("path", ["/recover", "/otp"])
async def test_a_stranger_uses_up_no_mails_of_the_owner(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str], now: Clock, path: str
) -> None:
    statuses = []
    for _ in range(8):
        statuses.append((await post(next(networks), path, {"email": EMAIL})).status_code)
        now.advance(seconds=61)
    assert statuses == [200] * 6 + [429] * 2
    sent = len(await api.mails.to(EMAIL))
    assert (await post(HOME, path, {"email": EMAIL})).status_code == 200
    assert len(await api.mails.to(EMAIL)) == sent + 1
    assert (await api.get("/reauthenticate", session["access_token"])).status_code == 200
    body = {"email": NEW_EMAIL}
    assert (await post(HOME, "/user", body, session["access_token"], "PUT")).status_code == 200


async def test_the_owner_waits_for_no_stranger_between_two_mails(
    post: Post, session: dict[str, Any], networks: Iterator[str]
) -> None:
    assert (await post(next(networks), "/recover", {"email": EMAIL})).status_code == 200
    assert (await post(next(networks), "/recover", {"email": EMAIL})).status_code == 429
    assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200
    refused = await post(HOME, "/recover", {"email": EMAIL})
    assert (refused.status_code, refused.json()["code"]) == (429, "over_email_send_rate_limit")


async def test_an_owner_has_six_mails_an_hour_as_well(
    post: Post, session: dict[str, Any], now: Clock, resources: Resources
) -> None:
    _with(resources, email_sent_per_network=100)
    statuses = []
    for _ in range(8):
        statuses.append((await post(HOME, "/recover", {"email": EMAIL})).status_code)
        now.advance(seconds=61)
    assert statuses == [200] * 6 + [429] * 2


@pytest.mark.parametrize("asked", ["/recover", "/otp"])
@pytest.mark.parametrize("path", ["/recover", "/otp", "/magiclink"])
async def test_a_link_that_the_owner_asked_for_outlives_a_strangers_request(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str], now: Clock, asked: str, path: str
) -> None:
    assert (await post(HOME, asked, {"email": EMAIL, **CHALLENGE})).status_code == 200
    link, sent = await api.last_link(EMAIL), len(await api.mails.to(EMAIL))
    for _ in range(5):
        now.advance(minutes=2)
        theirs = {**CHALLENGE, "code_challenge": "x" * 43}
        answer = await post(next(networks), path, {"email": EMAIL, **theirs})
        assert (answer.status_code, answer.json()) == (200, {}), "as if a mail had been sent"
    assert len(await api.mails.to(EMAIL)) == sent
    followed = await api.get(f"/verify?token={link.token_hash}&type=recovery")
    code = parse_qs(urlsplit(followed.headers["location"]).query)["code"][0]
    exchanged = await post(HOME, "/token?grant_type=pkce", {"auth_code": code, "code_verifier": VERIFIER})
    assert exchanged.status_code == 200, "the flow is the owner's"


async def test_a_used_or_expired_link_of_the_owner_holds_no_later_one_back(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str], now: Clock
) -> None:
    assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200
    link, sent = await api.last_link(EMAIL), len(await api.mails.to(EMAIL))
    body = {"type": "recovery", "token_hash": link.token_hash}
    assert (await post(HOME, "/verify", body)).status_code == 200
    assert (await post(next(networks), "/recover", {"email": EMAIL})).status_code == 200
    assert len(await api.mails.to(EMAIL)) == sent + 1
    now.advance(minutes=2)
    assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200
    now.advance(hours=1)
    assert (await post(next(networks), "/recover", {"email": EMAIL})).status_code == 200
    assert len(await api.mails.to(EMAIL)) == sent + 3


async def test_a_change_of_address_outlives_a_strangers_resend(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str], now: Clock
) -> None:
    change = {"email": NEW_EMAIL}
    assert (await post(HOME, "/user", change, session["access_token"], "PUT")).status_code == 200
    links = [await api.last_link(EMAIL), await api.last_link(NEW_EMAIL)]
    now.advance(minutes=2)
    resend = {"type": "email_change", "email": EMAIL}
    assert (await post(next(networks), "/resend", resend)).json() == {}
    for link in links:
        answer = await post(HOME, "/verify", {"type": "email_change", "token_hash": link.token_hash})
        assert answer.status_code == 200
    assert answer.json()["user"]["email"] == NEW_EMAIL


async def test_an_owner_on_a_new_network_comes_in_by_a_link_that_a_stranger_asked_for(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str], now: Clock
) -> None:
    """All mails of the hour are gone: each of them is in the mailbox of the owner, and the newest is valid."""
    for _ in range(6):
        await post(next(networks), "/recover", {"email": EMAIL, **CHALLENGE})
        await post(next(networks), "/token?grant_type=password", {"email": EMAIL, "password": "Sbagliata-1"})
        now.advance(seconds=61)
    away = next(networks)
    assert (await post(away, "/recover", {"email": EMAIL})).status_code == 429
    body = {"type": "recovery", "token_hash": (await api.last_link(EMAIL)).token_hash}
    assert (await post(away, "/verify", body)).status_code == 200


@pytest.mark.long
@pytest.mark.parametrize("path", ["/recover", "/otp"])
async def test_strangers_from_any_number_of_networks_leave_mails_to_owners_and_sign_ups(
    api: Api, person: Person, post: Post, networks: Iterator[str], resources: Resources, now: Clock, path: str
) -> None:
    _with(resources, email_sent=1000)
    victims = [f"persona{n}@socio.example" for n in range(20)]
    for email in [EMAIL, *victims]:
        await person(email)
    await post(HOME, "/token?grant_type=password", {"email": EMAIL, "password": PASSWORD})
    _with(resources, email_sent=30)
    now.advance(days=2)
    newcomers = count()
    signed_up = 0
    for n in range(120):  # two hours, a fresh network each minute
        for email in (EMAIL, victims[n % 20], victims[(n + 7) % 20]):
            last = await post(next(networks), path, {"email": email})
        if n % 10 == 9:
            body = {"email": f"{next(newcomers)}@nuovi.example", "password": PASSWORD}
            signed_up += (await post(next(networks), "/signup", body)).status_code == 200
        if n % 40 == 39:
            assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200, "the owner gets a mail"
        now.advance(minutes=1)
    assert (last.status_code, last.json()) == (429, REFUSED_MAIL)
    assert signed_up == 12, "six sign-ups an hour go through"


async def test_strangers_who_also_sign_up_leave_mails_to_owners(
    person: Person, post: Post, networks: Iterator[str], resources: Resources, now: Clock
) -> None:
    _with(resources, email_sent=1000)
    victims = [f"persona{n}@socio.example" for n in range(19)]
    for email in [EMAIL, *victims]:
        await person(email)
    await post(HOME, "/token?grant_type=password", {"email": EMAIL, "password": PASSWORD})
    _with(resources, email_sent=30)
    now.advance(days=2)
    for n in range(30):
        body = {"email": f"{n}@nuovi.example", "password": PASSWORD}
        last = await post(next(networks), "/signup", body)
    assert last.json() == REFUSED_MAIL
    for email in victims:
        last = await post(next(networks), "/recover", {"email": email})
    assert last.json() == REFUSED_MAIL
    assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200


async def test_notices_of_taken_addresses_leave_mails_to_sign_ups_and_tell_nobody(
    api: Api, person: Person, post: Post, networks: Iterator[str], resources: Resources, now: Clock
) -> None:
    _with(resources, email_sent=1000)
    victims = [f"persona{n}@socio.example" for n in range(30)]
    for email in victims:
        await person(email)
    _with(resources, email_sent=30)
    now.advance(days=2)
    sent = len(await api.mails.all())
    for email in victims:
        answer = await post(next(networks), "/signup", {"email": email, "password": PASSWORD})
        assert answer.status_code == 200, "as for an address that is free"
    assert len(await api.mails.all()) == sent + 19
    free = {"email": NEW_EMAIL, "password": PASSWORD}
    assert (await post(next(networks), "/signup", free)).status_code == 200
    assert len(await api.mails.to(NEW_EMAIL)) == 1


async def test_a_stranger_who_guesses_codes_leaves_the_owner_their_tries(
    api: Api, post: Post, session: dict[str, Any], networks: Iterator[str]
) -> None:
    assert (await post(HOME, "/recover", {"email": EMAIL})).status_code == 200
    code = (await api.last_link(EMAIL)).code
    guess = {"type": "recovery", "email": EMAIL, "token": "111111" if code != "111111" else "222222"}
    statuses = [(await post(next(networks), "/verify", guess)).status_code for _ in range(12)]
    assert statuses == [403] * 10 + [429] * 2
    assert (await post(next(networks), "/verify", {**guess, "token": code})).status_code == 429
    assert (await post(HOME, "/verify", {**guess, "token": code})).status_code == 200


async def test_a_stranger_who_guesses_passwords_keeps_no_owner_from_a_new_one(
    post: Post, session: dict[str, Any], networks: Iterator[str], resources: Resources
) -> None:
    auth = resources.settings.auth
    strict = replace(auth, email=replace(auth.email, require_current_password=True))
    object.__setattr__(resources, "settings", replace(resources.settings, auth=strict))
    for _ in range(12):
        wrong = {"email": EMAIL, "password": "Sbagliata-1"}
        last = await post(next(networks), "/token?grant_type=password", wrong)
    assert last.status_code == 429
    body = {"password": "Diversa-123", "current_password": PASSWORD}
    assert (await post(HOME, "/user", body, session["access_token"], "PUT")).status_code == 200


async def test_a_network_is_known_by_any_way_in_and_only_for_its_account(
    api: Api, person: Person, post: Post, networks: Iterator[str], now: Clock
) -> None:
    await person(EMAIL)
    now.advance(days=2)
    home, elsewhere = next(networks), next(networks)
    assert (await post(home, "/recover", {"email": EMAIL})).status_code == 200
    token_hash = link_in((await api.mails.to(EMAIL))[-1].text).token_hash
    body = {"type": "recovery", "token_hash": token_hash}
    assert (await post(home, "/verify", body)).status_code == 200
    # A stranger has an account too.
    sign_up = {"email": NEW_EMAIL, "password": PASSWORD}
    assert (await post(elsewhere, "/signup", sign_up)).status_code == 200
    theirs = {"type": "signup", "token_hash": (await api.last_link(NEW_EMAIL)).token_hash}
    assert (await post(elsewhere, "/verify", theirs)).status_code == 200
    wrong = {"email": EMAIL, "password": "Sbagliata-1"}
    statuses = [(await post(elsewhere, "/token?grant_type=password", wrong)).status_code for _ in range(11)]
    assert statuses == [400] * 10 + [429]
    right = {"email": EMAIL, "password": PASSWORD}
    assert (await post(elsewhere, "/token?grant_type=password", right)).status_code == 429
    assert (await post(home, "/token?grant_type=password", right)).status_code == 200
