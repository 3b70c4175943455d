"""A WhatsApp number connected at Meta: only by the person and session that began it, once, and nothing is lost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlsplit
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources
from backend.edge.api import Away, Context
from functions._shared.whatsapp import meta_app
from functions.jobs import whatsapp_deliveries, whatsapp_history
from tests.db import accounts, channels
from tests.fakes.meta import graph
from tests.fakes.meta.business import Person
from tests.functions import signed_in
from tests.functions.whatsapp_desk import meta as meta

pytestmark = pytest.mark.anyio
SESSION = "00000000-0000-4000-8000-000000000001"
GIULIA = Person("IT.13491208655302741918", "Giulia Rossi", "393331234567")
NUMBER = """
select phone_number_id, waba_id, portfolio, state::text as state, is_on_phone, history_state::text as history
from public.whatsapp_accounts
"""


@pytest.fixture
def settings(settings: Settings, meta: graph.Meta) -> Settings:
    told = {
        "WHATSAPP_API_BASE": meta.url, "WHATSAPP_APP_ID": meta.signups.app_id,
        "WHATSAPP_APP_SECRET": meta.signups.secret, "WHATSAPP_CONFIGURATION_ID": "900",
    }  # fmt: skip
    return replace(settings, edge_runtime=replace(settings.edge_runtime, secrets=told))


@dataclass
class Newcomer:
    """A person without a number, and Meta."""

    resources: Resources
    client: httpx.AsyncClient
    user_id: UUID
    meta: graph.Meta

    @property
    def context(self) -> Context:
        return Context("test", {"role": "service_role"}, "", self.resources)

    async def rows(self, sql: str, *arguments: Any) -> list[dict[str, Any]]:
        async with db.connection(self.resources.pool) as connection:
            return [dict(row) for row in await connection.fetch(sql, *arguments)]

    async def call(
        self, method: str, name: str, body: Any = None, *, session: str = SESSION, who: UUID | None = None
    ) -> httpx.Response:
        """Ask as a person in a session; nobody has to wait."""
        await self.rows("delete from private.leases")
        headers = signed_in.headers(self.resources, who or self.user_id, session_id=session)
        return await self.client.request(method, f"/functions/v1/{name}", json=body, headers=headers)

    async def begin(self, *, is_on_phone: bool = True) -> str:
        answer = await self.call("POST", "whatsapp_signup", {"is_on_phone": is_on_phone})
        assert answer.status_code == 200, answer.text
        return str(answer.json()["url"])

    async def back(self, query: Mapping[str, str]) -> dict[str, str]:
        """Come back from Meta; answers what the page of ours gets."""
        led = await self.client.get(f"/functions/v1/{meta_app.RETURN_SLUG}", params=query)
        assert (led.status_code, led.headers["Cache-Control"]) == (303, "no-store")
        target = urlsplit(led.headers["Location"])
        assert target.path == "/settings/channels"
        names = {"whatsapp_stato": "state", "whatsapp_codice": "code", "whatsapp_errore": "error"}
        return {names[name]: value for name, value in parse_qsl(target.fragment)}

    async def agree(self, url: str, **more: Any) -> dict[str, str]:
        """Agree in the dialog."""
        asked = parse_qs(urlsplit(url).query)
        code = self.meta.signups.grant(self.meta.business, asked["redirect_uri"][0], **more)
        return await self.back({"state": asked["state"][0], "code": code})

    async def end(self, answer: Mapping[str, str], **more: Any) -> httpx.Response:
        return await self.call("PUT", "whatsapp_signup", answer, **more)

    async def connect(self, *, is_on_phone: bool = True) -> httpx.Response:
        return await self.end(await self.agree(await self.begin(is_on_phone=is_on_phone)))

    async def run_history(self) -> None:
        """Run the job as it was enqueued."""
        [row] = await self.rows("select id from public.whatsapp_accounts")
        await whatsapp_history.handler({"account_id": str(row["id"])}, self.context)


@pytest.fixture
async def newcomer(client: httpx.AsyncClient, resources: Resources, meta: graph.Meta) -> Newcomer:
    async with db.transaction(resources.pool) as connection:
        user_id = await accounts.create(connection)
    meta.business.is_on_phone = True
    return Newcomer(resources, client, user_id, meta)


def refusal(answer: httpx.Response) -> tuple[int, str]:
    return answer.status_code, answer.json()["code"]


async def test_the_dialog_is_metas_with_our_configuration(newcomer: Newcomer) -> None:
    assert (await newcomer.call("GET", "whatsapp_account")).json()["signup"] is True
    url = urlsplit(await newcomer.begin())
    asked = {name: values[0] for name, values in parse_qs(url.query).items()}
    assert url._replace(query="").geturl() == "https://www.facebook.com/v25.0/dialog/oauth"
    assert (asked["client_id"], asked["config_id"], asked["response_type"]) == ("5000", "900", "code")
    assert "whatsapp_business_app_onboarding" in asked["extras"]
    assert newcomer.meta.signups.secret not in url.query
    assert "featureType" not in await newcomer.begin(is_on_phone=False)


async def test_a_number_stays_on_the_phone_and_its_history_is_asked_for_once(newcomer: Newcomer) -> None:
    meta = newcomer.meta
    answer = await newcomer.connect()
    assert (answer.status_code, answer.json()["display_number"]) == (200, meta.business.display_number)
    [number] = await newcomer.rows(NUMBER)
    assert number == {
        "phone_number_id": meta.business.phone_number_id, "waba_id": meta.business.waba_id, "portfolio": "portfolio",
        "state": "attivo", "is_on_phone": True, "history": "da_chiedere",
    }  # fmt: skip
    # It was not registered, which would have taken it out of the phone.
    assert (meta.pin, meta.business.is_on_phone) == (None, True)
    [secret] = await newcomer.rows("select sealed_token, sealed_app_secret from private.whatsapp_secrets")
    assert secret["sealed_app_secret"] is None
    assert secret["sealed_token"] != meta.business.token
    await newcomer.run_history()
    await newcomer.run_history()
    assert meta.synced == ["smb_app_state_sync", "history"]
    assert (await newcomer.rows(NUMBER))[0]["history"] == "attesa"
    # What Meta delivers is signed by the operator's app.
    assert meta.webhook is not None
    body = meta.business.history({GIULIA: [meta.business.past(GIULIA, "ciao", age=timedelta(days=1))]})
    address = urlsplit(meta.webhook["override_callback_uri"])
    target = f"{address.path}?{address.query}"
    signed = replace(meta.business, app_secret=meta.signups.secret).headers(body)
    assert (await newcomer.client.post(target, content=body, headers=signed)).status_code == 200
    forged = await newcomer.client.post(
        target, content=body, headers=replace(meta.business, app_secret="").headers(body)
    )
    assert forged.status_code == 400
    [delivery] = await newcomer.rows("select id from private.whatsapp_deliveries")
    await whatsapp_deliveries.handler({"delivery_id": delivery["id"]}, newcomer.context)
    assert (await newcomer.rows(NUMBER))[0]["history"] == "finita"
    # A history that is finished is not asked for again, whatever comes late.
    [account] = await newcomer.rows("select id from public.whatsapp_accounts")
    await whatsapp_history.given_up({"account_id": str(account["id"])}, newcomer.context)
    assert (await newcomer.rows(NUMBER))[0]["history"] == "finita"
    assert (await newcomer.call("DELETE", "whatsapp_account")).json() == {"is_told": True}
    assert not meta.webhook
    assert await newcomer.rows("select account_id from private.whatsapp_secrets") == []
    assert len(await newcomer.rows("select id from public.whatsapp_messages")) == 1


async def test_a_number_that_is_not_on_the_phone_is_registered(newcomer: Newcomer) -> None:
    newcomer.meta.business.is_on_phone = False
    assert (await newcomer.connect(is_on_phone=False)).status_code == 200
    [number] = await newcomer.rows(NUMBER)
    assert (number["is_on_phone"], number["history"]) == (False, None)
    assert len(newcomer.meta.pin or "") == 6
    await whatsapp_history.handler({}, newcomer.context)
    assert newcomer.meta.synced == []


async def test_a_number_on_the_phone_is_never_registered_whatever_was_chosen(newcomer: Newcomer) -> None:
    assert (await newcomer.connect(is_on_phone=False)).status_code == 200
    assert (newcomer.meta.pin, newcomer.meta.business.is_on_phone) == (None, True)
    assert (await newcomer.rows(NUMBER))[0]["is_on_phone"] is True


async def test_a_lost_number_is_connected_again_with_all_that_it_had(newcomer: Newcomer) -> None:
    assert (await newcomer.connect()).status_code == 200
    await newcomer.run_history()
    async with db.transaction(newcomer.resources.pool) as connection:
        await channels.add_template(connection, newcomer.user_id)
        await channels.receive_whatsapp(connection, newcomer.user_id)
    kept = (
        "select (select id from public.whatsapp_accounts), (select id from public.whatsapp_templates),"
        " (select id from public.whatsapp_messages), (select history_state::text from public.whatsapp_accounts)"
    )
    before = await newcomer.rows(kept)
    await newcomer.rows("select private.lose_whatsapp_number(id) from public.whatsapp_accounts")
    # The owner has given a new token; the old one is gone.
    newcomer.meta.business.token = "renewed"
    answer = await newcomer.agree(await newcomer.begin())
    newcomer.meta.add_template("promemoria", "Gentile {{nome}}, ci sentiamo domani.")
    assert (await newcomer.end(answer)).status_code == 200
    assert await newcomer.rows(kept) == before
    [number] = await newcomer.rows("select state::text as state, is_by_app, last_error from public.whatsapp_accounts")
    assert number == {"state": "attivo", "is_by_app": True, "last_error": None}
    assert (await newcomer.call("POST", "whatsapp_account")).status_code == 200


async def test_another_number_does_not_take_the_place_of_a_lost_one(newcomer: Newcomer) -> None:
    assert (await newcomer.connect()).status_code == 200
    await newcomer.rows("select private.lose_whatsapp_number(id) from public.whatsapp_accounts")
    newcomer.meta.business.phone_number_id = "2000"
    assert refusal(await newcomer.connect()) == (409, "other_number")
    [number] = await newcomer.rows(NUMBER)
    assert (number["phone_number_id"], number["state"]) == ("1098", "da_ricollegare")


async def test_a_state_is_of_one_person_one_session_and_one_use(newcomer: Newcomer) -> None:
    answer = await newcomer.agree(await newcomer.begin())
    async with db.transaction(newcomer.resources.pool) as connection:
        stranger = await accounts.create(connection)
    assert refusal(await newcomer.end(answer, who=stranger)) == (400, "invalid_state")
    assert refusal(await newcomer.end(answer | {"state": "x"})) == (400, "invalid_state")
    assert refusal(await newcomer.end(answer, session=str(uuid4()))) == (400, "other_session")
    assert refusal(await newcomer.end(answer)) == (400, "invalid_state")
    # A second tab begins again: the first one cannot end any more.
    first = await newcomer.agree(await newcomer.begin())
    second = await newcomer.agree(await newcomer.begin())
    assert refusal(await newcomer.end(first)) == (400, "invalid_state")
    assert (await newcomer.end(second)).status_code == 200
    assert refusal(await newcomer.end(second)) == (400, "invalid_state")
    late = await newcomer.agree(await newcomer.begin())
    await newcomer.rows("update private.whatsapp_signups set expires_at = now()")
    assert refusal(await newcomer.end(late)) == (400, "expired_state")


async def test_refusals_of_meta_have_their_words_and_keep_nothing(newcomer: Newcomer) -> None:
    meta = newcomer.meta
    url = await newcomer.begin()
    state = parse_qs(urlsplit(url).query)["state"][0]
    denied = await newcomer.end(
        await newcomer.back({"state": state, "error": "access_denied", "error_reason": "user_denied"})
    )
    assert refusal(denied) == (400, "access_denied")
    assert "Non hai dato il permesso" in denied.json()["message"]
    assert refusal(await newcomer.end(await newcomer.agree(await newcomer.begin(), is_expired=True))) == (
        422,
        "code_refused",
    )
    meta.signups.scopes = meta.signups.scopes[:1]
    assert refusal(await newcomer.connect()) == (422, "no_permission")
    meta.signups.scopes = ()
    assert refusal(await newcomer.connect()) == (422, "no_permission")
    assert await newcomer.rows(NUMBER) == []


async def test_a_failure_after_the_exchange_is_tried_again_by_the_same_state(newcomer: Newcomer) -> None:
    meta = newcomer.meta
    meta.business.is_on_phone = False
    meta.pin = "111111"
    answer = await newcomer.agree(await newcomer.begin(is_on_phone=False))
    assert refusal(await newcomer.end(answer)) == (422, "has_pin")
    assert await newcomer.rows(NUMBER) == []
    [kept] = await newcomer.rows("select sealed_token from private.whatsapp_signups")
    assert meta.business.token != kept["sealed_token"]
    meta.mode = "garbage"
    assert refusal(await newcomer.end({"state": answer["state"]})) == (503, "meta_unavailable")
    meta.mode, meta.pin = "good", None
    assert (await newcomer.end({"state": answer["state"]})).status_code == 200
    assert await newcomer.rows("select state_hash from private.whatsapp_signups") == []
    # One that is never ended is swept with its token.
    await newcomer.end(await newcomer.agree(await newcomer.begin()) | {"phone_number_id": "5"})
    await newcomer.rows("update private.whatsapp_signups set expires_at = now() - interval '2 hours'")
    await newcomer.rows("select private.due_whatsapp_senders()")
    assert await newcomer.rows("select state_hash from private.whatsapp_signups") == []


async def test_meta_that_does_not_answer_the_exchange_says_so(newcomer: Newcomer) -> None:
    answer = await newcomer.agree(await newcomer.begin())
    newcomer.meta.mode = "garbage"
    assert refusal(await newcomer.end(answer)) == (503, "exchange_failed")


async def test_one_of_several_numbers_is_chosen(newcomer: Newcomer) -> None:
    meta = newcomer.meta
    meta.business.is_on_phone = False
    meta.others = [
        {"id": "1099", "display_phone_number": "+1 555 0100", "is_on_biz_app": False, "platform_type": "CLOUD_API"}
    ]
    answer = await newcomer.agree(await newcomer.begin(is_on_phone=False))
    told = await newcomer.end(answer)
    assert [number["id"] for number in told.json()["numbers"]] == ["1098", "1099"]
    assert await newcomer.rows(NUMBER) == []
    unknown = await newcomer.end({"state": answer["state"], "phone_number_id": "5"})
    assert refusal(unknown) == (422, "no_number")
    assert (await newcomer.end({"state": answer["state"], "phone_number_id": "1099"})).status_code == 200
    assert (await newcomer.rows(NUMBER))[0]["phone_number_id"] == "1099"


async def test_of_several_numbers_the_one_on_the_phone_is_meant(newcomer: Newcomer) -> None:
    newcomer.meta.others = [{"id": "1099", "display_phone_number": "+1 555 0100", "is_on_biz_app": False}]
    assert (await newcomer.connect()).status_code == 200
    assert (await newcomer.rows(NUMBER))[0]["phone_number_id"] == "1098"


async def test_a_number_of_another_account_is_refused(newcomer: Newcomer) -> None:
    async with db.transaction(newcomer.resources.pool) as connection:
        other = await accounts.create(connection)
        await channels.connect_whatsapp(connection, other, phone_number_id=newcomer.meta.business.phone_number_id)
    assert refusal(await newcomer.connect()) == (409, "connected_elsewhere")
    [number] = await newcomer.rows("select user_id from public.whatsapp_accounts")
    assert number["user_id"] == other


async def test_a_process_that_dies_before_it_asks_for_the_history_is_followed_by_another(newcomer: Newcomer) -> None:
    await newcomer.connect()
    await newcomer.rows("update public.whatsapp_accounts set created_at = now() - interval '10 minutes'")
    found = await newcomer.rows("select user_id from private.unasked_whatsapp_histories()")
    assert [row["user_id"] for row in found] == [newcomer.user_id]
    await whatsapp_history.handler({}, newcomer.context)
    newcomer.meta.mode = "garbage"
    with pytest.raises(Away):
        await newcomer.run_history()
    newcomer.meta.mode = "190"
    await newcomer.run_history()
    assert (await newcomer.rows(NUMBER))[0]["history"] == "fallita"
    assert await newcomer.rows("select user_id from private.unasked_whatsapp_histories()") == []


async def test_what_belongs_to_no_number_comes_to_the_address_of_the_app(newcomer: Newcomer) -> None:
    meta, business = newcomer.meta, newcomer.meta.business
    url = "/functions/v1/whatsapp_webhook"
    asked = {"hub.mode": "subscribe", "hub.challenge": "7", "hub.verify_token": "900"}
    assert (await newcomer.client.get(url, params=asked)).text == "7"
    assert (await newcomer.client.get(url, params=asked | {"hub.verify_token": ""})).status_code == 403
    meta.add_template("promemoria", "Gentile {{nome}}, a domani.")
    await newcomer.connect()

    async def deliver(name: str, value: dict[str, Any], *, waba_id: str = business.waba_id) -> None:
        sender = replace(business, app_secret=meta.signups.secret, waba_id=waba_id)
        body = sender.delivery(value, name=name)
        assert (await newcomer.client.post(url, content=body, headers=business.headers(body))).status_code == 400
        assert (await newcomer.client.post(url, content=body, headers=sender.headers(body))).status_code == 200
        for row in await newcomer.rows("select id from private.whatsapp_deliveries where handled_at is null"):
            await whatsapp_deliveries.handler({"delivery_id": row["id"]}, newcomer.context)

    paused = {"event": "PAUSED", "message_template_name": "promemoria", "message_template_language": "it"}
    await deliver("message_template_status_update", paused, waba_id="5")
    assert await newcomer.rows("select state from public.whatsapp_templates") == [{"state": "APPROVED"}]
    await deliver("message_template_status_update", paused)
    assert await newcomer.rows("select state from public.whatsapp_templates") == [{"state": "PAUSED"}]
    await deliver("account_update", {"event": "VERIFIED_ACCOUNT"})
    assert (await newcomer.rows(NUMBER))[0]["state"] == "attivo"
    await deliver("account_update", {"event": "PARTNER_REMOVED"})
    assert (await newcomer.rows(NUMBER))[0]["state"] == "da_ricollegare"
    assert len(await newcomer.rows("select id from public.notifications where kind = 'whatsapp_fermo'")) == 1


def forget(monkeypatch: pytest.MonkeyPatch, newcomer: Newcomer, *names: str) -> None:
    """Have the operator unset settings."""
    told = newcomer.resources.settings.edge_runtime.secrets
    assert isinstance(told, dict)
    for name in names:
        monkeypatch.delitem(told, name)


async def test_without_an_app_of_the_operator_nothing_is_offered(
    newcomer: Newcomer, monkeypatch: pytest.MonkeyPatch
) -> None:
    forget(monkeypatch, newcomer, *meta_app.SETTINGS)
    assert (await newcomer.call("GET", "whatsapp_account")).json()["signup"] is False
    assert refusal(await newcomer.call("POST", "whatsapp_signup", {})) == (404, "not_offered")


async def test_a_number_whose_app_is_gone_takes_no_delivery(
    newcomer: Newcomer, monkeypatch: pytest.MonkeyPatch
) -> None:
    await newcomer.connect()
    assert newcomer.meta.webhook is not None
    address = urlsplit(newcomer.meta.webhook["override_callback_uri"])
    body = newcomer.meta.business.declined()
    # Signed with no secret at all.
    forged = replace(newcomer.meta.business, app_secret="").headers(body)
    forget(monkeypatch, newcomer, "WHATSAPP_APP_SECRET")
    target = f"{address.path}?{address.query}"
    assert (await newcomer.client.post(target, content=body, headers=forged)).status_code == 404
