"""An office for the tests of tools: somebody with the demo data, documents and invoices, and a stranger with theirs."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import asyncpg

from backend.core import db
from backend.core.config import Settings
from backend.core.resources import Resources, open_all
from backend.edge.api import Context
from functions._shared.assistant.tools import registry
from functions._shared.assistant.tools.answers import answered
from functions._shared.assistant.turn import Turn
from tests import conftest
from tests.databases import Databases
from tests.db import accounts, documents


@dataclass
class Office:
    """A database of its own with two people in it."""

    resources: Resources
    owner: UUID
    stranger: UUID

    def turn(self, question: str = "", *, stranger: bool = False, **more: Any) -> Turn:
        """A turn of one of the two."""
        user_id = str(self.stranger if stranger else self.owner)
        claims = {"sub": user_id, "role": "authenticated"}
        turn = Turn(
            context=Context("chat", claims, "", self.resources),
            user_id=user_id,
            conversation_id=str(uuid4()),
            message_id=str(uuid4()),
            question=question,
            now=self.resources.now(),
        )
        for name, value in more.items():
            setattr(turn, name, value)
        return turn

    async def ask(self, turn: Turn, tool: str, **arguments: Any) -> dict[str, Any]:
        """What a reading tool answers."""
        read = registry.READS[tool]
        return await answered(turn, read, read.arguments.model_validate(arguments))

    async def sql(self, query: str, *arguments: Any) -> list[Any]:
        """What the owner of the database reads."""
        async with db.connection(self.resources.pool) as connection:
            return list(await connection.fetch(query, *arguments))


@asynccontextmanager
async def opened(databases: Databases, installed: Settings, home: Path) -> AsyncIterator[Office]:
    """Opens the office, and takes its database away."""
    async with databases.one() as url:
        settings = conftest.settings_of(installed, home, url)
        async with open_all(settings, conftest.Clock()) as resources:
            async with db.connection(resources.pool) as connection:
                owner, stranger = [await accounts.create(connection) for _ in range(2)]
            for user_id in (owner, stranger):
                claims = {"sub": str(user_id), "role": "authenticated"}
                async with db.as_claims(resources.pool, claims) as connection:
                    await connection.execute("select public.add_demo_data()")
            office = Office(resources, owner, stranger)
            filing = await asyncpg.connect(settings.database_url)
            today = office.turn().local_now.date()
            await _file(filing, owner, today, "Rossi Impianti Srl")
            await _file(filing, stranger, today, "Fornitore segreto Srl")
            await filing.close()
            yield office


async def _file(connection: accounts.Connection, user_id: UUID, today: date, supplier: str) -> None:
    """Two invoices, late and to come, one paid, and a contract with something to read."""
    for number, direction, days, paid in (
        ("7/2026", "passiva", -12, None),
        ("8/2026", "attiva", -3, None),
        ("9/2026", "attiva", 5, None),
        ("5/2026", "passiva", -60, str(today - timedelta(days=50))),
    ):
        name = f"fattura {number.replace('/', '-')}.xml"
        invoice = {
            "number": number,
            "direction": direction,
            "counterparty_name": supplier,
            "issued_on": str(today - timedelta(days=70)),
            "schedules": [{"due_on": str(today + timedelta(days=days)), "amount_cents": 122_000}],
            "paid_on": paid,
        }
        document = await documents.document(connection, user_id, filename=name, kind="fattura")
        await documents.store_invoices(connection, document, invoice)
    contract = await documents.document(connection, user_id, filename=f"contratto {supplier}.pdf", kind="contratto")
    text = f"Contratto di manutenzione con {supplier}. La disdetta va inviata entro sessanta giorni."
    await documents.page(connection, contract, text)
