"""POST /token: the grants, apart from the refresh rules."""

from __future__ import annotations

import asyncio
from typing import Any

import bcrypt
import pytest
from argon2 import PasswordHasher, Type

from backend.auth import passwords
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Person

pytestmark = pytest.mark.anyio


async def test_a_sign_in_answers_a_session(api: Api, person: Person, resources: Resources) -> None:
    await person()
    answer = await api.sign_in("GIULIA@socio.example")
    session = answer.json()
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    assert set(session) == {"access_token", "token_type", "expires_in", "expires_at", "refresh_token", "user"}
    assert (session["token_type"], session["expires_in"]) == ("bearer", 3600)
    assert session["expires_at"] == int(resources.now().timestamp()) + 3600
    assert len(session["refresh_token"]) == 12
    assert session["user"]["last_sign_in_at"]
    assert answer.headers["sb-auth-user-id"] == session["user"]["id"]


async def test_the_access_token_carries_the_claims(api: Api, person: Person, resources: Resources) -> None:
    await person(data={"full_name": "Giulia Ferri"})
    session = (await api.sign_in("giulia@socio.example")).json()
    claims = resources.keys.verify(session["access_token"])
    issued = int(resources.now().timestamp())
    assert claims.pop("user_metadata")["full_name"] == "Giulia Ferri"
    assert claims.pop("session_id")
    assert claims == {
        "iss": f"{resources.settings.api.external_url}/auth/v1",
        "sub": session["user"]["id"],
        "aud": "authenticated",
        "exp": issued + 3600,
        "iat": issued,
        "email": "giulia@socio.example",
        "phone": "",
        "app_metadata": {"provider": "email", "providers": ["email"]},
        "role": "authenticated",
        "aal": "aal1",
        "amr": [{"method": "password", "timestamp": issued}],
        "is_anonymous": False,
    }


@pytest.mark.parametrize(
    ("body", "status", "code", "message"),
    [
        ({"email": "giulia@socio.example", "password": "x"}, 400, "invalid_credentials", "Invalid login credentials"),
        ({"email": "altri@socio.example", "password": "x"}, 400, "invalid_credentials", "Invalid login credentials"),
        ({"email": "giulia@socio.example"}, 400, "invalid_credentials", "Invalid login credentials"),
        (
            {"email": "giulia@socio.example", "password": "x" * 100},
            400,
            "invalid_credentials",
            "Invalid login credentials",
        ),
        ({"password": "x"}, 400, "validation_failed", "missing email or phone"),
        ({"phone": "39333", "password": "x"}, 422, "phone_provider_disabled", "Phone logins are disabled"),
    ],
)
async def test_refused_sign_ins(
    api: Api, person: Person, body: dict[str, Any], status: int, code: str, message: str
) -> None:
    await person()
    answer = await api.post("/token?grant_type=password", body)
    assert answer.status_code == status
    assert answer.json() == {"code": code, "message": message}


async def test_an_unconfirmed_address_cannot_sign_in(api: Api) -> None:
    await api.sign_up("giulia@socio.example")
    answer = await api.sign_in("giulia@socio.example")
    assert answer.json() == {"code": "email_not_confirmed", "message": "Email not confirmed"}
    assert (await api.sign_in("giulia@socio.example", "Sbagliata-1")).json()["code"] == "invalid_credentials"


async def test_a_banned_user_cannot_sign_in_refresh_or_use_a_token(
    api: Api, person: Person, resources: Resources
) -> None:
    session = await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set banned_until = now() + interval '1 day'")
    assert (await api.sign_in("giulia@socio.example")).json()["code"] == "user_banned"
    assert (await api.refresh(session["refresh_token"])).json()["code"] == "user_banned"
    used = await api.get("/user", session["access_token"])
    assert (used.status_code, used.json()["code"]) == (403, "user_banned")


@pytest.mark.parametrize(
    "imported",
    [
        bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode(),
        bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode().replace("$2b$", "$2a$"),
        PasswordHasher(time_cost=1, memory_cost=8, parallelism=1).hash(PASSWORD),
        PasswordHasher(time_cost=1, memory_cost=8, parallelism=1, type=Type.I).hash(PASSWORD),
    ],
    ids=["bcrypt", "bcrypt-2a", "argon2id-cheap", "argon2i"],
)
async def test_an_imported_hash_is_accepted_and_replaced(
    api: Api, person: Person, resources: Resources, imported: str
) -> None:
    await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set encrypted_password = $1", imported)
    assert (await api.sign_in("giulia@socio.example", "Sbagliata-1")).status_code == 400
    assert (await api.sign_in("giulia@socio.example")).status_code == 200
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select encrypted_password from auth.users")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert (await api.sign_in("giulia@socio.example")).status_code == 200


class Turn:
    """Lets the first check of a password come to its end, and holds what follows back."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.checked, self.go = asyncio.Event(), asyncio.Event()
        original = passwords.Passwords.check

        async def check(hashing: passwords.Passwords, stored: str, password: str) -> passwords.Checked:
            found = await original(hashing, stored, password)
            if not self.checked.is_set():
                self.checked.set()
                await self.go.wait()
            return found

        monkeypatch.setattr(passwords.Passwords, "check", check)


async def _import(resources: Resources) -> None:
    """The hash as another service made it."""
    hashed = bcrypt.hashpw(PASSWORD.encode(), bcrypt.gensalt(4)).decode()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set encrypted_password = $1", hashed)


@pytest.mark.parametrize("imported", [False, True], ids=["own hash", "imported hash"])
@pytest.mark.parametrize(
    ("change", "code"),
    [({"password": "Nuova-456x"}, "invalid_credentials"), ({"ban_duration": "1h"}, "user_banned")],
    ids=["password", "ban"],
)
async def test_a_sign_in_under_way_sees_what_has_changed_since_the_password_was_checked(
    api: Api,
    person: Person,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
    imported: bool,
    change: dict[str, str],
    code: str,
) -> None:
    user_id, admin = (await person())["user"]["id"], resources.keys.service_role_key
    if imported:
        await _import(resources)
    turn = Turn(monkeypatch)
    under_way = asyncio.create_task(api.sign_in("giulia@socio.example"))
    await turn.checked.wait()
    assert (await api.put(f"/admin/users/{user_id}", change, admin)).status_code == 200
    turn.go.set()
    answer = await under_way
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    async with db.connection(resources.pool) as connection:
        assert await connection.fetchval("select count(*) from auth.sessions") == 0
    right = change.get("password", PASSWORD)
    await api.put(f"/admin/users/{user_id}", {"ban_duration": "none"}, admin)
    assert (await api.sign_in("giulia@socio.example", right)).status_code == 200


async def test_of_two_sign_ins_with_an_imported_hash_at_once_none_is_refused(
    api: Api, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    await person()
    await _import(resources)
    turn = Turn(monkeypatch)
    first = asyncio.create_task(api.sign_in("giulia@socio.example"))
    await turn.checked.wait()
    assert (await api.sign_in("giulia@socio.example")).status_code == 200
    turn.go.set()
    assert (await first).status_code == 200
    assert (await api.sign_in("giulia@socio.example")).status_code == 200


@pytest.mark.parametrize("stored", [None, "", "$2b$nonsense", "$argon2id$nonsense", "plain"])
async def test_a_row_without_a_usable_hash_matches_nothing(
    api: Api, person: Person, resources: Resources, stored: str | None
) -> None:
    await person()
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set encrypted_password = $1", stored)
    for password in ("", PASSWORD, "nonsense", "plain"):
        assert (await api.sign_in("giulia@socio.example", password)).json()["code"] == "invalid_credentials"


async def test_a_hand_made_user_with_null_columns_can_sign_in(api: Api, resources: Resources) -> None:
    hashed = await passwords.Passwords().hash(PASSWORD)
    async with db.connection(resources.pool) as connection:
        await connection.execute(
            """
            insert into auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, confirmation_token,
                                    recovery_token, email_change, email_change_token_new)
            values (gen_random_uuid(), 'authenticated', 'authenticated', 'a@b.it', $1, now(), null, null, null, null)
            """,
            hashed,
        )
    answer = await api.sign_in("a@b.it")
    assert answer.status_code == 200
    assert answer.json()["user"]["identities"] == []


async def test_a_password_of_older_rules_is_reported_as_weak(api: Api, person: Person, resources: Resources) -> None:
    await person()
    hashed = await passwords.Passwords().hash("debole")
    async with db.connection(resources.pool) as connection:
        await connection.execute("update auth.users set encrypted_password = $1", hashed)
    session = (await api.sign_in("giulia@socio.example", "debole")).json()
    assert session["weak_password"]["reasons"] == ["length", "characters"]


@pytest.mark.parametrize(
    ("grant", "body", "status", "code"),
    [
        ("", {}, 400, "invalid_credentials"),
        ("magic", {}, 400, "invalid_credentials"),
        ("refresh_token", {}, 400, "validation_failed"),
        ("refresh_token", {"refresh_token": 3}, 400, "validation_failed"),
        ("pkce", {}, 400, "validation_failed"),
        ("pkce", {"auth_code": "x", "code_verifier": "y"}, 404, "flow_state_not_found"),
        ("id_token", {"provider": "google", "id_token": "x"}, 400, "provider_disabled"),
        ("web3", {"chain": "solana"}, 422, "web3_provider_disabled"),
    ],
)
async def test_other_grants(api: Api, grant: str, body: dict[str, Any], status: int, code: str) -> None:
    answer = await api.post(f"/token?grant_type={grant}", body)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
