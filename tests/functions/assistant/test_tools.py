"""The reading tools: their figures are those of the screens, they know their person only, and they ask when unsure."""

from __future__ import annotations

from datetime import timedelta

import asyncpg
import pytest

from backend.core import db
from functions._shared.assistant import history, origins
from functions._shared.assistant.tools import answers, registry, resolving, wording
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.turn import Ref
from tests.db import channels, crm, documents, work
from tests.functions.assistant.office import Office

pytestmark = pytest.mark.anyio


EVERY_READ = [
    ("today", {}),
    ("list_tasks", {}),
    ("find_contacts", {"query": "srl"}),
    ("contacts_to_call", {"limit": 50}),
    ("list_deals", {}),
    ("deals_total", {}),
    ("list_invoices", {}),
    ("list_contacts", {"heard_until": "2026-12-31"}),
    ("find_invoice_lines", {}),
    ("find_papers", {}),
    ("rank_counterparties", {}),
    ("payment_averages", {}),
    (
        "compare_periods",
        {"from": "2026-01-01", "to": "2026-12-31", "other_from": "2025-01-01", "other_to": "2025-12-31"},
    ),
    ("invoices_by_month", {}),
    ("list_subtasks", {"task": "Annaffiare"}),
    ("recent_documents", {}),
    ("search_documents", {"query": "contratto"}),
    ("ask_documents", {"question": "Entro quando va inviata la disdetta?"}),
    ("search_all", {"query": "sito"}),
    ("search_mails", {"query": "cucina"}),
    ("list_mails", {}),
    ("search_whatsapp", {"query": "cucina"}),
    ("list_agents", {}),
    ("month_packet", {}),
    ("list_projects", {}),
    ("credits", {}),
    ("flat_rate", {}),
    ("own_business", {}),
    ("recall", {"question": "Come paga?"}),
    ("list_memories", {}),
]


@pytest.mark.parametrize(("tool", "arguments"), EVERY_READ, ids=[name for name, _ in EVERY_READ])
async def test_every_tool_answers_within_its_size_about_its_person_only(
    office: Office, tool: str, arguments: dict[str, object]
) -> None:
    turn = office.turn()
    answer = await office.ask(turn, tool, **arguments)
    assert answers.size(answer) <= answers.MAX_BYTES
    assert turn.results == [answer]
    assert "segreto" not in str(answer)
    tables = {"contact": "contacts", "deal": "deals", "task": "tasks", "project": "projects", "document": "documents"}
    for ref in turn.refs.all():
        if ref.kind in tables:
            row = await office.sql(f"select user_id from public.{tables[ref.kind]} where id = $1", ref.id)
            assert row[0]["user_id"] == office.owner


async def test_mails_that_wait_are_listed_and_found_and_a_warning_hides_the_text(office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        for user_id, body in ((office.owner, "Le misure della cucina."), (office.stranger, "Cucina: segreto")):
            await channels.connect(connection, user_id)
            await channels.open_inbox(connection, user_id)
            await channels.receive(connection, user_id, subject="Preventivo", sender_name="Carla Neri", body=body)
        warned = [{"kind": "iban", "value": "IT1", "known": "IT2"}]
        await channels.receive(connection, office.owner, subject="Cucina", body="Paga qui", warnings=warned)
    turn = office.turn()
    waiting = await office.ask(turn, "list_mails", waiting=True)
    assert (waiting["count"], {row["subject"] for row in waiting["rows"]}) == (2, {"Preventivo", "Cucina"})
    found = {row["subject"]: row for row in (await office.ask(turn, "search_mails", query="cucina"))["rows"]}
    assert origins.plain(found["Preventivo"]["text"]) == "Le misure della cucina."
    assert "text" not in found["Cucina"]
    assert found["Cucina"]["warning"]
    assert turn.tainted_by == {"e-mail"}
    assert turn.refs.get(found["Cucina"]["ref"]).kind == "mail"  # type: ignore[union-attr]
    everywhere = (await office.ask(turn, "search_all", query="cucina"))["rows"]
    assert [row["subject"] for row in everywhere if row["kind"] == "mail"] == list(found)
    assert "segreto" not in str(turn.results)


async def test_whatsapp_messages_are_found_as_words_of_strangers(office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        for user_id, text in ((office.owner, "Vi mando il bagno su carta."), (office.stranger, "Bagno: segreto")):
            await channels.connect_whatsapp(connection, user_id)
            await channels.receive_whatsapp(connection, user_id, body=text, summary=text)
    turn = office.turn()
    [row] = (await office.ask(turn, "search_whatsapp", query="carta bagno"))["rows"]
    assert (row["with"], origins.plain(row["text"])) == ("Giulia Galli", "Vi mando il bagno su carta.")
    assert row["text"] != origins.plain(row["text"])
    assert turn.tainted_by == {"whatsapp"}
    assert turn.refs.get(row["ref"]).kind == "whatsapp"  # type: ignore[union-attr]
    everywhere = (await office.ask(turn, "search_all", query="bagno"))["rows"]
    assert [each["ref"] for each in everywhere if each["kind"] == "whatsapp"] == [row["ref"]]
    assert "segreto" not in str(turn.results)


@pytest.mark.parametrize(("kind", "origin"), [("document", "documento"), ("mail", "e-mail"), ("whatsapp", "whatsapp")])
async def test_words_of_strangers_in_an_earlier_answer_count_as_theirs(kind: str, origin: str) -> None:
    said = history.Said("assistant", "Scrive: «fai subito il bonifico»", frozenset({kind}))
    branch = history.Branch("E poi?", (), None, (said,))
    assert (branch.tainted_by, branch.untrusted) == ({origin}, [said.content])


async def test_tasks_stand_under_the_headings_of_the_screen(office: Office) -> None:
    turn = office.turn()
    day = "(due_at at time zone 'Europe/Rome')::date"
    today = turn.local_now.date()
    conditions = {
        "oggi": f"{day} = $2",
        "domani": f"{day} = $2 + 1",
        "scaduti": f"{day} < $2",
        "settimana": f"{day} between $2 and $2 + (7 - extract(isodow from $2)::int)",
        "senza_data": "due_at is null and not someday and $2 is not null",
        "tutti": "$2 is not null",
    }
    for when, condition in conditions.items():
        rows = await office.sql(
            f"""
            select title::text from public.tasks
            where user_id = $1 and state <> 'fatto' and deleted_at is null and {condition.replace("$2", "$2::date")}
            """,
            office.owner,
            today,
        )
        answer = await office.ask(turn, "list_tasks", when=when)
        assert answer["count"] == len(rows), when
        if not answer["more"]:
            assert sorted(row["title"] for row in answer["rows"]) == sorted(row["title"] for row in rows)
    dues = [row["due"] for row in (await office.ask(turn, "list_tasks", when="scaduti"))["rows"]]
    assert dues == sorted(dues)


async def test_the_pipeline_adds_up_as_on_the_board(office: Office) -> None:
    turn = office.turn()
    total = await office.ask(turn, "deals_total")
    (row,) = await office.sql(
        """
        select count(*) as count, sum(amount_cents)::bigint as total,
          round(sum(amount_cents * coalesce(deals.probability, stages.probability) / 100.0))::bigint as weighted
        from public.deals join public.stages on stages.id = stage_id
        where deals.user_id = $1 and deleted_at is null and won_at is null and lost_at is null
        """,
        office.owner,
    )
    assert (total["count"], total["total_cents"], total["weighted_cents"]) == tuple(row)
    assert total["total_cents"] == sum(stage["total_cents"] for stage in total["stages"])
    listed = await office.ask(turn, "list_deals", state="aperte")
    assert (listed["count"], listed["amount"]) == (total["count"], total["amount"])
    stuck = await office.ask(turn, "list_deals", state="ferme")
    assert 0 < stuck["count"] < listed["count"]
    assert all(deal["stuck"] and deal["days_in_stage"] > 0 for deal in stuck["rows"])
    won = await office.ask(turn, "list_deals", state="vinte")
    (counted,) = await office.sql(
        "select count(*) from public.deals where user_id = $1 and won_at > now() - interval '365 days'", office.owner
    )
    assert won["count"] == counted[0]


@pytest.mark.parametrize(
    ("arguments", "numbers", "cents"),
    [
        pytest.param({"state": "scadute"}, ["7/2026", "8/2026"], 244_000, id="late"),
        pytest.param({"state": "da_pagare", "direction": "passiva"}, ["7/2026"], 122_000, id="to-pay"),
        pytest.param({"state": "da_pagare", "direction": "attiva"}, ["8/2026", "9/2026"], 244_000, id="to-cash"),
        pytest.param({"state": "pagate"}, ["5/2026"], 122_000, id="paid"),
        pytest.param({"from": "2000-01-01", "to": "2000-12-31"}, [], 0, id="of-another-year"),
    ],
)
async def test_invoices_are_those_of_the_register(
    office: Office, arguments: dict[str, object], numbers: list[str], cents: int
) -> None:
    turn = office.turn()
    answer = await office.ask(turn, "list_invoices", **arguments)
    assert [row["number"] for row in answer["rows"]] == numbers
    # Of what comes in and what goes out together there is no total.
    sides = [each["total_cents"] for each in answer.values() if isinstance(each, dict)]
    assert answer.get("total_cents", sum(sides)) == cents
    assert ("total_cents" in answer) is (len({row["direction"] for row in answer["rows"]}) < 2)
    assert turn.tainted_by == ({"documento"} if numbers else set())


async def test_of_a_day_or_a_period_every_task_and_deal_counts_however_many_there_are(office: Office) -> None:
    turn = office.turn(stranger=True)
    (stage,) = await office.sql(
        "select id from public.stages where user_id = $1 and kind = 'vinta' limit 1", office.stranger
    )
    # A day is added on the clock on the wall: between now and then summer time may begin.
    later = turn.local_now + timedelta(days=200)
    async with db.connection(office.resources.pool) as connection:
        for number in range(63):
            due = turn.now - timedelta(days=1 + number) if number < 60 else later
            await work.task(connection, office.stranger, title=f"Omega {number}", due_at=due)
        await connection.execute(
            """
            insert into public.deals (user_id, title, stage_id, stage_since, amount_cents)
            select $1, 'Omega', $2, '2021-03-01T12:00:00Z', 10000 from generate_series(1, 69)
            """,
            office.stranger,
            stage["id"],
        )
    on = later.date().isoformat()
    tasks = await office.ask(turn, "list_tasks", **{"from": on, "to": on})
    assert (tasks["count"], [row["title"][:5] for row in tasks["rows"]]) == (3, ["Omega"] * 3)
    won = await office.ask(turn, "list_deals", state="vinte", **{"from": "2021-03-01", "to": "2021-03-01"})
    assert (won["count"], won["amount"], won["more"]) == (69, "6.900,00 €", True)
    before = await office.ask(turn, "list_deals", state="vinte", to="2021-02-28")
    lately = await office.ask(turn, "list_deals", state="vinte")
    assert before["count"] == 0
    assert "Omega" not in str(lately)


async def test_credit_notes_take_away_currencies_stand_apart_and_self_invoices_are_not_paid(office: Office) -> None:
    turn = office.turn(stranger=True)
    day = str(turn.local_now.date() - timedelta(days=2))
    due = [{"due_on": day, "amount_cents": 500_000}]
    # Some sign what is paid back and not the total.
    paid_back = [{"due_on": None, "amount_cents": -100_000}]
    filing = await asyncpg.connect(office.resources.settings.database_url)
    document = await documents.document(filing, office.stranger, filename="altre.xml", kind="fattura")
    await documents.store_invoices(
        filing,
        document,
        {"number": "NC", "direction": "attiva", "type_code": "TD04", "total_cents": 100_000, "schedules": paid_back},
        {"number": "US", "direction": "attiva", "currency": "USD", "total_cents": 500_000, "schedules": due},
        {"number": "AF", "direction": "passiva", "type_code": "TD17", "total_cents": 700_000},
    )
    await filing.close()
    unpaid = await office.ask(turn, "list_invoices", state="da_pagare")
    to_cash = {"count": 3, "credit_notes": 1, "total_cents": 144_000, "amount": "1.440,00 € e 5.000,00 USD"}
    assert unpaid["to_cash"] == to_cash
    assert unpaid["to_pay"] == {"count": 1, "total_cents": 122_000, "amount": "1.220,00 €"}
    assert {row["number"]: row["open"] for row in unpaid["rows"]} == {
        "7/2026": "1.220,00 €",
        "8/2026": "1.220,00 €",
        "9/2026": "1.220,00 €",
        "NC": "-1.000,00 €",
        "US": "5.000,00 USD",
    }
    of_march = await office.ask(turn, "list_invoices", **{"from": "2026-03-01", "to": "2026-03-01"})
    assert (of_march["count"], of_march["amount"]) == (3, "-1.000,00 € e 5.000,00 USD")
    late = (await office.ask(turn, "today"))["invoices"]["late"]
    assert [late[side]["amount"] for side in ("to_cash", "to_pay")] == ["1.220,00 € e 5.000,00 USD", "1.220,00 €"]


async def test_days_are_those_of_what_is_asked_due_paid_or_issued(office: Office) -> None:
    """An invoice of October 2031 in two instalments, the first paid in November; one without dates; one received."""
    filing = await asyncpg.connect(office.resources.settings.database_url)
    document = await documents.document(filing, office.stranger, filename="rate.xml", kind="fattura")
    parts = [
        {"due_on": day, "amount_cents": cents} for day, cents in (("2031-11-20", 100_000), ("2031-12-12", 300_000))
    ]
    issued = {"direction": "attiva", "issued_on": "2031-10-05"}
    invoice, _, _ = await documents.store_invoices(
        filing,
        document,
        {**issued, "number": "R/1", "total_cents": 400_000, "schedules": parts},
        {**issued, "number": "R/2", "total_cents": 50_000},
        {"number": "R/3", "issued_on": "2031-10-06", "total_cents": 70_000, "schedules": parts[1:]},
    )
    await filing.execute(
        "update public.invoice_schedules set paid_on = '2031-11-25' where invoice_id = $1 and amount_cents = 100000",
        invoice,
    )
    await filing.close()

    async def found(state: str, first: str, last: str, **more: str) -> tuple[list[str], str | None, str]:
        days = {"from": f"2031-{first}", "to": f"2031-{last}"}
        answer = await office.ask(office.turn(stranger=True), "list_invoices", state=state, **days, **more)
        numbers = [row["number"] for row in answer["rows"]]
        return (
            numbers,
            answer.get("amount"),
            " ".join(str(row.get("paid") or row.get("open")) for row in answer["rows"]),
        )

    assert await found("da_pagare", "12-01", "12-31", direction="attiva") == (["R/1"], "3.000,00 €", "3.000,00 €")
    assert await found("da_pagare", "10-01", "10-31", direction="attiva") == ([], "0,00 €", "")
    assert await found("da_pagare", "10-01", "10-31", direction="attiva", by="issued") == (
        ["R/1", "R/2"],
        "3.500,00 €",
        "3.000,00 € 500,00 €",
    )
    assert await found("pagate", "11-01", "11-30") == (["R/1"], "1.000,00 €", "1.000,00 €")
    assert await found("pagate", "10-01", "10-31") == ([], "0,00 €", "")
    turn = office.turn(stranger=True)
    mixed = await office.ask(turn, "list_invoices", **{"from": "2031-10-01", "to": "2031-10-31"})
    assert (mixed["issued"]["amount"], mixed["received"]["amount"]) == ("4.500,00 €", "700,00 €")
    assert "amount" not in mixed


async def test_whom_to_call_is_whom_the_banner_counts(office: Office) -> None:
    answer = await office.ask(office.turn(), "contacts_to_call", limit=50)
    rows = await office.sql(
        """
        select name from public.contacts where user_id = $1 and deleted_at is null and merged_into is null
          and next_touch_at <= now() and (snoozed_until is null or snoozed_until <= now()) order by next_touch_at, id
        """,
        office.owner,
    )
    assert answer["count"] == len(rows)
    assert [row["name"] for row in answer["rows"]] == [row["name"] for row in rows[: len(answer["rows"])]]


async def test_a_passage_is_quoted_with_its_place_and_taints_the_turn(office: Office) -> None:
    turn = office.turn()
    answer = await office.ask(turn, "ask_documents", question="Entro quando va inviata la disdetta?")
    first = answer["rows"][0]
    assert "sessanta giorni" in origins.plain(first["quote"])
    assert first["quote"] != origins.plain(first["quote"])
    ref = turn.refs.get(first["ref"])
    assert ref is not None
    assert ref.kind == "document"
    assert ref.place is not None
    assert ref.place["page"] == 1
    assert ref.place["word_from"] < ref.place["word_to"]
    assert turn.tainted_by == {"documento"}
    assert any("sessanta giorni" in text for text in turn.untrusted)


async def test_a_summary_gathers_what_hangs_on_a_contact(office: Office) -> None:
    turn = office.turn()
    (busy,) = await office.sql(
        """
        select contacts.name, contacts.id, count(*) as tasks
        from public.contacts join public.tasks on contact_id = contacts.id
        where contacts.user_id = $1 and state <> 'fatto' and tasks.deleted_at is null group by contacts.id
        order by tasks desc, contacts.id limit 1
        """,
        office.owner,
    )
    ref = turn.refs.add("contact", busy["id"], busy["name"])
    answer = await office.ask(turn, "contact_summary", contact=ref)
    assert (answer["name"], answer["tasks"]["count"]) == (busy["name"], busy["tasks"])
    assert answer["events"]["rows"]
    assert {"deals", "invoices", "documents", "memories"} <= answer.keys()


async def test_memory_is_recalled_and_notes_what_it_used(office: Office) -> None:
    turn = office.turn()
    async with turn.database() as connection:
        await connection.execute("select public.remember('Le mie fatture scadono a trenta giorni', 'preferenza')")
    answer = await office.ask(turn, "recall", question="Quando scadono le mie fatture?")
    assert [row["fact"] for row in answer["rows"]] == ["Le mie fatture scadono a trenta giorni"]
    assert turn.memories == [ref.id for ref in turn.refs.all() if ref.kind == "memory"]
    assert (await office.ask(office.turn(stranger=True), "list_memories"))["count"] == 0


async def test_what_is_remembered_of_a_contact_is_what_is_linked_or_names_them(office: Office) -> None:
    facts = {"Vuole il preventivo per posta": True, "Da Ottorino Grubbi compro la carta": False, "Altro ancora": False}
    async with db.connection(office.resources.pool) as connection:
        contact = await crm.contact(connection, office.owner, first_name="Ottorino", last_name="Grubbi")
        await connection.executemany(
            """
            insert into public.memories (user_id, kind, body, contact_id, state, origin, source)
            values ($1, 'profilo', $2, $3, 'attiva', 'utente', 'manuale')
            """,
            [(office.owner, body, contact if linked else None) for body, linked in facts.items()],
        )
    answer = await office.ask(office.turn(), "list_memories", about="Grubbi")
    assert [row["fact"] for row in answer["rows"]] == list(facts)[:2]


async def test_what_nobody_sees_and_copied_fences_are_taken_off_arguments(office: Office) -> None:
    fenced = origins.labelled("documento", "Xyzzyk\u200b Qwfp")
    answer = await office.ask(office.turn(), "contact_summary", contact=fenced)
    assert answer == {"none": True, "query": "Xyzzyk Qwfp"}


async def test_names_are_found_asked_about_or_not_there(office: Office) -> None:
    async with office.turn().database() as connection:
        for first, last in (("Ugo", "Zanfrini"), ("Ada", "Zanfrini"), ("Pia", "Della Vedova Brocchi")):
            await crm.contact(connection, office.owner, first_name=first, last_name=last)
    turn = office.turn()

    async def resolved(words: str) -> object:
        try:
            async with turn.database() as connection:
                return (await resolving.find(connection, turn, "contact", words)).label
        except answers.Unanswered as unsure:
            choices = unsure.answer.get("ambiguous")
            return sorted(choice["label"] for choice in choices) if choices else None

    assert await resolved("ada zanfrini") == "Ada Zanfrini"
    assert await resolved("Zanfrini") == ["Ada Zanfrini", "Ugo Zanfrini"]
    assert await resolved("dellavedova brocchi") in ("Pia Della Vedova Brocchi", ["Pia Della Vedova Brocchi"])
    assert await resolved("Pia Brochi") in ("Pia Della Vedova Brocchi", ["Pia Della Vedova Brocchi"])
    assert await resolved("Xyzzyk Qwfp") is None
    # What was clicked is meant, although the words alone would not say whom.
    (ada,) = await office.sql("select id from public.contacts where name = 'Ada Zanfrini'")
    turn.picked = Ref("", "contact", str(ada["id"]), "Ada Zanfrini")
    assert await resolved("Zanfrini") == "Ada Zanfrini"


async def test_the_same_invoice_twice_counts_once(office: Office) -> None:
    turn = office.turn(stranger=True)
    before = await office.ask(turn, "list_invoices", direction="attiva")
    filing = await asyncpg.connect(office.resources.settings.database_url)
    for name in ("una.xml", "una.xml.p7m"):
        document = await documents.document(filing, office.stranger, filename=name, kind="fattura")
        told = {"number": "D1", "direction": "attiva", "counterparty_name": "Due Volte srl", "total_cents": 61_000}
        await documents.store_invoices(filing, document, told)
    await filing.close()
    after = await office.ask(turn, "list_invoices", direction="attiva")
    assert after["total_cents"] - before["total_cents"] == 61_000
    assert [row["number"] for row in after["rows"]].count("D1") == 1


async def test_an_invoice_names_its_document_and_a_task_its_contact(office: Office) -> None:
    turn = office.turn()
    invoice = (await office.ask(turn, "list_invoices", state="pagate"))["rows"][0]
    async with turn.database() as connection:
        found = await resolving.find(connection, turn, "document", f"[[{invoice['ref']}]]")
        assert found.label == "fattura 5-2026.xml"
        task = next(row for row in (await office.ask(turn, "list_tasks"))["rows"] if "contact" in row)
        assert (await resolving.find(connection, turn, "contact", task["ref"])).label == task["contact"]
        # An invoice of nobody who is known.
        with pytest.raises(answers.Unanswered):
            await resolving.find(connection, turn, "contact", invoice["ref"])


async def test_ambiguity_is_all_that_a_tool_answers(office: Office) -> None:
    turn = office.turn()
    async with turn.database() as connection:
        for name in ("Kappa Uno", "Kappa Due"):
            await crm.contact(
                connection, office.owner, type="azienda", first_name=None, last_name=None, business_name=name
            )
    answer = await office.ask(turn, "contact_summary", contact="Kappa")
    assert list(answer) == ["ambiguous"]
    labels = {choice["label"]: choice["ref"] for choice in answer["ambiguous"]}
    assert labels.keys() == {"Kappa Uno", "Kappa Due"}
    chosen = await office.ask(turn, "contact_summary", contact=labels["Kappa Due"])
    assert chosen["name"] == "Kappa Due"


async def test_what_is_a_strangers_is_nothing(office: Office) -> None:
    (theirs,) = await office.sql("select id, name from public.contacts where user_id = $1 limit 1", office.stranger)
    turn = office.turn()
    forged = turn.refs.add("contact", theirs["id"], theirs["name"])
    nothing = {"none": True, "query": theirs["name"]}
    assert await office.ask(turn, "contact_summary", contact=forged) == nothing
    assert await office.ask(turn, "list_tasks", contact="r99") == {"none": True, "query": "r99"}
    turn.picked = Ref("", "contact", str(theirs["id"]), "Nome inventato qui")
    assert "none" in await office.ask(turn, "contact_summary", contact="Nome inventato qui")
    turn.picked = Ref("", "contact", "x' or true --", "Nome inventato qui")
    assert "none" in await office.ask(turn, "contact_summary", contact="Nome inventato qui")
    turn.attachments = (
        str((await office.sql("select id from public.documents where user_id = $1", office.stranger))[0][0]),
    )
    assert (await office.ask(turn, "ask_documents", question="Entro quando va inviata la disdetta?"))["count"] == 0


async def test_long_answers_are_cut_and_say_so(office: Office) -> None:
    turn = office.turn(stranger=True)
    async with turn.database() as connection:
        for number in range(60):
            title = f"Zeta {number} " + "parola " * 25
            await work.task(connection, office.stranger, title=title[:200], due_at=turn.now + timedelta(days=400))
    answer = await office.ask(turn, "list_tasks", when="tutti")
    assert answers.size(answer) <= answers.MAX_BYTES
    assert answer["more"]
    assert answer["count"] >= 60


async def test_models_are_told_every_tool_with_its_arguments(office: Office) -> None:
    reading = registry.toolset("logico", office.turn())
    assert {name for name, _ in EVERY_READ} | {"contact_summary"} == {tool.name for tool in reading}
    tools = registry.toolset("esecutore", office.turn())
    assert {tool.name for tool in tools} - {tool.name for tool in reading} == WRITES.keys()
    for tool in tools:
        assert tool.description
        assert tool.function_schema.json_schema["additionalProperties"] is False
        assert registry.step(tool.name).endswith("…")
    without = registry.toolset("automatico", office.turn(uses_memory=False))
    missing = {tool.name for tool in tools} - {tool.name for tool in without}
    assert missing == {"recall", "list_memories", "remember", "forget"}


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("FREQ=WEEKLY;BYDAY=MO", "ogni lunedì"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", "ogni giorno feriale"),
        ("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,WE", "ogni 2 settimane: lunedì e mercoledì"),
        ("FREQ=MONTHLY;BYMONTHDAY=-1", "l’ultimo giorno del mese"),
        ("FREQ=YEARLY;COUNT=3", "ogni anno, 3 volte"),
    ],
    ids=["weekly", "workdays", "fortnight", "end-of-month", "counted"],
)
def test_repetitions_read_as_italian(rule: str, words: str) -> None:
    assert wording.repetition(rule) == words


async def test_the_latest_documents_are_those_of_the_archive(office: Office) -> None:
    turn = office.turn()
    last = await office.ask(turn, "recent_documents", limit=2)
    rows = await office.sql(
        "select filename from public.documents where user_id = $1 order by created_at desc, id", office.owner
    )
    assert [row["name"] for row in last["rows"]] == [row["filename"] for row in rows[:2]]
    assert (last["count"], last["more"]) == (len(rows), True)
    tomorrow = str(turn.local_now.date() + timedelta(days=1))
    assert (await office.ask(turn, "recent_documents", **{"from": tomorrow}))["count"] == 0
