"""The operator's Meta app, by which people connect a number without an app of their own (Embedded Signup v4).

developers.facebook.com, WhatsApp, Embedded Signup: the dialog of Facebook Login for Business with the configuration of
the app gives a code, the code a business token, and the token says which accounts the person has granted. The dialog is
opened as a page of its own, so that no script of Meta's runs in ours.

`make run` has an app at the fake Meta, where the operator has set none.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode, urlsplit

from backend.edge import api
from functions._shared.whatsapp import graph

RETURN_SLUG = "whatsapp_signup_return"
SETTINGS = ("WHATSAPP_APP_ID", "WHATSAPP_APP_SECRET", "WHATSAPP_CONFIGURATION_ID")
DIALOG_HOST = "https://www.facebook.com"
ON_PHONE = "whatsapp_business_app_onboarding"
MANAGE, SEND = "whatsapp_business_management", "whatsapp_business_messaging"
TOKEN = re.compile(r"[!-~]{1,1000}")
ID = re.compile(r"[0-9]{1,40}")
MOST_ACCOUNTS = 10
# The Graph API's code for a code that has expired, was used, or is another app's.
BAD_CODE = 100


@dataclass(frozen=True)
class App:
    """An app with its configuration of Facebook Login for Business."""

    id: str
    secret: str = field(repr=False)
    configuration_id: str
    dialog_url: str

    @property
    def token(self) -> str:
        """Return the access token of the app itself."""
        return f"{self.id}|{self.secret}"


class NotGranted(Exception):
    """The person did not grant what is needed."""


def of(context: api.Context) -> App | None:
    """Return the operator's app, or that of the fake Meta; None without one."""
    if all(context.has_secret(name) for name in SETTINGS):
        app_id, secret, configuration_id = (context.secret(name).strip() for name in SETTINGS)
        version = urlsplit(graph.base(context, "")).path.strip("/") or urlsplit(graph.API_BASE).path.strip("/")
        return App(app_id, secret, configuration_id, f"{DIALOG_HOST}/{version}/dialog/oauth")
    if context.has_secret("WHATSAPP_SANDBOX"):
        page = f"{context.secret('WHATSAPP_SANDBOX')}/dialog/oauth"
        return App(f"{graph.SANDBOX_TOKEN}app", graph.SANDBOX_SECRET, "prova", page)
    return None


def secret_of(context: api.Context, token: str) -> str:
    """Return the secret of the app that a token belongs to; empty when there is no such app."""
    if token.startswith(graph.SANDBOX_TOKEN) and context.has_secret("WHATSAPP_SANDBOX"):
        return graph.SANDBOX_SECRET
    return context.secret("WHATSAPP_APP_SECRET").strip() if context.has_secret("WHATSAPP_APP_SECRET") else ""


def return_address(context: api.Context) -> str:
    """Return the only address to which Meta sends people back."""
    return f"{context.api_url}/functions/v1/{RETURN_SLUG}"


def dialog_url(context: api.Context, app: App, state: str, *, is_on_phone: bool) -> str:
    """Return where a person connects a number."""
    extras = {"setup": {}, "sessionInfoVersion": "3", **({"featureType": ON_PHONE} if is_on_phone else {})}
    asked = {
        "client_id": app.id,
        "config_id": app.configuration_id,
        "redirect_uri": return_address(context),
        "response_type": "code",
        "override_default_response_type": "true",
        "state": state,
        "extras": json.dumps(extras),
    }
    return f"{app.dialog_url}?{urlencode(asked)}"


async def exchange(context: api.Context, app: App, code: str) -> str:
    """Exchange a code for a business token.

    Raises what graph.Graph.request raises: Refused with BAD_CODE when the code is over.
    """
    asked = {
        "client_id": app.id, "client_secret": app.secret, "redirect_uri": return_address(context), "code": code,
    }  # fmt: skip
    answer = await graph.Graph(context, app.token).request("GET", f"oauth/access_token?{urlencode(asked)}")
    token = answer.get("access_token")
    if not isinstance(token, str) or not TOKEN.fullmatch(token):
        raise graph.Uncertain("The answer has no token")
    return token


async def granted(context: api.Context, app: App, token: str) -> list[str]:
    """Return the WhatsApp Business Accounts that a token is for.

    Raises NotGranted, and what graph.Graph.request raises.
    """
    answer = await graph.Graph(context, app.token).request("GET", f"debug_token?{urlencode({'input_token': token})}")
    told = answer.get("data")
    told = told if isinstance(told, dict) else {}
    if told.get("is_valid") is not True or str(told.get("app_id")) != app.id:
        raise NotGranted("the token is none of ours")
    listed = told.get("granular_scopes")
    scopes: dict[str, Any] = {
        str(one.get("scope")): one.get("target_ids")
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict)
    }
    if SEND not in scopes or MANAGE not in scopes:
        raise NotGranted("a permission is missing")
    accounts = scopes[MANAGE] or scopes[SEND] or []
    return [str(one) for one in accounts if ID.fullmatch(str(one))][:MOST_ACCOUNTS]
