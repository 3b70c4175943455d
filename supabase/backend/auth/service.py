"""What the handlers share beside the process's resources: the hashing threads and the mail templates."""

from __future__ import annotations

from dataclasses import dataclass

from starlette.requests import Request

from backend.auth import redirects
from backend.auth.hash_costs import HashCosts
from backend.auth.mails import Post, Templates
from backend.auth.passwords import Passwords
from backend.auth.providers.talk import Providers
from backend.core import http
from backend.core.config import Settings


@dataclass(frozen=True)
class Service:
    """One auth service of one process."""

    passwords: Passwords
    hash_costs: HashCosts
    templates: Templates
    providers: Providers


def create(settings: Settings) -> Service:
    """Raises ConfigError for a template that cannot be read, or a provider that cannot be used."""
    passwords = Passwords()
    return Service(passwords, HashCosts(passwords), Templates(settings), Providers(settings.auth))


def of(request: Request) -> Service:
    """The service that routed this request."""
    found: Service = request.app.state.service
    return found


def post(request: Request) -> Post:
    """The mails this request may send; their links come back to its checked `redirect_to`."""
    resources = http.resources(request)
    network = http.place_of(http.client_ip(request, resources.settings))
    target = redirects.target(request, resources.settings.auth)
    return Post(of(request).templates, resources, target, network=network)
