-- Roadmap.
--   DROP FUNCTION private.ring
--   DROP FUNCTION private.schedule_delivery
--   DROP FUNCTION private.wants
--   DROP VIEW public.notification_kinds
--   CREATE TABLE private.ideas ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, user_id uuid NOT NULL, title pu…
--   ALTER TABLE private.ideas ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.roadmap_items ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, kind text NOT NULL DEFA…
--   ALTER TABLE private.roadmap_items ENABLE ROW LEVEL SECURITY
--   CREATE TABLE private.roadmap_votes ( item_id bigint NOT NULL, user_id uuid NOT NULL, created_at timestamp wit…
--   ALTER TABLE private.roadmap_votes ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.notify_ideas
--   CREATE OR REPLACE FUNCTION private.roadmap_item_is_late
--   CREATE OR REPLACE FUNCTION private.roadmap_item_votes
--   CREATE OR REPLACE FUNCTION private.roadmap_state_words
--   CREATE OR REPLACE FUNCTION public.admin_answer_idea
--   REVOKE ALL ON FUNCTION public.admin_answer_idea
--   CREATE OR REPLACE FUNCTION public.admin_roadmap
--   REVOKE ALL ON FUNCTION public.admin_roadmap
--   CREATE OR REPLACE FUNCTION public.admin_write_roadmap_item
--   REVOKE ALL ON FUNCTION public.admin_write_roadmap_item
--   CREATE OR REPLACE FUNCTION public.delete_idea
--   REVOKE ALL ON FUNCTION public.delete_idea
--   CREATE OR REPLACE FUNCTION public.my_ideas
--   REVOKE ALL ON FUNCTION public.my_ideas
--   CREATE OR REPLACE FUNCTION public.roadmap_board
--   REVOKE ALL ON FUNCTION public.roadmap_board
--   CREATE OR REPLACE FUNCTION public.send_idea
--   REVOKE ALL ON FUNCTION public.send_idea
--   CREATE OR REPLACE FUNCTION public.vote_roadmap_item
--   REVOKE ALL ON FUNCTION public.vote_roadmap_item
--   ALTER TABLE private.ideas ADD CONSTRAINT ideas_user_id_fkey FOREIGN KEY (user_id) REFERENCES auth.users(id) O…
--   ALTER TABLE private.roadmap_items ADD CONSTRAINT roadmap_items_error_group_id_fkey FOREIGN KEY (error_group_i…
--   ALTER TABLE private.ideas ADD CONSTRAINT ideas_item_id_fkey FOREIGN KEY (item_id) REFERENCES private.roadmap_…
--   ALTER TABLE private.roadmap_votes ADD CONSTRAINT roadmap_votes_item_id_fkey FOREIGN KEY (item_id) REFERENCES …
--   ALTER TABLE private.roadmap_votes ADD CONSTRAINT roadmap_votes_user_id_fkey FOREIGN KEY (user_id) REFERENCES …
--   CREATE VIEW public.notification_kinds WITH (security_invoker=on) AS SELECT kind, (category)::public.notificat…
--   CREATE OR REPLACE FUNCTION private.ring
--   CREATE OR REPLACE FUNCTION private.schedule_delivery
--   CREATE OR REPLACE FUNCTION private.wants
--   REVOKE ALL ON TABLE public.notification_kinds FROM anon
--   CREATE INDEX ideas_item ON private.ideas USING btree (item_id)
--   CREATE INDEX ideas_user ON private.ideas USING btree (user_id, id DESC)
--   CREATE INDEX roadmap_items_error_group ON private.roadmap_items USING btree (error_group_id)
--   CREATE INDEX roadmap_votes_user ON private.roadmap_votes USING btree (user_id)
--   COMMENT ON FUNCTION private.notify_ideas
--   COMMENT ON FUNCTION private.ring
--   COMMENT ON FUNCTION private.roadmap_item_is_late
--   COMMENT ON FUNCTION private.roadmap_item_votes
--   COMMENT ON FUNCTION private.roadmap_state_words
--   COMMENT ON FUNCTION private.schedule_delivery
--   COMMENT ON FUNCTION private.wants
--   COMMENT ON FUNCTION public.admin_answer_idea
--   COMMENT ON FUNCTION public.admin_roadmap
--   COMMENT ON FUNCTION public.admin_write_roadmap_item
--   COMMENT ON FUNCTION public.delete_idea
--   COMMENT ON FUNCTION public.my_ideas
--   COMMENT ON FUNCTION public.roadmap_board
--   COMMENT ON FUNCTION public.send_idea
--   COMMENT ON FUNCTION public.vote_roadmap_item
--   COMMENT ON TABLE private.ideas IS 'What people wish for, with what was answered; only its author and admins r…
--   COMMENT ON TABLE private.roadmap_items IS 'What admins plan: for the product, or technical; public where they…
--   COMMENT ON TABLE private.roadmap_votes IS 'Who wants an item; authors of its ideas count as well.'
--   COMMENT ON VIEW public.notification_kinds IS 'The kinds of notifications: their family, colour, channels unle…
--   REVOKE ALL ON FUNCTION private.notify_ideas
--   REVOKE ALL ON FUNCTION private.ring
--   REVOKE ALL ON FUNCTION private.roadmap_item_is_late
--   REVOKE ALL ON FUNCTION private.roadmap_item_votes
--   REVOKE ALL ON FUNCTION private.roadmap_state_words
--   REVOKE ALL ON FUNCTION private.schedule_delivery
--   REVOKE ALL ON FUNCTION private.wants
--   GRANT EXECUTE ON FUNCTION public.admin_answer_idea
--   GRANT EXECUTE ON FUNCTION public.admin_roadmap
--   GRANT EXECUTE ON FUNCTION public.admin_write_roadmap_item
--   GRANT EXECUTE ON FUNCTION public.delete_idea
--   GRANT EXECUTE ON FUNCTION public.my_ideas
--   GRANT EXECUTE ON FUNCTION public.roadmap_board
--   GRANT EXECUTE ON FUNCTION public.send_idea
--   GRANT EXECUTE ON FUNCTION public.vote_roadmap_item
--   REVOKE ALL ON TABLE public.notification_kinds FROM authenticated
--   GRANT SELECT ON TABLE public.notification_kinds TO authenticated
--   REVOKE ALL ON TABLE public.notification_kinds FROM service_role
--   GRANT SELECT ON TABLE public.notification_kinds TO service_role

set check_function_bodies = off;

DROP FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean);

DROP FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel);

DROP VIEW "public"."notification_kinds";

CREATE TABLE "private"."ideas" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "user_id"     uuid                     NOT NULL,
  "title"       public.single_line       NOT NULL,
  "text"        text                     NOT NULL DEFAULT ''::text,
  "item_id"     bigint,
  "is_declined" boolean                  NOT NULL DEFAULT false,
  "reply"       text,
  "answered_at" timestamp with time zone,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "a_declined_idea_has_a_reply" CHECK (((NOT is_declined) OR (reply IS NOT NULL))),
  CONSTRAINT "a_declined_idea_has_no_item" CHECK (((NOT is_declined) OR (item_id IS NULL))),
  CONSTRAINT "ideas_pkey" PRIMARY KEY (id),
  CONSTRAINT "reply_fits" CHECK (((char_length(btrim(reply)) >= 3) AND (char_length(btrim(reply)) <= 1000))),
  CONSTRAINT "text_fits" CHECK ((char_length(text) <= 2000)),
  CONSTRAINT "title_fits" CHECK (((char_length((title)::text) >= 3) AND (char_length((title)::text) <= 120)))
);

ALTER TABLE "private"."ideas"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."roadmap_items" (
  "id"             bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "kind"           text                     NOT NULL DEFAULT 'product'::text,
  "title"          public.single_line       NOT NULL,
  "text"           text                     NOT NULL DEFAULT ''::text,
  "state"          text                     NOT NULL DEFAULT 'planned'::text,
  "due_on"         date,
  "is_public"      boolean                  NOT NULL DEFAULT false,
  "error_group_id" bigint,
  "done_at"        timestamp with time zone,
  "created_at"     timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "kind_is_known" CHECK ((kind = ANY (ARRAY['product'::text, 'technical'::text]))),
  CONSTRAINT "roadmap_items_pkey" PRIMARY KEY (id),
  CONSTRAINT "state_is_known" CHECK ((state = ANY (ARRAY['planned'::text, 'started'::text, 'done'::text, 'declined'::text]))),
  CONSTRAINT "technical_items_stay_inside" CHECK (((kind = 'product'::text) OR (NOT is_public))),
  CONSTRAINT "text_fits" CHECK ((char_length(text) <= 500)),
  CONSTRAINT "title_fits" CHECK (((char_length((title)::text) >= 3) AND (char_length((title)::text) <= 120))),
  CONSTRAINT "what_is_done_has_a_day" CHECK (((state = 'done'::text) = (done_at IS NOT NULL)))
);

ALTER TABLE "private"."roadmap_items"
  ENABLE ROW LEVEL SECURITY;

CREATE TABLE "private"."roadmap_votes" (
  "item_id"    bigint                   NOT NULL,
  "user_id"    uuid                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "roadmap_votes_pkey" PRIMARY KEY (item_id, user_id)
);

ALTER TABLE "private"."roadmap_votes"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.notify_ideas (
  _item private.roadmap_items
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  select private.notify(
    user_id, 'idea', 'La tua idea: ' || private.roadmap_state_words(_item.state), title, '/settings/ideas',
    concat_ws(':', 'idea', id, _item.state)
  )
  from private.ideas where item_id = _item.id;
  select private.notify(
    user_id, 'idea', 'Fatto: ' || _item.title, 'L’avevi votata nella roadmap.', '/settings/ideas',
    concat_ws(':', 'voto', _item.id, _item.state)
  )
  from private.roadmap_votes as votes
  where votes.item_id = _item.id and _item.state = 'done' and _item.is_public
    and not exists (select from private.ideas where item_id = _item.id and user_id = votes.user_id)
$function$;

CREATE OR REPLACE FUNCTION private.roadmap_item_is_late (
  _item private.roadmap_items
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select _item.state in ('planned', 'started') and coalesce(_item.due_on < private.today(), false)
$function$;

CREATE OR REPLACE FUNCTION private.roadmap_item_votes (
  _item_id bigint
)
  RETURNS integer
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select count(*)::integer from private.roadmap_votes where item_id = _item_id
$function$;

CREATE OR REPLACE FUNCTION private.roadmap_state_words (
  _state text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case _state when 'planned' then 'è prevista' when 'started' then 'ci stiamo lavorando'
    when 'done' then 'è fatta' else 'non la faremo' end
$function$;

CREATE OR REPLACE FUNCTION public.admin_answer_idea (
  _id      bigint,
  _item_id bigint,
  _reply   text   DEFAULT NULL::text
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _answer constant text := nullif(btrim(_reply), '');
  _idea private.ideas;
  _item private.roadmap_items;
begin
  perform private.require_admin();
  select * into _item from private.roadmap_items where id = _item_id;
  if _item_id is not null and (not found or _item.kind <> 'product') then
    raise exception 'no such item' using errcode = 'PT404';
  end if;
  update private.ideas set item_id = _item_id, is_declined = _item_id is null, reply = _answer, answered_at = now()
  where id = _id returning * into _idea;
  if not found then
    raise exception 'no such idea' using errcode = 'PT404';
  end if;
  if _item_id is not null then
    insert into private.roadmap_votes (item_id, user_id) values (_item_id, _idea.user_id) on conflict do nothing;
  end if;
  perform private.notify(
    _idea.user_id, 'idea', 'La tua idea: ' || private.roadmap_state_words(coalesce(_item.state, 'declined')),
    coalesce(_answer, _idea.title), '/settings/ideas',
    concat_ws(':', 'idea', _id, coalesce(_item.state, 'declined'), md5(_answer))
  );
  perform private.log_admin_action(
    'idea.answer', _id::text, _idea.user_id, null, jsonb_build_object('item_id', _item_id),
    coalesce(left(_answer, 500), 'Collegata a: ' || _item.title)
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_answer_idea"(bigint, bigint, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_roadmap()
  RETURNS jsonb
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return jsonb_build_object(
    'items', (
      select coalesce(jsonb_agg(to_jsonb(items) || jsonb_build_object(
        'is_late', private.roadmap_item_is_late(items), 'votes', private.roadmap_item_votes(id),
        'ideas', (select count(*) from private.ideas where item_id = items.id),
        'error', (select message from private.error_groups where id = error_group_id)
      ) order by private.roadmap_item_votes(id) desc, id desc), '[]')
      from (
        -- What was decided long ago makes room for what is open.
        select * from private.roadmap_items order by state in ('done', 'declined'), id desc limit 300
      ) as items
    ),
    'ideas', (
      -- Without their authors.
      select coalesce(jsonb_agg(jsonb_build_object(
        'id', id, 'title', title, 'text', text, 'item_id', item_id, 'is_declined', is_declined, 'reply', reply,
        'created_at', created_at
      ) order by answered_at is not null, id desc), '[]')
      from (select * from private.ideas order by answered_at is not null, id desc limit 200) as ideas
    )
  );
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_roadmap"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_write_roadmap_item (
  _title          text,
  _text           text,
  _state          text,
  _is_public      boolean DEFAULT false,
  _due_on         date    DEFAULT NULL::date,
  _kind           text    DEFAULT 'product'::text,
  _error_group_id bigint  DEFAULT NULL::bigint,
  _id             bigint  DEFAULT NULL::bigint
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _before private.roadmap_items;
  _item private.roadmap_items;
begin
  perform private.require_admin();
  if _id is null then
    insert into private.roadmap_items (kind, title, text, state, is_public, due_on, error_group_id, done_at)
    values (_kind, _title, _text, _state, _is_public, _due_on, _error_group_id, case _state when 'done' then now() end)
    returning * into _item;
  else
    select * into _before from private.roadmap_items where id = _id for update;
    if not found then
      raise exception 'no such item' using errcode = 'PT404';
    end if;
    update private.roadmap_items set title = _title, text = _text, state = _state, is_public = _is_public,
      due_on = _due_on, done_at = case _state when 'done' then coalesce(done_at, now()) end
    where id = _id returning * into _item;
  end if;
  if _before.state is distinct from _item.state then
    perform private.notify_ideas(_item);
  end if;
  -- What stands in the list is the reason as well.
  perform private.log_admin_action(
    'roadmap.write', _item.id::text, null,
    case when _id is not null then jsonb_build_object('state', _before.state, 'is_public', _before.is_public) end,
    jsonb_build_object('state', _item.state, 'is_public', _item.is_public), _item.title
  );
  return _item.id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_write_roadmap_item"(text, text, text, boolean, date, text, bigint, bigint) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.delete_idea (
  _id bigint
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.ideas where id = _id and user_id = (select auth.uid())
$function$;

REVOKE ALL ON FUNCTION "public"."delete_idea"(bigint) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.my_ideas()
  RETURNS TABLE (
    id          bigint,
    title       text,
    text        text,
    state       text,
    item_title  text,
    reply       text,
    answered_at timestamp with time zone,
    created_at  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select ideas.id, ideas.title, ideas.text,
    case when is_declined then 'declined' else coalesce(items.state, 'new') end,
    case when items.is_public then items.title end, reply, answered_at, ideas.created_at
  from private.ideas left join private.roadmap_items as items on items.id = item_id
  where user_id = (select auth.uid()) order by ideas.id desc limit 200
$function$;

REVOKE ALL ON FUNCTION "public"."my_ideas"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.roadmap_board()
  RETURNS TABLE (
    id      bigint,
    title   text,
    text    text,
    state   text,
    due_on  date,
    is_late boolean,
    done_at timestamp with time zone,
    votes   integer,
    is_mine boolean
  )
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
  select id, title, text, state, due_on, private.roadmap_item_is_late(items), done_at, private.roadmap_item_votes(id),
    exists (select from private.roadmap_votes where item_id = items.id and user_id = (select auth.uid()))
  from private.roadmap_items as items where is_public and state <> 'declined'
  order by state = 'done', private.roadmap_item_votes(id) desc, id desc limit 100
$function$;

REVOKE ALL ON FUNCTION "public"."roadmap_board"() FROM PUBLIC, "service_role";

CREATE OR REPLACE FUNCTION public.send_idea (
  _title text,
  _text  text DEFAULT ''::text
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _id bigint;
begin
  -- A second click waits for the first.
  perform from public.profiles where user_id = _user_id for no key update;
  select id into _id from private.ideas
  where user_id = _user_id and title = _title and text = btrim(_text) and created_at > now() - interval '1 day';
  if found then
    return _id;
  end if;
  if (select count(*) from private.ideas where user_id = _user_id and created_at > now() - interval '1 day') >= 10 then
    raise exception 'too many ideas' using errcode = 'SC061';
  end if;
  insert into private.ideas (user_id, title, text) values (_user_id, _title, btrim(_text)) returning id into _id;
  return _id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."send_idea"(text, text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.vote_roadmap_item (
  _id     bigint,
  _is_for boolean
)
  RETURNS integer
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
begin
  if not exists (select from private.roadmap_items where id = _id and is_public and state in ('planned', 'started')) then
    raise exception 'no such item' using errcode = 'PT404';
  end if;
  if _is_for then
    insert into private.roadmap_votes (item_id, user_id) values (_id, _user_id) on conflict do nothing;
  else
    delete from private.roadmap_votes where item_id = _id and user_id = _user_id;
  end if;
  return private.roadmap_item_votes(_id);
end
$function$;

REVOKE ALL ON FUNCTION "public"."vote_roadmap_item"(bigint, boolean) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."ideas"
  ADD CONSTRAINT "ideas_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

ALTER TABLE "private"."roadmap_items"
  ADD CONSTRAINT "roadmap_items_error_group_id_fkey" FOREIGN KEY (error_group_id) REFERENCES private.error_groups(id) ON DELETE SET NULL;

ALTER TABLE "private"."ideas"
  ADD CONSTRAINT "ideas_item_id_fkey" FOREIGN KEY (item_id) REFERENCES private.roadmap_items(id) ON DELETE SET NULL;

ALTER TABLE "private"."roadmap_votes"
  ADD CONSTRAINT "roadmap_votes_item_id_fkey" FOREIGN KEY (item_id) REFERENCES private.roadmap_items(id) ON DELETE CASCADE;

ALTER TABLE "private"."roadmap_votes"
  ADD CONSTRAINT "roadmap_votes_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE VIEW "public"."notification_kinds" WITH (security_invoker=on) AS  SELECT kind,
    (category)::public.notification_category AS category,
    label,
    (type)::public.notification_type AS type,
    (channels)::text[] AS channels,
    is_urgent,
    window_minutes,
    many,
    list,
    action
   FROM ( VALUES ('fattura_scaduta'::text,'incassi'::text,'Fatture scadute'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture scadute'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('in_scadenza'::text,'incassi'::text,'Fatture in scadenza'::text,'info'::text,'{in_app,mail}'::text,false,60,'fatture in scadenza'::text,'/documents/fatture?tipo=attive'::text,'segna_pagata'::text), ('da_pagare'::text,'incassi'::text,'Fatture da pagare'::text,'warning'::text,'{in_app,mail}'::text,false,60,'fatture da pagare'::text,'/documents/fatture?tipo=passive'::text,'segna_pagata'::text), ('fattura_pagata'::text,'incassi'::text,'Fatture pagate'::text,'success'::text,'{in_app,mail}'::text,false,60,'fatture pagate'::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('esito_sdi'::text,'incassi'::text,'Esiti delle fatture elettroniche'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/documents/fatture?tipo=attive'::text,NULL::text), ('promemoria'::text,'attivita'::text,'Promemoria'::text,'info'::text,'{in_app}'::text,true,0,NULL::text,'/tasks'::text,'rimanda'::text), ('email_ricevuta'::text,'attivita'::text,'Email ricevute'::text,'info'::text,'{in_app}'::text,false,30,'email ricevute'::text,'/crm?vista=posta'::text,NULL::text), ('messaggio_whatsapp'::text,'attivita'::text,'Messaggi WhatsApp'::text,'info'::text,'{in_app}'::text,false,60,'messaggi WhatsApp'::text,'/crm?vista=whatsapp'::text,NULL::text), ('whatsapp_fermo'::text,'attivita'::text,'WhatsApp da controllare'::text,'warning'::text,'{in_app}'::text,true,0,NULL::text,'/settings/channels'::text,NULL::text), ('email_respinta'::text,'attivita'::text,'Email respinte'::text,'warning'::text,'{in_app}'::text,true,60,'email respinte'::text,'/crm?vista=posta&stato=inviati'::text,NULL::text), ('settimana_agenti'::text,'attivita'::text,'Settimana degli agenti'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/projects?vista=obiettivi'::text,NULL::text), ('approvazione'::text,'approvazioni'::text,'Proposte da approvare'::text,'warning'::text,'{in_app,mail}'::text,true,0,NULL::text,'/chat'::text,'approva'::text), ('documento_illeggibile'::text,'documenti'::text,'Documenti non letti'::text,'warning'::text,'{in_app}'::text,false,10,'documenti non letti'::text,'/documents'::text,NULL::text), ('documento_da_verificare'::text,'documenti'::text,'Documenti da verificare'::text,'warning'::text,'{in_app}'::text,false,10,'documenti da verificare'::text,'/documents'::text,NULL::text), ('analisi_conclusa'::text,'documenti'::text,'Analisi concluse'::text,'success'::text,'{in_app}'::text,false,30,'documenti letti'::text,'/documents'::text,NULL::text), ('contratto_in_scadenza'::text,'documenti'::text,'Contratti in scadenza'::text,'warning'::text,'{in_app}'::text,false,60,'contratti in scadenza'::text,'/documents'::text,NULL::text), ('importazione_conclusa'::text,'documenti'::text,'Importazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/crm'::text,NULL::text), ('esportazione_conclusa'::text,'documenti'::text,'Esportazioni concluse'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/data'::text,NULL::text), ('sicurezza'::text,'sistema'::text,'Sicurezza dell’account'::text,'warning'::text,'{in_app}'::text,false,0,NULL::text,'/settings/security'::text,NULL::text), ('crediti_accreditati'::text,'sistema'::text,'Crediti accreditati'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_bassi'::text,'crediti'::text,'Pochi crediti'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('crediti_in_scadenza'::text,'crediti'::text,'Crediti che scadono'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('tetto_mensile'::text,'crediti'::text,'Tetto mensile'::text,'warning'::text,'{in_app,mail}'::text,false,0,NULL::text,'/settings/credits'::text,NULL::text), ('briefing'::text,'briefing'::text,'Briefing del mattino'::text,'info'::text,'{}'::text,true,0,NULL::text,'/home'::text,NULL::text), ('idea'::text,'sistema'::text,'Risposte alle tue idee'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/settings/ideas'::text,NULL::text), ('benvenuto'::text,'sistema'::text,'Benvenuto'::text,'success'::text,'{in_app}'::text,false,0,NULL::text,'/store'::text,NULL::text), ('avviso'::text,'sistema'::text,'Avvisi di Socio'::text,'info'::text,'{in_app}'::text,false,0,NULL::text,'/notifications'::text,NULL::text)) kinds(kind, category, label, type, channels, is_urgent, window_minutes, many, list, action);

CREATE OR REPLACE FUNCTION private.ring (
  _user_id     uuid,
  _kind        public.notification_kinds,
  _title       text,
  _message     text,
  _action_url  text,
  _dedupe_key  text,
  _entity_type text,
  _entity_id   uuid,
  _is_read     boolean
)
  RETURNS uuid
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _id uuid;
begin
  if (_kind).window_minutes > 0 and not _is_read then
    update public.notifications
    set batch_count = batch_count + 1, title = (batch_count + 1) || ' ' || (_kind).many,
      message = left(case when batch_count = 1 then title else message end || ' · ' || _title, 600),
      action_url = (_kind).list, entity_type = null, entity_id = null
    where id = (
      select id from public.notifications
      where user_id = _user_id and batch_key = (_kind).kind and not is_read
        and created_at > now() - make_interval(mins => (_kind).window_minutes)
      order by created_at desc limit 1 for update
    )
    returning id into _id;
  end if;
  if _id is null then
    insert into public.notifications (
      user_id, title, message, type, action_url, kind, category, dedupe_key, batch_key, entity_type, entity_id, is_read, read_at
    ) values (
      _user_id, _title, _message, (_kind).type, _action_url, (_kind).kind, (_kind).category, _dedupe_key, (_kind).kind,
      _entity_type, _entity_id, _is_read, case when _is_read then now() end
    ) returning id into _id;
  end if;
  return _id;
end
$function$;

CREATE OR REPLACE FUNCTION private.schedule_delivery (
  _first    uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into private.notification_deliveries (
    user_id, notification_id, kind, channel, dedupe_key, batch_key, title, message, action_url, is_in_app, not_before, state
  )
  select user_id, notification_id, kind, _channel, dedupe_key, batch_key, title, message, action_url, is_in_app,
    -- With the family that waits already.
    coalesce(
      (
        select min(not_before) from private.notification_deliveries as waiting
        where waiting.user_id = told.user_id and waiting.channel = _channel and waiting.batch_key = told.batch_key
          and state = 'attesa' and (_kind).window_minutes > 0
      ),
      private.delivery_time(now(), _settings, (_kind).is_urgent or _channel = 'push',
        make_interval(mins => (_kind).window_minutes))
    ),
    'attesa'
  from private.notification_deliveries as told where id = _first
$function$;

CREATE OR REPLACE FUNCTION private.wants (
  _user_id  uuid,
  _settings public.notification_settings,
  _kind     public.notification_kinds,
  _channel  public.notification_channel
)
  RETURNS boolean
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when (_kind).category = 'sistema' then _channel::text = any ((_kind).channels)
    else (_kind).kind <> all ((_settings).muted) and coalesce(
      (
        select is_enabled from public.notification_prefs
        where user_id = _user_id and category = (_kind).category and channel = _channel
      ),
      _channel::text = any ((_kind).channels)
    )
  end
$function$;

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "anon";

CREATE INDEX ideas_item ON private.ideas USING btree (item_id);

CREATE INDEX ideas_user ON private.ideas USING btree (user_id, id DESC);

CREATE INDEX roadmap_items_error_group ON private.roadmap_items USING btree (error_group_id);

CREATE INDEX roadmap_votes_user ON private.roadmap_votes USING btree (user_id);

COMMENT ON FUNCTION "private"."notify_ideas"(private.roadmap_items) IS 'Tells the authors of an item''s ideas about its state, and those who voted once it is done; each state once.';

COMMENT ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) IS 'Writes the row of the bell, or adds to the unread one of its kind within the window.';

COMMENT ON FUNCTION "private"."roadmap_item_is_late"(private.roadmap_items) IS 'Whether the day that was promised has passed.';

COMMENT ON FUNCTION "private"."roadmap_item_votes"(bigint) IS 'Return how many people want an item.';

COMMENT ON FUNCTION "private"."roadmap_state_words"(text) IS 'Return the state of an item as a notice says it.';

COMMENT ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Puts a notice that was told in the bell on another channel too.';

COMMENT ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) IS 'Whether a person wants a kind on a channel. The system''s own kinds, security among them, cannot be switched off.';

COMMENT ON FUNCTION "public"."admin_answer_idea"(bigint, bigint, text) IS 'Answers an idea, for admins: the item that it belongs to, which counts its author''s vote, or none, with the reason why not.';

COMMENT ON FUNCTION "public"."admin_roadmap"() IS 'All items, the most wanted first, and ideas without their authors, the unanswered first, for admins.';

COMMENT ON FUNCTION "public"."admin_write_roadmap_item"(text, text, text, boolean, date, text, bigint, bigint) IS 'Writes a new item, or with its id one that is there, for admins; tells those who asked for it. Returns its id.';

COMMENT ON FUNCTION "public"."delete_idea"(bigint) IS 'Erases an idea of the caller; what was planned because of it stays.';

COMMENT ON FUNCTION "public"."my_ideas"() IS 'The ideas of the caller with what came of them: `new` until an admin decides.';

COMMENT ON FUNCTION "public"."roadmap_board"() IS 'The public items with their votes, for everybody; open ones first, the most wanted first.';

COMMENT ON FUNCTION "public"."send_idea"(text, text) IS 'Sends an idea of the caller to the admins, the same one once; returns its id.';

COMMENT ON FUNCTION "public"."vote_roadmap_item"(bigint, boolean) IS 'Says whether the caller wants a public item that is not done; returns its votes.';

COMMENT ON TABLE "private"."ideas" IS 'What people wish for, with what was answered; only its author and admins read it.';

COMMENT ON TABLE "private"."roadmap_items" IS 'What admins plan: for the product, or technical; public where they say so.';

COMMENT ON TABLE "private"."roadmap_votes" IS 'Who wants an item; authors of its ideas count as well.';

COMMENT ON VIEW "public"."notification_kinds" IS 'The kinds of notifications: their family, colour, channels unless the owner chose, how they are gathered, what can be done about one.';

REVOKE ALL ON FUNCTION "private"."notify_ideas"(private.roadmap_items) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."ring"(uuid, public.notification_kinds, text, text, text, text, text, uuid, boolean) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."roadmap_item_is_late"(private.roadmap_items) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."roadmap_item_votes"(bigint) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."roadmap_state_words"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."schedule_delivery"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."wants"(uuid, public.notification_settings, public.notification_kinds, public.notification_channel) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."admin_answer_idea"(bigint, bigint, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_roadmap"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_write_roadmap_item"(text, text, text, boolean, date, text, bigint, bigint) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."delete_idea"(bigint) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."my_ideas"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."roadmap_board"() TO "anon", "authenticated";

GRANT EXECUTE ON FUNCTION "public"."send_idea"(text, text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."vote_roadmap_item"(bigint, boolean) TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "authenticated";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "authenticated";

REVOKE ALL ON TABLE "public"."notification_kinds" FROM "service_role";

GRANT SELECT ON TABLE "public"."notification_kinds" TO "service_role";

reset check_function_bodies;
