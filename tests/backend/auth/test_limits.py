"""Rate limits (AUTH-23, ATTACK-07): per address, per account, and for everybody together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from ipaddress import ip_network
from typing import Any
from uuid import uuid4

import httpx
import pytest

from backend.auth import limits
from backend.auth.errors import AuthError
from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.conftest import Clock, Mails

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
REFUSED = {"code": "over_request_rate_limit", "message": "Request rate limit reached"}


def _with(resources: Resources, **limits_: int) -> None:
    """Other limits, in the settings that every request reads."""
    rate_limit = replace(resources.settings.auth.rate_limit, **limits_)
    settings = replace(resources.settings, auth=replace(resources.settings.auth, rate_limit=rate_limit))
    object.__setattr__(resources, "settings", settings)


def _behind_a_proxy(resources: Resources) -> None:
    trusting = replace(resources.settings, trusted_proxies=(ip_network("127.0.0.1"),))
    object.__setattr__(resources, "settings", trusting)


async def _statuses(count: int, call: Callable[[], Awaitable[httpx.Response]]) -> list[int]:
    return [(await call()).status_code for _ in range(count)]


CALLS: dict[str, Callable[[Api], Awaitable[httpx.Response]]] = {
    "sign up": lambda api: api.post("/signup", {}),
    "sign in": lambda api: api.post("/token?grant_type=password", {}),
    "id token": lambda api: api.post("/token?grant_type=id_token", {}),
    "recover": lambda api: api.post("/recover", {}),
    "resend": lambda api: api.post("/resend", {}),
    "verify": lambda api: api.post("/verify", {}),
    "verify by link": lambda api: api.get("/verify"),
    "change the account": lambda api: api.put("/user", {}),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS.keys())
async def test_an_address_has_thirty_tries_and_gets_them_back_one_by_one(
    api: Api, now: Clock, call: Callable[[Api], Awaitable[httpx.Response]]
) -> None:
    assert 429 not in await _statuses(30, lambda: call(api))
    refused = await call(api)
    assert (refused.status_code, refused.json()) == (429, REFUSED)
    assert refused.headers["retry-after"] == "10"
    assert refused.headers["x-sb-error-code"] == "over_request_rate_limit"
    now.advance(seconds=9)
    assert (await call(api)).headers["retry-after"] == "1"
    now.advance(seconds=1)
    assert await _statuses(2, lambda: call(api)) != [429, 429]
    assert (await call(api)).status_code == 429


async def test_a_clock_that_was_ahead_for_a_moment_refuses_nobody_for_as_long(api: Api, now: Clock) -> None:
    now.advance(days=1)
    await _statuses(30, lambda: CALLS["sign in"](api))
    now.advance(days=-1)
    assert await _statuses(2, lambda: CALLS["sign in"](api)) == [400, 429], "its bucket counts as empty"
    now.advance(seconds=10)
    assert (await CALLS["sign in"](api)).status_code == 400


async def test_a_bucket_filled_by_others_is_no_wrong_clock(resources: Resources) -> None:
    """Those who have an account fill up more of the bucket of mails than strangers may."""
    _with(resources, email_sent=30)
    async with db.connection(resources.pool) as connection:
        for _ in range(30):
            await limits.take(connection, resources, limits.MAILS)
        for limit in (limits.MAILS_TO_STRANGERS, limits.MAILS):
            with pytest.raises(AuthError):
                await limits.refuse_if_used_up(connection, resources, limit)
            with pytest.raises(AuthError):
                await limits.take(connection, resources, limit)


async def test_each_limit_has_its_own_bucket(api: Api) -> None:
    await _statuses(31, lambda: CALLS["recover"](api))
    assert (await CALLS["recover"](api)).status_code == 429
    assert (await CALLS["sign in"](api)).status_code == 400


async def test_refreshing_has_its_own_larger_limit(api: Api, resources: Resources) -> None:
    _with(resources, token_refresh=40)
    assert await _statuses(40, lambda: api.refresh("abcdefghijkl")) == [400] * 40
    assert (await api.refresh("abcdefghijkl")).status_code == 429
    assert (await api.post("/token?grant_type=pkce", {})).status_code == 429


async def test_a_limit_of_zero_forbids(api: Api, resources: Resources) -> None:
    _with(resources, sign_in_sign_ups=0)
    assert (await api.sign_in(EMAIL)).status_code == 429


async def test_what_is_free_of_limits_stays_free(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    assert await _statuses(40, lambda: api.get("/user", token)) == [200] * 40
    assert await _statuses(40, lambda: api.get("/health")) == [200] * 40


async def test_a_hundred_requests_at_once_are_a_hundred(api: Api) -> None:
    answers = await asyncio.gather(*(api.post("/verify", {}) for _ in range(60)))
    assert sum(answer.status_code != 429 for answer in answers) == 30


async def test_an_address_behind_a_trusted_proxy_counts_and_a_forged_one_does_not(
    api: Api, resources: Resources
) -> None:
    def recover(address: str) -> Callable[[], Awaitable[httpx.Response]]:
        return lambda: api.post("/recover", {}, headers={"X-Forwarded-For": address})

    await _statuses(30, recover("203.0.113.7"))
    # Nobody is trusted: the header is only a claim.
    assert (await recover("203.0.113.8")()).status_code == 429
    _behind_a_proxy(resources)
    assert await _statuses(30, recover("203.0.113.8")) == [400] * 30
    assert (await recover("203.0.113.8")()).status_code == 429
    assert (await recover("203.0.113.9")()).status_code == 400


@asynccontextmanager
async def _second_process(settings: Settings, now: Clock, mails: Mails) -> AsyncIterator[Api]:
    from backend import gateway

    async with open_all(settings, now) as opened, gateway.application(opened) as built:
        transport = httpx.ASGITransport(built)
        async with httpx.AsyncClient(transport=transport, base_url=settings.api.external_url) as client:
            yield Api(client, mails)


async def test_two_processes_share_the_limits(api: Api, settings: Settings, now: Clock, mails: Mails) -> None:
    async with _second_process(settings, now, mails) as other:
        for _ in range(15):
            assert (await CALLS["verify"](api)).status_code == 400
            assert (await CALLS["verify"](other)).status_code == 400
        assert (await CALLS["verify"](api)).status_code == 429
        assert (await CALLS["verify"](other)).status_code == 429


async def test_full_buckets_are_swept(api: Api, resources: Resources, now: Clock) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            insert into auth.rate_limits select decode(lpad(n::text, 32, '0'), 'hex'), $1 from generate_series(1, 5) n
            """,
            now(),
        )
        await connection.execute(
            """
            insert into auth.attempts
            select decode(lpad(n::text, 32, '0'), 'hex'), 3, $1, $1 from generate_series(1, 5) n
            """,
            now(),
        )
    now.advance(seconds=1)
    for _ in range(3):
        await api.sign_in(EMAIL, "Sbagliata-1")
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.rate_limits") == 1
        assert await connection.fetchval("select count(*) from auth.attempts") == 1


# Per account.


@pytest.mark.parametrize("email", [EMAIL, "nessuno@socio.example"], ids=["known", "unknown"])
async def test_guessing_at_a_password_takes_longer_each_time(
    api: Api, person: Person, resources: Resources, now: Clock, email: str
) -> None:
    await person(EMAIL)
    _with(resources, sign_in_sign_ups=1000)
    assert await _statuses(10, lambda: api.sign_in(email, "Sbagliata-1")) == [400] * 10
    waits = []
    for _ in range(11):
        refused = await api.sign_in(email, PASSWORD)
        assert (refused.status_code, refused.json()) == (429, REFUSED)
        waits.append(int(refused.headers["retry-after"]))
        now.advance(seconds=waits[-1])
        assert (await api.sign_in(email, "Sbagliata-1")).status_code == 400
    assert waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300]


async def test_a_door_that_a_wrong_clock_closed_opens_again(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _with(resources, sign_in_sign_ups=1000)
    now.advance(days=1)
    await _statuses(11, lambda: api.sign_in(EMAIL, "Sbagliata-1"))
    now.advance(days=-1)
    assert (await api.sign_in(EMAIL)).status_code == 200


async def test_free_tries_are_free_in_whatever_order_they_arrive(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _with(resources, sign_in_sign_ups=1000)
    await api.sign_in(EMAIL, "Sbagliata-1")
    # Of two requests at the same moment the one that began first may count its try last.
    now.advance(milliseconds=-5)
    assert (await api.sign_in(EMAIL)).status_code == 200


async def test_the_right_password_clears_the_count(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    await person(EMAIL)
    _with(resources, sign_in_sign_ups=1000)
    for _ in range(3):
        await _statuses(9, lambda: api.sign_in(EMAIL, "Sbagliata-1"))
        assert (await api.sign_in(EMAIL)).status_code == 200


async def test_other_accounts_and_other_ways_in_stay_open(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    await person("paolo@socio.example")
    _with(resources, sign_in_sign_ups=1000)
    now.advance(minutes=5)
    await _statuses(11, lambda: api.sign_in(EMAIL, "Sbagliata-1"))
    assert (await api.sign_in(EMAIL)).status_code == 429
    assert (await api.sign_in("paolo@socio.example")).status_code == 200
    assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
    link = await api.last_link(EMAIL)
    assert (await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})).status_code == 200


async def test_a_hundred_guesses_at_once_are_ten(api: Api, person: Person, resources: Resources) -> None:
    await person(EMAIL)
    _with(resources, sign_in_sign_ups=1000)
    answers = await asyncio.gather(*(api.sign_in(EMAIL, f"Sbagliata-{n}") for n in range(40)))
    assert sum(answer.status_code == 400 for answer in answers) == 10


async def test_a_code_cannot_be_guessed_from_many_addresses(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _with(resources, token_verifications=1000)
    now.advance(minutes=5)
    assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
    link = await api.last_link(EMAIL)
    wrong = "111111" if link.code != "111111" else "222222"

    async def guess(code: str, email: str = EMAIL) -> int:
        return (await api.post("/verify", {"type": "recovery", "email": email, "token": code})).status_code

    assert [await guess(wrong) for _ in range(10)] == [403] * 10
    assert await guess(link.code) == 429
    assert await guess(link.code, "GIULIA@socio.example") == 429
    assert [await guess(wrong, "nessuno@socio.example") for _ in range(11)] == [403] * 10 + [429]
    # The link is too long to be guessed, and stays open.
    assert (await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})).status_code == 200


async def test_a_nonce_cannot_be_guessed_and_its_tries_count_although_the_request_fails(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person(EMAIL)
    email = replace(resources.settings.auth.email, secure_password_change=True)
    object.__setattr__(
        resources, "settings", replace(resources.settings, auth=replace(resources.settings.auth, email=email))
    )
    now.advance(minutes=50)
    refreshed = (await api.refresh(session["refresh_token"])).json()
    now.advance(hours=24)
    token = (await api.refresh(refreshed["refresh_token"])).json()["access_token"]

    async def guess() -> int:
        return (await api.put("/user", {"password": "Diversa-123", "nonce": "000000"}, token)).status_code

    assert [await guess() for _ in range(11)] == [422] * 10 + [429]


async def test_a_guesser_from_changing_networks_neither_gets_in_nor_keeps_the_owner_out(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _behind_a_proxy(resources)
    _with(resources, sign_in_sign_ups=1000)
    home = "198.51.100.20"

    async def sign_in(password: str, address: str) -> int:
        body = {"email": EMAIL, "password": password}
        headers = {"X-Forwarded-For": address}
        return (await api.post("/token?grant_type=password", body, headers=headers)).status_code

    assert await sign_in(PASSWORD, home) == 200
    guessed = 0
    # Two and a half wrong tries a second for a minute, each from another network.
    for n in range(150):
        guessed += await sign_in(f"Sbagliata-{n}", f"203.0.{n}.7") == 400
        if n % 30 == 29:
            assert await sign_in(PASSWORD, home) == 200, "the owner gets in, while the guessing goes on"
        now.advance(seconds=0.4)
    assert guessed <= 16, "ten free tries, then each wait is twice as long"
    assert await sign_in(PASSWORD, "192.0.2.99") == 429, "a network that never signed in waits with the guessers"
    # Tries of the known network are bounded as well.
    wrong = [await sign_in("Sbagliata-x", home) for _ in range(20)]
    assert wrong.count(400) <= 10


# Everybody together.


REFUSED_MAIL = {"code": "over_email_send_rate_limit", "message": "email rate limit exceeded"}


async def test_one_network_gets_six_mails_an_hour_whether_or_not_they_are_sent(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _behind_a_proxy(resources)
    now.advance(hours=1)

    async def recover(email: str, address: str) -> httpx.Response:
        return await api.post("/recover", {"email": email}, headers={"X-Forwarded-For": address})

    for n in range(5):
        assert (await recover(f"nessuno{n}@socio.example", "2001:db8::1")).status_code == 200
    sign_up = {"email": "nuova@socio.example", "password": PASSWORD}
    assert (await api.post("/signup", sign_up, headers={"X-Forwarded-For": "2001:db8::2"})).status_code == 200
    for email in (EMAIL, "altro@socio.example", "nessuno0@socio.example"):
        for _ in range(2):
            refused = await recover(email, "2001:db8::3")
            assert (refused.status_code, refused.json()) == (429, REFUSED_MAIL)
            assert refused.headers["retry-after"] == "600"
    assert (await recover(EMAIL, "198.51.100.9")).status_code == 200
    now.advance(minutes=10)
    assert (await recover(EMAIL, "2001:db8::1")).status_code == 200
    assert (await recover(EMAIL, "2001:db8::1")).status_code == 429


async def test_many_mails_for_known_addresses_leave_first_mails_to_others(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    victims = [f"persona{n}@socio.example" for n in range(48)]
    _with(resources, email_sent=1000, sign_in_sign_ups=1000, token_verifications=1000)
    for email in victims:
        await person(email)
    _behind_a_proxy(resources)
    _with(resources, email_sent=30)
    now.advance(days=2)
    statuses = []
    for n, email in enumerate(victims):
        headers = {"X-Forwarded-For": f"203.0.113.{n % 8}"}
        statuses.append((await api.post("/recover", {"email": email}, headers=headers)).status_code)
    # Eight networks with six mails each would have emptied the hour.
    assert statuses.count(200) < 30
    for n, email in enumerate(victims[-3:]):
        headers = {"X-Forwarded-For": f"198.51.100.{n}"}
        assert (await api.post("/recover", {"email": email}, headers=headers)).status_code == 200
    sign_up = {"email": "nuova@socio.example", "password": PASSWORD}
    assert (await api.post("/signup", sign_up, headers={"X-Forwarded-For": "192.0.2.1"})).status_code == 200


async def test_one_recipient_gets_six_mails_an_hour_whoever_asks(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _behind_a_proxy(resources)
    _with(resources, email_sent=1000)
    now.advance(days=2)
    statuses = []
    for n in range(8):
        headers = {"X-Forwarded-For": f"203.0.113.{n}"}
        statuses.append((await api.post("/recover", {"email": EMAIL}, headers=headers)).status_code)
        now.advance(seconds=61)
    assert statuses == [200] * 6 + [429] * 2


async def test_where_everybody_seems_to_be_the_machine_itself_only_the_mails_of_all_are_counted(api: Api) -> None:
    addresses = iter(f"persona{n}@socio.example" for n in range(8))
    assert await _statuses(8, lambda: api.post("/recover", {"email": next(addresses)})) == [200] * 8


async def test_mails_for_new_addresses_leave_a_third_to_those_who_have_an_account(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    await person(EMAIL)
    _with(resources, email_sent=6)
    now.advance(hours=2)
    assert await _statuses(4, lambda: api.sign_up(f"{uuid4().hex}@socio.example")) == [200] * 4
    for path, body in (
        ("/signup", {"email": "carla@socio.example", "password": PASSWORD}),
        ("/signup", {"email": EMAIL, "password": PASSWORD}),
        ("/otp", {"email": "carla@socio.example"}),
        ("/otp", {"email": EMAIL}),
    ):
        refused = await api.post(path, body)
        assert (refused.status_code, refused.json()) == (429, REFUSED_MAIL)
    token = (await api.sign_in(EMAIL)).json()["access_token"]
    assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
    assert (await api.get("/reauthenticate", token)).status_code == 200
    now.advance(minutes=2)
    assert (await api.post("/recover", {"email": EMAIL})).json() == REFUSED_MAIL


async def test_mails_an_hour_are_limited_and_a_refusal_tells_nobody_who_exists(
    api: Api, person: Person, resources: Resources, now: Clock, mails: Mails
) -> None:
    await person(EMAIL)
    _with(resources, email_sent=2)
    now.advance(hours=2)
    for email in ("anna@socio.example", "bruno@socio.example"):
        assert (await api.sign_up(email)).status_code == 200
    sent = len(await mails.all())
    for path, body in (
        ("/recover", {"email": EMAIL}),
        ("/recover", {"email": "nessuno@socio.example"}),
        ("/signup", {"email": "carla@socio.example", "password": PASSWORD}),
        ("/signup", {"email": EMAIL, "password": PASSWORD}),
        ("/resend", {"type": "signup", "email": "anna@socio.example"}),
    ):
        refused = await api.post(path, body)
        assert refused.status_code == 429
        assert refused.json() == REFUSED_MAIL
        assert refused.headers["retry-after"] == "1800"
    assert len(await mails.all()) == sent
    now.advance(minutes=30)
    assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
    assert len(await mails.all()) == sent + 1


async def test_only_mails_that_are_sent_count(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    await person(EMAIL)
    _with(resources, email_sent=1)
    now.advance(hours=2)
    for n in range(5):
        assert (await api.post("/recover", {"email": f"nessuno{n}@socio.example"})).status_code == 200
    assert (await api.post("/recover", {"email": EMAIL})).status_code == 200
    assert (await api.post("/recover", {"email": "nessuno@socio.example"})).status_code == 429


async def test_a_notice_is_sent_although_no_mail_is_left(
    api: Api, person: Person, resources: Resources, mails: Mails
) -> None:
    session = await person(EMAIL)
    _with(resources, email_sent=0)
    assert (await api.put("/user", {"password": "Diversa-123"}, session["access_token"])).status_code == 200
    assert (await mails.to(EMAIL))[-1].purpose == "password_changed"


async def test_a_repeated_sign_up_is_refused_as_often_whether_or_not_there_is_an_account(
    api: Api, person: Person, now: Clock
) -> None:
    await person(EMAIL)
    now.advance(minutes=5)
    for email in (EMAIL, "nuova@socio.example"):
        assert [(await api.sign_up(email)).status_code for _ in range(2)] == [200, 429]


async def test_the_numbers_are_read_from_the_settings(resources: Resources, now: Any) -> None:
    _with(resources, mfa=3)
    async with db.connection(resources.pool) as connection:
        for _ in range(3):
            await limits.take(connection, resources, limits.MFA, "203.0.113.7")
        with pytest.raises(AuthError, match="over_request_rate_limit"):
            await limits.take(connection, resources, limits.MFA, "203.0.113.7")
        now.advance(seconds=20)
        await limits.take(connection, resources, limits.MFA, "203.0.113.7")
