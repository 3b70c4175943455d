"""GET /openapi.json, and every endpoint in it under random input: never a 500, always a code of the list."""

from __future__ import annotations

import json
import random
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
from tests.backend.auth.test_factors_totp import protect
from tests.conftest import Clock

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


def _schema(operation: dict[str, Any]) -> dict[str, Any]:
    """What a body may hold; empty for an operation without one."""
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    return schema


def _request(operation: dict[str, Any]) -> st.SearchStrategy[dict[str, Any]]:
    schema = _schema(operation)
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


class Known:
    """What is there to be asked for: an account at aal2, with a thing of each kind, and words that are understood."""

    def __init__(self, number: int, token: str, **values: list[Any]) -> None:
        self.token = token
        self.values = {**WORDS, **values}
        self.dice = random.Random(number)

    def put(self, wanted: dict[str, Any], operation: str) -> None:
        """Mostly something real in place of what was drawn."""
        body = wanted["body"] if isinstance(wanted["body"], dict) else {}
        for part in (wanted["path"], wanted["query"], body):
            for name in part.keys() & self.values.keys():
                if self.dice.random() < 0.8:
                    part[name] = self.dice.choice(self.values[name])
        if self.dice.random() < 0.8:
            wanted["caller"] = self.caller_of(operation)

    def sound(self, path: str, operation: dict[str, Any], dice: random.Random) -> dict[str, Any]:
        """A request of what is real and nothing else: all of its path and body, and some of its query.

        Drawn by `dice` and not by Hypothesis, which also draws from what the process has imported.
        """
        fields = _schema(operation).get("properties", {})
        in_path, in_query = (
            [each["name"] for each in operation["parameters"] if each["in"] == part] for part in ("path", "query")
        )
        real = {name: dice.choice(values) for name, values in self.values.items()}
        return {
            "path": {name: real.get(name, "x") for name in in_path},
            "query": {name: real[name] for name in in_query if name in real and dice.random() < 0.5},
            "body": {name: real[name] for name in fields if name in real} if fields else None,
            "caller": self.caller_of(path),
        }

    @staticmethod
    def caller_of(operation: str) -> str:
        return "admin" if "/admin" in operation or operation in ("/invite", "/magiclink") else "user"


WORDS: dict[str, list[Any]] = {
    "password": ["Segreto-1234", "Diversa-5678"],
    "action": ["approve", "deny"],
    "factor_type": ["totp", "webauthn"],
    "grant_type": ["password", "refresh_token"],
    "type": ["signup", "recovery", "magiclink", "email_change"],
    "scope": ["local", "others"],
    "redirect_uri": ["https://app.example/cb"],
    "redirect_to": ["http://localhost:54321/"],
    "response_type": ["code"],
    "code_challenge": ["x" * 43],
    "code_challenge_method": ["S256"],
    "friendly_name": ["Telefono"],
    "client_name": ["Un’altra"],
    "redirect_uris": [["https://app.example/cb"]],
    "token_endpoint_auth_method": ["none"],
    "grant_types": [["authorization_code"]],
    "response_types": [["code"]],
}


async def _known(api: Api, person: Person, now: Clock, admin: str, number: int) -> Known:
    email = f"persona{number}@socio.example"
    factor, session = await protect(api, now, await person(email))
    token, user_id = session["access_token"], session["user"]["id"]
    await api.post("/factors/recovery-codes", {}, token)
    application = {"client_name": "x", "redirect_uris": WORDS["redirect_uri"]}
    client_id = (await api.post("/admin/oauth/clients", application, admin)).json()["client_id"]
    asked = {
        name: WORDS[name][0] for name in ("redirect_uri", "response_type", "code_challenge", "code_challenge_method")
    }
    page = await api.get("/oauth/authorize", params={"client_id": client_id, **asked})
    provider = {
        "provider_type": "oauth2",
        "identifier": f"custom:p{number}",
        "name": "n",
        "client_id": "c",
        "client_secret": "s",
        "authorization_url": "https://a.example/a",
        "token_url": "https://a.example/t",
        "userinfo_url": "https://a.example/u",
    }
    assert (await api.post("/admin/custom-providers", provider, admin)).status_code == 201
    return Known(
        number,
        token,
        email=[email, f"nuova{number}@socio.example"],
        new_email=[f"altra{number}@socio.example"],
        user_id=[user_id],
        factor_id=[factor["id"]],
        identity_id=[(await api.get("/user", token)).json()["identities"][0]["identity_id"]],
        session_id=[each["id"] for each in (await api.get("/sessions", token)).json()],
        refresh_token=[session["refresh_token"]],
        client_id=[client_id],
        authorization_id=[page.headers["location"].split("authorization_id=")[1]],
        identifier=[f"custom:p{number}"],
        provider=[f"custom:p{number}"],
    )


# What is refused whatever is drawn: what is switched off, what asks for a proof (a code, a signature, a browser's key),
# and what has to be there in some other number; each has tests of its own.
OFF = ("/sso", "/scim", "/admin/sso")
PROOFS = {
    *("POST /verify", "POST /oauth/token", "POST /factors/{factor_id}/verify", "POST /factors/recovery-codes/verify"),
    *("POST /passkeys/registration/verify", "POST /passkeys/authentication/verify"),
    *("PATCH /passkeys/{passkey_id}", "DELETE /passkeys/{passkey_id}"),
    *("DELETE /admin/users/{user_id}/passkeys/{passkey_id}", "DELETE /user/oauth/grants"),
    *("DELETE /user/identities/{identity_id}", "POST /admin/custom-providers", "PUT /admin/oauth/clients/{client_id}"),
    *("POST /factors/recovery-codes", "DELETE /factors/{factor_id}"),
}


@pytest.mark.long
async def test_no_input_makes_a_server_error_and_every_refusal_has_a_code_of_the_list(
    api: Api, person: Person, resources: Resources, now: Clock
) -> None:
    limits = resources.settings.auth.rate_limit
    generous = replace(limits, **dict.fromkeys(vars(limits), 10**6))
    auth = replace(resources.settings.auth, rate_limit=generous)
    object.__setattr__(resources, "settings", replace(resources.settings, auth=auth))
    keys = resources.keys
    tokens = {"admin": keys.service_role_key, "anon": keys.anon_key}
    refused = set()
    for number, (method, path, operation) in enumerate(_operations(openapi.build(ROUTES, ""))):
        known = await _known(api, person, now, keys.service_role_key, number)
        tokens["user"] = known.token
        statuses = set()
        drawn = _drawn(operation)
        for wanted in drawn:
            known.put(wanted, path)
        dice = random.Random(number)
        for wanted in drawn + [known.sound(path, operation, dice) for _ in range(ROUNDS)]:
            answer = await _send(api, method, path, wanted, tokens.get(wanted["caller"], wanted["caller"]))
            assert answer.status_code < 500, f"{method} {path} {wanted}: {answer.text}"
            if answer.status_code >= 400:
                _check_refusal(answer)
            statuses.add(answer.status_code)
        if min(statuses) >= 400:
            refused.add(f"{method} {path}")
    assert {each for each in refused if not each.partition(" ")[2].startswith(OFF)} - PROOFS == set()


def _check_refusal(answer: httpx.Response) -> None:
    refusal = answer.json()
    # The OAuth server speaks RFC 6749, 5.2.
    assert refusal.get("code") in CODES or isinstance(refusal.get("error"), str), answer.text
