"""An alert reaches a person: each admin gets a mail about it, once."""

from __future__ import annotations

from uuid import UUID

import pytest

from backend.edge.api import Context
from functions.jobs import payment_alerts
from tests.fakes.stripe import payments
from tests.functions.checkout.conftest import Shop

pytestmark = pytest.mark.anyio


async def tell(shop: Shop) -> list[tuple[str, str]]:
    """The job runs; answers all mails about alerts so far, to whom and what."""
    await payment_alerts.handler({}, Context("payment_alerts", {"role": "service_role"}, "", shop.resources))
    mails = await shop.query(
        "select recipient, plain from jobs.mails where purpose = 'payment_alerts' order by recipient"
    )
    return [(mail["recipient"], mail["plain"]) for mail in mails]


async def add_admin(shop: Shop, number: int) -> None:
    user_id = UUID(int=number)
    await shop.execute("insert into auth.users (id, email) values ($1, $2)", user_id, f"admin{number}@example.com")
    await shop.execute("insert into public.user_roles (user_id, role) values ($1, 'admin')", user_id)


async def disputed(shop: Shop) -> None:
    session = await shop.bought()
    charge = shop.stripe.account.objects[shop.stripe.account.objects[session["payment_intent"]]["latest_charge"]]
    payments.dispute(shop.stripe.account, charge)
    await shop.tell(shop.stripe.events("charge.dispute.created")[-1])


async def test_every_admin_is_told_of_an_alert_once(shop: Shop) -> None:
    await add_admin(shop, 1)
    await add_admin(shop, 2)
    assert await tell(shop) == []
    await disputed(shop)
    mails = await tell(shop)
    assert [recipient for recipient, _ in mails] == ["admin1@example.com", "admin2@example.com"]
    order = await shop.order()
    assert all(payment_alerts.WHAT["dispute"] in text and str(order["id"]) in text for _, text in mails)
    assert await tell(shop) == mails


async def test_with_nobody_to_tell_an_alert_waits_for_somebody(shop: Shop) -> None:
    await disputed(shop)
    assert await tell(shop) == []
    await add_admin(shop, 1)
    assert len(await tell(shop)) == 1


async def test_several_alerts_share_a_mail_and_what_is_resolved_is_not_told(shop: Shop) -> None:
    await add_admin(shop, 1)
    await shop.execute(
        """
        insert into public.payment_alerts (kind, details, resolved_at) values
          ('mismatch', '{"amount_total": [3999, 1]}', null), ('unknown_order', '{}', null), ('stuck_event', '{}', now())
        """
    )
    [(_, text)] = await tell(shop)
    assert "2 pagamenti aspettano te" in text
    assert 'Dettagli: {"amount_total": [3999, 1]}.' in text
    assert payment_alerts.WHAT["stuck_event"] not in text


async def test_every_kind_of_alert_has_its_words(shop: Shop) -> None:
    kinds = await shop.query("select unnest(enum_range(null::public.payment_alert_kind))::text as kind")
    assert {row["kind"] for row in kinds} == set(payment_alerts.WHAT)
