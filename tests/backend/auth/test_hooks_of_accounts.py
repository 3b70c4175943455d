"""Hooks around new accounts, and those that send mails and SMS in the product's own way (AUTH-24)."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID

import pytest

from backend.auth import hooks, mail_hook, queries, sms
from backend.auth.models import User
from backend.core import db, mail
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person
from tests.backend.auth.hook_server import Server, answer_json, make_function, running, use
from tests.conftest import Clock, Mails

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    async with running() as served:
        yield served


# Sign-ups.


async def _jobs(resources: Resources, name: str) -> list[dict[str, Any]]:
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from jobs.pgqueuer where entrypoint = $1 order by id", name)
    return [json.loads(row["payload"]) for row in rows]


async def test_a_hook_decides_who_may_sign_up(api: Api, resources: Resources, server: Server, now: Clock) -> None:
    use(resources, "before_user_created", server.url)
    refusal = {"error": {"http_code": 403, "message": "Solo su invito"}}
    server.answer = answer_json(refusal)
    answer = await api.sign_up(EMAIL, data={"full_name": "Giulia"})
    assert (answer.status_code, answer.json()) == (403, {"code": "unknown", "message": "Solo su invito"})
    (payload,) = server.payloads()
    assert payload["metadata"]["name"] == "before-user-created"
    assert payload["metadata"]["ip_address"] == "127.0.0.1"
    user = payload["user"]
    assert (user["email"], user["user_metadata"]) == (EMAIL, {"full_name": "Giulia"})
    assert user["app_metadata"] == {"provider": "email", "providers": ["email"]}
    now.advance(minutes=2)
    server.answer = answer_json({})
    created = await api.sign_up(EMAIL)
    assert created.status_code == 200
    assert created.json()["id"] == server.payloads()[1]["user"]["id"]
    now.advance(minutes=2)
    await api.sign_up(EMAIL)
    assert len(server.seen) == 2, "the account is there already"


async def test_a_function_may_decide_who_signs_up_too(api: Api, resources: Resources) -> None:
    body = """
    begin
      if event #>> '{user,email}' like '%@socio.example' then return '{}'::jsonb; end if;
      return jsonb_build_object('error', jsonb_build_object('http_code', 400, 'message', 'Dominio non ammesso'));
    end
    """
    use(resources, "before_user_created", await make_function(resources, body))
    assert (await api.sign_up(EMAIL)).status_code == 200
    refused = await api.sign_up("a@altrove.example")
    assert (refused.status_code, refused.json()["message"]) == (400, "Dominio non ammesso")


async def test_an_admin_is_not_asked(api: Api, resources: Resources, server: Server) -> None:
    use(resources, "before_user_created", server.url)
    token = resources.keys.service_role_key
    made = await api.post("/admin/users", {"email": EMAIL, "password": PASSWORD}, token)
    assert made.status_code == 200
    assert not server.seen


async def test_a_hook_hears_of_new_users_once_they_are_there(
    api: Api, person: Person, resources: Resources, server: Server
) -> None:
    use(resources, "after_user_created", server.url)
    session = await person(EMAIL)
    assert not server.seen, "nobody waits for it"
    (job,) = await _jobs(resources, hooks.AFTER_USER_CREATED_JOB)
    await hooks.tell_of_new_user(resources, job)
    ((headers, _),), (payload,) = server.seen, server.payloads()
    assert payload["user"]["id"] == session["user"]["id"]
    assert headers["webhook-id"] == payload["metadata"]["uuid"]


# Mails and SMS.


async def test_a_hook_sends_the_mails_instead_of_the_mail_server(
    api: Api, resources: Resources, server: Server, mails: Mails, now: Clock
) -> None:
    use(resources, "send_email", server.url)
    assert (await api.sign_up(EMAIL)).status_code == 200
    assert not server.seen, "nobody waits for it"
    (job,) = await _jobs(resources, mail_hook.SEND_JOB)
    await mail_hook.send(resources, job)
    ((headers, _),), (payload,) = server.seen, server.payloads()
    assert headers["webhook-id"] == job["mail_id"]
    data = payload["email_data"]
    assert (data["email_action_type"], data["site_url"]) == ("signup", resources.settings.auth.site_url)
    assert payload["user"]["email"] == EMAIL
    assert set(data) == {
        *("token", "token_hash", "redirect_to", "email_action_type", "site_url", "token_new", "token_hash_new"),
        *("old_email", "old_phone", "provider", "factor_type"),
    }
    assert await mails.all() == []
    await mail_hook.send(resources, job)
    assert len(server.seen) == 1
    confirmed = await api.post("/verify", {"type": "signup", "email": EMAIL, "token": data["token"]})
    assert confirmed.status_code == 200
    session = confirmed.json()
    now.advance(minutes=5)
    changed = await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    assert changed.status_code == 200
    await mail_hook.send(resources, (await _jobs(resources, mail_hook.SEND_JOB))[-1])
    data = server.payloads()[-1]["email_data"]
    assert server.payloads()[-1]["user"]["new_email"] == "nuova@socio.example"
    # The names are crossed upstream: `token_hash_new` belongs to the address of today.
    half = await api.post("/verify", {"type": "email_change", "token_hash": data["token_hash_new"]})
    assert half.json()["code"] == "200"
    whole = await api.post(
        "/verify", {"type": "email_change", "email": "nuova@socio.example", "token": data["token_new"]}
    )
    assert whole.json()["user"]["email"] == "nuova@socio.example"


async def test_a_mail_that_the_hook_does_not_take_is_tried_again(
    api: Api, resources: Resources, server: Server, mails: Mails
) -> None:
    use(resources, "send_email", server.url)
    server.answer = answer_json({"error": {"http_code": 500, "message": "no"}})
    await api.sign_up(EMAIL)
    (job,) = await _jobs(resources, mail_hook.SEND_JOB)
    with pytest.raises(mail.TemporaryFailure):
        await mail_hook.send(resources, job)
    server.answer = answer_json({})
    await mail_hook.send(resources, job)
    async with db.connection(resources.pool) as connection:
        row = await connection.fetchrow("select status, html, plain from jobs.mails")
    assert row is not None
    assert tuple(row) == ("sent", None, None)


async def test_a_notice_goes_to_the_hook_by_upstreams_name(
    api: Api, person: Person, resources: Resources, server: Server
) -> None:
    session = await person(EMAIL)
    use(resources, "send_email", server.url)
    assert (await api.put("/user", {"password": "Diversa-123"}, session["access_token"])).status_code == 200
    await mail_hook.send(resources, (await _jobs(resources, mail_hook.SEND_JOB))[-1])
    assert server.payloads()[0]["email_data"]["email_action_type"] == "password_changed_notification"


async def test_a_hook_sends_sms_instead_of_the_provider(
    api: Api, person: Person, resources: Resources, server: Server
) -> None:
    session = await person(EMAIL)
    use(resources, "send_sms", server.url)
    user_id = session["user"]["id"]
    async with db.transaction(resources.pool) as connection:
        user = await _user(connection, user_id)
        await sms.enqueue(connection, resources, "+393331234567", "testo", "confirmation", user=user, code="123456")
    (job,) = await _jobs(resources, sms.SEND_JOB)
    server.answer = answer_json({"error": {"message": "no"}}, 200)
    with pytest.raises(sms.TemporaryFailure):
        await sms.send(resources, job)
    server.answer = answer_json({})
    await sms.send(resources, job)
    payload = server.payloads()[-1]
    assert payload["user"]["id"] == user_id
    assert payload["sms"] == {"otp": "123456", "sms_type": "confirmation", "phone": "393331234567"}
    async with db.connection(resources.pool) as connection:
        assert tuple(await connection.fetchrow("select status, body from jobs.sms") or ()) == ("sent", None)


async def _user(connection: db.Connection, user_id: str) -> User:
    user = await queries.users.find(connection, UUID(user_id))
    assert user is not None
    return user


async def test_the_worker_knows_the_jobs_of_the_hooks() -> None:
    from backend import worker

    assert {hooks.AFTER_USER_CREATED_JOB, mail_hook.SEND_JOB, sms.SEND_JOB} <= set(worker.TASKS)
