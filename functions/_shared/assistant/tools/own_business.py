"""The person's own business as it is on paper: the page /settings/business."""

from __future__ import annotations

from functions._shared import addresses
from functions._shared.assistant.tools.answers import Answer, Read, present
from functions._shared.assistant.tools.tasks import Nothing
from functions._shared.assistant.turn import Turn
from functions._shared.fatturapa import identities


async def own_business(turn: Turn, _given: Nothing) -> Answer:
    """Look up the person's own business, no client's: name, VAT and tax number, regime, ATECO, IBAN, PEC, SdI, address.

    A key that is missing is not known yet: say so and lead to [Attività e dati fiscali](/settings/business)."""
    async with turn.database() as connection:
        row = await connection.fetchrow(
            """
            select business_name, vat_number, tax_code, tax_regime::text as tax_regime, ateco, iban, account_holder,
              pec, sdi_code, address, business_phone
            from public.profiles where user_id = (select auth.uid())
            """
        )
    told = dict(row) if row else {}
    place = addresses.in_one_line(told.pop("address", None) or {})
    iban = told.pop("iban", None)
    return present({**told, "iban": identities.in_fours(iban) if iban else None, "address": place or None})


READS = (Read("own_business", "Guardo i dati della tua attività…", Nothing, own_business),)
