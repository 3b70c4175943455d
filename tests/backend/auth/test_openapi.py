"""GET /openapi.json, and every endpoint in it under random input: never a 500, always a code of the list."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import httpx
import pytest
from hypothesis import Phase, given
from hypothesis import settings as run
from hypothesis import strategies as st

from backend.auth import openapi
from backend.auth.description import DESCRIBED
from backend.auth.errors import Code
from backend.auth.routes import ROUTES
from backend.core.config import Settings
from backend.core.config_providers import OAuthServer
from backend.core.resources import Resources
from tests.backend.auth.conftest import Api, Person

pytestmark = pytest.mark.anyio


@pytest.fixture
def settings(settings: Settings) -> Settings:
    """With the OAuth server on: switched off, its endpoints have nothing else to say."""
    server = OAuthServer(enabled=True, allow_dynamic_registration=True)
    return replace(settings, auth=replace(settings.auth, oauth_server=server))


CODES = {str(code) for code in Code}
# Requests to each operation.
ROUNDS = 8


def _routed() -> set[str]:
    return {
        f"{method} {route.path.replace(':path}', '}')}" for route in ROUTES for method in (route.methods or set())
    } - {f"HEAD {route.path}" for route in ROUTES}


async def _document(api: Api) -> dict[str, Any]:
    answer = await api.get("/openapi.json")
    assert answer.status_code == 200
    made: dict[str, Any] = answer.json()
    return made


def _operations(document: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    return [(method.upper(), path, each) for path, item in document["paths"].items() for method, each in item.items()]


async def test_the_document_holds_every_route_and_nothing_else(api: Api) -> None:
    document = await _document(api)
    assert {f"{method} {path}" for method, path, _ in _operations(document)} == {
        each for each in _routed() if not each.startswith("HEAD")
    }
    assert set(DESCRIBED) <= _routed()
    assert document["servers"] == [{"url": "http://localhost:54321/auth/v1"}]
    assert set(document["components"]["schemas"]["Error"]["properties"]["code"]["enum"]) == CODES


async def test_every_operation_says_what_it_does_and_every_reference_leads_somewhere(api: Api) -> None:
    document = await _document(api)
    for method, path, operation in _operations(document):
        assert len(operation["summary"]) > 10, f"{method} {path}"
        for name in re.findall(r"schemas/(\w+)", str(operation)):
            assert name in document["components"]["schemas"]
        for name in re.findall(r"{(\w+)}", path):
            assert name in [each["name"] for each in operation["parameters"] if each["in"] == "path"]


async def test_who_may_call_is_told_truly(api: Api) -> None:
    """Without a token an operation that asks for one answers 401, and one that asks for none does not."""
    for method, path, operation in _operations(await _document(api)):
        if f"{method} {path}" not in DESCRIBED:
            continue
        answer = await api.call(method, re.sub(r"{\w+}", "x", path), {}, "")
        refused = answer.status_code == 401 and answer.json()["code"] == "no_authorization"
        assert refused == bool(operation["security"]), f"{method} {path}: {answer.status_code} {answer.text}"


# Random input.

ODD_WORDS = (
    *("", " ", "\x00", "\ud800", "a@b.it", "giulia@socio.example", "+393331234567", "totp", "signup", "0" * 300),
    *("😀@b.it", "//evil.example", "javascript:alert(1)", "%00", "../..", "null", "'; drop table auth.users; --"),
    "00000000-0000-0000-0000-000000000000",
)
ODD_TEXT = st.one_of(st.text(max_size=30), st.sampled_from(ODD_WORDS))
HUGE = (0, -1, 2**31, 2**63, 2**64, 10**400, 1e308, float("inf"), float("nan"))
ODD_NUMBER = st.one_of(st.integers(), st.floats(), st.sampled_from(HUGE))
ODD = st.recursive(
    st.one_of(st.none(), st.booleans(), ODD_NUMBER, ODD_TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(ODD_TEXT, inner, max_size=3)),
    max_leaves=6,
)
RIGHT = {
    "string": ODD_TEXT,
    "boolean": st.booleans(),
    "object": st.dictionaries(ODD_TEXT, ODD, max_size=3),
    "array": st.lists(ODD_TEXT, max_size=3),
}


CALLERS = ("", "user", "user", "admin", "admin", "anon", "no.token.at.all")


def _body(schema: dict[str, Any]) -> st.SearchStrategy[Any]:
    """Mostly of the right types, so that more than the first check is reached."""
    fields = {
        name: st.one_of(RIGHT[each["type"][0]], RIGHT[each["type"][0]], ODD)
        for name, each in schema["properties"].items()
    }
    return st.one_of(st.fixed_dictionaries({}, optional=fields), st.fixed_dictionaries(fields), ODD)


def _request(operation: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema")
    in_path = [each["name"] for each in operation["parameters"] if each["in"] == "path"]
    in_query = [each["name"] for each in operation["parameters"] if each["in"] == "query"]
    return st.fixed_dictionaries(
        {
            "path": st.fixed_dictionaries(dict.fromkeys(in_path, ODD_TEXT)),
            "query": st.fixed_dictionaries({}, optional=dict.fromkeys(in_query, ODD_TEXT)),
            "body": _body(schema) if schema else st.one_of(st.none(), ODD),
            "caller": st.sampled_from(CALLERS),
        }
    )


async def _send(api: Api, method: str, path: str, wanted: dict[str, Any], token: str) -> httpx.Response:
    quoted = {name: _quote(value) or "x" for name, value in wanted["path"].items()}
    query = {name: value.encode("utf-8", "replace").decode() for name, value in wanted["query"].items()}
    headers = {"X-Supabase-Api-Version": "2024-01-01", "Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"Bearer {token}"
    content = json.dumps(wanted["body"]).encode()
    target = f"/auth/v1{path.format(**quoted)}"
    return await api.client.request(method, target, params=query, headers=headers, content=content)


def _quote(text: str) -> str:
    return "".join(f"%{byte:02X}" for byte in text.encode("utf-8", "replace"))


def _drawn(operation: dict[str, Any]) -> list[dict[str, Any]]:
    """Requests as Hypothesis draws them, the same in each run. Drawn before they are sent: it knows no coroutines."""
    found: list[dict[str, Any]] = []

    @given(wanted=_request(operation))
    @run(max_examples=ROUNDS, derandomize=True, database=None, phases=[Phase.generate], deadline=None)
    def collect(wanted: dict[str, Any]) -> None:
        found.append(wanted)

    collect()
    return found


async def test_no_input_makes_a_server_error_and_every_refusal_has_a_code_of_the_list(
    api: Api, person: Person, resources: Resources
) -> None:
    limits = resources.settings.auth.rate_limit
    generous = replace(limits, **dict.fromkeys(vars(limits), 10**6))
    auth = replace(resources.settings.auth, rate_limit=generous)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    keys = resources.keys
    tokens = {"admin": keys.service_role_key, "anon": keys.anon_key}
    for number, (method, path, operation) in enumerate(_operations(openapi.build(ROUTES, ""))):
        tokens["user"] = (await person(f"persona{number}@socio.example"))["access_token"]
        for wanted in _drawn(operation):
            answer = await _send(api, method, path, wanted, tokens.get(wanted["caller"], wanted["caller"]))
            assert answer.status_code < 500, f"{method} {path} {wanted}: {answer.text}"
            if answer.status_code >= 400:
                _check_refusal(answer)


def _check_refusal(answer: httpx.Response) -> None:
    refusal = answer.json()
    # The OAuth server speaks RFC 6749, 5.2.
    assert refusal.get("code") in CODES or isinstance(refusal.get("error"), str), answer.text
