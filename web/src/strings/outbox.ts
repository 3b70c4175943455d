/** The words of the outbox. */
import type { OutboxEntry, Refusal } from '@/data/outbox'

export const outboxKinds: Record<OutboxEntry['kind'], string> = {
  add: 'Nuova attività',
  note: 'Nota',
  complete: 'Attività completata',
  reopen: 'Attività riaperta',
}

export const outboxRefusals: Record<Refusal, string> = {
  gone: 'Quello a cui si riferisce è stato eliminato altrove.',
  done: 'Era già stata completata altrove.',
  open: 'Era già stata riaperta altrove.',
  forbidden: 'Il tuo account non ha il permesso di farlo.',
  invalid: 'Il server non la accetta: un dato non è valido.',
  failed: 'Il server non l’ha accettata.',
}

/** What the entry is about, in the words of the person. */
export function outboxText(entry: OutboxEntry): string {
  switch (entry.kind) {
    case 'add':
      return entry.rows.map(({ title }) => title).join(', ')
    case 'note':
      return entry.body
    case 'complete':
    case 'reopen':
      return entry.title
  }
}

const counted = (count: number, one: string, many: string) =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('it-IT')} ${many}`

/** «2 modifiche in attesa di rete, 1 non inviata». */
export function outboxCount(entries: readonly OutboxEntry[]): string {
  const refused = entries.filter(({ refusal }) => refusal).length
  const waiting = entries.length - refused
  const waits = `${counted(waiting, 'modifica', 'modifiche')} in attesa di rete`
  if (refused === 0) return waits
  return waiting === 0
    ? counted(refused, 'modifica non inviata', 'modifiche non inviate')
    : `${waits}, ${counted(refused, 'non inviata', 'non inviate')}`
}
