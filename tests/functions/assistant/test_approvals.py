"""Proposals: previewed exactly, carried out once, taken back; whatever goes wrong leaves nothing or everything."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, get_args
from urllib.parse import unquote
from uuid import UUID, uuid4

import asyncpg
import httpx
import pytest

from backend import gateway
from backend.core import db
from backend.edge import api
from functions._shared.assistant import approvals
from functions._shared.assistant.tools import decisions, wording, write_goals, write_memory
from functions._shared.assistant.tools.writes import WRITES
from functions._shared.assistant.turn import Turn
from functions._shared.goals import agents
from tests.db import crm, talks, work
from tests.functions.assistant.office import Office
from tests.functions.test_health_report import token

pytestmark = pytest.mark.anyio


@pytest.fixture(scope="module")
async def office(office: Office) -> Office:
    await _furnish(office)
    return office


async def _furnish(office: Office) -> None:
    """What the tests name, whichever of them runs first: three tasks, a deal, and somebody whom no demo contact
    resembles, with an address and a number.
    """
    async with db.connection(office.resources.pool) as connection:
        for title, columns in (
            ("Annaffiare il ficus gigante", {"due_at": office.turn().now + timedelta(days=3)}),
            ("Lucidare la teiera d’argento", {"rrule": "FREQ=WEEKLY", "due_at": office.turn().now}),
            ("Buttare il calendario vecchio", {}),
        ):
            await work.task(connection, office.owner, title=title, **columns)
        contact = await crm.contact(connection, office.owner, first_name="Quirina", last_name="Zabaldi")
        for table, names, values in (
            ("contact_emails", "value", "'quirina@example.it'"),
            ("contact_phones", "value, norm", "'333 7654321', '+393337654321'"),
        ):
            statement = f"insert into public.{table} (user_id, contact_id, {names}) values ($1, $2, {values})"
            await connection.execute(statement, office.owner, contact)
    await office.sql(
        """
        insert into public.deals (user_id, title, stage_id)
        select user_id, 'Fontana del cortile', id from public.stages where user_id = $1 and name = 'Preventivo'
        """,
        office.owner,
    )


@pytest.fixture(scope="module")
async def client(office: Office) -> AsyncIterator[httpx.AsyncClient]:
    async with gateway.application(office.resources) as app:
        transport = httpx.ASGITransport(app)
        base_url = office.resources.settings.api.external_url
        async with httpx.AsyncClient(transport=transport, base_url=base_url) as connected:
            yield connected


@pytest.fixture(scope="module")
async def anna(office: Office) -> UUID:
    (row,) = await office.sql("select id from public.contacts where last_name = 'Zabaldi'")
    contact: UUID = row["id"]
    return contact


async def answering(office: Office, question: str = "", **more: Any) -> Turn:
    """A turn under a message of its own."""
    turn = office.turn(question, **more)
    async with db.connection(office.resources.pool) as connection:
        begun = await talks.begin(connection, office.owner, question or "Fai una cosa")
        await talks.finish(connection, begun["run_id"])
        # How many turns a minute has is not what is tested here.
        await connection.execute("delete from private.assistant_use")
    turn.conversation_id, turn.message_id = begun["conversation_id"], begun["message_id"]
    return turn


async def proposed(office: Office, tool: str, question: str = "", **arguments: Any) -> dict[str, Any]:
    """The card of a tool call."""
    turn = await answering(office, question)
    answer = await propose(turn, tool, **arguments)
    assert answer.get("proposed"), answer
    return turn.proposals[-1]


async def propose(turn: Turn, tool: str, **arguments: Any) -> dict[str, Any]:
    """What a model is answered."""
    write = WRITES[tool]
    return await approvals.propose(turn, write, write.asked.model_validate(arguments))


async def decide(
    client: httpx.AsyncClient,
    office: Office,
    call: dict[str, Any],
    decision: str,
    user: UUID | None = None,
    **more: Any,
) -> httpx.Response:
    """As the browser asks."""
    body = {"tool_call_id": call["id"], "decision": decision, **more}
    headers = token(office.resources, user or office.owner, "aal1")
    return await client.post("/functions/v1/chat_action", json=body, headers=headers)


async def snapshot(office: Office) -> dict[str, list[Any]]:
    """All that the person sees, to be compared after an undo."""
    return {
        table: [
            tuple(row)
            for row in await office.sql(
                f"select {columns} from public.{table} where user_id = $1 and {there} order by 1", office.owner
            )
        ]
        for table, columns, there in (
            ("tasks", "id, title, state, due_at, due_is_allday, someday, remind_at, rrule", "deleted_at is null"),
            ("contacts", "id, name", "deleted_at is null"),
            ("notes", "id, body", "deleted_at is null"),
            ("interactions", "id, kind, at, summary", "true"),
            ("deals", "id, stage_id, lost_reason", "deleted_at is null"),
            ("invoices", "id, paid_on", "true"),
            ("invoice_schedules", "id, paid_on", "true"),
            ("drafts", "id, body", "deleted_at is null"),
            ("memories", "id, body, state", "state <> 'superata'"),
            ("goals", "id, agent, state", "completed_at is null"),
        )
    }


ARGUMENTS: dict[str, dict[str, Any]] = {
    "create_task": {"text": "domani alle 15 chiamare @Quirina ogni lunedì !alta"},
    "complete_task": {"task": "lucidare la teiera"},
    "move_task": {"task": "annaffiare il ficus", "when": "lunedì alle 10"},
    "delete_task": {"task": "calendario vecchio"},
    "add_note": {"contact": "Quirina Zabaldi", "body": "Preferisce essere chiamata la mattina"},
    "log_interaction": {"contact": "Quirina", "kind": "chiamata", "when": "ieri alle 15", "summary": "Conferma tutto"},
    "create_contact": {"name": "Tullio Vermentini", "email": "tullio@example.it", "phone": "02 1234567"},
    "delete_contact": {"contact": "Zabaldi"},
    "move_deal": {"deal": "fontana del cortile", "stage": "persa"},
    "add_subtasks": {"task": "annaffiare il ficus", "steps": "- riempire il secchio\n2. spostare il vaso"},
    "create_deal": {"contact": "Zabaldi", "title": "Sito nuovo", "amount": "3mila euro"},
    "mark_invoice_paid": {"invoice": "fattura 8/2026"},
    "draft_email": {"contact": "Zabaldi", "subject": "Saluti", "body": "Ciao Quirina,\ncome stai?"},
    "draft_whatsapp": {"contact": "Zabaldi", "body": "Ciao, ci sentiamo presto?"},
    "remember": {"fact": "Il mio studio è chiuso il venerdì pomeriggio"},
    "create_goal": {"agent": "recupero_crediti"},
}


async def test_every_write_is_carried_out_as_previewed_and_taken_back(
    client: httpx.AsyncClient, office: Office, anna: UUID
) -> None:
    assert ARGUMENTS.keys() | {"forget", "undo_last_action"} == WRITES.keys()
    for tool, arguments in ARGUMENTS.items():
        before = await snapshot(office)
        turn = await answering(office, "Il mio studio è chiuso il venerdì pomeriggio")
        answer = await propose(turn, tool, **arguments)
        assert answer.get("proposed"), (tool, answer)
        assert await snapshot(office) == before, tool
        call = turn.proposals[0]
        assert call["preview"]["title"]
        done = await decide(client, office, call, "approve")
        assert done.status_code == 200, (tool, done.text)
        assert (done.json()["state"], done.json()["error_code"]) == ("executed", None)
        assert done.json()["result"]["text"]
        assert await snapshot(office) != before, tool
        again = await decide(client, office, call, "approve")
        assert (again.status_code, again.json()["code"]) == (409, "already_decided"), tool
        undone = await decide(client, office, call, "undo")
        assert (undone.status_code, undone.json()["state"]) == (200, "undone"), (tool, undone.text)
        assert await snapshot(office) == before, tool
        assert (await decide(client, office, call, "undo")).status_code == 409


async def test_a_preview_says_what_will_be_stored(office: Office, anna: UUID) -> None:
    call = await proposed(office, "create_task", text="domani alle 15 chiamare @Quirina ogni lunedì !alta")
    lines = {line["label"]: line["value"] for line in call["preview"]["lines"]}
    assert lines["Titolo"] == "chiamare Quirina Zabaldi"
    assert lines["Si ripete"] == "ogni lunedì"
    assert lines["Priorità"] == "alta"
    assert lines["Contatto"] == "Quirina Zabaldi"
    # The first Monday from tomorrow on.
    assert "lunedì" in lines["Quando"]
    assert lines["Quando"].endswith("alle 15:00")
    assert call["args"]["contact_id"] == str(anna)
    draft = await proposed(office, "draft_whatsapp", contact="Zabaldi", body="Ciao\u200b,\nci vediamo [[r1]]?")
    assert draft["preview"]["body"] == "Ciao,\nci vediamo?"
    assert {rule["id"] for rule in draft["rules"]} >= {"E-01", "E-03"}
    assert ("A", "Quirina Zabaldi (+393337654321)") in [
        (line["label"], line["value"]) for line in draft["preview"]["lines"]
    ]


async def test_a_new_deal_is_what_was_said_of_it(client: httpx.AsyncClient, office: Office, anna: UUID) -> None:
    call = await proposed(office, "create_deal", contact="Zabaldi", amount="3mila euro", expected_close="2027-01-31")
    lines = {line["label"]: line["value"] for line in call["preview"]["lines"]}
    assert lines | {"Chiusura prevista": "…"} == {
        "Titolo": "Trattativa con Quirina Zabaldi",
        "Contatto": "Quirina Zabaldi",
        "Valore": "3.000,00 €",
        "Fase": "Contatto",
        "Chiusura prevista": "…",
    }
    for args, field in (({"amount": "tanto"}, "amount"), ({"stage": "Mai"}, "stage"), ({"title": ""}, "title")):
        refused = await decide(client, office, call, "approve", args=args)
        assert (refused.status_code, list(refused.json()["details"]["fields"])) == (422, [field])
    edited = {"title": "Sito", "amount": "1.500,50", "stage": "Preventivo"}
    (await decide(client, office, call, "approve", args=edited)).raise_for_status()
    (row,) = await office.sql(
        """
        select title::text, contact_id, amount_cents, stages.name::text as stage from public.deals
        join public.stages on stages.id = stage_id where deals.id = $1
        """,
        UUID(call["id"]),
    )
    assert tuple(row) == ("Sito", anna, 150_050, "Preventivo")
    turn = await answering(office)
    assert "con chi" in (await propose(turn, "create_deal", amount="3000"))["reason"]
    assert (await propose(turn, "create_deal", contact="Nessuno Mainominato"))["none"]


async def test_a_payment_is_always_asked_for_and_undone_as_it_was(client: httpx.AsyncClient, office: Office) -> None:
    (invoice,) = await office.sql(
        "select id from public.invoices where user_id = $1 and number = '9/2026'", office.owner
    )
    async with db.as_claims(office.resources.pool, {"sub": str(office.owner), "role": "authenticated"}) as connection:
        await connection.execute("select public.remind_of_schedules($1)", invoice["id"])
    await office.sql(
        """
        insert into public.invoice_schedules (user_id, invoice_id, no, amount_cents, paid_on)
        select user_id, id, 9, 100, '2026-01-07' from public.invoices where id = $1
        """,
        invoice["id"],
    )
    everything = """
        select invoices.paid_on as whole, no, parts.paid_on, tasks.state::text from public.invoices
        join public.invoice_schedules as parts on invoice_id = invoices.id left join public.tasks on tasks.id = task_id
        where invoices.id = $1 order by no
    """
    before = await office.sql(everything, invoice["id"])
    turn = await answering(office, "segna pagata la fattura 9", auto_approve=frozenset({"mark_invoice_paid"}))
    assert (await propose(turn, "mark_invoice_paid", invoice="fattura 9"))["proposed"]
    (call,) = turn.proposals
    assert [rule["id"] for rule in call["rules"]] == ["E-12"]
    assert {"label": "Importo", "value": "1.220,00 €"} in call["preview"]["lines"]
    tomorrow = str(turn.local_now.date() + timedelta(days=1))
    refused = await decide(client, office, call, "approve", args={"paid_on": tomorrow})
    assert (refused.status_code, list(refused.json()["details"]["fields"])) == (422, ["paid_on"])
    day = turn.local_now.date() - timedelta(days=2)
    (await decide(client, office, call, "approve", args={"paid_on": str(day)})).raise_for_status()
    assert [tuple(row) for row in await office.sql(everything, invoice["id"])] == [
        (day, 1, day, "fatto"),
        (day, 9, before[1]["paid_on"], None),
    ]
    wrong = await propose(turn, "mark_invoice_paid", invoice="8/2026", direction="passiva")
    assert "Nessuna fattura ricevuta" in wrong["reason"]
    again = await propose(turn, "mark_invoice_paid", invoice="fattura 9")
    assert again["none"]
    assert (await decide(client, office, call, "undo")).json()["state"] == "undone"
    assert await office.sql(everything, invoice["id"]) == before
    # One of its instalments alone.
    turn = await answering(office)
    assert (await propose(turn, "mark_invoice_paid", invoice="fattura 9", part=1))["proposed"]
    (call,) = turn.proposals
    assert call["preview"]["title"] == "Segna come incassata: rata 1, fattura 9/2026"
    assert any(line["label"] == "Rata" and line["value"].startswith("1 di 2, ") for line in call["preview"]["lines"])
    (await decide(client, office, call, "approve")).raise_for_status()
    (await decide(client, office, call, "undo")).raise_for_status()
    assert await office.sql(everything, invoice["id"]) == before
    assert "già" in (await propose(turn, "mark_invoice_paid", invoice="fattura 9", part=2))["reason"]
    assert "ha 2 rate" in (await propose(turn, "mark_invoice_paid", invoice="fattura 9", part=3))["reason"]


async def test_a_deal_that_comes_back_was_won_when_it_was(client: httpx.AsyncClient, office: Office) -> None:
    await office.sql(
        """
        insert into public.deals (user_id, title, stage_id, stage_since)
        select user_id, 'Cancello della villa', id, '2026-03-10T10:00Z' from public.stages
        where user_id = $1 and kind = 'vinta' limit 1
        """,
        office.owner,
    )
    times = "select won_at, lost_at, stage_since, lost_reason from public.deals where title = 'Cancello della villa'"
    before = await office.sql(times)
    call = await proposed(office, "move_deal", deal="cancello della villa", stage="Preventivo")
    (await decide(client, office, call, "approve")).raise_for_status()
    # Later than a slip of the hand is taken back.
    await office.sql(
        "update public.deals set stage_since = stage_since - interval '1 hour' where title = 'Cancello della villa'"
    )
    assert (await decide(client, office, call, "undo")).json()["state"] == "undone"
    assert await office.sql(times) == before


async def test_steps_are_lines_of_a_task_and_have_none_of_their_own(client: httpx.AsyncClient, office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        task = await work.task(connection, office.owner, title="Traslocare il laboratorio")
    call = await proposed(office, "add_subtasks", task="traslocare il laboratorio", steps="Chiamare il corriere")
    for lines, reason in (("-", "Scrivi almeno un passo"), ("x\n" * 21, "Al massimo 20 passi alla volta")):
        refused = await decide(client, office, call, "approve", args={"steps": lines})
        assert refused.json()["details"]["fields"] == {"steps": reason}
    done = await decide(client, office, call, "approve", args={"steps": "• Imballare\n\n2) Chiamare il corriere"})
    assert done.json()["result"]["text"] == "Ho aggiunto 2 passi a «Traslocare il laboratorio»."
    turn = office.turn()
    steps = await office.ask(turn, "list_subtasks", task="traslocare il laboratorio")
    assert [row["title"] for row in steps["rows"]] == ["Imballare", "Chiamare il corriere"]
    assert (steps["open"], steps["done"], steps["task"]) == (2, 0, task["title"])
    ticked = await proposed(office, "complete_task", task="imballare")
    assert {"label": "Passo di", "value": task["title"]} in ticked["preview"]["lines"]
    (await decide(client, office, ticked, "approve")).raise_for_status()
    steps = await office.ask(turn, "list_subtasks", task="traslocare il laboratorio")
    assert (steps["open"], steps["done"]) == (1, 1)
    answer = await propose(await answering(office), "add_subtasks", task="chiamare il corriere", steps="Pagarlo")
    assert "livelli" in answer["reason"]


async def test_edited_arguments_are_checked_and_carried_out(
    client: httpx.AsyncClient, office: Office, anna: UUID
) -> None:
    call = await proposed(office, "draft_email", contact="Zabaldi", subject="Saluti", body="Ciao")
    for args, field in (
        ({"body": ""}, "body"),
        ({"subject": None}, "subject"),
        ({"subject": "x" * 201}, "subject"),
        ({"altro": 1}, "altro"),
        ({"contact_id": "io"}, "contact_id"),
        ({"body": "So della tua gravidanza"}, "body"),
    ):
        refused = await decide(client, office, call, "approve", args=args)
        assert refused.status_code == 422, refused.text
        assert list(refused.json()["details"]["fields"]) == [field]
    edited = {"subject": "Un saluto", "body": "Cara Quirina & co.,\na presto"}
    done = (await decide(client, office, call, "approve", args=edited)).json()
    (row,) = await office.sql("select * from public.drafts where id = $1", UUID(done["result"]["ref"]["id"]))
    assert (row["subject"], row["body"], row["recipient"]) == (*edited.values(), "quirina@example.it")
    assert row["conversation_id"] == UUID(call["conversation_id"])
    assert done["args"]["subject"] == "Un saluto"
    assert done["result"]["href"].startswith("mailto:quirina@example.it?subject=Un%20saluto&body=Cara%20Quirina%20%26")
    assert unquote(done["result"]["href"]).endswith("a presto")


async def test_an_edited_date_counts_from_the_edit(client: httpx.AsyncClient, office: Office) -> None:
    call = await proposed(office, "create_task", text="fra due giorni stirare")
    asked = office.turn().local_now.date()
    (
        await decide(client, office, call, "approve", args={"text": "fra due giorni stirare le camicie"})
    ).raise_for_status()
    (row,) = await office.sql("select title::text, due_at, origin from public.tasks where id = $1", UUID(call["id"]))
    assert (row["title"], row["origin"]) == ("stirare le camicie", "assistente")
    assert wording.wall(row["due_at"]) == str(asked + timedelta(days=2))
    refused = await decide(
        client,
        office,
        await proposed(office, "create_task", text="domani alle 9 pranzo"),
        "approve",
        args={"text": "domani"},
    )
    assert refused.json()["details"]["fields"] == {"text": "Scrivi anche che cosa c’è da fare"}


async def test_a_name_that_several_have_is_told_and_mended_by_an_edit(
    client: httpx.AsyncClient, office: Office
) -> None:
    async with db.connection(office.resources.pool) as connection:
        for first in ("Zita", "Zeno"):
            await crm.contact(connection, office.owner, first_name=first, last_name="Truzzini")
    call = await proposed(office, "create_task", text="domani chiamare Truzzini")
    told = next(line["value"] for line in call["preview"]["lines"] if line["label"] == "Contatto")
    assert told.startswith("nessuno: «Truzzini» sono in 2")
    refused = await decide(client, office, call, "approve", args={"text": "domani chiamare @Truzzini"})
    assert list(refused.json()["details"]["fields"]) == ["text"]
    done = await decide(client, office, call, "approve", args={"text": "domani chiamare Zita Truzzini"})
    (row,) = await office.sql(
        "select name from public.tasks join public.contacts on contacts.id = contact_id where tasks.id = $1",
        UUID(done.json()["id"]),
    )
    assert row["name"] == "Zita Truzzini"


async def test_of_many_recipients_the_number_is_typed(client: httpx.AsyncClient, office: Office, anna: UUID) -> None:
    call = await proposed(office, "draft_email", contact="Zabaldi", subject="A tutti", body="Ciao a tutti")
    await office.sql("update public.tool_calls set needs_count = 120 where id = $1", UUID(call["id"]))
    for count in (None, 12):
        refused = await decide(client, office, call, "approve", count=count)
        assert (refused.status_code, list(refused.json()["details"]["fields"])) == (422, ["count"])
    assert (await decide(client, office, call, "approve", count=120)).json()["state"] == "executed"


async def test_a_refused_proposal_is_over(client: httpx.AsyncClient, office: Office) -> None:
    call = await proposed(office, "create_task", text="comprare il pane nero")
    assert (await decide(client, office, call, "refuse")).json()["state"] == "rejected"
    answer = await decide(client, office, call, "approve")
    assert (answer.status_code, answer.json()["message"]) == (409, "Questa azione è già stata rifiutata")
    assert not await office.sql("select from public.tasks where id = $1", UUID(call["id"]))


async def test_an_expired_proposal_does_nothing(client: httpx.AsyncClient, office: Office) -> None:
    call = await proposed(office, "create_task", text="comprare il pane bianco")
    await office.sql("update public.tool_calls set expires_at = now() where id = $1", UUID(call["id"]))
    answer = await decide(client, office, call, "approve")
    assert (answer.status_code, answer.json()["code"]) == (410, "expired")


async def test_a_strangers_proposal_does_not_exist(client: httpx.AsyncClient, office: Office) -> None:
    call = await proposed(office, "create_task", text="comprare il pane azzimo")
    for decision in ("approve", "refuse", "undo"):
        assert (await decide(client, office, call, decision, user=office.stranger)).status_code == 404
    assert (await decide(client, office, {"id": str(uuid4())}, "approve")).status_code == 404
    assert (await decide(client, office, {"id": "x"}, "approve")).status_code == 400
    assert (await decide(client, office, call, "esegui")).status_code == 400
    assert (await client.post("/functions/v1/chat_action", json={})).status_code == 401


async def test_ids_of_a_stranger_in_edited_arguments_reach_nothing(client: httpx.AsyncClient, office: Office) -> None:
    (theirs,) = await office.sql("select id, title from public.tasks where user_id = $1 limit 1", office.stranger)
    call = await proposed(office, "delete_task", task="annaffiare il ficus")
    answer = await decide(client, office, call, "approve", args={"task_id": str(theirs["id"])})
    assert (answer.json()["state"], answer.json()["error_code"]) == ("failed", "gone")
    assert not (await office.sql("select deleted_at from public.tasks where id = $1", theirs["id"]))[0]["deleted_at"]


async def test_twenty_clicks_at_once_do_it_once(office: Office) -> None:
    call = await proposed(office, "add_note", contact="Zabaldi", body="Una volta sola")

    async def click() -> str:
        try:
            decision = approvals.Decision(UUID(call["id"]), "approve")
            return str((await approvals.decide(office.turn().context, decision))["state"])
        except api.Refused as refused:
            return str(refused.code)

    answers = await asyncio.gather(*(click() for _ in range(20)))
    assert sorted(answers) == ["already_decided"] * 19 + ["executed"]
    assert len(await office.sql("select from public.notes where body = 'Una volta sola'")) == 1


async def test_a_crash_between_doing_and_saying_leaves_nothing(office: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    call = await proposed(office, "add_note", contact="Zabaldi", body="Mai scritta")

    async def crash(*_: Any) -> None:
        raise ConnectionResetError

    with monkeypatch.context() as patched:
        patched.setattr(decisions, "settle", crash)
        with pytest.raises(ConnectionResetError):
            await approvals.decide(office.turn().context, approvals.Decision(UUID(call["id"]), "approve"))
    assert not await office.sql("select from public.notes where body = 'Mai scritta'")
    decided = await approvals.decide(office.turn().context, approvals.Decision(UUID(call["id"]), "approve"))
    assert decided["state"] == "executed"


async def test_what_is_gone_fails_and_says_so(client: httpx.AsyncClient, office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        task = await work.task(connection, office.owner, title="Oliare il cancello cigolante")
    call = await proposed(office, "complete_task", task="cancello cigolante")
    await office.sql("update public.tasks set deleted_at = now() where id = $1", task["id"])
    answer = (await decide(client, office, call, "approve")).json()
    assert (answer["state"], answer["error_code"], answer["result"]["text"]) == (
        "failed",
        "gone",
        "Questa attività non c’è più",
    )


@pytest.mark.parametrize(
    ("due", "reminder", "when", "moved"),
    [
        ("2027-03-26", "2027-03-24T09:00", "il 29 marzo 2027", "2027-03-27T09:00"),
        ("2027-03-26", "2027-03-26T09:00", "il 29 marzo 2027 alle 15", "2027-03-29T09:00"),
        ("2027-03-26", "2027-03-26T09:00", "il 29 marzo 2027 alle 8", "2027-03-29T08:00"),
        ("2027-03-26T10:00", "2027-03-26T09:30", "il 29 marzo 2027 alle 15", "2027-03-29T14:30"),
        ("2027-03-26T10:00", "2027-03-27T09:30", "il 29 marzo 2027", "2027-03-30T09:30"),
    ],
    ids=["a whole day", "gets an hour", "gets an hour before the reminder", "another hour", "keeps its hour"],
)
async def test_reminders_move_with_their_task_on_the_clock_on_the_wall(
    client: httpx.AsyncClient, office: Office, due: str, reminder: str, when: str, moved: str
) -> None:
    async with db.connection(office.resources.pool) as connection:
        task = await work.task(
            connection,
            office.owner,
            title="Scrostare la ringhiera",
            due_at=wording.instant(due),
            due_is_allday=len(due) == 10,
            remind_at=[wording.instant(reminder)],
        )
    call = await proposed(office, "move_task", task="scrostare la ringhiera", when=when)
    assert (await decide(client, office, call, "approve")).json()["state"] == "executed"
    (row,) = await office.sql("delete from public.tasks where id = $1 returning remind_at", task["id"])
    assert [wording.wall(each, is_allday=False) for each in row["remind_at"]] == [moved]


async def test_undoing_keeps_what_came_since_and_ends(client: httpx.AsyncClient, office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        task = await work.task(connection, office.owner, title="Verniciare lo steccato", due_at=office.turn().now)
    moved = await proposed(office, "move_task", task="verniciare lo steccato", when="fra tre giorni")
    await decide(client, office, moved, "approve")
    await office.sql("update public.tasks set due_at = now() + interval '30 days' where id = $1", task["id"])
    answer = await decide(client, office, moved, "undo")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_be_undone")
    deleted = await proposed(office, "delete_task", task="verniciare lo steccato")
    await decide(client, office, deleted, "approve")
    await office.sql("update public.tool_calls set undo_until = now() where id = $1", UUID(deleted["id"]))
    answer = await decide(client, office, deleted, "undo")
    assert (answer.status_code, answer.json()["code"]) == (409, "cannot_be_undone")


async def test_the_last_actions_of_a_conversation_are_taken_back_one_after_the_other(
    client: httpx.AsyncClient, office: Office
) -> None:
    elsewhere = await proposed(office, "create_task", text="non toccare")
    before = await snapshot(office)
    turn = await answering(office)
    assert "non ho ancora fatto niente" in (await propose(turn, "undo_last_action"))["reason"]
    for title in ("comprare la carta", "chiamare l'idraulico"):
        await propose(turn, "create_task", text=title)
        assert (await decide(client, office, turn.proposals[-1], "approve")).status_code == 200
    assert (await decide(client, office, elsewhere, "approve")).status_code == 200
    for title in ("idraulico", "carta"):
        answer = await propose(turn, "undo_last_action")
        assert title in answer["preview"]["lines"][0]["value"]
        done = await decide(client, office, turn.proposals[-1], "approve")
        assert (done.json()["state"], "Ho annullato" in done.json()["result"]["text"]) == ("executed", True)
    assert "non ho ancora fatto niente" in (await propose(turn, "undo_last_action"))["reason"]
    await decide(client, office, elsewhere, "undo")
    assert await snapshot(office) == before


async def test_an_undoing_that_was_done_from_the_card_in_between_says_so(
    client: httpx.AsyncClient, office: Office
) -> None:
    turn = await answering(office)
    await propose(turn, "create_task", text="comprare la carta")
    await decide(client, office, turn.proposals[0], "approve")
    await propose(turn, "undo_last_action")
    await decide(client, office, turn.proposals[0], "undo")
    late = (await decide(client, office, turn.proposals[1], "approve")).json()
    assert (late["state"], late["result"]["text"]) == ("failed", "Quell’azione è già stata annullata")


async def test_what_is_forgotten_is_gone_for_good(client: httpx.AsyncClient, office: Office) -> None:
    turn = await answering(office)
    async with turn.database() as connection:
        await connection.execute("select public.remember('Il mio colore preferito è il verde', 'preferenza')")
        await connection.execute("select public.remember('Il commercialista si chiama Bruno Neri', 'profilo')")
    answer = await propose(turn, "forget", what="colore preferito")
    assert answer["proposed"], answer
    (card,) = turn.proposals
    assert {rule["id"] for rule in card["rules"]} == {"E-05"}
    assert (await decide(client, office, card, "approve")).json()["state"] == "executed"
    assert (await decide(client, office, card, "undo")).status_code == 409
    bodies = [
        row["body"] for row in await office.sql("select body from public.memories where user_id = $1", office.owner)
    ]
    assert "Il mio colore preferito è il verde" not in bodies
    assert "Il commercialista si chiama Bruno Neri" in bodies


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        ("La password del sito è gatto123", "Password"),
        ("Anna Bianchi è incinta da tre mesi", "salute"),
        ("Il mio conto è IT60X0542811101000000123456", "conti"),
    ],
    ids=["secret", "health", "account"],
)
async def test_what_must_not_be_remembered_is_not_even_proposed(office: Office, fact: str, reason: str) -> None:
    turn = await answering(office, f"ricorda che {fact}")
    answer = await propose(turn, "remember", fact=fact)
    assert answer["refused"]
    assert reason in answer["reason"]
    assert not turn.proposals


async def test_undoing_what_took_the_place_of_a_memory_brings_it_back(
    client: httpx.AsyncClient, office: Office, anna: UUID
) -> None:
    turn = await answering(office, "ricorda che Zabaldi paga a 60 giorni")
    assert (await propose(turn, "remember", fact="Zabaldi paga a 60 giorni"))["done"]
    turn = await answering(office, "ricorda che Zabaldi paga a 90 giorni")
    answer = await propose(turn, "remember", fact="Zabaldi paga a 90 giorni")
    assert (answer["proposed"], answer["preview"]["before"]) == (True, "Zabaldi paga a 60 giorni")

    async def active() -> list[str]:
        about = "select body from public.memories where contact_id = $1 and state = 'attiva'"
        return [row["body"] for row in await office.sql(about, anna)]

    (await decide(client, office, turn.proposals[0], "approve")).raise_for_status()
    assert await active() == ["Zabaldi paga a 90 giorni"]
    (await decide(client, office, turn.proposals[0], "undo")).raise_for_status()
    assert await active() == ["Zabaldi paga a 60 giorni"]


async def test_what_the_person_wants_remembered_is_kept_at_once(office: Office) -> None:
    turn = await answering(office, "ricorda che le riunioni le faccio solo di martedì")
    answer = await propose(turn, "remember", fact="Le riunioni le faccio solo di martedì")
    assert answer["done"], answer
    assert turn.proposals[0]["state"] == "executed"
    # A document that says so is not the person.
    tainted = await answering(office, "ricorda che le cene le faccio solo di giovedì", tainted_by={"documento"})
    assert (await propose(tainted, "remember", fact="Le cene le faccio solo di giovedì"))["proposed"]
    # Nearly the same again takes its place, and asks.
    again = await answering(office, "ricorda che le riunioni le faccio solo di martedì mattina")
    answer = await propose(again, "remember", fact="Le riunioni le faccio solo di martedì mattina")
    assert answer["proposed"]
    assert answer["preview"]["before"] == "Le riunioni le faccio solo di martedì"
    # Nobody but the person says what is remembered.
    silent = await answering(office, "Che cosa dice il contratto?")
    answer = await propose(silent, "remember", fact="Il conto corrente nuovo è quello di Mario")
    assert answer == {"refused": True, "reason": write_memory.NOT_SAID}


async def test_always_holds_for_reversible_inner_writes_of_the_conversation(
    client: httpx.AsyncClient, office: Office
) -> None:
    call = await proposed(office, "create_task", text="sbrinare il congelatore")
    (await decide(client, office, call, "approve", always=True)).raise_for_status()
    (row,) = await office.sql(
        "select auto_approve from public.conversations where id = $1", UUID(call["conversation_id"])
    )
    assert row["auto_approve"] == ["create_task"]
    turn = await answering(office, "crea l’attività stirare le tende", auto_approve=frozenset(row["auto_approve"]))
    assert (await propose(turn, "create_task", text="stirare le tende"))["done"]
    assert (await propose(turn, "delete_task", task="stirare le tende"))["proposed"]
    # What the person did not say is asked about, and all is, once a stranger's text was read.
    assert (await propose(turn, "create_task", text="comprare un ferro da stiro"))["proposed"]
    # So is what no rule read, but only likeness to other sentences.
    turn.is_read_by_likeness = True
    assert (await propose(turn, "create_task", text="stirare le tende"))["proposed"]
    turn.is_read_by_likeness = False
    turn.tainted_by.add("documento")
    assert (await propose(turn, "create_task", text="stirare le tende"))["proposed"]
    assert turn.proposals[-1]["from_data"]
    draft = await proposed(office, "draft_email", contact="Zabaldi", subject="Ciao", body="Ciao")
    (await decide(client, office, draft, "approve", always=True)).raise_for_status()
    (row,) = await office.sql(
        "select auto_approve from public.conversations where id = $1", UUID(draft["conversation_id"])
    )
    assert row["auto_approve"] == []


async def test_what_was_done_for_a_question_is_not_done_again_unasked(
    client: httpx.AsyncClient, office: Office
) -> None:
    may = frozenset({"create_task"})
    turn = await answering(office, "crea le attività spolverare il lume e lavare il tappeto", auto_approve=may)
    # Models call a tool three times in one step.
    await asyncio.gather(*(propose(turn, "create_task", text="spolverare il lume") for _ in range(3)))
    assert sorted(call["state"] for call in turn.proposals) == ["executed", "proposed", "proposed"]
    assert (await propose(turn, "create_task", text="lavare il tappeto"))["done"]
    # The same question answered anew, also once it was undone, and in other words.
    for _ in range(2):
        async with db.connection(office.resources.pool) as connection:
            more = {"conversation_id": turn.conversation_id, "regenerate": turn.message_id}
            begun = await talks.begin(connection, office.owner, "", **more)
            await talks.finish(connection, begun["run_id"])
            await connection.execute("delete from private.assistant_use")
        anew = office.turn(turn.question, auto_approve=may)
        anew.conversation_id, anew.message_id = begun["conversation_id"], begun["message_id"]
        for text in ("spolverare il lume", "spolverare il tappeto"):
            assert (await propose(anew, "create_task", text=text))["proposed"], text
        done = next(call for call in turn.proposals if call["state"] == "executed")
        await decide(client, office, done, "undo")


async def test_a_strangers_instruction_carries_its_banner(office: Office) -> None:
    turn = await answering(office, "Che cosa dice il contratto?")
    await office.ask(turn, "ask_documents", question="Entro quando va inviata la disdetta?")
    answer = await propose(turn, "create_task", text="La disdetta va inviata entro sessanta giorni")
    assert answer["proposed"]
    (rule,) = turn.proposals[0]["rules"]
    assert rule["id"] == "E-09"
    assert rule["reason"].startswith("Questa istruzione viene da un documento, non da te")


async def test_claims_that_stand_nowhere_are_highlighted(office: Office, anna: UUID) -> None:
    turn = await answering(office, "Scrivi a Zabaldi che lo sconto è del 10%")
    body = "Le confermo lo sconto del 10%, e altri 750 euro in meno."
    await propose(turn, "draft_email", contact="Zabaldi", subject="Sconto", body=body)
    (card,) = turn.proposals
    assert [body[start:end] for start, end in card["preview"]["highlights"]] == ["750"]
    assert "«750»" in next(rule["reason"] for rule in card["rules"] if rule["id"] == "E-08")


async def test_consent_that_was_refused_stops_a_draft(office: Office) -> None:
    async with db.connection(office.resources.pool) as connection:
        contact = await crm.contact(connection, office.owner, first_name="Zenobio", last_name="Taccagni")
        await connection.execute(
            """
            insert into public.consents (user_id, contact_id, channel, purpose, state)
            values ($1, $2, 'email', 'servizio', 'revocato')
            """,
            office.owner,
            contact,
        )
    turn = await answering(office)
    answer = await propose(turn, "draft_email", contact="Taccagni", subject="Ciao", body="Ciao")
    assert (answer["refused"], answer["rule"]) == (True, "E-03")
    assert not turn.proposals
    assert (await propose(turn, "draft_whatsapp", contact="Taccagni", body="Ciao"))["proposed"]


async def test_an_address_of_somebody_else_is_told_by_its_field(
    client: httpx.AsyncClient, office: Office, anna: UUID
) -> None:
    call = await proposed(office, "create_contact", name="Quirino Doppi", email="quirina@example.it")
    assert {"label": "Somiglia a", "value": "Quirina Zabaldi"} in call["preview"]["lines"]
    answer = await decide(client, office, call, "approve")
    assert answer.json()["details"]["fields"] == {"email": "Un altro contatto ha già questo indirizzo"}
    fixed = await decide(client, office, call, "approve", args={"email": "quirino@example.it"})
    assert fixed.json()["state"] == "executed"


async def test_a_turn_proposes_ten_things_at_most(office: Office) -> None:
    turn = await answering(office)
    for number in range(approvals.MAX_PROPOSALS):
        assert (await propose(turn, "create_task", text=f"compito {number}"))["card"] == number + 1
    assert "refused" in await propose(turn, "create_task", text="un altro compito")


async def test_the_database_refuses_an_unknown_answer(office: Office) -> None:
    turn = office.turn()
    with pytest.raises(asyncpg.PostgresError):
        await propose(turn, "create_task", text="nessuno la vede")


async def test_a_goal_is_only_planned_and_comes_from_its_person_alone(
    client: httpx.AsyncClient, office: Office
) -> None:
    assert set(write_goals.AIMS) == set(agents.BY_NAME) == set(get_args(write_goals.AgentName))
    call = await proposed(office, "create_goal", agent="segui_preventivi")
    assert ("Parte", "solo con il tuo mandato") in [(line["label"], line["value"]) for line in call["preview"]["lines"]]
    done = (await decide(client, office, call, "approve")).json()
    assert done["result"]["ref"] == {"kind": "goal", "id": "segui_preventivi", "label": "Segui i preventivi"}
    goals = "select state::text from public.goals where user_id = $1 and agent = 'segui_preventivi'"
    assert [row["state"] for row in await office.sql(goals, office.owner)] == ["pianificato"]
    assert await office.sql("select from public.agent_mandates where user_id = $1", office.owner) == []
    again = await propose(await answering(office), "create_goal", agent="segui_preventivi")
    assert "c’è già" in again["reason"]
    await decide(client, office, call, "undo")
    # What the turn read of a document or a message may have asked for it.
    turn = await answering(office)
    turn.tainted_by.add("documento")
    assert "lo chiedi solo tu" in (await propose(turn, "create_goal", agent="segui_preventivi"))["reason"]


async def test_a_goal_that_has_started_is_not_taken_back_from_its_card(
    client: httpx.AsyncClient, office: Office
) -> None:
    call = await proposed(office, "create_goal", agent="chiusura_mese")
    await decide(client, office, call, "approve")
    await office.sql(
        "update public.goals set state = 'in_approvazione' where user_id = $1 and agent = 'chiusura_mese'", office.owner
    )
    refused = await decide(client, office, call, "undo")
    assert (refused.status_code, refused.json()["code"]) == (409, "cannot_be_undone")
