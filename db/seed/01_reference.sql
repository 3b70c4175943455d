-- Reference data, applied everywhere and safe to apply again.
--
-- Accounts older than the sign-up trigger (an imported auth schema, a hosted project that already had users) get the
-- profile, wallet and welcome that every account has, and their credits when their address is confirmed.

select private.open_account(users.id, users.raw_user_meta_data)
from auth.users
where not exists (select from public.profiles where profiles.user_id = users.id);

select private.welcome_account(users.id, case when users.email_confirmed_at is not null then users.email end)
from auth.users
where (users.email_confirmed_at is not null or users.phone_confirmed_at is not null)
  and not exists (
    select from public.credit_ledger
    where credit_ledger.user_id = users.id and credit_ledger.idempotency_key = 'welcome'
  )
order by users.email_confirmed_at;

-- The figures of the law. What an admin wrote for the same day stays.
insert into public.tax_parameters (name, valid_from, value, source) values
  ('soglia', '2023-01-01', 85000, 'L. 190/2014, art. 1, c. 54, come modificata da L. 197/2022, art. 1, c. 54'),
  ('soglia_uscita', '2023-01-01', 100000, 'L. 190/2014, art. 1, c. 71, come modificata da L. 197/2022, art. 1, c. 54'),
  ('imposta', '2015-01-01', 15, 'L. 190/2014, art. 1, c. 64'),
  ('imposta_avvio', '2016-01-01', 5, 'L. 190/2014, art. 1, c. 65, come modificata da L. 208/2015, art. 1, c. 111'),
  ('gestione_separata', '2025-01-01', 26.07, 'INPS, circolare 27 del 30 gennaio 2025: professionisti senza altra tutela'),
  ('redditivita_alimentari', '2019-01-01', 40, 'L. 190/2014, allegato 4 (ATECO 2007: 10-11), come sostituito da L. 145/2018'),
  ('redditivita_commercio', '2019-01-01', 40, 'L. 190/2014, allegato 4 (ATECO 2007: 45, 46.2-46.9, 47.1-47.7, 47.9)'),
  ('redditivita_ambulanti', '2019-01-01', 54, 'L. 190/2014, allegato 4 (ATECO 2007: 47.82-47.89)'),
  ('redditivita_costruzioni', '2019-01-01', 86, 'L. 190/2014, allegato 4 (ATECO 2007: 41-43, 68)'),
  ('redditivita_intermediari', '2019-01-01', 62, 'L. 190/2014, allegato 4 (ATECO 2007: 46.1)'),
  ('redditivita_ristorazione', '2019-01-01', 40, 'L. 190/2014, allegato 4 (ATECO 2007: 55-56)'),
  ('redditivita_professioni', '2019-01-01', 78, 'L. 190/2014, allegato 4 (ATECO 2007: 64-66, 69-75, 85, 86-88)'),
  ('redditivita_altre', '2019-01-01', 67, 'L. 190/2014, allegato 4: le altre attività economiche'),
  -- Of late payments. A rate is of one half-year: without its row reminders name no amount of interest.
  ('tasso_mora', '2026-01-01', 10.15, 'GU 20 gennaio 2026, n. 15: tasso di riferimento 2,15 % più 8 (D.Lgs. 231/2002)'),
  ('indennizzo_mora', '2013-01-01', 40, 'D.Lgs. 231/2002, art. 6, c. 2, come sostituito da D.Lgs. 192/2012')
on conflict do nothing;

insert into public.tax_deadlines (name, month, day, title, source) values
  ('saldo', 6, 30, 'F24: saldo e primo acconto di imposta sostitutiva e contributi', 'D.P.R. 435/2001, art. 17'),
  ('secondo_acconto', 11, 30, 'F24: secondo acconto di imposta sostitutiva e contributi', 'D.P.R. 435/2001, art. 17'),
  ('bollo_1', 5, 31, 'Bollo sulle fatture elettroniche: primo trimestre', 'D.M. 17 giugno 2014, art. 6, c. 2'),
  ('bollo_2', 9, 30, 'Bollo sulle fatture elettroniche: secondo trimestre', 'D.M. 17 giugno 2014, art. 6, c. 2'),
  ('bollo_3', 11, 30, 'Bollo sulle fatture elettroniche: terzo trimestre', 'D.M. 17 giugno 2014, art. 6, c. 2'),
  ('bollo_4', 2, 28, 'Bollo sulle fatture elettroniche: quarto trimestre', 'D.M. 17 giugno 2014, art. 6, c. 2')
on conflict do nothing;
