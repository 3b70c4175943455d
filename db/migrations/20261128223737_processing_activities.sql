-- Processing activities.
--   CREATE TABLE private.processing_activities ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, name public.sin…
--   ALTER TABLE private.processing_activities ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION public.admin_processing_activities
--   REVOKE ALL ON FUNCTION public.admin_processing_activities
--   CREATE OR REPLACE FUNCTION public.admin_write_processing_activity
--   REVOKE ALL ON FUNCTION public.admin_write_processing_activity
--   COMMENT ON FUNCTION public.admin_processing_activities
--   COMMENT ON FUNCTION public.admin_write_processing_activity
--   COMMENT ON TABLE private.processing_activities IS 'The record of art. 30 GDPR; written by admins, never delet…
--   GRANT EXECUTE ON FUNCTION public.admin_processing_activities
--   GRANT EXECUTE ON FUNCTION public.admin_write_processing_activity

set check_function_bodies = off;

CREATE TABLE "private"."processing_activities" (
  "id"          bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "name"        public.single_line       NOT NULL,
  "role"        text                     NOT NULL,
  "purpose"     text                     NOT NULL,
  "legal_basis" text                     NOT NULL,
  "subjects"    text                     NOT NULL,
  "data"        text                     NOT NULL,
  "recipients"  text                     NOT NULL,
  "transfers"   text                     NOT NULL,
  "retention"   text                     NOT NULL,
  "measures"    text                     NOT NULL,
  "ended_on"    date,
  "created_at"  timestamp with time zone NOT NULL DEFAULT now(),
  "updated_at"  timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "name_is_taken" UNIQUE (name),
  CONSTRAINT "processing_activities_pkey" PRIMARY KEY (id),
  CONSTRAINT "role_is_known" CHECK ((role = ANY (ARRAY['titolare'::text, 'responsabile'::text]))),
  CONSTRAINT "texts_fit"
    CHECK
    (((LEAST(length(purpose), length(legal_basis), length(subjects), length(data), length(recipients), length(transfers), length(retention), length(measures)) >= 3) AND
    (GREATEST(length(purpose), length(legal_basis), length(subjects), length(data), length(recipients), length(transfers), length(retention), length(measures)) <= 1000)))
);

ALTER TABLE "private"."processing_activities"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION public.admin_processing_activities()
  RETURNS TABLE (
    id          bigint,
    name        text,
    role        text,
    purpose     text,
    legal_basis text,
    subjects    text,
    data        text,
    recipients  text,
    transfers   text,
    retention   text,
    measures    text,
    ended_on    date,
    updated_at  timestamp with time zone
  )
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
begin
  perform private.require_admin();
  return query
    select activity.id, activity.name::text, activity.role, activity.purpose, activity.legal_basis, activity.subjects,
      activity.data, activity.recipients, activity.transfers, activity.retention, activity.measures, activity.ended_on,
      activity.updated_at
    from private.processing_activities as activity
    order by activity.ended_on is not null, activity.role desc, activity.id limit 200;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_processing_activities"() FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_write_processing_activity (
  _activity jsonb,
  _reason   text
)
  RETURNS bigint
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _new private.processing_activities := jsonb_populate_record(null::private.processing_activities, _activity);
  _before jsonb;
  _after private.processing_activities;
begin
  perform private.require_admin();
  if _new.id is null then
    insert into private.processing_activities (
      name, role, purpose, legal_basis, subjects, data, recipients, transfers, retention, measures, ended_on
    ) values (
      _new.name, _new.role, btrim(_new.purpose), btrim(_new.legal_basis), btrim(_new.subjects), btrim(_new.data),
      btrim(_new.recipients), btrim(_new.transfers), btrim(_new.retention), btrim(_new.measures), _new.ended_on
    ) returning * into _after;
  else
    select to_jsonb(activity) into _before from private.processing_activities as activity where id = _new.id for update;
    if not found then
      raise exception 'no such activity' using errcode = 'PT404';
    end if;
    update private.processing_activities
    set name = _new.name, role = _new.role, purpose = btrim(_new.purpose), legal_basis = btrim(_new.legal_basis),
      subjects = btrim(_new.subjects), data = btrim(_new.data), recipients = btrim(_new.recipients),
      transfers = btrim(_new.transfers), retention = btrim(_new.retention), measures = btrim(_new.measures),
      ended_on = _new.ended_on, updated_at = now()
    where id = _new.id returning * into _after;
  end if;
  perform private.log_admin_action('processing.write', _after.id::text, null, _before, to_jsonb(_after), _reason);
  return _after.id;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_write_processing_activity"(jsonb, text) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "public"."admin_processing_activities"() IS 'The record of processing activities for admins: the present ones first, ours before those on behalf of customers.';

COMMENT ON FUNCTION "public"."admin_write_processing_activity"(jsonb, text) IS 'Write an activity into the record, a new one without an id, for admins; every version is in the log of actions.';

COMMENT ON TABLE "private"."processing_activities" IS 'The record of art. 30 GDPR; written by admins, never deleted.';

GRANT EXECUTE ON FUNCTION "public"."admin_processing_activities"() TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_write_processing_activity"(jsonb, text) TO "authenticated";

reset check_function_bodies;
