-- Late messages.
--   CREATE OR REPLACE FUNCTION private.recall_about_answered

set check_function_bodies = off;

CREATE OR REPLACE FUNCTION private.recall_about_answered()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  perform private.recall_goal_mails(new.user_id, null, jsonb_build_object('deal_id', deals.id))
  from public.deals
  where deals.user_id = new.user_id and deals.contact_id = new.contact_id
    -- A message of before the quote that comes in late is no answer to it.
    and exists (
      select from public.deal_stage_log as stay
      where stay.user_id = new.user_id and deal_id = deals.id and left_at is null and new.at > stay.entered_at
    )
    and exists (select from public.goals where goals.user_id = new.user_id and agent = 'segui_preventivi');
  return null;
end
$function$;

reset check_function_bodies;
