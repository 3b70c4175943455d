-- Demo data: the clients and the work of Giulia Ferri, graphic designer in Bologna, to look around in before the first
-- import.
--
-- Always the same people, with dates relative to today and addresses under .example, which reach nobody. Every row is
-- noted, so one click removes all of it. Demo rows that the user's own rows refer to, or that the user changed, become
-- the user's. The demo account is filled by the same functions and has papers, answers and memories as well
-- (scripts/demo): those come with files, which no click here could take away.

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
  _made uuid[];
begin
  with listed as (
    select companies.*, row_number() over ()::integer as place
    from (values
      ('Cantina Poggio Alto', 'poggioalto', 'Valsamoggia', 'BO', '40053'), ('Studio Dentistico Sorriso', 'sorriso', 'Bologna', 'BO', '40121'),
      ('Agriturismo La Quercia', 'laquercia', 'Sasso Marconi', 'BO', '40037'), ('Officina Meccanica Reno', 'officinareno', 'Casalecchio di Reno', 'BO', '40033'),
      ('Libreria Il Segnalibro', 'segnalibro', 'Bologna', 'BO', '40126'), ('Panificio Antico Forno', 'anticoforno', 'Bologna', 'BO', '40123'),
      ('Hotel Bellavista', 'bellavista', 'Rimini', 'RN', '47921'), ('Studio Legale Portici', 'portici', 'Bologna', 'BO', '40124'),
      ('Ceramiche Terra Blu', 'terrablu', 'Faenza', 'RA', '48018'), ('Palestra Movimento', 'movimento', 'Modena', 'MO', '41121'),
      ('Farmacia del Corso', 'delcorso', 'Imola', 'BO', '40026'), ('Immobiliare Casa Mia', 'casamia', 'Bologna', 'BO', '40138'),
      ('Erboristeria Verde Vivo', 'verdevivo', 'Ferrara', 'FE', '44121'), ('Scuola di Lingue Babele', 'babele', 'Bologna', 'BO', '40125'),
      ('Trattoria da Nino', 'danino', 'Bologna', 'BO', '40122'), ('Falegnameria Noce', 'noce', 'Budrio', 'BO', '40054'),
      ('Ottica Vista Chiara', 'vistachiara', 'Modena', 'MO', '41124'), ('Gelateria Neve', 'neve', 'Bologna', 'BO', '40129'),
      ('Asilo Nido Girotondo', 'girotondo', 'San Lazzaro di Savena', 'BO', '40068'), ('Edilizia Solida', 'solida', 'Castel Maggiore', 'BO', '40013'),
      -- Who sends invoices.
      ('Tipografia Inchiostro Vivo', 'inchiostrovivo', 'Bologna', 'BO', '40128'), ('Coworking Portico Nove', 'porticonove', 'Bologna', 'BO', '40126'),
      ('Studio Contabile Emilia', 'contabilemilia', 'Bologna', 'BO', '40121'), ('Hosting Nuvola Chiara', 'nuvolachiara', 'Parma', 'PR', '43121'),
      ('Corriere Lampo', 'corrierelampo', 'Bologna', 'BO', '40132')
    ) as companies (name, domain, city, province, postal_code)
  ), companies as (
    insert into public.contacts (
      user_id, type, business_name, vat_number, sdi_code, pec, website, address, origin, touch_days, created_at
    )
    select _user_id, 'azienda', name, (
        -- Office 888 gives numbers to nobody here: they are valid, and nobody's.
        select number
        from generate_series(0, 9) as digit,
          lateral (select lpad((4000 + place * 37)::text, 7, '0') || '888' || digit as number) as numbers
        where private.is_vat_number(number)
      ), 'DEMO' || lpad(place::text, 3, '0'), 'pec@' || domain || '.example', 'https://www.' || domain || '.example',
      jsonb_build_object(
        'city', city, 'province', province, 'street', 'Via Garibaldi ' || place, 'postal_code', postal_code, 'country', 'IT'
      ),
      'demo', case when place % 4 = 0 then 60 end, now() - make_interval(days => 470 - place * 9)
    from listed
    returning id, business_name
  ), people as (
    insert into public.contacts (user_id, first_name, last_name, company_id, job_title, origin, touch_days, created_at)
    select _user_id, first_name, last_name, companies.id, job_title, 'demo',
      case when number % 6 = 0 then 30 when number % 7 = 0 then 90 end, now() - make_interval(days => 440 - number * 8)
    from (
      select people.*, row_number() over ()::integer as number
      from (values
        ('Francesca', 'Colombo', 1, 'Titolare'), ('Luca', 'Ricci', 1, 'Enologo'), ('Chiara', 'Marino', 2, 'Titolare'),
        ('Andrea', 'Greco', 2, 'Segreteria'), ('Elena', 'Bruno', 3, 'Titolare'), ('Matteo', 'Gallo', 3, 'Prenotazioni'),
        ('Sara', 'Conti', 4, 'Amministrazione'), ('Davide', 'De Luca', 4, 'Titolare'), ('Martina', 'Mancini', 5, 'Titolare'),
        ('Paolo', 'Costa', 5, 'Eventi'), ('Valentina', 'Giordano', 6, 'Titolare'), ('Simone', 'Rizzo', 7, 'Direttore'),
        ('Silvia', 'Lombardi', 7, 'Responsabile marketing'), ('Alessandro', 'Moretti', 7, 'Amministrazione'),
        ('Laura', 'Barbieri', 8, 'Avvocata'), ('Stefano', 'Fontana', 8, 'Segreteria'), ('Federica', 'Santoro', 9, 'Titolare'),
        ('Roberto', 'Mariani', 9, 'Direttore commerciale'), ('Ilaria', 'Rinaldi', 10, 'Responsabile marketing'),
        ('Giorgio', 'Caruso', 10, 'Titolare'), ('Beatrice', 'Ferrara', 11, 'Titolare'), ('Marco', 'Galli', 11, 'Magazzino'),
        ('Lorenzo', 'Martini', 12, 'Titolare'), ('Anna', 'Leone', 13, 'Titolare'), ('Riccardo', 'Longo', 14, 'Direttore'),
        ('Camilla', 'Gentile', 14, 'Segreteria'), ('Nino', 'Martinelli', 15, 'Titolare'), ('Caterina', 'Vitale', 15, 'Sala'),
        ('Giovanni', 'Lombardo', 16, 'Titolare'), ('Irene', 'Bianchi', 17, 'Titolare'), ('Tommaso', 'Romano', 18, 'Titolare'),
        ('Emma', 'Serra', 19, 'Coordinatrice'), ('Michele', 'Coppola', 20, 'Titolare'), ('Rosa', 'Villa', 20, 'Amministrazione'),
        ('Pietro', 'Sala', 21, 'Prestampa'), ('Giada', 'Messina', 21, 'Titolare'), ('Filippo', 'Sanna', 22, 'Responsabile spazi'),
        ('Teresa', 'Farina', 23, 'Commercialista'), ('Nicola', 'Bianchi', 24, 'Assistenza'), ('Bruno', 'Amato', 25, 'Ritiri')
      ) as people (first_name, last_name, place, job_title)
    ) as people
    join listed on listed.place = people.place
    join companies on companies.business_name = listed.name
    returning id
  )
  select array(select id from companies union all select id from people) into _made;
  perform private.note_demo(_user_id, 'contacts', _made);
end
$$;
comment on function private.add_demo_contacts(uuid) is
  'Twenty-five companies around Bologna and the forty people who work there, the same for everybody.';
revoke all on function private.add_demo_contacts from public, anon, authenticated, service_role;

create function private.demo_contacts(_user_id uuid)
  returns table (
    id uuid, place integer, type public.contact_type, name text, domain text, firm integer, created_at timestamptz
  )
  language sql stable
  set search_path = ''
as $$
  select contacts.id, (row_number() over (order by contacts.type desc, contacts.created_at, contacts.id))::integer, contacts.type,
    contacts.name, regexp_replace(coalesce(company.pec, contacts.pec, 'pec@posta.example'), '^pec@', ''),
    right(coalesce(company.sdi_code, contacts.sdi_code), 3)::integer, contacts.created_at
  from private.demo_rows
  join public.contacts on contacts.user_id = _user_id and contacts.id = row_id
  left join public.contacts as company on company.user_id = _user_id and company.id = contacts.company_id
  where demo_rows.user_id = _user_id and held_by = 'contacts'
$$;
comment on function private.demo_contacts(uuid) is
  'The demo contacts with a number each, companies first, the oldest first; firm is the number of the company: from 21 on a supplier.';
revoke all on function private.demo_contacts from public, anon, authenticated, service_role;

create function private.add_demo_details(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  insert into public.contact_emails (user_id, contact_id, value, is_primary)
  select _user_id, id,
    case type when 'azienda' then 'info' else replace(private.words(name), ' ', '.') end || '@' || domain, true
  from private.demo_contacts(_user_id)
  on conflict do nothing;

  -- No network of Italy has the prefix 300.
  insert into public.contact_phones (user_id, contact_id, value, norm, is_primary)
  select _user_id, id, '300 5550' || lpad(place::text, 3, '0'), '+393005550' || lpad(place::text, 3, '0'), true
  from private.demo_contacts(_user_id) where place % 5 <> 0
  on conflict do nothing;

  with made as (
    insert into public.tags (user_id, name, color, touch_days)
    values (_user_id, 'Cliente', 'green', 120), (_user_id, 'Potenziale', 'blue', 45), (_user_id, 'Fornitore', 'amber', null),
      (_user_id, 'Collega', 'violet', null), (_user_id, 'Newsletter', 'gray', null)
    on conflict (user_id, lower(name)) do nothing
    returning id
  )
  select private.note_demo(_user_id, 'tags', array(select id from made));
  insert into public.contact_tags (user_id, contact_id, tag_id)
  select _user_id, contacts.id, tags.id
  from private.demo_contacts(_user_id) as contacts
  join public.tags on user_id = _user_id and lower(tags.name) in (
    case when firm > 20 then 'fornitore' when firm in (17, 18, 19) then 'potenziale' else 'cliente' end,
    case when place % 4 = 0 then 'newsletter' end, case when firm = 22 and type = 'persona' then 'collega' end
  )
  on conflict do nothing;

  with made as (
    insert into public.notes (user_id, contact_id, body, created_at, updated_at)
    select _user_id, id, body, at, at
    from (values
      ('Edilizia Solida', 'Paga sempre in ritardo, di solito a 70 giorni: chiedere un acconto.', 60),
      ('Edilizia Solida', 'Per i solleciti scrivere a Rosa Villa, che segue i pagamenti.', 20),
      ('Cantina Poggio Alto', 'Il colore dell''etichetta è il bordeaux, con la carta vergata.', 40),
      ('Cantina Poggio Alto', 'Decide insieme al figlio: mandare tutto a entrambi.', 200),
      ('Hotel Bellavista', 'Vuole le fatture divise: camere, ristorante e spa.', 90),
      ('Hotel Bellavista', 'Il sito nuovo deve essere pronto prima di Pasqua.', 12),
      ('Studio Dentistico Sorriso', 'Preferisce essere chiamato al mattino, prima delle 11.', 150),
      ('Agriturismo La Quercia', 'Aprono ad aprile: foto e listino entro marzo.', 75),
      ('Officina Meccanica Reno', 'Paga entro 30 giorni: emettere la fattura entro fine mese.', 110),
      ('Libreria Il Segnalibro', 'Ci ha segnalato altri due clienti: ringraziare a Natale.', 55),
      ('Panificio Antico Forno', 'Chiede foto nuove per il sacchetto prima dell''estate.', 130),
      ('Studio Legale Portici', 'Vuole il preventivo diviso per voci, con i tempi di consegna.', 16),
      ('Ceramiche Terra Blu', 'Catalogo consegnato: proporre la versione in inglese.', 30),
      ('Palestra Movimento', 'Hanno scelto un''agenzia per i social, restano per la stampa.', 65),
      ('Farmacia del Corso', 'La campagna parte con la stagione influenzale.', 25),
      ('Immobiliare Casa Mia', 'Budget fermo fino al prossimo anno.', 80),
      ('Scuola di Lingue Babele', 'Iscrizioni a settembre e a gennaio: proporre due campagne.', 35),
      ('Trattoria da Nino', 'Il menù cambia ogni stagione: quattro ristampe l''anno.', 100),
      ('Gelateria Neve', 'Conosciuta alla fiera del gelato di Rimini.', 10),
      ('Asilo Nido Girotondo', 'Serve un logo che i bambini riconoscano.', 14),
      ('Tipografia Inchiostro Vivo', 'Consegna in 4 giorni; per la carta speciale 10.', 140),
      ('Coworking Portico Nove', 'Sala riunioni compresa per 4 ore al mese.', 300),
      ('Studio Contabile Emilia', 'Mandare le fatture del trimestre entro il 10 del mese.', 45),
      ('Silvia Lombardi', 'Approva lei i testi, Simone Rizzo i prezzi.', 22),
      ('Luca Ricci', 'Meglio WhatsApp che email: è sempre in vigna.', 48)
    ) as written (name, body, days)
    join private.demo_contacts(_user_id) as contacts using (name),
      lateral (select greatest(now() - make_interval(days => days, hours => 5), contacts.created_at) as at) as moments
    returning id
  )
  select private.note_demo(_user_id, 'notes', array(select id from made));

  with made as (
    insert into public.interactions (user_id, contact_id, kind, direction, at, summary, created_at)
    select _user_id, id, kind::public.interaction_kind,
      case when kind = 'incontro' then null when (place + turn) % 2 = 0 then 'uscita' else 'entrata'
        end::public.interaction_direction,
      at, case
        when firm > 20 then (array['Confermati i tempi di consegna', 'Chiesto un preventivo', 'Ricevuta la fattura'])[1 + (place + turn) % 3]
        when kind = 'chiamata' then (array[
          'Sentito per il rinnovo del sito', 'Chiede tempi e costi della campagna', 'Conferma la riunione'
        ])[1 + place % 3]
        when kind = 'email' then (array['Inviate le bozze del logo', 'Ricevuti i testi da impaginare', 'Richiesta di preventivo'])[1 + place % 3]
        when kind = 'whatsapp' then (array['Foto del negozio per i social', 'Ok alla pubblicazione di domani'])[1 + place % 2]
        else 'Sopralluogo e raccolta delle idee' end, at
    from private.demo_contacts(_user_id), generate_series(0, 4) as turn,
      lateral (select (array['chiamata', 'email', 'whatsapp', 'incontro'])[1 + (place + turn) % 4] as kind) as kinds,
      lateral (select now() - make_interval(days => (place * 7 + turn * 67) % 340 + 1, hours => place % 8) as at) as moments
    -- The courier was never spoken to.
    where at > created_at and firm < 25
    returning id
  )
  select private.note_demo(_user_id, 'interactions', array(select id from made));

  with made as (
    insert into public.consents (user_id, contact_id, channel, purpose, state, legal_basis, source, at)
    select _user_id, id, 'email', 'marketing', (array['dato', 'dato', 'negato'])[1 + place % 3]::public.consent_state,
      'Consenso', 'Modulo del sito', created_at
    from private.demo_contacts(_user_id) where place % 2 = 0 and firm <= 20
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
  _stages constant uuid[] := array(select id from public.ensure_stages());
  _deal record;
  _id uuid;
begin
  -- How far each deal came (1 to 4 are open, 5 is won, 6 is lost), how long ago it got there and when it began.
  for _deal in
    select contacts.id as contact_id, deals.*, row_number() over ()::integer as number
    from (values
      ('Gelateria Neve', 'Insegna e menù', 1200, 1, 4, 4, null), ('Ottica Vista Chiara', 'Vetrina e sito', 2400, 1, 9, 9, null),
      ('Asilo Nido Girotondo', 'Identità visiva', 1800, 2, 6, 14, null), ('Scuola di Lingue Babele', 'Campagna iscrizioni', 1500, 2, 11, 35, null),
      ('Hotel Bellavista', 'Sito e prenotazioni online', 4500, 3, 9, 30, null), ('Studio Legale Portici', 'Carta intestata e biglietti', 680, 3, 16, 38, null),
      ('Cantina Poggio Alto', 'Etichette della nuova annata', 3200, 4, 5, 33, null), ('Farmacia del Corso', 'Campagna social', 1400, 4, 21, 52, null),
      ('Agriturismo La Quercia', 'Stagione dell''agriturismo', 1800, 5, 45, 80, null), ('Libreria Il Segnalibro', 'Vetrina della libreria', 900, 5, 70, 95, null),
      ('Immobiliare Casa Mia', 'Restyling del logo', 1250, 6, 80, 120, 'Prezzo'), ('Palestra Movimento', 'Campagna social di primavera', 980, 6, 65, 110, 'Ha scelto un altro')
    ) as deals (company, title, euros, stage, since, began, lost_reason)
    join private.demo_contacts(_user_id) as contacts on contacts.name = company
  loop
    insert into public.deals (
      user_id, contact_id, title, amount_cents, stage_id, position, expected_close, stage_since, origin, created_at
    ) values (
      _user_id, _deal.contact_id, _deal.title, _deal.euros * 100, _stages[1], 'a' || chr(64 + _deal.number),
      private.today() - _deal.began + 60, now() - make_interval(days => _deal.began), 'demo', now() - make_interval(days => _deal.began)
    ) returning id into _id;
    -- The stages on the way take equal parts of the time.
    for _stage in 2..least(_deal.stage, 5) - case when _deal.stage = 6 then 1 else 0 end loop
      update public.deals
      set stage_id = _stages[_stage],
        stage_since = now() - make_interval(hours => 24 * _deal.began - (24 * (_deal.began - _deal.since) * (_stage - 1) / (least(_deal.stage, 5) - 1)))
      where id = _id;
    end loop;
    if _deal.stage = 6 then
      update public.deals
      set stage_id = _stages[6], stage_since = now() - make_interval(days => _deal.since), lost_reason = _deal.lost_reason where id = _id;
    end if;
    perform private.note_demo(_user_id, 'deals', array[_id]);
  end loop;
end
$$;
comment on function private.add_demo_deals(uuid) is 'Twelve deals in every stage, with the stages they went through; acts for the caller.';
revoke all on function private.add_demo_deals from public, anon, authenticated, service_role;

create function private.add_demo_tasks(_user_id uuid)
  returns void
  language sql volatile
  set search_path = ''
as $$
  with made as (
    insert into public.projects (user_id, name, contact_id, color, status, starts_on, due_on, budget_cents, origin)
    select _user_id, projects.name, contacts.id, projects.color, projects.status::public.project_status,
      private.today() - since, private.today() + until, budget * 100, 'demo'
    from (values
      ('Cantina Poggio Alto', 'Sito della cantina', 'terracotta', 'attivo', 40, 35, 3200), ('Hotel Bellavista', 'Identità dell''hotel', 'blu', 'attivo', 60, 20, 4500),
      ('Libreria Il Segnalibro', 'Vetrina della libreria', 'giallo', 'attivo', 66, 30, 900), ('Ceramiche Terra Blu', 'Catalogo delle ceramiche', 'rosso', 'chiuso', 250, -60, 2600)
    ) as projects (company, name, color, status, since, until, budget)
    join private.demo_contacts(_user_id) as contacts on contacts.name = company
    returning id
  )
  select private.note_demo(_user_id, 'projects', array(select id from made));

  with listed as (
    select tasks.*, row_number() over ()::integer as number
    from (values
      -- Done; then late, for these days, and for some day.
      ('Ceramiche Terra Blu', 'Fotografare i pezzi del catalogo', -240, 'fatto', 0), ('Ceramiche Terra Blu', 'Impaginare il catalogo', -190, 'fatto', 2),
      ('Ceramiche Terra Blu', 'Controllare le prove di stampa', -120, 'fatto', 0), ('Ceramiche Terra Blu', 'Consegnare il catalogo', -62, 'fatto', 3),
      ('Studio Dentistico Sorriso', 'Preparare i biglietti da visita', -210, 'fatto', 0), ('Officina Meccanica Reno', 'Rivedere i testi del depliant', -175, 'fatto', 0),
      ('Panificio Antico Forno', 'Disegnare il sacchetto', -150, 'fatto', 0), ('Trattoria da Nino', 'Stampare il menù d''estate', -140, 'fatto', 0),
      ('Immobiliare Casa Mia', 'Preventivo per il logo', -115, 'fatto', 0), ('Palestra Movimento', 'Preventivo per la campagna', -105, 'fatto', 0),
      ('Libreria Il Segnalibro', 'Misurare la vetrina', -92, 'fatto', 0), ('Agriturismo La Quercia', 'Scegliere le foto della stagione', -60, 'fatto', 0),
      ('Agriturismo La Quercia', 'Aggiornare il listino', -46, 'fatto', 2), ('Erboristeria Verde Vivo', 'Etichette delle tisane', -41, 'fatto', 0),
      ('Studio Legale Portici', 'Preventivo per la carta intestata', -17, 'fatto', 0), ('Hotel Bellavista', 'Mandare il preventivo del sito', -10, 'fatto', 3),
      ('Cantina Poggio Alto', 'Preparare le bozze delle etichette', -6, 'fatto', 0), ('Trattoria da Nino', 'Ritirare le prove colore', -4, 'fatto', 0),
      ('Edilizia Solida', 'Chiamare per il pagamento', -3, 'fatto', 2), ('Hotel Bellavista', 'Riunione sulla segnaletica', -2, 'fatto', 0),
      ('Farmacia del Corso', 'Sollecitare le foto della farmacia', -4, 'da_fare', 0),
      ('Gelateria Neve', 'Telefonare per il sopralluogo', -2, 'da_fare', 0),
      ('Scuola di Lingue Babele', 'Rivedere i testi della campagna', -1, 'da_fare', 2),
      ('Edilizia Solida', 'Sollecitare il pagamento della fattura', 0, 'da_fare', 3), ('Cantina Poggio Alto', 'Scegliere la carta delle etichette', 0, 'in_corso', 0),
      ('Hotel Bellavista', 'Programmare i post della settimana', 0, 'da_fare', 0),
      ('Asilo Nido Girotondo', 'Preparare tre idee di logo', 2, 'in_corso', 2), ('Cantina Poggio Alto', 'Mappa del sito', 3, 'da_fare', 0),
      ('Ottica Vista Chiara', 'Preventivo per vetrina e sito', 4, 'da_fare', 0), ('Studio Legale Portici', 'Risentire per il preventivo', 5, 'in_attesa', 0),
      ('Hotel Bellavista', 'Consegnare la segnaletica', 7, 'da_fare', 3), ('Trattoria da Nino', 'Menù della nuova stagione', 9, 'da_fare', 0),
      ('Farmacia del Corso', 'Calendario dei post', 11, 'da_fare', 0), ('Hotel Bellavista', 'Testi della pagina spa', 13, 'in_attesa', 0),
      ('Cantina Poggio Alto', 'Servizio fotografico in vigna', 16, 'da_fare', 2), ('Officina Meccanica Reno', 'Aggiornare il depliant', 19, 'da_fare', 0),
      ('Cantina Poggio Alto', 'Pubblicare il sito', 34, 'da_fare', 0), ('Libreria Il Segnalibro', 'Montare la vetrina', 26, 'da_fare', 0),
      ('Ceramiche Terra Blu', 'Proporre il catalogo in inglese', null, 'da_fare', 0), ('Panificio Antico Forno', 'Idee per il sito', null, 'da_fare', 0),
      (null, 'Aggiornare il portfolio', null, 'da_fare', 0)
    ) as tasks (company, title, days, state, priority)
  ), made as (
    insert into public.tasks (
      user_id, project_id, title, state, priority, due_at, someday, contact_id, position, completed_at, rrule, origin, created_at
    )
    select _user_id, projects.id, title, listed.state::public.task_state, priority,
      (private.today() + days)::timestamp at time zone 'Europe/Rome', days is null, contacts.id,
      'a' || lpad(number::text, 2, '0'), case when listed.state = 'fatto' then now() + make_interval(days => days) end, null, 'demo',
      now() + make_interval(days => least(days, 0) - 5 - number % 12)
    from listed
    left join private.demo_contacts(_user_id) as contacts on contacts.name = company
    left join public.projects on projects.user_id = _user_id and projects.contact_id = contacts.id and projects.origin = 'demo'
      and (projects.status <> 'chiuso' or listed.state = 'fatto')
    union all
    select _user_id, null, title, 'da_fare', priority,
      (private.today() + days)::timestamp at time zone 'Europe/Rome', false, null, 'b' || days, null, rrule, 'demo',
      now() - interval '30 days'
    from (values
      ('Versare i contributi', 3, 12, null), ('Mandare le fatture alla commercialista', 2, 4, 'FREQ=MONTHLY'),
      ('Salvare una copia dei lavori', 0, 1, 'FREQ=WEEKLY'), ('Rinnovare il dominio del portfolio', 1, 20, 'FREQ=YEARLY')
    ) as own (title, priority, days, rrule)
    returning id
  )
  select private.note_demo(_user_id, 'tasks', array(select id from made));
$$;
comment on function private.add_demo_tasks(uuid) is 'Four projects and forty-five tasks: done, late, due and for some day.';
revoke all on function private.add_demo_tasks from public, anon, authenticated, service_role;

create function private.add_demo_whatsapp(_user_id uuid)
  returns void
  language plpgsql volatile
  set search_path = ''
as $$
declare
  _channel public.contact_channels;
  _made uuid[];
begin
  insert into public.contact_channels (
    user_id, contact_id, kind, portfolio, external_id, phone_id, last_inbound_at, window_expires_at, is_done, last_at, snippet
  )
  select _user_id, contacts.id, 'whatsapp', 'demo', 'IT.DEMO', phones.id, now() - interval '2 hours', now() + interval '22 hours',
    false, now() - interval '2 hours', 'Perfetto, la aspetto. Una domanda: possiamo averle anche in inglese?'
  from private.demo_contacts(_user_id) as contacts
  left join public.contact_phones as phones on phones.user_id = _user_id and phones.contact_id = contacts.id and is_primary
  where name = 'Luca Ricci'
  returning * into _channel;
  if _channel.id is null then
    return;
  end if;
  perform private.note_demo(_user_id, 'contact_channels', array[_channel.id]);
  with made as (
    insert into public.whatsapp_messages (
      user_id, contact_id, channel_id, direction, message_id, key, kind, body, summary, voice_s, transcript_state, transcript,
      at, created_at, state, not_before, expires_at, sent_at, delivered_at, read_at
    )
    select _user_id, _channel.contact_id, _channel.id, direction::public.interaction_direction, 'demo.' || nth,
      case when is_ours then gen_random_uuid() end, case when voice_s is null then 'text' else 'audio' end,
      case when voice_s is null then body else '' end, case when voice_s is null then body else 'Messaggio vocale' end, voice_s,
      case when voice_s is not null then 'pronto'::public.transcript_state end, case when voice_s is not null then body end,
      moment, moment,
      case when is_ours then 'read'::public.whatsapp_state end, case when is_ours then moment end,
      case when is_ours then moment + interval '1 day' end, case when is_ours then moment end,
      case when is_ours then moment end, case when is_ours then moment end
    from (values
      (1, 'entrata', 'Buongiorno, come procedono le etichette della nuova annata?', 200, null),
      (2, 'uscita', 'Buongiorno Luca! Ti mando la bozza entro domani mattina.', 170, null),
      (3, 'entrata', 'Per il retro ricordati il lotto in basso a destra e la scritta «contiene solfiti». La carta la scelgo io.', 140, 9),
      (4, 'entrata', 'Perfetto, la aspetto. Una domanda: possiamo averle anche in inglese?', 120, null)
    ) as written (nth, direction, body, minutes, voice_s),
      lateral (select now() - make_interval(mins => minutes) as moment, direction = 'uscita' as is_ours) as moments
    returning id
  )
  select array(select id from made) into _made;
  perform private.note_demo(_user_id, 'whatsapp_messages', _made);
end
$$;
comment on function private.add_demo_whatsapp(uuid) is 'A short conversation by WhatsApp, with a voice note and its transcript, that waits for an answer.';
revoke all on function private.add_demo_whatsapp from public, anon, authenticated, service_role;

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
    perform private.add_demo_whatsapp(_user_id);
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
  foreach _table in array array[
    'tasks', 'projects', 'deals', 'consents', 'interactions', 'notes', 'whatsapp_messages', 'contact_channels', 'contacts'
  ] loop
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
