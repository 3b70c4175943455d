"""The audit log (AUTH-29)."""

from __future__ import annotations

from typing import Any

import pytest

from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio


async def _entries(resources: Resources) -> list[dict[str, Any]]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload, ip_address from auth.audit_log_entries order by created_at")
    return [{**row["payload"], "ip": row["ip_address"]} for row in rows]


async def test_each_action_leaves_one_entry(api: Api, person: Person, resources: Resources, now: Any) -> None:
    session = await person(data={"full_name": "Giulia Ferri"})
    steps = [
        api.sign_in("giulia@socio.example"),
        api.refresh(session["refresh_token"]),
        api.sign_up("giulia@socio.example"),
        api.post("/recover", {"email": "giulia@socio.example"}),
        api.put("/user", {"data": {"x": 1}}, session["access_token"]),
        api.post("/logout", token=session["access_token"]),
    ]
    for step in steps:
        now.advance(minutes=1)
        assert (await step).status_code < 300
    entries = await _entries(resources)
    assert sorted(entry["action"] for entry in entries[:2]) == ["user_confirmation_requested", "user_signedup"]
    assert [entry["action"] for entry in entries[2:]] == [
        "login",
        "token_refreshed",
        "user_repeated_signup",
        "user_recovery_requested",
        "user_modified",
        "logout",
    ]
    assert entries[2] == {
        "action": "login",
        "actor_id": session["user"]["id"],
        "actor_username": "giulia@socio.example",
        "actor_name": "Giulia Ferri",
        "actor_via_sso": False,
        "log_type": "account",
        "traits": {"provider": "email"},
        "ip": "127.0.0.1",
    }


async def test_each_step_of_a_change_of_address_leaves_one_entry(
    api: Api, person: Person, resources: Resources, now: Any
) -> None:
    old, new = "giulia@socio.example", "giulia.ferri@socio.example"
    session = await person()
    begun = len(await _entries(resources))
    now.advance(minutes=1)
    assert (await api.put("/user", {"email": new}, session["access_token"])).status_code == 200
    now.advance(minutes=1)
    assert (await api.post("/resend", {"type": "email_change", "email": old})).status_code == 200
    for address in (new, old):
        now.advance(minutes=1)
        link = await api.last_link(address)
        proof = {"type": "email_change", "token_hash": link.token_hash}
        assert (await api.post("/verify", proof)).status_code == 200
    assert [(entry["action"], entry.get("traits")) for entry in (await _entries(resources))[begun:]] == [
        ("user_modified", None),
        ("user_confirmation_requested", {"type": "email_change"}),
        ("user_modified", {"agreed": "email_change_token_new"}),
        ("user_modified", None),
    ]
