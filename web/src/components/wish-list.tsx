/** What is planned because people asked for it: state, delay and votes. Also on public pages. */
import type { ReactNode } from 'react'

import { Badge } from '@/components/ui/badge'
import type { Wish, WishState } from '@/data/roadmap-board'
import { romeDay } from '@/lib/rome-time'
import { longDay } from '@/strings/days'
import { votesText, wishStates } from '@/strings/roadmap-states'

const marks: Record<WishState, string> = { planned: 'bg-info', started: 'bg-warning', done: 'bg-success' }

type Props = {
  label: string
  wishes: Wish[]
  /** A button beside each. */
  renderVote?: (wish: Wish) => ReactNode
}

export function WishList({ label, wishes, renderVote }: Props) {
  return (
    <ul aria-label={label} className="divide-y border-y">
      {wishes.map((wish) => (
        <li key={wish.id} className="flex items-start gap-4 py-4">
          <div className="grid min-w-0 flex-1 gap-1">
            <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
              <h3 className="font-semibold break-words">{wish.title}</h3>
              <Badge variant="outline" className="gap-2">
                <span aria-hidden className={`size-2 rounded-full ${marks[wish.state]}`} />
                {wishStates[wish.state]}
              </Badge>
              {wish.is_late && <Badge variant="notice">in ritardo</Badge>}
            </div>
            {wish.text && <p className="text-pretty break-words text-muted-foreground">{wish.text}</p>}
            <p className="text-sm text-muted-foreground tabular">{facts(wish)}</p>
          </div>
          {renderVote?.(wish)}
        </li>
      ))}
    </ul>
  )
}

function facts({ votes, due_on: due, done_at: done }: Wish): string {
  const when = done ? `fatta il ${longDay(romeDay(done))}` : due && `entro il ${longDay(due)}`
  return [votesText(votes), when].filter(Boolean).join(' · ')
}
