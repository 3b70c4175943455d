-- Demo data, continued: deals and the work for them, the click that brings all of it, and the one that takes it away.

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

-- Definer: dates of the past, and the origin, are nothing that a browser may write.
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
$$;
comment on function private.keep_used_demo(uuid) is 'Makes demo rows that rows of the person''s own stand on theirs; false when there were none.';

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

revoke all on function private.add_demo_deals, private.add_demo_tasks, private.count_demo, private.keep_used_demo,
  public.add_demo_data, public.remove_demo_data from public, anon, authenticated, service_role;
grant execute on function public.add_demo_data, public.remove_demo_data to authenticated;
