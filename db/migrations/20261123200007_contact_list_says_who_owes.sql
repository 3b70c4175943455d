-- Contact list says who owes.
--   DROP VIEW public.timeline
--   DROP FUNCTION public.listed_contacts
--   DROP VIEW public.contact_list
--   CREATE OR REPLACE FUNCTION public.contact_money
--   REVOKE ALL ON FUNCTION public.contact_money
--   CREATE VIEW public.contact_list WITH (security_invoker=on) AS SELECT contacts.id, contacts.user_id, contacts.…
--   CREATE OR REPLACE FUNCTION public.listed_contacts
--   REVOKE ALL ON FUNCTION public.listed_contacts
--   REVOKE ALL ON TABLE public.contact_list FROM anon
--   CREATE VIEW public.timeline WITH (security_invoker=on) AS SELECT ('interaction:'::text || interactions.id) AS…
--   REVOKE ALL ON TABLE public.timeline FROM anon
--   COMMENT ON FUNCTION public.contact_money
--   COMMENT ON FUNCTION public.listed_contacts
--   COMMENT ON VIEW public.contact_list IS 'Contacts as the list shows them; consents are those to marketing, by …
--   COMMENT ON VIEW public.timeline IS 'What happened with each contact. Filter by contact_id, order by at desc, …
--   GRANT EXECUTE ON FUNCTION public.contact_money
--   GRANT EXECUTE ON FUNCTION public.listed_contacts
--   REVOKE ALL ON TABLE public.contact_list FROM authenticated
--   GRANT SELECT ON TABLE public.contact_list TO authenticated
--   REVOKE ALL ON TABLE public.contact_list FROM service_role
--   GRANT SELECT ON TABLE public.contact_list TO service_role
--   REVOKE ALL ON TABLE public.timeline FROM authenticated
--   GRANT SELECT ON TABLE public.timeline TO authenticated
--   REVOKE ALL ON TABLE public.timeline FROM service_role
--   GRANT SELECT ON TABLE public.timeline TO service_role

set check_function_bodies = off;

DROP VIEW "public"."timeline";

DROP FUNCTION "public"."listed_contacts"(text, integer);

DROP VIEW "public"."contact_list";

CREATE OR REPLACE FUNCTION public.contact_money (
  _contact_id uuid
)
  RETURNS TABLE (
    contact_id         uuid,
    name               text,
    relation           text,
    direction          public.invoice_direction,
    currency           text,
    open_cents         bigint,
    late_cents         bigint,
    late_since         date,
    invoiced_net_cents bigint,
    invoiced_cents     bigint,
    paid_cents         bigint,
    paid_days          bigint,
    paid_count         bigint
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with clock as (
    select date_trunc('year', now() at time zone 'Europe/Rome')::date as new_year
  ), near as (
    select near.user_id, near.id, near.name,
      case near.id when asked.id then 'stesso' when asked.company_id then 'azienda' else 'persona' end as relation
    from public.contacts as asked
    join public.contacts as near on near.user_id = asked.user_id and (
      near.id = asked.id
      or (near.id = asked.company_id or near.company_id = asked.id) and near.merged_into is null and near.deleted_at is null
    )
    where asked.id = _contact_id
  )
  select near.id, near.name, near.relation, register.direction, register.currency, sum(register.open_cents)::bigint,
    sum(register.late_cents)::bigint, min(register.next_due_on) filter (where register.state = 'scaduta'),
    coalesce(sum(coalesce(register.net_cents, register.total_cents - coalesce(register.vat_cents, 0)))
      filter (where issued_on >= new_year), 0)::bigint,
    coalesce(sum(register.total_cents) filter (where issued_on >= new_year), 0)::bigint,
    coalesce(sum(paid.cents), 0)::bigint,
    coalesce(sum(greatest(paid_on - issued_on, 0)) filter (where kind = 'fattura'), 0)::bigint,
    count(paid_on) filter (where kind = 'fattura')
  from near cross join clock
  join public.invoice_register as register on register.user_id = near.user_id and register.contact_id = near.id
  cross join lateral (
    select sum(part.cents) as cents from public.invoice_parts as part
    where part.user_id = register.user_id and part.invoice_id = register.id and part.paid_on >= new_year
  ) as paid
  where register.kind <> 'autofattura' and register.deleted_at is null and register.twin is null
  group by near.id, near.name, near.relation, register.direction, register.currency
$function$;

REVOKE ALL ON FUNCTION "public"."contact_money"(uuid) FROM PUBLIC, "anon";

CREATE VIEW "public"."contact_list" WITH (security_invoker=on) AS  SELECT contacts.id,
    contacts.user_id,
    contacts.type,
    contacts.name,
    contacts.first_name,
    contacts.last_name,
    contacts.business_name,
    contacts.company_id,
    ( SELECT company.name
           FROM public.contacts company
          WHERE ((company.user_id = contacts.user_id) AND (company.id = contacts.company_id) AND (company.merged_into IS NULL) AND (company.deleted_at IS NULL))) AS company_name,
    contacts.job_title,
    contacts.vat_number,
    contacts.tax_code,
    contacts.sdi_code,
    contacts.pec,
    contacts.regime,
    contacts.address,
    contacts.website,
    ( SELECT contact_emails.value
           FROM public.contact_emails
          WHERE ((contact_emails.user_id = contacts.user_id) AND (contact_emails.contact_id = contacts.id))
          ORDER BY contact_emails.is_primary DESC, contact_emails.created_at, contact_emails.id
         LIMIT 1) AS email,
    (( SELECT contact_phones.value
           FROM public.contact_phones
          WHERE ((contact_phones.user_id = contacts.user_id) AND (contact_phones.contact_id = contacts.id))
          ORDER BY contact_phones.is_primary DESC, contact_phones.created_at, contact_phones.id
         LIMIT 1))::text AS phone,
    ARRAY( SELECT (tags.name)::text AS name
           FROM (public.contact_tags
             JOIN public.tags ON (((tags.user_id = contact_tags.user_id) AND (tags.id = contact_tags.tag_id))))
          WHERE ((contact_tags.user_id = contacts.user_id) AND (contact_tags.contact_id = contacts.id))
          ORDER BY (lower((tags.name)::text))) AS tags,
    ARRAY( SELECT contact_tags.tag_id
           FROM public.contact_tags
          WHERE ((contact_tags.user_id = contacts.user_id) AND (contact_tags.contact_id = contacts.id))) AS tag_ids,
    COALESCE(( SELECT jsonb_object_agg(consents.channel, consents.state) AS jsonb_object_agg
           FROM public.consents
          WHERE ((consents.user_id = contacts.user_id) AND (consents.contact_id = contacts.id) AND (consents.purpose = 'marketing'::public.consent_purpose))), '{}'::jsonb) AS consents,
    contacts.origin,
    contacts.touch_days,
    contacts.last_interaction_at,
    contacts.next_touch_at,
    contacts.snoozed_until,
    contacts.created_at,
    contacts.updated_at,
    money.owed_cents,
    money.late_cents,
    money.owed_currencies,
    ( SELECT min(tasks.due_at) AS min
           FROM public.tasks
          WHERE ((tasks.user_id = contacts.user_id) AND (tasks.contact_id = contacts.id) AND (tasks.state <> 'fatto'::public.task_state) AND (tasks.deleted_at IS NULL))) AS next_task_at
   FROM (public.contacts
     LEFT JOIN LATERAL ( SELECT (sum(register.open_cents) FILTER (WHERE (register.currency = 'EUR'::text)))::bigint AS owed_cents,
            (sum(register.late_cents) FILTER (WHERE (register.currency = 'EUR'::text)))::bigint AS late_cents,
            array_agg(DISTINCT register.currency) FILTER (WHERE ((register.currency <> 'EUR'::text) AND (register.open_cents <> 0))) AS owed_currencies
           FROM public.invoice_register register
          WHERE ((register.user_id = contacts.user_id) AND (register.contact_id = contacts.id) AND (register.direction = 'attiva'::public.invoice_direction) AND (register.paid_on IS NULL) AND (register.kind <> 'autofattura'::public.invoice_kind) AND (register.deleted_at IS NULL) AND (register.twin IS NULL))) money ON (true))
  WHERE ((contacts.merged_into IS NULL) AND (contacts.deleted_at IS NULL));

CREATE OR REPLACE FUNCTION public.listed_contacts (
  _query text,
  _limit integer DEFAULT 50000
)
  RETURNS SETOF public.contact_list
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$function$;

REVOKE ALL ON FUNCTION "public"."listed_contacts"(text, integer) FROM PUBLIC, "anon", "service_role";

REVOKE ALL ON TABLE "public"."contact_list" FROM "anon";

CREATE VIEW "public"."timeline" WITH (security_invoker=on) AS  SELECT ('interaction:'::text || interactions.id) AS id,
    interactions.user_id,
    interactions.contact_id,
    (interactions.kind)::text AS kind,
    interactions.at,
        CASE interactions.kind
            WHEN 'chiamata'::public.interaction_kind THEN 'Chiamata'::text
            WHEN 'email'::public.interaction_kind THEN 'E-mail'::text
            WHEN 'whatsapp'::public.interaction_kind THEN 'WhatsApp'::text
            WHEN 'incontro'::public.interaction_kind THEN 'Incontro'::text
            ELSE 'Contatto'::text
        END AS title,
    interactions.summary AS body,
    'interaction'::text AS ref_type,
    interactions.id AS ref_id,
    jsonb_build_object('direction', interactions.direction) AS data
   FROM public.interactions
UNION ALL
 SELECT ('note:'::text || notes.id) AS id,
    notes.user_id,
    notes.contact_id,
    'nota'::text AS kind,
    notes.created_at AS at,
    'Nota'::text AS title,
    notes.body,
    'note'::text AS ref_type,
    notes.id AS ref_id,
    jsonb_build_object('updated_at', notes.updated_at) AS data
   FROM public.notes
  WHERE (notes.deleted_at IS NULL)
UNION ALL
 SELECT ('consent:'::text || consent_events.id) AS id,
    consent_events.user_id,
    consent_events.contact_id,
    'consenso'::text AS kind,
    consent_events.at,
        CASE consent_events.state
            WHEN 'dato'::public.consent_state THEN 'Consenso dato'::text
            WHEN 'negato'::public.consent_state THEN 'Consenso negato'::text
            WHEN 'revocato'::public.consent_state THEN 'Consenso revocato'::text
            ELSE 'Consenso non richiesto'::text
        END AS title,
    consent_events.wording AS body,
    'consent_event'::text AS ref_type,
    consent_events.id AS ref_id,
    jsonb_build_object('channel', consent_events.channel, 'purpose', consent_events.purpose, 'state', consent_events.state, 'legal_basis', consent_events.legal_basis, 'source', consent_events.source) AS data
   FROM public.consent_events
UNION ALL
 SELECT ('deal:'::text || stays.id) AS id,
    stays.user_id,
    deals.contact_id,
    'trattativa'::text AS kind,
    stays.entered_at AS at,
    (deals.title)::text AS title,
    (stages.name)::text AS body,
    'deal'::text AS ref_type,
    deals.id AS ref_id,
    jsonb_build_object('stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency, 'lost_reason',
        CASE
            WHEN (stays.left_at IS NULL) THEN (deals.lost_reason)::text
            ELSE NULL::text
        END) AS data
   FROM ((public.deal_stage_log stays
     JOIN public.deals ON (((deals.user_id = stays.user_id) AND (deals.id = stays.deal_id))))
     JOIN public.stages ON (((stages.user_id = stays.user_id) AND (stages.id = stays.stage_id))))
  WHERE ((deals.contact_id IS NOT NULL) AND (deals.deleted_at IS NULL))
UNION ALL
 SELECT ('merge:'::text || merge_log.id) AS id,
    merge_log.user_id,
    merge_log.winner_id AS contact_id,
    'unione'::text AS kind,
    merge_log.created_at AS at,
    ('Unito con '::text || merge_log.loser_name) AS title,
    NULL::text AS body,
    'merge'::text AS ref_type,
    merge_log.id AS ref_id,
    jsonb_build_object('loser_id', merge_log.loser_id, 'undone_at', merge_log.undone_at) AS data
   FROM public.merge_log
UNION ALL
 SELECT ('task:'::text || tasks.id) AS id,
    tasks.user_id,
    tasks.contact_id,
    'attivita'::text AS kind,
    COALESCE(tasks.completed_at, tasks.created_at) AS at,
        CASE
            WHEN (tasks.completed_at IS NULL) THEN 'Attività'::text
            ELSE 'Attività completata'::text
        END AS title,
    (tasks.title)::text AS body,
    'task'::text AS ref_type,
    tasks.id AS ref_id,
    jsonb_build_object('state', tasks.state, 'due_at', tasks.due_at, 'due_is_allday', tasks.due_is_allday, 'priority', tasks.priority, 'project_id', tasks.project_id) AS data
   FROM public.tasks
  WHERE ((tasks.contact_id IS NOT NULL) AND (tasks.deleted_at IS NULL))
UNION ALL
 SELECT ('document:'::text || documents.id) AS id,
    documents.user_id,
    documents.contact_id,
    'documento'::text AS kind,
    documents.created_at AS at,
        CASE documents.kind
            WHEN 'fattura'::public.document_kind THEN 'Fattura'::text
            WHEN 'preventivo'::public.document_kind THEN 'Preventivo'::text
            WHEN 'contratto'::public.document_kind THEN 'Contratto'::text
            WHEN 'ricevuta'::public.document_kind THEN 'Ricevuta'::text
            WHEN 'f24'::public.document_kind THEN 'F24'::text
            WHEN 'durc'::public.document_kind THEN 'DURC'::text
            WHEN 'visura'::public.document_kind THEN 'Visura'::text
            WHEN 'documento_identita'::public.document_kind THEN 'Documento d’identità'::text
            ELSE 'Documento'::text
        END AS title,
    (documents.filename)::text AS body,
    'document'::text AS ref_type,
    documents.id AS ref_id,
    jsonb_build_object('kind', documents.kind, 'state', documents.state, 'issued_on', documents.issued_on, 'due_on', documents.due_on, 'total_cents', documents.total_cents, 'currency', documents.currency) AS data
   FROM public.documents
  WHERE ((documents.contact_id IS NOT NULL) AND (documents.deleted_at IS NULL))
UNION ALL
 SELECT ('invoice:'::text || invoice_register.id) AS id,
    invoice_register.user_id,
    invoice_register.contact_id,
    'pagamento'::text AS kind,
    ((invoice_register.paid_on)::timestamp without time zone AT TIME ZONE 'Europe/Rome'::text) AS at,
        CASE
            WHEN (invoice_register.kind = 'nota_di_credito'::public.invoice_kind) THEN
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Nota di credito rimborsata'::text
                ELSE 'Nota di credito incassata'::text
            END
            ELSE
            CASE invoice_register.direction
                WHEN 'attiva'::public.invoice_direction THEN 'Fattura incassata'::text
                ELSE 'Fattura pagata'::text
            END
        END AS title,
    (
        CASE invoice_register.kind
            WHEN 'nota_di_credito'::public.invoice_kind THEN 'Nota di credito '::text
            ELSE 'Fattura '::text
        END || invoice_register.number) AS body,
    'document'::text AS ref_type,
    invoice_register.document_id AS ref_id,
    jsonb_build_object('invoice_id', invoice_register.id, 'direction', invoice_register.direction, 'total_cents', invoice_register.total_cents, 'currency', invoice_register.currency) AS data
   FROM public.invoice_register
  WHERE ((invoice_register.contact_id IS NOT NULL) AND (invoice_register.paid_on IS NOT NULL) AND (invoice_register.deleted_at IS NULL) AND (invoice_register.twin IS NULL));

REVOKE ALL ON TABLE "public"."timeline" FROM "anon";

COMMENT ON FUNCTION "public"."contact_money"(uuid) IS 'Amounts between the caller and one contact, its company and its people, each apart, by direction and currency: what is open and late, what was invoiced and paid this year in Italy, and in how many days paid invoices were paid, in all.';

COMMENT ON FUNCTION "public"."listed_contacts"(text, integer) IS 'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';

COMMENT ON VIEW "public"."contact_list" IS 'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at, last_interaction_at desc nulls last or owed_cents desc nulls last, then id.';

COMMENT ON VIEW "public"."timeline" IS 'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

GRANT EXECUTE ON FUNCTION "public"."contact_money"(uuid) TO "authenticated", "service_role";

GRANT EXECUTE ON FUNCTION "public"."listed_contacts"(text, integer) TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_list" FROM "authenticated";

GRANT SELECT ON TABLE "public"."contact_list" TO "authenticated";

REVOKE ALL ON TABLE "public"."contact_list" FROM "service_role";

GRANT SELECT ON TABLE "public"."contact_list" TO "service_role";

REVOKE ALL ON TABLE "public"."timeline" FROM "authenticated";

GRANT SELECT ON TABLE "public"."timeline" TO "authenticated";

REVOKE ALL ON TABLE "public"."timeline" FROM "service_role";

GRANT SELECT ON TABLE "public"."timeline" TO "service_role";

reset check_function_bodies;

COMMENT ON COLUMN "public"."contact_list"."owed_cents" IS 'What they owe in euros by the invoices linked to this contact alone; null: nothing is open. Negative: a credit note.';

COMMENT ON COLUMN "public"."contact_list"."owed_currencies" IS 'Other currencies in which something is open.';

COMMENT ON COLUMN "public"."contact_list"."next_task_at" IS 'When the next open task about them is due.';
