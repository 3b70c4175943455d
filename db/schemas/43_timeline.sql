-- Timeline of a contact: everything that happened with it, in one list.

create view public.timeline with (security_invoker = on) as
select 'interaction:' || id as id, user_id, contact_id, kind::text as kind, at,
  case kind
    when 'chiamata' then 'Chiamata' when 'email' then 'Email' when 'whatsapp' then 'WhatsApp'
    when 'incontro' then 'Incontro' else 'Contatto'
  end as title,
  summary as body, 'interaction' as ref_type, id as ref_id, jsonb_build_object('direction', direction) as data
from public.interactions
union all
-- A sent mail is an interaction.
select 'mail:' || id, user_id, contact_id, 'email', created_at,
  case state
    when 'queued' then 'Email in coda' when 'sending' then 'Email in invio' when 'failed' then 'Email non riuscita'
    else 'Email incerta'
  end,
  subject::text || E'\n\n' || body, 'mail', id, jsonb_build_object(
    'state', state, 'error', error, 'reply', reply, 'recipient', recipient, 'not_before', not_before
  )
from public.outgoing_mails
where state in ('queued', 'sending', 'failed', 'uncertain')
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
-- Only the payment, because the entry of the document already shows that the invoice was issued. The other file of the same
-- invoice is no second payment, and the money of a credit note goes the other way.
select 'invoice:' || id, user_id, contact_id, 'pagamento', paid_on::timestamp at time zone 'Europe/Rome',
  case when kind = 'nota_di_credito' then
    case direction when 'attiva' then 'Nota di credito rimborsata' else 'Nota di credito incassata' end
  else case direction when 'attiva' then 'Fattura incassata' else 'Fattura pagata' end end,
  case kind when 'nota_di_credito' then 'Nota di credito ' else 'Fattura ' end || number, 'document', document_id,
  jsonb_build_object(
    'invoice_id', id, 'direction', direction, 'total_cents', total_cents, 'currency', currency
  )
from public.invoice_register
where contact_id is not null and paid_on is not null and deleted_at is null and twin is null;
comment on view public.timeline is
  'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

revoke all on public.timeline from public, anon, authenticated, service_role;
grant select on public.timeline to authenticated, service_role;
