-- Notification choices.
--   CREATE TABLE private.deleted_notifications ( id uuid NOT NULL, user_id uuid NOT NULL, content jsonb NOT NULL,…
--   ALTER TABLE private.deleted_notifications ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.forget_deleted_notifications
--   CREATE OR REPLACE FUNCTION private.keep_deleted_notification
--   CREATE OR REPLACE FUNCTION private.notify_insights
--   CREATE OR REPLACE FUNCTION public.notification_choices
--   REVOKE ALL ON FUNCTION public.notification_choices
--   CREATE OR REPLACE FUNCTION public.restore_notifications
--   REVOKE ALL ON FUNCTION public.restore_notifications
--   ALTER TABLE private.deleted_notifications ADD CONSTRAINT deleted_notifications_user_id_fkey FOREIGN KEY (user…
--   CREATE INDEX deleted_notifications_age ON private.deleted_notifications USING btree (deleted_at)
--   CREATE INDEX deleted_notifications_owner ON private.deleted_notifications USING btree (user_id)
--   CREATE TRIGGER keep_deleted AFTER DELETE ON public.notifications FOR EACH ROW EXECUTE FUNCTION private.keep_d…
--   COMMENT ON FUNCTION private.forget_deleted_notifications
--   COMMENT ON FUNCTION private.keep_deleted_notification
--   COMMENT ON FUNCTION public.notification_choices
--   COMMENT ON FUNCTION public.restore_notifications
--   COMMENT ON TABLE private.deleted_notifications IS 'Notifications that their owner deleted, for a day.'
--   REVOKE ALL ON FUNCTION private.forget_deleted_notifications
--   GRANT EXECUTE ON FUNCTION private.forget_deleted_notifications
--   REVOKE ALL ON FUNCTION private.keep_deleted_notification
--   GRANT EXECUTE ON FUNCTION public.notification_choices
--   GRANT EXECUTE ON FUNCTION public.restore_notifications

set check_function_bodies = off;

CREATE TABLE "private"."deleted_notifications" (
  "id"         uuid                     NOT NULL,
  "user_id"    uuid                     NOT NULL,
  "content"    jsonb                    NOT NULL,
  "deleted_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "deleted_notifications_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."deleted_notifications"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.forget_deleted_notifications (
  _limit integer
)
  RETURNS bigint
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.deleted_notifications where id in (
      select id from private.deleted_notifications where deleted_at < now() - interval '1 day' limit _limit
    )
    returning 1
  )
  select count(*) from gone
$function$;

CREATE OR REPLACE FUNCTION private.keep_deleted_notification()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  if auth.uid() = old.user_id then
    insert into private.deleted_notifications (user_id, id, content) values (old.user_id, old.id, to_jsonb(old));
  end if;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION private.notify_insights()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.notify(
    fact.user_id, fact.kind,
    -- A card says the rest in its body and its colour; a mail is read by its subject.
    case fact.kind when 'fattura_scaduta' then 'Scaduta: ' when 'in_scadenza' then 'In scadenza: '
      when 'da_pagare' then 'Da pagare: ' else '' end || fact.title,
    fact.body,
    case
      when fact.entity_type = 'invoice' then '/documents/' || (fact.data ->> 'document_id')
      when fact.entity_type = 'document' then '/documents/' || fact.entity_id
    end,
    concat_ws(':', fact.kind, fact.entity_id, fact.since),
    case when fact.entity_id is not null then fact.entity_type end, fact.entity_id
  )
  from changed as fact
  where fact.kind in ('fattura_scaduta', 'in_scadenza', 'da_pagare', 'contratto_in_scadenza', 'crediti_in_scadenza')
    and fact.state = 'nuova' and fact.since >= private.today() - 7
  order by fact.score desc;
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.notification_choices()
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select jsonb_build_object(
    'settings', to_jsonb(settings) - array['user_id', 'briefed_on'],
    'channels', (
      select jsonb_object_agg(category, switches) from (
        select kinds.category, jsonb_object_agg(
          each.channel, coalesce(prefs.is_enabled, each.channel::text = any (kinds.channels))
        ) as switches
        -- The kinds of a category have the same channels.
        from (select distinct category, channels from public.notification_kinds) as kinds
        cross join unnest(enum_range(null::public.notification_channel)) as each (channel)
        left join public.notification_prefs as prefs
          on prefs.user_id = auth.uid() and prefs.category = kinds.category and prefs.channel = each.channel
        group by kinds.category
      ) as rows
    )
  )
  from private.notification_settings_of(auth.uid()) as settings
$function$;

REVOKE ALL ON FUNCTION "public"."notification_choices"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.restore_notifications (
  _ids uuid[]
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with gone as (
    delete from private.deleted_notifications where user_id = auth.uid() and id = any (_ids) returning content
  )
  insert into public.notifications
  select restored.* from gone cross join jsonb_populate_record(null::public.notifications, content) as restored
  on conflict do nothing
$function$;

REVOKE ALL ON FUNCTION "public"."restore_notifications"(uuid[]) FROM PUBLIC, "anon", "service_role";

ALTER TABLE "private"."deleted_notifications"
  ADD CONSTRAINT "deleted_notifications_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX deleted_notifications_age ON private.deleted_notifications USING btree (deleted_at);

CREATE INDEX deleted_notifications_owner ON private.deleted_notifications USING btree (user_id);

CREATE TRIGGER keep_deleted
  AFTER DELETE ON public.notifications
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_deleted_notification();

COMMENT ON FUNCTION "private"."forget_deleted_notifications"(integer) IS 'Ends «Annulla» of what was deleted a day ago; answers how many.';

COMMENT ON FUNCTION "private"."keep_deleted_notification"() IS 'Keeps what its owner deletes, for «Annulla».';

COMMENT ON FUNCTION "public"."notification_choices"() IS 'What the caller chose, or the defaults: {settings: {digest, quiet_from, …}, channels: {category: {channel: is it on}}}.';

COMMENT ON FUNCTION "public"."restore_notifications"(uuid[]) IS 'Gives the caller notifications back that they deleted within a day.';

COMMENT ON TABLE "private"."deleted_notifications" IS 'Notifications that their owner deleted, for a day.';

REVOKE ALL ON FUNCTION "private"."forget_deleted_notifications"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."forget_deleted_notifications"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."keep_deleted_notification"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."notification_choices"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."restore_notifications"(uuid[]) TO "authenticated";

reset check_function_bodies;
