-- Nothing that is alive goes with what is not: what is restored leaves a parent that is in the trash, an import is not taken
-- back with those who were merged into it, what is written to a merged contact reaches the one that is left, and a reminder
-- that is asked for late still comes.

-- The trash ----------------------------------------------------------------------------------------------------------

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

-- As it should have been.
update public.documents set parent_id = null
from public.documents as parents
where parents.user_id = documents.user_id and parents.id = documents.parent_id
  and parents.deleted_at is not null and documents.deleted_at is null;
update public.tasks set parent_id = null
from public.tasks as parents
where parents.user_id = tasks.user_id and parents.id = tasks.parent_id
  and parents.deleted_at is not null and tasks.deleted_at is null;

-- After the statement: who is restored together with its parent stays with it.
create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.documents
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();
create trigger leave_trashed_parent
  after insert or update of parent_id, deleted_at on public.tasks
  for each row when (new.parent_id is not null and new.deleted_at is null)
  execute function private.leave_trashed_parent();

-- Imports ------------------------------------------------------------------------------------------------------------

create or replace function public.undo_import(_batch uuid)
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _import public.import_batches;
  _untouched uuid[];
  _removed integer;
  _companies integer;
  _restored uuid[] := '{}';
  _partly uuid[] := '{}';
  _change private.import_changes;
  _kept jsonb;
begin
  _import := private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  for _change in select * from private.import_changes where batch_id = _batch and not is_new loop
    if private.undo_import_of(_change) then
      _restored := _restored || _change.contact_id;
    else
      _partly := _partly || _change.contact_id;
    end if;
  end loop;

  select coalesce(array_agg(contact_id), '{}') into _untouched
  from private.import_changes
  join private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes where batch_id = _batch and is_new
  )) as now_is using (contact_id)
  where batch_id = _batch and is_new and now_is.fingerprint = import_changes.fingerprint
    -- Who was merged into it would go with it.
    and not exists (
      select from public.contacts as merged
      where merged.user_id = _import.user_id and merged.merged_into = import_changes.contact_id
    );
  delete from public.contacts where user_id = _import.user_id and id = any (_untouched) and type = 'persona';
  get diagnostics _removed = row_count;
  -- After their people: a company that somebody works for has been used since.
  delete from public.contacts
  where user_id = _import.user_id and id = any (_untouched) and not exists (
    select from public.contacts as people where people.user_id = _import.user_id and people.company_id = contacts.id
  );
  get diagnostics _companies = row_count;
  delete from public.tags
  where user_id = _import.user_id and id = any (_import.new_tags)
    and not exists (select from public.contact_tags where contact_tags.user_id = tags.user_id and tag_id = tags.id);

  select coalesce(jsonb_agg(jsonb_build_object(
      'contact_id', contacts.id, 'name', contacts.name, 'reason', 'Modificato dopo l''importazione'
    ) order by contacts.name), '[]') into _kept
  from private.import_changes
  join public.contacts on contacts.user_id = _import.user_id and contacts.id = contact_id
  where batch_id = _batch and (is_new or contact_id = any (_partly));
  delete from private.import_changes where batch_id = _batch;
  update public.import_batches set state = 'annullato', finished_at = coalesce(finished_at, now()) where id = _batch;
  return jsonb_build_object('removed', _removed + _companies, 'restored', cardinality(_restored), 'kept', _kept);
end
$$;

-- Merged contacts ----------------------------------------------------------------------------------------------------

create function private.living_contact(_user_id uuid, _contact_id uuid)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _merged_into uuid;
begin
  loop
    -- Locked, so that no merge comes between the answer and what is done with it.
    select merged_into into _merged_into from public.contacts
    where user_id = _user_id and id = _contact_id for key share;
    if not found then
      return null;
    elsif _merged_into is null then
      return _contact_id;
    end if;
    _contact_id := _merged_into;
  end loop;
end
$$;
comment on function private.living_contact(uuid, uuid) is
  'The contact of an owner, or the one that is left if it was merged; null if there is none.';

create function private.follow_merge()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- One that does not exist is refused by its reference.
  new.contact_id := coalesce(private.living_contact(new.user_id, new.contact_id), new.contact_id);
  return new;
end
$$;
comment on function private.follow_merge() is
  'What is written to a contact that was merged, as from an older page, is written to the one that is left.';

create trigger follow_merge
  before insert on public.notes
  for each row execute function private.follow_merge();
create trigger follow_merge
  before insert on public.interactions
  for each row execute function private.follow_merge();

create or replace function public.record_consent(
  _contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state,
  _legal_basis text default null, _wording text default null, _source text default null
)
  returns public.consents
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _consent public.consents;
begin
  -- What was answered to a contact that was merged counts for the one that is left: no refusal is lost.
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  perform from public.contacts where user_id = _user_id and id = _contact_id for no key update;
  select * into _consent from public.consents
  where contact_id = _contact_id and channel = _channel and purpose = _purpose;
  -- The same again, as by a second click, proves nothing new.
  if (_consent.state, _consent.legal_basis::text, _consent.wording, _consent.source::text)
    is not distinct from (_state, _legal_basis, _wording, _source)
  then
    return _consent;
  end if;
  insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source)
  on conflict (contact_id, channel, purpose) do update
    set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording,
      source = excluded.source, at = excluded.at
  returning * into _consent;
  insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
  values (_user_id, _contact_id, _channel, _purpose, _state, _legal_basis, _wording, _source, _consent.at);
  return _consent;
end
$$;
comment on function public.record_consent is
  'Writes down what a contact of the caller, or the one it was merged into, allows for a channel and a purpose, with its '
  'proof; PT404 if it is none.';

create or replace function public.save_contact(_contact jsonb)
  returns uuid
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts := jsonb_populate_record(null::public.contacts, _contact);
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _tags uuid[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;

  -- The company of that name, of several the one it has; it is made when there is none.
  select id into _row.company_id from public.contacts
  where name = _contact ->> 'company' and type = 'azienda' and merged_into is null and deleted_at is null
  order by id is distinct from _former.company_id, created_at limit 1;
  if _row.company_id is null and _contact ->> 'company' is not null then
    insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
    returning id into _row.company_id;
  end if;

  if _former.id is not null then
    update public.contacts
    set (type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
        regime, address, website, touch_days, note)
      = (_row.type, _row.first_name, _row.last_name, _row.business_name, _row.company_id, _row.job_title,
        _row.vat_number, _row.tax_code, _row.sdi_code, _row.pec, _row.regime, _row.address, _row.website,
        _row.touch_days, _row.note)
    where id = _id;
  else
    insert into public.contacts (id, type, first_name, last_name, business_name, company_id, job_title, vat_number,
      tax_code, sdi_code, pec, regime, address, website, touch_days, note)
    values (_id, _row.type, _row.first_name, _row.last_name, _row.business_name, _row.company_id, _row.job_title,
      _row.vat_number, _row.tax_code, _row.sdi_code, _row.pec, _row.regime, _row.address, _row.website,
      _row.touch_days, _row.note);
  end if;

  -- The first of each is the main one. What is kept keeps its label; what is another contact's is refused by its key.
  delete from public.contact_emails
  where contact_id = _id and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
  update public.contact_emails set is_primary = norm = lower(_emails ->> 0) where contact_id = _id;
  insert into public.contact_emails (contact_id, value, is_primary)
  select distinct on (lower(value)) _id, value, place = 1
  from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
  where not exists (select from public.contact_emails where contact_id = _id and norm = lower(value))
  order by lower(value), place;

  delete from public.contact_phones
  where contact_id = _id and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
  update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}' where contact_id = _id;
  insert into public.contact_phones (contact_id, value, norm, is_primary)
  select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
  from jsonb_array_elements(_phones) with ordinality as typed (one, place)
  where not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
  order by one ->> 'norm', place;

  insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
  on conflict (user_id, lower(name)) do nothing;
  _tags := array(
    select id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
  );
  delete from public.contact_tags where contact_id = _id and tag_id <> all (_tags);
  insert into public.contact_tags (contact_id, tag_id) select _id, unnest(_tags) on conflict do nothing;
  return _id;
end
$$;
comment on function public.save_contact(jsonb) is
  'Adds a contact of the caller or writes it anew, as the form has it: its columns, `company` (a name), `emails`, `phones` '
  '({value, norm}) and `tags` (names). Raises 23505 for an address or number of another contact, PT404 for a contact that is '
  'merged or in the trash.';

-- Reminders ----------------------------------------------------------------------------------------------------------

create or replace function public.remind_of_schedules(_invoice_id uuid, _days_before integer default 3)
  returns integer
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _invoice public.invoices := private.own_invoice(_invoice_id);
  _schedule record;
  _remind_at timestamptz;
  _task_id uuid;
  _made integer := 0;
begin
  for _schedule in
    select * from public.invoice_schedules
    where invoice_id = _invoice_id and paid_on is null and due_on is not null and not exists (
      select from public.tasks
      where tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.deleted_at is null
    )
    order by no
  loop
    -- The first of both that is still to come; when both are over, at once: a moment that is over reminds of nothing.
    select coalesce(min(moment), now() + interval '1 minute') into _remind_at
    from unnest(array[_schedule.due_on - least(greatest(_days_before, 0), 365), _schedule.due_on]) as day
    cross join lateral (select (day + time '09:00') at time zone 'Europe/Rome' as moment) as at_nine
    where moment > now();
    insert into public.tasks (user_id, title, due_at, contact_id, remind_at, origin)
    values (
      _invoice.user_id, private.payment_title(_invoice, _schedule.amount_cents),
      _schedule.due_on::timestamp at time zone 'Europe/Rome', _invoice.contact_id,
      array[_remind_at], 'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  return _made;
end
$$;
comment on function public.remind_of_schedules(uuid, integer) is
  'Makes a task for each day of payment of the caller''s invoice that is not paid and has none; reminds at nine so many days '
  'before, or on the day, or at once, whichever is still to come. Answers how many were made. PT404.';

revoke all on function private.leave_trashed_parent(), private.living_contact(uuid, uuid), private.follow_merge()
  from public, anon, authenticated, service_role;
