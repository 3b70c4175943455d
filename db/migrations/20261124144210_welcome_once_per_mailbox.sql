-- Welcome once per mailbox.
--   CREATE TABLE private.welcomed_mailboxes ( mailbox bytea NOT NULL, welcomed_at timestamp with time zone NOT NU…
--   ALTER TABLE private.welcomed_mailboxes ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.open_account
--   CREATE OR REPLACE FUNCTION private.welcome_account
--   CREATE OR REPLACE FUNCTION private.welcome_message
--   CREATE TRIGGER welcome_other_mailbox AFTER UPDATE OF email ON auth.users FOR EACH ROW EXECUTE FUNCTION privat…
--   COMMENT ON FUNCTION private.welcome_account
--   COMMENT ON FUNCTION private.welcome_message
--   COMMENT ON TABLE private.welcomed_mailboxes IS 'Digests of the mailboxes whose owners received the welcome cr…
--   REVOKE ALL ON FUNCTION private.welcome_message

set check_function_bodies = off;

CREATE TABLE "private"."welcomed_mailboxes" (
  "mailbox"     bytea                    NOT NULL,
  "welcomed_at" timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT "welcomed_mailboxes_pkey" PRIMARY KEY (mailbox)
);

ALTER TABLE "private"."welcomed_mailboxes"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.open_account (
  _user_id  uuid,
  _metadata jsonb
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
begin
  insert into public.credit_wallets (user_id) values (_user_id) on conflict do nothing;
  insert into public.credit_settings (user_id) values (_user_id) on conflict do nothing;
  insert into public.profiles (user_id, full_name) values (_user_id, private.full_name(_metadata)) on conflict do nothing;
  if found then
    insert into public.notifications (user_id, title, message, type, action_url) values (
      _user_id,
      'Ti diamo il benvenuto in Socio',
      private.welcome_message(),
      'success',
      '/store'
    );
  end if;
end
$function$;

CREATE OR REPLACE FUNCTION private.welcome_account (
  _user_id uuid,
  _email   text
)
  RETURNS void
  LANGUAGE plpgsql
  SET search_path TO ''
  AS $function$
declare
  _message text := 'I crediti di benvenuto spettano una volta a ogni casella email: questa li ha già avuti con un altro account.';
begin
  -- The lock: two confirmations at once welcome once.
  perform private.lock_wallet(_user_id);
  if exists (select from public.credit_ledger where user_id = _user_id and idempotency_key = 'welcome') then
    return;
  end if;
  -- Of two confirmations of one mailbox at once the second waits here, and finds it.
  insert into private.welcomed_mailboxes (mailbox) select private.mailbox(_email) where private.is_reachable(_email)
  on conflict do nothing;
  if found or not private.is_reachable(_email) then
    perform private.grant_credits(_user_id, private.welcome_credits(), 'benvenuto', 'promo', 'welcome');
    _message := private.welcome_message();
    if private.is_reachable(_email) and private.take_early_bird_seat(_user_id, _email) then
      _message := format(
        'Ti abbiamo riservato %s crediti per cominciare: %s di benvenuto e altri %s perché sei tra i primi 100. Usali quando vuoi.',
        private.welcome_credits() + private.early_bird_credits(), private.welcome_credits(), private.early_bird_credits()
      );
    end if;
  end if;
  update public.notifications set message = _message
  where user_id = _user_id and title = 'Ti diamo il benvenuto in Socio' and message <> _message;
end
$function$;

CREATE OR REPLACE FUNCTION private.welcome_message()
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$ select format('Ti abbiamo riservato %s crediti per cominciare: usali quando vuoi.', private.welcome_credits()) $function$;

CREATE TRIGGER welcome_other_mailbox
  AFTER UPDATE OF email ON auth.users
  FOR EACH ROW
  EXECUTE FUNCTION private.welcome_user();

COMMENT ON FUNCTION "private"."welcome_account"(uuid, text) IS 'Grants the welcome credits of a confirmed account, and the early bird''s while seats are free; once, and once for each mailbox.';

COMMENT ON FUNCTION "private"."welcome_message"() IS 'The text of the welcome notification, before anything is known of the account.';

COMMENT ON TABLE "private"."welcomed_mailboxes" IS 'Digests of the mailboxes whose owners received the welcome credits.';

REVOKE ALL ON FUNCTION "private"."welcome_message"() FROM PUBLIC;

-- Whoever was welcomed before this migration.
INSERT INTO private.welcomed_mailboxes (mailbox)
SELECT DISTINCT private.mailbox(users.email) FROM auth.users
JOIN public.credit_ledger ON credit_ledger.user_id = users.id AND idempotency_key = 'welcome'
WHERE private.is_reachable(users.email) AND users.email_confirmed_at IS NOT NULL;

reset check_function_bodies;
