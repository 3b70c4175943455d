"""«Scrivi come cliente»: the page of the fake Meta on which somebody plays the client, without a line of script."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from html import escape
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlencode

from aiohttp import web

from tests.fakes.meta.business import Person

if TYPE_CHECKING:
    from tests.fakes.meta.graph import Meta
    from tests.fakes.meta.server import World

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 2rem auto; padding: 0 1rem; color: #1c2b2a }
label { display: block; margin: .75rem 0 } input[type=text], textarea, select { display: block; width: 100%;
  box-sizing: border-box; padding: .5rem; font: inherit } button { padding: .6rem 1rem; font: inherit }
li { margin: .5rem 0; padding: .5rem .75rem; background: #eef3f2; border-radius: .5rem; white-space: pre-wrap }
"""


def routes(world: World) -> list[web.RouteDef]:
    """Return the table of the pages."""

    async def show(request: web.Request) -> web.Response:
        return document("Scrivi come cliente", _form(world, request.query))

    async def write(request: web.Request) -> NoReturn:
        data = await request.post()
        form = {name: value.strip() for name, value in data.items() if isinstance(value, str)}
        file = data.get("file")
        file = file if isinstance(file, web.FileField) else None
        meta = world.numbers.get(form.get("numero", ""))
        if meta is None or not (form.get("testo") or file) or not form.get("nome"):
            told = "Scegli il numero e scrivi nome e messaggio."
        else:
            status = await world.deliver(meta, _said(meta, form, file))
            told = "Consegnato." if status == 200 else f"Socio non ha preso il messaggio (risposta {status})."
        shown: dict[str, str] = {name: form[name] for name in ("numero", "nome", "nascosto") if name in form}
        shown["esito"] = told
        # A page that is loaded again writes nothing again.
        raise web.HTTPSeeOther("/?" + urlencode(shown))

    async def live(_request: web.Request) -> web.Response:
        return web.Response(text="ok")

    async def file(request: web.Request) -> web.Response:
        meta = world.numbers.get(request.match_info["number"])
        media = meta.business.media.get(request.match_info["id"]) if meta else None
        if media is None:
            raise web.HTTPNotFound
        return web.Response(body=media.content, content_type=media.mime)

    return [
        web.get("/", show), web.post("/", write), web.get("/livez", live), web.get("/file/{number}/{id}", file),
    ]  # fmt: skip


def _said(meta: Meta, form: dict[str, str], file: web.FileField | None) -> bytes:
    """Write what the client says, by a clock that may be late."""
    name = form["nome"]
    bsuid = form.get("bsuid") or "IT." + "".join(letter for letter in name if letter.isascii() and letter.isalnum())
    digits = "39333" + str(sum(ord(letter) * 31**place for place, letter in enumerate(name)))[-7:].rjust(7, "0")
    is_hidden = form.get("nascosto") == "1"
    person = Person(bsuid, name, None if is_hidden else digits, name.lower().replace(" ", ".") if is_hidden else None)
    business = meta.business
    business.offset = timedelta(hours=-24) if form.get("ieri") == "1" else timedelta()
    if file is None:
        message = business.message(person, part=form["testo"])
    else:
        kind, part = _kind(file)
        caption = {"caption": form["testo"]} if form.get("testo") and kind != "audio" else {}
        message = business.file(person, kind, file.file.read(), file.content_type, **part, **caption)
    body = business.said(person, message)
    business.offset = timedelta()
    return body


def _kind(file: web.FileField) -> tuple[str, dict[str, Any]]:
    """Return what WhatsApp makes of a file, and what it says of it. Only documents have names."""
    kind = file.content_type.partition("/")[0]
    if file.content_type in ("image/jpeg", "image/png") or kind == "video":
        return kind, {}
    if kind == "audio":
        return kind, {"voice": file.content_type == "audio/ogg"}
    return "document", {"filename": file.filename}


def _form(world: World, values: Mapping[str, str]) -> str:
    chosen = values.get("numero", next(reversed(world.numbers), ""))
    if not world.numbers:
        return (
            "<p>Nessun numero è collegato: in Socio apri Impostazioni → Canali e premi «Collega con Meta» "
            "o «Usa il numero di prova».</p>"
        )
    options = "".join(
        f'<option value="{escape(digits)}"{" selected" if digits == chosen else ""}>'
        f"{escape(meta.business.display_number)}</option>"
        for digits, meta in world.numbers.items()
    )
    name, is_hidden = escape(values.get("nome", "Giulia Rossi")), values.get("nascosto") == "1"
    return f"""
      <p role="status">{escape(values.get("esito", ""))}</p>
      <form method="post" enctype="multipart/form-data">
        <label>Numero dell’attività <select name="numero">{options}</select></label>
        <label>Il tuo nome <input type="text" name="nome" value="{name}" maxlength="60"></label>
        <label>Messaggio <textarea name="testo" rows="3" maxlength="4000"></textarea></label>
        <label>Allega un file <input type="file" name="file"></label>
        <label><input type="checkbox" name="nascosto" value="1"{" checked" if is_hidden else ""}>
          senza numero di telefono
        </label>
        <label><input type="checkbox" name="ieri" value="1"> scritto 24 ore fa: la finestra è già chiusa</label>
        <button>Scrivi</button>
      </form>
      {_waiting(world, chosen)}
      <h2>Che cosa ti ha scritto l’attività</h2>
      <ul>{_answers(world.numbers.get(chosen))}</ul>"""


def _waiting(world: World, digits: str) -> str:
    """Write the button for the next piece of a history; nothing when none waits."""
    if not world.pieces.get(digits):
        return ""
    return f"""<form method="post" action="/cronologia"><input type="hidden" name="numero" value="{escape(digits)}">
      <button>Manda un pezzo di cronologia</button></form>"""


def _answers(meta: Meta | None) -> str:
    texts = [_answer(meta, message) for message in reversed(meta.sent)] if meta else []
    return "".join(f"<li>{text}</li>" for text in texts) or "<p>Ancora niente.</p>"


def _answer(meta: Meta, message: dict[str, Any]) -> str:
    """Write one message of the business as HTML."""
    if message["type"] not in ("image", "document"):
        return escape(_text(message))
    part = message[message["type"]]
    name, address = part.get("filename", "Foto"), f"/file/{meta.business.phone_number_id}/{part['id']}"
    return f'<a href="{escape(address)}">{escape(name)}</a> {escape(part.get("caption", ""))}'


def _text(message: dict[str, Any]) -> str:
    if isinstance(message.get("text"), dict):
        return str(message["text"]["body"])
    template = message["template"]
    values = [one["text"] for part in template["components"] for one in part["parameters"]]
    return f"Modello «{template['name']}»: {', '.join(values)}"


def document(title: str, body: str) -> web.Response:
    """Write a page of the fake Meta."""
    text = f"""<!doctype html><html lang="it"><head><meta charset="utf-8"><title>WhatsApp di prova</title>
      <meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>
      <body><h1>{title}</h1>{body}</body></html>"""
    return web.Response(text=text, content_type="text/html", headers={"Cache-Control": "no-store"})
