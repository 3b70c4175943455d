-- The form of a contact has its tax regime too.

-- With the rights of the caller, who may not use the schema private: hence one function.
create or replace function public.save_contact(_contact jsonb)
  returns uuid
  language plpgsql
  set search_path = ''
as $$
declare
  _id uuid := coalesce((_contact ->> 'id')::uuid, gen_random_uuid());
  _row public.contacts := jsonb_populate_record(null::public.contacts, _contact);
  _emails jsonb := coalesce(_contact -> 'emails', '[]');
  _phones jsonb := coalesce(_contact -> 'phones', '[]');
  _names text[] := array(select jsonb_array_elements_text(coalesce(_contact -> 'tags', '[]')));
  _tags uuid[];
begin
  -- The company of that name, which is made when there is none.
  select id into _row.company_id from public.contacts
  where name = _contact ->> 'company' and type = 'azienda' and merged_into is null and deleted_at is null
  order by created_at limit 1;
  if _row.company_id is null and _contact ->> 'company' is not null then
    insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
    returning id into _row.company_id;
  end if;

  if exists (select from public.contacts where id = _id) then
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
