"""Phones: POST /signup, /token, /otp, /resend and /verify with a number, and PUT /user's change of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from backend.auth import sms
from backend.core import db
from backend.core.config import Settings
from backend.core.config_sms import Twilio
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

NUMBER, OTHER, TEST_NUMBER = "393331234567", "393337654321", "393330000000"
CHALLENGE = {"code_challenge": "v" * 50, "code_challenge_method": "plain"}


@pytest.fixture
def settings(settings: Settings, request: pytest.FixtureRequest) -> Settings:
    """Phone on, one number with a fixed code; `@pytest.mark.parametrize("settings", […], indirect=True)` adds more."""
    more = {"enabled": True, "test_otp": {TEST_NUMBER: "000000"}, **getattr(request, "param", {})}
    auth = settings.auth
    return replace(settings, auth=replace(auth, sms=replace(auth.sms, **more)))


def with_settings(**more: Any) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("settings", [more], indirect=True)


async def texts(resources: Resources) -> list[sms.Sms]:
    async with db.connection(resources.pool) as connection:
        return await sms.queued(connection)


async def last_code(resources: Resources, number: str = NUMBER) -> str:
    message = [each for each in await texts(resources) if each.to == number][-1]
    found = re.search(r"\d{6}", message.text)
    assert found is not None
    return found[0]


async def sign_up(api: Api, phone: str = NUMBER, password: str = PASSWORD, **more: Any) -> Any:
    return await api.post("/signup", {"phone": phone, "password": password, **more})


async def verify(api: Api, code: str, phone: str = NUMBER, kind: str = "sms") -> Any:
    return await api.post("/verify", {"type": kind, "phone": phone, "token": code})


async def log_in(api: Api, phone: str = NUMBER, password: str = PASSWORD) -> Any:
    return await api.post("/token?grant_type=password", {"phone": phone, "password": password})


async def somebody(api: Api, resources: Resources, phone: str = NUMBER) -> Any:
    """A session of an account with a proved number."""
    assert (await sign_up(api, phone)).status_code == 200
    answer = await verify(api, await last_code(resources, phone), phone)
    assert answer.status_code == 200, answer.text
    return answer.json()


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_a_sign_up_answers_the_user_and_sends_one_code(api: Api, resources: Resources) -> None:
    answer = await sign_up(api, f"+{NUMBER}", data={"full_name": "Giulia"})
    user = answer.json()
    assert answer.status_code == 200
    assert (user["phone"], user["email"], user["is_anonymous"]) == (NUMBER, "", False)
    assert user["app_metadata"] == {"provider": "phone", "providers": ["phone"]}
    assert user["user_metadata"]["full_name"] == "Giulia"
    assert [identity["provider"] for identity in user["identities"]] == ["phone"]
    assert user["identities"][0]["identity_data"] == {
        "sub": user["id"],
        "phone": NUMBER,
        "email_verified": False,
        "phone_verified": False,
    }
    assert "phone_confirmed_at" not in user
    (message,) = await texts(resources)
    assert message.text == f"Il tuo codice per Socio è {await last_code(resources)}"
    assert (message.to, message.purpose) == (NUMBER, "confirmation")


async def test_the_code_confirms_the_number_and_signs_in(api: Api, resources: Resources) -> None:
    session = await somebody(api, resources)
    user = session["user"]
    assert user["phone_confirmed_at"] == user["confirmed_at"]
    assert user["identities"][0]["identity_data"]["phone_verified"] is True
    claims = resources.keys.verify(session["access_token"])
    assert (claims["phone"], claims["amr"][0]["method"]) == (NUMBER, "otp")
    assert (await log_in(api)).json()["user"]["id"] == user["id"]


async def test_a_code_works_once_for_its_number_and_type_only(api: Api, resources: Resources) -> None:
    await sign_up(api)
    code = await last_code(resources)
    wrong = "000001" if code == "000000" else "000000"
    assert refused(await verify(api, wrong)) == (403, "otp_expired")
    assert refused(await verify(api, code, OTHER)) == (403, "otp_expired")
    assert refused(await verify(api, code, kind="phone_change")) == (403, "otp_expired")
    assert (await verify(api, f"{code[:3]} {code[3:]}", f"+{NUMBER}")).status_code == 200
    assert refused(await verify(api, code)) == (403, "otp_expired")


async def test_a_code_lives_five_minutes(api: Api, resources: Resources, now: Clock) -> None:
    await sign_up(api)
    now.advance(minutes=5)
    assert refused(await verify(api, await last_code(resources))) == (403, "otp_expired")


async def test_an_unproved_number_cannot_log_in(api: Api) -> None:
    await sign_up(api)
    assert refused(await log_in(api)) == (400, "phone_not_confirmed")
    assert refused(await log_in(api, password="Sbagliata-1")) == (400, "invalid_credentials")
    assert refused(await log_in(api, OTHER)) == (400, "invalid_credentials")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({"phone": "0333", "password": PASSWORD}, 400, "validation_failed"),
        ({"phone": "39333123456789012", "password": PASSWORD}, 400, "validation_failed"),
        ({"phone": "+39٣٣٣1234567", "password": PASSWORD}, 400, "validation_failed"),
        ({"phone": NUMBER}, 400, "validation_failed"),
        ({"phone": NUMBER, "password": "corta"}, 422, "weak_password"),
        ({"phone": NUMBER, "password": PASSWORD, "channel": "whatsapp"}, 400, "validation_failed"),
        ({"phone": NUMBER, "password": PASSWORD, "channel": "pigeon"}, 400, "validation_failed"),
        ({"phone": NUMBER, "password": PASSWORD, **CHALLENGE}, 400, "validation_failed"),
        ({"phone": NUMBER, "email": "giulia@socio.example", "password": PASSWORD}, 400, "validation_failed"),
        ({"phone": 39333, "password": PASSWORD}, 400, "validation_failed"),
    ],
)
async def test_a_bad_sign_up_is_refused(api: Api, body: dict[str, Any], status: int, code: str) -> None:
    assert refused(await api.post("/signup", body)) == (status, code)


@with_settings(enabled=False)
async def test_everything_is_refused_where_phones_are_switched_off(api: Api, person: Person) -> None:
    assert refused(await sign_up(api)) == (422, "phone_provider_disabled")
    assert refused(await log_in(api)) == (422, "phone_provider_disabled")
    assert refused(await api.post("/otp", {"phone": NUMBER})) == (400, "phone_provider_disabled")
    assert refused(await api.post("/resend", {"type": "sms", "phone": NUMBER})) == (400, "phone_provider_disabled")
    token = (await person())["access_token"]
    assert refused(await api.put("/user", {"phone": NUMBER}, token)) == (422, "phone_provider_disabled")
    assert (await api.get("/settings")).json()["external"]["phone"] is False


@with_settings(twilio=Twilio(True, "AC1", "MG1", "hush"))
async def test_whatsapp_is_a_channel_of_twilio(api: Api, resources: Resources) -> None:
    assert (await sign_up(api, channel="whatsapp")).status_code == 200
    (message,) = await texts(resources)
    assert message.channel == "whatsapp"
    assert (await api.get("/settings")).json()["sms_provider"] == "twilio"


@with_settings(enable_confirmations=False)
async def test_without_confirmations_a_sign_up_signs_in_at_once(api: Api, resources: Resources) -> None:
    answer = await sign_up(api)
    assert answer.json()["user"]["phone_confirmed_at"]
    assert await texts(resources) == []
    assert refused(await sign_up(api)) == (422, "user_already_exists")
    assert (await api.get("/settings")).json()["phone_autoconfirm"] is True


async def test_a_number_that_is_taken_answers_like_a_new_one(api: Api, resources: Resources, now: Clock) -> None:
    session = await somebody(api, resources)
    now.advance(minutes=2)
    again = (await sign_up(api, password="Altra-123")).json()
    new = (await sign_up(api, OTHER)).json()
    assert again["id"] != session["user"]["id"]
    assert {*again} == {*new}
    assert again["identities"] == []
    assert [message.to for message in await texts(resources)] == [NUMBER, OTHER]
    assert (await log_in(api)).status_code == 200


async def test_a_sign_up_cannot_take_over_an_account_proved_another_way(
    api: Api, person: Person, resources: Resources
) -> None:
    user = (await person())["user"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set phone = $1", NUMBER)
    answer = (await sign_up(api, password="Altra-123")).json()
    assert (answer["id"] != user["id"], answer["email"]) == (True, "")
    assert (await api.sign_in("giulia@socio.example")).status_code == 200


async def test_an_address_cannot_take_over_an_account_proved_by_phone(api: Api, resources: Resources) -> None:
    await somebody(api, resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set email = 'giulia@socio.example'")
    await api.sign_up("giulia@socio.example", "Altra-123")
    assert (await log_in(api)).status_code == 200


async def test_one_code_a_minute(api: Api, now: Clock) -> None:
    await sign_up(api)
    answer = await api.post("/otp", {"phone": NUMBER})
    assert refused(answer) == (429, "over_sms_send_rate_limit")
    assert answer.json()["message"] == "For security purposes, you can only request this after 60 seconds."
    assert answer.headers["retry-after"] == "60"
    now.advance(seconds=60)
    assert (await api.post("/otp", {"phone": NUMBER})).status_code == 200


async def test_a_test_number_gets_its_fixed_code_and_no_sms(api: Api, resources: Resources) -> None:
    await sign_up(api, TEST_NUMBER)
    assert await texts(resources) == []
    assert (await verify(api, "000000", TEST_NUMBER)).status_code == 200


async def test_a_code_makes_an_account_or_lets_in(api: Api, resources: Resources, now: Clock) -> None:
    first = await api.post("/otp", {"phone": NUMBER, "data": {"full_name": "Giulia"}})
    assert (first.status_code, {*first.json()}) == (200, {"message_id"})
    user = (await verify(api, await last_code(resources))).json()["user"]
    assert user["user_metadata"]["full_name"] == "Giulia"
    now.advance(minutes=2)
    second = await api.post("/otp", {"phone": NUMBER, "create_user": False})
    assert {*second.json()} == {"message_id"}
    assert (await verify(api, await last_code(resources))).json()["user"]["id"] == user["id"]


async def test_a_code_takes_the_password_of_whoever_signed_up_without_proof(
    api: Api, resources: Resources, now: Clock
) -> None:
    await sign_up(api, password="Altrui-123")
    now.advance(minutes=2)
    await api.post("/otp", {"phone": NUMBER})
    user = (await verify(api, await last_code(resources))).json()["user"]
    assert (user["phone"], user["app_metadata"]) == (NUMBER, {"provider": "phone", "providers": ["phone"]})
    assert refused(await log_in(api, password="Altrui-123")) == (400, "invalid_credentials")


async def test_an_unknown_number_is_refused_as_upstream_unless_it_is_to_be_hidden(
    api: Api, resources: Resources
) -> None:
    assert refused(await api.post("/otp", {"phone": NUMBER, "create_user": False})) == (422, "otp_disabled")
    object.__setattr__(resources, "settings", replace(resources.settings, hide_unknown_addresses=True))
    answer = await api.post("/otp", {"phone": NUMBER, "create_user": False})
    assert (answer.status_code, {*answer.json()}) == (200, {"message_id"})
    assert await texts(resources) == []
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.users") == 0


async def test_a_code_is_sent_again_to_who_has_not_proved_the_number(
    api: Api, resources: Resources, now: Clock
) -> None:
    await sign_up(api)
    old = await last_code(resources)
    now.advance(minutes=1)
    again = await api.post("/resend", {"type": "sms", "phone": NUMBER})
    assert {*again.json()} == {"message_id"}
    code = await last_code(resources)
    assert len(await texts(resources)) == 2
    if old != code:
        assert refused(await verify(api, old)) == (403, "otp_expired")
    assert (await verify(api, code)).status_code == 200
    now.advance(minutes=1)
    known, unknown = [await api.post("/resend", {"type": "sms", "phone": each}) for each in (NUMBER, OTHER)]
    assert {*known.json()} == {*unknown.json()} == {"message_id"}
    assert len(await texts(resources)) == 2


@pytest.mark.parametrize("body", [{"type": "sms"}, {"type": "sms", "email": "a@b.it"}, {"type": "sms", "phone": "0"}])
async def test_a_bad_resend_is_refused(api: Api, body: dict[str, str]) -> None:
    assert refused(await api.post("/resend", body)) == (400, "validation_failed")


@pytest.mark.parametrize(
    "body",
    [
        {"type": "sms", "phone": NUMBER, "email": "a@b.it", "token": "123456"},
        {"type": "signup", "phone": NUMBER, "token": "123456"},
        {"type": "sms", "phone": "0", "token": "123456"},
        {"type": "sms", "phone": NUMBER},
    ],
)
async def test_a_bad_verify_is_refused(api: Api, body: dict[str, str]) -> None:
    assert refused(await api.post("/verify", body)) == (400, "validation_failed")


@pytest.mark.parametrize("code", ["", "abcdef", "12345٦", "1", "1" * 11, "'; drop table auth.users"])
async def test_a_code_that_is_none_is_no_error_of_ours(api: Api, code: str) -> None:
    assert (await verify(api, code)).status_code in (400, 403)


async def test_a_link_proves_no_number(api: Api, resources: Resources) -> None:
    await sign_up(api)
    async with db.connection(resources.pool) as connection:
        token_hash = await connection.fetchval("select token_hash from auth.one_time_tokens")
    for kind in ("sms", "phone_change", "signup", "invite", "email"):
        answer = await api.post("/verify", {"type": kind, "token_hash": token_hash})
        assert refused(answer) == (403, "otp_expired")


async def test_a_code_counts_only_while_the_number_is_the_one_it_is_about(api: Api, resources: Resources) -> None:
    await sign_up(api)
    code = await last_code(resources)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set phone = $1", OTHER)
    assert refused(await verify(api, code)) == (403, "otp_expired")


async def test_who_has_a_number_may_add_an_address_and_keeps_everything(api: Api, resources: Resources) -> None:
    session = await somebody(api, resources)
    await api.put("/user", {"email": "giulia@socio.example"}, session["access_token"])
    token_hash = (await api.last_link("giulia@socio.example")).token_hash
    user = (await api.post("/verify", {"type": "email_change", "token_hash": token_hash})).json()["user"]
    assert (user["id"], user["phone"]) == (session["user"]["id"], NUMBER)
    assert {*user["app_metadata"]["providers"]} == {"phone", "email"}
    assert (await api.refresh(session["refresh_token"])).status_code == 200
    assert (await log_in(api)).status_code == 200


async def test_who_came_in_by_sms_ends_the_mails_under_way(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person()
    await api.put("/user", {"phone": NUMBER}, session["access_token"])
    assert (await verify(api, await last_code(resources), kind="phone_change")).status_code == 200
    await api.post("/recover", {"email": "giulia@socio.example"})
    token_hash = (await api.last_link("giulia@socio.example")).token_hash
    await api.post("/otp", {"phone": NUMBER})
    assert (await verify(api, await last_code(resources))).status_code == 200
    late = await api.post("/verify", {"type": "recovery", "token_hash": token_hash})
    assert refused(late) == (403, "otp_expired")


async def test_a_new_number_counts_once_it_is_proved(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    changed = await api.put("/user", {"phone": f"+{NUMBER}"}, session["access_token"])
    assert (changed.json()["phone"], changed.json()["new_phone"]) == ("", NUMBER)
    assert refused(await verify(api, await last_code(resources))) == (403, "otp_expired")
    proved = await verify(api, await last_code(resources), kind="phone_change")
    user = proved.json()["user"]
    assert (user["phone"], user["id"], "new_phone" in user) == (NUMBER, session["user"]["id"], False)
    assert user["app_metadata"]["providers"] == ["email", "phone"]
    assert (await log_in(api)).status_code == 200
    notice = (await api.mails.to("giulia@socio.example"))[-1]
    assert (notice.purpose, f"adesso è +{NUMBER}" in notice.text) == ("phone_changed", True)


async def test_a_new_number_ends_the_mails_and_codes_under_way(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    await api.post("/recover", {"email": "giulia@socio.example"})
    token_hash = (await api.last_link("giulia@socio.example")).token_hash
    await api.put("/user", {"phone": NUMBER}, session["access_token"])
    assert (await verify(api, await last_code(resources), kind="phone_change")).status_code == 200
    late = await api.post("/verify", {"type": "recovery", "token_hash": token_hash})
    assert refused(late) == (403, "otp_expired")


async def test_that_a_number_is_somebodys_learns_only_who_has_its_code(
    api: Api, person: Person, resources: Resources
) -> None:
    await somebody(api, resources)
    free = await api.put("/user", {"phone": OTHER}, (await person("a@socio.example"))["access_token"])
    taken = await api.put("/user", {"phone": NUMBER}, (await person("b@socio.example"))["access_token"])
    assert (taken.status_code, set(taken.json())) == (free.status_code, set(free.json())) == (200, set(free.json()))
    assert refused(await verify(api, await last_code(resources), kind="phone_change")) == (422, "phone_exists")


async def test_a_number_taken_meanwhile_is_not_given_twice(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    await api.put("/user", {"phone": NUMBER}, token)
    code = await last_code(resources)
    await somebody(api, resources)
    assert refused(await verify(api, code, kind="phone_change")) == (422, "phone_exists")


async def test_the_code_of_a_change_is_sent_again(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    token = (await person())["access_token"]
    await api.put("/user", {"phone": NUMBER}, token)
    assert refused(await api.put("/user", {"phone": OTHER}, token)) == (429, "over_sms_send_rate_limit")
    now.advance(minutes=1)
    await api.post("/resend", {"type": "phone_change", "phone": NUMBER})
    assert len(await texts(resources)) == 2
    assert (await verify(api, await last_code(resources), kind="phone_change")).status_code == 200


@with_settings(enable_confirmations=False)
async def test_without_confirmations_a_new_number_counts_at_once(api: Api, person: Person) -> None:
    changed = await api.put("/user", {"phone": NUMBER}, (await person())["access_token"])
    assert (changed.json()["phone"], changed.json()["app_metadata"]["providers"]) == (NUMBER, ["email", "phone"])


async def test_who_has_no_address_reauthenticates_by_sms(api: Api, resources: Resources, now: Clock) -> None:
    session = await somebody(api, resources)
    answer = await api.get("/reauthenticate", session["access_token"])
    assert (answer.status_code, {*answer.json()}) == (200, {"message_id"})
    assert (await texts(resources))[-1].purpose == "reauthentication"
    again = await api.get("/reauthenticate", session["access_token"])
    assert refused(again) == (429, "over_sms_send_rate_limit")


async def test_the_code_by_sms_allows_a_new_password(api: Api, resources: Resources, now: Clock) -> None:
    await somebody(api, resources)
    auth = resources.settings.auth
    strict = replace(auth, email=replace(auth.email, secure_password_change=True), jwt_expiry=7 * 24 * 3600)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=strict))
    token = (await log_in(api)).json()["access_token"]
    now.advance(hours=25)
    assert (await api.get("/reauthenticate", token)).status_code == 200
    code = await last_code(resources)
    wrong = "000001" if code == "000000" else "000000"
    refusal = await api.put("/user", {"password": "Nuova-1234", "nonce": wrong}, token)
    assert refused(refusal) == (422, "reauthentication_not_valid")
    assert (await api.put("/user", {"password": "Nuova-1234", "nonce": code}, token)).status_code == 200
    assert (await log_in(api, password="Nuova-1234")).status_code == 200


async def test_sms_of_everybody_together_are_limited(api: Api, resources: Resources) -> None:
    auth = resources.settings.auth
    limited = replace(auth, rate_limit=replace(auth.rate_limit, sms_sent=1))
    object.__setattr__(resources, "settings", replace(resources.settings, auth=limited))
    assert (await api.post("/otp", {"phone": NUMBER})).status_code == 200
    for answer in (
        await api.post("/otp", {"phone": OTHER}),
        await api.post("/resend", {"type": "sms", "phone": OTHER}),
    ):
        assert refused(answer) == (429, "over_sms_send_rate_limit")
    assert len(await texts(resources)) == 1


async def test_the_audit_log_tells_of_a_sign_up_and_a_login_by_phone(api: Api, resources: Resources) -> None:
    await somebody(api, resources)
    await log_in(api)
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from auth.audit_log_entries order by created_at, payload ->> 'x'")
    found = {(row["payload"]["action"], row["payload"]["traits"]["provider"]) for row in rows}
    assert found == {
        ("user_confirmation_requested", "phone"),
        ("user_signedup", "phone"),
        ("login", "phone"),
    }
    assert {row["payload"]["actor_username"] for row in rows} == {NUMBER}
