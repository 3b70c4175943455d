"""Reading an archive of a person's data (personal_archive) and making its rows those of another account.

Every row gets a new id, made of the new owner's and of the old one: the same archive brings the same ids again, and
what is brought into two accounts does not clash. An id is replaced wherever it stands, also within links and JSON; ids
that mail servers know stay as they are.
"""

from __future__ import annotations

import hashlib
import json
import re
import zipfile
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Any
from uuid import UUID, uuid5

from functions._shared import personal_data
from functions._shared.archives import DIGESTS
from functions._shared.personal_archive import ACCOUNT, BUCKETS, FILES, INDEX, VERSION, entry_of

Row = dict[str, Any]

# What an archive may unfold to: a small one could hold a bomb.
MOST_TABLE_BYTES = 8 * 2**30
MOST_FILE_BYTES = 64 * 2**20
MOST_LINE_BYTES = 32 * 2**20
MOST_FILES = 200_000
ROWS_A_TURN, BYTES_A_TURN = 500, 4 * 2**20
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Names that mail servers and others know a thing by.
KNOWN_OUTSIDE = frozenset({"message_id", "reference_ids", "envelope_id", "identifier", "external_id", "refers_to"})
# The tables of the archive that come back, with their places in it.
PLACES: dict[str, str] = {
    table: entry_of(place, table, "json")
    for place, tables in personal_data.EXPORTED.items()
    for table in tables
    if table not in personal_data.NOT_RESTORED
}


class Unusable(Exception):
    """An archive that cannot be brought in; the text says in Italian why and what to do."""


NOT_OURS = "Questo file non è un archivio scaricato da Socio: scegli lo ZIP di «Scarica i tuoi dati»"
DAMAGED = "L’archivio è danneggiato o è stato modificato: scaricalo di nuovo e riprova"
INCOMPLETE = "Nell’archivio manca una parte dei dati: scaricali tutti e riprova"
NEWER = "L’archivio viene da una versione più nuova di Socio: aggiorna questa e riprova"
USED = "Questo account contiene già dei dati: importa l’archivio in un account nuovo"
TOO_LARGE = "L’archivio è troppo grande per essere importato: scrivici"


@dataclass(frozen=True)
class Shape:
    """Of a table: columns with ids, columns that point to rows of the same table, tables that come first."""

    ids: frozenset[str]
    own_ids: tuple[str, ...]
    needs: frozenset[str]


@dataclass(frozen=True)
class StoredFile:
    """A file of the archive, and where it belongs in the storage."""

    entry: str
    bucket: str
    name: str
    mime: str


@dataclass
class Opened:
    """An archive whose tables lie unpacked in a folder, one row a line, with their digests compared."""

    archive: zipfile.ZipFile
    folder: Path
    owner: str
    ids: set[str] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=dict)
    files: list[StoredFile] = field(default_factory=list)
    digests: dict[str, str] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows come back."""
        return sum(self.counts.values())

    def unpack(self, stored: StoredFile) -> bytes:
        """Return the bytes of a file. Raises Unusable."""
        try:
            with self.archive.open(stored.entry) as entry:
                content = entry.read(MOST_FILE_BYTES + 1)
        except (zipfile.BadZipFile, KeyError, OSError, NotImplementedError, RuntimeError) as error:
            raise Unusable(DAMAGED) from error
        if len(content) > MOST_FILE_BYTES:
            raise Unusable(TOO_LARGE)
        if hashlib.sha256(content).hexdigest() != self.digests.get(stored.entry):
            raise Unusable(DAMAGED)
        return content

    def batches(self, table: str, shape: Shape, convert: Callable[[Row], Row]) -> Iterator[list[Row]]:
        """Give the rows of a table for an insert, those that others of the table point to first. Raises Unusable."""
        batch: list[Row] = []
        size = 0
        with (self.folder / table).open("rb") as lines:
            for offset in self._order(table, shape):
                if offset is not None:
                    lines.seek(offset)
                line = lines.readline()
                batch.append(convert(json.loads(line)))
                size += len(line)
                if len(batch) >= ROWS_A_TURN or size >= BYTES_A_TURN:
                    yield batch
                    batch, size = [], 0
        if batch:
            yield batch

    def _order(self, table: str, shape: Shape) -> Iterator[int | None]:
        """Give the place of each row in its file, None for the next one."""
        if not shape.own_ids:
            yield from [None] * self.counts[table]
            return
        offsets: dict[str, int] = {}
        first: dict[str, list[str]] = {}
        with (self.folder / table).open("rb") as lines:
            while True:
                offset = lines.tell()
                line = lines.readline()
                if not line:
                    break
                row = json.loads(line)
                offsets[row["id"]] = offset
                first[row["id"]] = [row[column] for column in shape.own_ids if row.get(column)]
        try:
            yield from (offsets[each] for each in TopologicalSorter(first).static_order() if each in offsets)
        except CycleError as error:
            raise Unusable(DAMAGED) from error


def opened(path: Path, folder: Path) -> Opened:
    """Open an archive and unpack its tables into the folder. Raises Unusable."""
    try:
        archive = zipfile.ZipFile(path)
        names = set(archive.namelist())
        if len(names) > MOST_FILES or not {DIGESTS, INDEX} <= names:
            raise Unusable(NOT_OURS)
        found = Opened(archive, folder, "", digests=_digests(archive))
        if json.loads(_small(found, INDEX))["version"] > VERSION:
            raise Unusable(NEWER)
        if not {ACCOUNT, *PLACES.values()} <= names:
            raise Unusable(INCOMPLETE)
        found.owner = str(UUID(json.loads(_small(found, ACCOUNT))["account"]["id"]))
        room = MOST_TABLE_BYTES
        for table, place in PLACES.items():
            room -= _unpack(found, table, place, room)
        if FILES in names:
            found.files = [
                StoredFile(str(each["file"]), str(each["bucket"]), str(each["name"]), str(each["mime"]))
                for each in json.loads(_small(found, FILES))
            ]
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError, OSError, NotImplementedError, RuntimeError) as error:
        raise Unusable(DAMAGED if zipfile.is_zipfile(path) else NOT_OURS) from error
    return found


def _digests(archive: zipfile.ZipFile) -> dict[str, str]:
    with archive.open(DIGESTS) as entry:
        lines = entry.read(MOST_LINE_BYTES).decode().splitlines()
    return {name: digest for digest, _, name in (line.partition("  ") for line in lines)}


def _small(found: Opened, name: str) -> bytes:
    with found.archive.open(name) as entry:
        content = entry.read(MOST_FILE_BYTES)
    if hashlib.sha256(content).hexdigest() != found.digests.get(name):
        raise Unusable(DAMAGED)
    return content


def _unpack(found: Opened, table: str, place: str, most_bytes: int) -> int:
    """Write a table as one row a line; return how many bytes it has."""
    digest, size = hashlib.sha256(), 0
    found.counts[table] = 0
    with found.archive.open(place) as entry, (found.folder / table).open("wb") as lines:
        while line := entry.readline(MOST_LINE_BYTES):
            digest.update(line)
            size += len(line)
            if size > most_bytes:
                raise Unusable(TOO_LARGE)
            text = line.strip().rstrip(b",")
            if text in (b"[", b"]", b""):
                continue
            row = json.loads(text)
            if isinstance(row.get("id"), str) and ID.fullmatch(row["id"]):
                found.ids.add(row["id"])
            found.counts[table] += 1
            lines.write(text + b"\n")
    if digest.hexdigest() != found.digests.get(place):
        raise Unusable(DAMAGED)
    return size


def in_order(shapes: Mapping[str, Shape]) -> list[str]:
    """Sort the tables: each comes after those it refers to."""
    return list(TopologicalSorter({table: sorted(shape.needs) for table, shape in shapes.items()}).static_order())


@dataclass(frozen=True)
class NewIds:
    """The ids of an archive's rows in the account they are brought into."""

    old_owner: str
    new_owner: UUID
    known: Collection[str]

    def of(self, old: str) -> str:
        """Return the new id of a row, or of one that is not there any more."""
        return str(self.new_owner if old == self.old_owner else uuid5(self.new_owner, old))

    def text(self, text: str) -> str:
        """Replace every id of the archive in a text."""
        return ID.sub(lambda found: self.of(found[0]) if self._is_known(found[0]) else found[0], text)

    def row(self, row: Row, ids: Collection[str]) -> Row:
        """Return the row with new ids; `ids` are its columns that hold some."""
        return {name: self._value(name, value, ids) for name, value in row.items() if name != "user_id"}

    def _value(self, name: str, value: Any, ids: Collection[str]) -> Any:
        if value is None:
            return value
        if name in ids:
            return [self.of(each) for each in value] if isinstance(value, list) else self.of(value)
        if name in KNOWN_OUTSIDE:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, (dict, list)):
            return json.loads(self.text(json.dumps(value)))
        return value

    def _is_known(self, old: str) -> bool:
        return old == self.old_owner or old in self.known

    def place(self, stored: StoredFile) -> str | None:
        """Return where a file goes, in the folder of the new owner; None when it belongs nowhere."""
        folder, _, rest = stored.name.partition("/")
        parts = rest.split("/")
        if stored.bucket not in BUCKETS or folder != self.old_owner or not all(parts) or {".", ".."} & set(parts):
            return None
        return f"{self.new_owner}/{self.text(rest)}"


def at_rest(table: str, row: Row, now: datetime) -> Row:
    """Return the row as it may stand in another account: nothing of it is under way, and nothing leaves."""
    change = _AT_REST.get(table)
    return row if change is None else row | change(row, now.isoformat())


def _unsent(row: Row, _now: str) -> Row:
    states = {"queued": "cancelled", "sending": "uncertain"}
    return {"state": states.get(row["state"], row["state"]), "leased_until": None}


def _unsent_message(row: Row, now: str) -> Row:
    media = {"media_state": "scollegato"} if row.get("media_state") == "attesa" else {}
    is_unheard = row.get("transcript_state") == "attesa"
    unheard = {"transcript_state": "fallito", "transcript_error": "interrotto"} if is_unheard else {}
    return _unsent(row, now) | media | unheard


def _stopped(row: Row, now: str) -> Row:
    if row["status"] not in ("queued", "streaming"):
        return {}
    return {"status": "stopped", "finished_at": row["finished_at"] or now}


def _decided(row: Row, _now: str) -> Row:
    # An undo would be done with rows as they were.
    state = "expired" if row["state"] in ("proposed", "approved", "edited") else row["state"]
    return {"state": state, "undo": None, "undo_until": None}


def _finished(row: Row, now: str) -> Row:
    return {"state": "fatto", "finished_at": now} if row["state"] == "in_corso" else {}


def _pair(row: Row, _now: str) -> Row:
    # The smaller id comes first; new ids have another order.
    return dict(zip(("a_id", "b_id"), sorted((row["a_id"], row["b_id"])), strict=True))


def _without_password(row: Row, now: str) -> Row:
    if row.get("is_shared"):
        return {}
    expired = {"login_expired_at": now} if row.get("provider") else {}
    return {"last_error": "auth", "last_error_reply": None, "last_error_at": now, **expired}


_AT_REST: Mapping[str, Callable[[Row, str], Row]] = {
    "public.contact_distinct": _pair,
    "public.outgoing_mails": _unsent,
    "public.whatsapp_messages": _unsent_message,
    "public.messages": _stopped,
    "public.tool_calls": _decided,
    "public.import_batches": _finished,
    "public.mail_accounts": _without_password,
    "public.mail_inboxes": _without_password,
}
# What an account says of itself only.
OF_THE_ACCOUNT: Mapping[str, Sequence[str]] = {
    "public.profiles": ("created_at", "deletion_due_at", "limited_since"),
}


def converted(table: str, row: Row, shape: Shape, ids: NewIds, now: datetime) -> Row:
    """Return a row of the archive as it is written into the new account."""
    kept = {name: value for name, value in row.items() if name not in OF_THE_ACCOUNT.get(table, ())}
    return at_rest(table, ids.row(kept, shape.ids), now)
