"""Joining and removing identities by hand (AUTH-20)."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest

from backend.auth import callback
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Halted, Person
from tests.backend.auth.providers.conftest import Answer, Browser, OpenId
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

OTHER, LINKED = "altra@socio.example", "giulia@socio.example"


async def _begin(api: Api, token: str, provider: str = "keycloak", account: str = "giulia", **more: str) -> str:
    query = {"provider": provider, "login_hint": account, "skip_http_redirect": "true", **more}
    answer = await api.get("/user/identities/authorize", token, params=query)
    assert answer.status_code == 200, answer.text
    begun: str = answer.json()["url"]
    return begun


async def _link(browser: Browser, token: str, provider: str = "keycloak", account: str = "giulia") -> Answer:
    begun = await _begin(browser.api, token, provider, account)
    return await browser.come_back(await browser.visit(begun))


async def _identities(api: Api, token: str) -> dict[str, str]:
    user = (await api.get("/user", token)).json()
    return {each["provider"]: each["identity_id"] for each in user["identities"]}


async def test_linking_answers_the_address_or_goes_there(api: Api, person: Person, openid: OpenId) -> None:
    token = (await person(OTHER))["access_token"]
    answer = await api.get("/user/identities/authorize?provider=keycloak", token)
    assert answer.status_code == 302
    assert answer.headers["location"].startswith(openid.http)
    as_json = await api.get("/user/identities/authorize?provider=keycloak&skip_http_redirect=true", token)
    assert urlsplit(as_json.json()["url"]).path == "/auth"
    assert "skip_http_redirect" not in as_json.json()["url"]


async def test_a_linked_identity_is_a_way_in(browser: Browser, api: Api, person: Person, now: Clock) -> None:
    session = await person(OTHER)
    now.advance(seconds=1)
    linked = await _link(browser, session["access_token"])
    assert "access_token" in linked.fragment
    signed_in = await browser.sign_in()
    user = (await api.get("/user", signed_in.fragment["access_token"])).json()
    assert (user["id"], user["email"]) == (session["user"]["id"], OTHER)
    assert user["app_metadata"] == {"provider": "email", "providers": ["email", "keycloak"]}


async def test_the_address_of_a_linked_identity_is_taken(
    browser: Browser, api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person(OTHER)
    await _link(browser, session["access_token"])
    sent = len(await api.mails.all())
    signed_up, unknown = await api.sign_up(LINKED), await api.sign_up("nessuno@socio.example")
    assert (signed_up.status_code, set(signed_up.json())) == (200, set(unknown.json()))
    now.advance(minutes=5)
    assert (await api.post("/otp", {"email": LINKED})).json() == {}
    assert [mail.purpose for mail in await api.mails.to(LINKED)] == ["account_exists"]
    assert len(await api.mails.all()) == sent + 2
    admin, luca = resources.keys.service_role_key, (await person("luca@socio.example"))["access_token"]
    assert (await api.put("/user", {"email": LINKED}, luca)).status_code == 200, "its owner is told by mail"
    for answer in (
        await api.post("/invite", {"email": LINKED}, admin),
        await api.post("/admin/users", {"email": LINKED}, admin),
    ):
        assert (answer.status_code, answer.json()["code"]) == (422, "email_exists")
    # So another provider with proof of it finds the one account.
    arrived = await browser.sign_in("apple", "giulia-too")
    user = (await api.get("/user", arrived.fragment["access_token"])).json()
    assert (user["id"], user["email"]) == (session["user"]["id"], OTHER)


async def test_the_address_of_an_own_identity_is_free_for_its_account(
    browser: Browser, api: Api, person: Person
) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    assert (await api.put("/user", {"email": LINKED}, token)).json()["new_email"] == LINKED


async def test_where_nothing_is_hidden_a_linked_address_is_told_to_be_taken(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    await _link(browser, (await person(OTHER))["access_token"])
    settings, auth = resources.settings, resources.settings.auth
    email = replace(auth.email, enable_confirmations=False)
    object.__setattr__(resources, "settings", replace(settings, auth=replace(auth, email=email)))
    answer = await api.sign_up(LINKED)
    assert (answer.status_code, answer.json()["code"]) == (422, "user_already_exists")


@pytest.mark.parametrize("how", ["/logout", "/logout?scope=others", "one by one"])
async def test_a_linking_dies_with_the_session_that_began_it(
    browser: Browser, api: Api, person: Person, how: str
) -> None:
    owner = (await person(OTHER))["access_token"]
    thief = (await api.sign_in(OTHER)).json()["access_token"]
    begun = await _begin(api, thief)
    if how == "one by one":
        (there,) = [each["id"] for each in (await api.get("/sessions", owner)).json() if not each["current"]]
        assert (await api.call("DELETE", f"/sessions/{there}", None, owner)).status_code == 204
    else:
        assert (await api.post(how, token=owner)).status_code == 204
    answer = await browser.come_back(await browser.visit(begun))
    assert answer.query["error_code"] == "bad_oauth_state"
    user = (await api.sign_in(OTHER)).json()["user"]
    assert [each["provider"] for each in user["identities"]] == ["email"]


async def test_a_linking_is_refused_when_its_session_ends_at_the_last_moment(
    browser: Browser, api: Api, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = (await person(OTHER))["access_token"]
    returned = await browser.visit(await _begin(api, token))
    halted = Halted(monkeypatch, callback, "_let_in")
    coming = asyncio.create_task(browser.come_back(returned))
    await halted.reached.wait()
    assert (await api.post("/logout", token=token)).status_code == 204
    halted.go.set()
    assert (await coming).query["error_code"] == "session_not_found"


async def test_a_linking_dies_with_a_session_whose_refresh_token_was_stolen(
    browser: Browser, api: Api, person: Person, now: Clock
) -> None:
    session = await person(OTHER)
    begun = await _begin(api, session["access_token"])
    token = session["refresh_token"]
    for _ in range(2):
        token = (await api.refresh(token)).json()["refresh_token"]
    now.advance(minutes=1)
    assert (await api.refresh(session["refresh_token"])).json()["code"] == "refresh_token_already_used"
    answer = await browser.come_back(await browser.visit(begun))
    assert answer.query["error_code"] == "session_not_found"


async def test_the_code_of_a_linking_dies_with_its_session(browser: Browser, api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    verifier = "v" * 43
    begun = await _begin(api, token, code_challenge=verifier, code_challenge_method="plain")
    code = (await browser.come_back(await browser.visit(begun))).query["code"]
    assert (await api.post("/logout", token=token)).status_code == 204
    answer = await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": verifier})
    assert (answer.status_code, answer.json()["code"]) == (404, "flow_state_not_found")


async def test_a_linking_begun_before_the_password_changed_is_over(browser: Browser, api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    begun = await _begin(api, token)
    assert (await api.put("/user", {"password": "Nuova-456x"}, token)).status_code == 200
    answer = await browser.come_back(await browser.visit(begun))
    assert answer.query["error_code"] == "bad_oauth_state"
    assert set(await _identities(api, token)) == {"email"}


async def test_an_identity_of_another_user_is_refused(browser: Browser, person: Person) -> None:
    await browser.sign_in()
    token = (await person(OTHER))["access_token"]
    answer = await _link(browser, token)
    assert answer.query["error_code"] == "identity_already_exists"
    assert answer.query["error_description"] == "Identity is already linked to another user"


async def test_an_identity_is_linked_once(browser: Browser, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    assert (await _link(browser, token)).query["error_description"] == "Identity is already linked"


async def test_a_guest_who_links_an_identity_is_a_guest_no_more(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    session = await person(OTHER)
    await _make_guest(resources, session)
    linked = await _link(browser, session["access_token"])
    user = (await api.get("/user", linked.fragment["access_token"])).json()
    assert (user["id"], user["email"]) == (session["user"]["id"], "giulia@socio.example")
    assert user["is_anonymous"] is False
    assert user["email_confirmed_at"]


async def test_a_guest_cannot_link_into_an_existing_account(
    browser: Browser, person: Person, resources: Resources, now: Clock
) -> None:
    await person("giulia@socio.example")
    session = await person(OTHER)
    await _make_guest(resources, session)
    assert (await _link(browser, session["access_token"])).query["error_code"] == "email_exists"


async def test_a_guest_with_an_unproved_address_must_prove_it(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    session = await person(OTHER)
    await _make_guest(resources, session)
    answer = await _link(browser, session["access_token"], account="marco")
    assert answer.query["error_code"] == "email_not_confirmed"
    waiting = (await api.get("/user", session["access_token"])).json()
    assert (waiting["email"], waiting["new_email"], waiting["is_anonymous"]) == ("", "marco@socio.example", True)
    link = await api.last_link("marco@socio.example")
    confirmed = await api.post("/verify", {"type": "email_change", "token_hash": link.token_hash})
    user = confirmed.json()["user"]
    assert (user["id"], user["email"]) == (session["user"]["id"], "marco@socio.example")
    assert user["is_anonymous"] is False
    assert {each["provider"] for each in user["identities"]} == {"email", "keycloak"}
    assert (await api.refresh(session["refresh_token"])).status_code == 200


async def test_an_address_a_guest_has_not_proved_is_free_for_its_owner(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    session = await person(OTHER)
    await _make_guest(resources, session)
    await _link(browser, session["access_token"], account="marco")
    owner = await person("marco@socio.example")
    assert owner["user"]["id"] != session["user"]["id"]
    assert [each["provider"] for each in owner["user"]["identities"]] == ["email"]


async def _make_guest(resources: Resources, session: dict[str, Any]) -> None:
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            with gone as (delete from auth.identities where user_id = $1)
            update auth.users set email = null, email_confirmed_at = null, is_anonymous = true,
                                  encrypted_password = '', raw_app_meta_data = '{}' where id = $1
            """,
            UUID(session["user"]["id"]),
        )


@pytest.mark.parametrize("changes", [{"enable_manual_linking": False}], ids=["off"])
async def test_linking_can_be_switched_off(api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    answer = await api.get("/user/identities/authorize?provider=keycloak", token)
    assert (answer.status_code, answer.json()["code"]) == (404, "manual_linking_disabled")
    identity = (await api.get("/user", token)).json()["identities"][0]["identity_id"]
    unlinked = await api.call("DELETE", f"/user/identities/{identity}", None, token)
    assert (unlinked.status_code, unlinked.json()["code"]) == (404, "manual_linking_disabled")


async def test_linking_needs_somebody(api: Api) -> None:
    assert (await api.get("/user/identities/authorize?provider=keycloak")).json()["code"] == "no_authorization"
    assert (await api.call("DELETE", f"/user/identities/{uuid4()}", None, "")).status_code == 401


async def test_with_a_second_factor_only_a_strong_session_changes_the_ways_in(
    browser: Browser, api: Api, person: Person, resources: Resources
) -> None:
    session = await person(OTHER)
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            "insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)"
            " values (gen_random_uuid(), $1, 'totp', 'verified', now(), now())",
            UUID(session["user"]["id"]),
        )
    token = session["access_token"]
    linking = await api.get("/user/identities/authorize?provider=keycloak", token)
    unlinking = await api.call("DELETE", f"/user/identities/{uuid4()}", None, token)
    assert linking.json()["code"] == unlinking.json()["code"] == "insufficient_aal"


async def test_an_identity_can_be_removed_but_not_the_last(browser: Browser, api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    identities = await _identities(api, token)
    removed = await api.call("DELETE", f"/user/identities/{identities['keycloak']}", None, token)
    assert (removed.status_code, removed.json()) == (200, {})
    assert set(await _identities(api, token)) == {"email"}
    assert (await api.get("/user", token)).json()["app_metadata"]["providers"] == ["email"]
    last = await api.call("DELETE", f"/user/identities/{identities['email']}", None, token)
    assert (last.status_code, last.json()["code"]) == (422, "single_identity_not_deletable")


async def test_the_owner_is_told_of_each_way_in_that_comes_or_goes(browser: Browser, api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    identities = await _identities(api, token)
    await api.call("DELETE", f"/user/identities/{identities['keycloak']}", None, token)
    notices = (await api.mails.to(OTHER))[-2:]
    assert [notice.purpose for notice in notices] == ["identity_linked", "identity_unlinked"]
    assert all("Keycloak" in notice.text for notice in notices)


async def test_two_removals_at_once_leave_one_identity(browser: Browser, api: Api, person: Person) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    identities = await _identities(api, token)
    removals = [api.call("DELETE", f"/user/identities/{each}", None, token) for each in identities.values()]
    statuses = sorted(answer.status_code for answer in await asyncio.gather(*removals))
    assert statuses == [200, 422]
    assert len(await _identities(api, token)) == 1


async def test_without_the_email_identity_the_password_opens_nothing(
    browser: Browser, api: Api, person: Person
) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    identities = await _identities(api, token)
    assert (await api.call("DELETE", f"/user/identities/{identities['email']}", None, token)).status_code == 200
    user = (await api.get("/user", token)).json()
    assert user["email"] == "giulia@socio.example"
    assert (await api.sign_in(OTHER)).status_code == 400
    assert (await api.sign_in("giulia@socio.example")).status_code == 400


async def test_an_address_nobody_has_proved_cannot_be_fallen_back_on(
    browser: Browser, api: Api, person: Person
) -> None:
    """Else the account waits under somebody else's address, with its sessions, until the owner proves it."""
    token = (await person(OTHER))["access_token"]
    await _link(browser, token, account="marco")
    identities = await _identities(api, token)
    answer = await api.call("DELETE", f"/user/identities/{identities['email']}", None, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "email_conflict_identity_not_deletable")
    assert (await api.get("/user", token)).json()["email"] == OTHER
    assert (await api.sign_in(OTHER)).status_code == 200


async def test_an_address_that_somebody_else_has_cannot_be_fallen_back_on(
    browser: Browser, api: Api, person: Person
) -> None:
    await person("giulia@socio.example")
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    identities = await _identities(api, token)
    answer = await api.call("DELETE", f"/user/identities/{identities['email']}", None, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "email_conflict_identity_not_deletable")
    assert (await api.sign_in(OTHER)).status_code == 200


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("nonsense", 404, "validation_failed"),
        ("6f4bd6a0-60b4-4d4a-9d9a-1f8f2e8b1a55", 422, "identity_not_found"),
    ],
)
async def test_unknown_identities(
    browser: Browser, api: Api, person: Person, path: str, status: int, code: str
) -> None:
    token = (await person(OTHER))["access_token"]
    await _link(browser, token)
    answer = await api.call("DELETE", f"/user/identities/{path}", None, token)
    assert (answer.status_code, answer.json()["code"]) == (status, code)


async def test_an_identity_of_somebody_else_cannot_be_removed(browser: Browser, api: Api, person: Person) -> None:
    theirs = (await browser.sign_in("apple")).fragment["access_token"]
    token = (await person(OTHER))["access_token"]
    await _link(browser, token, account="giulia-too")
    identity_id = (await _identities(api, theirs))["apple"]
    answer = await api.call("DELETE", f"/user/identities/{identity_id}", None, token)
    assert answer.json()["code"] == "identity_not_found"
    assert "apple" in await _identities(api, theirs)
