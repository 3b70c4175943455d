"""The fake Meta's dialog, on which somebody connects a number, and what its phone sends afterwards."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.meta import page
from tests.fakes.meta.business import Business, Person

if TYPE_CHECKING:
    from tests.fakes.meta.server import World

PIECE_DELAY_S = 1.5
KEPT = ("client_id", "redirect_uri", "config_id", "state", "extras")
CHOICES = {"subito": "sì, tutta", "a pezzi": "sì, un pezzo alla volta", "no": "no"}
PEOPLE = (
    Person("IT.91", "Carla Conti", "393351110001"),
    Person("IT.92", "Dario Villa", "393351110002"),
    Person("IT.93", "Elena Fabbri", "393351110003"),
)
FORM = """<p>{what}</p><form method="post">{hidden}
<label>Numero <input type="text" name="numero" value="{digits}" inputmode="numeric" pattern="[0-9]{{5,20}}"></label>
<label>Condividi la cronologia <select name="cronologia">{choices}</select></label>
<label><input type="checkbox" name="scaduto" value="1"> dai un codice già scaduto</label>
<button name="risposta" value="sì">Continua</button> <button name="risposta" value="no">Annulla</button></form>"""


def routes(world: World) -> list[web.RouteDef]:
    """Return the table of the dialog."""

    async def show(request: web.Request) -> web.Response:
        asked = request.query
        if any(name not in asked for name in KEPT) or asked["client_id"] != world.signups.app_id:
            raise web.HTTPBadRequest
        hidden = "".join(f'<input type="hidden" name="{name}" value="{escape(asked[name])}">' for name in KEPT)
        choices = "".join(f'<option value="{value}">{text}</option>' for value, text in CHOICES.items())
        what = "Il numero resta nell’app WhatsApp Business." if stays(asked["extras"]) else "Il numero passa a Socio."
        digits = str(secrets.randbelow(9 * 10**11) + 10**11)
        return page.document(
            "Collega il tuo numero", FORM.format(what=what, hidden=hidden, digits=digits, choices=choices)
        )

    async def decide(request: web.Request) -> NoReturn:
        form = {name: str(value) for name, value in (await request.post()).items()}
        answer = {"state": form["state"], "error": "access_denied", "error_reason": "user_denied"}
        if form["risposta"] == "sì":
            meta = world.number(form["numero"])
            meta.business.is_on_phone = stays(form["extras"])
            world.shared[form["numero"]] = form["cronologia"]
            code = world.signups.grant(meta.business, form["redirect_uri"], is_expired="scaduto" in form)
            answer = {"state": form["state"], "code": code}
        # Meta adds this fragment.
        raise web.HTTPFound(f"{form['redirect_uri']}?{urlencode(answer)}#_=_")

    async def more(request: web.Request) -> NoReturn:
        digits = str((await request.post())["numero"])
        waiting = world.pieces.get(digits, [])
        if waiting:
            await world.deliver(world.number(digits), waiting.pop(0))
        raise web.HTTPSeeOther("/?" + urlencode({"numero": digits, "esito": f"Pezzi che restano: {len(waiting)}."}))

    return [web.get("/dialog/oauth", show), web.post("/dialog/oauth", decide), web.post("/cronologia", more)]


def stays(extras: str) -> bool:
    """Whether the number is to stay in the app on the phone."""
    return bool(json.loads(extras).get("featureType") == "whatsapp_business_app_onboarding")


async def synchronise(world: World, digits: str, kind: str) -> None:
    """Send what the phone knows: its contacts, or its history, each piece twice."""
    meta = world.number(digits)
    business = meta.business
    if kind == "smb_app_state_sync":
        await world.deliver(meta, business.address_book(*PEOPLE))
        return
    choice = world.shared.get(digits, "subito")
    if choice == "no":
        await world.deliver(meta, business.declined())
        return
    first, *others = history(business)
    if choice == "a pezzi":
        world.pieces[digits] = [first, *others]
        return
    again = others * 2
    random.shuffle(again)
    for piece in (first, *again):
        await world.deliver(meta, piece)
        await asyncio.sleep(PIECE_DELAY_S)


def history(business: Business) -> list[bytes]:
    """Write half a year of the phone in three pieces."""
    carla, dario, elena = PEOPLE
    day = timedelta(days=1)
    told = [
        {carla: [business.past(carla, "Ci vediamo domani alle 10?", age=day / 2),
                 business.past(carla, "Certo, a domani", age=day / 3, is_ours=True)]},
        {dario: [business.past(dario, "Mi manda il preventivo per la cucina?", age=30 * day),
                 business.past(dario, "Eccolo: 4.200 euro più IVA", age=29 * day, is_ours=True)]},
        {elena: [business.past(elena, "Grazie mille, lavoro perfetto!", age=120 * day)]},
    ]  # fmt: skip
    return [
        business.history(threads, phase=phase, progress=progress)
        for phase, (threads, progress) in enumerate(zip(told, (40, 70, 100), strict=True))
    ]
