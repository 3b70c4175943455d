-- Administration: who may ask, and the log of what admins did.
--
-- An admin reads counts through functions and never a row of a person, but for the list of accounts (79_accounts.sql). A function for admins begins with
-- `private.require_admin()`; its `statement_timeout` holds through PostgREST, which sets it before the statement begins
-- (https://docs.postgrest.org/en/v12/references/transactions.html#hoisted-settings). Groups under five people are
-- suppressed.
--
-- Error codes raised:
--   42501  the caller is no admin, or has not shown a second factor (PostgREST answers 403)
--   23000  a row of the log of actions would change

create table public.admin_actions (
  id bigint generated always as identity primary key,
  -- Null once the account is deleted: the log stays.
  admin_id uuid references auth.users (id) on delete set null,
  subject_id uuid references auth.users (id) on delete set null,
  action text not null,
  target text not null default '',
  before jsonb,
  after jsonb,
  reason text not null,
  created_at timestamptz not null default now(),

  constraint action_is_an_identifier check (action ~ '^[a-z][a-z_.]{0,63}$'),
  constraint target_fits check (char_length(target) <= 200),
  constraint reason_is_given check (char_length(btrim(reason)) between 3 and 500)
);
comment on table public.admin_actions is 'What admins did, append-only; the account concerned reads the rows about it.';
comment on column public.admin_actions.subject_id is 'The account concerned, or null.';

create index admin_actions_subject on public.admin_actions (subject_id, created_at desc);

create index admin_actions_admin on public.admin_actions (admin_id);

create index admin_actions_latest on public.admin_actions (created_at desc);

create function private.require_admin()
  returns void
  language plpgsql stable
  set search_path = ''
as $$
begin
  if not private.is_admin() then
    raise insufficient_privilege using message = 'Serve un amministratore con la verifica in due passaggi';
  end if;
end
$$;
comment on function private.require_admin() is 'Raise 42501 unless the caller is an admin who has shown a second factor.';
revoke all on function private.require_admin from public, anon, authenticated, service_role;

create function private.log_admin_action(
  _action text, _target text, _subject_id uuid, _before jsonb, _after jsonb, _reason text
)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.admin_actions (admin_id, action, target, subject_id, before, after, reason)
  values ((select auth.uid()), _action, _target, _subject_id, _before, _after, _reason)
$$;
comment on function private.log_admin_action is 'Write what the caller did into the log, in the caller''s transaction.';
revoke all on function private.log_admin_action from public, anon, authenticated, service_role;

create function private.keep_admin_action()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _deleted public.admin_actions;
begin
  if tg_op = 'UPDATE' then
    -- Deleting an account removes its id and nothing else.
    _deleted := old;
    _deleted.admin_id := case when new.admin_id is not null then old.admin_id end;
    _deleted.subject_id := case when new.subject_id is not null then old.subject_id end;
    if new is not distinct from _deleted then
      return new;
    end if;
  end if;
  raise integrity_constraint_violation using message = 'The log of admin actions is append-only';
end
$$;
comment on function private.keep_admin_action() is 'Refuse to change or delete an action, except for the ids of deleted accounts.';
revoke all on function private.keep_admin_action from public, anon, authenticated, service_role;

alter table public.admin_actions enable row level security;

create policy "users read the actions on their account" on public.admin_actions
  for select to authenticated
  using (subject_id = (select auth.uid()));

revoke all on public.admin_actions from public, anon, authenticated, service_role;
grant select on public.admin_actions to authenticated, service_role;

create trigger append_only
  before update or delete on public.admin_actions
  for each row execute function private.keep_admin_action();
