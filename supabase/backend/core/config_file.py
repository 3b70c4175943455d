"""Reads a TOML table into frozen dataclasses: unknown keys, wrong types and missing secrets are refused with the line.

All that is wrong is said at once; keys of the Supabase CLI that have no effect here are named in one warning.

Values are `env(NAME)` for secrets and may be overridden by `SUPABASE_<SECTION>_<KEY>`, as the Supabase CLI does it.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import timedelta
from pathlib import Path
from types import UnionType
from typing import Any, Literal, TypeVar, cast, get_args, get_origin, get_type_hints

from backend.core.config_storage import ByteSize, byte_size

logger = logging.getLogger("backend.config")

_T = TypeVar("_T")

# Keys that only the CLI's own commands need.
CLI_ONLY = frozenset(("db.shadow_port", "db.major_version", "db.migrations", "db.seed"))
# By table: keys of the CLI (pkg/config/config.go of supabase/cli) for what is not built here, or is always on.
UNUSED: Mapping[str, frozenset[str]] = {
    table: frozenset(keys.split())
    for table, keys in {
        "": "analytics experimental inbucket remotes studio",
        "api": "auto_expose_new_tables enabled tls",
        "auth": "anon_key captcha enabled service_role_key third_party web3",
        "auth.email": "enable_signup",
        "auth.sms": "enable_signup messagebird textlocal twilio_verify vonage",
        "db": "health_timeout network_restrictions orioledb_version password pooler root_key settings ssl_enforcement "
        "vault",
        "edge_runtime": "deno_version inspector_port",
        "functions.*": "entrypoint env import_map static_files",
        "local_smtp": "enabled pop3_port",
        "realtime": "ip_version max_header_length",
        "storage": "analytics s3_protocol vector",
    }.items()
}


class ConfigError(Exception):
    """The settings cannot be used; the message names file, line and key."""


@dataclass(frozen=True)
class Source:
    """The file's text and where its values may come from instead; `name` is what complaints call it."""

    name: str
    text: str
    environ: Mapping[str, str]
    root: Path
    # The variables that settings have asked for.
    asked: set[str] = field(default_factory=set)
    # All that is wrong, and the keys that have no effect here.
    problems: list[ConfigError] = field(default_factory=list)
    unused: list[str] = field(default_factory=list)

    def error(self, path: tuple[str, ...], problem: str) -> ConfigError:
        """Return the error for one key, with its line: tomllib itself keeps no positions."""
        return ConfigError(f"{self.name}:{self.line(path)}: {'.'.join(path)} {problem}")

    def override(self, path: tuple[str, ...]) -> str | None:
        return self.variable("_".join(("SUPABASE", *path)).upper())

    def variable(self, name: str) -> str | None:
        self.asked.add(name)
        return self.environ.get(name)

    def refuse_unknown(self, *prefixes: str) -> None:
        """Refuse variables that start like an override but name no setting; call it when all settings are read."""
        for name in sorted(self.environ.keys() - self.asked):
            if name.startswith(prefixes):
                self.problems.append(ConfigError(f"{name}: is not a known setting of {self.name}"))

    def finish(self) -> None:
        """Raise one ConfigError with all that is wrong; warn of what has no effect."""
        if self.problems:
            raise ConfigError("\n".join(str(problem) for problem in self.problems))
        if self.unused:
            logger.warning("%s: has no effect here: %s", self.name, ", ".join(self.unused))

    def line(self, path: tuple[str, ...]) -> int:
        section: tuple[str, ...] = ()
        best = 1
        for number, line in enumerate(self.text.splitlines(), start=1):
            if header := re.match(r"\s*\[([^\[\]]+)\]", line):
                section = tuple(part.strip().strip("\"'") for part in header[1].split("."))
                if section == path[: len(section)]:
                    best = number
            elif pair := re.match(r"\s*([\w.\"'-]+)\s*=", line):
                key = (*section, *(part.strip("\"'") for part in pair[1].split(".")))
                if key == path[: len(key)]:
                    return number
        return best


def section(cls: type[_T], table: Any, path: tuple[str, ...], source: Source, *, active: bool = True) -> _T:
    """One table as its dataclass; `active` is False below `enabled = false`, where secrets may be missing.

    What is wrong goes to `source.problems`, and the setting keeps its default.
    """
    if not isinstance(table, dict):
        source.problems.append(source.error(path, "must be a table"))
        table = {}
    hints = get_type_hints(cls)
    known = {str(each.metadata.get("key", each.name)): each.name for each in fields(cast(Any, cls))}
    unused = UNUSED.get("functions.*" if path[:1] == ("functions",) else ".".join(path), ())
    for key in (key for key in table if key not in known):
        name = ".".join((*path, key))
        if key in unused:
            source.unused.append(name)
        elif name not in CLI_ONLY:
            source.problems.append(source.error((*path, key), "is not a known setting"))
    if "enabled" in known:
        active = active and _is_on(table, path, source)
    values: dict[str, Any] = {}
    for key, name in known.items():
        hint, place = hints[name], (*path, key)
        if is_dataclass(hint):
            values[name] = section(cast(type[Any], hint), table.get(key, {}), place, source, active=active)
        elif get_origin(hint) is Mapping:
            values[name] = _named(get_args(hint)[1], table.get(key, {}), place, source)
        elif key in table or source.override(place) is not None:
            try:
                values[name] = _leaf(hint, table.get(key), place, source, active)
            except ConfigError as error:
                source.problems.append(error)
    return cls(**values)


def _is_on(table: dict[str, Any], path: tuple[str, ...], source: Source) -> bool:
    try:
        return bool(_leaf(bool, table.get("enabled", True), (*path, "enabled"), source, active=True))
    except ConfigError:
        return True  # what is wrong with it is found with the other settings


def _named(cls: type[_T], table: Any, path: tuple[str, ...], source: Source) -> dict[str, _T]:
    """Read a table of tables or of texts whose names are free, such as the templates."""
    if not isinstance(table, dict):
        source.problems.append(source.error(path, "must be a table"))
        return {}
    if cls is str:
        # A secret that is not set is empty: who needs it says so when it does.
        texts = {}
        for name, content in table.items():
            try:
                texts[name] = _leaf(cls, content, (*path, name), source, active=False)
            except ConfigError as error:
                source.problems.append(error)
        return texts
    return {name: section(cls, content, (*path, name), source) for name, content in table.items()}


def _leaf(hint: Any, value: Any, path: tuple[str, ...], source: Source, active: bool) -> Any:
    """One value, checked against its type; the environment wins over the file."""
    override = source.override(path)
    if override is not None:
        value = override
    elif isinstance(value, str) and (secret := re.fullmatch(r"env\((\w+)\)", value)):
        value = source.variable(secret[1])
        if value is None and active:
            raise source.error(path, f"needs the environment variable {secret[1]}")
        value = value or ""
    try:
        return _convert(hint, value, source.root, from_text=override is not None)
    except ValueError as error:
        raise source.error(path, f"must be {error}") from error


def _convert(hint: Any, value: Any, root: Path, *, from_text: bool) -> Any:
    """Convert a value to the type of its setting. Raises ValueError with what was expected."""
    if get_origin(hint) is UnionType:
        hint = next(part for part in get_args(hint) if part is not type(None))
    if from_text and hint is bool:
        value = {"true": True, "1": True, "false": False, "0": False}.get(value.lower(), value)
    if from_text and hint is int and re.fullmatch(r"\d+", value):
        value = int(value)
    if get_origin(hint) is tuple:
        items = [part.strip() for part in value.split(",") if part.strip()] if from_text else value
        if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
            raise ValueError("a list of texts")
        return tuple(items)
    if get_origin(hint) is Literal:
        if value not in get_args(hint):
            raise ValueError("one of " + ", ".join(repr(choice) for choice in get_args(hint)))
        return value
    if hint is int and (type(value) is not int or value < 0):
        raise ValueError("a whole number")
    if hint is bool and type(value) is not bool:
        raise ValueError("true or false")
    if hint in (str, Path, *WRITTEN_OUT) and not isinstance(value, str):
        raise ValueError("a text")
    if hint in WRITTEN_OUT:
        return WRITTEN_OUT[hint](value)
    return root / value if hint is Path else value


def _duration(text: str) -> timedelta:
    """Go's notation of durations: 60s, 1h30m, 500ms."""
    units = {"h": "hours", "m": "minutes", "s": "seconds", "ms": "milliseconds"}
    parts = re.findall(r"(\d+)(ms|h|m|s)", text)
    if not parts or "".join(number + unit for number, unit in parts) != text:
        raise ValueError('a duration such as "60s" or "1h30m"')
    return sum((timedelta(**{units[unit]: int(number)}) for number, unit in parts), timedelta())


# What the file writes as a text with a unit.
WRITTEN_OUT: Mapping[Any, Callable[[str], Any]] = {timedelta: _duration, ByteSize: byte_size}
