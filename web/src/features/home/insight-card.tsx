/** One insight: what, why, how much, one thing to do about it, and how to be rid of it. */
import { Link } from 'react-router'

import { Button } from '@/components/ui/button'
import type { Insight } from '@/data/home'
import { LaterMenu, RefuseMenu } from '@/features/home/insight-menus'
import { rowsOf, targetOf } from '@/features/home/insight-target'
import type { InsightActions } from '@/features/home/use-insight-actions'
import { insightActions } from '@/strings/home'
import { formatMoney } from '@/strings/numbers'

type Props = { insight: Insight; actions: InsightActions; onRemind: () => void }

export function InsightCard({ insight, actions, onRemind }: Props) {
  const rows = rowsOf(insight)
  return (
    <li className="grid gap-x-4 gap-y-1.5 py-3 first:pt-1 last:pb-1 sm:grid-cols-[minmax(0,1fr)_auto]">
      <div className="min-w-0">
        <p className="flex items-baseline justify-between gap-3 font-medium">
          {rows ? (
            <Link to={rows} className="min-w-0 break-words hover:underline" onClick={() => actions.count(insight)}>
              {insight.title}
            </Link>
          ) : (
            <span className="min-w-0 break-words">{insight.title}</span>
          )}
          {insight.amount_cents !== null && (
            <span className="shrink-0 tabular">{formatMoney(insight.amount_cents, insight.currency)}</span>
          )}
        </p>
        <p className="text-sm text-pretty text-muted-foreground">{insight.body}</p>
      </div>
      <div className="flex items-center gap-1 sm:justify-end">
        <PrimaryAction insight={insight} actions={actions} onRemind={onRemind} />
        <span className="ml-auto flex sm:ml-0">
          <LaterMenu insight={insight} actions={actions} />
          <RefuseMenu insight={insight} actions={actions} />
        </span>
      </div>
    </li>
  )
}

function PrimaryAction({ insight, actions, onRemind }: Props) {
  const label = insightActions[insight.action]
  const target = targetOf(insight)
  if (!label) return null
  if (target)
    return (
      <Button variant="secondary" size="sm" asChild>
        <Link to={target} onClick={() => actions.count(insight)}>
          {label}
        </Link>
      </Button>
    )
  return (
    <Button
      variant="secondary"
      size="sm"
      onClick={insight.action === 'attivita' ? () => void actions.addTask(insight) : onRemind}
    >
      {label}
    </Button>
  )
}
