-- The timeline of a contact: everything that happened with it, in one list. Later chapters add branches of their own.

create view public.timeline with (security_invoker = on) as
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
union all
select 'consent:' || id, user_id, contact_id, 'consenso', at,
  case state
    when 'dato' then 'Consenso dato' when 'negato' then 'Consenso negato' when 'revocato' then 'Consenso revocato'
    else 'Consenso non richiesto'
  end,
  wording, 'consent_event', id, jsonb_build_object(
    'channel', channel, 'purpose', purpose, 'state', state, 'legal_basis', legal_basis, 'source', source
  )
from public.consent_events;
comment on view public.timeline is
  'What happened with each contact. Filter by contact_id, order by at desc, id desc; ref_type and ref_id name the row.';

revoke all on public.timeline from public, anon, authenticated, service_role;
grant select on public.timeline to authenticated, service_role;
