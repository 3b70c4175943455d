"""The admin API for accounts: GET and POST /admin/users, GET, PUT and DELETE /admin/users/{id}."""

from __future__ import annotations

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, quote, urlsplit
from uuid import UUID, uuid4

import pytest

from backend.auth import queries
from backend.auth.models import timestamp
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person, on_the_internet
from tests.conftest import Clock
from tests.db import accounts

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
SOMEBODY = "00000000-0000-4000-8000-000000000000"


@pytest.fixture
def admin(resources: Resources) -> str:
    return resources.keys.service_role_key


async def make(api: Api, admin: str, **body: Any) -> dict[str, Any]:
    answer = await api.post("/admin/users", {"email": EMAIL, "email_confirm": True, **body}, admin)
    assert answer.status_code == 200, answer.text
    user: dict[str, Any] = answer.json()
    return user


def refused(answer: Any) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


ENDPOINTS = [
    ("GET", "/admin/users", None),
    ("POST", "/admin/users", {"email": EMAIL}),
    ("GET", f"/admin/users/{SOMEBODY}", None),
    ("PUT", f"/admin/users/{SOMEBODY}", {}),
    ("DELETE", f"/admin/users/{SOMEBODY}", None),
    ("GET", "/admin/audit", None),
    ("POST", "/admin/generate_link", {"type": "recovery", "email": EMAIL}),
    ("POST", "/invite", {"email": EMAIL}),
]


@pytest.mark.parametrize(("method", "path", "body"), ENDPOINTS)
async def test_only_admins_may(
    api: Api, person: Person, resources: Resources, method: str, path: str, body: Any
) -> None:
    user_token = (await person("altra@socio.example"))["access_token"]
    keys = resources.keys
    assert refused(await api.call(method, path, body, "")) == (401, "no_authorization")
    for token in (user_token, keys.anon_key, keys.publishable_key):
        assert refused(await api.call(method, path, body, token)) == (403, "not_admin")
    for token in ("rubbish", "sb_secret_rubbish", keys.secret_key[:-1], keys.service_role_key[:-4] + "AAAA"):
        assert refused(await api.call(method, path, body, token)) == (403, "bad_jwt")
    forged = keys.sign({"role": "authenticated", "exp": 4102444800})
    assert refused(await api.call(method, path, body, forged)) == (403, "not_admin")


@pytest.mark.parametrize(("method", "path", "body"), ENDPOINTS)
async def test_each_kind_of_admin_may(api: Api, resources: Resources, method: str, path: str, body: Any) -> None:
    keys = resources.keys
    support = keys.sign({"role": "supabase_admin", "exp": 4102444800})
    for token in (keys.service_role_key, keys.secret_key, support):
        assert (await api.call(method, path, body, token)).status_code not in (401, 403)
    answer = await api.call(method, path, body, "", headers={"apikey": keys.secret_key})
    assert answer.status_code not in (401, 403)


async def test_a_users_token_with_an_admins_role_counts_while_its_session_lives(
    api: Api, person: Person, admin: str
) -> None:
    user = (await person())["user"]
    await api.put(f"/admin/users/{user['id']}", {"role": "supabase_admin"}, admin)
    token = (await api.sign_in(EMAIL)).json()["access_token"]
    assert (await api.get("/admin/users", token)).status_code == 200
    await api.post("/logout", None, token)
    assert refused(await api.get("/admin/users", token)) == (403, "session_not_found")


async def test_a_new_user_is_answered_and_can_sign_in(api: Api, admin: str) -> None:
    wanted = str(uuid4())
    user = await make(
        api,
        admin,
        id=wanted,
        password=PASSWORD,
        user_metadata={"full_name": "Giulia"},
        app_metadata={"plan": "pro"},
        phone="+393331234567",
        phone_confirm=True,
    )
    assert (user["id"], user["email"], user["phone"], user["role"]) == (wanted, EMAIL, "393331234567", "authenticated")
    assert user["app_metadata"] == {"provider": "email", "providers": ["email", "phone"], "plan": "pro"}
    assert user["user_metadata"]["full_name"] == "Giulia"
    assert {identity["provider"] for identity in user["identities"]} == {"email", "phone"}
    assert user["email_confirmed_at"]
    assert user["phone_confirmed_at"]
    assert (await api.sign_in(EMAIL)).json()["user"]["id"] == wanted
    assert await api.mails.all() == []


async def test_without_confirmation_the_address_is_not_proved(api: Api, admin: str) -> None:
    user = await make(api, admin, password=PASSWORD, email_confirm=False)
    assert "email_confirmed_at" not in user
    assert refused(await api.sign_in(EMAIL)) == (400, "email_not_confirmed")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        ({}, 400, "validation_failed"),
        ({"email": "nessuno"}, 400, "validation_failed"),
        ({"phone": "0"}, 400, "validation_failed"),
        ({"email": EMAIL, "id": "x"}, 400, "validation_failed"),
        ({"email": EMAIL, "id": str(UUID(int=0))}, 400, "validation_failed"),
        ({"email": EMAIL, "ban_duration": "for ever"}, 400, "validation_failed"),
        ({"email": EMAIL, "ban_duration": "99999999999h"}, 400, "validation_failed"),
        ({"email": EMAIL, "ban_duration": "-1h"}, 400, "validation_failed"),
        ({"email": EMAIL, "email_confirm": "yes"}, 400, "validation_failed"),
        ({"email": EMAIL, "user_metadata": "x"}, 400, "validation_failed"),
        ({"email": EMAIL, "app_metadata": {"x": "y" * 9000}}, 400, "validation_failed"),
        ({"email": EMAIL, "user_metadata": {"x": "y" * 9000}}, 400, "validation_failed"),
        ({"email": EMAIL, "role": "a\u0000b"}, 400, "validation_failed"),
        ({"email": "taken@socio.example"}, 422, "email_exists"),
        ({"email": EMAIL, "phone": "393330000000"}, 422, "phone_exists"),
        ({"email": EMAIL, "id": SOMEBODY}, 422, "user_already_exists"),
    ],
)
async def test_a_bad_user_is_refused(api: Api, admin: str, body: dict[str, Any], status: int, code: str) -> None:
    await make(api, admin, email="taken@socio.example", phone="393330000000", id=SOMEBODY)
    assert refused(await api.post("/admin/users", body, admin)) == (status, code)


async def test_a_user_is_found_by_id(api: Api, admin: str) -> None:
    user = await make(api, admin)
    assert (await api.get(f"/admin/users/{user['id']}", admin)).json() == user
    assert refused(await api.get(f"/admin/users/{SOMEBODY}", admin)) == (404, "user_not_found")
    for path in ("x", "%00", "null"):
        assert refused(await api.get(f"/admin/users/{path}", admin)) == (404, "validation_failed")


async def test_an_admin_changes_what_is_named(api: Api, admin: str) -> None:
    user = await make(api, admin, app_metadata={"plan": "pro", "beta": True}, user_metadata={"full_name": "Giulia"})
    change = {
        "email": "nuova@socio.example",
        "phone": "393331234567",
        "role": "editor",
        "user_metadata": {"city": "Bari", "full_name": None},
        "app_metadata": {"beta": None, "plan": "free"},
    }
    changed = (await api.put(f"/admin/users/{user['id']}", change, admin)).json()
    assert (changed["email"], changed["phone"], changed["role"]) == ("nuova@socio.example", "393331234567", "editor")
    assert changed["app_metadata"] == {"provider": "email", "providers": ["email", "phone"], "plan": "free"}
    assert (changed["user_metadata"]["city"], "full_name" in changed["user_metadata"]) == ("Bari", False)
    facts = {identity["provider"]: identity["identity_data"] for identity in changed["identities"]}
    assert (facts["email"]["email"], facts["phone"]["phone"]) == ("nuova@socio.example", "393331234567")
    assert "phone_confirmed_at" not in changed
    same = (await api.put(f"/admin/users/{user['id']}", {}, admin)).json()
    assert {**same, "updated_at": ""} == {**changed, "updated_at": ""}


async def test_an_admin_confirms(api: Api, admin: str) -> None:
    user = await make(api, admin, email_confirm=False, phone="393331234567")
    confirm = {"email_confirm": True, "phone_confirm": True}
    confirmed = (await api.put(f"/admin/users/{user['id']}", confirm, admin)).json()
    assert confirmed["email_confirmed_at"] == confirmed["phone_confirmed_at"]
    facts = {identity["provider"]: identity["identity_data"] for identity in confirmed["identities"]}
    assert (facts["email"]["email_verified"], facts["phone"]["phone_verified"]) == (True, True)


async def test_a_new_password_ends_every_session_and_every_link(api: Api, person: Person, admin: str) -> None:
    session = await person()
    await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(EMAIL)
    changed = await api.put(f"/admin/users/{session['user']['id']}", {"password": "Nuova-1234"}, admin)
    assert changed.status_code == 200
    assert refused(await api.get("/user", session["access_token"])) == (403, "session_not_found")
    assert (await api.refresh(session["refresh_token"])).status_code == 400
    used = await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})
    assert refused(used) == (403, "otp_expired")
    assert refused(await api.sign_in(EMAIL)) == (400, "invalid_credentials")
    assert (await api.sign_in(EMAIL, "Nuova-1234")).status_code == 200


async def test_a_corrected_address_ends_what_the_wrong_one_got(api: Api, admin: str) -> None:
    user = (await api.post("/invite", {"email": EMAIL}, admin)).json()
    link = await api.last_link(EMAIL)
    # Also when the correction is taken back.
    for email in ("giusta@socio.example", EMAIL, "giusta@socio.example"):
        await api.put(f"/admin/users/{user['id']}", {"email": email}, admin)
        used = await api.post("/verify", {"type": "invite", "token_hash": link.token_hash})
        assert refused(used) == (403, "otp_expired")
    await api.post("/invite", {"email": "giusta@socio.example"}, admin)
    link = await api.last_link("giusta@socio.example")
    accepted = await api.post("/verify", {"type": "invite", "token_hash": link.token_hash})
    assert accepted.json()["user"]["id"] == user["id"]


async def test_a_new_address_ends_the_change_somebody_asked_for(api: Api, person: Person, admin: str) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example"}, session["access_token"])
    links = [(await api.last_link(each)).token_hash for each in (EMAIL, "nuova@socio.example")]
    path = f"/admin/users/{session['user']['id']}"
    await api.put(path, {"email": "terza@socio.example"}, admin)
    for link in links:
        used = await api.post("/verify", {"type": "email_change", "token_hash": link})
        assert refused(used) == (403, "otp_expired")
    assert (await api.get(path, admin)).json()["email"] == "terza@socio.example"
    assert (await api.sign_in("terza@socio.example")).status_code == 200


async def test_a_new_number_ends_every_link(api: Api, person: Person, admin: str) -> None:
    session = await person()
    await api.post("/recover", {"email": EMAIL})
    link = await api.last_link(EMAIL)
    await api.put(f"/admin/users/{session['user']['id']}", {"phone": "393331234567"}, admin)
    used = await api.post("/verify", {"type": "recovery", "token_hash": link.token_hash})
    assert refused(used) == (403, "otp_expired")


async def test_an_address_or_number_of_somebody_else_is_refused(api: Api, admin: str) -> None:
    await make(api, admin, email="taken@socio.example", phone="393330000000")
    user = await make(api, admin)
    path = f"/admin/users/{user['id']}"
    assert refused(await api.put(path, {"email": "taken@socio.example"}, admin)) == (422, "email_exists")
    assert refused(await api.put(path, {"phone": "393330000000"}, admin)) == (422, "phone_exists")
    assert (await api.get(path, admin)).json() == user


async def test_metadata_that_outgrow_a_token_are_refused(api: Api, admin: str) -> None:
    user = await make(api, admin)
    path = f"/admin/users/{user['id']}"
    for field in ("user_metadata", "app_metadata"):
        assert (await api.put(path, {field: {"a": "x" * 5000}}, admin)).status_code == 200
        assert refused(await api.put(path, {field: {"b": "x" * 5000}}, admin)) == (400, "validation_failed")


@pytest.mark.parametrize(
    ("duration", "seconds"), [("24h", 86400), ("1h30m", 5400), ("1.5h", 5400), ("300ms", 0.3), ("876000h", 3153600000)]
)
async def test_a_ban_lasts_as_long_as_it_says(api: Api, admin: str, now: Clock, duration: str, seconds: float) -> None:
    user = await make(api, admin)
    banned = (await api.put(f"/admin/users/{user['id']}", {"ban_duration": duration}, admin)).json()
    assert banned["banned_until"] == timestamp(now() + timedelta(seconds=seconds))


async def test_a_banned_user_is_out_until_the_ban_is_lifted(api: Api, person: Person, admin: str) -> None:
    session = await person()
    path = f"/admin/users/{session['user']['id']}"
    await api.put(path, {"ban_duration": "24h"}, admin)
    assert refused(await api.get("/user", session["access_token"])) == (403, "session_not_found")
    assert (await api.refresh(session["refresh_token"])).status_code == 400
    assert refused(await api.sign_in(EMAIL)) == (400, "user_banned")
    lifted = (await api.put(path, {"ban_duration": "none"}, admin)).json()
    assert "banned_until" not in lifted
    assert (await api.sign_in(EMAIL)).status_code == 200


async def test_a_deleted_user_is_gone_with_all_that_is_theirs(
    api: Api, person: Person, admin: str, resources: Resources, now: Clock
) -> None:
    session = await person()
    await api.post("/recover", {"email": EMAIL, "code_challenge": "x" * 50, "code_challenge_method": "plain"})
    path = f"/admin/users/{session['user']['id']}"
    answer = await api.call("DELETE", path, None, admin)
    assert (answer.status_code, answer.json()) == (200, {})
    assert refused(await api.get(path, admin)) == (404, "user_not_found")
    assert refused(await api.get("/user", session["access_token"])) == (403, "user_not_found")
    async with db.connection(resources.pool) as connection:
        for table in ("users", "identities", "sessions", "refresh_tokens", "one_time_tokens", "flow_state"):
            assert await connection.fetchval(f"select count(*) from auth.{table}") == 0, table
        assert await connection.fetchval("select count(*) from public.profiles") == 0
    now.advance(minutes=2)
    assert (await api.sign_up(EMAIL)).status_code == 200


async def test_the_products_accounting_outlives_the_account(
    api: Api, person: Person, admin: str, resources: Resources
) -> None:
    user_id = (await person())["user"]["id"]
    entries = "select count(*) from public.credit_ledger where user_id = $1::text::uuid"
    async with db.connection(resources.pool) as connection:
        before = await connection.fetchval(entries, user_id)
        assert (await api.call("DELETE", f"/admin/users/{user_id}", None, admin)).status_code == 200
        assert await connection.fetchval(entries, user_id) == before == 1


FILL = """
    with made as (
      insert into public.contacts (user_id, first_name, last_name)
        select $1, 'Anna', 'Verdi ' || no from generate_series(1, $2::int) as no
      returning user_id, id
    ), written as (
      insert into public.contact_emails (user_id, contact_id, value) select user_id, id, id || '@a.it' from made
    )
    insert into public.notes (user_id, contact_id, body) select user_id, id, 'N' from made
"""
PAGES = "select sum(coalesce(heap_blks_hit, 0) + coalesce(idx_blks_hit, 0)) from pg_statio_user_tables"


@pytest.mark.long
async def test_a_large_account_goes_by_plans_of_its_size(resources: Resources) -> None:
    async with db.connection(resources.pool) as used:
        # The plans of what cascades are made while there is next to nothing.
        small = await accounts.create(used)
        await used.execute(FILL, small, 10)
        await used.execute("delete from public.contacts where user_id = $1", small)
        fresh = await db.connect(resources.settings)
        by_used, by_fresh = [await _pages_of_deletion(connection) for connection in (used, fresh)]
        await fresh.close()
    print("PAGES", by_used, by_fresh)
    assert by_used < by_fresh * 1.4


async def _pages_of_deletion(connection: db.Connection) -> int:
    """How many pages are looked at to delete an account with thousands of contacts."""
    user_id = await accounts.create(connection)
    await connection.execute(FILL, user_id, 2000, timeout=60)
    counts = []
    for delete in (False, True):
        if delete:
            await queries.accounts.delete(connection, user_id)
        await connection.execute("select pg_stat_force_next_flush()")
        counts.append(await connection.fetchval(PAGES))
    return int(counts[1] - counts[0])


async def test_rows_that_cannot_go_along_are_named(
    api: Api, admin: str, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    user = await make(api, admin)
    async with db.connection(resources.pool) as connection:
        await connection.execute("create table public.belongings (user_id uuid references auth.users (id))")
        await connection.execute("insert into public.belongings select id from auth.users")
    answer = await api.call("DELETE", f"/admin/users/{user['id']}", None, admin)
    assert refused(answer) == (409, "conflict")
    assert "rows of public.belongings" in answer.json()["message"]
    assert (await api.get(f"/admin/users/{user['id']}", admin)).status_code == 200


async def test_a_trigger_that_refuses_is_named_in_the_log_alone(
    api: Api, admin: str, resources: Resources, caplog: pytest.LogCaptureFixture
) -> None:
    on_the_internet(resources)
    user = await make(api, admin)
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            create function public.keep() returns trigger language plpgsql as
              $$ begin raise exception 'kept on purpose'; end $$;
            create trigger keep before delete on auth.users for each row execute function public.keep();
            """
        )
    answer = await api.call("DELETE", f"/admin/users/{user['id']}", None, admin)
    assert answer.status_code == 500
    assert "kept on purpose" not in answer.text
    assert any("kept on purpose" in str(getattr(record, "cause", "")) for record in caplog.records)


async def test_a_softly_deleted_user_leaves_an_empty_row(
    api: Api, person: Person, admin: str, resources: Resources, now: Clock
) -> None:
    session = await person(data={"full_name": "Giulia Ferri"})
    path = f"/admin/users/{session['user']['id']}"
    for _ in range(2):
        assert (await api.call("DELETE", path, {"should_soft_delete": True}, admin)).json() == {}
    left = (await api.get(path, admin)).json()
    assert (left["user_metadata"], left["app_metadata"], bool(left["deleted_at"])) == ({}, {}, True)
    assert [identity["identity_data"] for identity in left["identities"]] == [{}]
    async with db.connection(resources.pool) as connection:
        left_over = await connection.fetchval(
            """
            select users::text || coalesce((select string_agg(identities::text, ' ') from auth.identities), '')
              from auth.users
            """
        )
    assert not any(word in left_over.lower() for word in ("giulia", "ferri", "argon2"))
    assert refused(await api.get("/user", session["access_token"])) == (403, "user_not_found")
    assert refused(await api.sign_in(EMAIL)) == (400, "invalid_credentials")
    now.advance(minutes=2)
    assert (await api.sign_up(EMAIL)).json()["identities"] != []


@pytest.mark.parametrize("body", [{"should_soft_delete": "yes"}, {"should_soft_delete": 1}])
async def test_a_bad_deletion_is_refused(api: Api, admin: str, body: Any) -> None:
    user = await make(api, admin)
    assert refused(await api.call("DELETE", f"/admin/users/{user['id']}", body, admin)) == (400, "validation_failed")
    assert (await api.get(f"/admin/users/{user['id']}", admin)).status_code == 200


# Lists ------------------------------------------------------------------------------------------------------------


@pytest.fixture
async def crowd(api: Api, admin: str, now: Clock) -> list[str]:
    """Twelve users, oldest first, two of them of the same moment."""
    for number in range(12):
        await make(api, admin, email=f"u{number:02}@socio.example", user_metadata={"full_name": f"Anna {number}"})
        if number != 5:
            now.advance(seconds=1)
    return [f"u{number:02}@socio.example" for number in range(12)]


def emails(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [user["email"] for user in answer.json()["users"]]


def links(answer: Any) -> dict[str, str]:
    parts = [part.split("; rel=") for part in answer.headers["link"].split(", ")]
    return {json.loads(rel): address.strip("<>") for address, rel in parts}


async def test_pages_lead_from_the_newest_to_the_oldest(api: Api, admin: str, crowd: list[str]) -> None:
    first = await api.get("/admin/users?per_page=5", admin)
    assert first.json()["aud"] == "authenticated"
    assert first.headers["x-total-count"] == "12"
    assert links(first) == {
        "next": "/auth/v1/admin/users?page=2&per_page=5",
        "last": "/auth/v1/admin/users?page=3&per_page=5",
    }
    seen = []
    for page in (1, 2, 3):
        seen += emails(await api.get(f"/admin/users?page={page}&per_page=5", admin))
    assert len(seen) == 12
    assert {*seen} == {*crowd}
    assert (seen[0], seen[-1]) == (crowd[-1], crowd[0])
    last = await api.get("/admin/users?page=3&per_page=5", admin)
    assert {*links(last)} == {"last"}
    assert emails(await api.get("/admin/users?page=4&per_page=5", admin)) == []


async def test_auth_js_reads_the_links(api: Api, admin: str, crowd: list[str]) -> None:
    """It takes one character after the first equals sign."""
    answer = await api.get("/admin/users?filter=socio&per_page=5&page=1", admin)
    for link, page in zip(answer.headers["link"].split(","), "23", strict=True):
        assert link.split(";")[0].split("=")[1][0] == page


async def test_empty_parameters_mean_the_first_page_of_fifty(api: Api, admin: str, crowd: list[str]) -> None:
    assert len(emails(await api.get("/admin/users?page=&per_page=", admin))) == 12


async def test_oldest_first_on_demand(api: Api, admin: str, crowd: list[str]) -> None:
    assert emails(await api.get(f"/admin/users?sort={quote('created_at asc')}&per_page=1", admin)) == crowd[:1]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("filter=u0", 10),
        ("filter=anna%201", 3),
        ("filter=%25", 0),
        ("filter=u_1", 0),
        ("filter=%5C", 0),
        ("email=u03@socio.example", 1),
        ("email=U03@Socio.example", 1),
        ("email=u03", 0),
    ],
)
async def test_lists_can_be_searched(api: Api, admin: str, crowd: list[str], query: str, found: int) -> None:
    answer = await api.get(f"/admin/users?{query}", admin)
    assert (len(emails(answer)), answer.headers["x-total-count"]) == (found, str(found))


@pytest.mark.parametrize(
    "query",
    [
        *("page=0", "page=-1", "page=x", "per_page=0", "per_page=1.5", "page=٣", "page=99999999999999999999"),
        *("sort=email", "sort=created_at%20up", "sort=created_at%3B%20drop%20table%20auth.users"),
        *("limit=0", "limit=x", "cursor=x", "cursor=%C3%A9", "cursor=W10", "cursor=WzEsMl0", "cursor=e30"),
        *("filter=%00", "email=%00"),
    ],
)
async def test_a_bad_query_is_refused(api: Api, admin: str, query: str) -> None:
    assert refused(await api.get(f"/admin/users?{query}", admin)) == (400, "validation_failed")


async def test_a_page_beyond_everything_is_empty(api: Api, admin: str, crowd: list[str]) -> None:
    assert emails(await api.get("/admin/users?page=999999999999&per_page=1000", admin)) == []


async def test_other_audiences_have_lists_of_their_own(api: Api, admin: str, crowd: list[str]) -> None:
    await make(api, admin, aud="partners")
    answer = await api.get("/admin/users", admin, headers={"X-JWT-AUD": "partners"})
    assert (emails(answer), answer.json()["aud"]) == ([EMAIL], "partners")


async def test_a_cursor_leads_through_all_without_count(api: Api, admin: str, crowd: list[str]) -> None:
    seen, cursor = [], ""
    for _ in range(3):
        answer = await api.get(f"/admin/users?limit=5&cursor={cursor}", admin)
        assert "x-total-count" not in answer.headers
        seen += emails(answer)
        pagination = answer.json()["pagination"]
        cursor = pagination.get("next_cursor", "")
        assert pagination["has_more"] == bool(cursor) == ("link" in answer.headers)
        if cursor:
            assert parse_qs(urlsplit(links(answer)["next"]).query)["cursor"] == [cursor]
    assert (len(seen), {*seen}, seen[0]) == (12, {*crowd}, crowd[-1])
    assert cursor == ""


async def test_the_audit_log_names_admin_and_user(api: Api, admin: str, resources: Resources) -> None:
    user = await make(api, admin)
    await api.put(f"/admin/users/{user['id']}", {"ban_duration": "1h"}, admin)
    await api.call("DELETE", f"/admin/users/{user['id']}", None, admin)
    async with db.connection(resources.pool) as connection:
        rows = await connection.fetch("select payload from auth.audit_log_entries")
    entries = [row["payload"] for row in rows]
    assert {entry["action"] for entry in entries} == {"user_signedup", "user_modified", "user_deleted"}
    for entry in entries:
        assert (entry["actor_username"], entry["actor_id"]) == ("service_role", str(UUID(int=0)))
        assert entry["traits"] == {"user_id": user["id"], "user_email": EMAIL, "user_phone": ""}


async def test_an_admin_gives_any_password_and_gets_the_metadata_back_as_given(api: Api, admin: str) -> None:
    given = {"sub": "mine", "email": "elsewhere@socio.example", "nested": {"x": [1, None]}, "full_name": "Giulia"}
    body = {"email": "weak@socio.example", "password": "corta", "email_confirm": False, "user_metadata": given}
    made = await api.post("/admin/users", body, admin)
    assert (made.status_code, made.json()["user_metadata"]) == (200, given)
    read = (await api.get(f"/admin/users/{made.json()['id']}", admin)).json()
    assert read["user_metadata"] == given
    assert read["identities"][0]["identity_data"]["email"] == "weak@socio.example"
