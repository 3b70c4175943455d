-- What is gone is gone, and nothing else: files go with their account, a merged contact that is erased leaves no name, the
-- trash counts by our clock, and what its person wrote into demo data is no demo data any more.

-- Files of an account ---------------------------------------------------------------------------------------------------

-- The rows go at once, and with them every signed link; storage drops the files of rows that are gone.
create function private.remove_files()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- What storage says when it deletes rows of its own.
  perform set_config('storage.allow_delete_query', 'true', true);
  -- All that begins with the folder's name: names are sorted by byte, and «0» follows «/».
  delete from storage.objects
  where bucket_id in ('avatars', 'documents') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$$;
comment on function private.remove_files() is 'The files of an account go with it.';

create trigger remove_files after delete on public.profiles for each row execute function private.remove_files();

-- Merges ----------------------------------------------------------------------------------------------------------------

drop function private.forget_merges(integer);
create function private.forget_merges(_days integer, _limit integer default 200)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with old as (
    -- That two contacts were merged stays in the timeline; what they were before does not.
    update public.merge_log set changes = '[]'
    where id in (
      select id from public.merge_log
      where created_at < now() - make_interval(days => _days) and changes <> '[]' order by created_at limit _limit
    )
    returning user_id, winner_id, loser_id, undone_at
  ), gone as (
    delete from public.contacts using old
    where contacts.user_id = old.user_id and contacts.id = old.loser_id and contacts.merged_into = old.winner_id
      and old.undone_at is null
  )
  select count(*) from old
$$;
comment on function private.forget_merges(integer, integer) is
  'Forgets the way back of so many merges that are older than so many days, and erases who was merged; answers how many.';

revoke all on function private.forget_merges(integer, integer) from public, anon, authenticated, service_role;
grant execute on function private.forget_merges(integer, integer) to service_role;

create or replace function public.erase_contact(_contact_id uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _table record;
  _rows bigint;
  _erased jsonb := '{}';
  _kept jsonb := '{}';
begin
  perform from public.contacts where user_id = _user_id and id = _contact_id for update;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _table in select name, is_erased from private.tables_about_contacts()
  loop
    execute format('select count(*) from public.%I where user_id = $1 and contact_id = $2', _table.name)
      into _rows using _user_id, _contact_id;
    if _rows > 0 and _table.is_erased then
      _erased := _erased || jsonb_build_object(_table.name, _rows);
    elsif _rows > 0 then
      _kept := _kept || jsonb_build_object(_table.name, _rows);
    end if;
  end loop;
  -- That there was a merge stays in the timeline of the other.
  update public.merge_log set loser_name = 'un contatto cancellato', changes = '[]'
  where user_id = _user_id and loser_id = _contact_id;
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  return jsonb_build_object('contact_id', _contact_id, 'erased', _erased, 'kept', _kept);
end
$$;

-- The trash -------------------------------------------------------------------------------------------------------------

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

do $$
declare
  _table text;
begin
  foreach _table in array array['contacts', 'deals', 'documents', 'drafts', 'notes', 'projects', 'tasks'] loop
    execute format(
      'create trigger keep_trash_time before update of deleted_at on public.%I
       for each row when (current_user = ''authenticated'' and new.deleted_at is not null)
       execute function private.keep_trash_time()', _table
    );
  end loop;
end
$$;

-- Demo data -------------------------------------------------------------------------------------------------------------

create function private.own_changed_demo()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$$;
comment on function private.own_changed_demo() is 'Demo data that its person wrote something into is theirs.';

create function private.own_changed_demo_contact()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = 'contacts' and row_id = new.contact_id;
  update public.contacts set origin = 'manuale' where user_id = new.user_id and id = new.contact_id and origin = 'demo';
  return null;
end
$$;
comment on function private.own_changed_demo_contact() is 'A demo contact that its person gave an address, a number or a tag is theirs.';

-- By the person's own statement: what the demo data itself, a merge, or a row that goes away writes is nobody's work. To
-- tick off, to move along a board, to put off a call is trying out.
create trigger own_changed_demo before update on public.contacts for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.type, old.first_name, old.last_name, old.business_name, old.company_id, old.job_title, old.vat_number, old.tax_code,
    old.sdi_code, old.pec, old.regime, old.address, old.website, old.touch_days, old.note
  ) is distinct from (
    new.type, new.first_name, new.last_name, new.business_name, new.company_id, new.job_title, new.vat_number, new.tax_code,
    new.sdi_code, new.pec, new.regime, new.address, new.website, new.touch_days, new.note
  ))
  execute function private.own_changed_demo();
create trigger own_changed_demo before update on public.deals for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.contact_id, old.title, old.amount_cents, old.currency, old.probability, old.expected_close
  ) is distinct from (
    new.contact_id, new.title, new.amount_cents, new.currency, new.probability, new.expected_close
  ))
  execute function private.own_changed_demo();
create trigger own_changed_demo before update on public.projects for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.name, old.contact_id, old.color, old.starts_on, old.due_on, old.budget_cents, old.note
  ) is distinct from (
    new.name, new.contact_id, new.color, new.starts_on, new.due_on, new.budget_cents, new.note
  ))
  execute function private.own_changed_demo();
create trigger own_changed_demo before update on public.tasks for each row
  when (current_user = 'authenticated' and old.origin = 'demo' and (
    old.project_id, old.parent_id, old.title, old.notes, old.priority, old.due_at, old.due_is_allday, old.someday,
    old.remind_at, old.rrule, old.repeat_from, old.contact_id, old.deal_id, old.waiting_for
  ) is distinct from (
    new.project_id, new.parent_id, new.title, new.notes, new.priority, new.due_at, new.due_is_allday, new.someday,
    new.remind_at, new.rrule, new.repeat_from, new.contact_id, new.deal_id, new.waiting_for
  ))
  execute function private.own_changed_demo();
create trigger own_changed_demo before update of body on public.notes for each row
  when (current_user = 'authenticated' and old.body <> new.body) execute function private.own_changed_demo();
create trigger own_changed_demo before update of kind, direction, at, summary on public.interactions for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo();
create trigger own_changed_demo_contact after insert or update of value, label on public.contact_emails for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();
create trigger own_changed_demo_contact after insert or update of value, label on public.contact_phones for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();
create trigger own_changed_demo_contact after insert on public.contact_tags for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

revoke all on function private.remove_files() from public, anon, authenticated, service_role;
revoke all on function private.keep_trash_time() from public, anon, authenticated, service_role;
revoke all on function private.own_changed_demo() from public, anon, authenticated, service_role;
revoke all on function private.own_changed_demo_contact() from public, anon, authenticated, service_role;
