"""Contacts for the database tests: a row of each table of the CRM for one person, and bare contacts by the way."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from tests.db.accounts import Executor

# As who confirms it types the name.
ERASE = "public.erase_contact($1, (select name from public.contacts where id = $1))"


async def erase(connection: Executor, contact_id: UUID) -> dict[str, dict[str, int]]:
    """Erase a contact as the caller of the connection; return how many rows of each table, by what became of them."""
    lines = json.loads(await connection.fetchval(f"select lines from {ERASE}", contact_id))
    done: dict[str, dict[str, int]] = {}
    for line in lines:
        done.setdefault(line["fate"], {})[line["place"]] = line["found"]
    return done


async def contact(connection: Executor, user_id: UUID, **columns: Any) -> UUID:
    """Inserts a contact, a person named Anna Verdi unless told otherwise, and answers its id."""
    values = {"user_id": user_id, "first_name": "Anna", "last_name": "Verdi", **columns}
    places = ", ".join(f"${place}" for place in range(1, len(values) + 1))
    contact_id: UUID = await connection.fetchval(
        f"insert into public.contacts ({', '.join(values)}) values ({places}) returning id", *values.values()
    )
    return contact_id


async def populate(connection: Executor, owner: UUID, stranger: UUID) -> Mapping[str, str]:
    """A row of each table for the owner, a contact and a tag for the stranger; answers the names that cells use."""
    contact_id = await contact(connection, owner)
    strangers = await contact(connection, stranger, first_name="Luca")
    tag = "insert into public.tags (user_id, name) values ($1, 'Cliente') returning id"
    tag_id, strangers_tag = [await connection.fetchval(tag, user_id) for user_id in (owner, stranger)]
    await connection.execute(
        f"""
        insert into public.contact_emails (user_id, contact_id, value)
          values ('{owner}', '{contact_id}', 'anna@example.it');
        insert into public.contact_phones (user_id, contact_id, value, norm)
          values ('{owner}', '{contact_id}', '333 1234567', '+393331234567');
        insert into public.contact_tags (user_id, contact_id, tag_id) values ('{owner}', '{contact_id}', '{tag_id}');
        insert into public.tags (id, user_id, name)
          values ('00000000-0000-4000-8000-0000000000e0', '{owner}', 'Libero');
        insert into public.segments (user_id, name, filter) values ('{owner}', 'Clienti', '{{}}');
        insert into public.notes (user_id, contact_id, body) values ('{owner}', '{contact_id}', 'Chiamare il mattino');
        insert into public.interactions (user_id, contact_id, kind) values ('{owner}', '{contact_id}', 'chiamata');
        insert into public.memories (user_id, kind, contact_id, body, origin, source)
          values ('{owner}', 'contatto', '{contact_id}', 'Anna paga a trenta giorni', 'utente', 'manuale');
        insert into public.memory_settings (user_id) values ('{owner}');
        insert into public.consents (user_id, contact_id, channel, purpose, state)
          values ('{owner}', '{contact_id}', 'email', 'marketing', 'dato');
        insert into public.contact_requests (user_id, contact_id, contact_name, kind, received_on)
          values ('{owner}', '{contact_id}', 'Anna Verdi', 'accesso', '2026-03-01');
        insert into public.contact_erasures (user_id, contact_id, initials, lines)
          values ('{owner}', gen_random_uuid(), 'L. N.', '[]');
        insert into private.ideas (user_id, title) values ('{owner}', 'Le fatture in blocco');
        with item as (insert into private.roadmap_items (title) values ('Fatture in blocco') returning id)
          insert into private.roadmap_votes (item_id, user_id) select id, '{owner}' from item;
        insert into public.consent_events (user_id, contact_id, channel, purpose, state)
          values ('{owner}', '{contact_id}', 'email', 'marketing', 'dato');
        """
    )
    return {
        "owner_contact": str(contact_id),
        "owner_tag": str(tag_id),
        "owner_free_tag": "00000000-0000-4000-8000-0000000000e0",
        "stranger_contact": str(strangers),
        "stranger_tag": str(strangers_tag),
    }
