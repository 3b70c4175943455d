/** /cookie-policy: every cookie and every entry of browser storage, with its life. */
import { Link } from 'react-router'

import { CookiePreferences } from '@/components/cookie-preferences'
import { type LegalClaims, useLegalClaims } from '@/data/legal-claims'
import { Facts, LegalPage, type LegalSection, textChanges } from '@/features/legal/legal-page'
import { paths } from '@/paths'
import { company } from '@/strings/company'
import { cookieChanges } from '@/strings/legal-changes'

export default function CookiePolicyPage() {
  const claims = useLegalClaims()
  return (
    <LegalPage
      title="Cookie Policy"
      intro="Che cosa resta nel tuo browser quando usi Socio, a che cosa serve e come lo togli."
      sections={[
        what,
        needed(claims),
        countdown,
        analytics(claims),
        choice,
        removal,
        contact,
        textChanges(cookieChanges),
      ]}
    />
  )
}

const what: LegalSection = {
  id: 'che-cosa-sono',
  title: 'Che cosa sono',
  body: (
    <>
      <p>
        I cookie sono piccoli testi che un sito lascia nel browser. Socio usa quasi sempre la memoria locale del browser
        (local storage e session storage), che fa lo stesso lavoro senza viaggiare a ogni richiesta: la legge li tratta
        allo stesso modo, e qui li chiamiamo tutti «cookie».
      </p>
      <p>Non usiamo cookie pubblicitari né di profilazione.</p>
    </>
  ),
}

const needed = (claims: LegalClaims): LegalSection => ({
  id: 'necessari',
  title: 'Cookie necessari',
  body: (
    <>
      <p>Servono per entrare e per ricordare le tue scelte. Per questi il consenso non è richiesto.</p>
      <Facts
        rows={[
          {
            term: 'Token di accesso della sessione (session access token)',
            value: `${claims['cookies.access'].text}, poi è rinnovato`,
          },
          { term: 'Token di rinnovo (refresh token)', value: claims['cookies.refresh'].text },
          {
            term: 'Identificativo di sessione del prodotto (product session id, session_id)',
            value: `Al massimo ${claims['cookies.product_session'].text}; si cancella quando chiudi la scheda`,
          },
          { term: 'Consenso ai cookie (cookie_consent, cookie_consent_date)', value: claims['cookies.consent'].text },
          { term: 'Tema chiaro o scuro (theme)', value: 'Finché non lo cambi' },
          { term: 'Lingua (language)', value: 'Finché non la cambi' },
          {
            term: 'Visita guidata già vista (tour_completed)',
            value: 'Finché non lo cancelli',
          },
          {
            term: 'Quello che hai scritto nella chat e non hai ancora inviato, con i nomi degli allegati (socio.chat.draft)',
            value: 'Finché non lo invii, lo cancelli o esci con Logout',
          },
          { term: 'Come vuoi che risponda la chat (socio.chat.way)', value: 'Finché non lo cancelli' },
          {
            term: 'Quali conversazioni hai appena eliminato, per poter annullare (socio.conversations_to_delete)',
            value: 'Pochi secondi; se chiudi prima la scheda, fino alla visita successiva',
          },
          {
            term: 'Attività e note scritte senza rete e non ancora inviate, per il tuo account (IndexedDB, socio.outbox)',
            value: 'Finché non sono inviate o le elimini; restano anche dopo il Logout, se scegli di conservarle',
          },
          {
            term: 'Caricamenti di documenti da riprendere, con il nome del file (tus::)',
            value: 'Fino alla fine del caricamento; se lo lasci a metà, finché non lo cancelli',
          },
          {
            term: 'Colonne e regola scelte per un’importazione di contatti da riprendere (socio.import)',
            value: 'Fino alla fine dell’importazione; se la lasci a metà, finché non lo cancelli',
          },
          {
            term: 'Colonne e altezza delle righe dell’elenco dei contatti, per il tuo account (socio.contact_list)',
            value: 'Finché non lo cancelli',
          },
          {
            term: 'Notifiche push accese in questo browser, per il tuo account (socio.push)',
            value: 'Finché non le spegni o esci con Logout',
          },
          {
            term: 'Quello che hai condiviso con Socio da un’altra app (socio-condivisi)',
            value: 'Finché non lo usi, lo scarti o esci con Logout; al massimo una settimana',
          },
          {
            term: 'File dell’app, senza dati tuoi, per aprirla anche se manca la connessione (socio-…)',
            value: 'Fino alla versione successiva',
          },
          {
            term: 'Avviso di crediti in esaurimento già mostrato, e a quale account (low_credits_shown)',
            value: 'Si cancella quando chiudi la scheda',
          },
          {
            term: 'Pagina a cui tornare dopo l’accesso (socio.return)',
            value: 'Dieci minuti; si cancella quando chiudi la scheda',
          },
        ]}
      />
    </>
  ),
})

const countdown: LegalSection = {
  id: 'conto-alla-rovescia',
  title: 'Conto alla rovescia dell’offerta',
  body: (
    <>
      <p>
        Non serve per entrare né ricorda una tua scelta: quando una pagina mostra il conto alla rovescia dell’offerta
        early bird, ne teniamo qui l’ora di fine, così non riparte a ogni visita. Resta nel tuo browser, non arriva a
        noi e non dice nulla di te.
      </p>
      <Facts rows={[{ term: 'Fine del conto alla rovescia (early_bird_ends_at)', value: 'Finché non lo cancelli' }]} />
    </>
  ),
}

const analytics = (claims: LegalClaims): LegalSection => ({
  id: 'statistici',
  title: 'Cookie statistici',
  body: (
    <>
      <p>
        Ci dicono quali pagine servono, quali no e quanto sono veloci sul tuo dispositivo. Si attivano solo con «Accetta
        Tutti»; con «Solo Essenziali» non registriamo nulla. Se il tuo browser chiede di non essere seguito (Global
        Privacy Control) vale come un no, e non te lo domandiamo. L’indirizzo IP diventa un’impronta prima di essere
        salvato.
      </p>
      <Facts
        rows={[
          { term: 'Cookie statistici', value: `Al massimo ${claims['cookies.analytics'].text}` },
          {
            term: 'Impronta dell’indirizzo IP (ip_hash)',
            value: 'Si cancella quando chiudi la scheda o scegli «Solo Essenziali»',
          },
        ]}
      />
    </>
  ),
})

const choice: LegalSection = {
  id: 'la-tua-scelta',
  title: 'La tua scelta',
  body: (
    <>
      <p>
        Il banner chiede una volta; la risposta vale un anno. Chiuderlo con la croce non equivale a un consenso: alla
        prossima visita lo chiediamo di nuovo. Puoi cambiare idea in ogni momento:
      </p>
      <CookiePreferences className="mt-4 inline-flex min-h-11 items-center rounded-md border bg-card px-4 text-sm font-semibold hover:bg-muted" />
    </>
  ),
}

const removal: LegalSection = {
  id: 'come-toglierli',
  title: 'Come toglierli dal browser',
  body: (
    <>
      <p>
        Ogni browser permette di vedere e cancellare i dati di un sito, di solito in Impostazioni → Privacy. Se cancelli
        quelli necessari dovrai accedere di nuovo.
      </p>
      <ul>
        <li>Chrome ed Edge: Impostazioni → Privacy e sicurezza → Dati dei siti.</li>
        <li>Firefox: Impostazioni → Privacy e sicurezza → Cookie e dati dei siti web.</li>
        <li>Safari: Impostazioni → Privacy → Gestisci dati siti web.</li>
      </ul>
    </>
  ),
}

const contact: LegalSection = {
  id: 'contatti',
  title: 'Contatti',
  body: (
    <p>
      Per ogni domanda: <a href={`mailto:${company.privacyEmail}`}>{company.privacyEmail}</a>. Come trattiamo il resto
      dei dati sta nella <Link to={paths.privacyPolicy}>Privacy Policy</Link>.
    </p>
  ),
}
