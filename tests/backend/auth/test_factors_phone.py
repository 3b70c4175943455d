"""A phone as second factor: the code travels by SMS."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from backend.auth import sms
from backend.core import db
from backend.core.config import Settings
from backend.core.config_mfa import PhoneFactor
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

PHONE = "+39 333 1234567"


@pytest.fixture
def settings(settings: Settings) -> Settings:
    phone = PhoneFactor(enroll_enabled=True, verify_enabled=True, template="Codice {{ .Code }}")
    return replace(settings, auth=replace(settings.auth, mfa=replace(settings.auth.mfa, phone=phone)))


async def last_sms(resources: Resources) -> sms.Sms:
    async with db.connection(resources.pool) as connection:
        return (await sms.queued(connection))[-1]


async def enroll(api: Api, token: str, **more: Any) -> dict[str, Any]:
    answer = await api.post("/factors", {"factor_type": "phone", "phone": PHONE, **more}, token)
    assert answer.status_code == 200, answer.text
    enrolled: dict[str, Any] = answer.json()
    return enrolled


async def test_a_code_by_sms_raises_the_session(api: Api, person: Person, resources: Resources, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token, friendly_name="Cellulare")
    assert factor == {"id": factor["id"], "type": "phone", "friendly_name": "Cellulare", "phone": PHONE}
    challenge = (await api.post(f"/factors/{factor['id']}/challenge", {"channel": "sms"}, token)).json()
    assert challenge == {"id": challenge["id"], "type": "phone", "expires_at": int(now().timestamp()) + 300}
    sent = await last_sms(resources)
    assert (sent.to, sent.purpose, sent.channel) == ("393331234567", "mfa", "sms")
    found = re.fullmatch(r"Codice (\d{6})", sent.text)
    assert found is not None
    path = f"/factors/{factor['id']}/verify"
    wrong = await api.post(path, {"challenge_id": challenge["id"], "code": "x" + found[1]}, token)
    assert (wrong.status_code, wrong.json()["code"]) == (422, "mfa_verification_failed")
    right = await api.post(path, {"challenge_id": challenge["id"], "code": found[1]}, token)
    assert right.status_code == 200
    claims = resources.keys.verify(right.json()["access_token"])
    assert claims["aal"] == "aal2"
    assert "mfa/phone" in [each["method"] for each in claims["amr"]]
    assert right.json()["user"]["factors"][0]["phone"] == "393331234567"


async def test_the_code_is_nowhere_in_the_challenge(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    assert (await api.post(f"/factors/{factor['id']}/challenge", token=token)).status_code == 200
    code = (await last_sms(resources)).text.removeprefix("Codice ")
    async with db.connection(resources.pool) as connection:
        assert code not in str(await connection.fetchrow("select otp_code from auth.mfa_challenges"))


async def test_one_sms_a_minute(api: Api, person: Person, now: Clock) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    path = f"/factors/{factor['id']}/challenge"
    assert (await api.post(path, token=token)).status_code == 200
    now.advance(seconds=20)
    refused = await api.post(path, token=token)
    assert (refused.status_code, refused.json()["code"]) == (429, "over_sms_send_rate_limit")
    assert refused.headers["retry-after"] == "40"
    now.advance(seconds=40)
    assert (await api.post(path, token=token)).status_code == 200


async def test_a_number_is_a_factor_once(api: Api, person: Person, resources: Resources) -> None:
    token = (await person())["access_token"]
    abandoned = await enroll(api, token)
    factor = await enroll(api, token)
    assert factor["id"] != abandoned["id"]
    assert len((await api.get("/user", token)).json()["factors"]) == 1
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_factors set status = 'verified'")
        await connection.execute("update auth.sessions set aal = 'aal2'")
    answer = await api.post("/factors", {"factor_type": "phone", "phone": PHONE}, token)
    assert (answer.status_code, answer.json()["code"]) == (422, "mfa_verified_factor_exists")


@pytest.mark.parametrize("phone", ["", "+0391", "+39 333 abc", "+" + "1" * 16, "٣٣٣١٢٣"])
async def test_odd_numbers_are_refused(api: Api, person: Person, phone: str) -> None:
    answer = await api.post("/factors", {"factor_type": "phone", "phone": phone}, (await person())["access_token"])
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_an_unknown_channel_is_refused(api: Api, person: Person) -> None:
    token = (await person())["access_token"]
    factor = await enroll(api, token)
    answer = await api.post(f"/factors/{factor['id']}/challenge", {"channel": "piccione"}, token)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
