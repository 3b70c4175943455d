-- Notes go into the trash first, as contacts do, so that «Annulla» brings them back; and the copy of what is kept about
-- somebody has the tasks that wait for them.

alter table public.notes add column deleted_at timestamptz;
comment on column public.notes.deleted_at is 'In the trash since.';

-- Serves the purge of the trash.
create index notes_trash on public.notes (deleted_at) where deleted_at is not null;

grant update (deleted_at) on public.notes to authenticated;

-- All of the timeline in one place: documents and payments come in, notes in the trash leave. A later chapter copies it and
-- adds its branch.
create or replace view public.timeline with (security_invoker = on) as
select 'interaction:' || id as id, user_id, contact_id, kind::text as kind, at,
  case kind
    when 'chiamata' then 'Chiamata' when 'email' then 'E-mail' when 'whatsapp' then 'WhatsApp'
    when 'incontro' then 'Incontro' else 'Contatto'
  end as title,
  summary as body, 'interaction' as ref_type, id as ref_id, jsonb_build_object('direction', direction) as data
from public.interactions
union all
select 'note:' || id, user_id, contact_id, 'nota', created_at, 'Nota', body, 'note', id,
  jsonb_build_object('updated_at', updated_at)
from public.notes
where deleted_at is null
union all
select 'consent:' || id, user_id, contact_id, 'consenso', at,
  case state
    when 'dato' then 'Consenso dato' when 'negato' then 'Consenso negato' when 'revocato' then 'Consenso revocato'
    else 'Consenso non richiesto'
  end,
  wording, 'consent_event', id, jsonb_build_object(
    'channel', channel, 'purpose', purpose, 'state', state, 'legal_basis', legal_basis, 'source', source
  )
from public.consent_events
union all
select 'deal:' || stays.id, stays.user_id, deals.contact_id, 'trattativa', stays.entered_at, deals.title::text,
  stages.name::text, 'deal', deals.id, jsonb_build_object(
    'stage_id', stages.id, 'stage_kind', stages.kind, 'amount_cents', deals.amount_cents, 'currency', deals.currency,
    'lost_reason', case when stays.left_at is null then deals.lost_reason::text end
  )
from public.deal_stage_log as stays
join public.deals on deals.user_id = stays.user_id and deals.id = stays.deal_id
join public.stages on stages.user_id = stays.user_id and stages.id = stays.stage_id
where deals.contact_id is not null and deals.deleted_at is null
union all
select 'merge:' || id, user_id, winner_id, 'unione', created_at, 'Unito con ' || loser_name, null, 'merge', id,
  jsonb_build_object('loser_id', loser_id, 'undone_at', undone_at)
from public.merge_log
union all
select 'task:' || id, user_id, contact_id, 'attivita', coalesce(completed_at, created_at),
  case when completed_at is null then 'Attività' else 'Attività completata' end,
  title::text, 'task', id, jsonb_build_object(
    'state', state, 'due_at', due_at, 'due_is_allday', due_is_allday, 'priority', priority, 'project_id', project_id
  )
from public.tasks
where contact_id is not null and deleted_at is null
union all
select 'document:' || id, user_id, contact_id, 'documento', created_at,
  case kind
    when 'fattura' then 'Fattura' when 'preventivo' then 'Preventivo' when 'contratto' then 'Contratto'
    when 'ricevuta' then 'Ricevuta' when 'f24' then 'F24' when 'durc' then 'DURC' when 'visura' then 'Visura'
    when 'documento_identita' then 'Documento d’identità' else 'Documento'
  end,
  filename::text, 'document', id, jsonb_build_object(
    'kind', kind, 'state', state, 'issued_on', issued_on, 'due_on', due_on, 'total_cents', total_cents,
    'currency', currency
  )
from public.documents
where contact_id is not null and deleted_at is null
union all
-- That it was issued the document tells.
select 'invoice:' || invoices.id, invoices.user_id, invoices.contact_id, 'pagamento',
  invoices.paid_on::timestamp at time zone 'Europe/Rome',
  case invoices.direction when 'attiva' then 'Fattura incassata' else 'Fattura pagata' end,
  'Fattura ' || invoices.number, 'document', invoices.document_id, jsonb_build_object(
    'invoice_id', invoices.id, 'direction', invoices.direction, 'total_cents', invoices.total_cents,
    'currency', invoices.currency
  )
from public.invoices
join public.documents on documents.user_id = invoices.user_id and documents.id = invoices.document_id
where invoices.contact_id is not null and invoices.paid_on is not null and documents.deleted_at is null;

create or replace function public.export_contact(_contact_id uuid)
  returns jsonb
  language plpgsql stable security definer
  set search_path = ''
as $$
declare
  _user_id uuid := (select auth.uid());
  _table text;
  _rows jsonb;
  _export jsonb;
begin
  select jsonb_build_object('exported_at', now(), 'contact', to_jsonb(contacts) - array['user_id', 'import_batch_id'],
      'company', (
        select company.name from public.contacts as company
        where company.user_id = _user_id and company.id = contacts.company_id
      ),
      'tags', array(
        select tags.name from public.contact_tags join public.tags on tags.id = tag_id
        where contact_tags.user_id = _user_id and contact_id = _contact_id order by lower(tags.name)
      ),
      -- Who turned out to be the same person.
      'merged', (
        select coalesce(jsonb_agg(to_jsonb(merged) - array['user_id', 'import_batch_id'] order by merged.created_at), '[]')
        from public.contacts as merged where merged.user_id = _user_id and merged.merged_into = _contact_id
      ))
  into _export
  from public.contacts where user_id = _user_id and id = _contact_id;
  if _export is null then
    raise exception 'no such contact' using errcode = 'PT404';
  end if;
  for _table in select name from private.tables_about_contacts() where name <> 'contact_tags'
  loop
    execute format(
      'select coalesce(jsonb_agg(to_jsonb(one) - array[''user_id'', ''contact_id''] order by created_at), ''[]'')
       from public.%I as one where user_id = $1 and (contact_id = $2 %s)', _table,
      -- Who is waited for is as much part of a task as whom it is for; what was thrown away is not kept to be read.
      case _table when 'tasks' then 'or waiting_for = $2' when 'notes' then 'and deleted_at is null' end
    ) into _rows using _user_id, _contact_id;
    _export := _export || jsonb_build_object(_table, _rows);
  end loop;
  return _export;
end
$$;
comment on function public.export_contact(uuid) is
  'All that is kept about one contact of the caller, table by table; PT404 if it is none.';
