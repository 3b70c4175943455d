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

-- The record of processing (art. 30 GDPR) in the words of the privacy policy; from then on it is the operator's.
insert into private.processing_activities (
  name, role, purpose, legal_basis, subjects, data, recipients, transfers, retention, measures
)
select name, role, purpose, legal_basis, subjects, data, recipients,
  'Nessuno, salvo i fornitori indicati come fuori dallo Spazio economico europeo: decisione di adeguatezza o clausole tipo',
  retention,
  'Isolamento per proprietario nel database, TLS, password con Argon2, secondo fattore per gli amministratori, registro delle azioni, copie di sicurezza'
from (values
  ('Account e accesso', 'titolare', 'Creare l’account, farlo usare solo a chi spetta, proteggerlo dagli abusi',
    'Contratto (art. 6.1.b); legittimo interesse alla sicurezza (art. 6.1.f)', 'Persone con un account',
    'Nome, indirizzo email, impronta della password, fattori di sicurezza, sessioni e tipi di dispositivo',
    'Fornitori di hosting, database e copie di sicurezza; fornitore delle email di servizio',
    'Fino alla cancellazione dell’account, più 30 giorni'),
  ('Crediti, ordini e fatturazione', 'titolare', 'Vendere crediti, accreditarli, rimborsarli, emettere i documenti fiscali',
    'Contratto (art. 6.1.b); obbligo di legge (art. 6.1.c)', 'Persone con un account che comprano crediti',
    'Dati di fatturazione, ordini, movimenti dei crediti; non i numeri delle carte',
    'Fornitore dei pagamenti (Stripe); intermediario della fatturazione elettronica',
    'Finché c’è l’account, e comunque per 10 anni dall’ultimo movimento'),
  ('Sicurezza e correzione dei guasti', 'titolare', 'Scoprire abusi e guasti, difendere i diritti',
    'Legittimo interesse (art. 6.1.f)', 'Persone con un account e visitatori',
    'Errori, richieste, tentativi di accesso, azioni degli amministratori', 'Fornitori di hosting',
    'Errori: 90 giorni; registro etico: 12 mesi'),
  ('Statistiche d’uso', 'titolare', 'Capire, in forma aggregata, che cosa migliorare', 'Consenso (art. 6.1.a)',
    'Persone con un account e visitatori che hanno detto di sì',
    'Pagine viste, azioni, tempi di caricamento; impronta troncata dell’indirizzo IP', 'Fornitori di hosting', '24 mesi'),
  ('Lista d’attesa e comunicazioni', 'titolare', 'Avvisare chi lo ha chiesto', 'Consenso (art. 6.1.a)',
    'Chi si iscrive', 'Indirizzo email e consenso', 'Fornitore delle email di servizio',
    '24 mesi, 7 giorni se l’indirizzo non è confermato'),
  ('Diritti degli interessati e violazioni', 'titolare', 'Rispondere alle richieste e dimostrarlo; gestire le violazioni',
    'Obbligo di legge (art. 6.1.c)', 'Chi esercita un diritto', 'Richieste, risposte, certificati di cancellazione',
    'Autorità, quando la legge lo impone',
    'Certificati: 10 anni dalla cancellazione, e comunque finché restano gli ordini'),
  ('Contatti, documenti e lavoro dei clienti', 'responsabile', 'Conservare e organizzare ciò che il cliente carica, secondo le sue istruzioni',
    'Contratto con il cliente (art. 28)', 'Clienti, fornitori e contatti di chi ha un account',
    'Anagrafiche, documenti e loro testo, fatture, trattative, attività, note', 'Fornitori di hosting, database e copie di sicurezza',
    'Finché il cliente li tiene; con l’account, 30 giorni dopo la richiesta di cancellazione'),
  ('Messaggi dei canali collegati', 'responsabile', 'Inviare e ricevere email, PEC e WhatsApp per il cliente',
    'Contratto con il cliente (art. 28)', 'Corrispondenti di chi ha un account', 'Messaggi, allegati, stati di consegna',
    'I fornitori delle caselle del cliente; Meta, se collega un numero WhatsApp',
    'Finché il cliente li tiene; messaggi automatici: 180 giorni'),
  ('Risposte del modello di intelligenza artificiale', 'responsabile', 'Rispondere alle richieste del cliente nella chat',
    'Contratto con il cliente (art. 28), solo dopo il suo sì', 'Chi ha un account e le persone di cui chiede',
    'Testo della richiesta e passaggi che servono a rispondere', 'Il fornitore del modello scelto dal gestore',
    'La chat: finché il cliente non la elimina')
) as activity (name, role, purpose, legal_basis, subjects, data, recipients, retention)
where not exists (select from private.processing_activities);
