/** The views as links of one address, so that each can be opened in a tab of its own. */
import { useLocation } from 'react-router'

import { LinkTabs } from '@/components/link-tabs'
import { type View, views } from '@/features/tasks/use-tasks-address'

const labels: Record<View, string> = {
  oggi: 'Oggi',
  lista: 'Lista',
  kanban: 'Kanban',
  calendario: 'Calendario',
  progetti: 'Progetti',
}

export function ViewTabs({ current }: { current: View }) {
  const { search } = useLocation()
  function addressOf(view: View): string {
    const params = new URLSearchParams(search)
    params.delete('attivita')
    if (view === 'oggi') params.delete('vista')
    else params.set('vista', view)
    return `?${params}`
  }
  return (
    <LinkTabs
      label="Viste"
      tabs={views.map((view) => ({ key: view, label: labels[view], to: addressOf(view) }))}
      current={current}
    />
  )
}
