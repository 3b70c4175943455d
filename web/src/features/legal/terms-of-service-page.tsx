/** /terms-of-service. Its figures are the claims of the catalogue; where they differ from the plans, section 6 decides. */
import { Link } from 'react-router'

import { type LegalClaims, useLegalClaims } from '@/data/legal-claims'
import { Facts, LegalPage, type LegalSection, textChanges } from '@/features/legal/legal-page'
import { paths } from '@/paths'
import { company, companyAddress } from '@/strings/company'
import { termsChanges } from '@/strings/legal-changes'
import { groupedThousands } from '@/strings/numbers'

export default function TermsOfServicePage() {
  const claims = useLegalClaims()
  return (
    <LegalPage
      title="Termini di Servizio"
      intro="Le regole tra te e Socio: che cosa ti diamo, che cosa costa, che cosa puoi aspettarti."
      sections={[
        parties,
        service,
        account(claims),
        plans(claims),
        credits(claims),
        precedence(claims),
        withdrawal(claims),
        conduct(claims),
        automation,
        content,
        availability,
        liability,
        changes(claims),
        ending(claims),
        law,
        textChanges(termsChanges),
      ]}
    />
  )
}

const parties: LegalSection = {
  id: 'le-parti',
  title: 'Le parti',
  body: (
    <>
      <p>
        Il contratto è tra te e {company.name}, con sede in {companyAddress}, P.IVA {company.vatNumber}, email{' '}
        <a href={`mailto:${company.email}`}>{company.email}</a>, PEC {company.certifiedEmail}. Nasce quando crei un
        account e accetti questi termini.
      </p>
      <p>
        Se agisci per scopi estranei alla tua attività sei un consumatore: in quel caso nulla di quanto segue riduce i
        diritti che ti dà il Codice del consumo.
      </p>
    </>
  ),
}

const service: LegalSection = {
  id: 'il-servizio',
  title: 'Il servizio',
  body: (
    <>
      <p>
        Socio è un assistente per chi lavora in proprio: conversazione con memoria, CRM, documenti con lettura
        automatica, attività e progetti, avvisi e statistiche. Alcune funzioni usano modelli di intelligenza artificiale
        e consumano crediti; il prezzo è mostrato prima.
      </p>
      <p>
        Le funzioni annunciate e non ancora disponibili sono nella <Link to={paths.roadmap}>roadmap</Link>, con il loro
        stato vero. In arrivo sono anche le funzioni per gruppi di lavoro del piano Business e il marchio personalizzato
        del piano Enterprise, che si attiveranno con accordo scritto.
      </p>
    </>
  ),
}

const account = (claims: LegalClaims): LegalSection => ({
  id: 'account',
  title: 'Account',
  body: (
    <ul>
      <li>Età minima: {claims['terms.minimum_age'].text}.</li>
      <li>Una persona o un’impresa, un account: non sono ammessi account multipli.</li>
      <li>I dati che ci dai devono essere veri; la password e i codici di recupero li custodisci tu.</li>
      <li>Se pensi che qualcuno sia entrato al posto tuo, cambia password e scrivici subito.</li>
    </ul>
  ),
})

const plans = (claims: LegalClaims): LegalSection => ({
  id: 'piani-e-prezzi',
  title: 'Piani e prezzi',
  body: (
    <>
      <p>Piani di riferimento di questi termini, IVA compresa dove dovuta:</p>
      <Facts
        rows={[
          { term: 'Free', value: `0 €, ${claims['terms.free_credits'].text}` },
          {
            term: 'Starter',
            value: `${claims['terms.starter_price'].text} al mese, ${claims['terms.starter_credits'].text}`,
          },
          {
            term: 'Pro',
            value: `${claims['terms.pro_price'].text} al mese, ${groupedThousands(claims['terms.pro_credits'].text)}`,
          },
          {
            term: 'Business',
            value: `${claims['terms.business_price'].text} al mese, ${groupedThousands(claims['terms.business_credits'].text)}`,
          },
          { term: 'Enterprise', value: `Su misura, ${claims['terms.enterprise'].text}` },
        ]}
      />
      <p>
        Gli abbonamenti non sono ancora in vendita: oggi si comprano solo pacchetti di crediti, ai prezzi della pagina{' '}
        <Link to={paths.pricing}>Prezzi</Link>. Il pagamento avviene con carta tramite Stripe; nessun rinnovo automatico
        parte senza un tuo ordine esplicito.
      </p>
    </>
  ),
})

const credits = (claims: LegalClaims): LegalSection => ({
  id: 'crediti',
  title: 'Crediti',
  body: (
    <ul>
      <li>I crediti servono solo dentro Socio: non sono denaro, non fruttano interessi, non si trasferiscono.</li>
      <li>
        Gli agenti che lavorano con il tuo mandato non usano crediti, tranne per i messaggi che fai scrivere
        all’assistente, al prezzo e con il tetto scritti nel mandato. Per un’azione autonoma è previsto un prezzo, da{' '}
        {claims['terms.action_min'].text} a {claims['terms.action_max'].text} crediti circa, che oggi non chiediamo: se
        un giorno varrà, te lo diremo prima, il massimo sarà mostrato e non potrà essere superato.
      </li>
      <li>I crediti degli abbonamenti {claims['terms.subscription_expiry'].text}.</li>
      <li>
        I crediti dei pacchetti una tantum {claims['terms.pack_expiry'].text}: la validità indicata sulle pagine si
        prolunga da sola.
      </li>
      <li>Si usano per primi i crediti che scadono prima e, a pari scadenza, quelli gratuiti.</li>
      <li>Se un’azione non riesce, i crediti bloccati tornano disponibili.</li>
    </ul>
  ),
})

const precedence = (claims: LegalClaims): LegalSection => ({
  id: 'condizione-migliore',
  title: 'Condizione più favorevole',
  body: (
    <>
      <p>
        <strong>{claims['terms.precedence'].text}.</strong>
      </p>
      <p>
        Vale tra questi termini, le pagine del sito e quanto vedi prima di pagare: per esempio, i crediti gratuiti e la
        durata del rimborso sono quelli più alti tra i due.
      </p>
    </>
  ),
})

const withdrawal = (claims: LegalClaims): LegalSection => ({
  id: 'recesso-e-rimborsi',
  title: 'Recesso e rimborsi',
  body: (
    <>
      <p>
        Rimborso completo entro {claims['terms.refund_days'].text} se non hai usato i crediti, come vuole la legge. In
        più, con la garanzia del sito: {claims['guarantee.days'].text.toLocaleLowerCase('it')}, per la parte di
        pacchetto che non hai usato, senza doverne dire il motivo.
      </p>
      <p>
        Il pulsante «Recedere dal contratto qui» è in Impostazioni → Crediti: scegli l’ordine, confermi, ricevi la
        ricevuta per email. Il rimborso torna sullo stesso mezzo di pagamento, di norma entro 5–10 giorni lavorativi.
        Vale anche una semplice email a <a href={`mailto:${company.email}`}>{company.email}</a>.
      </p>
      <p>
        Se chiedi di usare i crediti prima della fine del periodo di recesso, la parte già usata non è rimborsabile
        (art. 57 del Codice del consumo).
      </p>
    </>
  ),
})

const conduct = (claims: LegalClaims): LegalSection => ({
  id: 'uso-corretto',
  title: 'Uso corretto',
  body: (
    <>
      <p>Non è permesso usare Socio per:</p>
      <ul>
        <li>violare leggi o diritti altrui, inviare spam, ingannare le persone;</li>
        <li>caricare dati di terzi senza una base giuridica per farlo;</li>
        <li>aggirare limiti, sicurezza o prezzi, o rivendere l’accesso.</li>
      </ul>
      <p>
        Per gli invii a più di {claims['terms.bulk_recipients'].text} consigliamo l’approvazione manuale di ogni
        messaggio: la responsabilità di ciò che spedisci resta tua.
      </p>
    </>
  ),
})

const automation: LegalSection = {
  id: 'azioni-autonome',
  title: 'Intelligenza artificiale e agenti',
  body: (
    <>
      <p>
        Le risposte di un modello possono essere sbagliate: prima di farci affidamento, controllale. Nulla parte verso
        l’esterno senza la tua approvazione: del singolo messaggio, o del mandato scritto che dai a un agente, con i
        limiti che scegli tu e che revochi quando vuoi. La risposta automatica su WhatsApp parte solo se l’attivi. Le
        regole di Socio fermano i passi che un agente non dovrebbe fare, e ogni passo resta registrato.
      </p>
      <p>Ogni azione mostra prima il suo costo massimo. Non diamo consulenza legale, fiscale o medica.</p>
    </>
  ),
}

const content: LegalSection = {
  id: 'contenuti-e-dati',
  title: 'Contenuti e dati',
  body: (
    <p>
      I tuoi contenuti restano tuoi. Ci autorizzi a trattarli solo per darti il servizio, come descritto nella{' '}
      <Link to={paths.privacyPolicy}>Privacy Policy</Link>, e ne scarichi una copia quando vuoi, da Impostazioni → I
      tuoi dati. Per i dati dei tuoi clienti agiamo come responsabili del trattamento ai sensi dell’articolo 28 del
      GDPR. Il software, il marchio e i testi di Socio restano nostri.
    </p>
  ),
}

const availability: LegalSection = {
  id: 'disponibilita-e-supporto',
  title: 'Disponibilità e supporto',
  body: (
    <p>
      Facciamo il possibile perché Socio sia sempre raggiungibile; un livello garantito (SLA 99,9%) è previsto per il
      solo piano Business. Le interruzioni programmate le annunciamo prima. Al supporto si scrive per email, a{' '}
      <a href={`mailto:${company.email}`}>{company.email}</a>.
    </p>
  ),
}

const liability: LegalSection = {
  id: 'responsabilita',
  title: 'Responsabilità',
  body: (
    <p>
      Rispondiamo secondo la legge per dolo e colpa grave, e verso i consumatori per ogni difetto di conformità del
      servizio digitale (artt. 135-octies e seguenti del Codice del consumo). Negli altri casi la nostra responsabilità
      non supera quanto hai pagato nei dodici mesi precedenti.
    </p>
  ),
}

const changes = (claims: LegalClaims): LegalSection => ({
  id: 'modifiche',
  title: 'Modifiche a prezzi e servizio',
  body: (
    <p>
      Prezzi e servizio possono cambiare con almeno {claims['terms.notice_days'].text}, per email e nell’applicazione.
      Se non sei d’accordo puoi chiudere il contratto senza costi prima che la modifica valga; i crediti già comprati
      mantengono le loro condizioni.
    </p>
  ),
})

const ending = (claims: LegalClaims): LegalSection => ({
  id: 'sospensione-e-chiusura',
  title: 'Sospensione e chiusura',
  body: (
    <ul>
      <li>
        Puoi chiudere l’account quando vuoi, da Impostazioni → I tuoi dati, e annullare finché i dati non sono
        cancellati; un abbonamento disdetto finisce al termine del periodo già pagato.
      </li>
      <li>
        Possiamo sospendere un account che viola questi termini o mette in pericolo altri, dicendoti perché; se non
        rimedi, possiamo chiuderlo.
      </li>
      <li>
        Dopo {claims['terms.inactivity'].text} di inattività possiamo chiudere l’account, con un preavviso per email.
      </li>
      <li>
        I dati sono cancellati {claims['terms.deletion_days'].text} dopo la chiusura, salvo quelli che la legge impone
        di tenere.
      </li>
    </ul>
  ),
})

const law: LegalSection = {
  id: 'legge-e-controversie',
  title: 'Legge e controversie',
  body: (
    <p>
      Si applica la legge italiana. Per i consumatori è competente il giudice del luogo di residenza; negli altri casi
      il foro di {company.city}. Prima di un giudizio ti chiediamo di scriverci: la maggior parte dei problemi si
      risolve con un’email.
    </p>
  ),
}
