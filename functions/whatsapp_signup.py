"""`/functions/v1/whatsapp_signup`: a WhatsApp number, connected at Meta without an app of one's own (Embedded Signup).

    POST {is_on_phone}          begin: where the person connects it; true for a number that stays in the phone's app
        200 {url}
        404 not_offered         the operator has set no app
    PUT {state, code}           end: exchange the code, find the number, connect it
    PUT {state, phone_number_id?}   the same once more, after a choice or a failure: the code was exchanged already
    PUT {state, error}          Meta's refusal
        200 {id, display_number}
        200 {numbers: [{id, display_number}]}   more than one number was granted: choose
        400 access_denied       the person, or Meta, said no
        400 invalid_state       used, unknown, or another person's
        400 expired_state       begun more than ten minutes ago
        400 other_session       begun in another browser or session
        409 connected_elsewhere another account of Socio has this number
        409 other_number        a number is connected, and Meta has given another one
        422 no_permission, no_number, code_refused, has_pin, refused
        503 exchange_failed     Meta does not answer, and the code is lost
        503 meta_unavailable    Meta does not answer; the same state may be tried again
    429 too_many_requests       a moment after the last one

A state is used once. After the code was exchanged no failure loses the connection: the token waits, encrypted, for ten
minutes, and the same state ends it later.

Whoever has a number connects the same one again, with its conversations, templates and messages that wait.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Mapping
from typing import Any, NoReturn
from uuid import UUID, uuid4

from backend.edge import api
from functions._shared import requests, returns
from functions._shared.whatsapp import connecting, graph, history, meta_app, numbers

TIMEOUT_S = 120
BODY_LIMIT_BYTES = 16 * 1024
PAUSE_S = 1
# What context.seal encrypts for, in the row of the person.
PURPOSE = "whatsapp signups"
PINS = "whatsapp pins"
FIELDS = f"{connecting.FIELDS},platform_type,is_on_biz_app"
# The number has a PIN that another provider, or its owner, has set.
OTHER_PIN = 133005
RESTART = "ricomincia da «Collega con Meta»"


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405, 409, 422, 429 and 503."""
    requests.only(request, "POST", "PUT")
    user_id = UUID(requests.caller(context))
    body = await api.json_object(request)
    app = meta_app.of(context)
    if app is None:
        raise api.Refused(404, "not_offered", "Su questo server «Collega con Meta» non è attivo: usa il token")
    # What Meta refused asks nothing of Meta.
    asks = not body.get("error")
    if asks and await context.call("private.take_lease", user_id, f"whatsapp signup {request.method}", PAUSE_S) is None:
        raise api.Refused(429, "too_many_requests", "Aspetta qualche secondo e riprova")
    if request.method == "POST":
        return await begin(context, app, user_id, is_on_phone=body.get("is_on_phone") is True)
    return await end(context, app, user_id, body)


async def begin(context: api.Context, app: meta_app.App, user_id: UUID, *, is_on_phone: bool) -> api.Response:
    """Keep a state of this session and return Meta's page."""
    state = secrets.token_urlsafe(32)
    await context.call(
        "private.begin_whatsapp_signup", user_id, returns.state_hash(state), requests.session_of(context), is_on_phone
    )
    url = meta_app.dialog_url(context, app, state, is_on_phone=is_on_phone)
    return api.JSONResponse({"url": url}, headers={"Cache-Control": "no-store"})


async def end(context: api.Context, app: meta_app.App, user_id: UUID, body: Mapping[str, Any]) -> api.Response:
    """Use the state up, exchange the code unless that was done, and connect the number."""
    state = str(body.get("state") or "")
    begun = await take(context, user_id, state)
    if body.get("error"):
        context.log.info("whatsapp signup refused", extra={"cause": str(body["error"])[:60]})
        raise api.Refused(
            400, "access_denied", f"Non hai dato il permesso a Meta: il numero non è collegato. Per riprovare {RESTART}"
        )
    if begun["sealed_token"]:
        token = context.unseal(PURPOSE, user_id, begun["sealed_token"])
    else:
        token = await exchanged(context, app, str(body.get("code") or ""))
    resume = (
        user_id, returns.state_hash(state), requests.session_of(context), begun["is_on_phone"],
        context.seal(PURPOSE, user_id, token),
    )  # fmt: skip
    chosen = str(body.get("phone_number_id") or "")
    try:
        former = await numbers.of_person(context, user_id)
        found = await candidates(context, app, token, chosen, is_on_phone=begun["is_on_phone"])
        if former is not None:
            found = [same(found, former)]
        if len(found) > 1:
            await context.call("private.resume_whatsapp_signup", *resume)
            return api.JSONResponse(
                {"numbers": [shown(told) for _, told in found]}, headers={"Cache-Control": "no-store"}
            )
        [(waba_id, told)] = found
        number = numbers.Number(
            id=former.id if former else uuid4(), user_id=user_id, portfolio="", waba_id=waba_id,
            phone_number_id=str(told["id"]), token=token, app_secret=app.secret, is_by_app=True,
        )  # fmt: skip
        return await connect(context, number, told, is_on_phone=begun["is_on_phone"])
    except (api.Refused, *connecting.FAILURES) as error:
        await context.call("private.resume_whatsapp_signup", *resume)
        if isinstance(error, api.Refused):
            raise
        fail(context, error)


async def take(context: api.Context, user_id: UUID, state: str) -> Mapping[str, Any]:
    """Use a state up. Raises Refused 400."""
    async with context.as_service() as connection:
        row = await connection.fetchrow(
            "select * from private.take_whatsapp_signup($1, $2, $3)",
            user_id,
            returns.state_hash(state),
            requests.session_of(context),
        )
    if row is None:
        raise api.Refused(
            400, "invalid_state", f"Questo collegamento è già stato usato, o ne hai cominciato un altro: {RESTART}"
        )
    if row["is_expired"]:
        raise api.Refused(400, "expired_state", f"Sono passati più di dieci minuti: {RESTART}")
    if not row["is_same_session"]:
        raise api.Refused(400, "other_session", f"Il collegamento era cominciato in un’altra sessione: {RESTART}")
    return dict(row)


async def exchanged(context: api.Context, app: meta_app.App, code: str) -> str:
    """Exchange the code. Raises Refused 422, 503."""
    try:
        return await meta_app.exchange(context, app, code)
    except connecting.FAILURES as error:
        if isinstance(error, graph.Refused) and error.code == meta_app.BAD_CODE:
            raise api.Refused(422, "code_refused", f"Meta non accetta più questo collegamento: {RESTART}") from error
        context.log.warning("whatsapp signup not exchanged", extra={"cause": str(error)})
        raise api.Refused(503, "exchange_failed", "Meta adesso non risponde: ricomincia tra qualche minuto") from error


async def candidates(
    context: api.Context, app: meta_app.App, token: str, chosen: str, *, is_on_phone: bool
) -> list[tuple[str, dict[str, Any]]]:
    """Return the numbers that may be meant, each with its account: at least one.

    Raises Refused 422, and connecting.FAILURES.
    """
    try:
        accounts = await meta_app.granted(context, app, token)
    except meta_app.NotGranted as error:
        context.log.warning("whatsapp signup without permission", extra={"cause": str(error)})
        raise api.Refused(
            422, "no_permission", f"Meta non ha dato tutti i permessi: {RESTART} e lascia ogni casella spuntata"
        ) from error
    way = graph.Graph(context, token)
    found = [
        (waba_id, told)
        for waba_id in accounts
        for told in await connecting.listed(way, waba_id, FIELDS)
        if meta_app.ID.fullmatch(str(told.get("id"))) and chosen in ("", told["id"])
    ]
    if is_on_phone:
        # Next to it an account may have a number for tests.
        found = [one for one in found if one[1].get("is_on_biz_app") is True] or found
    if not found:
        raise api.Refused(422, "no_number", f"Meta non ha dato nessun numero: {RESTART} e arriva fino all’ultimo passo")
    return found


def same(found: list[tuple[str, dict[str, Any]]], former: numbers.Number) -> tuple[str, dict[str, Any]]:
    """Find the number that the person has already. Raises Refused 409."""
    for one in found:
        if one[1]["id"] == former.phone_number_id:
            return one
    raise api.Refused(
        409, "other_number", "Hai scelto un altro numero. Ricollega quello di prima, oppure scollegalo e ricomincia"
    )


async def connect(
    context: api.Context, number: numbers.Number, told: dict[str, Any], *, is_on_phone: bool
) -> api.Response:
    """Connect the number, register it unless it is on the phone, and ask for what the phone knows.

    Raises Refused 409, and connecting.FAILURES.
    """
    # What Meta says counts: registering a number takes it out of the app on the phone.
    stays = told["is_on_biz_app"] is True if isinstance(told.get("is_on_biz_app"), bool) else is_on_phone
    is_registered = stays or told.get("platform_type") == "CLOUD_API"
    await connecting.connect(
        context, number, told, is_on_phone=stays,
        pin=None if is_registered else pin_of(context, number.phone_number_id),
    )  # fmt: skip
    if stays:
        async with context.as_service() as connection:
            await history.enqueue(connection, number.user_id, number.id)
    return api.JSONResponse(shown(told) | {"id": str(number.id)}, headers={"Cache-Control": "no-store"})


def fail(context: api.Context, error: Exception) -> NoReturn:
    """Say what Meta refused. Raises Refused 422, 503."""
    if isinstance(error, graph.Refused):
        if error.code == OTHER_PIN:
            raise api.Refused(
                422,
                "has_pin",
                "Il numero ha già un PIN di verifica in due passaggi: disattivalo in WhatsApp Manager e riprova",
            ) from error
        raise connecting.refused(error) from error
    context.log.warning("whatsapp signup not ended", extra={"cause": str(error)})
    raise api.Refused(503, "meta_unavailable", "Meta adesso non risponde: riprova tra qualche minuto") from error


def shown(told: Mapping[str, Any]) -> dict[str, Any]:
    """Describe a number to its owner."""
    return {"id": str(told.get("id")), "display_number": told.get("display_phone_number")}


def pin_of(context: api.Context, phone_number_id: str) -> str:
    """Return the PIN with which a number is registered; the same at each attempt."""
    digest = hmac.digest(context.key(PINS), phone_number_id.encode(), "sha256")
    return f"{int.from_bytes(digest[:8], 'big') % 10**6:06}"
