"""What goes wrong before or around a function, told as the original's relay does (the clients' FunctionsRelayError)."""

from __future__ import annotations

from enum import StrEnum

from backend.core.errors import ApiError, Code

# Tells the clients that it was not the function that answered.
RELAY_HEADER = "x-relay-error"


class FunctionCode(StrEnum):
    """The codes of the functions' service beside the shared ones."""

    BOOT_ERROR = "boot_error"


class UnknownFunction(Exception):
    """No function of this slug."""


class BootError(Exception):
    """The function's file cannot be loaded."""


def not_found(cause: Exception) -> ApiError:
    """404: no function of this name."""
    return ApiError(404, Code.NOT_FOUND, "Requested function was not found", cause=cause)


def does_not_start(cause: Exception) -> ApiError:
    """503: the file has a fault; what it is stands in the log."""
    return ApiError(
        503,
        FunctionCode.BOOT_ERROR,
        "Function failed to start (please check logs)",
        cause=cause,
        headers={RELAY_HEADER: "true"},
    )


def too_slow(cause: Exception) -> ApiError:
    """504: the function did not answer in its time."""
    return ApiError(
        504, Code.REQUEST_TIMEOUT, "The function took too long", cause=cause, headers={RELAY_HEADER: "true"}
    )
