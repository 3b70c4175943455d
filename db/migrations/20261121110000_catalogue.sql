-- Catalogue: plans, packs, what an action costs, and every claim the pages make. One source for pages and checkout.
--
-- A version is prepared as a draft and published by a date; from then on it never changes, because orders name it.
-- A new price is a new version: copy the newest one, change the copy, publish it.
--
-- Money is integer cents. Error codes raised:
--   23001  (restrict_violation) somebody tried to change a published version

create type public.plan_period as enum ('forever', 'month', 'year');
create type public.claim_status as enum ('verificato', 'stima', 'storico', 'in_conflitto');

create table public.catalog_versions (
  version integer primary key,
  note public.single_line not null,
  created_at timestamptz not null default now(),
  -- Null: a draft that nobody but the owner sees.
  published_at timestamptz unique,

  constraint versions_count_from_one check (version > 0)
);
comment on table public.catalog_versions is 'Editions of the catalogue; the newest published one is in force.';

create table public.plans (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  price_cents bigint not null,
  currency text not null default 'EUR',
  period public.plan_period not null,
  -- Each month, also where the price holds for ever or for a year.
  credits bigint not null,
  features text[] not null,
  highlight boolean not null default false,
  badge public.single_line,
  savings public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint prices_are_never_negative check (price_cents >= 0),
  constraint a_plan_brings_credits check (credits > 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.plans is 'Recurring plans as the landing and the store show them.';

create table public.packs (
  version integer not null references public.catalog_versions (version) on delete restrict,
  id text not null,
  position smallint not null,
  name public.single_line not null,
  store_name public.single_line not null,
  description public.single_line not null,
  credits bigint not null,
  bonus bigint not null default 0,
  price_cents bigint not null,
  currency text not null default 'EUR',
  features text[] not null,
  popular boolean not null default false,
  badge public.single_line,

  primary key (version, id),
  constraint ids_are_slugs check (id ~ '^[a-z][a-z0-9_]{0,30}$'),
  -- A price of zero or less would make credits out of nothing.
  constraint a_pack_costs_something check (price_cents > 0),
  constraint a_pack_brings_credits check (credits > 0 and bonus >= 0),
  constraint currencies_are_iso_codes check (currency ~ '^[A-Z]{3}$')
);
comment on table public.packs is 'Credits sold once: price and credits that checkout takes by pack id, never from the client.';
comment on column public.packs.name is 'On /pricing.';
comment on column public.packs.store_name is 'The purchase button of the store.';

create table public.credit_prices (
  version integer not null references public.catalog_versions (version) on delete restrict,
  action text not null,
  position smallint not null,
  name public.single_line not null,
  min_credits bigint not null,
  max_credits bigint not null,
  note public.single_line,

  primary key (version, action),
  constraint actions_are_slugs check (action ~ '^[a-z][a-z0-9_]{0,30}$'),
  constraint a_price_has_a_range check (min_credits >= 0 and max_credits >= min_credits)
);
comment on table public.credit_prices is 'What an action costs in credits; max is what is held before it, min differs where the work decides.';

create table public.claims (
  version integer not null references public.catalog_versions (version) on delete restrict,
  key text not null,
  surface text not null,
  text public.single_line not null,
  value numeric,
  unit public.single_line,
  formula text,
  base text,
  source public.single_line not null,
  status public.claim_status not null,
  effective_key text,

  primary key (version, key),
  constraint keys_are_dotted_slugs check (key ~ '^[a-z][a-z0-9_]*(\.[a-z0-9_]+)+$'),
  constraint a_value_has_a_unit check ((value is null) = (unit is null)),
  constraint a_formula_has_a_value check (formula is null or value is not null),
  constraint a_conflict_says_what_holds check (status <> 'in_conflitto' or effective_key is not null)
);
comment on table public.claims is 'What the pages assert: text and value, how it was reckoned, and what holds when two of them differ.';
comment on column public.claims.surface is 'The pages that say it, separated by a comma.';
comment on column public.claims.formula is
  'Arithmetic over claims and catalogue (plans.<id>.price, packs.<id>.credits, …) whose rounded result is the value.';
comment on column public.claims.base is 'Small print: what the claim compares with, or how it is meant.';
comment on column public.claims.effective_key is 'The claim, or the value of the catalogue, that holds instead.';

create function public.catalog()
  returns jsonb
  language sql stable
  set search_path = ''
as $$
  select jsonb_build_object(
    'version', edition.version,
    'plans', (
      select jsonb_agg(to_jsonb(plans) - '{version,position}'::text[] order by plans.position)
      from public.plans where plans.version = edition.version
    ),
    'packs', (
      select jsonb_agg(to_jsonb(packs) - '{version,position}'::text[] order by packs.position)
      from public.packs where packs.version = edition.version
    ),
    'credit_prices', (
      select jsonb_agg(to_jsonb(credit_prices) - '{version,position}'::text[] order by credit_prices.position)
      from public.credit_prices where credit_prices.version = edition.version
    ),
    'claims', (
      select jsonb_object_agg(claims.key, to_jsonb(claims) - '{version,key}'::text[])
      from public.claims where claims.version = edition.version
    )
  )
  from public.catalog_versions as edition
  where edition.published_at <= now()
  order by edition.published_at desc
  limit 1
$$;
comment on function public.catalog() is 'The catalogue in force, as one document.';

create function private.refuse_change_of_published()
  returns trigger
  language plpgsql
  set search_path = ''
as $$
declare
  _version integer := case when tg_op = 'DELETE' then old.version else new.version end;
begin
  if exists (
    select from public.catalog_versions
    where catalog_versions.version in (_version, case when tg_op = 'UPDATE' then old.version end)
      and catalog_versions.published_at <= now()
  ) then
    raise exception 'version % of the catalogue is published', _version using errcode = 'restrict_violation';
  end if;
  return case when tg_op = 'DELETE' then old else new end;
end
$$;
comment on function private.refuse_change_of_published() is 'Keeps a published version of the catalogue as it is, for the owner too.';

alter table public.catalog_versions enable row level security;
alter table public.plans enable row level security;
alter table public.packs enable row level security;
alter table public.credit_prices enable row level security;
alter table public.claims enable row level security;

create policy "everybody reads published versions" on public.catalog_versions
  for select to anon, authenticated
  using (published_at <= now());

-- The versions one may see, by the policy above.
create policy "everybody reads published plans" on public.plans
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published packs" on public.packs
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published prices" on public.credit_prices
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

create policy "everybody reads published claims" on public.claims
  for select to anon, authenticated
  using (version in (select catalog_versions.version from public.catalog_versions));

revoke all on public.catalog_versions, public.plans, public.packs, public.credit_prices, public.claims
  from public, anon, authenticated, service_role;
grant select on public.catalog_versions, public.plans, public.packs, public.credit_prices, public.claims
  to anon, authenticated, service_role;

revoke all on function public.catalog() from public, anon, authenticated, service_role;
grant execute on function public.catalog() to anon, authenticated, service_role;
revoke all on function private.refuse_change_of_published() from public, anon, authenticated, service_role;

create trigger published_stays
  before update or delete on public.catalog_versions
  for each row execute function private.refuse_change_of_published();
create trigger published_stays
  before insert or update or delete on public.plans
  for each row execute function private.refuse_change_of_published();
create trigger published_stays
  before insert or update or delete on public.packs
  for each row execute function private.refuse_change_of_published();
create trigger published_stays
  before insert or update or delete on public.credit_prices
  for each row execute function private.refuse_change_of_published();
create trigger published_stays
  before insert or update or delete on public.claims
  for each row execute function private.refuse_change_of_published();

-- Version 1 -----------------------------------------------------------------------------------------------------------

insert into public.catalog_versions (version, note) values (1, 'Prima edizione');

insert into public.plans (version, id, position, name, price_cents, period, credits, features, highlight, badge) values
  (1, 'free', 1, 'Free', 0, 'forever', 100,
    '{100 richieste/ora,"CRM, attività e documenti","OCR e FatturaPA senza crediti"}', false, null),
  (1, 'starter', 2, 'Starter', 999, 'month', 500,
    '{500 richieste/ora,"Tutto quello del piano Free","Email e WhatsApp collegati"}', true, 'Più Popolare'),
  (1, 'pro', 3, 'Pro', 2999, 'month', 2000,
    '{Richieste illimitate,"Tutto quello del piano Starter","Obiettivi autonomi con supervisore etico"}', false, null),
  (1, 'business', 4, 'Business', 9999, 'month', 10000,
    '{"SLA 99,9%","Tutto quello del piano Pro","Funzioni per il team"}', false, 'Enterprise');

insert into public.packs
  (version, id, position, name, store_name, description, credits, bonus, price_cents, features, popular, badge)
values
  (1, 'starter', 1, 'Starter', 'Recupera il Tuo Primo Cliente', 'Per provare Socio su un lavoro vero', 100, 0, 999,
    '{100 crediti,Validi 12 mesi,"Nessun rinnovo automatico"}', false, null),
  (1, 'pro', 2, 'Pro', 'Automatizza la Tua Settimana', 'Per chi lo usa ogni giorno', 500, 50, 3999,
    '{500 crediti,50 crediti in omaggio,Validi 12 mesi,"Nessun rinnovo automatico"}', true, null),
  (1, 'enterprise', 3, 'Enterprise', 'Blocca il Tuo Mese', 'Per un mese intero di lavoro delegato', 1000, 150, 6999,
    '{1000 crediti,150 crediti in omaggio,Validi 12 mesi,"Nessun rinnovo automatico"}', false, 'BEST VALUE');

insert into public.credit_prices (version, action, position, name, min_credits, max_credits, note) values
  (1, 'chat', 1, 'Messaggio in chat', 1, 1, null),
  (1, 'chat_local', 2, 'Risposta in modalità locale', 0, 0, 'Senza modello esterno'),
  (1, 'chat_deep', 3, 'Risposta approfondita', 2, 2, null),
  (1, 'advice', 4, 'Consiglio dei cinque agenti', 3, 3, null),
  (1, 'message_draft', 5, 'Bozza di email o WhatsApp', 1, 1, null),
  (1, 'contact_summary', 6, 'Riassunto di un contatto', 1, 1, null),
  (1, 'document_reading', 7, 'Classificazione ed estrazione IA', 1, 1, 'Per documento'),
  (1, 'document_question', 8, 'Domanda a un documento', 1, 1, null),
  (1, 'ocr', 9, 'Lettura OCR di una pagina', 0, 0, 'Uso corretto, pagine secondo il piano'),
  (1, 'fattura_pa', 10, 'Lettura di una FatturaPA', 0, 0, null),
  (1, 'briefing', 11, 'Briefing del mattino scritto dall’IA', 1, 1, null),
  (1, 'autonomous_step', 12, 'Azione autonoma', 5, 10, 'Il massimo è mostrato prima');

insert into public.claims (version, key, surface, text, value, unit, formula, base, source, status, effective_key) values
  -- Store and pricing.
  (1, 'discount.pro', 'store,pricing', '20% di sconto', 20, 'percento',
    '100 * (1 - packs.pro.price / packs.pro.credits * packs.starter.credits / packs.starter.price)',
    'Prezzo per credito contro il pacchetto Starter: 19,9%; 27,2% contando i crediti in omaggio', 'calcolo', 'verificato', null),
  (1, 'discount.enterprise', 'store,pricing', '30% di sconto', 30, 'percento',
    '100 * (1 - packs.enterprise.price / packs.enterprise.credits * packs.starter.credits / packs.starter.price)',
    'Prezzo per credito contro il pacchetto Starter: 29,9%; 39,1% contando i crediti in omaggio', 'calcolo', 'verificato', null),
  (1, 'total.pro', 'store,pricing', '550 crediti in tutto', 550, 'crediti', 'packs.pro.credits + packs.pro.bonus',
    null, 'calcolo', 'verificato', null),
  (1, 'total.enterprise', 'store,pricing', '1150 crediti in tutto', 1150, 'crediti', 'packs.enterprise.credits + packs.enterprise.bonus',
    null, 'calcolo', 'verificato', null),
  (1, 'time.minutes_per_credit', 'store', 'Ogni credito ti fa risparmiare 15 minuti', 15, 'minuti', null,
    'Stima: una risposta, una bozza o una scheda scritta a mano chiede circa un quarto d’ora', 'stima interna', 'stima', null),
  (1, 'time.hours_saved', 'store', '40 ore risparmiate', 40, 'ore', null,
    'Stima prudente per 1000 crediti: 2,4 minuti a credito, perché non ogni credito sostituisce un lavoro a mano', 'stima interna', 'stima', null),
  (1, 'time.hours_by_credit', 'store', '250 ore a 15 minuti per credito', 250, 'ore',
    'packs.enterprise.credits * time.minutes_per_credit / 60', 'Le due stime restano distinte: la più prudente è 40 ore', 'calcolo', 'in_conflitto', 'time.hours_saved'),
  (1, 'savings.plans', 'store', 'Risparmia fino al 40%', 40, 'percento', null,
    'Il 39,1% è lo sconto del pacchetto più grande; per credito i piani costano tra l’80% e il 90% in meno del pacchetto Starter', 'testo di vendita', 'in_conflitto', 'savings.plans_max'),
  (1, 'savings.plans_min', 'store', '80% in meno per credito', 80, 'percento',
    '100 * (1 - plans.starter.price / plans.starter.credits * packs.starter.credits / packs.starter.price)',
    'Piano Starter contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'savings.plans_max', 'store', '90% in meno per credito', 90, 'percento',
    '100 * (1 - plans.business.price / plans.business.credits * packs.starter.credits / packs.starter.price)',
    'Piano Business contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'savings.pack_max', 'store', '39% in meno per credito', 39, 'percento',
    '100 * (1 - packs.enterprise.price / (packs.enterprise.credits + packs.enterprise.bonus) * packs.starter.credits / packs.starter.price)',
    'Pacchetto Enterprise, omaggio compreso, contro pacchetto Starter', 'calcolo', 'verificato', null),
  (1, 'validity.packs', 'store,pricing', 'Crediti validi 12 mesi', 12, 'mesi', null,
    'Almeno 12 mesi, poi la scadenza si prolunga da sola: i crediti comprati non vanno mai persi', 'condizioni', 'verificato', null),

  -- Early bird.
  (1, 'early_bird.seats', 'landing,store', 'Solo per i primi 100 utenti', 100, 'posti', null, null, 'offerta', 'verificato', null),
  (1, 'early_bird.countdown', 'landing', 'L’offerta vale 47 ore dalla prima visita', 47, 'ore', null, null, 'offerta', 'stima', null),
  (1, 'early_bird.seats_at_start', 'landing', '37 posti all’inizio', 37, 'posti', null,
    'Formula: 37 + 63 × parte del tempo trascorsa, al massimo 100', 'offerta', 'stima', null),
  (1, 'early_bird.seats_added', 'landing', '63 posti nel corso dell’offerta', 63, 'posti', 'early_bird.seats - early_bird.seats_at_start',
    'Formula: 37 + 63 × parte del tempo trascorsa, al massimo 100', 'offerta', 'stima', null),
  (1, 'early_bird.price', 'landing,store', '9,99 €/mese', 9.99, 'EUR/mese', 'plans.starter.price', 'Il piano Starter', 'catalogo', 'verificato', null),
  (1, 'early_bird.price_year', 'landing', '119,88 € all’anno', 119.88, 'EUR/anno', '12 * early_bird.price', '9,99 € × 12', 'calcolo', 'verificato', null),
  (1, 'early_bird.extra_credits', 'landing', 'Chi arriva per primo mantiene il prezzo e riceve 500 crediti extra', 500, 'crediti', null, null, 'offerta', 'verificato', null),
  (1, 'standard.price', 'landing', '19,99 €/mese dopo i primi 100 utenti', 19.99, 'EUR/mese', null, null, 'offerta', 'verificato', null),
  (1, 'standard.price_year', 'landing', '239,88 € all’anno', 239.88, 'EUR/anno', '12 * standard.price', '19,99 € × 12', 'calcolo', 'verificato', null),
  (1, 'standard.price_after_offer', 'landing', '29,99 €/mese dopo l’offerta', 29.99, 'EUR/mese', 'plans.pro.price',
    'È il prezzo del piano Pro; il confronto con l’offerta usa 19,99 €', 'testo di vendita', 'in_conflitto', 'standard.price'),

  -- Comparison with the tools that Socio replaces.
  (1, 'competitors.chat', 'landing', '20 €/mese', 20, 'EUR/mese', null, 'Abbonamento a una chat IA generica', 'listini pubblici', 'stima', null),
  (1, 'competitors.notes', 'landing', '10 €/mese', 10, 'EUR/mese', null, 'App di appunti con IA', 'listini pubblici', 'stima', null),
  (1, 'competitors.crm', 'landing', '45 €/mese', 45, 'EUR/mese', null, 'CRM', 'listini pubblici', 'stima', null),
  (1, 'competitors.chat_year', 'landing', '240 €/anno', 240, 'EUR/anno', '12 * competitors.chat', '20 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.notes_year', 'landing', '120 €/anno', 120, 'EUR/anno', '12 * competitors.notes', '10 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.crm_year', 'landing', '540 €/anno', 540, 'EUR/anno', '12 * competitors.crm', '45 € × 12', 'calcolo', 'verificato', null),
  (1, 'competitors.total_year', 'landing', '900 €/anno', 900, 'EUR/anno',
    'competitors.chat_year + competitors.notes_year + competitors.crm_year', '240 € + 120 € + 540 €', 'calcolo', 'verificato', null),
  (1, 'savings.tools', 'landing', 'Risparmi 660 € l’anno', 660, 'EUR/anno', 'competitors.total_year - standard.price_year',
    '900 € degli strumenti sostituiti meno 239,88 € di Socio a 19,99 € al mese', 'calcolo', 'verificato', null),
  (1, 'savings.table', 'landing', 'Risparmi 780 € l’anno', 780, 'EUR/anno', 'competitors.total_year - early_bird.price_year',
    '900 € degli strumenti sostituiti meno 119,88 € di Socio a 9,99 € al mese', 'calcolo', 'verificato', null),
  (1, 'savings.early_bird', 'landing', '120 € in più ogni anno', 120, 'EUR/anno', 'standard.price_year - early_bird.price_year',
    '9,99 € invece di 19,99 € al mese, per dodici mesi', 'calcolo', 'verificato', null),

  -- What comes with an account.
  (1, 'welcome.credits', 'landing', '100 crediti gratis alla registrazione', 100, 'crediti', null, 'Per ogni nuovo account, una volta', 'catalogo', 'verificato', null),
  (1, 'bonus.credits', 'landing', '500 crediti gratis subito dopo la registrazione', 500, 'crediti', null,
    'Per i primi 100 account con indirizzo confermato, oltre ai 100 di benvenuto', 'offerta', 'verificato', null),
  (1, 'bonus.value', 'landing', 'Valore 15 €', 15, 'EUR', null, 'Tre centesimi a credito; nei pacchetti un credito costa tra 6,1 e 10 centesimi', 'testo di vendita', 'stima', null),
  (1, 'bonus.stack_value', 'landing', 'Valore totale 89 €', 89, 'EUR', null, null, 'testo di vendita', 'stima', null),
  (1, 'guarantee.days', 'landing,store', 'Rimborso entro 30 giorni', 30, 'giorni', null, 'La parte non usata del pacchetto; vale più dei 14 giorni di legge', 'condizioni', 'verificato', null),
  (1, 'support.reply_hours', 'landing', 'Risposta entro 2 ore', 2, 'ore', null, 'Supporto prioritario', 'testo di vendita', 'stima', null),
  (1, 'setup.seconds', 'landing', 'Pronto in 30 secondi', 30, 'secondi', null, null, 'testo di vendita', 'stima', null),
  (1, 'setup.no_card', 'landing', 'Nessuna carta richiesta', null, null, null, null, 'registrazione', 'verificato', null),
  (1, 'beta.users', 'landing', 'Beta con i primi 100 utenti', 100, 'utenti', null, null, 'offerta', 'verificato', null),
  (1, 'mobile.date', 'landing,roadmap', 'App mobile Q1 2026', null, null, null, 'Data passata: la roadmap la segna «in ritardo»', 'roadmap', 'storico', null),
  (1, 'faq.on_landing', 'landing', 'Le prime 4 domande', 4, 'domande', null, null, 'pagina', 'verificato', null),
  (1, 'faq.all', 'faq', '8 domande', 8, 'domande', null, null, 'pagina', 'verificato', null),
  (1, 'faq.extra_pack', 'faq', '1000 crediti a 10 €', 10, 'EUR', null, 'Non più in vendita', 'testo delle FAQ', 'storico', 'packs.enterprise.price'),

  -- Terms of service, where they differ from the catalogue too.
  (1, 'terms.free_credits', 'terms', '50 crediti al mese', 50, 'crediti', null, 'Vale la condizione più favorevole: 100', 'termini', 'in_conflitto', 'plans.free.credits'),
  (1, 'terms.starter_price', 'terms', '9,99 €', 9.99, 'EUR/mese', 'plans.starter.price', null, 'termini', 'verificato', null),
  (1, 'terms.starter_credits', 'terms', '500 crediti', 500, 'crediti', 'plans.starter.credits', null, 'termini', 'verificato', null),
  (1, 'terms.pro_price', 'terms', '24,99 €', 24.99, 'EUR/mese', null, 'Abbonamento non ancora in vendita', 'termini', 'in_conflitto', 'plans.pro.price'),
  (1, 'terms.pro_credits', 'terms', '2000 crediti', 2000, 'crediti', 'plans.pro.credits', null, 'termini', 'verificato', null),
  (1, 'terms.business_price', 'terms', '49,99 €', 49.99, 'EUR/mese', null, 'Abbonamento non ancora in vendita', 'termini', 'in_conflitto', 'plans.business.price'),
  (1, 'terms.business_credits', 'terms', '5000 crediti', 5000, 'crediti', null, 'Vale la condizione più favorevole: 10000', 'termini', 'in_conflitto', 'plans.business.credits'),
  (1, 'terms.enterprise', 'terms', 'crediti illimitati', null, null, null, 'Piano Enterprise su misura', 'termini', 'storico', null),
  (1, 'terms.action_min', 'terms', '5', 5, 'crediti', 'credit_prices.autonomous_step.min', 'Azione autonoma', 'termini', 'verificato', null),
  (1, 'terms.action_max', 'terms', '10', 10, 'crediti', 'credit_prices.autonomous_step.max', 'Azione autonoma', 'termini', 'verificato', null),
  (1, 'terms.subscription_expiry', 'terms', 'scadono alla fine del periodo', null, null, null, 'Crediti degli abbonamenti', 'termini', 'verificato', null),
  (1, 'terms.pack_expiry', 'terms', 'non scadono', null, null, null,
    'Le due affermazioni valgono insieme: almeno 12 mesi, poi la scadenza si prolunga da sola', 'termini', 'verificato', 'validity.packs'),
  (1, 'terms.refund_days', 'terms', '14 giorni', 14, 'giorni', null, 'È il minimo di legge; vale la garanzia di 30 giorni', 'termini', 'in_conflitto', 'guarantee.days'),
  (1, 'terms.notice_days', 'terms', '30 giorni di preavviso', 30, 'giorni', null, 'Modifiche a prezzi o servizi', 'termini', 'verificato', null),
  (1, 'terms.inactivity', 'terms', '12 mesi', 12, 'mesi', null, 'Inattività che consente la chiusura', 'termini', 'verificato', null),
  (1, 'terms.deletion_days', 'terms', '30 giorni', 30, 'giorni', null, 'Cancellazione dei dati dopo la chiusura', 'termini', 'verificato', null),
  (1, 'terms.minimum_age', 'terms', '16 anni', 16, 'anni', null, 'Età minima', 'termini', 'verificato', null),
  (1, 'terms.bulk_recipients', 'terms', '100 destinatari', 100, 'destinatari', null, 'Oltre: si consiglia l’approvazione manuale', 'termini', 'verificato', null),
  (1, 'terms.precedence', 'terms', 'In caso di differenze vale la condizione più favorevole al cliente', null, null, null, null, 'termini', 'verificato', null),

  -- How long what is kept.
  (1, 'retention.account', 'privacy', '30 giorni', 30, 'giorni', null, 'Dati dell’account: fino alla cancellazione, più 30 giorni', 'informativa', 'verificato', null),
  (1, 'retention.chat', 'privacy', 'fino alla richiesta di cancellazione', null, null, null, 'Cronologia della chat: o fino alla cancellazione dell’account', 'informativa', 'verificato', null),
  (1, 'retention.memory', 'privacy', '30 giorni', 30, 'giorni', null, 'Memoria narrativa: fino alla cancellazione dell’account, più 30 giorni', 'informativa', 'verificato', null),
  (1, 'retention.goals', 'privacy', '90 giorni', 90, 'giorni', null, 'Obiettivi autonomi completati', 'informativa', 'verificato', null),
  (1, 'retention.ethics', 'privacy', '12 mesi', 12, 'mesi', null, 'Registri etici', 'informativa', 'verificato', null),
  (1, 'retention.insights', 'privacy', '30 giorni', 30, 'giorni', null, 'Suggerimenti proattivi', 'informativa', 'verificato', null),
  (1, 'retention.billing', 'privacy', '10 anni', 10, 'anni', null, 'Dati di fatturazione', 'informativa', 'verificato', null),
  (1, 'retention.analytics', 'privacy', '24 mesi', 24, 'mesi', null, 'Statistiche', 'informativa', 'verificato', null),
  (1, 'retention.backups', 'privacy', '90 giorni', 90, 'giorni', null, 'Copie di sicurezza', 'informativa', 'verificato', null),

  -- Cookies and local keys.
  (1, 'cookies.access', 'cookie', '1 ora', 1, 'ore', null, 'Token di accesso della sessione', 'informativa', 'verificato', null),
  (1, 'cookies.refresh', 'cookie', '30 giorni', 30, 'giorni', null, 'Token di rinnovo', 'informativa', 'verificato', null),
  (1, 'cookies.product_session', 'cookie', '365 giorni', 365, 'giorni', null, 'Identificativo di sessione del prodotto', 'informativa', 'verificato', null),
  (1, 'cookies.consent', 'cookie', '365 giorni', 365, 'giorni', null, 'Consenso ai cookie', 'informativa', 'verificato', null),
  (1, 'cookies.analytics', 'cookie', '2 anni', 2, 'anni', null, 'Cookie statistici', 'informativa', 'verificato', null),

  -- Constants of the product that people can see.
  (1, 'display.poll_seconds', 'app', 'Ogni 30 secondi', 30, 'secondi', null, 'Saldo e notifiche', 'prodotto', 'verificato', null),
  (1, 'display.notifications_limit', 'app', '50 notifiche', 50, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.popover', 'app', '10 notifiche', 10, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.badge_cap', 'app', '9+', 9, 'notifiche', null, null, 'prodotto', 'verificato', null),
  (1, 'display.tour_delay', 'app', '1,5 secondi', 1.5, 'secondi', null, null, 'prodotto', 'verificato', null),
  (1, 'display.cookie_banner_delay', 'app', '1000 millisecondi', 1000, 'millisecondi', null, null, 'prodotto', 'verificato', null),
  (1, 'display.tour_layer', 'app', '10000', 10000, 'livello', null, null, 'prodotto', 'verificato', null),
  (1, 'display.low_credits', 'app', 'Meno di 5 crediti', 5, 'crediti', null, null, 'prodotto', 'verificato', null);

update public.catalog_versions set published_at = '2025-11-03T00:00:00Z' where version = 1;
