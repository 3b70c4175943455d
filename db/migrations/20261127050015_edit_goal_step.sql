-- Edit goal step.
--   CREATE OR REPLACE FUNCTION public.edit_goal_step
--   REVOKE ALL ON FUNCTION public.edit_goal_step
--   COMMENT ON FUNCTION public.edit_goal_step
--   GRANT EXECUTE ON FUNCTION public.edit_goal_step

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.edit_goal_step (
  _id      uuid,
  _subject public.single_line,
  _body    text
)
  RETURNS text
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
  _step public.goal_steps;
begin
  select * into _step from public.goal_steps where user_id = _user_id and id = _id for update;
  if not found then
    raise exception 'no such step' using errcode = 'PT404';
  elsif _step.state <> 'in_approvazione' or _step.expires_at <= now() then
    raise exception 'the proposal is not open' using errcode = 'SG003', detail = _step.state::text;
  elsif _subject is null or coalesce(_body, '') !~ '[^[:space:]]' or char_length(_body) > 20000 then
    raise exception 'a message has a subject and a text' using errcode = '22023';
  end if;
  update public.goal_steps set preview = preview || jsonb_build_object('subject', _subject, 'body', _body)
  where id = _id returning * into _step;
  perform private.log_ethics(
    _user_id, 'decisione', private.goal_step_bytes(_step), _step.goal_id, _step.id, _human_decision => 'modificato'
  );
  return public.hash(_step);
end
$function$;

REVOKE ALL ON FUNCTION "public"."edit_goal_step"(uuid, public.single_line, text) FROM PUBLIC, "anon", "service_role";

COMMENT ON FUNCTION "public"."edit_goal_step"(uuid, public.single_line, text) IS 'Writes the message of an open proposal of the caller anew; answers what its approval is bound to from now on. PT404, SG003.';

GRANT EXECUTE ON FUNCTION "public"."edit_goal_step"(uuid, public.single_line, text) TO "authenticated";

reset check_function_bodies;
