"""Every public method of the clients, service by service, by reflection, and those that the tests here cover."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

import pytest
from realtime import AsyncRealtimeClient
from storage3 import AsyncStorageClient, SyncStorageClient
from supabase_auth import AsyncGoTrueClient, SyncGoTrueClient
from supabase_functions import AsyncFunctionsClient, SyncFunctionsClient

_Test = TypeVar("_Test", bound=Callable[..., Any])

# The methods that have tests: name -> what the tests prove, "works" or "disabled".
covered: dict[str, str] = {}


def works(method: str) -> Callable[[_Test], _Test]:
    """A test of a method that does here what it does against the original."""
    return _cover(method, "works")


def disabled(method: str) -> Callable[[_Test], _Test]:
    """A test of a method whose feature is off: it answers what the original answers where that is off."""
    return _cover(method, "disabled")


def _cover(method: str, outcome: str) -> Callable[[_Test], _Test]:
    covered[method] = outcome
    return pytest.mark.method(method, outcome)


def key(method: str) -> str:
    """The same for a method in both languages: `sign_in_with_sso` is `signInWithSSO`."""
    return method.replace("_", "").lower()


class _HandedOut:
    """A client together with what it hands out, whose methods are meant: `storage.from_.upload`."""

    def __init__(self, client: object, name: str, handed_out: object) -> None:
        self.client = client
        self.name = name
        self.handed_out = handed_out


# Methods that ask the server nothing, and what only hosted Supabase has.
LEFT_OUT = re.compile(
    r"^storage\.(analytics|vectors|session|from_)$|^realtime\.(channel|endpoint_url|is_connected|listen|send)$"
    r"|^realtime\.channel\.(is_\w+|join|push|on_close|on_error|subscribe_callback)$"
)


def _storage() -> object:
    client = SyncStorageClient("http://127.0.0.1/", {})
    return _HandedOut(client, "from_", client.from_("bucket"))


def _asynchronous_storage() -> object:
    client = AsyncStorageClient("http://127.0.0.1/", {})
    return _HandedOut(client, "from_", client.from_("bucket"))


def _realtime() -> object:
    """Asynchronous only: supabase-py has no other."""
    client = AsyncRealtimeClient("http://127.0.0.1", "key")
    return _HandedOut(client, "channel", client.channel("topic"))


# The tests of a service are in test_<service>_*.py.
CLIENTS: Mapping[str, Callable[[], object]] = {
    "auth": lambda: SyncGoTrueClient(url="http://127.0.0.1"),
    "functions": lambda: SyncFunctionsClient("http://127.0.0.1", {}),
    "storage": _storage,
    "realtime": _realtime,
}
ASYNCHRONOUS: Mapping[str, Callable[[], object]] = {
    "auth": lambda: AsyncGoTrueClient(url="http://127.0.0.1"),
    "functions": lambda: AsyncFunctionsClient("http://127.0.0.1", {}),
    "storage": _asynchronous_storage,
    "realtime": _realtime,
}


def public_methods(clients: Mapping[str, Callable[[], object]] = CLIENTS) -> list[str]:
    """The names of all public methods, such as `auth.mfa.enroll`."""
    names = [name for service, build in clients.items() for name in _methods_of(build(), f"{service}.")]
    return [name for name in names if not LEFT_OUT.search(name)]


def _methods_of(api: object, prefix: str) -> Iterator[str]:
    if isinstance(api, _HandedOut):
        yield from _methods_of(api.client, prefix)
        yield from _methods_of(api.handed_out, f"{prefix}{api.name}.")
        return
    for name, value in inspect.getmembers(api):
        if name.startswith("_"):
            continue
        if callable(value):
            yield f"{prefix}{name}"
        elif type(value).__module__.startswith("supabase_auth."):
            yield from _methods_of(value, f"{prefix}{name}.")
