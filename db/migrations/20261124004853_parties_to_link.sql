-- Parties to link.
--   CREATE TABLE public.dismissed_parties ( id uuid NOT NULL DEFAULT gen_random_uuid(), party_key text NOT NULL, …
--   ALTER TABLE public.dismissed_parties ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.dismissed_parties FROM anon
--   CREATE OR REPLACE FUNCTION private.assign_contact
--   CREATE OR REPLACE FUNCTION private.core_words
--   CREATE OR REPLACE FUNCTION private.link_papers
--   CREATE OR REPLACE FUNCTION private.link_party
--   CREATE OR REPLACE FUNCTION private.paper_aliases
--   CREATE OR REPLACE FUNCTION private.party_candidates
--   CREATE OR REPLACE FUNCTION private.party_draft
--   CREATE OR REPLACE FUNCTION private.waiting_parties
--   CREATE OR REPLACE FUNCTION public.link_document_contact
--   CREATE OR REPLACE FUNCTION public.link_parties
--   REVOKE ALL ON FUNCTION public.link_parties
--   CREATE OR REPLACE FUNCTION public.parties_to_link
--   REVOKE ALL ON FUNCTION public.parties_to_link
--   CREATE OR REPLACE FUNCTION public.unlink_parties
--   REVOKE ALL ON FUNCTION public.unlink_parties
--   COMMENT ON FUNCTION private.assign_contact
--   COMMENT ON FUNCTION private.core_words
--   COMMENT ON FUNCTION private.link_party
--   COMMENT ON FUNCTION private.paper_aliases
--   COMMENT ON FUNCTION private.party_candidates
--   COMMENT ON FUNCTION private.party_draft
--   COMMENT ON FUNCTION private.waiting_parties
--   COMMENT ON FUNCTION public.link_parties
--   COMMENT ON FUNCTION public.parties_to_link
--   COMMENT ON FUNCTION public.unlink_parties
--   COMMENT ON TABLE public.dismissed_parties IS 'Parties of which the owner said that they are no contact.'
--   REVOKE ALL ON FUNCTION private.assign_contact
--   REVOKE ALL ON FUNCTION private.core_words
--   REVOKE ALL ON FUNCTION private.link_party
--   REVOKE ALL ON FUNCTION private.paper_aliases
--   REVOKE ALL ON FUNCTION private.party_candidates
--   REVOKE ALL ON FUNCTION private.party_draft
--   REVOKE ALL ON FUNCTION private.waiting_parties
--   GRANT EXECUTE ON FUNCTION public.link_parties
--   GRANT EXECUTE ON FUNCTION public.parties_to_link
--   GRANT EXECUTE ON FUNCTION public.unlink_parties
--   REVOKE ALL ON TABLE public.dismissed_parties FROM authenticated
--   REVOKE ALL (id) ON TABLE public.dismissed_parties FROM authenticated
--   GRANT INSERT (id) ON TABLE public.dismissed_parties TO authenticated
--   REVOKE ALL (party_key) ON TABLE public.dismissed_parties FROM authenticated
--   GRANT INSERT (party_key) ON TABLE public.dismissed_parties TO authenticated
--   GRANT DELETE, SELECT ON TABLE public.dismissed_parties TO authenticated
--   REVOKE ALL ON TABLE public.dismissed_parties FROM service_role
--   GRANT DELETE, INSERT, SELECT ON TABLE public.dismissed_parties TO service_role
--   ALTER TABLE public.dismissed_parties ADD CONSTRAINT dismissed_parties_user_id_fkey FOREIGN KEY (user_id) REFE…
--   CREATE POLICY owners dismiss parties ON public.dismissed_parties FOR INSERT TO authenticated WITH CHECK ((use…
--   CREATE POLICY owners read their dismissed parties ON public.dismissed_parties FOR SELECT TO authenticated USI…
--   CREATE POLICY owners take dismissed parties back ON public.dismissed_parties FOR DELETE TO authenticated USIN…
--   REVOKE ALL (user_id) ON TABLE public.dismissed_parties FROM authenticated
--   GRANT INSERT (user_id) ON TABLE public.dismissed_parties TO authenticated

set check_function_bodies = off;

CREATE TABLE "public"."dismissed_parties" (
  "id"         uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "party_key"  text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "dismissed_parties_pkey" PRIMARY KEY (id),
  CONSTRAINT "party_key_fits" CHECK (((party_key ~ '^(vat|tax|name):.'::text) AND (char_length(party_key) <= 320))),
  "user_id"    uuid                     NOT NULL DEFAULT auth.uid(),
  CONSTRAINT "dismissed_parties_user_id_id_key" UNIQUE (user_id, id),
  CONSTRAINT "dismissed_parties_user_id_party_key_key" UNIQUE (user_id, party_key)
);

ALTER TABLE "public"."dismissed_parties"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."dismissed_parties" FROM "anon";

CREATE OR REPLACE FUNCTION private.assign_contact (
  _document   public.documents,
  _contact_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  perform from public.contacts
  where user_id = _document.user_id and id = _contact_id and merged_into is null and deleted_at is null for key share;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  update public.documents set contact_id = _contact_id, contact_suggestion = null, contact_reason = null
  where id = _document.id;
  perform private.remember_aliases(_document, _contact_id, 'confermato');
end
$function$;

CREATE OR REPLACE FUNCTION private.core_words (
  _name text
)
  RETURNS text[]
  LANGUAGE sql
  IMMUTABLE
  PARALLEL SAFE
  STRICT
  SET search_path TO ''
  AS $function$
  -- The forms of COMPANY_FORMS in functions/_shared/names.py.
  select array(
    select word from unnest(string_to_array(private.words(translate(_name, '.''’', '')), ' ')) as word
    where word <> all (array['srl', 'srls', 'spa', 'snc', 'sas', 'sapa', 'scarl', 'onlus', 'aps', 'coop', 'e', 'di', 'c', ''])
    order by word
  )
$function$;

CREATE OR REPLACE FUNCTION private.link_papers (
  _documents uuid[]
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  with shown as (
    select * from private.paper_aliases(_documents)
  ), found as (
    select document_id, shown.kind, contact_id, true as is_told
    from shown join public.document_aliases as alias using (user_id, kind, value)
    where is_usable and state = 'confermato' and (
      shown.kind in ('vat_number', 'tax_code') or private.paper_numbers(supplier) = '{}'
      -- A name or an address is no proof where both sides have numbers, and the numbers differ.
      or not exists (
        select from public.document_aliases as other
        where other.user_id = shown.user_id and other.contact_id = alias.contact_id and other.state = 'confermato'
          and other.kind in ('vat_number', 'tax_code')
        union all
        select from public.contacts
        where contacts.user_id = shown.user_id and contacts.id = alias.contact_id
          and num_nonnulls(vat_number, tax_code) > 0
      )
    )
    union
    select document_id, shown.kind, contacts.id, false
    from shown join public.contacts on contacts.user_id = shown.user_id and value in (vat_number, tax_code)
    where is_usable and shown.kind in ('vat_number', 'tax_code')
      -- The companies of a VAT group share a VAT number; their tax codes differ.
      and coalesce(contacts.tax_code in (value, private.alias_value('tax_code', supplier ->> 'tax_code')), true)
  ), ranked as (
    select found.*, contacts.company_id, rank() over (
        partition by document_id order by kind > 'tax_code', is_told desc, kind
      ) as place
    from found join public.contacts on contacts.id = contact_id and merged_into is null and deleted_at is null
  ), best as (
    select * from ranked where place = 1
  ), chosen as (
    select document_id, min(contact_id::text)::uuid as contact_id, min(kind) as kind, bool_or(is_told) as is_told
    from best
    -- A number of a person and of their company is the company's.
    where company_id is null
      or (document_id, company_id) not in (select other.document_id, other.contact_id from best as other)
    group by document_id having count(*) = 1
  )
  update public.documents
  set contact_id = chosen.contact_id, contact_suggestion = null, contact_reason = case
      when is_told then 'Collegato come un altro documento che hai confermato'
      when chosen.kind = 'vat_number' then 'Collegato per P.IVA'
      else 'Collegato per codice fiscale'
    end
  from chosen
  where documents.id = document_id and not exists (
    select from shown join public.document_aliases as alias using (user_id, kind, value)
    where shown.document_id = chosen.document_id and alias.contact_id = chosen.contact_id and state = 'rifiutato'
      -- A refused name is no proof against a number.
      and shown.kind <= greatest(chosen.kind, 'tax_code')
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.link_party (
  _document_ids uuid[],
  _contact_id   uuid
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _document public.documents;
  _linked_id uuid := _contact_id;
begin
  for _document in
    select * from public.documents where id = any (_document_ids) order by array_position(_document_ids, id) for update
  loop
    if _linked_id is null then
      _linked_id := private.make_document_contact(_document);
    end if;
    perform private.assign_contact(_document, _linked_id);
  end loop;
  return jsonb_build_object(
    'contact_id', _linked_id,
    'is_new', _contact_id is null and exists (select from public.contacts where id = _linked_id and created_at = now())
  );
end
$function$;

CREATE OR REPLACE FUNCTION private.paper_aliases (
  _documents uuid[]
)
  RETURNS TABLE (
    user_id     uuid,
    document_id uuid,
    supplier    jsonb,
    kind        public.document_alias_kind,
    value       text,
    is_usable   boolean
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select documents.user_id, documents.id, documents.supplier, told.kind, written.value, not exists (
      select from public.profiles
      where profiles.user_id = documents.user_id and written.value in (profiles.vat_number, profiles.tax_code)
    ) and not exists (
      select from public.document_fields as field
      where field.user_id = documents.user_id and field.document_id = documents.id
        and field.key in ('vat_number', 'tax_code', 'customer_vat_number')
        and confidence < public.sure_confidence() and confirmed_at is null
        and private.alias_value('vat_number', field.value) = written.value
    )
  from public.documents
  cross join unnest(enum_range(null::public.document_alias_kind)) as told (kind)
  cross join lateral (select private.alias_value(told.kind, documents.supplier ->> told.kind::text) as value) as written
  where documents.id = any (_documents) and documents.contact_id is null and written.value is not null
$function$;

CREATE OR REPLACE FUNCTION private.party_candidates (
  _user_id uuid
)
  RETURNS TABLE (
    party_key  text,
    contact_id uuid,
    reason     text,
    score      real
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  SET enable_nestloop TO 'off'
  AS $function$
  with party as materialized (
    select parties.*, private.core_words(name) as core, private.words(translate(name, '.''’', '')) as plain
    from private.waiting_parties(_user_id) as parties
  ), known as materialized (
    select contacts.id, contacts.vat_number, contacts.tax_code, private.core_words(written) as core,
      private.words(translate(written, '.''’', '')) as plain
    from public.contacts cross join lateral unnest(array[contacts.name, contacts.business_name]) as written
    where user_id = _user_id and merged_into is null and deleted_at is null and written is not null
  ), numbered as (
    select party_key, known.id, 'vat_number' as reason, 1::real as score
    from party join known on known.vat_number = party.vat_number
    union
    select party_key, known.id, 'tax_code', 0.99 from party join known on known.tax_code = party.tax_code
  ), named as (
    -- Compared only where a word is the same: all with all would be millions.
    select distinct party_key, known.id, party.core = known.core as is_same,
      case when party.core <@ known.core or known.core <@ party.core then greatest(0.6, likeness) else likeness end as likeness,
      substring(party.plain from '\m(srls?|spa|snc|sas|sapa|scarl|onlus|aps|coop)$') as form,
      substring(known.plain from '\m(srls?|spa|snc|sas|sapa|scarl|onlus|aps|coop)$') as known_form
    from (select *, unnest(core) as word from party) as party
    join (select *, unnest(core) as word from known) as known using (word)
    cross join lateral (select extensions.similarity(party.plain, known.plain) as likeness) as alike
    where char_length(word) > 2 and (party.vat_number is null or known.vat_number is null)
      and (party.tax_code is null or known.tax_code is null)
  ), found as (
    select * from numbered
    union all
    select party_key, id, case when is_same and coalesce(form = known_form, true) then 'same_name' else 'similar_name' end,
      least(0.95, case when is_same then 0.9 else 0 end + likeness / 10 + case when is_same then 0 else likeness * 0.8 end)
    from named where is_same or likeness >= 0.45
  )
  select distinct on (found.party_key, id) found.party_key, id, reason, score::real
  from found join party on party.party_key = found.party_key
  where not exists (
    select from public.document_aliases as alias
    where alias.user_id = _user_id and alias.contact_id = found.id and alias.state = 'rifiutato' and case alias.kind
      when 'vat_number' then alias.value in (party.vat_number, party.tax_code)
      when 'tax_code' then alias.value in (party.vat_number, party.tax_code)
      when 'name' then alias.value = private.name_key(party.name) end
  )
  order by found.party_key, id, score desc
$function$;

CREATE OR REPLACE FUNCTION private.party_draft (
  _document_id uuid
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select jsonb_strip_nulls(jsonb_build_object(
    'name', left(private.one_line(supplier ->> 'name'), 200), 'first_name', first_name, 'last_name', last_name,
    'vat_number', private.alias_value('vat_number', supplier ->> 'vat_number'),
    'tax_code', private.alias_value('tax_code', supplier ->> 'tax_code'),
    'email', private.alias_value('email', supplier ->> 'email'), 'sdi_code', sdi_code, 'pec', pec, 'address', address
  ))
  from public.documents cross join lateral private.invoice_party(documents) as party
  where documents.id = _document_id
$function$;

CREATE OR REPLACE FUNCTION private.waiting_parties (
  _user_id uuid
)
  RETURNS TABLE (
    party_key    text,
    name         text,
    vat_number   text,
    tax_code     text,
    document_ids uuid[],
    latest_on    date
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with waiting as materialized (
    select id, supplier ->> 'name' as name, coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) as day,
      created_at
    from public.documents
    where user_id = _user_id and contact_id is null and deleted_at is null and supplier is not null
      and state in ('pronto', 'da_verificare')
    order by created_at desc limit 5000
  ), shown as (
    select document_id as id, jsonb_object_agg(kind, value) as numbers
    from private.paper_aliases(array(select id from waiting))
    where is_usable and kind in ('vat_number', 'tax_code')
    group by document_id
  ), keyed as (
    select waiting.*, numbers, private.name_key(name) as name_key, coalesce(
      'vat:' || (numbers ->> 'vat_number'), 'tax:' || (numbers ->> 'tax_code'), 'name:' || left(private.name_key(name), 300)
    ) as own_key
    from waiting left join shown using (id)
  ), numbered as (
    select name_key, min(own_key) as own_key from keyed
    where own_key not like 'name:%' and name_key is not null group by name_key having count(distinct own_key) = 1
  ), grouped as (
    select keyed.*, case when keyed.own_key like 'name:%' then coalesce(numbered.own_key, keyed.own_key)
      else keyed.own_key end as party_key
    from keyed left join numbered using (name_key)
    where keyed.own_key is not null
  )
  select grouped.party_key, (array_agg(name order by day desc, created_at desc) filter (where name is not null))[1],
    max(numbers ->> 'vat_number'), max(numbers ->> 'tax_code'), array_agg(id order by numbers is null, day desc, created_at desc), max(day)
  from grouped
  where not exists (
    select from public.dismissed_parties
    where dismissed_parties.user_id = _user_id and dismissed_parties.party_key = grouped.party_key
  )
  group by grouped.party_key
$function$;

CREATE OR REPLACE FUNCTION public.link_document_contact (
  _document_id uuid,
  _contact_id  uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _document public.documents := private.own_document(_document_id);
begin
  perform private.assign_contact(_document, _contact_id);
  perform private.relink_papers(_document);
end
$function$;

CREATE OR REPLACE FUNCTION public.link_parties (
  _choices jsonb
)
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _parties constant jsonb := (
    select coalesce(jsonb_object_agg(party_key, to_jsonb(document_ids)), '{}') from private.waiting_parties(auth.uid())
  );
  _waiting constant uuid[] := array(
    select id from public.documents where user_id = auth.uid() and contact_id is null and deleted_at is null
  );
  _choice jsonb;
  _ids uuid[];
  _done jsonb := '[]';
begin
  if jsonb_array_length(_choices) > 200 then
    raise exception 'at most 200 parties at once' using errcode = '22023';
  end if;
  for _choice in select value from jsonb_array_elements(_choices) loop
    _ids := array(select value::uuid from jsonb_array_elements_text(_parties -> (_choice ->> 'party_key')) as value);
    if _ids = '{}' or num_nonnulls(_choice ->> 'contact_id', nullif(_choice -> 'create', 'false')) = 0 then
      raise exception 'no such party' using errcode = 'PT404';
    end if;
    _done := _done || (
      private.link_party(_ids, case when _choice -> 'create' = 'true' then null else (_choice ->> 'contact_id')::uuid end)
      || jsonb_build_object('party_key', _choice ->> 'party_key')
    );
  end loop;
  -- What was said of these may recognize others.
  perform private.link_papers(_waiting);
  return (
    select coalesce(jsonb_agg(each || jsonb_build_object('document_ids', (
      select coalesce(jsonb_agg(id), '[]') from public.documents
      where user_id = auth.uid() and id = any (_waiting) and contact_id = (each ->> 'contact_id')::uuid
    ))), '[]')
    from jsonb_array_elements(_done) as each
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."link_parties"(jsonb) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.parties_to_link()
  RETURNS TABLE (
    party_key      text,
    name           text,
    vat_number     text,
    tax_code       text,
    document_ids   uuid[],
    invoices       integer,
    issued_cents   bigint,
    received_cents bigint,
    latest_on      date,
    candidates     jsonb,
    is_sure        boolean,
    draft          jsonb
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with parties as materialized (
    select * from private.waiting_parties((select auth.uid()))
  ), amounts as (
    select parties.party_key, count(*)::integer as invoices,
      sum(total_cents) filter (where direction = 'attiva' and currency = 'EUR')::bigint as issued_cents,
      sum(total_cents) filter (where direction = 'passiva' and currency = 'EUR')::bigint as received_cents
    from parties join public.invoice_register as register
      on register.user_id = (select auth.uid()) and register.document_id = any (parties.document_ids)
    where register.twin is null
    group by parties.party_key
  ), ranked as (
    select found.*, contacts.name, contacts.type, company.name as company,
      row_number() over (partition by found.party_key order by score desc, contacts.created_at) as place
    from private.party_candidates((select auth.uid())) as found
    join public.contacts on contacts.id = found.contact_id
    left join public.contacts as company on company.user_id = contacts.user_id and company.id = contacts.company_id
  ), offered as (
    select ranked.party_key, count(*) filter (where reason <> 'similar_name') = 1 as is_sure,
      jsonb_agg(jsonb_build_object(
        'contact_id', contact_id, 'name', ranked.name, 'type', type, 'company', company, 'reason', reason, 'score', score
      ) order by place) filter (where place <= 3) as candidates
    from ranked group by ranked.party_key
  )
  select parties.party_key, parties.name, parties.vat_number, parties.tax_code, parties.document_ids,
    coalesce(amounts.invoices, 0), issued_cents, received_cents, latest_on, coalesce(candidates, '[]'),
    coalesce(is_sure, false), private.party_draft(parties.document_ids[1])
  from parties
  left join amounts using (party_key)
  left join offered using (party_key)
  order by abs(coalesce(issued_cents, 0)) + abs(coalesce(received_cents, 0)) desc, cardinality(parties.document_ids) desc,
    parties.party_key
$function$;

REVOKE ALL ON FUNCTION "public"."parties_to_link"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.unlink_parties (
  _done jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _each jsonb;
  _contact_id uuid;
  _ids uuid[];
begin
  for _each in select value from jsonb_array_elements(_done) loop
    _contact_id := (_each ->> 'contact_id')::uuid;
    _ids := array(select value::uuid from jsonb_array_elements_text(_each -> 'document_ids') as value);
    delete from public.document_aliases as alias
    where user_id = auth.uid() and contact_id = _contact_id and state = 'confermato' and exists (
      select from public.documents
      where documents.user_id = alias.user_id and documents.id = any (_ids)
        and alias.value = private.alias_value(alias.kind, supplier ->> alias.kind::text)
    );
    update public.documents set contact_id = null, contact_reason = null
    where user_id = auth.uid() and id = any (_ids) and contact_id = _contact_id;
    if _each -> 'is_new' = 'true' then
      -- Into the trash: whoever wrote a note meanwhile finds it there.
      update public.contacts set deleted_at = now()
      where user_id = auth.uid() and id = _contact_id and origin = 'documento' and deleted_at is null;
    end if;
  end loop;
end
$function$;

REVOKE ALL ON FUNCTION "public"."unlink_parties"(jsonb) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "private"."assign_contact"(public.documents, uuid) IS 'Says whom a document is about, and remembers by what that one is known; other documents stay. PT404.';

COMMENT ON FUNCTION "private"."core_words"(text) IS 'The words that tell a name from others, sorted: no company form, no «e», «di», «& C.».';

COMMENT ON FUNCTION "private"."link_party"(uuid[], uuid) IS 'Links documents of one party to a contact, or to a new one made of the first: {contact_id, is_new}.';

COMMENT ON FUNCTION "private"."paper_aliases"(uuid[]) IS 'By what documents without a contact can be recognized; neither the owner''s own number nor a doubtful one is usable.';

COMMENT ON FUNCTION "private"."party_candidates"(uuid) IS 'Contacts that a waiting party may be: with its number, its name in whatever order and form, or a similar name; none with another number, none that its owner refused.';

COMMENT ON FUNCTION "private"."party_draft"(uuid) IS 'What make_document_contact() would write of a document''s party.';

COMMENT ON FUNCTION "private"."waiting_parties"(uuid) IS 'Who the documents of a user that have no contact are from or for, with these documents: those with a number first, because a contact is made of the first, then the latest.';

COMMENT ON FUNCTION "public"."link_parties"(jsonb) IS 'Links parties of parties_to_link(): [{party_key, contact_id}], or [{party_key, create: true}] with a new contact. At most 200, all or none; answers [{party_key, contact_id, is_new, document_ids}]. PT404, SC042, 22023.';

COMMENT ON FUNCTION "public"."parties_to_link"() IS 'Who the caller''s documents without a contact are from or for: papers, sums of the register in euros, the likeliest contacts, whether one is sure, and what a new contact would be.';

COMMENT ON FUNCTION "public"."unlink_parties"(jsonb) IS 'Takes back what link_parties() answered: the documents wait again, and contacts that it made go into the trash.';

COMMENT ON TABLE "public"."dismissed_parties" IS 'Parties of which the owner said that they are no contact.';

REVOKE ALL ON FUNCTION "private"."assign_contact"(public.documents, uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."core_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."link_party"(uuid[], uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."paper_aliases"(uuid[]) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."party_candidates"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."party_draft"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."waiting_parties"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."link_parties"(jsonb) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."parties_to_link"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."unlink_parties"(jsonb) TO "authenticated";

REVOKE ALL ON TABLE "public"."dismissed_parties" FROM "authenticated";

REVOKE ALL ("id") ON TABLE "public"."dismissed_parties" FROM "authenticated";

GRANT INSERT ("id") ON TABLE "public"."dismissed_parties" TO "authenticated";

REVOKE ALL ("party_key") ON TABLE "public"."dismissed_parties" FROM "authenticated";

GRANT INSERT ("party_key") ON TABLE "public"."dismissed_parties" TO "authenticated";

GRANT DELETE, SELECT ON TABLE "public"."dismissed_parties" TO "authenticated";

REVOKE ALL ON TABLE "public"."dismissed_parties" FROM "service_role";

GRANT DELETE, INSERT, SELECT ON TABLE "public"."dismissed_parties" TO "service_role";

ALTER TABLE "public"."dismissed_parties"
  ADD CONSTRAINT "dismissed_parties_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE POLICY "owners dismiss parties" ON "public"."dismissed_parties"
  FOR INSERT
  TO "authenticated"
  WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners read their dismissed parties" ON "public"."dismissed_parties"
  FOR SELECT
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

CREATE POLICY "owners take dismissed parties back" ON "public"."dismissed_parties"
  FOR DELETE
  TO "authenticated"
  USING ((user_id = ( SELECT auth.uid() AS uid)));

REVOKE ALL ("user_id") ON TABLE "public"."dismissed_parties" FROM "authenticated";

GRANT INSERT ("user_id") ON TABLE "public"."dismissed_parties" TO "authenticated";

reset check_function_bodies;
