"""Finds a function by its slug and imports it the first time it is called."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.responses import Response

from backend.edge.api import Call

Handle = Callable[[Call], Awaitable[Response]]

# Names with an underscore in front are shared modules, no functions.
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")


class UnknownFunction(Exception):
    """No function of this slug."""


class Loader:
    """The functions of one folder, each loaded once."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self._loaded: dict[str, Handle] = {}

    def find(self, slug: str) -> Handle:
        """The function's entry. Raises UnknownFunction, and whatever the function's module raises on import."""
        if slug not in self._loaded:
            self._loaded[slug] = self._load(slug)
        return self._loaded[slug]

    def _load(self, slug: str) -> Handle:
        if not _SLUG.fullmatch(slug):
            raise UnknownFunction(slug)
        name = slug.replace("-", "_")
        path = next((path for path in self._places(name) if path.is_file()), None)
        if path is None:
            raise UnknownFunction(slug)
        qualified = f"functions.{name}"
        spec = importlib.util.spec_from_file_location(qualified, path)
        if spec is None or spec.loader is None:
            raise UnknownFunction(slug)
        module = importlib.util.module_from_spec(spec)
        # Known before it runs, so that a folder's modules find each other.
        sys.modules[qualified] = module
        try:
            spec.loader.exec_module(module)
        except BaseException:
            del sys.modules[qualified]
            raise
        handle = getattr(module, "handle", None)
        if handle is None:  # a folder of something else, such as the jobs
            raise UnknownFunction(slug)
        entry: Handle = handle
        return entry

    def _places(self, name: str) -> tuple[Path, Path]:
        return self._directory / f"{name}.py", self._directory / name / "__init__.py"
