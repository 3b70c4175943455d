-- Demo projects.
--   CREATE OR REPLACE FUNCTION private.add_demo_tasks

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.add_demo_tasks (
  _user_id uuid
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
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
$function$;

reset check_function_bodies;
