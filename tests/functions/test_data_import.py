"""`data_import`: an archive brought into another account makes the same archive again, and nothing it may not hold."""

from __future__ import annotations

import hashlib
import io
import json
import random
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from backend.core import db
from backend.core.resources import Resources
from backend.edge import api, tasks
from functions._shared import archives, personal_archive, personal_data, personal_restore
from functions._shared.personal_archive import Wish
from functions._shared.personal_restore import NewIds, Shape
from functions.jobs import data_import, retention
from tests.backend.core.test_jobs import until_empty, working
from tests.db import accounts, documents
from tests.functions import signed_in
from tests.functions.documents.conftest import Desk, opened
from tests.functions.test_account_deletion import everything

pytestmark = pytest.mark.anyio
PATH = "/functions/v1/data_import"
# What the restored rows have of their own, and why.
DIFFERS: Mapping[str, tuple[str, ...]] = {
    "public.tasks": ("reminded_at", "next_remind_at"),  # what was due is not told a second time
    # What was under way ends with the import.
    "public.import_batches": ("finished_at",),
    "public.messages": ("finished_at",),
}


@dataclass
class Mover(Desk):
    """A person with an account that is still unused, and somebody's archive at hand."""

    @property
    def headers(self) -> dict[str, str]:
        proof = {"aal": "aal1", "amr": [{"method": "password", "timestamp": int(time.time())}]}
        signed = signed_in.headers(self.resources, self.user_id, **proof)
        return {"apikey": self.resources.keys.publishable_key, **signed}

    async def archive_of(self, user_id: UUID, *domains: str) -> bytes:
        wish = Wish(domains or tuple(personal_data.EXPORTED), with_files=True)
        context = self.context()
        with tempfile.TemporaryDirectory() as folder:
            async with (
                context.files() as store,
                personal_archive.reading(context, user_id, wish, Path(folder)) as content,
            ):
                pieces = personal_archive.pieces(context, store, archives.Archive(), content)
                return b"".join([piece async for piece in pieces])

    async def send(self, content: bytes) -> str:
        path = f"{self.user_id}/{uuid4()}.zip"
        headers = {**self.headers, "content-type": "application/zip"}
        answer = await self.http.post(f"/storage/v1/object/imports/{path}", content=content, headers=headers)
        assert answer.status_code == 200, answer.text
        return path

    async def begin(self, path: str) -> httpx.Response:
        return await self.http.post(PATH, json={"path": path}, headers=self.headers)

    async def bring_in(self, content: bytes) -> dict[str, Any]:
        begun = await self.begin(await self.send(content))
        assert begun.status_code == 200, begun.text
        task = tasks.of_product(self.resources.settings)["data_import"]
        async with working(self.resources, data_import=task):
            # What a full account has done enqueued jobs of other names.
            await until_empty(self.resources, "jobs.pgqueuer where entrypoint = 'data_import'")
        return await self.progress()

    async def progress(self) -> dict[str, Any]:
        async with db.connection(self.resources.pool) as connection:
            row = await connection.fetchrow(
                "select * from public.data_imports where user_id = $1 order by created_at desc limit 1", self.user_id
            )
        assert row is not None
        return dict(row)

    async def do(self, sql: str, *arguments: Any) -> list[Any]:
        async with db.connection(self.resources.pool) as connection:
            return await connection.fetch(sql, *arguments)

    async def shapes(self) -> dict[str, Shape]:
        rows = await self.do("select * from private.table_shapes($1)", list(personal_restore.PLACES))
        return {
            row["name"]: Shape(frozenset(row["ids"]), tuple(row["own_ids"]), frozenset(row["needs"])) for row in rows
        }


def zipped(**entries: str) -> bytes:
    into = io.BytesIO()
    with zipfile.ZipFile(into, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return into.getvalue()


EMPTY = zipped(a="b")


@pytest.fixture
async def mover(resources: Resources) -> AsyncIterator[Mover]:
    async with opened(resources) as desk:
        yield Mover(desk.resources, desk.http, desk.user_id)


@pytest.fixture
async def owner(mover: Mover) -> UUID:
    """Somebody with rows in every table, and papers of which the files are there."""
    user_id = await everything(mover.resources)
    async with db.connection(mover.resources.pool) as connection:
        for name in ("a.pdf", "à b.pdf"):
            path = f"{user_id}/{uuid4()}/{len(name)}.pdf"
            await mover.context().storage_of(user_id).upload("documents", path, name.encode(), "application/pdf")
            await documents.document(connection, user_id, filename=name, storage_path=path)
    return user_id


def tables(content: bytes) -> dict[str, list[dict[str, Any]]]:
    archive = zipfile.ZipFile(io.BytesIO(content))
    return {table: json.loads(archive.read(place)) for table, place in personal_restore.PLACES.items()}


def changed(content: bytes, change: Callable[[str, bytes], bytes | None], *, sealed: bool = True) -> bytes:
    """Return the archive with its entries as `change` returns them, and with new digests unless told otherwise."""
    source, into = zipfile.ZipFile(io.BytesIO(content)), io.BytesIO()
    entries = {name: change(name, source.read(name)) for name in source.namelist()}
    kept = {name: data for name, data in entries.items() if data is not None}
    if sealed:
        lines = [f"{hashlib.sha256(data).hexdigest()}  {name}\n" for name, data in kept.items()]
        kept["impronte.sha256"] = "".join(lines).encode()
    with zipfile.ZipFile(into, "w") as archive:
        for name, data in kept.items():
            archive.writestr(name, data)
    return into.getvalue()


def rows_changed(content: bytes, place: str, **columns: Any) -> bytes:
    """Return the archive with these values in every row of a table."""

    def change(name: str, data: bytes) -> bytes:
        if name != place:
            return data
        rows = [json.dumps(row | columns) for row in json.loads(data)]
        return ("[\n" + ",\n".join(rows) + "\n]\n").encode()

    return changed(content, change)


async def compare(mover: Mover, before: bytes, after: bytes, old_owner: UUID) -> None:
    shapes = await mover.shapes()
    old, new = tables(before), tables(after)
    ids = NewIds(str(old_owner), mover.user_id, {row["id"] for rows in old.values() for row in rows if "id" in row})
    numbered = {
        row[0]
        for row in await mover.do(
            "select format('%s.%s', relnamespace::regnamespace, relname) from pg_class join pg_attribute"
            " on attrelid = pg_class.oid where attidentity <> '' and relnamespace in"
            " ('public'::regnamespace, 'private'::regnamespace)"
        )
    }
    for table in personal_restore.PLACES:
        left_out = {*DIFFERS.get(table, ()), *personal_restore.OF_THE_ACCOUNT.get(table, ()), "user_id"}
        left_out |= {"id"} if table in numbered else set()
        left_out |= {"last_error_at"} if table.startswith("public.mail_") else set()

        def shown(rows: list[dict[str, Any]], left_out: set[str] = left_out) -> list[str]:
            return sorted(
                json.dumps({name: value for name, value in row.items() if name not in left_out}, sort_keys=True)
                for row in rows
            )

        expected = [
            personal_restore.converted(table, row, shapes[table], ids, mover.context().now()) for row in old[table]
        ]
        found = new[table]
        if table == "public.notifications":
            own = {row["id"] for row in expected}
            found = [row for row in found if row["id"] in own]
        assert shown(found) == shown(expected), table


async def test_what_comes_back_makes_the_same_archive_again(mover: Mover, owner: UUID) -> None:
    before = await mover.archive_of(owner)
    empty = [table for table, rows in tables(before).items() if not rows]
    assert not empty, "the account must have a row of each table"
    end = await mover.bring_in(before)
    assert (end["state"], end["error"], end["files_lost"]) == ("fatto", None, 0), end
    assert end["rows_done"] == end["rows"] == sum(map(len, tables(before).values()))
    after = await mover.archive_of(mover.user_id)
    await compare(mover, before, after, owner)
    # The files lie where the rows look for them, byte for byte.
    for path, filename in await mover.do(
        "select storage_path, filename from public.documents where user_id = $1 and filename like '%b.pdf'",
        mover.user_id,
    ):
        assert await mover.context().storage_as_service.download("documents", path) == filename.encode()
    for table in ("contact_search", "document_search", "message_search", "mail_search", "whatsapp_search"):
        count = f"select count(*) from private.{table} where user_id = $1"
        ((found_before,),), ((found_after,),) = await mover.do(count, owner), await mover.do(count, mover.user_id)
        assert found_after == found_before > 0, table
    # The archive itself is gone.
    assert not await mover.do("select from storage.objects where bucket_id = 'imports'")


async def test_an_archive_brings_work_and_neither_money_nor_rights_nor_mails(mover: Mover, owner: UUID) -> None:
    await mover.do(
        "update public.outgoing_mails set state = 'queued', not_before = now(), expires_at = now() + interval '1 day',"
        " leased_until = null, sent_at = null, error = null, reply = null where user_id = $1",
        owner,
    )
    await mover.do("update public.insights set state = 'nuova', since = private.today() where user_id = $1", owner)
    facts = "select balance, held from public.credit_wallets where user_id = $1"
    ((*wallet,),) = await mover.do(facts, mover.user_id)
    count = "select count(*) from public.notes where user_id = $1"
    notes = await mover.do(count, owner)
    # Rows that say they are somebody else's are the caller's.
    content = rows_changed(await mover.archive_of(owner), "clienti/notes.json", user_id=str(owner))
    assert (await mover.bring_in(content))["state"] == "fatto"
    assert await mover.do(count, owner) == await mover.do(count, mover.user_id) == notes
    assert await mover.do(facts, mover.user_id) == [tuple(wallet)]
    for table in ("public.user_roles", "public.agent_mandates", "public.goals", "private.early_bird_seats"):
        assert await mover.do(f"select from {table} where user_id = $1", owner), table
        assert not await mover.do(f"select from {table} where user_id = $1", mover.user_id), table
    states = await mover.do("select distinct state from public.outgoing_mails where user_id = $1", mover.user_id)
    assert [row[0] for row in states] == ["cancelled"]
    told = await mover.do(
        "select kind from private.notification_deliveries where user_id = $1 and kind <> 'benvenuto'", mover.user_id
    )
    assert [row[0] for row in told] == ["importazione_conclusa"]
    assert not await mover.do("select from jobs.pgqueuer where headers ->> 'user_id' is distinct from $1", str(owner))


async def test_what_is_no_whole_archive_brings_nothing(
    mover: Mover, owner: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = await mover.archive_of(owner)
    async with db.connection(mover.resources.pool) as connection:
        stranger = await accounts.create(connection)
    ((contact,),) = await mover.do(
        "insert into public.contacts (user_id, first_name) values ($1, 'Altri') returning id", stranger
    )

    def altered(wanted: str, data: bytes | None, *, sealed: bool = True) -> bytes:
        return changed(whole, lambda name, content: data if name == wanted else content, sealed=sealed)

    tasks_ = "lavoro/tasks.json"
    for content, says in (
        (whole[: len(whole) // 2], personal_restore.NOT_OURS),
        (zipped(a="b"), personal_restore.NOT_OURS),
        (altered("indice.json", None), personal_restore.NOT_OURS),
        (altered("indice.json", b'{"version": 2}'), personal_restore.NEWER),
        (await mover.archive_of(owner, "clienti", "documenti"), personal_restore.INCOMPLETE),
        (altered(tasks_, b"[\n]\n", sealed=False), personal_restore.DAMAGED),
        (altered(tasks_, b"[\n{]\n"), personal_restore.DAMAGED),
        (altered(tasks_, None), personal_restore.INCOMPLETE),
        (rows_changed(whole, tasks_, state="mai sentito"), personal_restore.DAMAGED),
        (rows_changed(whole, tasks_, id="00000000-0000-4000-8000-000000000009"), personal_restore.DAMAGED),
        # A row of somebody else is not reached.
        (rows_changed(whole, "clienti/notes.json", contact_id=str(contact)), personal_restore.DAMAGED),
        # A bomb is not unfolded.
        (whole, personal_restore.TOO_LARGE),
    ):
        if says == personal_restore.TOO_LARGE:
            monkeypatch.setattr(personal_restore, "MOST_TABLE_BYTES", 100)
        end = await mover.bring_in(content)
        assert (end["state"], end["error"], end["restored_at"]) == ("fallito", says, None)
        assert await mover.do("select private.takes_archive($1)", mover.user_id) == [(True,)]
        assert not await mover.do("select from storage.objects where bucket_id = 'imports'")


async def test_files_stay_in_the_folder_of_their_owner(mover: Mover, owner: UUID) -> None:
    before = await mover.archive_of(owner)
    index = json.loads(zipfile.ZipFile(io.BytesIO(before)).read("file/indice.json"))
    good, bad = index[0], index[1]
    wrong = [
        {"name": f"{owner}/../{uuid4()}/x.pdf"},
        {"name": f"{uuid4()}/x.pdf"},
        {"name": f"{owner}//x.pdf"},
        {"bucket": "exports"},
        {"file": "file/not there"},
        {"bucket": "avatars", "mime": "text/html"},
    ]
    entries = json.dumps([good, *(bad | each for each in wrong)]).encode()
    end = await mover.bring_in(changed(before, lambda name, data: entries if name == "file/indice.json" else data))
    assert (end["state"], end["files_done"], end["files_lost"]) == ("fatto", 1, len(wrong))
    stored = await mover.do("select name from storage.objects where name not like $1", f"{owner}/%")
    assert [row[0].partition("/")[0] for row in stored] == [str(mover.user_id)]


async def test_a_run_that_dies_goes_on_where_it_was(mover: Mover, owner: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    before = await mover.archive_of(owner)
    begun = (await mover.begin(await mover.send(before))).json()
    payload, context = {"import_id": begun["id"]}, mover.context()
    # In the middle of the rows: none of them is there.
    convert, calls = personal_restore.converted, iter(range(10_000))

    def dies(*arguments: Any) -> Any:
        if next(calls) == 40:
            raise RuntimeError
        return convert(*arguments)

    monkeypatch.setattr(personal_restore, "converted", dies)
    with pytest.raises(RuntimeError):
        await data_import.handler(payload, context)
    assert await mover.do("select private.takes_archive($1)", mover.user_id) == [(True,)]
    monkeypatch.setattr(personal_restore, "converted", convert)
    # Among the files: the rows are there already.
    upload = api.Storage.upload

    async def unreachable(*_: Any, **__: Any) -> None:
        raise api.PlatformError("away")

    monkeypatch.setattr(api.Storage, "upload", unreachable)
    with pytest.raises(api.Away):
        await data_import.handler(payload, context)
    assert (await mover.progress())["restored_at"] is not None
    monkeypatch.setattr(api.Storage, "upload", upload)
    await data_import.handler(payload, context)
    await data_import.handler(payload, context)
    end = await mover.progress()
    assert (end["state"], end["files_lost"]) == ("fatto", 0)
    await compare(mover, before, await mover.archive_of(mover.user_id), owner)


async def test_only_an_unused_account_takes_an_archive(mover: Mover) -> None:
    assert (await mover.http.post(PATH, json={}, headers=mover.headers)).json() == {}
    path = await mover.send(EMPTY)
    first, second = await mover.begin(path), await mover.begin(path)
    assert first.json() == second.json()
    # Another one waits for the first.
    assert (await mover.begin(await mover.send(EMPTY))).json() == first.json()
    await mover.do("delete from public.data_imports")
    await mover.do(
        "insert into public.contacts (user_id, first_name, deleted_at) values ($1, 'A', now())", mover.user_id
    )
    refused = await mover.begin(path)
    assert (refused.status_code, refused.json()["code"]) == (409, "account_in_use")
    assert (await mover.http.post(PATH, json={}, headers=mover.headers)).status_code == 409


async def test_work_that_began_meanwhile_is_kept(mover: Mover, owner: UUID) -> None:
    begun = (await mover.begin(await mover.send(await mover.archive_of(owner)))).json()
    await mover.do("insert into public.contacts (user_id, first_name) values ($1, 'Mio')", mover.user_id)
    await data_import.handler({"import_id": begun["id"]}, mover.context())
    assert (await mover.progress())["error"] == personal_restore.USED
    assert await mover.do("select first_name from public.contacts where user_id = $1", mover.user_id) == [("Mio",)]


async def test_an_archive_that_nobody_brings_in_goes_after_a_day(mover: Mover) -> None:
    waiting, forgotten = await mover.send(EMPTY), await mover.send(EMPTY)
    await mover.begin(waiting)
    age = "update storage.objects set created_at = created_at - interval '25 hours' where bucket_id = 'imports'"
    await mover.do(age)
    await retention.handler({}, mover.context())
    assert await mover.do("select name from storage.objects where bucket_id = 'imports'") == [(waiting,)]
    assert forgotten != waiting


async def test_only_the_owner_of_a_file_has_it_brought_in(mover: Mover, resources: Resources) -> None:
    path = await mover.send(EMPTY)
    assert (await mover.begin(f"{mover.user_id}/nowhere.zip")).status_code == 404
    async with db.connection(resources.pool) as connection:
        stranger = await accounts.create(connection)
    other = replace(mover, user_id=stranger)
    assert (await other.begin(path)).status_code == 404
    headers = {**other.headers, "content-type": "application/zip"}
    taken = await mover.http.post(f"/storage/v1/object/imports/{path}", content=b"x", headers=headers)
    assert taken.status_code in (400, 403)
    assert (
        await mover.http.get(f"/storage/v1/object/authenticated/imports/{path}", headers=headers)
    ).status_code == 400
    assert (await mover.http.post(PATH, json={"path": path})).status_code == 401
    assert (await mover.http.post(PATH, json={"path": 1}, headers=mover.headers)).status_code == 400
    old = signed_in.headers(resources, mover.user_id, aal="aal1", amr=[{"method": "password", "timestamp": 1}])
    stale = await mover.http.post(PATH, json={"path": path}, headers=old)
    assert (stale.status_code, stale.json()["code"]) == (403, "reauthentication_needed")


async def test_any_text_and_any_order_comes_back(mover: Mover) -> None:
    chance = random.Random(20261128)
    async with db.connection(mover.resources.pool) as connection:
        owner = await accounts.create(connection)
        ids = [uuid4() for _ in range(40)]
        for place, contact in enumerate(ids):
            odd = "".join(chance.choice("aZ0 '\"\\,;{}[]\t àé€😀‮") for _ in range(30))
            await connection.execute(
                "insert into public.contacts (id, user_id, type, business_name, note, created_at)"
                " values ($1, $2, 'azienda', $3, $4, now() - make_interval(days => $5))",
                contact,
                owner,
                f"Ditta {place}",
                f"{odd}\n[{chance.choice(ids)}](/crm/{chance.choice(ids)}) {uuid4()}",
                chance.randrange(400),
            )
        # In any direction: who is pointed at may stand behind in the archive.
        for contact in ids[1:]:
            await connection.execute(
                "update public.contacts set type = 'persona', first_name = 'A', company_id = $2 where id = $1",
                contact,
                ids[0],
            )
        tasks_ = [uuid4() for _ in range(20)]
        for task in tasks_:
            await connection.execute("insert into public.tasks (id, user_id, title) values ($1, $2, 'A')", task, owner)
        for child in tasks_[:10]:
            await connection.execute(
                "update public.tasks set parent_id = $2, previous_id = $3 where id = $1",
                child,
                chance.choice(tasks_[10:]),
                None,
            )
    before = await mover.archive_of(owner)
    assert (await mover.bring_in(before))["error"] is None
    await compare(mover, before, await mover.archive_of(mover.user_id), owner)


def test_all_that_is_money_stays_where_it_is() -> None:
    for table in personal_data.EXPORTED["crediti"]:
        assert table in personal_data.NOT_RESTORED or table == "public.credit_settings"
    assert set(personal_data.NOT_RESTORED) < {table for place in personal_data.EXPORTED.values() for table in place}


def test_rows_that_point_to_each_other_are_no_archive_of_ours() -> None:
    assert personal_restore.in_order(
        {"b": Shape(frozenset(), (), frozenset({"a"})), "a": Shape(frozenset(), (), frozenset())}
    ) == ["a", "b"]
    ids = NewIds("00000000-0000-4000-8000-000000000001", uuid4(), {"00000000-0000-4000-8000-000000000002"})
    text = "x 00000000-0000-4000-8000-000000000003 <00000000-0000-4000-8000-000000000002>"
    known = ids.of("00000000-0000-4000-8000-000000000002")
    assert ids.text(text) == f"x 00000000-0000-4000-8000-000000000003 <{known}>"
    assert ids.row({"message_id": text, "user_id": "x"}, ()) == {"message_id": text}


def test_the_shared_sender_comes_back_without_asking_for_a_password() -> None:
    now = datetime(2026, 11, 28, tzinfo=UTC)
    own, shared = ({"is_shared": each, "last_error": None} for each in (False, True))
    assert personal_restore.at_rest("public.mail_accounts", own, now)["last_error"] == "auth"
    assert personal_restore.at_rest("public.mail_accounts", shared, now) == shared
    # The login of a provider is not in the archive either: its person signs in again.
    outlook = personal_restore.at_rest("public.mail_accounts", own | {"provider": "microsoft"}, now)
    assert outlook["login_expired_at"] == outlook["last_error_at"]
