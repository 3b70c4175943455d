"""Which account an identity joins (AUTH-18, AUTH-19)."""

from __future__ import annotations

import asyncio
from typing import Any
from uuid import UUID

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.backend.auth.providers.conftest import SITE, Browser

pytestmark = pytest.mark.anyio

GIULIA = "giulia@socio.example"


async def _user(api: Api, answer: Any) -> dict[str, Any]:
    token = answer.fragment["access_token"]
    user: dict[str, Any] = (await api.get("/user", token)).json()
    return user


async def _run(resources: Resources, statement: str, *values: Any) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(statement, *values)


async def _count(resources: Resources, table: str) -> int:
    async with db.connection(resources.pool) as connection:
        found: int = await connection.fetchval(f"select count(*) from auth.{table}")
    return found


async def test_a_proved_address_joins_the_account_that_has_it(
    browser: Browser, api: Api, person: Person, now: Any
) -> None:
    session = await person(GIULIA, data={"theme": "dark"})
    now.advance(seconds=1)
    user = await _user(api, await browser.sign_in())
    assert user["id"] == session["user"]["id"]
    assert [each["provider"] for each in user["identities"]] == ["email", "keycloak"]
    assert user["app_metadata"] == {"provider": "email", "providers": ["email", "keycloak"]}
    assert user["user_metadata"]["theme"] == "dark"
    assert (await api.sign_in(GIULIA)).status_code == 200


async def test_two_providers_with_one_proved_address_are_one_account(browser: Browser, api: Api, now: Any) -> None:
    first = await _user(api, await browser.sign_in("keycloak"))
    now.advance(seconds=1)
    second = await _user(api, await browser.sign_in("apple"))
    assert first["id"] == second["id"]
    assert [each["provider"] for each in second["identities"]] == ["keycloak", "apple"]


async def test_an_unproved_address_never_joins_an_account(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    session = await person(GIULIA)
    answer = await browser.sign_in(account="claims-to-be-giulia")
    assert answer.query["error"] == "access_denied"
    assert answer.query["error_code"] == "provider_email_needs_verification"
    assert "access_token" not in answer.fragment
    user = (await api.get("/user", session["access_token"])).json()
    assert [each["provider"] for each in user["identities"]] == ["email"]
    assert await _count(resources, "users") == 1


async def test_an_unproved_address_gets_a_mail_before_the_account_can_be_used(
    browser: Browser, api: Api, resources: Resources
) -> None:
    answer = await browser.sign_in(account="marco")
    assert answer.query == {
        "error": "access_denied",
        "error_code": "provider_email_needs_verification",
        "error_description": (
            "Unverified email with keycloak. A confirmation email has been sent to your keycloak email"
        ),
    }
    link = await api.last_link("marco@socio.example")
    again = await browser.sign_in(account="marco")
    assert again.query["error_code"] == "provider_email_needs_verification"
    assert len(await api.mails.to("marco@socio.example")) == 1
    confirmed = await api.post("/verify", {"type": "signup", "token_hash": link.token_hash})
    assert confirmed.status_code == 200
    assert "access_token" in (await browser.sign_in(account="marco")).fragment
    assert await _count(resources, "users") == 1


async def test_whoever_signed_up_ahead_with_the_address_keeps_no_way_in(
    browser: Browser, api: Api, resources: Resources
) -> None:
    """The account made ahead of its owner: a password, another identity, a factor and a pending change of address."""
    assert (await api.sign_up(GIULIA, data={"full_name": "Impostore"})).status_code == 200
    waiting = await api.last_link(GIULIA)
    await _run(
        resources,
        """
        with owner as (select id from auth.users),
        identity as (
          insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
          select 'impostor', id, '{"sub": "impostor"}', 'apple', now() from owner)
        insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
        select gen_random_uuid(), id, 'totp', 'verified', now(), now() from owner
        """,
    )
    user = await _user(api, await browser.sign_in())
    assert user["user_metadata"]["full_name"] == "Giulia Ferri"
    assert [each["provider"] for each in user["identities"]] == ["keycloak"]
    assert user["app_metadata"]["providers"] == ["keycloak"]
    assert "factors" not in user
    assert (await api.sign_in(GIULIA)).json()["code"] == "invalid_credentials"
    late = await api.post("/verify", {"type": "signup", "token_hash": waiting.token_hash})
    assert late.json()["code"] == "otp_expired"


async def test_a_sign_up_over_an_unproved_account_forgets_the_identities_in_it(
    browser: Browser, api: Api, now: Any
) -> None:
    """The other way round: an identity without proof must not ride along when the owner confirms a sign-up."""
    await browser.sign_in(account="claims-to-be-giulia")
    now.advance(seconds=61)
    assert (await api.sign_up(GIULIA)).status_code == 200
    link = await api.last_link(GIULIA)
    session = await api.post("/verify", {"type": "signup", "token_hash": link.token_hash})
    assert [each["provider"] for each in session.json()["user"]["identities"]] == ["email"]


async def test_a_recovery_of_an_unproved_account_forgets_the_identity_it_was_made_with(
    browser: Browser, api: Api
) -> None:
    await browser.sign_in(account="marco")
    assert (await api.post("/recover", {"email": "marco@socio.example"})).json() == {}
    link = await api.last_link("marco@socio.example")
    session = (await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})).json()
    assert [each["provider"] for each in session["user"]["identities"]] == ["email"]
    assert session["user"]["app_metadata"]["providers"] == ["email"]
    again = await browser.sign_in(account="marco")
    assert again.query["error_code"] == "provider_email_needs_verification"
    assert "access_token" not in again.fragment


async def test_several_accounts_with_the_address_are_refused(
    browser: Browser, person: Person, resources: Resources
) -> None:
    await person(GIULIA)
    other = await person("altra@socio.example")
    await _run(
        resources,
        """
        insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
        values ('x', $1, '{"sub": "x", "email": "giulia@socio.example", "email_verified": true}', 'google', now())
        """,
        UUID(other["user"]["id"]),
    )
    answer = await browser.sign_in()
    assert answer.query["error_code"] == "email_exists"
    assert answer.query["error_description"].startswith("Multiple accounts with the same email address")


async def test_an_identity_with_an_unproved_address_attracts_nobody(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    """Else somebody links an account that claims Giulia's address, and waits for Giulia to sign in to theirs."""
    impostor = await person("altra@socio.example")
    await _run(
        resources,
        """
        insert into auth.identities (provider_id, user_id, identity_data, provider, created_at)
        values ('x', $1, '{"sub": "x", "email": "giulia@socio.example", "email_verified": false}', 'google', now())
        """,
        UUID(impostor["user"]["id"]),
    )
    user = await _user(api, await browser.sign_in())
    assert user["id"] != impostor["user"]["id"]


async def test_ten_sign_ins_at_once_make_one_account(browser: Browser, resources: Resources) -> None:
    returned = [await browser.visit(await browser.authorize()) for _ in range(5)]
    returned += [await browser.visit(await browser.authorize(account="giulia-too")) for _ in range(5)]
    answers = await asyncio.gather(*(browser.come_back(each) for each in returned))
    assert [answer.query for answer in answers] == [{}] * 10
    assert await _count(resources, "users") == 1


@pytest.mark.parametrize("changes", [{"enable_signup": False}], ids=["closed"])
async def test_no_sign_up_where_sign_ups_are_closed(browser: Browser, resources: Resources) -> None:
    answer = await browser.sign_in()
    assert (answer.query["error"], answer.query["error_code"]) == ("access_denied", "signup_disabled")
    assert await _count(resources, "users") == 0


async def test_no_address_no_account_unless_the_provider_may_leave_it_out(browser: Browser) -> None:
    answer = await browser.sign_in(account="no-address")
    assert answer.query["error"] == "server_error"
    assert answer.query["error_description"] == "Error getting user email from external provider"


@pytest.mark.parametrize("provider_changes", [{"email_optional": True}], ids=["optional"])
async def test_an_account_without_address_can_be_used_where_that_is_allowed(browser: Browser, api: Api) -> None:
    first = await _user(api, await browser.sign_in(account="no-address"))
    again = await _user(api, await browser.sign_in(account="no-address"))
    assert (first["email"], first["id"]) == ("", again["id"])


async def test_a_failing_trigger_of_the_product_is_a_clear_refusal(browser: Browser, resources: Resources) -> None:
    await _run(
        resources,
        """
        create function public.refuse() returns trigger language plpgsql as
        $$begin raise exception 'not today'; end$$;
        create trigger refuse before insert on auth.users for each row execute function public.refuse();
        """,
    )
    answer = await browser.sign_in(redirect_to=f"{SITE}/login")
    assert answer.query["error"] == "server_error"
    assert answer.query["error_description"] == "Database error saving new user"


async def test_an_invitation_can_be_accepted_with_a_provider(browser: Browser, api: Api, resources: Resources) -> None:
    assert (await api.sign_up(GIULIA)).status_code == 200
    invitation = (await api.last_link(GIULIA)).token_hash
    user = await _user(api, await browser.sign_in(invite_token=invitation))
    assert user["email_confirmed_at"]
    assert [each["provider"] for each in user["identities"]] == ["keycloak"]
    assert (await api.sign_in(GIULIA, PASSWORD)).status_code == 400


async def test_an_invitation_of_somebody_else_is_not_theirs(browser: Browser, api: Api) -> None:
    await api.sign_up("invitata@socio.example")
    invitation = (await api.last_link("invitata@socio.example")).token_hash
    answer = await browser.sign_in(invite_token=invitation)
    assert answer.query["error_code"] == "validation_failed"
    # The refusal left the invitation as it was.
    assert (await api.post("/verify", {"type": "invite", "token_hash": invitation})).status_code == 200
