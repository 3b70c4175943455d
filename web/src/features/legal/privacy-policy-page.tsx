/** /privacy-policy. How long data are kept comes from the catalogue's claims, as everywhere. */
import { Link } from 'react-router'

import { ProcessorList } from '@/components/processor-list'
import { type LegalClaims, useLegalClaims } from '@/data/legal-claims'
import { Facts, LegalPage, type LegalSection, textChanges } from '@/features/legal/legal-page'
import { paths } from '@/paths'
import { company, companyAddress } from '@/strings/company'
import { privacyChanges } from '@/strings/legal-changes'

export default function PrivacyPolicyPage() {
  const claims = useLegalClaims()
  return (
    <LegalPage
      title="Privacy Policy"
      intro="Quali dati trattiamo, perché, per quanto tempo e come li puoi vedere, portare via o cancellare."
      sections={[
        introduction,
        collected,
        basis,
        use,
        sharing,
        rights,
        security,
        retention(claims),
        changes,
        textChanges(privacyChanges),
      ]}
    />
  )
}

const introduction: LegalSection = {
  id: 'introduzione',
  title: 'Introduzione',
  body: (
    <>
      <p>
        Questa informativa riguarda il sito e l’applicazione Socio ed è resa ai sensi degli articoli 13 e 14 del
        Regolamento (UE) 2016/679 («GDPR») e del D.Lgs. 196/2003. Il titolare del trattamento è {company.name}, con sede
        in {companyAddress}, P.IVA {company.vatNumber}.
      </p>
      <p>
        Per qualsiasi domanda sui tuoi dati scrivi a{' '}
        <a href={`mailto:${company.privacyEmail}`}>{company.privacyEmail}</a>: rispondiamo entro 30 giorni.
      </p>
      <p>
        Per i dati del tuo account siamo titolari. Per i dati dei tuoi clienti che carichi in Socio (contatti,
        documenti, conversazioni) il titolare sei tu e noi li trattiamo come responsabili, ai sensi dell’articolo 28 del
        GDPR, solo per darti il servizio e secondo le tue istruzioni.
      </p>
    </>
  ),
}

const collected: LegalSection = {
  id: 'dati-raccolti',
  title: 'Dati raccolti',
  body: (
    <ul>
      <li>
        <strong>Account:</strong> nome e cognome, indirizzo email, password (conservata solo come impronta
        crittografica), immagine del profilo se la carichi, fattori di sicurezza, sessioni aperte e tipi di dispositivo
        da cui entri.
      </li>
      <li>
        <strong>Contenuti:</strong> contatti, documenti e testo che ne estraiamo, attività, progetti, conversazioni con
        l’assistente e memoria che ne deriva, obiettivi e suggerimenti.
      </li>
      <li>
        <strong>Canali collegati da te:</strong> messaggi email, PEC e WhatsApp Business delle caselle e dei numeri che
        colleghi; password e chiavi di accesso, conservate cifrate.
      </li>
      <li>
        <strong>Acquisti:</strong> ordini, movimenti dei crediti, dati di fatturazione. I numeri delle carte non passano
        mai dai nostri server: li tratta Stripe.
      </li>
      <li>
        <strong>Dati tecnici:</strong> registri di accesso e di errore, tipo di browser, dimensione dello schermo.
        L’indirizzo IP nelle statistiche non è conservato in chiaro: ne teniamo le prime 16 cifre di un’impronta
        SHA-256.
      </li>
      <li>
        <strong>Statistiche d’uso:</strong> pagine viste, azioni e tempi di caricamento, solo se hai scelto «Accetta
        Tutti» nel banner dei cookie.
      </li>
    </ul>
  ),
}

const basis: LegalSection = {
  id: 'base-giuridica',
  title: 'Base giuridica',
  body: (
    <ul>
      <li>
        <strong>Contratto</strong> (art. 6.1.b): creare l’account, fornire il servizio, gestire crediti, acquisti e
        assistenza.
      </li>
      <li>
        <strong>Obbligo di legge</strong> (art. 6.1.c): fatturazione, conservazione contabile, risposte alle autorità.
      </li>
      <li>
        <strong>Legittimo interesse</strong> (art. 6.1.f): sicurezza, prevenzione degli abusi, correzione degli errori,
        difesa dei diritti. Puoi opporti in ogni momento.
      </li>
      <li>
        <strong>Consenso</strong> (art. 6.1.a): statistiche d’uso, notifiche push, lista d’attesa, comunicazioni
        promozionali. Lo ritiri quando vuoi, senza conseguenze su quanto fatto prima.
      </li>
    </ul>
  ),
}

const use: LegalSection = {
  id: 'uso-dei-dati',
  title: 'Uso dei dati',
  body: (
    <>
      <p>Usiamo i dati per:</p>
      <ul>
        <li>far funzionare l’assistente, il CRM, i documenti, le attività e gli avvisi che hai chiesto;</li>
        <li>accreditare, scalare e rimborsare i crediti, emettere i documenti fiscali;</li>
        <li>proteggere il tuo account e accorgerci dei guasti prima di te;</li>
        <li>capire, solo in forma aggregata e con il tuo consenso, che cosa migliorare.</li>
      </ul>
      <p>
        Non vendiamo dati, non li usiamo per pubblicità e non addestriamo modelli di intelligenza artificiale con i tuoi
        contenuti. Nessuna decisione che ti riguardi con effetti giuridici è presa in modo solo automatizzato: gli
        agenti agiscono solo con il tuo mandato, nei limiti che imposti, e ogni loro passo resta registrato.
      </p>
    </>
  ),
}

const sharing: LegalSection = {
  id: 'condivisione',
  title: 'Condivisione',
  body: (
    <>
      <p>I dati stanno su server nell’Unione europea. Li condividiamo solo con chi ci serve per lavorare:</p>
      <ProcessorList />
      <p>
        Se un fornitore tratta dati fuori dallo Spazio economico europeo, lo fa in base a una decisione di adeguatezza o
        alle clausole contrattuali tipo della Commissione. L’elenco aggiornato dei responsabili si ottiene scrivendo a{' '}
        <a href={`mailto:${company.privacyEmail}`}>{company.privacyEmail}</a>.
      </p>
    </>
  ),
}

const rights: LegalSection = {
  id: 'diritti-gdpr',
  title: 'Diritti GDPR',
  body: (
    <>
      <p>Puoi sempre, e gratis:</p>
      <ul>
        <li>sapere se trattiamo tuoi dati e averne copia (accesso, art. 15);</li>
        <li>correggerli (rettifica, art. 16) o farli cancellare (art. 17);</li>
        <li>limitarne l’uso (art. 18) od opporti (art. 21);</li>
        <li>riceverli in un formato leggibile da una macchina e portarli altrove (portabilità, art. 20);</li>
        <li>ritirare un consenso già dato.</li>
      </ul>
      <p>
        Molti di questi diritti li eserciti direttamente nelle Impostazioni: alla voce «I tuoi dati» scarichi tutto o
        una parte ed elimini l’account, con 30 giorni per annullare; alla voce «Privacy» vedi quanti dati teniamo e
        perché, l’uso dell’IA, i consensi e chi è intervenuto sul tuo account, limiti il trattamento e ti opponi. Per
        gli altri basta un’email a <a href={`mailto:${company.privacyEmail}`}>{company.privacyEmail}</a>. Se la risposta
        non ti convince puoi rivolgerti al{' '}
        <a href="https://www.garanteprivacy.it" rel="noreferrer" target="_blank">
          Garante per la protezione dei dati personali
        </a>
        .
      </p>
    </>
  ),
}

const security: LegalSection = {
  id: 'sicurezza',
  title: 'Sicurezza',
  body: (
    <ul>
      <li>Connessioni cifrate (TLS) e copie di sicurezza cifrate.</li>
      <li>
        Ogni riga del database è leggibile solo dal suo proprietario: lo garantisce il database, non l’interfaccia.
      </li>
      <li>Password con Argon2, verifica in due passaggi, passkey, elenco delle sessioni aperte.</li>
      <li>Accesso degli amministratori solo con secondo fattore, e registrato.</li>
      <li>
        In caso di violazione dei dati avvisiamo il Garante entro 72 ore e te senza ritardo quando il rischio è elevato.
      </li>
    </ul>
  ),
}

const kept: { term: string; key: keyof LegalClaims; value: (text: string) => string }[] = [
  { term: 'Dati dell’account', key: 'retention.account', value: (text) => `Fino alla cancellazione, più ${text}` },
  {
    term: 'Cronologia della chat',
    key: 'retention.chat',
    value: (text) => `${sentence(text)} o fino alla cancellazione dell’account`,
  },
  {
    term: 'Memoria narrativa',
    key: 'retention.memory',
    value: (text) => `Fino alla cancellazione dell’account, più ${text}`,
  },
  { term: 'Obiettivi degli agenti, una volta completati', key: 'retention.goals', value: sentence },
  { term: 'Registri etici', key: 'retention.ethics', value: sentence },
  { term: 'Suggerimenti proattivi', key: 'retention.insights', value: sentence },
  {
    term: 'Dati di fatturazione',
    key: 'retention.billing',
    value: (text) => `Finché hai l’account, e comunque per ${text} dall’ultimo movimento, come chiede la legge`,
  },
  { term: 'Statistiche d’uso', key: 'retention.analytics', value: sentence },
  { term: 'Copie di sicurezza', key: 'retention.backups', value: sentence },
]

function sentence(text: string): string {
  return text.charAt(0).toLocaleUpperCase('it') + text.slice(1)
}

const retention = (claims: LegalClaims): LegalSection => ({
  id: 'conservazione',
  title: 'Conservazione',
  body: (
    <>
      <p>Teniamo ogni dato per il tempo che serve al suo scopo, poi lo cancelliamo o lo rendiamo anonimo.</p>
      <Facts
        rows={[
          ...kept.map(({ term, key, value }) => ({ term, value: value(claims[key].text) })),
          // functions/_shared/retention.py keeps these.
          {
            term: 'Lista d’attesa',
            value: '7 giorni se non confermi l’indirizzo, altrimenti 24 mesi; meno se ti togli prima',
          },
          // functions/_shared/retention.py keeps these.
          { term: 'Registri di errore', value: '90 giorni' },
          {
            term: 'Archivi dei tuoi dati che chiedi',
            value: '7 giorni da quando sono pronti; meno se ne chiedi un altro',
          },
          // functions/_shared/retention.py keeps these.
          {
            term: 'Notifiche',
            value:
              '12 mesi da quando le leggi; quelle non lette fino alla cancellazione dell’account. Un giorno quelle che elimini, 90 giorni il registro di ciò che ti abbiamo inviato',
          },
          // private.welcomed_mailboxes and private.early_bird_seats keep it.
          {
            term: 'Impronta della casella email',
            value: 'Resta anche dopo la cancellazione, solo per non dare due volte i crediti di benvenuto',
          },
          // retention_rules of db/schemas/62_retention.sql keeps them.
          {
            term: 'Certificati di eliminazione, senza il tuo nome',
            value: '10 anni dall’eliminazione, e comunque finché restano gli ordini: dimostrano che è avvenuta',
          },
        ]}
      />
      <p>
        Ogni termine, con il suo motivo, è anche in Impostazioni → Privacy. I cookie e gli altri dati tenuti nel tuo
        browser sono nella <Link to={paths.cookiePolicy}>Cookie Policy</Link>.
      </p>
    </>
  ),
})

const changes: LegalSection = {
  id: 'modifiche',
  title: 'Modifiche',
  body: (
    <p>
      Se cambiamo qualcosa di importante ti avvisiamo per email e nell’applicazione prima che valga. Le versioni
      precedenti si chiedono a <a href={`mailto:${company.privacyEmail}`}>{company.privacyEmail}</a>.
    </p>
  ),
}
