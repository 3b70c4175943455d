/** View, filters and the open task, kept in the address: shared, reloaded and gone back to. */
import { useSearchParams } from 'react-router'

import { taskViews } from '@/components/task-view-tabs'
import { type Filters, isDueDay } from '@/features/tasks/model'

type Change = Partial<
  Record<
    'vista' | 'cerca' | 'progetto' | 'contatto' | 'priorita' | 'attivita' | 'giorno' | 'periodo' | 'scadenze',
    string | null
  >
>

export function useTasksAddress() {
  const [params, setParams] = useSearchParams()
  const priority = Number(params.get('priorita'))
  const filters: Filters = {
    text: params.get('cerca') ?? '',
    projectId: params.get('progetto'),
    contactId: params.get('contatto'),
    priority: [1, 2, 3].includes(priority) ? priority : null,
  }
  return {
    view: taskViews.find((view) => view === params.get('vista')) ?? 'oggi',
    filters,
    hasFilters: Object.values(filters).some(Boolean),
    openTask: params.get('attivita'),
    /** Whether a new task is what the person came for. */
    isNew: params.has('nuova'),
    day: isDueDay(params.get('giorno') ?? '') ? params.get('giorno') : null,
    period: params.get('periodo') === 'settimana' ? ('settimana' as const) : ('mese' as const),
    /** Whether the calendar shows what falls due besides tasks. */
    showsDue: params.get('scadenze') !== 'no',
    /** Empty values leave the address. Only a new view or task is a step that «back» undoes. */
    set(change: Change) {
      setParams(
        (before) => {
          const next = new URLSearchParams(before)
          for (const [key, value] of Object.entries(change)) {
            if (value) next.set(key, value)
            else next.delete(key)
          }
          return next
        },
        { replace: !('vista' in change || change.attivita) },
      )
    },
  }
}
