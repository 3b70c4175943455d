-- Contact search: one box that finds contacts by the beginning of a word, its Italian stem, a part of it, a typing
-- error, or the digits of a number.
--
-- Triggers keep one document of lexemes for each contact. A lexeme begins with its owner's key, so one index works as
-- well as one per owner: a search costs the same however many other contacts there are. Marks of a lexeme:
--   =  a word, found by its beginning   /  an Italian stem   ~  a trigram of a name   #  digits, from each position on
--   @  an e-mail address, and the part after its @
-- First come contacts that contain every typed word; if there are none, those written nearly so, by trigrams.

create table private.contact_search (
  contact_id uuid primary key references public.contacts (id) on delete cascade,
  user_id uuid not null,
  -- Name and company, normalized for the comparison with the query.
  words text not null,
  document tsvector not null
);
comment on table private.contact_search is 'What each contact that is shown is found by; written by triggers only.';

-- fastupdate is off because every search after an import would otherwise read the whole list of pending entries.
create index contact_search_document on private.contact_search using gin (document) with (fastupdate = off);

create function private.search_key(_user_id uuid)
  returns text
  language sql immutable strict parallel safe
  set search_path = ''
as $$
  select left(_user_id::text, 8)
$$;
comment on function private.search_key(uuid) is
  'How the lexemes of an owner begin. Two owners may share it: the search compares the whole id as well.';
revoke all on function private.search_key from public, anon, authenticated, service_role;

create function private.search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[])
  returns tsvector
  language sql stable
  set search_path = ''
as $$
  select array_to_tsvector(array(
    select _key || '=' || left(word, 100) from unnest(string_to_array(concat_ws(' ', _names, _others), ' ')) as word
    where word <> ''
    union
    select _key || '/' || left(stem, 100) from unnest(tsvector_to_array(
      to_tsvector('pg_catalog.italian', concat_ws(' ', _names, _others, _prose))
    )) as stem
    union
    select _key || '~' || trigram from unnest(extensions.show_trgm(_names)) as trigram where trigram !~ '^  '
    union
    select _key || '@' || email from unnest(_emails) as email
    union
    select _key || '@@' || split_part(email, '@', 2) from unnest(_emails) as email
    union
    select _key || '#' || substr(number, place)
    from unnest(_numbers) as number, generate_series(1, char_length(number) - 2) as place
  ))
$$;
comment on function private.search_document(text, text, text, text, text[], text[]) is
  'The lexemes of one contact, from texts that private.words() made.';
revoke all on function private.search_document from public, anon, authenticated, service_role;

create function private.search_query(_key text, _words text[], _how text)
  returns tsquery
  language sql stable
  set search_path = ''
as $$
  -- What is quoted holds letters, digits and spaces only, but for addresses. Exact: whole words. Near: two neighbouring
  -- trigrams suffice.
  select string_agg(
    case when strpos(word, '@') > 0 then format(
      '''%s@%s''%s', _key, replace(replace(word, '\', '\\'), '''', ''''''), case when _how <> 'exact' then ':*' end
    )
    else '(' || concat_ws(' | ',
      format('''%s=%s''%s', _key, word, case when _how <> 'exact' then ':*' end),
      (
        select string_agg(format('''%s/%s''', _key, stem), ' | ')
        from unnest(tsvector_to_array(to_tsvector('pg_catalog.italian', word))) as stem where _how <> 'exact'
      ),
      case when word ~ '^[0-9]{3,}$' then format('''%s#%s'':*', _key, word) end,
      (
        select '(' || string_agg(format('''%s~%s''', _key, substr(word, place, 3)), ' & ') || ')'
        from generate_series(1, char_length(word) - 2) as place where _how <> 'exact'
      ),
      (
        select string_agg(format(
          '''%1$s~%2$s'' & ''%1$s~%3$s''', _key, substr(edged, place, 3), substr(edged, place + 1, 3)
        ), ' | ')
        from (select ' ' || word || ' ' as edged) as padded, generate_series(1, char_length(word) - 1) as place
        where _how = 'near' and char_length(word) > 3
      )
    ) || ')' end,
    ' & '
  )::tsquery
  from unnest(_words) as word
$$;
comment on function private.search_query(text, text[], text) is
  'What to ask the index for these words of private.words(), or an address: exact (as typed), wide (begun, stemmed, '
  'contained) or near.';
revoke all on function private.search_query from public, anon, authenticated, service_role;

-- Security definer because under row level security text operators cannot use the index. The function compares the
-- owner itself.
create function public.search_contacts(_query text, _limit integer default 50)
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
  _text text := private.words(left(_query, 200));
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
comment on function public.search_contacts(text, integer) is
  'The caller''s contacts that fit, best first: by words, parts of words, near misses, or digits of a number.';
revoke all on function public.search_contacts from public, anon, authenticated, service_role;
grant execute on function public.search_contacts to authenticated;

create function private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer)
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
    select contact_id, words, max(fits) + case
        when starts_with(words, typed) then 1 when words like '% ' || typed || '%' then 0.5 else 0
      end as sureness
    from ((
      select contact_id, words, 1 as fits from private.contact_search, queries
      where document @@ exact and user_id = _user_id limit greatest(2000, _limit)
    ) union all (
      select contact_id, words, 0 from private.contact_search, queries
      where document @@ wide and user_id = _user_id limit greatest(2000, _limit)
    )) as found, queries
    group by contact_id, words, typed
    -- A letter or two, or a title that all have, fit thousands, and comparing trigrams is what takes the time. Of equally
    -- sure ones the shorter resembles what was typed more; only of near misses nothing is known beforehand.
    order by sureness desc, char_length(words)
    limit greatest(case when _how = 'near' then 2000 else 200 end, _limit)
  ), best as (
    select contact_id, (
        extensions.word_similarity(typed, words) + extensions.similarity(typed, words) + sureness
      )::real as rank
    from candidates, queries
    where _how <> 'near' or extensions.word_similarity(typed, words) >= 0.4
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
comment on function private.ranked_contacts(uuid, text[], text, integer) is
  'Contacts of one owner that fit these words of private.words(), best first; wide or near as in search_query().';
revoke all on function private.ranked_contacts from public, anon, authenticated, service_role;

-- Security definer because the index is private. The function compares the owner itself.
create function public.contact_named_in(_text text)
  returns table (id uuid, name text)
  language sql stable security definer
  set search_path = ''
as $$
  with typed as materialized (
    select (select auth.uid()) as user_id, format(' %s ', private.words(left(_text, 200))) as line, (
        select string_agg(format('''%s=%s''', private.search_key((select auth.uid())), word), ' | ')::tsquery
        from unnest(string_to_array(private.words(left(_text, 200)), ' ')) as word where word <> ''
      ) as query
  ), candidates as materialized (
    select contacts.id, contacts.name, format(' %s ', called) as called, case
        when called ~ '^\S+ \S+$' then format(' %s %s ', split_part(called, ' ', 2), split_part(called, ' ', 1))
      end as inverted
    from typed
    cross join lateral (
      select contact_id from private.contact_search
      where document @@ query and contact_search.user_id = typed.user_id limit 2000
    ) as found
    join public.contacts on contacts.user_id = typed.user_id and contacts.id = contact_id
    cross join lateral (
      select regexp_replace(private.words(contacts.name), ' (srl|srls|spa|snc|sas|sapa|scarl)$', '') as called
    ) as bare
  ), named as (
    select candidates.* from candidates, typed
    where (strpos(line, called) > 0 or strpos(line, inverted) > 0) and (
      called ~ '\S \S'
      -- One word is a name where it is written as one, and where no other contact has it.
      or exists (
        select from regexp_split_to_table(_text, '\s+') with ordinality as written (word, place)
        where place > 1 and word ~ '^[[:upper:]]' and format(' %s ', private.words(word)) = called
      ) and not exists (
        select from candidates as other where other.id <> candidates.id and strpos(other.called, candidates.called) > 0
      )
    )
  )
  select min(named.id::text)::uuid, min(named.name) from named
  where not exists (
    select from named as longer where strpos(longer.called, named.called) > 0 and longer.called <> named.called
  )
  having count(*) = 1
$$;
comment on function public.contact_named_in(text) is
  'The one contact of the caller whose name is in a text, without company form, in either order; no row for none or several.';
revoke all on function public.contact_named_in from public, anon, authenticated, service_role;
grant execute on function public.contact_named_in to authenticated;

create function private.follow_searched_contacts()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  if tg_op = 'INSERT' then
    perform private.index_contacts(array(select id from changed));
    return null;
  end if;
  -- Never joined: a plan made for one row would compare all people of a company with each other.
  perform private.index_contacts(array(
    select id from (
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from changed
      except
      select id, name, company_id, job_title, pec, tax_code, vat_number, address, note, merged_into, deleted_at from former
    ) as searched
    union
    -- Who works for a company is found by its name.
    select people.id
    from (select user_id, id, name from changed except select user_id, id, name from former) as renamed
    cross join lateral (
      select contacts.id from public.contacts
      where contacts.user_id = renamed.user_id and contacts.company_id = renamed.id offset 0
    ) as people
  ));
  return null;
end
$$;
comment on function private.follow_searched_contacts() is 'Keeps private.contact_search when contacts change.';
revoke all on function private.follow_searched_contacts from public, anon, authenticated, service_role;

create function private.follow_searched_parts()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  if tg_op = 'UPDATE' then
    perform private.index_contacts(array(select contact_id from changed union select contact_id from former));
  else
    perform private.index_contacts(array(select distinct contact_id from changed));
  end if;
  return null;
end
$$;
comment on function private.follow_searched_parts() is
  'Keeps private.contact_search when addresses, numbers or tags change.';
revoke all on function private.follow_searched_parts from public, anon, authenticated, service_role;

create function private.follow_searched_tags()
  returns trigger
  language plpgsql security definer
  set search_path = ''
as $$
begin
  perform private.index_contacts(array(
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  ));
  return null;
end
$$;
comment on function private.follow_searched_tags() is 'Keeps private.contact_search when a tag gets another name.';
revoke all on function private.follow_searched_tags from public, anon, authenticated, service_role;

create function private.index_contacts_now(_contacts uuid[])
  returns void
  language sql volatile
  set search_path = ''
  set plan_cache_mode = force_custom_plan
as $$
  delete from private.contact_search using public.contacts
  where contact_id = any (_contacts) and contacts.id = contact_id
    and (contacts.merged_into is not null or contacts.deleted_at is not null);

  insert into private.contact_search (contact_id, user_id, words, document)
  select id, user_id, names, private.search_document(private.search_key(user_id), names, others, prose, emails, numbers)
  from (
    select contacts.id, contacts.user_id,
      coalesce(private.words(concat_ws(' ', contacts.name, company.name)), '') as names,
      private.words(concat_ws(' ',
        contacts.job_title, contacts.tax_code, 'it' || contacts.vat_number, contacts.address ->> 'city',
        array_to_string(emails, ' '),
        (
          select string_agg(tags.name, ' ') from public.contact_tags join public.tags on tags.id = tag_id
          where contact_tags.user_id = contacts.user_id and contact_id = contacts.id
        )
      )) as others,
      private.words(contacts.note) as prose,
      array(
        select substr(norm, 2) from public.contact_phones
        where contact_phones.user_id = contacts.user_id and contact_id = contacts.id
      ) || array_remove(array[
        contacts.vat_number, case when contacts.tax_code ~ '^[0-9]' then contacts.tax_code end
      ], null) as numbers,
      emails
    from public.contacts
    cross join lateral (
      select array(
        select norm from public.contact_emails
        where contact_emails.user_id = contacts.user_id and contact_id = contacts.id
        union
        select lower(contacts.pec) where contacts.pec is not null
      ) as emails
    ) as mail
    left join public.contacts as company on company.user_id = contacts.user_id and company.id = contacts.company_id
    where contacts.id = any (_contacts) and contacts.merged_into is null and contacts.deleted_at is null
  ) as found
  on conflict (contact_id) do update set words = excluded.words, document = excluded.document
$$;
comment on function private.index_contacts_now(uuid[]) is 'Writes again what these contacts are found by.';
revoke all on function private.index_contacts_now from public, anon, authenticated, service_role;

alter table private.contact_search enable row level security;

revoke all on private.contact_search from public, anon, authenticated, service_role;

create trigger follow_new_search after insert on public.contacts
  referencing new table as changed
  for each statement execute function private.follow_searched_contacts();

create trigger follow_changed_search after update on public.contacts
  referencing new table as changed old table as former
  for each statement execute function private.follow_searched_contacts();

create trigger follow_search after update of name on public.tags
  for each row when (old.name is distinct from new.name) execute function private.follow_searched_tags();

create trigger follow_changed_search
  after update on public.contact_emails referencing old table as former new table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_gone_search
  after delete on public.contact_emails referencing old table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_new_search
  after insert on public.contact_emails referencing new table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_changed_search
  after update on public.contact_phones referencing old table as former new table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_gone_search
  after delete on public.contact_phones referencing old table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_new_search
  after insert on public.contact_phones referencing new table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_changed_search
  after update on public.contact_tags referencing old table as former new table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_gone_search
  after delete on public.contact_tags referencing old table as changed
  for each statement execute function private.follow_searched_parts();

create trigger follow_new_search
  after insert on public.contact_tags referencing new table as changed
  for each statement execute function private.follow_searched_parts();
