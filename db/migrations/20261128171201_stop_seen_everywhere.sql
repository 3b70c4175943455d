-- Stop seen everywhere.
--   CREATE OR REPLACE FUNCTION public.stop_agents

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION public.stop_agents (
  _is_stopped boolean
)
  RETURNS void
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
declare
  _user_id constant uuid := (select auth.uid());
begin
  if _is_stopped then
    insert into private.autonomy_stops (user_id) values (_user_id) on conflict do nothing;
    perform private.recall_goal_mails(_user_id);
    -- A change of a goal tells the person's other devices.
    update public.goals set next_run_at = next_run_at where user_id = _user_id and state in ('attivo', 'in_attesa');
  else
    delete from private.autonomy_stops where user_id = _user_id;
    update public.goals set next_run_at = now() where user_id = _user_id and state in ('attivo', 'in_attesa');
  end if;
  perform private.log_ethics(
    _user_id, 'interruttore', to_jsonb(_is_stopped), _human_decision => case when _is_stopped then 'ferma' else 'riprendi' end
  );
end
$function$;

reset check_function_bodies;
