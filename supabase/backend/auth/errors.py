"""What the auth service may refuse, and how a refusal looks on the wire.

    backend.core.errors.ApiError
    └── AuthError            a code of the closed list below
        └── WeakPassword     422 with the reasons

Two formats, chosen by the header X-Supabase-Api-Version: `{code, error_code, msg}` with a numeric code for old
clients, `{code, message}` from 2024-01-01 on. Both name the code in `x-sb-error-code`.
"""

# ruff: noqa: S105 - names of codes, no passwords
from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from datetime import date
from enum import StrEnum
from http import HTTPStatus
from typing import Any

import asyncpg
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, ExceptionHandler, Message, Receive, Scope, Send

from backend.core import disk, errors, http, log
from backend.core.errors import ApiError

logger = logging.getLogger("backend.auth")

VERSION_HEADER = "X-Supabase-Api-Version"
CODE_HEADER = "x-sb-error-code"
VERSION_2024 = date(2024, 1, 1)


class Code(StrEnum):
    """Every code this service answers; names and meanings are GoTrue's."""

    ANONYMOUS_PROVIDER_DISABLED = "anonymous_provider_disabled"
    BAD_CODE_VERIFIER = "bad_code_verifier"
    BAD_JSON = "bad_json"
    BAD_JWT = "bad_jwt"
    BAD_OAUTH_CALLBACK = "bad_oauth_callback"
    BAD_OAUTH_STATE = "bad_oauth_state"
    CONFLICT = "conflict"
    CURRENT_PASSWORD_INVALID = "current_password_invalid"
    CURRENT_PASSWORD_REQUIRED = "current_password_required"
    CUSTOM_PROVIDER_NOT_FOUND = "custom_provider_not_found"
    EMAIL_CONFLICT_IDENTITY_NOT_DELETABLE = "email_conflict_identity_not_deletable"
    EMAIL_EXISTS = "email_exists"
    EMAIL_NOT_CONFIRMED = "email_not_confirmed"
    EMAIL_PROVIDER_DISABLED = "email_provider_disabled"
    FEATURE_DISABLED = "feature_disabled"
    FLOW_STATE_ALREADY_USED = "flow_state_already_used"
    FLOW_STATE_EXPIRED = "flow_state_expired"
    FLOW_STATE_NOT_FOUND = "flow_state_not_found"
    IDENTITY_ALREADY_EXISTS = "identity_already_exists"
    IDENTITY_NOT_FOUND = "identity_not_found"
    INSUFFICIENT_AAL = "insufficient_aal"
    HOOK_PAYLOAD_INVALID_CONTENT_TYPE = "hook_payload_invalid_content_type"
    HOOK_PAYLOAD_OVER_SIZE_LIMIT = "hook_payload_over_size_limit"
    HOOK_TIMEOUT = "hook_timeout"
    HOOK_TIMEOUT_AFTER_RETRY = "hook_timeout_after_retry"
    INVALID_CREDENTIALS = "invalid_credentials"
    INVITE_NOT_FOUND = "invite_not_found"
    MANUAL_LINKING_DISABLED = "manual_linking_disabled"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    MFA_CHALLENGE_EXPIRED = "mfa_challenge_expired"
    MFA_FACTOR_NAME_CONFLICT = "mfa_factor_name_conflict"
    MFA_FACTOR_NOT_FOUND = "mfa_factor_not_found"
    MFA_IP_ADDRESS_MISMATCH = "mfa_ip_address_mismatch"
    MFA_PHONE_ENROLL_NOT_ENABLED = "mfa_phone_enroll_not_enabled"
    MFA_PHONE_VERIFY_NOT_ENABLED = "mfa_phone_verify_not_enabled"
    MFA_RECOVERY_CODES_ENROLL_NOT_ENABLED = "mfa_recovery_codes_enroll_not_enabled"
    MFA_RECOVERY_CODES_LOCKED = "mfa_recovery_codes_locked"
    MFA_RECOVERY_CODES_SOLE_FACTOR = "mfa_recovery_codes_sole_factor"
    MFA_RECOVERY_CODES_VERIFY_NOT_ENABLED = "mfa_recovery_codes_verify_not_enabled"
    MFA_TOTP_ENROLL_NOT_ENABLED = "mfa_totp_enroll_not_enabled"
    MFA_TOTP_VERIFY_NOT_ENABLED = "mfa_totp_verify_not_enabled"
    MFA_VERIFICATION_FAILED = "mfa_verification_failed"
    MFA_VERIFICATION_REJECTED = "mfa_verification_rejected"
    MFA_VERIFIED_FACTOR_EXISTS = "mfa_verified_factor_exists"
    MFA_WEBAUTHN_ENROLL_NOT_ENABLED = "mfa_webauthn_enroll_not_enabled"
    MFA_WEBAUTHN_VERIFY_NOT_ENABLED = "mfa_webauthn_verify_not_enabled"
    NOT_ADMIN = "not_admin"
    NOT_FOUND = "not_found"
    NO_AUTHORIZATION = "no_authorization"
    OAUTH_PROVIDER_NOT_SUPPORTED = "oauth_provider_not_supported"
    OAUTH_AUTHORIZATION_NOT_FOUND = "oauth_authorization_not_found"
    OAUTH_CLIENT_NOT_FOUND = "oauth_client_not_found"
    OAUTH_CONSENT_NOT_FOUND = "oauth_consent_not_found"
    OAUTH_DYNAMIC_CLIENT_REGISTRATION_DISABLED = "oauth_dynamic_client_registration_disabled"
    OTP_DISABLED = "otp_disabled"
    OTP_EXPIRED = "otp_expired"
    OVER_EMAIL_SEND_RATE_LIMIT = "over_email_send_rate_limit"
    OVER_REQUEST_RATE_LIMIT = "over_request_rate_limit"
    OVER_SMS_SEND_RATE_LIMIT = "over_sms_send_rate_limit"
    PASSKEY_DISABLED = "passkey_disabled"
    PHONE_EXISTS = "phone_exists"
    PHONE_NOT_CONFIRMED = "phone_not_confirmed"
    PHONE_PROVIDER_DISABLED = "phone_provider_disabled"
    PROVIDER_DISABLED = "provider_disabled"
    PROVIDER_EMAIL_NEEDS_VERIFICATION = "provider_email_needs_verification"
    REAUTHENTICATION_NEEDED = "reauthentication_needed"
    REAUTHENTICATION_NOT_VALID = "reauthentication_not_valid"
    REFRESH_TOKEN_ALREADY_USED = "refresh_token_already_used"
    REFRESH_TOKEN_NOT_FOUND = "refresh_token_not_found"
    REQUEST_ENTITY_TOO_LARGE = "request_entity_too_large"
    REQUEST_TIMEOUT = "request_timeout"
    SAME_PASSWORD = "same_password"
    SAML_PROVIDER_DISABLED = "saml_provider_disabled"
    SERVICE_UNAVAILABLE = "service_unavailable"
    SESSION_EXPIRED = "session_expired"
    SESSION_NOT_FOUND = "session_not_found"
    SIGNUP_DISABLED = "signup_disabled"
    SINGLE_IDENTITY_NOT_DELETABLE = "single_identity_not_deletable"
    TOO_MANY_ENROLLED_MFA_FACTORS = "too_many_enrolled_mfa_factors"
    TOO_MANY_PASSKEYS = "too_many_passkeys"
    UNEXPECTED_FAILURE = "unexpected_failure"
    UNKNOWN = "unknown"
    USER_ALREADY_EXISTS = "user_already_exists"
    USER_BANNED = "user_banned"
    USER_NOT_FOUND = "user_not_found"
    USER_SSO_MANAGED = "user_sso_managed"
    VALIDATION_FAILED = "validation_failed"
    WEAK_PASSWORD = "weak_password"
    WEB3_PROVIDER_DISABLED = "web3_provider_disabled"
    WEBAUTHN_CHALLENGE_EXPIRED = "webauthn_challenge_expired"
    WEBAUTHN_CHALLENGE_NOT_FOUND = "webauthn_challenge_not_found"
    WEBAUTHN_CREDENTIAL_EXISTS = "webauthn_credential_exists"
    WEBAUTHN_CREDENTIAL_NOT_FOUND = "webauthn_credential_not_found"
    WEBAUTHN_VERIFICATION_FAILED = "webauthn_verification_failed"


class AuthError(ApiError):
    """A refusal of the auth service."""

    def __init__(
        self,
        status: int,
        code: Code,
        message: str,
        *,
        cause: BaseException | str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(status, code, message, cause=cause, headers=headers)


class WeakPassword(AuthError):
    """The password breaks the rules; `reasons` are "length" and "characters"."""

    def __init__(self, message: str, reasons: Sequence[str]) -> None:
        super().__init__(422, Code.WEAK_PASSWORD, message)
        self.reasons = list(reasons)


def invalid(message: str) -> AuthError:
    """400 validation_failed: what was sent cannot be meant."""
    return AuthError(400, Code.VALIDATION_FAILED, message)


def expired_token() -> AuthError:
    """One answer for unknown, used and expired one-time tokens: which of them it was concerns nobody else."""
    return AuthError(403, Code.OTP_EXPIRED, "Token has expired or is invalid")


def database(message: str, error: asyncpg.PostgresError) -> ApiError:
    """503 when the disk is full, else 500 with a public message.

    The log gets what Postgres said and where, above all for the product's triggers, and so does the answer on a
    developer's machine.

    Never the DETAIL: it quotes the row, and a row of auth.users holds the password hash.
    """
    if isinstance(error, asyncpg.DiskFullError):
        return disk.out_of_space(error)
    place = " in ".join(part for part in (error.args[0] if error.args else "", _place(error)) if part)
    cause = f"Postgres {error.sqlstate}: {place}"
    refusal = AuthError(500, Code.UNEXPECTED_FAILURE, message, cause=cause)
    field = error.as_dict().get("column_name")
    refusal.details = {"cause": cause, **({"field": field} if field else {})}
    return refusal


def _place(error: asyncpg.PostgresError) -> str:
    known: dict[str, Any] = error.as_dict()
    names = ("schema_name", "table_name", "column_name", "constraint_name", "context")
    return ", ".join(f"{name} {known[name]}" for name in names if known.get(name))


def response(request: Request, error: ApiError) -> Response:
    """The refusal in the format the client asked for; a code from core is one of ours by spelling."""
    version = requested_version(request)
    body: dict[str, Any]
    if version is None:
        body = {"code": error.status, "error_code": str(error.code), "msg": error.message}
        if error.status >= 500:
            body["error_id"] = log.request_id.get()
    else:
        body = {"code": str(error.code), "message": error.message}
    if not http.resources(request).settings.secure:
        body |= error.details
    if isinstance(error, WeakPassword):
        body["weak_password"] = {"reasons": error.reasons}
    headers = {CODE_HEADER: str(error.code), "Cache-Control": "no-store", **error.headers}
    if version is not None:
        headers[VERSION_HEADER] = version.isoformat()
    return JSONResponse(body, status_code=error.status, headers=headers)


def requested_version(request: Request) -> date | None:
    """The closest API version not newer than the one asked for; None is the first one."""
    try:
        asked = date.fromisoformat(request.headers.get(VERSION_HEADER, ""))
    except ValueError:
        return None
    return VERSION_2024 if asked >= VERSION_2024 else None


async def render(request: Request, error: Exception) -> Response:
    """Starlette's handler of ApiError."""
    assert isinstance(error, ApiError)
    errors.record(error)
    return response(request, error)


async def render_http(request: Request, error: Exception) -> Response:
    """Starlette's handler of its own HTTPException: unknown routes and methods."""
    assert isinstance(error, HTTPException)
    code = Code.METHOD_NOT_ALLOWED if error.status_code == 405 else Code.NOT_FOUND
    return response(
        request, AuthError(error.status_code, code, HTTPStatus(error.status_code).phrase, headers=error.headers)
    )


# What the routes pass to Starlette(exception_handlers=…).
HANDLERS: Mapping[type[Exception], ExceptionHandler] = {ApiError: render, HTTPException: render_http}


# Upstream's limit; a request beyond it is cut short, its transaction rolled back.
REQUEST_TIMEOUT_S = 10


class LastResort:
    """Answers what nobody else did, in GoTrue's format: a request that takes too long, or a bug.

    A bug's traceback goes to the log with the request id.
    """

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def watched(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            async with asyncio.timeout(REQUEST_TIMEOUT_S):
                await self.app(scope, receive, watched)
        except Exception as failure:
            if started or scope["type"] != "http":
                raise
            await response(Request(scope), _last_answer(failure))(scope, receive, watched)


def _last_answer(failure: Exception) -> AuthError:
    if isinstance(failure, TimeoutError):
        message = "Processing this request timed out, please retry after a moment."
        error = AuthError(504, Code.REQUEST_TIMEOUT, message, cause=failure)
        errors.record(error)
        return error
    logger.error("request failed", exc_info=failure)
    return AuthError(500, Code.UNEXPECTED_FAILURE, "Unexpected failure, please check server logs for more information")
