/** For which deal a task is done; open deals only, those of the task's contact first. */
import { useQuery } from '@tanstack/react-query'
import { Link } from 'react-router'

import { boardQuery, type Deal } from '@/data/deals'
import type { Task } from '@/data/tasks'
import { SelectField } from '@/features/tasks/select-field'
import type { TaskActions } from '@/features/tasks/use-task-actions'
import { paths } from '@/paths'

type Props = { userId: string; task: Task; actions: TaskActions }

export function DealField({ userId, task, actions }: Props) {
  const { data: deals = [] } = useQuery(boardQuery(userId))
  const { deal_id: chosen, contact_id: contactId } = task
  const offered = deals.filter((deal) => (!deal.won_at && !deal.lost_at) || deal.id === chosen).toSorted(byTitle)
  const own = offered.filter((deal) => contactId && deal.contact_id === contactId)
  const others = offered.filter((deal) => !own.includes(deal))

  function choose(id: string) {
    const deal = deals.find((one) => one.id === id)
    // Who the deal is with is whom the task is about, unless somebody has said otherwise.
    const contact = deal?.contact && !contactId ? deal.contact : null
    void actions.save(
      task.id,
      { deal_id: id || null, ...(contact && { contact_id: contact.id }) },
      contact ? { contact } : undefined,
    )
  }

  return (
    <div className="grid gap-1">
      <SelectField label="Trattativa" value={chosen ?? ''} onChange={(event) => choose(event.target.value)}>
        <option value="">Nessuna</option>
        {chosen && !offered.some(({ id }) => id === chosen) && <option value={chosen}>Trattativa chiusa</option>}
        {own.length > 0 ? (
          <>
            <optgroup label="Di questo contatto">{own.map(option)}</optgroup>
            {others.length > 0 && <optgroup label="Altre">{others.map(option)}</optgroup>}
          </>
        ) : (
          others.map(option)
        )}
      </SelectField>
      {chosen && (
        <Link to={paths.crmDeal(chosen)} className="justify-self-start text-sm text-primary hover:underline">
          Apri la trattativa
        </Link>
      )}
    </div>
  )
}

const byTitle = (one: Deal, other: Deal) => one.title.localeCompare(other.title, 'it')

const option = ({ id, title, contact }: Deal) => (
  <option key={id} value={id}>
    {[title, contact?.name].filter(Boolean).join(' · ')}
  </option>
)
