"""Which names buckets and objects may have. Names are data of a table and never touch the file system."""

from __future__ import annotations

import re
import unicodedata

from backend.storage import errors
from backend.storage.errors import Code, StorageError

# Upstream's characters (supabase/storage: src/storage/limits.ts); beyond them we take letters of every language,
# whose refusal is an old complaint.
_PUNCTUATION = frozenset("/!-.*'()&$@=;:+,?_ ")
MAX_NAME_BYTES = 1024
MAX_BUCKET_CHARACTERS = 100
_BUCKET = re.compile(r"[\w!\-.*'()&$@=;:+,? ]+", re.ASCII)


def written(given: str) -> str:
    """A name as it would be stored, whether there may be such a one or not: in Unicode's composed form, so that è is
    one name on every machine.
    """
    return unicodedata.normalize("NFC", given).replace("\0", "")


def key(given: str) -> str:
    """The name of an object to be. Raises InvalidKey."""
    name = unicodedata.normalize("NFC", given)
    segments = name.split("/")
    sound = (
        name
        and len(name.encode("utf-8", "surrogatepass")) <= MAX_NAME_BYTES
        and all(character in _PUNCTUATION or _is_word(character) for character in name)
        and not any(segment in ("", ".", "..") for segment in segments)
    )
    if not sound:
        raise errors.bad_key(given[:200].encode("utf-8", "replace").decode())
    return name


def _is_word(character: str) -> bool:
    return (character.isascii() and character.isalnum()) or unicodedata.category(character)[0] in "LNM"


def folder(given: str) -> str:
    """A prefix to list: without slashes around it, "" for the bucket's root; one that cannot exist lists nothing."""
    return written(given).strip("/")


def bucket(given: str) -> str:
    """Raises InvalidBucketName."""
    if not _BUCKET.fullmatch(given) or len(given) > MAX_BUCKET_CHARACTERS or given != given.strip():
        raise StorageError(400, Code.INVALID_BUCKET_NAME, "Bucket name invalid", error="Invalid Input")
    return given
