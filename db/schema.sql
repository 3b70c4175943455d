-- Generated from db/migrations by `python -m scripts.db_dump`; a test fails when it is stale. Never edit, never apply.

--
-- Name: private; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA private;

--
-- Name: SCHEMA private; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA private IS 'Server side of the product: not exposed by the API.';

--
-- Name: public; Type: SCHEMA; Schema: -; Owner: -
--

CREATE SCHEMA public;

--
-- Name: SCHEMA public; Type: COMMENT; Schema: -; Owner: -
--

COMMENT ON SCHEMA public IS 'standard public schema';

--
-- Name: document_change; Type: TYPE; Schema: private; Owner: -
--

CREATE TYPE private.document_change AS (
	document_id uuid,
	page integer,
	former text,
	text text
);

--
-- Name: document_term; Type: TYPE; Schema: private; Owner: -
--

CREATE TYPE private.document_term AS (
	term integer,
	word text,
	lexeme integer,
	factor real,
	weight real,
	pages integer
);

--
-- Name: credit_account; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.credit_account AS ENUM (
    'stripe',
    'promo',
    'usage',
    'expiry',
    'refund',
    'adjustment'
);

--
-- Name: credit_lot_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.credit_lot_kind AS ENUM (
    'acquisto',
    'bonus',
    'benvenuto',
    'piano',
    'rettifica'
);

--
-- Name: lot_grant; Type: TYPE; Schema: private; Owner: -
--

CREATE TYPE private.lot_grant AS (
	user_id uuid,
	kind public.credit_lot_kind,
	amount bigint,
	account public.credit_account,
	idempotency_key text,
	expires_at timestamp with time zone,
	ref_type text,
	ref_id text,
	order_id uuid,
	paid_cents bigint
);

--
-- Name: TYPE lot_grant; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TYPE private.lot_grant IS 'A lot to come into a wallet, once per key of that wallet.';

--
-- Name: app_role; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.app_role AS ENUM (
    'admin'
);

--
-- Name: assistant_agent; Type: DOMAIN; Schema: public; Owner: -
--

CREATE DOMAIN public.assistant_agent AS text
	CONSTRAINT assistant_agent_check CHECK ((VALUE = ANY (ARRAY['automatico'::text, 'logico'::text, 'creativo'::text, 'strategico'::text, 'etico'::text, 'esecutore'::text, 'consiglio'::text])));

--
-- Name: DOMAIN assistant_agent; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON DOMAIN public.assistant_agent IS 'Who of the assistant answers.';

--
-- Name: claim_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.claim_status AS ENUM (
    'verificato',
    'stima',
    'storico',
    'in_conflitto'
);

--
-- Name: consent_channel; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.consent_channel AS ENUM (
    'email',
    'telefono',
    'whatsapp',
    'posta'
);

--
-- Name: consent_purpose; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.consent_purpose AS ENUM (
    'servizio',
    'marketing',
    'profilazione'
);

--
-- Name: consent_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.consent_state AS ENUM (
    'dato',
    'negato',
    'revocato',
    'non_richiesto'
);

--
-- Name: contact_origin; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.contact_origin AS ENUM (
    'manuale',
    'import',
    'whatsapp',
    'email',
    'documento',
    'modulo',
    'demo'
);

--
-- Name: contact_type; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.contact_type AS ENUM (
    'persona',
    'azienda'
);

--
-- Name: credit_entry_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.credit_entry_kind AS ENUM (
    'grant',
    'settle',
    'expire',
    'refund',
    'extend',
    'adjust'
);

--
-- Name: credit_hold_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.credit_hold_state AS ENUM (
    'open',
    'settled',
    'released',
    'swept'
);

--
-- Name: document_alias_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_alias_kind AS ENUM (
    'vat_number',
    'tax_code',
    'email',
    'name'
);

--
-- Name: document_alias_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_alias_state AS ENUM (
    'confermato',
    'rifiutato'
);

--
-- Name: document_field_source; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_field_source AS ENUM (
    'testo',
    'ocr',
    'fatturapa',
    'persona'
);

--
-- Name: document_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_kind AS ENUM (
    'fattura',
    'preventivo',
    'contratto',
    'ricevuta',
    'f24',
    'durc',
    'visura',
    'documento_identita',
    'altro'
);

--
-- Name: document_page_source; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_page_source AS ENUM (
    'testo',
    'ocr'
);

--
-- Name: document_page_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_page_state AS ENUM (
    'attesa',
    'letta',
    'errore'
);

--
-- Name: document_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.document_state AS ENUM (
    'in_coda',
    'lettura',
    'ocr',
    'analisi',
    'pronto',
    'da_verificare',
    'errore',
    'annullato'
);

--
-- Name: error_severity; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.error_severity AS ENUM (
    'critical'
);

--
-- Name: fiscal_document_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.fiscal_document_kind AS ENUM (
    'invoice',
    'credit_note'
);

--
-- Name: fiscal_document_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.fiscal_document_state AS ENUM (
    'queued',
    'sent',
    'accepted',
    'refused'
);

--
-- Name: import_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.import_kind AS ENUM (
    'csv',
    'vcard'
);

--
-- Name: import_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.import_state AS ENUM (
    'in_corso',
    'fatto',
    'annullato'
);

--
-- Name: interaction_direction; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.interaction_direction AS ENUM (
    'uscita',
    'entrata'
);

--
-- Name: interaction_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.interaction_kind AS ENUM (
    'chiamata',
    'email',
    'whatsapp',
    'incontro',
    'altro'
);

--
-- Name: invoice_direction; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.invoice_direction AS ENUM (
    'attiva',
    'passiva'
);

--
-- Name: invoice_source; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.invoice_source AS ENUM (
    'fatturapa',
    'campi'
);

--
-- Name: job_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.job_state AS ENUM (
    'waiting',
    'running',
    'done',
    'failed'
);

--
-- Name: memory_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.memory_kind AS ENUM (
    'profilo',
    'preferenza',
    'contatto',
    'decisione',
    'obiettivo',
    'narrativa'
);

--
-- Name: memory_origin; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.memory_origin AS ENUM (
    'utente',
    'ia',
    'import'
);

--
-- Name: memory_source; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.memory_source AS ENUM (
    'manuale',
    'chat',
    'nota',
    'documento',
    'sistema'
);

--
-- Name: memory_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.memory_state AS ENUM (
    'proposta',
    'attiva',
    'sospesa',
    'superata'
);

--
-- Name: message_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.message_status AS ENUM (
    'queued',
    'streaming',
    'done',
    'stopped',
    'error'
);

--
-- Name: notification_type; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.notification_type AS ENUM (
    'success',
    'warning',
    'error',
    'info'
);

--
-- Name: order_refund_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_refund_state AS ENUM (
    'requested',
    'sent',
    'failed'
);

--
-- Name: order_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.order_state AS ENUM (
    'pending',
    'fulfilled',
    'failed',
    'expired',
    'review',
    'refunded',
    'disputed'
);

--
-- Name: payment_alert_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.payment_alert_kind AS ENUM (
    'mismatch',
    'unknown_order',
    'refund_of_spent_credits',
    'refund_failed',
    'dispute',
    'stuck_event',
    'deleted_account'
);

--
-- Name: plan_period; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.plan_period AS ENUM (
    'forever',
    'month',
    'year'
);

--
-- Name: project_status; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.project_status AS ENUM (
    'attivo',
    'in_pausa',
    'chiuso'
);

--
-- Name: relative_path; Type: DOMAIN; Schema: public; Owner: -
--

CREATE DOMAIN public.relative_path AS text
	CONSTRAINT relative_path_check CHECK (((VALUE ~ '^/'::text) AND (VALUE !~ '//'::text) AND (VALUE !~ '[[:cntrl:][:space:]\\]'::text) AND (char_length(VALUE) <= 500)));

--
-- Name: DOMAIN relative_path; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON DOMAIN public.relative_path IS 'A path inside the client, safe to navigate to.';

--
-- Name: single_line; Type: DOMAIN; Schema: public; Owner: -
--

CREATE DOMAIN public.single_line AS text
	CONSTRAINT single_line_check CHECK (((VALUE ~ '[^[:space:]]'::text) AND (VALUE !~ '[[:cntrl:]]'::text) AND (char_length(VALUE) <= 200)));

--
-- Name: DOMAIN single_line; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON DOMAIN public.single_line IS 'One line of human text: not blank, no control character, at most 200 characters.';

--
-- Name: stage_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.stage_kind AS ENUM (
    'aperta',
    'vinta',
    'persa'
);

--
-- Name: task_event_kind; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.task_event_kind AS ENUM (
    'creata',
    'stato',
    'completata',
    'riaperta',
    'scadenza',
    'eliminata',
    'ripristinata'
);

--
-- Name: task_repeat_from; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.task_repeat_from AS ENUM (
    'scadenza',
    'completamento'
);

--
-- Name: task_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.task_state AS ENUM (
    'da_fare',
    'in_corso',
    'in_attesa',
    'fatto'
);

--
-- Name: tax_regime; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.tax_regime AS ENUM (
    'forfettario',
    'ordinario',
    'semplificato',
    'altro'
);

--
-- Name: tool_call_risk; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.tool_call_risk AS ENUM (
    'basso',
    'medio',
    'alto'
);

--
-- Name: tool_call_state; Type: TYPE; Schema: public; Owner: -
--

CREATE TYPE public.tool_call_state AS ENUM (
    'proposed',
    'approved',
    'edited',
    'rejected',
    'executed',
    'failed',
    'expired',
    'undone'
);

--
-- Name: about(jsonb, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.about(_fields jsonb, _user_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select nullif(jsonb_strip_nulls(jsonb_build_object('email', _fields -> 'email') || case
    when private.is_of_owner(_fields, _user_id)
      then jsonb_build_object('name', _fields -> 'customer', 'vat_number', _fields -> 'customer_vat_number')
    else jsonb_build_object(
      'name', _fields -> 'supplier', 'vat_number', _fields -> 'vat_number', 'tax_code', _fields -> 'tax_code'
    )
  end), '{}')
$$;

--
-- Name: FUNCTION about(_fields jsonb, _user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.about(_fields jsonb, _user_id uuid) IS 'Whom a paper with these fields is about, as documents.supplier keeps it; the same as of_words() in functions/_shared/documents/conclusions.py.';

--
-- Name: add_demo_contacts(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.add_demo_contacts(_user_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _firsts constant text[] := array[
    'Giulia', 'Marco', 'Francesca', 'Luca', 'Chiara', 'Andrea', 'Elena', 'Matteo', 'Sara', 'Davide', 'Martina', 'Paolo',
    'Valentina', 'Simone', 'Silvia', 'Alessandro', 'Laura', 'Stefano', 'Federica', 'Roberto', 'Ilaria', 'Giorgio', 'Beatrice'
  ];
  _lasts constant text[] := array[
    'Bianchi', 'Romano', 'Colombo', 'Ricci', 'Marino', 'Greco', 'Bruno', 'Gallo', 'Conti', 'De Luca', 'Mancini', 'Costa',
    'Giordano', 'Rizzo', 'Lombardi', 'Moretti', 'Barbieri', 'Fontana', 'Santoro', 'Mariani', 'Rinaldi', 'Caruso', 'Ferrara',
    'Galli', 'Martini', 'Leone', 'Longo', 'Gentile', 'Martinelli', 'Vitale', 'Lombardo'
  ];
  _jobs constant text[] := array['Titolare', 'Responsabile marketing', 'Amministrazione', 'Direttrice commerciale', 'Segreteria'];
  _made uuid[];
begin
  with listed as (
    select * from unnest(
      array['Cantina Poggio Alto', 'Studio Dentistico Sorriso', 'Agriturismo La Quercia', 'Officina Meccanica Brera',
        'Libreria Il Segnalibro', 'Panificio Antico Forno', 'Hotel Bellavista', 'Studio Legale Navigli', 'Ceramiche Vietri Blu',
        'Palestra Movimento', 'Farmacia del Corso', 'Immobiliare Casa Mia', 'Erboristeria Verde Vivo', 'Scuola di Lingue Babele',
        'Trattoria da Nino', 'Falegnameria Noce', 'Ottica Vista Chiara', 'Gelateria Neve', 'Asilo Nido Girotondo',
        'Cooperativa Terra Nostra', 'Autoscuola Centrale', 'Profumeria Iris', 'Studio Tecnico Pilastro', 'Vivaio Primavera',
        'Edilizia Solida', 'Veterinaria Amici', 'Tipografia Bodoni', 'Teatro della Luna']::text[],
      array['poggioalto', 'sorriso', 'laquercia', 'brera', 'segnalibro', 'anticoforno', 'bellavista', 'navigli', 'vietriblu',
        'movimento', 'delcorso', 'casamia', 'verdevivo', 'babele', 'danino', 'noce', 'vistachiara', 'neve', 'girotondo',
        'terranostra', 'autocentrale', 'iris', 'pilastro', 'primavera', 'solida', 'amici', 'bodoni', 'luna']::text[]
    ) with ordinality as companies (name, domain, place)
  ), companies as (
    insert into public.contacts (
      user_id, type, business_name, vat_number, sdi_code, pec, website, address, origin, touch_days, created_at
    )
    select _user_id, 'azienda', name, (
        select number
        from generate_series(0, 9) as digit,
          lateral (select lpad((4000 + place * 37)::text, 7, '0') || '888' || digit as number) as numbers
        where private.is_vat_number(number)
      ), 'DEMO' || lpad(place::text, 3, '0'), 'pec@' || domain || '.example', 'https://www.' || domain || '.example',
      jsonb_build_object(
        'city', cities[1], 'province', cities[2], 'street', 'Via Garibaldi ' || place, 'postal_code', cities[3], 'country', 'IT'
      ),
      'demo', case when place % 4 = 0 then 60 end, now() - make_interval(days => 365 - place::integer * 9)
    from listed, lateral (
      select (array[['Milano', 'MI', '20121'], ['Bergamo', 'BG', '24121'], ['Torino', 'TO', '10121'], ['Verona', 'VR', '37121']])
        [1 + place % 4:1 + place % 4][1:3]
    ) as slices (slice), lateral (select array(select unnest(slice))) as picked (cities)
    returning id, business_name
  ), people as (
    insert into public.contacts (user_id, first_name, last_name, company_id, job_title, address, origin, touch_days, created_at)
    select _user_id, _firsts[1 + number % 23], _lasts[1 + number % 31], companies.id,
      case when companies.id is not null then _jobs[1 + number % 5] end,
      case when companies.id is null then '{"city": "Milano", "province": "MI", "country": "IT"}'::jsonb end, 'demo',
      case when number % 6 = 0 then 30 when number % 7 = 0 then 90 end, now() - make_interval(days => 360 - number * 3)
    from generate_series(1, 92) as number
    left join listed on number <= 64 and listed.place = 1 + number % 28
    left join companies on companies.business_name = listed.name
    returning id
  )
  select array(select id from companies union all select id from people) into _made;
  perform private.note_demo(_user_id, 'contacts', _made);
end
$$;

--
-- Name: FUNCTION add_demo_contacts(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.add_demo_contacts(_user_id uuid) IS 'Twenty-eight companies and ninety-two people, the same for everybody.';

--
-- Name: add_demo_deals(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.add_demo_deals(_user_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _titles constant text[] := array[
    'Sito nuovo', 'Restyling del logo', 'Campagna social di primavera', 'Servizio fotografico', 'Catalogo prodotti',
    'Newsletter mensile', 'Video di presentazione', 'Menù e insegne', 'E-commerce', 'Brochure istituzionale', 'Gestione social',
    'Sito e prenotazioni online', 'Packaging'
  ];
  _stages constant uuid[] := array(select id from public.ensure_stages());
  -- How far each deal came: stages 1 to 4 are open, 5 is won, 6 is lost.
  _ends constant integer[] := array[5, 6, 5, 5, 6, 5, 4, 5, 6, 5, 5, 3, 6, 5, 4, 3, 5, 2, 3, 6, 1, 4, 2, 3, 1];
  _id uuid;
  _at timestamptz;
begin
  for _number in 1..25 loop
    -- What is open began in these weeks, what is closed over the year.
    _at := now() - make_interval(days => case when _ends[_number] > 4 then 340 - _number * 13 else 12 + _number * 7 % 29 end);
    insert into public.deals (
      user_id, contact_id, title, amount_cents, stage_id, position, expected_close, stage_since, origin, created_at
    )
    select _user_id, contacts.id, _titles[1 + _number % 13], (600 + _number * 7919 % 83 * 50) * 100, _stages[1],
      'a' || chr(65 + _number), (_at + interval '60 days')::date, _at, 'demo', _at
    from private.demo_contacts(_user_id) as contacts where place = 1 + _number * 5 % 28
    returning id into _id;
    for _stage in 2..least(_ends[_number], 4) loop
      _at := _at + make_interval(days => 2 + (_number * _stage) % 7);
      exit when _at >= now();
      update public.deals set stage_id = _stages[_stage], stage_since = _at where id = _id;
    end loop;
    if _ends[_number] > 4 then
      _at := least(_at + interval '6 days', now() - interval '1 hour');
      update public.deals
      set stage_id = _stages[_ends[_number]], stage_since = _at,
        lost_reason = case when _ends[_number] = 6 then (array['Prezzo', 'Ha scelto un altro', 'Rimandato'])[1 + _number % 3] end
      where id = _id;
    end if;
    perform private.note_demo(_user_id, 'deals', array[_id]);
  end loop;
end
$$;

--
-- Name: FUNCTION add_demo_deals(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.add_demo_deals(_user_id uuid) IS 'Twenty-five deals with the stages they went through; acts for the caller.';

--
-- Name: add_demo_details(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.add_demo_details(_user_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.plain_name(name), ' ', '.') || place end || '@' || domain, true
  from private.demo_contacts(_user_id)
  on conflict do nothing;

  -- No network of Italy has the prefix 300.
  insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select _user_id, id, '300 5550' || lpad(place::text, 3, '0'), '+393005550' || lpad(place::text, 3, '0'), true
  from private.demo_contacts(_user_id) where place % 5 <> 0
  on conflict do nothing;

  with made as (
    insert into public.tags (user_id, name, color, touch_days)
    values (_user_id, 'Cliente', 'green', 60), (_user_id, 'Potenziale', 'blue', 30), (_user_id, 'Fornitore', 'amber', null),
      (_user_id, 'Collega', 'violet', null), (_user_id, 'Newsletter', 'gray', null)
    on conflict (user_id, lower(name)) do nothing
    returning id
  )
  select private.note_demo(_user_id, 'tags', array(select id from made));
  insert into public.contact_tags (user_id, contact_id, tag_id)
  select _user_id, contacts.id, tags.id
  from private.demo_contacts(_user_id) as contacts
  join public.tags on user_id = _user_id and lower(tags.name) in (
    (array['cliente', 'cliente', 'potenziale', 'collega', 'fornitore'])[1 + place % 5], case when place % 4 = 0 then 'newsletter' end
  )
  on conflict do nothing;

  with made as (
    insert into public.notes (user_id, contact_id, body, created_at, updated_at)
    select _user_id, id, (array[
        'Preferisce essere chiamato al mattino, prima delle 11.', 'Paga sempre a 30 giorni: emettere la fattura entro fine mese.',
        'Vuole il preventivo diviso per voci, con i tempi di consegna.', 'Conosciuto alla fiera dell''artigianato.',
        'Chiede foto nuove per il sito prima dell''estate.', 'Decide insieme alla socia: mandare tutto a entrambe.',
        'Ci ha segnalato un altro cliente: ringraziare a Natale.'
      ])[1 + place % 7], at, at
    from private.demo_contacts(_user_id), lateral (select created_at + make_interval(days => 2 + place % 20) as at) as moments
    where place % 3 = 0 and at < now()
    returning id
  )
  select private.note_demo(_user_id, 'notes', array(select id from made));

  with made as (
    insert into public.interactions (user_id, contact_id, kind, direction, at, summary, created_at)
    select _user_id, id, kind::public.interaction_kind,
      case when kind = 'incontro' then null when (place + turn) % 2 = 0 then 'uscita' else 'entrata'
        end::public.interaction_direction,
      at, case kind
        when 'chiamata' then (array[
          'Sentito per il rinnovo del sito', 'Chiede tempi e costi della campagna', 'Conferma la riunione'
        ])[1 + place % 3]
        when 'email' then (array['Inviate le bozze del logo', 'Ricevuti i testi da impaginare', 'Richiesta di preventivo'])[1 + place % 3]
        when 'whatsapp' then (array['Foto del negozio per i social', 'Ok alla pubblicazione di domani'])[1 + place % 2]
        else 'Sopralluogo e raccolta delle idee' end, at
    from private.demo_contacts(_user_id), generate_series(0, 3) as turn,
      lateral (select (array['chiamata', 'email', 'whatsapp', 'incontro'])[1 + (place + turn) % 4] as kind) as kinds,
      lateral (select now() - make_interval(days => (place * 7 + turn * 61) % 330 + 1, hours => place % 8) as at) as moments
    where place % 4 <> 3 and at > created_at
    returning id
  )
  select private.note_demo(_user_id, 'interactions', array(select id from made));

  with made as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, source, at)
    select _user_id, id, 'email', 'marketing', (array['dato', 'dato', 'negato'])[1 + place % 3]::public.consent_state,
      'Consenso', 'Modulo del sito', created_at
    from private.demo_contacts(_user_id) where place % 2 = 0
    returning id
  )
  select private.note_demo(_user_id, 'consents', array(select id from made));
$$;

--
-- Name: FUNCTION add_demo_details(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.add_demo_details(_user_id uuid) IS 'What hangs on the demo contacts: addresses, numbers, tags, notes, interactions, consents.';

--
-- Name: add_demo_tasks(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.add_demo_tasks(_user_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  with made as (
    insert into public.projects (user_id, name, contact_id, color, status, starts_on, due_on, budget_cents, origin)
    select _user_id, projects.name, contacts.id, projects.color, projects.status::public.project_status,
      current_date - since, current_date + until, budget * 100, 'demo'
    from (values
      (1, 'Sito della cantina', '#7c3aed', 'attivo', 40, 35, 3200), (3, 'Stagione dell''agriturismo', '#16a34a', 'attivo', 20, 70, 1800),
      (7, 'Identità dell''hotel', '#0284c7', 'attivo', 60, 20, 4500), (5, 'Vetrina della libreria', '#d97706', 'in_pausa', 120, 30, 900),
      (9, 'Catalogo delle ceramiche', '#dc2626', 'chiuso', 250, -60, 2600)
    ) as projects (place, name, color, status, since, until, budget)
    join private.demo_contacts(_user_id) as contacts using (place)
    returning id
  )
  select private.note_demo(_user_id, 'projects', array(select id from made));

  with listed as (
    -- Fifty that are done, then what is late, due and for some day.
    select number, case
        when number <= 50 then -330 + number * 6 when number <= 55 then number - 57 when number <= 74 then number - 56
      end as days, (array[
        'Chiamare %s', 'Preventivo per %s', 'Preparare le bozze per %s', 'Rivedere i testi per %s', 'Fattura per %s',
        'Sollecitare %s per le foto', 'Riunione con %s', 'Aggiornare il sito: %s', 'Programmare i post: %s'
      ])[1 + number % 9] as title
    from generate_series(1, 76) as number
  ), made as (
    insert into public.tasks (
      user_id, project_id, title, state, priority, due_at, someday, contact_id, position, completed_at, rrule, origin, created_at
    )
    select _user_id, projects.id, format(title, contacts.name),
      case when number <= 50 then 'fatto' when number % 5 = 0 then 'in_corso' when number % 11 = 0 then 'in_attesa'
        else 'da_fare' end::public.task_state,
      case when number % 8 = 0 then 3 when number % 5 = 0 then 2 else 0 end,
      (((now() at time zone 'Europe/Rome')::date + days)::timestamp) at time zone 'Europe/Rome', days is null, contacts.id,
      'a' || chr(65 + number / 26) || chr(65 + number % 26),
      case when number <= 50 then now() + make_interval(days => days) end, null, 'demo', least(now(), now() + make_interval(days => coalesce(days, 0) - 9))
    from listed
    join private.demo_contacts(_user_id) as contacts on contacts.place = 1 + number * 3 % 110
    left join public.projects on projects.user_id = _user_id and projects.contact_id = contacts.id and projects.origin = 'demo'
    union all
    select _user_id, null, title, 'da_fare', priority,
      (((now() at time zone 'Europe/Rome')::date + days)::timestamp) at time zone 'Europe/Rome', false, null, 'b' || days, null, rrule, 'demo',
      now() - interval '30 days'
    from (values
      ('Versare i contributi', 3, 12, null), ('Mandare le fatture alla commercialista', 2, 4, 'FREQ=MONTHLY'),
      ('Salvare una copia dei lavori', 0, 1, 'FREQ=WEEKLY'), ('Rinnovare il dominio del portfolio', 1, 20, 'FREQ=YEARLY')
    ) as own (title, priority, days, rrule)
    returning id
  )
  select private.note_demo(_user_id, 'tasks', array(select id from made));
$$;

--
-- Name: FUNCTION add_demo_tasks(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.add_demo_tasks(_user_id uuid) IS 'Five projects and eighty tasks: done, late, due and for some day.';

--
-- Name: credit_wallets; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_wallets (
    user_id uuid NOT NULL,
    balance bigint DEFAULT 0 NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT balance_is_never_negative CHECK ((balance >= 0)),
    CONSTRAINT held_is_never_negative CHECK ((held >= 0))
);

--
-- Name: TABLE credit_wallets; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_wallets IS 'Cache of the ledger: balance is what can be spent now, held is reserved by work in progress.';

--
-- Name: adjust_credits(uuid, bigint, text, uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text) RETURNS public.credit_wallets
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _known record;
  _lot_id uuid;
begin
  select sum(amount) as amount, min(reason::text) as reason, bool_and(kind = 'adjust') as same into _known
  from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _known.amount is not null then
    if (_known.amount, _known.reason, _known.same) is distinct from (_amount::numeric, _reason, true) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _wallet;
  end if;
  if -_amount > _wallet.balance then
    raise exception '% credits are to go, % can be spent', -_amount, _wallet.balance using errcode = 'SC003';
  end if;

  if _amount < 0 then
    perform private.take(
        _user_id, 'adjust', 'adjustment', _idempotency_key, array_agg(lot_id order by part), array_agg(amount order by part),
        'admin', _admin_id::text, _reason
      )
    from private.draw(_user_id, -_amount);
  else
    insert into public.credit_lots (user_id, kind, amount, remaining) values (_user_id, 'rettifica', _amount, _amount)
      returning id into _lot_id;
    perform private.book(
      _user_id, 'adjust', 'adjustment', _idempotency_key, array[_lot_id], array[_amount], 'admin', _admin_id::text,
      null, _reason
    );
    update public.credit_wallets set balance = balance + _amount, updated_at = now() where user_id = _user_id;
  end if;
  perform private.assert_wallet(_user_id);
  return private.lock_wallet(_user_id);
end
$$;

--
-- Name: FUNCTION adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text) IS 'Corrects a wallet in either direction, with a reason and the admin who gives it, once per key; answers the wallet.';

--
-- Name: alias_value(public.document_alias_kind, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.alias_value(_kind public.document_alias_kind, _value text) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select nullif(left(case _kind
    when 'email' then lower(btrim(_value))
    when 'name' then private.search_text(_value)
    else private.party_vat(jsonb_build_object('vat_number', _value))
  end, 300), '')
$$;

--
-- Name: FUNCTION alias_value(_kind public.document_alias_kind, _value text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.alias_value(_kind public.document_alias_kind, _value text) IS 'A value as it is compared; null if it is none.';

--
-- Name: append_events(uuid, bigint, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.append_events(_run_id uuid, _from_seq bigint, _events jsonb) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _must_stop boolean;
begin
  -- What a crash of the database takes with the events is worth no wait for the disk.
  perform set_config('synchronous_commit', 'off', true);
  if _from_seq <= 1 and _events <> '[]' then
    update public.messages set status = 'streaming'
    where id = (select message_id from public.runs where id = _run_id) and status = 'queued';
  end if;
  update public.runs set
    heartbeat_at = now(), seq = greatest(seq, _from_seq + jsonb_array_length(_events) - 1)
  where id = _run_id and state = 'running'
  returning stop_requested_at is not null into _must_stop;
  if not found then
    return true;
  end if;
  insert into private.run_events (run_id, seq, event, data)
    select _run_id, _from_seq + place - 1, value ->> 'event', value -> 'data'
    from jsonb_array_elements(_events) with ordinality as events (value, place)
  on conflict do nothing;
  return _must_stop;
end
$$;

--
-- Name: FUNCTION append_events(_run_id uuid, _from_seq bigint, _events jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.append_events(_run_id uuid, _from_seq bigint, _events jsonb) IS 'Notes events [{event, data}] of a run, the first under the number _from_seq, and that it lives; answers whether it must stop: its owner said so, it was swept, or its conversation is gone.';

--
-- Name: payment_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_events (
    id text NOT NULL,
    type text NOT NULL,
    payload jsonb NOT NULL,
    received_at timestamp with time zone DEFAULT now() NOT NULL,
    handled_at timestamp with time zone,
    outcome text,
    attempts integer DEFAULT 0 NOT NULL,
    error text,
    order_id uuid,
    tried_at timestamp with time zone,
    given_up_at timestamp with time zone,
    CONSTRAINT ids_fit CHECK ((((char_length(id) >= 1) AND (char_length(id) <= 255)) AND ((char_length(type) >= 1) AND (char_length(type) <= 100))))
);

--
-- Name: TABLE payment_events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.payment_events IS 'What Stripe told us, word by word, and what became of it.';

--
-- Name: COLUMN payment_events.tried_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_events.tried_at IS 'When it was last handled, or tried; null: it was stored only.';

--
-- Name: COLUMN payment_events.given_up_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_events.given_up_at IS 'A person was told, and the job tries it no more; the payment it is about, or the provider, may still bring it back.';

--
-- Name: apply_dispute(public.payment_events); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.apply_dispute(_event public.payment_events) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _dispute constant jsonb := _event.payload #> '{data,object}';
  _status constant text := _dispute ->> 'status';
  _step constant integer := private.dispute_step(_event.type, _status);
  _is_news boolean;
  _order public.credit_orders;
begin
  select * into _order from public.credit_orders where id = private.order_of(_dispute) for update;
  if not found then
    -- A dispute carries none of our own words: it waits until the payment has told its order.
    return 'waiting';
  end if;
  insert into private.order_disputes as known (id, order_id, status, told_at, step)
    values (_dispute ->> 'id', _order.id, _status, to_timestamp((_event.payload ->> 'created')::bigint), _step)
    on conflict (id) do update set status = excluded.status, told_at = excluded.told_at, step = excluded.step
    where (excluded.told_at, excluded.step) > (known.told_at, known.step);
  _is_news := found;
  _order := private.sum_up_disputes(_order.id);
  -- A person is told when somebody must answer, or when the money is gone: once, however many events say it.
  if _is_news and _status in ('warning_needs_response', 'needs_response', 'prevented', 'lost') and not exists (
    select from public.payment_alerts
    where kind = 'dispute' and order_id = _order.id
      and details @> jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
  ) then
    perform private.raise_alert(
      'dispute', _order.id, _event.id, jsonb_build_object('dispute', _dispute ->> 'id', 'status', _status)
    );
  end if;
  return private.settle_order(_order);
end
$$;

--
-- Name: FUNCTION apply_dispute(_event public.payment_events); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.apply_dispute(_event public.payment_events) IS 'Notes how far a dispute is, and moves the credits with it.';

--
-- Name: apply_refund(jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.apply_refund(_charge jsonb, _event_id text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _told_cents constant bigint := (_charge ->> 'amount_refunded')::bigint;
  _order public.credit_orders;
begin
  update public.credit_orders set
    refunded_cents = greatest(refunded_cents, _told_cents),
    payment_intent = coalesce(payment_intent, _charge ->> 'payment_intent')
  where id = private.order_of(_charge)
  returning * into _order;
  if not found then
    return 'ignored';
  end if;
  -- An older refund, told late, says nothing new.
  return private.settle_order(_order, case when _told_cents = _order.refunded_cents then _event_id end);
end
$$;

--
-- Name: FUNCTION apply_refund(_charge jsonb, _event_id text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.apply_refund(_charge jsonb, _event_id text) IS 'Notes how much of a charge was given back, all refunds together, and takes its credits.';

--
-- Name: apply_session(jsonb, text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.apply_session(_session jsonb, _event_id text DEFAULT NULL::text, _event_type text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  return (private.apply_sessions(array[_session], array[_event_id], array[_event_type]))[1];
end
$$;

--
-- Name: FUNCTION apply_session(_session jsonb, _event_id text, _event_type text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.apply_session(_session jsonb, _event_id text, _event_type text) IS 'Notes what a checkout session says and fulfils its order when it is paid and says what was ordered.';

--
-- Name: apply_sessions(jsonb[], text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[]) RETURNS text[]
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  _order_ids constant uuid[] :=
    array(select private.order_id(session) from unnest(_sessions) with ordinality as told (session, place) order by place);
  _differences jsonb[];
  _outcomes text[];
begin
  perform from public.credit_orders where id = any(_order_ids) order by id for update;
  select array_agg(differences order by place),
    array_agg(
      case
        when orders.id is null and not session -> 'metadata' ? 'order_id' then 'ignored'
        when orders.id is null or differences is not null then 'held_back'
        when orders.fulfilled_at is null and session ->> 'payment_status' = 'paid' then 'fulfilled'
        else 'noted'
      end
      order by place
    )
  into _differences, _outcomes
  from unnest(_sessions, _order_ids) with ordinality as told (session, order_id, place)
  left join public.credit_orders as orders on orders.id = order_id
  left join lateral (
    select jsonb_object_agg(name, jsonb_build_array(ordered, told)) as differences
    from (
      values
        ('session', coalesce(orders.provider_session, session ->> 'id'), session ->> 'id'),
        ('amount_total', orders.amount_cents::text, session ->> 'amount_total'),
        ('currency', lower(orders.currency), lower(session ->> 'currency')),
        ('pack_id', orders.pack_id, session #>> '{metadata,pack_id}'),
        ('user_id', orders.user_id::text, session #>> '{metadata,user_id}'),
        ('client_reference_id', orders.id::text, session ->> 'client_reference_id'),
        (
          'account', orders.user_id::text,
          case
            when orders.orphaned_at is null or session ->> 'payment_status' is distinct from 'paid' then orders.user_id::text
          end
        )
    ) as facts (name, ordered, told)
    where ordered is distinct from told
  ) as compared on orders.id is not null;
  perform private.hold_back(session, order_id, event_id, differences)
  from unnest(_sessions, _order_ids, _event_ids, _differences, _outcomes)
    as told (session, order_id, event_id, differences, outcome)
  where outcome = 'held_back';

  update public.credit_orders set
    provider_session = session ->> 'id',
    payment_intent = coalesce(payment_intent, session ->> 'payment_intent'),
    paid_at = coalesce(paid_at, case when session ->> 'payment_status' = 'paid' then now() end),
    fulfilled_at = coalesce(fulfilled_at, case when session ->> 'payment_status' = 'paid' then now() end),
    submitted_at = coalesce(
      submitted_at,
      case when session ->> 'status' = 'complete' and session ->> 'payment_status' = 'unpaid' then now() end
    ),
    expired_at = coalesce(expired_at, case when session ->> 'status' = 'expired' then now() end),
    failed_at = coalesce(failed_at, case when event_type = 'checkout.session.async_payment_failed' then now() end)
  from unnest(_sessions, _order_ids, _event_types, _outcomes) as told (session, order_id, event_type, outcome)
  where id = order_id and outcome in ('fulfilled', 'noted');
  if 'fulfilled' = any(_outcomes) then
    perform private.fulfil_orders(array_agg(order_id), array_agg(event_id))
    from unnest(_order_ids, _event_ids, _outcomes) as told (order_id, event_id, outcome)
    where outcome = 'fulfilled';
  end if;
  return _outcomes;
end
$$;

--
-- Name: FUNCTION apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[]) IS 'What checkout sessions of as many orders say is written into these, and what is paid fulfilled: fulfilled, noted, ignored or held_back.';

--
-- Name: assert_wallet(uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.assert_wallet(VARIADIC _user_ids uuid[]) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _wallet record;
begin
  select user_id, balance, held, lots.spendable, lots.reserved, coalesce(last.balance_after, 0) as ledger into _wallet
  from public.credit_wallets
  cross join lateral (
    select coalesce(sum(credit_lots.remaining), 0) as spendable, coalesce(sum(credit_lots.held), 0) as reserved
    from public.credit_lots where credit_lots.user_id = credit_wallets.user_id
  ) as lots
  left join lateral (
    select balance_after from public.credit_ledger where credit_ledger.user_id = credit_wallets.user_id
    order by id desc limit 1
  ) as last on true
  where credit_wallets.user_id = any(_user_ids)
    and (balance, held, balance + held) is distinct from (spendable, reserved, coalesce(last.balance_after, 0))
  limit 1;
  if found then
    raise exception 'wallet % disagrees with its lots or its ledger: %', _wallet.user_id, _wallet using errcode = 'SC007';
  end if;
end
$$;

--
-- Name: FUNCTION assert_wallet(VARIADIC _user_ids uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.assert_wallet(VARIADIC _user_ids uuid[]) IS 'Raises SC007 unless the lots of each of these wallets sum to its balance and its held credits, and its ledger to both.';

--
-- Name: bare_number(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.bare_number(_number text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select regexp_replace(upper(regexp_replace(_number, '\s', '', 'g')), '^IT', '')
$$;

--
-- Name: FUNCTION bare_number(_number text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.bare_number(_number text) IS 'A tax number without blanks and without its country, if that is Italy.';

--
-- Name: begin_turn(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.begin_turn(_user_id uuid, _turn jsonb) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _client_key constant uuid := (_turn ->> 'client_key')::uuid;
  _answer constant uuid := gen_random_uuid();
  _known jsonb;
  _conversation public.conversations;
  _agent text;
  _question uuid;
  _action text;
  _quote bigint;
  _hold uuid;
begin
  if _turn ->> 'host' is not null
    and not exists (select from private.ai_consents where user_id = _user_id and host = _turn ->> 'host')
  then
    raise exception 'the person has not agreed to this provider' using errcode = 'SA006';
  end if;
  -- One turn of a person at a time: the second of two equal requests waits here and finds the first.
  insert into private.assistant_use as used (user_id, span) values (_user_id, '1 minute')
  on conflict (user_id, span) do update set turns = used.turns;
  _known := private.turn_of(
    _user_id, (select id from public.messages where user_id = _user_id and client_key = _client_key), true
  );
  if _known is not null then
    return _known;
  end if;

  -- What died a minute ago keeps nobody from asking again.
  perform private.sweep_runs(10, _user_id);
  perform private.count_turn(_user_id);
  _conversation := private.conversation_of_turn(_user_id, _turn);
  perform private.refuse_busy(_user_id, _conversation.id);
  _question := private.question_of_turn(_user_id, _conversation.id, _turn);
  _agent := coalesce(_turn ->> 'agent', _conversation.agent);
  _action := case
    when _turn ->> 'mode' = 'locale' then null
    when _agent = 'consiglio' then 'advice'
    when (_turn ->> 'is_deep')::boolean then 'chat_deep'
    else 'chat'
  end;
  _quote := private.quote_of(_action);
  if _quote > (_turn ->> 'max_credits')::bigint then
    raise exception 'the answer may cost more than was shown' using errcode = 'SA005', detail = _quote;
  elsif _quote > 0 then
    _hold := (private.hold_credits(
      _user_id, _quote, 'chat:' || _answer, _action, _answer::text, now() + interval '10 minutes'
    )).id;
  end if;
  insert into public.messages
    (id, user_id, conversation_id, parent_id, role, agent, status, mode, model, quote, hold_id, client_key)
  values (
    _answer, _user_id, _conversation.id, _question, 'assistant', _agent, 'queued', _turn ->> 'mode', _turn ->> 'model',
    _quote, _hold, _client_key
  );
  insert into public.runs (user_id, conversation_id, message_id) values (_user_id, _conversation.id, _answer);
  update public.conversations set last_message_at = now() where user_id = _user_id and id = _conversation.id;
  return private.turn_of(_user_id, _answer, false);
end
$$;

--
-- Name: FUNCTION begin_turn(_user_id uuid, _turn jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.begin_turn(_user_id uuid, _turn jsonb) IS 'Writes down a question, an empty answer and its run, and holds the credits it may cost; the same client_key again answers the same. Turn: {conversation_id, parent_id, regenerate, content, attachments, picked, agent, mode, is_deep, model, client_key, is_temporary, max_credits}. Answers {conversation_id, user_message_id, message_id, run_id, hold_id, quote, uses_memory, auto_approve, repeated}. SA001 to SA005, SC003, SC005, PT404.';

--
-- Name: best_passage(text, integer[], private.document_term[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.best_passage(_line text, _starts integer[], _terms private.document_term[]) RETURNS TABLE(word_from integer, word_to integer, score real)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $_$
  with hits as materialized (
    select term, weight, first, last
    from (
      select term, max(weight * factor) as weight, private.words_pattern(array_agg(word)) as pattern
      from unnest(_terms) group by term
    ) as asked, private.places(_line, pattern)
  ), windows as (
    -- From each hit on, what else stands within two hundred characters: each word counts once.
    select hits.first, max(near.last) as last, sum(near.weight) as score
    from hits, lateral (
      select distinct on (term) term, weight, last from hits as other
      where other.first between hits.first and hits.first + 200 order by term, other.first
    ) as near
    group by hits.first
  ), densest as (
    select first, last, score from windows order by score desc, last - first, first limit 1
  ), sentence as (
    -- From the end of the sentence before to the end of its own, as far as they are near.
    select greatest(first - 120, 1, coalesce((
        select max(ends.last) + 1 from private.places(left(_line, densest.first - 1), '[.!?;](?=\s)') as ends
      ), 1)) as first,
      least(last + 140, char_length(_line), coalesce((
        select min(ends.first) + densest.last from private.places(substr(_line, densest.last + 1), '[.!?;](?=\s|$)') as ends
      ), char_length(_line))) as last, score
    from densest
  )
  select width_bucket(first + case when substr(_line, first, 1) = ' ' then 1 else 0 end, _starts) - 1,
    width_bucket(last, _starts) - 1, score::real
  from sentence
$_$;

--
-- Name: FUNCTION best_passage(_line text, _starts integer[], _terms private.document_term[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.best_passage(_line text, _starts integer[], _terms private.document_term[]) IS 'The one or few sentences of a page in which most of what was asked stands closest together.';

--
-- Name: credit_ledger; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_ledger (
    id bigint NOT NULL,
    user_id uuid NOT NULL,
    kind public.credit_entry_kind NOT NULL,
    amount bigint NOT NULL,
    account public.credit_account NOT NULL,
    lot_id uuid NOT NULL,
    ref_type text,
    ref_id text,
    idempotency_key text NOT NULL,
    balance_after bigint NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    part integer DEFAULT 1 NOT NULL,
    hold_id uuid,
    reason public.single_line,
    CONSTRAINT balance_after_is_never_negative CHECK ((balance_after >= 0)),
    CONSTRAINT each_kind_has_its_account CHECK (
CASE kind
    WHEN 'grant'::public.credit_entry_kind THEN (account = ANY (ARRAY['stripe'::public.credit_account, 'promo'::public.credit_account]))
    WHEN 'settle'::public.credit_entry_kind THEN (account = 'usage'::public.credit_account)
    WHEN 'expire'::public.credit_entry_kind THEN (account = 'expiry'::public.credit_account)
    WHEN 'extend'::public.credit_entry_kind THEN (account = 'expiry'::public.credit_account)
    WHEN 'refund'::public.credit_entry_kind THEN (account = 'refund'::public.credit_account)
    WHEN 'adjust'::public.credit_entry_kind THEN (account = 'adjustment'::public.credit_account)
    ELSE NULL::boolean
END),
    CONSTRAINT each_kind_has_its_sign CHECK (
CASE kind
    WHEN 'grant'::public.credit_entry_kind THEN (amount > 0)
    WHEN 'extend'::public.credit_entry_kind THEN (amount = 0)
    WHEN 'adjust'::public.credit_entry_kind THEN (amount <> 0)
    WHEN 'refund'::public.credit_entry_kind THEN (amount <> 0)
    ELSE (amount < 0)
END),
    CONSTRAINT only_a_settlement_names_its_hold CHECK (((kind = 'settle'::public.credit_entry_kind) = (hold_id IS NOT NULL))),
    CONSTRAINT only_an_adjustment_gives_a_reason CHECK (((kind = 'adjust'::public.credit_entry_kind) = (reason IS NOT NULL))),
    CONSTRAINT parts_are_numbered_from_one CHECK ((part >= 1)),
    CONSTRAINT references_fit CHECK ((((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200)) AND (char_length(ref_type) <= 50) AND (char_length(ref_id) <= 200)))
);

--
-- Name: TABLE credit_ledger; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_ledger IS 'Every movement of credits, append-only: the truth that wallets and lots cache.';

--
-- Name: COLUMN credit_ledger.account; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_ledger.account IS 'The other side of the transfer.';

--
-- Name: COLUMN credit_ledger.balance_after; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_ledger.balance_after IS 'Credits owned after this entry, spendable and held together; an extension leaves them as they are.';

--
-- Name: COLUMN credit_ledger.part; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_ledger.part IS 'A movement over several lots is several rows under one key.';

--
-- Name: book(uuid, public.credit_entry_kind, public.credit_account, text, uuid[], bigint[], text, text, uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.book(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text DEFAULT NULL::text, _ref_id text DEFAULT NULL::text, _hold_id uuid DEFAULT NULL::uuid, _reason text DEFAULT NULL::text) RETURNS public.credit_ledger
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _entry public.credit_ledger;
  _balance bigint := coalesce(
    (select balance_after from public.credit_ledger where user_id = _user_id order by id desc limit 1), 0
  );
begin
  for _part in 1 .. cardinality(_lot_ids) loop
    _balance := _balance + _amounts[_part];
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, part, lot_id, amount, balance_after, ref_type, ref_id, hold_id, reason
    ) values (
      _user_id, _kind, _account, _idempotency_key, _part, _lot_ids[_part], _amounts[_part], _balance, _ref_type,
      _ref_id, _hold_id, _reason
    ) returning * into _entry;
  end loop;
  return _entry;
end
$$;

--
-- Name: FUNCTION book(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _hold_id uuid, _reason text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.book(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _hold_id uuid, _reason text) IS 'Writes a movement of a locked wallet into the ledger, a row for each lot; answers the last.';

--
-- Name: calendar_feed_owner(bytea); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.calendar_feed_owner(_secret_hash bytea) RETURNS uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select user_id from private.calendar_feeds join auth.users on users.id = calendar_feeds.user_id
  where secret_hash = _secret_hash and users.deleted_at is null
    and (users.banned_until is null or users.banned_until <= now())
$$;

--
-- Name: FUNCTION calendar_feed_owner(_secret_hash bytea); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.calendar_feed_owner(_secret_hash bytea) IS 'Whose calendar feed the secret of this digest opens; null when nobody''s, or when the account is banned or deleted.';

--
-- Name: cents(jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.cents(_fields jsonb, _key text) RETURNS bigint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  select case when _fields ->> _key ~ '^-?[0-9]{1,13}$' then (_fields ->> _key)::bigint end
$_$;

--
-- Name: FUNCTION cents(_fields jsonb, _key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.cents(_fields jsonb, _key text) IS 'The amount of a field of {key: value}; null when it is none.';

--
-- Name: change_row(text, jsonb, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.change_row(_table text, _key jsonb, _after jsonb) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _columns constant text := (select string_agg(format('%I', key), ', ') from jsonb_object_keys(_after) as key);
  _before jsonb;
begin
  execute format('select to_jsonb(t) from public.%I as t where %s for update', _table, private.row_filter(_key)) into _before;
  execute format(
    'update public.%1$I set (%2$s) = (select %2$s from jsonb_populate_record(null::public.%1$I, $1)) where %3$s',
    _table, _columns, private.row_filter(_key)
  ) using _after;
  return jsonb_build_object(
    'table', _table,
    -- A key may be among what changes: it is found again by what it is now.
    'key', _key || (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(_after) where _key ? key),
    'before', (select jsonb_object_agg(key, _before -> key) from jsonb_object_keys(_after) as key),
    'after', _after
  );
end
$_$;

--
-- Name: FUNCTION change_row(_table text, _key jsonb, _after jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.change_row(_table text, _key jsonb, _after jsonb) IS 'Writes columns of one row and answers how to undo it.';

--
-- Name: check_import(jsonb, text[], jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.check_import(_fields jsonb, _emails text[], _phones jsonb) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
declare
  _address constant text := '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+\.[^[:space:][:cntrl:]@]+$';
  _problem text := (
    select message from (values
      (1, not private.is_vat_number(_fields ->> 'vat_number'), 'Partita IVA non valida: ' || (_fields ->> 'vat_number')),
      (2, not (private.is_tax_code(_fields ->> 'tax_code') or private.is_vat_number(_fields ->> 'tax_code')),
        'Codice fiscale non valido: ' || (_fields ->> 'tax_code')),
      (3, _fields ->> 'sdi_code' !~ '^[A-Z0-9]{6,7}$', 'Codice destinatario non valido: ' || (_fields ->> 'sdi_code')),
      (4, _fields ->> 'pec' !~ _address, 'PEC non valida: ' || (_fields ->> 'pec')),
      (5, exists (select from unnest(_emails) as value where value !~ _address or char_length(value) > 254),
        'E-mail non valida: ' || (select value from unnest(_emails) as value where value !~ _address or char_length(value) > 254 limit 1)),
      (6, exists (select from jsonb_array_elements(_phones) as phone where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$'),
        'Telefono non valido: ' || coalesce((
          select phone ->> 'value' from jsonb_array_elements(_phones) as phone
          where coalesce(phone ->> 'norm', '') !~ '^\+[1-9][0-9]{6,14}$' limit 1
        ), '')),
      (7, _fields ->> 'website' !~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$', 'Sito non valido: ' || (_fields ->> 'website')),
      (8, coalesce(_fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name') is null, 'Manca il nome')
    ) as checks (place, is_wrong, message)
    where is_wrong order by place limit 1
  );
begin
  if _problem is not null then
    raise exception '%', left(_problem, 300) using errcode = 'SC032';
  end if;
end
$_$;

--
-- Name: FUNCTION check_import(_fields jsonb, _emails text[], _phones jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.check_import(_fields jsonb, _emails text[], _phones jsonb) IS 'Raises SC032 with the first thing that is wrong with a row, in Italian.';

--
-- Name: child_key(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.child_key(_table text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO ''
    AS $$
  select case _table when 'contact_tags' then 'tag_id' else 'id' end
$$;

--
-- Name: FUNCTION child_key(_table text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.child_key(_table text) IS 'The column that tells rows of one contact apart.';

--
-- Name: claim_alerts(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.claim_alerts(_limit integer DEFAULT 50) RETURNS TABLE(kind public.payment_alert_kind, order_id uuid, event_id text, details jsonb, admins text[])
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with people as (
    select array_agg(users.email::text order by users.email) as admins
    from public.user_roles join auth.users on users.id = user_roles.user_id
    where user_roles.role = 'admin' and users.email is not null
  )
  update public.payment_alerts as alerts set told_at = now()
  from people
  -- With nobody to tell they wait.
  where people.admins is not null and alerts.id in (
    select id from public.payment_alerts
    where told_at is null and resolved_at is null
    order by id limit _limit for update skip locked
  )
  returning alerts.kind, alerts.order_id, alerts.event_id, alerts.details, people.admins
$$;

--
-- Name: FUNCTION claim_alerts(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.claim_alerts(_limit integer) IS 'Alerts that nobody was told of yet, for the caller to mail to the admins in this transaction.';

--
-- Name: claim_check(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.claim_check(_order_id uuid) RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with claimed as (
    update public.credit_orders set checked_at = now()
    where id = _order_id and state = 'pending' and coalesce(checked_at, '-infinity') < now() - interval '2 seconds'
    returning id
  )
  select exists (select from claimed)
$$;

--
-- Name: FUNCTION claim_check(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.claim_check(_order_id uuid) IS 'Whether it is worth asking Stripe about a waiting order now; a page asks often.';

--
-- Name: credit_orders; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_orders (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    email text,
    pack_id text NOT NULL,
    catalog_version integer NOT NULL,
    amount_cents bigint NOT NULL,
    currency text NOT NULL,
    credits bigint NOT NULL,
    bonus bigint NOT NULL,
    consumer boolean DEFAULT true NOT NULL,
    billing jsonb,
    provider_session text,
    payment_intent text,
    checkout_url text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    checked_at timestamp with time zone,
    receipt_at timestamp with time zone,
    paid_at timestamp with time zone,
    fulfilled_at timestamp with time zone,
    failed_at timestamp with time zone,
    expired_at timestamp with time zone,
    withdrawn_at timestamp with time zone,
    refunded_cents bigint DEFAULT 0 NOT NULL,
    disputed_at timestamp with time zone,
    dispute_won_at timestamp with time zone,
    dispute_lost_at timestamp with time zone,
    taken_cents bigint DEFAULT 0 NOT NULL,
    state public.order_state GENERATED ALWAYS AS (
CASE
    WHEN ((fulfilled_at IS NOT NULL) AND (disputed_at IS NOT NULL) AND (dispute_won_at IS NULL)) THEN 'disputed'::public.order_state
    WHEN ((fulfilled_at IS NOT NULL) AND ((withdrawn_at IS NOT NULL) OR (refunded_cents >= amount_cents))) THEN 'refunded'::public.order_state
    WHEN (fulfilled_at IS NOT NULL) THEN 'fulfilled'::public.order_state
    WHEN ((paid_at IS NOT NULL) AND (refunded_cents > 0)) THEN 'refunded'::public.order_state
    WHEN (paid_at IS NOT NULL) THEN 'review'::public.order_state
    WHEN (failed_at IS NOT NULL) THEN 'failed'::public.order_state
    WHEN (expired_at IS NOT NULL) THEN 'expired'::public.order_state
    ELSE 'pending'::public.order_state
END) STORED NOT NULL,
    withdrawal_waiver_at timestamp with time zone,
    submitted_at timestamp with time zone,
    orphaned_at timestamp with time zone,
    CONSTRAINT an_order_brings_credits CHECK (((credits > 0) AND (bonus >= 0))),
    CONSTRAINT an_order_costs_something CHECK ((amount_cents > 0)),
    CONSTRAINT billing_is_an_object CHECK ((jsonb_typeof(billing) = 'object'::text)),
    CONSTRAINT currencies_are_iso_codes CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT refunds_are_never_negative CHECK (((refunded_cents >= 0) AND (taken_cents >= 0))),
    CONSTRAINT what_is_fulfilled_was_paid CHECK (((fulfilled_at IS NULL) OR (paid_at IS NOT NULL)))
);

--
-- Name: TABLE credit_orders; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_orders IS 'Purchases of packs; price and credits are those of the catalogue at that moment.';

--
-- Name: COLUMN credit_orders.disputed_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.disputed_at IS 'Since when the payment is or was disputed (private.order_disputes).';

--
-- Name: COLUMN credit_orders.dispute_won_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.dispute_won_at IS 'When the last of its disputes ended well; null while one is open or lost.';

--
-- Name: COLUMN credit_orders.dispute_lost_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.dispute_lost_at IS 'When one of its disputes was lost; null when none is.';

--
-- Name: COLUMN credit_orders.taken_cents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.taken_cents IS 'For so much of what was or will be given back the credits are taken, or as soon as no work holds them.';

--
-- Name: COLUMN credit_orders.state; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.state IS 'Computed from the facts. review: paid, but not what was ordered, so a person looks (payment_alerts).';

--
-- Name: COLUMN credit_orders.withdrawal_waiver_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.withdrawal_waiver_at IS 'When the buyer asked for the credits at once, knowing that used ones cannot be given back (art. 59 c. 1 lett. o Codice del consumo).';

--
-- Name: COLUMN credit_orders.submitted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.submitted_at IS 'When we learned that the buyer has done everything and the money is on its way: a direct debit takes days.';

--
-- Name: COLUMN credit_orders.orphaned_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_orders.orphaned_at IS 'When its account was deleted before it was paid: what comes now is held back.';

--
-- Name: claim_receipts(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.claim_receipts(_limit integer DEFAULT 100) RETURNS SETOF public.credit_orders
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update public.credit_orders set receipt_at = now()
  where id in (
    select id from public.credit_orders
    where fulfilled_at is not null and receipt_at is null
    order by fulfilled_at limit _limit for update skip locked
  )
  returning *
$$;

--
-- Name: FUNCTION claim_receipts(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.claim_receipts(_limit integer) IS 'Orders that were fulfilled since the last time, for the caller to confirm in this transaction.';

--
-- Name: credit_holds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_holds (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    amount bigint NOT NULL,
    captured bigint DEFAULT 0 NOT NULL,
    state public.credit_hold_state DEFAULT 'open'::public.credit_hold_state NOT NULL,
    ref_type text,
    ref_id text,
    idempotency_key text NOT NULL,
    settle_key text,
    expires_at timestamp with time zone NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    closed_at timestamp with time zone,
    CONSTRAINT a_closed_hold_says_when CHECK (((state = 'open'::public.credit_hold_state) = (closed_at IS NULL))),
    CONSTRAINT a_hold_lasts_a_day_at_most CHECK ((expires_at <= (created_at + '1 day'::interval))),
    CONSTRAINT a_hold_reserves_something CHECK ((amount > 0)),
    CONSTRAINT hold_references_fit CHECK ((((char_length(idempotency_key) >= 1) AND (char_length(idempotency_key) <= 200)) AND ((char_length(settle_key) >= 1) AND (char_length(settle_key) <= 200)) AND (char_length(ref_type) <= 50) AND (char_length(ref_id) <= 200))),
    CONSTRAINT no_more_is_captured_than_held CHECK (((captured >= 0) AND (captured <= amount))),
    CONSTRAINT only_a_settled_hold_captures CHECK ((((state = 'settled'::public.credit_hold_state) = (settle_key IS NOT NULL)) AND ((captured = 0) OR (state = 'settled'::public.credit_hold_state))))
);

--
-- Name: TABLE credit_holds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_holds IS 'Credits reserved for work in progress: settled for what was used, or given back.';

--
-- Name: close_hold(public.credit_holds, public.credit_hold_state, bigint, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.close_hold(_hold public.credit_holds, _state public.credit_hold_state, _used bigint DEFAULT 0, _settle_key text DEFAULT NULL::text) RETURNS public.credit_holds
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  if _used > 0 then
    update public.hold_lots set captured = greatest(0, least(amount, _used - before))
    from (
      select part as place, sum(amount) over (order by part) - amount as before
      from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id
    ) as places
    where user_id = _hold.user_id and hold_id = _hold.id and part = place;
    perform private.book(
        _hold.user_id, 'settle', 'usage', _settle_key,
        array_agg(lot_id order by part), array_agg(-captured order by part), _hold.ref_type, _hold.ref_id, _hold.id
      )
    from public.hold_lots where user_id = _hold.user_id and hold_id = _hold.id and captured > 0;
  end if;
  update public.credit_lots
  set held = held - hold_lots.amount, remaining = remaining + hold_lots.amount - hold_lots.captured
  from public.hold_lots
  where hold_lots.user_id = _hold.user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets
  set held = held - _hold.amount, balance = balance + _hold.amount - _used, updated_at = now()
  where user_id = _hold.user_id;
  update public.credit_holds set state = _state, captured = _used, settle_key = _settle_key, closed_at = now()
  where id = _hold.id
  returning * into _hold;
  -- What came back may have outlived its lot.
  perform private.expire_wallet(_hold.user_id);
  perform private.assert_wallet(_hold.user_id);
  return _hold;
end
$$;

--
-- Name: FUNCTION close_hold(_hold public.credit_holds, _state public.credit_hold_state, _used bigint, _settle_key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.close_hold(_hold public.credit_holds, _state public.credit_hold_state, _used bigint, _settle_key text) IS 'Ends an open hold of a locked wallet: books what was used, gives the rest back.';

--
-- Name: close_hold_of_answer(uuid, uuid, bigint); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint) RETURNS bigint
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds
  where user_id = _user_id and idempotency_key = 'chat:' || _message_id;
  if not found then
    return 0;
  end if;
  _hold := private.lock_hold(_hold.id);
  if _hold.state <> 'open' then
    -- Swept: what took that long is a gift.
    return coalesce(_hold.captured, 0);
  elsif _cost > 0 then
    return (private.settle_hold(_hold.id, least(_cost, _hold.amount), 'chat:' || _message_id)).captured;
  end if;
  perform private.release_hold(_hold.id);
  return 0;
end
$$;

--
-- Name: FUNCTION close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint) IS 'Takes what an answer costs, at most what is held for it, and gives the rest back; answers what it took.';

--
-- Name: contact_fingerprints(uuid, uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.contact_fingerprints(_user_id uuid, _contacts uuid[]) RETURNS TABLE(contact_id uuid, fingerprint text)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $_$
declare
  _parts text;
begin
  -- Not the people of a company: they are contacts of their own. Nor what is computed, nor the trash.
  select string_agg(format(
      'union all select %2$I, md5(to_jsonb(t)::text) from public.%1$I as t where user_id = $1 and %2$I = any ($2)', held_by, held_in
    ), ' ') into _parts
  from private.contact_references() where held_by <> 'contacts';
  return query execute format(
    'select parts.id, md5(string_agg(digest, '''' order by digest)) from (
       select id, md5((to_jsonb(t) - array[''updated_at'', ''next_touch_at'', ''deleted_at''])::text) as digest
       from public.contacts as t where user_id = $1 and id = any ($2) %s
     ) as parts group by parts.id', _parts
  ) using _user_id, _contacts;
end
$_$;

--
-- Name: FUNCTION contact_fingerprints(_user_id uuid, _contacts uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.contact_fingerprints(_user_id uuid, _contacts uuid[]) IS 'A digest of each contact and all it has: equal, nobody touched it.';

--
-- Name: contact_references(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.contact_references() RETURNS TABLE(held_by text, held_in text)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select pg_class.relname::text, attname::text
  from pg_catalog.pg_constraint
  join pg_catalog.pg_class on pg_class.oid = conrelid and relnamespace = 'public'::regnamespace
  join pg_catalog.pg_attribute on attrelid = conrelid and attnum = conkey[array_length(conkey, 1)]
  where contype = 'f' and confrelid = 'public.contacts'::regclass
    -- These say how contacts relate to each other, not what belongs to one.
    and relname not in ('contact_distinct', 'merge_log') and attname <> 'merged_into'
  -- Without a reference, because proof outlives the contact.
  union all values ('consent_events', 'contact_id')
  order by 1, 2
$$;

--
-- Name: FUNCTION contact_references(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.contact_references() IS 'The one list of what hangs on a contact: every column that references contacts, so that a new table joins by itself.';

--
-- Name: content_words(text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.content_words(_words text[]) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select word from unnest(_words) with ordinality as words (word, place)
  where char_length(word) between 2 and 40 and ts_lexize('pg_catalog.italian_stem', word) <> '{}'
  group by word order by min(place)
$$;

--
-- Name: FUNCTION content_words(_words text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.content_words(_words text[]) IS 'The words of search_text() that say something, each once: no letter alone, no stop word.';

--
-- Name: conversations; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.conversations (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    title public.single_line,
    agent public.assistant_agent DEFAULT 'automatico'::text NOT NULL,
    is_temporary boolean DEFAULT false NOT NULL,
    uses_memory boolean DEFAULT true NOT NULL,
    auto_approve text[] DEFAULT '{}'::text[] NOT NULL,
    pinned_at timestamp with time zone,
    archived_at timestamp with time zone,
    last_message_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT only_what_can_be_taken_back_needs_no_question CHECK ((auto_approve <@ ARRAY['create_task'::text, 'add_note'::text, 'complete_task'::text, 'move_task'::text])),
    CONSTRAINT title_fits CHECK ((char_length((title)::text) <= 120))
);

--
-- Name: TABLE conversations; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.conversations IS 'Conversations of one person with the assistant.';

--
-- Name: COLUMN conversations.is_temporary; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.conversations.is_temporary IS 'Neither listed nor remembered; erased an hour after its last message.';

--
-- Name: COLUMN conversations.auto_approve; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.conversations.auto_approve IS 'Tools that may act here without being asked each time.';

--
-- Name: conversation_of_turn(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.conversation_of_turn(_user_id uuid, _turn jsonb) RETURNS public.conversations
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _conversation public.conversations;
  _temporary constant boolean := coalesce((_turn ->> 'is_temporary')::boolean, false);
begin
  if _turn ->> 'conversation_id' is not null then
    select * into _conversation from public.conversations
    where user_id = _user_id and id = (_turn ->> 'conversation_id')::uuid for no key update;
  elsif coalesce(_turn ->> 'parent_id', _turn ->> 'regenerate') is null then
    insert into public.conversations (user_id, agent, is_temporary, uses_memory)
    values (
      _user_id, coalesce(_turn ->> 'agent', 'automatico'), _temporary,
      not _temporary and not exists (
        select from public.memory_settings where user_id = _user_id and not (is_active and in_new_chats)
      )
    ) returning * into _conversation;
  end if;
  if _conversation.id is null then
    raise exception 'no such conversation' using errcode = 'PT404';
  end if;
  return _conversation;
end
$$;

--
-- Name: FUNCTION conversation_of_turn(_user_id uuid, _turn jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.conversation_of_turn(_user_id uuid, _turn jsonb) IS 'The conversation of a turn, locked, or a new one; PT404.';

--
-- Name: copy_field(uuid, text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.copy_field(_document_id uuid, _key text, _value text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _fields jsonb;
  _total_cents bigint;
  -- Whom a paper is about: of one's own it is the customer.
  _places jsonb := '{"supplier": "name", "vat_number": "vat_number", "tax_code": "tax_code", "email": "email"}';
begin
  if _key in ('issued_on', 'due_on') and _value !~ '^(19|20|21)[0-9]{2}-[0-9]{2}-[0-9]{2}$'
    or _key in ('net', 'vat', 'total', 'due', 'withholding', 'stamp') and _value !~ '^-?[0-9]{1,13}$'
    or _key = 'currency' and _value !~ '^[A-Z]{3}$'
    or _key = 'type_code' and _value !~ '^TD[0-9]{2}$'
  then
    raise exception 'a date is written 2026-01-31, an amount in cents, a currency EUR, a type TD01'
      using errcode = '22023', hint = 'dates are of 1900 to 2199';
  end if;
  select (coalesce(jsonb_object_agg(key, value), '{}') - _key) || jsonb_strip_nulls(jsonb_build_object(_key, _value))
    into _fields
  from public.document_fields where document_id = _document_id;
  _total_cents := private.cents(_fields, 'total');
  if _fields ->> 'type_code' in ('TD04', 'TD08') then
    _total_cents := -abs(_total_cents);
  end if;
  if private.is_of_owner(_fields, (select user_id from public.documents where id = _document_id)) then
    _places := '{"customer": "name", "customer_vat_number": "vat_number", "email": "email"}';
  end if;
  update public.documents
  set issued_on = case when _key = 'issued_on' then _value::date else issued_on end,
    due_on = case when _key = 'due_on' then _value::date else due_on end,
    total_cents = case when _key in ('total', 'type_code') then _total_cents else total_cents end,
    currency = case when _key = 'currency' then coalesce(_value, 'EUR') else currency end,
    supplier = case when not _places ? _key then supplier else nullif(
      jsonb_strip_nulls(coalesce(supplier, '{}') || jsonb_build_object(_places ->> _key, _value)), '{}'
    ) end
  where id = _document_id
    and (_places ? _key or _key in ('issued_on', 'due_on', 'total', 'type_code', 'currency'));
exception
  when datetime_field_overflow then
    raise exception 'there is no such day' using errcode = '22023';
end
$_$;

--
-- Name: FUNCTION copy_field(_document_id uuid, _key text, _value text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.copy_field(_document_id uuid, _key text, _value text) IS 'Writes to a document what a field of it says; null: it says nothing.';

--
-- Name: count_demo(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.count_demo(_user_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_object_agg(tables.name, (
    select count(*) from private.demo_rows where user_id = _user_id and held_by = tables.name
  ))
  from unnest(array['contacts', 'deals', 'projects', 'tasks', 'notes', 'interactions']) as tables (name)
$$;

--
-- Name: FUNCTION count_demo(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.count_demo(_user_id uuid) IS 'How many demo rows an owner has, by table.';

--
-- Name: count_turn(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.count_turn(_user_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _limit record;
  _use private.assistant_use;
begin
  for _limit in select span, most from private.turn_limits(private.plan_of(_user_id)) order by span loop
    insert into private.assistant_use as used (user_id, span, turns) values (_user_id, _limit.span, 1)
    on conflict (user_id, span) do update set
      started_at = case when used.started_at + used.span <= now() then now() else used.started_at end,
      turns = case when used.started_at + used.span <= now() then 1 else used.turns + 1 end
    returning * into _use;
    if _use.turns > _limit.most then
      raise exception 'more than % turns in %', _limit.most, _limit.span using errcode = 'SA001',
        detail = greatest(1, ceil(extract(epoch from _use.started_at + _use.span - now())))::text;
    end if;
  end loop;
end
$$;

--
-- Name: FUNCTION count_turn(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.count_turn(_user_id uuid) IS 'Counts a turn; SA001 when it is one too many, which counts nothing.';

--
-- Name: count_words(uuid, text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.count_words(_user_id uuid, _gone text[], _come text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    AS $$
begin
  -- Letters only: of numbers nearly each is new. One at a time for each owner, whose words they share.
  perform pg_advisory_xact_lock(hashtext('private.document_words'), hashtext(_user_id::text));
  update private.document_words as kept set pages = kept.pages + change.times
  from (
    select word, sum(times)::integer as times
    from (
      select word, -1 as times from unnest(_gone) as word
      union all
      select word, 1 from unnest(_come) as word
    ) as changes
    where word !~ '[0-9]' group by word having sum(times) <> 0
  ) as change
  where kept.user_id = _user_id and kept.word = change.word;
  insert into private.document_words (user_id, word, stem, grams, pages)
  select _user_id, coming.word, coalesce((ts_lexize('pg_catalog.italian_stem', coming.word))[1], ''),
    private.document_grams(_user_id, coming.word), count(*)
  from unnest(_come) as coming (word)
  where coming.word !~ '[0-9]' and not exists (
    select from private.document_words as kept where kept.user_id = _user_id and kept.word = coming.word
  )
  group by coming.word;
end
$$;

--
-- Name: FUNCTION count_words(_user_id uuid, _gone text[], _come text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.count_words(_user_id uuid, _gone text[], _come text[]) IS 'Keeps the vocabulary of an owner: words of pages that are not searched any more, and of new ones, each once a page.';

--
-- Name: demo_contacts(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.demo_contacts(_user_id uuid) RETURNS TABLE(id uuid, place integer, type public.contact_type, name text, domain text, created_at timestamp with time zone)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select contacts.id, (row_number() over (order by contacts.type desc, contacts.created_at, contacts.id))::integer, contacts.type,
    contacts.name, regexp_replace(coalesce(company.pec, contacts.pec, 'pec@posta.example'), '^pec@', ''), contacts.created_at
  from private.demo_rows
  join public.contacts on contacts.user_id = _user_id and contacts.id = row_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  where demo_rows.user_id = _user_id and held_by = 'contacts'
$$;

--
-- Name: FUNCTION demo_contacts(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.demo_contacts(_user_id uuid) IS 'The demo contacts with a number each: companies first, the oldest first.';

--
-- Name: is_tax_code(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_tax_code(_code text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  -- Letters stand for digits where two people would have the same code (omocodia). A woman's day counts from 41. The
  -- century is unknown; 2000 is a leap year, so it forgives a 29 February.
  select case
    when _code !~ '^[A-Z]{6}[0-9LMNPQRSTUV]{2}[ABCDEHLMPRST][0-9LMNPQRSTUV]{2}[A-Z][0-9LMNPQRSTUV]{3}[A-Z]$' then false
    else (
      select day - case when day > 40 then 40 else 0 end between 1
        and extract(day from make_date(2000 + year, month, 1) + interval '1 month - 1 day')
      from (
        select translate(substr(_code, 7, 2), 'LMNPQRSTUV', '0123456789')::integer as year,
          strpos('ABCDEHLMPRST', substr(_code, 9, 1)) as month,
          translate(substr(_code, 10, 2), 'LMNPQRSTUV', '0123456789')::integer as day
      ) as birth
    ) and (
      -- What a character in an odd place counts, by its place in the alphabet or its digit (D.M. 23 December 1976).
      select chr(65 + sum(
          case when place % 2 = 0 then value
            else ('{1,0,5,7,9,13,15,17,19,21,2,4,18,20,11,3,6,8,12,14,16,10,22,25,24,23}'::integer[])[value + 1] end
        )::integer % 26) = substr(_code, 16, 1)
      from generate_series(1, 15) as place, lateral (
        select ascii(substr(_code, place, 1)) - case when substr(_code, place, 1) ~ '[0-9]' then 48 else 65 end as value
      ) as characters
    )
  end
$_$;

--
-- Name: FUNCTION is_tax_code(_code text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_tax_code(_code text) IS 'Whether a text is the codice fiscale of a person: 16 characters, the birthday exists and the last letter fits.';

--
-- Name: is_vat_number(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_vat_number(_number text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  -- Seven digits of the person, three of the office that gave the number, one check digit (Luhn).
  select case when _number !~ '^[0-9]{7}(0(?!00)[0-9]{2}|100|120|121|888|999)[0-9]$' or _number ~ '^0{7}' then false
    else (
      select sum(case when place % 2 = 1 then digit when digit > 4 then digit * 2 - 9 else digit * 2 end) % 10 = 0
      from generate_series(1, 11) as place, lateral (select substr(_number, place, 1)::integer as digit) as digits
    )
  end
$_$;

--
-- Name: FUNCTION is_vat_number(_number text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_vat_number(_number text) IS 'Whether a text is a partita IVA: 11 digits, the last by Luhn.';

--
-- Name: profiles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.profiles (
    user_id uuid NOT NULL,
    full_name public.single_line,
    avatar_url text,
    onboarding_completed boolean DEFAULT false NOT NULL,
    onboarding_step smallint DEFAULT 0 NOT NULL,
    business_name public.single_line,
    activity public.single_line,
    tax_regime public.tax_regime,
    goal text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    vat_number text,
    tax_code text,
    CONSTRAINT avatar_url_is_an_address CHECK (((avatar_url ~ '^(https?://|/[^/])'::text) AND (avatar_url !~ '[[:cntrl:][:space:]"''<>\\]'::text) AND (char_length(avatar_url) <= 1000))),
    CONSTRAINT business_name_fits CHECK ((char_length((business_name)::text) <= 120)),
    CONSTRAINT full_name_fits CHECK ((char_length((full_name)::text) <= 120)),
    CONSTRAINT goal_fits CHECK (((char_length(goal) >= 1) AND (char_length(goal) <= 500))),
    CONSTRAINT onboarding_has_four_steps CHECK (((onboarding_step >= 0) AND (onboarding_step <= 4))),
    CONSTRAINT tax_code_is_one CHECK ((private.is_tax_code(tax_code) OR private.is_vat_number(tax_code))),
    CONSTRAINT vat_number_is_one CHECK (private.is_vat_number(vat_number))
);

--
-- Name: TABLE profiles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.profiles IS 'What a user says about themselves and their business; one row per account.';

--
-- Name: direct_invoices(public.profiles); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.direct_invoices(_own public.profiles) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $_$
  -- The same as direction() and _entry() in functions/_shared/fatturapa/register.py, of what was read before.
  with sides as (
    select id, direction as former, content, findings, case
      when sold and bought then case type_code when 'TD27' then 'attiva' else 'passiva' end
      when sold then 'attiva' when bought then 'passiva' end as known
    from public.invoices, lateral (
      select private.is_party(content -> 'supplier', _own) as sold, private.is_party(content -> 'customer', _own) as bought
    ) as parties
    where user_id = _own.user_id and content is not null
  ), told as (
    select id, former, coalesce(known, 'passiva')::public.invoice_direction as direction,
      content -> case known when 'attiva' then 'customer' else 'supplier' end as other,
      jsonb_path_query_array(findings, '$[*] ? (@.code != "non_tua")') || case when known is null then jsonb_build_array(
        jsonb_build_object('code', 'non_tua', 'severity', 'avviso', 'text', case
          when coalesce(_own.vat_number, _own.tax_code) is null then 'Nel profilo manca la tua partita IVA'
          else 'Né chi vende né chi compra ha la tua partita IVA o il tuo codice fiscale'
        end || ': ho messo la fattura tra quelle ricevute.')
      ) else '[]' end as findings
    from sides
  ), turned as (
    update public.invoices set direction = told.direction, findings = told.findings,
      counterparty_name = nullif(left(other ->> 'name', 500), ''),
      counterparty_vat = left(private.party_vat(other), 50)
    from told
    where invoices.id = told.id and (former, invoices.findings) is distinct from (told.direction, told.findings)
    returning invoices.user_id, document_id, body_no, other, former <> told.direction as is_turned
  )
  update public.documents
  -- Who was linked was oneself.
  set contact_id = null, contact_suggestion = null, contact_reason = null,
    supplier = nullif(jsonb_strip_nulls(jsonb_build_object(
      'name', other -> 'name', 'vat_number', private.party_vat(other), 'tax_code', other -> 'tax_code',
      'email', other -> 'email'
    )), '{}')
  from turned
  where turned.user_id = documents.user_id and document_id = documents.id and body_no = 1 and is_turned;
  delete from public.document_aliases
  where user_id = _own.user_id and value in (
    private.alias_value('vat_number', _own.vat_number), private.alias_value('tax_code', _own.tax_code)
  )
$_$;

--
-- Name: FUNCTION direct_invoices(_own public.profiles); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.direct_invoices(_own public.profiles) IS 'Puts the electronic invoices of a person on the side where who they are puts them, and knows nobody by their numbers.';

--
-- Name: dispute_step(text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.dispute_step(_type text, _status text) RETURNS integer
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select case
    when _type = 'charge.dispute.created' then 0
    -- A word that is not among them counts as open.
    else coalesce(array_position(array[
      'warning_needs_response', 'warning_under_review', 'warning_closed', 'needs_response', 'under_review', 'won',
      'appeal_needs_response', 'appeal_under_review', 'prevented', 'lost'
    ], _status), 0)
  end
$$;

--
-- Name: FUNCTION dispute_step(_type text, _status text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.dispute_step(_type text, _status text) IS 'How far in the life of a dispute an event is; one that begins it comes first.';

--
-- Name: document_codes(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.document_codes(_text text) RETURNS TABLE(written text, code text)
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select found[1], lower(regexp_replace(found[1], '[^[:alnum:]]', '', 'g'))
  from (
    -- Amounts, dates, numbers of invoices.
    select regexp_matches(_text, '(?<![[:alnum:]])[0-9]+(?:[.,/''’-][0-9]+)+(?![[:alnum:]])', 'g') as found
    union all
    -- An IBAN as it is printed, in fours or by its parts.
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2}[0-9]{2} [A-Za-z0-9]{4}(?: [A-Za-z]?[0-9][A-Za-z0-9]{2,3}){2,6}(?: [A-Za-z0-9]{1,3})?(?![[:alnum:]])', 'g')
    union all
    select regexp_matches(_text, '(?<![[:alnum:]])[A-Za-z]{2} ?[0-9]{2} [A-Za-z] ?[0-9]{5} ?[0-9]{5} ?[A-Za-z0-9]{12}(?![[:alnum:]])', 'g')
    union all
    -- S.r.l.
    select regexp_matches(_text, '(?<![[:alnum:]])[[:alpha:]](?:[.][[:alpha:]]){1,5}(?![[:alnum:]])', 'g')
  ) as codes
$$;

--
-- Name: FUNCTION document_codes(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.document_codes(_text text) IS 'Numbers and codes with something between their parts, as written and as kept.';

--
-- Name: document_grams(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.document_grams(_user_id uuid, _word text) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select private.document_lexemes(_user_id, array(
    select '~' || substr(' ' || _word || ' ', place, 4) from generate_series(1, char_length(_word) - 1) as place
  ))
$$;

--
-- Name: FUNCTION document_grams(_user_id uuid, _word text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.document_grams(_user_id uuid, _word text) IS 'Every four letters of a word and its edges.';

--
-- Name: document_lexemes(uuid, text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.document_lexemes(_user_id uuid, _words text[]) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select array(
    select ('x' || left(md5(_user_id::text || word), 8))::bit(32)::integer
    from unnest(_words) with ordinality as words (word, place) order by place
  )
$$;

--
-- Name: FUNCTION document_lexemes(_user_id uuid, _words text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.document_lexemes(_user_id uuid, _words text[]) IS 'The numbers under which words of an owner are kept, in their order.';

--
-- Name: documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    storage_path text NOT NULL,
    filename public.single_line NOT NULL,
    mime text,
    bytes bigint,
    sha256 text,
    kind public.document_kind DEFAULT 'altro'::public.document_kind NOT NULL,
    kind_confidence real,
    kind_rule text,
    kind_by_user boolean DEFAULT false NOT NULL,
    state public.document_state DEFAULT 'in_coda'::public.document_state NOT NULL,
    error_code text,
    error text,
    pages integer,
    pages_done integer DEFAULT 0 NOT NULL,
    lang text,
    title text,
    contact_id uuid,
    contact_suggestion uuid,
    contact_reason text,
    supplier jsonb,
    issued_on date,
    due_on date,
    total_cents bigint,
    currency text DEFAULT 'EUR'::text NOT NULL,
    note text,
    parent_id uuid,
    duplicate_of uuid,
    retention_until date,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    removed_keys text[] DEFAULT '{}'::text[] NOT NULL,
    CONSTRAINT bytes_are_counted CHECK ((bytes >= 0)),
    CONSTRAINT currency_is_iso CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT error_code_is_a_name CHECK ((error_code ~ '^[a-z_]{1,50}$'::text)),
    CONSTRAINT it_lies_in_the_folder_of_its_owner CHECK (starts_with(storage_path, ((user_id)::text || '/'::text))),
    CONSTRAINT kind_confidence_is_a_part CHECK (((kind_confidence >= (0)::double precision) AND (kind_confidence <= (1)::double precision))),
    CONSTRAINT lang_is_a_name CHECK ((lang ~ '^[a-z]{2,3}(\+[a-z]{2,3})*$'::text)),
    CONSTRAINT note_fits CHECK (((char_length(note) >= 1) AND (char_length(note) <= 20000))),
    CONSTRAINT nothing_holds_or_repeats_itself CHECK (((parent_id <> id) AND (duplicate_of <> id))),
    CONSTRAINT pages_are_counted CHECK (((pages >= 0) AND (pages_done >= 0) AND (pages_done <= pages))),
    CONSTRAINT sha256_is_hexadecimal CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT supplier_is_an_object CHECK ((jsonb_typeof(supplier) = 'object'::text)),
    CONSTRAINT texts_fit CHECK (((char_length(mime) <= 200) AND (char_length(title) <= 500) AND (char_length(kind_rule) <= 500) AND (char_length(error) <= 500) AND (char_length(contact_reason) <= 500)))
);

--
-- Name: TABLE documents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.documents IS 'Files of one owner in the bucket documents, and what was read out of them.';

--
-- Name: COLUMN documents.kind_rule; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.kind_rule IS 'Why it is taken for this kind, in words for its owner.';

--
-- Name: COLUMN documents.kind_by_user; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.kind_by_user IS 'Chosen by its owner (set_document_kind): no machine changes it.';

--
-- Name: COLUMN documents.error; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.error IS 'What went wrong, in words for its owner.';

--
-- Name: COLUMN documents.pages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.pages IS 'Null while nobody knows how many there are.';

--
-- Name: COLUMN documents.contact_suggestion; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.contact_suggestion IS 'Who it may be from, while nobody has said so.';

--
-- Name: COLUMN documents.supplier; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.supplier IS 'What a contact could be made from: {name, vat_number, tax_code, email}.';

--
-- Name: COLUMN documents.parent_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.parent_id IS 'What it came in: a ZIP, a mail, a signed file or an invoice.';

--
-- Name: COLUMN documents.duplicate_of; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.duplicate_of IS 'An older document with the same bytes.';

--
-- Name: COLUMN documents.retention_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.retention_until IS 'Until when it should be kept: follows retention_of() until its owner says another day; null: until it is deleted.';

--
-- Name: COLUMN documents.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.deleted_at IS 'In the trash since, with what came in it.';

--
-- Name: COLUMN documents.removed_keys; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.documents.removed_keys IS 'Fields that its owner took away: no reading brings them back.';

--
-- Name: document_summary(public.documents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.document_summary(_document public.documents) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select regexp_replace(concat_ws(' · ',
    translate(_document.filename, '_', ' '), _document.title, replace(nullif(_document.kind, 'altro')::text, '_', ' '),
    (select name from public.contacts where user_id = _document.user_id and id = _document.contact_id),
    _document.supplier ->> 'name', _document.supplier ->> 'vat_number', _document.supplier ->> 'tax_code',
    _document.supplier ->> 'email', to_char(_document.issued_on, 'DD/MM/YYYY'),
    private.euros(_document.total_cents, _document.currency),
    (
      select string_agg(tags.name, ' · ' order by tags.name) from public.document_tags
      join public.tags on tags.user_id = document_tags.user_id and tags.id = tag_id
      where document_tags.user_id = _document.user_id and document_id = _document.id
    ),
    (
      select string_agg(value, ' · ' order by key) from public.document_fields
      where user_id = _document.user_id and document_id = _document.id
        and key not in ('issued_on', 'due_on', 'net', 'vat', 'total')
    ),
    _document.note
  ), '\s+', ' ', 'g')
$$;

--
-- Name: FUNCTION document_summary(_document public.documents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.document_summary(_document public.documents) IS 'What is known about a document, in a line that people can read.';

--
-- Name: document_terms(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.document_terms(_user_id uuid, _query text) RETURNS SETOF private.document_term
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with typed as materialized (
    select row_number() over ()::integer as term, word, word ~ '[0-9]' as is_code,
      (ts_lexize('pg_catalog.italian_stem', word))[1] as stem
    from private.query_words(_query) as word
  ), total as materialized (
    select greatest(coalesce((select pages from private.document_words where user_id = _user_id and word = ''), 0), 1) as pages
  ), known as (
    -- Nobody counts codes: a short one stands on many pages, a long one on few.
    select term, word, 1.0 as factor, case when char_length(word) > 4 then 1 else total.pages / 4 + 1 end as pages
    from typed, total where is_code
    union all
    (
      select typed.term, kept.word, case when kept.word = typed.word then 1.0 else 0.9 end, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.stem = typed.stem and document_words.word <> '' and pages > 0
        order by document_words.word = typed.word desc, pages desc, document_words.word limit 12
      ) as kept
      where not is_code
    )
    union all
    (
      select typed.term, kept.word, 0.8, kept.pages
      from typed, lateral (
        select word, pages from private.document_words
        where user_id = _user_id and document_words.word > typed.word and document_words.word < typed.word || U&'\+10FFFF'
          and pages > 0
        order by pages desc, document_words.word limit 12
      ) as kept
      where not is_code and char_length(typed.word) > 2
    )
  ), found as (
    select * from known
    union all
    (
      select typed.term, kept.word, 0.6 * kept.likeness, kept.pages
      from typed, lateral (
        select word, pages, extensions.similarity(word, typed.word) as likeness from private.document_words
        where user_id = _user_id and grams && private.document_grams(_user_id, typed.word)
          and pages > 0 and abs(char_length(word) - char_length(typed.word)) <= 2 and extensions.similarity(word, typed.word) >= 0.4
        order by likeness desc, pages desc, word limit 6
      ) as kept
      where not is_code and char_length(typed.word) > 3 and not exists (select from known where known.term = typed.term)
    )
  ), best as (
    select term, word, max(factor) as factor, max(pages) as pages from found group by term, word
  )
  select term, word, (private.document_lexemes(_user_id, array[word]))[1], factor::real,
    ln(1 + total.pages / (1.0 + least(total.pages, sum(best.pages) over (partition by term))))::real,
    least(total.pages, sum(best.pages) over (partition by term))::integer
  from best, total
$$;

--
-- Name: FUNCTION document_terms(_user_id uuid, _query text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.document_terms(_user_id uuid, _query text) IS 'The words of an owner''s pages that fit what was typed, each with its weight.';

--
-- Name: draw(uuid, bigint); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.draw(_user_id uuid, _amount bigint) RETURNS TABLE(lot_id uuid, amount bigint, part integer)
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
  select id, least(remaining, _amount - before), nth::integer
  from (
    select id, remaining, row_number() over draw_order as nth, (sum(remaining) over draw_order - remaining)::bigint as before
    from public.credit_lots
    where user_id = _user_id and remaining > 0
    window draw_order as (order by expires_at nulls last, paid_cents > 0, created_at, id)
  ) as lots
  where before < _amount
$$;

--
-- Name: FUNCTION draw(_user_id uuid, _amount bigint); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.draw(_user_id uuid, _amount bigint) IS 'From which lots so many spendable credits come, in order.';

--
-- Name: drifted_wallets(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.drifted_wallets() RETURNS SETOF uuid
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select user_id
  from public.credit_wallets
  left join (
    select user_id, sum(remaining) as spendable, sum(held) as reserved from public.credit_lots group by user_id
  ) as lots using (user_id)
  left join (select user_id, sum(amount) as owned from public.credit_ledger group by user_id) as ledger using (user_id)
  where (balance, held, balance + held)
    is distinct from (coalesce(spendable, 0), coalesce(reserved, 0), coalesce(owned, 0))
$$;

--
-- Name: FUNCTION drifted_wallets(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.drifted_wallets() IS 'The wallets that disagree with their lots or with the whole of their ledger: there should be none.';

--
-- Name: early_bird_credits(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.early_bird_credits() RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$select 500::bigint$$;

--
-- Name: FUNCTION early_bird_credits(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.early_bird_credits() IS 'How many credits an early-bird seat brings.';

--
-- Name: enter_stage(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.enter_stage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _kind public.stage_kind;
  _since timestamptz;
begin
  if tg_op = 'UPDATE' then
    if new.stage_id = old.stage_id then
      return new;
    end if;
    if new.stage_since = old.stage_since then
      new.stage_since := now();
    end if;
    if new.stage_since - old.stage_since < interval '5 minutes' then
      delete from public.deal_stage_log where deal_id = new.id and left_at is null;
    else
      update public.deal_stage_log set left_at = new.stage_since where deal_id = new.id and left_at is null;
    end if;
    update public.deal_stage_log set left_at = null
    where id = (
        select id from public.deal_stage_log
        where user_id = new.user_id and deal_id = new.id order by entered_at desc limit 1
      ) and stage_id = new.stage_id
    returning entered_at into _since;
    if found then
      new.stage_since := _since;
    else
      insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
        values (new.user_id, new.id, new.stage_id, new.stage_since);
    end if;
  end if;
  select kind into _kind from public.stages where user_id = new.user_id and id = new.stage_id;
  new.won_at := case when _kind = 'vinta' then new.stage_since end;
  new.lost_at := case when _kind = 'persa' then new.stage_since end;
  new.lost_reason := case when _kind = 'persa' then new.lost_reason end;
  return new;
end
$$;

--
-- Name: FUNCTION enter_stage(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.enter_stage() IS 'Keeps stage_since, won_at, lost_at and the log in step with the stage.';

--
-- Name: euros(bigint, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.euros(_cents bigint, _currency text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select translate(to_char(_cents / 100.0, 'FM999,999,999,999,990.00'), ',.', '.,') || ' '
    || case _currency when 'EUR' then '€' else _currency end
$$;

--
-- Name: FUNCTION euros(_cents bigint, _currency text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.euros(_cents bigint, _currency text) IS 'An amount as Italians write it: 1.220,00 €.';

--
-- Name: expire_lots(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.expire_lots(_limit integer DEFAULT 200) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id uuid;
  _expired integer;
  _done integer := 0;
begin
  for _user_id in
    select distinct user_id from (
      select user_id from public.credit_lots where remaining > 0 and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    begin
      perform private.lock_wallet(_user_id);
      _expired := private.expire_wallet(_user_id);
      perform private.assert_wallet(_user_id);
      _done := _done + _expired;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _done;
end
$$;

--
-- Name: FUNCTION expire_lots(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.expire_lots(_limit integer) IS 'Expires or extends lots past their time; answers how many.';

--
-- Name: expire_tool_calls(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.expire_tool_calls() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with old as (
    update public.tool_calls set state = 'expired' where state = 'proposed' and expires_at <= now() returning id
  )
  select count(*) from old
$$;

--
-- Name: FUNCTION expire_tool_calls(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.expire_tool_calls() IS 'Closes proposals that nobody decided in time; answers how many.';

--
-- Name: expire_wallet(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.expire_wallet(_user_id uuid) RETURNS integer
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _lot public.credit_lots;
  _done integer := 0;
begin
  for _lot in
    select * from public.credit_lots
    where user_id = _user_id and remaining > 0 and expires_at <= now() order by expires_at, id
  loop
    _done := _done + 1;
    if _lot.order_id is null and _lot.kind <> 'acquisto' then
      -- What such a lot owns only ever falls, so the key is a new one each time.
      perform private.take(
        _user_id, 'expire', 'expiry', format('expire:%s:%s', _lot.id, _lot.remaining + _lot.held),
        array[_lot.id], array[_lot.remaining]
      );
    else
      perform private.book(
        _user_id, 'extend', 'expiry', format('extend:%s:%s', _lot.id, extract(epoch from _lot.expires_at)),
        array[_lot.id], array[0::bigint]
      );
      update public.credit_lots
      set expires_at = (
        expires_at at time zone 'Europe/Rome'
        + make_interval(months => 12 * (1 + extract(year from age(now(), expires_at))::integer))
      ) at time zone 'Europe/Rome'
      where id = _lot.id;
    end if;
  end loop;
  return _done;
end
$$;

--
-- Name: FUNCTION expire_wallet(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.expire_wallet(_user_id uuid) IS 'Expires or extends the due lots of a locked wallet by the database''s clock; answers how many.';

--
-- Name: few_documents(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.few_documents(_user_id uuid, _filter jsonb) RETURNS uuid[]
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  _ids uuid[];
begin
  if jsonb_strip_nulls(_filter) <> '{}' then
    _ids := array(select private.fitting_documents(_user_id, _filter, null));
  end if;
  -- Where nearly everything fits, what does not is left out afterwards.
  return case when cardinality(_ids) <= 5000 then _ids end;
end
$$;

--
-- Name: FUNCTION few_documents(_user_id uuid, _filter jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.few_documents(_user_id uuid, _filter jsonb) IS 'The documents that fit a filter, if they are few; null: look at all.';

--
-- Name: finish_paid_tasks(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.finish_paid_tasks(_invoice_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update public.tasks set state = 'fatto'
  from public.invoice_schedules
  where invoice_schedules.invoice_id = _invoice_id and invoice_schedules.paid_on is not null
    and tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.state <> 'fatto'
$$;

--
-- Name: FUNCTION finish_paid_tasks(_invoice_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.finish_paid_tasks(_invoice_id uuid) IS 'What was paid needs no reminder.';

--
-- Name: messages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.messages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    parent_id uuid,
    role text NOT NULL,
    agent public.assistant_agent,
    content text DEFAULT ''::text NOT NULL,
    status public.message_status NOT NULL,
    mode text,
    model text,
    refs jsonb DEFAULT '[]'::jsonb NOT NULL,
    unverified jsonb DEFAULT '[]'::jsonb NOT NULL,
    suggestions jsonb DEFAULT '[]'::jsonb NOT NULL,
    views jsonb DEFAULT '[]'::jsonb NOT NULL,
    attachments uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    picked jsonb,
    tokens_in integer,
    tokens_out integer,
    quote bigint,
    cost bigint,
    hold_id uuid,
    client_key uuid,
    error_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT an_answer_answers CHECK (((role = 'user'::text) OR (parent_id IS NOT NULL))),
    CONSTRAINT attachments_are_few CHECK ((cardinality(attachments) <= 20)),
    CONSTRAINT content_fits CHECK ((char_length(content) <=
CASE role
    WHEN 'user'::text THEN 20000
    ELSE 100000
END)),
    CONSTRAINT error_code_is_a_name CHECK ((error_code ~ '^[a-z_]{1,50}$'::text)),
    CONSTRAINT lists_are_lists CHECK (((jsonb_typeof(refs) = 'array'::text) AND (jsonb_typeof(unverified) = 'array'::text) AND (jsonb_typeof(suggestions) = 'array'::text) AND (jsonb_typeof(views) = 'array'::text))),
    CONSTRAINT modes_are_two CHECK ((mode = ANY (ARRAY['locale'::text, 'ia'::text]))),
    CONSTRAINT nothing_costs_more_than_its_quote CHECK (((cost >= 0) AND (cost <= quote))),
    CONSTRAINT picked_is_a_record CHECK (((jsonb_typeof(picked) = 'object'::text) AND (octet_length((picked)::text) <= 2000))),
    CONSTRAINT roles_are_two CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text]))),
    CONSTRAINT what_is_counted_is_positive CHECK (((tokens_in >= 0) AND (tokens_out >= 0) AND (quote >= 0)))
);

--
-- Name: TABLE messages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.messages IS 'What was asked and answered; who has the same parent is another version.';

--
-- Name: COLUMN messages.refs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.refs IS 'What an answer cites: [{n, kind, id, label, place}]; [^n] in its text.';

--
-- Name: COLUMN messages.unverified; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.unverified IS 'Figures that stand in no result of a tool: [[begin, end)] in UTF-16 units of the text.';

--
-- Name: COLUMN messages.suggestions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.suggestions IS 'What may be asked next: [{label, text, ref}].';

--
-- Name: COLUMN messages.views; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.views IS 'What each agent of a council said: [{agent, content, status}].';

--
-- Name: COLUMN messages.attachments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.attachments IS 'Documents that came with a question.';

--
-- Name: COLUMN messages.picked; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.picked IS 'The record that the person pointed at: {kind, id, label}.';

--
-- Name: COLUMN messages.quote; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.quote IS 'The most that the answer may cost, in credits; of a question null.';

--
-- Name: COLUMN messages.client_key; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.messages.client_key IS 'Of an answer: the key under which its turn was sent, so that a repeated request is one.';

--
-- Name: finish_turn(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.finish_turn(_run_id uuid, _outcome jsonb) RETURNS public.messages
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _run constant public.runs := private.lock_run(_run_id);
  _state constant text := _outcome ->> 'state';
  _content constant text := left(coalesce(_outcome ->> 'content', ''), 100000);
  _views constant jsonb := coalesce(nullif(_outcome -> 'views', 'null'), '[]');
  _memories constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_outcome -> 'memory_ids', 'null'), '[]'))
  );
  _cost bigint := coalesce((_outcome ->> 'cost')::bigint, 0);
  _message public.messages;
begin
  if _run.state is distinct from 'running' then
    select * into _message from public.messages where id = _run.message_id;
    return _message;
  end if;
  if _state not in ('done', 'stopped', 'error') or _state is null then
    raise exception 'an answer ends done, stopped or error' using errcode = '22023';
  elsif _state = 'error' or _content !~ '[^[:space:]]' and not _views @> '[{"status": "done"}]' then
    _cost := 0;
  end if;
  _cost := private.close_hold_of_answer(_run.user_id, _run.message_id, _cost);
  update public.runs set state = _state, finished_at = now(), heartbeat_at = now() where id = _run_id;
  update public.messages set
    status = _state::public.message_status, content = _content, cost = _cost, finished_at = now(),
    agent = coalesce(_outcome ->> 'agent', agent), model = coalesce(_outcome ->> 'model', model),
    mode = coalesce(_outcome ->> 'mode', mode), error_code = _outcome ->> 'error_code',
    refs = coalesce(nullif(_outcome -> 'refs', 'null'), '[]'),
    unverified = coalesce(nullif(_outcome -> 'unverified', 'null'), '[]'),
    suggestions = coalesce(nullif(_outcome -> 'suggestions', 'null'), '[]'),
    views = _views,
    tokens_in = (_outcome ->> 'tokens_in')::integer, tokens_out = (_outcome ->> 'tokens_out')::integer
  where id = _run.message_id
  returning * into _message;
  insert into public.memory_uses (user_id, memory_id, message_id)
    select _run.user_id, id, _run.message_id from public.memories where user_id = _run.user_id and id = any (_memories)
  on conflict do nothing;
  perform private.note_memory_uses(_run.user_id, _memories);
  update public.conversations set
    last_message_at = now(), title = coalesce(title, left(private.one_line(_outcome ->> 'title'), 120))
  where user_id = _run.user_id and id = _run.conversation_id;
  return _message;
end
$$;

--
-- Name: FUNCTION finish_turn(_run_id uuid, _outcome jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.finish_turn(_run_id uuid, _outcome jsonb) IS 'Writes an answer down and takes its price, once; called again it answers the row as it is, and null when its conversation is gone. What an answer costs: one that ended by itself its price; one that its person stopped, or deleted, after text was shown, be it a view of the council that is done, the price times the share of agents or steps that were finished, rounded up, and at least 1; one that is empty, failed, was cut, stalled or crashed nothing, and its text so far is kept. It never costs more than its quote. Outcome: {state, content, refs, unverified, suggestions, views, tokens_in, tokens_out, cost, agent, model, mode, error_code, memory_ids, title}.';

--
-- Name: fitting_documents(uuid, jsonb, uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.fitting_documents(_user_id uuid, _filter jsonb, _among uuid[]) RETURNS SETOF uuid
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
declare
  _kind constant public.document_kind := _filter ->> 'kind';
  _state constant public.document_state := _filter ->> 'state';
  _contact_id constant uuid := _filter ->> 'contact_id';
  _tag_id constant uuid := _filter ->> 'tag_id';
  _document_id constant uuid := _filter ->> 'document_id';
  _from constant date := _filter ->> 'from';
  _to constant date := _filter ->> 'to';
begin
  return query
    select id from public.documents
    where user_id = _user_id and deleted_at is null
      and (_among is null or id = any (_among))
      and (_kind is null or kind = _kind)
      and (_state is null or state = _state)
      and (_contact_id is null or contact_id = _contact_id)
      and (_document_id is null or id = _document_id)
      and (_tag_id is null or id in (
        select document_id from public.document_tags where document_tags.user_id = _user_id and tag_id = _tag_id
      ))
      and (_from is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) >= _from)
      and (_to is null or coalesce(issued_on, (created_at at time zone 'Europe/Rome')::date) <= _to);
end
$$;

--
-- Name: FUNCTION fitting_documents(_user_id uuid, _filter jsonb, _among uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.fitting_documents(_user_id uuid, _filter jsonb, _among uuid[]) IS 'Documents of an owner outside of the trash (among these, if told) of a kind, state, contact, tag, period, or this one: {kind, state, contact_id, tag_id, from, to, document_id}.';

--
-- Name: follow_contact_tags(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_contact_tags() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  -- Who had no cadence by tags and got none has nothing to compute.
  update public.contacts set next_touch_at = null
  where id = any (_contacts) and touch_days is null and (next_touch_at is not null or exists (
    select from public.contact_tags
    join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
    where contact_tags.user_id = contacts.user_id and contact_id = contacts.id and tags.touch_days is not null
  ));
  return null;
end
$$;

--
-- Name: FUNCTION follow_contact_tags(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_contact_tags() IS 'Computes the cadence anew where a tag was put on or taken off.';

--
-- Name: follow_document_contact(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_document_contact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.invoices set contact_id = new.contact_id
  where user_id = new.user_id and document_id = new.id and contact_id is distinct from new.contact_id;
  return null;
end
$$;

--
-- Name: FUNCTION follow_document_contact(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_document_contact() IS 'An invoice is about whom its document is about.';

--
-- Name: follow_fields(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_fields(_document_id uuid) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _document public.documents;
begin
  select documents.* into _document from public.documents
  where id = _document_id and exists (
    select from public.invoices
    where invoices.user_id = documents.user_id and document_id = documents.id and source = 'campi'
  );
  if not found then
    return;
  elsif _document.kind = 'fattura' or not _document.kind_by_user then
    perform private.register_scan(_document);
  else
    perform private.remove_invoices(_document_id, _document.user_id, '{}');
  end if;
end
$$;

--
-- Name: FUNCTION follow_fields(_document_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_fields(_document_id uuid) IS 'A scan that was registered is registered as its fields are now, and not at all when its owner says it is no invoice.';

--
-- Name: follow_interactions(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_interactions() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _contacts uuid[];
begin
  if tg_op = 'UPDATE' then
    _contacts := array(select contact_id from changed union select contact_id from former);
  else
    _contacts := array(select contact_id from changed);
  end if;
  update public.contacts
  set last_interaction_at = latest.at
  from (
    select contacts.id, (
      select max(at) from public.interactions
      where interactions.user_id = contacts.user_id and interactions.contact_id = contacts.id
    ) as at
    from public.contacts where id = any (_contacts)
  ) as latest
  where contacts.id = latest.id and contacts.last_interaction_at is distinct from latest.at;
  return null;
end
$$;

--
-- Name: FUNCTION follow_interactions(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_interactions() IS 'Keeps contacts.last_interaction_at, and by it the cadence.';

--
-- Name: follow_invoice(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_invoice() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.retitle_reminders(new);
  return null;
end
$$;

--
-- Name: FUNCTION follow_invoice(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_invoice() IS 'What reminds of an invoice says which way the money goes, and to whom.';

--
-- Name: follow_merge(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_merge() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- One that does not exist is refused by its reference.
  new.contact_id := coalesce(private.living_contact(new.user_id, new.contact_id), new.contact_id);
  return new;
end
$$;

--
-- Name: FUNCTION follow_merge(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_merge() IS 'What is written to a contact that was merged, as from an older page, is written to the one that is left.';

--
-- Name: follow_merge_of_waiting(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_merge_of_waiting() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  new.waiting_for := coalesce(private.living_contact(new.user_id, new.waiting_for), new.waiting_for);
  return new;
end
$$;

--
-- Name: FUNCTION follow_merge_of_waiting(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_merge_of_waiting() IS 'As follow_merge, for whom a task waits for.';

--
-- Name: follow_named_documents(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_named_documents() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_table_name = 'contacts' then
    perform private.index_documents(array(
      select id from public.documents where user_id = new.user_id and contact_id = new.id
    ));
  else
    perform private.index_documents(array(
      select document_id from public.document_tags where user_id = new.user_id and tag_id = new.id
    ));
  end if;
  return null;
end
$$;

--
-- Name: FUNCTION follow_named_documents(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_named_documents() IS 'Keeps what documents are found by when a contact or a tag gets another name.';

--
-- Name: follow_own_numbers(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_own_numbers() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.direct_invoices(new);
  -- The same of scans. Who was linked was oneself.
  update public.documents
  set supplier = private.about(said, new.user_id), contact_id = null, contact_suggestion = null, contact_reason = null
  from (
    select document_id, jsonb_object_agg(key, value) as said from public.document_fields
    where user_id = new.user_id and source <> 'fatturapa' group by document_id
  ) as scan
  where documents.user_id = new.user_id and documents.id = document_id
    and coalesce(coalesce(nullif(said ->> 'vat_number', ''), said ->> 'tax_code') in (old.vat_number, old.tax_code), false)
      <> private.is_of_owner(said, new.user_id);
  perform private.follow_fields(document_id) from public.invoices where user_id = new.user_id and source = 'campi';
  return null;
end
$$;

--
-- Name: FUNCTION follow_own_numbers(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_own_numbers() IS 'Invoices that were read before their owner said who they are get onto the right side.';

--
-- Name: follow_said_words(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_said_words() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into private.message_search (message_id, user_id, document)
  -- A vector of words has an end: a megabyte.
  values (new.id, new.user_id, private.search_document(
    private.search_key(new.user_id), '', private.search_text(left(new.content, 50000)), null, null, null
  ))
  on conflict (message_id) do update set document = excluded.document;
  return null;
end
$$;

--
-- Name: FUNCTION follow_said_words(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_said_words() IS 'Writes anew what a message is found by.';

--
-- Name: follow_schedule(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_schedule() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = new.user_id and id = new.invoice_id;
  perform private.retitle_reminders(_invoice);
  -- A day that its owner chose stays.
  update public.tasks
  set due_at = new.due_on::timestamp at time zone 'Europe/Rome',
    remind_at = case when new.due_on is null or remind_at = '{}' then '{}'
      else array[private.reminder_moment(new.due_on, 3)] end
  where user_id = new.user_id and id = new.task_id and state <> 'fatto' and new.due_on is distinct from old.due_on
    and due_at is not distinct from old.due_on::timestamp at time zone 'Europe/Rome';
  return null;
end
$$;

--
-- Name: FUNCTION follow_schedule(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_schedule() IS 'The task that reminds of a day of payment follows its day and its amount.';

--
-- Name: follow_searched_contacts(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_contacts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
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

--
-- Name: FUNCTION follow_searched_contacts(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_contacts() IS 'Keeps private.contact_search when contacts change.';

--
-- Name: follow_searched_documents(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_documents() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'DELETE' then
    perform private.index_texts(user_id, array_agg((id, 0, null, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
    return null;
  elsif tg_op = 'INSERT' then
    perform private.index_documents(array(select id from changed));
    return null;
  end if;
  perform private.index_documents(array(
    select changed.id from changed join former using (id)
    where (changed.filename, changed.title, changed.kind, changed.contact_id, changed.supplier, changed.issued_on,
        changed.total_cents, changed.currency, changed.note, changed.deleted_at)
      is distinct from (former.filename, former.title, former.kind, former.contact_id, former.supplier,
        former.issued_on, former.total_cents, former.currency, former.note, former.deleted_at)
  ));
  -- The trash is not searched.
  perform private.index_pages(array(
    select (document_id, no, text, text)::private.document_change
    from changed join former using (id)
    join public.document_pages on document_pages.user_id = changed.user_id and document_id = changed.id
    where (changed.deleted_at is null) <> (former.deleted_at is null)
  ));
  return null;
end
$$;

--
-- Name: FUNCTION follow_searched_documents(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_documents() IS 'Keeps what documents are found by when they change, and takes them out of the trash or into it.';

--
-- Name: follow_searched_facts(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_facts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.index_documents(array(select distinct document_id from changed));
  return null;
end
$$;

--
-- Name: FUNCTION follow_searched_facts(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_facts() IS 'Keeps what documents are found by when their fields or tags change.';

--
-- Name: follow_searched_pages(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_pages() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'INSERT' then
    perform private.index_pages(array(
      select (document_id, no, null, text)::private.document_change from changed where text <> ''
    ));
  elsif tg_op = 'UPDATE' then
    perform private.index_pages(array(
      select (changed.document_id, changed.no, former.text, changed.text)::private.document_change
      from changed join former using (document_id, no) where changed.text <> former.text
    ));
  else
    -- With an account goes its vocabulary.
    perform private.index_texts(user_id, array_agg((document_id, no, text, null)::private.document_change))
    from changed where exists (select from auth.users where users.id = changed.user_id) group by user_id;
    perform private.forget_words(array(select distinct user_id from changed));
  end if;
  return null;
end
$$;

--
-- Name: FUNCTION follow_searched_pages(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_pages() IS 'Keeps what pages are found by when they are read, read anew, or deleted.';

--
-- Name: follow_searched_parts(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_parts() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'UPDATE' then
    perform private.index_contacts(array(select contact_id from changed union select contact_id from former));
  else
    perform private.index_contacts(array(select distinct contact_id from changed));
  end if;
  return null;
end
$$;

--
-- Name: FUNCTION follow_searched_parts(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_parts() IS 'Keeps private.contact_search when addresses, numbers or tags change.';

--
-- Name: follow_searched_tags(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_searched_tags() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.index_contacts(array(
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  ));
  return null;
end
$$;

--
-- Name: FUNCTION follow_searched_tags(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_searched_tags() IS 'Keeps private.contact_search when a tag gets another name.';

--
-- Name: follow_tags(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_tags() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.contacts set next_touch_at = null
  where touch_days is null and id in (
    select contact_id from public.contact_tags where user_id = new.user_id and tag_id = new.id
  );
  return null;
end
$$;

--
-- Name: FUNCTION follow_tags(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_tags() IS 'Computes the cadence anew where a tag says another number of days.';

--
-- Name: follow_total(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_total(_document_id uuid, _before jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  -- What is to be paid was the total less what is withheld: it still is.
  update public.document_fields
  set value = private.payable_cents(said)
  from (
    select jsonb_object_agg(key, value) as said from public.document_fields where document_id = _document_id
  ) as now
  where document_id = _document_id and key = 'due' and value = _before ->> 'due'
    and private.cents(_before, 'due') = private.payable_cents(_before) and private.payable_cents(said) is not null
$$;

--
-- Name: FUNCTION follow_total(_document_id uuid, _before jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_total(_document_id uuid, _before jsonb) IS 'What is to be paid follows a total or a withholding that is not any more what it was before: {key: value}.';

--
-- Name: follow_trashed_document(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_trashed_document() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.documents set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  -- So do the reminders of its invoices; what is done is nobody's reminder any more.
  update public.tasks set deleted_at = new.deleted_at
  from public.invoices join public.invoice_schedules as part
    on part.user_id = invoices.user_id and part.invoice_id = invoices.id
  where invoices.user_id = new.user_id and invoices.document_id = new.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;

--
-- Name: FUNCTION follow_trashed_document(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_trashed_document() IS 'What came in a document, and what reminds of its invoices, goes into the trash and comes back with it.';

--
-- Name: follow_trashed_task(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.follow_trashed_task() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- What went into the trash with its parent comes back with it; what was there before stays there.
  update public.tasks set deleted_at = new.deleted_at
    where user_id = new.user_id and parent_id = new.id and deleted_at is not distinct from old.deleted_at;
  return null;
end
$$;

--
-- Name: FUNCTION follow_trashed_task(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.follow_trashed_task() IS 'Subtasks go into the trash and come back with their parent.';

--
-- Name: forget_merges(integer, integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.forget_merges(_days integer, _limit integer DEFAULT 200) RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with old as (
    -- That two contacts were merged stays in the timeline; what they were before does not.
    update public.merge_log set changes = '[]'
    where id in (
      select id from public.merge_log
      where created_at < now() - make_interval(days => _days) and changes <> '[]' order by created_at limit _limit
    )
    returning user_id, winner_id, loser_id, undone_at
  ), gone as (
    delete from public.contacts using old
    where contacts.user_id = old.user_id and contacts.id = old.loser_id and contacts.merged_into = old.winner_id
      and old.undone_at is null
  )
  select count(*) from old
$$;

--
-- Name: FUNCTION forget_merges(_days integer, _limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.forget_merges(_days integer, _limit integer) IS 'Forgets the way back of so many merges that are older than so many days, and erases who was merged; answers how many.';

--
-- Name: forget_run_events(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.forget_run_events() RETURNS bigint
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with gone as (
    delete from private.run_events using public.runs
    where runs.id = run_id and finished_at < now() - interval '10 minutes'
    returning 1
  )
  select count(*) from gone
$$;

--
-- Name: FUNCTION forget_run_events(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.forget_run_events() IS 'Deletes the events of answers that ended ten minutes ago; answers how many.';

--
-- Name: forget_words(uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.forget_words(_users uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  -- While a document is in the trash its words stay: they are costly to write again.
  delete from private.document_words where user_id = any (_users) and pages <= 0
$$;

--
-- Name: FUNCTION forget_words(_users uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.forget_words(_users uuid[]) IS 'Takes words that no page holds out of vocabularies.';

--
-- Name: fulfil_orders(uuid[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.fulfil_orders(_ids uuid[], _event_ids text[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  -- Pages promise twelve months at least; the expiry job extends what was bought.
  _expires_at constant timestamptz :=
    (now() at time zone 'Europe/Rome' + interval '12 months') at time zone 'Europe/Rome';
begin
  perform private.grant_lots(array(
    select (
      user_id, lots.kind, lots.amount, lots.account, 'stripe:' || provider_session || lots.suffix, _expires_at, 'order',
      orders.id::text, orders.id, lots.paid_cents
    )::private.lot_grant
    from public.credit_orders as orders
    cross join lateral (
      values
        (1, 'acquisto'::public.credit_lot_kind, orders.credits, 'stripe'::public.credit_account, '', orders.amount_cents),
        (2, 'bonus', orders.bonus, 'promo', ':bonus', 0)
    ) as lots (place, kind, amount, account, suffix, paid_cents)
    where orders.id = any(_ids) and lots.amount > 0
    order by orders.id, lots.place
  ));
  insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
    select id, 'invoice', amount_cents, 'order' from public.credit_orders where id = any(_ids);
  insert into public.notifications (user_id, title, message, type, action_url)
    select user_id, 'Crediti accreditati',
      format('Accreditati %s crediti: puoi usarli da subito.', credits + bonus), 'success', '/settings/credits'
    from public.credit_orders as orders
    -- The account may be gone by the time its money comes; the order is not.
    where id = any(_ids) and exists (select from auth.users where users.id = orders.user_id);
  perform private.settle_order(orders, event_id)
  from unnest(_ids, _event_ids) as told (order_id, event_id)
  join public.credit_orders as orders on orders.id = order_id
  where refunded_cents > 0 or disputed_at is not null;
  -- Disputes that came before the payment did, whoever told us of it. Who holds an event handles it next, and may be waiting
  -- for these very orders.
  perform private.handle_payment_event(waiting)
  from (
    select * from public.payment_events as events
    where events.handled_at is null and not events.id = any(array_remove(_event_ids, null))
      and events.payload #>> '{data,object,payment_intent}' = any(array(
        select payment_intent from public.credit_orders where id = any(_ids)
      ))
    for update skip locked
  ) as waiting;
end
$$;

--
-- Name: FUNCTION fulfil_orders(_ids uuid[], _event_ids text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.fulfil_orders(_ids uuid[], _event_ids text[]) IS 'Gives what was paid for, once per order: credits, bonus, fiscal document and a word to the buyer. Beside each order the event that told of its payment, or null.';

--
-- Name: full_name(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.full_name(_metadata jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select nullif(btrim(left(btrim(regexp_replace(_metadata ->> 'full_name', '[[:cntrl:][:space:]]+', ' ', 'g')), 120)), '')
  where jsonb_typeof(_metadata -> 'full_name') = 'string'
$$;

--
-- Name: FUNCTION full_name(_metadata jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.full_name(_metadata jsonb) IS 'The name in sign-up metadata, fit for profiles.full_name, or null.';

--
-- Name: give_up_order(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.give_up_order(_order_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update public.credit_orders set expired_at = coalesce(expired_at, now())
  where id = _order_id and provider_session is null
$$;

--
-- Name: FUNCTION give_up_order(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.give_up_order(_order_id uuid) IS 'Ends an order for which no checkout page was ever made.';

--
-- Name: grant_credits(uuid, bigint, public.credit_lot_kind, public.credit_account, text, timestamp with time zone, text, text, uuid, bigint); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone DEFAULT NULL::timestamp with time zone, _ref_type text DEFAULT NULL::text, _ref_id text DEFAULT NULL::text, _order_id uuid DEFAULT NULL::uuid, _paid_cents bigint DEFAULT 0) RETURNS public.credit_ledger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _entry public.credit_ledger;
begin
  perform private.grant_lots(array[(
    _user_id, _kind, _amount, _account, _idempotency_key, _expires_at, _ref_type, _ref_id, _order_id, _paid_cents
  )::private.lot_grant]);
  select * into _entry from public.credit_ledger
  where user_id = _user_id and idempotency_key = _idempotency_key and part = 1;
  return _entry;
end
$$;

--
-- Name: FUNCTION grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone, _ref_type text, _ref_id text, _order_id uuid, _paid_cents bigint); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone, _ref_type text, _ref_id text, _order_id uuid, _paid_cents bigint) IS 'Adds a lot to a wallet, once per key; answers the ledger entry, also when it existed already.';

--
-- Name: grant_lots(private.lot_grant[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.grant_lots(_grants private.lot_grant[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
declare
  _user_ids constant uuid[] := array(select distinct user_id from unnest(_grants) order by user_id);
  _reused text;
begin
  perform private.lock_wallet(user_id) from unnest(_user_ids) as user_id;
  select wanted.idempotency_key into _reused
  from unnest(_grants) as wanted
  cross join lateral (
    select entry.kind, entry.amount, entry.account, lots.kind as lot_kind, lots.order_id, lots.paid_cents
    from public.credit_ledger as entry
    join public.credit_lots as lots on (lots.user_id, lots.id) = (entry.user_id, entry.lot_id)
    where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    limit 1
  ) as known
  where (known.kind, known.amount, known.account, lot_kind, known.order_id, known.paid_cents) is distinct from (
      'grant'::public.credit_entry_kind, wanted.amount, wanted.account, wanted.kind, wanted.order_id, wanted.paid_cents
    )
  limit 1;
  if found then
    perform private.refuse_key(_reused);
  end if;

  with news as materialized (
    select gen_random_uuid() as lot_id, *
    from unnest(_grants) with ordinality as wanted (
      user_id, kind, amount, account, idempotency_key, expires_at, ref_type, ref_id, order_id, paid_cents, place
    )
    -- Not as a join: that would be planned for the ledger of the first day.
    where (
      select id from public.credit_ledger as entry
      where entry.user_id = wanted.user_id and entry.idempotency_key = wanted.idempotency_key and part = 1
    ) is null
  ),
  lots as (
    insert into public.credit_lots (id, user_id, kind, amount, remaining, expires_at, order_id, paid_cents)
    select lot_id, user_id, kind, amount, amount, expires_at, order_id, paid_cents from news order by place
  ),
  entries as (
    insert into public.credit_ledger (
      user_id, kind, account, idempotency_key, lot_id, amount, balance_after, ref_type, ref_id
    )
    select user_id, 'grant', account, idempotency_key, lot_id, amount,
      before + sum(amount) over (partition by user_id order by place), ref_type, ref_id
    from news
    cross join lateral (
      select coalesce((
        select balance_after from public.credit_ledger where credit_ledger.user_id = news.user_id order by id desc limit 1
      ), 0) as before
    ) as last
    order by place
  )
  update public.credit_wallets set balance = balance + granted, updated_at = now()
  from (select user_id, sum(amount)::bigint as granted from news group by user_id) as sums
  where credit_wallets.user_id = sums.user_id;
  perform private.assert_wallet(variadic _user_ids);
end
$$;

--
-- Name: FUNCTION grant_lots(_grants private.lot_grant[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.grant_lots(_grants private.lot_grant[]) IS 'Adds lots to wallets, each once per key; one that came before changes nothing.';

--
-- Name: hand_back(jsonb, jsonb, jsonb, timestamp with time zone); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := _row ->> 'user_id';
  _contact_id constant uuid := coalesce(_row ->> 'contact_id', _row ->> 'id');
  _like constant jsonb := jsonb_build_object('table', _change -> 'table', 'key', _change -> 'key', 'before', _part);
  _former constant jsonb := (select jsonb_object_agg(key, _change -> 'before' -> key) from jsonb_object_keys(_part) as key);
  _is_merge boolean;
begin
  update public.merge_log set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and winner_id = _contact_id and created_at >= _since and undone_at is null
    and changes @> jsonb_build_array(_like);
  _is_merge := found;
  update private.import_changes set changes = private.rebase_changes(changes, _like, _former)
  where user_id = _user_id and contact_id = _contact_id and changed_at >= _since and changes @> jsonb_build_array(_like);
  return _is_merge or found;
end
$$;

--
-- Name: FUNCTION hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamp with time zone); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamp with time zone) IS 'Hands the former values of a part of a change to the later merge or import that wrote over it; false if there is none.';

--
-- Name: handle_payment_event(public.payment_events); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.handle_payment_event(_event public.payment_events) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _about constant jsonb := _event.payload #> '{data,object}';
  _outcome text;
  _error text;
begin
  begin
    _outcome := case
      when _event.type like 'checkout.session.%' then private.apply_session(_about, _event.id, _event.type)
      when _event.type = 'charge.refunded' then private.apply_refund(_about, _event.id)
      when _event.type like 'charge.dispute.%' then private.apply_dispute(_event)
      when _event.type like 'refund.%' or _event.type = 'charge.refund.updated' then private.note_refund(_about, _event.id)
      else 'ignored'
    end;
  exception
    when others then
      _outcome := 'failed';
      _error := sqlerrm;
  end;
  perform private.note_outcomes(array[_event.id], array[private.order_of(_about)], array[_outcome], _error);
  return _outcome;
end
$$;

--
-- Name: FUNCTION handle_payment_event(_event public.payment_events); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.handle_payment_event(_event public.payment_events) IS 'Does what an event asks for. waiting and failed leave it unhandled: what waits has noted its facts, what failed nothing.';

--
-- Name: handle_stored_event(public.payment_events); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.handle_stored_event(_event public.payment_events) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  return case when _event.handled_at is null then private.handle_payment_event(_event) else 'known' end;
end
$$;

--
-- Name: FUNCTION handle_stored_event(_event public.payment_events); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.handle_stored_event(_event public.payment_events) IS 'Handles an event whose row is locked; known: it was handled before and changes nothing.';

--
-- Name: hold_back(jsonb, uuid, text, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if _differences is null then
    perform private.raise_alert('unknown_order', null, _event_id, jsonb_build_object('session', _session ->> 'id'));
    return;
  end if;
  update public.credit_orders set paid_at = coalesce(paid_at, now())
  where id = _order_id and fulfilled_at is null and _session ->> 'payment_status' = 'paid';
  perform private.raise_alert(
    case when _differences ? 'account' then 'deleted_account' else 'mismatch' end::public.payment_alert_kind,
    _order_id, _event_id, _differences
  );
end
$$;

--
-- Name: FUNCTION hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb) IS 'A person is told of a payment that is not of what was ordered, of no order, or for an account that is gone.';

--
-- Name: hold_credits(uuid, bigint, text, text, text, timestamp with time zone); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text DEFAULT NULL::text, _ref_id text DEFAULT NULL::text, _expires_at timestamp with time zone DEFAULT (now() + '00:15:00'::interval)) RETURNS public.credit_holds
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _wallet public.credit_wallets := private.lock_wallet(_user_id);
  _cap constant bigint := (select monthly_cap from public.credit_settings where user_id = _user_id);
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where user_id = _user_id and idempotency_key = _idempotency_key;
  if found then
    if (_hold.amount, _hold.ref_type, _hold.ref_id) is distinct from (_max, _ref_type, _ref_id) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _hold;
  end if;

  if private.expire_wallet(_user_id) > 0 then
    _wallet := private.lock_wallet(_user_id);
  end if;
  if _wallet.balance < _max then
    raise exception '% credits are wanted, % can be spent', _max, _wallet.balance using errcode = 'SC003';
  end if;
  -- Nested, for `and` may evaluate both sides, and the month of somebody without a cap is read for nothing.
  if _cap is not null then
    if private.used_this_month(_user_id) + _wallet.held + _max > _cap then
      raise exception '% credits are wanted, the monthly cap is %', _max, _cap using errcode = 'SC005';
    end if;
  end if;

  insert into public.credit_holds (user_id, amount, idempotency_key, ref_type, ref_id, expires_at)
    values (_user_id, _max, _idempotency_key, _ref_type, _ref_id, _expires_at) returning * into _hold;
  insert into public.hold_lots (hold_id, lot_id, user_id, part, amount)
    select _hold.id, lot_id, _user_id, part, amount from private.draw(_user_id, _max);
  update public.credit_lots set remaining = remaining - hold_lots.amount, held = credit_lots.held + hold_lots.amount
  from public.hold_lots
  where hold_lots.user_id = _user_id and hold_id = _hold.id and credit_lots.id = lot_id;
  update public.credit_wallets set balance = balance - _max, held = held + _max, updated_at = now()
  where user_id = _user_id;
  perform private.assert_wallet(_user_id);
  return _hold;
end
$$;

--
-- Name: FUNCTION hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text, _ref_id text, _expires_at timestamp with time zone); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text, _ref_id text, _expires_at timestamp with time zone) IS 'Reserves the most that some work may use, once per key; answers the hold, in whatever state it is by now.';

--
-- Name: import_batches; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.import_batches (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    file_name public.single_line NOT NULL,
    kind public.import_kind NOT NULL,
    total integer NOT NULL,
    created integer DEFAULT 0 NOT NULL,
    updated integer DEFAULT 0 NOT NULL,
    skipped integer DEFAULT 0 NOT NULL,
    failed integer DEFAULT 0 NOT NULL,
    state public.import_state DEFAULT 'in_corso'::public.import_state NOT NULL,
    consent jsonb,
    new_tags uuid[] DEFAULT '{}'::uuid[] NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    rejected integer DEFAULT 0 NOT NULL,
    CONSTRAINT consent_is_an_object CHECK (((jsonb_typeof(consent) = 'object'::text) AND (char_length((consent)::text) <= 10000))),
    CONSTRAINT rejected_fits CHECK (((rejected >= 0) AND (rejected <= 100000))),
    CONSTRAINT total_fits CHECK (((total >= 0) AND (total <= 100000)))
);

--
-- Name: TABLE import_batches; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.import_batches IS 'Files of contacts that were imported, and how far.';

--
-- Name: COLUMN import_batches.consent; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.import_batches.consent IS 'What everybody in the file agreed to: {channels, purpose, state, legal_basis, wording, source, at}; null: nothing is known.';

--
-- Name: COLUMN import_batches.rejected; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.import_batches.rejected IS 'Rows of the file that the client refused and never sent; `total` counts those it sends, `failed` those refused here.';

--
-- Name: import_children(public.import_batches, uuid, text[], jsonb, text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[]) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _added jsonb := private.import_consents(_batch, _contact_id);
  _rows jsonb;
  _new_tags uuid[];
begin
  with added as (
    insert into public.contact_emails (user_id, contact_id, value, is_primary)
    select distinct on (lower(value)) _batch.user_id, _contact_id, value, place = 1 and not exists (
        select from public.contact_emails where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from unnest(_emails) with ordinality as emails (value, place) order by lower(value), place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_emails', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  with added as (
    insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
    select distinct on (phone ->> 'norm') _batch.user_id, _contact_id, phone ->> 'value', phone ->> 'norm', place = 1 and not exists (
        select from public.contact_phones where user_id = _batch.user_id and contact_id = _contact_id and is_primary
      )
    from jsonb_array_elements(_phones) with ordinality as phones (phone, place) order by phone ->> 'norm', place
    on conflict (user_id, norm) do nothing
    returning *
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_phones', 'row', to_jsonb(added))), '[]') into _rows from added;
  _added := _added || _rows;
  if cardinality(_tags) > 0 then
    with made as (
      insert into public.tags (user_id, name) select distinct on (lower(tag)) _batch.user_id, tag from unnest(_tags) as tag
      on conflict (user_id, lower(name)) do nothing
      returning id
    )
    select array_agg(id) into _new_tags from made;
    update public.import_batches set new_tags = new_tags || _new_tags where id = _batch.id and _new_tags is not null;
    with added as (
      insert into public.contact_tags (user_id, contact_id, tag_id)
      select _batch.user_id, _contact_id, id from public.tags
      where user_id = _batch.user_id and lower(name) = any (array(select lower(tag) from unnest(_tags) as tag))
      on conflict do nothing
      returning *
    )
    select coalesce(jsonb_agg(jsonb_build_object('table', 'contact_tags', 'row', to_jsonb(added))), '[]') into _rows from added;
    _added := _added || _rows;
  end if;
  return _added;
end
$$;

--
-- Name: FUNCTION import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[]) IS 'Consents, addresses, numbers and tags of a row; answers the rows that were added.';

--
-- Name: import_company(public.import_batches, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_company(_batch public.import_batches, _name text) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _id uuid := (
    select id from public.contacts
    where user_id = _batch.user_id and lower(name) = lower(_name) and type = 'azienda'
      and merged_into is null and deleted_at is null
    order by created_at, id limit 1
  );
begin
  if _id is null then
    insert into public.contacts (user_id, type, business_name, origin, import_batch_id)
      values (_batch.user_id, 'azienda', _name, 'import', _batch.id)
      returning id into _id;
    perform private.note_import(_batch, _id, true, '[]', '[]');
  end if;
  return _id;
end
$$;

--
-- Name: FUNCTION import_company(_batch public.import_batches, _name text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_company(_batch public.import_batches, _name text) IS 'The company of this name, made if there is none.';

--
-- Name: import_consents(public.import_batches, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_consents(_batch public.import_batches, _contact_id uuid) RETURNS jsonb
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  -- A word that the person gave is never overruled by a file; that nobody asked is none, as if there were no row.
  with noted as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select _batch.user_id, _contact_id, channel::public.consent_channel,
      coalesce(_batch.consent ->> 'purpose', 'marketing')::public.consent_purpose,
      coalesce(_batch.consent ->> 'state', 'dato')::public.consent_state,
      nullif(_batch.consent ->> 'legal_basis', ''), nullif(_batch.consent ->> 'wording', ''),
      coalesce(nullif(_batch.consent ->> 'source', ''), 'Importazione di ' || _batch.file_name),
      coalesce((_batch.consent ->> 'at')::timestamptz, now())
    from (select distinct jsonb_array_elements_text(_batch.consent -> 'channels') as channel) as channels
    on conflict (contact_id, channel, purpose) do update
      set state = excluded.state, legal_basis = excluded.legal_basis, wording = excluded.wording, source = excluded.source,
        at = excluded.at
      where consents.state = 'non_richiesto'
    returning *
  ), proven as (
    insert into public.consent_events (user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at)
    select user_id, contact_id, channel, purpose, state, legal_basis, wording, source, at from noted
  )
  select coalesce(jsonb_agg(jsonb_build_object('table', 'consents', 'row', to_jsonb(noted))), '[]') from noted
$$;

--
-- Name: FUNCTION import_consents(_batch public.import_batches, _contact_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_consents(_batch public.import_batches, _contact_id uuid) IS 'Notes what everybody in the file agreed to, with its proof; answers the rows that were added.';

--
-- Name: import_fields(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_fields(_row jsonb) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_strip_nulls(jsonb_build_object(
    'type', coalesce(_row ->> 'type', case when coalesce(first_name, last_name) is null and business_name is not null
      then 'azienda' else 'persona' end),
    'first_name', first_name, 'last_name', last_name, 'business_name', business_name,
    'job_title', private.import_text(_row ->> 'job_title'),
    'vat_number', regexp_replace(regexp_replace(upper(_row ->> 'vat_number'), '[[:space:].-]', '', 'g'), '^IT', ''),
    'tax_code', regexp_replace(upper(_row ->> 'tax_code'), '[[:space:].-]', '', 'g'),
    'sdi_code', upper(private.import_text(_row ->> 'sdi_code')),
    'pec', lower(private.import_text(_row ->> 'pec')),
    'website', regexp_replace(private.import_text(_row ->> 'website'), '^(?!https?://)', 'https://', 'i'),
    'address', (
      select jsonb_object_agg(key, private.import_text(value)) from jsonb_each_text(_row -> 'address')
      where private.import_text(value) is not null
    ),
    'note', nullif(btrim(_row ->> 'note'), '')
  )) - array(select key from jsonb_each_text(_row) where key in ('vat_number', 'tax_code') and private.import_text(value) is null)
  from (values (
    private.import_text(_row ->> 'first_name'), private.import_text(_row ->> 'last_name'), private.import_text(_row ->> 'business_name')
  )) as names (first_name, last_name, business_name)
$$;

--
-- Name: FUNCTION import_fields(_row jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_fields(_row jsonb) IS 'The columns of a contact that a row fills, as they are stored.';

--
-- Name: import_leftovers(uuid, uuid, text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[]) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select string_agg(format('%s: già di %s', taken.value, contacts.name), E'\n' order by taken.value)
  from (
    select contact_id, value from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select contact_id, value::text from unnest(_phones) as given (phone)
    join public.contact_phones on user_id = _user_id and norm = phone
  ) as taken
  cross join lateral (select id, name from public.contacts where user_id = _user_id and id = contact_id offset 0) as contacts
  where contacts.id is distinct from _contact_id
$$;

--
-- Name: FUNCTION import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[]) IS 'Addresses and numbers of a row that another contact has, as lines of a note.';

--
-- Name: import_row(public.import_batches, jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_row(_batch public.import_batches, _row jsonb, _match text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _fields jsonb := private.import_fields(_row);
  _emails constant text[] := array(
    select btrim(value) from jsonb_array_elements_text(_row -> 'emails') as value where value ~ '[^[:space:]]'
  );
  _phones constant jsonb := coalesce((
    select jsonb_agg(phone) from jsonb_array_elements(_row -> 'phones') as phone where phone ->> 'value' ~ '[^[:space:]]'
  ), '[]');
  _norms constant text[] := array(select lower(value) from unnest(_emails) as value);
  _numbers constant text[] := array(select phone ->> 'norm' from jsonb_array_elements(_phones) as phone);
  _tags constant text[] := array(
    select private.import_text(value) from jsonb_array_elements_text(_row -> 'tags') as value where value ~ '[^[:space:]]'
  );
  _company constant text := private.import_text(_row ->> 'company');
  _name constant text := nullif(concat_ws(' ', _fields ->> 'first_name', _fields ->> 'last_name', _fields ->> 'business_name'), '');
  _there public.contacts;
  _taken jsonb;
  _note text;
  _id uuid;
begin
  -- Who has no name is known by an address or a number.
  if _name is null and coalesce(_emails[1], _phones #>> '{0,value}') is not null then
    _fields := _fields || jsonb_build_object('first_name', coalesce(_emails[1], _phones #>> '{0,value}'));
  end if;
  perform private.check_import(_fields, _emails, _phones);
  if _match <> 'crea' then
    _there := private.match_import(_batch.user_id, _fields, _name, _norms, _numbers);
  end if;
  if _there.id is not null and _there.deleted_at is null and _match = 'salta' then
    return 'skipped';
  end if;
  if _company is not null and _fields ->> 'type' = 'persona' then
    _fields := _fields || jsonb_build_object('company_id', private.import_company(_batch, _company));
  end if;
  _note := concat_ws(E'\n', _fields ->> 'note', private.import_leftovers(_batch.user_id, _there.id, _norms, _numbers));
  _fields := case when _note = '' then _fields else _fields || jsonb_build_object('note', _note) end;

  if _there.id is null then
    insert into public.contacts (
      user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, website,
      address, note, origin, import_batch_id
    )
    select _batch.user_id, type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec,
      website, address, note, 'import', _batch.id
    from jsonb_populate_record(null::public.contacts, _fields)
    returning id into _id;
    perform private.import_children(_batch, _id, _emails, _phones, _tags);
    perform private.note_import(_batch, _id, true, '[]', '[]');
    return 'created';
  end if;

  -- What the file says counts, what it does not say stays; a note is added to. Who is in the trash is needed again.
  -- But parts of two addresses are none: once street or city is another one, all of it is the file's.
  if _fields ? 'address' and not exists (
    select from jsonb_each_text(_there.address) where key in ('street', 'city') and value <> _fields -> 'address' ->> key
  ) then
    _fields := _fields || jsonb_build_object('address', coalesce(_there.address, '{}') || (_fields -> 'address'));
  end if;
  select coalesce(jsonb_object_agg(key, value), '{}') into _taken from jsonb_each(_fields)
  where key not in ('type', 'note') and to_jsonb(_there) -> key <> value
    and (_name is not null or key not in ('first_name', 'last_name', 'business_name'));
  if _there.deleted_at is not null then
    _taken := _taken || '{"deleted_at": null}';
  end if;
  if strpos(coalesce(_there.note, ''), _note) = 0 then
    _taken := _taken || jsonb_build_object('note', concat_ws(E'\n', _there.note, _note));
  end if;
  perform private.note_import(
    _batch, _there.id, false,
    case when _taken = '{}' then '[]' else
      jsonb_build_array(private.change_row('contacts', jsonb_build_object('id', _there.id), _taken)) end,
    private.import_children(_batch, _there.id, _emails, _phones, _tags)
  );
  return 'updated';
end
$$;

--
-- Name: FUNCTION import_row(_batch public.import_batches, _row jsonb, _match text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_row(_batch public.import_batches, _row jsonb, _match text) IS 'Imports one row and answers what became of it; SC032 with a reason in Italian.';

--
-- Name: import_text(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.import_text(_text text) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select nullif(btrim(regexp_replace(_text, '[[:cntrl:][:space:]]+', ' ', 'g')), '')
$$;

--
-- Name: FUNCTION import_text(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.import_text(_text text) IS 'A cell of a file as one line; null when it is empty.';

--
-- Name: index_contacts(uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.index_contacts(_contacts uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if current_setting('socio.index_later', true) is distinct from 'on' then
    perform private.index_contacts_now(_contacts);
  end if;
end
$$;

--
-- Name: FUNCTION index_contacts(_contacts uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.index_contacts(_contacts uuid[]) IS 'Writes anew what these contacts are found by, unless an import does so at its end (socio.index_later).';

--
-- Name: index_contacts_now(uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.index_contacts_now(_contacts uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    SET plan_cache_mode TO 'force_custom_plan'
    AS $$
  delete from private.contact_search using public.contacts
  where contact_id = any (_contacts) and contacts.id = contact_id
    and (contacts.merged_into is not null or contacts.deleted_at is not null);

  insert into private.contact_search (contact_id, user_id, words, document)
  select id, user_id, names, private.search_document(private.search_key(user_id), names, others, prose, emails, numbers)
  from (
    select contacts.id, contacts.user_id,
      coalesce(private.search_text(concat_ws(' ', contacts.name, company.name)), '') as names,
      private.search_text(concat_ws(' ',
        contacts.job_title, contacts.tax_code, 'it' || contacts.vat_number, contacts.address ->> 'city',
        array_to_string(emails, ' '),
        (
          select string_agg(tags.name, ' ') from public.contact_tags join public.tags on tags.id = tag_id
          where contact_tags.user_id = contacts.user_id and contact_id = contacts.id
        )
      )) as others,
      private.search_text(contacts.note) as prose,
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

--
-- Name: FUNCTION index_contacts_now(_contacts uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.index_contacts_now(_contacts uuid[]) IS 'Writes anew what these contacts are found by.';

--
-- Name: index_documents(uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.index_documents(_documents uuid[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- First the documents, then the words: in this order for everybody.
  perform from public.documents where id = any (_documents) order by id for no key update;
  perform private.index_texts(user_id, array_agg((
    id, 0, null, case when deleted_at is null then private.document_summary(documents) end
  )::private.document_change))
  from public.documents where id = any (_documents) group by user_id;
end
$$;

--
-- Name: FUNCTION index_documents(_documents uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.index_documents(_documents uuid[]) IS 'Writes anew what is known about documents; nothing of those in the trash.';

--
-- Name: index_pages(private.document_change[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.index_pages(_changes private.document_change[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  perform from public.documents
  where id in (select document_id from unnest(_changes)) order by id for no key update;
  perform private.index_texts(user_id, array_agg((
    document_id, page, former, case when deleted_at is null then nullif(text, '') end
  )::private.document_change))
  from unnest(_changes) as change join public.documents on documents.id = document_id group by user_id;
end
$$;

--
-- Name: FUNCTION index_pages(_changes private.document_change[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.index_pages(_changes private.document_change[]) IS 'Writes anew what pages are found by; nothing of documents in the trash.';

--
-- Name: index_texts(uuid, private.document_change[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.index_texts(_user_id uuid, _changes private.document_change[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _gone text[];
  _come text[];
begin
  select array_agg(word) into _gone
  from unnest(_changes) as change
  join private.document_search as kept on kept.document_id = change.document_id and kept.page = change.page
  cross join lateral (
    select '' as word union all select private.text_words(coalesce(kept.text, change.former))
  ) as words;
  delete from private.document_search as kept using unnest(_changes) as change
  where kept.document_id = change.document_id and kept.page = change.page and change.text is null;
  with coming as materialized (
    select document_id, page, text, array(select private.text_words(change.text)) as words
    from unnest(_changes) as change where text is not null
  ), stored as (
    insert into private.document_search (document_id, page, user_id, lexemes, text)
    select document_id, page, _user_id, private.document_lexemes(_user_id, words || array(
      -- Numbers of a document are found by their beginning.
      select left(word, length) from unnest(words) as word, generate_series(4, char_length(word) - 1) as length
      where page = 0 and word ~ '[0-9]'
    )), case when page = 0 then text end
    from coming
    on conflict (document_id, page) do update set lexemes = excluded.lexemes, text = excluded.text
  )
  select array_agg(word) into _come from coming, unnest(array_append(words, '')) as word;
  -- Once for all: a row that one transaction counts again and again gets slower each time.
  perform private.count_words(_user_id, coalesce(_gone, '{}'), coalesce(_come, '{}'));
end
$$;

--
-- Name: FUNCTION index_texts(_user_id uuid, _changes private.document_change[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.index_texts(_user_id uuid, _changes private.document_change[]) IS 'Has pages of an owner be found by their texts, and keeps the vocabulary.';

--
-- Name: is_admin(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_admin() RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce((select auth.jwt()) ->> 'aal' = 'aal2', false)
    and exists (select from public.user_roles where user_id = (select auth.uid()) and role = 'admin')
$$;

--
-- Name: FUNCTION is_admin(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_admin() IS 'Whether the caller is an admin who has shown a second factor; false without a signed-in user.';

--
-- Name: is_email(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_email(_address text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  select char_length(_address) <= 254
    and _address ~ '^[^[:space:][:cntrl:]@]+@[^[:space:][:cntrl:]@]+[.][^[:space:][:cntrl:]@]+$'
$_$;

--
-- Name: FUNCTION is_email(_address text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_email(_address text) IS 'Whether a text has the shape of an e-mail address.';

--
-- Name: consents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.consents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    channel public.consent_channel NOT NULL,
    purpose public.consent_purpose NOT NULL,
    state public.consent_state NOT NULL,
    legal_basis public.single_line,
    wording text,
    source public.single_line,
    at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT wording_fits CHECK (((char_length(wording) >= 1) AND (char_length(wording) <= 5000)))
);

--
-- Name: TABLE consents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.consents IS 'What a contact allows now, per channel and purpose; written by record_consent() only.';

--
-- Name: is_of_file(public.consents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_of_file(_consent public.consents) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select exists (
    select from public.import_batches
    where user_id = _consent.user_id and consent -> 'channels' ? _consent.channel::text
      and coalesce(nullif(consent ->> 'source', ''), 'Importazione di ' || file_name) = _consent.source
  )
$$;

--
-- Name: FUNCTION is_of_file(_consent public.consents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_of_file(_consent public.consents) IS 'Whether a consent is, by its source, what a file said of everybody in it.';

--
-- Name: is_of_owner(jsonb, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_of_owner(_fields jsonb, _user_id uuid) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select exists (
    -- A paper that was received may show its reader's tax code anywhere: it counts only where no VAT number stands.
    select from public.profiles
    where user_id = _user_id
      and coalesce(nullif(_fields ->> 'vat_number', ''), _fields ->> 'tax_code') in (vat_number, tax_code)
  )
$$;

--
-- Name: FUNCTION is_of_owner(_fields jsonb, _user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_of_owner(_fields jsonb, _user_id uuid) IS 'Whether who issued a paper with these fields is its owner; the same as functions/_shared/documents/conclusions.py.';

--
-- Name: is_order_free(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_order_free(_order_id uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _user_id uuid;
begin
  select user_id into _user_id from public.credit_orders where id = _order_id for update skip locked;
  if found then
    perform from public.credit_wallets where user_id = _user_id for update skip locked;
  end if;
  return found;
end
$$;

--
-- Name: FUNCTION is_order_free(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_order_free(_order_id uuid) IS 'Locks an order and its wallet for this transaction unless that would mean to wait; whether it did.';

--
-- Name: is_party(jsonb, public.profiles); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_party(_party jsonb, _own public.profiles) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select coalesce(coalesce(_party ->> 'vat_country', 'IT') = 'IT' and vat_number = _own.vat_number, false)
    or coalesce(tax_code = upper(_own.tax_code), false) or coalesce(tax_code = _own.vat_number, false)
  from (
    select private.bare_number(_party ->> 'vat_number') as vat_number, private.bare_number(_party ->> 'tax_code') as tax_code
  ) as bare
$$;

--
-- Name: FUNCTION is_party(_party jsonb, _own public.profiles); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_party(_party jsonb, _own public.profiles) IS 'Whether a party of an electronic invoice is its owner; the same as _is() in functions/_shared/fatturapa/register.py.';

--
-- Name: is_reachable(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_reachable(_email text) RETURNS boolean
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $_$ select coalesce(lower(_email) !~ '[@.](example|test|invalid|localhost|example\.(com|net|org))\.?$', false) $_$;

--
-- Name: FUNCTION is_reachable(_email text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_reachable(_email text) IS 'Whether mail to an address can reach anybody: not under a reserved name.';

--
-- Name: is_sdi_code(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.is_sdi_code(_code text) RETURNS boolean
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  select _code ~ '^[A-Z0-9]{7}$'
$_$;

--
-- Name: FUNCTION is_sdi_code(_code text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.is_sdi_code(_code text) IS 'Whether a text is a codice destinatario of the exchange system.';

--
-- Name: issuer_number(public.documents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.issuer_number(_document public.documents) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select coalesce(
    (
      select value from public.document_fields
      where user_id = _document.user_id and document_id = _document.id and key = 'vat_number'
    ),
    _document.supplier ->> 'vat_number'
  )
$$;

--
-- Name: FUNCTION issuer_number(_document public.documents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.issuer_number(_document public.documents) IS 'The VAT number of who issued a document, by which it is told what its owner taught.';

--
-- Name: joined_lines(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.joined_lines(_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select regexp_replace(_text, E'([[:alpha:]])[-\u00ad\u2010][ \t\r]*\n\\s*(?=[[:lower:]])', '\1', 'g')
$$;

--
-- Name: FUNCTION joined_lines(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.joined_lines(_text text) IS 'A text whose words are not broken at the ends of lines.';

--
-- Name: keep_document(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.keep_document() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'INSERT' then
    new.retention_until := coalesce(new.retention_until, private.retention_end(new));
    return new;
  end if;
  -- Follows kind and date as long as it is what they say.
  if (new.kind, new.issued_on) is distinct from (old.kind, old.issued_on)
    and new.retention_until is not distinct from old.retention_until
    and old.retention_until is not distinct from private.retention_end(old)
  then
    new.retention_until := private.retention_end(new);
  end if;
  -- The reason may name who was suggested.
  if old.contact_suggestion is not null and new.contact_suggestion is null then
    new.contact_reason := null;
  end if;
  new.updated_at := now();
  return new;
end
$$;

--
-- Name: FUNCTION keep_document(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.keep_document() IS 'Writes the columns of a document that follow from others.';

--
-- Name: keep_task(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.keep_task() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _unchanging constant text[] := array['position', 'reminded_at', 'next_remind_at', 'updated_at'];
begin
  if new.due_is_allday then
    new.due_at := date_trunc('day', new.due_at at time zone 'Europe/Rome') at time zone 'Europe/Rome';
  end if;
  new.someday := new.someday and new.due_at is null;
  new.completed_at := case when new.state = 'fatto' then coalesce(new.completed_at, now()) end;
  new.remind_at := array(select distinct moment from unnest(new.remind_at) as moment order by moment);
  if new.rrule is not null then
    new.series_id := coalesce(new.series_id, new.id);
  end if;
  if tg_op = 'INSERT' or old.next_remind_at is null then
    -- A moment that is over when it is chosen, or when the task is opened again, reminds of nothing.
    new.reminded_at := now();
  elsif new.remind_at is distinct from old.remind_at then
    -- One that was chosen before and is over, but not told yet, is told still.
    new.reminded_at := coalesce((
      select min(moment) - interval '1 microsecond' from unnest(new.remind_at) as moment
      where moment = any (old.remind_at) and moment >= old.next_remind_at and moment <= now()
    ), now());
  end if;
  new.next_remind_at := case when new.state <> 'fatto' and new.deleted_at is null then (
    select min(moment) from unnest(new.remind_at) as moment where moment > new.reminded_at
  ) end;
  if tg_op = 'UPDATE' and to_jsonb(new) - _unchanging is distinct from to_jsonb(old) - _unchanging then
    new.updated_at := now();
  end if;
  return new;
end
$$;

--
-- Name: FUNCTION keep_task(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.keep_task() IS 'Writes the columns of a task that follow from others.';

--
-- Name: keep_task_levels(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.keep_task_levels() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _grandparent_id uuid;
begin
  if new.parent_id = new.id then
    raise exception 'Un’attività non può stare dentro sé stessa' using errcode = '23514';
  end if;
  select parent_id into _grandparent_id from public.tasks
    where user_id = new.user_id and id = new.parent_id for share;
  if _grandparent_id = new.id then
    raise exception 'Due attività non possono stare una dentro l’altra' using errcode = '23514';
  end if;
  if _grandparent_id is not null
    or exists (select from public.tasks where user_id = new.user_id and parent_id = new.id) then
    raise exception 'Le sottoattività non hanno altre sottoattività: i livelli sono due' using errcode = '23514';
  end if;
  return new;
end
$$;

--
-- Name: FUNCTION keep_task_levels(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.keep_task_levels() IS 'Refuses circles and a third level.';

--
-- Name: keep_trash_time(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.keep_trash_time() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- The same for all of a statement: what goes into the trash together comes back together.
  new.deleted_at := coalesce(old.deleted_at, now());
  return new;
end
$$;

--
-- Name: FUNCTION keep_trash_time(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.keep_trash_time() IS 'Since when something is in the trash is no browser''s to say: its clock would decide when it is erased.';

--
-- Name: keep_used_demo(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.keep_used_demo(_user_id uuid) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _reference record;
  _found boolean;
  _any boolean := false;
begin
  for _reference in
    select holder.relname as held_by, held.attname as held_in, target.relname as used
    from pg_catalog.pg_constraint
    join pg_catalog.pg_class as holder on holder.oid = conrelid and holder.relnamespace = 'public'::regnamespace
    join pg_catalog.pg_class as target on target.oid = confrelid
    join pg_catalog.pg_attribute as held on held.attrelid = conrelid and held.attnum = conkey[array_length(conkey, 1)]
    where contype = 'f' and target.relname in ('contacts', 'deals', 'projects', 'tasks')
      and target.relnamespace = 'public'::regnamespace
      -- Parts of the row itself, which go with it.
      and holder.relname not in (
        'contact_emails', 'contact_phones', 'contact_tags', 'contact_distinct', 'merge_log', 'deal_stage_log', 'task_events'
      )
  loop
    execute format(
      'with used as (
         delete from private.demo_rows where user_id = $1 and held_by = %L and exists (
           select from public.%I as holder where holder.user_id = $1 and holder.%I = row_id and not exists (
             select from private.demo_rows as theirs where theirs.user_id = $1 and theirs.held_by = %L and theirs.row_id = holder.id
           )
         )
         returning row_id
       ), kept as (update public.%I set origin = ''manuale'' where user_id = $1 and id in (select row_id from used))
       select exists (select from used)',
      _reference.used, _reference.held_by, _reference.held_in, _reference.held_by, _reference.used
    ) into _found using _user_id;
    _any := _any or _found;
  end loop;
  return _any;
end
$_$;

--
-- Name: FUNCTION keep_used_demo(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.keep_used_demo(_user_id uuid) IS 'Makes demo rows that rows of the person''s own stand on theirs; false when there were none.';

--
-- Name: learn_field(public.documents, text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.learn_field(_document public.documents, _key text, _label text) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into public.document_corrections (user_id, vat_number, key, label)
  select _document.user_id, vat_number, _key, left(_label, 200)
  from (select private.issuer_number(_document) as vat_number) as issuer
  where char_length(vat_number) <= 30 and _label ~ '[^[:space:]]'
  on conflict (user_id, vat_number, key) do update set label = excluded.label, created_at = now()
$$;

--
-- Name: FUNCTION learn_field(_document public.documents, _key text, _label text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.learn_field(_document public.documents, _key text, _label text) IS 'Remembers beside which words the documents of a supplier have a value.';

--
-- Name: leave_trashed_parent(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.leave_trashed_parent() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  _gone_at timestamptz;
begin
  -- Locked: whoever throws the parent away at this moment sees this row, or is seen from here.
  execute format('select deleted_at from public.%I where user_id = $1 and id = $2 for share', tg_table_name)
    into _gone_at using new.user_id, new.parent_id;
  if _gone_at is null then
    return null;
  end if;
  -- What is new lies where its parent lies, as the files of a ZIP that was thrown away while it was opened.
  execute format(
    'update public.%I set %s where user_id = $1 and id = $2',
    tg_table_name, case tg_op when 'INSERT' then 'deleted_at = $3' else 'parent_id = null' end
  ) using new.user_id, new.id, _gone_at;
  return null;
end
$_$;

--
-- Name: FUNCTION leave_trashed_parent(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.leave_trashed_parent() IS 'What is alive never hangs on something in the trash, which takes everything with it when it is erased.';

--
-- Name: limit_session_rate(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.limit_session_rate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  _limit constant bigint := tg_argv[0];
  _recent bigint;
begin
  execute format(
    'select count(*) from (select from %s where session_id = $1 and created_at > now() - interval ''1 minute'' limit $2) as recent',
    tg_relid::regclass
  ) into _recent using new.session_id, _limit;
  if _recent >= _limit then
    raise exception 'too many rows for one session' using errcode = 'PT429', hint = 'Try again in a minute.';
  end if;
  return new;
end
$_$;

--
-- Name: FUNCTION limit_session_rate(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.limit_session_rate() IS 'Refuses a row when its session wrote as many as the argument in the last minute.';

--
-- Name: limit_table_rate(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.limit_table_rate() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  _guests constant bigint := tg_argv[0];
  _everybody constant bigint := tg_argv[1];
  _is_over boolean;
begin
  execute format(
    'select $1 and exists (
       select from %1$s where user_id is null and created_at > now() - interval ''1 minute''
       order by created_at desc offset $2 - 1
     ) or exists (
       select from %1$s where created_at > now() - interval ''1 minute'' order by created_at desc offset $3 - 1
     )',
    tg_relid::regclass
  ) into _is_over using new.user_id is null, _guests, _everybody;
  if _is_over then
    raise exception 'too many rows for one minute' using errcode = 'PT429', hint = 'Try again in a minute.';
  end if;
  return new;
end
$_$;

--
-- Name: FUNCTION limit_table_rate(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.limit_table_rate() IS 'Refuses a row when in the last minute nobody in particular wrote as many as the first argument, which bounds rows of nobody only, or everybody together as many as the second.';

--
-- Name: living_contact(uuid, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.living_contact(_user_id uuid, _contact_id uuid) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _merged_into uuid;
begin
  loop
    -- Locked, so that no merge comes between the answer and what is done with it.
    select merged_into into _merged_into from public.contacts
    where user_id = _user_id and id = _contact_id for key share;
    if not found then
      return null;
    elsif _merged_into is null then
      return _contact_id;
    end if;
    _contact_id := _merged_into;
  end loop;
end
$$;

--
-- Name: FUNCTION living_contact(_user_id uuid, _contact_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.living_contact(_user_id uuid, _contact_id uuid) IS 'The contact of an owner, or the one that is left if it was merged; null if there is none.';

--
-- Name: lock_hold(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.lock_hold(_hold_id uuid) RETURNS public.credit_holds
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _hold public.credit_holds;
begin
  select * into _hold from public.credit_holds where id = _hold_id;
  if not found then
    raise exception 'there is no hold %', _hold_id using errcode = 'SC008';
  end if;
  perform private.lock_wallet(_hold.user_id);
  -- Read again: somebody may have closed it while we waited for the wallet.
  select * into _hold from public.credit_holds where id = _hold_id;
  return _hold;
end
$$;

--
-- Name: FUNCTION lock_hold(_hold_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.lock_hold(_hold_id uuid) IS 'The hold, with its wallet locked; SC008 when there is none.';

--
-- Name: lock_import(uuid, public.import_state[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.lock_import(_batch uuid, _states public.import_state[]) RETURNS public.import_batches
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _found public.import_batches;
begin
  select * into _found from public.import_batches
  where user_id = auth.uid() and id = _batch and state = any (_states) for update;
  if not found then
    raise exception 'no such open import' using errcode = 'SC031';
  end if;
  return _found;
end
$$;

--
-- Name: FUNCTION lock_import(_batch uuid, _states public.import_state[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.lock_import(_batch uuid, _states public.import_state[]) IS 'An import of the caller, locked; SC031 if there is none in such a state.';

--
-- Name: runs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.runs (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    state text DEFAULT 'running'::text NOT NULL,
    seq bigint DEFAULT 0 NOT NULL,
    stop_requested_at timestamp with time zone,
    heartbeat_at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    finished_at timestamp with time zone,
    CONSTRAINT states_are_four CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'stopped'::text, 'error'::text]))),
    CONSTRAINT what_ended_has_a_time CHECK (((state = 'running'::text) = (finished_at IS NULL)))
)
WITH (fillfactor='80');

--
-- Name: TABLE runs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.runs IS 'The work on an answer.';

--
-- Name: COLUMN runs.seq; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.runs.seq IS 'The number of its last event.';

--
-- Name: lock_run(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.lock_run(_run_id uuid) RETURNS public.runs
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _run public.runs;
begin
  perform from public.conversations
  where (user_id, id) = (select user_id, conversation_id from public.runs where id = _run_id) for no key update;
  select * into _run from public.runs where id = _run_id for update;
  return _run;
end
$$;

--
-- Name: FUNCTION lock_run(_run_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.lock_run(_run_id uuid) IS 'A run, with its conversation locked first; null if it is gone.';

--
-- Name: lock_wallet(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.lock_wallet(_user_id uuid) RETURNS public.credit_wallets
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _wallet public.credit_wallets;
begin
  select * into _wallet from public.credit_wallets where user_id = _user_id for update;
  if not found then
    raise exception 'account % has no wallet', _user_id using errcode = 'SC002';
  end if;
  return _wallet;
end
$$;

--
-- Name: FUNCTION lock_wallet(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.lock_wallet(_user_id uuid) IS 'The wallet, locked until the transaction ends; SC002 without one.';

--
-- Name: log_first_stage(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.log_first_stage() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  insert into public.deal_stage_log (user_id, deal_id, stage_id, entered_at)
    values (new.user_id, new.id, new.stage_id, new.stage_since);
  return null;
end
$$;

--
-- Name: FUNCTION log_first_stage(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.log_first_stage() IS 'The stay of a new deal: its row has to be there first.';

--
-- Name: log_task(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.log_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'INSERT' then
    insert into public.task_events (user_id, task_id, kind) values (new.user_id, new.id, 'creata');
    return null;
  end if;
  insert into public.task_events (user_id, task_id, kind, data)
  select new.user_id, new.id, kind::public.task_event_kind, jsonb_build_object('from', former, 'to', present)
  from (values
    (
      case when new.state = 'fatto' then 'completata' when old.state = 'fatto' then 'riaperta' else 'stato' end,
      to_jsonb(old.state), to_jsonb(new.state)
    ),
    ('scadenza', to_jsonb(old.due_at), to_jsonb(new.due_at)),
    (
      case when new.deleted_at is null then 'ripristinata' else 'eliminata' end,
      to_jsonb(old.deleted_at), to_jsonb(new.deleted_at)
    )
  ) as change (kind, former, present)
  where former is distinct from present;
  return null;
end
$$;

--
-- Name: FUNCTION log_task(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.log_task() IS 'Writes task_events.';

--
-- Name: mailbox(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.mailbox(_email text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select sha256(convert_to(
    case when host in ('gmail.com', 'googlemail.com') then replace(name, '.', '') || '@gmail.com' else name || '@' || host end, 'UTF8'
  ))
  from (select split_part(split_part(lower(_email), '@', 1), '+', 1) as name, split_part(lower(_email), '@', 2) as host) as parts
$$;

--
-- Name: FUNCTION mailbox(_email text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.mailbox(_email text) IS 'A digest of where mail to an address arrives: without what follows a plus sign, for Gmail without dots.';

--
-- Name: make_document_contact(public.documents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.make_document_contact(_document public.documents) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _name constant text := left(private.one_line(_document.supplier ->> 'name'), 200);
  _vat_number text := private.alias_value('vat_number', _document.supplier ->> 'vat_number');
  _tax_code text := private.alias_value('tax_code', _document.supplier ->> 'tax_code');
  _email constant text := private.alias_value('email', _document.supplier ->> 'email');
  _id uuid;
begin
  if not private.is_vat_number(_vat_number) then
    _vat_number := null;
  end if;
  if not (private.is_tax_code(_tax_code) or private.is_vat_number(_tax_code)) then
    _tax_code := null;
  end if;
  -- Who is there already is not made twice.
  select id into _id from public.contacts
  where user_id = _document.user_id and merged_into is null and deleted_at is null
    and (vat_number = _vat_number or tax_code = _tax_code)
  order by vat_number = _vat_number desc nulls last, created_at limit 1;
  if found then
    return _id;
  elsif _name is null then
    raise exception 'the document names nobody' using errcode = 'SC042';
  end if;
  insert into public.contacts (user_id, type, business_name, vat_number, tax_code, origin)
  values (
    -- A person without a VAT number; who has both may be a firm of one.
    _document.user_id, case when _vat_number is null and private.is_tax_code(_tax_code) then 'persona' else 'azienda' end
      ::public.contact_type,
    _name, _vat_number, _tax_code, 'documento'
  ) returning id into _id;
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _document.user_id, _id, _email, true where private.is_email(_email)
  on conflict (user_id, norm) do nothing;
  return _id;
end
$$;

--
-- Name: FUNCTION make_document_contact(_document public.documents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.make_document_contact(_document public.documents) IS 'The contact that a document is from by its numbers, else a new one. SC042.';

--
-- Name: contacts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contacts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    type public.contact_type DEFAULT 'persona'::public.contact_type NOT NULL,
    first_name public.single_line,
    last_name public.single_line,
    business_name public.single_line,
    name text GENERATED ALWAYS AS (
CASE type
    WHEN 'azienda'::public.contact_type THEN COALESCE((business_name)::text, btrim(((COALESCE((first_name)::text, ''::text) || ' '::text) || COALESCE((last_name)::text, ''::text))))
    ELSE COALESCE(NULLIF(btrim(((COALESCE((first_name)::text, ''::text) || ' '::text) || COALESCE((last_name)::text, ''::text))), ''::text), (business_name)::text, ''::text)
END) STORED NOT NULL COLLATE pg_catalog."und-x-icu",
    company_id uuid,
    job_title public.single_line,
    vat_number text,
    tax_code text,
    sdi_code text,
    pec text,
    regime public.single_line,
    address jsonb,
    website text,
    origin public.contact_origin DEFAULT 'manuale'::public.contact_origin NOT NULL,
    touch_days integer,
    last_interaction_at timestamp with time zone,
    next_touch_at timestamp with time zone,
    snoozed_until timestamp with time zone,
    note text,
    merged_into uuid,
    deleted_at timestamp with time zone,
    import_batch_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    vies_vat_number text,
    vies_registered boolean,
    vies_name text,
    vies_checked_at timestamp with time zone,
    CONSTRAINT a_contact_has_a_name CHECK ((name ~ '[^[:space:]]'::text)),
    CONSTRAINT a_person_works_for_a_company CHECK (((company_id IS NULL) OR (type = 'persona'::public.contact_type))),
    CONSTRAINT a_vies_answer_is_whole CHECK (((num_nonnulls(vies_vat_number, vies_registered, vies_checked_at) = ANY (ARRAY[0, 3])) AND ((vies_name IS NULL) OR (vies_registered AND ((char_length(vies_name) >= 1) AND (char_length(vies_name) <= 500)))))),
    CONSTRAINT address_has_known_parts CHECK (((jsonb_typeof(address) = 'object'::text) AND (char_length((address)::text) <= 1000) AND ((address - ARRAY['street'::text, 'postal_code'::text, 'city'::text, 'province'::text, 'country'::text]) = '{}'::jsonb))),
    CONSTRAINT nobody_is_merged_into_themselves CHECK ((merged_into <> id)),
    CONSTRAINT nobody_works_for_themselves CHECK ((company_id <> id)),
    CONSTRAINT note_fits CHECK (((char_length(note) >= 1) AND (char_length(note) <= 20000))),
    CONSTRAINT pec_is_an_address CHECK (private.is_email(pec)),
    CONSTRAINT sdi_code_is_one CHECK ((private.is_sdi_code(sdi_code) OR (sdi_code ~ '^[A-Z0-9]{6}$'::text))),
    CONSTRAINT tax_code_is_one CHECK ((private.is_tax_code(tax_code) OR private.is_vat_number(tax_code))),
    CONSTRAINT touch_days_fit CHECK (((touch_days >= 1) AND (touch_days <= 3650))),
    CONSTRAINT vat_number_is_one CHECK (private.is_vat_number(vat_number)),
    CONSTRAINT website_is_an_address CHECK (((website ~* '^https?://[^[:space:][:cntrl:]"''<>\\]+$'::text) AND (char_length(website) <= 500)))
);

--
-- Name: TABLE contacts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.contacts IS 'People and companies of one owner; merged and deleted ones stay until they are purged.';

--
-- Name: COLUMN contacts.next_touch_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.contacts.next_touch_at IS 'When it is time to be in touch again; null: nobody asked to be reminded.';

--
-- Name: COLUMN contacts.vies_vat_number; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.contacts.vies_vat_number IS 'The number that was asked about; another vat_number since then means that the answer says nothing about it.';

--
-- Name: COLUMN contacts.vies_registered; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.contacts.vies_registered IS 'Whether VIES knew it; not so does not mean that the number is not in use.';

--
-- Name: COLUMN contacts.vies_name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.contacts.vies_name IS 'Under which name VIES has it, where the country tells.';

--
-- Name: match_import(uuid, jsonb, text, text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[]) RETURNS public.contacts
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- A switchboard or info@ belongs to many people, and so does the number of their company: there the name has to fit as well.
  select contact
  from (
    select id as contact_id, 1 as place, true as is_sure from public.contacts
    where user_id = _user_id and tax_code = _fields ->> 'tax_code'
    union all
    select contact_id, 2, false from unnest(_emails) as given (email) join public.contact_emails on user_id = _user_id and norm = email
    union all
    select id, 3, type = 'azienda' from public.contacts where user_id = _user_id and vat_number = _fields ->> 'vat_number'
    union all
    select contact_id, 4, false from unnest(_phones) as given (phone) join public.contact_phones on user_id = _user_id and norm = phone
    union all
    -- Of companies often the name is all that is known; two of one name are told apart by their numbers.
    select id, 5, true from public.contacts
    where _fields ->> 'type' = 'azienda' and user_id = _user_id and lower(name) = lower(_name)
      and (vat_number = _fields ->> 'vat_number') is not false and (tax_code = _fields ->> 'tax_code') is not false
  ) as found
  -- `offset 0` keeps the order: first what was found, then who it is.
  cross join lateral (select contacts from public.contacts where user_id = _user_id and id = contact_id offset 0) as there (contact)
  where (contact).type::text = _fields ->> 'type' and (contact).merged_into is null
    and (is_sure or _name is null or extensions.similarity(private.plain_name((contact).name), private.plain_name(_name)) >= 0.3)
  order by (contact).deleted_at is not null, place, (contact).created_at, (contact).id
  limit 1
$$;

--
-- Name: FUNCTION match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[]) IS 'The contact that a row is about, if it is there; else null.';

--
-- Name: memory_digest(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.memory_digest(_text text) RETURNS bytea
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select sha256(convert_to(private.search_text(_text), 'UTF8'))
$$;

--
-- Name: FUNCTION memory_digest(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.memory_digest(_text text) IS 'The same for a sentence and itself with other accents, capitals and points.';

--
-- Name: merge_details(uuid, uuid, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.merge_details(_user_id uuid, _from uuid, _to uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _row record;
  _changes jsonb := '[]';
begin
  -- One main address and number each.
  for _row in
    select held_by, held.id from (
      select 'contact_emails' as held_by, id, contact_id from public.contact_emails where user_id = _user_id and is_primary
      union all
      select 'contact_phones', id, contact_id from public.contact_phones where user_id = _user_id and is_primary
    ) as held
    where contact_id = _from and exists (
      select from public.contact_emails where held_by = 'contact_emails' and user_id = _user_id and contact_id = _to and is_primary
      union all
      select from public.contact_phones where held_by = 'contact_phones' and user_id = _user_id and contact_id = _to and is_primary
    )
  loop
    _changes := _changes || private.change_row(_row.held_by, jsonb_build_object('id', _row.id), '{"is_primary": false}');
  end loop;
  for _row in
    select kept.id, to_jsonb(other) as other
    from public.consents as kept
    join public.consents as other using (user_id, channel, purpose)
    where user_id = _user_id and kept.contact_id = _to and other.contact_id = _from and private.overrules(other, kept)
  loop
    _changes := _changes || private.change_row('consents', jsonb_build_object('id', _row.id), (
      select jsonb_object_agg(key, value) from jsonb_each(_row.other)
      where key in ('state', 'legal_basis', 'wording', 'source', 'at')
    ));
  end loop;
  -- Who was not the same person as the one is not the same as the other.
  with told as (
    insert into public.contact_distinct (user_id, a_id, b_id)
    select _user_id, least(third, _to), greatest(third, _to)
    from (
      select case a_id when _from then b_id else a_id end as third from public.contact_distinct
      where user_id = _user_id and _from in (a_id, b_id)
    ) as told_apart
    where third <> _to
    on conflict do nothing
    returning id
  )
  select _changes || jsonb_build_object('table', 'contact_distinct', 'added', coalesce(jsonb_agg(id), '[]')) into _changes from told;
  return _changes;
end
$$;

--
-- Name: FUNCTION merge_details(_user_id uuid, _from uuid, _to uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.merge_details(_user_id uuid, _from uuid, _to uuid) IS 'What has to be settled before children are moved; answers how to undo it.';

--
-- Name: miss_session(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.miss_session(_order_id uuid) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select private.raise_alert(
    'mismatch', id, null, jsonb_build_object('session', jsonb_build_array(provider_session, null))
  )
  from public.credit_orders where id = _order_id
$$;

--
-- Name: FUNCTION miss_session(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.miss_session(_order_id uuid) IS 'Tells a person, once, that Stripe does not know the session of an order.';

--
-- Name: move_children(uuid, uuid, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.move_children(_user_id uuid, _from uuid, _to uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _reference record;
  _rows uuid[];
  _changes jsonb := '[]';
begin
  for _reference in select * from private.contact_references() loop
    execute format(
      'select array_agg(%3$I) from public.%1$I where user_id = $1 and %2$I = $2',
      _reference.held_by, _reference.held_in, private.child_key(_reference.held_by)
    ) into _rows using _user_id, _from;
    _rows := private.move_rows(_user_id, _reference.held_by, _reference.held_in, _from, _to, _rows);
    if cardinality(_rows) > 0 then
      _changes := _changes || jsonb_build_object(
        'table', _reference.held_by, 'column', _reference.held_in, 'rows', _rows, 'before', _from, 'after', _to
      );
    end if;
  end loop;
  return _changes;
end
$_$;

--
-- Name: FUNCTION move_children(_user_id uuid, _from uuid, _to uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.move_children(_user_id uuid, _from uuid, _to uuid) IS 'Hangs everything of one contact on another; answers how to undo it.';

--
-- Name: move_rows(uuid, text, text, uuid, uuid, uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[]) RETURNS uuid[]
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _row uuid;
  _moved uuid[] := '{}';
begin
  execute format(
    'with moved as (update public.%1$I set %2$I = $3 where user_id = $1 and %2$I = $2 and %3$I = any ($4) returning %3$I as id)
     select coalesce(array_agg(id), ''{}'') from moved', _table, _column, private.child_key(_table)
  ) into _moved using _user_id, _from, _to, _rows;
  return _moved;
exception
  -- The other has one of them already (a tag, a consent): one is enough.
  when unique_violation then
    if cardinality(_rows) > 1 then
      foreach _row in array _rows loop
        _moved := _moved || private.move_rows(_user_id, _table, _column, _from, _to, array[_row]);
      end loop;
    end if;
    return _moved;
end
$_$;

--
-- Name: FUNCTION move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[]) IS 'Hangs rows of one contact on another, all that still hang there and that it has not yet; answers which.';

--
-- Name: note_demo(uuid, text, uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_demo(_user_id uuid, _held_by text, _rows uuid[]) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into private.demo_rows (user_id, held_by, row_id) select _user_id, _held_by, unnest(_rows) on conflict do nothing
$$;

--
-- Name: FUNCTION note_demo(_user_id uuid, _held_by text, _rows uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_demo(_user_id uuid, _held_by text, _rows uuid[]) IS 'Notes that rows are demo data.';

--
-- Name: note_import(public.import_batches, uuid, boolean, jsonb, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into private.import_changes (user_id, batch_id, contact_id, is_new, changes, added)
    values (_batch.user_id, _batch.id, _contact_id, _is_new, _changes, _added)
  on conflict (batch_id, contact_id) do update
    set changes = import_changes.changes || excluded.changes, added = import_changes.added || excluded.added, fingerprint = null,
      changed_at = now()
$$;

--
-- Name: FUNCTION note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb) IS 'Notes what an import did to a contact.';

--
-- Name: note_memory_uses(uuid, uuid[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_memory_uses(_user_id uuid, _ids uuid[]) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update public.memories set uses = uses + 1, last_used_at = now() where user_id = _user_id and id = any (_ids)
$$;

--
-- Name: FUNCTION note_memory_uses(_user_id uuid, _ids uuid[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_memory_uses(_user_id uuid, _ids uuid[]) IS 'These memories stood beside a question.';

--
-- Name: note_outcomes(text[], uuid[], text[], text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    AS $$
begin
  update public.payment_events set
    order_id = told.order_id,
    outcome = told.outcome,
    error = _error,
    attempts = attempts + 1,
    tried_at = now(),
    handled_at = case when told.outcome not in ('waiting', 'failed') then now() end
  from unnest(_ids, _order_ids, _outcomes) as told (id, order_id, outcome)
  where payment_events.id = told.id;
end
$$;

--
-- Name: FUNCTION note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text) IS 'Writes beside events what became of them.';

--
-- Name: note_refund(jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_refund(_refund jsonb, _event_id text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _order_id constant uuid := private.order_of(_refund);
  _is_failed constant boolean := _refund ->> 'status' in ('failed', 'canceled');
begin
  -- The several events of one failure one after the other.
  perform from public.credit_orders where id = _order_id for update;
  if not found then
    return 'ignored';
  end if;
  update public.order_refunds set
    state = case when _is_failed then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _refund ->> 'id', settled_at = now()
  where order_id = _order_id and (id::text = _refund #>> '{metadata,refund_id}' or provider_refund = _refund ->> 'id')
    -- What has failed stays so; our own answer, or an older event, may come after it.
    and (state <> 'failed' or provider_refund is distinct from _refund ->> 'id');
  if _is_failed and not exists (
    select from public.payment_alerts
    where kind = 'refund_failed' and order_id = _order_id and details ->> 'refund' = _refund ->> 'id'
  ) then
    perform private.raise_alert(
      'refund_failed', _order_id, _event_id,
      jsonb_build_object(
        'refund', _refund ->> 'id', 'amount_cents', _refund -> 'amount', 'reason', _refund -> 'failure_reason'
      )
    );
  end if;
  return 'noted';
end
$$;

--
-- Name: FUNCTION note_refund(_refund jsonb, _event_id text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_refund(_refund jsonb, _event_id text) IS 'Notes what a refund of Stripe says, an event''s or the one we just asked for; one that failed is told to a person, once.';

--
-- Name: note_session(uuid, text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.note_session(_order_id uuid, _session text, _url text) RETURNS void
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update public.credit_orders set provider_session = _session, checkout_url = _url
  where id = _order_id and coalesce(provider_session, _session) = _session
$$;

--
-- Name: FUNCTION note_session(_order_id uuid, _session text, _url text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.note_session(_order_id uuid, _session text, _url text) IS 'The checkout page that was made for an order.';

--
-- Name: one_line(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.one_line(_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select nullif(btrim(regexp_replace(_text, '[[:cntrl:][:space:]]+', ' ', 'g')), '')
$$;

--
-- Name: FUNCTION one_line(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.one_line(_text text) IS 'A text without line breaks and double spaces; null if nothing is left.';

--
-- Name: open_account(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.open_account(_user_id uuid, _metadata jsonb) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    insert into public.notifications (user_id, title, message, type, action_url) values (
      _user_id,
      'Ti diamo il benvenuto in Socio',
      format('Ti abbiamo riservato %s crediti per cominciare: usali quando vuoi.', private.welcome_credits()),
      'success',
      '/store'
    );
  end if;
end
$$;

--
-- Name: FUNCTION open_account(_user_id uuid, _metadata jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.open_account(_user_id uuid, _metadata jsonb) IS 'Gives an account its profile, wallet, settings and welcome; again changes nothing.';

--
-- Name: open_order(uuid, text, text, boolean, jsonb, boolean); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean DEFAULT false) RETURNS public.credit_orders
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _pack public.packs;
  _order public.credit_orders;
begin
  -- A token outlives its account; and whoever deletes it now waits until there is an order to be noted in.
  perform from auth.users where id = _user_id and deleted_at is null for share;
  if not found then
    raise exception 'user % has no account', _user_id using errcode = 'SC016';
  end if;
  select packs.* into _pack
  from public.packs
  join public.catalog_versions using (version)
  where version = (
      select version from public.catalog_versions where published_at <= now() order by published_at desc limit 1
    ) and id = _pack_id;
  if not found then
    return null;
  end if;

  -- Two clicks at once: the second waits here and finds the order of the first.
  perform pg_advisory_xact_lock(hashtextextended('open order ' || _user_id, 0));
  -- Its page at Stripe is closed, and another one would take the money twice.
  if exists (
    select from public.credit_orders
    where user_id = _user_id and pack_id = _pack_id and state = 'pending'
      -- No bank takes longer; one whose end nobody told us must not stand in the way for ever.
      and submitted_at > now() - interval '30 days'
  ) then
    raise exception 'a payment of % by user % is on its way', _pack_id, _user_id using errcode = 'SC017';
  end if;
  select * into _order from public.credit_orders
  where user_id = _user_id and pack_id = _pack_id and catalog_version = _pack.version and state = 'pending'
    -- Its page may be paid already and we not told: who it is billed to is never changed. Another invoice, another order.
    and (_billing is null or billing is not distinct from _billing)
    -- Enough time to pay; younger ones only, so that a forgotten page is not brought back.
    and expires_at > now() + interval '30 minutes'
  order by created_at desc limit 1;
  -- From such an order the whole price comes back in the legal days, whatever was used: not from several. One past its
  -- time counts until Stripe has said that nobody paid it: a direct debit may still be on its way.
  if not _waiver and coalesce(_order.consumer, _consumer) and _order.withdrawal_waiver_at is null and exists (
    select from public.credit_orders
    where user_id = _user_id and id is distinct from _order.id and consumer and withdrawal_waiver_at is null
      and state not in ('failed', 'expired')
  ) then
    raise exception 'user % has an order without waiver', _user_id using errcode = 'SC014';
  end if;
  if _order.id is null then
    insert into public.credit_orders
      (user_id, email, pack_id, catalog_version, amount_cents, currency, credits, bonus, consumer, billing, expires_at)
      values (
        _user_id, _email, _pack_id, _pack.version, _pack.price_cents, _pack.currency, _pack.credits, _pack.bonus,
        _consumer, _billing, date_trunc('second', now()) + interval '1 hour'
      )
      returning * into _order;
  end if;
  if _waiver and _order.withdrawal_waiver_at is null then
    update public.credit_orders set withdrawal_waiver_at = now() where id = _order.id returning * into _order;
  end if;
  return _order;
end
$$;

--
-- Name: FUNCTION open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean) IS 'A new order at the price of the catalogue in force, the same once more while it waits for payment with the same invoice data (double click), with the moment at which its buyer first waived; a consumer has one without waiver, and nobody one of a pack whose payment is on its way. Null: no such pack.';

--
-- Name: order_id(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.order_id(_about jsonb) RETURNS uuid
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $_$
  select (_about #>> '{metadata,order_id}')::uuid
  where _about #>> '{metadata,order_id}' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
$_$;

--
-- Name: FUNCTION order_id(_about jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.order_id(_about jsonb) IS 'The order that an object of Stripe names in its metadata, or null.';

--
-- Name: order_of(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.order_of(_about jsonb) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
  select id from public.credit_orders
  where id = private.order_id(_about) or payment_intent = _about ->> 'payment_intent' limit 1
$$;

--
-- Name: FUNCTION order_of(_about jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.order_of(_about jsonb) IS 'The order that an object of Stripe is about: by its metadata, else by its payment.';

--
-- Name: orders_to_check(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.orders_to_check(_limit integer DEFAULT 50) RETURNS SETOF public.credit_orders
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  update public.credit_orders set checked_at = now()
  where id in (
    select id from public.credit_orders
    where state = 'pending' and created_at < now() - interval '5 minutes'
      -- Ever less often: a direct debit may take two weeks.
      and coalesce(checked_at, created_at) < now() - greatest(interval '5 minutes', (now() - created_at) / 10)
    order by coalesce(checked_at, created_at) limit _limit for update skip locked
  )
  returning *
$$;

--
-- Name: FUNCTION orders_to_check(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.orders_to_check(_limit integer) IS 'Orders whose payment nobody has told us about for a while, to ask Stripe for.';

--
-- Name: orphan_orders(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.orphan_orders() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.credit_orders set orphaned_at = now()
  where user_id = old.id and fulfilled_at is null and orphaned_at is null;
  return null;
end
$$;

--
-- Name: FUNCTION orphan_orders(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.orphan_orders() IS 'Notes an account that is deleted in its orders that nothing was given for yet: what is paid for them is held back.';

--
-- Name: overrules(public.consents, public.consents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.overrules(_other public.consents, _kept public.consents) RETURNS boolean
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- Of two consents the later word counts; against a refusal only one that was noted by hand.
  select case
    when _other.state = 'non_richiesto' then false
    when _kept.state = 'non_richiesto' then true
    when _kept.state = 'dato' and _other.state <> 'dato' then _other.at >= _kept.at or private.is_of_file(_kept)
    when _kept.state <> 'dato' and _other.state = 'dato' then _other.at > _kept.at and not private.is_of_file(_other)
    else _other.at > _kept.at
  end
$$;

--
-- Name: FUNCTION overrules(_other public.consents, _kept public.consents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.overrules(_other public.consents, _kept public.consents) IS 'Whether of the consents of two contacts that become one the first counts, and not the second.';

--
-- Name: own_changed_demo(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.own_changed_demo() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$$;

--
-- Name: FUNCTION own_changed_demo(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.own_changed_demo() IS 'Demo data that its person wrote something into is theirs.';

--
-- Name: own_changed_demo_contact(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.own_changed_demo_contact() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = 'contacts' and row_id = new.contact_id;
  update public.contacts set origin = 'manuale' where user_id = new.user_id and id = new.contact_id and origin = 'demo';
  return null;
end
$$;

--
-- Name: FUNCTION own_changed_demo_contact(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.own_changed_demo_contact() IS 'A demo contact that its person gave an address, a number or a tag is theirs.';

--
-- Name: own_document(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.own_document(_document_id uuid) RETURNS public.documents
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _document public.documents;
begin
  select * into _document from public.documents
    where user_id = (select auth.uid()) and id = _document_id and deleted_at is null for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  return _document;
end
$$;

--
-- Name: FUNCTION own_document(_document_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.own_document(_document_id uuid) IS 'The caller''s document, locked; PT404 if it is none or in the trash.';

--
-- Name: invoices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoices (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    body_no integer DEFAULT 1 NOT NULL,
    direction public.invoice_direction NOT NULL,
    type_code text DEFAULT 'TD01'::text NOT NULL,
    number text NOT NULL,
    issued_on date NOT NULL,
    contact_id uuid,
    counterparty_name text,
    counterparty_vat text,
    net_cents bigint,
    vat_cents bigint,
    total_cents bigint NOT NULL,
    due_cents bigint,
    currency text DEFAULT 'EUR'::text NOT NULL,
    content jsonb,
    findings jsonb DEFAULT '[]'::jsonb NOT NULL,
    paid_on date,
    source public.invoice_source NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT body_no_counts_from_one CHECK ((body_no >= 1)),
    CONSTRAINT content_is_an_object CHECK ((jsonb_typeof(content) = 'object'::text)),
    CONSTRAINT currency_is_iso CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT findings_are_a_list CHECK ((jsonb_typeof(findings) = 'array'::text)),
    CONSTRAINT texts_fit CHECK (((number ~ '[^[:space:]]'::text) AND (char_length(number) <= 100) AND (char_length(counterparty_name) <= 500) AND (char_length(counterparty_vat) <= 50))),
    CONSTRAINT type_code_is_one CHECK ((type_code ~ '^TD[0-9]{2}$'::text))
);

--
-- Name: TABLE invoices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.invoices IS 'Issued and received invoices, one for each body of a document.';

--
-- Name: COLUMN invoices.due_cents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoices.due_cents IS 'What is to be paid, after withholding; null: the total.';

--
-- Name: COLUMN invoices.content; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoices.content IS 'The whole invoice as functions/_shared/fatturapa writes it; null for a scan.';

--
-- Name: COLUMN invoices.findings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoices.findings IS 'What does not add up: [{code, severity, text}], in words for the owner.';

--
-- Name: COLUMN invoices.paid_on; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoices.paid_on IS 'When the last of it was paid.';

--
-- Name: own_invoice(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.own_invoice(_invoice_id uuid) RETURNS public.invoices
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _invoice public.invoices;
begin
  select * into _invoice from public.invoices where user_id = (select auth.uid()) and id = _invoice_id for update;
  if not found then
    raise exception 'no such invoice' using errcode = 'PT404';
  end if;
  return _invoice;
end
$$;

--
-- Name: FUNCTION own_invoice(_invoice_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.own_invoice(_invoice_id uuid) IS 'The caller''s invoice, locked; PT404 if it is none.';

--
-- Name: page_line(jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.page_line(_words jsonb, _text text) RETURNS TABLE(line text, starts integer[])
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $_$
  with listed as (
    select place, coalesce(one ->> 0, '') as word from jsonb_array_elements(_words) with ordinality as given (one, place)
    union all
    -- Without boxes the words are those of the text.
    select place, word
    from string_to_table(regexp_replace(btrim(_text), '\s+', ' ', 'g'), ' ') with ordinality as given (word, place)
    where _words = '[]'
  ), pieces as (
    select place, case
        when word ~ E'[[:alpha:]][-\u00ad\u2010]$' and lead(word) over (order by place) ~ '^[[:lower:]]' then left(word, -1)
        else word || ' '
      end as piece
    from (
      select place, case when word ~ '[[:space:][:cntrl:]]' then regexp_replace(word, '[[:space:][:cntrl:]]', ' ', 'g') else word end
        as word from listed
    ) as clean
  )
  select string_agg(piece, '' order by place), array_agg(start order by place)
  from (
    select *, (sum(char_length(piece)) over (order by place rows unbounded preceding) - char_length(piece) + 1)::integer as start
    from pieces
  ) as placed
$_$;

--
-- Name: FUNCTION page_line(_words jsonb, _text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.page_line(_words jsonb, _text text) IS 'The words of a page as one line, what was broken in one piece, and with which character each word begins.';

--
-- Name: page_snippet(text, text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.page_snippet(_text text, _patterns text[]) RETURNS TABLE(snippet text, marks integer[])
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $_$
declare
  _pattern text;
  _at integer := 0;
begin
  foreach _pattern in array _patterns loop
    _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
    exit when _at > 0;
  end loop;
  if _at = 0 then
    -- Perhaps it is broken at the end of a line.
    _text := private.plain_line(_text);
    foreach _pattern in array _patterns loop
      _at := regexp_instr(_text, _pattern, 1, 1, 0, 'i');
      exit when _at > 0;
    end loop;
  end if;
  snippet := private.plain_line(substr(_text, greatest(_at - 80, 1), 280));
  if _at > 81 then
    snippet := '…' || regexp_replace(snippet, '^\S*\s', '');
  end if;
  if char_length(_text) > greatest(_at - 80, 1) + 279 then
    snippet := regexp_replace(snippet, '\s\S*$', '') || '…';
  end if;
  snippet := btrim(snippet);
  marks := array(
    select unnest(array[first - 1, last])
    from private.places(snippet, array_to_string(_patterns, '|')) order by first
  );
  return next;
end
$_$;

--
-- Name: FUNCTION page_snippet(_text text, _patterns text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.page_snippet(_text text, _patterns text[]) IS 'A sentence or two around the first match, of the first pattern that has one, and where all matches begin and end in it.';

--
-- Name: party_vat(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.party_vat(_party jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $_$
  select case
    when vat_number = '' or vat_number ~ '^([A-Z]{2}){0,2}(0+|9{11}|X+)$' then null
    when vat_country is null or vat_country = 'IT' or starts_with(vat_number, vat_country) then vat_number
    else vat_country || vat_number
  end
  from (
    -- Greece is GR to the post and EL to the tax office.
    select case _party ->> 'vat_country' when 'GR' then 'EL' else _party ->> 'vat_country' end as vat_country,
      regexp_replace(regexp_replace(upper(_party ->> 'vat_number'), '[^A-Z0-9]', '', 'g'), '^IT(?=[0-9]{11}$)', '')
        as vat_number
  ) as told
$_$;

--
-- Name: FUNCTION party_vat(_party jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.party_vat(_party jsonb) IS 'The VAT number of a party of an electronic invoice, a foreign one with its country, null for a placeholder; the same as vat_of() in functions/_shared/fatturapa/register.py.';

--
-- Name: payable_cents(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.payable_cents(_fields jsonb) RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select total - sign(total)::bigint * coalesce(abs(private.cents(_fields, 'withholding')), 0)
  from (select private.cents(_fields, 'total') as total) as told
$$;

--
-- Name: FUNCTION payable_cents(_fields jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.payable_cents(_fields jsonb) IS 'The total less what is withheld, whichever way the money goes.';

--
-- Name: payment_title(public.invoices, bigint); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.payment_title(_invoice public.invoices, _cents bigint) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- Of a credit note the money goes the other way.
  select left(translate(concat(
    case when is_paid_by_owner then 'Paga ' else 'Incassa ' end,
    case when is_credit then 'nota di credito ' else 'fattura ' end, _invoice.number,
    -- A received paper is of somebody; money goes to them or comes from them.
    case when is_paid_by_owner and not is_credit then ' di ' when is_paid_by_owner then ' a ' else ' da ' end
      || nullif(btrim(coalesce(
        (select name from public.contacts where user_id = _invoice.user_id and id = _invoice.contact_id),
        _invoice.counterparty_name
      )), ''),
    ': ', private.euros(abs(_cents), _invoice.currency)
  ), E'\t\r\n', '   '), 200)
  from (
    select _invoice.type_code in ('TD04', 'TD08') as is_credit,
      (_invoice.direction = 'passiva') <> (_invoice.type_code in ('TD04', 'TD08')) as is_paid_by_owner
  ) as flow
$$;

--
-- Name: FUNCTION payment_title(_invoice public.invoices, _cents bigint); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.payment_title(_invoice public.invoices, _cents bigint) IS 'What is to be done about an amount of an invoice: «Paga fattura 12 di Rossi srl: 1.220,00 €».';

--
-- Name: place_task(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.place_task() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  new.position := coalesce(public.position_at(case
    when new.parent_id is null then public.place_of((
      select min(position) from public.tasks
      where user_id = new.user_id and state = new.state and deleted_at is null
    )) - 1
    else public.place_of((
      select max(position) from public.tasks
      where user_id = new.user_id and parent_id = new.parent_id and deleted_at is null
    )) + 1
  end), 'a0');
  return new;
end
$$;

--
-- Name: FUNCTION place_task(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.place_task() IS 'Gives a task that is made without a position the first place of its column, a subtask the last of its parent.';

--
-- Name: places(text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.places(_line text, _pattern text) RETURNS TABLE(first integer, last integer)
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  -- Each match between two signs that no text of ours holds.
  select first, first + strpos(part, E'\x02') - 2
  from (
    select part, place, (sum(char_length(part)) over (order by place) - char_length(part) - greatest(place - 2, 0) + 1)::integer as first
    from unnest(string_to_array(regexp_replace(_line, '(' || _pattern || ')', E'\x01\\1\x02', 'gi'), E'\x01'))
      with ordinality as parts (part, place)
  ) as parts
  where place > 1
$$;

--
-- Name: FUNCTION places(_line text, _pattern text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.places(_line text, _pattern text) IS 'From which character to which the matches of a pattern stand in a line without control characters.';

--
-- Name: plain_line(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.plain_line(_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  -- A character beyond the first plane counts twice in a browser; a sign of one takes its place.
  select regexp_replace(
    regexp_replace(private.joined_lines(_text), '[[:space:][:cntrl:]]+', ' ', 'g'),
    E'[\\U00010000-\\U0010FFFF]', E'\u25a1', 'g'
  )
$$;

--
-- Name: FUNCTION plain_line(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.plain_line(_text text) IS 'A text as one line, words that were broken at an end of a line in one piece.';

--
-- Name: plain_name(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.plain_name(_name text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select btrim(regexp_replace(regexp_replace(lower(extensions.unaccent(_name)), '[.''’]', '', 'g'), '[^a-z0-9]+', ' ', 'g'))
$$;

--
-- Name: FUNCTION plain_name(_name text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.plain_name(_name text) IS 'A name without capitals, accents and punctuation: «D''Angelò S.r.l.» is dangelo srl.';

--
-- Name: plan_of(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.plan_of(_user_id uuid) RETURNS text
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- Plans are not sold yet: the largest pack of the last twelve months stands for one.
  select coalesce((
    select case pack_id when 'enterprise' then 'business' else pack_id end
    from public.credit_orders
    where user_id = _user_id and state = 'fulfilled' and created_at > now() - interval '12 months'
      and pack_id in ('starter', 'pro', 'enterprise')
    order by amount_cents desc limit 1
  ), 'free')
$$;

--
-- Name: FUNCTION plan_of(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.plan_of(_user_id uuid) IS 'The plan whose limits a person has: free, starter, pro or business.';

--
-- Name: memories; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memories (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    kind public.memory_kind NOT NULL,
    contact_id uuid,
    topic public.single_line,
    body text NOT NULL,
    state public.memory_state DEFAULT 'proposta'::public.memory_state NOT NULL,
    importance smallint DEFAULT 3 NOT NULL,
    origin public.memory_origin NOT NULL,
    source public.memory_source NOT NULL,
    source_id uuid,
    source_quote text,
    superseded_by uuid,
    uses integer DEFAULT 0 NOT NULL,
    last_used_at timestamp with time zone,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    stems tsvector GENERATED ALWAYS AS (to_tsvector('italian'::regconfig, body)) STORED,
    words tsvector GENERATED ALWAYS AS (to_tsvector('simple'::regconfig, body)) STORED,
    CONSTRAINT body_is_a_sentence CHECK (((body !~ '[[:cntrl:]]'::text) AND ((char_length(body) >= 12) AND (char_length(body) <=
CASE kind
    WHEN 'narrativa'::public.memory_kind THEN 4000
    ELSE 240
END)))),
    CONSTRAINT found_facts_name_their_source CHECK (((source = 'manuale'::public.memory_source) OR ((source_id IS NOT NULL) AND ((char_length(source_quote) >= 1) AND (char_length(source_quote) <= 500))))),
    CONSTRAINT importance_is_a_step CHECK (((importance >= 1) AND (importance <= 5))),
    CONSTRAINT only_people_write_by_hand CHECK (((source <> 'manuale'::public.memory_source) OR (origin = 'utente'::public.memory_origin))),
    CONSTRAINT uses_are_counted CHECK ((uses >= 0))
);

--
-- Name: TABLE memories; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.memories IS 'What the assistant knows of its person; what it may use is ''attiva''.';

--
-- Name: COLUMN memories.topic; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.memories.topic IS 'What it is about, in a word: a new fact on the same topic takes the place of the old one.';

--
-- Name: COLUMN memories.source_quote; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.memories.source_quote IS 'The sentence it came from, as it stood there.';

--
-- Name: COLUMN memories.superseded_by; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.memories.superseded_by IS 'The fact that took its place; it stays to be read.';

--
-- Name: propose_memory(uuid, text, public.memory_kind, public.memory_source, uuid, text, uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid DEFAULT NULL::uuid, _topic text DEFAULT NULL::text) RETURNS public.memories
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _memory public.memories;
begin
  if exists (select from public.memory_settings where user_id = _user_id and not is_active)
    or _kind = 'narrativa' or _source = 'manuale' or char_length(_text) not between 12 and 240
    or private.unmemorable(_text) is not null or private.unmemorable(_source_quote) is not null
    -- Somebody it is about: a contact, the person themselves, or a name.
    or (_kind = 'contatto' and _contact_id is null and _text !~ '\m[[:upper:]][[:lower:]]+')
    or exists (
      select from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text)
    )
    -- Known already, unless it is another word on the topic of what holds: 0.9 is the same with a slip of the pen.
    or exists (
      select from public.memories
      where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta')
        and extensions.similarity(private.search_text(body), private.search_text(_text)) >= case
          when state <> 'proposta' and lower(topic) = lower(_topic) and contact_id is not distinct from _contact_id
            and (kind <> 'contatto' or contact_id is not null)
          then 0.9 else 0.6
        end
    )
    -- Three of one conversation are a person's patience.
    or (select count(*) >= 3 from public.memories where user_id = _user_id and source_id = _source_id and origin = 'ia')
  then
    return null;
  end if;
  insert into public.memories (user_id, kind, contact_id, topic, body, origin, source, source_id, source_quote)
  values (_user_id, _kind, _contact_id, _topic, _text, 'ia', _source, _source_id, left(_source_quote, 500))
  returning * into _memory;
  return _memory;
end
$$;

--
-- Name: FUNCTION propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid, _topic text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid, _topic text) IS 'Lays a found fact before its person, if it passes the gate (product.md 2); null if not.';

--
-- Name: tool_calls; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tool_calls (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    conversation_id uuid NOT NULL,
    message_id uuid NOT NULL,
    seq integer NOT NULL,
    tool text NOT NULL,
    args jsonb NOT NULL,
    preview jsonb NOT NULL,
    risk public.tool_call_risk NOT NULL,
    rules jsonb DEFAULT '[]'::jsonb NOT NULL,
    from_data boolean DEFAULT false NOT NULL,
    state public.tool_call_state DEFAULT 'proposed'::public.tool_call_state NOT NULL,
    needs_count integer,
    undo_until timestamp with time zone,
    expires_at timestamp with time zone DEFAULT (now() + '7 days'::interval) NOT NULL,
    decided_at timestamp with time zone,
    result jsonb,
    undo jsonb,
    error_code text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT args_and_preview_are_objects CHECK (((jsonb_typeof(args) = 'object'::text) AND (jsonb_typeof(preview) = 'object'::text))),
    CONSTRAINT error_code_is_a_name CHECK ((error_code ~ '^[a-z_]{1,50}$'::text)),
    CONSTRAINT needs_count_counts CHECK ((needs_count >= 1)),
    CONSTRAINT rules_are_a_list CHECK ((jsonb_typeof(rules) = 'array'::text)),
    CONSTRAINT seq_counts_from_one CHECK ((seq >= 1)),
    CONSTRAINT tool_is_a_name CHECK ((tool ~ '^[a-z_]{1,50}$'::text)),
    CONSTRAINT what_is_decided_has_a_time CHECK (((state = ANY (ARRAY['proposed'::public.tool_call_state, 'expired'::public.tool_call_state])) = (decided_at IS NULL)))
);

--
-- Name: TABLE tool_calls; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.tool_calls IS 'Writes that the assistant proposed, and what became of each.';

--
-- Name: COLUMN tool_calls.args; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.args IS 'What would be, and in the end what was, carried out.';

--
-- Name: COLUMN tool_calls.preview; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.preview IS 'What the person is shown: {title, lines: [{label, value}], body, before}.';

--
-- Name: COLUMN tool_calls.rules; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.rules IS 'Why it asks: [{id, reason}].';

--
-- Name: COLUMN tool_calls.from_data; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.from_data IS 'The turn had read what strangers may have written.';

--
-- Name: COLUMN tool_calls.needs_count; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.needs_count IS 'How many it concerns: the person types the number.';

--
-- Name: COLUMN tool_calls.undo_until; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.undo_until IS 'Null: for as long as it is there.';

--
-- Name: COLUMN tool_calls.undo; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tool_calls.undo IS 'What is needed to take it back; null: it cannot be.';

--
-- Name: propose_tool_call(uuid, uuid, text, jsonb, jsonb, text, jsonb, boolean, integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb DEFAULT '[]'::jsonb, _from_data boolean DEFAULT false, _needs_count integer DEFAULT NULL::integer) RETURNS public.tool_calls
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _call public.tool_calls;
begin
  -- Locked, so that two proposals of one answer have two numbers.
  perform from public.messages where user_id = _user_id and id = _message_id and role = 'assistant' for no key update;
  insert into public.tool_calls
    (user_id, conversation_id, message_id, seq, tool, args, preview, risk, rules, from_data, needs_count)
  select user_id, conversation_id, id, (
      select count(*) + 1 from public.tool_calls as others
      where others.user_id = _user_id and others.conversation_id = messages.conversation_id and message_id = _message_id
    ), _tool, _args, _preview, _risk::public.tool_call_risk, _rules, _from_data, _needs_count
  from public.messages where user_id = _user_id and id = _message_id and role = 'assistant'
  returning * into _call;
  if not found then
    raise exception 'no such answer' using errcode = 'PT404';
  end if;
  return _call;
end
$$;

--
-- Name: FUNCTION propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb, _from_data boolean, _needs_count integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb, _from_data boolean, _needs_count integer) IS 'Lays a write before its person, as the next card of an answer; PT404.';

--
-- Name: query_words(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.query_words(_query text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT
    SET search_path TO ''
    AS $$
  with recursive typed as materialized (
    select private.joined_lines(left(_query, 400)) as text
  ), codes as materialized (
    select row_number() over () as place, written, code from typed, private.document_codes(typed.text)
  ), rest (text, place) as (
    select text, 0::bigint from typed
    union all
    -- What was understood as a code is no words as well.
    select replace(rest.text, written, ' '), codes.place from rest join codes on codes.place = rest.place + 1
  )
  select private.content_words(
    array(select code from codes order by place)
    || string_to_array(private.search_text((select text from rest order by place desc limit 1)), ' ')
  ) limit 12
$$;

--
-- Name: FUNCTION query_words(_query text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.query_words(_query text) IS 'What is looked for, of a text that was typed: at most twelve words.';

--
-- Name: question_of_turn(uuid, uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _parent_id constant uuid := (_turn ->> 'parent_id')::uuid;
  _attachments constant uuid[] := array(
    select jsonb_array_elements_text(coalesce(nullif(_turn -> 'attachments', 'null'), '[]'))
  );
  _question uuid;
begin
  if _turn ->> 'regenerate' is not null then
    select case role when 'user' then id else parent_id end into _question from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = (_turn ->> 'regenerate')::uuid;
    if _question is null then
      raise exception 'no such message' using errcode = 'PT404';
    end if;
    return _question;
  elsif _turn ->> 'content' !~ '[^[:space:]]' or char_length(_turn ->> 'content') not between 1 and 20000 then
    raise exception 'a question has 1 to 20,000 characters' using errcode = 'SA004';
  elsif _parent_id is not null and not exists (
    select from public.messages
    where user_id = _user_id and conversation_id = _conversation_id and id = _parent_id and role = 'assistant'
  ) then
    raise exception 'no such answer' using errcode = 'PT404';
  elsif exists (
    select from unnest(_attachments) as attached
    where not exists (select from public.documents where user_id = _user_id and id = attached and deleted_at is null)
  ) then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  insert into public.messages
    (user_id, conversation_id, parent_id, role, content, status, attachments, picked, finished_at)
  values (
    _user_id, _conversation_id, _parent_id, 'user', _turn ->> 'content', 'done', _attachments,
    nullif(_turn -> 'picked', 'null'), now()
  ) returning id into _question;
  return _question;
end
$$;

--
-- Name: FUNCTION question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb) IS 'Writes down what was asked, or finds what is to be answered anew; PT404, SA004.';

--
-- Name: quote_of(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.quote_of(_action text) RETURNS bigint
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  _quote constant bigint := (
    select max_credits from public.credit_prices
    join public.catalog_versions using (version)
    where action = _action and published_at <= now() order by version desc limit 1
  );
begin
  if _action is not null and _quote is null then
    raise exception 'no price is known for %', _action using errcode = '22023';
  end if;
  return coalesce(_quote, 0);
end
$$;

--
-- Name: FUNCTION quote_of(_action text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.quote_of(_action text) IS 'The most that an action costs now, in credits; without an action nothing.';

--
-- Name: raise_alert(public.payment_alert_kind, uuid, text, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into public.payment_alerts (kind, order_id, event_id, details) values (_kind, _order_id, _event_id, _details)
  on conflict do nothing
$$;

--
-- Name: FUNCTION raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb) IS 'Tells a person, once for each event.';

--
-- Name: ranked_contacts(uuid, text[], text, integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer) RETURNS TABLE(id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
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

--
-- Name: FUNCTION ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer) IS 'Contacts of one owner that fit these words of search_text(), best first; wide or near as in search_query().';

--
-- Name: ranked_pages(uuid, private.document_term[], uuid[], integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer) RETURNS TABLE(document_id uuid, page integer, terms integer[], score real)
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $_$
declare
  _term record;
  _conditions text[];
  _found tid[];
  _more tid[];
  _ask constant text := 'select array(select ctid from private.document_search where %s and user_id = $1
    and ($2 is null or document_id = any ($2)) limit %s)';
begin
  select array_agg(format('lexemes && %L::integer[]', lexemes)) into _conditions
  from (select array_agg(lexeme) as lexemes from unnest(_terms) group by term) as asked;
  -- Pages that hold everything; then by the rarest words, until there are enough to compare.
  execute format(_ask, array_to_string(_conditions, ' and '), _most) into _found using _user_id, _documents;
  for _term in
    select array_agg(lexeme) as lexemes, min(pages) as pages from unnest(_terms) group by term order by min(pages), term
  loop
    exit when cardinality(_conditions) = 1 or cardinality(_found) >= 2 * _most
      or _term.pages > 5000 and cardinality(_found) >= _most / 4;
    execute format(_ask, format('lexemes && %L::integer[]', _term.lexemes), _most) into _more using _user_id, _documents;
    _found := _found || _more;
  end loop;
  return query
    select searched.document_id, searched.page, fit.terms, fit.score
    from private.document_search as searched
    cross join lateral (
      select array_agg(term) as terms, sum(best)::real as score
      from (
        select term, max(factor * weight) as best from unnest(_terms) where lexeme = any (searched.lexemes) group by term
      ) as one
    ) as fit
    where searched.ctid = any (_found);
end
$_$;

--
-- Name: FUNCTION ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer) IS 'Pages of an owner that hold most of what counts most, among so many that were found; of these documents only, if told.';

--
-- Name: rebase_changes(jsonb, jsonb, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  select jsonb_agg(
    case when change @> _like then jsonb_set(change, '{before}', change -> 'before' || _former) else change end order by place
  )
  from jsonb_array_elements(_changes) with ordinality as changes (change, place)
$$;

--
-- Name: FUNCTION rebase_changes(_changes jsonb, _like jsonb, _former jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb) IS 'Changes that will put back something else than what they found.';

--
-- Name: reclaim(uuid, bigint, boolean, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.reclaim(_order_id uuid, _cents bigint, _all boolean, _idempotency_key text, OUT taken bigint, OUT missing bigint, OUT is_waiting boolean) RETURNS record
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _lot_ids uuid[];
  _amounts bigint[];
begin
  perform private.lock_wallet(_user_id);
  select array_agg(id order by paid_cents, id) filter (where step <> 0),
    array_agg(step order by paid_cents, id) filter (where step <> 0),
    sum(step), sum(greatest(share - unused, 0)) filter (where paid_cents > 0), bool_or(owed > step and held > 0)
  into _lot_ids, _amounts, taken, missing, is_waiting
  from (
    select *, least(owed, remaining) as step
    from (
      -- The money for all that is unused takes all of it, the bonus too; less money its share of each lot. Computed from
      -- the sum each time and rounded down, so that many refunds take no more than one.
      select *,
        case
          when _all or _cents > 0 and _cents >= floor(sum(paid_cents * unused::numeric / amount) over ()) then unused
          else least(unused, share)
        end - taken_before as owed
      from (
        select id, paid_cents, amount, remaining, held, taken_before, remaining + held + taken_before as unused,
          floor(amount::numeric * _cents / nullif(sum(paid_cents) over (), 0))::bigint as share
        from public.credit_lots
        cross join lateral (
          select coalesce(-sum(credit_ledger.amount), 0)::bigint as taken_before
          from public.credit_ledger
          where credit_ledger.user_id = _user_id and lot_id = credit_lots.id and credit_ledger.kind = 'refund'
        ) as ledger
        where order_id = _order_id
      ) as lots
    ) as owing
  ) as steps;
  if _lot_ids is not null then
    perform private.take(_user_id, 'refund', 'refund', _idempotency_key, _lot_ids, _amounts, 'order', _order_id::text);
    perform private.assert_wallet(_user_id);
  end if;
end
$$;

--
-- Name: FUNCTION reclaim(_order_id uuid, _cents bigint, _all boolean, _idempotency_key text, OUT taken bigint, OUT missing bigint, OUT is_waiting boolean); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.reclaim(_order_id uuid, _cents bigint, _all boolean, _idempotency_key text, OUT taken bigint, OUT missing bigint, OUT is_waiting boolean) IS 'Moves unused credits of an order so that those for so much money given back, or all, are taken: how many were taken (less than 0: came back), how many are missing because they were used, and whether work holds some of them.';

--
-- Name: record_payment_event(text, text, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.record_payment_event(_id text, _type text, _payload jsonb) RETURNS text
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _event public.payment_events;
begin
  -- The same event at the same instant waits for this one's commit.
  insert into public.payment_events (id, type, payload) values (_id, _type, _payload) on conflict (id) do nothing;
  select * into _event from public.payment_events where id = _id for update;
  return private.handle_stored_event(_event);
end
$$;

--
-- Name: FUNCTION record_payment_event(_id text, _type text, _payload jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.record_payment_event(_id text, _type text, _payload jsonb) IS 'Stores an event and handles it, in the caller''s transaction; known: it was handled before and changes nothing.';

--
-- Name: record_payment_events(text[], text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.record_payment_events(_ids text[], _types text[], _payloads text[]) RETURNS text[]
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    SET enable_hashjoin TO 'off'
    SET enable_mergejoin TO 'off'
    SET plan_cache_mode TO 'force_generic_plan'
    SET lock_timeout TO '2s'
    AS $$
declare
  _event public.payment_events;
  _order_id uuid;
  -- The events that nobody else works on, and those of them that are new.
  _ours text[];
  _news text[];
  -- The first session of each order that nobody else works on: they are handled together.
  _free uuid[];
  _told text[];
  _told_types text[];
  _sessions jsonb[];
  _ends text[];
  _outcomes text[] := array_fill(null::text, array[cardinality(_ids)]);
begin
  insert into public.payment_events (id, type, payload)
  select distinct on (id) id, type, payload::jsonb
  from unnest(_ids, _types, _payloads) as told (id, type, payload)
  order by id
  on conflict (id) do nothing;
  select array_agg(id), array_agg(id) filter (where handled_at is null) into _ours, _news
  from (select id, handled_at from public.payment_events where id = any(_ids) order by id for update skip locked) as locked;
  -- An order without a wallet counts as busy: alone it fails, and says so.
  _free := array(
    select orders.id from public.credit_orders as orders join public.credit_wallets using (user_id)
    where orders.id = any(array(
      select private.order_id(payload #> '{data,object}')
      from public.payment_events where id = any(_news) and type like 'checkout.session.%'
    ))
    order by orders.id for update skip locked
  );
  select array_agg(named.order_id), array_agg(id), array_agg(type), array_agg(about)
  into _free, _told, _told_types, _sessions
  from (
    select distinct on (named.order_id) named.order_id, id, type, about
    from public.payment_events
    cross join lateral (select payload #> '{data,object}' as about) as payloads
    cross join lateral (select private.order_id(about) as order_id) as named
    where id = any(_news) and type like 'checkout.session.%' and named.order_id = any(_free)
    order by named.order_id, array_position(_ids, id)
  ) as named;
  if _told is not null then
    begin
      _ends := private.apply_sessions(_sessions, _told, _told_types);
      perform private.note_outcomes(_told, _free, _ends);
    exception
      when others then
        -- Whose fault it is shows when each is handled alone.
        _ends := null;
    end;
  end if;
  for _place in 1 .. cardinality(_ids) loop
    if _ends is not null and _ids[_place] = any(_told) then
      _outcomes[_place] :=
        case when array_position(_ids, _ids[_place]) = _place then _ends[array_position(_told, _ids[_place])] else 'known' end;
      continue;
    end if;
    select * into _event from public.payment_events where id = _ids[_place] and id = any(_ours);
    continue when not found;
    if _event.handled_at is null then
      _order_id := private.order_of(_event.payload #> '{data,object}');
      continue when _order_id is not null and not private.is_order_free(_order_id);
    end if;
    _outcomes[_place] := private.handle_stored_event(_event);
  end loop;
  return _outcomes;
end
$$;

--
-- Name: FUNCTION record_payment_events(_ids text[], _types text[], _payloads text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.record_payment_events(_ids text[], _types text[], _payloads text[]) IS 'Stores events and handles them one after the other, as record_payment_event; null for each whose rows are busy: it is stored only, and is to be recorded alone.';

--
-- Name: refund_order(uuid, bigint, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _user_id constant uuid := (select user_id from public.credit_lots where order_id = _order_id limit 1);
  _before_cents constant bigint := coalesce((select taken_cents from public.credit_orders where id = _order_id), 0);
  _taken bigint;
begin
  if _amount_cents is null or _amount_cents <= 0 then
    raise exception 'a refund of % cents is none', _amount_cents using errcode = 'invalid_parameter_value';
  end if;
  if _user_id is null then
    return 0;
  end if;
  perform private.lock_wallet(_user_id);
  select -sum(amount) into _taken from public.credit_ledger where user_id = _user_id and idempotency_key = _idempotency_key;
  if _taken is not null then
    if exists (
      select from public.credit_ledger
      where user_id = _user_id and idempotency_key = _idempotency_key
        and (kind, ref_id) is distinct from ('refund'::public.credit_entry_kind, _order_id::text)
    ) then
      perform private.refuse_key(_idempotency_key);
    end if;
    return _taken;
  end if;
  if exists (select from public.credit_lots where order_id = _order_id and held > 0) then
    raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
  end if;
  select taken into _taken
  from private.reclaim(
    _order_id, _before_cents + _amount_cents, _amount_cents >= private.refundable(_order_id), _idempotency_key
  );
  return _taken;
end
$$;

--
-- Name: FUNCTION refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text) IS 'Takes back unused credits of an order for more money given back, once per key, never more than are left; answers how many.';

--
-- Name: refundable(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refundable(_order_id uuid) RETURNS bigint
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  perform private.lock_wallet(user_id) from public.credit_lots where order_id = _order_id limit 1;
  return (
    select coalesce(sum(paid_cents * remaining / amount), 0)::bigint from public.credit_lots where order_id = _order_id
  );
end
$$;

--
-- Name: FUNCTION refundable(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refundable(_order_id uuid) IS 'What the unused credits of an order were paid, in whole cents; locks the wallet, so that it stays true.';

--
-- Name: refuse_busy(uuid, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_busy(_user_id uuid, _conversation_id uuid) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
declare
  _running constant uuid[] := array(select id from public.runs where user_id = _user_id and state = 'running');
  _run constant uuid := (
    select id from public.runs where user_id = _user_id and conversation_id = _conversation_id and state = 'running'
  );
begin
  if _run is not null then
    raise exception 'this conversation is answering already' using errcode = 'SA002', detail = _run::text;
  elsif cardinality(_running) >= 3 then
    raise exception 'three answers are under way' using errcode = 'SA003';
  end if;
end
$$;

--
-- Name: FUNCTION refuse_busy(_user_id uuid, _conversation_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_busy(_user_id uuid, _conversation_id uuid) IS 'SA002 while the conversation answers, SA003 while three answers are under way.';

--
-- Name: refuse_change(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_change() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  raise exception 'table %.% is append-only', tg_table_schema, tg_table_name using errcode = 'restrict_violation';
end
$$;

--
-- Name: FUNCTION refuse_change(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_change() IS 'Makes a table append-only, for service_role and the owner too.';

--
-- Name: refuse_change_of_consent(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_change_of_consent() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- Goes with the account; otherwise only a merge may say that two contacts were one.
  if tg_op = 'DELETE' and not exists (select from auth.users where id = old.user_id) then
    return old;
  end if;
  if tg_op = 'UPDATE' then
    old.contact_id := new.contact_id;
    if new is not distinct from old then
      return new;
    end if;
  end if;
  raise exception 'what was agreed to is never changed' using errcode = '23001';
end
$$;

--
-- Name: FUNCTION refuse_change_of_consent(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_change_of_consent() IS 'Makes consent_events append-only.';

--
-- Name: refuse_change_of_published(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_change_of_published() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  if exists (
    select from public.catalog_versions
    where catalog_versions.version in (_version, case when tg_op = 'UPDATE' then old.version end)
      and catalog_versions.published_at <= now()
  ) then
    raise exception 'version % of the catalogue is published', _version using errcode = 'restrict_violation';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;

--
-- Name: FUNCTION refuse_change_of_published(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_change_of_published() IS 'Keeps a published version of the catalogue as it is, for the owner too.';

--
-- Name: refuse_files_of_nobody(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_files_of_nobody() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  _folder text := split_part(new.name, '/', 1);
begin
  if _folder ~ '^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$' then
    -- Who is being deleted is waited for; and who is there stays until this file is, and takes it along.
    perform from public.profiles where user_id = _folder::uuid for key share;
    if found then
      return new;
    end if;
  end if;
  raise insufficient_privilege using message = 'the folder belongs to nobody';
end
$_$;

--
-- Name: FUNCTION refuse_files_of_nobody(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_files_of_nobody() IS 'Files of the buckets that hold personal data lie in the folder of an account that is there.';

--
-- Name: refuse_key(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_key(_idempotency_key text) RETURNS void
    LANGUAGE plpgsql IMMUTABLE
    SET search_path TO ''
    AS $$
begin
  raise exception 'idempotency key % belongs to another movement', _idempotency_key using errcode = 'SC001';
end
$$;

--
-- Name: FUNCTION refuse_key(_idempotency_key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_key(_idempotency_key text) IS 'Raises SC001.';

--
-- Name: refuse_memory(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.refuse_memory(_user_id uuid, _body text) RETURNS void
    LANGUAGE plpgsql STABLE
    SET search_path TO ''
    AS $$
begin
  if private.unmemorable(_body) is not null then
    raise exception '%', private.unmemorable(_body) using errcode = 'SM001';
  end if;
  -- What fits into every conversation beside the question (product.md 2).
  if char_length(_body) + (
    select coalesce(sum(char_length(body)), 0) from public.memories
    where user_id = _user_id and state = 'attiva' and kind <> 'narrativa'
  ) > 8000 then
    raise exception 'the memory is full' using errcode = 'SM003';
  end if;
end
$$;

--
-- Name: FUNCTION refuse_memory(_user_id uuid, _body text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.refuse_memory(_user_id uuid, _body text) IS 'SM001 for what must not be remembered, SM003 when there is no room.';

--
-- Name: register_scan(public.documents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.register_scan(_document public.documents) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _fields constant jsonb := private.sure_fields(_document.id);
  _is_own constant boolean := private.is_of_owner(_fields, _document.user_id);
  _total_cents constant bigint := private.cents(_fields, 'total');
  _due_cents constant bigint := coalesce(
    private.cents(_fields, 'due'),
    case when private.cents(_fields, 'withholding') is not null then private.payable_cents(_fields) end
  );
begin
  if not _fields ?& array['number', 'issued_on'] or _total_cents is null or exists (
    -- These turn the total into something else: a debt into a credit, dollars into euros.
    select from public.document_fields
    where user_id = _document.user_id and document_id = _document.id and key in ('type_code', 'currency')
      and confirmed_at is null and confidence < 0.8
  ) then
    return null;
  end if;
  perform private.store_invoice(_document.id, _document.user_id, jsonb_build_array(jsonb_build_object(
    'direction', case when _is_own then 'attiva' else 'passiva' end, 'type_code', _fields ->> 'type_code',
    'number', left(_fields ->> 'number', 100), 'issued_on', _fields ->> 'issued_on',
    'net_cents', private.cents(_fields, 'net'), 'vat_cents', private.cents(_fields, 'vat'),
    'total_cents', _total_cents, 'due_cents', _due_cents,
    'currency', coalesce(_fields ->> 'currency', _document.currency),
    'counterparty_name', left(case when _is_own then _fields ->> 'customer'
      else coalesce(_fields ->> 'supplier', _document.supplier ->> 'name') end, 500),
    -- As an electronic invoice writes it: «IT 0123…» bare, «de 123…» with its country.
    'counterparty_vat', left(private.alias_value(
      'vat_number', _fields ->> case when _is_own then 'customer_vat_number' else 'vat_number' end
    ), 50),
    'source', 'campi',
    'schedules', jsonb_build_array(jsonb_build_object(
      'due_on', _fields ->> 'due_on', 'amount_cents', coalesce(_due_cents, _total_cents),
      'iban', left(_fields ->> 'iban', 50)
    ))
  )));
  return (select id from public.invoices where user_id = _document.user_id and document_id = _document.id);
end
$$;

--
-- Name: FUNCTION register_scan(_document public.documents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.register_scan(_document public.documents) IS 'Makes an invoice with one day of payment of what is sure in a scan; null, and nothing is written, when that is too little.';

--
-- Name: release_hold(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.release_hold(_hold_id uuid) RETURNS public.credit_holds
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state <> 'open' then
    return _hold;
  end if;
  return private.close_hold(_hold, 'released');
end
$$;

--
-- Name: FUNCTION release_hold(_hold_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.release_hold(_hold_id uuid) IS 'Gives a hold back; one that is closed stays as it is. Answers the hold.';

--
-- Name: release_run(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.release_run() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  -- Three agents, the one that reviews, and the one answer made of them: the steps of a council.
  _steps constant numeric := 5;
  _views constant integer := (
    select count(distinct data ->> 'agent') from private.run_events
    where run_id = old.id and event = 'view' and data ->> 'status' = 'done'
  );
  -- With its account goes everything.
  _is_read constant boolean := exists (select from auth.users where id = old.user_id) and (
    _views > 0 or exists (
      select from private.run_events where run_id = old.id and event = 'delta' and data ->> 'text' ~ '[^[:space:]]'
    )
  );
  _quote constant bigint := (
    select amount from public.credit_holds where user_id = old.user_id and idempotency_key = 'chat:' || old.message_id
  );
begin
  perform private.close_hold_of_answer(
    old.user_id, old.message_id, case when _is_read then greatest(1, ceil(_quote * _views / _steps))::bigint else 0 end
  );
  return old;
end
$$;

--
-- Name: FUNCTION release_run(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.release_run() IS 'Who deletes a conversation that is answering pays what stopping it would cost.';

--
-- Name: remember_aliases(public.documents, uuid, public.document_alias_state); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.remember_aliases(_document public.documents, _contact_id uuid, _state public.document_alias_state) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  insert into public.document_aliases (user_id, contact_id, kind, value, state)
  select _document.user_id, _contact_id, kind, value, _state
  from (
    select kind, private.alias_value(kind, _document.supplier ->> kind::text) as value
    from unnest(enum_range(null::public.document_alias_kind)) as kind
  ) as shown
  where value is not null
  on conflict (user_id, kind, value, contact_id) do update set state = excluded.state, created_at = now()
$$;

--
-- Name: FUNCTION remember_aliases(_document public.documents, _contact_id uuid, _state public.document_alias_state); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.remember_aliases(_document public.documents, _contact_id uuid, _state public.document_alias_state) IS 'Remembers by what a document shows that it is of a contact, or is not.';

--
-- Name: reminder_moment(date, integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.reminder_moment(_due_on date, _days_before integer) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- The first of both that is still to come; when both are over, at once: a moment that is over reminds of nothing.
  select coalesce(min(moment), now() + interval '1 minute')
  from unnest(array[_due_on - least(greatest(_days_before, 0), 365), _due_on]) as day
  cross join lateral (select (day + time '09:00') at time zone 'Europe/Rome' as moment) as at_nine
  where moment > now()
$$;

--
-- Name: FUNCTION reminder_moment(_due_on date, _days_before integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.reminder_moment(_due_on date, _days_before integer) IS 'When to remind of a day of payment: at nine so many days before, or on the day, or at once.';

--
-- Name: remove_files(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.remove_files() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  -- What storage says when it deletes rows of its own.
  perform set_config('storage.allow_delete_query', 'true', true);
  -- All that begins with the folder's name: names are sorted by byte, and «0» follows «/».
  delete from storage.objects
  where bucket_id in ('avatars', 'documents') and name >= old.user_id || '/' and name < old.user_id || '0';
  return null;
end
$$;

--
-- Name: FUNCTION remove_files(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.remove_files() IS 'The files of an account go with it.';

--
-- Name: remove_invoices(uuid, uuid, integer[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.remove_invoices(_document_id uuid, _user_id uuid, _kept integer[]) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _invoice_id uuid;
begin
  for _invoice_id in
    select id from public.invoices
    where user_id = _user_id and document_id = _document_id and body_no <> all (_kept)
  loop
    perform private.store_schedules(_invoice_id, _user_id, '[]');
    delete from public.invoices where user_id = _user_id and id = _invoice_id;
  end loop;
end
$$;

--
-- Name: FUNCTION remove_invoices(_document_id uuid, _user_id uuid, _kept integer[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.remove_invoices(_document_id uuid, _user_id uuid, _kept integer[]) IS 'Takes the invoices of a document out of the register, with their reminders, but for these numbers of bodies.';

--
-- Name: repeat_word(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.repeat_word(_document_id uuid, _read jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.follow_total(_document_id, _read - array(
    select key from public.document_fields where document_id = _document_id and confirmed_at is not null and key = 'due'
  ));
  perform private.turn_document(_document_id, _read);
  perform private.copy_field(_document_id, key, value)
  from (
    select key, value from public.document_fields where document_id = _document_id and confirmed_at is not null
    union all
    select unnest(removed_keys), null from public.documents where id = _document_id
  ) as said;
end
$$;

--
-- Name: FUNCTION repeat_word(_document_id uuid, _read jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.repeat_word(_document_id uuid, _read jsonb) IS 'Puts over what was read of a document ({key: value}) what its owner said of it before.';

--
-- Name: retention_end(public.documents); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.retention_end(_document public.documents) RETURNS date
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select (coalesce(_document.issued_on, (_document.created_at at time zone 'Europe/Rome')::date)
    + make_interval(years => public.retention_of(_document.kind)))::date
$$;

--
-- Name: FUNCTION retention_end(_document public.documents); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.retention_end(_document public.documents) IS 'Until when a document is kept if its owner says nothing.';

--
-- Name: retitle_reminders(public.invoices); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.retitle_reminders(_invoice public.invoices) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  -- What its owner called otherwise keeps its name.
  update public.tasks set title = private.payment_title(_invoice, part.amount_cents)
  from public.invoice_schedules as part
  where part.user_id = _invoice.user_id and part.invoice_id = _invoice.id
    and tasks.user_id = part.user_id and tasks.id = part.task_id and tasks.state <> 'fatto'
    and tasks.title ~ '^(Paga|Incassa) (fattura|nota di credito) '
    and tasks.title <> private.payment_title(_invoice, part.amount_cents)
$$;

--
-- Name: FUNCTION retitle_reminders(_invoice public.invoices); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.retitle_reminders(_invoice public.invoices) IS 'The open tasks of an invoice say what it says.';

--
-- Name: retry_payment_events(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.retry_payment_events(_limit integer DEFAULT 100) RETURNS TABLE(id text, type text, outcome text)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _event public.payment_events;
  _order_id uuid;
begin
  for _event in
    -- The longest untried first: many that wait for ever keep none from its turn.
    select * from public.payment_events as events
    where events.handled_at is null and events.given_up_at is null
    order by events.tried_at nulls first, events.received_at limit _limit for update skip locked
  loop
    id := _event.id;
    type := _event.type;
    _order_id := private.order_of(_event.payload #> '{data,object}');
    -- Of several orders in one transaction none may wait for another: whose rows are busy has its turn next time.
    outcome := case when _order_id is null or private.is_order_free(_order_id)
      then private.handle_payment_event(_event) else 'waiting' end;
    if outcome in ('waiting', 'failed') and _event.received_at < now() - interval '1 day' then
      perform private.raise_alert('stuck_event', null, id, jsonb_build_object('type', type, 'outcome', outcome));
      -- Held credits come back: what waits for those goes on waiting.
      if _order_id is null or outcome = 'failed' then
        update public.payment_events as events set given_up_at = now() where events.id = _event.id;
      end if;
    end if;
    return next;
  end loop;
end
$$;

--
-- Name: FUNCTION retry_payment_events(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.retry_payment_events(_limit integer) IS 'Handles events that waited or failed once more; one that has waited for a day is told to a person, and given up unless it waits for held credits.';

--
-- Name: row_filter(jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.row_filter(_key jsonb) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT
    SET search_path TO ''
    AS $$
  select string_agg(format('%I = %L', key, value), ' and ') from jsonb_each_text(_key)
$$;

--
-- Name: FUNCTION row_filter(_key jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.row_filter(_key jsonb) IS 'A key {column: value} as a condition.';

--
-- Name: search_document(text, text, text, text, text[], text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[]) RETURNS tsvector
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
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

--
-- Name: FUNCTION search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[]) IS 'The lexemes of one contact, from texts that search_text() made.';

--
-- Name: search_key(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.search_key(_user_id uuid) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select left(_user_id::text, 8)
$$;

--
-- Name: FUNCTION search_key(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.search_key(_user_id uuid) IS 'How the lexemes of an owner begin. Two owners may share it: the search compares the whole id as well.';

--
-- Name: search_query(text, text[], text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.search_query(_key text, _words text[], _how text) RETURNS tsquery
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $_$
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
$_$;

--
-- Name: FUNCTION search_query(_key text, _words text[], _how text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.search_query(_key text, _words text[], _how text) IS 'What to ask the index for these words of search_text(), or an address: exact (as typed), wide (begun, stemmed, contained) or near.';

--
-- Name: search_text(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.search_text(_text text) RETURNS text
    LANGUAGE sql STABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select btrim(regexp_replace(lower(extensions.unaccent(_text)), '[^[:alnum:]]+', ' ', 'g'))
$$;

--
-- Name: FUNCTION search_text(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.search_text(_text text) IS 'Words without accents, capitals and punctuation, one space between them.';

--
-- Name: set_next_touch(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.set_next_touch() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  if tg_op = 'UPDATE' and new.last_interaction_at > coalesce(old.last_interaction_at, '-infinity') then
    new.snoozed_until := null;
  end if;
  new.next_touch_at := coalesce(new.last_interaction_at, new.created_at) + make_interval(days => coalesce(
    new.touch_days,
    (
      select min(tags.touch_days) from public.contact_tags
      join public.tags on tags.user_id = contact_tags.user_id and tags.id = contact_tags.tag_id
      where contact_tags.user_id = new.user_id and contact_tags.contact_id = new.id
    )
  ));
  return new;
end
$$;

--
-- Name: FUNCTION set_next_touch(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.set_next_touch() IS 'Computes next_touch_at, whatever was written there; an interaction ends a snooze.';

--
-- Name: set_updated_at(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.set_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  new.updated_at := now();
  return new;
end
$$;

--
-- Name: FUNCTION set_updated_at(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.set_updated_at() IS 'Notes when a row was last changed.';

--
-- Name: settle_document(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.settle_document(_document_id uuid) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update public.documents set state = 'pronto'
  where id = _document_id and state = 'da_verificare' and not exists (
    select from public.document_fields
    where document_fields.user_id = documents.user_id and document_id = _document_id
      and confidence < 0.8 and confirmed_at is null
  )
$$;

--
-- Name: FUNCTION settle_document(_document_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.settle_document(_document_id uuid) IS 'Calls a document ready when nothing in it is left to be confirmed.';

--
-- Name: settle_hold(uuid, bigint, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text) RETURNS public.credit_holds
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _hold constant public.credit_holds := private.lock_hold(_hold_id);
begin
  if _hold.state = 'settled' and (_hold.captured, _hold.settle_key) is not distinct from (_used, _idempotency_key) then
    return _hold;
  end if;
  if _hold.state in ('released', 'swept') then
    raise exception 'hold % is closed: %', _hold_id, _hold.state using errcode = 'SC004';
  end if;
  if _hold.state = 'settled' or exists (
    select from public.credit_ledger where user_id = _hold.user_id and idempotency_key = _idempotency_key
  ) then
    perform private.refuse_key(_idempotency_key);
  end if;
  if _used is null or _used not between 0 and _hold.amount then
    raise exception 'hold % is of % credits, not %', _hold_id, _hold.amount, _used using errcode = 'invalid_parameter_value';
  end if;
  return private.close_hold(_hold, 'settled', _used, _idempotency_key);
end
$$;

--
-- Name: FUNCTION settle_hold(_hold_id uuid, _used bigint, _idempotency_key text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text) IS 'Takes what was used of a hold and gives the rest back, once; SC004 when it was released or swept before.';

--
-- Name: settle_order(public.credit_orders, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.settle_order(_order public.credit_orders, _event_id text DEFAULT NULL::text) RETURNS text
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _due_cents constant bigint := _order.refunded_cents - _order.taken_cents;
  _given_cents constant bigint := greatest(_order.refunded_cents, _order.taken_cents);
  _moved record;
begin
  -- What is told before the payment waits in the order.
  if _order.fulfilled_at is null then
    return 'noted';
  end if;
  if _due_cents > 0 then
    update public.credit_orders set taken_cents = refunded_cents where id = _order.id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order.id, 'credit_note', _due_cents, format('refund:%s', _order.refunded_cents));
  end if;
  perform private.lock_wallet(_order.user_id);
  select * into _moved
  from private.reclaim(
    _order.id, _given_cents, _order.state in ('disputed', 'refunded'),
    -- Behind the last entry there is one movement, so the key is a new one each time.
    format(
      'order:%s:%s', _order.id,
      (select id from public.credit_ledger where user_id = _order.user_id order by id desc limit 1)
    )
  );
  if _moved.is_waiting then
    return 'waiting';
  end if;
  -- A balance never falls below zero: for what was used before, somebody decides. Of a withdrawal we have decided.
  if _moved.missing > 0 and _event_id is not null and (_due_cents > 0 or _order.withdrawn_at is null) then
    perform private.raise_alert(
      'refund_of_spent_credits', _order.id, _event_id,
      jsonb_build_object('refunded_cents', _given_cents, 'credits_missing', _moved.missing)
    );
  end if;
  return 'noted';
end
$$;

--
-- Name: FUNCTION settle_order(_order public.credit_orders, _event_id text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.settle_order(_order public.credit_orders, _event_id text) IS 'Brings the credits of a locked order in line with its facts; waiting: work holds some that are owed. With the event of a refund, a person is told when credits are missing.';

--
-- Name: settle_order_refund(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.settle_order_refund(_refund_id uuid, _provider_refund text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.order_refunds set
    state = case when _provider_refund is null then 'failed' else 'sent' end::public.order_refund_state,
    provider_refund = _provider_refund, settled_at = now()
  where id = _refund_id and state <> 'sent';
  if found and _provider_refund is null then
    perform private.raise_alert('refund_failed', order_id, null, jsonb_build_object('refund', _refund_id))
    from public.order_refunds where id = _refund_id;
  end if;
end
$$;

--
-- Name: FUNCTION settle_order_refund(_refund_id uuid, _provider_refund text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.settle_order_refund(_refund_id uuid, _provider_refund text) IS 'How asking Stripe for a refund ended; null: it was refused, a person must pay back.';

--
-- Name: shared_mail_domains(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.shared_mail_domains() RETURNS text[]
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select array[
    'gmail.com', 'googlemail.com', 'libero.it', 'hotmail.it', 'hotmail.com', 'outlook.it', 'outlook.com', 'live.it', 'live.com',
    'msn.com', 'yahoo.it', 'yahoo.com', 'ymail.com', 'icloud.com', 'me.com', 'mac.com', 'virgilio.it', 'alice.it', 'tim.it',
    'tin.it', 'tiscali.it', 'fastwebnet.it', 'email.it', 'inwind.it', 'iol.it', 'vodafone.it', 'aruba.it', 'proton.me',
    'protonmail.com', 'pec.it', 'legalmail.it', 'arubapec.it', 'postecert.it', 'poste.it'
  ]
$$;

--
-- Name: FUNCTION shared_mail_domains(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.shared_mail_domains() IS 'Mail domains that strangers share: they say nothing about who works together.';

--
-- Name: similar_memory(uuid, text, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.similar_memory(_user_id uuid, _body text, _except uuid DEFAULT NULL::uuid) RETURNS uuid
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- product.md 2: from 0.6 on it says the same.
  select id from public.memories
  where user_id = _user_id and state in ('attiva', 'sospesa', 'proposta') and id is distinct from _except
    and extensions.similarity(private.search_text(body), private.search_text(_body)) >= 0.6
  order by extensions.similarity(private.search_text(body), private.search_text(_body)) desc, id limit 1
$$;

--
-- Name: FUNCTION similar_memory(_user_id uuid, _body text, _except uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.similar_memory(_user_id uuid, _body text, _except uuid) IS 'The memory of an owner that says nearly the same, if any.';

--
-- Name: store_invoice(uuid, uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _told record;
  _row public.invoices;
  _contact_id uuid;
  _id uuid;
begin
  select contact_id into _contact_id from public.documents where user_id = _user_id and id = _document_id for update;
  if not found then
    raise exception 'no such document' using errcode = 'PT404';
  end if;
  perform private.remove_invoices(_document_id, _user_id, array(
    select coalesce((one ->> 'body_no')::integer, place::integer)
    from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  ));
  for _told in select one, place::integer from jsonb_array_elements(_invoices) with ordinality as listed (one, place)
  loop
    _row := jsonb_populate_record(null::public.invoices, _told.one);
    insert into public.invoices as kept (
      user_id, document_id, body_no, direction, type_code, number, issued_on, contact_id, counterparty_name,
      counterparty_vat, net_cents, vat_cents, total_cents, due_cents, currency, content, findings, paid_on, source
    ) values (
      _user_id, _document_id, coalesce(_row.body_no, _told.place), _row.direction, coalesce(_row.type_code, 'TD01'),
      _row.number, _row.issued_on, coalesce(_contact_id, _row.contact_id), _row.counterparty_name, _row.counterparty_vat,
      _row.net_cents, _row.vat_cents, _row.total_cents, _row.due_cents, coalesce(_row.currency, 'EUR'), _row.content,
      coalesce(_row.findings, '[]'), _row.paid_on, coalesce(_row.source, 'fatturapa')
    )
    on conflict (document_id, body_no) do update set
      direction = excluded.direction, type_code = excluded.type_code, number = excluded.number,
      issued_on = excluded.issued_on, contact_id = coalesce(kept.contact_id, excluded.contact_id),
      counterparty_name = excluded.counterparty_name, counterparty_vat = excluded.counterparty_vat,
      net_cents = excluded.net_cents, vat_cents = excluded.vat_cents, total_cents = excluded.total_cents,
      due_cents = excluded.due_cents, currency = excluded.currency, content = excluded.content,
      findings = excluded.findings, paid_on = coalesce(kept.paid_on, excluded.paid_on), source = excluded.source
    returning id into _id;
    perform private.store_schedules(_id, _user_id, _told.one -> 'schedules');
  end loop;
end
$$;

--
-- Name: FUNCTION store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb) IS 'Writes the invoices of a document, one object for each body: the columns of invoices, and schedules [{no, due_on, amount_cents, method, iban}]. The same again changes nothing; what was paid, and the tasks, stay. PT404.';

--
-- Name: store_schedules(uuid, uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  with told as (
    select coalesce((one ->> 'no')::integer, place::integer) as no, (one ->> 'due_on')::date as due_on,
      (one ->> 'amount_cents')::bigint as amount_cents, one ->> 'method' as method, one ->> 'iban' as iban,
      -- Of what is paid as a whole no part is open.
      coalesce(
        (one ->> 'paid_on')::date, (select paid_on from public.invoices where user_id = _user_id and id = _invoice_id)
      ) as paid_on
    from jsonb_array_elements(coalesce(_schedules, '[]')) with ordinality as listed (one, place)
  ), gone as (
    delete from public.invoice_schedules
    where user_id = _user_id and invoice_id = _invoice_id and no not in (select no from told)
    returning task_id
  ), unneeded as (
    update public.tasks set deleted_at = now()
    from gone where user_id = _user_id and id = task_id and state <> 'fatto' and deleted_at is null
  )
  insert into public.invoice_schedules as kept (user_id, invoice_id, no, due_on, amount_cents, method, iban, paid_on)
  select _user_id, _invoice_id, no, due_on, amount_cents, method, iban, paid_on from told
  on conflict (invoice_id, no) do update set
    due_on = excluded.due_on, amount_cents = excluded.amount_cents, method = excluded.method, iban = excluded.iban,
    paid_on = coalesce(kept.paid_on, excluded.paid_on)
$$;

--
-- Name: FUNCTION store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb) IS 'Writes the days of payment of an invoice; what was paid and its task stay, the reminders of those that go go too.';

--
-- Name: sum_up_disputes(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.sum_up_disputes(_order_id uuid) RETURNS public.credit_orders
    LANGUAGE sql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
  update public.credit_orders set
    disputed_at = coalesce(disputed_at, now()),
    dispute_won_at = case when disputes.are_won then coalesce(dispute_won_at, now()) end,
    dispute_lost_at = case when disputes.is_lost then coalesce(dispute_lost_at, now()) end
  from (
    -- One that was prevented is none of the won: the bank may have given the money back without asking.
    select bool_and(status in ('won', 'warning_closed')) as are_won, bool_or(status = 'lost') as is_lost
    from private.order_disputes where order_id = _order_id
  ) as disputes
  where id = _order_id
  returning credit_orders.*
$$;

--
-- Name: FUNCTION sum_up_disputes(_order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.sum_up_disputes(_order_id uuid) IS 'Writes into an order that has disputes how far they are, all in all.';

--
-- Name: supersede_memories(public.memories); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.supersede_memories(_memory public.memories) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update public.memories set state = 'superata', superseded_by = _memory.id, updated_at = now()
  where user_id = _memory.user_id and id <> _memory.id and state in ('attiva', 'sospesa')
    and contact_id is not distinct from _memory.contact_id and lower(topic) = lower(_memory.topic)
$$;

--
-- Name: FUNCTION supersede_memories(_memory public.memories); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.supersede_memories(_memory public.memories) IS 'A fact takes the place of those on the same topic of the same person.';

--
-- Name: sure_fields(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.sure_fields(_document_id uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
  where document_id = _document_id and (confirmed_at is not null or confidence >= 0.8)
$$;

--
-- Name: FUNCTION sure_fields(_document_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.sure_fields(_document_id uuid) IS 'What is known of a document for sure: {key: value}.';

--
-- Name: sweep_holds(integer); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.sweep_holds(_limit integer DEFAULT 200) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _due uuid;
  _hold public.credit_holds;
  _swept integer := 0;
begin
  for _due in
    select id from (
      select id, user_id from public.credit_holds where state = 'open' and expires_at <= now() order by expires_at limit _limit
    ) as due
    order by user_id
  loop
    begin
      _hold := private.lock_hold(_due);
      if _hold.state = 'open' then
        perform private.close_hold(_hold, 'swept');
        _swept := _swept + 1;
      end if;
    exception
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;

--
-- Name: FUNCTION sweep_holds(_limit integer); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.sweep_holds(_limit integer) IS 'Gives back holds past their time; answers how many.';

--
-- Name: sweep_runs(integer, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.sweep_runs(_limit integer DEFAULT 100, _user_id uuid DEFAULT NULL::uuid) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _due uuid;
  _swept integer := 0;
begin
  for _due in
    select run.id
    from public.runs as run
    join public.conversations on conversations.user_id = run.user_id and conversations.id = run.conversation_id
    where state = 'running' and heartbeat_at < now() - interval '1 minute'
      and (_user_id is null or run.user_id = _user_id)
    order by conversations.id limit _limit for no key update of conversations
  loop
    begin
      perform private.finish_turn(run.id, (
        select jsonb_build_object(
          'state', 'error', 'error_code', 'interrotta',
          'content', string_agg(data ->> 'text', '' order by seq) filter (where event = 'delta'),
          'refs', coalesce(jsonb_agg(data order by seq) filter (where event = 'ref'), '[]')
        )
        from private.run_events where run_id = run.id
      ))
      from public.runs as run
      -- It may have lived on while we waited.
      where run.id = _due and state = 'running' and heartbeat_at < now() - interval '1 minute';
      _swept := _swept + found::integer;
    exception
      -- A wallet that disagrees with itself is left to whoever looks into it.
      when sqlstate 'SC007' then raise warning '%', sqlerrm;
    end;
  end loop;
  return _swept;
end
$$;

--
-- Name: FUNCTION sweep_runs(_limit integer, _user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.sweep_runs(_limit integer, _user_id uuid) IS 'Ends answers whose process has not been heard of for a minute, with their text so far and at no cost; answers how many.';

--
-- Name: tables_about_contacts(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.tables_about_contacts() RETURNS TABLE(name text, is_erased boolean)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
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

--
-- Name: FUNCTION tables_about_contacts(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.tables_about_contacts() IS 'The tables that browsers read whose rows are about a contact, and whether they go with it.';

--
-- Name: take(uuid, public.credit_entry_kind, public.credit_account, text, uuid[], bigint[], text, text, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.take(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text DEFAULT NULL::text, _ref_id text DEFAULT NULL::text, _reason text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
begin
  perform private.book(
    _user_id, _kind, _account, _idempotency_key, _lot_ids,
    (select array_agg(-amount order by part) from unnest(_amounts) with ordinality as parts (amount, part)),
    _ref_type, _ref_id, null, _reason
  );
  update public.credit_lots set remaining = remaining - parts.amount
  from unnest(_lot_ids, _amounts) as parts (lot_id, amount)
  where id = parts.lot_id;
  update public.credit_wallets
  set balance = balance - (select sum(amount) from unnest(_amounts) as amount), updated_at = now()
  where user_id = _user_id;
end
$$;

--
-- Name: FUNCTION take(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _reason text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.take(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _reason text) IS 'Takes spendable credits out of lots of a locked wallet, for good.';

--
-- Name: take_early_bird_seat(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.take_early_bird_seat(_user_id uuid, _email text) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- Two confirmations of one mailbox at once: the second waits, and sees the first.
  perform pg_advisory_xact_lock(hashtextextended('early bird ' || encode(private.mailbox(_email), 'hex'), 0));
  update private.early_bird_seats set user_id = _user_id, taken_at = now(), mailbox = private.mailbox(_email)
  where seat = (
    select seat from private.early_bird_seats where user_id is null order by seat limit 1 for update skip locked
  ) and not exists (
    select from private.early_bird_seats where user_id = _user_id or mailbox = private.mailbox(_email)
  );
  if found then
    perform private.grant_credits(_user_id, private.early_bird_credits(), 'bonus', 'promo', 'early-bird');
  end if;
  return found;
end
$$;

--
-- Name: FUNCTION take_early_bird_seat(_user_id uuid, _email text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.take_early_bird_seat(_user_id uuid, _email text) IS 'Gives the account a free early-bird seat and its credits; false when none is left, or its person has one already.';

--
-- Name: term_patterns(private.document_term[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.term_patterns(_terms private.document_term[]) RETURNS text[]
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select array_agg(pattern order by weight desc, term)
  from (
    select term, max(weight) as weight, private.words_pattern(array_agg(word)) as pattern from unnest(_terms) group by term
  ) as patterns
$$;

--
-- Name: FUNCTION term_patterns(_terms private.document_term[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.term_patterns(_terms private.document_term[]) IS 'How to find each of what was typed in a text, the rarest first.';

--
-- Name: text_words(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.text_words(_text text) RETURNS SETOF text
    LANGUAGE sql STABLE STRICT
    SET search_path TO ''
    AS $_$
  with joined as materialized (
    select private.joined_lines(_text) as text
  ), codes as materialized (
    select code from joined, private.document_codes(joined.text)
  ), words as (
    select unnest(string_to_array(private.search_text(joined.text), ' ')) as word from joined
    union
    select code from codes
    union
    -- The whole part of 1.234,50: who types 1234 means it.
    select regexp_replace(split_part(written, ',', 1), '[.]', '', 'g')
    from joined, private.document_codes(joined.text) where written ~ '^[0-9]{1,3}([.][0-9]{3})+,[0-9]{2}$'
  )
  select private.content_words(array(select word from words))
  union
  -- A VAT number with and without its country.
  select substr(word, 3) from words where word ~ '^it[0-9]{11}$'
$_$;

--
-- Name: FUNCTION text_words(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.text_words(_text text) IS 'The words by which a text is found, each once.';

--
-- Name: try_import_row(public.import_batches, jsonb, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.try_import_row(_batch public.import_batches, _row jsonb, _match text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _outcome text;
  _message text;
begin
  begin
    _outcome := private.import_row(_batch, _row, _match);
  exception
    when sqlstate 'SC032' then
      _outcome := 'failed';
      _message := sqlerrm;
    when integrity_constraint_violation or data_exception then
      _outcome := 'failed';
      _message := 'Un valore è troppo lungo o non si può leggere';
  end;
  insert into private.import_rows (batch_id, row_number, outcome, message)
    values (_batch.id, (_row ->> 'row')::integer, _outcome, _message);
end
$$;

--
-- Name: FUNCTION try_import_row(_batch public.import_batches, _row jsonb, _match text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.try_import_row(_batch public.import_batches, _row jsonb, _match text) IS 'Imports one row in a savepoint of its own, and notes what became of it.';

--
-- Name: turn_document(uuid, jsonb); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.turn_document(_document_id uuid, _before jsonb) RETURNS void
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  update public.documents
  set supplier = private.about(said, user_id), contact_suggestion = null, contact_reason = null
  from (
    select coalesce(jsonb_object_agg(key, value), '{}') as said from public.document_fields
    where document_id = _document_id
  ) as now
  where id = _document_id and private.is_of_owner(said, user_id) <> private.is_of_owner(_before, user_id)
$$;

--
-- Name: FUNCTION turn_document(_document_id uuid, _before jsonb); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.turn_document(_document_id uuid, _before jsonb) IS 'A paper that is not any more of whom it was by its fields of before ({key: value}) is about the other side.';

--
-- Name: turn_limits(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.turn_limits(_plan text) RETURNS TABLE(span interval, most integer)
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$
  values
    (interval '1 minute', 20),
    (interval '1 hour', case _plan when 'free' then 100 when 'starter' then 500 else 2000 end),
    (interval '1 day', case _plan when 'free' then 1000 when 'starter' then 5000 else 20000 end)
$$;

--
-- Name: FUNCTION turn_limits(_plan text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.turn_limits(_plan text) IS 'How many turns fit into which time.';

--
-- Name: turn_of(uuid, uuid, boolean); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.turn_of(_user_id uuid, _answer uuid, _repeated boolean) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_build_object(
    'conversation_id', conversation_id, 'user_message_id', messages.parent_id, 'message_id', messages.id,
    'run_id', runs.id, 'hold_id', messages.hold_id, 'quote', messages.quote,
    'uses_memory', conversations.uses_memory, 'auto_approve', to_jsonb(conversations.auto_approve), 'repeated', _repeated
  )
  from public.messages
  join public.runs using (user_id, conversation_id)
  join public.conversations on conversations.user_id = messages.user_id and conversations.id = conversation_id
  where messages.user_id = _user_id and messages.id = _answer and runs.message_id = _answer
$$;

--
-- Name: FUNCTION turn_of(_user_id uuid, _answer uuid, _repeated boolean); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.turn_of(_user_id uuid, _answer uuid, _repeated boolean) IS 'What begin_turn answers of a turn; null if there is none.';

--
-- Name: undo_change(jsonb, timestamp with time zone); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.undo_change(_change jsonb, _since timestamp with time zone) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _now jsonb;
  _back jsonb;
  _over jsonb;
  _is_whole boolean;
begin
  execute format(
    'select to_jsonb(t) from public.%I as t where %s for update', _change ->> 'table', private.row_filter(_change -> 'key')
  ) into _now;
  if _now is null then
    return false;
  end if;
  select jsonb_object_agg(key, _change -> 'before' -> key) filter (where _now -> key = value),
    jsonb_object_agg(key, value) filter (where _now -> key <> value)
  into _back, _over
  from jsonb_each(_change -> 'after');
  -- A contact is put back field by field; anything else is one statement, whole or not at all.
  if _change ->> 'table' <> 'contacts' and _over is not null then
    return private.hand_back(_now, _change, _change -> 'after', _since);
  end if;
  select coalesce(bool_and(private.hand_back(_now, _change, jsonb_build_object(key, value), _since)), true) into _is_whole
  from jsonb_each(_over);
  -- Erasing a company would have left the field empty.
  if _back ->> 'company_id' is not null and not exists (
    select from public.contacts where user_id = (_now ->> 'user_id')::uuid and id = (_back ->> 'company_id')::uuid
  ) then
    _back := _back || '{"company_id": null}';
  end if;
  if _back is not null then
    perform private.change_row(_change ->> 'table', _change -> 'key', _back);
  end if;
  return _is_whole;
exception
  -- Its place was taken since, or what it was fits no more: what is there now stays.
  when integrity_constraint_violation then
    return false;
end
$$;

--
-- Name: FUNCTION undo_change(_change jsonb, _since timestamp with time zone); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.undo_change(_change jsonb, _since timestamp with time zone) IS 'Puts back what still is as a change of that time left it; what a later merge or import wrote over, that one puts back. False where something was changed by hand since, and stays.';

--
-- Name: import_changes; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.import_changes (
    user_id uuid NOT NULL,
    batch_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    is_new boolean NOT NULL,
    changes jsonb DEFAULT '[]'::jsonb NOT NULL,
    added jsonb DEFAULT '[]'::jsonb NOT NULL,
    fingerprint text,
    changed_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE import_changes; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.import_changes IS 'What an import did to each contact, to undo it.';

--
-- Name: COLUMN import_changes.fingerprint; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON COLUMN private.import_changes.fingerprint IS 'Who was added or taken out of the trash and all they have, as the import left it.';

--
-- Name: undo_import_of(private.import_changes); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.undo_import_of(_change private.import_changes) RETURNS boolean
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $_$
declare
  _entry jsonb;
  _now jsonb;
  _key jsonb;
  -- Out of the trash, and used since: it does not go back.
  _is_needed constant boolean := _change.changes @? '$[*].after.deleted_at' and (
    _change.fingerprint is distinct from (
      select fingerprint from private.contact_fingerprints(_change.user_id, array[_change.contact_id])
    )
    or exists (
      select from public.contacts where user_id = _change.user_id and merged_into = _change.contact_id
      union all
      select from public.contacts
      where user_id = _change.user_id and company_id = _change.contact_id and deleted_at is null
        and import_batch_id is distinct from _change.batch_id
    )
  );
  _whole boolean := not _is_needed;
begin
  for _entry in select value from jsonb_array_elements(_change.changes) with ordinality order by ordinality desc loop
    if _entry -> 'after' ? 'deleted_at' then
      -- Thirty days from now on.
      _entry := case
        when _is_needed then _entry #- '{after,deleted_at}'
        else jsonb_set(_entry, '{before,deleted_at}', to_jsonb(now()))
      end;
    end if;
    _whole := private.undo_change(_entry, _change.changed_at) and _whole;
  end loop;
  for _entry in select value from jsonb_array_elements(_change.added) loop
    _key := case
      when _entry -> 'row' ? 'id' then jsonb_build_object('id', _entry -> 'row' -> 'id')
      else jsonb_build_object('contact_id', _entry -> 'row' -> 'contact_id', 'tag_id', _entry -> 'row' -> 'tag_id')
    end;
    execute format('select to_jsonb(t) from public.%I as t where %s', _entry ->> 'table', private.row_filter(_key)) into _now;
    if _now = _entry -> 'row' then
      execute format('delete from public.%I where %s', _entry ->> 'table', private.row_filter(_key));
      if _entry ->> 'table' = 'consents' then
        -- The proof that it was noted stays; this one says why it does not count.
        insert into public.consent_events (user_id, contact_id, channel, purpose, state, source)
        select user_id, contact_id, channel, purpose, 'non_richiesto', 'Importazione annullata'
        from jsonb_populate_record(null::public.consents, _now);
      end if;
    elsif _now is not null then
      _whole := false;
    end if;
  end loop;
  return _whole;
end
$_$;

--
-- Name: FUNCTION undo_import_of(_change private.import_changes); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.undo_import_of(_change private.import_changes) IS 'Gives a contact that an import changed its former values; false where something was changed since, and stays.';

--
-- Name: unmemorable(text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.unmemorable(_text text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select case
    when _text ~* '\m(passwords?|passwd|passphrase|pin|cvv|cvc|otp|api key|chiave privata|codice segreto|credenziali)\M'
      then 'segreti'
    when _text ~* '\m[a-z]{2}[0-9]{2}( ?[a-z0-9]){11,30}\M' and _text ~ '([0-9] ?){8}'
      or _text ~ '\m[0-9]{4}([ -]?[0-9]{4}){2}[ -]?[0-9]{3,4}\M'
      then 'conto'
    when _text ~* ('\m(diabet|tumor[ei]\M|cancro\M|oncolog|chemio|depress[oai]\M|depressione|psichiatr|psicoterap|hiv\M|aids\M'
      || '|epiless|sclerosi|gravidanz|incinta|aborto|invalidità civile|disabil|handicap|malat[oa]\M|malattia|infarto|ictus\M'
      || '|alcolis|alcolizzat|tossicodipenden|celiac|bipolare|anoress|bulimi|autis)')
      then 'salute'
    when _text ~* ('\m(cattolic|protestant[ei]\M|musulman|islamic|ebre[oai]\M|ebraic|testimon[ei] di geova|buddist|induist|ate[oa]\M'
      || '|sindacalist|sindacat[oi]\M|cgil\M|cisl\M|partito (democratico|politico|comunista)|vota (per|a|il|la|lega|pd)\M'
      || '|omosessual|lesbic|gay\M|bisessual|transgender)')
      then 'convinzioni'
  end
$$;

--
-- Name: FUNCTION unmemorable(_text text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.unmemorable(_text text) IS 'Why a text must not be remembered: secrets, accounts, health, or beliefs (GDPR art. 9); null when it may.';

--
-- Name: used_this_month(uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.used_this_month(_user_id uuid) RETURNS bigint
    LANGUAGE sql STABLE
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
  select coalesce(-sum(amount), 0)::bigint
  from public.credit_ledger
  where user_id = _user_id and kind = 'settle'
    and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
$$;

--
-- Name: FUNCTION used_this_month(_user_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.used_this_month(_user_id uuid) IS 'Credits that work has used since the month began in Italy.';

--
-- Name: welcome_account(uuid, text); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.welcome_account(_user_id uuid, _email text) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
  if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
    update public.notifications
    set message = format(
      'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
      private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
    )
    where user_id = _user_id and title = 'Ti diamo il benvenuto in Socio';
  end if;
end
$$;

--
-- Name: FUNCTION welcome_account(_user_id uuid, _email text); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.welcome_account(_user_id uuid, _email text) IS 'Grants the welcome credits of a confirmed account, and the early bird''s while seats are free; once.';

--
-- Name: welcome_credits(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.welcome_credits() RETURNS bigint
    LANGUAGE sql IMMUTABLE
    SET search_path TO ''
    AS $$select 100::bigint$$;

--
-- Name: FUNCTION welcome_credits(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.welcome_credits() IS 'How many credits a new account receives.';

--
-- Name: welcome_user(); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.welcome_user() RETURNS trigger
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.open_account(new.id, new.raw_user_meta_data);
  if new.email_confirmed_at is not null or new.phone_confirmed_at is not null then
    perform private.welcome_account(new.id, case when new.email_confirmed_at is not null then new.email end);
  end if;
  return null;
end
$$;

--
-- Name: FUNCTION welcome_user(); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.welcome_user() IS 'Opens the account on sign-up and grants the welcome credits on confirmation.';

--
-- Name: withdraw_order(uuid, uuid); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.withdraw_order(_user_id uuid, _order_id uuid) RETURNS TABLE(id uuid, order_id uuid, amount_cents bigint, credits bigint, state public.order_refund_state, created_at timestamp with time zone, is_new boolean)
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _order public.credit_orders;
  _refund public.order_refunds;
  _is_new boolean;
  _worth_cents bigint;
  _amount_cents bigint;
begin
  select * into _order from public.credit_orders as orders
  where orders.id = _order_id and orders.user_id = _user_id for update;
  if not found then
    return;
  end if;
  select * into _refund from public.order_refunds as refunds where refunds.order_id = _order_id;
  _is_new := not found;
  if _is_new then
    if _order.state = 'disputed' then
      raise exception 'the payment of order % is disputed', _order_id using errcode = 'SC015';
    end if;
    if _order.state <> 'fulfilled' then
      raise exception 'order % is %', _order_id, _order.state using errcode = 'SC011';
    end if;
    -- To the end of the thirtieth day in Italy.
    if (now() at time zone 'Europe/Rome')::date > (_order.paid_at at time zone 'Europe/Rome')::date + 30 then
      raise exception 'order % was paid at %', _order_id, _order.paid_at using errcode = 'SC012';
    end if;
    -- What Stripe has given back is not owed again: its credits go first, if they were held when it was told.
    if _order.refunded_cents > 0 then
      perform private.settle_order(_order);
    end if;
    _worth_cents := private.refundable(_order_id);
    -- A consumer who never asked for the credits at once owes nothing for those used in the legal fourteen days.
    if _order.consumer and _order.withdrawal_waiver_at is null
      and (now() at time zone 'Europe/Rome')::date <= (_order.paid_at at time zone 'Europe/Rome')::date + 14
    then
      _worth_cents := _order.amount_cents;
    end if;
    -- Held credits may come back: nobody can say yet that nothing is left.
    if exists (select from public.credit_lots as lots where lots.order_id = _order_id and lots.held > 0) then
      raise exception 'credits of order % are held', _order_id using errcode = 'SC006';
    end if;
    _amount_cents := least(_worth_cents, _order.amount_cents - _order.taken_cents);
    if _amount_cents <= 0 then
      raise exception 'nothing of order % is unused', _order_id using errcode = 'SC013';
    end if;
    insert into public.order_refunds (order_id, amount_cents, credits)
      values (_order_id, _amount_cents, private.refund_order(_order_id, _amount_cents, 'withdrawal:' || _order_id))
      returning * into _refund;
    update public.credit_orders as orders set withdrawn_at = now(), taken_cents = orders.taken_cents + _amount_cents
    where orders.id = _order_id;
    insert into public.fiscal_documents (order_id, kind, amount_cents, reference)
      values (_order_id, 'credit_note', _amount_cents, 'withdrawal');
  end if;
  return query select
    _refund.id, _refund.order_id, _refund.amount_cents, _refund.credits, _refund.state, _refund.created_at, _is_new;
end
$$;

--
-- Name: FUNCTION withdraw_order(_user_id uuid, _order_id uuid); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.withdraw_order(_user_id uuid, _order_id uuid) IS 'Ends the contract: takes what is unused and owes its price back, once, and says whether it was this call; no row for an order of somebody else.';

--
-- Name: word_beginnings(text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.word_beginnings(_words text[]) RETURNS text[]
    LANGUAGE sql STABLE STRICT
    SET search_path TO ''
    AS $_$
  -- Up to where its stem goes: «fattura» marks «fatture» as well.
  select array_agg(
    regexp_replace(private.words_pattern(array[
      case when starts_with(word, stem) then stem else word end
    ]), '\(\?!\[\[:alnum:\]\]\)$', '[[:alnum:]]*') order by char_length(word) desc, word
  )
  from (
    select word, coalesce((ts_lexize('pg_catalog.italian_stem', word))[1], word) as stem from unnest(_words) as word
  ) as typed
$_$;

--
-- Name: FUNCTION word_beginnings(_words text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.word_beginnings(_words text[]) IS 'Regular expressions (flag i) for words that begin as these, the longest first.';

--
-- Name: words_pattern(text[]); Type: FUNCTION; Schema: private; Owner: -
--

CREATE FUNCTION private.words_pattern(_words text[]) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  -- Words of search_text() are letters and digits; a code may be written with something between its parts.
  select '(?<![[:alnum:]])(?:' || string_agg(
    case when word ~ '^[0-9]{11}$' then '(?:it)?' else '' end
    || case when word ~ '[0-9]' and char_length(word) > 3
      then regexp_replace(left(word, -1), '(.)', E'\\1[ .,/''\u2019-]?', 'g') || right(word, 1)
      else replace(replace(replace(replace(replace(replace(replace(
        -- S.r.l.
        case when char_length(word) < 7 then regexp_replace(word, '(.)(?=.)', '\1[.]?', 'g') else word end,
        'a', '[aàáâãäåÀÁÂÃÄÅ]'), 'e', '[eèéêëÈÉÊË]'), 'i', '[iìíîïÌÍÎÏ]'), 'o', '[oòóôõöÒÓÔÕÖ]'),
        'u', '[uùúûüÙÚÛÜ]'), 'c', '[cçÇ]'), 'n', '[nñÑ]')
    end, '|' order by char_length(word) desc, word
  ) || ')(?![[:alnum:]])'
  from unnest(_words) as word
$_$;

--
-- Name: FUNCTION words_pattern(_words text[]); Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON FUNCTION private.words_pattern(_words text[]) IS 'A regular expression (flag i) that finds these words as they may be written.';

--
-- Name: add_demo_data(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.add_demo_data() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := auth.uid();
begin
  -- Two clicks at once: the second waits here and finds the data of the first.
  perform pg_advisory_xact_lock(hashtextextended('demo data ' || _user_id, 0));
  if not exists (select from private.demo_rows where user_id = _user_id) then
    perform private.add_demo_contacts(_user_id);
    perform private.add_demo_details(_user_id);
    perform private.add_demo_deals(_user_id);
    perform private.add_demo_tasks(_user_id);
  end if;
  return private.count_demo(_user_id);
end
$$;

--
-- Name: FUNCTION add_demo_data(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.add_demo_data() IS 'Gives the caller the demo data, once; answers how many rows of which table there are.';

--
-- Name: is_rrule(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.is_rrule(_rrule text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  select _rrule ~ 'FREQ=' and not (_rrule ~ 'UNTIL=' and _rrule ~ 'COUNT=')
    -- Weeks name days («MO,FR»), months either days («15», «-1») or a first Monday («1MO»); the others follow the date.
    and (_rrule !~ 'BYDAY=' or _rrule ~ 'FREQ=WEEKLY' and _rrule !~ 'BYDAY=[^;]*[0-9]'
      or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=([^;]*,)?[A-Z]')
    and (_rrule !~ 'BYMONTHDAY=' or _rrule ~ 'FREQ=MONTHLY' and _rrule !~ 'BYDAY=')
    and (
      select bool_and(part ~ concat(
          '^(FREQ=(DAILY|WEEKLY|MONTHLY|YEARLY)|(INTERVAL|COUNT)=[1-9][0-9]{0,2}',
          '|BYDAY=(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)(,(-?[1-5])?(MO|TU|WE|TH|FR|SA|SU)){0,34}',
          '|BYMONTHDAY=-?([1-9]|[12][0-9]|3[01])(,-?([1-9]|[12][0-9]|3[01])){0,30}',
          '|UNTIL=2[01][0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])(T([01][0-9]|2[0-3])[0-5][0-9][0-5][0-9]Z?)?)$'
        ))
        and count(*) = count(distinct split_part(part, '=', 1))
      from regexp_split_to_table(_rrule, ';') as part
    )
    and coalesce((
      -- The day of UNTIL exists.
      select substr(day, 7)::integer <= extract(day from
        make_date(left(day, 4)::integer, substr(day, 5, 2)::integer, 1) + interval '1 month - 1 day')
      from substring(_rrule from 'UNTIL=(2[01][0-9]{2}(?:0[1-9]|1[0-2])[0-9]{2})') as day
      where day is not null
    ), true)
$_$;

--
-- Name: FUNCTION is_rrule(_rrule text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.is_rrule(_rrule text) IS 'Whether a text is a recurrence we keep: the subset of RFC 5545 with FREQ, INTERVAL, BYDAY, BYMONTHDAY, UNTIL or COUNT.';

--
-- Name: tasks; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tasks (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    project_id uuid,
    parent_id uuid,
    title public.single_line NOT NULL,
    notes text,
    state public.task_state DEFAULT 'da_fare'::public.task_state NOT NULL,
    priority smallint DEFAULT 0 NOT NULL,
    due_at timestamp with time zone,
    due_is_allday boolean DEFAULT true NOT NULL,
    someday boolean DEFAULT false NOT NULL,
    remind_at timestamp with time zone[] DEFAULT '{}'::timestamp with time zone[] NOT NULL,
    rrule text,
    repeat_from public.task_repeat_from DEFAULT 'scadenza'::public.task_repeat_from NOT NULL,
    series_id uuid,
    previous_id uuid,
    contact_id uuid,
    deal_id uuid,
    waiting_for uuid,
    "position" text DEFAULT '!'::text NOT NULL COLLATE pg_catalog."C",
    completed_at timestamp with time zone,
    origin text DEFAULT 'manuale'::text NOT NULL,
    deleted_at timestamp with time zone,
    reminded_at timestamp with time zone,
    next_remind_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT done_has_its_time CHECK (((state = 'fatto'::public.task_state) = (completed_at IS NOT NULL))),
    CONSTRAINT due_at_is_in_our_time CHECK (((due_at >= '2000-01-01 00:00:00+00'::timestamp with time zone) AND (due_at < '2200-01-01 00:00:00+00'::timestamp with time zone))),
    CONSTRAINT notes_fit CHECK (((char_length(notes) >= 1) AND (char_length(notes) <= 20000))),
    CONSTRAINT origin_is_a_name CHECK ((origin ~ '^[a-z_]{1,30}$'::text)),
    CONSTRAINT position_is_a_key CHECK ((("position" ~ '^[!-~]+$'::text) AND (char_length("position") <= 500))),
    CONSTRAINT priority_is_a_step CHECK (((priority >= 0) AND (priority <= 3))),
    CONSTRAINT reminders_are_few CHECK (((cardinality(remind_at) <= 10) AND (array_position(remind_at, NULL::timestamp with time zone) IS NULL))),
    CONSTRAINT rrule_is_one CHECK (((char_length(rrule) <= 500) AND public.is_rrule(rrule))),
    CONSTRAINT someday_has_no_date CHECK (((NOT someday) OR (due_at IS NULL)))
);

--
-- Name: TABLE tasks; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.tasks IS 'What is to be done; subtasks are tasks with a parent.';

--
-- Name: COLUMN tasks.due_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.due_at IS 'When it is due; of an all-day task midnight in Europe/Rome, whatever was written.';

--
-- Name: COLUMN tasks.rrule; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.rrule IS 'How it repeats (public.is_rrule), on the clock of Europe/Rome; COUNT is what is left of it.';

--
-- Name: COLUMN tasks.series_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.series_id IS 'The first task of the series; the same for all that follow.';

--
-- Name: COLUMN tasks.previous_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.previous_id IS 'The occurrence whose completion made this one.';

--
-- Name: COLUMN tasks."position"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks."position" IS 'Place in lists ordered by hand: a fractional key, compared byte by byte. Without one a task comes first in its column, a subtask last.';

--
-- Name: COLUMN tasks.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.deleted_at IS 'In the trash since, with its subtasks.';

--
-- Name: COLUMN tasks.updated_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.tasks.updated_at IS 'When its content changed last; a new position alone is no change.';

--
-- Name: add_subtasks(uuid, text[]); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.add_subtasks(_parent uuid, _titles text[]) RETURNS SETOF public.tasks
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _task public.tasks;
  _last text;
begin
  select * into _task from public.tasks where id = _parent and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if cardinality(_titles) > 100 then
    raise exception 'Al massimo 100 sottoattività alla volta' using errcode = '22023';
  end if;
  select max(position) into _last from public.tasks
    where user_id = _task.user_id and parent_id = _parent and deleted_at is null;
  if _last is not null and public.place_of(_last) is null then
    -- No key comes after such a one: all are numbered anew.
    with numbered as (
      update public.tasks set position = public.position_at(place)
      from (
        select id as step_id, row_number() over (order by position, id)::integer - 1 as place
        from public.tasks where user_id = _task.user_id and parent_id = _parent and deleted_at is null
      ) as steps
      where user_id = _task.user_id and id = step_id
      returning position
    )
    select max(position) into _last from numbered;
  end if;
  return query
  insert into public.tasks (user_id, project_id, parent_id, contact_id, deal_id, title, position)
    select _task.user_id, _task.project_id, _parent, _task.contact_id, _task.deal_id, left(title, 200),
      public.position_at(coalesce(public.place_of(_last), -1) + place::integer)
    from unnest(_titles) with ordinality as line (text, place), lateral (
      select btrim(regexp_replace(
        regexp_replace(text, '[[:cntrl:][:space:]]+', ' ', 'g'), '^ ?([-*•–]|[0-9]{1,3}[.)])? ?(\[[ xX]?\])? ', ''
      )) as title
    ) as cleaned
    where title <> ''
    returning *;
end
$$;

--
-- Name: FUNCTION add_subtasks(_parent uuid, _titles text[]); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.add_subtasks(_parent uuid, _titles text[]) IS 'Adds at most 100 subtasks at the end of a task''s, in the order of the titles; answers them. Raises PT404, 22023, 23514.';

--
-- Name: ask_documents(text, uuid, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ask_documents(_question text, _document_id uuid DEFAULT NULL::uuid, _limit integer DEFAULT 5) RETURNS TABLE(document_id uuid, filename text, page integer, quote text, word_from integer, word_to integer, rank real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := (select auth.uid());
  -- What questions are made of says nothing of what they ask for.
  _asked text := regexp_replace(private.search_text(left(_question, 400)), concat(
    '\m(quando|cosa|qual|quali|devo|deve|devono|dobbiamo|posso|puo|possiamo|vorrei|voglio|dimmi|mostra|mostrami|trova|',
    'trovami|sai|sapere|esiste|ce|va|vanno|ho|fare|fatto|documento|documenti)\M'
  ), ' ', 'g');
  _terms private.document_term[];
  _filter constant jsonb := jsonb_strip_nulls(jsonb_build_object('document_id', _document_id));
  _whole real;
begin
  if _question ~ '[0-9]' then
    -- Codes are read as they were typed.
    _asked := _question;
  end if;
  _terms := array(select fit from private.document_terms(_user_id, _asked) as fit);
  -- A word that no page holds was asked for as well, and is as rare as can be.
  select sum(weight) + (cardinality(array(select private.query_words(_asked))) - count(*)) * ln(1 + coalesce((
      select pages from private.document_words where user_id = _user_id and word = ''
    ), 0))
  into _whole
  from (select term, max(weight) as weight from unnest(_terms) group by term) as asked;
  if _user_id is null or _whole is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    )
    select documents.id, documents.filename::text, best.no, btrim(substr(
        on_page.line, on_page.starts[passage.word_from + 1],
        coalesce(on_page.starts[passage.word_to + 2], char_length(on_page.line) + 1) - on_page.starts[passage.word_from + 1]
      )), passage.word_from, passage.word_to, passage.score
    from (
      select document_pages.*
      from ranked join public.document_pages on document_pages.document_id = ranked.document_id and no = ranked.page
      where ranked.document_id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
      order by ranked.score desc, document_pages.document_id, no limit 20
    ) as best
    join public.documents on documents.user_id = _user_id and documents.id = best.document_id
    cross join lateral private.page_line(best.words, best.text) as on_page
    cross join lateral private.best_passage(on_page.line, on_page.starts, _terms) as passage
    where passage.score >= _whole / 5
    order by passage.score desc, documents.created_at desc, best.no limit least(greatest(_limit, 0), 20);
end
$$;

--
-- Name: FUNCTION ask_documents(_question text, _document_id uuid, _limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.ask_documents(_question text, _document_id uuid, _limit integer) IS 'The passages of the caller''s documents (or of one) that answer a question best, a few sentences each; none when too little of what was asked stands there.';

--
-- Name: begin_import(text, public.import_kind, integer, jsonb, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb DEFAULT NULL::jsonb, _rejected integer DEFAULT 0) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _id uuid;
begin
  -- What cannot be read is refused now, not at the first row.
  perform value::public.consent_channel from jsonb_array_elements_text(_consent -> 'channels') as value;
  perform (_consent ->> 'purpose')::public.consent_purpose, (_consent ->> 'state')::public.consent_state,
    (_consent ->> 'legal_basis')::public.single_line, (_consent ->> 'source')::public.single_line;
  if (_consent ->> 'at')::timestamptz > now() then
    raise exception 'a consent cannot be of tomorrow' using errcode = '22023';
  end if;
  insert into public.import_batches (user_id, file_name, kind, total, consent, rejected)
    values (auth.uid(), _file_name, _kind, _total, nullif(_consent, 'null'), _rejected)
    returning id into _id;
  return _id;
end
$$;

--
-- Name: FUNCTION begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb, _rejected integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb, _rejected integer) IS 'Opens an import of the caller and answers its id; _rejected rows of the file are not sent. Consent of the whole file: {channels: ["email"], purpose: "marketing", state: "dato", legal_basis, wording, source, at}; without a purpose «marketing», without a state «dato».';

--
-- Name: calendar_secret(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.calendar_secret() RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do nothing
      returning user_id
  )
  select secret from fresh, kept
$$;

--
-- Name: FUNCTION calendar_secret(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.calendar_secret() IS 'Opens the caller''s calendar feed and answers its secret; null when it is open already: the secret was shown then.';

--
-- Name: catalog(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.catalog() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_build_object(
    'version', edition.version,
    'plans', (
      select jsonb_agg(to_jsonb(plans) - '{version,position}'::text[] order by plans.position)
      from public.plans where plans.version = edition.version
    ),
    'packs', (
      select jsonb_agg(to_jsonb(packs) - '{version,position}'::text[] order by packs.position)
      from public.packs where packs.version = edition.version
    ),
    'credit_prices', (
      select jsonb_agg(to_jsonb(credit_prices) - '{version,position}'::text[] order by credit_prices.position)
      from public.credit_prices where credit_prices.version = edition.version
    ),
    'claims', (
      select jsonb_object_agg(claims.key, to_jsonb(claims) - '{version,key}'::text[])
      from public.claims where claims.version = edition.version
    )
  )
  from public.catalog_versions as edition
  where edition.published_at <= now()
  order by edition.published_at desc
  limit 1
$$;

--
-- Name: FUNCTION catalog(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.catalog() IS 'The catalogue in force, as one document.';

--
-- Name: complete_task(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.complete_task(_task_id uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _task public.tasks;
  _next public.tasks;
  _sequel record;
  _remind_at timestamptz[];
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state <> 'fatto' then
    update public.tasks set state = 'fatto'
      where user_id = _task.user_id and (id = _task_id or parent_id = _task_id)
        and state <> 'fatto' and deleted_at is null;
    select * into _sequel from public.task_sequel(_task);
    if found then
      _remind_at := array(
        select moment from unnest(_task.remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      );
      -- The one that was made by an earlier completion and thrown away comes back, with its subtasks.
      update public.tasks
        set deleted_at = null, due_at = _sequel.due_at, due_is_allday = _task.due_is_allday, remind_at = _remind_at,
          rrule = _sequel.rrule
        where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and deleted_at is not null;
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, remind_at,
          rrule, repeat_from, series_id, previous_id, contact_id, deal_id, waiting_for, position, origin)
        values (_task.user_id, _task.project_id, _task.parent_id, _task.title, _task.notes, _task.priority,
          _sequel.due_at, _task.due_is_allday, _remind_at, _sequel.rrule, _task.repeat_from, _task.series_id, _task_id,
          _task.contact_id, _task.deal_id, _task.waiting_for, _task.position, _task.origin)
        on conflict (user_id, previous_id) do nothing
        returning * into _next;
      -- Of a subtask that repeats only the last one: the ones before it are its past.
      insert into public.tasks (user_id, project_id, parent_id, title, notes, priority, due_at, due_is_allday, someday,
          remind_at, rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin)
        select user_id, project_id, _next.id, title, notes, priority,
          coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at), due_is_allday, someday, array(
            select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
            where moment is not null
          ), rrule, repeat_from, contact_id, deal_id, waiting_for, position, origin
        from public.tasks
        where user_id = _task.user_id and parent_id = _task_id and deleted_at is null and _next.id is not null
          and not exists (
            select from public.tasks as follower
            where follower.user_id = tasks.user_id and follower.previous_id = tasks.id and follower.deleted_at is null
          );
    end if;
  end if;
  -- The one made now, or by a click before this one.
  select * into _next from public.tasks
    where user_id = _task.user_id and previous_id = _task_id and deleted_at is null;
  return jsonb_build_object('completed', _task_id, 'next', case when found then to_jsonb(_next) end);
end
$$;

--
-- Name: FUNCTION complete_task(_task_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.complete_task(_task_id uuid) IS 'Finishes a task with its open subtasks and makes its next occurrence, subtasks and reminders included. Again it changes nothing and answers the same. Raises PT404.';

--
-- Name: confirm_field(uuid, text, text, integer, integer[], text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.confirm_field(_document_id uuid, _key text, _value text, _page integer DEFAULT NULL::integer, _box integer[] DEFAULT NULL::integer[], _label text DEFAULT NULL::text) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
  _said constant text := nullif(btrim(_value), '');
  _before constant jsonb := (
    select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
    where user_id = _document.user_id and document_id = _document_id
  );
  _field public.document_fields;
begin
  if exists (
    select from public.invoices
    where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa'
  ) then
    raise exception 'an electronic invoice says everything itself' using errcode = 'SC043';
  elsif _said is null and _key in ('number', 'issued_on', 'total') and exists (
    select from public.invoices where user_id = _document.user_id and document_id = _document_id
  ) then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  perform private.copy_field(_document_id, _key, _said);
  if _said is null then
    with gone as (
      delete from public.document_fields
      where user_id = _document.user_id and document_id = _document_id and key = _key
      returning key
    )
    update public.documents set removed_keys = removed_keys || key from gone where id = _document_id;
  else
    update public.documents set removed_keys = array_remove(removed_keys, _key)
    where id = _document_id and _key = any (removed_keys);
    insert into public.document_fields as field
      (user_id, document_id, key, value, confidence, page, box, label, source, confirmed_at)
    values (_document.user_id, _document_id, _key, _said, 1, _page, _box, left(_label, 200), 'persona', now())
    -- Confirmed as it was read it keeps its place; another value stands elsewhere.
    on conflict (document_id, key) do update set
      value = _said, confirmed_at = now(),
      source = case when field.value = _said then field.source else 'persona' end,
      confidence = case when field.value = _said then field.confidence else 1 end,
      page = coalesce(_page, case when field.value = _said then field.page end),
      box = coalesce(_box, case when field.value = _said then field.box end),
      label = coalesce(left(_label, 200), case when field.value = _said then field.label end)
    returning * into _field;
    perform private.learn_field(_document, _key, _field.label);
  end if;
  perform private.turn_document(_document_id, _before);
  perform private.follow_total(_document_id, _before);
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;

--
-- Name: FUNCTION confirm_field(_document_id uuid, _key text, _value text, _page integer, _box integer[], _label text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.confirm_field(_document_id uuid, _key text, _value text, _page integer, _box integer[], _label text) IS 'Says what a field of the caller''s document holds, and where it stands; null: nothing, whatever is read later. Remembers it for the supplier, calls the document ready when nothing is left to be confirmed, and registers it again if it was registered. PT404, SC041, SC043, 22023.';

--
-- Name: confirm_invoice(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.confirm_invoice(_document_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid;
begin
  -- An electronic invoice says everything itself.
  select id into _id from public.invoices
  where user_id = _document.user_id and document_id = _document_id and source = 'fatturapa' order by body_no limit 1;
  if found then
    return _id;
  end if;
  _id := private.register_scan(_document);
  if _id is null then
    raise exception 'an invoice has a number, a date and a total' using errcode = 'SC041';
  end if;
  return _id;
end
$$;

--
-- Name: FUNCTION confirm_invoice(_document_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.confirm_invoice(_document_id uuid) IS 'Makes an invoice with one day of payment of what is sure in a scan of the caller; answers the invoice. PT404, SC041.';

--
-- Name: contact_from_document(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.contact_from_document(_document_id uuid) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
  _id uuid := _document.contact_id;
begin
  if _id is null then
    _id := private.make_document_contact(_document);
    perform public.link_document_contact(_document_id, _id);
  end if;
  return _id;
end
$$;

--
-- Name: FUNCTION contact_from_document(_document_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.contact_from_document(_document_id uuid) IS 'Makes a contact of whom the caller''s document is from and links it; answers the contact, the same when asked again. PT404, SC042.';

--
-- Name: credit_forecast(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.credit_forecast() RETURNS TABLE(balance bigint, held bigint, used_30d bigint, per_day numeric, lasts_until date, next_expiry_at timestamp with time zone, next_expiry_credits bigint)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select overview.balance, overview.held, used.credits, used.per_day,
    case when used.per_day > 0 and overview.balance / used.per_day <= 366
      then (now() at time zone 'Europe/Rome')::date + floor(overview.balance / used.per_day)::integer
    end,
    overview.next_expiry_at, overview.next_expiry_credits
  from public.credit_overview() as overview
  cross join lateral (
    select coalesce(-sum(amount), 0)::bigint as credits,
      round(coalesce(-sum(amount), 0) / greatest(
        7, ceil(extract(epoch from now() - min(created_at)) / 86400)
      ), 2) as per_day
    from public.credit_ledger
    where user_id = (select auth.uid()) and kind = 'settle' and created_at >= now() - interval '30 days'
  ) as used
$$;

--
-- Name: FUNCTION credit_forecast(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.credit_forecast() IS 'The caller''s credits, what was used in thirty days, and until when they last at that pace; none for a visitor.';

--
-- Name: credit_overview(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.credit_overview() RETURNS TABLE(balance bigint, held bigint, next_expiry_at timestamp with time zone, next_expiry_credits bigint, next_expiry_extends boolean, used_this_month bigint, low_threshold integer, monthly_cap bigint)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select wallets.balance, wallets.held, next.expires_at, next.remaining, next.extends,
    (
      select coalesce(-sum(amount), 0)::bigint from public.credit_ledger
      where user_id = wallets.user_id and kind = 'settle'
        and created_at >= date_trunc('month', now() at time zone 'Europe/Rome') at time zone 'Europe/Rome'
    ),
    settings.low_threshold, settings.monthly_cap
  from public.credit_wallets as wallets
  join public.credit_settings as settings using (user_id)
  left join lateral (
    select min(expires_at) as expires_at, sum(remaining)::bigint as remaining,
      order_id is not null or kind = 'acquisto' as extends
    from public.credit_lots as lots
    where lots.user_id = wallets.user_id and remaining > 0 and expires_at is not null
    group by (expires_at at time zone 'Europe/Rome')::date, extends
    -- What is gone then is told before what lives on.
    order by (expires_at at time zone 'Europe/Rome')::date, extends
    limit 1
  ) as next on true
  where wallets.user_id = (select auth.uid())
$$;

--
-- Name: FUNCTION credit_overview(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.credit_overview() IS 'The figures of the caller''s wallet, one row; none for a visitor.';

--
-- Name: credit_statement(bigint, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.credit_statement(_before bigint DEFAULT NULL::bigint, _limit integer DEFAULT 50) RETURNS TABLE(id bigint, created_at timestamp with time zone, kind public.credit_entry_kind, account public.credit_account, amount bigint, balance_after bigint, ref_type text, ref_id text, reason text, lot_id uuid, lot_kind public.credit_lot_kind, lot_created_at timestamp with time zone, lot_expires_at timestamp with time zone, order_id uuid)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select ledger.id, ledger.created_at, ledger.kind, ledger.account, ledger.amount, ledger.balance_after,
    ledger.ref_type, ledger.ref_id, ledger.reason, lots.id, lots.kind, lots.created_at, lots.expires_at, lots.order_id
  from public.credit_ledger as ledger
  join public.credit_lots as lots on lots.user_id = ledger.user_id and lots.id = ledger.lot_id
  where ledger.user_id = (select auth.uid()) and (_before is null or ledger.id < _before)
  order by ledger.id desc
  limit least(_limit, 1000)
$$;

--
-- Name: FUNCTION credit_statement(_before bigint, _limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.credit_statement(_before bigint, _limit integer) IS 'The caller''s ledger, latest first: when, what, from which lot, how many credits, what was left.';

--
-- Name: document_counts(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.document_counts() RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with counted as (
    select kind, state, count(*) as times from public.documents
    where user_id = (select auth.uid()) and deleted_at is null group by kind, state
  )
  select jsonb_build_object(
    'kinds', (
      select coalesce(jsonb_object_agg(kind, times), '{}')
      from (select kind, sum(times) as times from counted group by kind) as kinds
    ),
    'states', (
      select coalesce(jsonb_object_agg(state, times), '{}')
      from (select state, sum(times) as times from counted group by state) as states
    ),
    'trash', (select count(*) from public.documents where user_id = (select auth.uid()) and deleted_at is not null)
  )
$$;

--
-- Name: FUNCTION document_counts(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.document_counts() IS 'How many documents the caller has: {kinds: {kind: n}, states: {state: n}, trash: n}; the first two without the trash.';

--
-- Name: document_hits(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.document_hits(_document_id uuid, _query text) RETURNS TABLE(page integer, word_from integer, word_to integer, box integer[])
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _pattern constant text := array_to_string(private.term_patterns(_terms), '|');
  _page record;
  _left integer := 500;
  _hits bigint;
begin
  for _page in
    select no, words, text
    from public.document_pages
    where document_pages.user_id = _user_id and document_pages.document_id = _document_id and exists (
      select from private.document_search
      where document_search.document_id = _document_id and document_search.page = no
        and lexemes && array(select lexeme from unnest(_terms))
    )
    order by no
  loop
    return query
      select _page.no, hit.word_from, hit.word_to, (
        select array[min((one ->> 1)::integer), min((one ->> 2)::integer), max((one ->> 3)::integer), max((one ->> 4)::integer)]
        from generate_series(hit.word_from, hit.word_to) as place, lateral (select _page.words -> place as one) as word
        having min((one ->> 1)::integer) is not null
      )
      from (
        select width_bucket(first, starts) - 1 as word_from, width_bucket(last, starts) - 1 as word_to
        from private.page_line(_page.words, _page.text) as on_page, private.places(line, _pattern) order by 1
      ) as hit
      limit _left;
    get diagnostics _hits = row_count;
    _left := _left - _hits;
    exit when _left = 0;
  end loop;
end
$$;

--
-- Name: FUNCTION document_hits(_document_id uuid, _query text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.document_hits(_document_id uuid, _query text) IS 'Where what search_documents() finds stands in one document of the caller, in reading order, five hundred places at most: words by their place in document_pages.words, from 0.';

--
-- Name: early_bird_seats(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.early_bird_seats() RETURNS integer
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$select count(user_id)::integer from private.early_bird_seats$$;

--
-- Name: FUNCTION early_bird_seats(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.early_bird_seats() IS 'How many of the hundred early-bird seats are taken.';

--
-- Name: stages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.stages (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    name public.single_line NOT NULL,
    "position" integer NOT NULL,
    probability smallint NOT NULL,
    kind public.stage_kind DEFAULT 'aperta'::public.stage_kind NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT probability_fits_the_stage CHECK (
CASE kind
    WHEN 'vinta'::public.stage_kind THEN (probability = 100)
    WHEN 'persa'::public.stage_kind THEN (probability = 0)
    ELSE ((probability >= 0) AND (probability <= 100))
END)
);

--
-- Name: TABLE stages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.stages IS 'The stages of an owner''s one pipeline, in the order of their position.';

--
-- Name: COLUMN stages.probability; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.stages.probability IS 'Per cent of the amount that a deal of this stage counts for.';

--
-- Name: ensure_stages(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.ensure_stages() RETURNS SETOF public.stages
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := auth.uid();
begin
  if not exists (select from public.stages where user_id = _user_id) then
    -- Two tabs at once: the second waits here and finds the stages of the first.
    perform pg_advisory_xact_lock(hashtextextended('stages ' || _user_id, 0));
    insert into public.stages (user_id, name, position, probability, kind)
    select _user_id, name, position, probability, kind::public.stage_kind
    from (values
      ('Contatto', 1, 10, 'aperta'), ('Qualificato', 2, 25, 'aperta'), ('Preventivo', 3, 50, 'aperta'),
      ('Trattativa', 4, 75, 'aperta'), ('Vinta', 5, 100, 'vinta'), ('Persa', 6, 0, 'persa')
    ) as first (name, position, probability, kind)
    where not exists (select from public.stages where user_id = _user_id);
  end if;
  return query select * from public.stages where user_id = _user_id order by position;
end
$$;

--
-- Name: FUNCTION ensure_stages(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.ensure_stages() IS 'The caller''s stages in their order; the six usual ones are made at the first call.';

--
-- Name: erase_contact(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.erase_contact(_contact_id uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
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
  -- That there was a merge stays in the timeline of the other.
  update public.merge_log set loser_name = 'un contatto cancellato', changes = '[]'
  where user_id = _user_id and loser_id = _contact_id;
  delete from public.contacts where user_id = _user_id and id = _contact_id;
  return jsonb_build_object('contact_id', _contact_id, 'erased', _erased, 'kept', _kept);
end
$_$;

--
-- Name: FUNCTION erase_contact(_contact_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.erase_contact(_contact_id uuid) IS 'Erases one contact of the caller for good, and what was merged into it; PT404 if it is none. Answers how many rows of which table went with it, and how many stay without it: the proof of consents, and work such as deals and tasks.';

--
-- Name: export_contact(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.export_contact(_contact_id uuid) RETURNS jsonb
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
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
       from public.%I as one where user_id = $1 and (contact_id = $2 %s)', _table,
      -- Who is waited for is as much part of a task as whom it is for; what was thrown away is not kept to be read.
      case _table when 'tasks' then 'or waiting_for = $2' when 'notes' then 'and deleted_at is null'
        when 'drafts' then 'and deleted_at is null' end
    ) into _rows using _user_id, _contact_id;
    _export := _export || jsonb_build_object(_table, _rows);
  end loop;
  return _export;
end
$_$;

--
-- Name: FUNCTION export_contact(_contact_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.export_contact(_contact_id uuid) IS 'All that is kept about one contact of the caller, table by table; PT404 if it is none.';

--
-- Name: find_duplicates(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.find_duplicates(_limit integer DEFAULT 50) RETURNS TABLE(a_id uuid, b_id uuid, score numeric, reasons text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    SET enable_nestloop TO 'off'
    AS $$
  -- Those without a number are left out by name: a hash join would compare them all with each other.
  with mine as materialized (
    select id, type, company_id, vat_number, tax_code, lower(pec) as pec, plain, sorted,
      -- What is heard, not how it is written: no vowels, no doubled letters, no h.
      regexp_replace(regexp_replace(sorted, '[aeiouh]', '', 'g'), '(.)\1+', '\1', 'g') as sound
    from public.contacts,
      lateral (select private.plain_name(name) as plain) as names,
      lateral (select array_to_string(array(select unnest(string_to_array(plain, ' ')) order by 1), ' ') as sorted) as words
    where user_id = (select auth.uid()) and merged_into is null and deleted_at is null
  ), words as materialized (
    -- In one company or at one domain a name is alike only if a word of it is the same.
    select id, block, reason, word
    from (
      select id, company_id::text as block, 'azienda' as reason from mine where company_id is not null
      union
      select contact_id, split_part(norm, '@', 2), 'dominio'
      from public.contact_emails
      where user_id = (select auth.uid()) and split_part(norm, '@', 2) <> all (private.shared_mail_domains())
    ) as blocks
    join mine using (id), unnest(string_to_array(sorted, ' ')) as word
    where char_length(word) > 2
  ), neighbours as materialized (
    select distinct a.id as a_id, b.id as b_id, a.reason
    from words as a join words as b on b.block = a.block and b.word = a.word and a.id < b.id
  ), pairs as (
    select a.id as a_id, b.id as b_id, 'codice_fiscale' as reason, 0.97 as weight
    from mine as a join mine as b on b.tax_code = a.tax_code and b.type = a.type and a.id < b.id
    where a.tax_code is not null and b.tax_code is not null
    union all
    select a.id, b.id, 'partita_iva', 0.9
    from mine as a join mine as b on b.vat_number = a.vat_number and b.type = a.type and a.id < b.id
    where a.vat_number is not null and b.vat_number is not null
    union all
    select a.id, b.id, 'pec', 0.8
    from mine as a join mine as b on b.pec = a.pec and b.type = a.type and a.id < b.id
    where a.pec is not null and b.pec is not null
    union all
    select least(a.id, b.id), greatest(a.id, b.id), 'email', 0.8
    from mine as a
    join public.contact_emails as emails on emails.user_id = (select auth.uid()) and emails.norm = a.pec
    join mine as b on b.id = emails.contact_id and b.type = a.type and b.id <> a.id
    union all
    select a.id, b.id, case when a.sorted = b.sorted then 'nome' else 'nome_simile' end,
      case when a.sorted = b.sorted then 0.6 else 0.5 * extensions.similarity(a.plain, b.plain)::numeric end
    from mine as a join mine as b on b.sound = a.sound and b.type = a.type and a.id < b.id
    where a.sorted ~ ' |.{6}' and extensions.similarity(a.plain, b.plain) >= 0.55
    union all
    select near.a_id, near.b_id, unnest(array[near.reason, 'nome_simile']), 0.5 * likeness
    from (
      select neighbours.*, extensions.similarity(a.plain, b.plain)::numeric as likeness
      from neighbours join mine as a on a.id = neighbours.a_id join mine as b on b.id = neighbours.b_id and b.type = a.type
    ) as near
    where likeness >= 0.55
  ), signs as (
    -- Two companies at one domain are told once; the same name is more than a similar one.
    select pairs.a_id, pairs.b_id, case when reason like 'nome%' then 'nome' else reason end as family,
      min(reason) as reason, max(weight) as weight
    from pairs group by 1, 2, 3
  )
  select signs.a_id, signs.b_id, round(1 - exp(sum(ln(1 - weight)))::numeric, 2), array_agg(reason order by weight desc, reason)
  from signs
  where not exists (
    select from public.contact_distinct as distinct_pairs
    where distinct_pairs.user_id = (select auth.uid())
      and distinct_pairs.a_id = signs.a_id and distinct_pairs.b_id = signs.b_id
  )
  group by 1, 2
  order by 3 desc, 1, 2
  limit least(_limit, 500)
$$;

--
-- Name: FUNCTION find_duplicates(_limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.find_duplicates(_limit integer) IS 'Pairs of the caller''s contacts that may be one, the surest first: score 0 to 1, and why.';

--
-- Name: finish_import(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.finish_import(_batch uuid) RETURNS public.import_batches
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _finished public.import_batches;
begin
  perform private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  update public.import_batches set state = 'fatto', finished_at = coalesce(finished_at, now())
  where id = _batch returning * into _finished;
  return _finished;
end
$$;

--
-- Name: FUNCTION finish_import(_batch uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.finish_import(_batch uuid) IS 'Closes an import of the caller: no row can be added to it any more.';

--
-- Name: forget(uuid[], uuid, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.forget(_ids uuid[] DEFAULT NULL::uuid[], _contact_id uuid DEFAULT NULL::uuid, _everything boolean DEFAULT false) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id uuid := (select auth.uid());
  _forgotten integer;
begin
  with gone as (
    delete from public.memories
    where user_id = _user_id and (_everything or id = any (_ids) or contact_id = _contact_id)
    returning body
  ), buried as (
    insert into private.memory_tombstones (user_id, digest)
      select distinct _user_id, private.memory_digest(body) from gone
    on conflict do nothing
  )
  select count(*) into _forgotten from gone;
  return _forgotten;
end
$$;

--
-- Name: FUNCTION forget(_ids uuid[], _contact_id uuid, _everything boolean); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.forget(_ids uuid[], _contact_id uuid, _everything boolean) IS 'Erases memories of the caller: those named, all about a contact, or all. They are never proposed again. Answers how many.';

--
-- Name: has_role(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.has_role(_user_id uuid, _role text) RETURNS boolean
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  select coalesce(
      _user_id = (select auth.uid()) or (select auth.role()) = 'service_role' or (select private.is_admin()),
      false
    )
    and exists (select from public.user_roles where user_id = _user_id and role::text = _role)
$$;

--
-- Name: FUNCTION has_role(_user_id uuid, _role text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.has_role(_user_id uuid, _role text) IS 'Whether a user holds a role; false for a missing user and for anybody who asks about somebody else, unless an admin asks.';

--
-- Name: import_contacts(uuid, jsonb, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.import_contacts(_batch uuid, _rows jsonb, _match text DEFAULT 'aggiorna'::text) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET plan_cache_mode TO 'force_generic_plan'
    SET enable_seqscan TO 'off'
    AS $_$
declare
  _import public.import_batches;
  _row jsonb;
  _answer jsonb;
begin
  if jsonb_typeof(_rows) <> 'array' or jsonb_array_length(_rows) > 500 or _match not in ('aggiorna', 'salta', 'crea') then
    raise exception 'at most 500 rows, and «aggiorna», «salta» or «crea»' using errcode = '22023';
  end if;
  _import := private.lock_import(_batch, array['in_corso']::public.import_state[]);
  perform set_config('socio.index_later', 'on', true);
  for _row in
    select distinct on ((value ->> 'row')::integer) value from jsonb_array_elements(_rows)
    where not exists (
      select from private.import_rows where batch_id = _batch and row_number = (value ->> 'row')::integer
    )
    order by (value ->> 'row')::integer
  loop
    perform private.try_import_row(_import, _row, _match);
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(array(
    select contact_id from private.import_changes where batch_id = _batch and changed_at = now()
  ));

  update private.import_changes set fingerprint = fresh.fingerprint
  from private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes
    where batch_id = _batch and changed_at = now() and fingerprint is null
      -- Who was new or in the trash: undoing it takes them away again.
      and (is_new or changes @? '$[*].after.deleted_at')
  )) as fresh
  where batch_id = _batch and import_changes.contact_id = fresh.contact_id;
  update public.import_batches set (created, updated, skipped, failed) = (
    select count(*) filter (where outcome = 'created'), count(*) filter (where outcome = 'updated'),
      count(*) filter (where outcome = 'skipped'), count(*) filter (where outcome = 'failed')
    from private.import_rows where batch_id = _batch
  )
  where id = _batch;
  select jsonb_build_object(
    'created', count(*) filter (where outcome = 'created'), 'updated', count(*) filter (where outcome = 'updated'),
    'skipped', count(*) filter (where outcome = 'skipped'), 'errors', coalesce(
      jsonb_agg(jsonb_build_object('row', row_number, 'message', message) order by row_number) filter (where outcome = 'failed'), '[]'
    )
  ) into _answer
  from private.import_rows
  where batch_id = _batch and row_number in (select (value ->> 'row')::integer from jsonb_array_elements(_rows));
  return _answer;
end
$_$;

--
-- Name: FUNCTION import_contacts(_batch uuid, _rows jsonb, _match text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.import_contacts(_batch uuid, _rows jsonb, _match text) IS 'Imports at most 500 rows of a file of the caller: {created, updated, skipped, errors: [{row, message}]}. A row that was sent before is answered as then.';

--
-- Name: invoiced_by_month(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.invoiced_by_month(_months integer DEFAULT 12) RETURNS TABLE(month date, collected_cents bigint, open_cents bigint, late_cents bigint)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with today as (select (now() at time zone 'Europe/Rome')::date as today),
  months as (
    select generate_series(
      date_trunc('month', today::timestamp) - make_interval(months => least(greatest(_months, 1), 120) - 1),
      date_trunc('month', today::timestamp), interval '1 month'
    )::date as month
    from today
  ),
  parts as (
    select date_trunc('month', issued_on::timestamp)::date as month,
      case when type_code in ('TD04', 'TD08') then -abs(due) else due end as cents,
      coalesce(parts.paid_on, invoices.paid_on) is not null as is_paid,
      coalesce(due_on < today, false) as is_late
    from public.invoices
    cross join today
    left join public.invoice_schedules as parts
      on parts.user_id = invoices.user_id and parts.invoice_id = invoices.id
    cross join lateral (select coalesce(parts.amount_cents, due_cents, total_cents)) as due (due)
    where invoices.user_id = (select auth.uid()) and direction = 'attiva' and currency = 'EUR'
      and type_code not between 'TD16' and 'TD23' and type_code not in ('TD27', 'TD28', 'TD29')
      and issued_on >= (select min(month) from months) and public.twin(invoices) is null
      and exists (
        select from public.documents
        where documents.user_id = invoices.user_id and documents.id = document_id and deleted_at is null
      )
  )
  select months.month,
    coalesce(sum(cents) filter (where is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid), 0)::bigint,
    coalesce(sum(cents) filter (where not is_paid and is_late), 0)::bigint
  from months left join parts using (month)
  group by months.month
  order by months.month
$$;

--
-- Name: FUNCTION invoiced_by_month(_months integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.invoiced_by_month(_months integer) IS 'Of the caller''s issued invoices in euro, by their month in Italy, this one last: what was paid, what is open, and what of that is late. The same invoice counts once.';

--
-- Name: keep_memory(uuid, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.keep_memory(_id uuid, _body text DEFAULT NULL::text) RETURNS public.memories
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id uuid := (select auth.uid());
  _memory public.memories;
  _text text;
begin
  select * into _memory from public.memories where user_id = _user_id and id = _id for update;
  if not found or _memory.state = 'superata' then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  _text := coalesce(btrim(regexp_replace(_body, '\s+', ' ', 'g')), _memory.body);
  if _text <> _memory.body or _memory.state <> 'attiva' then
    -- Its own length counts once.
    update public.memories set state = 'sospesa' where id = _id and state = 'attiva';
    perform private.refuse_memory(_user_id, _text);
    update public.memories set body = _text, state = 'attiva', updated_at = now() where id = _id returning * into _memory;
    perform private.supersede_memories(_memory);
  end if;
  return _memory;
end
$$;

--
-- Name: FUNCTION keep_memory(_id uuid, _body text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.keep_memory(_id uuid, _body text) IS 'Makes a proposal, a paused or a corrected memory of the caller count; SM001, SM003, PT404.';

--
-- Name: link_document_contact(uuid, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.link_document_contact(_document_id uuid, _contact_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  perform from public.contacts
  where user_id = _document.user_id and id = _contact_id and merged_into is null and deleted_at is null for key share;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  update public.documents set contact_id = _contact_id, contact_suggestion = null, contact_reason = null
  where id = _document_id;
  perform private.remember_aliases(_document, _contact_id, 'confermato');
end
$$;

--
-- Name: FUNCTION link_document_contact(_document_id uuid, _contact_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.link_document_contact(_document_id uuid, _contact_id uuid) IS 'Says whom the caller''s document is about, and remembers by what that one is known. PT404.';

--
-- Name: contact_emails; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contact_emails (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    value text NOT NULL,
    norm text GENERATED ALWAYS AS (lower(value)) STORED NOT NULL,
    label public.single_line,
    is_primary boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT value_is_an_address CHECK (private.is_email(value))
);

--
-- Name: TABLE contact_emails; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.contact_emails IS 'E-mail addresses of contacts, each once per owner.';

--
-- Name: contact_phones; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contact_phones (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    value public.single_line NOT NULL,
    norm text NOT NULL,
    label public.single_line,
    is_primary boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT norm_is_e164 CHECK ((norm ~ '^\+[1-9][0-9]{6,14}$'::text))
);

--
-- Name: TABLE contact_phones; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.contact_phones IS 'Telephone numbers of contacts, as typed and as E.164, each once per owner.';

--
-- Name: contact_tags; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contact_tags (
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE contact_tags; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.contact_tags IS 'Which contact wears which tag.';

--
-- Name: tags; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.tags (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    name public.single_line NOT NULL,
    color public.single_line,
    touch_days integer,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT touch_days_fit CHECK (((touch_days >= 1) AND (touch_days <= 3650)))
);

--
-- Name: TABLE tags; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.tags IS 'Labels of one owner; touch_days gives every contact that wears it a cadence.';

--
-- Name: contact_list; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.contact_list WITH (security_invoker='on') AS
 SELECT id,
    user_id,
    type,
    name,
    first_name,
    last_name,
    business_name,
    company_id,
    ( SELECT company.name
           FROM public.contacts company
          WHERE ((company.user_id = contacts.user_id) AND (company.id = contacts.company_id) AND (company.merged_into IS NULL) AND (company.deleted_at IS NULL))) AS company_name,
    job_title,
    vat_number,
    tax_code,
    sdi_code,
    pec,
    regime,
    address,
    website,
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
    origin,
    touch_days,
    last_interaction_at,
    next_touch_at,
    snoozed_until,
    created_at,
    updated_at
   FROM public.contacts
  WHERE ((merged_into IS NULL) AND (deleted_at IS NULL));

--
-- Name: VIEW contact_list; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.contact_list IS 'Contacts as the list shows them; consents are those to marketing, by channel. Order by name, next_touch_at or last_interaction_at desc nulls last, then id.';

--
-- Name: listed_contacts(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.listed_contacts(_query text, _limit integer DEFAULT 50000) RETURNS SETOF public.contact_list
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select contact_list.*
  from public.search_contacts(_query, _limit) as found
  join public.contact_list on contact_list.id = found.id
  order by found.rank desc, contact_list.name, contact_list.id
$$;

--
-- Name: FUNCTION listed_contacts(_query text, _limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.listed_contacts(_query text, _limit integer) IS 'Rows of contact_list that fit, best first: a filter and a limit of the request apply to all of them.';

--
-- Name: mark_invoice_paid(uuid, date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.mark_invoice_paid(_invoice_id uuid, _paid_on date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = case when _paid_on is not null then coalesce(paid_on, _paid_on) end
  where invoice_id = _invoice_id;
  update public.invoices set paid_on = _paid_on where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;

--
-- Name: FUNCTION mark_invoice_paid(_invoice_id uuid, _paid_on date); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.mark_invoice_paid(_invoice_id uuid, _paid_on date) IS 'Says when the rest of an invoice of the caller was paid, and does its tasks; null: it was not paid at all. PT404.';

--
-- Name: mark_schedule_paid(uuid, date); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.mark_schedule_paid(_schedule_id uuid, _paid_on date) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _invoice_id constant uuid := (
    select invoice_id from public.invoice_schedules where user_id = (select auth.uid()) and id = _schedule_id
  );
begin
  perform private.own_invoice(_invoice_id);
  update public.invoice_schedules set paid_on = _paid_on where id = _schedule_id;
  update public.invoices
  set paid_on = (
    select case when bool_and(invoice_schedules.paid_on is not null) then max(invoice_schedules.paid_on) end
    from public.invoice_schedules where invoice_id = _invoice_id
  )
  where id = _invoice_id;
  perform private.finish_paid_tasks(_invoice_id);
end
$$;

--
-- Name: FUNCTION mark_schedule_paid(_schedule_id uuid, _paid_on date); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.mark_schedule_paid(_schedule_id uuid, _paid_on date) IS 'Says when a part of an invoice of the caller was paid; null: it was not. With its last part the invoice is paid. PT404.';

--
-- Name: merge_contacts(uuid, uuid, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb DEFAULT '{}'::jsonb) RETURNS uuid
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _fields constant text[] := array[
    'first_name', 'last_name', 'business_name', 'company_id', 'job_title', 'vat_number', 'tax_code', 'sdi_code', 'pec', 'regime',
    'address', 'website', 'touch_days', 'snoozed_until', 'note'
  ];
  _left jsonb;
  _gone jsonb;
  _taken jsonb;
  _changes jsonb;
  _id uuid;
begin
  -- In one order for everybody, so that two merges of the same pair wait for each other.
  perform from public.contacts where user_id = auth.uid() and id in (_winner, _loser) order by id for update;
  select to_jsonb(contacts) into _left from public.contacts
  where user_id = auth.uid() and id = _winner and merged_into is null and deleted_at is null;
  select to_jsonb(contacts) into _gone from public.contacts
  where user_id = auth.uid() and id = _loser and id <> _winner and merged_into is null and deleted_at is null;
  if _left is null or _gone is null then
    raise exception 'no such pair of contacts' using errcode = 'SC021';
  elsif _left -> 'type' <> _gone -> 'type' then
    raise exception 'a person and a company are not one' using errcode = 'SC022';
  elsif exists (select from jsonb_each_text(_choices) where key <> all (_fields) or value not in ('winner', 'loser')) then
    raise exception 'a choice is «winner» or «loser» for a field' using errcode = '22023';
  end if;

  -- Not chosen: what the winner says, else the loser.
  select jsonb_object_agg(field, _gone -> field) into _taken from unnest(_fields) as field
  where coalesce(_choices ->> field, case when _left ->> field is null then 'loser' end) = 'loser'
    and _gone -> field <> _left -> field;
  -- Companies are not part of themselves.
  if _taken ->> 'company_id' in (_winner::text, _loser::text) then
    _taken := _taken - 'company_id';
  end if;

  _changes := private.merge_details(auth.uid(), _loser, _winner);
  -- Before people come along: who works for a company is found by its name.
  if _taken <> '{}' then
    _changes := _changes || private.change_row('contacts', jsonb_build_object('id', _winner), _taken);
  end if;
  _changes := _changes || private.move_children(auth.uid(), _loser, _winner);
  -- What was said to the other is no news: it ends no snooze.
  update public.contacts set snoozed_until = ((_left || coalesce(_taken, '{}')) ->> 'snoozed_until')::timestamptz
  where user_id = auth.uid() and id = _winner;
  _changes := _changes
    || private.change_row('contacts', jsonb_build_object('id', _loser), jsonb_build_object('merged_into', _winner));
  -- The cadence counts what hangs on the contact now.
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_winner, _loser);
  insert into public.merge_log (user_id, winner_id, loser_id, loser_name, choices, changes)
    values (auth.uid(), _winner, _loser, _gone ->> 'name', _choices, _changes)
    returning id into _id;
  return _id;
end
$$;

--
-- Name: FUNCTION merge_contacts(_winner uuid, _loser uuid, _choices jsonb); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb) IS 'Makes two contacts of the caller one: {field: "winner" | "loser"} chooses, else the winner''s value, else the loser''s. Answers the merge, to undo it.';

--
-- Name: next_due(public.invoices); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.next_due(_invoice public.invoices) RETURNS date
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select min(due_on) from public.invoice_schedules
  where user_id = _invoice.user_id and invoice_id = _invoice.id and paid_on is null
$$;

--
-- Name: FUNCTION next_due(_invoice public.invoices); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.next_due(_invoice public.invoices) IS 'The day on which the next part of an invoice is due; null when nothing is open or no day is said.';

--
-- Name: next_occurrence(text, timestamp without time zone, timestamp without time zone, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean DEFAULT false) RETURNS TABLE(at timestamp without time zone, nth integer)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with rule as (
    select substring(_rrule from 'FREQ=([A-Z]+)') as freq,
      coalesce(substring(_rrule from 'INTERVAL=([0-9]+)'), '1')::integer as step,
      string_to_array(substring(_rrule from 'BYDAY=([^;]+)'), ',') as weekdays,
      string_to_array(substring(_rrule from 'BYMONTHDAY=([^;]+)'), ',') as monthdays,
      substring(_rrule from 'COUNT=([0-9]+)')::integer as total,
      substring(_rrule from 'UNTIL=([0-9]{8})')::date
        + coalesce(substring(_rrule from 'UNTIL=[0-9]{8}T([0-9]{6})')::time, time '24:00' - interval '1 microsecond') as until,
      greatest(_after, _start) as after
  ), periods as (
    select rule.*, case freq
        when 'DAILY' then _start::date + k * step
        when 'WEEKLY' then date_trunc('week', _start)::date + k * step * 7
        else (date_trunc('month', _start) + k * step * case freq when 'YEARLY' then 12 else 1 end * interval '1 month')::date
      end as first
    from rule, generate_series(0, 41 + case freq
        when 'DAILY' then after::date - _start::date
        when 'WEEKLY' then (after::date - _start::date) / 7
        when 'MONTHLY' then (extract(year from age(after, _start)) * 12 + extract(month from age(after, _start)))::integer
        else extract(year from age(after, _start))::integer
      end / step) as k
  ), months as (
    select *, (first + interval '1 month')::date - first as length, extract(day from _start)::integer as start_day from periods
  ), days as (
    select first as day from periods where freq = 'DAILY'
    union
    select first + array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], weekday) - 1
    from periods, unnest(coalesce(
      weekdays, array[(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'])[extract(isodow from _start)::integer]]
    )) as weekday
    where freq = 'WEEKLY'
    union
    select first + case when place < 0 then length + place else place - 1 end
    from months, unnest(coalesce(
      monthdays::integer[], array[case when _keeps_month then least(start_day, length) else start_day end]
    )) as place
    where freq in ('MONTHLY', 'YEARLY') and weekdays is null and abs(place) <= length
    union
    select day from months, unnest(weekdays) as weekday, lateral (
      select first + offset_days as day, row_number() over (order by offset_days) as place,
        row_number() over (order by offset_days desc) as place_from_end
      from generate_series(0, length - 1) as offset_days
      where extract(isodow from first + offset_days)
        = array_position(array['MO', 'TU', 'WE', 'TH', 'FR', 'SA', 'SU'], right(weekday, 2))
    ) as named
    where freq = 'MONTHLY'
      and nullif(left(weekday, -2), '')::integer = case when weekday ~ '^-' then -place_from_end else place end
    union
    select _start::date
  ), occurrences as (
    select day + _start::time as at, row_number() over (order by day)::integer as nth from days where day >= _start::date
  )
  select at, nth from occurrences, rule
  where at > after and (total is null or nth <= total) and (
      until is null
      or at <= case when _rrule ~ 'UNTIL=[0-9T]+Z' then until at time zone 'UTC' at time zone 'Europe/Rome' else until end
    )
  order by at limit 1
$$;

--
-- Name: FUNCTION next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean) IS 'The first occurrence after a moment of a series that starts with `_start`, and its number in it (the start is 1); none when the series is over. `_keeps_month`: a month too short for the day of the start has its last day instead.';

--
-- Name: pause_memory(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.pause_memory(_id uuid) RETURNS public.memories
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _memory public.memories;
begin
  update public.memories set state = 'sospesa', updated_at = now()
  where user_id = (select auth.uid()) and id = _id and state in ('attiva', 'sospesa')
  returning * into _memory;
  if not found then
    raise exception 'no such memory' using errcode = 'PT404';
  end if;
  return _memory;
end
$$;

--
-- Name: FUNCTION pause_memory(_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.pause_memory(_id uuid) IS 'Keeps a memory of the caller without using it, until keep_memory; PT404.';

--
-- Name: place_of(text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.place_of(_position text) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $_$
  select case when is_negative then -1 - place else place end
  from (
    select is_negative, digits, (62 ^ digits - 62)::bigint / 61 + sum(
        (62 ^ (digits - nth))::bigint * case when is_negative then 61 - digit else digit end
      ) as place
    from (
      select ascii(_position) < 97 as is_negative,
        case when ascii(_position) < 97 then 91 - ascii(_position) else ascii(_position) - 96 end as digits
    ) as head, generate_series(1, digits) as nth, lateral (
      select strpos('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz', substr(_position, nth + 1, 1)) - 1
        as digit
    ) as of_digit
    -- Longer ones are nobody's: there is no place before or after them.
    where digits between 1 and 4 and _position ~ '^[0-9A-Za-z]+$' and char_length(_position) > digits
    group by is_negative, digits
  ) as read
$_$;

--
-- Name: FUNCTION place_of(_position text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.place_of(_position text) IS 'The whole place of a fractional key, what follows it left out: a key of the place after sorts after it, of the place before before it. Null for what is no key.';

--
-- Name: position_at(integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.position_at(_place integer) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select chr(case when _place < 0 then 91 - digits else 96 + digits end) || string_agg(
      substr(
        '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
        (case when _place < 0 then 61 - digit else digit end)::integer + 1, 1
      ), '' order by power desc
    )
  from (
    select digits, case when _place < 0 then -1 - _place::bigint else _place end - (62 ^ digits - 62)::bigint / 61 as rest
    from generate_series(5, 1, -1) as digits
  ) as lengths, generate_series(0, digits - 1) as power, lateral (
    select rest / (62 ^ power)::bigint % 62 as digit
  ) as of_power
  where rest >= 0
  group by digits
  order by digits desc
  limit 1
$$;

--
-- Name: FUNCTION position_at(_place integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.position_at(_place integer) IS 'The fractional key of a whole place: 0 is a0, 62 is b00, -1 is Zz. The keys sort as the places do.';

--
-- Name: recall_memories(text, integer, uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.recall_memories(_question text, _limit integer DEFAULT 5, _contact_id uuid DEFAULT NULL::uuid) RETURNS TABLE(id uuid, kind public.memory_kind, contact_id uuid, body text, source_quote text, rank real)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with mine as materialized (
    select memories.*, private.search_text(concat_ws(' ', contacts.name, memories.body)) as plain,
      to_tsvector('pg_catalog.simple', coalesce(contacts.name, '')) as names, count(*) over () as total
    from public.memories
    left join public.contacts on contacts.user_id = memories.user_id and contacts.id = memories.contact_id
    where memories.user_id = (select auth.uid()) and memories.state = 'attiva'
      and (expires_at is null or expires_at > now())
      and (_contact_id is null or memories.contact_id = _contact_id)
      and not exists (select from public.memory_settings where user_id = (select auth.uid()) and not is_active)
  ), asked as materialized (
    -- Words that carry meaning: those that the Italian dictionary does not stop.
    select distinct word, to_tsvector('pg_catalog.italian', word) as stems
    from unnest(tsvector_to_array(to_tsvector('pg_catalog.simple', left(_question, 1000)))) as word
    where to_tsvector('pg_catalog.italian', word) <> ''
  ), weighed as (
    select 'stem' as way, stem as lexeme, ln((max(total) + 1) / (count(*) + 0.5)) as weight
    from (select distinct unnest(tsvector_to_array(stems)) as stem from asked) as lexemes
    join mine on mine.stems @@ quote_literal(stem)::tsquery
    group by stem
    union all
    select 'word', word, ln((max(total) + 1) / (count(*) + 0.5))
    from asked join mine on (mine.words || names) @@ quote_literal(word)::tsquery
    group by word
  ), scored as (
    select mine.id, way, sum(weight)::real as score
    from mine join weighed
      on (way = 'stem' and mine.stems @@ quote_literal(lexeme)::tsquery)
      or (way = 'word' and (mine.words || names) @@ quote_literal(lexeme)::tsquery)
    group by mine.id, way
    union all
    select mine.id, 'trigram', sum(
        case when likeness >= 0.4 then likeness else 0 end
      )::real
    from mine cross join asked
    cross join lateral (select extensions.word_similarity(private.search_text(word), plain) as likeness) as compared
    group by mine.id
  ), fused as (
    -- Reciprocal rank fusion with k = 60 (product.md 2).
    select scored.id, sum(1.0 / (60 + place))::real as rank
    from (select id, rank() over (partition by way order by score desc) as place from scored where score > 0) as scored
    group by scored.id
  )
  select mine.id, mine.kind, mine.contact_id, mine.body, mine.source_quote, fused.rank
  from fused join mine on mine.id = fused.id
  order by fused.rank desc, mine.importance desc, mine.updated_at desc, mine.id
  limit least(_limit, 50)
$$;

--
-- Name: FUNCTION recall_memories(_question text, _limit integer, _contact_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.recall_memories(_question text, _limit integer, _contact_id uuid) IS 'What the caller''s memory holds for a question, best first: Italian stems, words as they are and trigrams, fused.';

--
-- Name: record_consent(uuid, public.consent_channel, public.consent_purpose, public.consent_state, text, text, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text DEFAULT NULL::text, _wording text DEFAULT NULL::text, _source text DEFAULT NULL::text) RETURNS public.consents
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id uuid := (select auth.uid());
  _consent public.consents;
begin
  -- What was answered to a contact that was merged counts for the one that is left: no refusal is lost.
  _contact_id := private.living_contact(_user_id, _contact_id);
  if _contact_id is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  perform from public.contacts where user_id = _user_id and id = _contact_id for no key update;
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

--
-- Name: FUNCTION record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text, _wording text, _source text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text, _wording text, _source text) IS 'Writes down what a contact of the caller, or the one it was merged into, allows for a channel and a purpose, with its proof; PT404 if it is none.';

--
-- Name: refuse_document_contact(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.refuse_document_contact(_document_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
  _refused constant uuid := coalesce(_document.contact_id, _document.contact_suggestion);
begin
  update public.documents set contact_id = null, contact_suggestion = null, contact_reason = null where id = _document_id;
  perform private.remember_aliases(_document, _refused, 'rifiutato') where _refused is not null;
end
$$;

--
-- Name: FUNCTION refuse_document_contact(_document_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.refuse_document_contact(_document_id uuid) IS 'Says that the caller''s document is not about its contact, or the one that was suggested, and remembers that. PT404.';

--
-- Name: remember(text, public.memory_kind, uuid, text, uuid, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remember(_body text, _kind public.memory_kind, _contact_id uuid DEFAULT NULL::uuid, _topic text DEFAULT NULL::text, _replaces uuid DEFAULT NULL::uuid, _anyway boolean DEFAULT false) RETURNS public.memories
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id uuid := (select auth.uid());
  _text text := btrim(regexp_replace(_body, '\s+', ' ', 'g'));
  _similar uuid;
  _memory public.memories;
begin
  if _contact_id is not null and not exists (
    select from public.contacts where user_id = _user_id and id = _contact_id
  ) then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  _similar := private.similar_memory(_user_id, _text, _replaces);
  if _similar is not null and not _anyway then
    raise exception 'there is one nearly like it' using errcode = 'SM002', detail = _similar::text;
  end if;
  if _replaces is not null then
    update public.memories set state = 'superata', updated_at = now()
    where user_id = _user_id and id = _replaces;
    if not found then
      raise exception 'no such memory' using errcode = 'PT404';
    end if;
  end if;
  perform private.refuse_memory(_user_id, _text);
  -- Whoever says it again wants it again.
  delete from private.memory_tombstones where user_id = _user_id and digest = private.memory_digest(_text);
  insert into public.memories (user_id, kind, contact_id, topic, body, state, origin, source)
  values (_user_id, _kind, _contact_id, _topic, _text, 'attiva', 'utente', 'manuale')
  returning * into _memory;
  update public.memories set superseded_by = _memory.id where user_id = _user_id and id = _replaces;
  perform private.supersede_memories(_memory);
  return _memory;
end
$$;

--
-- Name: FUNCTION remember(_body text, _kind public.memory_kind, _contact_id uuid, _topic text, _replaces uuid, _anyway boolean); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.remember(_body text, _kind public.memory_kind, _contact_id uuid, _topic text, _replaces uuid, _anyway boolean) IS 'Writes down what the caller said to remember, in place of another fact if one is named; SM001, SM002, SM003, PT404.';

--
-- Name: remind_of_schedules(uuid, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remind_of_schedules(_invoice_id uuid, _days_before integer DEFAULT 3) RETURNS integer
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _invoice public.invoices := private.own_invoice(_invoice_id);
  _schedule record;
  _task_id uuid;
  _made integer := 0;
begin
  for _schedule in
    select * from public.invoice_schedules
    where invoice_id = _invoice_id and paid_on is null and due_on is not null and not exists (
      select from public.tasks
      where tasks.user_id = invoice_schedules.user_id and tasks.id = task_id and tasks.deleted_at is null
    )
    order by no
  loop
    insert into public.tasks (user_id, title, due_at, contact_id, remind_at, origin)
    values (
      _invoice.user_id, private.payment_title(_invoice, _schedule.amount_cents),
      _schedule.due_on::timestamp at time zone 'Europe/Rome', _invoice.contact_id,
      array[private.reminder_moment(_schedule.due_on, _days_before)], 'fattura'
    )
    returning id into _task_id;
    update public.invoice_schedules set task_id = _task_id where id = _schedule.id;
    insert into public.document_links (user_id, document_id, task_id)
    values (_invoice.user_id, _invoice.document_id, _task_id);
    _made := _made + 1;
  end loop;
  return _made;
end
$$;

--
-- Name: FUNCTION remind_of_schedules(_invoice_id uuid, _days_before integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.remind_of_schedules(_invoice_id uuid, _days_before integer) IS 'Makes a task for each day of payment of the caller''s invoice that is not paid and has none; reminds at nine so many days before, or on the day, or at once, whichever is still to come. Answers how many were made. PT404.';

--
-- Name: remove_demo_data(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.remove_demo_data() RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $_$
declare
  _user_id constant uuid := auth.uid();
  _table text;
  _removed jsonb;
begin
  perform pg_advisory_xact_lock(hashtextextended('demo data ' || _user_id, 0));
  -- The next occurrence of a demo task is demo as well.
  foreach _table in array array['contacts', 'deals', 'projects', 'tasks'] loop
    execute format(
      'insert into private.demo_rows (user_id, held_by, row_id)
       select $1, %L, id from public.%I where user_id = $1 and origin = ''demo'' on conflict do nothing', _table, _table
    ) using _user_id;
  end loop;
  -- What is kept stands on other rows in its turn.
  while private.keep_used_demo(_user_id) loop null;
  end loop;
  _removed := private.count_demo(_user_id);
  foreach _table in array array['tasks', 'projects', 'deals', 'consents', 'interactions', 'notes', 'contacts'] loop
    execute format(
      'delete from public.%I where user_id = $1 and id in (
         select row_id from private.demo_rows where user_id = $1 and held_by = %L
       )', _table, _table
    ) using _user_id;
  end loop;
  delete from public.tags
  where user_id = _user_id and id in (select row_id from private.demo_rows where user_id = _user_id and held_by = 'tags')
    and not exists (select from public.contact_tags where contact_tags.user_id = _user_id and tag_id = tags.id);
  delete from private.demo_rows where user_id = _user_id;
  return _removed;
end
$_$;

--
-- Name: FUNCTION remove_demo_data(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.remove_demo_data() IS 'Takes the demo data of the caller away and answers how many rows of which table; what own rows stand on stays and is theirs.';

--
-- Name: renew_calendar_secret(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.renew_calendar_secret() RETURNS text
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with fresh as (
    select replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '') as secret
  ), kept as (
    insert into private.calendar_feeds (user_id, secret_hash)
      select (select auth.uid()), sha256(convert_to(secret, 'UTF8')) from fresh
      on conflict (user_id) do update set secret_hash = excluded.secret_hash, created_at = now()
      returning user_id
  )
  select secret from fresh, kept
$$;

--
-- Name: FUNCTION renew_calendar_secret(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.renew_calendar_secret() IS 'A new secret for the caller''s calendar feed, to be shown once; the one before it opens nothing any more.';

--
-- Name: reopen_task(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.reopen_task(_task_id uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _task public.tasks;
  _removed uuid;
begin
  select * into _task from public.tasks where id = _task_id and deleted_at is null for update;
  if not found then
    raise exception 'Questa attività non c’è più' using errcode = 'PT404';
  end if;
  if _task.state = 'fatto' then
    -- Subtasks that were finished with it open again; each is what it was before.
    update public.tasks set state = coalesce((
        select (data ->> 'from')::public.task_state from public.task_events
        where task_events.user_id = tasks.user_id and task_id = tasks.id and kind = 'completata' order by at desc limit 1
      ), 'da_fare')
      where user_id = _task.user_id and state = 'fatto'
        and (id = _task_id or parent_id = _task_id and completed_at = _task.completed_at);
    delete from public.tasks as next
      where user_id = _task.user_id and previous_id = _task_id and state <> 'fatto' and updated_at = created_at
        and not exists (
          select from public.tasks as child
          where child.user_id = next.user_id and child.parent_id = next.id
            and (child.updated_at > child.created_at or child.created_at > next.created_at)
        )
      returning id into _removed;
  end if;
  return jsonb_build_object('reopened', _task_id, 'removed', _removed);
end
$$;

--
-- Name: FUNCTION reopen_task(_task_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.reopen_task(_task_id uuid) IS 'Takes a completion back: the task, the subtasks that went with it, and the next occurrence unless somebody changed it. Raises PT404.';

--
-- Name: retention_of(public.document_kind); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.retention_of(_kind public.document_kind) RETURNS integer
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  -- Fiscal papers: art. 22 DPR 600/1973 and art. 2220 of the Civil Code; contracts: the ordinary limitation (art. 2946).
  select case when _kind in ('fattura', 'ricevuta', 'f24', 'contratto') then 10 end
$$;

--
-- Name: FUNCTION retention_of(_kind public.document_kind); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.retention_of(_kind public.document_kind) IS 'For how many years a kind of document is kept, from its date on (else its arrival); null: until it is deleted.';

--
-- Name: revoke_calendar_secret(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.revoke_calendar_secret() RETURNS boolean
    LANGUAGE sql SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with closed as (
    delete from private.calendar_feeds where user_id = (select auth.uid()) returning user_id
  )
  select exists (select from closed)
$$;

--
-- Name: FUNCTION revoke_calendar_secret(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.revoke_calendar_secret() IS 'Closes the caller''s calendar feed; false when there was none.';

--
-- Name: save_contact(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.save_contact(_contact jsonb) RETURNS uuid
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
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

--
-- Name: FUNCTION save_contact(_contact jsonb); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.save_contact(_contact jsonb) IS 'Adds a contact of the caller, or writes what is said of a known one: its columns, `company` (a name), `emails`, `phones` ({value, norm}) and `tags` (names). What is not said stays as it is; with `former`, an object of these lists as the caller has seen them, so does what came into a list since. Raises 23505 for an address or number of another contact, PT404 for a contact that is merged or in the trash.';

--
-- Name: search_contacts(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_contacts(_query text, _limit integer DEFAULT 50) RETURNS TABLE(id uuid, type public.contact_type, name text, company_name text, job_title text, email text, phone text, rank real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $_$
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
$_$;

--
-- Name: FUNCTION search_contacts(_query text, _limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.search_contacts(_query text, _limit integer) IS 'The caller''s contacts that fit, best first: by words, parts of words, near misses, or digits of a number.';

--
-- Name: search_conversations(text, integer); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_conversations(_query text, _limit integer DEFAULT 30) RETURNS TABLE(conversation_id uuid, title text, message_id uuid, snippet text, marks integer[], at timestamp with time zone, rank real)
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with asked as materialized (
    select words, private.search_query(private.search_key((select auth.uid())), words, 'wide') as query,
      private.word_beginnings(words) as patterns
    from (
      select (string_to_array(private.search_text(left(_query, 200)), ' '))[1:8] as words
    ) as typed
    where words <> '{}' and words <> '{""}'
  ), said as (
    select distinct on (messages.conversation_id) messages.conversation_id, messages.id, messages.content, messages.created_at
    from asked
    join private.message_search as found on found.document @@ asked.query and found.user_id = (select auth.uid())
    join public.messages on messages.user_id = (select auth.uid()) and messages.id = found.message_id
    order by messages.conversation_id, messages.created_at desc
  ), named as (
    select conversations.id from public.conversations, asked
    where user_id = (select auth.uid()) and conversations.title is not null and (
      select bool_and(conversations.title ~* pattern) from unnest(patterns) as pattern
    )
  ), hits as (
    select conversations.*, said.id as said_id, said.content, said.created_at as said_at,
      (case when named.id is not null then 1 else 0 end + case when said.id is not null then 0.5 else 0 end)::real as rank
    from public.conversations
    left join said on said.conversation_id = conversations.id
    left join named on named.id = conversations.id
    where user_id = (select auth.uid()) and not is_temporary
      and conversations.id in (select said.conversation_id from said union all select named.id from named)
    order by rank desc, coalesce(said.created_at, last_message_at) desc, conversations.id
    limit least(greatest(_limit, 0), 200)
  )
  select hits.id, hits.title::text, hits.said_id, cut.snippet, cut.marks, coalesce(hits.said_at, hits.last_message_at), hits.rank
  from hits
  cross join asked
  left join lateral private.page_snippet(hits.content, asked.patterns) as cut on hits.said_id is not null
  order by hits.rank desc, 6 desc, hits.id
$$;

--
-- Name: FUNCTION search_conversations(_query text, _limit integer); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.search_conversations(_query text, _limit integer) IS 'The caller''s conversations in whose title or messages all words stand, each with the latest message that fits; message null: only the title does. Marks are pairs (begin, end) in the snippet. Temporary ones are not found.';

--
-- Name: search_documents(text, integer, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.search_documents(_query text, _limit integer DEFAULT 50, _filter jsonb DEFAULT '{}'::jsonb) RETURNS TABLE(document_id uuid, filename text, kind public.document_kind, page integer, snippet text, marks integer[], rank real)
    LANGUAGE plpgsql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _user_id constant uuid := (select auth.uid());
  _terms constant private.document_term[] := array(select fit from private.document_terms(_user_id, _query) as fit);
  _patterns constant text[] := private.term_patterns(_terms);
begin
  if _user_id is null or _patterns is null then
    return;
  end if;
  return query
    with ranked as materialized (
      select * from private.ranked_pages(_user_id, _terms, private.few_documents(_user_id, _filter), 300)
    ), scored as (
      select documents.id, documents.filename, documents.kind, documents.created_at, ranked.page,
        -- What is known about the document counts for each of its pages.
        (ranked.score + coalesce(0.6 * (
          select sum(weight) from (select distinct term, weight from unnest(_terms)) as asked
          where term = any (known.terms) and term <> all (ranked.terms)
        ), 0))::real as score
      from ranked
      join public.documents on documents.user_id = _user_id and documents.id = ranked.document_id
      left join ranked as known on known.document_id = ranked.document_id and known.page = 0
      where documents.id in (
        select private.fitting_documents(_user_id, _filter, array(select distinct ranked.document_id from ranked))
      )
    ), best as (
      select *, row_number() over (partition by id order by score desc, scored.page = 0, scored.page) as place from scored
    ), shown as (
      select * from best where place <= 3
      order by place, score desc, created_at desc, id, best.page limit least(greatest(_limit, 0), 200)
    )
    select shown.id, shown.filename::text, shown.kind, nullif(shown.page, 0), cut.snippet, cut.marks, shown.score
    from shown
    cross join lateral private.page_snippet(coalesce(
      (select text from private.document_search where document_search.document_id = shown.id and shown.page = 0
        and document_search.page = 0),
      (select text from public.document_pages where document_pages.document_id = shown.id and no = shown.page), ''
    ), _patterns) as cut
    order by shown.place, shown.score desc, shown.created_at desc, shown.id, shown.page;
end
$$;

--
-- Name: FUNCTION search_documents(_query text, _limit integer, _filter jsonb); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.search_documents(_query text, _limit integer, _filter jsonb) IS 'Pages of the caller''s documents that fit, the best of each document first, three of one at most; page null: what is known about the document. Marks are pairs (begin, end) in the snippet. Filter: {kind, contact_id, tag_id, state, from, to, document_id}.';

--
-- Name: set_document_kind(uuid, public.document_kind); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.set_document_kind(_document_id uuid, _kind public.document_kind) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _document public.documents := private.own_document(_document_id);
begin
  update public.documents
  set kind = _kind, kind_confidence = 1, kind_rule = 'Scelto da te', kind_by_user = true
  where id = _document_id;
  insert into public.document_corrections (user_id, vat_number, key, kind)
  select _document.user_id, vat_number, 'kind', _kind
  from (
    select private.issuer_number(_document) as vat_number,
      (
        select coalesce(jsonb_object_agg(key, value), '{}') from public.document_fields
        where user_id = _document.user_id and document_id = _document_id
      ) as fields
  ) as issuer
  where char_length(vat_number) <= 30 and not private.is_of_owner(fields, _document.user_id)
  on conflict (user_id, vat_number, key) do update set kind = excluded.kind, created_at = now();
  perform private.settle_document(_document_id);
  perform private.follow_fields(_document_id);
end
$$;

--
-- Name: FUNCTION set_document_kind(_document_id uuid, _kind public.document_kind); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.set_document_kind(_document_id uuid, _kind public.document_kind) IS 'Says what kind the caller''s document is; no machine changes it any more, and a scan that is no invoice leaves the register. PT404.';

--
-- Name: settle_tool_call(uuid, text, jsonb, jsonb, jsonb, timestamp with time zone, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.settle_tool_call(_id uuid, _state text, _args jsonb DEFAULT NULL::jsonb, _result jsonb DEFAULT NULL::jsonb, _undo jsonb DEFAULT NULL::jsonb, _undo_until timestamp with time zone DEFAULT NULL::timestamp with time zone, _error_code text DEFAULT NULL::text) RETURNS public.tool_calls
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif (_call.state::text, _state) not in (('proposed', 'executed'), ('proposed', 'failed'), ('executed', 'undone')) then
    raise exception '%', _call.state using errcode = 'ST002';
  end if;
  update public.tool_calls set
    state = _state::public.tool_call_state, decided_at = coalesce(decided_at, now()),
    args = coalesce(_args, args), result = coalesce(_result, result), error_code = _error_code,
    undo = case _state when 'executed' then _undo end, undo_until = case _state when 'executed' then _undo_until end
  where id = _id
  returning * into _call;
  return _call;
end
$$;

--
-- Name: FUNCTION settle_tool_call(_id uuid, _state text, _args jsonb, _result jsonb, _undo jsonb, _undo_until timestamp with time zone, _error_code text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.settle_tool_call(_id uuid, _state text, _args jsonb, _result jsonb, _undo jsonb, _undo_until timestamp with time zone, _error_code text) IS 'Says what came of a proposal of the caller that was taken: executed, failed or undone; PT404, ST002.';

--
-- Name: shift_moment(timestamp with time zone, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.shift_moment(_moment timestamp with time zone, _by interval) RETURNS timestamp with time zone
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    SET search_path TO ''
    AS $$
  select (_moment at time zone 'Europe/Rome' + _by) at time zone 'Europe/Rome'
$$;

--
-- Name: FUNCTION shift_moment(_moment timestamp with time zone, _by interval); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.shift_moment(_moment timestamp with time zone, _by interval) IS 'A moment moved on the wall clock of Europe/Rome; null when either is.';

--
-- Name: shift_with_task(public.tasks, timestamp with time zone, interval); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval) RETURNS timestamp with time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  -- What was put off with the task, as a reminder of its very moment is, comes back with it.
  select public.shift_moment(
    _moment, case when _moment > _task.due_at - late and _moment <= _task.due_at then _by - late else _by end
  )
  from (select (_task.due_at at time zone 'Europe/Rome') - public.task_wall_clock(_task) as late) as spring_night
$$;

--
-- Name: FUNCTION shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval) IS 'A moment that goes with a task, moved on the wall clock of Europe/Rome by as much as the task; null when either is.';

--
-- Name: similar_contacts(jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.similar_contacts(_draft jsonb) RETURNS TABLE(id uuid, name text, type public.contact_type, hard boolean, score numeric, reasons text[])
    LANGUAGE sql STABLE SECURITY DEFINER
    SET search_path TO ''
    AS $$
  with typed as (
    select private.plain_name(case _draft ->> 'type'
        when 'azienda' then _draft ->> 'business_name'
        else concat_ws(' ', _draft ->> 'first_name', _draft ->> 'last_name')
      end) as plain,
      array(select lower(value) from jsonb_array_elements_text(_draft -> 'emails') as value) as emails,
      array(select value from jsonb_array_elements_text(_draft -> 'phones') as value) as phones
  ), found as (
    select contact_id, 'email' as reason from public.contact_emails, typed
    where user_id = (select auth.uid()) and norm = any (emails)
    union
    select contact_id, 'telefono' from public.contact_phones, typed
    where user_id = (select auth.uid()) and norm = any (phones)
    union
    select contacts.id, 'partita_iva' from public.contacts
    where user_id = (select auth.uid()) and vat_number = _draft ->> 'vat_number'
    union
    select contacts.id, 'codice_fiscale' from public.contacts
    where user_id = (select auth.uid()) and tax_code = upper(_draft ->> 'tax_code')
    union
    select contacts.id, 'azienda' from public.contacts, typed
    where user_id = (select auth.uid()) and company_id = (_draft ->> 'company_id')::uuid
      and extensions.similarity(private.plain_name(contacts.name), plain) >= 0.55
    union
    select contacts.id, 'dominio' from public.contact_emails
    join public.contacts on contacts.user_id = contact_emails.user_id and contacts.id = contact_id, typed
    where contact_emails.user_id = (select auth.uid())
      and split_part(norm, '@', 2) = any (array(
        select split_part(value, '@', 2) from unnest(emails) as value
        where split_part(value, '@', 2) <> all (private.shared_mail_domains())
      ))
      and extensions.similarity(private.plain_name(contacts.name), plain) >= 0.55
  )
  select contacts.id, contacts.name, contacts.type,
    bool_or(reason in ('email', 'telefono', 'partita_iva', 'codice_fiscale')) as hard,
    round(coalesce(max(extensions.similarity(private.plain_name(contacts.name), plain)), 0)::numeric, 2) as score,
    array_agg(reason order by reason)
  from found
  join public.contacts on contacts.user_id = (select auth.uid()) and contacts.id = contact_id, typed
  where merged_into is null and deleted_at is null and contacts.id is distinct from (_draft ->> 'id')::uuid
  group by contacts.id
  order by hard desc, score desc, contacts.id
  limit 5
$$;

--
-- Name: FUNCTION similar_contacts(_draft jsonb); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.similar_contacts(_draft jsonb) IS 'Contacts of the caller that the one being typed may be: {id, type, first_name, last_name, business_name, company_id, emails, phones (E.164), vat_number, tax_code}. Hard: the same address or number; else a name alike in the same company or domain.';

--
-- Name: skip_occurrence(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.skip_occurrence(_task_id uuid) RETURNS jsonb
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
declare
  _task public.tasks;
  _sequel record;
begin
  select * into _task from public.tasks
    where id = _task_id and deleted_at is null and state <> 'fatto' and rrule is not null for update;
  if not found then
    raise exception 'Questa attività non si ripete più' using errcode = 'PT404';
  end if;
  select * into _sequel from public.task_sequel(_task, _skips => true);
  if found then
    update public.tasks set due_at = case when id = _task_id then _sequel.due_at
        else coalesce(public.shift_with_task(_task, due_at, _sequel.shift), due_at) end,
      remind_at = array(
        select moment from unnest(remind_at) as former, public.shift_with_task(_task, former, _sequel.shift) as moment
        where moment is not null
      ),
      rrule = case when id = _task_id then _sequel.rrule else rrule end
      where user_id = _task.user_id and deleted_at is null and (id = _task_id or parent_id = _task_id and state <> 'fatto');
  else
    update public.tasks set deleted_at = now() where id = _task_id;
  end if;
  return jsonb_build_object('skipped', _task_id, 'next', (
    select to_jsonb(tasks) from public.tasks where id = _task_id and deleted_at is null
  ));
end
$$;

--
-- Name: FUNCTION skip_occurrence(_task_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.skip_occurrence(_task_id uuid) IS 'Moves a repeating task to its next date; the last of a series goes into the trash and next is null. Raises PT404.';

--
-- Name: snooze_contact(uuid, timestamp with time zone); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.snooze_contact(_contact_id uuid, _until timestamp with time zone) RETURNS void
    LANGUAGE plpgsql
    SET search_path TO ''
    AS $$
begin
  update public.contacts set snoozed_until = _until where user_id = (select auth.uid()) and id = _contact_id;
  if not found then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
end
$$;

--
-- Name: FUNCTION snooze_contact(_contact_id uuid, _until timestamp with time zone); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.snooze_contact(_contact_id uuid, _until timestamp with time zone) IS 'Asks for no reminder of a contact of the caller until then; null ends that. PT404 if it is none.';

--
-- Name: stage_habits(); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.stage_habits() RETURNS TABLE(stage_id uuid, usual_days numeric, sample integer)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select stages.id,
    case
      -- Never less than a day: a stage that is passed within an hour would be late at once.
      when count(stays.days) >= 8
        then greatest(1, round((1.5 * percentile_cont(0.75) within group (order by stays.days))::numeric, 1))
      else 14
    end,
    count(stays.days)::integer
  from public.stages
  left join lateral (
    select extract(epoch from left_at - entered_at)::double precision / 86400 as days
    from public.deal_stage_log
    where user_id = stages.user_id and deal_stage_log.stage_id = stages.id and left_at is not null
  ) as stays on true
  where stages.user_id = (select auth.uid()) and stages.kind = 'aperta'
  group by stages.id
$$;

--
-- Name: FUNCTION stage_habits(); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.stage_habits() IS 'After how many days in a stage a deal of the caller is late: 1.5 times the third quartile of at least 8 stays, else 14.';

--
-- Name: stop_run(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.stop_run(_run_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.runs set stop_requested_at = coalesce(stop_requested_at, case state when 'running' then now() end)
  where user_id = (select auth.uid()) and id = _run_id;
  if not found then
    raise exception 'no such run' using errcode = 'PT404';
  end if;
end
$$;

--
-- Name: FUNCTION stop_run(_run_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.stop_run(_run_id uuid) IS 'Asks an answer of the caller to end; one that ended stays as it is. PT404.';

--
-- Name: stop_series(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.stop_series(_task_id uuid) RETURNS integer
    LANGUAGE sql
    SET search_path TO ''
    AS $$
  with stopped as (
    update public.tasks set rrule = null
    where user_id = (select auth.uid()) and rrule is not null and state <> 'fatto' and series_id = (
        select series_id from public.tasks where user_id = (select auth.uid()) and id = _task_id
      )
    returning id
  )
  select count(*)::integer from stopped
$$;

--
-- Name: FUNCTION stop_series(_task_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.stop_series(_task_id uuid) IS 'Lets the open task of a series stay as its last. Answers how many tasks no longer repeat.';

--
-- Name: take_back_deal(uuid, uuid, uuid, timestamp with time zone, text); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text) RETURNS boolean
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
begin
  update public.deals
  set stage_id = _to, stage_since = coalesce(least(_since, now()), now()), lost_reason = _lost_reason
  where user_id = (select auth.uid()) and id = _deal_id and stage_id = _from and deleted_at is null;
  return found;
end
$$;

--
-- Name: FUNCTION take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text) IS 'Moves a deal of the caller back into the stage it was in, as long there as it was before; false if it is elsewhere by now.';

--
-- Name: take_tool_call(uuid, text, jsonb); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.take_tool_call(_id uuid, _decision text, _args jsonb DEFAULT NULL::jsonb) RETURNS public.tool_calls
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _call public.tool_calls;
begin
  select * into _call from public.tool_calls where user_id = (select auth.uid()) and id = _id for update;
  if not found then
    raise exception 'no such proposal' using errcode = 'PT404';
  elsif _decision not in ('approve', 'refuse', 'undo') or _decision is null then
    raise exception 'a decision is approve, refuse or undo' using errcode = '22023';
  elsif _decision = 'undo' and _call.state = 'executed' then
    if _call.undo is null or _call.undo_until <= now() then
      raise exception 'this cannot be undone any more' using errcode = 'ST003';
    end if;
  elsif _call.state = 'expired' or _call.state = 'proposed' and _call.expires_at <= now() then
    raise exception 'the proposal has expired' using errcode = 'ST001';
  elsif _decision = 'undo' and _call.state <> 'undone' then
    raise exception 'this cannot be undone' using errcode = 'ST003';
  elsif _call.state <> 'proposed' then
    raise exception '%', _call.state using errcode = 'ST002';
  elsif _decision = 'refuse' then
    update public.tool_calls set state = 'rejected', decided_at = now() where id = _id returning * into _call;
  elsif _args is not null then
    update public.tool_calls set args = _args where id = _id returning * into _call;
  end if;
  return _call;
end
$$;

--
-- Name: FUNCTION take_tool_call(_id uuid, _decision text, _args jsonb); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.take_tool_call(_id uuid, _decision text, _args jsonb) IS 'Takes a proposal of the caller to carry it out or back: its row stays locked until the transaction ends, in which settle_tool_call says what came of it. A refusal is final at once. PT404, ST001, ST002, ST003.';

--
-- Name: task_sequel(public.tasks, boolean); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.task_sequel(_task public.tasks, _skips boolean DEFAULT false) RETURNS TABLE(due_at timestamp with time zone, shift interval, rrule text)
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  with clock as (
    select now() at time zone 'Europe/Rome' as present, public.task_wall_clock(_task) as due
  ), start as (
    select due, case when _task.due_is_allday then date_trunc('day', present) else present end as present
    from clock
  ), reckoned as (
    select due, present, case
        -- A date that is skipped was not done today: from one that is still to come the next is reckoned.
        when due is not null and (_task.repeat_from = 'scadenza' or _skips and due >= present) then due
        else date_trunc('day', present) + coalesce(due::time, time '00:00')
      end as first
    from start
  )
  select at at time zone 'Europe/Rome', at - due,
    coalesce(
      regexp_replace(
        _task.rrule, 'COUNT=[0-9]+', 'COUNT=' || substring(_task.rrule from 'COUNT=([0-9]+)')::integer - nth + 1
      ),
      _task.rrule
    )
  from reckoned, lateral public.next_occurrence(_task.rrule, first, present, _task.repeat_from = 'completamento')
  where _task.rrule is not null and at < '2200-01-01'
$$;

--
-- Name: FUNCTION task_sequel(_task public.tasks, _skips boolean); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.task_sequel(_task public.tasks, _skips boolean) IS 'When a repeating task is due next if it is done now (or, with `_skips`, left out), how far that is on the wall clock from its date, and what is left of its rule. Never past: what was missed is passed over. No row when it does not repeat or the series is over.';

--
-- Name: task_wall_clock(public.tasks); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.task_wall_clock(_task public.tasks) RETURNS timestamp without time zone
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select coalesce(
    (
      select meant from (
        select (data ->> 'from')::timestamptz as due_at from public.task_events
        where user_id = _task.user_id and task_id = _task.id and kind = 'scadenza'
          and (data ->> 'to')::timestamptz = _task.due_at
        union all
        select due_at from public.tasks where user_id = _task.user_id and id = _task.previous_id
      ) as former, lateral (
        select (_task.due_at at time zone 'Europe/Rome')::date + (former.due_at at time zone 'Europe/Rome')::time as meant
      ) as clock
      -- Another hour that is the same moment: there is one in that night only.
      where meant at time zone 'Europe/Rome' = _task.due_at
      order by meant limit 1
    ),
    _task.due_at at time zone 'Europe/Rome'
  )
$$;

--
-- Name: FUNCTION task_wall_clock(_task public.tasks); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.task_wall_clock(_task public.tasks) IS 'When a task is due on the clock of Europe/Rome; in the night of the spring change the hour that its series means.';

--
-- Name: twin(public.invoices); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.twin(_invoice public.invoices) RETURNS jsonb
    LANGUAGE sql STABLE
    SET search_path TO ''
    AS $$
  select jsonb_build_object('document_id', file.id, 'filename', file.filename)
  from public.invoices as other
  join public.documents as file on file.user_id = other.user_id and file.id = other.document_id and file.deleted_at is null
  where other.user_id = _invoice.user_id and other.number = _invoice.number and other.issued_on = _invoice.issued_on
    and other.direction = _invoice.direction and (
      other.type_code = _invoice.type_code
      -- Of a scan nothing but credit or no credit can be told: a deferred invoice is a TD01 there.
      or 'campi' in (other.source, _invoice.source)
        and (other.type_code in ('TD04', 'TD08')) = (_invoice.type_code in ('TD04', 'TD08'))
    )
    -- Of one's own a scan may name the customer otherwise; the number is one's own.
    and (_invoice.direction = 'attiva' and 'campi' in (other.source, _invoice.source) or coalesce(
      other.counterparty_vat,
      other.content #>> array[case other.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(other.counterparty_name)
    ) = coalesce(
      _invoice.counterparty_vat,
      _invoice.content #>> array[case _invoice.direction when 'attiva' then 'customer' else 'supplier' end, 'tax_code'],
      lower(_invoice.counterparty_name)
    ))
    -- One that is paid counts before others: it needs no second payment.
    and (other.paid_on is null, other.created_at, other.id) < (_invoice.paid_on is null, _invoice.created_at, _invoice.id)
  order by other.paid_on is null, other.created_at, other.id
  limit 1
$$;

--
-- Name: FUNCTION twin(_invoice public.invoices); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.twin(_invoice public.invoices) IS 'The file {document_id, filename} in which the same invoice counts: signed and unsigned, sent twice, a scan of it; null when it is this one. What has a twin is in no sum.';

--
-- Name: undo_import(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.undo_import(_batch uuid) RETURNS jsonb
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    SET enable_seqscan TO 'off'
    AS $$
declare
  _import public.import_batches;
  _portion uuid[];
  _untouched uuid[];
  _removed integer;
  _companies integer;
  _restored uuid[] := '{}';
  _partly uuid[] := '{}';
  _change private.import_changes;
  _kept jsonb;
  _left integer;
begin
  _import := private.lock_import(_batch, array['in_corso', 'fatto']::public.import_state[]);
  -- So many as fit well into the time of a call. Companies after their people: one that somebody works for was used since.
  _portion := array(
    select contact_id from private.import_changes
    join public.contacts on contacts.user_id = import_changes.user_id and contacts.id = contact_id
    where batch_id = _batch order by is_new, type = 'azienda', contact_id limit 200
  );
  perform set_config('socio.index_later', 'on', true);
  for _change in
    select * from private.import_changes where batch_id = _batch and contact_id = any (_portion) and not is_new
  loop
    if private.undo_import_of(_change) then
      _restored := _restored || _change.contact_id;
    else
      _partly := _partly || _change.contact_id;
    end if;
  end loop;
  perform set_config('socio.index_later', 'off', true);
  perform private.index_contacts(_restored || _partly);

  select coalesce(array_agg(contact_id), '{}') into _untouched
  from private.import_changes
  join private.contact_fingerprints(_import.user_id, array(
    select contact_id from private.import_changes where batch_id = _batch and contact_id = any (_portion) and is_new
  )) as now_is using (contact_id)
  where batch_id = _batch and is_new and now_is.fingerprint = import_changes.fingerprint
    -- Who was merged into it would go with it.
    and not exists (
      select from public.contacts as merged
      where merged.user_id = _import.user_id and merged.merged_into = import_changes.contact_id
    );
  delete from public.contacts where user_id = _import.user_id and id = any (_untouched) and type = 'persona';
  get diagnostics _removed = row_count;
  delete from public.contacts
  where user_id = _import.user_id and id = any (_untouched) and not exists (
    select from public.contacts as people where people.user_id = _import.user_id and people.company_id = contacts.id
  );
  get diagnostics _companies = row_count;

  select coalesce(jsonb_agg(jsonb_build_object(
      'contact_id', contacts.id, 'name', contacts.name, 'reason', 'Modificato dopo l''importazione'
    ) order by contacts.name), '[]') into _kept
  from private.import_changes
  join public.contacts on contacts.user_id = _import.user_id and contacts.id = contact_id
  where batch_id = _batch and contact_id = any (_portion) and (is_new or contact_id = any (_partly));
  delete from private.import_changes where batch_id = _batch and contact_id = any (_portion);

  select count(*) into _left from private.import_changes where batch_id = _batch;
  if _left = 0 then
    delete from public.tags
    where user_id = _import.user_id and id = any (_import.new_tags)
      and not exists (select from public.contact_tags where contact_tags.user_id = tags.user_id and tag_id = tags.id);
  end if;
  -- From the first portion on nothing is added to it any more.
  update public.import_batches
  set state = case _left when 0 then 'annullato' else 'fatto' end::public.import_state,
    finished_at = coalesce(finished_at, now())
  where id = _batch;
  return jsonb_build_object(
    'removed', _removed + _companies, 'restored', cardinality(_restored), 'kept', _kept, 'left', _left
  );
end
$$;

--
-- Name: FUNCTION undo_import(_batch uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.undo_import(_batch uuid) IS 'Takes a portion of an import of the caller back; again, until none are left. Removed: what it made and nobody touched. Restored: what it changed. Kept: what was changed by hand since, by name. Left: how many contacts are still to come.';

--
-- Name: undo_merge(uuid); Type: FUNCTION; Schema: public; Owner: -
--

CREATE FUNCTION public.undo_merge(_merge_id uuid) RETURNS void
    LANGUAGE plpgsql SECURITY DEFINER
    SET search_path TO ''
    AS $$
declare
  _merge public.merge_log;
  _snoozes jsonb;
  _change jsonb;
  _refusal record;
begin
  select * into _merge from public.merge_log where user_id = auth.uid() and id = _merge_id for update;
  if not found or _merge.loser_id is null then
    raise exception 'no such merge' using errcode = 'SC021';
  elsif _merge.undone_at is not null or _merge.created_at < now() - interval '30 days' or exists (
    select from public.contacts where user_id = auth.uid() and id = _merge.winner_id and merged_into is not null
  ) then
    raise exception 'this merge cannot be undone any more' using errcode = 'SC023';
  end if;

  perform from public.contacts where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id) order by id for update;
  select jsonb_object_agg(id, snoozed_until) into _snoozes from public.contacts
  where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _change in select value from jsonb_array_elements(_merge.changes) with ordinality order by ordinality desc loop
    if _change ? 'rows' then
      perform private.move_rows(
        auth.uid(), _change ->> 'table', _change ->> 'column', (_change ->> 'after')::uuid, (_change ->> 'before')::uuid,
        array(select jsonb_array_elements_text(_change -> 'rows')::uuid)
      );
    elsif _change ? 'added' then
      delete from public.contact_distinct
      where user_id = auth.uid() and id in (select jsonb_array_elements_text(_change -> 'added')::uuid);
    else
      perform private.undo_change(_change, _merge.created_at);
    end if;
  end loop;
  -- Interactions that came back are no news: they end no snooze.
  update public.contacts set snoozed_until = (_snoozes ->> id::text)::timestamptz
  where user_id = auth.uid() and id = _merge.loser_id;
  update public.contacts set next_touch_at = null where user_id = auth.uid() and id in (_merge.winner_id, _merge.loser_id);
  for _refusal in
    select distinct on (channel, purpose) * from public.consent_events
    where user_id = auth.uid() and contact_id = _merge.winner_id and created_at > _merge.created_at
    order by channel, purpose, at desc, created_at desc
  loop
    if _refusal.state in ('negato', 'revocato') then
      perform public.record_consent(
        _merge.loser_id, _refusal.channel, _refusal.purpose, _refusal.state, _refusal.legal_basis, _refusal.wording,
        _refusal.source
      );
    end if;
  end loop;
  update public.merge_log set undone_at = now() where id = _merge_id;
end
$$;

--
-- Name: FUNCTION undo_merge(_merge_id uuid); Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON FUNCTION public.undo_merge(_merge_id uuid) IS 'Makes two contacts of one that was merged within thirty days; what was changed since stays. The rule: top of its migration.';

--
-- Name: ai_consents; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.ai_consents (
    user_id uuid NOT NULL,
    host text NOT NULL,
    provider text NOT NULL,
    in_eu boolean,
    agreed_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE ai_consents; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.ai_consents IS 'Providers of models to which a person has agreed to send questions, and what they were told of them.';

--
-- Name: COLUMN ai_consents.host; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON COLUMN private.ai_consents.host IS 'Where it is asked: the same provider elsewhere is asked for anew.';

--
-- Name: COLUMN ai_consents.in_eu; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON COLUMN private.ai_consents.in_eu IS 'Whether it answers from the European Union; null: it was not known.';

--
-- Name: assistant_use; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.assistant_use (
    user_id uuid NOT NULL,
    span interval NOT NULL,
    started_at timestamp with time zone DEFAULT now() NOT NULL,
    turns integer DEFAULT 0 NOT NULL
);

--
-- Name: TABLE assistant_use; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.assistant_use IS 'Turns of a person in the running minute, hour and day; each begins with its first turn.';

--
-- Name: calendar_feeds; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.calendar_feeds (
    user_id uuid NOT NULL,
    secret_hash bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT secret_hash_is_sha_256 CHECK ((octet_length(secret_hash) = 32))
);

--
-- Name: TABLE calendar_feeds; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.calendar_feeds IS 'Who has a calendar feed, and the digest of its secret.';

--
-- Name: contact_search; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.contact_search (
    contact_id uuid NOT NULL,
    user_id uuid NOT NULL,
    words text NOT NULL,
    document tsvector NOT NULL
);

--
-- Name: TABLE contact_search; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.contact_search IS 'What each contact that is shown is found by; written by triggers only.';

--
-- Name: demo_rows; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.demo_rows (
    user_id uuid NOT NULL,
    held_by text NOT NULL,
    row_id uuid NOT NULL
);

--
-- Name: TABLE demo_rows; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.demo_rows IS 'Which rows of an owner are demo data.';

--
-- Name: document_search; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.document_search (
    document_id uuid NOT NULL,
    page integer NOT NULL,
    user_id uuid NOT NULL,
    lexemes integer[] NOT NULL,
    text text
);

--
-- Name: TABLE document_search; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.document_search IS 'What each page outside of the trash is found by; written by triggers only, which also count its words.';

--
-- Name: document_words; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.document_words (
    user_id uuid NOT NULL,
    word text NOT NULL COLLATE pg_catalog."C",
    stem text NOT NULL COLLATE pg_catalog."C",
    grams integer[] NOT NULL,
    pages integer NOT NULL
)
WITH (fillfactor='80');

--
-- Name: TABLE document_words; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.document_words IS 'The words of each owner''s documents, and how many pages hold them; by triggers only.';

--
-- Name: COLUMN document_words.grams; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON COLUMN private.document_words.grams IS 'Four letters each, mixed with the owner: what near misses share.';

--
-- Name: early_bird_seats; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.early_bird_seats (
    seat smallint NOT NULL,
    user_id uuid,
    taken_at timestamp with time zone,
    mailbox bytea,
    CONSTRAINT a_taken_seat_says_when CHECK (((user_id IS NULL) = (taken_at IS NULL))),
    CONSTRAINT there_are_a_hundred CHECK (((seat >= 1) AND (seat <= 100)))
);

--
-- Name: TABLE early_bird_seats; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.early_bird_seats IS 'The hundred early-bird seats and who took them.';

--
-- Name: import_rows; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.import_rows (
    batch_id uuid NOT NULL,
    row_number integer NOT NULL,
    outcome text NOT NULL,
    message text,
    CONSTRAINT outcome_is_known CHECK ((outcome = ANY (ARRAY['created'::text, 'updated'::text, 'skipped'::text, 'failed'::text])))
);

--
-- Name: TABLE import_rows; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.import_rows IS 'What became of each row of a file: a row that is sent again is not done again.';

--
-- Name: memory_tombstones; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.memory_tombstones (
    user_id uuid NOT NULL,
    digest bytea NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE memory_tombstones; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.memory_tombstones IS 'Digests of what a person had forgotten: it is not learned again.';

--
-- Name: message_search; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.message_search (
    message_id uuid NOT NULL,
    user_id uuid NOT NULL,
    document tsvector NOT NULL
);

--
-- Name: TABLE message_search; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.message_search IS 'What each message is found by; written by a trigger only.';

--
-- Name: order_disputes; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.order_disputes (
    id text NOT NULL,
    order_id uuid NOT NULL,
    status text NOT NULL,
    told_at timestamp with time zone NOT NULL,
    step integer NOT NULL
);

--
-- Name: TABLE order_disputes; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.order_disputes IS 'Disputes of payments, and how far each is.';

--
-- Name: payment_fetches; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.payment_fetches (
    provider text NOT NULL,
    fetched_at timestamp with time zone NOT NULL
);

--
-- Name: TABLE payment_fetches; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.payment_fetches IS 'When the events of a provider were last fetched to the end.';

--
-- Name: run_events; Type: TABLE; Schema: private; Owner: -
--

CREATE UNLOGGED TABLE private.run_events (
    run_id uuid NOT NULL,
    seq bigint NOT NULL,
    event text NOT NULL,
    data jsonb NOT NULL
);

--
-- Name: TABLE run_events; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.run_events IS 'What was streamed of an answer, for who comes back; gone ten minutes after its end.';

--
-- Name: waiting_list_left; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.waiting_list_left (
    token_hash bytea NOT NULL,
    left_at timestamp with time zone NOT NULL,
    CONSTRAINT token_hash_is_sha_256 CHECK ((octet_length(token_hash) = 32))
);

--
-- Name: TABLE waiting_list_left; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.waiting_list_left IS 'Tokens whose address has left, and no address: whoever presses again hears the same; kept for a week.';

--
-- Name: waiting_list_requests; Type: TABLE; Schema: private; Owner: -
--

CREATE TABLE private.waiting_list_requests (
    id bigint NOT NULL,
    caller text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    CONSTRAINT caller_is_a_digest CHECK ((caller ~ '^[0-9a-f]{32}$'::text))
);

--
-- Name: TABLE waiting_list_requests; Type: COMMENT; Schema: private; Owner: -
--

COMMENT ON TABLE private.waiting_list_requests IS 'How often somebody asked to join, by the digest of their address; kept for an hour.';

--
-- Name: waiting_list_requests_id_seq; Type: SEQUENCE; Schema: private; Owner: -
--

ALTER TABLE private.waiting_list_requests ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME private.waiting_list_requests_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: analytics_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.analytics_events (
    id bigint NOT NULL,
    event_name text NOT NULL,
    user_id uuid,
    session_id text NOT NULL,
    properties jsonb,
    referrer text,
    user_agent text NOT NULL,
    ip_hash text DEFAULT 'unknown'::text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT event_name_is_an_identifier CHECK ((event_name ~ '^[a-z][a-z0-9_]{0,63}$'::text)),
    CONSTRAINT ip_hash_is_a_digest CHECK (((ip_hash = 'unknown'::text) OR (ip_hash ~ '^[0-9a-f]{16}$'::text))),
    CONSTRAINT properties_are_a_small_object CHECK (((jsonb_typeof(properties) = 'object'::text) AND (octet_length((properties)::text) <= 4096))),
    CONSTRAINT session_id_is_an_identifier CHECK ((session_id ~ '^[A-Za-z0-9_-]{1,64}$'::text)),
    CONSTRAINT texts_fit CHECK (((char_length(referrer) <= 2048) AND (char_length(user_agent) <= 1024)))
);

--
-- Name: TABLE analytics_events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.analytics_events IS 'Use of the product, written after consent; kept 24 months.';

--
-- Name: analytics_events_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.analytics_events ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.analytics_events_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: catalog_versions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.catalog_versions (
    version integer NOT NULL,
    note public.single_line NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    published_at timestamp with time zone,
    CONSTRAINT versions_count_from_one CHECK ((version > 0))
);

--
-- Name: TABLE catalog_versions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.catalog_versions IS 'Editions of the catalogue; the newest published one is in force.';

--
-- Name: claims; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.claims (
    version integer NOT NULL,
    key text NOT NULL,
    surface text NOT NULL,
    text public.single_line NOT NULL,
    value numeric,
    unit public.single_line,
    formula text,
    base text,
    source public.single_line NOT NULL,
    status public.claim_status NOT NULL,
    effective_key text,
    CONSTRAINT a_conflict_says_what_holds CHECK (((status <> 'in_conflitto'::public.claim_status) OR (effective_key IS NOT NULL))),
    CONSTRAINT a_formula_has_a_value CHECK (((formula IS NULL) OR (value IS NOT NULL))),
    CONSTRAINT a_value_has_a_unit CHECK (((value IS NULL) = (unit IS NULL))),
    CONSTRAINT keys_are_dotted_slugs CHECK ((key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'::text))
);

--
-- Name: TABLE claims; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.claims IS 'What the pages assert: text and value, how it was reckoned, and what holds when two of them differ.';

--
-- Name: COLUMN claims.surface; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.claims.surface IS 'The pages that say it, separated by a comma.';

--
-- Name: COLUMN claims.formula; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.claims.formula IS 'Arithmetic over claims and catalogue (plans.<id>.price, packs.<id>.credits, …) whose rounded result is the value.';

--
-- Name: COLUMN claims.base; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.claims.base IS 'Small print: what the claim compares with, or how it is meant.';

--
-- Name: COLUMN claims.effective_key; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.claims.effective_key IS 'The claim, or the value of the catalogue, that holds instead.';

--
-- Name: consent_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.consent_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    channel public.consent_channel NOT NULL,
    purpose public.consent_purpose NOT NULL,
    state public.consent_state NOT NULL,
    legal_basis public.single_line,
    wording text,
    source public.single_line,
    at timestamp with time zone DEFAULT now() NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE consent_events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.consent_events IS 'Proof of every consent that was given, refused or taken back: only added to. A merge may change whom it is about.';

--
-- Name: contact_distinct; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.contact_distinct (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    a_id uuid NOT NULL,
    b_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT the_smaller_id_comes_first CHECK ((a_id < b_id))
);

--
-- Name: TABLE contact_distinct; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.contact_distinct IS 'Pairs of which the owner said «non sono la stessa persona».';

--
-- Name: credit_ledger_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.credit_ledger ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.credit_ledger_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: credit_lots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_lots (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    kind public.credit_lot_kind NOT NULL,
    amount bigint NOT NULL,
    remaining bigint NOT NULL,
    held bigint DEFAULT 0 NOT NULL,
    expires_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    order_id uuid,
    paid_cents bigint DEFAULT 0 NOT NULL,
    CONSTRAINT a_lot_brings_credits CHECK ((amount > 0)),
    CONSTRAINT a_lot_gives_no_more_than_it_brought CHECK (((remaining >= 0) AND (held >= 0) AND ((remaining + held) <= amount))),
    CONSTRAINT only_orders_are_paid CHECK (((paid_cents >= 0) AND ((paid_cents = 0) OR (order_id IS NOT NULL)))),
    CONSTRAINT what_is_free_costs_nothing CHECK (((paid_cents = 0) OR (kind = ANY (ARRAY['acquisto'::public.credit_lot_kind, 'piano'::public.credit_lot_kind]))))
);

--
-- Name: TABLE credit_lots; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_lots IS 'Credits that came together: same origin, same expiry; remaining is not held.';

--
-- Name: COLUMN credit_lots.paid_cents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.credit_lots.paid_cents IS 'What was paid for all credits of the lot, in cents; 0: free.';

--
-- Name: credit_prices; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_prices (
    version integer NOT NULL,
    action text NOT NULL,
    "position" smallint NOT NULL,
    name public.single_line NOT NULL,
    min_credits bigint NOT NULL,
    max_credits bigint NOT NULL,
    note public.single_line,
    CONSTRAINT a_price_has_a_range CHECK (((min_credits >= 0) AND (max_credits >= min_credits))),
    CONSTRAINT actions_are_slugs CHECK ((action ~ '^[a-z][a-z0-9_]{0,30}$'::text))
);

--
-- Name: TABLE credit_prices; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_prices IS 'What an action costs in credits; max is what is held before it, min differs where the work decides.';

--
-- Name: credit_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.credit_settings (
    user_id uuid NOT NULL,
    low_threshold integer DEFAULT 5 NOT NULL,
    monthly_cap bigint,
    CONSTRAINT low_threshold_is_reasonable CHECK (((low_threshold >= 0) AND (low_threshold <= 1000000))),
    CONSTRAINT monthly_cap_is_reasonable CHECK (((monthly_cap >= 0) AND (monthly_cap <= 1000000000)))
);

--
-- Name: TABLE credit_settings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.credit_settings IS 'When an owner wants to be warned of few credits, and how many work may use in a calendar month.';

--
-- Name: deal_stage_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deal_stage_log (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    deal_id uuid NOT NULL,
    stage_id uuid NOT NULL,
    entered_at timestamp with time zone NOT NULL,
    left_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT leaves_after_it_entered CHECK ((left_at >= entered_at))
);

--
-- Name: TABLE deal_stage_log; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.deal_stage_log IS 'Each stay of a deal in a stage, written by trigger; the present one has not been left.';

--
-- Name: deals; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.deals (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid,
    title public.single_line NOT NULL,
    amount_cents bigint DEFAULT 0 NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    stage_id uuid NOT NULL,
    "position" text DEFAULT 'a0'::text NOT NULL COLLATE pg_catalog."C",
    probability smallint,
    expected_close date,
    stage_since timestamp with time zone DEFAULT now() NOT NULL,
    won_at timestamp with time zone,
    lost_at timestamp with time zone,
    lost_reason public.single_line,
    origin public.contact_origin DEFAULT 'manuale'::public.contact_origin NOT NULL,
    import_batch_id uuid,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT amount_is_sensible CHECK (((amount_cents >= 0) AND (amount_cents <= '100000000000'::bigint))),
    CONSTRAINT currency_is_a_code CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT ends_one_way CHECK (((won_at IS NULL) OR (lost_at IS NULL))),
    CONSTRAINT only_the_lost_have_a_reason CHECK (((lost_reason IS NULL) OR (lost_at IS NOT NULL))),
    CONSTRAINT position_is_a_key CHECK (("position" ~ '^[0-9A-Za-z]{1,100}$'::text)),
    CONSTRAINT probability_is_a_percentage CHECK (((probability >= 0) AND (probability <= 100)))
);

--
-- Name: TABLE deals; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.deals IS 'What may become work for a client: an amount in a stage of the pipeline.';

--
-- Name: COLUMN deals."position"; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deals."position" IS 'Place among the cards of its stage: a fractional key, compared byte by byte.';

--
-- Name: COLUMN deals.probability; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deals.probability IS 'The owner''s own guess; null: that of the stage.';

--
-- Name: COLUMN deals.stage_since; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deals.stage_since IS 'When it came into its stage; won_at and lost_at follow it, all three by trigger.';

--
-- Name: COLUMN deals.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.deals.deleted_at IS 'In the trash since.';

--
-- Name: document_aliases; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_aliases (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    contact_id uuid NOT NULL,
    kind public.document_alias_kind NOT NULL,
    value text NOT NULL,
    state public.document_alias_state NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT value_fits CHECK (((value ~ '[^[:space:]]'::text) AND (char_length(value) <= 300)))
);

--
-- Name: TABLE document_aliases; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_aliases IS 'By what documents show a contact was recognised, or was not; values as private.alias_value() writes them.';

--
-- Name: document_corrections; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_corrections (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    vat_number text NOT NULL,
    key text NOT NULL,
    label text,
    kind public.document_kind,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT it_teaches_something CHECK (((label IS NOT NULL) OR (kind IS NOT NULL))),
    CONSTRAINT texts_fit CHECK (((char_length(vat_number) <= 30) AND (key ~ '^[a-z][a-z0-9_]{0,49}$'::text) AND (char_length(label) <= 200)))
);

--
-- Name: TABLE document_corrections; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_corrections IS 'What an owner''s word taught about a supplier: beside which label a value stands, or (key kind) what its documents are.';

--
-- Name: document_fields; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_fields (
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    key text NOT NULL,
    value text NOT NULL,
    confidence real NOT NULL,
    page integer,
    box integer[],
    label text,
    source public.document_field_source NOT NULL,
    confirmed_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT box_has_four_sides CHECK (((cardinality(box) = 4) AND (array_position(box, NULL::integer) IS NULL))),
    CONSTRAINT confidence_is_a_part CHECK (((confidence >= (0)::double precision) AND (confidence <= (1)::double precision))),
    CONSTRAINT key_is_a_name CHECK ((key ~ '^[a-z][a-z0-9_]{0,49}$'::text)),
    CONSTRAINT label_fits CHECK ((char_length(label) <= 200)),
    CONSTRAINT value_fits CHECK (((value ~ '[^[:space:]]'::text) AND (char_length(value) <= 1000)))
);

--
-- Name: TABLE document_fields; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_fields IS 'What was read out of a document, with the place where it stands.';

--
-- Name: COLUMN document_fields.value; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.document_fields.value IS 'A date is ISO 8601, an amount of money its cents.';

--
-- Name: COLUMN document_fields.label; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.document_fields.label IS 'The words beside which the value stands.';

--
-- Name: document_links; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_links (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    document_id uuid NOT NULL,
    deal_id uuid,
    task_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_link_leads_to_one_thing CHECK ((num_nonnulls(deal_id, task_id) = 1))
);

--
-- Name: TABLE document_links; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_links IS 'Which document belongs to which deal or task.';

--
-- Name: document_pages; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_pages (
    user_id uuid NOT NULL,
    document_id uuid NOT NULL,
    no integer NOT NULL,
    state public.document_page_state DEFAULT 'attesa'::public.document_page_state NOT NULL,
    source public.document_page_source,
    text text DEFAULT ''::text NOT NULL,
    words jsonb DEFAULT '[]'::jsonb NOT NULL,
    width real,
    height real,
    rotation smallint DEFAULT 0 NOT NULL,
    confidence real,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT confidence_is_a_percentage CHECK (((confidence >= (0)::double precision) AND (confidence <= (100)::double precision))),
    CONSTRAINT no_counts_from_one CHECK ((no >= 1)),
    CONSTRAINT rotation_is_a_quarter CHECK ((rotation = ANY (ARRAY[0, 90, 180, 270]))),
    CONSTRAINT words_are_a_list CHECK ((jsonb_typeof(words) = 'array'::text))
);

--
-- Name: TABLE document_pages; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_pages IS 'The pages of a document, one row each, as far as they were read.';

--
-- Name: COLUMN document_pages.words; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.document_pages.words IS 'What stands where, in reading order: [text, x0, y0, x1, y1, confidence 0..100] in 1/10000 of the page as it is shown.';

--
-- Name: COLUMN document_pages.width; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.document_pages.width IS 'In points, as height.';

--
-- Name: document_tags; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.document_tags (
    user_id uuid DEFAULT auth.uid() NOT NULL,
    document_id uuid NOT NULL,
    tag_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE document_tags; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.document_tags IS 'Which document wears which tag.';

--
-- Name: drafts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.drafts (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid,
    conversation_id uuid,
    channel text NOT NULL,
    recipient text,
    subject public.single_line,
    body text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT a_message_has_no_subject CHECK (((channel = 'email'::text) OR (subject IS NULL))),
    CONSTRAINT body_fits CHECK (((char_length(body) >= 1) AND (char_length(body) <= 20000))),
    CONSTRAINT channels_are_two CHECK ((channel = ANY (ARRAY['email'::text, 'whatsapp'::text]))),
    CONSTRAINT recipient_fits CHECK (((recipient ~ '[^[:space:]]'::text) AND (recipient !~ '[[:cntrl:]]'::text) AND (char_length(recipient) <= 320)))
);

--
-- Name: TABLE drafts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.drafts IS 'Messages to contacts that were written and not sent.';

--
-- Name: COLUMN drafts.recipient; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.drafts.recipient IS 'An e-mail address, or a telephone number in E.164.';

--
-- Name: COLUMN drafts.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.drafts.deleted_at IS 'In the trash since.';

--
-- Name: error_logs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.error_logs (
    id bigint NOT NULL,
    user_id uuid,
    session_id text NOT NULL,
    error_message text NOT NULL,
    error_stack text,
    component_stack text,
    url text,
    user_agent text,
    severity public.error_severity DEFAULT 'critical'::public.error_severity NOT NULL,
    metadata jsonb,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT metadata_is_a_small_object CHECK (((jsonb_typeof(metadata) = 'object'::text) AND (octet_length((metadata)::text) <= 4096))),
    CONSTRAINT session_id_is_an_identifier CHECK ((session_id ~ '^[A-Za-z0-9_-]{1,64}$'::text)),
    CONSTRAINT texts_fit CHECK (((char_length(error_message) <= 4000) AND (char_length(error_stack) <= 16000) AND (char_length(component_stack) <= 16000) AND (char_length(url) <= 2048) AND (char_length(user_agent) <= 1024)))
);

--
-- Name: TABLE error_logs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.error_logs IS 'Rendering errors of the client; attacker-writable text, to be shown as text only; kept 90 days.';

--
-- Name: error_logs_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.error_logs ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.error_logs_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: fiscal_documents; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.fiscal_documents (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    order_id uuid NOT NULL,
    kind public.fiscal_document_kind NOT NULL,
    amount_cents bigint NOT NULL,
    reference text NOT NULL,
    state public.fiscal_document_state DEFAULT 'queued'::public.fiscal_document_state NOT NULL,
    xml text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT a_document_is_about_money CHECK ((amount_cents > 0))
);

--
-- Name: TABLE fiscal_documents; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.fiscal_documents IS 'Documents an intermediary will send to the tax office (SdI): queued with the sale or refund.';

--
-- Name: hold_lots; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.hold_lots (
    hold_id uuid NOT NULL,
    lot_id uuid NOT NULL,
    user_id uuid NOT NULL,
    part integer NOT NULL,
    amount bigint NOT NULL,
    captured bigint DEFAULT 0 NOT NULL,
    CONSTRAINT a_part_is_held_and_captured_in_full_at_most CHECK (((amount > 0) AND ((captured >= 0) AND (captured <= amount))))
);

--
-- Name: TABLE hold_lots; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.hold_lots IS 'Which lots a hold reserves, and how much of each was used.';

--
-- Name: interactions; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.interactions (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    kind public.interaction_kind NOT NULL,
    direction public.interaction_direction,
    at timestamp with time zone DEFAULT now() NOT NULL,
    summary text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT summary_fits CHECK (((char_length(summary) >= 1) AND (char_length(summary) <= 20000)))
);

--
-- Name: TABLE interactions; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.interactions IS 'Calls, mails, messages and meetings with a contact: what the cadence counts.';

--
-- Name: invoice_schedules; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.invoice_schedules (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    invoice_id uuid NOT NULL,
    no integer DEFAULT 1 NOT NULL,
    due_on date,
    amount_cents bigint NOT NULL,
    method text,
    iban text,
    paid_on date,
    task_id uuid,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT iban_fits CHECK ((char_length(iban) <= 50)),
    CONSTRAINT method_is_one CHECK ((method ~ '^MP[0-9]{2}$'::text)),
    CONSTRAINT no_counts_from_one CHECK ((no >= 1))
);

--
-- Name: TABLE invoice_schedules; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.invoice_schedules IS 'When how much of an invoice is to be paid.';

--
-- Name: COLUMN invoice_schedules.due_on; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoice_schedules.due_on IS 'Null: at once, or whenever was agreed.';

--
-- Name: COLUMN invoice_schedules.task_id; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.invoice_schedules.task_id IS 'The task that reminds of it.';

--
-- Name: job_progress; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.job_progress (
    user_id uuid NOT NULL,
    job_key text NOT NULL,
    state public.job_state DEFAULT 'waiting'::public.job_state NOT NULL,
    done integer DEFAULT 0 NOT NULL,
    total integer,
    message public.single_line,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT done_is_a_part_of_total CHECK (((done >= 0) AND ((total IS NULL) OR (done <= total)))),
    CONSTRAINT job_key_is_an_identifier CHECK (((job_key ~ '^[a-z][a-z0-9_]*(:[A-Za-z0-9_-]+)*$'::text) AND (char_length(job_key) <= 128)))
);

--
-- Name: TABLE job_progress; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.job_progress IS 'How far the work is that a user waits for; a finished row is kept for a week.';

--
-- Name: COLUMN job_progress.total; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.job_progress.total IS 'Null while nobody knows how much there is to do.';

--
-- Name: memory_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memory_settings (
    user_id uuid DEFAULT auth.uid() NOT NULL,
    is_active boolean DEFAULT true NOT NULL,
    in_new_chats boolean DEFAULT true NOT NULL
);

--
-- Name: TABLE memory_settings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.memory_settings IS 'Whether the assistant remembers at all, and in new conversations; no row means both.';

--
-- Name: memory_uses; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.memory_uses (
    user_id uuid NOT NULL,
    memory_id uuid NOT NULL,
    message_id uuid NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE memory_uses; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.memory_uses IS 'Which memories stood beside which answer («Perché lo sai?»).';

--
-- Name: merge_log; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.merge_log (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    winner_id uuid NOT NULL,
    loser_id uuid,
    loser_name text NOT NULL,
    choices jsonb NOT NULL,
    changes jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    undone_at timestamp with time zone
);

--
-- Name: TABLE merge_log; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.merge_log IS 'Merges of contacts; after thirty days only that they were.';

--
-- Name: COLUMN merge_log.changes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.merge_log.changes IS 'What to undo, in the order in which it was done: {table, key, before, after} of columns, {table, column, rows, before, after} of rows that were moved, {table, added} of rows that were added.';

--
-- Name: message_feedback; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.message_feedback (
    user_id uuid DEFAULT auth.uid() NOT NULL,
    message_id uuid NOT NULL,
    score smallint NOT NULL,
    reason text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT reason_fits CHECK (((char_length(reason) >= 1) AND (char_length(reason) <= 500))),
    CONSTRAINT score_is_a_thumb CHECK ((score = ANY (ARRAY['-1'::integer, 1])))
);

--
-- Name: TABLE message_feedback; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.message_feedback IS 'What people thought of an answer.';

--
-- Name: notes; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notes (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    contact_id uuid NOT NULL,
    body text NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    deleted_at timestamp with time zone,
    CONSTRAINT body_fits CHECK (((body ~ '[^[:space:]]'::text) AND (char_length(body) <= 20000)))
);

--
-- Name: TABLE notes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.notes IS 'What the owner wrote about a contact (markdown).';

--
-- Name: COLUMN notes.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.notes.deleted_at IS 'In the trash since.';

--
-- Name: notifications; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.notifications (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    title public.single_line NOT NULL,
    message text NOT NULL,
    type public.notification_type DEFAULT 'info'::public.notification_type NOT NULL,
    is_read boolean DEFAULT false NOT NULL,
    read_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    action_url public.relative_path,
    CONSTRAINT message_fits CHECK (((char_length(message) >= 1) AND (char_length(message) <= 2000))),
    CONSTRAINT unread_was_not_read CHECK ((is_read OR (read_at IS NULL)))
);

--
-- Name: TABLE notifications; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.notifications IS 'Messages to one user, listed by the bell and the notifications page; kept 12 months once read.';

--
-- Name: COLUMN notifications.action_url; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.notifications.action_url IS 'Where a click leads: always a path inside the client.';

--
-- Name: order_refunds; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.order_refunds (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    order_id uuid NOT NULL,
    amount_cents bigint NOT NULL,
    credits bigint NOT NULL,
    state public.order_refund_state DEFAULT 'requested'::public.order_refund_state NOT NULL,
    provider_refund text,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    settled_at timestamp with time zone,
    CONSTRAINT a_refund_gives_something_back CHECK (((amount_cents > 0) AND (credits >= 0))),
    CONSTRAINT a_settled_refund_says_when CHECK (((state = 'requested'::public.order_refund_state) = (settled_at IS NULL)))
);

--
-- Name: TABLE order_refunds; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.order_refunds IS 'Money we owe for a withdrawal: its credits are gone already, a job asks Stripe to pay.';

--
-- Name: packs; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.packs (
    version integer NOT NULL,
    id text NOT NULL,
    "position" smallint NOT NULL,
    name public.single_line NOT NULL,
    store_name public.single_line NOT NULL,
    description public.single_line NOT NULL,
    credits bigint NOT NULL,
    bonus bigint DEFAULT 0 NOT NULL,
    price_cents bigint NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    features text[] NOT NULL,
    popular boolean DEFAULT false NOT NULL,
    badge public.single_line,
    CONSTRAINT a_pack_brings_credits CHECK (((credits > 0) AND (bonus >= 0))),
    CONSTRAINT a_pack_costs_something CHECK ((price_cents > 0)),
    CONSTRAINT currencies_are_iso_codes CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT ids_are_slugs CHECK ((id ~ '^[a-z][a-z0-9_]{0,30}$'::text))
);

--
-- Name: TABLE packs; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.packs IS 'Credits sold once: price and credits that checkout takes by pack id, never from the client.';

--
-- Name: COLUMN packs.name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.packs.name IS 'On /pricing.';

--
-- Name: COLUMN packs.store_name; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.packs.store_name IS 'The purchase button of the store.';

--
-- Name: payment_alerts; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.payment_alerts (
    id bigint NOT NULL,
    kind public.payment_alert_kind NOT NULL,
    order_id uuid,
    event_id text,
    details jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    resolved_at timestamp with time zone,
    told_at timestamp with time zone
);

--
-- Name: TABLE payment_alerts; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.payment_alerts IS 'What a person must look at: money that does not fit an order.';

--
-- Name: COLUMN payment_alerts.told_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.payment_alerts.told_at IS 'When the mail to the admins went into the outbox.';

--
-- Name: payment_alerts_id_seq; Type: SEQUENCE; Schema: public; Owner: -
--

ALTER TABLE public.payment_alerts ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.payment_alerts_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);

--
-- Name: plans; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.plans (
    version integer NOT NULL,
    id text NOT NULL,
    "position" smallint NOT NULL,
    name public.single_line NOT NULL,
    price_cents bigint NOT NULL,
    currency text DEFAULT 'EUR'::text NOT NULL,
    period public.plan_period NOT NULL,
    credits bigint NOT NULL,
    features text[] NOT NULL,
    highlight boolean DEFAULT false NOT NULL,
    badge public.single_line,
    savings public.single_line,
    CONSTRAINT a_plan_brings_credits CHECK ((credits > 0)),
    CONSTRAINT currencies_are_iso_codes CHECK ((currency ~ '^[A-Z]{3}$'::text)),
    CONSTRAINT ids_are_slugs CHECK ((id ~ '^[a-z][a-z0-9_]{0,30}$'::text)),
    CONSTRAINT prices_are_never_negative CHECK ((price_cents >= 0))
);

--
-- Name: TABLE plans; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.plans IS 'Recurring plans as the landing and the store show them.';

--
-- Name: projects; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.projects (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    name public.single_line NOT NULL,
    contact_id uuid,
    color text,
    status public.project_status DEFAULT 'attivo'::public.project_status NOT NULL,
    starts_on date,
    due_on date,
    budget_cents bigint,
    note text,
    origin text DEFAULT 'manuale'::text NOT NULL,
    deleted_at timestamp with time zone,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT budget_is_an_amount CHECK (((budget_cents >= 0) AND (budget_cents <= '100000000000'::bigint))),
    CONSTRAINT color_is_a_name_or_hex CHECK ((color ~ '^(#[0-9a-f]{6}|[a-z][a-z0-9-]{0,19})$'::text)),
    CONSTRAINT dates_are_in_order CHECK ((starts_on <= due_on)),
    CONSTRAINT note_fits CHECK (((char_length(note) >= 1) AND (char_length(note) <= 20000))),
    CONSTRAINT origin_is_a_name CHECK ((origin ~ '^[a-z_]{1,30}$'::text))
);

--
-- Name: TABLE projects; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.projects IS 'Work for a client, or of one''s own: what its tasks add up to.';

--
-- Name: COLUMN projects.deleted_at; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.projects.deleted_at IS 'In the trash since; its tasks stay.';

--
-- Name: segments; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.segments (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid DEFAULT auth.uid() NOT NULL,
    name public.single_line NOT NULL,
    filter jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT filter_is_an_object CHECK (((jsonb_typeof(filter) = 'object'::text) AND (char_length((filter)::text) <= 10000)))
);

--
-- Name: TABLE segments; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.segments IS 'Saved filters of the contact list.';

--
-- Name: site_settings; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.site_settings (
    key text NOT NULL,
    value jsonb NOT NULL,
    updated_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT keys_are_dotted_slugs CHECK ((key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'::text)),
    CONSTRAINT simulated_scarcity_is_a_switch CHECK (((key <> 'marketing.simulated_scarcity'::text) OR (jsonb_typeof(value) = 'boolean'::text)))
);

--
-- Name: TABLE site_settings; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.site_settings IS 'Switches of the public pages; what begins with marketing. is for everybody to read.';

--
-- Name: task_events; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.task_events (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    user_id uuid NOT NULL,
    task_id uuid NOT NULL,
    kind public.task_event_kind NOT NULL,
    at timestamp with time zone DEFAULT now() NOT NULL,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE task_events; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.task_events IS 'What happened to a task, written by trigger: data holds from and to.';

--
-- Name: timeline; Type: VIEW; Schema: public; Owner: -
--

CREATE VIEW public.timeline WITH (security_invoker='on') AS
 SELECT ('interaction:'::text || interactions.id) AS id,
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
 SELECT ('invoice:'::text || invoices.id) AS id,
    invoices.user_id,
    invoices.contact_id,
    'pagamento'::text AS kind,
    ((invoices.paid_on)::timestamp without time zone AT TIME ZONE 'Europe/Rome'::text) AS at,
        CASE invoices.direction
            WHEN 'attiva'::public.invoice_direction THEN 'Fattura incassata'::text
            ELSE 'Fattura pagata'::text
        END AS title,
    ('Fattura '::text || invoices.number) AS body,
    'document'::text AS ref_type,
    invoices.document_id AS ref_id,
    jsonb_build_object('invoice_id', invoices.id, 'direction', invoices.direction, 'total_cents', invoices.total_cents, 'currency', invoices.currency) AS data
   FROM (public.invoices
     JOIN public.documents ON (((documents.user_id = invoices.user_id) AND (documents.id = invoices.document_id))))
  WHERE ((invoices.contact_id IS NOT NULL) AND (invoices.paid_on IS NOT NULL) AND (documents.deleted_at IS NULL));

--
-- Name: VIEW timeline; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON VIEW public.timeline IS 'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

--
-- Name: user_roles; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.user_roles (
    user_id uuid NOT NULL,
    role public.app_role NOT NULL,
    granted_at timestamp with time zone DEFAULT now() NOT NULL
);

--
-- Name: TABLE user_roles; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.user_roles IS 'Roles beyond an ordinary account; written by the server only.';

--
-- Name: waiting_list; Type: TABLE; Schema: public; Owner: -
--

CREATE TABLE public.waiting_list (
    email text NOT NULL,
    consent_at timestamp with time zone NOT NULL,
    consent_version text NOT NULL,
    token_hash bytea NOT NULL,
    mailed_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    earlier_token_hashes bytea[] DEFAULT '{}'::bytea[] NOT NULL,
    CONSTRAINT consent_version_is_named CHECK ((consent_version ~ '^[a-z0-9][a-z0-9.-]{0,31}$'::text)),
    CONSTRAINT email_is_lower_case_and_plausible CHECK (((email = lower(email)) AND (char_length(email) <= 254) AND (email ~ '^[^@[:space:][:cntrl:]]+@[^@[:space:][:cntrl:]]+$'::text))),
    CONSTRAINT token_hash_is_sha_256 CHECK ((octet_length(token_hash) = 32))
);

--
-- Name: TABLE waiting_list; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON TABLE public.waiting_list IS 'Who wants to hear of the next offer: a week unconfirmed, 24 months from the confirmation, or until the person leaves.';

--
-- Name: COLUMN waiting_list.earlier_token_hashes; Type: COMMENT; Schema: public; Owner: -
--

COMMENT ON COLUMN public.waiting_list.earlier_token_hashes IS 'SHA-256 of the tokens in the mails before: they confirm nothing any more, but lead out of the list.';

--
-- Name: ai_consents ai_consents_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.ai_consents
    ADD CONSTRAINT ai_consents_pkey PRIMARY KEY (user_id, host);

--
-- Name: assistant_use assistant_use_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.assistant_use
    ADD CONSTRAINT assistant_use_pkey PRIMARY KEY (user_id, span);

--
-- Name: calendar_feeds calendar_feeds_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.calendar_feeds
    ADD CONSTRAINT calendar_feeds_pkey PRIMARY KEY (user_id);

--
-- Name: calendar_feeds calendar_feeds_secret_hash_key; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.calendar_feeds
    ADD CONSTRAINT calendar_feeds_secret_hash_key UNIQUE (secret_hash);

--
-- Name: contact_search contact_search_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.contact_search
    ADD CONSTRAINT contact_search_pkey PRIMARY KEY (contact_id);

--
-- Name: demo_rows demo_rows_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.demo_rows
    ADD CONSTRAINT demo_rows_pkey PRIMARY KEY (user_id, held_by, row_id);

--
-- Name: document_search document_search_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.document_search
    ADD CONSTRAINT document_search_pkey PRIMARY KEY (document_id, page);

--
-- Name: document_words document_words_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.document_words
    ADD CONSTRAINT document_words_pkey PRIMARY KEY (user_id, word);

--
-- Name: early_bird_seats early_bird_seats_mailbox_key; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.early_bird_seats
    ADD CONSTRAINT early_bird_seats_mailbox_key UNIQUE (mailbox);

--
-- Name: early_bird_seats early_bird_seats_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.early_bird_seats
    ADD CONSTRAINT early_bird_seats_pkey PRIMARY KEY (seat);

--
-- Name: early_bird_seats early_bird_seats_user_id_key; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.early_bird_seats
    ADD CONSTRAINT early_bird_seats_user_id_key UNIQUE (user_id);

--
-- Name: import_changes import_changes_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.import_changes
    ADD CONSTRAINT import_changes_pkey PRIMARY KEY (batch_id, contact_id);

--
-- Name: import_rows import_rows_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.import_rows
    ADD CONSTRAINT import_rows_pkey PRIMARY KEY (batch_id, row_number);

--
-- Name: memory_tombstones memory_tombstones_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.memory_tombstones
    ADD CONSTRAINT memory_tombstones_pkey PRIMARY KEY (user_id, digest);

--
-- Name: message_search message_search_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.message_search
    ADD CONSTRAINT message_search_pkey PRIMARY KEY (message_id);

--
-- Name: order_disputes order_disputes_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.order_disputes
    ADD CONSTRAINT order_disputes_pkey PRIMARY KEY (id);

--
-- Name: payment_fetches payment_fetches_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.payment_fetches
    ADD CONSTRAINT payment_fetches_pkey PRIMARY KEY (provider);

--
-- Name: run_events run_events_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.run_events
    ADD CONSTRAINT run_events_pkey PRIMARY KEY (run_id, seq);

--
-- Name: waiting_list_left waiting_list_left_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.waiting_list_left
    ADD CONSTRAINT waiting_list_left_pkey PRIMARY KEY (token_hash);

--
-- Name: waiting_list_requests waiting_list_requests_pkey; Type: CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.waiting_list_requests
    ADD CONSTRAINT waiting_list_requests_pkey PRIMARY KEY (id);

--
-- Name: credit_lots an_order_gives_each_kind_once; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_lots
    ADD CONSTRAINT an_order_gives_each_kind_once UNIQUE (order_id, kind);

--
-- Name: analytics_events analytics_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analytics_events
    ADD CONSTRAINT analytics_events_pkey PRIMARY KEY (id);

--
-- Name: catalog_versions catalog_versions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_versions
    ADD CONSTRAINT catalog_versions_pkey PRIMARY KEY (version);

--
-- Name: catalog_versions catalog_versions_published_at_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.catalog_versions
    ADD CONSTRAINT catalog_versions_published_at_key UNIQUE (published_at);

--
-- Name: claims claims_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_pkey PRIMARY KEY (version, key);

--
-- Name: consent_events consent_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consent_events
    ADD CONSTRAINT consent_events_pkey PRIMARY KEY (id);

--
-- Name: consent_events consent_events_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consent_events
    ADD CONSTRAINT consent_events_user_id_id_key UNIQUE (user_id, id);

--
-- Name: consents consents_contact_id_channel_purpose_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_contact_id_channel_purpose_key UNIQUE (contact_id, channel, purpose);

--
-- Name: consents consents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_pkey PRIMARY KEY (id);

--
-- Name: consents consents_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.consents REPLICA IDENTITY USING INDEX consents_user_id_id_key;

--
-- Name: contact_distinct contact_distinct_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_pkey PRIMARY KEY (id);

--
-- Name: contact_distinct contact_distinct_user_id_a_id_b_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_user_id_a_id_b_id_key UNIQUE (user_id, a_id, b_id);

--
-- Name: contact_distinct contact_distinct_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_user_id_id_key UNIQUE (user_id, id);

--
-- Name: contact_emails contact_emails_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_pkey PRIMARY KEY (id);

--
-- Name: contact_emails contact_emails_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.contact_emails REPLICA IDENTITY USING INDEX contact_emails_user_id_id_key;

--
-- Name: contact_emails contact_emails_user_id_norm_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_user_id_norm_key UNIQUE (user_id, norm);

--
-- Name: contact_phones contact_phones_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_phones
    ADD CONSTRAINT contact_phones_pkey PRIMARY KEY (id);

--
-- Name: contact_phones contact_phones_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_phones
    ADD CONSTRAINT contact_phones_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.contact_phones REPLICA IDENTITY USING INDEX contact_phones_user_id_id_key;

--
-- Name: contact_phones contact_phones_user_id_norm_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_phones
    ADD CONSTRAINT contact_phones_user_id_norm_key UNIQUE (user_id, norm);

--
-- Name: contact_tags contact_tags_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_tags
    ADD CONSTRAINT contact_tags_pkey PRIMARY KEY (contact_id, tag_id);

--
-- Name: contacts contacts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_pkey PRIMARY KEY (id);

--
-- Name: contacts contacts_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.contacts REPLICA IDENTITY USING INDEX contacts_user_id_id_key;

--
-- Name: conversations conversations_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.conversations REPLICA IDENTITY USING INDEX conversations_identity;

--
-- Name: conversations conversations_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_pkey PRIMARY KEY (id);

--
-- Name: credit_holds credit_holds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_holds
    ADD CONSTRAINT credit_holds_pkey PRIMARY KEY (id);

--
-- Name: credit_holds credit_holds_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_holds
    ADD CONSTRAINT credit_holds_user_id_id_key UNIQUE (user_id, id);

--
-- Name: credit_holds credit_holds_user_id_idempotency_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_holds
    ADD CONSTRAINT credit_holds_user_id_idempotency_key_key UNIQUE (user_id, idempotency_key);

--
-- Name: credit_ledger credit_ledger_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT credit_ledger_pkey PRIMARY KEY (id);

--
-- Name: credit_ledger credit_ledger_user_id_idempotency_key_part_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT credit_ledger_user_id_idempotency_key_part_key UNIQUE (user_id, idempotency_key, part);

--
-- Name: credit_lots credit_lots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_lots
    ADD CONSTRAINT credit_lots_pkey PRIMARY KEY (id);

--
-- Name: credit_lots credit_lots_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_lots
    ADD CONSTRAINT credit_lots_user_id_id_key UNIQUE (user_id, id);

--
-- Name: credit_orders credit_orders_payment_intent_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_orders
    ADD CONSTRAINT credit_orders_payment_intent_key UNIQUE (payment_intent);

--
-- Name: credit_orders credit_orders_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_orders
    ADD CONSTRAINT credit_orders_pkey PRIMARY KEY (id);

--
-- Name: credit_orders credit_orders_provider_session_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_orders
    ADD CONSTRAINT credit_orders_provider_session_key UNIQUE (provider_session);

--
-- Name: credit_prices credit_prices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_prices
    ADD CONSTRAINT credit_prices_pkey PRIMARY KEY (version, action);

--
-- Name: credit_settings credit_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_settings
    ADD CONSTRAINT credit_settings_pkey PRIMARY KEY (user_id);

--
-- Name: credit_wallets credit_wallets_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_wallets
    ADD CONSTRAINT credit_wallets_pkey PRIMARY KEY (user_id);

--
-- Name: deal_stage_log deal_stage_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deal_stage_log
    ADD CONSTRAINT deal_stage_log_pkey PRIMARY KEY (id);

--
-- Name: deals deals_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.deals REPLICA IDENTITY USING INDEX deals_identity;

--
-- Name: deals deals_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_pkey PRIMARY KEY (id);

--
-- Name: document_aliases document_aliases_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_aliases
    ADD CONSTRAINT document_aliases_pkey PRIMARY KEY (id);

--
-- Name: document_aliases document_aliases_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_aliases
    ADD CONSTRAINT document_aliases_user_id_id_key UNIQUE (user_id, id);

--
-- Name: document_aliases document_aliases_user_id_kind_value_contact_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_aliases
    ADD CONSTRAINT document_aliases_user_id_kind_value_contact_id_key UNIQUE (user_id, kind, value, contact_id);

--
-- Name: document_corrections document_corrections_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_corrections
    ADD CONSTRAINT document_corrections_pkey PRIMARY KEY (id);

--
-- Name: document_corrections document_corrections_user_id_vat_number_key_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_corrections
    ADD CONSTRAINT document_corrections_user_id_vat_number_key_key UNIQUE (user_id, vat_number, key);

--
-- Name: document_fields document_fields_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_fields
    ADD CONSTRAINT document_fields_pkey PRIMARY KEY (document_id, key);

--
-- Name: document_links document_links_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_pkey PRIMARY KEY (id);

--
-- Name: document_links document_links_user_id_document_id_deal_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_document_id_deal_id_key UNIQUE (user_id, document_id, deal_id);

--
-- Name: document_links document_links_user_id_document_id_task_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_document_id_task_id_key UNIQUE (user_id, document_id, task_id);

--
-- Name: document_links document_links_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.document_links REPLICA IDENTITY USING INDEX document_links_user_id_id_key;

--
-- Name: document_pages document_pages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_pkey PRIMARY KEY (document_id, no);

--
-- Name: document_tags document_tags_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_tags
    ADD CONSTRAINT document_tags_pkey PRIMARY KEY (document_id, tag_id);

--
-- Name: documents documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_pkey PRIMARY KEY (id);

--
-- Name: documents documents_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.documents REPLICA IDENTITY USING INDEX documents_user_id_id_key;

--
-- Name: documents documents_user_id_storage_path_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_storage_path_key UNIQUE (user_id, storage_path);

--
-- Name: drafts drafts_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.drafts REPLICA IDENTITY USING INDEX drafts_identity;

--
-- Name: drafts drafts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_pkey PRIMARY KEY (id);

--
-- Name: error_logs error_logs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.error_logs
    ADD CONSTRAINT error_logs_pkey PRIMARY KEY (id);

--
-- Name: fiscal_documents fiscal_documents_order_id_kind_reference_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fiscal_documents
    ADD CONSTRAINT fiscal_documents_order_id_kind_reference_key UNIQUE (order_id, kind, reference);

--
-- Name: fiscal_documents fiscal_documents_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fiscal_documents
    ADD CONSTRAINT fiscal_documents_pkey PRIMARY KEY (id);

--
-- Name: hold_lots hold_lots_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hold_lots
    ADD CONSTRAINT hold_lots_pkey PRIMARY KEY (user_id, hold_id, part);

--
-- Name: import_batches import_batches_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_batches
    ADD CONSTRAINT import_batches_pkey PRIMARY KEY (id);

--
-- Name: import_batches import_batches_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_batches
    ADD CONSTRAINT import_batches_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.import_batches REPLICA IDENTITY USING INDEX import_batches_user_id_id_key;

--
-- Name: interactions interactions_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_pkey PRIMARY KEY (id);

--
-- Name: interactions interactions_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.interactions REPLICA IDENTITY USING INDEX interactions_user_id_id_key;

--
-- Name: invoice_schedules invoice_schedules_invoice_id_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_invoice_id_no_key UNIQUE (invoice_id, no);

--
-- Name: invoice_schedules invoice_schedules_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_pkey PRIMARY KEY (id);

--
-- Name: invoice_schedules invoice_schedules_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.invoice_schedules REPLICA IDENTITY USING INDEX invoice_schedules_user_id_id_key;

--
-- Name: invoices invoices_document_id_body_no_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_document_id_body_no_key UNIQUE (document_id, body_no);

--
-- Name: invoices invoices_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_pkey PRIMARY KEY (id);

--
-- Name: invoices invoices_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.invoices REPLICA IDENTITY USING INDEX invoices_user_id_id_key;

--
-- Name: job_progress job_progress_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_progress
    ADD CONSTRAINT job_progress_pkey PRIMARY KEY (user_id, job_key);

--
-- Name: memories memories_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.memories REPLICA IDENTITY USING INDEX memories_identity;

--
-- Name: memories memories_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_pkey PRIMARY KEY (id);

--
-- Name: memory_settings memory_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_settings
    ADD CONSTRAINT memory_settings_pkey PRIMARY KEY (user_id);

--
-- Name: memory_uses memory_uses_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_uses
    ADD CONSTRAINT memory_uses_pkey PRIMARY KEY (memory_id, message_id);

--
-- Name: merge_log merge_log_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merge_log
    ADD CONSTRAINT merge_log_pkey PRIMARY KEY (id);

--
-- Name: merge_log merge_log_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merge_log
    ADD CONSTRAINT merge_log_user_id_id_key UNIQUE (user_id, id);

--
-- Name: message_feedback message_feedback_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.message_feedback
    ADD CONSTRAINT message_feedback_pkey PRIMARY KEY (user_id, message_id);

--
-- Name: messages messages_client_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_client_key UNIQUE (user_id, client_key);

--
-- Name: messages messages_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.messages REPLICA IDENTITY USING INDEX messages_identity;

--
-- Name: messages messages_of_conversation; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_of_conversation UNIQUE (user_id, conversation_id, id);

--
-- Name: messages messages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_pkey PRIMARY KEY (id);

--
-- Name: notes notes_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_pkey PRIMARY KEY (id);

--
-- Name: notes notes_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.notes REPLICA IDENTITY USING INDEX notes_user_id_id_key;

--
-- Name: notifications notifications_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_pkey PRIMARY KEY (id);

--
-- Name: order_refunds order_refunds_order_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_order_id_key UNIQUE (order_id);

--
-- Name: order_refunds order_refunds_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_pkey PRIMARY KEY (id);

--
-- Name: order_refunds order_refunds_provider_refund_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_provider_refund_key UNIQUE (provider_refund);

--
-- Name: packs packs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.packs
    ADD CONSTRAINT packs_pkey PRIMARY KEY (version, id);

--
-- Name: payment_alerts payment_alerts_kind_order_id_event_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_alerts
    ADD CONSTRAINT payment_alerts_kind_order_id_event_id_key UNIQUE NULLS NOT DISTINCT (kind, order_id, event_id);

--
-- Name: payment_alerts payment_alerts_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_alerts
    ADD CONSTRAINT payment_alerts_pkey PRIMARY KEY (id);

--
-- Name: payment_events payment_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_pkey PRIMARY KEY (id);

--
-- Name: plans plans_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_pkey PRIMARY KEY (version, id);

--
-- Name: profiles profiles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_pkey PRIMARY KEY (user_id);

--
-- Name: projects projects_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.projects REPLICA IDENTITY USING INDEX projects_identity;

--
-- Name: projects projects_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_pkey PRIMARY KEY (id);

--
-- Name: runs runs_message; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_message UNIQUE (user_id, conversation_id, message_id);

--
-- Name: runs runs_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_pkey PRIMARY KEY (id);

--
-- Name: runs runs_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_user_id_id_key UNIQUE (user_id, id);

--
-- Name: segments segments_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_pkey PRIMARY KEY (id);

--
-- Name: segments segments_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.segments REPLICA IDENTITY USING INDEX segments_user_id_id_key;

--
-- Name: site_settings site_settings_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.site_settings
    ADD CONSTRAINT site_settings_pkey PRIMARY KEY (key);

--
-- Name: stages stages_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_identity UNIQUE (user_id, id);

--
-- Name: stages stages_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_pkey PRIMARY KEY (id);

--
-- Name: tags tags_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_pkey PRIMARY KEY (id);

--
-- Name: tags tags_user_id_id_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_user_id_id_key UNIQUE (user_id, id);

ALTER TABLE ONLY public.tags REPLICA IDENTITY USING INDEX tags_user_id_id_key;

--
-- Name: task_events task_events_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_events
    ADD CONSTRAINT task_events_pkey PRIMARY KEY (id);

--
-- Name: tasks tasks_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.tasks REPLICA IDENTITY USING INDEX tasks_identity;

--
-- Name: tasks tasks_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_pkey PRIMARY KEY (id);

--
-- Name: tasks tasks_successor; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_successor UNIQUE (user_id, previous_id);

--
-- Name: tool_calls tool_calls_identity; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_identity UNIQUE (user_id, id);

ALTER TABLE ONLY public.tool_calls REPLICA IDENTITY USING INDEX tool_calls_identity;

--
-- Name: tool_calls tool_calls_of_message; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_of_message UNIQUE (user_id, conversation_id, message_id, seq);

--
-- Name: tool_calls tool_calls_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_pkey PRIMARY KEY (id);

--
-- Name: user_roles user_roles_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_roles
    ADD CONSTRAINT user_roles_pkey PRIMARY KEY (user_id, role);

--
-- Name: waiting_list waiting_list_pkey; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.waiting_list
    ADD CONSTRAINT waiting_list_pkey PRIMARY KEY (email);

--
-- Name: waiting_list waiting_list_token_hash_key; Type: CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.waiting_list
    ADD CONSTRAINT waiting_list_token_hash_key UNIQUE (token_hash);

--
-- Name: contact_search_document; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX contact_search_document ON private.contact_search USING gin (document) WITH (fastupdate=off);

--
-- Name: document_search_lexemes; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX document_search_lexemes ON private.document_search USING gin (lexemes) WITH (fastupdate=off);

--
-- Name: document_search_user; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX document_search_user ON private.document_search USING btree (user_id);

--
-- Name: document_words_grams; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX document_words_grams ON private.document_words USING gin (grams) WITH (fastupdate=off);

--
-- Name: document_words_stem; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX document_words_stem ON private.document_words USING btree (user_id, stem);

--
-- Name: import_changes_contact; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX import_changes_contact ON private.import_changes USING btree (user_id, contact_id);

--
-- Name: message_search_document; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX message_search_document ON private.message_search USING gin (document) WITH (fastupdate=off);

--
-- Name: order_disputes_order; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX order_disputes_order ON private.order_disputes USING btree (order_id);

--
-- Name: waiting_list_requests_of_a_caller; Type: INDEX; Schema: private; Owner: -
--

CREATE INDEX waiting_list_requests_of_a_caller ON private.waiting_list_requests USING btree (caller, requested_at);

--
-- Name: analytics_events_guests; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX analytics_events_guests ON public.analytics_events USING btree (created_at) WHERE (user_id IS NULL);

--
-- Name: analytics_events_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX analytics_events_latest ON public.analytics_events USING btree (created_at DESC);

--
-- Name: analytics_events_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX analytics_events_session ON public.analytics_events USING btree (session_id, created_at);

--
-- Name: analytics_events_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX analytics_events_user ON public.analytics_events USING btree (user_id);

--
-- Name: consent_events_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX consent_events_contact ON public.consent_events USING btree (user_id, contact_id, at DESC);

--
-- Name: consents_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX consents_contact ON public.consents USING btree (user_id, contact_id);

--
-- Name: contact_distinct_b; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contact_distinct_b ON public.contact_distinct USING btree (user_id, b_id);

--
-- Name: contact_emails_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contact_emails_contact ON public.contact_emails USING btree (user_id, contact_id);

--
-- Name: contact_emails_domain; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contact_emails_domain ON public.contact_emails USING btree (user_id, split_part(norm, '@'::text, 2));

--
-- Name: contact_phones_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contact_phones_contact ON public.contact_phones USING btree (user_id, contact_id);

--
-- Name: contact_tags_identity; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX contact_tags_identity ON public.contact_tags USING btree (user_id, contact_id, tag_id);

ALTER TABLE ONLY public.contact_tags REPLICA IDENTITY USING INDEX contact_tags_identity;

--
-- Name: contact_tags_tag; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contact_tags_tag ON public.contact_tags USING btree (user_id, tag_id);

--
-- Name: contacts_by_last_interaction; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_last_interaction ON public.contacts USING btree (user_id, last_interaction_at DESC NULLS LAST, id) WHERE ((merged_into IS NULL) AND (deleted_at IS NULL));

--
-- Name: contacts_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_name ON public.contacts USING btree (user_id, name, id) WHERE ((merged_into IS NULL) AND (deleted_at IS NULL));

--
-- Name: contacts_by_next_touch; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_by_next_touch ON public.contacts USING btree (user_id, next_touch_at, id) WHERE ((merged_into IS NULL) AND (deleted_at IS NULL));

--
-- Name: contacts_company; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_company ON public.contacts USING btree (user_id, company_id);

--
-- Name: contacts_import; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_import ON public.contacts USING btree (user_id, import_batch_id);

--
-- Name: contacts_lower_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_lower_name ON public.contacts USING btree (user_id, lower(name));

--
-- Name: contacts_merged_into; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_merged_into ON public.contacts USING btree (user_id, merged_into);

--
-- Name: contacts_own_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_own_trash ON public.contacts USING btree (user_id, deleted_at DESC, id) WHERE ((deleted_at IS NOT NULL) AND (merged_into IS NULL));

--
-- Name: contacts_tax_code; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_tax_code ON public.contacts USING btree (user_id, tax_code) WHERE (tax_code IS NOT NULL);

--
-- Name: contacts_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_trash ON public.contacts USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: contacts_vat_number; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX contacts_vat_number ON public.contacts USING btree (user_id, vat_number) WHERE (vat_number IS NOT NULL);

--
-- Name: conversations_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX conversations_latest ON public.conversations USING btree (user_id, last_message_at DESC);

--
-- Name: conversations_temporary; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX conversations_temporary ON public.conversations USING btree (last_message_at) WHERE is_temporary;

--
-- Name: credit_holds_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_holds_due ON public.credit_holds USING btree (expires_at) WHERE (state = 'open'::public.credit_hold_state);

--
-- Name: credit_ledger_hold; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_ledger_hold ON public.credit_ledger USING btree (user_id, hold_id);

--
-- Name: credit_ledger_lot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_ledger_lot ON public.credit_ledger USING btree (user_id, lot_id);

--
-- Name: credit_ledger_statement; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_ledger_statement ON public.credit_ledger USING btree (user_id, id DESC);

--
-- Name: credit_ledger_usage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_ledger_usage ON public.credit_ledger USING btree (user_id, created_at) INCLUDE (amount) WHERE (kind = 'settle'::public.credit_entry_kind);

--
-- Name: credit_lots_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_lots_due ON public.credit_lots USING btree (expires_at) WHERE (remaining > 0);

--
-- Name: credit_orders_of_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_orders_of_user ON public.credit_orders USING btree (user_id, created_at DESC);

--
-- Name: credit_orders_pack; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_orders_pack ON public.credit_orders USING btree (catalog_version, pack_id);

--
-- Name: credit_orders_pending; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_orders_pending ON public.credit_orders USING btree (created_at) WHERE (state = 'pending'::public.order_state);

--
-- Name: credit_orders_without_receipt; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX credit_orders_without_receipt ON public.credit_orders USING btree (fulfilled_at) WHERE ((fulfilled_at IS NOT NULL) AND (receipt_at IS NULL));

--
-- Name: deal_stage_log_deal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deal_stage_log_deal ON public.deal_stage_log USING btree (user_id, deal_id, entered_at);

--
-- Name: deal_stage_log_present; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX deal_stage_log_present ON public.deal_stage_log USING btree (deal_id) WHERE (left_at IS NULL);

--
-- Name: deal_stage_log_stage; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deal_stage_log_stage ON public.deal_stage_log USING btree (user_id, stage_id);

--
-- Name: deals_board; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_board ON public.deals USING btree (user_id, stage_id, "position");

--
-- Name: deals_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_contact ON public.deals USING btree (user_id, contact_id);

--
-- Name: deals_import; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX deals_import ON public.deals USING btree (user_id, import_batch_id);

--
-- Name: document_aliases_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX document_aliases_contact ON public.document_aliases USING btree (user_id, contact_id);

--
-- Name: document_fields_identity; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX document_fields_identity ON public.document_fields USING btree (user_id, document_id, key);

ALTER TABLE ONLY public.document_fields REPLICA IDENTITY USING INDEX document_fields_identity;

--
-- Name: document_links_deal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX document_links_deal ON public.document_links USING btree (user_id, deal_id);

--
-- Name: document_links_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX document_links_task ON public.document_links USING btree (user_id, task_id);

--
-- Name: document_pages_identity; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX document_pages_identity ON public.document_pages USING btree (user_id, document_id, no);

--
-- Name: document_tags_identity; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX document_tags_identity ON public.document_tags USING btree (user_id, document_id, tag_id);

ALTER TABLE ONLY public.document_tags REPLICA IDENTITY USING INDEX document_tags_identity;

--
-- Name: document_tags_tag; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX document_tags_tag ON public.document_tags USING btree (user_id, tag_id);

--
-- Name: documents_at_work; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_at_work ON public.documents USING btree (updated_at) WHERE (state = ANY (ARRAY['in_coda'::public.document_state, 'lettura'::public.document_state, 'ocr'::public.document_state, 'analisi'::public.document_state]));

--
-- Name: documents_by_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_by_age ON public.documents USING btree (user_id, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

--
-- Name: documents_by_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_by_due ON public.documents USING btree (user_id, due_on) WHERE ((deleted_at IS NULL) AND (due_on IS NOT NULL));

--
-- Name: documents_by_kind; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_by_kind ON public.documents USING btree (user_id, kind, created_at DESC, id DESC) WHERE (deleted_at IS NULL);

--
-- Name: documents_by_state; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_by_state ON public.documents USING btree (user_id, state, kind) WHERE (deleted_at IS NULL);

--
-- Name: documents_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_contact ON public.documents USING btree (user_id, contact_id, created_at DESC);

--
-- Name: documents_contact_suggestion; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_contact_suggestion ON public.documents USING btree (user_id, contact_suggestion);

--
-- Name: documents_duplicate_of; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_duplicate_of ON public.documents USING btree (user_id, duplicate_of);

--
-- Name: documents_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_parent ON public.documents USING btree (user_id, parent_id);

--
-- Name: documents_purge; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_purge ON public.documents USING btree (deleted_at);

--
-- Name: documents_sha256; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_sha256 ON public.documents USING btree (user_id, sha256) WHERE (sha256 IS NOT NULL);

--
-- Name: documents_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX documents_trash ON public.documents USING btree (user_id, deleted_at DESC, id DESC) WHERE (deleted_at IS NOT NULL);

--
-- Name: drafts_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_contact ON public.drafts USING btree (user_id, contact_id, created_at DESC);

--
-- Name: drafts_conversation; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_conversation ON public.drafts USING btree (user_id, conversation_id);

--
-- Name: drafts_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_latest ON public.drafts USING btree (user_id, created_at DESC);

--
-- Name: drafts_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX drafts_trash ON public.drafts USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: error_logs_guests; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX error_logs_guests ON public.error_logs USING btree (created_at) WHERE (user_id IS NULL);

--
-- Name: error_logs_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX error_logs_latest ON public.error_logs USING btree (created_at DESC);

--
-- Name: error_logs_session; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX error_logs_session ON public.error_logs USING btree (session_id, created_at);

--
-- Name: error_logs_user; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX error_logs_user ON public.error_logs USING btree (user_id);

--
-- Name: hold_lots_lot; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX hold_lots_lot ON public.hold_lots USING btree (user_id, lot_id);

--
-- Name: import_batches_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX import_batches_latest ON public.import_batches USING btree (user_id, created_at DESC);

--
-- Name: interactions_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX interactions_contact ON public.interactions USING btree (user_id, contact_id, at DESC);

--
-- Name: invoice_schedules_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoice_schedules_due ON public.invoice_schedules USING btree (user_id, due_on) WHERE (paid_on IS NULL);

--
-- Name: invoice_schedules_invoice; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoice_schedules_invoice ON public.invoice_schedules USING btree (user_id, invoice_id, no);

--
-- Name: invoice_schedules_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoice_schedules_task ON public.invoice_schedules USING btree (user_id, task_id);

--
-- Name: invoices_by_date; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_by_date ON public.invoices USING btree (user_id, issued_on DESC, id DESC);

--
-- Name: invoices_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_contact ON public.invoices USING btree (user_id, contact_id);

--
-- Name: invoices_document; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_document ON public.invoices USING btree (user_id, document_id);

--
-- Name: invoices_twins; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_twins ON public.invoices USING btree (user_id, number, issued_on);

--
-- Name: invoices_unpaid; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX invoices_unpaid ON public.invoices USING btree (user_id, direction, issued_on DESC) WHERE (paid_on IS NULL);

--
-- Name: job_progress_updated; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX job_progress_updated ON public.job_progress USING btree (updated_at);

--
-- Name: memories_of_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_of_contact ON public.memories USING btree (user_id, contact_id);

--
-- Name: memories_superseded; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memories_superseded ON public.memories USING btree (user_id, superseded_by);

--
-- Name: memory_uses_memory; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_uses_memory ON public.memory_uses USING btree (user_id, memory_id);

--
-- Name: memory_uses_message; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX memory_uses_message ON public.memory_uses USING btree (user_id, message_id);

--
-- Name: merge_log_age; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX merge_log_age ON public.merge_log USING btree (created_at);

--
-- Name: merge_log_loser; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX merge_log_loser ON public.merge_log USING btree (user_id, loser_id);

--
-- Name: merge_log_winner; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX merge_log_winner ON public.merge_log USING btree (user_id, winner_id, created_at DESC);

--
-- Name: messages_children; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX messages_children ON public.messages USING btree (user_id, conversation_id, parent_id);

--
-- Name: notes_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notes_contact ON public.notes USING btree (user_id, contact_id, created_at DESC);

--
-- Name: notes_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notes_trash ON public.notes USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: notifications_identity; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX notifications_identity ON public.notifications USING btree (user_id, id);

ALTER TABLE ONLY public.notifications REPLICA IDENTITY USING INDEX notifications_identity;

--
-- Name: notifications_latest; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_latest ON public.notifications USING btree (user_id, created_at DESC);

--
-- Name: notifications_read; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_read ON public.notifications USING btree (COALESCE(read_at, created_at)) WHERE is_read;

--
-- Name: notifications_unread; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX notifications_unread ON public.notifications USING btree (user_id) WHERE (NOT is_read);

--
-- Name: payment_alerts_event; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_alerts_event ON public.payment_alerts USING btree (event_id);

--
-- Name: payment_alerts_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_alerts_order ON public.payment_alerts USING btree (order_id);

--
-- Name: payment_events_order; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_order ON public.payment_events USING btree (order_id);

--
-- Name: payment_events_received; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_received ON public.payment_events USING btree (received_at);

--
-- Name: payment_events_to_try; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_to_try ON public.payment_events USING btree (tried_at NULLS FIRST, received_at) WHERE ((handled_at IS NULL) AND (given_up_at IS NULL));

--
-- Name: payment_events_waiting; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX payment_events_waiting ON public.payment_events USING btree (((payload #>> '{data,object,payment_intent}'::text[]))) WHERE (handled_at IS NULL);

--
-- Name: projects_by_name; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX projects_by_name ON public.projects USING btree (user_id, status, name) WHERE (deleted_at IS NULL);

--
-- Name: projects_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX projects_contact ON public.projects USING btree (user_id, contact_id);

--
-- Name: projects_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX projects_trash ON public.projects USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: runs_of_conversation; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX runs_of_conversation ON public.runs USING btree (user_id, conversation_id) WHERE (state = 'running'::text);

--
-- Name: stages_ends; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX stages_ends ON public.stages USING btree (user_id, kind) WHERE (kind <> 'aperta'::public.stage_kind);

--
-- Name: tags_name; Type: INDEX; Schema: public; Owner: -
--

CREATE UNIQUE INDEX tags_name ON public.tags USING btree (user_id, lower((name)::text));

--
-- Name: task_events_task; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX task_events_task ON public.task_events USING btree (user_id, task_id, at);

--
-- Name: tasks_board; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_board ON public.tasks USING btree (user_id, state, "position", id) WHERE (deleted_at IS NULL);

--
-- Name: tasks_calendar; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_calendar ON public.tasks USING btree (user_id, due_at) WHERE (deleted_at IS NULL);

--
-- Name: tasks_contact; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_contact ON public.tasks USING btree (user_id, contact_id);

--
-- Name: tasks_deal; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_deal ON public.tasks USING btree (user_id, deal_id);

--
-- Name: tasks_done; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_done ON public.tasks USING btree (user_id, completed_at DESC, id) WHERE ((completed_at IS NOT NULL) AND (deleted_at IS NULL));

--
-- Name: tasks_due; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_due ON public.tasks USING btree (user_id, due_at, id) WHERE ((state <> 'fatto'::public.task_state) AND (deleted_at IS NULL));

--
-- Name: tasks_next_remind_at; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_next_remind_at ON public.tasks USING btree (next_remind_at) WHERE (next_remind_at IS NOT NULL);

--
-- Name: tasks_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_open ON public.tasks USING btree (user_id, id) WHERE ((state <> 'fatto'::public.task_state) AND (deleted_at IS NULL));

--
-- Name: tasks_parent; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_parent ON public.tasks USING btree (user_id, parent_id, "position");

--
-- Name: tasks_project; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_project ON public.tasks USING btree (user_id, project_id, "position");

--
-- Name: tasks_series; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_series ON public.tasks USING btree (user_id, series_id) WHERE (series_id IS NOT NULL);

--
-- Name: tasks_trash; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_trash ON public.tasks USING btree (deleted_at) WHERE (deleted_at IS NOT NULL);

--
-- Name: tasks_waiting_for; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tasks_waiting_for ON public.tasks USING btree (user_id, waiting_for);

--
-- Name: tool_calls_open; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX tool_calls_open ON public.tool_calls USING btree (expires_at) WHERE (state = 'proposed'::public.tool_call_state);

--
-- Name: waiting_list_earlier; Type: INDEX; Schema: public; Owner: -
--

CREATE INDEX waiting_list_earlier ON public.waiting_list USING gin (earlier_token_hashes);

--
-- Name: credit_ledger append_only; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.credit_ledger FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change();

--
-- Name: deals deals_enter_stage; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER deals_enter_stage BEFORE INSERT OR UPDATE OF stage_id ON public.deals FOR EACH ROW EXECUTE FUNCTION private.enter_stage();

--
-- Name: deals deals_first_stage; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER deals_first_stage AFTER INSERT ON public.deals FOR EACH ROW EXECUTE FUNCTION private.log_first_stage();

--
-- Name: contact_tags follow_changed_contact_tags; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_contact_tags AFTER UPDATE ON public.contact_tags REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_contact_tags();

--
-- Name: interactions follow_changed_interactions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_interactions AFTER UPDATE ON public.interactions REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_interactions();

--
-- Name: contact_emails follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.contact_emails REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_phones follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.contact_phones REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_tags follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.contact_tags REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contacts follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.contacts REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_contacts();

--
-- Name: document_fields follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.document_fields REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: document_pages follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.document_pages REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_pages();

--
-- Name: document_tags follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.document_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: documents follow_changed_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_search AFTER UPDATE ON public.documents REFERENCING OLD TABLE AS former NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_documents();

--
-- Name: messages follow_changed_words; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_changed_words AFTER UPDATE OF content ON public.messages FOR EACH ROW WHEN ((new.content <> old.content)) EXECUTE FUNCTION private.follow_said_words();

--
-- Name: documents follow_document_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_document_contact AFTER UPDATE OF contact_id ON public.documents FOR EACH ROW WHEN ((old.contact_id IS DISTINCT FROM new.contact_id)) EXECUTE FUNCTION private.follow_document_contact();

--
-- Name: contact_tags follow_gone_contact_tags; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_contact_tags AFTER DELETE ON public.contact_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_contact_tags();

--
-- Name: interactions follow_gone_interactions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_interactions AFTER DELETE ON public.interactions REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_interactions();

--
-- Name: contact_emails follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.contact_emails REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_phones follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.contact_phones REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_tags follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.contact_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: document_fields follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.document_fields REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: document_pages follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.document_pages REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_pages();

--
-- Name: document_tags follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.document_tags REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: documents follow_gone_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_gone_search AFTER DELETE ON public.documents REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_documents();

--
-- Name: invoices follow_invoice; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_invoice AFTER UPDATE OF direction, type_code, number, contact_id, counterparty_name, currency ON public.invoices FOR EACH ROW WHEN (((((((old.direction IS DISTINCT FROM new.direction) OR (old.type_code IS DISTINCT FROM new.type_code)) OR (old.number IS DISTINCT FROM new.number)) OR (old.contact_id IS DISTINCT FROM new.contact_id)) OR (old.counterparty_name IS DISTINCT FROM new.counterparty_name)) OR (old.currency IS DISTINCT FROM new.currency))) EXECUTE FUNCTION private.follow_invoice();

--
-- Name: deals follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.deals FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: documents follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.documents FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: drafts follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.drafts FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: interactions follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.interactions FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: invoices follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.invoices FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: memories follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.memories FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: notes follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.notes FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: projects follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.projects FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: tasks follow_merge; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge BEFORE INSERT OR UPDATE OF contact_id ON public.tasks FOR EACH ROW WHEN ((new.contact_id IS NOT NULL)) EXECUTE FUNCTION private.follow_merge();

--
-- Name: tasks follow_merge_of_waiting; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_merge_of_waiting BEFORE INSERT OR UPDATE OF waiting_for ON public.tasks FOR EACH ROW WHEN ((new.waiting_for IS NOT NULL)) EXECUTE FUNCTION private.follow_merge_of_waiting();

--
-- Name: contact_tags follow_new_contact_tags; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_contact_tags AFTER INSERT ON public.contact_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_contact_tags();

--
-- Name: interactions follow_new_interactions; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_interactions AFTER INSERT ON public.interactions REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_interactions();

--
-- Name: contact_emails follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.contact_emails REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_phones follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.contact_phones REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contact_tags follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.contact_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_parts();

--
-- Name: contacts follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.contacts REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_contacts();

--
-- Name: document_fields follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.document_fields REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: document_pages follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.document_pages REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_pages();

--
-- Name: document_tags follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.document_tags REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_facts();

--
-- Name: documents follow_new_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_new_search AFTER INSERT ON public.documents REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION private.follow_searched_documents();

--
-- Name: profiles follow_own_numbers; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_own_numbers AFTER UPDATE OF vat_number, tax_code ON public.profiles FOR EACH ROW WHEN (((old.vat_number IS DISTINCT FROM new.vat_number) OR (old.tax_code IS DISTINCT FROM new.tax_code))) EXECUTE FUNCTION private.follow_own_numbers();

--
-- Name: messages follow_said_words; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_said_words AFTER INSERT ON public.messages FOR EACH ROW WHEN ((new.content <> ''::text)) EXECUTE FUNCTION private.follow_said_words();

--
-- Name: invoice_schedules follow_schedule; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_schedule AFTER UPDATE OF due_on, amount_cents ON public.invoice_schedules FOR EACH ROW WHEN (((new.task_id IS NOT NULL) AND ((old.due_on IS DISTINCT FROM new.due_on) OR (old.amount_cents IS DISTINCT FROM new.amount_cents)))) EXECUTE FUNCTION private.follow_schedule();

--
-- Name: tags follow_search; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_search AFTER UPDATE OF name ON public.tags FOR EACH ROW WHEN (((old.name)::text IS DISTINCT FROM (new.name)::text)) EXECUTE FUNCTION private.follow_searched_tags();

--
-- Name: contacts follow_searched_documents; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_searched_documents AFTER UPDATE OF first_name, last_name, business_name, type ON public.contacts FOR EACH ROW WHEN ((old.name IS DISTINCT FROM new.name)) EXECUTE FUNCTION private.follow_named_documents();

--
-- Name: tags follow_searched_documents; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_searched_documents AFTER UPDATE OF name ON public.tags FOR EACH ROW WHEN (((old.name)::text IS DISTINCT FROM (new.name)::text)) EXECUTE FUNCTION private.follow_named_documents();

--
-- Name: tags follow_tags; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_tags AFTER UPDATE OF touch_days ON public.tags FOR EACH ROW WHEN ((old.touch_days IS DISTINCT FROM new.touch_days)) EXECUTE FUNCTION private.follow_tags();

--
-- Name: documents follow_trashed_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_trashed_document AFTER UPDATE OF deleted_at ON public.documents FOR EACH ROW WHEN ((old.deleted_at IS DISTINCT FROM new.deleted_at)) EXECUTE FUNCTION private.follow_trashed_document();

--
-- Name: tasks follow_trashed_task; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER follow_trashed_task AFTER UPDATE OF deleted_at ON public.tasks FOR EACH ROW WHEN (((old.deleted_at IS DISTINCT FROM new.deleted_at) AND (new.parent_id IS NULL))) EXECUTE FUNCTION private.follow_trashed_task();

--
-- Name: documents keep_document; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_document BEFORE INSERT OR UPDATE ON public.documents FOR EACH ROW EXECUTE FUNCTION private.keep_document();

--
-- Name: tasks keep_task; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_task BEFORE INSERT OR UPDATE ON public.tasks FOR EACH ROW EXECUTE FUNCTION private.keep_task();

--
-- Name: tasks keep_task_levels; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_task_levels BEFORE INSERT OR UPDATE OF parent_id ON public.tasks FOR EACH ROW WHEN ((new.parent_id IS NOT NULL)) EXECUTE FUNCTION private.keep_task_levels();

--
-- Name: contacts keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.contacts FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: deals keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.deals FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: documents keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.documents FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: drafts keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.drafts FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: notes keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.notes FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: projects keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.projects FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: tasks keep_trash_time; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER keep_trash_time BEFORE UPDATE OF deleted_at ON public.tasks FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (new.deleted_at IS NOT NULL))) EXECUTE FUNCTION private.keep_trash_time();

--
-- Name: documents leave_trashed_parent; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER leave_trashed_parent AFTER INSERT OR UPDATE OF parent_id, deleted_at ON public.documents FOR EACH ROW WHEN (((new.parent_id IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION private.leave_trashed_parent();

--
-- Name: tasks leave_trashed_parent; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER leave_trashed_parent AFTER INSERT OR UPDATE OF parent_id, deleted_at ON public.tasks FOR EACH ROW WHEN (((new.parent_id IS NOT NULL) AND (new.deleted_at IS NULL))) EXECUTE FUNCTION private.leave_trashed_parent();

--
-- Name: tasks log_task; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER log_task AFTER INSERT OR UPDATE OF state, due_at, deleted_at ON public.tasks FOR EACH ROW EXECUTE FUNCTION private.log_task();

--
-- Name: contacts own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.contacts FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::public.contact_origin) AND (((((((((((((((old.type IS DISTINCT FROM new.type) OR ((old.first_name)::text IS DISTINCT FROM (new.first_name)::text)) OR ((old.last_name)::text IS DISTINCT FROM (new.last_name)::text)) OR ((old.business_name)::text IS DISTINCT FROM (new.business_name)::text)) OR (old.company_id IS DISTINCT FROM new.company_id)) OR ((old.job_title)::text IS DISTINCT FROM (new.job_title)::text)) OR (old.vat_number IS DISTINCT FROM new.vat_number)) OR (old.tax_code IS DISTINCT FROM new.tax_code)) OR (old.sdi_code IS DISTINCT FROM new.sdi_code)) OR (old.pec IS DISTINCT FROM new.pec)) OR ((old.regime)::text IS DISTINCT FROM (new.regime)::text)) OR (old.address IS DISTINCT FROM new.address)) OR (old.website IS DISTINCT FROM new.website)) OR (old.touch_days IS DISTINCT FROM new.touch_days)) OR (old.note IS DISTINCT FROM new.note)))) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: deals own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.deals FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::public.contact_origin) AND ((((((old.contact_id IS DISTINCT FROM new.contact_id) OR ((old.title)::text IS DISTINCT FROM (new.title)::text)) OR (old.amount_cents IS DISTINCT FROM new.amount_cents)) OR (old.currency IS DISTINCT FROM new.currency)) OR (old.probability IS DISTINCT FROM new.probability)) OR (old.expected_close IS DISTINCT FROM new.expected_close)))) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: interactions own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE OF kind, direction, at, summary ON public.interactions FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: notes own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE OF body ON public.notes FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.body <> new.body))) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: projects own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.projects FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::text) AND ((((((((old.name)::text IS DISTINCT FROM (new.name)::text) OR (old.contact_id IS DISTINCT FROM new.contact_id)) OR (old.color IS DISTINCT FROM new.color)) OR (old.starts_on IS DISTINCT FROM new.starts_on)) OR (old.due_on IS DISTINCT FROM new.due_on)) OR (old.budget_cents IS DISTINCT FROM new.budget_cents)) OR (old.note IS DISTINCT FROM new.note)))) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: tasks own_changed_demo; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo BEFORE UPDATE ON public.tasks FOR EACH ROW WHEN (((CURRENT_USER = 'authenticated'::name) AND (old.origin = 'demo'::text) AND ((((((((((((((old.project_id IS DISTINCT FROM new.project_id) OR (old.parent_id IS DISTINCT FROM new.parent_id)) OR ((old.title)::text IS DISTINCT FROM (new.title)::text)) OR (old.notes IS DISTINCT FROM new.notes)) OR (old.priority IS DISTINCT FROM new.priority)) OR (old.due_at IS DISTINCT FROM new.due_at)) OR (old.due_is_allday IS DISTINCT FROM new.due_is_allday)) OR (old.someday IS DISTINCT FROM new.someday)) OR (old.remind_at IS DISTINCT FROM new.remind_at)) OR (old.rrule IS DISTINCT FROM new.rrule)) OR (old.repeat_from IS DISTINCT FROM new.repeat_from)) OR (old.contact_id IS DISTINCT FROM new.contact_id)) OR (old.deal_id IS DISTINCT FROM new.deal_id)) OR (old.waiting_for IS DISTINCT FROM new.waiting_for)))) EXECUTE FUNCTION private.own_changed_demo();

--
-- Name: contact_emails own_changed_demo_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo_contact AFTER INSERT OR UPDATE OF value, label ON public.contact_emails FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.own_changed_demo_contact();

--
-- Name: contact_phones own_changed_demo_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo_contact AFTER INSERT OR UPDATE OF value, label ON public.contact_phones FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.own_changed_demo_contact();

--
-- Name: contact_tags own_changed_demo_contact; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER own_changed_demo_contact AFTER INSERT ON public.contact_tags FOR EACH ROW WHEN ((CURRENT_USER = 'authenticated'::name)) EXECUTE FUNCTION private.own_changed_demo_contact();

--
-- Name: tasks place_task; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER place_task BEFORE INSERT ON public.tasks FOR EACH ROW WHEN ((new."position" = '!'::text)) EXECUTE FUNCTION private.place_task();

--
-- Name: catalog_versions published_stays; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER published_stays BEFORE DELETE OR UPDATE ON public.catalog_versions FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_published();

--
-- Name: claims published_stays; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER published_stays BEFORE INSERT OR DELETE OR UPDATE ON public.claims FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_published();

--
-- Name: credit_prices published_stays; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER published_stays BEFORE INSERT OR DELETE OR UPDATE ON public.credit_prices FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_published();

--
-- Name: packs published_stays; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER published_stays BEFORE INSERT OR DELETE OR UPDATE ON public.packs FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_published();

--
-- Name: plans published_stays; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER published_stays BEFORE INSERT OR DELETE OR UPDATE ON public.plans FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_published();

--
-- Name: consent_events refuse_change; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_change BEFORE DELETE OR UPDATE ON public.consent_events FOR EACH ROW EXECUTE FUNCTION private.refuse_change_of_consent();

--
-- Name: consent_events refuse_truncation; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER refuse_truncation BEFORE TRUNCATE ON public.consent_events FOR EACH STATEMENT EXECUTE FUNCTION private.refuse_change_of_consent();

--
-- Name: runs release_run; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER release_run BEFORE DELETE ON public.runs FOR EACH ROW WHEN ((old.state = 'running'::text)) EXECUTE FUNCTION private.release_run();

--
-- Name: profiles remove_files; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER remove_files AFTER DELETE ON public.profiles FOR EACH ROW EXECUTE FUNCTION private.remove_files();

--
-- Name: analytics_events session_rate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER session_rate BEFORE INSERT ON public.analytics_events FOR EACH ROW EXECUTE FUNCTION private.limit_session_rate('300');

--
-- Name: error_logs session_rate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER session_rate BEFORE INSERT ON public.error_logs FOR EACH ROW EXECUTE FUNCTION private.limit_session_rate('30');

--
-- Name: contacts set_next_touch; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_next_touch BEFORE INSERT OR UPDATE OF touch_days, last_interaction_at, next_touch_at ON public.contacts FOR EACH ROW EXECUTE FUNCTION private.set_next_touch();

--
-- Name: contacts set_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_updated_at BEFORE UPDATE OF type, first_name, last_name, business_name, company_id, job_title, vat_number, tax_code, sdi_code, pec, regime, address, website, touch_days, note, merged_into, deleted_at ON public.contacts FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

--
-- Name: conversations set_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_updated_at BEFORE UPDATE OF title, agent, uses_memory, auto_approve, pinned_at, archived_at ON public.conversations FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

--
-- Name: drafts set_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_updated_at BEFORE UPDATE OF channel, recipient, subject, body ON public.drafts FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

--
-- Name: notes set_updated_at; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER set_updated_at BEFORE UPDATE OF body ON public.notes FOR EACH ROW EXECUTE FUNCTION private.set_updated_at();

--
-- Name: analytics_events table_rate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER table_rate BEFORE INSERT ON public.analytics_events FOR EACH ROW EXECUTE FUNCTION private.limit_table_rate('1500', '3000');

--
-- Name: error_logs table_rate; Type: TRIGGER; Schema: public; Owner: -
--

CREATE TRIGGER table_rate BEFORE INSERT ON public.error_logs FOR EACH ROW EXECUTE FUNCTION private.limit_table_rate('300', '600');

--
-- Name: ai_consents ai_consents_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.ai_consents
    ADD CONSTRAINT ai_consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: assistant_use assistant_use_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.assistant_use
    ADD CONSTRAINT assistant_use_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: calendar_feeds calendar_feeds_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.calendar_feeds
    ADD CONSTRAINT calendar_feeds_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_search contact_search_contact_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.contact_search
    ADD CONSTRAINT contact_search_contact_id_fkey FOREIGN KEY (contact_id) REFERENCES public.contacts(id) ON DELETE CASCADE;

--
-- Name: demo_rows demo_rows_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.demo_rows
    ADD CONSTRAINT demo_rows_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_search document_search_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.document_search
    ADD CONSTRAINT document_search_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_words document_words_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.document_words
    ADD CONSTRAINT document_words_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: import_changes import_changes_batch_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.import_changes
    ADD CONSTRAINT import_changes_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.import_batches(id) ON DELETE CASCADE;

--
-- Name: import_changes import_changes_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.import_changes
    ADD CONSTRAINT import_changes_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: import_rows import_rows_batch_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.import_rows
    ADD CONSTRAINT import_rows_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES public.import_batches(id) ON DELETE CASCADE;

--
-- Name: memory_tombstones memory_tombstones_user_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.memory_tombstones
    ADD CONSTRAINT memory_tombstones_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: message_search message_search_message_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.message_search
    ADD CONSTRAINT message_search_message_id_fkey FOREIGN KEY (message_id) REFERENCES public.messages(id) ON DELETE CASCADE;

--
-- Name: order_disputes order_disputes_order_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.order_disputes
    ADD CONSTRAINT order_disputes_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.credit_orders(id) ON DELETE RESTRICT;

--
-- Name: run_events run_events_run_id_fkey; Type: FK CONSTRAINT; Schema: private; Owner: -
--

ALTER TABLE ONLY private.run_events
    ADD CONSTRAINT run_events_run_id_fkey FOREIGN KEY (run_id) REFERENCES public.runs(id) ON DELETE CASCADE;

--
-- Name: analytics_events analytics_events_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.analytics_events
    ADD CONSTRAINT analytics_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

--
-- Name: claims claims_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.claims
    ADD CONSTRAINT claims_version_fkey FOREIGN KEY (version) REFERENCES public.catalog_versions(version) ON DELETE RESTRICT;

--
-- Name: consent_events consent_events_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consent_events
    ADD CONSTRAINT consent_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: consents consents_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: consents consents_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.consents
    ADD CONSTRAINT consents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_distinct contact_distinct_user_id_a_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_user_id_a_id_fkey FOREIGN KEY (user_id, a_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: contact_distinct contact_distinct_user_id_b_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_user_id_b_id_fkey FOREIGN KEY (user_id, b_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: contact_distinct contact_distinct_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_distinct
    ADD CONSTRAINT contact_distinct_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_emails contact_emails_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: contact_emails contact_emails_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_emails
    ADD CONSTRAINT contact_emails_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_phones contact_phones_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_phones
    ADD CONSTRAINT contact_phones_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: contact_phones contact_phones_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_phones
    ADD CONSTRAINT contact_phones_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_tags contact_tags_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_tags
    ADD CONSTRAINT contact_tags_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: contact_tags contact_tags_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_tags
    ADD CONSTRAINT contact_tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contact_tags contact_tags_user_id_tag_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contact_tags
    ADD CONSTRAINT contact_tags_user_id_tag_id_fkey FOREIGN KEY (user_id, tag_id) REFERENCES public.tags(user_id, id) ON DELETE CASCADE;

--
-- Name: contacts contacts_import_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_import_fkey FOREIGN KEY (user_id, import_batch_id) REFERENCES public.import_batches(user_id, id) ON DELETE SET NULL (import_batch_id);

--
-- Name: contacts contacts_user_id_company_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_user_id_company_id_fkey FOREIGN KEY (user_id, company_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (company_id);

--
-- Name: contacts contacts_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: contacts contacts_user_id_merged_into_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.contacts
    ADD CONSTRAINT contacts_user_id_merged_into_fkey FOREIGN KEY (user_id, merged_into) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: conversations conversations_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.conversations
    ADD CONSTRAINT conversations_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: credit_holds credit_holds_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_holds
    ADD CONSTRAINT credit_holds_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.credit_wallets(user_id) ON DELETE RESTRICT;

--
-- Name: credit_ledger credit_ledger_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT credit_ledger_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.credit_wallets(user_id) ON DELETE RESTRICT;

--
-- Name: credit_ledger credit_ledger_user_id_hold_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT credit_ledger_user_id_hold_id_fkey FOREIGN KEY (user_id, hold_id) REFERENCES public.credit_holds(user_id, id) ON DELETE RESTRICT;

--
-- Name: credit_ledger credit_ledger_user_id_lot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_ledger
    ADD CONSTRAINT credit_ledger_user_id_lot_id_fkey FOREIGN KEY (user_id, lot_id) REFERENCES public.credit_lots(user_id, id) ON DELETE RESTRICT;

--
-- Name: credit_lots credit_lots_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_lots
    ADD CONSTRAINT credit_lots_user_id_fkey FOREIGN KEY (user_id) REFERENCES public.credit_wallets(user_id) ON DELETE RESTRICT;

--
-- Name: credit_orders credit_orders_catalog_version_pack_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_orders
    ADD CONSTRAINT credit_orders_catalog_version_pack_id_fkey FOREIGN KEY (catalog_version, pack_id) REFERENCES public.packs(version, id) ON DELETE RESTRICT;

--
-- Name: credit_prices credit_prices_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_prices
    ADD CONSTRAINT credit_prices_version_fkey FOREIGN KEY (version) REFERENCES public.catalog_versions(version) ON DELETE RESTRICT;

--
-- Name: credit_settings credit_settings_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.credit_settings
    ADD CONSTRAINT credit_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: deal_stage_log deal_stage_log_user_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deal_stage_log
    ADD CONSTRAINT deal_stage_log_user_id_deal_id_fkey FOREIGN KEY (user_id, deal_id) REFERENCES public.deals(user_id, id) ON DELETE CASCADE;

--
-- Name: deal_stage_log deal_stage_log_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deal_stage_log
    ADD CONSTRAINT deal_stage_log_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: deal_stage_log deal_stage_log_user_id_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deal_stage_log
    ADD CONSTRAINT deal_stage_log_user_id_stage_id_fkey FOREIGN KEY (user_id, stage_id) REFERENCES public.stages(user_id, id) ON DELETE CASCADE;

--
-- Name: deals deals_import_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_import_fkey FOREIGN KEY (user_id, import_batch_id) REFERENCES public.import_batches(user_id, id) ON DELETE SET NULL (import_batch_id);

--
-- Name: deals deals_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

--
-- Name: deals deals_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: deals deals_user_id_stage_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.deals
    ADD CONSTRAINT deals_user_id_stage_id_fkey FOREIGN KEY (user_id, stage_id) REFERENCES public.stages(user_id, id) ON DELETE CASCADE;

--
-- Name: document_aliases document_aliases_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_aliases
    ADD CONSTRAINT document_aliases_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: document_aliases document_aliases_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_aliases
    ADD CONSTRAINT document_aliases_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_corrections document_corrections_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_corrections
    ADD CONSTRAINT document_corrections_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_fields document_fields_user_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_fields
    ADD CONSTRAINT document_fields_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: document_fields document_fields_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_fields
    ADD CONSTRAINT document_fields_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_links document_links_user_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_deal_id_fkey FOREIGN KEY (user_id, deal_id) REFERENCES public.deals(user_id, id) ON DELETE CASCADE;

--
-- Name: document_links document_links_user_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: document_links document_links_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_links document_links_user_id_task_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_links
    ADD CONSTRAINT document_links_user_id_task_id_fkey FOREIGN KEY (user_id, task_id) REFERENCES public.tasks(user_id, id) ON DELETE CASCADE;

--
-- Name: document_pages document_pages_user_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: document_pages document_pages_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_pages
    ADD CONSTRAINT document_pages_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_tags document_tags_user_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_tags
    ADD CONSTRAINT document_tags_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: document_tags document_tags_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_tags
    ADD CONSTRAINT document_tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: document_tags document_tags_user_id_tag_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.document_tags
    ADD CONSTRAINT document_tags_user_id_tag_id_fkey FOREIGN KEY (user_id, tag_id) REFERENCES public.tags(user_id, id) ON DELETE CASCADE;

--
-- Name: documents documents_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

--
-- Name: documents documents_user_id_contact_suggestion_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_contact_suggestion_fkey FOREIGN KEY (user_id, contact_suggestion) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_suggestion);

--
-- Name: documents documents_user_id_duplicate_of_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_duplicate_of_fkey FOREIGN KEY (user_id, duplicate_of) REFERENCES public.documents(user_id, id) ON DELETE SET NULL (duplicate_of);

--
-- Name: documents documents_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: documents documents_user_id_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.documents
    ADD CONSTRAINT documents_user_id_parent_id_fkey FOREIGN KEY (user_id, parent_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: drafts drafts_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: drafts drafts_user_id_conversation_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_user_id_conversation_id_fkey FOREIGN KEY (user_id, conversation_id) REFERENCES public.conversations(user_id, id) ON DELETE SET NULL (conversation_id);

--
-- Name: drafts drafts_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.drafts
    ADD CONSTRAINT drafts_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: error_logs error_logs_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.error_logs
    ADD CONSTRAINT error_logs_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE SET NULL;

--
-- Name: fiscal_documents fiscal_documents_order_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.fiscal_documents
    ADD CONSTRAINT fiscal_documents_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.credit_orders(id) ON DELETE RESTRICT;

--
-- Name: hold_lots hold_lots_user_id_hold_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hold_lots
    ADD CONSTRAINT hold_lots_user_id_hold_id_fkey FOREIGN KEY (user_id, hold_id) REFERENCES public.credit_holds(user_id, id) ON DELETE RESTRICT;

--
-- Name: hold_lots hold_lots_user_id_lot_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.hold_lots
    ADD CONSTRAINT hold_lots_user_id_lot_id_fkey FOREIGN KEY (user_id, lot_id) REFERENCES public.credit_lots(user_id, id) ON DELETE RESTRICT;

--
-- Name: import_batches import_batches_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.import_batches
    ADD CONSTRAINT import_batches_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: interactions interactions_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: interactions interactions_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.interactions
    ADD CONSTRAINT interactions_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: invoice_schedules invoice_schedules_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: invoice_schedules invoice_schedules_user_id_invoice_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_user_id_invoice_id_fkey FOREIGN KEY (user_id, invoice_id) REFERENCES public.invoices(user_id, id) ON DELETE CASCADE;

--
-- Name: invoice_schedules invoice_schedules_user_id_task_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoice_schedules
    ADD CONSTRAINT invoice_schedules_user_id_task_id_fkey FOREIGN KEY (user_id, task_id) REFERENCES public.tasks(user_id, id) ON DELETE SET NULL (task_id);

--
-- Name: invoices invoices_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

--
-- Name: invoices invoices_user_id_document_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_user_id_document_id_fkey FOREIGN KEY (user_id, document_id) REFERENCES public.documents(user_id, id) ON DELETE CASCADE;

--
-- Name: invoices invoices_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.invoices
    ADD CONSTRAINT invoices_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: job_progress job_progress_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.job_progress
    ADD CONSTRAINT job_progress_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: memories memories_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: memories memories_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: memories memories_user_id_superseded_by_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memories
    ADD CONSTRAINT memories_user_id_superseded_by_fkey FOREIGN KEY (user_id, superseded_by) REFERENCES public.memories(user_id, id) ON DELETE SET NULL (superseded_by);

--
-- Name: memory_settings memory_settings_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_settings
    ADD CONSTRAINT memory_settings_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: memory_uses memory_uses_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_uses
    ADD CONSTRAINT memory_uses_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: memory_uses memory_uses_user_id_memory_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_uses
    ADD CONSTRAINT memory_uses_user_id_memory_id_fkey FOREIGN KEY (user_id, memory_id) REFERENCES public.memories(user_id, id) ON DELETE CASCADE;

--
-- Name: memory_uses memory_uses_user_id_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.memory_uses
    ADD CONSTRAINT memory_uses_user_id_message_id_fkey FOREIGN KEY (user_id, message_id) REFERENCES public.messages(user_id, id) ON DELETE CASCADE;

--
-- Name: merge_log merge_log_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merge_log
    ADD CONSTRAINT merge_log_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: merge_log merge_log_user_id_loser_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merge_log
    ADD CONSTRAINT merge_log_user_id_loser_id_fkey FOREIGN KEY (user_id, loser_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (loser_id);

--
-- Name: merge_log merge_log_user_id_winner_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.merge_log
    ADD CONSTRAINT merge_log_user_id_winner_id_fkey FOREIGN KEY (user_id, winner_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: message_feedback message_feedback_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.message_feedback
    ADD CONSTRAINT message_feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: message_feedback message_feedback_user_id_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.message_feedback
    ADD CONSTRAINT message_feedback_user_id_message_id_fkey FOREIGN KEY (user_id, message_id) REFERENCES public.messages(user_id, id) ON DELETE CASCADE;

--
-- Name: messages messages_user_id_conversation_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_user_id_conversation_id_fkey FOREIGN KEY (user_id, conversation_id) REFERENCES public.conversations(user_id, id) ON DELETE CASCADE;

--
-- Name: messages messages_user_id_conversation_id_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_user_id_conversation_id_parent_id_fkey FOREIGN KEY (user_id, conversation_id, parent_id) REFERENCES public.messages(user_id, conversation_id, id) ON DELETE CASCADE;

--
-- Name: messages messages_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.messages
    ADD CONSTRAINT messages_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: notes notes_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE CASCADE;

--
-- Name: notes notes_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notes
    ADD CONSTRAINT notes_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: notifications notifications_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.notifications
    ADD CONSTRAINT notifications_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: order_refunds order_refunds_order_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.order_refunds
    ADD CONSTRAINT order_refunds_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.credit_orders(id) ON DELETE RESTRICT;

--
-- Name: packs packs_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.packs
    ADD CONSTRAINT packs_version_fkey FOREIGN KEY (version) REFERENCES public.catalog_versions(version) ON DELETE RESTRICT;

--
-- Name: payment_alerts payment_alerts_event_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_alerts
    ADD CONSTRAINT payment_alerts_event_id_fkey FOREIGN KEY (event_id) REFERENCES public.payment_events(id) ON DELETE RESTRICT;

--
-- Name: payment_alerts payment_alerts_order_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_alerts
    ADD CONSTRAINT payment_alerts_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.credit_orders(id) ON DELETE RESTRICT;

--
-- Name: payment_events payment_events_order_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.payment_events
    ADD CONSTRAINT payment_events_order_id_fkey FOREIGN KEY (order_id) REFERENCES public.credit_orders(id) ON DELETE RESTRICT;

--
-- Name: plans plans_version_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.plans
    ADD CONSTRAINT plans_version_fkey FOREIGN KEY (version) REFERENCES public.catalog_versions(version) ON DELETE RESTRICT;

--
-- Name: profiles profiles_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.profiles
    ADD CONSTRAINT profiles_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: projects projects_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

--
-- Name: projects projects_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.projects
    ADD CONSTRAINT projects_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: runs runs_user_id_conversation_id_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_user_id_conversation_id_message_id_fkey FOREIGN KEY (user_id, conversation_id, message_id) REFERENCES public.messages(user_id, conversation_id, id) ON DELETE CASCADE;

--
-- Name: runs runs_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.runs
    ADD CONSTRAINT runs_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: segments segments_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.segments
    ADD CONSTRAINT segments_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: stages stages_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.stages
    ADD CONSTRAINT stages_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: tags tags_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tags
    ADD CONSTRAINT tags_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: task_events task_events_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_events
    ADD CONSTRAINT task_events_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: task_events task_events_user_id_task_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.task_events
    ADD CONSTRAINT task_events_user_id_task_id_fkey FOREIGN KEY (user_id, task_id) REFERENCES public.tasks(user_id, id) ON DELETE CASCADE;

--
-- Name: tasks tasks_user_id_contact_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_contact_id_fkey FOREIGN KEY (user_id, contact_id) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (contact_id);

--
-- Name: tasks tasks_user_id_deal_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_deal_id_fkey FOREIGN KEY (user_id, deal_id) REFERENCES public.deals(user_id, id) ON DELETE SET NULL (deal_id);

--
-- Name: tasks tasks_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: tasks tasks_user_id_parent_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_parent_id_fkey FOREIGN KEY (user_id, parent_id) REFERENCES public.tasks(user_id, id) ON DELETE CASCADE;

--
-- Name: tasks tasks_user_id_previous_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_previous_id_fkey FOREIGN KEY (user_id, previous_id) REFERENCES public.tasks(user_id, id) ON DELETE SET NULL (previous_id);

--
-- Name: tasks tasks_user_id_project_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_project_id_fkey FOREIGN KEY (user_id, project_id) REFERENCES public.projects(user_id, id) ON DELETE SET NULL (project_id);

--
-- Name: tasks tasks_user_id_waiting_for_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tasks
    ADD CONSTRAINT tasks_user_id_waiting_for_fkey FOREIGN KEY (user_id, waiting_for) REFERENCES public.contacts(user_id, id) ON DELETE SET NULL (waiting_for);

--
-- Name: tool_calls tool_calls_user_id_conversation_id_message_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_user_id_conversation_id_message_id_fkey FOREIGN KEY (user_id, conversation_id, message_id) REFERENCES public.messages(user_id, conversation_id, id) ON DELETE CASCADE;

--
-- Name: tool_calls tool_calls_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.tool_calls
    ADD CONSTRAINT tool_calls_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: user_roles user_roles_user_id_fkey; Type: FK CONSTRAINT; Schema: public; Owner: -
--

ALTER TABLE ONLY public.user_roles
    ADD CONSTRAINT user_roles_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

--
-- Name: ai_consents; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.ai_consents ENABLE ROW LEVEL SECURITY;

--
-- Name: assistant_use; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.assistant_use ENABLE ROW LEVEL SECURITY;

--
-- Name: calendar_feeds; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.calendar_feeds ENABLE ROW LEVEL SECURITY;

--
-- Name: contact_search; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.contact_search ENABLE ROW LEVEL SECURITY;

--
-- Name: demo_rows; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.demo_rows ENABLE ROW LEVEL SECURITY;

--
-- Name: document_search; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.document_search ENABLE ROW LEVEL SECURITY;

--
-- Name: document_words; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.document_words ENABLE ROW LEVEL SECURITY;

--
-- Name: early_bird_seats; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.early_bird_seats ENABLE ROW LEVEL SECURITY;

--
-- Name: import_changes; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.import_changes ENABLE ROW LEVEL SECURITY;

--
-- Name: import_rows; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.import_rows ENABLE ROW LEVEL SECURITY;

--
-- Name: memory_tombstones; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.memory_tombstones ENABLE ROW LEVEL SECURITY;

--
-- Name: message_search; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.message_search ENABLE ROW LEVEL SECURITY;

--
-- Name: order_disputes; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.order_disputes ENABLE ROW LEVEL SECURITY;

--
-- Name: payment_fetches; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.payment_fetches ENABLE ROW LEVEL SECURITY;

--
-- Name: run_events; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.run_events ENABLE ROW LEVEL SECURITY;

--
-- Name: waiting_list_left; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.waiting_list_left ENABLE ROW LEVEL SECURITY;

--
-- Name: waiting_list_requests; Type: ROW SECURITY; Schema: private; Owner: -
--

ALTER TABLE private.waiting_list_requests ENABLE ROW LEVEL SECURITY;

--
-- Name: analytics_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.analytics_events ENABLE ROW LEVEL SECURITY;

--
-- Name: catalog_versions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.catalog_versions ENABLE ROW LEVEL SECURITY;

--
-- Name: claims; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.claims ENABLE ROW LEVEL SECURITY;

--
-- Name: consent_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.consent_events ENABLE ROW LEVEL SECURITY;

--
-- Name: consents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.consents ENABLE ROW LEVEL SECURITY;

--
-- Name: contact_distinct; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.contact_distinct ENABLE ROW LEVEL SECURITY;

--
-- Name: contact_emails; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.contact_emails ENABLE ROW LEVEL SECURITY;

--
-- Name: contact_phones; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.contact_phones ENABLE ROW LEVEL SECURITY;

--
-- Name: contact_tags; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.contact_tags ENABLE ROW LEVEL SECURITY;

--
-- Name: contacts; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.contacts ENABLE ROW LEVEL SECURITY;

--
-- Name: conversations; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.conversations ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_holds; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_holds ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_ledger; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_ledger ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_lots; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_lots ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_orders; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_orders ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_prices; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_prices ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_settings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_settings ENABLE ROW LEVEL SECURITY;

--
-- Name: credit_wallets; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.credit_wallets ENABLE ROW LEVEL SECURITY;

--
-- Name: deal_stage_log; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.deal_stage_log ENABLE ROW LEVEL SECURITY;

--
-- Name: deals; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.deals ENABLE ROW LEVEL SECURITY;

--
-- Name: document_aliases; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_aliases ENABLE ROW LEVEL SECURITY;

--
-- Name: document_corrections; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_corrections ENABLE ROW LEVEL SECURITY;

--
-- Name: document_fields; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_fields ENABLE ROW LEVEL SECURITY;

--
-- Name: document_links; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_links ENABLE ROW LEVEL SECURITY;

--
-- Name: document_pages; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_pages ENABLE ROW LEVEL SECURITY;

--
-- Name: document_tags; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.document_tags ENABLE ROW LEVEL SECURITY;

--
-- Name: documents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.documents ENABLE ROW LEVEL SECURITY;

--
-- Name: drafts; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.drafts ENABLE ROW LEVEL SECURITY;

--
-- Name: error_logs; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.error_logs ENABLE ROW LEVEL SECURITY;

--
-- Name: claims everybody reads published claims; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads published claims" ON public.claims FOR SELECT TO anon, authenticated USING ((version IN ( SELECT catalog_versions.version
   FROM public.catalog_versions)));

--
-- Name: packs everybody reads published packs; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads published packs" ON public.packs FOR SELECT TO anon, authenticated USING ((version IN ( SELECT catalog_versions.version
   FROM public.catalog_versions)));

--
-- Name: plans everybody reads published plans; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads published plans" ON public.plans FOR SELECT TO anon, authenticated USING ((version IN ( SELECT catalog_versions.version
   FROM public.catalog_versions)));

--
-- Name: credit_prices everybody reads published prices; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads published prices" ON public.credit_prices FOR SELECT TO anon, authenticated USING ((version IN ( SELECT catalog_versions.version
   FROM public.catalog_versions)));

--
-- Name: catalog_versions everybody reads published versions; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads published versions" ON public.catalog_versions FOR SELECT TO anon, authenticated USING ((published_at <= now()));

--
-- Name: site_settings everybody reads the settings of the public pages; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "everybody reads the settings of the public pages" ON public.site_settings FOR SELECT TO anon, authenticated USING (starts_with(key, 'marketing.'::text));

--
-- Name: fiscal_documents; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.fiscal_documents ENABLE ROW LEVEL SECURITY;

--
-- Name: analytics_events guests add events of nobody; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "guests add events of nobody" ON public.analytics_events FOR INSERT TO anon WITH CHECK ((user_id IS NULL));

--
-- Name: error_logs guests report errors of nobody; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "guests report errors of nobody" ON public.error_logs FOR INSERT TO anon WITH CHECK ((user_id IS NULL));

--
-- Name: hold_lots; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.hold_lots ENABLE ROW LEVEL SECURITY;

--
-- Name: import_batches; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.import_batches ENABLE ROW LEVEL SECURITY;

--
-- Name: interactions; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.interactions ENABLE ROW LEVEL SECURITY;

--
-- Name: invoice_schedules; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.invoice_schedules ENABLE ROW LEVEL SECURITY;

--
-- Name: invoices; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.invoices ENABLE ROW LEVEL SECURITY;

--
-- Name: job_progress; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.job_progress ENABLE ROW LEVEL SECURITY;

--
-- Name: memories; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.memories ENABLE ROW LEVEL SECURITY;

--
-- Name: memory_settings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.memory_settings ENABLE ROW LEVEL SECURITY;

--
-- Name: memory_uses; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.memory_uses ENABLE ROW LEVEL SECURITY;

--
-- Name: merge_log; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.merge_log ENABLE ROW LEVEL SECURITY;

--
-- Name: message_feedback; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.message_feedback ENABLE ROW LEVEL SECURITY;

--
-- Name: messages; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.messages ENABLE ROW LEVEL SECURITY;

--
-- Name: notes; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notes ENABLE ROW LEVEL SECURITY;

--
-- Name: notifications; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.notifications ENABLE ROW LEVEL SECURITY;

--
-- Name: order_refunds; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.order_refunds ENABLE ROW LEVEL SECURITY;

--
-- Name: deals owners add deals; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add deals" ON public.deals FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_distinct owners add distinct contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add distinct contacts" ON public.contact_distinct FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: projects owners add projects; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add projects" ON public.projects FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tasks owners add tasks; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add tasks" ON public.tasks FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_emails owners add their contact_emails; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their contact_emails" ON public.contact_emails FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_phones owners add their contact_phones; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their contact_phones" ON public.contact_phones FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_tags owners add their contact_tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their contact_tags" ON public.contact_tags FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contacts owners add their contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their contacts" ON public.contacts FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: interactions owners add their interactions; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their interactions" ON public.interactions FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notes owners add their notes; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their notes" ON public.notes FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: segments owners add their segments; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their segments" ON public.segments FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tags owners add their tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners add their tags" ON public.tags FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_emails owners change their contact_emails; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their contact_emails" ON public.contact_emails FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_phones owners change their contact_phones; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their contact_phones" ON public.contact_phones FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contacts owners change their contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their contacts" ON public.contacts FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: conversations owners change their conversations; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their conversations" ON public.conversations FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_settings owners change their credit settings; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their credit settings" ON public.credit_settings FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: deals owners change their deals; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their deals" ON public.deals FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: documents owners change their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their documents" ON public.documents FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: drafts owners change their drafts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their drafts" ON public.drafts FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: message_feedback owners change their feedback; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their feedback" ON public.message_feedback FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: interactions owners change their interactions; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their interactions" ON public.interactions FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memories owners change their memories; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their memories" ON public.memories FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memory_settings owners change their memory settings; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their memory settings" ON public.memory_settings FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notes owners change their notes; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their notes" ON public.notes FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: profiles owners change their profile; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their profile" ON public.profiles FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: projects owners change their projects; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their projects" ON public.projects FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: segments owners change their segments; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their segments" ON public.segments FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: stages owners change their stages; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their stages" ON public.stages FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tags owners change their tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their tags" ON public.tags FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tasks owners change their tasks; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners change their tasks" ON public.tasks FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_emails owners delete their contact_emails; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their contact_emails" ON public.contact_emails FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_phones owners delete their contact_phones; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their contact_phones" ON public.contact_phones FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_tags owners delete their contact_tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their contact_tags" ON public.contact_tags FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contacts owners delete their contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their contacts" ON public.contacts FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: conversations owners delete their conversations; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their conversations" ON public.conversations FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: deals owners delete their deals; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their deals" ON public.deals FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_distinct owners delete their distinct contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their distinct contacts" ON public.contact_distinct FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: drafts owners delete their drafts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their drafts" ON public.drafts FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: interactions owners delete their interactions; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their interactions" ON public.interactions FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notes owners delete their notes; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their notes" ON public.notes FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notifications owners delete their notifications; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their notifications" ON public.notifications FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: projects owners delete their projects; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their projects" ON public.projects FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: segments owners delete their segments; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their segments" ON public.segments FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tags owners delete their tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their tags" ON public.tags FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tasks owners delete their tasks; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners delete their tasks" ON public.tasks FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: documents owners empty their trash of documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners empty their trash of documents" ON public.documents FOR DELETE TO authenticated USING (((user_id = ( SELECT auth.uid() AS uid)) AND (deleted_at IS NOT NULL)));

--
-- Name: message_feedback owners give feedback; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners give feedback" ON public.message_feedback FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_links owners link their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners link their documents" ON public.document_links FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memory_settings owners make their memory settings; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners make their memory settings" ON public.memory_settings FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notifications owners mark their notifications; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners mark their notifications" ON public.notifications FOR UPDATE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid))) WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_links owners read the links of their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read the links of their documents" ON public.document_links FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: hold_lots owners read the lots of their holds; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read the lots of their holds" ON public.hold_lots FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: deal_stage_log owners read the stays of their deals; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read the stays of their deals" ON public.deal_stage_log FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_tags owners read the tags of their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read the tags of their documents" ON public.document_tags FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_aliases owners read their aliases; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their aliases" ON public.document_aliases FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: consent_events owners read their consent events; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their consent events" ON public.consent_events FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: consents owners read their consents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their consents" ON public.consents FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_emails owners read their contact_emails; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their contact_emails" ON public.contact_emails FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_phones owners read their contact_phones; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their contact_phones" ON public.contact_phones FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_tags owners read their contact_tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their contact_tags" ON public.contact_tags FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contacts owners read their contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their contacts" ON public.contacts FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: conversations owners read their conversations; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their conversations" ON public.conversations FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_settings owners read their credit settings; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their credit settings" ON public.credit_settings FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: deals owners read their deals; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their deals" ON public.deals FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: contact_distinct owners read their distinct contacts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their distinct contacts" ON public.contact_distinct FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: documents owners read their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their documents" ON public.documents FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: drafts owners read their drafts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their drafts" ON public.drafts FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: message_feedback owners read their feedback; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their feedback" ON public.message_feedback FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_fields owners read their fields; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their fields" ON public.document_fields FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_holds owners read their holds; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their holds" ON public.credit_holds FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: import_batches owners read their imports; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their imports" ON public.import_batches FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: interactions owners read their interactions; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their interactions" ON public.interactions FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: invoices owners read their invoices; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their invoices" ON public.invoices FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_ledger owners read their ledger; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their ledger" ON public.credit_ledger FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_lots owners read their lots; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their lots" ON public.credit_lots FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memories owners read their memories; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their memories" ON public.memories FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memory_settings owners read their memory settings; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their memory settings" ON public.memory_settings FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: merge_log owners read their merges; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their merges" ON public.merge_log FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: messages owners read their messages; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their messages" ON public.messages FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notes owners read their notes; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their notes" ON public.notes FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: notifications owners read their notifications; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their notifications" ON public.notifications FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_orders owners read their orders; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their orders" ON public.credit_orders FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_pages owners read their pages; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their pages" ON public.document_pages FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: profiles owners read their profile; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their profile" ON public.profiles FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: projects owners read their projects; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their projects" ON public.projects FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: runs owners read their runs; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their runs" ON public.runs FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: segments owners read their segments; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their segments" ON public.segments FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: stages owners read their stages; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their stages" ON public.stages FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tags owners read their tags; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their tags" ON public.tags FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tasks owners read their tasks; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their tasks" ON public.tasks FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: credit_wallets owners read their wallet; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read their wallet" ON public.credit_wallets FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: task_events owners read what happened to their tasks; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read what happened to their tasks" ON public.task_events FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: invoice_schedules owners read what is due; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read what is due" ON public.invoice_schedules FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_corrections owners read what they taught; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read what they taught" ON public.document_corrections FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: tool_calls owners read what was proposed; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read what was proposed" ON public.tool_calls FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: memory_uses owners read which memories were used; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners read which memories were used" ON public.memory_uses FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_tags owners tag their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners tag their documents" ON public.document_tags FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_tags owners take tags off their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners take tags off their documents" ON public.document_tags FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: message_feedback owners take their feedback back; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners take their feedback back" ON public.message_feedback FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: document_links owners unlink their documents; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners unlink their documents" ON public.document_links FOR DELETE TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: job_progress owners watch their jobs; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners watch their jobs" ON public.job_progress FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: drafts owners write drafts; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "owners write drafts" ON public.drafts FOR INSERT TO authenticated WITH CHECK ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: packs; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.packs ENABLE ROW LEVEL SECURITY;

--
-- Name: payment_alerts; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.payment_alerts ENABLE ROW LEVEL SECURITY;

--
-- Name: payment_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.payment_events ENABLE ROW LEVEL SECURITY;

--
-- Name: plans; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.plans ENABLE ROW LEVEL SECURITY;

--
-- Name: profiles; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.profiles ENABLE ROW LEVEL SECURITY;

--
-- Name: projects; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.projects ENABLE ROW LEVEL SECURITY;

--
-- Name: runs; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.runs ENABLE ROW LEVEL SECURITY;

--
-- Name: segments; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.segments ENABLE ROW LEVEL SECURITY;

--
-- Name: site_settings; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.site_settings ENABLE ROW LEVEL SECURITY;

--
-- Name: stages; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.stages ENABLE ROW LEVEL SECURITY;

--
-- Name: tags; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.tags ENABLE ROW LEVEL SECURITY;

--
-- Name: task_events; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.task_events ENABLE ROW LEVEL SECURITY;

--
-- Name: tasks; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.tasks ENABLE ROW LEVEL SECURITY;

--
-- Name: tool_calls; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.tool_calls ENABLE ROW LEVEL SECURITY;

--
-- Name: user_roles; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.user_roles ENABLE ROW LEVEL SECURITY;

--
-- Name: analytics_events users add events of their own or of nobody; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "users add events of their own or of nobody" ON public.analytics_events FOR INSERT TO authenticated WITH CHECK (((user_id IS NULL) OR (user_id = ( SELECT auth.uid() AS uid))));

--
-- Name: user_roles users read their own roles; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "users read their own roles" ON public.user_roles FOR SELECT TO authenticated USING ((user_id = ( SELECT auth.uid() AS uid)));

--
-- Name: error_logs users report errors of their own or of nobody; Type: POLICY; Schema: public; Owner: -
--

CREATE POLICY "users report errors of their own or of nobody" ON public.error_logs FOR INSERT TO authenticated WITH CHECK (((user_id IS NULL) OR (user_id = ( SELECT auth.uid() AS uid))));

--
-- Name: waiting_list; Type: ROW SECURITY; Schema: public; Owner: -
--

ALTER TABLE public.waiting_list ENABLE ROW LEVEL SECURITY;

--
-- Name: SCHEMA private; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA private TO service_role;

--
-- Name: SCHEMA public; Type: ACL; Schema: -; Owner: -
--

GRANT USAGE ON SCHEMA public TO anon;
GRANT USAGE ON SCHEMA public TO authenticated;
GRANT USAGE ON SCHEMA public TO service_role;

--
-- Name: TYPE lot_grant; Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON TYPE private.lot_grant FROM PUBLIC;

--
-- Name: FUNCTION about(_fields jsonb, _user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.about(_fields jsonb, _user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION add_demo_contacts(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.add_demo_contacts(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION add_demo_deals(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.add_demo_deals(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION add_demo_details(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.add_demo_details(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION add_demo_tasks(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.add_demo_tasks(_user_id uuid) FROM PUBLIC;

--
-- Name: TABLE credit_wallets; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_wallets TO authenticated;
GRANT SELECT ON TABLE public.credit_wallets TO service_role;

--
-- Name: FUNCTION adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.adjust_credits(_user_id uuid, _amount bigint, _reason text, _admin_id uuid, _idempotency_key text) TO service_role;

--
-- Name: FUNCTION alias_value(_kind public.document_alias_kind, _value text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.alias_value(_kind public.document_alias_kind, _value text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.alias_value(_kind public.document_alias_kind, _value text) TO service_role;

--
-- Name: FUNCTION append_events(_run_id uuid, _from_seq bigint, _events jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.append_events(_run_id uuid, _from_seq bigint, _events jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.append_events(_run_id uuid, _from_seq bigint, _events jsonb) TO service_role;

--
-- Name: TABLE payment_events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.payment_events TO service_role;

--
-- Name: FUNCTION apply_dispute(_event public.payment_events); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.apply_dispute(_event public.payment_events) FROM PUBLIC;

--
-- Name: FUNCTION apply_refund(_charge jsonb, _event_id text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.apply_refund(_charge jsonb, _event_id text) FROM PUBLIC;

--
-- Name: FUNCTION apply_session(_session jsonb, _event_id text, _event_type text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.apply_session(_session jsonb, _event_id text, _event_type text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.apply_session(_session jsonb, _event_id text, _event_type text) TO service_role;

--
-- Name: FUNCTION apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.apply_sessions(_sessions jsonb[], _event_ids text[], _event_types text[]) FROM PUBLIC;

--
-- Name: FUNCTION assert_wallet(VARIADIC _user_ids uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.assert_wallet(VARIADIC _user_ids uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION bare_number(_number text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.bare_number(_number text) FROM PUBLIC;

--
-- Name: FUNCTION begin_turn(_user_id uuid, _turn jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.begin_turn(_user_id uuid, _turn jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.begin_turn(_user_id uuid, _turn jsonb) TO service_role;

--
-- Name: FUNCTION best_passage(_line text, _starts integer[], _terms private.document_term[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.best_passage(_line text, _starts integer[], _terms private.document_term[]) FROM PUBLIC;

--
-- Name: TABLE credit_ledger; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_ledger TO authenticated;
GRANT SELECT ON TABLE public.credit_ledger TO service_role;

--
-- Name: FUNCTION book(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _hold_id uuid, _reason text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.book(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _hold_id uuid, _reason text) FROM PUBLIC;

--
-- Name: FUNCTION calendar_feed_owner(_secret_hash bytea); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.calendar_feed_owner(_secret_hash bytea) FROM PUBLIC;
GRANT ALL ON FUNCTION private.calendar_feed_owner(_secret_hash bytea) TO service_role;

--
-- Name: FUNCTION cents(_fields jsonb, _key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.cents(_fields jsonb, _key text) FROM PUBLIC;

--
-- Name: FUNCTION change_row(_table text, _key jsonb, _after jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.change_row(_table text, _key jsonb, _after jsonb) FROM PUBLIC;

--
-- Name: FUNCTION check_import(_fields jsonb, _emails text[], _phones jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.check_import(_fields jsonb, _emails text[], _phones jsonb) FROM PUBLIC;

--
-- Name: FUNCTION child_key(_table text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.child_key(_table text) FROM PUBLIC;

--
-- Name: FUNCTION claim_alerts(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.claim_alerts(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.claim_alerts(_limit integer) TO service_role;

--
-- Name: FUNCTION claim_check(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.claim_check(_order_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.claim_check(_order_id uuid) TO service_role;

--
-- Name: TABLE credit_orders; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_orders TO authenticated;
GRANT SELECT ON TABLE public.credit_orders TO service_role;

--
-- Name: FUNCTION claim_receipts(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.claim_receipts(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.claim_receipts(_limit integer) TO service_role;

--
-- Name: TABLE credit_holds; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_holds TO authenticated;
GRANT SELECT ON TABLE public.credit_holds TO service_role;

--
-- Name: FUNCTION close_hold(_hold public.credit_holds, _state public.credit_hold_state, _used bigint, _settle_key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.close_hold(_hold public.credit_holds, _state public.credit_hold_state, _used bigint, _settle_key text) FROM PUBLIC;

--
-- Name: FUNCTION close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.close_hold_of_answer(_user_id uuid, _message_id uuid, _cost bigint) FROM PUBLIC;

--
-- Name: FUNCTION contact_fingerprints(_user_id uuid, _contacts uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.contact_fingerprints(_user_id uuid, _contacts uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION contact_references(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.contact_references() FROM PUBLIC;

--
-- Name: FUNCTION content_words(_words text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.content_words(_words text[]) FROM PUBLIC;

--
-- Name: TABLE conversations; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.conversations TO authenticated;
GRANT SELECT,DELETE ON TABLE public.conversations TO service_role;

--
-- Name: COLUMN conversations.title; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(title) ON TABLE public.conversations TO authenticated;

--
-- Name: COLUMN conversations.agent; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(agent) ON TABLE public.conversations TO authenticated;

--
-- Name: COLUMN conversations.uses_memory; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(uses_memory) ON TABLE public.conversations TO authenticated;

--
-- Name: COLUMN conversations.auto_approve; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(auto_approve) ON TABLE public.conversations TO authenticated;

--
-- Name: COLUMN conversations.pinned_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(pinned_at) ON TABLE public.conversations TO authenticated;

--
-- Name: COLUMN conversations.archived_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(archived_at) ON TABLE public.conversations TO authenticated;

--
-- Name: FUNCTION conversation_of_turn(_user_id uuid, _turn jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.conversation_of_turn(_user_id uuid, _turn jsonb) FROM PUBLIC;

--
-- Name: FUNCTION copy_field(_document_id uuid, _key text, _value text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.copy_field(_document_id uuid, _key text, _value text) FROM PUBLIC;

--
-- Name: FUNCTION count_demo(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.count_demo(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION count_turn(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.count_turn(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION count_words(_user_id uuid, _gone text[], _come text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.count_words(_user_id uuid, _gone text[], _come text[]) FROM PUBLIC;

--
-- Name: FUNCTION demo_contacts(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.demo_contacts(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION is_tax_code(_code text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_tax_code(_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.is_tax_code(_code text) TO authenticated;
GRANT ALL ON FUNCTION private.is_tax_code(_code text) TO service_role;

--
-- Name: FUNCTION is_vat_number(_number text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_vat_number(_number text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.is_vat_number(_number text) TO authenticated;
GRANT ALL ON FUNCTION private.is_vat_number(_number text) TO service_role;

--
-- Name: TABLE profiles; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.profiles TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.profiles TO service_role;

--
-- Name: COLUMN profiles.full_name; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(full_name) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.avatar_url; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(avatar_url) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.onboarding_completed; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(onboarding_completed) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.onboarding_step; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(onboarding_step) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.business_name; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(business_name) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.activity; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(activity) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.tax_regime; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(tax_regime) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.goal; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(goal) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.vat_number; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(vat_number) ON TABLE public.profiles TO authenticated;

--
-- Name: COLUMN profiles.tax_code; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(tax_code) ON TABLE public.profiles TO authenticated;

--
-- Name: FUNCTION direct_invoices(_own public.profiles); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.direct_invoices(_own public.profiles) FROM PUBLIC;

--
-- Name: FUNCTION dispute_step(_type text, _status text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.dispute_step(_type text, _status text) FROM PUBLIC;

--
-- Name: FUNCTION document_codes(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.document_codes(_text text) FROM PUBLIC;

--
-- Name: FUNCTION document_grams(_user_id uuid, _word text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.document_grams(_user_id uuid, _word text) FROM PUBLIC;

--
-- Name: FUNCTION document_lexemes(_user_id uuid, _words text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.document_lexemes(_user_id uuid, _words text[]) FROM PUBLIC;

--
-- Name: TABLE documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.documents TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.documents TO service_role;

--
-- Name: COLUMN documents.filename; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(filename) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(contact_id) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.issued_on; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(issued_on) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.due_on; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(due_on) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.note; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(note) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.retention_until; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(retention_until) ON TABLE public.documents TO authenticated;

--
-- Name: COLUMN documents.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.documents TO authenticated;

--
-- Name: FUNCTION document_summary(_document public.documents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.document_summary(_document public.documents) FROM PUBLIC;

--
-- Name: FUNCTION document_terms(_user_id uuid, _query text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.document_terms(_user_id uuid, _query text) FROM PUBLIC;

--
-- Name: FUNCTION draw(_user_id uuid, _amount bigint); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.draw(_user_id uuid, _amount bigint) FROM PUBLIC;

--
-- Name: FUNCTION drifted_wallets(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.drifted_wallets() FROM PUBLIC;
GRANT ALL ON FUNCTION private.drifted_wallets() TO service_role;

--
-- Name: FUNCTION early_bird_credits(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.early_bird_credits() FROM PUBLIC;

--
-- Name: FUNCTION enter_stage(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.enter_stage() FROM PUBLIC;

--
-- Name: FUNCTION euros(_cents bigint, _currency text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.euros(_cents bigint, _currency text) FROM PUBLIC;

--
-- Name: FUNCTION expire_lots(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.expire_lots(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.expire_lots(_limit integer) TO service_role;

--
-- Name: FUNCTION expire_tool_calls(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.expire_tool_calls() FROM PUBLIC;
GRANT ALL ON FUNCTION private.expire_tool_calls() TO service_role;

--
-- Name: FUNCTION expire_wallet(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.expire_wallet(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION few_documents(_user_id uuid, _filter jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.few_documents(_user_id uuid, _filter jsonb) FROM PUBLIC;

--
-- Name: FUNCTION finish_paid_tasks(_invoice_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.finish_paid_tasks(_invoice_id uuid) FROM PUBLIC;

--
-- Name: TABLE messages; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.messages TO authenticated;
GRANT SELECT ON TABLE public.messages TO service_role;

--
-- Name: FUNCTION finish_turn(_run_id uuid, _outcome jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.finish_turn(_run_id uuid, _outcome jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.finish_turn(_run_id uuid, _outcome jsonb) TO service_role;

--
-- Name: FUNCTION fitting_documents(_user_id uuid, _filter jsonb, _among uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.fitting_documents(_user_id uuid, _filter jsonb, _among uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION follow_contact_tags(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_contact_tags() FROM PUBLIC;

--
-- Name: FUNCTION follow_document_contact(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_document_contact() FROM PUBLIC;

--
-- Name: FUNCTION follow_fields(_document_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_fields(_document_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION follow_interactions(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_interactions() FROM PUBLIC;

--
-- Name: FUNCTION follow_invoice(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_invoice() FROM PUBLIC;

--
-- Name: FUNCTION follow_merge(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_merge() FROM PUBLIC;

--
-- Name: FUNCTION follow_merge_of_waiting(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_merge_of_waiting() FROM PUBLIC;

--
-- Name: FUNCTION follow_named_documents(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_named_documents() FROM PUBLIC;

--
-- Name: FUNCTION follow_own_numbers(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_own_numbers() FROM PUBLIC;

--
-- Name: FUNCTION follow_said_words(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_said_words() FROM PUBLIC;

--
-- Name: FUNCTION follow_schedule(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_schedule() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_contacts(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_contacts() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_documents(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_documents() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_facts(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_facts() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_pages(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_pages() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_parts(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_parts() FROM PUBLIC;

--
-- Name: FUNCTION follow_searched_tags(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_searched_tags() FROM PUBLIC;

--
-- Name: FUNCTION follow_tags(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_tags() FROM PUBLIC;

--
-- Name: FUNCTION follow_total(_document_id uuid, _before jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_total(_document_id uuid, _before jsonb) FROM PUBLIC;

--
-- Name: FUNCTION follow_trashed_document(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_trashed_document() FROM PUBLIC;

--
-- Name: FUNCTION follow_trashed_task(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.follow_trashed_task() FROM PUBLIC;

--
-- Name: FUNCTION forget_merges(_days integer, _limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.forget_merges(_days integer, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.forget_merges(_days integer, _limit integer) TO service_role;

--
-- Name: FUNCTION forget_run_events(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.forget_run_events() FROM PUBLIC;
GRANT ALL ON FUNCTION private.forget_run_events() TO service_role;

--
-- Name: FUNCTION forget_words(_users uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.forget_words(_users uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION fulfil_orders(_ids uuid[], _event_ids text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.fulfil_orders(_ids uuid[], _event_ids text[]) FROM PUBLIC;

--
-- Name: FUNCTION full_name(_metadata jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.full_name(_metadata jsonb) FROM PUBLIC;

--
-- Name: FUNCTION give_up_order(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.give_up_order(_order_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.give_up_order(_order_id uuid) TO service_role;

--
-- Name: FUNCTION grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone, _ref_type text, _ref_id text, _order_id uuid, _paid_cents bigint); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone, _ref_type text, _ref_id text, _order_id uuid, _paid_cents bigint) FROM PUBLIC;
GRANT ALL ON FUNCTION private.grant_credits(_user_id uuid, _amount bigint, _kind public.credit_lot_kind, _account public.credit_account, _idempotency_key text, _expires_at timestamp with time zone, _ref_type text, _ref_id text, _order_id uuid, _paid_cents bigint) TO service_role;

--
-- Name: FUNCTION grant_lots(_grants private.lot_grant[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.grant_lots(_grants private.lot_grant[]) FROM PUBLIC;

--
-- Name: FUNCTION hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamp with time zone); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.hand_back(_row jsonb, _change jsonb, _part jsonb, _since timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION handle_payment_event(_event public.payment_events); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.handle_payment_event(_event public.payment_events) FROM PUBLIC;

--
-- Name: FUNCTION handle_stored_event(_event public.payment_events); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.handle_stored_event(_event public.payment_events) FROM PUBLIC;

--
-- Name: FUNCTION hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.hold_back(_session jsonb, _order_id uuid, _event_id text, _differences jsonb) FROM PUBLIC;

--
-- Name: FUNCTION hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text, _ref_id text, _expires_at timestamp with time zone); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text, _ref_id text, _expires_at timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION private.hold_credits(_user_id uuid, _max bigint, _idempotency_key text, _ref_type text, _ref_id text, _expires_at timestamp with time zone) TO service_role;

--
-- Name: TABLE import_batches; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.import_batches TO authenticated;
GRANT SELECT ON TABLE public.import_batches TO service_role;

--
-- Name: FUNCTION import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_children(_batch public.import_batches, _contact_id uuid, _emails text[], _phones jsonb, _tags text[]) FROM PUBLIC;

--
-- Name: FUNCTION import_company(_batch public.import_batches, _name text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_company(_batch public.import_batches, _name text) FROM PUBLIC;

--
-- Name: FUNCTION import_consents(_batch public.import_batches, _contact_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_consents(_batch public.import_batches, _contact_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION import_fields(_row jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_fields(_row jsonb) FROM PUBLIC;

--
-- Name: FUNCTION import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_leftovers(_user_id uuid, _contact_id uuid, _emails text[], _phones text[]) FROM PUBLIC;

--
-- Name: FUNCTION import_row(_batch public.import_batches, _row jsonb, _match text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_row(_batch public.import_batches, _row jsonb, _match text) FROM PUBLIC;

--
-- Name: FUNCTION import_text(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.import_text(_text text) FROM PUBLIC;

--
-- Name: FUNCTION index_contacts(_contacts uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.index_contacts(_contacts uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION index_contacts_now(_contacts uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.index_contacts_now(_contacts uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION index_documents(_documents uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.index_documents(_documents uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION index_pages(_changes private.document_change[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.index_pages(_changes private.document_change[]) FROM PUBLIC;

--
-- Name: FUNCTION index_texts(_user_id uuid, _changes private.document_change[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.index_texts(_user_id uuid, _changes private.document_change[]) FROM PUBLIC;

--
-- Name: FUNCTION is_admin(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_admin() FROM PUBLIC;

--
-- Name: FUNCTION is_email(_address text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_email(_address text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.is_email(_address text) TO authenticated;
GRANT ALL ON FUNCTION private.is_email(_address text) TO service_role;

--
-- Name: TABLE consents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.consents TO authenticated;
GRANT SELECT ON TABLE public.consents TO service_role;

--
-- Name: FUNCTION is_of_file(_consent public.consents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_of_file(_consent public.consents) FROM PUBLIC;

--
-- Name: FUNCTION is_of_owner(_fields jsonb, _user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_of_owner(_fields jsonb, _user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION is_order_free(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_order_free(_order_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION is_party(_party jsonb, _own public.profiles); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_party(_party jsonb, _own public.profiles) FROM PUBLIC;

--
-- Name: FUNCTION is_reachable(_email text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_reachable(_email text) FROM PUBLIC;

--
-- Name: FUNCTION is_sdi_code(_code text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.is_sdi_code(_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.is_sdi_code(_code text) TO authenticated;
GRANT ALL ON FUNCTION private.is_sdi_code(_code text) TO service_role;

--
-- Name: FUNCTION issuer_number(_document public.documents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.issuer_number(_document public.documents) FROM PUBLIC;

--
-- Name: FUNCTION joined_lines(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.joined_lines(_text text) FROM PUBLIC;

--
-- Name: FUNCTION keep_document(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.keep_document() FROM PUBLIC;

--
-- Name: FUNCTION keep_task(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.keep_task() FROM PUBLIC;

--
-- Name: FUNCTION keep_task_levels(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.keep_task_levels() FROM PUBLIC;

--
-- Name: FUNCTION keep_trash_time(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.keep_trash_time() FROM PUBLIC;

--
-- Name: FUNCTION keep_used_demo(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.keep_used_demo(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION learn_field(_document public.documents, _key text, _label text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.learn_field(_document public.documents, _key text, _label text) FROM PUBLIC;

--
-- Name: FUNCTION leave_trashed_parent(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.leave_trashed_parent() FROM PUBLIC;

--
-- Name: FUNCTION limit_session_rate(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.limit_session_rate() FROM PUBLIC;

--
-- Name: FUNCTION limit_table_rate(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.limit_table_rate() FROM PUBLIC;

--
-- Name: FUNCTION living_contact(_user_id uuid, _contact_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.living_contact(_user_id uuid, _contact_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_hold(_hold_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.lock_hold(_hold_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_import(_batch uuid, _states public.import_state[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.lock_import(_batch uuid, _states public.import_state[]) FROM PUBLIC;

--
-- Name: TABLE runs; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.runs TO authenticated;
GRANT SELECT ON TABLE public.runs TO service_role;

--
-- Name: FUNCTION lock_run(_run_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.lock_run(_run_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION lock_wallet(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.lock_wallet(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION log_first_stage(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.log_first_stage() FROM PUBLIC;

--
-- Name: FUNCTION log_task(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.log_task() FROM PUBLIC;

--
-- Name: FUNCTION mailbox(_email text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.mailbox(_email text) FROM PUBLIC;

--
-- Name: FUNCTION make_document_contact(_document public.documents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.make_document_contact(_document public.documents) FROM PUBLIC;

--
-- Name: TABLE contacts; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.contacts TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contacts TO service_role;

--
-- Name: COLUMN contacts.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.type; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(type),UPDATE(type) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.first_name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(first_name),UPDATE(first_name) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.last_name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(last_name),UPDATE(last_name) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.business_name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(business_name),UPDATE(business_name) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.company_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(company_id),UPDATE(company_id) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.job_title; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(job_title),UPDATE(job_title) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.vat_number; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(vat_number),UPDATE(vat_number) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.tax_code; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(tax_code),UPDATE(tax_code) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.sdi_code; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(sdi_code),UPDATE(sdi_code) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.pec; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(pec),UPDATE(pec) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.regime; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(regime),UPDATE(regime) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.address; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(address),UPDATE(address) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.website; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(website),UPDATE(website) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.origin; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(origin) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.touch_days; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(touch_days),UPDATE(touch_days) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.snoozed_until; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(snoozed_until),UPDATE(snoozed_until) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.note; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(note),UPDATE(note) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.contacts TO authenticated;

--
-- Name: COLUMN contacts.import_batch_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(import_batch_id) ON TABLE public.contacts TO authenticated;

--
-- Name: FUNCTION match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.match_import(_user_id uuid, _fields jsonb, _name text, _emails text[], _phones text[]) FROM PUBLIC;

--
-- Name: FUNCTION memory_digest(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.memory_digest(_text text) FROM PUBLIC;

--
-- Name: FUNCTION merge_details(_user_id uuid, _from uuid, _to uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.merge_details(_user_id uuid, _from uuid, _to uuid) FROM PUBLIC;

--
-- Name: FUNCTION miss_session(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.miss_session(_order_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.miss_session(_order_id uuid) TO service_role;

--
-- Name: FUNCTION move_children(_user_id uuid, _from uuid, _to uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.move_children(_user_id uuid, _from uuid, _to uuid) FROM PUBLIC;

--
-- Name: FUNCTION move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.move_rows(_user_id uuid, _table text, _column text, _from uuid, _to uuid, _rows uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION note_demo(_user_id uuid, _held_by text, _rows uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_demo(_user_id uuid, _held_by text, _rows uuid[]) FROM PUBLIC;

--
-- Name: FUNCTION note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_import(_batch public.import_batches, _contact_id uuid, _is_new boolean, _changes jsonb, _added jsonb) FROM PUBLIC;

--
-- Name: FUNCTION note_memory_uses(_user_id uuid, _ids uuid[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_memory_uses(_user_id uuid, _ids uuid[]) FROM PUBLIC;
GRANT ALL ON FUNCTION private.note_memory_uses(_user_id uuid, _ids uuid[]) TO service_role;

--
-- Name: FUNCTION note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_outcomes(_ids text[], _order_ids uuid[], _outcomes text[], _error text) FROM PUBLIC;

--
-- Name: FUNCTION note_refund(_refund jsonb, _event_id text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_refund(_refund jsonb, _event_id text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.note_refund(_refund jsonb, _event_id text) TO service_role;

--
-- Name: FUNCTION note_session(_order_id uuid, _session text, _url text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.note_session(_order_id uuid, _session text, _url text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.note_session(_order_id uuid, _session text, _url text) TO service_role;

--
-- Name: FUNCTION one_line(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.one_line(_text text) FROM PUBLIC;

--
-- Name: FUNCTION open_account(_user_id uuid, _metadata jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.open_account(_user_id uuid, _metadata jsonb) FROM PUBLIC;

--
-- Name: FUNCTION open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION private.open_order(_user_id uuid, _email text, _pack_id text, _consumer boolean, _billing jsonb, _waiver boolean) TO service_role;

--
-- Name: FUNCTION order_id(_about jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.order_id(_about jsonb) FROM PUBLIC;

--
-- Name: FUNCTION order_of(_about jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.order_of(_about jsonb) FROM PUBLIC;

--
-- Name: FUNCTION orders_to_check(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.orders_to_check(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.orders_to_check(_limit integer) TO service_role;

--
-- Name: FUNCTION orphan_orders(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.orphan_orders() FROM PUBLIC;

--
-- Name: FUNCTION overrules(_other public.consents, _kept public.consents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.overrules(_other public.consents, _kept public.consents) FROM PUBLIC;

--
-- Name: FUNCTION own_changed_demo(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.own_changed_demo() FROM PUBLIC;

--
-- Name: FUNCTION own_changed_demo_contact(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.own_changed_demo_contact() FROM PUBLIC;

--
-- Name: FUNCTION own_document(_document_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.own_document(_document_id uuid) FROM PUBLIC;

--
-- Name: TABLE invoices; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.invoices TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invoices TO service_role;

--
-- Name: FUNCTION own_invoice(_invoice_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.own_invoice(_invoice_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION page_line(_words jsonb, _text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.page_line(_words jsonb, _text text) FROM PUBLIC;

--
-- Name: FUNCTION page_snippet(_text text, _patterns text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.page_snippet(_text text, _patterns text[]) FROM PUBLIC;

--
-- Name: FUNCTION party_vat(_party jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.party_vat(_party jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.party_vat(_party jsonb) TO service_role;

--
-- Name: FUNCTION payable_cents(_fields jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.payable_cents(_fields jsonb) FROM PUBLIC;

--
-- Name: FUNCTION payment_title(_invoice public.invoices, _cents bigint); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.payment_title(_invoice public.invoices, _cents bigint) FROM PUBLIC;

--
-- Name: FUNCTION place_task(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.place_task() FROM PUBLIC;

--
-- Name: FUNCTION places(_line text, _pattern text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.places(_line text, _pattern text) FROM PUBLIC;

--
-- Name: FUNCTION plain_line(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.plain_line(_text text) FROM PUBLIC;

--
-- Name: FUNCTION plain_name(_name text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.plain_name(_name text) FROM PUBLIC;

--
-- Name: FUNCTION plan_of(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.plan_of(_user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.plan_of(_user_id uuid) TO service_role;

--
-- Name: TABLE memories; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.memories TO authenticated;
GRANT SELECT ON TABLE public.memories TO service_role;

--
-- Name: COLUMN memories.kind; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(kind) ON TABLE public.memories TO authenticated;

--
-- Name: COLUMN memories.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(contact_id) ON TABLE public.memories TO authenticated;

--
-- Name: COLUMN memories.importance; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(importance) ON TABLE public.memories TO authenticated;

--
-- Name: COLUMN memories.expires_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(expires_at) ON TABLE public.memories TO authenticated;

--
-- Name: FUNCTION propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid, _topic text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid, _topic text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.propose_memory(_user_id uuid, _body text, _kind public.memory_kind, _source public.memory_source, _source_id uuid, _source_quote text, _contact_id uuid, _topic text) TO service_role;

--
-- Name: TABLE tool_calls; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.tool_calls TO authenticated;
GRANT SELECT ON TABLE public.tool_calls TO service_role;

--
-- Name: FUNCTION propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb, _from_data boolean, _needs_count integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb, _from_data boolean, _needs_count integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.propose_tool_call(_user_id uuid, _message_id uuid, _tool text, _args jsonb, _preview jsonb, _risk text, _rules jsonb, _from_data boolean, _needs_count integer) TO service_role;

--
-- Name: FUNCTION query_words(_query text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.query_words(_query text) FROM PUBLIC;

--
-- Name: FUNCTION question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.question_of_turn(_user_id uuid, _conversation_id uuid, _turn jsonb) FROM PUBLIC;

--
-- Name: FUNCTION quote_of(_action text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.quote_of(_action text) FROM PUBLIC;

--
-- Name: FUNCTION raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.raise_alert(_kind public.payment_alert_kind, _order_id uuid, _event_id text, _details jsonb) FROM PUBLIC;

--
-- Name: FUNCTION ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.ranked_contacts(_user_id uuid, _words text[], _how text, _limit integer) FROM PUBLIC;

--
-- Name: FUNCTION ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.ranked_pages(_user_id uuid, _terms private.document_term[], _documents uuid[], _most integer) FROM PUBLIC;

--
-- Name: FUNCTION rebase_changes(_changes jsonb, _like jsonb, _former jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.rebase_changes(_changes jsonb, _like jsonb, _former jsonb) FROM PUBLIC;

--
-- Name: FUNCTION reclaim(_order_id uuid, _cents bigint, _all boolean, _idempotency_key text, OUT taken bigint, OUT missing bigint, OUT is_waiting boolean); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.reclaim(_order_id uuid, _cents bigint, _all boolean, _idempotency_key text, OUT taken bigint, OUT missing bigint, OUT is_waiting boolean) FROM PUBLIC;

--
-- Name: FUNCTION record_payment_event(_id text, _type text, _payload jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.record_payment_event(_id text, _type text, _payload jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.record_payment_event(_id text, _type text, _payload jsonb) TO service_role;

--
-- Name: FUNCTION record_payment_events(_ids text[], _types text[], _payloads text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.record_payment_events(_ids text[], _types text[], _payloads text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION private.record_payment_events(_ids text[], _types text[], _payloads text[]) TO service_role;

--
-- Name: FUNCTION refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.refund_order(_order_id uuid, _amount_cents bigint, _idempotency_key text) TO service_role;

--
-- Name: FUNCTION refundable(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refundable(_order_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.refundable(_order_id uuid) TO service_role;

--
-- Name: FUNCTION refuse_busy(_user_id uuid, _conversation_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_busy(_user_id uuid, _conversation_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION refuse_change(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_change() FROM PUBLIC;

--
-- Name: FUNCTION refuse_change_of_consent(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_change_of_consent() FROM PUBLIC;

--
-- Name: FUNCTION refuse_change_of_published(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_change_of_published() FROM PUBLIC;

--
-- Name: FUNCTION refuse_files_of_nobody(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_files_of_nobody() FROM PUBLIC;

--
-- Name: FUNCTION refuse_key(_idempotency_key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_key(_idempotency_key text) FROM PUBLIC;

--
-- Name: FUNCTION refuse_memory(_user_id uuid, _body text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.refuse_memory(_user_id uuid, _body text) FROM PUBLIC;

--
-- Name: FUNCTION register_scan(_document public.documents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.register_scan(_document public.documents) FROM PUBLIC;

--
-- Name: FUNCTION release_hold(_hold_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.release_hold(_hold_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.release_hold(_hold_id uuid) TO service_role;

--
-- Name: FUNCTION release_run(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.release_run() FROM PUBLIC;

--
-- Name: FUNCTION remember_aliases(_document public.documents, _contact_id uuid, _state public.document_alias_state); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.remember_aliases(_document public.documents, _contact_id uuid, _state public.document_alias_state) FROM PUBLIC;

--
-- Name: FUNCTION reminder_moment(_due_on date, _days_before integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.reminder_moment(_due_on date, _days_before integer) FROM PUBLIC;

--
-- Name: FUNCTION remove_files(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.remove_files() FROM PUBLIC;

--
-- Name: FUNCTION remove_invoices(_document_id uuid, _user_id uuid, _kept integer[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.remove_invoices(_document_id uuid, _user_id uuid, _kept integer[]) FROM PUBLIC;

--
-- Name: FUNCTION repeat_word(_document_id uuid, _read jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.repeat_word(_document_id uuid, _read jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.repeat_word(_document_id uuid, _read jsonb) TO service_role;

--
-- Name: FUNCTION retention_end(_document public.documents); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.retention_end(_document public.documents) FROM PUBLIC;

--
-- Name: FUNCTION retitle_reminders(_invoice public.invoices); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.retitle_reminders(_invoice public.invoices) FROM PUBLIC;

--
-- Name: FUNCTION retry_payment_events(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.retry_payment_events(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.retry_payment_events(_limit integer) TO service_role;

--
-- Name: FUNCTION row_filter(_key jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.row_filter(_key jsonb) FROM PUBLIC;

--
-- Name: FUNCTION search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.search_document(_key text, _names text, _others text, _prose text, _emails text[], _numbers text[]) FROM PUBLIC;

--
-- Name: FUNCTION search_key(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.search_key(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION search_query(_key text, _words text[], _how text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.search_query(_key text, _words text[], _how text) FROM PUBLIC;

--
-- Name: FUNCTION search_text(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.search_text(_text text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.search_text(_text text) TO service_role;

--
-- Name: FUNCTION set_next_touch(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.set_next_touch() FROM PUBLIC;

--
-- Name: FUNCTION set_updated_at(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.set_updated_at() FROM PUBLIC;

--
-- Name: FUNCTION settle_document(_document_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.settle_document(_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.settle_document(_document_id uuid) TO service_role;

--
-- Name: FUNCTION settle_hold(_hold_id uuid, _used bigint, _idempotency_key text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.settle_hold(_hold_id uuid, _used bigint, _idempotency_key text) TO service_role;

--
-- Name: FUNCTION settle_order(_order public.credit_orders, _event_id text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.settle_order(_order public.credit_orders, _event_id text) FROM PUBLIC;

--
-- Name: FUNCTION settle_order_refund(_refund_id uuid, _provider_refund text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.settle_order_refund(_refund_id uuid, _provider_refund text) FROM PUBLIC;
GRANT ALL ON FUNCTION private.settle_order_refund(_refund_id uuid, _provider_refund text) TO service_role;

--
-- Name: FUNCTION shared_mail_domains(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.shared_mail_domains() FROM PUBLIC;

--
-- Name: FUNCTION similar_memory(_user_id uuid, _body text, _except uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.similar_memory(_user_id uuid, _body text, _except uuid) FROM PUBLIC;

--
-- Name: FUNCTION store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION private.store_invoice(_document_id uuid, _user_id uuid, _invoices jsonb) TO service_role;

--
-- Name: FUNCTION store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.store_schedules(_invoice_id uuid, _user_id uuid, _schedules jsonb) FROM PUBLIC;

--
-- Name: FUNCTION sum_up_disputes(_order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.sum_up_disputes(_order_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION supersede_memories(_memory public.memories); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.supersede_memories(_memory public.memories) FROM PUBLIC;

--
-- Name: FUNCTION sure_fields(_document_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.sure_fields(_document_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION sweep_holds(_limit integer); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.sweep_holds(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION private.sweep_holds(_limit integer) TO service_role;

--
-- Name: FUNCTION sweep_runs(_limit integer, _user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.sweep_runs(_limit integer, _user_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.sweep_runs(_limit integer, _user_id uuid) TO service_role;

--
-- Name: FUNCTION tables_about_contacts(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.tables_about_contacts() FROM PUBLIC;

--
-- Name: FUNCTION take(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _reason text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.take(_user_id uuid, _kind public.credit_entry_kind, _account public.credit_account, _idempotency_key text, _lot_ids uuid[], _amounts bigint[], _ref_type text, _ref_id text, _reason text) FROM PUBLIC;

--
-- Name: FUNCTION take_early_bird_seat(_user_id uuid, _email text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.take_early_bird_seat(_user_id uuid, _email text) FROM PUBLIC;

--
-- Name: FUNCTION term_patterns(_terms private.document_term[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.term_patterns(_terms private.document_term[]) FROM PUBLIC;

--
-- Name: FUNCTION text_words(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.text_words(_text text) FROM PUBLIC;

--
-- Name: FUNCTION try_import_row(_batch public.import_batches, _row jsonb, _match text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.try_import_row(_batch public.import_batches, _row jsonb, _match text) FROM PUBLIC;

--
-- Name: FUNCTION turn_document(_document_id uuid, _before jsonb); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.turn_document(_document_id uuid, _before jsonb) FROM PUBLIC;

--
-- Name: FUNCTION turn_limits(_plan text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.turn_limits(_plan text) FROM PUBLIC;

--
-- Name: FUNCTION turn_of(_user_id uuid, _answer uuid, _repeated boolean); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.turn_of(_user_id uuid, _answer uuid, _repeated boolean) FROM PUBLIC;

--
-- Name: FUNCTION undo_change(_change jsonb, _since timestamp with time zone); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.undo_change(_change jsonb, _since timestamp with time zone) FROM PUBLIC;

--
-- Name: FUNCTION undo_import_of(_change private.import_changes); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.undo_import_of(_change private.import_changes) FROM PUBLIC;

--
-- Name: FUNCTION unmemorable(_text text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.unmemorable(_text text) FROM PUBLIC;

--
-- Name: FUNCTION used_this_month(_user_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.used_this_month(_user_id uuid) FROM PUBLIC;

--
-- Name: FUNCTION welcome_account(_user_id uuid, _email text); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.welcome_account(_user_id uuid, _email text) FROM PUBLIC;

--
-- Name: FUNCTION welcome_credits(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.welcome_credits() FROM PUBLIC;

--
-- Name: FUNCTION welcome_user(); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.welcome_user() FROM PUBLIC;

--
-- Name: FUNCTION withdraw_order(_user_id uuid, _order_id uuid); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.withdraw_order(_user_id uuid, _order_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION private.withdraw_order(_user_id uuid, _order_id uuid) TO service_role;

--
-- Name: FUNCTION word_beginnings(_words text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.word_beginnings(_words text[]) FROM PUBLIC;

--
-- Name: FUNCTION words_pattern(_words text[]); Type: ACL; Schema: private; Owner: -
--

REVOKE ALL ON FUNCTION private.words_pattern(_words text[]) FROM PUBLIC;

--
-- Name: FUNCTION add_demo_data(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.add_demo_data() FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_demo_data() TO authenticated;

--
-- Name: FUNCTION is_rrule(_rrule text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.is_rrule(_rrule text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.is_rrule(_rrule text) TO authenticated;
GRANT ALL ON FUNCTION public.is_rrule(_rrule text) TO service_role;

--
-- Name: TABLE tasks; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.tasks TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tasks TO service_role;

--
-- Name: COLUMN tasks.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.project_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(project_id),UPDATE(project_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.parent_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(parent_id),UPDATE(parent_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.title; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(title),UPDATE(title) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.notes; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(notes),UPDATE(notes) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.state; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(state),UPDATE(state) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.priority; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(priority),UPDATE(priority) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.due_at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(due_at),UPDATE(due_at) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.due_is_allday; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(due_is_allday),UPDATE(due_is_allday) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.someday; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(someday),UPDATE(someday) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.remind_at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(remind_at),UPDATE(remind_at) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.rrule; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(rrule),UPDATE(rrule) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.repeat_from; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(repeat_from),UPDATE(repeat_from) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.series_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(series_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.previous_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(previous_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id),UPDATE(contact_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.deal_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(deal_id),UPDATE(deal_id) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.waiting_for; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(waiting_for),UPDATE(waiting_for) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks."position"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT("position"),UPDATE("position") ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.completed_at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(completed_at),UPDATE(completed_at) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.origin; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(origin) ON TABLE public.tasks TO authenticated;

--
-- Name: COLUMN tasks.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.tasks TO authenticated;

--
-- Name: FUNCTION add_subtasks(_parent uuid, _titles text[]); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.add_subtasks(_parent uuid, _titles text[]) FROM PUBLIC;
GRANT ALL ON FUNCTION public.add_subtasks(_parent uuid, _titles text[]) TO authenticated;

--
-- Name: FUNCTION ask_documents(_question text, _document_id uuid, _limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.ask_documents(_question text, _document_id uuid, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.ask_documents(_question text, _document_id uuid, _limit integer) TO authenticated;

--
-- Name: FUNCTION begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb, _rejected integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb, _rejected integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.begin_import(_file_name text, _kind public.import_kind, _total integer, _consent jsonb, _rejected integer) TO authenticated;

--
-- Name: FUNCTION calendar_secret(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.calendar_secret() FROM PUBLIC;
GRANT ALL ON FUNCTION public.calendar_secret() TO authenticated;

--
-- Name: FUNCTION catalog(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.catalog() FROM PUBLIC;
GRANT ALL ON FUNCTION public.catalog() TO anon;
GRANT ALL ON FUNCTION public.catalog() TO authenticated;
GRANT ALL ON FUNCTION public.catalog() TO service_role;

--
-- Name: FUNCTION complete_task(_task_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.complete_task(_task_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.complete_task(_task_id uuid) TO authenticated;

--
-- Name: FUNCTION confirm_field(_document_id uuid, _key text, _value text, _page integer, _box integer[], _label text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.confirm_field(_document_id uuid, _key text, _value text, _page integer, _box integer[], _label text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.confirm_field(_document_id uuid, _key text, _value text, _page integer, _box integer[], _label text) TO authenticated;

--
-- Name: FUNCTION confirm_invoice(_document_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.confirm_invoice(_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.confirm_invoice(_document_id uuid) TO authenticated;

--
-- Name: FUNCTION contact_from_document(_document_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.contact_from_document(_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.contact_from_document(_document_id uuid) TO authenticated;

--
-- Name: FUNCTION credit_forecast(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.credit_forecast() FROM PUBLIC;
GRANT ALL ON FUNCTION public.credit_forecast() TO authenticated;

--
-- Name: FUNCTION credit_overview(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.credit_overview() FROM PUBLIC;
GRANT ALL ON FUNCTION public.credit_overview() TO authenticated;

--
-- Name: FUNCTION credit_statement(_before bigint, _limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.credit_statement(_before bigint, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.credit_statement(_before bigint, _limit integer) TO authenticated;

--
-- Name: FUNCTION document_counts(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.document_counts() FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_counts() TO authenticated;

--
-- Name: FUNCTION document_hits(_document_id uuid, _query text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.document_hits(_document_id uuid, _query text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.document_hits(_document_id uuid, _query text) TO authenticated;

--
-- Name: FUNCTION early_bird_seats(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.early_bird_seats() FROM PUBLIC;
GRANT ALL ON FUNCTION public.early_bird_seats() TO anon;
GRANT ALL ON FUNCTION public.early_bird_seats() TO authenticated;
GRANT ALL ON FUNCTION public.early_bird_seats() TO service_role;

--
-- Name: TABLE stages; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.stages TO authenticated;
GRANT SELECT,INSERT,UPDATE ON TABLE public.stages TO service_role;

--
-- Name: COLUMN stages.name; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(name) ON TABLE public.stages TO authenticated;

--
-- Name: COLUMN stages."position"; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE("position") ON TABLE public.stages TO authenticated;

--
-- Name: COLUMN stages.probability; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(probability) ON TABLE public.stages TO authenticated;

--
-- Name: FUNCTION ensure_stages(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.ensure_stages() FROM PUBLIC;
GRANT ALL ON FUNCTION public.ensure_stages() TO authenticated;

--
-- Name: FUNCTION erase_contact(_contact_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.erase_contact(_contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.erase_contact(_contact_id uuid) TO authenticated;

--
-- Name: FUNCTION export_contact(_contact_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.export_contact(_contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.export_contact(_contact_id uuid) TO authenticated;

--
-- Name: FUNCTION find_duplicates(_limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.find_duplicates(_limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.find_duplicates(_limit integer) TO authenticated;

--
-- Name: FUNCTION finish_import(_batch uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.finish_import(_batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.finish_import(_batch uuid) TO authenticated;

--
-- Name: FUNCTION forget(_ids uuid[], _contact_id uuid, _everything boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.forget(_ids uuid[], _contact_id uuid, _everything boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.forget(_ids uuid[], _contact_id uuid, _everything boolean) TO authenticated;

--
-- Name: FUNCTION has_role(_user_id uuid, _role text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.has_role(_user_id uuid, _role text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.has_role(_user_id uuid, _role text) TO authenticated;
GRANT ALL ON FUNCTION public.has_role(_user_id uuid, _role text) TO service_role;

--
-- Name: FUNCTION import_contacts(_batch uuid, _rows jsonb, _match text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.import_contacts(_batch uuid, _rows jsonb, _match text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.import_contacts(_batch uuid, _rows jsonb, _match text) TO authenticated;

--
-- Name: FUNCTION invoiced_by_month(_months integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.invoiced_by_month(_months integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.invoiced_by_month(_months integer) TO authenticated;

--
-- Name: FUNCTION keep_memory(_id uuid, _body text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.keep_memory(_id uuid, _body text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.keep_memory(_id uuid, _body text) TO authenticated;

--
-- Name: FUNCTION link_document_contact(_document_id uuid, _contact_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.link_document_contact(_document_id uuid, _contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.link_document_contact(_document_id uuid, _contact_id uuid) TO authenticated;

--
-- Name: TABLE contact_emails; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.contact_emails TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact_emails TO service_role;

--
-- Name: COLUMN contact_emails.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.contact_emails TO authenticated;

--
-- Name: COLUMN contact_emails.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.contact_emails TO authenticated;

--
-- Name: COLUMN contact_emails.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id) ON TABLE public.contact_emails TO authenticated;

--
-- Name: COLUMN contact_emails.value; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(value),UPDATE(value) ON TABLE public.contact_emails TO authenticated;

--
-- Name: COLUMN contact_emails.label; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(label),UPDATE(label) ON TABLE public.contact_emails TO authenticated;

--
-- Name: COLUMN contact_emails.is_primary; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(is_primary),UPDATE(is_primary) ON TABLE public.contact_emails TO authenticated;

--
-- Name: TABLE contact_phones; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.contact_phones TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact_phones TO service_role;

--
-- Name: COLUMN contact_phones.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.value; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(value),UPDATE(value) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.norm; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(norm),UPDATE(norm) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.label; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(label),UPDATE(label) ON TABLE public.contact_phones TO authenticated;

--
-- Name: COLUMN contact_phones.is_primary; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(is_primary),UPDATE(is_primary) ON TABLE public.contact_phones TO authenticated;

--
-- Name: TABLE contact_tags; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.contact_tags TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.contact_tags TO service_role;

--
-- Name: COLUMN contact_tags.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.contact_tags TO authenticated;

--
-- Name: COLUMN contact_tags.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id) ON TABLE public.contact_tags TO authenticated;

--
-- Name: COLUMN contact_tags.tag_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(tag_id) ON TABLE public.contact_tags TO authenticated;

--
-- Name: TABLE tags; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.tags TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.tags TO service_role;

--
-- Name: COLUMN tags.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.tags TO authenticated;

--
-- Name: COLUMN tags.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.tags TO authenticated;

--
-- Name: COLUMN tags.name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(name),UPDATE(name) ON TABLE public.tags TO authenticated;

--
-- Name: COLUMN tags.color; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(color),UPDATE(color) ON TABLE public.tags TO authenticated;

--
-- Name: COLUMN tags.touch_days; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(touch_days),UPDATE(touch_days) ON TABLE public.tags TO authenticated;

--
-- Name: TABLE contact_list; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.contact_list TO authenticated;
GRANT SELECT ON TABLE public.contact_list TO service_role;

--
-- Name: FUNCTION listed_contacts(_query text, _limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.listed_contacts(_query text, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.listed_contacts(_query text, _limit integer) TO authenticated;

--
-- Name: FUNCTION mark_invoice_paid(_invoice_id uuid, _paid_on date); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.mark_invoice_paid(_invoice_id uuid, _paid_on date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.mark_invoice_paid(_invoice_id uuid, _paid_on date) TO authenticated;

--
-- Name: FUNCTION mark_schedule_paid(_schedule_id uuid, _paid_on date); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.mark_schedule_paid(_schedule_id uuid, _paid_on date) FROM PUBLIC;
GRANT ALL ON FUNCTION public.mark_schedule_paid(_schedule_id uuid, _paid_on date) TO authenticated;

--
-- Name: FUNCTION merge_contacts(_winner uuid, _loser uuid, _choices jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.merge_contacts(_winner uuid, _loser uuid, _choices jsonb) TO authenticated;

--
-- Name: FUNCTION next_due(_invoice public.invoices); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.next_due(_invoice public.invoices) FROM PUBLIC;
GRANT ALL ON FUNCTION public.next_due(_invoice public.invoices) TO authenticated;

--
-- Name: FUNCTION next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.next_occurrence(_rrule text, _start timestamp without time zone, _after timestamp without time zone, _keeps_month boolean) TO authenticated;

--
-- Name: FUNCTION pause_memory(_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.pause_memory(_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.pause_memory(_id uuid) TO authenticated;

--
-- Name: FUNCTION place_of(_position text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.place_of(_position text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.place_of(_position text) TO authenticated;
GRANT ALL ON FUNCTION public.place_of(_position text) TO service_role;

--
-- Name: FUNCTION position_at(_place integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.position_at(_place integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.position_at(_place integer) TO authenticated;
GRANT ALL ON FUNCTION public.position_at(_place integer) TO service_role;

--
-- Name: FUNCTION recall_memories(_question text, _limit integer, _contact_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.recall_memories(_question text, _limit integer, _contact_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.recall_memories(_question text, _limit integer, _contact_id uuid) TO authenticated;

--
-- Name: FUNCTION record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text, _wording text, _source text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text, _wording text, _source text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.record_consent(_contact_id uuid, _channel public.consent_channel, _purpose public.consent_purpose, _state public.consent_state, _legal_basis text, _wording text, _source text) TO authenticated;

--
-- Name: FUNCTION refuse_document_contact(_document_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.refuse_document_contact(_document_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.refuse_document_contact(_document_id uuid) TO authenticated;

--
-- Name: FUNCTION remember(_body text, _kind public.memory_kind, _contact_id uuid, _topic text, _replaces uuid, _anyway boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.remember(_body text, _kind public.memory_kind, _contact_id uuid, _topic text, _replaces uuid, _anyway boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remember(_body text, _kind public.memory_kind, _contact_id uuid, _topic text, _replaces uuid, _anyway boolean) TO authenticated;

--
-- Name: FUNCTION remind_of_schedules(_invoice_id uuid, _days_before integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.remind_of_schedules(_invoice_id uuid, _days_before integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.remind_of_schedules(_invoice_id uuid, _days_before integer) TO authenticated;

--
-- Name: FUNCTION remove_demo_data(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.remove_demo_data() FROM PUBLIC;
GRANT ALL ON FUNCTION public.remove_demo_data() TO authenticated;

--
-- Name: FUNCTION renew_calendar_secret(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.renew_calendar_secret() FROM PUBLIC;
GRANT ALL ON FUNCTION public.renew_calendar_secret() TO authenticated;

--
-- Name: FUNCTION reopen_task(_task_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.reopen_task(_task_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.reopen_task(_task_id uuid) TO authenticated;

--
-- Name: FUNCTION retention_of(_kind public.document_kind); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.retention_of(_kind public.document_kind) FROM PUBLIC;
GRANT ALL ON FUNCTION public.retention_of(_kind public.document_kind) TO authenticated;
GRANT ALL ON FUNCTION public.retention_of(_kind public.document_kind) TO service_role;

--
-- Name: FUNCTION revoke_calendar_secret(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.revoke_calendar_secret() FROM PUBLIC;
GRANT ALL ON FUNCTION public.revoke_calendar_secret() TO authenticated;

--
-- Name: FUNCTION save_contact(_contact jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.save_contact(_contact jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.save_contact(_contact jsonb) TO authenticated;

--
-- Name: FUNCTION search_contacts(_query text, _limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.search_contacts(_query text, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_contacts(_query text, _limit integer) TO authenticated;

--
-- Name: FUNCTION search_conversations(_query text, _limit integer); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.search_conversations(_query text, _limit integer) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_conversations(_query text, _limit integer) TO authenticated;

--
-- Name: FUNCTION search_documents(_query text, _limit integer, _filter jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.search_documents(_query text, _limit integer, _filter jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.search_documents(_query text, _limit integer, _filter jsonb) TO authenticated;

--
-- Name: FUNCTION set_document_kind(_document_id uuid, _kind public.document_kind); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.set_document_kind(_document_id uuid, _kind public.document_kind) FROM PUBLIC;
GRANT ALL ON FUNCTION public.set_document_kind(_document_id uuid, _kind public.document_kind) TO authenticated;

--
-- Name: FUNCTION settle_tool_call(_id uuid, _state text, _args jsonb, _result jsonb, _undo jsonb, _undo_until timestamp with time zone, _error_code text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.settle_tool_call(_id uuid, _state text, _args jsonb, _result jsonb, _undo jsonb, _undo_until timestamp with time zone, _error_code text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.settle_tool_call(_id uuid, _state text, _args jsonb, _result jsonb, _undo jsonb, _undo_until timestamp with time zone, _error_code text) TO authenticated;

--
-- Name: FUNCTION shift_moment(_moment timestamp with time zone, _by interval); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.shift_moment(_moment timestamp with time zone, _by interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.shift_moment(_moment timestamp with time zone, _by interval) TO authenticated;

--
-- Name: FUNCTION shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval) FROM PUBLIC;
GRANT ALL ON FUNCTION public.shift_with_task(_task public.tasks, _moment timestamp with time zone, _by interval) TO authenticated;

--
-- Name: FUNCTION similar_contacts(_draft jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.similar_contacts(_draft jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.similar_contacts(_draft jsonb) TO authenticated;

--
-- Name: FUNCTION skip_occurrence(_task_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.skip_occurrence(_task_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.skip_occurrence(_task_id uuid) TO authenticated;

--
-- Name: FUNCTION snooze_contact(_contact_id uuid, _until timestamp with time zone); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.snooze_contact(_contact_id uuid, _until timestamp with time zone) FROM PUBLIC;
GRANT ALL ON FUNCTION public.snooze_contact(_contact_id uuid, _until timestamp with time zone) TO authenticated;

--
-- Name: FUNCTION stage_habits(); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.stage_habits() FROM PUBLIC;
GRANT ALL ON FUNCTION public.stage_habits() TO authenticated;

--
-- Name: FUNCTION stop_run(_run_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.stop_run(_run_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.stop_run(_run_id uuid) TO authenticated;

--
-- Name: FUNCTION stop_series(_task_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.stop_series(_task_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.stop_series(_task_id uuid) TO authenticated;

--
-- Name: FUNCTION take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_back_deal(_deal_id uuid, _from uuid, _to uuid, _since timestamp with time zone, _lost_reason text) TO authenticated;

--
-- Name: FUNCTION take_tool_call(_id uuid, _decision text, _args jsonb); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.take_tool_call(_id uuid, _decision text, _args jsonb) FROM PUBLIC;
GRANT ALL ON FUNCTION public.take_tool_call(_id uuid, _decision text, _args jsonb) TO authenticated;

--
-- Name: FUNCTION task_sequel(_task public.tasks, _skips boolean); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.task_sequel(_task public.tasks, _skips boolean) FROM PUBLIC;
GRANT ALL ON FUNCTION public.task_sequel(_task public.tasks, _skips boolean) TO authenticated;

--
-- Name: FUNCTION task_wall_clock(_task public.tasks); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.task_wall_clock(_task public.tasks) FROM PUBLIC;
GRANT ALL ON FUNCTION public.task_wall_clock(_task public.tasks) TO authenticated;

--
-- Name: FUNCTION twin(_invoice public.invoices); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.twin(_invoice public.invoices) FROM PUBLIC;
GRANT ALL ON FUNCTION public.twin(_invoice public.invoices) TO authenticated;

--
-- Name: FUNCTION undo_import(_batch uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.undo_import(_batch uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.undo_import(_batch uuid) TO authenticated;

--
-- Name: FUNCTION undo_merge(_merge_id uuid); Type: ACL; Schema: public; Owner: -
--

REVOKE ALL ON FUNCTION public.undo_merge(_merge_id uuid) FROM PUBLIC;
GRANT ALL ON FUNCTION public.undo_merge(_merge_id uuid) TO authenticated;

--
-- Name: TABLE ai_consents; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT,INSERT ON TABLE private.ai_consents TO service_role;

--
-- Name: TABLE calendar_feeds; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT ON TABLE private.calendar_feeds TO service_role;

--
-- Name: TABLE early_bird_seats; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT ON TABLE private.early_bird_seats TO service_role;

--
-- Name: TABLE order_disputes; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT ON TABLE private.order_disputes TO service_role;

--
-- Name: TABLE payment_fetches; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT,INSERT,UPDATE ON TABLE private.payment_fetches TO service_role;

--
-- Name: TABLE run_events; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT ON TABLE private.run_events TO service_role;

--
-- Name: TABLE waiting_list_left; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE private.waiting_list_left TO service_role;

--
-- Name: TABLE waiting_list_requests; Type: ACL; Schema: private; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE private.waiting_list_requests TO service_role;

--
-- Name: TABLE analytics_events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.analytics_events TO service_role;

--
-- Name: COLUMN analytics_events.event_name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(event_name) ON TABLE public.analytics_events TO anon;
GRANT INSERT(event_name) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.analytics_events TO anon;
GRANT INSERT(user_id) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.session_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(session_id) ON TABLE public.analytics_events TO anon;
GRANT INSERT(session_id) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.properties; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(properties) ON TABLE public.analytics_events TO anon;
GRANT INSERT(properties) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.referrer; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(referrer) ON TABLE public.analytics_events TO anon;
GRANT INSERT(referrer) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.user_agent; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_agent) ON TABLE public.analytics_events TO anon;
GRANT INSERT(user_agent) ON TABLE public.analytics_events TO authenticated;

--
-- Name: COLUMN analytics_events.ip_hash; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(ip_hash) ON TABLE public.analytics_events TO anon;
GRANT INSERT(ip_hash) ON TABLE public.analytics_events TO authenticated;

--
-- Name: TABLE catalog_versions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.catalog_versions TO anon;
GRANT SELECT ON TABLE public.catalog_versions TO authenticated;
GRANT SELECT ON TABLE public.catalog_versions TO service_role;

--
-- Name: TABLE claims; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.claims TO anon;
GRANT SELECT ON TABLE public.claims TO authenticated;
GRANT SELECT ON TABLE public.claims TO service_role;

--
-- Name: TABLE consent_events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.consent_events TO authenticated;
GRANT SELECT ON TABLE public.consent_events TO service_role;

--
-- Name: TABLE contact_distinct; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.contact_distinct TO authenticated;
GRANT SELECT,INSERT,DELETE ON TABLE public.contact_distinct TO service_role;

--
-- Name: COLUMN contact_distinct.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.contact_distinct TO authenticated;

--
-- Name: COLUMN contact_distinct.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.contact_distinct TO authenticated;

--
-- Name: COLUMN contact_distinct.a_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(a_id) ON TABLE public.contact_distinct TO authenticated;

--
-- Name: COLUMN contact_distinct.b_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(b_id) ON TABLE public.contact_distinct TO authenticated;

--
-- Name: TABLE credit_lots; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_lots TO authenticated;
GRANT SELECT ON TABLE public.credit_lots TO service_role;

--
-- Name: TABLE credit_prices; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_prices TO anon;
GRANT SELECT ON TABLE public.credit_prices TO authenticated;
GRANT SELECT ON TABLE public.credit_prices TO service_role;

--
-- Name: TABLE credit_settings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.credit_settings TO authenticated;
GRANT SELECT ON TABLE public.credit_settings TO service_role;

--
-- Name: COLUMN credit_settings.low_threshold; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(low_threshold) ON TABLE public.credit_settings TO authenticated;

--
-- Name: COLUMN credit_settings.monthly_cap; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(monthly_cap) ON TABLE public.credit_settings TO authenticated;

--
-- Name: TABLE deal_stage_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.deal_stage_log TO authenticated;
GRANT SELECT ON TABLE public.deal_stage_log TO service_role;

--
-- Name: TABLE deals; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.deals TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.deals TO service_role;

--
-- Name: COLUMN deals.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id),UPDATE(contact_id) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.title; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(title),UPDATE(title) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.amount_cents; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(amount_cents),UPDATE(amount_cents) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.currency; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(currency),UPDATE(currency) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.stage_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(stage_id),UPDATE(stage_id) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals."position"; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT("position"),UPDATE("position") ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.probability; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(probability),UPDATE(probability) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.expected_close; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(expected_close),UPDATE(expected_close) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.lost_reason; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(lost_reason),UPDATE(lost_reason) ON TABLE public.deals TO authenticated;

--
-- Name: COLUMN deals.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.deals TO authenticated;

--
-- Name: TABLE document_aliases; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.document_aliases TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_aliases TO service_role;

--
-- Name: TABLE document_corrections; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.document_corrections TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_corrections TO service_role;

--
-- Name: TABLE document_fields; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.document_fields TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_fields TO service_role;

--
-- Name: TABLE document_links; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.document_links TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_links TO service_role;

--
-- Name: COLUMN document_links.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.document_links TO authenticated;

--
-- Name: COLUMN document_links.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.document_links TO authenticated;

--
-- Name: COLUMN document_links.document_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(document_id) ON TABLE public.document_links TO authenticated;

--
-- Name: COLUMN document_links.deal_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(deal_id) ON TABLE public.document_links TO authenticated;

--
-- Name: COLUMN document_links.task_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(task_id) ON TABLE public.document_links TO authenticated;

--
-- Name: TABLE document_pages; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.document_pages TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_pages TO service_role;

--
-- Name: TABLE document_tags; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.document_tags TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.document_tags TO service_role;

--
-- Name: COLUMN document_tags.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.document_tags TO authenticated;

--
-- Name: COLUMN document_tags.document_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(document_id) ON TABLE public.document_tags TO authenticated;

--
-- Name: COLUMN document_tags.tag_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(tag_id) ON TABLE public.document_tags TO authenticated;

--
-- Name: TABLE drafts; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.drafts TO authenticated;
GRANT SELECT,DELETE ON TABLE public.drafts TO service_role;

--
-- Name: COLUMN drafts.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id),UPDATE(contact_id) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.conversation_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(conversation_id) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.channel; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(channel),UPDATE(channel) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.recipient; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(recipient),UPDATE(recipient) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.subject; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(subject),UPDATE(subject) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.body; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(body),UPDATE(body) ON TABLE public.drafts TO authenticated;

--
-- Name: COLUMN drafts.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.drafts TO authenticated;

--
-- Name: TABLE error_logs; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE ON TABLE public.error_logs TO service_role;

--
-- Name: COLUMN error_logs.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.error_logs TO anon;
GRANT INSERT(user_id) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.session_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(session_id) ON TABLE public.error_logs TO anon;
GRANT INSERT(session_id) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.error_message; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(error_message) ON TABLE public.error_logs TO anon;
GRANT INSERT(error_message) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.error_stack; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(error_stack) ON TABLE public.error_logs TO anon;
GRANT INSERT(error_stack) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.component_stack; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(component_stack) ON TABLE public.error_logs TO anon;
GRANT INSERT(component_stack) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.url; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(url) ON TABLE public.error_logs TO anon;
GRANT INSERT(url) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.user_agent; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_agent) ON TABLE public.error_logs TO anon;
GRANT INSERT(user_agent) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.severity; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(severity) ON TABLE public.error_logs TO anon;
GRANT INSERT(severity) ON TABLE public.error_logs TO authenticated;

--
-- Name: COLUMN error_logs.metadata; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(metadata) ON TABLE public.error_logs TO anon;
GRANT INSERT(metadata) ON TABLE public.error_logs TO authenticated;

--
-- Name: TABLE fiscal_documents; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.fiscal_documents TO service_role;

--
-- Name: TABLE hold_lots; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.hold_lots TO authenticated;
GRANT SELECT ON TABLE public.hold_lots TO service_role;

--
-- Name: TABLE interactions; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.interactions TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.interactions TO service_role;

--
-- Name: COLUMN interactions.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.kind; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(kind),UPDATE(kind) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.direction; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(direction),UPDATE(direction) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.at; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(at),UPDATE(at) ON TABLE public.interactions TO authenticated;

--
-- Name: COLUMN interactions.summary; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(summary),UPDATE(summary) ON TABLE public.interactions TO authenticated;

--
-- Name: TABLE invoice_schedules; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.invoice_schedules TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invoice_schedules TO service_role;

--
-- Name: TABLE job_progress; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.job_progress TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_progress TO service_role;

--
-- Name: TABLE memory_settings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.memory_settings TO authenticated;
GRANT SELECT ON TABLE public.memory_settings TO service_role;

--
-- Name: COLUMN memory_settings.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id),UPDATE(user_id) ON TABLE public.memory_settings TO authenticated;

--
-- Name: COLUMN memory_settings.is_active; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(is_active),UPDATE(is_active) ON TABLE public.memory_settings TO authenticated;

--
-- Name: COLUMN memory_settings.in_new_chats; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(in_new_chats),UPDATE(in_new_chats) ON TABLE public.memory_settings TO authenticated;

--
-- Name: TABLE memory_uses; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.memory_uses TO authenticated;
GRANT SELECT ON TABLE public.memory_uses TO service_role;

--
-- Name: TABLE merge_log; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.merge_log TO authenticated;
GRANT SELECT ON TABLE public.merge_log TO service_role;

--
-- Name: TABLE message_feedback; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.message_feedback TO authenticated;
GRANT SELECT ON TABLE public.message_feedback TO service_role;

--
-- Name: COLUMN message_feedback.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id),UPDATE(user_id) ON TABLE public.message_feedback TO authenticated;

--
-- Name: COLUMN message_feedback.message_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(message_id),UPDATE(message_id) ON TABLE public.message_feedback TO authenticated;

--
-- Name: COLUMN message_feedback.score; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(score),UPDATE(score) ON TABLE public.message_feedback TO authenticated;

--
-- Name: COLUMN message_feedback.reason; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(reason),UPDATE(reason) ON TABLE public.message_feedback TO authenticated;

--
-- Name: TABLE notes; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.notes TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.notes TO service_role;

--
-- Name: COLUMN notes.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.notes TO authenticated;

--
-- Name: COLUMN notes.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.notes TO authenticated;

--
-- Name: COLUMN notes.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id) ON TABLE public.notes TO authenticated;

--
-- Name: COLUMN notes.body; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(body),UPDATE(body) ON TABLE public.notes TO authenticated;

--
-- Name: COLUMN notes.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.notes TO authenticated;

--
-- Name: TABLE notifications; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.notifications TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.notifications TO service_role;

--
-- Name: COLUMN notifications.is_read; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(is_read) ON TABLE public.notifications TO authenticated;

--
-- Name: COLUMN notifications.read_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(read_at) ON TABLE public.notifications TO authenticated;

--
-- Name: TABLE order_refunds; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.order_refunds TO service_role;

--
-- Name: TABLE packs; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.packs TO anon;
GRANT SELECT ON TABLE public.packs TO authenticated;
GRANT SELECT ON TABLE public.packs TO service_role;

--
-- Name: TABLE payment_alerts; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.payment_alerts TO service_role;

--
-- Name: TABLE plans; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.plans TO anon;
GRANT SELECT ON TABLE public.plans TO authenticated;
GRANT SELECT ON TABLE public.plans TO service_role;

--
-- Name: TABLE projects; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.projects TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.projects TO service_role;

--
-- Name: COLUMN projects.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(name),UPDATE(name) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.contact_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(contact_id),UPDATE(contact_id) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.color; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(color),UPDATE(color) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.status; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(status),UPDATE(status) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.starts_on; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(starts_on),UPDATE(starts_on) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.due_on; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(due_on),UPDATE(due_on) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.budget_cents; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(budget_cents),UPDATE(budget_cents) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.note; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(note),UPDATE(note) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.origin; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(origin) ON TABLE public.projects TO authenticated;

--
-- Name: COLUMN projects.deleted_at; Type: ACL; Schema: public; Owner: -
--

GRANT UPDATE(deleted_at) ON TABLE public.projects TO authenticated;

--
-- Name: TABLE segments; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,DELETE ON TABLE public.segments TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.segments TO service_role;

--
-- Name: COLUMN segments.id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(id) ON TABLE public.segments TO authenticated;

--
-- Name: COLUMN segments.user_id; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(user_id) ON TABLE public.segments TO authenticated;

--
-- Name: COLUMN segments.name; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(name),UPDATE(name) ON TABLE public.segments TO authenticated;

--
-- Name: COLUMN segments.filter; Type: ACL; Schema: public; Owner: -
--

GRANT INSERT(filter),UPDATE(filter) ON TABLE public.segments TO authenticated;

--
-- Name: TABLE site_settings; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.site_settings TO anon;
GRANT SELECT ON TABLE public.site_settings TO authenticated;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.site_settings TO service_role;

--
-- Name: TABLE task_events; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.task_events TO authenticated;
GRANT SELECT ON TABLE public.task_events TO service_role;

--
-- Name: TABLE timeline; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.timeline TO authenticated;
GRANT SELECT ON TABLE public.timeline TO service_role;

--
-- Name: TABLE user_roles; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT ON TABLE public.user_roles TO authenticated;
GRANT SELECT,INSERT,DELETE ON TABLE public.user_roles TO service_role;

--
-- Name: TABLE waiting_list; Type: ACL; Schema: public; Owner: -
--

GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.waiting_list TO service_role;

-- Triggers on tables of the platform

CREATE TRIGGER orphan_orders_of_deleted AFTER DELETE ON auth.users FOR EACH ROW EXECUTE FUNCTION private.orphan_orders();
CREATE TRIGGER orphan_orders_of_hidden AFTER UPDATE OF deleted_at ON auth.users FOR EACH ROW WHEN ((new.deleted_at IS NOT NULL)) EXECUTE FUNCTION private.orphan_orders();
CREATE TRIGGER welcome_user AFTER INSERT OR UPDATE OF email_confirmed_at, phone_confirmed_at ON auth.users FOR EACH ROW EXECUTE FUNCTION private.welcome_user();
CREATE TRIGGER refuse_files_of_nobody BEFORE INSERT OR UPDATE OF bucket_id, name ON storage.objects FOR EACH ROW WHEN ((new.bucket_id = ANY (ARRAY['avatars'::text, 'documents'::text]))) EXECUTE FUNCTION private.refuse_files_of_nobody();

-- Policies on tables of the platform

create policy "owners add files" on storage.objects for insert to authenticated
  with check (((bucket_id = ANY (ARRAY['documents'::text, 'avatars'::text])) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));
create policy "owners change their files" on storage.objects for update to authenticated
  using (((bucket_id = ANY (ARRAY['documents'::text, 'avatars'::text])) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)))
  with check (((bucket_id = ANY (ARRAY['documents'::text, 'avatars'::text])) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));
create policy "owners delete their files" on storage.objects for delete to authenticated
  using (((bucket_id = ANY (ARRAY['documents'::text, 'avatars'::text])) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));
create policy "owners see their files" on storage.objects for select to authenticated
  using (((bucket_id = ANY (ARRAY['documents'::text, 'avatars'::text])) AND ((storage.foldername(name))[1] = (( SELECT auth.uid() AS uid))::text)));

-- Publications of the platform

alter publication supabase_realtime add table public.consents;
alter publication supabase_realtime add table public.contact_emails;
alter publication supabase_realtime add table public.contact_phones;
alter publication supabase_realtime add table public.contact_tags;
alter publication supabase_realtime add table public.contacts;
alter publication supabase_realtime add table public.conversations;
alter publication supabase_realtime add table public.credit_wallets;
alter publication supabase_realtime add table public.deals;
alter publication supabase_realtime add table public.document_fields;
alter publication supabase_realtime add table public.document_links;
alter publication supabase_realtime add table public.document_tags;
alter publication supabase_realtime add table public.documents;
alter publication supabase_realtime add table public.drafts;
alter publication supabase_realtime add table public.import_batches;
alter publication supabase_realtime add table public.interactions;
alter publication supabase_realtime add table public.invoice_schedules;
alter publication supabase_realtime add table public.invoices;
alter publication supabase_realtime add table public.job_progress;
alter publication supabase_realtime add table public.memories;
alter publication supabase_realtime add table public.messages;
alter publication supabase_realtime add table public.notes;
alter publication supabase_realtime add table public.notifications;
alter publication supabase_realtime add table public.projects;
alter publication supabase_realtime add table public.segments;
alter publication supabase_realtime add table public.tags;
alter publication supabase_realtime add table public.tasks;
alter publication supabase_realtime add table public.tool_calls;
