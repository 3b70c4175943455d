-- Admin actions.
--   CREATE TABLE public.admin_actions ( id bigint GENERATED ALWAYS AS IDENTITY NOT NULL, admin_id uuid, subject_i…
--   ALTER TABLE public.admin_actions ENABLE ROW LEVEL SECURITY
--   REVOKE ALL ON TABLE public.admin_actions FROM anon
--   REVOKE ALL ON SEQUENCE public.admin_actions_id_seq FROM anon
--   REVOKE ALL ON SEQUENCE public.admin_actions_id_seq FROM authenticated
--   REVOKE ALL ON SEQUENCE public.admin_actions_id_seq FROM service_role
--   CREATE OR REPLACE FUNCTION private.keep_admin_action
--   CREATE OR REPLACE FUNCTION private.log_admin_action
--   CREATE OR REPLACE FUNCTION private.require_admin
--   ALTER TABLE public.admin_actions ADD CONSTRAINT admin_actions_admin_id_fkey FOREIGN KEY (admin_id) REFERENCES…
--   ALTER TABLE public.admin_actions ADD CONSTRAINT admin_actions_subject_id_fkey FOREIGN KEY (subject_id) REFERE…
--   CREATE INDEX admin_actions_admin ON public.admin_actions USING btree (admin_id)
--   CREATE INDEX admin_actions_latest ON public.admin_actions USING btree (created_at DESC)
--   CREATE INDEX admin_actions_subject ON public.admin_actions USING btree (subject_id, created_at DESC)
--   CREATE TRIGGER append_only BEFORE DELETE OR UPDATE ON public.admin_actions FOR EACH ROW EXECUTE FUNCTION priv…
--   CREATE POLICY users read the actions on their account ON public.admin_actions FOR SELECT TO authenticated USI…
--   COMMENT ON COLUMN public.admin_actions.subject_id IS 'The account concerned, or null.'
--   COMMENT ON FUNCTION private.keep_admin_action
--   COMMENT ON FUNCTION private.log_admin_action
--   COMMENT ON FUNCTION private.require_admin
--   COMMENT ON TABLE public.admin_actions IS 'What admins did, append-only; the account concerned reads the rows …
--   REVOKE ALL ON FUNCTION private.keep_admin_action
--   REVOKE ALL ON FUNCTION private.log_admin_action
--   REVOKE ALL ON FUNCTION private.require_admin
--   REVOKE ALL ON TABLE public.admin_actions FROM authenticated
--   GRANT SELECT ON TABLE public.admin_actions TO authenticated
--   REVOKE ALL ON TABLE public.admin_actions FROM service_role
--   GRANT SELECT ON TABLE public.admin_actions TO service_role

set check_function_bodies = off;

CREATE TABLE "public"."admin_actions" (
  "id"         bigint                   GENERATED ALWAYS AS IDENTITY NOT NULL,
  "admin_id"   uuid,
  "subject_id" uuid,
  "action"     text                     NOT NULL,
  "target"     text                     NOT NULL DEFAULT ''::text,
  "before"     jsonb,
  "after"      jsonb,
  "reason"     text                     NOT NULL,
  "created_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "action_is_an_identifier" CHECK ((action ~ '^[a-z][a-z_.]{0,63}$'::text)),
  CONSTRAINT "admin_actions_pkey" PRIMARY KEY (id),
  CONSTRAINT "reason_is_given" CHECK (((char_length(btrim(reason)) >= 3) AND (char_length(btrim(reason)) <= 500))),
  CONSTRAINT "target_fits" CHECK ((char_length(target) <= 200))
);

ALTER TABLE "public"."admin_actions"
  ENABLE ROW LEVEL SECURITY;

REVOKE ALL ON TABLE "public"."admin_actions" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."admin_actions_id_seq" FROM "anon";

REVOKE ALL ON SEQUENCE "public"."admin_actions_id_seq" FROM "authenticated";

REVOKE ALL ON SEQUENCE "public"."admin_actions_id_seq" FROM "service_role";

CREATE OR REPLACE FUNCTION private.keep_admin_action()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _deleted public.admin_actions;
begin
  if tg_op = 'UPDATE' then
    -- Deleting an account removes its id and nothing else.
    _deleted := old;
    _deleted.admin_id := case when new.admin_id is not null then old.admin_id end;
    _deleted.subject_id := case when new.subject_id is not null then old.subject_id end;
    if new is not distinct from _deleted then
      return new;
    end if;
  end if;
  raise integrity_constraint_violation using message = 'The log of admin actions is append-only';
end
$function$;

CREATE OR REPLACE FUNCTION private.log_admin_action (
  _action     text,
  _target     text,
  _subject_id uuid,
  _before     jsonb,
  _after      jsonb,
  _reason     text
)
  RETURNS void
  LANGUAGE sql
  SET search_path TO ''
  AS $function$
  insert into public.admin_actions (admin_id, action, target, subject_id, before, after, reason)
  values ((select auth.uid()), _action, _target, _subject_id, _before, _after, _reason)
$function$;

CREATE OR REPLACE FUNCTION private.require_admin()
  RETURNS void
  LANGUAGE plpgsql
  STABLE
  SET search_path TO ''
  AS $function$
begin
  if not private.is_admin() then
    raise insufficient_privilege using message = 'Serve un amministratore con la verifica in due passaggi';
  end if;
end
$function$;

ALTER TABLE "public"."admin_actions"
  ADD CONSTRAINT "admin_actions_admin_id_fkey" FOREIGN KEY (admin_id) REFERENCES auth.users(id) ON DELETE SET NULL;

ALTER TABLE "public"."admin_actions"
  ADD CONSTRAINT "admin_actions_subject_id_fkey" FOREIGN KEY (subject_id) REFERENCES auth.users(id) ON DELETE SET NULL;

CREATE INDEX admin_actions_admin ON public.admin_actions USING btree (admin_id);

CREATE INDEX admin_actions_latest ON public.admin_actions USING btree (created_at DESC);

CREATE INDEX admin_actions_subject ON public.admin_actions USING btree (subject_id, created_at DESC);

CREATE TRIGGER append_only
  BEFORE DELETE OR UPDATE ON public.admin_actions
  FOR EACH ROW
  EXECUTE FUNCTION private.keep_admin_action();

CREATE POLICY "users read the actions on their account" ON "public"."admin_actions"
  FOR SELECT
  TO "authenticated"
  USING ((subject_id = ( SELECT auth.uid() AS uid)));

COMMENT ON COLUMN "public"."admin_actions"."subject_id" IS 'The account concerned, or null.';

COMMENT ON FUNCTION "private"."keep_admin_action"() IS 'Refuse to change or delete an action, except for the ids of deleted accounts.';

COMMENT ON FUNCTION "private"."log_admin_action"(text, text, uuid, jsonb, jsonb, text) IS 'Write what the caller did into the log, in the caller''s transaction.';

COMMENT ON FUNCTION "private"."require_admin"() IS 'Raise 42501 unless the caller is an admin who has shown a second factor.';

COMMENT ON TABLE "public"."admin_actions" IS 'What admins did, append-only; the account concerned reads the rows about it.';

REVOKE ALL ON FUNCTION "private"."keep_admin_action"() FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."log_admin_action"(text, text, uuid, jsonb, jsonb, text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."require_admin"() FROM PUBLIC;

REVOKE ALL ON TABLE "public"."admin_actions" FROM "authenticated";

GRANT SELECT ON TABLE "public"."admin_actions" TO "authenticated";

REVOKE ALL ON TABLE "public"."admin_actions" FROM "service_role";

GRANT SELECT ON TABLE "public"."admin_actions" TO "service_role";

reset check_function_bodies;
