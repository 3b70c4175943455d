-- What a contact agreed to, and the two rights of everybody whose data is kept: a copy of it, and its erasure.
--
-- Error codes raised:
--   PT404  there is no such contact of the caller (PostgREST answers 404)

-- Definer: what was agreed to changes together with its proof, and nowhere else.
create function public.record_consent(
  _contact_id uuid,
  _channel public.consent_channel,
  _purpose public.consent_purpose,
  _state public.consent_state,
  _legal_basis text default null,
  _wording text default null,
  _source text default null
)
  returns public.consents
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _consent public.consents;
begin
  perform from public.contacts where user_id = _user_id and id = _contact_id for update;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
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
comment on function public.record_consent(
  uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text
) is 'Writes down what a contact of the caller allows for a channel and a purpose, with its proof; PT404 if it is none.';

-- Every table that says whose it is takes part by its column contact_id, those of later chapters as well.
create function private.tables_about_contacts()
  returns table (name text, is_erased boolean)
  language sql stable
  set search_path = ''
as $$
  select pg_class.relname::text, exists (
    select from pg_catalog.pg_constraint
    where conrelid = pg_class.oid and contype = 'f' and confdeltype = 'c' and attnum = any (conkey)
  )
  from pg_catalog.pg_class
  join pg_catalog.pg_attribute on attrelid = pg_class.oid and attname = 'contact_id' and not attisdropped
  where relnamespace = 'public'::regnamespace and relkind = 'r'
    and has_table_privilege('authenticated', pg_class.oid, 'select')
  order by relname
$$;
comment on function private.tables_about_contacts() is
  'The tables that browsers read whose rows are about a contact, and whether they go with it.';

create function public.export_contact(_contact_id uuid)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _table text;
  _rows jsonb;
  _export jsonb;
begin
  select jsonb_build_object('exported_at', now(), 'contact', to_jsonb(contacts) - array['user_id', 'import_batch_id'],
      'company', (
        select company.name from public.contacts as company
        where company.user_id = _user_id and company.id = contacts.company_id
      ),
      'tags', array(
        select tags.name from public.contact_tags join public.tags on tags.id = tag_id
        where contact_tags.user_id = _user_id and contact_id = _contact_id order by lower(tags.name)
      ),
      -- Who turned out to be the same person.
      'merged', (
        select coalesce(jsonb_agg(to_jsonb(merged) - array['user_id', 'import_batch_id'] order by merged.created_at), '[]')
        from public.contacts as merged where merged.user_id = _user_id and merged.merged_into = _contact_id
      ))
  into _export
  from public.contacts where user_id = _user_id and id = _contact_id;
  if _export is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _table in select name from private.tables_about_contacts() where name <> 'contact_tags'
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(one) - array[''user_id'', ''contact_id''] order by created_at), ''[]'')
       from public.%I as one where user_id = $1 and contact_id = $2', _table
    ) into _rows using _user_id, _contact_id;
    _export := _export || jsonb_build_object(_table, _rows);
  end loop;
  return _export;
end
$$;
comment on function public.export_contact(uuid) is
  'All that is kept about one contact of the caller, table by table; PT404 if it is none.';

create function public.erase_contact(_contact_id uuid)
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
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  return jsonb_build_object('contact_id', _contact_id, 'erased', _erased, 'kept', _kept);
end
$$;
comment on function public.erase_contact(uuid) is
  'Erases one contact of the caller for good, and what was merged into it; PT404 if it is none. Answers how many rows of '
  'which table went with it, and how many stay without it: the proof of consents, and work such as deals and tasks.';

revoke all on function private.tables_about_contacts(), public.export_contact(uuid), public.erase_contact(uuid),
  public.record_consent(
    uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text
  ) from public, anon, authenticated, service_role;
grant execute on function public.export_contact(uuid), public.erase_contact(uuid),
  public.record_consent(
    uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text
  ) to authenticated;
