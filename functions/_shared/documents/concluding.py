"""The statements of the end of reading: what was concluded is written, and what its owner has said stays."""

from __future__ import annotations

from typing import Any

from backend.edge import api
from functions._shared.documents.conclusions import Conclusion
from functions._shared.documents.queries import Row


async def pages_of(connection: api.Connection, document: Row, most: int) -> list[dict[str, Any]]:
    """The first pages that were read and the last, so many of each, as extraction takes them."""
    rows = await connection.fetch(
        """
        select no, width, height, words, source::text from (
          select *, row_number() over (order by no) as place, count(*) over () as places
          from public.document_pages where document_id = $1 and state = 'letta'
        ) as page
        where place <= $2 or place > places - $2 order by no
        """,
        document["id"],
        most,
    )
    return [dict(row) for row in rows]


async def counted(connection: api.Connection, document: Row) -> Row:
    """How it went: {lost, with_text, beginning, children}."""
    row = await connection.fetchrow(
        """
        select
          (select count(*) from public.document_pages where document_id = $1 and state = 'errore') as lost,
          exists (select from public.document_pages where document_id = $1 and text ~ '[^[:space:]]') as with_text,
          (
            select left(string_agg(text, ' ' order by no), 20000) from public.document_pages
            where document_id = $1 and no <= 3
          ) as beginning,
          (select count(*) from public.documents where user_id = $2 and parent_id = $1) as children
        """,
        document["id"],
        document["user_id"],
    )
    assert row is not None
    return dict(row)


async def own_numbers(connection: api.Connection, document: Row) -> tuple[str | None, str | None]:
    """VAT number and tax code of its owner, which nobody changes before the transaction ends."""
    row = await connection.fetchrow(
        "select vat_number, tax_code from public.profiles where user_id = $1 for share", document["user_id"]
    )
    return (row["vat_number"], row["tax_code"]) if row else (None, None)


async def corrections(connection: api.Connection, document: Row) -> list[dict[str, Any]]:
    """What its owner has taught about suppliers."""
    rows = await connection.fetch(
        "select vat_number, key, label, kind::text from public.document_corrections where user_id = $1",
        document["user_id"],
    )
    return [dict(row) for row in rows]


async def conclude(
    connection: api.Connection, document: Row, found: Conclusion, is_whole: bool, lang: str | None
) -> None:
    """Writes the conclusions; what its owner has said stays. It is ready when nothing was lost and nothing doubted."""
    await _keep_fields(connection, document, found)
    await connection.execute(
        """
        update public.documents set
          kind = case when kind_by_user then kind else $2::public.document_kind end,
          kind_confidence = case when kind_by_user then kind_confidence else $3 end,
          kind_rule = case when kind_by_user then kind_rule else $4 end,
          supplier = $5, issued_on = coalesce($6, issued_on), due_on = coalesce($7, due_on), total_cents = $8,
          currency = $9, state = 'da_verificare', lang = $10,
          error_code = coalesce($11, error_code), error = coalesce($12, error)
        where id = $1
        """,
        document["id"],
        found.kind,
        found.confidence,
        found.rule and found.rule[:500],
        dict(found.counterparty) or None,
        found.day("issued_on"),
        found.day("due_on"),
        found.total_cents,
        found.currency,
        lang,
        found.missing and found.missing.code,
        found.missing and found.missing.sentence,
    )
    read = {each.key: each.value for each in found.fields}
    await connection.execute("select private.repeat_word($1, $2)", document["id"], read)
    if is_whole and found.missing is None:
        await connection.execute("select private.settle_document($1)", document["id"])
    if found.invoices:
        await connection.execute(
            "select private.store_invoice($1, $2, $3)", document["id"], document["user_id"], list(found.invoices)
        )
    await _find_contact(connection, document)
    # The contact that was found may be all that is known of the other side.
    await connection.execute("select private.enter_scan($1)", document["id"])
    await connection.execute("select private.notify_document($1)", document["id"])


async def _keep_fields(connection: api.Connection, document: Row, found: Conclusion) -> None:
    """Takes the place of what was read before; what its owner has confirmed or taken away stays so."""
    await connection.execute(
        "delete from public.document_fields where document_id = $1 and confirmed_at is null", document["id"]
    )
    await connection.executemany(
        """
        insert into public.document_fields (user_id, document_id, key, value, confidence, page, box, label, source)
          select user_id, id, $2, $3, $4, $5, $6, $7, $8 from public.documents
          where id = $1 and $2 <> all (removed_keys)
        on conflict (document_id, key) do nothing
        """,
        [
            (document["id"], each.key, each.value, each.confidence, each.page, list(each.box) if each.box else None,
             each.label and each.label[:200], each.source)
            for each in found.fields
        ],
    )  # fmt: skip


async def _find_contact(connection: api.Connection, document: Row) -> None:
    """Link the contact that is known for sure, else suggest one; never one that the owner has refused."""
    await connection.execute("select private.link_papers(array[$1::uuid])", document["id"])
    await connection.execute(
        """
        with shown as (
          select kind, private.alias_value(kind, supplier ->> kind::text) as value,
            array_position(array['vat_number', 'tax_code', 'email', 'name'], kind::text) as rank
          from unnest(enum_range(null::public.document_alias_kind)) as kind
          join (select supplier from public.documents where id = $1) as read on true
        ),
        told as (
          select contact_id, state, rank from shown
          join public.document_aliases as alias
            on alias.user_id = $2 and alias.kind = shown.kind and alias.value = shown.value
        ),
        known as (
          select contact_id, true as is_told, rank, 'L’hai già confermato per un altro documento' as reason
          from told where state = 'confermato'
          union all
          select contacts.id, false, rank, 'Ha la stessa partita IVA'
          from shown join public.contacts on user_id = $2 and shown.kind = 'vat_number' and vat_number = shown.value
          union all
          select contacts.id, false, rank, 'Ha lo stesso codice fiscale'
          from shown join public.contacts on user_id = $2 and shown.kind = 'tax_code' and tax_code = shown.value
          union all
          select email.contact_id, false, rank, 'Ha lo stesso indirizzo email'
          from shown
          join public.contact_emails as email on email.user_id = $2 and shown.kind = 'email' and norm = shown.value
          union all
          select contacts.id, false, rank, 'Ha lo stesso nome'
          from shown
          join public.contacts on user_id = $2 and shown.kind = 'name' and private.name_key(name) = shown.value
          union all
          select contact_id, false, 5, 'L’ha mandato su WhatsApp'
          from public.whatsapp_messages where user_id = $2 and document_id = $1 and direction = 'entrata'
        ),
        chosen as (
          select known.* from known
          join public.contacts on contacts.user_id = $2 and contacts.id = known.contact_id
            and merged_into is null and deleted_at is null
          where known.contact_id not in (select contact_id from told where state = 'rifiutato')
          order by is_told desc, rank, contacts.created_at limit 1
        )
        update public.documents set contact_suggestion = chosen.contact_id, contact_reason = reason
        from (select) as nothing left join chosen on true
        where id = $1 and documents.contact_id is null
        """,
        document["id"],
        document["user_id"],
    )
