"""Finding contacts: by words and parts of them, near misses and digits; only one's own, and through the index."""

from __future__ import annotations

import json

import pytest

from tests.db import access, accounts, crm
from tests.db.access import PEOPLE
from tests.db.accounts import Connection

pytestmark = pytest.mark.anyio

OWNER, STRANGER = PEOPLE["owner"], PEOPLE["stranger"]


async def _found(connection: Connection, query: str, role: str = "owner") -> list[str]:
    async with access.acting(connection, role):
        return [row["name"] for row in await connection.fetch("select name from public.search_contacts($1)", query)]


@pytest.fixture
async def filled(connection: Connection) -> Connection:
    company_id = await crm.contact(
        connection,
        OWNER,
        first_name=None,
        last_name=None,
        type="azienda",
        business_name="Officine Lombarde Srl",
        vat_number="00743110157",
    )
    contact_id = await crm.contact(
        connection, OWNER, first_name="Niccolò", last_name="Esposito", company_id=company_id,
        job_title="Avvocata", tax_code="RCCMNL83S18D969H", address='{"city": "Forlì"}', note="Ama i vini del Piemonte",
    )  # fmt: skip
    await connection.execute(
        f"""
        insert into public.contact_emails (user_id, contact_id, value)
          values ('{OWNER}', '{contact_id}', 'N.Espo@studio-x.it');
        insert into public.contact_phones (user_id, contact_id, value, norm)
          values ('{OWNER}', '{contact_id}', '347 765 4321', '+393477654321');
        insert into public.contact_tags (user_id, contact_id, tag_id)
          select user_id, '{contact_id}', id from public.tags where user_id = '{OWNER}' and name = 'Libero';
        """
    )
    return connection


PERSON = ["Niccolò Esposito"]
COMPANY = ["Officine Lombarde Srl"]


@pytest.mark.parametrize(
    ("query", "names"),
    [
        ("Niccolò Esposito", PERSON),
        ("esposito NICCOLO", PERSON),
        ("lombarde s.r.l.", [*COMPANY, *PERSON]),
        ("lombarde S. r. l.", [*COMPANY, *PERSON]),
        ("nic esp", PERSON),
        ("posito", PERSON),
        ("espsito", PERSON),
        ("nicolo espozito", PERSON),
        ("avvocate", PERSON),
        ("vino", PERSON),
        ("forli", PERSON),
        ("libero", PERSON),
        ("n.espo@studio-x.it", PERSON),
        ("@studio-x", PERSON),
        ("studio", PERSON),
        ("rccmnl83s18d969h", PERSON),
        ("347 7654321", PERSON),
        ("+39 347 765-4321", PERSON),
        ("0039 347", PERSON),
        ("4321", PERSON),
        ("00743110157", COMPANY),
        ("IT 007431", COMPANY),
        ("0743 110", COMPANY),
        ("officine", [*COMPANY, *PERSON]),
        ("zzz", []),
        ("", []),
        ("  ' | !:*\\ & ( <-> ", []),
        ("it's\\'@x", []),
        ("'@\\", []),
    ],
)
async def test_contacts_are_found(query: str, names: list[str], filled: Connection) -> None:
    assert await _found(filled, query) == names


async def test_the_best_match_comes_first(connection: Connection) -> None:
    for last_name in ("Marinella", "Marini", "Mari", "Lamari"):
        await crm.contact(connection, OWNER, first_name=None, last_name=last_name)
    assert (await _found(connection, "mari"))[0] == "Mari"
    assert (await _found(connection, "mari"))[-1] == "Lamari"


async def test_nobody_finds_contacts_of_a_stranger(filled: Connection) -> None:
    for query in ("esposito", "espsito", "4321", "n.espo@studio-x.it"):
        assert await _found(filled, query, "stranger") == []


async def test_a_filter_looks_at_all_that_is_found(connection: Connection) -> None:
    names = "insert into public.contacts (user_id, first_name, last_name) select $1, 'Anna', 'Rossi ' || n"
    await connection.execute(f"{names} from generate_series(1, 300) as n", OWNER)
    late = await crm.contact(connection, OWNER, last_name="Zeno Rossi", job_title="VIP")
    listed = "select id from public.listed_contacts('rossi') where job_title = 'VIP' limit 100"
    async with access.acting(connection, "owner"):
        assert await connection.fetchval("select count(*) from public.listed_contacts('rossi')") == 301
        assert await connection.fetchval("select count(*) from public.listed_contacts('rossi', 100)") == 100
        assert [row["id"] for row in await connection.fetch(listed)] == [late]
    async with access.acting(connection, "stranger"):
        assert await connection.fetch(listed) == []


async def test_the_search_follows_every_change(filled: Connection) -> None:
    async def change(sql: str) -> None:
        async with access.acting(filled, "owner"):
            await filled.execute(sql)

    await change(
        "update public.contacts set business_name = 'Fonderie Sarde' where business_name = 'Officine Lombarde Srl'"
    )
    assert await _found(filled, "fonderie") == ["Fonderie Sarde", *PERSON]
    await change("update public.tags set name = 'Occupato' where name = 'Libero'")
    assert await _found(filled, "occupato") == PERSON
    await change("update public.contact_phones set norm = '+393470000000' where norm = '+393477654321'")
    assert (await _found(filled, "7654321"), await _found(filled, "0000000")) == ([], PERSON)
    await change("delete from public.contact_emails where value = 'N.Espo@studio-x.it'")
    assert await _found(filled, "@studio-x") == []
    await change("update public.contacts set deleted_at = now() where first_name = 'Niccolò'")
    assert await _found(filled, "esposito") == []
    await change("update public.contacts set deleted_at = null where first_name = 'Niccolò'")
    assert await _found(filled, "esposito") == PERSON
    kept = "select * from private.contact_search order by contact_id"
    before = await filled.fetch(kept)
    await filled.execute("select private.index_contacts(array(select id from public.contacts))")
    assert await filled.fetch(kept) == before


async def test_search_does_not_follow_the_rows_of_an_account_that_is_being_erased(filled: Connection) -> None:
    kept = "select xmin::text, words from private.contact_search order by contact_id"
    before = await filled.fetch(kept)
    await filled.execute("select private.request_deletion($1, 'elsewhere')", OWNER)
    await filled.execute(
        "update public.deletion_requests set erasing_at = now(), found_rows = '{}', found_files = 0"
        " where user_id = $1 and cancelled_at is null",
        OWNER,
    )
    assert await filled.fetchval(
        "with gone as (delete from public.contact_emails returning 1) select count(*) from gone"
    )
    assert await filled.fetch(kept) == before


async def test_a_search_reads_the_index_and_costs_the_same_among_many_strangers(connection: Connection) -> None:
    for last_name in ("Esposito", "Esposti", "Verdi"):
        await crm.contact(connection, OWNER, last_name=last_name)
    costs = []
    for crowd in (600, 3000):
        await _crowd(connection, crowd)
        costs.append(await _cost(connection))
    # An index may gain a level or two, at each of some forty lexemes.
    assert costs[1] <= 1.3 * costs[0] + 40


async def _crowd(connection: Connection, contacts: int) -> None:
    """So many contacts of the same names in the hands of others."""
    for _ in range(3):
        await connection.execute(
            "insert into public.contacts (user_id, first_name, last_name) select $1, 'Anna', 'Esposito' || n"
            " from generate_series(1, $2) as n",
            await accounts.create(connection),
            contacts // 3,
        )
    await connection.execute("analyze private.contact_search, public.contacts")


async def _cost(connection: Connection) -> int:
    """Buffers of three kinds of search, none of which reads the whole table."""
    scans = "select seq_scan from pg_stat_xact_user_tables where relid = 'private.contact_search'::regclass"
    before, buffers = await connection.fetchval(scans), 0
    for query in ("anna esposito", "espsito", "347"):
        async with access.acting(connection, "owner"):
            explain = "explain (analyze, buffers, format json) select * from public.search_contacts($1)"
            await connection.fetchval(explain, query)
            plan = json.loads(await connection.fetchval(explain, query))[0]["Plan"]
        buffers += plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
    assert await connection.fetchval(scans) == before
    return buffers


@pytest.fixture
async def clients(connection: Connection) -> Connection:
    companies = ("Studio Conti S.r.l.", "Neri S.p.A.", "Bianchi Srl", "Luce Srl", "Mario Rossi Srl")
    for name in companies:
        await crm.contact(connection, OWNER, type="azienda", business_name=name, first_name=None, last_name=None)
    for first, last in (("Elena", "D'Angelò"), ("Irene", "Verdi"), ("Irene Maria", "Verdi"), ("Paolo", "Bianchi")):
        await crm.contact(connection, OWNER, first_name=first, last_name=last)
    for _ in range(2):
        await crm.contact(connection, OWNER, first_name="Luca", last_name="Gallo")
    await crm.contact(connection, STRANGER, first_name="Ugo", last_name="Serra")
    return connection


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Richiamare elena d’angelo domani", "Elena D'Angelò"),
        ("Preventivo per Studio Conti", "Studio Conti S.r.l."),
        ("Preventivo per studio conti srl", "Studio Conti S.r.l."),
        ("Sentire Verdi Irene", "Irene Verdi"),
        ("Sentire Irene Maria Verdi", "Irene Maria Verdi"),
        ("Mandare il contratto a Neri", "Neri S.p.A."),
        ("Chiamare Mario Rossi", "Mario Rossi Srl"),
        # A common word is a name where it is written as one.
        ("pagare la luce", None),
        ("Luce da pagare", None),
        ("Contratto con Luce", "Luce Srl"),
        # Another contact has it too.
        ("Contratto con Bianchi", None),
        ("Chiamare Luca Gallo", None),
        ("Riunione con Irene Verdi e Neri", None),
        ("Chiamare Ugo Serra", None),
        ("Chiamare Irene", None),
        ("", None),
        ("'| = : & \\", None),
    ],
)
async def test_a_text_names_one_contact_or_none(clients: Connection, text: str, name: str | None) -> None:
    async with access.acting(clients, "owner"):
        assert await clients.fetchval("select name from public.contact_named_in($1)", text) == name


async def test_a_deleted_contact_is_named_by_no_text(clients: Connection) -> None:
    await clients.execute("update public.contacts set deleted_at = now() where name = 'Neri S.p.A.'")
    async with access.acting(clients, "owner"):
        assert await clients.fetchval("select name from public.contact_named_in('Scrivere a Neri')") is None
