-- Missing consents.
--   DROP VIEW public.insight_kinds
--   CREATE OR REPLACE FUNCTION private.consent_facts
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.consents REFERENCING NEW TABLE AS changed FOR EACH STATEM…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.consents REFERENCING NEW TABLE AS changed FOR EACH STATEME…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.mail_batches REFERENCING NEW TABLE AS changed FOR EACH ST…
--   COMMENT ON FUNCTION private.consent_facts
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   REVOKE ALL ON FUNCTION private.consent_facts
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role

set check_function_bodies = off;

DROP VIEW "public"."insight_kinds";

CREATE OR REPLACE FUNCTION private.consent_facts (
  _user_id uuid
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- Only for somebody who sends campaigns: else a consent is not missed. The people are those that the link opens.
  select 'consenso_mancante', 'consents', null::uuid, (last.created_at at time zone 'Europe/Rome')::date, null::uuid,
    private.counted(count(*), 'Una persona senza consenso', 'persone senza consenso'),
    'Per scrivere loro di novità e offerte serve: chiedilo alla prima occasione e segnalo nella scheda.',
    null::bigint, 'EUR', 0.5::double precision, jsonb_build_object('count', count(*))
  from (
    select created_at from public.mail_batches
    where user_id = _user_id and basis <> 'contratto' and excluded > 0 and cancelled_at is null
      and created_at > now() - interval '60 days'
    order by created_at desc limit 1
  ) as last
  join public.contacts on contacts.user_id = _user_id and type = 'persona' and merged_into is null and deleted_at is null
  where not exists (
    select from public.consents
    where consents.user_id = _user_id and consents.contact_id = contacts.id and channel = 'email'
      and purpose = 'marketing' and state <> 'non_richiesto'
  )
  group by last.created_at
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
  if not exists (select from public.profiles where user_id = _user_id) then
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
    union all select fact from private.task_facts(_user_id, _today) as fact
    union all select fact from private.credit_facts(_today) as fact
    union all select fact from private.client_facts(_user_id, _today) as fact
    union all select fact from private.paper_facts(_user_id, _today) as fact
    union all select fact from private.tidying_facts(_user_id, jsonb_array_length(_pairs), _today) as fact
    union all select fact from private.consent_facts(_user_id) as fact
    union all select fact from private.flat_rate_facts(_flat_rate, _today) as fact
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

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('fattura_scartata'::text,'Fatture scartate'::text,'soldi'::text,'fattura'::text,0,1), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('risposta_dovuta'::text,'Risposte che aspettano'::text,'persone'::text,'rispondi'::text,30000,1), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14), ('consenso_mancante'::text,'Consensi che mancano'::text,'persone'::text,'contatti'::text,5000,30), ('soglia_forfettario'::text,'Soglia del forfettario'::text,'rischi'::text,'forfettario'::text,20000,30)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.consents REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.consents REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.mail_batches REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

COMMENT ON FUNCTION "private"."consent_facts"(uuid) IS 'How many people were never asked for the consent to marketing by mail, when a campaign has just left somebody out.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

REVOKE ALL ON FUNCTION "private"."consent_facts"(uuid) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

reset check_function_bodies;
