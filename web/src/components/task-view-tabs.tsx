/** The views of tasks, projects and goals as links of one address, so that each can be opened in a tab of its own. */
import { useLocation } from 'react-router'

import { LinkTabs } from '@/components/link-tabs'

/** The views of tasks. */
export const taskViews = ['oggi', 'lista', 'kanban', 'calendario', 'progetti'] as const
export type TaskView = (typeof taskViews)[number]

const labels: Record<TaskView | 'obiettivi', string> = {
  oggi: 'Oggi',
  lista: 'Lista',
  kanban: 'Kanban',
  calendario: 'Calendario',
  progetti: 'Progetti',
  obiettivi: 'Obiettivi',
}

export function TaskViewTabs({ current }: { current: TaskView | 'obiettivi' }) {
  const { search } = useLocation()
  function addressOf(view: TaskView | 'obiettivi'): string {
    const params = new URLSearchParams(search)
    for (const key of ['attivita', 'obiettivo', 'mandato', 'nuovo']) params.delete(key)
    if (view === 'oggi') params.delete('vista')
    else params.set('vista', view)
    return `?${params}`
  }
  return (
    <LinkTabs
      label="Viste"
      tabs={[...taskViews, 'obiettivi' as const].map((view) => ({
        key: view,
        label: labels[view],
        to: addressOf(view),
      }))}
      current={current}
    />
  )
}
