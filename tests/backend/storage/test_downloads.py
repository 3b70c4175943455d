"""GET and HEAD: ranges, conditions, signed addresses, and nothing a browser could run."""

from __future__ import annotations

import asyncpg
import pytest

from tests.backend.storage.conftest import ANNA, ANON, BRUNO, BUCKET, Files
from tests.conftest import Clock

pytestmark = pytest.mark.anyio
MINE = f"{BUCKET}/{ANNA}"
HEIF_BRANDS = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")


@pytest.mark.parametrize(
    ("given", "status", "content", "answered"),
    [
        ("bytes=0-3", 206, b"0123", "bytes 0-3/10"),
        ("bytes=7-", 206, b"789", "bytes 7-9/10"),
        ("bytes=-2", 206, b"89", "bytes 8-9/10"),
        ("bytes=5-500", 206, b"56789", "bytes 5-9/10"),
        ("bytes=10-", 416, None, "bytes */10"),
        ("bytes=-0", 416, None, "bytes */10"),
        ("bytes=0-1,4-5", 200, b"0123456789", None),
        ("lines=1-2", 200, b"0123456789", None),
    ],
)
async def test_ranges(files: Files, given: str, status: int, content: bytes | None, answered: str | None) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"0123456789")
    got = await files.get(ANNA, f"{MINE}/a.txt", range=given)
    assert (got.status_code, got.headers.get("content-range")) == (status, answered)
    if content is not None:
        assert got.content == content
        assert got.headers["content-length"] == str(len(content))
    else:
        assert got.json()["code"] == "InvalidRange"


async def test_what_is_unchanged_is_not_sent_again(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    first = await files.get(ANNA, f"{MINE}/a.txt")
    tag, since = first.headers["etag"], first.headers["last-modified"]
    for condition in ({"if_none_match": tag}, {"if_none_match": f'"other", W/{tag}'}, {"if_modified_since": since}):
        again = await files.get(ANNA, f"{MINE}/a.txt", **condition)
        assert (again.status_code, again.content) == (304, b"")
    assert (await files.get(ANNA, f"{MINE}/a.txt", if_none_match='"other"')).status_code == 200
    for odd in ("nonsense", "Mon, 01 Jan 99999999999 00:00:00 GMT", "Mon, 01 Jan 2024 00:00:00 +99999999999999999999"):
        assert (await files.get(ANNA, f"{MINE}/a.txt", if_modified_since=odd)).status_code == 200


async def test_head_tells_without_sending(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"0123456789")
    got = await files.call(ANNA, "HEAD", f"object/{MINE}/a.txt")
    assert (got.status_code, got.headers["content-length"], got.content) == (200, "10", b"")


# Declared type, content, stored type (None: as declared), and whether a browser may show it.
CONTENTS = [
    ("image/svg+xml", b"<svg onload='alert(1)'/>", "image/svg+xml", False),
    ("text/html", b"<html><script>1</script>", "text/html", False),
    ("image/png", b"<!DOCTYPE html><script>1</script>", "text/html", False),
    ("image/png", b"\x89PNG\r\n\x1a\n....", "image/png", True),
    ("image/jpeg", b"\x89PNG\r\n\x1a\n....", "image/png", True),
    ("application/pdf", b"%PDF-1.7", "application/pdf", True),
    ("application/pdf", b"MZ not a pdf", "application/x-msdownload", False),
    ("text/plain", b"<script>alert(1)</script>", "text/plain", True),
    ("text/xml", b"<?xml version='1.0'?><FatturaElettronica/>", "text/xml", False),
    ("application/vnd.openxmlformats-officedocument.wordprocessingml.document", b"PK\x03\x04", None, False),
    ("nonsense", b"abc", "application/octet-stream", False),
    ("application/pdf", b"\x1b%-12345X@PJL\r\n%PDF-1.7", "application/pdf", True),
    ("application/pdf", b"<html>%PDF-1.7", "text/html", False),
    ("application/pdf", b"MZ %PDF-1.7", "application/x-msdownload", False),
    ("image/png", b"about %PDF-1.7", "application/octet-stream", False),
    ("text/plain", b"BMW 320d: 12.000 km", "text/plain", True),
    ("text/csv", b"MZ;10\r\n", "text/csv", False),
    ("text/plain", b"ID3 is a tag", "text/plain", True),
    ("text/plain", b"THE NEW WAVE", "text/plain", True),
    ("message/rfc822", b"MZ-Id: 1\r\nSubject: x", "message/rfc822", False),
    ("text/plain", b"MZ\0\0ftypheic", "image/heic", True),
    ("text/rtf", b"\xef\xbb\xbf<script>1</script>", "text/html", False),
    *(("image/heic", b"\0\0\0\x18ftyp" + brand, "image/heic", True) for brand in HEIF_BRANDS),
]


async def test_what_a_browser_could_run_is_only_saved(files: Files) -> None:
    for number, (declared, content, stored, inline) in enumerate(CONTENTS):
        await files.put(ANNA, f"{MINE}/{number}", content, content_type=declared)
        got = await files.get(ANNA, f"{MINE}/{number}")
        told = got.headers["content-type"].partition(";")[0], "content-disposition" not in got.headers
        assert (declared, content, *told) == (declared, content, stored or declared, inline)
        assert got.headers["x-content-type-options"] == "nosniff"
        assert "sandbox" in got.headers["content-security-policy"]


async def test_download_names_the_file(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.pdf", b"%PDF-1.7")
    got = await files.get(ANNA, f"{MINE}/a.pdf?download=Perch%C3%A9%22%0d%0aX.pdf")
    assert got.headers["content-disposition"] == (
        "attachment; filename=\"Perch____X.pdf\"; filename*=UTF-8''Perch%C3%A9%22%0D%0AX.pdf"
    )
    assert (await files.get(ANNA, f"{MINE}/a.pdf?download=")).headers["content-disposition"] == "attachment"


async def test_a_signed_address_is_good_for_one_object_and_a_while(files: Files, now: Clock) -> None:
    await files.put(ANNA, f"{MINE}/a b.txt", b"x")
    await files.put(ANNA, f"{MINE}/other.txt", b"y")
    body = {"expiresIn": 60}
    address = (await files.call(ANNA, "POST", f"object/sign/{MINE}/a b.txt", json=body)).json()["signedURL"]
    assert address.startswith("/object/sign/")
    got = await files.http.get(f"/storage/v1{address}")
    assert got.content == b"x"
    stolen = address.replace("a b.txt", "other.txt")
    assert (await files.http.get(f"/storage/v1{stolen}")).json()["code"] == "InvalidSignature"
    assert (await files.http.get(f"/storage/v1{address[:-3]}abc")).json()["code"] == "InvalidJWT"
    now.advance(seconds=61)
    assert (await files.http.get(f"/storage/v1{address}")).json()["message"] == '"exp" claim timestamp check failed'


async def test_a_token_for_a_changed_picture_does_not_open_the_original(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/p", b"\x89PNG\r\n\x1a\n", content_type="image/png")
    body = {"expiresIn": 60, "transform": {"width": 10}}
    address = (await files.call(ANNA, "POST", f"object/sign/{MINE}/p", json=body)).json()["signedURL"]
    refused = await files.http.get(f"/storage/v1{address.replace('/render/image/', '/object/')}")
    assert refused.json()["code"] == "InvalidSignature"


@pytest.mark.parametrize(
    ("given", "own", "signed"),
    [
        ("public, max-age=31536000, s-maxage=31536000, immutable", "private, max-age=31536000", "private, max-age=60"),
        ("max-age=30", "private, max-age=30", "private, max-age=30"),
        ("public", "private, no-cache", "private, no-cache"),
        ("max-age=30, no-cache", "private, no-cache", "private, no-cache"),
        ("No-Store", "private, no-store", "private, no-store"),
    ],
)
async def test_a_private_file_is_kept_by_its_reader_alone_and_no_longer_than_the_address_lives(
    files: Files, now: Clock, given: str, own: str, signed: str
) -> None:
    now.moment = now.moment.replace(microsecond=0)  # tokens count whole seconds
    await files.put(ANNA, f"{MINE}/a.txt", b"x", cache_control=given)
    await files.put(ANNA, f"open/{ANNA}/a.txt", b"x", cache_control=given)
    body = {"expiresIn": 60}
    address = (await files.call(ANNA, "POST", f"object/sign/{MINE}/a.txt", json=body)).json()["signedURL"]
    mine = await files.get(ANNA, f"{MINE}/a.txt")
    # Whoever is signed in next in the same browser asks with another token.
    assert (mine.headers["cache-control"], "Authorization" in mine.headers["vary"]) == (own, True)
    assert (await files.http.get(f"/storage/v1{address}")).headers["cache-control"] == signed
    assert (await files.get(ANON, f"public/open/{ANNA}/a.txt")).headers["cache-control"] == given


async def test_many_addresses_are_signed_at_once(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    body = {"expiresIn": 60, "paths": [f"{ANNA}/a.txt", f"{ANNA}/none.txt"]}
    found, missing = (await files.call(ANNA, "POST", f"object/sign/{BUCKET}", json=body)).json()
    assert (await files.http.get(f"/storage/v1{found['signedURL']}")).content == b"x"
    assert missing["signedURL"] is None
    assert "does not exist" in missing["error"]


async def test_an_access_token_is_no_signed_address(files: Files) -> None:
    await files.put(ANNA, f"{MINE}/a.txt", b"x")
    token = files.headers(ANNA)["Authorization"].split()[1]
    assert (await files.http.get(f"/storage/v1/object/sign/{MINE}/a.txt?token={token}")).json()["code"] == "InvalidJWT"


@pytest.mark.parametrize("path", ["", "authenticated/", "info/", "info/authenticated/"])
async def test_a_key_closes_no_public_bucket(files: Files, path: str) -> None:
    for bucket in ("open", BUCKET):
        await files.put(ANNA, f"{bucket}/{ANNA}/a.txt", b"x")
    for who in (ANON, BRUNO):
        assert (await files.get(who, f"{path}open/{ANNA}/a.txt")).status_code == 200
        for closed in (f"open/{ANNA}/none.txt", f"{BUCKET}/{ANNA}/a.txt", f"nowhere/{ANNA}/a.txt"):
            assert (await files.get(who, path + closed)).json()["code"] == "NoSuchKey"


async def test_public_means_public_buckets_only(
    files: Files, database_owner: asyncpg.Connection[asyncpg.Record]
) -> None:
    await files.put(ANNA, f"open/{ANNA}/a.txt", b"x")
    await files.put(ANNA, f"{MINE}/a.txt", b"secret")
    assert (await files.http.get(f"/storage/v1/object/public/open/{ANNA}/a.txt")).content == b"x"
    assert (await files.http.get(f"/storage/v1/object/public/{MINE}/a.txt")).json()["message"] == "Bucket not found"
    await database_owner.execute("update storage.buckets set public = false where id = 'open'")
    assert (await files.get(ANON, f"public/open/{ANNA}/a.txt")).json()["message"] == "Bucket not found"
