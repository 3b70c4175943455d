-- Restore tests: what a backup brought back, and what a stranger reached in it (functions/jobs/backups.py).

create table private.restore_tests (
  id uuid not null default gen_random_uuid() primary key,
  tested_at timestamptz not null,
  backup_made_at timestamptz not null,
  -- Counts and names of tables, never a row.
  content jsonb not null,
  signature text not null,

  constraint content_is_object check (jsonb_typeof(content) = 'object')
);
comment on table private.restore_tests is 'Tests of backups: restored into a scratch database, compared, and tried by a stranger.';
comment on column private.restore_tests.signature is 'Ed25519, hexadecimal, of the content as sorted JSON.';
create index restore_tests_newest on private.restore_tests (tested_at desc);
alter table private.restore_tests enable row level security;

create function private.keep_restore_test(_content jsonb, _signature text)
  returns void
  language sql volatile security definer
  set search_path = ''
as $$
  insert into private.restore_tests (tested_at, backup_made_at, content, signature)
  values ((_content ->> 'tested_at')::timestamptz, (_content ->> 'backup_made_at')::timestamptz, _content, _signature)
$$;
comment on function private.keep_restore_test(jsonb, text) is 'Keep the outcome of a restore test with its signature.';
revoke all on function private.keep_restore_test from public, anon, authenticated, service_role;
grant execute on function private.keep_restore_test to service_role;

create function private.newest_restore_tests(_most integer)
  returns setof private.restore_tests
  language sql stable security definer
  set search_path = ''
as $$
  select * from private.restore_tests order by tested_at desc limit _most
$$;
comment on function private.newest_restore_tests(integer) is 'The newest restore tests.';
revoke all on function private.newest_restore_tests from public, anon, authenticated, service_role;
grant execute on function private.newest_restore_tests to service_role;

create function public.admin_ask_for_restore_test(_reason text)
  returns void
  language plpgsql volatile security definer
  set search_path = ''
  set statement_timeout = '3s'
as $$
begin
  perform private.require_admin();
  perform private.log_admin_action('backup.test', 'restore_tests', null, null, null, _reason);
end
$$;
comment on function public.admin_ask_for_restore_test(text) is
  'Note who wants a restore test and why, for admins; the function restore_test then has it made.';
revoke all on function public.admin_ask_for_restore_test from public, anon, authenticated, service_role;
grant execute on function public.admin_ask_for_restore_test to authenticated;
