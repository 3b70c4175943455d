-- What the screens of the contacts need: a form that takes nothing back, a search that is filtered with everything it finds.

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
  _before jsonb := coalesce(_contact -> 'former', '{}');
  _had text[];
begin
  select * into _former from public.contacts where id = _id for update;
  if _former.merged_into is not null or _former.deleted_at is not null then
    raise exception 'the contact is merged or in the trash' using errcode = 'PT404';
  end if;
  _row := jsonb_populate_record(_former, _contact);

  -- The company of that name, of several the one it has; it is made when there is none.
  if _contact ? 'company' then
    select id into _row.company_id from public.contacts
    where lower(name) = lower(_contact ->> 'company') and type = 'azienda' and merged_into is null and deleted_at is null
    order by id is distinct from _former.company_id, created_at limit 1;
    if _row.company_id is null and _contact ->> 'company' is not null then
      insert into public.contacts (type, business_name) values ('azienda', _contact ->> 'company')
      returning id into _row.company_id;
    end if;
  end if;

  -- Whoever becomes a company works for nobody, not even for a company of the trash that the form does not show.
  if _row.type = 'azienda' then
    _row.company_id := null;
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
  -- Taken away is only what was in the former list, added only what was not: without one, what the contact has now.
  if _contact ? 'emails' then
    _had := case when _before ? 'emails'
      then array(select lower(value) from jsonb_array_elements_text(_before -> 'emails') as value)
      else array(select norm from public.contact_emails where contact_id = _id) end;
    delete from public.contact_emails
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select lower(value) from jsonb_array_elements_text(_emails) as value));
    update public.contact_emails set is_primary = norm = lower(_emails ->> 0)
    where contact_id = _id and lower(_emails ->> 0) is distinct from lower(_before #>> '{emails,0}') and _emails <> '[]';
    insert into public.contact_emails (contact_id, value, is_primary)
    select distinct on (lower(value)) _id, value, place = 1
    from jsonb_array_elements_text(_emails) with ordinality as typed (value, place)
    where lower(value) <> all (_had)
      and not exists (select from public.contact_emails where contact_id = _id and norm = lower(typed.value))
    order by lower(value), place;
  end if;

  if _contact ? 'phones' then
    _had := case when _before ? 'phones'
      then array(select one ->> 'norm' from jsonb_array_elements(_before -> 'phones') as one)
      else array(select norm from public.contact_phones where contact_id = _id) end;
    delete from public.contact_phones
    where contact_id = _id and norm = any (_had)
      and norm <> all (array(select one ->> 'norm' from jsonb_array_elements(_phones) as one));
    update public.contact_phones set is_primary = norm = _phones #>> '{0,norm}'
    where contact_id = _id and _phones #>> '{0,norm}' is distinct from _before #>> '{phones,0,norm}' and _phones <> '[]';
    insert into public.contact_phones (contact_id, value, norm, is_primary)
    select distinct on (one ->> 'norm') _id, one ->> 'value', one ->> 'norm', place = 1
    from jsonb_array_elements(_phones) with ordinality as typed (one, place)
    where one ->> 'norm' <> all (_had)
      and not exists (select from public.contact_phones where contact_id = _id and norm = one ->> 'norm')
    order by one ->> 'norm', place;
  end if;

  if _contact ? 'tags' then
    _had := case when _before ? 'tags'
      then array(select lower(name) from jsonb_array_elements_text(_before -> 'tags') as name)
      else array(
        select lower(name) from public.contact_tags join public.tags on tags.id = tag_id where contact_id = _id
      ) end;
    delete from public.contact_tags using public.tags
    where contact_id = _id and tags.id = tag_id and lower(name) = any (_had)
      and lower(name) <> all (array(select lower(name) from unnest(_names) as name));
    _names := array(select name from unnest(_names) as name where lower(name) <> all (_had));
    insert into public.tags (name) select distinct on (lower(name)) name from unnest(_names) as name
    on conflict (user_id, lower(name)) do nothing;
    insert into public.contact_tags (contact_id, tag_id)
    select _id, id from public.tags
    where user_id = (select auth.uid()) and lower(name) = any (array(select lower(name) from unnest(_names) as name))
    on conflict do nothing;
  end if;
  return _id;
end
$$;
comment on function public.save_contact(jsonb) is 'Adds a contact of the caller, or writes what is said of a known one: its columns, `company` (a name), `emails`, `phones` ({value, norm}) and `tags` (names). What is not said stays as it is; with `former`, an object of these lists as the caller has seen them, so does what came into a list since. Raises 23505 for an address or number of another contact, PT404 for a contact that is merged or in the trash.';

create or replace function private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer)
  returns table (
    id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real
  )
  language sql stable
  set search_path = ''
as $$
  with queries as materialized (
    select array_to_string(_words, ' ') as typed,
      private.search_query(private.search_key(_user_id), _words, 'exact') as exact,
      private.search_query(private.search_key(_user_id), _words, _how) as wide
  ), candidates as (
    -- A letter or two, or a title that all have, fit thousands: so many are compared, unless more are asked for.
    (
      select contact_id, words, true as is_exact from private.contact_search, queries
      where document @@ exact and user_id = _user_id limit greatest(2000, _limit)
    )
    union all
    (
      select contact_id, words, false from private.contact_search, queries
      where document @@ wide and user_id = _user_id limit greatest(2000, _limit)
    )
  ), best as (
    select contact_id, max(
        extensions.word_similarity(typed, words) + extensions.similarity(typed, words)
        + case when is_exact then 1 else 0 end
        + case when starts_with(words, typed) then 1 when words like '% ' || typed || '%' then 0.5 else 0 end
      )::real as rank
    from candidates, queries
    where _how <> 'near' or extensions.word_similarity(typed, words) >= 0.4
    group by contact_id
    order by rank desc, contact_id
    limit _limit
  )
  select contacts.id, contacts.type, contacts.name, company.name, contacts.job_title::text, (
      select value from public.contact_emails
      where contact_emails.user_id = _user_id and contact_emails.contact_id = contacts.id
      order by is_primary desc, created_at, contact_emails.id limit 1
    ), (
      select value::text from public.contact_phones
      where contact_phones.user_id = _user_id and contact_phones.contact_id = contacts.id
      order by is_primary desc, created_at, contact_phones.id limit 1
    ), best.rank
  from best
  join public.contacts on contacts.user_id = _user_id and contacts.id = best.contact_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  order by best.rank desc, contacts.name, contacts.id
$$;
create or replace function public.search_contacts(_query text, _limit integer default 50)
  returns table (
    id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real
  )
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _key text := private.search_key(_user_id);
  _digits text := regexp_replace(_query, '^\s*00|[^0-9]', '', 'g');
  _text text := private.search_text(left(_query, 200));
  _words text[];
begin
  -- A number however it is written; letters in between make it words.
  if _query ~ '^[-+0-9 ()./]+$' and char_length(_digits) between 3 and 20 then
    _text := _digits;
  elsif btrim(_query) ~ '^[^[:space:]@]*@[^[:space:]@]+$' then
    _text := lower(btrim(left(_query, 200)));
  end if;
  _words := (string_to_array(_text, ' '))[1:8];
  if _user_id is null or coalesce(_text, '') = '' then
    return;
  end if;
  return query select * from private.ranked_contacts(_user_id, _words, 'wide', least(_limit, 50000));
  if not found then
    return query select * from private.ranked_contacts(_user_id, _words, 'near', least(_limit, 50000));
  end if;
end
$$;
create function public.listed_contacts(_query text, _limit integer default 50000)
  returns setof public.contact_list
  language sql stable
  set search_path = ''
as $$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$$;
comment on function public.listed_contacts(text, integer) is
  'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';

revoke all on function public.listed_contacts(text, integer) from public, anon, authenticated, service_role;
grant execute on function public.listed_contacts(text, integer) to authenticated;

-- The trash of one owner, what went there last first.
create index contacts_own_trash on public.contacts (user_id, deleted_at desc, id)
  where deleted_at is not null and merged_into is null;
