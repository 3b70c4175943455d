-- Buckets and objects, by the names and types hosted Supabase uses (STORAGE-04).
-- Idempotent: run again it changes nothing. On hosted Supabase these are there already and the folder is left out.

create schema if not exists storage;

do $$
begin
  if to_regtype('storage.buckettype') is null then
    create type storage.buckettype as enum ('STANDARD', 'ANALYTICS', 'VECTOR');
  end if;
end
$$;

create table if not exists storage.buckets (
  id text primary key,
  name text not null,
  owner uuid,
  owner_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  public boolean not null default false,
  avif_autodetection boolean not null default false,
  file_size_limit bigint check (file_size_limit > 0),
  allowed_mime_types text[],
  type storage.buckettype not null default 'STANDARD'
);
comment on column storage.buckets.owner is 'Deprecated by upstream, use owner_id.';
create unique index if not exists bname on storage.buckets (name);

create table if not exists storage.objects (
  id uuid primary key default gen_random_uuid(),
  bucket_id text not null references storage.buckets (id),
  -- C collation: prefixes are ranges, and names sort as the original sorts them.
  name text collate "C" not null,
  owner uuid,
  owner_id text,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  last_accessed_at timestamptz not null default now(),
  metadata jsonb,
  path_tokens text[] generated always as (string_to_array(name, '/')) stored,
  version text,
  user_metadata jsonb
);
comment on column storage.objects.version is 'Names the blob in the store: a uuid of our own making, new with each upload.';
comment on column storage.objects.owner is 'Deprecated by upstream, use owner_id.';
create unique index if not exists bucketid_objname on storage.objects (bucket_id, name);
create index if not exists idx_objects_bucket_id_name_lower on storage.objects (bucket_id, lower(name) collate "C");
create index if not exists idx_objects_version on storage.objects (version);

-- Ours: an account's bytes are summed at each upload, from the index alone.
alter table storage.objects add column if not exists size numeric
  generated always as (case when jsonb_typeof(metadata -> 'size') = 'number' then (metadata ->> 'size')::numeric end) stored;
create index if not exists idx_objects_owner_size on storage.objects (owner_id) include (size);
drop index if exists storage.idx_objects_owner_id;

create table if not exists storage.superfluous_blobs (
  version text primary key,
  created_at timestamptz not null default now()
);

alter table storage.buckets enable row level security;
alter table storage.objects enable row level security;
alter table storage.superfluous_blobs enable row level security;
