"""`mail_domain`: what the DNS says about a person's domain, and what to set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from uuid import UUID

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from functions._shared import mail_domain
from tests.db import accounts, channels
from tests.fakes import dns
from tests.functions import signed_in

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/mail_domain"
DOMAIN = "studio.example"
KEY = f"default._domainkey.{DOMAIN}"
DMARC = f"_dmarc.{DOMAIN}"
GOOD: Mapping[str, Sequence[str]] = {
    DOMAIN: ["altro", "v=spf1 include:_spf.aruba.it ~all"],
    KEY: [f"v=DKIM1; k=rsa; p={'A' * 400}"],
    DMARC: ["v=DMARC1; p=reject"],
}


async def person(resources: Resources, address: str = f"io@{DOMAIN}") -> UUID:
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
        await channels.connect(connection, user_id, host="smtps.aruba.it", from_address=address)
        return user_id


@pytest.mark.parametrize(
    ("texts", "refuses", "states"),
    [
        pytest.param({}, [], "ok ok ok", id="all is set"),
        pytest.param({DOMAIN: [], KEY: [], DMARC: []}, [], "missing missing missing", id="nothing is set"),
        pytest.param({DOMAIN: ["v=spf1 mx ~all"]}, [], "wrong ok ok", id="another server than ours"),
        pytest.param(
            {DOMAIN: ["v=spf1 include:_spf.aruba.it ~all", "v=spf1 mx -all"]}, [], "wrong ok ok", id="two SPF"
        ),
        pytest.param({DOMAIN: ["v=spf1 include:_spf.aruba.it +all"]}, [], "weak ok ok", id="everybody may send"),
        pytest.param(
            {DOMAIN: ["v=spf1 include:_spf.aruba.it " + "include:x.example " * 10 + "-all"]},
            [],
            "wrong ok ok",
            id="too many lookups",
        ),
        pytest.param({KEY: ["v=DKIM1; p="]}, [], "ok missing ok", id="a key that was revoked"),
        pytest.param({DMARC: ["v=DMARC1; p=none"]}, [], "ok ok weak", id="DMARC only watches"),
        pytest.param({DMARC: ["v=DMARC1; p=tutti"]}, [], "ok ok wrong", id="DMARC without a policy"),
        pytest.param({}, [DOMAIN, DMARC], "unknown ok unknown", id="the DNS does not answer"),
    ],
)
async def test_the_domain_is_judged_by_its_records(
    client: httpx.AsyncClient,
    resources: Resources,
    monkeypatch: pytest.MonkeyPatch,
    texts: Mapping[str, Sequence[str]],
    refuses: Sequence[str],
    states: str,
) -> None:
    user_id = await person(resources)
    async with dns.serving({name: each for name, each in {**GOOD, **texts}.items() if each}, refuses) as resolver:
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        answer = await client.get(PATH, headers=signed_in.headers(resources, user_id))
    assert answer.status_code == 200
    body = answer.json()
    assert (body["domain"], body["is_provider"]) == (DOMAIN, False)
    assert [each["kind"] for each in body["checks"]] == ["spf", "dkim", "dmarc"]
    assert " ".join(each["state"] for each in body["checks"]) == states


async def test_what_is_missing_is_said_as_a_record_to_set(
    client: httpx.AsyncClient, resources: Resources, monkeypatch: pytest.MonkeyPatch
) -> None:
    user_id = await person(resources)
    async with dns.serving({}) as resolver:
        monkeypatch.setattr(mail_domain, "resolver", lambda: resolver)
        answer = await client.get(PATH, headers=signed_in.headers(resources, user_id))
    told = {each["kind"]: (each["name"], each["value"]) for each in answer.json()["checks"]}
    assert told == {
        "spf": (DOMAIN, "v=spf1 include:_spf.aruba.it ~all"),
        "dkim": (None, None),
        "dmarc": (DMARC, f"v=DMARC1; p=none; rua=mailto:io@{DOMAIN}"),
    }


async def test_a_domain_of_a_provider_needs_nothing_and_nobody_asks_without_an_account(
    client: httpx.AsyncClient, resources: Resources
) -> None:
    user_id = await person(resources, "io@gmail.com")
    headers = signed_in.headers(resources, user_id)
    answer = await client.get(PATH, headers=headers)
    assert answer.json() == {"domain": "gmail.com", "is_provider": True, "checks": []}
    assert (await client.get(PATH, headers=headers)).status_code == 429
    async with db.connection(resources.pool) as connection:
        await connection.execute("delete from public.mail_accounts")
    assert (await client.get(PATH, headers=headers)).json()["code"] == "not_connected"
    assert (await client.get(PATH)).status_code == 401
