/** What was changed in the legal texts after the date of their version, newest first: each change of words adds a row. */

export type LegalChange = { day: string; text: string }

export const termsChanges: readonly LegalChange[] = [
  {
    day: '2026-11-30',
    text: 'Crediti: il prezzo previsto per un’azione autonoma oggi non è chiesto. Intelligenza artificiale e agenti: la risposta automatica su WhatsApp parte solo se l’attivi. Disponibilità e supporto: al supporto si scrive per email.',
  },
  {
    day: '2026-11-29',
    text: 'Crediti: gli agenti con il tuo mandato non usano crediti, tranne per i messaggi che fai scrivere all’assistente.',
  },
  {
    day: '2026-11-27',
    text: 'Intelligenza artificiale e agenti: gli agenti, prima annunciati, ci sono e agiscono solo con il tuo mandato scritto. Contenuti e dati, Sospensione e chiusura: la copia di tutti i dati e la chiusura dell’account si fanno da Impostazioni → I tuoi dati.',
  },
  {
    day: '2026-11-26',
    text: 'Il servizio, Crediti, azioni autonome: quello che allora non c’era è stato indicato come in arrivo.',
  },
]

export const privacyChanges: readonly LegalChange[] = [
  {
    day: '2026-11-30',
    text: 'Condivisione: i servizi con cui accedi o colleghi una casella, e la Commissione europea per le partite IVA. Conservazione: i certificati di eliminazione e da quando si contano i dieci anni dei dati di fatturazione.',
  },
  {
    day: '2026-11-28',
    text: 'Dati raccolti: i tempi di caricamento delle pagine, solo con il tuo consenso. Diritti GDPR: scarichi anche una parte dei dati. Conservazione: gli archivi che chiedi.',
  },
  {
    day: '2026-11-27',
    text: 'Dati raccolti: tipi di dispositivo e canali collegati da te. Uso dei dati: gli agenti agiscono solo con il tuo mandato. Condivisione: Meta, se colleghi un numero WhatsApp. Diritti GDPR: quello che fai direttamente nelle Impostazioni.',
  },
  {
    day: '2026-11-26',
    text: 'Base giuridica e Condivisione: le notifiche push e chi le consegna. Conservazione: le notifiche che elimini e il registro degli invii.',
  },
  { day: '2026-11-24', text: 'Conservazione: l’impronta della casella email.' },
  {
    day: '2026-11-22',
    text: 'Condivisione: il fornitore del modello di IA riceve una richiesta solo se dici di sì. Conservazione: registri di errore e notifiche.',
  },
  { day: '2026-11-21', text: 'Base giuridica e Conservazione: la lista d’attesa.' },
]

export const cookieChanges: readonly LegalChange[] = [
  { day: '2026-11-28', text: 'Cookie statistici: misurano anche quanto sono veloci le pagine.' },
  { day: '2026-11-27', text: 'Cookie statistici: la richiesta del browser di non essere seguito vale come un no.' },
  {
    day: '2026-11-26',
    text: 'Cookie necessari: notifiche push, file dell’app, ciò che condividi da un’altra app e ciò che scrivi senza rete.',
  },
  { day: '2026-11-23', text: 'Cookie necessari: le colonne dell’elenco dei contatti.' },
  {
    day: '2026-11-22',
    text: 'Cookie necessari: ogni voce della memoria del browser con il suo nome. Il conto alla rovescia ha una parte sua.',
  },
]
