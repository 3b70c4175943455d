-- Rights of contacts.
--   DROP VIEW public.insight_kinds
--   DROP VIEW public.retention_rules
--   DROP FUNCTION private.tables_about_contacts
--   DROP FUNCTION public.erase_contact
--   CREATE TABLE public.contact_erasures ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, con…
--   ALTER TABLE public.contact_erasures ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.contact_erasures FROM anon
--   CREATE TABLE public.contact_requests ( id uuid NOT NULL DEFAULT gen_random_uuid(), user_id uuid NOT NULL, con…
--   ALTER TABLE public.contact_requests ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.contact_requests FROM anon
--   CREATE TYPE public.contact_request_kind AS ENUM ( 'accesso', 'copia', 'rettifica', 'cancellazione', 'opposizi…
--   ALTER TABLE public.contact_requests ADD COLUMN kind public.contact_request_kind NOT NULL
--   ALTER TABLE public.contact_requests ADD COLUMN received_on date NOT NULL
--   ALTER TABLE public.contact_requests ADD COLUMN received_by public.single_line
--   ALTER TABLE public.contact_requests ADD COLUMN extended_at timestamp WITH time zone
--   ALTER TABLE public.contact_requests ADD COLUMN extension_reason text
--   ALTER TABLE public.contact_requests ADD COLUMN due_on date GENERATED ALWAYS AS (((received_on + make_interval…
--   ALTER TABLE public.contact_requests ADD COLUMN closed_at timestamp WITH time zone
--   CREATE TYPE public.contact_request_outcome AS ENUM ( 'soddisfatta', 'in_parte', 'rifiutata', 'ritirata' )
--   ALTER TABLE public.contact_requests ADD COLUMN outcome public.contact_request_outcome
--   ALTER TABLE public.contact_requests ADD COLUMN note text
--   ALTER TABLE public.contact_requests ADD COLUMN created_at timestamp WITH time zone NOT NULL DEFAULT now()
--   CREATE OR REPLACE FUNCTION private.around
--   CREATE OR REPLACE FUNCTION private.contact_findings
--   CREATE OR REPLACE FUNCTION private.contact_mentions
--   CREATE OR REPLACE FUNCTION private.contact_pattern
--   CREATE OR REPLACE FUNCTION private.controller
--   CREATE OR REPLACE FUNCTION private.forget_contact_requests
--   CREATE OR REPLACE FUNCTION private.is_kept_document
--   CREATE OR REPLACE FUNCTION private.mention_fate
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.remove_letters
--   CREATE OR REPLACE FUNCTION private.remove_name
--   CREATE OR REPLACE FUNCTION private.request_facts
--   CREATE OR REPLACE FUNCTION private.unwritable
--   CREATE OR REPLACE FUNCTION private.waiting_rows
--   CREATE OR REPLACE FUNCTION private.without_name
--   CREATE OR REPLACE FUNCTION public.close_contact_request
--   REVOKE ALL ON FUNCTION public.close_contact_request
--   CREATE OR REPLACE FUNCTION public.erase_contact
--   REVOKE ALL ON FUNCTION public.erase_contact
--   CREATE OR REPLACE FUNCTION public.export_contact
--   CREATE OR REPLACE FUNCTION public.extend_contact_request
--   REVOKE ALL ON FUNCTION public.extend_contact_request
--   CREATE OR REPLACE FUNCTION public.find_contact_data
--   REVOKE ALL ON FUNCTION public.find_contact_data
--   CREATE OR REPLACE FUNCTION public.register_contact_request
--   REVOKE ALL ON FUNCTION public.register_contact_request
--   ALTER TABLE public.contact_erasures ADD CONSTRAINT contact_erasures_user_id_fkey FOREIGN KEY (user_id) REFERE…
--   ALTER TABLE public.contact_requests ADD CONSTRAINT an_extension_has_a_reason CHECK (((extended_at IS NULL) = …
--   ALTER TABLE public.contact_requests ADD CONSTRAINT contact_requests_user_id_contact_id_fkey FOREIGN KEY (user…
--   ALTER TABLE public.contact_requests ADD CONSTRAINT contact_requests_user_id_fkey FOREIGN KEY (user_id) REFERE…
--   ALTER TABLE public.contact_erasures ADD CONSTRAINT contact_erasures_user_id_request_id_fkey FOREIGN KEY (user…
--   ALTER TABLE public.contact_requests ADD CONSTRAINT extension_reason_fits CHECK (((char_length(extension_reaso…
--   ALTER TABLE public.contact_requests ADD CONSTRAINT note_fits CHECK (((char_length(note) >= 1) AND (char_lengt…
--   ALTER TABLE public.contact_requests ADD CONSTRAINT what_is_closed_has_an_outcome CHECK (((closed_at IS NULL) …
--   CREATE VIEW private.contact_places WITH (security_invoker=on) AS SELECT place, (keys)::text[] AS keys, domain…
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE VIEW public.retention_rules WITH (security_invoker=on) AS SELECT rule, title, period, reason, outcome,…
--   REVOKE ALL ON TABLE public.retention_rules FROM anon
--   CREATE INDEX contact_erasures_age ON public.contact_erasures USING btree (created_at)
--   CREATE INDEX contact_erasures_latest ON public.contact_erasures USING btree (user_id, created_at DESC)
--   CREATE INDEX contact_erasures_request ON public.contact_erasures USING btree (user_id, request_id)
--   CREATE INDEX contact_requests_closed ON public.contact_requests USING btree (closed_at) WHERE (closed_at IS N…
--   CREATE INDEX contact_requests_contact ON public.contact_requests USING btree (user_id, contact_id)
--   CREATE INDEX contact_requests_due ON public.contact_requests USING btree (user_id, closed_at DESC, due_on)
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.contact_requests REFERENCING OLD TABLE AS changed FOR EACH…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.contact_requests REFERENCING NEW TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.contact_requests REFERENCING NEW TABLE AS changed FOR EACH…
--   CREATE POLICY owners read their erasures ON public.contact_erasures FOR SELECT TO authenticated USING ((user_…
--   CREATE POLICY owners read their requests ON public.contact_requests FOR SELECT TO authenticated USING ((user_…
--   COMMENT ON COLUMN public.contact_erasures.initials IS 'Of the erased contact: the full name is at most in the…
--   COMMENT ON COLUMN public.contact_erasures.lines IS '[{place, label, fate: via | senza_nome | resta, found, re…
--   COMMENT ON COLUMN public.contact_requests.due_on IS 'The last day to answer.'
--   COMMENT ON COLUMN public.contact_requests.received_by IS 'How it came in: a mail, a letter, by telephone.'
--   COMMENT ON FUNCTION private.around
--   COMMENT ON FUNCTION private.contact_findings
--   COMMENT ON FUNCTION private.contact_mentions
--   COMMENT ON FUNCTION private.contact_pattern
--   COMMENT ON FUNCTION private.controller
--   COMMENT ON FUNCTION private.forget_contact_requests
--   COMMENT ON FUNCTION private.is_kept_document
--   COMMENT ON FUNCTION private.mention_fate
--   COMMENT ON FUNCTION private.remove_letters
--   COMMENT ON FUNCTION private.remove_name
--   COMMENT ON FUNCTION private.request_facts
--   COMMENT ON FUNCTION private.unwritable
--   COMMENT ON FUNCTION private.without_name
--   COMMENT ON FUNCTION public.close_contact_request
--   COMMENT ON FUNCTION public.erase_contact
--   COMMENT ON FUNCTION public.export_contact
--   COMMENT ON FUNCTION public.extend_contact_request
--   COMMENT ON FUNCTION public.find_contact_data
--   COMMENT ON FUNCTION public.register_contact_request
--   COMMENT ON TABLE public.contact_erasures IS 'Certificates: when the data of a contact was erased, what went, …
--   COMMENT ON TABLE public.contact_requests IS 'What clients of a person asked about their data; written by the …
--   COMMENT ON VIEW private.contact_places IS 'What belongs to a contact: tables with their keys, how a row reads…
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   COMMENT ON VIEW public.retention_rules IS 'How long each kind of data is kept and why; `every` is how often t…
--   REVOKE ALL ON FUNCTION private.around
--   REVOKE ALL ON FUNCTION private.contact_findings
--   REVOKE ALL ON FUNCTION private.contact_mentions
--   REVOKE ALL ON FUNCTION private.contact_pattern
--   REVOKE ALL ON FUNCTION private.controller
--   REVOKE ALL ON FUNCTION private.forget_contact_requests
--   GRANT EXECUTE ON FUNCTION private.forget_contact_requests
--   REVOKE ALL ON FUNCTION private.is_kept_document
--   REVOKE ALL ON FUNCTION private.mention_fate
--   REVOKE ALL ON FUNCTION private.remove_letters
--   REVOKE ALL ON FUNCTION private.remove_name
--   REVOKE ALL ON FUNCTION private.request_facts
--   REVOKE ALL ON FUNCTION private.unwritable
--   REVOKE ALL ON FUNCTION private.without_name
--   GRANT EXECUTE ON FUNCTION public.close_contact_request
--   GRANT EXECUTE ON FUNCTION public.erase_contact
--   GRANT EXECUTE ON FUNCTION public.extend_contact_request
--   GRANT EXECUTE ON FUNCTION public.find_contact_data
--   GRANT EXECUTE ON FUNCTION public.register_contact_request
--   REVOKE ALL ON TABLE public.contact_erasures FROM authenticated
--   GRANT SELECT ON TABLE public.contact_erasures TO authenticated
--   REVOKE ALL ON TABLE public.contact_erasures FROM service_role
--   GRANT SELECT ON TABLE public.contact_erasures TO service_role
--   REVOKE ALL ON TABLE public.contact_requests FROM authenticated
--   GRANT SELECT ON TABLE public.contact_requests TO authenticated
--   REVOKE ALL ON TABLE public.contact_requests FROM service_role
--   GRANT SELECT ON TABLE public.contact_requests TO service_role
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role
--   REVOKE ALL ON TABLE public.retention_rules FROM authenticated
--   GRANT SELECT ON TABLE public.retention_rules TO authenticated
--   REVOKE ALL ON TABLE public.retention_rules FROM service_role
--   GRANT SELECT ON TABLE public.retention_rules TO service_role

set check_function_bodies = off;

DROP VIEW "public"."insight_kinds";

DROP VIEW "public"."retention_rules";

DROP FUNCTION "private"."tables_about_contacts"();

DROP FUNCTION "public"."erase_contact"(uuid);

CREATE TABLE "public"."contact_erasures" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "user_id"    uuid                     NOT NULL,
  "contact_id" uuid                     NOT NULL,
  "initials"   text                     NOT NULL,
  "request_id" uuid,
  "lines"      jsonb                    NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "contact_erasures_pkey" PRIMARY KEY (id),
  CONSTRAINT "contact_erasures_user_id_contact_id_key" UNIQUE (user_id, contact_id),
  CONSTRAINT "contact_erasures_user_id_id_key" UNIQUE (user_id, id),
  CONSTRAINT "initials_fit" CHECK (((char_length(initials) >= 1) AND (char_length(initials) <= 40))),
  CONSTRAINT "lines_are_a_list" CHECK ((jsonb_typeof(lines) = 'array'::text))
);

ALTER TABLE "public"."contact_erasures"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."contact_erasures" FROM "anon";

CREATE TABLE "public"."contact_requests" (
  "id"           uuid               NOT NULL DEFAULT gen_random_uuid(),
  "user_id"      uuid               NOT NULL,
  "contact_id"   uuid,
  "contact_name" public.single_line NOT NULL,
  CONSTRAINT "contact_requests_pkey" PRIMARY KEY (id),
  CONSTRAINT "contact_requests_user_id_id_key" UNIQUE (user_id, id)
);

ALTER TABLE "public"."contact_requests"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."contact_requests" FROM "anon";

CREATE TYPE "public"."contact_request_kind" AS ENUM (
  'accesso',
  'copia',
  'rettifica',
  'cancellazione',
  'opposizione'
);

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "kind" public.contact_request_kind NOT NULL;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "received_on" date NOT NULL;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "received_by" public.single_line;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "extended_at" timestamp WITH time zone;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "extension_reason" text;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "due_on" date GENERATED ALWAYS AS (((received_on + make_interval(months =>
CASE
    WHEN (extended_at IS NULL) THEN 1
    ELSE 3
END)))::date) STORED NOT NULL;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "closed_at" timestamp WITH time zone;

CREATE TYPE "public"."contact_request_outcome" AS ENUM (
  'soddisfatta',
  'in_parte',
  'rifiutata',
  'ritirata'
);

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "outcome" public.contact_request_outcome;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "note" text;

ALTER TABLE "public"."contact_requests"
  ADD COLUMN "created_at" timestamp WITH time zone NOT NULL DEFAULT now();

CREATE OR REPLACE FUNCTION private.around (
  _text    text,
  _pattern text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
  select substring(_text from '(?i).{0,80}' || _pattern || '.{0,120}')
$function$;

CREATE OR REPLACE FUNCTION private.contact_findings (
  _user_id    uuid,
  _contact_id uuid
)
  RETURNS TABLE (
    domain text,
    place  text,
    label  text,
    fate   text,
    reason text,
    found  bigint,
    since  timestamp with time zone,
    newest jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.contact_mentions (
  _user_id    uuid,
  _contact_id uuid
)
  RETURNS TABLE (
    place text,
    id    uuid,
    at    timestamp with time zone,
    words text
  )
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.contact_pattern (
  _user_id    uuid,
  _contact_id uuid,
  _is_linked  boolean
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.controller (
  _user_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', coalesce(business_name, full_name), 'person', full_name, 'vat_number', vat_number, 'tax_code', tax_code,
    'address', address, 'pec', pec, 'phone', business_phone, 'email', users.email
  ))
  from auth.users left join public.profiles on profiles.user_id = users.id where users.id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.forget_contact_requests (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.is_kept_document (
  _document public.documents
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.mention_fate (
  _place text,
  OUT    label text,
  OUT    fate text,
  OUT    reason text
)
  RETURNS record
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select told.label, told.fate, case told.fate when 'resta' then 'Non è collegato al contatto: decidi tu se eliminarlo' end
  from (values
    ('memories', 'Ricordi', 'via'), ('notifications', 'Avvisi', 'via'), ('messages', 'Chat con l’assistente', 'senza_nome'),
    ('conversations', 'Titoli di chat', 'senza_nome'), ('notes', 'Note di altri contatti', 'senza_nome'),
    ('interactions', 'Storia di altri contatti', 'senza_nome'), ('tasks', 'Attività', 'senza_nome'),
    ('deals', 'Trattative', 'senza_nome'), ('projects', 'Progetti', 'senza_nome'), ('received_mails', 'Email', 'resta'),
    ('invoices', 'Fatture', 'resta'), ('documents', 'Documenti', 'resta')
  ) as told (place, label, fate) where told.place = _place
$function$;

CREATE OR REPLACE FUNCTION private.refresh_home (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _claims constant text := current_setting('request.jwt.claims', true);
  _today constant date := private.today();
  _parts private.open_part[];
  _pairs jsonb;
  _facts private.insight_fact[];
  _flat_rate jsonb;
begin
  -- One at a time for each person. A change that is not committed yet keeps its mark, and is computed after it.
  perform pg_advisory_xact_lock(hashtextextended('home ' || _user_id, 0));
  delete from private.insight_marks where user_id = _user_id;
  if not exists (select from public.profiles where user_id = _user_id) or private.is_frozen(_user_id) then
    return;
  end if;
  perform set_config('request.jwt.claims', jsonb_build_object('sub', _user_id, 'role', 'authenticated')::text, true);
  _parts := array(select part from private.open_parts(_user_id) as part);
  select private.standing_pairs(_user_id, pairs) into _pairs
  from private.home_pages where user_id = _user_id and day = _today;
  if not found then
    select coalesce(jsonb_agg(jsonb_build_array(a_id, b_id)), '[]') into _pairs from public.find_duplicates(500);
  end if;
  _flat_rate := private.flat_rate(_user_id, _today);
  _facts := array(
    select fact from private.invoice_facts(_user_id, _parts, _today) as fact
    union all select fact from private.rejected_facts(_user_id, _today) as fact
    union all select fact from private.deal_facts(_user_id, _today) as fact
    union all select fact from private.people_facts(_user_id, _today) as fact
    union all select fact from private.answer_facts(_user_id, _today) as fact
    union all select fact from private.window_facts(_user_id) as fact
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.consent_facts(_user_id) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
    union all select fact from private.request_facts(_user_id, _today) as fact
  );
  perform private.keep_insights(_user_id, _facts);
  insert into private.home_pages (user_id, day, refreshed_at, content, pairs)
  values (
    _user_id, _today, now(),
    private.home_content(_user_id, _parts, _facts, _today) || jsonb_build_object('flat_rate', _flat_rate), _pairs
  )
  on conflict (user_id) do update set day = excluded.day, refreshed_at = excluded.refreshed_at,
    content = excluded.content, pairs = excluded.pairs;
  perform set_config('request.jwt.claims', coalesce(_claims, ''), true);
end
$function$;

CREATE OR REPLACE FUNCTION private.remove_letters (
  _user_id    uuid,
  _contact_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.remove_name (
  _user_id       uuid,
  _contact_id    uuid,
  _with_mentions boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.request_facts (
  _user_id uuid,
  _today   date
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'richiesta_cliente', 'contact_request', id, due_on - 7, contact_id,
    'Richiesta di ' || contact_name || ': ' || case
      when due_on < _today then 'scaduta'
      when due_on = _today then 'scade oggi'
      else 'mancano ' || private.counted(due_on - _today, 'un giorno', 'giorni')
    end,
    'Ha chiesto ' || case kind
      when 'accesso' then 'di sapere quali suoi dati hai'
      when 'copia' then 'una copia dei suoi dati'
      when 'rettifica' then 'di correggere i suoi dati'
      when 'cancellazione' then 'di cancellare i suoi dati'
      else 'di non usare più i suoi dati'
    end || ': rispondi entro il ' || to_char(due_on, 'DD/MM/YYYY') || '.',
    null::bigint, 'EUR', case when due_on < _today then 1.0 else 0.9 end, '{}'::jsonb
  from public.contact_requests
  where user_id = _user_id and closed_at is null and due_on - 7 <= _today
  order by due_on, id limit private.most_facts()
$function$;

CREATE OR REPLACE FUNCTION private.unwritable (
  _user_id    uuid,
  _contact_id uuid
)
  RETURNS SETOF text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION private.waiting_rows (
  _user_id uuid
)
  RETURNS TABLE (
    rule    text,
    waiting bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select 'temporary_conversations', count(*) from public.conversations where user_id = _user_id and is_temporary
  union all
  select 'trash', count(*) from (
    select from public.contacts where user_id = _user_id and deleted_at is not null
    union all select from public.deals where user_id = _user_id and deleted_at is not null
    union all select from public.drafts where user_id = _user_id and deleted_at is not null
    union all select from public.notes where user_id = _user_id and deleted_at is not null
    union all select from public.projects where user_id = _user_id and deleted_at is not null
    union all select from public.tasks where user_id = _user_id and deleted_at is not null
  ) as deleted
  union all
  select 'documents', count(*) from public.documents where user_id = _user_id and deleted_at is not null
  union all
  select 'merges', count(*) from public.merge_log where user_id = _user_id and changes <> '[]'
  union all
  select 'client_requests', (
    select count(*) from public.contact_requests where user_id = _user_id and closed_at is not null
  ) + (select count(*) from public.contact_erasures where user_id = _user_id)
  union all
  select 'goals', count(*) from public.goals where user_id = _user_id and completed_at is not null
  union all
  select 'ethical_logs', count(*) from public.ethical_logs where user_id = _user_id
  union all
  select 'insights', count(*) from public.insights where user_id = _user_id
  union all
  select 'mails', count(*) from public.received_mails where user_id = _user_id and kind <> 'persona'
  union all
  select 'whatsapp_deliveries', count(*) from private.whatsapp_deliveries where user_id = _user_id
  union all
  select 'notifications', count(*) from public.notifications where user_id = _user_id and is_read
  union all
  select 'deleted_notifications', count(*) from private.deleted_notifications where user_id = _user_id
  union all
  select 'deliveries', count(*) from private.notification_deliveries where user_id = _user_id
$function$;

CREATE OR REPLACE FUNCTION private.without_name (
  _value   jsonb,
  _pattern text,
  _instead text
)
  RETURNS jsonb
  LANGUAGE plpgsql
  IMMUTABLE
  STRICT
  SET search_path TO ''
  AS $function$
begin
  return regexp_replace(_value::text, _pattern, _instead, 'gi')::jsonb;
exception when invalid_text_representation then
  -- A figure that is the same as a telephone number: it names nobody.
  return _value;
end
$function$;

CREATE OR REPLACE FUNCTION public.close_contact_request (
  _id      uuid,
  _outcome public.contact_request_outcome,
  _note    text                           DEFAULT NULL::text
)
  RETURNS public.contact_requests
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _request public.contact_requests;
begin
  update public.contact_requests set closed_at = now(), outcome = _outcome, note = nullif(btrim(_note), '')
  where user_id = (select auth.uid()) and id = _id and closed_at is null
  returning * into _request;
  if not found then
    -- A second click changes nothing.
    select * into _request from public.contact_requests where user_id = (select auth.uid()) and id = _id;
  end if;
  if _request.id is null then
    raise exception 'no such request' using errcode = 'PT404';
  end if;
  return _request;
end
$function$;

REVOKE ALL ON FUNCTION "public"."close_contact_request"(uuid, public.contact_request_outcome, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.erase_contact (
  _contact_id    uuid,
  _typed_name    text,
  _with_mentions boolean DEFAULT true
)
  RETURNS public.contact_erasures
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
  return _erasure;
end
$function$;

REVOKE ALL ON FUNCTION "public"."erase_contact"(uuid, text, boolean) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.export_contact (
  _contact_id uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.extend_contact_request (
  _id     uuid,
  _reason text
)
  RETURNS public.contact_requests
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _request public.contact_requests;
begin
  select * into _request from public.contact_requests where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such request' using errcode = 'PT404';
  end if;
  if _request.closed_at is not null or _request.extended_at is not null or _request.due_on < private.today() then
    raise exception 'this request cannot be extended' using errcode = 'SC053';
  end if;
  update public.contact_requests set extended_at = now(), extension_reason = btrim(_reason)
  where id = _id returning * into _request;
  return _request;
end
$function$;

REVOKE ALL ON FUNCTION "public"."extend_contact_request"(uuid, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.find_contact_data (
  _contact_id uuid
)
  RETURNS TABLE (
    domain text,
    place  text,
    label  text,
    fate   text,
    reason text,
    found  bigint,
    since  timestamp with time zone,
    newest jsonb
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '15s'
  AS $function$
begin
  if not exists (select from public.contacts where user_id = (select auth.uid()) and id = _contact_id) then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  return query select * from private.contact_findings((select auth.uid()), _contact_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."find_contact_data"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.register_contact_request (
  _contact_id  uuid,
  _kind        public.contact_request_kind,
  _received_on date                        DEFAULT NULL::date,
  _received_by text                        DEFAULT NULL::text
)
  RETURNS public.contact_requests
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _today constant date := private.today();
  _request public.contact_requests;
begin
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  _received_on := coalesce(_received_on, _today);
  if _received_on not between _today - 365 and _today then
    raise exception 'a request is received today or in the past year' using errcode = 'SC051';
  end if;
  -- A second click waits for the first.
  perform from public.profiles where user_id = _user_id for no key update;
  select * into _request from public.contact_requests
  where user_id = _user_id and contact_id = _contact_id and kind = _kind and received_on = _received_on and closed_at is null;
  if found then
    return _request;
  end if;
  if (select count(*) from public.contact_requests where user_id = _user_id and closed_at is null) >= 200 then
    raise exception 'too many open requests' using errcode = 'SC052';
  end if;
  insert into public.contact_requests (user_id, contact_id, contact_name, kind, received_on, received_by)
  select _user_id, id, left(name, 200), _kind, _received_on, nullif(btrim(_received_by), '')
  from public.contacts where user_id = _user_id and id = _contact_id
  returning * into _request;
  return _request;
end
$function$;

REVOKE ALL ON FUNCTION "public"."register_contact_request"(uuid, public.contact_request_kind, date, text) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "public"."contact_erasures"
  ADD CONSTRAINT "contact_erasures_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "an_extension_has_a_reason" CHECK (((extended_at IS NULL) = (extension_reason IS NULL)));

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "contact_requests_user_id_contact_id_fkey" FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "contact_requests_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "public"."contact_erasures"
  ADD CONSTRAINT "contact_erasures_user_id_request_id_fkey" FOREIGN KEY (user_id, request_id) REFERENCES public.contact_requests(user_id, id) ON DELETE SET NULL (request_id);

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "extension_reason_fits" CHECK (((char_length(extension_reason) >= 3) AND (char_length(extension_reason) <= 1000)));

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "note_fits" CHECK (((char_length(note) >= 1) AND (char_length(note) <= 2000)));

ALTER TABLE "public"."contact_requests"
  ADD CONSTRAINT "what_is_closed_has_an_outcome" CHECK (((closed_at IS NULL) = (outcome IS NULL)));

CREATE VIEW "private"."contact_places" WITH (security_invoker=on) AS  SELECT place,
    (keys)::text[] AS keys,
    domain,
    label,
    words,
    moment,
    fate,
    kept_if,
    reason
   FROM ( VALUES ('contact_emails'::text,'{contact_id}'::text,'scheda'::text,'Indirizzi email'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_phones'::text,'{contact_id}'::text,'scheda'::text,'Numeri di telefono'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_tags'::text,'{contact_id}'::text,'scheda'::text,'Etichette'::text,'(select name from public.tags where user_id = one.user_id and id = one.tag_id)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_channels'::text,'{contact_id}'::text,'scheda'::text,'Identità WhatsApp'::text,'coalesce(one.username, one.external_id)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('document_aliases'::text,'{contact_id}'::text,'scheda'::text,'Come lo riconosciamo nei documenti'::text,'one.value'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('notes'::text,'{contact_id}'::text,'storia'::text,'Note'::text,'one.body'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('interactions'::text,'{contact_id}'::text,'storia'::text,'Chiamate, messaggi e incontri'::text,'coalesce(one.summary, one.kind::text)'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('consents'::text,'{contact_id}'::text,'consensi'::text,'Consensi di oggi'::text,'concat_ws('', '', one.channel, one.purpose, one.state)'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('consent_events'::text,'{contact_id}'::text,'consensi'::text,'Storia dei consensi'::text,'concat_ws('', '', one.channel, one.purpose, one.state)'::text,'one.at'::text,'resta'::text,'true'::text,'Provano che cosa è stato consentito o revocato (art. 7 GDPR): restano senza nome'::text), ('deals'::text,'{contact_id}'::text,'lavoro'::text,'Trattative'::text,'one.title'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('projects'::text,'{contact_id}'::text,'lavoro'::text,'Progetti'::text,'one.name'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('tasks'::text,'{contact_id,waiting_for}'::text,'lavoro'::text,'Attività'::text,'one.title'::text,'one.created_at'::text,'senza_nome'::text,'false'::text,'È il tuo lavoro: resta senza il suo nome'::text), ('insights'::text,'{contact_id}'::text,'lavoro'::text,'Suggerimenti'::text,'one.title'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('goal_steps'::text,'{contact_id}'::text,'lavoro'::text,'Passi degli agenti'::text,'coalesce(one.preview ->> ''subject'', one.tool)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('mail_threads'::text,'{contact_id}'::text,'messaggi'::text,'Conversazioni per email'::text,'one.subject'::text,'one.last_at'::text,'via'::text,'false'::text,NULL::text), ('received_mails'::text,'{contact_id}'::text,'messaggi'::text,'Email ricevute'::text,'one.subject'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('outgoing_mails'::text,'{contact_id}'::text,'messaggi'::text,'Email inviate'::text,'one.subject'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('drafts'::text,'{contact_id}'::text,'messaggi'::text,'Bozze'::text,'coalesce(one.subject, one.body)'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('whatsapp_messages'::text,'{contact_id}'::text,'messaggi'::text,'Messaggi WhatsApp'::text,'one.summary'::text,'one.at'::text,'via'::text,'false'::text,NULL::text), ('documents'::text,'{contact_id}'::text,'documenti'::text,'Documenti'::text,'one.filename'::text,'one.created_at'::text,'via'::text,'private.is_kept_document(one)'::text,'Fatture e documenti fiscali: dieci anni (art. 2220 c.c.); contratti: fino alla prescrizione (art. 2946 c.c.)'::text), ('invoices'::text,'{contact_id}'::text,'documenti'::text,'Fatture'::text,'one.number'::text,'one.issued_on::timestamptz'::text,'resta'::text,'true'::text,'Dieci anni, per legge (art. 2220 c.c.)'::text), ('memories'::text,'{contact_id}'::text,'assistente'::text,'Che cosa ricorda Socio'::text,'one.body'::text,'one.created_at'::text,'via'::text,'false'::text,NULL::text), ('contact_requests'::text,'{contact_id}'::text,'richieste'::text,'Richieste sui suoi dati'::text,'one.kind::text'::text,'one.received_on::timestamptz'::text,'resta'::text,'true'::text,'Dimostrano che hai risposto (art. 5 GDPR): con il nome, cinque anni dalla chiusura'::text)) places(place, keys, domain, label, words, moment, fate, kept_if, reason);

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('fattura_scartata'::text,'Fatture scartate'::text,'soldi'::text,'fattura'::text,0,1), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('risposta_dovuta'::text,'Risposte che aspettano'::text,'persone'::text,'rispondi'::text,30000,1), ('finestra_whatsapp'::text,'Finestre WhatsApp che si chiudono'::text,'persone'::text,'rispondi'::text,40000,1), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14), ('consenso_mancante'::text,'Consensi che mancano'::text,'persone'::text,'contatti'::text,5000,30), ('soglia_forfettario'::text,'Soglia del forfettario'::text,'rischi'::text,'forfettario'::text,20000,30), ('richiesta_cliente'::text,'Richieste sui dati dei clienti'::text,'rischi'::text,'richiesta'::text,60000,1)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

CREATE VIEW "public"."retention_rules" WITH (security_invoker=on) AS  SELECT rule,
    title,
    period,
    reason,
    outcome,
    (every)::interval AS every,
    is_personal,
    (tables)::text[] AS tables
   FROM ( VALUES ('temporary_conversations'::text,'Conversazioni temporanee'::text,'1 ora dall’ultimo messaggio'::text,'Le hai volute temporanee'::text,'delete'::text,'10 minutes'::text,true,'{public.conversations}'::text), ('trash'::text,'Cestino: contatti, trattative, bozze, note, progetti e attività'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.contacts,public.deals,public.drafts,public.notes,public.projects,public.tasks}'::text), ('documents'::text,'Documenti nel cestino, con i loro file'::text,'30 giorni dall’eliminazione'::text,'Per poterli ripristinare'::text,'delete'::text,'1 day'::text,true,'{public.documents}'::text), ('client_requests'::text,'Richieste dei tuoi clienti sui loro dati, con i certificati di cancellazione'::text,'5 anni dalla chiusura'::text,'Per dimostrare che hai risposto, finché si può chiedertelo (art. 28 L. 689/1981)'::text,'delete'::text,'1 day'::text,true,'{public.contact_requests,public.contact_erasures}'::text), ('merges'::text,'Contatti uniti ad altri'::text,'30 giorni dall’unione'::text,'Per poter annullare l’unione'::text,'delete'::text,'1 day'::text,true,'{public.merge_log}'::text), ('goals'::text,'Obiettivi conclusi, con i loro passi'::text,'90 giorni dalla fine'::text,'Per rileggerli'::text,'delete'::text,'1 day'::text,true,'{public.goals,public.goal_steps}'::text), ('ethical_logs'::text,'Registro etico'::text,'12 mesi'::text,'Per dimostrare che cosa è stato deciso; senza l’account resta senza il tuo nome'::text,'keep'::text,'1 day'::text,true,'{public.ethical_logs}'::text), ('insights'::text,'Suggerimenti proattivi'::text,'30 giorni'::text,'Servono finché sono attuali'::text,'delete'::text,'1 day'::text,true,'{public.insights}'::text), ('mails'::text,'Email ricevute da liste e sistemi automatici'::text,'180 giorni'::text,'Non sono conversazioni con i tuoi clienti'::text,'delete'::text,'1 day'::text,true,'{public.received_mails}'::text), ('whatsapp_deliveries'::text,'Messaggi WhatsApp nella forma in cui Meta li consegna'::text,'7 giorni'::text,'Per leggerli di nuovo dopo un guasto'::text,'delete'::text,'1 day'::text,true,'{private.whatsapp_deliveries}'::text), ('notifications'::text,'Avvisi letti'::text,'12 mesi da quando li leggi'::text,'Per ritrovarli'::text,'delete'::text,'1 day'::text,true,'{public.notifications}'::text), ('deleted_notifications'::text,'Avvisi che elimini'::text,'1 giorno'::text,'Per poter annullare'::text,'delete'::text,'1 day'::text,true,'{private.deleted_notifications}'::text), ('deliveries'::text,'Registro degli invii di avvisi'::text,'90 giorni'::text,'Per non inviarli due volte'::text,'delete'::text,'1 day'::text,true,'{private.notification_deliveries}'::text), ('events'::text,'Statistiche d’uso'::text,'24 mesi'::text,'Il tuo consenso alle statistiche'::text,'delete'::text,'1 hour'::text,true,'{public.analytics_events}'::text), ('errors'::text,'Errori del browser'::text,'90 giorni'::text,'Interesse legittimo: correggere i guasti'::text,'delete'::text,'1 hour'::text,true,'{public.error_logs}'::text), ('waiting_list'::text,'Lista d’attesa'::text,'24 mesi, 7 giorni se l’indirizzo non è confermato'::text,'Il consenso di chi si iscrive'::text,'delete'::text,'1 hour'::text,false,'{}'::text), ('exports'::text,'Archivi dei tuoi dati da scaricare'::text,'7 giorni, o finché ne chiedi un altro'::text,'Per scaricarli con calma'::text,'delete'::text,'1 hour'::text,true,'{}'::text), ('runs'::text,'Registro delle cancellazioni'::text,'24 mesi'::text,'Per dimostrare che i termini sono rispettati'::text,'delete'::text,'1 day'::text,false,'{}'::text), ('chat'::text,'Conversazioni con l’assistente'::text,'Finché le elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.messages,public.message_feedback,public.tool_calls,public.runs}'::text), ('memory'::text,'Memoria di Socio'::text,'Finché la elimini tu o hai l’account'::text,'Il contratto'::text,'delete'::text,NULL::text,true,'{public.memories,public.memory_settings,public.memory_uses}'::text), ('billing'::text,'Ordini e movimenti di crediti'::text,'10 anni, anche senza l’account'::text,'Obbligo di legge (art. 2220 c.c.): senza l’account restano senza indirizzo, e con i dati di chi compra solo se c’è fattura'::text,'keep'::text,NULL::text,true,'{public.credit_orders,public.credit_ledger,public.credit_lots,public.credit_wallets,public.credit_holds,public.hold_lots,private.early_bird_seats}'::text), ('account'::text,'Tutto il resto del tuo account'::text,'30 giorni da quando chiedi di eliminarlo'::text,'Per poter annullare'::text,'delete'::text,NULL::text,true,'{}'::text), ('certificates'::text,'Certificati di eliminazione'::text,'10 anni, anche senza l’account'::text,'Per dimostrare che è avvenuta: dicono quante righe c’erano, non di chi'::text,'keep'::text,NULL::text,true,'{public.deletion_requests}'::text)) rules(rule, title, period, reason, outcome, every, is_personal, tables);

REVOKE ALL ON TABLE "public"."retention_rules" FROM "anon";

CREATE INDEX contact_erasures_age ON public.contact_erasures USING btree (created_at);

CREATE INDEX contact_erasures_latest ON public.contact_erasures USING btree (user_id, created_at DESC);

CREATE INDEX contact_erasures_request ON public.contact_erasures USING btree (user_id, request_id);

CREATE INDEX contact_requests_closed ON public.contact_requests USING btree (closed_at)
  WHERE (closed_at IS NOT NULL);

CREATE INDEX contact_requests_contact ON public.contact_requests USING btree (user_id, contact_id);

CREATE INDEX contact_requests_due ON public.contact_requests USING btree (user_id, closed_at DESC, due_on);

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.contact_requests REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.contact_requests REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.contact_requests REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE POLICY "owners read their erasures" ON "public"."contact_erasures"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their requests" ON "public"."contact_requests"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."contact_erasures"."initials" IS 'Of the erased contact: the full name is at most in the request.';

COMMENT ON COLUMN "public"."contact_erasures"."lines" IS '[{place, label, fate: via | senza_nome | resta, found, reason}].';

COMMENT ON COLUMN "public"."contact_requests"."due_on" IS 'The last day to answer.';

COMMENT ON COLUMN "public"."contact_requests"."received_by" IS 'How it came in: a mail, a letter, by telephone.';

COMMENT ON FUNCTION "private"."around"(text, text) IS 'The passage of a text that a pattern finds.';

COMMENT ON FUNCTION "private"."contact_findings"(uuid, uuid) IS 'Everything about a contact by table: what it is, how much, since when, the newest twenty rows, and what an erasure does with it. In the domain «forse»: rows that only name it.';

COMMENT ON FUNCTION "private"."contact_mentions"(uuid, uuid) IS 'Rows of an owner without a reference to a contact that name it: by full name, address or number.';

COMMENT ON FUNCTION "private"."contact_pattern"(uuid, uuid, boolean) IS 'A pattern that finds the name, addresses and numbers of a contact in a text: in any text by what identifies nobody else, else null, or in one that is linked to the contact.';

COMMENT ON FUNCTION "private"."controller"(uuid) IS 'Who is responsible for the data of a person''s clients: the person, by their profile.';

COMMENT ON FUNCTION "private"."forget_contact_requests"(integer) IS 'Delete requests and certificates five years after their end; return how many.';

COMMENT ON FUNCTION "private"."is_kept_document"(public.documents) IS 'Whether a document, or what came in it, is an invoice or has to be kept until a later day.';

COMMENT ON FUNCTION "private"."mention_fate"(text) IS 'How mentions in a table are called, and what an erasure does with them.';

COMMENT ON FUNCTION "private"."remove_letters"(uuid, uuid) IS 'Deletes the mails with a contact, and the threads that are empty then.';

COMMENT ON FUNCTION "private"."remove_name"(uuid, uuid, boolean) IS 'Takes the name of a contact out of work that stays; with mentions also out of chats and notes, and deletes memories.';

COMMENT ON FUNCTION "private"."request_facts"(uuid, date) IS 'Requests of clients about their data that are due within a week, or late.';

COMMENT ON FUNCTION "private"."unwritable"(uuid, uuid) IS 'Addresses of a contact that nobody may write to: suppressed ones, and all of one that refused mails or objected.';

COMMENT ON FUNCTION "private"."without_name"(jsonb, text, text) IS 'Put other words where a pattern is found in the texts of a JSON value.';

COMMENT ON FUNCTION "public"."close_contact_request"(uuid, public.contact_request_outcome, text) IS 'Closes a request of the caller with what came of it; a closed one stays as it is.';

COMMENT ON FUNCTION "public"."erase_contact"(uuid, text, boolean) IS 'Erases one contact of the caller for good, with what was merged into it; answers the certificate. The name is typed to confirm; PT404 if there is no such contact.';

COMMENT ON FUNCTION "public"."export_contact"(uuid) IS 'All that is kept about one contact of the caller, table by table, without rows that only name it; PT404 if it is none.';

COMMENT ON FUNCTION "public"."extend_contact_request"(uuid, text) IS 'Gives an open request of the caller two months more, once and within its first month (art. 12(3)).';

COMMENT ON FUNCTION "public"."find_contact_data"(uuid) IS 'private.contact_findings for a contact of the caller; PT404 if it is none.';

COMMENT ON FUNCTION "public"."register_contact_request"(uuid, public.contact_request_kind, date, text) IS 'Writes down that a contact of the caller, or the one it was merged into, asked for a right; the same open request once.';

COMMENT ON TABLE "public"."contact_erasures" IS 'Certificates: when the data of a contact was erased, what went, what stayed and why; written by erase_contact() only.';

COMMENT ON TABLE "public"."contact_requests" IS 'What clients of a person asked about their data; written by the functions of this chapter and by erase_contact().';

COMMENT ON VIEW "private"."contact_places" IS 'What belongs to a contact: tables with their keys, how a row reads, and what an erasure does with it and why.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

COMMENT ON VIEW "public"."retention_rules" IS 'How long each kind of data is kept and why; `every` is how often the job erases, null where it does not; `outcome` is delete, or keep where the law requires it.';

REVOKE ALL ON FUNCTION "private"."around"(text, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."contact_findings"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."contact_mentions"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."contact_pattern"(uuid, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."controller"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."forget_contact_requests"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_contact_requests"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."is_kept_document"(public.documents) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."mention_fate"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_letters"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."remove_name"(uuid, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."request_facts"(uuid, date) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."unwritable"(uuid, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."without_name"(jsonb, text, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."close_contact_request"(uuid, public.contact_request_outcome, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."erase_contact"(uuid, text, boolean) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."extend_contact_request"(uuid, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."find_contact_data"(uuid) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."register_contact_request"(uuid, public.contact_request_kind, date, text) TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_erasures" FROM "authenticated";

GRANT SELECT ON TABLE "public"."contact_erasures" TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_erasures" FROM "service_role";

GRANT SELECT ON TABLE "public"."contact_erasures" TO "service_role";

REVOKE ALL ON TABLE "public"."contact_requests" FROM "authenticated";

GRANT SELECT ON TABLE "public"."contact_requests" TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_requests" FROM "service_role";

GRANT SELECT ON TABLE "public"."contact_requests" TO "service_role";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "authenticated";

GRANT SELECT ON TABLE "public"."retention_rules" TO "authenticated";

REVOKE ALL ON TABLE "public"."retention_rules" FROM "service_role";

GRANT SELECT ON TABLE "public"."retention_rules" TO "service_role";

reset check_function_bodies;
