"""Warm functions up in the background once the server is ready, so that the first request does not wait."""

from __future__ import annotations

from backend.core.resources import Resources
from backend.edge.api import Context
from backend.edge.loader import Loader, canonical


def start(resources: Resources, loader: Loader) -> None:
    """Start the `warm_up` of every function that defines one; a failure is logged and nothing else."""
    off = {canonical(slug) for slug, function in resources.settings.functions.items() if not function.enabled}
    for slug in loader.functions_with("warm_up"):
        if slug not in off:
            resources.background.start(_warm_up(resources, loader, slug))


async def _warm_up(resources: Resources, loader: Loader, slug: str) -> None:
    context = Context(slug, {"role": "service_role"}, "", resources, resources.keys.secret_key)
    await loader.function(slug).warm_up(context)
