/** What the privacy page calls the domains of the catalogue (functions/_shared/personal_data.py), and where each is seen. */
import type { Consent } from '@/data/privacy'
import { paths } from '@/paths'
import { legalVersion } from '@/strings/company'
import { deletionDomains } from '@/strings/deletion'

type Place = { to: string; text: string }

const places: Record<string, Place> = {
  profilo: { to: paths.settingsProfile, text: 'Vedi e correggi il profilo' },
  clienti: { to: paths.crm, text: 'Vedi e correggi i clienti' },
  lavoro: { to: paths.tasks, text: 'Vedi e correggi le attività' },
  documenti: { to: paths.documents, text: 'Vedi e correggi i documenti' },
  assistente: { to: paths.settingsMemory, text: 'Vedi e correggi la memoria' },
  crediti: { to: paths.settingsCredits, text: 'Vedi i movimenti' },
  registro: { to: paths.notifications, text: 'Vedi gli avvisi' },
}

export function dataDomain(domain: string): { title: string; place: Place } {
  return {
    title: domain === 'crediti' ? 'Crediti e ordini' : (deletionDomains[domain] ?? domain),
    place: places[domain] ?? { to: paths.settingsData, text: 'Scarica i tuoi dati' },
  }
}

/** The sentences beside the switches, as they are kept with each choice: a changed one is a new wording. */
export const privacyWordings = {
  statistics: 'Statistiche d’uso, da questo browser',
  ai: 'Solo modalità locale: niente di mio va a un fornitore di IA',
} as const

const where = (inEu: boolean | null): string =>
  inEu === null ? '' : inEu ? ', che risponde dall’Europa' : ', che può rispondere anche fuori dall’Europa'

/** What the person agreed to or refused, as a title and what they read. */
export function consentText({ purpose, is_allowed, wording, provider, host, in_eu, at }: Consent): {
  title: string
  text: string
} {
  const read = wording === null ? '' : `Testo: «${wording}»`
  switch (purpose) {
    case 'terms':
      return {
        title: 'Termini di Servizio accettati',
        text: `Creando l’account${at >= legalVersion.date ? `, versione ${legalVersion.number}` : ''}`,
      }
    case 'provider':
      return {
        title: `Sì a ${provider ?? 'un fornitore di IA'}`,
        text: `Per le domande che invii all’IA: ${host ?? ''}${where(in_eu)}`,
      }
    case 'ai':
      return { title: is_allowed ? 'Solo modalità locale: spenta' : 'Solo modalità locale: accesa', text: read }
    default:
      return { title: is_allowed ? 'Sì alle statistiche d’uso' : 'No alle statistiche d’uso', text: read }
  }
}
