"""What the routes take and answer, beside what the route table and the handlers say themselves: for openapi.json.

One entry `METHOD /path` each. `body` and `query` name the fields: a text unless another type follows the colon, needed
where an exclamation mark ends it. A route without an entry appears with what its handler's docstring says.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

# Who may call: anybody, the bearer of a user's access token, an admin (service_role token or secret key).
ANYBODY, USER, ADMIN = "anybody", "user", "admin"

PKCE = "code_challenge code_challenge_method"
CAPTCHA = "gotrue_meta_security:object"
USER_FIELDS = (
    "email phone password password_hash role aud ban_duration email_confirm:boolean phone_confirm:boolean "
    "user_metadata:object app_metadata:object"
)
CLIENT_FIELDS = (
    "client_name client_uri logo_uri client_type token_endpoint_auth_method redirect_uris:array grant_types:array"
)


@dataclass(frozen=True)
class Described:
    """One operation; `answer` names a schema of the document, `status` is that of success."""

    caller: str = ANYBODY
    body: str = ""
    query: str = ""
    answer: str = "Object"
    status: int = 200


DESCRIBED: Mapping[str, Described] = {
    "POST /signup": Described(
        body=f"email phone password channel data:object {PKCE} {CAPTCHA}", query="redirect_to", answer="SessionOrUser"
    ),
    "POST /token": Described(
        body=(
            "email phone password refresh_token auth_code code_verifier provider id_token access_token nonce client_id "
            f"issuer chain message signature link_identity:boolean {CAPTCHA}"
        ),
        query="grant_type!",
        answer="Session",
    ),
    "POST /logout": Described(USER, query="scope", answer="Nothing", status=204),
    "GET /sessions": Described(USER, answer="Sessions"),
    "DELETE /sessions/{session_id}": Described(USER, answer="Nothing", status=204),
    "GET /user": Described(USER, answer="User"),
    "PUT /user": Described(
        USER,
        body=f"email phone password current_password nonce channel data:object app_metadata:object {PKCE}",
        query="redirect_to",
        answer="User",
    ),
    "GET /user/identities/authorize": Described(
        USER, query=f"provider! scopes redirect_to skip_http_redirect {PKCE}", answer="Object"
    ),
    "DELETE /user/identities/{identity_id}": Described(USER),
    "GET /authorize": Described(query=f"provider! scopes redirect_to {PKCE}", answer="Redirect", status=302),
    "GET /callback": Described(query="code state error error_description", answer="Redirect", status=303),
    "POST /otp": Described(body=f"email phone channel create_user:boolean data:object {PKCE} {CAPTCHA}"),
    "POST /magiclink": Described(body=f"email! data:object {PKCE} {CAPTCHA}", query="redirect_to"),
    "POST /recover": Described(body=f"email! {PKCE} {CAPTCHA}", query="redirect_to"),
    "POST /resend": Described(body=f"type! email phone {PKCE} {CAPTCHA}", query="redirect_to"),
    "GET /verify": Described(query="token! type! redirect_to", answer="Redirect", status=303),
    "POST /verify": Described(body="type! token token_hash email phone redirect_to", answer="Session"),
    "GET /reauthenticate": Described(USER),
    "POST /invite": Described(ADMIN, body="email! data:object", query="redirect_to", answer="User"),
    "GET /admin/users": Described(ADMIN, query="page per_page sort filter cursor"),
    "POST /admin/users": Described(ADMIN, body=f"id {USER_FIELDS}", answer="User"),
    "GET /admin/users/{user_id}": Described(ADMIN, answer="User"),
    "PUT /admin/users/{user_id}": Described(ADMIN, body=USER_FIELDS, answer="User"),
    "DELETE /admin/users/{user_id}": Described(ADMIN, body="should_soft_delete:boolean"),
    "GET /admin/users/{user_id}/factors": Described(ADMIN, answer="List"),
    "PUT /admin/users/{user_id}/factors/{factor_id}": Described(ADMIN, body="friendly_name phone"),
    "DELETE /admin/users/{user_id}/factors/{factor_id}": Described(ADMIN),
    "GET /admin/users/{user_id}/passkeys": Described(ADMIN, answer="List"),
    "DELETE /admin/users/{user_id}/passkeys/{passkey_id}": Described(ADMIN, answer="Nothing", status=204),
    "POST /admin/generate_link": Described(ADMIN, body="type! email! new_email password data:object redirect_to"),
    "GET /admin/audit": Described(ADMIN, query="page per_page query", answer="List"),
    "GET /admin/custom-providers": Described(ADMIN, query="type"),
    "POST /admin/custom-providers": Described(
        ADMIN,
        body=(
            "provider_type! identifier! name client_id client_secret acceptable_client_ids:array scopes:array issuer "
            "discovery_url authorization_url token_url userinfo_url jwks_uri pkce_enabled:boolean enabled:boolean "
            "skip_nonce_check:boolean email_optional:boolean attribute_mapping:object authorization_params:object"
        ),
        status=201,
    ),
    "GET /admin/custom-providers/{identifier}": Described(ADMIN),
    "PUT /admin/custom-providers/{identifier}": Described(
        ADMIN, body="name client_id client_secret scopes:array issuer enabled:boolean"
    ),
    "DELETE /admin/custom-providers/{identifier}": Described(ADMIN, answer="Nothing", status=204),
    "POST /factors": Described(USER, body="factor_type! friendly_name issuer phone"),
    "DELETE /factors/{factor_id}": Described(USER),
    "POST /factors/{factor_id}/challenge": Described(USER, body="channel"),
    "POST /factors/{factor_id}/verify": Described(USER, body="challenge_id! code webauthn:object", answer="Session"),
    "GET /factors/recovery-codes": Described(USER),
    "POST /factors/recovery-codes": Described(USER, body="friendly_name"),
    "DELETE /factors/recovery-codes": Described(USER),
    "POST /factors/recovery-codes/verify": Described(USER, body="code!", answer="Session"),
    "POST /factors/recovery-codes/regenerate": Described(USER),
    "GET /passkeys": Described(USER, answer="List"),
    "POST /passkeys/authentication/options": Described(body=CAPTCHA),
    "POST /passkeys/authentication/verify": Described(body="challenge_id! credential:object!", answer="Session"),
    "POST /passkeys/registration/options": Described(USER),
    "POST /passkeys/registration/verify": Described(USER, body="challenge_id! credential:object!"),
    "PATCH /passkeys/{passkey_id}": Described(USER, body="friendly_name!"),
    "DELETE /passkeys/{passkey_id}": Described(USER, answer="Nothing", status=204),
    "GET /admin/oauth/clients": Described(ADMIN, query="page per_page"),
    "POST /admin/oauth/clients": Described(ADMIN, body=CLIENT_FIELDS, status=201),
    "GET /admin/oauth/clients/{client_id}": Described(ADMIN),
    "PUT /admin/oauth/clients/{client_id}": Described(ADMIN, body=CLIENT_FIELDS),
    "DELETE /admin/oauth/clients/{client_id}": Described(ADMIN, answer="Nothing", status=204),
    "POST /admin/oauth/clients/{client_id}/regenerate_secret": Described(ADMIN),
    "POST /oauth/clients/register": Described(body=CLIENT_FIELDS, status=201),
    "GET /oauth/authorize": Described(
        query=(
            "client_id! redirect_uri! response_type! code_challenge! code_challenge_method! scope state nonce resource"
        ),
        answer="Redirect",
        status=302,
    ),
    "GET /oauth/authorizations/{authorization_id}": Described(USER),
    "POST /oauth/authorizations/{authorization_id}/consent": Described(USER, body="action!"),
    "POST /oauth/token": Described(
        body="grant_type! code redirect_uri code_verifier refresh_token client_id client_secret", answer="Tokens"
    ),
    "GET /oauth/userinfo": Described(USER),
    "POST /oauth/userinfo": Described(USER),
    "GET /user/oauth/grants": Described(USER, answer="List"),
    "DELETE /user/oauth/grants": Described(USER, query="client_id!", answer="Nothing", status=204),
    "POST /sso": Described(body=f"provider_id domain redirect_to skip_http_redirect:boolean {PKCE}"),
}
