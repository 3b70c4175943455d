-- Known devices.
--   CREATE TABLE private.known_devices ( user_id uuid NOT NULL, device text NOT NULL, ip inet, first_seen_at time…
--   ALTER TABLE private.known_devices ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.claim_new_device
--   CREATE OR REPLACE FUNCTION private.device_name
--   CREATE OR REPLACE FUNCTION private.notify_new_device
--   ALTER TABLE private.known_devices ADD CONSTRAINT known_devices_user_id_fkey FOREIGN KEY (user_id) REFERENCES …
--   CREATE INDEX known_devices_due ON private.known_devices USING btree (first_seen_at) WHERE is_mail_due
--   CREATE TRIGGER tell_new_device AFTER INSERT ON auth.sessions FOR EACH ROW WHEN ((new.oauth_client_id IS NULL)…
--   COMMENT ON COLUMN private.known_devices.ip IS 'The address of its first sign-in.'
--   COMMENT ON COLUMN private.known_devices.is_mail_due IS 'Written to nobody yet; the first device of an account…
--   COMMENT ON FUNCTION private.claim_new_device
--   COMMENT ON FUNCTION private.device_name
--   COMMENT ON FUNCTION private.notify_new_device
--   COMMENT ON TABLE private.known_devices IS 'The kinds of device that a person signed in from; a name stays whe…
--   REVOKE ALL ON FUNCTION private.claim_new_device
--   GRANT EXECUTE ON FUNCTION private.claim_new_device
--   REVOKE ALL ON FUNCTION private.device_name
--   REVOKE ALL ON FUNCTION private.notify_new_device

set check_function_bodies = off;

CREATE TABLE "private"."known_devices" (
  "user_id"       uuid                     NOT NULL,
  "device"        text                     NOT NULL,
  "ip"            inet,
  "first_seen_at" timestamp with time zone NOT NULL DEFAULT now(),
  "is_mail_due"   boolean                  NOT NULL DEFAULT false,
  CONSTRAINT "known_devices_pkey" PRIMARY KEY (user_id, device)
);

ALTER TABLE "private"."known_devices"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.claim_new_device (
  OUT email text,
  OUT device text,
  OUT ip text,
  OUT seen text
)
  RETURNS SETOF record
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with due as (
    select user_id, device from private.known_devices where is_mail_due
    order by first_seen_at limit 1 for update skip locked
  ), told as (
    update private.known_devices as known set is_mail_due = false from due
    where known.user_id = due.user_id and known.device = due.device
    returning known.*
  )
  select users.email::text, told.device, host(told.ip),
    to_char(told.first_seen_at at time zone 'Europe/Rome', 'DD/MM/YYYY "alle" HH24:MI')
  from told join auth.users as users on users.id = told.user_id
$function$;

CREATE OR REPLACE FUNCTION private.device_name (
  _user_agent text
)
  RETURNS text
  LANGUAGE sql
  IMMUTABLE
  SET search_path TO ''
  AS $function$
  select case
    when browser is not null and system is not null then browser || ' su ' || system
    else coalesce(browser, system, 'Dispositivo sconosciuto')
  end
  from (select
    -- The order decides: most browsers also name those whose pages they imitate.
    case
      when _user_agent ~ 'Edg(e|A|iOS)?/' then 'Edge'
      when _user_agent ~ 'OPR/|Opera' then 'Opera'
      when _user_agent ~ 'SamsungBrowser' then 'Samsung Internet'
      when _user_agent ~ 'Firefox|FxiOS' then 'Firefox'
      when _user_agent ~ 'Chrome|CriOS|Chromium' then 'Chrome'
      when _user_agent ~ 'Safari' then 'Safari'
    end as browser,
    case
      when _user_agent ~ 'iPhone' then 'iPhone'
      when _user_agent ~ 'iPad' then 'iPad'
      when _user_agent ~ 'Android' then 'Android'
      when _user_agent ~ 'Windows' then 'Windows'
      when _user_agent ~ 'Mac OS X|Macintosh' then 'Mac'
      when _user_agent ~ 'CrOS' then 'ChromeOS'
      when _user_agent ~ 'Linux' then 'Linux'
    end as system
  ) as said
$function$;

CREATE OR REPLACE FUNCTION private.notify_new_device()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _device constant text := private.device_name(new.user_agent);
  _is_first constant boolean := not exists (select from private.known_devices where user_id = new.user_id);
begin
  insert into private.known_devices (user_id, device, ip, is_mail_due) values (new.user_id, _device, new.ip, not _is_first)
  on conflict do nothing;
  if found and not _is_first then
    perform private.notify(
      new.user_id, 'sicurezza', 'Nuovo accesso: ' || _device,
      'Se non sei stato tu, cambia subito la password e chiudi gli altri accessi.', '/settings/security'
    );
  end if;
  return null;
end
$function$;

ALTER TABLE "private"."known_devices"
  ADD CONSTRAINT "known_devices_user_id_fkey" FOREIGN KEY (user_id) REFERENCES auth.users(id) ON DELETE CASCADE;

CREATE INDEX known_devices_due ON private.known_devices USING btree (first_seen_at)
  WHERE is_mail_due;

CREATE TRIGGER tell_new_device
  AFTER INSERT ON auth.sessions
  FOR EACH ROW
  WHEN ((new.oauth_client_id IS NULL))
  EXECUTE FUNCTION private.notify_new_device();

COMMENT ON COLUMN "private"."known_devices"."ip" IS 'The address of its first sign-in.';

COMMENT ON COLUMN "private"."known_devices"."is_mail_due" IS 'Written to nobody yet; the first device of an account is told to nobody.';

COMMENT ON FUNCTION "private"."claim_new_device"() IS 'Takes one device that its owner was not written about, in the transaction that puts the mail into the outbox.';

COMMENT ON FUNCTION "private"."device_name"(text) IS 'Names a browser and its system in words, from what it says about itself; web/src/strings/devices.ts reads the same cases.';

COMMENT ON FUNCTION "private"."notify_new_device"() IS 'Tells a person that somebody signed in to their account from a kind of device that was never seen there.';

COMMENT ON TABLE "private"."known_devices" IS 'The kinds of device that a person signed in from; a name stays when its sessions are gone, so that only a new one is told.';

REVOKE ALL ON FUNCTION "private"."claim_new_device"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."claim_new_device"() TO "service_role";

REVOKE ALL ON FUNCTION "private"."device_name"(text) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."notify_new_device"() FROM PUBLIC;

reset check_function_bodies;

-- The devices of today's sessions are not new.
insert into private.known_devices (user_id, device, ip, first_seen_at)
select distinct on (user_id, private.device_name(user_agent))
  user_id, private.device_name(user_agent), ip, coalesce(created_at, now())
from auth.sessions where oauth_client_id is null
order by user_id, private.device_name(user_agent), created_at;
