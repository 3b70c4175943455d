-- Demo data: the year of a freelancer who does communication for small businesses, to look around in before the first import.
--
-- Always the same people, with dates as seen from today; addresses under .example, which reaches nobody. Every row is noted,
-- so that all of it goes with one click. What the person built on (a task for a demo client) keeps what it stands on: that
-- becomes their own.

create table private.demo_rows (
  user_id uuid not null references auth.users (id) on delete cascade,
  held_by text not null,
  row_id uuid not null,
  primary key (user_id, held_by, row_id)
);
comment on table private.demo_rows is 'Which rows of an owner are demo data.';

alter table private.demo_rows enable row level security;

create function private.note_demo(_user_id uuid, _held_by text, _rows uuid[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.demo_rows (user_id, held_by, row_id) select _user_id, _held_by, unnest(_rows) on conflict do nothing
$$;
comment on function private.note_demo(uuid, text, uuid[]) is 'Notes that rows are demo data.';

create function private.add_demo_contacts(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
comment on function private.add_demo_contacts(uuid) is 'Twenty-eight companies and ninety-two people, the same for everybody.';

create function private.demo_contacts(_user_id uuid)
  returns table (id uuid, place integer, type public.contact_type, name text, domain text, created_at timestamptz)
  language sql stable
  set search_path = ''
as $$
  select contacts.id, (row_number() over (order by contacts.type desc, contacts.created_at, contacts.id))::integer, contacts.type,
    contacts.name, regexp_replace(coalesce(company.pec, contacts.pec, 'pec@posta.example'), '^pec@', ''), contacts.created_at
  from private.demo_rows
  join public.contacts on contacts.user_id = _user_id and contacts.id = row_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  where demo_rows.user_id = _user_id and held_by = 'contacts'
$$;
comment on function private.demo_contacts(uuid) is 'The demo contacts with a number each: companies first, the oldest first.';

create function private.add_demo_details(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
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
comment on function private.add_demo_details(uuid) is 'What hangs on the demo contacts: addresses, numbers, tags, notes, interactions, consents.';

revoke all on function private.note_demo, private.add_demo_contacts, private.demo_contacts, private.add_demo_details
  from public, anon, authenticated, service_role;
