"""Recovery codes (AUTH-17)."""

from __future__ import annotations

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.config_mfa import Mfa
from backend.core.resources import Resources
from tests.backend.auth.authenticators import totp
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock, Mails

pytestmark = pytest.mark.anyio

PATH = "/factors/recovery-codes"
EMAIL = "giulia@socio.example"


async def at_aal2(api: Api, now: Clock, session: dict[str, Any]) -> str:
    """Enrols an authenticator app; the token at aal2."""
    token = session["access_token"]
    factor = (await api.post("/factors", {"factor_type": "totp"}, token)).json()
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", token=token)).json()
    body = {"challenge_id": challenge["id"], "code": totp(factor["totp"]["secret"], now())}
    answer = await api.post(f"/factors/{factor['id']}/verify", body, token)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["access_token"])


async def generate(api: Api, token: str) -> list[str]:
    answer = await api.post(PATH, token=token)
    assert answer.status_code == 200, answer.text
    codes: list[str] = answer.json()["codes"]
    return codes


async def low(api: Api) -> str:
    return str((await api.sign_in(EMAIL)).json()["access_token"])


async def test_ten_codes_are_shown_once_and_rest_hashed(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    token = await at_aal2(api, now, await person())
    assert (await api.get(PATH, token)).json()["code"] == "mfa_factor_not_found"
    answer = await api.post(PATH, {"friendly_name": "Codici"}, token)
    made = answer.json()
    assert answer.headers["cache-control"] == "no-store"
    assert set(made) == {"id", "type", "friendly_name", "total", "codes"}
    assert (made["type"], made["friendly_name"], made["total"]) == ("recovery_code", "Codici", 10)
    assert len(set(made["codes"])) == 10
    assert all(re.fullmatch(r"[a-z2-7]{16}", code) for code in made["codes"])
    status = await api.get(PATH, await low(api))
    assert status.json() == {"id": made["id"], "type": "recovery_code", "total": 10, "remaining": 10}
    shown = {each["factor_type"]: each for each in (await api.get("/user", token)).json()["factors"]}
    assert (shown["recovery_code"]["id"], shown["recovery_code"]["status"]) == (made["id"], "verified")
    async with db.connection(resources.pool) as connection:
        stored = [row[0] for row in await connection.fetch("select code_hash from auth.mfa_recovery_codes")]
        log = str(await connection.fetch("select payload from auth.audit_log_entries"))
    assert len(set(stored)) == 10
    assert not set(stored) & set(made["codes"])
    assert not any(code in log for code in made["codes"])


async def test_codes_that_come_with_a_factor_are_in_its_mail(
    api: Api, person: Person, now: Clock, mails: Mails
) -> None:
    token = await at_aal2(api, now, await person())
    before = len(await mails.to(EMAIL))
    await generate(api, token)
    assert len(await mails.to(EMAIL)) == before
    assert (await api.call("DELETE", PATH, None, token)).status_code == 200
    now.advance(minutes=11)
    before = len(await mails.to(EMAIL))
    await generate(api, token)
    assert len(await mails.to(EMAIL)) == before + 1


async def test_a_code_raises_a_session_once_and_ends_the_others_below(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    other, token = await low(api), await low(api)
    typed = f" {codes[3][:4].upper()}-{codes[3][4:8]} {codes[3][8:]}\t"
    answer = await api.post(f"{PATH}/verify", {"code": typed}, token)
    assert answer.status_code == 200, answer.text
    claims = resources.keys.verify(answer.json()["access_token"])
    assert claims["aal"] == "aal2"
    assert {each["method"] for each in claims["amr"]} == {"password", "mfa/recovery_code"}
    assert (await api.get("/user", other)).json()["code"] == "session_not_found"
    risen = answer.json()["access_token"]
    assert (await api.get(PATH, risen)).json()["remaining"] == 9
    again = await api.post(f"{PATH}/verify", {"code": codes[3]}, await low(api))
    assert (again.status_code, again.json()["code"]) == (422, "mfa_verification_failed")


async def test_of_two_uses_of_a_code_at_once_one_counts(api: Api, person: Person, now: Clock) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    token = await low(api)
    answers = await asyncio.gather(*(api.post(f"{PATH}/verify", {"code": codes[0]}, token) for _ in range(4)))
    assert sorted(answer.status_code for answer in answers) == [200, 422, 422, 422]


async def test_five_wrong_tries_lock_the_codes_for_a_quarter_of_an_hour(api: Api, person: Person, now: Clock) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    token = await low(api)
    for _ in range(5):
        wrong = await api.post(f"{PATH}/verify", {"code": "a" * 16}, token)
        assert (wrong.status_code, wrong.json()["code"]) == (422, "mfa_verification_failed")
    locked = await api.post(f"{PATH}/verify", {"code": codes[0]}, token)
    assert (locked.status_code, locked.json()["code"]) == (429, "mfa_recovery_codes_locked")
    assert locked.headers["retry-after"] == "900"
    now.advance(minutes=15)
    assert (await api.post(f"{PATH}/verify", {"code": "a" * 16}, token)).status_code == 422
    assert (await api.post(f"{PATH}/verify", {"code": codes[0]}, token)).status_code == 200


async def test_a_right_code_forgives_the_wrong_ones_before(api: Api, person: Person, now: Clock) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    for code in codes[:2]:
        token = await low(api)
        for _ in range(4):
            assert (await api.post(f"{PATH}/verify", {"code": "wrong"}, token)).status_code == 422
        assert (await api.post(f"{PATH}/verify", {"code": code}, token)).status_code == 200


async def test_regenerating_replaces_the_codes_and_lifts_the_lock(api: Api, person: Person, now: Clock) -> None:
    high = await at_aal2(api, now, await person())
    assert (await api.post(f"{PATH}/regenerate", token=high)).json()["code"] == "mfa_factor_not_found"
    first = (await api.post(PATH, token=high)).json()
    token = await low(api)
    for _ in range(5):
        await api.post(f"{PATH}/verify", {"code": "wrong"}, token)
    second = (await api.post(f"{PATH}/regenerate", token=high)).json()
    assert (second["id"], second["friendly_name"], second["total"]) == (first["id"], "Recovery codes", 10)
    assert not set(first["codes"]) & set(second["codes"])
    assert (await api.post(f"{PATH}/verify", {"code": first["codes"][0]}, token)).status_code == 422
    assert (await api.post(f"{PATH}/verify", {"code": second["codes"][0]}, token)).status_code == 200


async def test_they_need_aal2_and_another_factor_and_exist_once(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    session = await person()
    early = await api.post(PATH, token=session["access_token"])
    assert (early.status_code, early.json()["code"]) == (403, "insufficient_aal")
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.sessions set aal = 'aal2'")
    alone = await api.post(PATH, token=session["access_token"])
    assert (alone.status_code, alone.json()["code"]) == (422, "mfa_recovery_codes_sole_factor")
    high = await at_aal2(api, now, session)
    await generate(api, high)
    twice = await api.post(PATH, token=high)
    assert (twice.status_code, twice.json()["code"]) == (422, "mfa_verified_factor_exists")
    token = await low(api)
    for method, path in (("POST", f"{PATH}/regenerate"), ("DELETE", PATH)):
        refused = await api.call(method, path, None, token)
        assert (refused.status_code, refused.json()["code"]) == (403, "insufficient_aal")


async def test_they_never_stay_behind_alone(api: Api, person: Person, now: Clock) -> None:
    high = await at_aal2(api, now, await person())
    made = (await api.post(PATH, token=high)).json()
    factors = (await api.get("/user", high)).json()["factors"]
    app = next(each for each in factors if each["factor_type"] == "totp")
    refused = await api.call("DELETE", f"/factors/{app['id']}", None, high)
    assert (refused.status_code, refused.json()["code"]) == (422, "mfa_recovery_codes_sole_factor")
    wrong_door = await api.call("DELETE", f"/factors/{made['id']}", None, high)
    assert (wrong_door.status_code, wrong_door.json()["code"]) == (422, "validation_failed")
    for path in ("challenge", "verify"):
        answer = await api.post(f"/factors/{made['id']}/{path}", {"code": made["codes"][0]}, high)
        assert (answer.status_code, answer.json()["code"]) == (422, "validation_failed")
    assert (await api.call("DELETE", PATH, None, high)).json() == {"id": made["id"]}
    assert (await api.call("DELETE", PATH, None, high)).json()["code"] == "mfa_factor_not_found"
    assert (await api.call("DELETE", f"/factors/{app['id']}", None, high)).status_code == 200


async def test_whoever_lost_the_phone_enrols_a_new_one_and_removes_the_old(
    api: Api, person: Person, now: Clock
) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    session = (await api.post(f"{PATH}/verify", {"code": codes[0]}, await low(api))).json()
    lost = next(each for each in session["user"]["factors"] if each["factor_type"] == "totp")
    first = await api.call("DELETE", f"/factors/{lost['id']}", None, session["access_token"])
    assert first.json()["code"] == "mfa_recovery_codes_sole_factor"
    renewed = await at_aal2(api, now, session)
    removed = await api.call("DELETE", f"/factors/{lost['id']}", None, renewed)
    assert (removed.status_code, removed.json()) == (200, {"id": lost["id"]})
    # The codes stay good beside the new factor.
    assert (await api.get(PATH, renewed)).json()["remaining"] == 9


async def test_deleting_them_lowers_the_sessions_they_raised(
    api: Api, person: Person, now: Clock, resources: Resources
) -> None:
    codes = await generate(api, await at_aal2(api, now, await person()))
    risen = (await api.post(f"{PATH}/verify", {"code": codes[0]}, await low(api))).json()
    assert (await api.call("DELETE", PATH, None, risen["access_token"])).status_code == 200
    refreshed = (await api.refresh(risen["refresh_token"])).json()
    claims = resources.keys.verify(refreshed["access_token"])
    assert (claims["aal"], [each["method"] for each in claims["amr"]]) == ("aal1", ["password"])


@pytest.mark.parametrize("body", [{}, {"code": ""}, {"code": " - "}, {"code": 7}, {"code": "\x00"}])
async def test_malformed_codes(api: Api, person: Person, body: dict[str, Any]) -> None:
    answer = await api.post(f"{PATH}/verify", body, (await person())["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_without_codes_every_code_is_wrong(api: Api, person: Person) -> None:
    answer = await api.post(f"{PATH}/verify", {"code": "a" * 16}, (await person())["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verification_failed")


async def test_each_step_is_in_the_audit_log(api: Api, person: Person, now: Clock, resources: Resources) -> None:
    high = await at_aal2(api, now, await person())
    codes = await generate(api, high)
    token = await low(api)
    await api.post(f"{PATH}/verify", {"code": "wrong"}, token)
    await api.post(f"{PATH}/verify", {"code": codes[0]}, token)
    await api.post(f"{PATH}/regenerate", token=high)
    await api.call("DELETE", PATH, None, high)
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from auth.audit_log_entries")
    traits = {row["payload"]["action"]: row["payload"].get("traits") for row in rows}
    assert traits["recovery_codes_generated"]["count"] == 10
    assert traits["recovery_codes_verified"]["remaining"] == 9
    assert {"recovery_codes_regenerated", "recovery_codes_deleted"} <= set(traits)


class TestWhereNoFactorIsOffered:
    """The switches of the other kinds hold for recovery codes too."""

    @pytest.fixture
    def settings(self, settings: Settings) -> Settings:
        return replace(settings, auth=replace(settings.auth, mfa=Mfa()))

    async def test_they_are_not_offered_either(self, api: Api, person: Person) -> None:
        token = (await person())["access_token"]
        for path, body, code in (
            (PATH, None, "mfa_recovery_codes_enroll_not_enabled"),
            (f"{PATH}/regenerate", None, "mfa_recovery_codes_enroll_not_enabled"),
            (f"{PATH}/verify", {"code": "x"}, "mfa_recovery_codes_verify_not_enabled"),
            ("/factors", {"factor_type": "totp"}, "mfa_totp_enroll_not_enabled"),
            ("/factors", {"factor_type": "webauthn"}, "mfa_webauthn_enroll_not_enabled"),
        ):
            answer = await api.post(path, body, token)
            assert (answer.status_code, answer.json()["code"]) == (422, code)
