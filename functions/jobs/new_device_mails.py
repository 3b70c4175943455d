"""Mail each sign-in from a kind of device that the account never saw, at once and whatever its owner switched off.

A row is taken in the transaction that puts its mail into the outbox, so a process that dies loses none and sends none
twice. The notice in the bell is not enough: whoever signed in can read it away.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from backend.edge import api
from functions._shared import italian_dates, letters

EVERY = timedelta(minutes=1)


async def handler(_payload: dict[str, Any], context: api.Context) -> None:
    """Write about one device in each transaction until none is left."""
    while await write(context):
        pass


async def write(context: api.Context) -> bool:
    """Write about one device; False when none waits."""
    async with context.as_service() as connection:
        row = await connection.fetchrow("select * from private.claim_new_device()")
        # An account may have no address.
        if row is not None and row["email"]:
            mail = letters.message(row["email"], letter(dict(row), context.site_url), "new device")
            await api.send_mail(connection, mail)
    return row is not None


def letter(row: Mapping[str, Any], site_url: str) -> letters.Letter:
    """Compose the mail: what, when and from where, and what to do about it."""
    place = f"{row['device']}, dall’indirizzo {row['ip']}" if row["ip"] else row["device"]
    moment = f"{italian_dates.moment(row['seen'])} (ora italiana)"
    opened = f"il {moment} il tuo account è stato aperto da un dispositivo nuovo: {place}."
    return letters.Letter(
        title=f"Nuovo accesso: {row['device']}",
        paragraphs=(
            opened,
            "Se eri tu, non devi fare nulla.",
            "Se non eri tu, cambia subito la password e chiudi gli altri accessi.",
        ),
        button="Controlla i tuoi accessi",
        link=f"{site_url}/settings/security",
    )
