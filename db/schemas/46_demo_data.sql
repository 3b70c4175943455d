-- Demo data: the year of a freelancer who does communication for small businesses, to look around in before the first
-- import.
--
-- Always the same people, with dates relative to today and addresses under .example, which reach nobody. Every row is
-- noted, so one click removes all of it. Demo rows that the user's own rows refer to, or that the user changed, become
-- the user's.

create table private.demo_rows (
  user_id uuid not null references auth.users (id) on delete cascade,
  held_by text not null,
  row_id uuid not null,
  primary key (user_id, held_by, row_id)
);
comment on table private.demo_rows is 'Which rows of an owner are demo data.';

create function private.note_demo(_user_id uuid, _held_by text, _rows uuid[])
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into private.demo_rows (user_id, held_by, row_id) select _user_id, _held_by, unnest(_rows) on conflict do nothing
$$;
comment on function private.note_demo(uuid, text, uuid[]) is 'Notes that rows are demo data.';
revoke all on function private.note_demo from public, anon, authenticated, service_role;

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
revoke all on function private.add_demo_contacts from public, anon, authenticated, service_role;

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
revoke all on function private.demo_contacts from public, anon, authenticated, service_role;

create function private.add_demo_details(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.words(name), ' ', '.') || place end || '@' || domain, true
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
revoke all on function private.add_demo_details from public, anon, authenticated, service_role;

create function private.add_demo_deals(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
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
comment on function private.add_demo_deals(uuid) is 'Twenty-five deals with the stages they went through; acts for the caller.';
revoke all on function private.add_demo_deals from public, anon, authenticated, service_role;

create function private.add_demo_tasks(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
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
comment on function private.add_demo_tasks(uuid) is 'Five projects and eighty tasks: done, late, due and for some day.';
revoke all on function private.add_demo_tasks from public, anon, authenticated, service_role;

create function private.count_demo(_user_id uuid)
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_object_agg(tables.name, (
    select count(*) from private.demo_rows where user_id = _user_id and held_by = tables.name
  ))
  from unnest(array['contacts', 'deals', 'projects', 'tasks', 'notes', 'interactions']) as tables (name)
$$;
comment on function private.count_demo(uuid) is 'How many demo rows an owner has, by table.';
revoke all on function private.count_demo from public, anon, authenticated, service_role;

-- Security definer because clients may write neither dates in the past nor the origin.
create function public.add_demo_data()
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
comment on function public.add_demo_data() is 'Gives the caller the demo data, once; answers how many rows of which table there are.';
revoke all on function public.add_demo_data from public, anon, authenticated, service_role;
grant execute on function public.add_demo_data to authenticated;

create function private.keep_used_demo(_user_id uuid)
  returns boolean
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _reference record;
  _found boolean;
  _any boolean := false;
begin
  -- Arrays, which are hashed: what was just written has no statistics, and joins would compare each row with each.
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
         delete from private.demo_rows where user_id = $1 and held_by = %1$L and row_id = any (array(
           select %2$I from public.%3$I
           where user_id = $1 and %2$I is not null and id <> all (array(
             select row_id from private.demo_rows where user_id = $1 and held_by = %3$L
           ))
         ))
         returning row_id
       ), kept as (update public.%1$I set origin = ''manuale'' where user_id = $1 and id in (select row_id from used))
       select exists (select from used)',
      _reference.used, _reference.held_in, _reference.held_by
    ) into _found using _user_id;
    _any := _any or _found;
  end loop;
  return _any;
end
$$;
comment on function private.keep_used_demo(uuid) is 'Makes demo rows that rows of the person''s own stand on theirs; false when there were none.';
revoke all on function private.keep_used_demo from public, anon, authenticated, service_role;

create function public.remove_demo_data()
  returns jsonb
  language plpgsql volatile security definer
  set search_path = ''
as $$
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
$$;
comment on function public.remove_demo_data() is
  'Takes the demo data of the caller away and answers how many rows of which table; what own rows stand on stays and is theirs.';
revoke all on function public.remove_demo_data from public, anon, authenticated, service_role;
grant execute on function public.remove_demo_data to authenticated;

create function private.own_changed_demo()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  -- Without arguments this is null: the condition of the trigger decides.
  if to_jsonb(new) - tg_argv = to_jsonb(old) - tg_argv then
    return new;
  end if;
  delete from private.demo_rows where user_id = new.user_id and held_by = tg_table_name and row_id = new.id;
  if tg_table_name not in ('interactions', 'notes') then
    new.origin := 'manuale';
  end if;
  return new;
end
$$;
comment on function private.own_changed_demo() is
  'Make a demo row the user''s own when a column changes that the arguments do not name.';
revoke all on function private.own_changed_demo from public, anon, authenticated, service_role;

create function private.own_changed_demo_contact()
  returns trigger
  language plpgsql volatile security definer
  set search_path = ''
as $$
begin
  delete from private.demo_rows where user_id = new.user_id and held_by = 'contacts' and row_id = new.contact_id;
  update public.contacts set origin = 'manuale' where user_id = new.user_id and id = new.contact_id and origin = 'demo';
  return null;
end
$$;
comment on function private.own_changed_demo_contact() is 'A demo contact that its person gave an address, a number or a tag is theirs.';
revoke all on function private.own_changed_demo_contact from public, anon, authenticated, service_role;

alter table private.demo_rows enable row level security;

revoke all on private.demo_rows from public, anon, authenticated, service_role;

-- Only statements of the user count as changes, not writes by the demo data itself, by a merge or by the deletion of a
-- row. The named columns are not compared: they change when a user completes a task, moves a deal on the board or
-- snoozes a call, which is only trying the product, or triggers compute them.
create trigger own_changed_demo before update on public.contacts for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'name', 'last_interaction_at', 'next_touch_at', 'snoozed_until', 'deleted_at', 'updated_at'
  );

create trigger own_changed_demo before update on public.deals for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'stage_id', 'position', 'stage_since', 'won_at', 'lost_at', 'lost_reason', 'deleted_at'
  );

create trigger own_changed_demo before update on public.projects for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo('status', 'deleted_at');

create trigger own_changed_demo before update on public.tasks for each row
  when (current_user = 'authenticated' and old.origin = 'demo')
  execute function private.own_changed_demo(
    'state', 'series_id', 'position', 'completed_at', 'reminded_at', 'next_remind_at', 'deleted_at', 'updated_at'
  );

create trigger own_changed_demo before update of body on public.notes for each row
  when (current_user = 'authenticated' and old.body <> new.body) execute function private.own_changed_demo();

create trigger own_changed_demo before update of kind, direction, at, summary on public.interactions for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo();

create trigger own_changed_demo_contact after insert or update of value, label on public.contact_emails for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

create trigger own_changed_demo_contact after insert or update of value, label on public.contact_phones for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();

create trigger own_changed_demo_contact after insert on public.contact_tags for each row
  when (current_user = 'authenticated') execute function private.own_changed_demo_contact();
