"""The body of `POST /<phone_number_id>/messages` for a message of the outbox."""

from __future__ import annotations

from typing import Any


def body_of(message: dict[str, Any], external_id: str, phone: str | None, media_id: str | None) -> dict[str, Any]:
    """Write a row of public.whatsapp_messages. A BSUID goes into `recipient`, a telephone number into `to`.

    `media_id` is its file at Meta.

    `biz_opaque_callback_data` comes back in each status, so that a status finds its row before our answer did.
    """
    is_number = external_id.isdigit()
    told: dict[str, Any] = {
        "messaging_product": "whatsapp",
        "recipient_type": "individual",
        **({"to": external_id} if is_number else {"recipient": external_id}),
        "biz_opaque_callback_data": str(message["id"]),
    }
    if phone and not is_number and message["template"] and message["template"]["category"] == "AUTHENTICATION":
        # Meta takes those by telephone number only.
        del told["recipient"]
        told["to"] = phone.removeprefix("+")
    if message["refers_to"]:
        told["context"] = {"message_id": message["refers_to"]}
    if media_id is not None:
        kind, caption = message["kind"], {"caption": message["body"]} if message["body"] else {}
        name = {"filename": media_of(message)["name"]} if kind == "document" else {}
        return {**told, "type": kind, kind: {"id": media_id, **name, **caption}}
    if message["template"] is None:
        return {**told, "type": "text", "text": {"body": message["body"], "preview_url": False}}
    return {**told, "type": "template", "template": template_of(message["template"])}


def media_of(message: dict[str, Any]) -> dict[str, Any]:
    """Return what is known of the file of a message: {name, mime}."""
    media: dict[str, Any] = message["content"]["media"]
    return media


def template_of(template: dict[str, Any]) -> dict[str, Any]:
    """Write a template with its values."""
    parameters = [
        {"type": "text", **({"parameter_name": place} if template["is_named"] else {}), "text": value}
        for place, value in template["values"]
    ]
    components = [{"type": "body", "parameters": parameters}] if parameters else []
    return {"name": template["name"], "language": {"code": template["language"]}, "components": components}
