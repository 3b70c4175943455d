-- A form that was open in another tab takes nothing back: of a known contact only what `save_contact` is told is written.

create or replace function public.save_contact(_contact jsonb)
  returns uuid
  language plpgsql
  set search_path = ''
as $$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _former public.contacts;
  _row public.contacts;
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _tags uuid[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where name = _contact ->> 'company' and type = 'azienda' and merged_into is null and deleted_at is null
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
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
  if _contact ? 'emails' then
    delete from public.contact_emails
    where contact_id = _id and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0) where contact_id = _id;
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where not exists (select from public.contact_emails where contact_id = _id and norm = lower(value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    delete from public.contact_phones
    where contact_id = _id and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}' where contact_id = _id;
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    _tags := array(
      select id from public.tags
      where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    );
    delete from public.contact_tags where contact_id = _id and tag_id <> all (_tags);
    insert into public.contact_tags (contact_id, tag_id) select _id, unnest(_tags) on conflict do nothing;
  end if;
  return _id;
end
$$;
comment on function public.save_contact(jsonb) is 'Adds a contact of the caller, or writes what is said of a known one: its columns, `company` (a name), `emails`, `phones` ({value, norm}) and `tags` (names). What is not said stays as it is. Raises 23505 for an address or number of another contact, PT404 for a contact that is merged or in the trash.';
