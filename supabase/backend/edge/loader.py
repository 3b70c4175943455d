"""Finds a function or job by its name and imports it: once, or in development again when its file has changed."""

from __future__ import annotations

import importlib.util
import logging
import re
import sys
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

from backend.edge.errors import BootError, UnknownFunction

logger = logging.getLogger("backend.edge")

# Names with an underscore in front are shared modules, no functions.
_SLUG = re.compile(r"[a-z0-9][a-z0-9_-]{0,62}")
SHARED = "_shared"
JOBS = "jobs"

# Which files a module is made of, and when each was last written.
Signature = tuple[tuple[Path, int], ...]
Handler = Callable[..., Awaitable[Any]]


@dataclass(frozen=True)
class Loaded:
    """A module as it was last seen; `module` is the last good one, `fault` what is wrong with the newest."""

    signature: Signature
    module: ModuleType | None
    fault: Exception | None = None


def canonical(slug: str) -> str:
    """The one spelling of a function's name: its module's, which has no hyphens."""
    return slug.replace("-", "_")


class Loader:
    """The functions of some folders. With `reload` each call looks whether the function's files have changed.

    A changed file that cannot be loaded is told in the log once, and the last good version goes on. Without, a file is
    imported once in the life of the process, whoever asks for it.
    """

    def __init__(self, folders: tuple[Path, ...], *, reload: bool) -> None:
        self._folders = folders
        self._reload = reload
        self._loaded: dict[str, Loaded] = {}

    def function(self, slug: str) -> ModuleType:
        """The module of a function. Raises UnknownFunction, BootError."""
        if not _SLUG.fullmatch(slug) or slug == JOBS:
            raise UnknownFunction(slug)
        return self._find(canonical(slug))

    def job(self, name: str) -> ModuleType:
        """The module of a job. Raises UnknownFunction, BootError."""
        return self._find(f"{JOBS}.{name}")

    def jobs(self) -> list[str]:
        """The names of the product's jobs."""
        found = {path.stem for folder in self._folders for path in (folder / JOBS).glob("[a-z]*.py")}
        return sorted(found)

    def functions_with(self, name: str) -> list[str]:
        """List the functions whose file defines the coroutine `name`, without importing them."""
        definition = re.compile(rf"^async def {name}\(", re.MULTILINE)
        found = set[str]()
        for folder in self._folders:
            for path in (*folder.glob("[a-z0-9]*.py"), *folder.glob("[a-z0-9]*/__init__.py")):
                if definition.search(path.read_text()):
                    found.add(path.stem if path.parent == folder else path.parent.name)
        return sorted(found - {JOBS})

    def _find(self, name: str) -> ModuleType:
        known = self._loaded.get(name)
        if known is None or self._reload:
            known = self._look(name, known)
            self._loaded[name] = known
        if known.module is None:
            raise BootError(name) from known.fault
        return known.module

    def _look(self, name: str, known: Loaded | None) -> Loaded:
        folder, path = self._place(name)
        qualified = f"functions.{name}"
        if not self._reload and (imported := sys.modules.get(qualified)) and imported.__file__ == str(path):
            return Loaded((), imported)
        signature = _signature(folder, path) if self._reload else ()
        if known is not None and known.signature == signature:
            return known
        last_good = known.module if known else None
        try:
            return Loaded(signature, _import(qualified, path, again=known is not None))
        except Exception as error:
            # Whatever it is: other functions and this one's last good version go on.
            logger.exception("a function cannot be loaded", extra={"function": name, "kept": last_good is not None})
            return Loaded(signature, last_good, error)

    def _place(self, name: str) -> tuple[Path, Path]:
        """The folder a module belongs to and its file. Raises UnknownFunction."""
        relative = Path(*name.split("."))
        for folder in self._folders:
            for path in (folder / relative.with_suffix(".py"), folder / relative / "__init__.py"):
                if path.is_file():
                    return folder, path
        raise UnknownFunction(name)


def _signature(folder: Path, path: Path) -> Signature:
    own = path.parent.rglob("*.py") if path.name == "__init__.py" else [path]
    files = sorted({*own, *(folder / SHARED).rglob("*.py")})
    return tuple((file, file.stat().st_mtime_ns) for file in files)


def _import(qualified: str, path: Path, *, again: bool) -> ModuleType:
    """A fresh module and its own submodules, the shared ones too when it is imported again.

    What was there before stays on a failure.
    """
    # Copied first: a thread of a function may be importing meanwhile. Each of `items()` would be a new tuple, and
    # making one may let that thread run.
    before = {name: module for name, module in sys.modules.copy().items() if _belongs(name, qualified, shared=again)}
    for name in before:
        del sys.modules[name]
    try:
        spec = importlib.util.spec_from_file_location(qualified, path, loader=_Source(qualified, str(path)))
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        # Known before it runs, so that a folder's modules find each other.
        sys.modules[qualified] = module
        spec.loader.exec_module(module)
        if not callable(getattr(module, "handler", None)):
            raise AttributeError("the file has no `async def handler`")
    except BaseException:
        for name in [name for name in list(sys.modules) if _belongs(name, qualified, shared=again)]:
            del sys.modules[name]
        sys.modules.update(before)
        raise
    return module


def _belongs(name: str, qualified: str, *, shared: bool) -> bool:
    roots = (qualified, f"functions.{SHARED}") if shared else (qualified,)
    return any(name == root or name.startswith(f"{root}.") for root in roots)


class _Source(SourceFileLoader):
    """Never from a cache: that one cannot tell two versions of the same length and second apart."""

    def path_stats(self, path: str) -> dict[str, Any]:  # noqa: ARG002 - importlib's
        raise OSError
