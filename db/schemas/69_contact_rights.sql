-- Rights of the person's own clients (GDPR, art. 15, 17 and 20): everything about one contact is found, copied, erased.
--
-- private.contact_places is the register of what belongs to a contact: each table with a reference to contacts is in it, or
-- among the exceptions of tests/db/test_contact_rights.py with a reason. Rows without a reference that name the contact are
-- only mentions: the person decides about them, so they are in no copy.
--
-- Erasure: invoices and papers that the law keeps stay (art. 2220 c.c.), proof of consent stays without a name, tasks and
-- deals lose the name. Addresses that nobody may write to any more stay as addresses, not as digests: a person sees the
-- list and every mail is compared with it.
--
-- Error codes raised:
--   PT404  the caller has no such contact (PostgREST answers 404)
--   SC054  the typed name is not the name of the contact

create table public.contact_erasures (
  id uuid primary key default gen_random_uuid(),
  user_id uuid not null references auth.users (id) on delete cascade,
  -- No foreign key: the contact is gone, and its id then identifies nobody. By it a second click is the same erasure.
  contact_id uuid not null,
  initials text not null,
  request_id uuid,
  lines jsonb not null,
  created_at timestamptz not null default now(),

  unique (user_id, id),
  unique (user_id, contact_id),
  foreign key (user_id, request_id) references public.contact_requests (user_id, id) on delete set null (request_id),
  constraint initials_fit check (char_length(initials) between 1 and 40),
  constraint lines_are_a_list check (jsonb_typeof(lines) = 'array')
);
comment on table public.contact_erasures is
  'Certificates: when the data of a contact was erased, what went, what stayed and why; written by erase_contact() only.';
comment on column public.contact_erasures.initials is 'Of the erased contact: the full name is at most in the request.';
comment on column public.contact_erasures.lines is '[{place, label, fate: via | senza_nome | resta, found, reason}].';

create index contact_erasures_latest on public.contact_erasures (user_id, created_at desc);

create index contact_erasures_request on public.contact_erasures (user_id, request_id);

-- Used by the retention job.
create index contact_erasures_age on public.contact_erasures (created_at);

create function private.is_kept_document(_document public.documents)
  returns boolean
  language sql stable
  set search_path = ''
as $$
  -- With what came in it, which would go with it.
  with recursive whole as (
    select _document.id, _document.retention_until
    union
    select part.id, part.retention_until
    from whole join public.documents as part on part.user_id = _document.user_id and part.parent_id = whole.id
  )
  select exists (
    select from whole
    where retention_until >= private.today() or exists (
      select from public.invoices where user_id = _document.user_id and document_id = whole.id
    )
  )
$$;
comment on function private.is_kept_document(public.documents) is
  'Whether a document, or what came in it, is an invoice or has to be kept until a later day.';
revoke all on function private.is_kept_document from public, anon, authenticated, service_role;

-- `words` and `moment` are expressions over a row `one`; a row for which `kept_if` is true stays, whatever the fate is.
create view private.contact_places with (security_invoker = on) as
select place, keys::text[], domain, label, words, moment, fate, kept_if, reason from (values
  ('contact_emails', '{contact_id}', 'scheda', 'Indirizzi email', 'one.value', 'one.created_at', 'via', 'false', null),
  ('contact_phones', '{contact_id}', 'scheda', 'Numeri di telefono', 'one.value', 'one.created_at', 'via', 'false', null),
  ('contact_tags', '{contact_id}', 'scheda', 'Etichette',
    '(select name from public.tags where user_id = one.user_id and id = one.tag_id)', 'one.created_at', 'via', 'false', null),
  ('contact_channels', '{contact_id}', 'scheda', 'Identità WhatsApp', 'coalesce(one.username, one.external_id)',
    'one.created_at', 'via', 'false', null),
  ('document_aliases', '{contact_id}', 'scheda', 'Come lo riconosciamo nei documenti', 'one.value', 'one.created_at',
    'via', 'false', null),
  ('notes', '{contact_id}', 'storia', 'Note', 'one.body', 'one.created_at', 'via', 'false', null),
  ('interactions', '{contact_id}', 'storia', 'Chiamate, messaggi e incontri', 'coalesce(one.summary, one.kind::text)', 'one.at',
    'via', 'false', null),
  ('consents', '{contact_id}', 'consensi', 'Consensi di oggi', 'concat_ws('', '', one.channel, one.purpose, one.state)', 'one.at',
    'via', 'false', null),
  ('consent_events', '{contact_id}', 'consensi', 'Storia dei consensi', 'concat_ws('', '', one.channel, one.purpose, one.state)',
    'one.at', 'resta', 'true', 'Provano che cosa è stato consentito o revocato (art. 7 GDPR): restano senza nome'),
  ('deals', '{contact_id}', 'lavoro', 'Trattative', 'one.title', 'one.created_at', 'senza_nome', 'false',
    'È il tuo lavoro: resta senza il suo nome'),
  ('projects', '{contact_id}', 'lavoro', 'Progetti', 'one.name', 'one.created_at', 'senza_nome', 'false',
    'È il tuo lavoro: resta senza il suo nome'),
  ('tasks', '{contact_id,waiting_for}', 'lavoro', 'Attività', 'one.title', 'one.created_at', 'senza_nome', 'false',
    'È il tuo lavoro: resta senza il suo nome'),
  ('insights', '{contact_id}', 'lavoro', 'Suggerimenti', 'one.title', 'one.created_at', 'via', 'false', null),
  ('goal_steps', '{contact_id}', 'lavoro', 'Passi degli agenti', 'coalesce(one.preview ->> ''subject'', one.tool)',
    'one.created_at', 'via', 'false', null),
  ('mail_threads', '{contact_id}', 'messaggi', 'Conversazioni per email', 'one.subject', 'one.last_at', 'via', 'false', null),
  ('received_mails', '{contact_id}', 'messaggi', 'Email ricevute', 'one.subject', 'one.at', 'via', 'false', null),
  ('outgoing_mails', '{contact_id}', 'messaggi', 'Email inviate', 'one.subject', 'one.created_at', 'via', 'false', null),
  ('drafts', '{contact_id}', 'messaggi', 'Bozze', 'coalesce(one.subject, one.body)', 'one.created_at', 'via', 'false', null),
  ('whatsapp_messages', '{contact_id}', 'messaggi', 'Messaggi WhatsApp', 'private.whatsapp_words(one)', 'one.at', 'via', 'false', null),
  ('documents', '{contact_id}', 'documenti', 'Documenti', 'one.filename', 'one.created_at', 'via',
    'private.is_kept_document(one)',
    'Fatture e documenti fiscali: dieci anni (art. 2220 c.c.); contratti: fino alla prescrizione (art. 2946 c.c.)'),
  ('invoices', '{contact_id}', 'documenti', 'Fatture', 'one.number', 'one.issued_on::timestamptz', 'resta', 'true',
    'Dieci anni, per legge (art. 2220 c.c.)'),
  ('memories', '{contact_id}', 'assistente', 'Che cosa ricorda Socio', 'one.body', 'one.created_at', 'via', 'false', null),
  ('contact_requests', '{contact_id}', 'richieste', 'Richieste sui suoi dati', 'one.kind::text', 'one.received_on::timestamptz',
    'resta', 'true', 'Dimostrano che hai risposto (art. 5 GDPR): con il nome, cinque anni dalla chiusura')
) as places (place, keys, domain, label, words, moment, fate, kept_if, reason);
comment on view private.contact_places is
  'What belongs to a contact: tables with their keys, how a row reads, and what an erasure does with it and why.';
revoke all on private.contact_places from public, anon, authenticated, service_role;

create function private.contact_pattern(_user_id uuid, _contact_id uuid, _is_linked boolean)
  returns text
  language sql stable
  set search_path = ''
as $$
  with whole as (
    select * from public.contacts where user_id = _user_id and (id = _contact_id or merged_into = _contact_id)
  ), named as (
    -- A single word is a word of any text, and a name that another contact has too may mean that one.
    select * from whole
    where _is_linked or name ~ '\S\s+\S' and not exists (
      select from public.contacts as other
      where other.user_id = _user_id and lower(other.name) = lower(whole.name) and other.id not in (select id from whole)
    )
  ), terms as (
    select name::text as term from named
    union select last_name || ' ' || first_name from named where type = 'persona'
    union select unnest(array[pec, vat_number, tax_code]) from whole
    union select value from public.contact_emails where user_id = _user_id and contact_id = _contact_id
    union select unnest(array[value::text, norm, substring(norm from '^\+39(.*)$')])
      from public.contact_phones where user_id = _user_id and contact_id = _contact_id
  )
  -- Terms are words of people, not expressions.
  select '(?<![[:alnum:]])(?:' || string_agg(
    regexp_replace(regexp_replace(btrim(term), '([]\\.^$|()[{}*+?-])', '\\\1', 'g'), '\s+', '\\s+', 'g'), '|'
    order by char_length(term) desc, term
  ) || ')(?![[:alnum:]])'
  from terms where char_length(btrim(term)) >= case when _is_linked then 2 else 5 end
$$;
comment on function private.contact_pattern(uuid, uuid, boolean) is
  'A pattern that finds the name, addresses and numbers of a contact in a text: in any text by what identifies this contact only, '
  'else null, or in one that is linked to the contact.';
revoke all on function private.contact_pattern from public, anon, authenticated, service_role;

create function private.around(_text text, _pattern text)
  returns text
  language sql immutable strict
  set search_path = ''
as $$
  select substring(_text from '(?i).{0,80}' || _pattern || '.{0,120}')
$$;
comment on function private.around(text, text) is 'The passage of a text that a pattern finds.';
revoke all on function private.around from public, anon, authenticated, service_role;

create function private.contact_mentions(_user_id uuid, _contact_id uuid)
  returns table (place text, id uuid, at timestamptz, words text)
  language plpgsql stable
  set search_path = ''
as $$
declare
  _pattern constant text := private.contact_pattern(_user_id, _contact_id, false);
begin
  if _pattern is null then
    return;
  end if;
  return query
  select 'memories', one.id, one.created_at, one.body from public.memories as one
  where user_id = _user_id and contact_id is distinct from _contact_id and body ~* _pattern
  union all
  select 'messages', one.id, one.created_at, private.around(content, _pattern) from public.messages as one
  where user_id = _user_id and content ~* _pattern
  union all
  select 'conversations', one.id, one.created_at, title::text from public.conversations as one
  where user_id = _user_id and title ~* _pattern
  union all
  select 'notes', one.id, one.created_at, private.around(body, _pattern) from public.notes as one
  where user_id = _user_id and contact_id <> _contact_id and body ~* _pattern
  union all
  select 'interactions', one.id, one.at, private.around(summary, _pattern) from public.interactions as one
  where user_id = _user_id and contact_id <> _contact_id and summary ~* _pattern
  union all
  select 'tasks', one.id, one.created_at, title::text from public.tasks as one
  where user_id = _user_id and contact_id is distinct from _contact_id and waiting_for is distinct from _contact_id
    and concat_ws(E'\n', title, notes) ~* _pattern
  union all
  select 'deals', one.id, one.created_at, title::text from public.deals as one
  where user_id = _user_id and contact_id is distinct from _contact_id and title ~* _pattern
  union all
  select 'projects', one.id, one.created_at, name::text from public.projects as one
  where user_id = _user_id and contact_id is distinct from _contact_id and concat_ws(E'\n', name, note) ~* _pattern
  union all
  select 'notifications', one.id, one.created_at, title::text from public.notifications as one
  where user_id = _user_id and concat_ws(E'\n', title, message) ~* _pattern
  union all
  select 'received_mails', one.id, one.at, one.subject::text from public.received_mails as one
  where user_id = _user_id and contact_id is distinct from _contact_id
    and concat_ws(E'\n', sender, party, subject, body) ~* _pattern
  union all
  select 'invoices', one.id, one.issued_on::timestamptz, concat_ws(' ', one.number, counterparty_name)
  from public.invoices as one
  where user_id = _user_id and contact_id is null and concat_ws(E'\n', counterparty_name, counterparty_vat) ~* _pattern
  union all
  select 'documents', one.id, one.created_at, one.filename::text from public.documents as one
  where user_id = _user_id and contact_id is null and (
    contact_suggestion = _contact_id or concat_ws(E'\n', filename, title, supplier::text, note) ~* _pattern
    or exists (
      select from public.document_pages where user_id = _user_id and document_id = one.id and text ~* _pattern
    )
  );
end
$$;
comment on function private.contact_mentions(uuid, uuid) is
  'Rows of an owner without a reference to a contact that name it: by full name, address or number.';
revoke all on function private.contact_mentions from public, anon, authenticated, service_role;

-- What an erasure does with a mention.
create function private.mention_fate(_place text, out label text, out fate text, out reason text)
  language sql immutable
  set search_path = ''
as $$
  select told.label, told.fate, case told.fate when 'resta' then 'Non è collegato al contatto: decidi tu se eliminarlo' end
  from (values
    ('memories', 'Ricordi', 'via'), ('notifications', 'Avvisi', 'via'), ('messages', 'Chat con l’assistente', 'senza_nome'),
    ('conversations', 'Titoli di chat', 'senza_nome'), ('notes', 'Note di altri contatti', 'senza_nome'),
    ('interactions', 'Storia di altri contatti', 'senza_nome'), ('tasks', 'Attività', 'senza_nome'),
    ('deals', 'Trattative', 'senza_nome'), ('projects', 'Progetti', 'senza_nome'), ('received_mails', 'Email', 'resta'),
    ('invoices', 'Fatture', 'resta'), ('documents', 'Documenti', 'resta')
  ) as told (place, label, fate) where told.place = _place
$$;
comment on function private.mention_fate(text) is 'How mentions in a table are called, and what an erasure does with them.';
revoke all on function private.mention_fate from public, anon, authenticated, service_role;

create function private.unwritable(_user_id uuid, _contact_id uuid)
  returns setof text
  language sql stable
  set search_path = ''
as $$
  select distinct address from (
    select lower(value) as address from public.contact_emails where user_id = _user_id and contact_id = _contact_id
    union all
    select lower(pec) from public.contacts where user_id = _user_id and id = _contact_id and pec is not null
  ) as own
  where exists (select from public.mail_suppressions as stop where stop.user_id = _user_id and stop.address = own.address)
    or exists (
      select from public.consents
      where user_id = _user_id and contact_id = _contact_id and channel = 'email' and state in ('negato', 'revocato')
    )
    or exists (
      select from public.contact_requests where user_id = _user_id and contact_id = _contact_id and kind = 'opposizione'
    )
$$;
comment on function private.unwritable(uuid, uuid) is
  'Addresses of a contact that may not be written to: suppressed ones, and all of one that refused mails or objected.';
revoke all on function private.unwritable from public, anon, authenticated, service_role;

create function private.contact_findings(_user_id uuid, _contact_id uuid)
  returns table (
    domain text, place text, label text, fate text, reason text, found bigint, since timestamptz, newest jsonb
  )
  language plpgsql stable
  set search_path = ''
as $$
declare
  _place record;
begin
  return query
    select 'scheda', 'contacts', 'La scheda', 'via', null::text, count(*), min(one.created_at),
      jsonb_agg(jsonb_build_object('id', one.id, 'at', one.created_at, 'text', one.name))
    from public.contacts as one where user_id = _user_id and (id = _contact_id or merged_into = _contact_id);
  for _place in select * from private.contact_places
  loop
    return query execute format(
      $query$
      with found as materialized (
        select to_jsonb(one) ->> 'id' as id, %1$s as at, left(%2$s, 300) as text, case when %3$s then 'resta' else %4$L end as fate
        from public.%5$I as one
        where user_id = $1 and (%6$s)
      )
      select %7$L, %5$L, %8$L, each.fate, case when each.fate <> 'via' then %9$L end, count(*), min(at), (
        select jsonb_agg(to_jsonb(newest) - 'fate' order by at desc)
        from (select * from found where found.fate = each.fate order by at desc limit 20) as newest
      )
      from found as each group by each.fate
      $query$,
      _place.moment, _place.words, _place.kept_if, _place.fate, _place.place,
      (select string_agg(format('%I = $2', key), ' or ') from unnest(_place.keys) as key),
      _place.domain, _place.label, _place.reason
    ) using _user_id, _contact_id;
  end loop;
  return query
    select 'messaggi', 'mail_suppressions', 'Indirizzi a cui non si scrive più', 'resta',
      'Restano come indirizzi, perché nessuno gli scriva di nuovo (art. 21 GDPR)', count(*), null::timestamptz,
      jsonb_agg(jsonb_build_object('text', address))
    from private.unwritable(_user_id, _contact_id) as address having count(*) > 0;
  return query
    with mentions as materialized (select * from private.contact_mentions(_user_id, _contact_id))
    select 'forse', each.place, told.label, told.fate, told.reason, count(*), min(each.at), (
      select jsonb_agg(jsonb_build_object('id', id, 'at', at, 'text', left(words, 300)) order by at desc)
      from (select * from mentions where mentions.place = each.place order by mentions.at desc limit 20) as latest
    )
    from mentions as each cross join lateral private.mention_fate(each.place) as told
    group by each.place, told.label, told.fate, told.reason;
end
$$;
comment on function private.contact_findings(uuid, uuid) is
  'Everything about a contact by table: what it is, how much, since when, the newest twenty rows, and what an erasure does '
  'with it. In the domain «forse»: rows that only name it.';
revoke all on function private.contact_findings from public, anon, authenticated, service_role;

-- Security definer, like the functions below: they read the register, which is private, and the rows of the caller only.
create function public.find_contact_data(_contact_id uuid)
  returns table (
    domain text, place text, label text, fate text, reason text, found bigint, since timestamptz, newest jsonb
  )
  language plpgsql stable security definer
  set search_path = ''
  set statement_timeout = '15s'
as $$
begin
  if not exists (select from public.contacts where user_id = (select auth.uid()) and id = _contact_id) then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  return query select * from private.contact_findings((select auth.uid()), _contact_id);
end
$$;
comment on function public.find_contact_data(uuid) is 'private.contact_findings for a contact of the caller; PT404 if it is none.';
revoke all on function public.find_contact_data from public, anon, authenticated, service_role;
grant execute on function public.find_contact_data to authenticated;

create function private.controller(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', coalesce(business_name, full_name), 'person', full_name, 'vat_number', vat_number, 'tax_code', tax_code,
    'address', address, 'pec', pec, 'phone', business_phone, 'email', users.email
  ))
  from auth.users left join public.profiles on profiles.user_id = users.id where users.id = _user_id
$$;
comment on function private.controller(uuid) is 'Who is responsible for the data of a person''s clients: the person, by their profile.';
revoke all on function private.controller from public, anon, authenticated, service_role;

create function public.export_contact(_contact_id uuid)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  -- Whose the row is, how software found and sends it, and whoever else got a mail.
  _hidden constant text[] := '{user_id,contact_id,import_batch_id,storage_path,key,leased_until,attempts,sha256,folder,
    folder_name,uidvalidity,message_uid,reference_ids,envelope_id,recipients,reply_to,quoted,stems,words,position,reminded_at,
    next_remind_at,approved_hash,phone_id,removed_keys,suggested_thread_id}';
  _place record;
  _rows jsonb;
  _export jsonb;
begin
  select jsonb_build_object('exported_at', now(), 'controller', private.controller(_user_id),
      'contact', to_jsonb(contacts) - _hidden,
      'company', (
        select company.name from public.contacts as company
        where company.user_id = _user_id and company.id = contacts.company_id
      ),
      'tags', array(
        select tags.name from public.contact_tags join public.tags on tags.id = tag_id
        where contact_tags.user_id = _user_id and contact_tags.contact_id = _contact_id order by lower(tags.name)
      ),
      -- Who turned out to be the same person.
      'merged', (
        select coalesce(jsonb_agg(to_jsonb(merged) - _hidden order by merged.created_at), '[]')
        from public.contacts as merged where merged.user_id = _user_id and merged.merged_into = _contact_id
      ),
      'never_written_to', array(select private.unwritable(_user_id, _contact_id)),
      'labels', (select jsonb_object_agg(place, label) from private.contact_places))
  into _export
  from public.contacts where user_id = _user_id and id = _contact_id;
  if _export is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _place in select * from private.contact_places where place <> 'contact_tags'
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(one) - $3 order by created_at), ''[]'')
       from public.%I as one where user_id = $1 and (%s) %s', _place.place,
      (select string_agg(format('%I = $2', key), ' or ') from unnest(_place.keys) as key),
      -- What was thrown away is not kept to be read.
      case when _place.place in ('notes', 'drafts') then 'and deleted_at is null' end
    ) into _rows using _user_id, _contact_id, _hidden;
    _export := _export || jsonb_build_object(_place.place, _rows);
  end loop;
  return _export;
end
$$;
comment on function public.export_contact(uuid) is
  'All that is kept about one contact of the caller, table by table, without rows that only name it; PT404 if it is none.';
revoke all on function public.export_contact from public, anon, authenticated, service_role;
grant execute on function public.export_contact to authenticated;

create function private.without_name(_value jsonb, _pattern text, _instead text)
  returns jsonb
  language plpgsql immutable strict
  set search_path = ''
as $$
begin
  return regexp_replace(_value::text, _pattern, _instead, 'gi')::jsonb;
exception when invalid_text_representation then
  -- A figure that is the same as a telephone number: it names nobody.
  return _value;
end
$$;
comment on function private.without_name(jsonb, text, text) is 'Put other words where a pattern is found in the texts of a JSON value.';
revoke all on function private.without_name from public, anon, authenticated, service_role;

create function private.remove_name(_user_id uuid, _contact_id uuid, _with_mentions boolean)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _pattern constant text := private.contact_pattern(_user_id, _contact_id, false);
  _own_pattern constant text := private.contact_pattern(_user_id, _contact_id, true);
  _gone constant text := 'contatto cancellato';
  _ids uuid[];
begin
  if _with_mentions and _pattern is not null then
    _ids := array(select id from private.contact_mentions(_user_id, _contact_id));
    delete from public.memories where user_id = _user_id and id = any (_ids);
    delete from public.notifications where user_id = _user_id and id = any (_ids);
    delete from private.deleted_notifications as kept where user_id = _user_id and to_jsonb(kept)::text ~* _pattern;
    -- `unverified` counts characters of the former text.
    update public.messages set
      content = left(regexp_replace(content, _pattern, _gone, 'gi'), case role when 'user' then 20000 else 100000 end),
      unverified = '[]'
    where user_id = _user_id and id = any (_ids);
    update public.messages set
      refs = private.without_name(refs, _pattern, _gone),
      views = private.without_name(views, _pattern, _gone),
      suggestions = private.without_name(suggestions, _pattern, _gone),
      picked = private.without_name(picked, _pattern, _gone)
    where user_id = _user_id and concat(refs, views, suggestions, picked) ~* _pattern;
    update public.tool_calls set
      args = private.without_name(args, _pattern, _gone),
      preview = private.without_name(preview, _pattern, _gone),
      result = private.without_name(result, _pattern, _gone),
      undo = private.without_name(undo, _pattern, _gone)
    where user_id = _user_id and concat(args, preview, result, undo) ~* _pattern;
    update public.conversations set title = left(regexp_replace(title, _pattern, _gone, 'gi'), 120)
    where user_id = _user_id and id = any (_ids);
    update public.notes set body = left(regexp_replace(body, _pattern, _gone, 'gi'), 20000)
    where user_id = _user_id and id = any (_ids);
    update public.interactions set summary = left(regexp_replace(summary, _pattern, _gone, 'gi'), 20000)
    where user_id = _user_id and id = any (_ids);
    update public.tasks set title = left(regexp_replace(title, _pattern, _gone, 'gi'), 200),
      notes = left(regexp_replace(notes, _pattern, _gone, 'gi'), 20000)
    where user_id = _user_id and id = any (_ids);
    update public.deals set title = left(regexp_replace(title, _pattern, _gone, 'gi'), 200)
    where user_id = _user_id and id = any (_ids);
    update public.projects set name = left(regexp_replace(name, _pattern, _gone, 'gi'), 200),
      note = left(regexp_replace(note, _pattern, _gone, 'gi'), 20000)
    where user_id = _user_id and id = any (_ids);
  end if;
  update public.tasks set title = left(regexp_replace(title, _own_pattern, _gone, 'gi'), 200),
    notes = left(regexp_replace(notes, _own_pattern, _gone, 'gi'), 20000)
  where user_id = _user_id and (contact_id = _contact_id or waiting_for = _contact_id)
    and concat_ws(E'\n', title, notes) ~* _own_pattern;
  update public.deals set title = left(regexp_replace(title, _own_pattern, _gone, 'gi'), 200)
  where user_id = _user_id and contact_id = _contact_id and title ~* _own_pattern;
  update public.projects set name = left(regexp_replace(name, _own_pattern, _gone, 'gi'), 200),
    note = left(regexp_replace(note, _own_pattern, _gone, 'gi'), 20000)
  where user_id = _user_id and contact_id = _contact_id and concat_ws(E'\n', name, note) ~* _own_pattern;
end
$$;
comment on function private.remove_name(uuid, uuid, boolean) is
  'Takes the name of a contact out of work that stays; with mentions also out of chats and notes, and deletes memories.';
revoke all on function private.remove_name from public, anon, authenticated, service_role;

create function private.remove_letters(_user_id uuid, _contact_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _threads constant uuid[] := array(
    select id from public.mail_threads where user_id = _user_id and contact_id = _contact_id
    union select thread_id from public.received_mails where user_id = _user_id and contact_id = _contact_id
  );
begin
  delete from public.received_mails where user_id = _user_id and contact_id = _contact_id;
  delete from public.outgoing_mails where user_id = _user_id and contact_id = _contact_id;
  -- A thread with mails of others stays, without what its list shows of this one.
  update public.mail_threads set party = null, party_name = null, snippet = '', contact_id = null
  where user_id = _user_id and id = any (_threads) and contact_id = _contact_id and exists (
    select from public.received_mails as other where other.user_id = _user_id and other.thread_id = mail_threads.id
  );
  delete from public.mail_threads
  where user_id = _user_id and id = any (_threads) and not exists (
    select from public.received_mails as other where other.user_id = _user_id and other.thread_id = mail_threads.id
  ) and not exists (
    select from public.mail_thread_letters as other where other.user_id = _user_id and other.thread_id = mail_threads.id
  );
end
$$;
comment on function private.remove_letters(uuid, uuid) is 'Deletes the mails with a contact, and the threads that are empty then.';
revoke all on function private.remove_letters from public, anon, authenticated, service_role;

create function public.erase_contact(_contact_id uuid, _typed_name text, _with_mentions boolean default true)
  returns public.contact_erasures
  language plpgsql volatile security definer
  set search_path = ''
as $$
declare
  _user_id constant uuid := (select auth.uid());
  _name text;
  _lines jsonb;
  _request_id uuid;
  _erasure public.contact_erasures;
begin
  select name into _name from public.contacts where user_id = _user_id and id = _contact_id for update;
  if not found then
    -- A second click is the same erasure.
    select * into _erasure from public.contact_erasures where user_id = _user_id and contact_id = _contact_id;
    if not found then
      raise exception 'no such contact' using errcode = 'PT404';
    end if;
    return _erasure;
  end if;
  if private.words(_typed_name) is distinct from private.words(_name) then
    raise exception 'this is not the name of the contact' using errcode = 'SC054';
  end if;
  select jsonb_agg(jsonb_build_object(
    'place', place, 'label', case domain when 'forse' then label || ' che lo nominano' else label end,
    'fate', case when domain = 'forse' and not _with_mentions then 'resta' else fate end,
    'reason', case when domain = 'forse' and not _with_mentions then 'Non è collegato al contatto' else reason end,
    'found', line.found
  )) into _lines from private.contact_findings(_user_id, _contact_id) as line;
  insert into public.mail_suppressions (user_id, address)
  select _user_id, address from private.unwritable(_user_id, _contact_id) as address on conflict do nothing;
  perform private.remove_name(_user_id, _contact_id, _with_mentions);
  perform private.remove_letters(_user_id, _contact_id);
  -- The job of the trash erases them with their files, within a day.
  update public.documents as one set deleted_at = now() - interval '31 days'
  where user_id = _user_id and contact_id = _contact_id and not private.is_kept_document(one);
  delete from public.notifications where user_id = _user_id and entity_id = _contact_id;
  -- That there was a merge stays in the timeline of the other.
  update public.merge_log set loser_name = 'un contatto cancellato', changes = '[]'
  where user_id = _user_id and loser_id = _contact_id;
  update public.contact_requests set closed_at = now(), outcome = 'soddisfatta'
  where user_id = _user_id and contact_id = _contact_id and kind = 'cancellazione' and closed_at is null;
  select id into _request_id from public.contact_requests
  where user_id = _user_id and contact_id = _contact_id and kind = 'cancellazione' order by closed_at desc limit 1;
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  -- Computed again when it is opened.
  delete from private.home_pages where user_id = _user_id;
  insert into public.contact_erasures (user_id, contact_id, initials, request_id, lines)
  select _user_id, _contact_id, left(string_agg(upper(left(word, 1)) || '.', ' '), 40), _request_id, _lines
  from regexp_split_to_table(btrim(_name), '\s+') as word
  returning * into _erasure;
  -- In the list outside the database, for a restored backup: the time is that of the erasure.
  perform jobs.enqueue('erased_contacts', jsonb_build_object(
    'user_id', _user_id, 'part', concat_ws('/', 'contact', _contact_id, case when _with_mentions then 'all' else 'linked' end),
    'at', _erasure.created_at
  ), _user_id);
  return _erasure;
end
$$;
comment on function public.erase_contact(uuid, text, boolean) is
  'Erases one contact of the caller for good, with what was merged into it; answers the certificate. The name is typed to '
  'confirm; PT404 if there is no such contact.';
revoke all on function public.erase_contact from public, anon, authenticated, service_role;
grant execute on function public.erase_contact to authenticated;

create function private.erase_again(_user_id uuid, _part text, _at timestamptz)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _words constant text[] := string_to_array(_part, '/');
  _contact_id constant uuid := _words[2]::uuid;
  _name text;
  _claims text;
begin
  if _words[1] <> 'contact' then
    raise exception 'a part of an account that this version does not know: %', _words[1];
  end if;
  select name into _name from public.contacts where user_id = _user_id and id = _contact_id and created_at < _at;
  if not found then
    return false;
  end if;
  _claims := private.speak_for(_user_id);
  perform public.erase_contact(_contact_id, _name, _words[3] = 'all');
  perform set_config('request.jwt.claims', _claims, true);
  -- The certificate is of the day on which the contact was erased.
  update public.contact_erasures set created_at = _at where user_id = _user_id and contact_id = _contact_id;
  return true;
end
$$;
comment on function private.erase_again(uuid, text, timestamptz) is
  'Erases a contact that a restored backup brought back («contact/<id>/all», or «/linked» without mentions), as of the time of '
  'its erasure; answers whether it was there. For the owner of the database (backend/core/erased.py).';
revoke all on function private.erase_again from public, anon, authenticated, service_role;

create function private.forget_contact_requests(_limit integer)
  returns bigint
  language sql volatile security definer
  set search_path = ''
as $$
  with requests as (
    delete from public.contact_requests where id in (
      select id from public.contact_requests where closed_at < now() - interval '5 years' limit _limit
    )
    returning id
  ), erasures as (
    delete from public.contact_erasures where id in (
      select id from public.contact_erasures where created_at < now() - interval '5 years' limit _limit
    )
    returning id
  )
  select (select count(*) from requests) + (select count(*) from erasures)
$$;
comment on function private.forget_contact_requests(integer) is
  'Delete requests and certificates five years after their end; return how many.';
revoke all on function private.forget_contact_requests from public, anon, authenticated, service_role;
grant execute on function private.forget_contact_requests to service_role;

alter table public.contact_erasures enable row level security;

create policy "owners read their erasures" on public.contact_erasures
  for select to authenticated using (user_id = (select auth.uid()));

revoke all on public.contact_erasures from public, anon, authenticated, service_role;
grant select on public.contact_erasures to authenticated, service_role;
