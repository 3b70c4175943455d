-- Connect a whatsapp number again.
--   ALTER TABLE public.whatsapp_accounts ADD COLUMN is_by_app boolean NOT NULL DEFAULT false
--   CREATE OR REPLACE FUNCTION private.lose_whatsapp_number
--   CREATE OR REPLACE FUNCTION private.save_whatsapp_account
--   COMMENT ON COLUMN public.whatsapp_accounts.is_by_app IS 'Connected by the operator''s app, so that it can be …

set check_function_bodies = off;

ALTER TABLE "public"."whatsapp_accounts"
  ADD COLUMN "is_by_app" boolean NOT NULL DEFAULT false;

-- A number with an app secret of its own was connected by the person's own app.
UPDATE public.whatsapp_accounts AS account SET is_by_app = true
FROM private.whatsapp_secrets WHERE account_id = account.id AND sealed_app_secret IS NULL;

CREATE OR REPLACE FUNCTION private.lose_whatsapp_number (
  _account_id uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select private.change_whatsapp_state(
    user_id, 'da_ricollegare', 0, 'Il collegamento è stato tolto dal telefono o da Meta: ricollega il numero.'
  )
  from public.whatsapp_accounts where id = _account_id
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
end
$function$;

COMMENT ON COLUMN "public"."whatsapp_accounts"."is_by_app" IS 'Connected by the operator''s app, so that it can be connected again at Meta: it has no app secret of its own.';

reset check_function_bodies;
