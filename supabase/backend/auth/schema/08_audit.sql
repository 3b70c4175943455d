-- What happened (audit), and two tables that only compatibility asks for.

create table if not exists auth.audit_log_entries (
  instance_id uuid,
  id uuid not null primary key,
  payload json,
  created_at timestamptz,
  ip_address varchar(64) not null default ''
);

comment on table auth.audit_log_entries is 'Auth: Audit trail for user actions.';

create index if not exists audit_logs_instance_id_idx on auth.audit_log_entries (instance_id);
-- Ours: the admin page reads the newest first.
create index if not exists audit_logs_created_at_idx on auth.audit_log_entries (created_at desc);

-- Unused upstream too; tools that read a Supabase database expect it.
create table if not exists auth.instances (
  id uuid not null primary key,
  uuid uuid,
  raw_base_config text,
  created_at timestamptz,
  updated_at timestamptz
);

comment on table auth.instances is 'Auth: Manages users across multiple sites.';

-- Upstream's own migration list: stays empty here, so that upstream started on this database applies all of its own.
create table if not exists auth.schema_migrations (
  version varchar(255) not null primary key
);

comment on table auth.schema_migrations is 'Auth: Manages updates to the auth system.';
