"""TOTP as second factor: enrolment, challenge, verification, removal (AUTH-14, AUTH-15)."""

from __future__ import annotations

from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.authenticators import totp
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def enroll(api: Api, token: str, **more: Any) -> dict[str, Any]:
    answer = await api.post("/factors", {"factor_type": "totp", **more}, token)
    assert answer.status_code == 200, answer.text
    enrolled: dict[str, Any] = answer.json()
    return enrolled


async def prove(api: Api, now: Clock, token: str, factor: dict[str, Any], *, seconds_ago: int = 0) -> Any:
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()
    code = totp(factor["totp"]["secret"], now() - timedelta(seconds=seconds_ago))
    return await api.post(f"/factors/{factor['id']}/verify", {"challenge_id": challenge["id"], "code": code}, token)


async def protect(api: Api, now: Clock, session: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Enrols and verifies; answers the factor and the session at aal2."""
    factor = await enroll(api, session["access_token"])
    answer = await prove(api, now, session["access_token"], factor)
    assert answer.status_code == 200, answer.text
    now.advance(seconds=60)
    return factor, answer.json()


async def test_an_enrolment_shows_secret_uri_and_qr_code(api: Api, person: Person) -> None:
    session = await person()
    answer = await api.post(
        "/factors", {"factor_type": "totp", "friendly_name": "Telefono", "issuer": "Socio"}, session["access_token"]
    )
    factor = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert set(factor) == {"id", "type", "friendly_name", "totp"}
    assert (factor["type"], factor["friendly_name"]) == ("totp", "Telefono")
    uri = urlsplit(factor["totp"]["uri"])
    assert (uri.scheme, uri.netloc, uri.path) == ("otpauth", "totp", "/Socio:giulia@socio.example")
    assert parse_qs(uri.query) == {
        "algorithm": ["SHA1"],
        "digits": ["6"],
        "period": ["30"],
        "issuer": ["Socio"],
        "secret": [factor["totp"]["secret"]],
    }
    assert len(factor["totp"]["secret"]) == 32
    assert factor["totp"]["qr_code"].startswith("<svg xmlns=")
    assert "#" not in factor["totp"]["qr_code"], "it would end the data URI the clients make of it"
    user = (await api.get("/user", session["access_token"])).json()
    (shown,) = user["factors"]
    assert set(shown) == {
        *("id", "created_at", "updated_at", "status", "friendly_name", "factor_type", "phone", "last_challenged_at")
    }
    assert (shown["id"], shown["status"], shown["factor_type"]) == (factor["id"], "unverified", "totp")
    assert (shown["phone"], shown["last_challenged_at"]) == ("", None)


async def test_the_secret_rests_encrypted(api: Api, person: Person, resources: Resources) -> None:
    factor = await enroll(api, (await person())["access_token"])
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select secret from auth.mfa_factors")
    assert stored.startswith("aesgcm:")
    assert factor["totp"]["secret"] not in stored


async def test_a_secret_imported_in_the_clear_works(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_factors set secret = $1", factor["totp"]["secret"])
    assert (await prove(api, now, token, factor)).status_code == 200


async def test_a_verification_answers_a_session_at_aal2(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person()
    token = session["access_token"]
    factor = await enroll(api, token)
    challenged = await api.post(f"/factors/{factor['id']}/challenge", token=token)
    challenge = challenged.json()
    assert challenge == {
        "id": challenge["id"],
        "type": "totp",
        "expires_at": int(now().timestamp()) + 300,
    }
    now.advance(seconds=5)
    code = totp(factor["totp"]["secret"], now())
    answer = await api.post(f"/factors/{factor['id']}/verify", {"challenge_id": challenge["id"], "code": code}, token)
    risen = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert set(risen) == {"access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user"}
    assert risen["refresh_token"] != session["refresh_token"]
    assert risen["user"]["factors"][0]["status"] == "verified"
    before, claims = resources.keys.verify(token), resources.keys.verify(risen["access_token"])
    assert claims["aal"] == "aal2"
    assert claims["session_id"] == before["session_id"]
    assert [each["method"] for each in claims["amr"]] == ["totp", "otp"]
    refreshed = (await api.refresh(risen["refresh_token"])).json()
    assert resources.keys.verify(refreshed["access_token"])["aal"] == "aal2"


async def test_a_refresh_token_of_before_leads_nowhere(api: Api, person: Person, now: Clock) -> None:
    session = await person()
    _, risen = await protect(api, now, session)
    assert (await api.refresh(session["refresh_token"])).json()["code"] == "refresh_token_not_found"
    assert (await api.refresh(risen["refresh_token"])).status_code == 200


async def test_the_other_sessions_below_aal2_end_and_those_at_aal2_stay(api: Api, person: Person, now: Clock) -> None:
    first = await person()
    factor, risen = await protect(api, now, first)
    low = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    high = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    assert (await prove(api, now, high, factor)).status_code == 200
    assert (await api.get("/user", low)).json()["code"] == "session_not_found"
    assert (await api.get("/user", risen["access_token"])).status_code == 200


async def test_spaces_in_a_code_and_a_step_of_difference_are_forgiven(api: Api, person: Person, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    code = totp(factor["totp"]["secret"], now())
    now.advance(seconds=30)
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()
    answer = await api.post(
        f"/factors/{factor['id']}/verify", {"challenge_id": challenge["id"], "code": f"{code[:3]} {code[3:]} "}, token
    )
    assert answer.status_code == 200


@pytest.mark.parametrize("seconds", [60, -60])
async def test_a_code_two_steps_away_is_refused(api: Api, person: Person, now: Clock, seconds: int) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    code = totp(factor["totp"]["secret"], now() + timedelta(seconds=seconds))
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()
    answer = await api.post(f"/factors/{factor['id']}/verify", {"challenge_id": challenge["id"], "code": code}, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed")
    assert answer.json()["message"] == "Invalid TOTP code entered"


async def test_a_code_counts_once_and_none_before_it_afterwards(api: Api, person: Person, now: Clock) -> None:
    session = await person()
    factor = await enroll(api, session["access_token"])
    assert (await prove(api, now, session["access_token"], factor)).status_code == 200
    again = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    assert (await prove(api, now, again, factor)).json()["code"] == "mfa_verification_failed"
    earlier = await prove(api, now, again, factor, seconds_ago=30)
    assert earlier.json()["code"] == "mfa_verification_failed"
    now.advance(seconds=30)
    assert (await prove(api, now, again, factor)).status_code == 200


async def test_a_used_code_stays_used_after_its_challenge_is_over(api: Api, person: Person, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    path = f"/factors/{factor['id']}"
    challenge = (await api.post(f"{path}/challenge", token=token)).json()
    now.advance(seconds=290)
    code = totp(factor["totp"]["secret"], now())
    used = await api.post(f"{path}/verify", {"challenge_id": challenge["id"], "code": code}, token)
    assert used.status_code == 200
    thief = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    now.advance(seconds=11)
    challenge = (await api.post(f"{path}/challenge", token=thief)).json()
    again = await api.post(f"{path}/verify", {"challenge_id": challenge["id"], "code": code}, thief)
    assert (again.status_code, again.json()["code"]) == (422, "mfa_verification_failed")


async def test_whoever_guesses_has_to_wait_until_the_right_code_comes(api: Api, person: Person, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    path = f"/factors/{factor['id']}/verify"
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()["id"]
    wrong = {"challenge_id": challenge, "code": "wrong"}
    codes = [(await api.post(path, wrong, token)).json()["code"] for _ in range(11)]
    assert codes == ["mfa_verification_failed"] * 10 + ["over_request_rate_limit"]
    now.advance(seconds=30)
    right = {"challenge_id": challenge, "code": totp(factor["totp"]["secret"], now())}
    token = (await api.post(path, right, token)).json()["access_token"]
    assert (await api.post(path, wrong, token)).json()["code"] == "mfa_challenge_expired"


async def test_a_challenge_is_answered_once_in_time_from_the_same_address(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    path, secret = f"/factors/{factor['id']}/verify", factor["totp"]["secret"]
    first = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()["id"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_challenges set ip_address = '192.0.2.1'")
    elsewhere = await api.post(path, {"challenge_id": first, "code": totp(secret, now())}, token)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (422, "mfa_ip_address_mismatch")
    late = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()["id"]
    now.advance(seconds=300)
    expired = await api.post(path, {"challenge_id": late, "code": totp(secret, now())}, token)
    assert (expired.status_code, expired.json()["code"]) == (422, "mfa_challenge_expired")
    used = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()["id"]
    token = (await api.post(path, {"challenge_id": used, "code": totp(secret, now())}, token)).json()["access_token"]
    now.advance(seconds=60)
    replayed = await api.post(path, {"challenge_id": used, "code": totp(secret, now())}, token)
    assert (replayed.status_code, replayed.json()["code"]) == (422, "mfa_challenge_expired")


async def test_a_factor_of_somebody_else_does_not_exist(api: Api, person: Person, now: Clock) -> None:
    mine, theirs = await person(), await person("luca@socio.example")
    factor = await enroll(api, theirs["access_token"])
    own = await enroll(api, mine["access_token"])
    foreign = (await api.post(f"/factors/{factor['id']}/challenge", token=theirs["access_token"])).json()["id"]
    token, path = mine["access_token"], f"/factors/{factor['id']}"
    body = {"challenge_id": foreign, "code": totp(factor["totp"]["secret"], now())}
    for answer in (
        await api.post(f"{path}/challenge", token=token),
        await api.post(f"{path}/verify", body, token),
        await api.call("DELETE", path, None, token),
        await api.post(f"/factors/{uuid4()}/challenge", token=token),
    ):
        assert (answer.status_code, answer.json()["code"]) == (404, "mfa_factor_not_found")
    mixed = await api.post(f"/factors/{own['id']}/verify", body, token)
    assert (mixed.status_code, mixed.json()["code"]) == (422, "mfa_factor_not_found")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"factor_type": "fingerprint"}, 400, "validation_failed"),
        ({"factor_type": 3}, 400, "validation_failed"),
        ({"factor_type": "totp", "friendly_name": "x" * 121}, 400, "validation_failed"),
        ({"factor_type": "totp", "issuer": "è" * 2000}, 400, "validation_failed"),
        ({"factor_type": "totp", "friendly_name": "\x00"}, 400, "validation_failed"),
        ({"factor_type": "phone", "phone": "+393331234567"}, 422, "mfa_phone_enroll_not_enabled"),
    ],
)
async def test_refused_enrolments(api: Api, person: Person, body: dict[str, Any], status: int, code: str) -> None:
    answer = await api.post("/factors", body, (await person())["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (status, code)


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"code": "123456"},
        {"challenge_id": "x", "code": "123456"},
        {"challenge_id": str(uuid4())},
        {"challenge_id": 3, "code": "123456"},
    ],
)
async def test_malformed_answers(api: Api, person: Person, body: dict[str, Any]) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    answer = await api.post(f"/factors/{factor['id']}/verify", body, token)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
    for odd in ("nonsense", "00000000"):
        answer = await api.post(f"/factors/{odd}/verify", {"challenge_id": str(uuid4()), "code": "1"}, token)
        assert (answer.status_code, answer.json()["code"]) == (404, "validation_failed")


async def test_names_collide_until_an_unfinished_enrolment_is_old(api: Api, person: Person, now: Clock) -> None:
    token = (await person())["access_token"]
    await enroll(api, token, friendly_name="Telefono")
    again = await api.post("/factors", {"factor_type": "totp", "friendly_name": "Telefono"}, token)
    assert (again.status_code, again.json()["code"]) == (422, "mfa_factor_name_conflict")
    await enroll(api, token)
    await enroll(api, token)
    now.advance(seconds=301)
    await enroll(api, token, friendly_name="Telefono")
    assert len((await api.get("/user", token)).json()["factors"]) == 1


async def test_ten_factors_are_enough(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    for _ in range(10):
        await enroll(api, token)
    answer = await api.post("/factors", {"factor_type": "totp"}, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "too_many_enrolled_mfa_factors")


async def test_a_verification_removes_the_unfinished_enrolments_of_its_kind(
    api: Api, person: Person, now: Clock
) -> None:
    token = (await person())["access_token"]
    await enroll(api, token, friendly_name="abbandonato")
    assert (await api.post("/factors", {"factor_type": "webauthn"}, token)).status_code == 200
    factor = await enroll(api, token)
    risen = (await prove(api, now, token, factor)).json()
    assert sorted(each["factor_type"] for each in risen["user"]["factors"]) == ["totp", "webauthn"]


async def test_a_further_factor_needs_aal2(api: Api, person: Person, now: Clock) -> None:
    _, risen = await protect(api, now, await person())
    low = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    answer = await api.post("/factors", {"factor_type": "totp"}, low)
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_aal")
    assert (await api.post("/factors", {"factor_type": "totp"}, risen["access_token"])).status_code == 200


async def test_an_enrolment_begun_before_cannot_be_finished_below_aal2(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    """A thief with the password enrols while the owner does the same."""
    token = (await person())["access_token"]
    webauthn = await api.post("/factors", {"factor_type": "webauthn"}, token)
    assert webauthn.status_code == 200
    theirs = await enroll(api, token, friendly_name="ladro")
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_factors set status = 'verified' where factor_type = 'webauthn'")
    answer = await prove(api, now, token, theirs)
    assert (answer.status_code, answer.json()["code"]) == (403, "insufficient_aal")


async def test_removing_a_factor_needs_aal2_and_lowers_the_sessions_it_raised(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    factor, risen = await protect(api, now, await person())
    low = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    refused = await api.call("DELETE", f"/factors/{factor['id']}", None, low)
    assert (refused.status_code, refused.json()["code"]) == (422, "insufficient_aal")
    removed = await api.call("DELETE", f"/factors/{factor['id']}", None, risen["access_token"])
    assert (removed.status_code, removed.json()) == (200, {"id": factor["id"]})
    refreshed = (await api.refresh(risen["refresh_token"])).json()
    claims = resources.keys.verify(refreshed["access_token"], now=now())
    assert claims["aal"] == "aal1"
    assert [each["method"] for each in claims["amr"]] == ["otp"]
    assert "factors" not in refreshed["user"]


async def test_an_unverified_factor_goes_without_aal2(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    assert (await api.call("DELETE", f"/factors/{factor['id']}", None, token)).json() == {"id": factor["id"]}


async def test_with_a_factor_the_ways_in_change_only_at_aal2(api: Api, person: Person, now: Clock) -> None:
    _, risen = await protect(api, now, await person())
    low = (await api.sign_in("giulia@socio.example")).json()["access_token"]
    refused = await api.put("/user", {"password": "Altro-Segreto-1"}, low)
    assert (refused.status_code, refused.json()["code"]) == (401, "insufficient_aal")
    assert (await api.put("/user", {"password": "Altro-Segreto-1"}, risen["access_token"])).status_code == 200


async def test_guests_have_no_factors(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set is_anonymous = true")
    for path in ("/factors", f"/factors/{uuid4()}/challenge", f"/factors/{uuid4()}/verify"):
        answer = await api.post(path, {"factor_type": "totp"}, token)
        assert (answer.status_code, answer.json()["code"]) == (403, "no_authorization")
    assert (await api.post("/factors", {"factor_type": "totp"})).status_code == 401


async def test_each_step_is_in_the_audit_log_and_no_code_or_secret_is(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    session = await person()
    factor = await enroll(api, session["access_token"])
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=session["access_token"])).json()["id"]
    wrong = {"challenge_id": challenge, "code": "000000"}
    assert (await api.post(f"/factors/{factor['id']}/verify", wrong, session["access_token"])).status_code == 422
    now.advance(seconds=60)
    risen = (await prove(api, now, session["access_token"], factor)).json()
    await api.call("DELETE", f"/factors/{factor['id']}", None, risen["access_token"])
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch(
            "select payload from auth.audit_log_entries where payload ->> 'log_type' = 'factor' order by created_at"
        )
    entries = [row["payload"] for row in rows]
    assert sorted(entry["action"] for entry in entries) == [
        *("challenge_created", "challenge_created", "factor_in_progress", "factor_unenrolled"),
        *("verification_attempted", "verification_attempted"),
    ]
    attempts = [entry["traits"] for entry in entries if entry["action"] == "verification_attempted"]
    assert [attempt["verified"] for attempt in attempts] == [False, True]
    assert factor["totp"]["secret"] not in str(entries)
