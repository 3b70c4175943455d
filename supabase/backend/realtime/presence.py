"""Keep the members of a channel, with key and metas, of this process and of the others (REALTIME-05)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any
from uuid import UUID

from backend.realtime import frames

# A meta as JSON: parsed it would take many times the memory.
Meta = str
State = dict[str, list[Meta]]
Place = tuple[str, bool]


class Presence:
    """The members of every channel. `node` None stands for this process; a member is known by its phx_ref."""

    def __init__(self) -> None:
        self._members: dict[Place, dict[str, tuple[str, Meta, UUID | None]]] = {}

    def state(self, place: Place) -> State:
        """Everybody."""
        return _grouped((key, meta) for key, meta, _ in self._members.get(place, {}).values())

    def join(self, place: Place, ref: str, key: str, meta: Mapping[str, Any], node: UUID | None = None) -> State:
        """Adds a member; returns the joins of the diff."""
        marked = frames.compact({**meta, "phx_ref": ref})
        self._members.setdefault(place, {})[ref] = (key, marked, node)
        return _grouped([(key, marked)])

    def leave(self, place: Place, ref: str) -> State:
        """Removes a member; returns the leaves of the diff, empty when there was none."""
        members = self._members.get(place, {})
        found = members.pop(ref, None)
        if not members:
            self._members.pop(place, None)
        return {} if found is None else _grouped([(found[0], found[1])])

    def of_node(self, node: UUID | None) -> Iterator[tuple[Place, str, str, Meta]]:
        """Place, ref, key and meta of every member of one process."""
        for place, members in list(self._members.items()):
            for ref, (key, meta, home) in list(members.items()):
                if home == node:
                    yield place, ref, key, meta


def _grouped(members: Iterable[tuple[str, Meta]]) -> State:
    state: State = {}
    for key, meta in members:
        state.setdefault(key, []).append(meta)
    return state


def written(state: State) -> str:
    """As the protocol says it, in JSON."""
    members = (f'{frames.compact(key)}:{{"metas":[{",".join(metas)}]}}' for key, metas in state.items())
    return "{" + ",".join(members) + "}"


def shown(meta: Meta) -> dict[str, Any]:
    """What the member itself gave."""
    return {name: value for name, value in json.loads(meta).items() if name != "phx_ref"}
