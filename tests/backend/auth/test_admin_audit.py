"""GET /admin/audit."""

from __future__ import annotations

from typing import Any
from uuid import UUID

import pytest

from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person
from tests.conftest import Clock

pytestmark = pytest.mark.anyio

EMAIL = "giulia@socio.example"


@pytest.fixture
async def history(api: Api, person: Person, now: Clock) -> None:
    """A sign-up and two logins."""
    await person(data={"full_name": "Giulia Ferri"})
    for _ in range(2):
        now.advance(seconds=1)
        await api.sign_in(EMAIL)


async def entries(api: Api, resources: Resources, query: str = "") -> list[dict[str, Any]]:
    answer = await api.get(f"/admin/audit{query}", resources.keys.secret_key)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()
    return found


@pytest.mark.usefixtures("history")
async def test_entries_come_newest_first(api: Api, resources: Resources) -> None:
    found = await entries(api, resources)
    assert [entry["payload"]["action"] for entry in found][:2] == ["login", "login"]
    assert {*found[0]} == {"id", "payload", "created_at", "ip_address"}
    assert str(UUID(found[0]["id"])) == found[0]["id"]
    assert found[0]["created_at"].endswith("Z")
    assert found[0]["payload"]["actor_username"] == EMAIL


@pytest.mark.usefixtures("history")
async def test_entries_come_in_pages(api: Api, resources: Resources) -> None:
    answer = await api.get("/admin/audit?page=1&per_page=1", resources.keys.secret_key)
    total = int(answer.headers["x-total-count"])
    assert (len(answer.json()), total) == (1, len(await entries(api, resources)))
    assert f"page={total}&per_page=1" in answer.headers["link"]
    pages = [await entries(api, resources, f"?per_page=1&page={page}") for page in range(1, total + 1)]
    assert [page[0]["id"] for page in pages] == [entry["id"] for entry in await entries(api, resources)]


@pytest.mark.usefixtures("history")
@pytest.mark.parametrize(
    ("query", "actions"),
    [
        ("action:login", {"login"}),
        ("author:GIULIA", {"login", "user_signedup", "user_confirmation_requested"}),
        ("author:Ferri", {"login", "user_signedup", "user_confirmation_requested"}),
        ("type:team", {"user_signedup"}),
        ("author:%", set()),
        ("action:", {"login", "user_signedup", "user_confirmation_requested"}),
    ],
)
async def test_entries_can_be_searched(api: Api, resources: Resources, query: str, actions: set[str]) -> None:
    found = await entries(api, resources, f"?query={query.replace('%', '%25')}")
    assert {entry["payload"]["action"] for entry in found} == actions


@pytest.mark.parametrize("query", ["login", "password:x", "payload'--:x", "author:%00"])
async def test_a_bad_query_is_refused(api: Api, resources: Resources, query: str) -> None:
    answer = await api.get(f"/admin/audit?query={query}", resources.keys.secret_key)
    assert (answer.status_code, answer.json()["code"]) == (400, "validation_failed")
