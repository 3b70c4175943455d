"""supabase-py's storage against the running stack: objects, in the product's private bucket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest
from storage3.exceptions import StorageApiError

from supabase import Client
from tests.contract.conftest import Person
from tests.contract.methods import works

PDF = b"%PDF-1.7 prova"
OPTIONS: Any = {"content-type": "application/pdf"}


@pytest.fixture
def files(person: Person) -> Any:
    return person.client.storage.from_("documents")


@pytest.fixture
def uploaded(person: Person, files: Any) -> Callable[[], str]:
    def upload() -> str:
        name = f"{person.id}/{uuid4().hex}.pdf"
        files.upload(name, PDF, OPTIONS)
        return name

    return upload


@works("storage.from_.upload")
def test_an_upload_is_there_for_its_owner_only(person: Person, files: Any, new_person: Callable[[], Person]) -> None:
    name = f"{person.id}/a.pdf"
    assert files.upload(name, PDF, {**OPTIONS, "cache-control": "60"}).full_path == f"documents/{name}"
    assert files.download(name) == PDF
    with pytest.raises(StorageApiError) as refused:
        files.upload(name, PDF, OPTIONS)
    assert (refused.value.status, refused.value.message) == ("409", "The resource already exists")
    files.upload(name, b"%PDF-2", {**OPTIONS, "upsert": "true"})
    assert files.download(name) == b"%PDF-2"
    with pytest.raises(StorageApiError, match="row-level security"):
        new_person().client.storage.from_("documents").upload(f"{person.id}/b.pdf", PDF, OPTIONS)


@works("storage.from_.update")
def test_new_content_takes_the_place_of_the_old(files: Any, uploaded: Callable[[], str]) -> None:
    name = uploaded()
    files.update(name, b"%PDF-2", OPTIONS)
    assert files.download(name) == b"%PDF-2"


@works("storage.from_.download")
def test_a_stranger_downloads_nothing(uploaded: Callable[[], str], new_person: Callable[[], Person]) -> None:
    with pytest.raises(StorageApiError, match="Object not found"):
        new_person().client.storage.from_("documents").download(uploaded())


@works("storage.from_.info")
@works("storage.from_.exists")
def test_what_is_there(person: Person, files: Any, uploaded: Callable[[], str]) -> None:
    name = uploaded()
    info = files.info(name)
    assert (info["size"], info["content_type"]) == (len(PDF), "application/pdf")
    assert files.exists(name)
    assert not files.exists(f"{person.id}/none.pdf")


@works("storage.from_.create_signed_url")
@works("storage.from_.create_signed_urls")
def test_signed_addresses_open_without_a_token(person: Person, files: Any, uploaded: Callable[[], str]) -> None:
    name, missing = uploaded(), f"{person.id}/none.pdf"
    assert httpx.get(files.create_signed_url(name, 60)["signedURL"]).content == PDF
    first, second = files.create_signed_urls([name, missing], 60)
    assert httpx.get(first["signedURL"]).content == PDF
    assert second["error"]


@works("storage.from_.create_signed_upload_url")
@works("storage.from_.upload_to_signed_url")
def test_a_signed_upload_needs_no_token(person: Person, files: Any, client: Client) -> None:
    name = f"{person.id}/signed.pdf"
    token = files.create_signed_upload_url(name)["token"]
    client.storage.from_("documents").upload_to_signed_url(name, token, PDF, OPTIONS)
    assert files.download(name) == PDF


@works("storage.from_.get_public_url")
def test_a_private_bucket_has_no_public_addresses(files: Any, uploaded: Callable[[], str]) -> None:
    assert httpx.get(files.get_public_url(uploaded())).json()["message"] == "Bucket not found"


@works("storage.from_.list")
@works("storage.from_.list_v2")
def test_lists(person: Person, files: Any) -> None:
    for name in ("b.pdf", "a.pdf", "sub/c.pdf"):
        files.upload(f"{person.id}/folder/{name}", PDF, OPTIONS)
    assert [row["name"] for row in files.list(f"{person.id}/folder")] == ["sub", "a.pdf", "b.pdf"]
    page = files.list_v2({"prefix": f"{person.id}/folder/", "limit": 2})
    assert page.hasNext
    rest = files.list_v2({"prefix": f"{person.id}/folder/", "limit": 2, "cursor": page.nextCursor})
    assert not rest.hasNext
    assert len(page.objects) + len(rest.objects) == 3


@works("storage.from_.move")
@works("storage.from_.copy")
@works("storage.from_.remove")
def test_objects_move_are_copied_and_go(person: Person, files: Any, uploaded: Callable[[], str]) -> None:
    name, moved, copied = uploaded(), f"{person.id}/moved.pdf", f"{person.id}/copied.pdf"
    assert files.move(name, moved)["message"] == "Successfully moved"
    files.copy(moved, copied)
    assert not files.exists(name)
    assert sorted(row["name"] for row in files.remove([moved, copied, name])) == [copied, moved]
    assert not files.exists(moved)


@works("storage.create_bucket")
@works("storage.get_bucket")
@works("storage.list_buckets")
@works("storage.update_bucket")
@works("storage.empty_bucket")
@works("storage.delete_bucket")
def test_the_server_keeps_buckets_and_people_do_not(server: Client, person: Person) -> None:
    name = f"bucket-{uuid4().hex}"
    server.storage.create_bucket(name, options={"public": False, "file_size_limit": 1000})
    assert server.storage.get_bucket(name).file_size_limit == 1000
    assert name in [bucket.id for bucket in server.storage.list_buckets()]
    assert server.storage.update_bucket(name, {"public": True})["message"] == "Successfully updated"
    assert server.storage.get_bucket(name).public
    assert "queued" in server.storage.empty_bucket(name)["message"]
    with pytest.raises(StorageApiError):
        person.client.storage.create_bucket(uuid4().hex)
    with pytest.raises(StorageApiError, match="Bucket not found"):
        person.client.storage.delete_bucket(name)
    assert server.storage.delete_bucket(name)["message"] == "Successfully deleted"
