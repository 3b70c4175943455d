"""The fake's checkout page: looks hosted, takes test cards only, and runs without a line of script."""

from __future__ import annotations

from html import escape
from pathlib import Path
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from tests.fakes.stripe import answers, payments
from tests.fakes.stripe.account import Object

STYLE = Path(__file__).with_name("style.css")
NOT_A_NUMBER = "Il numero della carta non è valido. Controllalo e riprova."
DECLINED = "La carta è stata rifiutata. Prova con un’altra carta."
NOT_CONFIRMED = "La tua banca non ha potuto confermare che sei tu. Non hai pagato nulla: riprova."
NOT_A_TEST_CARD = "Questa è una cassa di prova: usa una delle carte qui sotto."
NOT_AN_IBAN = "Questa è una cassa di prova: usa uno degli IBAN qui sotto."
NO_DATE = "Indica la scadenza della carta (MM / AA) e il codice di sicurezza."
CARDS = (
    (payments.SUCCEEDS, "paga"),
    (payments.DECLINES, "viene rifiutata"),
    (payments.CHALLENGES, "chiede la verifica 3-D Secure"),
)
IBANS = ((payments.IBAN_SUCCEEDS, "paga, dopo un poco"), (payments.IBAN_FAILS, "non paga"))


def routes() -> list[Route]:
    """The table of the pages."""
    return [
        Route("/c/pay/{id}", show, methods=["GET"]),
        Route("/c/pay/{id}", submit, methods=["POST"]),
        Route("/c/pay/{id}/3ds", challenge, methods=["POST"]),
        Route("/style.css", style, methods=["GET"]),
    ]


async def show(request: Request) -> Response:
    """The form, or why there is none any more."""
    session = _session(request)
    return _ended(session) if session["status"] != "open" else _form(session)


async def submit(request: Request) -> Response:
    """Somebody pays, or tries to."""
    session = _session(request)
    if session["status"] != "open":
        return _ended(session)
    form = {name: str(value).strip() for name, value in (await request.form()).items()}
    if form.get("method") == "sepa":
        return _by_debit(request, session, "".join(form.get("iban", "").split()).upper())
    number = "".join(form.get("number", "").split())
    if not number.isdigit() or not luhn(number):
        return _form(session, NOT_A_NUMBER)
    if not form.get("expiry") or not form.get("cvc"):
        return _form(session, NO_DATE)
    if number == payments.CHALLENGES:
        return _challenge(session)
    if number != payments.SUCCEEDS:
        return _form(session, DECLINED if number == payments.DECLINES else NOT_A_TEST_CARD)
    return _paid(request, session)


async def challenge(request: Request) -> Response:
    """The answer of the bank's page."""
    session = _session(request)
    if session["status"] != "open":
        return _ended(session)
    outcome = (await request.form()).get("outcome")
    return _paid(request, session) if outcome == "success" else _form(session, NOT_CONFIRMED)


async def style(_: Request) -> Response:
    """The style sheet."""
    return FileResponse(STYLE, media_type="text/css", headers={"x-content-type-options": "nosniff"})


def luhn(number: str) -> bool:
    """Whether the last digit of a card's number fits the others (ISO/IEC 7812-1)."""
    doubled = [int(digit) * (2 if place % 2 else 1) for place, digit in enumerate(reversed(number))]
    return len(number) >= 12 and sum(value - 9 if value > 9 else value for value in doubled) % 10 == 0


def _session(request: Request) -> Object:
    return answers.named(request, "checkout.session")


def _paid(request: Request, session: Object) -> Response:
    payments.pay(answers.account(request), session)
    return _leave(request, session)


def _by_debit(request: Request, session: Object, iban: str) -> Response:
    if iban not in dict(IBANS):
        return _form(session, NOT_AN_IBAN)
    account = answers.account(request)
    payments.pay(account, session, method="sepa_debit", settled=False)
    # The events of both go out in this order; how long it takes in life is not what anybody wants to wait for here.
    (payments.settle if iban == payments.IBAN_SUCCEEDS else payments.bounce)(account, session)
    return _leave(request, session)


def _leave(request: Request, session: Object) -> Response:
    answers.account(request).save()
    request.app.state.wake()
    return RedirectResponse(_back(session), status_code=303)


def _back(session: Object) -> str:
    address: str = session["success_url"]
    return address.replace("{CHECKOUT_SESSION_ID}", session["id"])


def _ended(session: Object) -> Response:
    if session["status"] == "complete":
        content = _notice("Hai già pagato", "Questo pagamento è concluso.", _back(session), "Torna al negozio")
    else:
        back = session["cancel_url"] or "/"
        content = _notice("Pagina scaduta", "Questa pagina di pagamento non è più valida.", back, "Torna al negozio")
    return _page(session, content)


def _notice(title: str, text: str, target: str, label: str) -> str:
    return f"<section><h2>{title}</h2><p>{text}</p><a class=button href='{escape(target)}'>{label}</a></section>"


def _form(session: Object, error: str = "") -> Response:
    """The page with both ways to pay; the browser shows the fields of the chosen one (see style.css)."""
    price = euro(session)
    alert = f"<p class=error role=alert>{error}</p>" if error else ""
    cards = "".join(f"<li><code>{_grouped(number)}</code> {what}</li>" for number, what in CARDS)
    ibans = "".join(f"<li><code>{_grouped(number)}</code> {what}</li>" for number, what in IBANS)
    cancel = (
        f"<a href='{escape(session['cancel_url'])}'>Annulla e torna al negozio</a>" if session["cancel_url"] else ""
    )
    content = f"""
<form method=post action="/c/pay/{session["id"]}" autocomplete=off>
  <h2>Dati di pagamento</h2>{alert}
  <label>E-mail <input name=email type=email value="{escape(session["customer_email"] or "")}"></label>
  <fieldset><legend>Come vuoi pagare</legend>
    <label class=choice><input type=radio name=method value=card checked> Carta</label>
    <label class=choice><input type=radio name=method value=sepa> Addebito diretto SEPA</label>
    <div class=card>
      <label>Numero della carta <input name=number inputmode=numeric placeholder="1234 1234 1234 1234"></label>
      <label>Scadenza <input name=expiry placeholder="MM / AA"></label>
      <label>CVC <input name=cvc inputmode=numeric placeholder="123"></label>
      <label>Nome sulla carta <input name=name></label>
    </div>
    <div class=sepa><label>IBAN <input name=iban placeholder="IT00 A000 0000 0000 0000 0000 000"></label></div>
  </fieldset>
  <button>Paga {price}</button> {cancel}
  <details open><summary>Dati di prova</summary>
    <p>Qui non si paga davvero. Scadenza e CVC: quelli che vuoi.</p><ul>{cards}{ibans}</ul></details>
</form>"""
    return _page(session, content, status=402 if error else 200)


def _challenge(session: Object) -> Response:
    return _page(
        session,
        f"""
<form method=post action="/c/pay/{session["id"]}/3ds">
  <h2>Verifica 3-D Secure</h2>
  <p>La tua banca vuole sapere se sei tu a pagare {euro(session)}. È una prova: scegli come va a finire.</p>
  <button name=outcome value=success>Conferma il pagamento</button>
  <button class=plain name=outcome value=fail>Rifiuta</button>
</form>""",
    )


def euro(session: Object) -> str:
    """The price as Italians write it."""
    whole, cents = divmod(session["amount_total"], 100)
    return f"{whole:,}".replace(",", ".") + f",{cents:02} €"


def _grouped(number: str) -> str:
    return " ".join(number[place : place + 4] for place in range(0, len(number), 4))


def _page(session: Object, content: str, status: int = 200) -> Response:
    origins = {f"{parts.scheme}://{parts.netloc}" for parts in map(urlsplit, _addresses(session))}
    policy = (
        # Chromium holds the redirect that follows a form to this list as well.
        f"default-src 'none'; style-src 'self'; form-action 'self' {' '.join(sorted(origins))}; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    headers = {"Content-Security-Policy": policy, "Cache-Control": "no-store", "Referrer-Policy": "no-referrer"}
    return HTMLResponse(
        f"""<!doctype html><html lang=it><head><meta charset=utf-8><title>Paga {euro(session)} · Cassa di prova</title>
<meta name=viewport content="width=device-width, initial-scale=1"><link rel=stylesheet href=/style.css></head><body>
<p class=banner>Modalità di prova: nessun pagamento è reale</p>
<main><header><p>Socio</p><h1>{escape(session["_name"])}</h1><strong>{euro(session)}</strong>
<p>IVA inclusa, pagamento unico</p></header>
{content}</main></body></html>""",
        status,
        headers,
    )


def _addresses(session: Object) -> list[str]:
    return [address for address in (session["success_url"], session["cancel_url"]) if address]
