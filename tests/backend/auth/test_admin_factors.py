"""The admin's view of second factors and passkeys."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.authenticators import SecurityKey
from tests.backend.auth.conftest import Api, Person
from tests.backend.auth.test_factors_totp import enroll, protect
from tests.backend.auth.test_passkeys import register
from tests.conftest import Clock

pytestmark = pytest.mark.anyio


async def test_the_factors_of_a_user_are_listed_renamed_and_removed(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person()
    key, path = resources.keys.service_role_key, f"/admin/users/{session['user']['id']}/factors"
    assert (await api.get(path, key)).json() == []
    factor, risen = await protect(api, now, session)
    (listed,) = (await api.get(path, key)).json()
    assert (listed["id"], listed["status"]) == (factor["id"], "verified")
    assert "secret" not in listed
    changed = await api.put(f"{path}/{factor['id']}", {"friendly_name": "Vecchio telefono"}, key)
    assert (changed.status_code, changed.json()["friendly_name"]) == (200, "Vecchio telefono")
    removed = await api.call("DELETE", f"{path}/{factor['id']}", None, key)
    assert (removed.status_code, removed.json()["id"]) == (200, factor["id"])
    assert (await api.get(path, key)).json() == []
    refreshed = (await api.refresh(risen["refresh_token"])).json()
    assert resources.keys.verify(refreshed["access_token"], now=now())["aal"] == "aal1"
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from auth.audit_log_entries")
    traits = {row["payload"]["action"]: row["payload"] for row in rows}
    assert traits["factor_updated"]["traits"]["factor_id"] == factor["id"]
    assert traits["factor_deleted"]["actor_username"] == "service_role"


async def test_recovery_codes_go_with_the_last_other_factor(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    session = await person()
    factor, risen = await protect(api, now, session)
    assert (await api.post("/factors/recovery-codes", token=risen["access_token"])).status_code == 200
    path = f"/admin/users/{session['user']['id']}/factors"
    await api.call("DELETE", f"{path}/{factor['id']}", None, resources.keys.secret_key)
    assert (await api.get(path, resources.keys.secret_key)).json() == []


async def test_names_and_numbers_stay_apart(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    key, path = resources.keys.service_role_key, f"/admin/users/{session['user']['id']}/factors"
    await enroll(api, session["access_token"], friendly_name="uno")
    factor = await enroll(api, session["access_token"], friendly_name="due")
    taken = await api.put(f"{path}/{factor['id']}", {"friendly_name": "uno"}, key)
    assert (taken.status_code, taken.json()["code"]) == (422, "mfa_factor_name_conflict")
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.mfa_factors set factor_type = 'phone', secret = null")
    changed = await api.put(f"{path}/{factor['id']}", {"phone": "+39 333 1"}, key)
    assert changed.json()["phone"] == "393331"
    odd = await api.put(f"{path}/{factor['id']}", {"phone": "cellulare"}, key)
    assert (odd.status_code, odd.json()["code"]) == (400, "validation_failed")
    other = next(each for each in (await api.get(path, key)).json() if each["id"] != factor["id"])
    double = await api.put(f"{path}/{other['id']}", {"phone": "+393331"}, key)
    assert (double.status_code, double.json()["code"]) == (422, "mfa_verified_factor_exists")


async def test_the_passkeys_of_a_user_are_listed_and_removed(api: Api, person: Person, resources: Resources) -> None:
    session, key = await person(), resources.keys.service_role_key
    made = (await register(api, session["access_token"], SecurityKey())).json()
    path = f"/admin/users/{session['user']['id']}/passkeys"
    assert [each["id"] for each in (await api.get(path, key)).json()] == [made["id"]]
    removed = await api.call("DELETE", f"{path}/{made['id']}", None, key)
    assert (removed.status_code, removed.content) == (204, b"")
    gone = await api.call("DELETE", f"{path}/{made['id']}", None, key)
    assert (gone.status_code, gone.json()["code"]) == (404, "webauthn_credential_not_found")


async def _all(api: Api, user_id: Any, token: str) -> list[Any]:
    base = f"/admin/users/{user_id}"
    return [
        await api.get(f"{base}/factors", token),
        await api.put(f"{base}/factors/{uuid4()}", {}, token),
        await api.call("DELETE", f"{base}/factors/{uuid4()}", None, token),
        await api.get(f"{base}/passkeys", token),
        await api.call("DELETE", f"{base}/passkeys/{uuid4()}", None, token),
    ]


async def test_only_admins_get_in(api: Api, person: Person, resources: Resources) -> None:
    session = await person()
    for token in (session["access_token"], resources.keys.anon_key):
        for answer in await _all(api, session["user"]["id"], token):
            assert (answer.status_code, answer.json()["code"]) == (403, "not_admin")
    for answer in await _all(api, session["user"]["id"], ""):
        assert (answer.status_code, answer.json()["code"]) == (401, "no_authorization")


async def test_unknown_users_and_factors(api: Api, person: Person, resources: Resources) -> None:
    key = resources.keys.service_role_key
    for answer in await _all(api, uuid4(), key):
        assert (answer.status_code, answer.json()["code"]) == (404, "user_not_found")
    for answer in await _all(api, "x", key):
        assert (answer.status_code, answer.json()["code"]) == (404, "validation_failed")
    codes = [answer.json() for answer in await _all(api, (await person())["user"]["id"], key)]
    assert [each["code"] if isinstance(each, dict) else each for each in codes] == [
        *([], "mfa_factor_not_found", "mfa_factor_not_found", [], "webauthn_credential_not_found")
    ]
