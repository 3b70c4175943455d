-- Notice on AI: what a person tells a client about the AI that worked for them (L. 132/2025, art. 13), in counts; and the
-- machine-readable mark of what a model or the local rules wrote (AI Act, art. 50).

create function private.mark_draft()
  returns trigger
  language plpgsql stable security definer
  set search_path = ''
as $$
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
$$;
comment on function private.mark_draft() is 'Notes on a draft that the assistant wrote by whom it was generated.';
revoke all on function private.mark_draft from public, anon, authenticated, service_role;

create function private.ai_mark_of_mail(_mail_id uuid)
  returns text
  language sql stable
  set search_path = ''
as $$
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
    -- The letter of an agent: by a provider, or by rules of our own.
    select case letter when 'scritta' then coalesce((
      select usage.provider from public.ai_usage as usage where usage.message_id = goal_steps.id
    ), 'unknown') else 'none' end, approved_at is not null
    from public.goal_steps
    where goal_steps.user_id = mail.user_id and goal_steps.id = mail.key
  ) as source
  where mail.id = _mail_id limit 1
$$;
comment on function private.ai_mark_of_mail(uuid) is
  'What the header X-Socio-AI says of a mail that the assistant or an agent wrote; null of one that its person wrote.';
revoke all on function private.ai_mark_of_mail from public, anon, authenticated, service_role;

create function private.next_mail(_user_id uuid, _unsettled integer)
  returns jsonb
  language sql volatile security definer
  set search_path = ''
as $$
  select to_jsonb(mail) || jsonb_build_object(
    'references', private.mail_references(mail.id), 'ai', private.ai_mark_of_mail(mail.id)
  )
  from private.claim_mail(_user_id, _unsettled) as mail
$$;
comment on function private.next_mail(uuid, integer) is
  'Leases a mail as claim_mail does, and adds what its headers say: the mails that it answers, and who wrote it.';
revoke all on function private.next_mail from public, anon, authenticated, service_role;
grant execute on function private.next_mail to service_role;

create function public.ai_notice(_contact_id uuid default null, _project_id uuid default null)
  returns table (
    step text, mode text, provider text, model text, times bigint, reviewed bigint, first_at timestamptz,
    last_at timestamptz
  )
  language sql stable
  set search_path = ''
as $$
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
  select work, mode, provider, model, count(*), 0::bigint, min(created_at), max(created_at)
  from public.ai_usage
  where user_id = (select auth.uid()) and work <> 'letter' and exists (
    select from jsonb_array_elements(entities) as entity
    join about on about.kind = entity ->> 'kind' and about.id = entity ->> 'id'
  )
  group by work, mode, provider, model
  union all
  select 'draft', ai ->> 'mode', ai ->> 'provider', ai ->> 'model', count(*), count(*), min(created_at), max(created_at)
  from public.drafts where contact_id = _contact_id and ai is not null
  group by ai ->> 'mode', ai ->> 'provider', ai ->> 'model'
  union all
  select 'letter', 'locale', null, null, count(*), count(approved_at), min(done_at), max(done_at)
  from public.goal_steps
  where contact_id = _contact_id and tool = 'mail' and state = 'fatto' and letter is distinct from 'scritta'
  having count(*) > 0
  union all
  -- Also those that did not leave: what they were written from went to the provider.
  select 'letter', mode, provider, model, count(*), count(approved_at), min(usage.created_at), max(usage.created_at)
  from public.ai_usage as usage
  left join public.goal_steps as steps on steps.user_id = usage.user_id and steps.id = usage.message_id
  where usage.user_id = (select auth.uid()) and work = 'letter'
    and usage.entities @> jsonb_build_array(jsonb_build_object('kind', 'contact', 'id', _contact_id))
  group by mode, provider, model
  union all
  select 'reading', 'locale', null, null, count(*), 0, min(created_at), max(created_at)
  from public.documents
  where contact_id = _contact_id and state in ('pronto', 'da_verificare') having count(*) > 0
  order by 1, 2, 3
$$;
comment on function public.ai_notice(uuid, uuid) is
  'Where AI worked for a contact or a project of the caller: answers about it, transcripts, drafts, letters of agents, papers '
  'read; by which provider, or by none, and how many a person reviewed.';
revoke all on function public.ai_notice from public, anon, authenticated, service_role;
grant execute on function public.ai_notice to authenticated;

create trigger mark_draft before insert on public.drafts for each row execute function private.mark_draft();
