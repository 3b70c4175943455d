"""Passkeys: registration, signing in, looking after them (AUTH-28)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from backend.auth import passkeys
from backend.core import db
from backend.core.config import Settings
from backend.core.config_mfa import Passkey
from backend.core.resources import Resources
from tests.backend.auth.authenticators import RP_ID, SecurityKey, b64url
from tests.backend.auth.conftest import Api, Halted, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

GOOGLE = bytes.fromhex("ea9b8d664d011d213ce4b6b48cb575d4")


async def register(api: Api, token: str, key: SecurityKey) -> Any:
    asked = (await api.post("/passkeys/registration/options", {}, token)).json()
    body = {"challenge_id": asked["challenge_id"], "credential": key.create(asked["options"])}
    return await api.post("/passkeys/registration/verify", body, token)


async def sign_in(api: Api, key: SecurityKey) -> Any:
    asked = (await api.post("/passkeys/authentication/options", {})).json()
    body = {"challenge_id": asked["challenge_id"], "credential": key.get(asked["options"])}
    return await api.post("/passkeys/authentication/verify", body)


async def test_a_passkey_is_registered_and_signs_in(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    session = await person()
    token, key = session["access_token"], SecurityKey(aaguid=GOOGLE)
    answer = await api.post("/passkeys/registration/options", {}, token)
    asked = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert set(asked) == {"challenge_id", "options", "expires_at"}
    assert asked["expires_at"] == int(now().timestamp()) + 300
    options = asked["options"]
    assert options["rp"] == {"id": RP_ID, "name": "Socio"}
    assert options["user"]["id"] == b64url(session["user"]["id"].encode())
    assert options["authenticatorSelection"]["residentKey"] == "required"
    assert options["authenticatorSelection"]["userVerification"] == "required"
    body = {"challenge_id": asked["challenge_id"], "credential": key.create(options)}
    made = await api.post("/passkeys/registration/verify", body, token)
    assert made.status_code == 200, made.text
    assert set(made.json()) == {"id", "friendly_name", "created_at"}
    assert made.json()["friendly_name"] == "Google Password Manager"

    now.advance(minutes=1)
    asked = (await api.post("/passkeys/authentication/options", {})).json()
    assert set(asked) == {"challenge_id", "options", "expires_at"}
    assert (asked["options"]["rpId"], asked["options"]["allowCredentials"]) == (RP_ID, [])
    assert asked["options"]["userVerification"] == "required"
    body = {"challenge_id": asked["challenge_id"], "credential": key.get(asked["options"])}
    entered = await api.post("/passkeys/authentication/verify", body)
    assert entered.status_code == 200, entered.text
    assert entered.headers["cache-control"] == "no-store"
    assert entered.json()["user"]["id"] == session["user"]["id"]
    claims = resources.keys.verify(entered.json()["access_token"], now=now())
    assert (claims["aal"], [each["method"] for each in claims["amr"]]) == ("aal1", ["passkey"])
    (listed,) = (await api.get("/passkeys", token)).json()
    assert set(listed) == {"id", "friendly_name", "created_at", "last_used_at"}


@pytest.mark.parametrize(
    "key",
    [
        SecurityKey(origin="https://evil.example"),
        SecurityKey(rp_id="evil.example"),
        SecurityKey(origin="null"),
        SecurityKey(verifies_user=False),
    ],
    ids=["origin", "rp_id", "null origin", "only touched"],
)
async def test_a_registration_from_elsewhere_or_by_nobody_known_is_refused(
    api: Api, person: Person, key: SecurityKey
) -> None:
    answer = await register(api, (await person())["access_token"], key)
    assert (answer.status_code, answer.json()["code"]) == (400, "webauthn_verification_failed")


def _elsewhere(key: SecurityKey) -> None:
    key.origin = "https://localhost:54321"


def _other_domain(key: SecurityKey) -> None:
    key.rp_id = "evil.example"


def _only_touched(key: SecurityKey) -> None:
    key.verifies_user = False


def _cloned(key: SecurityKey) -> None:
    key.sign_count = 0


def _other_key(key: SecurityKey) -> None:
    key.private_key = SecurityKey().private_key


def _unknown(key: SecurityKey) -> None:
    key.credential_id = b"y" * 32


def _other_person(key: SecurityKey) -> None:
    key.user_handle = b64url(str(uuid4()).encode())


def _nobody(key: SecurityKey) -> None:
    key.user_handle = ""


def _odd_handle(key: SecurityKey) -> None:
    key.user_handle = "?"


@pytest.mark.parametrize(
    "spoil",
    [_elsewhere, _other_domain, _only_touched, _cloned, _other_key, _unknown, _other_person, _nobody, _odd_handle],
)
async def test_a_false_sign_in_is_refused(api: Api, person: Person, spoil: Callable[[SecurityKey], None]) -> None:
    key = SecurityKey()
    assert (await register(api, (await person())["access_token"], key)).status_code == 200
    false = replace(key)
    spoil(false)
    answer = await sign_in(api, false)
    assert (answer.status_code, answer.json()["code"]) == (400, "webauthn_verification_failed")
    assert answer.json()["message"] == "Credential verification failed"
    assert (await sign_in(api, key)).status_code == 200


async def test_a_challenge_is_used_once_even_by_a_false_answer(api: Api, person: Person) -> None:
    key = SecurityKey()
    await register(api, (await person())["access_token"], key)
    asked = (await api.post("/passkeys/authentication/options", {})).json()
    body = {"challenge_id": asked["challenge_id"], "credential": key.get(asked["options"])}
    answers = await asyncio.gather(*(api.post("/passkeys/authentication/verify", body) for _ in range(3)))
    assert sorted(answer.status_code for answer in answers) == [200, 400, 400]
    assert {answer.json()["code"] for answer in answers if answer.status_code == 400} == {
        "webauthn_challenge_not_found"
    }
    asked = (await api.post("/passkeys/authentication/options", {})).json()
    false = {"challenge_id": asked["challenge_id"], "credential": {}}
    assert (await api.post("/passkeys/authentication/verify", false)).json()["code"] == "webauthn_verification_failed"
    true = {**false, "credential": key.get(asked["options"])}
    assert (await api.post("/passkeys/authentication/verify", true)).json()["code"] == "webauthn_challenge_not_found"


async def test_a_challenge_expires_and_serves_its_own_purpose_and_person(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    mine = (await person())["access_token"]
    theirs = (await person("luca@socio.example"))["access_token"]
    key = SecurityKey()
    asked = (await api.post("/passkeys/registration/options", {}, theirs)).json()
    body = {"challenge_id": asked["challenge_id"], "credential": key.create(asked["options"])}
    stolen = await api.post("/passkeys/registration/verify", body, mine)
    assert (stolen.status_code, stolen.json()["code"]) == (400, "webauthn_challenge_not_found")
    crossed = await api.post("/passkeys/authentication/verify", body)
    assert crossed.json()["code"] == "webauthn_challenge_not_found"
    now.advance(seconds=300)
    late = await api.post("/passkeys/registration/verify", body, theirs)
    assert (late.status_code, late.json()["code"]) == (400, "webauthn_challenge_expired")
    for _ in range(3):
        await api.post("/passkeys/authentication/options", {})
    now.advance(seconds=301)
    await api.post("/passkeys/authentication/options", {})
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.webauthn_challenges") == 1


async def test_a_credential_is_registered_once_and_its_authenticator_is_told(api: Api, person: Person) -> None:
    token, key = (await person())["access_token"], SecurityKey()
    assert (await register(api, token, key)).status_code == 200
    asked = (await api.post("/passkeys/registration/options", {}, token)).json()
    assert [each["id"] for each in asked["options"]["excludeCredentials"]] == [b64url(key.credential_id)]
    other = (await person("luca@socio.example"))["access_token"]
    for each in (token, other):
        twice = await register(api, each, key)
        assert (twice.status_code, twice.json()["code"]) == (422, "webauthn_credential_exists")


async def test_ten_passkeys_are_enough(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    for _ in range(9):
        assert (await register(api, token, SecurityKey())).status_code == 200
    asked = [(await api.post("/passkeys/registration/options", {}, token)).json() for _ in range(2)]
    answers = [
        await api.post(
            "/passkeys/registration/verify",
            {"challenge_id": each["challenge_id"], "credential": SecurityKey().create(each["options"])},
            token,
        )
        for each in asked
    ]
    assert [answer.status_code for answer in answers] == [200, 422]
    refused = await api.post("/passkeys/registration/options", {}, token)
    assert (refused.status_code, refused.json()["code"]) == (422, "too_many_passkeys")


async def test_a_session_that_ends_under_way_adds_no_passkey(
    api: Api, person: Person, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = (await person())["access_token"]
    thief = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    halted = Halted(monkeypatch, passkeys, "_used_challenge")
    adding = asyncio.create_task(register(api, thief, SecurityKey()))
    await halted.reached.wait()
    assert (await api.post("/logout?scope=others", token=owner)).status_code == 204
    halted.go.set()
    answer = await adding
    assert (answer.status_code, answer.json()["code"]) == (403, "session_not_found")
    assert (await api.get("/passkeys", owner)).json() == []


async def test_a_passkey_is_renamed_and_deleted_by_its_owner_alone(api: Api, person: Person) -> None:
    token, key = (await person())["access_token"], SecurityKey()
    made = (await register(api, token, key)).json()
    assert made["friendly_name"] == "Passkey"
    path = f"/passkeys/{made['id']}"
    other = (await person("luca@socio.example"))["access_token"]
    for method, body in (("PATCH", {"friendly_name": "x"}), ("DELETE", None)):
        for foreign in (path, f"/passkeys/{uuid4()}"):
            answer = await api.call(method, foreign, body, other)
            assert (answer.status_code, answer.json()["code"]) == (404, "webauthn_credential_not_found")
        assert (await api.call(method, "/passkeys/x", body, token)).status_code == 404
    assert (await api.get("/passkeys", other)).json() == []
    renamed = await api.call("PATCH", path, {"friendly_name": "Portatile"}, token)
    assert (renamed.status_code, renamed.json()["friendly_name"]) == (200, "Portatile")
    for name in ("", "x" * 121, None, 3):
        answer = await api.call("PATCH", path, {"friendly_name": name}, token)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    deleted = await api.call("DELETE", path, None, token)
    assert (deleted.status_code, deleted.content) == (204, b"")
    assert (await sign_in(api, key)).json()["code"] == "webauthn_verification_failed"


async def test_with_a_second_factor_passkeys_change_only_at_aal2(
    api: Api, person: Person, resources: Resources
) -> None:
    token, key = (await person())["access_token"], SecurityKey()
    made = (await register(api, token, key)).json()
    await api.post("/factors", {"factor_type": "totp"}, token)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_factors set status = 'verified'")
    path = f"/passkeys/{made['id']}"
    for answer in (
        await api.post("/passkeys/registration/options", {}, token),
        await api.post("/passkeys/registration/verify", {}, token),
        await api.call("DELETE", path, None, token),
    ):
        assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_aal")
    assert (await api.call("PATCH", path, {"friendly_name": "x"}, token)).status_code == 200
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.sessions set aal = 'aal2'")
    assert (await api.call("DELETE", path, None, token)).status_code == 204


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ("banned_until = now() + interval '1 day'", "user_banned"),
        ("email_confirmed_at = null", "email_not_confirmed"),
        ("phone = '39333'", "phone_not_confirmed"),
        ("deleted_at = now()", "user_not_found"),
    ],
)
async def test_who_may_not_sign_in_may_not_with_a_passkey(
    api: Api, person: Person, resources: Resources, change: str, code: str
) -> None:
    key = SecurityKey()
    await register(api, (await person())["access_token"], key)
    async with db.connection(resources.pool) as connection:
        await connection.execute(f"update auth.users set {change}")
    answer = await sign_in(api, key)
    assert (answer.status_code, answer.json()["code"]) == (403, code)


async def test_accounts_of_a_company_and_guests_have_none(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set is_sso_user = true")
    answer = await api.post("/passkeys/registration/options", {}, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set is_anonymous = true")
    answer = await api.post("/passkeys/registration/options", {}, token)
    assert (answer.status_code, answer.json()["code"]) == (403, "no_authorization")
    for path in ("/passkeys/registration/options", "/passkeys/registration/verify"):
        assert (await api.post(path, {})).status_code == 401


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"challenge_id": str(uuid4())},
        {"challenge_id": "x", "credential": {}},
        {"challenge_id": 3, "credential": {}},
        {"challenge_id": str(uuid4()), "credential": "x"},
    ],
)
async def test_malformed_answers(api: Api, person: Person, body: dict[str, Any]) -> None:
    token = (await person())["access_token"]
    for path in ("/passkeys/authentication/verify", "/passkeys/registration/verify"):
        answer = await api.post(path, body, token)
        assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_each_step_is_in_the_audit_log(api: Api, person: Person, resources: Resources) -> None:
    token, key = (await person())["access_token"], SecurityKey()
    made = (await register(api, token, key)).json()
    await sign_in(api, key)
    await api.call("PATCH", f"/passkeys/{made['id']}", {"friendly_name": "x"}, token)
    await api.call("DELETE", f"/passkeys/{made['id']}", None, token)
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from auth.audit_log_entries where payload::text ~ 'passkey_id'")
    assert sorted(row["payload"]["action"] for row in rows) == [
        *("login", "passkey_created", "passkey_deleted", "passkey_updated")
    ]
    assert {row["payload"]["traits"]["passkey_id"] for row in rows} == {made["id"]}


async def test_the_settings_say_so(api: Api) -> None:
    assert (await api.get("/settings")).json()["passkeys_enabled"] is True


class TestSwitchedOff:
    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, auth=replace(settings.auth, passkey=Passkey()))

    async def test_nothing_is_there(self, api: Api, person: Person) -> None:
        token = (await person())["access_token"]
        assert (await api.get("/settings")).json()["passkeys_enabled"] is False
        for method, path in (
            ("POST", "/passkeys/authentication/options"),
            ("POST", "/passkeys/authentication/verify"),
            ("POST", "/passkeys/registration/options"),
            ("POST", "/passkeys/registration/verify"),
            ("GET", "/passkeys"),
            ("PATCH", f"/passkeys/{uuid4()}"),
            ("DELETE", f"/passkeys/{uuid4()}"),
        ):
            answer = await api.call(method, path, {}, token)
            assert (answer.status_code, answer.json()["code"]) == (404, "passkey_disabled")
