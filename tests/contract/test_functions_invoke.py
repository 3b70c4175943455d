"""supabase-py's functions against the running stack: tests/contract/functions answers."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from supabase_functions import FunctionRegion
from supabase_functions.errors import FunctionsHttpError, FunctionsRelayError

from supabase import Client
from tests.contract import stack
from tests.contract.conftest import Person
from tests.contract.methods import works


@works("functions.invoke")
def test_json_goes_and_comes(client: Client) -> None:
    body = {"città": "Forlì", "n": [1, None]}
    assert client.functions.invoke("echo", {"body": body, "responseType": "json"}) == body


@works("functions.invoke")
@pytest.mark.parametrize("body", ["perché no", bytes(range(256))], ids=["text", "bytes"])
def test_text_and_bytes_come_back_as_they_went(client: Client, body: str | bytes) -> None:
    expected = body.encode() if isinstance(body, str) else body
    assert client.functions.invoke("echo", {"body": body}) == expected


@works("functions.invoke")
def test_a_form_with_a_file_arrives(client: Client) -> None:
    request = httpx.Request("POST", "http://form", data={"name": "Anna"}, files={"file": ("a.bin", b"1234")})
    sent = {"body": request.read(), "headers": {"Content-Type": request.headers["content-type"]}}
    answer = client.functions.invoke("echo", {**sent, "responseType": "json"})
    assert answer == {"name": "Anna", "file": "a.bin: 4 bytes"}


@works("functions.invoke")
def test_events_arrive(client: Client) -> None:
    assert client.functions.invoke("echo?as=events", {"body": "uno due"}) == b"data: uno\n\ndata: due\n\n"


@works("functions.invoke")
def test_method_region_and_headers_arrive(client: Client) -> None:
    options = {"method": "PATCH", "headers": {"x-custom": "1"}, "responseType": "json"}
    seen: Any = client.functions.invoke("echo?as=request", {**options, "region": FunctionRegion.EuWest1})
    assert (seen["method"], seen["x-region"], seen["x-custom"]) == ("PATCH", "eu-west-1", "1")


@works("functions.set_auth")
def test_a_function_knows_who_calls(person: Person, client: Client) -> None:
    options = {"responseType": "json"}
    assert client.functions.invoke("echo?as=caller", options) == {"user_id": None, "role": "anon"}
    client.functions.set_auth(person.session.access_token)
    assert client.functions.invoke("echo?as=caller", options) == {"user_id": person.id, "role": "authenticated"}


@works("functions.invoke")
@pytest.mark.parametrize(
    ("name", "status"),
    [("echo?as=refusal", 409), ("echo?as=bug", 500), ("nowhere", 404)],
    ids=["refusal", "bug", "unknown"],
)
def test_an_error_of_the_function_is_an_http_error(client: Client, name: str, status: int) -> None:
    with pytest.raises(FunctionsHttpError) as error:
        client.functions.invoke(name)
    assert error.value.status == status


@works("functions.invoke")
def test_a_function_that_does_not_start_is_an_error_of_the_relay(client: Client) -> None:
    with pytest.raises(FunctionsRelayError) as error:
        client.functions.invoke("broken")
    assert json.loads(error.value.message)["code"] == "boot_error"


@works("functions.set_auth")
def test_a_forged_token_is_refused(new_client: Callable[..., Client]) -> None:
    client = new_client()
    client.functions.set_auth("x.y.z")
    with pytest.raises(FunctionsHttpError) as error:
        client.functions.invoke("echo", {"body": {}})
    assert error.value.status == 401


def test_the_products_own_functions_answer(client: Client, person: Person) -> None:
    answer: Any = client.functions.invoke("ip_hash", {"responseType": "json"})
    assert len(answer["ip_hash"]) == 16
    assert stack.answer_of("/functions/v1/health_report", person.session.access_token).status_code == 403
