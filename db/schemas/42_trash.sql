-- Trash: what is alive belongs to nothing in the trash. A restored row leaves a parent that is in the trash, a row
-- added to a parent in the trash is in the trash too, and the time of deletion comes from the database.

create function private.leave_trashed_parent()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _gone_at timestamptz;
begin
  -- Locked: whoever throws the parent away at this moment sees this row, or is seen from here.
  execute format('select deleted_at from public.%I where user_id = $1 and id = $2 for share', tg_table_name)
    into _gone_at using new.user_id, new.parent_id;
  if _gone_at is null then
    return null;
  end if;
  -- What is new lies where its parent lies, as the files of a ZIP that was thrown away while it was opened.
  execute format(
    'update public.%I set %s where user_id = $1 and id = $2',
    tg_table_name, case tg_op when 'INSERT' then 'deleted_at = $3' else 'parent_id = null' end
  ) using new.user_id, new.id, _gone_at;
  return null;
end
$$;
comment on function private.leave_trashed_parent() is
  'What is alive never hangs on something in the trash, which takes everything with it when it is erased.';
revoke all on function private.leave_trashed_parent from public, anon, authenticated, service_role;

create function private.keep_trash_time()
  returns trigger
  language plpgsql volatile
  set search_path = ''
as $$
begin
  -- The same for all of a statement: what goes into the trash together comes back together.
  new.deleted_at := coalesce(old.deleted_at, now());
  return new;
end
$$;
comment on function private.keep_trash_time() is
  'Since when something is in the trash is no browser''s to say: its clock would decide when it is erased.';
revoke all on function private.keep_trash_time from public, anon, authenticated, service_role;

-- An after trigger, so that a row restored in the same statement as its parent keeps its parent.
create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.documents
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();

create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.tasks
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();

create trigger keep_trash_time
  before update of deleted_at on public.contacts
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.deals
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.documents
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.drafts
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.notes
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.projects
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();

create trigger keep_trash_time
  before update of deleted_at on public.tasks
 
  for each row when (current_user = 'authenticated' and new.deleted_at is not null)
  execute function private.keep_trash_time();
