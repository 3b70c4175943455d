"""PKCE through the mails of sign-up, recovery and change of address."""

from __future__ import annotations

import asyncio
import base64
import hashlib
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from backend.auth import sessions
from backend.core import db
from backend.core.resources import Resources
from tests.backend.auth.conftest import PASSWORD, Api, Halted, Person, someone_waits

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"
VERIFIER = "v" * 50
S256 = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).rstrip(b"=").decode()
CHALLENGE = {"code_challenge": S256, "code_challenge_method": "s256"}


async def _click(api: Api, kind: str, email: str = EMAIL) -> str:
    token = (await api.last_link(email)).token_hash
    assert token.startswith("pkce_")
    answer = await api.get(f"/verify?token={token}&type={kind}")
    location = urlsplit(answer.headers["location"])
    assert "access_token" not in location.fragment
    return parse_qs(location.query)["code"][0]


async def _exchange(api: Api, code: str, verifier: str = VERIFIER) -> Any:
    return await api.post("/token?grant_type=pkce", {"auth_code": code, "code_verifier": verifier})


async def test_a_sign_up_link_ends_in_a_code_that_works_once(api: Api, resources: Resources) -> None:
    await api.sign_up(EMAIL, **CHALLENGE)
    code = await _click(api, "signup")
    answer = await _exchange(api, code)
    assert answer.status_code == 200
    (entry,) = resources.keys.verify(answer.json()["access_token"])["amr"]
    assert entry["method"] == "email/signup"
    again = await _exchange(api, code)
    assert (again.status_code, again.json()["code"]) == (404, "flow_state_not_found")


async def test_a_recovery_link_of_an_unconfirmed_address_ends_in_a_code(api: Api) -> None:
    await api.sign_up(EMAIL)
    await api.post("/recover", {"email": EMAIL, **CHALLENGE})
    answer = await _exchange(api, await _click(api, "recovery"))
    assert answer.json()["user"]["email_confirmed_at"]


async def test_the_code_counts_from_the_click_not_from_the_request(api: Api, person: Person, now: Any) -> None:
    await person()
    await api.post("/recover", {"email": EMAIL, **CHALLENGE})
    now.advance(minutes=50)
    assert (await _exchange(api, await _click(api, "recovery"))).status_code == 200


async def test_the_code_expires_five_minutes_after_the_click(api: Api, person: Person, now: Any) -> None:
    await person()
    await api.post("/recover", {"email": EMAIL, **CHALLENGE})
    code = await _click(api, "recovery")
    now.advance(minutes=5)
    answer = await _exchange(api, code)
    assert (answer.status_code, answer.json()["code"]) == (422, "flow_state_expired")


async def test_a_wrong_verifier_uses_the_code_up(api: Api) -> None:
    await api.sign_up(EMAIL, **CHALLENGE)
    code = await _click(api, "signup")
    wrong = await _exchange(api, code, "w" * 50)
    assert (wrong.status_code, wrong.json()["code"]) == (400, "bad_code_verifier")
    assert (await _exchange(api, code)).json()["code"] == "flow_state_not_found"


async def test_a_flow_without_a_click_has_no_valid_code(api: Api, resources: Resources) -> None:
    await api.sign_up(EMAIL, **CHALLENGE)
    async with db.connection(resources.pool) as connection:
        code = await connection.fetchval("select auth_code from auth.flow_state")
    assert (await _exchange(api, code)).json()["code"] == "flow_state_not_found"


async def test_a_code_is_over_when_the_password_changes(api: Api, person: Person, now: Any) -> None:
    session = await person()
    now.advance(minutes=5)
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    code = await _click(api, "magiclink")
    changed = await api.put("/user", {"password": "Nuova-456x"}, session["access_token"])
    assert changed.status_code == 200
    assert (await _exchange(api, code)).json()["code"] == "flow_state_not_found"


async def test_a_recovery_ends_in_a_session_that_outlives_the_new_password(api: Api, person: Person, now: Any) -> None:
    await person()
    now.advance(minutes=5)
    await api.post("/recover", {"email": EMAIL, **CHALLENGE})
    session = (await _exchange(api, await _click(api, "recovery"))).json()
    assert (await api.put("/user", {"password": "Nuova-456x"}, session["access_token"])).status_code == 200
    assert (await api.refresh(session["refresh_token"])).status_code == 200


async def test_a_password_changed_while_a_code_is_exchanged_ends_the_session(
    api: Api, person: Person, resources: Resources, monkeypatch: pytest.MonkeyPatch, now: Any
) -> None:
    own = await person()
    now.advance(minutes=5)
    await api.post("/otp", {"email": EMAIL, **CHALLENGE})
    code = await _click(api, "magiclink")
    under_way = Halted(monkeypatch, sessions, "start")
    exchange = asyncio.create_task(_exchange(api, code))
    await under_way.reached.wait()
    change = asyncio.create_task(api.put("/user", {"password": "Nuova-456x"}, own["access_token"]))
    await someone_waits(resources)
    under_way.go.set()
    assert (await change).status_code == 200
    assert (await api.refresh((await exchange).json()["refresh_token"])).status_code == 400
    assert (await api.refresh(own["refresh_token"])).status_code == 200


async def test_the_link_opened_on_another_device_still_works_by_its_page_or_code(api: Api) -> None:
    await api.sign_up(EMAIL, **CHALLENGE)
    link = await api.last_link(EMAIL)
    answer = await api.post("/verify", {"type": "signup", "email": EMAIL, "token": link.code})
    assert answer.status_code == 200


async def test_a_change_of_address_ends_in_a_code(api: Api, person: Person) -> None:
    session = await person()
    await api.put("/user", {"email": "nuova@socio.example", **CHALLENGE}, session["access_token"])
    half = (await api.last_link(EMAIL)).token_hash
    location = (await api.get(f"/verify?token={half}&type=email_change")).headers["location"]
    assert "message=" in urlsplit(location).query
    code = await _click(api, "email_change", "nuova@socio.example")
    assert (await _exchange(api, code)).json()["user"]["email"] == "nuova@socio.example"


async def test_an_error_stands_in_query_and_fragment(api: Api) -> None:
    location = urlsplit((await api.get("/verify?token=pkce_abc&type=signup")).headers["location"])
    assert parse_qs(location.query)["error_code"] == ["otp_expired"]
    assert parse_qs(location.fragment)["error_code"] == ["otp_expired"]


@pytest.mark.parametrize(
    "challenge",
    [
        {"code_challenge": S256},
        {"code_challenge_method": "s256"},
        {"code_challenge": S256, "code_challenge_method": "md5"},
        {"code_challenge": "x" * 42, "code_challenge_method": "s256"},
        {"code_challenge": "x" * 129, "code_challenge_method": "s256"},
        {"code_challenge": "é" * 43, "code_challenge_method": "s256"},
    ],
)
@pytest.mark.parametrize("path", ["/signup", "/recover"])
async def test_half_or_odd_challenges_are_refused(api: Api, path: str, challenge: dict[str, str]) -> None:
    answer = await api.post(path, {"email": EMAIL, "password": PASSWORD, **challenge})
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
