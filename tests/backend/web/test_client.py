"""backend.web.client: the built client from memory, in the best encoding, and nothing else of the disk."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.datastructures import Headers
from starlette.responses import Response

from backend.core import config, jwt
from backend.core.config import Settings
from backend.web.client import Client, best_encoding

SHELL = "<!doctype html><title>Socio</title>"
LANDING = "<!doctype html><title>Lavori in proprio</title>"
FAQ = "<!doctype html><title>Domande</title>"
NOWHERE = "<!doctype html><title>404</title>"
SCRIPT = "console.info('ciao')" * 20


@pytest.fixture
def root(tmp_path: Path) -> Path:
    dist = tmp_path / "web" / "dist"
    (dist / "assets").mkdir(parents=True)
    (dist / "app.html").write_text(SHELL)
    (dist / "index.html").write_text(LANDING)
    (dist / "404.html").write_text(NOWHERE)
    (dist / "faq").mkdir()
    (dist / "faq" / "index.html").write_text(FAQ)
    (dist / "routes.json").write_text('["/", "/faq", "/home", "/crm/:id", "/auth/confirm", "/settings/profile"]')
    (dist / "assets" / "index-1a2b.js").write_text(SCRIPT)
    (dist / "assets" / "index-1a2b.js.gz").write_bytes(gzip.compress(SCRIPT.encode()))
    (dist / "assets" / "index-1a2b.js.br").write_bytes(b"brotli")
    (dist / "assets" / "font-3c.woff2").write_bytes(b"font")
    (dist / "service-worker.js").write_text(SCRIPT)
    (dist / "favicon.svg").write_text("<svg/>")
    (dist / "home.avif").write_bytes(b"avif")
    (tmp_path / "secret.txt").write_text("secret")
    (dist / "link.txt").symlink_to(tmp_path / "secret.txt")
    return tmp_path


@pytest.fixture
def settings(root: Path) -> Settings:
    return replace(config.load({"DATABASE_URL": "postgresql://x@127.0.0.1:1/x"}), root=root, home=root / "home")


@pytest.fixture
def client(settings: Settings) -> Client:
    return Client(settings, jwt.load(settings.home))


def get(client: Client, path: str, method: str = "GET", **headers: str) -> Response:
    return client.answer(method, path, Headers({name.replace("_", "-"): value for name, value in headers.items()}))


@pytest.mark.parametrize("path", ["/home", "/crm/6a1", "/auth/confirm", "/settings/profile", "/home/"])
def test_every_address_of_the_router_is_the_shell(client: Client, path: str) -> None:
    answer = get(client, path)
    assert (answer.status_code, answer.body) == (200, SHELL.encode())
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(("path", "page"), [("/", LANDING), ("/faq", FAQ), ("/faq/", FAQ)])
def test_a_prerendered_page_is_itself(client: Client, path: str, page: str) -> None:
    answer = get(client, path)
    assert (answer.status_code, answer.body) == (200, page.encode())
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize(
    "path", ["/nowhere", "/crm/6a1/mail", "/homer", "/xhome", "/assetsx", "/settings", "/app.html", "/faq/index.html"]
)
def test_an_address_of_nobody_is_a_404_with_its_page(client: Client, path: str) -> None:
    answer = get(client, path, if_none_match="*")
    assert (answer.status_code, answer.body) == (404, NOWHERE.encode())
    assert answer.headers["content-type"] == "text/html; charset=utf-8"


def test_assets_are_immutable_and_the_page_is_not(client: Client) -> None:
    answer = get(client, "/assets/index-1a2b.js")
    assert "immutable" in answer.headers["cache-control"]
    assert answer.headers["content-type"] == "text/javascript; charset=utf-8"
    assert get(client, "/assets/font-3c.woff2").headers["content-type"] == "font/woff2"
    assert get(client, "/favicon.svg").headers["cache-control"] == "no-cache"
    # Browsers look for a new version of it at every visit.
    assert get(client, "/service-worker.js").headers["cache-control"] == "no-cache"
    assert get(client, "/home.avif").headers["content-type"] == "image/avif"


@pytest.mark.parametrize(
    ("accepted", "encoding"),
    [
        ("", None),
        ("identity", None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "br"),
        ("br;q=0, gzip;q=1.0", "gzip"),
        ("br;q=0.0, gzip; q=0", None),
        ("*", "br"),
        ("BR", "br"),
        ("xbr, gzipped", None),
    ],
)
def test_the_best_accepted_encoding_is_sent(client: Client, accepted: str, encoding: str | None) -> None:
    answer = get(client, "/assets/index-1a2b.js", accept_encoding=accepted)
    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["vary"] == "Accept-Encoding"
    assert answer.body == {None: SCRIPT.encode(), "br": b"brotli", "gzip": gzip.compress(SCRIPT.encode())}[
        encoding
    ] or (encoding == "gzip" and gzip.decompress(answer.body) == SCRIPT.encode())


def test_an_encoding_that_was_not_built_is_not_promised() -> None:
    assert best_encoding("br, gzip", {"identity": b"", "gzip": b""}) == "gzip"
    assert best_encoding("br, gzip", {"identity": b""}) == "identity"


def test_what_the_browser_has_is_a_304_per_encoding(client: Client) -> None:
    first = get(client, "/", accept_encoding="br")
    tag = first.headers["etag"]
    for known in (tag, f'"other", {tag}', f"W/{tag}", "*"):
        again = get(client, "/", accept_encoding="br", if_none_match=known)
        assert (again.status_code, again.body, again.headers["etag"]) == (304, b"", tag)
    script = get(client, "/assets/index-1a2b.js", accept_encoding="br").headers["etag"]
    assert get(client, "/assets/index-1a2b.js", accept_encoding="gzip", if_none_match=script).status_code == 200


@pytest.mark.parametrize(
    "path", ["/assets/gone-9.js", "/favicon.ico", "/robots.json", "/assets/", "/link.png", "/gone.avif"]
)
def test_a_missing_file_is_missing_and_no_page(client: Client, path: str) -> None:
    assert get(client, path).status_code == 404


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/assets/../../../secret.txt",
        "/..%2fsecret.txt",
        "//etc/passwd",
        "/assets/..\\..\\secret.txt",
        "/link.txt",
        "/\x00",
        "/assets/index-1a2b.js/../../../../secret.txt",
    ],
)
def test_no_path_leaves_the_build(client: Client, path: str) -> None:
    assert b"secret" not in get(client, path).body


def test_source_maps_are_not_served_wherever_a_build_leaves_them(client: Client, root: Path) -> None:
    (root / "web" / "dist" / "assets" / "index-1a2b.js.map").write_text("{}")
    kept = root / "web" / "source-maps" / "1a2b"
    kept.mkdir(parents=True)
    (kept / "index-1a2b.js.map.gz").write_bytes(b"{}")
    for path in (
        "/assets/index-1a2b.js.map",
        "/assets/index-1a2b.js.map.gz",
        "/source-maps/1a2b/index-1a2b.js.map.gz",
        "/assets/../../source-maps/1a2b/index-1a2b.js.map.gz",
    ):
        assert get(client, path).status_code == 404, path


def test_only_reading_is_possible(client: Client) -> None:
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert get(client, "/home", method).status_code == 405


def test_the_settings_script_tells_what_the_client_needs_and_no_secret(client: Client, settings: Settings) -> None:
    answer = get(client, "/config.js")
    keys = jwt.load(settings.home)
    text = bytes(answer.body).decode()
    assert json.loads(text.removeprefix("window.__SOCIO__=").rstrip(";\n")) == {
        "supabaseUrl": "http://localhost:54321",
        "publishableKey": keys.publishable_key,
        "realtime": True,
    }
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["content-type"].startswith("text/javascript")
    assert keys.secret_key not in text


def test_settings_cannot_break_out_of_the_script(settings: Settings) -> None:
    hostile = replace(settings, api=replace(settings.api, external_url="http://x/</script><script>alert(1)"))
    text = bytes(get(Client(hostile, jwt.load(settings.home)), "/config.js").body)
    assert b"<" not in text


def test_without_a_build_one_sentence_says_what_to_do(settings: Settings, tmp_path: Path) -> None:
    client = Client(replace(settings, root=tmp_path / "elsewhere"), jwt.load(settings.home))
    answer = get(client, "/")
    assert answer.status_code == 503
    assert "make run" in bytes(answer.body).decode()


def test_a_new_build_is_served_without_a_restart(client: Client, root: Path) -> None:
    assert get(client, "/home").body == SHELL.encode()
    page = root / "web" / "dist" / "app.html"
    page.write_text("new")
    os.utime(page, ns=(1, page.stat().st_mtime_ns + 1_000_000))
    assert get(client, "/home").body == b"new"


def test_inline_scripts_of_the_pages_are_known_by_their_hash(client: Client, root: Path) -> None:
    dist = root / "web" / "dist"
    (dist / "index.html").write_text("<head><script>let a = 1</script><script src='/b.js'></script></head>")
    os.utime(dist / "app.html", ns=(1, 1))
    get(client, "/")
    digest = base64.b64encode(hashlib.sha256(b"let a = 1").digest()).decode()
    assert client.script_hashes == (f"'sha256-{digest}'",)
