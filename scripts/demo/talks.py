"""Conversations and memories of the demo account: answers about its own rows, with the records they come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid5

from backend.core.db import Connection
from scripts.demo import filing

PENALTY = "per ogni settimana di ritardo nella consegna, 2 % del compenso"


@dataclass(frozen=True)
class Turn:
    """A question with its answer, which cites records as [^1]."""

    question: str
    answer: str
    refs: list[dict[str, Any]]


@dataclass(frozen=True)
class Talk:
    """A conversation of some days ago."""

    title: str
    age: int
    turns: tuple[Turn, ...]


def _ref(n: int, kind: str, row: Any, place: dict[str, Any] | None = None) -> dict[str, Any]:
    return {"n": n, "kind": kind, "id": str(row["id"]), "label": row["label"], "place": place}


def _euros(cents: int) -> str:
    return f"{cents / 100:,.2f} €".translate(str.maketrans(",.", ".,"))


async def _talks(connection: Connection, user_id: UUID) -> list[Talk]:
    late = await connection.fetch(
        """
        select id, 'Fattura ' || number as label, contact_id, contact_name, late_cents, next_due_on
        from public.invoice_register where user_id = $1 and direction = 'attiva' and late_cents > 0 order by next_due_on
        """,
        user_id,
    )
    lines = [
        f"- {row['contact_name']}: {_euros(row['late_cents'])}, scaduta il {row['next_due_on']:%d/%m/%Y}[^{n}]"
        for n, row in enumerate(late, 1)
    ]
    total = sum(row["late_cents"] for row in late)
    habit = await connection.fetchrow(
        "select paid, days from private.payer_habits($1, array[$2::uuid])", user_id, late[0]["contact_id"]
    )
    assert habit is not None
    payer = {"id": late[0]["contact_id"], "label": late[0]["contact_name"]}
    contract = await _row(
        connection,
        "select id, filename as label from public.documents",
        user_id,
        "filename",
        "Contratto Cantina Poggio Alto.pdf",
    )
    deal = await _row(
        connection,
        "select id, title as label, amount_cents, stage_since from public.deals",
        user_id, "title", "Sito e prenotazioni online",
    )  # fmt: skip
    hotel = await _row(
        connection, "select id, name as label from public.contacts", user_id, "business_name", "Hotel Bellavista"
    )
    return [
        Talk("Chi è in ritardo con i pagamenti?", 1, (
            Turn(
                "Chi è in ritardo con i pagamenti?",
                f"{len(late)} fatture sono scadute, per **{_euros(total)}**:\n\n" + "\n".join(lines),
                [_ref(n, "invoice", row) for n, row in enumerate(late, 1)],
            ),
            Turn(
                f"{payer['label']} paga sempre così tardi?",
                f"Sì: {habit['paid']} fatture pagate, di solito {habit['days']} giorni dopo l’emissione[^1]. La"
                " scadenza è a 30 giorni: conviene chiedere un acconto.",
                [_ref(1, "contact", payer)],
            ),
        )),
        Talk("La penale della cantina", 3, (
            Turn(
                "C’è una penale nel contratto con Cantina Poggio Alto?",
                f"Sì: «{PENALTY}»[^1].",
                [_ref(1, "document", contract, {"page": 1, "quote": PENALTY})],
            ),
        )),
        Talk("A che punto è Hotel Bellavista?", 6, (
            Turn(
                "A che punto è la trattativa con Hotel Bellavista?",
                f"«{deal['label']}» vale **{_euros(deal['amount_cents'])}** ed è nella fase Preventivo dal"
                f" {deal['stage_since']:%d/%m/%Y}[^1]. I testi li approva Silvia Lombardi, i prezzi Simone Rizzo[^2].",
                [_ref(1, "deal", deal), _ref(2, "contact", hotel)],
            ),
        )),
    ]  # fmt: skip


async def _row(connection: Connection, query: str, user_id: UUID, column: str, value: str) -> Any:
    return await connection.fetchrow(f"{query} where user_id = $1 and {column} = $2", user_id, value)


async def hold(connection: Connection, user_id: UUID, today: date) -> None:
    """Write the conversations, each answer a moment after its question."""
    for talk in await _talks(connection, user_id):
        at = filing.moment(today - timedelta(days=talk.age), 8)
        conversation_id = uuid5(user_id, f"talk {talk.title}")
        last = at + timedelta(minutes=2 * len(talk.turns))
        await connection.execute(
            "insert into public.conversations (id, user_id, title, last_message_at, created_at, updated_at)"
            " values ($1, $2, $3, $4, $5, $4)",
            conversation_id, user_id, talk.title, last, at,
        )  # fmt: skip
        parent_id: UUID | None = None
        for no, turn in enumerate(talk.turns):
            for role, text, refs in (("user", turn.question, []), ("assistant", turn.answer, turn.refs)):
                said_at = at + timedelta(minutes=2 * no, seconds=5 * (role == "assistant"))
                message_id = uuid5(conversation_id, f"{role} {no}")
                is_answer = role == "assistant"
                await connection.execute(
                    """
                    insert into public.messages (
                      id, user_id, conversation_id, parent_id, role, agent, content, status, mode, refs, quote, cost,
                      created_at, finished_at
                    ) values ($1, $2, $3, $4, $5, 'automatico', $6, 'done', $7, $8, $9, $9, $10, $10)
                    """,
                    message_id, user_id, conversation_id, parent_id, role, text, "locale" if is_answer else None, refs,
                    0 if is_answer else None, said_at,
                )  # fmt: skip
                parent_id = message_id


# Kind, whom it is about, what Socio knows, what note or words it is from: None when she wrote it herself.
_MEMORIES = (
    ("profilo", None, "Lavoro in regime forfettario: le mie fatture sono senza IVA.", None),
    ("obiettivo", None, "Quest’anno voglio incassare entro 40 giorni da ogni fattura.", None),
    ("preferenza", None, "Nei solleciti preferisco un tono gentile, e scrivo per email.", None),
    ("contatto", "Edilizia Solida", "Edilizia Solida paga di solito a 70 giorni: chiedere un acconto.",
     "Paga sempre in ritardo, di solito a 70 giorni: chiedere un acconto."),
    ("contatto", "Hotel Bellavista", "Hotel Bellavista vuole il sito nuovo prima di Pasqua.",
     "Il sito nuovo deve essere pronto prima di Pasqua."),
)  # fmt: skip


async def remember(connection: Connection, user_id: UUID) -> None:
    """Write the memories; what was found in a note quotes it."""
    await connection.executemany(
        """
        insert into public.memories (
          user_id, kind, contact_id, body, state, importance, origin, source, source_id, source_quote,
          created_at, updated_at
        )
        select $1, $2::text::public.memory_kind,
          (select id from public.contacts where user_id = $1 and business_name = $3), $4, 'attiva', 4, 'utente',
          case when $5::text is null then 'manuale' else 'nota' end::public.memory_source,
          (select id from public.notes where user_id = $1 and body = $5), $5, now() - interval '20 days',
          now() - interval '20 days'
        """,
        [(user_id, *each) for each in _MEMORIES],
    )
