-- Whatsapp windows.
--   DROP VIEW public.insight_kinds
--   CREATE OR REPLACE FUNCTION private.add_demo_whatsapp
--   CREATE OR REPLACE FUNCTION private.keep_whatsapp_message
--   CREATE OR REPLACE FUNCTION private.moving_windows
--   CREATE OR REPLACE FUNCTION private.refresh_home
--   CREATE OR REPLACE FUNCTION private.window_facts
--   CREATE OR REPLACE FUNCTION public.add_demo_data
--   CREATE OR REPLACE FUNCTION public.remove_demo_data
--   CREATE VIEW public.insight_kinds WITH (security_invoker=on) AS SELECT kind, label, category, action, worth_ce…
--   REVOKE ALL ON TABLE public.insight_kinds FROM anon
--   CREATE INDEX contact_channels_window ON public.contact_channels USING btree (window_expires_at) WHERE (NOT is…
--   CREATE TRIGGER mark_deleted AFTER DELETE ON public.contact_channels REFERENCING OLD TABLE AS changed FOR EACH…
--   CREATE TRIGGER mark_inserted AFTER INSERT ON public.contact_channels REFERENCING NEW TABLE AS changed FOR EAC…
--   CREATE TRIGGER mark_updated AFTER UPDATE ON public.contact_channels REFERENCING NEW TABLE AS changed FOR EACH…
--   CREATE TRIGGER settle_notices AFTER UPDATE OF is_done ON public.contact_channels FOR EACH ROW WHEN ((new.is_d…
--   COMMENT ON FUNCTION private.add_demo_whatsapp
--   COMMENT ON FUNCTION private.moving_windows
--   COMMENT ON FUNCTION private.window_facts
--   COMMENT ON VIEW public.insight_kinds IS 'The kinds of insights: how a person calls them, their family, what t…
--   REVOKE ALL ON FUNCTION private.add_demo_whatsapp
--   REVOKE ALL ON FUNCTION private.moving_windows
--   GRANT EXECUTE ON FUNCTION private.moving_windows
--   REVOKE ALL ON FUNCTION private.window_facts
--   REVOKE ALL ON TABLE public.insight_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.insight_kinds TO authenticated
--   REVOKE ALL ON TABLE public.insight_kinds FROM service_role
--   GRANT SELECT ON TABLE public.insight_kinds TO service_role

set check_function_bodies = off;

DROP VIEW "public"."insight_kinds";

CREATE OR REPLACE FUNCTION private.add_demo_whatsapp (
  _user_id uuid
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
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
      user_id, contact_id, channel_id, direction, message_id, key, kind, body, summary, at, created_at, state, not_before,
      expires_at, sent_at, delivered_at, read_at
    )
    select _user_id, _channel.contact_id, _channel.id, direction::public.interaction_direction, 'demo.' || nth,
      case when is_ours then gen_random_uuid() end, 'text', body, body, moment, moment,
      case when is_ours then 'read'::public.whatsapp_state end, case when is_ours then moment end,
      case when is_ours then moment + interval '1 day' end, case when is_ours then moment end,
      case when is_ours then moment end, case when is_ours then moment end
    from (values
      (1, 'entrata', 'Buongiorno, come procedono le etichette della nuova annata?', 200),
      (2, 'uscita', 'Buongiorno Luca! Ti mando la bozza entro domani mattina.', 170),
      (3, 'entrata', 'Perfetto, la aspetto. Una domanda: possiamo averle anche in inglese?', 120)
    ) as written (nth, direction, body, minutes),
      lateral (select now() - make_interval(mins => minutes) as moment, direction = 'uscita' as is_ours) as moments
    returning id
  )
  select array(select id from made) into _made;
  perform private.note_demo(_user_id, 'whatsapp_messages', _made);
end
$function$;

CREATE OR REPLACE FUNCTION private.keep_whatsapp_message (
  _account_id uuid,
  _told       jsonb
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _account public.whatsapp_accounts;
  _channel public.contact_channels;
  -- A clock of ours that is late must not keep the window open for longer.
  _at constant timestamptz := least((_told ->> 'at')::timestamptz, now());
  _id uuid;
  _name text;
begin
  -- Locked, so that two messages of one stranger make one contact.
  select * into _account from public.whatsapp_accounts where id = _account_id for no key update;
  if not found or exists (
    select from public.whatsapp_messages where user_id = _account.user_id and message_id = _told ->> 'message_id'
  ) then
    return null;
  end if;
  _channel := private.whatsapp_channel(
    _account.user_id, _account.portfolio, _told ->> 'bsuid', _told ->> 'phone', _told ->> 'name', _told ->> 'username', _at
  );
  insert into public.whatsapp_messages (
    user_id, contact_id, channel_id, direction, message_id, kind, body, summary, refers_to, content, media_state, at
  )
  values (
    _account.user_id, _channel.contact_id, _channel.id, 'entrata', _told ->> 'message_id', _told ->> 'kind', _told ->> 'body',
    _told ->> 'summary', _told ->> 'refers_to', _told -> 'content',
    case
      when _told #> '{content,media}' is null then null
      when coalesce(_told #>> '{content,media,id}', '') = '' then 'fallito'
      else 'attesa'
    end::public.whatsapp_media_state, _at
  )
  returning id into _id;
  update public.contact_channels
  set failures = 0, last_inbound_at = greatest(last_inbound_at, _at), window_expires_at = greatest(window_expires_at, _at + interval '24 hours'),
    snippet = case when last_inbound_at > _at then snippet else left(_told ->> 'summary', 200) end,
    -- A message that was delivered late is not news after an answer.
    is_done = case when last_at > _at then is_done else false end, last_at = greatest(last_at, _at)
  where id = _channel.id
  returning * into _channel;
  insert into public.interactions (user_id, contact_id, kind, direction, at, summary)
  values (_account.user_id, _channel.contact_id, 'whatsapp', 'entrata', _at, _told ->> 'summary');
  if private.is_stop_word(_told ->> 'body') then
    perform private.stop_whatsapp(_channel, _at);
    -- Confirmed once.
    if _channel.stopped_at is null and _channel.window_expires_at > now() then
      perform private.add_whatsapp(
        gen_random_uuid(), _channel, 'Va bene, non riceverai altri messaggi da questo numero.', null, null, now(), true
      );
    end if;
  end if;
  select name into _name from public.contacts where id = _channel.contact_id;
  -- No words of the message: what a stranger writes does not become a sentence of ours.
  perform private.notify(
    _account.user_id, 'messaggio_whatsapp', 'Messaggio WhatsApp', _name || ' ti ha scritto su WhatsApp.',
    '/crm?vista=whatsapp&conversazione=' || _channel.id, 'whatsapp ' || _id, 'whatsapp', _channel.id
  );
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.moving_windows (
  _limit integer
)
  RETURNS SETOF uuid
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select distinct channel.user_id
  from public.contact_channels as channel join private.home_pages as page using (user_id)
  where not is_done and not private.is_frozen(channel.user_id)
    -- A new day computes all of them.
    and window_expires_at > now() - interval '1 day' and window_expires_at <= now() + interval '4 hours'
    and refreshed_at < case when window_expires_at <= now() then window_expires_at else window_expires_at - interval '4 hours' end
  limit _limit
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

CREATE OR REPLACE FUNCTION private.window_facts (
  _user_id uuid
)
  RETURNS SETOF private.insight_fact
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  -- No words of the message, as in answer_facts().
  select 'finestra_whatsapp', 'whatsapp', channel.id, (window_expires_at at time zone 'Europe/Rome')::date, contacts.id,
    'Rispondi a ' || contacts.name || ' entro le ' || to_char(window_expires_at at time zone 'Europe/Rome', 'HH24:MI'),
    'Aspetta una risposta su WhatsApp: dopo servirà un modello.', null::bigint, 'EUR', 1.0::double precision,
    jsonb_build_object('counterparty', contacts.name)
  from public.contact_channels as channel
  join public.whatsapp_accounts as account
    on account.user_id = _user_id and account.portfolio = channel.portfolio and account.state = 'attivo'
  join public.contacts on contacts.user_id = _user_id and contacts.id = channel.contact_id
    and contacts.merged_into is null and contacts.deleted_at is null
  where channel.user_id = _user_id and not channel.is_done
    and window_expires_at > now() and window_expires_at <= now() + interval '4 hours'
    and not private.is_whatsapp_stopped(channel, false)
  order by window_expires_at, channel.id
  limit private.most_facts()
$function$;

CREATE OR REPLACE FUNCTION public.add_demo_data()
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.remove_demo_data()
  RETURNS jsonb
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
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
$function$;

CREATE VIEW "public"."insight_kinds" WITH (security_invoker=on) AS  SELECT kind,
    label,
    category,
    action,
    worth_cents,
    rest_days
   FROM ( VALUES ('fattura_scaduta'::text,'Fatture scadute'::text,'soldi'::text,'sollecito'::text,0,7), ('in_scadenza'::text,'Fatture in scadenza'::text,'soldi'::text,'promemoria'::text,0,7), ('da_pagare'::text,'Fatture da pagare'::text,'soldi'::text,'fattura'::text,0,2), ('fattura_scartata'::text,'Fatture scartate'::text,'soldi'::text,'fattura'::text,0,1), ('documento_da_verificare'::text,'Documenti da verificare'::text,'documenti'::text,'verifica'::text,15000,2), ('da_collegare'::text,'Documenti da collegare'::text,'documenti'::text,'collega'::text,10000,7), ('preventivo_fermo'::text,'Preventivi fermi'::text,'trattative'::text,'attivita'::text,0,7), ('trattativa_ferma'::text,'Trattative ferme'::text,'trattative'::text,'attivita'::text,0,7), ('da_risentire'::text,'Persone da risentire'::text,'persone'::text,'risenti'::text,20000,3), ('risposta_dovuta'::text,'Risposte che aspettano'::text,'persone'::text,'rispondi'::text,30000,1), ('finestra_whatsapp'::text,'Finestre WhatsApp che si chiudono'::text,'persone'::text,'rispondi'::text,40000,1), ('compleanno_cliente_anno'::text,'Anniversari dei clienti'::text,'persone'::text,'risenti'::text,8000,30), ('attivita_scadute'::text,'Attività scadute'::text,'agenda'::text,'ripianifica'::text,40000,1), ('giornata_piena'::text,'Giornate piene'::text,'agenda'::text,'ripianifica'::text,15000,1), ('contratto_in_scadenza'::text,'Contratti in scadenza'::text,'documenti'::text,'attivita'::text,50000,14), ('crediti_in_esaurimento'::text,'Crediti in esaurimento'::text,'crediti'::text,'ricarica'::text,15000,7), ('crediti_in_scadenza'::text,'Crediti in scadenza'::text,'crediti'::text,'crediti'::text,10000,7), ('concentrazione'::text,'Un cliente che pesa molto'::text,'rischi'::text,'contatto'::text,10000,30), ('doppioni'::text,'Contatti doppi'::text,'persone'::text,'unisci'::text,5000,14), ('consenso_mancante'::text,'Consensi che mancano'::text,'persone'::text,'contatti'::text,5000,30), ('soglia_forfettario'::text,'Soglia del forfettario'::text,'rischi'::text,'forfettario'::text,20000,30)) kinds(kind, label, category, action, worth_cents, rest_days);

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "anon";

CREATE INDEX contact_channels_window ON public.contact_channels USING btree (window_expires_at)
  WHERE (NOT is_done);

CREATE TRIGGER mark_deleted
  AFTER DELETE ON public.contact_channels REFERENCING OLD TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_inserted
  AFTER INSERT ON public.contact_channels REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER mark_updated
  AFTER UPDATE ON public.contact_channels REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT
  EXECUTE FUNCTION private.mark_changed();

CREATE TRIGGER settle_notices
  AFTER UPDATE OF is_done ON public.contact_channels
  FOR EACH ROW
  WHEN ((new.is_done AND (NOT old.is_done)))
  EXECUTE FUNCTION private.settle_notices('whatsapp');

COMMENT ON FUNCTION "private"."add_demo_whatsapp"(uuid) IS 'A short conversation by WhatsApp that waits for an answer.';

COMMENT ON FUNCTION "private"."moving_windows"(integer) IS 'People for whom a window of WhatsApp came within four hours of its end, or closed, since their home was computed.';

COMMENT ON FUNCTION "private"."window_facts"(uuid) IS 'Contacts who wait for an answer by WhatsApp whose window closes within four hours.';

COMMENT ON VIEW "public"."insight_kinds" IS 'The kinds of insights: how a person calls them, their family, what their button does, what one counts for where no money is at risk, and for how many days it rests after it was acted on.';

REVOKE ALL ON FUNCTION "private"."add_demo_whatsapp"(uuid) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."moving_windows"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."moving_windows"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."window_facts"(uuid) FROM PUBLIC;

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."insight_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."insight_kinds" TO "service_role";

reset check_function_bodies;
