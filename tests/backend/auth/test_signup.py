"""POST /signup."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person, on_the_internet, plant, planted, someone_waits

pytestmark = pytest.mark.anyio


async def test_sign_up_answers_the_user_and_sends_one_mail(api: Api) -> None:
    answer = await api.sign_up("Giulia@Socio.example", data={"full_name": "Giulia Ferri"})
    user = answer.json()
    assert answer.status_code == 200
    assert user["email"] == "giulia@socio.example"
    assert (user["aud"], user["role"], user["phone"], user["is_anonymous"]) == (
        "authenticated",
        "authenticated",
        "",
        False,
    )
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert user["user_metadata"] == {
        "full_name": "Giulia Ferri",
        "sub": user["id"],
        "email": "giulia@socio.example",
        "email_verified": False,
        "phone_verified": False,
    }
    assert [identity["provider"] for identity in user["identities"]] == ["email"]
    assert user["confirmation_sent_at"].endswith("Z")
    assert not {"email_confirmed_at", "confirmed_at", "encrypted_password"} & set(user)
    assert [message.purpose for message in await api.mails.to("giulia@socio.example")] == ["confirmation"]


async def test_the_mail_leads_to_the_page_with_the_button_and_shows_the_code(api: Api) -> None:
    await api.sign_up("giulia@socio.example")
    (message,) = await api.mails.all()
    link = await api.last_link("giulia@socio.example")
    assert f"/auth/confirm?token_hash={link.token_hash}&type=signup" in message.text
    assert f"/auth/confirm?token_hash={link.token_hash}&amp;type=signup" in message.html
    assert link.code in message.html
    assert "{{" not in message.html + message.text + message.subject


async def test_the_password_is_stored_as_argon2id(api: Api, resources: Resources) -> None:
    await api.sign_up("giulia@socio.example")
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select encrypted_password from auth.users")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 422, "anonymous_provider_disabled"),
        ({"password": PASSWORD}, 422, "anonymous_provider_disabled"),
        ({"phone": "393331234567", "password": PASSWORD}, 422, "phone_provider_disabled"),
        ({"email": "a@b.it", "phone": "39333", "password": PASSWORD}, 400, "validation_failed"),
        ({"email": "a@b.it"}, 400, "validation_failed"),
        ({"email": "nessuno", "password": PASSWORD}, 400, "validation_failed"),
        ({"email": "a@b.it\r\nBcc: c@d.it", "password": PASSWORD}, 400, "validation_failed"),
        ({"email": f"{'a' * 251}@b.it", "password": PASSWORD}, 400, "validation_failed"),
        ({"email": 7, "password": PASSWORD}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": ["x"]}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": PASSWORD, "data": "x"}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": PASSWORD, "data": {"x": "\x00"}}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": PASSWORD, "data": {"x": "a" * 9000}}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": f"{PASSWORD}\x00"}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": "Aa1" + "è" * 35}, 400, "validation_failed"),
        ({"email": "a@b.it", "password": PASSWORD, "code_challenge": "x" * 43}, 400, "validation_failed"),
    ],
)
async def test_what_cannot_be_a_sign_up_is_refused(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    answer = await api.post("/signup", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert await api.mails.all() == []


async def test_a_wrong_type_is_named_by_its_field(api: Api) -> None:
    answer = await api.post("/signup", {"email": "a@b.it", "password": 1})
    assert "password" in answer.json()["message"]


@pytest.mark.parametrize(
    ("password", "reasons"),
    [
        ("Corta1", ["length"]),
        ("tuttominuscolo1", ["characters"]),
        ("TUTTOMAIUSCOLO1", ["characters"]),
        ("SenzaNemmenoUna", ["characters"]),
        ("corta", ["length", "characters"]),
    ],
)
async def test_a_weak_password_is_refused_with_its_reasons(api: Api, password: str, reasons: list[str]) -> None:
    answer = await api.sign_up("giulia@socio.example", password)
    assert answer.status_code == 422
    assert answer.json()["code"] == "weak_password"
    assert answer.json()["weak_password"] == {"reasons": reasons}


async def test_an_unconfirmed_address_may_sign_up_again_and_the_newest_counts(api: Api, now: Any) -> None:
    first = await api.sign_up("giulia@socio.example", data={"full_name": "Prima"})
    old = await api.last_link("giulia@socio.example")
    now.advance(minutes=2)
    second = await api.sign_up("giulia@socio.example", "Nuova-456x", data={"full_name": "Seconda"})
    assert second.json()["id"] == first.json()["id"]
    assert second.json()["user_metadata"]["full_name"] == "Seconda"
    refused = await api.post("/verify", {"type": "signup", "token_hash": old.token_hash})
    assert (refused.status_code, refused.json()["code"]) == (403, "otp_expired")
    new = await api.last_link("giulia@socio.example")
    assert (await api.post("/verify", {"type": "signup", "token_hash": new.token_hash})).status_code == 200
    assert (await api.sign_in("giulia@socio.example")).status_code == 400
    assert (await api.sign_in("giulia@socio.example", "Nuova-456x")).status_code == 200


async def test_whoever_made_the_account_ahead_of_its_owner_keeps_no_way_in(
    api: Api, resources: Resources, now: Any
) -> None:
    await api.sign_up("giulia@socio.example", "Altrui-123")
    await plant(resources, "giulia@socio.example")
    now.advance(minutes=2)
    signed_up = (await api.sign_up("giulia@socio.example")).json()
    assert signed_up["app_metadata"] == {"provider": "email", "providers": ["email"]}
    assert await planted(resources) == set()
    code = (await api.last_link("giulia@socio.example")).code
    body = {"type": "signup", "email": "giulia@socio.example", "token": code}
    session = (await api.post("/verify", body)).json()
    assert (await api.refresh(session["refresh_token"])).status_code == 200
    assert (await api.sign_in("giulia@socio.example")).status_code == 200
    assert (await api.sign_in("giulia@socio.example", "Altrui-123")).status_code == 400


async def test_a_sign_up_at_the_moment_of_the_confirmation_changes_nothing(
    api: Api, resources: Resources, now: Any
) -> None:
    await api.sign_up("giulia@socio.example")
    now.advance(minutes=2)
    async with db.transaction(resources.pool) as connection:
        await connection.execute("update auth.users set email_confirmed_at = $1", now())
        late = asyncio.create_task(api.sign_up("giulia@socio.example", "Altrui-123"))
        await someone_waits(resources)
    answer = await late
    assert (answer.status_code, answer.json()["code"]) == (409, "conflict")
    assert (await api.sign_in("giulia@socio.example")).status_code == 200


async def test_a_second_sign_up_within_a_minute_is_told_to_wait(api: Api, now: Any) -> None:
    await api.sign_up("giulia@socio.example")
    now.advance(seconds=20)
    answer = await api.sign_up("giulia@socio.example")
    assert answer.status_code == 429
    assert answer.json() == {
        "code": "over_email_send_rate_limit",
        "message": "For security purposes, you can only request this after 40 seconds.",
    }
    assert answer.headers["retry-after"] == "40"
    assert len(await api.mails.all()) == 1


async def test_a_taken_address_gets_a_user_that_does_not_exist(api: Api, person: Person, now: Any) -> None:
    session = await person("giulia@socio.example", data={"full_name": "Giulia"})
    now.advance(minutes=1)
    sent = len(await api.mails.all())
    answer = await api.sign_up("giulia@socio.example", "Altra-789x", data={"full_name": "Estranea"})
    assert answer.status_code == 200
    assert answer.json()["id"] != session["user"]["id"]
    assert answer.json()["identities"] == []
    [*_, told] = await api.mails.to("giulia@socio.example")
    assert (len(await api.mails.all()), told.purpose) == (sent + 1, "account_exists")
    assert "/login" in told.text
    assert "token" not in told.text
    assert (await api.sign_in("giulia@socio.example")).status_code == 200


async def test_without_confirmations_a_sign_up_is_a_sign_in(api: Api, resources: Resources) -> None:
    settings, auth = resources.settings, resources.settings.auth
    email = replace(auth.email, enable_confirmations=False)
    object.__setattr__(resources, "settings", replace(settings, auth=replace(auth, email=email)))
    answer = await api.sign_up("giulia@socio.example")
    assert answer.status_code == 200
    assert answer.json()["user"]["email_confirmed_at"]
    assert (await api.get("/user", answer.json()["access_token"])).status_code == 200
    again = await api.sign_up("giulia@socio.example")
    assert (again.status_code, again.json()["code"]) == (422, "user_already_exists")
    assert "already registered" in again.json()["message"]


async def test_switched_off_sign_ups_are_refused(api: Api, resources: Resources) -> None:
    settings = resources.settings
    object.__setattr__(resources, "settings", replace(settings, auth=replace(settings.auth, enable_signup=False)))
    answer = await api.sign_up("giulia@socio.example")
    assert (answer.status_code, answer.json()["code"]) == (422, "signup_disabled")


async def test_a_column_that_the_product_wants_filled_is_named(api: Api, resources: Resources) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            create table public.members (id uuid primary key, city text not null);
            create function public.add_member() returns trigger language plpgsql security definer as
              $$ begin insert into public.members (id) values (new.id); return null; end $$;
            create trigger add_member after insert on auth.users for each row execute function public.add_member();
            """
        )
    refused = (await api.sign_up("giulia@socio.example")).json()
    assert refused["field"] == "city"
    assert "23502" in refused["cause"]
    assert "giulia" not in refused["cause"]


@pytest.mark.parametrize("secure", [True, False], ids=["in production", "on a developer's machine"])
async def test_a_failing_trigger_of_the_product_is_reported_and_logged(
    secure: bool, api: Api, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    if secure:
        on_the_internet(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            create function public.refuse() returns trigger language plpgsql as
              $$ begin raise exception 'no room for %', new.email using errcode = 'P0001'; end $$;
            create trigger refuse after insert on auth.users for each row execute function public.refuse();
            """
        )
    with caplog.at_level("INFO"):
        answer = await api.sign_up("giulia@socio.example")
    assert answer.status_code == 500
    assert answer.headers["x-request-id"]
    (cause,) = [record.cause for record in caplog.records if hasattr(record, "cause")]
    told = {} if secure else {"cause": cause}
    assert answer.json() == {"code": "unexpected_failure", "message": "Database error saving new user", **told}
    assert "P0001: no room for giulia@socio.example" in cause
    assert "refuse()" in cause
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.users") == 0
    assert await api.mails.all() == []


async def test_what_reaches_the_log_holds_no_secret(
    api: Api, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute("alter table auth.users add check (email not like 'giulia%')")
    with caplog.at_level("DEBUG"):
        assert (await api.sign_up("giulia@socio.example")).status_code == 500
    logged = "".join(str(vars(record)) for record in caplog.records)
    assert "users_email_check" in logged
    assert "argon2" not in logged
    assert PASSWORD not in logged
