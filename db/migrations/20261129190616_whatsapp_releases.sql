-- Whatsapp releases.
--   CREATE TABLE private.whatsapp_releases ( id uuid NOT NULL, user_id uuid NOT NULL, portfolio text NOT NULL, wa…
--   ALTER TABLE private.whatsapp_releases ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.due_whatsapp_releases
--   CREATE OR REPLACE FUNCTION private.end_whatsapp_release
--   CREATE OR REPLACE FUNCTION private.release_whatsapp_account
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_account
--   CREATE INDEX whatsapp_releases_due ON private.whatsapp_releases USING btree (due_at)
--   CREATE TRIGGER release_whatsapp_account BEFORE DELETE ON public.whatsapp_accounts FOR EACH ROW EXECUTE FUNCTI…
--   COMMENT ON COLUMN private.whatsapp_releases.id IS 'That of the number, for which its secrets are encrypted.'
--   COMMENT ON FUNCTION private.due_whatsapp_releases
--   COMMENT ON FUNCTION private.end_whatsapp_release
--   COMMENT ON FUNCTION private.release_whatsapp_account
--   COMMENT ON TABLE private.whatsapp_releases IS 'Numbers that were disconnected, replaced or erased, about whic…
--   REVOKE ALL ON FUNCTION private.due_whatsapp_releases
--   GRANT EXECUTE ON FUNCTION private.due_whatsapp_releases
--   REVOKE ALL ON FUNCTION private.end_whatsapp_release
--   GRANT EXECUTE ON FUNCTION private.end_whatsapp_release
--   REVOKE ALL ON FUNCTION private.release_whatsapp_account

set check_function_bodies = off;

CREATE TABLE "private"."whatsapp_releases" (
  "id"                uuid                     NOT NULL,
  "user_id"           uuid                     NOT NULL,
  "portfolio"         text                     NOT NULL,
  "waba_id"           text                     NOT NULL,
  "phone_number_id"   text                     NOT NULL,
  "sealed_token"      text                     NOT NULL,
  "sealed_app_secret" text,
  "due_at"            timestamp with time zone NOT NULL DEFAULT (now() + '00:01:00'::interval),
  "created_at"        timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "whatsapp_releases_pkey" PRIMARY KEY (id)
);

ALTER TABLE "private"."whatsapp_releases"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.due_whatsapp_releases (
  _limit integer DEFAULT 100
)
  RETURNS TABLE (
    id                uuid,
    user_id           uuid,
    portfolio         text,
    waba_id           text,
    phone_number_id   text,
    sealed_token      text,
    sealed_app_secret text
  )
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  -- Tried for a week: what Meta delivers about a number that is gone is not kept.
  delete from private.whatsapp_releases where created_at < now() - interval '7 days';
  update private.whatsapp_releases set due_at = now() + interval '10 minutes'
  where id in (
    select id from private.whatsapp_releases where due_at <= now() order by due_at limit _limit for update skip locked
  )
  returning id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
$function$;

CREATE OR REPLACE FUNCTION private.end_whatsapp_release (
  _id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.whatsapp_releases where id = _id
$function$;

CREATE OR REPLACE FUNCTION private.release_whatsapp_account()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  insert into private.whatsapp_releases (
    id, user_id, portfolio, waba_id, phone_number_id, sealed_token, sealed_app_secret
  )
  select old.id, old.user_id, old.portfolio, old.waba_id, old.phone_number_id, sealed_token, sealed_app_secret
  from private.whatsapp_secrets where account_id = old.id
  on conflict do nothing;
  return old;
end
$function$;

CREATE OR REPLACE FUNCTION private.save_whatsapp_account (
  _id                uuid,
  _user_id           uuid,
  _portfolio         text,
  _waba_id           text,
  _phone_number_id   text,
  _display_number    text,
  _sealed_token      text,
  _sealed_app_secret text,
  _is_on_phone       boolean DEFAULT false
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A person has one number: the former goes with its secrets, its messages stay.
  delete from public.whatsapp_accounts where user_id = _user_id and id <> _id;
  insert into public.whatsapp_accounts (
    id, user_id, portfolio, waba_id, phone_number_id, display_number, is_on_phone, is_by_app, history_state
  )
  values (
    _id, _user_id, _portfolio, _waba_id, _phone_number_id, private.one_line(_display_number), _is_on_phone,
    _sealed_app_secret is null, case when _is_on_phone then 'da_chiedere'::public.whatsapp_history_state end
  )
  -- The same number, connected again: what was asked for before is not asked for again.
  on conflict (id) do update
    set waba_id = excluded.waba_id, is_on_phone = excluded.is_on_phone, is_by_app = excluded.is_by_app,
      history_state = case when excluded.is_on_phone then public.whatsapp_accounts.history_state end;
  insert into private.whatsapp_secrets (account_id, sealed_token, sealed_app_secret)
  values (_id, _sealed_token, _sealed_app_secret)
  on conflict (account_id) do update
    set sealed_token = excluded.sealed_token, sealed_app_secret = excluded.sealed_app_secret;
  -- Meta delivers about this account again, perhaps to the same app under a secret that was renewed.
  delete from private.whatsapp_releases where user_id = _user_id and waba_id = _waba_id;
end
$function$;

CREATE INDEX whatsapp_releases_due ON private.whatsapp_releases USING btree (due_at);

CREATE TRIGGER release_whatsapp_account
  BEFORE DELETE ON public.whatsapp_accounts
  FOR EACH ROW
  EXECUTE FUNCTION private.release_whatsapp_account();

COMMENT ON COLUMN "private"."whatsapp_releases"."id" IS 'That of the number, for which its secrets are encrypted.';

COMMENT ON FUNCTION "private"."due_whatsapp_releases"(integer) IS 'The numbers about which Meta is to be told now, as private.whatsapp_account has them; they are due again in ten minutes.';

COMMENT ON FUNCTION "private"."end_whatsapp_release"(uuid) IS 'Forgets the secrets of a number about which Meta was told.';

COMMENT ON FUNCTION "private"."release_whatsapp_account"() IS 'Has Meta told of a number that is disconnected, replaced or erased with its person.';

COMMENT ON TABLE "private"."whatsapp_releases" IS 'Numbers that were disconnected, replaced or erased, about which jobs/whatsapp_releases.py has Meta deliver nothing more.';

REVOKE ALL ON FUNCTION "private"."due_whatsapp_releases"(integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."due_whatsapp_releases"(integer) TO "service_role";

REVOKE ALL ON FUNCTION "private"."end_whatsapp_release"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_whatsapp_release"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."release_whatsapp_account"() FROM PUBLIC;

reset check_function_bodies;
