"""The platform's own API for functions, over HTTP as any client has it: services never import each other."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from typing import IO, Any
from urllib.parse import quote

import aiohttp

from backend.core import tracing
from backend.core.egress import Answer
from backend.core.resources import Resources

TIMEOUT_S = 20.0
SAVE_TIMEOUT_S = 300.0
SAVING = aiohttp.ClientTimeout(total=None, connect=5, sock_read=30)
# What a function may hold in memory of one file.
MAX_BYTES = 64 * 1024 * 1024
ANY_ADDRESS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104 - never listened on here


class PlatformError(Exception):
    """The platform refused or could not be reached; `status` is 0 for the latter, `code` its name of a refusal."""

    def __init__(self, message: str, status: int = 0, code: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.code = code


@dataclass(frozen=True)
class Platform:
    """Requests to our own gateway with one token, where it listens or over its public address."""

    _resources: Resources = field(repr=False)
    _token: str = field(repr=False)
    # Another address than the one on which this installation listens.
    _address: str = ""

    @property
    def storage(self) -> Storage:
        """Files."""
        return Storage(self)

    async def request(
        self,
        method: str,
        path: str,
        *,
        headers: Mapping[str, str] | None = None,
        data: Any = None,
        json: Any = None,
        timeout_s: float = TIMEOUT_S,
    ) -> Answer:
        """The answer, whatever its status. Raises PlatformError when there is none."""
        sent = {**self._headers(), **(headers or {})}
        patience = aiohttp.ClientTimeout(total=timeout_s, connect=5)
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._resources.http.request(
                    method, self._url(path), headers=sent, data=data, json=json, timeout=patience
                ) as response,
            ):
                return Answer(response.status, await _bounded(response), dict(response.headers))
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            raise PlatformError(f"{method} {path}: {str(error) or type(error).__name__}") from error

    async def save(self, path: str, into: IO[bytes], timeout_s: float = SAVE_TIMEOUT_S) -> None:
        """Writes the answer to a GET into a file. Raises PlatformError, and OSError when it cannot be written."""
        try:
            async with (
                asyncio.timeout(timeout_s),
                self._resources.http.get(self._url(path), headers=self._headers(), timeout=SAVING) as response,
            ):
                if response.status >= 400:
                    told = await response.content.read(300)
                    raise PlatformError(f"GET {path}: {response.status} {told!r}", response.status)
                async for piece in response.content.iter_chunked(64 * 1024):
                    into.write(piece)
        except (TimeoutError, aiohttp.ClientError, ConnectionError) as error:
            raise PlatformError(f"GET {path}: {str(error) or type(error).__name__}") from error

    def _url(self, path: str) -> str:
        if self._address:
            return f"{self._address}{path}"
        api = self._resources.settings.api
        host = ANY_ADDRESS.get(api.host, api.host)
        return f"http://{f'[{host}]' if ':' in host else host}:{api.port}{path}"

    def _headers(self) -> dict[str, str]:
        publishable = self._resources.keys.publishable_key
        return {"apikey": publishable, "Authorization": f"Bearer {self._token or publishable}", **tracing.headers()}


async def _bounded(response: aiohttp.ClientResponse) -> bytes:
    content = bytearray()
    async for chunk in response.content.iter_chunked(64 * 1024):
        content += chunk
        if len(content) > MAX_BYTES:
            raise PlatformError(f"The answer is longer than {MAX_BYTES} bytes", response.status)
    return bytes(content)


@dataclass(frozen=True)
class Storage:
    """Objects in buckets, through `/storage/v1` (https://supabase.com/docs/reference/javascript/storage-from-upload)."""

    _platform: Platform

    async def upload(
        self,
        bucket: str,
        path: str,
        content: bytes | AsyncIterator[bytes],
        content_type: str,
        *,
        upsert: bool = False,
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        """Stores an object, held in memory or sent piece by piece as it comes. Raises PlatformError.

        When the pieces break off, nothing is stored; what they raised is the cause of the PlatformError's cause.
        """
        headers = {"Content-Type": content_type, "x-upsert": "true" if upsert else "false"}
        await self._answer(
            "POST", f"/object/{_place(bucket, path)}", headers=headers, data=content, timeout_s=timeout_s
        )

    async def download(self, bucket: str, path: str) -> bytes:
        """The bytes of an object, 64 MiB at most. Raises PlatformError."""
        return (await self._answer("GET", f"/object/authenticated/{_place(bucket, path)}")).body

    async def save(self, bucket: str, path: str, into: IO[bytes]) -> None:
        """Writes the bytes of an object into a file, piece by piece. Raises PlatformError, OSError."""
        await self._platform.save(f"/storage/v1/object/authenticated/{_place(bucket, path)}", into)

    async def signed_url(self, bucket: str, path: str, expires_in_s: int) -> str:
        """A path below `/storage/v1` that shows the object to whoever has it. Raises PlatformError."""
        answer = await self._answer("POST", f"/object/sign/{_place(bucket, path)}", json={"expiresIn": expires_in_s})
        return f"/storage/v1{answer.json()['signedURL']}"

    async def remove(self, bucket: str, paths: list[str]) -> None:
        """Deletes objects. Raises PlatformError."""
        await self._answer("DELETE", f"/object/{quote(bucket, safe='')}", json={"prefixes": paths})

    async def _answer(self, method: str, path: str, **more: Any) -> Answer:
        answer = await self._platform.request(method, f"/storage/v1{path}", **more)
        if answer.status >= 400:
            told = answer.body[:300]
            raise PlatformError(f"{method} {path}: {answer.status} {told!r}", answer.status, _code(answer))
        return answer


def _code(answer: Answer) -> str:
    """Return what storage calls a refusal (`QuotaExceeded`), empty when its answer is not ours."""
    try:
        told = answer.json()
    except ValueError:
        return ""
    return str(told.get("code", "")) if isinstance(told, dict) else ""


def _place(bucket: str, path: str) -> str:
    return f"{quote(bucket, safe='')}/{quote(path)}"
