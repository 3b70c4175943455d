"""The fake Meta's Graph API: one number that takes messages, checks its window, and answers codes on magic numbers.

A recipient whose number or BSUID ends with `e<code>` (`IT.e131026`) or whose number is 39000<code> is refused with that
code; `f<code>` is accepted and fails later by status. `Meta.mode` says how the next requests are answered.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from itertools import count
from typing import Any

from aiohttp import web

from tests.fakes.meta import signup
from tests.fakes.meta.business import Business, Payload

WINDOW = timedelta(hours=24)
REFUSED = re.compile(r"(?:e|^39000)([0-9]+)$")
FAILS = re.compile(r"f([0-9]+)$")
SENT = count(1)
MAX_BYTES = 64 * 1024**2


@dataclass
class Meta:
    """The Graph API of a business; `sent` are the bodies of accepted messages, `calls` what was asked."""

    business: Business
    mode: str = "good"
    url: str = ""
    sent: list[Payload] = field(default_factory=list)
    calls: list[tuple[str, str, Any]] = field(default_factory=list)
    templates: dict[str, Payload] = field(default_factory=dict)
    webhook: Payload | None = None
    signups: signup.Signups = field(default_factory=signup.Signups)
    # Numbers of the same account next to that of the business, the PIN of that, and what was asked of its phone.
    others: list[Payload] = field(default_factory=list)
    pin: str | None = None
    synced: list[str] = field(default_factory=list)
    over: asyncio.Event = field(default_factory=asyncio.Event)

    async def answer(self, request: web.Request) -> web.StreamResponse:
        """Answer one request, in the mode of the moment."""
        path = request.match_info["path"]
        body = await self._file(request) if path.endswith("/media") else json.loads(await request.read() or b"null")
        self.calls.append((request.method, path, body))
        if path in signup.PATHS and self.mode == "good":
            return self.signups.answer(path, request.query, request.headers.get("Authorization", ""))
        if path not in signup.PATHS and request.headers.get("Authorization") != f"Bearer {self.business.token}":
            return error(190, "Invalid OAuth access token")
        if self.mode == "cut" or self.mode == "silent":
            if path.endswith("/messages"):
                self._take(body)
            if self.mode == "silent":
                await self.over.wait()
            assert request.transport is not None
            request.transport.close()
            return web.Response()
        if self.mode == "garbage":
            return web.Response(text="<html>Bad gateway</html>", status=502)
        if self.mode.isdigit():
            return error(int(self.mode), "as the test wants it")
        if request.method == "GET" and path.removeprefix("bytes/") in self.business.media:
            return self._media(request, path)
        return self._routed(request.method, path, body)

    async def _file(self, request: web.Request) -> Payload:
        form = await request.post()
        file = form["file"]
        assert isinstance(file, web.FileField)
        return {"type": form["type"], "name": file.filename, "content": file.file.read()}

    def _media(self, request: web.Request, path: str) -> web.Response:
        media_id = path.removeprefix("bytes/")
        media = self.business.media[media_id]
        if media.trouble == "gone":
            return error(100, "Unsupported get request. Object with ID does not exist")
        if media.trouble == "busy":
            return error(131052, "Media download error")
        if path == media_id:
            url = request.url.with_path(request.path.removesuffix(path) + f"bytes/{path}")
            size_bytes = 200 * 1024**2 if media.trouble == "large" else len(media.content)
            return web.json_response(
                {"id": path, "url": str(url), "mime_type": media.mime, "sha256": media.sha256.hex(),
                 "file_size": size_bytes}
            )  # fmt: skip
        if media.trouble == "away":
            return web.Response(status=404)
        content = media.content[:-1] if media.trouble == "changed" else media.content
        return web.Response(body=content, content_type=media.mime)

    def _routed(self, method: str, path: str, body: Any) -> web.Response:
        business = self.business
        number = {
            "id": business.phone_number_id, "display_phone_number": business.display_number, "verified_name": "Studio",
            "quality_rating": "GREEN", "whatsapp_business_manager_messaging_limit": "TIER_2K",
            "is_on_biz_app": business.is_on_phone,
            "platform_type": "CLOUD_API" if business.is_registered or business.is_on_phone else "NOT_APPLICABLE",
        }  # fmt: skip
        if (method, path) == ("POST", f"{business.phone_number_id}/messages"):
            return self._message(body)
        if (method, path) == ("POST", f"{business.phone_number_id}/media"):
            return web.json_response({"id": business.keep(body["content"], body["type"])})
        if (method, path) == ("GET", business.waba_id):
            return web.json_response({"id": business.waba_id, "owner_business_info": {"id": business.portfolio}})
        if (method, path) == ("GET", f"{business.waba_id}/phone_numbers"):
            return web.json_response({"data": [number, *self.others]})
        if (method, path) == ("POST", f"{business.phone_number_id}/register"):
            return self._register(body["pin"])
        if (method, path) == ("POST", f"{business.phone_number_id}/smb_app_data"):
            return self._sync(body["sync_type"])
        if path == f"{business.waba_id}/subscribed_apps":
            self.webhook = body if method == "POST" else None
            return web.json_response({"success": True})
        if path == f"{business.waba_id}/message_templates":
            return self._templates(method, body)
        return error(100, "Unsupported request")

    def _register(self, pin: str) -> web.Response:
        if self.pin not in (None, pin):
            return error(133005, "Two step verification PIN mismatch")
        self.pin, self.business.is_registered = pin, True
        # A number that is registered leaves the app on the phone.
        self.business.is_on_phone = False
        return web.json_response({"success": True})

    def _sync(self, kind: str) -> web.Response:
        if not self.business.is_on_phone or kind in self.synced:
            return error(100, "The synchronization can be requested once, for a number of the WhatsApp Business app")
        self.synced.append(kind)
        return web.json_response({"messaging_product": "whatsapp", "request_id": str(len(self.synced))})

    def _message(self, body: Payload) -> web.Response:
        recipient = body.get("to") or body.get("recipient") or ""
        if refused := REFUSED.search(recipient):
            return error(int(refused.group(1)), "magic number")
        if body["type"] != "template" and not self.is_open(recipient):
            return error(131047, "Re-engagement message")
        if body["type"] in ("image", "document") and body[body["type"]]["id"] not in self.business.media:
            return error(131053, "Media upload error")
        if body["type"] == "template" and body["template"]["name"] not in self.templates:
            return error(132001, "Template name does not exist in the translation")
        return web.json_response({"messaging_product": "whatsapp", "messages": [{"id": self._take(body)}]})

    def _take(self, body: Payload) -> str:
        self.sent.append({**body, "id": f"wamid.OUR{next(SENT)}"})
        return str(self.sent[-1]["id"])

    def is_open(self, recipient: str) -> bool:
        """Whether the person wrote within 24 hours of the virtual clock."""
        written_at = self.business.inbound_at.get(recipient)
        return written_at is not None and self.business.now() < written_at + WINDOW

    def _templates(self, method: str, body: Any) -> web.Response:
        if method == "GET":
            return web.json_response({"data": list(self.templates.values())})
        text = next(part["text"] for part in body["components"] if part["type"] == "BODY")
        if text.startswith("{{") or text.endswith("}}"):
            return error(100, "Variables can't be at the start or end of the template")
        made = {**body, "id": str(len(self.templates) + 1), "status": "PENDING"}
        self.templates[body["name"]] = made
        return web.json_response({name: made[name] for name in ("id", "status", "category")})

    def add_template(self, name: str, text: str, category: str = "UTILITY") -> None:
        """Have an approved template."""
        self.templates[name] = {
            "id": str(len(self.templates) + 1), "name": name, "language": "it", "status": "APPROVED",
            "category": category, "parameter_format": "NAMED", "components": [{"type": "BODY", "text": text}],
        }  # fmt: skip

    def status(self, message: Payload, state: str, **more: Any) -> Payload:
        """Write a status of a message that was taken."""
        recipient = message.get("to") or message.get("recipient") or ""
        fails = FAILS.search(recipient)
        told: Payload = {
            "id": message["id"], "status": state, "timestamp": str(int(self.business.now().timestamp())),
            "biz_opaque_callback_data": message["biz_opaque_callback_data"],
        }  # fmt: skip
        if state == "failed":
            code = int(fails.group(1)) if fails else 131000
            told["errors"] = [{"code": code, "error_data": {"details": "it failed later"}}]
        else:
            is_free = message["type"] != "template"
            told["pricing"] = {
                "billable": not is_free, "pricing_model": "PMP",
                "type": "free_customer_service" if is_free else "regular",
                "category": "service" if is_free else "utility",
            }  # fmt: skip
        return {**told, **more}


def error(code: int, message: str) -> web.Response:
    """Answer an error as the Graph API does."""
    return signup.failure(code, message, 401 if code == 190 else 400)


@asynccontextmanager
async def serving(business: Business, port: int = 0) -> AsyncIterator[Meta]:
    """Serve the Graph API while the block lasts; port 0 is any."""
    fake = Meta(business)
    app = web.Application(client_max_size=MAX_BYTES)
    app.router.add_route("*", "/{path:.+}", fake.answer)
    runner = web.AppRunner(app, shutdown_timeout=0)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", port).start()
    fake.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    try:
        yield fake
    finally:
        fake.over.set()
        await runner.cleanup()
