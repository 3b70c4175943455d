-- Qa requests.
--   DROP FUNCTION private.keep_qa_run
--   CREATE TABLE private.qa_requests ( kind text NOT NULL, id uuid NOT NULL DEFAULT gen_random_uuid(), asked_at t…
--   ALTER TABLE private.qa_requests ENABLE ROW LEVEL SECURITY
--   ALTER TABLE private.qa_runs ADD COLUMN request_id uuid
--   CREATE OR REPLACE FUNCTION private.keep_qa_run
--   CREATE OR REPLACE FUNCTION private.note_qa_request
--   CREATE OR REPLACE FUNCTION private.qa_request_state
--   CREATE OR REPLACE FUNCTION private.take_qa_request
--   CREATE OR REPLACE FUNCTION public.admin_ask_qa
--   REVOKE ALL ON FUNCTION public.admin_ask_qa
--   CREATE OR REPLACE FUNCTION public.admin_cancel_qa
--   REVOKE ALL ON FUNCTION public.admin_cancel_qa
--   CREATE OR REPLACE FUNCTION public.admin_qa
--   COMMENT ON FUNCTION private.keep_qa_run
--   COMMENT ON FUNCTION private.note_qa_request
--   COMMENT ON FUNCTION private.qa_request_state
--   COMMENT ON FUNCTION private.take_qa_request
--   COMMENT ON FUNCTION public.admin_ask_qa
--   COMMENT ON FUNCTION public.admin_cancel_qa
--   COMMENT ON FUNCTION public.admin_qa
--   COMMENT ON TABLE private.qa_requests IS 'The newest request of an admin for a run of each kind.'
--   REVOKE ALL ON FUNCTION private.keep_qa_run
--   GRANT EXECUTE ON FUNCTION private.keep_qa_run
--   REVOKE ALL ON FUNCTION private.note_qa_request
--   GRANT EXECUTE ON FUNCTION private.note_qa_request
--   REVOKE ALL ON FUNCTION private.qa_request_state
--   REVOKE ALL ON FUNCTION private.take_qa_request
--   GRANT EXECUTE ON FUNCTION private.take_qa_request
--   GRANT EXECUTE ON FUNCTION public.admin_ask_qa
--   GRANT EXECUTE ON FUNCTION public.admin_cancel_qa

set check_function_bodies = off;

DROP FUNCTION "private"."keep_qa_run"(jsonb, jsonb);

CREATE TABLE "private"."qa_requests" (
  "kind"     text                     NOT NULL,
  "id"       uuid                     NOT NULL DEFAULT gen_random_uuid(),
  "asked_at" timestamp with time zone NOT NULL DEFAULT now(),
  "machine"  public.single_line,
  "taken_at" timestamp with time zone,
  "seen_at"  timestamp with time zone,
  "ended_at" timestamp with time zone,
  "failure"  text,
  CONSTRAINT "a_failure_is_an_end" CHECK (((failure IS NULL) OR (ended_at IS NOT NULL))),
  CONSTRAINT "a_machine_takes_it" CHECK ((num_nulls(machine, taken_at, seen_at) = ANY (ARRAY[0, 3]))),
  CONSTRAINT "failure_fits" CHECK (((char_length(failure) >= 1) AND (char_length(failure) <= 300))),
  CONSTRAINT "kind_is_known" CHECK ((kind = ANY (ARRAY['mobile'::text, 'browser'::text]))),
  CONSTRAINT "machine_fits" CHECK (((char_length((machine)::text) >= 1) AND (char_length((machine)::text) <= 60))),
  CONSTRAINT "only_a_taken_request_ends" CHECK (((ended_at IS NULL) OR (taken_at IS NOT NULL))),
  CONSTRAINT "qa_requests_pkey" PRIMARY KEY (kind)
);

ALTER TABLE "private"."qa_requests"
  ENABLE ROW LEVEL SECURITY;

ALTER TABLE "private"."qa_runs"
  ADD COLUMN "request_id" uuid;

CREATE OR REPLACE FUNCTION private.keep_qa_run (
  _run        jsonb,
  _items      jsonb,
  _request_id uuid  DEFAULT NULL::uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- Also for a run that is known: its sender may not have got the answer.
  update private.qa_requests set seen_at = now(), ended_at = now()
  where id = _request_id and kind = _run ->> 'kind' and taken_at is not null and ended_at is null;
  insert into private.qa_runs (
    id, kind, source, release, commit, browser, browser_version, started_at, finished_at, request_id
  )
  select id, kind, source, release, commit, browser, browser_version, started_at, finished_at, _request_id
  from jsonb_to_record(_run) as run (
    id text, kind text, source text, release text, commit text, browser text, browser_version text,
    started_at timestamptz, finished_at timestamptz
  )
  on conflict (id) do nothing;
  if not found then
    return false;
  end if;
  insert into private.qa_items (run_id, route, width, check_name, outcome, note, picture)
  select _run ->> 'id', route, width, check_name, outcome, coalesce(note, ''), decode(picture, 'base64')
  from jsonb_to_recordset(_items) as items (
    route text, width integer, check_name text, outcome text, note text, picture text
  );
  return true;
end
$function$;

CREATE OR REPLACE FUNCTION private.note_qa_request (
  _id      uuid,
  _failure text DEFAULT NULL::text
)
  RETURNS boolean
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  with noted as (
    update private.qa_requests
    set seen_at = now(), failure = _failure, ended_at = case when _failure is not null then now() end
    where id = _id and taken_at is not null and ended_at is null
    returning id
  )
  select exists (select from noted)
$function$;

CREATE OR REPLACE FUNCTION private.qa_request_state (
  _request private.qa_requests
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select case
    when _request.failure is not null then 'failed'
    when _request.ended_at is not null then 'done'
    when _request.taken_at is null and _request.asked_at < now() - interval '1 hour' then 'expired'
    when _request.seen_at < now() - interval '5 minutes' then 'expired'
    when _request.taken_at is null then 'waiting'
    else 'running'
  end
$function$;

CREATE OR REPLACE FUNCTION private.take_qa_request (
  _machine text
)
  RETURNS jsonb
  LANGUAGE sql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  update private.qa_requests as requests set machine = _machine, taken_at = now(), seen_at = now()
  where requests.kind = (
    select oldest.kind from private.qa_requests as oldest where private.qa_request_state(oldest) = 'waiting'
    order by asked_at limit 1 for update skip locked
  )
  returning jsonb_build_object('id', id, 'kind', kind)
$function$;

CREATE OR REPLACE FUNCTION public.admin_ask_qa (
  _kind text
)
  RETURNS uuid
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _id uuid;
begin
  perform private.require_admin();
  insert into private.qa_requests as requests (kind) values (_kind)
  on conflict (kind) do update set id = excluded.id, asked_at = excluded.asked_at, machine = null, taken_at = null,
    seen_at = null, ended_at = null, failure = null
    where private.qa_request_state(requests) not in ('waiting', 'running')
  returning id into _id;
  if found then
    perform private.log_admin_action(
      'qa.ask', _kind, null, null, jsonb_build_object('request', _id), 'Prova automatica chiesta'
    );
    return _id;
  end if;
  return (select id from private.qa_requests where kind = _kind);
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_ask_qa"(text) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_cancel_qa (
  _id uuid
)
  RETURNS boolean
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  SET statement_timeout TO '3s'
  AS $function$
declare
  _kind text;
begin
  perform private.require_admin();
  delete from private.qa_requests as requests
  where id = _id and private.qa_request_state(requests) in ('waiting', 'running')
  returning kind into _kind;
  if not found then
    return false;
  end if;
  perform private.log_admin_action(
    'qa.cancel', _kind, null, jsonb_build_object('request', _id), null, 'Prova automatica annullata'
  );
  return true;
end
$function$;

REVOKE ALL ON FUNCTION "public"."admin_cancel_qa"(uuid) FROM PUBLIC, "anon", "service_role";

CREATE OR REPLACE FUNCTION public.admin_qa (
  _kind text
)
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
    'request', (
      select to_jsonb(requests) || jsonb_build_object('state', private.qa_request_state(requests))
      from private.qa_requests as requests where kind = _kind
    ),
    'runs', (
      select coalesce(jsonb_agg(to_jsonb(latest) order by started_at desc), '[]')
      from (
        select runs.id, source, release, commit, browser, browser_version, started_at, finished_at, request_id,
          count(*) filter (where outcome = 'passed') as passed, count(*) filter (where outcome = 'failed') as failed
        from private.qa_runs as runs left join private.qa_items on run_id = runs.id
        where kind = _kind group by runs.id order by started_at desc limit 10
      ) as latest
    ),
    'cells', (
      select coalesce(jsonb_agg(to_jsonb(cells) order by route, place), '[]') from private.qa_cells(_kind) as cells
    )
  );
end
$function$;

COMMENT ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb, uuid) IS 'Keep a run with its items, pictures in base64, and end the request of its kind; false: the run is known.';

COMMENT ON FUNCTION "private"."note_qa_request"(uuid, text) IS 'Note that the machine still works on a request, or why it failed; false: it is cancelled, replaced or over.';

COMMENT ON FUNCTION "private"."qa_request_state"(private.qa_requests) IS 'Return waiting, running, done, failed, or expired: not taken within an hour, or a machine silent for five minutes.';

COMMENT ON FUNCTION "private"."take_qa_request"(text) IS 'Give the oldest waiting request to one machine; null while no request waits.';

COMMENT ON FUNCTION "public"."admin_ask_qa"(text) IS 'Ask for an automated run of a kind, for admins; where one is asked for already, return that request.';

COMMENT ON FUNCTION "public"."admin_cancel_qa"(uuid) IS 'Cancel a request for a run, for admins; its machine stops within a minute. False: it is over.';

COMMENT ON FUNCTION "public"."admin_qa"(text) IS 'The last runs of a kind, the state of each cell and the newest request for a run, for admins.';

COMMENT ON TABLE "private"."qa_requests" IS 'The newest request of an admin for a run of each kind.';

REVOKE ALL ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb, uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."keep_qa_run"(jsonb, jsonb, uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."note_qa_request"(uuid, text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."note_qa_request"(uuid, text) TO "service_role";

REVOKE ALL ON FUNCTION "private"."qa_request_state"(private.qa_requests) FROM PUBLIC;

REVOKE ALL ON FUNCTION "private"."take_qa_request"(text) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."take_qa_request"(text) TO "service_role";

GRANT EXECUTE ON FUNCTION "public"."admin_ask_qa"(text) TO "authenticated";

GRANT EXECUTE ON FUNCTION "public"."admin_cancel_qa"(uuid) TO "authenticated";

reset check_function_bodies;
