/** Words of received mail: warnings, what wrote it, and the beginning of an answer. */
import type { MailWarning } from '@/data/inbox'
import type { Enums } from '@/data/tables'

export const mailKinds: Record<Enums<'mail_kind'>, string> = {
  persona: '',
  automatica: 'Risposta automatica',
  lista: 'Lista o newsletter',
  rimbalzo: 'Mancata consegna',
}

export function warningText({ kind, value, known }: MailWarning): string {
  switch (kind) {
    case 'iban':
      return `Il messaggio contiene l’IBAN ${value}, diverso da quello che conosci (${known}). Telefona prima di pagare.`
    case 'domain':
      return `Il dominio ${value} somiglia a ${known}, ma non è quello: può non essere chi sembra.`
    case 'dmarc':
      return `Il tuo server dice che il messaggio non viene davvero da ${value} (DMARC non superato).`
  }
}

/** «R: » once, however often it was answered. */
export const answerSubject = (subject: string) => `Re: ${subject.replace(/^(?:(?:re|r|rif)\s*:\s*)+/i, '')}`

/** A draft, which its writer completes. */
export const answerDraft = (name: string, from: string) =>
  `Buongiorno ${name},\n\ngrazie per il messaggio.\n\n\n\nCordiali saluti\n${from}`
