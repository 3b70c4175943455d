"""GET and PUT /user, and GET /reauthenticate."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any
from uuid import UUID

import pytest

from backend.auth import passwords, queries
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Halted, Person, link_in

pytestmark = pytest.mark.anyio

NEW = "nuova@socio.example"
OLD = "giulia@socio.example"


async def test_the_user_behind_the_token(api: Api, person: Person) -> None:
    session = await person(data={"full_name": "Giulia"})
    answer = await api.get("/user", session["access_token"])
    user = answer.json()
    assert answer.status_code == 200
    assert user["id"] == session["user"]["id"]
    assert user["user_metadata"]["email_verified"] is True
    assert user["confirmed_at"] == user["email_confirmed_at"]
    (identity,) = user["identities"]
    assert identity["id"] == identity["user_id"] == user["id"] != identity["identity_id"]
    assert identity["identity_data"]["email_verified"] is True
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", user["created_at"])


@pytest.mark.parametrize(
    "change",
    [
        pytest.param("select", id="as signed up"),
        pytest.param("update auth.users set email_change = 'altra@socio.example', invited_at = now()", id="moments"),
        pytest.param(
            r"""update auth.users set raw_user_meta_data = '{"città": "Forlì \"centro\"", "vuoto": null, "n": [1.50]}',
               raw_app_meta_data = null""",
            id="metadata",
        ),
        pytest.param("delete from auth.identities", id="no identity"),
        pytest.param(
            """insert into auth.identities (id, provider_id, user_id, identity_data, provider, created_at)
               select gen_random_uuid(), 'g-1', id, '{"sub": "g-1"}', 'google', '2020-01-01' from auth.users""",
            id="two identities",
        ),
    ],
)
async def test_the_short_way_says_what_the_long_way_says(
    api: Api, person: Person, resources: Resources, change: str
) -> None:
    session = await person(data={"full_name": "Giulia"})
    async with db.connection(resources.pool) as connection:
        await connection.execute(change)
        found = await queries.users.find(connection, UUID(session["user"]["id"]))
    assert found is not None
    answer = await api.get("/user", session["access_token"])
    assert answer.json() == found.public()
    # The long way's answer is Starlette's; nobody shall see which way it was.
    assert answer.headers["content-type"] == "application/json"


async def test_who_has_a_second_factor_goes_the_long_way(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    await api.post("/factors", {"factor_type": "totp"}, session["access_token"])
    (factor,) = (await api.get("/user", session["access_token"])).json()["factors"]
    assert (factor["factor_type"], factor["status"]) == ("totp", "unverified")


async def test_data_is_merged_and_a_null_removes(api: Api, person: Person) -> None:
    session = await person(data={"full_name": "Giulia", "city": "Torino"})
    answer = await api.put("/user", {"data": {"city": None, "phone_hours": [9, 18]}}, session["access_token"])
    metadata = answer.json()["user_metadata"]
    assert answer.status_code == 200
    assert metadata["full_name"] == "Giulia"
    assert metadata["phone_hours"] == [9, 18]
    assert "city" not in metadata


async def test_data_that_grows_beyond_what_a_token_can_carry_is_refused(api: Api, person: Person) -> None:
    session = await person()
    for name in ("a", "b"):
        answer = await api.put("/user", {"data": {name: "x" * 5000}}, session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    assert "b" not in (await api.get("/user", session["access_token"])).json()["user_metadata"]


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"app_metadata": {"role": "admin"}}, 403, "not_admin"),
        ({"phone": "+393331234567"}, 422, "phone_provider_disabled"),
        ({"email": "nessuno"}, 400, "validation_failed"),
        ({"password": "corta"}, 422, "weak_password"),
        ({"password": ""}, 422, "weak_password"),
        ({"password": PASSWORD}, 422, "same_password"),
        ({"password": 5}, 400, "validation_failed"),
        ({"data": []}, 400, "validation_failed"),
    ],
)
async def test_refused_changes(api: Api, person: Person, body: dict[str, Any], status: int, code: str) -> None:
    await person("luca@socio.example")
    session = await person()
    answer = await api.put("/user", body, session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert (await api.sign_in(OLD)).status_code == 200


async def test_a_new_password_ends_the_other_sessions_and_every_open_mail(
    api: Api, person: Person, resources: Resources
) -> None:
    other = await person()
    own = (await api.sign_in(OLD)).json()
    await api.post("/recover", {"email": OLD})
    recovery = await api.last_link(OLD)
    answer = await api.put("/user", {"password": "Nuova-456x"}, own["access_token"])
    assert answer.status_code == 200
    assert (await api.get("/user", own["access_token"])).status_code == 200
    assert (await api.get("/user", other["access_token"])).json()["code"] == "session_not_found"
    used = await api.post("/verify", {"type": "recovery", "token_hash": recovery.token_hash})
    assert used.json()["code"] == "otp_expired"
    assert (await api.sign_in(OLD)).json()["code"] == "invalid_credentials"
    assert (await api.sign_in(OLD, "Nuova-456x")).status_code == 200
    assert (await api.mails.to(OLD))[-1].purpose == "password_changed"


async def test_a_session_that_ends_while_its_password_is_hashed_changes_nothing(
    api: Api, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = (await person())["access_token"]
    thief = (await api.sign_in(OLD)).json()["access_token"]
    halted = Halted(monkeypatch, passwords.Passwords, "hash")
    stealing = asyncio.create_task(api.put("/user", {"password": "Ladro-12345"}, thief))
    await halted.reached.wait()
    assert (await api.put("/user", {"password": "Padrona-1234"}, owner)).status_code == 200
    halted.go.set()
    refused = await stealing
    assert (refused.status_code, refused.json()["code"]) == (403, "session_not_found")
    assert (await api.get("/user", owner)).status_code == 200
    assert (await api.sign_in(OLD, "Padrona-1234")).status_code == 200


@pytest.mark.parametrize(
    ("more", "code"),
    [({"data": {"a": "x" * 9000}}, "validation_failed")],
    ids=["data"],
)
async def test_a_change_that_fails_does_not_tell_whether_a_guess_was_the_password(
    api: Api, person: Person, monkeypatch: pytest.MonkeyPatch, more: dict[str, Any], code: str
) -> None:
    await person("luca@socio.example")
    token = (await person())["access_token"]
    hashed: list[str] = []
    original = passwords.Passwords.hash

    async def watched(hashing: passwords.Passwords, password: str) -> str:
        hashed.append(password)
        return await original(hashing, password)

    monkeypatch.setattr(passwords.Passwords, "hash", watched)
    for guess in ("Sbagliata-1", PASSWORD):
        assert (await api.put("/user", {"password": guess, **more}, token)).json()["code"] == code
    # Nor does the time.
    assert hashed == ["Sbagliata-1", PASSWORD]
    assert (await api.sign_in(OLD)).status_code == 200


async def test_a_change_of_address_needs_both_addresses(api: Api, person: Person) -> None:
    session = await person()
    answer = await api.put("/user", {"email": NEW}, session["access_token"])
    assert (answer.json()["email"], answer.json()["new_email"]) == (OLD, NEW)
    half = await api.post("/verify", {"type": "email_change", "token_hash": (await api.last_link(OLD)).token_hash})
    assert half.status_code == 200
    assert half.json() == {
        "msg": "Confirmation link accepted. Please proceed to confirm link sent to the other email",
        "code": "200",
    }
    assert (await api.get("/user", session["access_token"])).json()["email"] == OLD
    whole = await api.post("/verify", {"type": "email_change", "token_hash": (await api.last_link(NEW)).token_hash})
    user = whole.json()["user"]
    assert (user["email"], user["user_metadata"]["email"]) == (NEW, NEW)
    assert "new_email" not in user
    assert user["identities"][0]["email"] == NEW
    assert (await api.sign_in(OLD)).status_code == 400
    assert (await api.sign_in(NEW)).status_code == 200
    assert (await api.mails.to(OLD))[-1].purpose == "email_changed"


async def test_what_the_old_address_got_opens_nothing_after_the_change(
    api: Api, person: Person, resources: Resources
) -> None:
    session = await person()
    await api.post("/recover", {"email": OLD})
    recovery = await api.last_link(OLD)
    await api.put("/user", {"email": NEW}, session["access_token"])
    for address in (OLD, NEW):
        link = await api.last_link(address)
        await api.post("/verify", {"type": "email_change", "token_hash": link.token_hash})
    assert (await api.get("/user", session["access_token"])).json()["email"] == NEW
    for proof in ({"token_hash": recovery.token_hash}, {"email": OLD, "token": recovery.code}):
        assert (await api.post("/verify", {"type": "recovery", **proof})).json()["code"] == "otp_expired"
    # Nor should it once the old address is back.
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set email = $1", OLD)
    used = await api.post("/verify", {"type": "recovery", "token_hash": recovery.token_hash})
    assert used.json()["code"] == "otp_expired"


async def test_one_address_cannot_agree_twice(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": NEW}, session["access_token"])
    link = await api.last_link(NEW)
    body = {"type": "email_change", "token_hash": link.token_hash}
    assert (await api.post("/verify", body)).json()["code"] == "200"
    assert (await api.post("/verify", body)).json()["code"] == "otp_expired"
    assert (await api.get("/user", session["access_token"])).json()["email"] == OLD


async def test_codes_change_the_address_as_links_do(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": NEW}, session["access_token"])
    for address in (NEW, OLD):
        code = (await api.last_link(address)).code
        answer = await api.post("/verify", {"type": "email_change", "email": address, "token": code})
        assert answer.status_code == 200
    assert answer.json()["user"]["email"] == NEW


async def test_with_single_confirmation_the_new_address_is_enough(
    api: Api, person: Person, resources: Resources
) -> None:
    auth = resources.settings.auth
    single = replace(auth, email=replace(auth.email, double_confirm_changes=False))
    object.__setattr__(resources, "settings", replace(resources.settings, auth=single))
    session = await person()
    await api.put("/user", {"email": NEW}, session["access_token"])
    answer = await api.post("/verify", {"type": "email_change", "token_hash": (await api.last_link(NEW)).token_hash})
    assert answer.json()["user"]["email"] == NEW


async def test_an_address_taken_in_the_meantime_is_refused(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    await api.put("/user", {"email": NEW}, session["access_token"])
    links = [(await api.last_link(address)).token_hash for address in (OLD, NEW)]
    await person(NEW)
    answers = [await api.post("/verify", {"type": "email_change", "token_hash": link}) for link in links]
    assert (answers[1].status_code, answers[1].json()["code"]) == (422, "email_exists")


async def test_a_taken_address_is_answered_as_a_free_one_and_its_owner_is_told(
    api: Api, person: Person, now: Any
) -> None:
    await person("luca@socio.example")
    token = (await person())["access_token"]
    now.advance(minutes=2)
    taken = await api.put("/user", {"email": "luca@socio.example"}, token)
    now.advance(minutes=2)
    free = await api.put("/user", {"email": NEW}, token)
    assert (taken.status_code, free.status_code) == (200, 200)
    assert set(taken.json()) == set(free.json())
    assert taken.json()["new_email"] == "luca@socio.example"
    assert [mail.purpose for mail in await api.mails.to("luca@socio.example")] == ["confirmation", "account_exists"]
    # The current address is asked in both cases, so its owner cannot tell either.
    assert [mail.purpose for mail in await api.mails.to(OLD)] == ["confirmation", "email_change", "email_change"]


async def test_a_second_change_within_a_minute_is_told_to_wait(api: Api, person: Person, now: Any) -> None:
    session = await person()
    assert (await api.put("/user", {"email": NEW}, session["access_token"])).status_code == 200
    answer = await api.put("/user", {"email": "altra@socio.example"}, session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (429, "over_email_send_rate_limit")
    now.advance(seconds=60)
    again = await api.put("/user", {"email": "altra@socio.example"}, session["access_token"])
    assert again.json()["new_email"] == "altra@socio.example"


async def test_an_old_session_needs_a_nonce_where_the_settings_say_so(
    api: Api, person: Person, resources: Resources, now: Any
) -> None:
    auth = resources.settings.auth
    strict = replace(auth, email=replace(auth.email, secure_password_change=True), jwt_expiry=7 * 24 * 3600)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=strict))
    token = (await person())["access_token"]
    now.advance(days=2)
    answer = await api.put("/user", {"password": "Nuova-456x"}, token)
    assert (answer.status_code, answer.json()["code"]) == (400, "reauthentication_needed")
    assert (await api.get("/reauthenticate", token)).json() == {}
    (message,) = [each for each in await api.mails.to(OLD) if each.purpose == "reauthentication"]
    code = re.search(r"codice: (\d{6})", message.text)
    assert code is not None
    for password in ("Nuova-456x", PASSWORD):
        wrong = await api.put("/user", {"password": password, "nonce": "000000"}, token)
        assert (wrong.status_code, wrong.json()["code"]) == (422, "reauthentication_not_valid")
    right = await api.put("/user", {"password": "Nuova-456x", "nonce": code[1]}, token)
    assert right.status_code == 200


@pytest.mark.parametrize("body", [{"password": "Nuova-456x"}, {"email": NEW}])
async def test_with_a_second_factor_the_ways_in_change_only_at_aal2(
    api: Api, person: Person, resources: Resources, body: dict[str, str]
) -> None:
    session = await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            insert into auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at)
            select gen_random_uuid(), id, 'totp', 'verified', now(), now() from auth.users
            """
        )
    answer = await api.put("/user", body, session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (401, "insufficient_aal")
    factors = (await api.get("/user", session["access_token"])).json()["factors"]
    assert [factor["status"] for factor in factors] == ["verified"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.sessions set aal = 'aal2'")
    assert (await api.put("/user", body, session["access_token"])).status_code == 200


async def test_sso_accounts_change_at_their_company(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set is_sso_user = true")
    answer = await api.put("/user", {"email": NEW}, session["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (422, "user_sso_managed")


async def test_the_notice_names_both_addresses(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": NEW}, session["access_token"])
    for address in (OLD, NEW):
        link = link_in((await api.mails.to(address))[-1].text)
        await api.post("/verify", {"type": "email_change", "token_hash": link.token_hash})
    notice = (await api.mails.to(OLD))[-1]
    assert OLD in notice.text
    assert NEW in notice.text
