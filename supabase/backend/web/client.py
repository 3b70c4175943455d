"""Serves the built web client: hashed assets for ever, prerendered pages, the shell for every address of its router.

The whole build is read into memory, so that no path of a request ever reaches the file system. The build writes
`.br` and `.gz` siblings; the best one the browser accepts is sent. `/faq` is answered by `faq/index.html`, an address
that `routes.json` lists by `app.html`, anything else by `404.html` with that status.
"""

from __future__ import annotations

import base64
import hashlib
import json
import mimetypes
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.types import Receive, Scope, Send

from backend.core import errors
from backend.core.config import Settings
from backend.core.errors import Code
from backend.core.jwt import KeyRing

PAGE = "index.html"
SHELL = "app.html"
NOWHERE = "404.html"
ROUTES = "routes.json"
SETTINGS_SCRIPT = "/config.js"
# Those of the client are for admins; a build with other settings may leave them next to the scripts.
SOURCE_MAP = ".map"
ENCODINGS = {"br": ".br", "gzip": ".gz"}
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATED = "no-cache"
# Scripts that a page brings along: the Content-Security-Policy allows them by their hash.
INLINE_SCRIPT = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
# A missing file of these kinds is missing, not a page.
TEXT_SUFFIXES = (".txt", ".xml", ".js", ".mjs", ".css", SOURCE_MAP, ".json", ".webmanifest")
FILE_SUFFIXES = frozenset((*TEXT_SUFFIXES, ".png", ".svg", ".ico", ".avif", ".webp", ".woff2"))
NOT_BUILT = "Il client web non è ancora stato costruito: esegui «make run» oppure «make build» e ricarica la pagina.\n"

# The platform's own table differs between machines.
mimetypes.add_type("text/javascript", ".js")
mimetypes.add_type("font/woff2", ".woff2")
mimetypes.add_type("image/avif", ".avif")
mimetypes.add_type("image/webp", ".webp")
mimetypes.add_type("application/manifest+json", ".webmanifest")


@dataclass(frozen=True)
class File:
    """One file of the build in all its encodings."""

    variants: Mapping[str, bytes]
    digest: str
    content_type: str
    cache_control: str


@dataclass(frozen=True)
class Build:
    """The files by their address, as they were when the shell had this time stamp."""

    stamp_ns: int
    files: Mapping[str, File]
    # The addresses of the client's router.
    routes: re.Pattern[str]
    # The sources of a Content-Security-Policy for what its pages have inline.
    script_hashes: tuple[str, ...] = ()


class Client:
    """The ASGI application."""

    def __init__(self, settings: Settings, keys: KeyRing) -> None:
        self._directory = settings.root / "web" / "dist"
        self._build = Build(0, MappingProxyType({}), pattern([]))
        self._settings_script = settings_script(settings, keys)

    @property
    def script_hashes(self) -> tuple[str, ...]:
        """List the hashes of the inline scripts of the build that the last answer came from."""
        return self._build.script_hashes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        await self.answer(request.method, request.url.path, request.headers)(scope, receive, send)

    def answer(self, method: str, path: str, headers: Headers) -> Response:
        """The file, the page, or why there is neither."""
        if method not in ("GET", "HEAD"):
            return errors.response(405, Code.METHOD_NOT_ALLOWED, "Method Not Allowed", {"Allow": "GET, HEAD"})
        if path == SETTINGS_SCRIPT:
            return Response(self._settings_script, media_type="text/javascript", headers={"Cache-Control": "no-store"})
        build = self._current()
        # Pages have one address each, and it never ends so.
        if not path.endswith(".html") and (file := build.files.get(path) or build.files.get(page_of(path))) is not None:
            return respond(file, headers)
        if path.startswith("/assets/") or Path(path).suffix in FILE_SUFFIXES:
            return errors.response(404, Code.NOT_FOUND, "Not Found")
        if not build.files:
            return PlainTextResponse(NOT_BUILT, status_code=503, headers={"Retry-After": "5"})
        if build.routes.fullmatch(path):
            return respond(build.files[f"/{SHELL}"], headers)
        return respond(build.files[f"/{NOWHERE}"], headers, status_code=404)

    def _current(self) -> Build:
        """The build, read again when the shell on disk is another one."""
        try:
            stamp_ns = (self._directory / SHELL).stat().st_mtime_ns
        except FileNotFoundError:
            return self._build
        if stamp_ns != self._build.stamp_ns:
            files = read_build(self._directory)
            routes = pattern(json.loads(files[f"/{ROUTES}"].variants["identity"]))
            self._build = Build(stamp_ns, MappingProxyType(files), routes, script_hashes(files))
        return self._build


def read_build(directory: Path) -> dict[str, File]:
    """Read the files of a build by their address, without source maps; links out of the folder are not followed."""
    files = {}
    compressed = tuple(ENCODINGS.values())
    for path in directory.rglob("*"):
        if not path.is_file() or path.is_symlink() or path.suffix in compressed or path.suffix == SOURCE_MAP:
            continue
        content = path.read_bytes()
        variants = {"identity": content}
        for encoding, suffix in ENCODINGS.items():
            if (sibling := path.with_name(path.name + suffix)).is_file():
                variants[encoding] = sibling.read_bytes()
        address = f"/{path.relative_to(directory).as_posix()}"
        files[address] = File(
            variants=variants,
            digest=hashlib.sha256(content).hexdigest()[:20],
            content_type=_content_type(path),
            cache_control=IMMUTABLE if address.startswith("/assets/") else REVALIDATED,
        )
    return files


def script_hashes(files: Mapping[str, File]) -> tuple[str, ...]:
    """Hash every inline script of the pages, as a Content-Security-Policy names it."""
    pages = (file.variants["identity"] for address, file in files.items() if address.endswith(".html"))
    scripts = {script for page in pages for script in INLINE_SCRIPT.findall(page)}
    digests = (base64.b64encode(hashlib.sha256(script).digest()).decode() for script in scripts)
    return tuple(sorted(f"'sha256-{digest}'" for digest in digests))


def page_of(path: str) -> str:
    """Where the build keeps the prerendered page of an address."""
    return f"{path.rstrip('/')}/{PAGE}"


def pattern(routes: Sequence[str]) -> re.Pattern[str]:
    """What matches any of the routes; `:name` stands for one part of an address, a slash may end it."""
    any_of = "|".join(re.sub(r":\w+", "[^/]+", re.escape(route.rstrip("/"))) for route in routes)
    return re.compile(f"(?:{any_of})/*")


def _content_type(path: Path) -> str:
    kind = mimetypes.guess_type(path.name)[0] or "application/octet-stream"
    return f"{kind}; charset=utf-8" if kind.startswith("text/") else kind


def respond(file: File, headers: Headers, status_code: int = 200) -> Response:
    """The file in the best encoding, or 304 when the browser has it."""
    encoding = best_encoding(headers.get("accept-encoding", ""), file.variants)
    etag = f'"{file.digest}-{encoding}"'
    common = {"ETag": etag, "Cache-Control": file.cache_control, "Vary": "Accept-Encoding"}
    known = [tag.strip().removeprefix("W/") for tag in headers.get("if-none-match", "").split(",")]
    if status_code == 200 and (etag in known or known == ["*"]):
        return Response(status_code=304, headers=common)
    if encoding != "identity":
        common["Content-Encoding"] = encoding
    return Response(file.variants[encoding], status_code, headers={**common, "Content-Type": file.content_type})


def best_encoding(accepted: str, available: Mapping[str, bytes]) -> str:
    """The smallest variant among those accepted (RFC 9110, 12.5.3); browsers give no useful weights but q=0."""
    refused: set[str] = set()
    named: set[str] = set()
    for part in accepted.lower().split(","):
        name, _, weight = part.strip().partition(";")
        quality = weight.replace(" ", "").removeprefix("q=").rstrip("0")
        (refused if quality in ("0.", "") and weight else named).add(name.strip())
    for encoding in ENCODINGS:
        if encoding in available and encoding not in refused and (encoding in named or "*" in named):
            return encoding
    return "identity"


def settings_script(settings: Settings, keys: KeyRing) -> str:
    """What the client needs to know before it starts; safe inside a script whatever the settings hold."""
    values = {
        "supabaseUrl": settings.api.external_url,
        "publishableKey": keys.publishable_key,
        "realtime": settings.realtime.enabled,
    }
    return f"window.__SOCIO__={json.dumps(values).replace('<', chr(92) + 'u003c')};\n"
