"""The rows and requests of the storage service, as frozen dataclasses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from asyncpg import Record

from backend.storage.backends import Written


@dataclass(frozen=True)
class Bucket:
    """A row of storage.buckets."""

    id: str
    name: str
    public: bool
    file_size_limit: int | None
    allowed_mime_types: tuple[str, ...] | None
    type: str
    created_at: datetime
    updated_at: datetime
    owner_id: str | None

    @classmethod
    def of(cls, row: Record) -> Bucket:
        mimes = row["allowed_mime_types"]
        fields = {name: row[name] for name in cls.__dataclass_fields__ if name != "allowed_mime_types"}
        return cls(**fields, allowed_mime_types=None if mimes is None else tuple(mimes))

    def json(self) -> dict[str, Any]:
        """Return the bucket as the API shows it (STORAGE-02)."""
        return {
            "id": self.id,
            "name": self.name,
            "owner": self.owner_id or "",
            "public": self.public,
            "type": self.type,
            "file_size_limit": self.file_size_limit,
            "allowed_mime_types": None if self.allowed_mime_types is None else list(self.allowed_mime_types),
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
        }


@dataclass(frozen=True)
class Object:
    """A row of storage.objects; `metadata` is the service's, `user_metadata` the person's."""

    id: UUID
    bucket_id: str
    name: str
    owner_id: str | None
    version: str
    metadata: Mapping[str, Any]
    user_metadata: Mapping[str, Any] | None
    created_at: datetime
    updated_at: datetime
    last_accessed_at: datetime

    @classmethod
    def of(cls, row: Record) -> Object:
        fields = {name: row[name] for name in cls.__dataclass_fields__}
        return cls(**{**fields, "metadata": row["metadata"] or {}, "version": row["version"] or ""})

    @property
    def etag(self) -> str:
        return str(self.metadata.get("eTag", '""'))

    @property
    def mime_type(self) -> str:
        return str(self.metadata.get("mimetype", "application/octet-stream"))

    @property
    def cache_control(self) -> str:
        return str(self.metadata.get("cacheControl", "no-cache"))

    @property
    def size_bytes(self) -> int:
        return int(self.metadata.get("size", 0))

    def row_json(self) -> dict[str, Any]:
        """The full row, as remove and copy answer it."""
        return {
            "bucket_id": self.bucket_id,
            "name": self.name,
            "id": str(self.id),
            "owner": self.owner_id,
            "owner_id": self.owner_id,
            "version": self.version,
            "created_at": instant(self.created_at),
            "updated_at": instant(self.updated_at),
            "last_accessed_at": instant(self.last_accessed_at),
            "metadata": dict(self.metadata),
            "user_metadata": None if self.user_metadata is None else dict(self.user_metadata),
        }

    def info_json(self) -> dict[str, Any]:
        """As info() shows it; `metadata` is the person's there."""
        return {
            "id": str(self.id),
            "name": self.name,
            "version": self.version,
            "bucket_id": self.bucket_id,
            "size": self.size_bytes,
            "content_type": self.mime_type,
            "cache_control": self.cache_control,
            "etag": self.etag,
            "metadata": dict(self.user_metadata or {}),
            "last_modified": instant(self.updated_at),
            "created_at": instant(self.created_at),
        }


@dataclass(frozen=True)
class Upload:
    """What is to become an object: where it goes and what the sender says about it."""

    bucket: str
    name: str
    mime_type: str
    cache_control: str = "no-cache"
    user_metadata: Mapping[str, Any] | None = None
    upsert: bool = False
    owner_id: str | None = None

    def metadata(self, written: Written, mime_type: str, now: datetime) -> dict[str, Any]:
        """The service's metadata of the finished object, in upstream's keys."""
        return {
            "eTag": f'"{written.etag}"',
            "size": written.size_bytes,
            "mimetype": mime_type,
            "cacheControl": self.cache_control,
            "lastModified": instant(now),
            "contentLength": written.size_bytes,
            "httpStatusCode": 200,
            "sha256": written.sha256,
        }


def instant(moment: datetime) -> str:
    """A time as JavaScript writes it."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
