/** The first result of Socio: three findings and a next step, all computed from the person's own rows. */
import type { Notification } from '@/data/notifications'
import type { Profile } from '@/data/profiles'
import { formatCredits } from '@/strings/numbers'

type Finding = { source: 'Crediti' | 'Avvisi' | 'Profilo'; text: string }

export type FirstResult = { findings: Finding[]; nextStep: string }

type Rows = {
  profile: Profile
  balance: number
  notifications: Pick<Notification, 'title' | 'is_read'>[]
}

const questions = [
  ['full_name', 'il nome'],
  ['activity', 'che lavoro fai'],
  ['tax_regime', 'il regime fiscale'],
  ['goal', 'il tuo obiettivo'],
] as const satisfies [keyof Profile, string][]

export function firstResult({ profile, balance, notifications }: Rows): FirstResult {
  const missing = questions.filter(([column]) => !profile[column]).map(([, label]) => label)
  const unread = notifications.filter((notification) => !notification.is_read)
  return {
    findings: [
      { source: 'Crediti', text: creditsText(balance) },
      { source: 'Avvisi', text: noticesText(unread) },
      { source: 'Profilo', text: profileText(missing) },
    ],
    nextStep: nextStep(profile, missing, unread),
  }
}

function creditsText(balance: number): string {
  const amount = balance === 1 ? '1 credito' : `${formatCredits(balance)} crediti`
  return `Hai ${amount}. Questo riepilogo è costato 0.`
}

function noticesText(unread: Rows['notifications']): string {
  const [first] = unread
  if (!first) return 'Nessun avviso da leggere.'
  return unread.length === 1
    ? `1 avviso da leggere: «${first.title}».`
    : `${unread.length} avvisi da leggere. L’ultimo: «${first.title}».`
}

function profileText(missing: string[]): string {
  const given = questions.length - missing.length
  const count = `${given} ${given === 1 ? 'risposta' : 'risposte'} su ${questions.length}`
  return missing.length === 0 ? `${count}: il profilo è completo.` : `${count}. Manca: ${missing.join(', ')}.`
}

function nextStep(profile: Profile, missing: string[], unread: Rows['notifications']): string {
  if (profile.goal) return `Il tuo obiettivo: «${profile.goal}». Si comincia da qui.`
  if (missing.length > 0) return 'Torna quando vuoi sulle risposte che mancano: bastano due minuti.'
  if (unread.length > 0) return 'Apri la campanella in alto e leggi il primo avviso.'
  return 'Sei in pari: guarda la tua home.'
}
