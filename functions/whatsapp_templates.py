"""`/functions/v1/whatsapp_templates`: message templates of the caller's WhatsApp number.

    POST {name, category, body, examples}    propose a template in Italian to Meta, which approves or rejects it later
        200 {state}
        400 validation_failed
        422 refused                          what Meta said
    PUT                                      read the templates again
        200 {count}
    404 not_connected

Meta tells what becomes of a template by webhook.
"""

from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from backend.edge import api
from functions._shared import requests
from functions._shared.whatsapp import graph, numbers, templates

TIMEOUT_S = 60
BODY_LIMIT_BYTES = 32 * 1024
NAME = re.compile(r"[a-z0-9_]{1,512}")
CATEGORIES = ("UTILITY", "MARKETING")
LONGEST_BODY = 1024
# A promotion says how to stop it, in a word of private.is_stop_word.
WAY_OUT = {"type": "FOOTER", "text": "Rispondi STOP per non ricevere altri messaggi"}


async def handler(request: api.Request, context: api.Context) -> api.Response:
    """Refuses with 400, 401, 404, 405 and 422."""
    requests.only(request, "POST", "PUT")
    user_id = UUID(requests.caller(context))
    proposal = proposed(await api.json_object(request)) if request.method == "POST" else None
    number = await numbers.of_person(context, user_id)
    if number is None:
        raise api.Refused(404, "not_connected", "Non hai ancora collegato un numero WhatsApp")
    state = None
    try:
        if proposal is not None:
            answer = await graph.Graph(context, number.token).request(
                "POST", f"{number.waba_id}/message_templates", proposal
            )
            state = answer.get("status")
        count = await templates.refresh(context, number)
    except graph.Refused as error:
        raise api.Refused(422, "refused", f"Meta non accetta il modello. Ha risposto: {error.detail[:200]}") from error
    except (graph.Unreachable, graph.Uncertain) as error:
        raise api.Refused(422, "refused", "Meta non risponde: riprova tra qualche minuto") from error
    return api.JSONResponse({"count": count} if proposal is None else {"state": state})


def proposed(body: dict[str, Any]) -> dict[str, Any]:
    """Write the template as Meta wants it. Raises Refused 400."""
    name, category, text, examples = (body.get(part) for part in ("name", "category", "body", "examples"))
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise invalid("Il nome del modello ha solo lettere minuscole, cifre e trattini bassi")
    if category not in CATEGORIES:
        raise invalid("Scegli la categoria del modello")
    if not isinstance(text, str) or not 0 < len(text.strip()) <= LONGEST_BODY:
        raise invalid(f"Il testo del modello ha da 1 a {LONGEST_BODY} caratteri")
    text = templates.PLACE.sub(r"{{\1}}", text.strip())
    places = templates.places_of(text)
    if text.startswith("{{") or text.endswith("}}"):
        raise invalid("Il testo non può cominciare o finire con un punto da completare")
    if "{{" in templates.PLACE.sub("", text) or not all(re.search("[a-z]", place) for place in places):
        raise invalid("Un punto da completare si scrive così: {{nome}}")
    examples = examples if isinstance(examples, dict) else {}
    samples = [{"param_name": place, "example": examples.get(place)} for place in places]
    if not all(isinstance(sample["example"], str) and sample["example"].strip() for sample in samples):
        raise invalid("Scrivi un esempio per ogni punto da completare")
    component: dict[str, Any] = {"type": "BODY", "text": text}
    if samples:
        component["example"] = {"body_text_named_params": samples}
    components = [component, WAY_OUT] if category == "MARKETING" else [component]
    return {
        "name": name, "language": "it", "category": category, "parameter_format": "NAMED", "components": components,
    }  # fmt: skip


def invalid(message: str) -> api.Refused:
    """Make the refusal of a value."""
    return api.Refused(400, "validation_failed", message)
