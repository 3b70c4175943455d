"""Numbers of several people in one WhatsApp account: each gets its own deliveries, and nobody else's."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from functions._shared.whatsapp import connecting, numbers
from functions.jobs import whatsapp_deliveries, whatsapp_releases
from tests.db import accounts, channels
from tests.fakes.meta import graph
from tests.fakes.meta.business import Business, Person
from tests.functions.whatsapp_desk import WEBHOOK, Desk
from tests.functions.whatsapp_desk import meta as meta

pytestmark = pytest.mark.anyio
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
PAUSED = {"event": "PAUSED", "message_template_name": "promemoria", "message_template_language": "it"}


@pytest.fixture
def settings(settings: Settings, meta: graph.Meta) -> Settings:
    told = {
        "WHATSAPP_API_BASE": meta.url, "WHATSAPP_APP_ID": meta.signups.app_id,
        "WHATSAPP_APP_SECRET": meta.signups.secret, "WHATSAPP_CONFIGURATION_ID": "900",
    }  # fmt: skip
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=told))


@pytest.fixture
async def desks(client: httpx.AsyncClient, resources: Resources, meta: graph.Meta) -> list[Desk]:
    """Make two people, whose numbers are in one account and connected by one app of their own."""
    meta.others = [{"id": "1099", "display_phone_number": "+39 02 7654321"}]
    meta.add_template("promemoria", "Gentile {{nome}}, a domani.")
    return [await join(client, resources, replace(meta.business, phone_number_id=own)) for own in ("1098", "1099")]


async def join(client: httpx.AsyncClient, resources: Resources, business: Business) -> Desk:
    """Make a person who connects a number by its form."""
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
    desk = Desk(resources, client, user_id, uuid4(), business)
    told = {"token": business.token, "app_secret": business.app_secret}
    answer = await desk.call(
        "PUT",
        "whatsapp_account",
        {"phone_number_id": business.phone_number_id, "waba_id": business.waba_id} | told,
    )
    assert answer.status_code == 200, answer.text
    desk.account_id = UUID(answer.json()["id"])
    return desk


async def put(client: httpx.AsyncClient, resources: Resources, business: Business, secret: str | None) -> Desk:
    """Make a person with a number as it is after it was connected; without a secret by the operator's app."""
    desk = Desk(resources, client, uuid4(), uuid4(), business)
    context = desk.context()
    async with db.transaction(resources.pool) as connection:
        desk.user_id = await accounts.create(connection)
        await channels.connect_whatsapp(
            connection, desk.user_id, account_id=desk.account_id, phone_number_id=business.phone_number_id,
            sealed_token=context.seal(numbers.TOKENS, desk.account_id, business.token),
            sealed_app_secret=secret and context.seal(numbers.APP_SECRETS, desk.account_id, secret),
        )  # fmt: skip
    return desk


async def leave(desk: Desk) -> dict[str, Any]:
    await desk.rows("delete from private.leases")
    answer = await desk.call("DELETE", "whatsapp_account")
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


async def post(desk: Desk, body: bytes, secret: str, address: str | None) -> int:
    """Deliver to any address what any app signed, and read it; answers the status."""
    answer = await desk.client.post(
        WEBHOOK, params={"account": address} if address else {}, content=body,
        headers=replace(desk.meta, app_secret=secret).headers(body),
    )  # fmt: skip
    for row in await desk.rows("select id from private.whatsapp_deliveries where handled_at is null order by id"):
        await whatsapp_deliveries.handler({"delivery_id": row["id"]}, desk.context())
    return answer.status_code


async def releases(desk: Desk) -> list[UUID]:
    """Return the numbers about which Meta is still to be told."""
    return [row["id"] for row in await desk.rows("select id from private.whatsapp_releases")]


async def tell(desk: Desk) -> None:
    """Run the job when all is due."""
    await desk.rows("update private.whatsapp_releases set due_at = now()")
    await whatsapp_releases.handler({}, desk.context())


async def kept(desks: Sequence[Desk]) -> list[list[str]]:
    """Return what each person has received."""
    sql = "select body from public.whatsapp_messages where user_id = $1 order by body"
    return [[row["body"] for row in await desk.rows(sql, desk.user_id)] for desk in desks]


def said(desk: Desk, text: str) -> bytes:
    return desk.meta.said(GIULIA, desk.meta.message(GIULIA, part=text))


def address_of(meta: graph.Meta) -> str | None:
    """Return which number the address is for that Meta has; None for that of the operator's app."""
    assert meta.webhook is not None
    url = httpx.URL(meta.webhook["override_callback_uri"])
    assert url.path == WEBHOOK
    account: str | None = url.params.get("account")
    return account


async def test_each_number_gets_its_own_at_the_one_address_of_the_account(desks: list[Desk], meta: graph.Meta) -> None:
    first, second = desks
    address = address_of(meta)
    # The second has set the address of the account.
    assert address == str(second.account_id)
    for desk, text in zip(desks, ("uno", "due"), strict=True):
        assert await post(desk, said(desk, text), meta.business.app_secret, address) == 200
    both = {
        "object": "whatsapp_business_account",
        "entry": [json.loads(said(desk, text))["entry"][0] for desk, text in zip(desks, ("tre", "4"), strict=True)],
    }
    assert await post(first, json.dumps(both).encode(), meta.business.app_secret, address) == 200
    assert await kept(desks) == [["tre", "uno"], ["4", "due"]]
    rows = await first.rows("select user_id, body, dead_letter from private.whatsapp_deliveries order by id")
    assert [row["dead_letter"] for row in rows] == [None] * 4
    # What a client of the other wrote is in no row of theirs.
    assert [row["user_id"] for row in rows if "tre" in row["body"] or "uno" in row["body"]] == [first.user_id] * 2
    # A template belongs to the account.
    body = first.meta.delivery(PAUSED, name="message_template_status_update")
    assert await post(first, body, meta.business.app_secret, address) == 200
    states = await first.rows("select user_id, state::text from public.whatsapp_templates")
    assert {(row["user_id"], row["state"]) for row in states} == {(desk.user_id, "PAUSED") for desk in desks}


async def test_who_leaves_does_not_silence_the_other(desks: list[Desk], meta: graph.Meta) -> None:
    first, second = desks
    assert await leave(second) == {"is_told": True}
    assert address_of(meta) == str(first.account_id)
    # The address of the one that is gone takes what Meta sends there meanwhile, for the one that remains only.
    for desk in desks:
        assert await post(desk, said(desk, "dopo"), meta.business.app_secret, str(second.account_id)) == 200
    assert await kept(desks) == [["dopo"], []]
    assert await leave(first) == {"is_told": True}
    assert meta.webhook is None


async def test_both_leave_at_once_and_nothing_remains(desks: list[Desk], meta: graph.Meta) -> None:
    await asyncio.gather(*(leave(desk) for desk in desks))
    assert meta.webhook is None


async def test_one_that_is_connected_while_another_leaves_is_subscribed_again(
    desks: list[Desk], meta: graph.Meta, monkeypatch: pytest.MonkeyPatch
) -> None:
    neighbours, seen = connecting.neighbours, [True]

    async def late(*arguments: Any) -> list[numbers.Number]:
        # The row of the other is not there yet at the first look.
        return [] if seen and seen.pop() else await neighbours(*arguments)

    monkeypatch.setattr(connecting, "neighbours", late)
    assert await leave(desks[1]) == {"is_told": True}
    assert ("DELETE", "77/subscribed_apps") in [call[:2] for call in meta.calls]
    assert address_of(meta) == str(desks[0].account_id)


async def test_another_app_of_the_account_is_left_alone(
    client: httpx.AsyncClient, resources: Resources, desks: list[Desk], meta: graph.Meta
) -> None:
    for desk in desks[1:]:
        await leave(desk)
    other = await put(client, resources, replace(meta.business, phone_number_id="1099"), "another app")
    meta.calls.clear()
    assert await leave(desks[0]) == {"is_told": True}
    assert [call[:2] for call in meta.calls if call[0] != "GET"] == [
        ("DELETE", "77/subscribed_apps"),
        ("POST", "77/subscribed_apps"),
    ]
    assert address_of(meta) == str(other.account_id)


async def test_meta_that_does_not_answer_leaves_the_other_connected(desks: list[Desk], meta: graph.Meta) -> None:
    meta.mode = "190"
    assert await leave(desks[1]) == {"is_told": True}
    assert await leave(desks[0]) == {"is_told": False}


async def test_a_number_that_goes_with_its_person_is_taken_away_at_meta(desks: list[Desk], meta: graph.Meta) -> None:
    first, second = desks
    # Both ways in which an account ends: it is frozen, and later erased.
    await first.rows("select private.stop_outward($1)", first.user_id)
    assert await releases(first) == [first.account_id]
    await tell(first)
    # The other number of the account still needs it.
    assert address_of(meta) == str(second.account_id)
    await second.rows("delete from auth.users where id = $1", second.user_id)
    meta.mode = "cut"
    await tell(second)
    assert (meta.webhook is None, await releases(second)) == (False, [second.account_id])
    meta.mode = "good"
    # Not before ten minutes are over.
    await whatsapp_releases.handler({}, second.context())
    assert await releases(second) == [second.account_id]
    await tell(second)
    assert await releases(second) == []
    assert meta.webhook is None


async def test_a_token_that_is_gone_ends_the_attempts_and_so_does_a_week(desks: list[Desk], meta: graph.Meta) -> None:
    first, second = desks
    await first.rows("delete from public.whatsapp_accounts where id = $1", second.account_id)
    await tell(first)
    meta.mode = "190"
    assert await leave(first) == {"is_told": False}
    assert await releases(first) == []
    meta.mode = "4"
    again = await put(first.client, first.resources, replace(meta.business, phone_number_id="9"), "app-secret")
    assert await leave(again) == {"is_told": False}
    assert await releases(again) == [again.account_id]
    await again.rows("update private.whatsapp_releases set created_at = now() - interval '8 days'")
    await whatsapp_releases.handler({}, again.context())
    assert await releases(again) == []


async def test_who_connects_again_before_meta_knows_stays_connected(desks: list[Desk], meta: graph.Meta) -> None:
    first, second = desks
    await leave(second)
    meta.mode = "cut"
    assert await leave(first) == {"is_told": False}
    meta.mode = "good"
    await first.rows("delete from private.leases")
    number = {"phone_number_id": "1098", "waba_id": "77", "token": meta.business.token, "app_secret": "renewed"}
    answer = await first.call("PUT", "whatsapp_account", number)
    assert answer.status_code == 200
    await tell(first)
    assert address_of(meta) == answer.json()["id"]


async def test_numbers_of_the_operators_app_share_its_address(
    client: httpx.AsyncClient, resources: Resources, meta: graph.Meta
) -> None:
    desks = [await put(client, resources, replace(meta.business, phone_number_id=own), None) for own in ("1098", "9")]
    secret = meta.signups.secret
    # As they were connected before: Meta has the address of either of them.
    for address in (None, str(desks[0].account_id), str(desks[1].account_id)):
        for desk in desks:
            assert await post(desk, said(desk, "ciao"), secret, address) == 200
    assert await kept(desks) == [["ciao"] * 3] * 2
    assert await leave(desks[0]) == {"is_told": True}
    assert address_of(meta) is None
    assert meta.webhook is not None
    verified = await client.get(
        WEBHOOK,
        params={"hub.mode": "subscribe", "hub.challenge": "7", "hub.verify_token": meta.webhook["verify_token"]},
    )
    assert verified.text == "7"
    # A number that is not connected is nobody's.
    assert await post(desks[0], said(desks[0], "tardi"), secret, None) == 200
    assert await kept(desks) == [["ciao"] * 3] * 2
    assert await post(desks[1], said(desks[1], "via"), secret, str(desks[0].account_id)) == 200
    assert await kept(desks[1:]) == [["ciao", "ciao", "ciao", "via"]]


@pytest.mark.parametrize("waba_id", ["77", "5"])
async def test_an_own_app_signs_nothing_about_the_number_of_another(
    client: httpx.AsyncClient, resources: Resources, desks: list[Desk], meta: graph.Meta, waba_id: str
) -> None:
    # In the same account by another app, or in another one.
    stranger = await put(client, resources, replace(meta.business, phone_number_id="6"), "their app")
    await stranger.rows("update public.whatsapp_accounts set waba_id = $2 where id = $1", stranger.account_id, waba_id)
    victim = desks[0]
    stolen = [
        said(victim, "forged"),
        victim.meta.delivery(PAUSED, name="message_template_status_update"),
        victim.meta.delivery({"event": "PARTNER_REMOVED"}, name="account_update"),
        victim.meta.delivery(stranger.meta.value(messages=[]), {"metadata": {"phone_number_id": "1098"}}),
    ]
    for body in stolen:
        for address in (str(stranger.account_id), str(victim.account_id), None):
            assert await post(victim, body, "their app", address) in (200, 400)
            assert await post(victim, body, "no app", address) == 400
    rows = await victim.rows(
        "select body, dead_letter from private.whatsapp_deliveries where user_id <> $1", stranger.user_id
    )
    assert rows == []
    assert await kept(desks) == [[], []]
    states = await victim.rows(
        "select state::text from public.whatsapp_accounts where user_id <> $1"
        " union all select state::text from public.whatsapp_templates where user_id <> $1 order by 1",
        stranger.user_id,
    )
    assert [row["state"] for row in states] == ["APPROVED", "APPROVED", "attivo", "attivo"]
    # Words in a message name no number.
    quoted = '{"phone_number_id":"1098","id":"77"}'
    assert await post(stranger, said(stranger, quoted), "their app", str(stranger.account_id)) == 200
    assert await kept([victim, stranger]) == [[], [quoted]]


async def test_a_change_to_another_account_leaves_the_former(
    client: httpx.AsyncClient, resources: Resources, meta: graph.Meta
) -> None:
    desk = await put(client, resources, replace(meta.business, phone_number_id="6"), meta.business.app_secret)
    await desk.rows("update public.whatsapp_accounts set waba_id = '5'")
    answer = await desk.call(
        "PUT", "whatsapp_account",
        {"phone_number_id": "1098", "waba_id": "77", "token": meta.business.token, "app_secret": "app-secret"},
    )  # fmt: skip
    assert answer.status_code == 200
    assert [call[:2] for call in meta.calls if call[1].endswith("subscribed_apps")] == [
        ("POST", "77/subscribed_apps"),
        ("DELETE", "5/subscribed_apps"),
    ]
    # The same account once more, with a secret that was renewed: nothing is taken away.
    meta.calls.clear()
    await desk.rows("delete from private.leases")
    answer = await desk.call(
        "PUT", "whatsapp_account",
        {"phone_number_id": "1098", "waba_id": "77", "token": meta.business.token, "app_secret": "renewed"},
    )  # fmt: skip
    assert answer.status_code == 200
    assert "DELETE" not in [call[0] for call in meta.calls]


async def test_a_number_that_cannot_be_decrypted_stops_no_other(desks: list[Desk], meta: graph.Meta) -> None:
    first = desks[0]
    address = address_of(meta)
    damage = "update private.whatsapp_secrets set sealed_token = $2, sealed_app_secret = $2 where account_id = $1"
    await first.rows(damage, first.account_id, "aesgcm:damaged")
    # Its own deliveries are signed by an app that the other number has too.
    for desk, text in zip(desks, ("uno", "due"), strict=True):
        assert await post(desk, said(desk, text), meta.business.app_secret, address) == 200
    assert await kept(desks) == [[], ["due"]]

    sealed = first.context().seal(numbers.TOKENS, first.account_id, meta.business.token)
    for desk in desks:
        await desk.rows("delete from public.whatsapp_accounts where id = $1", desk.account_id)
    # It is due before the other.
    await first.rows(
        "update private.whatsapp_releases set due_at = now() - case when id = $1 then interval '1 hour' else '1 s' end",
        first.account_id,
    )
    await whatsapp_releases.handler({}, first.context())
    assert (meta.webhook, await releases(first)) == (None, [first.account_id])
    # It waits for its key as for a Meta that is away, a week at most.
    await first.rows(
        "update private.whatsapp_releases set sealed_token = $1, sealed_app_secret = null, created_at = now()", sealed
    )
    await tell(first)
    assert await releases(first) == []


async def test_a_number_that_cannot_be_decrypted_is_connected_again_by_its_person(
    desks: list[Desk], meta: graph.Meta
) -> None:
    desk = desks[0]
    await desk.say(GIULIA, "Ci siete?")
    await desk.rows(
        "update private.whatsapp_secrets set sealed_token = 'aesgcm:damaged' where account_id = $1", desk.account_id
    )
    assert (await desk.write()).status_code == 200
    await desk.send()
    state = "select state::text, last_error_code from public.whatsapp_accounts where user_id = $1"
    assert [tuple(row.values()) for row in await desk.rows(state, desk.user_id)] == [("da_ricollegare", 190)]
    await desk.rows("delete from private.leases")
    refused = await desk.call("POST", "whatsapp_account")
    assert refused.json()["message"] == "Meta non accetta il token: creane uno nuovo e riprova"

    told = {"token": meta.business.token, "app_secret": meta.business.app_secret}
    ids = {"phone_number_id": desk.meta.phone_number_id, "waba_id": desk.meta.waba_id}
    await desk.rows("delete from private.leases")
    assert (await desk.call("PUT", "whatsapp_account", ids | told)).status_code == 200
    assert [row["state"] for row in await desk.rows(state, desk.user_id)] == ["attivo"]
    await desk.rows("update private.whatsapp_secrets set sealed_token = 'aesgcm:damaged'")
    assert await leave(desk) == {"is_told": False}
