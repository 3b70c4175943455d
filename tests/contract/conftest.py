"""Clients as other browsers would be, and people who are signed in with them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass

import httpx
import pytest
from supabase_auth.types import Session

from supabase import Client, ClientOptions, create_client
from tests.contract import stack
from tests.contract.openid import OpenId, running

PASSWORD = "Segreto-123"


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "method(name, outcome): the method of the client that a test covers")
    # What the client itself does wrong on leaving is not ours to fix.
    for warning in ("ResourceWarning", "DeprecationWarning"):
        config.addinivalue_line("filterwarnings", f"ignore::{warning}")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """For the report that the compatibility table is made of."""
    for item in items:
        item.user_properties += [(mark.args[1], mark.args[0]) for mark in item.iter_markers("method")]


@dataclass(frozen=True)
class Person:
    """Somebody with a confirmed account, signed in with a client of their own."""

    client: Client
    id: str
    email: str

    @property
    def session(self) -> Session:
        session = self.client.auth.get_session()
        assert session is not None
        return session

    def lives(self, token: str) -> bool:
        """Whether the server still knows the session of this token."""
        return stack.answer_of("/auth/v1/user", token).status_code == 200


@pytest.fixture
def new_client() -> Iterator[Callable[..., Client]]:
    """Makes clients: `flow_type`, `storage` and `key` are up to the test."""
    with ExitStack() as opened:

        def build(key: str = "publishable_key", **options: object) -> Client:
            run, http = stack.run(), opened.enter_context(httpx.Client())
            chosen = ClientOptions(auto_refresh_token=False, httpx_client=http, **options)  # type: ignore[arg-type]
            return create_client(run["url"], run[key], chosen)

        yield build


@pytest.fixture
def client(new_client: Callable[..., Client]) -> Client:
    return new_client(flow_type="implicit")


@pytest.fixture
def pkce_client(new_client: Callable[..., Client]) -> Client:
    return new_client(flow_type="pkce")


@pytest.fixture
def server(new_client: Callable[..., Client]) -> Client:
    """A client with the rights of the server."""
    return new_client("secret_key")


@pytest.fixture
def new_person(new_client: Callable[..., Client], server: Client) -> Callable[[], Person]:
    def build() -> Person:
        client, email = new_client(flow_type="implicit"), stack.new_address()
        created = server.auth.admin.create_user(
            {
                "email": email,
                "password": PASSWORD,
                "email_confirm": True,
                "user_metadata": {"full_name": "Giulia Ferri"},
            }
        )
        client.auth.sign_in_with_password({"email": email, "password": PASSWORD})
        return Person(client, created.user.id, email)

    return build


@pytest.fixture
def person(new_person: Callable[[], Person]) -> Person:
    return new_person()


@pytest.fixture(scope="module")
def openid() -> Iterator[OpenId]:
    with running() as provider:
        yield provider
