"""«Quanto devo mettere da parte?»: the estimate of the forfettario as on /home, or honestly why there is none."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from starlette.types import ASGIApp

from backend.core import db
from backend.core.resources import Resources
from functions._shared.ics import ROME
from tests.functions.assistant.chatting import Talk, talking
from tests.functions.assistant.test_truth import says, tool, unlinked

pytestmark = pytest.mark.anyio

ASKED = "quanto devo mettere da parte?"


@pytest.fixture
async def talk(app: ASGIApp, resources: Resources) -> AsyncIterator[Talk]:
    async with talking(app, resources) as opened:
        yield opened


async def change(talk: Talk, statement: str) -> None:
    async with db.connection(talk.resources.pool) as connection:
        await connection.execute(statement, talk.person)


async def begin(talk: Talk, choices: str = "") -> int:
    """Give the person the forfettario and 10,000 € of takings; return the year."""
    today = talk.resources.now().astimezone(ROME).date()
    await change(talk, "update public.profiles set tax_regime = 'forfettario' where user_id = $1")
    await unlinked(talk, 1_000_000, issued_on=f"{today}", paid_on=f"{today}")
    if choices:
        columns = "user_id, activity, is_startup, contributions, fixed_cents"
        await change(talk, f"insert into public.flat_rate_choices ({columns}) values ($1, {choices})")
    return today.year


async def test_it_says_what_to_set_aside_and_what_it_rests_on(talk: Talk) -> None:
    year = await begin(talk, "'redditivita_professioni', true, 'gestione_separata', null")
    said = await says(talk, ASKED)
    # 10,000 × 78 % = 7,800; 26.07 % of it; 5 % of the rest.
    assert f"Nel {year} hai incassato **10.000,00 €**: metti da parte **2.321,79 €**" in said
    assert "2.033,46 € di contributi e 288,33 € di imposta sostitutiva" in said
    assert "reddito 7.800,00 €, il 78 % degli incassi" in said
    assert "il 26,07 % del reddito (gestione separata INPS), imposta il 5 %" in said
    assert "mancano 75.000,00 €" in said
    assert "[Home](/home#forfettario)" in said
    told = await tool(talk, "flat_rate")
    assert (told["set_aside"], told["rates"]["coefficient"]["value"]) == ("2.321,79 €", "78")
    assert "L. 190/2014" in told["rates"]["coefficient"]["source"]


async def test_contributions_of_a_fixed_amount_are_those_that_were_said(talk: Talk) -> None:
    await begin(talk, "'redditivita_commercio', false, 'importo_fisso', 300000")
    said = await says(talk, ASKED)
    assert "metti da parte **3.150,00 €**, cioè 3.000,00 € di contributi e 150,00 €" in said
    assert "contributi quelli che hai indicato per l’anno" in said


async def test_without_the_choices_it_asks_for_them(talk: Talk) -> None:
    await begin(talk)
    said = await says(talk, ASKED)
    assert "hai incassato **10.000,00 €**. Per stimare quanto mettere da parte mi mancano due risposte" in said
    assert "set_aside" not in await tool(talk, "flat_rate")


async def test_without_the_regime_nothing_is_estimated(talk: Talk) -> None:
    await change(talk, "update public.profiles set tax_regime = null where user_id = $1")
    assert "Non so ancora che regime fiscale hai" in await says(talk, ASKED)
    await change(talk, "update public.profiles set tax_regime = 'ordinario' where user_id = $1")
    assert "solo nel regime forfettario" in await says(talk, ASKED)
