-- Leases.
--   CREATE TABLE private.leases ( user_id uuid NOT NULL, name text NOT NULL, token uuid NOT NULL DEFAULT gen_rand…
--   ALTER TABLE private.leases ENABLE ROW LEVEL SECURITY
--   CREATE OR REPLACE FUNCTION private.end_lease
--   CREATE OR REPLACE FUNCTION private.take_lease
--   COMMENT ON FUNCTION private.end_lease
--   COMMENT ON FUNCTION private.take_lease
--   COMMENT ON TABLE private.leases IS 'Work of a person that may run once at a time, until it ends or its time i…
--   REVOKE ALL ON FUNCTION private.end_lease
--   GRANT EXECUTE ON FUNCTION private.end_lease
--   REVOKE ALL ON FUNCTION private.take_lease
--   GRANT EXECUTE ON FUNCTION private.take_lease

set check_function_bodies = off;

CREATE TABLE "private"."leases" (
  "user_id" uuid                     NOT NULL,
  "name"    text                     NOT NULL,
  "token"   uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "ends_at" timestamp with time zone NOT NULL,
  CONSTRAINT "leases_pkey" PRIMARY KEY (user_id, name)
);

ALTER TABLE "private"."leases"
  ENABLE ROW LEVEL SECURITY;

CREATE OR REPLACE FUNCTION private.end_lease (
  _token uuid
)
  RETURNS void
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  delete from private.leases where token = _token or ends_at <= now()
$function$;

CREATE OR REPLACE FUNCTION private.take_lease (
  _user_id uuid,
  _name    text,
  _seconds integer
)
  RETURNS uuid
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  insert into private.leases as held (user_id, name, ends_at)
  values (_user_id, _name, now() + make_interval(secs => _seconds))
  on conflict (user_id, name) do update
    set token = excluded.token, ends_at = excluded.ends_at where held.ends_at <= now()
  returning token
$function$;

COMMENT ON FUNCTION "private"."end_lease"(uuid) IS 'End a lease, and forget those that are over; one that somebody else has taken meanwhile stays.';

COMMENT ON FUNCTION "private"."take_lease"(uuid, text, integer) IS 'Take the lease of a person for so many seconds: its token, or null while somebody else holds it.';

COMMENT ON TABLE "private"."leases" IS 'Work of a person that may run once at a time, until it ends or its time is over.';

REVOKE ALL ON FUNCTION "private"."end_lease"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."end_lease"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."take_lease"(uuid, text, integer) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_lease"(uuid, text, integer) TO "service_role";

reset check_function_bodies;
