"""«Qual è il mio IBAN?»: what the person's own business is, from the profile, and nobody else's."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from starlette.types import ASGIApp

from backend.core import db
from backend.core.resources import Resources
from functions._shared.assistant.local import own_business_asked
from functions._shared.assistant.local.words import sentence_of
from tests.functions.assistant.chatting import Talk, talking
from tests.functions.assistant.test_truth import says, tool

pytestmark = pytest.mark.anyio


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


async def change(talk: Talk, statement: str) -> None:
    async with db.connection(talk.resources.pool) as connection:
        await connection.execute(statement, talk.person)


async def test_it_says_what_the_profile_knows(talk: Talk) -> None:
    await change(
        talk,
        """
        update public.profiles set iban = 'IT60X0542811101000000123456', account_holder = 'Verdi snc',
          pec = 'studio@pec.example', vat_number = '09876540155',
          address = '{"street": "Via Po 3", "postal_code": "40121", "city": "Bologna", "province": "BO"}'
        where user_id = $1
        """,
    )
    assert "**IT60 X054 2811 1010 0000 0123 456**, intestato a Verdi snc." in await says(talk, "Qual è il mio IBAN?")
    assert "**studio@pec.example**" in await says(talk, "la mia PEC")
    assert "**09876540155**" in await says(talk, "dimmi la mia partita iva")
    assert "**Via Po 3, 40121 Bologna (BO)**" in await says(talk, "qual è la mia sede?")
    assert "studio@pec.example" in str(await tool(talk, "own_business"))


async def test_what_is_not_known_leads_to_where_it_is_written(talk: Talk) -> None:
    await change(talk, "update public.profiles set iban = null where user_id = $1")
    said = await says(talk, "qual è il mio IBAN?")
    assert said == "Il tuo IBAN non lo so ancora: scrivilo in [Attività e dati fiscali](/settings/business)."


@pytest.mark.parametrize(
    "text",
    [
        "manda il mio IBAN a Rossi",
        "qual è l'IBAN di Rossi?",
        "la partita iva di Verdi",
        "il mio IBAN è cambiato",
        "qual è il mio cliente migliore?",
        "cambia la mia PEC in altro@pec.example",
    ],
)
def test_what_is_about_others_or_an_order_is_not_read_so(text: str) -> None:
    assert own_business_asked.read(sentence_of(text), None) is None
