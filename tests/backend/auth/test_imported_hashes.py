"""imported_hashes: passwords of users who come from another system, from POST /admin/users to the first sign-in."""

from __future__ import annotations

import argon2
import bcrypt
import pytest

from backend.auth import imported_hashes
from backend.auth.errors import AuthError
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
# The example of Firebase's own documentation (https://github.com/firebase/scrypt#finding-the-password-hash-parameters).
FIREBASE_PASSWORD = "user1password"
FIREBASE = (
    "$fbscrypt$v=1,n=14,r=8,p=1,ss=Bw==,"
    "sk=jxspr8Ki0RYycVU8zykbdLGjFQ3McFUH0uiiTvC8pVMXAn210wjLNmdZJzxUECKbm0QsEmYUSDzZvpjeJ9WmXA=="
    "$42xEC+ixf3L2lw==$lSrfV15cpx95/sZS2W9c9Kp6i/LVgQNDNC/qzrCnh1SAyZvqmZqAjTdn3aoItz+VHjoZilo78198JAdRuid5lQ=="
)


def argon2_hash(password: str, kind: argon2.Type) -> str:
    return argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=1, type=kind).hash(password)


HASHES = {
    "bcrypt": ("Importata-1", bcrypt.hashpw(b"Importata-1", bcrypt.gensalt(4)).decode()),
    "bcrypt of PHP": ("Importata-1", bcrypt.hashpw(b"Importata-1", bcrypt.gensalt(4)).decode().replace("$2b$", "$2y$")),
    "argon2i": ("Importata-1", argon2_hash("Importata-1", argon2.Type.I)),
    "argon2d": ("Importata-1", argon2_hash("Importata-1", argon2.Type.D)),
    "argon2id": ("Importata-1", argon2_hash("Importata-1", argon2.Type.ID)),
    "Firebase": (FIREBASE_PASSWORD, FIREBASE),
}


@pytest.mark.parametrize("kind", HASHES)
async def test_an_imported_user_signs_in_and_gets_a_hash_of_today(api: Api, resources: Resources, kind: str) -> None:
    password, brought = HASHES[kind]
    body = {"email": EMAIL, "password_hash": brought, "email_confirm": True}
    assert (await api.post("/admin/users", body, resources.keys.secret_key)).status_code == 200
    assert (await api.sign_in(EMAIL, password + "x")).json()["code"] == "invalid_credentials"
    assert (await api.sign_in(EMAIL, password)).status_code == 200
    async with db.connection(resources.pool) as connection:
        stored = await connection.fetchval("select encrypted_password from auth.users")
    assert stored.startswith("$argon2id$v=19$m=19456,t=2,p=1$")
    assert (await api.sign_in(EMAIL, password)).status_code == 200


def test_firebase_needs_no_salt_separator() -> None:
    assert imported_hashes.parse_firebase(FIREBASE.replace(",ss=Bw==", "")).separator == b""


@pytest.mark.parametrize(
    "brought",
    [
        "segreto",
        "5f4dcc3b5aa765d61d8327deb882cf99",
        "$1$abc$def",
        "$2b$31$" + "a" * 53,
        "$2b$10$kurz",
        "$argon2id$v=19$m=4194304,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG",
        "$argon2id$v=19$m=65536,t=999,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub+b+dWRWJTmaaJObG",
        "$argon2id$v=19$m=65536,t=2,p=1$!!$RdescudvJCsgt3ub+b+dWRWJTmaaJObG",
        "$argon2x$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$RdescudvJCsgt3ub",
        "$fbscrypt$",
        FIREBASE.replace("v=1", "v=2"),
        FIREBASE.replace("n=14", "n=30"),
        FIREBASE.replace("n=14", "n=0"),
        FIREBASE.replace("r=8", "r=0"),
        FIREBASE.replace("p=1,", "p=99,"),
        FIREBASE.replace("$42xEC+ixf3L2lw==", "$4=2"),
        FIREBASE[:-4],
        FIREBASE + "A" * 100,
    ],
)
def test_a_hash_nobody_could_check_or_that_costs_too_much_is_refused(brought: str) -> None:
    with pytest.raises(AuthError) as refusal:
        imported_hashes.checked(brought)
    assert refusal.value.code == "validation_failed"
    assert brought[12:] == "" or brought[12:] not in str(refusal.value)


async def test_password_and_hash_exclude_each_other(api: Api, resources: Resources) -> None:
    body = {"email": EMAIL, "password_hash": FIREBASE, "password": "Importata-1"}
    answer = await api.post("/admin/users", body, resources.keys.secret_key)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")


async def test_an_admin_may_bring_a_hash_to_an_account_that_exists(api: Api, resources: Resources) -> None:
    admin = resources.keys.secret_key
    user = (await api.post("/admin/users", {"email": EMAIL, "email_confirm": True}, admin)).json()
    assert (await api.put(f"/admin/users/{user['id']}", {"password_hash": FIREBASE}, admin)).status_code == 200
    assert (await api.sign_in(EMAIL, FIREBASE_PASSWORD)).status_code == 200


async def test_a_damaged_hash_in_the_table_matches_nothing(api: Api, resources: Resources) -> None:
    await api.post("/admin/users", {"email": EMAIL, "email_confirm": True}, resources.keys.secret_key)
    async with db.connection(resources.pool) as connection:
        for damaged in (FIREBASE[:-1], "$2b$10$kurz", "$argon2id$", "plain"):
            await connection.execute("update auth.users set encrypted_password = $1", damaged)
            assert (await api.sign_in(EMAIL, FIREBASE_PASSWORD)).json()["code"] == "invalid_credentials"
