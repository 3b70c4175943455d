/** Files as Italian text: sizes, speeds, times, kinds, and why one was refused. */
import type { DocumentKind } from '@/lib/document-types'

const UNITS = ['B', 'kB', 'MB', 'GB'] as const
const figure = new Intl.NumberFormat('it-IT', { maximumFractionDigits: 1 })

/** «840 kB», «12,4 MB»; 1 MB is 1024 kB, as the limits count. */
export function formatBytes(bytes: number): string {
  let size = bytes
  let unit = 0
  while (size >= 999.5 && unit < UNITS.length - 1) {
    size /= 1024
    unit += 1
  }
  return `${figure.format(unit < 2 ? Math.round(size) : size)} ${UNITS[unit]}`
}

/** «meno di 5 secondi», «circa 40 secondi», «circa 3 minuti», rounded so that it does not flicker. */
export function remainingTime(seconds: number): string {
  if (seconds < 5) return 'meno di 5 secondi'
  if (seconds < 55) return `circa ${Math.ceil(seconds / 5) * 5} secondi`
  const minutes = Math.ceil(seconds / 60)
  if (minutes === 1) return 'circa un minuto'
  if (minutes < 60) return `circa ${minutes} minuti`
  return 'più di un’ora'
}

export const documentKinds: Record<DocumentKind, string> = {
  pdf: 'PDF',
  image: 'Immagine',
  invoice: 'Fattura elettronica',
  mail: 'Email',
  text: 'Testo',
  archive: 'Archivio ZIP',
}

export type UploadFailure =
  | 'too_large'
  | 'empty'
  | 'type'
  | 'taken'
  | 'too_many'
  | 'quota'
  | 'full'
  | 'changed'
  | 'session'
  | 'unreachable'
  | 'unread'
  | 'unexpected'

/** What happened, and what to do. */
export const uploadFailures: Record<UploadFailure, string> = {
  too_large: 'È più grande di 50 MB: comprimilo o dividilo in più file.',
  empty: 'Il file è vuoto: controlla di aver scelto quello giusto.',
  type: 'Questo tipo di file non si può caricare: salvalo come PDF, immagine, XML, P7M, EML, DOCX, TXT o ZIP.',
  taken: 'Hai già un documento con questo nome: rinomina uno dei due e riprova.',
  too_many: 'Hai troppi caricamenti lasciati a metà: completane o annullane qualcuno, oppure riprova domani.',
  quota: 'Il tuo spazio è pieno: elimina definitivamente qualche documento e riprova.',
  full: 'Lo spazio del server è finito: i tuoi documenti sono al sicuro, riprova più tardi.',
  changed: 'Il file non si può più leggere, forse è stato spostato o modificato: sceglilo di nuovo.',
  session: 'La sessione è scaduta: accedi di nuovo e riprendi il caricamento.',
  unreachable: 'Non riusciamo a raggiungere il server: controlla la connessione e riprova.',
  unread: 'Il file è arrivato, ma la lettura non è partita: riprova.',
  unexpected: 'Qualcosa non ha funzionato da parte nostra: riprova tra un momento.',
}
