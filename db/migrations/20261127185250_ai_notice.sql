-- Ai notice.
--   ALTER TABLE public.drafts ADD COLUMN ai jsonb
--   CREATE OR REPLACE FUNCTION private.ai_mark_of_mail
--   CREATE OR REPLACE FUNCTION private.entities_of_answer
--   CREATE OR REPLACE FUNCTION private.mark_draft
--   CREATE OR REPLACE FUNCTION public.ai_notice
--   REVOKE ALL ON FUNCTION public.ai_notice
--   CREATE TRIGGER mark_draft BEFORE INSERT ON public.drafts FOR EACH ROW EXECUTE FUNCTION private.mark_draft
--   COMMENT ON COLUMN public.ai_usage.entities IS 'What the answer cites, was asked about or proposes for: [{kind…
--   COMMENT ON COLUMN public.drafts.ai IS 'Of one that the assistant wrote: {generated, mode, provider, model, re…
--   COMMENT ON FUNCTION private.ai_mark_of_mail
--   COMMENT ON FUNCTION private.entities_of_answer
--   COMMENT ON FUNCTION private.mark_draft
--   COMMENT ON FUNCTION public.ai_notice
--   REVOKE ALL ON FUNCTION private.ai_mark_of_mail
--   GRANT EXECUTE ON FUNCTION private.ai_mark_of_mail
--   REVOKE ALL ON FUNCTION private.mark_draft
--   GRANT EXECUTE ON FUNCTION public.ai_notice

set check_function_bodies = off;

ALTER TABLE "public"."drafts"
  ADD COLUMN "ai" jsonb;

CREATE OR REPLACE FUNCTION private.ai_mark_of_mail (
  _mail_id uuid
)
  RETURNS text
  LANGUAGE sql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
  select 'draft; provider=' || provider || '; reviewed=' || case when is_reviewed then 'yes' else 'no' end
  from public.outgoing_mails as mail
  cross join lateral (
    select coalesce(ai ->> 'provider', case ai ->> 'mode' when 'locale' then 'none' else 'unknown' end) as provider,
      true as is_reviewed
    from public.drafts
    where drafts.user_id = mail.user_id and drafts.contact_id = mail.contact_id and channel = 'email' and ai is not null
      -- Below it is the signature. What the person has rewritten is theirs.
      and starts_with(mail.body, drafts.body)
    union all
    -- The letter of an agent, whose rules are our own.
    select 'none', approved_at is not null from public.goal_steps
    where goal_steps.user_id = mail.user_id and goal_steps.id = mail.key
  ) as source
  where mail.id = _mail_id limit 1
$function$;

CREATE OR REPLACE FUNCTION private.entities_of_answer (
  _message public.messages
)
  RETURNS jsonb
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  select coalesce(jsonb_agg(distinct jsonb_build_object('kind', kind, 'id', id)), '[]')
  from (
    select ref ->> 'kind' as kind, ref ->> 'id' as id from jsonb_array_elements(_message.refs) as ref
    union all
    select picked ->> 'kind', picked ->> 'id' from public.messages
    where user_id = _message.user_id and id = _message.parent_id and picked is not null
    union all
    select 'document', attached::text from public.messages cross join unnest(attachments) as attached
    where user_id = _message.user_id and id = _message.parent_id
    union all
    -- Whom it proposes to write to, or to do something for.
    select 'contact', args ->> 'contact_id' from public.tool_calls
    where user_id = _message.user_id and conversation_id = _message.conversation_id and message_id = _message.id
  ) as named
  where kind is not null and id is not null and not exists (
    select from public.conversations
    where user_id = _message.user_id and id = _message.conversation_id and is_temporary
  )
$function$;

CREATE OR REPLACE FUNCTION private.mark_draft()
  RETURNS TRIGGER
  LANGUAGE plpgsql
  STABLE
  SECURITY DEFINER
  SET search_path TO ''
  AS $function$
begin
  -- A draft of the assistant has the id of the proposal that its person approved.
  new.ai := (
    select jsonb_strip_nulls(jsonb_build_object(
      'generated', true, 'mode', usage.mode, 'provider', usage.provider, 'model', usage.model, 'reviewed', true))
    from public.tool_calls as proposal
    join public.ai_usage as usage on usage.message_id = proposal.message_id
    where proposal.user_id = new.user_id and proposal.id = new.id
  );
  return new;
end
$function$;

CREATE OR REPLACE FUNCTION public.ai_notice (
  _contact_id uuid DEFAULT NULL::uuid,
  _project_id uuid DEFAULT NULL::uuid
)
  RETURNS TABLE (
    step     text,
    mode     text,
    provider text,
    model    text,
    times    bigint,
    reviewed bigint,
    first_at timestamp with time zone,
    last_at  timestamp with time zone
  )
  LANGUAGE sql
  STABLE
  SET search_path TO ''
  AS $function$
  with about as (
    select 'contact' as kind, id::text from public.contacts where id = _contact_id
    union all
    select 'project', id::text from public.projects where id = _project_id or contact_id = _contact_id
    union all
    select 'task', id::text from public.tasks where contact_id = _contact_id or project_id = _project_id
    union all
    select 'deal', id::text from public.deals where contact_id = _contact_id
    union all
    select 'document', id::text from public.documents where contact_id = _contact_id
    union all
    select 'invoice', id::text from public.invoices where contact_id = _contact_id
  )
  select 'answer', mode, provider, model, count(*), 0::bigint, min(created_at), max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid()) and exists (
    select from jsonb_array_elements(entities) as entity
    join about on about.kind = entity ->> 'kind' and about.id = entity ->> 'id'
  )
  group by mode, provider, model
  union all
  select 'draft', ai ->> 'mode', ai ->> 'provider', ai ->> 'model', count(*), count(*), min(created_at), max(created_at)
  from public.drafts where contact_id = _contact_id and ai is not null
  group by ai ->> 'mode', ai ->> 'provider', ai ->> 'model'
  union all
  select 'letter', 'locale', null, null, count(*), count(approved_at), min(done_at), max(done_at)
  from public.goal_steps where contact_id = _contact_id and tool = 'mail' and state = 'fatto' having count(*) > 0
  union all
  select 'reading', 'locale', null, null, count(*), 0, min(created_at), max(created_at)
  from public.documents
  where contact_id = _contact_id and state in ('pronto', 'da_verificare') having count(*) > 0
  order by 1, 2, 3
$function$;

REVOKE ALL ON FUNCTION "public"."ai_notice"(uuid, uuid) FROM PUBLIC, "anon", "service_role";

CREATE TRIGGER mark_draft
  BEFORE INSERT ON public.drafts
  FOR EACH ROW
  EXECUTE FUNCTION private.mark_draft();

COMMENT ON COLUMN "public"."ai_usage"."entities" IS 'What the answer cites, was asked about or proposes for: [{kind, id}]; empty for a temporary conversation.';

COMMENT ON COLUMN "public"."drafts"."ai" IS 'Of one that the assistant wrote: {generated, mode, provider, model, reviewed}, the mark that exports carry (AI Act, art. 50).';

COMMENT ON FUNCTION "private"."ai_mark_of_mail"(uuid) IS 'What the header X-Socio-AI says of a mail that the assistant or an agent wrote; null of one that its person wrote.';

COMMENT ON FUNCTION "private"."entities_of_answer"(public.messages) IS 'The records that an answer cites, was asked about or proposes for: [{kind, id}]; none of a temporary conversation.';

COMMENT ON FUNCTION "private"."mark_draft"() IS 'Notes on a draft that the assistant wrote by whom it was generated.';

COMMENT ON FUNCTION "public"."ai_notice"(uuid, uuid) IS 'Where AI worked for a contact or a project of the caller: answers about it, drafts, letters of agents, papers read; by which provider, or by none, and how many a person reviewed.';

REVOKE ALL ON FUNCTION "private"."ai_mark_of_mail"(uuid) FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "private"."ai_mark_of_mail"(uuid) TO "service_role";

REVOKE ALL ON FUNCTION "private"."mark_draft"() FROM PUBLIC;

GRANT EXECUTE ON FUNCTION "public"."ai_notice"(uuid, uuid) TO "authenticated";

reset check_function_bodies;
