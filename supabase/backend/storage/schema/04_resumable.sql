-- Uploads that may be interrupted and taken up again (https://tus.io/protocols/resumable-upload). How much has arrived
-- is the length of the part file; here stands what it is to become.

create table if not exists storage.resumable_uploads (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id) on delete cascade,
  name text collate "C" not null,
  owner_id text,
  -- The blob it becomes, known from the start so that finishing can be repeated after a crash.
  version text not null default gen_random_uuid()::text,
  length_bytes bigint check (length_bytes >= 0),
  mime_type text not null,
  cache_control text not null,
  user_metadata jsonb,
  upload_metadata text not null,
  upsert boolean not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  finished_at timestamptz
);
create index if not exists resumable_uploads_bucket_id_idx on storage.resumable_uploads (bucket_id);
create index if not exists resumable_uploads_expires_at_idx on storage.resumable_uploads (expires_at);
create index if not exists resumable_uploads_unfinished_idx on storage.resumable_uploads (owner_id)
  where finished_at is null;

-- No policy on purpose: the service alone reads and writes it.
alter table storage.resumable_uploads enable row level security;
