/** Invoices and documents that fall due, as the calendar shows them. */
import type { FallingDue } from '@/data/due-dates'
import type { Filters, Item } from '@/features/tasks/model'
import { formatMoney } from '@/strings/numbers'

const verbs = { incasso: 'Incassa', pagamento: 'Paga', documento: 'Scade' } as const

/** «Incassa 1.220,00 € · Fattura 13/2026 · Neri S.r.l.» */
export function dueWords({ kind, name, amount }: FallingDue): string {
  const what = amount ? `${verbs[kind]} ${formatMoney(amount.cents, amount.currency)}` : verbs[kind]
  return `${what} · ${name}`
}

/** Return what the filters leave. A day of payment with an open task on the same day is that task. */
export function dueShown(due: readonly FallingDue[], items: readonly Item[], filters: Filters): FallingDue[] {
  const { text, projectId, contactId, priority } = filters
  if (projectId || priority !== null) return []
  const reminders = new Set(items.filter(({ isDone }) => !isDone).map(({ task, day }) => `${task.id} ${day}`))
  const wanted = text.toLocaleLowerCase('it')
  return due.filter(
    (one) =>
      !reminders.has(`${one.taskId} ${one.day}`) &&
      (!contactId || one.contactId === contactId) &&
      dueWords(one).toLocaleLowerCase('it').includes(wanted),
  )
}
