"""Statements about money and people hold, even when no invoice is linked: «è tutto saldato», «hai sentito tutti»."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import asyncpg
import pytest
from starlette.types import ASGIApp

from backend.core import db
from backend.core.resources import Resources
from backend.edge.api import Context
from functions._shared.assistant.tools import registry
from functions._shared.assistant.tools.answers import answered
from functions._shared.assistant.turn import Turn
from functions._shared.ics import ROME
from tests.db import crm, documents, work
from tests.functions.assistant.chatting import Talk, talking

pytestmark = pytest.mark.anyio

VAT, OTHER_VAT, TAX_CODE = "00743110157", "12345678903", "RSSMRA85T10A562S"
OWN_VAT = "01234567897"


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


async def says(talk: Talk, question: str) -> str:
    """Return the answer of local mode."""
    return str((await talk.ask(question))[-1].data["message"]["content"])


async def tool(talk: Talk, name: str, **arguments: Any) -> dict[str, Any]:
    """Return what a model gets from a tool."""
    claims = {"sub": str(talk.person), "role": "authenticated"}
    turn = Turn(
        context=Context("chat", claims, "", talk.resources),
        user_id=str(talk.person),
        conversation_id=str(uuid4()),
        message_id=str(uuid4()),
        question="",
        now=talk.resources.now(),
    )
    if isinstance(arguments.get("contact"), UUID):
        arguments["contact"] = turn.refs.add("contact", arguments["contact"], "")
    return await answered(turn, registry.READS[name], registry.READS[name].arguments.model_validate(arguments))


async def contact(talk: Talk, name: str = "", **columns: Any) -> UUID:
    """Insert a company of this name, or the person whom the columns describe."""
    company = {"type": "azienda", "business_name": name, "first_name": None, "last_name": None} if name else {}
    async with db.connection(talk.resources.pool) as connection:
        return await crm.contact(connection, talk.person, **company | columns)


async def unlinked(talk: Talk, *cents: int, **invoice: Any) -> None:
    """File issued invoices, none of them linked to a contact."""
    connection = await asyncpg.connect(talk.resources.settings.database_url)
    for each in cents:
        document = await documents.document(connection, talk.person, filename="fattura.xml", kind="fattura")
        row = {"direction": "attiva", "number": str(uuid4())[:8], "total_cents": each, **invoice}
        await documents.store_invoices(connection, document, row)
        await connection.execute("update public.invoices set contact_id = null where document_id = $1", document)
    await connection.close()


@pytest.mark.parametrize(
    ("client", "invoice", "cents", "amount"),
    [
        pytest.param({"vat_number": VAT}, {"counterparty_vat": VAT}, 36_600, "366,00 €", id="by-vat-number"),
        pytest.param(
            {"tax_code": TAX_CODE},
            {"content": {"customer": {"tax_code": TAX_CODE}}},
            97_600,
            "976,00 €",
            id="by-tax-code",
        ),
        pytest.param({}, {"counterparty_name": "NERI SRL"}, 427_000, "4.270,00 €", id="by-name"),
    ],
)
async def test_an_unlinked_invoice_counts_for_the_client_that_it_names(
    talk: Talk, client: dict[str, str], invoice: dict[str, Any], cents: int, amount: str
) -> None:
    await contact(talk, "Neri S.r.l.", **client)
    await unlinked(talk, cents, **{"counterparty_name": "Ditta di G. N.", **invoice})
    assert f"Da incassare di Neri S.r.l.: **{amount}** in 1 fattura." in await says(talk, "quanto mi deve Neri?")
    for state in ("da_pagare", "tutte"):
        answer = await tool(talk, "list_invoices", contact="Neri", state=state)
        assert (answer["count"], answer["total_cents"]) == (1, cents)
        assert not answer.get("all_paid")
    summary = await tool(talk, "contact_summary", contact="Neri")
    assert summary["invoices"]["to_cash"]["amount"] == amount


async def test_a_similar_name_is_named_and_not_counted(talk: Talk) -> None:
    await contact(talk, "Neri S.r.l.", vat_number=VAT)
    late = [{"due_on": "2026-03-31", "amount_cents": 48_800}]
    await unlinked(talk, 48_800, 48_800, counterparty_name="Neri Srls", counterparty_vat=OTHER_VAT, schedules=late)
    answer = await tool(talk, "list_invoices", contact="Neri", state="da_pagare", direction="attiva")
    assert (answer["count"], answer["all_paid"], answer["on_file"]["count"]) == (0, False, 0)
    assert [(each["counterparty"], each["amount"]) for each in answer["similar"]] == [("Neri Srls", "976,00 €")]
    assert await says(talk, "quanto mi deve Neri S.r.l.?") == (
        "Non ho registrato fatture emesse di Neri S.r.l.\n\n"
        "Ci sono però 2 fatture di «Neri Srls», 976,00 €, non collegate a Neri S.r.l."
    )
    nothing_late = await says(talk, "scrivi un sollecito a Neri S.r.l.")
    assert nothing_late.endswith("\n\nCi sono però 2 fatture di «Neri Srls», 976,00 €, non collegate a Neri S.r.l.")
    assert "niente da sollecitare" not in nothing_late
    await unlinked(talk, 10_000, counterparty_name="Neri S.r.l.")
    counted = await says(talk, "quanto mi deve Neri S.r.l.?")
    assert counted.startswith("Da incassare di Neri S.r.l.: **100,00 €** in 1 fattura.")
    assert "Ci sono anche 2 fatture di «Neri Srls», 976,00 €, non collegate a Neri S.r.l." in counted
    assert "Ci sono anche 2 fatture di «Neri Srls»" in await says(talk, "riassumi Neri S.r.l.")


async def test_the_number_of_another_contact_outweighs_the_name(talk: Talk) -> None:
    await contact(talk, "Neri S.r.l.", vat_number=VAT)
    same_name = await contact(talk, "Neri Srl")
    await unlinked(talk, 36_600, counterparty_name="Neri Srl", counterparty_vat=VAT)
    answer = await tool(talk, "list_invoices", contact=same_name, state="da_pagare")
    assert (answer["count"], answer["all_paid"], answer["similar"][0]["amount"]) == (0, False, "366,00 €")


async def test_a_person_owes_what_their_company_owes(talk: Talk) -> None:
    company = await contact(talk, "Neri S.r.l.", vat_number=VAT)
    await contact(talk, first_name="Elena", last_name="Galli", company_id=company)
    await unlinked(talk, 36_600, counterparty_name="Altro", counterparty_vat=VAT)
    answer = await tool(talk, "list_invoices", contact="Elena Galli", state="da_pagare")
    assert answer["to_cash"]["total_cents"] == 36_600


async def test_settled_is_said_only_of_invoices_that_exist_and_are_paid(talk: Talk) -> None:
    await contact(talk, "Neri S.r.l.", vat_number=VAT)
    assert await says(talk, "quanto mi deve Neri S.r.l.?") == (
        "Non ho registrato fatture emesse di Neri S.r.l., quindi non so se è tutto saldato."
    )
    assert await says(talk, "quanto devo pagare ai fornitori?") == (
        "Non ho registrato fatture ricevute, quindi non so se è tutto saldato."
    )
    assert (await tool(talk, "list_invoices", state="da_pagare"))["all_paid"] is False
    await unlinked(talk, 36_600, counterparty_vat=VAT, paid_on="2026-03-02")
    assert await says(talk, "quanto mi deve Neri S.r.l.?") == (
        "Nessuna fattura emessa ancora da pagare di Neri S.r.l.: è tutto saldato."
    )
    assert (await tool(talk, "list_invoices", contact="Neri", state="da_pagare"))["all_paid"] is True


async def test_an_open_invoice_without_due_date_is_no_proof_of_punctuality(talk: Talk) -> None:
    await contact(talk, "Neri S.r.l.", vat_number=VAT)
    await unlinked(talk, 36_600, counterparty_vat=VAT)
    assert await says(talk, "fatture scadute di Neri S.r.l.") == (
        "Nessuna fattura scaduta di Neri S.r.l.\n\n1 fattura aperta non ha una scadenza."
    )


async def test_nobody_was_missed_only_where_it_is_known(talk: Talk) -> None:
    question = "chi devo richiamare?"
    assert await says(talk, question) == "Non hai ancora contatti."
    await contact(talk, first_name="Elena", last_name="Galli")
    assert await says(talk, question) == "Nessun contatto ha una cadenza, quindi non so chi dovresti risentire."
    await contact(talk, first_name="Luca", last_name="Galli", touch_days=30)
    assert await says(talk, question) == (
        "Secondo le cadenze non c’è nessuno da richiamare. 2 contatti non risultano mai sentiti."
    )
    async with db.connection(talk.resources.pool) as connection:
        await connection.execute("update public.contacts set last_interaction_at = now(), touch_days = 30")
    assert await says(talk, question) == "Nessuno da richiamare: hai sentito tutti per tempo."
    async with db.connection(talk.resources.pool) as connection:
        for title in ("Richiamare Elena", "Leggere la sentenza"):
            await work.task(connection, talk.person, title=title, due_at=talk.resources.now())
        await work.task(connection, talk.person, title="Chiama Luca", due_at=talk.resources.now() + timedelta(days=3))
    said = await says(talk, question)
    assert said.startswith("Entro oggi hai 1 attività per sentire qualcuno:\n\n1. **Richiamare Elena**")
    assert said.endswith("Secondo le cadenze non c’è nessun altro da richiamare.")
    answer = await tool(talk, "contacts_to_call")
    assert [row["title"] for row in answer["tasks"]["rows"]] == ["Richiamare Elena"]


async def test_turnover_is_net_and_every_total_says_whether_vat_counts(talk: Talk) -> None:
    await unlinked(talk, 122_000, net_cents=100_000, vat_cents=22_000)
    await unlinked(talk, -12_200, net_cents=-10_000, vat_cents=-2_200, type_code="TD04")
    answer = await tool(talk, "list_invoices", direction="attiva")
    assert (answer["amount"], answer["net"], answer["net_cents"]) == ("1.098,00 €", "900,00 €", 90_000)
    assert "**900,00 €** netto (1.098,00 € IVA compresa)" in await says(talk, "quanto ho fatturato?")
    assert "**1.098,00 €** IVA compresa (900,00 € netto)" in await says(talk, "fatture emesse")
    assert "**900,00 €** netto (1.098,00 € IVA compresa)" in await says(talk, "fatture emesse al netto")
    assert "Questi importi non sono al netto dell’IVA." in await says(talk, "quanto devo incassare al netto?")
    await unlinked(talk, 50_000)
    assert "**1.598,00 €** IVA compresa (manca il netto di 1 fattura)" in await says(talk, "quanto ho fatturato?")
    assert (await tool(talk, "list_invoices", direction="attiva"))["without_net"] == 1


@pytest.mark.parametrize(
    ("question", "follow", "amount"),
    [
        ("fatture emesse", "al netto?", "**1.000,00 €** netto (1.220,00 € IVA compresa)"),
        ("fatture emesse", "e senza IVA?", "**1.000,00 €** netto (1.220,00 € IVA compresa)"),
        ("quanto ho fatturato?", "e IVA compresa?", "**1.220,00 €** IVA compresa (1.000,00 € netto)"),
        ("quanto ho fatturato?", "al lordo?", "**1.220,00 €** IVA compresa (1.000,00 € netto)"),
    ],
)
async def test_the_other_kind_of_amount_is_answered_on_request(
    talk: Talk, question: str, follow: str, amount: str
) -> None:
    await unlinked(talk, 122_000, net_cents=100_000, vat_cents=22_000)
    first = (await talk.ask(question))[0].data
    told = await talk.ask(follow, conversation_id=first["conversation_id"], parent_id=first["message_id"])
    assert amount in told[-1].data["message"]["content"]


async def test_a_question_about_one_invoice_is_answered_by_its_number(talk: Talk) -> None:
    await contact(talk, "Neri S.r.l.", vat_number=VAT)
    part = {"due_on": "2026-03-31", "amount_cents": 48_800}
    await unlinked(talk, 48_800, number="12/2026", counterparty_name="Neri S.r.l.", schedules=[part])
    yesterday = (talk.resources.now().astimezone(ROME).date() - timedelta(1)).isoformat()
    await unlinked(talk, 12_200, number="13/2026", counterparty_name="Verdi srl", paid_on=yesterday)
    late = await says(talk, "La fattura 12/2026 è stata pagata?")
    assert "Fattura 12/2026 a Neri S.r.l." in late
    assert "Non è ancora saldata: restano 488,00 €" in late
    assert "122,00" not in late
    paid = await says(talk, "quando è stata pagata la fattura n. 13?")
    assert "**122,00 €** IVA compresa. Pagata ieri." in paid
    assert await says(talk, "quando mi hanno pagato la fattura 99?") == "Nel registro non c’è una fattura «99»."


async def paper(talk: Talk, total: int | None, said: dict[str, str], **columns: Any) -> None:
    """File a paper that waits because its kind is not sure, with these fields."""
    connection = await asyncpg.connect(talk.resources.settings.database_url)
    document = await documents.document(
        connection,
        talk.person,
        filename="scan.pdf",
        kind="fattura",
        state="da_verificare",
        total_cents=total,
        **columns,
    )
    for key, value in said.items():
        await documents.field(connection, document, key, value, 0.95)
    await connection.close()


async def test_sums_name_the_papers_that_they_leave_out(talk: Talk) -> None:
    neri = await contact(talk, "Neri S.r.l.", vat_number=VAT)
    await unlinked(talk, 36_600, counterparty_name="Neri S.r.l.", counterparty_vat=VAT)
    issued = {"vat_number": OWN_VAT, "customer": "Neri S.r.l.", "customer_vat_number": VAT}
    received = {"vat_number": OTHER_VAT, "supplier": "Verdi", "customer_vat_number": OWN_VAT}
    connection = await asyncpg.connect(talk.resources.settings.database_url)
    await connection.execute("update public.profiles set vat_number = $1 where user_id = $2", OWN_VAT, talk.person)
    await connection.close()
    await paper(talk, 90_080, {**issued, "total": "90080"}, contact_id=neri)
    await paper(talk, None, issued)
    await paper(talk, 12_200, {**received, "total": "12200"})
    both = "2 documenti non ancora registrati, 900,80 € e 1 senza importo: qui non li conto. Verificali in «Fatture»."
    for question in ("quanto mi deve Neri?", "quanto devo incassare?", "chi mi deve di più?", "quanto ho fatturato?"):
        assert both in await says(talk, question), question
    one = "1 documento non ancora registrato, 122,00 €: qui non lo conto. Verificalo in «Fatture»."
    assert one in await says(talk, "quanto devo pagare?")
    assert "registrat" not in await says(talk, "quanto ho incassato?")
    answer = await tool(talk, "list_invoices", state="da_pagare", direction="passiva")
    assert answer["unregistered"] == {"count": 1, "amount": "122,00 €"}
    assert answer["all_paid"] is False


async def test_nobody_is_said_to_have_paid_while_a_paper_of_theirs_waits(talk: Talk) -> None:
    neri = await contact(talk, "Neri S.r.l.", vat_number=VAT)
    await unlinked(talk, 36_600, counterparty_name="Neri S.r.l.", counterparty_vat=VAT, paid_on="2026-01-02")
    assert "è tutto saldato" in await says(talk, "quanto mi deve Neri?")
    await paper(talk, 50_000, {"total": "50000"}, contact_id=neri)
    said = await says(talk, "quanto mi deve Neri?")
    assert "saldato" not in said
    assert "1 documento non ancora registrato, 500,00 €" in said


async def test_an_invoice_without_a_due_date_is_due_on_no_day(talk: Talk) -> None:
    await unlinked(talk, 36_600, counterparty_name="Neri", issued_on="2026-11-02")
    answer = await tool(talk, "list_invoices", state="da_pagare", **{"from": "2026-11-01", "to": "2026-11-30"})
    assert (answer["count"], answer["undated"]) == (0, 1)
    assert "1 fattura aperta non ha una scadenza: qui non conta." in await says(
        talk, "quanto devo incassare entro fine novembre 2026?"
    )
